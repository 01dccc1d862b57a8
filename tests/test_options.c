/* options: the parser, range checks and usage that a list of rows makes */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../driver/driver.h"

#define OPTIONS \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "where to run")         \
	OPTION(seconds, time, 't', "T", "30s", 0.001, 1e6, "how long")         \
	OPTION(number, instances, 'n', "N", NULL, 1, 1e18, "how many")         \
	OPTION(seed, seed, 's', "S", "1", 0, 0, "of every draw")               \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only these")            \
	OPTION(flag, fail_fast, 0, NULL, NULL, 0, 0, "stop at the first "      \
	    "test that fails, which is the kind of help that is folded")       \
	OPTION(choice, color, 0, "auto|always|never", "auto", 0, 0, "colours")
#include "../driver/options.h"

static const struct usage usage = {
	"test", "[PATH...]", 0, 3, "Tests options.\n", option_rows,
};

#define ARGS_MAX 16

static bool
parse(const char *line, struct options *o, struct strings *operands,
    struct err *err, struct arena *a)
{
	char *argv[ARGS_MAX + 1], *save = NULL, *s = arena_strdup(a, line);
	int argc = 0;

	for (s = strtok_r(s, " ", &save); s && argc < ARGS_MAX;
	    s = strtok_r(NULL, " ", &save))
		argv[argc++] = s;
	argv[argc] = NULL;
	return options_parse(&usage, o, argc, argv, a, operands, err);
}

START_TEST(fallbacks_hold_without_options)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings operands = {0};
	struct err err;

	ck_assert(parse("test", &o, &operands, &err, a));
	ck_assert_ptr_null(o.device);
	ck_assert(o.time >= 30 && o.time <= 30);
	ck_assert_uint_eq(o.instances, 0);
	ck_assert_uint_eq(o.seed, 1);
	ck_assert_int_eq(o.filter.count, 0);
	ck_assert(!o.fail_fast);
	ck_assert_int_eq(o.color, 0);
	ck_assert_int_eq(operands.count, 0);
	arena_free(a);
}
END_TEST

START_TEST(every_kind_is_read)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings operands = {0};
	struct err err;

	ck_assert(parse("test -d sim x --time=250ms -n10M --filter A* "
	    "y", &o, &operands, &err, a));
	ck_assert_str_eq(o.device, "sim");
	ck_assert(o.time > 0.2499 && o.time < 0.2501);
	ck_assert_uint_eq(o.instances, 10000000);
	ck_assert_str_eq(o.filter.list[0], "A*");
	ck_assert_int_eq(operands.count, 2);
	ck_assert_str_eq(operands.list[0], "x");
	ck_assert_str_eq(operands.list[1], "y");
	memset(&o, 0, sizeof(o));
	memset(&operands, 0, sizeof(operands));
	ck_assert(parse("test --seed 0xfFfFfFfFfFfFfFfF -f a -f b --fail-fast "
	    "--color never", &o, &operands, &err, a));
	ck_assert_uint_eq(o.seed, UINT64_MAX);
	ck_assert_int_eq(o.filter.count, 2);
	ck_assert_str_eq(o.filter.list[1], "b");
	ck_assert(o.fail_fast);
	ck_assert_int_eq(o.color, 2);
	arena_free(a);
}
END_TEST

static const struct {
	const char *line, *message;
} bad[] = {
	{"test --tim", "test: '--tim' needs a value"}, /* a prefix */
	{"test --what", "test: no option '--what'"},
	{"test -z", "test: no option '-z'"},
	{"test --fail-fast=1", "test: no option '--fail-fast=1'"},
	{"test -d", "test: '-d' needs a value"},
	{"test --time soon",
	    "--time: 'soon' is not a time (such as 30s, 500ms, 2m, 1h)"},
	{"test --time 0",
	    "--time: '0' is not from 0.001 to 1000000 seconds"},
	{"test --time -1",
	    "--time: '-1' is not a time (such as 30s, 500ms, 2m, 1h)"},
	{"test --time 1.2.3s",
	    "--time: '1.2.3s' is not a time (such as 30s, 500ms, 2m, 1h)"},
	{"test -n 0", "--instances: '0' is not from 1 to 1e+18"},
	{"test -n 1.5", "--instances: '1.5' is not a whole number (such as "
	    "500, 10k, 2M, 1G)"},
	{"test -n 99999999999999999999999",
	    "--instances: '99999999999999999999999' is not a whole number "
	    "(such as 500, 10k, 2M, 1G)"},
	{"test -n 5x", "--instances: '5x' is not a whole number (such as "
	    "500, 10k, 2M, 1G)"},
	{"test --seed 0xg", "--seed: '0xg' is not a seed (decimal, or 0x "
	    "and hexadecimal digits)"},
	{"test --seed -1", "--seed: '-1' is not a seed (decimal, or 0x "
	    "and hexadecimal digits)"},
	{"test --color red",
	    "--color: 'red' is not one of auto|always|never"},
	{"test --color a", "--color: 'a' is not one of auto|always|never"},
	{"test a b c d", "test: 4 operands, expected [PATH...]"},
};

