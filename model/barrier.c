/*
 * Execution barriers of PTX (ISA 9.7.15): which arrivals make up each
 * generation. Where a count lets threads take turns in several ways, each
 * way is one resolution.
 *
 * The ISA (8.9.4) says that a barrier operation synchronizes with the
 * waiting operations "executed on the same barrier"; tying that to the
 * generation is our reading (spec 4.1).
 */
#include "internal.h"

#include <string.h>

#define WARP 32
#define WAYS_MAX 4096

/* One barrier: of a CTA, a cluster or a warp. */
struct group {
	int id; /* number, BARRIER_CLUSTER or BARRIER_WARP */
	unsigned members; /* threads */
};

/* Where all threads are. */
struct stage {
	int at[THREADS_MAX]; /* next barrier event, by its order in .list */
	bool blocked[THREADS_MAX];
	int arrived_in[THREADS_MAX]; /* barrier.cluster: not yet waited for
		generation, or -1 */
	struct {
		int generation;
		unsigned arrived; /* threads */
		uint64_t count; /* threads asked for; 0: all */
	} group[EVENTS_MAX];
	int generation[EVENTS_MAX]; /* of each event, -1 before it arrives */
};

struct resolver {
	struct search *s;
	struct ways *ways;
	int list[THREADS_MAX][EVENTS_MAX], count[THREADS_MAX];
	struct group groups[EVENTS_MAX];
	int ngroups;
	int group_of[EVENTS_MAX]; /* event -> group */
};

struct way *
way_add(struct search *s, struct ways *ways)
{
	size_t size = sizeof(*ways->list);

	if (ways->count == WAYS_MAX) {
		stop_limit(s->m, "its barriers can be passed in more than "
		    "4096 ways");
		return NULL;
	}
	if (ways->count == ways->room) {
		int room = ways->room ? 4 * ways->room : 1;

		ways->list = arena_grow(s->scratch, ways->list,
		    (size_t)ways->room * size, (size_t)room * size);
		ways->room = room;
	}
	memset(&ways->list[ways->count], 0, size);
	return &ways->list[ways->count++];
}

/* ---- groups ----------------------------------------------------------- */

static bool
shares(const struct thread *a, const struct thread *b, int id)
{
	if (id == BARRIER_CLUSTER)
		return a->gpu == b->gpu && a->cluster == b->cluster;
	if (a->cta != b->cta)
		return false;
	return id != BARRIER_WARP || (a->warp >= 0 && a->warp == b->warp);
}

static unsigned
members_of(const struct program *p, int thread, int id)
{
	unsigned found = 1u << thread;
	int t;

	for (t = 0; t < p->nthreads; t++)
		if (shares(&p->threads[thread], &p->threads[t], id))
			found |= 1u << t;
	return found;
}

static int
find_group(struct resolver *r, int event)
{
	const struct event *e = &r->s->g.x.events[event];
	unsigned members = members_of(r->s->m->p, e->thread, e->barrier);
	int i;

	for (i = 0; i < r->ngroups; i++)
		if (r->groups[i].id == e->barrier &&
		    r->groups[i].members == members)
			return i;
	r->groups[r->ngroups] = (struct group){e->barrier, members};
	return r->ngroups++;
}

static const struct insn *
insn_of(const struct resolver *r, int event)
{
	const struct event *e = &r->s->g.x.events[event];

	return &r->s->m->p->threads[e->thread].insns[e->insn];
}

static bool
undefined(struct resolver *r, int event, const char *reason)
{
	return stop_reason(r->s->m, insn_of(r, event)->loc, reason);
}

/* What the instruction pages leave undefined, and lanes that a test does
   not tell apart. */
