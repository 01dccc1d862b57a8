/* What changed of primitives: verdicts and costs. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct doc_bench *
find_bench(const struct doc_primitive *p, const struct doc_bench *like)
{
	int i;

	for (i = 0; i < p->nbench; i++) {
		const struct doc_bench *b = &p->bench[i];

		if (same_text(b->what, like->what) &&
		    same_text(b->unit, like->unit) &&
		    same_text(b->scope, like->scope) &&
		    b->ctas == like->ctas && b->threads == like->threads)
			return b;
	}
	return NULL;
}

/* Variance of a median: pi/2 times that of the mean, if normal; the
   quartiles of a normal law are 1.349 deviations apart. */
static double
median_variance(const struct doc_bench *b)
{
	double sd = (b->p75 - b->p25) / 1.349;

	return isnan(sd) || !b->samples ? 0 : 1.5708 * sd * sd /
	    (double)b->samples;
}

static void
compare_costs(struct diff_work *w, const struct doc_primitive *p,
    const struct doc_bench *a, const struct doc_bench *b)
{
	double ratio = b->median / a->median;
	double gap = fabs(b->median - a->median);
	bool more_is_better = strchr(a->unit, '/') != NULL;
	struct change *c;

	if (!(a->median > 0) || !(b->median > 0) ||
	    fabs(log(ratio)) < log1p(w->options->slower) ||
	    gap < 3 * sqrt(median_variance(a) + median_variance(b)))
		return;
	c = diff_add(w, (ratio > 1) != more_is_better ? CHANGE_SLOWER :
	    CHANGE_FASTER, p->name);
	c->what = arena_printf(w->arena, "%s, %" PRIu64 " CTAs x %" PRIu64,
	    b->what, b->ctas, b->threads);
	c->before = arena_printf(w->arena, "%s %s",
	    rate_text(a->median).s, a->unit);
	c->after = arena_printf(w->arena, "%s %s", rate_text(b->median).s,
	    b->unit);
	c->ratio = ratio;
}

static bool
prim_failing(const struct doc_primitive *p)
{
	return p->verdict == PRIM_BROKEN || p->verdict == PRIM_NOT_CAUGHT;
}

static void
compare_primitive(struct diff_work *w, const struct doc_primitive *a,
    const struct doc_primitive *b)
{
	int i;

	if (prim_failing(a) != prim_failing(b)) {
		struct change *c = diff_add(w, prim_failing(b) ?
		    CHANGE_PRIM_FAILED : CHANGE_PRIM_FIXED, b->name);

		c->before = prim_verdicts[a->verdict];
		c->after = prim_verdicts[b->verdict];
		c->what = b->message ? b->message : "";
	}
	for (i = 0; i < a->nbench; i++) {
		const struct doc_bench *other = find_bench(b, &a->bench[i]);

		if (other)
			compare_costs(w, b, &a->bench[i], other);
	}
}

void
diff_primitives(struct diff_work *w)
{
	int i, k;

	for (i = 0; i < w->a->nprimitives; i++) {
		const struct doc_primitive *p = &w->a->primitives[i];

		for (k = 0; k < w->b->nprimitives; k++) {
			const struct doc_primitive *q =
			    &w->b->primitives[k];

			if (strcmp(p->name, q->name) == 0 &&
			    w->device[p->device] == (int)q->device)
				compare_primitive(w, p, q);
		}
	}
}
