#include "json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
environment_name(const struct doc_environment *e, struct arena *a)
{
	json_t *record = json_loads(e->env ? e->env : "", 0, NULL);
	const char *name = json_string_value(json_object_get(record,
	    "name"));

	name = name ? arena_strdup(a, name) : "?";
	json_decref(record);
	return name;
}

const struct doc_device *
test_device(const struct document *d, const struct doc_test *t)
{
	return &d->devices[t->device];
}

/* ---- what the tables cannot say ---------------------------------------- */

/* An error about element i of a list of the document. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
static bool
fail(const struct document *d, struct span at, const char *list, int i,
    struct err *err, const char *format, ...)
{
	char message[300];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, source_place(&d->source, at.s),
	    "%s[%d]: %s", list, i, message);
}

static bool
check_head(const struct document *d, struct err *err)
{
	struct loc loc = {d->source.name, 1, 1};
	int i;

	if (strcmp(d->format, "fencepost-results") != 0)
		return err_set(err, ERR_INPUT, loc,
		    "format '%.40s' is not fencepost-results", d->format);
	if (d->version != 1)
		return err_set(err, ERR_INPUT, loc, "version %lld of results "
		    "documents; this program reads version 1",
		    (long long)d->version);
	if (strlen(d->started) != 20 || d->started[10] != 'T')
		return err_set(err, ERR_INPUT, loc,
		    "started '%.40s' is not a time such as "
		    "2026-01-31T12:00:00Z", d->started);
	if (d->shard->index < 1 || d->shard->index > d->shard->count)
		return err_set(err, ERR_INPUT, loc,
		    "shard %lld of %lld is none",
		    (long long)d->shard->index, (long long)d->shard->count);
	for (i = 0; i < d->ndevices; i++)
		if ((d->devices[i].kind == DOC_CUDA) != d->hardware)
			return err_set(err, ERR_INPUT, loc,
			    "hardware is %s, but devices[%d] is of kind %s",
			    d->hardware ? "true" : "false", i,
			    device_kinds[d->devices[i].kind]);
	return true;
}

/* Every instance launched is in one bin. */
static bool
check_counts(const struct document *d, const struct doc_test *t, int i,
    struct err *err)
{
	uint64_t sum = 0, add;
	int k;
	bool over = false;

	for (k = 0; k < t->nrows + 2; k++) {
		add = k < t->nrows ? t->rows[k].count :
		    k == t->nrows ? t->other : t->hang;
		over |= __builtin_add_overflow(sum, add, &sum);
	}
	if (!over && (sum == t->instances || (sum < t->instances &&
	    t->verdict != VERDICT_PASS && t->verdict != VERDICT_FORBIDDEN)))
		return true;
	return fail(d, t->span, "tests", i, err, "%s: the bins add up to "
	    "%llu, but %llu instance%s ran", t->name,
	    (unsigned long long)sum, (unsigned long long)t->instances,
	    plural(t->instances));
}

static bool
check_rows(const struct document *d, const struct doc_test *t, int i,
    struct err *err)
{
	int k;

	for (k = 0; k < t->nrows; k++)
		if (t->rows[k].nvalues != t->nslots)
			return fail(d, t->span, "tests", i, err,
			    "%s: histogram[%d] has %d values for %d slots",
			    t->name, k, t->rows[k].nvalues, t->nslots);
	for (k = 0; k < t->nunseen; k++)
		if (t->unseen[k].nvalues != t->nslots)
			return fail(d, t->span, "tests", i, err,
			    "%s: unseen[%d] has %d values for %d slots",
			    t->name, k, t->unseen[k].nvalues, t->nslots);
	return true;
}

static bool
check_execution(const struct document *d, const struct doc_test *t, int i,
    struct err *err)
{
	const struct doc_execution *x = t->execution;
	uint64_t n = x ? (uint64_t)x->nevents : 0;
	int k;

	for (k = 0; x && k < x->nevents; k++)
		if (x->events[k].thread < -1 ||
		    x->events[k].thread >= t->nthreads)
			return fail(d, t->span, "tests", i, err,
			    "%s: execution.events[%d] is of no thread",
			    t->name, k);
	for (k = 0; x && k < x->nedges; k++)
		if (x->edges[k].from >= n || x->edges[k].to >= n)
			return fail(d, t->span, "tests", i, err,
			    "%s: execution.edges[%d] joins no events",
			    t->name, k);
	return true;
}

static bool
check_test(const struct document *d, const struct doc_test *t, int i,
    struct err *err)
{
	if (t->device >= (uint64_t)d->ndevices)
		return fail(d, t->span, "tests", i, err,
		    "%s: device %llu is none of %d", t->name,
		    (unsigned long long)t->device, d->ndevices);
	return check_rows(d, t, i, err) && check_counts(d, t, i, err) &&
	    check_execution(d, t, i, err);
}

