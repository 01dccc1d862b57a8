/*
 * From instructions as gen/ptx.c reads them to the machine's own code.
 * Operands become slots of one register file; what varies only from launch
 * to launch or thread to thread (constants, parameters, addresses of shared
 * variables, %tid and the like) has a slot that is filled when the thread
 * starts.
 */
#include "sim_lower.h"

#include <string.h>

/* Until the number of registers is known, slots are told by this bit. */
#define SLOT_BIT 0x80000000u

static const char *const special_names[SPECIAL_COUNT] = {
#define SPECIAL(id, name) name,
#include "sim_special.def"
#undef SPECIAL
};

int
sim_special_find(const char *name, size_t n)
{
	int i;

	for (i = 0; i < SPECIAL_COUNT; i++)
		if (strlen(special_names[i]) == n &&
		    memcmp(special_names[i], name, n) == 0)
			return i;
	return -1;
}

/* ---- slots --------------------------------------------------------------- */

static uint32_t
slot(struct sim_lower *l, struct sim_slot want)
{
	struct sim_kernel *k = l->kernel;
	int i;

	for (i = 0; i < k->nslots; i++) {
		const struct sim_slot *s = &k->slots[i];
		if (s->source == want.source && s->value == want.value &&
		    s->size == want.size && s->extend == want.extend)
			return (uint32_t)(SLOT_BIT | (unsigned)i);
	}
	if (((unsigned)i & ((unsigned)i - 1)) == 0)
		k->slots = arena_grow(l->arena, k->slots,
		    (size_t)i * sizeof(*k->slots),
		    (size_t)(i ? 2 * i : 1) * sizeof(*k->slots));
	k->slots[k->nslots++] = want;
	return (uint32_t)(SLOT_BIT | (unsigned)i);
}

uint32_t
lower_constant(struct sim_lower *l, uint64_t value)
{
	return slot(l, (struct sim_slot){SIM_SOURCE_CONST, value, 8, 0});
}

/* The address of a variable, in its own state space. */
static uint32_t
variable(struct sim_lower *l, const struct sim_var *var)
{
	if (var->space != SPACE_SHARED)
		return lower_constant(l, var->value);
	return slot(l, (struct sim_slot){var->external ? SIM_SOURCE_DYNAMIC :
	    SIM_SOURCE_SHARED, var->value, 8, 0});
}

struct sim_code *
lower_append(struct sim_lower *l, const struct insn *insn, enum sim_op op)
{
	struct sim_kernel *k = l->kernel;
	size_t n = (size_t)k->ncode;
	uint32_t one = lower_constant(l, 1);
	struct sim_code *c;

	if ((n & (n - 1)) == 0)
		k->code = arena_grow(l->arena, k->code, n * sizeof(*k->code),
		    (n ? 2 * n : 1) * sizeof(*k->code));
	c = &k->code[k->ncode++];
	/* operands that are not there: a slot that no load waits for */
	*c = (struct sim_code){.op = (uint8_t)op, .harness = l->harness,
	    .guard = one,
	    .d = one, .a = one, .b = one, .c = one, .target = -1,
	    .insn = insn};
	return c;
}

void
lower_guard(struct sim_code *c, const struct insn *insn)
{
	if (insn->guard < 0)
		return;
	c->guarded = c->op;
	c->op = SIM_GUARDED;
	c->guard = (uint32_t)insn->guard;
	c->negated = insn->guard_negated;
}

/* A scalar operand's slot; !p takes an instruction of its own first. */
uint32_t
lower_operand(struct sim_lower *l, const struct insn *insn, int i)
{
	const struct operand *o = &insn->ops[i];
	struct sim_code *c;
	uint32_t to;

	switch (o->kind) {
	case OPERAND_IMM:
		return lower_constant(l, value_cut((uint64_t)o->imm,
		    operand_type(insn, i)));
	case OPERAND_VAR:
		return variable(l, &l->vars[o->var]);
	case OPERAND_SPECIAL:
		return slot(l, (struct sim_slot){SIM_SOURCE_SPECIAL,
		    (uint64_t)o->special, 8, 0});
	case OPERAND_REG:
		break;
	default:
		return lower_constant(l, 0);
	}
	if (!o->negated)
		return (uint32_t)o->reg;
	/* one scratch slot a negated predicate: the slot's value is unused */
	to = slot(l, (struct sim_slot){SIM_SOURCE_CONST, (uint64_t)o->reg, 1,
	    1});
	c = lower_append(l, insn, SIM_NOTP);
	c->d = to;
	c->a = (uint32_t)o->reg;
	return to;
}

