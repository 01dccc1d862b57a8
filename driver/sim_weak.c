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
 *     waited.
 * Where a bound is hit (a list is full, a location has too many stores, an
 * access has another size) a thread learns more, or a store is no longer
 * read: all axioms but A3 and A4 only ask that things be ordered, and are
 * easier to violate the fewer executions there are.
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
 *     would take. It does not read such a store (offends). Atomics are not
 *     late if they acquire, and do not let such fences go by.
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
#define LONG_LIST 8

/* ---- who ------------------------------------------------------------------------ */

static struct weak_thread *
weak_of(const struct sim_unit *u, const struct sim_thread *t)
{
	return &u->weak->threads[t->id];
}

static struct weak_who
who_of(const struct weak_thread *t, const struct sim_code *c)
{
	struct weak_who who = t->who;

	who.scope = c->scope;
	who.strong = c->sem != SEM_WEAK;
	return who;
}

static bool
acquires(const struct sim_code *c)
{
	return c->sem == SEM_ACQUIRE || c->sem == SEM_ACQ_REL ||
	    c->sem == SEM_SC;
}

static bool
releases(const struct sim_code *c)
{
	return c->sem == SEM_RELEASE || c->sem == SEM_ACQ_REL ||
	    c->sem == SEM_SC;
}

/* ---- releasing --------------------------------------------------------------------- */

static struct weak_heads *
push(struct weak *w, struct weak_heads *list, struct weak_head *head)
{
	struct weak_heads *node = weak_alloc(w, sizeof(*node));

	*node = (struct weak_heads){head, list};
	return node;
}

/* A head of this thread, knowing what the thread knows now. */
struct weak_head *
weak_head(struct weak *w, struct weak_thread *t, const struct weak_who *who)
{
	struct weak_head *head = weak_alloc(w, sizeof(*head));

	head->who = *who;
	head->thread = t;
	view_copy(w, &head->view, &t->view);
	if (t->npending > 0)
		t->since = push(w, t->since, head);
	return head;
}

/*
 * The heads whose patterns a strong store by this thread completes
 * (8.7): its own release (1), an earlier release to the same location (2),
 * an earlier fence (3).
 */
struct weak_heads *
weak_release_heads(struct weak *w, struct weak_thread *t,
    const struct weak_loc *loc, const struct weak_who *who,
    struct weak_head *own)
{
	struct weak_heads *list = NULL;
	const struct weak_heads *h;
	int s;

	if (!who->strong)
		return NULL;
	for (s = SCOPE_CTA; s <= SCOPE_SYS; s++)
		if (t->fences[s])
			list = push(w, list, t->fences[s]);
	for (h = loc ? loc->releases : NULL; h; h = h->next)
		if (h->head->who.thread == t->who.thread)
			list = push(w, list, h->head);
	return own ? push(w, list, own) : list;
}

/* Whatever can acquire `old` can acquire `new`, and learns more. */
static bool
supersedes(const struct weak_head *new, const struct weak_head *old)
{
	return new->who.thread == old->who.thread &&
	    new->who.scope >= old->who.scope;
}

void
weak_remember(struct weak *w, struct weak_loc *loc,
    struct weak_head *head)
{
	struct weak_heads **p = &loc->releases;

	while (*p)
		if (supersedes(head, (*p)->head))
			*p = (*p)->next;
		else
			p = &(*p)->next;
	loc->releases = push(w, loc->releases, head);
}

static bool
is_superseded(const struct weak_heads *by, const struct weak_head *old)
{
	for (; by; by = by->next)
		if (supersedes(by->head, old))
			return true;
	return false;
}

/* The heads of an atomic's store: its own and those it read (observation
   order, 8.9.2). `own` are newer; long lists are thinned out. */
