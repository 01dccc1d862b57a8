/* The annotations of a program and what each may be weakened to. */
#include "weaken.h"

/* What the test's target knows: without these there are fewer steps. */
struct target {
	bool clusters; /* of several CTAs */
	bool one_sided; /* fence.acquire, fence.release; with them came relaxed
		mbarrier operations */
};

static int
state_add(struct site *s, const struct insn *insn, bool removed)
{
	int i;

	for (i = 0; i < s->nstates; i++)
		if (s->states[i].removed == removed && (removed ||
		    (s->states[i].insn.sem == insn->sem &&
		    s->states[i].insn.scope == insn->scope &&
		    s->states[i].insn.reads == insn->reads &&
		    s->states[i].insn.op == insn->op)))
			return i;
	if (s->nstates == STATES_MAX)
		return -1;
	s->states[s->nstates] = (struct state){.insn = *insn,
		.removed = removed};
	return s->nstates++;
}

static void
step_to(struct site *s, int from, const struct insn *to, bool removed)
{
	int i = state_add(s, to, removed);

	if (i >= 0)
		s->states[from].next |= 1u << i;
}

static void
step(struct site *s, int from, enum sem sem, enum scope scope, bool removed)
{
	struct insn to = s->states[from].insn;

	/* membar is fence.sc, and has no weaker kinds (ISA 9.7.13.5) */
	if (to.op->id == OP_MEMBAR && sem != to.sem)
		to.op = &ops_table[OP_FENCE];
	to.sem = sem;
	to.scope = scope;
	step_to(s, from, &to, removed);
}

/* atom.exch whose result nobody wants is a store that is atomic. Without the
   read there are fewer edges, and none is new. (What only looks, such as or
   with 0, is no load: what it writes others read from, by other links.) */
static void
step_to_store(struct site *s, int from)
{
	struct insn to = s->states[from].insn;

	to.op = &ops_table[OP_ST];
	to.rmw = RMW_NONE;
	to.sem = to.sem == SEM_RELEASE || to.sem == SEM_ACQ_REL ?
	    SEM_RELEASE : SEM_RELAXED;
	to.ops[0] = to.ops[1];
	to.ops[1] = to.ops[2];
	to.nops = 2;
	step_to(s, from, &to, false);
}

/* Waits for groups: for what is read, and not at all. */
static void
lower_wait(struct site *s, int from)
{
	struct insn to = s->states[from].insn;
	bool whole = to.op->id == OP_BULK_WAIT && !to.reads;

	to.reads |= whole;
	step_to(s, from, &to, !whole);
}

static void
narrow(const struct target *w, struct site *s, int from)
{
	const struct insn *insn = &s->states[from].insn;
	enum scope to = SCOPE_NONE;

	if (insn->sem == SEM_VOLATILE || insn->sem == SEM_MMIO)
		return;
	if (insn->scope == SCOPE_SYS)
		to = SCOPE_GPU;
	else if (insn->scope == SCOPE_GPU)
		to = w->clusters ? SCOPE_CLUSTER : SCOPE_CTA;
	else if (insn->scope == SCOPE_CLUSTER)
		to = SCOPE_CTA;
	if (to != SCOPE_NONE)
		step(s, from, insn->sem, to, false);
}

/* The semantics one step below, for accesses and fences. */
static const struct {
	enum op_class class;
	enum sem from, to;
	bool one_sided; /* needs fence.acquire, fence.release */
} lower[] = {
	{CLASS_LOAD, SEM_ACQUIRE, SEM_RELAXED, false},
	{CLASS_STORE, SEM_RELEASE, SEM_RELAXED, false},
	{CLASS_RMW, SEM_ACQ_REL, SEM_ACQUIRE, false},
	{CLASS_RMW, SEM_ACQ_REL, SEM_RELEASE, false},
	{CLASS_RMW, SEM_ACQUIRE, SEM_RELAXED, false},
	{CLASS_RMW, SEM_RELEASE, SEM_RELAXED, false},
	{CLASS_RED, SEM_ACQ_REL, SEM_RELEASE, false},
	{CLASS_RED, SEM_ACQUIRE, SEM_RELAXED, false},
	{CLASS_RED, SEM_RELEASE, SEM_RELAXED, false},
	{CLASS_FENCE, SEM_SC, SEM_ACQ_REL, false},
	{CLASS_FENCE, SEM_ACQ_REL, SEM_ACQUIRE, true},
	{CLASS_FENCE, SEM_ACQ_REL, SEM_RELEASE, true},
	{CLASS_CLUSTER_BARRIER, SEM_RELEASE, SEM_RELAXED, false},
	{CLASS_MBARRIER, SEM_RELEASE, SEM_RELAXED, true},
	{CLASS_MBARRIER, SEM_ACQUIRE, SEM_RELAXED, true},
};

static bool
special_fence(const struct insn *insn)
{
	return insn->op->class == CLASS_FENCE &&
	    (insn->sync_restrict || insn->mbarrier_init);
}

