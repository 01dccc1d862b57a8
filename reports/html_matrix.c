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

	fprintf(f, "<h3>%s%s</h3>\n<div class=\"scroll\">"
	    "<table class=\"matrix\" cellpadding=\"2\"><thead><tr><th></th>",
	    *m->placement ? "Threads " : "Other tests", m->placement);
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
	fputs("</tbody></table></div>\n", f);
}

void
html_matrices(FILE *f, const struct document *d, struct arena *a)
{
	struct matrix *list;
	int device, i, n, shown = 0;

	for (device = 0; device < d->ndevices; device++) {
		n = matrix_make(d, device, a, &list);
		if (n && !shown++) {
			fputs("<section id=\"matrix\"><h2>Shapes and "
			    "annotations</h2>\n", f);
			html_legend(f);
		}
		if (n && d->ndevices > 1) {
			fputs("<h3>", f);
			put_xml(f, d->devices[device].name);
			fprintf(f, " %d</h3>\n", device);
		}
		for (i = 0; i < n; i++)
			put_matrix(f, d, &list[i]);
	}
	if (shown)
		fputs("</section>\n", f);
}
