/*
 * Which role on which instance: the map of plan_instance(), in PTX.
 *
 * After emit_map: $group, and with LAYOUT_SPLIT $key (the role's place)
 * and $local, the index among the instances that the group runs at once.
 */
#include "emit.h"

#include <string.h>

/* CTAs are dealt to stress and work so that every q-th stresses. */
static void
map_stress(struct emit *e)
{
	uint32_t ctas = plan_unit_ctas(e->plan);
	uint32_t stress = (uint32_t)e->plan->env.stress_blocks / ctas, every;

	if (e->plan->env.stress == STRESS_NONE)
		return;
	every = e->plan->test.grid / ctas / stress;
	emit_note(e, "one in %u stresses, the others run the test", every);
	emit_divide(e, "$before", "$nth", "$unit", every);
	emit_put(e, "setp.lt.u32 $p_stress, $before, %u", stress);
	emit_put(e, "setp.eq.u32 $p_last, $nth, %u", every - 1);
	emit_put(e, "and.pred $p_stress, $p_stress, $p_last");
	emit_put(e, "@$p_stress bra $STRESS");
	emit_put(e, "min.u32 $before, $before, %u", stress);
	emit_put(e, "sub.u32 $unit, $unit, $before");
}

static void
map_shuffle(struct emit *e)
{
	uint32_t n = e->plan->working / plan_unit_ctas(e->plan);

	if (!e->plan->env.shuffle)
		return;
	emit_note(e, "shuffle: turn * unit + move, modulo %u", n);
	emit_put(e, "ld.param.u32 $turned, [shuffle_turn]");
	emit_put(e, "ld.param.u32 $moved, [shuffle_move]");
	if (n <= 65535) {
		emit_put(e, "mad.lo.u32 $unit, $unit, $turned, $moved");
		emit_modulo(e, "$unit", "$unit", n);
		return;
	}
	emit_put(e, "mul.wide.u32 $w_unit, $unit, $turned");
	emit_put(e, "cvt.u64.u32 $w_moved, $moved");
	emit_put(e, "add.u64 $w_unit, $w_unit, $w_moved");
	emit_put(e, "rem.u64 $w_unit, $w_unit, %u", n);
	emit_put(e, "cvt.u32.u64 $unit, $w_unit");
}

/* $unit becomes the unit's index in its group. */
static void
map_group(struct emit *e)
{
	const struct plan *plan = e->plan;
	uint32_t units = (uint32_t)plan->units;

	if (plan->env.layout == LAYOUT_ALL || units == 1) {
		emit_put(e, "mov.u32 $group, $unit");
		return;
	}
	if (plan->env.interleave)
		emit_divide(e, "$group", "$role_unit", "$unit", units);
	else
		emit_divide(e, "$role_unit", "$group", "$unit", plan->groups);
	if (plan->env.role_shift == 0)
		return;
	emit_put(e, "mad.lo.u32 $group, $role_unit, %d, $group",
	    plan->env.role_shift);
	emit_put(e, "setp.ge.u32 $p_over, $group, %u", plan->groups);
	emit_put(e, "@$p_over sub.u32 $group, $group, %u", plan->groups);
}

static void
map_local(struct emit *e)
{
	const struct plan *plan = e->plan;
	uint32_t slots = (uint32_t)plan->slots, lanes = (uint32_t)plan->lanes;
	uint32_t sets = plan->test.block / 32 / slots;
	const char *in = slots > 1 ? "$in_warp" : "$tid";

	if (slots > 1) {
		emit_put(e, "and.b32 $in_warp, $tid, 31");
		emit_put(e, "shr.u32 $set, $tid, 5");
		emit_divide(e, sets > 1 ? "$set_index" : NULL, "$slot",
		    "$set", slots);
	}
	emit_put(e, "mov.u32 $local, %s", in);
	if (lanes > 1)
		emit_divide(e, "$local", "$role_lane", in, lanes);
	if (slots > 1 && sets > 1)
		emit_put(e, "mad.lo.u32 $local, $set_index, %u, $local",
		    32 / lanes);
}

