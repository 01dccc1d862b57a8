#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *
side_label(const struct document *d, struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	text_printf(&t, "%s, %s", d->ref, d->started);
	for (i = 0; i < d->ndevices; i++)
		text_printf(&t, "; %s", device_label(&d->devices[i], a));
	if (!d->complete)
		text_printf(&t, " (incomplete)");
	return t.s;
}

/* How noise was told from change, in one sentence. */
static const char *
method(const struct diff *d, struct arena *a)
{
	struct text t;

	text_init(&t, a);
	text_printf(&t, "%d test%s and %d outcome%s compared; rates differ "
	    "if the rate of false discoveries is at most %g (conditional "
	    "test of counts, Benjamini-Hochberg), where like runs differ by "
	    "a factor of %.3g anyway (", d->tests,
	    plural((uint64_t)d->tests), d->outcomes,
	    plural((uint64_t)d->outcomes), d->options.q, exp(d->noise));
	if (d->noise_from)
		text_printf(&t, "from %d of these outcomes)",
		    d->noise_from);
	else
		text_printf(&t, "%s)", isnan(d->options.noise) ?
		    "assumed: too few outcomes, or unlike devices" :
		    "as given");
	text_printf(&t, "; costs from %g %%.", 100 * d->options.slower);
	if (!isnan(d->shift))
		text_printf(&t, " Rates are %.3g times the first's at the "
		    "median.", d->shift);
	if (d->a->model != d->b->model)
		text_printf(&t, " The models differ: %s and %s.",
		    doc_models[d->a->model], doc_models[d->b->model]);
	return t.s;
}

static const char *
quiet_words(const struct diff *d, struct arena *a)
{
	return arena_printf(a, "%d outcome%s no more than noise does.",
	    d->quiet, d->quiet == 1 ? " differs" : "s differ");
}

static const char *
ratio_words(const struct change *c, struct arena *a)
{
	const char *q = isnan(c->q) ? "" : c->q < 1e-15 ? "q < 1e-15" :
	    arena_printf(a, "q %s", rate_text(c->q).s);

	if (isnan(c->ratio))
		return q;
	return arena_printf(a, "x %.3g%s%s", c->ratio, *q ? ", " : "", q);
}

void
diff_text(FILE *f, const struct diff *d)
{
	struct arena *a = arena_new();
	int i;

	fprintf(f, "- %s\n+ %s\n", side_label(d->a, a),
	    side_label(d->b, a));
	for (i = 0; i < d->count; i++) {
		const struct change *c = &d->list[i];
		const char *ratio = ratio_words(c, a);

		fprintf(f, "%c %s: %s", change_rows[c->id].worse ? '!' : ' ',
		    change_rows[c->id].name, c->name);
		if (*c->what)
			fprintf(f, "  %s", c->what);
		if (*c->before)
			fprintf(f, "  %s -> %s", c->before, c->after);
		fprintf(f, "%s%s%s\n", *ratio ? "  (" : "", ratio,
		    *ratio ? ")" : "");
	}
	fprintf(f, "%s\n%s\n", d->count ? quiet_words(d, a) :
	    "No difference beyond noise.", method(d, a));
	arena_free(a);
}

#define ROWS_MAX 500

void
diff_markdown(FILE *f, const struct diff *d)
{
	struct arena *a = arena_new();
	int i;

	fprintf(f, "# fencepost diff: %d change%s%s\n\n- before: ",
	    d->count, plural((uint64_t)d->count), d->worse ?
	    ", **some for the worse**" : "");
	put_markdown(f, side_label(d->a, a));
	fputs("\n- after: ", f);
	put_markdown(f, side_label(d->b, a));
	fputs("\n\n", f);
	if (d->count)
		fputs("| | Test | Outcome or cost | Before | After | |\n"
		    "| --- | --- | --- | --- | --- | --- |\n", f);
	for (i = 0; i < d->count && i < ROWS_MAX; i++) {
		const struct change *c = &d->list[i];
		bool worse = change_rows[c->id].worse;

		fprintf(f, "| %s%s%s | ", worse ? "**" : "",
		    change_rows[c->id].name, worse ? "**" : "");
		put_code(f, c->name);
		fputs(" | ", f);
		put_markdown(f, c->what);
		fputs(" | ", f);
		put_markdown(f, c->before);
		fputs(" | ", f);
		put_markdown(f, c->after);
		fputs(" | ", f);
		put_markdown(f, ratio_words(c, a));
		fputs(" |\n", f);
	}
	if (d->count > ROWS_MAX)
		fprintf(f, "\nand %d more.\n", d->count - ROWS_MAX);
	fprintf(f, "%s%s\n\n", d->count ? "\n" : "", quiet_words(d, a));
	put_markdown(f, method(d, a));
	fputs("\n", f);
	arena_free(a);
}

