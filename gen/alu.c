/* What operands are, and what the register instructions compute. */
#include "ptx.h"

#include <string.h>

enum role
operand_role(const struct insn *insn, int operand)
{
	switch (operand_letter(insn, operand)) {
	case 'o':
		return insn->ops[operand].kind == OPERAND_SINK ? ROLE_NONE :
		    ROLE_WRITE;
	case 'd':
	case 'p':
	case '|':
		return ROLE_WRITE;
	case 's':
	case 'q':
	case 'm':
		return insn->ops[operand].kind == OPERAND_VAR ? ROLE_NONE :
		    ROLE_READ;
	default:
		return ROLE_NONE;
	}
}

bool
operand_has(const struct operand *o, int reg)
{
	int i;

	for (i = 0; o->kind == OPERAND_VEC && i < o->nvec; i++)
		if (o->vec[i] == reg)
			return true;
	return (o->kind == OPERAND_REG || o->kind == OPERAND_ADDR) &&
	    o->reg == reg;
}

/* The type that .wide multiplication gives. */
static enum type
widened(enum type t)
{
	static const enum type wide[] = {
		[TYPE_U16] = TYPE_U32, [TYPE_S16] = TYPE_S32,
		[TYPE_U32] = TYPE_U64, [TYPE_S32] = TYPE_S64,
		[TYPE_U64] = TYPE_U64, [TYPE_S64] = TYPE_S64,
	};

	return wide[t];
}

/* Operands that do not have the instruction's type. */
static enum type
special_type(const struct insn *insn, int operand)
{
	switch (insn->op->id) {
	case OP_MUL:
		return insn->mode == MODE_WIDE && operand == 0 ?
		    widened(insn->type) : insn->type;
	case OP_MAD:
		return insn->mode == MODE_WIDE && operand % 3 == 0 ?
		    widened(insn->type) : insn->type;
	case OP_CVT:
		return operand == 0 ? insn->type : insn->type2;
	case OP_SHL:
	case OP_SHR:
		return operand == 2 ? TYPE_U32 : insn->type;
	case OP_BFI:
		return operand >= 3 ? TYPE_U32 : insn->type;
	case OP_POPC:
		return operand == 0 ? TYPE_U32 : insn->type;
	case OP_MBARRIER_INIT:
	case OP_MBARRIER_EXPECT_TX:
	case OP_CP_ASYNC:
	case OP_CP_WAIT:
	case OP_BULK:
	case OP_BULK_WAIT:
		return TYPE_U32;
	case OP_MBARRIER_ARRIVE:
	case OP_MBARRIER_ARRIVE_TX:
		return operand == 0 ? insn->type : TYPE_U32;
	case OP_MBARRIER_TEST:
	case OP_MBARRIER_TRY:
		return insn->mode == MODE_PARITY || operand > 2 ? TYPE_U32 :
		    insn->type;
	case OP_MAPA:
		return operand == 2 ? TYPE_U32 : insn->type;
	case OP_MATCH:
	case OP_MATCH_ALL:
		return operand == 0 || operand == insn->nops - 1 ? TYPE_B32 :
		    insn->type;
	case OP_VOTE:
		return operand == insn->nops - 1 ? TYPE_B32 : insn->type;
	default:
		break;
	}
	/* barrier numbers and counts, lane masks */
	if (insn->op->class == CLASS_BARRIER && operand > 0 &&
	    insn->type == TYPE_PRED)
		return TYPE_U32;
	return insn->type == TYPE_NONE && (insn->op->class == CLASS_BARRIER ||
	    insn->op->class == CLASS_WARP) ? TYPE_U32 : insn->type;
}

enum type
operand_type(const struct insn *insn, int operand)
{
	switch (operand_letter(insn, operand)) {
	case 'p':
	case '|':
	case 'q':
		return TYPE_PRED;
	case 'd':
	case 'o':
	case 's':
	case 'm':
		return special_type(insn, operand);
	default:
		return TYPE_NONE;
	}
}

