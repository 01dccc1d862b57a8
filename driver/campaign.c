/*
 * One test on one device, within its time, and with the test its broken
 * twins: how often they show in the same environments is the evidence that
 * a silence means something.
 */
#include "driver.h"

#include <math.h>
#include <string.h>

#define TWINS_MAX 3
#define TWIN_SHARE 0.3 /* of a forbidden test's time: finding where to look */
#define MORE_TWINS_SHARE 0.1
#define KEPT_ENVS 3 /* environments that a forbidden test itself runs in */

struct campaign {
	struct bench *bench;
	const struct program *program;
	const struct effort *effort;
	double deadline; /* of the test, twins and all */
	struct arena *arena;
	struct model_opts opts;
	const struct outcomes *outcomes; /* NULL: no_model says why */
	const char *no_model;
	const struct env *const *envs; /* as given */
	int nenvs;
	const struct env **best; /* for the test itself, the best first */
	int nbest;
	struct search search;
	struct twin_tally twins[TWINS_MAX];
	int ntwins;
	const char *stage; /* of what an error would be: "its twin ..." */
};

static void
ask_model(struct campaign *c, enum model_version version)
{
	struct outcomes *o = arena_alloc(c->arena, sizeof(*o));
	struct err err;

	model_defaults(&c->opts, version);
	if (model_run(c->program, &c->opts, c->arena, o, &err))
		c->outcomes = o;
	else
		c->no_model = arena_strdup(c->arena, err.message);
}

static bool
model_forbids(const struct campaign *c)
{
	return c->outcomes &&
	    model_answer(c->program, c->outcomes) == ANSWER_FORBIDDEN;
}

static bool
search_run(struct campaign *c, struct search *s, const struct env *const *envs,
    int n, double share, struct err *err)
{
	const struct effort *e = c->effort;
	uint64_t instances = (uint64_t)((double)e->instances * share);

	if (e->instances)
		return search_instances(s, envs, n, instances ? instances : 1,
		    err);
	return search_time(s, envs, n, fmin(e->seconds * share,
	    c->deadline - wall_clock()), err);
}

/* A twin that is run costs its assembling too: in little time one must do. */
static int
twins_that_fit(const struct campaign *c, int n)
{
	double room = c->effort->seconds * MORE_TWINS_SHARE /
	    c->bench->load_seconds;

	if (n > TWINS_MAX)
		n = TWINS_MAX;
	if (c->effort->instances || room >= n - 1)
		return n;
	return n < 1 ? n : 1 + (int)room;
}

/* What a twin shows is not the test's. */
static void
twin_alive(void *user, uint64_t instances, uint64_t hits)
{
	const struct effort *e = user;

	(void)hits;
	if (e->alive)
		e->alive(e->user, instances, 0);
}

static void
sum_search(const struct search *s, uint64_t *instances, uint64_t *hits)
{
	int i;

	for (i = 0; i < s->count; i++) {
		*instances += trial_instances(&s->trials[i]);
		*hits += s->trials[i].hits;
	}
}

/* After a hang or a fault the device answers no more, or never. */
static bool
usable(const struct err *err)
{
	return err->code != ERR_HANG && err->code != ERR_FAULT &&
	    err->code != ERR_DEVICE;
}

static bool
run_twin(struct campaign *c, const struct weakening *w,
    const struct env *const *envs, int n, double share, struct err *err)
{
	struct twin_tally *t = &c->twins[c->ntwins++];
	struct effort effort = *c->effort;
	struct search s;
	int i;
	bool ok;

	t->name = w->program->name;
	t->what = w->what;
	c->stage = arena_printf(c->arena, "its twin (%s): ", w->what);
	effort.alive = twin_alive;
	effort.user = (void *)(uintptr_t)c->effort;
	search_open(&s, c->bench, &effort, w->program, n, c->arena);
	ok = search_run(c, &s, envs, n, share, err);
	sum_search(&s, &t->instances, &t->hits);
	/* the first twin's ranking is the test's */
	for (i = 0; ok && c->nbest == 0 && i < s.count && i < KEPT_ENVS; i++)
		c->best[i] = s.envs[i];
	if (ok && c->nbest == 0)
		c->nbest = i;
	if (ok || usable(err))
		search_close(&s);
	if (ok)
		c->stage = "";
	return ok;
}

/* The nearest twin looks through all environments; the others, and the
   test, then run where it showed most. */
static bool
run_twins(struct campaign *c, double *left, struct err *err)
{
	struct weakenings w;
	struct err ignored;
	int i, n;

	if (!c->effort->twins || !model_forbids(c) ||
	    !model_twins(c->program, &c->opts, c->arena, &w, &ignored))
		return true;
	n = twins_that_fit(c, w.ntwins);
	for (i = 0; i < n; i++) {
		double share = i == 0 ? TWIN_SHARE :
		    MORE_TWINS_SHARE / (n - 1);

		if (!run_twin(c, &w.twins[i], i ? c->best : c->envs,
		    i ? 1 : c->nenvs, share, err))
			return false;
		if (!c->effort->instances) /* those are the test's alone */
			*left -= share;
	}
	return true;
}

static void
make_tally(struct campaign *c, struct tally *t, struct env_tally *envs)
{
	const struct search *s = &c->search;
	uint32_t n = c->program->noutcomes, code;
	int i;

	t->bins = arena_alloc(c->arena, n * sizeof(*t->bins));
	t->seed = c->effort->seed;
	t->drift = rates_drift(s->rates, s->nrates, c->arena);
	t->dispersion = rates_dispersion(s->rates, s->nrates);
	for (i = 0; i < s->count; i++) {
		const struct trial *trial = &s->trials[i];

		for (code = 0; code < n; code++)
			t->bins[code] += trial->bins[code];
		t->other += trial->bins[n];
		t->hang += trial->bins[n + 1];
		t->instances += trial_instances(trial);
		t->launches += trial->launched;
		t->seconds += trial->seconds;
		envs[i].env = s->envs[i];
		envs[i].instances = trial_instances(trial);
		envs[i].launches = trial->launched;
		envs[i].hits = trial->hits;
		envs[i].seconds = trial->seconds;
	}
}

