/*
 * One test on one device, and with a forbidden test its broken twins in the
 * same environments: how often they show there is the evidence that a
 * silence means something. campaign_run.c says what runs when.
 */
#include "campaign.h"

#include <math.h>
#include <string.h>

#define RUN_LEAST 0.008 /* seconds of a trial that is worth its start */
#define SIM_LEAST 0.003 /* the same where a launch starts nothing */
#define ENVS_LEAST 3 /* rather fewer twins than fewer environments */

/* ---- what is to run ---------------------------------------------------- */

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

/* All are as near: those go first whose like has shown, in the order of the
   model where nothing is known. */
static void
choose_twins(struct campaign *c, struct weakenings *w)
{
	const struct choices *known = c->bench->choices;
	int i, j;

	for (i = 1; i < w->ntwins; i++) {
		struct weakening x = w->twins[i];
		double score = choices_twin_score(known, x.what);

		for (j = i; j > 0 && choices_twin_score(known,
		    w->twins[j - 1].what) < score; j--)
			w->twins[j] = w->twins[j - 1];
		w->twins[j] = x;
	}
}

static void
find_twins(struct campaign *c, struct weakenings *w)
{
	struct err ignored;

	if (!c->effort.twins || !model_forbids(c) ||
	    !model_twins(c->program, &c->opts, c->arena, w, &ignored))
		w->ntwins = 0;
	choose_twins(c, w);
	if (w->ntwins > TWINS_MAX)
		w->ntwins = TWINS_MAX;
}

/* Some environments ask for what the test does not permit: without that
   they may be the same as another, which has run then. */
static bool
is_new(struct campaign *c, const struct env *e, struct env *known, int n)
{
	struct arena *scratch = arena_new();
	struct plan *plan = arena_alloc(scratch, sizeof(*plan));
	struct err err;
	int i;

	known[n] = *e;
	if (plan_make(c->program, e, &c->bench->info.caps, scratch, plan,
	    &err))
		known[n] = plan->env;
	arena_free(scratch);
	for (i = 0; i < n && !envs_equal(&known[i], &known[n]); i++)
		;
	return i == n;
}

static void
choose_envs(struct campaign *c)
{
	const struct env *const *all = c->effort.envs;
	const struct env **list;
	struct env *known;
	int n = c->effort.nenvs, i;

	if (n == 0)
		all = envs_for(c->program, c->bench, c->arena, &n);
	list = arena_alloc(c->arena, (size_t)n * sizeof(*list));
	known = arena_alloc(c->arena, (size_t)n * sizeof(*known));
	for (i = 0; i < n; i++)
		if (is_new(c, all[i], known, c->nenvs))
			list[c->nenvs++] = all[i];
	c->envs = list;
}

/* What a short time has room for. Kernels are made while others run, but
   not faster than they can be made. */
