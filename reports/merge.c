#include "reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MAX 100000

static bool
refuse(struct err *err, const struct document *d, const char *what,
    const char *is, const char *other)
{
	return err_set(err, ERR_INPUT, (struct loc){d->ref, 0, 0},
	    "not a shard of the same run: its %s is %s, that of the first "
	    "is %s", what, is, other);
}

/* What every shard of a run must share. */
static bool
check_alike(const struct document *first, const struct document *d,
    struct arena *a, struct err *err)
{
	const struct {
		const char *what;
		uint64_t is, other;
		const char *format;
	} numbers[] = {
		{"number of shards", (uint64_t)d->shard->count,
		    (uint64_t)first->shard->count, "%" PRIu64},
		{"suite hash", d->shard->suite_hash,
		    first->shard->suite_hash, "%016" PRIx64},
		{"seed", d->seed, first->seed, "%016" PRIx64},
	};
	size_t i;

	if (d->hardware != first->hardware)
		return refuse(err, d, "device", d->hardware ? "hardware" :
		    "the software PTX machine", first->hardware ?
		    "hardware" : "the software PTX machine");
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].is != numbers[i].other)
			return refuse(err, d, numbers[i].what,
			    arena_printf(a, numbers[i].format, numbers[i].is),
			    arena_printf(a, numbers[i].format,
			    numbers[i].other));
	if (d->model != first->model)
		return refuse(err, d, "model", doc_models[d->model],
		    doc_models[first->model]);
	if (strcmp(d->tool->version, first->tool->version) != 0)
		return refuse(err, d, "program's version", d->tool->version,
		    first->tool->version);
	return true;
}

/* GPUs of one kind may share a suite; of two kinds they would tell half a
   story each. */
static bool
check_devices(const struct document *first, const struct document *d,
    struct arena *a, struct err *err)
{
	int i;

	if (!first->ndevices || !d->ndevices)
		return err_set(err, ERR_INPUT, (struct loc){d->ref, 0, 0},
		    "names no device");
	for (i = 0; i < d->ndevices; i++) {
		const struct doc_device *x = &d->devices[i];
		const struct doc_device *y = &first->devices[0];

		if (strcmp(x->name, y->name) != 0)
			return refuse(err, d, "device", x->name, y->name);
		if (!same_driver(x, y))
			return refuse(err, d, "driver", driver_label(x, a),
			    driver_label(y, a));
	}
	return true;
}

static int
distinct_tests(const struct document *d)
{
	int i, n = 0;

	for (i = 0; i < d->ntests; i++)
		n += i == 0 || strcmp(d->by_name[i - 1]->name,
		    d->by_name[i]->name) != 0;
	return n;
}

static bool
check_whole(const struct document *d, struct err *err)
{
	struct loc loc = {d->ref, 0, 0};

	if (!d->complete)
		return err_set(err, ERR_INPUT, loc, "shard %" PRId64
		    " was interrupted (--partial takes what is there)",
		    d->shard->index);
	if ((uint64_t)distinct_tests(d) != d->shard->selected)
		return err_set(err, ERR_INPUT, loc, "shard %" PRId64
		    " has %d of %" PRIu64 " test%s (--partial takes what is "
		    "there)", d->shard->index, distinct_tests(d),
		    d->shard->selected, plural(d->shard->selected));
	return true;
}

/* by_index[i] is shard i + 1, or NULL. */
static bool
order_shards(const struct document *shards, int n, bool partial,
    const struct document **by_index, struct err *err)
{
	int64_t count = shards[0].shard->count, i, missing = 0, which = 0;

	for (i = 0; i < n; i++) {
		const struct document *d = &shards[i];
		const struct document **at = &by_index[d->shard->index - 1];

		if (*at)
			return err_set(err, ERR_INPUT, (struct loc){d->ref,
			    0, 0}, "shard %" PRId64 " is there twice; "
			    "%s is the other", d->shard->index, (*at)->ref);
		*at = d;
	}
	for (i = 0; i < count; i++)
		if (!by_index[i] && !missing++)
			which = i + 1;
	if (missing && !partial)
		return err_set(err, ERR_INPUT, (struct loc){0},
		    "%" PRId64 " of %" PRId64 " shard%s missing, the first is "
		    "shard %" PRId64 " (--partial takes what is there)",
		    missing, count, plural((uint64_t)count), which);
	return true;
}

/* ---- putting together -------------------------------------------------- */

static int
add_device(struct document *m, const struct doc_device *device)
{
	int i;

	for (i = 0; i < m->ndevices; i++)
		if (strcmp(m->devices[i].uuid, device->uuid) == 0 &&
		    same_text(m->devices[i].host, device->host))
			return i;
	m->devices[m->ndevices] = *device;
	return m->ndevices++;
}

