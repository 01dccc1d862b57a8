/*
 * The instructions of one thread of the test. They are a basic block of
 * their own: a branch that is never taken goes around them by way of a
 * loop, which no assembler turns into predicates. Without it ptxas moves
 * what comes before and after in between, even the wait for a load's value
 * before the store that follows the load.
 */
#include "emit.h"

static const struct thread *
thread_of(const struct emit *e, int thread)
{
	return &e->program->threads[thread];
}

struct speller {
	struct emit *e;
	int thread;
	const struct insn *insn;
};

static const char *
spell_reg(void *user, int reg)
{
	const struct speller *r = user;

	return thread_of(r->e, r->thread)->regs[reg].name;
}

/* SABOTAGE_SWAP_ROLES: the last thread takes the first two variables for
   each other. */
static int
swapped(const struct speller *r, int var)
{
	const struct emit *e = r->e;

	if (e->sabotage != SABOTAGE_SWAP_ROLES || var > 1 ||
	    r->thread != e->program->nthreads - 1 ||
	    !emit_uses(e, r->thread, !var))
		return var;
	return !var;
}

static const char *
spell_var(void *user, int var)
{
	struct speller *r = user;
	struct emit *e = r->e;
	bool shared = e->program->vars[var].space == SPACE_SHARED;
	bool generic = emit_wants_generic(e, r->thread, var);
	int i;

	for (i = 0; i < r->insn->nops; i++) {
		const struct operand *o = &r->insn->ops[i];

		if (o->kind == OPERAND_VAR && o->var == var && shared &&
		    type_size(r->insn->type) == 4)
			return emit_narrow_name(e, r->thread, var);
		if (o->kind == OPERAND_ADDR && o->var == var && shared &&
		    operand_space(r->insn, i) == SPACE_GENERIC && generic)
			return emit_generic_name(e, r->thread, var);
	}
	return e->program->vars[swapped(r, var)].name;
}

static const char *
label_of(const struct thread *t, int insn)
{
	int i;

	for (i = 0; i < t->nlabels; i++)
		if (t->labels[i].insn == insn)
			return t->labels[i].name;
	return NULL;
}

static const char *
spell_label(void *user, int insn)
{
	const struct speller *r = user;

	return label_of(thread_of(r->e, r->thread), insn);
}

static const char *
spell_imm(void *user, int operand, int64_t imm)
{
	struct speller *r = user;

	(void)operand;
	return emit_epoch(r->e, (uint64_t)imm, type_size(r->insn->type),
	    false);
}

/* The operand of a store that carries the launch number. */
unsigned
emit_carried(const struct emit *e, const struct insn *insn)
{
	return insn->op->class == CLASS_STORE && insn->ops[0].var >= 0 &&
	    e->plan->epoch[insn->ops[0].var] ? 2 : 0;
}

static bool
is_lost(const struct emit *e, int thread, int index)
{
	int i, j;

	if (e->sabotage != SABOTAGE_LOSE_STORE)
		return false;
	for (i = 0; i < e->program->nthreads; i++)
		for (j = 0; j < thread_of(e, i)->ninsns; j++)
			if (thread_of(e, i)->insns[j].op->class == CLASS_STORE)
				return i == thread && j == index;
	return false;
}

static void
put_text(struct emit *e, const char *s)
{
	emit_put(e, "%s", s);
}

static void
tested_insn(struct emit *e, int thread, int index)
{
	const struct insn *insn = &thread_of(e, thread)->insns[index];
	struct speller role = {e, thread, insn};
	struct spelling spelling = {
		.user = &role, .reg = spell_reg, .var = spell_var,
		.label = spell_label, .imm = spell_imm,
		.replace = emit_carried(e, insn),
	};
	struct text t;

	text_init(&t, e->arena);
	if (insn->op->class == CLASS_EXIT) {
		if (insn->guard >= 0)
			text_printf(&t, "@%s%s ", insn->guard_negated ? "!" :
			    "", spell_reg(&role, insn->guard));
		text_printf(&t, "bra $END%d", thread);
	} else {
		ptx_print(&t, insn, &spelling);
	}
	if (insn->op->class == CLASS_BRANCH && insn->ops[0].imm <= index) {
		emit_put(e, "add.s32 $spin, $spin, -1");
		emit_put(e, "setp.eq.s32 $p_hung, $spin, 0");
		emit_put(e, "@$p_hung bra $END%d", thread);
	}
	emit_line(e, 1000 * (thread + 1) + index);
	if (is_lost(e, thread, index))
		emit_note(e, "lost: %s", t.s);
	else
		put_text(e, t.s);
}

static bool
is_loop_head(const struct thread *t, int insn)
{
	int i;

	for (i = insn; i < t->ninsns; i++)
		if (t->insns[i].op->class == CLASS_BRANCH &&
		    t->insns[i].ops[0].imm == insn)
			return true;
	return false;
}

