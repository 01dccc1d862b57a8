#include "driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

bool
style_wants_color(int choice)
{
	const char *none = getenv("NO_COLOR");

	return choice == 1 || (choice == 0 && !(none && *none) &&
	    isatty(STDOUT_FILENO));
}

static const char *
paint(const struct style *style, const char *color)
{
	return style->color ? color : "";
}

static void
put_verdict(FILE *f, const struct doc_test *t, int width,
    const struct style *style)
{
	const struct verdict_row *v = &verdicts[t->verdict];

	fprintf(f, "%s%-*s%s", paint(style, v->exit ? RED :
	    t->verdict == VERDICT_PASS ? GREEN : YELLOW), width, v->symbol,
	    paint(style, PLAIN));
}

/* On every line that could be taken for a measurement. */
static void
put_end(FILE *f, const struct style *style)
{
	fprintf(f, "%s\n", style->sim ? " (software machine)" : "");
}

/* ---- one test ---------------------------------------------------------- */

static void
put_twins(FILE *f, const struct doc_evidence *e)
{
	uint64_t hits = 0, instances = 0;
	double best = 0;
	int i;

	for (i = 0; i < e->ntwins; i++) {
		best = fmax(best, e->twins[i].rate);
		hits += e->twins[i].hits;
		instances += e->twins[i].instances;
	}
	if (e->ntwins == 0)
		return;
	fprintf(f, "; %d broken twin%s: %s in %s", e->ntwins,
	    plural((uint64_t)e->ntwins), count_text(hits).s,
	    count_text(instances).s);
	if (best > 0)
		fprintf(f, ", %s%s a second", e->ntwins > 1 ? "at best " : "",
		    rate_text(best).s);
	if (!hits)
		fprintf(f, ", so this silence is no evidence");
}

static void
put_tried(FILE *f, const struct doc_environment *list, int n,
    struct arena *a)
{
	int i;

	for (i = 0; i < n; i++)
		fprintf(f, "%s %s", i ? "," : "",
		    environment_name(&list[i], a));
}

/* Where an allowed outcome was looked for in vain. */
static void
put_unseen(FILE *f, const struct doc_test *t, const struct style *style,
    struct arena *a)
{
	if (t->answer != DOC_ALLOWED || !t->nenvironments ||
	    !t->evidence || t->evidence->target_hits)
		return;
	fprintf(f, "  looked for in");
	put_tried(f, t->environments, t->nenvironments, a);
	put_end(f, style);
}

/* What was tried for those that never showed. */
static void
put_silent_twins(FILE *f, const struct doc_test *t,
    const struct style *style, struct arena *a)
{
	const struct doc_evidence *e = t->evidence;
	int i;

	for (i = 0; e && i < e->ntwins; i++) {
		const struct doc_twin *w = &e->twins[i];

		if (w->hits || !w->nenvironments)
			continue;
		fprintf(f, "  its twin never showed (%s): %s instances of",
		    w->what, count_text(w->instances).s);
		put_tried(f, w->environments, w->nenvironments, a);
		put_end(f, style);
	}
}

/* What the verdict rests on. */
static void
put_evidence(FILE *f, const struct doc_test *t)
{
	const struct doc_evidence *e = t->evidence;

	if (e->target_hits)
		fprintf(f, "seen %s time%s in %s, %s a second",
		    count_text(e->target_hits).s, plural(e->target_hits),
		    count_text(t->instances).s,
		    rate_text(e->rate).s);
	else if (t->instances)
		fprintf(f, "not seen in %s, 95 %% bound %s",
		    count_text(t->instances).s, rate_text(e->bound95).s);
	else
		fprintf(f, "nothing ran");
	if (t->hang)
		fprintf(f, "; %s ran out of turns", count_text(t->hang).s);
	put_twins(f, e);
}

static const char *const answer_words[] = {
	[DOC_NONE] = "no verdict of the model",
	[DOC_ALLOWED] = "allowed",
	[DOC_FORBIDDEN] = "forbidden",
};

static void
put_reasons(FILE *f, const struct doc_test *t, const struct style *style)
{
	if (t->verdict != VERDICT_PASS)
		fprintf(f, "%s; ", test_message(t));
	fprintf(f, "%s", answer_words[t->answer]);
	if (t->note)
		fprintf(f, " (%s)", t->note);
	fprintf(f, "; ");
	put_evidence(f, t);
	put_end(f, style);
}

static void
print_line(FILE *f, const struct document *d, const struct doc_test *t,
    const struct style *style, struct arena *a)
{
	put_verdict(f, t, 11, style);
	fprintf(f, "%s: ", test_label(d, t, a));
	put_reasons(f, t, style);
	put_unseen(f, t, style, a);
	put_silent_twins(f, t, style, a);
}

/* What a re-run would show, and whether this one was steady. */
static void
put_chances(FILE *f, const struct doc_test *t)
{
	const struct doc_evidence *e = t->evidence;

	if (!e || !e->target_hits)
		return;
	fprintf(f, "Evidence %s again with chance %.4g", t->name,
	    e->reproducibility);
	if (!isnan(e->drift))
		fprintf(f, ", drift %.2g (first to last fifth, "
		    "Kolmogorov-Smirnov)", e->drift);
	fprintf(f, "\n");
}

