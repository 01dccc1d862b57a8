/*
 * reports: results documents to people, and to other machines. Reads the
 * documents only (results.schema.json), never what made them.
 *
 * Ownership: a document and all it points to live in the arena it was
 * loaded into. Strings in it are cleaned of control characters and bad
 * UTF-8 (text_clean()), and absent ones are NULL; each writer escapes for
 * its own format.
 */
#ifndef REPORTS_H
#define REPORTS_H

#include <jansson.h>

#include "../gen/gen.h"

/* ---- the document, as results.schema.json has it ---------------------- */

/* A piece of a document's text. */
struct span {
	const char *s;
	size_t size;
};

/* What JUnit calls a test that ended so. */
enum junit { JUNIT_PASS, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED };

/* One enumerator a row of verdict.def: VERDICT_PASS, ... */
enum verdict {
#define VERDICT(id, ...) VERDICT_##id,
#include "verdict.def"
#undef VERDICT
	VERDICT_COUNT,
};

struct verdict_row {
	const char *name; /* "not-run", as in documents */
	const char *symbol; /* "not run", for tables */
	enum junit junit;
	int exit;
	const char *words;
};

/* The following enums stand in the order of their names in fields.c. */
enum row_class { ROW_SC, ROW_WEAK, ROW_FORBIDDEN, ROW_UNJUDGED };
enum doc_answer { DOC_NONE, DOC_ALLOWED, DOC_FORBIDDEN };
enum doc_strength {
	DOC_STRENGTH_NONE, DOC_STRENGTH_NO_EVIDENCE, DOC_STRENGTH_BOUNDED, DOC_STRENGTH_SEEN,
};
enum doc_code { DOC_CODE_CHECKED, DOC_CODE_UNCHECKED, DOC_CODE_CHANGED };
enum prim_verdict { PRIM_PASS, PRIM_BROKEN, PRIM_NOT_CAUGHT, PRIM_NOT_RUN };
enum doc_kind { DOC_CUDA, DOC_SIM };

struct doc_tool { const char *name, *version; };

struct doc_shard {
	int64_t index, count;
	uint64_t selected, suite_hash; /* hash 0: not given */
};

struct doc_device {
	int64_t index, sm, processors, memory, clock_khz, memory_clock_khz;
	int kind; /* enum doc_kind */
	const char *name, *uuid, *driver, *toolkit, *host;
	int mig, mps; /* -1 unknown */
};

/* A line of a histogram; of `unseen`, count is 0. */
struct doc_row {
	int64_t *values;
	int nvalues;
	uint64_t count;
	int class; /* enum row_class */
	bool target;
};

struct doc_twin {
	const char *name, *what;
	uint64_t hits, instances;
};

struct doc_evidence {
	uint64_t target_hits;
	double rate, bound95, reproducibility, drift, dispersion; /* or NAN */
	struct doc_twin *twins;
	int ntwins;
	int strength;
};

struct doc_environment {
	const char *env; /* JSON text */
	uint64_t instances, hits;
	double seconds;
};

struct doc_thread {
	const char *place;
	const char **code;
	int ncode;
};

struct doc_machine_code {
	int status; /* enum doc_code */
	const char *detail;
};

struct doc_event {
	int64_t thread, line; /* thread -1: initial state */
	const char *text;
};

struct doc_edge {
	uint64_t from, to;
	const char *relation;
};

struct doc_execution {
	int64_t *values;
	int nvalues;
	struct doc_event *events;
	int nevents;
	struct doc_edge *edges;
	int nedges;
};

