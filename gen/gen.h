/*
 * gen: from text to a checked program, and from a program to PTX.
 *
 * Ownership: everything here is allocated in the arena handed in and lives
 * as long as it; nothing is freed singly. Functions that can fail return
 * bool, fill *err (or *errs) and leave their outputs untouched.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- places, errors, memory ------------------------------------------ */

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

/* ---- the vocabulary of PTX ------------------------------------------- */

enum sem {
	SEM_WEAK,
	SEM_RELAXED,
	SEM_ACQUIRE,
	SEM_RELEASE,
	SEM_ACQ_REL,
	SEM_SC,
	SEM_VOLATILE, /* the model reads it as relaxed.sys */
	SEM_MMIO, /* and this too */
};

enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

enum space {
	SPACE_GENERIC,
	SPACE_GLOBAL,
	SPACE_SHARED, /* .shared and .shared::cta */
	SPACE_SHARED_CLUSTER,
	SPACE_CONST,
	SPACE_LOCAL,
	SPACE_PARAM,
};

enum proxy {
	PROXY_GENERIC,
	PROXY_TEXTURE,
	PROXY_SURFACE,
	PROXY_CONSTANT,
	PROXY_ALIAS, /* fence.proxy.alias only */
	PROXY_ASYNC,
};

enum type {
	TYPE_NONE,
	TYPE_PRED,
	TYPE_B8, TYPE_U8, TYPE_S8,
	TYPE_B16, TYPE_U16, TYPE_S16,
	TYPE_B32, TYPE_U32, TYPE_S32, TYPE_F32,
	TYPE_B64, TYPE_U64, TYPE_S64, TYPE_F64,
};

/* Cache operators are hints (PTX ISA: no effect on consistency). */
enum cache {
	CACHE_NONE,
	CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV,
	CACHE_WB, CACHE_WT,
};

/* .L1:: eviction priorities. */
enum evict {
	EVICT_NONE,
	EVICT_NORMAL, EVICT_UNCHANGED, EVICT_FIRST, EVICT_LAST,
	EVICT_NO_ALLOCATE,
};

/* The operation of atom, red, bar.red and vote. */
enum rmw {
	RMW_NONE,
	RMW_ADD, RMW_EXCH, RMW_CAS, RMW_MIN, RMW_MAX,
	RMW_AND, RMW_OR, RMW_XOR, RMW_INC, RMW_DEC, RMW_POPC,
};

/* setp comparisons. */
enum cmp {
	CMP_NONE,
	CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE,
	CMP_LO, CMP_LS, CMP_HI, CMP_HS,
	CMP_LEU, CMP_NAN, /* f32: not greater; not ordered */
};

/* mul, mad: .lo .hi .wide; shfl and vote: mode. */
enum mode {
	MODE_NONE,
	MODE_LO, MODE_HI, MODE_WIDE,
	MODE_UP, MODE_DOWN, MODE_BFLY, MODE_IDX,
	MODE_ALL, MODE_ANY, MODE_UNI, MODE_BALLOT,
	MODE_L1, MODE_L2, /* prefetch */
	MODE_RN, /* cvt: to the nearest */
	MODE_PARITY, /* mbarrier waits */
};

/* How an asynchronous copy says that it is complete. */
enum complete {
	COMPLETE_NONE, /* cp.async: by the groups of its thread */
	COMPLETE_MBARRIER, /* counts its bytes on an mbarrier */
	COMPLETE_GROUP, /* by the bulk groups of its thread */
};

/* One enumerator a row of ops.def: OP_LD, OP_ST, ... */
enum op_id {
	OP_NONE,
#define OP(id, ...) OP_##id,
#include "ops.def"
#undef OP
	OP_COUNT,
};

/* What an instruction is to the memory model. */
enum op_class {
	CLASS_ALU, /* registers only */
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_RMW, /* atom: read and write, has a destination */
	CLASS_RED, /* red: no destination */
	CLASS_FENCE,
	CLASS_PROXY_FENCE,
	CLASS_BARRIER, /* CTA barrier */
	CLASS_CLUSTER_BARRIER,
	CLASS_MBARRIER,
	CLASS_ASYNC, /* asynchronous copies, their groups and waits */
	CLASS_WARP, /* bar.warp.sync, shfl, vote: all named lanes */
	CLASS_BRANCH,
	CLASS_EXIT,
	CLASS_TRAP,
	CLASS_NONE, /* nanosleep, prefetch: no event */
};

