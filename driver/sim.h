/*
 * The software PTX machine, private to sim*.c.
 *
 * A module is decoded once into a compact code (struct sim_code). A launch
 * is cut into units: sets of CTAs that share memory only with each other.
 * A unit runs on one thread of the host, and everything in it is decided by
 * one stream of random numbers, so that neither the number of workers nor
 * their timing shows in any result.
 */
#ifndef SIM_H
#define SIM_H

#include "driver.h"

#define SIM_SM 90
#define SIM_PTX 90
#define SIM_WARP 32
#define SIM_BARRIERS 16
#define SIM_CLUSTER_MAX 16
#define SIM_SHARED_MAX (227u << 10)
#define SIM_THREADS_MAX 1024
#define SIM_WORKSPACE 256
#define SIM_JOBS_MAX 256
#define SIM_PROCESSORS 8
#define SIM_RESIDENT_THREADS 2048 /* a processor */

/* Device addresses: the allocation's number in the upper half, the offset
   in the lower. Two numbers are windows for generic addresses. */
#define SIM_ADDRESS_BITS 32
#define SIM_WINDOW_SHARED 1u
#define SIM_WINDOW_LOCAL 2u
#define SIM_ALLOCATIONS_LOW 16u
#define SIM_ALLOCATIONS_MAX 65536u
/* in the shared window: CTA of the cluster, offset */
#define SIM_RANK_BITS 24

/* ---- options and planted faults --------------------------------------- */

enum sim_memory_id { SIM_MEMORY_SC, SIM_MEMORY_WEAK };

enum sim_fault {
	SIM_FAULT_NONE,
#define FAULT(id, name, about) SIM_FAULT_##id,
#include "sim_fault.def"
#undef FAULT
	SIM_FAULT_COUNT,
};

struct sim_options {
	int jobs;
	uint64_t seed;
	enum sim_memory_id memory;
	enum sim_fault fault;
	uint64_t steps; /* jumps and accesses a thread may do in a launch */
};

/* ---- code -------------------------------------------------------------- */

enum sim_op {
#define SIM_OP(id) SIM_##id,
#include "sim_ops.def"
	SIM_OP_COUNT,
};

/*
 * One decoded instruction. Operands are slots of the thread's register
 * file, which holds the registers, then one slot for each constant,
 * parameter and special register that the code names. A warp's register
 * files are interleaved, so that all lanes can do an instruction at once:
 * operands are counted in units of SIM_WARP.
 */
struct sim_code {
	uint8_t op; /* enum sim_op; SIM_GUARDED: look at the guard first */
	uint8_t guarded; /* SIM_GUARDED: what to do then */
	uint8_t negated; /* the guard's value that skips it */
	uint8_t size; /* bytes of a memory element */
	uint8_t vec; /* elements */
	uint8_t space, sem, scope, rmw, type; /* enums of gen.h */
	uint8_t extend; /* register bytes to sign-extend to, 0: none */
	bool harness; /* not an instruction of the test */
	uint32_t guard, d, a, b, c;
	union {
		int64_t offset; /* accesses: added to the address in a */
		int64_t target; /* branches */
	};
	uint64_t touch; /* registers read or written, hashed to bits */
	const uint32_t *elems; /* vec > 1, or shfl's two: the registers */
	const struct insn *insn;
};

#define SIM_NO_SLOT UINT32_MAX
#define SIM_TOUCH(slot) ((uint64_t)1 << ((slot) / SIM_WARP % 64))

/* Where a slot's value comes from. */
enum sim_source {
	SIM_SOURCE_CONST,
	SIM_SOURCE_PARAM, /* value: offset; size bytes */
	SIM_SOURCE_SHARED, /* value: offset in the CTA's shared memory */
	SIM_SOURCE_DYNAMIC, /* the start of dynamic shared memory */
	SIM_SOURCE_SPECIAL, /* value: enum sim_special */
};

struct sim_slot {
	enum sim_source source;
	uint64_t value;
	uint8_t size, extend; /* extend: as in sim_code */
};

enum sim_special {
#define SPECIAL(id, name) SPECIAL_##id,
#include "sim_special.def"
#undef SPECIAL
	SPECIAL_COUNT,
};

struct sim_kernel {
	const char *name;
	struct sim_code *code;
	int ncode;
	int nregs;
	struct sim_slot *slots; /* of register file index nregs + i */
	int nslots;
	size_t params_size;
	uint32_t shared, shared_align, local;
	uint32_t reqntid, reqcluster; /* 0: any */
	uint8_t element; /* bytes that the narrowest access of the test, not
		of the harness, has; at most 8, at least 4 */
};

