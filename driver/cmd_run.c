#include "driver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "a GPU's number or "     \
	    "the start of its UUID, all, cuda (the first), or sim (the "       \
	    "software machine); without it the first GPU, else sim")           \
	OPTION(seconds, time, 't', "T", NULL, 0.001, 1e7, "for all tests "     \
	    "together; without it 1s a test, 60s at most")                     \
	OPTION(number, instances, 'n', "N", NULL, 1, 1e18, "of each test, "    \
	    "in place of a time; what is run then depends on the seed only")   \
	OPTION(number, level, 'l', "L", NULL, 1, 4, "1: 10s, 2: 2m, 3: 15m, "  \
	    "4: 2h, in place of a time")                                       \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only tests whose name " \
	    "or family it matches; !GLOB leaves out; may be repeated")         \
	OPTION(flag, list, 0, NULL, NULL, 0, 0, "print the names, run nothing")\
	OPTION(text, shard, 0, "I/N", NULL, 0, 0, "the Ith of N parts")        \
	OPTION(seed, seed, 's', "S", "1", 0, 0, "of every draw")               \
	OPTION(seconds, timeout, 0, "T", "10s", 0.01, 1e6, "without an end: "  \
	    "the test hangs")                                                  \
	OPTION(text, env, 'e', "FILE", NULL, 0, 0, "environments to run in")   \
	OPTION(choice, model, 0, "ptx-6.0|ptx-7.5|ptx", "ptx", 0, 0,           \
	    "the memory model's version")                                      \
	OPTION(choice, assembler, 0, "driver|ptxas", "driver", 0, 0,           \
	    "what turns PTX into machine code")                                \
	OPTION(choice, code, 0, "some|all|none", "some", 0, 0,                 \
	    "whose machine code is checked: as many as the disassembler can "  \
	    "read beside the runs, every test's in each of its environments, "  \
	    "or none")                     \
	OPTION(flag, no_twins, 0, NULL, NULL, 0, 0, "do not run the broken "   \
	    "twins of forbidden tests")                                        \
	OPTION(text, json, 'o', "FILE", NULL, 0, 0, "results document; - is "  \
	    "standard output")                                                 \
	OPTION(text, junit, 0, "FILE", NULL, 0, 0, "results as JUnit XML")     \
	OPTION(text, resume, 0, "FILE", NULL, 0, 0, "run only what this "      \
	    "document, or the journal of a run that was killed, lacks")        \
	OPTION(flag, fail_fast, 'x', NULL, NULL, 0, 0, "stop at the first "    \
	    "failure")                                                         \
	OPTION(flag, quiet, 'q', NULL, NULL, 0, 0, "a line a test")            \
	OPTION(choice, color, 0, "auto|always|never", "auto", 0, 0,            \
	    "auto: on a terminal, unless NO_COLOR is set")                     \
	OPTION(number, jobs, 'j', "N", NULL, 1, 256, "tests side by side, or " \
	    "threads of one, on the software machine; without it one a "       \
	    "processor")                                                       \
	OPTION(text, sim_fault, 0, "NAME", NULL, 0, 0, sim_fault_help)
#include "options.h"

static const struct usage usage = {
	"run", "[TEST...]", 0, -1,
	"Runs tests on a device and judges what they showed.\n" TESTS_HELP,
	option_rows,
};

static const double level_seconds[] = {0, 10, 120, 900, 7200};

struct run {
	struct options options;
	struct arena *arena;
	struct selection selection;
	struct device_info devices[DEVICES_MAX];
	struct run_info info;
	struct work work;
	struct style style;
	struct journal *journal;
	char *journal_path;
	FILE *out; /* for people */
	json_t *header;
	int printed; /* results in order, up to here */
	int finished;
	double begin;
	bool fallback, terminal;
	struct err journal_err;
};

static int
complain(const struct err *err)
{
	err_print(stderr, err, NULL);
	return err->code == ERR_INTERRUPTED ? STATUS_INTERRUPTED :
	    STATUS_NO_VERDICT;
}

/* ---- what to run, and where -------------------------------------------- */

