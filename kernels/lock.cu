/*
 * Spin locks. What makes one right: taking it is one read-modify-write,
 * which acquires, giving it back is a release, and both have a scope that
 * takes in everyone who contends.
 */
#include "lock.cuh"

/* ---- compare and swap --------------------------------------------------- */

/*
 * FENCE after taking and before giving back stands in for the qualifiers,
 * as in kokkos and CUDA by Example, which had none: lost updates.
 */
template <enum order TAKE, enum order GIVE, enum scope S = GPU,
    enum order FENCE = NONE, enum scope FENCE_S = S>
struct cas_lock : any_lock {
	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		/* from GIVE of the last holder; LockCas+relaxed-take */
		WAIT(p, round,
		    compare_swap<TAKE, S>(lock_word(l, 0), 0, 1) == 0);
		fence<FENCE, FENCE_S>(); /* Rmw16+no-fence-take */
	}

	static __device__ void
	release(struct place *p, struct lock *l, uint32_t round)
	{
		fence<FENCE, FENCE_S>(); /* Rmw16+no-fence-give */
		/* to TAKE of the next holder; LockCas+relaxed-give */
		if constexpr (GIVE == WEAK)
			store<WEAK, S>(lock_word(l, 0), 0);
		else
			exchange<GIVE, S>(lock_word(l, 0), 0);
	}
};

LOCK(lock_cas, cas_lock<ACQUIRE, RELEASE>)
BROKEN_LOCK(lock_cas_relaxed_take, cas_lock<RELAXED, RELEASE>)
BROKEN_LOCK(lock_cas_relaxed_give, cas_lock<ACQUIRE, RELAXED>)
BROKEN_LOCK(lock_cas_block_scope, cas_lock<ACQUIRE, RELEASE, CTA>)
BROKEN_LOCK(lock_cas_plain_give, cas_lock<ACQUIRE, WEAK>)
LOCK(rmw16_locked, cas_lock<RELAXED, RELAXED, GPU, ACQ_REL>)
BROKEN_LOCK(rmw16_locked_no_fence, cas_lock<RELAXED, RELAXED>)
BROKEN_LOCK(rmw16_locked_block_fence,
    cas_lock<RELAXED, RELAXED, GPU, ACQ_REL, CTA>)

/* A flag that is looked at, then set: two may see it free. */
struct check_then_set : cas_lock<ACQUIRE, RELEASE> {
	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		WAIT(p, round, load<ACQUIRE, GPU>(lock_word(l, 0)) == 0);
		store<RELAXED, GPU>(lock_word(l, 0), 1);
	}
};

BROKEN_LOCK(lock_cas_check_then_set, check_then_set)

/* ---- tickets ------------------------------------------------------------ */

/* Draw a number, wait for it to be served: first come, first served, and
   the polls are reads. */
template <enum order WAIT_FOR, enum order SERVE, enum scope S = GPU,
    bool ATOMIC = true>
struct ticket_lock : any_lock {
	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		uint32_t *next = lock_word(l, 0), *serving = lock_word(l, 1);

		if constexpr (ATOMIC) {
			l->ticket = add<RELAXED, S>(next, 1);
		} else {
			l->ticket = load<RELAXED, S>(next);
			store<RELAXED, S>(next, l->ticket + 1);
		}
		/* from SERVE; LockTicket+relaxed-wait */
		WAIT(p, round, load<WAIT_FOR, S>(serving) == l->ticket);
	}

	static __device__ void
	release(struct place *p, struct lock *l, uint32_t round)
	{
		/* only the holder writes it; to WAIT_FOR of the next;
		   LockTicket+relaxed-serve */
		store<SERVE, S>(lock_word(l, 1), l->ticket + 1);
	}
};

LOCK(lock_ticket, ticket_lock<ACQUIRE, RELEASE>)
BROKEN_LOCK(lock_ticket_relaxed_wait, ticket_lock<RELAXED, RELEASE>)
BROKEN_LOCK(lock_ticket_relaxed_serve, ticket_lock<ACQUIRE, RELAXED>)
BROKEN_LOCK(lock_ticket_block_scope, ticket_lock<ACQUIRE, RELEASE, CTA>)
BROKEN_LOCK(lock_ticket_torn_draw,
    ticket_lock<ACQUIRE, RELEASE, GPU, false>)

/* ---- of one CTA, in shared memory --------------------------------------- */

