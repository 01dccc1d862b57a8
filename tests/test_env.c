/* env.c, env_draw.c: environments as data */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "help_plan.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
}

static void
teardown(void)
{
	arena_free(arena);
}

static bool
read_text(const char *text, struct env **envs, int *count,
    struct errs *errs)
{
	struct source source = {"e.yaml", text, strlen(text)};

	memset(errs, 0, sizeof(*errs));
	return env_read(&source, arena, envs, count, errs);
}

static const char *
printed(const struct env *e)
{
	struct text t;

	text_init(&t, arena);
	env_print(&t, e);
	return t.s;
}

START_TEST(reads_a_record_and_a_list)
{
	struct env *envs;
	struct errs errs;
	int n;

	ck_assert(read_text("{name: loud, block: 256, layout: all,\n"
	    " stress: load_store, align: pair, shuffle: yes}\n", &envs, &n,
	    &errs));
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(envs->name, "loud");
	ck_assert_int_eq(envs->block, 256);
	ck_assert_int_eq(envs->layout, LAYOUT_ALL);
	ck_assert_int_eq(envs->stress, STRESS_LOAD_STORE);
	ck_assert_int_eq(envs->align, ALIGN_PAIR);
	ck_assert_int_eq(envs->shuffle, 1);
	ck_assert_int_eq(envs->interleave, 1);
	ck_assert(read_text("- name: one\n  delay: 0x10\n- name: two\n"
	    "  values: plain\n", &envs, &n, &errs));
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(envs[0].delay, 16);
	ck_assert_int_eq(envs[1].values, VALUES_PLAIN);
}
END_TEST

static const struct {
	const char *text;
	int line, column;
	const char *message;
} bad[] = {
	{"blok: 32\n", 1, 1, "unknown field 'blok' of an environment (did you "
	    "mean 'block'?)"},
	{"name: x\nqqq: 1\n", 2, 1, "unknown field 'qqq' of an environment"},
	{"- block: 2000\n", 1, 10, "block: '2000' is not a whole number from "
	    "0 to 1024"},
	{"block: many\n", 1, 8, "block: 'many' is not a whole number from 0 "
	    "to 1024"},
	{"block: 33\n", 1, 1, "environment default: block is 33, not a "
	    "multiple of 32"},
	{"stride: 6\n", 1, 1, "environment default: stride is 6, not a "
	    "multiple of 4"},
	{"layout: every\n", 1, 9, "layout: unknown choice 'every' "
	    "(split|all)"},
	{"stress: 1\n", 1, 9, "stress: unknown choice '1' "
	    "(none|load|store|load_store|atomic)"},
	{"name: a b\n", 1, 7, "a name has letters, digits and _ . + - only"},
	{"name: ''\n", 1, 7, "a name has 1 to 63 characters"},
	{"block: [32]\n", 1, 8, NULL},
	{"- 7\n", 1, 3, NULL},
	{"block: 32\nblock: 64\n", 2, 1, NULL},
	{"[]\n", 1, 1, "1 to 4096 environments, found 0"},
	{"block: 32\n---\nblock: 64\n", 1, 1, "expected one document with an "
	    "environment or a list of them, found 2"},
	{"block: &a 32\n", 1, 8, NULL},
};

#define NBAD ((int)(sizeof(bad) / sizeof(*bad)))

START_TEST(says_what_is_wrong_and_where)
{
	struct env *envs = NULL;
	struct errs errs;
	int n = -1;

	ck_assert(!read_text(bad[_i].text, &envs, &n, &errs));
	ck_assert_int_eq(n, -1);
	ck_assert_int_eq(errs.count, 1);
	ck_assert_int_eq(errs.list[0].loc.line, bad[_i].line);
	ck_assert_int_eq(errs.list[0].loc.column, bad[_i].column);
	if (bad[_i].message)
		ck_assert_str_eq(errs.list[0].message, bad[_i].message);
}
END_TEST

START_TEST(finds_all_errors)
{
	struct env *envs;
	struct errs errs;
	int n;

	ck_assert(!read_text("- block: x\n  layout: y\n- stride: -4\n", &envs,
	    &n, &errs));
	ck_assert_int_eq(errs.count, 3);
}
END_TEST

static const char mp_text[] =
	"name: MP\nabout: MP.\nlocations: {x: 0, y: 0}\nthreads:\n"
	"  - {cta: 0, code: \"st.weak.global.u32 [x], 1;\\n"
	"st.weak.global.u32 [y], 1;\\n\"}\n"
	"  - {cta: %d, code: \"ld.weak.global.u32 r0, [y];\\n"
	"ld.weak.global.u32 r1, [x];\\n\"}\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n";

/* Drawn environments are valid, suit the test, can be planned, and come
   back from their text. */
