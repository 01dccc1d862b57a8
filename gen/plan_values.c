/*
 * Values that carry the launch number, and who reports what.
 *
 * A store of the immediate v becomes a store of epoch * 2^k + v, with
 * v < 2^k. A load that sees an older epoch sees what was there before the
 * launch, that is the initial value, so that nothing is reset between
 * launches. It is right only if no instruction but the final look at the
 * registers can tell the two apart, and if every location that is stored
 * to at all is stored to in every launch: straight-line code.
 */
#include "plan.h"

#include <string.h>

#define EPOCH_BITS_MAX 16

/* Bit i: register i has been loaded from memory. */
struct taint {
	uint64_t regs[4]; /* up to 256 registers */
};

static bool
taint_has(const struct taint *t, int reg)
{
	return t->regs[reg / 64] >> (reg % 64) & 1;
}

static void
taint_operand(struct taint *t, const struct operand *o)
{
	int i, n = o->kind == OPERAND_VEC ? o->nvec : 1;

	for (i = 0; i < n; i++) {
		int reg = o->kind == OPERAND_VEC ? o->vec[i] : o->reg;

		t->regs[reg / 64] |= (uint64_t)1 << (reg % 64);
	}
}

/* Does the instruction use a register that a load has filled? */
static bool
uses_loaded(const struct taint *t, const struct insn *insn)
{
	int i, j;

	if (insn->guard >= 0 && taint_has(t, insn->guard))
		return true;
	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (operand_role(insn, i) == ROLE_WRITE)
			continue;
		if ((o->kind == OPERAND_REG || o->kind == OPERAND_ADDR) &&
		    o->reg >= 0 && taint_has(t, o->reg))
			return true;
		for (j = 0; o->kind == OPERAND_VEC && j < o->nvec; j++)
			if (taint_has(t, o->vec[j]))
				return true;
	}
	return false;
}

/* An access to whole elements of a variable, named directly. */
static bool
is_whole(const struct program *p, const struct insn *insn, int operand)
{
	const struct operand *o = &insn->ops[operand];
	const struct var *v;

	if (o->kind != OPERAND_ADDR || o->var < 0 || o->reg >= 0)
		return false;
	v = &p->vars[o->var];
	return type_size(insn->type) == v->size && o->imm >= 0 &&
	    o->imm % v->size == 0;
}

static bool
store_permits(const struct program *p, const struct insn *insn)
{
	const struct operand *o = &insn->ops[1];

	if (insn->guard >= 0 || !is_whole(p, insn, 0))
		return false;
	if (p->vars[insn->ops[0].var].space != SPACE_GLOBAL)
		return true;
	return o->kind == OPERAND_IMM && type_size(insn->type) >= 4 &&
	    insn->type != TYPE_F32 && insn->type != TYPE_F64 &&
	    o->imm >= 0 && o->imm < 1 << EPOCH_BITS_MAX;
}

static bool
insn_permits(const struct program *p, struct taint *taint,
    const struct insn *insn)
{
	if (uses_loaded(taint, insn))
		return false;
	switch (insn->op->class) {
	case CLASS_STORE:
		return store_permits(p, insn);
	case CLASS_LOAD:
		taint_operand(taint, &insn->ops[0]);
		return insn->guard < 0 && is_whole(p, insn, 1);
	case CLASS_ALU:
	case CLASS_FENCE:
	case CLASS_BARRIER:
	case CLASS_CLUSTER_BARRIER:
	case CLASS_NONE:
		return true;
	default:
		return false;
	}
}

static bool
permits(const struct program *p)
{
	int i, j;

	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].alias_of >= 0)
			return false;
	for (i = 0; i < p->nthreads; i++) {
		const struct thread *t = &p->threads[i];
		struct taint taint = {0};

		if (t->nregs > 256)
			return false;
		for (j = 0; j < t->ninsns; j++)
			if (!insn_permits(p, &taint, &t->insns[j]))
				return false;
	}
	return true;
}