uint64_t
value_cut(uint64_t v, enum type t)
{
	int bits = t == TYPE_PRED ? 1 : 8 * type_size(t);

	return bits == 0 || bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

int64_t
value_signed(uint64_t v, enum type t)
{
	int bits = 8 * type_size(t);

	v = value_cut(v, t);
	if (type_signed(t) && bits < 64 && v >> (bits - 1) & 1)
		v |= ~(uint64_t)0 << bits;
	return (int64_t)v;
}

static bool
less(uint64_t a, uint64_t b, enum type t)
{
	return type_signed(t) ? value_signed(a, t) < value_signed(b, t) :
	    a < b;
}

static bool
compare(enum cmp cmp, enum type t, uint64_t a, uint64_t b)
{
	switch (cmp) {
	case CMP_EQ:
		return a == b;
	case CMP_NE:
		return a != b;
	case CMP_LT:
	case CMP_LO:
		return less(a, b, t);
	case CMP_LE:
	case CMP_LS:
		return !less(b, a, t);
	case CMP_GT:
	case CMP_HI:
		return less(b, a, t);
	case CMP_GE:
	case CMP_HS:
		return !less(a, b, t);
	case CMP_LEU: /* of floats only */
	case CMP_NAN:
	case CMP_NONE:
		break;
	}
	return false;
}

static uint64_t
extended(uint64_t v, enum type t)
{
	return (uint64_t)value_signed(v, t);
}

/* High half of a 64-bit product. */
static uint64_t
high64(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return (uint64_t)(((__extension__ (__int128)(int64_t)a) *
		    (int64_t)b) >> 64);
	return (uint64_t)(((__extension__ (unsigned __int128)a) * b) >> 64);
}

static uint64_t
product(const struct insn *insn, uint64_t a, uint64_t b)
{
	enum type t = insn->type;
	int bits = 8 * type_size(t);

	a = extended(a, t);
	b = extended(b, t);
	if (insn->mode != MODE_HI)
		return a * b;
	return bits == 64 ? high64(a, b, type_signed(t)) :
	    a * b >> bits;
}

/* PTX leaves division by zero open: no answer. The one signed overflow
   wraps. */
static bool
quotient(const struct insn *insn, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t sa = value_signed(a, insn->type);
	int64_t sb = value_signed(b, insn->type);
	bool rem = insn->op->id == OP_REM;

	if (b == 0)
		return false;
	if (!type_signed(insn->type))
		*out = rem ? a % b : a / b;
	else if (sb == -1)
		*out = rem ? 0 : 0 - (uint64_t)sa;
	else
		*out = (uint64_t)(rem ? sa % sb : sa / sb);
	return true;
}

/* Shift amounts beyond the width are clamped. */
static uint64_t
shifted_right(uint64_t a, uint64_t n, enum type t)
{
	uint64_t bits = 8 * (uint64_t)type_size(t);

	if (type_signed(t))
		return (uint64_t)(value_signed(a, t) >>
		    (n < bits ? n : bits - 1));
	return n < bits ? a >> n : 0;
}

/* Bits a put over b's from c on, d of them. */
static uint64_t
inserted(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t mask;

	c &= 0xff;
	d &= 0xff;
	if (c >= 64 || d == 0)
		return b;
	mask = (d >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << d) - 1) << c;
	return (b & ~mask) | (a << c & mask);
}

