/*
 * One CTA tells another: a flag beside the data, the data as its own flag,
 * and counters that reach a target.
 */
#include <cuda/atomic>

#include "message.cuh"

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

/* ---- flag and data ------------------------------------------------------ */

/* What flags have in common: the words are written plainly before send
   signals, and read plainly after recv has seen it. */
INLINE void
write_words(struct channel *c, uint32_t round)
{
	store<WEAK, CTA>(words<message>(c, round, c->from, threadIdx.x),
	    stamp(round, 0));
}

template <enum order O>
INLINE void
read_words(struct channel *c, uint32_t from, uint32_t round, uint32_t *got)
{
	got[0] = load<O, GPU>(words<message>(c, round, from, c->other));
}

enum { SEND = 1, RECV = 2, BOTH = 3 }; /* which bar.syncs are there */

template <int SYNCS, int WHICH>
INLINE void
cta_sync(void)
{
	if constexpr ((SYNCS & WHICH) != 0)
		__syncthreads();
}

/*
 * cuda::atomic_ref. The bar.sync before the release brings in what the
 * other threads wrote, that after the acquire lets them read; without:
 * Flag+no-sync-send, Flag+no-sync-recv.
 */
template <cuda::memory_order SET, cuda::memory_order GET,
    cuda::thread_scope S = cuda::thread_scope_device, int SYNCS = BOTH,
    enum order READ = WEAK>
struct flag_ref : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		cuda::atomic_ref<uint32_t, S> f(*flag(c, 0));

		write_words(c, round);
		cta_sync<SYNCS, SEND>();
		if (threadIdx.x == 0) /* to GET; Flag+relaxed-set */
			f.store(round, SET);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		cuda::atomic_ref<uint32_t, S> f(*flag(c, 0));

		if (threadIdx.x == 0) /* from SET; Flag+relaxed-get */
			WAIT(p, round, f.load(GET) >= round);
		cta_sync<SYNCS, RECV>();
		read_words<READ>(c, from, round, got);
	}

	/* what the reader's L1 holds comes by the way it reads */
	static __device__ void
	warm(struct place *p, struct channel *c, const uint32_t *words)
	{
		load<READ, GPU>(words);
	}
};

MESSAGE(flag_release, flag_ref<memory_order_release, memory_order_acquire>)
BROKEN_MESSAGE(flag_release_relaxed_set,
    flag_ref<memory_order_relaxed, memory_order_acquire>)
BROKEN_MESSAGE(flag_release_relaxed_get,
    flag_ref<memory_order_release, memory_order_relaxed>)
BROKEN_MESSAGE(flag_release_relaxed,
    flag_ref<memory_order_relaxed, memory_order_relaxed>)
BROKEN_MESSAGE(flag_release_block_scope, flag_ref<memory_order_release,
    memory_order_acquire, cuda::thread_scope_block>)
BROKEN_MESSAGE(flag_release_no_sync_send, flag_ref<memory_order_release,
    memory_order_acquire, cuda::thread_scope_device, RECV>)
BROKEN_MESSAGE(flag_release_no_sync_recv, flag_ref<memory_order_release,
    memory_order_acquire, cuda::thread_scope_device, SEND>)
/* ld.global.nc is outside the model: DeepEP #136 */
BROKEN_MESSAGE(flag_release_nc_data, flag_ref<memory_order_release,
    memory_order_acquire, cuda::thread_scope_device, BOTH, NC>)

/*
 * The poll is relaxed, and one fence behind it acquires: an acquire drops the
 * L1 with every poll.
 */
template <enum order SET, enum order FENCE, enum scope S = GPU,
    int SYNCS = BOTH>
struct flag_fence_once : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		cta_sync<SYNCS, SEND>();
		if (threadIdx.x == 0) /* to FENCE; Flag+fence-relaxed-set */
			store<SET, GPU>(flag(c, 0), round);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0) {
			WAIT(p, round,
			    load<RELAXED, GPU>(flag(c, 0)) >= round);
			fence<FENCE, S>(); /* from SET; Flag+relaxed-get */
		}
		cta_sync<SYNCS, RECV>();
		read_words<WEAK>(c, from, round, got);
	}
};

