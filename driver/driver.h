/*
 * driver: running programs on devices, and judging what came back.
 *
 * A device is reached through one const table of functions; cuda.c and
 * sim.c each export one. Addresses are 64-bit device addresses in both.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <jansson.h>

#include "../gen/gen.h"
#include "../model/model.h"
#include "../reports/reports.h" /* enum verdict */

#define VERSION "0.1.0"
#define DEVICES_MAX 64

struct device_info {
	const char *kind; /* "cuda" or "sim" */
	char name[96], uuid[48];
	char driver[32]; /* of its API: "CUDA 13.0" */
	char driver_version[32]; /* "580.159.04", or "" */
	char toolkit[80]; /* "ptxas 13.0.88, nvdisasm 13.0.85": those used */
	int index;
	struct caps caps;
	int clock_khz, memory_clock_khz; /* as found, 0 = unknown */
	int mig, mps; /* 1 yes, 0 no, -1 unknown */
};

struct device; /* an open device; each backend has its own */
struct module;

/* How to turn PTX into machine code. */
enum assembler { ASSEMBLER_DRIVER, ASSEMBLER_PTXAS };

/* One kernel launch with its parameters packed as the ABI has them. */
struct launch {
	struct module *module;
	const char *kernel;
	uint32_t grid[3], block[3], cluster; /* cluster CTAs in x, 0 = none */
	uint32_t shared;
	bool cooperative;
	uint64_t seed, stream; /* sim: what its schedule is drawn from, with
		the turn of `repeat`; one (seed, stream), one behaviour */
	uint32_t together; /* as in struct kernel */
	bool harness; /* as in struct kernel: sim runs it without its weak
		memory and its planted faults */
	const void *params; /* packed */
	size_t params_size;
};

struct device_ops {
	const char *kind;
	/* at most max; returns how many exist, -1 if the driver is absent
	   (err says why) */
	int (*list)(struct device_info *infos, int max, struct err *err);
	bool (*open)(int index, const char *options, struct device **d,
	    struct err *err);
	void (*close)(struct device *d);
	bool (*load)(struct device *d, const char *ptx,
	    enum assembler assembler, struct module **m, struct err *err);
	/* the machine code (an ELF cubin), or false where there is none */
	bool (*code)(struct device *d, struct module *m, struct arena *a,
	    const void **elf, size_t *size, struct err *err);
	void (*unload)(struct device *d, struct module *m);
	bool (*alloc)(struct device *d, size_t bytes, uint64_t *address,
	    struct err *err);
	void (*free)(struct device *d, uint64_t address);
	bool (*fill)(struct device *d, uint64_t address, uint8_t byte,
	    size_t bytes, struct err *err);
	bool (*write)(struct device *d, uint64_t address, const void *from,
	    size_t bytes, struct err *err);
	bool (*read)(struct device *d, void *to, uint64_t address,
	    size_t bytes, struct err *err);
	/* the launches in order, `repeat` times, then waits; *seconds is
	   device time. cuda captures them into a graph. ERR_FAULT, ERR_HANG
	   (past `timeout` seconds). */
	bool (*run)(struct device *d, const struct launch *launches, int count,
	    uint64_t repeat, double timeout, double *seconds,
	    struct err *err);
	/* CTAs of this shape that can be resident at once on the device */
	bool (*resident)(struct device *d, struct module *m,
	    const char *kernel, uint32_t block, uint32_t shared,
	    uint32_t *ctas, struct err *err);
};

extern const struct device_ops cuda_ops, sim_ops;

/* sim_options.c: the faults that can be planted in the software machine */
extern const char sim_fault_help[]; /* names them, for --help */
bool sim_fault_check(const char *name, struct err *err); /* NULL: none */

/* tool.c: programs of the CUDA toolkit */
double wall_clock(void); /* seconds, never backwards */
const char *program_folder(struct arena *a);
/* Its path, from PATH, CUDA_HOME, or tools/ beside the program (see make
   tools); NULL: there is none. */
const char *tool_find(const char *name, struct arena *a);
/* Runs argv (argv[0] a path) and adds what it writes to *out; false if it
   cannot start, or is stopped for its time or size. *status as of wait. */
