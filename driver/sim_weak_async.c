/*
 * Asynchronous copies in the weak memory.
 *
 * A CTA's bulk copies share one view, of what the async proxy knows: V of
 * every thread of the CTA that executed fence.proxy.async, as it was then, and
 * what bulk copies of the CTA have written. Spec 4.2: an access is before a copy
 * in causality order only if such a fence is between them, and that was done
 * before the copy is; so the view has no less than it must. It may have
 * more: a fence counts for every copy of the CTA that comes later. cp.async is
 * in the generic proxy, and has a view for itself: V of its threads, as it was
 * when they issued it.
 *
 * So a copy may read stores that an unfenced one has overwritten, and its
 * own are not ordered with unfenced ones. It is not done before what its
 * thread had done: nobody reads from a copy that comes after him, but for
 * loads that are late.
 *
 * Who waits for a copy learns its stores and nothing else, from a head: the
 * complete-tx "is ordered only with respect to the memory operations
 * performed by the same asynchronous instruction" (PTX ISA 8.9.1.1).
 */
#include "sim_weak.h"

#include <string.h>

#define WORD 4 /* bytes of an element, at least */
#define COPY_IDS 0x80000000u /* threads that copies pass for */

static struct weak_thread *
agent_of(struct sim_unit *u, const struct sim_cta *cta, bool bulk)
{
	return &u->weak->agents[AGENTS * (cta - u->ctas) + bulk].agent;
}

void
weak_agents_start(struct sim_unit *u, const struct sim_cta *cta)
{
	uint32_t first = AGENTS * (uint32_t)(cta - u->ctas), i;

	for (i = 0; i < AGENTS; i++) {
		struct weak_agent *a = &u->weak->agents[first + i];

		a->thread.id = u->nctas * u->block + first + i;
		a->agent.thread = &a->thread;
		a->agent.who = (struct weak_who){
		    .thread = COPY_IDS + COPY_IDS / 2 +
		    AGENTS * (uint32_t)cta->index + i,
		    .cta = (uint32_t)cta->index,
		    .cluster = (uint32_t)(cta->index / cta->cluster->size)};
	}
}

/* A copy passes for one thread when it writes, for another when it counts. */
static uint32_t
copy_id(struct weak *w)
{
	return COPY_IDS + w->ncopies++ % (COPY_IDS / 2);
}

/* ---- fences ------------------------------------------------------------ */

static bool
is_shared(const struct sim_unit *u, const struct sim_cta *cta,
    const uint8_t *at, enum space space)
{
	uint32_t i;

	for (i = 0; i < cta->cluster->size; i++) {
		const struct sim_cta *other =
		    &u->ctas[cta->cluster->rank0 + i];

		if (sim_is_shared(other, at))
			return space == SPACE_SHARED_CLUSTER || other == cta;
	}
	return false;
}

/* Is the fence about the location? What came through a barrier is not told
   apart: it counts. */
static bool
is_meant(const struct sim_unit *u, const struct sim_cta *cta,
    const uint8_t *at, enum space space)
{
	if (space == SPACE_GENERIC)
		return true;
	if (space == SPACE_GLOBAL)
		return !is_shared(u, cta, at, SPACE_SHARED_CLUSTER);
	return is_shared(u, cta, at, space);
}

static void
tell_agent(struct sim_unit *u, struct weak_thread *t, bool bulk,
    enum space space)
{
	const struct sim_cta *cta = t->thread->cta;
	struct weak_thread *agent = agent_of(u, cta, bulk);
	uint32_t i;

	for (i = 0; i < t->view.n; i++) {
		struct weak_loc *loc = t->view.entries[i].loc;

		if (!loc->gone && is_meant(u, cta, loc->at, space))
			view_add(u->weak, agent, loc,
			    view_seen(u->weak, t, loc));
	}
	for (i = 0; i < t->view.nknown; i++)
		view_know(u->weak, &agent->view, t->view.known[i]);
}

void
weak_proxy(struct sim_unit *u, struct sim_thread *st,
    const struct sim_code *c)
{
	struct weak_thread *t = weak_of(u, st);

	pending_settle_all(u, t);
	tell_agent(u, t, true, (enum space)c->space);
}

/* ---- a copy's steps ----------------------------------------------------- */

void
weak_copy_issue(struct sim_unit *u, struct sim_copy *copy)
{
	struct weak_thread *t = weak_of(u, copy->thread);
	struct weak_thread *agent = agent_of(u, copy->thread->cta,
	    copy->bulk);
	struct weak_loc *loc;

	if (!copy->bulk) {
		pending_settle_all(u, t);
		tell_agent(u, t, false, SPACE_GENERIC);
	}
	loc = copy->count ? loc_find(u, copy->count, 8) : NULL;
	if (loc)
		view_add(u->weak, agent, loc,
		    view_seen(u->weak, t, loc));
}