enum op_flags {
	OP_TEST = 1, /* allowed in a test */
	OP_HARNESS = 2, /* used by the emitter's harness (and by sim) */
	OP_DIALECT = 4, /* only in the .litmus dialect; not real PTX */
};

/* One row of the instruction table (ops.def, made by ptx.c). */
struct op {
	enum op_id id;
	const char *mnemonic; /* "ld", "bar.sync", "barrier.cluster.arrive" */
	enum op_class class;
	uint64_t quals; /* the groups and types of ops.def */
	const char *operands; /* pattern, see ops.def */
	int ptx; /* lowest PTX version, 10 * major + minor (86 = 8.6) */
	int sm; /* lowest target */
	unsigned flags;
};

/* ---- programs --------------------------------------------------------- */

enum operand_kind {
	OPERAND_NONE,
	OPERAND_REG,
	OPERAND_IMM,
	OPERAND_ADDR, /* [var+off], [reg+off], or [imm] */
	OPERAND_VAR, /* a variable's name as a value (mov, cvta) */
	OPERAND_LABEL,
	OPERAND_SPECIAL, /* %tid.x and the like; sim only */
	OPERAND_VEC, /* {r0, r1, ...} */
	OPERAND_SINK, /* _: a result that nobody wants */
};

#define VEC_MAX 8

struct operand {
	enum operand_kind kind;
	struct loc loc;
	int reg; /* REG; ADDR: base register; else -1 */
	int var; /* ADDR, VAR: index into vars; else -1 */
	int special; /* SPECIAL: which, see sim */
	int64_t imm; /* IMM; ADDR: byte offset; LABEL: target insn index */
	int nvec; /* VEC */
	int vec[VEC_MAX]; /* VEC: registers */
	bool negated; /* REG of a predicate: !p */
};

#define OPERANDS_MAX 6

/*
 * One instruction, decoded. Destination operands come first, as in PTX.
 * ops[] of the common classes:
 *   ld     d, [a]          st   [a], b
 *   atom   d, [a], b(, c)  red  [a], b      (c: the new value of cas)
 *   bar    barrier(, count)      bra  label
 *   setp   p, a, b         selp d, a, b, p
 *   cp     [to], [from], size(, [mbarrier])
 * Barrier operands of the .litmus dialect (I, R, Q) stand in that order.
 */
struct insn {
	struct loc loc;
	const struct op *op;
	enum sem sem; /* as written, or PTX's default (atom: relaxed) */
	enum scope scope; /* as written, or PTX's default (atom: gpu) */
	enum space space;
	enum proxy proxy; /* of the access, or of a fence.proxy */
	enum type type;
	enum type type2; /* cvt source */
	enum cache cache;
	enum evict evict;
	enum rmw rmw;
	enum cmp cmp;
	enum mode mode;
	bool nc; /* ld.global.nc */
	bool aligned; /* barrier ... .aligned; bar.* always */
	bool sync_restrict; /* fence....sync_restrict::... */
	bool mbarrier_init; /* fence.mbarrier_init */
	enum space from; /* of a copy's source; its target is in .space */
	enum complete complete; /* of a bulk copy */
	bool reads; /* ...wait_group.read */
	bool noinc; /* cp.async.mbarrier.arrive.noinc */
	int vec; /* elements of a vector access: 1, 2, 4, 8 */
	int guard; /* predicate register, -1 = unconditional */
	bool guard_negated;
	struct operand ops[OPERANDS_MAX];
	int nops;
};

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

/* ---- environments and the emitted kernels ---------------------------- */

/* How roles (the test's threads) are laid over the machine's threads. */
enum layout {
	LAYOUT_SPLIT, /* a role a CTA, warp or lane, as the placement says */
	LAYOUT_ALL, /* every thread all roles, on different instances */
};

enum align { ALIGN_NONE, ALIGN_PAIR, ALIGN_GROUP };

enum tally_kind {
	TALLY_SEPARATE, /* roles write results, the tally kernel reads them */
	TALLY_FUSED, /* the only role that sees anything counts by itself */
};

enum values {
	VALUES_PLAIN, /* as written; memory is reset after each launch */
	VALUES_EPOCH, /* stored values carry the launch number; no reset */
};

enum stress {
	STRESS_NONE,
	STRESS_LOAD, STRESS_STORE, STRESS_LOAD_STORE, STRESS_ATOMIC,
};

/*
 * How a launch is shaped and disturbed. One list makes the struct, the
 * reader, the range checks and the help: see env.def. 0 in a numeric
 * field means "the planner's choice".
 */
