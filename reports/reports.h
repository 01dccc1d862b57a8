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
#define ROW_CLASSES 4
enum doc_answer { DOC_NONE, DOC_ALLOWED, DOC_FORBIDDEN };
enum doc_strength {
	DOC_STRENGTH_NONE, DOC_STRENGTH_NO_EVIDENCE, DOC_STRENGTH_BOUNDED, DOC_STRENGTH_SEEN,
};
enum doc_code { DOC_CODE_CHECKED, DOC_CODE_UNCHECKED, DOC_CODE_CHANGED };
enum prim_verdict {
	PRIM_PASS, PRIM_BROKEN, PRIM_NOT_CAUGHT, PRIM_NOT_CAUGHT_HERE,
	PRIM_NOT_RUN,
};
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
	const struct pardon *pardon; /* by quarantine_apply(), or NULL */
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
	uint64_t prims[PRIM_NOT_RUN + 1]; /* by enum prim_verdict */
	uint64_t pardoned; /* failing, but quarantined */
	int exit; /* of a run that found this: 0, 1, 2, or 4 for nothing */
};
void summary_add(struct summary *s, const struct doc_test *t);
void summary_make(struct summary *s, const struct document *d);
uint64_t summary_failed(const struct summary *s); /* and not pardoned */
json_t *summary_json(const struct summary *s); /* a new reference */
/* Sets root's "summary" from its "tests"; for writers of documents. */
bool document_summary(json_t *root, struct err *err);

/* quarantine.c: failures that are known, and forgiven until a day */
struct pardon {
	struct loc loc;
	const char *until; /* 2026-12-31, the last day */
	const char *glob; /* of test names */
	const char *device; /* glob of device names, or NULL */
	const char *reason;
	int used; /* failing tests it covered */
	bool expired; /* at the start of the run */
};
struct quarantine {
	struct pardon *list;
	int count;
};
/* Lines of "UNTIL TEST-GLOB [@DEVICE-GLOB] REASON"; # starts a comment. */
bool quarantine_read(const struct source *source, struct arena *a,
    struct quarantine *q, struct errs *errs);
/* Marks the failing tests of d that an entry covers. */
void quarantine_apply(struct quarantine *q, struct document *d);
/* What JUnit and the gate take the test for: skipped if pardoned. */
enum junit test_kind(const struct doc_test *t);

/* matrix.c: shapes down, annotations across, a table a placement */
enum cell {
	CELL_NONE, /* no such test */
	CELL_SEEN, /* allowed, and it showed */
	CELL_UNSEEN, /* allowed, but it did not */
	CELL_SILENT, /* forbidden, and it did not show */
	CELL_MUTE, /* the same, but nor did its broken twins */
	CELL_BROKEN, /* forbidden, and it showed */
	CELL_UNJUDGED, /* the model has no verdict */
	CELL_NOT_RUN,
	CELL_FAILED, /* hang, fault, corrupt and so on */
	CELL_COUNT,
};
struct cell_row {
	const char *name; /* of the class, for markup */
	const char *symbol; /* one character, for text */
	const char *words;
};
extern const struct cell_row cell_rows[CELL_COUNT];
enum cell test_cell(const struct doc_test *t);
struct matrix {
	const char *placement; /* "across CTAs" */
	const char **rows, **columns;
	int nrows, ncolumns;
	const struct doc_test **cells; /* row by row; NULL: none */
};
/* Of the tests on one device; returns how many, in *list. */
int matrix_make(const struct document *d, int device, struct arena *a,
    struct matrix **list);

/* format.c: pieces of text that several writers need */
struct count_text { char s[32]; };
struct count_text count_text(uint64_t n); /* "41,215", "4.53e8" */
struct count_text rate_text(double x); /* "4.53e8", "0.0123" */
struct count_text time_text(double seconds); /* "61.5 s", "12 ms" */
void row_print(FILE *f, const struct doc_test *t, const struct doc_row *r);
	/* "1:r0=1; 1:r1=0;" */
/* The verdict's reason, in one line; never empty. */
const char *test_message(const struct doc_test *t);
/* "MP+relaxed", or "MP+relaxed [NVIDIA H200 1]" where devices are many. */
const char *test_label(const struct document *d, const struct doc_test *t,
    struct arena *a);
/* "NVIDIA H200 (sm_90, driver 580.65.06)"; says when it is no GPU. */
const char *device_label(const struct doc_device *d, struct arena *a);
const char *shell_command(const struct document *d, struct arena *a);
/* Litmus-style histogram and observation lines. */
void histogram_print(FILE *f, const struct doc_test *t);
extern const char *const sim_notice; /* no GPU was involved */
/* Markup: & < > and quotes as entities. */
void put_xml(FILE *f, const char *s);
/* A Markdown code span that no character of s can leave. */
void put_code(FILE *f, const char *s);
/* Markdown text without markup; newlines become spaces. */
void put_markdown(FILE *f, const char *s);

/* The writers. Errors of the file are left in ferror(f). */
/* junit.c */
void junit_write(FILE *f, const struct document *d);
/* github.c: workflow commands that annotate the lines of the tests */
void github_write(FILE *f, const struct document *d);
/* markdown.c */
void markdown_write(FILE *f, const struct document *d);

/* html.c */
struct html_options {
	const char *css; /* link to this style sheet; NULL: inline */
	int details; /* passing tests shown in full, at most */
};
#define HTML_DETAILS 2000
void html_write(FILE *f, const struct document *d,
    const struct html_options *o);
void html_css_write(FILE *f); /* the style sheet by itself */

#endif
