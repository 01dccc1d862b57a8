/* the real program, from its command line, on the software machine */
#include <check.h>
#include <glob.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../driver/driver.h"

static char folder[64];
static char out[1 << 20], errors[1 << 16]; /* of the last command */

static const char *
program(void)
{
	const char *s = getenv("FENCEPOST");

	return s ? s : "build/fencepost";
}

static void
read_into(const char *name, char *to, size_t size)
{
	char path[128];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	n = f ? fread(to, 1, size - 1, f) : 0;
	to[n] = '\0';
	if (f)
		fclose(f);
}

/* Runs `fencepost ARGS`, %F in them standing for the test's folder. */
static int
fencepost(const char *args)
{
	char command[2048], *to = command;
	int n, status;

	to += sprintf(to, "%s ", program());
	for (; *args; args++)
		if (strncmp(args, "%F", 2) == 0) {
			to += sprintf(to, "%s", folder);
			args++;
		} else {
			*to++ = *args;
		}
	n = snprintf(to, 160, " >%s/out 2>%s/err </dev/null", folder,
	    folder);
	ck_assert_int_lt(n, 160);
	status = system(command);
	read_into("out", out, sizeof(out));
	read_into("err", errors, sizeof(errors));
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static json_t *
document(const char *name)
{
	char path[128];
	json_error_t error;
	json_t *o;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	o = json_load_file(path, 0, &error);
	ck_assert_msg(o != NULL, "%s: %s", path, error.text);
	return o;
}

static void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

/* Six tests, of which each takes as long as its instances do. */
static const char suite[] =
	"name: MP\n"
	"about: Message passing.\n"
	"locations: {data: 0, flag: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      st.weak.global.u32 [data], 1;\n"
	"      {write} [flag], 1;\n"
	"  - cta: 1\n"
	"    code: |\n"
	"      {read} r0, [flag];\n"
	"      ld.weak.global.u32 r1, [data];\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n"
	"variants:\n"
	"  weak: {write: st.weak.global.u32, read: ld.weak.global.u32}\n"
	"  volatile: {write: st.volatile.global.u32,"
	" read: ld.volatile.global.u32}\n"
	"  cta: {write: st.release.cta.global.u32,"
	" read: ld.acquire.cta.global.u32}\n"
	"  release: {write: st.release.gpu.global.u32,"
	" read: ld.relaxed.gpu.global.u32}\n"
	"  acquire: {write: st.relaxed.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32}\n"
	"  both: {write: st.release.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32, expect: forbidden}\n";

static void
make_folder(void)
{
	strcpy(folder, "/tmp/fencepost-cli-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	put("mp.yaml", suite);
	unsetenv("NO_COLOR");
}

static void
remove_folder(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

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

	snprintf(args, sizeof(args), "run -d sim -n 20k %%F --sim-fault %s",
	    planted[_i].fault);
	ck_assert_int_eq(fencepost(args), 1);
	ck_assert_msg(strstr(out, planted[_i].said) != NULL, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "(software machine)"));
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

/* Time is the only thing that two runs of one seed may differ in. */
static void
forget_time(json_t *d)
{
	static const char *const keys[] = {
		"started", "wall_seconds", "command", NULL,
	};
	static const char *const evidence[] = {"rate", NULL};
	json_t *test, *env, *twin;
	size_t i, j, k;

	for (i = 0; keys[i]; i++)
		json_object_del(d, keys[i]);
	json_array_foreach(json_object_get(d, "tests"), i, test) {
		json_object_del(test, "seconds");
		for (j = 0; evidence[j]; j++)
			json_object_del(json_object_get(test, "evidence"),
			    evidence[j]);
		json_array_foreach(json_object_get(test, "environments"), j,
		    env)
			json_object_del(env, "seconds");
		json_array_foreach(json_object_get(json_object_get(test,
		    "evidence"), "twins"), j, twin)
			json_array_foreach(json_object_get(twin,
			    "environments"), k, env)
				json_object_del(env, "seconds");
	}
}

static void
expect_same(const char *a, const char *b)
{
	json_t *x = document(a), *y = document(b);

	forget_time(x);
	forget_time(y);
	ck_assert_msg(json_equal(x, y), "%s and %s differ", a, b);
	json_decref(x);
	json_decref(y);
}

START_TEST(one_seed_gives_one_document)
{
	json_t *x, *y;

	ck_assert_int_eq(fencepost(SIM "%F -j 1 -o %F/1.json"), 0);
	ck_assert_int_eq(fencepost(SIM "%F -j 2 -o %F/2.json"), 0);
	ck_assert_int_eq(fencepost(SIM "%F -s 2 -o %F/3.json"), 0);
	expect_same("1.json", "2.json");
	x = document("1.json");
	y = document("3.json");
	ck_assert(!json_equal(json_object_get(x, "tests"),
	    json_object_get(y, "tests")));
	json_decref(x);
	json_decref(y);
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

/* ---- hangs, faults, kills ---------------------------------------------- */

START_TEST(hangs_and_faults_take_nothing_with_them)
{
	json_t *d, *test;
	size_t i;
	static const char *const verdicts_wanted[] = {
		"hang", "fault", "fault", "pass", "pass",
	};

	ck_assert_int_eq(fencepost(SIM "tests/isolation --timeout 5s -o "
	    "%F/r.json"), 1);
	d = document("r.json");
	ck_assert_uint_eq(json_array_size(json_object_get(d, "tests")), 5);
	json_array_foreach(json_object_get(d, "tests"), i, test)
		ck_assert_str_eq(json_string_value(json_object_get(test,
		    "verdict")), verdicts_wanted[i]);
	test = json_array_get(json_object_get(d, "tests"), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(test, "hang")),
	    json_integer_value(json_object_get(test, "instances")));
	json_decref(d);
}
END_TEST

/* `fencepost run` of the suite in the background, so slow that it can be
   caught in the act. */
static pid_t
start(const char *json, const char *instances)
{
	char path[128], to[128];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", folder, json);
	snprintf(to, sizeof(to), "%s/out", folder);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (!freopen(to, "w", stdout) || !freopen(to, "w", stderr))
			_exit(99);
		execl(program(), "fencepost", "run", "-d", "sim", "-j", "1",
		    "-n", instances, "--json", path, folder, (char *)NULL);
		_exit(98);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

static void
nap(double seconds)
{
	struct timespec t = {(time_t)seconds,
		(long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

/* Waits until so many tests are in the journal. */
static void
wait_for_tests(const char *json, int tests)
{
	char name[64];
	int tries, lines = 0;

	snprintf(name, sizeof(name), "%s.journal", json);
	for (tries = 0; tries < 2000 && lines < tests + 1; tries++) {
		const char *s;

		nap(0.005);
		read_into(name, out, sizeof(out));
		for (s = out, lines = 0; (s = strchr(s, '\n')); s++)
			lines++;
	}
	ck_assert_int_ge(lines, tests + 1);
}

static int
wait_status(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static bool
file_exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

static const int stops[] = {SIGINT, SIGTERM};

START_TEST(a_signal_leaves_what_there_is)
{
	pid_t pid = start("r.json", "100k");
	json_t *d;
	int status;

	wait_for_tests("r.json", 1);
	kill(pid, stops[_i]);
	status = wait_status(pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 130);
	d = document("r.json");
	ck_assert(json_is_false(json_object_get(d, "complete")));
	ck_assert_uint_ge(json_array_size(json_object_get(d, "tests")), 1);
	ck_assert_uint_lt(json_array_size(json_object_get(d, "tests")), 6);
	ck_assert(!file_exists("r.json.journal"));
	json_decref(d);
}
END_TEST

START_TEST(two_runs_do_not_write_one_document)
{
	pid_t pid = start("r.json", "100k");

	wait_for_tests("r.json", 1);
	ck_assert_int_eq(fencepost("run -d sim -j 1 -n 20 "
	    "-o %F/r.json %F"), 2);
	ck_assert_msg(strstr(errors, "another run"), "%s", errors);
	ck_assert(file_exists("r.json.journal"));
	kill(pid, SIGINT);
	ck_assert_int_eq(WEXITSTATUS(wait_status(pid)), 130);
	json_decref(document("r.json"));
}
END_TEST

START_TEST(output_that_is_lost_is_told)
{
	ck_assert_int_eq(fencepost("model %F >/dev/full "
	    "2>%F/err #"), 2);
	ck_assert_msg(strstr(errors, "standard output"), "%s", errors);
	ck_assert_int_eq(fencepost("run -d sim -j 1 -n 20 "
	    "-o %F/r.json %F >&- 2>%F/err #"), 2);
	json_decref(document("r.json"));
}
END_TEST

/* Ends the worker of a run; returns how many tests were lost with it. */
static size_t
kill_worker(void)
{
	pid_t pid = start("r.json", "50k");
	char command[96];
	json_t *d, *test;
	size_t i, faults = 0;
	int status;

	wait_for_tests("r.json", 1);
	snprintf(command, sizeof(command), "kill -9 $(cat /proc/%d/task/%d/"
	    "children)", (int)pid, (int)pid);
	ck_assert_int_eq(system(command), 0);
	status = wait_status(pid);
	d = document("r.json");
	ck_assert(json_is_true(json_object_get(d, "complete")));
	ck_assert_uint_eq(json_array_size(json_object_get(d, "tests")), 6);
	json_array_foreach(json_object_get(d, "tests"), i, test) {
		const char *message = json_string_value(json_object_get(test,
		    "message"));

		faults += message && strstr(message, "signal 9") != NULL;
	}
	ck_assert_int_eq(WEXITSTATUS(status), faults > 0);
	json_decref(d);
	return faults;
}

/* Between two tests there may be nothing to lose. */
START_TEST(a_killed_worker_loses_one_test)
{
	size_t lost = 0;
	int tries;

	for (tries = 0; tries < 5 && lost == 0; tries++)
		lost = kill_worker();
	ck_assert_uint_eq(lost, 1);
}
END_TEST

/*
 * Killed at any point, whatever was finished is there, nothing is there
 * twice, and a run that takes it up ends where an undisturbed one does.
 */
START_TEST(a_killed_run_is_taken_up)
{
	const char *more = getenv("FENCEPOST_KILLS");
	int i, kills = more ? atoi(more) : 5;
	struct draw d = {1, 2, 3};

	ck_assert_int_eq(fencepost("run -d sim -j 1 -n 3k -o %F/whole.json "
	    "%F/mp.yaml"), 0);
	for (i = 0; i < kills; i++) {
		pid_t pid = start("r.json", "3k");

		nap(draw_unit(&d) * 0.15);
		kill(pid, SIGKILL);
		wait_status(pid);
		ck_assert_int_eq(fencepost("run -d sim -j 1 -n 3k -o "
		    "%F/r.json --resume %F/r.json %F/mp.yaml"),
		    file_exists("r.json") ? 0 : 2);
		if (!file_exists("r.json")) /* killed before it began */
			continue;
		expect_same("whole.json", "r.json");
		ck_assert(!file_exists("r.json.journal"));
		ck_assert_int_eq(fencepost("run -d sim -n 3k --resume "
		    "%F/r.json %F/mp.yaml -s 5"), 2);
		ck_assert_ptr_nonnull(strstr(errors, "was of another seed"));
	}
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
	tcase_add_test(c, the_document_may_be_the_output);
	tcase_add_test(c, every_instance_is_in_the_histogram);
	tcase_add_test(c, junit_is_written);
	tcase_add_test(c, tuned_environments_are_taken);
	tcase_add_test(c, colors_are_for_those_who_ask);
	tcase_add_test(c, hangs_and_faults_take_nothing_with_them);
	tcase_add_loop_test(c, a_signal_leaves_what_there_is, 0,
	    COUNT(stops));
	tcase_add_test(c, two_runs_do_not_write_one_document);
	tcase_add_test(c, output_that_is_lost_is_told);
	tcase_add_test(c, a_killed_worker_loses_one_test);
	tcase_add_test(c, a_killed_run_is_taken_up);
	suite_add_tcase(s, c);
	return s;
}
