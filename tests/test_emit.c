/*
 * emit*.c: the PTX is what the golden files say (make golden writes them
 * anew), assembles for every target, and does on the software machine what
 * the plan says; planted faults show.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help_shapes.h"

/* ---- golden files ------------------------------------------------------- */

static const struct {
	const char *file, *shape, *env;
} golden[] = {
	{"across_ctas", "MP+acq_rel", ""},
	{"in_cta", "SB+fence.sc.cta", ""},
	{"in_warp", "LB+warp", "swap yes"},
	{"cluster", "cluster", ""},
	{"shared", "shared", "bank 1 align group"},
	{"vector", "vector", "skew 128"},
	{"bytes", "bytes", ""},
	{"atomics", "atomics", "align pair"},
	{"spin", "spin", ""},
	{"barrier", "barrier", ""},
	{"memory", "2+2W", "together yes stride 32"},
	{"three_ctas", "WRC+3", "interleave halves role_shift 2"},
	{"branch", "branch", ""},
	{"many_outcomes", "many", "values plain"},
	{"warmed", "warmed", "tally fused repeat 4"},
	{"all_roles", "IRIW", "layout all permute yes"},
	{"async", "async", "layout all"},
	{"groups", "groups", ""},
	{"stress", "MP+relaxed", "stress load_store pre_stress 3 align group "
	    "delay 200 warm yes evict 8 permute yes shuffle yes repeat 2"},
};

#define NGOLDEN ((int)(sizeof(golden) / sizeof(*golden)))

static const char *
golden_text(int i)
{
	struct env e = env_of(golden[i].env);
	struct plan plan = planned(shape(golden[i].shape), &e, &plan_h200);

	return emit_ptx(&plan, SABOTAGE_NONE, arena);
}

START_TEST(text_is_golden)
{
	const char *got = golden_text(_i), *path;
	struct source want;
	struct err err;
	FILE *f;

	path = arena_printf(arena, "tests/golden/%s.ptx", golden[_i].file);
	if (getenv("BLESS") && (f = fopen(path, "w"))) {
		fputs(got, f);
		fclose(f);
	}
	if (!source_read(path, 1 << 20, arena, &want, &err))
		ck_abort_msg("%s is missing (make golden writes it)", path);
	ck_assert_msg(strcmp(got, want.text) == 0, "the PTX of %s differs "
	    "from %s (make golden, then look at the difference)",
	    golden[_i].shape, path);
}
END_TEST

static const int targets[] = {75, 80, 90, 100, 120};

START_TEST(golden_files_assemble)
{
	const char *text = golden_text(_i), *cubin;
	struct env e = env_of(golden[_i].env);
	struct plan plan = planned(shape(golden[_i].shape), &e, &plan_h200);
	size_t i;

	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		if (targets[i] >= plan.sm &&
		    plan_assemble(text, targets[i], arena, &cubin))
			unlink(cubin);
}
END_TEST

START_TEST(text_depends_on_nothing_else)
{
	ck_assert_str_eq(golden_text(_i), golden_text(_i));
}
END_TEST

/* Every line of the test stands there as it prints. */
START_TEST(tested_instructions_stand_verbatim)
{
	const struct program *p = &shapes.programs[_i];
	struct env e = env_of("values plain");
	struct plan plan;
	const char *ptx, *at;
	struct err err;
	int t, i;

	if (!plan_make(p, &e, &plan_h200, arena, &plan, &err))
		ck_abort_msg("%s", err.message);
	ptx = emit_ptx(&plan, SABOTAGE_NONE, arena);
	for (t = 0; t < p->nthreads; t++) {
		at = strstr(ptx, arena_printf(arena, "\n$ROLE%d:", t));
		ck_assert_ptr_nonnull(at);
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];
			struct text line;

			if (insn->op->class == CLASS_EXIT)
				continue;
			text_init(&line, arena);
			text_printf(&line, "\t.loc 1 %d 1\n\t",
			    1000 * (t + 1) + i);
			insn_print(&line, p, t, insn);
			text_printf(&line, ";\n");
			at = strstr(at, line.s);
			ck_assert_msg(at, "%s: not there: %s", p->name,
			    line.s);
		}
	}
}
END_TEST

