/* What changed between two documents, and what is only noise. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct change_row change_rows[CHANGE_COUNT] = {
#define CHANGE(id, name, worse, words) \
	[CHANGE_##id] = {name, words, worse},
#include "change.def"
#undef CHANGE
};

struct change *
diff_add(struct diff_work *w, enum change_id id, const char *name)
{
	struct change *c;

	if (w->nchanges == w->change_room) {
		size_t room = w->change_room ? 2 * w->change_room : 64;

		w->changes = arena_grow(w->arena, w->changes,
		    w->nchanges * sizeof(*c), room * sizeof(*c));
		w->change_room = room;
	}
	c = &w->changes[w->nchanges++];
	*c = (struct change){id, name, "", "", "", NAN, NAN};
	return c;
}

/* ---- devices ----------------------------------------------------------- */

/*
 * By UUID where they share one; else, as many against as many, in order:
 * that is how two GPUs, or a GPU and its successor, are compared.
 */
static bool
pair_devices(struct diff_work *w, struct err *err)
{
	int i, k, shared = 0;

	w->device = arena_alloc(w->arena,
	    ((size_t)w->a->ndevices + 1) * sizeof(*w->device));
	for (i = 0; i < w->a->ndevices; i++) {
		w->device[i] = -1;
		for (k = 0; k < w->b->ndevices; k++)
			if (strcmp(w->a->devices[i].uuid,
			    w->b->devices[k].uuid) == 0)
				w->device[i] = k;
		shared += w->device[i] >= 0;
	}
	if (shared)
		return true;
	if (w->a->ndevices != w->b->ndevices)
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "the documents have %d and %d devices and share none",
		    w->a->ndevices, w->b->ndevices);
	for (i = 0; i < w->a->ndevices; i++)
		w->device[i] = i;
	return true;
}

/* ---- tests ------------------------------------------------------------- */

static double
row_count(const struct doc_test *t, const struct doc_row *like)
{
	int i;

	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].nvalues == like->nvalues && memcmp(
		    t->rows[i].values, like->values,
		    (size_t)like->nvalues * sizeof(*like->values)) == 0)
			return (double)t->rows[i].count;
	return 0;
}

static void
add_pair(struct diff_work *w, const struct doc_test *a,
    const struct doc_test *b, const struct doc_row *row)
{
	struct pair *p;

	if (w->npairs == w->pair_room) {
		size_t room = w->pair_room ? 2 * w->pair_room : 256;

		w->pairs = arena_grow(w->arena, w->pairs,
		    w->npairs * sizeof(*p), room * sizeof(*p));
		w->pair_room = room;
	}
	p = &w->pairs[w->npairs++];
	*p = (struct pair){a, b, row, row_count(a, row), row_count(b, row),
	    1};
}

/* Outcomes of interest; how interleavings share out among themselves is
   the scheduler's affair. */
static bool
interesting(const struct doc_row *r)
{
	return r->count && (r->class != ROW_SC || r->target);
}

static void
add_pairs(struct diff_work *w, const struct doc_test *a,
    const struct doc_test *b)
{
	int i;

	for (i = 0; i < b->nrows; i++)
		if (interesting(&b->rows[i]))
			add_pair(w, a, b, &b->rows[i]);
	for (i = 0; i < a->nrows; i++)
		if (interesting(&a->rows[i]) && row_count(b, &a->rows[i]) <= 0)
			add_pair(w, a, b, &a->rows[i]);
}

static void
compare_verdicts(struct diff_work *w, const struct doc_test *a,
    const struct doc_test *b)
{
	bool failed = verdicts[a->verdict].exit;
	bool fails = verdicts[b->verdict].exit;
	struct change *c = NULL;

	if (b->verdict == VERDICT_NOT_RUN && a->verdict != VERDICT_NOT_RUN)
		c = diff_add(w, CHANGE_NOT_RUN, b->name);
	else if (fails && (!failed || a->verdict != b->verdict))
		c = diff_add(w, CHANGE_FAILED, b->name);
	else if (failed && !fails)
		c = diff_add(w, CHANGE_FIXED, b->name);
	if (c) {
		c->what = fails || b->verdict == VERDICT_NOT_RUN ?
		    test_message(b) : "";
		c->before = verdicts[a->verdict].name;
		c->after = verdicts[b->verdict].name;
	}
	if (a->answer != b->answer) {
		c = diff_add(w, CHANGE_ANSWER, b->name);
		c->before = doc_answers[a->answer];
		c->after = doc_answers[b->answer];
	}
}