static bool
check_event(struct resolver *r, int event)
{
	const struct path_event *e = r->s->g.origin[event];
	const struct thread *t =
	    &r->s->m->p->threads[e->event.thread];

	if (e->event.barrier == BARRIER_CLUSTER)
		return true;
	if (e->event.barrier == BARRIER_WARP) {
		if (e->args[0] != UINT32_MAX)
			return undefined(r, event,
			    "bar.warp.sync of some lanes only");
		return t->warp >= 0 || undefined(r, event,
		    "bar.warp.sync in a thread whose warp is not given");
	}
	if (e->args[0] > 15)
		return undefined(r, event, "a CTA has 16 barriers");
	if (e->nargs > 1 && (e->args[1] == 0 || e->args[1] % WARP))
		return undefined(r, event, "a barrier's count must be a "
		    "multiple of the warp size");
	return true;
}

static bool
find_events(struct resolver *r)
{
	const struct execution *x = &r->s->g.x;
	int i;

	for (i = 0; i < x->count; i++) {
		const struct event *e = &x->events[i];

		if (e->kind != EVENT_BARRIER)
			continue;
		if (!check_event(r, i))
			return false;
		r->group_of[i] = find_group(r, i);
		r->list[e->thread][r->count[e->thread]++] = i;
	}
	return true;
}

/* ---- one turn --------------------------------------------------------- */

static bool
has_exited(const struct resolver *r, const struct stage *stage, int t)
{
	return stage->at[t] == r->count[t] && !r->s->path[t]->cut;
}

/* Arrival is by warp: a warp has arrived when its threads have. */
static bool
warp_arrived(const struct resolver *r, const struct stage *stage,
    unsigned arrived, int thread)
{
	const struct program *p = r->s->m->p;
	unsigned warp = members_of(p, thread, BARRIER_WARP);
	int t;

	for (t = 0; t < p->nthreads; t++)
		if (warp >> t & 1 && !(arrived >> t & 1) &&
		    !has_exited(r, stage, t))
			return false;
	return true;
}

static bool
is_complete(const struct resolver *r, const struct stage *stage, int g)
{
	const struct program *p = r->s->m->p;
	unsigned arrived = stage->group[g].arrived, seen = 0;
	uint64_t warps = 0;
	int t;

	if (!arrived)
		return false;
	for (t = 0; t < p->nthreads; t++) {
		if (!stage->group[g].count) {
			if (r->groups[g].members >> t & 1 &&
			    !(arrived >> t & 1) && !has_exited(r, stage, t))
				return false;
		} else if (arrived >> t & 1 && !(seen >> t & 1) &&
		    warp_arrived(r, stage, arrived, t)) {
			warps++;
			seen |= members_of(p, t, BARRIER_WARP);
		}
	}
	return WARP * warps >= stage->group[g].count;
}

static void
release(const struct resolver *r, struct stage *stage, int g)
{
	int t;

	for (t = 0; t < r->s->m->p->nthreads; t++) {
		int event;

		if (!stage->blocked[t])
			continue;
		event = r->list[t][stage->at[t]];
		if (r->group_of[event] != g || stage->generation[event] >=
		    stage->group[g].generation)
			continue;
		stage->blocked[t] = false;
		stage->at[t]++;
	}
}

/* Completions, and what follows: a thread that exits is waited for no more. */
static void
complete_all(const struct resolver *r, struct stage *stage)
{
	bool more = true;
	int g;

	while (more) {
		more = false;
		for (g = 0; g < r->ngroups; g++) {
			if (!is_complete(r, stage, g))
				continue;
			stage->group[g].generation++;
			stage->group[g].arrived = 0;
			release(r, stage, g);
			more = true;
		}
	}
}

static bool
cluster_step(struct resolver *r, struct stage *stage, int t, int event)
{
	const struct event *e = &r->s->g.x.events[event];
	int g = r->group_of[event];

	if (e->arrive_only) {
		if (stage->arrived_in[t] >= 0)
			return undefined(r, event, "barrier.cluster.arrive "
			    "twice without a wait is undefined");
		stage->arrived_in[t] = stage->generation[event] =
		    stage->group[g].generation;
		stage->group[g].arrived |= 1u << t;
		stage->at[t]++;
		return true;
	}
	if (stage->arrived_in[t] < 0)
		return undefined(r, event, "barrier.cluster.wait without an "
		    "arrive is undefined");
	stage->generation[event] = stage->arrived_in[t];
	stage->arrived_in[t] = -1;
	if (stage->group[g].generation > stage->generation[event])
		stage->at[t]++;
	else
		stage->blocked[t] = true;
	return true;
}

