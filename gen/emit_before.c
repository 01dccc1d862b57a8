/* What happens before a test's instructions, and in stress CTAs. */
#include "emit.h"

static const char *
scratch(struct emit *e, const char *to, size_t offset)
{
	emit_param(e, to, "scratch");
	if (offset)
		emit_put(e, "add.u64 %s, %s, %zu", to, to, offset);
	return to;
}

/* $hash: a number of this thread, role and launch. */
static void
hash(struct emit *e, uint32_t salt)
{
	emit_put(e, "ld.param.u32 $seed, [seed]");
	if (plan_test_reads_epoch(e->plan))
		emit_put(e, "add.u32 $seed, $seed, $base");
	emit_put(e, "mad.lo.u32 $hash, $cta, %u, $tid", e->plan->test.block);
	emit_put(e, "add.u32 $hash, $hash, %u", salt);
	emit_put(e, "mad.lo.u32 $hash, $hash, -1640531535, $seed");
	emit_put(e, "shr.u32 $mixed, $hash, 15");
	emit_put(e, "xor.b32 $hash, $hash, $mixed");
	emit_put(e, "mul.lo.u32 $hash, $hash, -2048144777");
	emit_put(e, "shr.u32 $mixed, $hash, 13");
	emit_put(e, "xor.b32 $hash, $hash, $mixed");
}

/* ---- stress ------------------------------------------------------------ */

/* One access, strong so that the assembler keeps it; what is loaded goes
   into the next address, so that it is needed. */
static void
stress_access(struct emit *e, enum stress stress)
{
	const struct env *v = &e->plan->env;

	emit_put(e, "mad.lo.u32 $hash, $hash, 1664525, 1013904223");
	emit_put(e, "mul.hi.u32 $line, $hash, %d", v->stress_lines);
	emit_times(e, "$line", "$line", 128 * (uint32_t)v->stress_spread);
	emit_offset(e, "$a_line", "$a_stress", "$line");
	emit_line(e, EMIT_LINE_STRESS);
	if (stress == STRESS_LOAD || stress == STRESS_LOAD_STORE)
		emit_put(e, "ld.relaxed.gpu.global.u32 $loaded, [$a_line]");
	if (stress == STRESS_STORE || stress == STRESS_LOAD_STORE)
		emit_put(e, "st.relaxed.gpu.global.u32 [$a_line+4], $hash");
	if (stress == STRESS_ATOMIC)
		emit_put(e, "red.relaxed.gpu.global.add.u32 [$a_line+8], 1");
	emit_line(e, EMIT_LINE_HARNESS);
	if (stress == STRESS_LOAD || stress == STRESS_LOAD_STORE)
		emit_put(e, "xor.b32 $hash, $hash, $loaded");
}

static void
stress_loop(struct emit *e, enum stress stress, int turns, int label)
{
	scratch(e, "$a_stress", e->plan->stress_offset);
	emit_put(e, "mov.u32 $left, %d", turns);
	emit_label(e, "$STRESSING%d", label);
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	stress_access(e, stress);
	emit_put(e, "add.s32 $left, $left, -1");
	emit_put(e, "setp.ne.s32 $p_more, $left, 0");
	emit_put(e, "@$p_more bra $STRESSING%d", label);
}

void
emit_stress(struct emit *e)
{
	if (e->plan->env.stress == STRESS_NONE)
		return;
	emit_label(e, "$STRESS");
	hash(e, 17);
	stress_loop(e, (enum stress)e->plan->env.stress,
	    e->plan->env.stress_turns, e->labels++);
	emit_put(e, "ret");
}

static void
pre_stress(struct emit *e, int thread)
{
	enum stress stress = (enum stress)e->plan->env.stress;

	if (e->plan->env.pre_stress == 0)
		return;
	emit_note(e, "stress by the role itself");
	hash(e, 3 * (uint32_t)thread);
	stress_loop(e, stress ? stress : STRESS_LOAD_STORE,
	    e->plan->env.pre_stress, e->labels++);
}

/* ---- caches ------------------------------------------------------------ */

static void
evict(struct emit *e, int thread)
{
	uint32_t lines = 32768;
	int label = e->labels++;

	if (e->plan->env.evict == 0)
		return;
	emit_note(e, "push lines out of the L1");
	hash(e, 5 * (uint32_t)thread + 1);
	scratch(e, "$a_stress", e->plan->stress_offset);
	emit_put(e, "mov.u32 $left, %d", e->plan->env.evict);
	emit_label(e, "$EVICT%d", label);
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	emit_put(e, "and.b32 $line, $hash, %u", lines - 1);
	emit_put(e, "shl.b32 $line, $line, 7");
	emit_offset(e, "$a_line", "$a_stress", "$line");
	emit_put(e, "ld.global.u32 $loaded, [$a_line]");
	emit_put(e, "or.b32 $sink, $sink, $loaded");
	emit_put(e, "add.u32 $hash, $hash, 97");
	emit_put(e, "add.s32 $left, $left, -1");
	emit_put(e, "setp.ne.s32 $p_more, $left, 0");
	emit_put(e, "@$p_more bra $EVICT%d", label);
}

static bool
is_warmed(const struct emit *e, int thread, int var)
{
	const struct thread *t = &e->program->threads[thread];
	int i;

	if (e->program->vars[var].space != SPACE_GLOBAL)
		return false;
	for (i = 0; i < t->nwarm; i++)
		if (t->warm[i] == var)
			return true;
	return e->plan->env.warm;
}

