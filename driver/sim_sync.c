/*
 * Barriers of CTAs, clusters and warps, and the end of threads, which can
 * complete them. A thread that must wait leaves the ready list; whoever
 * completes the barrier moves all waiting threads on.
 */
#include "sim.h"

/* ---- CTA barriers ---------------------------------------------------------- */

struct bar {
	uint32_t id, count; /* count 0: all threads */
	bool arrive, red, predicate;
};

/* bar.sync a{,n}  bar.arrive a,n  bar.red d,a{,n},p */
static struct bar
operands(const struct sim_thread *t, const struct sim_code *c)
{
	struct bar bar = {.id = (uint32_t)t->regs[c->a]};
	int values = c->insn->nops;

	bar.red = c->insn->op->id == OP_BAR_RED ||
	    c->insn->op->id == OP_BARRIER_RED;
	bar.arrive = c->insn->op->id == OP_BAR_ARRIVE ||
	    c->insn->op->id == OP_BARRIER_ARRIVE;
	if (bar.red) {
		bar.predicate = t->regs[values == 4 ? c->c : c->b];
		values -= 2;
	}
	if (values == 2)
		bar.count = (uint32_t)t->regs[c->b];
	return bar;
}

static uint64_t
red_result(const struct sim_barrier *b, const struct sim_code *c)
{
	switch (c->rmw) {
	case RMW_AND:
		return b->popc == b->arrived;
	case RMW_OR:
		return b->popc > 0;
	default:
		return b->popc;
	}
}

/* All its lanes are ready, at one instruction. */
static bool
is_together(const struct sim_warp *w)
{
	uint32_t i;

	for (i = 0; i < w->size; i++)
		if (w->lanes[i].state != SIM_READY ||
		    w->lanes[i].pc != w->lanes[0].pc)
			return false;
	return true;
}

static void
complete(struct sim_unit *u, struct sim_cta *cta, uint32_t id)
{
	struct sim_barrier *b = &cta->barriers[id];
	uint32_t i;

	for (i = 0; i < u->block; i++) {
		struct sim_thread *t = &cta->threads[i];
		const struct sim_code *c = &u->kernel->code[t->pc];

		t->barriers &= ~((uint32_t)1 << id);
		if (t->state != SIM_AT_BARRIER || t->barrier != id)
			continue;
		if (c->insn->nops > 0 &&
		    operand_role(c->insn, 0) == ROLE_WRITE)
			t->regs[c->d] = red_result(b, c);
		u->memory->join(u, t, &cta->domain);
		t->pc++;
		sim_ready(u, t);
	}
	*b = (struct sim_barrier){0};
	cta->active &= ~((uint32_t)1 << id);
	for (i = 0; u->launch->harness && i < u->nwarps; i++)
		if (is_together(&cta->warps[i]))
			sim_run_warp(u, &cta->warps[i]);
}

static bool
is_complete(const struct sim_cta *cta, const struct sim_barrier *b)
{
	return b->active &&
	    b->arrived >= (b->count ? b->count : cta->live);
}

static bool
check(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c,
    const struct bar *bar)
{
	const struct sim_barrier *b = &t->cta->barriers[bar->id %
	    SIM_BARRIERS];

	if (bar->id >= SIM_BARRIERS)
		return sim_fail(u, t, c, ERR_FAULT, "%s: barrier %u of %d",
		    c->insn->op->mnemonic, bar->id, SIM_BARRIERS);
	if (bar->count % SIM_WARP)
		return sim_fail(u, t, c, ERR_FAULT,
		    "%s: a count of %u threads is no multiple of %d",
		    c->insn->op->mnemonic, bar->count, SIM_WARP);
	if (b->active && b->count != bar->count)
		return sim_fail(u, t, c, ERR_FAULT, "%s: barrier %u for %u "
		    "threads, but others arrived at it for %u (0: all)",
		    c->insn->op->mnemonic, bar->id, bar->count, b->count);
	if (t->barriers >> bar->id & 1)
		return sim_fail(u, t, c, ERR_FAULT, "%s: arrives again at "
		    "barrier %u before that is complete",
		    c->insn->op->mnemonic, bar->id);
	if (b->active && b->red != bar->red)
		return sim_fail(u, t, c, ERR_FAULT,
		    "%s: barrier %u serves bar.red and others at once",
		    c->insn->op->mnemonic, bar->id);
	return true;
}