struct sim_global { /* a .global or .const variable */
	const char *name;
	uint64_t address;
	size_t size;
};

struct module {
	struct arena *arena;
	struct sim_kernel *kernels;
	int nkernels;
	struct sim_global *globals;
	int nglobals;
};

/* ---- memory ------------------------------------------------------------ */

struct sim_allocation {
	uint8_t *bytes; /* NULL: free */
	size_t size;
};

struct device {
	struct sim_options options;
	struct sim_allocation *allocations; /* SIM_ALLOCATIONS_MAX */
	uint32_t nallocations; /* numbers below this may be in use */
	uint64_t workspace; /* of cooperative groups: SIM_WORKSPACE bytes */
	struct sim_unit **units; /* one a worker, kept between launches */
	int nunits;
};

/* ---- running ----------------------------------------------------------- */

struct sim_rng {
	uint64_t seed, stream;
	uint64_t block;
	uint32_t word[4];
	int left;
};

/*
 * Where threads publish what they know and learn what others published: at
 * a barrier, or through fence.sc. Used by the weak memory only, which owns
 * the lists.
 */
struct sim_domain {
	uint64_t time; /* of the last publication */
	struct weak_known *known;
	uint32_t nknown, known_room;
	struct weak_debtor *debtors; /* published with loads pending */
};

enum sim_state {
	SIM_READY,
	SIM_AT_BARRIER, /* bar.sync, bar.red */
	SIM_AT_CLUSTER, /* barrier.cluster.wait */
	SIM_AT_WARP, /* bar.warp.sync, shfl, vote, match */
	SIM_EXITED,
};

struct sim_thread {
	uint64_t *regs; /* slot i is regs[i * SIM_WARP] */
	int32_t pc;
	enum sim_state state;
	uint32_t id; /* in the unit's array */
	uint32_t ready; /* index in the unit's ready list */
	uint32_t tid, lane;
	struct sim_cta *cta;
	struct sim_warp *warp;
	uint64_t steps;
	uint64_t pending; /* registers whose loads have yet to be done,
		hashed as in sim_code.touch */
	uint64_t pending_since; /* steps, as the first of them was issued */
	uint32_t mask; /* AT_WARP: of the lanes it waits for */
	uint32_t barrier; /* AT_BARRIER: which */
	uint32_t barriers; /* arrived at, and not complete */
	uint32_t groups[2]; /* of cp.async, and in bulk: committed */
	bool arrived; /* at the cluster barrier, without its wait */
	uint64_t phase; /* of the cluster barrier at the arrival */
	uint8_t *local;
};

struct sim_warp {
	struct sim_thread *lanes; /* in the unit's thread array */
	uint32_t size;
	uint64_t filled; /* with the template of this number */
	uint32_t count, live, waiting; /* lanes: exist, not exited, wait */
	struct sim_domain domain;
};

struct sim_barrier {
	uint32_t arrived; /* threads */
	uint32_t count; /* expected; 0: all threads of the CTA */
	bool active, red;
	uint32_t popc; /* true predicates of bar.red */
};

struct sim_cluster {
	uint32_t size, rank0; /* CTAs; index of the first in the unit */
	uint32_t live, arrived; /* threads */
	uint64_t phase;
	struct sim_domain domain, sc;
};

struct sim_cta {
	uint64_t index; /* in the grid */
	bool used;
	uint32_t live; /* threads */
	uint32_t active; /* bit set of barriers */
	uint32_t rank;
	struct sim_cluster *cluster;
	struct sim_thread *threads;
	struct sim_warp *warps;
	uint8_t *shared;
	uint32_t shared_bytes;
	struct sim_barrier barriers[SIM_BARRIERS];
	struct sim_domain domain, sc;
};

enum sim_copy_stage { SIM_COPY_ISSUED, SIM_COPY_READ, SIM_COPY_WRITTEN };

/* An asynchronous copy on its way, or (size 0) an asynchronous arrival. */
struct sim_copy {
	struct sim_thread *thread; /* that issued it */
	const struct sim_code *code;
	uint8_t *to, *from, *count; /* count: the mbarrier, or NULL */
	uint8_t *data; /* size bytes, once they are read */
	uint32_t size;
	uint32_t group; /* of its thread, from 1; 0: in none yet */
	uint64_t number; /* in the order of issue */
	enum sim_copy_stage stage;
	bool bulk;
	struct weak_head *known; /* weak memory: its stores */
	uint64_t stamp;
};

