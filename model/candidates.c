/*
 * Every execution of one combination of paths: a write for each read, a
 * Fence-SC order, a coherence order. The axioms only break more as these
 * grow, so a branch ends where they break first.
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

/* What graph_order_fences() changes. */
struct fences {
	event_row sc[EVENTS_MAX], sw[EVENTS_MAX], reach[EVENTS_MAX];
};

struct order {
	event_row co[EVENTS_MAX], before[EVENTS_MAX];
};

static void
show(struct search *s, enum axiom broken)
{
	if (!s->visit || s->done)
		return;
	s->m->candidates++;
	graph_fr(&s->g);
	if (!s->visit(s->user, &s->g.x, broken)) {
		s->done = true;
		s->m->stop = STOP_DONE;
	}
}

/* ---- coherence -------------------------------------------------------- */

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
				show(s, broken);
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
		show(s, AXIOM_COHERENCE);
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
static void
choose_coherence(struct search *s)
{
	int i;

	if (!s->visit)
		s->m->candidates++;
	for (i = 0; i < s->m->nlocs; i++)
		if (!find_finals(s, i))
			return;
	if (s->visit)
		show(s, AXIOM_NONE);
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

/* ---- Fence-SC order --------------------------------------------------- */

static void
fences_save(const struct graph *g, struct fences *f)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(f->sc, g->x.sc, size);
	memcpy(f->sw, g->x.sw, size);
	memcpy(f->reach, g->reach, size);
}

static void
fences_restore(struct graph *g, const struct fences *f)
{
	size_t size = (size_t)g->x.count * sizeof(event_row);

	memcpy(g->x.sc, f->sc, size);
	memcpy(g->x.sw, f->sw, size);
	memcpy(g->reach, f->reach, size);
}

/* The pairs that base causality already orders (PTX ISA 8.10.2). */
static enum axiom
order_forced(struct search *s)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	bool more = HAS(s->m, FENCE_SC) && HAS(s->m, SC_ORDER) && !s->visit;
	int i, j;

	graph_cause(g);
	while (more) {
		more = false;
		EACH(i, g->sc_fences)
			EACH(j, x->base[i] & x->ms[i] & g->sc_fences &
			    ~x->sc[i] & ~BIT(i)) {
				if (x->sc[j] & BIT(i))
					return AXIOM_FENCE_SC;
				graph_order_fences(g, i, j);
				more = true;
			}
		if (more)
			graph_cause(g);
	}
	return AXIOM_NONE;
}

/* What must not come after each event in base causality (PTX ISA 8.10.1,
   8.10.6), where that is causality: writes that it overwrites, or that a
   read returns, and reads of what it overwrites. */
static event_row
find_excluded(const struct graph *g, event_row *excluded)
{
	const struct execution *x = &g->x;
	event_row some = 0;
	int i, j;

	memset(excluded, 0, (size_t)x->count * sizeof(*excluded));
	EACH(i, g->reads) {
		if (g->source[i] < 0)
			continue;
		excluded[i] |= BIT(g->source[i]);
		some |= BIT(i) | x->co[g->source[i]];
		EACH(j, x->co[g->source[i]])
			excluded[j] |= BIT(i);
	}
	EACH(i, g->writes) {
		some |= x->co[i];
		EACH(j, x->co[i])
			excluded[j] |= BIT(i);
	}
	return some;
}

/*
 * Orders the pairs of fences that have only one direction left: the other
 * would put something after what excludes it. *more if there were any.
 */
static enum axiom
order_inferred(struct search *s, bool *more)
{
	struct graph *g = &s->g;
	struct execution *x = &g->x;
	event_row excluded[EVENTS_MAX], before[EVENTS_MAX];
	int i, j;

	/* before[f]: what must not come after something before fence f */
	*more = false;
	if (!s->m->plain || s->visit || !HAS(s->m, SC_ORDER) ||
	    !(g->sc_fences & (g->sc_fences - 1)))
		return AXIOM_NONE;
	EACH(i, g->sc_fences)
		before[i] = 0;
	EACH(i, find_excluded(g, excluded))
		EACH(j, g->reach[i] & g->sc_fences)
			before[j] |= excluded[i];
	EACH(i, g->sc_fences)
		EACH(j, x->ms[i] & g->sc_fences & ~x->sc[i]) {
			if (x->sc[j] & BIT(i) || !(before[j] &
			    (g->reach[i] | BIT(i))))
				continue;
			/* j cannot come before i */
			if (before[i] & (g->reach[j] | BIT(j)))
				return AXIOM_CAUSALITY;
			graph_order_fences(g, i, j);
			*more = true;
		}
	return AXIOM_NONE;
}