/* A number for every place in a group. */
static void
map_key(struct emit *e)
{
	const struct plan *plan = e->plan;
	const struct {
		int count;
		const char *name;
	} parts[] = {
		{plan->units, "$role_unit"}, {plan->ranks, "$role_rank"},
		{plan->slots, "$slot"}, {plan->lanes, "$role_lane"},
	};
	size_t i;
	bool begun = false;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].count == 1)
			continue;
		if (begun)
			emit_put(e, "mad.lo.u32 $key, $key, %d, %s",
			    parts[i].count, parts[i].name);
		else
			emit_put(e, "mov.u32 $key, %s", parts[i].name);
		begun = true;
	}
}

int
emit_key(const struct plan *plan, int thread)
{
	const struct place *at = &plan->place[thread];

	return ((at->unit * plan->ranks + at->rank) * plan->slots +
	    at->slot) * plan->lanes + at->lane;
}

void
emit_map(struct emit *e)
{
	uint32_t ctas = plan_unit_ctas(e->plan);

	emit_put(e, "mov.u32 $unit, $cta");
	if (ctas > 1)
		emit_divide(e, "$unit", "$role_rank", "$cta", ctas);
	map_stress(e);
	map_shuffle(e);
	map_group(e);
	if (e->plan->env.layout == LAYOUT_ALL)
		return;
	map_local(e);
	map_key(e);
}

/* With LAYOUT_ALL every role looks at the CTA's instances from another
   warp or lane, and different CTAs of the test at other groups. */
static void
instance_all(struct emit *e, int thread)
{
	const struct plan *plan = e->plan;
	const struct place *at = &plan->place[thread];
	int shift = at->unit * plan->env.role_shift;

	emit_put(e, "mov.u32 $role_group, $group");
	if (shift) {
		emit_put(e, "add.u32 $role_group, $group, %d", shift);
		emit_put(e, "setp.ge.u32 $p_over, $role_group, %u",
		    plan->groups);
		emit_put(e, "@$p_over sub.u32 $role_group, $role_group, %u",
		    plan->groups);
	}
	emit_put(e, "mov.u32 $local, $tid");
	if (at->slot) {
		emit_put(e, "add.u32 $local, $tid, %d", 32 * at->slot);
		emit_modulo(e, "$local", "$local", plan->test.block);
	}
	if (at->lane) {
		emit_put(e, "add.u32 $in_warp, $local, %d", at->lane);
		emit_put(e, "and.b32 $in_warp, $in_warp, 31");
		emit_put(e, "and.b32 $local, $local, -32");
		emit_put(e, "or.b32 $local, $local, $in_warp");
	}
}

void
emit_instance(struct emit *e, int thread)
{
	const struct plan *plan = e->plan;
	const char *local = "$local", *group = "$group";
	int draw = plan_map_thread(plan, thread);

	if (plan->env.layout == LAYOUT_ALL) {
		instance_all(e, thread);
		group = "$role_group";
	}
	if (plan->env.permute) {
		emit_put(e, "ld.param.u32 $turned, [turn_%d]", draw);
		emit_put(e, "ld.param.u32 $moved, [move_%d]", draw);
		emit_put(e, "mad.lo.u32 $i, $local, $turned, $moved");
		emit_modulo(e, "$i", "$i", plan->per_group);
		local = "$i";
	}
	emit_put(e, "mad.lo.u32 $inst, %s, %u, %s", group, plan->per_group,
	    local);
	if (plan->env.repeat > 1)
		emit_put(e, "add.u32 $inst, $inst, $first");
	if (e->sabotage == SABOTAGE_BAD_MAP)
		emit_put(e, "and.b32 $inst, $inst, -2");
	emit_put(e, "mov.u32 $i, %s", local);
}
