/*
 * The search for a faster grid barrier: what can be varied without giving
 * up the order. Every variant is a release of thread 0 (or of some lanes)
 * after a bar.sync, and an acquire by whoever goes on; grid.cu keeps those
 * that proved worth it.
 *
 *	fencepost primitive -f contrib/barriers.yaml --bench
 */
#include "barrier.cuh"

/* Flags of a byte in COPIES arrays, each for its part of the readers. WARP:
   only warp 0 polls, with all its loads in flight together. */
template <class FLAG, int COPIES, bool WARP>
struct flags : any_barrier {
	static __device__ bool
	all_there(const struct place *p, const FLAG *flags, uint32_t round)
	{
		const FLAG half = (FLAG)1 << (8 * sizeof(FLAG) - 1);
		bool there = true;

#pragma unroll
		for (uint32_t k = 0; k < 5; k++) {
			uint32_t i = k * 32 + threadIdx.x;

			if (i < p->ctas)
				there &= (FLAG)(load<RELAXED, GPU>(flags + i)
				    - round) < half;
		}
		return __all_sync(0xffffffff, there);
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		const uint32_t stride = 2048;
		uint8_t *base = (uint8_t *)state_line(p, 0, 0);
		FLAG *mine = (FLAG *)(base + p->cta % COPIES * stride);
		const FLAG half = (FLAG)1 << (8 * sizeof(FLAG) - 1);

		__syncthreads();
		if (threadIdx.x < COPIES)
			store<RELEASE, GPU>((FLAG *)(base + threadIdx.x *
			    stride) + p->cta, round);
		if (WARP && threadIdx.x < 32 && p->ctas <= 160)
			WAIT(p, round, all_there(p, mine, round));
		if (!WARP || p->ctas > 160)
			for (uint32_t i = threadIdx.x; i < p->ctas;
			    i += blockDim.x)
				WAIT(p, round, (FLAG)(load<RELAXED, GPU>(mine
				    + i) - round) < half);
		if (!WARP || threadIdx.x < 32)
			fence<ACQUIRE, GPU>();
		__syncthreads();
	}
};

BARRIER(lab_words_copies2, flags<uint32_t, 2, false>)
BARRIER(lab_words_copies4, flags<uint32_t, 4, false>)
BARRIER(lab_bytes_copies2, flags<uint8_t, 2, false>)
BARRIER(lab_bytes_copies4, flags<uint8_t, 4, false>)
BARRIER(lab_bytes_warp, flags<uint8_t, 1, true>)
BARRIER(lab_bytes_warp_copies2, flags<uint8_t, 2, true>)
BARRIER(lab_bytes_warp_copies4, flags<uint8_t, 4, true>)
BARRIER(lab_words_warp, flags<uint32_t, 1, true>)

/* A counter for each SPREAD-th of the arrivals, in COPIES copies for as
   many parts of the readers, each on a line of its own. */
template <int SPREAD, int COPIES, enum order POLL>
struct counters : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t copy = p->cta % COPIES, part = p->cta % SPREAD;
		uint32_t lane = threadIdx.x, members;

		__syncthreads();
		if (lane < COPIES)
			reduce_add<RELEASE, GPU>(state_line(p, 0,
			    lane * SPREAD + part), 1);
		if (lane < SPREAD) {
			members = (p->ctas + SPREAD - 1 - lane) / SPREAD;
			WAIT(p, round, (int32_t)(load<POLL, GPU>(state_line(p,
			    0, copy * SPREAD + lane)) - round * members) >= 0);
			if (POLL == RELAXED)
				fence<ACQUIRE, GPU>();
		}
		__syncthreads();
	}
};

BARRIER(lab_counters_2x1, counters<2, 1, RELAXED>)
BARRIER(lab_counters_4x1, counters<4, 1, RELAXED>)
BARRIER(lab_counters_8x1, counters<8, 1, RELAXED>)
BARRIER(lab_counters_1x2, counters<1, 2, RELAXED>)
BARRIER(lab_counters_1x4, counters<1, 4, RELAXED>)
BARRIER(lab_counters_4x4, counters<4, 4, RELAXED>)
BARRIER(lab_counters_1x1, counters<1, 1, RELAXED>)
BARRIER(lab_sound, counters<1, 1, ACQUIRE>)

/* Every warp polls a counter of its own and needs no second bar.sync; the
   others only arrive at the first. */
