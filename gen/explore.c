/* One thread's states, and what its instructions do to them. */
#include "explore.h"

#include <string.h>

/* ---- states ------------------------------------------------------ */

static struct state *
state_copy(struct explorer *x, const struct state *s)
{
	size_t size = sizeof(*s) + (size_t)x->t->nregs * sizeof(*s->regs);
	struct state *copy = arena_alloc(x->round, size);

	memcpy(copy, s, size);
	copy->queued = false;
	return copy;
}

static uint64_t
state_hash(const struct explorer *x, const struct state *s)
{
	return hash64(s->regs, (size_t)x->t->nregs * sizeof(*s->regs),
	    (uint64_t)s->pc);
}

static void
table_grow(struct explorer *x)
{
	int i, size = x->table_size ? 2 * x->table_size : 256;

	x->table = arena_alloc(x->round, (size_t)size * sizeof(int));
	x->table_size = size;
	for (i = 0; i < x->nstates; i++) {
		uint64_t h = state_hash(x, x->states[i]);

		while (x->table[h & (uint64_t)(size - 1)])
			h++;
		x->table[h & (uint64_t)(size - 1)] = i + 1;
	}
}

static void
queue_push(struct explorer *x, int index)
{
	if (x->states[index]->queued)
		return;
	if (x->nqueue == x->queue_room) {
		size_t size = (size_t)x->queue_room * sizeof(int);

		x->queue = arena_grow(x->round, x->queue, size,
		    size ? 2 * size : 64 * sizeof(int));
		x->queue_room = x->queue_room ? 2 * x->queue_room : 64;
	}
	x->states[index]->queued = true;
	x->queue[x->nqueue++] = index;
}

/* The thread may be in this state; dead registers do not tell it apart
   from others. */
static void
state_reach(struct explorer *x, struct state *s)
{
	uint64_t h, live = s->pc < x->t->ninsns ? x->live[s->pc] :
	    x->live[x->t->ninsns];
	int i, at;
	bool changed;

	for (i = 0; i < x->t->nregs; i++)
		if (!(live >> i & 1))
			s->regs[i] = 0;
	if (2 * (x->nstates + 1) > x->table_size)
		table_grow(x);
	for (h = state_hash(x, s); ; h++) {
		struct state *old;

		at = x->table[h & (uint64_t)(x->table_size - 1)] - 1;
		if (at < 0)
			break;
		old = x->states[at];
		if (old->pc != s->pc || memcmp(old->regs, s->regs,
		    (size_t)x->t->nregs * sizeof(*s->regs)) != 0)
			continue;
		changed = writes_lower(old->read, s->read);
		for (i = 0; i < VARS_MAX; i++)
			if (s->own[i] > old->own[i]) {
				old->own[i] = s->own[i];
				changed = true;
			}
		if (changed)
			queue_push(x, at);
		return;
	}
	if (x->nstates == STATES_MAX) {
		if (!x->failed)
			err_set(x->err, ERR_LIMIT, x->t->loc, "thread %d has "
			    "more than %d states (does a register count "
			    "without end?)", x->thread, STATES_MAX);
		x->failed = true;
		return;
	}
	if ((x->nstates & (x->nstates - 1)) == 0) {
		size_t size = (size_t)x->nstates * sizeof(*x->states);

		x->states = arena_grow(x->round, x->states, size,
		    size ? 2 * size : sizeof(*x->states));
	}
	x->states[x->nstates] = s;
	x->table[h & (uint64_t)(x->table_size - 1)] = ++x->nstates;
	queue_push(x, x->nstates - 1);
}

/* ---- instructions ------------------------------------------------ */

static void
reg_set(const struct explorer *x, struct state *s, int reg, uint64_t v,
    enum type type)
{
	s->regs[reg] = value_cut((uint64_t)value_signed(v, type),
	    x->t->regs[reg].type);
}

static uint64_t
operand_value(const struct explorer *x, const struct state *s,
    const struct operand *o, int element)
{
	switch (o->kind) {
	case OPERAND_REG:
		return s->regs[o->reg];
	case OPERAND_VEC:
		return s->regs[o->vec[element]];
	case OPERAND_VAR:
		return var_address(x->p, o->var);
	default:
		return (uint64_t)o->imm;
	}
}

/* The thread goes on behind the instruction with that register set. */
static void
go_on(struct explorer *x, const struct state *s, int reg, uint64_t v,
    enum type type)
{
	struct state *next = state_copy(x, s);

	if (reg >= 0)
		reg_set(x, next, reg, v, type);
	next->pc++;
	state_reach(x, next);
}

