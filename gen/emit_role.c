/*
 * A role: one thread of the test. Its instructions stand in a scope of
 * their own in which registers and variables have the test's names.
 */
#include "emit.h"

#include <string.h>

static const struct thread *
thread_of(const struct emit *e, int thread)
{
	return &e->program->threads[thread];
}

/* ---- before the test ---------------------------------------------------- */

static const char *
declared_type(enum type t)
{
	if (t == TYPE_PRED)
		return "pred";
	return type_size(t) == 8 ? "b64" : type_size(t) == 4 ? "b32" : "b16";
}

static void
scope_open(struct emit *e, int thread)
{
	static const char *const types[] = {"pred", "b16", "b32", "b64"};
	const struct thread *t = thread_of(e, thread);
	size_t k;
	int i;

	text_printf(&e->text, "\t{\n");
	for (i = 0; i < e->program->nvars; i++)
		if (emit_uses(e, thread, i))
			emit_put(e, ".reg .b64 %s", e->program->vars[i].name);
	for (k = 0; k < 4; k++) {
		int n = 0;

		for (i = 0; i < t->nregs; i++)
			if (!strcmp(declared_type(t->regs[i].type), types[k]))
				text_printf(&e->text, "%s%s", n++ ? ", " :
				    arena_printf(e->arena, "\t.reg .%s ",
				    types[k]), t->regs[i].name);
		text_printf(&e->text, "%s", n ? ";\n" : "");
	}
}

/* Is the register surely written before anyone looks at it? */
static bool
is_written_first(const struct thread *t, int reg)
{
	int i, j;

	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];
		bool written = false;

		if (insn->op->class == CLASS_BRANCH || insn->guard == reg)
			return false;
		for (j = 0; j < insn->nops; j++) {
			if (!operand_has(&insn->ops[j], reg))
				continue;
			if (operand_role(insn, j) != ROLE_WRITE)
				return false;
			written = true;
		}
		if (written)
			return insn->guard < 0;
	}
	return false;
}

static void
registers_start(struct emit *e, int thread)
{
	const struct thread *t = thread_of(e, thread);
	int i;

	for (i = 0; i < t->nregs; i++) {
		const struct reg *r = &t->regs[i];

		if (r->init == 0 && is_written_first(t, i))
			continue;
		if (r->type == TYPE_PRED)
			emit_put(e, "setp.ne.u32 %s, %d, 0", r->name,
			    r->init != 0);
		else
			emit_put(e, "mov.%s %s, %llu", declared_type(r->type),
			    r->name, (unsigned long long)r->init);
	}
	if (thread_spins(t))
		emit_put(e, "mov.u32 $spin, %d", e->plan->env.spin);
}

/* The values that stores of this role carry, in registers beforehand. */
static void
stored_values(struct emit *e, int thread)
{
	const struct thread *t = thread_of(e, thread);
	int i;

	for (i = 0; i < t->ninsns; i++)
		if (emit_carried(e, &t->insns[i]))
			emit_epoch(e, (uint64_t)t->insns[i].ops[1].imm,
			    type_size(t->insns[i].type), false);
}

/* Gives the variables their names in the scope. */
static void
variables_start(struct emit *e, int thread)
{
	int i;

	for (i = 0; i < e->program->nvars; i++) {
		const char *bare = e->program->vars[i].name;
		const char *from = emit_var_name(e, thread, i);

		if (emit_uses(e, thread, i) && strcmp(bare, from))
			emit_put(e, "mov.b64 %s, %s", bare, from);
	}
}

/* ---- what came out ----------------------------------------------------- */

static struct codes
codes_of(const struct emit *e)
{
	static const struct codes by_size[] = {
		[1] = {126, 127}, [2] = {32766, 32767},
		[4] = {0xfffffe, 0xffffff},
	};

	if (e->plan->env.tally == TALLY_FUSED)
		return (struct codes){e->program->noutcomes,
		    e->program->noutcomes + 1};
	return by_size[e->plan->result_size];
}

