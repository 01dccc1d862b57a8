/* Fence-SC orders of a candidate whose rf is chosen (PTX ISA 8.9.3). */
#include "internal.h"

#include <string.h>

/* What graph_order_fences() changes. */
struct fences {
	event_row sc[EVENTS_MAX], sw[EVENTS_MAX], reach[EVENTS_MAX];
};

static void
fences_save(const struct graph *g, struct fences *f)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(f->sc, g->x.sc, size);
	memcpy(f->sw, g->x.sw, size);
	memcpy(f->reach, g->reach, size);
}

static void
fences_restore(struct graph *g, const struct fences *f)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(g->x.sc, f->sc, size);
	memcpy(g->x.sw, f->sw, size);
	memcpy(g->reach, f->reach, size);
}

/* The pairs that base causality already orders (PTX ISA 8.10.2). */
static enum axiom
order_forced(struct search *s)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	bool more = HAS(s->m, FENCE_SC) && HAS(s->m, SC_ORDER) && !s->visit;
	int i, j;

	graph_cause(g);
	while (more) {
		more = false;
		EACH(i, g->sc_fences)
			EACH(j, x->base[i] & x->ms[i] & g->sc_fences &
			    ~x->sc[i] & ~BIT(i)) {
				if (x->sc[j] & BIT(i))
					return AXIOM_FENCE_SC;
				graph_order_fences(g, i, j);
				more = true;
			}
		if (more)
			graph_cause(g);
	}
	return AXIOM_NONE;
}

/* What must not come after each event in base causality (PTX ISA 8.10.1,
   8.10.6), where that is causality: writes that it overwrites, or that a
   read returns, and reads of what it overwrites. */
static event_row
find_excluded(const struct graph *g, event_row *excluded)
{
	const struct execution *x = &g->x;
	event_row some = 0;
	int i, j;

	memset(excluded, 0, (size_t)x->count * sizeof(*excluded));
	EACH(i, g->reads) {
		if (g->source[i] < 0)
			continue;
		excluded[i] |= BIT(g->source[i]);
		some |= BIT(i) | x->co[g->source[i]];
		EACH(j, x->co[g->source[i]])
			excluded[j] |= BIT(i);
	}
	EACH(i, g->writes) {
		some |= x->co[i];
		EACH(j, x->co[i])
			excluded[j] |= BIT(i);
	}
	return some;
}

/*
 * Orders the pairs of fences that have only one direction left: the other
 * would put something after what excludes it. *more if there were any.
 */
static enum axiom
order_inferred(struct search *s, bool *more)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	event_row excluded[EVENTS_MAX], before[EVENTS_MAX];
	int i, j;

	/* before[f]: what must not come after something before fence f */
	if (!HAS(s->m, SC_ORDER) || !(g->sc_fences & (g->sc_fences - 1)))
		return AXIOM_NONE;
	EACH(i, g->sc_fences)
		before[i] = 0;
	EACH(i, find_excluded(g, excluded))
		EACH(j, g->reach[i] & g->sc_fences)
			before[j] |= excluded[i];
	EACH(i, g->sc_fences)
		EACH(j, x->ms[i] & g->sc_fences & ~x->sc[i]) {
			if (x->sc[j] & BIT(i) || !(before[j] &
			    (g->reach[i] | BIT(i))))
				continue;
			/* j cannot come before i */
			if (before[i] & (g->reach[j] | BIT(j)))
				return AXIOM_CAUSALITY;
			graph_order_fences(g, i, j);
			*more = true;
		}
	return AXIOM_NONE;
}

/* The least coherence order, and what it breaks. */
static enum axiom
try_coherence(struct search *s)
{
	struct graph *g = &s->g;
	enum axiom broken = coherence_least(g);
	int i;

	for (i = 0; !broken && !s->visit && i < s->m->nlocs; i++)
		if (g->of_loc[i])
			broken = axioms_location(g, i);
	return broken;
}

/* What follows for fences and writes whose order is still open. */
static enum axiom
infer(struct search *s, bool *more)
{
	bool ordered = true;
	enum axiom broken = AXIOM_NONE;

	*more = false;
	if (!s->m->plain || s->visit || !work_graph(s, 0))
		return AXIOM_NONE;
	while (ordered && !*more && !broken) {
		ordered = false;
		broken = coherence_infer(s, &ordered);
		if (!broken)
			broken = order_inferred(s, more);
	}
	return broken;
}

enum axiom
fences_try(struct search *s)
{
	enum axiom broken;
	bool more;

	do {
		broken = order_forced(s);
		if (!broken)
			broken = axioms_cause(&s->g);
		if (!broken)
			broken = try_coherence(s);
		if (!broken)
			broken = infer(s, &more);
	} while (!broken && more);
	return broken;
}

static bool
open_pair(const struct graph *g, int *a, int *b)
{
	const struct execution *x = &g->x;
	event_row earlier = 0;
	int i, j;

	if (!HAS(g->m, SC_ORDER))
		return false;
	EACH(i, g->sc_fences) {
		EACH(j, x->ms[i] & earlier) {
			if (x->sc[i] & BIT(j) || x->sc[j] & BIT(i))
				continue;
			*a = i;
			*b = j;
			return true;
		}
		earlier |= BIT(i);
	}
	return false;
}

void
fences_choose(struct search *s)
{
	struct graph *g = &s->g;
	struct fences saved;
	enum axiom broken;
	int a, b;

	if (s->done || !work_graph(s, 4))
		return;
	broken = fences_try(s);
	if (broken && !s->visit)
		return;
	if (open_pair(g, &a, &b)) {
		fences_save(g, &saved);
		graph_order_fences(g, b, a);
		fences_choose(s);
		fences_restore(g, &saved);
		if (s->done)
			return;
		graph_order_fences(g, a, b);
		fences_choose(s);
		fences_restore(g, &saved);
		return;
	}
	if (HAS(s->m, SC_ORDER) && axioms_fence_sc(g))
		broken = AXIOM_FENCE_SC;
	if (broken)
		candidate_show(s, broken);
	else
		coherence_choose(s);
}
