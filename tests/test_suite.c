/* The shipped tests: read, agreed with the model, described. */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../model/model.h"

static glob_t files;

static const char *
slurp(const char *path, struct arena *a, struct source *s)
{
	struct err err;

	ck_assert_msg(source_read(path, (size_t)1 << 20, a, s, &err), "%s",
	    path);
	return s->text;
}

static void
suite_read_file(const char *path, struct arena *a, struct suite *suite)
{
	struct source source;
	struct errs errs = {0};

	slurp(path, a, &source);
	if (!read_any(&source, a, suite, &errs)) {
		errs_print(stderr, &errs, &source);
		ck_abort_msg("%s is not read", path);
	}
}

static const char *const answers[] = {
	[ANSWER_NONE] = "no verdict", [ANSWER_ALLOWED] = "allowed",
	[ANSWER_FORBIDDEN] = "forbidden",
};

START_TEST(expects_what_the_model_says)
{
	static const enum answer wanted[] = {
		[EXPECT_ALLOWED] = ANSWER_ALLOWED,
		[EXPECT_FORBIDDEN] = ANSWER_FORBIDDEN,
	};
	struct arena *a = arena_new(), *scratch = arena_new();
	struct suite suite = {0};
	struct model_opts opts;
	int i;

	model_defaults(&opts, MODEL_PTX);
	suite_read_file(files.gl_pathv[_i], a, &suite);
	for (i = 0; i < suite.count; i++) {
		const struct program *p = &suite.programs[i];
		struct outcomes out;
		enum answer answer;
		struct err err;

		arena_reset(scratch);
		ck_assert_msg(model_run(p, &opts, scratch, &out, &err),
		    "%s: %s", p->name, err.message);
		answer = model_answer(p, &out);
		ck_assert_msg(p->expect == EXPECT_NONE ||
		    answer == wanted[p->expect], "%s expects %s: %s",
		    p->name, expect_name(p->expect), answers[answer]);
	}
	arena_free(a);
	arena_free(scratch);
}
END_TEST

/* Its family stands in the README, and it says what it asks. */
START_TEST(is_described)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct source source;
	const char *readme = slurp("litmus/README.md", a, &source);
	const char *path = files.gl_pathv[_i];
	char *folder = arena_strdup(a, path + strlen("litmus/"));
	int i;

	*strchr(folder, '/') = '\0';
	ck_assert_msg(strstr(readme, arena_printf(a, "**%s/**", folder)),
	    "litmus/README.md has no entry **%s/**", folder);
	suite_read_file(path, a, &suite);
	for (i = 0; i < suite.count; i++)
		ck_assert_msg(*suite.programs[i].about, "%s has no about",
		    suite.programs[i].name);
	arena_free(a);
}
END_TEST

/* The language's example in the README is a test like any other. */
START_TEST(example_is_read)
{
	struct arena *a = arena_new();
	struct source source;
	const char *start = strstr(slurp("litmus/README.md", a, &source),
	    "```yaml\n"), *end;
	struct suite suite = {0};
	struct errs errs = {0};
	struct model_opts opts;
	int i;

	ck_assert_ptr_nonnull(start);
	start += strlen("```yaml\n");
	end = strstr(start, "```");
	ck_assert_ptr_nonnull(end);
	source = (struct source){"README.md",
	    arena_strndup(a, start, (size_t)(end - start)),
	    (size_t)(end - start)};
	if (!read_yaml(&source, a, &suite, &errs)) {
		errs_print(stderr, &errs, &source);
		ck_abort_msg("the example is not read");
	}
	ck_assert_int_eq(suite.count, 4);
	model_defaults(&opts, MODEL_PTX);
	for (i = 0; i < suite.count; i++) {
		struct outcomes out;
		struct err err;

		ck_assert(model_run(&suite.programs[i], &opts, a, &out,
		    &err));
		ck_assert_str_eq(answers[model_answer(&suite.programs[i],
		    &out)], expect_name(suite.programs[i].expect));
	}
	arena_free(a);
}
END_TEST

START_TEST(names_are_many_and_different)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	size_t f;
	int i, j;

	for (f = 0; f < files.gl_pathc; f++)
		suite_read_file(files.gl_pathv[f], a, &suite);
	ck_assert_int_ge(suite.count, 250);
	for (i = 0; i < suite.count; i++)
		for (j = 0; j < i; j++)
			ck_assert_str_ne(suite.programs[i].name,
			    suite.programs[j].name);
	arena_free(a);
}
END_TEST

/* Names that others rely on: results stored, tests skipped, documents. */
static const char *const stable[] = {
	"MP+weak", "MP+relaxed.gpu", "MP+relacq.gpu", "MP+fence.sc.cta@cta",
	"SB+fence.sc.gpu", "LB+relaxed.gpu", "2+2W+relaxed.gpu",
	"IRIW+relaxed.gpu", "WRC+relaxed.gpu", "CoRR+relaxed.gpu",
	"claim.poll+plain", "MP-warm+release.gpu",
};

START_TEST(names_stay)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	size_t f;
	int i;

	for (f = 0; f < files.gl_pathc; f++)
		suite_read_file(files.gl_pathv[f], a, &suite);
	for (i = 0; i < suite.count; i++)
		if (strcmp(suite.programs[i].name, stable[_i]) == 0)
			break;
	ck_assert_msg(i < suite.count, "%s is gone", stable[_i]);
	arena_free(a);
}
END_TEST

/* A loop on a plain load may turn for ever, one on a strong load not. */
static const struct {
	const char *name;
	bool hangs;
} polls[] = {
	{"claim.poll+plain", true}, {"claim.poll+cv", true},
	{"claim.poll+cg", true}, {"claim.poll+volatile", false},
	{"claim.poll+relaxed", false}, {"claim.poll+acquire", false},
};

START_TEST(polling_hangs_on_plain_loads_only)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	int i;

	model_defaults(&opts, MODEL_PTX);
	suite_read_file("litmus/claims/poll.yaml", a, &suite);
	for (i = 0; i < suite.count; i++)
		if (strcmp(suite.programs[i].name, polls[_i].name) == 0)
			break;
	ck_assert_int_lt(i, suite.count);
	ck_assert(model_run(&suite.programs[i], &opts, a, &out, &err));
	ck_assert(out.hang == polls[_i].hangs);
	arena_free(a);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_suite(void);

Suite *
suite_suite(void)
{
	Suite *s = suite_create("suite");
	TCase *c = tcase_create("suite");

	glob("litmus/*/*.yaml", 0, NULL, &files);
	tcase_add_loop_test(c, expects_what_the_model_says, 0,
	    (int)files.gl_pathc);
	tcase_add_loop_test(c, is_described, 0, (int)files.gl_pathc);
	tcase_add_test(c, example_is_read);
	tcase_add_test(c, names_are_many_and_different);
	tcase_add_loop_test(c, names_stay, 0, COUNT(stable));
	tcase_add_loop_test(c, polling_hangs_on_plain_loads_only, 0,
	    COUNT(polls));
	suite_add_tcase(s, c);
	return s;
}
