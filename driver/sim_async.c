/*
 * Asynchronous copies. Each goes through its steps, reading, writing,
 * counting on an mbarrier, when the scheduler feels like it, in any order
 * with other copies; a wait for its group has it done at once. None outlives
 * its thread, nor the CTA that it writes to.
 *
 * A copy moves all of its bytes in one step. What a reader may see of it,
 * and it of others' stores, is the memory's affair.
 */
#include "sim.h"

#include <stdlib.h>

#define SIZE_MAX_COPY (1u << 20)
#define STEP_CHANCE 4 /* one turn in so many moves a copy */

/* ---- addresses --------------------------------------------------------- */

static uint64_t
address_of(const struct sim_thread *t, const struct sim_code *c, int operand,
    uint32_t slot)
{
	const struct operand *o = &c->insn->ops[operand];
	bool number = o->var < 0 && o->reg < 0;

	return t->regs[slot] + (number ? 0 : (uint64_t)o->imm);
}

/* Where the operand points, in a space, for so many bytes; NULL after a
   fault. */
static uint8_t *
place(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    int operand, uint32_t slot, size_t size, size_t align)
{
	uint64_t address = address_of(t, c, operand, slot);

	if (address & (align - 1)) {
		sim_fail(u, t, c, ERR_FAULT, "%s: misaligned address 0x%llx",
		    c->insn->op->mnemonic, (unsigned long long)address);
		return NULL;
	}
	return sim_place(u, t, c, operand_space(c->insn, operand), address,
	    size);
}

/* ---- the list ---------------------------------------------------------- */

static void
add(struct sim_unit *u, const struct sim_copy *copy)
{
	if (u->ncopies == u->copies_room) {
		u->copies_room = u->copies_room ? 2 * u->copies_room : 16;
		u->copies = sim_must(realloc(u->copies, u->copies_room *
		    sizeof(*u->copies)));
	}
	u->copies[u->ncopies] = *copy;
	u->memory->copy_issue(u, &u->copies[u->ncopies++]);
}

static void
drop(struct sim_unit *u, uint32_t i)
{
	free(u->copies[i].data);
	u->copies[i] = u->copies[--u->ncopies];
}

static bool
is_of(const struct sim_copy *copy, const struct sim_thread *t, bool bulk)
{
	return copy->thread == t && copy->bulk == bulk && copy->size > 0;
}

/* ---- steps ------------------------------------------------------------- */

bool
sim_copy_precedes(const struct sim_copy *copy, const struct sim_copy *arrival)
{
	return is_of(copy, arrival->thread, false) &&
	    copy->number < arrival->number;
}

static bool
is_held_up(const struct sim_unit *u, const struct sim_copy *copy)
{
	uint32_t i;

	for (i = 0; copy->size == 0 && i < u->ncopies; i++)
		if (sim_copy_precedes(&u->copies[i], copy) &&
		    u->copies[i].stage < SIM_COPY_WRITTEN)
			return true;
	return false;
}

/* True if the copy has nothing left to do. */
static bool
step(struct sim_unit *u, struct sim_copy *copy)
{
	switch (copy->stage) {
	case SIM_COPY_ISSUED:
		if (copy->size > 0)
			u->memory->copy_read(u, copy);
		copy->stage = SIM_COPY_READ;
		return false;
	case SIM_COPY_READ:
		if (copy->size > 0)
			u->memory->copy_write(u, copy);
		copy->stage = SIM_COPY_WRITTEN;
		return false;
	case SIM_COPY_WRITTEN:
		break;
	}
	if (!copy->count || is_held_up(u, copy))
		return false;
	u->memory->copy_count(u, copy);
	return true;
}

void
sim_async_turn(struct sim_unit *u)
{
	uint32_t i;

	if (u->ncopies == 0 || !sim_chance(u, STEP_CHANCE))
		return;
	i = sim_rng_below(&u->rng, u->ncopies);
	if (step(u, &u->copies[i]))
		drop(u, i);
}

static void
advance(struct sim_unit *u, struct sim_copy *copy, enum sim_copy_stage to)
{
	while (copy->stage < to)
		step(u, copy);
}

