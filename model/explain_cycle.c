/*
 * The cycle for which an axiom rejects a candidate execution, as short as
 * it can be, in relations that people can be shown: causality order is
 * taken apart into program order, synchronization and observation.
 */
#include "explain.h"

#include <string.h>

#define BIT(i) ((event_row)1 << (i))

/* ---- paths ------------------------------------------------------------ */

static enum arrow
sync_kind(const struct execution *x, int from, int to)
{
	if (x->sc[from] & BIT(to))
		return ARROW_SC;
	if (x->async[from] & BIT(to))
		return ARROW_ASYNC;
	return x->events[to].kind == EVENT_BARRIER ? ARROW_BARRIER :
	    ARROW_SW;
}

static bool
add(struct reason *c, int from, int to, enum arrow kind)
{
	if (c->count == STEPS_MAX)
		return false;
	c->steps[c->count++] = (struct step){from, to, kind};
	return true;
}

/* The shortest way over the rows; previous[] leads back from `to`. */
static bool
shortest(const event_row *rows, int n, int from, int to, int *previous)
{
	int queue[EVENTS_MAX], head = 0, tail = 0, i;
	event_row seen = 0;

	queue[tail++] = from;
	while (head < tail) {
		int at = queue[head++];

		for (i = 0; i < n; i++) {
			if (!(rows[at] >> i & 1) || seen >> i & 1)
				continue;
			seen |= BIT(i);
			previous[i] = at;
			if (i == to)
				return true;
			queue[tail++] = i;
		}
	}
	return false;
}

/* Events from[0] ... of the way, in order; their number. */
static int
unwind(const int *previous, int from, int to, int *way)
{
	int back[EVENTS_MAX + 1], n = 0, i;

	back[n++] = to;
	do {
		to = previous[to];
		back[n++] = to;
	} while (to != from && n <= EVENTS_MAX);
	for (i = 0; i < n; i++)
		way[i] = back[n - 1 - i];
	return n;
}

bool
reason_path(const struct execution *x, int from, int to, struct reason *reason)
{
	event_row rows[EVENTS_MAX];
	int previous[EVENTS_MAX], way[EVENTS_MAX + 1], n, i;

	/* nothing is ordered through a copy: only from it, or to it */
	for (i = 0; i < x->count; i++)
		rows[i] = x->events[i].async && i != from ? 0 :
		    x->po[i] | x->sw[i] | x->async[i];
	for (i = 0; x->events[from].async && i < x->count; i++)
		if (x->async[from] & BIT(i) && x->events[i].async)
			rows[i] = x->sw[i] | x->async[i];
	if (!shortest(rows, x->count, from, to, previous))
		return false;
	n = unwind(previous, from, to, way);
	for (i = 0; i + 1 < n; i++)
		if (!add(reason, way[i], way[i + 1],
		    x->po[way[i]] & BIT(way[i + 1]) ? ARROW_PO :
		    sync_kind(x, way[i], way[i + 1])))
			return false;
	return true;
}

/* Causality order: base causality, or observation and then that. */
static bool
cause_path(const struct execution *x, int from, int to, struct reason *reason)
{
	int count = reason->count, i;

	if (x->base[from] & BIT(to) && reason_path(x, from, to, reason))
		return true;
	for (i = 0; i < x->count; i++) {
		reason->count = count;
		if (x->obs[from] & BIT(i) && i != to &&
		    add(reason, from, i, ARROW_OBS) &&
		    reason_path(x, i, to, reason))
			return true;
	}
	reason->count = count;
	return false;
}

/* ---- cycles of the axioms --------------------------------------------- */

static void
keep_shorter(struct reason *best, const struct reason *c)
{
	if (c->count && (!best->count || c->count < best->count))
		*best = *c;
}

/* 8.10.6: a read before the write it returns, or after one that overwrote
   that, in causality order. */
static void
causality_cycle(const struct execution *x, struct reason *best)
{
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = 0; j < x->count; j++) {
			struct reason c = {.count = 0};

			if (x->rf[i] & BIT(j) && x->cause[j] & BIT(i) &&
			    add(&c, i, j, ARROW_RF) &&
			    cause_path(x, j, i, &c))
				keep_shorter(best, &c);
			c.count = 0;
			if (x->fr[i] & BIT(j) && x->cause[j] & BIT(i) &&
			    add(&c, i, j, ARROW_FR) &&
			    cause_path(x, j, i, &c))
				keep_shorter(best, &c);
		}
}

static bool
same_writes(const struct execution *x, int i, int j)
{
	const struct event *a = &x->events[i], *b = &x->events[j];

	return (a->kind == EVENT_WRITE || a->kind == EVENT_INIT) &&
	    b->kind == EVENT_WRITE && a->loc == b->loc;
}

/* 8.10.1: causality order of writes that coherence order contradicts; or
   8.2.6: an initial value that is to be the last. */
