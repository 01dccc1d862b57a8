/*
 * A reader of JSON into structs, driven by tables: one pass, no tree, and
 * every error knows its line and its path. (A tree of a large document
 * takes five times the document, and forgets where things stood.)
 */
#ifndef REPORTS_JSON_H
#define REPORTS_JSON_H

#include "reports.h"

enum field_kind {
	FIELD_STRING, /* const char *, cleaned; NULL if absent */
	FIELD_HEX64, /* uint64_t: 16 hexadecimal digits */
	FIELD_INT, /* int64_t */
	FIELD_COUNT, /* uint64_t, 0 or more */
	FIELD_NUMBER, /* double; NAN if absent */
	FIELD_BOOL, /* bool */
	FIELD_MAYBE, /* int: 1 true, 0 false, -1 null or absent */
	FIELD_ENUM, /* int: index into names */
	FIELD_OBJECT, /* pointer to a struct of shape; NULL if absent */
	FIELD_OBJECTS, /* array of them, and an int count */
	FIELD_STRINGS, /* const char **, and an int count */
	FIELD_INTS, /* int64_t *, and an int count */
	FIELD_RAW, /* const char *: the value's text as it stands */
	FIELD_SKIP, /* anything: checked for its syntax only */
};

enum field_flags {
	FIELD_REQUIRED = 1,
	FIELD_NULLABLE = 2, /* null reads as absent */
};

struct shape;

struct field {
	const char *name;
	enum field_kind kind;
	unsigned flags;
	size_t offset, count; /* in the struct; count for arrays */
	const char *const *names; /* ENUM, ends in NULL */
	const struct shape *shape; /* OBJECT, OBJECTS */
};

#define FIELDS_MAX 64

struct shape {
	const char *name; /* "a test", for messages */
	size_t size;
	const struct field *fields;
	int count; /* at most FIELDS_MAX */
	bool closed; /* a key that is not in fields is an error */
	/* where the struct keeps its own text: a struct span, if `spans` */
	bool spans;
	size_t span;
};

#define JSON_DEPTH_MAX 16
#define JSON_STRING_MAX ((size_t)1 << 20)

/* One step of the path to the value being read. */
struct step {
	struct span key; /* .s NULL: none yet */
	int index; /* -1: not in a list */
};

/* A text being read. */
struct lex {
	const struct source *source;
	const char *s, *end;
	struct arena *arena;
	struct err *err;
	struct step path[JSON_DEPTH_MAX];
	int depth;
};

/* lex.c: each moves past what it reads; false with *err filled */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool lex_fail(struct lex *j, const char *at, const char *format, ...);
bool lex_expected(struct lex *j, const char *what);
char lex_peek(struct lex *j); /* after space; 0 at the end */
bool lex_take(struct lex *j, char c, const char *what);
bool lex_enter(struct lex *j, const char *at); /* a level; leave: depth-- */
bool lex_string(struct lex *j, const char **out); /* NULL: only checked */
bool lex_key(struct lex *j, struct span *key);
bool lex_int(struct lex *j, bool negative, int64_t *out);
bool lex_number(struct lex *j, double *out);
bool lex_hex64(struct lex *j, uint64_t *out);
bool lex_bool(struct lex *j, bool *out);
bool lex_word(struct lex *j, const char *word); /* no error if it is not */
bool lex_skip(struct lex *j); /* any value, its syntax checked */
/* The place of a pointer into the source's text. */
struct loc source_place(const struct source *source, const char *at);

/* json.c: the whole text as one object of the shape, into out (zeroed) */
bool json_read(const struct source *source, const struct shape *shape,
    struct arena *a, void *out, struct err *err);

/* fields.c */
extern const struct shape document_shape, test_shape;

#endif
