/* Where the threads of a test are put, and what they ask of a launch. */
#include "plan.h"

#include <string.h>

/* The index of `key` among those met so far. */
static int
number(int *keys, int *count, int key)
{
	int i;

	for (i = 0; i < *count; i++)
		if (keys[i] == key)
			return i;
	keys[(*count)++] = key;
	return i;
}

/* Clusters become units, and their CTAs ranks. */
static void
place_ctas(const struct program *p, struct shape *s)
{
	int clusters[THREADS_MAX], ctas[THREADS_MAX][THREADS_MAX];
	int nctas[THREADS_MAX] = {0}, i;

	s->units = 0;
	s->ranks = 1;
	for (i = 0; i < p->nthreads; i++) {
		const struct thread *t = &p->threads[i];
		int unit = number(clusters, &s->units, t->cluster);

		s->place[i].unit = unit;
		s->place[i].rank = number(ctas[unit], &nctas[unit], t->cta);
		if (nctas[unit] > s->ranks)
			s->ranks = nctas[unit];
	}
}

/* A thread that names no warp gets one of its own; with same_warp, one
   with the others of its CTA that name none. */
static void
place_warps(const struct program *p, const struct env *e, struct shape *s)
{
	int i, j, fresh = -2;

	s->slots = 0;
	s->lanes = 1;
	for (i = 0; i < p->nthreads; i++) {
		int keys[THREADS_MAX], lanes[THREADS_MAX] = {0}, n = 0;

		for (j = 0; j < p->nthreads; j++) {
			int key = p->threads[j].warp;
			struct place *at = &s->place[j];

			if (p->threads[j].cta != p->threads[i].cta)
				continue;
			if (key == WARP_ANY &&
			    (!e->same_warp || s->lanes_named))
				key = fresh--;
			at->slot = number(keys, &n, key);
			at->lane = lanes[at->slot]++;
			while (s->lanes <= at->lane)
				s->lanes *= 2;
		}
		if (n > s->slots)
			s->slots = n;
	}
	/* lanes that the test counts are those of one instance */
	if (s->lanes_named)
		s->lanes = 32;
}

static void
place_turned(const struct program *p, const struct env *e, struct shape *s)
{
	int i;

	for (i = 0; i < p->nthreads; i++) {
		struct place *at = &s->place[i];

		if (e->swap) {
			at->unit = s->units - 1 - at->unit;
			at->slot = s->slots - 1 - at->slot;
			if (!s->lanes_named)
				at->lane = s->lanes - 1 - at->lane;
		}
		at->slot = (at->slot + e->warp_offset) % s->slots;
	}
}

bool
thread_spins(const struct thread *t)
{
	int i;

	for (i = 0; i < t->ninsns; i++)
		if (t->insns[i].op->class == CLASS_BRANCH &&
		    t->insns[i].ops[0].imm <= i)
			return true;
	return false;
}

static void
shape_insn(const struct program *p, const struct thread *t,
    const struct insn *insn, struct shape *s)
{
	int i;

	switch (insn->op->class) {
	case CLASS_BARRIER:
	case CLASS_CLUSTER_BARRIER:
		s->barriers = true;
		break;
	case CLASS_MBARRIER:
	case CLASS_ASYNC:
		s->async = true;
		break;
	case CLASS_WARP:
		s->warp = true;
		s->lanes_named |= insn->op->id != OP_BAR_WARP_SYNC ||
		    insn->ops[0].kind != OPERAND_IMM ||
		    (uint32_t)insn->ops[0].imm != UINT32_MAX;
		break;
	default:
		break;
	}
	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if ((o->kind == OPERAND_ADDR || o->kind == OPERAND_VAR) &&
		    o->var >= 0 && p->vars[o->var].space == SPACE_SHARED &&
		    p->vars[o->var].cta != t->cta)
			s->remote = true;
	}
}

void
shape_make(const struct program *p, const struct env *e, struct shape *s)
{
	int i, j;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < p->nthreads; i++) {
		const struct thread *t = &p->threads[i];

		s->spins |= thread_spins(t);
		s->warms |= t->nwarm > 0;
		for (j = 0; j < t->ninsns; j++)
			shape_insn(p, t, &t->insns[j], s);
	}
	for (i = 0; i < p->nvars; i++)
		s->shared |= p->vars[i].space == SPACE_SHARED;
	place_ctas(p, s);
	place_warps(p, e, s);
	place_turned(p, e, s);
}

/* One thread plays the roles one after the other: none may wait for
   another, nor for the threads beside it. */
bool
shape_permits_all(const struct shape *s)
{
	return !s->spins && !s->barriers && !s->async && !s->warp &&
	    s->ranks == 1;
}

/* bar.sync and the like count whole warps: all lanes must take part. */
static bool
barrier_runs(const struct program *p, const struct shape *s, int thread,
    const struct insn *insn, struct err *err)
{
	const struct place *at = &s->place[thread];
	int i;

	if (insn->op->class != CLASS_BARRIER || !insn->aligned)
		return true;
	for (i = 0; i < p->nthreads; i++)
		if (i != thread && s->place[i].unit == at->unit &&
		    s->place[i].rank == at->rank &&
		    s->place[i].slot == at->slot)
			return err_set(err, ERR_UNSUPPORTED, insn->loc,
			    "%s in threads P%d and P%d of one warp, which do "
			    "not run together (barrier.* without .aligned "
			    "permits it)", insn->op->mnemonic, thread, i);
	return true;
}

