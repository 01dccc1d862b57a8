/* crew: workers, each with its device, side by side */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_cuda.h"

#define NTESTS 3
#define NDEVICES 2

static const char yaml[] =
	"name: T\n"
	"about: One thread reads what it wrote.\n"
	"locations: {x: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      st.weak.global.u32 [x], {value};\n"
	"      ld.weak.global.u32 r0, [x];\n"
	"exists: 0:r0 == 0\n"
	"variants:\n"
	"  one: {value: 1}\n"
	"  two: {value: 2, expect: allowed}\n"
	"  three: {value: 3}\n";

static struct arena *a;
static const struct program *tests[NTESTS];
static struct device_info devices[NDEVICES];
static json_t *results[NTESTS * NDEVICES];
static struct work work;
static int done_count, heard_count;

static void
done(void *user, int test, int device)
{
	ck_assert_ptr_eq(user, &work);
	ck_assert_ptr_nonnull(results[test * work.ndevices + device]);
	done_count++;
}

static void
count(void *user, int test, int device)
{
	(void)user;
	(void)test;
	(void)device;
	done_count++;
}

static void
heard(void *user, int device, int test, uint64_t instances, uint64_t hits)
{
	(void)user;
	(void)instances;
	(void)hits;
	ck_assert_int_lt(device, NDEVICES);
	ck_assert_int_lt(test, work.ntests);
	heard_count++;
}

static void
set_up(void)
{
	struct source source = {"t.yaml", yaml, sizeof(yaml) - 1};
	struct suite suite = {0};
	struct errs errs = {0};
	struct err err;
	int i;

	a = arena_new();
	ck_assert(read_yaml(&source, a, &suite, &errs));
	for (i = 0; i < NTESTS; i++)
		tests[i] = &suite.programs[i];
	for (i = 0; i < NDEVICES; i++)
		ck_assert_int_eq(devices_list(&sim_ops, &devices[i], 1, &err),
		    1);
	memset(results, 0, sizeof(results));
	done_count = 0;
	work = (struct work){
		.tests = tests, .ntests = NTESTS, .devices = devices,
		.ndevices = NDEVICES, .options = "jobs=1", .timeout = 10,
		.effort = {.seed = 1, .instances = 500, .model = MODEL_PTX},
		.results = results, .done = done, .progress = heard,
		.user = &work,
	};
}

static void
tear_down(void)
{
	int i;

	for (i = 0; i < NTESTS * NDEVICES; i++)
		json_decref(results[i]);
	arena_free(a);
}

static const char *
verdict(int test, int device)
{
	return json_string_value(json_object_get(results[test * NDEVICES +
	    device], "verdict"));
}

START_TEST(every_device_runs_every_test)
{
	struct err err;
	int i, j;

	ck_assert_int_eq(work_run(&work, &err), WORK_DONE);
	ck_assert_int_eq(done_count, NTESTS * NDEVICES);
	for (i = 0; i < NTESTS; i++)
		for (j = 0; j < NDEVICES; j++) {
			ck_assert_str_eq(verdict(i, j), i == 1 ?
			    "expectation" : "pass");
			ck_assert_int_eq(json_integer_value(json_object_get(
			    results[i * NDEVICES + j], "device")), j);
		}
}
END_TEST

START_TEST(what_is_there_is_not_run_again)
{
	struct err err;
	int i;

	for (i = 0; i < NTESTS * NDEVICES; i++)
		if (i != 3)
			results[i] = json_string("earlier");
	ck_assert_int_eq(work_run(&work, &err), WORK_DONE);
	ck_assert_int_eq(done_count, 1);
	ck_assert_str_eq(verdict(1, 1), "expectation");
	ck_assert_str_eq(json_string_value(results[2]), "earlier");
}
END_TEST

/* Those that were on their way when it came may still be counted. */
START_TEST(the_first_failure_may_stop_all)
{
	const struct program *many[100];
	json_t *answers[100] = {0};
	struct err err;
	int i;

	for (i = 0; i < 100; i++)
		many[i] = tests[i == 1 ? 1 : 2];
	work.tests = many;
	work.ntests = 100;
	work.results = answers;
	work.done = count;
	work.fail_fast = true;
	work.ndevices = 1;
	ck_assert_int_eq(work_run(&work, &err), WORK_STOPPED);
	ck_assert_ptr_nonnull(answers[1]);
	ck_assert_int_lt(done_count, 50);
	for (i = 0; i < 100; i++)
		json_decref(answers[i]);
}
END_TEST

START_TEST(a_device_that_does_not_open_is_an_error)
{
	struct err err;

	work.options = "fault=gremlins";
	ck_assert_int_eq(work_run(&work, &err), WORK_FAILED);
	ck_assert_int_eq(err.code, ERR_DEVICE);
	ck_assert_ptr_nonnull(strstr(err.message, "gremlins"));
	ck_assert_int_eq(done_count, 0);
}
END_TEST

/* Time for all is divided among the tests that are left. */
START_TEST(time_is_shared)
{
	double begin = wall_clock();
	struct err err;

	work.effort.instances = 0;
	work.seconds = 0.6;
	heard_count = 0;
	ck_assert_int_eq(work_run(&work, &err), WORK_DONE);
	ck_assert(wall_clock() - begin > 0.4);
	ck_assert(wall_clock() - begin < 30);
	ck_assert_int_gt(heard_count, 0);
}
END_TEST

/* A worker that waits for its disassembler lives, however long that takes. */
START_TEST(slow_reading_is_no_hang)
{
	char tool[] = "/tmp/fencepost-slow-XXXXXX";
	int fd = mkstemp(tool);
	struct err err;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(dprintf(fd, "#!/bin/sh\nexec sleep 6\n"), 23);
	ck_assert_int_eq(fchmod(fd, 0700), 0);
	close(fd);
	setenv("FENCEPOST_NVDISASM", tool, 1);
	fake_driver();
	ck_assert_int_gt(devices_list(&cuda_ops, devices, 1, &err), 0);
	work.ndevices = work.ntests = 1;
	work.code_check = CODE_ALL;
	work.timeout = 0.2; /* and 5 s of grace */
	ck_assert_int_eq(work_run(&work, &err), WORK_DONE);
	unlink(tool);
	/* that driver's kernels do nothing */
	ck_assert_str_eq(json_string_value(json_object_get(results[0],
	    "verdict")), "corrupt");
}
END_TEST

Suite *suite_crew(void);

Suite *
suite_crew(void)
{
	Suite *s = suite_create("crew");
	TCase *c = tcase_create("crew");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, every_device_runs_every_test);
	tcase_add_test(c, what_is_there_is_not_run_again);
	tcase_add_test(c, the_first_failure_may_stop_all);
	tcase_add_test(c, a_device_that_does_not_open_is_an_error);
	tcase_add_test(c, time_is_shared);
	tcase_add_test(c, slow_reading_is_no_hang);
	suite_add_tcase(s, c);
	return s;
}
