/*
 * Read-modify-writes: what is an atomic operation and what only looks like
 * one, and ways to spread contention.
 */
#include "tally.cuh"

/* ---- counting ----------------------------------------------------------- */

/* One red or atom. Across CTAs, one at cta scope promises nothing: cudf
   #16051, Count+cta-scope. SPLIT: a load, an add, a store. */
template <enum scope S, bool SPLIT = false, bool LANES = false>
struct count : tally {
	static const bool DRAWN = !LANES;

	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		uint32_t *to = c->global + cell;
		uint32_t old;

		if constexpr (!SPLIT)
			return add<RELAXED, S>(to, 1);
		old = load<RELAXED, S>(to);
		store<RELAXED, S>(to, old + 1);
		return old;
	}
};

TALLY(atomic_add, count<GPU>)
TALLY(atomic_add_sys, count<SYS>)
TALLY(atomic_add_cta_scope, count<CTA>)
BROKEN_TALLY(atomic_add_split, count<GPU, true>)
BROKEN_TALLY(atomic_add_sys_split, count<SYS, true>)
TALLY(atomic_add_lanes, count<GPU, false, true>) /* a cell a lane, or one */
BROKEN_TALLY(atomic_add_lanes_split, count<GPU, true, true>)

/* In shared memory, then one atomic a cell. FIRST, LAST: the bar.syncs
   after zeroing and before adding up. */
template <bool FIRST, bool LAST, int COPIES = 1>
struct privatised : tally {
	static __device__ void
	start(struct place *p, struct cells *c)
	{
		for (uint32_t i = threadIdx.x; i < c->bins * COPIES;
		    i += blockDim.x)
			poke(c->own + i, 0);
		if constexpr (FIRST)
			__syncthreads();
	}

	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		uint32_t copy = threadIdx.x / 32 % COPIES, old;
		uint32_t *to = c->own + copy * c->bins + cell;

		asm volatile("atom.relaxed.cta.shared::cta.add.u32 %0, [%1], 1;"
		    : "=r"(old) : "r"(shared(to)) : "memory");
		return old;
	}

	static __device__ void
	finish(struct place *p, struct cells *c)
	{
		if constexpr (LAST)
			__syncthreads();
		for (uint32_t i = threadIdx.x; i < c->bins;
		    i += blockDim.x) {
			uint32_t sum = 0;

			for (uint32_t k = 0; k < COPIES; k++)
				sum += peek(c->own + k * c->bins + i);
			if (sum > 0)
				reduce_add<RELAXED, GPU>(c->global + i, sum);
		}
		__syncthreads();
	}
};

TALLY(histogram_shared, privatised<true, true>)
BROKEN_TALLY(histogram_shared_no_first_sync, privatised<false, true>)
BROKEN_TALLY(histogram_shared_no_last_sync, privatised<true, false>)
TALLY(histogram_copies, privatised<true, true, 4>)
BROKEN_TALLY(histogram_copies_no_last_sync, privatised<true, false, 4>)

/* Lanes with the same cell agree on one of them to add for all. ALWAYS: as
   if all lanes had the same. */
template <bool ALWAYS>
struct aggregated : tally {
	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		uint32_t peers = ALWAYS ? 0xffffffff :
		    __match_any_sync(0xffffffff, cell);

		if ((peers & ((1u << threadIdx.x % 32) - 1)) == 0)
			reduce_add<RELAXED, GPU>(c->global + cell,
			    __popc(peers));
		return 0;
	}
};

TALLY(count_aggregated, aggregated<false>)
BROKEN_TALLY(count_aggregated_blindly, aggregated<true>)

/* Few cells: one ballot a cell, counted by popcount. LANES: how many of the
   warp vote. */
template <uint32_t MASK>
struct balloted : tally {
	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		for (uint32_t i = 0; i < c->bins; i++) {
			uint32_t votes = __ballot_sync(0xffffffff, cell == i);

			if (threadIdx.x % 32 == i % 32 && (votes & MASK))
				reduce_add<RELAXED, GPU>(c->global + i,
				    __popc(votes & MASK));
		}
		return 0;
	}
};

TALLY(count_ballot, balloted<0xffffffff>)
BROKEN_TALLY(count_ballot_half, balloted<0x0000ffff>)

/* ---- float -------------------------------------------------------------- */

