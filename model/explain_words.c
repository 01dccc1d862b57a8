/*
 * Explanations in words, for people who have never seen an axiomatic model.
 */
#include "explain.h"

#include <inttypes.h>
#include <string.h>

#define BIT(i) ((event_row)1 << (i))

/* ---- parts of both ---------------------------------------------------- */

static const char *
letter(const struct picture *g, int event)
{
	return g->nodes[g->node_of[event]].letter;
}

static void
put_place(struct text *t, const struct picture *g, int event)
{
	const struct event *e = &g->x->events[event];

	if (e->thread < 0)
		text_printf(t, "the initial value");
	else
		text_printf(t, "P%d, line %d", e->thread, g->p->threads[
		    e->thread].insns[e->insn].loc.line);
}

/* The boxes, one a line. */
static void
put_nodes(struct text *t, const struct picture *g)
{
	int i, last = -2;

	for (i = 0; i < g->nnodes; i++) {
		const struct node *n = &g->nodes[i];

		if (n->thread != last && n->thread >= 0)
			text_printf(t, "  P%d (cta %d, gpu %d)\n", n->thread,
			    g->p->threads[n->thread].cta,
			    g->p->threads[n->thread].gpu);
		else if (n->thread != last)
			text_printf(t, "  before all threads\n");
		last = n->thread;
		text_printf(t, "    %-3s %s", n->letter, n->text);
		if (*n->note)
			text_printf(t, "    %s", n->note);
		text_printf(t, "\n");
	}
}

static const char *
accessed(const struct picture *g, int event)
{
	return g->p->vars[g->x->events[event].var].name;
}

/* What was read, and what of it is stale. */
static void
put_reads(struct text *t, const struct picture *g)
{
	const struct execution *x = g->x;
	int w, r, i;

	for (r = 0; r < x->count; r++) {
		if (x->events[r].kind != EVENT_READ || x->events[r].red)
			continue;
		for (w = 0; w < x->count; w++)
			if (x->rf[w] & BIT(r))
				break;
		if (w == x->count)
			continue;
		text_printf(t, "  %s %s [%s]", letter(g, r),
		    x->events[r].mbarrier ? "finds" : "reads",
		    accessed(g, r));
		if (!x->events[r].mbarrier)
			text_printf(t, " = %" PRIu64, x->events[r].value);
		if (x->events[w].kind == EVENT_INIT)
			text_printf(t, x->events[r].mbarrier ?
			    " as it was set up" : ", the initial value");
		else
			text_printf(t, x->events[r].mbarrier ?
			    " as %s leaves it" : " from %s", letter(g, w));
		for (i = 0; i < x->count; i++)
			if (x->fr[r] & BIT(i) && i != x->events[r].rmw &&
			    x->events[i].thread != x->events[r].thread)
				text_printf(t, "; not what %s writes",
				    letter(g, i));
		text_printf(t, "\n");
	}
}

static const char *
access_kind(const struct event *e)
{
	return e->kind == EVENT_READ ? "read" : "write";
}

static bool
races(const struct execution *x, int i, int j)
{
	const struct event *a = &x->events[i], *b = &x->events[j];
	bool access = (a->kind == EVENT_READ || a->kind == EVENT_WRITE) &&
	    (b->kind == EVENT_READ || b->kind == EVENT_WRITE) &&
	    (a->kind == EVENT_WRITE || b->kind == EVENT_WRITE);

	return access && (a->thread != b->thread || a->async != b->async) &&
	    !(a->mbarrier && b->mbarrier) && a->loc == b->loc &&
	    !(x->ms[i] & BIT(j)) && !(x->cause[i] & BIT(j)) &&
	    !(x->cause[j] & BIT(i));
}

void
model_races(struct text *t, const struct program *p,
    const struct execution *x)
{
	int i, j;

	for (i = 0; i < x->count; i++)
		for (j = i + 1; j < x->count; j++) {
			const struct event *a = &x->events[i];
			const struct event *b = &x->events[j];

			if (!races(x, i, j))
				continue;
			text_printf(t, "  [%s]: P%d line %d (%s) and P%d "
			    "line %d (%s)\n", p->vars[a->var].name,
			    a->thread, p->threads[a->thread].insns[a->insn]
			    .loc.line, access_kind(a), b->thread,
			    p->threads[b->thread].insns[b->insn].loc.line,
			    access_kind(b));
		}
}

