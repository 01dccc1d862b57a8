/*
 * Barriers inside a CTA: of a warp, of all its threads, of some of them.
 * They order everything their participants did before and do after, and
 * need no fence; what they need is that everyone comes.
 */
#include "barrier.cuh"

/* ---- of a warp ---------------------------------------------------------- */

enum warp_sync { FULL, HALF, ABSENT };

/*
 * Lanes that went different ways do not move in step, and nothing but
 * __syncwarp brings one to see what another has stored; without:
 * Syncwarp+absent. HALF: the mask leaves out the other sixteen lanes.
 */
template <enum warp_sync W>
INLINE void
warp_sync(void)
{
	if constexpr (W == FULL)
		__syncwarp();
	if constexpr (W == HALF)
		__syncwarp(0xffffu << (threadIdx.x & 16));
}

template <enum warp_sync W>
struct of_warp : any_barrier {
	static const enum scope SCOPE = WARP;

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		warp_sync<W>();
	}
};

BARRIER(syncwarp, of_warp<FULL>)
BROKEN_BARRIER(syncwarp_absent, of_warp<ABSENT>)
BROKEN_BARRIER(syncwarp_half, of_warp<HALF>)

/*
 * A tree over shared memory as it was written for warps that moved in
 * step: kokkos #1520. Each step reads what another lane wrote in the one
 * before.
 */
template <enum warp_sync W>
struct reduce : any_barrier {
	static const enum scope SCOPE = WARP;

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		__shared__ uint32_t sums[MAX_THREADS];
		uint32_t lane = threadIdx.x % 32, *sum = sums + threadIdx.x;

		__syncwarp();
		poke(sum, lane + round);
#pragma unroll
		for (uint32_t step = 16; step > 0; step /= 2) {
			warp_sync<W>(); /* Syncwarp+absent */
			uint32_t other = lane < step ? peek(sum + step) : 0;
			warp_sync<W>();
			if (lane < step)
				poke(sum, peek(sum) + other);
		}
		if (lane == 0 && peek(sum) != 496 + 32 * round)
			note(p->report, FOUND_STALE, round, p->cta,
			    496 + 32 * round, peek(sum));
		__syncwarp();
	}
};

BARRIER(warp_reduce, reduce<FULL>)
BROKEN_BARRIER(warp_reduce_absent, reduce<ABSENT>)

/* ---- of a CTA ----------------------------------------------------------- */

enum cta_sync {
	PLAIN, COUNT, AND, OR, /* barriers */
	WARP_ONLY, COUNT_WARP, AND_WARP, OR_WARP, /* of a warp in their place */
};

/* Whether this thread says yes in a round; a third of them do. */
INLINE int
says(uint32_t thread, uint32_t round)
{
	return (thread + round) % 3 == 0;
}

INLINE uint32_t
yeses(uint32_t threads, uint32_t round)
{
	uint32_t first = (3 - round % 3) % 3;

	return (threads + 2 - first) / 3;
}

INLINE void
expect(struct place *p, uint32_t round, uint32_t expected, uint32_t got)
{
	if (got != expected)
		note(p->report, FOUND_LOST, round, p->cta, expected, got);
}

/* Every one of them is a barrier, and those with a name also count; without
   the barrier: Syncthreads+warp-only. */
template <enum cta_sync C>
struct of_cta : any_barrier {
	static const enum scope SCOPE = CTA;

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		int yes = says(threadIdx.x, round);
		uint32_t all = yeses(blockDim.x, round);

		if constexpr (C == PLAIN)
			__syncthreads();
		if constexpr (C == COUNT)
			expect(p, round, all, __syncthreads_count(yes));
		if constexpr (C == AND)
			expect(p, round, round % 2, __syncthreads_and(
			    threadIdx.x != 7 || round % 2) != 0);
		if constexpr (C == OR)
			expect(p, round, round % 2, __syncthreads_or(
			    threadIdx.x == 7 && round % 2) != 0);
		if constexpr (C == WARP_ONLY)
			__syncwarp();
		if constexpr (C == AND_WARP)
			expect(p, round, round % 2, __all_sync(0xffffffff,
			    threadIdx.x != 7 || round % 2) != 0);
		if constexpr (C == OR_WARP)
			expect(p, round, round % 2, __any_sync(0xffffffff,
			    threadIdx.x == 7 && round % 2) != 0);
		if constexpr (C == COUNT_WARP)
			expect(p, round, all,
			    __popc(__ballot_sync(0xffffffff, yes)));
	}
};

BARRIER(syncthreads, of_cta<PLAIN>)
BROKEN_BARRIER(syncthreads_warp_only, of_cta<WARP_ONLY>)
BARRIER(syncthreads_count, of_cta<COUNT>)
BROKEN_BARRIER(syncthreads_count_ballot, of_cta<COUNT_WARP>)
BARRIER(syncthreads_and, of_cta<AND>)
BROKEN_BARRIER(syncthreads_and_vote, of_cta<AND_WARP>)
BARRIER(syncthreads_or, of_cta<OR>)
BROKEN_BARRIER(syncthreads_or_vote, of_cta<OR_WARP>)

/* ---- of some warps ------------------------------------------------------ */

/* bar.sync with a name and a count: pairs of warps, each its own barrier.
   COUNT: how many threads it waits for; Named+absent. */
template <uint32_t COUNT>
struct named : any_barrier {
	static const enum scope SCOPE = PART;

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		asm volatile("bar.sync %0, %1;" : :
		    "r"(1 + threadIdx.x / 64 % 15), "n"(COUNT) : "memory");
	}
};

BARRIER(named_barrier, named<64>)
BROKEN_BARRIER(named_barrier_short_count, named<32>)