void
sim_barrier(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c)
{
	struct bar bar = operands(t, c);
	struct sim_barrier *b;

	if (!check(u, t, c, &bar))
		return;
	b = &t->cta->barriers[bar.id];
	b->active = true;
	t->cta->active |= (uint32_t)1 << bar.id;
	b->count = bar.count;
	b->red = bar.red;
	if (!sim_planted(u, c, SIM_FAULT_STICK_BARRIER) || !sim_chance(u, 64))
		b->arrived++;
	t->barriers |= (uint32_t)1 << bar.id;
	b->popc += bar.predicate;
	u->memory->publish(u, t, &t->cta->domain);
	if (bar.arrive || (sim_planted(u, c, SIM_FAULT_PASS_BARRIER) &&
	    sim_chance(u, 8))) {
		t->pc++;
	} else {
		t->barrier = bar.id;
		sim_block(u, t, SIM_AT_BARRIER);
	}
	if (is_complete(t->cta, b))
		complete(u, t->cta, bar.id);
}

/* ---- cluster barriers -------------------------------------------------------- */

static void
complete_cluster(struct sim_unit *u, struct sim_cluster *cluster)
{
	uint32_t i, n = cluster->size * u->block;
	struct sim_thread *threads = u->ctas[cluster->rank0].threads;

	cluster->arrived = 0;
	cluster->phase++;
	for (i = 0; i < n; i++) {
		struct sim_thread *t = &threads[i];

		if (t->state != SIM_AT_CLUSTER)
			continue;
		u->memory->join(u, t, &cluster->domain);
		t->arrived = false;
		t->pc++;
		sim_ready(u, t);
	}
}

static void
cluster_arrive(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c)
{
	struct sim_cluster *cluster = t->cta->cluster;

	if (t->arrived) {
		sim_fail(u, t, c, ERR_FAULT,
		    "barrier.cluster.arrive twice without a wait");
		return;
	}
	t->arrived = true;
	t->phase = cluster->phase;
	u->memory->publish(u, t, &cluster->domain);
	t->pc++;
	if (++cluster->arrived >= cluster->live)
		complete_cluster(u, cluster);
}

static void
cluster_wait(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c)
{
	struct sim_cluster *cluster = t->cta->cluster;

	if (!t->arrived) {
		sim_fail(u, t, c, ERR_FAULT,
		    "barrier.cluster.wait without an arrive");
		return;
	}
	if (t->phase == cluster->phase) {
		/* others may wait for what it has yet to do */
		u->memory->settle(u, t, ~(uint64_t)0);
		sim_block(u, t, SIM_AT_CLUSTER);
		return;
	}
	u->memory->join(u, t, &cluster->domain);
	t->arrived = false;
	t->pc++;
}

void
sim_cluster_barrier(struct sim_unit *u, struct sim_thread *t,
    const struct sim_code *c)
{
	if (c->insn->op->id == OP_BARRIER_CLUSTER_ARRIVE)
		cluster_arrive(u, t, c);
	else
		cluster_wait(u, t, c);
}

/* ---- warps -------------------------------------------------------------------- */

/* PTX ISA, shfl.sync: the lane read from, or the own lane if none. */
static uint32_t
shfl_source(enum mode mode, uint32_t lane, uint32_t b, uint32_t c, bool *in)
{
	uint32_t mask = c >> 8 & 31, low = lane & mask;
	uint32_t high = low | (c & 31 & ~mask), j = lane;

	b &= 31;
	*in = false;
	switch (mode) {
	case MODE_UP:
		j = lane - b;
		*in = (int32_t)j >= (int32_t)high;
		break;
	case MODE_DOWN:
		j = lane + b;
		*in = j <= high;
		break;
	case MODE_BFLY:
		j = lane ^ b;
		*in = j <= high;
		break;
	default:
		j = low | (b & ~mask);
		*in = j <= high;
		break;
	}
	return *in ? j : lane;
}

