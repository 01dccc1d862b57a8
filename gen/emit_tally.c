/*
 * The tally kernel. A thread takes tally_width instances at a time: their
 * results as words of four bytes, which it adds up over the roles, since
 * each result is its role's part of the outcome code. If one of them is no
 * outcome (left over, other, hang), the same instances are taken again one
 * by one, and each is told apart.
 */
#include "emit.h"

#define PACKED_MAX 4 /* outcomes whose counts share a register */
#define BAD 16777216 /* more than any code, and so are sums of it */

static bool
is_separate(const struct emit *e)
{
	return e->plan->env.tally == TALLY_SEPARATE;
}

/* Counts of few outcomes gather in bytes of a register. */
static bool
is_packed(const struct emit *e)
{
	return is_separate(e) && e->plan->tally_width > 1 &&
	    e->program->noutcomes <= PACKED_MAX;
}

static bool
is_in_memory(const struct emit *e, int s)
{
	return e->plan->report[s].thread < 0;
}

static bool
has_memory(const struct emit *e)
{
	int i;

	for (i = 0; i < e->program->nslots; i++)
		if (is_in_memory(e, i))
			return true;
	return false;
}

static bool
has_results(const struct emit *e)
{
	int i;

	for (i = 0; i < e->program->nthreads; i++)
		if (e->plan->result_bytes[i])
			return true;
	return false;
}

/* $a_at = address in the region of `param` of instance $k */
static void
locate(struct emit *e, const char *param, uint32_t stride)
{
	emit_param(e, "$a_at", param);
	if (stride > 1) {
		emit_times(e, "$byte", "$k", stride);
		emit_offset(e, "$a_at", "$a_at", "$byte");
	} else {
		emit_offset(e, "$a_at", "$a_at", "$k");
	}
}

static void
locate_result(struct emit *e, int thread)
{
	locate(e, arena_printf(e->arena, "result_%d", thread),
	    (uint32_t)e->plan->result_size);
}

static void
locate_var(struct emit *e, int var)
{
	const struct spot *s = &e->plan->spot[var];

	locate(e, arena_printf(e->arena, "var_%s",
	    e->program->vars[s->region].name), s->stride);
}

/* ---- one instance ------------------------------------------------------ */

static void
one_result(struct emit *e, int thread, bool first)
{
	int size = e->plan->result_size;
	uint32_t mask = size == 4 ? 0xffffffff : (1u << 8 * size) - 1;
	uint32_t hang = size == 4 ? 0xffffff : mask >> 1;

	locate_result(e, thread);
	emit_put(e, "ld.global.%s $got, [$a_at]", emit_load_type(size));
	emit_put(e, "xor.b32 $got, $got, $mark");
	if (size < 4)
		emit_put(e, "and.b32 $got, $got, %u", mask);
	emit_put(e, "setp.eq.u32 $p_hang_one, $got, %u", hang);
	if (first)
		emit_put(e, "mov.pred $p_hang, $p_hang_one");
	else
		emit_put(e, "or.pred $p_hang, $p_hang, $p_hang_one");
	emit_put(e, "setp.lt.u32 $p_known, $got, %u", e->program->noutcomes);
	emit_put(e, "selp.b32 $got, $got, %d, $p_known", BAD);
	emit_put(e, "add.u32 $code, $code, $got");
}

static void
one_memory(struct emit *e, int s)
{
	const struct slot *slot = &e->program->slots[s];
	const struct var *v = &e->program->vars[slot->var];
	const char *to = v->size == 8 ? "$w_got" : "$got";

	locate_var(e, slot->var);
	emit_put(e, "ld.global.%s %s, [$a_at+%u]", emit_load_type(v->size), to,
	    e->plan->spot[slot->var].offset +
	    (uint32_t)(slot->elem * v->size));
	emit_slot(e, s, to, v->size == 8 ? TYPE_B64 : TYPE_B32, "$code",
	    false, BAD);
}

static void
one_count(struct emit *e)
{
	const struct program *p = e->program;
	bool first = true;
	int i;

	emit_put(e, "mov.u32 $code, 0");
	for (i = 0; i < p->nthreads; i++)
		if (e->plan->result_bytes[i]) {
			one_result(e, i, first);
			first = false;
		}
	for (i = 0; i < p->nslots; i++)
		if (is_in_memory(e, i))
			one_memory(e, i);
	emit_put(e, "min.u32 $code, $code, %u", p->noutcomes);
	if (!first)
		emit_put(e, "selp.b32 $code, %u, $code, $p_hang",
		    p->noutcomes + 1);
	emit_count(e, "$code");
}

static void
one_reset(struct emit *e)
{
	const struct program *p = e->program;
	int i, j;

	for (i = 0; i < p->nvars; i++) {
		if (!plan_resets_var(e->plan, i))
			continue;
		locate_var(e, i);
		for (j = 0; j < p->vars[i].count; j++)
			emit_initial(e, i, j, "$a_at",
			    (int64_t)e->plan->spot[i].offset +
			    j * p->vars[i].size);
	}
}

/* ---- several instances ------------------------------------------------- */

