/* One program in several environments, more work for those that show more. */
#include "driver.h"

#include <math.h>
#include <string.h>

#define BATCH_SECONDS 0.05
#define GRAPH_LAUNCHES 64
#define REPEAT_MAX 1000
#define RATES_MAX 4096
#define ROOM_MAX 1000

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

void
search_open(struct search *s, struct bench *b, const struct effort *effort,
    const struct program *p, int nenvs, struct arena *a)
{
	size_t n = (size_t)nenvs;

	memset(s, 0, sizeof(*s));
	s->bench = b;
	s->effort = effort;
	s->program = p;
	s->arena = a;
	s->targets = program_targets(p, a);
	s->trials = arena_alloc(a, n * sizeof(*s->trials));
	s->envs = arena_alloc(a, n * sizeof(*s->envs));
	s->rates = arena_alloc(a, RATES_MAX * sizeof(*s->rates));
}

void
search_close(struct search *s)
{
	int i;

	for (i = 0; i < s->count; i++)
		trial_end(&s->trials[i]);
}

uint64_t
trial_instances(const struct trial *t)
{
	return t->launched * t->plan.instances;
}

static void
say_alive(const struct search *s)
{
	uint64_t instances = 0, hits = 0;
	int i;

	for (i = 0; i < s->count; i++) {
		instances += trial_instances(&s->trials[i]);
		hits += s->trials[i].hits;
	}
	if (s->effort->alive)
		s->effort->alive(s->effort->user, instances, hits);
}

static bool
may_skip(struct search *s, const struct err *err)
{
	s->skipped = *err;
	return err->code == ERR_UNSUPPORTED || err->code == ERR_LIMIT;
}

#define LOAD_MEMORY 0.8 /* weight of what was known of loading */

static void
load(struct search *s, int first, int count, struct err *errs)
{
	struct bench *b = s->bench;
	double begin = wall_clock();

	trials_load(&s->trials[first], count, b->threads, errs);
	if (count)
		b->load_seconds = LOAD_MEMORY * b->load_seconds +
		    (1 - LOAD_MEMORY) * (wall_clock() - begin) / count;
}

/*
 * Adds those of the environments that the test can have on this device,
 * loaded side by side. How many were looked at is in *taken.
 */
static bool
search_add(struct search *s, const struct env *const *envs, int n,
    int *taken, struct err *err)
{
	struct err errs[LOAD_THREADS];
	int first = s->count, planned = first, i;

	for (i = 0; i < n && planned - first < s->bench->threads; i++) {
		s->envs[planned] = envs[i];
		if (trial_plan(s->bench, s->program, envs[i], s->targets,
		    s->effort->seed, SABOTAGE_NONE, s->arena,
		    &s->trials[planned], err))
			planned++;
		else if (!may_skip(s, err))
			return false;
	}
	*taken = i;
	load(s, first, planned - first, errs);
	for (i = first; i < planned; i++) {
		if (s->trials[i].module) {
			s->envs[s->count] = s->envs[i];
			s->trials[s->count++] = s->trials[i];
		} else if (!may_skip(s, &errs[i - first])) {
			*err = errs[i - first];
			return false;
		}
	}
	say_alive(s);
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

/* Runs the trial until the deadline of the wall clock. */
static bool
run_until(struct search *s, struct trial *t, double deadline, struct err *err)
{
	bool sim = s->bench->info.caps.sim;

	s->nrates = 0;
	if (!trial_start(t, err))
		return false;
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

static bool
run_instances(struct search *s, struct trial *t, uint64_t instances,
    struct err *err)
{
	uint64_t each = t->plan.instances;
	uint64_t launches = (instances + each - 1) / each;

	s->nrates = 0;
	if (!trial_start(t, err))
		return false;
	while (launches > 0) {
		uint64_t batch = launches < GRAPH_LAUNCHES ? launches :
		    GRAPH_LAUNCHES;

		if (!run_batch(s, t, batch, 1, err))
			return false;
		launches -= batch;
	}
	return true;
}

/* Hits a second; where none is ever seen, all are equal. */
static double
score(const struct trial *t)
{
	return t->seconds > 0 ? (double)t->hits / t->seconds : 0;
}

/* The best first; insertion keeps the order of equals. */
static void
rank(struct search *s, int count)
{
	int i, j;

	for (i = 1; i < count; i++) {
		struct trial t = s->trials[i];
		const struct env *e = s->envs[i];

		for (j = i; j > 0 && score(&s->trials[j - 1]) < score(&t);
		    j--) {
			s->trials[j] = s->trials[j - 1];
			s->envs[j] = s->envs[j - 1];
		}
		s->trials[j] = t;
		s->envs[j] = e;
	}
}

/* While none has shown anything all stay: silence does not tell them
   apart. */
static int
better_half(struct search *s, int alive)
{
	rank(s, alive);
	return score(&s->trials[0]) > 0 ? (alive + 1) / 2 : alive;
}

/* Making kernels takes time too: when half of it is gone, no more
   environments are added. */
static bool
first_round(struct search *s, const struct env *const *envs, int n,
    double slice, double half_time, struct err *err)
{
	int i = 0, taken, ran = 0;

	while (i < n && !(s->count && wall_clock() > half_time)) {
		if (!search_add(s, envs + i, n - i, &taken, err))
			return false;
		i += taken;
		for (; ran < s->count; ran++)
			if (!run_until(s, &s->trials[ran],
			    wall_clock() + slice, err))
				return false;
	}
	if (s->count == 0)
		*err = s->skipped;
	return s->count > 0;
}

#define LOAD_SHARE 0.4 /* of the time may go to loading */

int
search_room(const struct bench *b, double seconds)
{
	double room = LOAD_SHARE * seconds / b->load_seconds;

	return room < 1 ? 1 : room > ROOM_MAX ? ROOM_MAX : (int)room;
}

/* Successive halving: equal time for all, then for the better half, and so
   on. */
bool
search_time(struct search *s, const struct env *const *envs, int n,
    double seconds, struct err *err)
{
	double start = wall_clock(), end = start + seconds;
	int rounds = 1, alive, i, room = search_room(s->bench, seconds);

	if (n > room)
		n = room;
	while (1 << (rounds - 1) < n)
		rounds++;
	if (!first_round(s, envs, n, seconds / rounds / n,
	    start + seconds / 2, err))
		return false;
	alive = s->count;
	while (--rounds > 0) {
		double slice;

		alive = better_half(s, alive);
		slice = (end - wall_clock()) / rounds / alive;
		for (i = 0; i < alive && slice > 0; i++)
			if (!run_until(s, &s->trials[i],
			    wall_clock() + slice, err))
				return false;
	}
	rank(s, s->count);
	return true;
}

/* An equal part of the instances in each environment: what is run depends
   on the seed alone, whatever the machine's speed. */
bool
search_instances(struct search *s, const struct env *const *envs, int n,
    uint64_t instances, struct err *err)
{
	uint64_t done = 0;
	int i = 0, taken, ran = 0;

	while (i < n) {
		if (!search_add(s, envs + i, n - i, &taken, err))
			return false;
		i += taken;
	}
	if (s->count == 0) {
		*err = s->skipped;
		return false;
	}
	for (; ran < s->count && done < instances; ran++) {
		struct trial *t = &s->trials[ran];
		uint64_t left = (uint64_t)(s->count - ran);
		uint64_t part = (instances - done + left - 1) / left;

		if (!run_instances(s, t, part, err))
			return false;
		done += trial_instances(t);
	}
	return true;
}
