/*
 * Weakenings: which annotations of a forbidden test can be weaker, and by
 * how little it takes to lose it.
 *
 * Each annotated instruction is a site with a small lattice of states, from
 * what is written down to nothing; a combination of states is a program.
 * Weaker annotations never forbid more: fewer pairs are morally strong,
 * fewer edges synchronize, and every axiom only asks for less. So the
 * combinations that still forbid are closed upwards, and what is known of
 * one decides many others without another run of the model.
 */
#include "weaken.h"

#include <string.h>

#define RUNS_MAX 3000 /* of the model, and the candidates of all of them */
#define CANDIDATES_MAX 2000000
#define TWINS_MAX 32
#define TWIN_FRONT_MAX 256

/* ---- points ----------------------------------------------------------- */

static int
point_edits(const struct weaken *w, const struct point *x,
    struct edit *edits)
{
	int i, j, n = 0;

	for (i = 0; i < w->nsites; i++) {
		const struct site *s = &w->sites[i];
		const struct state *st = &s->states[x->at[i]];

		for (j = 0; x->at[i] && j < s->nmembers; j++)
			edits[n++] = (struct edit){
				st->removed ? EDIT_REMOVE : EDIT_REPLACE,
				s->members[j].thread, s->members[j].insn,
				st->insn};
	}
	return n;
}

static int
edits_count(const struct weaken *w)
{
	int i, n = 0;

	for (i = 0; i < w->nsites; i++)
		n += w->sites[i].nmembers;
	return n;
}

/* Is a weaker than, or the same as, b? */
static bool
weaker(const struct weaken *w, const struct point *a, const struct point *b)
{
	int i;

	for (i = 0; i < w->nsites; i++)
		if (!(w->sites[i].states[b->at[i]].below >> a->at[i] & 1))
			return false;
	return true;
}

static void
remember(struct point *list, int *count, const struct point *x)
{
	if (*count < KNOWN_MAX)
		list[(*count)++] = *x;
}

/* Does the model still forbid it? *known: the budget has sufficed. */
bool
weaken_forbids(struct weaken *w, const struct point *x, bool *known)
{
	struct edit *edits;
	struct outcomes out = {0};
	struct err err;
	enum answer answer = ANSWER_NONE;
	int i;

	*known = true;
	for (i = 0; i < w->nsound; i++)
		if (weaker(w, &w->sound[i], x))
			return true;
	for (i = 0; i < w->nunsound; i++)
		if (weaker(w, x, &w->unsound[i]))
			return false;
	if (w->runs >= RUNS_MAX || w->candidates > CANDIDATES_MAX) {
		*known = false;
		return false;
	}
	arena_reset(w->scratch);
	edits = arena_alloc(w->scratch, (size_t)edits_count(w) *
	    sizeof(*edits));
	i = point_edits(w, x, edits);
	w->runs++;
	if (model_run(edit_program(w->p, edits, i, w->scratch), &w->opts,
	    w->scratch, &out, &err))
		answer = model_answer(w->p, &out);
	w->candidates += out.candidates;
	if (answer == ANSWER_FORBIDDEN)
		remember(w->sound, &w->nsound, x);
	else
		remember(w->unsound, &w->nunsound, x);
	return answer == ANSWER_FORBIDDEN;
}

void
weaken_report(const struct weaken *w, const struct point *x, int steps,
    struct weakening **list, int *count, int max)
{
	struct edit *edits = arena_alloc(w->arena, (size_t)edits_count(w) *
	    sizeof(*edits));
	int n = point_edits(w, x, edits);
	struct program *q;

	if (!n || *count == max)
		return;
	q = edit_program(w->p, edits, n, w->arena);
	if (!edit_finish(q, w->arena))
		return;
	if (!*list)
		*list = arena_alloc(w->arena, (size_t)max * sizeof(**list));
	(*list)[(*count)++] = (struct weakening){q,
		edit_describe(w->p, edits, n, w->arena), steps};
}

static int
lowest(const struct site *s)
{
	int i;

	for (i = s->nstates - 1; i > 0 && s->states[i].next; i--)
		;
	return i;
}

static int
depth(const struct site *s, int state)
{
	int i, d, best = state ? STATES_MAX : 0;

	for (i = 0; i < s->nstates && state; i++)
		if (s->states[i].next >> state & 1 && i != state) {
			d = depth(s, i) + 1;
			best = d < best ? d : best;
		}
	return best;
}

