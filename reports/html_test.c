#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static long
anchor(const struct document *d, const struct doc_test *t)
{
	return (long)(t - d->tests);
}

static const char *
badge_class(const struct doc_test *t)
{
	return t->pardon ? "pardoned" : verdicts[t->verdict].name;
}

static void
put_badge(FILE *f, const struct doc_test *t)
{
	fprintf(f, "<span class=\"badge %s\">%s%s</span>", badge_class(t),
	    t->pardon ? "quarantined: " : "", verdicts[t->verdict].symbol);
}

void
html_test_link(FILE *f, const struct document *d, const struct doc_test *t,
    struct arena *a)
{
	fprintf(f, "<a href=\"#t%ld\">", anchor(d, t));
	put_xml(f, test_label(d, t, a));
	fputs("</a>", f);
}

/* What showed, in a few words. */
static void
put_seen(FILE *f, const struct doc_test *t)
{
	uint64_t hits = 0;
	int i;

	for (i = 0; i < t->nrows; i++)
		hits += t->rows[i].target ? t->rows[i].count : 0;
	if (t->verdict == VERDICT_NOT_RUN)
		fputs("not run", f);
	else if (hits && t->instances)
		fprintf(f, "%s of %s", count_text(hits).s,
		    count_text(t->instances).s);
	else
		fprintf(f, "none in %s", count_text(t->instances).s);
}

/* ---- the parts of a test ----------------------------------------------- */

static void
put_threads(FILE *f, const struct doc_test *t)
{
	int i, k, most = 0;

	if (!t->nthreads)
		return;
	fputs("<div class=\"scroll\"><table class=\"threads\" "
	    "cellpadding=\"6\"><tr>", f);
	for (i = 0; i < t->nthreads; i++) {
		fprintf(f, "<th>P%d <span class=\"dim\">", i);
		put_xml(f, t->threads[i].place);
		fputs("</span></th>", f);
		most = t->threads[i].ncode > most ? t->threads[i].ncode :
		    most;
	}
	fputs("</tr>\n<tr>", f);
	for (i = 0; i < t->nthreads; i++) {
		fputs("<td><pre>", f);
		for (k = 0; k < t->threads[i].ncode; k++) {
			put_xml(f, t->threads[i].code[k]);
			fputc('\n', f);
		}
		fputs("</pre></td>", f);
	}
	fputs("</tr></table></div>\n", f);
	for (i = 0; i < t->nlocations; i++) {
		fputs(i ? "; <code>" : "<p class=\"dim\"><code>", f);
		put_xml(f, t->locations[i]);
		fputs(i == t->nlocations - 1 ? "</code></p>\n" : "</code>", f);
	}
}

static void
put_row(FILE *f, const struct doc_test *t, const struct doc_row *r)
{
	fprintf(f, "<tr%s><td class=\"mono\">", r->target ?
	    " class=\"target\"" : "");
	row_print(f, t, r);
	fputs(r->target ? " *</td><td>" : "</td><td>", f);
	svg_count(f, r->count, t->instances, r->class);
	if (r->count)
		fprintf(f, "</td><td class=\"n\">%s</td><td class=\"n\">%.3g "
		    "%%</td>", count_text(r->count).s, 100.0 *
		    (double)r->count / (double)t->instances);
	else
		fputs("</td><td class=\"n\" colspan=\"2\">not seen</td>", f);
	fprintf(f, "<td class=\"c-%s\">%s</td></tr>\n",
	    row_classes[r->class], r->class == ROW_FORBIDDEN ? "FORBIDDEN" :
	    row_classes[r->class]);
}

#define ROWS_SHOWN 64

static void
put_histogram(FILE *f, const struct doc_test *t)
{
	int i;

	if (!t->nrows && !t->nunseen)
		return;
	fputs("<h4>Outcomes</h4><div class=\"scroll\">"
	    "<table class=\"hist\" cellpadding=\"4\">\n", f);
	for (i = 0; i < t->nrows && i < ROWS_SHOWN; i++)
		put_row(f, t, &t->rows[i]);
	for (i = 0; i < t->nunseen && i < ROWS_SHOWN; i++)
		put_row(f, t, &t->unseen[i]);
	fputs("</table></div><p class=\"dim\">", f);
	if (t->nrows > ROWS_SHOWN || t->nunseen > ROWS_SHOWN)
		fprintf(f, "%d more states are in the document. ",
		    t->nrows + t->nunseen - 2 * ROWS_SHOWN > 0 ?
		    t->nrows + t->nunseen - 2 * ROWS_SHOWN : 1);
	if (t->other)
		fprintf(f, "%s instance%s held a value that no store "
		    "leaves. ", count_text(t->other).s, plural(t->other));
	if (t->hang)
		fprintf(f, "%s instance%s ran out of turns in a loop. ",
		    count_text(t->hang).s, plural(t->hang));
	fputs("* what the test asks for: <code>", f);
	put_xml(f, t->condition);
	fputs("</code>. Bars are logarithmic.</p>\n", f);
}

