#include "driver.h"

#include <math.h>
#include <stdlib.h>

enum { FAIL_ON_WORSE, FAIL_ON_ANY, FAIL_ON_NEVER };

#define OPTIONS \
	OPTION(text, html, 'o', "FILE", NULL, 0, 0, "as a page")               \
	OPTION(text, markdown, 'm', "FILE", NULL, 0, 0, "as Markdown")         \
	OPTION(text, json, 0, "FILE", NULL, 0, 0, "as JSON")                   \
	OPTION(choice, fail_on, 0, "worse|any|never", "worse", 0, 0,           \
	    "which changes make the exit status 1")                            \
	OPTION(text, q, 0, "RATE", "0.05", 0, 0,                               \
	    "accepted rate of false discoveries")                              \
	OPTION(text, noise, 0, "FACTOR", NULL, 0, 0, "by which rates of like " \
	    "runs differ without a change, such as 1.3")                       \
	OPTION(text, history, 0, "DB", NULL, 0, 0,                             \
	    "a store to learn the noise from")                                 \
	OPTION(text, slower, 0, "SHARE", "0.05", 0, 0,                         \
	    "by which a cost must grow to count")
#include "options.h"

static const struct usage usage = {
	"diff", "BEFORE AFTER", 2, 2,
	"Says what changed between two results documents (or runs of a store, "
	"as\nresults.db#12): forbidden outcomes, failures, weak behaviour "
	"that is new or\ngone, rates and costs beyond noise.\n", option_rows,
};

static bool
get_number(const char *name, const char *s, double low, double high,
    double *x, struct err *err)
{
	char *end;

	*x = strtod(s, &end);
	if (end != s && !*end && *x >= low && *x <= high)
		return true;
	return err_set(err, ERR_USAGE, (struct loc){0},
	    "--%s: '%s' is not a number from %g to %g", name, s, low, high);
}

static bool
learn_noise(const char *path, const struct document *d, double *noise,
    struct err *err)
{
	struct store *s;
	int from = 0;
	bool good;

	if (!store_open(path, false, &s, err))
		return false;
	good = d->ndevices == 0 ||
	    store_noise(s, &d->devices[0], noise, &from, err);
	if (!good)
		err->loc.source = path;
	store_close(s);
	if (good && isnan(*noise))
		fprintf(stderr, "%s: too few runs of %s to learn from\n",
		    path, d->devices[0].name);
	return good;
}

static bool
read_options(const struct options *o, const struct document *before,
    struct diff_options *d, struct err *err)
{
	double factor;

	d->noise = NAN;
	if (!get_number("q", o->q, 0, 1, &d->q, err) ||
	    !get_number("slower", o->slower, 0, 100, &d->slower, err))
		return false;
	if (o->noise) {
		if (!get_number("noise", o->noise, 1, 1000, &factor, err))
			return false;
		d->noise = log(factor);
		return true;
	}
	return !o->history ||
	    learn_noise(o->history, before, &d->noise, err);
}

static void
put_html(FILE *f, const struct diff *d)
{
	diff_html(f, d, &(struct html_options){NULL, 0});
}

static void
put_json(FILE *f, const struct diff *d)
{
	json_t *all = diff_json(d);

	json_dumpf(all, f, JSON_INDENT(1));
	fputs("\n", f);
	json_decref(all);
}

static bool
write_file(const char *path, void (*put)(FILE *f, const struct diff *d),
    const struct diff *d, struct arena *a, struct err *err)
{
	struct output out;

	if (!path)
		return true;
	if (!output_open(&out, path, a, err))
		return false;
	put(out.f, d);
	return output_close(&out, err);
}

static int
compare(const struct options *o, const struct document *list,
    struct arena *a)
{
	struct diff_options options;
	struct diff d;
	struct err err;

	if (!read_options(o, &list[0], &options, &err) ||
	    !diff_make(&list[0], &list[1], &options, a, &d, &err) ||
	    !write_file(o->html, put_html, &d, a, &err) ||
	    !write_file(o->markdown, diff_markdown, &d, a, &err) ||
	    !write_file(o->json, put_json, &d, a, &err)) {
		err_print(stderr, &err, NULL);
		return STATUS_NO_VERDICT;
	}
	if (!o->html && !o->markdown && !o->json)
		diff_text(stdout, &d);
	if (o->fail_on == FAIL_ON_NEVER)
		return STATUS_OK;
	return d.worse || (o->fail_on == FAIL_ON_ANY && d.count) ?
	    STATUS_FOUND : STATUS_OK;
}

int
cmd_diff(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings files = {0};
	struct document *list;
	int status = options_read(&usage, &o, argc, argv, a, &files);

	if (status == STATUS_GO_ON)
		status = documents_load(&files, a, &list) ?
		    compare(&o, list, a) : STATUS_NO_VERDICT;
	arena_free(a);
	return status;
}