/* Bits of floats as integers that sort alike: negatives turned round. */
INLINE uint32_t
sortable(uint32_t bits)
{
	return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

INLINE float
unsorted(uint32_t image)
{
	return __uint_as_float(image & 0x80000000 ? image & 0x7fffffff :
	    ~image);
}

/* What is put into a cell: both signs, both zeros and NaNs into even ones,
   nothing but negatives into odd ones. */
INLINE float
operand(uint32_t cell, uint32_t x)
{
	float f = (float)(x >> 12) - 524288.0f;

	if (cell % 2 == 1)
		return -1.0f - fabsf(f);
	if (x % 64 == 0)
		f = __uint_as_float(0x7fc00000);
	if (x % 64 == 1)
		f = x & 64 ? 0.0f : -0.0f;
	return f;
}

struct float_tally : tally {
	static const uint32_t INITIAL = 0xff800000; /* -infinity */

	/* The policy for NaNs is that of fmaxf: they lose. */
	static __device__ void
	refer(struct cells *c, uint32_t cell, uint32_t x)
	{
		float f = operand(cell, x);

		if (f == f)
			atomicMax((unsigned long long *)c->reference + cell,
			    (unsigned long long)sortable(__float_as_uint(f)));
	}

	static __device__ bool
	same(uint32_t cell, uint64_t reference)
	{
		return reference == 0 ? cell == INITIAL :
		    __uint_as_float(cell) == unsorted((uint32_t)reference);
	}
};

enum max_form { SPLIT_SIGN, LOOP, ONE_TRY, INTEGER, NAN_TOO };

/*
 * As integers, floats of one sign sort right: positives upwards, negatives
 * downwards. So each sign has its own operation, and any positive beats any
 * negative in both. INTEGER: the common form, right only for positives.
 * LOOP compares floats and swaps bits until nobody came between.
 */
template <enum max_form F>
struct float_max : float_tally {
	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		uint32_t *to = c->global + cell;
		float f = operand(cell, x);

		if (F != NAN_TOO && f != f)
			return 0;
		if (F == INTEGER || (F != LOOP && F != ONE_TRY && !signbit(f)))
			return (uint32_t)atomicMax((int *)to,
			    __float_as_int(f));
		if (F != LOOP && F != ONE_TRY)
			return atomicMin(to, __float_as_uint(f));
		return swap_in(to, f);
	}

	static __device__ uint32_t
	swap_in(uint32_t *to, float f)
	{
		uint32_t old = load<RELAXED, GPU>(to), seen;

		for (; f > __uint_as_float(old); old = seen) {
			seen = compare_swap<RELAXED, GPU>(to, old,
			    __float_as_uint(f));
			if (seen == old || F == ONE_TRY)
				break;
		}
		return old;
	}
};

TALLY(float_max, float_max<SPLIT_SIGN>)
TALLY(float_max_loop, float_max<LOOP>)
BROKEN_TALLY(float_max_integer, float_max<INTEGER>)
BROKEN_TALLY(float_max_nan, float_max<NAN_TOO>)
BROKEN_TALLY(float_max_loop_one_try, float_max<ONE_TRY>)

/* Small whole numbers, so that sums are exact in any order. */
INLINE int
addend(uint32_t x)
{
	return (int)(x >> 4 & 15) - 8;
}

template <bool SPLIT>
struct float_add : tally {
	static __device__ void
	refer(struct cells *c, uint32_t cell, uint32_t x)
	{
		reduce_add<RELAXED, GPU>(c->reference + cell,
		    (uint64_t)(int64_t)addend(x));
	}

	static __device__ bool
	same(uint32_t cell, uint64_t reference)
	{
		return __uint_as_float(cell) == (float)(int64_t)reference;
	}

	static __device__ uint32_t
	apply(struct place *p, struct cells *c, uint32_t cell, uint32_t x)
	{
		uint32_t *to = c->global + cell;
		float f = (float)addend(x), old;

		if constexpr (!SPLIT)
			return (uint32_t)(int)atomicAdd((float *)to, f) >> 1;
		old = __uint_as_float(load<RELAXED, GPU>(to));
		store<RELAXED, GPU>(to, __float_as_uint(old + f));
		return 0;
	}
};

TALLY(float_add, float_add<false>)
BROKEN_TALLY(float_add_split, float_add<true>)
