/*
 * Why a read that takes another thread's value does not synchronize with
 * the write: what of PTX ISA 8.7 to 8.9.4 is missing, in plain words.
 */
#include "edit.h"
#include "explain.h"

#include <string.h>

#define BIT(i) ((event_row)1 << (i))

static const char *
letter_of(const struct picture *g, int event)
{
	return g->nodes[g->node_of[event]].letter;
}

static bool
releases(const struct event *e)
{
	return (e->kind == EVENT_WRITE || e->kind == EVENT_FENCE) &&
	    (e->sem == SEM_RELEASE || e->sem == SEM_ACQ_REL ||
	    e->sem == SEM_SC);
}

static bool
acquires(const struct event *e)
{
	return (e->kind == EVENT_READ || e->kind == EVENT_FENCE) && !e->red &&
	    (e->sem == SEM_ACQUIRE || e->sem == SEM_ACQ_REL ||
	    e->sem == SEM_SC);
}

static bool
same_location(const struct event *a, const struct event *b)
{
	return a->loc == b->loc && a->var == b->var;
}

/* Patterns 1 to 3 of 8.8, but for the strength of the access itself. */
static bool
heads(const struct execution *x, int head, int write)
{
	const struct event *h = &x->events[head], *w = &x->events[write];

	return releases(h) && (head == write || (x->po[head] & BIT(write) &&
	    (h->kind == EVENT_FENCE || same_location(h, w))));
}

static bool
tails(const struct execution *x, int read, int tail)
{
	const struct event *r = &x->events[read], *t = &x->events[tail];

	return acquires(t) && (tail == read || (x->po[read] & BIT(tail) &&
	    (t->kind == EVENT_FENCE || same_location(r, t))));
}

/* The last head or the first tail, or -1. */
static int
find_end(const struct execution *x, int access, bool head)
{
	int i, best = -1;

	for (i = 0; i < x->count; i++)
		if (head ? heads(x, i, access) : tails(x, access, i))
			best = best >= 0 && !head ? best : i;
	return best;
}

/* Each operation's scope must include the other's thread. */
static bool
scope_missing(struct text *t, const struct picture *g, int a, int b)
{
	const struct event *e = &g->x->events[a], *f = &g->x->events[b];
	enum scope needed = scope_between(g->p, e->thread, f->thread);

	if (e->scope >= needed)
		return false;
	text_printf(t, "    - %s (P%d) has scope .%s, which does not reach "
	    "P%d in %s: .%s is needed (ISA 8.5, 8.7)\n", letter_of(g, a),
	    e->thread, scope_name(e->scope), f->thread,
	    needed == SCOPE_SYS ? "another GPU" : needed == SCOPE_GPU ?
	    "another CTA" : "another CTA of its cluster",
	    scope_name(needed));
	return true;
}

/* Both ways; false if scopes are not what is missing. */
static bool
scopes_missing(struct text *t, const struct picture *g, int a, int b)
{
	bool first = scope_missing(t, g, a, b);

	return scope_missing(t, g, b, a) || first;
}

bool
fences_missing(struct text *t, const struct picture *g)
{
	const struct execution *x = g->x;
	bool missing = false;
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = 0; j < i; j++)
			if (x->events[i].kind == EVENT_FENCE &&
			    x->events[j].kind == EVENT_FENCE &&
			    x->events[i].sem == SEM_SC &&
			    x->events[j].sem == SEM_SC &&
			    x->events[i].thread != x->events[j].thread)
				missing = scopes_missing(t, g, j, i) ||
				    missing;
	return missing;
}

static void
say(struct text *t, const char *letter, int thread, const char *what)
{
	text_printf(t, "    - %s (P%d) %s\n", letter, thread, what);
}

/* The accesses themselves: strong, of scopes that reach, of one proxy. */
static bool
accesses_missing(struct text *t, const struct picture *g, int write,
    int read)
{
	const struct event *w = &g->x->events[write];
	const struct event *r = &g->x->events[read];
	bool missing = false;

	if (w->sem == SEM_WEAK || r->sem == SEM_WEAK) {
		missing = true;
		if (w->sem == SEM_WEAK)
			say(t, letter_of(g, write), w->thread,
			    "is weak: whoever reads it learns nothing "
			    "about what came before it (ISA 8.4, 8.7)");
		if (r->sem == SEM_WEAK)
			say(t, letter_of(g, read), r->thread,
			    "is weak: it may read a value without seeing "
			    "what came before it (ISA 8.4, 8.7)");
	} else if (!(g->x->ms[write] & BIT(read))) {
		missing = true;
		if (!scopes_missing(t, g, write, read))
			text_printf(t, "    - %s and %s are of different "
			    "proxies, or of addresses that differ (ISA "
			    "8.7)\n", letter_of(g, write),
			    letter_of(g, read));
	}
	return missing;
}

bool
sync_missing(struct text *t, const struct picture *g, int write, int read)
{
	const struct execution *x = g->x;
	int head = find_end(x, write, true), tail = find_end(x, read, false);
	int wt = x->events[write].thread, rt = x->events[read].thread;
	bool missing;

	if (head >= 0 && tail >= 0 && x->sw[head] & BIT(tail))
		return false;
	missing = accesses_missing(t, g, write, read);
	if (head < 0) {
		missing = true;
		text_printf(t, "    - nothing releases: %s is no release, "
		    "and P%d has no release fence before it (ISA 8.8)\n",
		    letter_of(g, write), wt);
	}
	if (tail < 0) {
		missing = true;
		text_printf(t, "    - nothing acquires: %s is no acquire, "
		    "and P%d has no acquire fence after it (ISA 8.8)\n",
		    letter_of(g, read), rt);
	}
	if (head >= 0 && tail >= 0 && !(x->ms[head] & BIT(tail))) {
		/* if these are the accesses, it has been said */
		if ((head != write || tail != read) &&
		    !scopes_missing(t, g, head, tail))
			text_printf(t, "    - %s and %s do not reach each "
			    "other (ISA 8.7)\n", letter_of(g, head),
			    letter_of(g, tail));
		missing = true;
	}
	return missing;
}
