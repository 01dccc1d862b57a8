/*
 * The barriers of the liveness machine: those of PTX, of the CTA, cluster
 * and warp, and those of the .litmus dialect.
 */
#include "live.h"

#include <string.h>

/* The barrier that an instruction works on, as a key. */
static struct live_barrier
barrier_key(const struct live *l, int thread, int index)
{
	const struct thread *t = &l->p->threads[thread];
	const struct insn *insn = &t->insns[index];
	struct live_barrier b = {.cta = t->cta, .id = -1, .cluster = -1,
		.thread = -1, .insn = -1};

	if (insn->op->class == CLASS_CLUSTER_BARRIER) {
		b.cta = -1;
		b.cluster = t->cluster;
	} else if (insn->op->class == CLASS_WARP) {
		b.id = -2 - t->warp;
	} else if (l->p->dialect == DIALECT_LITMUS) {
		b.thread = thread;
		b.insn = index;
	} else {
		b.id = (int)insn->ops[0].imm;
	}
	return b;
}

static int
barrier_find(const struct live *l, int thread, int index)
{
	struct live_barrier b = barrier_key(l, thread, index);
	int i;

	for (i = 0; i < l->nbarriers; i++)
		if (memcmp(&l->barriers[i], &b, sizeof(b)) == 0)
			return i;
	return -1;
}

bool
live_setup_barrier(struct live *l, int thread, int index)
{
	const struct insn *insn = &l->p->threads[thread].insns[index];
	enum op_class class = insn->op->class;

	if (class == CLASS_MBARRIER || class == CLASS_ASYNC)
		return live_refuse(l, insn->loc, "mbarriers and asynchronous "
		    "copies");
	if (class != CLASS_BARRIER && class != CLASS_CLUSTER_BARRIER &&
	    class != CLASS_WARP)
		return true;
	if (insn->op->id == OP_BAR_RED || insn->op->id == OP_BARRIER_RED)
		return live_refuse(l, insn->loc, "barrier reductions");
	if (class == CLASS_WARP && insn->op->id != OP_BAR_WARP_SYNC)
		return live_refuse(l, insn->loc, "exchanges between lanes");
	if (class == CLASS_BARRIER && insn->ops[0].kind != OPERAND_IMM)
		return live_refuse(l, insn->loc, "a barrier in a register");
	if (barrier_find(l, thread, index) >= 0 || (class == CLASS_WARP &&
	    l->p->threads[thread].warp == WARP_ANY))
		return true;
	if (l->nbarriers == LIVE_BARRIERS_MAX)
		return err_set(l->err, ERR_LIMIT, insn->loc, "too many "
		    "barriers for the forward-progress check (at most %d)",
		    LIVE_BARRIERS_MAX);
	l->barriers[l->nbarriers++] = barrier_key(l, thread, index);
	return true;
}

/* ---- barriers --------------------------------------------------------- */

#define ARRIVED(w) ((unsigned)((w) & 0xffff)) /* threads */
#define RELEASED(w) ((unsigned)((w) >> 16 & 0xffff)) /* not arrive.relaxed */
#define EXPECTED(w) ((int)((w) >> 32)) /* warps; 0: all live threads */

/* The threads that a barrier without a count waits for. */
static unsigned
participants(const struct live *l, const uint64_t *state,
    const struct live_barrier *b)
{
	unsigned set = 0;
	int t;

	for (t = 0; t < l->p->nthreads; t++) {
		const struct thread *o = &l->p->threads[t];
		bool in = b->cluster >= 0 ? o->cluster == b->cluster :
		    o->cta == b->cta && (b->id >= 0 ||
		    o->warp == -2 - b->id);

		if (in && !live_ended(l, state, t))
			set |= 1u << t;
	}
	return set;
}

