/*
 * The relations of a candidate execution, in the order in which they
 * follow from each other. Spec: PTX ISA chapter 8, cited at each.
 */
#include "internal.h"

#include <string.h>

/* ---- what holds for the whole program --------------------------------- */

uint64_t
rules_of(const struct model_opts *opts)
{
	static const uint64_t versions[] = {
#define RULE(id, v60, v75, newest, ...) (uint64_t)(v60) << RULE_##id |
		[MODEL_PTX60] =
#include "rules.def"
#undef RULE
		    0,
#define RULE(id, v60, v75, newest, ...) (uint64_t)(v75) << RULE_##id |
		[MODEL_PTX75] =
#include "rules.def"
#undef RULE
		    0,
#define RULE(id, v60, v75, newest, ...) (uint64_t)(newest) << RULE_##id |
		[MODEL_PTX] =
#include "rules.def"
#undef RULE
		    0,
	};
	const struct {
		bool on;
		enum rule rule;
	} readings[] = {
		{opts->fence_sc_in_patterns, RULE_SC_PATTERNS},
		{opts->red_acquires, RULE_RED_ACQUIRES},
		{opts->po_in_base, RULE_PO_IN_BASE},
		{opts->cas_fail_writes, RULE_CAS_WRITES},
	};
	uint64_t rules = versions[opts->version];
	size_t i;

	for (i = 0; i < sizeof(readings) / sizeof(*readings); i++) {
		rules &= ~((uint64_t)1 << readings[i].rule);
		rules |= (uint64_t)readings[i].on << readings[i].rule;
	}
	return rules ^ opts->mutation;
}

/* PTX ISA 8.5: the narrowest scope of one thread that includes the other. */
static enum scope
common_scope(const struct thread *a, const struct thread *b)
{
	if (a->gpu != b->gpu)
		return SCOPE_SYS;
	if (a->cluster != b->cluster)
		return SCOPE_GPU;
	return a->cta != b->cta ? SCOPE_CLUSTER : SCOPE_CTA;
}

void
model_places(struct model *m)
{
	const struct program *p = m->p;
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->nthreads; j++)
			m->near[i][j] = HAS(m, SCOPES) ? common_scope(
			    &p->threads[i], &p->threads[j]) : SCOPE_NONE;
	for (i = 0; i < p->nvars; i++) {
		const struct var *v = &p->vars[i];

		/* spec 4.2: another proxy's view keeps the address that it
		   aliases, a generic alias has one of its own */
		m->phys[i] = m->virt[i] = i;
		while (p->vars[m->phys[i]].alias_of >= 0)
			m->phys[i] = p->vars[m->phys[i]].alias_of;
		while (p->vars[m->virt[i]].alias_of >= 0 &&
		    p->vars[m->virt[i]].proxy != PROXY_GENERIC)
			m->virt[i] = p->vars[m->virt[i]].alias_of;
		m->aliases |= v->alias_of >= 0;
	}
}

/* ---- from the events -------------------------------------------------- */

static void
sort_events(struct graph *g)
{
	const struct execution *x = &g->x;
	int i;

	g->mem = g->reads = g->writes = g->strong = 0;
	g->sc_fences = g->alias_fences = g->barriers = g->async = 0;
	memset(g->of_proxy, 0, sizeof(g->of_proxy));
	memset(g->of_loc, 0, (size_t)g->m->nlocs * sizeof(*g->of_loc));
	memset(g->of_thread, 0, sizeof(g->of_thread));
	for (i = 0; i < x->count; i++) {
		const struct event *e = &x->events[i];

		g->of_proxy[e->proxy] |= BIT(i);
		if (e->thread >= 0)
			g->of_thread[e->thread] |= BIT(i);
		if (e->async)
			g->async |= BIT(i);
		switch (e->kind) {
		case EVENT_READ:
			g->reads |= BIT(i);
			break;
		case EVENT_INIT:
		case EVENT_WRITE:
			g->writes |= BIT(i);
			break;
		case EVENT_FENCE:
			g->strong |= BIT(i);
			if (e->sem == SEM_SC)
				g->sc_fences |= BIT(i);
			break;
		case EVENT_PROXY_FENCE:
			if (e->proxy == PROXY_ALIAS)
				g->alias_fences |= BIT(i);
			break;
		case EVENT_BARRIER:
			g->barriers |= BIT(i);
			break;
		case EVENT_WAIT:
			break;
		}
		if (e->loc < 0)
			continue;
		g->of_loc[e->loc] |= BIT(i);
		if (e->sem != SEM_WEAK || (HAS(g->m, WEAK_STRONG) &&
		    e->thread >= 0))
			g->strong |= BIT(i);
	}
	g->mem = g->reads | g->writes;
	g->general = HAS(g->m, PROXIES) && (g->m->aliases ||
	    g->mem & ~g->of_proxy[PROXY_GENERIC]);
}