/* ---- on the software machine -------------------------------------------- */

static struct plan_run
run(const struct plan *plan, enum sabotage sabotage, uint64_t seed,
    uint64_t launches)
{
	struct plan_run r = {.plan = plan, .sabotage = sabotage,
	    .seed = seed, .launches = launches};
	struct err err;

	r.bins = arena_alloc(arena, plan->nbins * sizeof(*r.bins));
	if (!plan_run(&r, &err))
		ck_abort_msg("%s: %s", plan->program->name, err.message);
	return r;
}

static uint64_t
sum(const struct plan_run *r)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < r->plan->nbins; i++)
		n += r->bins[i];
	return n;
}

static uint64_t
other(const struct plan_run *r)
{
	return r->bins[r->plan->program->noutcomes];
}

static uint64_t
hung(const struct plan_run *r)
{
	return r->bins[r->plan->program->noutcomes + 1];
}

/* How often the outcome that the condition is about came out. */
static uint64_t
hits(const struct plan_run *r)
{
	const struct program *p = r->plan->program;
	uint64_t values[SLOTS_MAX], n = 0;
	uint32_t i;

	for (i = 0; i < p->noutcomes; i++) {
		outcome_values(p, i, values);
		if (program_is_target(p, values))
			n += r->bins[i];
	}
	return n;
}

/* What no run of these may show; the spin+never spins for ever. */
static void
run_check(const struct plan_run *r)
{
	static const char *const impossible[] = {"MP+acq_rel", "atomics",
		"spin", "barrier", "cluster"};
	const struct program *p = r->plan->program;
	size_t i;

	ck_assert_uint_eq(sum(r), r->plan->instances * r->launches);
	ck_assert_msg(other(r) == 0, "%s: %llu others", p->name,
	    (unsigned long long)other(r));
	if (strcmp(p->name, "spin+never") == 0)
		ck_assert_uint_eq(hung(r), sum(r));
	else
		ck_assert_uint_eq(hung(r), 0);
	for (i = 0; i < sizeof(impossible) / sizeof(*impossible); i++)
		if (strcmp(p->name, impossible[i]) == 0)
			ck_assert_msg(hits(r) == 0, "%s shows", p->name);
}

static const char *const run_envs[] = {
	"", "tally fused", "values plain", "layout all",
	"layout all tally fused permute yes swap yes",
	"together yes stride 32 skew 64 block 64 blocks 8",
	"repeat 3 shuffle yes permute yes blocks 12", "warm yes evict 2",
	"block 64 blocks 12 interleave halves role_shift 1 same_warp yes",
	"align pair block 64 blocks 8", "align group blocks 8",
	"stress atomic stress_blocks 3 stress_turns 4 pre_stress 2 delay 50",
	"block 96 blocks 9 bank 3 warp_offset 1",
};

#define NRUNS ((int)(sizeof(run_envs) / sizeof(*run_envs)))

START_TEST(shapes_run)
{
	struct env e = env_of(run_envs[_i]);
	int i;

	e.spin = 200;
	for (i = 0; i < shapes.count; i++) {
		struct plan plan = planned(&shapes.programs[i], &e, &plan_sim);
		struct plan_run r = run(&plan, SABOTAGE_NONE, 5, 4);

		run_check(&r);
	}
}
END_TEST

/* Environments as a GPU gets them, made small. */
START_TEST(drawn_environments_run)
{
	const struct program *p = &shapes.programs[_i % shapes.count];
	struct draw d = {77, (uint64_t)_i, 0};
	const char *cubin;
	struct plan plan;
	struct plan_run r;
	struct env e;

	env_draw(p, &plan_h200, &d, &e);
	plan = planned(p, &e, &plan_h200);
	if (plan_assemble(emit_ptx(&plan, SABOTAGE_NONE, arena), 90, arena,
	    &cubin))
		unlink(cubin);
	e.block = e.block > 64 ? 64 : e.block;
	e.blocks = 12;
	e.repeat = e.repeat > 3 ? 3 : e.repeat;
	e.stress_blocks = e.stress_blocks > 4 ? 4 : e.stress_blocks;
	e.stress_turns = 5;
	e.delay = e.delay > 20 ? 20 : e.delay;
	e.spin = 300;
	plan = planned(p, &e, &plan_sim);
	r = run(&plan, SABOTAGE_NONE, (uint64_t)_i, 2);
	run_check(&r);
}
END_TEST

