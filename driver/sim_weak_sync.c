/*
 * How knowledge passes between threads in the weak memory: release and
 * acquire patterns, fences, barriers.
 */
#include "sim_weak.h"

#include <string.h>

#define LONG_LIST 8

/* ---- releasing --------------------------------------------------------------------- */

struct weak_heads *
weak_push(struct weak *w, struct weak_heads *list, struct weak_head *head)
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

	*head = (struct weak_head){.who = *who, .thread = t,
	    .before = t->head};
	view_head(w, t, head);
	head->number = ++t->nheads;
	t->head = head;
	if (t->npending > 0)
		t->since = weak_push(w, t->since, head);
	return head;
}

/*
 * The heads whose patterns a strong store by this thread completes
 * (8.7): its own release (1), an earlier release to the same location (2),
 * an earlier fence (3).
 */
struct weak_heads *
weak_release_heads(struct sim_unit *u, struct weak_thread *t,
    const struct weak_loc *loc, const struct weak_who *who,
    struct weak_head *own)
{
	struct weak *w = u->weak;
	struct weak_heads *list = NULL;
	const struct weak_heads *h;
	int s;

	if (!who->strong || u->fault == SIM_FAULT_DROP_RELEASE)
		return NULL;
	for (s = SCOPE_CTA; t->fenced && s <= SCOPE_SYS; s++)
		if (t->fences[s])
			list = weak_push(w, list, t->fences[s]);
	for (h = loc ? loc->releases : NULL; h; h = h->next)
		if (h->head->who.thread == t->who.thread)
			list = weak_push(w, list, h->head);
	return own ? weak_push(w, list, own) : list;
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
	loc->releases = weak_push(w, loc->releases, head);
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
struct weak_heads *
weak_chain(struct weak *w, struct weak_heads *own, struct weak_heads *read)
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
				list = weak_push(w, list, h->head);
	}
	for (h = own; h; h = h->next)
		list = weak_push(w, list, h->head);
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
	view_join(u->weak, t, head);
}

struct weak_heads *
weak_observe(struct sim_unit *u, struct weak_thread *t,
    struct weak_loc *loc, int msg, const struct weak_who *who)
{
	if (!weak_moral(&loc->msgs[msg].who, who))
		return NULL;
	view_add(u->weak, t, loc, (msg_set)1 << msg);
	return u->fault == SIM_FAULT_STALE_ACQUIRE ? NULL :
	    loc->msgs[msg].heads;
}

/* Those that are morally strong with `who`; false if some are left. */
static bool
take_list(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, const struct weak_who *who)
{
	bool all = true;

	for (; heads; heads = heads->next)
		if (weak_moral(&heads->head->who, who))
			acquire(u, t, heads->head);
		else
			all = false;
	return all;
}

static void
offer_drop(struct weak_thread *t, uint32_t i)
{
	t->noffers--;
	memmove(t->offers + i, t->offers + i + 1,
	    (t->noffers - i) * sizeof(*t->offers));
}

void
weak_offer(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc)
{
	const struct weak_heads *oldest;
	uint32_t i;

	for (i = 0; i < t->noffers; i++)
		if (t->offers[i].heads == heads)
			return;
	if (!heads)
		return;
	/* no room: acquire the oldest at once. More order, never less */
	while (t->noffers == OFFERS_MAX) {
		oldest = t->offers[0].heads;
		offer_drop(t, 0);
		for (; oldest; oldest = oldest->next)
			acquire(u, t, oldest->head);
	}
	t->offers[t->noffers++] = (struct weak_offer){heads, loc};
}

/* A fence, or an acquire of `loc`, takes up offers: acquire patterns (3)
   and (2). */
static void
take_offers(struct sim_unit *u, struct weak_thread *t,
    const struct weak_who *who, const struct weak_loc *loc)
{
	struct weak_offer offers[OFFERS_MAX];
	uint32_t i, n = t->noffers;

	/* acquiring may have others' loads done, and theirs ours */
	memcpy(offers, t->offers, n * sizeof(*offers));
	t->noffers = 0;
	for (i = 0; i < n; i++)
		if ((loc && offers[i].loc != loc) ||
		    !take_list(u, t, offers[i].heads, who))
			weak_offer(u, t, offers[i].heads, offers[i].loc);
}

/* After a load by `who` read these heads. */
void
weak_take(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc,
    const struct weak_who *who, bool acquiring)
{
	weak_offer(u, t, heads, loc);
	if (acquiring && loc)
		take_offers(u, t, who, loc);
}

/* ---- fences and barriers ---------------------------------------------------------------- */

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

void
weak_publish(struct sim_unit *u, struct sim_thread *st, struct sim_domain *domain)
{
	struct weak_thread *t = weak_of(u, st);
	const struct sim_code *c = &u->kernel->code[st->pc];

	/* barrier.cluster.arrive.relaxed tells only what is before a fence
	   (9.7.15); told is all, where there was one. More order, never less */
	if (c->sem == SEM_RELAXED && !t->fenced)
		return;
	pending_settle_all(u, t);
	if (!sim_planted(u, c, SIM_FAULT_DROP_BARRIER))
		view_publish(u->weak, t, domain);
}

void
weak_join(struct sim_unit *u, struct sim_thread *st, struct sim_domain *domain)
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

void
weak_fence(struct sim_unit *u, struct sim_thread *st, const struct sim_code *c)
{
	struct weak_thread *t = weak_of(u, st);
	struct weak_who who = weak_who_of(u, t, c);
	int s;

	if (sim_planted(u, c, SIM_FAULT_DROP_FENCE))
		return;
	if (who.scope == SCOPE_NONE)
		who.scope = SCOPE_SYS;
	if (weak_acquires(c)) {
		pending_pass(u, t, &who);
		take_offers(u, t, &who, NULL);
	}
	if (c->sem == SEM_SC && !sim_planted(u, c, SIM_FAULT_DROP_SC))
		fence_sc(u, t, &who);
	if (weak_releases(c)) {
		for (s = SCOPE_CTA; s <= who.scope; s++)
			t->fences[s] = NULL;
		t->fenced = true;
		t->fences[who.scope] = weak_head(u->weak, t, &who);
	}
}

