/*
 * Loads that complete late: how load buffering shows. A load, or the atomic
 * that a load may be, is noted when its turn comes and done when its value
 * is needed, when another thread comes to depend on it, or at a barrier.
 * Its place in program order stays where it was issued: it reads as if it
 * knew what its thread knew then, and what it finds is added to everything
 * its thread has given away since.
 */
#include "sim_weak.h"

#include <stdlib.h>

/* ---- what a late load may read ------------------------------------------------- */

/*
 * Not a store whose release would have been acquired since: by the load
 * itself, or by a fence it was passed by. What came after did not know it.
 */
static bool
offends(const struct weak_thread *t, const struct weak_pending *p,
    const struct weak_msg *m)
{
	struct weak_who who = p->who;
	const struct weak_heads *h;

	if (p->acquired == SCOPE_NONE || !weak_moral(&m->who, &p->who))
		return false;
	who.scope = p->acquired;
	for (h = m->heads; h; h = h->next)
		if (h->head->who.thread != t->who.thread &&
		    weak_moral(&h->head->who, &who))
			return true;
	return false;
}

static msg_set
rebased(const struct weak_pending *p, const struct weak_loc *loc)
{
	uint32_t shift = loc->base - p->base;

	return shift < MSGS_MAX ? p->seen >> shift : 0;
}

static msg_set
readable(const struct weak_thread *t, const struct weak_pending *p,
    const struct weak_loc *loc)
{
	msg_set can = loc_readable(loc, rebased(p, loc));
	int i;

	for (i = 0; i < loc->n; i++)
		if (offends(t, p, &loc->msgs[i]))
			can &= ~((msg_set)1 << i);
	return can;
}

/* ---- doing it ---------------------------------------------------------------------- */

/* What the thread published, or released, while it did not know. */
static void
tell(struct weak *w, struct weak_thread *t, struct weak_loc *loc,
    msg_set known)
{
	const struct weak_heads *h;
	uint32_t i;

	if (known == 0)
		return;
	for (h = t->since; h; h = h->next)
		view_patch(w, &h->head->view, loc, known);
	for (i = 0; i < t->nsince_pubs; i++)
		loc_publish(w, loc, t->since_pubs[i].domain,
		    t->since_pubs[i].time, known);
}

static uint64_t
late_load(struct sim_unit *u, struct weak_thread *t,
    const struct weak_pending *p)
{
	struct weak_loc *loc = loc_find(u, p->at, p->code->size);
	struct weak_heads *heads;
	uint64_t value;
	int msg;

	if (!loc)
		return sim_cut_load(p->at, p->code->size);
	msg = msg_pick(u, readable(t, p, loc));
	value = loc->msgs[msg].value;
	heads = weak_observe(u, t, loc, msg, &p->who);
	if (weak_moral(&loc->msgs[msg].who, &p->who))
		tell(u->weak, t, loc, (msg_set)1 << msg);
	weak_offer(u, t, heads, loc);
	return value;
}

static uint64_t
late_rmw(struct sim_unit *u, struct weak_thread *t,
    const struct weak_pending *p)
{
	struct weak_loc *loc = loc_make(u, p->at, p->code->size);
	struct weak_rmw done;

	loc_room(u, loc);
	done = weak_rmw_do(u, t, loc, rebased(p, loc), p);
	/* its own head is the first */
	if (p->code->sem == SEM_RELEASE && p->heads)
		weak_remember(u->weak, loc, p->heads->head);
	tell(u->weak, t, loc, done.known);
	weak_offer(u, t, done.heads, loc);
	return done.old;
}

static void
settle(struct sim_unit *u, struct weak_thread *t, uint32_t i)
{
	struct weak_pending p = t->pending[i];
	struct weak *w = u->weak;
	uint32_t j;

	/* off the list first: what follows may come here again */
	t->pending[i] = t->pending[--t->npending];
	t->thread->pending = 0;
	for (j = 0; j < t->npending; j++)
		t->thread->pending |= t->pending[j].touch;
	if (t->npending == 0) {
		w->waiting[t->waiting] = w->waiting[--w->nwaiting];
		w->waiting[t->waiting]->waiting = t->waiting;
	}
	sim_deliver(t->thread, p.code, 0, p.code->insn->op->class ==
	    CLASS_RMW ? late_rmw(u, t, &p) : late_load(u, t, &p));
	if (t->npending == 0) {
		t->since = NULL;
		t->nsince_pubs = 0;
	}
}

