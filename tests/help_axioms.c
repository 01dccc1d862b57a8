/* The naive procedure: relations and axioms, as the formulas have them. */
#include "help_naive.h"

#include <string.h>

/* ---- relations -------------------------------------------------------- */

void
rel_compose(const struct world *w, const struct rel *a, const struct rel *b,
    struct rel *out)
{
	struct rel c;
	int i, j, k;

	memset(&c, 0, sizeof(c));
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (a->has[i][j])
				for (k = 0; k < w->n; k++)
					c.has[i][k] |= b->has[j][k];
	*out = c;
}

void
rel_join(const struct world *w, struct rel *a, const struct rel *b)
{
	int i, j;

	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			a->has[i][j] |= b->has[i][j];
}

void
rel_meet(const struct world *w, struct rel *a, const struct rel *b)
{
	int i, j;

	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			a->has[i][j] = a->has[i][j] && b->has[i][j];
}

void
rel_transitive(const struct world *w, struct rel *a)
{
	int i, j, k;

	for (k = 0; k < w->n; k++)
		for (i = 0; i < w->n; i++)
			for (j = 0; a->has[i][k] && j < w->n; j++)
				a->has[i][j] |= a->has[k][j];
}

bool
rel_irreflexive(const struct world *w, const struct rel *a)
{
	int i;

	for (i = 0; i < w->n; i++)
		if (a->has[i][i])
			return false;
	return true;
}

bool
rel_acyclic(const struct world *w, const struct rel *a)
{
	struct rel c = *a;

	rel_transitive(w, &c);
	return rel_irreflexive(w, &c);
}

/* ---- from the events -------------------------------------------------- */

bool
naive_is_write(const struct naive_event *e)
{
	return e->type == E_WRITE || e->type == E_INIT;
}

static bool
is_memory(const struct naive_event *e)
{
	return e->type == E_READ || naive_is_write(e);
}

/* "specifies a scope that includes the thread executing the other" */
static bool
includes(const struct world *w, const struct naive_event *a,
    const struct naive_event *b)
{
	const struct naive_thread *s = &w->test->threads[a->thread];
	const struct naive_thread *t = &w->test->threads[b->thread];

	switch (a->scope) {
	case SCOPE_CTA:
		return s->gpu == t->gpu && s->cluster == t->cluster &&
		    s->cta == t->cta;
	case SCOPE_CLUSTER:
		return s->gpu == t->gpu && s->cluster == t->cluster;
	case SCOPE_GPU:
		return s->gpu == t->gpu;
	default:
		return a->scope == SCOPE_SYS;
	}
}

/* Operations of an mbarrier are atomic to each other in any scope. */
static bool
of_one_mbarrier(const struct world *w, int i, int j)
{
	const struct naive_event *a = &w->e[i], *b = &w->e[j];

	return i != j && a->thread >= 0 && b->thread >= 0 &&
	    is_memory(a) && is_memory(b) && a->location == NAIVE_MBARRIER &&
	    b->location == NAIVE_MBARRIER;
}

static bool
morally_strong(const struct world *w, int i, int j)
{
	const struct naive_event *a = &w->e[i], *b = &w->e[j];

	if (i == j || a->thread < 0 || b->thread < 0)
		return false;
	if (a->thread != b->thread && (!a->strong || !b->strong ||
	    !includes(w, a, b) || !includes(w, b, a)))
		return false;
	if (w->version != NAIVE_60 && a->proxy != b->proxy)
		return false;
	return !is_memory(a) || !is_memory(b) ||
	    (a->location == b->location && a->address == b->address);
}

static bool
program_order(const struct world *w, int i, int j)
{
	const struct naive_event *a = &w->e[i], *b = &w->e[j];

	if (a->thread < 0 || a->thread != b->thread || i >= j)
		return false;
	/* elements of a vector come in no order */
	return a->insn != b->insn || a->element == b->element;
}

void
naive_start(struct world *w)
{
	int i, j;

	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++) {
			const struct naive_event *a = &w->e[i], *b = &w->e[j];
			bool memory = is_memory(a) && is_memory(b);

			w->loc.has[i][j] = memory &&
			    a->location == b->location;
			w->address.has[i][j] = w->loc.has[i][j] &&
			    a->address == b->address;
			w->po.has[i][j] = program_order(w, i, j);
			w->po_address.has[i][j] = w->po.has[i][j] &&
			    w->address.has[i][j];
			w->scoped.has[i][j] = morally_strong(w, i, j);
			w->ms.has[i][j] = w->scoped.has[i][j] ||
			    of_one_mbarrier(w, i, j);
			w->dep.has[i][j] = b->deps >> i & 1;
		}
}

/* ---- synchronization -------------------------------------------------- */