static void
put_change(FILE *f, const struct change *c, struct arena *a)
{
	bool worse = change_rows[c->id].worse;

	fprintf(f, "<tr><td><span class=\"badge %s\" title=\"%s\">%s</span>"
	    "</td><td><b>", worse ? "broken" : "not-run",
	    change_rows[c->id].words, change_rows[c->id].name);
	put_xml(f, c->name);
	fputs("</b>", f);
	if (*c->what) {
		fputs("<br><code>", f);
		put_xml(f, c->what);
		fputs("</code>", f);
	}
	fputs("</td><td class=\"n\">", f);
	put_xml(f, c->before);
	fputs("</td><td class=\"n\">", f);
	put_xml(f, c->after);
	fputs("</td><td class=\"n\">", f);
	put_xml(f, ratio_words(c, a));
	fputs("</td></tr>\n", f);
}

static void
put_tiles(FILE *f, const struct diff *d)
{
	int counts[CHANGE_COUNT] = {0}, i;

	for (i = 0; i < d->count; i++)
		counts[d->list[i].id]++;
	fputs("<ul class=\"tiles\">\n", f);
	for (i = 0; i < CHANGE_COUNT; i++)
		if (counts[i])
			fprintf(f, "<li class=\"%s\"><b>%d</b> <span>%s</span>"
			    "</li>\n", change_rows[i].worse ? "bad" : "weak",
			    counts[i], change_rows[i].name);
	fprintf(f, "<li><b>%d</b> <span>outcomes within noise</span></li>"
	    "</ul>\n", d->quiet);
}

void
diff_html(FILE *f, const struct diff *d, const struct html_options *o)
{
	struct arena *a = arena_new();
	int i;

	page_begin(f, "fencepost: what changed", o);
	fprintf(f, "<header><h1>fencepost: %d change%s</h1></header>\n<dl>"
	    "<dt>before</dt><dd>", d->count, plural((uint64_t)d->count));
	put_xml(f, side_label(d->a, a));
	fputs("</dd><dt>after</dt><dd>", f);
	put_xml(f, side_label(d->b, a));
	fputs("</dd></dl>\n", f);
	if (!d->a->hardware)
		put_notice(f, "Software PTX machine: no GPU was involved.");
	put_tiles(f, d);
	if (d->count)
		fputs("<div class=\"scroll\"><table class=\"list\" cellpadding=\"4\"><tr><th>"
		    "</th><th>Test</th><th class=\"n\">Before</th>"
		    "<th class=\"n\">After</th><th></th></tr>\n", f);
	for (i = 0; i < d->count; i++)
		put_change(f, &d->list[i], a);
	fprintf(f, "%s<p class=\"dim\">", d->count ? "</table></div>\n" :
	    "");
	put_xml(f, method(d, a));
	fputs("</p>\n", f);
	page_end(f);
	arena_free(a);
}

static json_t *
number(double x)
{
	return isnan(x) ? json_null() : json_real(x);
}

static json_t *
side_json(const struct document *d, struct arena *a)
{
	json_t *devices = json_array();
	int i;

	for (i = 0; i < d->ndevices; i++)
		json_array_append_new(devices, json_pack("{s:s, s:s, s:s}",
		    "name", d->devices[i].name, "uuid", d->devices[i].uuid,
		    "driver", driver_label(&d->devices[i], a)));
	return json_pack("{s:s, s:s, s:b, s:o}", "ref", d->ref, "started",
	    d->started, "hardware", (int)d->hardware, "devices", devices);
}

json_t *
diff_json(const struct diff *d)
{
	struct arena *a = arena_new();
	json_t *list = json_array(), *before = side_json(d->a, a);
	json_t *after = side_json(d->b, a);
	int i;

	arena_free(a);
	for (i = 0; i < d->count; i++) {
		const struct change *c = &d->list[i];

		json_array_append_new(list, json_pack("{s:s, s:b, s:s, s:s, "
		    "s:s, s:s, s:o, s:o}", "change", change_rows[c->id].name,
		    "worse", (int)change_rows[c->id].worse, "name", c->name,
		    "what", c->what, "before", c->before, "after", c->after,
		    "ratio", number(c->ratio), "q", number(c->q)));
	}
	return json_pack("{s:s, s:i, s:o, s:o, s:b, s:i, s:i, s:i, s:f, s:i, "
	    "s:o, s:o}", "format", "fencepost-diff", "version", 1, "before",
	    before, "after", after, "worse",
	    (int)d->worse, "tests", d->tests, "outcomes", d->outcomes,
	    "within_noise", d->quiet, "noise", d->noise, "noise_from",
	    d->noise_from, "shift", number(d->shift), "changes", list);
}