void
pending_settle(struct sim_unit *u, struct weak_thread *t, uint64_t touch)
{
	uint32_t i = 0;

	while (i < t->npending)
		if (t->pending[i].touch & touch) {
			settle(u, t, i);
			i = 0;
		} else {
			i++;
		}
}

static bool
same_granule(const uint8_t *a, const uint8_t *b)
{
	return (uintptr_t)a >> 3 == (uintptr_t)b >> 3;
}

void
pending_settle_at(struct sim_unit *u, struct weak_thread *t,
    const uint8_t *at)
{
	uint32_t i = 0;

	while (i < t->npending)
		if (same_granule(t->pending[i].at, at)) {
			settle(u, t, i);
			i = 0;
		} else {
			i++;
		}
}

void
pending_everywhere(struct sim_unit *u, const uint8_t *at)
{
	struct weak *w = u->weak;
	uint32_t i = w->nwaiting;

	/* settling may shorten the list anywhere: look again from the end */
	while (i-- > 0) {
		if (i >= w->nwaiting)
			i = w->nwaiting;
		else
			pending_settle_at(u, w->waiting[i], at);
	}
}

/* ---- issuing ------------------------------------------------------------------------- */

/* Is there something left to read once it has been passed? */
static bool
can_pass(struct sim_unit *u, struct weak_thread *t,
    const struct weak_pending *p)
{
	const struct weak_loc *loc = loc_find(u, p->at, p->code->size);

	return !loc || readable(t, p, loc) != 0;
}

void
pending_pass(struct sim_unit *u, struct weak_thread *t,
    const struct weak_who *fence)
{
	uint32_t i = 0;

	while (i < t->npending) {
		struct weak_pending *p = &t->pending[i];
		uint8_t before = p->acquired;

		if (p->acquired < fence->scope)
			p->acquired = fence->scope;
		if (p->code->insn->op->class == CLASS_LOAD &&
		    can_pass(u, t, p)) {
			i++;
			continue;
		}
		p->acquired = before;
		settle(u, t, i);
		i = 0;
	}
}

/* An acquire takes up, when it is issued, what earlier loads of its location
   were offered: acquire pattern (2), whatever it reads itself. */
static bool
has_offer(const struct weak_thread *t, const struct weak_loc *loc)
{
	uint32_t i;

	for (i = 0; i < t->noffers; i++)
		if (t->offers[i].loc == loc)
			return true;
	return false;
}

bool
pending_issue(struct sim_unit *u, struct weak_thread *t,
    const struct sim_request *access, const struct weak_who *who)
{
	const struct sim_code *c = access->code;
	struct weak_pending *p = &t->pending[t->npending];
	struct weak *w = u->weak;
	struct weak_loc *loc;

	if (t->npending == PENDING_MAX)
		return false;
	loc = loc_find(u, access->at[0], c->size);
	if (loc && c->sem == SEM_ACQUIRE && has_offer(t, loc))
		return false;
	*p = (struct weak_pending){.code = c, .at = access->at[0],
	    .who = *who, .value = access->value[0],
	    .compare = access->compare,
	    .touch = SIM_TOUCH(c->d)};
	if (c->sem == SEM_ACQUIRE)
		p->acquired = who->scope;
	if (loc) {
		p->base = loc->base;
		p->seen = view_seen(w, t, loc);
		if (readable(t, p, loc) == 0)
			return false;
	}
	if (c->insn->op->class == CLASS_RMW)
		p->heads = weak_release_heads(u, t, loc, who,
		    c->sem == SEM_RELEASE ? weak_head(w, t, who) : NULL);
	if (t->npending++ == 0) {
		t->thread->pending_since = t->thread->steps;
		t->waiting = w->nwaiting;
		w->waiting[w->nwaiting++] = t;
	}
	t->thread->pending |= p->touch;
	return true;
}
