/*
 * Running tests: benches, trials, searches, environments, campaigns.
 */
#ifndef RUNNING_H
#define RUNNING_H

#include "device.h"
#include "result.h"

/* An open device, with the memory that its trials share. */
struct bench {
	const struct device_ops *ops;
	struct device *device;
	struct device_info info;
	enum assembler assembler;
	struct pool *pool;
	double timeout; /* seconds without an end: hang */
	struct loader *loader;
	struct choices *choices; /* what showed in this run so far */
	struct arena *arena;
	const struct env *const *profile; /* environments tuned for it */
	int nprofile;
};

/* bench.c */
bool bench_open(const struct device_ops *ops, int index, const char *options,
    enum assembler assembler, double timeout, struct bench *b,
    struct err *err);
void bench_close(struct bench *b);
/* The address of at least so many bytes, kept from trial to trial. */
bool bench_memory(struct bench *b, int which, size_t bytes,
    uint64_t *address, struct err *err);
const char *bench_assembler(const struct bench *b, struct arena *a);

/* Of a trial's module. */
enum load { LOAD_NONE, LOAD_QUEUED, LOAD_RUNNING, LOAD_DONE };

/*
 * One program in one environment on one device. Trials of a bench share
 * their memory: trial_start() takes it, whoever had it before.
 */
struct trial {
	struct bench *bench;
	struct plan plan;
	enum sabotage sabotage;
	struct module *module; /* NULL: not yet, or load_err says why not */
	enum load load;
	struct err load_err;
	struct trial *before, *after; /* in the loader's queue */
	uint64_t seed, stream; /* of the draws: (seed, test, environment) */
	uint64_t addresses[3][VARS_MAX]; /* by which region, index */
	uint64_t launched; /* so far; the next launch has this number */
	uint64_t *bins; /* plan.nbins; the sum over all batches */
	uint64_t *read; /* what the device's bins held last */
	uint64_t hits; /* of target states */
	double seconds, launch_seconds; /* device time: all, one launch */
	const bool *targets; /* by outcome code */
};

/* loader.c: a loader without threads loads in loader_wait() */
#define LOAD_THREADS 16
struct loader *loader_open(int threads, struct arena *a);
void loader_close(struct loader *l); /* when nothing is queued any more */
int loader_threads(const struct loader *l);
int loader_pending(struct loader *l); /* trials that are not loaded yet */
/* The time a module takes when all threads are busy. */
double loader_seconds(struct loader *l);
/* The trial stays where it is until it was waited for, or cancelled. */
void loader_add(struct loader *l, struct trial *t);
/* alive() is called now and then, if not NULL. */
bool loader_wait(struct loader *l, struct trial *t, void (*alive)(void *user),
    void *user, struct err *err);
void loader_cancel(struct loader *l, struct trial *t);

/* trial.c */
/* Planned, but not loaded. */
bool trial_plan(struct bench *b, const struct program *p,
    const struct env *e, const bool *targets, uint64_t seed,
    enum sabotage sabotage, struct arena *a, struct trial *t,
    struct err *err);
/* In any thread; loader_add() does it in one of its own. */
bool trial_load(struct trial *t, struct err *err);
bool trial_start(struct trial *t, struct err *err);
/* `launches` more, drawn anew each; `repeat` times over. */
bool trial_run(struct trial *t, uint64_t launches, uint64_t repeat,
    struct err *err);
/* Whatever has become of it. */
void trial_end(struct trial *t);

/* How a test is to be run. */
struct effort {
	uint64_t seed;
	uint64_t instances; /* at least so many; 0: it runs by time */
	const struct env *const *envs;
	int nenvs; /* 0: those built in, by the test's placement */
	enum model_version model;
	bool twins; /* run the broken twins of forbidden tests */
	bool every_code; /* keep that of every environment, to be checked */
	/* called now and then while the test runs; may be NULL */
	void (*alive)(void *user, uint64_t instances, uint64_t hits);
	void *user;
};

/* One program in several environments, each a trial. */
struct search {
	struct bench *bench;
	const struct effort *effort;
	const struct program *program;
	bool *targets;
	const struct env *const *envs;
	struct trial *trials; /* of each environment */
	int *order; /* indices of those that ran; after a search by time the
		best first */
	int count; /* of them */
	double *rates; /* of the target, by batch, in the trial run last */
	int nrates;
	struct err skipped; /* why an environment was left out */
};

/* search.c */
bool *program_targets(const struct program *p, struct arena *a);
/*
 * Plans the program's trials in n environments, and queues them for the
 * loader. What the device or the test does not permit is left out. False: a
 * plan failed for another reason.
 */
bool search_open(struct search *s, struct bench *b,
    const struct effort *effort, const struct program *p,
    const struct env *const *envs, int n, struct arena *a, struct err *err);
/* Runs trial `index` so long, or so many instances, waiting for its module.
   One that cannot be had here is skipped. */
bool search_run(struct search *s, int index, double seconds,
    struct err *err);
bool search_run_instances(struct search *s, int index, uint64_t instances,
    struct err *err);