MESSAGE(flag_fence, flag_fence_once<RELEASE, ACQUIRE>)
BROKEN_MESSAGE(flag_fence_absent, flag_fence_once<RELEASE, NONE>)
BROKEN_MESSAGE(flag_fence_relaxed_set, flag_fence_once<RELAXED, ACQUIRE>)
BROKEN_MESSAGE(flag_fence_block, flag_fence_once<RELEASE, ACQ_REL, CTA>)
BROKEN_MESSAGE(flag_fence_no_sync_send,
    flag_fence_once<RELEASE, ACQUIRE, GPU, RECV>)
BROKEN_MESSAGE(flag_fence_no_sync_recv,
    flag_fence_once<RELEASE, ACQUIRE, GPU, SEND>)

/*
 * A flag a warp, so that no warp waits for others of its CTA. The lanes are
 * brought in by __syncwarp on both sides; FlagWarp+no-sync-send,
 * FlagWarp+no-sync-recv. A reader whose lanes want words of two warps waits
 * for both: those of its first and of its last lane. PAIR: see wait_pair.
 */
template <enum order SET, enum order FENCE, int SYNCS = BOTH,
    bool PAIR = false>
struct flag_of_warp : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		if constexpr ((SYNCS & SEND) != 0)
			__syncwarp();
		if (threadIdx.x % 32 == 0) /* FlagWarp+relaxed-set */
			store<SET, GPU>(flag(c, 0) + threadIdx.x / 32, round);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		const uint32_t *theirs = flag(c, 0) + c->other / 32;

		if (threadIdx.x % 32 == 0 || threadIdx.x % 32 == 31) {
			if constexpr (PAIR)
				wait_pair(p, round, [=] { return
				    load<RELAXED, GPU>(theirs); },
				    [=](uint32_t v) { return v >= round; });
			else
				WAIT(p, round, load<RELAXED, GPU>(theirs) >=
				    round);
			fence<FENCE, GPU>(); /* FlagWarp+no-fence */
		}
		if constexpr ((SYNCS & RECV) != 0)
			__syncwarp();
		read_words<WEAK>(c, from, round, got);
	}
};

MESSAGE(flag_warp, flag_of_warp<RELEASE, ACQUIRE>)
BROKEN_MESSAGE(flag_warp_relaxed_set, flag_of_warp<RELAXED, ACQUIRE>)
BROKEN_MESSAGE(flag_warp_absent, flag_of_warp<RELEASE, NONE>)
BROKEN_MESSAGE(flag_warp_no_sync_send, flag_of_warp<RELEASE, ACQUIRE, RECV>)
BROKEN_MESSAGE(flag_warp_no_sync_recv, flag_of_warp<RELEASE, ACQUIRE, SEND>)
MESSAGE(flag_warp_pair, flag_of_warp<RELEASE, ACQUIRE, BOTH, true>)
BROKEN_MESSAGE(flag_warp_pair_absent,
    flag_of_warp<RELEASE, NONE, BOTH, true>)

/* Older code: a volatile flag and __threadfence, which is fence.sc. */
template <enum order SET, enum order GET, enum order FENCE, enum scope S>
struct flag_fenced : message {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		__syncthreads();
		if (threadIdx.x == 0) {
			fence<FENCE, S>(); /* FlagFence+no-fence-set */
			store<SET, GPU>(flag(c, 0), round);
		}
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0) {
			WAIT(p, round, load<GET, GPU>(flag(c, 0)) >= round);
			fence<FENCE, S>(); /* FlagFence+no-fence-get */
		}
		__syncthreads();
		read_words<WEAK>(c, from, round, got);
	}
};

MESSAGE(flag_volatile_fence, flag_fenced<VOLATILE, VOLATILE, SC, GPU>)
BROKEN_MESSAGE(flag_volatile_fence_absent,
    flag_fenced<VOLATILE, VOLATILE, NONE, GPU>)