static struct weak_heads *
chain(struct weak *w, struct weak_heads *own, struct weak_heads *read)
{
	struct weak_heads *list = read;
	const struct weak_heads *h;
	int length = 0;

	for (h = read; h && length < LONG_LIST; h = h->next)
		length++;
	if (length == LONG_LIST) {
		list = NULL;
		for (h = read; h; h = h->next)
			if (!is_superseded(own, h->head))
				list = push(w, list, h->head);
	}
	for (h = own; h; h = h->next)
		list = push(w, list, h->head);
	return list;
}

/* ---- acquiring ----------------------------------------------------------------------- */

static void
acquire(struct sim_unit *u, struct weak_thread *t, struct weak_head *head)
{
	struct weak_thread *other = head->thread;

	if (other->npending > 0 && other != t &&
	    other->who.thread == head->who.thread)
		pending_settle_all(u, other);
	view_join(u->weak, t, &head->view);
}

struct weak_heads *
weak_observe(struct weak *w, struct weak_thread *t, struct weak_loc *loc,
    int msg, const struct weak_who *who)
{
	if (!weak_moral(&loc->msgs[msg].who, who))
		return NULL;
	view_add(w, t, loc, (msg_set)1 << msg);
	return loc->msgs[msg].heads;
}

static void
offer(struct sim_unit *u, struct weak_thread *t, struct weak_head *head,
    struct weak_loc *loc)
{
	uint32_t i;

	for (i = 0; i < t->noffers; i++)
		if (t->offers[i].head == head)
			return;
	/* no room: acquire the oldest at once. More order, never less */
	if (t->noffers == OFFERS_MAX) {
		acquire(u, t, t->offers[0].head);
		t->noffers--;
		memmove(t->offers, t->offers + 1,
		    t->noffers * sizeof(*t->offers));
	}
	t->offers[t->noffers++] = (struct weak_offer){head, loc};
}

void
weak_offer(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc)
{
	for (; heads; heads = heads->next)
		if (heads->head->who.thread != t->who.thread)
			offer(u, t, heads->head, loc);
}

/* A fence, or an acquire of `loc`, takes up offers: acquire patterns (3)
   and (2). */
static void
take_offers(struct sim_unit *u, struct weak_thread *t,
    const struct weak_who *who, const struct weak_loc *loc)
{
	uint32_t i = 0;

	while (i < t->noffers) {
		struct weak_offer o = t->offers[i];

		if ((loc && o.loc != loc) || !weak_moral(&o.head->who, who)) {
			i++;
			continue;
		}
		t->offers[i] = t->offers[--t->noffers];
		acquire(u, t, o.head);
		i = 0; /* it may have brought more */
	}
}

/* After a load by `who` read these heads. */
static void
take_heads(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc,
    const struct weak_who *who, bool acquiring)
{
	weak_offer(u, t, heads, loc);
	if (acquiring && loc)
		take_offers(u, t, who, loc);
}

/* ---- the unit's life -------------------------------------------------------------------- */

static void
thread_clear(struct weak_thread *t)
{
	t->view = (struct weak_view){0};
	memset(t->fences, 0, sizeof(t->fences));
	t->noffers = t->npending = 0;
	t->published = NULL;
	t->since = NULL;
	t->since_pubs = NULL;
	t->nsince_pubs = t->since_room = 0;
}