static void
compare_tests(struct diff_work *w, const struct doc_test *a,
    const struct doc_test *b)
{
	compare_verdicts(w, a, b);
	if (a->source_hash != b->source_hash) {
		diff_add(w, CHANGE_SOURCE, b->name);
		return;
	}
	if (!a->instances || !b->instances || a->nslots != b->nslots)
		return;
	w->tests++;
	add_pairs(w, a, b);
}

/* Both lists are in the order of names; devices are few. */
static const struct doc_test *
find_in(const struct document *d, int *from, const char *name, int device)
{
	int i;

	while (*from < d->ntests &&
	    strcmp(d->by_name[*from]->name, name) < 0)
		++*from;
	for (i = *from; i < d->ntests; i++) {
		if (strcmp(d->by_name[i]->name, name) != 0)
			break;
		if (d->by_name[i]->device == (uint64_t)device)
			return d->by_name[i];
	}
	return NULL;
}

static void
compare_all(struct diff_work *w)
{
	int i, k, from = 0;

	for (i = 0; i < w->a->ntests; i++) {
		const struct doc_test *t = w->a->by_name[i], *u;

		if (w->device[t->device] < 0)
			continue;
		u = find_in(w->b, &from, t->name, w->device[t->device]);
		if (u)
			compare_tests(w, t, u);
		else
			diff_add(w, CHANGE_REMOVED, t->name);
	}
	for (i = 0, from = 0; i < w->b->ntests; i++) {
		const struct doc_test *t = w->b->by_name[i];

		for (k = 0; k < w->a->ndevices; k++)
			if (w->device[k] == (int)t->device &&
			    !find_in(w->a, &from, t->name, k))
				diff_add(w, CHANGE_ADDED, t->name);
	}
}

/* ---- rates ------------------------------------------------------------- */

/* Counts from here on say something about noise rather than about chance. */
#define COUNTED 20
#define NOISE_LEAST 20 /* outcomes to estimate it from */

static double
log_ratio(const struct pair *p)
{
	return log(p->x2 / (double)p->b->instances) -
	    log(p->x1 / (double)p->a->instances);
}

/*
 * Like runs on one device and driver: most outcomes have not changed, so
 * the middle of their log ratios (the median absolute deviation, times
 * 1.4826 for a normal law) is noise; what counting adds is taken off.
 */
static void
estimate_noise(const struct diff_work *w, struct diff *d)
{
	double *x = arena_alloc(w->arena, (w->npairs + 1) * sizeof(*x));
	double *counting = arena_alloc(w->arena,
	    (w->npairs + 1) * sizeof(*x));
	double middle, spread;
	int n = 0, i;
	size_t k;

	for (k = 0; k < w->npairs; k++) {
		const struct pair *p = &w->pairs[k];

		if (p->x1 < COUNTED || p->x2 < COUNTED)
			continue;
		counting[n] = 1 / p->x1 + 1 / p->x2;
		x[n++] = log_ratio(p);
	}
	middle = median_of(x, n);
	d->shift = exp(middle);
	for (i = 0; i < n; i++)
		x[i] = fabs(x[i] - middle);
	if (n < NOISE_LEAST)
		return;
	spread = 1.4826 * median_of(x, n);
	d->noise = sqrt(fmax(spread * spread - median_of(counting, n), 0));
	d->noise_from = n;
}

static bool
like_devices(const struct diff_work *w)
{
	int i;

	for (i = 0; i < w->a->ndevices; i++) {
		const struct doc_device *a = &w->a->devices[i], *b;

		if (w->device[i] < 0)
			continue;
		b = &w->b->devices[w->device[i]];
		if (strcmp(a->name, b->name) != 0 || !same_driver(a, b))
			return false;
	}
	return true;
}

static void
find_noise(const struct diff_work *w, struct diff *d)
{
	double given = w->options->noise;

	d->noise = NOISE_DEFAULT;
	estimate_noise(w, d);
	if (!isnan(given) || !like_devices(w)) {
		d->noise = isnan(given) ? NOISE_DEFAULT : given;
		d->noise_from = 0;
	}
}