static bool
arrive(struct resolver *r, struct stage *stage, int t)
{
	int event = r->list[t][stage->at[t]], g = r->group_of[event];
	const struct path_event *e = r->s->g.origin[event];
	uint64_t count = e->event.barrier >= 0 && e->nargs > 1 ?
	    e->args[1] : 0;

	if (e->event.barrier == BARRIER_CLUSTER) {
		if (!cluster_step(r, stage, t, event))
			return false;
		complete_all(r, stage);
		return true;
	}
	if (stage->group[g].arrived && stage->group[g].count != count)
		return undefined(r, event,
		    "threads give one barrier different counts");
	if (stage->group[g].arrived >> t & 1)
		return undefined(r, event,
		    "a thread may arrive twice at a barrier before it opens");
	stage->group[g].count = count;
	stage->group[g].arrived |= 1u << t;
	stage->generation[event] = stage->group[g].generation;
	if (e->event.arrive_only)
		stage->at[t]++;
	else
		stage->blocked[t] = true;
	complete_all(r, stage);
	return true;
}

/* ---- a way ------------------------------------------------------------ */

static bool
is_target(const struct resolver *r, const struct event *e)
{
	return !e->arrive_only ||
	    (HAS(r->s->m, ARRIVE_WAITS) && e->barrier >= 0);
}

static bool
is_source(const struct resolver *r, const struct event *e)
{
	if (e->barrier != BARRIER_CLUSTER)
		return true;
	return e->arrive_only && (e->sem != SEM_RELAXED ||
	    !HAS(r->s->m, CLUSTER_RELAXED));
}

/*
 * PTX ISA 9.7.15, the examples of barrier.cluster and of membar: a fence
 * before an arrive.relaxed orders what came before the fence. So it
 * synchronizes with the waits, as with the reads of a relaxed write.
 */
static bool
releases_by_fence(const struct resolver *r, int fence, int wait)
{
	const struct graph *g = &r->s->g;
	const struct model *m = r->s->m;
	const struct event *f = &g->x.events[fence], *w = &g->x.events[wait];

	return graph_fence_is(g, f, SEM_RELEASE) &&
	    m->p->threads[f->thread].insns[f->insn].space == SPACE_GENERIC &&
	    f->scope >= m->near[f->thread][w->thread];
}

static void
relate_fences(const struct resolver *r, struct way *way, int arrive, int wait)
{
	int i;

	if (!HAS(r->s->m, CLUSTER_FENCE))
		return;
	for (i = r->s->first[r->s->g.x.events[arrive].thread]; i < arrive; i++)
		if (releases_by_fence(r, i, wait))
			way->sync[i] |= BIT(wait);
}

static bool
is_arrival(const struct event *e)
{
	return e->barrier != BARRIER_CLUSTER || e->arrive_only;
}

/* What two events of one barrier are to each other. */
static void
relate(const struct resolver *r, struct way *way, int a, int b)
{
	const struct event *ea = &r->s->g.x.events[a];
	const struct event *eb = &r->s->g.x.events[b];
	bool arrives = is_arrival(ea);

	if (r->group_of[a] != r->group_of[b] || way->generation[a] < 0)
		return;
	if (way->generation[a] == way->generation[b]) {
		if (a != b && is_source(r, ea) && is_target(r, eb))
			way->sync[a] |= BIT(b);
		if (ea->barrier == BARRIER_CLUSTER && ea->arrive_only &&
		    ea->sem == SEM_RELAXED && !eb->arrive_only)
			relate_fences(r, way, a, b);
		if (arrives && !eb->arrive_only)
			way->waits[b] |= BIT(a);
	} else if (arrives && way->generation[a] == way->generation[b] - 1) {
		way->after[b] |= BIT(a);
	}
}

