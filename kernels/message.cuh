/*
 * Messages: SENDERS CTAs write, one CTA reads. The adapter:
 *
 *	struct my_message : message {
 *		static __device__ void send(struct place *p,
 *		    struct channel *c, uint32_t round);
 *		static __device__ void recv(struct place *p,
 *		    struct channel *c, uint32_t from, uint32_t round,
 *		    uint32_t *got);
 *	};
 *	MESSAGE(my_message, my_message)
 *
 * Both are called by all threads of the CTA. send leaves stamp(round, i) in
 * word i of words(c, round, c->from, threadIdx.x); recv returns in got[]
 * the WORDS words of thread c->other of sender `from`. A ring of DEPTH
 * places lets the sender run ahead; claim waits until the place is free and
 * vacate frees it, with fences of their own that are known to be sound,
 * unless the adapter brings its own.
 */
#ifndef KERNELS_MESSAGE_CUH
#define KERNELS_MESSAGE_CUH

#include "harness.cuh"

#define EMPTY 0xffffffffu /* a NaN, and no value that is ever sent */
#define DEPTH 4
#define FLAG_LINES 16 /* control lines a direction */

struct channel {
	uint32_t *flags; /* FLAG_LINES lines, zero at first */
	uint32_t *ring; /* EMPTY at first */
	uint32_t senders, from; /* how many; this CTA, if it is one */
	uint32_t other; /* the sender's thread whose word is wanted */
};

INLINE uint32_t *
flag(const struct channel *c, uint32_t line)
{
	return c->flags + line * (LINE / 4);
}

/* A message value carries its round; EMPTY comes before round 1. */
INLINE uint32_t
stamp(uint32_t round, uint32_t word)
{
	return round * 8 + word % 8;
}

INLINE int32_t
behind(uint32_t round, uint32_t value)
{
	return value == EMPTY ? 1 : (int32_t)(round - (value >> 3));
}

/* What adapters inherit: the way back, and one word a thread. */
struct message {
	static const uint32_t SENDERS = 1, WORDS = 1;

	/* The acquire pairs with the release in vacate: the words may be
	   overwritten only when the reader has read them. */
	static __device__ void
	claim(struct place *p, struct channel *c, uint32_t round)
	{
		if (threadIdx.x == 0 && round > DEPTH)
			WAIT(p, round, load<ACQUIRE, GPU>(flag(c,
			    FLAG_LINES - 1)) >= round - DEPTH);
		__syncthreads();
	}

	static __device__ void
	vacate(struct place *p, struct channel *c, uint32_t round)
	{
		__syncthreads();
		if (threadIdx.x == 0)
			store<RELEASE, GPU>(flag(c, FLAG_LINES - 1), round);
	}

	/* after recv, and before the place is given back: what was read may
	   be cleaned up, off the path of the answer */
	static __device__ void
	recycle(struct place *p, struct channel *c, uint32_t round)
	{
	}

	/* what a reader may have in its L1 */
	static __device__ void
	warm(struct place *p, struct channel *c, const uint32_t *words)
	{
		peek(words);
	}
};

/* The words of one thread of one sender. */
template <class P>
INLINE uint32_t *
words(const struct channel *c, uint32_t round, uint32_t from,
    uint32_t thread)
{
	return c->ring + ((round % DEPTH * c->senders + from) * blockDim.x +
	    thread) * P::WORDS;
}

/* Words of one channel. */
template <class P>
INLINE uint32_t
ring_size(void)
{
	return DEPTH * P::SENDERS * blockDim.x * P::WORDS;
}

/* Is this CTA in a whole group, one that memory has room for? */
template <class P>
INLINE bool
in_group(const struct place *p)
{
	const uint32_t unit = P::SENDERS + 1;
	uint32_t group = p->cta / unit;

	return group < p->ctas / unit &&
	    (group + 1) * GROUP_STATE <= STATE_BYTES &&
	    (group + 1) * 2 * ring_size<P>() <= PAYLOAD_BYTES / 4;
}

template <class P>
INLINE void
channel_open(struct channel *c, const struct place *p, uint32_t group,
    uint32_t direction)
{
	c->flags = state_line(p, group, direction * FLAG_LINES);
	c->ring = (uint32_t *)kept(p->a->payload +
	    (group * 2 + direction) * ring_size<P>() * 4);
	c->senders = P::SENDERS;
	c->from = 0;
	c->other = threadIdx.x;
}

/* Compares the words received, each with the round in it. */
template <class P>
INLINE void
judge(struct place *p, const uint32_t *got, uint32_t round)
{
	uint32_t old = 0, ahead = 0, worst = stamp(round, 0);

#pragma unroll
	for (uint32_t i = 0; i < P::WORDS; i++) {
		int32_t late = behind(round, got[i]);

		old += late > 0;
		ahead += late < 0;
		if (late != 0)
			worst = got[i];
	}
	if (old == 0 && ahead == 0)
		return;
	note(p->report, ahead > 0 ? FOUND_EARLY : old < P::WORDS ?
	    FOUND_TORN : FOUND_STALE, round, p->cta, stamp(round, 0), worst);
}