struct doc_test {
	const char *name, *family, *variant, *about, *file, *placement;
	const char *assembler, *message, *reason, *condition, *replay;
	const char *source, *explanation;
	uint64_t line, source_hash, device;
	const char **tags, **slots, **locations;
	int ntags, nslots, nlocations;
	int verdict; /* enum verdict */
	int expect, answer; /* enum doc_answer */
	int quantifier; /* enum quantifier */
	uint64_t instances, launches, other, hang;
	double seconds;
	struct doc_row *rows, *unseen;
	int nrows, nunseen;
	struct doc_evidence *evidence;
	struct doc_environment *environments;
	int nenvironments;
	struct doc_thread *threads;
	int nthreads;
	struct doc_machine_code *machine_code;
	struct doc_execution *execution;
	struct span span; /* its own text */
};

struct doc_finding {
	const char *kind, *detail;
	uint64_t count, round;
};

struct doc_bench {
	const char *what, *unit, *scope;
	uint64_t ctas, threads, samples;
	double min, p1, p25, median, p75, p99, max; /* or NAN */
};

struct doc_primitive {
	const char *name, *group, *about, *file, *twin_of, *flaw, *message;
	const char *ptx, *replay;
	uint64_t line, device, rounds;
	int answer, verdict; /* enum doc_answer, enum prim_verdict */
	double seconds;
	struct doc_finding *findings;
	int nfindings;
	struct doc_bench *bench;
	int nbench;
	struct span span;
};

struct doc_claim {
	const char *claim, *figure;
	int holds; /* -1: could not be measured */
	uint64_t device;
};

struct document {
	const char *ref; /* what it was loaded from */
	const char *format;
	int64_t version, level;
	struct doc_tool *tool;
	const char **command, **notes;
	int ncommand, nnotes;
	uint64_t seed;
	const char *started;
	double wall_seconds;
	bool hardware, complete;
	struct doc_shard *shard;
	struct doc_device *devices;
	int ndevices;
	int model; /* enum model_version's order */
	struct doc_test *tests;
	int ntests;
	struct doc_primitive *primitives;
	int nprimitives;
	struct doc_claim *claims;
	int nclaims;
	struct source source; /* its text; spans point into it */
	const struct doc_test **by_name; /* by name, then device */
};

/* ---- prototypes ------------------------------------------------------- */

/* fields.c: how documents spell the enums above; end in NULL */
extern const struct verdict_row verdicts[VERDICT_COUNT];
extern const char *const row_classes[], *const doc_answers[],
    *const doc_verdicts[], *const strengths[], *const code_statuses[],
    *const prim_verdicts[], *const device_kinds[], *const doc_models[];

/* document.c */
#define DOCUMENT_LIMIT ((size_t)1 << 30) /* bytes */
/*
 * Reads and checks a document: a file, or RUN of a store as "FILE#RUN".
 * On failure source->text may be set, for the caret.
 */
bool document_load(const char *ref, struct arena *a, struct document *d,
    struct source *source, struct err *err);
bool document_read(const struct source *source, struct arena *a,
    struct document *d, struct err *err);
/* Of the device that a test ran on. */
const struct doc_device *test_device(const struct document *d,
    const struct doc_test *t);
/* The test of that name on device (by uuid); NULL: none. */
const struct doc_test *document_find(const struct document *d,
    const char *name, const char *uuid);

/* summary.c: what a document comes to */
struct summary {
	uint64_t tests, instances;
	uint64_t verdicts[VERDICT_COUNT];
	uint64_t forbidden_hits, weak_hits;
	uint64_t weak_tests; /* showed some weak outcome */
	uint64_t unseen_tests; /* allowed target that did not show */
	uint64_t unjudged; /* the model has no verdict */
	uint64_t twins, shown; /* broken twins run as evidence */
	uint64_t no_evidence; /* forbidden tests whose twins never showed */
	uint64_t prims[4]; /* by enum prim_verdict */
};
void summary_add(struct summary *s, const struct doc_test *t);
void summary_make(struct summary *s, const struct document *d);
json_t *summary_json(const struct summary *s); /* a new reference */
/* Sets root's "summary" from its "tests"; for writers of documents. */
bool document_summary(json_t *root, struct err *err);

#endif
