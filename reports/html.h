/*
 * What the writers of HTML pages share. Pages have no script. Colours of
 * drawings are attributes, so that they stay where a content policy forbids
 * inline style (Jenkins); the rest is readable without its style sheet.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include "reports.h"

/* html_page.c */
void page_begin(FILE *f, const char *title, const struct html_options *o);
void page_end(FILE *f);
void put_device(FILE *f, const struct document *d, int device);
void put_notice(FILE *f, const char *words); /* a banner */

/* html_css.c: the style sheet in pieces, ends in NULL */
extern const char *const html_css[];

/* html_test.c: one test, folded; `index` makes its anchor */
void html_test(FILE *f, const struct document *d, const struct doc_test *t,
    bool open, struct arena *a);
void html_test_line(FILE *f, const struct document *d,
    const struct doc_test *t, struct arena *a);
void html_test_link(FILE *f, const struct document *d,
    const struct doc_test *t, struct arena *a);

/* html_matrix.c */
void html_matrices(FILE *f, const struct document *d, struct arena *a);
void html_legend(FILE *f);

/* html_prim.c */
void html_primitives(FILE *f, const struct document *d, struct arena *a);
void html_claims(FILE *f, const struct document *d);

/* svg.c */
void svg_defs(FILE *f); /* once a page: arrow heads, matrix marks */
void svg_cell(FILE *f, enum cell cell);
/* The classes of a test's outcomes as one stacked bar, linear. */
void svg_classes(FILE *f, const struct doc_test *t);
/* One outcome's count as a bar; logarithmic. */
void svg_count(FILE *f, uint64_t count, uint64_t of, int class);
extern const char *const class_colors[ROW_CLASSES];

/* svg_graph.c */
void svg_execution(FILE *f, const struct doc_test *t);

/* svg_plot.c */
struct spread { /* a row of a plot; NAN: not known */
	const char *label, *note;
	double low, q1, median, q3, high;
	const char *color;
};
void svg_spreads(FILE *f, const struct spread *rows, int n,
    const char *unit);
struct series {
	const char *label;
	const double *x, *y;
	int n;
};
void svg_lines(FILE *f, const struct series *list, int n,
    const char *x_label, const char *y_label);

#endif
