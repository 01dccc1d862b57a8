/*
 * The known set of each observed register and location: every value that
 * some execution could leave there, whatever the memory does, short of
 * tearing inside an element.
 *
 * Memory is a set of values for each element; a load gives any of them at
 * any time. Each thread is explored over its states (program counter and
 * live registers), and what it may store joins the sets, until nothing
 * new comes. That would let a counter grow for ever, so a value carries,
 * for each location, how many writes to it its making went through: no
 * execution has more of those than the threads perform, which bounds them.
 * Where two ways lead to one value the smaller counts are kept, so that
 * the sets only err on the large side.
 */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

#define SET_MAX 256 /* values of an element */
#define STATES_MAX 65536 /* of a thread */
#define COMBINATIONS_MAX 4096 /* of one access over several elements */
#define WRITES_MAX 70 /* of a thread to one location; then it is a loop */

struct value {
	uint64_t v;
	uint8_t writes[VARS_MAX];
};

struct set {
	struct value *list;
	int count, room;
};

struct state {
	int pc;
	bool queued;
	uint8_t read[VARS_MAX]; /* counts of the values read so far */
	uint8_t own[VARS_MAX]; /* writes so far, the most on any way here */
	uint64_t regs[];
};

struct explorer {
	struct program *p;
	const struct thread *t;
	int thread;
	struct arena *arena; /* scratch */
	struct arena *round; /* scratch of one thread in one round */
	struct set *memory[VARS_MAX]; /* of each element; roots only */
	struct set exchange; /* values that shfl may pass */
	struct set slots[SLOTS_MAX];
	int most[THREADS_MAX][VARS_MAX]; /* writes a thread performs */
	uint64_t *live; /* of the thread: registers, before each insn */
	struct state **states;
	int nstates, *queue, nqueue, queue_room;
	int *table, table_size;
	bool changed;
	bool failed;
	struct err *err;
};

/* ---- addresses ------------------------------------------------------------ */

#define ADDRESS_BASE 0xfe570000u
#define ADDRESS_STEP 8192u

uint64_t
var_address(const struct program *p, int var)
{
	(void)p;
	return ADDRESS_BASE + (uint64_t)var * ADDRESS_STEP;
}

bool
address_find(const struct program *p, uint64_t address, int *var,
    int64_t *offset)
{
	uint64_t delta = address - ADDRESS_BASE;
	const struct var *v;

	if (address < ADDRESS_BASE || delta / ADDRESS_STEP >=
	    (uint64_t)p->nvars)
		return false;
	v = &p->vars[delta / ADDRESS_STEP];
	if (delta % ADDRESS_STEP >= (uint64_t)v->count * (uint64_t)v->size)
		return false;
	*var = (int)(delta / ADDRESS_STEP);
	*offset = (int64_t)(delta % ADDRESS_STEP);
	return true;
}

static int
root_of(const struct program *p, int var)
{
	while (p->vars[var].alias_of >= 0)
		var = p->vars[var].alias_of;
	return var;
}

/* ---- sets ----------------------------------------------------------------- */

static void
fail_limit(struct explorer *x, struct loc loc, const char *what, int limit)
{
	if (!x->failed)
		err_set(x->err, ERR_LIMIT, loc,
		    "%s may take more than %d values", what, limit);
	x->failed = true;
}

static bool
lower(uint8_t *a, const uint8_t *b)
{
	bool changed = false;
	int i;

	for (i = 0; i < VARS_MAX; i++)
		if (b[i] < a[i]) {
			a[i] = b[i];
			changed = true;
		}
	return changed;
}

static void
raise(uint8_t *a, const uint8_t *b)
{
	int i;

	for (i = 0; i < VARS_MAX; i++)
		if (b[i] > a[i])
			a[i] = b[i];
}