static void
put_item(FILE *f, const char *name, const char *value)
{
	fprintf(f, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static const char *const strength_words[] = {
	[DOC_STRENGTH_NONE] = "nothing ran",
	[DOC_STRENGTH_NO_EVIDENCE] =
	    "no evidence: nor did the broken twins show",
	[DOC_STRENGTH_BOUNDED] = "never showed; the bound holds",
	[DOC_STRENGTH_SEEN] = "it showed",
};

/* Of a twin that never showed: in which environments. */
static void
put_tried(FILE *f, const struct doc_twin *w)
{
	struct arena *a = arena_new();
	int i;

	fprintf(f, ": never showed in %s", count_text(w->instances).s);
	for (i = 0; i < w->nenvironments; i++) {
		fputs(i ? ", " : "; tried ", f);
		put_xml(f, environment_name(&w->environments[i], a));
	}
	fputs("</dd>\n", f);
	arena_free(a);
}

static void
put_twins(FILE *f, const struct doc_evidence *e)
{
	int i;

	for (i = 0; i < e->ntwins && i < 8; i++) {
		const struct doc_twin *w = &e->twins[i];

		fprintf(f, "<dt>broken twin</dt><dd>");
		put_xml(f, w->what ? w->what : w->name ? w->name : "?");
		if (w->hits)
			fprintf(f, ": <b>showed %s</b> in %s, %s a second"
			    "</dd>\n", count_text(w->hits).s,
			    count_text(w->instances).s,
			    rate_text(w->rate).s);
		else
			put_tried(f, w);
	}
}

static void
put_evidence(FILE *f, const struct doc_test *t)
{
	const struct doc_evidence *e = t->evidence;

	fprintf(f, "<h4>Evidence</h4><dl><dt>model</dt><dd>%s%s</dd>\n",
	    t->answer == DOC_NONE ? "no verdict" : doc_answers[t->answer],
	    t->expect == DOC_NONE || t->expect == t->answer ? "" :
	    t->expect == DOC_ALLOWED ? " (the test expects allowed)" :
	    " (the test expects forbidden)");
	if (t->reason) {
		fputs("<dt>why not</dt><dd>", f);
		put_xml(f, t->reason);
		fputs("</dd>\n", f);
	}
	if (t->note) {
		fputs("<dt>which rests on</dt><dd>", f);
		put_xml(f, t->note);
		fputs("</dd>\n", f);
	}
	fprintf(f, "<dt>ran</dt><dd>%s instance%s in %s launch%s, %s</dd>\n",
	    count_text(t->instances).s, plural(t->instances),
	    count_text(t->launches).s, t->launches == 1 ? "" : "es",
	    time_text(t->seconds).s);
	if (e) {
		put_item(f, "strength", strength_words[e->strength]);
		if (e->target_hits)
			fprintf(f, "<dt>rate</dt><dd>%s hits a second; again "
			    "in such a run with chance %.4g</dd>\n",
			    rate_text(e->rate).s, e->reproducibility);
		if (!isnan(e->bound95))
			fprintf(f, "<dt>bound</dt><dd>below %s an instance "
			    "at 95 %%, if instances are independent</dd>\n",
			    rate_text(e->bound95).s);
		if (!isnan(e->drift))
			put_item(f, "drift", rate_text(e->drift).s);
		put_twins(f, e);
	}
	fputs("</dl>\n", f);
}

static void
put_environments(FILE *f, const struct doc_test *t)
{
	int i;

	if (!t->nenvironments)
		return;
	fprintf(f, "<details><summary>Environments (%d)</summary>"
	    "<div class=\"scroll\"><table cellpadding=\"4\"><tr>"
	    "<th class=\"n\">instances</th>"
	    "<th class=\"n\">hits</th><th class=\"n\">time</th>"
	    "<th>environment</th></tr>\n", t->nenvironments);
	for (i = 0; i < t->nenvironments && i < 32; i++) {
		const struct doc_environment *v = &t->environments[i];

		fprintf(f, "<tr><td class=\"n\">%s</td><td class=\"n\">%s"
		    "</td><td class=\"n\">%s</td><td><code>",
		    count_text(v->instances).s, count_text(v->hits).s,
		    time_text(v->seconds).s);
		put_xml(f, v->env ? v->env : "");
		fputs("</code></td></tr>\n", f);
	}
	fputs("</table></div></details>\n", f);
}

static void
put_machine_code(FILE *f, const struct doc_test *t)
{
	const struct doc_machine_code *m = t->machine_code;

	if (!m)
		return;
	fprintf(f, "<h4>Machine code</h4><p class=\"c-%s\">%s",
	    m->status == DOC_CODE_CHANGED ? "forbidden" : "checked",
	    code_statuses[m->status]);
	if (t->assembler) {
		fputs(" (", f);
		put_xml(f, t->assembler);
		fputs(")", f);
	}
	fputs("</p>\n", f);
	if (m->detail && *m->detail) {
		fputs("<pre class=\"wrap dim\">", f);
		put_xml(f, m->detail);
		fputs("</pre>\n", f);
	}
}

/* In full where something is wrong, folded where nothing is. */
static void
put_why(FILE *f, const struct doc_test *t)
{
	bool fold = t->verdict == VERDICT_PASS;

	if (!t->explanation || !*t->explanation)
		return;
	fputs(fold ? "<details><summary>Why</summary>" : "<h4>Why</h4>", f);
	fputs("<pre class=\"wrap\">", f);
	put_xml(f, t->explanation);
	fprintf(f, "</pre>%s\n", fold ? "</details>" : "");
}

static void
put_body(FILE *f, const struct document *d, const struct doc_test *t)
{
	fprintf(f, "<div class=\"body\" id=\"t%ld\">\n", anchor(d, t));
	if (t->verdict != VERDICT_PASS) {
		fprintf(f, "<p class=\"%s\"><b>", badge_class(t));
		put_xml(f, test_message(t));
		fputs("</b></p>\n", f);
	}
	if (t->pardon) {
		fprintf(f, "<p>Quarantined until %s: ", t->pardon->until);
		put_xml(f, t->pardon->reason);
		fputs("</p>\n", f);
	}
	fputs("<p>", f);
	put_xml(f, t->about ? t->about : "");
	fputs(" <span class=\"dim mono\">", f);
	put_xml(f, t->file);
	fprintf(f, ":%" PRIu64 "</span></p>\n", t->line);
	put_threads(f, t);
	fputs("<div class=\"sides\">\n", f);
	if (t->nrows || t->nunseen) {
		fputs("<div>\n", f);
		put_histogram(f, t);
		fputs("</div>", f);
	}
	fputs("<div>\n", f);
	put_evidence(f, t);
	put_machine_code(f, t);
	fputs("</div></div>\n", f);
	if (t->execution) {
		fprintf(f, "<h4>%s</h4>\n", t->answer == DOC_FORBIDDEN ?
		    "An execution that is forbidden" : "Execution");
		svg_execution(f, t);
	}
	put_why(f, t);
	put_environments(f, t);
	if (t->replay) {
		fputs("<h4>Again</h4><code class=\"wrap\">", f);
		put_xml(f, t->replay);
		fputs("</code>\n", f);
	}
	fputs("</div>", f);
}

void
html_test(FILE *f, const struct document *d, const struct doc_test *t,
    bool open, struct arena *a)
{
	fprintf(f, "<details class=\"test\"%s><summary>",
	    open ? " open" : "");
	put_badge(f, t);
	fputs(" <span class=\"name\">", f);
	put_xml(f, test_label(d, t, a));
	fputs("</span> ", f);
	svg_classes(f, t);
	fputs(" <span class=\"seen\">", f);
	put_seen(f, t);
	fputs("</span></summary>\n", f);
	put_body(f, d, t);
	fputs("</details>\n", f);
}

void
html_test_line(FILE *f, const struct document *d, const struct doc_test *t,
    struct arena *a)
{
	fprintf(f, "<tr id=\"t%ld\"><td>", anchor(d, t));
	put_badge(f, t);
	fputs("</td><td>", f);
	put_xml(f, test_label(d, t, a));
	fputs("</td><td class=\"wide\">", f);
	svg_classes(f, t);
	fputs("</td><td class=\"n\">", f);
	put_seen(f, t);
	fputs("</td></tr>\n", f);
}
