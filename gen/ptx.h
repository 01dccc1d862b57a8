/* Private to gen: the tables of instructions, and reading PTX text. */
#ifndef PTX_H
#define PTX_H

#include "gen.h"

enum group_id {
#define GROUP(id, ...) GROUP_##id,
#include "quals.def"
	GROUP_COUNT,
};

struct group {
	const char *label;
	size_t offset, size; /* of its field in struct insn */
	bool required;
};

struct qual {
	enum group_id group;
	const char *spelling;
	int value, ptx, sm;
	unsigned flags;
};

/* struct op.quals: a bit a group, and from bit 48 one a type. */
#define GROUP_BIT(g) ((uint64_t)1 << (g))
#define TYPE_BIT(t) ((uint64_t)1 << (48 + (t)))

/* What a row of ops.def may name. */
#define Q(group) GROUP_BIT(GROUP_##group)
#define T(type) TYPE_BIT(TYPE_##type)
#define TYPES_8 (T(B8) | T(U8) | T(S8))
#define TYPES_BITS (T(B16) | T(B32) | T(B64))
#define TYPES_SIGNED (T(S16) | T(S32) | T(S64))
#define TYPES_INT (T(U16) | T(U32) | T(U64) | TYPES_SIGNED)
#define TYPES_WORD (TYPES_BITS | TYPES_INT)
#define TYPES_MEM (TYPES_WORD | TYPES_8)
#define TYPES_LOGIC (TYPES_BITS | T(PRED))
#define TYPES_B32_B64 (T(B32) | T(B64))
#define TYPES_ATOM \
	(TYPES_BITS | T(U32) | T(S32) | T(U64) | T(S64) | T(F32))
#define TYPES_CVT (TYPES_INT | T(U8) | T(S8))

/* A text being read and the place reached. */
struct cursor {
	const char *s;
	struct loc loc;
};

/* ptx.c */
extern const struct group groups_table[GROUP_COUNT];
extern const struct qual quals_table[];
extern const size_t quals_count;
bool op_has(const struct op *op, enum group_id group);
/* The qualifier of that group the instruction carries, or NULL. */
const struct qual *insn_qual(const struct insn *insn, enum group_id group);
bool opcode_parse(struct cursor *c, unsigned flags, struct insn *insn,
    struct err *err);

/* rules.c: `seen` are the groups written, at `places` */
bool rules_check(const struct insn *insn, unsigned flags, uint64_t seen,
    const struct loc *places, struct loc loc, struct err *err);
/* The same once defaults are filled in from the location. */
bool insn_rules(const struct insn *insn, struct err *err);

/* cursor.c */
void cursor_advance(struct cursor *c, size_t n);
void cursor_skip(struct cursor *c); /* blanks and comments */
bool cursor_expect(struct cursor *c, char ch, const char *where,
    struct err *err);
size_t name_length(const char *s); /* 0 if none starts at s */
bool number_starts(const char *s);
bool number_parse(struct cursor *c, int64_t *value, struct err *err);

/* operand.c */
/* The letter of ops.def for an operand; 0 beyond the last. */
char operand_letter(const struct insn *insn, int operand);
bool immediate_check(const struct insn *insn, int operand, struct err *err);
bool guard_parse(struct cursor *c, const struct symbols *symbols,
    bool *negated, int *guard, struct err *err);
bool operands_parse(struct cursor *c, const struct symbols *symbols,
    struct arena *a, struct insn *insn, const char **label_name,
    struct err *err);

#endif