/* The size of the accesses to these bytes so far, or of the test's. */
static int
element_size(struct sim_unit *u, const uint8_t *at, uint32_t left)
{
	int size = loc_size(u, at);

	if (size == 0)
		size = u->kernel->element;
	return (uint32_t)size > left || size < WORD ? WORD : size;
}

void
weak_copy_read(struct sim_unit *u, struct sim_copy *copy)
{
	struct weak_thread *agent = agent_of(u, copy->thread->cta,
	    copy->bulk);
	uint32_t i;
	int size;

	for (i = 0; i < copy->size; i += (uint32_t)size) {
		struct weak_loc *loc;
		uint64_t value;

		size = element_size(u, copy->from + i, copy->size - i);
		loc = loc_find(u, copy->from + i, size);
		value = loc ? loc->msgs[msg_pick(u, loc_readable(loc,
		    view_seen(u->weak, agent, loc)))].value :
		    sim_cut_load(copy->from + i, size);
		memcpy(copy->data + i, &value, (size_t)size);
	}
}

/* The first element of a pattern that ends with the complete-tx. */
static struct weak_head *
copy_head(struct sim_unit *u, struct sim_copy *copy)
{
	struct weak_thread *agent = agent_of(u, copy->thread->cta,
	    copy->bulk);
	struct weak_head *head = weak_alloc(u->weak, sizeof(*head));

	*head = (struct weak_head){.who = agent->who, .thread = agent,
	    .number = 1};
	head->who.thread = copy_id(u->weak);
	head->who.scope = copy->bulk ? SCOPE_CLUSTER : SCOPE_CTA;
	head->who.strong = true;
	copy->known = head;
	copy->stamp = u->weak->stamp;
	return head;
}

void
weak_copy_write(struct sim_unit *u, struct sim_copy *copy)
{
	struct weak_thread *agent = agent_of(u, copy->thread->cta,
	    copy->bulk);
	struct weak_head *head = copy_head(u, copy);
	struct weak_who who = head->who;
	uint32_t i;
	int size;

	who.strong = false;
	who.scope = SCOPE_NONE;
	for (i = 0; i < copy->size; i += (uint32_t)size) {
		uint64_t value = 0;
		struct weak_loc *loc;
		int msg;

		size = element_size(u, copy->to + i, copy->size - i);
		memcpy(&value, copy->data + i, (size_t)size);
		loc = loc_make(u, copy->to + i, size);
		loc_room(u, loc);
		msg = loc_store(u, loc, view_seen(u->weak, agent, loc), &who,
		    value);
		view_patch(u->weak, &head->view, loc, (msg_set)1 << msg);
		view_add(u->weak, agent, loc, (msg_set)1 << msg);
	}
}

static struct weak_heads *
push(struct weak *w, struct weak_heads *list, const struct sim_copy *copy)
{
	/* everyone knows what was remembered before */
	if (!copy->known || copy->stamp != w->stamp)
		return list;
	return weak_push(w, list, copy->known);
}

/* cp.async.mbarrier.arrive tells of all cp.async of its thread before it. */
static struct weak_heads *
heads_of(struct sim_unit *u, const struct sim_copy *copy)
{
	struct weak_heads *list = push(u->weak, NULL, copy);
	uint32_t i;

	for (i = 0; copy->size == 0 && i < u->ncopies; i++)
		if (sim_copy_precedes(&u->copies[i], copy))
			list = push(u->weak, list, &u->copies[i]);
	return list;
}

void
weak_copy_count(struct sim_unit *u, struct sim_copy *copy)
{
	struct weak_thread *agent = agent_of(u, copy->thread->cta,
	    copy->bulk);
	struct weak_loc *loc = loc_make(u, copy->count, 8);
	struct weak_pending now = {.code = copy->code, .value = copy->size,
	    .who = agent->who, .heads = heads_of(u, copy)};

	/* an mbarrier is whole, whatever the scopes */
	now.who.thread = copy_id(u->weak);
	now.who.strong = true;
	now.who.scope = SCOPE_SYS;
	loc_room(u, loc);
	weak_rmw_do(u, agent, loc, view_seen(u->weak, agent, loc), &now);
}

void
weak_copy_learn(struct sim_unit *u, struct sim_thread *st,
    struct sim_copy *copy)
{
	if (copy->known && copy->stamp == u->weak->stamp)
		view_join(u->weak, weak_of(u, st), copy->known);
}
