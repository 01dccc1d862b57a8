/*
 * The instructions of the .litmus format. Each becomes the real PTX that
 * it stands for (beq becomes setp and bra), so that nothing after the
 * reader knows the difference; only texture, surface and constant accesses
 * and the operands of barriers stay of the dialect.
 */
#include "litmus.h"

#include <string.h>

struct cell {
	struct litmus *l;
	int thread;
	struct loc loc;
	struct insn insn;
};

/* What follows the qualifiers. */
enum form {
	FORM_LOAD, /* r0, x, or r0, 1: then it is a mov */
	FORM_STORE, /* x, 1 */
	FORM_RMW, /* r0, x, 1 (, 2) */
	FORM_RED, /* x, 1 */
	FORM_FENCE,
	FORM_BARRIER, /* 1 (, r2 (, 2)) */
	FORM_ALU, /* r0, r1, 2 */
	FORM_BRANCH, /* r0, 1, LC00 */
	FORM_GOTO, /* LC00 */
};

static const struct mnemonic {
	const char *word;
	enum form form;
	enum op_id op;
	enum proxy proxy;
	enum cmp cmp;
	enum type type;
	enum mode mode;
} mnemonics[] = {
	{.word = "ld", .form = FORM_LOAD, .op = OP_LD, .type = TYPE_U32},
	{.word = "tld", .form = FORM_LOAD, .op = OP_TLD,
	    .proxy = PROXY_TEXTURE, .type = TYPE_U32},
	{.word = "suld", .form = FORM_LOAD, .op = OP_SULD,
	    .proxy = PROXY_SURFACE, .type = TYPE_U32},
	{.word = "cold", .form = FORM_LOAD, .op = OP_COLD,
	    .proxy = PROXY_CONSTANT, .type = TYPE_U32},
	{.word = "st", .form = FORM_STORE, .op = OP_ST, .type = TYPE_U32},
	{.word = "sust", .form = FORM_STORE, .op = OP_SUST,
	    .proxy = PROXY_SURFACE, .type = TYPE_U32},
	{.word = "atom", .form = FORM_RMW, .op = OP_ATOM},
	{.word = "suatom", .form = FORM_RMW, .op = OP_ATOM,
	    .proxy = PROXY_SURFACE},
	{.word = "red", .form = FORM_RED, .op = OP_RED},
	{.word = "sured", .form = FORM_RED, .op = OP_RED,
	    .proxy = PROXY_SURFACE},
	{.word = "fence", .form = FORM_FENCE, .op = OP_FENCE},
	{.word = "bar", .form = FORM_BARRIER, .op = OP_BAR_SYNC},
	{.word = "add", .form = FORM_ALU, .op = OP_ADD, .type = TYPE_U32},
	{.word = "sub", .form = FORM_ALU, .op = OP_SUB, .type = TYPE_U32},
	{.word = "mul", .form = FORM_ALU, .op = OP_MUL,
	    .type = TYPE_U32, .mode = MODE_LO},
	{.word = "div", .form = FORM_ALU, .op = OP_DIV, .type = TYPE_S32},
	{.word = "beq", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_EQ, .type = TYPE_U32},
	{.word = "bne", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_NE, .type = TYPE_U32},
	{.word = "blt", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_LT, .type = TYPE_S32},
	{.word = "ble", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_LE, .type = TYPE_S32},
	{.word = "bgt", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_GT, .type = TYPE_S32},
	{.word = "bge", .form = FORM_BRANCH, .op = OP_SETP,
	    .cmp = CMP_GE, .type = TYPE_S32},
	{.word = "goto", .form = FORM_GOTO, .op = OP_BRA},
};

/* ---- qualifiers ------------------------------------------------------- */

/* The qualifier that follows, its dot taken; the token is the word. */
static bool
dot(struct cell *c)
{
	return litmus_take(c->l, ".");
}

