/*
 * The known set of each observed register and location: every value that
 * some execution could leave there, whatever the memory does, short of
 * tearing inside an element.
 *
 * Memory is a set of values for each element; a load gives any of them at
 * any time. Each thread is explored over its states (program counter and
 * live registers), and what it may store joins the sets, until nothing
 * new comes. That would let a counter grow for ever, so a value carries,
 * for each location, how many writes to it its making went through: no
 * execution has more of those than the threads perform, which bounds them.
 * Where two ways lead to one value the smaller counts are kept, so that
 * the sets only err on the large side.
 */
#include "explore.h"

#include <stdlib.h>

/* ---- addresses --------------------------------------------------- */

#define ADDRESS_BASE 0xfe570000u
#define ADDRESS_STEP 8192u

uint64_t
var_address(const struct program *p, int var)
{
	(void)p;
	return ADDRESS_BASE + (uint64_t)var * ADDRESS_STEP;
}

bool
address_find(const struct program *p, uint64_t address, int *var,
    int64_t *offset)
{
	uint64_t delta = address - ADDRESS_BASE;
	const struct var *v;

	if (address < ADDRESS_BASE || delta / ADDRESS_STEP >=
	    (uint64_t)p->nvars)
		return false;
	v = &p->vars[delta / ADDRESS_STEP];
	if (delta % ADDRESS_STEP >= (uint64_t)v->count * (uint64_t)v->size)
		return false;
	*var = (int)(delta / ADDRESS_STEP);
	*offset = (int64_t)(delta % ADDRESS_STEP);
	return true;
}

/* ---- the whole --------------------------------------------------- */

static void
memory_start(struct explorer *x)
{
	static const uint8_t none[VARS_MAX];
	int i, e;

	for (i = 0; i < x->p->nvars; i++) {
		const struct var *v = &x->p->vars[i];

		if (v->alias_of >= 0)
			continue;
		x->memory[i] = arena_alloc(x->arena,
		    (size_t)v->count * sizeof(struct set));
		for (e = 0; e < v->count; e++)
			set_add(x, &x->memory[i][e], value_cut(v->init[e],
			    v->type), none, v->name, v->loc);
	}
}

/* What memory slots may hold, through the slot's own view of it. */
static void
slot_value_add(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user)
{
	const struct slot *slot = user;

	(void)s;
	set_add(x, &x->slots[slot - x->p->slots], v, writes, slot->name,
	    x->p->vars[slot->var].loc);
}

static void
memory_slots(struct explorer *x)
{
	int i;

	for (i = 0; i < x->p->nslots; i++) {
		struct slot *slot = &x->p->slots[i];
		struct access a;
		int size, offset;

		if (slot->thread >= 0)
			continue;
		a.root = root_of(x->p, slot->var);
		size = x->p->vars[a.root].size;
		offset = slot->elem * slot->size;
		a.first = offset / size;
		a.last = (offset + slot->size - 1) / size;
		a.offset = offset % size;
		a.size = slot->size;
		memory_read(x, NULL, &a, slot_value_add, slot);
	}
}

static int
value_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct value *)a)->v;
	uint64_t y = ((const struct value *)b)->v;

	return x < y ? -1 : x > y;
}

static struct loc
slot_loc(const struct program *p, const struct slot *slot)
{
	return slot->thread >= 0 ?
	    p->threads[slot->thread].regs[slot->reg].loc :
	    p->vars[slot->var].loc;
}

static bool
slot_fill(struct explorer *x, struct slot *slot, struct arena *a)
{
	struct set *set = &x->slots[slot - x->p->slots];
	int i, var;
	int64_t offset;

	/* a thread that cannot end still has a register */
	if (set->count == 0)
		set_add(x, set, 0, (const uint8_t[VARS_MAX]){0}, slot->name,
		    slot_loc(x->p, slot));
	if (set->count > SLOT_VALUES_MAX)
		return err_set(x->err, ERR_LIMIT, slot_loc(x->p, slot),
		    "%s may take more than %d values", slot->name,
		    SLOT_VALUES_MAX);
	qsort(set->list, (size_t)set->count, sizeof(*set->list),
	    value_compare);
	slot->nvalues = set->count;
	slot->values = arena_alloc(a,
	    (size_t)set->count * sizeof(*slot->values));
	for (i = 0; i < set->count; i++) {
		slot->values[i] = set->list[i].v;
		if (address_find(x->p, set->list[i].v, &var, &offset))
			return err_set(x->err, ERR_INPUT,
			    slot_loc(x->p, slot), "%s may hold the address "
			    "of '%s', which cannot be observed", slot->name,
			    x->p->vars[var].name);
	}
	return true;
}

static bool
slots_fill(struct explorer *x, struct arena *a)
{
	struct program *p = x->p;
	uint64_t outcomes = 1;
	int i;

	for (i = 0; i < p->nslots; i++) {
		if (!slot_fill(x, &p->slots[i], a))
			return false;
		outcomes *= (uint64_t)p->slots[i].nvalues;
		if (outcomes > OUTCOMES_MAX)
			return err_set(x->err, ERR_LIMIT, p->loc,
			    "more than %d outcomes; observe fewer registers "
			    "and locations", OUTCOMES_MAX);
	}
	p->noutcomes = (uint32_t)outcomes;
	return true;
}

bool
program_domains(struct program *p, struct arena *a, struct err *err)
{
	struct explorer x = {.p = p, .err = err, .arena = arena_new(),
	    .round = arena_new()};
	bool ok;
	int i;

	memory_start(&x);
	do {
		x.changed = false;
		for (i = 0; i < p->nthreads && !x.failed; i++)
			thread_explore(&x, i);
	} while (x.changed && !x.failed);
	memory_slots(&x);
	ok = !x.failed && slots_fill(&x, a);
	arena_free(x.arena);
	arena_free(x.round);
	return ok;
}

/* ---- outcome codes: mixed radix, the first slot counts most ------ */

uint32_t
outcome_code(const struct program *p, const uint64_t *values)
{
	uint32_t code = 0;
	int i;

	for (i = 0; i < p->nslots; i++) {
		const struct slot *s = &p->slots[i];
		int low = 0, high = s->nvalues;

		while (low < high) {
			int middle = (low + high) / 2;

			if (s->values[middle] < values[i])
				low = middle + 1;
			else
				high = middle;
		}
		if (low == s->nvalues || s->values[low] != values[i])
			return UINT32_MAX;
		code = code * (uint32_t)s->nvalues + (uint32_t)low;
	}
	return code;
}

void
outcome_values(const struct program *p, uint32_t code, uint64_t *values)
{
	int i;

	for (i = p->nslots - 1; i >= 0; i--) {
		const struct slot *s = &p->slots[i];

		values[i] = s->values[code % (uint32_t)s->nvalues];
		code /= (uint32_t)s->nvalues;
	}
}
