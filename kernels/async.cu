/*
 * Bulk copies, which run in a proxy of their own: what plain accesses and
 * bulk copies do to the same memory is ordered only through
 * fence.proxy.async and through a copy's completion.
 */
#include "mbarrier.cuh"
#include "message.cuh"

INLINE void
proxy_fence(void)
{
	asm volatile("fence.proxy.async;" : : : "memory");
}

template <bool THERE>
INLINE void
proxy_fence_if(void)
{
	if constexpr (THERE)
		proxy_fence();
}

/* Of the CTA's shared memory only. */
INLINE void
proxy_fence_shared(void)
{
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

INLINE void
bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global"
	    ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : :
	    "r"(shared(to)), "l"(global(from)), "r"(bytes), "r"(shared(bar))
	    : "memory");
}

INLINE void
bulk_store(void *to, const void *from, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], "
	    "[%1], %2;\n\tcp.async.bulk.commit_group;" : :
	    "l"(global(to)), "r"(shared(from)), "r"(bytes) : "memory");
}

enum done { WRITTEN, READ_ONLY }; /* what wait_group waits for */

template <enum done D>
INLINE void
bulk_wait(void)
{
	if constexpr (D == WRITTEN)
		asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
	else
		asm volatile("cp.async.bulk.wait_group.read 0;" : : :
		    "memory");
}

/* ---- a bulk store, then a flag ------------------------------------------ */

/*
 * The words go through shared memory (a fence of every writer, so that the
 * copy reads what they wrote: triton-9610+found), the copy is waited for
 * until it has written (and not only read: bulk-store+read), and the flag
 * releases (megakernel+whole+relaxed+acquire+ld). The staging buffer is
 * written again only after bar.sync: bulk groups are of one thread
 * (TransformerEngine-3417+found).
 */
template <bool FENCE, enum done D, enum order SET, bool SYNC = true>
struct stored : message {
	/* every thread for itself, so that no bar.sync hides a missing one */
	static __device__ void
	claim(struct place *p, struct channel *c, uint32_t round)
	{
		if (round > DEPTH)
			WAIT(p, round, load<ACQUIRE, GPU>(flag(c,
			    FLAG_LINES - 1)) >= round - DEPTH);
	}

	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		__shared__ alignas(16) uint32_t stage[MAX_THREADS];

		poke(stage + threadIdx.x, stamp(round, 0));
		proxy_fence_if<FENCE>();
		__syncthreads();
		if (threadIdx.x == 0) {
			bulk_store(words<message>(c, round, c->from, 0),
			    stage, blockDim.x * 4);
			bulk_wait<D>();
			store<SET, GPU>(flag(c, 0), round);
		}
		if constexpr (SYNC)
			__syncthreads();
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0)
			WAIT(p, round,
			    load<ACQUIRE, GPU>(flag(c, 0)) >= round);
		__syncthreads();
		got[0] = peek(words<message>(c, round, from, c->other));
	}
};

MESSAGE(bulk_store_flag, stored<true, WRITTEN, RELEASE>)
BROKEN_MESSAGE(bulk_store_flag_no_fence, stored<false, WRITTEN, RELEASE>)
BROKEN_MESSAGE(bulk_store_flag_read_only, stored<true, READ_ONLY, RELEASE>)
BROKEN_MESSAGE(bulk_store_flag_relaxed, stored<true, WRITTEN, RELAXED>)
BROKEN_MESSAGE(bulk_store_flag_no_sync,
    stored<true, WRITTEN, RELEASE, false>)

/* ---- a flag, then a bulk load ------------------------------------------- */

enum cover { EVERYTHING, SHARED_ONLY, NOTHING }; /* what a fence covers */

/* Whoever has acquired the flag (megakernel+whole+release+volatile+fenced)
   may read plainly; a bulk copy needs a proxy fence first (ThunderKittens
   #194: megakernel+whole+release+acquire+bulk), one that covers global memory
   (async-fence-write-read-global+shared.cta), and its reader the copy's
   barrier. */
template <enum cover FENCE, enum order GET>
struct loaded : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		poke(words<message>(c, round, c->from, threadIdx.x),
		    stamp(round, 0));
		__syncthreads();
		if (threadIdx.x == 0)
			store<RELEASE, GPU>(flag(c, 0), round);
	}

	static __device__ void
	fetch(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *buffer, uint64_t *bar)
	{
		WAIT(p, round, load<GET, GPU>(flag(c, 0)) >= round);
		proxy_fence_if<FENCE == EVERYTHING>();
		if constexpr (FENCE == SHARED_ONLY)
			proxy_fence_shared();
		mbarrier_expect(bar, blockDim.x * 4);
		bulk_load(buffer, words<message>(c, round, from, 0),
		    blockDim.x * 4, bar);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		__shared__ alignas(16) uint32_t buffer[MAX_THREADS];
		__shared__ uint64_t bar;

		if (threadIdx.x == 0 && round == 1)
			mbarrier_init(&bar, 1);
		/* plain reads of the buffer come before the next copy */
		proxy_fence();
		__syncthreads();
		if (threadIdx.x == 0)
			fetch(p, c, from, round, buffer, &bar);
		WAIT(p, round, mbarrier_done<PARITY_TEST, ACQUIRE>(&bar, 0,
		    (round - 1) & 1));
		got[0] = buffer[c->other];
	}
};

