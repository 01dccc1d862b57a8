/* Which instance a thread runs: the map of the emitted code, said in C.
   It is a bijection from (role's threads, turns) to instances, since each
   of its steps is one: rotations, i -> turn * i + move modulo n with turn
   coprime to n, and mixed radices. */
#include "plan.h"

/* The CTAs of the grid without those that stress; false: it does. */
static bool
work_index(const struct plan *plan, uint32_t *unit)
{
	uint32_t ctas = plan_unit_ctas(plan);
	uint32_t stress = (uint32_t)plan->env.stress_blocks / ctas, every;
	uint32_t before;

	if (plan->env.stress == STRESS_NONE)
		return true;
	every = plan->test.grid / ctas / stress;
	before = *unit / every;
	if (*unit % every == every - 1 && before < stress)
		return false;
	*unit -= before < stress ? before : stress;
	return true;
}

/* The index in the group at `at`, or false if the thread plays another. */
static bool
local_index(const struct plan *plan, const struct place *at, uint32_t tid,
    uint32_t *local)
{
	uint32_t slots = (uint32_t)plan->slots, lanes = (uint32_t)plan->lanes;
	uint32_t warp = tid / 32, lane = tid % 32;

	if (plan->env.layout == LAYOUT_ALL) {
		tid = (tid + 32 * (uint32_t)at->slot) % plan->test.block;
		*local = (tid & ~(uint32_t)31) |
		    ((tid + (uint32_t)at->lane) & 31);
		return true;
	}
	if (warp % slots != (uint32_t)at->slot ||
	    lane % lanes != (uint32_t)at->lane)
		return false;
	*local = warp / slots * (32 / lanes) + lane / lanes;
	return true;
}

uint64_t
plan_instance(const struct plan *plan, const uint32_t *draws, int thread,
    uint32_t cta, uint32_t tid, uint32_t turn)
{
	const struct place *at = &plan->place[thread];
	uint32_t ctas = plan_unit_ctas(plan), unit = cta / ctas, group, local;
	uint32_t n = plan->working / ctas, index = (uint32_t)at->unit;
	int draw = plan_map_thread(plan, thread);

	if (!work_index(plan, &unit))
		return UINT64_MAX;
	if (plan->env.shuffle)
		unit = (uint32_t)(((uint64_t)unit *
		    draws[DRAW_SHUFFLE_TURN] + draws[DRAW_SHUFFLE_MOVE]) % n);
	group = unit;
	if (plan->env.layout == LAYOUT_SPLIT) {
		uint32_t units = (uint32_t)plan->units;

		index = plan->env.interleave ? unit % units :
		    unit / plan->groups;
		group = plan->env.interleave ? unit / units :
		    unit % plan->groups;
		if (cta % ctas != (uint32_t)at->rank)
			return UINT64_MAX;
	}
	if (index != (uint32_t)at->unit ||
	    !local_index(plan, at, tid, &local))
		return UINT64_MAX;
	group = (group + index * (uint32_t)plan->env.role_shift) %
	    plan->groups;
	if (plan->env.permute)
		local = (local * draws[DRAW_TURN + draw] +
		    draws[DRAW_MOVE + draw]) % plan->per_group;
	return ((uint64_t)turn * plan->groups + group) * plan->per_group +
	    local;
}
