/* campaign, search, trial: on the software machine, and on one that lies */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_mp.h"

/* The modules of a lost device are left, whichever thread loaded them. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
	return "leak:spy_load\n";
}

static const char mp[] = MP_VARIANTS
	"  relaxed: {write: st.relaxed.gpu.global.u32,"
	" read: ld.relaxed.gpu.global.u32}\n"
	"  both: {write: st.release.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32}\n";

enum { RELAXED, BOTH };

static struct arena *a;
static struct suite suite;

static void
set_up(void)
{
	struct source source = {"mp.yaml", mp, sizeof(mp) - 1};
	struct errs errs = {0};

	a = arena_new();
	memset(&suite, 0, sizeof(suite));
	ck_assert(read_yaml(&source, a, &suite, &errs));
	ck_assert_int_eq(suite.count, 2);
}

static void
tear_down(void)
{
	arena_free(a);
}

/* ---- a device between us and the software machine ---------------------- */

/* What it is told to do; and what it saw. Check forks: no test sees what
   another left. */
static struct {
	enum err_code run, load; /* fail so */
	int after; /* runs that pass first */
	bool add, lose; /* an outcome that did not happen, or did */
	struct text *launches; /* the parameters, as hexadecimal digits */
} spy;

static bool
spy_run(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err)
{
	int i;
	size_t j;

	if (spy.run && spy.after-- <= 0)
		return err_set(err, spy.run, (struct loc){0}, "as told");
	for (i = 0; i < count && spy.launches; i++) {
		text_printf(spy.launches, "%s %u %llx %llx:",
		    launches[i].kernel, launches[i].grid[0],
		    (unsigned long long)launches[i].seed,
		    (unsigned long long)launches[i].stream);
		for (j = 0; j < launches[i].params_size; j++)
			text_printf(spy.launches, "%02x", ((const unsigned
			    char *)launches[i].params)[j]);
		text_printf(spy.launches, "\n");
	}
	return sim_ops.run(d, launches, count, repeat, timeout, seconds, err);
}

static bool
spy_load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **m, struct err *err)
{
	if (spy.load)
		return err_set(err, spy.load, (struct loc){0}, "as told");
	return sim_ops.load(d, ptx, assembler, m, err);
}

static bool
spy_read(struct device *d, void *to, uint64_t address, size_t bytes,
    struct err *err)
{
	uint64_t *bins = to;

	if (!sim_ops.read(d, to, address, bytes, err))
		return false;
	bins[0] += spy.add;
	bins[0] -= spy.lose;
	return true;
}

static void
open_spy(struct bench *b, struct device_ops *ops)
{
	struct err err;

	*ops = sim_ops;
	ops->run = spy_run;
	ops->load = spy_load;
	ops->read = spy_read;
	ck_assert_msg(bench_open(ops, 0, "jobs=1", ASSEMBLER_DRIVER, 5, b,
	    &err), "%s", err.message);
}

static bool
campaign(int test, uint64_t instances, struct result *r)
{
	const struct effort effort = {
		.seed = 7, .instances = instances, .model = MODEL_PTX,
		.twins = true,
	};
	struct device_ops ops;
	struct bench b;
	bool usable;

	open_spy(&b, &ops);
	usable = campaign_run(campaign_prepare(&b, &suite.programs[test],
	    &effort, 0, a), 0, r);
	bench_close(&b);
	return usable;
}

/* ---- campaigns --------------------------------------------------------- */

START_TEST(instances_are_run_and_counted)
{
	struct result r;
	uint64_t sum = 0;
	uint32_t i;
	int e;

	ck_assert(campaign(RELAXED, 3000, &r));
	ck_assert_int_eq(r.judgement->verdict, VERDICT_PASS);
	ck_assert_int_eq(r.judgement->answer, ANSWER_ALLOWED);
	ck_assert_uint_ge(r.tally->instances, 3000);
	ck_assert_uint_lt(r.tally->instances, 5000);
	for (i = 0; i < r.program->noutcomes; i++)
		sum += r.tally->bins[i];
	ck_assert_uint_eq(sum, r.tally->instances);
	ck_assert_int_gt(r.nenvs, 1);
	for (e = 0, sum = 0; e < r.nenvs; e++)
		sum += r.envs[e].instances;
	ck_assert_uint_eq(sum, r.tally->instances);
	ck_assert_int_eq(r.ntwins, 0);
	ck_assert_str_eq(r.assembler, "sim");
}
END_TEST

