/*
 * What the model says of one outcome of a test, for its results document:
 * the reasons in words, and an execution to draw.
 */
#include "driver.h"

#include <string.h>

#include "../model/explain.h"

struct wanted {
	bool allowed, found;
	enum axiom broken;
	struct execution x;
};

static bool
take_first(void *user, const struct execution *x, enum axiom broken)
{
	struct wanted *w = user;

	if ((broken == AXIOM_NONE) != w->allowed)
		return true;
	w->found = true;
	w->broken = broken;
	w->x = *x;
	return false;
}

/* The line of the code that a document lists, labels and all. */
static int
line_of(const struct program *p, const struct event *e)
{
	const struct thread *t;
	int i, line = e->insn;

	if (e->thread < 0 || e->insn < 0)
		return -1;
	t = &p->threads[e->thread];
	for (i = 0; i < t->nlabels; i++)
		line += t->labels[i].insn <= e->insn;
	return line;
}

static json_t *
event_object(const struct picture *g, const struct node *n, struct arena *a)
{
	const char *text = arena_printf(a, "%s: %s%s%s%s", n->letter, n->text,
	    *n->note ? " (" : "", n->note, *n->note ? ")" : "");

	return json_pack("{s:i, s:s, s:i}", "thread", n->thread, "text",
	    text_clean(a, text, strlen(text)), "line",
	    line_of(g->p, &g->x->events[n->event]));
}

static json_t *
execution_object(const struct picture *g, uint32_t code, struct arena *a)
{
	json_t *events = json_array(), *edges = json_array();
	json_t *values = json_array();
	uint64_t value[SLOTS_MAX];
	int i;

	outcome_values(g->p, code, value);
	for (i = 0; i < g->p->nslots; i++)
		json_array_append_new(values,
		    json_integer((json_int_t)value[i]));
	for (i = 0; i < g->nnodes; i++)
		json_array_append_new(events,
		    event_object(g, &g->nodes[i], a));
	for (i = 0; i < g->nlinks; i++)
		json_array_append_new(edges, json_pack("{s:i, s:i, s:s}",
		    "from", g->links[i].from, "to", g->links[i].to,
		    "relation", arrow_styles[g->links[i].kind].name));
	return json_pack("{s:o, s:o, s:o}", "values", values, "events",
	    events, "edges", edges);
}

/* Where the model gives up there is nothing to add. */
void
why_add(json_t *test, const struct program *p, enum model_version version,
    uint32_t code, bool allowed, struct arena *a)
{
	struct wanted *w = arena_alloc(a, sizeof(*w));
	struct picture *g = arena_alloc(a, sizeof(*g));
	struct model_opts opts;
	struct reason reason;
	struct text t;
	struct err err;
	bool circle;

	model_defaults(&opts, version);
	text_init(&t, a);
	if (model_explain(&t, p, &opts, code, EXPLAIN_TEXT, a, &err))
		json_object_set_new(test, "explanation",
		    json_string(text_clean(a, t.s, t.size)));
	w->allowed = allowed;
	if (!model_candidates(p, &opts, code, take_first, w, a, &err) ||
	    !w->found)
		return;
	circle = !allowed && reason_find(&w->x, w->broken, &reason);
	picture_make(g, p, &w->x, circle ? &reason : NULL, a);
	json_object_set_new(test, "execution", execution_object(g, code, a));
}