const uint32_t *
lower_slots(struct sim_lower *l, const uint32_t *from, int n)
{
	uint32_t *elems = arena_alloc(l->arena, (size_t)n * sizeof(*elems));

	memcpy(elems, from, (size_t)n * sizeof(*elems));
	return elems;
}

/* ---- memory -------------------------------------------------------------- */

static const uint32_t *
element_regs(struct sim_lower *l, const int *regs, int n)
{
	uint32_t *elems = arena_alloc(l->arena, (size_t)n * sizeof(*elems));
	int i;

	for (i = 0; i < n; i++)
		elems[i] = (uint32_t)regs[i];
	return elems;
}

static const struct operand *
address_of(const struct insn *insn)
{
	int i;

	for (i = 0; i < insn->nops; i++)
		if (insn->ops[i].kind == OPERAND_ADDR)
			return &insn->ops[i];
	return NULL;
}

/* Where operand o points, but for the offset. */
static uint32_t
pointer(struct sim_lower *l, const struct operand *o, int64_t *offset)
{
	*offset = o->imm;
	if (o->var >= 0)
		return variable(l, &l->vars[o->var]);
	if (o->reg >= 0)
		return (uint32_t)o->reg;
	*offset = 0;
	return lower_constant(l, (uint64_t)o->imm);
}

static uint32_t
address(struct sim_lower *l, const struct insn *insn, int64_t *offset)
{
	return pointer(l, address_of(insn), offset);
}

static uint8_t
register_size(const struct sim_lower *l, const struct operand *o)
{
	int reg = o->kind == OPERAND_VEC ? o->vec[0] : o->reg;

	return (uint8_t)type_size(l->types[reg]);
}

/* ld.param of a name: the value is a constant of the launch. */
static bool
lower_param(struct sim_lower *l, const struct insn *insn, struct err *err)
{
	const struct operand *o = &insn->ops[1], *d = &insn->ops[0];
	uint64_t at, size = (uint64_t)type_size(insn->type);
	int i;

	at = l->vars[o->var].value + (uint64_t)o->imm;
	if (o->imm < 0 || at + size * (uint64_t)insn->vec >
	    l->kernel->params_size)
		return err_set(err, ERR_INPUT, o->loc,
		    "reads outside the parameters");
	if (at % size)
		return err_set(err, ERR_INPUT, o->loc,
		    "misaligned: parameters' byte %llu as a %s",
		    (unsigned long long)at, type_name(insn->type));
	for (i = 0; i < insn->vec; i++) {
		uint32_t from = slot(l, (struct sim_slot){SIM_SOURCE_PARAM,
		    at + size * (uint64_t)i, (uint8_t)size,
		    type_signed(insn->type) ? register_size(l, d) : 0});
		struct sim_code *c = lower_append(l, insn, SIM_MOV);

		c->d = (uint32_t)(insn->vec > 1 ? d->vec[i] : d->reg);
		c->a = from;
		lower_guard(c, insn);
	}
	return true;
}

static enum sim_op
memory_op(const struct insn *insn)
{
	switch (insn->op->class) {
	case CLASS_LOAD:
		return insn->space == SPACE_LOCAL ? SIM_LOAD_LOCAL :
		    insn->space == SPACE_PARAM ? SIM_LOAD_PARAM : SIM_LOAD;
	case CLASS_STORE:
		return insn->space == SPACE_LOCAL ? SIM_STORE_LOCAL :
		    SIM_STORE;
	default:
		return SIM_RMW;
	}
}

/* The values of st, atom and red: b is the first, c the second. */
static void
lower_values(struct sim_lower *l, const struct insn *insn, uint32_t in[2])
{
	int i, n = 0;

	for (i = insn->op->class == CLASS_RMW ? 1 : 0; i < insn->nops; i++)
		if (insn->ops[i].kind != OPERAND_ADDR &&
		    insn->ops[i].kind != OPERAND_VEC && n < 2)
			in[n++] = lower_operand(l, insn, i);
}