START_TEST(forbidden_tests_have_twins)
{
	struct result r;
	int i;

	ck_assert(campaign(BOTH, 3000, &r));
	ck_assert_int_eq(r.judgement->answer, ANSWER_FORBIDDEN);
	ck_assert_int_eq(r.judgement->verdict, VERDICT_PASS);
	ck_assert_uint_eq(r.judgement->target_hits, 0);
	ck_assert_int_ge(r.ntwins, 1);
	for (i = 0; i < r.ntwins; i++)
		ck_assert_uint_gt(r.twins[i].instances, 0);
}
END_TEST

START_TEST(time_is_kept)
{
	const struct effort effort = {.seed = 7};
	double begin = wall_clock();
	struct device_ops ops;
	struct bench b;
	struct result r;

	open_spy(&b, &ops);
	ck_assert(campaign_run(campaign_prepare(&b,
	    &suite.programs[RELAXED], &effort, 0.3, a), 0.3, &r));
	bench_close(&b);
	ck_assert(wall_clock() - begin > 0.25);
	ck_assert(wall_clock() - begin < 3);
	ck_assert_uint_gt(r.tally->instances, 0);
}
END_TEST

static const struct {
	enum err_code run, load;
	int after;
	bool add, lose;
	int test;
	enum verdict verdict;
	bool usable;
	const char *message;
} lies[] = {
	{.run = ERR_HANG, .verdict = VERDICT_HANG, .message = "as told"},
	{.run = ERR_HANG, .after = 3, .verdict = VERDICT_HANG,
	    .message = "as told"},
	{.run = ERR_FAULT, .verdict = VERDICT_FAULT, .message = "as told"},
	{.run = ERR_FAULT, .test = BOTH, .verdict = VERDICT_FAULT,
	    .message = "its twin ("},
	{.run = ERR_DEVICE, .verdict = VERDICT_COMPILER,
	    .message = "as told"},
	{.load = ERR_DEVICE, .verdict = VERDICT_COMPILER,
	    .message = "as told"},
	{.load = ERR_UNSUPPORTED, .verdict = VERDICT_NOT_RUN, .usable = true,
	    .message = "as told"},
	{.add = true, .verdict = VERDICT_CORRUPT, .usable = true,
	    .message = "the bins add up to "},
	{.lose = true, .verdict = VERDICT_CORRUPT, .usable = true,
	    .message = "the bins add up to "},
};

START_TEST(a_lying_device_is_found_out)
{
	struct result r;

	spy.run = lies[_i].run;
	spy.load = lies[_i].load;
	spy.after = lies[_i].after;
	spy.add = lies[_i].add;
	spy.lose = lies[_i].lose;
	ck_assert_int_eq(campaign(lies[_i].test, 1000, &r), lies[_i].usable);
	ck_assert_int_eq(r.judgement->verdict, lies[_i].verdict);
	ck_assert_msg(strncmp(r.judgement->message, lies[_i].message,
	    strlen(lies[_i].message)) == 0, "%s", r.judgement->message);
}
END_TEST

static bool
spy_code(struct device *d, struct module *m, struct arena *arena,
    const void **elf, size_t *size, struct err *err)
{
	(void)d;
	(void)m;
	(void)arena;
	(void)err;
	*elf = "elf";
	*size = 3;
	return true;
}