bool tool_run(const char *const *argv, double timeout, size_t limit,
    struct text *out, int *status, struct err *err);

/* version.c */
/* Of the text of the kernel module's file, of a tool's --version. */
bool driver_version_read(const char *text, char *s, size_t size);
bool tool_version_read(const char *text, char *s, size_t size);
/* From that file (NULL: where the driver has it) or from NVML; else "". */
void driver_version_find(const char *module, char *s, size_t size);
/* As device_info.toolkit, of ptxas and of the disassembler; "": neither. */
void toolkit_find(bool assembles, bool reads, char *s, size_t size);

/* ptxas.c */
/* Machine code for sm_<sm>, in the arena; ERR_UNSUPPORTED without ptxas. */
bool ptxas_run(const char *ptx, int sm, struct arena *a, const void **cubin,
    size_t *size, struct err *err);
/* The beginning of an assembler's log, cleaned, in one line. */
const char *log_summary(const char *log, struct arena *a);

/* ---- machine code ------------------------------------------------------ */

/* One instruction of the machine code. */
struct sass_insn {
	uint32_t offset;
	const char *text; /* "@P0 LDG.E.STRONG.GPU R6, desc[UR4][R6.64]" */
	const char *opcode; /* "LDG.E.STRONG.GPU" */
	int line; /* of the emitter's line table; 0: none */
};

/* A place that branches go to. */
struct sass_label {
	const char *name; /* ".L_x_7" */
	int insn; /* index of the instruction after it */
};

/* The machine code of a test kernel beside its PTX. */
struct sass {
	enum doc_code status;
	const char *detail; /* CHANGED: what, a line each; UNCHECKED: why */
	const char *between; /* what of the harness stands between tested
		instructions, a line each; "" if nothing */
	bool weak_only; /* CHANGED: only weak accesses, merged or moved past
		each other as an assembler may */
	const struct sass_insn *insns; /* in the order of addresses */
	int ninsns;
	const struct sass_label *labels;
	int nlabels;
};

/* sass.c, sass_read.c */
const char *nvdisasm_find(struct arena *a); /* NULL: there is none */
/*
 * Disassembles the cubin of a plan's module and checks that each memory
 * access, fence and barrier of the test is there once, in order, with its
 * strength and width. UNCHECKED without nvdisasm ($FENCEPOST_NVDISASM,
 * PATH, or the toolkit's).
 */
void sass_check(const struct plan *plan, const void *elf, size_t size,
    struct arena *a, struct sass *s);
/* The same for what nvdisasm -g -c wrote. */
void sass_check_text(const struct plan *plan, const char *text,
    struct arena *a, struct sass *s);
/* The machine code of the test kernel, the tested instructions marked, and
   the verdict. */
void sass_print(struct text *t, const struct plan *plan,
    const struct sass *s);

/* What came back from one test on one device. */
struct tally {
	uint64_t *bins; /* program->noutcomes, by outcome code */
	uint64_t other; /* a value outside the known set */
	uint64_t hang; /* a loop ran out */
	uint64_t instances, launches;
	double seconds; /* device time */
	double wall;
	uint64_t seed, stream;
	/* of the target's rate from batch to batch; negative: not measured */
	double drift; /* Kolmogorov-Smirnov distance, first to last fifth */
	double dispersion; /* standard deviation of its natural logarithm */
};

/* The same for one environment of several, and for a broken twin. */
struct env_tally {
	const struct env *env;
	uint64_t instances, hits, launches;
	double seconds;
};

struct twin_tally {
	const char *name, *what;
	uint64_t instances, hits;
	double rate; /* hits a second of device time */
	const struct env_tally *envs; /* where it was tried */
	int nenvs;
};

/* ---- judging ----------------------------------------------------------- */

struct state {
	uint32_t code;
	uint64_t count;
	enum row_class class;
	bool target; /* the condition is about it */
};

