/*
 * What the model has no verdict on, as far as the code alone tells.
 */
#include "internal.h"

static const char *
class_reason(const struct insn *insn)
{
	switch (insn->op->class) {
	case CLASS_TRAP:
		return "trap ends the kernel";
	case CLASS_WARP:
		return insn->op->id == OP_BAR_WARP_SYNC ? NULL :
		    "values exchanged between the lanes of a warp";
	case CLASS_BARRIER:
		return insn->op->id == OP_BAR_RED ||
		    insn->op->id == OP_BARRIER_RED ?
		    "a reduction over the threads at a barrier" : NULL;
	default:
		return NULL;
	}
}

static const char *
memory_reason(const struct insn *insn)
{
	if (insn->op->class != CLASS_LOAD && insn->op->class != CLASS_STORE &&
	    insn->op->class != CLASS_RMW && insn->op->class != CLASS_RED)
		return NULL;
	if (insn->space == SPACE_LOCAL || insn->space == SPACE_PARAM ||
	    insn->space == SPACE_CONST)
		return "a state space that threads do not share";
	return NULL;
}

static const char *
operand_reason(const struct insn *insn)
{
	int i;

	for (i = 0; i < insn->nops; i++)
		if (insn->ops[i].kind == OPERAND_SPECIAL)
			return "a special register";
	return NULL;
}

/* What came into PTX after the version that is asked. */
static const char *
version_reason(const struct model *m, const struct insn *insn)
{
	enum model_version version = m->opts->version;

	if (version == MODEL_PTX)
		return NULL;
	if (insn->scope == SCOPE_CLUSTER ||
	    insn->op->class == CLASS_CLUSTER_BARRIER)
		return "clusters came with PTX 7.8";
	if (insn->op->class == CLASS_MBARRIER ||
	    insn->op->class == CLASS_ASYNC || insn->mbarrier_init)
		return "mbarriers and asynchronous copies are read as in the "
		       "newest version only";
	if (insn->op->class == CLASS_FENCE && insn->op->id == OP_FENCE &&
	    (insn->sem == SEM_ACQUIRE || insn->sem == SEM_RELEASE))
		return "fence.acquire and fence.release came with PTX 8.6";
	if (version == MODEL_PTX60 && (insn->proxy != PROXY_GENERIC ||
	    insn->op->class == CLASS_PROXY_FENCE))
		return "proxies came with PTX 7.5";
	return NULL;
}

static bool
check_insn(struct model *m, const struct insn *insn)
{
	const char *reason = class_reason(insn);

	if (!reason)
		reason = memory_reason(insn);
	if (!reason)
		reason = operand_reason(insn);
	if (!reason)
		reason = version_reason(m, insn);
	if (insn->op->class == CLASS_MBARRIER ||
	    insn->op->class == CLASS_ASYNC) {
		m->async = true;
		m->plain = false;
	}
	if (insn->proxy != PROXY_GENERIC &&
	    insn->op->class != CLASS_PROXY_FENCE)
		m->plain = false;
	if (insn->proxy == PROXY_ASYNC &&
	    insn->op->class != CLASS_PROXY_FENCE)
		m->analogy = true;
	return !reason || stop_reason(m, insn->loc, reason);
}

bool
coverage_check(struct model *m)
{
	const struct program *p = m->p;
	int t, i;

	m->plain = !m->aliases && !m->opts->mutation;
	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].alias_of >= 0 &&
		    m->opts->version == MODEL_PTX60)
			return stop_reason(m, p->vars[i].loc,
			    "virtual aliases came with PTX 7.5");
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			if (!check_insn(m, &p->threads[t].insns[i]))
				return false;
	return true;
}
