/*
 * Environments, and the kernels that are emitted for them.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "program.h"

/* How roles (the test's threads) are laid over the machine's threads. */
enum layout {
	LAYOUT_SPLIT, /* a role a CTA, warp or lane, as the placement says */
	LAYOUT_ALL, /* every thread all roles, on different instances */
};

enum align { ALIGN_NONE, ALIGN_PAIR, ALIGN_GROUP };

enum tally_kind {
	TALLY_SEPARATE, /* roles write results, the tally kernel reads them */
	TALLY_FUSED, /* the only role that sees anything counts by itself */
};

enum values {
	VALUES_PLAIN, /* as written; memory is reset after each launch */
	VALUES_EPOCH, /* stored values carry the launch number; no reset */
};

enum stress {
	STRESS_NONE,
	STRESS_LOAD, STRESS_STORE, STRESS_LOAD_STORE, STRESS_ATOMIC,
};

/*
 * How a launch is shaped and disturbed. One list makes the struct, the
 * reader, the range checks and the help: see env.def. 0 in a numeric
 * field means "the planner's choice".
 */
struct env {
	const char *name;
#define ENV(type, field, low, high, fallback, names, help) type field;
#include "env.def"
#undef ENV
};

/* What the planner needs to know of a device. */
struct caps {
	int sm; /* 90 */
	int ptx; /* highest PTX version its assembler takes, 90 = 9.0 */
	int processors; /* SMs */
	int max_threads; /* a CTA */
	int max_resident_threads; /* an SM */
	size_t shared_cta; /* bytes of static shared memory a CTA may have */
	size_t l2, memory; /* bytes */
	int max_cluster;
	bool sim; /* the planner keeps launches small */
};

enum param_kind {
	PARAM_VAR, /* address of a variable's region; index = var */
	PARAM_RESULT, /* address of a thread's result bytes; index = thread */
	PARAM_BINS, /* address of the uint64 bins */
	PARAM_SCRATCH, /* address of the stress region */
	PARAM_EPOCH, /* address of EPOCH_BYTES, which init sets and the
		kernels keep: the launch number in forms they need */
	PARAM_DRAW, /* 32-bit number drawn anew for each launch; index = its
		draw_id (+ thread) */
	PARAM_U32, /* constant, .value */
	PARAM_U64,
};

/* The numbers that a launch may draw anew. */
enum draw_id {
	DRAW_TURN, /* 16: thread's instances in a CTA: i -> turn * i + move */
	DRAW_MOVE = DRAW_TURN + 16,
	DRAW_SHUFFLE_TURN = DRAW_MOVE + 16, /* the same for the CTAs */
	DRAW_SHUFFLE_MOVE,
	DRAW_SEED, /* of delays and stress */
	DRAW_COUNT,
};

#define PARAMS_MAX 128
#define EPOCH_BYTES 64

struct param {
	enum param_kind kind;
	int index;
	uint64_t value;
	/* DRAW: drawn from [0, bound); coprime to bound if .coprime */
	uint32_t bound;
	bool coprime;
	const char *name; /* as in the PTX */
};

/* One kernel of a plan and how to launch it. */
struct kernel {
	const char *name;
	uint32_t grid, block, cluster; /* one-dimensional; cluster 0 = none;
		grid 0: nothing to do, leave the launch out */
	uint32_t shared; /* dynamic shared bytes */
	/* for the software machine, which runs such sets side by side:
	   consecutive CTAs that share writable memory (but for red on the
	   bins) only with each other, a divisor of grid; 0: any may share */
	uint32_t together;
	bool harness; /* holds no tested instruction (init, tally) */
	struct param params[PARAMS_MAX]; /* in order; 8-byte slots for
		addresses and U64, which come first, 4-byte for the rest */
	int nparams;
};

/* Where the tally kernel counts before it adds to the bins. */
enum counters {
	COUNTERS_COLUMNS, /* shared memory, a column a thread */
	COUNTERS_SHARED, /* shared memory, a counter a bin */
	COUNTERS_GLOBAL, /* the bins themselves */
};

/* Where a thread of the test is put. */
struct place {
	int unit; /* which of a group's clusters; CTAs, if there are none */
	int rank; /* CTA in the cluster, else 0 */
	int slot; /* warp in a set of warps that runs an instance */
	int lane; /* in a set of lanes that runs an instance */
};

/*
 * Where the copies of a variable lie: element e of instance i is at
 * region + offset + i * stride + e * size, in shared memory (region -1) at
 * the start of the CTA's array + i * stride + e * size, with i counted
 * inside the group.
 */
