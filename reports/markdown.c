/*
 * A summary in GitHub's Markdown, for people and for job summaries (which
 * hold 1 MiB: every list has an end).
 */
#include "reports.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LIST_MAX 100
#define COLUMNS_MAX 30

static void
put_head(FILE *f, const struct document *d, const struct summary *s,
    struct arena *a)
{
	uint64_t failed = summary_failed(s);
	int i;

	fprintf(f, "# fencepost: %" PRIu64 " test%s, ", s->tests,
	    plural(s->tests));
	if (failed)
		fprintf(f, "**%" PRIu64 " failed**\n\n", failed);
	else
		fprintf(f, "%s\n\n", s->exit ? "no verdict" :
		    "none failed");
	if (!d->hardware)
		fprintf(f, "> **%s.**\n\n", sim_notice);
	if (!d->complete)
		fputs("> **The run did not complete.** What finished is "
		    "below.\n\n", f);
	for (i = 0; i < d->ndevices; i++) {
		fputs("- ", f);
		put_markdown(f, device_label(&d->devices[i], a));
		fputs("\n", f);
	}
	fprintf(f, "- %s instance%s, %s with a weak outcome, %s with a "
	    "forbidden one\n", count_text(s->instances).s,
	    plural(s->instances),
	    count_text(s->weak_hits).s, count_text(s->forbidden_hits).s);
	fprintf(f, "- model %s, seed %" PRIu64 ", %s, took %s\n- ",
	    doc_models[d->model], d->seed, d->started,
	    time_text(d->wall_seconds).s);
	put_code(f, shell_command(d, a));
	fputs("\n\n", f);
}

static void
put_mutation(FILE *f, const struct summary *s)
{
	const struct mutation *m = &s->mutation;
	const char *separator = ":";
	int i;

	if (!m->twins)
		return;
	fprintf(f, "\nMutation score: %" PRIu64 " of %" PRIu64 " broken twins "
	    "showed (%.0f %%)", m->shown, m->twins, 100.0 *
	    (double)m->shown / (double)m->twins);
	for (i = 0; i < PLACEMENTS; i++) {
		m = &s->mutations[i];
		if (!m->twins || m->twins == s->mutation.twins)
			continue;
		fprintf(f, "%s %s %" PRIu64 " of %" PRIu64, separator,
		    mutation_name(i), m->shown, m->twins);
		separator = ",";
	}
	fputs(".\n", f);
}

static void
put_verdicts(FILE *f, const struct summary *s)
{
	int i;

	fputs("| Verdict | Tests | Meaning |\n| --- | ---: | --- |\n", f);
	for (i = 0; i < VERDICT_COUNT; i++)
		if (s->verdicts[i])
			fprintf(f, "| %s | %" PRIu64 " | %s |\n",
			    verdicts[i].name, s->verdicts[i],
			    verdicts[i].words);
	if (s->pardoned)
		fprintf(f, "| quarantined | %" PRIu64 " | of the failures "
		    "above: known, and forgiven for now |\n", s->pardoned);
	if (s->unseen_tests)
		fprintf(f, "| not seen | %" PRIu64 " | of the passes: "
		    "allowed, but it did not show |\n", s->unseen_tests);
	if (s->no_evidence)
		fprintf(f, "| no evidence | %" PRIu64 " | of the passes: "
		    "nor did the broken twins show |\n", s->no_evidence);
	put_mutation(f, s);
	fputs("\n", f);
}

static void
put_failure(FILE *f, const struct document *d, const struct doc_test *t,
    struct arena *a)
{
	fputs("| ", f);
	put_code(f, test_label(d, t, a));
	fprintf(f, " | %s | ", verdicts[t->verdict].name);
	put_markdown(f, test_message(t));
	if (t->note) {
		fputs(" (", f);
		put_markdown(f, t->note);
		fputs(")", f);
	}
	if (t->pardon) {
		fprintf(f, " (quarantined until %s: ", t->pardon->until);
		put_markdown(f, t->pardon->reason);
		fputs(")", f);
	}
	fputs(" | ", f);
	put_code(f, arena_printf(a, "%s:%" PRIu64, t->file, t->line));
	fputs(" |\n", f);
}

