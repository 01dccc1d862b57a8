/*
 * Every combination of paths, one a thread, in which each read could find
 * a write of its value.
 */
#include "internal.h"

#include <string.h>

#define PATHS_A_UNIT 4 /* tried in the time of a unit of work */

/* ---- the events of a combination -------------------------------------- */

static bool
add_inits(struct search *s)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	event_row seen = 0;
	int t, i;

	for (t = 0; t < s->m->p->nthreads; t++)
		for (i = 0; i < s->path[t]->count; i++)
			if (s->path[t]->events[i].event.loc >= 0)
				seen |= BIT(s->path[t]->events[i].event.loc);
	x->count = 0;
	EACH(i, seen) {
		const struct location *l = &s->m->locs[i];

		if (x->count == EVENTS_MAX)
			return false;
		g->origin[x->count] = NULL;
		x->events[x->count++] = (struct event){
			.kind = EVENT_INIT, .sem = SEM_WEAK, .thread = -1,
			.insn = -1, .var = l->root,
			.elem = l->offset / s->m->p->vars[l->root].size,
			.loc = i, .size = l->size, .value = l->values[0],
			.rmw = -1, .barrier = -1, .generation = -1,
		};
	}
	return true;
}

/* The first `count` events of a path. */
static bool
add_thread(struct search *s, int t, int count)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	int first = s->first[t] = x->count, i;

	if (first + count > EVENTS_MAX)
		return false;
	for (i = 0; i < count; i++) {
		struct event *e = &x->events[first + i];

		g->origin[first + i] = &s->path[t]->events[i];
		*e = s->path[t]->events[i].event;
		if (e->rmw >= 0)
			e->rmw = e->rmw < count ? e->rmw + first : -1;
		g->barrier[first + i] = 0;
	}
	x->count += count;
	return true;
}

static void
add_dependencies(struct search *s)
{
	struct execution *x = &s->g.x;
	int i, j;

	memset(x->dep, 0, (size_t)x->count * sizeof(*x->dep));
	for (i = 0; i < x->count; i++) {
		int first;

		if (x->events[i].thread < 0)
			continue;
		first = s->first[x->events[i].thread];
		EACH(j, path_event_deps(s->m, s->g.origin[i]))
			x->dep[first + j] |= BIT(i);
	}
}

/* Only the values differ from the product before. */
static bool
build_again(struct search *s)
{
	struct graph *g = &s->g;
	int t, i;

	for (t = 0; t < s->m->p->nthreads; t++)
		if (!g->shaped || g->shape[t] != s->path[t]->shape)
			return false;
	for (t = 0; t < s->m->p->nthreads; t++)
		for (i = 0; i < s->path[t]->count; i++) {
			struct path_event *e = &s->path[t]->events[i];

			g->origin[s->first[t] + i] = e;
			g->x.events[s->first[t] + i].value = e->event.value;
			g->barrier[s->first[t] + i] = 0;
		}
	return true;
}

static bool
build(struct search *s, const struct way *way)
{
	bool whole = !way || !way->stuck;
	int t;

	if (whole && build_again(s))
		return true;
	if (!add_inits(s))
		return stop_limit(s->m, "an execution has more than 64 "
		    "events");
	for (t = 0; t < s->g.x.count; t++)
		s->g.barrier[t] = 0;
	for (t = 0; t < s->m->p->nthreads; t++) {
		if (!add_thread(s, t, whole ? s->path[t]->count :
		    way->end[t]))
			return stop_limit(s->m, "an execution has more than "
			    "64 events");
		s->g.shape[t] = s->path[t]->shape;
	}
	s->g.shaped = whole;
	add_dependencies(s);
	graph_static(&s->g);
	return true;
}

bool
products_refine(struct search *s, event_row events)
{
	bool refined = false;
	int i;

	EACH(i, events) {
		int t = s->g.x.events[i].thread;

		if (t >= 0 && deps_refine(s->m, t, s->path[t],
		    s->g.origin[i], events >> s->first[t]))
			refined = true;
	}
	if (refined)
		add_dependencies(s);
	return refined;
}

/* ---- one combination -------------------------------------------------- */

/* The events of the whole product that a row names, in a product cut off
   where threads block. */
static event_row
moved(const struct search *s, const int *whole, event_row row)
{
	event_row found = 0;
	int t, i;

	EACH(i, row) {
		for (t = s->m->p->nthreads - 1; whole[t] > i; t--)
			;
		if (!s->way->stuck || i - whole[t] < s->way->end[t])
			found |= BIT(s->first[t] + i - whole[t]);
	}
	return found;
}

static void
pass_barriers(struct search *s, const int *whole)
{
	struct execution *x = &s->g.x;
	int t, i;

	for (t = 0; t < s->m->p->nthreads; t++) {
		int count = s->way->stuck ? s->way->end[t] :
		    s->path[t]->count;

		for (i = 0; i < count; i++) {
			int now = s->first[t] + i, then = whole[t] + i;

			if (x->events[now].kind != EVENT_BARRIER &&
			    x->events[now].kind != EVENT_FENCE)
				continue;
			x->events[now].generation = s->way->generation[then];
			if (HAS(s->m, BARRIERS))
				s->g.barrier[now] = moved(s, whole,
				    s->way->sync[then]);
		}
	}
}

