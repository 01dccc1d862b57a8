/*
 * Every execution of one combination of paths: a write for each read, then
 * a Fence-SC order (fences.c), then a coherence order (coherence.c). The
 * axioms only break more as these grow, so a branch ends where they break
 * first.
 */
#include "internal.h"

#include <string.h>

bool
work_graph(struct search *s, uint64_t units)
{
	uint64_t n = (uint64_t)s->g.x.count;

	/* measured: rows times edges between them, which grow with both */
	return work_add(s->m, units + n * n * n / 10000);
}

void
candidate_show(struct search *s, enum axiom broken)
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
	if (!work_graph(s, 4) || try_values(s))
		return false;
	graph_sync(&s->g);
	return !fences_try(s);
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
			fences_try(s);
			candidate_show(s, broken);
		} else {
			fences_choose(s);
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