/*
 * Which semantics an instruction may have (PTX ISA 9.7.9): red takes
 * acquire here, as the suite's files use it.
 */
static const struct {
	enum form form;
	unsigned sems; /* bit set of enum sem */
	const char *what;
} sems[] = {
	{FORM_LOAD, 1u << SEM_WEAK | 1u << SEM_RELAXED | 1u << SEM_ACQUIRE,
	    "weak, relaxed or acquire"},
	{FORM_STORE, 1u << SEM_WEAK | 1u << SEM_RELAXED | 1u << SEM_RELEASE,
	    "weak, relaxed or release"},
	{FORM_RMW, 1u << SEM_RELAXED | 1u << SEM_ACQUIRE |
	    1u << SEM_RELEASE | 1u << SEM_ACQ_REL,
	    "relaxed, acquire, release or acq_rel"},
	{FORM_RED, 1u << SEM_RELAXED | 1u << SEM_ACQUIRE |
	    1u << SEM_RELEASE | 1u << SEM_ACQ_REL,
	    "relaxed, acquire, release or acq_rel"},
	{FORM_FENCE, 1u << SEM_ACQUIRE | 1u << SEM_RELEASE |
	    1u << SEM_ACQ_REL | 1u << SEM_SC,
	    "sc, acq_rel, acquire, release or proxy"},
};

static bool
take_sem(struct cell *c, enum form form)
{
	size_t i = 0;
	enum sem s;

	while (sems[i].form != form)
		i++;
	for (s = SEM_WEAK; s <= SEM_SC; s++)
		if (sems[i].sems >> s & 1 && litmus_take(c->l, sem_name(s))) {
			c->insn.sem = s;
			return true;
		}
	return litmus_expected(c->l, sems[i].what);
}

static bool
cell_sem(struct cell *c, enum form form)
{
	if (!dot(c))
		return litmus_expected(c->l, "'.' and its semantics");
	return take_sem(c, form);
}

/* Every strong operation has a scope and no weak one has. */
static bool
cell_scope(struct cell *c)
{
	static const enum scope scopes[] = {SCOPE_CTA, SCOPE_GPU, SCOPE_SYS};
	size_t i;

	if (c->insn.sem == SEM_WEAK)
		return true;
	if (!dot(c))
		return litmus_expected(c->l, "'.' and a scope (cta, gpu, sys)");
	for (i = 0; i < 3; i++)
		if (litmus_take(c->l, scope_name(scopes[i]))) {
			c->insn.scope = scopes[i];
			return true;
		}
	return litmus_expected(c->l, "a scope (cta, gpu, sys)");
}

/*
 * sub is an add of the negative. PTX adds integers as .u32 and exchanges
 * bits as .b32 (ISA 9.7.13.15).
 */
static bool
cell_operation(struct cell *c, bool *subtract)
{
	static const struct {
		const char *word;
		enum rmw rmw;
		enum type type;
		bool red;
	} operations[] = {
		{"add", RMW_ADD, TYPE_U32, true},
		{"sub", RMW_ADD, TYPE_U32, true},
		{"and", RMW_AND, TYPE_B32, true},
		{"or", RMW_OR, TYPE_B32, true},
		{"xor", RMW_XOR, TYPE_B32, true},
		{"min", RMW_MIN, TYPE_U32, true},
		{"max", RMW_MAX, TYPE_U32, true},
		{"exch", RMW_EXCH, TYPE_B32, false},
		{"cas", RMW_CAS, TYPE_B32, false},
	};
	bool red = c->insn.op->class == CLASS_RED;
	size_t i;

	*subtract = dot(c) && litmus_is(c->l, "sub");
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if ((red && !operations[i].red) ||
		    !litmus_take(c->l, operations[i].word))
			continue;
		c->insn.rmw = operations[i].rmw;
		c->insn.type = operations[i].type;
		return true;
	}
	return litmus_expected(c->l, red ?
	    "an operation (add, sub, and, or, xor, min, max)" :
	    "an operation (add, sub, and, or, xor, min, max, exch, cas)");
}