static void
put_races(struct text *t, const struct program *p,
    const struct execution *x)
{
	struct text list;

	text_init(&list, t->arena);
	model_races(&list, p, x);
	if (list.size)
		text_printf(t, "\nData races here (ISA 8.7.1: no moral "
		    "strength and no causality order between them):\n%s",
		    list.s);
}

/* ---- allowed ---------------------------------------------------------- */

/* For each value taken from another thread: does more come with it? */
static void
put_unordered(struct text *t, const struct picture *g)
{
	const struct execution *x = g->x;
	int w, r;

	for (w = 0; w < x->count; w++)
		for (r = 0; r < x->count; r++) {
			struct text why;

			if (!(x->rf[w] & BIT(r)) || x->events[w].thread < 0 ||
			    x->events[w].thread == x->events[r].thread ||
			    x->events[r].red)
				continue;
			text_init(&why, t->arena);
			if (sync_missing(&why, g, w, r))
				text_printf(t, "  %s reads from %s, but that "
				    "orders nothing else:\n%s", letter(g, r),
				    letter(g, w), why.s);
			else
				text_printf(t, "  %s reads from %s, and what "
				    "comes before %s is ordered before what "
				    "comes after %s.\n", letter(g, r),
				    letter(g, w), letter(g, w), letter(g, r));
		}
}

/* Does nobody read what another thread writes? */
static bool
reads_nothing_new(const struct execution *x)
{
	int w, r;

	for (w = 0; w < x->count; w++)
		for (r = 0; r < x->count; r++)
			if (x->rf[w] & BIT(r) && x->events[w].thread >= 0 &&
			    x->events[w].thread != x->events[r].thread)
				return false;
	return true;
}

/* Reads that miss a write: no chain leads from it to them. */
static void
put_stale(struct text *t, const struct picture *g)
{
	const struct execution *x = g->x;
	int r, w;

	for (r = 0; r < x->count; r++)
		for (w = 0; w < x->count; w++)
			if (x->fr[r] & BIT(w) && w != x->events[r].rmw &&
			    x->events[w].thread != x->events[r].thread)
				text_printf(t, "  So no chain of program "
				    "order and synchronization leads from "
				    "%s to %s, and %s may miss it (ISA "
				    "8.9.5, 8.10.6).\n", letter(g, w),
				    letter(g, r), letter(g, r));
}

static void
put_why(struct text *t, const struct picture *g)
{
	put_unordered(t, g);
	if (reads_nothing_new(g->x))
		text_printf(t, "  Nobody reads what another thread has "
		    "written, so nothing synchronizes; release and acquire "
		    "cannot help. Only a fence.sc in each thread, between "
		    "its accesses, would order them (ISA 8.9.3).\n");
	fences_missing(t, g);
	put_stale(t, g);
}

static void
put_suggestions(struct text *t, const struct program *p,
    const struct model_opts *opts, const struct outcome *o)
{
	struct strengthening list[STRENGTHENINGS_MAX];
	int count = 0, i;

	model_strengthen(p, opts, o->code, t->arena, list, &count);
	if (!count && o->sc)
		return;
	text_printf(t, "\nWhat would forbid it (one line is enough):\n");
	for (i = 0; i < count; i++)
		text_printf(t, "  %s%s\n", i ? "or  " : "    ",
		    list[i].what);
	if (!count)
		text_printf(t, "  no stronger access, fence or barrier that "
		    "was tried: the order of the accesses itself allows "
		    "it.\n");
}