struct gathered {
	uint32_t lanes, ones; /* that take part, and have a 1 */
	uint64_t value[SIM_WARP];
};

static uint64_t
equal_lanes(const struct gathered *g, uint64_t value)
{
	uint32_t i, same = 0;

	for (i = 0; i < SIM_WARP; i++)
		if (g->lanes >> i & 1 && g->value[i] == value)
			same |= (uint32_t)1 << i;
	return same;
}

static void
warp_result(const struct gathered *g, struct sim_thread *t,
    const struct sim_code *c)
{
	uint64_t own = g->value[t->lane];
	uint64_t *p = c->elems[1] == SIM_NO_SLOT ? NULL :
	    &t->regs[c->elems[1]];
	uint32_t from;
	bool in;

	switch (c->insn->op->id) {
	case OP_SHFL:
		from = shfl_source(c->insn->mode, t->lane,
		    (uint32_t)t->regs[c->b], (uint32_t)t->regs[c->c], &in);
		t->regs[c->d] = g->lanes >> from & 1 ? g->value[from] : own;
		if (p)
			*p = in;
		break;
	case OP_VOTE:
		t->regs[c->d] = c->insn->mode == MODE_BALLOT ? g->ones :
		    c->insn->mode == MODE_ANY ? g->ones != 0 :
		    c->insn->mode == MODE_ALL ? g->ones == g->lanes :
		    g->ones == 0 || g->ones == g->lanes;
		break;
	case OP_MATCH:
		t->regs[c->d] = equal_lanes(g, own);
		break;
	case OP_MATCH_ALL:
		in = equal_lanes(g, own) == g->lanes;
		t->regs[c->d] = in ? g->lanes : 0;
		if (p)
			*p = in;
		break;
	default:
		break;
	}
}

/* Has every lane that t waits for arrived, or ended? */
static bool
warp_complete(const struct sim_unit *u, const struct sim_thread *t)
{
	const struct sim_code *code = u->kernel->code, *c = &code[t->pc];
	uint32_t wait = t->mask & t->warp->live, i;

	if (wait & ~t->warp->waiting)
		return false;
	for (i = 0; i < SIM_WARP; i++) {
		const struct sim_thread *o = &t->warp->lanes[i];

		if (!(wait >> i & 1))
			continue;
		if (o->mask != t->mask || code[o->pc].insn->op != c->insn->op ||
		    (c->insn->op->id != OP_BAR_WARP_SYNC && o->pc != t->pc))
			return false;
	}
	return true;
}

/* The others promise nothing (PTX ISA 9.7.13.3, 9.7.9). */
static bool
orders_memory(const struct sim_code *c)
{
	return c->insn->op->id == OP_BAR_WARP_SYNC;
}

static void
gather(const struct sim_unit *u, const struct sim_warp *w, struct gathered *g)
{
	uint32_t i;

	g->ones = 0;
	for (i = 0; i < SIM_WARP; i++) {
		if (!(g->lanes >> i & 1))
			continue;
		g->value[i] = w->lanes[i].regs[
		    u->kernel->code[w->lanes[i].pc].a];
		g->ones |= (uint32_t)(g->value[i] == 1) << i;
	}
}

static void
complete_warp(struct sim_unit *u, const struct sim_thread *last)
{
	struct gathered g = {.lanes = last->mask & last->warp->live};
	struct sim_warp *w = last->warp;
	bool orders = orders_memory(&u->kernel->code[last->pc]);
	uint32_t i;

	gather(u, w, &g);
	for (i = 0; i < SIM_WARP; i++) {
		struct sim_thread *t = &w->lanes[i];

		if (!(g.lanes >> i & 1))
			continue;
		warp_result(&g, t, &u->kernel->code[t->pc]);
		if (orders)
			u->memory->join(u, t, &w->domain);
		t->pc++;
		sim_ready(u, t);
	}
	w->waiting &= ~g.lanes;
}

