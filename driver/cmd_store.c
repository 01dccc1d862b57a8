#include "driver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS \
	OPTION(text, label, 'l', "TEXT", NULL, 0, 0, "add: a name for it")     \
	OPTION(text, json, 'o', "FILE", "-", 0, 0,                             \
	    "export: where the document goes")                                 \
	OPTION(text, html, 0, "FILE", NULL, 0, 0,                              \
	    "compare: where the page goes")
#include "options.h"

static const struct usage usage = {
	"store", "DB ACTION [ARGUMENT...]", 2, -1,
	"Keeps results documents in an SQLite file. ACTION is one of\n"
	"  add FILE...     take documents in (each once)\n"
	"  list            the runs\n"
	"  export RUN      a document as it was taken in\n"
	"  history GLOB    how tests went, run by run\n"
	"  compare         the latest run of each kind of GPU, side by side\n"
	"  remove RUN...   forget runs: none, if one is not there\n"
	"RUN is a run's number, or last.\n", option_rows,
};

struct job {
	struct store *store;
	const struct options *o;
	const char *path;
	struct strings arguments;
	struct arena *arena;
};

/* Documents may be large: each has an arena of its own. */
static bool
add_one(const struct job *j, const char *ref, struct err *err)
{
	struct arena *a = arena_new();
	struct source source;
	struct document d;
	int64_t id = 0;
	bool again = false, good;

	if (!document_load(ref, a, &d, &source, err)) {
		err_print(stderr, err, source.text ? &source : NULL);
		*err = (struct err){0}; /* said already, with its line */
		arena_free(a);
		return false;
	}
	d.ref = ref;
	good = store_add(j->store, &d, j->o->label, &id, &again, err);
	if (good)
		printf("%s#%" PRId64 "%s\n", j->path, id, again ?
		    " (it was there already)" : "");
	fflush(stdout);
	arena_free(a);
	return good;
}

static bool
action_add(const struct job *j, struct err *err)
{
	int i;

	for (i = 0; i < j->arguments.count; i++)
		if (!add_one(j, j->arguments.list[i], err))
			return false;
	return true;
}

static bool
action_list(const struct job *j, struct err *err)
{
	struct store_run *list;
	int i, n;

	if (!store_list(j->store, j->arena, &list, &n, err))
		return false;
	for (i = 0; i < n; i++) {
		const struct store_run *r = &list[i];

		printf("%4" PRId64 "  %s  %6" PRIu64 " test%-1s %4" PRIu64
		    " failed  %9s instance%-1s  %s%s%s%s\n", r->id,
		    r->started, r->tests, plural(r->tests), r->failed,
		    count_text(r->instances).s, plural(r->instances),
		    r->hardware ? r->devices : sim_notice,
		    r->complete ? "" : " (incomplete)", *r->label ? "  " :
		    "", r->label);
	}
	return true;
}

static bool
run_id(const char *s, int64_t *id, struct err *err)
{
	char *end;

	*id = strtoll(s, &end, 10);
	if (strcmp(s, "last") == 0)
		*id = 0;
	else if (*id < 1 || *end)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "'%s' is not the number of a run", s);
	return true;
}

static bool
action_export(const struct job *j, struct err *err)
{
	struct source source;
	struct document d;
	struct output out;
	int64_t id;

	if (!run_id(j->arguments.list[0], &id, err) ||
	    !store_get(j->store, id, j->arena, &source, err) ||
	    !document_read(&source, j->arena, &d, err) ||
	    !output_open(&out, j->o->json, j->arena, err))
		return false;
	document_write(out.f, &d, true);
	return output_close(&out, err);
}

static bool
action_history(const struct job *j, struct err *err)
{
	struct store_point *list;
	int i, n;

	if (!store_history(j->store, j->arguments.list[0], j->arena, &list,
	    &n, err))
		return false;
	for (i = 0; i < n; i++) {
		const struct store_point *p = &list[i];

		printf("%4" PRId64 "  %s  %s: %s  target %s of %s  weak %s  "
		    "%s%s%s\n", p->run, p->started, p->test, p->verdict,
		    count_text(p->target).s, count_text(p->instances).s,
		    count_text(p->weak).s, p->device,
		    *p->driver ? ", driver " : "", p->driver);
	}
	return true;
}

static bool
action_compare(const struct job *j, struct err *err)
{
	struct document *list;
	struct output out;
	struct source source;
	int64_t *ids;
	int i, n;

	if (!j->o->html)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "compare: --html FILE says where the page goes");
	if (!store_latest(j->store, j->arena, &ids, &n, err))
		return false;
	list = arena_alloc(j->arena, ((size_t)n + 1) * sizeof(*list));
	for (i = 0; i < n; i++)
		if (!store_get(j->store, ids[i], j->arena, &source, err) ||
		    !document_read(&source, j->arena, &list[i], err))
			return false;
	if (!output_open(&out, j->o->html, j->arena, err))
		return false;
	compare_html(out.f, list, n, &(struct html_options){NULL, 0});
	return output_close(&out, err);
}

static bool
action_remove(const struct job *j, struct err *err)
{
	int64_t *ids = arena_alloc(j->arena, (size_t)j->arguments.count *
	    sizeof(*ids));
	int i;

	for (i = 0; i < j->arguments.count; i++)
		if (!run_id(j->arguments.list[i], &ids[i], err))
			return false;
	return store_remove(j->store, ids, j->arguments.count, err);
}

static const struct action {
	const char *name;
	int least, most; /* arguments; -1: any number */
	bool create;
	bool (*run)(const struct job *j, struct err *err);
} actions[] = {
	{"add", 1, -1, true, action_add},
	{"list", 0, 0, false, action_list},
	{"export", 1, 1, false, action_export},
	{"history", 1, 1, false, action_history},
	{"compare", 0, 0, false, action_compare},
	{"remove", 1, -1, false, action_remove},
};

static const struct action *
find_action(const char *name, int n, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		const struct action *x = &actions[i];

		if (strcmp(x->name, name) != 0)
			continue;
		if (n >= x->least && (x->most < 0 || n <= x->most))
			return x;
		err_set(err, ERR_USAGE, (struct loc){0}, "%s: %d arguments, "
		    "expected %s%d", name, n, x->most < 0 ? "at least " : "",
		    x->least);
		return NULL;
	}
	err_set(err, ERR_USAGE, (struct loc){0}, "no action '%.40s' (add, "
	    "list, export, history, compare, remove)", name);
	return NULL;
}

static bool
act(struct job *j, const struct strings *operands, struct err *err)
{
	const struct action *x = find_action(operands->list[1],
	    operands->count - 2, err);
	bool good;

	if (!x)
		return false;
	j->path = operands->list[0];
	j->arguments = (struct strings){operands->list + 2,
	    operands->count - 2};
	if (!store_open(j->path, x->create, &j->store, err))
		return false;
	good = x->run(j, err);
	if (!good && err->loc.source)
		err->loc.source = arena_strdup(j->arena, err->loc.source);
	store_close(j->store);
	return good;
}

int
cmd_store(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings operands = {0};
	struct job j = {.o = &o, .arena = a};
	struct err err = {0};
	int status = options_read(&usage, &o, argc, argv, a, &operands);

	if (status == STATUS_GO_ON) {
		status = act(&j, &operands, &err) ? STATUS_OK :
		    STATUS_NO_VERDICT;
		if (status != STATUS_OK && err.code != ERR_NONE)
			err_print(stderr, &err, NULL);
	}
	arena_free(a);
	return status;
}