/* Shared variables are looked at by their owner when all are done. */
static void
finish_shared(struct emit *e)
{
	const struct program *p = e->program;
	bool seen = false;
	int i;

	for (i = 0; i < p->nslots; i++)
		seen |= p->slots[i].var >= 0 && e->plan->report[i].thread >= 0;
	if (emit_remote(e)) {
		emit_put(e, "barrier.cluster.arrive");
		emit_put(e, "barrier.cluster.wait");
	} else if (seen) {
		emit_sync(e);
	}
}

static void
slot_shared(struct emit *e, int thread, int s, const char *code, bool first,
    uint32_t other)
{
	const struct slot *slot = &e->program->slots[s];
	const struct var *v = &e->program->vars[slot->var];
	const char *to = v->size == 8 ? "$w_final" : "$final";

	emit_put(e, "ld.shared.%s %s, [%s+%d]", emit_load_type(v->size), to,
	    emit_var_name(e, thread, slot->var), slot->elem * v->size);
	emit_slot(e, s, to, v->size == 8 ? TYPE_B64 : TYPE_B32, code, first,
	    other);
}

/* Where a register waits for the end if other roles come in between. */
static const char *
copy_name(struct emit *e, int s)
{
	const struct slot *slot = &e->program->slots[s];
	enum type type = thread_of(e, slot->thread)->regs[slot->reg].type;

	return arena_printf(e->arena, "$%sseen%d", type == TYPE_PRED ? "p_" :
	    type_size(type) == 8 ? "w_" : "", s);
}

static enum type
copy_type(enum type type)
{
	return type != TYPE_PRED && type_size(type) < 4 ? TYPE_B32 : type;
}

static void
copy_out(struct emit *e, int thread)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < p->nslots; i++) {
		const struct reg *r;
		const char *to;

		if (p->slots[i].thread != thread)
			continue;
		r = &p->threads[thread].regs[p->slots[i].reg];
		to = copy_name(e, i);
		if (r->type == TYPE_PRED) {
			emit_put(e, "mov.pred %s, %s", to, r->name);
		} else if (type_size(r->type) < 4) {
			emit_put(e, "cvt.u32.u16 %s, %s", to, r->name);
			if (type_size(r->type) == 1)
				emit_put(e, "and.b32 %s, %s, 255", to, to);
		} else {
			emit_put(e, "mov.%s %s, %s", declared_type(r->type),
			    to, r->name);
		}
	}
}

static void
slot_register(struct emit *e, int s, bool first, uint32_t other)
{
	const struct slot *slot = &e->program->slots[s];
	const struct reg *r = &thread_of(e, slot->thread)->regs[slot->reg];

	if (e->plan->env.layout == LAYOUT_ALL)
		emit_slot(e, s, copy_name(e, s), copy_type(r->type), "$code",
		    first, other);
	else
		emit_slot(e, s, r->name, r->type, "$code", first, other);
}

/* $code: the sum of what the role saw, or other, or hang. */
static void
decode(struct emit *e, int thread, struct codes codes)
{
	int i, n = 0;

	for (i = 0; i < e->program->nslots; i++) {
		if (e->plan->report[i].thread != thread)
			continue;
		if (e->program->slots[i].var >= 0)
			slot_shared(e, thread, i, "$code", n == 0,
			    codes.other);
		else
			slot_register(e, i, n == 0, codes.other);
		n++;
	}
	if (n == 0)
		emit_put(e, "mov.u32 $code, 0");
	if (n > 1)
		emit_put(e, "min.u32 $code, $code, %u", codes.other);
	if (thread_spins(thread_of(e, thread))) {
		emit_put(e, "setp.eq.s32 $p_hung, $spin, 0");
		emit_put(e, "selp.b32 $code, %u, $code, $p_hung", codes.hang);
	}
}

static const char *
result_name(struct emit *e, int thread)
{
	return arena_printf(e->arena, "$a_result%d", thread);
}

