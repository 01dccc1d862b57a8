/*
 * Barriers of clusters, and a grid barrier in two steps, cluster and grid.
 */
#include "barrier.cuh"

/* ---- clusters ----------------------------------------------------------- */

enum cluster_form { ARRIVE_WAIT, RELAXED_ARRIVE, CTA_ONLY };

/* Every thread of the cluster arrives, which releases, and waits, which
   acquires; ClusterSync+relaxed-arrive. */
template <enum cluster_form F>
INLINE void
cluster_sync(void)
{
	if constexpr (F == CTA_ONLY)
		__syncthreads();
	else
		cluster_barrier<F == ARRIVE_WAIT ? RELEASE : RELAXED>();
}

template <enum cluster_form F>
struct of_cluster : any_barrier {
	static const enum scope SCOPE = CLUSTER;

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		cluster_sync<F>();
	}
};

BARRIER(cluster_sync, of_cluster<ARRIVE_WAIT>)
BROKEN_BARRIER(cluster_sync_relaxed_arrive, of_cluster<RELAXED_ARRIVE>)
BROKEN_BARRIER(cluster_sync_cta_only, of_cluster<CTA_ONLY>)

/* ---- leaving a cluster --------------------------------------------------- */

/*
 * A CTA whose shared memory others read must not leave before they have:
 * triton #11731. STAYS: a last cluster barrier. Each launch is a round; who
 * reads memory of a CTA that is gone faults.
 */
template <bool STAYS>
INLINE void
read_first(const struct args *a)
{
	__shared__ uint32_t own[MAX_THREADS];
	uint32_t *theirs = own + threadIdx.x, got = 0, rank;
	struct place p;

	enter(&p, a, CLUSTER);
	rank = p.cta % a->cluster;
	poke(own + threadIdx.x, p.cta - rank + 1);
	asm("mapa.u64 %0, %0, 0;" : "+l"(theirs));
	cluster_sync<ARRIVE_WAIT>();
	for (uint32_t i = 0; i < 64 && rank > 0; i++) {
		got = peek(theirs);
		if (got != p.cta - rank + 1)
			note(p.report, FOUND_STALE, 1, p.cta, p.cta - rank + 1,
			    got);
	}
	if constexpr (STAYS)
		cluster_sync<ARRIVE_WAIT>();
	count_launch(p.report);
}

KERNEL(cluster_leave_validate)(const struct args a)
{
	read_first<true>(&a);
}

KERNEL(cluster_leave_early_validate)(const struct args a)
{
	read_first<false>(&a);
}

/*
 * A CTA's shared memory must be initialised before others store there, or a
 * late initialisation wipes that out: triton #2292. WAITS: a cluster barrier
 * comes first (ClusterStore+found is without). Each launch is a round.
 */
template <bool WAITS>
INLINE void
store_in_next(const struct args *a)
{
	__shared__ uint32_t own[MAX_THREADS];
	uint32_t *theirs = own + threadIdx.x, rank, got, expected;
	struct place p;

	enter(&p, a, CLUSTER);
	rank = p.cta % a->cluster;
	expected = p.cta - rank + 1;
	poke(own + threadIdx.x, 0);
	if constexpr (WAITS)
		cluster_sync<ARRIVE_WAIT>();
	asm("mapa.u64 %0, %0, %1;" : "+l"(theirs) :
	    "r"((rank + 1) % a->cluster));
	poke(theirs, expected);
	cluster_sync<ARRIVE_WAIT>();
	got = peek(own + threadIdx.x);
	if (got != expected)
		note(p.report, FOUND_LOST, 1, p.cta, expected, got);
	count_launch(p.report);
}

KERNEL(cluster_store_validate)(const struct args a)
{
	store_in_next<true>(&a);
}

KERNEL(cluster_store_early_validate)(const struct args a)
{
	store_in_next<false>(&a);
}

/* ---- cluster, then grid ------------------------------------------------- */

/*
 * The cluster's CTAs meet, one of them meets the other clusters, and all
 * of them meet again: what a CTA wrote reaches the leader by the first
 * cluster barrier and the other clusters by the counter.
 * GridCluster+relaxed-cluster, +relaxed-add, +relaxed-poll, +cta-only.
 */
template <enum cluster_form FIRST, enum order ADD, enum order POLL>
struct two_step : any_barrier {
	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint32_t unit = p->a->cluster, *count = state_line(p, 0, 0);

		cluster_sync<FIRST>();
		if (p->cta % unit == 0 && threadIdx.x == 0) {
			reduce_add<ADD, GPU>(count, 1);
			WAIT(p, round, (int32_t)(load<POLL, GPU>(count) -
			    round * (p->ctas / unit)) >= 0);
		}
		cluster_sync<ARRIVE_WAIT>();
	}
};

BARRIER(grid_cluster, two_step<ARRIVE_WAIT, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_cluster_relaxed_cluster,
    two_step<RELAXED_ARRIVE, RELEASE, ACQUIRE>)
BROKEN_BARRIER(grid_cluster_relaxed_add,
    two_step<ARRIVE_WAIT, RELAXED, ACQUIRE>)
BROKEN_BARRIER(grid_cluster_relaxed_poll,
    two_step<ARRIVE_WAIT, RELEASE, RELAXED>)
BROKEN_BARRIER(grid_cluster_cta_only, two_step<CTA_ONLY, RELEASE, ACQUIRE>)
