/*
 * Asynchronous operations in the relations.
 *
 * PTX ISA 8.9.1.1: they "are ordered after prior instructions in the same
 * thread, but they are not part of the program order for that thread". A
 * copy's events are therefore in no po; x.async leads to them from what the
 * thread did before, and from them to what their completion is before: the
 * thread's wait for their group, or the complete-tx. That one "is ordered only
 * with respect to the memory operations performed by the same asynchronous
 * instruction, and in particular it does not transitively establish ordering
 * with respect to prior instructions": base causality leads to a copy and
 * from it, never through it.
 */
#include "internal.h"

#include <string.h>

/* From an event of an operation to those that cover it, with what covers
   these in turn: a read, its write, the complete-tx. */
static void
completions(struct graph *g)
{
	struct execution *x = &g->x;
	int i, j, first;

	for (i = x->count - 1; i >= 0; i--) {
		const struct event *e = &x->events[i];

		if (!g->origin[i] || e->thread < 0)
			continue;
		first = row_first(g->of_thread[e->thread]);
		EACH(j, g->origin[i]->covers)
			x->async[first + j] |= BIT(i) | (e->async ?
			    x->async[i] : 0);
	}
}

void
async_static(struct graph *g)
{
	struct execution *x = &g->x;
	int i;

	if (!g->given)
		memset(x->async, 0, (size_t)x->count * sizeof(*x->async));
	if (!g->async)
		return;
	if (!g->given)
		completions(g);
	for (i = 0; i < x->count; i++) {
		event_row later = x->po[i] & g->async;

		if (!g->given && !(g->async & BIT(i)) &&
		    HAS(g->m, ASYNC_AFTER))
			x->async[i] |= later;
		if (!HAS(g->m, ASYNC_LOOSE))
			continue;
		x->po[i] = g->async & BIT(i) ? 0 : x->po[i] & ~later;
	}
}

/*
 * An mbarrier is an opaque object: its operations are atomic to each other
 * whatever their scopes. Those decide what is synchronized (g->scoped).
 */
void
async_mbarriers(struct graph *g)
{
	struct execution *x = &g->x;
	int i;

	EACH(i, g->strong & g->mem)
		if (x->events[i].mbarrier && HAS(g->m, MBARRIER_ATOMIC))
			x->ms[i] |= g->of_loc[x->events[i].loc] & g->strong &
			    ~BIT(i);
}

/* From the last to the first: what covers an event comes after it. */
void
async_base(struct graph *g)
{
	struct execution *x = &g->x;
	int i, j;

	if (!HAS(g->m, ASYNC_OWN))
		return; /* in g->reach as all others */
	for (i = x->count - 1; i >= 0; i--) {
		event_row next;

		if (!(g->async & BIT(i)))
			continue;
		next = x->async[i] | x->sw[i] | x->po[i];
		x->base[i] = next;
		EACH(j, next)
			x->base[i] |= x->base[j];
	}
}

/* ---- what is undefined ------------------------------------------------- */

/*
 * PTX ISA 9.7.10.28.1: "modifying the source memory location ... or reading
 * from the destination memory location before the asynchronous operation
 * completes, exhibits undefined behavior". Before it was issued is another
 * matter: that is for the axioms.
 */
static const struct event *
find_early(const struct graph *g)
{
	const struct execution *x = &g->x;
	int i, j;

	EACH(i, g->async & g->mem) {
		const struct event *e = &x->events[i];

		if (e->mbarrier)
			continue;
		EACH(j, g->of_loc[e->loc] & ~BIT(i)) {
			const struct event *f = &x->events[j];
			bool write = g->writes & (BIT(i) | BIT(j));

			if (write && f->thread >= 0 &&
			    !((x->base[i] | BIT(i)) & BIT(j)) &&
			    !(x->base[j] & BIT(i)))
				return f->async ? e : f;
		}
	}
	return NULL;
}

void
async_undefined(struct search *s)
{
	struct model *m = s->m;
	const struct program *p = m->p;
	const struct event *early;
	int t;

	if (m->undefined)
		return;
	for (t = 0; t < p->nthreads; t++)
		if (s->path[t]->undefined) {
			m->undefined = s->path[t]->undefined;
			m->undefined_loc = s->path[t]->undefined_loc;
			return;
		}
	early = find_early(&s->g);
	if (!early)
		return;
	m->undefined = "memory of an asynchronous copy may be accessed before "
	    "the copy is complete";
	m->undefined_loc = p->threads[early->thread].insns[early->insn].loc;
}
