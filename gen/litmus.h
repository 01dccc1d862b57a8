/*
 * The community's .litmus format for PTX (Dartagnan's litmus/PTX): what
 * read_litmus.c and litmus_cell.c share. Not for others.
 *
 * The grammar:  PTX name "text"* { inits } row* filter? condition
 *   init  x = 1 | P0:r1 = 0 | t @ texture aliases x
 *   row   cell (| cell)* ;      the first: P0@cta 0,gpu 0
 * Registers are r0, r1, ...; every other name is a location.
 */
#ifndef LITMUS_H
#define LITMUS_H

#include "gen.h"

enum token_kind {
	TOKEN_END,
	TOKEN_WORD, /* letters, digits, _ */
	TOKEN_NUMBER,
	TOKEN_STRING, /* without its quotes; may span lines */
	TOKEN_PUNCT, /* one character */
};

struct token {
	enum token_kind kind;
	const char *s;
	size_t n;
	struct loc loc;
};

/* A branch whose label may stand further down. */
struct litmus_jump {
	int insn;
	struct token label;
	struct litmus_jump *next;
};

struct litmus_thread {
	int ninsns_room, nlabels_room, nregs_room;
	int npredicates;
	struct litmus_jump *jumps;
};

/* Registers are given before the threads are: kept until then. */
struct reg_init {
	int thread;
	struct token thread_token, reg;
	int64_t value;
	struct reg_init *next;
};

struct litmus {
	struct arena *arena;
	struct errs *errs;
	struct program *p;
	const char *s, *end; /* behind the token */
	struct loc loc; /* of *s */
	struct token token; /* the one to be taken next */
	bool declared[VARS_MAX]; /* has stood in the init section */
	struct reg_init *inits, **last_init;
	struct litmus_thread threads[THREADS_MAX];
};

/* litmus_token.c */
void litmus_next(struct litmus *l);
/* Names hold what is no word: the text from behind the token up to the
   line's end, '{' or '"'. */
const char *litmus_line(struct litmus *l);
/* Leaves the token at one of the characters, or at the end. */
void litmus_recover(struct litmus *l, const char *stops);
bool litmus_is(const struct litmus *l, const char *text);
bool litmus_take(struct litmus *l, const char *text); /* if it is next */
/* Records an error at the token: "expected WHAT, found 'token'". */
bool litmus_expected(struct litmus *l, const char *what);
bool litmus_error(struct litmus *l, enum err_code code, struct loc loc,
    const char *message);
bool litmus_value(struct litmus *l, int64_t *value); /* of 32 bits */
bool litmus_id(struct litmus *l, const char *what, int *id); /* 16 bits */
bool token_is(const struct token *t, const char *text);
bool token_is_register(const struct token *t);
/* "P12", or "12" as in conditions. */
bool token_thread(const struct token *t, int *thread);

/* litmus_init.c; both make what is new, and return -1 beyond the bounds */
int litmus_var(struct litmus *l, const struct token *t);
int litmus_reg(struct litmus *l, int thread, const struct token *t);
bool litmus_inits(struct litmus *l);
bool litmus_place_inits(struct litmus *l);

/* litmus_cell.c */
bool litmus_cell(struct litmus *l, int thread); /* up to its '|' or ';' */
bool litmus_resolve(struct litmus *l, int thread); /* labels of branches */

#endif
