/* judge: tallies and the model's outcomes into verdicts */
#include <check.h>
#include <math.h>
#include <string.h>

#include "../driver/driver.h"

/* Two slots of two values: codes 0 to 3, whichever slot counts faster; the
   condition is about the state where both hold 1. */
static uint64_t binary[] = {0, 1};

static const struct cond one = {.op = COND_CONST, .value = 1};
static const struct cond slot0 = {.op = COND_SLOT, .slot = 0};
static const struct cond slot1 = {.op = COND_SLOT, .slot = 1};
static const struct cond first = {.op = COND_EQ, .a = &slot0, .b = &one};
static const struct cond second = {.op = COND_EQ, .a = &slot1, .b = &one};
static const struct cond both = {.op = COND_AND, .a = &first, .b = &second};

static struct slot slots[] = {
	{.name = "0:r0", .size = 4, .values = binary, .nvalues = 2,
	    .var = -1},
	{.name = "1:r0", .size = 4, .values = binary, .nvalues = 2,
	    .thread = 1, .var = -1},
};

static struct program
program(enum expect expect)
{
	return (struct program){
		.name = "T", .family = "T", .variant = "", .about = "",
		.quant = QUANT_EXISTS, .cond = &both, .slots = slots,
		.nslots = 2, .noutcomes = 4, .expect = expect,
	};
}

enum model { NO_MODEL, ALLOWS, ALLOWS_WEAKLY, FORBIDS, HANGS };

static struct outcome allowed_states[] = {{0, true, NULL},
	{1, true, NULL}, {2, true, NULL}, {3, true, NULL}};
static struct outcome weak_states[] = {{0, true, NULL}, {1, true, NULL},
	{2, true, NULL}, {3, false, NULL}};

static struct outcomes models[] = {
	[NO_MODEL] = {.status = MODEL_NO_VERDICT, .reason = "no reason"},
	[ALLOWS] = {.list = allowed_states, .count = 4},
	[ALLOWS_WEAKLY] = {.list = weak_states, .count = 4},
	[FORBIDS] = {.list = allowed_states, .count = 3},
	[HANGS] = {.list = allowed_states, .count = 3, .hang = true},
};

#define N EXPECT_NONE
#define A EXPECT_ALLOWED
#define F EXPECT_FORBIDDEN

static const struct {
	enum model model;
	enum expect expect;
	uint64_t bins[4], other, hang, lost;
	enum verdict verdict;
	enum doc_strength strength;
} cases[] = {
	/* the target showed */
	{ALLOWS, N, {5, 5, 5, 5}, 0, 0, 0, VERDICT_PASS, DOC_STRENGTH_SEEN},
	{ALLOWS, A, {5, 5, 5, 5}, 0, 0, 0, VERDICT_PASS, DOC_STRENGTH_SEEN},
	{ALLOWS, F, {5, 5, 5, 5}, 0, 0, 0, VERDICT_EXPECTATION,
	    DOC_STRENGTH_SEEN},
	{FORBIDS, N, {5, 5, 5, 1}, 0, 0, 0, VERDICT_FORBIDDEN,
	    DOC_STRENGTH_SEEN},
	{FORBIDS, A, {5, 5, 5, 1}, 0, 0, 0, VERDICT_FORBIDDEN,
	    DOC_STRENGTH_SEEN},
	{NO_MODEL, N, {5, 5, 5, 1}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_SEEN},
	{NO_MODEL, A, {5, 5, 5, 1}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_SEEN},
	{NO_MODEL, F, {5, 5, 5, 1}, 0, 0, 0, VERDICT_FORBIDDEN,
	    DOC_STRENGTH_SEEN},
	/* it did not */
	{ALLOWS, A, {5, 5, 5, 0}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_BOUNDED},
	{FORBIDS, F, {5, 5, 5, 0}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_BOUNDED},
	{FORBIDS, A, {5, 5, 5, 0}, 0, 0, 0, VERDICT_EXPECTATION,
	    DOC_STRENGTH_BOUNDED},
	{NO_MODEL, F, {5, 5, 5, 0}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_BOUNDED},
	/* a broken harness or machine outweighs the rest */
	{ALLOWS, F, {5, 5, 5, 5}, 1, 0, 0, VERDICT_CORRUPT,
	    DOC_STRENGTH_SEEN},
	{FORBIDS, F, {5, 5, 5, 5}, 1, 0, 0, VERDICT_CORRUPT,
	    DOC_STRENGTH_SEEN},
	{ALLOWS, N, {5, 5, 5, 5}, 0, 0, 1, VERDICT_CORRUPT,
	    DOC_STRENGTH_SEEN},
	/* loops that ran out */
	{FORBIDS, F, {5, 5, 5, 0}, 0, 2, 0, VERDICT_HANG,
	    DOC_STRENGTH_BOUNDED},
	{HANGS, F, {5, 5, 5, 0}, 0, 2, 0, VERDICT_PASS,
	    DOC_STRENGTH_BOUNDED},
	{NO_MODEL, N, {5, 5, 5, 0}, 0, 2, 0, VERDICT_PASS,
	    DOC_STRENGTH_BOUNDED},
	{FORBIDS, N, {5, 5, 5, 1}, 0, 2, 0, VERDICT_FORBIDDEN,
	    DOC_STRENGTH_SEEN},
	/* nothing ran */
	{ALLOWS, N, {0, 0, 0, 0}, 0, 0, 0, VERDICT_PASS,
	    DOC_STRENGTH_NONE},
};