/* How often a thread's code names the barrier. */
static int
count_barriers(const struct thread *t, int64_t id)
{
	int i, n = 0;

	for (i = 0; i < t->ninsns; i++)
		n += t->insns[i].op->class == CLASS_BARRIER &&
		    t->insns[i].ops[0].imm == id;
	return n;
}

/* What the .litmus dialect means otherwise than PTX: there a barrier waits
   for the threads that name it, in PTX for all of the CTA. */
static bool
dialect_runs(const struct program *p, int thread, const struct insn *insn,
    struct err *err)
{
	const struct thread *t = &p->threads[thread];
	int i;

	if (insn->op->class == CLASS_RED && (insn->sem == SEM_ACQUIRE ||
	    insn->sem == SEM_ACQ_REL))
		return err_set(err, ERR_UNSUPPORTED, insn->loc, "red.%s is "
		    "of the .litmus dialect, not PTX", sem_name(insn->sem));
	if (insn->op->class != CLASS_BARRIER)
		return true;
	if (insn->op->id == OP_BAR_ARRIVE)
		return err_set(err, ERR_UNSUPPORTED, insn->loc,
		    "bar.arrive without a count is of the .litmus dialect, "
		    "not PTX");
	if (insn->nops > 1)
		return err_set(err, ERR_UNSUPPORTED, insn->loc,
		    "%s with a resource or a count means something else in "
		    "PTX", insn->op->mnemonic);
	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cta == t->cta &&
		    count_barriers(&p->threads[i], insn->ops[0].imm) !=
		    count_barriers(t, insn->ops[0].imm))
			return err_set(err, ERR_UNSUPPORTED, insn->loc,
			    "%s in P%d and not in P%d of one CTA: in PTX it "
			    "waits for all its threads", insn->op->mnemonic,
			    thread, i);
	return true;
}

static bool
thread_runs(const struct program *p, const struct shape *s, int thread,
    struct err *err)
{
	const struct thread *t = &p->threads[thread];
	int i;

	if (t->gpu != p->threads[0].gpu)
		return err_set(err, ERR_UNSUPPORTED, t->loc,
		    "threads on several GPUs cannot run on one");
	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		if (!(insn->op->flags & OP_TEST))
			return err_set(err, ERR_UNSUPPORTED, insn->loc,
			    "%s is of the .litmus dialect, not PTX",
			    insn->op->mnemonic);
		if (p->dialect == DIALECT_LITMUS &&
		    !dialect_runs(p, thread, insn, err))
			return false;
		if (insn->op->id == OP_BAR_RED ||
		    insn->op->id == OP_BARRIER_RED)
			return err_set(err, ERR_UNSUPPORTED, insn->loc,
			    "%s reduces over all threads of a CTA, and those "
			    "are of many instances", insn->op->mnemonic);
		if (!barrier_runs(p, s, thread, insn, err))
			return false;
	}
	return true;
}

static int
count_arrivals(const struct thread *t)
{
	int i, n = 0;

	for (i = 0; i < t->ninsns; i++)
		n += t->insns[i].op->id == OP_BARRIER_CLUSTER_ARRIVE;
	return n;
}

/* Where CTAs reach each other's shared memory the harness waits for all of
   the cluster at the end, at the one barrier that a cluster has. */
static bool
cluster_runs(const struct program *p, const struct shape *s, struct err *err)
{
	int i, j;

	for (i = 0; s->remote && i < p->nthreads; i++)
		for (j = 0; j < i; j++)
			if (s->place[i].unit == s->place[j].unit &&
			    count_arrivals(&p->threads[i]) !=
			    count_arrivals(&p->threads[j]))
				return err_set(err, ERR_UNSUPPORTED,
				    p->threads[i].loc, "P%d and P%d come to "
				    "barrier.cluster unequally often, and "
				    "the harness needs it at the end", j, i);
	return true;
}

static bool
vars_run(const struct program *p, struct err *err)
{
	int i;

	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].proxy != PROXY_GENERIC)
			return err_set(err, ERR_UNSUPPORTED, p->vars[i].loc,
			    "%s is reached through the %s proxy, for which "
			    "there is no harness", p->vars[i].name,
			    proxy_name(p->vars[i].proxy));
	return true;
}

bool
shape_runs(const struct program *p, const struct shape *s,
    const struct caps *caps, struct err *err)
{
	int i;

	if (p->sm > caps->sm || (s->ranks > 1 && caps->sm < 90))
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "needs sm_%d, the device is sm_%d",
		    p->sm > caps->sm ? p->sm : 90, caps->sm);
	if (p->ptx > caps->ptx)
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "needs PTX %d.%d, the assembler takes up to %d.%d",
		    p->ptx / 10, p->ptx % 10, caps->ptx / 10, caps->ptx % 10);
	if (s->ranks > 1 && s->ranks > caps->max_cluster)
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "needs clusters of %d CTAs, the device has up to %d",
		    s->ranks, caps->max_cluster);
	if (s->slots * 32 > caps->max_threads)
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "needs %d warps in a CTA, the device has room for %d",
		    s->slots, caps->max_threads / 32);
	for (i = 0; i < p->nthreads; i++)
		if (!thread_runs(p, s, i, err))
			return false;
	return cluster_runs(p, s, err) && vars_run(p, err);
}
