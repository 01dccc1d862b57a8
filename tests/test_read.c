/* The YAML reader and writer: golden files, limits, places. */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "help_golden.h"

static glob_t bad, good;

static bool
read_text(const char *name, const char *text, size_t size, struct arena *a,
    struct suite *suite, struct errs *errs)
{
	struct source s = {name, text, size};

	return read_yaml(&s, a, suite, errs);
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

START_TEST(bad_input_is_explained)
{
	const char *path = bad.gl_pathv[_i];
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	struct source source;
	struct err err;

	ck_assert(source_read(path, (size_t)4 << 20, a, &source, &err));
	source.name = base_name(path);
	ck_assert_msg(!read_yaml(&source, a, &suite, &errs),
	    "%s was accepted", path);
	ck_assert_int_gt(errs.count, 0);
	ck_assert_int_eq(suite.count, 0);
	ck_assert_ptr_null(suite.programs);
	golden(path, ".err", errors_text(&errs, &source, a), a);
	arena_free(a);
}
END_TEST

START_TEST(bad_inputs_are_many)
{
	ck_assert_uint_ge(bad.gl_pathc, 60);
}
END_TEST

static void
values_write(struct text *t, const struct program *p)
{
	int i, j;

	text_printf(t, "# %s, sm_%d, PTX %d.%d%s\n", p->cond_text, p->sm,
	    p->ptx / 10, p->ptx % 10, p->hangs ? ", may hang" : "");
	for (i = 0; i < p->nslots; i++) {
		text_printf(t, "# %s:", p->slots[i].name);
		for (j = 0; j < p->slots[i].nvalues; j++)
			text_printf(t, " %llu", (unsigned long long)
			    p->slots[i].values[j]);
		text_printf(t, "\n");
	}
}

START_TEST(good_input_is_read)
{
	const char *path = good.gl_pathv[_i];
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	struct source source;
	struct text out;
	struct err err;
	int i;

	ck_assert(source_read(path, (size_t)4 << 20, a, &source, &err));
	source.name = base_name(path);
	if (!read_yaml(&source, a, &suite, &errs))
		ck_abort_msg("%s", errors_text(&errs, &source, a));
	text_init(&out, a);
	for (i = 0; i < suite.count; i++) {
		text_printf(&out, "---\n");
		write_yaml(&out, &suite.programs[i]);
		values_write(&out, &suite.programs[i]);
	}
	golden(path, ".out", out.s, a);
	arena_free(a);
}
END_TEST

START_TEST(written_is_read_as_the_same)
{
	struct arena *a = arena_new();
	struct suite suite = {0}, again = {0};
	struct errs errs = {0};
	struct source source;
	struct err err;
	int i;

	ck_assert(source_read(good.gl_pathv[_i], (size_t)4 << 20, a, &source,
	    &err));
	ck_assert(read_yaml(&source, a, &suite, &errs));
	for (i = 0; i < suite.count; i++) {
		const struct program *p = &suite.programs[i], *q;
		struct text t;

		text_init(&t, a);
		write_yaml(&t, p);
		if (!read_text("written", t.s, t.size, a, &again, &errs))
			ck_abort_msg("%s\n%s", t.s, errs.list[0].message);
		q = &again.programs[again.count - 1];
		ck_assert_msg(p->hash == q->hash, "%s changed:\n%s", p->name,
		    t.s);
		ck_assert_str_eq(p->name, q->name);
		ck_assert_str_eq(p->about, q->about);
		ck_assert_int_eq(p->expect, q->expect);
		ck_assert_uint_eq(p->noutcomes, q->noutcomes);
		ck_assert_int_eq(p->ntags, q->ntags);
	}
	arena_free(a);
}
END_TEST

/* Each must give another hash; the first two, the same. */
static const char *const different[] = {
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"exists: \"[x] == 1\"\n",
	"name: b\nabout: other\nlocations: {x: 0}  # as above\nthreads:\n"
	"  - code: |\n      st.weak.global.u32   [x],0x1;\n"
	"exists: \"[x]=1\"\nexpect: allowed\n",
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 2;\n"
	"exists: \"[x] == 1\"\n",
	"name: a\nlocations: {x: 1}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"exists: \"[x] == 1\"\n",
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"never: \"[x] == 1\"\n",
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"exists: \"[x] != 1\"\n",
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"    warp: 1\nexists: \"[x] == 1\"\n",
	"name: a\nlocations: {x: 0}\nthreads:\n  - code: st.u32 [x], 1;\n"
	"    warm: [x]\nexists: \"[x] == 1\"\n",
};
#define DIFFERENT ((int)(sizeof(different) / sizeof(*different)))

START_TEST(hash_is_of_the_meaning)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	int i, j;

	for (i = 0; i < DIFFERENT; i++)
		ck_assert_msg(read_text("t", different[i],
		    strlen(different[i]), a, &suite, &errs), "%d: %s", i,
		    errs.list[0].message);
	ck_assert_int_eq(suite.count, DIFFERENT);
	for (i = 1; i < DIFFERENT; i++)
		for (j = i == 1 ? 1 : 0; j < i; j++)
			ck_assert_msg(suite.programs[i].hash !=
			    suite.programs[j].hash, "%d and %d", i, j);
	ck_assert(suite.programs[0].hash == suite.programs[1].hash);
	arena_free(a);
}
END_TEST

START_TEST(no_more_than_twenty_errors)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	struct text t;
	int i;

	text_init(&t, a);
	text_printf(&t, "name: a\nthreads:\n  - code: |\n");
	for (i = 0; i < 40; i++)
		text_printf(&t, "      nothing%d;\n", i);
	text_printf(&t, "exists: 1 == 1\n");
	ck_assert(!read_text("t", t.s, t.size, a, &suite, &errs));
	ck_assert_int_eq(errs.count, ERRS_MAX);
	ck_assert_int_eq(errs.dropped, 20);
	ck_assert_int_eq(errs.list[0].loc.line, 4);
	ck_assert_int_eq(errs.list[19].loc.line, 23);
	arena_free(a);
}
END_TEST

