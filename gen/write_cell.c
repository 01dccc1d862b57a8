/* The instructions of a program in the .litmus format. */
#include "write_litmus.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

bool
litmus_no(struct writer *w, struct loc loc, const char *what)
{
	return err_set(w->err, ERR_UNSUPPORTED, loc,
	    "the .litmus format cannot say this: %s", what);
}

void
litmus_add(struct writer *w, int thread, char *text)
{
	struct column *c = &w->columns[thread];
	int width = (int)strlen(text);

	if (c->count == c->room) {
		int room = c->room ? 2 * c->room : 16;

		c->cells = arena_grow(w->arena, c->cells,
		    (size_t)c->count * sizeof(*c->cells),
		    (size_t)room * sizeof(*c->cells));
		c->room = room;
	}
	c->cells[c->count++] = text;
	if (width > c->width)
		c->width = width;
}

/* ---- names ------------------------------------------------------------ */

static bool
is_numbered(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(s, prefix, n) != 0 || !s[n])
		return false;
	for (s += n; isdigit((unsigned char)*s); s++)
		;
	return !*s;
}

/* Registers are r0, r1, ... there: others get a free number. */
static void
name_registers(struct writer *w, int thread)
{
	const struct thread *t = &w->p->threads[thread];
	const char **names = arena_alloc(w->arena,
	    ((size_t)t->nregs + 1) * sizeof(*names));
	int i, j, free = 0;

	for (i = 0; i < t->nregs; i++)
		if (is_numbered(t->regs[i].name, "r"))
			names[i] = t->regs[i].name;
	for (i = 0; i < t->nregs; i++) {
		if (names[i] || t->regs[i].type == TYPE_PRED)
			continue;
		do {
			names[i] = arena_printf(w->arena, "r%d", free++);
			for (j = 0; j < t->nregs; j++)
				if (j != i && names[j] &&
				    strcmp(names[j], names[i]) == 0)
					break;
		} while (j < t->nregs);
	}
	w->columns[thread].regs = names;
}

/* Labels are LC and a number: the old ones if all are, else new ones. */
static void
name_labels(struct writer *w, int thread)
{
	const struct thread *t = &w->p->threads[thread];
	const char **names = arena_alloc(w->arena,
	    ((size_t)t->nlabels + 1) * sizeof(*names));
	bool keep = true;
	int i;

	for (i = 0; i < t->nlabels; i++)
		keep = keep && is_numbered(t->labels[i].name, "LC");
	for (i = 0; i < t->nlabels; i++)
		names[i] = keep ? t->labels[i].name :
		    arena_printf(w->arena, "LC%d%d", thread, i);
	w->columns[thread].labels = names;
}

/* A label that stands before that instruction, or NULL. */
static const char *
label_at(const struct writer *w, int thread, int64_t insn)
{
	const struct thread *t = &w->p->threads[thread];
	int i;

	for (i = 0; i < t->nlabels; i++)
		if (t->labels[i].insn == insn)
			return w->columns[thread].labels[i];
	return NULL;
}

/* ---- cells ------------------------------------------------------------ */

/* An instruction being written. */
struct cell {
	struct writer *w;
	int thread, index;
	const struct thread *t;
	const struct insn *insn;
	struct text text;
};

static bool
put_value(struct cell *c, const struct operand *o, bool number)
{
	if (o->kind == OPERAND_IMM) {
		text_printf(&c->text, "%" PRId64, o->imm);
		return true;
	}
	if (o->kind != OPERAND_REG || o->negated || number)
		return litmus_no(c->w, o->loc, number ? "anything but a number "
		    "here" : "this operand");
	if (!c->w->columns[c->thread].regs[o->reg])
		return litmus_no(c->w, o->loc, "a predicate here");
	text_printf(&c->text, "%s",
	    c->w->columns[c->thread].regs[o->reg]);
	return true;
}

static bool
put_location(struct cell *c, const struct operand *o)
{
	if (o->var < 0 || o->reg >= 0 || o->imm)
		return litmus_no(c->w, o->loc, "computed addresses");
	text_printf(&c->text, "%s", c->w->p->vars[o->var].name);
	return true;
}

