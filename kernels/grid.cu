/*
 * Barriers of a whole grid, whose CTAs must all be resident. What makes
 * one right:
 *
 * 1. bar.sync before thread 0 arrives: its release then covers what the
 *    other threads of the CTA wrote (causality order runs through
 *    bar.sync).
 * 2. The arrival is a release, and the poll that sees it an acquire, both
 *    at gpu scope: the pair synchronizes.
 * 3. Who is let go by a second store (a generation, a broadcast) is let go
 *    by somebody who has acquired every arrival.
 * 4. bar.sync after it: the other threads follow thread 0.
 *
 * Each twin lacks one of these, and says which.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "barrier.cuh"

enum { BEFORE = 1, AFTER = 2, BOTH = 3 }; /* which bar.syncs are there */

template <int SYNCS, int WHICH>
INLINE void
cta_sync(void)
{
	if constexpr ((SYNCS & WHICH) != 0)
		__syncthreads();
}

/* ---- a counter that only grows ------------------------------------------ */

/*
 * Every CTA polls the counter itself. The arrivals are read-modify-writes,
 * so a poll that sees the last of them has observed all (a chain of them
 * in observation order) and synchronizes with each.
 */
template <enum order ARRIVE, enum order POLL, enum scope S = GPU,
    enum order BEHIND = NONE, enum scope BEHIND_S = GPU, int SYNCS = BOTH,
    uint32_t PAUSE = 0>
struct monotonic : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0);

		cta_sync<SYNCS, BEFORE>();
		if (threadIdx.x == 0) {
			/* releases the CTA's stores to the poll below;
			   without: GridMonotonic+relaxed-arrive */
			reduce_add<ARRIVE, S>(count, 1);
			if constexpr (PAUSE > 0)
				pause_for(PAUSE);
			/* acquires them; without:
			   GridMonotonic+relaxed-poll */
			WAIT(p, round, (int32_t)(load<POLL, S>(count) -
			    round * p->ctas) >= 0);
			fence<BEHIND, BEHIND_S>();
		}
		cta_sync<SYNCS, AFTER>();
	}
};

BARRIER(grid_monotonic, monotonic<RELEASE, ACQUIRE>)
BARRIER(grid_monotonic_fence, monotonic<RELEASE, RELAXED, GPU, ACQUIRE>)
BROKEN_BARRIER(grid_monotonic_fence_relaxed_arrive,
    monotonic<RELAXED, RELAXED, GPU, ACQUIRE>)
BROKEN_BARRIER(grid_monotonic_fence_block,
    monotonic<RELEASE, RELAXED, GPU, ACQ_REL, CTA>)
BROKEN_BARRIER(grid_monotonic_relaxed_arrive, monotonic<RELAXED, ACQUIRE>)
BROKEN_BARRIER(grid_monotonic_relaxed_poll, monotonic<RELEASE, RELAXED>)
BROKEN_BARRIER(grid_monotonic_cta_scope, monotonic<RELEASE, ACQUIRE, CTA>)
BROKEN_BARRIER(grid_monotonic_cg_poll,
    monotonic<RELEASE, CG, GPU, ACQ_REL, CTA>)
BROKEN_BARRIER(grid_monotonic_no_sync_before,
    monotonic<RELEASE, ACQUIRE, GPU, NONE, GPU, AFTER>)
BROKEN_BARRIER(grid_monotonic_no_sync_after,
    monotonic<RELEASE, ACQUIRE, GPU, NONE, GPU, BEFORE>)

/*
 * Polls stand in the way of arrivals at the counter's address: who waits
 * for as long as the last ones take anyway, before the first poll, is let
 * go sooner. 300 clocks are the best on an H200 with 132 CTAs: 0.80 us
 * where polling at once takes 0.91.
 */
#define PAUSE_CLOCKS 300

