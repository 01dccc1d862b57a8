#include "driver.h"

#include <inttypes.h>
#include <string.h>

#define OPTIONS \
	OPTION(text, model, 'm', "VERSION", "ptx", 0, 0, "ptx-6.0, ptx-7.5, "  \
	    "or ptx: the newest")                                              \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only tests of that "    \
	    "name or family; !GLOB takes away")                                \
	OPTION(text, against, 'a', "FILE", NULL, 0, 0, "compare with a list "  \
	    "of file,value: is the file's statement true?")                    \
	OPTION(number, unroll, 0, "N", NULL, 1, 16, "turns of a loop that are " \
	    "followed; without it as many as there must be, up to 16")          \
	OPTION(flag, json, 'j', NULL, NULL, 0, 0, "print JSON")                \
	OPTION(flag, quiet, 'q', NULL, NULL, 0, 0, "one line a test")
#include "options.h"

static const struct usage usage = {
	"model", "[TEST...]", 0, -1,
	"Computes what the PTX memory model allows, without a device.\n"
	"Each outcome is sc (an interleaving gives it) or weak; * marks those "
	"that the\ntest is about. Exit status 1: a test expects otherwise.\n"
	TESTS_HELP, option_rows,
};

bool
model_options(struct model_opts *opts, const char *version, uint64_t unroll)
{
	enum model_version v;

	if (!model_version_parse(version, &v)) {
		fprintf(stderr, "fencepost: error: --model: '%s' is none of "
		    "ptx-6.0, ptx-7.5, ptx\n", version);
		return false;
	}
	model_defaults(opts, v);
	if (unroll)
		opts->unroll = opts->unroll_most = (int)unroll;
	return true;
}

/* What was asked of the model for one test. */
struct judged {
	const struct program *p;
	struct outcomes out;
	enum answer answer;
	bool failed; /* no outcomes: `err` */
	struct err err;
};

static const char *
answer_name(const struct judged *j)
{
	return j->failed ? "too large" :
	    j->answer == ANSWER_ALLOWED ? "allowed" :
	    j->answer == ANSWER_FORBIDDEN ? "forbidden" : "no verdict";
}

static bool
contradicts(const struct judged *j)
{
	return (j->p->expect == EXPECT_ALLOWED &&
	    j->answer == ANSWER_FORBIDDEN) ||
	    (j->p->expect == EXPECT_FORBIDDEN &&
	    j->answer == ANSWER_ALLOWED);
}

static void
judge(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct judged *j)
{
	*j = (struct judged){.p = p};
	j->failed = !model_run(p, opts, a, &j->out, &j->err);
	if (!j->failed)
		j->answer = model_answer(p, &j->out);
}

/* ---- for people ------------------------------------------------------- */

static void
print_outcome(const struct judged *j, const struct outcome *o)
{
	uint64_t values[SLOTS_MAX];
	int i;

	outcome_values(j->p, o->code, values);
	printf("  %c", program_is_target(j->p, values) ? '*' : ' ');
	for (i = 0; i < j->p->nslots; i++)
		printf(" %s=%" PRIu64, j->p->slots[i].name, values[i]);
	printf("  %s\n", o->sc ? "sc" : "weak");
}

static void
print_judged(const struct judged *j, bool quiet, struct arena *a)
{
	const char *note;
	uint32_t i;

	printf("%s: %s", j->p->name, answer_name(j));
	if (j->failed)
		printf(" (%s)", j->err.message);
	else if (j->out.status == MODEL_NO_VERDICT)
		printf(" (line %d: %s)", j->out.reason_loc.line,
		    j->out.reason);
	if (contradicts(j))
		printf(", but line %d expects %s", j->p->expect_loc.line,
		    expect_name(j->p->expect));
	printf("\n");
	if (quiet || j->failed || j->out.status != MODEL_OK)
		return;
	printf("  %s\n", j->p->cond_text);
	for (i = 0; i < j->out.count; i++)
		print_outcome(j, &j->out.list[i]);
	note = outcomes_note(&j->out, a);
	printf("    %" PRIu32 " of %" PRIu32 " allowed%s%s%s%s%s%s\n",
	    j->out.count, j->p->noutcomes,
	    j->out.hang ? "; an execution may not end" : "",
	    j->out.bounded ? "; loops were cut" : "", note ? "; " : "",
	    note ? note : "", j->out.undefined ? ": " : "",
	    j->out.undefined ? j->out.undefined : "");
}

/* ---- for programs ----------------------------------------------------- */

static json_t *
outcome_json(const struct judged *j, const struct outcome *o)
{
	uint64_t values[SLOTS_MAX];
	json_t *object = json_object(), *state = json_object();
	int i;

	outcome_values(j->p, o->code, values);
	for (i = 0; i < j->p->nslots; i++)
		json_object_set_new(state, j->p->slots[i].name,
		    json_integer((json_int_t)values[i]));
	json_object_set_new(object, "state", state);
	json_object_set_new(object, "class",
	    json_string(o->sc ? "sc" : "weak"));
	json_object_set_new(object, "target",
	    json_boolean(program_is_target(j->p, values)));
	return object;
}

