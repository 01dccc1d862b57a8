/*
 * Forward progress: does every execution that is fair under the progress
 * model end?
 *
 * The graph of all interleavings is searched. A hang exists exactly if some
 * reachable strongly connected component has an edge inside it and holds a
 * step of every live thread that the progress model promises to schedule
 * again and again: then going round in it for ever is a fair execution
 * (checked by its authors on the 483 programs of Sorensen et al., OOPSLA
 * 2021, under five models). A thread that is blocked at a barrier takes
 * steps that change nothing, so that deadlocks are such components too.
 *
 * Memory is sequentially consistent but for racing writes (live_race.c):
 * the question is who runs, and a spinning read may keep its value only if
 * no later write supersedes it. And atomics whose scopes do not reach each
 * other may miss an update, now and then.
 */
#include "live.h"

#include <string.h>

#define STATES_MAX 400000
#define WORDS_MAX ((size_t)32 << 20) /* of all states: 256 MiB */

struct edge {
	uint32_t to;
	uint32_t next; /* of the same state; index + 1, 0 ends */
	short thread;
	bool stale; /* not again and again */
};

struct graph {
	struct live *l;
	uint64_t *states; /* nstates rows of nwords */
	uint32_t nstates, states_room;
	uint32_t *table, table_size; /* index + 1 by hash */
	struct edge *edges;
	uint32_t nedges, edges_room;
	uint32_t *first; /* edge of each state */
};

static uint64_t *
state_at(const struct graph *g, uint32_t i)
{
	return g->states + (size_t)i * (size_t)g->l->nwords;
}

static size_t
state_size(const struct graph *g)
{
	return (size_t)g->l->nwords * sizeof(uint64_t);
}

static uint32_t *
slot_of(const struct graph *g, const uint64_t *state)
{
	uint32_t i = (uint32_t)hash64(state, state_size(g), 0) &
	    (g->table_size - 1);

	while (g->table[i] && memcmp(state_at(g, g->table[i] - 1), state,
	    state_size(g)) != 0)
		i = (i + 1) & (g->table_size - 1);
	return &g->table[i];
}

static void
grow(struct graph *g)
{
	uint32_t i, room = g->states_room ? 2 * g->states_room : 256;

	g->states = arena_grow(g->l->arena, g->states,
	    g->nstates * state_size(g), room * state_size(g));
	g->first = arena_grow(g->l->arena, g->first,
	    g->nstates * sizeof(*g->first), room * sizeof(*g->first));
	g->states_room = room;
	g->table_size = 4 * room;
	g->table = arena_alloc(g->l->arena,
	    g->table_size * sizeof(*g->table));
	for (i = 0; i < g->nstates; i++)
		*slot_of(g, state_at(g, i)) = i + 1;
}

static bool
add_state(struct graph *g, const uint64_t *state, uint32_t *index)
{
	uint32_t *slot;

	if (g->nstates == g->states_room)
		grow(g);
	slot = slot_of(g, state);
	if (*slot) {
		*index = *slot - 1;
		return true;
	}
	if (g->nstates == STATES_MAX || (size_t)g->nstates *
	    (size_t)g->l->nwords > WORDS_MAX)
		return err_set(g->l->err, ERR_LIMIT, g->l->p->loc,
		    "the forward-progress check of %s needs more than %u "
		    "states (does a register or location count without "
		    "bound?)", g->l->p->name, g->nstates);
	memcpy(state_at(g, g->nstates), state, state_size(g));
	*index = g->nstates++;
	*slot = *index + 1;
	return true;
}

static void
add_edge(struct graph *g, uint32_t from, uint32_t to, int thread,
    bool stale)
{
	if (g->nedges == g->edges_room) {
		uint32_t room = g->edges_room ? 2 * g->edges_room : 1024;

		g->edges = arena_grow(g->l->arena, g->edges,
		    g->nedges * sizeof(*g->edges),
		    room * sizeof(*g->edges));
		g->edges_room = room;
	}
	g->edges[g->nedges] = (struct edge){to, g->first[from],
	    (short)thread, stale};
	g->first[from] = ++g->nedges;
}

static bool
explore_step(struct graph *g, uint32_t from, int thread,
    struct live_next *next)
{
	uint32_t to;
	int i;

