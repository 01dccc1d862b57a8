/* Which registers of a thread matter from an instruction on, and where it may
   come again. */
#include "gen.h"

bool
insn_in_loop(const struct thread *t, int index)
{
	int i;

	for (i = index; i < t->ninsns; i++)
		if (t->insns[i].op->class == CLASS_BRANCH &&
		    t->insns[i].ops[0].imm <= index)
			return true;
	return false;
}

static uint64_t
bit(int reg)
{
	return reg >= 0 ? (uint64_t)1 << reg : 0;
}

static void
reads_writes(const struct insn *insn, uint64_t *reads, uint64_t *writes)
{
	int i, j;

	*reads = bit(insn->guard);
	*writes = 0;
	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];
		uint64_t *to = operand_role(insn, i) == ROLE_WRITE ? writes :
		    reads;

		if (o->kind == OPERAND_REG)
			*to |= bit(o->reg);
		else if (o->kind == OPERAND_ADDR)
			*reads |= bit(o->reg);
		for (j = 0; o->kind == OPERAND_VEC && j < o->nvec; j++)
			*to |= bit(o->vec[j]);
	}
	if (insn->guard >= 0)
		*writes = 0; /* not for sure */
}

uint64_t *
thread_liveness(const struct program *p, int thread, struct arena *a)
{
	const struct thread *t = &p->threads[thread];
	uint64_t end = 0, *live = arena_alloc(a,
	    ((size_t)t->ninsns + 1) * sizeof(*live));
	bool changed = true;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == thread)
			end |= bit(p->slots[i].reg);
	live[t->ninsns] = end;
	while (changed) {
		changed = false;
		for (i = t->ninsns - 1; i >= 0; i--) {
			const struct insn *insn = &t->insns[i];
			uint64_t reads, writes, out = live[i + 1];

			reads_writes(insn, &reads, &writes);
			if (insn->op->class == CLASS_BRANCH)
				out = live[insn->ops[0].imm] |
				    (insn->guard >= 0 ? out : 0);
			if (insn->op->class == CLASS_EXIT)
				out = end | (insn->guard >= 0 ? out : 0);
			out = (out & ~writes) | reads;
			changed = changed || out != live[i];
			live[i] = out;
		}
	}
	return live;
}
