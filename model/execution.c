/* Judges one execution that somebody else made. */
#include "internal.h"

#include <string.h>

/* Everything that follows from the events and the choices in them. */
static void
take_choices(struct graph *g, const struct execution *given)
{
	struct execution *x = &g->x;
	event_row barriers = 0;
	int i, j;

	for (i = 0; i < x->count; i++)
		if (x->events[i].kind == EVENT_BARRIER)
			barriers |= BIT(i);
	for (i = 0; i < x->count; i++) {
		g->source[i] = -1;
		g->barrier[i] = given->sw[i] & barriers;
	}
	for (i = 0; i < x->count; i++)
		EACH(j, given->rf[i])
			g->source[j] = i;
	graph_static(g);
	graph_sync(g);
	for (i = 0; i < x->count; i++)
		EACH(j, given->sc[i])
			graph_order_fences(g, i, j);
	graph_cause(g);
}

/* Is the given order one that the axioms could ask for? */
static bool
order_holds(struct graph *g, const struct execution *given)
{
	struct execution *x = &g->x;
	int i, j;

	if (coherence_least(g))
		return false;
	EACH(i, g->writes)
		EACH(j, given->co[i])
			if (!(x->co[i] & BIT(j)) && !coherence_add(g, i, j))
				return false;
	EACH(i, g->writes)
		if (coherence_pairs(g, i))
			return false;
	return true;
}

/* Each morally strong pair of fence.sc has one direction (PTX ISA 8.9.3). */
static bool
fences_hold(const struct graph *g)
{
	const struct execution *x = &g->x;
	int i, j;

	EACH(i, g->sc_fences)
		EACH(j, x->ms[i] & g->sc_fences)
			if (!(x->sc[i] & BIT(j)) == !(x->sc[j] & BIT(i)))
				return false;
	return true;
}

static enum axiom
judge(struct graph *g, const struct execution *given)
{
	enum axiom broken = axioms_values(g);
	int i;

	if (!broken && HAS(g->m, SC_ORDER) && !fences_hold(g))
		broken = AXIOM_FENCE_SC;
	if (!broken && HAS(g->m, SC_ORDER))
		broken = axioms_fence_sc(g);
	if (!broken)
		broken = axioms_cause(g);
	if (!broken && !order_holds(g, given))
		broken = AXIOM_COHERENCE;
	for (i = 0; !broken && i < g->m->nlocs; i++)
		broken = axioms_location(g, i);
	return broken;
}

enum axiom
model_judge(const struct program *p, const struct model_opts *opts,
    struct execution *x)
{
	struct model m = {.p = p, .opts = opts, .rules = rules_of(opts)};
	struct graph g = {.m = &m, .x = *x, .given = true};
	enum axiom broken;
	int i;

	model_places(&m);
	for (i = 0; i < x->count; i++)
		if (x->events[i].loc >= m.nlocs)
			m.nlocs = x->events[i].loc + 1;
	take_choices(&g, x);
	broken = judge(&g, x);
	graph_fr(&g);
	*x = g.x;
	return broken;
}
