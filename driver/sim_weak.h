/* Private to sim_weak*.c: the weak memory. The argument is in sim_weak.c. */
#ifndef SIM_WEAK_H
#define SIM_WEAK_H

#include "sim.h"

#define MSGS_MAX 32 /* stores a location remembers */
#define PENDING_MAX 4 /* loads of a thread that are still to be done */

/* A set of stores to one location: bit i is the store base + i. */
typedef uint32_t msg_set;

/* Who does an access, and how strongly (PTX ISA 8.4, 8.6). */
struct weak_who {
	uint32_t thread, cta, cluster; /* unique in the launch */
	uint8_t scope;
	bool strong;
};

/* What a thread knows to have happened before it. */
struct weak_entry {
	struct weak_loc *loc;
	uint32_t base;
	msg_set seen;
	uint32_t changed; /* in the thread's epoch of this number */
};

struct weak_known {
	struct sim_domain *domain;
	uint64_t time; /* all that was published there up to then */
};

struct weak_view {
	struct weak_entry *entries;
	uint32_t n, room;
	struct weak_known *known;
	uint32_t nknown, known_room;
};

/* The first element of a release pattern (8.7): what its thread knew, as
   what it had learnt since the head before. */
struct weak_head {
	struct weak_who who;
	struct weak_thread *thread;
	uint32_t number; /* of its thread, from 1 */
	struct weak_head *before;
	struct weak_view view;
};

struct weak_heads {
	struct weak_head *head;
	struct weak_heads *next;
};

struct weak_msg {
	uint64_t value;
	struct weak_heads *heads; /* of the patterns this store completes */
	struct weak_who who;
	msg_set before, after; /* coherence order, transitive */
	int8_t source; /* the store that this atomic's load read, or -1 */
};

/* Stores of a location that a domain's members learn. */
struct weak_pub {
	const struct sim_domain *domain;
	uint64_t time;
	uint32_t base;
	msg_set seen;
};

struct weak_loc {
	uint8_t *at;
	struct weak_loc *all; /* of the unit */
	struct weak_msg *msgs;
	struct weak_heads *releases; /* release stores, for pattern (2) */
	struct weak_pub *pubs;
	uint32_t npubs, pubs_room;
	uint32_t base;
	uint8_t size, n, room;
	bool gone; /* given back to plain memory */
	msg_set dead; /* not readable any more */
	struct weak_msg first[2];
};

/* A load, or an atomic, that was issued but is yet to be done. */
struct weak_pending {
	const struct sim_code *code;
	uint8_t *at;
	struct weak_who who;
	uint32_t base;
	msg_set seen; /* when it was issued */
	uint8_t acquired; /* widest scope of acquires since, itself too */
	struct weak_heads *heads; /* atomics: of the store, as issued */
	uint64_t value, compare;
	uint64_t touch;
};

/* Heads that a thread may acquire by a later fence or load. */
struct weak_offer {
	const struct weak_heads *heads;
	struct weak_loc *loc;
};

/* A thread whose pending loads may add to what it published. */
struct weak_debtor {
	struct weak_thread *thread;
	uint32_t who;
	struct weak_debtor *next;
};

#define OFFERS_MAX 32

struct weak_thread {
	struct sim_thread *thread;
	struct weak_who who; /* of weak accesses */
	struct weak_view view;
	uint32_t *changed, nchanged, changed_room; /* entries, this epoch */
	uint32_t epoch; /* they end when a head learns of them */
	struct weak_head *head; /* its latest */
	uint32_t nheads;
	struct weak_head *fences[SCOPE_SYS + 1]; /* latest releasing fences */
	bool fenced; /* there is one */
	struct weak_offer offers[OFFERS_MAX];
	uint32_t noffers;
	struct sim_domain *published; /* where all of view was published */
	struct weak_pending pending[PENDING_MAX];
	uint32_t npending, waiting; /* place in weak.waiting */
	/* made while loads were pending: these learn what the loads find */
	struct weak_heads *since;
	struct weak_known *since_pubs;
	uint32_t nsince_pubs, since_room;
};

/* What the copies of a CTA know: cp.async, and the async proxy's. `thread`
   only has a number. */
struct weak_agent {
	struct sim_thread thread;
	struct weak_thread agent;
};
#define AGENTS 2

