/* The test kernel: which role a thread plays, the roles, and stress. */
#include "emit.h"

static bool
has_shared(const struct emit *e)
{
	int i;

	for (i = 0; i < e->program->nvars; i++)
		if (e->program->vars[i].space == SPACE_SHARED)
			return true;
	return false;
}

static uint64_t
shared_bytes(const struct emit *e)
{
	struct plan copy = *e->plan;

	return plan_shared(&copy, copy.per_group);
}

static void
launch_number(struct emit *e)
{
	if (!plan_test_reads_epoch(e->plan))
		return;
	emit_note(e, "the launch number");
	emit_param(e, "$a_epoch", "epoch");
	emit_put(e, "ld.global.v2.u32 {$base, $mark}, [$a_epoch]");
}

/* No address is 1, but the assembler cannot know: see emit_role.c. */
static void
never(struct emit *e)
{
	if (e->plan->test.nparams) {
		emit_param(e, "$a_any", e->plan->test.params[0].name);
		emit_put(e, "cvt.u32.u64 $never, $a_any");
	} else {
		emit_put(e, "mov.u32 $never, 0");
	}
	emit_put(e, "setp.eq.u32 $p_never, $never, 1");
}

static void
counters_start(struct emit *e)
{
	uint32_t n = e->plan->nbins;

	emit_note(e, "counters of the outcomes");
	emit_put(e, "mov.u32 $counter, $COUNTS");
	emit_put(e, "shl.b32 $counter_at, $tid, 2");
	emit_put(e, "add.u32 $counter_at, $counter, $counter_at");
	emit_put(e, "setp.lt.u32 $p_counts, $tid, %u", n);
	emit_put(e, "@$p_counts st.shared.u32 [$counter_at], 0");
	emit_put(e, "bar.sync %d", e->plan->barrier);
}

/* Are all places of a group played by some thread? */
static bool
is_full(const struct plan *plan)
{
	return plan->program->nthreads ==
	    plan->units * plan->ranks * plan->slots * plan->lanes;
}

static void
dispatch(struct emit *e)
{
	int i, first = is_full(e->plan) ? 1 : 0;

	emit_note(e, "which role");
	for (i = first; i < e->program->nthreads; i++) {
		emit_put(e, "setp.eq.u32 $p_role, $key, %d",
		    emit_key(e->plan, i));
		emit_put(e, "@$p_role bra $ROLE%d", i);
	}
	if (!first)
		emit_put(e, "ret");
}

static int
reporter(const struct emit *e)
{
	int i;

	for (i = 0; !plan_reports_thread(e->plan, i); i++)
		;
	return i;
}

/* All threads of the one reporting role, and no others, come here. */
static void
flush(struct emit *e)
{
	const char *index = e->plan->env.layout == LAYOUT_ALL ? "$tid" :
	    "$local";

	emit_note(e, "add the CTA's counts to the bins");
	emit_put(e, "bar.sync %d, %u", e->plan->barrier, e->plan->per_group);
	emit_put(e, "setp.ge.u32 $p_counts, %s, %u", index, e->plan->nbins);
	emit_put(e, "@$p_counts ret");
	emit_put(e, "mov.u32 $counter, $COUNTS");
	emit_put(e, "shl.b32 $counter_at, %s, 2", index);
	emit_put(e, "add.u32 $counter_at, $counter, $counter_at");
	emit_put(e, "ld.shared.u32 $counted, [$counter_at]");
	emit_put(e, "setp.eq.u32 $p_counts, $counted, 0");
	emit_put(e, "@$p_counts ret");
	emit_param(e, "$a_bins", "bins");
	emit_put(e, "shl.b32 $counter_at, %s, 3", index);
	emit_offset(e, "$a_bins", "$a_bins", "$counter_at");
	emit_put(e, "cvt.u64.u32 $w_counted, $counted");
	emit_put(e, "red.relaxed.gpu.global.add.u64 [$a_bins], $w_counted");
}

static void
turns_start(struct emit *e)
{
	if (e->plan->env.repeat == 1)
		return;
	emit_put(e, "mov.u32 $turn, 0");
	emit_put(e, "mov.u32 $first, 0");
	emit_label(e, "$TURN");
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
}

static void
turns_end(struct emit *e)
{
	if (e->plan->env.repeat == 1)
		return;
	emit_label(e, "$NEXT");
	emit_put(e, "add.u32 $first, $first, %u",
	    e->plan->groups * e->plan->per_group);
	emit_put(e, "add.u32 $turn, $turn, 1");
	emit_put(e, "setp.ne.u32 $p_turn, $turn, %d", e->plan->env.repeat);
	emit_put(e, "@$p_turn bra $TURN");
}

/* Where a role goes when it is done with an instance. */
static void
role_end(struct emit *e, int thread)
{
	bool last = thread == e->program->nthreads - 1;
	bool fused = e->plan->env.tally == TALLY_FUSED;

	if (e->plan->env.repeat > 1) {
		if (!last)
			emit_put(e, "bra $NEXT");
	} else if (!fused || thread != reporter(e)) {
		emit_put(e, "ret");
	} else if (!last) {
		emit_put(e, "bra $COUNTED");
	}
}

static void
roles(struct emit *e)
{
	bool fused = e->plan->env.tally == TALLY_FUSED;
	int i;

	turns_start(e);
	if (e->plan->env.layout == LAYOUT_ALL) {
		emit_all_roles(e);
	} else {
		dispatch(e);
		for (i = 0; i < e->program->nthreads; i++) {
			emit_role(e, i);
			role_end(e, i);
		}
	}
	turns_end(e);
	if (fused && e->plan->env.layout == LAYOUT_SPLIT &&
	    e->plan->env.repeat > 1 && e->program->nthreads > 1) {
		emit_put(e, "setp.ne.u32 $p_role, $key, %d",
		    emit_key(e->plan, reporter(e)));
		emit_put(e, "@$p_role ret");
	}
	if (fused) {
		emit_label(e, "$COUNTED");
		flush(e);
	}
	if (fused || e->plan->env.repeat > 1 ||
	    e->plan->env.layout == LAYOUT_ALL)
		emit_put(e, "ret");
}

void
emit_test(struct emit *e)
{
	if (has_shared(e))
		text_printf(&e->text, "\t.shared .align 128 .b8 $SHARED[%llu];"
		    "\n", (unsigned long long)shared_bytes(e));
	if (e->plan->env.tally == TALLY_FUSED)
		text_printf(&e->text, "\t.shared .align 8 .b8 $COUNTS[%u];\n",
		    4 * e->plan->nbins);
	emit_line(e, EMIT_LINE_HARNESS);
	emit_put(e, "mov.u32 $tid, %%tid.x");
	emit_put(e, "mov.u32 $cta, %%ctaid.x");
	never(e);
	launch_number(e);
	emit_note(e, "where this thread is");
	emit_map(e);
	if (e->plan->env.tally == TALLY_FUSED)
		counters_start(e);
	if (has_shared(e)) {
		emit_shared_start(e);
		emit_async_start(e);
		if (emit_remote(e)) {
			emit_put(e, "barrier.cluster.arrive");
			emit_put(e, "barrier.cluster.wait");
		} else {
			emit_put(e, "bar.sync %d", e->plan->barrier);
		}
	}
	roles(e);
	emit_stress(e);
}
