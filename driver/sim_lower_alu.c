/* Arithmetic: the common instructions have operations of their own, the others
   go through gen/alu.c. */
#include "sim_lower.h"

#define ANY 0
enum signs { BOTH, UNSIGNED, SIGNED };

static const struct fast {
	enum op_id op;
	enum mode mode;
	int size; /* of the type; ANY */
	enum signs signs;
	enum cmp cmp;
	enum sim_op to;
} fasts[] = {
	{OP_MOV, MODE_NONE, ANY, BOTH, CMP_NONE, SIM_MOV},
	{OP_ADD, MODE_NONE, 4, BOTH, CMP_NONE, SIM_ADD32},
	{OP_ADD, MODE_NONE, 8, BOTH, CMP_NONE, SIM_ADD64},
	{OP_SUB, MODE_NONE, 4, BOTH, CMP_NONE, SIM_SUB32},
	{OP_SUB, MODE_NONE, 8, BOTH, CMP_NONE, SIM_SUB64},
	{OP_MUL, MODE_LO, 4, BOTH, CMP_NONE, SIM_MUL32},
	{OP_MUL, MODE_LO, 8, BOTH, CMP_NONE, SIM_MUL64},
	{OP_MUL, MODE_WIDE, 4, UNSIGNED, CMP_NONE, SIM_MUL64},
	{OP_MAD, MODE_LO, 4, BOTH, CMP_NONE, SIM_MAD32},
	{OP_MAD, MODE_LO, 8, BOTH, CMP_NONE, SIM_MAD64},
	{OP_MAD, MODE_WIDE, 4, UNSIGNED, CMP_NONE, SIM_MAD64},
	{OP_AND, MODE_NONE, ANY, BOTH, CMP_NONE, SIM_AND},
	{OP_OR, MODE_NONE, ANY, BOTH, CMP_NONE, SIM_OR},
	{OP_XOR, MODE_NONE, ANY, BOTH, CMP_NONE, SIM_XOR},
	{OP_SHL, MODE_NONE, 4, BOTH, CMP_NONE, SIM_SHL32},
	{OP_SHL, MODE_NONE, 8, BOTH, CMP_NONE, SIM_SHL64},
	{OP_SHR, MODE_NONE, ANY, UNSIGNED, CMP_NONE, SIM_SHR},
	{OP_SETP, MODE_NONE, ANY, BOTH, CMP_EQ, SIM_EQ},
	{OP_SETP, MODE_NONE, ANY, BOTH, CMP_NE, SIM_NE},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_LT, SIM_LT},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_LE, SIM_LE},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_GT, SIM_GT},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_GE, SIM_GE},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_LO, SIM_LT},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_LS, SIM_LE},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_HI, SIM_GT},
	{OP_SETP, MODE_NONE, ANY, UNSIGNED, CMP_HS, SIM_GE},
	{OP_MIN, MODE_NONE, ANY, UNSIGNED, CMP_NONE, SIM_MIN},
	{OP_MAX, MODE_NONE, ANY, UNSIGNED, CMP_NONE, SIM_MAX},
	{OP_NOT, MODE_NONE, 4, BOTH, CMP_NONE, SIM_NOT32},
	{OP_SELP, MODE_NONE, ANY, BOTH, CMP_NONE, SIM_SELP},
};

static enum sim_op
fast_op(const struct insn *insn)
{
	bool moves = insn->op->id == OP_MOV || insn->op->id == OP_SELP;
	size_t i;

	if ((insn->type == TYPE_F32 || insn->type2 == TYPE_F32) && !moves)
		return SIM_ALU;
	/* values are kept cut to their type: widening is free */
	if (insn->op->id == OP_CVT && !type_signed(insn->type2)) {
		if (type_size(insn->type) >= type_size(insn->type2))
			return SIM_MOV;
		if (type_size(insn->type) == 4)
			return SIM_CUT32;
	}
	for (i = 0; i < sizeof(fasts) / sizeof(*fasts); i++) {
		const struct fast *f = &fasts[i];
		if (f->op == insn->op->id && f->mode == insn->mode &&
		    f->cmp == insn->cmp &&
		    (f->size == ANY || f->size == type_size(insn->type)) &&
		    (f->signs == BOTH || (f->signs == SIGNED) ==
		    type_signed(insn->type)))
			return f->to;
	}
	return SIM_ALU;
}

/* cvta and cvta.to add or subtract where the space's window lies. */
static bool
lower_cvta(struct sim_lower *l, const struct insn *insn)
{
	static const uint64_t windows[] = {
		[SPACE_GLOBAL] = 0, [SPACE_CONST] = 0, [SPACE_PARAM] = 0,
		[SPACE_SHARED] = (uint64_t)SIM_WINDOW_SHARED <<
		    SIM_ADDRESS_BITS,
		[SPACE_SHARED_CLUSTER] = (uint64_t)SIM_WINDOW_SHARED <<
		    SIM_ADDRESS_BITS,
		[SPACE_LOCAL] = (uint64_t)SIM_WINDOW_LOCAL <<
		    SIM_ADDRESS_BITS,
	};
	uint32_t a = lower_operand(l, insn, 1), window;
	struct sim_code *c;

	window = lower_constant(l, windows[insn->space]);
	c = lower_append(l, insn, insn->op->id == OP_CVTA ? SIM_ADD64 :
	    SIM_SUB64);
	c->d = (uint32_t)insn->ops[0].reg;
	c->a = a;
	c->b = window;
	lower_guard(c, insn);
	return true;
}

bool
lower_alu(struct sim_lower *l, const struct insn *insn, struct err *err)
{
	static const enum sim_op own[OP_COUNT] = {
		[OP_MAPA] = SIM_MAPA, [OP_ACTIVEMASK] = SIM_ACTIVEMASK,
	};
	enum sim_op op = own[insn->op->id];
	uint32_t in[4];
	struct sim_code *c;
	int i;

	in[0] = in[1] = in[2] = in[3] = lower_constant(l, 1);
	if (insn->op->id == OP_CVTA || insn->op->id == OP_CVTA_TO)
		return lower_cvta(l, insn);
	if (insn->nops > 5)
		return err_set(err, ERR_UNSUPPORTED, insn->loc,
		    "the software machine has no %s", insn->op->mnemonic);
	if (op == 0)
		op = fast_op(insn);
	if (insn->op->id == OP_MOV && insn->ops[1].kind == OPERAND_SPECIAL &&
	    insn->ops[1].special >= SPECIAL_CLOCK)
		op = SIM_CLOCK;
	for (i = 1; i < insn->nops; i++)
		in[i - 1] = lower_operand(l, insn, i);
	c = lower_append(l, insn, op);
	c->space = (uint8_t)insn->space;
	if (insn->nops == 5) {
		c->elems = lower_slots(l, &in[3], 1);
		c->vec = 1;
	}
	c->d = (uint32_t)insn->ops[0].reg;
	c->a = in[0];
	c->b = in[1];
	c->c = in[2];
	lower_guard(c, insn);
	return true;
}
