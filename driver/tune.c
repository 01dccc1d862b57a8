/*
 * Looking for the environments that show most: for each kind of test
 * (shape and placement) drawn ones, and crosses of the best so far, each
 * given more time as long as its rate may still be the best.
 */
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GENERATION 12 /* environments tried side by side */
#define FIRST_LOOK 0.02 /* seconds of device time */
#define CROSS_PERCENT 25 /* of the fields, from the other parent */
#define FRESH_PERCENT 40 /* of a generation: drawn, not crossed */

const char *
placement_kind(const struct program *p)
{
	bool ctas = false, clusters = false, warps = false;
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < i; j++) {
			const struct thread *a = &p->threads[i];
			const struct thread *b = &p->threads[j];

			ctas |= a->cta != b->cta;
			clusters |= a->cluster != b->cluster;
			warps |= a->warp == WARP_ANY || a->warp != b->warp;
		}
	return clusters ? "ctas" : ctas ? "cluster" : warps ? "cta" : "warp";
}

/* "MP.ctas", and with shared memory "MP.cta.shared": what environments are
   chosen by. Names of environments have no other characters. */
const char *
test_kind_name(const struct program *p, struct arena *a)
{
	char *s = arena_printf(a, "%s.%s", p->family, placement_kind(p));
	bool shared = false;
	char *c;
	int i;

	for (i = 0; i < p->nvars; i++)
		shared |= p->vars[i].space == SPACE_SHARED;
	for (c = s; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
		    "vwxyz0123456789_.+-", *c))
			*c = '_';
	return shared ? arena_printf(a, "%s.shared", s) : s;
}

/* Bounds of a Poisson count's rate, about 95 % (by the square root, which
   makes its spread even). */
static double
rate_bound(const struct candidate *c, double z)
{
	double root = sqrt((double)c->hits + 0.375) + z / 2;

	return root <= 0 || c->seconds <= 0 ? 0 :
	    (root * root - 0.375) / c->seconds;
}

double
candidate_low(const struct candidate *c)
{
	return fmax(rate_bound(c, -1.96), 0);
}

static double
candidate_high(const struct candidate *c)
{
	return rate_bound(c, 1.96);
}

static int
by_rate(const void *a, const void *b)
{
	double x = candidate_low(a), y = candidate_low(b);

	return x > y ? -1 : x < y;
}

/* Each field from one of the two. */
static void
cross(const struct env *a, const struct env *b, struct draw *d,
    struct env *e)
{
	*e = *a;
#define ENV(type, field, low, high, fallback, names, help)                     \
	if (draw_below(d, 100) < CROSS_PERCENT)                                \
		e->field = b->field;
#include "../gen/env.def"
#undef ENV
}

static void
next_env(struct tune *t, int index, struct env *e)
{
	struct err err;
	int parents = t->nbest;
	struct env fresh;
	int built = t->tried + index - (t->hint != NULL);

	if (built < t->nbuiltin) {
		*e = built < 0 ? *t->hint : *t->builtin[built];
		return;
	}
	env_draw(t->program, &t->bench->info.caps, &t->draw, &fresh);
	*e = fresh;
	if (parents && draw_below(&t->draw, 100) >= FRESH_PERCENT)
		cross(&t->best[draw_below(&t->draw, (uint32_t)parents)].env,
		    &fresh, &t->draw, e);
	if (!env_check(e, &err))
		*e = fresh;
}

/* Adds so much device time to the candidate. */
static bool
look(struct tune *t, struct candidate *c, double seconds, struct err *err)
{
	struct trial *r = &c->trial;
	double until = c->seconds + seconds;

	if (!trial_start(r, err))
		return false;
	while (c->seconds < until && !signals_came()) {
		double each = r->launch_seconds, left = until - c->seconds;
		double want = each > 0 ? fmin(fmax(left / each, 1), 64) : 1;
		uint64_t repeat = t->bench->info.caps.sim ? 1 :
		    (uint64_t)fmin(fmax(left / (fmax(each, 1e-7) * want), 1),
		    100);

		if (!trial_run(r, (uint64_t)want, each > 0 ? repeat : 1,
		    err))
			return false;
		c->hits = r->hits;
		c->seconds = r->seconds;
		c->instances = trial_instances(r);
	}
	return true;
}