	/* state_at() may move while states are added */
	if (!live_step(g->l, state_at(g, from), thread, next))
		return false;
	if (next->waited) {
		/* it has arrived, so it has started */
		add_edge(g, from, from, thread, false);
		return true;
	}
	for (i = 0; i < next->count; i++) {
		if (!add_state(g, next->states + (size_t)i *
		    (size_t)g->l->nwords, &to))
			return false;
		add_edge(g, from, to, thread, next->stale >> i & 1);
	}
	return true;
}

static bool
explore(struct graph *g)
{
	struct live *l = g->l;
	struct live_next next = {0};
	uint32_t i;
	int t;

	next.states = arena_alloc(l->arena, LIVE_CHOICES_MAX * state_size(g));
	live_initial(l, next.states);
	if (!add_state(g, next.states, &i))
		return false;
	for (i = 0; i < g->nstates; i++)
		for (t = 0; t < l->p->nthreads; t++)
			if (!live_ended(l, state_at(g, i), t) &&
			    !explore_step(g, i, t, &next))
				return false;
	return true;
}

/* ---- components ------------------------------------------------------- */

/* Tarjan's algorithm with its stack in arrays. */
struct tarjan {
	struct graph *g;
	uint32_t *number, *low, *stack, *call, *at;
	bool *on_stack;
	uint32_t count, depth, calls;
};

/* The live threads that must be scheduled again and again (spec 5). */
static unsigned
required(const struct live *l, const uint64_t *state, enum progress progress)
{
	unsigned live = 0, started = (unsigned)state[0], lowest, below = 0;
	int t;

	for (t = 0; t < l->p->nthreads; t++)
		if (!live_ended(l, state, t))
			live |= 1u << t;
	lowest = live & (~live + 1);
	for (t = 0; t < l->p->nthreads; t++)
		if (started >> t)
			below |= 1u << t;
	switch (progress) {
	case PROGRESS_FAIR:
		return live;
	case PROGRESS_HSA:
		return lowest;
	case PROGRESS_OBE:
		return live & started;
	case PROGRESS_HSA_OBE:
		return lowest | (live & started);
	case PROGRESS_LOBE:
		return live & below;
	case PROGRESS_UNFAIR:
		break;
	}
	return 0;
}

/* Least where loops begin: there the state is easiest to read. */
static int
pcs(const struct graph *g, uint32_t state)
{
	int t, sum = 0;

	for (t = 0; t < g->l->p->nthreads; t++)
		sum += LIVE_PC(state_at(g, state)[g->l->threads_at[t]]);
	return sum;
}

/*
 * Is the component in stack[from..depth) a hang? Threads end, and start,
 * for good: the live and the started are the same in all its states.
 */
static bool
component_hangs(const struct tarjan *t, uint32_t from,
    enum progress progress, uint32_t *state)
{
	const struct graph *g = t->g;
	unsigned steps = 0, needed;
	uint32_t i, e;

	*state = t->stack[from];
	for (i = from; i < t->depth; i++) {
		if (pcs(g, t->stack[i]) < pcs(g, *state))
			*state = t->stack[i];
		for (e = g->first[t->stack[i]]; e; e = g->edges[e - 1].next) {
			uint32_t to = g->edges[e - 1].to;

			if (!g->edges[e - 1].stale && t->on_stack[to] &&
			    t->number[to] >= t->number[t->stack[from]])
				steps |= 1u << g->edges[e - 1].thread;
		}
	}
	needed = required(g->l, state_at(g, *state), progress);
	return steps && !(needed & ~steps);
}

static void
visit(struct tarjan *t, uint32_t v)
{
	t->number[v] = t->low[v] = ++t->count;
	t->stack[t->depth++] = v;
	t->on_stack[v] = true;
	t->call[t->calls++] = v;
	t->at[v] = t->g->first[v];
}

/* Components of what can be reached from the root and was not before. */
static bool
find_hang_from(struct tarjan *t, uint32_t root, enum progress progress,
    uint32_t *state)
{
	const struct graph *g = t->g;

	visit(t, root);
	while (t->calls) {
		uint32_t v = t->call[t->calls - 1], e = t->at[v], w, from;

		if (e) {
			t->at[v] = g->edges[e - 1].next;
			w = g->edges[e - 1].to;
			if (g->edges[e - 1].stale)
				continue;
			if (!t->number[w])
				visit(t, w);
			else if (t->on_stack[w] && t->number[w] < t->low[v])
				t->low[v] = t->number[w];
			continue;
		}
		t->calls--;
		if (t->calls && t->low[v] < t->low[t->call[t->calls - 1]])
			t->low[t->call[t->calls - 1]] = t->low[v];
		if (t->low[v] != t->number[v])
			continue;
		for (from = t->depth - 1; t->stack[from] != v; from--)
			;
		if (component_hangs(t, from, progress, state))
			return true;
		while (t->depth > from)
			t->on_stack[t->stack[--t->depth]] = false;
	}
	return false;
}

