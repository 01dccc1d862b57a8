/*
 * Which environments a test and its twins get: the built-in order, what a
 * run learns, and whole campaigns on a made-up GPU with the rates of a real
 * one (reports/recorded/nvidia-h200/bench-*.json, first.json).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../driver/driver.h"
#include "help_plan.h"

static const char mp[] =
	"name: MP%s\n"
	"about: Message passing.\n"
	"locations: {data: 0, flag: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      st.relaxed.{x} [data], 1;\n"
	"      {f}\n"
	"      st.{w}.{s} [flag], 1;\n"
	"  - cta: %d\n"
	"    code: |\n"
	"      ld.{r}.{s} r0, [flag];\n"
	"      {f}\n"
	"      ld.relaxed.{x} r1, [data];\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n"
	"variants:\n"
	"  ra.gpu: {w: release, r: acquire, s: gpu, x: gpu, f: ''}\n"
	"  ra.sys: {w: release, r: acquire, s: sys, x: gpu, f: ''}\n"
	"  ra.mix: {w: release, r: acquire, s: gpu, x: sys, f: ''}\n"
	"  f.gpu: {w: relaxed, r: relaxed, s: gpu, x: gpu,"
	" f: fence.acq_rel.gpu;}\n"
	"  f.sc: {w: relaxed, r: relaxed, s: gpu, x: gpu,"
	" f: fence.sc.gpu;}\n"
	"  f.sys: {w: relaxed, r: relaxed, s: sys, x: gpu,"
	" f: fence.acq_rel.sys;}\n";

#define VARIANTS 6

static struct arena *a;
static const struct program *tests[2 * VARIANTS];

static void
set_up(void)
{
	int i, inside;

	a = arena_new();
	for (i = 0; i < 2 * VARIANTS; i++) {
		static const char *const names[VARIANTS] = {"ra.gpu",
			"ra.sys", "ra.mix", "f.gpu", "f.sc", "f.sys"};

		inside = i % 2;
		tests[i] = plan_program(arena_printf(a, mp, inside ? "cta" :
		    "", !inside), arena_printf(a, "MP%s+%s", inside ? "cta" :
		    "", names[i / 2]), a);
	}
}

static void
tear_down(void)
{
	arena_free(a);
}

/* ---- the built-in order ------------------------------------------------ */

static const struct {
	const char *place, *locations, *first, *early;
} orders[] = {
	{"{cta: 0}, {cta: 1}", "{x: 0, y: 0}", "every", "stale"},
	{"{cta: 0, cluster: 0}, {cta: 1, cluster: 0}", "{x: 0, y: 0}",
	    "plain", "reset"},
	{"{cta: 0}, {cta: 0}", "{x: 0, y: 0}", "reset", "rounds"},
	{"{cta: 0, warp: 0}, {cta: 0, warp: 0}", "{x: 0, y: 0}", "one_warp",
	    "reset"},
	{"{cta: 0}, {cta: 0}", "{x: {space: shared}, y: 0}", "reset",
	    "scatter"},
};

/* The first, and one that must be among the first four. */
START_TEST(placements_have_their_order)
{
	const char *place = orders[_i].place, *second = strchr(place, '}');
	const char *text = arena_printf(a,
	    "name: T\nabout: T.\nlocations: %s\nthreads:\n"
	    "  - %.*s, code: \"st.weak.u32 [x], 1;\\nst.weak.u32 [y], 1;\\n"
	    "\"}\n  - %.*s, code: \"ld.weak.u32 r0, [y];\\n"
	    "ld.weak.u32 r1, [x];\\n\"}\nexists: 1:r0 == 1\n",
	    orders[_i].locations, (int)(second - place), place,
	    (int)strlen(second + 3) - 1, second + 3);
	const struct env *const *envs;
	int n, i;

	envs = envs_builtin(plan_program(text, NULL, a), &plan_h200, a, &n);
	ck_assert_int_gt(n, 5);
	ck_assert_str_eq(envs[0]->name, orders[_i].first);
	for (i = 0; i < n && strcmp(envs[i]->name, orders[_i].early); i++)
		;
	ck_assert_int_lt(i, 4);
	/* the slow one comes last */
	ck_assert_str_eq(envs[n - 1]->name, "stress");
}
END_TEST

/* ---- what a run learns ------------------------------------------------- */

static const char *
first_for(const struct program *p, struct choices *choices)
{
	struct bench b = {.choices = choices};
	int n;

	b.info.caps = plan_h200;
	return envs_for(p, &b, a, &n)[0]->name;
}