struct judgement {
	enum verdict verdict;
	const char *message; /* why; "" with VERDICT_PASS */
	enum answer answer; /* the model's, of the target states */
	const char *reason; /* of ANSWER_NONE, or NULL */
	const char *note; /* outcomes_note(), or NULL */
	struct state *seen, *unseen; /* unseen: the allowed ones */
	uint32_t nseen, nunseen;
	uint64_t target_hits, weak_hits, forbidden_hits;
	double rate; /* target hits a second of device time */
	double bound95; /* of the target's share, if never seen; else -1 */
	enum doc_strength strength; /* of the target not showing */
};

/* judge.c */
/* 1-0.05^(1/n): the largest share of independent trials that stays silent
   in n of them with a chance of 5 %. */
double bound95(uint64_t n);
/* 1-exp(-n): the chance that a run of the same size shows again what this
   one showed n times, if that is rare (Poisson). */
double reproducibility(uint64_t hits);
/* Kolmogorov-Smirnov distance between two samples, which it sorts. */
double ks_distance(double *x, int nx, double *y, int ny);
/* Of n rates in the order they were measured; negative: too few. */
double rates_drift(const double *rates, int n, struct arena *a);
double rates_dispersion(const double *rates, int n);
/* `outcomes` may be NULL; `no_model` then says why. */
void judge_test(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, const struct tally *tally,
    const struct twin_tally *twins, int ntwins, struct arena *a,
    struct judgement *j);
/* A test that brought nothing back. */
void judge_failure(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, enum verdict verdict, const char *message,
    struct arena *a, struct judgement *j);

/* A plan's machine code. */
struct code {
	const struct plan *plan;
	const void *elf;
	size_t size;
	const char *env; /* name */
};

/* All that one test on one device left behind. */
struct result {
	const struct program *program;
	struct judgement *judgement;
	const struct tally *tally; /* NULL: none */
	const struct env_tally *envs;
	int nenvs;
	const struct twin_tally *twins;
	int ntwins;
	const char *assembler, *replay;
	const struct code *codes; /* that ran, the most used first */
	int ncodes;
	enum doc_code code;
	const char *code_detail;
	bool explain; /* this outcome, under that version of the model */
	bool explain_allowed;
	uint32_t explained;
	enum model_version model;
	int device;
};

/* judge.c: chooses the outcome that results_test() explains */
void result_explain(struct result *r, const struct outcomes *outcomes,
    const bool *targets); /* targets as by program_targets() */

/* ---- running ------------------------------------------------------------ */

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
bool search_instances(struct search *s, int n, uint64_t instances,
    struct err *err);
void search_rank(struct search *s); /* puts the best first */
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
	struct arena *arena, *scratch; /* scratch: one generation */
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

/* devices.c */
/* The devices of a kind, listed in a process of its own: after the first
   CUDA call a process cannot fork workers any more. As ops->list(). */
int devices_list(const struct device_ops *ops, struct device_info *infos,
    int max, struct err *err);
/*
 * What --device names: a number, the start of a UUID, "all", "cuda" or
 * "sim". NULL: the first GPU, or the software machine, with *fallback set.
 * Returns how many, or -1.
 */
int devices_choose(const char *which, struct device_info *infos, int max,
    bool *fallback, struct err *err);
const struct device_ops *device_ops_of(const struct device_info *info);

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

/* ---- workers: a process a device -------------------------------------- */

/* All that is to be run, and what becomes of it. */
/* Whose machine code is read: the disassembler takes over half a second. */
enum code_check {
	CODE_SOME, /* as many as can be read beside the runs */
	CODE_ALL, /* every test's, in each environment: the runs wait */
	CODE_NONE,
};

struct work {
	const struct program *const *tests;
	int ntests;
	const struct device_info *devices;
	int ndevices;
	const char *options; /* of the devices */
	const char *fault; /* planted in the software machine; or NULL */
	int lanes; /* workers of each device, each with every lanes-th test;
		0 is 1, more are for the software machine */
	enum assembler assembler;
	struct effort effort; /* of one test */
	double seconds; /* for all tests together, on each device; or 0 */
	double timeout; /* without a sign of life: hang */
	bool fail_fast;
	enum code_check code_check;
	json_t **results; /* [test * ndevices + device]; NULL: to be run */
	/* after each result, which results[] holds by then */
	void (*done)(void *user, int test, int device);
	/* now and then; test -1: none runs there */
	void (*progress)(void *user, int device, int test,
	    uint64_t instances, uint64_t hits);
	void *user;
};