/* Where each shard stands in the order of the tests. */
struct cursor {
	const struct document *d;
	int *device; /* in the merged document */
	int next;
	bool *taken;
};

static bool
move_test(struct document *m, struct cursor *c, int i, struct arena *a,
    struct err *err)
{
	struct doc_test *t = &m->tests[m->ntests];

	*t = c->d->tests[i];
	c->taken[i] = true;
	if ((int)t->device != c->device[t->device]) {
		t->device = (uint64_t)c->device[t->device];
		if (!span_move(t->span, t->device, a, &t->span, err))
			return false;
	}
	m->ntests++;
	return true;
}

/* The shard's next test, on each device that ran it. */
static bool
take_next(struct document *m, struct cursor *c, struct arena *a,
    struct err *err)
{
	const struct document *d = c->d;
	const char *name;
	int i, low = 0, high = d->ntests;

	while (c->next < d->ntests && c->taken[c->next])
		c->next++;
	if (c->next == d->ntests)
		return true;
	name = d->tests[c->next].name;
	while (low < high) { /* the first of that name */
		i = low + (high - low) / 2;
		if (strcmp(d->by_name[i]->name, name) < 0)
			low = i + 1;
		else
			high = i;
	}
	for (i = low; i < d->ntests; i++) {
		if (strcmp(d->by_name[i]->name, name) != 0)
			break;
		if (!move_test(m, c, (int)(d->by_name[i] - d->tests), a,
		    err))
			return false;
	}
	return true;
}

/* Shard i of n ran tests i, i + n, i + 2n ... of the run. */
static bool
interleave(struct document *m, struct cursor *list, int n, int total,
    struct arena *a, struct err *err)
{
	int i;

	while (m->ntests < total)
		for (i = 0; i < n; i++)
			if (!take_next(m, &list[i], a, err))
				return false;
	return true;
}

static bool
add_primitives(struct document *m, const struct cursor *c, struct arena *a,
    struct err *err)
{
	int i;

	for (i = 0; i < c->d->nprimitives; i++) {
		struct doc_primitive *p = &m->primitives[m->nprimitives];

		*p = c->d->primitives[i];
		if ((int)p->device != c->device[p->device]) {
			p->device = (uint64_t)c->device[p->device];
			if (!span_move(p->span, p->device, a, &p->span, err))
				return false;
		}
		m->nprimitives++;
	}
	for (i = 0; i < c->d->nclaims; i++)
		m->claims[m->nclaims++] = c->d->claims[i];
	return true;
}

static void
add_notes(struct document *m, const struct document *d)
{
	int i, k;

	for (i = 0; i < d->nnotes; i++) {
		for (k = 0; k < m->nnotes; k++)
			if (strcmp(m->notes[k], d->notes[i]) == 0)
				break;
		if (k == m->nnotes)
			m->notes[m->nnotes++] = d->notes[i];
	}
}

/* Is the word an option with a value that belongs to a shard and not to the
   run, if maybe shortened as options may be? *apart: the next word is its
   value. */
static bool
of_shard(const char *word, bool *apart)
{
	static const struct { const char *name; size_t least; } options[] = {
		{"--shard", 4}, {"--resume", 3}, {"--json", 4}, {"--junit", 4},
	};
	size_t n = strcspn(word, "="), i;

	*apart = word[n] == '\0';
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (n >= options[i].least &&
		    strncmp(word, options[i].name, n) == 0)
			return true;
	return false;
}

/* "-o" behind none or some of run's flags: how many letters to keep. */
static size_t
before_output(const char *word)
{
	size_t n = word[0] == '-' ? 1 + strspn(word + 1, "qx") : 0;

	return n && word[n] == 'o' ? n : 0;
}

/* What runs the whole: a shard's command, but for which shard it was and
   where its results went. */
static void
set_command(struct document *m, const struct document *d, struct arena *a)
{
	bool apart, operands = false;
	int i;

	m->command = arena_alloc(a, ((size_t)d->ncommand + 1) *
	    sizeof(*m->command));
	m->ncommand = 0;
	for (i = 0; i < d->ncommand; i++) {
		const char *word = d->command[i];
		size_t keep = operands ? 0 : before_output(word);

		operands |= strcmp(word, "--") == 0;
		if (keep > 1)
			m->command[m->ncommand++] = arena_strndup(a, word,
			    keep);
		if (keep)
			i += word[keep + 1] == '\0';
		else if (!operands && of_shard(word, &apart))
			i += apart;
		else
			m->command[m->ncommand++] = word;
	}
}

