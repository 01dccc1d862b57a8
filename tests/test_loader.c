/* loader: modules are made side by side, and no trial is lost */
#include <check.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "../driver/driver.h"
#include "help_plan.h"

#define TRIALS 12
#define LOAD_SECONDS 0.02
#define THREADS 4

static const char mp[] =
	"name: MP\nabout: MP.\nlocations: {x: 0, y: 0}\nthreads:\n"
	"  - {cta: 0, code: \"st.weak.global.u32 [x], 1;\\n"
	"st.weak.global.u32 [y], 1;\\n\"}\n"
	"  - {cta: 1, code: \"ld.weak.global.u32 r0, [y];\\n"
	"ld.weak.global.u32 r1, [x];\\n\"}\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n";

static struct arena *a;
static struct bench bench;
static struct device_ops ops;
static struct trial trials[TRIALS];
static atomic_int loading, loaded, most, unloaded, refused;

/* Pretends to, for a while. */
static bool
slow_load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **m, struct err *err)
{
	const struct timespec t = {0, (long)(LOAD_SECONDS * 1e9)};
	int now = ++loading, before = most;

	(void)d;
	(void)assembler;
	while (now > before &&
	    !atomic_compare_exchange_weak(&most, &before, now))
		;
	ck_assert_ptr_nonnull(strstr(ptx, ".visible .entry test("));
	nanosleep(&t, NULL);
	loading--;
	if (refused)
		return err_set(err, ERR_DEVICE, (struct loc){0}, "as told");
	*m = (struct module *)(void *)&trials[loaded++];
	return true;
}

static void
slow_unload(struct device *d, struct module *m)
{
	(void)d;
	ck_assert_ptr_nonnull(m);
	unloaded++;
}

static void
open_with(int threads)
{
	const struct program *p;
	const bool targets[64] = {0};
	struct env e;
	struct err err;
	int i;

	a = arena_new();
	loading = loaded = most = unloaded = refused = 0;
	ops = sim_ops;
	ops.load = slow_load;
	ops.unload = slow_unload;
	memset(&bench, 0, sizeof(bench));
	bench.ops = &ops;
	bench.info.caps = plan_sim;
	bench.loader = loader_open(threads, a);
	p = plan_program(mp, NULL, a);
	env_default(&e);
	for (i = 0; i < TRIALS; i++)
		ck_assert(trial_plan(&bench, p, &e, targets, 1,
		    SABOTAGE_NONE, a, &trials[i], &err));
}

static void
close_all(void)
{
	loader_close(bench.loader);
	arena_free(a);
}

static void
add_all(void)
{
	int i;

	for (i = 0; i < TRIALS; i++)
		loader_add(bench.loader, &trials[i]);
}

START_TEST(modules_are_made_side_by_side)
{
	struct err err;
	int i;

	open_with(THREADS);
	ck_assert_int_eq(loader_threads(bench.loader), THREADS);
	add_all();
	for (i = 0; i < TRIALS; i++)
		ck_assert(loader_wait(bench.loader, &trials[i], NULL, NULL,
		    &err));
	ck_assert_int_eq(loaded, TRIALS);
	ck_assert_int_eq(loader_pending(bench.loader), 0);
	/* the one that waits helps */
	ck_assert_int_ge(most, 2);
	ck_assert_int_le(most, THREADS + 1);
	ck_assert(loader_seconds(bench.loader) < LOAD_SECONDS);
	for (i = 0; i < TRIALS; i++)
		trial_end(&trials[i]);
	ck_assert_int_eq(unloaded, TRIALS);
	close_all();
}
END_TEST

START_TEST(without_threads_they_are_made_when_waited_for)
{
	struct err err;

	open_with(0);
	add_all();
	ck_assert_int_eq(loader_pending(bench.loader), TRIALS);
	ck_assert(loader_wait(bench.loader, &trials[7], NULL, NULL, &err));
	ck_assert_int_eq(loaded, 1);
	ck_assert(loader_wait(bench.loader, &trials[0], NULL, NULL, &err));
	ck_assert(loader_wait(bench.loader, &trials[TRIALS - 1], NULL, NULL,
	    &err));
	/* once made, it is there */
	ck_assert(loader_wait(bench.loader, &trials[7], NULL, NULL, &err));
	ck_assert_int_eq(loaded, 3);
	close_all();
}
END_TEST

START_TEST(trials_end_in_any_state)
{
	struct err err;
	int i;

	open_with(THREADS);
	add_all();
	ck_assert(loader_wait(bench.loader, &trials[3], NULL, NULL, &err));
	for (i = TRIALS - 1; i >= 0; i--)
		trial_end(&trials[i]);
	ck_assert_int_eq(loader_pending(bench.loader), 0);
	ck_assert_int_eq(loading, 0);
	ck_assert_int_lt(loaded, TRIALS);
	ck_assert_int_eq(unloaded, loaded);
	close_all();
}
END_TEST

static int signs;

static void
alive(void *user)
{
	ck_assert_ptr_eq(user, &bench);
	signs++;
}

START_TEST(a_failure_is_the_trial_s)
{
	struct err err = {0};

	open_with(1);
	refused = 1;
	loader_add(bench.loader, &trials[0]);
	ck_assert(!loader_wait(bench.loader, &trials[0], alive, &bench,
	    &err));
	ck_assert_str_eq(err.message, "as told");
	ck_assert_int_eq(err.code, ERR_DEVICE);
	trial_end(&trials[0]);
	ck_assert_int_eq(unloaded, 0);
	close_all();
}
END_TEST

Suite *suite_loader(void);

Suite *
suite_loader(void)
{
	Suite *s = suite_create("loader");
	TCase *c = tcase_create("loader");

	tcase_add_test(c, modules_are_made_side_by_side);
	tcase_add_test(c, without_threads_they_are_made_when_waited_for);
	tcase_add_test(c, trials_end_in_any_state);
	tcase_add_test(c, a_failure_is_the_trial_s);
	suite_add_tcase(s, c);
	return s;
}