static void
set_add(struct explorer *x, struct set *s, uint64_t v, const uint8_t *writes,
    const char *name, struct loc loc)
{
	int i;

	for (i = 0; i < s->count; i++)
		if (s->list[i].v == v) {
			x->changed = lower(s->list[i].writes, writes) ||
			    x->changed;
			return;
		}
	if (s->count == SET_MAX) {
		fail_limit(x, loc, name, SET_MAX);
		return;
	}
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->list = arena_grow(x->arena, s->list, (size_t)s->count *
		    sizeof(*s->list), (size_t)s->room * sizeof(*s->list));
	}
	s->list[s->count].v = v;
	memcpy(s->list[s->count++].writes, writes, VARS_MAX);
	x->changed = true;
}

/* ---- memory --------------------------------------------------------------- */

struct access {
	int root;
	int first, last; /* elements of the root */
	int offset; /* bytes into the first */
	int size;
};

/* Where operand [a] of the instruction points; false: nowhere. */
static bool
access_find(const struct explorer *x, const struct state *s,
    const struct insn *insn, const struct operand *o, int element,
    struct access *a)
{
	int size = type_size(insn->type), var = o->var;
	int64_t offset = o->imm;
	const struct var *v;

	if (var < 0) {
		if (o->reg < 0 || !address_find(x->p, s->regs[o->reg] +
		    (uint64_t)o->imm, &var, &offset))
			return false;
	}
	offset += (int64_t)element * size;
	if (offset < 0 || offset + size > (int64_t)x->p->vars[var].size *
	    x->p->vars[var].count || offset % size != 0)
		return false;
	a->root = root_of(x->p, var);
	v = &x->p->vars[a->root];
	a->first = (int)(offset / v->size);
	a->last = (int)((offset + size - 1) / v->size);
	a->offset = (int)(offset % v->size);
	a->size = size;
	return true;
}

static uint64_t
bytes_mask(int size)
{
	return size >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * size)) - 1;
}

/* Calls back with each value the access may read. */
typedef void read_fn(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user);

static void
memory_read(struct explorer *x, const struct state *s,
    const struct access *a, read_fn *each, void *user)
{
	struct set *sets = x->memory[a->root];
	int size = x->p->vars[a->root].size, counts[8], e, i, total = 1;

	/* the sets may grow while they are read */
	for (e = a->first; e <= a->last; e++) {
		counts[e - a->first] = sets[e].count;
		total *= sets[e].count;
		if (total > COMBINATIONS_MAX) {
			fail_limit(x, x->p->vars[a->root].loc,
			    x->p->vars[a->root].name, COMBINATIONS_MAX);
			return;
		}
	}
	for (i = 0; i < total && !x->failed; i++) {
		uint8_t writes[VARS_MAX] = {0};
		uint64_t v = 0;
		int rest = i;

		for (e = a->first; e <= a->last; e++) {
			int count = counts[e - a->first];
			const struct value *one = &sets[e].list[rest % count];

			rest /= count;
			v |= one->v << (8 * size * (e - a->first) & 63);
			raise(writes, one->writes);
		}
		v = v >> (8 * a->offset) & bytes_mask(a->size);
		each(x, s, v, writes, user);
	}
}

static int
writes_in_all(const struct explorer *x, int root)
{
	int i, n = 0;

	for (i = 0; i < x->p->nthreads; i++)
		n += x->most[i][root];
	return n;
}

/* The state's value v stored there; `read` counts went into it. */
static void
memory_write(struct explorer *x, const struct access *a, uint64_t v,
    const uint8_t *read)
{
	const struct var *var = &x->p->vars[a->root];
	struct set *sets = x->memory[a->root];
	uint8_t writes[VARS_MAX];
	int e, i;

	if (read[a->root] >= UINT8_MAX ||
	    read[a->root] + 1 > writes_in_all(x, a->root))
		return;
	v &= bytes_mask(a->size);
	for (e = a->first; e <= a->last; e++) {
		int shift = 8 * (a->offset - var->size * (e - a->first));
		uint64_t mask = bytes_mask(a->size), part;
		int before = sets[e].count;

		part = shift < 0 ? v >> -shift : v << shift;
		mask = (shift < 0 ? mask >> -shift : mask << shift) &
		    bytes_mask(var->size);
		if (mask == bytes_mask(var->size))
			before = 1; /* nothing of the old value stays */
		for (i = 0; i < before && !x->failed; i++) {
			memcpy(writes, read, VARS_MAX);
			if (mask != bytes_mask(var->size))
				raise(writes, sets[e].list[i].writes);
			writes[a->root]++;
			if (writes[a->root] > writes_in_all(x, a->root))
				continue;
			set_add(x, &sets[e], (sets[e].list[i].v & ~mask) |
			    (part & mask), writes, var->name, var->loc);
		}
	}
}