static void
restart(struct weak *w)
{
	arena_reset(w->arena);
	w->stamp++;
	w->all = NULL;
	w->nlocs = 0;
	w->nindexed = 0;
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
	free(w->slots);
	free(w->index);
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
recall(struct sim_unit *u)
{
	struct weak *w = u->weak;
	uint32_t i, j;

	if (w->bytes < BYTES_MAX)
		return;
	while (w->nwaiting > 0)
		pending_settle_all(u, w->waiting[0]);
	loc_flush_all(u);
	for (i = 0; i < u->nctas * u->block; i++)
		if (u->threads[i].state != SIM_EXITED)
			thread_clear(&w->threads[i]);
	for (i = 0; i < u->nctas; i++) {
		struct sim_cta *cta = &u->ctas[i];

		cta->domain = cta->sc = (struct sim_domain){0};
		cta->cluster->domain = (struct sim_domain){0};
		cta->cluster->sc = (struct sim_domain){0};
		for (j = 0; j < u->nwarps; j++)
			cta->warps[j].domain = (struct sim_domain){0};
	}
	restart(w);
}

/* ---- accesses ------------------------------------------------------------------------------ */

static bool
late(struct sim_unit *u, struct weak_thread *t,
    const struct sim_request *access, const struct weak_who *who)
{
	return access->code->vec == 1 &&
	    u->luck < UINT32_MAX / LATE_CHANCE &&
	    pending_issue(u, t, access, who);
}

static bool
load(struct sim_unit *u, struct sim_thread *st, struct sim_request *access)
{
	const struct sim_code *c = access->code;
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = who_of(t, c);
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
		msg = msg_pick(u, loc_readable(loc[i],
		    view_seen(u->weak, t, loc[i])));
		access->value[i] = loc[i]->msgs[msg].value;
		heads[i] = weak_observe(u->weak, t, loc[i], msg, &who);
	}
	/* only now: the elements of a vector have no order */
	for (i = 0; i < c->vec; i++)
		take_heads(u, t, heads[i], loc[i], &who,
		    c->sem == SEM_ACQUIRE);
	return true;
}