static void
result_address(struct emit *e, int thread)
{
	const char *to = result_name(e, thread), *index = "$inst";

	if (!e->plan->result_bytes[thread])
		return;
	emit_param(e, to, arena_printf(e->arena, "result_%d", thread));
	if (e->plan->result_size > 1) {
		index = "$result_at";
		emit_times(e, index, "$inst",
		    (uint32_t)e->plan->result_size);
	}
	emit_offset(e, to, to, index);
}

/* Odd launches write the complement, so that a result left over from the
   launch before is not taken for one of this. */
static void
result_store(struct emit *e, int thread)
{
	const char *keep = "";

	emit_put(e, "xor.b32 $code, $code, $mark");
	if (e->sabotage == SABOTAGE_LOSE_RESULT) {
		emit_put(e, "setp.ne.u32 $p_kept, %s, 5",
		    e->plan->env.layout == LAYOUT_ALL ? "$tid" : "$local");
		keep = "@$p_kept ";
	}
	emit_put(e, "%sst.global.%s [%s], $code", keep,
	    emit_load_type(e->plan->result_size), result_name(e, thread));
}

static void
fused_count(struct emit *e)
{
	emit_put(e, "shl.b32 $code, $code, 2");
	emit_put(e, "mov.u32 $counter, $COUNTS");
	emit_put(e, "add.u32 $counter, $counter, $code");
	emit_put(e, "red.relaxed.cta.shared.add.u32 [$counter], 1");
}

static void
report(struct emit *e, int thread)
{
	if (!plan_reports_thread(e->plan, thread))
		return;
	decode(e, thread, codes_of(e));
	if (e->plan->env.tally == TALLY_FUSED)
		fused_count(e);
	else
		result_store(e, thread);
}

/* The tally runs when the launch number may already be the next one's: it
   has a copy of its own, from whoever runs the first instance. */
static void
launch_copy(struct emit *e, int thread)
{
	if (thread != 0 || !plan_test_reads_epoch(e->plan) ||
	    e->plan->env.tally == TALLY_FUSED)
		return;
	emit_put(e, "setp.eq.u32 $p_first, $inst, 0");
	emit_put(e, "@$p_first st.global.v2.u32 [$a_epoch+16], "
	    "{$base, $mark}");
}

/* ---- whole roles ------------------------------------------------------- */

void
emit_role(struct emit *e, int thread)
{
	emit_forget(e);
	emit_label(e, "$ROLE%d", thread);
	emit_instance(e, thread);
	launch_copy(e, thread);
	scope_open(e, thread);
	emit_addresses(e, thread);
	stored_values(e, thread);
	emit_before(e, thread);
	registers_start(e, thread);
	emit_align(e, thread);
	emit_delay(e, thread);
	emit_tested(e, thread);
	emit_drain(e, thread);
	finish_shared(e);
	emit_settle(e, thread);
	result_address(e, thread);
	report(e, thread);
	text_printf(&e->text, "\t}\n");
}

/* Every thread plays all roles: first what they all need, then their
   instructions, then what they saw. */
void
emit_all_roles(struct emit *e)
{
	int n = e->program->nthreads, i;

	for (i = 0; i < n; i++) {
		emit_note(e, "for P%d", i);
		emit_instance(e, i);
		launch_copy(e, i);
		emit_addresses(e, i);
		stored_values(e, i);
		emit_before(e, i);
		result_address(e, i);
	}
	emit_align(e, 0);
	emit_delay(e, 0);
	for (i = 0; i < n; i++) {
		int thread = e->plan->env.swap ? n - 1 - i : i;

		scope_open(e, thread);
		variables_start(e, thread);
		registers_start(e, thread);
		emit_tested(e, thread);
		copy_out(e, thread);
		text_printf(&e->text, "\t}\n");
	}
	finish_shared(e);
	for (i = 0; i < n; i++)
		report(e, i);
}
