/* An execution as a picture: a column a thread, program order downwards. */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHAR_WIDTH 7.3
#define BOX_HEIGHT 40.0
#define ROW_HEIGHT 78.0
#define TOP 30.0
#define GAP 84.0 /* between columns, for the arrows' labels */
#define EVENTS_SHOWN 64

static const struct relation {
	const char *name, *color, *dash;
} relations[] = {
	{"po", "#8a97a6", ""}, {"rf", "#d93a40", ""},
	{"co", "#2f7ed8", ""}, {"fr", "#c47a12", ""},
	{"sw", "#2b9360", ""}, {"sync", "#2b9360", ""},
	{"sc", "#8f63cc", ""},
	{"cause", "#2b9360", "5 3"}, {"", "#8a97a6", "3 3"},
};

#define NRELATIONS (sizeof(relations) / sizeof(*relations))

/* Those that no row names share the last one. */
static size_t
relation_index(const char *name)
{
	size_t i = 0;

	while (i < NRELATIONS - 1 && strcmp(relations[i].name, name) != 0)
		i++;
	return i;
}

struct box {
	double x, y, width; /* of the centre */
};

struct drawing {
	struct box boxes[EVENTS_SHOWN];
	double width, height;
	double columns[64]; /* centres */
	int ncolumns;
};

/*
 * A box has two lines: "ld.weak.u32 r, [x]" and "(reads 0)". Where the first
 * ends, in bytes; what stands in the parentheses is the second.
 */
static size_t
first_line(const char *s)
{
	const char *cut = strstr(s, " (");

	return cut ? (size_t)(cut - s) : strlen(s);
}

#define LINE_MAX_CHARS 48

static double
line_width(const char *s, size_t bytes)
{
	size_t i, n = 0;

	for (i = 0; i < bytes; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return CHAR_WIDTH * (double)(n < LINE_MAX_CHARS ? n :
	    LINE_MAX_CHARS) + 18;
}

static double
text_width(const char *s)
{
	size_t cut = first_line(s);

	return fmax(line_width(s, cut), line_width(s + cut,
	    strlen(s + cut)));
}

/* Initial writes stand in a row above the threads. */
static void
place_boxes(struct drawing *l, const struct doc_test *t)
{
	const struct doc_execution *x = t->execution;
	double widest[64] = {0}, at = 10, init_at = 10;
	int rows[64] = {0}, i, inits = 0, most = 0;

	l->ncolumns = t->nthreads < 64 ? t->nthreads : 64;
	for (i = 0; i < x->nevents; i++) {
		double width = text_width(x->events[i].text);
		int64_t k = x->events[i].thread;

		l->boxes[i].width = width;
		inits += k < 0;
		if (k >= 0 && k < 64 && width > widest[k])
			widest[k] = width;
	}
	for (i = 0; i < l->ncolumns; i++) {
		l->columns[i] = at + fmax(widest[i], 60) / 2;
		at += fmax(widest[i], 60) + GAP;
	}
	for (i = 0; i < x->nevents; i++) {
		struct box *b = &l->boxes[i];
		int64_t k = x->events[i].thread;

		if (k < 0) {
			b->x = init_at + b->width / 2;
			b->y = TOP;
			init_at += b->width + 20;
			continue;
		}
		b->x = l->columns[k];
		b->y = TOP + (inits ? ROW_HEIGHT : 0) + 20 +
		    ROW_HEIGHT * rows[k]++;
		most = rows[k] > most ? rows[k] : most;
	}
	l->width = fmax(at - GAP, init_at) + 40;
	l->height = TOP + (inits ? ROW_HEIGHT : 0) + ROW_HEIGHT * most + 10;
}

/* Where the line from the centre of b towards (x, y) leaves the box. */
static void
leave(const struct box *b, double x, double y, double *to_x, double *to_y)
{
	double dx = x - b->x, dy = y - b->y;
	double sx = (b->width / 2 + 3) / fmax(fabs(dx), 1e-6);
	double sy = (BOX_HEIGHT / 2 + 3) / fmax(fabs(dy), 1e-6);
	double s = fmin(sx, sy);

	*to_x = b->x + dx * s;
	*to_y = b->y + dy * s;
}

/* An arrow: from (x1, y1) to (x2, y2), bent by one point. */
struct arrow {
	double x1, y1, x2, y2, cx, cy;
};

/*
 * Arrows inside a column leave its boxes on the right, but for program
 * order between neighbours; others go from border to border.
 */
static struct arrow
draw_arrow(const struct drawing *l, const struct doc_edge *e, int turn)
{
	const struct box *a = &l->boxes[e->from], *b = &l->boxes[e->to];
	double dx = b->x - a->x, dy = b->y - a->y;
	double length = fmax(hypot(dx, dy), 1), by = 14 + 16.0 * turn;
	struct arrow w;

	if (fabs(dx) < 1 && (turn || fabs(dy) > 1.5 * ROW_HEIGHT)) {
		double side = fmax(a->width, b->width) / 2;

		return (struct arrow){a->x + a->width / 2 + 3, a->y,
		    b->x + b->width / 2 + 3, b->y, a->x + side + 44 +
		    16 * turn, a->y + dy / 2};
	}
	by = fabs(dx) < 1 ? 0 : by;
	w.cx = (a->x + b->x) / 2 - dy / length * by;
	w.cy = (a->y + b->y) / 2 + dx / length * by;
	leave(a, w.cx, w.cy, &w.x1, &w.y1);
	leave(b, w.cx, w.cy, &w.x2, &w.y2);
	return w;
}

static void
put_head(FILE *f, double x, double y, double from_x, double from_y,
    const char *color)
{
	double dx = x - from_x, dy = y - from_y;
	double length = fmax(hypot(dx, dy), 1e-6);

	dx /= length;
	dy /= length;
	fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\" "
	    "fill=\"%s\"/>", x, y, x - 8 * dx + 3.5 * dy,
	    y - 8 * dy - 3.5 * dx, x - 8 * dx - 3.5 * dy,
	    y - 8 * dy + 3.5 * dx, color);
}

