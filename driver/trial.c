#include "driver.h"

#include <string.h>

#define BATCH_MAX 256 /* launches a graph */
#define PARAMS_BYTES (PARAMS_MAX * 8)
#define INIT_NUMBER UINT64_MAX /* no launch of the test has it */

enum region { REGION_VAR, REGION_RESULT, REGION_OTHER };
enum other { OTHER_SCRATCH, OTHER_BINS, OTHER_EPOCH };

static int
pool_index(enum region region, int index)
{
	static const int first[] = {
		[REGION_VAR] = 0,
		[REGION_RESULT] = VARS_MAX,
		[REGION_OTHER] = VARS_MAX + THREADS_MAX,
	};

	return first[region] + index;
}

static bool
take(struct trial *t, enum region region, int index, size_t bytes,
    struct err *err)
{
	return bytes == 0 || bench_memory(t->bench, pool_index(region, index),
	    bytes, &t->addresses[region][index], err);
}

static bool
take_memory(struct trial *t, struct err *err)
{
	const struct plan *plan = &t->plan;
	const struct program *p = plan->program;
	uint64_t *vars = t->addresses[REGION_VAR];
	int i;

	for (i = 0; i < p->nvars; i++)
		if (!take(t, REGION_VAR, i, plan->var_bytes[i], err))
			return false;
	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].alias_of >= 0)
			vars[i] = vars[p->vars[i].alias_of];
	for (i = 0; i < p->nthreads; i++)
		if (!take(t, REGION_RESULT, i, plan->result_bytes[i], err))
			return false;
	return take(t, REGION_OTHER, OTHER_SCRATCH, plan->scratch_bytes,
	    err) &&
	    take(t, REGION_OTHER, OTHER_BINS, plan->nbins * sizeof(uint64_t),
	    err) &&
	    take(t, REGION_OTHER, OTHER_EPOCH, EPOCH_BYTES, err);
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* The draws of one launch depend on (seed, test, environment, launch) and
   on nothing else, so that it can be replayed. */
static struct draw
launch_draw(const struct trial *t, uint64_t launch)
{
	return (struct draw){t->seed,
	    hash64(&launch, sizeof(launch), t->stream), 0};
}

#define DRAW_ROOM 1024 /* numbers that one parameter may reject */

/* One id, one number, in whichever kernel of the launch it stands. */
static uint32_t
draw_param(const struct param *param, struct draw d)
{
	uint32_t bound = param->bound ? param->bound : 1, x;

	d.counter = (uint32_t)param->index * DRAW_ROOM;
	do
		x = draw_below(&d, bound);
	while (param->coprime && gcd(x, bound) != 1);
	return x;
}

static uint64_t
param_value(const struct trial *t, const struct param *param, struct draw d)
{
	switch (param->kind) {
	case PARAM_VAR:
		return t->addresses[REGION_VAR][param->index];
	case PARAM_RESULT:
		return t->addresses[REGION_RESULT][param->index];
	case PARAM_BINS:
		return t->addresses[REGION_OTHER][OTHER_BINS];
	case PARAM_SCRATCH:
		return t->addresses[REGION_OTHER][OTHER_SCRATCH];
	case PARAM_EPOCH:
		return t->addresses[REGION_OTHER][OTHER_EPOCH];
	case PARAM_DRAW:
		return draw_param(param, d);
	case PARAM_U32:
	case PARAM_U64:
		break;
	}
	return param->value;
}

/* Natural alignment, in order, as the ABI has kernel parameters. */
static size_t
pack(const struct trial *t, const struct kernel *k, struct draw d,
    unsigned char *to)
{
	size_t at = 0;
	int i;

	for (i = 0; i < k->nparams; i++) {
		const struct param *param = &k->params[i];
		uint64_t value = param_value(t, param, d);
		uint32_t narrow = (uint32_t)value;

		if (param->kind == PARAM_DRAW || param->kind == PARAM_U32) {
			memcpy(to + at, &narrow, 4);
			at += 4;
		} else {
			at = (at + 7) & ~(size_t)7;
			memcpy(to + at, &value, 8);
			at += 8;
		}
	}
	return at;
}

static void
fill_launch(const struct trial *t, const struct kernel *k, uint64_t number,
    struct arena *a, struct launch *l)
{
	unsigned char *params = arena_alloc(a, PARAMS_BYTES);
	struct draw d = launch_draw(t, number);

	memset(l, 0, sizeof(*l));
	l->module = t->module;
	l->kernel = k->name;
	l->grid[0] = k->grid;
	l->block[0] = k->block;
	l->grid[1] = l->grid[2] = l->block[1] = l->block[2] = 1;
	l->cluster = k->cluster;
	l->shared = k->shared;
	l->seed = d.seed;
	l->stream = d.stream;
	l->together = k->together;
	l->harness = k->harness;
	l->params = params;
	l->params_size = pack(t, k, d, params);
}

