/*
 * Runs side by side: a row a test, a column a run. Tests on which the runs
 * differ come first; that is the table to read.
 */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A device of a document: a column. */
struct column {
	const struct document *d;
	int device;
	int next; /* of d->by_name, while rows are made */
};

struct test_line {
	const char *name;
	const struct doc_test **tests; /* one a column, or NULL */
	bool differs;
};

struct table {
	struct column *columns;
	int ncolumns;
	struct test_line *lines;
	int nlines;
};

bool
compare_check(const struct document *list, int n, struct err *err)
{
	int i;

	for (i = 1; i < n; i++)
		if (list[i].hardware != list[0].hardware)
			return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
			    "%s is of the software PTX machine and %s of "
			    "hardware: they are not compared",
			    list[0].hardware ? list[i].ref : list[0].ref,
			    list[0].hardware ? list[0].ref : list[i].ref);
	return true;
}

static void
make_columns(struct table *t, const struct document *list, int n,
    struct arena *a)
{
	int i, k, all = 0;

	for (i = 0; i < n; i++)
		all += list[i].ndevices;
	t->columns = arena_alloc(a, ((size_t)all + 1) *
	    sizeof(*t->columns));
	for (i = 0; i < n; i++)
		for (k = 0; k < list[i].ndevices; k++)
			t->columns[t->ncolumns++] = (struct column){
			    &list[i], k, 0};
}

/* The column's next test that is its device's, or NULL. */
static const struct doc_test *
peek(struct column *c)
{
	while (c->next < c->d->ntests &&
	    c->d->by_name[c->next]->device != (uint64_t)c->device)
		c->next++;
	return c->next < c->d->ntests ? c->d->by_name[c->next] : NULL;
}

/* Whether two runs say another thing, whatever their counts. */
static bool
unlike(const struct doc_test *s, const struct doc_test *t)
{
	return s && t && test_cell(s) != test_cell(t);
}

static bool
next_line(struct table *t, struct test_line *line, struct arena *a)
{
	const char *name = NULL;
	int i, first = -1;

	for (i = 0; i < t->ncolumns; i++) {
		const struct doc_test *u = peek(&t->columns[i]);

		if (u && (!name || strcmp(u->name, name) < 0))
			name = u->name;
	}
	if (!name)
		return false;
	*line = (struct test_line){name, arena_alloc(a,
	    (size_t)t->ncolumns * sizeof(*line->tests)), false};
	for (i = 0; i < t->ncolumns; i++) {
		const struct doc_test *u = peek(&t->columns[i]);

		if (!u || strcmp(u->name, name) != 0)
			continue;
		line->tests[i] = u;
		t->columns[i].next++;
		if (first < 0)
			first = i;
		line->differs |= unlike(line->tests[first], u);
	}
	return true;
}

static void
make_table(struct table *t, const struct document *list, int n,
    struct arena *a)
{
	size_t room = 64, count = 0;

	*t = (struct table){0};
	make_columns(t, list, n, a);
	t->lines = arena_alloc(a, room * sizeof(*t->lines));
	while (next_line(t, &t->lines[count], a)) {
		if (++count == room) {
			t->lines = arena_grow(a, t->lines, count *
			    sizeof(*t->lines), 2 * room *
			    sizeof(*t->lines));
			room *= 2;
		}
	}
	t->nlines = (int)count;
}

static double
target_share(const struct doc_test *t)
{
	double hits = 0;
	int i;

	for (i = 0; i < t->nrows; i++)
		hits += t->rows[i].target ? (double)t->rows[i].count : 0;
	return t->instances ? hits / (double)t->instances : NAN;
}

/* What a column measured, for its head. */
static const char *
column_label(const struct column *c, struct arena *a)
{
	return device_label(&c->d->devices[c->device], a);
}

static uint64_t
seen_in(const struct table *t, int column)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < t->nlines; i++)
		n += t->lines[i].tests[column] && test_cell(
		    t->lines[i].tests[column]) == CELL_SEEN;
	return n;
}

/* ---- HTML -------------------------------------------------------------- */

static void
put_heads(FILE *f, const struct table *t, const char *first, struct arena *a)
{
	int i;

	fprintf(f, "<tr><th>%s</th>", first);
	for (i = 0; i < t->ncolumns; i++) {
		fputs("<th scope=\"col\">", f);
		put_xml(f, column_label(&t->columns[i], a));
		fputs("</th>", f);
	}
	fputs("</tr>\n", f);
}

static void
put_line(FILE *f, const struct table *t, const struct test_line *line)
{
	int i;

	fputs("<tr><td>", f);
	put_xml(f, line->name);
	fputs("</td>", f);
	for (i = 0; i < t->ncolumns; i++) {
		const struct doc_test *u = line->tests[i];

		fputs("<td>", f);
		if (u) {
			svg_cell(f, test_cell(u));
			if (target_share(u) > 0)
				fprintf(f, " %s", rate_text(
				    target_share(u)).s);
		}
		fputs("</td>", f);
	}
	fputs("</tr>\n", f);
}