static bool
check_primitive(const struct document *d, const struct doc_primitive *p,
    int i, struct err *err)
{
	if (p->device >= (uint64_t)d->ndevices)
		return fail(d, p->span, "primitives", i, err,
		    "%s: device %llu is none of %d", p->name,
		    (unsigned long long)p->device, d->ndevices);
	return true;
}

/* ---- order ------------------------------------------------------------- */

static int
compare_tests(const void *a, const void *b)
{
	const struct doc_test *s = *(const struct doc_test *const *)a;
	const struct doc_test *t = *(const struct doc_test *const *)b;
	int order = strcmp(s->name, t->name);

	if (order)
		return order;
	return s->device < t->device ? -1 : s->device > t->device;
}

/* In a document that was put together there is no place to point at. */
static struct loc
twice_at(const struct document *d, const struct doc_test *t)
{
	const char *s = d->source.text;

	if (!s || t->span.s < s || t->span.s >= s + d->source.size)
		return (struct loc){0};
	return source_place(&d->source, t->span.s);
}

bool
document_sort(struct document *d, struct arena *a, struct err *err)
{
	size_t i, n = (size_t)d->ntests;

	d->by_name = arena_alloc(a, (n + 1) * sizeof(*d->by_name));
	for (i = 0; i < n; i++)
		d->by_name[i] = &d->tests[i];
	qsort(d->by_name, n, sizeof(*d->by_name), compare_tests);
	for (i = 1; i < n; i++)
		if (compare_tests(&d->by_name[i - 1], &d->by_name[i]) == 0)
			return err_set(err, ERR_INPUT, twice_at(d,
			    d->by_name[i]), "tests[%d]: %s is there twice "
			    "for one device", (int)(d->by_name[i] -
			    d->tests), d->by_name[i]->name);
	return true;
}

const struct doc_test *
document_find(const struct document *d, const char *name, const char *uuid)
{
	int low = 0, high = d->ntests;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (strcmp(d->by_name[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < d->ntests; low++) {
		const struct doc_test *t = d->by_name[low];

		if (strcmp(t->name, name) != 0)
			break;
		if (strcmp(test_device(d, t)->uuid, uuid) == 0)
			return t;
	}
	return NULL;
}

bool
test_read(struct span span, struct arena *a, struct doc_test *t,
    struct err *err)
{
	struct source source = {"test", span.s, span.size};
	struct doc_test read = {0};

	if (!json_read(&source, &test_shape, a, &read, err))
		return false;
	*t = read;
	return true;
}

bool
document_read(const struct source *source, struct arena *a,
    struct document *d, struct err *err)
{
	struct document read = {0};
	int i;

	if (!json_read(source, &document_shape, a, &read, err))
		return false;
	read.ref = source->name;
	read.source = *source;
	if (!check_head(&read, err))
		return false;
	for (i = 0; i < read.ntests; i++)
		if (!check_test(&read, &read.tests[i], i, err))
			return false;
	for (i = 0; i < read.nprimitives; i++)
		if (!check_primitive(&read, &read.primitives[i], i, err))
			return false;
	if (!document_sort(&read, a, err))
		return false;
	*d = read;
	return true;
}

/* "FILE#RUN" or "FILE#last", where no file is called so. */
static bool
split_ref(const char *ref, struct arena *a, const char **file, int64_t *run)
{
	const char *hash = strrchr(ref, '#');
	char *end;

	if (!hash || access(ref, F_OK) == 0)
		return false;
	*file = arena_strndup(a, ref, (size_t)(hash - ref));
	*run = 0;
	if (strcmp(hash, "#last") == 0)
		return true;
	*run = strtoll(hash + 1, &end, 10);
	return *run > 0 && *end == '\0';
}

static bool
load_stored(const char *file, int64_t run, struct arena *a,
    struct source *source, struct err *err)
{
	struct store *s;
	bool good;

	if (!store_open(file, false, &s, err))
		return false;
	good = store_get(s, run, a, source, err);
	if (!good)
		err->loc.source = file;
	store_close(s);
	return good;
}

bool
document_load(const char *ref, struct arena *a, struct document *d,
    struct source *source, struct err *err)
{
	const char *file;
	int64_t run;

	*source = (struct source){0};
	if (split_ref(ref, a, &file, &run) ?
	    !load_stored(file, run, a, source, err) :
	    !source_read(strcmp(ref, "-") == 0 ? "/dev/stdin" : ref,
	    DOCUMENT_LIMIT, a, source, err))
		return false;
	return document_read(source, a, d, err);
}