/* The locations in eight bytes, none of which overlap. */
struct weak_slot {
	uintptr_t key;
	uint64_t stamp;
	uint8_t bytes; /* a bit each: some location's */
	struct weak_loc **locs; /* 8, by where they start; or NULL */
};

struct weak_index {
	uint64_t key, stamp;
	uint32_t at;
};

struct weak {
	struct arena *arena;
	struct weak_thread *threads; /* by sim_thread.id */
	uint32_t nthreads;
	struct weak_agent *agents; /* AGENTS to each CTA */
	uint32_t nagents;
	uint32_t ncopies; /* ever */
	struct weak_thread **waiting; /* those with pending loads */
	uint32_t nwaiting;
	struct weak_slot *slots;
	size_t nslots; /* power of two */
	struct weak_index *index; /* (thread, location) to entry */
	size_t nindex, nindexed;
	struct weak_index *taken; /* (thread, other thread) to head's number */
	size_t ntaken, ntakens;
	uint64_t stamp; /* slots of other stamps are empty */
	struct weak_loc *all;
	uint32_t nlocs;
	uint64_t time; /* of publications */
	size_t bytes; /* taken from the arena */
	struct sim_domain sc; /* fence.sc of gpu scope or wider */
	const struct sim_code *last_load; /* for a planted fault */
	uint64_t last_value;
};

static inline bool
weak_includes(const struct weak_who *a, const struct weak_who *b)
{
	return a->scope >= SCOPE_GPU || (a->scope == SCOPE_CTA ?
	    a->cta == b->cta : a->cluster == b->cluster);
}

/* Moral strength (8.6); proxies, addresses and sizes are equal here. */
static inline bool
weak_moral(const struct weak_who *a, const struct weak_who *b)
{
	return a->thread == b->thread || (a->strong && b->strong &&
	    weak_includes(a, b) && weak_includes(b, a));
}

void *weak_alloc(struct weak *w, size_t size);

static inline struct weak_thread *
weak_of(const struct sim_unit *u, const struct sim_thread *t)
{
	return &u->weak->threads[t->id];
}

static inline struct weak_who
weak_who_of(const struct sim_unit *u, const struct weak_thread *t,
    const struct sim_code *c)
{
	struct weak_who who = t->who;

	who.scope = sim_planted(u, c, SIM_FAULT_NARROW_SCOPE) ? SCOPE_CTA :
	    c->scope;
	who.strong = c->sem != SEM_WEAK;
	return who;
}

static inline bool
weak_acquires(const struct sim_code *c)
{
	return c->sem == SEM_ACQUIRE || c->sem == SEM_ACQ_REL ||
	    c->sem == SEM_SC;
}

static inline bool
weak_releases(const struct sim_code *c)
{
	return c->sem == SEM_RELEASE || c->sem == SEM_ACQ_REL ||
	    c->sem == SEM_SC;
}

/* sim_weak_view.c */
void view_add(struct weak *w, struct weak_thread *t, struct weak_loc *loc,
    msg_set seen);
/* Adds without an index: to a copy. */
void view_patch(struct weak *w, struct weak_view *v, struct weak_loc *loc,
    msg_set seen);
/* Moves into the head what its thread learnt since the head before. */
void view_head(struct weak *w, struct weak_thread *t,
    struct weak_head *head);
void view_know(struct weak *w, struct weak_view *v, struct weak_known k);
/* All that the head knew, as far as the thread did not take it before. */
void view_join(struct weak *w, struct weak_thread *t,
    const struct weak_head *head);
msg_set view_seen(struct weak *w, const struct weak_thread *t,
    const struct weak_loc *loc);
void view_publish(struct weak *w, struct weak_thread *t,
    struct sim_domain *domain);
void view_learn(struct weak *w, struct weak_thread *t,
    struct sim_domain *domain);
void loc_publish(struct weak *w, struct weak_loc *loc,
    const struct sim_domain *domain, uint64_t time, msg_set seen);

