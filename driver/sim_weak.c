/*
 * The weak memory: why it never shows what the PTX model forbids.
 *
 * "8.x" are sections of the PTX ISA, A1 to A6 the axioms as model/ has them.
 * The machine does accesses one at a time. Each location remembers its
 * stores, with a coherence order, a strict partial order that only grows by
 * new stores: how two stores stand never changes once both are there. Each
 * thread has a view: for each location a set of stores, V. A load takes any
 * store w such that no v in V comes after w; a new store comes after all of
 * V. What V holds is the heart of it:
 *
 *   V = the stores that are before the thread's next event at that location
 *       in causality order (8.9.6): by base causality, or observed by an
 *       event that is.
 *
 * The thread's own stores enter V when they are done, a store that it reads
 * morally strongly when it is read (the first link of observation, 8.9.2;
 * earlier links are atomics, whose stores come later in coherence order, so
 * that having the last is having all). V passes on along synchronizes-with
 * (8.9.5), and only so:
 *   - A head of a release pattern (8.7) holds a copy of its thread's view. A
 *     strong store carries the heads whose patterns it completes; an
 *     atomic's store also those of the store it read, if morally strongly.
 *     Who reads such a store morally strongly is offered the heads, and takes
 *     the views of those that are morally strong with the acquire: at once
 *     if it is one, else at its later fence or acquire of the location. Heads
 *     left out of a list always have another there that knows as much and
 *     reaches as far.
 *   - fence.sc of mutually morally strong fences: in the order in which they
 *     are done (8.9.3). As no base causality runs against the order in which
 *     things are done, this satisfies A2.
 *   - CTA, cluster and warp barriers: from all that arrived to all that
 *     waited; where the arrival is relaxed, if the thread has had a releasing
 *     fence (9.7.15).
 * Where a bound is hit (a list is full, a location has too many stores, much
 * memory is in use) a thread learns more, or a store is no longer read: all
 * axioms but A3 and A4 only ask that things be ordered, and are easier to
 * violate the fewer executions there are. Accesses that overlap in part are
 * outside: the model has no verdict on their programs.
 *
 * A1 coherence: a new store is put after all of V. Stores that the model
 *    wants ordered are (must_order), whichever way does not contradict V.
 * A2 Fence-SC: above.
 * A3 atomicity: an atomic's store is put directly after what it read, as
 *    far as stores morally strong with it go, and none is put between later
 *    (insert).
 * A4 no thin air: a load's value is that of a store already done, and an
 *    instruction that depends on a load is not done before it.
 * A5 SC per location: rf, co and fr between morally strong events of
 *    different threads, with program order at the location, have no cycle.
 *    For a CTA let S be the strong stores whose scope includes it or that
 *    are its own. Any two in S are ordered: of their scopes one includes the
 *    other's thread, and for must_order one inclusion is enough (the model
 *    asks for both). Rank S by the order in question, and put an event of
 *    the CTA above all of S that its V, and what it reads morally strongly,
 *    holds. Program order does not go down in rank, for V only grows, and a
 *    store comes after V; rf and co go up; fr from a load of w to a later
 *    store s goes up, for if some v in V were s or after s it would be after
 *    w, and w could not have been read. All such edges between CTAs are of
 *    events in both their S.
 * A6 causality: what comes in causality order before an event is done
 *    before it, so no load reads a store that is after it; and a load of w
 *    with w coherence-before some v, v in causality order before the load,
 *    is just what V forbids. No later store is put before one that was
 *    there in a way that newly orders two old ones (insert), so what was
 *    right when it was read stays so.
 *
 * Late loads (sim_weak_pending.c) are where the order of doing and program
 * order part. A pending load, or atomic, holds V of when it was issued. The
 * cases:
 *   - Events that it is causally before. None in other threads: whoever
 *     would take a head that this thread made since, or learn what it
 *     published since, has the load done first, and what it found is then
 *     added to that head or publication (tell). In its own thread nothing at
 *     the same location: such an access has the load done first. So no store
 *     is after it in causality order when it is done, and what it observes
 *     is in every view where it must be. An atomic's store likewise.
 *   - What it would bring before events already done: if it is an acquire,
 *     or an acquiring fence has gone by, reading a store whose head that
 *     would take. It does not read such a store (offends). Nor is an acquire
 *     late if a load of its location before it was offered heads: it takes
 *     them whatever it reads. Atomics are not late if they acquire, and do
 *     not let such fences go by.
 *   - Values: whatever uses its register has it done first (A4).
 * There is always something to read: a store that may be read with a given
 * V may be read for ever, and a fence goes by only if there is one
 * (can_pass); stores are not forgotten while loads of them are pending.
 *
 * Initial values are in plain memory until the first store, and come before
 * all. At the end any store that none comes after stays: 3.2 of the model.
 *
 * It shows most of what is allowed, not all: only loads and atomics are
 * late; a store is not put where it would newly order two others; threads
 * whose instances differ share fence.sc order. tests/test_sim_weak.c
 * measures it.
 */
