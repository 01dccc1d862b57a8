/*
 * The doors to the model: a program in, its outcomes out.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#define WORK_A_CANDIDATE 4

static const char *const version_names[] = {
	[MODEL_PTX60] = "ptx-6.0", [MODEL_PTX75] = "ptx-7.5",
	[MODEL_PTX] = "ptx",
};

/*
 * The readings: fence.sc is a release and acquire fence in every version
 * (spec 2.9, row 6); red cannot acquire since the text of PTX 8.6 (row 7);
 * program order is in base causality since 7.5 (row 1).
 */
void
model_defaults(struct model_opts *opts, enum model_version version)
{
	*opts = (struct model_opts){
		.version = version,
		.fence_sc_in_patterns = true,
		.red_acquires = version != MODEL_PTX,
		.po_in_base = version != MODEL_PTX60,
		.unroll = 1,
		.unroll_most = UNROLL_MAX,
		.max_candidates = 1000000,
	};
}

bool
model_version_parse(const char *s, enum model_version *version)
{
	enum model_version v;

	for (v = MODEL_PTX60; v <= MODEL_PTX; v++)
		if (strcmp(s, version_names[v]) == 0) {
			*version = v;
			return true;
		}
	return false;
}

const char *
model_version_name(enum model_version version)
{
	return version_names[version];
}

/* ---- one run ---------------------------------------------------------- */

static struct search *
start(const struct program *p, const struct model_opts *opts, struct arena *a)
{
	struct arena *own = arena_new();
	struct model *m = arena_alloc(own, sizeof(*m));
	struct search *s = arena_alloc(own, sizeof(*s));

	m->p = p;
	m->opts = opts;
	m->rules = rules_of(opts);
	m->arena = a;
	m->own = own;
	m->work = arena_new();
	m->work_max = WORK_A_CANDIDATE * opts->max_candidates;
	model_places(m);
	s->m = m;
	s->scratch = arena_new();
	s->g.m = m;
	return s;
}

static void
finish(struct search *s)
{
	arena_free(s->m->work);
	arena_free(s->scratch);
	arena_free(s->m->own);
}

/* Combinations of paths: how far too large it is. */
static double
estimate(const struct model *m)
{
	double product = 1;
	int t;

	for (t = 0; t < m->p->nthreads; t++)
		if (m->paths[t].count)
			product *= m->paths[t].count;
	return product;
}

static bool
too_large(const struct model *m, struct err *err)
{
	if (m->reason)
		return err_set(err, ERR_LIMIT, m->reason_loc,
		    "'%s' is too large for the model: %s", m->p->name,
		    m->reason);
	return err_set(err, ERR_LIMIT, m->reason_loc,
	    "'%s' is too large for the model: about %.1e combinations of "
	    "paths to examine, stopped after %llu candidate executions",
	    m->p->name, estimate(m),
	    (unsigned long long)(m->work_done / WORK_A_CANDIDATE));
}

/* One that does not end is looked for with a budget of its own; if it runs
   out, .hang stays false. */
static void
search_hangs(struct model *m, struct search *s)
{
	if (s->hang || m->stop != STOP_NOT || !m->bounded)
		return;
	m->work_max = m->work_done + m->work_max / 4;
	s->hanging = true;
	products_search(s);
	s->hanging = false;
	if (m->stop == STOP_LIMIT)
		m->stop = STOP_NOT;
}

static const struct execution *
witness_of(const struct search *s, uint32_t code)
{
	uint32_t i;

	for (i = 0; i < s->nwitnesses; i++)
		if (s->witness_code[i] == code)
			return s->witness[i];
	return NULL;
}

static void
hand_out(const struct search *s, struct outcomes *out)
{
	const struct model *m = s->m;
	uint32_t code;

	*out = (struct outcomes){
		.status = m->stop == STOP_NO_VERDICT ? MODEL_NO_VERDICT :
		    MODEL_OK,
		.hang = s->hang, .bounded = m->bounded,
		.analogy = m->analogy, .candidates = m->candidates,
		.undefined = m->undefined, .undefined_loc = m->undefined_loc,
	};
	if (out->status == MODEL_NO_VERDICT) {
		out->reason = m->reason;
		out->reason_loc = m->reason_loc;
		return;
	}
	if (m->lost && s->nallowed < m->p->noutcomes) {
		out->status = MODEL_NO_VERDICT;
		out->reason = "a loop takes more turns than are followed";
		out->reason_loc = m->lost_loc;
		return;
	}
	out->list = arena_alloc(m->arena,
	    s->nallowed * sizeof(*out->list));
	for (code = 0; code < m->p->noutcomes; code++) {
		if (!(s->allowed[code / 64] >> code % 64 & 1))
			continue;
		out->list[out->count++] = (struct outcome){
			.code = code,
			.sc = s->interleaved[code / 64] >> code % 64 & 1,
			.witness = witness_of(s, code),
		};
	}
}