BROKEN_MESSAGE(flag_volatile_fence_block,
    flag_fenced<VOLATILE, VOLATILE, SC, CTA>)
BROKEN_MESSAGE(flag_volatile_fence_cv_block,
    flag_fenced<VOLATILE, CV, ACQ_REL, CTA>)
BROKEN_MESSAGE(flag_volatile_fence_plain, flag_fenced<WEAK, WEAK, SC, GPU>)

/* The place is used again when its reader says so (the way back in
   message.cuh), and not before. */
template <bool WAITS>
struct flag_reuse : flag_ref<memory_order_release, memory_order_acquire> {
	static __device__ void
	claim(struct place *p, struct channel *c, uint32_t round)
	{
		if constexpr (WAITS)
			message::claim(p, c, round);
		else
			__syncthreads();
	}
};

MESSAGE(flag_done, flag_reuse<true>)
BROKEN_MESSAGE(flag_done_not_awaited, flag_reuse<false>)

/* ---- sentinels ---------------------------------------------------------- */

/*
 * The data is its own flag: a word that is not EMPTY has arrived, and says
 * nothing about any other word. Needs no fence at all: a read of the same
 * location is ordered by coherence. The reader puts EMPTY back before it
 * frees the place. N words a thread; LAST: only the last is looked at; PAIR:
 * see wait_pair.
 */
template <int N, enum order SET, enum order GET, bool LAST = false,
    bool PAIR = false>
struct sentinel : message {
	static const uint32_t WORDS = N;

	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		uint32_t *to = words<sentinel>(c, round, c->from,
		    threadIdx.x);

		if constexpr (N == 1)
			store<SET, GPU>(to, stamp(round, 0));
		else
			for (uint32_t i = 0; i < N; i += 4)
				store<SET, GPU>((uint4 *)(to + i), make_uint4(
				    stamp(round, i), stamp(round, i + 1),
				    stamp(round, i + 2), stamp(round, i + 3)));
	}

	static __device__ bool
	full(const uint4 *v)
	{
		bool all = v[N / 4 - 1].w != EMPTY;

		for (uint32_t i = 0; i < N / 4 && !LAST; i++)
			all &= v[i].x != EMPTY && v[i].y != EMPTY &&
			    v[i].z != EMPTY && v[i].w != EMPTY;
		return all;
	}

	static __device__ bool
	read(const uint32_t *from, uint4 *v)
	{
		for (uint32_t i = 0; i < N / 4; i++)
			v[i] = load<GET, GPU>((const uint4 *)(from + 4 * i));
		return full(v);
	}

	/* SentinelVector+last-word: one word of a vector says nothing of the
	   others */
	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		uint32_t *in = words<sentinel>(c, round, from, c->other);

		if constexpr (PAIR) {
			got[0] = wait_pair(p, round, [=] { return
			    load<GET, GPU>(in); },
			    [](uint32_t v) { return v != EMPTY; });
		} else if constexpr (N == 1) {
			WAIT(p, round, (got[0] = load<GET, GPU>(in)) != EMPTY);
		} else {
			uint4 v[N / 4];

			WAIT(p, round, read(in, v));
			for (uint32_t i = 0; i < N / 4; i++) {
				got[4 * i] = v[i].x, got[4 * i + 1] = v[i].y;
				got[4 * i + 2] = v[i].z;
				got[4 * i + 3] = v[i].w;
			}
		}
	}

	static __device__ void
	recycle(struct place *p, struct channel *c, uint32_t round)
	{
		uint32_t *in = words<sentinel>(c, round, 0, c->other);
		const uint4 empty = {EMPTY, EMPTY, EMPTY, EMPTY};

		if constexpr (N == 1)
			store<RELAXED, GPU>(in, EMPTY);
		else
			for (uint32_t i = 0; i < N; i += 4)
				store<RELAXED, GPU>((uint4 *)(in + i), empty);
	}
};

