/* The page of one run. */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *
title(const struct document *d, const struct summary *s, struct arena *a)
{
	uint64_t failed = summary_failed(s);

	if (failed)
		return arena_printf(a, "fencepost: %" PRIu64 " of %" PRIu64
		    " failed", failed, s->tests + (uint64_t)d->nprimitives);
	return arena_printf(a, "fencepost: %" PRIu64 " test%s, %s", s->tests,
	    plural(s->tests), s->exit ? "no verdict" : "none failed");
}

static void
put_tile(FILE *f, const char *class, const char *number, const char *words)
{
	fprintf(f, "<li class=\"%s\"><b>%s</b> <span>%s</span></li>\n", class,
	    number, words);
}

static void
put_tiles(FILE *f, const struct summary *s, struct arena *a)
{
	uint64_t failed = summary_failed(s);

	fputs("<ul class=\"tiles\">\n", f);
	put_tile(f, failed ? "bad" : "good", count_text(failed).s, "failed");
	put_tile(f, "good", count_text(s->verdicts[VERDICT_PASS]).s,
	    "tests passed");
	if (s->verdicts[VERDICT_NOT_RUN])
		put_tile(f, "", count_text(s->verdicts[VERDICT_NOT_RUN]).s,
		    "not run");
	if (s->pardoned)
		put_tile(f, "warn", count_text(s->pardoned).s,
		    "failed, quarantined");
	put_tile(f, "weak", count_text(s->weak_tests).s,
	    "showed weak behaviour");
	put_tile(f, "", count_text(s->unseen_tests).s,
	    "allowed, but not seen");
	put_tile(f, s->forbidden_hits ? "bad" : "",
	    count_text(s->forbidden_hits).s, "forbidden outcomes");
	if (s->no_evidence)
		put_tile(f, "warn", count_text(s->no_evidence).s,
		    "silent without evidence");
	if (s->mutation.twins)
		put_tile(f, "", arena_printf(a, "%.0f %%", 100.0 *
		    (double)s->mutation.shown / (double)s->mutation.twins),
		    "mutation score: broken twins that showed");
	put_tile(f, "", count_text(s->instances).s, "instances");
	fputs("</ul>\n", f);
}

static void
put_header(FILE *f, const struct document *d, const struct summary *s,
    struct arena *a)
{
	int i;

	fputs("<header><h1>", f);
	put_xml(f, title(d, s, a));
	fputs("</h1>\n<p class=\"dim\">", f);
	for (i = 0; i < d->ndevices; i++) {
		fputs(i ? "; " : "", f);
		put_xml(f, device_label(&d->devices[i], a));
	}
	fprintf(f, " \xc2\xb7 %s \xc2\xb7 %s</p></header>\n", d->started,
	    time_text(d->wall_seconds).s);
	if (!d->hardware)
		put_notice(f, "Software PTX machine: no GPU was involved, "
		    "and nothing here says what a GPU does.");
	if (!d->complete)
		put_notice(f, "The run did not complete; this is what "
		    "finished.");
	if (d->shard->count > 1)
		put_notice(f, arena_printf(a, "One shard of %" PRId64 " (the "
		    "%" PRId64 ".): see the merged document for all.",
		    d->shard->count, d->shard->index));
}

static bool
any_failing(const struct document *d)
{
	int i;

	for (i = 0; i < d->ntests; i++)
		if (verdicts[d->tests[i].verdict].exit)
			return true;
	return false;
}

static void
put_nav(FILE *f, const struct document *d)
{
	fputs("<nav>", f);
	if (any_failing(d))
		fputs("<a href=\"#failed\">Failed</a>\n", f);
	if (d->ntests)
		fputs("<a href=\"#matrix\">Shapes and annotations</a>\n"
		    "<a href=\"#weak\">Weak behaviour</a>\n"
		    "<a href=\"#unseen\">Not seen</a>\n", f);
	if (d->nprimitives)
		fputs("<a href=\"#primitives\">Primitives</a>\n", f);
	if (d->nclaims)
		fputs("<a href=\"#claims\">Claims</a>\n", f);
	fputs("<a href=\"#tests\">Tests</a>\n<a href=\"#run\">The run</a>"
	    "</nav>\n", f);
}