static void
comma(struct cell *c)
{
	text_printf(&c->text, ", ");
}

static bool
put_strength(struct cell *c)
{
	const struct insn *i = c->insn;

	if (i->sem == SEM_VOLATILE)
		return litmus_no(c->w, i->loc,
		    ".volatile (to the model it is .relaxed.sys)");
	if (i->sem == SEM_MMIO)
		return litmus_no(c->w, i->loc,
		    ".mmio (to the model it is .relaxed.sys)");
	if (i->scope == SCOPE_CLUSTER)
		return litmus_no(c->w, i->loc, "cluster scope");
	text_printf(&c->text, "%s.%s", i->op->mnemonic, sem_name(i->sem));
	if (i->scope != SCOPE_NONE)
		text_printf(&c->text, ".%s", scope_name(i->scope));
	return true;
}

static bool
check_access(struct cell *c)
{
	const struct insn *i = c->insn;

	if (i->vec > 1)
		return litmus_no(c->w, i->loc, "vectors");
	if (i->nc || i->cache != CACHE_NONE || i->evict != EVICT_NONE)
		return litmus_no(c->w, i->loc, "cache operators");
	if (type_size(i->type) != 4)
		return litmus_no(c->w, i->loc,
		    "accesses that are not 32 bits wide");
	return put_strength(c);
}

static bool
put_load(struct cell *c)
{
	if (!check_access(c))
		return false;
	text_printf(&c->text, " ");
	if (!put_value(c, &c->insn->ops[0], false))
		return false;
	comma(c);
	return put_location(c, &c->insn->ops[1]);
}

static bool
put_store(struct cell *c)
{
	if (!check_access(c))
		return false;
	text_printf(&c->text, " ");
	if (!put_location(c, &c->insn->ops[0]))
		return false;
	comma(c);
	return put_value(c, &c->insn->ops[1], false);
}

/* atom and red; a negative number added is subtracted there */
static bool
put_rmw(struct cell *c)
{
	const struct insn *i = c->insn;
	int at = i->op->class == CLASS_RMW, last = i->nops - 1;
	bool subtract = i->rmw == RMW_ADD &&
	    i->ops[last].kind == OPERAND_IMM && i->ops[last].imm < 0;
	struct operand minus = i->ops[last];

	if (i->rmw == RMW_INC || i->rmw == RMW_DEC)
		return litmus_no(c->w, i->loc, ".inc, .dec");
	if (!check_access(c))
		return false;
	text_printf(&c->text, ".%s ", subtract ? "sub" : rmw_name(i->rmw));
	if (at && !put_value(c, &i->ops[0], false))
		return false;
	if (at)
		comma(c);
	if (!put_location(c, &i->ops[at]))
		return false;
	comma(c);
	if (subtract) {
		minus.imm = -minus.imm;
		return put_value(c, &minus, false);
	}
	if (!put_value(c, &i->ops[at + 1], false))
		return false;
	if (i->rmw != RMW_CAS)
		return true;
	comma(c);
	return put_value(c, &i->ops[at + 2], false);
}

static bool
put_fence(struct cell *c)
{
	const struct insn *i = c->insn;

	if (i->op->id == OP_MEMBAR)
		return litmus_no(c->w, i->loc,
		    "membar (to the model it is fence.sc)");
	if (i->sync_restrict || i->mbarrier_init)
		return litmus_no(c->w, i->loc, "restricted fences");
	return put_strength(c);
}

static bool
put_proxy_fence(struct cell *c)
{
	if (c->insn->proxy == PROXY_ASYNC)
		return litmus_no(c->w, c->insn->loc, "the async proxy");
	text_printf(&c->text, "fence.proxy.%s", proxy_name(c->insn->proxy));
	return true;
}

/* ---- barriers --------------------------------------------------------- */

/* Which of its thread's barriers of that number it is, and of how many. */
static int
barrier_turn(const struct thread *t, int64_t id, int upto)
{
	int i, n = 0;

	for (i = 0; i < upto; i++)
		n += t->insns[i].op->class == CLASS_BARRIER &&
		    t->insns[i].ops[0].imm == id;
	return n;
}

