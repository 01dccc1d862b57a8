/*
 * Why an outcome is allowed, or what forbids it, for people who have never
 * seen an axiomatic model.
 *
 * Allowed: an execution that ends so, where in it one thread learns of
 * another's write without learning of what came before, and the fewest
 * changes that would forbid it. Forbidden: for each way to get the outcome
 * the steps that lead in a circle, and what it all hangs on.
 */
#include "explain.h"

#include <string.h>

#define VISITS_MAX 20000 /* candidates looked at */

/* ---- candidates that are rejected ------------------------------------- */

static bool
same_step(const struct execution *x, const struct step *a,
    const struct execution *y, const struct step *b)
{
	return a->kind == b->kind &&
	    x->events[a->from].thread == y->events[b->from].thread &&
	    x->events[a->from].insn == y->events[b->from].insn &&
	    x->events[a->to].thread == y->events[b->to].thread &&
	    x->events[a->to].insn == y->events[b->to].insn;
}

static bool
same_reason(const struct killed *k, const struct execution *x,
    enum axiom axiom, const struct reason *r)
{
	int i;

	if (k->axiom != axiom || k->reason.count != r->count)
		return false;
	for (i = 0; i < r->count; i++)
		if (!same_step(&k->x, &k->reason.steps[i], x, &r->steps[i]))
			return false;
	return true;
}

static bool
visit(void *user, const struct execution *x, enum axiom axiom)
{
	struct kills *kills = user;
	struct reason reason;
	int i;

	if (kills->visits == VISITS_MAX) {
		kills->cut = true;
		return false;
	}
	kills->visits++;
	if (!reason_find(x, axiom, &reason)) {
		kills->others++;
		return true;
	}
	for (i = 0; i < kills->count; i++)
		if (same_reason(&kills->list[i], x, axiom, &reason)) {
			kills->list[i].count++;
			return true;
		}
	if (kills->count == KILLED_MAX) {
		kills->others++;
		return true;
	}
	kills->list[kills->count++] = (struct killed){*x, axiom, reason, 1};
	return true;
}

/* ---- the whole -------------------------------------------------------- */

static const char *
title(const struct program *p, uint32_t code, const struct outcome *o,
    struct arena *a)
{
	struct text t;

	text_init(&t, a);
	text_printf(&t, "%s: ", p->name);
	outcome_print(&t, p, code);
	text_printf(&t, !o ? " is forbidden" : o->sc ?
	    " is allowed (an interleaving gives it)" : " is allowed");
	return t.s;
}

static void
put_picture(struct text *t, const struct picture *g,
    enum explain_format format)
{
	if (format == EXPLAIN_DOT)
		picture_dot(t, g);
	else
		picture_svg(t, g);
}

struct first {
	struct execution x;
	bool found;
};

static bool
visit_first(void *user, const struct execution *x, enum axiom axiom)
{
	struct first *first = user;

	if (axiom != AXIOM_NONE)
		return true;
	first->x = *x;
	first->found = true;
	return false;
}

static bool
explain_allowed(struct text *t, const struct program *p,
    const struct model_opts *opts, const struct outcome *o,
    enum explain_format format, struct arena *a, struct err *err)
{
	struct picture *g = arena_alloc(a, sizeof(*g));
	struct first *first = arena_alloc(a, sizeof(*first));
	const struct execution *x = o->witness;

	if (!x) {
		if (!model_candidates(p, opts, o->code, visit_first, first,
		    a, err))
			return false;
		if (!first->found)
			return err_set(err, ERR_UNSUPPORTED, p->loc,
			    "no execution of this outcome can be shown");
		x = &first->x;
	}
	picture_make(g, p, x, NULL, a);
	g->title = title(p, o->code, o, a);
	if (format != EXPLAIN_TEXT) {
		put_picture(t, g, format);
		return true;
	}
	text_printf(t, "%s\n\n", g->title);
	explain_words_allowed(t, g, opts, o);
	return true;
}

static bool
explain_forbidden(struct text *t, const struct program *p,
    const struct model_opts *opts, uint32_t code, enum explain_format format,
    struct arena *a, struct err *err)
{
	struct picture *g = arena_alloc(a, sizeof(*g));
	struct kills *kills = arena_alloc(a, sizeof(*kills));
	const char *head = title(p, code, NULL, a);

	if (!model_candidates(p, opts, code, visit, kills, a, err))
		return false;
	if (format == EXPLAIN_TEXT) {
		text_printf(t, "%s\n\n", head);
		explain_words_forbidden(t, p, opts, kills);
		return true;
	}
	if (!kills->count)
		return err_set(err, ERR_UNSUPPORTED, p->loc, "there is "
		    "nothing to draw: no execution ends so");
	picture_make(g, p, &kills->list[0].x, &kills->list[0].reason, a);
	g->title = arena_printf(a, "%s by %s", head,
	    axiom_name(kills->list[0].axiom));
	put_picture(t, g, format);
	return true;
}

bool
model_explain(struct text *t, const struct program *p,
    const struct model_opts *opts, uint32_t code, enum explain_format format,
    struct arena *a, struct err *err)
{
	struct model_opts o = *opts;
	struct outcomes out;
	const struct outcome *found;
	const char *note;

	o.witnesses = true;
	if (!model_run(p, &o, a, &out, err))
		return false;
	if (out.status != MODEL_OK)
		return err_set(err, ERR_UNSUPPORTED, out.reason_loc,
		    "the model has no verdict: %s", out.reason);
	found = outcomes_find(&out, code);
	if (!(found ? explain_allowed(t, p, &o, found, format, a, err) :
	    explain_forbidden(t, p, &o, code, format, a, err)))
		return false;
	note = outcomes_note(&out, a);
	if (format == EXPLAIN_TEXT && note)
		text_printf(t, "\nThis verdict is not the ISA's alone: "
		    "%s%s%s.\n", note, out.undefined ? ": " : "",
		    out.undefined ? out.undefined : "");
	return true;
}