#define LANES_MAX 64

enum work_end {
	WORK_DONE,
	WORK_STOPPED, /* fail_fast */
	WORK_INTERRUPTED, /* by a signal */
	WORK_FAILED, /* a device is gone: err */
};

/* crew.c */
/* A test's part of the time for all, to that of an allowed one: a forbidden
   one runs beside its twins, and its silence must outweigh theirs. */
int work_weight(const struct work *w, int test);
bool work_has_lane(const struct work *w, int lane, int test);
enum work_end work_run(struct work *w, struct err *err);

/* hand.c: SIGINT, SIGTERM, SIGHUP */
/* True once one of them has asked for an end, which work_run() and
   signals_note() see to. */
bool signals_came(void);
void signals_note(void);

/* worker.c: the worker's side */
struct order {
	int test;
	double seconds;
};
_Noreturn void worker_main(const struct work *w, int device, int lane,
    int orders, int answers);

/* journal.c: finished tests, a line each, kept until there is a document */
struct journal;
/* Begins with those of the `count` results that are not NULL. */
bool journal_open(const char *path, const json_t *header,
    json_t *const *results, int count, struct journal **j, struct err *err);
bool journal_add(struct journal *j, const json_t *test, struct err *err);
void journal_close(struct journal *j, bool remove);
/* Puts the tests of an earlier document, or of the journal beside it, into
   w->results; an earlier run of something else is refused. */
bool journal_take_up(const char *path, const json_t *header, struct work *w,
    struct arena *a, struct err *err);

/* ---- results documents ------------------------------------------------- */

/* What a document says of the run as a whole. */
struct run_info {
	int argc;
	char **argv; /* of the command, argv[0] = "run" */
	uint64_t seed;
	const char *started; /* UTC, ISO 8601 */
	enum model_version model;
	int level; /* 0: none */
	int shard, shards, selected;
	uint64_t suite_hash;
	const struct device_info *devices;
	int ndevices;
};

/* why.c: adds "explanation" and "execution" */
void why_add(json_t *test, const struct program *p,
    enum model_version version, uint32_t code, bool allowed, struct arena *a);

/* results.c: each returns a new reference */
json_t *results_test(const struct result *r, struct arena *a);
json_t *results_document(const struct run_info *info, bool complete,
    double wall, json_t *tests);
bool results_write(const json_t *document, const char *path,
    struct err *err); /* as output_open does */

/* print.c: for people */
struct style { bool color, quiet, sim; };
void print_header(FILE *f, const struct document *d,
    const struct style *style);
void print_test(FILE *f, const struct document *d, const struct doc_test *t,
    const struct style *style);
void print_summary(FILE *f, const struct document *d,
    const struct style *style);

/* ---- the command line -------------------------------------------------- */

/* Exit statuses. */
enum status {
	STATUS_OK = 0, /* all as expected */
	STATUS_FOUND = 1, /* something that must not be */
	STATUS_NO_VERDICT = 2, /* usage, bad input, no device, a fault */
	STATUS_NOTHING = 4, /* nothing selected */
	STATUS_INTERRUPTED = 130,
};

struct strings {
	const char **list;
	int count;
};

enum option_kind {
	KIND_flag,
	KIND_text,
	KIND_list, /* may be repeated */
	KIND_number, /* takes k, M, G */
	KIND_seconds, /* takes us, ms, s, m, h; a bare number is seconds */
	KIND_choice,
	KIND_seed, /* decimal, or hexadecimal after 0x */
};

struct option_row { /* made by options.h */
	const char *field;
	enum option_kind kind;
	char letter;
	const char *arg, *fallback;
	double low, high;
	const char *help;
	size_t offset;
};

struct usage {
	const char *command;
	const char *operands; /* "[PATH...]", or "" */
	int least, most; /* operands; most -1 = any number */
	const char *about; /* whole lines */
	const struct option_row *rows; /* ends with a zero row */
};

#define STATUS_GO_ON (-1)