MESSAGE(flag_bulk_load, loaded<EVERYTHING, ACQUIRE>)
BROKEN_MESSAGE(flag_bulk_load_no_fence, loaded<NOTHING, ACQUIRE>)
BROKEN_MESSAGE(flag_bulk_load_shared_fence, loaded<SHARED_ONLY, ACQUIRE>)
BROKEN_MESSAGE(flag_bulk_load_relaxed, loaded<EVERYTHING, RELAXED>)

/* ---- a pipeline of two stages ------------------------------------------- */

#define BLOCKS 16 /* of source data, each with a number of its own */
#define STAGES 2
#define STAGE_BYTES 8192

struct stages {
	uint4 data[STAGES][STAGE_BYTES / 16];
	uint64_t full[STAGES], empty[STAGES];
};

enum pipe { SOUND, NO_FENCE, NO_EMPTY, WRONG_BARRIER };

/* Every CTA writes the same blocks; then the copies may read them. */
INLINE const uint4 *
source_blocks(struct place *p)
{
	uint4 *blocks = (uint4 *)p->a->payload;

	for (uint32_t i = threadIdx.x; i < BLOCKS * (STAGE_BYTES / 16);
	    i += blockDim.x) {
		uint32_t k = i / (STAGE_BYTES / 16);

		store<WEAK, CTA>(blocks + i, make_uint4(k, k, k, k));
	}
	proxy_fence();
	settle(p, 1);
	proxy_fence();
	return blocks;
}

/* A part of a block: all words must be the number of the one wanted. */
INLINE void
judge_block(struct place *p, uint32_t round, uint32_t want, uint4 v)
{
	if (v.x != want || v.y != want || v.z != want || v.w != want)
		note(p->report, v.x != v.w ? FOUND_TORN :
		    (v.x - want) % BLOCKS < BLOCKS / 2 ? FOUND_EARLY :
		    FOUND_STALE, round, p->cta, want, v.x);
}

/* Lane 0 of the last warp: waits for a stage to be empty and fills it.
   NO_EMPTY: waits for its own last copy, and not for the readers. */
template <enum pipe P>
INLINE void
produce(struct place *p, struct stages *s, const uint4 *blocks,
    uint32_t bytes)
{
#pragma unroll 1
	for (uint32_t round = 0; round < p->a->rounds && go_on(p, round + 1);
	    round++) {
		uint32_t stage = round % STAGES, turn = round / STAGES;

		uint64_t *bar = P == NO_EMPTY ? &s->full[stage] :
		    &s->empty[stage];

		if (turn > 0)
			WAIT(p, round, mbarrier_done<PARITY_TEST, ACQUIRE>(
			    bar, 0, (turn - 1) & 1));
		mbarrier_expect(&s->full[stage], bytes);
		bulk_load(s->data[stage], blocks + round % BLOCKS *
		    (STAGE_BYTES / 16), bytes, &s->full[stage]);
	}
}

/*
 * The others: wait for a stage to be full, read it, and give it back. The
 * read is plain and the next copy is not: only the proxy fence between the
 * read and the arrival keeps the copy behind it (DeepEP-621+found). Waiting
 * for the other stage's barrier says nothing about this one
 * (triton-9695+found).
 */
template <enum pipe P>
INLINE void
consume(struct place *p, struct stages *s)
{
#pragma unroll 1
	for (uint32_t round = 0; round < p->a->rounds && go_on(p, round + 1);
	    round++) {
		uint32_t stage = round % STAGES, turn = round / STAGES;
		uint32_t other = P == WRONG_BARRIER && round > 0 ?
		    (round - 1) % STAGES : stage;
		uint32_t at = P == WRONG_BARRIER && round > 0 ?
		    (round - 1) / STAGES : turn;
		uint32_t want = round % BLOCKS;
		uint4 v;

		WAIT(p, round, mbarrier_done<PARITY_TEST, ACQUIRE>(
		    &s->full[other], 0, at & 1));
		v = s->data[stage][threadIdx.x];
		proxy_fence_if<P != NO_FENCE>();
		mbarrier_arrive<RELEASE>(&s->empty[stage]);
		judge_block(p, round, want, v);
	}
}