MESSAGE(sentinel_relaxed, sentinel<1, RELAXED, RELAXED>)
MESSAGE(sentinel_volatile, sentinel<1, VOLATILE, VOLATILE>)
BROKEN_MESSAGE(sentinel_volatile_plain_put, sentinel<1, WEAK, VOLATILE>)
BROKEN_MESSAGE(sentinel_volatile_plain_get, sentinel<1, VOLATILE, WEAK>)
MESSAGE(sentinel_relaxed_cv, sentinel<1, WEAK, CV>)
BROKEN_MESSAGE(sentinel_relaxed_plain, sentinel<1, WEAK, WEAK>)
MESSAGE(sentinel_pair, sentinel<1, RELAXED, RELAXED, false, true>)
BROKEN_MESSAGE(sentinel_pair_cv, sentinel<1, WEAK, CV, false, true>)
MESSAGE(sentinel_vector, sentinel<4, RELAXED, RELAXED>)
BROKEN_MESSAGE(sentinel_vector_last, sentinel<4, RELAXED, RELAXED, true>)
MESSAGE(sentinel_wide, sentinel<8, RELAXED, RELAXED>)
BROKEN_MESSAGE(sentinel_wide_last, sentinel<8, RELAXED, RELAXED, true>)

/* The reader must have put EMPTY back before the place is free again. */
struct sentinel_reset_late : sentinel<1, RELAXED, RELAXED> {
	static __device__ void
	recycle(struct place *p, struct channel *c, uint32_t round)
	{
	}

	static __device__ void
	vacate(struct place *p, struct channel *c, uint32_t round)
	{
		message::vacate(p, c, round);
		store<RELAXED, GPU>(words<message>(c, round, 0, c->other),
		    EMPTY);
	}
};

BROKEN_MESSAGE(sentinel_relaxed_reset_late, sentinel_reset_late)

/* ---- counters that reach a target --------------------------------------- */

/*
 * "Counter 47 reaches 3": SENDERS producers add 1 each to the counter of a
 * place, and its reader waits for all of them. A place's counter moves on
 * only when its reader has freed it, so its target names the round.
 * ONE: one counter for the whole ring, which cannot say who was how far.
 */
template <int N, enum order ADD, enum order POLL, enum scope S = GPU,
    bool ONE = false, bool SYNC = true>
struct counter : message {
	static const uint32_t SENDERS = N;

	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		if constexpr (SYNC) /* Counter+no-sync */
			__syncthreads();
		if (threadIdx.x == 0) /* to POLL; Counter+relaxed-add */
			reduce_add<ADD, S>(flag(c, ONE ? 0 : round % DEPTH),
			    1);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		uint32_t *count = flag(c, ONE ? 0 : round % DEPTH);
		uint32_t turns = ONE ? round : (round + DEPTH - 1) / DEPTH;

		if (round % DEPTH == 0 && !ONE)
			turns = round / DEPTH;
		if (from == 0) {
			if (threadIdx.x == 0) /* Counter+relaxed-poll */
				WAIT(p, round, load<POLL, S>(count) >=
				    turns * N);
			__syncthreads();
		}
		read_words<WEAK>(c, from, round, got);
	}
};

MESSAGE(counter_target, counter<3, RELEASE, ACQUIRE>)
BROKEN_MESSAGE(counter_target_relaxed_add, counter<3, RELAXED, ACQUIRE>)
BROKEN_MESSAGE(counter_target_relaxed_poll, counter<3, RELEASE, RELAXED>)
BROKEN_MESSAGE(counter_target_cta_scope, counter<3, RELEASE, ACQUIRE, CTA>)
BROKEN_MESSAGE(counter_target_cumulative,
    counter<3, RELEASE, ACQUIRE, GPU, true>)
BROKEN_MESSAGE(counter_target_no_sync,
    counter<3, RELEASE, ACQUIRE, GPU, false, false>)

/* One counter a chunk: four senders of a chunk each, and the reader starts
   on a chunk when that one is there. FIRST: waits for the first only. */