/* Accesses of the same virtual address, hence (locations.c) of the same
   size. INIT has every address of its location. */
static void
find_addresses(struct graph *g)
{
	const struct execution *x = &g->x;
	int i, j;

	EACH(i, g->mem) {
		event_row same = g->of_loc[x->events[i].loc];

		g->address[i] = same;
		if (g->m->aliases && x->events[i].thread >= 0)
			EACH(j, same)
				if (x->events[j].thread >= 0 &&
				    x->events[j].var != x->events[i].var)
					g->address[i] &= ~BIT(j);
	}
}

/*
 * fence....sync_restrict (PTX ISA 9.7.15, since 8.6) orders only accesses
 * of .shared::cta, or of .shared::cluster.
 */
static bool
fence_reaches(const struct graph *g, const struct event *fence,
    const struct event *e)
{
	const struct program *p = g->m->p;
	const struct thread *t = &p->threads[fence->thread];
	enum space space = t->insns[fence->insn].space;
	const struct var *v;

	if (space == SPACE_GENERIC)
		return true;
	if (e->loc < 0)
		return false;
	v = &p->vars[g->m->phys[e->var]];
	return v->space == SPACE_SHARED &&
	    (space == SPACE_SHARED_CLUSTER || v->cta == t->cta);
}

static void
restrict_fence(struct graph *g, int fence)
{
	struct execution *x = &g->x;
	const struct event *f = &x->events[fence];
	int i;

	EACH(i, g->of_thread[f->thread])
		if (i != fence && !fence_reaches(g, f, &x->events[i])) {
			x->po[fence] &= ~BIT(i);
			x->po[i] &= ~BIT(fence);
		}
}

/* fence.mbarrier_init (PTX ISA, membar) orders only mbarrier.init before
   it. */
static void
restrict_init_fence(struct graph *g, int fence)
{
	struct execution *x = &g->x;
	const struct event *f = &x->events[fence];
	const struct thread *t = &g->m->p->threads[f->thread];
	int i;

	if (!t->insns[f->insn].mbarrier_init)
		return;
	EACH(i, g->of_thread[f->thread] & (BIT(fence) - 1))
		if (t->insns[x->events[i].insn].op->id != OP_MBARRIER_INIT)
			x->po[i] &= ~BIT(fence);
}

/*
 * PTX ISA 8.9.1, and 8.2.4: the elements of a vector access are performed
 * in an unspecified order. (An atom's halves share an address.)
 */
static void
program_order(struct graph *g)
{
	struct execution *x = &g->x;
	int i, j;

	for (i = 0; i < x->count; i++) {
		const struct event *e = &x->events[i];

		x->po[i] = e->thread < 0 ? 0 :
		    g->of_thread[e->thread] & ~(BIT(i) | (BIT(i) - 1));
		for (j = i + 1; e->loc >= 0 && j < x->count; j++) {
			const struct event *f = &x->events[j];

			if (f->thread != e->thread || f->insn != e->insn ||
			    f->turn != e->turn)
				break;
			if (f->loc != e->loc)
				x->po[i] &= ~BIT(j);
		}
	}
	for (i = 0; i < x->count; i++)
		if (x->events[i].kind == EVENT_FENCE) {
			restrict_fence(g, i);
			restrict_init_fence(g, i);
		}
	async_static(g);
	EACH(i, g->mem)
		g->po_loc[i] = x->po[i] & g->address[i];
}

static bool
scopes_meet(const struct model *m, const struct event *a,
    const struct event *b)
{
	enum scope sa = a->sem == SEM_WEAK ? SCOPE_SYS : a->scope;
	enum scope sb = b->sem == SEM_WEAK ? SCOPE_SYS : b->scope;
	enum scope near = m->near[a->thread][b->thread];
	bool there = sa >= near, back = sb >= near;

	if (HAS(m, SAME_SCOPE) && sa != sb)
		return false;
	return HAS(m, MUTUAL) ? there && back : there || back;
}

