/* roofline: what an instance costs, by hand, and what the machine can do */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "help_plan.h"

static struct arena *a;

static void
set_up(void)
{
	a = arena_new();
}

static void
tear_down(void)
{
	arena_free(a);
}

static const char mp[] =
	"name: MP\nabout: MP.\nlocations: {x: 0, y: 0}\nthreads:\n"
	"  - {cta: 0, code: \"st.relaxed.gpu.global.u32 [x], 1;\\n"
	"st.relaxed.gpu.global.u32 [y], 1;\\n\"}\n"
	"  - {cta: 1, code: \"ld.relaxed.gpu.global.u32 r0, [y];\\n"
	"ld.relaxed.gpu.global.u32 r1, [x];\\n\"}\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n";

static const char swap2[] =
	"name: W\nabout: W.\nlocations: {x: 0}\nthreads:\n"
	"  - {cta: 0, code: \"st.relaxed.gpu.global.u32 [x], 1;\\n\"}\n"
	"  - {cta: 1, code: \"atom.relaxed.gpu.global.exch.b32 r0, [x], 2;"
	"\\n\"}\n"
	"exists: \"[x] == 1\"\n";

static struct cost
cost_of(const char *text, const char *fields)
{
	struct plan *plan = arena_alloc(a, sizeof(*plan));
	struct env e;
	struct err err;

	env_default(&e);
	plan_env(fields, &e);
	ck_assert_msg(plan_make(plan_program(text, NULL, a), &e, &plan_h200,
	    a, plan, &err), "%s", err.message);
	return plan_cost(plan);
}

static const struct {
	const char *text, *env;
	double bytes;
} costs[] = {
	/* four words, a byte of result there and back */
	{mp, "", 4 * 4 + 2},
	{mp, "stride 16", 4 * 16 + 2},
	{mp, "stride 128", 4 * 32 + 2},
	/* each lane in a sector of its own, and its result too */
	{mp, "permute yes", 4 * 32 + 32 + 1},
	/* counted where it is seen */
	{mp, "tally fused", 4 * 4},
	/* the tally sets both words back */
	{mp, "values plain", 4 * 4 + 2 + 2 * 4},
	/* an atom goes there and back; the tally reads and resets */
	{swap2, "", 4 + 2 * 4 + 4 + 4},
};

START_TEST(bytes_are_those_counted_by_hand)
{
	struct cost c = cost_of(costs[_i].text, costs[_i].env);

	ck_assert_msg(fabs(c.bytes - costs[_i].bytes) < 1e-9,
	    "%s: %g bytes, not %g", costs[_i].env, c.bytes, costs[_i].bytes);
}
END_TEST

/* Counted in the output of `fencepost ptx`: the writer's way has 30 up to
   its ret, the reader's 44, and the tally's turn of 16 instances 109. */
START_TEST(instructions_are_those_counted_by_hand)
{
	double n = cost_of(mp, "").instructions;
	double turns = cost_of(mp, "repeat 4").instructions;

	ck_assert_msg(fabs(n - (30 + 44 + 109 / 16.0)) < 1e-9, "%g", n);
	/* turns share what comes before them, and add a few of their own */
	ck_assert(turns < n && turns > n / 2);
}
END_TEST

START_TEST(the_limit_is_the_lower_of_two)
{
	const struct device_info h200 = {.clock_khz = 1980000,
		.caps = {.processors = 132}};
	const struct cost c = {18, 80.8125}, busy = {18, 200}, idle = {0, 8};
	struct limits l = {5.5e12, issue_rate(&h200)};
	bool by_bytes;

	ck_assert(fabs(l.instructions / 3.345408e13 - 1) < 1e-12);
	/* 5.5e12 / 18, less than 3.345e13 / 80.8 */
	ck_assert(fabs(cost_limit(&c, &l, &by_bytes) / 3.0555556e11 - 1) <
	    1e-6);
	ck_assert(by_bytes);
	ck_assert(fabs(cost_limit(&busy, &l, &by_bytes) / 1.672704e11 - 1) <
	    1e-6);
	ck_assert(!by_bytes);
	ck_assert(fabs(cost_limit(&idle, &l, &by_bytes) / 4.18176e12 - 1) <
	    1e-6);
}
END_TEST

START_TEST(the_bandwidth_is_measured)
{
	struct bench b;
	struct err err;
	double bandwidth = 0;
	const char *cubin;
	const int targets[] = {75, 80, 90, 100, 120};
	size_t i;

	ck_assert(bench_open(&sim_ops, 0, "jobs=1", ASSEMBLER_DRIVER, 60, &b,
	    &err));
	ck_assert_msg(l2_bandwidth(&b, &bandwidth, &err), "%s", err.message);
	ck_assert(bandwidth > 0);
	bench_close(&b);
	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		if (!plan_assemble(l2_ptx(a), targets[i], a, &cubin))
			break;
		unlink(cubin);
	}
}
END_TEST

/* Where there is no GPU, that is what is said. */
START_TEST(no_gpu_has_no_limit)
{
	const char *path = getenv("FENCEPOST");
	char out[64] = "";
	FILE *f;

	if (access("/dev/nvidiactl", F_OK) == 0)
		return;
	f = popen(arena_printf(a, "%s roofline MP+relaxed.gpu 2>&1",
	    path ? path : "build/fencepost"), "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(out, sizeof(out), f));
	ck_assert_msg(strncmp(out, "no GPU (", 8) == 0, "%s", out);
	while (fgets(out, sizeof(out), f)) /* or its writer may die of it */
		;
	ck_assert_int_eq(WEXITSTATUS(pclose(f)), 4);
}
END_TEST

/* The script for GPU hosts, on the software machine: few files, a table. */
START_TEST(the_hardware_script_runs)
{
	char folder[] = "/tmp/fencepost-hw-XXXXXX";
	const char *program = getenv("FENCEPOST");
	struct source table;
	struct err err;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(system(arena_printf(a, "BUILD=$(dirname %s) OUT=%s "
	    "DEVICE=sim ROOF_TIME=1ms TUNE_TIME=1s sh contrib/hw.sh roofline "
	    "tune >%s/log 2>&1", program ? program : "build/fencepost",
	    folder, folder)), 0);
	ck_assert(source_read(arena_printf(a, "%s/table.txt", folder), 65536,
	    a, &table, &err));
	ck_assert_ptr_nonnull(strstr(table.text, "\ntune       exit 0 "));
	ck_assert_int_eq(system(arena_printf(a, "test $(ls %s | wc -l) -le 8 "
	    "&& grep -q ctas.1 %s/profile.yaml && rm -r %s", folder,
	    folder, folder)), 0);
}
END_TEST

Suite *suite_roofline(void);

Suite *
suite_roofline(void)
{
	Suite *s = suite_create("roofline");
	TCase *c = tcase_create("roofline");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, bytes_are_those_counted_by_hand, 0,
	    (int)(sizeof(costs) / sizeof(*costs)));
	tcase_add_test(c, instructions_are_those_counted_by_hand);
	tcase_add_test(c, the_limit_is_the_lower_of_two);
	tcase_add_test(c, the_bandwidth_is_measured);
	tcase_add_test(c, no_gpu_has_no_limit);
	tcase_add_test(c, the_hardware_script_runs);
	suite_add_tcase(s, c);
	return s;
}
