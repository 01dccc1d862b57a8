/* Private to plan*.c and env.c: how a launch is put together. */
#ifndef PLAN_H
#define PLAN_H

#include "gen.h"

/* What the instructions of a program ask of a launch. */
struct shape {
	int units, ranks, slots, lanes;
	struct place place[THREADS_MAX];
	bool spins; /* a backward branch */
	bool barriers; /* of the CTA or the cluster */
	bool async; /* asynchronous copies, mbarriers */
	bool warp; /* instructions that whole warps take part in */
	bool lanes_named; /* and some name lanes, from 0 in each warp */
	bool shared, remote; /* remote: reaches another CTA's */
	bool warms; /* a thread warms its L1 */
};

/* plan_shape.c */
/* Where `e` puts the threads (swap, same_warp, warp_offset). */
void shape_make(const struct program *p, const struct env *e,
    struct shape *s);
bool thread_spins(const struct thread *t);
/* May every thread play all roles (LAYOUT_ALL)? */
bool shape_permits_all(const struct shape *s);
/* Can the device run it at all? */
bool shape_runs(const struct program *p, const struct shape *s,
    const struct caps *caps, struct err *err);

/* plan_values.c */
/* Which variables' stores can carry the launch number: all, or none. */
void plan_values(struct plan *plan);
void plan_reports(struct plan *plan);
#define STORED_MAX 64
/* The values that stores with the launch number leave in an element. */
int plan_stored(const struct plan *plan, int var, int elem,
    uint64_t *values);

/* plan_memory.c */
#define REGION_MAX ((uint64_t)1 << 32) /* bytes: offsets are 32-bit */
/* Offsets and strides in regions and in shared memory. */
bool plan_memory(struct plan *plan, struct err *err);
/* Fills in var_bytes[] for plan->instances. */
void plan_regions(struct plan *plan);
/* The largest stride, and the bytes of one instance in all regions. */
uint64_t plan_stride_max(const struct plan *plan);
uint64_t plan_instance_bytes(const struct plan *plan);
/* Places the arrays for that many instances; returns a CTA's bytes. */
uint64_t plan_shared(struct plan *plan, uint32_t per_group);

/* plan_size.c */
bool plan_size(struct plan *plan, const struct shape *s,
    const struct caps *caps, struct err *err);

/* plan.c */
#define FUSED_BINS_MAX 64
bool plan_reports_thread(const struct plan *plan, int thread);
int plan_map_thread(const struct plan *plan, int thread);
uint32_t plan_unit_ctas(const struct plan *plan);
bool plan_resets(const struct plan *plan);
bool plan_tally_touches(const struct plan *plan, int region);
bool plan_counts_arrivals(const struct plan *plan);
bool plan_needs_seed(const struct plan *plan);
bool plan_test_reads_epoch(const struct plan *plan);

/* plan_kernels.c */
void plan_kernels(struct plan *plan, const struct caps *caps,
    struct arena *a);

#endif
