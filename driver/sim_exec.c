/*
 * The interpreter: a thread runs until its next access to memory that
 * others may share, where the scheduler chooses again.
 */
#include "sim.h"

#include <stdarg.h>
#include <string.h>

bool
sim_fail(struct sim_unit *u, const struct sim_thread *t,
    const struct sim_code *code, enum err_code kind, const char *format, ...)
{
	va_list args;
	char *s = u->err.message;
	size_t size = sizeof(u->err.message);
	int n;

	if (u->err.code != ERR_NONE)
		return false;
	u->err.code = kind;
	u->err.loc = code->insn ? code->insn->loc : (struct loc){"ptx", 0, 0};
	va_start(args, format);
	n = vsnprintf(s, size, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < size)
		snprintf(s + n, size - (size_t)n,
		    " (kernel %s, line %d of the PTX, CTA %llu, thread %u)",
		    u->kernel->name, u->err.loc.line,
		    (unsigned long long)t->cta->index, t->tid);
	return false;
}

/* ---- addresses ------------------------------------------------------------ */

static const char *
what_access(const struct sim_code *c)
{
	return c->insn->op->mnemonic;
}

static uint8_t *
shared_address(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c, enum space space, uint64_t address, size_t size)
{
	uint64_t rank = address >> SIM_RANK_BITS;
	uint64_t offset = address & (((uint64_t)1 << SIM_RANK_BITS) - 1);
	const struct sim_cta *cta = t->cta;

	if (rank >= cta->cluster->size || (space == SPACE_SHARED &&
	    rank != cta->rank) || offset + size > u->shared_bytes) {
		sim_fail(u, t, c, ERR_FAULT, "%s: illegal address 0x%llx in "
		    "shared memory of %u bytes", what_access(c),
		    (unsigned long long)address, u->shared_bytes);
		return NULL;
	}
	cta = &u->ctas[cta->cluster->rank0 + rank];
	if (cta->live == 0) {
		sim_fail(u, t, c, ERR_FAULT,
		    "%s: shared memory of a CTA that has ended",
		    what_access(c));
		return NULL;
	}
	return cta->shared + offset;
}

uint8_t *
sim_place(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    enum space space, uint64_t address, size_t size)
{
	uint64_t window = address >> SIM_ADDRESS_BITS;
	uint8_t *at;

	if (space == SPACE_SHARED || space == SPACE_SHARED_CLUSTER)
		return shared_address(u, t, c, space, address, size);
	if (space == SPACE_GENERIC && window == SIM_WINDOW_SHARED)
		return shared_address(u, t, c, space, address & UINT32_MAX,
		    size);
	at = sim_address(u->device, address, size);
	if (!at)
		sim_fail(u, t, c, ERR_FAULT,
		    "%s: illegal address 0x%llx (%zu bytes)", what_access(c),
		    (unsigned long long)address, size);
	return at;
}

/* Where the access lies in the host's memory; NULL after a fault. */
static uint8_t *
find(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    uint64_t address)
{
	size_t size = (size_t)c->size * c->vec;

	if (address & (size - 1)) {
		sim_fail(u, t, c, ERR_FAULT,
		    "%s: misaligned address 0x%llx for %zu bytes",
		    what_access(c), (unsigned long long)address, size);
		return NULL;
	}
	return sim_place(u, t, c, (enum space)c->space, address, size);
}

void
sim_deliver(struct sim_thread *t, const struct sim_code *c, int element,
    uint64_t value)
{
	uint32_t d = c->vec > 1 ? c->elems[element] : c->d;

	if (c->extend)
		value = sim_extend(value, c->size, c->extend);
	t->regs[d] = value;
}

/* ---- accesses -------------------------------------------------------------- */

