#include "html.h"

#include <string.h>

void
html_legend(FILE *f)
{
	int i;

	fputs("<ul class=\"legend\">\n", f);
	for (i = CELL_NONE + 1; i < CELL_COUNT; i++) {
		fputs("<li>", f);
		svg_cell(f, i);
		fprintf(f, " <span>%s</span></li>\n", cell_rows[i].words);
	}
	fputs("</ul>\n", f);
}

static void
put_cell(FILE *f, const struct document *d, const struct doc_test *t)
{
	if (!t) {
		fputs("<td></td>", f);
		return;
	}
	fprintf(f, "<td><a href=\"#t%ld\" title=\"", (long)(t - d->tests));
	put_xml(f, t->name);
	fprintf(f, ": %s\">", cell_rows[test_cell(t)].words);
	svg_cell(f, test_cell(t));
	fputs("</a></td>", f);
}

static void
put_matrix(FILE *f, const struct document *d, const struct matrix *m)
{
	int i, k;

	fprintf(f, "<div><h3>%s%s ", *m->placement ? "Threads " : "Other tests",
	    m->placement);
	put_xml(f, m->suffix);
	fputs("</h3>\n<div class=\"scroll\"><table class=\"matrix\" "
	    "cellpadding=\"2\"><thead><tr><th></th>", f);
	for (k = 0; k < m->ncolumns; k++) {
		fputs("<th scope=\"col\">", f);
		put_xml(f, m->columns[k]);
		fputs("</th>", f);
	}
	fputs("</tr></thead><tbody>\n", f);
	for (i = 0; i < m->nrows; i++) {
		fputs("<tr><th scope=\"row\">", f);
		put_xml(f, m->rows[i]);
		fputs("</th>", f);
		for (k = 0; k < m->ncolumns; k++)
			put_cell(f, d, m->cells[i * m->ncolumns + k]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div></div>\n", f);
}

/* A line a family, for tests that fit no table. */
static void
put_rest(FILE *f, const struct document *d, const struct matrices *m)
{
	int i;

	if (!m->nrest)
		return;
	fprintf(f, "%s<table class=\"rest\" cellpadding=\"2\">", m->count ?
	    "<h3>Others</h3>\n" : "");
	for (i = 0; i < m->nrest; i++) {
		const struct doc_test *t = m->rest[i];

		if (i == 0 || strcmp(m->rest[i - 1]->family, t->family) !=
		    0) {
			fputs(i ? "</td></tr>\n<tr><th scope=\"row\">" :
			    "<tr><th scope=\"row\">", f);
			put_xml(f, t->family);
			fputs("</th><td>", f);
		}
		fprintf(f, "<a href=\"#t%ld\" title=\"%s\">",
		    (long)(t - d->tests), cell_rows[test_cell(t)].words);
		svg_cell(f, test_cell(t));
		fputs(" ", f);
		put_xml(f, t->variant ? t->variant : "");
		fputs("</a> ", f);
	}
	fputs("</td></tr></table>\n", f);
}

void
html_matrices(FILE *f, const struct document *d, struct arena *a)
{
	struct matrices m;
	int device, i;

	if (!d->ntests)
		return;
	fputs("<section id=\"matrix\"><h2>Shapes and annotations</h2>\n", f);
	html_legend(f);
	for (device = 0; device < d->ndevices; device++) {
		matrices_make(d, device, a, &m);
		if (d->ndevices > 1) {
			fputs("<h3>", f);
			put_xml(f, d->devices[device].name);
			fprintf(f, " %d</h3>\n", device);
		}
		fputs("<div class=\"tables\">\n", f);
		for (i = 0; i < m.count; i++)
			put_matrix(f, d, &m.list[i]);
		fputs("</div>\n", f);
		put_rest(f, d, &m);
	}
	fputs("</section>\n", f);
}
