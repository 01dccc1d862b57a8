/*
 * Turns: task events of megakernels, and the semaphore of serial split-K.
 * What a turn hands on is everything before it, so each link of the chain
 * must both acquire and release.
 */
#include "chain.cuh"

enum { AWAIT = 1, PASS = 2, BOTH = 3 }; /* which bar.syncs are there */

template <int SYNCS, int WHICH>
INLINE void
cta_sync(void)
{
	if constexpr ((SYNCS & WHICH) != 0)
		__syncthreads();
}

/*
 * Task events: each task has one trigger and one output, a word each in a
 * ring. An event is written once, so its value names the turn.
 */
template <enum order SET, enum order GET, enum scope S = GPU,
    int SYNCS = BOTH>
struct task_event {
	static __device__ void
	await(struct place *p, struct turns *t, uint32_t turn)
	{
		if (turn > 0 && threadIdx.x == 0) /* Event+relaxed-get */
			WAIT(p, turn, load<GET, S>(event(t, turn % 16)) ==
			    turn);
		cta_sync<SYNCS, AWAIT>();
	}

	static __device__ void
	pass(struct place *p, struct turns *t, uint32_t turn)
	{
		cta_sync<SYNCS, PASS>(); /* Event+no-sync */
		if (threadIdx.x == 0) /* to GET; Event+relaxed-set */
			store<SET, S>(event(t, (turn + 1) % 16), turn + 1);
	}
};

CHAIN(task_event, task_event<RELEASE, ACQUIRE>)
BROKEN_CHAIN(task_event_relaxed_set, task_event<RELAXED, ACQUIRE>)
BROKEN_CHAIN(task_event_relaxed_get, task_event<RELEASE, RELAXED>)
BROKEN_CHAIN(task_event_volatile, task_event<VOLATILE, VOLATILE>)
BROKEN_CHAIN(task_event_cta_scope, task_event<RELEASE, ACQUIRE, CTA>)
BROKEN_CHAIN(task_event_no_sync_pass,
    task_event<RELEASE, ACQUIRE, GPU, AWAIT>)

/*
 * Serial split-K: one word says whose turn it is. FENCE in thread 0 after
 * bar.sync, or of every writer before it; Fuser #2391 had neither. The
 * writers' own fences do not make thread 0's plain signal a release:
 * Semaphore+writers-fence.
 */
enum placement { AFTER_SYNC, BEFORE_SYNC, NO_FENCE };

template <enum placement F, enum order SET, enum order GET,
    int SYNCS = BOTH, enum scope S = GPU>
struct semaphore {
	static __device__ void
	await(struct place *p, struct turns *t, uint32_t turn)
	{
		if (threadIdx.x == 0) /* Semaphore+relaxed-get */
			WAIT(p, turn, load<GET, GPU>(event(t, 0)) == turn);
		cta_sync<SYNCS, AWAIT>();
	}

	static __device__ void
	pass(struct place *p, struct turns *t, uint32_t turn)
	{
		if constexpr (F == BEFORE_SYNC)
			fence<ACQ_REL, GPU>();
		cta_sync<SYNCS, PASS>(); /* Semaphore+no-sync */
		if (threadIdx.x == 0) {
			if constexpr (F == AFTER_SYNC) /* Semaphore+fence-cta */
				fence<ACQ_REL, S>();
			/* to GET; Semaphore+no-fence */
			store<SET, GPU>(event(t, 0), turn + 1);
		}
	}
};

CHAIN(splitk_semaphore, semaphore<NO_FENCE, RELEASE, ACQUIRE>)
CHAIN(splitk_fence, semaphore<AFTER_SYNC, RELAXED, ACQUIRE>)
BROKEN_CHAIN(splitk_fence_block,
    semaphore<AFTER_SYNC, RELAXED, ACQUIRE, BOTH, CTA>)
BROKEN_CHAIN(splitk_semaphore_no_fence, semaphore<NO_FENCE, RELAXED, ACQUIRE>)
BROKEN_CHAIN(splitk_semaphore_writers_fence,
    semaphore<BEFORE_SYNC, RELAXED, ACQUIRE>)
BROKEN_CHAIN(splitk_semaphore_no_sync,
    semaphore<NO_FENCE, RELEASE, ACQUIRE, AWAIT>)
BROKEN_CHAIN(splitk_semaphore_relaxed_get,
    semaphore<NO_FENCE, RELEASE, RELAXED>)