static json_t *
judged_json(const struct judged *j, struct arena *a)
{
	const char *reason = j->failed ? j->err.message : j->out.reason;
	json_t *object = json_object(), *list = json_array();
	uint32_t i;

	json_object_set_new(object, "name", json_string(text_clean(a,
	    j->p->name, strlen(j->p->name))));
	json_object_set_new(object, "file", json_string(text_clean(a,
	    j->p->loc.source, strlen(j->p->loc.source))));
	json_object_set_new(object, "line", json_integer(j->p->loc.line));
	json_object_set_new(object, "hash", json_sprintf("%016" PRIx64,
	    j->p->hash));
	json_object_set_new(object, "verdict", json_string(answer_name(j)));
	json_object_set_new(object, "expect",
	    json_string(expect_name(j->p->expect)));
	if (reason)
		json_object_set_new(object, "reason", json_string(
		    text_clean(a, reason, strlen(reason))));
	if (!j->failed && j->out.status == MODEL_OK) {
		json_object_set_new(object, "statement", json_boolean(
		    model_statement(j->p, &j->out)));
		json_object_set_new(object, "hang",
		    json_boolean(j->out.hang));
		json_object_set_new(object, "bounded",
		    json_boolean(j->out.bounded));
		json_object_set_new(object, "analogy",
		    json_boolean(j->out.analogy));
		if (outcomes_note(&j->out, a))
			json_object_set_new(object, "note",
			    json_string(outcomes_note(&j->out, a)));
		if (j->out.undefined)
			json_object_set_new(object, "undefined",
			    json_string(j->out.undefined));
		for (i = 0; i < j->out.count; i++)
			json_array_append_new(list,
			    outcome_json(j, &j->out.list[i]));
	}
	json_object_set_new(object, "outcomes", list);
	return object;
}

static void
print_json(json_t *tests, const struct model_opts *opts)
{
	json_t *document = json_object();

	json_object_set_new(document, "fencepost", json_string(VERSION));
	json_object_set_new(document, "model",
	    json_string(model_version_name(opts->version)));
	json_object_set_new(document, "tests", tests);
	json_dumpf(document, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(document);
}

/* ---- the tests of the paths ------------------------------------------- */

static int
judge_selection(const struct selection *s, const struct options *options,
    const struct model_opts *opts)
{
	struct arena *a = arena_new();
	json_t *tests = options->json ? json_array() : NULL;
	int i, status = s->bad ? STATUS_NO_VERDICT : STATUS_OK;
	struct judged j;

	for (i = 0; i < s->count; i++) {
		judge(s->tests[i], opts, a, &j);
		if (tests)
			json_array_append_new(tests, judged_json(&j, a));
		else
			print_judged(&j, options->quiet, a);
		if (contradicts(&j))
			status = STATUS_FOUND;
		arena_reset(a);
	}
	if (tests)
		print_json(tests, opts);
	arena_free(a);
	return status;
}

/* ---- against a list --------------------------------------------------- */

/* What judging a list needs. */
struct asked {
	const struct model_opts *opts;
	bool quiet;
};

static bool
agrees(const struct expected *e, const struct program *p, const void *user,
    struct arena *a)
{
	const struct asked *asked = user;
	struct judged j;

	judge(p, asked->opts, a, &j);
	if (j.failed || j.out.status != MODEL_OK) {
		printf("%s: %s (%s)\n", e->name, answer_name(&j),
		    j.failed ? j.err.message : j.out.reason);
		return false;
	}
	if (model_statement(p, &j.out) != e->value) {
		printf("%s: the statement is %s, the list says %s\n",
		    e->name, e->value ? "false" : "true",
		    e->value ? "true" : "false");
		return false;
	}
	if (!asked->quiet)
		printf("%s: %s\n", e->name, e->value ? "true" : "false");
	return true;
}

static int
model(const struct strings *tests, const struct options *options,
    struct arena *a)
{
	struct selection s;
	struct model_opts opts;
	int status;

	if (!model_options(&opts, options->model, options->unroll))
		return STATUS_NO_VERDICT;
	if (options->against)
		return against_compare(options->against, agrees,
		    &(struct asked){&opts, options->quiet}, arena_printf(a,
		    "model %s", model_version_name(opts.version)));
	status = select_tests(tests, &options->filter, a, &s);
	return status == STATUS_GO_ON ? judge_selection(&s, options, &opts) :
	    status;
}

int
cmd_model(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings tests = {0};
	int status = options_read(&usage, &options, argc, argv, a, &tests);

	if (status == STATUS_GO_ON)
		status = model(&tests, &options, a);
	arena_free(a);
	return status;
}
