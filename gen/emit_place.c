/* The addresses of a role's variables, and shared memory. */
#include "emit.h"

#include <string.h>

/* How an instruction reaches for a variable. */
enum reach {
	REACH_SPACE, /* by an address of its own state space */
	REACH_GENERIC,
	REACH_NARROW, /* 32 bits of a shared address, as a value */
};

/* For a global variable the generic address is the same. */
static enum reach
reach_of(const struct program *p, const struct insn *insn, int operand)
{
	const struct operand *o = &insn->ops[operand];

	if (p->vars[o->var].space != SPACE_SHARED)
		return REACH_SPACE;
	if (o->kind == OPERAND_ADDR)
		return operand_space(insn, operand) == SPACE_GENERIC ?
		    REACH_GENERIC : REACH_SPACE;
	return type_size(insn->type) == 4 ? REACH_NARROW : REACH_SPACE;
}

static bool
reaches(const struct emit *e, int thread, int var, enum reach reach)
{
	const struct thread *t = &e->program->threads[thread];
	int i, j;

	for (i = 0; i < t->ninsns; i++)
		for (j = 0; j < t->insns[i].nops; j++) {
			const struct operand *o = &t->insns[i].ops[j];

			if ((o->kind == OPERAND_ADDR ||
			    o->kind == OPERAND_VAR) && o->var == var &&
			    reach_of(e->program, &t->insns[i], j) == reach)
				return true;
		}
	return false;
}

static bool
is_seen(const struct emit *e, int thread, int var)
{
	const struct program *p = e->program;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].var == var &&
		    e->plan->report[i].thread == thread)
			return true;
	return false;
}

bool
emit_names(const struct emit *e, int thread, int var)
{
	const struct thread *t = &e->program->threads[thread];
	int i;

	for (i = 0; i < t->nwarm; i++)
		if (t->warm[i] == var)
			return true;
	if (e->plan->env.warm && e->program->vars[var].space == SPACE_GLOBAL)
		return true;
	return reaches(e, thread, var, REACH_SPACE) ||
	    reaches(e, thread, var, REACH_GENERIC) ||
	    reaches(e, thread, var, REACH_NARROW) ||
	    is_seen(e, thread, var);
}

bool
emit_uses(const struct emit *e, int thread, int var)
{
	return emit_names(e, thread, var) || emit_settles(e, thread, var);
}

/* Does a role reach into the shared memory of another CTA? */
bool
emit_remote(const struct emit *e)
{
	const struct program *p = e->program;
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->nvars; j++)
			if (p->vars[j].space == SPACE_SHARED &&
			    p->vars[j].cta != p->threads[i].cta &&
			    emit_uses(e, i, j))
				return true;
	return false;
}

bool
emit_wants_generic(const struct emit *e, int thread, int var)
{
	return reaches(e, thread, var, REACH_GENERIC);
}

bool
emit_wants_narrow(const struct emit *e, int thread, int var)
{
	return reaches(e, thread, var, REACH_NARROW);
}

/* A variable's own name where one role is in scope; where roles follow each
   other, addresses wait under a name with the role's number. */
const char *
emit_var_name(struct emit *e, int thread, int var)
{
	if (e->plan->env.layout == LAYOUT_SPLIT)
		return e->program->vars[var].name;
	return arena_printf(e->arena, "$a_%d_%s", thread,
	    e->program->vars[var].name);
}

const char *
emit_generic_name(struct emit *e, int thread, int var)
{
	return arena_printf(e->arena, "$a_generic%d_%s", thread,
	    e->program->vars[var].name);
}

const char *
emit_narrow_name(struct emit *e, int thread, int var)
{
	return arena_printf(e->arena, "$narrow%d_%s", thread,
	    e->program->vars[var].name);
}

/* $inst, or $i in shared memory, times a stride; once for each stride. */
static const char *
scaled(struct emit *e, int thread, const char *index, uint32_t stride)
{
	const char *offset = arena_printf(e->arena, "%s_%u", index, stride);
	const char *wide = arena_printf(e->arena, "$w_%s", offset + 1);

	if (emit_know(e, arena_printf(e->arena, "%d%s", thread, wide))) {
		emit_times(e, offset, index, stride);
		emit_put(e, "cvt.u64.u32 %s, %s", wide, offset);
	}
	return wide;
}

/* From a parameter: an assembler that knew how far apart two variables are
   would know that they are not the same, and reorder weak accesses. */
static void
add_offset(struct emit *e, const char *to, const char *from, int var)
{
	emit_param(e, "$w_distance", arena_printf(e->arena, "offset_%s",
	    e->program->vars[var].name));
	emit_put(e, "add.u64 %s, %s, $w_distance", to, from);
}