/* ---- states --------------------------------------------------------------- */

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
		changed = lower(old->read, s->read);
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

/* ---- instructions --------------------------------------------------------- */

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

	raise(next->read, writes);
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
	raise(next->read, writes);
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

			raise(next->read, e->list[i].writes);
			if (joined)
				reg_set(x, next, insn->ops[1].reg,
				    (uint64_t)p, TYPE_PRED);
			reg_set(x, next, insn->ops[0].reg, e->list[i].v,
			    insn->type);
			next->pc++;
			state_reach(x, next);
		}
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
	case CLASS_FENCE:
	case CLASS_PROXY_FENCE:
	case CLASS_CLUSTER_BARRIER:
	case CLASS_NONE:
		go_on(x, s, -1, 0, TYPE_NONE);
		break;
	}
}

/* ---- liveness ------------------------------------------------------------- */

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

static void
liveness(struct explorer *x)
{
	const struct thread *t = x->t;
	uint64_t end = 0;
	bool changed = true;
	int i;

	for (i = 0; i < x->p->nslots; i++)
		if (x->p->slots[i].thread == x->thread)
			end |= bit(x->p->slots[i].reg);
	x->live = arena_alloc(x->round,
	    ((size_t)t->ninsns + 1) * sizeof(*x->live));
	x->live[t->ninsns] = end;
	while (changed) {
		changed = false;
		for (i = t->ninsns - 1; i >= 0; i--) {
			const struct insn *insn = &t->insns[i];
			uint64_t reads, writes, out = x->live[i + 1];

			reads_writes(insn, &reads, &writes);
			if (insn->op->class == CLASS_BRANCH)
				out = x->live[insn->ops[0].imm] |
				    (insn->guard >= 0 ? out : 0);
			if (insn->op->class == CLASS_EXIT)
				out = end | (insn->guard >= 0 ? out : 0);
			out = (out & ~writes) | reads;
			changed = changed || out != x->live[i];
			x->live[i] = out;
		}
	}
}

/* ---- the whole ------------------------------------------------------------ */

static void
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
	liveness(x);
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

static void
memory_start(struct explorer *x)
{
	static const uint8_t none[VARS_MAX];
	int i, e;

	for (i = 0; i < x->p->nvars; i++) {
		const struct var *v = &x->p->vars[i];

		if (v->alias_of >= 0)
			continue;
		x->memory[i] = arena_alloc(x->arena,
		    (size_t)v->count * sizeof(struct set));
		for (e = 0; e < v->count; e++)
			set_add(x, &x->memory[i][e], value_cut(v->init[e],
			    v->type), none, v->name, v->loc);
	}
}

/* What memory slots may hold, through the slot's own view of it. */
static void
slot_value_add(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user)
{
	const struct slot *slot = user;

	(void)s;
	set_add(x, &x->slots[slot - x->p->slots], v, writes, slot->name,
	    x->p->vars[slot->var].loc);
}

static void
memory_slots(struct explorer *x)
{
	int i;

	for (i = 0; i < x->p->nslots; i++) {
		struct slot *slot = &x->p->slots[i];
		struct access a;
		int size, offset;

		if (slot->thread >= 0)
			continue;
		a.root = root_of(x->p, slot->var);
		size = x->p->vars[a.root].size;
		offset = slot->elem * slot->size;
		a.first = offset / size;
		a.last = (offset + slot->size - 1) / size;
		a.offset = offset % size;
		a.size = slot->size;
		memory_read(x, NULL, &a, slot_value_add, slot);
	}
}