START_TEST(draws_are_good_records)
{
	const struct program *p = plan_program(arena_printf(arena, mp_text,
	    _i % 2), NULL, arena);
	const struct caps *caps = _i % 3 ? &plan_h200 : &plan_sim;
	struct draw d = {99, (uint64_t)_i, 0}, again = d;
	struct env e, *back;
	struct env same;
	struct plan plan;
	struct err err;
	struct errs errs;
	int n;

	env_draw(p, caps, &d, &e);
	env_draw(p, caps, &again, &same);
	ck_assert_str_eq(printed(&e), printed(&same));
	if (!env_check(&e, &err))
		ck_abort_msg("%s", err.message);
	if (!plan_make(p, &e, caps, arena, &plan, &err))
		ck_abort_msg("%s: %s", printed(&e), err.message);
	ck_assert_uint_gt(plan.instances, 0);
	ck_assert(read_text(printed(&e), &back, &n, &errs));
	ck_assert_str_eq(printed(back), printed(&e));
	ck_assert(read_text(printed(&plan.env), &back, &n, &errs));
	ck_assert_str_eq(printed(back), printed(&plan.env));
}
END_TEST

START_TEST(draws_differ)
{
	const struct program *p = plan_program(arena_printf(arena, mp_text, 1),
	    NULL, arena);
	struct draw d = {1, 1, 0};
	const char *seen[40];
	struct env e;
	int i, j, different = 0;

	for (i = 0; i < 40; i++) {
		env_draw(p, &plan_h200, &d, &e);
		seen[i] = printed(&e);
		for (j = 0; j < i && strcmp(seen[i], seen[j]); j++)
			;
		different += j == i;
	}
	ck_assert_int_gt(different, 35);
}
END_TEST

START_TEST(default_is_in_range)
{
	struct env e;
	struct err err;

	env_default(&e);
	ck_assert(env_check(&e, &err));
	ck_assert_str_eq(printed(&e), "{name: default}");
	e.delay = -1;
	ck_assert(!env_check(&e, &err));
	ck_assert_str_eq(err.message, "environment default: delay is -1, not "
	    "from 0 to 100000");
}
END_TEST

/* Every dimension that an environment has to have, as a record has it, and
   the test it is seen on: the launch or the kernels are others with it. */
enum on { ON_CTAS, ON_CTA, ON_SHARED };

static const struct {
	const char *dimension, *record;
	enum on on;
} dimensions[] = {
	{"block size", "{block: 128}", ON_CTAS},
	{"block count, tests side by side", "{blocks: 640}", ON_CTAS},
	{"every thread all roles", "{layout: all}", ON_CTAS},
	{"roles in halves of the grid", "{interleave: halves}", ON_CTAS},
	{"roles in lanes of a warp", "{same_warp: yes}", ON_CTA},
	{"role order", "{swap: yes}", ON_CTAS},
	{"role order inside a CTA", "{swap: yes}", ON_CTA},
	{"role offset by warp", "{warp_offset: 1}", ON_CTA},
	{"role lag by CTA", "{role_shift: 2}", ON_CTAS},
	{"instances in shuffled order", "{permute: yes}", ON_CTAS},
	{"instances one after the other", "{repeat: 4}", ON_CTAS},
	{"CTA shuffle", "{shuffle: yes}", ON_CTAS},
	{"instance stride", "{stride: 128}", ON_CTAS},
	{"locations in one sector", "{together: yes}", ON_CTAS},
	{"locations in one line", "{together: yes, gap: 32}", ON_CTAS},
	{"locations in other lines", "{together: yes, gap: 128}", ON_CTAS},
	{"locations in other slices", "{skew: 4096}", ON_CTAS},
	{"reset or carried values", "{values: plain}", ON_CTAS},
	{"tally fused", "{tally: fused}", ON_CTAS},
	{"pairwise start", "{align: pair}", ON_CTAS},
	{"start of a group", "{align: group}", ON_CTAS},
	{"delay", "{delay: 200}", ON_CTAS},
	{"L1 warming", "{warm: yes}", ON_CTAS},
	{"cache eviction", "{evict: 8}", ON_CTAS},
	{"stress by loads", "{stress: load}", ON_CTAS},
	{"stress by stores", "{stress: store}", ON_CTAS},
	{"stress by both", "{stress: load_store}", ON_CTAS},
	{"stress by atomics", "{stress: atomic}", ON_CTAS},
	{"stress share", "{stress: load, stress_blocks: 64}", ON_CTAS},
	{"stress lines", "{stress: load, stress_lines: 8}", ON_CTAS},
	{"stress spread", "{stress: load, stress_spread: 8}", ON_CTAS},
	{"stress turns", "{stress: load, stress_turns: 9}", ON_CTAS},
	{"stress before", "{pre_stress: 4}", ON_CTAS},
	{"bank conflicts", "{bank: 31}", ON_SHARED},
	{"turns of a loop", "{spin: 77}", ON_CTAS},
};

#define NDIMENSIONS ((int)(sizeof(dimensions) / sizeof(*dimensions)))