void
plan_values(struct plan *plan)
{
	const struct program *p = plan->program;
	int i, j, shift = 1;

	memset(plan->epoch, 0, sizeof(plan->epoch));
	plan->epoch_shift = 0;
	if (plan->env.values == VALUES_PLAIN)
		return;
	plan->env.values = VALUES_PLAIN;
	if (!permits(p))
		return;
	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++) {
			const struct insn *insn = &p->threads[i].insns[j];
			int var = insn->ops[0].var;

			if (insn->op->class != CLASS_STORE ||
			    p->vars[var].space != SPACE_GLOBAL)
				continue;
			plan->epoch[var] = true;
			while (insn->ops[1].imm >> shift)
				shift++;
			plan->env.values = VALUES_EPOCH;
		}
	if (plan->env.values == VALUES_EPOCH)
		plan->epoch_shift = shift;
}

int
plan_stored(const struct plan *plan, int var, int elem, uint64_t *values)
{
	const struct program *p = plan->program;
	int i, j, k, n = 0;

	if (!plan->epoch[var])
		return 0;
	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++) {
			const struct insn *insn = &p->threads[i].insns[j];
			uint64_t value = (uint64_t)insn->ops[1].imm;

			if (insn->op->class != CLASS_STORE ||
			    insn->ops[0].var != var ||
			    insn->ops[0].imm != elem * p->vars[var].size)
				continue;
			for (k = 0; k < n && values[k] != value; k++)
				;
			if (k == n && n < STORED_MAX)
				values[n++] = value;
		}
	return n;
}

/* ---- reports ----------------------------------------------------------- */

/* What the code changes by if slot s moves to its next value. */
static uint32_t
slot_step(const struct program *p, int s)
{
	uint64_t values[SLOTS_MAX];
	int i;

	if (p->slots[s].nvalues < 2)
		return 0;
	for (i = 0; i < p->nslots; i++)
		values[i] = p->slots[i].values[0];
	values[s] = p->slots[s].values[1];
	return outcome_code(p, values);
}

/* The load that fills a register last; NULL if something else does. */
static const struct insn *
last_load(const struct thread *t, int reg, int *elem)
{
	const struct insn *load = NULL;
	int i, j, k;

	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		for (j = 0; j < insn->nops; j++) {
			const struct operand *o = &insn->ops[j];

			if (operand_role(insn, j) != ROLE_WRITE)
				continue;
			if (o->kind == OPERAND_REG && o->reg == reg) {
				load = insn;
				*elem = 0;
			}
			for (k = 0; o->kind == OPERAND_VEC && k < o->nvec;
			    k++)
				if (o->vec[k] == reg) {
					load = insn;
					*elem = k;
				}
		}
	}
	return load && load->op->class == CLASS_LOAD ? load : NULL;
}

static void
report_epoch(const struct plan *plan, int var, int elem, struct report *r)
{
	uint64_t values[STORED_MAX];

	if (plan_stored(plan, var, elem, values) == 0)
		return;
	r->var = var;
	r->elem = elem;
}

static void
report_register(const struct plan *plan, const struct slot *slot,
    struct report *r)
{
	const struct program *p = plan->program;
	const struct insn *load;
	int elem = 0;

	r->thread = slot->thread;
	load = last_load(&p->threads[slot->thread], slot->reg, &elem);
	if (plan->env.values != VALUES_EPOCH || !load)
		return;
	elem += (int)(load->ops[1].imm / p->vars[load->ops[1].var].size);
	report_epoch(plan, load->ops[1].var, elem, r);
}

static void
report_memory(const struct plan *plan, const struct slot *slot,
    struct report *r)
{
	const struct program *p = plan->program;
	int i;

	if (p->vars[slot->var].space != SPACE_SHARED) {
		report_epoch(plan, slot->var, slot->elem, r);
		return;
	}
	/* shared memory ends with its CTA: one of its threads must look */
	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cta == p->vars[slot->var].cta) {
			r->thread = i;
			return;
		}
}

void
plan_reports(struct plan *plan)
{
	const struct program *p = plan->program;
	int i;

	for (i = 0; i < p->nslots; i++) {
		struct report *r = &plan->report[i];

		*r = (struct report){.thread = -1, .var = -1, .elem = -1};
		r->step = slot_step(p, i);
		if (p->slots[i].thread >= 0)
			report_register(plan, &p->slots[i], r);
		else
			report_memory(plan, &p->slots[i], r);
	}
	plan->result_size = p->noutcomes <= 126 ? 1 :
	    p->noutcomes <= 32766 ? 2 : 4;
}
