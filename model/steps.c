/*
 * Runs the code of a thread once: registers hold values, reads return what
 * the runner chose for them, and everything else becomes events.
 */
#include "steps.h"

#include <string.h>

/* ---- registers -------------------------------------------------------- */

uint64_t
runner_value(const struct runner *r, const struct operand *o,
    event_row *taint)
{
	switch (o->kind) {
	case OPERAND_REG:
		*taint |= r->taint[o->reg];
		return o->negated ? !r->value[o->reg] : r->value[o->reg];
	case OPERAND_IMM:
		return (uint64_t)o->imm;
	case OPERAND_VAR:
		return var_address(r->m->p, o->var);
	default:
		return 0; /* coverage_check() let nothing else in */
	}
}

void
runner_set(struct runner *r, int reg, uint64_t value, event_row taint)
{
	r->value[reg] = value;
	r->taint[reg] = taint;
}

static bool
guard_holds(const struct runner *r, const struct insn *insn)
{
	return insn->guard < 0 ||
	    !r->value[insn->guard] == insn->guard_negated;
}

event_row
runner_guard(const struct runner *r, const struct insn *insn)
{
	return insn->guard < 0 ? 0 : r->taint[insn->guard];
}

/* A register that an instruction would have written depends on the guard
   that kept it from it. */
static void
skip_insn(struct runner *r, const struct insn *insn)
{
	int i, j;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (operand_role(insn, i) != ROLE_WRITE)
			continue;
		if (o->kind == OPERAND_REG)
			r->taint[o->reg] |= runner_guard(r, insn);
		for (j = 0; o->kind == OPERAND_VEC && j < o->nvec; j++)
			r->taint[o->vec[j]] |= runner_guard(r, insn);
	}
}

static bool
run_alu(struct runner *r, const struct insn *insn)
{
	event_row taint = runner_guard(r, insn);
	uint64_t in[OPERANDS_MAX] = {0}, out;
	int i;

	for (i = 1; i < insn->nops; i++)
		in[i - 1] = runner_value(r, &insn->ops[i], &taint);
	if (!alu_apply(insn, in, &out))
		return stop_reason(r->m, insn->loc,
		    "the model does not know the result of an instruction");
	runner_set(r, insn->ops[0].reg, out, taint);
	return true;
}

struct path_event *
runner_event(struct runner *r, enum event_kind kind, const struct insn *insn)
{
	struct path_event *e;

	if (r->count == EVENTS_MAX) {
		stop_limit(r->m, "a thread has more than 64 events");
		return NULL;
	}
	e = &r->events[r->count++];
	*e = (struct path_event){
		.event = {
			.kind = kind, .sem = insn->sem, .scope = insn->scope,
			.proxy = insn->proxy, .thread = r->t, .insn = r->pc,
			.turn = r->turn[r->pc], .var = -1, .elem = -1,
			.loc = -1, .rmw = -1, .barrier = -1,
			.generation = -1,
		},
		.data = runner_guard(r, insn),
		.ctrl = r->ctrl,
	};
	if (insn->sem == SEM_VOLATILE || insn->sem == SEM_MMIO) {
		/* PTX ISA 8.4.1, 8.4.2 */
		e->event.sem = SEM_RELAXED;
		e->event.scope = SCOPE_SYS;
	}
	return e;
}

/* ---- fences and barriers ---------------------------------------------- */

static bool
run_fence(struct runner *r, const struct insn *insn)
{
	struct path_event *e;

	e = runner_event(r, EVENT_FENCE, insn);
	if (!e)
		return false;
	/* PTX ISA 9.7.15, membar: on sm_70 and later it is fence.sc */
	if (insn->op->id == OP_MEMBAR)
		e->event.sem = SEM_SC;
	return true;
}

static bool
run_proxy_fence(struct runner *r, const struct insn *insn)
{
	return runner_event(r, EVENT_PROXY_FENCE, insn) != NULL;
}

static bool
run_barrier(struct runner *r, const struct insn *insn)
{
	struct path_event *e = runner_event(r, EVENT_BARRIER, insn);
	int i;

	if (!e)
		return false;
	for (i = 0; i < insn->nops && i < 3; i++)
		e->args[e->nargs++] = value_cut(
		    runner_value(r, &insn->ops[i], &e->data), TYPE_U32);
	e->event.arrive_only = insn->op->id == OP_BAR_ARRIVE ||
	    insn->op->id == OP_BARRIER_ARRIVE ||
	    insn->op->id == OP_BARRIER_CLUSTER_ARRIVE;
	e->event.barrier =
	    insn->op->class == CLASS_CLUSTER_BARRIER ? BARRIER_CLUSTER :
	    insn->op->class == CLASS_WARP ? BARRIER_WARP : (int)e->args[0];
	return true;
}

/* ---- control ---------------------------------------------------------- */

/* Did nothing there write, or meet others at a barrier? An atomic that put
   back what it read counts as a write unless *silent is there to be told. */
static bool
left_no_trace(const struct runner *r, int from, int to, uint64_t *silent)
{
	int i;

	for (i = from; i < to; i++) {
		const struct event *e = &r->events[i].event;

		if (e->kind == EVENT_BARRIER)
			return false;
		if (e->kind != EVENT_WRITE)
			continue;
		if (!silent || e->rmw < 0 ||
		    r->events[e->rmw].event.value != e->value)
			return false;
		*silent |= BIT(e->loc);
	}
	return true;
}