struct env {
	const char *name;
#define ENV(type, field, low, high, fallback, names, help) type field;
#include "env.def"
#undef ENV
};

/* What the planner needs to know of a device. */
struct caps {
	int sm; /* 90 */
	int ptx; /* highest PTX version its assembler takes, 90 = 9.0 */
	int processors; /* SMs */
	int max_threads; /* a CTA */
	int max_resident_threads; /* an SM */
	size_t shared_cta; /* bytes of static shared memory a CTA may have */
	size_t l2, memory; /* bytes */
	int max_cluster;
	bool sim; /* the planner keeps launches small */
};

enum param_kind {
	PARAM_VAR, /* address of a variable's region; index = var */
	PARAM_RESULT, /* address of a thread's result bytes; index = thread */
	PARAM_BINS, /* address of the uint64 bins */
	PARAM_SCRATCH, /* address of the stress region */
	PARAM_EPOCH, /* address of EPOCH_BYTES, which init sets and the
		kernels keep: the launch number in forms they need */
	PARAM_DRAW, /* 32-bit number drawn anew for each launch; index = its
		draw_id (+ thread) */
	PARAM_U32, /* constant, .value */
	PARAM_U64,
};

/* The numbers that a launch may draw anew. */
enum draw_id {
	DRAW_TURN, /* 16: thread's instances in a CTA: i -> turn * i + move */
	DRAW_MOVE = DRAW_TURN + 16,
	DRAW_SHUFFLE_TURN = DRAW_MOVE + 16, /* the same for the CTAs */
	DRAW_SHUFFLE_MOVE,
	DRAW_SEED, /* of delays and stress */
	DRAW_COUNT,
};

#define PARAMS_MAX 128
#define EPOCH_BYTES 64

struct param {
	enum param_kind kind;
	int index;
	uint64_t value;
	/* DRAW: drawn from [0, bound); coprime to bound if .coprime */
	uint32_t bound;
	bool coprime;
	const char *name; /* as in the PTX */
};

/* One kernel of a plan and how to launch it. */
struct kernel {
	const char *name;
	uint32_t grid, block, cluster; /* one-dimensional; cluster 0 = none;
		grid 0: nothing to do, leave the launch out */
	uint32_t shared; /* dynamic shared bytes */
	/* for the software machine, which runs such sets side by side:
	   consecutive CTAs that share writable memory (but for red on the
	   bins) only with each other, a divisor of grid; 0: any may share */
	uint32_t together;
	bool harness; /* holds no tested instruction (init, tally) */
	struct param params[PARAMS_MAX]; /* in order; 8-byte slots for
		addresses and U64, which come first, 4-byte for the rest */
	int nparams;
};

/* Where the tally kernel counts before it adds to the bins. */
enum counters {
	COUNTERS_COLUMNS, /* shared memory, a column a thread */
	COUNTERS_SHARED, /* shared memory, a counter a bin */
	COUNTERS_GLOBAL, /* the bins themselves */
};

/* Where a thread of the test is put. */
struct place {
	int unit; /* which of a group's clusters; CTAs, if there are none */
	int rank; /* CTA in the cluster, else 0 */
	int slot; /* warp in a set of warps that runs an instance */
	int lane; /* in a set of lanes that runs an instance */
};

/*
 * Where the copies of a variable lie: element e of instance i is at
 * region + offset + i * stride + e * size, in shared memory (region -1) at
 * the start of the CTA's array + i * stride + e * size, with i counted
 * inside the group.
 */
struct spot {
	int region; /* the variable whose PARAM_VAR it is in */
	uint32_t offset, stride;
};

/* Who says what a slot of the outcome held, and how. */
struct report {
	int thread; /* in the thread's result; -1: tally reads memory */
	uint32_t step; /* what the next value in slot.values adds to the
		outcome code; a result is the sum over its slots */
	int var, elem; /* the value was stored with the launch number in it,
		here; var -1: it is as written */
};

/*
 * Everything about one launch of one test under one environment. The test
 * kernel runs the instances; the tally kernel turns results and final
 * memory into bins, resets memory where the values are plain, and steps
 * the epoch; init sets all memory but the bins before the first launch,
 * and again whenever a launch did not end. bins[]: noutcomes counts in
 * outcome-code order, then OTHER, then HANG; they add up to the instances
 * launched.
 */