/* ---- operands --------------------------------------------------------- */

static struct operand *
operand_new(struct cell *c, enum operand_kind kind)
{
	struct operand *o = &c->insn.ops[c->insn.nops++];

	*o = (struct operand){.kind = kind, .loc = c->l->token.loc,
		.reg = -1, .var = -1};
	return o;
}

static bool
comma(struct cell *c)
{
	return litmus_take(c->l, ",") || litmus_expected(c->l, "','");
}

static bool
take_register(struct cell *c)
{
	struct token t = c->l->token;

	if (!token_is_register(&t))
		return litmus_expected(c->l, "a register (r0, r1, ...)");
	operand_new(c, OPERAND_REG)->reg = litmus_reg(c->l, c->thread, &t);
	litmus_next(c->l);
	return c->insn.ops[c->insn.nops - 1].reg >= 0;
}

static bool
take_location(struct cell *c)
{
	struct token t = c->l->token;

	if (t.kind != TOKEN_WORD || token_is_register(&t))
		return litmus_expected(c->l, "a location");
	operand_new(c, OPERAND_ADDR)->var = litmus_var(c->l, &t);
	litmus_next(c->l);
	return c->insn.ops[c->insn.nops - 1].var >= 0;
}

/* A register or a number. */
static bool
take_value(struct cell *c)
{
	struct operand *o;

	if (token_is_register(&c->l->token))
		return take_register(c);
	if (c->l->token.kind != TOKEN_NUMBER && !litmus_is(c->l, "-"))
		return litmus_expected(c->l, "a register or a number");
	o = operand_new(c, OPERAND_IMM);
	return litmus_value(c->l, &o->imm);
}

static bool
append(struct cell *c)
{
	struct thread *t = &c->l->p->threads[c->thread];
	int *room = &c->l->threads[c->thread].ninsns_room;

	if (t->ninsns == INSNS_MAX)
		return litmus_error(c->l, ERR_LIMIT, c->loc,
		    "too many instructions in this thread (at most 256)");
	if (t->ninsns == *room) {
		*room = *room ? 2 * *room : 8;
		t->insns = arena_grow(c->l->arena, t->insns,
		    (size_t)t->ninsns * sizeof(*t->insns),
		    (size_t)*room * sizeof(*t->insns));
	}
	t->insns[t->ninsns++] = c->insn;
	return true;
}

/* ---- labels ----------------------------------------------------------- */

static bool
add_label(struct litmus *l, int thread, const struct token *name)
{
	struct thread *t = &l->p->threads[thread];
	int *room = &l->threads[thread].nlabels_room, i;

	for (i = 0; i < t->nlabels; i++)
		if (token_is(name, t->labels[i].name))
			return litmus_error(l, ERR_INPUT, name->loc,
			    arena_printf(l->arena,
			    "the label '%s' stands twice in this thread",
			    t->labels[i].name));
	if (t->nlabels == INSNS_MAX)
		return litmus_error(l, ERR_LIMIT, name->loc,
		    "too many labels in this thread (at most 256)");
	if (t->nlabels == *room) {
		*room = *room ? 2 * *room : 8;
		t->labels = arena_grow(l->arena, t->labels,
		    (size_t)t->nlabels * sizeof(*t->labels),
		    (size_t)*room * sizeof(*t->labels));
	}
	t->labels[t->nlabels++] = (struct label){
		.name = arena_strndup(l->arena, name->s, name->n),
		.loc = name->loc, .insn = t->ninsns,
	};
	return true;
}

