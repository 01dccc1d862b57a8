/*
 * When a test and its broken twins run. They take turns in each
 * environment, so that both have met the same machine, and the test gets as
 * many instances as each twin at least:
 *
 *	look	each environment in turn: the twins, then the test
 *	press	twins that have shown nothing, once more in all of them; the
 *		rest of the time is the test's, half of it where its twins
 *		showed most
 */
#include "campaign.h"

#include <math.h>

#define LOOK_SHARE 0.6 /* of the time */
#define LOOK_END 0.9 /* by then no more environments are begun */
#define TWINS_SHARE 0.5 /* of the look in an environment */
#define PRESS_SHARE 0.3 /* of what is left then: twins still silent */
#define TWIN_INSTANCES 0.3 /* where instances are asked for */

static bool
run_twin(struct campaign *c, struct twin *t, int env, double seconds,
    uint64_t instances, struct err *err)
{
	struct search *s = &t->search;
	bool ok;

	c->stage = campaign_stage(c, t);
	ok = instances ? search_run_instances(s, env, instances, err) :
	    search_run(s, env, seconds, err);
	if (ok)
		c->stage = "";
	return ok;
}

uint64_t
campaign_twin_hits(const struct twin *t)
{
	const struct search *s = &t->search;
	uint64_t hits = 0;
	int i;

	for (i = 0; i < s->count; i++)
		hits += s->trials[s->order[i]].hits;
	return hits;
}

static int
silent_twins(const struct campaign *c)
{
	int i, n = 0;

	for (i = 0; i < c->ntwins; i++)
		n += campaign_twin_hits(&c->twins[i]) == 0;
	return n;
}

static bool
nothing_ran(const struct campaign *c, struct err *err)
{
	if (c->test.count == 0)
		*err = c->test.skipped;
	return c->test.count == 0;
}

/* ---- by instances ------------------------------------------------------ */

/* An equal part in each environment: what is run depends on the seed alone,
   whatever the machine's speed. */
static bool
work_instances(struct campaign *c, struct err *err)
{
	uint64_t done = 0, all = c->effort.instances;
	int e, i;

	for (e = 0; e < c->nenvs && done < all; e++) {
		uint64_t left = (uint64_t)(c->nenvs - e);
		uint64_t part = (all - done + left - 1) / left;
		uint64_t small = (uint64_t)((double)part * TWIN_INSTANCES);

		for (i = 0; i < c->ntwins; i++)
			if (!run_twin(c, &c->twins[i], e, 0, small ? small : 1,
			    err))
				return false;
		if (!search_run_instances(&c->test, e, part, err))
			return false;
		done += trial_instances(&c->test.trials[e]);
	}
	return !nothing_ran(c, err);
}

/* ---- by time ----------------------------------------------------------- */

static bool
look(struct campaign *c, double begin, double seconds, struct err *err)
{
	double end = begin + LOOK_SHARE * seconds;
	double last = begin + LOOK_END * seconds;
	int e, i;

	for (e = 0; e < c->nenvs; e++) {
		double share = fmax(end - wall_clock(), 0) / (c->nenvs - e);

		if (c->test.count && wall_clock() > last)
			break;
		for (i = 0; i < c->ntwins; i++)
			if (!run_twin(c, &c->twins[i], e, TWINS_SHARE *
			    share / c->ntwins, 0, err))
				return false;
		if (!search_run(&c->test, e, (1 - TWINS_SHARE) * share, err))
			return false;
	}
	return !nothing_ran(c, err);
}

static bool
press_twins(struct campaign *c, double seconds, struct err *err)
{
	int silent = silent_twins(c), i, j;
	double share = PRESS_SHARE * seconds / silent;

	for (i = 0; i < c->ntwins && silent; i++) {
		struct twin *t = &c->twins[i];

		if (campaign_twin_hits(t))
			continue;
		for (j = 0; j < t->search.count; j++)
			if (!run_twin(c, t, t->search.order[j], share /
			    t->search.count, 0, err))
				return false;
	}
	return true;
}

/* Index of the environment in which the twins showed most. */
static int
loudest(const struct campaign *c)
{
	int e, i, best = c->test.order[0];
	double most = 0;

	for (e = 0; e < c->nenvs; e++) {
		double score = 0;

		for (i = 0; i < c->ntwins; i++)
			score += trial_score(&c->twins[i].search.trials[e]);
		if (score > most && c->test.trials[e].launched) {
			most = score;
			best = e;
		}
	}
	return best;
}

/* The others share one half, and what they leave goes to the loudest. */
static bool
press_test(struct campaign *c, double end, struct err *err)
{
	struct search *s = &c->test;
	double seconds = end - wall_clock();
	int i, best = loudest(c);

	for (i = 0; i < s->count && seconds > 0; i++)
		if (s->order[i] != best && !search_run(s, s->order[i],
		    seconds / 2 / (s->count - 1), err))
			return false;
	return end <= wall_clock() ||
	    search_run(s, best, end - wall_clock(), err);
}

static bool
work_time(struct campaign *c, double seconds, struct err *err)
{
	double begin = wall_clock(), end = begin + seconds;

	if (!look(c, begin, seconds, err))
		return false;
	if (wall_clock() >= end)
		return true;
	return press_twins(c, end - wall_clock(), err) &&
	    press_test(c, end, err);
}

bool
campaign_work(struct campaign *c, double seconds, struct err *err)
{
	if (c->effort.instances)
		return work_instances(c, err);
	return c->ntwins ? work_time(c, seconds, err) :
	    search_time(&c->test, c->nenvs, seconds, err);
}
