/* The naive procedure's interleavings and barriers. */
#include "help_oracle.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of outcomes ------------------------------------------------- */

void
naive_add(struct naive_set *set, uint64_t outcome)
{
	int at = set->count;

	if (naive_has(set, outcome))
		return;
	if (set->count == set->room) {
		set->room = set->room ? 2 * set->room : 16;
		set->list = realloc(set->list,
		    (size_t)set->room * sizeof(*set->list));
		if (!set->list)
			abort();
	}
	for (; at > 0 && set->list[at - 1] > outcome; at--)
		set->list[at] = set->list[at - 1];
	set->list[at] = outcome;
	set->count++;
}

bool
naive_has(const struct naive_set *set, uint64_t outcome)
{
	int i;

	for (i = 0; i < set->count; i++)
		if (set->list[i] == outcome)
			return true;
	return false;
}

void
naive_free(struct naive_set *set)
{
	free(set->list);
	*set = (struct naive_set){0};
}

int
naive_location(int view)
{
	return view == VIEW_MBARRIER ? NAIVE_MBARRIER :
	    view < VIEW_W ? view : 0;
}

int
naive_initial(const struct naive_test *test, int location)
{
	return location == NAIVE_MBARRIER ? 5 * test->arrivals : 0;
}

int
naive_arrival(int word)
{
	int expected = word / 4 % 4;

	return word % 4 == 1 ? (word / 16 + 1) * 16 + 5 * expected : word - 1;
}

int
naive_complete(int word)
{
	return word / 16 % 2;
}

/* ---- barriers --------------------------------------------------------- */

void
naive_barriers_start(struct naive_barriers *b)
{
	int t;

	memset(b, 0, sizeof(*b));
	for (t = 0; t < NAIVE_THREADS; t++)
		b->waiting[t] = b->cluster[t] = -1;
}

static int
home_of(const struct naive_thread *t, enum naive_kind kind)
{
	if (kind == NAIVE_CLUSTER_ARRIVE)
		return t->cluster;
	return kind == NAIVE_WARP ? 100 * t->cta + t->warp : t->cta;
}

int
naive_barrier_of(const struct naive_test *test, struct naive_barriers *b,
    int thread, const struct naive_insn *insn)
{
	enum naive_kind kind = insn->kind;
	int home, i;

	if (kind == NAIVE_ARRIVE)
		kind = NAIVE_SYNC;
	if (kind == NAIVE_CLUSTER_WAIT)
		kind = NAIVE_CLUSTER_ARRIVE;
	home = home_of(&test->threads[thread], kind);
	for (i = 0; b->list[i].used; i++)
		if (b->list[i].kind == kind && b->list[i].home == home &&
		    b->list[i].id == insn->id)
			return i;
	b->list[i].used = true;
	b->list[i].kind = kind;
	b->list[i].home = home;
	b->list[i].id = insn->id;
	return i;
}

/* A barrier without a count waits for all threads of its home that run. */
static bool
everybody_there(const struct naive_test *test,
    const struct naive_barriers *b, const struct naive_barrier *barrier)
{
	int t;

	for (t = 0; t < test->nthreads; t++)
		if (home_of(&test->threads[t], barrier->kind) ==
		    barrier->home && !(b->exited >> t & 1) &&
		    !(barrier->arrived >> t & 1))
			return false;
	return true;
}

/* Threads of one warp count once, and only together. */
static int
warps_there(const struct naive_test *test, const struct naive_barriers *b,
    const struct naive_barrier *barrier)
{
	int t, u, warps = 0;

	for (t = 0; t < test->nthreads; t++) {
		const struct naive_thread *a = &test->threads[t];
		bool whole = barrier->arrived >> t & 1;

		for (u = 0; u < test->nthreads; u++) {
			const struct naive_thread *c = &test->threads[u];

			if (c->cta != a->cta || c->warp != a->warp)
				continue;
			if (!(barrier->arrived >> u & 1) &&
			    !(b->exited >> u & 1))
				whole = false;
			if (u < t && barrier->arrived >> u & 1)
				whole = false; /* counted there */
		}
		warps += whole;
	}
	return warps;
}