static void
lower_attributes(struct sim_code *c, const struct insn *insn)
{
	c->size = (uint8_t)type_size(insn->type);
	c->vec = (uint8_t)insn->vec;
	c->space = (uint8_t)insn->space;
	c->sem = (uint8_t)insn->sem;
	c->scope = (uint8_t)insn->scope;
	/* PTX ISA 8.7.1.1: volatile is relaxed at system scope; mmio too */
	if (insn->sem == SEM_VOLATILE || insn->sem == SEM_MMIO) {
		c->sem = SEM_RELAXED;
		c->scope = SCOPE_SYS;
	}
	c->rmw = (uint8_t)insn->rmw;
	c->type = (uint8_t)insn->type;
}

/* init is a store, arrive an atomic, test and try loads. */
static bool
lower_mbarrier(struct sim_lower *l, const struct insn *insn)
{
	bool init = insn->op->id == OP_MBARRIER_INIT;
	bool arrive = insn->op->id == OP_MBARRIER_ARRIVE ||
	    insn->op->id == OP_MBARRIER_ARRIVE_TX ||
	    insn->op->id == OP_MBARRIER_EXPECT_TX;
	bool inval = insn->op->id == OP_MBARRIER_INVAL;
	uint32_t at, value = lower_constant(l, 1);
	struct sim_code *c;
	int64_t offset;
	int i;

	for (i = 0; i < insn->nops; i++)
		if (operand_role(insn, i) == ROLE_READ) {
			value = lower_operand(l, insn, i);
			break;
		}
	at = address(l, insn, &offset);
	if (inval)
		value = lower_constant(l, 0);
	c = lower_append(l, insn, init || inval ? SIM_STORE :
	    arrive ? SIM_RMW : SIM_LOAD);
	lower_attributes(c, insn);
	if (init || inval)
		c->sem = SEM_WEAK;
	else if (c->scope == SCOPE_NONE)
		c->scope = SCOPE_CTA;
	c->a = at;
	c->offset = offset;
	c->b = value;
	if (insn->nops && insn->ops[0].kind == OPERAND_REG)
		c->d = (uint32_t)insn->ops[0].reg;
	lower_guard(c, insn);
	return true;
}

/* A copy: to a, from b, c bytes, the mbarrier in elems; offsets are in the
   operands. Of the others only cp.async.mbarrier.arrive has an address. */
static bool
lower_async(struct sim_lower *l, const struct insn *insn)
{
	bool copies = insn_is_copy(insn);
	uint32_t to = lower_constant(l, 1), from = to, size = to, bar = to;
	struct sim_code *c;
	int64_t offset;

	if (copies || insn->op->id == OP_CP_ARRIVE)
		to = pointer(l, &insn->ops[0], &offset);
	if (copies) {
		from = pointer(l, &insn->ops[1], &offset);
		size = lower_operand(l, insn, 2);
	}
	if (copies && insn->nops > 3)
		bar = pointer(l, &insn->ops[3], &offset);
	c = lower_append(l, insn, SIM_ASYNC);
	lower_attributes(c, insn);
	c->size = 8; /* of the mbarrier */
	c->a = to;
	c->b = from;
	c->c = size;
	c->vec = 1;
	if (copies && insn->nops > 3)
		c->elems = lower_slots(l, &bar, 1);
	lower_guard(c, insn);
	return true;
}

static bool
lower_memory(struct sim_lower *l, const struct insn *insn, struct err *err)
{
	const struct operand *o = address_of(insn), *d = &insn->ops[0];
	bool load = insn->op->class == CLASS_LOAD;
	const uint32_t *elems = NULL;
	uint32_t in[2], at;
	struct sim_code *c;
	int64_t offset;

	in[0] = in[1] = lower_constant(l, 1);
	if (insn->type == TYPE_NONE || insn->proxy != PROXY_GENERIC)
		return err_set(err, ERR_UNSUPPORTED, insn->loc,
		    "the software machine needs a type, and has the generic "
		    "proxy only");
	if (insn->space == SPACE_PARAM && o->var >= 0)
		return lower_param(l, insn, err);
	if (insn->vec > 1)
		elems = element_regs(l, insn->ops[load ? 0 : 1].vec,
		    insn->vec);
	if (!load)
		lower_values(l, insn, in);
	at = address(l, insn, &offset);
	c = lower_append(l, insn, memory_op(insn));
	lower_attributes(c, insn);
	c->a = at;
	c->offset = offset;
	c->b = in[0];
	c->c = in[1];
	c->elems = elems;
	if ((load && insn->vec == 1) || insn->op->class == CLASS_RMW)
		c->d = (uint32_t)d->reg;
	if (load && type_signed(insn->type))
		c->extend = register_size(l, d);
	lower_guard(c, insn);
	return true;
}

