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
	if constexpr (F == ARRIVE_WAIT)
		asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
		    "barrier.cluster.wait.acquire.aligned;" : : : "memory");
	if constexpr (F == RELAXED_ARRIVE)
		asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\t"
		    "barrier.cluster.wait.acquire.aligned;" : : : "memory");
	if constexpr (F == CTA_ONLY)
		__syncthreads();
}

template <enum cluster_form F>
struct of_cluster {
	static const enum scope SCOPE = CLUSTER;

	static __device__ void
	init(struct place *p)
	{
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		cluster_sync<F>();
	}
};

BARRIER(cluster_sync, of_cluster<ARRIVE_WAIT>)
BROKEN_BARRIER(cluster_sync_relaxed_arrive, of_cluster<RELAXED_ARRIVE>)
BROKEN_BARRIER(cluster_sync_cta_only, of_cluster<CTA_ONLY>)

/* ---- cluster, then grid ------------------------------------------------- */

/*
 * The cluster's CTAs meet, one of them meets the other clusters, and all
 * of them meet again: what a CTA wrote reaches the leader by the first
 * cluster barrier and the other clusters by the counter.
 * GridCluster+relaxed-cluster, +relaxed-add, +relaxed-poll, +no-first.
 */
template <enum cluster_form FIRST, enum order ADD, enum order POLL>
struct two_step {
	static const enum scope SCOPE = GRID;

	static __device__ void
	init(struct place *p)
	{
	}

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
