/*
 * Relations as bit matrices: bit j of row i says that i is related to j.
 */
#include "internal.h"

#include <string.h>

void
rows_invert(const event_row *r, event_row *inverse, int n)
{
	int i, j;

	memset(inverse, 0, (size_t)n * sizeof(*inverse));
	for (i = 0; i < n; i++)
		EACH(j, r[i])
			inverse[j] |= BIT(i);
}

void
rows_close(event_row *r, int n)
{
	int i, j;

	for (j = 0; j < n; j++)
		for (i = 0; i < n; i++)
			if (r[i] & BIT(j))
				r[i] |= r[j];
}

void
rows_reach(event_row *r, int n, int from, int to)
{
	event_row gained = r[to] | BIT(to);
	int i;

	if (!(gained & ~r[from]))
		return;
	for (i = 0; i < n; i++)
		if (i == from || r[i] & BIT(from))
			r[i] |= gained;
}

/* Takes away nodes without successors until none is left, or only what
   leads to cycles. */
static event_row
without_ends(const event_row *r, event_row nodes)
{
	event_row left = nodes, before;
	int i;

	do {
		before = left;
		EACH(i, before)
			if (!(r[i] & left))
				left &= ~BIT(i);
	} while (left && left != before);
	return left;
}

bool
rows_acyclic(const event_row *r, event_row nodes)
{
	return !without_ends(r, nodes);
}

event_row
rows_cyclic(const event_row *r, event_row nodes)
{
	event_row inverse[EVENTS_MAX];

	nodes = without_ends(r, nodes);
	rows_invert(r, inverse, EVENTS_MAX);
	return without_ends(inverse, nodes);
}