static void
coherence_cycle(const struct execution *x, struct reason *best)
{
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = 0; j < x->count; j++) {
			struct reason c = {.count = 0};

			if (!same_writes(x, i, j))
				continue;
			if (x->events[i].kind == EVENT_INIT) {
				if (x->co[j] & BIT(i) &&
				    add(&c, i, j, ARROW_INIT) &&
				    add(&c, j, i, ARROW_CO))
					keep_shorter(best, &c);
				continue;
			}
			if (!(x->cause[i] & BIT(j)) ||
			    !cause_path(x, i, j, &c))
				continue;
			if (i == j || (x->cause[j] & BIT(i) ?
			    cause_path(x, j, i, &c) :
			    x->co[j] & BIT(i) && add(&c, j, i, ARROW_CO)))
				keep_shorter(best, &c);
		}
}

/* 8.10.2: base causality against Fence-SC order. */
static void
fence_sc_cycle(const struct execution *x, struct reason *best)
{
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = 0; j < x->count; j++) {
			struct reason c = {.count = 0};

			if (x->sc[i] & BIT(j) && x->base[j] & BIT(i) &&
			    add(&c, i, j, ARROW_SC) &&
			    reason_path(x, j, i, &c))
				keep_shorter(best, &c);
		}
}

/* 8.10.3: a write between the halves of an atomic. */
static void
atomicity_cycle(const struct execution *x, struct reason *best)
{
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = 0; j < x->count; j++) {
			struct reason c = {.count = 0};
			int w = x->events[i].rmw;

			if (x->events[i].kind == EVENT_READ && w >= 0 &&
			    x->fr[i] & x->ms[i] & BIT(j) &&
			    x->co[j] & x->ms[j] & BIT(w)) {
				add(&c, i, j, ARROW_FR);
				add(&c, j, w, ARROW_CO);
				keep_shorter(best, &c);
			}
		}
}

/* The shortest cycle of a union of relations; kind_of says of which. */
static void
union_cycle(const struct execution *x, const event_row *rows,
    enum arrow (*kind_of)(const struct execution *x, int from, int to),
    struct reason *best)
{
	int previous[EVENTS_MAX], way[EVENTS_MAX + 1], i, k, n;

	for (i = 0; i < x->count; i++) {
		struct reason c = {.count = 0};
		bool fits = true;

		if (!shortest(rows, x->count, i, i, previous))
			continue;
		n = unwind(previous, i, i, way);
		for (k = 0; k + 1 < n; k++)
			fits = fits && add(&c, way[k], way[k + 1],
			    kind_of(x, way[k], way[k + 1]));
		if (fits)
			keep_shorter(best, &c);
	}
}

static enum arrow
communication_kind(const struct execution *x, int from, int to)
{
	return x->rf[from] & BIT(to) ? ARROW_RF :
	    x->fr[from] & BIT(to) ? ARROW_FR :
	    x->co[from] & BIT(to) ? ARROW_CO : ARROW_PO;
}

static enum arrow
value_kind(const struct execution *x, int from, int to)
{
	return x->rf[from] & BIT(to) ? ARROW_RF : ARROW_DEP;
}

/* 8.10.5 */
static void
location_cycle(const struct execution *x, struct reason *best)
{
	event_row rows[EVENTS_MAX];
	int i, j;

	for (i = 0; i < x->count; i++) {
		event_row same = 0;

		for (j = 0; j < x->count; j++)
			if (x->events[j].var >= 0 &&
			    x->events[i].var == x->events[j].var &&
			    x->events[i].loc == x->events[j].loc)
				same |= BIT(j);
		rows[i] = (x->po[i] & same) |
		    ((x->rf[i] | x->co[i] | x->fr[i]) & x->ms[i]);
	}
	union_cycle(x, rows, communication_kind, best);
}

/* 8.10.4 */
static void
thin_air_cycle(const struct execution *x, struct reason *best)
{
	event_row rows[EVENTS_MAX];
	int i;

	for (i = 0; i < x->count; i++)
		rows[i] = x->rf[i] | x->dep[i];
	union_cycle(x, rows, value_kind, best);
}

bool
reason_find(const struct execution *x, enum axiom axiom, struct reason *reason)
{
	static void (*const find[])(const struct execution *,
	    struct reason *) = {
		[AXIOM_THIN_AIR] = thin_air_cycle,
		[AXIOM_FENCE_SC] = fence_sc_cycle,
		[AXIOM_CAUSALITY] = causality_cycle,
		[AXIOM_COHERENCE] = coherence_cycle,
		[AXIOM_ATOMICITY] = atomicity_cycle,
		[AXIOM_SC_LOCATION] = location_cycle,
	};

	reason->count = 0;
	if (axiom != AXIOM_NONE)
		find[axiom](x, reason);
	return reason->count > 0;
}

bool
sync_accesses(const struct execution *x, int head, int tail, int *write,
    int *read)
{
	int w, r;

	for (w = 0; w < x->count; w++)
		for (r = 0; r < x->count; r++)
			if (x->events[w].kind == EVENT_WRITE &&
			    (w == head || x->po[head] & BIT(w)) &&
			    x->obs[w] & BIT(r) &&
			    (r == tail || x->po[r] & BIT(tail))) {
				*write = w;
				*read = r;
				return true;
			}
	return false;
}
