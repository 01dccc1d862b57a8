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
	DOC_STRENGTH_NONE, DOC_STRENGTH_NO_EVIDENCE, DOC_STRENGTH_BOUNDED,
	DOC_STRENGTH_SEEN,
};
enum doc_code { DOC_CODE_CHECKED, DOC_CODE_UNCHECKED, DOC_CODE_CHANGED };
enum prim_verdict {
	PRIM_PASS, PRIM_BROKEN, PRIM_NOT_CAUGHT, PRIM_NOT_CAUGHT_HERE,
	PRIM_MEASURED, /* timed only: nothing was validated */
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
	const char *name, *uuid, *driver, *driver_version, *toolkit, *host;
	int mig, mps; /* -1 unknown */
	struct span span; /* its own text */
};

/* A line of a histogram; of `unseen`, count is 0. */
struct doc_row {
	int64_t *values;
	int nvalues;
	uint64_t count;
	int class; /* enum row_class */
	bool target;
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

struct doc_twin {
	const char *name, *what;
	uint64_t hits, instances;
	double rate; /* hits a second of device time */
	struct doc_environment *environments; /* where it was tried */
	int nenvironments;
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
	const char *assembler, *message, *reason, *note, *condition, *replay;
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
	struct span span;
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
/* One test's text; its device and the like are not checked. */
bool test_read(struct span span, struct arena *a, struct doc_test *t,
    struct err *err);
/* Makes by_name; no test may be there twice for one device. */
bool document_sort(struct document *d, struct arena *a, struct err *err);
/* "name" of its record, or "?". */
const char *environment_name(const struct doc_environment *e,
    struct arena *a);
/* Of the device that a test ran on. */
const struct doc_device *test_device(const struct document *d,
    const struct doc_test *t);
/* The test of that name on device (by uuid); NULL: none. */
const struct doc_test *document_find(const struct document *d,
    const char *name, const char *uuid);

/* Broken twins that ran as evidence, and those of them that showed. */
struct mutation {
	uint64_t twins, shown;
};

/* matrix.c: the widest distance between a test's threads, as an index */
#define PLACEMENTS 6
extern const char *const placement_names[PLACEMENTS]; /* "across CTAs" */
int placement_class(const struct doc_test *t);

/* summary.c: what a document comes to */
#define MUTATION_SHARED (PLACEMENTS - 1) /* "in shared memory" */
struct summary {
	uint64_t tests, instances;
	uint64_t verdicts[VERDICT_COUNT];
	uint64_t forbidden_hits, weak_hits;
	uint64_t weak_tests; /* showed some weak outcome */
	uint64_t unseen_tests; /* allowed target that did not show */
	uint64_t unjudged; /* the model has no verdict */
	struct mutation mutation; /* of all, and by placement_class() */
	struct mutation mutations[PLACEMENTS];
	uint64_t no_evidence; /* forbidden tests whose twins never showed */
	uint64_t prims[PRIM_NOT_RUN + 1]; /* by enum prim_verdict */
	uint64_t pardoned; /* failing, but quarantined */
	int exit; /* of a run that found this: 0, 1, 2, or 4 for nothing */
};
const char *mutation_name(int placement);
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
	const char *suffix; /* that their variants share: "@shared", or "" */
	const char **rows, **columns;
	int nrows, ncolumns;
	const struct doc_test **cells; /* row by row; NULL: none */
};
struct matrices { /* of the tests on one device */
	struct matrix *list;
	int count;
	const struct doc_test **rest; /* in no table, by family */
	int nrest;
};
void matrices_make(const struct document *d, int device, struct arena *a,
    struct matrices *m);

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
const char *driver_label(const struct doc_device *d, struct arena *a);
	/* "580.159.04, CUDA 13.0" */
bool same_text(const char *a, const char *b); /* NULL: as "" */
bool same_driver(const struct doc_device *a, const struct doc_device *b);
/* "NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0)"; says when it is no
   GPU. */
const char *device_label(const struct doc_device *d, struct arena *a);
/* Of a primitive's verdict, and of whether a claim holds here. */
const char *prim_words(const struct doc_primitive *p);
const char *claim_words(const struct document *d, const struct doc_claim *c);
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

/* stats.c: each formula's source is named where it is coded */
/* P(X <= x) and P(X >= x) of a binomial count, n and x real. */
double binomial_below(double x, double n, double p);
double binomial_above(double x, double n, double p);
/*
 * Two-sided p-value that x1 of n1 and x2 of n2 have one rate, given that
 * rates vary from run to run anyway: `noise` is the standard deviation of
 * the logarithm of their ratio that comes without any change.
 */
double rates_differ(double x1, double n1, double x2, double n2,
    double noise);
/* Benjamini and Hochberg: q[i] is the rate of false discoveries among all
   that are at least as striking as i. q may be p. */
void discovery_rates(const double *p, double *q, int n);
double median_of(double *x, int n); /* sorts x; NAN for none */

/* diff.c */
enum change_id {
#define CHANGE(id, ...) CHANGE_##id,
#include "change.def"
#undef CHANGE
	CHANGE_COUNT,
};
struct change_row {
	const char *name, *words;
	bool worse;
};
extern const struct change_row change_rows[CHANGE_COUNT];

struct change {
	enum change_id id;
	const char *name; /* of the test or primitive */
	const char *what; /* the outcome, or the cost; "" */
	const char *before, *after;
	double ratio; /* of after to before, or NAN */
	double q; /* rate of false discoveries, or NAN: a plain fact */
};

struct diff_options {
	double q; /* largest accepted rate of false discoveries */
	double noise; /* NAN: estimated, or NOISE_DEFAULT */
	double slower; /* smallest share by which a cost counts as changed */
};
#define NOISE_DEFAULT 0.35 /* sd of log ratio between like runs */

struct diff {
	const struct document *a, *b;
	struct diff_options options;
	struct change *list; /* gravest first, then by name */
	int count;
	int tests; /* that both have, and could be compared */
	int outcomes; /* tested for a change of their rate */
	int quiet; /* of these, differing no more than noise does */
	double noise; /* that was used */
	int noise_from; /* outcomes it was estimated from; 0: not */
	double shift; /* median ratio of rates, or NAN */
	bool worse;
};
/* ERR_UNSUPPORTED: software against hardware, or devices that do not pair. */
bool diff_make(const struct document *a, const struct document *b,
    const struct diff_options *o, struct arena *arena, struct diff *diff,
    struct err *err);
void diff_text(FILE *f, const struct diff *d);
void diff_markdown(FILE *f, const struct diff *d);
void diff_html(FILE *f, const struct diff *d, const struct html_options *o);
json_t *diff_json(const struct diff *d); /* a new reference */

/* write.c */
/*
 * Writes d as a document: devices, tests, primitives and claims are copied
 * from their spans, so that keys this version does not know are kept; the
 * summary is made anew. Without `lists` they are written empty.
 */
void document_write(FILE *f, const struct document *d, bool lists);
/* The text of a test or primitive, moved to another device. */
bool span_move(struct span span, uint64_t device, struct arena *a,
    struct span *moved, struct err *err);
/* Of distinct tests, as the schema says of suite_hash. */
uint64_t suite_hash(const struct document *d);

/* merge.c */
/*
 * The shards of one run as the document of the whole run. Refuses what does
 * not belong together, and what is incomplete unless `partial`: then the
 * result says that it is incomplete. Tests come in the order of the run
 * without shards.
 */
bool merge_make(const struct document *shards, int n, bool partial,
    struct arena *a, struct document *merged, struct err *err);

/* output.c: a file that appears whole or not at all; "-" is stdout */
struct output {
	FILE *f;
	const char *path, *temporary;
};
bool output_open(struct output *o, const char *path, struct arena *a,
    struct err *err);
bool output_close(struct output *o, struct err *err);
/* Before long work whose fruit goes there: fails where output_open would. */
bool output_check(const char *path, struct err *err);
bool output_replaces(const char *path); /* a file; no stream, no device */

/* store.c: many documents in one SQLite file */
struct store;
struct store_run {
	int64_t id;
	const char *started, *label, *devices, *model, *command;
	uint64_t tests, failed, instances;
	bool hardware, complete;
};
/* One measurement of a test, for its history. */
struct store_point {
	int64_t run;
	const char *started, *device, *driver, *verdict, *test;
	uint64_t instances, weak, target, forbidden;
};
/*
 * Opens, and creates if `create`. A store of an older version is brought up
 * to date; of a newer one, refused. Writers wait for each other up to a
 * minute; what store_add() returned true for survives a kill.
 */
bool store_open(const char *path, bool create, struct store **s,
    struct err *err);
void store_close(struct store *s);
/* *id: of the run, also if it was there already (*again). A store holds
   runs on hardware or runs of the software machine, never both. */
bool store_add(struct store *s, const struct document *d, const char *label,
    int64_t *id, bool *again, struct err *err);
/* The run's document as it was added; id 0: the latest. */
bool store_get(struct store *s, int64_t id, struct arena *a,
    struct source *source, struct err *err);
/* All of these runs, or none. */
bool store_remove(struct store *s, const int64_t *ids, int n,
    struct err *err);
bool store_list(struct store *s, struct arena *a, struct store_run **list,
    int *n, struct err *err);
/* Of tests that match the glob, oldest first. */
bool store_history(struct store *s, const char *test, struct arena *a,
    struct store_point **list, int *n, struct err *err);
/* The latest run of each kind of GPU (name and driver), by id. */
bool store_latest(struct store *s, struct arena *a, int64_t **ids, int *n,
    struct err *err);
/* How far the rates of this device and driver stray from run to run: the
   standard deviation of a log ratio of two runs, NAN if too few. */
bool store_noise(struct store *s, const struct doc_device *device,
    double *noise, int *from, struct err *err);
/* As store_open(), up to an older version of the tables; for tests. */
bool store_open_at(const char *path, int version, struct store **s,
    struct err *err);

/* compare.c: several runs, usually of several GPUs, side by side */
bool compare_check(const struct document *list, int n, struct err *err);
	/* refuses software beside hardware */
void compare_html(FILE *f, const struct document *list, int n,
    const struct html_options *o);
void compare_markdown(FILE *f, const struct document *list, int n);

#endif