#include "sim_weak.h"

#include <stdlib.h>
#include <string.h>

#define LATE_CHANCE 4 /* one load in so many is done late */
#define BYTES_MAX ((size_t)256 << 20)

/* ---- the unit's life -------------------------------------------------------------------- */

static void
thread_clear(struct weak_thread *t)
{
	t->view = (struct weak_view){0};
	t->changed = NULL;
	t->nchanged = t->changed_room = 0;
	t->head = NULL;
	t->nheads = 0;
	t->epoch = 1;
	memset(t->fences, 0, sizeof(t->fences));
	t->fenced = false;
	t->noffers = t->npending = 0;
	t->published = NULL;
	t->since = NULL;
	t->since_pubs = NULL;
	t->nsince_pubs = t->since_room = 0;
}

static void
agents_clear(struct sim_unit *u, const struct sim_cta *cta)
{
	size_t first = AGENTS * (size_t)(cta - u->ctas);
	int i;

	for (i = 0; i < AGENTS; i++)
		thread_clear(&u->weak->agents[first + (size_t)i].agent);
}

static void
restart(struct weak *w)
{
	arena_reset(w->arena);
	w->stamp++;
	w->all = NULL;
	w->nlocs = 0;
	w->nindexed = w->ntakens = 0;
	w->nwaiting = 0;
	w->bytes = 0;
	w->sc = (struct sim_domain){0};
}

static void
begin(struct sim_unit *u)
{
	size_t n = (size_t)u->nctas * u->block;
	struct weak *w = u->weak;

	if (!w) {
		w = u->weak = sim_must(calloc(1, sizeof(*w)));
		w->arena = arena_new();
		w->nslots = 1024;
		w->slots = sim_must(calloc(w->nslots, sizeof(*w->slots)));
	}
	if (n > w->nthreads) {
		w->threads = sim_must(realloc(w->threads,
		    n * sizeof(*w->threads)));
		w->waiting = sim_must(realloc(w->waiting,
		    n * sizeof(*w->waiting)));
		w->nthreads = (uint32_t)n;
	}
	if (u->nctas > w->nagents) {
		w->agents = sim_must(realloc(w->agents,
		    AGENTS * u->nctas * sizeof(*w->agents)));
		w->nagents = u->nctas;
	}
	w->time = 0;
	restart(w);
}

static void
end(struct sim_unit *u)
{
	loc_flush_all(u);
}

void
sim_weak_free(struct sim_unit *u)
{
	struct weak *w = u->weak;

	if (!w)
		return;
	arena_free(w->arena);
	free(w->threads);
	free(w->waiting);
	free(w->agents);
	free(w->slots);
	free(w->index);
	free(w->taken);
	free(w);
}

static void
start(struct sim_unit *u, struct sim_thread *st)
{
	struct weak_thread *t = weak_of(u, st);
	const struct sim_cta *cta = st->cta;

	thread_clear(t);
	t->thread = st;
	t->who = (struct weak_who){
	    .thread = (uint32_t)(cta->index * u->block + st->tid),
	    .cta = (uint32_t)cta->index,
	    .cluster = (uint32_t)(cta->index / cta->cluster->size)};
	if (st->tid == 0) {
		agents_clear(u, cta);
		weak_agents_start(u, cta);
	}
}

static void
finish(struct sim_unit *u, struct sim_thread *st)
{
	pending_settle_all(u, weak_of(u, st));
}

/*
 * Where much was remembered, all of it goes back to plain memory: everyone
 * then knows everything. Only between two accesses.
 */
static void
recall_now(struct sim_unit *u)
{
	struct weak *w = u->weak;
	uint32_t i, j;

	while (w->nwaiting > 0)
		pending_settle_all(u, w->waiting[0]);
	loc_flush_all(u);
	for (i = 0; i < u->nctas * u->block; i++)
		if (u->threads[i].state != SIM_EXITED)
			thread_clear(&w->threads[i]);
	for (i = 0; i < u->nctas; i++) {
		struct sim_cta *cta = &u->ctas[i];

		agents_clear(u, cta);
		cta->domain = cta->sc = (struct sim_domain){0};
		cta->cluster->domain = (struct sim_domain){0};
		cta->cluster->sc = (struct sim_domain){0};
		for (j = 0; j < u->nwarps; j++)
			cta->warps[j].domain = (struct sim_domain){0};
	}
	restart(w);
}

