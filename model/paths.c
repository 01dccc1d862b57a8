/*
 * Every path of every thread, over the values that its reads could return.
 *
 * The values that a location may hold are found in rounds: in each, a read
 * returns what some write could have stored in the round before. An
 * execution's reads-from and dependencies together have no cycle (PTX ISA
 * 8.10.4), so its values appear after at most as many rounds as it has
 * writes, and the rounds may end there even where the values would go on
 * growing (x = x + 1 in two threads).
 */
#include "steps.h"

#include <string.h>

#define STORED_EVENTS_MAX 500000 /* of all paths: some 64 MB */

struct round {
	int writes; /* at most, in one path of each thread */
	int stored; /* events */
};

bool
stop_reason(struct model *m, struct loc loc, const char *reason)
{
	if (m->stop != STOP_NOT)
		return false;
	m->stop = STOP_NO_VERDICT;
	m->reason = reason;
	m->reason_loc = loc;
	return false;
}

bool
stop_limit(struct model *m, const char *what)
{
	if (m->stop != STOP_NOT)
		return false;
	m->stop = STOP_LIMIT;
	m->reason = what;
	m->reason_loc = m->p->loc;
	return false;
}

bool
work_add(struct model *m, uint64_t units)
{
	m->work_done += units;
	return m->work_done <= m->work_max || stop_limit(m, NULL);
}

/* ---- one round -------------------------------------------------------- */

static void
keep_finals(const struct runner *r, struct path *path)
{
	const struct program *p = r->m->p;
	int i;

	path->finals = arena_alloc(r->m->work,
	    (size_t)p->nslots * sizeof(*path->finals));
	for (i = 0; i < p->nslots; i++) {
		const struct slot *s = &p->slots[i];
		int bits = 8 * s->size;

		if (s->thread != r->t)
			continue;
		path->finals[i] = bits >= 64 ? r->value[s->reg] :
		    r->value[s->reg] & (((uint64_t)1 << bits) - 1);
	}
}

static bool
keep_path(struct runner *r, struct round *round, size_t *room)
{
	struct model *m = r->m;
	struct paths *paths = &m->paths[r->t];
	size_t size = (size_t)r->count * sizeof(*r->events);
	struct path *path;

	round->stored += r->count + 1;
	if (round->stored > STORED_EVENTS_MAX)
		return stop_limit(m, "the threads have too many paths");
	if ((size_t)paths->count == *room) {
		size_t more = *room ? 2 * *room : 16;

		paths->list = arena_grow(m->work, paths->list,
		    *room * sizeof(*path), more * sizeof(*path));
		*room = more;
	}
	path = &paths->list[paths->count++];
	*path = (struct path){.count = r->count, .cut = r->cut,
	    .spins = r->spins, .spin_from = r->spin_from,
	    .undefined = r->undefined, .undefined_loc = r->undefined_loc};
	path->events = arena_alloc(m->work, size);
	if (size)
		memcpy(path->events, r->events, size);
	keep_finals(r, path);
	m->bounded |= r->cut;
	m->lost |= r->lost;
	return true;
}

/* The last read changes first. */
bool
runner_next(struct runner *r)
{
	while (r->depth > 0) {
		if (++r->choice[r->depth - 1] < r->choices[r->depth - 1])
			return true;
		r->depth--;
	}
	return false;
}

static int
count_writes(const struct runner *r)
{
	int i, n = 0;

	for (i = 0; i < r->count; i++)
		n += r->events[i].event.kind == EVENT_WRITE;
	return n;
}

void
runner_start(struct runner *r, int t)
{
	struct model *m = r->m;
	size_t n = (size_t)m->p->threads[t].nregs;
	int i;

	r->t = t;
	r->thread = &m->p->threads[t];
	r->value = arena_alloc(m->work, n * sizeof(*r->value));
	r->taint = arena_alloc(m->work, n * sizeof(*r->taint));
	r->spin_value = arena_alloc(m->work, n * sizeof(*r->value));
	r->watch = m->loops[t].head && !r->path;
	for (i = 0; r->watch && i < VISITS_MAX; i++)
		r->visits[i].value = arena_alloc(m->work,
		    n * sizeof(*r->value));
	r->depth = 0;
}