void
explain_words_allowed(struct text *t, const struct picture *g,
    const struct model_opts *opts, const struct outcome *o)
{
	const struct program *p = g->p;

	text_printf(t, "An execution that ends so:\n");
	put_nodes(t, g);
	text_printf(t, "\n");
	put_reads(t, g);
	if (o->sc) {
		text_printf(t, "\nAn interleaving of the threads gives it: "
		    "it is a matter of who comes first, and no fence or "
		    "scope forbids that.\n");
		put_races(t, p, g->x);
		put_suggestions(t, p, opts, o);
		return;
	}
	text_printf(t, "\nNo interleaving of the threads gives this. Why "
	    "PTX allows it:\n");
	put_why(t, g);
	put_races(t, p, g->x);
	put_suggestions(t, p, opts, o);
}

/* ---- forbidden -------------------------------------------------------- */

static const char *
axiom_words(enum axiom axiom)
{
	static const char *const words[] = {
		[AXIOM_NONE] = "",
		[AXIOM_THIN_AIR] = "a value would cause itself",
		[AXIOM_FENCE_SC] = "two fence.sc would each come before the "
		    "other",
		[AXIOM_CAUSALITY] = "a read would miss a write that comes "
		    "before it in causality order",
		[AXIOM_COHERENCE] = "a write would be overwritten by one "
		    "that comes before it in causality order",
		[AXIOM_ATOMICITY] = "another write would come between the "
		    "two halves of an atomic",
		[AXIOM_SC_LOCATION] = "the threads would disagree with "
		    "program order about one location",
	};

	return words[axiom];
}

static void
put_step(struct text *t, const struct picture *g, const struct step *s)
{
	const struct arrow_style *style = &arrow_styles[s->kind];
	int write, read;

	text_printf(t, "    %-3s %s  (", letter(g, s->from),
	    g->nodes[g->node_of[s->from]].text);
	put_place(t, g, s->from);
	text_printf(t, ")\n          %s %s  (%s, ISA %s)", style->words,
	    letter(g, s->to), style->name, style->section);
	if (s->kind == ARROW_SW && sync_accesses(g->x, s->from, s->to,
	    &write, &read))
		text_printf(t, "\n          because %s reads from %s%s",
		    letter(g, read), letter(g, write),
		    g->x->rf[write] & BIT(read) ? "" :
		    ", by way of other atomics");
	text_printf(t, "\n");
}

static void
put_killed(struct text *t, const struct program *p, const struct killed *k)
{
	struct picture *g = arena_alloc(t->arena, sizeof(*g));
	int i;

	picture_make(g, p, &k->x, &k->reason, t->arena);
	text_printf(t, "\n%s (ISA %s): %s.\n", axiom_name(k->axiom),
	    axiom_section(k->axiom), axiom_words(k->axiom));
	for (i = 0; i < k->reason.count; i++)
		put_step(t, g, &k->reason.steps[i]);
	text_printf(t, "    and so back to %s: a circle, which the model "
	    "forbids.\n", letter(g, k->reason.steps[0].from));
}

static void
put_twins(struct text *t, const struct program *p,
    const struct model_opts *opts)
{
	struct weakenings w = {0};
	struct err err;
	int i;

	if (!model_twins(p, opts, t->arena, &w, &err) || !w.ntwins)
		return;
	text_printf(t, "\nIt hangs on each of these: with any one of them "
	    "weakened the test's outcome is allowed.\n");
	for (i = 0; i < w.ntwins; i++)
		text_printf(t, "    %s\n", w.twins[i].what);
}

void
explain_words_forbidden(struct text *t, const struct program *p,
    const struct model_opts *opts, const struct kills *kills)
{
	int i;

	if (!kills->visits) {
		text_printf(t, "No combination of the values that are "
		    "written gives it.\n");
		return;
	}
	text_printf(t, "%" PRIu64 "%s candidate execution%s would end so. "
	    "What forbids %s:\n", kills->visits,
	    kills->cut ? " and more" : "",
	    kills->visits == 1 ? "" : "s", kills->visits == 1 ? "it" :
	    "them");
	for (i = 0; i < kills->count; i++)
		put_killed(t, p, &kills->list[i]);
	if (kills->others)
		text_printf(t, "\n%" PRIu64 " more break an axiom in other "
		    "ways.\n", kills->others);
	put_twins(t, p, opts);
}
