/*
 * Barriers of the .litmus dialect (spec 4.1), after Dartagnan's encoding.
 * bar.cta.sync I, R, Q: I is an instance, not a barrier's number.
 *
 *   I        passed once every instruction with that I in the CTA has been
 *            reached
 *   I, R     once all those with that I whose R is equal have been reached
 *   I, R, Q  once Q of these have; some Q of them then synchronize with all
 *
 * Each barrier is passed once: there are no generations.
 */
#include "internal.h"

struct barriers {
	struct search *s;
	struct ways *ways;
	int list[THREADS_MAX][EVENTS_MAX], count[THREADS_MAX];
	int at[THREADS_MAX]; /* the event it is stopped at */
	event_row all, reached;
};

static const struct path_event *
origin(const struct barriers *b, int event)
{
	return b->s->g.origin[event];
}

static const struct thread *
thread_of(const struct barriers *b, int event)
{
	return &b->s->m->p->threads[origin(b, event)->event.thread];
}

/* Do two events stand at the same barrier? */
static bool
same_barrier(const struct barriers *b, int e, int f)
{
	const struct path_event *pe = origin(b, e), *pf = origin(b, f);

	return thread_of(b, e)->cta == thread_of(b, f)->cta &&
	    pe->args[0] == pf->args[0] && (pe->nargs == 1 ?
	    pf->nargs == 1 : pf->nargs > 1 && pe->args[1] == pf->args[1]);
}

/* Does an instruction stand at the barrier of event e, whatever happens? */
static bool
stands_at(const struct barriers *b, int e, const struct insn *insn)
{
	const struct path_event *pe = origin(b, e);

	if (insn->op->class != CLASS_BARRIER ||
	    insn->ops[0].kind != OPERAND_IMM ||
	    (uint32_t)insn->ops[0].imm != pe->args[0])
		return false;
	if (pe->nargs == 1)
		return insn->nops == 1;
	return insn->nops > 1 && insn->ops[1].kind == OPERAND_IMM &&
	    (uint32_t)insn->ops[1].imm == pe->args[1];
}

static bool
insn_reached(const struct barriers *b, int t, int insn)
{
	int i;

	for (i = 0; i < b->count[t]; i++) {
		int event = b->list[t][i];

		if (origin(b, event)->event.insn == insn &&
		    b->reached & BIT(event))
			return true;
	}
	return false;
}

/* Forms I and I, R: everybody who stands at this barrier is there. */
static bool
all_reached(const struct barriers *b, int e)
{
	const struct program *p = b->s->m->p;
	int t, i;

	for (t = 0; t < p->nthreads; t++) {
		const struct thread *thread = &p->threads[t];

		for (i = 0; i < thread->ninsns; i++)
			if (thread->cta == thread_of(b, e)->cta &&
			    stands_at(b, e, &thread->insns[i]) &&
			    !insn_reached(b, t, i))
				return false;
	}
	EACH(i, b->all & ~b->reached)
		if (same_barrier(b, e, i))
			return false;
	return true;
}

static event_row
fellows(const struct barriers *b, int e)
{
	event_row found = 0;
	int i;

	EACH(i, b->reached)
		if (same_barrier(b, e, i))
			found |= BIT(i);
	return found;
}

static bool
is_passed(const struct barriers *b, int e)
{
	const struct path_event *pe = origin(b, e);

	if (pe->nargs < 3)
		return all_reached(b, e);
	return (uint64_t)__builtin_popcountll(fellows(b, e)) >= pe->args[2];
}

static void
reach_all(struct barriers *b)
{
	bool more = true;
	int t;

	while (more) {
		more = false;
		for (t = 0; t < b->s->m->p->nthreads; t++) {
			int event;

			if (b->at[t] == b->count[t])
				continue;
			event = b->list[t][b->at[t]];
			more |= !(b->reached & BIT(event));
			b->reached |= BIT(event);
			if (!origin(b, event)->event.arrive_only &&
			    !is_passed(b, event))
				continue;
			b->at[t]++;
			more = true;
		}
	}
}

/* ---- who synchronizes ------------------------------------------------- */

/* `syncs`: the events, of all barriers, that synchronize with others. */
static bool
keep_way(struct barriers *b, event_row syncs)
{
	struct way *way = way_add(b->s, b->ways);
	const struct program *p = b->s->m->p;
	int t, e;

	if (!way)
		return false;
	EACH(e, b->reached & b->all) {
		event_row others = is_passed(b, e) ? fellows(b, e) : 0;
		int f;

		EACH(f, others)
			if (f != e && syncs & BIT(e) && is_passed(b, f) &&
			    (!origin(b, f)->event.arrive_only ||
			    HAS(b->s->m, ARRIVE_WAITS)))
				way->sync[e] |= BIT(f);
		if (!origin(b, e)->event.arrive_only)
			way->waits[e] = others & syncs;
	}
	for (t = 0; t < p->nthreads; t++) {
		way->end[t] = b->s->path[t]->count;
		if (b->at[t] == b->count[t] ||
		    !HAS(b->s->m, BARRIER_BLOCKS))
			continue;
		way->stuck = true;
		way->end[t] = b->list[t][b->at[t]] - b->s->first[t];
	}
	return true;
}

static bool choose_syncs(struct barriers *b, event_row left, event_row syncs);

/* Adds `need` of `from` to syncs, in every way. */
static bool
choose_some(struct barriers *b, event_row left, event_row syncs,
    event_row from, int need)
{
	int first;

	if (need <= 0)
		return choose_syncs(b, left, syncs);
	if (__builtin_popcountll(from) < need)
		return true;
	first = row_first(from);
	from &= from - 1;
	return choose_some(b, left, syncs | BIT(first), from, need - 1) &&
	    choose_some(b, left, syncs, from, need);
}

/*
 * Of a barrier with a quorum any that reach it may be the ones that
 * synchronize; fewer edges forbid less, so only as many as the quorum.
 */
static bool
choose_syncs(struct barriers *b, event_row left, event_row syncs)
{
	event_row there, counted = 0;
	uint64_t quorum = 0;
	int i;

	if (!left)
		return keep_way(b, syncs);
	there = fellows(b, row_first(left));
	EACH(i, there) {
		const struct path_event *e = origin(b, i);

		if (e->nargs < 3)
			continue;
		counted |= BIT(i);
		if (e->args[2] > quorum)
			quorum = e->args[2];
	}
	syncs |= there & ~counted;
	left &= ~there;
	if (quorum > (uint64_t)__builtin_popcountll(there))
		return choose_syncs(b, left, syncs | counted);
	return choose_some(b, left, syncs, counted, (int)quorum -
	    __builtin_popcountll(there & ~counted));
}

bool
dialect_resolve(struct search *s, struct ways *ways)
{
	struct barriers b = {.s = s, .ways = ways};
	int i;

	for (i = 0; i < s->g.x.count; i++) {
		const struct event *e = &s->g.x.events[i];

		if (e->kind != EVENT_BARRIER)
			continue;
		b.list[e->thread][b.count[e->thread]++] = i;
		b.all |= BIT(i);
	}
	reach_all(&b);
	return choose_syncs(&b, b.reached, 0);
}