template <enum order ADD, enum order POLL, bool FIRST = false>
struct chunks : message {
	static const uint32_t SENDERS = 4;

	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		__syncthreads();
		if (threadIdx.x == 0) /* Counter+relaxed-add */
			reduce_add<ADD, GPU>(flag(c, c->from), 1);
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0 && !(FIRST && from > 0))
			WAIT(p, round,
			    load<POLL, GPU>(flag(c, from)) >= round);
		__syncthreads();
		read_words<WEAK>(c, from, round, got);
	}
};

/*
 * vllm #2760: the producers' counters are bytes of one word, which is polled
 * whole. A load that overlaps narrower stores reads from none of them, and
 * synchronizes with none (PTX ISA, memory consistency model: partial
 * overlap), so there is no order and no litmus test.
 */
struct bytes_of_a_word : chunks<RELEASE, ACQUIRE> {
	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		__syncthreads();
		if (threadIdx.x == 0)
			store<RELEASE, GPU>((uint8_t *)flag(c, 0) + c->from,
			    round);
	}

	static __device__ bool
	all_there(uint32_t word, uint32_t round)
	{
		bool there = true;

		for (uint32_t i = 0; i < SENDERS; i++)
			there &= ((word >> 8 * i) - round & 0xff) < 0x80;
		return there;
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		if (threadIdx.x == 0 && from == 0)
			WAIT(p, round, all_there(load<ACQUIRE, GPU>(
			    flag(c, 0)), round));
		__syncthreads();
		read_words<WEAK>(c, from, round, got);
	}
};

MESSAGE(counter_chunks, chunks<RELEASE, ACQUIRE>)
BROKEN_MESSAGE(counter_chunks_bytes, bytes_of_a_word)
BROKEN_MESSAGE(counter_chunks_relaxed_add, chunks<RELAXED, ACQUIRE>)
BROKEN_MESSAGE(counter_chunks_relaxed_poll, chunks<RELEASE, RELAXED>)
BROKEN_MESSAGE(counter_chunks_first_only, chunks<RELEASE, ACQUIRE, true>)

/*
 * A queue of 64-bit slots, as mirage #470 has it: the slot is stored relaxed
 * and the tail moved on by an atom that releases; the reader acquires the
 * tail and loads the slot relaxed. The words are written before the slot,
 * which says where they are.
 */
template <enum order PUSH, enum order POP>
struct queue : message {
	static __device__ uint64_t *
	slot(struct channel *c, uint32_t round)
	{
		return (uint64_t *)flag(c, 1) + round % DEPTH;
	}

	static __device__ void
	send(struct place *p, struct channel *c, uint32_t round)
	{
		write_words(c, round);
		__syncthreads();
		if (threadIdx.x == 0) {
			store<RELAXED, GPU>(slot(c, round), (uint64_t)(size_t)
			    words<message>(c, round, c->from, 0));
			/* to POP; Queue+relaxed-push */
			add<PUSH, GPU>(flag(c, 0), 1);
		}
	}

	static __device__ void
	recv(struct place *p, struct channel *c, uint32_t from,
	    uint32_t round, uint32_t *got)
	{
		const uint32_t *mine = words<message>(c, round, from, 0);
		uint64_t at;

		if (threadIdx.x == 0) /* from PUSH; Queue+relaxed-pop */
			WAIT(p, round, load<POP, GPU>(flag(c, 0)) >= round);
		__syncthreads();
		at = load<RELAXED, GPU>(slot(c, round));
		got[0] = load<WEAK, GPU>(mine + c->other);
		if (at != (uint64_t)(size_t)mine)
			note(p->report, FOUND_STALE, round, p->cta,
			    (uint64_t)(size_t)mine, at);
	}
};

MESSAGE(queue_tail, queue<RELEASE, ACQUIRE>)
BROKEN_MESSAGE(queue_tail_relaxed_push, queue<RELAXED, ACQUIRE>)
BROKEN_MESSAGE(queue_tail_relaxed_pop, queue<RELEASE, RELAXED>)