static void
keep_room(struct search *s)
{
	if (!s->m->opts->witnesses)
		return;
	s->witness = arena_alloc(s->m->own,
	    WITNESSES_MAX * sizeof(*s->witness));
	s->witness_code = arena_alloc(s->m->own,
	    WITNESSES_MAX * sizeof(*s->witness_code));
}

bool
model_run(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct outcomes *out, struct err *err)
{
	struct search *s = start(p, opts, a);
	struct model *m = s->m;
	bool ok;

	if (coverage_check(m) && paths_make(m) && results_start(s)) {
		keep_room(s);
		s->scheduled = schedule_can(s);
		products_search(s);
		if (s->scheduled && m->stop == STOP_NOT)
			schedule_all(s);
		search_hangs(m, s);
	}
	ok = m->stop != STOP_LIMIT || too_large(m, err);
	if (ok)
		hand_out(s, out);
	finish(s);
	return ok;
}

/* `whole`: without leaving out values that a read can never return. */
static bool
show_candidates(struct search *s, bool whole, struct err *err)
{
	struct model *m = s->m;

	if (coverage_check(m)) {
		m->plain = m->plain && !whole;
		if (paths_make(m) && results_start(s))
			products_search(s);
	}
	if (m->stop == STOP_LIMIT)
		return too_large(m, err);
	return m->stop != STOP_NO_VERDICT || err_set(err, ERR_UNSUPPORTED,
	    m->reason_loc, "the model has no verdict on '%s': %s",
	    m->p->name, m->reason);
}

bool
model_candidates(const struct program *p, const struct model_opts *opts,
    uint32_t code, bool (*visit)(void *user, const struct execution *x,
    enum axiom broken), void *user, struct arena *a, struct err *err)
{
	bool ok = true, shown = false;
	int whole;

	for (whole = 0; ok && !shown && whole < 2; whole++) {
		struct search *s = start(p, opts, a);

		s->visit = visit;
		s->user = user;
		s->code = code;
		ok = show_candidates(s, whole, err);
		shown = s->m->candidates > 0;
		finish(s);
	}
	return ok;
}

/* ---- answers ---------------------------------------------------------- */

const struct outcome *
outcomes_find(const struct outcomes *out, uint32_t code)
{
	uint32_t low = 0, high = out->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (out->list[middle].code == code)
			return &out->list[middle];
		if (out->list[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *
outcomes_note(const struct outcomes *out, struct arena *a)
{
	static const char analogy[] = "by analogy, as to the async proxy";

	if (out->status != MODEL_OK || (!out->analogy && !out->undefined))
		return NULL;
	if (!out->undefined)
		return analogy;
	return arena_printf(a, "%s%sPTX leaves undefined what line %d may do",
	    out->analogy ? analogy : "", out->analogy ? "; " : "",
	    out->undefined_loc.line);
}

/* A filter leaves only the states that satisfy it (spec 3.3). */
static bool
target_allowed(const struct program *p, const struct outcomes *out)
{
	uint64_t values[SLOTS_MAX];
	uint32_t i;

	for (i = 0; i < out->count; i++) {
		outcome_values(p, out->list[i].code, values);
		if (p->filter && !cond_eval(p->filter, values))
			continue;
		if (program_is_target(p, values))
			return true;
	}
	return false;
}

enum answer
model_answer(const struct program *p, const struct outcomes *out)
{
	if (out->status != MODEL_OK)
		return ANSWER_NONE;
	return target_allowed(p, out) ? ANSWER_ALLOWED : ANSWER_FORBIDDEN;
}

bool
model_statement(const struct program *p, const struct outcomes *out)
{
	return target_allowed(p, out) == (p->quant == QUANT_EXISTS);
}
