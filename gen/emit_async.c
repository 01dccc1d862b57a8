/*
 * What asynchronous copies and mbarriers ask of the harness: what was set
 * up must be seen by copies, and none may be under way when a role is done.
 */
#include "emit.h"

#define DRAIN_TURNS 256 /* a few microseconds: a copy takes less */

static bool
has_insn(const struct program *p, int thread, enum op_id id)
{
	int i;

	for (i = 0; i < p->threads[thread].ninsns; i++)
		if (p->threads[thread].insns[i].op->id == id)
			return true;
	return false;
}

static bool
program_has(const struct program *p, enum op_id id)
{
	int i;

	for (i = 0; i < p->nthreads; i++)
		if (has_insn(p, i, id))
			return true;
	return false;
}

void
emit_async_start(struct emit *e)
{
	const struct program *p = e->program;
	bool mbarriers = false;
	int i;

	for (i = 0; i < p->nvars; i++)
		mbarriers |= p->vars[i].arrivals > 0;
	if (mbarriers && p->sm >= 90)
		emit_put(e, "fence.mbarrier_init.release.cluster");
	if (program_has(p, OP_BULK))
		emit_put(e, "fence.proxy.async");
}

/* Is there a copy that completes on the mbarrier? In a register it could be
   any. */
static bool
is_copied_on(const struct program *p, int var)
{
	int t, i;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];

			if (insn->op->id == OP_BULK && insn->nops > 3 &&
			    (insn->ops[3].var == var || insn->ops[3].var < 0))
				return true;
			if (insn->op->id == OP_CP_ARRIVE &&
			    (insn->ops[0].var == var || insn->ops[0].var < 0))
				return true;
		}
	return false;
}

/* Are there arrivals for more than one phase? */
static bool
has_phases(const struct program *p, int var)
{
	int64_t arrivals = 0;
	int t, i, j;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];
			bool counted = insn->op->id == OP_MBARRIER_ARRIVE &&
			    insn->nops > 2;
			const struct operand *n = counted ?
			    &insn->ops[insn->nops - 1] : NULL;

			if (insn->op->id != OP_MBARRIER_ARRIVE &&
			    insn->op->id != OP_MBARRIER_ARRIVE_TX &&
			    insn->op->id != OP_CP_ARRIVE)
				continue;
			for (j = 0; insn->ops[j].kind != OPERAND_ADDR; j++)
				;
			if (insn->ops[j].var >= 0 && insn->ops[j].var != var)
				continue;
			if (insn_in_loop(&p->threads[t], i) ||
			    (counted && n->kind != OPERAND_IMM))
				return true;
			arrivals += counted ? n->imm : 1;
		}
	return arrivals >= 2 * (int64_t)p->vars[var].arrivals;
}

/* The first thread of the mbarrier's CTA that has its address. */
static int
drainer(const struct emit *e, int var)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cta == p->vars[var].cta &&
		    emit_names(e, i, var))
			return i;
	return -1;
}

/* Until the phase is complete, or for long enough. */
static void
await_phase(struct emit *e, int thread, int var, int element, int parity,
    const char *scope)
{
	int label = e->labels++;

	emit_put(e, "mov.u32 $left, %d", DRAIN_TURNS);
	emit_label(e, "$DRAIN%d", label);
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	emit_put(e, "mbarrier.test_wait.parity%s.shared.b64 $p_more, [%s+%d], "
	    "%d", scope, emit_var_name(e, thread, var), 8 * element, parity);
	emit_put(e, "@$p_more bra $DRAINED%d", label);
	emit_put(e, "add.s32 $left, $left, -1");
	emit_put(e, "setp.ne.s32 $p_more, $left, 0");
	emit_put(e, "@$p_more bra $DRAIN%d", label);
	emit_label(e, "$DRAINED%d", label);
}

void
emit_drain(struct emit *e, int thread)
{
	const struct program *p = e->program;
	int i, j;

	if (has_insn(p, thread, OP_CP_ASYNC))
		emit_put(e, "cp.async.wait_all");
	if (has_insn(p, thread, OP_BULK)) {
		emit_put(e, "cp.async.bulk.commit_group");
		emit_put(e, "cp.async.bulk.wait_group 0");
	}
	for (i = 0; i < p->nvars; i++) {
		if (!p->vars[i].mbarrier || drainer(e, i) != thread ||
		    !is_copied_on(p, i))
			continue;
		emit_note(e, "copies that count on %s", p->vars[i].name);
		for (j = 0; j < p->vars[i].count; j++) {
			await_phase(e, thread, i, j, 0, "");
			if (has_phases(p, i))
				await_phase(e, thread, i, j, 1, "");
		}
	}
}

/* ---- when all roles are done ------------------------------------------- */

static bool
is_bulk_copied_on(const struct program *p, int var)
{
	return p->vars[var].mbarrier && program_has(p, OP_BULK) &&
	    is_copied_on(p, var);
}

static bool
reports_shared(const struct emit *e, int thread)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].var >= 0 && e->plan->report[i].thread == thread)
			return true;
	return false;
}

static bool
is_first_of_cta(const struct program *p, int thread)
{
	int i;

	for (i = 0; i < thread; i++)
		if (p->threads[i].cta == p->threads[thread].cta)
			return false;
	return true;
}

/*
 * Does it wait for the copies that count on an mbarrier of its CTA? Who
 * issued them may have come later than anyone drained, and the phase may be
 * complete without their bytes; yet what they write is looked at now, or the
 * CTA may end.
 */
bool
emit_settles(const struct emit *e, int thread, int var)
{
	const struct program *p = e->program;

	if (p->threads[thread].cta != p->vars[var].cta ||
	    !is_bulk_copied_on(p, var))
		return false;
	return reports_shared(e, thread) || (drainer(e, var) < 0 &&
	    is_first_of_cta(p, thread));
}

/* Either phase: one of them is not over while bytes are to come. */
void
emit_settle(struct emit *e, int thread)
{
	const struct program *p = e->program;
	int i, j, parity;

	for (i = 0; i < p->nvars; i++) {
		if (!emit_settles(e, thread, i))
			continue;
		emit_note(e, "late copies that count on %s", p->vars[i].name);
		for (j = 0; j < p->vars[i].count; j++)
			for (parity = 0; parity < 2; parity++)
				await_phase(e, thread, i, j, parity,
				    ".acquire.cluster");
	}
}