static bool
take_target(struct cell *c)
{
	struct litmus *l = c->l;
	struct litmus_jump *jump;

	if (l->token.kind != TOKEN_WORD)
		return litmus_expected(l, "a label");
	jump = arena_alloc(l->arena, sizeof(*jump));
	*jump = (struct litmus_jump){
		.insn = l->p->threads[c->thread].ninsns, .label = l->token,
		.next = l->threads[c->thread].jumps,
	};
	l->threads[c->thread].jumps = jump;
	operand_new(c, OPERAND_LABEL);
	litmus_next(l);
	return append(c);
}

bool
litmus_resolve(struct litmus *l, int thread)
{
	struct thread *t = &l->p->threads[thread];
	struct litmus_jump *jump = l->threads[thread].jumps;
	bool ok = true;
	int i;

	for (; jump; jump = jump->next) {
		for (i = 0; i < t->nlabels; i++)
			if (token_is(&jump->label, t->labels[i].name))
				break;
		if (i < t->nlabels)
			t->insns[jump->insn].ops[0].imm = t->labels[i].insn;
		else
			ok = litmus_error(l, ERR_INPUT, jump->label.loc,
			    arena_printf(l->arena, "thread P%d has no label "
			    "'%s'", thread, arena_strndup(l->arena,
			    jump->label.s, jump->label.n)));
	}
	return ok;
}

/* ---- the forms -------------------------------------------------------- */

/* ld.weak r0, x; ld r0, 1 and ld.weak r0, 1 only set the register. */
static bool
cell_load(struct cell *c)
{
	struct litmus *l = c->l;
	bool plain = !litmus_is(l, "."), value;

	if (!plain && (!cell_sem(c, FORM_LOAD) || !cell_scope(c)))
		return false;
	if (!take_register(c) || !comma(c))
		return false;
	value = l->token.kind == TOKEN_NUMBER || litmus_is(l, "-") ||
	    token_is_register(&l->token);
	if (c->insn.proxy != PROXY_GENERIC || (!plain && !value &&
	    l->token.kind == TOKEN_WORD))
		return take_location(c) && append(c);
	if (!value)
		return litmus_expected(l, plain ? "a register or a number" :
		    "a location, a register or a number");
	c->insn.op = &ops_table[OP_MOV];
	c->insn.sem = SEM_WEAK;
	c->insn.scope = SCOPE_NONE;
	c->insn.space = SPACE_GENERIC;
	return take_value(c) && append(c);
}

static bool
cell_store(struct cell *c)
{
	return cell_sem(c, FORM_STORE) && cell_scope(c) &&
	    take_location(c) && comma(c) && take_value(c) && append(c);
}

static bool
cell_rmw(struct cell *c, enum form form)
{
	struct operand *value;
	bool subtract;

	if (!cell_sem(c, form) || !cell_scope(c) ||
	    !cell_operation(c, &subtract))
		return false;
	if (form == FORM_RMW && (!take_register(c) || !comma(c)))
		return false;
	if (!take_location(c) || !comma(c) || !take_value(c))
		return false;
	value = &c->insn.ops[c->insn.nops - 1];
	if (subtract && value->kind != OPERAND_IMM)
		return litmus_error(c->l, ERR_UNSUPPORTED, value->loc,
		    "PTX has no atomic subtraction of a register "
		    "(only of a number)");
	if (subtract)
		value->imm = -value->imm;
	if (c->insn.rmw == RMW_CAS && (!comma(c) || !take_value(c)))
		return false;
	return append(c);
}

static bool
cell_fence(struct cell *c)
{
	static const enum proxy proxies[] = {PROXY_TEXTURE, PROXY_SURFACE,
		PROXY_CONSTANT, PROXY_ALIAS};
	struct litmus *l = c->l;
	size_t i;

	if (!dot(c))
		return litmus_expected(l, "'.' and its semantics");
	if (!litmus_take(l, "proxy"))
		return take_sem(c, FORM_FENCE) && cell_scope(c) && append(c);
	if (!dot(c))
		return litmus_expected(l, "'.' and a proxy");
	for (i = 0; i < 4; i++)
		if (litmus_take(l, proxy_name(proxies[i]))) {
			c->insn.op = &ops_table[OP_FENCE_PROXY];
			c->insn.proxy = proxies[i];
			return append(c);
		}
	return litmus_expected(l,
	    "a proxy (texture, surface, constant, alias)");
}