static void
lower_state(const struct target *w, struct site *s, int from)
{
	const struct insn insn = s->states[from].insn;
	enum op_class class = insn.op->class;
	bool lowest = true;
	size_t i;

	if (special_fence(&insn) || class == CLASS_PROXY_FENCE ||
	    class == CLASS_BARRIER || class == CLASS_WARP) {
		step(s, from, insn.sem, insn.scope, true);
		return;
	}
	if (class == CLASS_ASYNC) {
		lower_wait(s, from);
		return;
	}
	if (class == CLASS_RMW && insn.rmw == RMW_EXCH && s->unwanted)
		step_to_store(s, from);
	narrow(w, s, from);
	for (i = 0; i < sizeof(lower) / sizeof(*lower); i++) {
		if (lower[i].class != class || lower[i].from != insn.sem ||
		    (lower[i].one_sided && !w->one_sided) ||
		    (class == CLASS_CLUSTER_BARRIER &&
		    insn.op->id != OP_BARRIER_CLUSTER_ARRIVE))
			continue;
		step(s, from, lower[i].to, insn.scope, false);
		lowest = false;
	}
	/* the weakest fence of the narrowest scope is next to none */
	if (class == CLASS_FENCE && lowest && insn.scope == SCOPE_CTA)
		step(s, from, insn.sem, insn.scope, true);
	if ((class == CLASS_LOAD || class == CLASS_STORE) &&
	    (insn.sem == SEM_VOLATILE || insn.sem == SEM_MMIO ||
	    (insn.sem == SEM_RELAXED && insn.scope == SCOPE_CTA)))
		step(s, from, SEM_WEAK, SCOPE_NONE, false);
}

static void
site_close(const struct target *w, struct site *s)
{
	int i, j;

	for (i = 0; i < s->nstates; i++)
		if (!s->states[i].removed)
			lower_state(w, s, i);
	for (i = s->nstates - 1; i >= 0; i--)
		s->states[i].below = 1u << i | s->states[i].next;
	/* states are few: close by passes until nothing is new */
	for (j = 0; j < s->nstates; j++)
		for (i = 0; i < s->nstates; i++) {
			uint32_t rest = s->states[i].below;

			for (; rest; rest &= rest - 1)
				s->states[i].below |= s->states[
				    __builtin_ctz(rest)].below;
		}
}

/* Do two instructions belong to one barrier? */
static bool
same_barrier(const struct program *p, int s, const struct insn *a, int t,
    const struct insn *b)
{
	const struct thread *x = &p->threads[s], *y = &p->threads[t];

	if (a->op->class != b->op->class)
		return false;
	if (a->op->class == CLASS_CLUSTER_BARRIER)
		return x->cluster == y->cluster && x->gpu == y->gpu;
	if (x->cta != y->cta)
		return false;
	if (a->op->class == CLASS_WARP)
		return s == t || (x->warp == y->warp && x->warp != WARP_ANY);
	return a->ops[0].kind == OPERAND_IMM &&
	    b->ops[0].kind == OPERAND_IMM && a->ops[0].imm == b->ops[0].imm;
}

static bool
is_site(const struct insn *insn)
{
	switch (insn->op->class) {
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_RMW:
	case CLASS_RED:
		return insn->sem != SEM_WEAK;
	case CLASS_FENCE:
	case CLASS_PROXY_FENCE:
	case CLASS_CLUSTER_BARRIER:
		return true;
	case CLASS_BARRIER:
		return insn->nops && insn->ops[0].kind == OPERAND_IMM &&
		    insn->rmw == RMW_NONE;
	case CLASS_WARP:
		return insn->op->id == OP_BAR_WARP_SYNC;
	case CLASS_MBARRIER:
		return insn->sem == SEM_RELEASE || insn->sem == SEM_ACQUIRE;
	case CLASS_ASYNC:
		return insn->op->id == OP_CP_WAIT ||
		    insn->op->id == OP_CP_WAIT_ALL ||
		    insn->op->id == OP_BULK_WAIT;
	default:
		return false;
	}
}

/* Does nobody look at the register? */
static bool
is_unwanted(const struct program *p, int thread, int reg)
{
	const struct thread *t = &p->threads[thread];
	int i, j;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == thread && p->slots[i].reg == reg)
			return false;
	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		if (insn->guard == reg)
			return false;
		for (j = 0; j < insn->nops; j++)
			if (operand_role(insn, j) != ROLE_WRITE &&
			    operand_has(&insn->ops[j], reg))
				return false;
	}
	return true;
}

static bool
is_group(enum op_class class)
{
	return class == CLASS_BARRIER || class == CLASS_WARP;
}

static void
add_site(const struct program *p, struct site *sites, int *nsites,
    int thread, int index)
{
	const struct insn *insn = &p->threads[thread].insns[index];
	struct site *s;
	int i;

	for (i = 0; i < *nsites && is_group(insn->op->class); i++) {
		s = &sites[i];
		if (!same_barrier(p, s->members[0].thread,
		    &s->states[0].insn, thread, insn))
			continue;
		if (s->nmembers < MEMBERS_MAX) {
			s->members[s->nmembers].thread = thread;
			s->members[s->nmembers++].insn = index;
		}
		return;
	}
	if (*nsites == SITES_MAX)
		return;
	s = &sites[(*nsites)++];
	s->members[0].thread = thread;
	s->members[0].insn = index;
	s->nmembers = 1;
	s->unwanted = insn->op->class == CLASS_RMW &&
	    is_unwanted(p, thread, insn->ops[0].reg);
	state_add(s, insn, false);
}

int
sites_find(const struct program *p, struct site *sites)
{
	struct target target = {
		.one_sided = p->dialect == DIALECT_LITMUS || p->sm >= 90,
	};
	int t, u, i, n = 0;

	for (t = 0; t < p->nthreads; t++)
		for (u = 0; u < t; u++)
			target.clusters |= p->threads[t].cluster ==
			    p->threads[u].cluster &&
			    p->threads[t].cta != p->threads[u].cta;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			if (is_site(&p->threads[t].insns[i]))
				add_site(p, sites, &n, t, i);
	for (i = 0; i < n; i++)
		site_close(&target, &sites[i]);
	return n;
}