template <enum pipe P>
INLINE void
pipeline(const struct args *a, bool timed)
{
	__shared__ alignas(128) struct stages s;
	uint32_t consumers = min(blockDim.x - 32, STAGE_BYTES / 16);
	uint32_t producer = blockDim.x - 32;
	const uint4 *blocks;
	struct place p;
	struct watch w;

	if (!enter(&p, a, CTA))
		return;
	if (threadIdx.x < STAGES) {
		mbarrier_init(&s.full[threadIdx.x], 1);
		mbarrier_init(&s.empty[threadIdx.x], consumers);
	}
	blocks = source_blocks(&p);
	timed = timed && p.cta == 0 && threadIdx.x == producer;
	if (timed)
		watch_start(&w, &p, a->rounds);
	if (threadIdx.x < consumers)
		consume<P>(&p, &s);
	else if (threadIdx.x == producer)
		produce<P>(&p, &s, blocks, consumers * 16);
	if (timed) {
		watch_lap(&w);
		watch_stop(&w, p.report);
	}
	leave(&p, a->rounds);
}

#define BROKEN_PIPELINE(name, form) \
	KERNEL(name##_validate)(const struct args a) \
	{ \
		pipeline<form>(&a, false); \
	}
#define PIPELINE(name, form) \
	BROKEN_PIPELINE(name, form) \
	KERNEL(name##_bench)(const struct args a) \
	{ \
		pipeline<form>(&a, true); \
	}

PIPELINE(bulk_pipeline, SOUND)
BROKEN_PIPELINE(bulk_pipeline_no_fence, NO_FENCE)
BROKEN_PIPELINE(bulk_pipeline_no_empty, NO_EMPTY)
BROKEN_PIPELINE(bulk_pipeline_wrong_barrier, WRONG_BARRIER)

/* ---- a copy for a whole cluster ----------------------------------------- */

INLINE void
bulk_multicast(void *to, const void *from, uint32_t bytes, uint64_t *bar,
    uint16_t ctas)
{
	asm volatile("cp.async.bulk.shared::cluster.global"
	    ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
	    "%2, [%3], %4;" : : "r"(shared(to)), "l"(global(from)),
	    "r"(bytes), "r"(shared(bar)), "h"(ctas) : "memory");
}

/*
 * The first CTA copies a block into the shared memory of every CTA of its
 * cluster, each of which has armed its own barrier for the bytes and has
 * read what was there before: a cluster barrier says so. ARMED: without it,
 * the copy comes while peers still read, or do not expect it yet
 * (humming-53+found).
 */
template <bool ARMED>
INLINE void
share_blocks(struct place *p, const uint4 *blocks, uint4 *data,
    uint64_t *full)
{
	uint32_t bytes = blockDim.x * 16, rank = p->cta % p->a->cluster;
	uint4 v;

#pragma unroll 1
	for (uint32_t round = 0; round < p->a->rounds && go_on(p, round + 1);
	    round++) {
		uint32_t want = round % BLOCKS;

		if (threadIdx.x == 0)
			mbarrier_expect(full, bytes);
		if constexpr (ARMED)
			cluster_barrier<RELEASE>();
		if (threadIdx.x == 0 && rank == 0)
			bulk_multicast(data, blocks + want *
			    (STAGE_BYTES / 16), bytes, full,
			    (1u << p->a->cluster) - 1);
		WAIT(p, round, mbarrier_done<PARITY_TEST, ACQUIRE>(full, 0,
		    round & 1));
		v = data[threadIdx.x];
		proxy_fence();
		__syncthreads();
		judge_block(p, round + 1, want, v);
	}
}

template <bool ARMED>
INLINE void
multicast(const struct args *a, bool timed)
{
	__shared__ alignas(128) uint4 data[STAGE_BYTES / 16];
	__shared__ uint64_t full;
	const uint4 *blocks;
	struct place p;
	struct watch w;

	if (!enter(&p, a, CLUSTER))
		return;
	timed = timed && p.rank == 0 && p.cta == 0;
	if (threadIdx.x == 0)
		mbarrier_init(&full, 1);
	blocks = source_blocks(&p);
	cluster_barrier<RELEASE>();
	if (timed)
		watch_start(&w, &p, a->rounds);
	share_blocks<ARMED>(&p, blocks, data, &full);
	if (timed) {
		watch_lap(&w);
		watch_stop(&w, p.report);
	}
	cluster_barrier<RELEASE>();
	leave(&p, a->rounds);
}

KERNEL(bulk_multicast_validate)(const struct args a)
{
	multicast<true>(&a, false);
}

KERNEL(bulk_multicast_bench)(const struct args a)
{
	multicast<true>(&a, true);
}

KERNEL(bulk_multicast_unarmed_validate)(const struct args a)
{
	multicast<false>(&a, false);
}