/* bar.cta.sync I, R, Q: instance, resource, quorum (spec 4.1). */
static bool
cell_barrier(struct cell *c)
{
	struct litmus *l = c->l;

	if (!dot(c) || !litmus_take(l, "cta") || !dot(c))
		return litmus_expected(l, "bar.cta.sync or bar.cta.arrive");
	if (litmus_take(l, "arrive"))
		c->insn.op = &ops_table[OP_BAR_ARRIVE];
	else if (!litmus_take(l, "sync"))
		return litmus_expected(l, "sync or arrive");
	c->insn.aligned = true;
	do {
		if (!take_value(c))
			return false;
	} while (c->insn.nops < 3 && litmus_take(l, ","));
	return append(c);
}

static bool
cell_alu(struct cell *c)
{
	return take_register(c) && comma(c) && take_value(c) && comma(c) &&
	    take_value(c) && append(c);
}

/* bne r0, 1, LC00: setp.ne.u32 p0, r0, 1; @p0 bra LC00 */
static bool
cell_branch(struct cell *c)
{
	struct litmus *l = c->l;
	char *name = arena_printf(l->arena, "p%d",
	    l->threads[c->thread].npredicates++);
	struct token t = {TOKEN_WORD, name, strlen(name), c->loc};
	int p = litmus_reg(l, c->thread, &t);

	if (p < 0)
		return false;
	l->p->threads[c->thread].regs[p].type = TYPE_PRED;
	operand_new(c, OPERAND_REG)->reg = p;
	if (!take_register(c) || !comma(c) || !take_value(c) ||
	    !append(c) || !comma(c))
		return false;
	c->insn = (struct insn){.loc = c->loc, .op = &ops_table[OP_BRA],
		.vec = 1, .guard = p};
	return take_target(c);
}

static bool
cell_form(struct cell *c, enum form form)
{
	switch (form) {
	case FORM_LOAD:
		return cell_load(c);
	case FORM_STORE:
		return cell_store(c);
	case FORM_RMW:
	case FORM_RED:
		return cell_rmw(c, form);
	case FORM_FENCE:
		return cell_fence(c);
	case FORM_BARRIER:
		return cell_barrier(c);
	case FORM_ALU:
		return cell_alu(c);
	case FORM_BRANCH:
		return cell_branch(c);
	case FORM_GOTO:
		return take_target(c);
	}
	return false;
}

bool
litmus_cell(struct litmus *l, int thread)
{
	struct cell c = {.l = l, .thread = thread, .loc = l->token.loc};
	struct token word = l->token;
	const struct mnemonic *m = mnemonics;
	const struct mnemonic *end = m +
	    sizeof(mnemonics) / sizeof(*mnemonics);

	if (word.kind != TOKEN_WORD)
		return litmus_expected(l, "an instruction or a label");
	litmus_next(l);
	if (litmus_take(l, ":"))
		return add_label(l, thread, &word);
	while (m < end && !token_is(&word, m->word))
		m++;
	if (m == end)
		return litmus_error(l, ERR_INPUT, word.loc, arena_printf(
		    l->arena, "unknown instruction '%s'",
		    text_clean(l->arena, word.s, word.n < 40 ? word.n : 40)));
	c.insn = (struct insn){
		.loc = c.loc, .op = &ops_table[m->op], .proxy = m->proxy,
		.cmp = m->cmp, .type = m->type, .mode = m->mode,
		.vec = 1, .guard = -1,
	};
	if (m->form <= FORM_RED)
		c.insn.space = SPACE_GLOBAL;
	return cell_form(&c, m->form);
}
