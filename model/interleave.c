/*
 * Which final states does some interleaving of a product of paths give?
 * The values that reads return are part of the paths, so the interleavings
 * are those that give just these. Reads, fences and barriers that can go on
 * do so at once: nothing is lost, since they change no memory. Only writes
 * branch. Atomics happen at once, the elements of a vector one by one.
 */
#include "internal.h"

#include <string.h>

struct state {
	event_row done, arrived;
	uint8_t memory[LOCATIONS_MAX]; /* value numbers */
};

struct explorer {
	struct search *s;
	event_row before[EVENTS_MAX]; /* must be done first */
	uint8_t value[EVENTS_MAX]; /* value number of an access */
	struct state *seen; /* hash table, open addressing; done 0 = free */
	size_t room, count;
};

static size_t
place(const struct explorer *e, const struct state *state)
{
	size_t at = hash64(state, sizeof(*state), 0) & (e->room - 1);

	while (e->seen[at].done &&
	    memcmp(&e->seen[at], state, sizeof(*state)) != 0)
		at = (at + 1) & (e->room - 1);
	return at;
}

static void
grow(struct explorer *e)
{
	struct state *old = e->seen;
	size_t n = e->room, i;

	e->room = n ? 4 * n : 64;
	e->seen = arena_alloc(e->s->scratch, e->room * sizeof(*old));
	for (i = 0; i < n; i++)
		if (old[i].done)
			e->seen[place(e, &old[i])] = old[i];
}

/* False if it was there. */
static bool
remember(struct explorer *e, const struct state *state)
{
	size_t at;

	if (2 * e->count >= e->room)
		grow(e);
	at = place(e, state);
	if (e->seen[at].done)
		return false;
	e->seen[at] = *state;
	e->count++;
	return true;
}

/* Can an event that changes no memory be next? Barriers take two steps. */
static bool
step(const struct explorer *e, struct state *state, int i)
{
	const struct event *event = &e->s->g.x.events[i];
	const struct way *way = e->s->way;

	switch (event->kind) {
	case EVENT_READ:
		return event->rmw < 0 &&
		    state->memory[event->loc] == e->value[i];
	case EVENT_FENCE:
	case EVENT_PROXY_FENCE:
	case EVENT_WAIT:
		return true;
	case EVENT_BARRIER:
		if (!(way->after[i] & ~state->arrived))
			state->arrived |= BIT(i);
		return state->arrived & BIT(i) &&
		    !(way->waits[i] & ~state->arrived) &&
		    !(way->exits[i] & ~state->done);
	default:
		return false;
	}
}

static void
run_quiet(const struct explorer *e, struct state *state, event_row all)
{
	event_row done, arrived;
	int i;

	do {
		done = state->done;
		arrived = state->arrived;
		EACH(i, all & ~done)
			if (!(e->before[i] & ~state->done) &&
			    step(e, state, i))
				state->done |= BIT(i);
	} while (done != state->done || arrived != state->arrived);
}

static void
explore(struct explorer *e, struct state state)
{
	const struct execution *x = &e->s->g.x;
	event_row all = x->count == 64 ? ~(event_row)0 : BIT(x->count) - 1;
	int i;

	run_quiet(e, &state, all);
	if (state.done == all) {
		results_mark(e->s, state.memory);
		return;
	}
	if (!remember(e, &state) || !work_add(e->s->m, 1))
		return;
	EACH(i, all & ~state.done) {
		const struct event *event = &x->events[i];
		struct state next = state;
		int write = i;

		if (e->before[i] & ~state.done)
			continue;
		if (event->kind == EVENT_READ && event->rmw >= 0 &&
		    state.memory[event->loc] == e->value[i])
			write = event->rmw;
		else if (event->kind != EVENT_WRITE || event->rmw >= 0)
			continue;
		next.done |= BIT(i) | BIT(write);
		next.memory[event->loc] = e->value[write];
		explore(e, next);
	}
}

/* Earlier events of the thread, but for elements of the same vector; of
   asynchronous operations those that are complete. */
static event_row
earlier(const struct graph *g, int i)
{
	const struct event *e = &g->x.events[i];
	event_row before;
	int j;

	if (e->thread < 0)
		return 0;
	before = g->of_thread[e->thread] & (BIT(i) - 1) & ~g->async;
	EACH(j, before & g->mem)
		if (g->x.events[j].insn == e->insn &&
		    g->x.events[j].turn == e->turn &&
		    g->x.events[j].loc != e->loc)
			before &= ~BIT(j);
	EACH(j, g->async)
		if (g->x.async[j] & BIT(i))
			before |= BIT(j);
	return before;
}

void
interleave(struct search *s)
{
	const struct graph *g = &s->g;
	struct explorer e = {.s = s};
	struct state start;
	int i;

	memset(&start, 0, sizeof(start));
	for (i = 0; i < g->x.count; i++) {
		const struct event *event = &g->x.events[i];

		e.before[i] = earlier(g, i);
		if (event->loc >= 0)
			e.value[i] = (uint8_t)location_value(
			    &s->m->locs[event->loc], event->value);
		if (event->thread < 0)
			start.done |= BIT(i);
	}
	explore(&e, start);
}