/* Keeps the machine code of the environment that was used most. */
static void
keep_code(struct campaign *c, struct result *r)
{
	struct bench *b = c->bench;
	struct trial *t = &c->search.trials[0];
	struct err err;
	const void *elf;
	size_t size;

	r->code = DOC_CODE_UNCHECKED;
	if (!b->ops->code(b->device, t->module, c->arena, &elf, &size, &err))
		return;
	r->elf = arena_strndup(c->arena, elf, size);
	r->elf_size = size;
	r->plan = arena_grow(c->arena, &t->plan, sizeof(t->plan),
	    sizeof(t->plan));
}

static bool
has_tag(const struct program *p, const char *tag)
{
	int i;

	for (i = 0; i < p->ntags; i++)
		if (strcmp(p->tags[i], tag) == 0)
			return true;
	return false;
}

/* What ran must have been the test, or its result is none. Of a test that
   says so ("may-merge": two accesses that an assembler may make one), or of
   weak accesses, it is no fault of anyone's: such a test could not run. */
void
campaign_check(struct result *r, struct arena *a)
{
	struct judgement *j = r->judgement;
	struct sass s;

	if (!r->elf)
		return;
	sass_check(r->plan, r->elf, r->elf_size, a, &s);
	r->code = s.status;
	r->code_detail = *s.detail ? s.detail : s.between;
	if (s.status == DOC_CODE_CHANGED && (j->verdict == VERDICT_PASS ||
	    j->verdict == VERDICT_FORBIDDEN)) {
		j->verdict = s.weak_only ||
		    has_tag(r->program, "may-merge") ?
		    VERDICT_NOT_RUN : VERDICT_COMPILER;
		j->message = arena_printf(a, "the machine code is not the "
		    "test: %s", log_summary(s.detail, a));
	}
}

static const struct {
	enum err_code code;
	enum verdict verdict;
} failures[] = {
	{ERR_HANG, VERDICT_HANG},
	{ERR_FAULT, VERDICT_FAULT},
	{ERR_DEVICE, VERDICT_COMPILER},
};

static void
fail(struct campaign *c, const struct err *err, struct judgement *j)
{
	enum verdict verdict = VERDICT_NOT_RUN;
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		if (failures[i].code == err->code)
			verdict = failures[i].verdict;
	judge_failure(c->program, c->outcomes, c->no_model, verdict,
	    arena_printf(c->arena, "%s%s", c->stage, err->message), j);
}

static void
succeed(struct campaign *c, struct result *r, struct judgement *j)
{
	size_t n = (size_t)c->search.count;
	struct tally *tally = arena_alloc(c->arena, sizeof(*tally));
	struct env_tally *envs = arena_alloc(c->arena, n * sizeof(*envs));

	make_tally(c, tally, envs);
	judge_test(c->program, c->outcomes, c->no_model, tally, c->twins,
	    c->ntwins, c->arena, j);
	r->tally = tally;
	r->envs = envs;
	r->nenvs = c->search.count;
	keep_code(c, r);
}

static bool
run_all(struct campaign *c, struct err *err)
{
	double left = 1;

	if (!run_twins(c, &left, err))
		return false;
	if (c->nbest == 0)
		return search_run(c, &c->search, c->envs, c->nenvs, left,
		    err);
	return search_run(c, &c->search, c->best, c->nbest, left, err);
}

bool
campaign_run(struct bench *b, const struct program *p,
    const struct effort *effort, struct arena *a, struct result *r)
{
	struct campaign c = {
		.bench = b, .program = p, .effort = effort, .arena = a,
		.envs = effort->envs, .nenvs = effort->nenvs, .stage = "",
		.deadline = wall_clock() + effort->seconds,
	};
	struct judgement *j = arena_alloc(a, sizeof(*j));
	struct err err = {0};
	bool ok;

	if (c.nenvs == 0)
		c.envs = envs_for(p, b, a, &c.nenvs);
	c.best = arena_alloc(a, (size_t)c.nenvs * sizeof(*c.best));
	memset(r, 0, sizeof(*r));
	ask_model(&c, effort->model);
	search_open(&c.search, b, effort, p, c.nenvs, a);
	ok = run_all(&c, &err);
	if (ok)
		succeed(&c, r, j);
	else
		fail(&c, &err, j);
	if (ok || usable(&err))
		search_close(&c.search);
	r->program = p;
	r->judgement = j;
	r->twins = arena_grow(a, c.twins, sizeof(c.twins), sizeof(c.twins));
	r->ntwins = c.ntwins;
	r->assembler = bench_assembler(b, a);
	r->model = effort->model;
	result_explain(r, c.outcomes, c.search.targets);
	return ok || usable(&err);
}

void
campaign_lost(const struct program *p, enum model_version model,
    enum verdict verdict, const char *message, struct arena *a,
    struct result *r)
{
	struct campaign c = {.program = p, .arena = a};
	struct judgement *j = arena_alloc(a, sizeof(*j));

	ask_model(&c, model);
	judge_failure(p, c.outcomes, c.no_model, verdict, message, j);
	memset(r, 0, sizeof(*r));
	r->program = p;
	r->judgement = j;
}