/*
 * Is there an execution with fewer turns for each that goes on from here?
 * Turns that left no trace, and what matters of the registers as it was,
 * may be taken out of an execution: what is left is one, for the axioms
 * only forbid, and ends the same.
 */
static bool
turns_to_spare(const struct runner *r, uint64_t *silent)
{
	size_t size = (size_t)r->thread->nregs * sizeof(*r->value);
	uint64_t found;
	int i, j;

	for (j = 1; j < r->nvisits; j++)
		for (i = 0; i < j; i++) {
			const struct visit *a = &r->visits[i];
			const struct visit *b = &r->visits[j];

			found = 0;
			if (a->head != b->head ||
			    memcmp(a->commits, b->commits,
			    sizeof(a->commits)) != 0 ||
			    memcmp(a->value, b->value, size) != 0 ||
			    !left_no_trace(r, a->from, b->from,
			    silent ? &found : NULL))
				continue;
			if (silent)
				*silent |= found;
			return true;
		}
	return false;
}

static void
note_visit(struct runner *r, int head)
{
	const struct loops *loops = &r->m->loops[r->t];
	struct visit *v = &r->visits[r->nvisits];
	int i;

	if (!r->watch || !loops->head[head] || r->nvisits == VISITS_MAX)
		return;
	r->nvisits++;
	v->head = head;
	v->from = r->count;
	for (i = 0; i < 2; i++)
		v->commits[i] = r->copies[i].commits;
	for (i = 0; i < r->thread->nregs; i++)
		v->value[i] = loops->live[head] >> i & 1 ? r->value[i] : 0;
}

/*
 * A backward jump: counts, and remembers the state. A loop turn that leaves
 * the registers as they were and writes nothing can go on for ever.
 */
static void
jump_back(struct runner *r, const struct insn *insn)
{
	size_t size = (size_t)r->thread->nregs * sizeof(*r->value);

	r->cut = ++r->jumps > r->m->unroll;
	if (r->cut)
		note_visit(r, (int)insn->ops[0].imm);
	if (r->cut && r->watch && !turns_to_spare(r, NULL)) {
		r->lost = !turns_to_spare(r, &r->m->silent);
		r->m->lost_loc = insn->loc;
	}
	r->spins = r->cut && r->spin_pc == r->pc &&
	    (!size || memcmp(r->spin_value, r->value, size) == 0);
	r->spins = r->spins &&
	    left_no_trace(r, r->spin_from, r->count, NULL);
	if (r->cut)
		return;
	if (size)
		memcpy(r->spin_value, r->value, size);
	r->spin_pc = r->pc;
	r->spin_from = r->count;
}

static bool
run_branch(struct runner *r, const struct insn *insn)
{
	int target = (int)insn->ops[0].imm;

	if (target <= r->pc)
		jump_back(r, insn);
	r->pc = target - 1;
	return true;
}

static bool
run_exit(struct runner *r, const struct insn *insn)
{
	(void)insn;
	r->pc = r->thread->ninsns;
	return true;
}

static bool
run_nothing(struct runner *r, const struct insn *insn)
{
	(void)r;
	(void)insn;
	return true;
}

static bool (*const run[])(struct runner *r, const struct insn *insn) = {
	[CLASS_ALU] = run_alu, [CLASS_LOAD] = access_load,
	[CLASS_STORE] = access_store, [CLASS_RMW] = access_rmw,
	[CLASS_RED] = access_rmw, [CLASS_FENCE] = run_fence,
	[CLASS_PROXY_FENCE] = run_proxy_fence,
	[CLASS_BARRIER] = run_barrier, [CLASS_CLUSTER_BARRIER] = run_barrier,
	[CLASS_MBARRIER] = mbarrier_run, [CLASS_ASYNC] = async_run,
	[CLASS_WARP] = run_barrier, [CLASS_BRANCH] = run_branch,
	[CLASS_EXIT] = run_exit, [CLASS_NONE] = run_nothing,
};

static void
reset(struct runner *r)
{
	int i;

	for (i = 0; i < r->thread->nregs; i++)
		runner_set(r, i, r->thread->regs[i].init, 0);
	memset(r->turn, 0, sizeof(r->turn));
	memset(r->last_write, -1, sizeof(r->last_write));
	r->pc = r->jumps = r->count = r->nreads = r->nvisits = 0;
	r->ctrl = 0;
	r->cut = r->spins = r->lost = false;
	memset(r->copies, 0, sizeof(r->copies));
	r->undefined = NULL;
	r->spin_pc = -1;
	r->spin_from = 0;
}

bool
steps_run(struct runner *r)
{
	const struct thread *t = r->thread;

	reset(r);
	for (; r->pc < t->ninsns && !r->cut; r->pc++) {
		const struct insn *insn = &t->insns[r->pc];
		int pc = r->pc;

		note_visit(r, pc);
		/* spec 2.7: a branch decides everything after it */
		if (insn->op->class == CLASS_BRANCH ||
		    insn->op->class == CLASS_EXIT)
			r->ctrl |= runner_guard(r, insn);
		if (!guard_holds(r, insn))
			skip_insn(r, insn);
		else if (!run[insn->op->class](r, insn))
			return false;
		r->turn[pc]++;
	}
	return true;
}
