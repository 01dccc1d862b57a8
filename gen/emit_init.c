/* The init kernel: everything but the bins, as before the first launch. */
#include "emit.h"

static void
init_vars(struct emit *e)
{
	const struct program *p = e->program;
	int i, j;

	for (i = 0; i < p->nvars; i++) {
		const struct spot *s = &e->plan->spot[i];

		if (p->vars[i].space != SPACE_GLOBAL || p->vars[i].alias_of >= 0)
			continue;
		emit_param(e, "$a_at", arena_printf(e->arena, "var_%s",
		    p->vars[s->region].name));
		emit_times(e, "$byte", "$k", s->stride);
		emit_offset(e, "$a_at", "$a_at", "$byte");
		for (j = 0; j < p->vars[i].count; j++)
			emit_initial(e, i, j, "$a_at", (int64_t)s->offset +
			    j * p->vars[i].size);
	}
}

/* A result that was never written counts as other. */
static void
init_results(struct emit *e)
{
	int size = e->plan->result_size, i;

	for (i = 0; i < e->program->nthreads; i++) {
		if (!e->plan->result_bytes[i])
			continue;
		emit_param(e, "$a_at", arena_printf(e->arena, "result_%d", i));
		emit_times(e, "$byte", "$k", (uint32_t)size);
		emit_offset(e, "$a_at", "$a_at", "$byte");
		emit_put(e, "st.global.%s [$a_at], -1", emit_load_type(size));
	}
}

static void
init_counters(struct emit *e)
{
	if (e->plan->stress_offset == 0)
		return;
	emit_note(e, "arrivals of the start alignment");
	emit_put(e, "setp.lt.u32 $p_counter, $k, %zu",
	    e->plan->stress_offset / 4);
	emit_param(e, "$a_at", "scratch");
	emit_put(e, "shl.b32 $byte, $k, 2");
	emit_offset(e, "$a_at", "$a_at", "$byte");
	emit_put(e, "@$p_counter st.global.u32 [$a_at], 0");
}

/* The test reads the first pair; it copies it to the second for the tally,
   which steps the first: times 2^epoch_shift, and inverted in odd ones. */
static void
init_epoch(struct emit *e)
{
	emit_note(e, "the number of the first launch");
	emit_put(e, "or.b32 $zero, $tid, $cta");
	emit_put(e, "setp.ne.u32 $p_other, $zero, 0");
	emit_put(e, "@$p_other ret");
	emit_param(e, "$a_at", "epoch");
	emit_put(e, "st.global.u32 [$a_at], %d", 1 << e->plan->epoch_shift);
	emit_put(e, "st.global.u32 [$a_at+4], 0");
	emit_put(e, "st.global.u32 [$a_at+16], 0");
	emit_put(e, "st.global.u32 [$a_at+20], 0");
}

void
emit_init(struct emit *e)
{
	const struct kernel *k = &e->plan->init;

	emit_put(e, "mov.u32 $tid, %%tid.x");
	emit_put(e, "mov.u32 $cta, %%ctaid.x");
	emit_put(e, "mad.lo.u32 $k, $cta, %u, $tid", k->block);
	emit_label(e, "$INSTANCE");
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	emit_put(e, "setp.ge.u32 $p_done, $k, %llu",
	    (unsigned long long)e->plan->instances);
	emit_put(e, "@$p_done bra $DONE");
	init_vars(e);
	init_results(e);
	init_counters(e);
	emit_put(e, "add.u32 $k, $k, %u", k->block * k->grid);
	emit_put(e, "bra $INSTANCE");
	emit_label(e, "$DONE");
	init_epoch(e);
	emit_put(e, "ret");
}