static void
address_global(struct emit *e, int thread, int var)
{
	const struct spot *s = &e->plan->spot[var];
	const char *to = emit_var_name(e, thread, var);

	emit_param(e, "$a_region", arena_printf(e->arena, "var_%s",
	    e->program->vars[s->region].name));
	emit_put(e, "add.u64 %s, $a_region, %s", to,
	    scaled(e, thread, "$inst", s->stride));
	if (s->offset)
		add_offset(e, to, to, var);
}

static int
rank_of(const struct emit *e, int cta)
{
	int i;

	for (i = 0; i < e->program->nthreads; i++)
		if (e->program->threads[i].cta == cta)
			return e->plan->place[i].rank;
	return 0;
}

static void
address_shared(struct emit *e, int thread, int var)
{
	const struct program *p = e->program;
	const struct spot *s = &e->plan->spot[var];
	const char *to = emit_var_name(e, thread, var), *cta = "";

	emit_put(e, "mov.u64 %s, $SHARED", to);
	emit_put(e, "add.u64 %s, %s, %s", to, to,
	    scaled(e, thread, "$i", s->stride));
	if (s->offset)
		add_offset(e, to, to, var);
	if (p->vars[var].cta != p->threads[thread].cta) {
		emit_put(e, "mapa.shared::cluster.u64 %s, %s, %d", to, to,
		    rank_of(e, p->vars[var].cta));
		cta = "::cluster";
	}
	if (emit_wants_generic(e, thread, var))
		emit_put(e, "cvta.shared%s.u64 %s, %s", cta,
		    emit_generic_name(e, thread, var), to);
	if (emit_wants_narrow(e, thread, var))
		emit_put(e, "cvt.u32.u64 %s, %s",
		    emit_narrow_name(e, thread, var), to);
}

void
emit_addresses(struct emit *e, int thread)
{
	int i;

	for (i = 0; i < e->program->nvars; i++) {
		if (!emit_uses(e, thread, i))
			continue;
		if (e->program->vars[i].space == SPACE_SHARED)
			address_shared(e, thread, i);
		else
			address_global(e, thread, i);
	}
}

void
emit_sync(struct emit *e)
{
	if (e->plan->lanes > 1 && e->plan->env.layout == LAYOUT_SPLIT)
		emit_put(e, "barrier.sync %d", e->plan->barrier);
	else
		emit_put(e, "bar.sync %d", e->plan->barrier);
}

/* ---- initial values of shared memory ----------------------------------- */

static bool
owns_shared(const struct program *p, int cta)
{
	int i;

	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].space == SPACE_SHARED && p->vars[i].cta == cta)
			return true;
	return false;
}

static void
start_cta(struct emit *e, int cta)
{
	const struct program *p = e->program;
	int i, j;

	for (i = 0; i < p->nvars; i++) {
		const struct spot *s = &e->plan->spot[i];

		if (p->vars[i].space != SPACE_SHARED || p->vars[i].cta != cta ||
		    p->vars[i].alias_of >= 0)
			continue;
		emit_put(e, "mov.u64 $a_shared, $SHARED");
		emit_times(e, "$start", "$tid", s->stride);
		emit_offset(e, "$a_shared", "$a_shared", "$start");
		if (p->vars[i].arrivals)
			emit_put(e, "mbarrier.init.shared.b64 [$a_shared+%u], "
			    "%d", s->offset, p->vars[i].arrivals);
		for (j = 0; !p->vars[i].arrivals && j < p->vars[i].count; j++)
			emit_initial(e, i, j, "$a_shared", (int64_t)s->offset +
			    j * p->vars[i].size);
	}
}

/* Only the CTA that owns the variables has them; with LAYOUT_ALL each is
   every CTA of the test. */
void
emit_shared_start(struct emit *e)
{
	const struct program *p = e->program;
	const struct plan *plan = e->plan;
	bool all = plan->env.layout == LAYOUT_ALL ||
	    plan->units * plan->ranks == 1;
	int i, j;

	emit_note(e, "initial values of shared memory");
	if (plan->per_group < plan->test.block) {
		emit_put(e, "setp.ge.u32 $p_none, $tid, %u", plan->per_group);
		emit_put(e, "@$p_none bra $STARTED");
	}
	for (i = 0; i < p->nthreads; i++) {
		const struct place *at = &plan->place[i];

		for (j = 0; j < i && p->threads[j].cta != p->threads[i].cta;
		    j++)
			;
		if (j < i || !owns_shared(p, p->threads[i].cta))
			continue;
		if (!all && plan->units > 1) {
			emit_put(e, "setp.ne.u32 $p_none, $role_unit, %d",
			    at->unit);
			emit_put(e, "@$p_none bra $STARTED%d", i);
		}
		if (!all && plan->ranks > 1) {
			emit_put(e, "setp.ne.u32 $p_none, $role_rank, %d",
			    at->rank);
			emit_put(e, "@$p_none bra $STARTED%d", i);
		}
		start_cta(e, p->threads[i].cta);
		if (!all)
			emit_label(e, "$STARTED%d", i);
	}
	if (plan->per_group < plan->test.block)
		emit_label(e, "$STARTED");
}