BARRIER(grid_pause, monotonic<RELEASE, ACQUIRE, GPU, NONE, GPU, BOTH,
    PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_relaxed_arrive, monotonic<RELAXED, ACQUIRE, GPU,
    NONE, GPU, BOTH, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_relaxed_poll, monotonic<RELEASE, RELAXED, GPU,
    NONE, GPU, BOTH, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_no_sync_before, monotonic<RELEASE, ACQUIRE, GPU,
    NONE, GPU, AFTER, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_no_sync_after, monotonic<RELEASE, ACQUIRE, GPU,
    NONE, GPU, BEFORE, PAUSE_CLOCKS>)

/* An acquire drops the L1 with every poll; the fence does so once. */
BARRIER(grid_pause_fence, monotonic<RELEASE, RELAXED, GPU, ACQUIRE, GPU,
    BOTH, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_fence_absent, monotonic<RELEASE, RELAXED, GPU,
    NONE, GPU, BOTH, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_fence_relaxed_arrive, monotonic<RELAXED, RELAXED,
    GPU, ACQUIRE, GPU, BOTH, PAUSE_CLOCKS>)
BROKEN_BARRIER(grid_pause_fence_block, monotonic<RELEASE, RELAXED, GPU,
    ACQ_REL, CTA, BOTH, PAUSE_CLOCKS>)

/* ---- the last to come knows it ------------------------------------------ */

/*
 * The arrival asks for what the counter was: the last to come needs no poll,
 * and the others' first one comes a trip later, when most have arrived.
 * Whoever goes on must have acquired: the last one by its arrival, which a
 * release alone is not (GridLast+release-arrive), the others by their poll
 * (GridLast+relaxed-poll), or everyone by the fence behind both
 * (GridLast+no-fence). BETWEEN: clocks between polls.
 */
template <enum order ARRIVE, enum order POLL, enum order BEHIND = NONE,
    uint32_t BETWEEN = 0, int SYNCS = BOTH>
struct last_knows : any_barrier {
	static __device__ bool
	all_there(const uint32_t *count, uint32_t all)
	{
		if ((int32_t)(load<POLL, GPU>(count) - all) >= 0)
			return true;
		if constexpr (BETWEEN > 0)
			pause_for(BETWEEN);
		return false;
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0);
		uint32_t all = round * p->ctas;

		cta_sync<SYNCS, BEFORE>(); /* GridLast+no-sync-before */
		if (threadIdx.x == 0) {
			/* to the poll below; GridLast+relaxed-arrive */
			if (add<ARRIVE, GPU>(count, 1) + 1 != all)
				WAIT(p, round, all_there(count, all));
			fence<BEHIND, GPU>();
		}
		cta_sync<SYNCS, AFTER>(); /* GridLast+no-sync-after */
	}
};

#define BETWEEN_CLOCKS 50

BARRIER(grid_last, last_knows<ACQ_REL, ACQUIRE>)
BROKEN_BARRIER(grid_last_relaxed_arrive, last_knows<RELAXED, ACQUIRE>)
BROKEN_BARRIER(grid_last_release_arrive, last_knows<RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_last_relaxed_poll, last_knows<ACQ_REL, RELAXED>)
BROKEN_BARRIER(grid_last_no_sync_before,
    last_knows<ACQ_REL, ACQUIRE, NONE, 0, AFTER>)
BROKEN_BARRIER(grid_last_no_sync_after,
    last_knows<ACQ_REL, ACQUIRE, NONE, 0, BEFORE>)
BARRIER(grid_last_pause, last_knows<ACQ_REL, ACQUIRE, NONE, BETWEEN_CLOCKS>)
BROKEN_BARRIER(grid_last_pause_release_arrive,
    last_knows<RELEASE, ACQUIRE, NONE, BETWEEN_CLOCKS>)
BROKEN_BARRIER(grid_last_pause_relaxed_poll,
    last_knows<ACQ_REL, RELAXED, NONE, BETWEEN_CLOCKS>)
BARRIER(grid_last_fence,
    last_knows<RELEASE, RELAXED, ACQUIRE, BETWEEN_CLOCKS>)
BROKEN_BARRIER(grid_last_fence_absent,
    last_knows<RELEASE, RELAXED, NONE, BETWEEN_CLOCKS>)