static bool
local_access(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c, enum sim_op op)
{
	const uint8_t *params = u->launch->params;
	uint64_t address = t->regs[c->a] + (uint64_t)c->offset;
	uint64_t size = (uint64_t)c->size * c->vec;
	uint64_t room = op == SIM_LOAD_PARAM ? u->kernel->params_size :
	    u->kernel->local;
	int i;

	address &= UINT32_MAX; /* also through the generic window */
	if (address & (size - 1) || address + size > room)
		return sim_fail(u, t, c, ERR_FAULT, "%s: %s address 0x%llx "
		    "in %llu bytes of %s", what_access(c),
		    address & (size - 1) ? "misaligned" : "illegal",
		    (unsigned long long)address, (unsigned long long)room,
		    op == SIM_LOAD_PARAM ? "parameters" : "local memory");
	for (i = 0; i < c->vec; i++) {
		size_t at = address + (size_t)i * c->size;

		if (op == SIM_STORE_LOCAL)
			sim_cut_store(t->local + at, c->size,
			    t->regs[c->vec > 1 ? c->elems[i] : c->b]);
		else
			sim_deliver(t, c, i, sim_cut_load(op ==
			    SIM_LOAD_PARAM ? params + at : t->local + at,
			    c->size));
	}
	return true;
}

static bool
is_local(const struct sim_code *c, uint64_t address)
{
	return c->space == SPACE_GENERIC &&
	    address >> SIM_ADDRESS_BITS == SIM_WINDOW_LOCAL;
}

/* Of global or shared memory; false after a fault. */
bool
sim_access(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c, enum sim_op op)
{
	struct sim_request access;
	uint64_t address = t->regs[c->a] + (uint64_t)c->offset;
	int i;

	if (is_local(c, address)) {
		return local_access(u, t, c, op == SIM_LOAD ?
		    SIM_LOAD_LOCAL : SIM_STORE_LOCAL);
	}
	if (op == SIM_STORE && sim_planted(u, c, SIM_FAULT_WILD_STORE) &&
	    sim_chance(u, 512))
		address ^= (uint64_t)1 << (SIM_ADDRESS_BITS - 1);
	access.code = c;
	access.at[0] = find(u, t, c, address);
	if (!access.at[0])
		return false;
	for (i = 1; i < c->vec; i++)
		access.at[i] = access.at[0] + (size_t)i * c->size;
	if (op == SIM_STORE) {
		access.value[0] = c->insn->op->id == OP_MBARRIER_INIT ?
		    mbarrier_word(t->regs[c->b]) : t->regs[c->b];
		for (i = 0; c->vec > 1 && i < c->vec; i++)
			access.value[i] = t->regs[c->elems[i]];
		u->memory->store(u, t, &access);
	} else if (op == SIM_RMW) {
		access.value[0] = t->regs[c->b];
		access.compare = t->regs[c->c];
		if (u->memory->rmw(u, t, &access) &&
		    c->insn->ops[0].kind == OPERAND_REG)
			t->regs[c->d] = access.value[0];
	} else if (u->memory->load(u, t, &access)) {
		if (c->insn->op->class == CLASS_MBARRIER)
			access.value[0] = mbarrier_done(access.value[0],
			    t->regs[c->b], c->insn->mode == MODE_PARITY);
		for (i = 0; i < c->vec; i++)
			sim_deliver(t, c, i, access.value[i]);
	}
	return true;
}

/* Returns false if t cannot go on: blocked, or the unit failed. */
static bool
turn(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    enum sim_op op)
{
	switch (op) {
	case SIM_LOAD:
	case SIM_STORE:
	case SIM_RMW:
		sim_access(u, t, c, op);
		t->pc++;
		break;
	case SIM_FENCE:
		u->memory->fence(u, t, c);
		t->pc++;
		break;
	case SIM_PROXY:
		u->memory->proxy(u, t, c);
		t->pc++;
		break;
	case SIM_ASYNC:
		sim_async(u, t, c);
		t->pc++;
		break;
	case SIM_BARRIER:
		sim_barrier(u, t, c);
		break;
	case SIM_CLUSTER_BARRIER:
		sim_cluster_barrier(u, t, c);
		break;
	case SIM_WARP_OP:
		sim_warp(u, t, c);
		break;
	default:
		t->pc++;
		break;
	}
	return t->state == SIM_READY && u->err.code == ERR_NONE;
}

/* ---- registers -------------------------------------------------------------- */

static bool
slow_alu(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	uint64_t in[4] = {t->regs[c->a], t->regs[c->b], t->regs[c->c],
	    c->elems ? t->regs[c->elems[0]] : 0};

	if (alu_apply(c->insn, in, &t->regs[c->d]))
		return true;
	return sim_fail(u, t, c, ERR_FAULT, c->insn->op->id == OP_DIV ||
	    c->insn->op->id == OP_REM ? "%s: division by zero" :
	    "the software machine has no %s", c->insn->op->mnemonic);
}

