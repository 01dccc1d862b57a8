/*
 * The weak memory against the model: never more than it allows, and nearly
 * all of it. FENCEPOST_SIM_RANDOM=N runs N random programs (of which some
 * half can run here), FENCEPOST_SIM_SEED=S those of another seed;
 * FENCEPOST_SIM_INSTANCES=N runs that many instances of each test; with
 * 100000 the core suite must show 90 % of what is allowed.
 */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "help_oracle.h"
#include "help_weak.h"

static uint64_t
number_of(const char *name, uint64_t fallback)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 10) : fallback;
}

/* ---- the corners ---------------------------------------------------------------- */

#define CORNERS "tests/sim/weak.yaml"

/* What is allowed and does not show; the machine is stronger there. */
static const struct {
	const char *name;
	uint32_t missing; /* at most */
} stronger[] = {
	/* a barrier waits for the loads before it */
	{"LB+bar", 1},
	/* strong stores are ordered if one's scope includes the other, so
	   that one may be missing; others are rare */
	{"CoMixed", 12},
};

static uint32_t
may_miss(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(stronger) / sizeof(*stronger); i++)
		if (strcmp(stronger[i].name, name) == 0)
			return stronger[i].missing;
	return 0;
}

START_TEST(corners_show_what_is_allowed)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct suite suite = study_read(CORNERS, a);
	int i;

	for (i = 0; i < suite.count; i++) {
		struct study s = {.options = "", .seed = 11,
		    .instances = 30000};

		study_weak(&s, &suite.programs[i], each);
		ck_assert_msg(s.judged && study_sound(&s), "%s: %s\n%s",
		    suite.programs[i].name, s.err.message, s.why.s);
		ck_assert_msg(s.allowed - s.seen <=
		    may_miss(suite.programs[i].name), "%s:\n%s",
		    suite.programs[i].name, s.why.s);
		arena_reset(each);
	}
	arena_free(each);
	arena_free(a);
}
END_TEST

START_TEST(interleavings_only_without_weakness)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct suite suite = study_read(CORNERS, a);
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	uint32_t k, sc;
	int i;

	model_defaults(&opts, MODEL_PTX);
	for (i = 0; i < suite.count; i++) {
		struct study s = {.options = "memory=sc", .seed = 12,
		    .instances = 2000};

		study_weak(&s, &suite.programs[i], each);
		ck_assert(model_run(&suite.programs[i], &opts, each, &out,
		    &err));
		for (k = sc = 0; k < out.count; k++)
			sc += out.list[k].sc;
		ck_assert_msg(s.judged && study_sound(&s) && s.seen <= sc,
		    "%s: %u shown, %u by interleaving",
		    suite.programs[i].name, s.seen, sc);
		arena_reset(each);
	}
	arena_free(each);
	arena_free(a);
}
END_TEST

/* ---- random programs -------------------------------------------------------------- */

#define RANDOM_SEED 4 /* unless the environment says another */

/* One GPU; for one draw in four one cluster, which shares memory. */
static void
place_closer(struct naive_test *test, bool shared)
{
	int t;

	test->shared = shared;
	for (t = 0; t < test->nthreads; t++) {
		test->threads[t].gpu = 0;
		if (shared)
			test->threads[t].cluster = 0;
	}
}

struct drawn {
	uint64_t seed;
	uint64_t judged, shared;
	uint64_t fenced; /* with barrier.cluster.arrive.relaxed and a fence
		before it */
};

static bool
arrives_fenced(const struct naive_test *test)
{
	int t, i;

	for (t = 0; t < test->nthreads; t++) {
		bool fence = false;

		for (i = 0; i < test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &test->threads[t].insns[i];

			fence |= insn->kind == NAIVE_FENCE;
			if (fence && insn->kind == NAIVE_CLUSTER_ARRIVE &&
			    insn->sem == SEM_RELAXED)
				return true;
		}
	}
	return false;
}