static void
settle(const struct naive_test *test, struct naive_barriers *b)
{
	bool again = true;
	int i, t;

	while (again) {
		again = false;
		for (i = 0; i < 16 && b->list[i].used; i++) {
			struct naive_barrier *barrier = &b->list[i];
			int count = barrier->count;

			if (!barrier->arrived || (count ? warps_there(test, b,
			    barrier) < count :
			    !everybody_there(test, b, barrier)))
				continue;
			barrier->generation++;
			barrier->arrived = 0;
			again = true;
			for (t = 0; t < test->nthreads; t++)
				if (b->waiting[t] == i &&
				    b->since[t] < barrier->generation)
					b->waiting[t] = -1;
		}
	}
}

int
naive_arrive(const struct naive_test *test, struct naive_barriers *b,
    int thread, const struct naive_insn *insn)
{
	int i = naive_barrier_of(test, b, thread, insn), generation;
	struct naive_barrier *barrier = &b->list[i];

	if (insn->kind == NAIVE_CLUSTER_WAIT) {
		generation = b->cluster[thread];
		b->cluster[thread] = -1;
		if (barrier->generation <= generation) {
			b->waiting[thread] = i;
			b->since[thread] = generation;
		}
		return generation;
	}
	generation = barrier->generation;
	barrier->count = insn->count;
	b->twice |= barrier->arrived >> thread & 1;
	barrier->arrived |= 1u << thread;
	if (insn->kind == NAIVE_CLUSTER_ARRIVE) {
		b->cluster[thread] = generation;
	} else if (insn->kind != NAIVE_ARRIVE) {
		b->waiting[thread] = i;
		b->since[thread] = generation;
	}
	settle(test, b);
	return generation;
}

void
naive_exit(const struct naive_test *test, struct naive_barriers *b,
    int thread)
{
	b->exited |= 1u << thread;
	settle(test, b);
}

/* ---- interleavings ---------------------------------------------------- */

struct machine {
	int pc[NAIVE_THREADS];
	unsigned half[NAIVE_THREADS]; /* vector elements done */
	int regs[NAIVE_THREADS][NAIVE_REGS];
	int memory[NAIVE_LOCATIONS];
	struct naive_barriers barriers;
};

/* Interleavings that meet go on alike: states that were seen are left. */
struct seen {
	uint64_t *list; /* their hashes */
	int count, room;
};

static void run(const struct naive_test *test, struct machine m,
    struct naive_set *sc, struct seen *seen);

static bool
been_there(struct seen *seen, const struct machine *m)
{
	uint64_t hash = hash64(m, sizeof(*m), 1);
	int i;

	for (i = 0; i < seen->count; i++)
		if (seen->list[i] == hash)
			return true;
	if (seen->count == seen->room) {
		seen->room = seen->room ? 2 * seen->room : 64;
		seen->list = realloc(seen->list,
		    (size_t)seen->room * sizeof(*seen->list));
		if (!seen->list)
			abort();
	}
	seen->list[seen->count++] = hash;
	return false;
}

static int
stored(const struct machine *m, int t, const struct naive_insn *insn)
{
	return insn->value + (insn->plus < 0 ? 0 : m->regs[t][insn->plus]);
}

static void
access_element(struct machine *m, int t, const struct naive_insn *insn,
    int element)
{
	int *cell = &m->memory[naive_location(insn->view) + element];
	int reg = 2 * m->pc[t] + element, old = *cell;

	switch (insn->kind) {
	case NAIVE_STORE:
		*cell = stored(m, t, insn);
		return;
	case NAIVE_ADD:
	case NAIVE_RED:
		*cell += stored(m, t, insn);
		break;
	case NAIVE_EXCH:
		*cell = stored(m, t, insn);
		break;
	case NAIVE_CAS:
		if (old == insn->compare)
			*cell = stored(m, t, insn);
		break;
	case NAIVE_MBARRIER_ARRIVE:
		*cell = naive_arrival(old);
		return;
	case NAIVE_MBARRIER_WAIT:
		old = naive_complete(old);
		break;
	default:
		break;
	}
	if (insn->kind != NAIVE_RED)
		m->regs[t][reg] = old;
}