static bool
mapa(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	uint64_t a = t->regs[c->a], rank = t->regs[c->b];
	uint64_t offset = a & (((uint64_t)1 << SIM_RANK_BITS) - 1);
	uint64_t window = (uint64_t)SIM_WINDOW_SHARED << SIM_ADDRESS_BITS;

	if (rank >= t->cta->cluster->size)
		return sim_fail(u, t, c, ERR_FAULT,
		    "mapa: CTA %llu of a cluster of %u",
		    (unsigned long long)rank, t->cta->cluster->size);
	t->regs[c->d] = (rank << SIM_RANK_BITS | offset) |
	    (c->space == SPACE_GENERIC ? window : 0);
	return true;
}

static uint64_t
clock_value(const struct sim_unit *u, const struct sim_thread *t,
    const struct sim_code *c)
{
	uint64_t now = u->clock + t->steps;

	return type_size(c->insn->type) == 4 ? (uint32_t)now : now;
}

static bool
out_of_steps(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c)
{
	return sim_fail(u, t, c, ERR_HANG,
	    "no end after %llu jumps and accesses of one thread",
	    (unsigned long long)u->device->options.steps);
}

#define A regs[c->a]
#define B regs[c->b]
#define C regs[c->c]
#define D regs[c->d]

/* Accesses that a thread has in one turn. Where no schedule can show there
   are many; what is the harness's in a test's kernel may have to wait for
   other threads, and for copies: it polls once a turn. */
#define BURST_KERNEL 256
#define BURST_HARNESS 8
#define LATE_MOST 64 /* steps: whoever spins must not be late for ever */

/*
 * `left`: accesses of this turn still to come; a tested one ends it. A
 * pending load that the next instruction needs is left for the next turn,
 * as late as can be, so that others go first.
 */
void
sim_run(struct sim_unit *u, struct sim_thread *t)
{
	const struct sim_code *code = u->kernel->code, *c = code + t->pc;
	uint64_t *regs = t->regs, limit = u->device->options.steps;
	const int all = u->launch->harness ? BURST_KERNEL : BURST_HARNESS;
	int left = all;
	unsigned op;

	if (t->pending && t->steps - t->pending_since > LATE_MOST)
		u->memory->settle(u, t, ~(uint64_t)0);
	for (;; c++) {
		if (t->pending & c->touch) {
			if (left < all)
				break;
			u->memory->settle(u, t, c->touch);
		}
		op = c->op;
	dispatch:
		switch (op) {
		case SIM_GUARDED:
			if (regs[c->guard] == c->negated)
				continue;
			op = c->guarded;
			goto dispatch;
#define SIM_EXPR(id, value) case SIM_##id: D = value; continue;
#include "sim_ops.def"
		case SIM_ACTIVEMASK: D = (uint64_t)1 << t->lane; continue;
		case SIM_CLOCK: D = clock_value(u, t, c); continue;
		case SIM_NOP: continue;
		case SIM_BRA:
			if (++t->steps > limit) {
				out_of_steps(u, t, c);
				return;
			}
			c = code + c->target - 1;
			continue;
		case SIM_ALU:
			if (slow_alu(u, t, c))
				continue;
			return;
		case SIM_MAPA:
			if (mapa(u, t, c))
				continue;
			return;
		case SIM_LOAD_PARAM:
		case SIM_LOAD_LOCAL:
		case SIM_STORE_LOCAL:
			if (local_access(u, t, c, (enum sim_op)op))
				continue;
			return;
		case SIM_TRAP:
			sim_fail(u, t, c, ERR_FAULT, "trap");
			return;
		case SIM_EXIT:
			sim_thread_exit(u, t);
			return;
		default:
			if (left == 0 || (left < all && !c->harness &&
			    !u->launch->harness))
				break;
			t->pc = (int32_t)(c - code);
			if (!turn(u, t, c, (enum sim_op)op))
				return;
			left = (c->harness || u->launch->harness) &&
			    c->insn->op->id != OP_MBARRIER_TEST ? left - 1 : 0;
			c = code + t->pc - 1;
			continue;
		}
		break;
	}
	t->pc = (int32_t)(c - code);
	if (++t->steps > limit)
		out_of_steps(u, t, c);
}