struct spot {
	int region; /* the variable whose PARAM_VAR it is in */
	uint32_t offset, stride;
};

/* Who says what a slot of the outcome held, and how. */
struct report {
	int thread; /* in the thread's result; -1: tally reads memory */
	uint32_t step; /* what the next value in slot.values adds to the
		outcome code; a result is the sum over its slots */
	int var, elem; /* the value was stored with the launch number in it,
		here; var -1: it is as written */
};

/*
 * Everything about one launch of one test under one environment. The test
 * kernel runs the instances; the tally kernel turns results and final
 * memory into bins, resets memory where the values are plain, and steps
 * the epoch; init sets all memory but the bins before the first launch,
 * and again whenever a launch did not end. bins[]: noutcomes counts in
 * outcome-code order, then OTHER, then HANG; they add up to the instances
 * launched.
 */
struct plan {
	const struct program *program;
	struct env env; /* with the planner's choices filled in */
	uint64_t instances; /* a launch: repeat * groups * per_group */
	uint32_t groups; /* sets of CTAs that run instances together */
	uint32_t per_group; /* instances in each at a time */
	size_t var_bytes[VARS_MAX]; /* region of each GLOBAL variable; 0: it
		has none (SHARED, aliases, or inside the region of another) */
	size_t result_bytes[THREADS_MAX]; /* 0: the thread reports nothing */
	size_t scratch_bytes;
	uint32_t nbins; /* noutcomes + 2 */
	struct kernel init; /* fills the regions before the first launch */
	struct kernel test;
	struct kernel tally;
	int ptx, sm; /* .version and .target of the text */

	/* the maps, for the emitter and for those who check it */
	uint32_t working; /* CTAs with roles; test.grid - working stress */
	int units, ranks; /* CTAs of a group: units * ranks */
	int slots, lanes; /* of a set of warps; lanes is a power of two */
	struct place place[THREADS_MAX];
	struct spot spot[VARS_MAX];
	struct report report[SLOTS_MAX];
	bool epoch[VARS_MAX]; /* stores to it carry the launch number */
	int epoch_shift; /* ... times 2^this */
	int result_size; /* bytes an instance in a result region: 1, 2, 4 */
	size_t align_offset, stress_offset; /* in the scratch region */
	int barrier; /* CTA barrier that no instruction of the test uses */
	int await; /* turns that a start alignment waits at most */
	int tally_width; /* instances a tally thread takes at once */
	enum counters counters; /* of the tally */
};

/* Deliberate harness faults, for the tests of the tester. */
enum sabotage {
	SABOTAGE_NONE,
	SABOTAGE_LOSE_STORE,
	SABOTAGE_SWAP_ROLES,
	SABOTAGE_BAD_MAP, /* two instances share one index */
	SABOTAGE_LOSE_RESULT,
};

/* env.c */
void env_default(struct env *e);
bool env_set(struct env *e, const char *field, const char *value,
    struct err *err);
bool env_read(const struct source *source, struct arena *a,
    struct env **envs, int *count, struct errs *errs); /* YAML */
bool env_check(const struct env *e, struct err *err);
void env_print(struct text *t, const struct env *e); /* YAML flow map */
/* Seeded draw of an environment that suits the program on the device. */
void env_draw(const struct program *p, const struct caps *caps,
    struct draw *d, struct env *e);

/* plan.c */
/* What the environment asks for and the test does not permit (layout all
   with barriers, epoch values with atomics, ...) is left out, and said so
   in plan->env. ERR_UNSUPPORTED: cannot run on this device. */
bool plan_make(const struct program *p, const struct env *e,
    const struct caps *caps, struct arena *a, struct plan *plan,
    struct err *err);
/*
 * The instance that thread `tid` of CTA `cta` runs as `thread` of the test
 * in turn `turn`, or UINT64_MAX if it plays another role. The map that the
 * emitted code computes, said in C; draws[] by id.
 */
uint64_t plan_instance(const struct plan *plan, const uint32_t *draws,
    int thread, uint32_t cta, uint32_t tid, uint32_t turn);

/* Does the tally reset the variable after each launch? */
bool plan_resets_var(const struct plan *plan, int var);

/* emit.c: the module's PTX; deterministic in (program, env, caps).
   Line 1000 * (n + 1) + i of its line table is instruction i of thread n. */
#define EMIT_LINE_HARNESS 1
#define EMIT_LINE_STRESS 2
const char *emit_ptx(const struct plan *plan, enum sabotage sabotage,
    struct arena *a);

#endif