static void
advance(const struct naive_test *test, struct machine *m, int t, int by)
{
	m->pc[t] += by;
	m->half[t] = 0;
	if (m->pc[t] >= test->threads[t].n)
		naive_exit(test, &m->barriers, t);
}

static void
step(const struct naive_test *test, struct machine m, int t,
    struct naive_set *sc, struct seen *seen)
{
	const struct naive_insn *insn = &test->threads[t].insns[m.pc[t]];
	int e;

	if (insn->kind <= NAIVE_RED && insn->vector) {
		for (e = 0; e < 2; e++) {
			struct machine next = m;

			if (m.half[t] >> e & 1)
				continue;
			access_element(&next, t, insn, e);
			next.half[t] |= 1u << e;
			if (next.half[t] == 3)
				advance(test, &next, t, 1);
			run(test, next, sc, seen);
		}
		return;
	}
	if (insn->kind <= NAIVE_RED) {
		access_element(&m, t, insn, 0);
		advance(test, &m, t, 1);
	} else if (insn->kind == NAIVE_SKIP) {
		advance(test, &m, t, m.regs[t][insn->plus] == insn->value ?
		    1 + insn->length : 1);
	} else if (insn->kind >= NAIVE_SYNC) {
		naive_arrive(test, &m.barriers, t, insn);
		/* it has arrived; it goes on when it waits no more */
		advance(test, &m, t, 0);
		m.half[t] = 2;
		if (m.barriers.waiting[t] < 0)
			advance(test, &m, t, 1);
	} else {
		advance(test, &m, t, 1);
	}
	run(test, m, sc, seen);
}

static void
finish(const struct naive_test *test, const struct machine *m,
    struct naive_set *sc)
{
	uint64_t outcome = 0;
	int i;

	for (i = test->nslots - 1; i >= 0; i--) {
		const struct naive_slot *s = &test->slots[i];

		outcome = outcome << 8 | (uint8_t)(s->thread < 0 ?
		    m->memory[s->index] : m->regs[s->thread][s->index]);
	}
	naive_add(sc, outcome);
}

static void
run(const struct naive_test *test, struct machine m, struct naive_set *sc,
    struct seen *seen)
{
	bool over = true, more = true;
	int t;

	/* those whose barrier has opened go on past it */
	while (more) {
		more = false;
		for (t = 0; t < test->nthreads; t++)
			if (m.pc[t] < test->threads[t].n &&
			    m.half[t] == 2 && m.barriers.waiting[t] < 0 &&
			    test->threads[t].insns[m.pc[t]].kind >=
			    NAIVE_SYNC) {
				advance(test, &m, t, 1);
				more = true;
			}
	}
	if (been_there(seen, &m))
		return;
	for (t = 0; t < test->nthreads; t++) {
		if (m.pc[t] >= test->threads[t].n)
			continue;
		over = false;
		if (m.barriers.waiting[t] < 0)
			step(test, m, t, sc, seen);
	}
	if (over)
		finish(test, &m, sc);
}

void
naive_interleave(const struct naive_test *test, struct naive_set *sc)
{
	struct seen seen = {0};
	struct machine m;
	int t;

	memset(&m, 0, sizeof(m));
	m.memory[NAIVE_MBARRIER] = naive_initial(test,
	    NAIVE_MBARRIER);
	naive_barriers_start(&m.barriers);
	for (t = 0; t < test->nthreads; t++)
		if (test->threads[t].n == 0)
			naive_exit(test, &m.barriers, t);
	run(test, m, sc, &seen);
	free(seen.list);
}