/* Two launches with the same draws behave the same. */
START_TEST(runs_repeat)
{
	struct env e = env_of("permute yes shuffle yes delay 20 blocks 16");
	struct plan plan = planned(shape("IRIW"), &e, &plan_sim);
	struct plan_run a = run(&plan, SABOTAGE_NONE, 3, 5),
	    b = run(&plan, SABOTAGE_NONE, 3, 5),
	    c = run(&plan, SABOTAGE_NONE, 4, 5);

	ck_assert_mem_eq(a.bins, b.bins, plan.nbins * sizeof(*a.bins));
	ck_assert_mem_ne(a.bins, c.bins, plan.nbins * sizeof(*a.bins));
}
END_TEST

/* ---- planted faults ----------------------------------------------------- */

static const char *const sabotage_envs[] = {"", "values plain",
	"layout all", "permute yes repeat 2 blocks 16"};

#define NSABOTAGES ((int)(sizeof(sabotage_envs) / sizeof(*sabotage_envs)))

static struct plan_run
sabotaged(int i, enum sabotage sabotage)
{
	struct env e = env_of(sabotage_envs[i]);
	struct plan *plan = arena_alloc(arena, sizeof(*plan));

	*plan = planned(shape("MP+acq_rel"), &e, &plan_sim);
	return run(plan, sabotage, 1, 8);
}

START_TEST(a_lost_store_shows)
{
	struct plan_run r = sabotaged(_i, SABOTAGE_LOSE_STORE);

	ck_assert_uint_gt(hits(&r) + other(&r), 0);
}
END_TEST

START_TEST(swapped_roles_show)
{
	struct plan_run r = sabotaged(_i, SABOTAGE_SWAP_ROLES);

	ck_assert_uint_gt(hits(&r), 0);
}
END_TEST

START_TEST(a_map_that_is_no_bijection_shows)
{
	struct plan_run r = sabotaged(_i, SABOTAGE_BAD_MAP);

	ck_assert_uint_gt(other(&r), 0);
	ck_assert_uint_eq(sum(&r), r.plan->instances * r.launches);
}
END_TEST

START_TEST(a_lost_result_shows)
{
	struct plan_run r = sabotaged(_i, SABOTAGE_LOSE_RESULT);

	/* in every launch, not only the first */
	ck_assert_uint_eq(other(&r) % r.launches, 0);
	ck_assert_uint_ge(other(&r), r.launches);
}
END_TEST

Suite *suite_emit(void);

Suite *
suite_emit(void)
{
	Suite *s = suite_create("emit");
	TCase *c = tcase_create("text"), *m = tcase_create("machine");

	tcase_add_checked_fixture(c, shapes_setup,
	    shapes_teardown);
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, text_is_golden, 0, NGOLDEN);
	tcase_add_loop_test(c, golden_files_assemble, 0, NGOLDEN);
	tcase_add_loop_test(c, text_depends_on_nothing_else, 0, NGOLDEN);
	tcase_add_loop_test(c, tested_instructions_stand_verbatim, 0, 19);
	suite_add_tcase(s, c);
	tcase_add_checked_fixture(m, shapes_setup,
	    shapes_teardown);
	tcase_set_timeout(m, 120);
	tcase_add_loop_test(m, shapes_run, 0, NRUNS);
	tcase_add_loop_test(m, drawn_environments_run, 0, 76);
	tcase_add_test(m, runs_repeat);
	tcase_add_loop_test(m, a_lost_store_shows, 0, NSABOTAGES);
	tcase_add_loop_test(m, swapped_roles_show, 0, NSABOTAGES);
	tcase_add_loop_test(m, a_map_that_is_no_bijection_shows, 0,
	    NSABOTAGES);
	tcase_add_loop_test(m, a_lost_result_shows, 0, NSABOTAGES);
	suite_add_tcase(s, m);
	return s;
}