struct plan {
	const struct program *program;
	struct env env; /* with the planner's choices filled in */
	uint64_t instances; /* a launch: repeat * groups * per_group */
	uint32_t groups; /* sets of CTAs that run instances together */
	uint32_t per_group; /* instances in each at a time */
	size_t var_bytes[VARS_MAX]; /* region of each GLOBAL variable; 0: it
		has none (SHARED, aliases, or inside the region of another) */
	size_t result_bytes[THREADS_MAX]; /* 0: the thread reports nothing */
	size_t scratch_bytes;
	uint32_t nbins; /* noutcomes + 2 */
	struct kernel init; /* fills the regions before the first launch */
	struct kernel test;
	struct kernel tally;
	int ptx, sm; /* .version and .target of the text */

	/* the maps, for the emitter and for those who check it */
	uint32_t working; /* CTAs with roles; test.grid - working stress */
	int units, ranks; /* CTAs of a group: units * ranks */
	int slots, lanes; /* of a set of warps; lanes is a power of two */
	struct place place[THREADS_MAX];
	struct spot spot[VARS_MAX];
	struct report report[SLOTS_MAX];
	bool epoch[VARS_MAX]; /* stores to it carry the launch number */
	int epoch_shift; /* ... times 2^this */
	int result_size; /* bytes an instance in a result region: 1, 2, 4 */
	size_t align_offset, stress_offset; /* in the scratch region */
	int barrier; /* CTA barrier that no instruction of the test uses */
	int await; /* turns that a start alignment waits at most */
	int tally_width; /* instances a tally thread takes at once */
	enum counters counters; /* of the tally */
};

/* Deliberate harness faults, for the tests of the tester. */
enum sabotage {
	SABOTAGE_NONE,
	SABOTAGE_LOSE_STORE,
	SABOTAGE_SWAP_ROLES,
	SABOTAGE_BAD_MAP, /* two instances share one index */
	SABOTAGE_LOSE_RESULT,
};

/* ---- prototypes ------------------------------------------------------- */

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

/* names.c: the spelling of every enumerator, from names.def; no dots */
const char *sem_name(enum sem s);
const char *scope_name(enum scope s);
const char *space_name(enum space s);
const char *type_name(enum type t);
const char *proxy_name(enum proxy p);
const char *rmw_name(enum rmw r);
const char *cmp_name(enum cmp c);
const char *mode_name(enum mode m);
const char *cache_name(enum cache c);
const char *evict_name(enum evict e);
const char *expect_name(enum expect e);
const char *quantifier_name(enum quantifier q);
int type_size(enum type t); /* bytes; PRED 1, NONE 0 */
bool type_signed(enum type t);

/*
 * ptx.c: one PTX instruction.
 * The names in an instruction are resolved by the caller's symbols: a
 * lookup returns an index or -1; `reg` may create (tests declare registers
 * by use).
 */
struct symbols {
	void *user;
	int (*reg)(void *user, const char *name, size_t n, struct loc loc);
	int (*var)(void *user, const char *name, size_t n);
	int (*special)(void *user, const char *name, size_t n);
	unsigned flags; /* which rows: OP_TEST, OP_HARNESS, OP_DIALECT */
};
extern const struct op ops_table[OP_COUNT];
/*
 * Parses the instruction at *s (up to and including its ';'), which starts
 * at `loc`, and moves *s past it. Labels of branches are left by name in
 * label_name[] for the caller to resolve, in ops[].imm as -1.
 */
bool ptx_parse(const char **s, struct loc *loc, const struct symbols *symbols,
    struct arena *a, struct insn *insn, const char **label_name,
    struct err *err);
/*
 * Writes an instruction in canonical form, without the ';'. `name` gives
 * the spelling of registers and variables; an immediate whose operand index
 * is in the bit set `replace` is spelled by name->imm.
 */
struct spelling {
	void *user;
	const char *(*reg)(void *user, int reg);
	const char *(*var)(void *user, int var);
	const char *(*label)(void *user, int insn);
	const char *(*imm)(void *user, int operand, int64_t imm);
	const char *(*special)(void *user, int special); /* may be NULL */
	unsigned replace;
};
void ptx_print(struct text *t, const struct insn *insn,
    const struct spelling *spelling);
/* The same with the program's own names. */
void insn_print(struct text *t, const struct program *p, int thread,
    const struct insn *insn);
/*
 * Parses only the opcode: mnemonic and qualifiers, up to the blank before
 * the operands, and checks it. For readers whose operands look different.
 */
bool ptx_opcode(const char **s, struct loc *loc, unsigned flags,
    struct insn *insn, struct err *err);
