/*
 * Judging again: what a run counted stays, what the model says of it is
 * made anew from the tests' own sources.
 */
#include "driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS \
	OPTION(choice, model, 0, "ptx-6.0|ptx-7.5|ptx", "ptx", 0, 0,           \
	    "the memory model's version")                                      \
	OPTION(text, json, 'o', "FILE", NULL, 0, 0,                            \
	    "write the document as judged now; - is standard output")          \
	OPTION(list, tests, 0, "PATH", NULL, 0, 0, "where the tests are, for " \
	    "documents that do not hold their sources")
#include "options.h"

static const struct usage usage = {
	"judge", "FILE", 1, 1,
	"Judges a results document again, under this or another version of "
	"the memory\nmodel, without a device, and says what changed.\n",
	option_rows,
};

struct again {
	const struct options *options;
	enum model_version model;
	struct selection files; /* with --tests */
	bool has_files;
	struct document *d; /* as judged before */
	struct arena *arena;
};

/* ---- the program ------------------------------------------------------- */

static const struct program *
from_source(const struct doc_test *t, struct arena *a, struct err *err)
{
	struct source source = {t->name, t->source, strlen(t->source)};
	struct suite suite = {0};
	struct errs errs = {0};

	if (!read_yaml(&source, a, &suite, &errs)) {
		*err = errs.list[0];
		return NULL;
	}
	if (suite.count == 1)
		return &suite.programs[0];
	err_set(err, ERR_INPUT, (struct loc){t->name, 0, 0},
	    "its source holds %d test%s", suite.count,
	    plural((uint64_t)suite.count));
	return NULL;
}

static const struct program *
from_files(const struct again *g, const struct doc_test *t, struct err *err)
{
	int i;

	for (i = 0; i < g->files.count; i++)
		if (strcmp(g->files.tests[i]->name, t->name) == 0)
			return g->files.tests[i];
	err_set(err, ERR_INPUT, (struct loc){t->name, 0, 0}, g->has_files ?
	    "no such test in those of --tests" : "the document does not "
	    "hold its source; --tests says where it is");
	return NULL;
}

static const struct program *
find_program(const struct again *g, const struct doc_test *t,
    struct arena *a, struct err *err)
{
	const struct program *p = t->source ? from_source(t, a, err) :
	    from_files(g, t, err);

	if (!p || p->hash == t->source_hash)
		return p;
	err_set(err, ERR_INPUT, (struct loc){t->name, 0, 0},
	    "its source hashes to %016" PRIx64 ", but %016" PRIx64 " is what "
	    "ran", p->hash, t->source_hash);
	return NULL;
}

/* ---- what was counted -------------------------------------------------- */

/* Slots may stand in another order than the program has them in now. */
static bool
match_slots(const struct doc_test *t, const struct program *p, int *slot)
{
	int i, k;

	for (i = 0; i < p->nslots; i++) {
		for (k = 0; k < t->nslots; k++)
			if (strcmp(t->slots[k], p->slots[i].name) == 0)
				break;
		if (k == t->nslots)
			return false;
		slot[i] = k;
	}
	return p->nslots == t->nslots;
}

static bool
fill_tally(const struct doc_test *t, const struct program *p,
    struct arena *a, struct tally *tally, struct err *err)
{
	struct loc loc = {t->name, 0, 0};
	uint64_t values[SLOTS_MAX];
	int slot[SLOTS_MAX], i, k;

	*tally = (struct tally){.bins = arena_alloc(a,
	    p->noutcomes * sizeof(*tally->bins)), .other = t->other,
	    .hang = t->hang, .instances = t->instances,
	    .launches = t->launches, .seconds = t->seconds, .drift = -1,
	    .dispersion = -1};
	if (!match_slots(t, p, slot))
		return err_set(err, ERR_INPUT, loc,
		    "observes other registers or locations than ran");
	for (i = 0; i < t->nrows; i++) {
		uint32_t code;

		for (k = 0; k < p->nslots; k++)
			values[k] = (uint64_t)t->rows[i].values[slot[k]];
		code = outcome_code(p, values);
		if (code == UINT32_MAX)
			return err_set(err, ERR_INPUT, loc, "histogram[%d] "
			    "is no outcome of the test", i);
		tally->bins[code] += t->rows[i].count;
	}
	if (t->evidence && !isnan(t->evidence->drift))
		tally->drift = t->evidence->drift;
	if (t->evidence && !isnan(t->evidence->dispersion))
		tally->dispersion = t->evidence->dispersion;
	return true;
}

