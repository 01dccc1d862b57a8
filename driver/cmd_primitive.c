#include "primitive.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "a GPU's number or "    \
	    "the start of its UUID, cuda (the first), or sim (the software "   \
	    "machine); without it the first GPU, else sim")                    \
	OPTION(flag, validate, 0, NULL, NULL, 0, 0, "only look for faults")    \
	OPTION(flag, bench, 0, NULL, NULL, 0, 0, "only measure costs")         \
	OPTION(choice, twins, 0, "with|without|only", "with", 0, 0,            \
	    "the broken twins of the primitives named")                        \
	OPTION(seconds, time, 't', "T", NULL, 0.001, 1e7, "for all of them "   \
	    "together; without it 0.5s each")                                  \
	OPTION(number, rounds, 'n', "N", NULL, 1, 1e15, "of each, in place "   \
	    "of a time, or until the time is up")                              \
	OPTION(number, crossings, 0, "N", NULL, 1, 1e15, "the same, counted "  \
	    "in all CTAs")                                                     \
	OPTION(number, ctas, 0, "N", NULL, 1, 65536, "in place of those of "   \
	    "the entry")                                                       \
	OPTION(number, threads, 0, "N", NULL, 32, 1024, "of a CTA, the same")  \
	OPTION(flag, overcommit, 0, NULL, NULL, 0, 0, "launch more CTAs than " \
	    "can be resident: shows the hang that the check prevents")         \
	OPTION(list, file, 'f', "FILE", NULL, 0, 0, "entries of your own "     \
	    "primitives (YAML), with kernels as .cu, .ptx or .cubin")          \
	OPTION(flag, list, 0, NULL, NULL, 0, 0, "print the names, run nothing")\
	OPTION(flag, ptx, 0, NULL, NULL, 0, 0, "print what the compiler made " \
	    "of them, the fences marked")                                      \
	OPTION(flag, sass, 0, NULL, NULL, 0, 0, "print their machine code, "   \
	    "the same; by ptxas, or with --device by the driver")              \
	OPTION(number, sm, 0, "N", "90", 70, 200, "compute capability, of "    \
	    "--ptx and --sass")                                                \
	OPTION(seed, seed, 's', "S", "1", 0, 0, "of every draw")               \
	OPTION(seconds, timeout, 0, "T", "20s", 0.01, 1e6, "of a launch that " \
	    "does not end")                                                    \
	OPTION(choice, assembler, 0, "driver|ptxas", "driver", 0, 0,           \
	    "what turns PTX into machine code")                                \
	OPTION(text, json, 'o', "FILE", NULL, 0, 0, "results document; - is "  \
	    "standard output")                                                 \
	OPTION(choice, color, 0, "auto|always|never", "auto", 0, 0, "colours")
#include "options.h"

#define SOURCE_MAX ((size_t)1 << 20)
#define EACH_SECONDS 0.5

enum { TWINS_WITH, TWINS_WITHOUT, TWINS_ONLY };

static const struct usage usage = {
	"primitive", "[NAME...]", 0, -1,
	"Validates production primitives beside their broken twins, and "
	"measures what they\ncost. NAME may be a pattern; a primitive brings "
	"its twins.\n", option_rows,
};

struct command {
	struct options options;
	struct arena *arena;
	struct primitives all;
	const struct primitive **chosen;
	struct device_info devices[DEVICES_MAX];
	struct run_info info;
	struct study study;
	struct style style;
	json_t *entries;
	FILE *out;
	double begin;
	bool terminal; /* progress goes there */
};

static int
complain(const struct err *err)
{
	err_print(stderr, err, NULL);
	return STATUS_NO_VERDICT;
}

static int
nothing(const char *why)
{
	fprintf(stderr, "fencepost: error: no primitive is %s\n", why);
	return STATUS_NOTHING;
}

/* ---- which -------------------------------------------------------------- */

static bool
read_source(struct command *c, const struct source *source,
    const char *directory)
{
	struct errs errs = {0};

	if (primitive_read(source, directory, c->arena, &c->all, &errs))
		return true;
	errs_print(stderr, &errs, source);
	return false;
}

static bool
read_builtin(struct command *c)
{
	const struct embedded *e;

	for (e = embedded_files; e->name; e++) {
		struct source source = {arena_printf(c->arena, "kernels/%s",
		    e->name), e->text, e->size};

		if (fnmatch("*.yaml", e->name, 0) == 0 &&
		    !read_source(c, &source, NULL))
			return false;
	}
	return true;
}

static const char *
directory_of(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
}