/* All that `which` names gets done, those that count after the others. */
static void
finish(struct sim_unit *u, bool (*which)(const struct sim_copy *copy,
    const void *user), const void *user)
{
	uint32_t i;

	for (i = 0; i < u->ncopies; i++)
		if (which(&u->copies[i], user))
			advance(u, &u->copies[i], SIM_COPY_WRITTEN);
	for (i = 0; i < u->ncopies; i++)
		if (which(&u->copies[i], user) && u->copies[i].count)
			u->memory->copy_count(u, &u->copies[i]);
	for (i = u->ncopies; i-- > 0;)
		if (which(&u->copies[i], user))
			drop(u, i);
}

static bool
is_of_thread(const struct sim_copy *copy, const void *user)
{
	return copy->thread == user;
}

static bool
is_in_cta(const struct sim_copy *copy, const void *user)
{
	return sim_is_shared(user, copy->count ? copy->count : copy->to);
}

void
sim_async_exit(struct sim_unit *u, struct sim_thread *t)
{
	if (u->ncopies == 0)
		return;
	finish(u, is_of_thread, t);
	if (t->cta->live == 1)
		finish(u, is_in_cta, t->cta);
}

/* ---- instructions ------------------------------------------------------ */

static void
issue(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	bool bulk = c->insn->op->id == OP_BULK;
	uint64_t size = (uint32_t)t->regs[c->c];
	size_t align = bulk ? 16 : size;
	struct sim_copy copy = {.thread = t, .code = c, .bulk = bulk,
	    .size = (uint32_t)size, .number = ++u->issued};

	if (size == 0 || size > SIZE_MAX_COPY || (bulk && size % 16)) {
		sim_fail(u, t, c, ERR_FAULT, "%s: a copy of %llu bytes",
		    c->insn->op->mnemonic, (unsigned long long)size);
		return;
	}
	copy.to = place(u, t, c, 0, c->a, size, align);
	copy.from = copy.to ? place(u, t, c, 1, c->b, size, align) : NULL;
	if (copy.from && c->elems)
		copy.count = place(u, t, c, 3, c->elems[0], 8, 8);
	if (!copy.from || (c->elems && !copy.count))
		return;
	copy.data = sim_must(malloc(size));
	add(u, &copy);
}

static void
arrive(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	uint8_t *count = place(u, t, c, 0, c->a, 8, 8);
	struct sim_copy copy = {.thread = t, .code = c, .count = count,
	    .number = ++u->issued};

	if (!count)
		return;
	add(u, &copy);
}

static void
commit(struct sim_unit *u, struct sim_thread *t, bool bulk)
{
	uint32_t i;

	t->groups[bulk]++;
	for (i = 0; i < u->ncopies; i++)
		if (is_of(&u->copies[i], t, bulk) && !u->copies[i].count &&
		    u->copies[i].group == 0)
			u->copies[i].group = t->groups[bulk];
}

/* For all groups but the last `pending`; all: also what is in none. */
static void
wait_for(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    bool bulk, bool all)
{
	uint64_t pending = all ? 0 : (uint64_t)c->insn->ops[0].imm;
	uint32_t i;

	for (i = u->ncopies; i-- > 0;) {
		struct sim_copy *copy = &u->copies[i];

		if (!is_of(copy, t, bulk) || copy->count ||
		    (!all && (copy->group == 0 ||
		    copy->group + pending > t->groups[bulk])))
			continue;
		if (c->insn->reads) {
			advance(u, copy, SIM_COPY_READ);
			continue;
		}
		advance(u, copy, SIM_COPY_WRITTEN);
		u->memory->copy_learn(u, t, copy);
		/* an arrival may have to tell of it */
		if (bulk)
			drop(u, i);
	}
}

void
sim_async(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	switch (c->insn->op->id) {
	case OP_CP_COMMIT:
	case OP_BULK_COMMIT:
		commit(u, t, c->insn->op->id == OP_BULK_COMMIT);
		break;
	case OP_CP_WAIT:
	case OP_CP_WAIT_ALL:
		wait_for(u, t, c, false, c->insn->op->id == OP_CP_WAIT_ALL);
		break;
	case OP_BULK_WAIT:
		wait_for(u, t, c, true, false);
		break;
	case OP_CP_ARRIVE:
		arrive(u, t, c);
		break;
	default:
		issue(u, t, c);
		break;
	}
}