static bool
choose_tests(struct run *r, const struct strings *paths, struct err *err)
{
	struct run_info *info = &r->info;

	if (!select_read(paths, r->arena, &r->selection, err))
		return false;
	select_filter(&r->selection, &r->options.filter, r->arena);
	info->shard = info->shards = 1;
	if (r->options.shard && !select_shard(&r->selection,
	    r->options.shard, &info->shard, &info->shards, err))
		return false;
	info->selected = r->selection.count;
	info->suite_hash = r->selection.hash;
	return true;
}

static bool
choose_envs(struct run *r, struct err *err)
{
	struct effort *e = &r->work.effort;

	if (!r->options.env)
		return true;
	e->envs = envs_read(r->options.env, r->arena, &e->nenvs, err);
	return e->envs != NULL;
}

static bool
choose_time(struct run *r, struct err *err)
{
	const struct options *o = &r->options;
	int n = r->selection.count;

	if ((o->time > 0) + (o->instances > 0) + (o->level > 0) > 1)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "--time, --instances and --level exclude each other");
	r->work.seconds = o->time > 0 ? o->time : o->level ?
	    level_seconds[o->level] : n < 60 ? n : 60;
	r->work.effort.instances = o->instances;
	r->info.level = (int)o->level;
	return true;
}

/* Tests side by side; where there are few of them, threads for each. What
   is run is the same, whatever the number. */
static int
sim_lanes(const struct run *r, uint64_t jobs)
{
	int n = r->options.fail_fast ? 1 : r->selection.count;

	if (n > LANES_MAX)
		n = LANES_MAX;
	return jobs < (uint64_t)n ? (int)jobs : n;
}

static const char *
sim_device_options(struct run *r)
{
	uint64_t jobs = r->options.jobs;
	struct text t;

	if (!jobs)
		jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	r->work.lanes = sim_lanes(r, jobs);
	text_init(&t, r->arena);
	text_printf(&t, "jobs=%" PRIu64, jobs / (uint64_t)r->work.lanes);
	if (r->options.sim_fault)
		text_printf(&t, ",fault=%s", r->options.sim_fault);
	return t.s;
}

/* A machine with a fault is another: its results say so. */
static void
name_fault(struct run *r)
{
	const char *fault = r->options.sim_fault;

	if (!fault || strcmp(fault, "none") == 0)
		return;
	r->work.fault = fault;
	snprintf(r->devices[0].name, sizeof(r->devices[0].name),
	    "software PTX machine (no GPU, planted fault: %s)", fault);
}

static bool
choose_devices(struct run *r, struct err *err)
{
	char toolkit[sizeof(r->devices[0].toolkit)];
	int i, n = devices_choose(r->options.device, r->devices, DEVICES_MAX,
	    &r->fallback, err);

	if (n <= 0)
		return false;
	r->info.devices = r->work.devices = r->devices;
	r->info.ndevices = r->work.ndevices = n;
	r->style.sim = device_ops_of(&r->devices[0]) == &sim_ops;
	if (r->fallback)
		fprintf(stderr, "fencepost: no GPU here (%s); running on the "
		    "software PTX machine\n", err->message);
	if (r->options.sim_fault && !r->style.sim)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "--sim-fault is for --device sim");
	r->work.options = r->style.sim ? sim_device_options(r) : NULL;
	name_fault(r);
	toolkit_find(!r->style.sim && r->options.assembler == ASSEMBLER_PTXAS,
	    !r->style.sim && r->options.code != CODE_NONE, toolkit,
	    sizeof(toolkit));
	for (i = 0; i < n; i++)
		memcpy(r->devices[i].toolkit, toolkit, sizeof(toolkit));
	return true;
}

static void
prepare(struct run *r, int argc, char **argv)
{
	const struct options *o = &r->options;
	struct work *w = &r->work;

	r->begin = wall_clock();
	r->info.argc = argc;
	r->info.argv = argv;
	r->info.seed = o->seed;
	r->info.model = (enum model_version)o->model;
	r->info.started = utc_now(r->arena);
	r->style.color = style_wants_color(o->color);
	r->style.quiet = o->quiet;
	r->terminal = isatty(STDERR_FILENO);
	r->out = o->json && strcmp(o->json, "-") == 0 ? stderr : stdout;
	w->tests = r->selection.tests;
	w->ntests = r->selection.count;
	w->assembler = (enum assembler)o->assembler;
	w->timeout = o->timeout;
	w->fail_fast = o->fail_fast;
	w->effort.seed = o->seed;
	w->effort.model = r->info.model;
	w->effort.twins = !o->no_twins;
	w->code_check = (enum code_check)o->code;
	w->results = arena_alloc(r->arena, (size_t)w->ntests *
	    (size_t)w->ndevices * sizeof(*w->results));
}