START_TEST(what_showed_comes_first)
{
	struct choices *c = choices_new(a);
	struct program other = *tests[0];
	struct env lag, every;
	int i;

	env_default(&lag);
	env_default(&every);
	lag.name = "lag";
	every.name = "every";
	other.family = "SB";
	ck_assert_str_eq(first_for(tests[0], c), "every");
	for (i = 0; i < 3; i++) {
		choices_note(c, tests[0], &every, false);
		choices_note(c, tests[0], &lag, true);
	}
	ck_assert_str_eq(first_for(tests[0], c), "lag");
	/* another shape placed alike has it from there */
	ck_assert_str_eq(first_for(&other, c), "lag");
	ck_assert(choices_score(c, tests[0], &lag, 5) >
	    choices_score(c, &other, &lag, 5));
	/* inside a CTA nothing was learnt */
	ck_assert_str_eq(first_for(tests[1], c), "reset");
	/* and what never shows makes room for what was not tried */
	for (i = 0; i < 9; i++)
		choices_note(c, tests[1], &lag, false);
	ck_assert(choices_score(c, tests[1], &lag, 2) <
	    choices_score(c, tests[1], &every, 9));
}
END_TEST

/* The same weakening elsewhere is known by what it does. */
START_TEST(twins_that_showed_come_first)
{
	struct choices *c = choices_new(a);
	const char *sc = "P0 line 4: fence.sc.gpu -> fence.acq_rel.gpu";
	const char *cta = "P0 line 4: fence.sc.gpu -> fence.sc.cta";
	const char *two = "P1 line 5: a -> b; P0 line 7: c -> d";
	int i;

	for (i = 0; i < 4; i++) {
		choices_note_twin(c, sc, false);
		choices_note_twin(c, cta, true);
		choices_note_twin(c, two, i % 2);
	}
	ck_assert(fabs(choices_twin_score(c,
	    "P3 line 99: fence.sc.gpu -> fence.acq_rel.gpu") - 0.1) < 1e-12);
	ck_assert(fabs(choices_twin_score(c,
	    "P1 line 6: fence.sc.gpu -> fence.sc.cta") - 0.9) < 1e-12);
	ck_assert(fabs(choices_twin_score(c,
	    "P0 line 1: a -> b; P1 line 2: c -> d") - 0.5) < 1e-12);
	/* what is not known stands between */
	ck_assert(fabs(choices_twin_score(c, "P0 line 1: a -> b") - 0.5) <
	    1e-12);
	ck_assert(fabs(choices_twin_score(c, "P0 line 1: b -> a") - 0.5) <
	    1e-12);
}
END_TEST

/* ---- a GPU that is made up --------------------------------------------- */

#define ASSEMBLE_SECONDS 0.04
#define ASSEMBLERS 16

static const struct {
	const char *env;
	double speed, share; /* instances a second; of them weak */
	double inside_speed, inside_share; /* in one CTA */
} rates[] = {
	{"every", 1.54e11, 0.13, 7e10, 0},
	{"plain", 1.19e11, 0.11, 8e10, 0},
	{"stale", 1.03e11, 0.37, 4e10, 0},
	{"many", 7.1e10, 0.16, 7e10, 0},
	{"fused", 1.34e11, 0.082, 8e10, 0},
	{"reset", 9.1e10, 0.11, 6.7e10, 0.0098},
	{"lag", 4.4e10, 0.036, 5e10, 0},
	{"warm", 6.9e10, 0.0155, 3.5e10, 0},
	{"apart", 2.1e10, 0.002, 1.5e10, 0},
	{"stress", 1.9e7, 0.0028, 2e7, 0},
	{"record", 1.8e10, 0, 1.9e10, 0},
	{"", 5e10, 0, 4e10, 0}, /* not measured */
};

struct module {
	double speed, share;
	uint64_t instances; /* a launch */
};

struct device {
	struct module *last;
	uint64_t ran, hits; /* since the bins were filled */
	uint32_t target; /* its code */
	uint64_t memory; /* the next address */
};

static struct device gpu;