#define OPEN_MAX 20

static void
put_failed(FILE *f, const struct document *d, struct arena *a)
{
	int i, n = 0;

	if (!any_failing(d))
		return;
	fputs("<section id=\"failed\"><h2>Failed</h2>\n", f);
	for (i = 0; i < d->ntests; i++)
		if (verdicts[d->tests[i].verdict].exit)
			html_test(f, d, &d->tests[i], !d->tests[i].pardon &&
			    n++ < OPEN_MAX, a);
	fputs("</section>\n", f);
}

/* ---- weak, and not seen ------------------------------------------------ */

#define LIST_MAX 20

static double
weak_share(const struct doc_test *t)
{
	double weak = 0;
	int i;

	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].class == ROW_WEAK)
			weak += (double)t->rows[i].count;
	return t->instances ? weak / (double)t->instances : 0;
}

static int
by_weak_share(const void *a, const void *b)
{
	const struct doc_test *s = *(const struct doc_test *const *)a;
	const struct doc_test *t = *(const struct doc_test *const *)b;
	double x = weak_share(s), y = weak_share(t);

	if (x > y || x < y)
		return x > y ? -1 : 1;
	return s < t ? -1 : s > t;
}

/* How often weak outcomes came, on a scale from 10^-decades to 1. */
static void
put_decades(FILE *f, double share, double decades)
{
	double width = 160 * (1 + log10(share) / decades);

	fprintf(f, "<svg width=\"160\" height=\"12\" aria-hidden=\"true\">"
	    "<rect width=\"160\" height=\"12\" fill=\"#8a97a6\" "
	    "fill-opacity=\".13\"/><rect width=\"%.1f\" height=\"12\" "
	    "fill=\"%s\" class=\"f-weak\"/></svg>", fmax(width, 1),
	    class_colors[ROW_WEAK]);
}

static void
put_weak(FILE *f, const struct document *d, struct arena *a)
{
	size_t n = 0, i;
	double decades = 1;
	const struct doc_test **list = arena_alloc(a,
	    ((size_t)d->ntests + 1) * sizeof(*list));

	for (i = 0; i < (size_t)d->ntests; i++)
		if (weak_share(&d->tests[i]) > 0)
			list[n++] = &d->tests[i];
	qsort(list, n, sizeof(*list), by_weak_share);
	if (n) /* the scale reaches down to the last that is shown */
		decades = ceil(1 - log10(weak_share(list[n < LIST_MAX ?
		    n - 1 : LIST_MAX - 1])));
	fprintf(f, "<section id=\"weak\"><h2>Weak behaviour</h2>\n<p>%zu "
	    "tests showed an outcome that no interleaving gives%s; all of "
	    "it is allowed.</p>\n", n, n > LIST_MAX ?
	    ", the most frequent first" : "");
	if (n)
		fputs("<div class=\"scroll\"><table class=\"list\" cellpadding=\"4\"><tr><th>"
		    "Test</th><th class=\"wide\">on a logarithmic scale</th>"
		    "<th class=\"n\">share</th><th class=\"n\">a second"
		    "</th></tr>\n", f);
	for (i = 0; i < n && i < LIST_MAX; i++) {
		fputs("<tr><td>", f);
		html_test_link(f, d, list[i], a);
		fputs("</td><td class=\"wide\">", f);
		put_decades(f, weak_share(list[i]), decades);
		fprintf(f, "</td><td class=\"n\">%s</td><td class=\"n\">%s"
		    "</td></tr>\n", rate_text(weak_share(list[i])).s,
		    rate_text(list[i]->seconds > 0 ? weak_share(list[i]) *
		    (double)list[i]->instances / list[i]->seconds :
		    NAN).s);
	}
	fprintf(f, "%s</section>\n", n ? "</table></div>" : "");
}