/* obs = (ms & rf) | (obs; rmw; obs), the least such */
static void
observe(struct world *w)
{
	struct rel rmw, longer;
	int i, turn;

	w->obs = w->ms;
	rel_meet(w, &w->obs, &w->rf);
	memset(&rmw, 0, sizeof(rmw));
	for (i = 0; i < w->n; i++)
		if (w->e[i].type == E_READ && w->e[i].partner >= 0)
			rmw.has[i][w->e[i].partner] = true;
	for (turn = 0; turn < w->n; turn++) {
		rel_compose(w, &w->obs, &rmw, &longer);
		rel_compose(w, &longer, &w->obs, &longer);
		rel_join(w, &w->obs, &longer);
	}
}

static bool
releases(const struct naive_event *e)
{
	return e->sem == SEM_RELEASE || e->sem == SEM_ACQ_REL ||
	    e->sem == SEM_SC;
}

static bool
acquires(const struct naive_event *e)
{
	return e->sem == SEM_ACQUIRE || e->sem == SEM_ACQ_REL ||
	    e->sem == SEM_SC;
}

static bool
release_pattern(const struct world *w, int h, int x)
{
	const struct naive_event *head = &w->e[h], *write = &w->e[x];

	if (write->type != E_WRITE || !write->strong || !releases(head))
		return false;
	if (head->type == E_WRITE)
		return h == x || w->po_address.has[h][x];
	return head->type == E_FENCE && w->po.has[h][x];
}

static bool
acquire_pattern(const struct world *w, int x, int t)
{
	const struct naive_event *read = &w->e[x], *tail = &w->e[t];
	bool red = w->version == NAIVE_NEWEST; /* takes no part */

	if (read->type != E_READ || !read->strong || !acquires(tail) ||
	    (red && read->red) || read->failed || tail->failed)
		return false;
	if (tail->type == E_READ)
		return !(red && tail->red) &&
		    (x == t || w->po_address.has[x][t]);
	return tail->type == E_FENCE && w->po.has[x][t];
}

static void
patterns(struct world *w)
{
	struct rel release, acquire;
	int i, j;

	memset(&release, 0, sizeof(release));
	memset(&acquire, 0, sizeof(acquire));
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++) {
			release.has[i][j] = release_pattern(w, i, j);
			acquire.has[i][j] = acquire_pattern(w, i, j);
		}
	rel_compose(w, &release, &w->obs, &w->sw);
	rel_compose(w, &w->sw, &acquire, &w->sw);
	rel_meet(w, &w->sw, &w->scoped);
}

static bool
barriers_meet(const struct world *w, int i, int j)
{
	const struct naive_event *a = &w->e[i], *b = &w->e[j];

	if (a->type != E_BARRIER || b->type != E_BARRIER || i == j ||
	    a->barrier != b->barrier || a->generation != b->generation)
		return false;
	if (a->kind == NAIVE_CLUSTER_ARRIVE || a->kind == NAIVE_CLUSTER_WAIT)
		return a->kind == NAIVE_CLUSTER_ARRIVE &&
		    b->kind == NAIVE_CLUSTER_WAIT && a->sem != SEM_RELAXED;
	return !b->arrives_only;
}

/* A fence that releases, then an arrival that does not; then the wait. */
static bool
fence_and_barrier(const struct world *w, int f, int b)
{
	int i;

	if (w->e[f].type != E_FENCE || w->e[b].type != E_BARRIER ||
	    w->e[b].kind != NAIVE_CLUSTER_WAIT ||
	    w->e[f].sem == SEM_ACQUIRE || !includes(w, &w->e[f], &w->e[b]))
		return false;
	for (i = 0; i < w->n; i++)
		if (w->po.has[f][i] && w->e[i].type == E_BARRIER &&
		    w->e[i].kind == NAIVE_CLUSTER_ARRIVE &&
		    w->e[i].sem == SEM_RELAXED &&
		    w->e[i].barrier == w->e[b].barrier &&
		    w->e[i].generation == w->e[b].generation)
			return true;
	return false;
}

/* base = (po | sw)+; in 6.0 program order alone is not in it. */
static void
causality_base(struct world *w)
{
	struct rel po = w->po, middle;
	int i;

	if (w->version != NAIVE_60) {
		w->base = w->po;
		rel_join(w, &w->base, &w->sw);
		rel_transitive(w, &w->base);
		return;
	}
	for (i = 0; i < w->n; i++)
		po.has[i][i] = true;
	rel_compose(w, &w->sw, &po, &middle);
	rel_transitive(w, &middle);
	rel_compose(w, &po, &middle, &w->base);
}

/* pf: a proxy fence and an access of its proxy, in one CTA */
static bool
proxy_fence(const struct world *w, int f, int m)
{
	const struct naive_event *a = &w->e[f], *b = &w->e[m];

	return a->type == E_PROXY && is_memory(b) && b->thread >= 0 &&
	    a->proxy == b->proxy && w->test->threads[a->thread].cta ==
	    w->test->threads[b->thread].cta;
}

static bool
same_proxy(const struct world *w, int i, int j)
{
	const struct naive_event *a = &w->e[i], *b = &w->e[j];

	return a->proxy == b->proxy && a->thread >= 0 && b->thread >= 0 &&
	    w->test->threads[a->thread].cta ==
	    w->test->threads[b->thread].cta;
}