static void
sleep_for(double seconds)
{
	const struct timespec t = {(time_t)seconds,
		(long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

static bool
gpu_open(int index, const char *options, struct device **d, struct err *err)
{
	(void)index;
	(void)options;
	(void)err;
	gpu.memory = 4096;
	*d = &gpu;
	return true;
}

static int
gpu_list(struct device_info *infos, int max, struct err *err)
{
	(void)max;
	(void)err;
	memset(infos, 0, sizeof(*infos));
	infos->kind = "cuda";
	infos->caps = plan_h200;
	return 1;
}

/* The head of the kernels says what they are. */
static bool
gpu_load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **out, struct err *err)
{
	struct module *m = calloc(1, sizeof(*m));
	unsigned long long instances;
	char test[160], env[64];
	bool inside, planted, forbidden = false;
	size_t i;

	(void)d;
	(void)assembler;
	(void)err;
	ck_assert_int_eq(sscanf(ptx, "// The test %159[^,]", test), 1);
	ck_assert_int_eq(sscanf(strstr(ptx, "// A launch: "),
	    "// A launch: %llu", &instances), 1);
	ck_assert_int_eq(sscanf(strstr(ptx, "// Environment: {name: "),
	    "// Environment: {name: %63[^,}]", env), 1);
	inside = strncmp(test, "MPcta", 5) == 0;
	for (i = 0; i < 2 * VARIANTS; i++)
		forbidden |= strcmp(test, tests[i]->name) == 0;
	for (i = 0; *rates[i].env && strcmp(rates[i].env, env); i++)
		;
	m->instances = instances;
	m->speed = inside ? rates[i].inside_speed : rates[i].speed;
	planted = strstr(ptx, ", swap: yes") && strstr(ptx, ", delay: ");
	m->share = planted ? 0.3 : forbidden ? 0 : inside ? rates[i].inside_share :
	    rates[i].share;
	sleep_for(ASSEMBLE_SECONDS);
	*out = m;
	return true;
}

static bool
gpu_code(struct device *d, struct module *m, struct arena *arena,
    const void **elf, size_t *size, struct err *err)
{
	(void)d;
	(void)m;
	(void)arena;
	(void)elf;
	(void)size;
	(void)err;
	return false;
}

static void
gpu_unload(struct device *d, struct module *m)
{
	(void)d;
	free(m);
}

static void
gpu_close(struct device *d)
{
	(void)d;
}

static bool
gpu_alloc(struct device *d, size_t bytes, uint64_t *address, struct err *err)
{
	(void)err;
	*address = d->memory;
	d->memory += bytes;
	return true;
}

static void
gpu_free(struct device *d, uint64_t address)
{
	(void)d;
	(void)address;
}

static bool
gpu_fill(struct device *d, uint64_t address, uint8_t byte, size_t bytes,
    struct err *err)
{
	(void)address;
	(void)byte;
	(void)bytes;
	(void)err;
	d->ran = d->hits = 0;
	return true;
}

static bool
gpu_read(struct device *d, void *to, uint64_t address, size_t bytes,
    struct err *err)
{
	uint64_t *bins = to;

	(void)address;
	(void)err;
	memset(bins, 0, bytes);
	bins[0] = d->ran - d->hits;
	bins[d->target] += d->hits;
	return true;
}

static bool
gpu_run(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err)
{
	uint64_t n = 0;
	int i;

	(void)timeout;
	(void)err;
	for (i = 0; i < count; i++)
		if (!launches[i].harness)
			n += launches[i].module->instances * repeat;
	d->ran += n;
	d->hits += (uint64_t)(launches[0].module->share * (double)n);
	*seconds = (double)n / launches[0].module->speed;
	sleep_for(*seconds);
	return true;
}

static const struct device_ops gpu_ops = {
	.kind = "cuda", .list = gpu_list, .open = gpu_open,
	.close = gpu_close, .load = gpu_load, .code = gpu_code,
	.unload = gpu_unload, .alloc = gpu_alloc, .free = gpu_free,
	.fill = gpu_fill, .read = gpu_read, .run = gpu_run,
};

static void
open_gpu(struct bench *b)
{
	const bool *targets = program_targets(tests[0], a);
	struct err err;

	ck_assert(bench_open(&gpu_ops, 0, NULL, ASSEMBLER_DRIVER, 5, b,
	    &err));
	loader_close(b->loader); /* as many as the real one's machine has */
	b->loader = loader_open(ASSEMBLERS, a);
	while (!targets[gpu.target])
		gpu.target++;
}

/* Nobody is told that roles reversed after a delay show most. */
START_TEST(tune_finds_what_is_planted)
{
	struct bench b;
	struct tune t;
	struct err err;
	int i;

	open_gpu(&b);
	tune_open(&t, &b, tests[1], 1, a);
	ck_assert(tune_run(&t, 1.5, &err));
	ck_assert_int_ge(t.nbest, 1);
	ck_assert_int_eq(t.best[0].env.swap, 1);
	ck_assert_int_gt(t.best[0].env.delay, 0);
	/* those that cannot be the best any more were dropped */
	for (i = 1; i < t.nbest; i++)
		ck_assert(candidate_low(&t.best[i]) <=
		    candidate_low(&t.best[0]));
	tune_close(&t);
	bench_close(&b);
}
END_TEST

/* What a forbidden test gets of 120 seconds for 831 tests. */
#define SHARE 0.25
#define AHEAD 4

static void
same_environments(const struct result *r)
{
	int i, j;

	ck_assert_int_ge(r->nenvs, 3);
	for (i = 0; i < r->ntwins; i++) {
		ck_assert_int_eq(r->twins[i].nenvs, r->nenvs);
		for (j = 0; j < r->nenvs; j++)
			ck_assert_ptr_eq(r->twins[i].envs[j].env,
			    r->envs[j].env);
	}
}

/* A test is never run less than its twins. */
static void
enough_instances(const struct result *r)
{
	int i;

	ck_assert_uint_gt(r->tally->instances, 1000000000);
	for (i = 0; i < r->ntwins; i++)
		if (r->twins[i].hits)
			ck_assert_uint_ge(2 * r->tally->instances,
			    r->twins[i].instances);
}

START_TEST(twins_show_in_a_short_run)
{
	const struct effort effort = {.seed = 1, .model = MODEL_PTX,
		.twins = true};
	struct campaign *next[2 * VARIANTS];
	int i, j, made = 0, twins = 0, shown = 0;
	double begin, device = 0;
	struct bench b;
	struct result r;

	open_gpu(&b);
	begin = wall_clock();
	for (i = 0; i < 2 * VARIANTS; i++) {
		for (; made < 2 * VARIANTS && made <= i + AHEAD; made++)
			next[made] = campaign_prepare(&b, tests[made],
			    &effort, SHARE, a);
		ck_assert(campaign_run(next[i], SHARE, &r));
		ck_assert_int_eq(r.judgement->verdict, VERDICT_PASS);
		ck_assert_int_eq(r.judgement->answer, ANSWER_FORBIDDEN);
		ck_assert_int_ge(r.ntwins, 1);
		same_environments(&r);
		enough_instances(&r);
		device += r.tally->seconds;
		for (j = 0; j < r.ntwins; j++) {
			twins++;
			shown += r.twins[j].hits > 0;
		}
		ck_assert_int_eq(r.judgement->strength,
		    DOC_STRENGTH_BOUNDED);
	}
	/* none of them is out of reach on this GPU */
	ck_assert_int_eq(shown, twins);
	ck_assert_int_ge(twins, 2 * VARIANTS + 6);
	/* kept to its time, of which the kernels have a part; some three
	   hundred modules one after the other would have taken 13 seconds */
	ck_assert(wall_clock() - begin < 3 * SHARE * 2 * VARIANTS);
	ck_assert(device > 0.1 * SHARE * 2 * VARIANTS);
	bench_close(&b);
}
END_TEST

/* Little time: rather fewer twins than a single environment. */
START_TEST(little_time_is_divided)
{
	const struct effort effort = {.seed = 1, .model = MODEL_PTX,
		.twins = true};
	struct campaign *c;
	struct bench b;
	struct result r;

	open_gpu(&b);
	c = campaign_prepare(&b, tests[0], &effort, 0.05, a);
	while (loader_pending(b.loader)) /* others run meanwhile */
		sleep_for(0.005);
	ck_assert(campaign_run(c, 0.05, &r));
	ck_assert_int_eq(r.ntwins, 1);
	ck_assert_int_ge(r.nenvs, 2);
	ck_assert_int_eq(r.nenvs, r.twins[0].nenvs);
	bench_close(&b);
}
END_TEST

Suite *suite_schedule(void);

Suite *
suite_schedule(void)
{
	Suite *s = suite_create("schedule");
	TCase *c = tcase_create("schedule");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, placements_have_their_order, 0,
	    (int)(sizeof(orders) / sizeof(*orders)));
	tcase_add_test(c, what_showed_comes_first);
	tcase_add_test(c, twins_that_showed_come_first);
	tcase_add_test(c, twins_show_in_a_short_run);
	tcase_add_test(c, tune_finds_what_is_planted);
	tcase_add_test(c, little_time_is_divided);
	suite_add_tcase(s, c);
	return s;
}
