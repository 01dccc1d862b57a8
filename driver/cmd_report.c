#include "primitive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS \
	OPTION(text, html, 'o', "FILE", NULL, 0, 0,                            \
	    "one page; of several documents: side by side")                    \
	OPTION(text, css, 0, "FILE", NULL, 0, 0, "write the page's style "     \
	    "sheet here and link to it, for content policies that forbid "     \
	    "inline style (Jenkins)")                                          \
	OPTION(number, details, 0, "N", "2000", 0, 1e9,                        \
	    "passing tests that the page shows in full")                       \
	OPTION(text, junit, 'j', "FILE", NULL, 0, 0, "JUnit XML")              \
	OPTION(text, markdown, 'm', "FILE", NULL, 0, 0, "Markdown")            \
	OPTION(flag, github, 0, NULL, NULL, 0, 0, "annotations for GitHub "    \
	    "on stdout, and Markdown added to $GITHUB_STEP_SUMMARY")           \
	OPTION(text, quarantine, 'q', "FILE", NULL, 0, 0, "known failures: "   \
	    "lines of UNTIL TEST-GLOB [@DEVICE-GLOB] REASON")                  \
	OPTION(flag, gate, 'g', NULL, NULL, 0, 0, "exit as the run would "     \
	    "have, less what is quarantined")                                  \
	OPTION(flag, all, 'a', NULL, NULL, 0, 0,                               \
	    "as text: every test, not only failures")
#include "options.h"

static const struct usage usage = {
	"report", "FILE...", 1, -1,
	"Shows results documents; FILE may be a run of a store, as "
	"results.db#12 or\nresults.db#last. Without an option, text on "
	"stdout; \"-\" as a FILE is a stream.\n", option_rows,
};

/* What is written, and how. */
struct job {
	const struct options *o;
	struct document *list;
	int n;
	struct arena *arena;
};

static struct html_options
html_options(const struct job *j)
{
	const char *css = j->o->css;
	const char *slash = css ? strrchr(css, '/') : NULL;

	/* beside the page */
	return (struct html_options){slash ? slash + 1 : css,
	    (int)j->o->details};
}

static void
put_html(FILE *f, const struct job *j)
{
	struct html_options o = html_options(j);

	if (j->n > 1)
		compare_html(f, j->list, j->n, &o);
	else
		html_write(f, &j->list[0], &o);
}

static void
put_css(FILE *f, const struct job *j)
{
	(void)j;
	html_css_write(f);
}

static void
put_junit(FILE *f, const struct job *j)
{
	junit_write(f, &j->list[0]);
}

static void
put_markdown_page(FILE *f, const struct job *j)
{
	if (j->n > 1)
		compare_markdown(f, j->list, j->n);
	else
		markdown_write(f, &j->list[0]);
}

static bool
write_file(const char *path, void (*put)(FILE *f, const struct job *j),
    const struct job *j, struct err *err)
{
	struct output out;

	if (!path)
		return true;
	if (!output_open(&out, path, j->arena, err))
		return false;
	put(out.f, j);
	return output_close(&out, err);
}

static bool
write_github(const struct job *j, struct err *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f;

	if (!j->o->github)
		return true;
	github_write(stdout, &j->list[0]);
	if (!path || !*path)
		return true;
	f = fopen(path, "a"); /* steps before may have written there */
	if (!f)
		return err_set(err, ERR_IO, (struct loc){path, 0, 0}, "%s",
		    strerror(errno));
	put_markdown_page(f, j);
	if (ferror(f) | fclose(f))
		return err_set(err, ERR_IO, (struct loc){path, 0, 0},
		    "cannot be written");
	return true;
}

static void
put_primitives(FILE *f, const struct document *d, const struct style *style)
{
	int i;

	for (i = 0; i < d->nprimitives; i++) {
		struct span span = d->primitives[i].span;
		json_t *entry = json_loadb(span.s, span.size, 0, NULL);

		if (entry)
			primitive_print(f, entry, style);
		json_decref(entry);
	}
}

/* As run and primitive print it. */
static void
put_text(FILE *f, const struct document *d, bool all)
{
	struct style style = {.sim = !d->hardware};
	int i;

	print_header(f, d, &style);
	for (i = 0; i < d->ntests; i++)
		if (all || verdicts[d->tests[i].verdict].exit)
			print_test(f, d, &d->tests[i], &style);
	put_primitives(f, d, &style);
	print_summary(f, d, &style);
}

static bool
write_all(const struct job *j, struct err *err)
{
	const struct options *o = j->o;

	if (!o->html && !o->junit && !o->markdown && !o->github && !o->gate)
		put_text(stdout, &j->list[0], o->all);
	return write_file(o->html, put_html, j, err) &&
	    write_file(o->css, put_css, j, err) &&
	    write_file(o->junit, put_junit, j, err) &&
	    write_file(o->markdown, put_markdown_page, j, err) &&
	    write_github(j, err);
}

/* ---- quarantine -------------------------------------------------------- */

static bool
apply_quarantine(const char *path, const struct job *j)
{
	struct quarantine q = {0};
	struct source source = {0};
	struct errs errs = {0};
	struct err err;
	int i;

	if (!path)
		return true;
	if (!source_read(path, (size_t)1 << 20, j->arena, &source, &err)) {
		err_print(stderr, &err, NULL);
		return false;
	}
	if (!quarantine_read(&source, j->arena, &q, &errs)) {
		errs_print(stderr, &errs, &source);
		return false;
	}
	quarantine_apply(&q, &j->list[0]);
	for (i = 0; i < q.count; i++) {
		const struct pardon *p = &q.list[i];

		if (p->expired && p->used)
			fprintf(stderr, "%s:%d: '%s' was quarantined until "
			    "%s, and still fails\n", path, p->loc.line,
			    p->glob, p->until);
		else if (!p->used)
			fprintf(stderr, "%s:%d: '%s' fails no more: the "
			    "line can go\n", path, p->loc.line, p->glob);
	}
	return true;
}

static bool
check_use(const struct options *o, int n, struct err *err)
{
	bool single = o->junit || o->github || o->gate || o->quarantine ||
	    (!o->html && !o->markdown);

	if (o->css && !o->html)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "--css goes with --html");
	if (n > 1 && single)
		return err_set(err, ERR_USAGE, (struct loc){0}, "of several "
		    "documents there are --html and --markdown pages; merge "
		    "shards first");
	return true;
}

int
cmd_report(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings files = {0};
	struct job j = {.o = &o, .arena = a};
	struct summary s;
	struct err err;
	int status = options_read(&usage, &o, argc, argv, a, &files);

	if (status != STATUS_GO_ON) {
		arena_free(a);
		return status;
	}
	status = STATUS_NO_VERDICT;
	j.n = files.count;
	if (!check_use(&o, j.n, &err)) {
		err_print(stderr, &err, NULL);
	} else if (documents_load(&files, a, &j.list) &&
	    apply_quarantine(o.quarantine, &j)) {
		if (!compare_check(j.list, j.n, &err) ||
		    !write_all(&j, &err)) {
			err_print(stderr, &err, NULL);
		} else {
			summary_make(&s, &j.list[0]);
			status = o.gate ? s.exit : STATUS_OK;
		}
	}
	arena_free(a);
	return status;
}