static void
put_failures(FILE *f, const struct document *d, struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (!verdicts[t->verdict].exit)
			continue;
		if (n++ == 0)
			fputs("## Failed\n\n| Test | Verdict | Why | Where "
			    "|\n| --- | --- | --- | --- |\n", f);
		if (n <= LIST_MAX)
			put_failure(f, d, t, a);
	}
	if (n > LIST_MAX)
		fprintf(f, "\nand %d more.\n", n - LIST_MAX);
	if (n)
		fputs("\n", f);
}

/* Names of the tests that come to this cell, folded away. */
static void
put_list(FILE *f, const struct document *d, enum cell cell,
    const char *title, struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (test_cell(t) != cell)
			continue;
		if (n++ == 0)
			fprintf(f, "<details><summary>%s</summary>\n\n",
			    title);
		if (n > LIST_MAX)
			continue;
		fputs("- ", f);
		put_code(f, test_label(d, t, a));
		if (t->evidence && !isnan(t->evidence->bound95))
			fprintf(f, ": none in %s, so below %s at 95 %%",
			    count_text(t->instances).s,
			    rate_text(t->evidence->bound95).s);
		fputs("\n", f);
	}
	if (n > LIST_MAX)
		fprintf(f, "- and %d more\n", n - LIST_MAX);
	if (n)
		fputs("\n</details>\n\n", f);
}

static void
put_matrix(FILE *f, const struct matrix *m)
{
	int i, k, columns = m->ncolumns < COLUMNS_MAX ? m->ncolumns :
	    COLUMNS_MAX;

	fprintf(f, "### %s%s ", *m->placement ? "Threads " : "Tests",
	    m->placement);
	put_markdown(f, m->suffix);
	fputs("\n\n| |", f);
	for (k = 0; k < columns; k++) {
		fputs(" ", f);
		put_markdown(f, m->columns[k]);
		fputs(" |", f);
	}
	fputs("\n| --- |", f);
	for (k = 0; k < columns; k++)
		fputs(" :-: |", f);
	for (i = 0; i < m->nrows; i++) {
		fputs("\n| ", f);
		put_markdown(f, m->rows[i]);
		fputs(" |", f);
		for (k = 0; k < columns; k++) {
			const struct doc_test *t =
			    m->cells[i * m->ncolumns + k];

			fprintf(f, " %s |", t ? cell_rows[test_cell(t)].symbol
			    : "");
		}
	}
	if (columns < m->ncolumns)
		fprintf(f, "\n\n%d more columns are not shown.",
		    m->ncolumns - columns);
	fputs("\n\n", f);
}

/* A line a family, for tests that fit no table. */
static void
put_rest(FILE *f, const struct matrices *m)
{
	int i, lines = 0;

	if (!m->nrest)
		return;
	fputs("### Others\n", f);
	for (i = 0; i < m->nrest; i++) {
		const struct doc_test *t = m->rest[i];

		if (i == 0 || strcmp(m->rest[i - 1]->family, t->family) != 0) {
			if (lines++ == LIST_MAX)
				break;
			fputs("\n- ", f);
			put_markdown(f, t->family);
			fputs(":", f);
		}
		fprintf(f, " `%s` ", cell_rows[test_cell(t)].symbol);
		put_markdown(f, t->variant ? t->variant : "");
	}
	if (i < m->nrest)
		fprintf(f, "\n- and %d more", m->nrest - i);
	fputs("\n\n", f);
}

