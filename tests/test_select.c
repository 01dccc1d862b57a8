/* select: paths, filters, shards, one test by name */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../driver/driver.h"

static const char a_yaml[] =
	"name: A\n"
	"about: two\n"
	"locations: {x: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      {write} [x], 1;\n"
	"  - cta: 1\n"
	"    code: |\n"
	"      ld.relaxed.gpu.global.u32 r0, [x];\n"
	"exists: 1:r0 == 1\n"
	"variants:\n"
	"  weak: {write: st.weak.global.u32}\n"
	"  relaxed: {write: st.relaxed.gpu.global.u32}\n";

static const char b_yaml[] =
	"name: B\n"
	"about: one\n"
	"locations: {x: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      ld.relaxed.gpu.global.u32 r0, [x];\n"
	"exists: 0:r0 == 1\n";

static char folder[64];

static void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void
make_folder(void)
{
	char path[128];

	strcpy(folder, "/tmp/fencepost-select-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/deep", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	put("b.yaml", b_yaml);
	put("deep/a.yml", a_yaml);
	put("notes.txt", "not a test");
	put(".hidden.yaml", "not a test");
}

static void
remove_folder(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct selection
read_folder(struct arena *a)
{
	struct strings paths = {0};
	struct selection s;
	struct err err;

	strings_add(&paths, a, folder);
	ck_assert_msg(select_read(&paths, a, &s, &err), "%s", err.message);
	return s;
}

static void
expect_names(const struct selection *s, const char *names)
{
	struct arena *a = arena_new();
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < s->count; i++)
		text_printf(&t, "%s%s", i ? " " : "", s->tests[i]->name);
	ck_assert_str_eq(t.s, names);
	arena_free(a);
}

START_TEST(folders_are_walked_in_order)
{
	struct arena *a = arena_new();
	struct selection s = read_folder(a);

	expect_names(&s, "B A+weak A+relaxed");
	ck_assert_int_eq(s.bad, 0);
	ck_assert_int_eq(s.total, 3);
	ck_assert_str_eq(s.tests[1]->family, "A");
	arena_free(a);
}
END_TEST

static const struct {
	const char *globs[3], *names;
} filters[] = {
	{{"A*"}, "A+weak A+relaxed"},
	{{"A"}, "A+weak A+relaxed"}, /* the family */
	{{"*+relaxed", "B"}, "B A+relaxed"},
	{{"!B"}, "A+weak A+relaxed"},
	{{"A*", "!*weak"}, "A+relaxed"},
	{{"!A*", "A+weak"}, "B A+weak"},
	{{"Z*"}, ""},
	{{"[AB]"}, "B A+weak A+relaxed"},
};

START_TEST(filters_choose)
{
	struct arena *a = arena_new();
	struct selection s = read_folder(a);
	struct strings globs = {0};
	uint64_t before = s.hash;
	int i;

	for (i = 0; i < 3 && filters[_i].globs[i]; i++)
		strings_add(&globs, a, filters[_i].globs[i]);
	select_filter(&s, &globs, a);
	expect_names(&s, filters[_i].names);
	ck_assert_int_eq(s.total, s.count);
	ck_assert_int_eq(s.count == 3, s.hash == before);
	arena_free(a);
}
END_TEST

START_TEST(shards_are_a_partition)
{
	struct arena *a = arena_new();
	struct err err;
	char shard[8];
	int n, i, index, count, total;

	for (n = 1; n <= 5; n++) {
		total = 0;
		for (i = 1; i <= n; i++) {
			struct selection s = read_folder(a);
			uint64_t hash = s.hash;

			snprintf(shard, sizeof(shard), "%d/%d", i, n);
			ck_assert(select_shard(&s, shard, &index, &count,
			    &err));
			ck_assert_int_eq(index, i);
			ck_assert_int_eq(count, n);
			ck_assert_uint_eq(s.hash, hash);
			ck_assert_int_eq(s.total, 3);
			total += s.count;
			if (n == 2 && i == 1)
				expect_names(&s, "B A+relaxed");
		}
		ck_assert_int_eq(total, 3);
	}
	arena_free(a);
}
END_TEST

static const char *const bad_shards[] = {
	"", "1", "0/2", "3/2", "1/0", "-1/2", "1/2x", "a/b", "1/2/3",
};

START_TEST(bad_shards_are_refused)
{
	struct selection s = {0};
	struct err err;
	int index, count;

	ck_assert(!select_shard(&s, bad_shards[_i], &index, &count, &err));
	ck_assert_int_eq(err.code, ERR_USAGE);
}
END_TEST

START_TEST(one_test_in_two_files_is_one)
{
	struct arena *a = arena_new();
	struct selection s;

	put("c.yaml", b_yaml);
	s = read_folder(a);
	expect_names(&s, "B A+weak A+relaxed");
	arena_free(a);
}
END_TEST

START_TEST(different_tests_by_one_name_are_told_apart)
{
	struct arena *a = arena_new();
	char *other = strstr(strcpy(arena_alloc(a, sizeof(b_yaml)), b_yaml),
	    "r0 == 1");
	struct selection s;

	other[6] = '0';
	put("c.yaml", other - (strstr(b_yaml, "r0 == 1") - b_yaml));
	s = read_folder(a);
	expect_names(&s, "B B@c A+weak A+relaxed");
	arena_free(a);
}
END_TEST

/* Files by one name in several folders: a document must hold them all. */
START_TEST(names_are_unique_whatever_the_files_are)
{
	struct arena *a = arena_new();
	struct selection s;
	char text[sizeof(b_yaml)], path[128];
	int i, j;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		ck_assert_int_eq(mkdir(path, 0700), 0);
		strcpy(text, b_yaml);
		strstr(text, "r0 == 1")[6] = (char)('2' + i);
		snprintf(path, sizeof(path), "%d/c.yaml", i);
		put(path, text);
	}
	s = read_folder(a);
	ck_assert_int_eq(s.count, 7);
	for (i = 0; i < s.count; i++)
		for (j = 0; j < i; j++)
			ck_assert_str_ne(s.tests[i]->name, s.tests[j]->name);
	arena_free(a);
}
END_TEST