static void
load_words(struct emit *e, const char *name, int n, uint32_t offset)
{
	if (n == 1)
		emit_put(e, "ld.global.u32 %s0, [$a_at+%u]", name, offset);
	else
		emit_put(e, "ld.global.v4.u32 {%s0, %s1, %s2, %s3}, [$a_at+%u]",
		    name, name, name, name, offset);
}

/* Sets the top bit of bytes of $bad where a byte is no outcome code: adding
   128 - n carries into it from n on. */
static void
check_bytes(struct emit *e, const char *word)
{
	uint32_t add = (128 - e->program->noutcomes) * 0x01010101u;

	emit_put(e, "and.b32 $low, %s, 2139062143", word);
	emit_put(e, "add.u32 $low, $low, %u", add);
	emit_put(e, "or.b32 $low, $low, %s", word);
	emit_put(e, "or.b32 $bad, $bad, $low");
}

static void
many_results(struct emit *e)
{
	int n = e->plan->tally_width / 4, reporters = 0, i, j;

	for (i = 0; i < e->program->nthreads; i++) {
		const char *name = arena_printf(e->arena, "$got%d_", i);

		if (!e->plan->result_bytes[i])
			continue;
		locate_result(e, i);
		load_words(e, name, n, 0);
	}
	emit_put(e, "mov.u32 $bad, 0");
	for (i = 0; i < e->program->nthreads; i++) {
		if (!e->plan->result_bytes[i])
			continue;
		for (j = 0; j < n; j++) {
			const char *word = arena_printf(e->arena, "$got%d_%d",
			    i, j);

			emit_put(e, "xor.b32 %s, %s, $mark", word, word);
			check_bytes(e, word);
			if (reporters)
				emit_put(e, "add.u32 $sum%d, $sum%d, %s", j, j,
				    word);
			else
				emit_put(e, "mov.u32 $sum%d, %s", j, word);
		}
		reporters++;
	}
	for (j = 0; reporters > 1 && j < n; j++)
		check_bytes(e, arena_printf(e->arena, "$sum%d", j));
	emit_put(e, "and.b32 $bad, $bad, 2155905152");
	emit_put(e, "setp.ne.u32 $p_bad, $bad, 0");
	emit_put(e, "@$p_bad bra $SINGLY");
}

static void
extract(struct emit *e, const char *to, int j)
{
	const char *word = arena_printf(e->arena, "$sum%d", j / 4);

	if (j % 4)
		emit_put(e, "shr.u32 %s, %s, %d", to, word, 8 * (j % 4));
	if (j % 4 < 3)
		emit_put(e, "and.b32 %s, %s, 255", to, j % 4 ? to : word);
}

/* With final memory in the outcome: $code0 to $code3. */
static void
many_memory(struct emit *e)
{
	const struct program *p = e->program;
	bool results = has_results(e);
	int i, j;

	for (i = 0; i < p->nslots; i++)
		if (is_in_memory(e, i)) {
			locate_var(e, p->slots[i].var);
			load_words(e, arena_printf(e->arena, "$held%d_", i),
			    4, e->plan->spot[p->slots[i].var].offset);
		}
	emit_put(e, "mov.u32 $bad, 0");
	for (j = 0; j < 4; j++) {
		const char *code = arena_printf(e->arena, "$code%d", j);
		bool first = !results;

		if (results)
			extract(e, code, j);
		for (i = 0; i < p->nslots; i++) {
			if (!is_in_memory(e, i))
				continue;
			emit_slot(e, i, arena_printf(e->arena, "$held%d_%d",
			    i, j), TYPE_B32, code, first, BAD);
			first = false;
		}
		emit_put(e, "max.u32 $bad, $bad, %s", code);
	}
	emit_put(e, "setp.ge.u32 $p_bad, $bad, %u", p->noutcomes);
	emit_put(e, "@$p_bad bra $SINGLY");
}

/* Counts of up to four outcomes in the bytes of $folded, then added to
   registers of their own. */
static void
packed_count(struct emit *e)
{
	int j, width = e->plan->tally_width;
	uint32_t i;

	for (j = 0; !has_memory(e) && j < width / 4; j++)
		emit_put(e, "shl.b32 $sum%d, $sum%d, 3", j, j);
	for (j = 0; j < width; j++) {
		if (has_memory(e))
			emit_put(e, "shl.b32 $code, $code%d, 3", j);
		else
			extract(e, "$code", j);
		emit_put(e, "shl.b32 $%s, 1, $code", j ? "code" : "folded");
		if (j)
			emit_put(e, "add.u32 $folded, $folded, $code");
	}
	for (i = 0; i < e->program->noutcomes; i++) {
		emit_put(e, "shr.u32 $code, $folded, %u", 8 * i);
		emit_put(e, "and.b32 $code, $code, 255");
		emit_put(e, "add.u32 $n%u, $n%u, $code", i, i);
	}
}

static void
many_count(struct emit *e)
{
	int j;

	if (has_results(e))
		many_results(e);
	if (has_memory(e))
		many_memory(e);
	if (is_packed(e)) {
		packed_count(e);
		return;
	}
	for (j = 0; j < e->plan->tally_width; j++) {
		if (has_memory(e)) {
			emit_count(e, arena_printf(e->arena, "$code%d", j));
		} else {
			extract(e, "$code", j);
			emit_count(e, "$code");
		}
	}
}