/* The next generation, loaded side by side; returns how many there are, or
   -1. Those that cannot be had here are left out. */
static int
make_candidates(struct tune *t, struct candidate *list, struct err *err)
{
	struct loader *l = t->bench->loader;
	struct candidate *made[GENERATION];
	int i, n = 0, kept = 0;

	for (i = 0; i < GENERATION; i++) {
		struct candidate *c = arena_alloc(t->scratch, sizeof(*c));

		next_env(t, i, &c->env);
		if (!trial_plan(t->bench, t->program, &c->env, t->targets,
		    t->seed, SABOTAGE_NONE, t->scratch, &c->trial, err))
			continue;
		loader_add(l, &c->trial);
		made[n++] = c;
	}
	t->tried += GENERATION;
	for (i = 0; i < n; i++)
		if (loader_wait(l, &made[i]->trial, NULL, NULL, err))
			list[kept++] = *made[i];
	return n == 0 || kept > 0 ? kept : -1;
}

static bool
is_known(const struct tune *t, const struct env *e)
{
	int i;

	for (i = 0; i < t->nbest; i++)
		if (envs_equal(&t->best[i].env, e))
			return true;
	return false;
}

static void
keep_best(struct tune *t, const struct candidate *list, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i].hits && !is_known(t, &list[i].env))
			t->best[t->nbest++] = list[i];
	qsort(t->best, (size_t)t->nbest, sizeof(*t->best), by_rate);
	if (t->nbest > TUNE_KEEP)
		t->nbest = TUNE_KEEP;
}

/* Those that may yet be the best go on, with twice the time each turn. */
static bool
race(struct tune *t, struct candidate *list, int n, struct err *err)
{
	double seconds = FIRST_LOOK;
	int alive = n, i;

	for (i = 0; i < n; i++)
		if (!look(t, &list[i], seconds, err))
			return false;
	while (alive > 1 && !signals_came()) {
		double best;
		int kept = 0;

		qsort(list, (size_t)alive, sizeof(*list), by_rate);
		best = candidate_low(&list[0]);
		if (best <= 0 || seconds > 16 * FIRST_LOOK)
			break;
		for (i = 0; i < (alive + 1) / 2; i++)
			kept += candidate_high(&list[i]) >= best;
		alive = kept;
		for (i = 0; i < alive; i++)
			if (!look(t, &list[i], seconds, err))
				return false;
		seconds *= 2;
	}
	return true;
}

static bool
generation(struct tune *t, struct err *err)
{
	struct candidate list[GENERATION];
	int i, n = make_candidates(t, list, err);

	if (n < 0 || !race(t, list, n, err))
		return false;
	for (i = 0; i < n; i++)
		trial_end(&list[i].trial);
	keep_best(t, list, n);
	arena_reset(t->scratch);
	return true;
}

void
tune_open(struct tune *t, struct bench *b, const struct program *p,
    uint64_t seed, struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->bench = b;
	t->program = p;
	t->seed = seed;
	t->draw = (struct draw){seed, p->hash, 0};
	t->scratch = arena_new();
	t->targets = program_targets(p, a);
	t->builtin = envs_for(p, b, a, &t->nbuiltin);
}

bool
tune_run(struct tune *t, double seconds, struct err *err)
{
	double deadline = wall_clock() + seconds;

	while (wall_clock() < deadline && !signals_came()) {
		if (!generation(t, err))
			return false;
		if (t->progress)
			t->progress(t->user, t);
	}
	return true;
}

void
tune_close(struct tune *t)
{
	arena_free(t->scratch);
}
