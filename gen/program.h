/*
 * Programs: a test as it was read and checked, and the ways from text and
 * back.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "insn.h"

struct label {
	const char *name;
	struct loc loc;
	int insn; /* index of the instruction it stands before */
};

struct reg {
	const char *name;
	enum type type; /* widest use; TYPE_B32 if never typed */
	uint64_t init;
	struct loc loc;
};

#define WARP_ANY (-1)
#define LANE_ANY (-1)

struct thread {
	struct loc loc;
	int gpu, cluster, cta; /* cta ids are unique in the whole test */
	int warp; /* inside its CTA, or WARP_ANY */
	struct reg *regs;
	int nregs;
	struct insn *insns;
	int ninsns;
	struct label *labels;
	int nlabels;
	int *warm; /* variables loaded into L1 beforehand */
	int nwarm;
};

/* Where a variable lies relative to the others. */
enum line {
	LINE_ANY, /* the environment decides */
	LINE_SAME, /* in the 128-byte line of .near */
	LINE_OTHER, /* not in that line */
};

/*
 * A memory location, or an array of them. Each instance of the test has
 * its own copy.
 */
struct var {
	const char *name;
	struct loc loc;
	enum type type; /* of an element */
	int size; /* bytes of an element: 1, 2, 4, 8 */
	int count; /* elements, >= 1 */
	uint64_t *init; /* count values */
	enum space space; /* GLOBAL or SHARED */
	int cta; /* SHARED: the CTA that owns it; GLOBAL: -1 */
	int align; /* bytes, >= size */
	enum line line;
	int near; /* for LINE_SAME and LINE_OTHER; else -1 */
	int alias_of; /* variable it shares memory with, or -1 */
	enum proxy proxy; /* dialect: t @ texture aliases x */
	bool mbarrier; /* holds one: an opaque object */
	int arrivals; /* that the mbarrier was set up for before the test;
		0: it was not */
};

/* Condition language: C operators over slots. */
enum cond_op {
	COND_CONST,
	COND_SLOT,
	COND_NOT, COND_NEG, COND_BITNOT,
	COND_AND, COND_OR,
	COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE,
	COND_ADD, COND_SUB, COND_MUL, COND_BAND, COND_BOR, COND_BXOR,
	COND_SHL, COND_SHR,
};

struct cond {
	enum cond_op op;
	struct loc loc;
	int64_t value; /* CONST; SLOT: bits to sign-extend from, or 0 */
	int slot; /* SLOT */
	const struct cond *a, *b;
};

enum quantifier { QUANT_EXISTS, QUANT_NEVER, QUANT_FORALL };
enum expect { EXPECT_NONE, EXPECT_ALLOWED, EXPECT_FORBIDDEN };

/*
 * One observed thing: a register at its thread's end, or an element of
 * memory at the end of the test. values[] is every value that any store
 * of the test could leave there, ascending: the "known set". A hardware
 * value outside it is corrupt.
 */
struct slot {
	const char *name; /* "1:r0", "[x]", "[a+4]" */
	int thread; /* register slot; -1 for memory */
	int reg;
	int var; /* memory slot; -1 for a register */
	int elem; /* element of var */
	int size; /* bytes */
	uint64_t *values;
	int nvalues;
};

#define THREADS_MAX 16
#define INSNS_MAX 256 /* a thread */
#define VARS_MAX 32
#define SLOTS_MAX 16
#define SLOT_VALUES_MAX 64
#define OUTCOMES_MAX 65536 /* product of nvalues over the slots */

enum dialect { DIALECT_PTX, DIALECT_LITMUS };

/* One variant of one test, checked. */
struct program {
	const char *name; /* stable: "MP+volatile" */
	const char *family; /* the base name: "MP" */
	const char *variant; /* "volatile", or "" */
	const char *about;
	struct loc loc;
	enum dialect dialect;
	uint64_t hash; /* xxh64 of the canonical text */
	struct var *vars;
	int nvars;
	struct thread *threads;
	int nthreads;
	enum quantifier quant;
	const struct cond *cond;
	const char *cond_text; /* as printed in histograms */
	struct cond const *filter; /* .litmus filter clause, or NULL */
	enum expect expect; /* of the states the condition is about */
	struct loc expect_loc;
	bool hangs; /* has a backward branch or a barrier */
	struct slot *slots; /* observed: the outcome vector */
	int nslots;
	uint32_t noutcomes; /* product of slots[].nvalues */
	int ptx, sm; /* lowest that the instructions need */
	const char **tags;
	int ntags;
};