int
weaken_steps(const struct weaken *w, const struct point *x)
{
	int i, n = 0;

	for (i = 0; i < w->nsites; i++)
		n += depth(&w->sites[i], x->at[i]);
	return n;
}

/* ---- twins ------------------------------------------------------------ */

/* As strong as can be while the outcome stays allowed: every further step
   would forbid it. States stand in the order of their depth. */
void
weaken_climb(struct weaken *w, struct point *x)
{
	bool known;
	int i, j;

	for (i = 0; i < w->nsites; i++)
		for (j = 0; j < x->at[i]; j++) {
			struct point y = *x;

			y.at[i] = (uint8_t)j;
			if (!(w->sites[i].states[j].below >> x->at[i] & 1) ||
			    weaken_forbids(w, &y, &known) || !known)
				continue;
			*x = y;
			break;
		}
}

static bool
bottom_allows(struct weaken *w, struct point *x)
{
	bool known;
	int i;

	for (i = 0; i < w->nsites; i++)
		x->at[i] = (uint8_t)lowest(&w->sites[i]);
	return !weaken_forbids(w, x, &known) && known;
}

/* One more step at each site: those that allow are reported, the others go
   into `next`. */
static int
widen(struct weaken *w, const struct point *x, struct point *next, int n,
    int steps, struct weakenings *out)
{
	bool known;
	int i, j;

	for (i = 0; i < w->nsites; i++) {
		uint32_t rest = w->sites[i].states[x->at[i]].next;

		for (; rest; rest &= rest - 1) {
			struct point y = *x;

			y.at[i] = (uint8_t)__builtin_ctz(rest);
			for (j = 0; j < n && memcmp(&next[j], &y, sizeof(y));
			    j++)
				;
			if (j < n)
				continue;
			if (!weaken_forbids(w, &y, &known) && known)
				weaken_report(w, &y, steps, &out->twins,
				    &out->ntwins, TWINS_MAX);
			/* seen, whichever it is: an allowed one ends this */
			if (n < TWIN_FRONT_MAX)
				next[n++] = y;
		}
	}
	return n;
}

static void
find_twins(struct weaken *w, struct weakenings *out)
{
	struct point *front, *next, *swap, low;
	int n = 1, m, i, steps;

	memset(&low, 0, sizeof(low));
	/* else the shape alone forbids it */
	if (!bottom_allows(w, &low))
		return;
	front = arena_alloc(w->arena, TWIN_FRONT_MAX * sizeof(*front));
	next = arena_alloc(w->arena, TWIN_FRONT_MAX * sizeof(*next));
	for (steps = 1; n && steps < 8 && !out->ntwins; steps++) {
		for (i = 0, m = 0; i < n; i++)
			m = widen(w, &front[i], next, m, steps, out);
		swap = front, front = next, next = swap;
		n = m;
		if (n == TWIN_FRONT_MAX)
			break;
	}
	if (!out->ntwins) {
		weaken_climb(w, &low);
		weaken_report(w, &low, weaken_steps(w, &low), &out->twins,
		    &out->ntwins, TWINS_MAX);
	}
}

/* ---- the answer ------------------------------------------------------- */

static bool
weaken(const struct program *p, const struct model_opts *opts, bool sound,
    struct arena *a, struct weakenings *out, struct err *err)
{
	struct weaken *w = arena_alloc(a, sizeof(*w));
	struct outcomes base;
	enum answer answer;

	w->p = p;
	w->opts = *opts;
	w->opts.witnesses = false;
	w->arena = a;
	if (!model_run(p, &w->opts, a, &base, err))
		return false;
	answer = model_answer(p, &base);
	*out = (struct weakenings){.complete = true};
	if (answer == ANSWER_NONE)
		return err_set(err, ERR_UNSUPPORTED, base.reason_loc,
		    "the model has no verdict: %s", base.reason ?
		    base.reason : "it asks about nothing");
	if (answer == ANSWER_ALLOWED)
		return true;
	w->sites = arena_alloc(a, SITES_MAX * sizeof(*w->sites));
	w->nsites = sites_find(p, w->sites);
	w->scratch = arena_new();
	find_twins(w, out);
	if (sound)
		weaken_sound(w, out);
	out->runs = w->runs;
	arena_free(w->scratch);
	return true;
}

bool
model_weaken(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct weakenings *w, struct err *err)
{
	return weaken(p, opts, true, a, w, err);
}

bool
model_twins(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct weakenings *w, struct err *err)
{
	return weaken(p, opts, false, a, w, err);
}