static const struct twin_tally *
fill_twins(const struct doc_test *t, struct arena *a, int *count)
{
	const struct doc_evidence *e = t->evidence;
	struct twin_tally *list;
	int i;

	*count = e ? e->ntwins : 0;
	list = arena_alloc(a, ((size_t)*count + 1) * sizeof(*list));
	for (i = 0; i < *count; i++)
		list[i] = (struct twin_tally){.name = e->twins[i].name,
		    .what = e->twins[i].what,
		    .instances = e->twins[i].instances,
		    .hits = e->twins[i].hits, .rate = e->twins[i].rate};
	return list;
}

/* ---- judging ----------------------------------------------------------- */

/* It brought nothing back that could be judged. */
static bool
brought_nothing(const struct doc_test *t)
{
	return t->verdict == VERDICT_FAULT ||
	    t->verdict == VERDICT_COMPILER ||
	    t->verdict == VERDICT_NOT_RUN ||
	    (t->verdict == VERDICT_HANG && !t->instances);
}

/* The parts of a test's document that depend on the model. */
static const char *const judged_keys[] = {
	"verdict", "message", "answer", "reason", "note", "histogram", "unseen",
	"evidence", "explanation", "execution",
};

static json_t *
judge(const struct again *g, const struct doc_test *t,
    const struct program *p, struct arena *a, struct err *err)
{
	struct judgement j;
	struct tally tally;
	struct outcomes outcomes;
	struct result r = {.program = p, .judgement = &j, .tally = &tally,
	    .model = g->model, .assembler = "", .replay = ""};
	const struct outcomes *known = NULL;
	const char *no_model = NULL;
	struct model_opts opts;
	struct err no;

	if (!fill_tally(t, p, a, &tally, err))
		return NULL;
	r.twins = fill_twins(t, a, &r.ntwins);
	model_defaults(&opts, g->model);
	if (model_run(p, &opts, a, &outcomes, &no))
		known = &outcomes;
	else
		no_model = arena_strdup(a, no.message);
	if (brought_nothing(t))
		judge_failure(p, known, no_model, (enum verdict)t->verdict,
		    t->message, a, &j);
	else
		judge_test(p, known, no_model, &tally, r.twins, r.ntwins, a,
		    &j);
	result_explain(&r, known, program_targets(p, a));
	return results_test(&r, a);
}

/* An explanation of the same execution speaks of the lines of a file that is
   not at hand: it stays. */
static bool
same_story(const json_t *before, const json_t *now)
{
	return json_equal(json_object_get(before, "execution"),
	    json_object_get(now, "execution")) &&
	    json_equal(json_object_get(before, "answer"),
	    json_object_get(now, "answer"));
}

/* Where the twins ran is no matter of the model's. */
static void
keep_environments(const json_t *test, const json_t *judged)
{
	const json_t *old = json_object_get(json_object_get(test,
	    "evidence"), "twins");
	const json_t *new = json_object_get(json_object_get(judged,
	    "evidence"), "twins");
	size_t i;

	for (i = 0; i < json_array_size(new); i++) {
		json_t *envs = json_object_get(json_array_get(old, i),
		    "environments");

		if (envs)
			json_object_set(json_array_get(new, i),
			    "environments", envs);
	}
}

static void
put_anew(json_t *test, const json_t *judged)
{
	bool same = same_story(test, judged);
	size_t i;

	keep_environments(test, judged);
	for (i = 0; i < sizeof(judged_keys) / sizeof(*judged_keys); i++) {
		const char *key = judged_keys[i];
		json_t *value = json_object_get(judged, key);

		if (same && strcmp(key, "explanation") == 0)
			continue;
		if (value)
			json_object_set(test, key, value);
		else
			json_object_del(test, key);
	}
}

/* The test's text with what depends on the model put anew. */
static bool
judge_again(const struct again *g, struct doc_test *t, struct arena *a,
    struct err *err)
{
	const struct program *p = find_program(g, t, a, err);
	json_t *judged = p ? judge(g, t, p, a, err) : NULL, *test;
	json_error_t bad;
	char *text;