struct suite {
	struct program *programs;
	int count;
};

/* names.c */
const char *expect_name(enum expect e);
const char *quantifier_name(enum quantifier q);

/* ptx.c */
/* The same with the program's own names. */
void insn_print(struct text *t, const struct program *p, int thread,
    const struct insn *insn);

/* async.c: what asynchronous instructions must satisfy in a program */
bool async_check(struct program *p, struct errs *errs);

/* cond.c */
bool cond_parse(const char *s, struct loc loc, struct program *p,
    struct arena *a, enum quantifier *quant, const struct cond **cond,
    struct err *err); /* adds slots for what it names */
int64_t cond_eval(const struct cond *c, const uint64_t *values); /* a slot */
void cond_print(struct text *t, const struct program *p,
    const struct cond *c);
/* True for the states the test is about: those that satisfy exists/never,
   those that violate forall. */
bool program_is_target(const struct program *p, const uint64_t *values);

/* liveness.c: registers whose value matters, a bit each, before each
   instruction and at the end; a slot's register matters at the end */
uint64_t *thread_liveness(const struct program *p, int thread,
    struct arena *a);
bool insn_in_loop(const struct thread *t, int index);
/* domain.c: fills slots[].values, noutcomes. ERR_LIMIT if too many. */
bool program_domains(struct program *p, struct arena *a, struct err *err);
uint32_t outcome_code(const struct program *p, const uint64_t *values);
	/* UINT32_MAX if a value is outside its known set */
void outcome_values(const struct program *p, uint32_t code,
    uint64_t *values);
/* The made-up address that a variable's name has as a value in analyses
   (`mov.u64 r, x`), and back: false if it points to no variable. */
uint64_t var_address(const struct program *p, int var);
bool address_find(const struct program *p, uint64_t address, int *var,
    int64_t *offset);

/* check.c: what a program must satisfy, whichever reader made it; computes
   ptx, sm, hangs, register types, the domains and the hash */
bool program_check(struct program *p, struct arena *a, struct errs *errs);
/* types.c, its first step: accesses take types and spaces from their
   locations, registers from their uses. Readers call it before they read
   conditions, whose slots have the registers' sizes. */
bool program_types(struct program *p, struct errs *errs);

/* read.c, read_litmus.c: append the programs of a file to the suite */
bool read_yaml(const struct source *source, struct arena *a,
    struct suite *suite, struct errs *errs);
bool read_litmus(const struct source *source, struct arena *a,
    struct suite *suite, struct errs *errs);
/* by the name's ending */
bool read_any(const struct source *source, struct arena *a,
    struct suite *suite, struct errs *errs);

/* cycle.c, cycle_text.c: tests from cycles of relations, as diy has them */
struct cycle_opts {
	const char *strength; /* of accesses; NULL: "relaxed.gpu" */
	const char *place; /* diff, same, cluster, gpus, or CTAs of the threads
		("0,0,1"; with GPUs "0:0,1:1"); NULL: diff */
};
/* Appends the test that `edges` ("PodWW Rfe PodRR Fre") describes. */
bool cycle_yaml(struct text *t, const char *edges,
    const struct cycle_opts *opts, struct err *err);
/* All critical cycles of 2 to `threads` threads (at most 4 is quick). */
const char *const *cycle_shapes(int threads, struct arena *a, int *count);

/* write_yaml.c, write_litmus.c: the same program as text that the reader
   takes back */
void write_yaml(struct text *t, const struct program *p);
/* What the program's hash covers: all that is run and asked, but neither
   name, place, nor expectation. */
void program_body(struct text *t, const struct program *p);
bool write_litmus(struct text *t, const struct program *p, struct err *err);

#endif
