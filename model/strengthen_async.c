/* Changes that strengthen.c may try on asynchronous copies and mbarriers. */
#include "strengthen.h"

static void
add_edit(struct strength_search *s, struct edit edit)
{
	struct change *c = change_new(s);

	if (!c)
		return;
	c->nforms = 1;
	c->forms[0][0] = edit;
}

/* Arrivals that release, waits that acquire, as far as they must reach. */
static void
add_mbarrier(struct strength_search *s, int thread, int index)
{
	const struct insn *insn = &s->p->threads[thread].insns[index];
	enum scope needed = s->scope < SCOPE_CLUSTER ? s->scope :
	    SCOPE_CLUSTER;
	struct insn to = *insn;

	if (insn->op->id == OP_MBARRIER_ARRIVE ||
	    insn->op->id == OP_MBARRIER_ARRIVE_TX)
		to.sem = SEM_RELEASE;
	else if (insn_is_wait(insn))
		to.sem = SEM_ACQUIRE;
	else
		return;
	if (to.scope < needed)
		to.scope = needed;
	if (to.sem != insn->sem || to.scope != insn->scope)
		add_edit(s, (struct edit){EDIT_REPLACE, thread, index, to});
}

void
strengthen_async(struct strength_search *s, int thread, int index)
{
	const struct thread *t = &s->p->threads[thread];
	const struct insn *insn = &t->insns[index];
	const struct insn *before = index ? &t->insns[index - 1] : NULL;
	struct insn to = *insn, fence = {.loc = insn->loc,
		.op = &ops_table[OP_FENCE_PROXY], .proxy = PROXY_ASYNC,
		.vec = 1, .guard = -1};

	if (insn->op->class == CLASS_MBARRIER)
		add_mbarrier(s, thread, index);
	to.reads = false;
	if (insn->op->id == OP_BULK_WAIT && insn->reads)
		add_edit(s, (struct edit){EDIT_REPLACE, thread, index, to});
	/* between two accesses there may come another fence */
	if (!s->bulk || !before || insn_is_access(insn))
		return;
	/* behind an access, or what waits */
	if (insn_is_access(before) || before->op->class == CLASS_BRANCH ||
	    before->op->class == CLASS_BARRIER)
		add_edit(s, (struct edit){EDIT_INSERT, thread, index, fence});
}