/* sim_weak_loc.c */
struct weak_loc *loc_find(struct sim_unit *u, uint8_t *at, int size);
struct weak_loc *loc_make(struct sim_unit *u, uint8_t *at, int size);
/* Of the location there, or one in the eight bytes around; 0: none. */
int loc_size(struct sim_unit *u, const uint8_t *at);
msg_set loc_readable(const struct weak_loc *loc, msg_set seen);
int msg_pick(struct sim_unit *u, msg_set from);
/* Puts a store into the coherence order; its bit's number. */
int loc_store(struct sim_unit *u, struct weak_loc *loc, msg_set seen,
    const struct weak_who *who, uint64_t value);
/* The same for an atomic that read `source`; -1 if it would not be atomic. */
int loc_rmw(struct sim_unit *u, struct weak_loc *loc, msg_set seen,
    const struct weak_who *who, int source, uint64_t value);
void loc_room(struct sim_unit *u, struct weak_loc *loc);
void loc_flush_all(struct sim_unit *u);
void loc_forget(struct sim_unit *u, uint8_t *at, size_t size);

/* sim_weak_async.c */
void weak_agents_start(struct sim_unit *u, const struct sim_cta *cta);
void weak_proxy(struct sim_unit *u, struct sim_thread *st,
    const struct sim_code *c);
void weak_copy_issue(struct sim_unit *u, struct sim_copy *copy);
void weak_copy_read(struct sim_unit *u, struct sim_copy *copy);
void weak_copy_write(struct sim_unit *u, struct sim_copy *copy);
void weak_copy_count(struct sim_unit *u, struct sim_copy *copy);
void weak_copy_learn(struct sim_unit *u, struct sim_thread *st,
    struct sim_copy *copy);

/* sim_weak_pending.c */
/* Leaves the access for later, or returns false: it must be done now. */
bool pending_issue(struct sim_unit *u, struct weak_thread *t,
    const struct sim_request *access, const struct weak_who *who);
void pending_settle(struct sim_unit *u, struct weak_thread *t,
    uint64_t touch);
#define pending_settle_all(u, t) pending_settle((u), (t), ~(uint64_t)0)
void pending_settle_at(struct sim_unit *u, struct weak_thread *t,
    const uint8_t *at);
/* A fence that acquires is about to pass the pending loads. */
void pending_pass(struct sim_unit *u, struct weak_thread *t,
    const struct weak_who *fence);
/* Every thread's, in the eight bytes around. */
void pending_everywhere(struct sim_unit *u, const uint8_t *at);

/* sim_weak_sync.c */
struct weak_heads *weak_push(struct weak *w, struct weak_heads *list,
    struct weak_head *head);
struct weak_heads *weak_chain(struct weak *w, struct weak_heads *own,
    struct weak_heads *read);
/* After a load by `who` read these heads. */
void weak_take(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc,
    const struct weak_who *who, bool acquiring);
void weak_publish(struct sim_unit *u, struct sim_thread *st,
    struct sim_domain *domain);
void weak_join(struct sim_unit *u, struct sim_thread *st,
    struct sim_domain *domain);
void weak_fence(struct sim_unit *u, struct sim_thread *st,
    const struct sim_code *c);
/* The thread now knows the store, if it read it morally strongly; returns
   the heads this offers for acquiring. */
struct weak_heads *weak_observe(struct sim_unit *u, struct weak_thread *t,
    struct weak_loc *loc, int msg, const struct weak_who *who);
void weak_offer(struct sim_unit *u, struct weak_thread *t,
    const struct weak_heads *heads, struct weak_loc *loc);
struct weak_heads *weak_release_heads(struct sim_unit *u,
    struct weak_thread *t,
    const struct weak_loc *loc, const struct weak_who *who,
    struct weak_head *own);
/* Later stores by this thread to the location complete its pattern. */
void weak_remember(struct weak *w, struct weak_loc *loc,
    struct weak_head *head);
struct weak_head *weak_head(struct weak *w, struct weak_thread *t,
    const struct weak_who *who);

/* sim_weak.c */
/* An atomic at a location with room: chooses what it reads, stores. */
struct weak_rmw {
	uint64_t old;
	struct weak_heads *heads; /* that it read */
	msg_set known; /* stores the thread now knows */
};
struct weak_rmw weak_rmw_do(struct sim_unit *u, struct weak_thread *t,
    struct weak_loc *loc, msg_set seen, const struct weak_pending *p);

#endif
