/* the real program, from its command line, on the software machine */
#include <check.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_cli.h"

/* ---- statuses ---------------------------------------------------------- */

#define SIM "run -d sim -n 1k "

static const struct {
	const char *args;
	int status;
	const char *out, *err; /* that must be in there; NULL: anything */
} statuses[] = {
	{"", 2, NULL, "usage: fencepost COMMAND"},
	{"--version", 0, "fencepost " VERSION "\n", NULL},
	{"--help", 0, "usage: fencepost COMMAND", NULL},
	{"nonsense", 2, NULL, "no command 'nonsense'"},
	{"run --help", 0, "usage: fencepost run [OPTIONS] [TEST...]", NULL},
	{"run --nonsense", 2, NULL, "run: no option '--nonsense'"},
	{SIM "%F", 0, "6 tests in ", NULL},
	{SIM "%F/mp.yaml", 0, "6 tests in ", NULL},
	{SIM "%F --quiet", 0, "MP+both: forbidden; ", NULL},
	{SIM "%F --list", 0, "MP+weak\nMP+volatile\nMP+cta\n", NULL},
	{SIM "%F --list --filter '*a*' --shard 2/2", 0, "MP+volatile\n",
	    NULL},
	{SIM "%F --filter nothing", 4, NULL, "no test is selected by these"},
	{SIM "%F --shard 3/2", 2, NULL, "--shard: '3/2' is not I/N"},
	{SIM "%F/nothing.yaml", 2, NULL, "nothing.yaml: error: No such file"},
	{SIM "%F --time 1s", 2, NULL, "exclude each other"},
	{SIM "%F --env %F/none.yaml", 2, NULL, "none.yaml: error: "},
	{SIM "%F --sim-fault gremlins", 2, NULL, "'gremlins'"},
	{SIM "%F --json /nowhere/r.json", 2, NULL, "/nowhere/r.json"},
	{"run -n 1k -d 77 %F", 2, NULL, "fencepost: error: "},
	{"ptx MP+nothing", 2, NULL, "error: "},
	{"ptx %F/mp.yaml:MP+both", 0, "st.release.gpu.global.u32", NULL},
	{"devices", 0, "the software PTX machine", NULL},
};

START_TEST(statuses_are_as_promised)
{
	int status = fencepost(statuses[_i].args);

	ck_assert_msg(status == statuses[_i].status, "%s: status %d, %s%s",
	    statuses[_i].args, status, out, errors);
	if (statuses[_i].out)
		ck_assert_msg(strstr(out, statuses[_i].out) != NULL,
		    "%s: %s", statuses[_i].args, out);
	if (statuses[_i].err)
		ck_assert_msg(strstr(errors, statuses[_i].err) != NULL,
		    "%s: %s", statuses[_i].args, errors);
}
END_TEST

START_TEST(a_bad_file_spoils_the_status_only)
{
	put("z.yaml", "name: [\n");
	ck_assert_int_eq(fencepost(SIM "%F -q"), 2);
	ck_assert_ptr_nonnull(strstr(errors, "z.yaml:"));
	ck_assert_ptr_nonnull(strstr(out, "6 tests in"));
}
END_TEST

START_TEST(a_wrong_expectation_fails)
{
	put("z.yaml", "name: Z\n"
	    "about: Reads what it wrote.\n"
	    "locations: {x: 0}\n"
	    "threads:\n"
	    "  - cta: 0\n"
	    "    code: |\n"
	    "      st.weak.global.u32 [x], 1;\n"
	    "      ld.weak.global.u32 r0, [x];\n"
	    "exists: 0:r0 == 1\n"
	    "expect: forbidden\n");
	ck_assert_int_eq(fencepost(SIM "%F/z.yaml"), 1);
	ck_assert_ptr_nonnull(strstr(out, "Verdict Z EXPECT: the test "
	    "expects forbidden, the model says allowed; "));
	ck_assert_ptr_nonnull(strstr(out, "Observation Z Always "));
}
END_TEST