static void
put_lines(FILE *f, const struct table *t, bool differing, struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < t->nlines; i++)
		n += t->lines[i].differs == differing;
	fprintf(f, differing ? "<section><h2>%d test%s on which the runs "
	    "differ</h2>\n" : "<section><h2>%d test%s on which they agree"
	    "</h2>\n", n, plural((uint64_t)n));
	if (n) {
		fprintf(f, "%s<div class=\"scroll\"><table cellpadding=\"4\">\n", differing ?
		    "" : "<details><summary>show them</summary>");
		put_heads(f, t, "Test", a);
		for (i = 0; i < t->nlines; i++)
			if (t->lines[i].differs == differing)
				put_line(f, t, &t->lines[i]);
		fprintf(f, "</table></div>%s\n", differing ? "" :
		    "</details>");
	}
	fputs("</section>\n", f);
}

static void
put_runs(FILE *f, const struct table *t, struct arena *a)
{
	int i;

	fputs("<div class=\"scroll\"><table class=\"list\" "
	    "cellpadding=\"4\"><tr><th>Device"
	    "</th><th>Run</th><th class=\"n\">tests</th><th class=\"n\">"
	    "showed weak</th><th class=\"n\">failed</th>"
	    "<th class=\"n\">instances</th></tr>\n", f);
	for (i = 0; i < t->ncolumns; i++) {
		const struct document *d = t->columns[i].d;
		struct summary s;

		summary_make(&s, d);
		fputs("<tr><td>", f);
		put_xml(f, column_label(&t->columns[i], a));
		fputs("</td><td>", f);
		put_xml(f, d->ref);
		fprintf(f, "<br><span class=\"dim\">%s</span></td><td "
		    "class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
		    "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%s"
		    "</td></tr>\n", d->started, s.tests, seen_in(t, i),
		    summary_failed(&s), count_text(s.instances).s);
	}
	fputs("</table></div>\n", f);
}

/* The cost of a primitive at its largest size, in a document. */
static const struct doc_bench *
cost_in(const struct column *c, const char *name)
{
	int i;

	for (i = 0; i < c->d->nprimitives; i++) {
		const struct doc_primitive *p = &c->d->primitives[i];

		if (p->device == (uint64_t)c->device && p->nbench &&
		    strcmp(p->name, name) == 0)
			return &p->bench[p->nbench - 1];
	}
	return NULL;
}

static void
put_costs(FILE *f, const struct table *t, struct arena *a)
{
	const struct document *d = t->ncolumns ? t->columns[0].d : NULL;
	int i, k;

	if (!d || !d->nprimitives)
		return;
	fputs("<section><h2>Costs of primitives</h2>\n<div class=\"scroll\">"
	    "<table cellpadding=\"4\">\n", f);
	put_heads(f, t, "Primitive", a);
	for (i = 0; i < d->nprimitives; i++) {
		if (!d->primitives[i].nbench)
			continue;
		fputs("<tr><td>", f);
		put_xml(f, d->primitives[i].name);
		fputs("</td>", f);
		for (k = 0; k < t->ncolumns; k++) {
			const struct doc_bench *b = cost_in(&t->columns[k],
			    d->primitives[i].name);

			fputs("<td>", f);
			if (b) {
				fprintf(f, "%s ", rate_text(b->median).s);
				put_xml(f, b->unit);
			}
			fputs("</td>", f);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div></section>\n", f);
}

void
compare_html(FILE *f, const struct document *list, int n,
    const struct html_options *o)
{
	struct arena *a = arena_new();
	struct table t;

	make_table(&t, list, n, a);
	page_begin(f, "fencepost: runs side by side", o);
	fprintf(f, "<header><h1>fencepost: %d run%s side by side</h1>"
	    "</header>\n", n, plural((uint64_t)n));
	if (n && !list[0].hardware)
		put_notice(f, "Software PTX machine: no GPU was involved.");
	put_runs(f, &t, a);
	html_legend(f);
	fputs("<p class=\"dim\">Beside a mark: the share of instances that "
	    "showed what the test asks for.</p>\n", f);
	put_lines(f, &t, true, a);
	put_costs(f, &t, a);
	put_lines(f, &t, false, a);
	page_end(f);
	arena_free(a);
}

/* ---- Markdown ---------------------------------------------------------- */

#define ROWS_MAX 500

void
compare_markdown(FILE *f, const struct document *list, int n)
{
	struct arena *a = arena_new();
	struct table t;
	int i, k, shown = 0;

	make_table(&t, list, n, a);
	fprintf(f, "# fencepost: %d run%s side by side\n\n", n,
	    plural((uint64_t)n));
	if (n && !list[0].hardware)
		fprintf(f, "> **%s.**\n\n", sim_notice);
	fputs("| Test |", f);
	for (k = 0; k < t.ncolumns; k++) {
		fputs(" ", f);
		put_markdown(f, column_label(&t.columns[k], a));
		fputs(" |", f);
	}
	fputs("\n| --- |", f);
	for (k = 0; k < t.ncolumns; k++)
		fputs(" --- |", f);
	for (i = 0; i < t.nlines; i++) {
		if (!t.lines[i].differs || shown++ >= ROWS_MAX)
			continue;
		fputs("\n| ", f);
		put_code(f, t.lines[i].name);
		fputs(" |", f);
		for (k = 0; k < t.ncolumns; k++) {
			const struct doc_test *u = t.lines[i].tests[k];

			fprintf(f, " %s |", u ? cell_rows[test_cell(u)].words
			    : "");
		}
	}
	fprintf(f, "\n\n%d test%s, %d the same.\n", shown,
	    shown == 1 ? " differs" : "s differ", t.nlines - shown);
	arena_free(a);
}