/* PTX ISA 8.7. Fences count as generic (spec 2.9, row 5). */
static void
moral_strength(struct graph *g)
{
	struct execution *x = &g->x;
	int i, j;

	for (i = 0; i < x->count; i++) {
		const struct event *e = &x->events[i];
		event_row ms = 0;

		x->ms[i] = 0;
		if (e->thread < 0)
			continue;
		if (g->strong & BIT(i))
			EACH(j, g->strong)
				if (scopes_meet(g->m, e, &x->events[j]))
					ms |= BIT(j);
		/* what is in program order */
		if (HAS(g->m, MS_THREAD) && !e->async)
			ms |= g->of_thread[e->thread] & ~g->async;
		if (HAS(g->m, MS_PROXY))
			ms &= g->of_proxy[e->proxy];
		if (g->mem & BIT(i))
			ms &= ~g->mem | (HAS(g->m, MS_ADDRESS) ?
			    g->address[i] : g->of_loc[e->loc]);
		x->ms[i] = g->scoped[i] = ms & ~BIT(i);
	}
	async_mbarriers(g);
}

bool
graph_fence_is(const struct graph *g, const struct event *e, enum sem sem)
{
	return e->kind == EVENT_FENCE && (e->sem == sem ||
	    e->sem == SEM_ACQ_REL ||
	    (e->sem == SEM_SC && HAS(g->m, SC_PATTERNS)));
}

/* PTX ISA 8.8: which writes end a release pattern that starts at `head`. */
static event_row
release_patterns(const struct graph *g, int head)
{
	const struct event *e = &g->x.events[head];
	event_row writes = g->writes & g->strong, found = 0;

	if (e->kind == EVENT_WRITE && e->sem == SEM_RELEASE) {
		if (HAS(g->m, RELEASE_1))
			found |= BIT(head);
		if (HAS(g->m, RELEASE_2))
			found |= g->po_loc[head] & writes;
	}
	if (graph_fence_is(g, e, SEM_RELEASE) && HAS(g->m, RELEASE_3))
		found |= g->x.po[head] & writes;
	return found;
}

/* PTX ISA 8.8: where the acquire patterns that start at a read end. The
   read of a red starts none and ends none. */
static event_row
acquire_patterns(const struct graph *g, int read)
{
	const struct execution *x = &g->x;
	const struct event *e = &x->events[read];
	bool red = HAS(g->m, RED_ACQUIRES);
	event_row found = 0;
	int i;

	/* a wait for an mbarrier acquires if it succeeds (PTX ISA,
	   mbarrier.test_wait) */
	if (!(g->strong & BIT(read)) || (e->red && !red) || e->failed)
		return 0;
	if (e->sem == SEM_ACQUIRE && HAS(g->m, ACQUIRE_1))
		found |= BIT(read);
	EACH(i, x->po[read]) {
		const struct event *f = &x->events[i];

		if (HAS(g->m, ACQUIRE_2) && f->kind == EVENT_READ &&
		    f->sem == SEM_ACQUIRE && g->po_loc[read] & BIT(i) &&
		    (!f->red || red) && !f->failed)
			found |= BIT(i);
		if (HAS(g->m, ACQUIRE_3) && graph_fence_is(g, f, SEM_ACQUIRE))
			found |= BIT(i);
	}
	return found;
}

void
graph_static(struct graph *g)
{
	int i;

	sort_events(g);
	find_addresses(g);
	program_order(g);
	moral_strength(g);
	for (i = 0; i < g->x.count; i++)
		g->release[i] = release_patterns(g, i);
	EACH(i, g->reads)
		g->acquire[i] = acquire_patterns(g, i);
	if (g->general)
		EACH(i, g->mem)
			g->own_fences[i] = proxy_fences(g, i);
}

/* ---- from the reads-from ---------------------------------------------- */

