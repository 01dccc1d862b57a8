/*
 * primitive: production primitives and their broken twins, from their
 * entries (kernels/\*.yaml) to findings and costs. Private to the files
 * primitive_*.c and cmd_primitive.c.
 */
#ifndef PRIMITIVE_H
#define PRIMITIVE_H

#include "../kernels/abi.h"
#include "driver.h"

#define PRIMITIVES_MAX 1024 /* twins included */
#define SHAPES_MAX 16

/* A file that the build put into the program (Makefile.kernels). */
struct embedded {
	const char *name, *text; /* zero-terminated */
	uint64_t size; /* without the zero */
};
extern const struct embedded embedded_files[]; /* ends with a zero row */

/* How a primitive is launched. */
struct shape {
	const char *as; /* of a bench: what is measured, "one way" */
	uint32_t ctas; /* so many; or */
	uint32_t per_sm; /* so many an SM, at most what fits */
	uint32_t threads; /* a CTA */
	uint32_t cluster, group, bins; /* 0: 1, 4, 32 */
	bool payload; /* bench: a store a thread before each crossing */
	bool other; /* settled: not the CTAs that the entry says */
	const char *scope; /* bench, for people: "gpu" */
};

/* Where a primitive's kernels come from. */
struct origin {
	const char *stem; /* "grid": grid.cu, grid.90.ptx */
	const char *path; /* of a user's .cu, .ptx or .cubin; or NULL */
	const char *code; /* of path, once read or compiled */
	size_t size; /* of code */
	bool cubin;
	struct loc loc;
};

/* How sure a twin is to fail. */
enum fails {
	FAILS_NOT, /* no twin */
	FAILS_MAY, /* the model allows it to */
	FAILS_MUST, /* whatever the machine does */
};

struct primitive {
	const char *name; /* its kernels: NAME_validate, NAME_bench */
	const char *group, *about;
	const char *twin_of, *flaw; /* twins */
	enum fails fails;
	const char *litmus; /* distilled: the name of a test, or NULL */
	bool launches; /* each launch is a round */
	bool alone; /* takes every CTA of the grid: none to stress */
	struct loc loc;
	struct origin *origin;
	struct shape shapes[SHAPES_MAX], benches[SHAPES_MAX];
	int nshapes, nbenches;
};

struct primitives {
	struct primitive *list;
	int count;
};

/* What to do with them. */
struct study {
	const struct primitive *const *items;
	int nitems;
	const struct device_info *device;
	int device_number; /* in the document */
	const char *options; /* of the device */
	enum assembler assembler;
	bool validate, bench;
	double seconds; /* of one item; or */
	double end; /* of all, by wall_clock(), if not 0 */
	uint64_t rounds, crossings; /* of one item, if not 0 */
	uint32_t ctas, threads; /* in place of the entry's, if not 0 */
	bool overcommit; /* more CTAs than can be resident, on purpose */
	double timeout;
	uint64_t seed;
};

/* primitive_read.c: an entry file; appends to *list */
bool primitive_read(const struct source *source, const char *directory,
    struct arena *a, struct primitives *list, struct errs *errs);

/* primitive_code.c */
/* A user's kernels: read, or compiled by nvcc for the target. */
bool origin_load(struct origin *o, int sm, struct arena *a,
    struct err *err);
/*
 * The PTX that a primitive's kernels are in, for a target: only the entry
 * points asked for and what stands outside of any. A cubin comes back whole.
 * ERR_UNSUPPORTED: not built in, or none for a target so old.
 */
bool primitive_code(const struct primitive *p, int sm, bool validate,
    bool bench, struct arena *a, const char **code, struct err *err);
/* The part of PTX that the named entry points need, in *t. False: none of
   them is there. */
bool ptx_extract(struct text *t, const char *ptx, const char *const *names,
    int count);

/* primitive_run.c: one primitive on one device */
struct rig {
	const struct device_ops *ops;
	struct device *device;
	const struct study *study;
	uint64_t state, payload, scratch, report, samples; /* addresses */
	/* called now and then while something runs; may be NULL */
	void (*alive)(void *user, uint64_t rounds, uint64_t crossings);
	void *user;
};

/* What launches of one shape showed. */
struct try {
	uint64_t launches, rounds, crossings;
	uint32_t last; /* rounds of the last launch */
	double cost; /* seconds of a round, in the slowest launch */
	double part; /* in a count, of all */
};