static void
search_outcomes(struct search *s)
{
	if (s->visit || results_pending(s))
		candidates_search(s);
	if (!s->visit && !s->scheduled && results_unmarked(s))
		interleave(s);
}

/* Is there a write by a thread that the read's scope leaves out? INIT is no
   thread's. */
static bool
out_of_reach(const struct search *s, int read)
{
	const struct event *x = s->g.x.events, *e = &x[read];
	int i;

	EACH(i, s->g.of_loc[e->loc] & s->g.writes &
	    ~s->g.of_thread[e->thread])
		if (x[i].thread >= 0 &&
		    e->scope < s->m->near[e->thread][x[i].thread])
			return true;
	return false;
}

/* The reads of a loop's last turn, which will go on like it. Only strong
   ones must come to see the last write: a read that is weak, or whose scope
   leaves out the thread that writes, is promised nothing, and on a warm line
   of L1 it does go on for ever. */
static void
find_spinning(struct search *s)
{
	int t, i;

	s->spinning = 0;
	for (t = 0; t < s->m->p->nthreads; t++) {
		const struct path *path = s->path[t];

		for (i = path->spin_from; path->spins && i < path->count; i++)
			if (path->events[i].event.kind == EVENT_READ &&
			    path->events[i].event.sem != SEM_WEAK)
				s->spinning |= BIT(s->first[t] + i);
	}
	s->spinning &= s->g.reads;
	for (i = 0; i < s->g.x.count; i++)
		if (s->spinning & BIT(i) && !s->g.x.events[i].mbarrier &&
		    out_of_reach(s, i))
			s->spinning &= ~BIT(i);
}

/* Is there a consistent execution in which some thread never ends? */
static void
search_hang(struct search *s)
{
	bool hanging = s->hanging;

	s->hanging = true;
	find_spinning(s);
	candidates_search(s);
	s->hanging = hanging;
}

static void
search_way(struct search *s, const struct way *way, const int *whole)
{
	s->way = way;
	if (way->stuck && (s->visit || s->hang))
		return;
	if (!build(s, way))
		return;
	pass_barriers(s, whole);
	if (way->stuck || s->hanging)
		search_hang(s);
	else
		search_outcomes(s);
}

static void
search_product(struct search *s)
{
	static const struct way no_barriers;
	const struct program *p = s->m->p;
	struct ways ways = {0};
	int whole[THREADS_MAX], i;

	if (!work_add(s->m, 1))
		return;
	if (!s->hanging && !s->visit && !results_pending(s) &&
	    (s->scheduled || !results_unmarked(s)))
		return;
	if (!work_add(s->m, 2) || !build(s, NULL))
		return;
	memcpy(whole, s->first, sizeof(whole));
	if (!s->g.barriers) {
		search_way(s, &no_barriers, whole);
		return;
	}
	arena_reset(s->scratch);
	if (!(p->dialect == DIALECT_LITMUS ? dialect_resolve(s, &ways) :
	    barriers_resolve(s, &ways)))
		return;
	for (i = 0; i < ways.count && s->m->stop == STOP_NOT; i++)
		search_way(s, &ways.list[i], whole);
}

/* ---- all combinations ------------------------------------------------- */

/*
 * Hanging: paths that spin may be chosen too, and one must be. The ends of
 * loops that do not spin are in no execution.
 */
static bool
usable(const struct search *s, const struct path *path)
{
	return !path->cut || (s->hanging && path->spins);
}

static void
choose_paths(struct search *s, int t, const struct cells *needs,
    const struct cells *provides, bool spins)
{
	const struct paths *paths = &s->m->paths[t];
	int i;

	if (t == s->m->p->nthreads) {
		if (spins == s->hanging)
			search_product(s);
		return;
	}
	for (i = 0; i < paths->count && s->m->stop == STOP_NOT; i++) {
		const struct path *path = &paths->list[i];
		struct cells n = *needs, w = *provides;

		if (++s->tried % PATHS_A_UNIT == 0 && !work_add(s->m, 1))
			return;
		if (!usable(s, path) || (s->hanging && s->hang))
			continue;
		cells_merge(&n, &path->needs);
		cells_merge(&w, &path->provides);
		if (!cells_within(&n, &w, &s->possible[t + 1]))
			continue;
		s->path[t] = path;
		results_registers(s, t, path);
		if (!s->visit || results_match(s, t))
			choose_paths(s, t + 1, &n, &w, spins || path->spins);
	}
}

void
products_search(struct search *s)
{
	struct cells none = {0};
	int t;

	for (t = s->m->p->nthreads; t-- > 0;) {
		s->possible[t] = s->possible[t + 1];
		cells_merge(&s->possible[t], &s->m->paths[t].provides);
	}
	choose_paths(s, 0, &none, &none, false);
}