static bool
start_journal(struct run *r, struct err *err)
{
	const char *json = r->options.json;

	if (r->options.junit && !output_check(r->options.junit, err))
		return false;
	if (json && !output_check(json, err))
		return false;
	return !json || !output_replaces(json) || journal_open(
	    arena_printf(r->arena, "%s.journal", json), r->header,
	    r->work.results, r->work.ntests * r->work.ndevices, &r->journal,
	    err);
}

/* ---- while it runs ----------------------------------------------------- */

static void
wipe_progress(const struct run *r)
{
	if (r->terminal)
		fprintf(stderr, "\r\033[K");
}

/* A document as its readers see it; NULL would be our own fault. */
static const struct document *
as_document(const json_t *root, struct arena *a)
{
	char *s = json_dumps(root, JSON_COMPACT | JSON_ENSURE_ASCII);
	struct source source = {"results", s, s ? strlen(s) : 0};
	struct document *d = arena_alloc(a, sizeof(*d));
	struct err err;

	source.text = arena_strndup(a, source.text, source.size);
	free(s);
	if (document_read(&source, a, d, &err))
		return d;
	err_print(stderr, &err, &source);
	return NULL;
}

static void
print_one(struct run *r, json_t *result)
{
	struct arena *a = arena_new();
	json_t *root = json_copy(r->header);
	const struct document *d;

	json_object_set_new(root, "tests", json_pack("[O]", result));
	d = as_document(root, a);
	if (d)
		print_test(r->out, d, &d->tests[0], &r->style);
	json_decref(root);
	arena_free(a);
}

/* In the order of the suite, whatever the order of finishing. */
static void
print_ready(struct run *r)
{
	int n = r->work.ntests * r->work.ndevices;

	wipe_progress(r);
	for (; r->printed < n && r->work.results[r->printed]; r->printed++)
		print_one(r, r->work.results[r->printed]);
	fflush(r->out);
}

static void
done(void *user, int test, int device)
{
	struct run *r = user;
	json_t *result = r->work.results[test * r->work.ndevices + device];

	r->finished++;
	if (!journal_add(r->journal, result, &r->journal_err)) {
		journal_close(r->journal, false);
		r->journal = NULL;
	}
	print_ready(r);
}

static void
progress(void *user, int device, int test, uint64_t instances, uint64_t hits)
{
	struct run *r = user;
	double left = r->work.seconds - (wall_clock() - r->begin);

	if (!r->terminal || test < 0 || device != 0)
		return;
	fprintf(stderr, "\r\033[K[%d/%d] %.40s: %s instance%s, %s hit%s",
	    r->finished, r->work.ntests * r->work.ndevices,
	    r->work.tests[test]->name, count_text(instances).s,
	    plural(instances), count_text(hits).s, plural(hits));
	if (!r->work.effort.instances && left > 0)
		fprintf(stderr, ", %s left", time_text(left).s);
	fflush(stderr);
}

/* ---- and after --------------------------------------------------------- */

static json_t *
collect(const struct run *r)
{
	json_t *tests = json_array();
	int i;

	for (i = 0; i < r->work.ntests * r->work.ndevices; i++)
		if (r->work.results[i])
			json_array_append(tests, r->work.results[i]);
	return tests;
}

static bool
write_junit(const char *path, const struct document *d, struct err *err)
{
	struct arena *a = arena_new();
	struct output out;
	bool ok = output_open(&out, path, a, err);

	if (ok) {
		junit_write(out.f, d);
		ok = output_close(&out, err);
	}
	arena_free(a);
	return ok;
}

static bool
write_documents(struct run *r, const json_t *root, const struct document *d,
    struct err *err)
{
	const struct options *o = &r->options;