static bool
run(struct trial *t, const struct launch *launches, int count,
    uint64_t repeat, double *seconds, struct err *err)
{
	struct bench *b = t->bench;

	return b->ops->run(b->device, launches, count, repeat, b->timeout,
	    seconds, err);
}

bool
trial_plan(struct bench *b, const struct program *p, const struct env *e,
    const bool *targets, uint64_t seed, enum sabotage sabotage,
    struct arena *a, struct trial *t, struct err *err)
{
	struct text env;

	memset(t, 0, sizeof(*t));
	t->bench = b;
	t->seed = seed;
	t->targets = targets;
	text_init(&env, a);
	env_print(&env, e);
	t->stream = hash64(env.s, env.size, p->hash);
	if (!plan_make(p, e, &b->info.caps, a, &t->plan, err))
		return false;
	t->bins = arena_alloc(a, t->plan.nbins * sizeof(*t->bins));
	t->read = arena_alloc(a, t->plan.nbins * sizeof(*t->read));
	t->sabotage = sabotage;
	return true;
}

bool
trial_load(struct trial *t, struct err *err)
{
	struct bench *b = t->bench;
	struct arena *a = arena_new();
	bool ok;

	ok = b->ops->load(b->device, emit_ptx(&t->plan, t->sabotage, a),
	    b->assembler, &t->module, err);
	arena_free(a);
	return ok;
}

bool
trial_start(struct trial *t, struct err *err)
{
	struct bench *b = t->bench;
	struct arena *a = arena_new();
	struct launch l;
	double seconds;
	bool ok;

	memset(t->read, 0, t->plan.nbins * sizeof(*t->read));
	ok = take_memory(t, err) &&
	    b->ops->fill(b->device, t->addresses[REGION_OTHER][OTHER_BINS],
	    0, t->plan.nbins * sizeof(uint64_t), err);
	if (ok && t->plan.init.grid > 0) {
		fill_launch(t, &t->plan.init, INIT_NUMBER, a, &l);
		ok = run(t, &l, 1, 1, &seconds, err);
	}
	arena_free(a);
	return ok;
}

/* Adds what the bins gained since they were read last. */
static bool
read_bins(struct trial *t, struct err *err)
{
	struct bench *b = t->bench;
	size_t bytes = t->plan.nbins * sizeof(uint64_t);
	struct arena *a = arena_new();
	uint64_t *now = arena_alloc(a, bytes);
	uint32_t i;
	bool ok;

	ok = b->ops->read(b->device, now,
	    t->addresses[REGION_OTHER][OTHER_BINS], bytes, err);
	for (i = 0; ok && i < t->plan.nbins; i++) {
		uint64_t gained = now[i] - t->read[i];

		t->bins[i] += gained;
		t->read[i] = now[i];
		if (i < t->plan.program->noutcomes && t->targets[i])
			t->hits += gained;
	}
	arena_free(a);
	return ok;
}

static bool
run_batch(struct trial *t, int launches, uint64_t repeat, struct err *err)
{
	const struct kernel *kernels[] = {&t->plan.test, &t->plan.tally};
	struct arena *a = arena_new();
	struct launch *list;
	double seconds = 0;
	int i, j, n = 0;
	bool ok;

	list = arena_alloc(a, 2 * (size_t)launches * sizeof(*list));
	for (i = 0; i < launches; i++)
		for (j = 0; j < 2; j++)
			if (kernels[j]->grid > 0)
				fill_launch(t, kernels[j], t->launched +
				    (uint64_t)i, a, &list[n++]);
	ok = run(t, list, n, repeat, &seconds, err) && read_bins(t, err);
	arena_free(a);
	if (!ok)
		return false;
	t->launched += (uint64_t)launches * repeat;
	t->seconds += seconds;
	t->launch_seconds = seconds / ((double)launches * (double)repeat);
	return true;
}

bool
trial_run(struct trial *t, uint64_t launches, uint64_t repeat,
    struct err *err)
{
	while (launches > 0) {
		int batch = launches < BATCH_MAX ? (int)launches : BATCH_MAX;

		if (!run_batch(t, batch, repeat, err))
			return false;
		launches -= (uint64_t)batch;
	}
	return true;
}

void
trial_end(struct trial *t)
{
	if (!t->bench)
		return;
	loader_cancel(t->bench->loader, t);
	if (t->module)
		t->bench->ops->unload(t->bench->device, t->module);
	t->module = NULL;
}
