/*
 * Chains: CTAs take turns, each handing on what all before it wrote. Task
 * events and serial split-K are of this kind. The adapter:
 *
 *	struct my_chain {
 *		static __device__ void await(struct place *p,
 *		    struct turns *t, uint32_t turn);
 *		static __device__ void pass(struct place *p,
 *		    struct turns *t, uint32_t turn);
 *	};
 *	CHAIN(my_chain, my_chain)
 *
 * Both are called by all threads of a CTA; await returns when turn `turn`
 * has come (turn 0 at once), pass starts the next one. What was written in
 * any earlier turn must then be visible, not only what the last one wrote.
 */
#ifndef KERNELS_CHAIN_CUH
#define KERNELS_CHAIN_CUH

#include "harness.cuh"

struct turns {
	uint32_t *events; /* zero at first, a line each */
	uint32_t *token; /* a word a thread; after turn t it is t + 1 */
	uint32_t *trace; /* the same for each member: its last turn + 1 */
	uint32_t member, members;
};

INLINE uint32_t *
event(const struct turns *t, uint32_t line)
{
	return t->events + line * (LINE / 4);
}

INLINE bool
turns_open(struct turns *t, const struct place *p)
{
	uint32_t n = blockDim.x, unit = p->a->group, group = p->cta / unit;
	uint32_t words = (unit + 1) * n;

	t->events = state_line(p, group, 0);
	t->token = (uint32_t *)p->a->payload + group * words;
	t->trace = t->token + n;
	t->member = p->cta % unit;
	t->members = unit;
	return group < p->ctas / unit &&
	    (group + 1) * GROUP_STATE <= STATE_BYTES &&
	    (group + 1) * words <= PAYLOAD_BYTES / 4;
}

/* The turn in which `member` last wrote before `turn`, plus one; the
   payload's all ones before its first. */
INLINE uint32_t
last_turn(const struct turns *t, uint32_t turn, uint32_t member)
{
	uint32_t back = (turn + t->members - member) % t->members;

	if (back == 0)
		back = t->members;
	return turn >= back ? turn - back + 1 : 0xffffffffu;
}

INLINE void
judge_turn(struct place *p, uint32_t turn, uint32_t expected, uint32_t got)
{
	if (got != expected)
		note(p->report, (int32_t)(got - expected) > 0 ? FOUND_EARLY :
		    FOUND_STALE, turn, p->cta, expected, got);
}

template <class P>
INLINE void
take_turn(struct place *p, struct turns *t, uint32_t turn)
{
	uint32_t n = blockDim.x, i = (threadIdx.x + turn) % n;
	uint32_t far = draw(p->a, turn, p->cta) % t->members;
	uint32_t *token = t->token + i, *trace = t->trace + far * n + i;

	peek(token), peek(trace); /* into L1, before their time */
	delay(p, turn);
	P::await(p, t, turn);
	judge_turn(p, turn, turn > 0 ? turn : 0xffffffffu, peek(token));
	judge_turn(p, turn, last_turn(t, turn, far), peek(trace));
	__syncthreads(); /* all have read before any writes */
	poke(token, turn + 1);
	poke(t->trace + t->member * n + threadIdx.x, turn + 1);
	P::pass(p, t, turn);
}

template <class P>
INLINE void
validate_chain(const struct args *a)
{
	struct turns t;
	struct place p;
	uint32_t count = 0;

	if (!enter(&p, a, CTA))
		return;
	if (turns_open(&t, &p))
#pragma unroll 1
		for (uint32_t turn = t.member; turn < a->rounds &&
		    go_on(&p, count); turn += t.members, count++)
			take_turn<P>(&p, &t, turn);
	leave(&p, count);
}

/* A lap is once round all members. */
template <class P>
INLINE void
bench_turns(struct place *p, struct turns *t)
{
	bool timed = p->cta == 0 && threadIdx.x == 0;
	struct watch w;

	if (timed)
		watch_start(&w, p, t->members);
#pragma unroll 1
	for (uint32_t turn = t->member; turn < p->a->rounds;
	    turn += t->members) {
		P::await(p, t, turn);
		P::pass(p, t, turn);
		if (timed)
			watch_lap(&w);
	}
	if (timed)
		watch_stop(&w, p->report);
}

template <class P>
INLINE void
bench_chain(const struct args *a)
{
	struct turns t;
	struct place p;

	if (!enter(&p, a, CTA))
		return;
	settle(&p, 1);
	if (turns_open(&t, &p))
		bench_turns<P>(&p, &t);
	leave(&p, a->rounds / a->group);
}

#define BROKEN_CHAIN(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_chain<__VA_ARGS__>(&a); \
	}

#define CHAIN(name, ...) \
	BROKEN_CHAIN(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_chain<__VA_ARGS__>(&a); \
	}

#endif