/* All of the n, more for those that show more. */
bool search_time(struct search *s, int n, double seconds, struct err *err);
void search_close(struct search *s, int n);
uint64_t trial_instances(const struct trial *t);
double trial_score(const struct trial *t); /* hits a second */

/* choices.c: which environments showed weak outcomes, by kind of test */
struct choices;
struct choices *choices_new(struct arena *a);
/* A test of this kind, or a twin, has run in the environment. */
void choices_note(struct choices *c, const struct program *p,
    const struct env *e, bool showed);
/* How likely the environment, the rank-th (from 0) of those built in, is to
   show a test's outcome: from tests of its kind, then of its placement, and
   its rank where there are none. */
double choices_score(const struct choices *c, const struct program *p,
    const struct env *e, int rank);

/* The same for a broken twin, by what was weakened, as its struct weakening
   says it, wherever that was. */
void choices_note_twin(struct choices *c, const char *what, bool showed);
double choices_twin_score(const struct choices *c, const char *what);

/* envs.c */
/* Environments that suit the test and the device, the best guess first. */
const struct env *const *envs_builtin(const struct program *p,
    const struct caps *caps, struct arena *a, int *count);
/* What the device's profile has for the test, then what showed most for
   such tests in this run, then as envs_builtin() has them. */
const struct env *const *envs_for(const struct program *p,
    const struct bench *b, struct arena *a, int *count);
/* But for the name. */
bool envs_equal(const struct env *a, const struct env *b);
/* "profiles/NVIDIA_H200.yaml" */
char *envs_profile_name(const struct device_info *d, struct arena *a);
/* NULL, and 0, if there is none. */
const struct env *const *envs_profile(const struct device_info *d,
    struct arena *a, int *count);
/* Those of a file; its errors are printed. NULL: err. */
const struct env *const *envs_read(const char *path, struct arena *a,
    int *count, struct err *err);
/* A test's kernels where no device is asked: TEST as select_one() takes it,
   the first environment of a file, or (NULL) the plain one. */
bool plan_typical(const char *test, const char *env, int sm, struct arena *a,
    struct plan *plan, struct err *err);

/* tune.c */
#define TUNE_KEEP 16

struct candidate {
	struct env env;
	struct trial trial;
	uint64_t instances, hits;
	double seconds; /* device time */
};

/* The search for one kind of test. */
struct tune {
	struct bench *bench;
	const struct program *program;
	const bool *targets;
	uint64_t seed;
	struct draw draw;
	struct arena *scratch; /* of one generation */
	const struct env *const *builtin;
	int nbuiltin, tried;
	const struct env *hint; /* tried first; may be NULL */
	struct candidate best[2 * TUNE_KEEP]; /* by the rate that is sure */
	int nbest;
	/* after each generation; may be NULL */
	void (*progress)(void *user, const struct tune *t);
	void *user;
};

void tune_open(struct tune *t, struct bench *b, const struct program *p,
    uint64_t seed, struct arena *a);
/* Ends early, with what was found, once a signal came. */
bool tune_run(struct tune *t, double seconds, struct err *err);
void tune_close(struct tune *t);
double candidate_low(const struct candidate *c); /* hits a second, 95 % */
/* "ctas", "cluster", "cta" or "warp": how far apart the threads are. */
const char *placement_kind(const struct program *p);
const char *test_kind_name(const struct program *p, struct arena *a);

/* roofline.c */
/* What one instance must cost at least. */
struct cost {
	double bytes; /* between the processors and the L2 */
	double instructions; /* of threads */
};
/* What the machine can do in a second. */
struct limits {
	double bytes, instructions;
};
struct cost plan_cost(const struct plan *plan);
/* Processors * 4 schedulers * 32 lanes * clock. */
double issue_rate(const struct device_info *d);
/* Instances a second; *by_bytes: it is the L2 that has no more. */
double cost_limit(const struct cost *c, const struct limits *l,
    bool *by_bytes);
const char *l2_ptx(struct arena *a); /* the kernel that measures */
/* Bytes a second, of loads that the L2 answers. */
bool l2_bandwidth(struct bench *b, double *bandwidth, struct err *err);

/* campaign.c */
/*
 * A test that is to run: planned, with its broken twins in the same
 * environments, its kernels queued for the loader. `seconds` is a guess of
 * what it will get. All is in the arena.
 */
struct campaign;
struct campaign *campaign_prepare(struct bench *b, const struct program *p,
    const struct effort *effort, double seconds, struct arena *a);
/*
 * Runs it for so long, or for the effort's instances, and judges it;
 * whatever happens, *r says so. False: the device is of no more use (hang,
 * fault), and a new process must go on.
 */
bool campaign_run(struct campaign *c, double seconds, struct result *r);
/* One that is not to run after all. */
void campaign_drop(struct campaign *c);
/* Compares the machine code that ran with the test; another thread may do
   it, with the arena of the result. A disassembler takes half a second. */
void campaign_check(struct result *r, struct arena *a);
/* The result of a test that took its process with it. */
void campaign_lost(const struct program *p, enum model_version model,
    enum verdict verdict, const char *message, struct arena *a,
    struct result *r);

#endif