/* The launches of a test vary among themselves, too. */
static double
launch_noise(const struct doc_test *t)
{
	double sd = t->evidence ? t->evidence->dispersion : NAN;

	return isnan(sd) || !t->launches ? 0 : sd * sd /
	    (double)t->launches;
}

static enum change_id
rate_change(const struct pair *p)
{
	if (p->row->class == ROW_FORBIDDEN)
		return p->x2 > 0 ? CHANGE_FORBIDDEN : CHANGE_FORBIDDEN_GONE;
	if (p->x1 <= 0)
		return CHANGE_WEAK_NEW;
	if (p->x2 <= 0)
		return CHANGE_WEAK_LOST;
	return log_ratio(p) > 0 ? CHANGE_RATE_UP : CHANGE_RATE_DOWN;
}

static const char *
share_text(const struct diff_work *w, double x, uint64_t n)
{
	return arena_printf(w->arena, "%s of %s",
	    count_text((uint64_t)x).s, count_text(n).s);
}

static const char *
row_text(const struct diff_work *w, const struct pair *p)
{
	const struct doc_test *t = p->b;
	struct text s;
	int i;

	text_init(&s, w->arena);
	for (i = 0; i < p->row->nvalues; i++)
		text_printf(&s, "%s%s=%" PRId64 ";", i ? " " : "",
		    t->slots[i], p->row->values[i]);
	return s.s;
}

/* A forbidden outcome is a fact, whatever chance it had. */
static bool
plain_fact(const struct pair *p)
{
	return p->row->class == ROW_FORBIDDEN && (p->x1 <= 0 || p->x2 <= 0);
}

static void
compare_rates(struct diff_work *w, struct diff *d)
{
	double *ps = arena_alloc(w->arena, (w->npairs + 1) * sizeof(*ps));
	double *qs = arena_alloc(w->arena, (w->npairs + 1) * sizeof(*qs));
	size_t i;

	find_noise(w, d);
	for (i = 0; i < w->npairs; i++) {
		const struct pair *p = &w->pairs[i];
		double more = launch_noise(p->a) + launch_noise(p->b);

		ps[i] = rates_differ(p->x1, (double)p->a->instances, p->x2,
		    (double)p->b->instances,
		    sqrt(d->noise * d->noise + more));
	}
	discovery_rates(ps, qs, (int)w->npairs);
	for (i = 0; i < w->npairs; i++) {
		const struct pair *p = &w->pairs[i];
		struct change *c;

		if (qs[i] > w->options->q && !plain_fact(p)) {
			d->quiet++;
			continue;
		}
		c = diff_add(w, rate_change(p), p->b->name);
		c->what = row_text(w, p);
		c->before = share_text(w, p->x1, p->a->instances);
		c->after = share_text(w, p->x2, p->b->instances);
		c->ratio = p->x1 > 0 && p->x2 > 0 ? exp(log_ratio(p)) : NAN;
		c->q = plain_fact(p) ? NAN : qs[i];
	}
	d->outcomes = (int)w->npairs;
}

/* ---- all of it --------------------------------------------------------- */

static int
by_gravity(const void *a, const void *b)
{
	const struct change *s = a, *t = b;
	int order;

	if (s->id != t->id)
		return s->id < t->id ? -1 : 1;
	order = strcmp(s->name, t->name);
	return order ? order : strcmp(s->what, t->what);
}

bool
diff_make(const struct document *a, const struct document *b,
    const struct diff_options *o, struct arena *arena, struct diff *diff,
    struct err *err)
{
	struct diff_work w = {.a = a, .b = b, .options = o, .arena = arena};
	struct diff d = {.a = a, .b = b, .options = *o, .shift = NAN};
	size_t i;

	if (a->hardware != b->hardware)
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "%s is of the software PTX machine and %s of hardware: "
		    "they are not compared", a->hardware ? b->ref : a->ref,
		    a->hardware ? a->ref : b->ref);
	if (!pair_devices(&w, err))
		return false;
	compare_all(&w);
	compare_rates(&w, &d);
	diff_primitives(&w);
	if (w.nchanges)
		qsort(w.changes, w.nchanges, sizeof(*w.changes),
		    by_gravity);
	d.list = w.changes;
	d.count = (int)w.nchanges;
	d.tests = w.tests;
	for (i = 0; i < w.nchanges; i++)
		d.worse |= change_rows[w.changes[i].id].worse;
	*diff = d;
	return true;
}