static const struct {
	const char *fault, *said;
} planted[] = {
	{"drop-release", " FORBIDDEN: the model forbids what "},
	{"narrow-scope", " FORBIDDEN: the model forbids what "},
	{"flip-bit", " CORRUPT: "},
};

START_TEST(a_broken_machine_is_caught)
{
	char args[128];

	snprintf(args, sizeof(args), "run -d sim -n 20k %%F -o %%F/r.json "
	    "--sim-fault %s", planted[_i].fault);
	ck_assert_int_eq(fencepost(args), 1);
	ck_assert_msg(strstr(out, planted[_i].said) != NULL, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "(software machine)"));
	read_into("r.json", out, sizeof(out));
	ck_assert_ptr_nonnull(strstr(out, "(no GPU, planted fault: "));
	ck_assert_ptr_nonnull(strstr(out, " --sim-fault "));
}
END_TEST

/* What stands as an example to be read is one to be run, too. */
START_TEST(good_samples_run)
{
	glob_t files = {0};
	char args[256];
	size_t i;
	int status;

	ck_assert_int_eq(glob("tests/good/*.yaml", 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		snprintf(args, sizeof(args), "run -d sim -n 2k -q %s",
		    files.gl_pathv[i]);
		status = fencepost(args);
		/* 2: there is no harness for any of the file's */
		ck_assert_msg(status == 0 || (status == 2 &&
		    strstr(out, " not run (software machine)\n")),
		    "%s\n%s%s", args, out, errors);
	}
	globfree(&files);
	ck_assert_uint_gt(i, 5);
}
END_TEST

START_TEST(fail_fast_stops)
{
	json_t *d;

	ck_assert_int_eq(fencepost(SIM "tests/isolation -x -o %F/r.json"), 1);
	d = document("r.json");
	ck_assert_uint_eq(json_array_size(json_object_get(d, "tests")), 1);
	ck_assert(json_is_false(json_object_get(d, "complete")));
	json_decref(d);
}
END_TEST

/* ---- documents --------------------------------------------------------- */

START_TEST(one_seed_gives_one_document)
{
	json_t *x, *y;

	ck_assert_int_eq(fencepost(SIM "%F -j 1 -o %F/1.json"), 0);
	ck_assert_int_eq(fencepost(SIM "%F -j 2 -o %F/2.json"), 0);
	ck_assert_int_eq(fencepost(SIM "%F -s 2 -o %F/3.json"), 0);
	expect_same("1.json", "2.json");
	ck_assert_int_eq(fencepost(SIM "%F -j 16 -o %F/2.json"), 0);
	expect_same("1.json", "2.json");
	/* whichever threads make the kernels, and how far ahead */
	setenv("FENCEPOST_LOADERS", "0", 1);
	ck_assert_int_eq(fencepost(SIM "%F -j 1 -o %F/2.json"), 0);
	expect_same("1.json", "2.json");
	setenv("FENCEPOST_LOADERS", "4", 1);
	ck_assert_int_eq(fencepost(SIM "%F -j 1 -o %F/2.json"), 0);
	expect_same("1.json", "2.json");
	x = document("1.json");
	y = document("3.json");
	ck_assert(!json_equal(json_object_get(x, "tests"),
	    json_object_get(y, "tests")));
	json_decref(x);
	json_decref(y);
}
END_TEST

/* Of one test the threads share the units of a launch. */
START_TEST(threads_do_not_show_in_the_histogram)
{
	ck_assert_int_eq(fencepost(SIM "%F -f MP+both -j 1 -o %F/1.json"), 0);
	ck_assert_int_eq(fencepost(SIM "%F -f MP+both -j 3 -o %F/2.json"), 0);
	expect_same("1.json", "2.json");
}
END_TEST

START_TEST(the_document_may_be_the_output)
{
	json_t *d;

	ck_assert_int_eq(fencepost(SIM "%F -o -"), 0);
	d = document("out");
	ck_assert_uint_eq(json_array_size(json_object_get(d, "tests")), 6);
	ck_assert(json_is_true(json_object_get(d, "complete")));
	ck_assert(json_is_false(json_object_get(d, "hardware")));
	json_decref(d);
	ck_assert_ptr_nonnull(strstr(errors, "Test MP+weak"));
}
END_TEST

START_TEST(every_instance_is_in_the_histogram)
{
	json_t *d, *test, *row;
	size_t i, j;

	ck_assert_int_eq(fencepost(SIM "%F -o %F/r.json"), 0);
	d = document("r.json");
	json_array_foreach(json_object_get(d, "tests"), i, test) {
		json_int_t sum = 0;

		json_array_foreach(json_object_get(test, "histogram"), j, row)
			sum += json_integer_value(json_object_get(row,
			    "count"));
		ck_assert_int_eq(sum, json_integer_value(json_object_get(test,
		    "instances")));
		ck_assert_int_ge(sum, 1000);
	}
	json_decref(d);
}
END_TEST

START_TEST(junit_is_written)
{
	char xml[4096];

	ck_assert_int_eq(fencepost(SIM "%F --junit %F/r.xml"), 0);
	read_into("r.xml", xml, sizeof(xml));
	ck_assert_int_eq(strncmp(xml, "<?xml", 5), 0);
	ck_assert_ptr_nonnull(strstr(xml, "MP+both"));
}
END_TEST

/* What tune prints is what run reads. */
START_TEST(tuned_environments_are_taken)
{
	json_t *d, *envs, *env;
	size_t i, ours = 0;

	ck_assert_int_eq(fencepost("tune -d sim -t 1s -k 2 -o %F/envs.yaml "
	    "%F/mp.yaml"), 0);
	ck_assert_int_eq(fencepost(SIM "%F/mp.yaml --filter MP+weak --env "
	    "%F/envs.yaml -o %F/r.json"), 0);
	d = document("r.json");
	envs = json_object_get(json_array_get(json_object_get(d, "tests"),
	    0), "environments");
	json_array_foreach(envs, i, env)
		ours += strncmp(json_string_value(json_object_get(
		    json_object_get(env, "env"), "name")), "MP.ctas.",
		    8) == 0;
	ck_assert_uint_eq(ours, 2);
	ck_assert_uint_eq(json_array_size(envs), 2);
	json_decref(d);
}
END_TEST

START_TEST(colors_are_for_those_who_ask)
{
	ck_assert_int_eq(fencepost(SIM "%F"), 0);
	ck_assert_ptr_null(strchr(out, '\033'));
	ck_assert_int_eq(fencepost(SIM "%F --color always"), 0);
	ck_assert_ptr_nonnull(strstr(out, "\033[32mok"));
	ck_assert_ptr_null(strchr(errors, '\033')); /* nor progress */
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(*(table))))

Suite *suite_cli(void);

Suite *
suite_cli(void)
{
	Suite *s = suite_create("cli");
	TCase *c = tcase_create("cli");

	tcase_set_timeout(c, 120);
	tcase_add_checked_fixture(c, make_folder, remove_folder);
	tcase_add_loop_test(c, statuses_are_as_promised, 0, COUNT(statuses));
	tcase_add_test(c, a_bad_file_spoils_the_status_only);
	tcase_add_test(c, a_wrong_expectation_fails);
	tcase_add_loop_test(c, a_broken_machine_is_caught, 0, COUNT(planted));
	tcase_add_test(c, good_samples_run);
	tcase_add_test(c, fail_fast_stops);
	tcase_add_test(c, one_seed_gives_one_document);
	tcase_add_test(c, threads_do_not_show_in_the_histogram);
	tcase_add_test(c, the_document_may_be_the_output);
	tcase_add_test(c, every_instance_is_in_the_histogram);
	tcase_add_test(c, junit_is_written);
	tcase_add_test(c, tuned_environments_are_taken);
	tcase_add_test(c, colors_are_for_those_who_ask);
	suite_add_tcase(s, c);
	return s;
}