/* A load for each 32 bytes. */
static bool
warm(struct emit *e, int thread)
{
	bool any = false;
	int i, j;

	for (i = 0; i < e->program->nvars; i++) {
		const struct var *v = &e->program->vars[i];
		int size = v->size > 4 ? 4 : v->size;

		if (!is_warmed(e, thread, i))
			continue;
		if (!any)
			emit_note(e, "warm the L1");
		any = true;
		for (j = 0; j < v->size * v->count; j += 32) {
			emit_put(e, "ld.global.%s $loaded, [%s+%d]",
			    emit_load_type(size), emit_var_name(e, thread, i),
			    j);
			emit_put(e, "or.b32 $sink, $sink, $loaded");
		}
	}
	return any;
}

/* The loads must be done, and must not be left out: what they brought
   decides whether there is a store to a place that no one reads. */
static void
drain(struct emit *e)
{
	emit_put(e, "setp.eq.u32 $p_sunk, $sink, -1522443147");
	scratch(e, "$a_line", e->plan->stress_offset);
	emit_put(e, "@$p_sunk st.global.u32 [$a_line], $sink");
}

static bool
has_warm(const struct emit *e, int thread)
{
	int i;

	for (i = 0; i < e->program->nvars; i++)
		if (is_warmed(e, thread, i))
			return true;
	return false;
}

void
emit_before(struct emit *e, int thread)
{
	bool loads = e->plan->env.evict || has_warm(e, thread);

	pre_stress(e, thread);
	if (!loads)
		return;
	emit_put(e, "mov.u32 $sink, 0");
	evict(e, thread);
	warm(e, thread);
	drain(e);
}

/* ---- starting together ------------------------------------------------- */

/* Arrives at the counter at $a_count and waits for $due arrivals; not for
   ever, since all that is lost is that the threads start together. */
static void
await(struct emit *e, int label)
{
	emit_put(e, "red.relaxed.gpu.global.add.u32 [$a_count], 1");
	emit_put(e, "mov.u32 $left, %d", e->plan->await);
	emit_label(e, "$AWAIT%d", label);
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	emit_put(e, "ld.relaxed.gpu.global.u32 $come, [$a_count]");
	emit_put(e, "sub.s32 $come, $come, $due");
	emit_put(e, "setp.ge.s32 $p_more, $come, 0");
	emit_put(e, "@$p_more bra $COME%d", label);
	emit_put(e, "add.s32 $left, $left, -1");
	emit_put(e, "setp.ne.s32 $p_more, $left, 0");
	emit_put(e, "@$p_more bra $AWAIT%d", label);
	emit_label(e, "$COME%d", label);
}

/* Counters are never reset: $due is `each` times the launch number. */
static void
counter(struct emit *e, const char *index, uint32_t each)
{
	scratch(e, "$a_count", e->plan->align_offset);
	emit_put(e, "shl.b32 $line, %s, 2", index);
	emit_offset(e, "$a_count", "$a_count", "$line");
	emit_put(e, "shr.u32 $due, $base, %d", e->plan->epoch_shift);
	if (each != 1)
		emit_put(e, "mul.lo.u32 $due, $due, %u", each);
}

static bool
is_first_of_cta(const struct emit *e, int thread)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < thread; i++)
		if (p->threads[i].cta == p->threads[thread].cta)
			return false;
	return true;
}

static uint32_t
ctas_with_roles(const struct emit *e)
{
	uint32_t n = 0;
	int i;

	for (i = 0; i < e->program->nthreads; i++)
		n += is_first_of_cta(e, i);
	return n;
}

static void
align_group(struct emit *e, int thread)
{
	const struct plan *plan = e->plan;
	int label = e->labels++;

	emit_note(e, "wait for the group's CTAs");
	emit_sync(e);
	if (is_first_of_cta(e, thread)) {
		emit_put(e, "setp.ne.u32 $p_more, $local, 0");
		emit_put(e, "@$p_more bra $GROUP%d", label);
		emit_put(e, "mov.u32 $line, $group");
		if (plan->env.repeat > 1)
			emit_put(e, "mad.lo.u32 $line, $turn, %u, $group",
			    plan->groups);
		counter(e, "$line", ctas_with_roles(e));
		await(e, label);
		emit_label(e, "$GROUP%d", label);
	}
	emit_sync(e);
}

void
emit_align(struct emit *e, int thread)
{
	const struct plan *plan = e->plan;

	if (plan->env.align == ALIGN_NONE)
		return;
	if (!plan_counts_arrivals(plan)) {
		emit_note(e, "start together");
		if (plan->lanes > 1 && plan->slots == 1 &&
		    plan->env.layout == LAYOUT_SPLIT)
			emit_put(e, "bar.warp.sync -1");
		else
			emit_sync(e);
	} else if (plan->env.align == ALIGN_GROUP) {
		align_group(e, thread);
	} else {
		emit_note(e, "wait for the instance's other threads");
		counter(e, "$inst", (uint32_t)e->program->nthreads);
		await(e, e->labels++);
	}
}

/* In cycles of the clock, since a loop that only counts may be folded. */
void
emit_delay(struct emit *e, int thread)
{
	int label = e->labels++;

	if (e->plan->env.delay == 0)
		return;
	emit_note(e, "wait for up to %d cycles", e->plan->env.delay);
	hash(e, 7 * (uint32_t)thread + 2);
	emit_put(e, "mul.hi.u32 $hold, $hash, %d", e->plan->env.delay + 1);
	emit_put(e, "mov.u32 $began, %%clock");
	emit_label(e, "$DELAY%d", label);
	emit_put(e, "mov.u32 $clock, %%clock");
	emit_put(e, "sub.u32 $clock, $clock, $began");
	emit_put(e, "setp.lt.u32 $p_more, $clock, $hold");
	emit_put(e, "@$p_more bra $DELAY%d", label);
}