static void
put_edge(FILE *f, const struct drawing *l, const struct doc_edge *e,
    int turn)
{
	const struct relation *r = &relations[relation_index(e->relation)];
	struct arrow w = draw_arrow(l, e, turn);

	fprintf(f, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" "
	    "stroke=\"%s\" stroke-width=\"1.6\"", w.x1, w.y1, w.cx, w.cy,
	    w.x2, w.y2, r->color);
	if (*r->dash)
		fprintf(f, " stroke-dasharray=\"%s\"", r->dash);
	fputs("/>", f);
	put_head(f, w.x2, w.y2, w.cx, w.cy, r->color);
	/* nearer to its source, where fewer arrows cross */
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" class=\"halo\" "
	    "font-weight=\"bold\" text-anchor=\"middle\">",
	    0.45 * w.x1 + 0.44 * w.cx + 0.11 * w.x2,
	    0.45 * w.y1 + 0.44 * w.cy + 0.11 * w.y2 + 4, r->color);
	put_xml(f, e->relation);
	fputs("</text>\n", f);
}

static void
put_line(FILE *f, double x, double y, const char *s, size_t bytes)
{
	size_t n = bytes, chars = 0, i;
	char line[4 * LINE_MAX_CHARS + 1];

	for (i = 0; i < bytes; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 &&
		    chars++ == LINE_MAX_CHARS) {
			n = i;
			break;
		}
	memcpy(line, s, n);
	line[n] = '\0';
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
	    "fill=\"currentColor\">", x, y);
	put_xml(f, line);
	fputs("</text>\n", f);
}

static void
put_box(FILE *f, const struct box *b, const char *text)
{
	size_t cut = first_line(text);
	bool two = text[cut];

	fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.0f\" rx=\"4\" fill=\"#8a97a6\" fill-opacity=\".13\" "
	    "stroke=\"#8a97a6\"/>", b->x - b->width / 2,
	    b->y - BOX_HEIGHT / 2, b->width, BOX_HEIGHT);
	put_line(f, b->x, b->y + (two ? -4 : 4), text, cut);
	if (two)
		put_line(f, b->x, b->y + 12, text + cut + 1,
		    strlen(text + cut + 1));
}

/* How many edges before this one join the same two events. */
static int
turn_of(const struct doc_execution *x, int edge)
{
	const struct doc_edge *e = &x->edges[edge];
	int i, n = 0;

	for (i = 0; i < edge; i++)
		n += (x->edges[i].from == e->from &&
		    x->edges[i].to == e->to) ||
		    (x->edges[i].from == e->to && x->edges[i].to == e->from);
	return n;
}

void
svg_execution(FILE *f, const struct doc_test *t)
{
	const struct doc_execution *x = t->execution;
	struct drawing l;
	int i;

	if (!x || x->nevents > EVENTS_SHOWN || x->nedges > 4 * EVENTS_SHOWN)
		return;
	place_boxes(&l, t);
	fprintf(f, "<div class=\"scroll\"><svg class=\"plot\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
	    "aria-label=\"execution graph\" font-family=\"monospace\" "
	    "font-size=\"12\">\n", l.width, l.height, l.width, l.height);
	for (i = 0; i < l.ncolumns; i++)
		fprintf(f, "<text x=\"%.1f\" y=\"14\" text-anchor=\"middle\" "
		    "fill=\"#8a97a6\">P%d</text>\n", l.columns[i], i);
	for (i = 0; i < x->nedges; i++)
		put_edge(f, &l, &x->edges[i], turn_of(x, i));
	for (i = 0; i < x->nevents; i++)
		put_box(f, &l.boxes[i], x->events[i].text);
	fputs("</svg></div>\n", f);
}
