/* The weakest forms of a test that still forbid its outcome, all of them. */
#include "weaken.h"

#include <string.h>

#define SOUND_MAX 64
#define LOW_WORDS (SOUND_MAX / 64)
#define HIGH_MAX 256
#define HIGH_WORDS (HIGH_MAX / 64)
#define LOOKS_MAX 5000000

/*
 * All minimal points that forbid, without looking at all that do: what is
 * known so far, minimal ones that forbid and maximal ones that allow, leaves
 * some points undecided. Such a point is taken, and from it one goes down
 * (if it forbids) or up (if not) to a new extreme one, until none is left.
 */
struct extremes { /* sets of the points below */
	uint64_t low[LOW_WORDS], high[HIGH_WORDS];
};

struct frontier {
	struct weaken *w;
	struct point low[SOUND_MAX], high[HIGH_MAX];
	int nlow, nhigh;
	uint32_t good[SITES_MAX]; /* states that forbid alone */
	struct extremes can[SITES_MAX + 1];
	uint64_t looks; /* of the search for an undecided point */
	struct point x;
};

/* As weak as can be while it still forbids. */
static bool
descend(struct weaken *w, struct point *x)
{
	bool known;
	int i, j;

	for (i = w->nsites - 1; i >= 0; i--)
		for (j = w->sites[i].nstates - 1; j > x->at[i]; j--) {
			struct point y = *x;

			y.at[i] = (uint8_t)j;
			if (!(w->sites[i].states[x->at[i]].below >> j & 1))
				continue;
			if (weaken_forbids(w, &y, &known)) {
				*x = y;
				break;
			}
			if (!known)
				return false;
		}
	return true;
}

/* Is state a, of site i, as weak as b? */
static bool
state_weaker(const struct weaken *w, int i, int a, int b)
{
	return w->sites[i].states[b].below >> a & 1;
}

/* Does site i, in state j, keep a point from being above a low one, or below
   a high one, whatever the other sites are? Those are dropped. */
static void
avoid(const struct frontier *f, int i, int j, const struct extremes *from,
    struct extremes *to)
{
	int k;

	*to = *from;
	for (k = 0; k < f->nlow; k++)
		if (!state_weaker(f->w, i, f->low[k].at[i], j))
			to->low[k / 64] &= ~((uint64_t)1 << k % 64);
	for (k = 0; k < f->nhigh; k++)
		if (!state_weaker(f->w, i, j, f->high[k].at[i]))
			to->high[k / 64] &= ~((uint64_t)1 << k % 64);
}

/* Is a a part of b? */
static bool
within(const struct extremes *a, const struct extremes *b)
{
	int k;

	for (k = 0; k < LOW_WORDS; k++)
		if (a->low[k] & ~b->low[k])
			return false;
	for (k = 0; k < HIGH_WORDS; k++)
		if (a->high[k] & ~b->high[k])
			return false;
	return true;
}

/*
 * Fills x from site i on so that it is above no low and below no high
 * point; `left` are those that the sites so far have not avoided. What the
 * sites from i on can avoid at best is in can[i], and of two states the one
 * that leaves more need not be tried after the other.
 */
static bool
undecided(struct frontier *f, int i, const struct extremes *left)
{
	static const struct extremes none;
	const struct site *s = &f->w->sites[i];
	struct extremes tried[STATES_MAX];
	int j, k, n = 0;

	if (i == f->w->nsites)
		return within(left, &none);
	if (!within(left, &f->can[i]))
		return false;
	for (j = 0; j < s->nstates; j++) {
		if (!(f->good[i] >> j & 1) || ++f->looks > LOOKS_MAX)
			continue;
		avoid(f, i, j, left, &tried[n]);
		for (k = 0; k < n && !within(&tried[k], &tried[n]); k++)
			;
		if (k < n)
			continue;
		f->x.at[i] = (uint8_t)j;
		if (undecided(f, i + 1, &tried[n++]))
			return true;
	}
	return false;
}

static bool
find_undecided(struct frontier *f)
{
	struct extremes all = {{0}, {0}}, *can = f->can, left;
	int i, j, k;

	for (k = 0; k < f->nlow; k++)
		all.low[k / 64] |= (uint64_t)1 << k % 64;
	for (k = 0; k < f->nhigh; k++)
		all.high[k / 64] |= (uint64_t)1 << k % 64;
	memset(&can[f->w->nsites], 0, sizeof(*can));
	for (i = f->w->nsites - 1; i >= 0; i--) {
		can[i] = can[i + 1];
		for (j = 0; j < f->w->sites[i].nstates; j++) {
			if (!(f->good[i] >> j & 1))
				continue;
			avoid(f, i, j, &all, &left);
			for (k = 0; k < LOW_WORDS; k++)
				can[i].low[k] |= all.low[k] & ~left.low[k];
			for (k = 0; k < HIGH_WORDS; k++)
				can[i].high[k] |= all.high[k] &
				    ~left.high[k];
		}
	}
	return undecided(f, 0, &all);
}

/* States that do not forbid even alone are left out: with others lowered
   too they forbid less still. */
static void
find_good(struct frontier *f)
{
	struct weaken *w = f->w;
	bool known;
	int i, j;

	for (i = 0; i < w->nsites; i++) {
		f->good[i] = 1;
		for (j = 1; j < w->sites[i].nstates; j++) {
			struct point x;

			memset(&x, 0, sizeof(x));
			x.at[i] = (uint8_t)j;
			if (weaken_forbids(w, &x, &known))
				f->good[i] |= 1u << j;
		}
	}
}

void
weaken_sound(struct weaken *w, struct weakenings *out)
{
	struct frontier *f = arena_alloc(w->arena, sizeof(*f));
	bool known = true;
	int i;

	f->w = w;
	find_good(f);
	while (known && f->nlow < SOUND_MAX && f->nhigh < HIGH_MAX &&
	    find_undecided(f)) {
		struct point x = f->x;

		if (weaken_forbids(w, &x, &known)) {
			known = descend(w, &x);
			f->low[f->nlow++] = x;
		} else if (known) {
			weaken_climb(w, &x);
			f->high[f->nhigh++] = x;
		}
	}
	out->complete = known && f->nlow < SOUND_MAX &&
	    f->nhigh < HIGH_MAX && f->looks <= LOOKS_MAX;
	for (i = 0; i < f->nlow; i++)
		weaken_report(w, &f->low[i], weaken_steps(w, &f->low[i]),
		    &out->sound, &out->nsound, SOUND_MAX);
}
