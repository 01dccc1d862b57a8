/*
 * Which dependencies are real.
 *
 * PTX ISA 8.10.4: "the implementation may perform any chain of reasoning to
 * determine that a store is not dependent on a prior load". So an event
 * depends on a read only if some other value of it, among all that its
 * location may hold, would change the event. That is found out by running
 * the thread again; only candidates that No-Thin-Air would forbid ask.
 */
#include "steps.h"

#define RUNS_MAX 512 /* for one question: then the dependency is believed */

static bool
same_place(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->insn == b->insn &&
	    a->turn == b->turn && a->part == b->part;
}

/* Does the run do what the event does? */
static bool
run_has(const struct runner *r, const struct event *e)
{
	int i;

	for (i = 0; i < r->count; i++) {
		const struct event *f = &r->events[i].event;

		if (same_place(e, f))
			return e->loc == f->loc && e->var == f->var &&
			    (e->kind == EVENT_READ || e->value == f->value);
	}
	return false;
}

/* Does event e come about whatever the reads in `free`, and reads that the
   path does not have, return? */
static bool
is_free_of(struct runner *r, const struct path_event *e, event_row free)
{
	int runs = 0;

	r->free = free;
	r->depth = 0;
	do {
		if (++runs > RUNS_MAX || !steps_run(r))
			return false;
		if (!run_has(r, &e->event))
			return false;
	} while (runner_next(r));
	return true;
}

/*
 * Of the reads that event e of a path seems to depend on, drops those among
 * `reads` on which it does not. Several may be dropped only if the event
 * comes about whatever they all return. True if any was.
 */
bool
deps_refine(struct model *m, int t, const struct path *path,
    struct path_event *e, event_row reads)
{
	struct runner r = {.m = m, .path = path};
	event_row before = e->free;
	int i;

	reads &= (e->data | e->ctrl) & ~e->real;
	if (!reads)
		return false;
	runner_start(&r, t);
	EACH(i, reads) {
		if (is_free_of(&r, e, e->free | BIT(i)))
			e->free |= BIT(i);
		else
			e->real |= BIT(i);
	}
	e->data &= ~e->free;
	e->ctrl &= ~e->free;
	return e->free != before;
}
