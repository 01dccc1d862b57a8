/*
 * What would forbid an outcome that is allowed: the fewest changes among
 * stronger loads and stores, wider scopes, stronger or additional fences,
 * and a barrier of the CTA; of asynchronous copies, their fences and waits.
 *
 * Stronger annotations never allow more (weaken.c), so whole sets of
 * changes are judged with the strongest form of each, and each is then
 * weakened as far as it goes.
 */
#include "strengthen.h"

#include <string.h>

#define RUNS_MAX 2000
#define CANDIDATES_MAX 1000000
#define TOGETHER_MAX 4 /* changes that are all tried together */

/* ---- the changes ------------------------------------------------------ */

static enum scope
common_scope(const struct program *p)
{
	enum scope scope = SCOPE_CTA;
	int i;

	for (i = 1; i < p->nthreads; i++) {
		enum scope s = scope_between(p, 0, i);

		scope = s > scope ? s : scope;
	}
	return scope;
}

struct change *
change_new(struct strength_search *s)
{
	struct change *c;

	if (s->nchanges == CHANGES_MAX)
		return NULL;
	c = &s->changes[s->nchanges++];
	memset(c, 0, sizeof(*c));
	c->nedits = 1;
	return c;
}

static bool
has_sem(const struct insn *insn, enum sem sem)
{
	return insn->sem == sem || insn->sem == SEM_SC ||
	    (insn->sem == SEM_ACQ_REL && sem != SEM_SC) ||
	    (sem == SEM_RELAXED && insn->sem != SEM_WEAK);
}

static void
add_forms(struct strength_search *s, int thread, int index,
    const enum sem *sems, int n)
{
	const struct insn *insn = &s->p->threads[thread].insns[index];
	enum scope scope = insn->sem == SEM_VOLATILE ||
	    insn->sem == SEM_MMIO ? SCOPE_SYS : insn->scope;
	struct change *c = NULL;
	int i;

	for (i = 0; i < n; i++) {
		struct insn to = *insn;

		if (has_sem(insn, sems[i]) && scope >= s->scope)
			continue;
		if (!c && !(c = change_new(s)))
			return;
		to.sem = sems[i];
		to.scope = scope > s->scope ? scope : s->scope;
		to.cache = CACHE_NONE; /* only of weak accesses */
		c->forms[c->nforms++][0] = (struct edit){EDIT_REPLACE,
			thread, index, to};
	}
}

static void
add_access(struct strength_search *s, int thread, int index)
{
	static const enum sem load[] = {SEM_RELAXED, SEM_ACQUIRE};
	static const enum sem store[] = {SEM_RELAXED, SEM_RELEASE};
	static const enum sem rmw[] = {SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE,
		SEM_ACQ_REL};
	static const enum sem fence[] = {SEM_ACQ_REL, SEM_SC};
	const struct insn *insn = &s->p->threads[thread].insns[index];

	switch (insn->op->class) {
	case CLASS_LOAD:
		if (insn->op->id == OP_LD && !insn->nc)
			add_forms(s, thread, index, load, 2);
		break;
	case CLASS_STORE:
		if (insn->op->id == OP_ST)
			add_forms(s, thread, index, store, 2);
		break;
	case CLASS_RMW:
		add_forms(s, thread, index, rmw, 4);
		break;
	case CLASS_RED:
		add_forms(s, thread, index, store, 2);
		break;
	case CLASS_FENCE:
		if (insn->op->id == OP_FENCE && !insn->sync_restrict &&
		    !insn->mbarrier_init)
			add_forms(s, thread, index, fence, 2);
		break;
	default:
		break;
	}
}

bool
insn_is_access(const struct insn *insn)
{
	return insn->op->class >= CLASS_LOAD && insn->op->class <= CLASS_RED;
}

/* A fence between two accesses, right before the later. */
static void
add_gap(struct strength_search *s, int thread, int index)
{
	static const enum sem sems[] = {SEM_ACQ_REL, SEM_SC};
	const struct thread *t = &s->p->threads[thread];
	struct insn fence = {.loc = t->insns[index].loc,
		.op = &ops_table[OP_FENCE], .scope = s->scope, .vec = 1,
		.guard = -1};
	struct change *c;
	int i;

	for (i = index - 1; i >= 0 && !insn_is_access(&t->insns[i]); i--)
		if (t->insns[i].op->class == CLASS_FENCE)
			return;
	if (i < 0 || !insn_is_access(&t->insns[index]) ||
	    !(c = change_new(s)))
		return;
	for (i = 0; i < 2; i++) {
		fence.sem = sems[i];
		c->forms[c->nforms++][0] = (struct edit){EDIT_INSERT, thread,
			index, fence};
	}
}