/* Does nothing if it cannot run here: a dialect, more outcomes than fit. */
static void
random_one(uint64_t n, struct drawn *drawn, struct arena *a)
{
	struct draw d = {drawn->seed, n, 0};
	struct source source = {.name = "drawn"};
	struct suite suite = {0};
	struct errs errs = {0};
	struct naive_test test;
	struct study s = {.options = "", .seed = n, .instances = 1000};

	memset(&test, 0, sizeof(test));
	naive_draw(&test, &d);
	if (test.litmus)
		return;
	place_closer(&test, n % 4 == 0);
	source.text = naive_text(&test, "drawn", a);
	source.size = strlen(source.text);
	if (!read_yaml(&source, a, &suite, &errs))
		return;
	study_weak(&s, &suite.programs[0], a);
	ck_assert_msg(study_sound(&s), "draw %llu: %s\n%s%s",
	    (unsigned long long)n, s.err.message, s.why.s, source.text);
	drawn->judged += s.judged;
	drawn->shared += s.judged && test.shared;
	drawn->fenced += s.judged && arrives_fenced(&test);
}

START_TEST(random_programs_are_sound)
{
	uint64_t n, most = number_of("FENCEPOST_SIM_RANDOM", 400);
	struct drawn drawn = {.seed = number_of("FENCEPOST_SIM_SEED",
	    RANDOM_SEED)};
	struct arena *a = arena_new();

	for (n = 0; n < most; n++) {
		random_one(n, &drawn, a);
		arena_reset(a);
	}
	printf("sim: %llu of %llu programs drawn with seed %llu ran, %llu in "
	    "shared memory, %llu with a fence before a relaxed arrival: "
	    "nothing forbidden\n", (unsigned long long)drawn.judged,
	    (unsigned long long)most, (unsigned long long)drawn.seed,
	    (unsigned long long)drawn.shared,
	    (unsigned long long)drawn.fenced);
	ck_assert(most < 200 || drawn.judged > most / 3);
	ck_assert(most < 200 || drawn.shared > most / 20);
	ck_assert(most < 200 || drawn.fenced > 0);
	arena_free(a);
}
END_TEST

/* ---- the shipped tests -------------------------------------------------------------- */

struct coverage {
	uint64_t instances;
	uint32_t tests, allowed, seen; /* of up to 3 threads */
};

static void
shipped_file(const char *path, struct coverage *c)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct suite suite = study_read(path, a);
	int i;

	for (i = 0; i < suite.count; i++) {
		const struct program *p = &suite.programs[i];
		struct study s = {.options = "", .seed = 13,
		    .instances = c->instances};

		study_weak(&s, p, each);
		ck_assert_msg(study_sound(&s), "%s: %s\n%s", p->name,
		    s.err.message, s.why.s);
		if (s.judged && p->nthreads <= 3) {
			c->tests++;
			c->allowed += s.allowed;
			c->seen += s.seen;
			if (getenv("FENCEPOST_SIM_MISSING") && s.why.size)
				printf("%s\n%s", p->name, s.why.s);
		}
		arena_reset(each);
	}
	arena_free(each);
	arena_free(a);
}

START_TEST(shipped_tests_are_sound)
{
	struct coverage c = {.instances =
	    number_of("FENCEPOST_SIM_INSTANCES", 2000)};
	glob_t files = {0};
	size_t i;

	if (glob("litmus/*/*.yaml", 0, NULL, &files) == 0)
		for (i = 0; i < files.gl_pathc; i++)
			shipped_file(files.gl_pathv[i], &c);
	globfree(&files);
	if (c.tests)
		printf("sim: %u tests of up to 3 threads show %u of %u "
		    "allowed outcomes (%.1f %%)\n", c.tests, c.seen,
		    c.allowed, 100.0 * c.seen / c.allowed);
	if (c.instances >= 100000)
		ck_assert_uint_ge(10 * c.seen, 9 * c.allowed);
}
END_TEST

Suite *suite_sim_weak(void);

Suite *
suite_sim_weak(void)
{
	Suite *s = suite_create("sim_weak");
	TCase *c = tcase_create("sim_weak");

	tcase_set_timeout(c, 3600);
	tcase_add_test(c, corners_show_what_is_allowed);
	tcase_add_test(c, interleavings_only_without_weakness);
	tcase_add_test(c, random_programs_are_sound);
	tcase_add_test(c, shipped_tests_are_sound);
	suite_add_tcase(s, c);
	return s;
}