template <class P>
INLINE void
send_all(struct place *p, struct channel *c)
{
#pragma unroll 1
	for (uint32_t round = 1; round <= p->a->rounds && go_on(p, round);
	    round++) {
		P::claim(p, c, round);
		delay(p, round);
		P::send(p, c, round);
	}
}

template <class P>
INLINE uint32_t
receive_all(struct place *p, struct channel *c)
{
	uint32_t got[P::WORDS], round;

#pragma unroll 1
	for (round = 1; round <= p->a->rounds && go_on(p, round); round++) {
		c->other = (threadIdx.x + mix(round) % blockDim.x) %
		    blockDim.x;
		for (uint32_t from = 0; from < P::SENDERS; from++)
			P::warm(p, c, words<P>(c, round, from, c->other));
		delay(p, round);
		for (uint32_t from = 0; from < P::SENDERS; from++) {
			P::recv(p, c, from, round, got);
			judge<P>(p, got, round);
		}
		P::recycle(p, c, round);
		P::vacate(p, c, round);
	}
	return (round - 1) * P::SENDERS;
}

template <class P>
INLINE void
validate_message(const struct args *a)
{
	const uint32_t unit = P::SENDERS + 1;
	struct channel c;
	struct place p;
	uint32_t received = 0;

	if (!enter(&p, a, CTA))
		return;
	if (in_group<P>(&p)) {
		channel_open<P>(&c, &p, p.cta / unit, 0);
		c.from = p.cta % unit;
		if (c.from < P::SENDERS)
			send_all<P>(&p, &c);
		else
			received = receive_all<P>(&p, &c);
	}
	leave(&p, received);
}

/*
 * There and back: with one sender the answer goes the same way, so that
 * half of a lap is one way. Several senders are answered by a flag. Each
 * place of the ring is used again only after DEPTH answers, so nothing
 * waits for a free one: time alone keeps sentinels apart there, which is
 * good enough for a clock (the software machine may show why not for data).
 */
template <class P>
INLINE void
answer(struct place *p, struct channel *c, uint32_t round)
{
	if (P::SENDERS == 1) {
		P::send(p, c, round);
		return;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		store<RELEASE, GPU>(flag(c, 0), round);
}

template <class P>
INLINE void
await_answer(struct place *p, struct channel *c, uint32_t round)
{
	uint32_t got[P::WORDS];

	if (P::SENDERS == 1) {
		P::recv(p, c, 0, round, got);
		return;
	}
	if (threadIdx.x == 0)
		WAIT(p, round, load<ACQUIRE, GPU>(flag(c, 0)) >= round);
	__syncthreads();
}

template <class P>
INLINE void
time_answers(struct place *p, struct channel *there, struct channel *back)
{
	const uint32_t rounds = kept(p->a->rounds);
	uint32_t got[P::WORDS];

#pragma unroll 1
	for (uint32_t round = 1; round <= rounds; round++) {
		for (uint32_t i = 0; i < P::SENDERS; i++)
			P::recv(p, there, i, round, got);
		answer<P>(p, back, round);
		P::recycle(p, there, round);
	}
}

template <class P>
INLINE void
time_asks(struct place *p, struct channel *there, struct channel *back)
{
	const uint32_t rounds = kept(p->a->rounds);
	bool timed = p->cta == 0 && threadIdx.x == 0;
	struct watch w;

	if (timed)
		watch_start(&w, p, P::SENDERS == 1 ? 2 : 1);
#pragma unroll 1
	for (uint32_t round = 1; round <= rounds; round++) {
		P::send(p, there, round);
		if (round > 1)
			P::recycle(p, back, round - 1);
		await_answer<P>(p, back, round);
		if (timed)
			watch_lap(&w);
	}
	if (timed)
		watch_stop(&w, p->report);
}

template <class P>
INLINE void
bench_message(const struct args *a)
{
	const uint32_t unit = P::SENDERS + 1;
	struct channel there, back;
	struct place p;

	if (!enter(&p, a, CTA))
		return;
	settle(&p, 1);
	if (in_group<P>(&p)) {
		channel_open<P>(&there, &p, p.cta / unit, 0);
		channel_open<P>(&back, &p, p.cta / unit, 1);
		there.from = p.cta % unit;
		if (there.from == P::SENDERS)
			time_answers<P>(&p, &there, &back);
		else
			time_asks<P>(&p, &there, &back);
	}
	leave(&p, a->rounds);
}

#define BROKEN_MESSAGE(name, ...) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		validate_message<__VA_ARGS__>(&a); \
	}

#define MESSAGE(name, ...) \
	BROKEN_MESSAGE(name, __VA_ARGS__) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		bench_message<__VA_ARGS__>(&a); \
	}

#endif
