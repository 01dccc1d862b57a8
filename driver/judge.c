#include "driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double
bound95(uint64_t n)
{
	return n ? -expm1(log(0.05) / (double)n) : 1.0;
}

double
reproducibility(uint64_t hits)
{
	return -expm1(-(double)hits);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double
ks_distance(double *x, int nx, double *y, int ny)
{
	double most = 0;
	int i = 0, j = 0;

	qsort(x, (size_t)nx, sizeof(*x), by_value);
	qsort(y, (size_t)ny, sizeof(*y), by_value);
	while (i < nx && j < ny) {
		double at = x[i] < y[j] ? x[i] : y[j], gap;

		while (i < nx && x[i] <= at)
			i++;
		while (j < ny && y[j] <= at)
			j++;
		gap = fabs((double)i / nx - (double)j / ny);
		if (gap > most)
			most = gap;
	}
	return most;
}

#define DRIFT_LEAST 5 /* rates in a fifth, for the distance to mean much */

double
rates_drift(const double *rates, int n, struct arena *a)
{
	int fifth = n / 5;
	size_t size = (size_t)fifth * sizeof(*rates);
	double *first, *last;

	if (fifth < DRIFT_LEAST)
		return -1;
	first = arena_alloc(a, size);
	last = arena_alloc(a, size);
	memcpy(first, rates, size);
	memcpy(last, rates + n - fifth, size);
	return ks_distance(first, fifth, last, fifth);
}

/* A silent batch has no logarithm: then the spread is not measured. */
double
rates_dispersion(const double *rates, int n)
{
	double sum = 0, squares = 0, variance;
	int i;

	for (i = 0; i < n; i++) {
		if (rates[i] <= 0)
			return -1;
		sum += log(rates[i]);
		squares += log(rates[i]) * log(rates[i]);
	}
	if (n < 2)
		return -1;
	variance = (squares - sum * sum / n) / (n - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

/* A .litmus filter takes executions out of the question. */
static bool
filtered_out(const struct program *p, const uint64_t *values)
{
	return p->filter && !cond_eval(p->filter, values);
}

static struct state
classify(const struct program *p, const struct outcomes *outcomes,
    uint32_t code, uint64_t count)
{
	struct state s = {code, count, ROW_UNJUDGED, false};
	const struct outcome *o;
	uint64_t values[SLOTS_MAX];

	outcome_values(p, code, values);
	if (filtered_out(p, values))
		return s;
	s.target = program_is_target(p, values);
	if (!outcomes || outcomes->status != MODEL_OK)
		return s;
	o = outcomes_find(outcomes, code);
	s.class = !o ? ROW_FORBIDDEN : o->sc ? ROW_SC : ROW_WEAK;
	return s;
}

static void
list_states(const struct program *p, const struct outcomes *outcomes,
    const struct tally *tally, struct arena *a, struct judgement *j)
{
	uint32_t code, n = 0;

	for (code = 0; code < p->noutcomes; code++)
		n += tally->bins[code] > 0;
	j->seen = arena_alloc(a, n * sizeof(*j->seen));
	j->unseen = arena_alloc(a,
	    (outcomes ? outcomes->count : 0) * sizeof(*j->unseen));
	for (code = 0; code < p->noutcomes; code++) {
		uint64_t count = tally->bins[code];

		if (count)
			j->seen[j->nseen++] =
			    classify(p, outcomes, code, count);
	}
	if (!outcomes || outcomes->status != MODEL_OK)
		return;
	for (n = 0; n < outcomes->count; n++)
		if (!tally->bins[outcomes->list[n].code])
			j->unseen[j->nunseen++] = classify(p, outcomes,
			    outcomes->list[n].code, 0);
}

static void
count_hits(struct judgement *j)
{
	uint32_t i;

	for (i = 0; i < j->nseen; i++) {
		const struct state *s = &j->seen[i];

		if (s->target)
			j->target_hits += s->count;
		if (s->class == ROW_WEAK)
			j->weak_hits += s->count;
		if (s->class == ROW_FORBIDDEN)
			j->forbidden_hits += s->count;
	}
}

static void
judge_answer(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, struct arena *a, struct judgement *j)
{
	j->answer = outcomes ? model_answer(p, outcomes) : ANSWER_NONE;
	if (j->answer == ANSWER_NONE)
		j->reason = outcomes && outcomes->reason ? outcomes->reason :
		    no_model;
	else
		j->note = outcomes_note(outcomes, a);
}

static bool
expectation_wrong(const struct program *p, const struct judgement *j)
{
	return (p->expect == EXPECT_ALLOWED &&
	    j->answer == ANSWER_FORBIDDEN) ||
	    (p->expect == EXPECT_FORBIDDEN && j->answer == ANSWER_ALLOWED);
}

static uint64_t
counted(const struct program *p, const struct tally *tally)
{
	uint64_t sum = tally->other + tally->hang;
	uint32_t i;

	for (i = 0; i < p->noutcomes; i++)
		sum += tally->bins[i];
	return sum;
}

/* May a loop of the test run for ever, as far as the model can say? */
static bool
may_hang(const struct outcomes *outcomes)
{
	return !outcomes || outcomes->status != MODEL_OK || outcomes->hang;
}

static void
judge_verdict(const struct program *p, const struct outcomes *outcomes,
    const struct tally *tally, struct arena *a, struct judgement *j)
{
	uint64_t sum = counted(p, tally);

	j->message = "";
	if (sum != tally->instances) {
		j->verdict = VERDICT_CORRUPT;
		j->message = arena_printf(a, "the bins add up to %" PRIu64
		    ", but %" PRIu64 " instance%s ran", sum,
		    tally->instances, plural(tally->instances));
	} else if (tally->other) {
		j->verdict = VERDICT_CORRUPT;
		j->message = arena_printf(a, "%" PRIu64 " instance%s held a "
		    "value that no store of the test writes", tally->other,
		    plural(tally->other));
	} else if (j->forbidden_hits) {
		j->verdict = VERDICT_FORBIDDEN;
		j->message = arena_printf(a, "the model forbids what %" PRIu64
		    " instance%s showed", j->forbidden_hits,
		    plural(j->forbidden_hits));
	} else if (j->answer == ANSWER_NONE && j->target_hits &&
	    p->expect == EXPECT_FORBIDDEN) {
		j->verdict = VERDICT_FORBIDDEN;
		j->message = arena_printf(a, "the test expects none of what "
		    "%" PRIu64 " instance%s showed", j->target_hits,
		    plural(j->target_hits));
	} else if (tally->hang && !may_hang(outcomes)) {
		j->verdict = VERDICT_HANG;
		j->message = arena_printf(a, "a loop of %" PRIu64
		    " instance%s ran out of turns", tally->hang,
		    plural(tally->hang));
	} else if (expectation_wrong(p, j)) {
		j->verdict = VERDICT_EXPECTATION;
		j->message = arena_printf(a, "the test expects %s, the model "
		    "says %s", expect_name(p->expect),
		    j->answer == ANSWER_ALLOWED ? "allowed" : "forbidden");
	} else {
		j->verdict = VERDICT_PASS;
	}
}

static enum doc_strength
judge_strength(const struct tally *tally, const struct twin_tally *twins,
    int ntwins, const struct judgement *j)
{
	uint64_t hits = 0;
	int i;

	if (!tally->instances)
		return DOC_STRENGTH_NONE;
	if (j->target_hits)
		return DOC_STRENGTH_SEEN;
	for (i = 0; i < ntwins; i++)
		hits += twins[i].hits;
	return ntwins && !hits ? DOC_STRENGTH_NO_EVIDENCE :
	    DOC_STRENGTH_BOUNDED;
}

void
judge_test(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, const struct tally *tally,
    const struct twin_tally *twins, int ntwins, struct arena *a,
    struct judgement *j)
{
	memset(j, 0, sizeof(*j));
	judge_answer(p, outcomes, no_model, a, j);
	list_states(p, outcomes, tally, a, j);
	count_hits(j);
	judge_verdict(p, outcomes, tally, a, j);
	j->rate = tally->seconds > 0 ?
	    (double)j->target_hits / tally->seconds : 0;
	j->bound95 = j->target_hits || !tally->instances ? -1 :
	    bound95(tally->instances);
	j->strength = judge_strength(tally, twins, ntwins, j);
}

void
judge_failure(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, enum verdict verdict, const char *message,
    struct arena *a, struct judgement *j)
{
	memset(j, 0, sizeof(*j));
	judge_answer(p, outcomes, no_model, a, j);
	j->verdict = verdict;
	j->message = message;
	j->bound95 = -1;
	j->strength = DOC_STRENGTH_NONE;
}

/* Of a test's outcomes the one that people will ask about: a forbidden one
   that showed, else one the test is about, rather one that showed. */
void
result_explain(struct result *r, const struct outcomes *outcomes,
    const bool *targets)
{
	const struct judgement *j = r->judgement;
	uint32_t i;

	if (!outcomes || outcomes->status != MODEL_OK)
		return;
	for (i = 0; i < j->nseen; i++) {
		const struct state *s = &j->seen[i];
		bool forbidden = s->class == ROW_FORBIDDEN;

		if (!forbidden && !(s->target && !r->explain))
			continue;
		r->explain = true;
		r->explained = s->code;
		if (forbidden)
			break;
	}
	for (i = 0; i < r->program->noutcomes && !r->explain; i++) {
		r->explain = targets[i];
		r->explained = i;
	}
	r->explain_allowed = r->explain &&
	    outcomes_find(outcomes, r->explained);
}