static inline void
recall(struct sim_unit *u)
{
	if (u->weak->bytes > BYTES_MAX)
		recall_now(u);
}

/* ---- accesses ------------------------------------------------------------------------------ */

static bool
late(struct sim_unit *u, struct weak_thread *t,
    const struct sim_request *access, const struct weak_who *who)
{
	return access->code->vec == 1 &&
	    access->code->insn->op->class != CLASS_MBARRIER &&
	    !sim_planted(u, access->code, SIM_FAULT_OLD_READ) &&
	    !sim_planted(u, access->code, SIM_FAULT_STUCK_LINE) &&
	    u->luck < UINT32_MAX / LATE_CHANCE &&
	    pending_issue(u, t, access, who);
}

/* An mbarrier is an opaque object, whole for everyone: its operations
   follow each other whatever their scopes. Those say who synchronizes. */
static struct weak_who
link_of(const struct weak_who *who, const struct sim_code *c)
{
	struct weak_who link = *who;

	if (c->insn->op->class == CLASS_MBARRIER && link.strong)
		link.scope = SCOPE_SYS;
	return link;
}

static int
choose(struct sim_unit *u, struct weak_thread *t, struct weak_loc *loc,
    const struct sim_code *c)
{
	msg_set seen = sim_planted(u, c, SIM_FAULT_OLD_READ) ? 0 :
	    view_seen(u->weak, t, loc);
	msg_set can = loc_readable(loc, seen);

	if (sim_planted(u, c, SIM_FAULT_STUCK_LINE))
		return __builtin_ctz(can); /* the oldest */
	return msg_pick(u, can);
}

/* Planted faults of what a load delivers. */
static void
spoil(struct sim_unit *u, struct sim_request *access, struct weak_loc **loc)
{
	struct weak *w = u->weak;
	uint64_t value = access->value[0];

	if (u->fault == SIM_FAULT_FLIP_BIT && sim_chance(u, 256))
		access->value[0] ^= 0x20;
	if (u->fault == SIM_FAULT_MIX_VALUES && loc[0] && sim_chance(u, 16))
		access->value[0] |= loc[0]->msgs[sim_rng_below(&u->rng,
		    loc[0]->n)].value;
	if (u->fault == SIM_FAULT_WRONG_LANE && sim_chance(u, 16) &&
	    w->last_load == access->code)
		access->value[0] = w->last_value;
	w->last_load = access->code;
	w->last_value = value;
}

static bool
load(struct sim_unit *u, struct sim_thread *st, struct sim_request *access)
{
	const struct sim_code *c = access->code;
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = weak_who_of(u, t, c);
	struct weak_who link = link_of(&who, c);
	struct weak_heads *heads[VEC_MAX] = {0};
	struct weak_loc *loc[VEC_MAX];
	int i, msg;

	recall(u);
	for (i = 0; t->npending > 0 && i < c->vec; i++)
		pending_settle_at(u, t, access->at[i]);
	if (!c->harness && late(u, t, access, &who))
		return false;
	for (i = 0; i < c->vec; i++) {
		loc[i] = loc_find(u, access->at[i], c->size);
		if (!loc[i]) {
			access->value[i] = sim_cut_load(access->at[i],
			    c->size);
			continue;
		}
		msg = choose(u, t, loc[i], c);
		access->value[i] = loc[i]->msgs[msg].value;
		heads[i] = weak_observe(u, t, loc[i], msg, &link);
	}
	if (u->fault != SIM_FAULT_NONE && !c->harness)
		spoil(u, access, loc);
	/* only now: the elements of a vector have no order */
	for (i = 0; i < c->vec; i++)
		if (heads[i] || (c->sem == SEM_ACQUIRE && t->noffers))
			weak_take(u, t, heads[i], loc[i], &who,
			    c->sem == SEM_ACQUIRE);
	return true;
}