static void
store(struct sim_unit *u, struct sim_thread *st, struct sim_request *access)
{
	const struct sim_code *c = access->code;
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = who_of(t, c);
	struct weak_head *own = NULL;
	struct weak_loc *loc;
	int i, msg;

	recall(u);
	for (i = 0; t->npending > 0 && i < c->vec; i++)
		pending_settle_at(u, t, access->at[i]);
	if (c->sem == SEM_RELEASE)
		own = weak_head(u->weak, t, &who);
	for (i = 0; i < c->vec; i++) {
		if (c->harness && !loc_find(u, access->at[i], c->size)) {
			sim_cut_store(access->at[i], c->size,
			    access->value[i]);
			continue;
		}
		loc = loc_make(u, access->at[i], c->size);
		loc_room(u, loc);
		msg = loc_store(u, loc, view_seen(u->weak, t, loc), &who,
		    value_cut(access->value[i], (enum type)c->type));
		loc->msgs[msg].heads = weak_release_heads(u->weak, t, loc,
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
		new = rmw_apply((enum rmw)c->rmw, (enum type)c->type,
		    done.old, p->value, p->compare);
		/* a failed cas does not write */
		if (c->rmw == RMW_CAS && done.old !=
		    value_cut(p->value, (enum type)c->type))
			break;
		at = loc_rmw(u, loc, seen, &p->who, source, new);
		if (at >= 0)
			break;
		/* the last store of all is always possible */
		can &= ~((msg_set)1 << source);
	}
	done.heads = weak_observe(u->weak, t, loc, source, &p->who);
	if (weak_moral(&loc->msgs[source].who, &p->who))
		done.known |= (msg_set)1 << source;
	if (at >= 0) {
		loc->msgs[at].heads = chain(u->weak, p->heads, done.heads);
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
	struct weak_who who = who_of(t, c);
	struct weak_pending now = {.code = c, .who = who,
	    .value = access->value[0], .compare = access->compare};
	struct weak_head *own = NULL;
	struct weak_rmw done;
	struct weak_loc *loc;

	recall(u);
	if (t->npending > 0)
		pending_settle_at(u, t, access->at[0]);
	if (c->harness && !loc_find(u, access->at[0], c->size))
		return sim_sc.rmw(u, st, access);
	if (c->insn->op->class == CLASS_RMW && !acquires(c) && !c->harness &&
	    late(u, t, access, &who))
		return false;
	loc = loc_make(u, access->at[0], c->size);
	loc_room(u, loc);
	if (releases(c))
		own = weak_head(u->weak, t, &who);
	now.heads = weak_release_heads(u->weak, t, loc, &who, own);
	done = weak_rmw_do(u, t, loc, view_seen(u->weak, t, loc), &now);
	access->value[0] = done.old;
	take_heads(u, t, done.heads, loc, &who, acquires(c));
	if (own) {
		/* the store also releases what the load acquired */
		if (acquires(c))
			view_copy(u->weak, &own->view, &t->view);
		weak_remember(u->weak, loc, own);
	}
	return true;
}

/* ---- fences and barriers ------------------------------------------------------------------- */

static void
settle(struct sim_unit *u, struct sim_thread *t, uint64_t touch)
{
	pending_settle(u, weak_of(u, t), touch);
}

/* Whoever learns from the domain settles the thread's loads first. */
static void
owe(struct weak *w, struct weak_thread *t, struct sim_domain *domain)
{
	struct weak_debtor *d = weak_alloc(w, sizeof(*d));

	*d = (struct weak_debtor){t, t->who.thread, domain->debtors};
	domain->debtors = d;
}

static void
learn(struct sim_unit *u, struct weak_thread *t, struct sim_domain *domain)
{
	struct weak_debtor *d = domain->debtors;
	bool self = false;

	domain->debtors = NULL;
	for (; d; d = d->next) {
		if (d->thread == t)
			self = true;
		else if (d->thread->who.thread == d->who)
			pending_settle_all(u, d->thread);
	}
	if (self && t->npending > 0)
		owe(u->weak, t, domain);
	view_learn(u->weak, t, domain);
}

static void
publish(struct sim_unit *u, struct sim_thread *st, struct sim_domain *domain)
{
	struct weak_thread *t = weak_of(u, st);

	pending_settle_all(u, t);
	view_publish(u->weak, t, domain);
}

static void
join(struct sim_unit *u, struct sim_thread *st, struct sim_domain *domain)
{
	learn(u, weak_of(u, st), domain);
}

/*
 * Fence-SC order (8.9.3) is the order in which the machine does the fences.
 * Two are morally strong if both are of gpu scope or wider, or of cluster
 * scope or wider in one cluster, or in one CTA.
 */
static void
fence_sc(struct sim_unit *u, struct weak_thread *t,
    const struct weak_who *who)
{
	struct sim_cta *cta = t->thread->cta;
	struct sim_domain *domains[3];
	int n = 0, i;

	if (who->scope >= SCOPE_GPU)
		domains[n++] = &u->weak->sc;
	if (who->scope >= SCOPE_CLUSTER)
		domains[n++] = &cta->cluster->sc;
	domains[n++] = &cta->sc;
	for (i = 0; i < n; i++)
		learn(u, t, domains[i]);
	for (i = 0; i < n; i++) {
		if (t->npending > 0)
			owe(u->weak, t, domains[i]);
		view_publish(u->weak, t, domains[i]);
		view_learn(u->weak, t, domains[i]);
	}
}

static void
fence(struct sim_unit *u, struct sim_thread *st, const struct sim_code *c)
{
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = who_of(t, c);
	int s;

	recall(u);
	if (who.scope == SCOPE_NONE)
		who.scope = SCOPE_SYS;
	if (acquires(c)) {
		pending_pass(u, t, &who);
		take_offers(u, t, &who, NULL);
	}
	if (c->sem == SEM_SC)
		fence_sc(u, t, &who);
	if (releases(c)) {
		for (s = SCOPE_CTA; s <= who.scope; s++)
			t->fences[s] = NULL;
		t->fences[who.scope] = weak_head(u->weak, t, &who);
	}
}

const struct sim_memory_ops sim_weak = {
	.name = "weak",
	.begin = begin, .end = end, .start = start, .finish = finish,
	.recycle = loc_forget,
	.load = load, .store = store, .rmw = rmw,
	.fence = fence, .settle = settle,
	.publish = publish, .join = join,
};
