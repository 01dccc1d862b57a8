/* Asynchronous copies and mbarriers: what a program must satisfy. */
#include "ptx.h"

#define BULK_UNIT 16 /* bytes: sizes and alignment of bulk copies */

bool
insn_is_copy(const struct insn *insn)
{
	return insn->op->id == OP_CP_ASYNC || insn->op->id == OP_BULK;
}

bool
insn_is_wait(const struct insn *insn)
{
	return insn->op->id == OP_MBARRIER_TEST ||
	    insn->op->id == OP_MBARRIER_TRY;
}

int
operand_bytes(const struct insn *insn, int operand)
{
	if (!insn_is_copy(insn))
		return insn->vec * type_size(insn->type);
	return operand > 2 ? 8 : (int)insn->ops[2].imm;
}

enum space
operand_space(const struct insn *insn, int operand)
{
	if (!insn_is_copy(insn) || operand == 0)
		return insn->space;
	/* the mbarrier is where the copy goes */
	return operand == 1 ? insn->from : insn->space;
}

/* ---- copies ------------------------------------------------------------ */

static bool
size_check(const struct insn *insn, struct errs *errs)
{
	const struct operand *o = &insn->ops[2];

	if (o->kind != OPERAND_IMM)
		return errs_say(errs, o->loc,
		    "the size of a copy must be a number here");
	if (insn->op->id == OP_BULK)
		return (o->imm > 0 && o->imm % BULK_UNIT == 0 &&
		    o->imm <= 4096) || errs_say(errs, o->loc,
		    "a bulk copy is of 16, 32 ... 4096 bytes");
	if (insn->cache == CACHE_CG)
		return o->imm == 16 || errs_say(errs, o->loc,
		    "cp.async.cg copies 16 bytes");
	return o->imm == 4 || o->imm == 8 || o->imm == 16 || errs_say(errs,
	    o->loc, "cp.async copies 4, 8 or 16 bytes");
}

static bool
end_check(struct program *p, const struct insn *insn, int operand,
    struct errs *errs)
{
	const struct operand *o = &insn->ops[operand];
	int unit = insn->op->id == OP_BULK ? BULK_UNIT :
	    (int)insn->ops[2].imm;
	struct var *v;

	if (o->var < 0)
		return true;
	if (o->imm % unit != 0)
		return errs_say(errs, o->loc, "a copy at offset %lld is not "
		    "aligned to %d bytes", (long long)o->imm, unit);
	for (v = &p->vars[o->var]; ; v = &p->vars[v->alias_of]) {
		if (v->align < unit)
			v->align = unit;
		if (v->alias_of < 0)
			break;
	}
	return v->size <= insn->ops[2].imm || errs_say(errs, o->loc,
	    "elements of '%s' have %d bytes, and %lld are copied", v->name,
	    v->size, (long long)insn->ops[2].imm);
}

static bool
copy_check(struct program *p, const struct insn *insn, struct errs *errs)
{
	const struct operand *to = &insn->ops[0], *from = &insn->ops[1];
	const struct operand *bar = &insn->ops[3];

	if (!size_check(insn, errs) || !end_check(p, insn, 0, errs) ||
	    !end_check(p, insn, 1, errs))
		return false;
	if (to->var >= 0 && from->var >= 0 &&
	    p->vars[to->var].size != p->vars[from->var].size)
		return errs_say(errs, from->loc, "'%s' and '%s' have elements "
		    "of different sizes", p->vars[to->var].name,
		    p->vars[from->var].name);
	if (insn->nops > 3 && bar->var >= 0 && to->var >= 0 &&
	    p->vars[bar->var].cta != p->vars[to->var].cta)
		return errs_say(errs, bar->loc, "the mbarrier of a copy is in "
		    "the CTA that is copied to");
	return true;
}

/* ---- mbarriers --------------------------------------------------------- */

static bool
is_mbarrier_operand(const struct insn *insn, int operand)
{
	if (insn->ops[operand].kind != OPERAND_ADDR)
		return false;
	return insn->op->class == CLASS_MBARRIER ||
	    insn->op->id == OP_CP_ARRIVE ||
	    (insn_is_copy(insn) && operand == 3);
}

static bool
mbarrier_find(struct program *p, const struct insn *insn, struct errs *errs)
{
	int i;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];
		struct var *v = o->kind == OPERAND_ADDR && o->var >= 0 ?
		    &p->vars[o->var] : NULL;

		if (!v || !is_mbarrier_operand(insn, i))
			continue;
		if (v->size != 8 || v->space != SPACE_SHARED ||
		    v->alias_of >= 0)
			return errs_say(errs, o->loc, "'%s' can be no "
			    "mbarrier, which is 8 bytes of shared memory",
			    v->name);
		v->mbarrier = true;
	}
	return true;
}

