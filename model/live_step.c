/* The machine whose graph live.c searches: one instruction at a time. */
#include "live.h"

#include <string.h>

/* ---- layout ----------------------------------------------------------- */

bool
live_refuse(const struct live *l, struct loc loc, const char *what)
{
	return err_set(l->err, ERR_UNSUPPORTED, loc,
	    "forward progress is not decided for %s", what);
}

static bool
setup_locs(struct live *l)
{
	const struct program *p = l->p;
	int i, e;

	for (i = 0; i < p->nvars; i++) {
		l->loc_of[i] = l->nlocs;
		if (p->vars[i].alias_of >= 0) {
			l->loc_of[i] = l->loc_of[p->vars[i].alias_of];
			continue;
		}
		for (e = 0; e < p->vars[i].count; e++) {
			if (l->nlocs == LIVE_LOCS_MAX)
				return err_set(l->err, ERR_LIMIT,
				    p->vars[i].loc, "too many locations for "
				    "the forward-progress check (at most %d)",
				    LIVE_LOCS_MAX);
			l->locs[l->nlocs++] = (struct live_loc){i, e};
		}
	}
	return true;
}

bool
live_setup(struct live *l)
{
	const struct program *p = l->p;
	int t, i, words = 1;

	if (!setup_locs(l))
		return false;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++)
			if (!live_setup_barrier(l, t, i))
				return false;
	l->racing = live_races(p);
	l->nwriters = l->racing ? p->nthreads + 1 : 1;
	l->writer_words = l->racing ? 2 + p->nthreads : 1;
	l->loc_words = l->racing + l->nwriters * l->writer_words;
	if (!live_race_fits(l))
		return err_set(l->err, ERR_LIMIT, p->loc, "too many "
		    "locations and threads for the forward-progress check "
		    "of racing writes");
	for (t = 0; t < p->nthreads; t++) {
		l->threads_at[t] = words;
		words += 1 + p->threads[t].nregs;
	}
	l->locs_at = words;
	words += l->nlocs * l->loc_words;
	l->barriers_at = words;
	words += l->nbarriers;
	l->known_at = words;
	l->nwords = words + live_race_words(l);
	return true;
}

void
live_initial(const struct live *l, uint64_t *state)
{
	const struct program *p = l->p;
	int t, i;

	memset(state, 0, (size_t)l->nwords * sizeof(*state));
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].nregs; i++)
			state[l->threads_at[t] + 1 + i] =
			    p->threads[t].regs[i].init;
	for (i = 0; i < l->nlocs; i++) {
		const struct live_loc *o = &l->locs[i];

		live_writer(l, state, i, 0)[0] =
		    p->vars[o->var].init[o->elem];
		if (l->racing)
			state[l->locs_at + i * l->loc_words] = 1;
	}
}

bool
live_ended(const struct live *l, const uint64_t *state, int thread)
{
	return LIVE_PC(state[l->threads_at[thread]]) >=
	    l->p->threads[thread].ninsns;
}

/* ---- operands --------------------------------------------------------- */

static uint64_t *
registers(const struct live_at *s, uint64_t *state)
{
	return state + s->l->threads_at[s->thread] + 1;
}

void
live_go_to(const struct live_at *s, uint64_t *state, int pc)
{
	uint64_t *w = &state[s->l->threads_at[s->thread]];

	*w = (*w & ~(LIVE_PC(~(uint64_t)0) | LIVE_WAITS | LIVE_FREE)) |
	    (uint64_t)pc;
}

bool
live_value(const struct live_at *s, uint64_t *state, const struct operand *o,
    int elem, uint64_t *v)
{
	switch (o->kind) {
	case OPERAND_REG:
		*v = registers(s, state)[o->reg];
		if (o->negated)
			*v = !*v;
		return true;
	case OPERAND_VEC:
		*v = registers(s, state)[o->vec[elem]];
		return true;
	case OPERAND_IMM:
		*v = (uint64_t)o->imm;
		return true;
	case OPERAND_VAR:
		*v = var_address(s->l->p, o->var);
		return true;
	default:
		return live_refuse(s->l, o->loc, "this operand");
	}
}

