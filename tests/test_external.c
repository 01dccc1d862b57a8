/* The verdicts of the external suite, where it is there. */
#include <check.h>

#include "../driver/driver.h"
#include "help_external.h"

static const struct {
	const char *list;
	enum model_version version;
} runs[] = {
	{"expected-v6.0.csv", MODEL_PTX60}, {"expected-v6.0.csv", MODEL_PTX},
	{"expected-v7.5.csv", MODEL_PTX75}, {"expected-v7.5.csv", MODEL_PTX},
};

START_TEST(verdicts_agree)
{
	struct arena *a = arena_new();
	const char *folder = external_dat3m();
	struct model_opts opts;
	struct outcomes out;
	struct against list;
	struct err err;
	int i;

	if (!folder)
		return;
	model_defaults(&opts, runs[_i].version);
	ck_assert_msg(against_read(arena_printf(a, "%s/%s", folder,
	    runs[_i].list), a, &list, &err), "%s", err.message);
	ck_assert_int_gt(list.count, 0);
	for (i = 0; i < list.count; i++) {
		const struct expected *e = &list.list[i];
		const struct program *p = against_program(e, a);

		ck_assert_ptr_nonnull(p);
		ck_assert_msg(model_run(p, &opts, a, &out, &err), "%s",
		    err.message);
		ck_assert_msg(out.status == MODEL_OK, "%s: %s", e->name,
		    out.reason);
		ck_assert_msg(model_statement(p, &out) == (e->value == 1),
		    "%s under %s: %d, not %d", e->name,
		    model_version_name(opts.version),
		    model_statement(p, &out), e->value);
	}
	printf("external: %d verdicts of %s agree under %s\n", list.count,
	    runs[_i].list, model_version_name(opts.version));
	arena_free(a);
}
END_TEST

Suite *suite_external(void);

Suite *
suite_external(void)
{
	Suite *s = suite_create("external");
	TCase *t = tcase_create("verdicts");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, verdicts_agree, 0,
	    (int)(sizeof(runs) / sizeof(*runs)));
	suite_add_tcase(s, t);
	return s;
}
