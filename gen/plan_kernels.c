/* The kernels of a plan: their shapes and their parameters. */
#include "plan.h"

#define TALLY_BLOCK 256

static void
add(struct kernel *k, struct param param)
{
	k->params[k->nparams++] = param;
}

static void
add_vars(const struct plan *plan, struct kernel *k, bool stored,
    struct arena *a)
{
	const struct program *p = plan->program;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (plan->var_bytes[i] &&
		    (!stored || plan_tally_touches(plan, i)))
			add(k, (struct param){.kind = PARAM_VAR, .index = i,
			    .name = arena_printf(a, "var_%s",
				p->vars[i].name)});
}

/* How far into its region or its CTA's memory a variable begins. */
static void
add_offsets(const struct plan *plan, struct kernel *k, struct arena *a)
{
	const struct program *p = plan->program;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].offset)
			add(k, (struct param){.kind = PARAM_U64, .index = i,
			    .value = plan->spot[i].offset,
			    .name = arena_printf(a, "offset_%s",
				p->vars[i].name)});
}

static void
add_results(const struct plan *plan, struct kernel *k, struct arena *a)
{
	int i;

	for (i = 0; i < plan->program->nthreads; i++)
		if (plan->result_bytes[i])
			add(k, (struct param){.kind = PARAM_RESULT, .index = i,
			    .name = arena_printf(a, "result_%d", i)});
}

static void
add_one(struct kernel *k, enum param_kind kind, const char *name)
{
	add(k, (struct param){.kind = kind, .name = name});
}

static void
add_turn(struct kernel *k, int turn, int move, uint32_t bound,
    const char *turn_name, const char *move_name)
{
	add(k, (struct param){.kind = PARAM_DRAW, .index = turn,
	    .bound = bound, .coprime = true, .name = turn_name});
	add(k, (struct param){.kind = PARAM_DRAW, .index = move,
	    .bound = bound, .name = move_name});
}

static void
add_draws(const struct plan *plan, struct kernel *k, struct arena *a)
{
	const struct env *e = &plan->env;
	int i;

	for (i = 0; e->permute && i < plan->program->nthreads; i++)
		if (plan_map_thread(plan, i) == i)
			add_turn(k, DRAW_TURN + i, DRAW_MOVE + i,
			    plan->per_group, arena_printf(a, "turn_%d", i),
			    arena_printf(a, "move_%d", i));
	if (e->shuffle)
		add_turn(k, DRAW_SHUFFLE_TURN, DRAW_SHUFFLE_MOVE,
		    plan->working / plan_unit_ctas(plan), "shuffle_turn",
		    "shuffle_move");
	if (plan_needs_seed(plan))
		add(k, (struct param){.kind = PARAM_DRAW, .index = DRAW_SEED,
		    .bound = UINT32_MAX, .name = "seed"});
}

static void
kernel_init(struct plan *plan, const struct caps *caps, struct arena *a)
{
	struct kernel *k = &plan->init;
	uint64_t most = (plan->instances + TALLY_BLOCK - 1) / TALLY_BLOCK;
	uint64_t grid = 8 * (uint64_t)caps->processors;

	k->name = "init";
	k->block = TALLY_BLOCK;
	if (caps->sim) {
		k->block = 32;
		most = 1;
	}
	k->grid = (uint32_t)(grid < most ? grid : most);
	k->together = 1;
	k->harness = true;
	add_vars(plan, k, false, a);
	add_results(plan, k, a);
	add_one(k, PARAM_EPOCH, "epoch");
	if (plan->stress_offset)
		add_one(k, PARAM_SCRATCH, "scratch");
}

/* CTAs meet in memory only inside their group, and these are neighbours. */
static uint32_t
test_together(const struct plan *plan)
{
	const struct env *e = &plan->env;

	if (e->stress || e->pre_stress || e->shuffle || e->role_shift)
		return 0;
	if (plan->units * plan->ranks == 1 || e->layout == LAYOUT_ALL)
		return plan->units == 1 ? 1 : 0;
	return e->interleave ? (uint32_t)(plan->units * plan->ranks) : 0;
}