static bool
opaque_check(const struct program *p, const struct insn *insn,
    struct errs *errs)
{
	int i;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (o->kind == OPERAND_ADDR && o->var >= 0 &&
		    p->vars[o->var].mbarrier && !is_mbarrier_operand(insn, i))
			return errs_say(errs, o->loc, "'%s' is an mbarrier, "
			    "which only mbarrier instructions look at",
			    p->vars[o->var].name);
	}
	return true;
}

/* A number that an mbarrier counts: arrivals, or bytes. */
static bool
count_check(const struct insn *insn, struct errs *errs)
{
	bool bytes = insn->op->id == OP_MBARRIER_ARRIVE_TX ||
	    insn->op->id == OP_MBARRIER_EXPECT_TX;
	const struct operand *o;

	if (insn->op->class != CLASS_MBARRIER || insn->nops == 0 ||
	    insn_is_wait(insn))
		return true;
	o = &insn->ops[insn->nops - 1];
	if (o->kind != OPERAND_IMM)
		return true;
	return (o->imm >= (bytes ? 0 : 1) && o->imm <= MBARRIER_COUNT_MAX) ||
	    errs_say(errs, o->loc, "an mbarrier counts %s %d",
	    bytes ? "up to" : "from 1 to", MBARRIER_COUNT_MAX);
}

static bool
mbarrier_check(const struct insn *insn, struct errs *errs)
{
	if (insn->op->class == CLASS_MBARRIER &&
	    insn->space == SPACE_SHARED_CLUSTER &&
	    insn->ops[0].kind == OPERAND_REG)
		return errs_say(errs, insn->ops[0].loc, "an arrival at an "
		    "mbarrier of another CTA returns nothing: write _");
	if (insn_is_wait(insn) && insn->mode == MODE_PARITY &&
	    insn->ops[2].kind == OPERAND_IMM &&
	    (insn->ops[2].imm < 0 || insn->ops[2].imm > 1))
		return errs_say(errs, insn->ops[2].loc,
		    "the parity of a phase is 0 or 1");
	if ((insn->op->id == OP_CP_WAIT || insn->op->id == OP_BULK_WAIT) &&
	    (insn->ops[0].kind != OPERAND_IMM || insn->ops[0].imm < 0))
		return errs_say(errs, insn->ops[0].loc,
		    "the groups that may be pending must be a number");
	return count_check(insn, errs);
}

/* ---- the states that arrivals return ------------------------------------- */

static bool
is_state_use(const struct insn *insn, int operand)
{
	return operand == 2 && insn->mode != MODE_PARITY &&
	    insn_is_wait(insn);
}

static bool
state_used(const struct program *p, int thread, int reg, struct loc *loc)
{
	const struct thread *t = &p->threads[thread];
	int i, j;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == thread && p->slots[i].reg == reg) {
			*loc = t->regs[reg].loc;
			return true;
		}
	for (i = 0; i < t->ninsns; i++)
		for (j = 0; j < t->insns[i].nops; j++) {
			const struct operand *o = &t->insns[i].ops[j];

			*loc = o->loc;
			if (operand_has(o, reg) &&
			    operand_role(&t->insns[i], j) != ROLE_WRITE &&
			    !is_state_use(&t->insns[i], j))
				return true;
		}
	return false;
}

static bool
states_check(const struct program *p, int thread, struct errs *errs)
{
	const struct thread *t = &p->threads[thread];
	struct loc loc;
	int i;

	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		if (insn->op->class != CLASS_MBARRIER || !insn->nops ||
		    operand_letter(insn, 0) != 'o' ||
		    insn->ops[0].kind != OPERAND_REG ||
		    !state_used(p, thread, insn->ops[0].reg, &loc))
			continue;
		return errs_say(errs, loc, "'%s' holds the state of an "
		    "mbarrier, which only test_wait and try_wait understand",
		    t->regs[insn->ops[0].reg].name);
	}
	return true;
}

/* ---- the whole ---------------------------------------------------------- */

static bool
slots_check(const struct program *p, struct errs *errs)
{
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread < 0 &&
		    p->vars[p->slots[i].var].mbarrier)
			return errs_say(errs, p->vars[p->slots[i].var].loc,
			    "'%s' is an mbarrier, which cannot be observed",
			    p->vars[p->slots[i].var].name);
	return true;
}

bool
async_check(struct program *p, struct errs *errs)
{
	bool ok = true;
	int t, i;

	for (i = 0; i < p->nvars; i++)
		p->vars[i].mbarrier = p->vars[i].arrivals > 0;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			ok = mbarrier_find(p, &p->threads[t].insns[i], errs) &&
			    ok;
	for (t = 0; ok && t < p->nthreads; t++) {
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];

			ok = opaque_check(p, insn, errs) &&
			    mbarrier_check(insn, errs) &&
			    (!insn_is_copy(insn) ||
				copy_check(p, insn, errs)) && ok;
		}
		ok = states_check(p, t, errs) && ok;
	}
	return ok && slots_check(p, errs);
}
