/* Private to the YAML reader. */
#ifndef READER_H
#define READER_H

#include "yaml.h"

#define VARIANTS_MAX 4096 /* a file */
#define TEST_NAME_MAX 160
#define CODE_MAX ((size_t)16 << 10) /* bytes of code of a thread */
#define CONDITION_MAX ((size_t)4 << 10)

/* One `placeholder: text` of a variant or of an axis' value. */
struct definition {
	const char *name;
	struct loc loc; /* of the key */
	const struct node *value; /* a scalar */
	bool used; /* by any variant */
};

#define DEFINITIONS_MAX 32 /* that one variant may see */

struct variant {
	const char *suffix; /* "+volatile+gpu@cta", or "" */
	struct definition *definitions[DEFINITIONS_MAX];
	int ndefinitions;
	const struct node *expect; /* or NULL */
};

struct variants {
	struct variant *list;
	int count;
	struct definition *definitions; /* all of them */
	int ndefinitions;
};

/* variants.c: what `variants` and `matrix` of a test make; at least one */
bool variants_make(const struct node *test, struct arena *a,
    struct variants *v, struct errs *errs);
bool name_is_good(const char *s); /* of a test or a variant */

/* Where a piece of an expanded text came from. */
struct piece {
	size_t start; /* in the expanded text */
	const struct node *from;
	size_t offset; /* in from->text */
	size_t base; /* in the scalar that was expanded */
};

/* A scalar with its placeholders filled in. */
struct expanded {
	const char *text;
	size_t size;
	const struct node *node;
	struct piece *pieces;
	int npieces;
};

/* expand.c. `code`: a line that only placeholders made empty vanishes. */
bool expand(const struct node *scalar, const struct variants *all,
    const struct variant *variant, bool code, struct arena *a,
    struct expanded *x, struct errs *errs);
/* The place of a byte where it is written, if need be in a definition. */
struct loc expanded_place(const struct expanded *x, size_t offset);
/* The place in the expanded scalar: of the placeholder, if need be. */
struct loc expanded_base(const struct expanded *x, size_t offset);
/* From a place counted in the expanded text itself. */
size_t expanded_offset(const struct expanded *x, struct loc loc);

/* code.c: the instructions and labels of one thread */
bool code_read(const struct expanded *x, struct program *p, int thread,
    struct arena *a, struct errs *errs);
/* Words of PTX that nothing may be called. */
bool ptx_reserved(const char *name);
/* The same, as an error that says so. */
bool identifier_check(const char *name, size_t n, const char *what,
    struct loc loc, struct err *err);

/* Reading one variant of one test. */
struct reader {
	const struct node *test;
	const char *family;
	const struct variants *variants;
	const struct variant *variant;
	struct program *program;
	struct arena *arena;
	struct errs *errs;
};

/* read_scalar.c: false after an error; `what` names it there */
bool read_scalar(struct reader *r, const struct node *n, const char *what,
    struct expanded *x);
bool read_integer(struct reader *r, const struct node *n, const char *what,
    int64_t low, int64_t high, int64_t *value);
/* map's key, 0 to high, where it is given */
bool read_number(struct reader *r, const struct node *map, const char *key,
    int high, int *value);
/* A value for an element or a register of that type. */
bool read_value(struct reader *r, const struct node *n, enum type type,
    uint64_t *v);
bool read_type(struct reader *r, const struct node *n, enum type *type);
int read_var_named(const struct program *p, const char *name); /* or -1 */
/* A location other than `self`. */
bool read_var(struct reader *r, const struct node *n, const char *what,
    int self, int *index);

/* read_location.c, read_thread.c, read_cond.c: parts of a test */
bool read_locations(struct reader *r);
bool read_threads(struct reader *r);
bool read_question(struct reader *r); /* exists, never or forall */
bool read_observe(struct reader *r);
bool read_filter(struct reader *r);
bool read_expect(struct reader *r);

#endif
