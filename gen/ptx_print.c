/* One instruction as canonical PTX. */
#include "ptx.h"

#include <string.h>

/* .weak is left out where PTX has no room for it. */
static bool
is_silent(const struct insn *insn, enum group_id group)
{
	return group == GROUP_SEM_LD && insn->sem == SEM_WEAK &&
	    (insn->nc || insn->space == SPACE_PARAM ||
		insn->space == SPACE_CONST);
}

static void
opcode_print(struct text *t, const struct insn *insn)
{
	const char *m = insn->op->mnemonic;
	size_t first = strcspn(m, ".");
	enum group_id g;

	if (insn->op->class == CLASS_BARRIER && insn->scope == SCOPE_CTA)
		text_printf(t, "%.*s.cta%s", (int)first, m, m + first);
	else
		text_printf(t, "%s", m);
	for (g = 0; g < GROUP_COUNT; g++) {
		const struct qual *q;

		if (!op_has(insn->op, g) || is_silent(insn, g))
			continue;
		q = insn_qual(insn, g);
		if (q)
			text_printf(t, ".%s", q->spelling);
	}
}

static void
address_print(struct text *t, const struct operand *o,
    const struct spelling *y)
{
	if (o->var < 0 && o->reg < 0) {
		text_printf(t, "[%lld]", (long long)o->imm);
		return;
	}
	text_printf(t, "[%s", o->var >= 0 ? y->var(y->user, o->var) :
	    y->reg(y->user, o->reg));
	/* PTX has no minus here */
	if (o->imm)
		text_printf(t, "+%lld", (long long)o->imm);
	text_printf(t, "]");
}

static void
vector_print(struct text *t, const struct operand *o,
    const struct spelling *y)
{
	int i;

	text_printf(t, "{");
	for (i = 0; i < o->nvec; i++)
		text_printf(t, "%s%s", i ? ", " : "",
		    y->reg(y->user, o->vec[i]));
	text_printf(t, "}");
}

static void
operand_print(struct text *t, const struct insn *insn, int i,
    const struct spelling *y)
{
	const struct operand *o = &insn->ops[i];

	switch (o->kind) {
	case OPERAND_REG:
		text_printf(t, "%s%s", o->negated ? "!" : "",
		    y->reg(y->user, o->reg));
		break;
	case OPERAND_IMM:
		if (y->imm && y->replace >> i & 1)
			text_printf(t, "%s", y->imm(y->user, i, o->imm));
		else
			text_printf(t, "%lld", (long long)o->imm);
		break;
	case OPERAND_ADDR:
		address_print(t, o, y);
		break;
	case OPERAND_VAR:
		text_printf(t, "%s", y->var(y->user, o->var));
		break;
	case OPERAND_LABEL:
		text_printf(t, "%s", y->label(y->user, (int)o->imm));
		break;
	case OPERAND_SPECIAL:
		text_printf(t, "%s", y->special(y->user, o->special));
		break;
	case OPERAND_VEC:
		vector_print(t, o, y);
		break;
	case OPERAND_SINK:
		text_printf(t, "_");
		break;
	case OPERAND_NONE:
		break;
	}
}

void
ptx_print(struct text *t, const struct insn *insn,
    const struct spelling *spelling)
{
	int i;

	if (insn->guard >= 0)
		text_printf(t, "@%s%s ", insn->guard_negated ? "!" : "",
		    spelling->reg(spelling->user, insn->guard));
	opcode_print(t, insn);
	for (i = 0; i < insn->nops; i++) {
		text_printf(t, "%s", i == 0 ? " " :
		    operand_letter(insn, i) == '|' ? "|" : ", ");
		operand_print(t, insn, i, spelling);
	}
}

/* ---- with a program's own names ---------------------------------------- */

struct names {
	const struct program *program;
	const struct thread *thread;
};

static const char *
names_reg(void *user, int reg)
{
	return ((struct names *)user)->thread->regs[reg].name;
}

static const char *
names_var(void *user, int var)
{
	return ((struct names *)user)->program->vars[var].name;
}

static const char *
names_label(void *user, int insn)
{
	const struct thread *thread = ((struct names *)user)->thread;
	int i;

	for (i = 0; i < thread->nlabels; i++)
		if (thread->labels[i].insn == insn)
			return thread->labels[i].name;
	return "?";
}

void
insn_print(struct text *t, const struct program *p, int thread,
    const struct insn *insn)
{
	struct names names = {p, &p->threads[thread]};
	struct spelling spelling = {
		.user = &names, .reg = names_reg, .var = names_var,
		.label = names_label,
	};

	ptx_print(t, insn, &spelling);
}