/* Is the register a load's, or an atom's, that no one looks at? */
static bool
is_unseen(const struct emit *e, int thread, int reg)
{
	const struct thread *t = thread_of(e, thread);
	bool loaded = false;
	int i, j;

	for (i = 0; i < e->program->nslots; i++)
		if (e->program->slots[i].thread == thread &&
		    e->program->slots[i].reg == reg)
			return false;
	for (i = 0; i < t->ninsns; i++) {
		enum op_class class = t->insns[i].op->class;

		if (class != CLASS_LOAD && class != CLASS_RMW)
			continue;
		for (j = 0; j < t->insns[i].nops; j++)
			loaded |= operand_role(&t->insns[i], j) ==
			    ROLE_WRITE && operand_has(&t->insns[i].ops[j], reg);
	}
	return loaded;
}

static void
keep_register(struct emit *e, const struct reg *r)
{
	if (type_size(r->type) == 8)
		emit_put(e, "cvt.u32.u64 $need, %s", r->name);
	else if (type_size(r->type) == 4)
		emit_put(e, "mov.b32 $need, %s", r->name);
	else
		emit_put(e, "cvt.u32.u16 $need, %s", r->name);
	emit_put(e, "add.u32 $needed, $needed, $need");
}

/* Loads whose values no one needs would be left out, and vectors made
   narrower: on a way that is never taken, all values are needed. */
static void
keep_loads(struct emit *e, int thread)
{
	const struct thread *t = thread_of(e, thread);
	bool any = false;
	int i;

	for (i = 0; i < t->nregs; i++)
		any |= is_unseen(e, thread, i);
	if (!any)
		return;
	emit_put(e, "@!$p_never bra.uni $KEPT%d", thread);
	emit_put(e, "mov.u32 $needed, 0");
	for (i = 0; i < t->nregs; i++)
		if (is_unseen(e, thread, i))
			keep_register(e, &t->regs[i]);
	emit_put(e, "st.volatile.global.u8 [$a_any], $needed");
	emit_label(e, "$KEPT%d", thread);
}

static void
need_address(struct emit *e, int thread, int var)
{
	const struct var *v = &e->program->vars[var];
	int cta = thread_of(e, thread)->cta;

	emit_put(e, "ld.volatile%s.u8 $need, [%s]", v->space == SPACE_GLOBAL ?
	    ".global" : v->cta == cta ? ".shared" : ".shared::cluster",
	    v->name);
	emit_put(e, "add.u32 $needed, $needed, $need");
	if (emit_wants_generic(e, thread, var)) {
		emit_put(e, "ld.volatile.u8 $need, [%s]",
		    emit_generic_name(e, thread, var));
		emit_put(e, "add.u32 $needed, $needed, $need");
	}
	if (emit_wants_narrow(e, thread, var))
		emit_put(e, "add.u32 $needed, $needed, %s",
		    emit_narrow_name(e, thread, var));
}

/* Needs all that the test needs, so that it is ready before the branch. */
static void
way_around(struct emit *e, int thread)
{
	const struct thread *t = thread_of(e, thread);
	int i;

	emit_label(e, "$AROUND%d", thread);
	emit_put(e, "mov.u32 $needed, 0");
	for (i = 0; i < e->program->nvars; i++)
		if (emit_uses(e, thread, i))
			need_address(e, thread, i);
	for (i = 0; i < t->ninsns; i++)
		if (emit_carried(e, &t->insns[i]))
			emit_put(e, "add.u32 $needed, $needed, %s",
			    emit_epoch(e, (uint64_t)t->insns[i].ops[1].imm, 4,
			    false));
	emit_put(e, "setp.gt.u32 $p_needed, $needed, 7");
	emit_put(e, "@$p_needed bra.uni $AROUND%d", thread);
	emit_put(e, "setp.eq.u32 $p_needed, $needed, 3");
	emit_put(e, "@$p_needed bra.uni $TEST%d", thread);
}

void
emit_tested(struct emit *e, int thread)
{
	const struct thread *t = thread_of(e, thread);
	int i;

	emit_put(e, "@$p_never bra.uni $AROUND%d", thread);
	emit_label(e, "$TEST%d", thread);
	emit_note(e, "---- the test's own instructions");
	for (i = 0; i <= t->ninsns; i++) {
		if (label_of(t, i))
			emit_label(e, "%s", label_of(t, i));
		if (label_of(t, i) && is_loop_head(t, i))
			text_printf(&e->text, "\t.pragma \"nounroll\";\n");
		if (i < t->ninsns)
			tested_insn(e, thread, i);
	}
	emit_line(e, EMIT_LINE_HARNESS);
	emit_note(e, "----");
	emit_put(e, "bra $END%d", thread);
	way_around(e, thread);
	emit_label(e, "$END%d", thread);
	keep_loads(e, thread);
}
