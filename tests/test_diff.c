/* statistics, and what changed between two runs */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/reports.h"
#include "help_page.h"
#include "help_sample.h"

static bool
near(double x, double y, double relative)
{
	return fabs(x - y) <= relative * fabs(y);
}

/* ---- statistics -------------------------------------------------------- */

/* P(X <= k), by adding up. */
static double
sum_below(int k, int n, double p)
{
	double sum = 0;
	int i;

	for (i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) -
		    lgamma(n - i + 1) + i * log(p) + (n - i) * log1p(-p));
	return sum;
}

START_TEST(binomial_tails_are_sums)
{
	static const double shares[] = {0.01, 0.3, 0.5, 0.77, 0.999};
	static const int sizes[] = {1, 2, 7, 40, 500};
	size_t i, j;
	int k;

	for (i = 0; i < 5; i++)
		for (j = 0; j < 5; j++)
			for (k = 0; k < sizes[j]; k += 1 + sizes[j] / 20) {
				double x = sum_below(k, sizes[j], shares[i]);

				ck_assert_msg(near(binomial_below(k, sizes[j],
				    shares[i]), x, 1e-9) || x < 1e-280,
				    "%d of %d at %g", k, sizes[j], shares[i]);
				ck_assert(fabs(binomial_above(k + 1,
				    sizes[j], shares[i]) - (1 - x)) < 1e-9);
			}
}
END_TEST

START_TEST(large_binomials_meet_the_normal_limit)
{
	/* the two ways must agree where one takes over from the other */
	double below = binomial_below(4.9999e7, 0.99e8, 0.5);
	double above = binomial_below(5.0504e7, 1.0000001e8, 0.5);

	ck_assert(near(below, 1, 1e-6));
	ck_assert(near(above, 1, 1e-6));
	ck_assert(near(binomial_below(4.9495e7, 0.99e8, 0.5),
	    0.5 * erfc(5000.0 / sqrt(0.99e8 / 4) / sqrt(2)), 1e-2));
}
END_TEST

START_TEST(equal_rates_do_not_differ)
{
	ck_assert(rates_differ(100, 1e6, 100, 1e6, 0) > 0.9);
	ck_assert(rates_differ(0, 1e6, 0, 1e9, 0) >= 1);
	ck_assert(rates_differ(5, 0, 5, 1e6, 0) >= 1);
	/* 0 against 10 in as many: twice a half to the tenth */
	ck_assert(near(rates_differ(0, 1e6, 10, 1e6, 0), 2 * exp2(-10),
	    1e-9));
	/* three times as many instances, three times the hits */
	ck_assert(rates_differ(100, 1e6, 300, 3e6, 0) > 0.9);
	ck_assert(rates_differ(100, 1e6, 300, 1e6, 0) < 1e-15);
	/* symmetric */
	ck_assert(near(rates_differ(10, 1e6, 40, 2e6, 0.1),
	    rates_differ(40, 2e6, 10, 1e6, 0.1), 1e-9));
}
END_TEST

START_TEST(noise_swallows_what_counting_would_call_a_change)
{
	/* a million hits each, 10 % apart, where runs stray by 30 % */
	ck_assert(rates_differ(1e6, 1e8, 1.1e6, 1e8, 0) < 1e-100);
	ck_assert(rates_differ(1e6, 1e8, 1.1e6, 1e8, 0.3) > 0.5);
	ck_assert(rates_differ(1e6, 1e8, 10e6, 1e8, 0.3) < 1e-10);
	/* it takes nothing from a silence that followed many hits */
	ck_assert(rates_differ(1e6, 1e8, 0, 1e8, 0.3) < 1e-100);
}
END_TEST

START_TEST(discovery_rates_are_those_of_the_paper)
{
	/* Benjamini and Hochberg 1995, section 3.1: four of the fifteen are
	   discoveries at 0.05 */
	static const double p[15] = {
		0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
		0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
	};
	double q[15];
	int i, found = 0;

	discovery_rates(p, q, 15);
	for (i = 0; i < 15; i++)
		found += q[i] <= 0.05;
	ck_assert_int_eq(found, 4);
	ck_assert(near(q[0], 0.0015, 1e-9));
	ck_assert(near(q[3], 0.0095 * 15 / 4, 1e-9));
	discovery_rates(p, q, 0);
}
END_TEST

START_TEST(medians)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

	ck_assert(near(median_of(odd, 3), 2, 0));
	ck_assert(near(median_of(even, 4), 2.5, 0));
	ck_assert(isnan(median_of(odd, 0)));
}
END_TEST

/* ---- diff -------------------------------------------------------------- */

static const struct diff_options usual = {0.05, NAN, 0.05};

static struct diff
compare(const struct document *a, const struct document *b, struct arena *arena)
{
	struct diff d;
	struct err err;

	ck_assert_msg(diff_make(a, b, &usual, arena, &d, &err), "%s",
	    err.message);
	return d;
}