/* options.c */
/*
 * Reads argv (argv[0] is the command) into *options and *operands, which
 * must be zero.
 * Returns STATUS_GO_ON, or the status to exit with: OK after --help,
 * NO_VERDICT after an error, which has been printed to stderr.
 */
int options_read(const struct usage *usage, void *options, int argc,
    char **argv, struct arena *a, struct strings *operands);
/* The same, silently; ERR_NONE in *err with false: --help was given. */
bool options_parse(const struct usage *usage, void *options, int argc,
    char **argv, struct arena *a, struct strings *operands, struct err *err);
void options_usage(FILE *f, const struct usage *usage);
bool parse_number(const char *s, uint64_t *number);
bool parse_seconds(const char *s, double *seconds);
void strings_add(struct strings *strings, struct arena *a, const char *s);

/* ---- selecting tests --------------------------------------------------- */

struct selection {
	struct suite suite; /* all that was read, in the order of the paths */
	const struct program **tests; /* the chosen ones, in that order */
	int count;
	int total; /* chosen before sharding */
	uint64_t hash; /* suite_hash of results documents, also before */
	int bad; /* files with errors, which have been printed */
};

/* select.c */
/* A file or folder that comes with the program: in the working folder,
   beside the program, or in ../share/fencepost from it; NULL: nowhere. */
const char *data_find(const char *name, struct arena *a);
/* What TEST is, of commands that take several. */
#define TESTS_HELP \
	"TEST is a file, a folder, FILE:NAME, or the name of a test or " \
	"family of the suite\nthat came with the program; without any, " \
	"all of that suite.\n"
/*
 * Reads these tests, folders in byte order of their names; without any the
 * default suite. Errors in files are printed to stderr with their line.
 * False: there is no such file or test.
 */
bool select_read(const struct strings *tests, struct arena *a,
    struct selection *s, struct err *err);
/* The same, then select_filter(); STATUS_GO_ON, or, said on stderr, that
   there is no such test or none is left. */
int select_tests(const struct strings *tests, const struct strings *globs,
    struct arena *a, struct selection *s);
/* Keeps the tests whose name or family one of the globs matches; "!glob"
   takes away again. */
void select_filter(struct selection *s, const struct strings *globs,
    struct arena *a);
/* "I/N": every Nth test from the Ith on. */
bool select_shard(struct selection *s, const char *shard, int *index,
    int *count, struct err *err);
/* The same where only one test will do. NULL: err says what there is. */
const struct program *select_one(const char *test, struct arena *a,
    struct err *err);

/* against.c: lists of expected answers */
struct expected {
	const char *name; /* as the list has it */
	const char *path; /* from the list's folder */
	bool value;
};
struct against {
	struct expected *list;
	int count;
};
bool against_read(const char *path, struct arena *a, struct against *list,
    struct err *err);
/* The one test of that file; NULL: what is wrong has been printed. */
const struct program *against_program(const struct expected *e,
    struct arena *a);
/*
 * Asks `agrees` of the one test of each file of a list, and prints how many
 * did, and under what ("model ptx"); agrees() says on stdout what differs.
 * Returns an enum status.
 */
int against_compare(const char *path, bool (*agrees)(const struct expected *e,
    const struct program *p, const void *user, struct arena *a),
    const void *user, const char *under);

/* output.c: NULL: the standard output */
bool output_text(const char *path, const struct text *t, struct err *err);
/* FOLDER/NAME.ENDING; characters that make trouble in names become _ */
bool output_test(const struct program *p, const char *folder,
    const char *ending, const struct text *t, struct err *err);

/* cmd_sass.c: machine code by a device's driver */
bool device_assemble(const char *device, const char *ptx, struct arena *a,
    const void **elf, size_t *size, struct err *err);

/* cmd_model.c: --model and --unroll of several commands; false: printed */
bool model_options(struct model_opts *opts, const char *version,
    uint64_t unroll);

/* documents.c: loads each, or prints what is wrong and returns false */
bool documents_load(const struct strings *refs, struct arena *a,
    struct document **list);

/* cmd_*.c: argv[0] is the command; each returns an enum status */
#define COMMAND(name, help) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