BROKEN_BARRIER(grid_last_fence_relaxed_arrive,
    last_knows<RELAXED, RELAXED, ACQUIRE, BETWEEN_CLOCKS>)

/* ---- a counter and a generation ----------------------------------------- */

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

/*
 * The textbook's: the last to come resets the counter and starts the next
 * generation, which lets the others go.
 */
template <cuda::memory_order ARRIVE, cuda::memory_order BUMP,
    cuda::memory_order POLL, cuda::thread_scope S =
    cuda::thread_scope_device, int SYNCS = BOTH, enum order BETWEEN = NONE>
struct generation : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		cuda::atomic_ref<uint32_t, S> count(*state_line(p, 0, 0));
		cuda::atomic_ref<uint32_t, S> turn(*state_line(p, 0, 1));

		cta_sync<SYNCS, BEFORE>();
		if (threadIdx.x == 0) {
			uint32_t now = turn.load(memory_order_relaxed);

			/* releases this CTA's stores to the last to come, who
			   acquires them all for those that BUMP lets go;
			   without: GridGeneration+relaxed-arrive, and with
			   release alone: GridGeneration+release-arrive */
			if (count.fetch_add(1, ARRIVE) == p->ctas - 1) {
				count.store(0, memory_order_relaxed);
				/* to POLL; GridGeneration+relaxed-bump */
				turn.store(now + 1, BUMP);
			} else {
				fence<BETWEEN, GPU>();
				/* GridGeneration+relaxed-poll */
				WAIT(p, round, turn.load(POLL) != now);
			}
		}
		cta_sync<SYNCS, AFTER>();
	}
};

BARRIER(grid_generation, generation<memory_order_acq_rel,
    memory_order_release, memory_order_acquire>)
BROKEN_BARRIER(grid_generation_relaxed_arrive, generation<memory_order_relaxed,
    memory_order_release, memory_order_acquire>)
BROKEN_BARRIER(grid_generation_release_arrive, generation<memory_order_release,
    memory_order_release, memory_order_acquire>)
BROKEN_BARRIER(grid_generation_relaxed_bump, generation<memory_order_acq_rel,
    memory_order_relaxed, memory_order_acquire>)
BROKEN_BARRIER(grid_generation_relaxed_poll, generation<memory_order_acq_rel,
    memory_order_release, memory_order_relaxed>)
BROKEN_BARRIER(grid_generation_block_scope, generation<memory_order_acq_rel,
    memory_order_release, memory_order_acquire, cuda::thread_scope_block>)
BROKEN_BARRIER(grid_generation_no_sync_before, generation<memory_order_acq_rel,
    memory_order_release, memory_order_acquire, cuda::thread_scope_device,
    AFTER>)
BROKEN_BARRIER(grid_generation_fence_before_spin,
    generation<memory_order_acq_rel,
    memory_order_release, memory_order_relaxed, cuda::thread_scope_device,
    BOTH, ACQ_REL>)

/* ---- a counter that somebody resets ------------------------------------- */

/*
 * Two counters in turn. The last to leave, told by a second count, resets
 * the one just used; the next but one round finds it clean, since everyone
 * arrives in the round between after that reset. LEADER: CTA 0 resets as
 * soon as it has passed, and whoever still polls polls for ever.
 */
template <bool LEADER>
struct reset : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, round & 1);
		uint32_t *left = state_line(p, 0, 2 + (round & 1));

		__syncthreads();
		if (threadIdx.x == 0) {
			reduce_add<RELEASE, GPU>(count, 1);
			WAIT(p, round, load<ACQUIRE, GPU>(count) >= p->ctas);
			if (LEADER ? p->cta == 0 :
			    add<ACQ_REL, GPU>(left, 1) == p->ctas - 1) {
				store<RELAXED, GPU>(left, 0);
				store<RELAXED, GPU>(count, 0);
			}
		}
		__syncthreads();
	}
};

BARRIER(grid_reset, reset<false>)
BROKEN_BARRIER(grid_reset_by_leader, reset<true>)

/* ---- a flag each, all to all -------------------------------------------- */

