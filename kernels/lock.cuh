/*
 * Locks. The adapter:
 *
 *	struct my_lock : any_lock {
 *		static const enum scope SCOPE = GRID; // or CTA
 *		static __device__ void acquire(struct place *p,
 *		    struct lock *l, uint32_t round);
 *		static __device__ void release(struct place *p,
 *		    struct lock *l, uint32_t round);
 *	};
 *	LOCK(my_lock, my_lock)
 *
 * LANES lanes of each warp contend: of a->group CTAs for one lock in global
 * memory, or of one CTA (SCOPE = CTA) for one in shared memory. Inside, a
 * 16-byte vector and a word on another line are read and written with plain
 * accesses; all five must agree, and never go back.
 */
#ifndef KERNELS_LOCK_CUH
#define KERNELS_LOCK_CUH

#include "harness.cuh"

struct lock {
	uint32_t *words; /* 4 lines, zero at first */
	uint32_t *owner;
	uint32_t *vector, *word; /* what it protects */
	uint32_t ticket; /* the adapter's own */
};

/* What adapters inherit: nothing to set up, one lane a warp. */
struct any_lock {
	static const enum scope SCOPE = GRID;
	static const uint32_t LANES = 1; /* of a warp that contend */
	static const bool TAKE_TURNS = false; /* lanes one after another */

	static __device__ void
	init(struct place *p)
	{
	}
};

INLINE bool
lock_open(struct lock *l, const struct place *p, enum scope scope)
{
	uint32_t group = scope == CTA ? p->cta : p->cta / p->a->group;

	l->words = state_line(p, group, 0);
	l->owner = state_line(p, group, 8);
	l->vector = state_line(p, group, 12);
	l->word = state_line(p, group, 14);
	l->ticket = 0;
	return (group + 1) * GROUP_STATE <= STATE_BYTES;
}

INLINE uint32_t *
lock_word(const struct lock *l, uint32_t line)
{
	return l->words + line * (LINE / 4);
}

/* Inside: count one entry. *last is the count this thread left behind. */
INLINE void
enter_section(struct place *p, struct lock *l, uint32_t round,
    uint32_t *last)
{
	uint4 v = load<WEAK, CTA>((const uint4 *)l->vector);
	uint32_t word = peek(l->word);

	if (v.y != v.x || v.z != v.x || v.w != v.x)
		note(p->report, FOUND_TORN, round, p->cta, v.x, v.w);
	else if (word != v.x || (int32_t)(v.x - *last) < 0)
		note(p->report, FOUND_STALE, round, p->cta,
		    word != v.x ? v.x : *last, word);
	*last = v.x + 1;
	store<WEAK, CTA>((uint4 *)l->vector,
	    make_uint4(*last, *last, *last, *last));
	poke(l->word, *last);
}

INLINE void
own(struct place *p, struct lock *l, uint32_t round, uint32_t old,
    uint32_t mine)
{
	uint32_t got = exchange<RELAXED, GPU>(l->owner, mine);

	if (got != old)
		note(p->report, FOUND_OVERLAP, round, p->cta, old, got);
}

template <class P>
INLINE void
visit(struct place *p, struct lock *l, uint32_t round, uint32_t *last)
{
	bool tracked = (p->a->switches & SWITCH_OWNER) != 0;
	uint32_t me = p->rank + 1;

	P::acquire(p, l, round);
	if (tracked)
		own(p, l, round, 0, me);
	enter_section(p, l, round, last);
	if (tracked)
		own(p, l, round, me, 0);
	P::release(p, l, round);
}

template <class P>
INLINE void
visit_in_turn(struct place *p, struct lock *l, uint32_t round,
    uint32_t *last)
{
#pragma unroll 1
	for (uint32_t lane = 0; lane < P::LANES; lane++) {
		if (lane == threadIdx.x % 32)
			visit<P>(p, l, round, last);
		__syncwarp();
	}
}

template <class P>
INLINE void
contend(struct place *p, struct lock *l)
{
	uint32_t last = 0;

#pragma unroll 1
	for (uint32_t round = 1; round <= p->a->rounds && go_on(p, round);
	    round++) {
		delay(p, round);
		if constexpr (!P::TAKE_TURNS)
			visit<P>(p, l, round, &last);
		else
			visit_in_turn<P>(p, l, round, &last);
	}
}

/* Every entry counted? Looked at by the last CTA to leave. */
template <class P>
INLINE void
count_entries(struct place *p)
{
	uint32_t unit = P::SCOPE == CTA ? 1 : p->a->group;
	uint32_t groups = (p->ctas + unit - 1) / unit;

	for (uint32_t g = threadIdx.x; g < groups; g += blockDim.x) {
		uint32_t ctas = min(unit, p->ctas - g * unit);
		uint32_t expected = ctas * (blockDim.x / 32) * P::LANES *
		    p->a->rounds;
		uint32_t got = peek(state_line(p, g, 14));

		if (got != expected &&
		    (g + 1) * GROUP_STATE <= STATE_BYTES)
			note(p->report, FOUND_LOST, p->a->rounds, p->cta,
			    expected, got);
	}
}

/* Entries of a whole CTA. */
template <class P>
INLINE uint64_t
entries(uint32_t rounds)
{
	return (uint64_t)rounds * P::LANES * (blockDim.x / 32);
}

template <class P>
INLINE void
validate_lock(const struct args *a)
{
	struct lock l;
	struct place p;

	if (!enter(&p, a, P::SCOPE))
		return;
	P::init(&p);
	__syncthreads();
	if (lock_open(&l, &p, P::SCOPE) && threadIdx.x % 32 < P::LANES)
		contend<P>(&p, &l);
	if (leave(&p, entries<P>(a->rounds)))
		count_entries<P>(&p);
}

/* Taken and given back, with nothing inside. */
template <class P>
INLINE void
bench_visits(struct place *p, struct lock *l)
{
	bool timed = p->cta == 0 && threadIdx.x == 0;
	struct watch w;

	if (timed)
		watch_start(&w, p, P::LANES);
#pragma unroll 1
	for (uint32_t round = 1; round <= p->a->rounds; round++) {
#pragma unroll 1
		for (uint32_t lane = 0; lane < P::LANES; lane++) {
			if (lane == threadIdx.x % 32) {
				P::acquire(p, l, round);
				P::release(p, l, round);
			}
			if (P::LANES > 1)
				__syncwarp();
		}
		if (timed)
			watch_lap(&w);
	}
	if (timed)
		watch_stop(&w, p->report);
}

template <class P>
INLINE void
bench_lock(const struct args *a)
{
	struct lock l;
	struct place p;

	if (!enter(&p, a, P::SCOPE))
		return;
	P::init(&p);
	settle(&p, 1);
	if (lock_open(&l, &p, P::SCOPE) && threadIdx.x % 32 < P::LANES)
		bench_visits<P>(&p, &l);
	leave(&p, entries<P>(a->rounds));
}

#define BROKEN_LOCK(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_lock<__VA_ARGS__>(&a); \
	}

#define LOCK(name, ...) \
	BROKEN_LOCK(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_lock<__VA_ARGS__>(&a); \
	}

#endif