static int
count_of(const struct diff *d, enum change_id id)
{
	int i, n = 0;

	for (i = 0; i < d->count; i++)
		n += d->list[i].id == id;
	return n;
}

/* Runs that differ by nothing but their seed, and stray by 25 %. */
START_TEST(like_runs_do_not_differ)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 100 + (uint64_t)_i, .tests = 480,
	    .noise = 0.25};
	struct document x = sample_document(&s, a), y;
	struct diff d;

	s.seed += 1000;
	y = sample_document(&s, a);
	d = compare(&x, &y, a);
	/* 0.25 in each run is 0.35 in their ratio */
	ck_assert_msg(d.noise > 0.2 && d.noise < 0.6, "%g", d.noise);
	ck_assert_int_gt(d.noise_from, 50);
	ck_assert_int_gt(d.outcomes, 100);
	ck_assert_int_le(d.count, 3);
	ck_assert(!d.worse);
	arena_free(a);
}
END_TEST

/* Rates may stand where they stood, and yet one test has changed. */
START_TEST(one_change_among_many_is_found)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 480, .noise = 0.2};
	struct document x = sample_document(&s, a), y;
	struct diff d;
	struct doc_test *t;

	s.seed = 2;
	y = sample_document(&s, a);
	t = &y.tests[0]; /* MP+weak: its weak outcome is gone */
	ck_assert_str_eq(t->name, "MP+weak");
	t->rows[0].count += t->rows[t->nrows - 1].count;
	t->rows[t->nrows - 1].count = 0;
	t = &y.tests[1]; /* SB+weak: eight times as often */
	t->rows[t->nrows - 1].count *= 8;
	d = compare(&x, &y, a);
	ck_assert_int_eq(count_of(&d, CHANGE_WEAK_LOST), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_RATE_UP), 1);
	ck_assert_str_eq(d.list[0].name, "MP+weak");
	ck_assert_str_eq(d.list[1].name, "SB+weak");
	ck_assert(!d.worse);
	d = compare(&y, &x, a);
	ck_assert_int_eq(count_of(&d, CHANGE_WEAK_NEW), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_RATE_DOWN), 1);
	arena_free(a);
}
END_TEST

START_TEST(forbidden_outcomes_come_first)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 200};
	struct document x = sample_document(&s, a), y;
	struct diff d;

	s.forbidden = 2;
	y = sample_document(&s, a);
	d = compare(&x, &y, a);
	ck_assert_int_eq(count_of(&d, CHANGE_FORBIDDEN), 2);
	ck_assert_int_eq(count_of(&d, CHANGE_FAILED), 2);
	ck_assert_int_eq(d.list[0].id, CHANGE_FORBIDDEN);
	ck_assert(isnan(d.list[0].q)); /* a fact */
	ck_assert(d.worse);
	d = compare(&y, &x, a);
	ck_assert_int_eq(count_of(&d, CHANGE_FORBIDDEN_GONE), 2);
	ck_assert_int_eq(count_of(&d, CHANGE_FIXED), 2);
	ck_assert(!d.worse);
	arena_free(a);
}
END_TEST

START_TEST(tests_come_and_go_and_change)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 100};
	struct document x = sample_document(&s, a), y;
	struct diff d;

	s.tests = 103;
	y = sample_document(&s, a);
	d = compare(&x, &y, a);
	ck_assert_int_eq(count_of(&d, CHANGE_ADDED), 3);
	ck_assert_int_eq(d.count, 3);
	d = compare(&y, &x, a);
	ck_assert_int_eq(count_of(&d, CHANGE_REMOVED), 3);
	ck_assert(d.worse);
	y = sample_document(&(struct sample){.seed = 1, .tests = 100}, a);
	y.tests[0].source_hash ^= 1;
	y.tests[1].answer = DOC_FORBIDDEN;
	y.tests[2].verdict = VERDICT_NOT_RUN;
	y.tests[3].verdict = VERDICT_HANG;
	d = compare(&x, &y, a);
	ck_assert_int_eq(count_of(&d, CHANGE_SOURCE), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_ANSWER), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_NOT_RUN), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_FAILED), 1);
	ck_assert_int_eq(d.count, 4);
	ck_assert(d.worse);
	arena_free(a);
}
END_TEST