static void
kernel_test(struct plan *plan, struct arena *a)
{
	struct kernel *k = &plan->test;

	k->name = "test";
	k->cluster = plan->ranks > 1 ? (uint32_t)plan->ranks : 0;
	k->together = test_together(plan);
	add_vars(plan, k, false, a);
	add_offsets(plan, k, a);
	add_results(plan, k, a);
	if (plan_test_reads_epoch(plan))
		add_one(k, PARAM_EPOCH, "epoch");
	if (plan->scratch_bytes)
		add_one(k, PARAM_SCRATCH, "scratch");
	if (plan->env.tally == TALLY_FUSED)
		add_one(k, PARAM_BINS, "bins");
	add_draws(plan, k, a);
}

/* Instances that a thread of the tally takes at a time. */
static void
tally_width(struct plan *plan)
{
	const struct program *p = plan->program;
	bool memory = false, packed = true;
	int i;

	for (i = 0; i < p->nvars; i++) {
		const struct spot *s = &plan->spot[i];

		if (s->region != i || !plan_tally_touches(plan, i))
			continue;
		memory = true;
		packed &= s->stride == 4 && p->vars[i].size == 4 &&
		    s->offset % 16 == 0;
	}
	plan->tally_width = plan->result_size != 1 || !packed ? 1 :
	    memory ? 4 : 16;
	if (plan->instances % (uint64_t)plan->tally_width)
		plan->tally_width = 1;
}

/* A column of counters a thread while they fit, else shared counters,
   else the bins themselves. */
static void
tally_counters(struct plan *plan, const struct caps *caps)
{
	struct kernel *k = &plan->tally;
	uint32_t room = caps->shared_cta < 48 * 1024 ?
	    (uint32_t)caps->shared_cta : 48 * 1024;

	k->block = caps->sim ? 32 : TALLY_BLOCK;
	plan->counters = COUNTERS_COLUMNS;
	while (k->block > 32 && plan->nbins * k->block * 4 > room)
		k->block /= 2;
	if (plan->nbins * k->block * 4 <= room)
		return;
	k->block = TALLY_BLOCK;
	plan->counters = plan->nbins * 4 <= room ? COUNTERS_SHARED :
	    COUNTERS_GLOBAL;
}

static void
kernel_tally(struct plan *plan, const struct caps *caps, struct arena *a)
{
	struct kernel *k = &plan->tally;
	uint64_t chunks, grid = 8 * (uint64_t)caps->processors;

	k->name = "tally";
	k->harness = true;
	k->together = 1;
	tally_width(plan);
	tally_counters(plan, caps);
	chunks = plan->instances / (uint64_t)plan->tally_width;
	chunks = (chunks + 2 * k->block - 1) / (2 * k->block);
	if (caps->sim)
		chunks = 1;
	k->grid = (uint32_t)(grid < chunks ? grid : chunks);
	if (plan->env.tally == TALLY_FUSED) {
		if (!plan_resets(plan)) {
			k->grid = plan_test_reads_epoch(plan) ? 1 : 0;
			k->block = 32;
		}
	} else {
		add_results(plan, k, a);
	}
	add_vars(plan, k, true, a);
	if (plan_test_reads_epoch(plan))
		add_one(k, PARAM_EPOCH, "epoch");
	if (plan->env.tally == TALLY_SEPARATE)
		add_one(k, PARAM_BINS, "bins");
}

/* Lowest PTX version that knows a target. */
static const struct {
	int sm, ptx;
} targets[] = {
	{70, 60}, {72, 61}, {75, 63}, {80, 70}, {86, 71}, {87, 74},
	{89, 78}, {90, 78}, {100, 86}, {101, 86}, {103, 88}, {110, 90},
	{120, 87}, {121, 88},
};

/* ptxas 13 knows no target below sm_75. */
static void
target(struct plan *plan, const struct caps *caps)
{
	size_t i;

	plan->sm = caps->sm < 75 ? caps->sm : 75;
	if (plan->program->sm > plan->sm)
		plan->sm = plan->program->sm;
	if (plan->ranks > 1 && plan->sm < 90)
		plan->sm = 90;
	plan->ptx = plan->program->ptx > 60 ? plan->program->ptx : 60;
	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		if (targets[i].sm <= plan->sm && targets[i].ptx > plan->ptx)
			plan->ptx = targets[i].ptx;
}

void
plan_kernels(struct plan *plan, const struct caps *caps, struct arena *a)
{
	target(plan, caps);
	kernel_init(plan, caps, a);
	kernel_test(plan, a);
	kernel_tally(plan, caps, a);
}
