#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void
put_findings(FILE *f, const struct doc_primitive *p)
{
	int i;

	for (i = 0; i < p->nfindings; i++) {
		const struct doc_finding *x = &p->findings[i];

		fputs(i ? "<br>" : "", f);
		put_xml(f, x->kind);
		fprintf(f, " %s time%s, first in round %s", count_text(
		    x->count).s, plural(x->count), count_text(x->round).s);
		if (x->detail) {
			fputs(": <span class=\"dim\">", f);
			put_xml(f, x->detail);
			fputs("</span>", f);
		}
	}
	if (p->message && *p->message) {
		fputs(p->nfindings ? "<br>" : "", f);
		put_xml(f, p->message);
	}
}

static void
put_row(FILE *f, const struct doc_primitive *p)
{
	fprintf(f, "<tr><td><span class=\"badge %s\">%s</span></td><td><b>",
	    prim_verdicts[p->verdict], p->twin_of && p->verdict == PRIM_PASS
	    ? "caught" : prim_words(p));
	put_xml(f, p->name);
	fputs("</b><br><span class=\"dim\">", f);
	put_xml(f, p->group);
	if (p->twin_of) {
		fputs("; twin of ", f);
		put_xml(f, p->twin_of);
		fputs(": ", f);
		put_xml(f, p->flaw ? p->flaw : "broken");
	}
	fputs("</span></td><td>", f);
	put_findings(f, p);
	fprintf(f, "</td><td class=\"n wide\">%s</td></tr>\n",
	    count_text(p->rounds).s);
}

static void
put_table(FILE *f, const struct document *d)
{
	int i;

	fputs("<div class=\"scroll\"><table class=\"list\" "
	    "cellpadding=\"4\"><tr><th>Verdict"
	    "</th><th>Primitive</th><th>Found</th>"
	    "<th class=\"n wide\">Rounds</th></tr>\n", f);
	for (i = 0; i < d->nprimitives; i++)
		put_row(f, &d->primitives[i]);
	fputs("</table></div>\n", f);
}

/* ---- costs ------------------------------------------------------------- */

#define PLOT_ROWS 48
#define SERIES_POINTS 32
#define SERIES_MAX 12

/* What a plot holds together: comparable costs. */
static bool
same_plot(const struct doc_primitive *p, const struct doc_bench *b,
    const struct doc_primitive *q, const struct doc_bench *c)
{
	return strcmp(p->group, q->group) == 0 &&
	    strcmp(b->what, c->what) == 0 && strcmp(b->unit, c->unit) == 0;
}

static struct spread
spread_of(const struct doc_primitive *p, const struct doc_bench *b,
    struct arena *a)
{
	const char *sound = "#2f7ed8", *twin = "#c47a12";
	struct text t;

	text_init(&t, a);
	text_printf(&t, "%s", p->name);
	if (b->ctas)
		text_printf(&t, ", %" PRIu64 " CTAs", b->ctas);
	if (b->threads)
		text_printf(&t, " x %" PRIu64, b->threads);
	if (b->scope && *b->scope)
		text_printf(&t, ", %s", b->scope);
	return (struct spread){t.s, arena_printf(a, "%s %s",
	    rate_text(b->median).s, b->unit), b->p1, b->p25, b->median,
	    b->p75, b->p99, p->twin_of ? twin : sound};
}

static int
collect_spreads(const struct document *d, const struct doc_primitive *first,
    const struct doc_bench *b, struct spread *rows, struct arena *a)
{
	int i, k, n = 0;

	for (i = 0; i < d->nprimitives; i++) {
		const struct doc_primitive *p = &d->primitives[i];

		for (k = 0; k < p->nbench && n < PLOT_ROWS; k++)
			if (same_plot(first, b, p, &p->bench[k]))
				rows[n++] = spread_of(p, &p->bench[k], a);
	}
	return n;
}

/* Medians over the number of CTAs, where there are three or more. */
static int
collect_series(const struct document *d, const struct doc_primitive *first,
    const struct doc_bench *b, struct series *list, struct arena *a)
{
	int i, k, n = 0;

	for (i = 0; i < d->nprimitives && n < SERIES_MAX; i++) {
		const struct doc_primitive *p = &d->primitives[i];
		double *x = arena_alloc(a, SERIES_POINTS * sizeof(*x));
		double *y = arena_alloc(a, SERIES_POINTS * sizeof(*y));
		int points = 0;

		for (k = 0; k < p->nbench && points < SERIES_POINTS; k++) {
			const struct doc_bench *c = &p->bench[k];

			if (!same_plot(first, b, p, c) || !c->ctas)
				continue;
			x[points] = (double)c->ctas;
			y[points++] = c->median;
		}
		if (points >= 3)
			list[n++] = (struct series){p->name, x, y, points};
	}
	return n;
}

static bool
plotted_before(const struct document *d, int i, int k)
{
	const struct doc_primitive *p = &d->primitives[i];
	int m, n;

	for (m = 0; m <= i; m++)
		for (n = 0; n < d->primitives[m].nbench; n++) {
			if (m == i && n >= k)
				return false;
			if (same_plot(p, &p->bench[k], &d->primitives[m],
			    &d->primitives[m].bench[n]))
				return true;
		}
	return false;
}

static void
put_plot(FILE *f, const struct document *d, const struct doc_primitive *p,
    const struct doc_bench *b, struct arena *a)
{
	struct spread rows[PLOT_ROWS];
	struct series list[SERIES_MAX];
	int n = collect_spreads(d, p, b, rows, a);

	fputs("<h3>", f);
	put_xml(f, p->group);
	fputs(": ", f);
	put_xml(f, b->what);
	fputs("</h3>\n", f);
	svg_spreads(f, rows, n, b->unit);
	n = collect_series(d, p, b, list, a);
	if (n)
		svg_lines(f, list, n, "CTAs", b->unit);
}

#define PLOTS_MAX 40

void
html_primitives(FILE *f, const struct document *d, struct arena *a)
{
	int i, k, plots = 0;

	if (!d->nprimitives)
		return;
	fputs("<section id=\"primitives\"><h2>Primitives</h2>\n", f);
	put_table(f, d);
	for (i = 0; i < d->nprimitives; i++)
		for (k = 0; k < d->primitives[i].nbench; k++)
			if (plots < PLOTS_MAX && !plotted_before(d, i, k)) {
				put_plot(f, d, &d->primitives[i],
				    &d->primitives[i].bench[k], a);
				plots++;
			}
	if (plots)
		fputs("<p class=\"dim\">Dot: median; box: quartiles; line: "
		    "1 % to 99 %. Orange: a broken twin, which may be fast "
		    "because it is wrong.</p>\n", f);
	fputs("</section>\n", f);
}

void
html_claims(FILE *f, const struct document *d)
{
	static const char *const classes[] = {"not-run", "broken", "pass"};
	int i;

	if (!d->nclaims)
		return;
	fputs("<section id=\"claims\"><h2>Claims, checked here</h2>\n"
	    "<div class=\"scroll\"><table class=\"list\" cellpadding=\"4\">\n", f);
	for (i = 0; i < d->nclaims; i++) {
		const struct doc_claim *c = &d->claims[i];

		fprintf(f, "<tr><td><span class=\"badge %s\">%s</span></td>"
		    "<td>", classes[c->holds + 1], claim_words(d, c));
		put_xml(f, c->claim);
		fputs("</td><td>", f);
		put_xml(f, c->figure);
		fputs("</td></tr>\n", f);
	}
	fputs("</table></div></section>\n", f);
}