/*
 * ppcb, spec 4.2, as it is written there:
 *   vloc & (G;B;G | B & sameproxy & sameCTA | Bout;B;G | G;B;Bin |
 *           Bout;B;Bin)
 *   loc & (G;B;L;B;G | Bout;B;L;B;G | G;B;L;B;Bin | Bout;B;L;B;Bin)
 */
static void
proxy_preserved(const struct world *w, struct rel *ppcb)
{
	struct rel leave, enter, alias, same = w->base, part;
	int i, j;

	memset(&leave, 0, sizeof(leave));
	memset(&enter, 0, sizeof(enter));
	memset(&alias, 0, sizeof(alias));
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++) {
			bool gi = is_memory(&w->e[i]) && w->e[i].proxy ==
			    PROXY_GENERIC;

			/* G or Bout before, G or Bin after */
			leave.has[i][j] = (i == j && gi) ||
			    (w->base.has[i][j] && proxy_fence(w, j, i));
			enter.has[i][j] = (i == j && gi) ||
			    (w->base.has[i][j] && proxy_fence(w, i, j));
			alias.has[i][j] = i == j && w->e[i].type == E_PROXY &&
			    w->e[i].proxy == PROXY_ALIAS;
			same.has[i][j] = w->base.has[i][j] &&
			    same_proxy(w, i, j);
		}
	rel_compose(w, &leave, &w->base, &part);
	rel_compose(w, &part, &enter, ppcb);
	rel_join(w, ppcb, &same);
	rel_meet(w, ppcb, &w->address);
	rel_compose(w, &part, &alias, &part);
	rel_compose(w, &part, &w->base, &part);
	rel_compose(w, &part, &enter, &part);
	rel_meet(w, &part, &w->loc);
	rel_join(w, ppcb, &part);
}

void
naive_sync(struct world *w)
{
	struct rel ppcb, after;
	int i, j;

	observe(w);
	patterns(w);
	rel_join(w, &w->sw, &w->sc);
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			w->sw.has[i][j] |= barriers_meet(w, i, j) ||
			    fence_and_barrier(w, i, j);
	causality_base(w);
	if (w->version == NAIVE_60)
		ppcb = w->base;
	else
		proxy_preserved(w, &ppcb);
	after = ppcb;
	if (w->version == NAIVE_60)
		rel_join(w, &after, &w->po_address);
	rel_compose(w, &w->obs, &after, &w->cause);
	rel_join(w, &w->cause, &ppcb);
}

/* ---- the axioms ------------------------------------------------------- */

bool
naive_before_co(struct world *w)
{
	struct rel r = w->rf;
	int i, j;

	/* No Thin Air */
	rel_join(w, &r, &w->dep);
	if (!rel_acyclic(w, &r))
		return false;
	/* Fence-SC */
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (w->e[i].type == E_FENCE && w->e[i].sem == SEM_SC
			    && w->e[j].type == E_FENCE && w->e[j].sem ==
			    SEM_SC && w->base.has[i][j] && w->ms.has[i][j] &&
			    !w->sc.has[i][j])
				return false;
	/* Causality, of reads-from */
	rel_compose(w, &w->rf, &w->cause, &r);
	return rel_irreflexive(w, &r);
}

bool
naive_must_order(const struct world *w, int i, int j)
{
	return w->ms.has[i][j] || w->cause.has[i][j] || w->cause.has[j][i];
}

static void
from_reads(struct world *w)
{
	int i, j, k;

	memset(&w->fr, 0, sizeof(w->fr));
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			for (k = 0; k < w->n; k++)
				if (w->rf.has[k][i] && w->co.has[k][j])
					w->fr.has[i][j] = true;
}

bool
naive_with_co(struct world *w)
{
	struct rel a, b;
	int i, j;

	/* Coherence */
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (naive_is_write(&w->e[i]) &&
			    naive_is_write(&w->e[j]) && w->cause.has[i][j] &&
			    w->loc.has[i][j] && !w->co.has[i][j])
				return false;
	from_reads(w);
	/* Causality, of from-reads */
	rel_compose(w, &w->fr, &w->cause, &a);
	if (!rel_irreflexive(w, &a))
		return false;
	/* Atomicity */
	a = w->fr;
	rel_meet(w, &a, &w->ms);
	b = w->co;
	rel_meet(w, &b, &w->ms);
	rel_compose(w, &a, &b, &a);
	for (i = 0; i < w->n; i++)
		if (w->e[i].type == E_READ && w->e[i].partner >= 0 &&
		    a.has[i][w->e[i].partner])
			return false;
	/* SC per Location */
	a = w->rf;
	rel_join(w, &a, &w->co);
	rel_join(w, &a, &w->fr);
	rel_meet(w, &a, &w->ms);
	rel_join(w, &a, &w->po_address);
	return rel_acyclic(w, &a);
}
