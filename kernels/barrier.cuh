/*
 * Barriers of every scope. The adapter:
 *
 *	struct my_barrier : any_barrier {
 *		static const enum scope SCOPE = CTA; // or another; else GRID
 *		static __device__ void sync(struct place *p, uint32_t round);
 *	};
 *	BARRIER(my_barrier, my_barrier)
 *
 * sync is called by all threads of SCOPE, with round = 1, 2, ... It promises
 * that what any of them did before, all of them see after.
 */
#ifndef KERNELS_BARRIER_CUH
#define KERNELS_BARRIER_CUH

#include "harness.cuh"

#define LATE_NS 3000 /* no store on its way takes so long */

/* What adapters inherit: of the grid, nothing to set up. */
struct any_barrier {
	static const enum scope SCOPE = GRID;

	static __device__ void
	init(struct place *p)
	{
	}
};

/* Where a participant leaves its stamp: two places in turn, so that one
   that runs ahead by a round overwrites nothing. */
template <enum scope SCOPE>
INLINE uint32_t *
slot(const struct place *p, uint32_t *own, uint32_t round, uint32_t rank)
{
	const struct args *a = p->a;
	uint32_t parity = round & 1;
	uint32_t *s;

	if (SCOPE == GPU || !(a->switches & SWITCH_SHARED))
		return (uint32_t *)a->payload +
		    (p->group * 2 + parity) * p->size + rank;
	own += parity * MAX_THREADS;
	if (SCOPE != CLUSTER)
		return own + opaque(threadIdx.x / p->size) * p->size + rank;
	s = own + rank % blockDim.x;
#if __CUDA_ARCH__ >= 900
	asm("mapa.u64 %0, %0, %1;" : "+l"(s) : "r"(rank / blockDim.x));
#endif
	return s;
}

/*
 * An old stamp: was it written and not seen (stale), or not even written
 * 3 us later, so that the barrier let us go too soon (early)?
 */
INLINE void
blame(struct findings *r, uint32_t *slot, uint32_t round, uint32_t cta,
    uint32_t got)
{
	uint64_t start = nanoseconds();
	uint32_t kind = FOUND_STALE;

	if (load<RELAXED, GPU>(&r->aborted) != 0)
		return;
	if ((int32_t)(got - round) > 0)
		kind = FOUND_EARLY;
	else
		while ((int32_t)(atomicOr(slot, 0) - round) < 0)
			if (nanoseconds() - start > LATE_NS) {
				kind = FOUND_EARLY;
				break;
			}
	note(r, kind, round, cta, round, got);
}

/*
 * One round: stamp, cross, look at another's stamp. The line looked at is
 * read beforehand as well, so that an L1 that nothing invalidates still
 * holds the old one.
 */
template <class P, int COPY>
INLINE void
cross(struct place *p, uint32_t *own, uint32_t round)
{
	uint32_t shift = draw(p->a, round, p->cta * 33 + threadIdx.x / 32);
	uint32_t *theirs = slot<P::SCOPE>(p, own, round,
	    (p->rank + shift % p->size) % p->size);
	uint32_t got;

	peek(theirs);
	poke(slot<P::SCOPE>(p, own, round, p->rank), round);
	asm volatile("// copy %0" : : "n"(COPY) : "memory");
	P::sync(p, round);
	got = peek(theirs);
	if (got != round)
		blame(p->report, theirs, round, p->cta, got);
}

template <class P>
INLINE void
validate_barrier(const struct args *a)
{
	__shared__ uint32_t own[2 * MAX_THREADS];
	/* a grid's barrier is in global memory, and goes on */
	const uint32_t before = P::SCOPE == GPU ? a->first : 0;
	struct place p;
	uint32_t round;

	if (!enter(&p, a, P::SCOPE))
		return;
	own[threadIdx.x] = own[MAX_THREADS + threadIdx.x] = 0;
	P::init(&p);
	settle(&p, 1);
	p.report->carries = P::SCOPE == GPU;
#pragma unroll 1
	for (round = before + 1; round <= before + a->rounds &&
	    go_on(&p, round); round++) {
		delay(&p, round);
		/* lanes that go different ways do not move in step */
		if (P::SCOPE == WARP && (mix(round ^ threadIdx.x) & 1))
			cross<P, 1>(&p, own, round);
		else
			cross<P, 0>(&p, own, round);
	}
	settle(&p, 2);
	leave(&p, round - 1 - before);
}

/* Nothing but the crossings and the clock. Small barriers are timed eight at
   a time. */
template <class P, bool PAYLOAD>
INLINE void
time_barrier(struct place *p, struct watch *w, uint32_t *payload)
{
	const uint32_t steps = P::SCOPE <= CTA ? 8 : 1;
	const uint32_t rounds = kept(p->a->rounds);
	bool timed = p->cta == 0 && threadIdx.x == 0;

	if (timed)
		watch_start(w, p, steps);
#pragma unroll 1
	for (uint32_t round = 1; round <= rounds; round += steps) {
#pragma unroll
		for (uint32_t i = 0; i < steps; i++) {
			if constexpr (PAYLOAD)
				poke(payload, round);
			P::sync(p, round + i);
		}
		if (timed)
			watch_lap(w);
	}
	if (timed)
		watch_stop(w, p->report);
}

template <class P>
INLINE void
bench_barrier(const struct args *a)
{
	__shared__ uint32_t own[2 * MAX_THREADS];
	struct place p;
	struct watch w;

	if (!enter(&p, a, P::SCOPE))
		return;
	P::init(&p);
	settle(&p, 1);
	if (a->switches & SWITCH_PAYLOAD)
		time_barrier<P, true>(&p, &w, slot<P::SCOPE>(&p, own, 1,
		    p.rank));
	else
		time_barrier<P, false>(&p, &w, NULL);
	settle(&p, 2);
	leave(&p, a->rounds);
}

#define BROKEN_BARRIER(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_barrier<__VA_ARGS__>(&a); \
	}

#define BARRIER(name, ...) \
	BROKEN_BARRIER(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_barrier<__VA_ARGS__>(&a); \
	}

#endif
