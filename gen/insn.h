/*
 * The vocabulary of PTX, and one instruction of it.
 */
#ifndef INSN_H
#define INSN_H

#include "base.h"

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
bool operand_has(const struct operand *o, int reg); /* names the register */
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

/* async.c */
bool insn_is_copy(const struct insn *insn);
bool insn_is_wait(const struct insn *insn); /* for a phase of an mbarrier */

#endif