INLINE uint32_t *
shared_words(void)
{
	__shared__ uint32_t words[2];

	return words;
}

#define SHARED_ATOM(text, other) \
	asm volatile("atom." text " %0, [%1], " other : "=r"(old) \
		     : "r"(shared(word)), "r"(x), "r"(y) : "memory")

/* Exactly what is said of cas_lock and ticket_lock, at cta scope. */
struct shared_lock : any_lock {
	static const enum scope SCOPE = CTA;

	static __device__ void
	init(struct place *p)
	{
		if (threadIdx.x < 2)
			shared_words()[threadIdx.x] = 0;
	}
};

template <bool ORDERED, bool ATOMIC = true>
struct cas_shared : shared_lock {
	static __device__ bool
	take(uint32_t *word)
	{
		uint32_t old, x = 0, y = 1;

		if constexpr (!ATOMIC) {
			old = peek(word);
			if (old == 0)
				poke(word, 1);
		} else if constexpr (ORDERED) {
			SHARED_ATOM("acquire.cta.shared::cta.cas.b32",
			    "%2, %3;");
		} else {
			SHARED_ATOM("relaxed.cta.shared::cta.cas.b32",
			    "%2, %3;");
		}
		return old == 0;
	}

	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		WAIT(p, round, take(shared_words()));
	}

	static __device__ void
	release(struct place *p, struct lock *l, uint32_t round)
	{
		uint32_t *word = shared_words(), x = 0, y = 0, old;

		if constexpr (ORDERED)
			SHARED_ATOM("release.cta.shared::cta.exch.b32", "%2;");
		else
			SHARED_ATOM("relaxed.cta.shared::cta.exch.b32", "%2;");
	}
};

LOCK(lock_cas_cta, cas_shared<true>)
BROKEN_LOCK(lock_cas_cta_relaxed, cas_shared<false>)
BROKEN_LOCK(lock_cas_cta_check_then_set, cas_shared<true, false>)

template <bool ORDERED>
struct ticket_shared : shared_lock {
	static __device__ uint32_t
	serving(uint32_t *word)
	{
		uint32_t now;

		if constexpr (ORDERED)
			asm volatile("ld.acquire.cta.shared::cta.u32 %0, [%1];"
			    : "=r"(now) : "r"(shared(word)) : "memory");
		else
			asm volatile("ld.relaxed.cta.shared::cta.u32 %0, [%1];"
			    : "=r"(now) : "r"(shared(word)) : "memory");
		return now;
	}

	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		uint32_t *word = shared_words(), x = 1, y = 0, old;

		SHARED_ATOM("relaxed.cta.shared::cta.add.u32", "%2;");
		l->ticket = old;
		WAIT(p, round, serving(word + 1) == l->ticket);
	}

	static __device__ void
	release(struct place *p, struct lock *l, uint32_t round)
	{
		uint32_t *word = shared_words() + 1;

		if constexpr (ORDERED)
			asm volatile("st.release.cta.shared::cta.u32 [%0], %1;"
			    : : "r"(shared(word)), "r"(l->ticket + 1)
			    : "memory");
		else
			asm volatile("st.relaxed.cta.shared::cta.u32 [%0], %1;"
			    : : "r"(shared(word)), "r"(l->ticket + 1)
			    : "memory");
	}
};

LOCK(lock_ticket_cta, ticket_shared<true>)
BROKEN_LOCK(lock_ticket_cta_relaxed, ticket_shared<false>)

/* ---- among the lanes of a warp ------------------------------------------ */

/*
 * All 32 lanes want it: kokkos #1612. They must not spin together, for the
 * compiler lets the lane that got it wait, right after the loop, for those
 * that did not. SYNC: and so does a full __syncwarp inside.
 */
template <bool TURNS, bool SYNC = false>
struct lanes_lock : cas_lock<ACQUIRE, RELEASE> {
	static const uint32_t LANES = 32;
	static const bool TAKE_TURNS = TURNS;

	static __device__ void
	acquire(struct place *p, struct lock *l, uint32_t round)
	{
		cas_lock::acquire(p, l, round);
		if constexpr (SYNC)
			__syncwarp();
	}
};

LOCK(lock_lanes, lanes_lock<true>)
BROKEN_LOCK(lock_lanes_together, lanes_lock<false>)
BROKEN_LOCK(lock_lanes_syncwarp, lanes_lock<false, true>)
