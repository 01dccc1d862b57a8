/*
 * Causality between proxies: texture, surface and constant accesses, other
 * virtual addresses of one location, and by analogy asynchronous ones.
 */
#include "internal.h"

/* fence.proxy.async.SPACE is about that state space; else about all. */
static bool
fence_is_about(const struct graph *g, const struct event *fence,
    const struct event *e)
{
	const struct program *p = g->m->p;
	const struct thread *t = &p->threads[fence->thread];
	const struct var *v = &p->vars[g->m->phys[e->var]];
	enum space space = t->insns[fence->insn].space;

	if (space == SPACE_GENERIC || !HAS(g->m, PROXY_SPACE))
		return true;
	if (space == SPACE_GLOBAL || v->space == SPACE_GLOBAL)
		return space == v->space;
	return space == SPACE_SHARED_CLUSTER || v->cta == t->cta;
}

/* PTX ISA, cp.async.bulk: "the completion ... is followed by an implicit
   generic-async proxy fence". */
static event_row
completion_fences(const struct graph *g, int access)
{
	const struct execution *x = &g->x;
	event_row found = 0;
	int i;

	if (!HAS(g->m, ASYNC_FENCE) || !x->events[access].async)
		return 0;
	EACH(i, x->async[access])
		if (x->events[i].kind == EVENT_WAIT ||
		    x->events[i].mbarrier)
			found |= BIT(i);
	return found;
}

/* spec 4.2: pf, the fences of an access's own proxy in its own CTA. */
event_row
proxy_fences(const struct graph *g, int access)
{
	const struct execution *x = &g->x;
	const struct event *e = &x->events[access];
	event_row found = 0;
	int i;

	if (e->proxy == PROXY_GENERIC || e->thread < 0)
		return 0;
	EACH(i, g->of_proxy[e->proxy] & ~g->mem)
		if (x->events[i].kind == EVENT_PROXY_FENCE &&
		    fence_is_about(g, &x->events[i], e) &&
		    (g->m->near[e->thread][x->events[i].thread] <=
		    SCOPE_CTA || !HAS(g->m, PROXY_CTA)))
			found |= BIT(i);
	return found | completion_fences(g, access);
}

/* Everything that a set of events comes before. */
static event_row
follow(const struct graph *g, event_row from)
{
	event_row to = 0;
	int i;

	EACH(i, from)
		to |= g->x.base[i];
	return to;
}

/* Of the accesses `to`, those that events `from`, already at the generic
   proxy, come before with the fences that the access itself needs. */
static event_row
arrivals(const struct graph *g, event_row from, event_row to)
{
	event_row found = 0;
	int i;

	if (HAS(g->m, PROXY_GENERIC))
		found = from & to & g->of_proxy[PROXY_GENERIC];
	if (HAS(g->m, PROXY_IN))
		EACH(i, to & ~g->of_proxy[PROXY_GENERIC])
			if (follow(g, from & g->own_fences[i]) & BIT(i))
				found |= BIT(i);
	return found;
}

static event_row
same_proxy_cta(const struct graph *g, int i)
{
	const struct execution *x = &g->x;
	const struct event *e = &x->events[i];
	event_row found = 0;
	int j;

	EACH(j, x->base[i] & g->of_proxy[e->proxy])
		if (e->thread >= 0 && x->events[j].thread >= 0 &&
		    g->m->near[e->thread][x->events[j].thread] <= SCOPE_CTA)
			found |= BIT(j);
	return found;
}

/*
 * PTX ISA 8.9.5, proxy-preserved base causality order, in the formal
 * version of the mixed-proxy paper (spec 4.2): out of the access's proxy
 * through a fence of it in its own CTA, through generic causality (and an
 * alias fence, if the addresses differ), and into the other access's proxy
 * through a fence of that one in its CTA.
 *
 * The ISA's text has no clause for a fence between a proxy and the generic
 * one; without it fence.proxy would do nothing.
 */
event_row
proxy_preserved(const struct graph *g, int i)
{
	const struct execution *x = &g->x;
	const struct event *e = &x->events[i];
	event_row all = g->of_loc[e->loc], same = g->address[i];
	event_row from, found = 0;

	if (!HAS(g->m, PROXY_ADDRESS))
		same = all;
	from = e->proxy == PROXY_GENERIC ? x->base[i] : 0;
	if (HAS(g->m, PROXY_OUT))
		from |= follow(g, x->base[i] & g->own_fences[i]);
	found = arrivals(g, from, same);
	if (HAS(g->m, PROXY_SAME))
		found |= same_proxy_cta(g, i) & same;
	if (HAS(g->m, PROXY_ALIAS) && from & g->alias_fences)
		found |= arrivals(g, follow(g, from & g->alias_fences), all);
	return found & g->mem;
}
