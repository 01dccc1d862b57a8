/* What conditions mean, and how they are written. */
#include "cond.h"

static int64_t
slot_value(const struct cond *c, const uint64_t *values)
{
	uint64_t v = values[c->slot];

	if (c->value > 0 && c->value < 64 && v >> (c->value - 1) & 1)
		v |= ~(uint64_t)0 << c->value;
	return (int64_t)v;
}

static int64_t
apply(enum cond_op op, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case COND_EQ:
		return a == b;
	case COND_NE:
		return a != b;
	case COND_LT:
		return a < b;
	case COND_LE:
		return a <= b;
	case COND_GT:
		return a > b;
	case COND_GE:
		return a >= b;
	case COND_ADD:
		return (int64_t)(x + y);
	case COND_SUB:
		return (int64_t)(x - y);
	case COND_MUL:
		return (int64_t)(x * y);
	case COND_BAND:
		return a & b;
	case COND_BOR:
		return a | b;
	case COND_BXOR:
		return a ^ b;
	case COND_SHL:
		return y < 64 ? (int64_t)(x << y) : 0;
	case COND_SHR:
		return y < 64 ? (int64_t)(x >> y) : 0;
	default:
		return 0;
	}
}

int64_t
cond_eval(const struct cond *c, const uint64_t *values)
{
	switch (c->op) {
	case COND_CONST:
		return c->value;
	case COND_SLOT:
		return slot_value(c, values);
	case COND_NOT:
		return !cond_eval(c->a, values);
	case COND_NEG:
		return (int64_t)(0 - (uint64_t)cond_eval(c->a, values));
	case COND_BITNOT:
		return ~cond_eval(c->a, values);
	case COND_AND:
		return cond_eval(c->a, values) && cond_eval(c->b, values);
	case COND_OR:
		return cond_eval(c->a, values) || cond_eval(c->b, values);
	default:
		return apply(c->op, cond_eval(c->a, values),
		    cond_eval(c->b, values));
	}
}

bool
program_is_target(const struct program *p, const uint64_t *values)
{
	return (cond_eval(p->cond, values) != 0) !=
	    (p->quant == QUANT_FORALL);
}

static const struct binary *
binary_of(enum cond_op op)
{
	int i;

	for (i = 0; i < BINARIES; i++)
		if (binaries[i].op == op)
			return &binaries[i];
	return NULL;
}

static void
print(struct text *t, const struct program *p, const struct cond *c,
    int level)
{
	const struct binary *op = binary_of(c->op);

	if (c->op == COND_CONST) {
		text_printf(t, "%lld", (long long)c->value);
	} else if (c->op == COND_SLOT) {
		text_printf(t, "%s", p->slots[c->slot].name);
	} else if (!op) {
		text_printf(t, "%s", c->op == COND_NEG ? "-" :
		    c->op == COND_NOT ? "!" : "~");
		print(t, p, c->a, LEVEL_MAX + 1);
	} else {
		text_printf(t, "%s", op->level < level ? "(" : "");
		print(t, p, c->a, op->level);
		text_printf(t, " %s ", op->spelling);
		print(t, p, c->b, op->level + 1);
		text_printf(t, "%s", op->level < level ? ")" : "");
	}
}

void
cond_print(struct text *t, const struct program *p, const struct cond *c)
{
	print(t, p, c, 0);
}
