/*
 * The machine's memory as the host sees it, and the sequentially
 * consistent memory: each access happens at once, for everyone. Workers
 * share it, so every access is atomic for the host too.
 */
#include "sim.h"

#include <string.h>

uint8_t *
sim_address(const struct device *d, uint64_t address, size_t size)
{
	uint64_t number = address >> SIM_ADDRESS_BITS;
	uint64_t offset = address & UINT32_MAX;
	const struct sim_allocation *a;

	if (number < SIM_ALLOCATIONS_LOW || number >= d->nallocations)
		return NULL;
	a = &d->allocations[number];
	if (offset > a->size || size > a->size - offset)
		return NULL;
	return a->bytes ? a->bytes + offset : NULL;
}

/* Sign extension to the bytes of a register. */
uint64_t
sim_extend(uint64_t v, int from, int to)
{
	int bits = 8 * from;

	if (bits < 64 && v >> (bits - 1) & 1)
		v |= ~(uint64_t)0 << bits;
	return to < 8 ? v & (((uint64_t)1 << 8 * to) - 1) : v;
}

uint64_t
sim_cut_load(const uint8_t *at, int size)
{
	switch (size) {
	case 1:
		return __atomic_load_n(at, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)(const void *)at,
		    __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)(const void *)at,
		    __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)(const void *)at,
		    __ATOMIC_RELAXED);
	}
}

void
sim_cut_store(uint8_t *at, int size, uint64_t value)
{
	switch (size) {
	case 1:
		__atomic_store_n(at, (uint8_t)value, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((uint16_t *)(void *)at, (uint16_t)value,
		    __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)(void *)at, (uint32_t)value,
		    __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((uint64_t *)(void *)at, value,
		    __ATOMIC_RELAXED);
		break;
	}
}

uint64_t
sim_rmw_value(const struct sim_code *code, uint64_t old, uint64_t b,
    uint64_t c)
{
	if (code->insn->op->class == CLASS_MBARRIER ||
	    code->insn->op->class == CLASS_ASYNC)
		return mbarrier_apply(code->insn, old, b);
	return rmw_apply((enum rmw)code->rmw, (enum type)code->type, old, b,
	    c);
}

static bool
swap(uint8_t *at, int size, uint64_t old, uint64_t new)
{
	uint16_t old16 = (uint16_t)old;
	uint32_t old32 = (uint32_t)old;

	switch (size) {
	case 2:
		return __atomic_compare_exchange_n((uint16_t *)(void *)at,
		    &old16, (uint16_t)new, false, __ATOMIC_RELAXED,
		    __ATOMIC_RELAXED);
	case 4:
		return __atomic_compare_exchange_n((uint32_t *)(void *)at,
		    &old32, (uint32_t)new, false, __ATOMIC_RELAXED,
		    __ATOMIC_RELAXED);
	default:
		return __atomic_compare_exchange_n((uint64_t *)(void *)at,
		    &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* ---- the sequentially consistent memory ----------------------------------------- */

static void
sc_unit(struct sim_unit *u)
{
	(void)u;
}

static void
sc_thread(struct sim_unit *u, struct sim_thread *t)
{
	(void)u;
	(void)t;
}

static void
sc_recycle(struct sim_unit *u, uint8_t *at, size_t size)
{
	(void)u;
	(void)at;
	(void)size;
}

static bool
sc_load(struct sim_unit *u, struct sim_thread *t, struct sim_request *a)
{
	int i;

	(void)u;
	(void)t;
	for (i = 0; i < a->code->vec; i++)
		a->value[i] = sim_cut_load(a->at[i], a->code->size);
	return true;
}

static void
sc_store(struct sim_unit *u, struct sim_thread *t, struct sim_request *a)
{
	int i;

	(void)u;
	(void)t;
	for (i = 0; i < a->code->vec; i++)
		sim_cut_store(a->at[i], a->code->size, a->value[i]);
}

static bool
sc_rmw(struct sim_unit *u, struct sim_thread *t, struct sim_request *a)
{
	const struct sim_code *c = a->code;
	uint64_t old, new;

	(void)u;
	(void)t;
	do {
		old = sim_cut_load(a->at[0], c->size);
		new = sim_rmw_value(c, old, a->value[0], a->compare);
	} while (!swap(a->at[0], c->size, old, new));
	a->value[0] = old;
	return true;
}

static void
sc_fence(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	(void)u;
	(void)t;
	(void)c;
}

static void
sc_settle(struct sim_unit *u, struct sim_thread *t, uint64_t touch)
{
	(void)u;
	(void)t;
	(void)touch;
}

static void
sc_domain(struct sim_unit *u, struct sim_thread *t, struct sim_domain *d)
{
	(void)u;
	(void)t;
	(void)d;
}

static void
sc_copy_nothing(struct sim_unit *u, struct sim_copy *copy)
{
	(void)u;
	(void)copy;
}

static void
sc_copy_read(struct sim_unit *u, struct sim_copy *copy)
{
	uint32_t i;

	(void)u;
	for (i = 0; i < copy->size; i += 4) {
		uint32_t word = (uint32_t)sim_cut_load(copy->from + i, 4);

		memcpy(copy->data + i, &word, 4);
	}
}

static void
sc_copy_write(struct sim_unit *u, struct sim_copy *copy)
{
	uint32_t i;

	(void)u;
	for (i = 0; i < copy->size; i += 4) {
		uint32_t word;

		memcpy(&word, copy->data + i, 4);
		sim_cut_store(copy->to + i, 4, word);
	}
}

static void
sc_copy_count(struct sim_unit *u, struct sim_copy *copy)
{
	struct sim_request access = {.code = copy->code,
	    .at = {copy->count}, .value = {copy->size}};

	sc_rmw(u, copy->thread, &access);
}

static void
sc_copy_learn(struct sim_unit *u, struct sim_thread *t,
    struct sim_copy *copy)
{
	(void)u;
	(void)t;
	(void)copy;
}

const struct sim_memory_ops sim_sc = {
	.name = "sc",
	.begin = sc_unit, .end = sc_unit,
	.start = sc_thread, .finish = sc_thread, .recycle = sc_recycle,
	.load = sc_load, .store = sc_store, .rmw = sc_rmw,
	.fence = sc_fence, .settle = sc_settle,
	.publish = sc_domain, .join = sc_domain, .proxy = sc_fence,
	.copy_issue = sc_copy_nothing, .copy_read = sc_copy_read,
	.copy_write = sc_copy_write, .copy_count = sc_copy_count,
	.copy_learn = sc_copy_learn,
};