/* No read-modify-write, so no queue at one address: every CTA stores its
   own flag, and its threads look at one flag each. FLAG is a word, or a
   byte: 132 of those are 5 sectors to read and not 17. */
template <class FLAG, enum order SET, enum order POLL, enum scope S = GPU,
    enum order BEHIND = NONE, int SYNCS = BOTH>
struct flags : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		FLAG *all = (FLAG *)state_line(p, 0, 0);
		const FLAG half = (FLAG)1 << (8 * sizeof(FLAG) - 1);

		cta_sync<SYNCS, BEFORE>();
		/* to the polls below; GridFlags+relaxed-set */
		if (threadIdx.x == 0)
			store<SET, S>(all + p->cta, round);
		/* GridFlags+relaxed-poll; that of one thread serves the others
		   through bar.sync: GridFlags+no-sync-after */
		for (uint32_t i = threadIdx.x; i < p->ctas; i += blockDim.x)
			WAIT(p, round, (FLAG)(load<POLL, S>(all + i) -
			    round) < half);
		fence<BEHIND, GPU>();
		cta_sync<SYNCS, AFTER>();
	}
};

BARRIER(grid_flags, flags<uint32_t, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_flags_relaxed_set, flags<uint32_t, RELAXED, ACQUIRE>)
BROKEN_BARRIER(grid_flags_relaxed_poll, flags<uint32_t, RELEASE, RELAXED>)
BARRIER(grid_flags_relaxed, flags<uint32_t, RELAXED, RELAXED>)
BROKEN_BARRIER(grid_flags_no_sync_after,
    flags<uint32_t, RELEASE, ACQUIRE, GPU, NONE, BEFORE>)
BARRIER(grid_bytes, flags<uint8_t, RELEASE, RELAXED, GPU, ACQUIRE>)
BROKEN_BARRIER(grid_bytes_relaxed_poll, flags<uint8_t, RELEASE, RELAXED>)
BROKEN_BARRIER(grid_bytes_no_sync_before,
    flags<uint8_t, RELEASE, RELAXED, GPU, ACQUIRE, AFTER>)

/* ---- flags gathered by one, then a broadcast ---------------------------- */

/* CTA 0 looks at all flags; the others at one word that it sets. Its GATHER
   must acquire what its GO passes on. */
template <enum order SET, enum order GATHER, enum order GO, enum order POLL>
struct master : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *all = state_line(p, 0, 1);
		uint32_t *go = state_line(p, 0, 0);

		__syncthreads();
		if (p->cta == 0) {
			/* with SET; GridMaster+relaxed-gather */
			for (uint32_t i = threadIdx.x + 1; i < p->ctas;
			    i += blockDim.x)
				WAIT(p, round,
				    load<GATHER, GPU>(all + i) >= round);
			__syncthreads();
			if (threadIdx.x == 0) /* GridMaster+relaxed-go */
				store<GO, GPU>(go, round);
		} else if (threadIdx.x == 0) {
			store<SET, GPU>(all + p->cta, round);
			/* GridMaster+relaxed-poll */
			WAIT(p, round, load<POLL, GPU>(go) >= round);
		}
		__syncthreads();
	}
};

BARRIER(grid_master, master<RELEASE, ACQUIRE, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_master_relaxed_set,
    master<RELAXED, ACQUIRE, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_master_relaxed_gather,
    master<RELEASE, RELAXED, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_master_relaxed_go,
    master<RELEASE, ACQUIRE, RELAXED, ACQUIRE>)
BROKEN_BARRIER(grid_master_relaxed_poll,
    master<RELEASE, ACQUIRE, RELEASE, RELAXED>)

/* ---- cooperative groups ------------------------------------------------- */

/* The yardstick. SELF: this CTA only, as when the wrong group is synced. */
template <bool SELF>
struct coop : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		if constexpr (SELF)
			cooperative_groups::this_thread_block().sync();
		else
			cooperative_groups::this_grid().sync();
	}
};

BARRIER(grid_coop, coop<false>)
BROKEN_BARRIER(grid_coop_block_only, coop<true>)