static void
print_whole(FILE *f, const struct document *d, const struct doc_test *t,
    const struct style *style, struct arena *a)
{
	static const char *const answers[] = {"Unjudged", "Allowed",
		"Forbidden"};

	fprintf(f, "Test %s %s\n", test_label(d, t, a), answers[t->answer]);
	histogram_print(f, t);
	fprintf(f, "Condition %s\n", t->condition);
	if (t->reason)
		fprintf(f, "Model no verdict: %s\n", t->reason);
	fprintf(f, "Time %s %.2f\n", t->name, t->seconds);
	put_chances(f, t);
	fprintf(f, "Verdict %s ", t->name);
	put_verdict(f, t, 0, style);
	fprintf(f, ": ");
	put_reasons(f, t, style);
	put_unseen(f, t, style, a);
	put_silent_twins(f, t, style, a);
	fprintf(f, "\n");
}

void
print_test(FILE *f, const struct document *d, const struct doc_test *t,
    const struct style *style)
{
	struct arena *a = arena_new();

	if (style->quiet)
		print_line(f, d, t, style, a);
	else
		print_whole(f, d, t, style, a);
	arena_free(a);
}

/* ---- before and after -------------------------------------------------- */

void
print_header(FILE *f, const struct document *d, const struct style *style)
{
	struct arena *a = arena_new();
	int i;

	fprintf(f, "fencepost %s, seed 0x%" PRIx64 ", model %s\n",
	    d->tool->version, d->seed, doc_models[d->model]);
	for (i = 0; i < d->ndevices; i++)
		fprintf(f, "device %" PRId64 ": %s%s%s\n",
		    d->devices[i].index, paint(style, style->sim ? YELLOW :
		    ""), device_label(&d->devices[i], a),
		    style->sim ? paint(style, PLAIN) : "");
	fprintf(f, "%" PRIu64 " test%s", d->shard->selected,
	    plural(d->shard->selected));
	if (d->shard->count > 1)
		fprintf(f, ", shard %" PRId64 " of %" PRId64,
		    d->shard->index, d->shard->count);
	fprintf(f, "; this again: %s\n\n", shell_command(d, a));
	arena_free(a);
}

/* How many tests of this answer showed what they are about. */
static void
print_seen(FILE *f, const struct document *d, enum doc_answer answer)
{
	static const char *const words[] = {
		[DOC_NONE] = "unjudged", [DOC_ALLOWED] = "allowed",
		[DOC_FORBIDDEN] = "forbidden",
	};
	uint64_t instances = 0;
	int i, tests = 0, seen = 0;

	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (t->answer != (int)answer || t->verdict == VERDICT_NOT_RUN)
			continue;
		tests++;
		seen += t->evidence && t->evidence->target_hits > 0;
		instances += t->instances;
	}
	if (tests)
		fprintf(f, "  %-10s %4d test%s, seen in %d, %s instance%s\n",
		    words[answer], tests, plural((uint64_t)tests), seen,
		    count_text(instances).s, plural(instances));
}

/* Those that are no pass, by name: they are what is looked for. */
static void
print_others(FILE *f, const struct document *d, const struct style *style,
    struct arena *a)
{
	int i;

	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (t->verdict == VERDICT_PASS)
			continue;
		fprintf(f, "  ");
		put_verdict(f, t, 10, style);
		fprintf(f, "%s: %s\n", test_label(d, t, a), test_message(t));
	}
}

static void
print_mutation(FILE *f, const struct summary *s)
{
	int i;

	if (!s->mutation.twins)
		return;
	fprintf(f, "  mutation score %.2f: %" PRIu64 " of %" PRIu64
	    " broken twin%s showed\n", (double)s->mutation.shown /
	    (double)s->mutation.twins, s->mutation.shown, s->mutation.twins,
	    plural(s->mutation.twins));
	for (i = 0; i < PLACEMENTS; i++) {
		const struct mutation *m = &s->mutations[i];

		if (m->twins)
			fprintf(f, "    %-32s %.2f: %" PRIu64 " of %" PRIu64
			    "\n", mutation_name(i), (double)m->shown /
			    (double)m->twins, m->shown, m->twins);
	}
	if (s->no_evidence)
		fprintf(f, "    no twin showed of %" PRIu64 " silent test%s\n",
		    s->no_evidence, plural(s->no_evidence));
}

void
print_summary(FILE *f, const struct document *d, const struct style *style)
{
	struct arena *a = arena_new();
	const char *separator = ":";
	struct summary s;
	int i;

	summary_make(&s, d);
	fprintf(f, "Summary");
	put_end(f, style);
	print_seen(f, d, DOC_ALLOWED);
	print_seen(f, d, DOC_FORBIDDEN);
	print_seen(f, d, DOC_NONE);
	print_mutation(f, &s);
	print_others(f, d, style, a);
	fprintf(f, "%" PRIu64 " test%s in %s", s.tests, plural(s.tests),
	    time_text(d->wall_seconds).s);
	for (i = 0; i < VERDICT_COUNT; i++) {
		if (s.verdicts[i] == 0)
			continue;
		fprintf(f, "%s %" PRIu64 " %s", separator, s.verdicts[i],
		    verdicts[i].symbol);
		separator = ",";
	}
	fprintf(f, "%s", d->complete ? "" : "; INCOMPLETE");
	put_end(f, style);
	arena_free(a);
}