/* A load, element by element of its vector. */
struct loading {
	const struct insn *insn;
	int element;
};

static void load_step(struct explorer *x, const struct state *s,
    const struct insn *insn, int element);

static void
load_value(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user)
{
	const struct loading *l = user;
	const struct operand *d = &l->insn->ops[0];
	struct state *next = state_copy(x, s);

	writes_raise(next->read, writes);
	reg_set(x, next, d->kind == OPERAND_VEC ? d->vec[l->element] :
	    d->reg, v, l->insn->type);
	load_step(x, next, l->insn, l->element + 1);
}

static void
load_step(struct explorer *x, const struct state *s,
    const struct insn *insn, int element)
{
	struct loading l = {insn, element};
	struct access a;

	if (x->failed)
		return;
	if (element == insn->vec)
		go_on(x, s, -1, 0, TYPE_NONE);
	else if (access_find(x, s, insn, &insn->ops[1], element, &a))
		memory_read(x, s, &a, load_value, &l);
}

static void
own_add(struct explorer *x, struct state *s, int root)
{
	if (s->own[root] < WRITES_MAX)
		s->own[root]++;
	if (s->own[root] > x->most[x->thread][root]) {
		x->most[x->thread][root] = s->own[root];
		x->changed = true;
	}
}

static void
store_step(struct explorer *x, const struct state *s,
    const struct insn *insn)
{
	struct state *next = state_copy(x, s);
	struct access a;
	int i;

	for (i = 0; i < insn->vec; i++) {
		if (!access_find(x, s, insn, &insn->ops[0], i, &a))
			return;
		own_add(x, next, a.root);
		memory_write(x, &a, operand_value(x, s, &insn->ops[1], i),
		    s->read);
	}
	next->pc++;
	state_reach(x, next);
}

static void
rmw_value(struct explorer *x, const struct state *s, uint64_t old,
    const uint8_t *writes, void *user)
{
	const struct access *a = user;
	const struct insn *insn = &x->t->insns[s->pc];
	bool red = insn->op->class == CLASS_RED;
	const struct operand *b = &insn->ops[red ? 1 : 2];
	struct state *next = state_copy(x, s);
	uint64_t first = operand_value(x, s, b, 0), second;

	second = insn->nops > 3 ? operand_value(x, s, b + 1, 0) : 0;
	writes_raise(next->read, writes);
	if (insn->rmw != RMW_CAS || old == value_cut(first, insn->type)) {
		own_add(x, next, a->root);
		memory_write(x, a, rmw_apply(insn->rmw, insn->type, old,
		    first, second), next->read);
	}
	if (!red)
		reg_set(x, next, insn->ops[0].reg, old, insn->type);
	next->pc++;
	state_reach(x, next);
}

static void
rmw_step(struct explorer *x, const struct state *s, const struct insn *insn)
{
	const struct operand *o =
	    &insn->ops[insn->op->class == CLASS_RED ? 0 : 1];
	struct access a;

	if (access_find(x, s, insn, o, 0, &a))
		memory_read(x, s, &a, rmw_value, &a);
}

static void
alu_step(struct explorer *x, const struct state *s, const struct insn *insn)
{
	uint64_t in[OPERANDS_MAX], out;
	int i;

	for (i = 1; i < insn->nops; i++)
		in[i - 1] = operand_value(x, s, &insn->ops[i], 0);
	/* one address is as good as another here */
	if (insn->op->id == OP_CVTA || insn->op->id == OP_CVTA_TO ||
	    insn->op->id == OP_MAPA)
		out = in[0];
	else if (!alu_apply(insn, in, &out))
		return;
	go_on(x, s, insn->ops[0].reg, out, operand_type(insn, 0));
}

/* Each thread of the barrier or warp may have said anything: 0 .. most. */
static void
any_step(struct explorer *x, const struct state *s, const struct insn *insn,
    int most)
{
	int i;

	for (i = 0; i <= most; i++)
		go_on(x, s, insn->ops[0].reg, (uint64_t)i, insn->type);
}

static void
shfl_step(struct explorer *x, const struct state *s,
    const struct insn *insn)
{
	bool joined = operand_letter(insn, 1) == '|';
	struct set *e = &x->exchange;
	int i, p;

	set_add(x, e, operand_value(x, s, &insn->ops[joined ? 2 : 1], 0),
	    s->read, "the value that shfl passes", insn->loc);
	for (i = 0; i < e->count; i++)
		for (p = 0; p < (joined ? 2 : 1); p++) {
			struct state *next = state_copy(x, s);

			writes_raise(next->read, e->list[i].writes);
			if (joined)
				reg_set(x, next, insn->ops[1].reg,
				    (uint64_t)p, TYPE_PRED);
			reg_set(x, next, insn->ops[0].reg, e->list[i].v,
			    insn->type);
			next->pc++;
			state_reach(x, next);
		}
}