static bool
straight(const struct thread *t)
{
	int i;

	for (i = 0; i < t->ninsns; i++)
		if (t->insns[i].op->class >= CLASS_BARRIER)
			return false;
	return true;
}

/* A barrier for two threads of a CTA, at each pair of places. */
static void
add_barriers(struct strength_search *s, int a, int b)
{
	const struct thread *t = &s->p->threads[a], *u = &s->p->threads[b];
	struct insn bar = {.op = &ops_table[OP_BAR_SYNC], .vec = 1,
		.guard = -1, .aligned = true, .nops = 1};
	struct change *c;
	int i, j;

	bar.ops[0] = (struct operand){.kind = OPERAND_IMM, .reg = -1,
		.var = -1};
	for (i = 0; i <= t->ninsns; i++)
		for (j = 0; j <= u->ninsns; j++) {
			/* with nothing before or nothing after both, no use */
			if ((!i && !j) || (i == t->ninsns &&
			    j == u->ninsns) || !(c = change_new(s)))
				continue;
			c->nforms = 1;
			c->nedits = 2;
			c->forms[0][0] = (struct edit){EDIT_INSERT, a, i, bar};
			c->forms[0][1] = (struct edit){EDIT_INSERT, b, j, bar};
		}
}

static void
find_changes(struct strength_search *s)
{
	const struct program *p = s->p;
	int t, u, i, together;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			s->bulk |= p->threads[t].insns[i].op->id == OP_BULK;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			add_access(s, t, i);
			strengthen_async(s, t, i);
		}
	for (t = 0; t < p->nthreads; t++)
		for (i = 1; i < p->threads[t].ninsns; i++)
			add_gap(s, t, i);
	for (t = 0; t < p->nthreads; t++) {
		int other = -1;

		for (u = 0, together = 0; u < p->nthreads; u++)
			if (p->threads[u].cta == p->threads[t].cta) {
				together++;
				other = u > t ? u : other;
			}
		if (together == 2 && other > t &&
		    straight(&p->threads[t]) && straight(&p->threads[other]))
			add_barriers(s, t, other);
	}
}

/* ---- judging sets ----------------------------------------------------- */

static int
edits_of(const struct strength_search *s, change_set set, const int *forms,
    struct edit *edits)
{
	int i, j, n = 0;

	for (i = 0; i < s->nchanges; i++)
		for (j = 0; set >> i & 1 && j < s->changes[i].nedits; j++)
			edits[n++] = s->changes[i].forms[forms ? forms[i] :
			    s->changes[i].nforms - 1][j];
	return n;
}

/* Two edits of one place cannot both be made. */
static bool
clashes(const struct edit *edits, int n)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (edits[i].thread == edits[j].thread &&
			    edits[i].insn == edits[j].insn &&
			    (edits[i].kind == EDIT_INSERT) ==
			    (edits[j].kind == EDIT_INSERT))
				return true;
	return false;
}

static bool
run_forbids(struct strength_search *s, const struct edit *edits, int n)
{
	struct outcomes out = {0};
	struct err err;

	if (clashes(edits, n) || s->runs >= RUNS_MAX ||
	    s->candidates > CANDIDATES_MAX)
		return false;
	arena_reset(s->scratch);
	s->runs++;
	if (!model_run(edit_program(s->p, edits, n, s->scratch), &s->opts,
	    s->scratch, &out, &err) || out.status != MODEL_OK)
		return false;
	s->candidates += out.candidates;
	return !outcomes_find(&out, s->code);
}

static bool
set_forbids(struct strength_search *s, change_set set)
{
	struct edit edits[CHANGES_MAX * 2];
	int i;

	for (i = 0; i < s->nallowed; i++)
		if (!(set & ~s->allowed[i]))
			return false;
	if (run_forbids(s, edits, edits_of(s, set, NULL, edits)))
		return true;
	if (s->nallowed < ALLOWED_MAX)
		s->allowed[s->nallowed++] = set;
	return false;
}

/* The weakest forms, one change after the other. */
static void
weaken_forms(struct strength_search *s, change_set set, int *forms)
{
	struct edit edits[CHANGES_MAX * 2];
	int i, f;

	for (i = 0; i < s->nchanges; i++)
		forms[i] = s->changes[i].nforms - 1;
	for (i = 0; i < s->nchanges; i++)
		for (f = 0; set >> i & 1 && f < s->changes[i].nforms - 1;
		    f++) {
			int old = forms[i];

			forms[i] = f;
			if (run_forbids(s, edits, edits_of(s, set, forms,
			    edits)))
				break;
			forms[i] = old;
		}
}