	if (!judged)
		return false;
	test = json_loadb(t->span.s, t->span.size, 0, &bad);
	if (!test) { /* a number that is too large, where none is looked at */
		json_decref(judged);
		return err_set(err, ERR_INPUT, (struct loc){t->name, 0, 0},
		    "%s", bad.text);
	}
	put_anew(test, judged);
	text = json_dumps(test, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	json_decref(test);
	json_decref(judged);
	t->span.s = arena_strdup(g->arena, text);
	t->span.size = strlen(text);
	free(text);
	return test_read(t->span, g->arena, t, err);
}

static bool
judge_all(const struct again *g, struct document *now, struct err *err)
{
	struct arena *a = arena_new();
	bool good = true;
	int i;

	*now = *g->d;
	now->tests = arena_grow(g->arena, now->tests, (size_t)now->ntests *
	    sizeof(*now->tests), ((size_t)now->ntests + 1) *
	    sizeof(*now->tests));
	for (i = 0; good && i < now->ntests; i++) {
		good = judge_again(g, &now->tests[i], a, err);
		if (!good && err->loc.source)
			err->loc.source = arena_strdup(g->arena,
			    err->loc.source);
		arena_reset(a);
	}
	arena_free(a);
	return good && document_sort(now, g->arena, err);
}

/* ---- the document ------------------------------------------------------ */

static void
add_note(struct document *d, const char *note, struct arena *a)
{
	d->notes = arena_grow(a, d->notes, (size_t)d->nnotes *
	    sizeof(*d->notes), ((size_t)d->nnotes + 1) * sizeof(*d->notes));
	d->notes[d->nnotes++] = note;
}

static bool
write_document(const struct again *g, struct document *now, struct err *err)
{
	struct output out;

	now->model = (int)g->model;
	add_note(now, arena_printf(g->arena, "judged again under %s by "
	    "fencepost %s", model_version_name(g->model), VERSION),
	    g->arena);
	if (!g->options->json)
		return true;
	if (!output_open(&out, g->options->json, g->arena, err))
		return false;
	document_write(out.f, now, true);
	return output_close(&out, err);
}

/* How each side of a change is told. */
static void
print_changes(FILE *f, const struct again *g, const struct document *now)
{
	int i, n = 0;

	for (i = 0; i < now->ntests; i++) {
		const struct doc_test *s = &g->d->tests[i];
		const struct doc_test *t = &now->tests[i];

		if (s->verdict == t->verdict && s->answer == t->answer)
			continue;
		fprintf(f, "%s: the model said %s, now %s; verdict %s, now "
		    "%s\n", t->name, doc_answers[s->answer],
		    doc_answers[t->answer], verdicts[s->verdict].name,
		    verdicts[t->verdict].name);
		n++;
	}
	fprintf(f, "%d of %d test%s judged otherwise under %s\n", n,
	    now->ntests, now->ntests == 1 ? " is" : "s are",
	    model_version_name(g->model));
}

static int
run(struct again *g)
{
	struct document now;
	struct summary s;
	struct err err;
	FILE *f = g->options->json && strcmp(g->options->json, "-") == 0 ?
	    stderr : stdout;

	if (g->options->tests.count) {
		if (!select_read(&g->options->tests, g->arena, &g->files,
		    &err)) {
			err_print(stderr, &err, NULL);
			return STATUS_NO_VERDICT;
		}
		g->has_files = true;
	}
	if (!judge_all(g, &now, &err) || !write_document(g, &now, &err)) {
		err_print(stderr, &err, NULL);
		return STATUS_NO_VERDICT;
	}
	print_changes(f, g, &now);
	summary_make(&s, &now);
	return s.exit;
}

int
cmd_judge(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings files = {0};
	struct again g = {.options = &o, .arena = a};
	int status = options_read(&usage, &o, argc, argv, a, &files);

	if (status == STATUS_GO_ON) {
		g.model = (enum model_version)o.model;
		status = documents_load(&files, a, &g.d) ? run(&g) :
		    STATUS_NO_VERDICT;
	}
	arena_free(a);
	return status;
}
