/*
 * Places, errors, memory, texts, draws: what every room needs.
 */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A place in a source text; line and column count from 1, 0 = unknown. */
struct loc {
	const char *source;
	int line, column;
};

enum err_code {
	ERR_NONE,
	ERR_USAGE, /* the command line */
	ERR_INPUT, /* a file's contents */
	ERR_IO,
	ERR_LIMIT, /* too large for a stated bound */
	ERR_UNSUPPORTED, /* right, but not possible here */
	ERR_DEVICE, /* the driver, the assembler, or the GPU */
	ERR_FAULT, /* the test itself faulted (trap, illegal address) */
	ERR_HANG,
	ERR_INTERRUPTED,
};

struct err {
	enum err_code code;
	struct loc loc;
	char message[480];
};

#define ERRS_MAX 20

/* Up to ERRS_MAX errors of one file, in the order of their places. */
struct errs {
	struct err list[ERRS_MAX];
	int count;
	int dropped; /* found beyond ERRS_MAX */
};

/* A source text held in memory, for the caret lines of messages. */
struct source {
	const char *name;
	const char *text; /* zero-terminated, size excludes the zero */
	size_t size;
};

struct arena;

/* arena.c: out of memory is fatal, said once on stderr */
struct arena *arena_new(void);
void arena_reset(struct arena *a);
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-aligned */
void *arena_grow(struct arena *a, void *old, size_t old_size, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
char *arena_printf(struct arena *a, const char *format, ...);

/* A growing text in an arena. */
struct text {
	struct arena *arena;
	char *s; /* zero-terminated */
	size_t size, room;
};

/* text.c */
void text_init(struct text *t, struct arena *a);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void text_printf(struct text *t, const char *format, ...);
void text_append(struct text *t, const char *s, size_t n);
const char *plural(uint64_t n); /* what a noun ends in: "" or "s" */

/* err.c */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool err_set(struct err *err, enum err_code code, struct loc loc,
    const char *format, ...); /* always returns false */
void errs_add(struct errs *errs, const struct err *err);
/* An ERR_INPUT from its message, said once a place; returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool errs_say(struct errs *errs, struct loc loc, const char *format, ...);
/* "name:line:col: error: message", the source line, and a caret. */
void err_print(FILE *f, const struct err *err, const struct source *source);
void errs_print(FILE *f, const struct errs *errs, const struct source *source);
/* Control characters and bad UTF-8 replaced by '?' (or U+FFFD). */
char *text_clean(struct arena *a, const char *s, size_t n);

/* near.c: for "did you mean" */
int edit_distance(const char *a, size_t na, const char *b, size_t nb);
bool is_near(const char *word, size_t n, const char *name); /* a slip away */

/* philox.c: counter-based draws; equal arguments give equal numbers */
struct draw { uint64_t seed, stream; uint32_t counter; };
uint32_t draw_u32(struct draw *d);
uint64_t draw_u64(struct draw *d);
uint32_t draw_below(struct draw *d, uint32_t bound); /* bound > 0 */
double draw_unit(struct draw *d); /* [0, 1) */
uint64_t hash64(const void *data, size_t size, uint64_t seed); /* xxh64 */

/* file.c: at most `limit` bytes, else ERR_LIMIT */
bool source_read(const char *path, size_t limit, struct arena *a,
    struct source *source, struct err *err);

#endif
