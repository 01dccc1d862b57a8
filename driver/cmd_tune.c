#include "driver.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTIONS \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "a GPU's number or "    \
	    "the start of its UUID; without it the first, else sim")           \
	OPTION(seconds, time, 't', "T", "5m", 0.1, 1e6, "for all kinds of "    \
	    "tests together")                                                  \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only tests whose name " \
	    "or family it matches; !GLOB leaves out")                          \
	OPTION(seed, seed, 's', "S", "1", 0, 0, "of every draw")               \
	OPTION(number, keep, 'k', "N", "4", 1, TUNE_KEEP, "environments for "  \
	    "each kind")                                                       \
	OPTION(text, output, 'o', "FILE", NULL, 0, 0, "what was found; "       \
	    "without it standard output")                                      \
	OPTION(flag, profile, 'p', NULL, NULL, 0, 0, "write it as this GPU's " \
	    "profile, profiles/GPU.yaml below the working folder")             \
	OPTION(seconds, timeout, 0, "T", "10s", 0.01, 1e6, "without an end: "  \
	    "give up")
#include "options.h"

static const struct usage usage = {
	"tune", "[TEST...]", 0, -1,
	"Looks for the environments that show most weak outcomes, for each "
	"kind of test\n(its shape and where its threads are), and prints "
	"them as a file for run --env or\nas this GPU's profile.\n",
	option_rows,
};

struct kind {
	const char *name;
	const struct program *program; /* the one that stands for it */
};

/* Some state that the test is about is allowed, but by no interleaving. */
static bool
is_weak(const struct program *p, struct arena *a)
{
	struct model_opts opts;
	struct outcomes o;
	uint64_t values[SLOTS_MAX];
	struct err err;
	uint32_t i;

	model_defaults(&opts, MODEL_PTX);
	if (!model_run(p, &opts, a, &o, &err) || o.status != MODEL_OK)
		return false;
	for (i = 0; i < o.count; i++) {
		outcome_values(p, o.list[i].code, values);
		if (!o.list[i].sc && program_is_target(p, values))
			return true;
	}
	return false;
}

static int
find_kinds(const struct selection *s, struct arena *a, struct kind *kinds)
{
	struct arena *scratch = arena_new();
	int i, j, n = 0;

	for (i = 0; i < s->count; i++) {
		const struct program *p = s->tests[i];
		const char *name = test_kind_name(p, a);

		for (j = 0; j < n && strcmp(kinds[j].name, name) != 0; j++)
			;
		if (j == n && is_weak(p, scratch))
			kinds[n++] = (struct kind){name, p};
		arena_reset(scratch);
	}
	arena_free(scratch);
	return n;
}

static void
print_kind(FILE *f, const struct kind *kind, const struct tune *t, int keep)
{
	struct arena *a = arena_new();
	int i;

	fprintf(f, "# %s, by %s: %d environments tried%s\n", kind->name,
	    kind->program->name, t->tried, t->nbest ? "" :
	    ", none showed it");
	for (i = 0; i < t->nbest && i < keep; i++) {
		const struct candidate *c = &t->best[i];
		struct env e = c->env;
		struct text s;

		e.name = arena_printf(a, "%s.%d", kind->name, i + 1);
		text_init(&s, a);
		env_print(&s, &e);
		fprintf(f, "- %s # %.3g instances, %.3g hits a second\n",
		    s.s, (double)c->instances / c->seconds,
		    (double)c->hits / c->seconds);
	}
	fflush(f);
	arena_free(a);
}

/* The best of the last kind that was placed so: likely good for the next. */
struct hint {
	const char *placement; /* "ctas", "cta.shared" */
	struct env env;
};

#define HINTS_MAX 16

/* What is shown while it runs. */
struct view {
	const struct kind *kind;
	int index, count;
	double end;
	struct hint hints[HINTS_MAX];
	int nhints;
};

static void
show(void *user, const struct tune *t)
{
	const struct view *v = user;
	double best = t->nbest ? candidate_low(&t->best[0]) : 0;

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K[%d/%d] %s: %d environments, best %s hits a "
	    "second, %s left", v->index + 1, v->count, v->kind->name,
	    t->tried, rate_text(best).s,
	    time_text(fmax(v->end - wall_clock(), 0)).s);
}

