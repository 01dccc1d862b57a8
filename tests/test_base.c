/* arena, text, err, philox, names */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../gen/gen.h"

START_TEST(arena_keeps_pieces_apart)
{
	struct arena *a = arena_new();
	char *p[100];
	size_t i, j;
	int sum = 0;

	for (i = 0; i < 100; i++) {
		p[i] = arena_alloc(a, i * 997);
		ck_assert_uint_eq((uintptr_t)p[i] % 16, 0);
		for (j = 0; j < i * 997; j++)
			sum |= p[i][j];
		ck_assert_int_eq(sum, 0);
		memset(p[i], (int)i, i * 997);
	}
	for (i = 0; i < 100; i++)
		for (j = 0; j < i * 997; j++)
			sum |= p[i][j] ^ (char)i;
	ck_assert_int_eq(sum, 0);
	arena_reset(a);
	ck_assert_int_eq(*(char *)arena_alloc(a, 1), 0);
	arena_free(a);
}
END_TEST

START_TEST(text_grows)
{
	struct arena *a = arena_new();
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < 5000; i++)
		text_printf(&t, "%d,", i % 10);
	ck_assert_uint_eq(t.size, 10000);
	ck_assert_uint_eq(strlen(t.s), 10000);
	ck_assert_str_eq(t.s + 9996, "8,9,");
	arena_free(a);
}
END_TEST

static const struct {
	const char *in, *out;
} cleaned[] = {
	{"plain\n\ttext", "plain\n\ttext"},
	{"a\x1b[31mb", "a?[31mb"},
	{"\xc3\xa9", "\xc3\xa9"},
	{"\xc3", "\xef\xbf\xbd"},
	{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xf0\x9f\x90\x99", "\xf0\x9f\x90\x99"},
	{"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\x7f", "?"},
};

START_TEST(text_cleans)
{
	struct arena *a = arena_new();

	ck_assert_str_eq(text_clean(a, cleaned[_i].in,
	    strlen(cleaned[_i].in)), cleaned[_i].out);
	arena_free(a);
}
END_TEST

START_TEST(errs_keep_the_earliest_in_order)
{
	struct errs errs = {0};
	struct err e;
	int i;

	for (i = 0; i < 30; i++) {
		err_set(&e, ERR_INPUT, (struct loc){"f", 30 - i, 1}, "%d", i);
		errs_add(&errs, &e);
	}
	ck_assert_int_eq(errs.count, ERRS_MAX);
	ck_assert_int_eq(errs.dropped, 10);
	for (i = 0; i < ERRS_MAX; i++)
		ck_assert_int_eq(errs.list[i].loc.line, i + 1);
}
END_TEST

START_TEST(err_prints_a_caret)
{
	struct source s = {"f.yaml", "one\n\ttwo three\n", 15};
	struct err e;
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	err_set(&e, ERR_INPUT, (struct loc){"f.yaml", 2, 6}, "bad");
	err_print(f, &e, &s);
	fclose(f);
	ck_assert_str_eq(out,
	    "f.yaml:2:6: error: bad\n  \ttwo three\n  \t    ^\n");
	free(out);
}
END_TEST

/* Known answer of Philox 4x32-10 at zero key and counter, from the
   Random123 distribution's kat_vectors. */
START_TEST(draws_are_philox)
{
	struct draw d = {0, 0, 0};
	int i;

	ck_assert_uint_eq(draw_u32(&d), 0x6627e8d5u);
	ck_assert_uint_eq(draw_u32(&d), 0xe169c58du);
	for (i = 0; i < 1000; i++)
		ck_assert_uint_lt(draw_below(&d, 7), 7);
}
END_TEST

START_TEST(types_have_sizes)
{
	ck_assert_int_eq(type_size(TYPE_S64), 8);
	ck_assert(type_signed(TYPE_S8));
	ck_assert_str_eq(type_name(TYPE_B16), "b16");
	ck_assert_str_eq(sem_name(SEM_ACQ_REL), "acq_rel");
}
END_TEST

Suite *suite_base(void);

Suite *
suite_base(void)
{
	Suite *s = suite_create("base");
	TCase *c = tcase_create("base");

	tcase_add_test(c, arena_keeps_pieces_apart);
	tcase_add_test(c, text_grows);
	tcase_add_loop_test(c, text_cleans, 0,
	    (int)(sizeof(cleaned) / sizeof(*cleaned)));
	tcase_add_test(c, errs_keep_the_earliest_in_order);
	tcase_add_test(c, err_prints_a_caret);
	tcase_add_test(c, draws_are_philox);
	tcase_add_test(c, types_have_sizes);
	suite_add_tcase(s, c);
	return s;
}