	if (o->json && !results_write(root, o->json, err))
		return false;
	journal_close(r->journal, true);
	r->journal = NULL;
	return !o->junit || write_junit(o->junit, d, err);
}

static int
status_of(const struct run *r, const struct document *d, enum work_end end)
{
	struct summary s;

	summary_make(&s, d);
	if (s.exit == STATUS_FOUND)
		return STATUS_FOUND;
	if (end == WORK_INTERRUPTED)
		return STATUS_INTERRUPTED;
	if (end != WORK_DONE || r->selection.bad ||
	    s.verdicts[VERDICT_NOT_RUN] == s.tests)
		return STATUS_NO_VERDICT;
	return s.exit;
}

/* What was found is printed, written, and made a status. */
static int
conclude(struct run *r, enum work_end end)
{
	struct arena *a = arena_new();
	json_t *tests = collect(r), *root;
	const struct document *d;
	struct err err;
	int status = STATUS_NO_VERDICT;

	root = results_document(&r->info, end == WORK_DONE,
	    wall_clock() - r->begin, tests);
	d = as_document(root, a);
	if (d) {
		print_summary(r->out, d, &r->style);
		status = status_of(r, d, end);
		if (!write_documents(r, root, d, &err))
			status = complain(&err);
	}
	json_decref(root);
	json_decref(tests);
	arena_free(a);
	return status;
}

static int
run(struct run *r)
{
	struct arena *a = arena_new();
	const struct document *d = as_document(r->header, a);
	struct err err;
	enum work_end end;

	r->work.done = done;
	r->work.progress = progress;
	r->work.user = r;
	if (d)
		print_header(r->out, d, &r->style);
	arena_free(a);
	print_ready(r);
	end = work_run(&r->work, &err);
	wipe_progress(r);
	if (end == WORK_FAILED)
		err_print(stderr, &err, NULL);
	if (r->journal_err.code)
		err_print(stderr, &r->journal_err, NULL);
	return conclude(r, end);
}

static int
list(const struct run *r)
{
	int i;

	for (i = 0; i < r->selection.count; i++)
		printf("%s\n", r->selection.tests[i]->name);
	return r->selection.bad ? STATUS_NO_VERDICT : STATUS_OK;
}

static int
nothing(const struct run *r)
{
	fprintf(stderr, "fencepost: error: no test is selected%s\n",
	    r->options.filter.count ? " by these filters" : "");
	return r->selection.bad ? STATUS_NO_VERDICT : STATUS_NOTHING;
}

static bool
get_ready(struct run *r, int argc, char **argv, struct err *err)
{
	json_t *none = json_array();
	bool ok;

	ok = choose_time(r, err) && choose_envs(r, err) &&
	    choose_devices(r, err);
	if (ok) {
		prepare(r, argc, argv);
		r->header = results_document(&r->info, false, 0, none);
		ok = (!r->options.resume || journal_take_up(
		    r->options.resume, r->header, &r->work, r->arena, err)) &&
		    start_journal(r, err);
	}
	json_decref(none);
	return ok;
}

static void
clean_up(struct run *r)
{
	int i;

	for (i = 0; r->work.results &&
	    i < r->work.ntests * r->work.ndevices; i++)
		json_decref(r->work.results[i]);
	json_decref(r->header);
	arena_free(r->arena);
}

int
cmd_run(int argc, char **argv)
{
	struct run r = {.arena = arena_new()};
	struct strings paths = {0};
	struct err err = {0};
	int status;

	/* getopt moves operands; the document wants what was typed */
	char **typed = arena_grow(r.arena, argv,
	    (size_t)argc * sizeof(*argv), (size_t)argc * sizeof(*argv));

	status = options_read(&usage, &r.options, argc, argv, r.arena,
	    &paths);
	if (status == STATUS_GO_ON) {
		if (!sim_fault_check(r.options.sim_fault, &err) ||
		    !choose_tests(&r, &paths, &err))
			status = complain(&err);
		else if (r.selection.count == 0)
			status = nothing(&r);
		else if (r.options.list)
			status = list(&r);
		else if (!get_ready(&r, argc, typed, &err))
			status = complain(&err);
		else
			status = run(&r);
	}
	clean_up(&r);
	return status;
}
