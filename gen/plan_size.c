/* How many threads, CTAs and instances a launch has. */
#include "plan.h"

/* Enough that launches overlap: 8448 CTAs of 512 threads gave the most
   weak outcomes a second on an H200. */
#define THREADS_WANTED ((uint64_t)8448 * 512)
#define BLOCK_WANTED 512
#define SIM_INSTANCES 256
#define INSTANCES_MAX ((uint64_t)1 << 31)

static uint32_t
set_threads(const struct plan *plan)
{
	return (uint32_t)plan->slots * 32;
}

static uint32_t
set_instances(const struct plan *plan)
{
	return plan->env.layout == LAYOUT_ALL ? set_threads(plan) :
	    32 / (uint32_t)plan->lanes;
}

/* Barriers count the threads of the CTA: it holds one set of warps. */
static bool
size_block(struct plan *plan, const struct shape *s, const struct caps *caps,
    struct err *err)
{
	uint32_t set = set_threads(plan), block = (uint32_t)plan->env.block;

	if (block == 0)
		block = caps->sim ? set : BLOCK_WANTED;
	if (block > (uint32_t)caps->max_threads)
		block = (uint32_t)caps->max_threads;
	block -= block % set;
	if (block < set || s->barriers)
		block = set;
	while (block > set && plan_shared(plan,
	    block / set * set_instances(plan)) > caps->shared_cta)
		block -= set;
	plan->per_group = block / set * set_instances(plan);
	plan->test.block = block;
	plan->env.block = (int)block;
	if (plan_shared(plan, plan->per_group) > caps->shared_cta)
		return err_set(err, ERR_UNSUPPORTED, plan->program->loc,
		    "needs %llu bytes of shared memory in a CTA, the device "
		    "has %zu", (unsigned long long)plan_shared(plan,
		    plan->per_group), caps->shared_cta);
	return true;
}

/* Threads that wait for others must be resident together, unless the CTAs
   of a group start together anyway: they do if they are neighbours. */
static uint64_t
groups_resident(const struct plan *plan, const struct shape *s,
    const struct caps *caps, uint32_t ctas)
{
	const struct env *e = &plan->env;
	uint32_t sm = 1024 / plan->test.block;

	if ((!s->spins && e->align == ALIGN_NONE) || ctas == 1 ||
	    (e->interleave && !e->shuffle && e->role_shift == 0) ||
	    e->layout == LAYOUT_ALL)
		return UINT32_MAX;
	if (s->shared)
		sm = 1;
	return (uint64_t)caps->processors * (sm ? sm : 1) / ctas;
}

static uint64_t
least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Groups that the memory and the 32-bit offsets have room for. */
static uint64_t
groups_fit(const struct plan *plan, const struct caps *caps)
{
	uint64_t each = (uint64_t)plan->per_group *
	    (uint64_t)plan->env.repeat;
	uint64_t n = INSTANCES_MAX;

	n = least_of(n, (REGION_MAX - 64 * 65536) / plan_stride_max(plan));
	n = least_of(n, caps->memory / 2 / plan_instance_bytes(plan));
	return n / each;
}

static uint64_t
groups_wanted(const struct plan *plan, const struct caps *caps,
    uint32_t ctas)
{
	uint64_t threads = (uint64_t)plan->test.block * ctas *
	    (uint64_t)plan->env.repeat, n, cached;
	uint64_t bytes = plan_instance_bytes(plan) * plan->per_group *
	    (uint64_t)plan->env.repeat;

	if (plan->env.blocks)
		return (uint32_t)plan->env.blocks / ctas;
	if (caps->sim)
		return SIM_INSTANCES / plan->per_group;
	n = THREADS_WANTED / threads;
	/* what does not fit into the L2 is slow, fewer CTAs than the
	   processors can hold are slower */
	cached = caps->l2 / 2 / bytes;
	if (cached < 4 * (uint64_t)caps->processors / ctas)
		cached = 4 * (uint64_t)caps->processors / ctas;
	return least_of(n, cached);
}