static void
set_register(const struct live_at *s, uint64_t *state, const struct operand *o,
    int elem, uint64_t v)
{
	if (o->kind == OPERAND_REG)
		registers(s, state)[o->reg] = v;
	else if (o->kind == OPERAND_VEC)
		registers(s, state)[o->vec[elem]] = v;
}

/* The location of element 0 of the access. */
static bool
locate(const struct live_at *s, uint64_t *state, const struct operand *o,
    int *loc)
{
	const struct program *p = s->l->p;
	int var = o->var, size = type_size(s->insn->type);
	int64_t offset = o->imm;

	if (o->reg >= 0 && !address_find(p, registers(s, state)[o->reg] +
	    (uint64_t)o->imm, &var, &offset))
		return live_refuse(s->l, o->loc, "an address of no variable");
	if (var < 0 || p->vars[var].size != size || offset < 0 ||
	    offset % size || offset / size + s->insn->vec >
	    p->vars[var].count)
		return live_refuse(s->l, o->loc,
		    "accesses to parts of elements");
	*loc = s->l->loc_of[var] + (int)(offset / size);
	return true;
}

/* ---- accesses --------------------------------------------------------- */



/* Splits each state by the writers that a read of loc may take. */
static bool
choose(const struct live_at *s, int loc, int *writers)
{
	struct live_next *next = s->next;
	size_t size = (size_t)s->l->nwords * sizeof(*next->states);
	int i, n = next->count;

	for (i = 0; i < n; i++) {
		uint64_t *from = next->states + i * s->l->nwords;
		uint64_t set = live_readable(s->l, from, s->thread, s->pc,
		    loc);
		uint64_t lost = live_lost(s->l, from, s->thread, s->insn,
		    loc);

		writers[i] = __builtin_ctzll(set);
		set |= lost;
		for (set &= ~((uint64_t)1 << writers[i]); set;
		    set &= set - 1) {
			if (next->count == LIVE_CHOICES_MAX)
				return err_set(s->l->err, ERR_LIMIT,
				    s->insn->loc, "too many racing writes "
				    "for the forward-progress check");
			writers[next->count] = __builtin_ctzll(set);
			if (lost & (set & (~set + 1)))
				next->stale |= (uint64_t)1 << next->count;
			memcpy(next->states + next->count++ * s->l->nwords,
			    from, size);
		}
	}
	return true;
}

static bool
step_load(const struct live_at *s)
{
	const struct live *l = s->l;
	int writers[LIVE_CHOICES_MAX], loc, e, i;

	if (!locate(s, s->next->states, &s->insn->ops[1], &loc))
		return false;
	for (e = 0; e < s->insn->vec; e++) {
		if (!choose(s, loc + e, writers))
			return false;
		for (i = 0; i < s->next->count; i++) {
			uint64_t *state = s->next->states + i * l->nwords;

			live_race_read(l, state, s->thread, s->insn,
			    loc + e, writers[i]);
			set_register(s, state, &s->insn->ops[0], e,
			    live_writer(l, state, loc + e, writers[i])[0]);
		}
	}
	return true;
}

static bool
step_store(const struct live_at *s)
{
	uint64_t *state = s->next->states, v;
	int loc, e;

	if (!locate(s, state, &s->insn->ops[0], &loc))
		return false;
	for (e = 0; e < s->insn->vec; e++) {
		if (!live_value(s, state, &s->insn->ops[1], e, &v))
			return false;
		live_race_write(s->l, state, s->thread, s->pc, loc + e, -1,
		    value_cut(v, s->insn->type));
	}
	return true;
}

