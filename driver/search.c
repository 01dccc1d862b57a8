/* One program in several environments, more work for those that show more. */
#include "driver.h"

#include <math.h>
#include <string.h>

#define BATCH_SECONDS 0.05
#define GRAPH_LAUNCHES 64
#define REPEAT_MAX 1000
#define RATES_MAX 4096

/* Which outcomes the condition is about, by code. */
bool *
program_targets(const struct program *p, struct arena *a)
{
	bool *targets = arena_alloc(a, p->noutcomes);
	uint64_t values[SLOTS_MAX];
	uint32_t code;

	for (code = 0; code < p->noutcomes; code++) {
		outcome_values(p, code, values);
		targets[code] = program_is_target(p, values);
	}
	return targets;
}

static bool
may_skip(struct search *s, const struct err *err)
{
	s->skipped = *err;
	return err->code == ERR_UNSUPPORTED || err->code == ERR_LIMIT;
}

bool
search_open(struct search *s, struct bench *b, const struct effort *effort,
    const struct program *p, const struct env *const *envs, int n,
    struct arena *a, struct err *err)
{
	size_t count = (size_t)n;
	int i;

	memset(s, 0, sizeof(*s));
	s->bench = b;
	s->effort = effort;
	s->program = p;
	s->targets = program_targets(p, a);
	s->envs = envs;
	s->trials = arena_alloc(a, count * sizeof(*s->trials));
	s->order = arena_alloc(a, count * sizeof(*s->order));
	s->rates = arena_alloc(a, RATES_MAX * sizeof(*s->rates));
	for (i = 0; i < n; i++) {
		struct trial *t = &s->trials[i];

		if (trial_plan(b, p, envs[i], s->targets, effort->seed,
		    SABOTAGE_NONE, a, t, err)) {
			loader_add(b->loader, t);
			continue;
		}
		t->load_err = *err;
		if (!may_skip(s, err))
			return false;
	}
	return true;
}

void
search_close(struct search *s, int n)
{
	int i;

	for (i = 0; i < n; i++)
		trial_end(&s->trials[i]);
}

uint64_t
trial_instances(const struct trial *t)
{
	return t->launched * t->plan.instances;
}

static void
say_alive(void *user)
{
	const struct search *s = user;
	uint64_t instances = 0, hits = 0;
	int i;

	for (i = 0; i < s->count; i++) {
		const struct trial *t = &s->trials[s->order[i]];

		instances += trial_instances(t);
		hits += t->hits;
	}
	if (s->effort->alive)
		s->effort->alive(s->effort->user, instances, hits);
}

/* *here: the module is there, and the device's memory is the trial's. */
static bool
begin(struct search *s, int index, bool *here, struct err *err)
{
	struct trial *t = &s->trials[index];
	int i;

	*here = false;
	if (!loader_wait(s->bench->loader, t, say_alive, s, err))
		return may_skip(s, err);
	s->nrates = 0;
	if (!trial_start(t, err))
		return false;
	for (i = 0; i < s->count && s->order[i] != index; i++)
		;
	if (i == s->count)
		s->order[s->count++] = index;
	*here = true;
	return true;
}

static bool
run_batch(struct search *s, struct trial *t, uint64_t launches,
    uint64_t repeat, struct err *err)
{
	uint64_t hits = t->hits, instances = trial_instances(t);

	if (!trial_run(t, launches, repeat, err))
		return false;
	instances = trial_instances(t) - instances;
	if (s->nrates < RATES_MAX)
		s->rates[s->nrates++] = (double)(t->hits - hits) /
		    (double)instances;
	say_alive(s);
	return true;
}

/* At least one launch, so that nothing that is there is left untried. */
bool
search_run(struct search *s, int index, double seconds, struct err *err)
{
	struct trial *t = &s->trials[index];
	bool sim = s->bench->info.caps.sim, here;
	double deadline;

	if (!begin(s, index, &here, err))
		return false;
	if (!here)
		return true;
	deadline = wall_clock() + seconds;
	if (t->launch_seconds <= 0 && !run_batch(s, t, 1, 1, err))
		return false;
	for (;;) {
		double left = deadline - wall_clock(), want, launches;

		if (left <= 0)
			return true;
		want = floor(fmin(BATCH_SECONDS, left) /
		    fmax(t->launch_seconds, 1e-7));
		launches = fmin(fmax(want, 1), GRAPH_LAUNCHES);
		want = sim ? 1 : fmin(fmax(want / launches, 1), REPEAT_MAX);
		if (!run_batch(s, t, (uint64_t)launches, (uint64_t)want, err))
			return false;
	}
}

bool
search_run_instances(struct search *s, int index, uint64_t instances,
    struct err *err)
{
	struct trial *t = &s->trials[index];
	uint64_t each, launches;
	bool here;

	if (!begin(s, index, &here, err))
		return false;
	if (!here)
		return true;
	each = t->plan.instances;
	launches = (instances + each - 1) / each;
	while (launches > 0) {
		uint64_t batch = launches < GRAPH_LAUNCHES ? launches :
		    GRAPH_LAUNCHES;

		if (!run_batch(s, t, batch, 1, err))
			return false;
		launches -= batch;
	}
	return true;
}

/* Where none is ever seen, all are equal. */
double
trial_score(const struct trial *t)
{
	return t->seconds > 0 ? (double)t->hits / t->seconds : 0;
}

/* The best of the first `count` first; insertion keeps the order of
   equals. */
static void
rank(struct search *s, int count)
{
	int i, j;

	for (i = 1; i < count; i++) {
		int index = s->order[i];
		double score = trial_score(&s->trials[index]);

		for (j = i; j > 0 && trial_score(
		    &s->trials[s->order[j - 1]]) < score; j--)
			s->order[j] = s->order[j - 1];
		s->order[j] = index;
	}
}

/* While none has shown anything all stay: silence does not tell them
   apart. */
static int
better_half(struct search *s, int alive)
{
	rank(s, alive);
	return trial_score(&s->trials[s->order[0]]) > 0 ? (alive + 1) / 2 :
	    alive;
}

/* Making kernels takes time too: when half of it is gone, no more
   environments are added. */
static bool
first_round(struct search *s, int n, double slice, double half_time,
    struct err *err)
{
	int i;

	for (i = 0; i < n && !(s->count && wall_clock() > half_time); i++)
		if (!search_run(s, i, slice, err))
			return false;
	if (s->count == 0)
		*err = s->skipped;
	return s->count > 0;
}

/* Successive halving: equal time for all, then for the better half, and so
   on. */
bool
search_time(struct search *s, int n, double seconds, struct err *err)
{
	double start = wall_clock(), end = start + seconds;
	int rounds = 1, alive, i;

	while (1 << (rounds - 1) < n)
		rounds++;
	if (!first_round(s, n, seconds / rounds / n, start + seconds / 2,
	    err))
		return false;
	alive = s->count;
	while (--rounds > 0) {
		double slice;

		alive = better_half(s, alive);
		slice = (end - wall_clock()) / rounds / alive;
		for (i = 0; i < alive && slice > 0; i++)
			if (!search_run(s, s->order[i], slice, err))
				return false;
	}
	rank(s, s->count);
	return true;
}
