/*
 * A picture as SVG: a column a thread, boxes from top to bottom in program
 * order, arrows between them. No scripts; readable on light and dark.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#define CHAR_WIDTH 7.3 /* of 12-pixel monospace */
#define BOX_HEIGHT 40.0
#define ROW_HEIGHT 84.0
#define GAP 150.0 /* between columns, for arrows and their names */
#define MARGIN 30.0
#define TOP 96.0 /* title, then the names of the columns */

struct box {
	double x, y, width;
	int used; /* arrows that begin or end at it */
};

struct curve {
	double x0, y0, x1, y1, x2, y2, x3, y3;
};

struct drawing {
	struct text *t;
	const struct picture *g;
	struct box boxes[EVENTS_MAX];
	struct curve curves[LINKS_MAX];
	double column[THREADS_MAX], column_width[THREADS_MAX];
	double width, height, first; /* y of the threads' first boxes */
};

static void
escaped(struct text *t, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&':
			text_printf(t, "&amp;");
			break;
		case '<':
			text_printf(t, "&lt;");
			break;
		case '>':
			text_printf(t, "&gt;");
			break;
		case '"':
			text_printf(t, "&quot;");
			break;
		default:
			text_append(t, s, 1);
		}
}

/* ---- layout ----------------------------------------------------------- */

static double
text_width(const struct node *n)
{
	size_t a = strlen(n->text) + strlen(n->letter) + 2;
	size_t b = strlen(n->note) + 3;

	return CHAR_WIDTH * (double)(a > b ? a : b) + 16;
}

static void
place_columns(struct drawing *d)
{
	const struct picture *g = d->g;
	double x = MARGIN + GAP / 2;
	int t, i;

	for (t = 0; t < g->p->nthreads; t++) {
		double width = 120;

		for (i = 0; i < g->nnodes; i++)
			if (g->nodes[i].thread == t &&
			    text_width(&g->nodes[i]) > width)
				width = text_width(&g->nodes[i]);
		d->column[t] = x;
		d->column_width[t] = width;
		x += width + GAP;
	}
	d->width = x - GAP / 2 + MARGIN;
}

static void
place_boxes(struct drawing *d)
{
	const struct picture *g = d->g;
	double x = MARGIN + GAP / 2;
	int i, rows = 1;

	d->first = TOP;
	for (i = 0; i < g->nnodes; i++)
		if (g->nodes[i].thread < 0)
			d->first = TOP + ROW_HEIGHT;
	for (i = 0; i < g->nnodes; i++) {
		const struct node *n = &g->nodes[i];
		struct box *b = &d->boxes[i];

		if (n->thread < 0) {
			*b = (struct box){x, TOP - 40, text_width(n), 0};
			x += b->width + 40;
			continue;
		}
		*b = (struct box){d->column[n->thread], d->first +
		    ROW_HEIGHT * n->row, d->column_width[n->thread], 0};
		rows = n->row + 1 > rows ? n->row + 1 : rows;
	}
	if (x + MARGIN > d->width)
		d->width = x + MARGIN;
	d->height = d->first + ROW_HEIGHT * rows + 8;
}

/* ---- drawing ---------------------------------------------------------- */

static void
put_box(struct drawing *d, int i)
{
	const struct node *n = &d->g->nodes[i];
	const struct box *b = &d->boxes[i];

	text_printf(d->t, "<rect class=\"box%s\" x=\"%.0f\" y=\"%.0f\" "
	    "width=\"%.0f\" height=\"%.0f\" rx=\"6\"/>\n",
	    n->thread < 0 ? " init" : "", b->x, b->y, b->width, BOX_HEIGHT);
	text_printf(d->t, "<text x=\"%.0f\" y=\"%.0f\"><tspan "
	    "class=\"letter\">", b->x + 8, b->y + (*n->note ? 17 : 25));
	escaped(d->t, n->letter);
	text_printf(d->t, "</tspan> ");
	escaped(d->t, n->text);
	text_printf(d->t, "</text>\n");
	if (*n->note) {
		text_printf(d->t, "<text class=\"note\" x=\"%.0f\" "
		    "y=\"%.0f\">", b->x + 8 + 2 * CHAR_WIDTH, b->y + 33);
		escaped(d->t, n->note);
		text_printf(d->t, "</text>\n");
	}
}