START_TEST(file_is_bounded)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	size_t size = ((size_t)1 << 20) + 1;
	char *text = arena_alloc(a, size + 1);

	memset(text, '#', size);
	ck_assert(!read_text("t", text, size, a, &suite, &errs));
	ck_assert_str_eq(errs.list[0].message, "larger than 1024 KiB");
	arena_free(a);
}
END_TEST

/* The most variants that a file may have are read; one more is refused. */
START_TEST(variants_are_bounded)
{
	struct arena *a = arena_new();
	struct text t;
	int extra, i, j;

	for (extra = 0; extra < 2; extra++) {
		struct suite suite = {0};
		struct errs errs = {0};

		text_init(&t, a);
		text_printf(&t, "name: a\nlocations: {x: 0}\nthreads:\n"
		    "  - code: st.u32 [x], {v}{w};\nexists: \"[x] == 1\"\n"
		    "matrix:\n");
		for (i = 0; i < 2; i++) {
			text_printf(&t, "  %s: {", i ? "w" : "v");
			for (j = 0; j < 64; j++)
				text_printf(&t, "%sx%d: %d", j ? ", " : "", j,
				    10 + j);
			text_printf(&t, "}\n");
		}
		if (extra)
			text_printf(&t, "---\n%s", different[0]);
		ck_assert(read_text("t", t.s, t.size, a, &suite, &errs) ==
		    !extra);
		ck_assert_int_eq(suite.count, extra ? 0 : 4096);
	}
	arena_free(a);
}
END_TEST

/* An error's place, where the way to it is not plain. */
static const struct {
	const char *text;
	int line, column;
} places[] = {
	/* columns count bytes: two for the e acute */
	{"name: a\nabout: \xc3\xa9\nthreads:\n  - code: \"bad;\"\n", 4, 12},
	{"{name: \xc3\xa9}", 1, 8},
	{"{about: \xc3\xa9, name: '?'}", 1, 19},
	/* a block of its own indentation, and empty lines before */
	{"name: a\nthreads:\n  - code: |2\n\n\n          bad;\n", 6, 11},
	{"name: a\nthreads:\n  - code: |\n\n      exit;\n        bad;\n", 6,
	    9},
	/* in a definition, and behind a placeholder */
	{"name: a\nthreads:\n  - code: |\n      {ok} bad;\n"
	 "variants: {v: {ok: exit;}}\n", 4, 12},
	{"name: a\nthreads:\n  - code: |\n      {one}\n"
	 "variants: {v: {one: 'exit; bad;'}}\n", 5, 28},
	{"name: a\nthreads:\n  - code: |\n      {one}\n"
	 "variants: {v: {one: 'exit; {two};', two: bad}}\n", 5, 42},
	{"name: a\nthreads:\n  - code: exit;\nexists: \"1 == 1 &&\n"
	 "  bad\"\n", 4, 9},
};

START_TEST(errors_have_places)
{
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	const char *text = places[_i].text;

	ck_assert(!read_text("t", text, strlen(text), a, &suite, &errs));
	ck_assert_msg(errs.list[0].loc.line == places[_i].line &&
	    errs.list[0].loc.column == places[_i].column,
	    "%d:%d: %s, wanted %d:%d", errs.list[0].loc.line,
	    errs.list[0].loc.column, errs.list[0].message, places[_i].line,
	    places[_i].column);
	arena_free(a);
}
END_TEST

/* Instructions are placed in the code, whatever filled them in. */
START_TEST(instructions_have_places)
{
	static const char text[] =
	    "name: a\nlocations: {x: 0}\nthreads:\n  - code: |\n"
	    "      {none}\n      exit; {st} [x], 1;\n"
	    "exists: \"[x] == 1\"\n"
	    "variants: {v: {none: '', st: st.u32}}\n";
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	const struct thread *t;

	ck_assert(read_text("t", text, strlen(text), a, &suite, &errs));
	t = &suite.programs[0].threads[0];
	ck_assert_int_eq(t->ninsns, 2);
	ck_assert_int_eq(t->insns[0].loc.line, 6);
	ck_assert_int_eq(t->insns[0].loc.column, 7);
	ck_assert_int_eq(t->insns[1].loc.line, 6);
	ck_assert_int_eq(t->insns[1].loc.column, 13);
	arena_free(a);
}
END_TEST

Suite *suite_read(void);

Suite *
suite_read(void)
{
	Suite *s = suite_create("read");
	TCase *c = tcase_create("read");

	glob("tests/bad/*.yaml", 0, NULL, &bad);
	glob("tests/good/*.yaml", 0, NULL, &good);
	tcase_add_test(c, bad_inputs_are_many);
	tcase_add_loop_test(c, bad_input_is_explained, 0, (int)bad.gl_pathc);
	tcase_add_loop_test(c, good_input_is_read, 0, (int)good.gl_pathc);
	tcase_add_loop_test(c, written_is_read_as_the_same, 0,
	    (int)good.gl_pathc);
	tcase_add_test(c, hash_is_of_the_meaning);
	tcase_add_test(c, no_more_than_twenty_errors);
	tcase_add_test(c, file_is_bounded);
	tcase_add_test(c, variants_are_bounded);
	tcase_add_loop_test(c, errors_have_places, 0,
	    (int)(sizeof(places) / sizeof(*places)));
	tcase_add_test(c, instructions_have_places);
	suite_add_tcase(s, c);
	return s;
}
