#include "html.h"

#include <math.h>
#include <string.h>

#define LABEL 300.0
#define PLOT 430.0
#define NOTE 130.0
#define ROW 26.0

static const char *const line_colors[] = {
	"#2f7ed8", "#c47a12", "#2b9360", "#d93a40", "#8f63cc", "#1b9aaa",
	"#b5651d", "#8a97a6",
};

#define NCOLORS (sizeof(line_colors) / sizeof(*line_colors))

/* A step of 1, 2 or 5 times a power of ten that cuts the range in about n. */
static double
tick_step(double range, int n)
{
	double power = pow(10, floor(log10(range / n)));
	double rest = range / n / power;

	return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

static void
put_label(FILE *f, double x, double y, const char *anchor, const char *s)
{
	size_t n = strlen(s), shown = 0, i;

	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" "
	    "fill=\"currentColor\">", x, y, anchor);
	if (n > 44 && strcmp(anchor, "end") == 0) {
		fputs("\xe2\x80\xa6", f); /* cut at a character's start */
		for (i = n; i > 0 && shown < 43; i--)
			shown += ((unsigned char)s[i - 1] & 0xc0) != 0x80;
		s += i;
	}
	put_xml(f, s);
	fputs("</text>\n", f);
}

static void
put_x_ticks(FILE *f, double x0, double width, double max, double height,
    const char *unit)
{
	double step = tick_step(max, 5), at;

	for (at = 0; at <= max * 1.0001; at += step) {
		double x = x0 + at / max * width;

		fprintf(f, "<path d=\"M%.1f 4V%.1f\" stroke=\"#8a97a6\" "
		    "stroke-opacity=\".35\"/><text x=\"%.1f\" y=\"%.1f\" "
		    "text-anchor=\"middle\" fill=\"#8a97a6\">%s</text>\n", x,
		    height - 20, x, height - 6, rate_text(at).s);
	}
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#8a97a6\">",
	    x0 + width + 24, height - 6);
	put_xml(f, unit);
	fputs("</text>\n", f);
}

static void
put_spread(FILE *f, const struct spread *s, double y, double max)
{
	double scale = PLOT / max;

	put_label(f, LABEL - 10, y + 4, "end", s->label);
	if (!isnan(s->low) && !isnan(s->high))
		fprintf(f, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f "
		    "%.1fv8\" stroke=\"%s\" stroke-width=\"1.5\"/>",
		    LABEL + s->low * scale, y,
		    LABEL + fmin(s->high, max) * scale,
		    LABEL + s->low * scale, y - 4,
		    LABEL + fmin(s->high, max) * scale, y - 4, s->color);
	if (!isnan(s->q1) && !isnan(s->q3))
		fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		    "height=\"10\" fill=\"%s\" fill-opacity=\".45\"/>",
		    LABEL + s->q1 * scale, y - 5,
		    fmax((fmin(s->q3, max) - s->q1) * scale, 1), s->color);
	fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
	    LABEL + fmin(s->median, max) * scale, y, s->color);
	put_label(f, LABEL + PLOT + 12, y + 4, "start", s->note);
}

static void
svg_open(FILE *f, double width, double height, const char *label)
{
	fprintf(f, "<div class=\"scroll\"><svg class=\"plot chart\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
	    "aria-label=\"%s\" font-family=\"sans-serif\" "
	    "font-size=\"12\">\n", width, height, width, height, label);
}

void
svg_spreads(FILE *f, const struct spread *rows, int n, const char *unit)
{
	double max = 0, height = 10 + ROW * n + 24;
	int i;

	for (i = 0; i < n; i++) {
		double high = isnan(rows[i].high) ? rows[i].median :
		    rows[i].high;

		/* a tail far out does not squeeze the rest */
		max = fmax(max, fmin(high, 3 * rows[i].median));
	}
	if (!(max > 0))
		return;
	svg_open(f, LABEL + PLOT + NOTE, height,
	    "medians with their spread, 1 % to 99 % and quartiles");
	put_x_ticks(f, LABEL, PLOT, max, height, unit);
	for (i = 0; i < n; i++)
		put_spread(f, &rows[i], 10 + ROW * (i + 0.5), max);
	fputs("</svg></div>\n", f);
}

/* ---- lines ------------------------------------------------------------- */

#define LINES_HEIGHT 240.0
#define LINES_LEFT 60.0

static void
put_y_ticks(FILE *f, double max)
{
	double step = tick_step(max, 4), at;

	for (at = 0; at <= max * 1.0001; at += step) {
		double y = 10 + (1 - at / max) * (LINES_HEIGHT - 40);

		fprintf(f, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#8a97a6\" "
		    "stroke-opacity=\".35\"/><text x=\"%.1f\" y=\"%.1f\" "
		    "text-anchor=\"end\" fill=\"#8a97a6\">%s</text>\n",
		    LINES_LEFT, y, PLOT, LINES_LEFT - 6, y + 4,
		    rate_text(at).s);
	}
}

static void
put_series(FILE *f, const struct series *s, double x_max, double y_max,
    const char *color)
{
	int i;

	fputs("<path d=\"", f);
	for (i = 0; i < s->n; i++)
		fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', LINES_LEFT +
		    s->x[i] / x_max * PLOT, 10 + (1 - s->y[i] / y_max) *
		    (LINES_HEIGHT - 40));
	fprintf(f, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
	    color);
	for (i = 0; i < s->n; i++)
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
		    "fill=\"%s\"/>", LINES_LEFT + s->x[i] / x_max * PLOT,
		    10 + (1 - s->y[i] / y_max) * (LINES_HEIGHT - 40), color);
}

void
svg_lines(FILE *f, const struct series *list, int n, const char *x_label,
    const char *y_label)
{
	double x_max = 0, y_max = 0;
	int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < list[i].n; k++) {
			x_max = fmax(x_max, list[i].x[k]);
			y_max = fmax(y_max, list[i].y[k]);
		}
	if (!(x_max > 0) || !(y_max > 0))
		return;
	y_max *= 1.05;
	svg_open(f, LINES_LEFT + PLOT + 300, fmax(LINES_HEIGHT,
	    30 + 18.0 * n), "costs over sizes");
	put_y_ticks(f, y_max);
	for (i = 0; i < list[0].n; i++)
		fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#8a97a6\" "
		    "text-anchor=\"middle\">%s</text>\n", LINES_LEFT +
		    list[0].x[i] / x_max * PLOT, LINES_HEIGHT - 14,
		    rate_text(list[0].x[i]).s);
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#8a97a6\">",
	    LINES_LEFT, LINES_HEIGHT - 14);
	put_xml(f, y_label);
	fprintf(f, " over %s</text>\n", x_label);
	for (i = 0; i < n; i++) {
		const char *color = line_colors[(size_t)i % NCOLORS];

		put_series(f, &list[i], x_max, y_max, color);
		fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" "
		    "height=\"4\" fill=\"%s\"/>", LINES_LEFT + PLOT + 16,
		    16.0 + 18 * i, color);
		put_label(f, LINES_LEFT + PLOT + 34, 22.0 + 18 * i, "start",
		    list[i].label);
	}
	fputs("</svg></div>\n", f);
}