static int
value_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct value *)a)->v;
	uint64_t y = ((const struct value *)b)->v;

	return x < y ? -1 : x > y;
}

static struct loc
slot_loc(const struct program *p, const struct slot *slot)
{
	return slot->thread >= 0 ?
	    p->threads[slot->thread].regs[slot->reg].loc :
	    p->vars[slot->var].loc;
}

static bool
slot_fill(struct explorer *x, struct slot *slot, struct arena *a)
{
	struct set *set = &x->slots[slot - x->p->slots];
	int i, var;
	int64_t offset;

	/* a thread that cannot end still has a register */
	if (set->count == 0)
		set_add(x, set, 0, (const uint8_t[VARS_MAX]){0}, slot->name,
		    slot_loc(x->p, slot));
	if (set->count > SLOT_VALUES_MAX)
		return err_set(x->err, ERR_LIMIT, slot_loc(x->p, slot),
		    "%s may take more than %d values", slot->name,
		    SLOT_VALUES_MAX);
	qsort(set->list, (size_t)set->count, sizeof(*set->list),
	    value_compare);
	slot->nvalues = set->count;
	slot->values = arena_alloc(a,
	    (size_t)set->count * sizeof(*slot->values));
	for (i = 0; i < set->count; i++) {
		slot->values[i] = set->list[i].v;
		if (address_find(x->p, set->list[i].v, &var, &offset))
			return err_set(x->err, ERR_INPUT,
			    slot_loc(x->p, slot), "%s may hold the address "
			    "of '%s', which cannot be observed", slot->name,
			    x->p->vars[var].name);
	}
	return true;
}

static bool
slots_fill(struct explorer *x, struct arena *a)
{
	struct program *p = x->p;
	uint64_t outcomes = 1;
	int i;

	for (i = 0; i < p->nslots; i++) {
		if (!slot_fill(x, &p->slots[i], a))
			return false;
		outcomes *= (uint64_t)p->slots[i].nvalues;
		if (outcomes > OUTCOMES_MAX)
			return err_set(x->err, ERR_LIMIT, p->loc,
			    "more than %d outcomes; observe fewer registers "
			    "and locations", OUTCOMES_MAX);
	}
	p->noutcomes = (uint32_t)outcomes;
	return true;
}

bool
program_domains(struct program *p, struct arena *a, struct err *err)
{
	struct explorer x = {.p = p, .err = err, .arena = arena_new(),
	    .round = arena_new()};
	bool ok;
	int i;

	memory_start(&x);
	do {
		x.changed = false;
		for (i = 0; i < p->nthreads && !x.failed; i++)
			thread_explore(&x, i);
	} while (x.changed && !x.failed);
	memory_slots(&x);
	ok = !x.failed && slots_fill(&x, a);
	arena_free(x.arena);
	arena_free(x.round);
	return ok;
}

/* ---- outcome codes: mixed radix, the first slot counts most --------------- */

uint32_t
outcome_code(const struct program *p, const uint64_t *values)
{
	uint32_t code = 0;
	int i;

	for (i = 0; i < p->nslots; i++) {
		const struct slot *s = &p->slots[i];
		int low = 0, high = s->nvalues;

		while (low < high) {
			int middle = (low + high) / 2;

			if (s->values[middle] < values[i])
				low = middle + 1;
			else
				high = middle;
		}
		if (low == s->nvalues || s->values[low] != values[i])
			return UINT32_MAX;
		code = code * (uint32_t)s->nvalues + (uint32_t)low;
	}
	return code;
}

void
outcome_values(const struct program *p, uint32_t code, uint64_t *values)
{
	int i;

	for (i = p->nslots - 1; i >= 0; i--) {
		const struct slot *s = &p->slots[i];

		values[i] = s->values[code % (uint32_t)s->nvalues];
		code /= (uint32_t)s->nvalues;
	}
}