static float
as_float(uint64_t v)
{
	uint32_t bits = (uint32_t)v;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint64_t
float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static bool
compare_floats(enum cmp cmp, float a, float b)
{
	switch (cmp) {
	case CMP_EQ:
		return a == b;
	case CMP_NE:
		return a < b || a > b;
	case CMP_LT:
		return a < b;
	case CMP_LE:
		return a <= b;
	case CMP_GT:
		return a > b;
	case CMP_GE:
		return a >= b;
	case CMP_LEU:
		return !(a > b);
	case CMP_NAN:
		return a != a || b != b;
	default:
		return false;
	}
}

/* What the primitives' kernels need of floats. */
static bool
compute_float(const struct insn *insn, uint64_t a, uint64_t b, uint64_t *out)
{
	switch (insn->op->id) {
	case OP_ADD:
		*out = float_bits(as_float(a) + as_float(b));
		return true;
	case OP_SUB:
		*out = float_bits(as_float(a) - as_float(b));
		return true;
	case OP_ABS:
		*out = a & INT32_MAX;
		return true;
	case OP_SETP:
		*out = compare_floats(insn->cmp, as_float(a), as_float(b));
		return true;
	case OP_CVT:
		*out = float_bits(type_signed(insn->type2) ?
		    (float)value_signed(a, insn->type2) : (float)a);
		return insn->type2 != TYPE_F32;
	default:
		return false;
	}
}

static bool
compute(const struct insn *insn, uint64_t a, uint64_t b, uint64_t c,
    uint64_t *out)
{
	enum type t = insn->type;

	switch (insn->op->id) {
	case OP_MOV:
		*out = a;
		return true;
	case OP_CVT:
		*out = extended(a, insn->type2);
		return true;
	case OP_ADD:
		*out = a + b;
		return true;
	case OP_SUB:
		*out = a - b;
		return true;
	case OP_MUL:
		*out = product(insn, a, b);
		return true;
	case OP_MAD:
		*out = product(insn, a, b) + c;
		return true;
	case OP_DIV:
	case OP_REM:
		return quotient(insn, a, b, out);
	case OP_AND:
		*out = a & b;
		return true;
	case OP_OR:
		*out = a | b;
		return true;
	case OP_XOR:
		*out = a ^ b;
		return true;
	case OP_NOT:
		*out = ~a;
		return true;
	case OP_NEG:
		*out = 0 - a;
		return true;
	case OP_SHL:
		*out = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*out = shifted_right(a, b, t);
		return true;
	case OP_MIN:
		*out = less(b, a, t) ? b : a;
		return true;
	case OP_MAX:
		*out = less(a, b, t) ? b : a;
		return true;
	case OP_ABS:
		*out = value_signed(a, t) < 0 ? 0 - a : a;
		return true;
	case OP_POPC:
		*out = (uint64_t)__builtin_popcountll(a);
		return true;
	case OP_SETP:
		*out = compare(insn->cmp, t, a, b);
		return true;
	case OP_SELP:
		*out = c ? a : b;
		return true;
	default:
		return false;
	}
}

bool
alu_apply(const struct insn *insn, const uint64_t *in, uint64_t *out)
{
	uint64_t v[4] = {0}, result;
	bool ok;
	int i;

	for (i = 1; i < insn->nops && i <= 4; i++) {
		v[i - 1] = value_cut(in[i - 1], operand_type(insn, i));
		if (insn->ops[i].negated)
			v[i - 1] ^= 1;
	}
	if (insn->op->id == OP_BFI) {
		result = inserted(v[0], v[1], v[2], v[3]);
		ok = true;
	} else if (insn->type == TYPE_F32 && insn->op->id != OP_MOV &&
	    insn->op->id != OP_SELP) {
		ok = compute_float(insn, v[0], v[1], &result);
	} else {
		ok = insn->type2 != TYPE_F32 &&
		    compute(insn, v[0], v[1], v[2], &result);
	}
	if (!ok)
		return false;
	*out = value_cut(result, operand_type(insn, 0));
	return true;
}

uint64_t
rmw_apply(enum rmw rmw, enum type type, uint64_t old, uint64_t b, uint64_t c)
{
	old = value_cut(old, type);
	b = value_cut(b, type);
	c = value_cut(c, type);
	switch (rmw) {
	case RMW_ADD:
		return type == TYPE_F32 ?
		    float_bits(as_float(old) + as_float(b)) :
		    value_cut(old + b, type);
	case RMW_EXCH:
		return b;
	case RMW_CAS:
		return old == b ? c : old;
	case RMW_MIN:
		return less(b, old, type) ? b : old;
	case RMW_MAX:
		return less(old, b, type) ? b : old;
	case RMW_AND:
		return old & b;
	case RMW_OR:
		return old | b;
	case RMW_XOR:
		return old ^ b;
	case RMW_INC:
		return old >= b ? 0 : old + 1;
	case RMW_DEC:
		return old == 0 || old > b ? b : old - 1;
	case RMW_NONE:
	case RMW_POPC:
		break;
	}
	return old;
}
