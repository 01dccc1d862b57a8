/*
 * Updates of shared cells: counters, maxima, sums, histograms. The adapter:
 *
 *	struct my_counter : tally {
 *		static __device__ uint32_t apply(struct place *p,
 *		    struct cells *c, uint32_t cell, uint32_t x);
 *	};
 *	TALLY(my_counter, my_counter)
 *
 * apply adds the draw x to cells->global[cell]; it is called by all threads
 * together. start and finish, before and after the updates of a round,
 * serve adapters that keep private copies. After every round the cells are
 * compared with what the same updates give by 64-bit atomics of the
 * harness: refer adds one update to the reference, same compares. Cells
 * start from INITIAL.
 */
#ifndef KERNELS_TALLY_CUH
#define KERNELS_TALLY_CUH

#include "harness.cuh"

#define CELLS_MAX 1024
#define TURNS 4 /* updates of a thread in a round */

struct cells {
	uint32_t *global; /* bins of them, zero at first */
	uint64_t *reference;
	uint32_t *own; /* of the CTA, in shared memory: CELLS_MAX */
	uint32_t bins;
};

/* What adapters inherit: a plain count. */
struct tally {
	static const bool DRAWN = true; /* the cell is drawn, not the lane's */
	static const uint32_t INITIAL = 0; /* what cells start from */

	static __device__ void
	start(struct place *p, struct cells *c)
	{
	}

	static __device__ void
	finish(struct place *p, struct cells *c)
	{
	}

	static __device__ void
	refer(struct cells *c, uint32_t cell, uint32_t x)
	{
		reduce_add<RELAXED, GPU>(c->reference + cell, (uint64_t)1);
	}

	static __device__ bool
	same(uint32_t cell, uint64_t reference)
	{
		return cell == (uint32_t)reference;
	}
};

/* Three sets in turn: one in use, one being looked at, one clean. */
INLINE void
cells_open(struct cells *c, const struct place *p, uint32_t *own,
    uint32_t round)
{
	c->bins = min(p->a->bins, CELLS_MAX);
	c->global = state_line(p, 0, 0) + round % 3 * CELLS_MAX;
	c->reference = (uint64_t *)state_line(p, 8, 0) +
	    round % 3 * CELLS_MAX;
	c->own = own;
}

template <class P>
INLINE uint32_t
which(const struct cells *c, uint32_t x)
{
	return (P::DRAWN ? x >> 8 : threadIdx.x % 32) % c->bins;
}

template <class P>
INLINE void
cells_clean(struct cells *c, uint32_t i)
{
	poke(c->global + i, P::INITIAL);
	store<WEAK, CTA>(c->reference + i, (uint64_t)0);
}

/* After the round has settled: compare, and clean up for the next but
   one. */
template <class P>
INLINE void
judge_cells(struct place *p, struct cells *c, uint32_t round)
{
	for (uint32_t i = threadIdx.x; i < c->bins; i += blockDim.x) {
		uint32_t got = peek(c->global + i);
		uint64_t expected = load<WEAK, CTA>(c->reference + i);

		if (!P::same(got, expected))
			note(p->report, FOUND_LOST, round, p->cta, expected,
			    got);
		cells_clean<P>(c, i);
	}
}

/* All three sets, before the first round. */
template <class P>
INLINE void
cells_start(struct place *p, struct cells *c)
{
	if (p->cta == 0)
		for (uint32_t set = 0; set < 3; set++) {
			cells_open(c, p, c->own, set);
			for (uint32_t i = threadIdx.x; i < c->bins;
			    i += blockDim.x)
				cells_clean<P>(c, i);
		}
	settle(p, 1);
}

template <class P>
INLINE void
validate_tally(const struct args *a)
{
	__shared__ uint32_t own[CELLS_MAX];
	struct cells c;
	struct place p;
	uint32_t round;

	if (!enter(&p, a, GPU))
		return;
	c.own = own;
	cells_start<P>(&p, &c);
#pragma unroll 1
	for (round = 1; round <= a->rounds && go_on(&p, round); round++) {
		cells_open(&c, &p, own, round);
		delay(&p, round);
		P::start(&p, &c);
#pragma unroll 1
		for (uint32_t i = 0; i < TURNS; i++) {
			uint32_t x = draw(a, round * TURNS + i, p.rank);
			uint32_t cell = which<P>(&c, x);

			P::apply(&p, &c, cell, x);
			P::refer(&c, cell, x);
		}
		P::finish(&p, &c);
		settle(&p, round + 1);
		if (p.cta == round % p.ctas)
			judge_cells<P>(&p, &c, round);
	}
	leave(&p, (uint64_t)(round - 1) * TURNS * blockDim.x);
}

/* The same by a mask, without a division for the clock to see: of so many
   cells as are a power of two. */
template <class P>
INLINE uint32_t
which_masked(uint32_t mask, uint32_t x)
{
	return (P::DRAWN ? x >> 8 : threadIdx.x % 32) & mask;
}

INLINE uint32_t
mask_of(uint32_t bins)
{
	uint32_t mask = 0;

	while (mask * 2 + 2 <= bins)
		mask = mask * 2 + 1;
	return mask;
}

/* The next update waits for the last one's result, where it has one. */
template <class P>
INLINE void
bench_tally(const struct args *a)
{
	const uint32_t rounds = kept(a->rounds);
	__shared__ uint32_t own[CELLS_MAX];
	struct cells c;
	struct place p;
	struct watch w;
	uint32_t x, mask, old = 0;

	if (!enter(&p, a, GPU))
		return;
	c.own = own;
	cells_start<P>(&p, &c);
	cells_open(&c, &p, own, 0);
	mask = kept(mask_of(c.bins));
	x = draw(a, 0, p.rank);
	if (p.rank == 0)
		watch_start(&w, &p, 1);
	P::start(&p, &c);
#pragma unroll 1
	for (uint32_t round = 1; round <= rounds; round++) {
		x = x * 1664525 + 1013904223;
		old = P::apply(&p, &c, which_masked<P>(mask,
		    x + (old >> 31)), x);
		if (p.rank == 0)
			watch_lap(&w);
	}
	P::finish(&p, &c);
	if (p.rank == 0)
		watch_stop(&w, p.report);
	leave(&p, (uint64_t)a->rounds * blockDim.x);
}

#define BROKEN_TALLY(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_tally<__VA_ARGS__>(&a); \
	}

#define TALLY(name, ...) \
	BROKEN_TALLY(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_tally<__VA_ARGS__>(&a); \
	}

#endif
