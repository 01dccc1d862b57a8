/*
 * The axioms of PTX ISA 8.10, and the coherence order that they ask for.
 *
 * The search calls them on unfinished candidates: every axiom forbids
 * something that more rf, sc or co cannot undo, so what is broken early
 * stays broken.
 */
#include "internal.h"

#include <string.h>

static const struct {
	const char *name, *section;
} axioms[] = {
	[AXIOM_NONE] = {"none", ""},
	[AXIOM_THIN_AIR] = {"No-Thin-Air", "8.10.4"},
	[AXIOM_FENCE_SC] = {"Fence-SC", "8.10.2"},
	[AXIOM_CAUSALITY] = {"Causality", "8.10.6"},
	[AXIOM_COHERENCE] = {"Coherence", "8.10.1"},
	[AXIOM_ATOMICITY] = {"Atomicity", "8.10.3"},
	[AXIOM_SC_LOCATION] = {"SC-per-Location", "8.10.5"},
};

const char *
axiom_name(enum axiom axiom)
{
	return axioms[axiom].name;
}

const char *
axiom_section(enum axiom axiom)
{
	return axioms[axiom].section;
}

const char *
rule_name(enum rule rule)
{
	static const char *const names[] = {
#define RULE(id, ...) #id,
#include "rules.def"
#undef RULE
	};

	return names[rule];
}

/* PTX ISA 8.10.4, No Thin Air: rf | dep has no cycle. */
enum axiom
axioms_values(const struct graph *g)
{
	event_row rows[EVENTS_MAX];
	int i;

	if (!HAS(g->m, THIN_AIR))
		return AXIOM_NONE;
	EACH(i, g->mem)
		rows[i] = g->x.rf[i] | g->x.dep[i];
	return rows_acyclic(rows, g->mem) ? AXIOM_NONE : AXIOM_THIN_AIR;
}

event_row
axioms_thin_air(const struct graph *g)
{
	event_row rows[EVENTS_MAX] = {0};
	int i;

	EACH(i, g->mem)
		rows[i] = g->x.rf[i] | g->x.dep[i];
	return rows_cyclic(rows, g->mem);
}

/*
 * PTX ISA 8.10.2, Fence-SC: if one of two morally strong fence.sc comes
 * before the other in causality order, so it does in Fence-SC order. Read
 * literally, causality order relates only memory operations (since 7.5);
 * base causality is meant (spec 2.9, row 9).
 */
static bool
fence_sc_holds(const struct graph *g)
{
	const struct execution *x = &g->x;
	int i;

	EACH(i, g->sc_fences)
		if (x->base[i] & x->ms[i] & g->sc_fences & ~x->sc[i] &
		    ~BIT(i))
			return false;
	return true;
}

enum axiom
axioms_cause(const struct graph *g)
{
	const struct execution *x = &g->x;
	int i;

	/* PTX ISA 8.9.3: Fence-SC order is acyclic */
	if (!rows_acyclic(x->sc, g->sc_fences))
		return AXIOM_FENCE_SC;
	/* PTX ISA 8.10.6: a read does not return a write that it precedes
	   in causality order */
	EACH(i, g->reads)
		if (HAS(g->m, CAUSALITY_RF) && g->source[i] >= 0 &&
		    x->cause[i] & BIT(g->source[i]))
			return AXIOM_CAUSALITY;
	return AXIOM_NONE;
}

/* What graph_order_fences() has not been told: base must not ask for it. */
enum axiom
axioms_fence_sc(const struct graph *g)
{
	return !HAS(g->m, FENCE_SC) || fence_sc_holds(g) ? AXIOM_NONE :
	    AXIOM_FENCE_SC;
}

/* PTX ISA 8.9.7: a read comes before the writes that coherence orders
   after the one it returns. */
static event_row
from_read(const struct graph *g, int read)
{
	return g->source[read] < 0 ? 0 : g->x.co[g->source[read]];
}

void
graph_fr(struct graph *g)
{
	int i;

	memset(g->x.fr, 0, (size_t)g->x.count * sizeof(*g->x.fr));
	EACH(i, g->reads)
		g->x.fr[i] = from_read(g, i);
}

