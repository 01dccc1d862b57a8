/*
 * Gathering: every CTA leaves a part, and the CTAs that need other parts
 * find them. Decoupled look-back and last-block reduction are of this kind.
 * The adapter:
 *
 *	struct my_gather {
 *		static __device__ void gather(struct place *p,
 *		    struct parts *g, uint32_t round);
 *	};
 *	GATHER(my_gather, my_gather)
 *
 * gather is called by all threads of every CTA once a round, and calls
 * judge_part for each thing it read of others. The harness settles between
 * rounds; memory of the round before is in L1 by then (warm).
 */
#ifndef KERNELS_GATHER_CUH
#define KERNELS_GATHER_CUH

#include "harness.cuh"

struct parts {
	uint32_t *status, *value; /* MAX_PARTS words each, zero at first */
	uint32_t *prefix; /* the same */
	uint64_t *packed; /* the same, of 64 bits */
	ulonglong2 *wide; /* the same, of 128 bits */
	uint32_t *partial; /* all ones at first: a word a thread and CTA */
	uint32_t tile; /* this CTA's part in this round */
};

#define MAX_PARTS 4096

/* What part `tile` holds in a round; and the sum of those before it. */
INLINE uint32_t
part_value(uint32_t tile, uint32_t round)
{
	return tile + round % 64;
}

INLINE uint32_t
part_prefix(uint32_t tile, uint32_t round)
{
	return tile * (tile - 1) / 2 + tile * (round % 64);
}

INLINE void
judge_part(struct place *p, uint32_t round, uint32_t expected, uint32_t got)
{
	if (got != expected)
		note(p->report, FOUND_STALE, round, p->cta, expected, got);
}

INLINE void
parts_open(struct parts *g, const struct place *p)
{
	g->status = state_line(p, 0, 0);
	g->value = g->status + MAX_PARTS;
	g->prefix = g->value + MAX_PARTS;
	g->packed = (uint64_t *)(g->prefix + MAX_PARTS);
	g->wide = (ulonglong2 *)(g->packed + MAX_PARTS);
	g->partial = (uint32_t *)p->a->payload;
}

template <class P>
INLINE void
validate_gather(const struct args *a)
{
	struct parts g;
	struct place p;
	uint32_t round;

	if (!enter(&p, a, GPU))
		return;
	parts_open(&g, &p);
#pragma unroll 1
	for (round = 1; round <= a->rounds && go_on(&p, round); round++) {
		g.tile = (p.cta + draw(a, round, 0) % p.ctas) % p.ctas;
		delay(&p, round);
		P::gather(&p, &g, round);
		settle(&p, round);
	}
	leave(&p, round - 1);
}

/* A lap is one round with the harness's own barrier in it, which bench of
   grid_monotonic times alone. */
template <class P>
INLINE void
bench_gather(const struct args *a)
{
	struct parts g;
	struct place p;
	struct watch w;

	if (!enter(&p, a, GPU))
		return;
	parts_open(&g, &p);
	settle(&p, 1);
	if (p.rank == 0)
		watch_start(&w, &p, 1);
#pragma unroll 1
	for (uint32_t round = 1; round <= a->rounds; round++) {
		g.tile = p.cta;
		P::gather(&p, &g, round);
		settle(&p, round + 1);
		if (p.rank == 0)
			watch_lap(&w);
	}
	if (p.rank == 0)
		watch_stop(&w, p.report);
	leave(&p, a->rounds);
}

#define BROKEN_GATHER(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_gather<__VA_ARGS__>(&a); \
	}

#define GATHER(name, ...) \
	BROKEN_GATHER(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_gather<__VA_ARGS__>(&a); \
	}

#endif