/* Where the next arrow leaves or enters, so that they do not lie on top of
   each other. */
static double
port(struct box *b)
{
	static const double offsets[] = {20, 10, 30, 15, 25, 6, 34};
	double y = b->y + offsets[b->used % 7];

	b->used++;
	return y;
}

static struct curve
curve_make(struct drawing *d, const struct link *l)
{
	const struct picture *g = d->g;
	struct box *a = &d->boxes[l->from], *b = &d->boxes[l->to];
	int s = g->nodes[l->from].thread, t = g->nodes[l->to].thread;
	struct curve c;
	double bend;

	if (s < 0) { /* down from an initial write */
		c.x0 = a->x + a->width / 2;
		c.y0 = a->y + BOX_HEIGHT;
		c.x3 = b->x + b->width * 0.7;
		c.y3 = b->y;
		c.x1 = c.x0, c.y1 = (c.y0 + c.y3) / 2;
		c.x2 = c.x3, c.y2 = c.y1;
		return c;
	}
	if (l->kind == ARROW_PO && s == t &&
	    abs(g->nodes[l->to].row - g->nodes[l->from].row) == 1) {
		c.x0 = c.x1 = c.x2 = c.x3 = a->x + 24;
		c.y0 = a->y + BOX_HEIGHT;
		c.y3 = b->y;
		c.y1 = c.y0, c.y2 = c.y3;
		return c;
	}
	c.y0 = c.y1 = port(a);
	c.y3 = c.y2 = port(b);
	if (s == t) { /* out to the left and back */
		c.x0 = a->x, c.x3 = b->x;
		bend = 30 + 14 * abs(g->nodes[l->to].row -
		    g->nodes[l->from].row);
		c.x1 = c.x0 - bend, c.x2 = c.x3 - bend;
		return c;
	}
	c.x0 = s < t ? a->x + a->width : a->x;
	c.x3 = s < t ? b->x : b->x + b->width;
	c.x1 = c.x0 + (s < t ? GAP / 2 : -GAP / 2);
	c.x2 = c.x3 + (s < t ? -GAP / 2 : GAP / 2);
	return c;
}

static double
bezier(double a, double b, double c, double e, double t)
{
	double u = 1 - t;

	return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c +
	    t * t * t * e;
}

static void
put_link(struct drawing *d, int i)
{
	const struct link *l = &d->g->links[i];
	const struct arrow_style *s = &arrow_styles[l->kind];
	const struct curve *c = &d->curves[i];

	text_printf(d->t, "<path class=\"arrow%s\" stroke=\"%s\"%s "
	    "marker-end=\"url(#m%d)\" d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f "
	    "%.1f %.1f\"/>\n", l->marked ? " marked" : "", s->colour,
	    s->dashed ? " stroke-dasharray=\"6 4\"" : "", (int)l->kind,
	    c->x0, c->y0, c->x1, c->y1, c->x2, c->y2, c->x3, c->y3);
}

/* Where along an arrow its name stands, so that names keep apart. */
static double
name_at(enum arrow kind)
{
	return kind == ARROW_RF ? 0.28 : kind == ARROW_SW ||
	    kind == ARROW_BARRIER ? 0.68 : kind == ARROW_FR ? 0.3 :
	    kind == ARROW_CO ? 0.72 : 0.5;
}

static void
put_name(struct drawing *d, int i)
{
	const struct link *l = &d->g->links[i];
	const struct arrow_style *s = &arrow_styles[l->kind];
	const struct curve *c = &d->curves[i];
	double at = name_at(l->kind);

	if (l->kind == ARROW_PO && !l->marked)
		return;
	text_printf(d->t, "<text class=\"name\" style=\"fill:%s\" "
	    "x=\"%.1f\" y=\"%.1f\">%s</text>\n", s->colour,
	    bezier(c->x0, c->x1, c->x2, c->x3, at) +
	    (c->x0 == c->x3 ? 14 : 0),
	    bezier(c->y0, c->y1, c->y2, c->y3, at) + 4, s->name);
}