/* atom d, [a], b(, c) and red [a], b */
static bool
step_rmw(const struct live_at *s)
{
	const struct live *l = s->l;
	const struct insn *insn = s->insn;
	const struct operand *o = &insn->ops[insn->op->class == CLASS_RMW];
	int writers[LIVE_CHOICES_MAX], loc, i;

	if (insn->vec > 1)
		return live_refuse(l, insn->loc, "vector atomics");
	if (!locate(s, s->next->states, o, &loc) ||
	    !choose(s, loc, writers))
		return false;
	for (i = 0; i < s->next->count; i++) {
		uint64_t *state = s->next->states + i * l->nwords;
		uint64_t old = live_writer(l, state, loc, writers[i])[0];
		uint64_t b, c = 0;

		if (!live_value(s, state, o + 1, 0, &b) ||
		    (insn->rmw == RMW_CAS &&
		    !live_value(s, state, o + 2, 0, &c)))
			return false;
		b = value_cut(b, insn->type);
		live_race_read(l, state, s->thread, insn, loc, writers[i]);
		if (insn->rmw != RMW_CAS || old == b)
			live_race_write(l, state, s->thread, s->pc, loc,
			    writers[i], rmw_apply(insn->rmw, insn->type, old,
			    b, c));
		if (insn->op->class == CLASS_RMW)
			set_register(s, state, &insn->ops[0], 0, old);
	}
	return true;
}

static bool
step_alu(const struct live_at *s)
{
	uint64_t *state = s->next->states, in[OPERANDS_MAX] = {0}, out;
	int i;

	for (i = 1; i < s->insn->nops; i++)
		if (!live_value(s, state, &s->insn->ops[i], 0, &in[i - 1]))
			return false;
	if (!alu_apply(s->insn, in, &out))
		return live_refuse(s->l, s->insn->loc, "this instruction");
	set_register(s, state, &s->insn->ops[0], 0, out);
	return true;
}

/* ---- one step --------------------------------------------------------- */

static bool
step_insn(const struct live_at *s, bool *moved)
{
	uint64_t *state = s->next->states;

	*moved = false;
	switch (s->insn->op->class) {
	case CLASS_LOAD:
		return step_load(s);
	case CLASS_STORE:
		return step_store(s);
	case CLASS_RMW:
	case CLASS_RED:
		return step_rmw(s);
	case CLASS_ALU:
		return step_alu(s);
	case CLASS_FENCE:
		live_race_fence(s->l, state, s->thread, s->insn);
		return true;
	case CLASS_BRANCH:
		*moved = true;
		live_go_to(s, state, (int)s->insn->ops[0].imm);
		return true;
	case CLASS_EXIT:
	case CLASS_TRAP:
		*moved = true;
		live_go_to(s, state, s->l->p->threads[s->thread].ninsns);
		return true;
	case CLASS_BARRIER:
	case CLASS_CLUSTER_BARRIER:
	case CLASS_WARP:
		*moved = true;
		return live_barrier(s);
	case CLASS_PROXY_FENCE:
	case CLASS_MBARRIER: /* not let in */
	case CLASS_ASYNC:
	case CLASS_NONE:
		break;
	}
	return true;
}

bool
live_step(struct live *l, const uint64_t *state, int thread,
    struct live_next *next)
{
	const struct thread *t = &l->p->threads[thread];
	struct live_at s = {.l = l, .next = next, .thread = thread,
		.pc = LIVE_PC(state[l->threads_at[thread]])};
	bool moved = false;
	int i, b;

	s.insn = &t->insns[s.pc];
	memcpy(next->states, state, (size_t)l->nwords * sizeof(*state));
	next->count = 1;
	next->stale = 0;
	next->waited = false;
	next->states[0] |= (uint64_t)1 << thread;
	if ((s.insn->guard < 0 || !registers(&s, next->states)
	    [s.insn->guard] == s.insn->guard_negated) &&
	    !step_insn(&s, &moved))
		return false;
	for (i = 0; i < next->count; i++) {
		uint64_t *to = next->states + i * l->nwords;

		if (!moved)
			live_go_to(&s, to, s.pc + 1);
		/* who ends no longer counts at the barriers */
		for (b = 0; live_ended(l, to, thread) && b < l->nbarriers;
		    b++)
			if (l->barriers[b].insn < 0)
				live_complete(l, to, b);
	}
	return true;
}