START_TEST(costs_are_compared)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 1, .primitives = 10};
	struct document x = sample_document(&s, a), y;
	struct diff d;

	s.seed = 2; /* costs stray by 1 % */
	y = sample_document(&s, a);
	d = compare(&x, &y, a);
	ck_assert_int_eq(d.count, 0);
	y.primitives[0].bench[0].median *= 1.2;
	y.primitives[1].bench[0].median *= 0.8;
	y.primitives[2].bench[0].unit = x.primitives[2].bench[0].unit =
	    "1/s"; /* more is better */
	y.primitives[2].bench[0].median *= 1.2;
	y.primitives[3].verdict = PRIM_NOT_CAUGHT;
	d = compare(&x, &y, a);
	ck_assert_int_eq(count_of(&d, CHANGE_SLOWER), 1);
	ck_assert_int_eq(count_of(&d, CHANGE_FASTER), 2);
	ck_assert_int_eq(count_of(&d, CHANGE_PRIM_FAILED), 1);
	ck_assert(d.worse);
	arena_free(a);
}
END_TEST

START_TEST(software_and_hardware_are_not_compared)
{
	struct arena *a = arena_new();
	struct document x = sample_document(&(struct sample){.seed = 1,
	    .tests = 5}, a);
	struct document y = sample_document(&(struct sample){.seed = 1,
	    .tests = 5, .sim = true}, a), both[2] = {x, y};
	struct diff d;
	struct err err;

	ck_assert(!diff_make(&x, &y, &usual, a, &d, &err));
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert(!diff_make(&y, &x, &usual, a, &d, &err));
	ck_assert(!compare_check(both, 2, &err));
	arena_free(a);
}
END_TEST

START_TEST(devices_pair_by_uuid_or_in_order)
{
	struct arena *a = arena_new();
	struct document one = sample_document(&(struct sample){.seed = 1,
	    .tests = 20}, a);
	struct document two = sample_document(&(struct sample){.seed = 1,
	    .tests = 20, .gpus = 2}, a);
	struct document other = sample_document(&(struct sample){.seed = 1,
	    .tests = 20, .gpus = 2, .gpu = "NVIDIA B200"}, a);
	struct diff d;
	struct err err;

	d = compare(&one, &two, a); /* they share one */
	ck_assert_int_eq(d.tests, 20);
	d = compare(&two, &other, a); /* two against two */
	ck_assert_int_eq(d.tests, 40);
	ck_assert_int_eq(d.noise_from, 0); /* unlike devices */
	ck_assert(!diff_make(&one, &other, &usual, a, &d, &err));
	arena_free(a);
}
END_TEST

static const char *
page_of(const struct diff *d, struct arena *a)
{
	char *s = NULL, *copy;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	diff_html(f, d, &(struct html_options){NULL, 0});
	fclose(f);
	copy = arena_strndup(a, s, size);
	free(s);
	return copy;
}

static const char *
side_by_side(const struct document *list, int n, struct arena *a)
{
	char *s = NULL, *copy;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	compare_html(f, list, n, &(struct html_options){NULL, 0});
	fclose(f);
	copy = arena_strndup(a, s, size);
	free(s);
	return copy;
}

START_TEST(diffs_and_comparisons_are_sound_pages)
{
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 60, .primitives = 10,
	    .noise = 1, .hostile = _i == 1};
	struct document list[3];
	struct diff d;
	char why[256];
	json_t *json;

	list[0] = sample_document(&s, a);
	s.faster = 1e-8;
	s.gpu = "NVIDIA B200";
	list[1] = sample_document(&s, a);
	s.gpus = 2;
	list[2] = sample_document(&s, a);
	d = compare(&list[0], &list[1], a);
	ck_assert_int_gt(d.count, 0);
	ck_assert_msg(page_check(page_of(&d, a), why, sizeof(why)), "%s",
	    why);
	ck_assert_msg(page_check(side_by_side(list, 3, a), why,
	    sizeof(why)), "%s", why);
	ck_assert_ptr_nonnull(strstr(side_by_side(list, 3, a),
	    "on which the runs differ"));
	json = diff_json(&d);
	ck_assert_ptr_nonnull(json);
	ck_assert_int_eq((int)json_array_size(json_object_get(json,
	    "changes")), d.count);
	json_decref(json);
	arena_free(a);
}
END_TEST

Suite *suite_diff(void);
Suite *
suite_diff(void)
{
	Suite *s = suite_create("diff");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, binomial_tails_are_sums);
	tcase_add_test(t, large_binomials_meet_the_normal_limit);
	tcase_add_test(t, equal_rates_do_not_differ);
	tcase_add_test(t, noise_swallows_what_counting_would_call_a_change);
	tcase_add_test(t, discovery_rates_are_those_of_the_paper);
	tcase_add_test(t, medians);
	tcase_add_loop_test(t, like_runs_do_not_differ, 0, 10);
	tcase_add_test(t, one_change_among_many_is_found);
	tcase_add_test(t, forbidden_outcomes_come_first);
	tcase_add_test(t, tests_come_and_go_and_change);
	tcase_add_test(t, costs_are_compared);
	tcase_add_test(t, software_and_hardware_are_not_compared);
	tcase_add_test(t, devices_pair_by_uuid_or_in_order);
	tcase_add_loop_test(t, diffs_and_comparisons_are_sound_pages, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