START_TEST(bad_lines_say_what_was_expected)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings operands = {0};
	struct err err = {0};

	ck_assert(!parse(bad[_i].line, &o, &operands, &err, a));
	ck_assert_int_eq(err.code, ERR_USAGE);
	ck_assert_str_eq(err.message, bad[_i].message);
	arena_free(a);
}
END_TEST

static const struct {
	const char *s;
	bool good;
	uint64_t number;
} numbers[] = {
	{"0", true, 0}, {"18446744073709551615", true, UINT64_MAX},
	{"18446744073709551616", false, 0}, {"1k", true, 1000},
	{"1.5M", true, 1500000}, {"2G", true, 2000000000},
	{"1.0005k", false, 0}, {"", false, 0}, {"k", false, 0},
	{"+1", false, 0}, {" 1", false, 0}, {"1 ", false, 0},
	{"0x10", false, 0}, {"1e3", false, 0}, {"9999999999G", false, 0},
};

START_TEST(numbers_take_suffixes)
{
	uint64_t n = 0;

	ck_assert_int_eq(parse_number(numbers[_i].s, &n), numbers[_i].good);
	if (numbers[_i].good)
		ck_assert_uint_eq(n, numbers[_i].number);
}
END_TEST

static const struct {
	const char *s;
	double seconds; /* negative: refused */
} times[] = {
	{"1", 1}, {"1s", 1}, {"90us", 90e-6}, {"250ms", 0.25}, {"2m", 120},
	{"1.5h", 5400}, {"0", 0}, {"", -1}, {"s", -1}, {"1 s", -1},
	{"1d", -1}, {"nan", -1}, {"inf", -1}, {"-1s", -1}, {"0x1p3", -1},
};

START_TEST(times_take_suffixes)
{
	double t = -1;

	ck_assert_int_eq(parse_seconds(times[_i].s, &t),
	    times[_i].seconds >= 0);
	if (times[_i].seconds >= 0)
		ck_assert(t > times[_i].seconds * 0.999999 - 1e-12 &&
		    t < times[_i].seconds * 1.000001 + 1e-12);
}
END_TEST

static const char usage_text[] =
	"usage: fencepost test [OPTIONS] [PATH...]\n"
	"Tests options.\n"
	"\n"
	"  -d, --device WHICH      where to run\n"
	"  -t, --time T            how long [30s]\n"
	"  -n, --instances N       how many\n"
	"  -s, --seed S            of every draw [1]\n"
	"  -f, --filter GLOB       only these\n"
	"      --fail-fast         stop at the first test that fails, which "
	"is the kind\n"
	"                          of help that is folded\n"
	"      --color auto|always|never\n"
	"                          colours [auto]\n"
	"  -h, --help              this text\n";

START_TEST(usage_lists_every_row)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings operands = {0};
	struct err err = {0};
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	options_usage(f, &usage);
	fclose(f);
	ck_assert_str_eq(out, usage_text);
	free(out);
	ck_assert(!parse("test --help", &o, &operands, &err, a));
	ck_assert_int_eq(err.code, ERR_NONE);
	arena_free(a);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(*(table))))

Suite *suite_options(void);

Suite *
suite_options(void)
{
	Suite *s = suite_create("options");
	TCase *c = tcase_create("options");

	tcase_add_test(c, fallbacks_hold_without_options);
	tcase_add_test(c, every_kind_is_read);
	tcase_add_loop_test(c, bad_lines_say_what_was_expected, 0,
	    COUNT(bad));
	tcase_add_loop_test(c, numbers_take_suffixes, 0,
	    COUNT(numbers));
	tcase_add_loop_test(c, times_take_suffixes, 0, COUNT(times));
	tcase_add_test(c, usage_lists_every_row);
	suite_add_tcase(s, c);
	return s;
}
