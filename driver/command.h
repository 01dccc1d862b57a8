/*
 * The command line, and the selecting of tests.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "../model/model.h"
#include "../reports/reports.h"

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