/* One primitive being validated. */
struct session {
	struct rig *rig;
	const struct primitive *primitive;
	struct module *module;
	const char *kernel;
	uint64_t stream; /* of its draws: a hash of its name */
	double end, shown; /* by wall_clock() */
	int shape, carried_shape; /* of the next launch, of the last */
	bool carries; /* the last launch's state may be gone on from */
	struct try tries[SHAPES_MAX];
	struct findings total; /* sums; the first of each finding */
	uint64_t round[FOUND_COUNT]; /* of the first, over all launches */
	uint64_t rounds, launches;
	double seconds; /* device time */
	bool faulted;
};
bool rig_open(struct rig *r, const struct study *s, struct err *err);
void rig_close(struct rig *r);
/* The finished entry, after so many seconds (INFINITY: by the count alone).
   False: the device is of no more use. */
bool rig_study(struct rig *r, const struct primitive *p, double seconds,
    struct arena *a, json_t **entry);

/* primitive_entry.c */
bool findings_any(const struct findings *r);
/* The document's entry, as it is before anything ran: a new reference. */
json_t *primitive_entry(const struct study *study, const struct primitive *p,
    struct arena *a);
void entry_verdict(const struct session *s, json_t *o, const char *fault);
/* Its process was lost; late: it gave no sign of life. */
void entry_lost(const struct primitive *p, json_t *o, bool late);
void entry_measured(json_t *o);
void entry_not_run(json_t *o, const char *why, struct arena *a);
void entry_message(json_t *o, const char *message, struct arena *a);
extern const char no_time_left[]; /* why one was not run */

/* primitive_bench.c: adds entry.bench; takes until `end`, if not longer */
bool rig_bench(struct rig *r, struct module *m, const struct primitive *p,
    double end, struct arena *a, json_t *entry, struct err *err);
double bench_seconds(const struct primitive *p); /* what that takes */

/* primitive_shape.c */
/* A shape of an entry with its numbers for this device. */
bool rig_shape(struct rig *r, struct module *m, const char *kernel,
    const struct shape *from, struct shape *s, struct err *err);
struct attempt;
/* The rest of an attempt that has its kernel, rounds and stream: the shape
   and the disturbances. */
bool rig_draw(struct rig *r, struct module *m, const struct primitive *p,
    int shape, struct attempt *o, struct err *err);

/* primitive_launch.c */
struct attempt { /* one launch of a primitive */
	const char *kernel;
	struct shape shape;
	struct args args; /* without addresses */
	uint32_t extra; /* CTAs that stress */
	uint64_t stream, repeat;
	bool plain; /* not cooperative: the driver checks no residency */
	bool carry; /* from the state of the launch before */
};
bool rig_resident(struct rig *r, struct module *m, const char *kernel,
    uint32_t threads, uint32_t *ctas, struct err *err);
bool rig_launch(struct rig *r, struct module *m, const struct attempt *o,
    struct findings *report, double *seconds, struct err *err);
bool rig_samples(struct rig *r, uint32_t *samples, uint32_t count,
    struct err *err);

/* primitive_work.c: all items, in processes of their own */
struct listener {
	/* each entry, which it then owns */
	void (*done)(void *user, const struct primitive *p, json_t *entry);
	/* now and then, of the item-th; may be NULL */
	void (*progress)(void *user, const struct primitive *p, int item,
	    uint64_t rounds, uint64_t crossings);
	void *user;
};
enum work_end primitives_run(const struct study *s,
    const struct listener *listener, struct err *err);

/* primitive_show.c: to standard output, with the fences marked */
void primitives_list(const struct study *s);
bool primitives_ptx(const struct study *s, int sm, struct arena *a,
    struct err *err);
/* By a device's own assembler, or (NULL) by ptxas. */
bool primitives_sass(const struct study *s, const char *device, int sm,
    struct arena *a, struct err *err);

/* primitive_print.c: entries as documents have them */
void primitive_print(FILE *f, const json_t *entry,
    const struct style *style);
void primitive_print_benches(FILE *f, const json_t *entries,
    const struct style *style);
void primitive_print_claims(FILE *f, const json_t *claims,
    const struct style *style);
void primitive_print_summary(FILE *f, const json_t *entries,
    const struct style *style);

/* primitive_claims.c: a new reference; what the software machine costs says
   nothing of them */
json_t *primitive_claims(const json_t *entries, int device, bool sim);

#endif