static void
fit(struct campaign *c, double seconds, int *ntwins)
{
	double load = loader_seconds(c->bench->loader);
	double least = c->bench->info.caps.sim ? SIM_LEAST : RUN_LEAST;
	double each = loader_threads(c->bench->loader) ? fmax(least, load) :
	    least + load;
	int room = (int)fmin(seconds / each, 1e6);
	int wanted = c->nenvs < ENVS_LEAST ? c->nenvs : ENVS_LEAST;

	if (c->effort.instances)
		return;
	while (*ntwins > 1 && room / (1 + *ntwins) < wanted)
		--*ntwins;
	room /= 1 + *ntwins;
	if (c->nenvs > room)
		c->nenvs = room > 1 ? room : 1;
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

static bool
open_twins(struct campaign *c, const struct weakenings *w, struct err *err)
{
	int i;

	c->twin_effort = c->effort;
	c->twin_effort.alive = twin_alive;
	c->twin_effort.user = &c->effort;
	for (i = 0; i < w->ntwins; i++) {
		struct twin *t = &c->twins[c->ntwins++];

		t->weakening = &w->twins[i];
		c->stage = campaign_stage(c, t);
		if (!search_open(&t->search, c->bench, &c->twin_effort,
		    w->twins[i].program, c->envs, c->nenvs, c->arena, err))
			return false;
	}
	c->stage = "";
	return true;
}

const char *
campaign_stage(const struct campaign *c, const struct twin *t)
{
	return arena_printf(c->arena, "its twin (%s): ", t->weakening->what);
}

struct campaign *
campaign_prepare(struct bench *b, const struct program *p,
    const struct effort *effort, double seconds, struct arena *a)
{
	struct campaign *c = arena_alloc(a, sizeof(*c));
	struct weakenings w = {0};

	c->bench = b;
	c->program = p;
	c->effort = *effort;
	c->arena = a;
	c->stage = "";
	ask_model(c, effort->model);
	find_twins(c, &w);
	choose_envs(c);
	fit(c, seconds, &w.ntwins);
	c->prepared = search_open(&c->test, b, &c->effort, p, c->envs,
	    c->nenvs, a, &c->err) && open_twins(c, &w, &c->err);
	return c;
}

/* ---- what came of it --------------------------------------------------- */

static struct env_tally *
tally_envs(const struct search *s, struct arena *a)
{
	struct env_tally *list = arena_alloc(a,
	    (size_t)s->count * sizeof(*list));
	int i;

	for (i = 0; i < s->count; i++) {
		const struct trial *t = &s->trials[s->order[i]];

		list[i] = (struct env_tally){
			.env = s->envs[s->order[i]],
			.instances = trial_instances(t), .hits = t->hits,
			.launches = t->launched, .seconds = t->seconds,
		};
	}
	return list;
}

static struct tally *
make_tally(struct campaign *c)
{
	struct tally *t = arena_alloc(c->arena, sizeof(*t));
	const struct search *s = &c->test;
	uint32_t n = c->program->noutcomes, code;
	int i;

	t->bins = arena_alloc(c->arena, n * sizeof(*t->bins));
	t->seed = c->effort.seed;
	t->drift = rates_drift(s->rates, s->nrates, c->arena);
	t->dispersion = rates_dispersion(s->rates, s->nrates);
	for (i = 0; i < s->count; i++) {
		const struct trial *trial = &s->trials[s->order[i]];

		for (code = 0; code < n; code++)
			t->bins[code] += trial->bins[code];
		t->other += trial->bins[n];
		t->hang += trial->bins[n + 1];
		t->instances += trial_instances(trial);
		t->launches += trial->launched;
		t->seconds += trial->seconds;
	}
	return t;
}

static struct twin_tally *
tally_twins(struct campaign *c)
{
	struct twin_tally *list = arena_alloc(c->arena,
	    (size_t)c->ntwins * sizeof(*list));
	int i, j;

	for (i = 0; i < c->ntwins; i++) {
		const struct search *s = &c->twins[i].search;
		double seconds = 0;

		list[i].name = s->program->name;
		list[i].what = c->twins[i].weakening->what;
		list[i].envs = tally_envs(s, c->arena);
		list[i].nenvs = s->count;
		for (j = 0; j < s->count; j++) {
			list[i].instances += list[i].envs[j].instances;
			list[i].hits += list[i].envs[j].hits;
			seconds += list[i].envs[j].seconds;
		}
		list[i].rate = seconds > 0 ?
		    (double)list[i].hits / seconds : 0;
	}
	return list;
}

static bool
keep_code(struct campaign *c, int index, struct code *code)
{
	struct trial *t = &c->test.trials[index];
	struct bench *b = c->bench;
	struct err err;
	const void *elf;
	size_t size;

	if (!b->ops->code(b->device, t->module, c->arena, &elf, &size, &err))
		return false;
	*code = (struct code){
		.plan = arena_grow(c->arena, &t->plan, sizeof(t->plan),
		    sizeof(t->plan)),
		.elf = arena_strndup(c->arena, elf, size), .size = size,
		.env = c->envs[index]->name,
	};
	return true;
}

/* Keeps the machine code of the environment that was used most, or of all
   of them, that one first. */
static void
keep_codes(struct campaign *c, struct result *r)
{
	const struct search *s = &c->test;
	struct code *list = arena_alloc(c->arena,
	    (size_t)s->count * sizeof(*list));
	int i, most = s->order[0];

	for (i = 1; i < s->count; i++)
		if (trial_instances(&s->trials[s->order[i]]) >
		    trial_instances(&s->trials[most]))
			most = s->order[i];
	r->code = DOC_CODE_UNCHECKED;
	r->codes = list;
	r->ncodes = keep_code(c, most, list);
	for (i = 0; i < s->count && c->effort.every_code && r->ncodes; i++)
		if (s->order[i] != most)
			r->ncodes += keep_code(c, s->order[i],
			    &list[r->ncodes]);
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
	struct sass s = {0};
	int i;

	/* in the order of use, up to one that is not the test */
	for (i = 0; i < r->ncodes && s.status != DOC_CODE_CHANGED; i++) {
		const struct code *c = &r->codes[i];

		sass_check(c->plan, c->elf, c->size, a, &s);
		if (i && s.status == DOC_CODE_CHECKED)
			continue;
		r->code = s.status;
		r->code_detail = *s.detail ? s.detail : s.between;
		if (i)
			r->code_detail = arena_printf(a, "in %s: %s", c->env,
			    s.detail);
	}
	if (r->ncodes && s.status == DOC_CODE_CHANGED &&
	    (j->verdict == VERDICT_PASS || j->verdict == VERDICT_FORBIDDEN)) {
		j->verdict = s.weak_only ||
		    has_tag(r->program, "may-merge") ?
		    VERDICT_NOT_RUN : VERDICT_COMPILER;
		j->message = arena_printf(a, "the machine code is not the "
		    "test: %s", log_summary(r->code_detail, a));
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
	    arena_printf(c->arena, "%s%s", c->stage, err->message), c->arena,
	    j);
}

static void
succeed(struct campaign *c, struct result *r)
{
	const struct tally *tally = make_tally(c);

	judge_test(c->program, c->outcomes, c->no_model, tally, r->twins,
	    r->ntwins, c->arena, r->judgement);
	r->tally = tally;
	r->envs = tally_envs(&c->test, c->arena);
	r->nenvs = c->test.count;
	keep_codes(c, r);
}

/* The loader has trials until they are ended, whatever the device does;
   the modules of a lost device are lost with it. */
void
campaign_drop(struct campaign *c)
{
	int i;

	search_close(&c->test, c->nenvs);
	for (i = 0; i < c->ntwins; i++)
		search_close(&c->twins[i].search, c->nenvs);
}

static void
remember_envs(const struct campaign *c, const struct search *s)
{
	int i;

	for (i = 0; i < s->count; i++)
		choices_note(c->bench->choices, c->program,
		    s->envs[s->order[i]], s->trials[s->order[i]].hits > 0);
}

/* What showed where, for the tests to come: where there are twins it is
   they that tell. Of instances, what is run depends on the seed alone. */
static void
remember(const struct campaign *c)
{
	int i;

	if (c->effort.instances)
		return;
	if (c->ntwins == 0)
		remember_envs(c, &c->test);
	for (i = 0; i < c->ntwins; i++) {
		const struct twin *t = &c->twins[i];

		choices_note_twin(c->bench->choices, t->weakening->what,
		    campaign_twin_hits(t) > 0);
		remember_envs(c, &t->search);
	}
}

/* After a hang or a fault the device answers no more, or never. */
static bool
usable(const struct err *err)
{
	return err->code != ERR_HANG && err->code != ERR_FAULT &&
	    err->code != ERR_DEVICE;
}

bool
campaign_run(struct campaign *c, double seconds, struct result *r)
{
	struct err err = c->err;
	bool ok = c->prepared && campaign_work(c, seconds, &err);

	memset(r, 0, sizeof(*r));
	r->program = c->program;
	r->judgement = arena_alloc(c->arena, sizeof(*r->judgement));
	r->twins = tally_twins(c);
	r->ntwins = c->ntwins;
	r->assembler = bench_assembler(c->bench, c->arena);
	r->model = c->effort.model;
	if (ok) {
		remember(c);
		succeed(c, r);
	} else {
		fail(c, &err, r->judgement);
	}
	result_explain(r, c->outcomes, c->test.targets);
	if (ok || usable(&err))
		campaign_drop(c);
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
	judge_failure(p, c.outcomes, c.no_model, verdict, message, a, j);
	memset(r, 0, sizeof(*r));
	r->program = p;
	r->judgement = j;
}
