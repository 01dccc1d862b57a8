/*
 * Where the copies of the locations lie. Variables of one record are
 * neighbours in each instance's piece of one region; records have regions
 * of their own. A variable is a record by itself unless the environment
 * wants all together or the test wants it in the line of another.
 */
#include "plan.h"

#include <string.h>

#define LINE ((uint32_t)128)

static uint32_t
round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static uint32_t
var_bytes(const struct var *v)
{
	return (uint32_t)v->size * (uint32_t)v->count;
}

/* Vector accesses need their own size as alignment. */
static uint32_t
var_align(const struct program *p, int var)
{
	const struct var *v = &p->vars[var];
	uint32_t align = (uint32_t)(v->align > v->size ? v->align : v->size);
	int i, j, k;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++) {
			const struct insn *insn = &p->threads[i].insns[j];

			/* those of copies are in var->align */
			for (k = 0; k < insn->nops && k < 2; k++) {
				uint32_t bytes = (uint32_t)operand_bytes(insn,
				    k);

				if (insn->ops[k].kind == OPERAND_ADDR &&
				    insn->ops[k].var == var &&
				    !insn_is_copy(insn) && bytes > align)
					align = bytes;
			}
		}
	return align;
}

/* Follows aliases and .near (for LINE_SAME) to the first of the record. */
static int
record_of(const struct plan *plan, int var)
{
	const struct program *p = plan->program;
	int i, turns;

	for (turns = 0; turns < VARS_MAX; turns++) {
		const struct var *v = &p->vars[var];

		if (v->alias_of >= 0)
			var = v->alias_of;
		else if (v->line == LINE_SAME && v->near >= 0 &&
		    p->vars[v->near].space == SPACE_GLOBAL)
			var = v->near;
		else
			break;
	}
	for (i = 0; plan->env.together && i < p->nvars; i++)
		if (p->vars[i].space == SPACE_GLOBAL &&
		    p->vars[i].alias_of < 0)
			return i;
	return var;
}

/* Where the next variable of a record goes, with the bytes so far. */
static uint32_t
record_put(const struct plan *plan, int var, uint32_t bytes)
{
	const struct program *p = plan->program;
	const struct var *v = &p->vars[var];
	uint32_t gap = bytes && v->line == LINE_ANY ?
	    (uint32_t)plan->env.gap : 0;
	uint32_t at = round_up(bytes + gap, var_align(p, var));

	if (v->line != LINE_OTHER || v->near < 0 ||
	    plan->spot[v->near].region != plan->spot[var].region)
		return at;
	if (at / LINE == plan->spot[v->near].offset / LINE)
		at = round_up(at, LINE);
	return at;
}

static uint32_t
last_line(const struct plan *plan, int var)
{
	return (plan->spot[var].offset +
	    var_bytes(&plan->program->vars[var]) - 1) / LINE;
}

/* The lines of an instance are those of its record, since records that
   have this to care for do not straddle lines. */
static bool
lines_hold(const struct plan *plan, int var, struct err *err)
{
	const struct var *v = &plan->program->vars[var];
	const struct spot *a = &plan->spot[var], *b;
	bool same, apart;

	if (v->line == LINE_ANY || v->near < 0 || v->space != SPACE_GLOBAL)
		return true;
	b = &plan->spot[v->near];
	same = a->region == b->region && a->offset / LINE == b->offset / LINE &&
	    last_line(plan, var) == b->offset / LINE;
	apart = a->region != b->region ||
	    last_line(plan, var) < b->offset / LINE ||
	    last_line(plan, v->near) < a->offset / LINE;
	if (v->line == LINE_SAME ? same : apart)
		return true;
	return err_set(err, ERR_UNSUPPORTED, v->loc,
	    "%s cannot lie in %s line %s %s: together they are too large",
	    v->name, v->line == LINE_SAME ? "one" : "another",
	    v->line == LINE_SAME ? "with" : "than",
	    plan->program->vars[v->near].name);
}

static bool
record_has_lines(const struct plan *plan, int record)
{
	const struct program *p = plan->program;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].region == record &&
		    p->vars[i].line != LINE_ANY)
			return true;
	return false;
}

static uint32_t
record_stride(const struct plan *plan, int record, uint32_t bytes,
    uint32_t align)
{
	uint32_t stride = (uint32_t)plan->env.stride;

	if (stride < bytes)
		stride = bytes;
	stride = round_up(stride, align);
	if (!record_has_lines(plan, record))
		return stride;
	if (stride > LINE)
		return round_up(stride, LINE);
	while (LINE % stride)
		stride++;
	return stride;
}