/* The threads that a waiting event goes on without, since they exited. */
static void
find_exits(const struct resolver *r, struct way *way, int event)
{
	const struct graph *g = &r->s->g;
	bool counted = g->x.events[event].barrier >= 0 &&
	    g->origin[event]->nargs > 1;
	unsigned needed = counted ? 0 :
	    r->groups[r->group_of[event]].members, there = 0;
	int t, i;

	for (t = 0; t < r->s->m->p->nthreads; t++)
		for (i = 0; i < r->count[t]; i++) {
			int other = r->list[t][i];

			if (r->group_of[other] != r->group_of[event] ||
			    way->generation[other] !=
			    way->generation[event] ||
			    !is_arrival(&g->x.events[other]))
				continue;
			there |= 1u << t;
			if (counted)
				needed |= members_of(r->s->m->p, t,
				    BARRIER_WARP);
		}
	for (t = 0; t < r->s->m->p->nthreads; t++)
		if (needed >> t & 1 && !(there >> t & 1))
			way->exits[event] |= g->of_thread[t];
}

static bool
known_way(const struct ways *ways, const struct stage *stage)
{
	int i;

	for (i = 0; i < ways->count; i++)
		if (memcmp(ways->list[i].generation, stage->generation,
		    sizeof(stage->generation)) == 0)
			return true;
	return false;
}

static bool
keep_way(struct resolver *r, const struct stage *stage)
{
	const struct program *p = r->s->m->p;
	struct way *way;
	int t, i, u, j;

	if (known_way(r->ways, stage))
		return true;
	way = way_add(r->s, r->ways);
	if (!way)
		return false;
	memcpy(way->generation, stage->generation, sizeof(way->generation));
	for (t = 0; t < p->nthreads; t++) {
		for (i = 0; i < r->count[t]; i++)
			if (!r->s->g.x.events[r->list[t][i]].arrive_only)
				find_exits(r, way, r->list[t][i]);
		way->end[t] = r->s->path[t]->count;
		if (stage->blocked[t] && HAS(r->s->m, BARRIER_BLOCKS)) {
			way->stuck = true;
			way->end[t] = r->list[t][stage->at[t]] -
			    r->s->first[t];
		}
		for (i = 0; i < r->count[t]; i++)
			for (u = 0; u < p->nthreads; u++)
				for (j = 0; j < r->count[u]; j++)
					relate(r, way, r->list[t][i],
					    r->list[u][j]);
	}
	return true;
}

/* ---- all ways --------------------------------------------------------- */

/*
 * The threads that can move. Only where a count makes it matter who comes
 * first is there more than one way to go on.
 */
static unsigned
movable(const struct resolver *r, const struct stage *stage)
{
	unsigned found = 0;
	int t;

	for (t = 0; t < r->s->m->p->nthreads; t++) {
		int event;

		if (stage->blocked[t] || stage->at[t] == r->count[t])
			continue;
		event = r->list[t][stage->at[t]];
		if (r->s->g.x.events[event].barrier < 0 ||
		    r->s->g.origin[event]->nargs < 2)
			return 1u << t;
		found |= 1u << t;
	}
	return found;
}

static bool
advance(struct resolver *r, struct stage *stage)
{
	unsigned threads = movable(r, stage);
	int t;

	while (threads && !(threads & (threads - 1))) {
		if (!arrive(r, stage, __builtin_ctz(threads)))
			return false;
		threads = movable(r, stage);
	}
	if (!threads)
		return keep_way(r, stage);
	for (t = 0; t < r->s->m->p->nthreads; t++) {
		struct stage next = *stage;

		if (!(threads >> t & 1))
			continue;
		if (!work_add(r->s->m, 1) || !arrive(r, &next, t) ||
		    !advance(r, &next))
			return false;
	}
	return true;
}

bool
barriers_resolve(struct search *s, struct ways *ways)
{
	struct resolver r = {.s = s, .ways = ways};
	struct stage stage;

	memset(&stage, 0, sizeof(stage));
	memset(stage.arrived_in, -1, sizeof(stage.arrived_in));
	memset(stage.generation, -1, sizeof(stage.generation));
	return find_events(&r) && advance(&r, &stage);
}