/* Counts are of warps: one has arrived when all its live threads have. */
static int
warps_arrived(const struct live *l, const uint64_t *state, unsigned arrived)
{
	int t, u, n = 0;

	for (t = 0; t < l->p->nthreads; t++) {
		const struct thread *o = &l->p->threads[t];
		unsigned warp = 1u << t;

		for (u = 0; u < l->p->nthreads && o->warp != WARP_ANY; u++)
			if (l->p->threads[u].cta == o->cta &&
			    l->p->threads[u].warp == o->warp &&
			    !live_ended(l, state, u))
				warp |= 1u << u;
		/* counted at its lowest thread that has arrived */
		n += arrived >> t & 1 && !(warp & ~arrived) &&
		    (1u << t) == (warp & (~warp + 1));
	}
	return n;
}

/* Frees those who wait at a barrier that is complete (ISA 9.7.13.1). */
void
live_complete(const struct live *l, uint64_t *state, int barrier)
{
	const struct live_barrier *b = &l->barriers[barrier];
	uint64_t *w = &state[l->barriers_at + barrier];
	unsigned freed = 0;
	int t;

	if (!ARRIVED(*w) || (EXPECTED(*w) ?
	    warps_arrived(l, state, ARRIVED(*w)) < EXPECTED(*w) :
	    (participants(l, state, b) & ~ARRIVED(*w)) != 0))
		return;
	for (t = 0; t < l->p->nthreads; t++) {
		uint64_t *pc = &state[l->threads_at[t]];

		if (b->cluster >= 0 ? !(ARRIVED(*w) >> t & 1) :
		    !(*pc & LIVE_WAITS) || (*pc & LIVE_FREE) ||
		    barrier_find(l, t, LIVE_PC(*pc)) != barrier)
			continue;
		*pc |= b->cluster >= 0 ? LIVE_CLUSTER_FREE : LIVE_FREE;
		freed |= 1u << t;
	}
	live_race_meet(l, state, RELEASED(*w), freed);
	*w = 0;
}

/* Numbers of the dialect's barriers: instance, resource, quorum. */
#define REACHED(resource) ((uint64_t)(resource) << 32 | 1)

static uint64_t
resource_of(const struct live *l, const uint64_t *state, int barrier)
{
	const struct live_barrier *b = &l->barriers[barrier];
	const struct insn *insn = &l->p->threads[b->thread].insns[b->insn];
	uint64_t w = state[l->barriers_at + barrier];

	if (w)
		return w >> 32;
	if (insn->ops[1].kind == OPERAND_IMM)
		return (uint64_t)insn->ops[1].imm;
	return state[l->threads_at[b->thread] + 1 + insn->ops[1].reg];
}

/* Is its resource a number, or in a register that nothing writes? */
static bool
resource_known(const struct live *l, const uint64_t *state, int barrier)
{
	const struct live_barrier *b = &l->barriers[barrier];
	const struct thread *t = &l->p->threads[b->thread];
	const struct operand *o = &t->insns[b->insn].ops[1];
	int i;

	if (o->kind == OPERAND_IMM || state[l->barriers_at + barrier] ||
	    live_ended(l, state, b->thread))
		return true;
	for (i = 0; i < t->ninsns; i++)
		if (t->insns[i].nops && t->insns[i].ops[0].reg == o->reg &&
		    operand_role(&t->insns[i], 0) == ROLE_WRITE)
			return false;
	return true;
}

/*
 * May the dialect's barrier be passed (spec 4.1)? I: when every static
 * barrier of that instance in the CTA is reached. I,R: when all those are
 * that have the same R. I,R,Q: when Q of those are.
 */