/* PTX ISA 8.10.3, of read-modify-writes: no morally strong write comes
   between what an atomic reads and what it writes. */
static bool
is_atomic(const struct graph *g, int read)
{
	const struct execution *x = &g->x;
	int write = x->events[read].rmw;

	return write < 0 || !(from_read(g, read) & x->ms[read] &
	    g->co_before[write] & x->ms[write]);
}

/* PTX ISA 8.10.5, SC per Location: morally strong communication of a
   location does not contradict program order. */
static bool
sc_per_location(const struct graph *g, event_row events)
{
	const struct execution *x = &g->x;
	event_row rows[EVENTS_MAX];
	int i;

	EACH(i, events) {
		event_row communication = x->rf[i] | x->co[i];

		if (g->reads & BIT(i))
			communication = from_read(g, i);
		rows[i] = g->po_loc[i] | (communication & x->ms[i]);
	}
	return rows_acyclic(rows, events);
}

enum axiom
axioms_location(const struct graph *g, int loc)
{
	event_row events = g->of_loc[loc];
	int i, j;

	/* PTX ISA 8.10.6: a read does not return a write that another write
	   overwrote before the read in causality order */
	EACH(i, HAS(g->m, CAUSALITY_FR) ? events & g->reads : 0)
		EACH(j, from_read(g, i))
			if (g->x.cause[j] & BIT(i))
				return AXIOM_CAUSALITY;
	EACH(i, events & g->reads)
		if (HAS(g->m, ATOMICITY) && !is_atomic(g, i))
			return AXIOM_ATOMICITY;
	if (HAS(g->m, SC_LOCATION) && !sc_per_location(g, events))
		return AXIOM_SC_LOCATION;
	return AXIOM_NONE;
}

/* ---- coherence order -------------------------------------------------- */

/* PTX ISA 8.2.6: W0 is executed before any thread starts. 8.10.1: writes
   related in causality order are so in coherence order. */
static event_row
coherence_needs(const struct graph *g, int write)
{
	const struct execution *x = &g->x;
	event_row all = g->of_loc[x->events[write].loc] & g->writes;
	event_row needs = 0;

	if (HAS(g->m, COHERENCE))
		needs = x->cause[write] & all;
	if (HAS(g->m, INIT_FIRST) && x->events[write].thread < 0)
		needs |= all & ~BIT(write);
	return needs;
}

enum axiom
coherence_least(struct graph *g)
{
	struct execution *x = &g->x;
	int i, j;
	event_row linked = 0; /* writes with some before and some after */

	memset(g->co_before, 0, (size_t)x->count * sizeof(*g->co_before));
	EACH(i, g->writes) {
		x->co[i] = coherence_needs(g, i);
		if (x->events[i].thread >= 0 && x->co[i])
			linked |= BIT(i);
	}
	EACH(j, linked)
		EACH(i, g->writes & g->of_loc[x->events[j].loc])
			if (x->co[i] & BIT(j))
				x->co[i] |= x->co[j];
	EACH(i, g->writes) {
		if (x->co[i] & BIT(i))
			return AXIOM_COHERENCE;
		EACH(j, x->co[i])
			g->co_before[j] |= BIT(i);
	}
	return AXIOM_NONE;
}

/* Adds an edge and what follows from it by transitivity. */
bool
coherence_add(struct graph *g, int from, int to)
{
	struct execution *x = &g->x;
	event_row before = g->co_before[from] | BIT(from);
	event_row after = x->co[to] | BIT(to);
	int i;

	if (after & BIT(from))
		return false;
	EACH(i, before)
		x->co[i] |= after;
	EACH(i, after)
		g->co_before[i] |= before;
	return true;
}

/* PTX ISA 8.9.6: morally strong writes are ordered, one way or the other. */
event_row
coherence_pairs(const struct graph *g, int write)
{
	const struct execution *x = &g->x;
	event_row all = g->of_loc[x->events[write].loc] & g->writes;
	event_row pairs = 0;

	if (HAS(g->m, CO_TOTAL))
		pairs = all;
	else if (HAS(g->m, CO_MS))
		pairs = all & x->ms[write];
	return pairs & ~(x->co[write] | g->co_before[write] | BIT(write));
}
