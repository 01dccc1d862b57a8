/* primitives: what the model says of them, and what comments say of it */
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "help_primitive.h"

static struct suite distilled;

static void
read_distilled(void)
{
	static const char *const files[] = {"primitives/atomic",
	    "primitives/chain", "primitives/grid", "primitives/local",
	    "primitives/lock", "primitives/message", "primitives/scan",
	    "async/bulk", "async/fences", "async/mbarrier", "cases/async"};
	struct source source;
	struct errs errs = {0};
	struct err err = {0};
	size_t i;

	memset(&distilled, 0, sizeof(distilled));
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ck_assert_msg(source_read(arena_printf(prim_arena,
		    "litmus/%s.yaml", files[i]), 1 << 20, prim_arena, &source,
		    &err), "%s", err.message);
		ck_assert(read_any(&source, prim_arena, &distilled, &errs));
	}
}

static const struct program *
test_named(const char *name)
{
	int i;

	for (i = 0; i < distilled.count; i++)
		if (strcmp(distilled.programs[i].name, name) == 0)
			return &distilled.programs[i];
	return NULL;
}

static enum answer
answer_of(const struct program *p)
{
	struct arena *a = arena_new();
	struct model_opts opts;
	struct outcomes outcomes = {0};
	struct err err = {0};
	enum answer answer;

	model_defaults(&opts, MODEL_PTX);
	ck_assert_msg(model_run(p, &opts, a, &outcomes, &err), "%s: %s",
	    p->name, err.message);
	answer = model_answer(p, &outcomes);
	arena_free(a);
	return answer;
}

/* Proved in the small what is stressed in the large. */
START_TEST(the_model_says_what_entries_say)
{
	int i, judged = 0;

	read_distilled();
	for (i = 0; i < prims.count; i++) {
		const struct primitive *p = &prims.list[i];
		const struct program *test;

		if (!p->litmus)
			continue;
		test = test_named(p->litmus);
		ck_assert_msg(test != NULL, "%s: no test %s", p->name,
		    p->litmus);
		ck_assert_msg(answer_of(test) == (p->twin_of ?
		    ANSWER_ALLOWED : ANSWER_FORBIDDEN), "%s: %s", p->name,
		    p->litmus);
		judged++;
	}
	ck_assert_int_ge(judged, 200);
}
END_TEST

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* The length of a variant's name, as in relaxed-set, or 0. */
static size_t
variant_name(const char *s)
{
	size_t k = strspn(s, LOWER DIGITS "-+.");

	while (k > 0 && strchr("-+.", s[k - 1]))
		k--; /* of the sentence */
	return *s >= 'a' && *s <= 'z' ? k : 0;
}

/* The length of a name like Flag+relaxed-set, or 0. */
static size_t
test_name(const char *s)
{
	size_t n = strspn(s, UPPER LOWER DIGITS "-."), k;

	if (n == 0 || s[n] != '+' || strchr(DIGITS "-.", *s))
		return 0;
	k = variant_name(s + n + 1);
	return k ? n + 1 + k : 0;
}

/* Of a name like Flag+relaxed-set: Flag, which is the sound form. */
static const char *
family_of(const char *name)
{
	return arena_strndup(prim_arena, name, strcspn(name, "+"));
}

/* The bare name, or any variant: there is a form that works. */
static bool
has_sound_form(const char *family)
{
	size_t n = strlen(family);
	int i;

	for (i = 0; i < distilled.count; i++) {
		const struct program *p = &distilled.programs[i];

		if (strncmp(p->name, family, n) == 0 &&
		    (p->name[n] == '\0' || p->name[n] == '+') &&
		    answer_of(p) == ANSWER_FORBIDDEN)
			return true;
	}
	return false;
}

static void
check_comment(const char *file, const char *name)
{
	ck_assert_msg(test_named(name) != NULL, "kernels/%s: no test %s",
	    file, name);
	ck_assert_msg(answer_of(test_named(name)) == ANSWER_ALLOWED,
	    "kernels/%s: %s is not allowed", file, name);
	ck_assert_msg(has_sound_form(family_of(name)),
	    "kernels/%s: nothing of %s is forbidden", file, name);
}

/* The next test that a comment names, as Flag+relaxed-set or, after such a
   one, as +relaxed-get; NULL: none. */
static const char *
next_name(const char **at, const char **family)
{
	const char *s, *name;
	size_t n;

	for (s = *at; *s; s++) {
		bool inside = s > *at && (isalnum((unsigned char)s[-1]) ||
		    strchr("-.+", s[-1]));

		n = inside ? 0 : test_name(s);
		if (n > 0) {
			name = arena_strndup(prim_arena, s, n);
			*family = family_of(name);
			*at = s + n;
			return name;
		}
		n = strncmp(s, ", +", 3) == 0 ? variant_name(s + 3) : 0;
		if (n > 0 && *family) {
			*at = s + 3 + n;
			return arena_printf(prim_arena, "%s%.*s", *family,
			    (int)n + 1, s + 2);
		}
		if (*s == ';' || *s == '}')
			*family = NULL; /* code: the comment is over */
	}
	return NULL;
}

/* A fence comment names a test that exists and that the model allows, and
   its family has the form with the fence, which it forbids. */
START_TEST(fence_comments_name_tests_that_fail)
{
	struct source source;
	const char *at, *family, *name;
	const struct embedded *e;
	struct err err;
	int found = 0;

	read_distilled();
	for (e = embedded_files; e->name; e++) {
		const char *yaml = strstr(e->name, ".yaml"), *file;

		if (!yaml)
			continue;
		file = arena_printf(prim_arena, "%.*s.cu",
		    (int)(yaml - e->name), e->name);
		ck_assert(source_read(arena_printf(prim_arena, "kernels/%s",
		    file), 1 << 20, prim_arena, &source, &err));
		for (at = source.text, family = NULL;
		    (name = next_name(&at, &family)); found++)
			check_comment(file, name);
	}
	ck_assert_int_ge(found, 60);
}
END_TEST

Suite *suite_primitive_proof(void);

Suite *
suite_primitive_proof(void)
{
	Suite *s = suite_create("primitive_proof");
	TCase *t = tcase_create("primitive_proof");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, prims_read, prims_free);
	tcase_add_test(t, the_model_says_what_entries_say);
	tcase_add_test(t, fence_comments_name_tests_that_fail);
	suite_add_tcase(s, t);
	return s;
}