template <int POLLS>
struct warps : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
		uint32_t n = blockDim.x / 32;

		if (n > 1) {
			if (warp == 0)
				asm volatile("bar.sync 1, %0;" : :
				    "r"(blockDim.x) : "memory");
			else
				asm volatile("bar.arrive 1, %0;" : :
				    "r"(blockDim.x) : "memory");
		}
		if (warp == 0 && lane < n)
			reduce_add<RELEASE, GPU>(state_line(p, 0, lane), 1);
		if (lane < POLLS) {
			WAIT(p, round, (int32_t)(load<RELAXED, GPU>(
			    state_line(p, 0, warp)) - round * p->ctas) >= 0);
			fence<ACQUIRE, GPU>();
		}
		__syncwarp();
	}
};

BARRIER(lab_warps, warps<1>)

/* Two polls on their way at any time, from two warps that start half a
   trip apart; the first to see it lets both go. */
struct two_polls : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0), a, b;

		__syncthreads();
		if (threadIdx.x == 0) {
			reduce_add<RELEASE, GPU>(count, 1);
			a = load<RELAXED, GPU>(count);
			for (uint32_t i = 0; i < 40; i++)
				asm volatile("" : : : "memory");
			b = load<RELAXED, GPU>(count);
			WAIT(p, round, (int32_t)(a - round * p->ctas) >= 0 ||
			    (a = b, b = load<RELAXED, GPU>(count), false));
			fence<ACQUIRE, GPU>();
		}
		__syncthreads();
	}
};

BARRIER(lab_two_polls, two_polls)

/* Clocks between the arrival and the first poll, with an acquire each poll or
   one fence at the end. */
template <uint32_t PAUSE, enum order POLL, enum order BEHIND,
    enum order ARRIVE = RELEASE>
struct paused : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0);

		__syncthreads();
		if (threadIdx.x == 0) {
			reduce_add<ARRIVE, GPU>(count, 1);
			if constexpr (PAUSE > 0)
				pause_for(PAUSE);
			WAIT(p, round, (int32_t)(load<POLL, GPU>(count) -
			    round * p->ctas) >= 0);
			fence<BEHIND, GPU>();
		}
		__syncthreads();
	}
};

#define PAUSED(clocks) \
	BARRIER(lab_pause_##clocks, paused<clocks, ACQUIRE, NONE>) \
	BARRIER(lab_pause_fence_##clocks, paused<clocks, RELAXED, ACQUIRE>)
PAUSED(200)
PAUSED(225)
PAUSED(250)
PAUSED(275)
PAUSED(300)
PAUSED(325)
PAUSED(350)
PAUSED(400)
PAUSED(500)

/* Two polls at a time, half a trip apart, after the pause. */
template <uint32_t PAUSE>
struct paused_pair : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0);
		uint32_t all = round * p->ctas;

		__syncthreads();
		if (threadIdx.x == 0) {
			reduce_add<RELEASE, GPU>(count, 1);
			pause_for(PAUSE);
			wait_pair(p, round,
			    [=] { return load<RELAXED, GPU>(count); },
			    [=](uint32_t v) { return (int32_t)(v - all) >= 0;
			    });
			fence<ACQUIRE, GPU>();
		}
		__syncthreads();
	}
};

BARRIER(lab_pair_100, paused_pair<100>)
BARRIER(lab_pair_200, paused_pair<200>)
BARRIER(lab_pair_300, paused_pair<300>)

/* The last to come knows it; BETWEEN clocks between the others' polls. */
template <uint32_t BETWEEN>
struct last : any_barrier {
	static __device__ bool
	all_there(const uint32_t *count, uint32_t all)
	{
		if ((int32_t)(load<RELAXED, GPU>(count) - all) >= 0)
			return true;
		pause_for(BETWEEN);
		return false;
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t *count = state_line(p, 0, 0);
		uint32_t all = round * p->ctas;

		__syncthreads();
		if (threadIdx.x == 0) {
			if (add<RELEASE, GPU>(count, 1) + 1 != all)
				WAIT(p, round, all_there(count, all));
			fence<ACQUIRE, GPU>();
		}
		__syncthreads();
	}
};

BARRIER(lab_last_0, last<0>)
BARRIER(lab_last_20, last<20>)
BARRIER(lab_last_100, last<100>)

/* How much of it is order: the same with none, which is wrong. */
BARRIER(lab_sound_unordered, paused<0, RELAXED, NONE>)
BARRIER(lab_sound_unordered_both, paused<0, RELAXED, NONE, RELAXED>)
