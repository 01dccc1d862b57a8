/*
 * Every CTA leaves a part for others: decoupled look-back scan, and
 * last-block reduction.
 */
#include "gather.cuh"

/* ---- decoupled look-back ------------------------------------------------ */

enum { AGGREGATE = 1, PREFIX = 2 }; /* what a status says is there */

/* A status carries its round, so nothing is reset between rounds. */
INLINE uint32_t
status_of(uint32_t round, uint32_t what)
{
	return round * 4 + what;
}

/* The part's sum and its status in words of their own: the status must not
   be seen before the sum. FENCE stands between them, on both sides. */
template <enum order SET, enum order GET, enum order FENCE = NONE,
    enum scope FENCE_S = GPU>
struct two_words {
	static __device__ void
	publish(struct parts *g, uint32_t tile, uint32_t round, uint32_t what,
	    uint32_t sum)
	{
		uint32_t *to = what == PREFIX ? g->prefix : g->value;

		store<WEAK, CTA>(to + tile, sum);
		fence<FENCE, FENCE_S>(); /* LookBack+no-fence-set */
		/* to GET; LookBack+relaxed-set */
		store<SET, GPU>(g->status + tile, status_of(round, what));
	}

	static __device__ uint32_t
	await(struct place *p, struct parts *g, uint32_t tile,
	    uint32_t round, uint32_t *sum)
	{
		uint32_t status;

		peek(g->value + tile), peek(g->prefix + tile);
		/* from SET; LookBack+relaxed-get */
		WAIT(p, round, (status = load<GET, GPU>(g->status + tile)) >=
		    status_of(round, AGGREGATE));
		fence<FENCE, FENCE_S>(); /* LookBack+no-fence-get */
		*sum = peek((status & PREFIX ? g->prefix : g->value) + tile);
		return status & 3;
	}
};

/* Both in one word of 64 bits, which comes whole: no fence is needed.
   HALVES: written as two words of 32. */
template <bool HALVES>
struct one_word {
	static __device__ void
	publish(struct parts *g, uint32_t tile, uint32_t round, uint32_t what,
	    uint32_t sum)
	{
		uint64_t *to = g->packed + tile;
		uint32_t status = status_of(round, what);

		if constexpr (HALVES) { /* LookBackHalves */
			store<RELAXED, GPU>((uint32_t *)to + 1, status);
			store<RELAXED, GPU>((uint32_t *)to, sum);
		} else {
			store<RELAXED, GPU>(to,
			    ((uint64_t)status << 32) + sum);
		}
	}

	static __device__ uint32_t
	await(struct place *p, struct parts *g, uint32_t tile,
	    uint32_t round, uint32_t *sum)
	{
		uint64_t word;

		WAIT(p, round, (uint32_t)((word = load<RELAXED, GPU>(
		    g->packed + tile)) >> 32) >= status_of(round, AGGREGATE));
		*sum = (uint32_t)word;
		return (uint32_t)(word >> 32) & 3;
	}
};

/*
 * Sum and status of 64 bits each, as cub packs wider values (#606): one
 * vector access of 16 bytes, which PTX takes for two of 8 in any order;
 * LookBackWide.
 */
struct two_halves {
	static __device__ void
	publish(struct parts *g, uint32_t tile, uint32_t round, uint32_t what,
	    uint32_t sum)
	{
		store<RELAXED, GPU>(g->wide + tile,
		    make_ulonglong2(sum, status_of(round, what)));
	}

	static __device__ uint32_t
	await(struct place *p, struct parts *g, uint32_t tile,
	    uint32_t round, uint32_t *sum)
	{
		ulonglong2 v;

		WAIT(p, round, (v = load<RELAXED, GPU>(g->wide + tile)).y >=
		    status_of(round, AGGREGATE));
		*sum = (uint32_t)v.x;
		return (uint32_t)v.y & 3;
	}
};

/* Warp 0 looks back 32 parts at a time until it meets a prefix. */
template <class W>
struct look_back {
	static __device__ void
	gather(struct place *p, struct parts *g, uint32_t round)
	{
		uint32_t lane = threadIdx.x, before = 0, tile = g->tile;
		uint32_t mine = part_value(tile, round), sum, what, found;

		if (lane >= 32)
			return;
		if (lane == 0)
			W::publish(g, tile, round, tile == 0 ? PREFIX :
			    AGGREGATE, mine);
		for (uint32_t at = tile; at > 0; at -= min(at, 32u)) {
			sum = 0, what = PREFIX;
			if (lane < at)
				what = W::await(p, g, at - 1 - lane, round,
				    &sum);
			found = __ballot_sync(0xffffffff, what & PREFIX);
			if ((found & ((1u << lane) - 1)) != 0)
				sum = 0; /* a lane before had a prefix */
			for (uint32_t step = 16; step > 0; step /= 2)
				sum += __shfl_xor_sync(0xffffffff, sum, step);
			before += sum;
			if (found != 0)
				break;
		}
		if (lane == 0 && tile > 0)
			W::publish(g, tile, round, PREFIX, before + mine);
		if (lane == 0)
			judge_part(p, round, part_prefix(tile, round),
			    before);
	}
};