/* Lays out the variables whose region is `record`. */
static void
record_lay(struct plan *plan, int record, uint32_t skew)
{
	const struct program *p = plan->program;
	uint32_t bytes = 0, align = 1, stride;
	int i, other;

	/* those in one line before those that start another */
	for (i = 0; i < 2 * p->nvars; i++) {
		int var = i % p->nvars;

		other = p->vars[var].line == LINE_OTHER;
		if (plan->spot[var].region != record || other != i / p->nvars ||
		    p->vars[var].alias_of >= 0)
			continue;
		if (var_align(p, var) > align)
			align = var_align(p, var);
		plan->spot[var].offset = record_put(plan, var, bytes);
		bytes = plan->spot[var].offset + var_bytes(&p->vars[var]);
	}
	stride = record_stride(plan, record, bytes, align);
	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].region == record) {
			plan->spot[i].offset += round_up(skew, LINE > align ?
			    LINE : align);
			plan->spot[i].stride = stride;
		}
}

static void
aliases_lay(struct plan *plan)
{
	const struct program *p = plan->program;
	int i, of;

	for (i = 0; i < p->nvars; i++) {
		for (of = i; p->vars[of].alias_of >= 0;)
			of = p->vars[of].alias_of;
		plan->spot[i] = plan->spot[of];
	}
}

bool
plan_memory(struct plan *plan, struct err *err)
{
	const struct program *p = plan->program;
	uint32_t records = 0;
	int i;

	for (i = 0; i < p->nvars; i++)
		plan->spot[i].region = p->vars[i].space == SPACE_SHARED ? -1 :
		    record_of(plan, i);
	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].region == i)
			record_lay(plan, i,
			    records++ * (uint32_t)plan->env.skew);
	aliases_lay(plan);
	for (i = 0; i < p->nvars; i++)
		if (!lines_hold(plan, i, err))
			return false;
	return true;
}

void
plan_regions(struct plan *plan)
{
	const struct program *p = plan->program;
	uint64_t least[VARS_MAX], bytes;
	int i;

	memset(plan->var_bytes, 0, sizeof(plan->var_bytes));
	for (i = 0; i < p->nvars; i++)
		least[i] = UINT64_MAX;
	for (i = 0; i < p->nvars; i++) {
		const struct spot *s = &plan->spot[i];

		if (s->region >= 0 && s->offset < least[s->region])
			least[s->region] = s->offset;
	}
	for (i = 0; i < p->nvars; i++) {
		if (plan->spot[i].region != i)
			continue;
		bytes = least[i] + plan->instances * plan->spot[i].stride;
		plan->var_bytes[i] = (size_t)bytes;
	}
}

uint64_t
plan_stride_max(const struct plan *plan)
{
	uint64_t most = 1;
	int i;

	for (i = 0; i < plan->program->nvars; i++)
		if (plan->spot[i].region == i && plan->spot[i].stride > most)
			most = plan->spot[i].stride;
	return most;
}

uint64_t
plan_instance_bytes(const struct plan *plan)
{
	const struct program *p = plan->program;
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (plan->spot[i].region == i)
			bytes += plan->spot[i].stride;
	return bytes + (uint64_t)p->nthreads * (uint64_t)plan->result_size;
}

/* Arrays of different CTAs share the room, unless every CTA plays all
   roles and so has all arrays. */
uint64_t
plan_shared(struct plan *plan, uint32_t per_group)
{
	const struct program *p = plan->program;
	uint64_t used[VARS_MAX] = {0}, most = 0;
	int i;

	for (i = 0; i < p->nvars; i++) {
		const struct var *v = &p->vars[i];
		struct spot *s = &plan->spot[i];
		uint32_t align = var_align(p, i);
		int owner = plan->env.layout == LAYOUT_ALL ? 0 : i, j;

		if (v->space != SPACE_SHARED || v->alias_of >= 0)
			continue;
		for (j = 0; plan->env.layout != LAYOUT_ALL && j < i; j++)
			if (p->vars[j].space == SPACE_SHARED &&
			    p->vars[j].cta == v->cta) {
				owner = j;
				break;
			}
		s->stride = round_up(var_bytes(v) +
		    4 * (uint32_t)plan->env.bank, align);
		used[owner] = (used[owner] + align - 1) / align * align;
		s->offset = (uint32_t)used[owner];
		used[owner] += (uint64_t)per_group * s->stride;
		if (used[owner] > most)
			most = used[owner];
	}
	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].space == SPACE_SHARED &&
		    p->vars[i].alias_of >= 0)
			plan->spot[i] = plan->spot[p->vars[i].alias_of];
	return most;
}
