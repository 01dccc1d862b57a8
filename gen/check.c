/* What every program must satisfy, whichever reader made it. */
#include "ptx.h"

/* ---- locations --------------------------------------------------- */

static bool
alias_check(const struct program *p, const struct var *v, struct errs *errs)
{
	const struct var *root;

	if (v->alias_of < 0)
		return true;
	root = &p->vars[v->alias_of];
	if (root->alias_of >= 0 && root > v)
		return errs_say(errs, v->loc, "'%s' is an alias of '%s', an "
		    "alias that is declared later", v->name, root->name);
	if (root->space != v->space || root->cta != v->cta)
		return errs_say(errs, v->loc, "'%s' and its alias '%s' must "
		    "be in the same space", root->name, v->name);
	if (v->size * v->count > root->size * root->count)
		return errs_say(errs, v->loc, "alias '%s' (%d bytes) is "
		    "larger than '%s' (%d)", v->name, v->size * v->count,
		    root->name, root->size * root->count);
	return true;
}

static bool
cta_exists(const struct program *p, int cta)
{
	int i;

	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cta == cta)
			return true;
	return false;
}

static bool
var_check(struct program *p, struct var *v, struct errs *errs)
{
	bool ok = alias_check(p, v, errs);

	if (v->align < 1 || (v->align & (v->align - 1)))
		return errs_say(errs, v->loc,
		    "the alignment of '%s' must be a power of two", v->name);
	if (v->align < v->size)
		v->align = v->size;
	if (v->space == SPACE_SHARED && ok && !cta_exists(p, v->cta))
		ok = errs_say(errs, v->loc, "shared location '%s' belongs to "
		    "cta %d, where no thread runs", v->name, v->cta);
	if (v->near >= 0 && (p->vars[v->near].space != v->space ||
	    p->vars[v->near].cta != v->cta))
		ok = errs_say(errs, v->loc, "'%s' and '%s' are in different "
		    "spaces and can share no line", v->name,
		    p->vars[v->near].name);
	return ok;
}

/* ---- threads ----------------------------------------------------- */

#define CLUSTER_CTAS_MAX 16

static bool
placement_check(struct program *p, int i, struct errs *errs)
{
	const struct thread *t = &p->threads[i];
	int j, ctas = 1;

	for (j = 0; j < i; j++) {
		const struct thread *u = &p->threads[j];

		if (u->cta == t->cta && (u->gpu != t->gpu ||
		    u->cluster != t->cluster))
			return errs_say(errs, t->loc, "threads %d and %d are "
			    "in cta %d, but in different %s", j, i, t->cta,
			    u->gpu != t->gpu ? "gpus" : "clusters");
		if (u->cluster == t->cluster && u->gpu != t->gpu)
			return errs_say(errs, t->loc, "threads %d and %d are "
			    "in cluster %d, but in different gpus", j, i,
			    t->cluster);
	}
	for (j = 0; j < p->nthreads; j++) {
		int k = 0;

		while (p->threads[k].cta != p->threads[j].cta)
			k++;
		ctas += k == j && p->threads[j].cta != t->cta &&
		    p->threads[j].cluster == t->cluster;
	}
	if (ctas > CLUSTER_CTAS_MAX)
		return errs_say(errs, t->loc,
		    "cluster %d has more than %d CTAs", t->cluster,
		    CLUSTER_CTAS_MAX);
	if (ctas > 1 && p->dialect == DIALECT_PTX) {
		p->ptx = p->ptx > 78 ? p->ptx : 78;
		p->sm = p->sm > 90 ? p->sm : 90;
	}
	return true;
}

static bool
warm_check(const struct program *p, const struct thread *t,
    struct errs *errs)
{
	int i;

	for (i = 0; i < t->nwarm; i++)
		if (p->vars[t->warm[i]].space != SPACE_GLOBAL)
			return errs_say(errs, t->loc,
			    "only global locations can be warm, '%s' is "
			    "shared", p->vars[t->warm[i]].name);
	return true;
}

/* ---- instructions ------------------------------------------------ */

static int
cluster_of_cta(const struct program *p, int cta)
{
	int i;

	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cta == cta)
			return p->threads[i].cluster;
	return -1;
}

static bool
space_check(const struct program *p, const struct thread *t,
    const struct insn *insn, const struct operand *o, struct errs *errs)
{
	const struct var *v = &p->vars[o->var];
	enum space space = operand_space(insn, (int)(o - insn->ops));

	if (space == SPACE_GENERIC || p->dialect == DIALECT_LITMUS)
		return true;
	if (v->space == SPACE_GLOBAL)
		return space == SPACE_GLOBAL || errs_say(errs, o->loc,
		    "'%s' is in global memory, not in .%s", v->name,
		    space_name(space));
	if (space == SPACE_GLOBAL)
		return errs_say(errs, o->loc,
		    "'%s' is in shared memory, not in .global", v->name);
	if (v->cta == t->cta)
		return true;
	if (cluster_of_cta(p, v->cta) != t->cluster)
		return errs_say(errs, o->loc, "'%s' is in the shared memory "
		    "of cta %d, which this thread cannot reach", v->name,
		    v->cta);
	return space == SPACE_SHARED_CLUSTER || errs_say(errs, o->loc,
	    "'%s' is in the shared memory of cta %d: reach it as "
	    ".shared::cluster", v->name, v->cta);
}