/* Everything but coherence choices, on rf and sc as far as they go. */
static enum axiom
try_orders(struct search *s)
{
	struct graph *g = &s->g;
	enum axiom broken;
	bool more;
	int i;

	do {
		broken = order_forced(s);
		if (!broken)
			broken = axioms_cause(g);
		if (!broken)
			broken = coherence_least(g);
		for (i = 0; !broken && !s->visit && i < s->m->nlocs; i++)
			if (g->of_loc[i])
				broken = axioms_location(g, i);
		if (broken)
			return broken;
		broken = order_inferred(s, &more);
	} while (more && !broken);
	return broken;
}

static bool
open_pair(const struct graph *g, int *a, int *b)
{
	const struct execution *x = &g->x;
	event_row earlier = 0;
	int i, j;

	if (!HAS(g->m, SC_ORDER))
		return false;
	EACH(i, g->sc_fences) {
		EACH(j, x->ms[i] & earlier) {
			if (x->sc[i] & BIT(j) || x->sc[j] & BIT(i))
				continue;
			*a = i;
			*b = j;
			return true;
		}
		earlier |= BIT(i);
	}
	return false;
}

static void
choose_fences(struct search *s)
{
	struct graph *g = &s->g;
	struct fences saved;
	enum axiom broken;
	int a, b;

	if (s->done || !work_add(s->m, 4))
		return;
	broken = try_orders(s);
	if (broken && !s->visit)
		return;
	if (open_pair(g, &a, &b)) {
		fences_save(g, &saved);
		graph_order_fences(g, b, a);
		choose_fences(s);
		fences_restore(g, &saved);
		if (s->done)
			return;
		graph_order_fences(g, a, b);
		choose_fences(s);
		fences_restore(g, &saved);
		return;
	}
	if (HAS(s->m, SC_ORDER) && axioms_fence_sc(g))
		broken = AXIOM_FENCE_SC;
	if (broken)
		show(s, broken);
	else
		choose_coherence(s);
}

/* ---- reads-from ------------------------------------------------------- */

/* The writes that a read could return: of its location and value. */
static event_row
possible_sources(const struct search *s, int read)
{
	const struct execution *x = &s->g.x;
	const struct event *e = &x->events[read];
	event_row found = 0;
	int i;

	EACH(i, s->g.of_loc[e->loc] & s->g.writes)
		if (x->events[i].value == e->value && i != e->rmw)
			found |= BIT(i);
	return found;
}

/* The reads in order of how many writes they have to choose from. */
static bool
sort_reads(struct search *s)
{
	int i, at;

	s->nreads = 0;
	EACH(i, s->g.reads) {
		event_row sources = possible_sources(s, i);

		if (!sources)
			return false;
		s->sources[i] = sources;
		for (at = s->nreads++; at > 0 && __builtin_popcountll(
		    s->sources[s->reads[at - 1]]) >
		    __builtin_popcountll(sources); at--)
			s->reads[at] = s->reads[at - 1];
		s->reads[at] = i;
	}
	return true;
}

static void
set_source(struct graph *g, int read, int write)
{
	if (g->source[read] >= 0)
		g->x.rf[g->source[read]] &= ~BIT(read);
	g->source[read] = write;
	if (write >= 0)
		g->x.rf[write] |= BIT(read);
}

/* No-Thin-Air, first over what dependencies look like, then over those
   that are real. */
static enum axiom
try_values(struct search *s)
{
	enum axiom broken = axioms_values(&s->g);

	while (broken && !s->m->opts->syntactic_deps &&
	    products_refine(s, axioms_thin_air(&s->g)))
		broken = axioms_values(&s->g);
	return broken;
}

/* Could the reads chosen so far be of a consistent execution? */
static bool
could_hold(struct search *s)
{
	if (!work_add(s->m, 4) || try_values(s))
		return false;
	graph_sync(&s->g);
	return !try_orders(s);
}

static void
choose_sources(struct search *s, int at)
{
	struct graph *g = &s->g;
	enum axiom broken;
	int read, write;

	if (s->done || s->m->stop != STOP_NOT)
		return;
	if (at == s->nreads) {
		broken = try_values(s);
		if (broken && !s->visit)
			return;
		graph_sync(g);
		if (broken) {
			try_orders(s);
			show(s, broken);
		} else {
			choose_fences(s);
		}
		return;
	}
	read = s->reads[at];
	if (!s->visit && at > 0 && s->sources[read] & (s->sources[read] - 1)
	    && !could_hold(s))
		return;
	EACH(write, s->sources[read]) {
		set_source(g, read, write);
		choose_sources(s, at + 1);
	}
	set_source(g, read, -1);
}

void
candidates_search(struct search *s)
{
	struct graph *g = &s->g;
	int i;

	for (i = 0; i < g->x.count; i++)
		g->source[i] = -1;
	memset(g->x.rf, 0, (size_t)g->x.count * sizeof(*g->x.rf));
	s->done = false;
	if (sort_reads(s))
		choose_sources(s, 0);
}
