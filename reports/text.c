#include "reports.h"

#include <inttypes.h>
#include <math.h>

static void
put_head(FILE *f, const struct document *d, struct arena *a)
{
	int i;

	for (i = 0; i < d->ndevices; i++)
		fprintf(f, "%s\n", device_label(&d->devices[i], a));
	fprintf(f, "%s, seed %" PRIu64 ", model %s, %s\n", d->started,
	    d->seed, doc_models[d->model], time_text(d->wall_seconds).s);
	if (!d->complete)
		fputs("the run did not complete; this is what finished\n",
		    f);
	fputs("\n", f);
}

static void
put_test(FILE *f, const struct document *d, const struct doc_test *t,
    struct arena *a)
{
	fprintf(f, "Test %s %s\n", test_label(d, t, a), doc_answers[
	    t->answer]);
	histogram_print(f, t);
	fprintf(f, "Verdict %s %s%s: %s\n", t->name,
	    t->pardon ? "(quarantined) " : "", verdicts[t->verdict].symbol,
	    test_message(t));
	fprintf(f, "At %s:%" PRIu64 "\n", t->file, t->line);
	if (t->replay)
		fprintf(f, "Replay %s\n", t->replay);
	if (!d->hardware)
		fprintf(f, "(%s)\n", sim_notice);
	fputs("\n", f);
}

static void
put_primitive(FILE *f, const struct doc_primitive *p)
{
	int i;

	fprintf(f, "Primitive %s %s", p->name, prim_verdicts[p->verdict]);
	if (p->twin_of)
		fprintf(f, ", twin of %s (%s)", p->twin_of,
		    p->flaw ? p->flaw : "broken");
	for (i = 0; i < p->nfindings; i++)
		fprintf(f, "; %s %s times", p->findings[i].kind,
		    count_text(p->findings[i].count).s);
	if (p->nbench)
		fprintf(f, "; %s %s %s", p->bench[p->nbench - 1].what,
		    rate_text(p->bench[p->nbench - 1].median).s,
		    p->bench[p->nbench - 1].unit);
	fputs("\n", f);
}

static void
put_summary(FILE *f, const struct document *d)
{
	struct summary s;
	int i;

	summary_make(&s, d);
	fprintf(f, "%" PRIu64 " tests:", s.tests);
	for (i = 0; i < VERDICT_COUNT; i++)
		if (s.verdicts[i])
			fprintf(f, " %" PRIu64 " %s;", s.verdicts[i],
			    verdicts[i].name);
	fprintf(f, " %s instances\n", count_text(s.instances).s);
	fprintf(f, "%" PRIu64 " showed weak behaviour, %" PRIu64
	    " were allowed and not seen, %" PRIu64 " forbidden and silent "
	    "without evidence\n", s.weak_tests, s.unseen_tests,
	    s.no_evidence);
	if (s.pardoned)
		fprintf(f, "%" PRIu64 " failures are quarantined\n",
		    s.pardoned);
	if (s.twins)
		fprintf(f, "mutation score: %" PRIu64 " of %" PRIu64
		    " broken twins showed\n", s.shown, s.twins);
	for (i = 0; i < d->nnotes; i++)
		fprintf(f, "note: %s\n", d->notes[i]);
	if (!d->hardware)
		fprintf(f, "%s\n", sim_notice);
}

void
text_write(FILE *f, const struct document *d, bool all)
{
	struct arena *a = arena_new();
	int i;

	put_head(f, d, a);
	for (i = 0; i < d->ntests; i++)
		if (all || verdicts[d->tests[i].verdict].exit)
			put_test(f, d, &d->tests[i], a);
	for (i = 0; i < d->nprimitives; i++)
		put_primitive(f, &d->primitives[i]);
	put_summary(f, d);
	arena_free(a);
}
