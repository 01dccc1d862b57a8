/* tune, and the profile that run finds: the whole way on the software
   machine, from the command line */
#include <check.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_cli.h"
#include "help_mp.h"

#define PROFILE "profiles/software_PTX_machine_(no_GPU).yaml"

static const char mp[] = MP_VARIANTS
	"  relaxed: {write: st.relaxed.gpu.global.u32,"
	" read: ld.relaxed.gpu.global.u32}\n"
	"  both: {write: st.release.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32, expect: forbidden}\n";

static struct arena *a;

static void
set_up(void)
{
	a = arena_new();
	make_folder();
	put("mp.yaml", mp);
}

static void
tear_down(void)
{
	remove_folder();
	arena_free(a);
}

static struct source
file(const char *name)
{
	struct source source;
	struct err err;

	ck_assert_msg(source_read(arena_printf(a, "%s/%s", folder, name),
	    (size_t)1 << 26, a, &source, &err), "%s", err.message);
	return source;
}

static int
environments(const char *name)
{
	struct source source = file(name);
	struct errs errs = {0};
	struct env *envs;
	int n = 0;

	if (!env_read(&source, a, &envs, &n, &errs))
		ck_abort_msg("%s: %s", name, errs.list[0].message);
	ck_assert_msg(strncmp(envs[0].name, "MP.ctas.1", 10) == 0, "%s",
	    envs[0].name);
	return n;
}

START_TEST(run_takes_the_profile_that_tune_wrote)
{
	json_t *d, *tests, *test, *envs, *twin;
	size_t i;

	ck_assert_int_eq(run_there("tune -d sim -t 1s -k 2 --profile "
	    "mp.yaml"), 0);
	ck_assert_int_eq(environments(PROFILE), 2);
	ck_assert_int_eq(run_there("run -d sim -t 2s -q -o r.json mp.yaml"),
	    0);
	d = document("r.json");
	tests = json_object_get(d, "tests");
	ck_assert_uint_eq(json_array_size(tests), 2);
	json_array_foreach(tests, i, test) {
		bool tuned = false, twins = true;
		json_t *env;
		size_t j;

		envs = json_object_get(test, "environments");
		json_array_foreach(envs, j, env)
			tuned |= strcmp(json_string_value(json_object_get(
			    json_object_get(env, "env"), "name")),
			    "MP.ctas.1") == 0;
		ck_assert(tuned);
		json_array_foreach(json_object_get(json_object_get(test,
		    "evidence"), "twins"), j, twin)
			twins &= json_array_size(json_object_get(twin,
			    "environments")) == json_array_size(envs);
		ck_assert(twins);
	}
	json_decref(d);
	/* and again as a file of environments */
	ck_assert_int_eq(run_there("run -d sim -n 500 -q mp.yaml --env "
	    "'" PROFILE "'"), 0);
}
END_TEST

static const int signals[] = {SIGTERM, SIGINT};

/* What was found is written, and the status is that of run. */
START_TEST(a_signal_ends_it_with_what_there_is)
{
	const struct timespec begun = {2, 0};
	const char *path = program();
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (chdir(folder) != 0 || !freopen("out", "w", stdout))
			_exit(99);
		signal(signals[_i], SIG_DFL);
		execl(path, "fencepost", "tune", "-d", "sim", "-t", "60s",
		    "-o", "t.yaml", "mp.yaml", (char *)NULL);
		_exit(98);
	}
	nanosleep(&begun, NULL);
	ck_assert_int_eq(kill(pid, signals[_i]), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 130);
	ck_assert_int_ge(environments("t.yaml"), 1);
	ck_assert_ptr_nonnull(strstr(file("t.yaml").text,
	    "# interrupted: 1 of 1 kinds"));
}
END_TEST

/* One seed draws the same environments. */
START_TEST(tuning_is_seeded)
{
	struct device_info info;
	struct err err;
	struct source source = {"mp.yaml", mp, sizeof(mp) - 1};
	struct suite suite = {0};
	struct errs errs = {0};
	struct text drawn[3];
	int i, j;

	ck_assert(read_yaml(&source, a, &suite, &errs));
	ck_assert_int_eq(sim_ops.list(&info, 1, &err), 1);
	for (i = 0; i < 3; i++) {
		struct draw d = {i == 2 ? 6 : 5, suite.programs[0].hash, 0};

		text_init(&drawn[i], a);
		for (j = 0; j < 20; j++) {
			struct env e;

			env_draw(&suite.programs[0], &info.caps, &d, &e);
			env_print(&drawn[i], &e);
		}
	}
	ck_assert_str_eq(drawn[0].s, drawn[1].s);
	ck_assert_str_ne(drawn[0].s, drawn[2].s);
}
END_TEST

START_TEST(two_outputs_are_refused)
{
	ck_assert_int_eq(run_there("tune -d sim -t 1s --profile -o x mp.yaml"),
	    2);
	ck_assert_str_eq(errors, "fencepost: error: --profile and "
	    "--output exclude each other\n");
}
END_TEST

Suite *suite_tune(void);

Suite *
suite_tune(void)
{
	Suite *s = suite_create("tune");
	TCase *c = tcase_create("tune");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, run_takes_the_profile_that_tune_wrote);
	tcase_add_loop_test(c, a_signal_ends_it_with_what_there_is, 0, 2);
	tcase_add_test(c, tuning_is_seeded);
	tcase_add_test(c, two_outputs_are_refused);
	suite_add_tcase(s, c);
	return s;
}
