/*
 * Workers, a process a device, and the documents of what they did.
 */
#ifndef WORK_H
#define WORK_H

#include <jansson.h>

#include "running.h"

/* Whose machine code is read: the disassembler takes over half a second. */
enum code_check {
	CODE_SOME, /* as many as can be read beside the runs */
	CODE_ALL, /* every test's, in each environment: the runs wait */
	CODE_NONE,
};

/* All that is to be run, and what becomes of it. */
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

/* results.c: JSON is a new reference */
json_t *results_test(const struct result *r, struct arena *a);
const char *utc_now(struct arena *a); /* ISO 8601 */
json_t *results_document(const struct run_info *info, bool complete,
    double wall, json_t *tests);
bool results_write(const json_t *document, const char *path,
    struct err *err); /* as output_open does */

/* print.c: for people */
struct style { bool color, quiet, sim; };
/* By the choice auto|always|never; standard output is looked at. */
bool style_wants_color(int choice);
void print_header(FILE *f, const struct document *d,
    const struct style *style);
void print_test(FILE *f, const struct document *d, const struct doc_test *t,
    const struct style *style);
void print_summary(FILE *f, const struct document *d,
    const struct style *style);

#endif