static bool
address_check(struct program *p, const struct thread *t,
    const struct insn *insn, const struct operand *o, struct errs *errs)
{
	struct var *v;
	int operand = (int)(o - insn->ops);
	int64_t end, bytes = operand_bytes(insn, operand);

	if (o->var < 0) {
		if (o->reg < 0)
			return errs_say(errs, o->loc, "a test reaches memory "
			    "through its locations, not by numbers");
		return true;
	}
	v = &p->vars[o->var];
	if (bytes == 0)
		bytes = 1; /* prefetch */
	end = (int64_t)v->size * v->count;
	if (o->imm < 0 || o->imm + bytes > end)
		return errs_say(errs, o->loc,
		    "bytes %lld to %lld of '%s' are accessed, which has %lld",
		    (long long)o->imm, (long long)(o->imm + bytes - 1),
		    v->name, (long long)end);
	if (insn_is_copy(insn))
		return space_check(p, t, insn, o, errs);
	if (o->imm % bytes != 0)
		return errs_say(errs, o->loc, "an access of %lld bytes at "
		    "offset %lld is not aligned", (long long)bytes,
		    (long long)o->imm);
	if (v->align < bytes)
		v->align = (int)bytes;
	if (v->alias_of >= 0 && p->vars[v->alias_of].align < bytes)
		p->vars[v->alias_of].align = (int)bytes;
	return space_check(p, t, insn, o, errs);
}

/* Barriers 0 to 15; counts in whole warps (PTX ISA, bar). */
static bool
barrier_check(const struct insn *insn, struct errs *errs)
{
	bool red = insn->type != TYPE_NONE;
	int i, id = red ? 1 : 0;
	int count = insn->nops > id + (red ? 2 : 1) ? id + 1 : -1;

	for (i = id; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (o->kind != OPERAND_IMM)
			continue;
		if (i == id && (o->imm < 0 || o->imm > 15))
			return errs_say(errs, o->loc,
			    "barriers are numbered 0 to 15");
		if (i == count && (o->imm < 32 || o->imm > 1024 ||
		    o->imm % 32 != 0))
			return errs_say(errs, o->loc, "a barrier counts "
			    "threads in whole warps: 32, 64 ... 1024");
	}
	return true;
}

/* Values that come from which lanes the harness puts together. */
static bool
lanes_check(const struct insn *insn, struct errs *errs)
{
	if (insn->op->id != OP_MATCH && insn->op->id != OP_MATCH_ALL &&
	    insn->op->id != OP_ACTIVEMASK &&
	    !(insn->op->id == OP_VOTE && insn->mode == MODE_BALLOT))
		return true;
	return errs_say(errs, insn->loc, "the result of %s depends on which "
	    "lanes run together, which a test cannot know",
	    insn->op->mnemonic);
}

static bool
insn_check(struct program *p, const struct thread *t, int index,
    struct errs *errs)
{
	const struct insn *insn = &t->insns[index];
	struct err err;
	bool ok = true;
	int i;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (o->kind == OPERAND_ADDR)
			ok = address_check(p, t, insn, o, errs) && ok;
		if (o->kind == OPERAND_LABEL && (o->imm < 0 ||
		    o->imm > t->ninsns))
			ok = errs_say(errs, o->loc, "a branch to nowhere");
		if (o->kind == OPERAND_IMM &&
		    !immediate_check(insn, i, &err))
			ok = errs_say(errs, err.loc, "%s", err.message);
	}
	if (p->dialect == DIALECT_LITMUS)
		return ok;
	if (ok && !insn_rules(insn, &err))
		ok = errs_say(errs, err.loc, "%s", err.message);
	if (insn->nc && insn->space != SPACE_GLOBAL)
		ok = errs_say(errs, insn->loc,
		    "a non-coherent load is ld.global.nc");
	if (insn->op->class == CLASS_BARRIER)
		ok = barrier_check(insn, errs) && ok;
	return lanes_check(insn, errs) && ok;
}

static bool
may_hang(const struct thread *t)
{
	int i;

	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];

		if (insn->op->class == CLASS_BARRIER ||
		    insn->op->class == CLASS_CLUSTER_BARRIER ||
		    insn->op->class == CLASS_WARP ||
		    (insn->op->class == CLASS_BRANCH &&
			insn->ops[0].imm <= i))
			return true;
	}
	return false;
}

static bool
thread_check(struct program *p, int i, struct errs *errs)
{
	const struct thread *t = &p->threads[i];
	bool ok = placement_check(p, i, errs) && warm_check(p, t, errs);
	int j;

	for (j = 0; j < t->ninsns; j++) {
		int ptx, sm;

		ok = insn_check(p, t, j, errs) && ok;
		insn_needs(&t->insns[j], &ptx, &sm);
		p->ptx = p->ptx > ptx ? p->ptx : ptx;
		p->sm = p->sm > sm ? p->sm : sm;
	}
	p->hangs = p->hangs || may_hang(t);
	return ok;
}

bool
program_check(struct program *p, struct arena *a, struct errs *errs)
{
	struct text body;
	struct err err;
	bool ok = true;
	int i;

	if (!program_types(p, errs))
		return false;
	p->ptx = 60;
	p->sm = 70;
	for (i = 0; i < p->nvars; i++)
		ok = var_check(p, &p->vars[i], errs) && ok;
	for (i = 0; ok && i < p->nthreads; i++)
		ok = thread_check(p, i, errs) && ok;
	ok = ok && async_check(p, errs);
	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread >= 0)
			p->slots[i].size = type_size(p->threads[
			    p->slots[i].thread].regs[p->slots[i].reg].type);
	if (!ok)
		return false;
	if (!program_domains(p, a, &err)) {
		errs_add(errs, &err);
		return false;
	}
	text_init(&body, a);
	program_body(&body, p);
	p->hash = hash64(body.s, body.size, 0);
	return true;
}