static void
many_reset(struct emit *e)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < p->nvars; i++) {
		if (!plan_resets_var(e->plan, i))
			continue;
		locate_var(e, i);
		emit_put(e, "mov.u32 $fresh, %u", (uint32_t)p->vars[i].init[0]);
		emit_put(e, "st.global.v4.u32 [$a_at+%u], "
		    "{$fresh, $fresh, $fresh, $fresh}",
		    e->plan->spot[i].offset);
	}
}

/* ---- the kernel -------------------------------------------------------- */

/* Constants that both paths may need, before either. */
static void
launch_number(struct emit *e)
{
	uint64_t stored[STORED_MAX];
	int i, j, n;

	if (!plan_test_reads_epoch(e->plan))
		return;
	emit_note(e, "this launch's number; the next one's for the test");
	emit_param(e, "$a_epoch", "epoch");
	emit_put(e, "ld.global.v2.u32 {$base, $mark}, [$a_epoch+%d]",
	    is_separate(e) ? 16 : 0);
	emit_put(e, "or.b32 $zero, $tid, $cta");
	emit_put(e, "setp.eq.u32 $p_first, $zero, 0");
	emit_put(e, "add.u32 $next, $base, %d", 1 << e->plan->epoch_shift);
	emit_put(e, "not.b32 $next_mark, $mark");
	emit_put(e, "@$p_first st.global.v2.u32 [$a_epoch], "
	    "{$next, $next_mark}");
	for (i = 0; i < e->program->nslots; i++) {
		const struct report *r = &e->plan->report[i];

		if (!is_in_memory(e, i) || r->var < 0)
			continue;
		n = plan_stored(e->plan, r->var, r->elem, stored);
		for (j = 0; j < 2 * n; j++)
			emit_epoch(e, stored[j / 2],
			    e->program->vars[r->var].size, j % 2);
	}
}

static void
loop_start(struct emit *e, uint32_t chunks)
{
	uint32_t i;

	for (i = 0; is_packed(e) && i < e->program->noutcomes; i++)
		emit_put(e, "mov.u32 $n%u, 0", i);
	emit_put(e, "mad.lo.u32 $chunk, $cta, %u, $tid",
	    e->plan->tally.block);
	emit_label(e, "$CHUNK");
	text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	emit_put(e, "setp.ge.u32 $p_done, $chunk, %u", chunks);
	emit_put(e, "@$p_done bra $COUNTED");
	emit_times(e, "$k", "$chunk", (uint32_t)e->plan->tally_width);
}

static void
singly(struct emit *e)
{
	uint32_t width = (uint32_t)e->plan->tally_width;

	if (width > 1) {
		emit_label(e, "$SINGLY");
		emit_put(e, "add.u32 $k_end, $k, %u", width);
		emit_label(e, "$SINGLE");
		text_printf(&e->text, "\t.pragma \"nounroll\";\n");
	}
	if (is_separate(e))
		one_count(e);
	one_reset(e);
	if (width > 1) {
		emit_put(e, "add.u32 $k, $k, 1");
		emit_put(e, "setp.ne.u32 $p_more, $k, $k_end");
		emit_put(e, "@$p_more bra $SINGLE");
	}
}

static void
loop(struct emit *e)
{
	uint32_t width = (uint32_t)e->plan->tally_width;

	loop_start(e, (uint32_t)(e->plan->instances / width));
	if (width > 1) {
		if (is_separate(e))
			many_count(e);
		many_reset(e);
	}
	if (width > 1 && is_separate(e))
		emit_put(e, "bra $NEXT_CHUNK");
	if (width == 1 || is_separate(e))
		singly(e);
	emit_label(e, "$NEXT_CHUNK");
	emit_put(e, "add.u32 $chunk, $chunk, %u",
	    e->plan->tally.block * e->plan->tally.grid);
	emit_put(e, "bra $CHUNK");
	emit_label(e, "$COUNTED");
}

/* What gathered in registers joins what was counted singly. */
static void
unpack(struct emit *e)
{
	uint32_t i;

	for (i = 0; is_packed(e) && i < e->program->noutcomes; i++) {
		uint32_t at = 4 * i * e->plan->tally.block;

		emit_put(e, "ld.shared.u32 $counted, [$column+%u]", at);
		emit_put(e, "add.u32 $counted, $counted, $n%u", i);
		emit_put(e, "st.shared.u32 [$column+%u], $counted", at);
	}
}

void
emit_tally(struct emit *e)
{
	emit_put(e, "mov.u32 $tid, %%tid.x");
	emit_put(e, "mov.u32 $cta, %%ctaid.x");
	if (is_separate(e))
		emit_counters_start(e);
	launch_number(e);
	if (is_separate(e) || plan_resets(e->plan))
		loop(e);
	if (is_separate(e)) {
		unpack(e);
		emit_counters_end(e);
	}
	emit_put(e, "ret");
}