struct sim_fill {
	uint32_t slot;
	const struct sim_slot *from;
};

struct sim_unit {
	struct device *device;
	const struct sim_kernel *kernel;
	const struct launch *launch;
	const struct sim_memory_ops *memory;
	struct weak *weak;
	enum sim_fault fault;
	struct sim_rng rng;
	struct arena *arena; /* everything below, until the shape changes */
	uint64_t *template; /* the register file at the start */
	uint64_t template_number; /* counts its changes, from 1 */
	struct sim_fill *fills; /* slots of a CTA, then those of a thread */
	int ncta_fills, nfills;
	uint32_t nregfile, block, nwarps, shared_bytes, ncluster;
	uint32_t shared_dynamic; /* offset of dynamic shared memory */
	struct sim_cta *ctas; /* resident */
	struct sim_cluster *clusters;
	struct sim_thread *threads;
	uint32_t nctas, nclusters;
	uint32_t *ready, nready;
	uint32_t live; /* threads not exited */
	uint64_t next_cta, end_cta;
	struct sim_copy *copies; /* on their way, in no order */
	uint32_t ncopies, copies_room;
	uint64_t issued;
	uint64_t clock; /* turns of the scheduler */
	uint32_t luck; /* drawn anew for each turn */
	double deadline;
	struct err err;
};

/* One access: where its elements lie in the host's memory. */
struct sim_request {
	const struct sim_code *code;
	uint8_t *at[VEC_MAX];
	uint64_t value[VEC_MAX]; /* to store, or loaded */
	uint64_t compare, address;
};

/*
 * A memory. Accesses come one at a time from a unit, already checked.
 * load and rmw fill access->value[] and return true, or return false if
 * the value comes later (thread->pending then has the register).
 */
struct sim_memory_ops {
	const char *name;
	void (*begin)(struct sim_unit *u);
	void (*end)(struct sim_unit *u);
	void (*start)(struct sim_unit *u, struct sim_thread *t);
	void (*finish)(struct sim_unit *u, struct sim_thread *t);
	/* these bytes are about to serve another CTA */
	void (*recycle)(struct sim_unit *u, uint8_t *at, size_t size);
	bool (*load)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_request *access);
	void (*store)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_request *access);
	bool (*rmw)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_request *access);
	void (*fence)(struct sim_unit *u, struct sim_thread *t,
	    const struct sim_code *code);
	/* complete the pending loads that touch these registers */
	void (*settle)(struct sim_unit *u, struct sim_thread *t,
	    uint64_t touch);
	void (*publish)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_domain *domain);
	void (*join)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_domain *domain);
	/* fence.proxy.async; the steps of a copy; and the thread has waited
	   for the copy */
	void (*proxy)(struct sim_unit *u, struct sim_thread *t,
	    const struct sim_code *code);
	void (*copy_issue)(struct sim_unit *u, struct sim_copy *copy);
	void (*copy_read)(struct sim_unit *u, struct sim_copy *copy);
	void (*copy_write)(struct sim_unit *u, struct sim_copy *copy);
	void (*copy_count)(struct sim_unit *u, struct sim_copy *copy);
	void (*copy_learn)(struct sim_unit *u, struct sim_thread *t,
	    struct sim_copy *copy);
};

extern const struct sim_memory_ops sim_sc, sim_weak;

/* sim_options.c */
bool sim_options_read(const char *text, struct sim_options *o,
    struct err *err);

/* sim_launch.c: .run and .resident of the device */
bool sim_launch(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err);
bool sim_launch_resident(struct device *d, struct module *m,
    const char *kernel, uint32_t block, uint32_t shared, uint32_t *ctas,
    struct err *err);

/* sim_load.c */
bool sim_load(struct device *d, const char *ptx, struct module *m,
    struct err *err);

/* A named variable of a module or kernel. */
struct sim_var {
	const char *name;
	enum space space;
	uint64_t value; /* GLOBAL, CONST: address; else offset in its space */
	uint64_t size; /* bytes; 0: as many as the launch gives (dynamic) */
	uint32_t align, element;
	bool external; /* .extern .shared: starts where the static part ends */
	bool module; /* .shared outside kernels */
	bool placed; /* and it has its place in this kernel */
};

