/*
 * A warp at once: while its lanes agree on the way, and need nothing that
 * others could see, an instruction is decoded once for all of them. Most of
 * what a harness does around a test is of that kind.
 */
#include "sim.h"

#include <string.h>

/* Branches that a warp takes at once; in a test's kernel it may be waiting
   for others. */
#define TURNS_KERNEL 100000
#define TURNS_TEST 16

/* The lanes whose guard lets them. */
static uint32_t
active(const struct sim_warp *w, const struct sim_code *c)
{
	const uint64_t *guard = w->lanes[0].regs + c->guard;
	uint32_t i, lanes = 0;

	for (i = 0; i < SIM_WARP; i++)
		lanes |= (uint32_t)(guard[i] != c->negated) << i;
	return lanes & w->count;
}

#define A a[i]
#define B b[i]
#define C cc[i]

/* False if the instruction is no expression. */
static bool
expression(uint64_t *regs, const struct sim_code *c, unsigned op)
{
	const uint64_t *a = regs + c->a, *b = regs + c->b, *cc = regs + c->c;
	uint64_t *d = regs + c->d;
	int i;

	switch (op) {
#define SIM_EXPR(id, value)                                                \
	case SIM_##id:                                                     \
		for (i = 0; i < SIM_WARP; i++)                             \
			d[i] = value;                                      \
		return true;
#include "sim_ops.def"
	default:
		return false;
	}
}

/* Lanes outside `lanes` keep what they have. */
static bool
masked(uint64_t *regs, const struct sim_code *c, unsigned op, uint32_t lanes)
{
	uint64_t old[SIM_WARP], *d = regs + c->d;
	int i;

	memcpy(old, d, sizeof(old));
	if (!expression(regs, c, op))
		return false;
	for (i = 0; i < SIM_WARP; i++)
		if (!(lanes >> i & 1))
			d[i] = old[i];
	return true;
}

/* A harness kernel's barrier, where the warp is all that comes to it. */
static bool
alone(const struct sim_unit *u, const struct sim_code *c, unsigned op)
{
	return op == SIM_BARRIER && u->nwarps == 1 &&
	    c->insn->op->id == OP_BAR_SYNC && c->insn->nops == 1;
}

/* What others could see has no schedule if it is the harness's. */
static bool
accesses(struct sim_unit *u, struct sim_warp *w, const struct sim_code *c,
    unsigned op, uint32_t lanes)
{
	uint32_t i;

	if (u->launch->harness && lanes == w->count &&
	    (alone(u, c, op) || (op == SIM_WARP_OP &&
	    sim_warp_together(u, w, c))))
		return true;
	if ((!u->launch->harness && !c->harness) || op < SIM_LOAD ||
	    op > SIM_RMW)
		return false;
	for (i = 0; i < w->size; i++)
		if (lanes >> i & 1 && !sim_access(u, &w->lanes[i], c,
		    (enum sim_op)op))
			break;
	return u->err.code == ERR_NONE;
}

void
sim_run_warp(struct sim_unit *u, struct sim_warp *w)
{
	const struct sim_code *code = u->kernel->code;
	const struct sim_code *c = code + w->lanes[0].pc;
	uint64_t *regs = w->lanes[0].regs;
	uint32_t i, lanes, turns = u->launch->harness ? TURNS_KERNEL :
	    TURNS_TEST;
	unsigned op;

	for (;; c++) {
		op = c->op;
		lanes = w->count;
		if (op == SIM_GUARDED) {
			op = c->guarded;
			lanes = active(w, c);
			if (lanes == 0)
				continue;
		}
		if (op == SIM_NOP)
			continue;
		if (op == SIM_BRA) {
			if (lanes != w->count || turns-- == 0)
				break;
			c = code + c->target - 1;
			continue;
		}
		if (lanes == w->count ? expression(regs, c, op) :
		    masked(regs, c, op, lanes))
			continue;
		if (!accesses(u, w, c, op, lanes))
			break;
	}
	for (i = 0; i < w->size; i++)
		w->lanes[i].pc = (int32_t)(c - code);
}
