/* Barriers in shared memory, which count arrivals: mbarrier. */
#include "barrier.cuh"
#include "mbarrier.cuh"

/*
 * arrive releases (MP-mbarrier+relaxed-arrive), the wait that succeeds
 * acquires (MP-mbarrier+relaxed-wait), and the phase completes with the last
 * arrival. SHORT: arrivals that the count leaves out. WRONG: waits for the
 * parity of the phase before (mbarrier-phase+before).
 */
template <enum wait_form F, enum order ARRIVE = RELEASE,
    enum order POLL = ACQUIRE, int SHORT = 0, int WRONG = 0>
struct of_mbarrier {
	static const enum scope SCOPE = CTA;

	static __device__ uint64_t *
	bar(void)
	{
		__shared__ uint64_t b;

		return &b;
	}

	static __device__ void
	init(struct place *p)
	{
		if (threadIdx.x == 0)
			mbarrier_init(bar(), blockDim.x - SHORT);
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint64_t state = mbarrier_arrive<ARRIVE>(bar());

		WAIT(p, round, mbarrier_done<F, POLL>(bar(), state,
		    (round - 1 + WRONG) & 1));
	}
};

BARRIER(mbarrier_test, of_mbarrier<TEST>)
BARRIER(mbarrier_try, of_mbarrier<TRY>)
BROKEN_BARRIER(mbarrier_try_no_wait, of_mbarrier<NO_WAIT>)
BARRIER(mbarrier_parity, of_mbarrier<PARITY>)
BROKEN_BARRIER(mbarrier_parity_relaxed_arrive, of_mbarrier<PARITY, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_relaxed_wait,
    of_mbarrier<PARITY, RELEASE, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_wrong_parity,
    of_mbarrier<PARITY_TEST, RELEASE, ACQUIRE, 0, 1>)
BROKEN_BARRIER(mbarrier_parity_no_wait, of_mbarrier<NO_WAIT>)
BROKEN_BARRIER(mbarrier_test_short_count,
    of_mbarrier<TEST, RELEASE, ACQUIRE, 32>)

/* ---- made, and used ----------------------------------------------------- */

/*
 * Whoever arrives must find the barrier made: the bar.sync after
 * mbarrier.init is what says so (Fuser-1552+found). Each launch is a round, since
 * an mbarrier is made once; what is found in its place otherwise is what the
 * launch before has left.
 */
template <bool SYNC>
INLINE void
fresh(const struct args *a)
{
	__shared__ uint32_t own[MAX_THREADS];
	__shared__ uint64_t bar;
	uint32_t n = blockDim.x, t = threadIdx.x, got;
	struct place p;
	uint64_t state;

	enter(&p, a, CTA);
	if (aborted(&p))
		return;
	if (t == 0)
		mbarrier_init(&bar, n);
	if constexpr (SYNC)
		__syncthreads();
	poke(own + t, p.cta + 1);
	state = mbarrier_arrive<RELEASE>(&bar);
	WAIT(&p, 1, mbarrier_done<TEST, ACQUIRE>(&bar, state, 0));
	got = peek(own + (t + 33) % n);
	if (got != p.cta + 1)
		note(p.report, FOUND_STALE, 1, p.cta, p.cta + 1, got);
	count_launch(p.report);
}

KERNEL(mbarrier_fresh_validate)(const struct args a)
{
	fresh<true>(&a);
}

KERNEL(mbarrier_fresh_no_sync_validate)(const struct args a)
{
	fresh<false>(&a);
}

/*
 * The same for a cluster, whose threads arrive at the barriers of all its
 * CTAs: fence.mbarrier_init publishes the new barrier to the cluster, and
 * after a cluster barrier everyone knows that it is there
 * (Fuser-1552-cluster+fence-only is without). A relaxed barrier
 * without that fence says nothing of what came before it.
 */
enum made { SOUND, NO_BARRIER, NO_ORDER };

template <enum made M>
INLINE void
fresh_of_cluster(const struct args *a)
{
	__shared__ uint32_t own[MAX_THREADS];
	__shared__ uint64_t bar;
	uint32_t t = threadIdx.x, unit = a->cluster, *theirs = own + t;
	struct place p;
	uint32_t got;

	enter(&p, a, CLUSTER);
	if (t == 0 && !aborted(&p)) {
		mbarrier_init(&bar, unit * blockDim.x);
		if constexpr (M != NO_ORDER)
			asm volatile("fence.mbarrier_init.release.cluster;" :
			    : : "memory");
	}
	if constexpr (M != NO_BARRIER)
		cluster_barrier<M == SOUND ? RELEASE : RELAXED>();
	poke(own + t, p.group + 1);
	for (uint32_t i = 0; i < unit; i++)
		mbarrier_arrive_at(&bar, i);
	WAIT(&p, 1, aborted(&p) || mbarrier_done_cluster(&bar, 0));
	asm("mapa.u64 %0, %0, %1;" : "+l"(theirs) : "r"((p.cta + 1) % unit));
	got = peek(theirs);
	if (got != p.group + 1)
		note(p.report, FOUND_STALE, 1, p.cta, p.group + 1, got);
	cluster_barrier<RELEASE>(); /* none leaves while others read */
	count_launch(p.report);
}

KERNEL(mbarrier_cluster_validate)(const struct args a)
{
	fresh_of_cluster<SOUND>(&a);
}

KERNEL(mbarrier_cluster_no_barrier_validate)(const struct args a)
{
	fresh_of_cluster<NO_BARRIER>(&a);
}

KERNEL(mbarrier_cluster_no_fence_validate)(const struct args a)
{
	fresh_of_cluster<NO_ORDER>(&a);
}