static bool
dialect_passes(const struct live *l, const uint64_t *state, int me,
    unsigned *met)
{
	const struct live_barrier *b = &l->barriers[me];
	const struct insn *insn = &l->p->threads[b->thread].insns[b->insn];
	int i, reached = 0, missing = 0;

	for (i = 0; i < l->nbarriers; i++) {
		const struct live_barrier *c = &l->barriers[i];
		const struct insn *other;

		if (c->insn < 0 || c->cta != b->cta)
			continue;
		other = &l->p->threads[c->thread].insns[c->insn];
		if (other->ops[0].imm != insn->ops[0].imm ||
		    (other->nops > 1) != (insn->nops > 1))
			continue;
		if (insn->nops > 1 && !resource_known(l, state, i))
			missing++;
		else if (insn->nops > 1 && resource_of(l, state, i) !=
		    resource_of(l, state, me))
			continue;
		else if (!state[l->barriers_at + i])
			missing++;
		else {
			reached++;
			*met |= 1u << c->thread;
		}
	}
	return insn->nops > 2 ? reached >= insn->ops[2].imm : missing == 0;
}

static bool
is_arrive(const struct insn *insn)
{
	return insn->op->id == OP_BAR_ARRIVE ||
	    insn->op->id == OP_BARRIER_ARRIVE;
}

static bool
dialect_barrier(const struct live_at *s, int barrier)
{
	const struct live *l = s->l;
	uint64_t *state = s->next->states, resource = 0;
	unsigned met = 0;

	if (!(state[l->threads_at[s->thread]] & LIVE_WAITS)) {
		if (s->insn->nops > 1 && !live_value(s, state,
		    &s->insn->ops[1], 0, &resource))
			return false;
		state[l->barriers_at + barrier] = REACHED(resource);
		if (is_arrive(s->insn))
			live_go_to(s, state, s->pc + 1);
		else
			state[l->threads_at[s->thread]] |= LIVE_WAITS;
	} else if (dialect_passes(l, state, barrier, &met)) {
		live_race_meet(l, state, met, 1u << s->thread);
		live_go_to(s, state, s->pc + 1);
	} else {
		s->next->waited = true;
	}
	return true;
}

static bool
cluster_barrier(const struct live_at *s, int barrier)
{
	uint64_t *state = s->next->states;
	uint64_t *w = &state[s->l->barriers_at + barrier];
	uint64_t *pc = &state[s->l->threads_at[s->thread]];

	if (s->insn->op->id == OP_BARRIER_CLUSTER_ARRIVE) {
		*w |= (uint64_t)1 << s->thread;
		if (s->insn->sem != SEM_RELAXED)
			*w |= (uint64_t)1 << 16 << s->thread;
		live_go_to(s, state, s->pc + 1);
		live_complete(s->l, state, barrier);
	} else if (*pc & LIVE_CLUSTER_FREE) {
		*pc &= ~LIVE_CLUSTER_FREE;
		live_go_to(s, state, s->pc + 1);
	} else {
		s->next->waited = true;
	}
	return true;
}

bool
live_barrier(const struct live_at *s)
{
	const struct live *l = s->l;
	uint64_t *state = s->next->states, count = 0, *w;
	uint64_t *pc = &state[l->threads_at[s->thread]];
	int barrier = barrier_find(l, s->thread, s->pc);

	if (s->insn->op->class == CLASS_CLUSTER_BARRIER)
		return cluster_barrier(s, barrier);
	if (barrier < 0) { /* a lane alone */
		live_go_to(s, state, s->pc + 1);
		return true;
	}
	if (l->barriers[barrier].insn >= 0)
		return dialect_barrier(s, barrier);
	if (*pc & LIVE_WAITS) {
		if (*pc & LIVE_FREE)
			live_go_to(s, state, s->pc + 1);
		else
			s->next->waited = true;
		return true;
	}
	if (s->insn->op->class == CLASS_BARRIER && s->insn->nops > 1 &&
	    !live_value(s, state, &s->insn->ops[1], 0, &count))
		return false;
	w = &state[l->barriers_at + barrier];
	*w |= (uint64_t)0x10001 << s->thread;
	*w = (*w & 0xffffffff) | count / 32 << 32;
	if (is_arrive(s->insn))
		live_go_to(s, state, s->pc + 1);
	else
		*pc |= LIVE_WAITS;
	live_complete(l, state, barrier);
	return true;
}