/* Lowest PTX version and target of an instruction with its qualifiers. */
void insn_needs(const struct insn *insn, int *ptx, int *sm);

/* alu.c: what the operands of an instruction are, and its arithmetic, for
   everyone who executes instructions (domain, model, sim) */
enum role {
	ROLE_NONE, /* label, address, variable */
	ROLE_WRITE, /* register(s) written */
	ROLE_READ, /* register(s), immediate or special read */
};
enum role operand_role(const struct insn *insn, int operand);
/* Bytes that an address operand is about, and its state space. */
int operand_bytes(const struct insn *insn, int operand);
enum space operand_space(const struct insn *insn, int operand);
/* As what type: of the instruction, or PRED, or twice as wide (.wide). */
enum type operand_type(const struct insn *insn, int operand);
/* v cut to t's size; sign_extend: and extended to 64 bits if t is signed */
uint64_t value_cut(uint64_t v, enum type t);
int64_t value_signed(uint64_t v, enum type t);
/*
 * The result of a pure register instruction (mov, add ... selp, cvt, setp:
 * 0 or 1), cut to its type. in[] are the values of ops[1], ops[2], ...
 * False if it has none (not pure, or division by zero).
 */
bool alu_apply(const struct insn *insn, const uint64_t *in, uint64_t *out);
/* The value a read-modify-write leaves: b operand, c the new value of cas.
   An equal result of a failed cas is the caller's business. */
uint64_t rmw_apply(enum rmw rmw, enum type type, uint64_t old, uint64_t b,
    uint64_t c);

/* mbarrier.c: an mbarrier object as a word, for everyone who executes */
#define MBARRIER_COUNT_MAX ((1 << 20) - 1) /* of arrivals, and of bytes */
uint64_t mbarrier_word(uint64_t count); /* newly initialised */
bool mbarrier_valid(uint64_t word); /* is there one? */
/* After so many arrivals and so many more bytes to come (or fewer). */
uint64_t mbarrier_add(uint64_t word, uint64_t arrivals, int64_t bytes);
/* The instruction (not init) with its count or bytes; 1 if it has none. */
uint64_t mbarrier_apply(const struct insn *insn, uint64_t word, uint64_t n);
void mbarrier_print(struct text *t, uint64_t word); /* "phase 1, ..." */
/* Is the phase over? `state`: what an arrival found, or a phase's parity. */
bool mbarrier_done(uint64_t word, uint64_t state, bool parity);

/* async.c: what asynchronous instructions must satisfy in a program */
bool async_check(struct program *p, struct errs *errs);
bool insn_is_copy(const struct insn *insn);

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
   locations, registers from their uses. Readers call it before they read conditions,
   whose slots have the registers' sizes. */
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

/* env.c */
void env_default(struct env *e);
bool env_set(struct env *e, const char *field, const char *value,
    struct err *err);
bool env_read(const struct source *source, struct arena *a,
    struct env **envs, int *count, struct errs *errs); /* YAML */
bool env_check(const struct env *e, struct err *err);
void env_print(struct text *t, const struct env *e); /* YAML flow map */
/* Seeded draw of an environment that suits the program on the device. */
void env_draw(const struct program *p, const struct caps *caps,
    struct draw *d, struct env *e);

/* plan.c */
/* What the environment asks for and the test does not permit (layout all
   with barriers, epoch values with atomics, ...) is left out, and said so
   in plan->env. ERR_UNSUPPORTED: cannot run on this device. */
bool plan_make(const struct program *p, const struct env *e,
    const struct caps *caps, struct arena *a, struct plan *plan,
    struct err *err);
/*
 * The instance that thread `tid` of CTA `cta` runs as `thread` of the test
 * in turn `turn`, or UINT64_MAX if it plays another role. The map that the
 * emitted code computes, said in C; draws[] by id.
 */
uint64_t plan_instance(const struct plan *plan, const uint32_t *draws,
    int thread, uint32_t cta, uint32_t tid, uint32_t turn);

/* Does the tally reset the variable after each launch? */
bool plan_resets_var(const struct plan *plan, int var);

/* emit.c: the module's PTX; deterministic in (program, env, caps).
   Line 1000 * (n + 1) + i of its line table is instruction i of thread n. */
#define EMIT_LINE_HARNESS 1
#define EMIT_LINE_STRESS 2
const char *emit_ptx(const struct plan *plan, enum sabotage sabotage,
    struct arena *a);

#endif