START_TEST(bad_files_are_counted)
{
	struct arena *a = arena_new();
	struct selection s;

	put("c.yaml", "name: [\n");
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	s = read_folder(a);
	expect_names(&s, "B A+weak A+relaxed");
	ck_assert_int_eq(s.bad, 1);
	arena_free(a);
}
END_TEST

START_TEST(a_missing_path_is_an_error)
{
	struct arena *a = arena_new();
	struct strings paths = {0};
	struct selection s;
	struct err err;

	strings_add(&paths, a, "/nowhere/at/all");
	ck_assert(!select_read(&paths, a, &s, &err));
	ck_assert_str_eq(err.loc.source, "/nowhere/at/all");
	arena_free(a);
}
END_TEST

static const struct {
	const char *test, *name, *message; /* %s: the folder */
} ones[] = {
	{"%s/b.yaml", "B", NULL},
	{"%s/deep/a.yml:A+weak", "A+weak", NULL},
	{"A+relaxed", "A+relaxed", NULL},
	{"B", "B", NULL},
	{"%s/deep/a.yml", NULL, "holds 2 tests; say which, such as"},
	{"%s/deep/a.yml:Z", NULL, "no test 'Z' among 2"},
	{"A+w", NULL, "no test 'A+w' among 3; there are A+weak, A+relaxed"},
	{"a+relax", NULL, "among 3; there are A+relaxed, A+weak"}, /* nearest */
	{"A", NULL, "'A' holds 2 tests; say which, such as A+weak"},
	{"%s/notes.yaml", NULL, "No such file or directory"},
	{"notes.yaml", NULL, "No such file or directory"},
};