/* A disassembler in whose every second answer a load is missing. */
static const char disassembler[] =
	"#!/bin/sh\n"
	"n=$(cat %s.n 2>/dev/null || echo 0)\n"
	"echo $((n + 1)) >%s.n\n"
	"echo '//--------------------- .text.test     ---------'\n"
	"i=0\n"
	"put() {\n"
	"	echo \"//## File \\\"t\\\", line $1\"\n"
	"	echo \"        /*00${i}0*/   $2 R4, [R2] ;\"\n"
	"	i=$((i + 1))\n"
	"}\n"
	"put 1000 STG.E\n"
	"put 1001 STG.E.STRONG.GPU\n"
	"put 2000 LDG.E.STRONG.GPU\n"
	"[ $((n %% 2)) -eq 1 ] || put 2001 LDG.E\n";

static enum verdict
checked(bool every, struct result *r)
{
	const struct effort effort = {.seed = 7, .instances = 3000,
		.model = MODEL_PTX, .every_code = every};
	struct device_ops ops;
	struct bench b;

	open_spy(&b, &ops);
	ops.code = spy_code;
	ck_assert(campaign_run(campaign_prepare(&b,
	    &suite.programs[RELAXED], &effort, 0, a), 0, r));
	campaign_check(r, a);
	bench_close(&b);
	return r->judgement->verdict;
}

/* The code of the most used environment, or of all of them. */
START_TEST(machine_code_is_checked)
{
	char tool[] = "/tmp/fencepost-sass-XXXXXX";
	int fd = mkstemp(tool);
	struct result r;

	ck_assert_int_ge(fd, 0);
	dprintf(fd, disassembler, tool, tool);
	ck_assert_int_eq(fchmod(fd, 0700), 0);
	close(fd);
	setenv("FENCEPOST_NVDISASM", tool, 1);
	ck_assert_int_eq(checked(false, &r), VERDICT_PASS);
	ck_assert_int_eq(r.ncodes, 1);
	ck_assert_int_eq(r.code, DOC_CODE_CHECKED);
	/* the second is not the test: nor is then what ran */
	unlink(arena_printf(a, "%s.n", tool));
	ck_assert_int_ne(checked(true, &r), VERDICT_PASS);
	ck_assert_int_eq(r.ncodes, r.nenvs);
	ck_assert_int_gt(r.ncodes, 1);
	ck_assert_int_eq(r.code, DOC_CODE_CHANGED);
	ck_assert_msg(strncmp(r.code_detail, "in ", 3) == 0 &&
	    strstr(r.code_detail, ": P1: ld.weak.global.u32 r1, [data]: not "
	    "in the machine code"), "%s", r.code_detail);
	unlink(arena_printf(a, "%s.n", tool));
	unlink(tool);
}
END_TEST

/* ---- launches ---------------------------------------------------------- */

static const char *
launches_of(uint64_t seed, uint64_t skip, uint64_t count)
{
	struct device_ops ops;
	struct bench b;
	struct trial t;
	struct text log;
	struct env e;
	struct err err;
	const bool targets[64] = {0};

	open_spy(&b, &ops);
	env_default(&e);
	e.permute = e.shuffle = 1;
	ck_assert_uint_le(suite.programs[0].noutcomes, 64);
	ck_assert(trial_plan(&b, &suite.programs[0], &e, targets, seed,
	    SABOTAGE_NONE, a, &t, &err));
	ck_assert(trial_load(&t, &err));
	ck_assert(trial_start(&t, &err));
	if (skip)
		ck_assert(trial_run(&t, skip, 1, &err));
	text_init(&log, a);
	spy.launches = &log;
	ck_assert(trial_run(&t, count, 1, &err));
	spy.launches = NULL;
	trial_end(&t);
	bench_close(&b);
	return log.s;
}

/* A launch depends on seed, test and number; not on what ran before. */
START_TEST(launches_replay)
{
	const char *all = launches_of(3, 0, 4), *last = launches_of(3, 3, 1);
	const char *other = launches_of(4, 3, 1);
	size_t n = strlen(last);

	ck_assert_uint_gt(n, 0);
	ck_assert_uint_gt(strlen(all), n);
	ck_assert_str_eq(all + strlen(all) - n, last);
	ck_assert_str_ne(last, other);
}
END_TEST

/* ---- a broken harness -------------------------------------------------- */