/* The lane mask is the last operand. */
static uint32_t
lane_mask(const struct sim_thread *t, const struct sim_code *c)
{
	uint32_t slot = c->insn->op->id == OP_SHFL ? c->elems[0] :
	    c->insn->op->id == OP_BAR_WARP_SYNC ? c->a : c->b;

	return (uint32_t)t->regs[slot];
}

bool
sim_warp_together(struct sim_unit *u, struct sim_warp *w,
    const struct sim_code *c)
{
	struct gathered g = {.lanes = w->live};
	uint32_t i;

	if (w->live != w->count || w->waiting || orders_memory(c))
		return false;
	for (i = 0; i < w->size; i++) {
		if ((lane_mask(&w->lanes[i], c) & w->count) != w->count)
			return false;
		w->lanes[i].pc = (int32_t)(c - u->kernel->code);
	}
	gather(u, w, &g);
	for (i = 0; i < w->size; i++)
		warp_result(&g, &w->lanes[i], c);
	return true;
}

void
sim_warp(struct sim_unit *u, struct sim_thread *t, const struct sim_code *c)
{
	t->mask = lane_mask(t, c) & t->warp->count;
	if (!(t->mask >> t->lane & 1)) {
		sim_fail(u, t, c, ERR_FAULT,
		    "%s: lane %u is not in its own mask 0x%08x",
		    c->insn->op->mnemonic, t->lane, lane_mask(t, c));
		return;
	}
	if (orders_memory(c))
		u->memory->publish(u, t, &t->warp->domain);
	else
		u->memory->settle(u, t, ~(uint64_t)0);
	sim_block(u, t, SIM_AT_WARP);
	t->warp->waiting |= (uint32_t)1 << t->lane;
	if (warp_complete(u, t))
		complete_warp(u, t);
}

/* ---- ends ---------------------------------------------------------------------- */

void
sim_thread_exit(struct sim_unit *u, struct sim_thread *t)
{
	struct sim_cta *cta = t->cta;
	struct sim_cluster *cluster = cta->cluster;
	uint32_t i;

	sim_async_exit(u, t);
	u->memory->finish(u, t);
	sim_block(u, t, SIM_EXITED);
	t->warp->live &= ~((uint32_t)1 << t->lane);
	cta->live--;
	cluster->live--;
	u->live--;
	if (t->arrived)
		cluster->arrived--;
	if (cluster->live == 0) {
		sim_cluster_end(u, cluster);
		return;
	}
	/* who waited for this thread waits no more */
	for (i = 0; cta->active >> i; i++)
		if (is_complete(cta, &cta->barriers[i]) && cta->live > 0)
			complete(u, cta, i);
	if (cluster->arrived >= cluster->live)
		complete_cluster(u, cluster);
	for (i = 0; t->warp->waiting && i < SIM_WARP; i++)
		if (t->warp->waiting >> i & 1 &&
		    warp_complete(u, &t->warp->lanes[i]))
			complete_warp(u, &t->warp->lanes[i]);
}

void
sim_deadlock(struct sim_unit *u)
{
	static const char *const where[] = {
		[SIM_AT_BARRIER] = "a barrier",
		[SIM_AT_CLUSTER] = "the cluster's barrier",
		[SIM_AT_WARP] = "lanes of its warp",
	};
	uint32_t i, n = u->nctas * u->block;

	for (i = 0; i < n; i++) {
		struct sim_thread *t = &u->threads[i];
		const struct sim_code *c;

		if (t->state == SIM_READY || t->state == SIM_EXITED)
			continue;
		c = &u->kernel->code[t->pc];
		sim_fail(u, t, c, ERR_HANG,
		    "deadlock: waits for ever at %s, as do %u threads",
		    where[t->state], u->live);
		return;
	}
}