/* The state of an mbarrier is nobody's business; a wait says yes or no. */
static void
mbarrier_step(struct explorer *x, const struct state *s,
    const struct insn *insn)
{
	if (insn_is_wait(insn))
		any_step(x, s, insn, 1);
	else
		go_on(x, s, operand_role(insn, 0) == ROLE_WRITE ?
		    insn->ops[0].reg : -1, 0, TYPE_B64);
}

/* An element of a copy: where it goes. */
static void
copy_value(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user)
{
	uint8_t read[VARS_MAX];

	memcpy(read, s->read, sizeof(read));
	writes_raise(read, writes);
	memory_write(x, user, v, read);
}

/* Element by element of the target; nothing is read into registers. */
static void
copy_step(struct explorer *x, const struct state *s, const struct insn *insn)
{
	struct state *next = state_copy(x, s);
	int bytes = insn_is_copy(insn) ? operand_bytes(insn, 0) : 0, at, size;
	struct access to, from;

	for (at = 0; at < bytes; at += size) {
		if (!copy_find(x, s, insn, at, &to, &from))
			return;
		size = to.size;
		own_add(x, next, to.root);
		memory_read(x, s, &from, copy_value, &to);
	}
	next->pc++;
	state_reach(x, next);
}

static void
finish(struct explorer *x, const struct state *s)
{
	static const uint8_t none[VARS_MAX];
	const struct program *p = x->p;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == x->thread)
			set_add(x, &x->slots[i], s->regs[p->slots[i].reg],
			    none, p->slots[i].name, x->t->loc);
}

static void
state_step(struct explorer *x, const struct state *s)
{
	const struct insn *insn = &x->t->insns[s->pc];
	struct state *next;

	if (insn->guard >= 0 &&
	    (s->regs[insn->guard] != 0) == insn->guard_negated) {
		go_on(x, s, -1, 0, TYPE_NONE);
		return;
	}
	switch (insn->op->class) {
	case CLASS_LOAD:
		load_step(x, s, insn, 0);
		break;
	case CLASS_STORE:
		store_step(x, s, insn);
		break;
	case CLASS_RMW:
	case CLASS_RED:
		rmw_step(x, s, insn);
		break;
	case CLASS_ALU:
		alu_step(x, s, insn);
		break;
	case CLASS_BRANCH:
		next = state_copy(x, s);
		next->pc = (int)insn->ops[0].imm;
		state_reach(x, next);
		break;
	case CLASS_EXIT:
		finish(x, s);
		break;
	case CLASS_TRAP:
		break;
	case CLASS_WARP:
		if (insn->op->id == OP_SHFL)
			shfl_step(x, s, insn);
		else if (insn->op->id == OP_VOTE)
			any_step(x, s, insn, 1);
		else
			go_on(x, s, -1, 0, TYPE_NONE);
		break;
	case CLASS_BARRIER:
		if (insn->rmw == RMW_NONE)
			go_on(x, s, -1, 0, TYPE_NONE);
		else
			any_step(x, s, insn, insn->rmw == RMW_POPC ?
			    x->p->nthreads : 1);
		break;
	case CLASS_MBARRIER:
		mbarrier_step(x, s, insn);
		break;
	case CLASS_ASYNC:
		copy_step(x, s, insn);
		break;
	case CLASS_FENCE:
	case CLASS_PROXY_FENCE:
	case CLASS_CLUSTER_BARRIER:
	case CLASS_NONE:
		go_on(x, s, -1, 0, TYPE_NONE);
		break;
	}
}

void
thread_explore(struct explorer *x, int thread)
{
	struct state *start;
	int i;

	arena_reset(x->round);
	x->thread = thread;
	x->t = &x->p->threads[thread];
	x->states = NULL;
	x->queue = x->table = NULL;
	x->nstates = x->nqueue = x->queue_room = x->table_size = 0;
	x->live = thread_liveness(x->p, thread, x->round);
	start = arena_alloc(x->round, sizeof(*start) +
	    (size_t)x->t->nregs * sizeof(*start->regs));
	for (i = 0; i < x->t->nregs; i++)
		start->regs[i] = x->t->regs[i].init;
	state_reach(x, start);
	while (x->nqueue && !x->failed) {
		struct state *s = x->states[x->queue[--x->nqueue]];

		s->queued = false;
		if (s->pc >= x->t->ninsns)
			finish(x, s);
		else
			state_step(x, s);
	}
}