static bool
run_thread(struct runner *r, int t, struct round *round)
{
	struct model *m = r->m;
	size_t room = 0;
	int writes = 0;

	runner_start(r, t);
	m->paths[t] = (struct paths){0};
	do {
		if (!steps_run(r) || !work_add(m, 1))
			return false;
		if (!keep_path(r, round, &room))
			return false;
		if (count_writes(r) > writes)
			writes = count_writes(r);
	} while (runner_next(r));
	round->writes += writes;
	return true;
}

static bool
run_rounds(struct model *m, struct runner *r)
{
	struct round round;
	int turn = 0, t, i;

	do {
		arena_reset(m->work);
		round = (struct round){0};
		m->bounded = m->grew = m->lost = false;
		m->silent = 0;
		for (i = 0; i < m->nlocs; i++)
			m->locs[i].visible = m->locs[i].nvalues;
		for (t = 0; t < m->p->nthreads; t++)
			if (!run_thread(r, t, &round))
				return false;
	} while (m->grew && turn++ <= round.writes);
	return true;
}

/* ---- what paths need from each other ---------------------------------- */

static bool
number_cells(struct model *m)
{
	int i, n = 0;

	for (i = 0; i < m->nlocs; i++) {
		m->locs[i].cell = n;
		n += m->locs[i].nvalues;
	}
	return n <= 64 * CELL_WORDS ||
	    stop_limit(m, "memory may hold more than 512 different values");
}

/* False if it writes a value that has no way to come about. */
static bool
find_cells(const struct model *m, struct path *path)
{
	int i;

	path->needs = path->provides = (struct cells){0};
	for (i = 0; i < path->count; i++) {
		const struct event *e = &path->events[i].event;
		int value;

		if (e->kind != EVENT_READ && e->kind != EVENT_WRITE)
			continue;
		value = location_value(&m->locs[e->loc], e->value);
		if (value < 0)
			return false;
		if (e->kind == EVENT_WRITE)
			cells_add(&path->provides, m->locs[e->loc].cell +
			    value);
		else if (value > 0)
			cells_add(&path->needs, m->locs[e->loc].cell + value);
	}
	return true;
}

bool
cells_within(const struct cells *a, const struct cells *b,
    const struct cells *c)
{
	uint64_t missing = 0;
	int i;

	for (i = 0; i < CELL_WORDS; i++)
		missing |= a->word[i] & ~(b->word[i] | c->word[i]);
	return !missing;
}

void
cells_merge(struct cells *a, const struct cells *b)
{
	int i;

	for (i = 0; i < CELL_WORDS; i++)
		a->word[i] |= b->word[i];
}

/* The events of a path, without the values that went through memory. */
static uint64_t
find_shape(const struct path *path)
{
	uint64_t shape = (uint64_t)path->count;
	int i;

	for (i = 0; i < path->count; i++) {
		struct path_event e = path->events[i];

		e.event.value = 0;
		shape = hash64(&e, sizeof(e), shape);
	}
	return shape;
}

/* Drops the paths of a thread that read what nobody writes. */
static bool
drop_orphans(struct model *m, int t)
{
	struct paths *paths = &m->paths[t];
	struct cells others = {0};
	int i, kept = 0;

	for (i = 0; i < m->p->nthreads; i++)
		if (i != t)
			cells_merge(&others, &m->paths[i].provides);
	for (i = 0; i < paths->count; i++)
		if (cells_within(&paths->list[i].needs,
		    &paths->list[i].provides, &others))
			paths->list[kept++] = paths->list[i];
	if (kept == paths->count)
		return false;
	paths->count = kept;
	paths->provides = (struct cells){0};
	for (i = 0; i < kept; i++)
		cells_merge(&paths->provides, &paths->list[i].provides);
	return true;
}