START_TEST(verdicts_follow_from_tallies)
{
	struct arena *a = arena_new();
	struct program p = program(cases[_i].expect);
	struct judgement j;
	uint64_t bins[4];
	struct tally t = {.bins = bins, .other = cases[_i].other,
		.hang = cases[_i].hang, .seconds = 2};
	int i;

	memcpy(bins, cases[_i].bins, sizeof(bins));
	t.instances = t.other + t.hang + cases[_i].lost;
	for (i = 0; i < 4; i++)
		t.instances += bins[i];
	judge_test(&p, &models[cases[_i].model], NULL, &t, NULL, 0, a, &j);
	ck_assert_int_eq(j.verdict, cases[_i].verdict);
	ck_assert_int_eq(j.strength, cases[_i].strength);
	ck_assert_int_eq(j.verdict != VERDICT_PASS, *j.message != '\0');
	ck_assert_uint_eq(j.target_hits, bins[3]);
	ck_assert(fabs(j.rate - (double)bins[3] / 2) < 1e-9);
	if (cases[_i].model == NO_MODEL)
		ck_assert_str_eq(j.reason, "no reason");
	arena_free(a);
}
END_TEST

START_TEST(states_are_classified)
{
	struct arena *a = arena_new();
	struct program p = program(EXPECT_NONE);
	uint64_t bins[] = {7, 0, 0, 9};
	struct tally t = {.bins = bins, .instances = 16};
	struct judgement j;

	judge_test(&p, &models[ALLOWS_WEAKLY], NULL, &t, NULL, 0, a, &j);
	ck_assert_uint_eq(j.nseen, 2);
	ck_assert_int_eq(j.seen[0].class, ROW_SC);
	ck_assert(!j.seen[0].target);
	ck_assert_uint_eq(j.seen[1].count, 9);
	ck_assert_int_eq(j.seen[1].class, ROW_WEAK);
	ck_assert(j.seen[1].target);
	ck_assert_uint_eq(j.nunseen, 2);
	ck_assert_uint_eq(j.weak_hits, 9);
	ck_assert_uint_eq(j.forbidden_hits, 0);
	ck_assert_int_eq(j.answer, ANSWER_ALLOWED);
	judge_test(&p, &models[FORBIDS], NULL, &t, NULL, 0, a, &j);
	ck_assert_int_eq(j.seen[1].class, ROW_FORBIDDEN);
	ck_assert_uint_eq(j.forbidden_hits, 9);
	ck_assert_int_eq(j.answer, ANSWER_FORBIDDEN);
	judge_test(&p, NULL, "too large", &t, NULL, 0, a, &j);
	ck_assert_int_eq(j.seen[1].class, ROW_UNJUDGED);
	ck_assert_str_eq(j.reason, "too large");
	ck_assert_uint_eq(j.nunseen, 0);
	arena_free(a);
}
END_TEST