/* PTX ISA 8.9.2: to a read, through any number of atomics. */
static void
observation(struct graph *g)
{
	struct execution *x = &g->x;
	bool grew = HAS(g->m, OBS_CHAIN);
	int w, r;

	EACH(w, g->writes)
		x->obs[w] = x->rf[w] & (HAS(g->m, OBS_MS) ? x->ms[w] :
		    ~(event_row)0);
	while (grew) {
		grew = false;
		EACH(w, g->writes) {
			event_row seen = x->obs[w];

			EACH(r, x->obs[w])
				if (x->events[r].rmw >= 0)
					seen |= x->obs[x->events[r].rmw];
			grew |= seen != x->obs[w];
			x->obs[w] = seen;
		}
	}
}

/* PTX ISA 8.9.4, last clause: release patterns synchronize with acquire
   patterns that observe them, if head and tail are morally strong. */
static event_row
synchronized(const struct graph *g, int head)
{
	event_row seen = 0, tails = 0;
	int w, r;

	EACH(w, g->release[head])
		seen |= g->x.obs[w];
	EACH(r, seen)
		tails |= g->acquire[r];
	return HAS(g->m, HEAD_TAIL) ? tails & g->scoped[head] : tails;
}

void
graph_sync(struct graph *g)
{
	struct execution *x = &g->x;
	size_t size = (size_t)x->count * sizeof(event_row);
	int i, j;

	observation(g);
	for (i = 0; i < x->count; i++) {
		x->sw[i] = g->barrier[i] | synchronized(g, i);
		x->sc[i] = 0;
	}
	memcpy(g->reach, x->po, size);
	/* what leads to a copy does not lead through it: async_base() */
	for (i = 0; g->async && i < x->count; i++)
		if (!(g->async & BIT(i)) || !HAS(g->m, ASYNC_OWN))
			g->reach[i] |= x->async[i];
	for (i = 0; i < x->count; i++)
		EACH(j, x->sw[i])
			if (!(g->async & BIT(i)) || !HAS(g->m, ASYNC_OWN))
				rows_reach(g->reach, x->count, i, j);
	if (g->async && !HAS(g->m, ASYNC_OWN))
		rows_close(g->reach, x->count);
}

/* ---- from the Fence-SC order ------------------------------------------ */

/* PTX ISA 8.9.4, first clause. */
void
graph_order_fences(struct graph *g, int from, int to)
{
	struct execution *x = &g->x;

	x->sc[from] |= BIT(to);
	x->sw[from] |= BIT(to);
	rows_reach(g->reach, x->count, from, to);
}

/*
 * PTX ISA 8.9.5, base causality order. In 6.0 program order is in it only
 * before and after synchronization.
 */
static void
base_causality_of_threads(struct graph *g)
{
	struct execution *x = &g->x;
	bool cumulative = HAS(g->m, CUMULATIVE);
	int i, a, b;

	for (i = 0; i < x->count; i++)
		x->base[i] = !HAS(g->m, PO_IN_BASE) ? 0 :
		    cumulative ? g->reach[i] : x->po[i];
	if (HAS(g->m, PO_IN_BASE) && cumulative)
		return;
	for (a = 0; a < x->count; a++) {
		event_row after = 0;

		EACH(b, x->sw[a])
			after |= BIT(b) | (cumulative ? g->reach[b] :
			    x->po[b]);
		if (!after)
			continue;
		for (i = 0; i < x->count; i++)
			if (i == a || x->po[i] & BIT(a))
				x->base[i] |= after;
	}
}

static void
base_causality(struct graph *g)
{
	base_causality_of_threads(g);
	if (g->async)
		async_base(g);
}

/* PTX ISA 8.9.5, causality order. */
void
graph_cause(struct graph *g)
{
	struct execution *x = &g->x;
	event_row preserved[EVENTS_MAX];
	int i, r;

	base_causality(g);
	memset(x->cause, 0, (size_t)x->count * sizeof(*x->cause));
	EACH(i, g->mem) {
		if (g->general)
			preserved[i] = proxy_preserved(g, i);
		else
			preserved[i] = x->base[i] & g->of_loc[
			    x->events[i].loc];
		x->cause[i] = preserved[i];
		if (HAS(g->m, CAUSE_60))
			preserved[i] |= g->po_loc[i];
	}
	if (HAS(g->m, OBS_PREFIX))
		EACH(i, g->writes)
			EACH(r, x->obs[i])
				x->cause[i] |= preserved[r];
}