static void
put_style(struct text *t)
{
	int i;

	text_printf(t, "<style>\n"
	    ".ground { fill: #ffffff; }\n"
	    "text { font: 12px ui-monospace, Menlo, Consolas, monospace; "
	    "fill: #1c2128; }\n"
	    ".title { font: 600 15px system-ui, sans-serif; }\n"
	    ".thread { font: 600 13px system-ui, sans-serif; "
	    "fill: #57606a; }\n"
	    ".letter { font-weight: 700; }\n"
	    ".note { fill: #57606a; }\n"
	    ".box { fill: #f4f6f8; stroke: #afb8c1; }\n"
	    ".init { fill: none; stroke-dasharray: 3 3; }\n"
	    ".arrow { fill: none; stroke-width: 1.5; }\n"
	    ".marked { stroke-width: 3.4; }\n"
	    ".name { font: 600 11px system-ui, sans-serif; "
	    "text-anchor: middle; paint-order: stroke; stroke: #ffffff; "
	    "stroke-width: 4px; }\n"
	    "@media (prefers-color-scheme: dark) {\n"
	    ".ground { fill: #0d1117; }\n"
	    "text { fill: #e6edf3; }\n"
	    ".thread, .note { fill: #9da7b3; }\n"
	    ".box { fill: #161b22; stroke: #444c56; }\n"
	    ".init { fill: none; }\n"
	    ".name { stroke: #0d1117; }\n"
	    "}\n</style>\n<defs>\n");
	for (i = 0; i < ARROW_COUNT; i++)
		text_printf(t, "<marker id=\"m%d\" viewBox=\"0 0 10 10\" "
		    "refX=\"9\" refY=\"5\" markerWidth=\"9\" "
		    "markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" "
		    "orient=\"auto\"><path d=\"M0 0 L10 5 L0 10 z\" "
		    "fill=\"%s\"/></marker>\n", i, arrow_styles[i].colour);
	text_printf(t, "</defs>\n");
}

static void
put_heads(struct drawing *d)
{
	const struct program *p = d->g->p;
	int i;

	text_printf(d->t, "<text class=\"title\" x=\"%.0f\" y=\"28\">",
	    MARGIN);
	escaped(d->t, d->g->title);
	text_printf(d->t, "</text>\n");
	for (i = 0; i < p->nthreads; i++)
		text_printf(d->t, "<text class=\"thread\" x=\"%.0f\" "
		    "y=\"%.0f\">P%d, cta %d, gpu %d</text>\n", d->column[i],
		    d->first - 10, i, p->threads[i].cta, p->threads[i].gpu);
}

void
picture_svg(struct text *t, const struct picture *g)
{
	struct drawing *d = arena_alloc(t->arena, sizeof(*d));
	double title = MARGIN * 2 + 8.4 * (double)strlen(g->title);
	int i;

	d->t = t;
	d->g = g;
	place_columns(d);
	place_boxes(d);
	if (title > d->width)
		d->width = title;
	text_printf(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
	    "role=\"img\">\n<title>", d->width, d->height, d->width,
	    d->height);
	escaped(t, g->title);
	text_printf(t, "</title>\n");
	put_style(t);
	text_printf(t, "<rect class=\"ground\" width=\"100%%\" "
	    "height=\"100%%\"/>\n");
	put_heads(d);
	for (i = 0; i < g->nlinks; i++) {
		d->curves[i] = curve_make(d, &g->links[i]);
		put_link(d, i);
	}
	for (i = 0; i < g->nnodes; i++)
		put_box(d, i);
	for (i = 0; i < g->nlinks; i++)
		put_name(d, i);
	text_printf(t, "</svg>\n");
}