START_TEST(silent_twins_are_no_evidence)
{
	struct arena *a = arena_new();
	struct program p = program(EXPECT_FORBIDDEN);
	uint64_t bins[] = {10, 0, 0, 0};
	struct tally t = {.bins = bins, .instances = 10};
	struct twin_tally twins[] = {
		{.name = "a", .instances = 100}, {.name = "b", .instances = 100}};
	struct judgement j;

	judge_test(&p, &models[FORBIDS], NULL, &t, twins, 2, a, &j);
	ck_assert_int_eq(j.strength, DOC_STRENGTH_NO_EVIDENCE);
	twins[1].hits = 1;
	judge_test(&p, &models[FORBIDS], NULL, &t, twins, 2, a, &j);
	ck_assert_int_eq(j.strength, DOC_STRENGTH_BOUNDED);
	arena_free(a);
}
END_TEST

/* By hand: 1 - 0.05^(1/n), about 3/n for large n (the rule of three). */
START_TEST(bounds_follow_the_rule_of_three)
{
	ck_assert(fabs(bound95(1) - 0.95) < 1e-12);
	ck_assert(fabs(bound95(2) - (1 - sqrt(0.05))) < 1e-12);
	ck_assert(fabs(bound95(1000000000000) / 2.9957e-12 - 1) < 1e-3);
	ck_assert(bound95(0) >= 1);
}
END_TEST

/* 1 - exp(-n): 0.632 for one hit, 0.950 for three. */
START_TEST(reproducibility_is_poisson)
{
	ck_assert(fabs(reproducibility(0)) < 1e-15);
	ck_assert(fabs(reproducibility(1) - 0.63212055882855768) < 1e-15);
	ck_assert(fabs(reproducibility(3) - 0.95021293163213605) < 1e-15);
	ck_assert(fabs(reproducibility(UINT64_MAX) - 1) < 1e-15);
}
END_TEST

START_TEST(ks_distance_of_known_samples)
{
	double a[] = {1, 2, 3, 4}, b[] = {4, 3, 2, 1}, c[] = {5, 6, 7, 8};
	double d[] = {3, 4, 5, 6}, one_value[] = {1, 1, 1, 1};

	ck_assert(ks_distance(a, 4, b, 4) < 1e-12);
	ck_assert(fabs(ks_distance(a, 4, c, 4) - 1) < 1e-12);
	ck_assert(fabs(ks_distance(a, 4, d, 4) - 0.5) < 1e-12);
	ck_assert(fabs(ks_distance(a, 4, one_value, 4) - 0.75) < 1e-12);
}
END_TEST

START_TEST(drift_shows_in_the_fifths)
{
	struct arena *a = arena_new();
	double rates[50];
	int i;

	for (i = 0; i < 50; i++)
		rates[i] = i % 5 + 1;
	ck_assert(rates_drift(rates, 50, a) < 1e-12);
	ck_assert(rates_drift(rates, 24, a) < 0);
	for (i = 0; i < 50; i++)
		rates[i] = i;
	ck_assert(fabs(rates_drift(rates, 50, a) - 1) < 1e-12);
	arena_free(a);
}
END_TEST

START_TEST(dispersion_is_of_the_logarithm)
{
	const double same[] = {2, 2, 2}, silent[] = {1, 0, 1};
	const double e2[] = {1, 7.38905609893065}; /* logs 0 and 2 */

	ck_assert(fabs(rates_dispersion(same, 3)) < 1e-7);
	ck_assert(rates_dispersion(silent, 3) < 0);
	ck_assert(rates_dispersion(same, 1) < 0);
	ck_assert(fabs(rates_dispersion(e2, 2) - sqrt(2)) < 1e-9);
}
END_TEST

Suite *suite_judge(void);

Suite *
suite_judge(void)
{
	Suite *s = suite_create("judge");
	TCase *c = tcase_create("judge");

	tcase_add_loop_test(c, verdicts_follow_from_tallies, 0,
	    (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_test(c, states_are_classified);
	tcase_add_test(c, silent_twins_are_no_evidence);
	tcase_add_test(c, bounds_follow_the_rule_of_three);
	tcase_add_test(c, reproducibility_is_poisson);
	tcase_add_test(c, ks_distance_of_known_samples);
	tcase_add_test(c, drift_shows_in_the_fifths);
	tcase_add_test(c, dispersion_is_of_the_logarithm);
	suite_add_tcase(s, c);
	return s;
}