GATHER(look_back, look_back<two_words<RELEASE, ACQUIRE>>)
BROKEN_GATHER(look_back_relaxed_set, look_back<two_words<RELAXED, ACQUIRE>>)
BROKEN_GATHER(look_back_relaxed_get, look_back<two_words<RELEASE, RELAXED>>)
BROKEN_GATHER(look_back_volatile, look_back<two_words<VOLATILE, VOLATILE>>)
GATHER(look_back_fence, look_back<two_words<RELAXED, RELAXED, ACQ_REL>>)
BROKEN_GATHER(look_back_fence_block,
    look_back<two_words<RELAXED, RELAXED, ACQ_REL, CTA>>)
BROKEN_GATHER(look_back_fence_cg, look_back<two_words<RELAXED, CG, ACQ_REL>>)
GATHER(look_back_packed, look_back<one_word<false>>)
BROKEN_GATHER(look_back_packed_halves, look_back<one_word<true>>)
BROKEN_GATHER(look_back_packed_wide, look_back<two_halves>)

/* ---- the last block ----------------------------------------------------- */

enum { DRAW = 1, TELL = 2, BOTH = 3 }; /* which bar.syncs are there */

/*
 * Each CTA leaves a word a thread and draws a number; who draws the last
 * one finds everything there. The draw releases what the CTA wrote and
 * acquires what those before it did (kokkos #2681); the bar.syncs take in
 * the other threads on both sides. FENCE around a relaxed draw does the
 * same, as in the programming guide; WRITERS: a fence of every thread
 * before the bar.sync instead, which makes no release of thread 0's draw.
 */
template <enum order ORDER, enum scope S = GPU, int SYNCS = BOTH,
    enum order FENCE = NONE, enum scope FENCE_S = S, bool WRITERS = false>
struct last_block {
	static __device__ uint32_t
	draw_number(struct parts *g)
	{
		uint32_t number;

		if constexpr (!WRITERS)
			fence<FENCE, FENCE_S>(); /* LastBlock+no-fence */
		/* LastBlock+relaxed, +release, +acquire */
		number = add<ORDER, S>(g->status, 1);
		fence<FENCE, FENCE_S>();
		return number;
	}

	static __device__ void
	gather(struct place *p, struct parts *g, uint32_t round)
	{
		__shared__ uint32_t number;
		uint32_t n = blockDim.x, t = threadIdx.x, k;

		for (k = 0; k < p->ctas; k += 16) /* into L1, too early */
			peek(g->partial + (p->cta + k) % p->ctas * n + t);
		poke(g->partial + p->cta * n + (t + round) % n, round);
		if constexpr (WRITERS)
			fence<FENCE, FENCE_S>();
		if constexpr ((SYNCS & DRAW) != 0)
			__syncthreads(); /* LastBlock+no-sync */
		if (t == 0)
			number = draw_number(g);
		__syncthreads();
		if (number != round * p->ctas - 1)
			return;
		for (k = 0; k < p->ctas; k++)
			judge_part(p, round, round,
			    peek(g->partial + k * n + t));
	}
};

GATHER(last_block, last_block<ACQ_REL>)
BROKEN_GATHER(last_block_relaxed, last_block<RELAXED>)
BROKEN_GATHER(last_block_release_only, last_block<RELEASE>)
BROKEN_GATHER(last_block_acquire_only, last_block<ACQUIRE>)
BROKEN_GATHER(last_block_cta_scope, last_block<ACQ_REL, CTA>)
BROKEN_GATHER(last_block_no_sync_draw, last_block<ACQ_REL, GPU, TELL>)
GATHER(last_block_fence, last_block<RELAXED, GPU, BOTH, ACQ_REL>)
BROKEN_GATHER(last_block_fence_writers,
    last_block<RELAXED, GPU, BOTH, ACQ_REL, GPU, true>)
BROKEN_GATHER(last_block_fence_block,
    last_block<RELAXED, GPU, BOTH, ACQ_REL, CTA>)
