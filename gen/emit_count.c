/* The counters of the tally kernel, and how they get into the bins. */
#include "emit.h"

/* One more instance whose bin is in register `code`. */
void
emit_count(struct emit *e, const char *code)
{
	switch (e->plan->counters) {
	case COUNTERS_COLUMNS:
		emit_put(e, "mad.lo.u32 $counter, %s, %u, $column", code,
		    4 * e->plan->tally.block);
		emit_put(e, "ld.shared.u32 $counted, [$counter]");
		emit_put(e, "add.u32 $counted, $counted, 1");
		emit_put(e, "st.shared.u32 [$counter], $counted");
		break;
	case COUNTERS_SHARED:
		emit_put(e, "mad.lo.u32 $counter, %s, 4, $column", code);
		emit_put(e, "red.relaxed.cta.shared.add.u32 [$counter], 1");
		break;
	case COUNTERS_GLOBAL:
		emit_put(e, "mad.wide.u32 $a_bin, %s, 8, $a_bins", code);
		emit_put(e, "red.relaxed.gpu.global.add.u64 [$a_bin], 1");
		break;
	}
}

static void
clear_columns(struct emit *e)
{
	emit_put(e, "mov.u32 $counter, $column");
	emit_put(e, "mov.u32 $left, %u", e->plan->nbins);
	emit_label(e, "$CLEAR");
	emit_put(e, "st.shared.u32 [$counter], 0");
	emit_put(e, "add.u32 $counter, $counter, %u",
	    4 * e->plan->tally.block);
	emit_put(e, "add.s32 $left, $left, -1");
	emit_put(e, "setp.ne.s32 $p_more, $left, 0");
	emit_put(e, "@$p_more bra $CLEAR");
}

static void
clear_shared(struct emit *e)
{
	emit_put(e, "mov.u32 $bin, $tid");
	emit_label(e, "$CLEAR");
	emit_put(e, "setp.ge.u32 $p_more, $bin, %u", e->plan->nbins);
	emit_put(e, "@$p_more bra $CLEARED");
	emit_put(e, "mad.lo.u32 $counter, $bin, 4, $column");
	emit_put(e, "st.shared.u32 [$counter], 0");
	emit_put(e, "add.u32 $bin, $bin, %u", e->plan->tally.block);
	emit_put(e, "bra $CLEAR");
	emit_label(e, "$CLEARED");
	emit_put(e, "bar.sync 0");
}

static uint32_t
shared_counters(const struct emit *e)
{
	switch (e->plan->counters) {
	case COUNTERS_COLUMNS:
		return e->plan->nbins * e->plan->tally.block;
	case COUNTERS_SHARED:
		return e->plan->nbins;
	default:
		return 0;
	}
}

void
emit_counters_start(struct emit *e)
{
	if (shared_counters(e))
		text_printf(&e->text, "\t.shared .align 16 .b8 $COUNTS[%u];\n",
		    4 * shared_counters(e));
	emit_param(e, "$a_bins", "bins");
	if (e->plan->counters == COUNTERS_GLOBAL)
		return;
	emit_put(e, "mov.u32 $column, $COUNTS");
	if (e->plan->counters == COUNTERS_SHARED) {
		clear_shared(e);
		return;
	}
	emit_put(e, "shl.b32 $counter, $tid, 2");
	emit_put(e, "add.u32 $column, $column, $counter");
	clear_columns(e);
}

/* Adds up a bin's counts over the lanes of a warp, and its columns. */
static void
sum_columns(struct emit *e)
{
	uint32_t block = e->plan->tally.block, i;

	emit_put(e, "mad.lo.u32 $counter, $bin, %u, $lane_at", 4 * block);
	emit_put(e, "ld.shared.u32 $sum, [$counter]");
	for (i = 1; i < block / 32; i++) {
		emit_put(e, "ld.shared.u32 $counted, [$counter+%u]", 128 * i);
		emit_put(e, "add.u32 $sum, $sum, $counted");
	}
	for (i = 16; i; i /= 2) {
		emit_put(e, "shfl.sync.bfly.b32 $counted, $sum, %u, 31, -1",
		    i);
		emit_put(e, "add.u32 $sum, $sum, $counted");
	}
}

static void
add_to_bin(struct emit *e)
{
	emit_put(e, "mad.wide.u32 $a_bin, $bin, 8, $a_bins");
	emit_put(e, "cvt.u64.u32 $w_sum, $sum");
	emit_put(e, "@$p_adds red.relaxed.gpu.global.add.u64 [$a_bin], $w_sum");
}

/* One warp a bin and turn, or one thread where counters are shared. */
void
emit_counters_end(struct emit *e)
{
	bool columns = e->plan->counters == COUNTERS_COLUMNS;
	uint32_t block = e->plan->tally.block;

	if (e->plan->counters == COUNTERS_GLOBAL)
		return;
	emit_put(e, "bar.sync 0");
	emit_put(e, "mov.u32 $bin, $tid");
	if (columns) {
		emit_put(e, "shr.u32 $bin, $tid, 5");
		emit_put(e, "and.b32 $lane, $tid, 31");
		emit_put(e, "shl.b32 $lane_at, $lane, 2");
		emit_put(e, "mov.u32 $counter, $COUNTS");
		emit_put(e, "add.u32 $lane_at, $lane_at, $counter");
	}
	emit_label(e, "$FLUSH");
	emit_put(e, "setp.ge.u32 $p_more, $bin, %u", e->plan->nbins);
	emit_put(e, "@$p_more bra $FLUSHED");
	if (columns) {
		sum_columns(e);
		emit_put(e, "setp.eq.u32 $p_adds, $lane, 0");
	} else {
		emit_put(e, "mad.lo.u32 $counter, $bin, 4, $column");
		emit_put(e, "ld.shared.u32 $sum, [$counter]");
		emit_put(e, "setp.ne.u32 $p_adds, $sum, 0");
	}
	add_to_bin(e);
	emit_put(e, "add.u32 $bin, $bin, %u", columns ? block / 32 : block);
	emit_put(e, "bra $FLUSH");
	emit_label(e, "$FLUSHED");
}
