/* From a value seen to its part of the outcome code, and back. */
#include "emit.h"

#include <string.h>

/* Beyond this many values, neighbours are decoded by arithmetic. */
#define CHAIN_MAX 3

const char *
emit_epoch(struct emit *e, uint64_t value, int size, bool old)
{
	int64_t add = (int64_t)value;
	const char *name = arena_printf(e->arena, "$%s%llu",
	    old ? "old" : "now", (unsigned long long)value);
	const char *wide = arena_printf(e->arena, "$w_%s", name + 1);

	if (old)
		add -= (int64_t)1 << e->plan->epoch_shift;
	if (emit_know(e, name))
		emit_put(e, "add.u32 %s, $base, %lld", name, (long long)add);
	if (size == 4)
		return name;
	if (emit_know(e, wide))
		emit_put(e, "cvt.u64.u32 %s, %s", wide, name);
	return wide;
}

const char *
emit_load_type(int size)
{
	static const char *const types[] = {
		[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64",
	};

	return types[size];
}

static void
pick(struct emit *e, const char *to, uint32_t hit, const char *miss)
{
	emit_put(e, "selp.b32 %s, %u, %s, $p_hit", to, hit, miss);
}

static int
index_of(const struct slot *slot, uint64_t value)
{
	int i;

	for (i = 0; i < slot->nvalues; i++)
		if (slot->values[i] == value)
			return i;
	return -1;
}

/* One comparison a stored value, with this launch's number and the one
   before: the latter is what the location held at first. */
static void
decode_epoch(struct emit *e, int s, const char *from, const char *to,
    uint32_t other)
{
	const struct slot *slot = &e->program->slots[s];
	const struct report *r = &e->plan->report[s];
	const struct var *v = &e->program->vars[r->var];
	const char *miss = arena_printf(e->arena, "%u", other);
	uint64_t stored[STORED_MAX];
	int n = plan_stored(e->plan, r->var, r->elem, stored), i, turn;

	for (turn = 0; turn < 2; turn++)
		for (i = 0; i < n; i++) {
			int index = index_of(slot, turn ? stored[i] :
			    v->init[r->elem]);

			if (index < 0)
				continue;
			emit_put(e, "setp.eq.b%d $p_hit, %s, %s", 8 * v->size,
			    from, emit_epoch(e, stored[i], v->size, !turn));
			pick(e, to, (uint32_t)index * r->step, miss);
			miss = to;
		}
	if (miss != to)
		emit_put(e, "mov.u32 %s, %u", to, other);
}

static bool
are_neighbours(const struct slot *slot)
{
	int i;

	for (i = 1; i < slot->nvalues; i++)
		if (slot->values[i] != slot->values[i - 1] + 1)
			return false;
	return slot->nvalues > CHAIN_MAX;
}

static void
decode_neighbours(struct emit *e, int s, const char *from, int bits,
    const char *to, uint32_t other)
{
	const struct slot *slot = &e->program->slots[s];

	if (bits == 64) {
		emit_put(e, "sub.u64 $w_rank, %s, %llu", from,
		    (unsigned long long)slot->values[0]);
		emit_put(e, "setp.lt.u64 $p_hit, $w_rank, %d", slot->nvalues);
		emit_put(e, "cvt.u32.u64 $rank_of, $w_rank");
	} else {
		emit_put(e, "sub.u32 $rank_of, %s, %u", from,
		    (uint32_t)slot->values[0]);
		emit_put(e, "setp.lt.u32 $p_hit, $rank_of, %d",
		    slot->nvalues);
	}
	emit_times(e, "$rank_of", "$rank_of", e->plan->report[s].step);
	emit_put(e, "selp.b32 %s, $rank_of, %u, $p_hit", to, other);
}

static void
decode_chain(struct emit *e, int s, const char *from, int bits,
    const char *to, uint32_t other)
{
	const struct slot *slot = &e->program->slots[s];
	int i;

	for (i = 0; i < slot->nvalues; i++) {
		uint64_t value = slot->values[i];

		if (bits == 32)
			value = (uint32_t)value;
		emit_put(e, "setp.eq.b%d $p_hit, %s, %llu", bits, from,
		    (unsigned long long)value);
		pick(e, to, (uint32_t)i * e->plan->report[s].step,
		    i ? to : arena_printf(e->arena, "%u", other));
	}
}

/* The value in a register of 32 or 64 bits, as slot.values has it. */
static const char *
widened(struct emit *e, const char *from, enum type type, int *bits)
{
	*bits = 32;
	switch (type == TYPE_PRED ? 0 : type_size(type)) {
	case 0:
		emit_put(e, "selp.b32 $seen, 1, 0, %s", from);
		return "$seen";
	case 1:
		emit_put(e, "cvt.u32.u16 $seen, %s", from);
		emit_put(e, "and.b32 $seen, $seen, 255");
		return "$seen";
	case 2:
		emit_put(e, "cvt.u32.u16 $seen, %s", from);
		return "$seen";
	case 8:
		*bits = 64;
		return from;
	default:
		return from;
	}
}

/* An epoch value in a register wider than its variable. */
static const char *
narrowed(struct emit *e, int s, const char *from, enum type type)
{
	const struct var *v = &e->program->vars[e->plan->report[s].var];

	if (type_size(type) == v->size)
		return from;
	emit_put(e, "cvt.u32.u64 $seen, %s", from);
	return "$seen";
}

void
emit_slot(struct emit *e, int s, const char *from, enum type type,
    const char *code, bool first, uint32_t other)
{
	const char *to = first ? code : "$more";
	int bits;

	if (e->plan->report[s].var >= 0) {
		from = narrowed(e, s, from, type);
		decode_epoch(e, s, from, to, other);
	} else {
		from = widened(e, from, type, &bits);
		if (are_neighbours(&e->program->slots[s]))
			decode_neighbours(e, s, from, bits, to, other);
		else
			decode_chain(e, s, from, bits, to, other);
	}
	if (!first)
		emit_put(e, "add.u32 %s, %s, $more", code, code);
}

/* Stored with the number of the launch before the first, where stores
   carry one. */
void
emit_initial(struct emit *e, int var, int elem, const char *address,
    int64_t offset)
{
	const struct var *v = &e->program->vars[var];
	uint64_t stored[STORED_MAX], value = v->init[elem];

	if (plan_stored(e->plan, var, elem, stored))
		value = stored[0];
	if (v->size == 8 && value >> 31) {
		emit_put(e, "mov.u64 $w_init, %llu", (unsigned long long)value);
		emit_put(e, "st.%s.u64 [%s+%lld], $w_init",
		    space_name(v->space), address, (long long)offset);
		return;
	}
	emit_put(e, "st.%s.%s [%s+%lld], %llu", space_name(v->space),
	    emit_load_type(v->size), address, (long long)offset,
	    (unsigned long long)value);
}
