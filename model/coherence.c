/*
 * Coherence orders of a candidate whose rf and Fence-SC order are chosen.
 *
 * Coherence is chosen location by location: given rf and the Fence-SC
 * order, no axiom ties the order of one location to that of another. And
 * only morally strong writes are ordered beyond what causality asks for:
 * every axiom is antitone in co, and more co leaves fewer writes last, so
 * the least co for a given orientation gives every outcome that a larger
 * one gives (spec 7.1).
 */
#include "internal.h"

#include <string.h>

struct order {
	event_row co[EVENTS_MAX], before[EVENTS_MAX];
};

static void
order_save(const struct graph *g, struct order *o)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(o->co, g->x.co, size);
	memcpy(o->before, g->co_before, size);
}

static void
order_restore(struct graph *g, const struct order *o)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(g->x.co, o->co, size);
	memcpy(g->co_before, o->before, size);
}

/* Would the pair, ordered so, break an axiom? */
static bool
contradicts(struct graph *g, int loc, int from, int to)
{
	struct order saved;
	bool broken;

	order_save(g, &saved);
	broken = !coherence_add(g, from, to) || axioms_location(g, loc);
	order_restore(g, &saved);
	return broken;
}

static enum axiom
infer_pair(struct search *s, int loc, int a, int b, bool *more)
{
	bool forth = contradicts(&s->g, loc, a, b);
	bool back = contradicts(&s->g, loc, b, a);

	/* what this takes, in the time of a candidate's step */
	work_graph(s, 1);

	if (forth && back)
		return AXIOM_COHERENCE;
	if (forth)
		coherence_add(&s->g, b, a);
	else if (back)
		coherence_add(&s->g, a, b);
	*more |= forth || back;
	return AXIOM_NONE;
}

enum axiom
coherence_infer(struct search *s, bool *more)
{
	struct graph *g = &s->g;
	int a, b;

	EACH(a, g->writes)
		EACH(b, coherence_pairs(g, a) & ~(BIT(a) - 1)) {
			if (!(coherence_pairs(g, a) & BIT(b)))
				continue; /* meanwhile */
			if (infer_pair(s, g->x.events[a].loc, a, b, more))
				return AXIOM_COHERENCE;
		}
	return AXIOM_NONE;
}

/* Spec 3.2: a location ends with the value of any write that is last. */
static event_row
final_values(const struct graph *g, int loc)
{
	const struct execution *x = &g->x;
	event_row found = 0;
	int i;

	EACH(i, g->of_loc[loc] & g->writes)
		if (!x->co[i])
			found |= BIT(location_value(&g->m->locs[loc],
			    x->events[i].value));
	return found;
}

/* A loop can read an old value for ever only if no write comes after it. */
static bool
can_spin(const struct search *s, int loc)
{
	const struct graph *g = &s->g;
	int i;

	EACH(i, s->spinning & g->of_loc[loc])
		if (g->x.co[g->source[i]])
			return false;
	return true;
}

/*
 * Completes the coherence order of a location in every way, until one ends
 * with a value of `wanted`; that one is left in the graph. s->finals
 * gathers the values that it may end with.
 */
static bool
order_writes(struct search *s, int loc, event_row wanted)
{
	struct graph *g = &s->g;
	struct order saved;
	event_row pairs = 0;
	enum axiom broken;
	int a = -1, b;

	if (!work_add(s->m, 1))
		return false;
	broken = axioms_location(g, loc);
	if (broken && !s->visit)
		return false;
	EACH(a, g->of_loc[loc] & g->writes) {
		pairs = coherence_pairs(g, a);
		if (pairs)
			break;
	}
	if (!pairs) {
		event_row finals = final_values(g, loc);

		if (broken) {
			if (finals & wanted)
				candidate_show(s, broken);
			return false;
		}
		if (!can_spin(s, loc))
			return false;
		s->finals[loc] |= finals;
		return finals & wanted;
	}
	b = row_first(pairs);
	order_save(g, &saved);
	if (coherence_add(g, a, b) && order_writes(s, loc, wanted))
		return true;
	order_restore(g, &saved);
	if (coherence_add(g, b, a) && order_writes(s, loc, wanted))
		return true;
	order_restore(g, &saved);
	return false;
}

/*
 * Which final values to stop at: any if nobody looks, none if all are
 * looked for, or those of the outcome that is explained.
 */
static event_row
wanted_finals(const struct search *s, int loc)
{
	int i;

	for (i = 0; i < s->nobserved; i++)
		if (s->observed[i] == loc)
			return s->visit ? results_wanted(s, loc) :
			    s->hanging ? ~(event_row)0 : 0;
	return ~(event_row)0;
}

/*
 * No order that causality leaves ends with a wanted value: shows those that
 * do in spite of it.
 */
static void
show_contradiction(struct search *s, int loc, event_row wanted)
{
	struct graph *g = &s->g;
	event_row all = g->of_loc[loc] & g->writes;
	struct order saved;
	int i, j;

	order_save(g, &saved);
	EACH(i, all) {
		if (!(wanted & BIT(location_value(&s->m->locs[loc],
		    g->x.events[i].value))))
			continue;
		EACH(j, all)
			g->x.co[j] = j == i ? 0 :
			    (g->x.co[j] | BIT(i)) & ~BIT(j);
		candidate_show(s, AXIOM_COHERENCE);
		order_restore(g, &saved);
	}
}

static bool
find_finals(struct search *s, int loc)
{
	event_row wanted = wanted_finals(s, loc);
	uint64_t shown = s->m->candidates;
	struct order saved;
	bool found;

	s->finals[loc] = 0;
	if (!s->g.of_loc[loc]) {
		s->finals[loc] = BIT(0); /* initially */
		return !s->visit || wanted & BIT(0);
	}
	order_save(&s->g, &saved);
	found = order_writes(s, loc, wanted);
	if (!found)
		order_restore(&s->g, &saved);
	if (!found && s->visit && shown == s->m->candidates)
		show_contradiction(s, loc, wanted);
	return s->visit ? found : s->finals[loc] != 0;
}

/* rf and the Fence-SC order are complete and break nothing. */
void
coherence_choose(struct search *s)
{
	int i;

	if (!s->visit)
		s->m->candidates++;
	for (i = 0; i < s->m->nlocs; i++)
		if (!find_finals(s, i))
			return;
	if (s->visit)
		candidate_show(s, AXIOM_NONE);
	else if (s->hanging)
		s->hang = s->done = true;
	else
		results_record(s);
	if (!s->visit && !s->hanging && !results_pending(s))
		s->done = true;
}

bool
coherence_witness(struct search *s)
{
	event_row kept[LOCATIONS_MAX];
	bool found = true;
	int i;

	memcpy(kept, s->finals, sizeof(kept));
	for (i = 0; i < s->nobserved && found; i++) {
		int loc = s->observed[i];

		found = !s->g.of_loc[loc] ||
		    order_writes(s, loc, kept[loc]);
	}
	memcpy(s->finals, kept, sizeof(kept));
	graph_fr(&s->g);
	return found;
}