/* ---- everything else ----------------------------------------------------- */

static bool
lower_simple(struct sim_lower *l, const struct insn *insn, enum sim_op op)
{
	uint32_t in[4];
	struct sim_code *c;
	int i, n = 0;

	in[0] = in[1] = in[2] = in[3] = lower_constant(l, 1);
	for (i = 0; i < insn->nops; i++)
		if (operand_role(insn, i) == ROLE_READ && n < 4)
			in[n++] = lower_operand(l, insn, i);
	c = lower_append(l, insn, op);
	lower_attributes(c, insn);
	if (insn->nops > 0 && operand_role(insn, 0) == ROLE_WRITE)
		c->d = (uint32_t)insn->ops[0].reg;
	c->a = in[0];
	c->b = in[1];
	c->c = in[2];
	/* shfl d|p, a, b, c, mask: the mask, and p if there is one */
	if (insn->op->class == CLASS_WARP) {
		uint32_t more[2] = {in[3], SIM_NO_SLOT};

		if (insn->nops > 1 && operand_role(insn, 1) == ROLE_WRITE)
			more[1] = (uint32_t)insn->ops[1].reg;
		c->elems = lower_slots(l, more, 2);
		c->vec = 2;
	}
	lower_guard(c, insn);
	return true;
}

bool
sim_lower(struct sim_lower *l, const struct insn *insn, struct err *err)
{
	static const enum sim_op ops[] = {
		[CLASS_FENCE] = SIM_FENCE,
		[CLASS_BARRIER] = SIM_BARRIER,
		[CLASS_CLUSTER_BARRIER] = SIM_CLUSTER_BARRIER,
		[CLASS_WARP] = SIM_WARP_OP,
		[CLASS_BRANCH] = SIM_BRA,
		[CLASS_EXIT] = SIM_EXIT,
		[CLASS_TRAP] = SIM_TRAP,
		[CLASS_NONE] = SIM_SLEEP,
	};

	switch (insn->op->class) {
	case CLASS_ALU:
		return lower_alu(l, insn, err);
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_RMW:
	case CLASS_RED:
		return lower_memory(l, insn, err);
	case CLASS_MBARRIER:
		return lower_mbarrier(l, insn);
	case CLASS_ASYNC:
		return lower_async(l, insn);
	case CLASS_PROXY_FENCE:
		return lower_simple(l, insn, insn->proxy == PROXY_ASYNC ?
		    SIM_PROXY : SIM_NOP);
	default:
		return lower_simple(l, insn, ops[insn->op->class]);
	}
}

/* ---- the end of a kernel -------------------------------------------------- */

static void
settle_slot(const struct sim_lower *l, uint32_t *at)
{
	if (*at & SLOT_BIT)
		*at = l->nregs + (*at & ~SLOT_BIT);
	*at *= SIM_WARP;
}

static uint64_t
bit_of(const struct sim_lower *l, uint32_t at)
{
	return at / SIM_WARP < l->nregs ? SIM_TOUCH(at) : 0;
}

static void
settle_code(const struct sim_lower *l, struct sim_code *c)
{
	uint32_t *elems = (uint32_t *)(uintptr_t)c->elems; /* ours */
	int i, n = c->vec;

	settle_slot(l, &c->guard);
	settle_slot(l, &c->d);
	settle_slot(l, &c->a);
	settle_slot(l, &c->b);
	settle_slot(l, &c->c);
	c->touch = bit_of(l, c->guard) | bit_of(l, c->d) | bit_of(l, c->a) |
	    bit_of(l, c->b) | bit_of(l, c->c);
	for (i = 0; elems && i < n; i++) {
		if (elems[i] != SIM_NO_SLOT)
			settle_slot(l, &elems[i]);
		c->touch |= bit_of(l, elems[i]);
	}
}

void
sim_lower_end(struct sim_lower *l)
{
	struct sim_kernel *k = l->kernel;
	int i;

	lower_append(l, NULL, SIM_EXIT);
	k->nregs = (int)l->nregs;
	k->element = 8;
	for (i = 0; i < k->ncode; i++) {
		const struct sim_code *c = &k->code[i];

		settle_code(l, &k->code[i]);
		if (!c->harness && c->insn && c->size < 8 &&
		    c->insn->op->class >= CLASS_LOAD &&
		    c->insn->op->class <= CLASS_RED)
			k->element = 4;
	}
}
