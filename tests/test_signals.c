/* signals: hangs, faults and kills, of the real program */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_cli.h"

START_TEST(hangs_and_faults_take_nothing_with_them)
{
	json_t *d, *test;
	size_t i;
	static const char *const verdicts_wanted[] = {
		"hang", "fault", "fault", "pass", "pass",
	};

	ck_assert_int_eq(fencepost("run -d sim -n 1k "
	    "tests/isolation --timeout 5s -o "
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
	for (tries = 0; tries < 12000 && lines < tests + 1; tries++) {
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
	pid_t pid = start("r.json", "500k");
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
	pid_t pid = start("r.json", "500k");

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

Suite *suite_signals(void);

Suite *
suite_signals(void)
{
	Suite *s = suite_create("signals");
	TCase *c = tcase_create("signals");

	tcase_set_timeout(c, 120);
	tcase_add_checked_fixture(c, make_folder, remove_folder);
	tcase_add_test(c, hangs_and_faults_take_nothing_with_them);
	tcase_add_loop_test(c, a_signal_leaves_what_there_is, 0,
	    sizeof(stops) / sizeof(*stops));
	tcase_add_test(c, two_runs_do_not_write_one_document);
	tcase_add_test(c, output_that_is_lost_is_told);
	tcase_add_test(c, a_killed_worker_loses_one_test);
	tcase_add_test(c, a_killed_run_is_taken_up);
	suite_add_tcase(s, c);
	return s;
}
