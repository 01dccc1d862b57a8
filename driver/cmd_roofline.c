#include "driver.h"

#include <math.h>
#include <string.h>

#define OPTIONS \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "a GPU's number or "    \
	    "the start of its UUID; without it the first")                     \
	OPTION(seconds, time, 't', "T", "300ms", 0.001, 1e6, "device time of " \
	    "each test in each environment")                                   \
	OPTION(text, env, 'e', "FILE", NULL, 0, 0, "environments; without it " \
	    "the built-in ones")                                               \
	OPTION(seed, seed, 's', "S", "1", 0, 0, "of every draw")               \
	OPTION(seconds, timeout, 0, "T", "10s", 0.01, 1e6, "without an end: "  \
	    "give up")
#include "options.h"

static const struct usage usage = {
	"roofline", "TEST...", 1, -1,
	"Runs tests in environments, and says what share of the machine's "
	"limit they reach:\nthe bytes and instructions that an instance must "
	"cost, against the bandwidth of\nthe L2 (measured) and the "
	"instructions that the processors can start.\n", option_rows,
};

struct roofline {
	struct bench bench;
	const struct options *options;
	struct limits limits;
	struct arena *arena; /* of one test */
	struct err err;
};

static void
print_limits(const struct roofline *r)
{
	const struct device_info *d = &r->bench.info;

	if (d->caps.sim)
		printf("%s: what follows is an interpreter's, and no share of "
		    "a limit\n", d->name);
	else
		printf("%s: %d processors at %d MHz start %s instructions a "
		    "second, the L2 gives %s bytes a second (measured)\n",
		    d->name, d->caps.processors, d->clock_khz / 1000,
		    rate_text(r->limits.instructions).s,
		    rate_text(r->limits.bytes).s);
	printf("%-22s %-10s %6s %6s %9s %-6s %11s %6s %9s\n", "test",
	    "env", "bytes", "insns", "limit/s", "of", "instances/s", "share",
	    "hits/s");
}

static void
print_row(const struct roofline *r, const struct trial *t,
    const struct env *e)
{
	struct cost c = plan_cost(&t->plan);
	bool by_bytes;
	double limit = cost_limit(&c, &r->limits, &by_bytes);
	double rate = (double)trial_instances(t) / fmax(t->seconds, 1e-9);

	printf("%-22s %-10s %6.1f %6.1f ", t->plan.program->name, e->name,
	    c.bytes, c.instructions);
	if (r->bench.info.caps.sim)
		printf("%9s %-6s %11s %6s %9s (software machine)\n", "-", "-",
		    rate_text(rate).s, "-", rate_text(trial_score(t)).s);
	else
		printf("%9s %-6s %11s %5.0f%% %9s\n", rate_text(limit).s,
		    by_bytes ? "bytes" : "insns", rate_text(rate).s,
		    100 * rate / limit, rate_text(trial_score(t)).s);
	fflush(stdout);
}

/* Environments that the test cannot have are left out. */
static bool
run_one(struct roofline *r, const struct program *p, const struct env *e)
{
	const bool *targets = program_targets(p, r->arena);
	double want;
	struct trial t;

	if (!trial_plan(&r->bench, p, e, targets, r->options->seed,
	    SABOTAGE_NONE, r->arena, &t, &r->err))
		return r->err.code == ERR_UNSUPPORTED;
	if (!trial_load(&t, &r->err) || !trial_start(&t, &r->err))
		return false;
	for (want = 1; t.seconds < r->options->time; want = fmin(64,
	    fmax(1, r->options->time / fmax(t.launch_seconds, 1e-7))))
		if (!trial_run(&t, (uint64_t)want,
		    r->bench.info.caps.sim || want < 64 ? 1 : 8, &r->err))
			return false;
	print_row(r, &t, e);
	trial_end(&t);
	return true;
}

static bool
run_tests(struct roofline *r, const struct selection *s,
    const struct env *const *envs, int n)
{
	int i, j;

	print_limits(r);
	for (i = 0; i < s->count; i++) {
		const struct env *const *list = envs;
		int count = n;

		if (!list)
			list = envs_builtin(s->tests[i], &r->bench.info.caps,
			    r->arena, &count);
		for (j = 0; j < count; j++)
			if (!run_one(r, s->tests[i], list[j]))
				return false;
		arena_reset(r->arena);
	}
	return true;
}

static int
roofline(const struct options *o, const struct strings *tests,
    struct arena *a, struct err *err)
{
	struct roofline r = {.options = o};
	const struct env *const *envs = NULL;
	struct device_info infos[DEVICES_MAX];
	struct selection s;
	bool fallback;
	int n = 0, status = STATUS_NO_VERDICT;

	if (!select_read(tests, a, &s, err))
		return status;
	if (o->env && !(envs = envs_read(o->env, a, &n, err)))
		return status;
	if (devices_choose(o->device, infos, DEVICES_MAX, &fallback, err) < 1)
		return status;
	if (fallback) {
		printf("no GPU (%s): there is no limit to reach\n",
		    err->message);
		*err = (struct err){0};
		return STATUS_NOTHING;
	}
	if (!bench_open(device_ops_of(&infos[0]), infos[0].index, NULL,
	    ASSEMBLER_DRIVER, o->timeout, &r.bench, err))
		return status;
	r.arena = arena_new();
	r.limits.instructions = issue_rate(&r.bench.info);
	if (l2_bandwidth(&r.bench, &r.limits.bytes, &r.err) &&
	    run_tests(&r, &s, envs, n)) {
		status = STATUS_OK;
		bench_close(&r.bench); /* one that hung cannot be closed */
	} else {
		*err = r.err;
	}
	arena_free(r.arena);
	return status;
}

int
cmd_roofline(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings tests = {0};
	struct err err = {0};
	int status = options_read(&usage, &options, argc, argv, a, &tests);

	if (status == STATUS_GO_ON) {
		status = roofline(&options, &tests, a, &err);
		if (err.code)
			err_print(stderr, &err, NULL);
	}
	arena_free(a);
	return status;
}