static void
drop_all_orphans(struct model *m)
{
	bool changed = true;
	int t, i, kept;

	for (t = 0; t < m->p->nthreads; t++) {
		struct paths *paths = &m->paths[t];

		for (i = kept = 0; i < paths->count; i++)
			if (find_cells(m, &paths->list[i]))
				paths->list[kept++] = paths->list[i];
		paths->count = kept;
		for (i = 0; i < kept; i++) {
			cells_merge(&paths->provides,
			    &paths->list[i].provides);
			paths->list[i].shape = find_shape(&paths->list[i]);
		}
	}
	while (changed) {
		changed = false;
		for (t = 0; t < m->p->nthreads; t++)
			changed |= drop_orphans(m, t);
	}
}

/* How thread t accesses a location: the narrowest scope of all strong
   accesses; NONE if one is weak, or not of the generic proxy. */
static enum scope
narrowest(const struct model *m, int t, int loc)
{
	enum scope scope = SCOPE_SYS;
	int i, j;

	for (i = 0; i < m->paths[t].count; i++) {
		const struct path *path = &m->paths[t].list[i];

		for (j = 0; j < path->count; j++) {
			const struct event *e = &path->events[j].event;

			if (e->loc != loc)
				continue;
			if (e->sem == SEM_WEAK || e->proxy != PROXY_GENERIC)
				return SCOPE_NONE;
			if (e->scope < scope)
				scope = e->scope;
		}
	}
	return scope;
}

/*
 * Where all accesses of a location are morally strong with each other, an
 * atomic that puts back what it read may be taken out: who read from it may
 * read from where it did, and observation passes through it anyway.
 */
static bool
is_silent(const struct model *m, int loc)
{
	int t, u;

	for (t = 0; t < m->p->nthreads; t++)
		for (u = 0; u < m->p->nthreads; u++)
			if (narrowest(m, t, loc) < m->near[t][u])
				return false;
	return !m->aliases;
}

static bool
loses_turns(const struct model *m)
{
	int i;

	for (i = 0; i < m->nlocs; i++)
		if (m->silent & BIT(i) && !is_silent(m, i))
			return true;
	return m->lost;
}

static void
find_loops(struct model *m, int t)
{
	const struct thread *thread = &m->p->threads[t];
	bool *head = arena_alloc(m->own, (size_t)thread->ninsns);
	bool any = false;
	int i;

	for (i = 0; i < thread->ninsns; i++)
		if (thread->insns[i].op->class == CLASS_BRANCH &&
		    thread->insns[i].ops[0].imm <= i)
			any = head[thread->insns[i].ops[0].imm] = true;
	if (any)
		m->loops[t] = (struct loops){
		    thread_liveness(m->p, t, m->own), head};
}

/*
 * With as many turns of loops as there must be, that no execution with more
 * is left out which ends otherwise. If that takes too many, with the fewest,
 * and m->lost.
 */
static bool
unroll(struct model *m)
{
	struct runner r = {.m = m};
	uint64_t work = m->work_done;
	int least = m->opts->unroll, t;

	for (t = 0; t < m->p->nthreads; t++)
		find_loops(m, t);
	m->unroll = least;
	while (run_rounds(m, &r)) {
		m->lost = loses_turns(m);
		if (!m->lost || m->unroll >= m->opts->unroll_most)
			break;
		m->unroll++;
	}
	if (m->unroll == least || (m->stop != STOP_NOT &&
	    m->stop != STOP_LIMIT) || (m->stop == STOP_NOT && !m->lost))
		return m->stop == STOP_NOT;
	m->stop = STOP_NOT;
	m->work_done = work;
	m->unroll = least;
	if (!run_rounds(m, &r))
		return false;
	m->lost = true;
	return true;
}

bool
paths_make(struct model *m)
{
	int i;

	if (!unroll(m) || !number_cells(m))
		return false;
	for (i = 0; i < m->nlocs; i++)
		if (m->locs[i].nc && m->locs[i].written)
			return stop_reason(m, m->locs[i].nc_loc,
			    "ld.global.nc of a location that the test writes "
			    "(PTX ISA 8.1: outside the model)");
	drop_all_orphans(m);
	m->frozen = true;
	return true;
}
