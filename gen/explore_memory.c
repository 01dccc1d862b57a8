/* The sets of values that memory may hold, and accesses to them. */
#include "explore.h"

#include <string.h>

int
root_of(const struct program *p, int var)
{
	while (p->vars[var].alias_of >= 0)
		var = p->vars[var].alias_of;
	return var;
}

static void
fail_limit(struct explorer *x, struct loc loc, const char *what, int limit)
{
	if (!x->failed)
		err_set(x->err, ERR_LIMIT, loc,
		    "%s may take more than %d values", what, limit);
	x->failed = true;
}

bool
writes_lower(uint8_t *a, const uint8_t *b)
{
	bool changed = false;
	int i;

	for (i = 0; i < VARS_MAX; i++)
		if (b[i] < a[i]) {
			a[i] = b[i];
			changed = true;
		}
	return changed;
}

void
writes_raise(uint8_t *a, const uint8_t *b)
{
	int i;

	for (i = 0; i < VARS_MAX; i++)
		if (b[i] > a[i])
			a[i] = b[i];
}

void
set_add(struct explorer *x, struct set *s, uint64_t v, const uint8_t *writes,
    const char *name, struct loc loc)
{
	int i;

	for (i = 0; i < s->count; i++)
		if (s->list[i].v == v) {
			x->changed = writes_lower(s->list[i].writes, writes) ||
			    x->changed;
			return;
		}
	if (s->count == SET_MAX) {
		fail_limit(x, loc, name, SET_MAX);
		return;
	}
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->list = arena_grow(x->arena, s->list, (size_t)s->count *
		    sizeof(*s->list), (size_t)s->room * sizeof(*s->list));
	}
	s->list[s->count].v = v;
	memcpy(s->list[s->count++].writes, writes, VARS_MAX);
	x->changed = true;
}

static bool
point_find(const struct explorer *x, const struct state *s,
    const struct operand *o, int *var, int64_t *offset)
{
	*var = o->var;
	*offset = o->imm;
	return o->var >= 0 || (o->reg >= 0 && address_find(x->p,
	    s->regs[o->reg] + (uint64_t)o->imm, var, offset));
}

static bool
range_find(const struct explorer *x, int var, int64_t offset, int size,
    struct access *a)
{
	const struct var *v;

	if (offset < 0 || offset + size > (int64_t)x->p->vars[var].size *
	    x->p->vars[var].count || offset % size != 0)
		return false;
	a->root = root_of(x->p, var);
	v = &x->p->vars[a->root];
	a->first = (int)(offset / v->size);
	a->last = (int)((offset + size - 1) / v->size);
	a->offset = (int)(offset % v->size);
	a->size = size;
	return true;
}

/* Where operand [a] of the instruction points; false: nowhere. */
bool
access_find(const struct explorer *x, const struct state *s,
    const struct insn *insn, const struct operand *o, int element,
    struct access *a)
{
	int size = type_size(insn->type), var;
	int64_t offset;

	return point_find(x, s, o, &var, &offset) &&
	    range_find(x, var, offset + (int64_t)element * size, size, a);
}

bool
copy_find(const struct explorer *x, const struct state *s,
    const struct insn *insn, int at, struct access *to, struct access *from)
{
	int var, source, size;
	int64_t offset, start;

	if (!point_find(x, s, &insn->ops[0], &var, &offset) ||
	    !point_find(x, s, &insn->ops[1], &source, &start))
		return false;
	size = x->p->vars[root_of(x->p, var)].size;
	if (size > operand_bytes(insn, 0))
		return false;
	return range_find(x, var, offset + at, size, to) &&
	    range_find(x, source, start + at, size, from);
}

static uint64_t
bytes_mask(int size)
{
	return size >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * size)) - 1;
}

void
memory_read(struct explorer *x, const struct state *s,
    const struct access *a, read_fn *each, void *user)
{
	struct set *sets = x->memory[a->root];
	int size = x->p->vars[a->root].size, counts[8], e, i, total = 1;

	/* the sets may grow while they are read */
	for (e = a->first; e <= a->last; e++) {
		counts[e - a->first] = sets[e].count;
		total *= sets[e].count;
		if (total > COMBINATIONS_MAX) {
			fail_limit(x, x->p->vars[a->root].loc,
			    x->p->vars[a->root].name, COMBINATIONS_MAX);
			return;
		}
	}
	for (i = 0; i < total && !x->failed; i++) {
		uint8_t writes[VARS_MAX] = {0};
		uint64_t v = 0;
		int rest = i;

		for (e = a->first; e <= a->last; e++) {
			int count = counts[e - a->first];
			const struct value *one = &sets[e].list[rest % count];

			rest /= count;
			v |= one->v << (8 * size * (e - a->first) & 63);
			writes_raise(writes, one->writes);
		}
		v = v >> (8 * a->offset) & bytes_mask(a->size);
		each(x, s, v, writes, user);
	}
}

static int
writes_in_all(const struct explorer *x, int root)
{
	int i, n = 0;

	for (i = 0; i < x->p->nthreads; i++)
		n += x->most[i][root];
	return n;
}

/* The state's value v stored there; `read` counts went into it. */
void
memory_write(struct explorer *x, const struct access *a, uint64_t v,
    const uint8_t *read)
{
	const struct var *var = &x->p->vars[a->root];
	struct set *sets = x->memory[a->root];
	uint8_t writes[VARS_MAX];
	int e, i;

	if (read[a->root] >= UINT8_MAX ||
	    read[a->root] + 1 > writes_in_all(x, a->root))
		return;
	v &= bytes_mask(a->size);
	for (e = a->first; e <= a->last; e++) {
		int shift = 8 * (a->offset - var->size * (e - a->first));
		uint64_t mask = bytes_mask(a->size), part;
		int before = sets[e].count;

		part = shift < 0 ? v >> -shift : v << shift;
		mask = (shift < 0 ? mask >> -shift : mask << shift) &
		    bytes_mask(var->size);
		if (mask == bytes_mask(var->size))
			before = 1; /* nothing of the old value stays */
		for (i = 0; i < before && !x->failed; i++) {
			memcpy(writes, read, VARS_MAX);
			if (mask != bytes_mask(var->size))
				writes_raise(writes, sets[e].list[i].writes);
			writes[a->root]++;
			if (writes[a->root] > writes_in_all(x, a->root))
				continue;
			set_add(x, &sets[e], (sets[e].list[i].v & ~mask) |
			    (part & mask), writes, var->name, var->loc);
		}
	}
}
