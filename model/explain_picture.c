/* An execution as boxes and arrows, for text, dot and SVG alike. */
#include "explain.h"

#include <inttypes.h>
#include <string.h>

#define BIT(i) ((event_row)1 << (i))

const struct arrow_style arrow_styles[ARROW_COUNT] = {
	[ARROW_PO] = {"po", "comes before, in program order,", "8.9.1",
		"#8a8f98", false},
	[ARROW_RF] = {"rf", "is read by", "8.9", "#d64545", false},
	[ARROW_FR] = {"fr", "reads a value older than that of", "8.9.7",
		"#d98324", true},
	[ARROW_CO] = {"co", "is overwritten by", "8.9.6", "#3b7dd8", true},
	[ARROW_SW] = {"sync", "synchronizes with", "8.9.4", "#2f9e57",
		false},
	[ARROW_SC] = {"sc", "comes before, in Fence-SC order,", "8.9.3",
		"#8a5cd6", false},
	[ARROW_BARRIER] = {"barrier", "meets at the barrier", "8.9.4",
		"#2f9e57", false},
	[ARROW_OBS] = {"obs", "is observed by", "8.9.2", "#d64545", false},
	[ARROW_DEP] = {"dep", "decides the value of", "8.10.4", "#b5489a",
		true},
	[ARROW_INIT] = {"init", "comes before every write of its location, "
		"and so before", "8.2.6", "#3b7dd8", true},
	[ARROW_ASYNC] = {"async", "is ordered, by issue or completion of a "
		"copy, before", "8.9.1.1", "#8a8f98", true},
};

void
outcome_print(struct text *t, const struct program *p, uint32_t code)
{
	uint64_t values[SLOTS_MAX];
	int i;

	outcome_values(p, code, values);
	for (i = 0; i < p->nslots; i++)
		text_printf(t, "%s%s=%" PRIu64, i ? " " : "",
		    p->slots[i].name, values[i]);
	if (!p->nslots)
		text_printf(t, "the only one");
}

/* ---- boxes ------------------------------------------------------------ */

/* a, b, ... z, a1, b1, ... */
static const char *
letter(int i, struct arena *a)
{
	return i < 26 ? arena_printf(a, "%c", 'a' + i) :
	    arena_printf(a, "%c%d", 'a' + i % 26, i / 26);
}

static const char *
location_name(const struct picture *g, const struct event *e,
    struct arena *a)
{
	const struct var *v = &g->p->vars[e->var];

	return e->elem ? arena_printf(a, "%s+%d", v->name,
	    e->elem * v->size) : v->name;
}

static bool
reads_initial(const struct execution *x, int event)
{
	int i;

	for (i = 0; i < x->count; i++)
		if (x->rf[i] & BIT(event))
			return x->events[i].kind == EVENT_INIT;
	return false;
}

/* What a node of an mbarrier found there, and what it left. */
static const char *
mbarrier_note(const struct picture *g, const struct node *n, struct arena *a)
{
	const struct event *e = &g->x->events[n->event];
	struct text t;

	text_init(&t, a);
	if (e->async)
		text_printf(&t, "the copy is complete: ");
	if (e->kind == EVENT_READ)
		text_printf(&t, "finds ");
	mbarrier_print(&t, e->value);
	if (n->write >= 0) {
		text_printf(&t, ", leaves ");
		mbarrier_print(&t, g->x->events[n->write].value);
	}
	return t.s;
}

static const char *
note_of(const struct picture *g, const struct node *n, struct arena *a)
{
	const struct event *e = &g->x->events[n->event];

	if (e->mbarrier)
		return mbarrier_note(g, n, a);
	if (e->async)
		return arena_printf(a, "the copy %s %" PRIu64 " %s %s%s",
		    e->kind == EVENT_READ ? "reads" : "writes", e->value,
		    e->kind == EVENT_READ ? "from" : "to",
		    location_name(g, e, a), e->kind == EVENT_READ &&
		    reads_initial(g->x, n->event) ? " (initial)" : "");
	if (e->kind == EVENT_READ && n->write >= 0)
		return arena_printf(a, "reads %" PRIu64 ", writes %" PRIu64,
		    e->value, g->x->events[n->write].value);
	if (e->kind == EVENT_READ)
		return arena_printf(a, "reads %" PRIu64 "%s", e->value,
		    reads_initial(g->x, n->event) ? " (initial)" : "");
	return "";
}

static void
node_add(struct picture *g, int event, int row, struct arena *a)
{
	const struct event *e = &g->x->events[event];
	struct node *n = &g->nodes[g->nnodes];
	struct text t;

	*n = (struct node){.event = event, .write = -1, .thread = e->thread,
		.row = row};
	g->node_of[event] = g->nnodes;
	if (e->kind == EVENT_READ && e->rmw >= 0) {
		n->write = e->rmw;
		g->node_of[e->rmw] = g->nnodes;
	}
	text_init(&t, a);
	if (e->kind == EVENT_INIT) {
		n->letter = arena_printf(a, "i%s",
		    location_name(g, e, a));
		text_printf(&t, "[%s] = %" PRIu64 " initially",
		    location_name(g, e, a), e->value);
	} else {
		n->letter = letter(g->nnodes, a);
		insn_print(&t, g->p, e->thread,
		    &g->p->threads[e->thread].insns[e->insn]);
	}
	n->text = t.s;
	n->note = note_of(g, n, a);
	g->nnodes++;
}