static bool
read_files(struct command *c)
{
	const struct strings *files = &c->options.file;
	struct source source;
	struct err err;
	int i;

	for (i = 0; i < files->count; i++) {
		if (!source_read(files->list[i], SOURCE_MAX, c->arena,
		    &source, &err)) {
			err_print(stderr, &err, NULL);
			return false;
		}
		if (!read_source(c, &source, directory_of(files->list[i],
		    c->arena)))
			return false;
	}
	return true;
}

/* Without names: the user's own if there are any, else all. */
static bool
wanted(const struct command *c, const struct primitive *p,
    const struct strings *names)
{
	int i;

	if (p->twin_of ? c->options.twins == TWINS_WITHOUT :
	    c->options.twins == TWINS_ONLY)
		return false;
	for (i = 0; i < names->count; i++)
		if (fnmatch(names->list[i], p->name, 0) == 0 || (p->twin_of &&
		    fnmatch(names->list[i], p->twin_of, 0) == 0))
			return true;
	return names->count == 0 && (c->options.file.count == 0 ||
	    p->origin->path);
}

static void
choose(struct command *c, const struct strings *names)
{
	int i, n = 0;

	c->chosen = arena_alloc(c->arena,
	    ((size_t)c->all.count + 1) * sizeof(*c->chosen));
	for (i = 0; i < c->all.count; i++)
		if (wanted(c, &c->all.list[i], names))
			c->chosen[n++] = &c->all.list[i];
	c->study.items = c->chosen;
	c->study.nitems = n;
}

/* ---- running them ------------------------------------------------------- */

static bool
choose_device(struct command *c, struct err *err)
{
	bool fallback = false;
	int n = devices_choose(c->options.device, c->devices, DEVICES_MAX,
	    &fallback, err);

	if (n <= 0)
		return false;
	if (fallback)
		fprintf(stderr, "fencepost: no GPU here (%s); running on the "
		    "software PTX machine\n", err->message);
	c->info.devices = c->devices;
	c->info.ndevices = 1;
	c->study.device = &c->devices[0];
	c->style.sim = device_ops_of(&c->devices[0]) == &sim_ops;
	return true;
}

static bool
load_origins(struct command *c, struct err *err)
{
	int i;

	for (i = 0; i < c->study.nitems; i++)
		if (!origin_load(c->chosen[i]->origin,
		    c->study.device->caps.sm, c->arena, err))
			return false;
	return true;
}

static void
prepare(struct command *c, int argc, char **argv)
{
	const struct options *o = &c->options;

	c->info.argc = argc;
	c->info.argv = argv;
	c->info.seed = c->study.seed = o->seed;
	c->info.model = MODEL_PTX;
	c->info.started = utc_now(c->arena);
	c->info.shard = c->info.shards = 1;
	c->style.color = style_wants_color(o->color);
	c->out = o->json && strcmp(o->json, "-") == 0 ? stderr : stdout;
	c->study.assembler = (enum assembler)o->assembler;
	c->study.validate = o->validate || !o->bench;
	/* costs on the software machine mean nothing: only if asked for */
	c->study.bench = o->bench || (!o->validate && !c->style.sim);
	c->study.seconds = EACH_SECONDS;
	c->study.end = o->time > 0 ? c->begin + o->time : 0;
	c->study.rounds = o->rounds;
	c->study.crossings = o->crossings;
	c->study.ctas = (uint32_t)o->ctas;
	c->study.threads = (uint32_t)o->threads;
	c->study.overcommit = o->overcommit;
	c->study.timeout = o->timeout;
	c->terminal = isatty(STDERR_FILENO);
}

/* What there is something to do for. */
static void
keep_useful(struct command *c)
{
	int i, n = 0;

	for (i = 0; i < c->study.nitems; i++)
		if (c->study.validate || c->chosen[i]->nbenches > 0)
			c->chosen[n++] = c->chosen[i];
	c->study.nitems = n;
}

static void
wipe_progress(const struct command *c)
{
	if (c->terminal)
		fprintf(stderr, "\r\033[K");
}

static void
progress(void *user, const struct primitive *p, int item, uint64_t rounds,
    uint64_t crossings)
{
	const struct command *c = user;
	double left = c->study.end - wall_clock();

	if (!c->terminal)
		return;
	fprintf(stderr, "\r\033[K[%d/%d] %.40s: %s rounds, %s crossings",
	    item, c->study.nitems, p->name, count_text(rounds).s,
	    count_text(crossings).s);
	if (left > 0)
		fprintf(stderr, ", %s left", time_text(left).s);
	fflush(stderr);
}