/*
 * A barrier there is an instance that all of its instructions must reach
 * once. PTX's bar.sync is that where every thread of the CTA comes there
 * equally often and nothing branches: the k-th ones are an instance.
 */
static bool
ptx_barrier(struct cell *c)
{
	const struct program *p = c->w->p;
	const struct operand *id = &c->insn->ops[0];
	int turns, turn, i, j;

	if (c->insn->op->id != OP_BAR_SYNC &&
	    c->insn->op->id != OP_BARRIER_SYNC)
		return litmus_no(c->w, c->insn->loc, "barriers but bar.sync");
	if (c->insn->nops > 1 || id->kind != OPERAND_IMM)
		return litmus_no(c->w, c->insn->loc,
		    "bar.sync with a thread count or in a register");
	turns = barrier_turn(c->t, id->imm, c->t->ninsns);
	for (i = 0; i < p->nthreads; i++) {
		const struct thread *o = &p->threads[i];

		for (j = 0; j < o->ninsns; j++)
			if (o->insns[j].op->class == CLASS_BRANCH ||
			    o->insns[j].op->class == CLASS_EXIT)
				return litmus_no(c->w, c->insn->loc,
				    "bar.sync in a program with branches");
		if (o->cta == c->t->cta &&
		    barrier_turn(o, id->imm, o->ninsns) != turns)
			return litmus_no(c->w, c->insn->loc, "a bar.sync that "
			    "not every thread of the CTA reaches as often");
	}
	turn = barrier_turn(c->t, id->imm, c->index);
	/* numbers of PTX are below 16 */
	text_printf(&c->text, "bar.cta.sync %" PRId64, id->imm + 16 * turn);
	return true;
}

static bool
put_barrier(struct cell *c)
{
	int i;

	if (c->w->p->dialect == DIALECT_PTX)
		return ptx_barrier(c);
	text_printf(&c->text, "bar.cta.%s", c->insn->op->id ==
	    OP_BAR_ARRIVE ? "arrive" : "sync");
	for (i = 0; i < c->insn->nops; i++) {
		text_printf(&c->text, i ? ", " : " ");
		if (!put_value(c, &c->insn->ops[i], false))
			return false;
	}
	return true;
}

/* ---- arithmetic and branches ------------------------------------------ */

static bool
put_alu(struct cell *c)
{
	static const enum op_id ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV};
	const struct insn *i = c->insn;
	size_t k;

	if (i->type == TYPE_PRED || type_size(i->type) != 4)
		return litmus_no(c->w, i->loc,
		    "arithmetic that is not 32 bits wide");
	if (i->op->id == OP_MOV) {
		bool number = i->ops[1].kind == OPERAND_IMM;

		text_printf(&c->text, number ? "ld " : "add ");
		if (!put_value(c, &i->ops[0], false))
			return false;
		comma(c);
		if (!put_value(c, &i->ops[1], false))
			return false;
		text_printf(&c->text, number ? "" : ", 0");
		return true;
	}
	for (k = 0; k < 4; k++)
		if (i->op->id == ops[k])
			break;
	if (k == 4 || (i->op->id == OP_MUL && i->mode != MODE_LO) ||
	    (i->op->id == OP_DIV && !type_signed(i->type)))
		return litmus_no(c->w, i->loc,
		    "arithmetic but add, sub, mul.lo, div.s32");
	text_printf(&c->text, "%s ", i->op->mnemonic);
	if (!put_value(c, &i->ops[0], false))
		return false;
	comma(c);
	if (!put_value(c, &i->ops[1], false))
		return false;
	comma(c);
	return put_value(c, &i->ops[2], true);
}

static const struct {
	enum cmp cmp, inverse;
	const char *word;
} comparisons[] = {
	{CMP_EQ, CMP_NE, "beq"}, {CMP_NE, CMP_EQ, "bne"},
	{CMP_LT, CMP_GE, "blt"}, {CMP_GE, CMP_LT, "bge"},
	{CMP_LE, CMP_GT, "ble"}, {CMP_GT, CMP_LE, "bgt"},
};