/* Events of a thread in program order. */
static void
nodes_make(struct picture *g, event_row inits, struct arena *a)
{
	int thread, i, row;

	for (i = 0; i < g->x->count; i++)
		g->node_of[i] = -1;
	for (thread = 0; thread < g->p->nthreads; thread++)
		for (row = 0, i = 0; i < g->x->count; i++)
			if (g->x->events[i].thread == thread &&
			    g->node_of[i] < 0)
				node_add(g, i, row++, a);
	for (row = 0, i = 0; i < g->x->count; i++)
		if (inits & BIT(i))
			node_add(g, i, row++, a);
}

/* ---- arrows ----------------------------------------------------------- */

static void
link_add(struct picture *g, int from, int to, enum arrow kind, bool marked)
{
	int a = g->node_of[from], b = g->node_of[to], i;

	if (a < 0 || b < 0 || a == b)
		return;
	for (i = 0; i < g->nlinks; i++)
		if (g->links[i].from == a && g->links[i].to == b &&
		    g->links[i].kind == kind) {
			g->links[i].marked = g->links[i].marked || marked;
			return;
		}
	if (g->nlinks < LINKS_MAX)
		g->links[g->nlinks++] = (struct link){a, b, kind, marked};
}

/* The pairs that no third event lies between. */
static bool
immediate(const event_row *rows, int n, int from, int to)
{
	int k;

	for (k = 0; k < n; k++)
		if (k != from && k != to && rows[from] & BIT(k) &&
		    rows[k] & BIT(to))
			return false;
	return true;
}

/* Copies stand where they were issued, beside the program order. */
static void
program_links(struct picture *g)
{
	const struct execution *x = g->x;
	int i, j, last = -1;

	for (i = 0; i < g->nnodes; i++) {
		int event = g->nodes[i].event;

		if (g->nodes[i].thread < 0)
			break;
		if (last >= 0 && g->nodes[last].thread != g->nodes[i].thread)
			last = -1;
		if (last >= 0)
			link_add(g, g->nodes[last].event, event,
			    x->events[event].async ? ARROW_ASYNC : ARROW_PO,
			    false);
		if (!x->events[event].async)
			last = i;
	}
	for (i = 0; i < x->count; i++)
		for (j = 0; x->events[i].async && j < x->count; j++)
			if (x->async[i] & BIT(j) &&
			    immediate(x->async, x->count, i, j))
				link_add(g, i, j, ARROW_ASYNC, false);
}

static void
links_make(struct picture *g)
{
	const struct execution *x = g->x;
	int i, j;

	program_links(g);
	for (i = 0; i < x->count; i++)
		for (j = 0; j < x->count; j++) {
			bool same = x->events[i].thread ==
			    x->events[j].thread;

			if (x->rf[i] & BIT(j))
				link_add(g, i, j, ARROW_RF, false);
			if (x->co[i] & BIT(j) &&
			    immediate(x->co, x->count, i, j))
				link_add(g, i, j, ARROW_CO, false);
			/* from-read to the next write only */
			if (x->fr[i] & BIT(j) && !(x->fr[i] & ~BIT(j) &&
			    !immediate(x->co, x->count, i, j)))
				link_add(g, i, j, ARROW_FR, false);
			if (x->sc[i] & BIT(j) &&
			    immediate(x->sc, x->count, i, j))
				link_add(g, i, j, ARROW_SC, false);
			else if (x->sw[i] & BIT(j) && !same &&
			    !(x->sc[i] & BIT(j)))
				link_add(g, i, j, x->events[j].kind ==
				    EVENT_BARRIER ? ARROW_BARRIER : ARROW_SW,
				    false);
		}
}

/* Initial writes are shown only where the reason leads through them. */
static event_row
inits_shown(const struct execution *x, const struct reason *reason)
{
	event_row shown = 0;
	int i;

	for (i = 0; reason && i < reason->count; i++)
		if (x->events[reason->steps[i].from].kind == EVENT_INIT)
			shown |= BIT(reason->steps[i].from);
	return shown;
}

void
picture_make(struct picture *g, const struct program *p,
    const struct execution *x, const struct reason *reason, struct arena *a)
{
	int i;

	memset(g, 0, sizeof(*g));
	g->p = p;
	g->x = x;
	g->title = p->name;
	nodes_make(g, inits_shown(x, reason), a);
	for (i = 0; reason && i < reason->count; i++)
		link_add(g, reason->steps[i].from, reason->steps[i].to,
		    reason->steps[i].kind, true);
	links_make(g);
}