static void
done(void *user, const struct primitive *p, json_t *entry)
{
	struct command *c = user;

	(void)p;
	wipe_progress(c);
	json_array_append_new(c->entries, entry);
	primitive_print(c->out, entry, &c->style);
	fflush(c->out);
}

static int
count(const json_t *entries, const char *verdict)
{
	const json_t *entry;
	size_t i;
	int n = 0;

	json_array_foreach(entries, i, entry)
		n += strcmp(json_string_value(json_object_get(entry,
		    "verdict")), verdict) == 0;
	return n;
}

static bool
any_without_time(const json_t *entries)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry) {
		const char *s = json_string_value(json_object_get(entry,
		    "message"));

		if (s && strcmp(s, no_time_left) == 0)
			return true;
	}
	return false;
}

/* A shape that the user asked for and the device cannot hold is an error,
   not a primitive to skip; one that there was no time for has no verdict. */
static int
status_of(const struct command *c)
{
	int skipped = count(c->entries, "not-run");

	if (count(c->entries, "broken") + count(c->entries, "not-caught"))
		return STATUS_FOUND;
	if (skipped && (c->study.ctas || c->study.threads ||
	    skipped == c->study.nitems || any_without_time(c->entries)))
		return STATUS_NO_VERDICT;
	return STATUS_OK;
}

static int
conclude(struct command *c, enum work_end end)
{
	json_t *none = json_array(), *root, *claims;
	struct err err;
	int status = end == WORK_INTERRUPTED ? STATUS_INTERRUPTED :
	    end == WORK_FAILED ? STATUS_NO_VERDICT : status_of(c);

	claims = primitive_claims(c->entries, 0, c->style.sim);
	primitive_print_benches(c->out, c->entries, &c->style);
	primitive_print_claims(c->out, claims, &c->style);
	primitive_print_summary(c->out, c->entries, &c->style);
	root = results_document(&c->info, end == WORK_DONE,
	    wall_clock() - c->begin, none);
	json_object_set(root, "primitives", c->entries);
	if (json_array_size(claims))
		json_object_set(root, "claims", claims);
	if (c->options.json && !results_write(root, c->options.json, &err))
		status = complain(&err);
	json_decref(root);
	json_decref(claims);
	json_decref(none);
	return status;
}

static int
study(struct command *c, int argc, char **argv)
{
	const struct listener listener = {done, progress, c};
	struct err err = {0};
	enum work_end end;
	int status;

	c->begin = wall_clock();
	if (!choose_device(c, &err) || !load_origins(c, &err))
		return complain(&err);
	prepare(c, argc, argv);
	keep_useful(c);
	if (c->study.nitems == 0)
		return nothing("to be measured; only --validate does "
		    "something for these");
	fprintf(c->out, "fencepost %s, seed 0x%llx, %s%s\n\n", VERSION,
	    (unsigned long long)c->study.seed, c->study.device->name,
	    c->style.sim ? ": no GPU takes part" : "");
	c->entries = json_array();
	end = primitives_run(&c->study, &listener, &err);
	wipe_progress(c);
	if (end == WORK_FAILED)
		err_print(stderr, &err, NULL);
	if (end == WORK_INTERRUPTED)
		fprintf(stderr, "fencepost: interrupted: %zu of %d done\n",
		    json_array_size(c->entries), c->study.nitems);
	status = conclude(c, end);
	json_decref(c->entries);
	return status;
}

static int
look(struct command *c)
{
	struct err err;
	int sm = (int)c->options.sm;

	if (c->options.list)
		primitives_list(&c->study);
	else if (!(c->options.ptx ? primitives_ptx(&c->study, sm, c->arena,
	    &err) : primitives_sass(&c->study, c->options.device, sm,
	    c->arena, &err)))
		return complain(&err);
	return STATUS_OK;
}

int
cmd_primitive(int argc, char **argv)
{
	struct command c = {.arena = arena_new()};
	struct strings names = {0};
	int status;

	/* getopt moves operands; the document wants what was typed */
	char **typed = arena_grow(c.arena, argv,
	    (size_t)argc * sizeof(*argv), (size_t)argc * sizeof(*argv));

	status = options_read(&usage, &c.options, argc, argv, c.arena,
	    &names);
	if (status == STATUS_GO_ON) {
		if (!read_builtin(&c) || !read_files(&c)) {
			arena_free(c.arena);
			return STATUS_NO_VERDICT;
		}
		choose(&c, &names);
		if (c.study.nitems == 0)
			status = nothing("selected; --list names them");
		else if (c.options.list || c.options.ptx || c.options.sass)
			status = look(&c);
		else
			status = study(&c, argc, typed);
	}
	arena_free(c.arena);
	return status;
}
