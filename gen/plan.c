/* From a program and an environment to launches. */
#include "plan.h"

#include <string.h>

/* Leaves out of the environment what the program does not permit. */
static void
settle(struct plan *plan, const struct shape *s, const struct caps *caps)
{
	struct env *e = &plan->env;
	bool alone = s->units * s->ranks == 1;

	if (!shape_permits_all(s))
		e->layout = LAYOUT_SPLIT;
	if (alone && e->layout == LAYOUT_SPLIT)
		e->role_shift = 0;
	if (e->layout == LAYOUT_ALL && e->align == ALIGN_PAIR)
		e->align = ALIGN_GROUP;
	if (e->spin == 0)
		e->spin = caps->sim ? 1000 : 100000;
	/* shared memory is set up once a launch */
	if (s->shared)
		e->repeat = 1;
}

static bool
is_memory(const struct plan *plan, int slot)
{
	return plan->report[slot].thread < 0;
}

bool
plan_reports_thread(const struct plan *plan, int thread)
{
	int i;

	if (thread_spins(&plan->program->threads[thread]))
		return true;
	for (i = 0; i < plan->program->nslots; i++)
		if (plan->report[i].thread == thread)
			return true;
	return false;
}

/* Counting in the only role that sees anything. */
static bool
permits_fused(const struct plan *plan)
{
	int i, reporters = 0;

	for (i = 0; i < plan->program->nslots; i++)
		if (is_memory(plan, i))
			return false;
	for (i = 0; i < plan->program->nthreads; i++)
		reporters += plan_reports_thread(plan, i);
	return reporters == 1 && plan->lanes == 1 &&
	    plan->nbins <= FUSED_BINS_MAX && plan->nbins <= plan->test.block;
}

static void
results(struct plan *plan)
{
	int i;

	if (!permits_fused(plan))
		plan->env.tally = TALLY_SEPARATE;
	for (i = 0; i < plan->program->nthreads; i++)
		if (plan->env.tally == TALLY_SEPARATE &&
		    plan_reports_thread(plan, i))
			plan->result_bytes[i] = (size_t)plan->instances *
			    (size_t)plan->result_size;
}

/* The highest barrier that no instruction of the test names; a register
   may name any, and then all are taken. */
static bool
free_barrier(struct plan *plan, struct err *err)
{
	const struct program *p = plan->program;
	bool used[16] = {false};
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++) {
			const struct insn *insn = &p->threads[i].insns[j];
			int first = insn->op->id == OP_BAR_RED ||
			    insn->op->id == OP_BARRIER_RED;

			if (insn->op->class != CLASS_BARRIER)
				continue;
			if (insn->ops[first].kind != OPERAND_IMM)
				return err_set(err, ERR_UNSUPPORTED, insn->loc,
				    "a barrier named by a register may be "
				    "the harness's own");
			used[insn->ops[first].imm & 15] = true;
		}
	for (i = 15; i >= 0 && used[i]; i--)
		;
	plan->barrier = i;
	if (i < 0)
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "uses all 16 barriers, and the harness needs one");
	return true;
}

bool
plan_make(const struct program *p, const struct env *e,
    const struct caps *caps, struct arena *a, struct plan *plan,
    struct err *err)
{
	struct plan made;
	struct shape s;

	memset(&made, 0, sizeof(made));
	made.program = p;
	made.env = *e;
	made.nbins = p->noutcomes + 2;
	if (!env_check(e, err))
		return false;
	shape_make(p, e, &s);
	if (!shape_runs(p, &s, caps, err) || !free_barrier(&made, err))
		return false;
	settle(&made, &s, caps);
	made.units = s.units;
	made.ranks = s.ranks;
	made.slots = s.slots;
	made.lanes = s.lanes;
	memcpy(made.place, s.place, sizeof(made.place));
	plan_values(&made);
	plan_reports(&made);
	if (!plan_memory(&made, err) || !plan_size(&made, &s, caps, err))
		return false;
	results(&made);
	plan_kernels(&made, caps, a);
	*plan = made;
	return true;
}

/* ---- what the plan's parts ask of each other -------------------------- */

/* Threads of one warp move together: the first of them names the draw. */
int
plan_map_thread(const struct plan *plan, int thread)
{
	const struct place *at = &plan->place[thread], *b;
	int i;

	for (i = 0; i < thread; i++) {
		b = &plan->place[i];
		if (b->unit != at->unit || b->rank != at->rank)
			continue;
		if (b->slot == at->slot || plan->env.layout == LAYOUT_ALL)
			return i;
	}
	return thread;
}

uint32_t
plan_unit_ctas(const struct plan *plan)
{
	return plan->env.layout == LAYOUT_ALL ? 1 : (uint32_t)plan->ranks;
}

static bool
is_stored(const struct program *p, int var)
{
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++) {
			const struct insn *insn = &p->threads[i].insns[j];

			/* an address in a register may be any variable's */
			switch (insn->op->class) {
			case CLASS_STORE:
			case CLASS_RED:
				if (insn->ops[0].var == var ||
				    insn->ops[0].var < 0)
					return true;
				break;
			case CLASS_RMW:
				if (insn->ops[1].var == var ||
				    insn->ops[1].var < 0)
					return true;
				break;
			case CLASS_ASYNC:
				if (insn_is_copy(insn) &&
				    (insn->ops[0].var == var ||
				    insn->ops[0].var < 0))
					return true;
				break;
			default:
				break;
			}
		}
	return false;
}

/* Is it reset between launches? */
bool
plan_resets_var(const struct plan *plan, int var)
{
	const struct program *p = plan->program;
	int i;

	if (p->vars[var].space != SPACE_GLOBAL || plan->epoch[var] ||
	    p->vars[var].alias_of >= 0)
		return false;
	if (is_stored(p, var))
		return true;
	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].alias_of == var && is_stored(p, i))
			return true;
	return false;
}

bool
plan_resets(const struct plan *plan)
{
	int i;

	for (i = 0; i < plan->program->nvars; i++)
		if (plan_resets_var(plan, i))
			return true;
	return false;
}

/* Does the tally kernel read or reset something in this region? */
bool
plan_tally_touches(const struct plan *plan, int region)
{
	const struct program *p = plan->program;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].region == region && plan_resets_var(plan, i))
			return true;
	for (i = 0; i < p->nslots; i++)
		if (is_memory(plan, i) &&
		    plan->spot[p->slots[i].var].region == region)
			return true;
	return false;
}

bool
plan_counts_arrivals(const struct plan *plan)
{
	return plan->env.align != ALIGN_NONE &&
	    plan->env.layout == LAYOUT_SPLIT && plan->units * plan->ranks > 1;
}

bool
plan_needs_seed(const struct plan *plan)
{
	return plan->env.delay || plan->env.stress || plan->env.pre_stress ||
	    plan->env.evict;
}

bool
plan_test_reads_epoch(const struct plan *plan)
{
	int i;

	if (plan->env.values == VALUES_EPOCH || plan_counts_arrivals(plan))
		return true;
	for (i = 0; i < plan->program->nthreads; i++)
		if (plan->result_bytes[i])
			return true;
	return false;
}