START_TEST(one_test_is_found)
{
	struct arena *a = arena_new();
	const char *mark = strstr(ones[_i].test, "%s");
	const struct program *p;
	struct err err;

	setenv("FENCEPOST_SUITE", folder, 1);
	p = select_one(arena_printf(a, "%s%s", mark ? folder : "",
	    ones[_i].test + (mark ? 2 : 0)), a, &err);
	if (ones[_i].name) {
		ck_assert_msg(p != NULL, "%s", err.message);
		ck_assert_str_eq(p->name, ones[_i].name);
	} else {
		ck_assert_ptr_null(p);
		ck_assert_msg(strstr(err.message, ones[_i].message) != NULL,
		    "%s", err.message);
	}
	arena_free(a);
}
END_TEST

static const struct {
	const char *tests[3], *names, *message; /* %s: the folder */
} several[] = {
	{{NULL}, "B A+weak A+relaxed", NULL},
	{{"A"}, "A+weak A+relaxed", NULL}, /* a family */
	{{"A+relaxed", "B"}, "B A+relaxed", NULL}, /* in the suite's order */
	{{"%s/b.yaml", "A+weak"}, "B A+weak", NULL},
	{{"%s/deep:A+relaxed", "%s/b.yaml:B"}, "A+relaxed B", NULL},
	{{"%s/deep:A", "A+weak"}, "A+weak A+relaxed", NULL}, /* each once */
	{{"A@a"}, NULL, "no test 'A@a' among 3"},
	{{"B@b"}, "B@b", NULL},
	{{"B", "Z"}, NULL, "no test 'Z' among 3"},
	{{"%s/b.yaml:A"}, NULL, "no test 'A' among 1"},
	{{"%s/none"}, NULL, "No such file or directory"},
};

/* One rule for every command that takes tests. */
START_TEST(operands_are_places_and_names)
{
	struct arena *a = arena_new();
	struct strings tests = {0};
	struct selection s;
	struct err err;
	int i;

	setenv("FENCEPOST_SUITE", folder, 1);
	for (i = 0; i < 3 && several[_i].tests[i]; i++) {
		const char *t = several[_i].tests[i];
		bool place = strncmp(t, "%s", 2) == 0;

		strings_add(&tests, a, arena_printf(a, "%s%s", place ?
		    folder : "", t + (place ? 2 : 0)));
	}
	if (several[_i].names) {
		ck_assert_msg(select_read(&tests, a, &s, &err), "%s",
		    err.message);
		expect_names(&s, several[_i].names);
	} else {
		ck_assert(!select_read(&tests, a, &s, &err));
		ck_assert_msg(strstr(err.message, several[_i].message) !=
		    NULL, "%s", err.message);
	}
	arena_free(a);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(*(table))))

Suite *suite_select(void);

Suite *
suite_select(void)
{
	Suite *s = suite_create("select");
	TCase *c = tcase_create("select");

	tcase_add_checked_fixture(c, make_folder, remove_folder);
	tcase_add_test(c, folders_are_walked_in_order);
	tcase_add_loop_test(c, filters_choose, 0, COUNT(filters));
	tcase_add_test(c, shards_are_a_partition);
	tcase_add_loop_test(c, bad_shards_are_refused, 0, COUNT(bad_shards));
	tcase_add_test(c, one_test_in_two_files_is_one);
	tcase_add_test(c, different_tests_by_one_name_are_told_apart);
	tcase_add_test(c, names_are_unique_whatever_the_files_are);
	tcase_add_test(c, bad_files_are_counted);
	tcase_add_test(c, a_missing_path_is_an_error);
	tcase_add_loop_test(c, one_test_is_found, 0, COUNT(ones));
	tcase_add_loop_test(c, operands_are_places_and_names, 0,
	    COUNT(several));
	suite_add_tcase(s, c);
	return s;
}
