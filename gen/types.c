/* Types and spaces that a program leaves to be found: of accesses, from
   their locations; of registers, from their uses. */
#include "ptx.h"

/* What the uses of a register say of its width. */
struct width {
	int exact, least; /* bits, 0 = nothing said */
	struct loc exact_loc;
	enum type first; /* type of the first use of the exact width */
	bool pred;
};

/* An access by name has its location's type and space unless it says
   otherwise. */
static bool
access_defaults(struct program *p, struct thread *t, struct insn *insn,
    struct errs *errs)
{
	enum space space;
	int i;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];
		const struct var *v;

		if (o->kind != OPERAND_ADDR || o->var < 0)
			continue;
		v = &p->vars[o->var];
		if (op_has(insn->op, GROUP_TYPE) && insn->type == TYPE_NONE)
			insn->type = v->type;
		space = v->space == SPACE_SHARED && v->cta != t->cta ?
		    SPACE_SHARED_CLUSTER : v->space;
		if (op_has(insn->op, GROUP_SPACE) &&
		    insn->space == SPACE_GENERIC)
			insn->space = space;
	}
	if (op_has(insn->op, GROUP_TYPE) && insn->type == TYPE_NONE)
		return errs_say(errs, insn->loc, "%s needs a type where the "
		    "address is a register", insn->op->mnemonic);
	return true;
}

/* ld, st and cvt take registers wider than their type. */
static bool
takes_wider(const struct insn *insn)
{
	return insn->op->class == CLASS_LOAD ||
	    insn->op->class == CLASS_STORE || insn->op->id == OP_CVT;
}

static bool
use_add(const struct thread *t, struct width *widths, int reg,
    enum type type, bool exact, struct loc loc, struct errs *errs)
{
	struct width *w = &widths[reg];
	const char *name = t->regs[reg].name;
	bool pred = type == TYPE_PRED;
	int bits = 8 * type_size(type);

	if ((w->exact || w->least) && w->pred != pred)
		return errs_say(errs, loc, "'%s' is used as a predicate and "
		    "as a number (line %d)", name, w->exact_loc.line);
	w->pred = pred;
	if (bits < 16)
		bits = 16;
	if (w->exact && exact && w->exact != bits)
		return errs_say(errs, loc,
		    "'%s' is used with %d bits and with %d (line %d)", name,
		    bits, w->exact, w->exact_loc.line);
	if (!w->exact)
		w->exact_loc = loc;
	if (exact)
		w->exact = bits;
	else if (bits > w->least)
		w->least = bits;
	if (w->exact && w->least > w->exact)
		return errs_say(errs, loc,
		    "'%s' has %d bits, and here %d are needed", name,
		    w->exact, w->least);
	return true;
}

/* The first use of a number decides whether it has a sign. */
static void
first_set(struct width *w, enum type type)
{
	if (w->first == TYPE_NONE || (type_size(w->first) <
	    type_size(type) && w->first != TYPE_PRED))
		w->first = type;
}

static bool
operand_uses(const struct thread *t, const struct insn *insn, int i,
    struct width *widths, struct errs *errs)
{
	const struct operand *o = &insn->ops[i];
	enum type type = operand_type(insn, i);
	bool exact = !takes_wider(insn), ok = true;
	int j;

	if (o->kind == OPERAND_ADDR && o->reg >= 0) {
		enum space space = operand_space(insn, i);

		exact = space != SPACE_SHARED && space != SPACE_SHARED_CLUSTER;
		return use_add(t, widths, o->reg, exact ? TYPE_U64 :
		    TYPE_U32, exact, o->loc, errs);
	}
	if (operand_role(insn, i) == ROLE_NONE)
		return true;
	if (o->kind == OPERAND_REG) {
		first_set(&widths[o->reg], type);
		return use_add(t, widths, o->reg, type,
		    exact || type == TYPE_PRED, o->loc, errs);
	}
	for (j = 0; o->kind == OPERAND_VEC && j < o->nvec; j++) {
		first_set(&widths[o->vec[j]], type);
		ok = use_add(t, widths, o->vec[j], type, exact, o->loc,
		    errs) && ok;
	}
	return ok;
}

static enum type
width_type(const struct width *w)
{
	int bits = w->exact ? w->exact : w->least;

	if (w->pred)
		return TYPE_PRED;
	/* registers of 8 bits do not exist, and nobody wants 16 */
	if (!w->exact && bits < 32)
		bits = 32;
	if (8 * type_size(w->first) == bits)
		return w->first;
	if (type_signed(w->first))
		return bits == 16 ? TYPE_S16 : bits == 64 ? TYPE_S64 :
		    TYPE_S32;
	return bits == 16 ? TYPE_B16 : bits == 64 ? TYPE_B64 : TYPE_B32;
}

static bool
thread_types(struct thread *t, struct errs *errs)
{
	struct width widths[64] = {0};
	bool ok = true;
	int i, j;

	for (i = 0; i < t->nregs; i++)
		if (t->regs[i].type != TYPE_NONE) {
			widths[i].first = t->regs[i].type;
			ok = use_add(t, widths, i, t->regs[i].type, true,
			    t->regs[i].loc, errs) && ok;
		}
	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		if (insn->guard >= 0)
			ok = use_add(t, widths, insn->guard, TYPE_PRED, true,
			    insn->loc, errs) && ok;
		for (j = 0; j < insn->nops; j++)
			ok = operand_uses(t, insn, j, widths, errs) && ok;
	}
	for (i = 0; i < t->nregs; i++) {
		t->regs[i].type = width_type(&widths[i]);
		t->regs[i].init = value_cut(t->regs[i].init, t->regs[i].type);
	}
	return ok;
}

static bool
shared_owner(struct program *p, struct var *v, struct errs *errs)
{
	int i;

	if (v->space != SPACE_SHARED || v->cta >= 0)
		return true;
	for (i = 1; i < p->nthreads; i++)
		if (p->threads[i].cta != p->threads[0].cta)
			return errs_say(errs, v->loc, "shared location '%s' "
			    "needs the cta that it belongs to", v->name);
	v->cta = p->threads[0].cta;
	return true;
}

bool
program_types(struct program *p, struct errs *errs)
{
	bool ok = true;
	int i, j;

	for (i = 0; i < p->nvars; i++)
		ok = shared_owner(p, &p->vars[i], errs) && ok;
	for (i = 0; ok && i < p->nthreads; i++) {
		struct thread *t = &p->threads[i];

		if (t->nregs > 64)
			return errs_say(errs, t->loc,
			    "more than 64 registers in a thread");
		for (j = 0; j < t->ninsns; j++)
			ok = access_defaults(p, t, &t->insns[j], errs) && ok;
		ok = ok && thread_types(t, errs);
	}
	return ok;
}