static void
put_cell_list(FILE *f, const struct document *d, enum cell cell,
    const char *words, struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < d->ntests; i++)
		n += test_cell(&d->tests[i]) == cell;
	if (!n)
		return;
	fprintf(f, "<details%s><summary>%d %s</summary>\n"
	    "<div class=\"scroll\"><table class=\"list\" cellpadding=\"4\">\n",
	    n <= 10 ? " open" : "", n, words);
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (test_cell(t) != cell)
			continue;
		fputs("<tr><td>", f);
		html_test_link(f, d, t, a);
		fputs("</td><td class=\"n\">", f);
		if (t->evidence && !isnan(t->evidence->bound95))
			fprintf(f, "below %s", rate_text(
			    t->evidence->bound95).s);
		else if (t->verdict == VERDICT_NOT_RUN)
			put_xml(f, test_message(t));
		fputs("</td></tr>\n", f);
	}
	fputs("</table></div></details>\n", f);
}

static void
put_unseen(FILE *f, const struct document *d, struct arena *a)
{
	fputs("<section id=\"unseen\"><h2>Not seen</h2>\n<p class=\"dim\">"
	    "Bounds are 95 % upper bounds on the share of instances, if "
	    "instances are independent.</p>\n", f);
	put_cell_list(f, d, CELL_UNSEEN, "allowed, but they did not show",
	    a);
	put_cell_list(f, d, CELL_MUTE, "forbidden and silent, but so were "
	    "their broken twins: no evidence", a);
	put_cell_list(f, d, CELL_SILENT, "forbidden and silent, as they "
	    "should be", a);
	put_cell_list(f, d, CELL_NOT_RUN, "not run", a);
	fputs("</section>\n", f);
}

/* ---- all tests, and the run -------------------------------------------- */

/* Failing tests stand above already; a page has each once. */
static void
put_tests(FILE *f, const struct document *d, int details, struct arena *a)
{
	int i, shown = 0;
	bool table = false;

	fputs("<section id=\"tests\"><h2>Tests</h2>\n", f);
	for (i = 0; i < d->ntests; i++) {
		if (verdicts[d->tests[i].verdict].exit)
			continue;
		if (shown++ < details) {
			html_test(f, d, &d->tests[i], false, a);
			continue;
		}
		if (!table)
			fprintf(f, "<p class=\"dim\">The first %d passing "
			    "tests are shown in full, the rest in a line "
			    "each.</p><div class=\"scroll\">"
			    "<table class=\"list\" cellpadding=\"4\">\n", details);
		table = true;
		html_test_line(f, d, &d->tests[i], a);
	}
	fprintf(f, "%s</section>\n", table ? "</table></div>" : "");
}

static void
put_run(FILE *f, const struct document *d, struct arena *a)
{
	int i;

	fprintf(f, "<section id=\"run\"><h2>The run</h2>\n<dl>"
	    "<dt>command</dt><dd><code class=\"wrap\">");
	put_xml(f, shell_command(d, a));
	fprintf(f, "</code></dd>\n<dt>seed</dt><dd class=\"mono\">0x%016"
	    PRIx64 "</dd>\n<dt>model</dt><dd>%s</dd>\n<dt>program</dt><dd>",
	    d->seed, doc_models[d->model]);
	put_xml(f, d->tool->name);
	fputs(" ", f);
	put_xml(f, d->tool->version);
	fputs("</dd>\n", f);
	if (d->level)
		fprintf(f, "<dt>level</dt><dd>%" PRId64 "</dd>\n", d->level);
	fputs("</dl>\n", f);
	for (i = 0; i < d->ndevices; i++)
		put_device(f, d, i);
	if (d->nnotes)
		fputs("<h3>Notes</h3><ul>\n", f);
	for (i = 0; i < d->nnotes; i++) {
		fputs("<li>", f);
		put_xml(f, d->notes[i]);
		fputs("</li>\n", f);
	}
	fprintf(f, "%s</section>\n", d->nnotes ? "</ul>" : "");
}

void
html_write(FILE *f, const struct document *d, const struct html_options *o)
{
	struct arena *a = arena_new();
	struct summary s;

	summary_make(&s, d);
	page_begin(f, title(d, &s, a), o);
	put_header(f, d, &s, a);
	put_tiles(f, &s, a);
	put_nav(f, d);
	put_failed(f, d, a);
	html_matrices(f, d, a);
	put_weak(f, d, a);
	put_unseen(f, d, a);
	html_primitives(f, d, a);
	html_claims(f, d);
	put_tests(f, d, o->details, a);
	put_run(f, d, a);
	page_end(f);
	arena_free(a);
}
