#include "html.h"

#include <math.h>

const char *const class_colors[ROW_CLASSES] = {
	[ROW_SC] = "#8a97a6",
	[ROW_WEAK] = "#2f7ed8",
	[ROW_FORBIDDEN] = "#d93a40",
	[ROW_UNJUDGED] = "#8f63cc",
};

/* Marks differ in shape as well as in colour. 16 by 16. */
static const char *const marks[CELL_COUNT] = {
	[CELL_SEEN] = "<rect x='1' y='1' width='14' height='14' rx='2' "
	    "fill='#2f7ed8'/><path d='M4 5l2 6 2-5 2 5 2-6' fill='none' "
	    "stroke='#fff' stroke-width='1.6'/>",
	[CELL_UNSEEN] = "<rect x='2' y='2' width='12' height='12' rx='2' "
	    "fill='none' stroke='#2f7ed8' stroke-width='1.5'/>",
	[CELL_SILENT] = "<circle cx='8' cy='8' r='7' fill='#2b9360'/>"
	    "<path d='M4.5 8.2l2.4 2.4 4.4-5' fill='none' stroke='#fff' "
	    "stroke-width='1.8'/>",
	[CELL_MUTE] = "<circle cx='8' cy='8' r='6' fill='none' "
	    "stroke='#2b9360' stroke-width='1.5' stroke-dasharray='2.4 2'/>",
	[CELL_BROKEN] = "<rect width='16' height='16' fill='#d93a40'/>"
	    "<path d='M4 4l8 8M12 4l-8 8' stroke='#fff' stroke-width='2.4'/>",
	[CELL_UNJUDGED] = "<rect x='1' y='1' width='14' height='14' rx='7' "
	    "fill='#8f63cc'/><circle cx='8' cy='8' r='2.2' fill='#fff'/>",
	[CELL_NOT_RUN] = "<circle cx='8' cy='8' r='2' fill='#8a97a6'/>",
	[CELL_FAILED] = "<path d='M8 1l7 13H1z' fill='#c47a12'/>"
	    "<path d='M8 5.5v4.5M8 11.5v1.5' stroke='#fff' "
	    "stroke-width='1.8'/>",
};

void
svg_defs(FILE *f)
{
	int i;

	fputs("<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n",
	    f);
	for (i = CELL_NONE + 1; i < CELL_COUNT; i++)
		fprintf(f, "<symbol id=\"m%d\" viewBox=\"0 0 16 16\">%s"
		    "</symbol>\n", i, marks[i]);
	fputs("</defs></svg>\n", f);
}

void
svg_cell(FILE *f, enum cell cell)
{
	fprintf(f, "<svg width=\"16\" height=\"16\" role=\"img\" "
	    "aria-label=\"%s\"><use href=\"#m%d\"/></svg>",
	    cell_rows[cell].words, (int)cell);
}

#define BAR_WIDTH 120.0

void
svg_classes(FILE *f, const struct doc_test *t)
{
	double sums[ROW_CLASSES] = {0}, x = 0;
	int i;

	for (i = 0; i < t->nrows; i++)
		sums[t->rows[i].class] += (double)t->rows[i].count;
	fputs("<svg width=\"120\" height=\"10\" aria-hidden=\"true\">", f);
	for (i = 0; i < ROW_CLASSES && t->instances; i++) {
		double width = BAR_WIDTH * sums[i] / (double)t->instances;

		if (sums[i] <= 0)
			continue;
		width = fmax(width, 2); /* one in 1e12 is not nothing */
		x = fmin(x, BAR_WIDTH - 2);
		fprintf(f, "<rect x=\"%.1f\" width=\"%.1f\" height=\"10\" "
		    "fill=\"%s\" class=\"f-%s\"/>", x, width,
		    class_colors[i], row_classes[i]);
		x += width;
	}
	fputs("</svg>", f);
}

void
svg_count(FILE *f, uint64_t count, uint64_t of, int class)
{
	double width = count && of ? 160 * log1p((double)count) /
	    log1p((double)of) : 0;

	fputs("<svg width=\"160\" height=\"12\" aria-hidden=\"true\"><rect "
	    "width=\"160\" height=\"12\" fill=\"#8a97a6\" "
	    "fill-opacity=\".13\"/>", f);
	if (width > 0)
		fprintf(f, "<rect width=\"%.1f\" height=\"12\" fill=\"%s\" "
		    "class=\"f-%s\"/>", fmax(width, 1.5),
		    class_colors[class], row_classes[class]);
	fputs("</svg>", f);
}