/* sim_lower.c: the code of one kernel, appended to */
struct sim_lower {
	struct arena *arena, *scratch;
	struct sim_kernel *kernel;
	const enum type *types; /* of the kernel's registers */
	const struct sim_var *vars;
	bool harness; /* what comes is of the harness */
	uint32_t nregs; /* may still grow: slots are numbered at the end */
};
bool sim_lower(struct sim_lower *l, const struct insn *insn,
    struct err *err);
void sim_lower_end(struct sim_lower *l); /* falls off the end: exit */
int sim_special_find(const char *name, size_t n); /* -1: none */

/* sim_exec.c: runs t up to its next access to memory, its end or a block */
void sim_run(struct sim_unit *u, struct sim_thread *t);
bool sim_access(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code, enum sim_op op);
bool sim_fail(struct sim_unit *u, const struct sim_thread *t,
    const struct sim_code *code, enum err_code kind, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ; /* always false */
void sim_deliver(struct sim_thread *t, const struct sim_code *code,
    int element, uint64_t value);

/* sim_vector.c: runs a warp, all of whose lanes are ready at one
   instruction, as far as it needs no scheduling and does not diverge */
void sim_run_warp(struct sim_unit *u, struct sim_warp *w);

/* Where an address of a space points; NULL after a fault, of the code. */
uint8_t *sim_place(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code, enum space space, uint64_t address,
    size_t size);
/* Is it in the shared memory of this CTA? */
static inline bool
sim_is_shared(const struct sim_cta *cta, const uint8_t *at)
{
	return at >= cta->shared && at < cta->shared + cta->shared_bytes;
}

/* sim_async.c */
void sim_async(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code);
void sim_async_turn(struct sim_unit *u); /* a copy may take a step */
void sim_async_exit(struct sim_unit *u, struct sim_thread *t);
/* cp.async.mbarrier.arrive waits for, and tells of, its thread's cp.async
   issued before it. */
bool sim_copy_precedes(const struct sim_copy *copy,
    const struct sim_copy *arrival);

/* sim_sync.c: each advances t past the instruction or blocks it */
void sim_barrier(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code);
void sim_cluster_barrier(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code);
/* The same for all lanes at once, where none waits; false: not so. */
bool sim_warp_together(struct sim_unit *u, struct sim_warp *w,
    const struct sim_code *code);
void sim_warp(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *code);
void sim_thread_exit(struct sim_unit *u, struct sim_thread *t);
void sim_deadlock(struct sim_unit *u);

/* sim_unit.c */
struct sim_unit *sim_unit_new(struct device *d);
void sim_unit_free(struct sim_unit *u);
/* Runs CTAs [first, end) of the launch; false with u->err filled. */
bool sim_unit_run(struct sim_unit *u, const struct sim_kernel *kernel,
    const struct launch *launch, uint64_t first, uint64_t end,
    const uint64_t stream[2], double deadline);
void sim_cluster_end(struct sim_unit *u, struct sim_cluster *cluster);
double sim_now(void);
void sim_ready(struct sim_unit *u, struct sim_thread *t);
void sim_block(struct sim_unit *u, struct sim_thread *t,
    enum sim_state state);
uint32_t sim_resident(const struct sim_kernel *kernel, uint32_t block,
    uint32_t dynamic);

/* sim.c */
void *sim_must(void *p); /* not NULL, or out of memory */

/* sim_memory.c */
uint8_t *sim_address(const struct device *d, uint64_t address, size_t size);
/* What an atomic leaves in memory. */
uint64_t sim_rmw_value(const struct sim_code *code, uint64_t old, uint64_t b,
    uint64_t c);
uint64_t sim_extend(uint64_t value, int from, int to);
uint64_t sim_cut_load(const uint8_t *at, int size);
void sim_cut_store(uint8_t *at, int size, uint64_t value);

/* sim_weak.c */
void sim_weak_free(struct sim_unit *u);

/* The unit's random numbers. */
void sim_rng_block(struct sim_rng *r);
static inline uint32_t
sim_rng_u32(struct sim_rng *r)
{
	if (r->left == 0)
		sim_rng_block(r);
	return r->word[--r->left];
}
static inline bool
sim_chance(struct sim_unit *u, uint32_t one_in)
{
	return sim_rng_u32(&u->rng) < UINT32_MAX / one_in;
}
static inline bool
sim_planted(const struct sim_unit *u, const struct sim_code *c,
    enum sim_fault fault)
{
	return u->fault == fault && !c->harness;
}
static inline uint32_t
sim_rng_below(struct sim_rng *r, uint32_t bound)
{
	return (uint32_t)(((uint64_t)sim_rng_u32(r) * bound) >> 32);
}

#endif