static void
store(struct sim_unit *u, struct sim_thread *st, struct sim_request *access)
{
	const struct sim_code *c = access->code;
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = weak_who_of(u, t, c);
	struct weak_head *own = NULL;
	struct weak_loc *loc;
	int i, msg;

	recall(u);
	if (sim_planted(u, c, SIM_FAULT_LOSE_STORE) && sim_chance(u, 64))
		return;
	for (i = 0; t->npending > 0 && i < c->vec; i++)
		pending_settle_at(u, t, access->at[i]);
	if (c->sem == SEM_RELEASE)
		own = weak_head(u->weak, t, &who);
	for (i = 0; i < c->vec; i++) {
		if (i > 0 && sim_planted(u, c, SIM_FAULT_TEAR_VECTOR) &&
		    sim_chance(u, 8))
			continue;
		if (c->harness && !loc_find(u, access->at[i], c->size)) {
			sim_cut_store(access->at[i], c->size,
			    access->value[i]);
			continue;
		}
		loc = loc_make(u, access->at[i], c->size);
		loc_room(u, loc);
		msg = loc_store(u, loc, view_seen(u->weak, t, loc), &who,
		    value_cut(access->value[i], (enum type)c->type));
		loc->msgs[msg].heads = weak_release_heads(u, t, loc,
		    &who, own);
		if (own)
			weak_remember(u->weak, loc, own);
		view_add(u->weak, t, loc, (msg_set)1 << msg);
	}
}

struct weak_rmw
weak_rmw_do(struct sim_unit *u, struct weak_thread *t, struct weak_loc *loc,
    msg_set seen, const struct weak_pending *p)
{
	const struct sim_code *c = p->code;
	struct weak_rmw done = {0};
	msg_set can = loc_readable(loc, seen);
	int source, at = -1;
	uint64_t new;

	for (;;) {
		source = msg_pick(u, can);
		done.old = loc->msgs[source].value;
		new = sim_rmw_value(c, done.old, p->value, p->compare);
		/* a failed cas does not write */
		if (c->rmw == RMW_CAS && done.old !=
		    value_cut(p->value, (enum type)c->type))
			break;
		at = sim_planted(u, c, SIM_FAULT_SPLIT_ATOMIC) ?
		    loc_store(u, loc, seen, &p->who, new) :
		    loc_rmw(u, loc, seen, &p->who, source, new);
		if (at >= 0)
			break;
		/* the last store of all is always possible */
		can &= ~((msg_set)1 << source);
	}
	done.heads = weak_observe(u, t, loc, source, &p->who);
	if (weak_moral(&loc->msgs[source].who, &p->who))
		done.known |= (msg_set)1 << source;
	if (at >= 0) {
		loc->msgs[at].heads = weak_chain(u->weak, p->heads, done.heads);
		view_add(u->weak, t, loc, (msg_set)1 << at);
		done.known |= (msg_set)1 << at;
	}
	/* red is no load to an acquire pattern (8.7) */
	if (c->insn->op->class == CLASS_RED)
		done.heads = NULL;
	return done;
}

static bool
rmw(struct sim_unit *u, struct sim_thread *st, struct sim_request *access)
{
	const struct sim_code *c = access->code;
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = weak_who_of(u, t, c);
	struct weak_pending now = {.code = c, .who = link_of(&who, c),
	    .value = access->value[0], .compare = access->compare};
	struct weak_head *own = NULL;
	struct weak_rmw done;
	struct weak_loc *loc;

	recall(u);
	if (t->npending > 0)
		pending_settle_at(u, t, access->at[0]);
	if (c->harness && !loc_find(u, access->at[0], c->size))
		return sim_sc.rmw(u, st, access);
	if (c->insn->op->class == CLASS_RMW && !weak_acquires(c) && !c->harness &&
	    late(u, t, access, &who))
		return false;
	loc = loc_make(u, access->at[0], c->size);
	loc_room(u, loc);
	if (weak_releases(c))
		own = weak_head(u->weak, t, &who);
	now.heads = weak_release_heads(u, t, loc, &who, own);
	done = weak_rmw_do(u, t, loc, view_seen(u->weak, t, loc), &now);
	access->value[0] = done.old;
	weak_take(u, t, done.heads, loc, &who, weak_acquires(c));
	if (own) {
		/* the store also releases what the load acquired */
		if (weak_acquires(c))
			view_head(u->weak, t, own);
		weak_remember(u->weak, loc, own);
	}
	return true;
}

static void
fence(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	recall(u);
	weak_fence(u, t, c);
}

static void
settle(struct sim_unit *u, struct sim_thread *t, uint64_t touch)
{
	pending_settle(u, weak_of(u, t), touch);
}

const struct sim_memory_ops sim_weak = {
	.name = "weak",
	.begin = begin, .end = end, .start = start, .finish = finish,
	.recycle = loc_forget,
	.load = load, .store = store, .rmw = rmw,
	.fence = fence, .settle = settle,
	.publish = weak_publish, .join = weak_join, .proxy = weak_proxy,
	.copy_issue = weak_copy_issue, .copy_read = weak_copy_read,
	.copy_write = weak_copy_write, .copy_count = weak_copy_count,
	.copy_learn = weak_copy_learn,
};