static const char shared_text[] =
	"name: MP\nabout: MP.\nlocations:\n  x: {space: shared}\n"
	"  y: {space: shared}\nthreads:\n"
	"  - {cta: 0, code: \"st.weak.shared.u32 [x], 1;\\n"
	"st.weak.shared.u32 [y], 1;\\n\"}\n"
	"  - {cta: 0, code: \"ld.weak.shared.u32 r0, [y];\\n"
	"ld.weak.shared.u32 r1, [x];\\n\"}\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n";

/* All that is launched, but for the words about it. */
static const char *
launched(const char *record, enum on on)
{
	const struct program *p = plan_program(on == ON_SHARED ?
	    shared_text : arena_printf(arena, mp_text, on == ON_CTAS), NULL,
	    arena);
	const struct kernel *k;
	struct plan plan;
	struct errs errs;
	struct err err;
	struct env *e;
	struct text t;
	int n, i;

	ck_assert_msg(read_text(record, &e, &n, &errs), "%s",
	    errs.list[0].message);
	ck_assert_msg(plan_make(p, e, &plan_h200, arena, &plan, &err), "%s",
	    err.message);
	text_init(&t, arena);
	k = &plan.test;
	text_printf(&t, "%u %u %d:", k->grid, k->block, plan.env.spin);
	for (i = 0; i < k->nparams; i++)
		text_printf(&t, " %llu",
		    (unsigned long long)k->params[i].value);
	text_printf(&t, "%s", strstr(emit_ptx(&plan, SABOTAGE_NONE, arena),
	    ".version"));
	return t.s;
}

START_TEST(every_dimension_is_reached)
{
	ck_assert_msg(strcmp(launched("{name: a}", dimensions[_i].on),
	    launched(dimensions[_i].record, dimensions[_i].on)) != 0,
	    "%s: %s changes nothing", dimensions[_i].dimension,
	    dimensions[_i].record);
}
END_TEST

/* No field is left out above, nor in what users read. */
START_TEST(every_field_is_a_dimension)
{
	static const char *const fields[] = {
#define ENV(type, field, low, high, fallback, names, help) #field,
#include "../gen/env.def"
#undef ENV
	};
	struct source readme;
	struct err err;
	size_t i;
	int j;

	ck_assert(source_read("profiles/README.md", 1 << 20, arena, &readme,
	    &err));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		for (j = 0; j < NDIMENSIONS && !strstr(dimensions[j].record,
		    arena_printf(arena, "%s: ", fields[i])); j++)
			;
		ck_assert_msg(j < NDIMENSIONS, "%s", fields[i]);
		ck_assert_msg(strstr(readme.text, arena_printf(arena,
		    "\n| `%s` | ", fields[i])) != NULL, "%s", fields[i]);
	}
}
END_TEST

/* The profiles that come with the program. */
START_TEST(profiles_read)
{
	struct arena *a = arena;
	struct device_info d = {.name = "NVIDIA H200"};
	const struct env *const *envs;
	int n, i;

	envs = envs_profile(&d, a, &n);
	ck_assert_ptr_nonnull(envs);
	ck_assert_int_gt(n, 5);
	for (i = 0; i < n; i++)
		ck_assert_ptr_nonnull(strchr(envs[i]->name, '.'));
}
END_TEST

static uint32_t
distance_of(const char *record)
{
	const struct program *p = plan_program(arena_printf(arena, mp_text,
	    1), NULL, arena);
	struct plan plan;
	struct errs errs;
	struct err err;
	struct env *e;
	int n;

	ck_assert(read_text(record, &e, &n, &errs));
	ck_assert(plan_make(p, e, &plan_h200, arena, &plan, &err));
	ck_assert_int_eq(plan.spot[0].region, plan.spot[1].region);
	return plan.spot[1].offset - plan.spot[0].offset;
}

START_TEST(distances_are_kept)
{
	ck_assert_uint_eq(distance_of("{together: yes}"), 4);
	ck_assert_uint_eq(distance_of("{together: yes, gap: 32}"), 36);
	ck_assert_uint_eq(distance_of("{together: yes, gap: 128}"), 132);
}
END_TEST

Suite *suite_env(void);

Suite *
suite_env(void)
{
	Suite *s = suite_create("env");
	TCase *c = tcase_create("env");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, reads_a_record_and_a_list);
	tcase_add_loop_test(c, says_what_is_wrong_and_where, 0, NBAD);
	tcase_add_test(c, finds_all_errors);
	tcase_add_loop_test(c, draws_are_good_records, 0, 60);
	tcase_add_test(c, draws_differ);
	tcase_add_test(c, default_is_in_range);
	tcase_add_loop_test(c, every_dimension_is_reached, 0, NDIMENSIONS);
	tcase_add_test(c, every_field_is_a_dimension);
	tcase_add_test(c, profiles_read);
	tcase_add_test(c, distances_are_kept);
	suite_add_tcase(s, c);
	return s;
}