static const enum sabotage sabotages[] = {
	SABOTAGE_LOSE_STORE, SABOTAGE_SWAP_ROLES, SABOTAGE_BAD_MAP,
	SABOTAGE_LOSE_RESULT,
};

static enum verdict
verdict_under(enum sabotage sabotage)
{
	const struct program *p = &suite.programs[BOTH];
	struct device_ops ops;
	struct bench b;
	struct trial t;
	struct tally tally = {0};
	struct judgement j;
	struct outcomes outcomes;
	struct model_opts opts;
	struct env e;
	struct err err;

	open_spy(&b, &ops);
	env_default(&e);
	ck_assert(trial_plan(&b, p, &e, program_targets(p, a), 1, sabotage,
	    a, &t, &err));
	ck_assert_msg(trial_load(&t, &err), "%s", err.message);
	ck_assert_msg(trial_start(&t, &err), "%s", err.message);
	ck_assert_msg(trial_run(&t, 8, 1, &err), "%s", err.message);
	tally.bins = t.bins;
	tally.other = t.bins[p->noutcomes];
	tally.hang = t.bins[p->noutcomes + 1];
	tally.instances = trial_instances(&t);
	model_defaults(&opts, MODEL_PTX);
	ck_assert(model_run(p, &opts, a, &outcomes, &err));
	judge_test(p, &outcomes, NULL, &tally, NULL, 0, a, &j);
	trial_end(&t);
	bench_close(&b);
	return j.verdict;
}

START_TEST(a_broken_harness_fails_the_run)
{
	ck_assert_int_eq(verdict_under(SABOTAGE_NONE), VERDICT_PASS);
	ck_assert_int_ne(verdict_under(sabotages[_i]), VERDICT_PASS);
}
END_TEST

/* ---- kinds and rates --------------------------------------------------- */

START_TEST(rates_are_bounded_from_below)
{
	struct candidate c = {.hits = 0, .seconds = 1}, many = {
		.hits = 10000, .seconds = 1}, twice = {.hits = 20000,
		.seconds = 2};

	ck_assert(candidate_low(&c) <= 0);
	ck_assert(candidate_low(&many) > 9700);
	ck_assert(candidate_low(&many) < 9900);
	ck_assert(candidate_low(&twice) > candidate_low(&many));
}
END_TEST

START_TEST(kinds_name_shape_and_placement)
{
	struct thread threads[2] = {{.cta = 0, .warp = WARP_ANY},
		{.cta = 1, .cluster = 1, .warp = WARP_ANY}};
	struct var var = {.space = SPACE_GLOBAL};
	struct program p = {.family = "2+2W b", .threads = threads,
		.nthreads = 2, .vars = &var, .nvars = 1};

	ck_assert_str_eq(test_kind_name(&p, a), "2+2W_b.ctas");
	threads[1].cluster = 0;
	ck_assert_str_eq(test_kind_name(&p, a), "2+2W_b.cluster");
	threads[1].cta = 0;
	var.space = SPACE_SHARED;
	ck_assert_str_eq(test_kind_name(&p, a), "2+2W_b.cta.shared");
	threads[0].warp = threads[1].warp = 2;
	ck_assert_str_eq(test_kind_name(&p, a), "2+2W_b.warp.shared");
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(*(table))))

Suite *suite_campaign(void);

Suite *
suite_campaign(void)
{
	Suite *s = suite_create("campaign");
	TCase *c = tcase_create("campaign");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, instances_are_run_and_counted);
	tcase_add_test(c, forbidden_tests_have_twins);
	tcase_add_test(c, time_is_kept);
	tcase_add_loop_test(c, a_lying_device_is_found_out, 0, COUNT(lies));
	tcase_add_test(c, machine_code_is_checked);
	tcase_add_test(c, launches_replay);
	tcase_add_loop_test(c, a_broken_harness_fails_the_run, 0,
	    COUNT(sabotages));
	tcase_add_test(c, rates_are_bounded_from_below);
	tcase_add_test(c, kinds_name_shape_and_placement);
	suite_add_tcase(s, c);
	return s;
}
