/* documents: read, checked, refused */
#include <check.h>
#include "help_sample.h"

START_TEST(sample_reads)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&(struct sample){.seed = 1,
	    .tests = 500, .primitives = 10}, a);

	ck_assert_int_eq(d.ntests, 500);
	arena_free(a);
}
END_TEST

Suite *suite_reports(void);
Suite *
suite_reports(void)
{
	Suite *s = suite_create("reports");
	TCase *t = tcase_create("document");

	tcase_add_test(t, sample_reads);
	suite_add_tcase(s, t);
	return s;
}
