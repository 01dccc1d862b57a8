/*
 * The memory of a program: which ranges of bytes it accesses, and which
 * values each may hold.
 */
#include "internal.h"

/* ---- supports --------------------------------------------------------- */

bool
support_widen(struct support *a, uint64_t needs)
{
	int i, kept = 0;

	for (i = 0; i < a->count; i++)
		if (!(a->needs[i] & ~needs))
			return false; /* one that needs less is there */
	for (i = 0; i < a->count; i++)
		if (needs & ~a->needs[i])
			a->needs[kept++] = a->needs[i];
	if (kept == SUPPORTS_MAX) {
		a->needs[0] = 0;
		a->count = 1;
		return true;
	}
	a->needs[kept++] = needs;
	a->count = kept;
	return true;
}

bool
support_join(struct support *a, const struct support *b, uint64_t own)
{
	struct support both = {.count = 0};
	int i, j;

	for (i = 0; i < a->count; i++)
		for (j = 0; j < b->count; j++) {
			uint64_t needs = a->needs[i] | b->needs[j];

			if (!(needs & own))
				support_widen(&both, needs);
		}
	*a = both;
	return both.count > 0;
}

/* ---- locations -------------------------------------------------------- */

static uint64_t
initial_value(const struct program *p, const struct location *l)
{
	const struct var *v = &p->vars[l->root];
	uint64_t value = 0;
	int i;

	for (i = l->size; i-- > 0;) {
		int at = l->offset + i;
		uint64_t element = v->init[at / v->size];

		value = value << 8 | (element >> at % v->size * 8 & 0xff);
	}
	return value;
}

static struct location *
location_new(struct model *m, struct loc loc, int root, int offset, int size)
{
	struct location *l;

	if (m->nlocs == LOCATIONS_MAX) {
		stop_limit(m, "more than 48 memory locations are accessed");
		return NULL;
	}
	l = &m->locs[m->nlocs++];
	*l = (struct location){.root = root, .offset = offset, .size = size,
	    .first = loc, .nvalues = 1};
	l->values[0] = initial_value(m->p, l);
	l->support = arena_alloc(m->own, VALUES_MAX * sizeof(*l->support));
	support_widen(&l->support[0], 0);
	m->grew = true;
	return l;
}

/*
 * PTX ISA 8.7.2: the axioms do not apply where accesses that overlap only
 * partially race. Whether they race is not tried: any partial overlap is
 * left without a verdict.
 */
struct location *
location_find(struct model *m, struct loc loc, int var, int offset, int size)
{
	int root = m->phys[var], i;
	const struct var *v = &m->p->vars[root];

	if (offset < 0 || offset + size > v->size * v->count) {
		stop_reason(m, loc, "an access outside its location");
		return NULL;
	}
	if (offset % size) {
		stop_reason(m, loc, "a misaligned access");
		return NULL;
	}
	for (i = 0; i < m->nlocs; i++) {
		struct location *l = &m->locs[i];

		if (l->root != root || l->offset + l->size <= offset ||
		    offset + size <= l->offset)
			continue;
		if (l->offset == offset && l->size == size)
			return l;
		stop_reason(m, loc, "accesses of different sizes overlap "
		    "(PTX ISA 8.7.2: the axioms do not apply if they race)");
		return NULL;
	}
	return location_new(m, loc, root, offset, size);
}

int
location_value(const struct location *l, uint64_t value)
{
	int i;

	for (i = 0; i < l->nvalues; i++)
		if (l->values[i] == value)
			return i;
	return -1;
}

bool
location_add_value(struct model *m, struct location *l, uint64_t value,
    int writer, const struct support *support)
{
	int at = location_value(l, value), i;

	if (m->frozen)
		return true;
	l->written = true;
	if (at < 0) {
		if (l->nvalues == VALUES_MAX)
			return stop_limit(m,
			    "a location may hold more than 64 values");
		at = l->nvalues++;
		l->values[at] = value;
		m->grew = true;
	}
	m->grew |= !(l->writers[at] >> writer & 1);
	l->writers[at] |= (uint16_t)(1u << writer);
	for (i = 0; i < support->count; i++)
		m->grew |= support_widen(&l->support[at], support->needs[i]);
	return true;
}