/* Room for all that the shards hold. */
static void
make_room(struct document *m, const struct cursor *list, int n,
    struct arena *a)
{
	size_t devices = 1, tests = 1, primitives = 1, claims = 1, notes = 1;
	int i;

	for (i = 0; i < n; i++) {
		devices += (size_t)list[i].d->ndevices;
		tests += (size_t)list[i].d->ntests;
		primitives += (size_t)list[i].d->nprimitives;
		claims += (size_t)list[i].d->nclaims;
		notes += (size_t)list[i].d->nnotes;
	}
	m->devices = arena_alloc(a, devices * sizeof(*m->devices));
	m->tests = arena_alloc(a, tests * sizeof(*m->tests));
	m->primitives = arena_alloc(a, primitives * sizeof(*m->primitives));
	m->claims = arena_alloc(a, claims * sizeof(*m->claims));
	m->notes = arena_alloc(a, notes * sizeof(*m->notes));
	m->ndevices = m->ntests = m->nprimitives = m->nclaims = 0;
	m->nnotes = 0;
}

static bool
put_together(struct document *m, struct cursor *list, int n, struct arena *a,
    struct err *err)
{
	int i, k, total = 0;

	make_room(m, list, n, a);
	for (i = 0; i < n; i++) {
		const struct document *d = list[i].d;

		list[i].device = arena_alloc(a, ((size_t)d->ndevices + 1) *
		    sizeof(*list[i].device));
		list[i].taken = arena_alloc(a, (size_t)d->ntests + 1);
		for (k = 0; k < d->ndevices; k++)
			list[i].device[k] = add_device(m, &d->devices[k]);
		total += d->ntests;
		m->complete &= d->complete;
		m->shard->selected += d->shard->selected;
		if (strcmp(d->started, m->started) < 0)
			m->started = d->started;
		if (d->wall_seconds > m->wall_seconds)
			m->wall_seconds = d->wall_seconds;
		add_notes(m, d);
		if (!add_primitives(m, &list[i], a, err))
			return false;
	}
	return interleave(m, list, n, total, a, err);
}

/* The hash of the whole selection proves that nothing is missing. */
static bool
check_merged(struct document *m, struct arena *a, struct err *err)
{
	size_t i, n = (size_t)m->ntests;

	if (!document_sort(m, a, err))
		return false;
	for (i = 1; i < n; i++)
		if (strcmp(m->by_name[i - 1]->name, m->by_name[i]->name) == 0
		    && m->by_name[i - 1]->source_hash !=
		    m->by_name[i]->source_hash)
			return err_set(err, ERR_INPUT, (struct loc){0},
			    "%s has two sources", m->by_name[i]->name);
	if (!m->complete || !m->shard->suite_hash ||
	    suite_hash(m) == m->shard->suite_hash)
		return true;
	return err_set(err, ERR_INPUT, (struct loc){0}, "the shards hash to "
	    "%016" PRIx64 " together, but the suite's hash is %016" PRIx64
	    ": they are not all of it", suite_hash(m), m->shard->suite_hash);
}

static bool
check_shards(const struct document *shards, int n, bool partial,
    struct arena *a, struct err *err)
{
	int i;

	if (shards[0].shard->count > SHARDS_MAX)
		return err_set(err, ERR_LIMIT, (struct loc){shards[0].ref, 0,
		    0}, "more than %d shards", SHARDS_MAX);
	for (i = 0; i < n; i++) {
		if (!check_alike(&shards[0], &shards[i], a, err) ||
		    !check_devices(&shards[0], &shards[i], a, err))
			return false;
		if (!partial && !check_whole(&shards[i], err))
			return false;
	}
	return true;
}

bool
merge_make(const struct document *shards, int n, bool partial,
    struct arena *a, struct document *merged, struct err *err)
{
	const struct document **by_index;
	struct document m = shards[0];
	struct cursor *list;
	int64_t i;
	int count = 0;

	if (!check_shards(shards, n, partial, a, err))
		return false;
	by_index = arena_alloc(a, (size_t)m.shard->count *
	    sizeof(*by_index));
	if (!order_shards(shards, n, partial, by_index, err))
		return false;
	list = arena_alloc(a, (size_t)n * sizeof(*list));
	for (i = 0; i < m.shard->count; i++)
		if (by_index[i])
			list[count++].d = by_index[i];
	m.complete = count == m.shard->count;
	m.shard = arena_alloc(a, sizeof(*m.shard));
	*m.shard = (struct doc_shard){1, 1, 0,
	    shards[0].shard->suite_hash};
	set_command(&m, list[0].d, a);
	if (!put_together(&m, list, count, a, err) ||
	    !check_merged(&m, a, err))
		return false;
	*merged = m;
	return true;
}