/* Roles of different CTAs must not meet in one, if each plays all. */
static void
size_shift(struct plan *plan, uint64_t groups)
{
	uint64_t lags = (uint64_t)plan->units - 1;

	if (plan->env.layout == LAYOUT_ALL && plan->env.role_shift == 0)
		plan->env.role_shift = 1;
	if (lags == 0)
		plan->env.role_shift = 0;
	else if ((uint64_t)plan->env.role_shift > (groups - 1) / lags)
		plan->env.role_shift = (int)((groups - 1) / lags);
}

static void
size_stress(struct plan *plan)
{
	struct env *e = &plan->env;
	uint32_t ranks = (uint32_t)plan->ranks;
	uint32_t blocks = (uint32_t)e->stress_blocks;

	if (e->stress == STRESS_NONE || e->stress_turns == 0) {
		e->stress = STRESS_NONE;
		e->stress_blocks = 0;
	} else {
		if (blocks == 0)
			blocks = plan->working / 8;
		if (blocks > plan->working)
			blocks = plan->working;
		blocks = blocks / ranks * ranks;
		e->stress_blocks = (int)(blocks ? blocks : ranks);
	}
	plan->test.grid = plan->working + (uint32_t)e->stress_blocks;
}

/* Counters of the start alignment, then the lines of the stress. */
static void
size_scratch(struct plan *plan, const struct shape *s)
{
	const struct env *e = &plan->env;
	uint64_t counters = 0, lines = 0;

	if (plan->env.layout == LAYOUT_SPLIT && plan->units * plan->ranks > 1)
		counters = e->align == ALIGN_PAIR ? plan->instances :
		    e->align == ALIGN_GROUP ? (uint64_t)plan->groups *
		    (uint64_t)e->repeat : 0;
	if (e->stress || e->pre_stress)
		lines = (uint64_t)e->stress_lines *
		    (uint64_t)e->stress_spread;
	/* evicting reads wander over 4 MiB */
	if (e->evict && lines < 32768)
		lines = 32768;
	plan->align_offset = 0;
	plan->stress_offset = (size_t)((4 * counters + 127) / 128 * 128);
	plan->scratch_bytes = plan->stress_offset + (size_t)(128 * lines);
	if ((e->warm || s->warms) && plan->scratch_bytes == 0)
		plan->scratch_bytes = 128;
}

bool
plan_size(struct plan *plan, const struct shape *s, const struct caps *caps,
    struct err *err)
{
	uint32_t ctas = (uint32_t)(plan->units * plan->ranks);
	uint64_t groups;

	if (plan->env.layout == LAYOUT_ALL)
		ctas = 1;
	if (!size_block(plan, s, caps, err))
		return false;
	groups = groups_wanted(plan, caps, ctas);
	groups = least_of(groups, groups_fit(plan, caps));
	groups = least_of(groups, groups_resident(plan, s, caps, ctas));
	if (groups < 1)
		groups = 1;
	if (plan->env.layout == LAYOUT_ALL && groups < (uint64_t)plan->units)
		groups = (uint64_t)plan->units;
	size_shift(plan, groups);
	plan->groups = (uint32_t)groups;
	plan->working = plan->groups * ctas;
	plan->env.blocks = (int)plan->working;
	plan->instances = groups * plan->per_group *
	    (uint64_t)plan->env.repeat;
	if (plan->instances * plan_stride_max(plan) >
	    REGION_MAX - 64 * 65536)
		return err_set(err, ERR_UNSUPPORTED, plan->program->loc,
		    "the environment's block, repeat and stride need more "
		    "than 4 GiB for a location");
	plan_regions(plan);
	size_stress(plan);
	size_scratch(plan, s);
	plan->await = caps->sim ? 64 : 16384;
	return true;
}