static const char *
comparison(const struct insn *setp, bool negated)
{
	size_t i;

	if (setp->cmp > CMP_NE && !type_signed(setp->type))
		return NULL;
	for (i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++)
		if (setp->cmp == (negated ? comparisons[i].inverse :
		    comparisons[i].cmp))
			return comparisons[i].word;
	return NULL;
}

/* How often the thread's instructions name a predicate. */
static int
uses(const struct thread *t, int reg)
{
	int i, j, n = 0;

	for (i = 0; i < t->ninsns; i++) {
		n += t->insns[i].guard == reg;
		for (j = 0; j < t->insns[i].nops; j++)
			n += t->insns[i].ops[j].kind == OPERAND_REG &&
			    t->insns[i].ops[j].reg == reg;
	}
	return n;
}

static bool
put_target(struct cell *c, const struct insn *bra)
{
	const char *label = label_at(c->w, c->thread, bra->ops[0].imm);

	if (!label)
		return litmus_no(c->w, bra->loc, "a branch to no label");
	text_printf(&c->text, "%s", label);
	return true;
}

/* setp and the branch on it are one instruction there. */
static bool
put_branch(struct cell *c)
{
	const struct insn *setp = c->insn, *bra = setp + 1;
	const char *word;

	if (c->index + 1 == c->t->ninsns || bra->op->id != OP_BRA ||
	    bra->guard != setp->ops[0].reg ||
	    uses(c->t, setp->ops[0].reg) != 2 ||
	    label_at(c->w, c->thread, c->index + 1))
		return litmus_no(c->w, setp->loc,
		    "a setp that is not for the branch right behind it");
	word = comparison(setp, bra->guard_negated);
	if (!word || type_size(setp->type) != 4)
		return litmus_no(c->w, setp->loc, "this comparison (eq, ne, or "
		    "lt, le, gt, ge of .s32)");
	if (setp->ops[1].kind != OPERAND_REG)
		return litmus_no(c->w, setp->ops[1].loc,
		    "a comparison whose left side is a number");
	text_printf(&c->text, "%s ", word);
	put_value(c, &setp->ops[1], false);
	comma(c);
	if (!put_value(c, &setp->ops[2], false))
		return false;
	comma(c);
	return put_target(c, bra);
}

static bool
put_insn(struct cell *c)
{
	const struct insn *i = c->insn;

	if (i->guard >= 0)
		return litmus_no(c->w, i->loc, "a predicate on an instruction "
		    "that is no branch");
	switch (i->op->class) {
	case CLASS_LOAD:
		return put_load(c);
	case CLASS_STORE:
		return put_store(c);
	case CLASS_RMW:
	case CLASS_RED:
		return put_rmw(c);
	case CLASS_FENCE:
		return put_fence(c);
	case CLASS_PROXY_FENCE:
		return put_proxy_fence(c);
	case CLASS_BARRIER:
		return put_barrier(c);
	case CLASS_ALU:
		return i->op->id == OP_SETP ? put_branch(c) : put_alu(c);
	case CLASS_BRANCH:
		text_printf(&c->text, "goto ");
		return put_target(c, i);
	default:
		return litmus_no(c->w, i->loc, i->op->mnemonic);
	}
}

bool
litmus_write_thread(struct writer *w, int thread)
{
	const struct thread *t = &w->p->threads[thread];
	int i, j;

	name_registers(w, thread);
	name_labels(w, thread);
	for (i = 0; i <= t->ninsns; i++) {
		struct cell c = {.w = w, .thread = thread, .index = i,
			.t = t};

		for (j = 0; j < t->nlabels; j++)
			if (t->labels[j].insn == i)
				litmus_add(w, thread, arena_printf(w->arena,
				    "%s:", w->columns[thread].labels[j]));
		if (i == t->ninsns)
			break;
		c.insn = &t->insns[i];
		text_init(&c.text, w->arena);
		if (!put_insn(&c))
			return false;
		litmus_add(w, thread, c.text.s);
		i += c.insn->op->id == OP_SETP; /* its branch is said */
	}
	return true;
}