static void
put_matrices(FILE *f, const struct document *d, struct arena *a)
{
	struct matrices m;
	int device, i;

	for (device = 0; device < d->ndevices && d->ntests; device++) {
		matrices_make(d, device, a, &m);
		fputs("## Shapes and annotations", f);
		if (d->ndevices > 1) {
			fputs(", ", f);
			put_markdown(f, device_label(&d->devices[device], a));
		}
		fputs("\n\n", f);
		for (i = CELL_NONE + 1; i < CELL_COUNT; i++)
			fprintf(f, "%s`%s` %s", i > 1 ? "; " : "",
			    cell_rows[i].symbol, cell_rows[i].words);
		fputs(".\n\n", f);
		for (i = 0; i < m.count; i++)
			put_matrix(f, &m.list[i]);
		put_rest(f, &m);
	}
}

static void
put_primitive(FILE *f, const struct doc_primitive *p)
{
	const struct doc_bench *b = p->nbench ?
	    &p->bench[p->nbench - 1] : NULL;
	int i;

	fputs("| ", f);
	put_code(f, p->name);
	fprintf(f, " | %s | ", prim_words(p));
	if (p->twin_of) {
		fputs("twin of ", f);
		put_code(f, p->twin_of);
		fputs(": ", f);
		put_markdown(f, p->flaw ? p->flaw : "broken");
	}
	fputs(" | ", f);
	for (i = 0; i < p->nfindings; i++) {
		fputs(i ? "; " : "", f);
		put_markdown(f, p->findings[i].kind);
		fprintf(f, " %s", count_text(p->findings[i].count).s);
	}
	fprintf(f, " | %s | ", count_text(p->rounds).s);
	if (b) {
		fprintf(f, "%s ", rate_text(b->median).s);
		put_markdown(f, b->unit);
		if (!isnan(b->p1) && !isnan(b->p99))
			fprintf(f, " (%s to %s)", rate_text(b->p1).s,
			    rate_text(b->p99).s);
	}
	fputs(" |\n", f);
}

static void
put_primitives(FILE *f, const struct document *d)
{
	int i;

	if (!d->nprimitives)
		return;
	fputs("## Primitives\n\n| Primitive | Verdict | Flaw | Found | "
	    "Rounds | Median (1 % to 99 %) |\n| --- | --- | --- | --- | "
	    "---: | ---: |\n", f);
	for (i = 0; i < d->nprimitives && i < LIST_MAX; i++)
		put_primitive(f, &d->primitives[i]);
	if (d->nprimitives > LIST_MAX)
		fprintf(f, "\nand %d more.\n", d->nprimitives - LIST_MAX);
	fputs("\n", f);
}

static void
put_claims(FILE *f, const struct document *d)
{
	int i;

	if (!d->nclaims)
		return;
	fputs("## Claims\n\n| Claim | Here | Figure |\n| --- | --- | --- |\n",
	    f);
	for (i = 0; i < d->nclaims && i < LIST_MAX; i++) {
		fputs("| ", f);
		put_markdown(f, d->claims[i].claim);
		fprintf(f, " | %s | ", claim_words(d, &d->claims[i]));
		put_markdown(f, d->claims[i].figure);
		fputs(" |\n", f);
	}
	fputs("\n", f);
}

void
markdown_write(FILE *f, const struct document *d)
{
	struct arena *a = arena_new();
	struct summary s;
	int i;

	summary_make(&s, d);
	put_head(f, d, &s, a);
	put_verdicts(f, &s);
	put_failures(f, d, a);
	put_matrices(f, d, a);
	put_primitives(f, d);
	put_claims(f, d);
	put_list(f, d, CELL_UNSEEN, "Allowed, but not seen", a);
	put_list(f, d, CELL_MUTE,
	    "Forbidden and not seen, but nor were the broken twins", a);
	put_list(f, d, CELL_NOT_RUN, "Not run", a);
	for (i = 0; i < d->nnotes; i++) {
		fputs("- ", f);
		put_markdown(f, d->notes[i]);
		fputs("\n", f);
	}
	arena_free(a);
}
