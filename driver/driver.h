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

struct device_info {
	const char *kind; /* "cuda" or "sim" */
	char name[96], uuid[48], driver[32], toolkit[32];
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

/* What came back from one test on one device. */
struct tally {
	uint64_t *bins; /* program->noutcomes, by outcome code */
	uint64_t other; /* a value outside the known set */
	uint64_t hang; /* a loop ran out */
	uint64_t instances, launches;
	double seconds; /* device time */
	double wall;
	uint64_t seed, stream;
	double drift; /* Kolmogorov-Smirnov distance, first to last fifth;
		negative: not measured */
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
};

/* ---- judging ----------------------------------------------------------- */

enum state_class {
	STATE_SC, /* some interleaving gives it */
	STATE_WEAK, /* allowed, but none does */
	STATE_FORBIDDEN,
	STATE_UNJUDGED, /* the model has no verdict */
};

struct state {
	uint32_t code;
	uint64_t count;
	enum state_class class;
	bool target; /* the condition is about it */
};

/* How much it means that the target showed, or did not. */
enum strength {
	STRENGTH_SEEN,
	STRENGTH_BOUNDED, /* never showed; the bound holds */
	STRENGTH_NO_EVIDENCE, /* nor did the twins: silence means little */
	STRENGTH_NONE, /* nothing ran */
};

struct judgement {
	enum verdict verdict;
	const char *message; /* why; "" with VERDICT_PASS */
	enum answer answer; /* the model's, of the target states */
	const char *reason; /* of ANSWER_NONE, or NULL */
	struct state *seen, *unseen; /* unseen: the allowed ones */
	uint32_t nseen, nunseen;
	uint64_t target_hits, weak_hits, forbidden_hits;
	double rate; /* target hits a second of device time */
	double bound95; /* of the target's share, if never seen; else -1 */
	enum strength strength;
};

/* judge.c */
/* 1-0.05^(1/n): the largest share of independent trials that stays silent
   in n of them with a chance of 5 %. */
double bound95(uint64_t n);
/* Kolmogorov-Smirnov distance between two samples, which it sorts. */
double ks_distance(double *x, int nx, double *y, int ny);
/* `outcomes` may be NULL; `no_model` then says why. */
void judge_test(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, const struct tally *tally,
    const struct twin_tally *twins, int ntwins, struct arena *a,
    struct judgement *j);
/* A test that brought nothing back. */
void judge_failure(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, enum verdict verdict, const char *message,
    struct judgement *j);

/* ---- results documents ------------------------------------------------- */

enum code_status { CODE_UNCHECKED, CODE_CHECKED, CODE_CHANGED };

/* All that one test on one device left behind. */
struct result {
	const struct program *program;
	const struct judgement *judgement;
	const struct tally *tally; /* NULL: none */
	const struct env_tally *envs;
	int nenvs;
	const struct twin_tally *twins;
	int ntwins;
	const char *assembler, *replay;
	enum code_status code;
	const char *code_detail;
	int device;
};

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

/* results.c: each returns a new reference */
json_t *results_test(const struct result *r, struct arena *a);
json_t *results_document(const struct run_info *info, bool complete,
    double wall, json_t *tests);
bool results_write(const json_t *document, const char *path,
    struct err *err); /* "-": stdout; else by way of a temporary file */

/* print.c: tests as documents have them */
struct style { bool color, quiet, sim; };
void print_header(FILE *f, const struct run_info *info,
    const struct style *style);
void print_test(FILE *f, const json_t *test, const struct style *style);
void print_summary(FILE *f, const json_t *document,
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
/*
 * Reads files, and *.yaml, *.yml and *.litmus below folders in byte order
 * of their names; without paths the default suite. Errors in files are
 * printed to stderr with their line. False: a path is wrong, or is empty.
 */
bool select_read(const struct strings *paths, struct arena *a,
    struct selection *s, struct err *err);
/* Keeps the tests whose name or family one of the globs matches; "!glob"
   takes away again. */
void select_filter(struct selection *s, const struct strings *globs,
    struct arena *a);
/* "I/N": every Nth test from the Ith on. */
bool select_shard(struct selection *s, const char *shard, int *index,
    int *count, struct err *err);
/* TEST of explain, ptx and the like: a name in the default suite, a file
   with one test, or FILE:NAME. NULL: err says what there is. */
const struct program *select_one(const char *test, struct arena *a,
    struct err *err);

/* cmd_*.c: argv[0] is the command; each returns an enum status */
#define COMMAND(name, help) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