static struct hint *
find_hint(struct view *v)
{
	/* the kind is "FAMILY.PLACEMENT" */
	const char *placement = v->kind->name +
	    strlen(v->kind->program->family) + 1;
	int i;

	for (i = 0; i < v->nhints; i++)
		if (strcmp(v->hints[i].placement, placement) == 0)
			return &v->hints[i];
	if (i == HINTS_MAX)
		return NULL;
	v->hints[v->nhints++] = (struct hint){.placement = placement};
	return &v->hints[i];
}

static bool
tune_kind(struct bench *b, const struct options *o, struct view *v, FILE *f,
    struct err *err)
{
	struct hint *hint = find_hint(v);
	struct arena *a = arena_new();
	struct tune t;
	bool ok;

	tune_open(&t, b, v->kind->program, o->seed, a);
	if (hint && hint->env.name)
		t.hint = &hint->env;
	t.progress = show;
	t.user = v;
	show(v, &t);
	ok = tune_run(&t, (v->end - wall_clock()) / (v->count - v->index),
	    err);
	print_kind(f, v->kind, &t, (int)o->keep);
	if (hint && t.nbest) {
		hint->env = t.best[0].env;
		hint->env.name = "hint"; /* its own is the kind's */
	}
	tune_close(&t);
	arena_free(a);
	return ok;
}

static int
tune_all(struct bench *b, const struct options *o, const struct kind *kinds,
    int n, FILE *f, struct err *err)
{
	struct view v = {.count = n, .end = wall_clock() + o->time};
	bool ok = true;

	fprintf(f, "# %s%s%s: found by fencepost tune, seed 0x%llx\n",
	    b->info.name, *b->info.driver ? ", " : "", b->info.driver,
	    (unsigned long long)o->seed);
	for (; v.index < n && ok && !signals_came(); v.index++) {
		v.kind = &kinds[v.index];
		ok = tune_kind(b, o, &v, f, err);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	if (signals_came())
		fprintf(f, "# interrupted: %d of %d kinds\n", v.index, n);
	return !ok ? STATUS_NO_VERDICT : signals_came() ?
	    STATUS_INTERRUPTED : STATUS_OK;
}

/* Where run looks for it. */
static bool
profile_path(const struct device_info *d, const char **path, struct arena *a,
    struct err *err)
{
	if (strcmp(*path, "-") != 0)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "--profile and --output exclude each other");
	*path = envs_profile_name(d, a);
	if (mkdir("profiles", 0777) != 0 && errno != EEXIST)
		return err_set(err, ERR_IO, (struct loc){0}, "profiles: %s",
		    strerror(errno));
	return true;
}

static int
tune(const struct options *o, const struct strings *paths, struct arena *a,
    struct err *err)
{
	struct device_info infos[DEVICES_MAX];
	struct selection s;
	struct kind *kinds;
	struct bench b;
	struct output out;
	struct err lost;
	const char *to;
	bool fallback;
	int n, status = STATUS_NO_VERDICT;

	if (!select_read(paths, a, &s, err))
		return status;
	select_filter(&s, &o->filter, a);
	kinds = arena_alloc(a, (size_t)s.count * sizeof(*kinds));
	n = find_kinds(&s, a, kinds);
	if (n == 0) {
		fprintf(stderr, "fencepost: none of %d tests has a weak "
		    "outcome to look for\n", s.count);
		return STATUS_NOTHING;
	}
	if (devices_choose(o->device, infos, DEVICES_MAX, &fallback, err) < 1)
		return status;
	to = o->output ? o->output : "-";
	if (o->profile && !profile_path(&infos[0], &to, a, err))
		return status;
	if (strcmp(to, "-") != 0 && !output_check(to, err))
		return status;
	signals_note();
	if (!bench_open(device_ops_of(&infos[0]), infos[0].index, NULL,
	    ASSEMBLER_DRIVER, o->timeout, &b, err))
		return status;
	if (output_open(&out, to, a, err)) {
		status = tune_all(&b, o, kinds, n, out.f, err);
		/* an error of the device comes first: what was found stays */
		if (status == STATUS_NO_VERDICT)
			output_close(&out, &lost);
		else if (output_close(&out, err))
			bench_close(&b); /* one that hung cannot be closed */
		else
			status = STATUS_NO_VERDICT;
	}
	return status;
}

int
cmd_tune(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings paths = {0};
	struct err err = {0};
	int status = options_read(&usage, &options, argc, argv, a, &paths);

	if (status == STATUS_GO_ON) {
		status = tune(&options, &paths, a, &err);
		if (err.code)
			err_print(stderr, &err, NULL);
	}
	arena_free(a);
	return status;
}