/*
 * A rough cost, for the order of suggestions: a barrier between accesses
 * is better than one at the end of a thread, a stronger access better than
 * one more fence.
 */
static int
cost_of(const struct strength_search *s, const struct edit *edits, int n)
{
	int i, cost = 0;

	for (i = 0; i < n; i++) {
		int last = s->p->threads[edits[i].thread].ninsns;

		if (edits[i].to.op->class == CLASS_BARRIER)
			cost += edits[i].insn > 0 && edits[i].insn < last ?
			    2 : 3;
		else
			cost += edits[i].to.sem == SEM_SC ? 8 :
			    edits[i].kind == EDIT_INSERT ? 5 :
			    edits[i].to.sem == SEM_RELAXED ? 1 : 3;
	}
	return cost;
}

static void
suggest(struct strength_search *s, change_set set)
{
	struct edit edits[CHANGES_MAX * 2];
	int forms[CHANGES_MAX], n, at;
	struct strengthening one;

	weaken_forms(s, set, forms);
	n = edits_of(s, set, forms, edits);
	one.program = edit_program(s->p, edits, n, s->arena);
	one.cost = cost_of(s, edits, n);
	one.what = edit_describe(s->p, edits, n, s->arena);
	one.changes = __builtin_popcountll(set);
	if (s->count == STRENGTHENINGS_MAX &&
	    one.cost >= s->list[s->count - 1].cost)
		return;
	s->count -= s->count == STRENGTHENINGS_MAX;
	for (at = s->count; at > 0 && s->list[at - 1].cost > one.cost; at--)
		s->list[at] = s->list[at - 1];
	s->list[at] = one;
	s->count++;
}

/* ---- the search ------------------------------------------------------- */

/* All sets of `size` more changes from `from` on, barriers apart. */
static void
choose(struct strength_search *s, change_set set, int from, int size)
{
	int i;

	if (size == 0) {
		if (set_forbids(s, set))
			suggest(s, set);
		return;
	}
	for (i = from; i + size <= s->nchanges; i++)
		if (s->changes[i].nedits == 1)
			choose(s, set | (change_set)1 << i, i + 1, size - 1);
}

/* Drops what is not needed, the last first: a minimal set. */
static change_set
shrink(struct strength_search *s, change_set set)
{
	int i;

	for (i = s->nchanges - 1; i >= 0; i--)
		if (set >> i & 1 && set_forbids(s, set &
		    ~((change_set)1 << i)))
			set &= ~((change_set)1 << i);
	return set;
}

/* The best place for a barrier that does it, alone or with the others. */
static void
try_barriers(struct strength_search *s, change_set others)
{
	change_set best = 0;
	int i, least = 0;

	for (i = 0; i < s->nchanges; i++) {
		const struct change *c = &s->changes[i];
		change_set set = others | (change_set)1 << i;
		int cost;

		if (c->nedits == 1)
			continue;
		cost = cost_of(s, c->forms[0], c->nedits);
		if ((!best || cost < least) && set_forbids(s, set)) {
			best = set;
			least = cost;
		}
	}
	if (best)
		suggest(s, shrink(s, best));
}

static void
try_accesses(struct strength_search *s, change_set all)
{
	int count = s->count, size, most;
	change_set some;

	if (!set_forbids(s, all))
		return;
	some = shrink(s, all);
	most = __builtin_popcountll(some);
	for (size = 1; size <= most && size <= TOGETHER_MAX &&
	    s->count == count; size++)
		choose(s, 0, 0, size);
	if (s->count == count)
		suggest(s, some);
}

bool
model_strengthen(const struct program *p, const struct model_opts *opts,
    uint32_t code, struct arena *a, struct strengthening *list, int *count)
{
	struct strength_search *s = arena_alloc(a, sizeof(*s));
	change_set all = 0;
	int i;

	*s = (struct strength_search){.p = p, .opts = *opts, .code = code,
		.arena = a, .scratch = arena_new(), .list = list,
		.scope = common_scope(p)};
	s->opts.witnesses = false;
	find_changes(s);
	for (i = 0; i < s->nchanges; i++)
		if (s->changes[i].nedits == 1)
			all |= (change_set)1 << i;
	try_barriers(s, 0);
	try_accesses(s, all);
	if (!s->count)
		try_barriers(s, all);
	*count = s->count;
	arena_free(s->scratch);
	return s->count > 0;
}