/* Every state can be reached; stale reads are in no component. */
static bool
find_hang(struct graph *g, enum progress progress, uint32_t *state)
{
	size_t n = g->nstates, size = n * sizeof(uint32_t);
	struct arena *a = g->l->arena;
	struct tarjan t = {g, arena_alloc(a, size), arena_alloc(a, size),
		arena_alloc(a, size), arena_alloc(a, size),
		arena_alloc(a, size), arena_alloc(a, n * sizeof(bool)),
		0, 0, 0};
	uint32_t i;

	for (i = 0; i < g->nstates; i++)
		if (!t.number[i] && find_hang_from(&t, i, progress, state))
			return true;
	return false;
}

/* ---- the answer ------------------------------------------------------- */

static const char *const progress_names[] = {
	[PROGRESS_FAIR] = "fair", [PROGRESS_HSA] = "hsa",
	[PROGRESS_OBE] = "obe", [PROGRESS_HSA_OBE] = "hsa_obe",
	[PROGRESS_LOBE] = "lobe", [PROGRESS_UNFAIR] = "unfair",
};

const char *
progress_name(enum progress progress)
{
	return progress_names[progress];
}

bool
progress_parse(const char *s, enum progress *progress)
{
	int i;

	for (i = PROGRESS_FAIR; i <= PROGRESS_UNFAIR; i++)
		if (strcmp(s, progress_names[i]) == 0) {
			*progress = (enum progress)i;
			return true;
		}
	return false;
}

/* What each thread does in the hang, in one line. */
static void
describe(struct text *why, const struct graph *g, uint32_t state,
    enum progress progress)
{
	const struct live *l = g->l;
	uint64_t *s = state_at(g, state);
	unsigned needed = required(l, s, progress);
	int t, loc;

	for (t = 0; t < l->p->nthreads; t++) {
		const struct thread *th = &l->p->threads[t];
		uint64_t w = s[l->threads_at[t]];

		text_printf(why, "  P%d ", t);
		if (live_ended(l, s, t)) {
			text_printf(why, "has ended\n");
			continue;
		}
		if (w & LIVE_WAITS)
			text_printf(why, "waits at the barrier");
		else if (!(s[0] >> t & 1))
			text_printf(why, "has not started");
		else if (needed >> t & 1)
			text_printf(why, "goes round");
		else
			text_printf(why, "may be left out");
		text_printf(why, ", line %d: ",
		    th->insns[LIVE_PC(w)].loc.line);
		insn_print(why, l->p, t, &th->insns[LIVE_PC(w)]);
		text_printf(why, "\n");
	}
	for (loc = 0; l->racing && loc < l->nlocs; loc++) {
		uint64_t set = live_newest(l, s, loc);

		if (set & (set - 1))
			text_printf(why, "  [%s] has %d newest writes: no "
			    "rule orders them, so a read may take an old one "
			    "for ever\n", l->p->vars[l->locs[loc].var].name,
			    __builtin_popcountll(set));
	}
}

/* Loads in loops that need not see a write, whatever the answer. */
static void
warn_of_polling(struct text *why, const struct program *p)
{
	int t, i;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			if (live_polls(p, t, i))
				text_printf(why, "  P%d line %d polls with a "
				    "load that is weak, or whose scope is too "
				    "narrow: it need never see a write of "
				    "another thread\n", t,
				    p->threads[t].insns[i].loc.line);
}

bool
model_live(const struct program *p, enum progress progress, struct arena *a,
    bool *terminates, struct text *why, struct err *err)
{
	struct live l = {.p = p, .arena = a, .err = err};
	struct graph g = {.l = &l};
	uint32_t state = 0;

	if (!live_setup(&l) || !explore(&g))
		return false;
	*terminates = !find_hang(&g, progress, &state);
	if (why && *terminates)
		text_printf(why, "%s: every execution ends (%u state%s, "
		    "scheduling: %s)\n", p->name, g.nstates,
		    plural(g.nstates), progress_name(progress));
	if (why && !*terminates) {
		text_printf(why, "%s: an execution need not end "
		    "(scheduling: %s)\n", p->name, progress_name(progress));
		describe(why, &g, state, progress);
	}
	if (why)
		warn_of_polling(why, p);
	return true;
}
