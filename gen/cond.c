/*
 * Conditions over final states: C's operators, and those of litmus tests.
 * `~` is C's complement on numbers and litmus' "not" on truth values.
 */
#include "cond.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COND_DEPTH_MAX 64
#define COND_SIZE_MAX 4096

struct parser {
	const char *text, *s;
	struct loc start;
	struct program *program;
	struct arena *arena;
	struct err *err;
	int depth;
};

/* Longer spellings stand before their prefixes; the first of an operator
   is the one that is printed. */
const struct binary binaries[BINARIES] = {
	{"||", COND_OR, 1}, {"\\/", COND_OR, 1},
	{"&&", COND_AND, 2}, {"/\\", COND_AND, 2},
	{"|", COND_BOR, 3}, {"^", COND_BXOR, 4}, {"&", COND_BAND, 5},
	{"==", COND_EQ, 6}, {"!=", COND_NE, 6}, {"=", COND_EQ, 6},
	{"<<", COND_SHL, 8}, {">>", COND_SHR, 8},
	{"<=", COND_LE, 7}, {">=", COND_GE, 7},
	{"<", COND_LT, 7}, {">", COND_GT, 7},
	{"+", COND_ADD, 9}, {"-", COND_SUB, 9},
	{"*", COND_MUL, 10},
};

static struct loc
place(const struct parser *p, const char *at)
{
	struct loc loc = p->start;
	const char *s;

	for (s = p->text; s < at; s++) {
		loc.column++;
		if (*s == '\n')
			loc.line++, loc.column = 1;
	}
	return loc;
}

static void
skip(struct parser *p)
{
	p->s += strspn(p->s, " \t\r\n");
}

static const struct cond *
fail(struct parser *p, const char *at, const char *expected)
{
	int n = (int)strcspn(at, " \t\r\n");

	if (*at)
		err_set(p->err, ERR_INPUT, place(p, at),
		    "expected %s, not '%.*s'", expected, n < 20 ? n : 20, at);
	else
		err_set(p->err, ERR_INPUT, place(p, at),
		    "expected %s at the end of the condition", expected);
	return NULL;
}

static const struct cond *
node(struct parser *p, enum cond_op op, struct loc loc,
    const struct cond *a, const struct cond *b)
{
	struct cond *c = arena_alloc(p->arena, sizeof(*c));

	c->op = op;
	c->loc = loc;
	c->slot = -1;
	c->a = a;
	c->b = b;
	return c;
}

static bool
is_truth(const struct cond *c)
{
	return (c->op >= COND_AND && c->op <= COND_GE) || c->op == COND_NOT;
}

static size_t
word(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
	    s[n] == '_' || s[n] == '$' || s[n] == '%' ||
	    (n > 0 && s[n] >= '0' && s[n] <= '9'))
		n++;
	return n;
}

static bool
number(struct parser *p, int64_t *value)
{
	bool hex = p->s[0] == '0' && (p->s[1] == 'x' || p->s[1] == 'X');
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(p->s, &end, hex ? 16 : 10);
	if (end == p->s || errno || word(end))
		return false;
	p->s = end;
	*value = (int64_t)v;
	return true;
}

/* ---- slots -------------------------------------------------------------- */

static int
slot_add(struct parser *p, const char *at, struct slot slot)
{
	struct program *g = p->program;
	int i;

	for (i = 0; i < g->nslots; i++)
		if (g->slots[i].thread == slot.thread &&
		    g->slots[i].reg == slot.reg &&
		    g->slots[i].var == slot.var &&
		    g->slots[i].elem == slot.elem)
			return i;
	if (g->nslots == SLOTS_MAX) {
		err_set(p->err, ERR_LIMIT, place(p, at),
		    "more than %d observed registers and locations",
		    SLOTS_MAX);
		return -1;
	}
	if (!g->slots)
		g->slots = arena_alloc(p->arena,
		    SLOTS_MAX * sizeof(*g->slots));
	g->slots[g->nslots] = slot;
	return g->nslots++;
}

static const struct cond *
slot_node(struct parser *p, const char *at, struct slot slot, enum type type)
{
	struct cond *c;
	int i = slot_add(p, at, slot);

	if (i < 0)
		return NULL;
	c = arena_alloc(p->arena, sizeof(*c));
	*c = (struct cond){.op = COND_SLOT, .loc = place(p, at), .slot = i,
	    .value = type_signed(type) ? 8 * type_size(type) : 0};
	return c;
}

/* "r0, r1": the registers of a thread, for a message. */
static const char *
reg_list(const struct thread *t, char *s, size_t size)
{
	size_t n = 0;
	int i;

	snprintf(s, size, "none");
	for (i = 0; i < t->nregs && n < size; i++)
		n += (size_t)snprintf(s + n, size - n, "%s%s", i ? ", " : "",
		    t->regs[i].name);
	return s;
}

/* thread:register, P1:r0 or 1:r0, from p->s on. */
static const struct cond *
register_parse(struct parser *p)
{
	const struct program *g = p->program;
	const char *at = p->s;
	const struct thread *t;
	int64_t thread;
	size_t n;
	char list[120];
	int i;

	p->s += *p->s == 'P';
	if (!number(p, &thread) || *p->s++ != ':')
		return fail(p, at, "thread:register");
	skip(p);
	if (thread < 0 || thread >= g->nthreads) {
		err_set(p->err, ERR_INPUT, place(p, at),
		    "no thread %lld (0 to %d)", (long long)thread,
		    g->nthreads - 1);
		return NULL;
	}
	n = word(p->s);
	t = &g->threads[thread];
	for (i = 0; i < t->nregs; i++)
		if (n && strlen(t->regs[i].name) == n &&
		    memcmp(t->regs[i].name, p->s, n) == 0)
			break;
	if (n == 0)
		return fail(p, p->s, "a register");
	if (i == t->nregs) {
		err_set(p->err, ERR_INPUT, place(p, p->s),
		    "thread %lld has no register '%.*s' (%s)",
		    (long long)thread, (int)(n < 40 ? n : 40), p->s,
		    reg_list(t, list, sizeof(list)));
		return NULL;
	}
	p->s += n;
	return slot_node(p, at, (struct slot){
	    .name = arena_printf(p->arena, "%lld:%s", (long long)thread,
		t->regs[i].name),
	    .thread = (int)thread, .reg = i, .var = -1,
	    .size = type_size(t->regs[i].type)}, t->regs[i].type);
}

static int
var_find(const struct program *g, const char *s, size_t n)
{
	int i;

	for (i = 0; i < g->nvars; i++)
		if (strlen(g->vars[i].name) == n &&
		    memcmp(g->vars[i].name, s, n) == 0)
			return i;
	return -1;
}

/* The element that a byte offset or an index names, or -1. */
static int
element(struct parser *p, const struct var *v, const char *at,
    int64_t value, bool bytes)
{
	int64_t elem = bytes ? value / v->size : value;

	if (bytes && value % v->size != 0) {
		err_set(p->err, ERR_INPUT, place(p, at),
		    "offset %lld is inside an element of %s (%d bytes each)",
		    (long long)value, v->name, v->size);
		return -1;
	}
	if (elem < 0 || elem >= v->count) {
		err_set(p->err, ERR_INPUT, place(p, at),
		    "%s has %d element%s", v->name, v->count,
		    plural((uint64_t)v->count));
		return -1;
	}
	return (int)elem;
}

/* [x], [x+4], x[1], x */
static const struct cond *
memory_parse(struct parser *p)
{
	const struct program *g = p->program;
	bool bracket = *p->s == '[', bytes = false;
	const char *at = p->s, *name, *where;
	int64_t value = 0;
	size_t n;
	int var, elem;

	p->s += bracket;
	skip(p);
	name = where = p->s;
	n = word(name);
	if (n == 0)
		return fail(p, p->s, "a location");
	var = var_find(g, name, n);
	if (var < 0) {
		err_set(p->err, ERR_INPUT, place(p, name),
		    "no location '%.*s'%s", (int)(n < 40 ? n : 40), name,
		    bracket ? "" : " (a register is thread:register, 0:r0)");
		return NULL;
	}
	p->s += n;
	skip(p);
	if (bracket ? *p->s == '+' : *p->s == '[') {
		bytes = bracket;
		p->s++;
		skip(p);
		where = p->s;
		if (!number(p, &value))
			return fail(p, p->s, "a number");
		skip(p);
		bracket = true;
	}
	if (bracket && *p->s++ != ']')
		return fail(p, p->s - 1, "']'");
	elem = element(p, &g->vars[var], where, value, bytes);
	if (elem < 0)
		return NULL;
	name = g->vars[var].name;
	return slot_node(p, at, (struct slot){
	    .name = elem ? arena_printf(p->arena, "[%s+%d]", name,
		elem * g->vars[var].size) : arena_printf(p->arena, "[%s]",
		name),
	    .thread = -1, .reg = -1, .var = var, .elem = elem,
	    .size = g->vars[var].size}, g->vars[var].type);
}

/* ---- expressions -------------------------------------------------------- */

static const struct cond *expression(struct parser *p, int level);
static const struct cond *unary(struct parser *p);

static const struct cond *
constant(struct parser *p, const char *at, int64_t value)
{
	struct cond *c = arena_alloc(p->arena, sizeof(*c));

	*c = (struct cond){.op = COND_CONST, .loc = place(p, at),
	    .value = value, .slot = -1};
	return c;
}

static bool
keyword(struct parser *p, const char *s)
{
	size_t n = strlen(s);

	if (word(p->s) != n || strncmp(p->s, s, n) != 0 || p->s[n] == ':')
		return false;
	p->s += n;
	return true;
}

static const struct cond *
primary(struct parser *p)
{
	const char *at = p->s;
	const struct cond *c;
	int64_t value;

	if (*p->s == '(') {
		p->s++;
		c = expression(p, 1);
		if (!c)
			return NULL;
		skip(p);
		if (*p->s != ')')
			return fail(p, p->s, "')'");
		p->s++;
		return c;
	}
	if (*p->s >= '0' && *p->s <= '9') {
		if (!number(p, &value))
			return fail(p, at, "a number of 64 bits");
		if (*p->s != ':')
			return constant(p, at, value);
		p->s = at;
		return register_parse(p);
	}
	if (*p->s == 'P' && p->s[1] >= '0' && p->s[1] <= '9' &&
	    p->s[1 + strspn(p->s + 1, "0123456789")] == ':')
		return register_parse(p);
	if (keyword(p, "true"))
		return constant(p, at, 1);
	if (keyword(p, "false"))
		return constant(p, at, 0);
	if (*p->s == '[' || word(p->s))
		return memory_parse(p);
	return fail(p, p->s, "a register, a location or a number");
}

static const struct cond *
negation(struct parser *p, const char *at)
{
	const struct cond *c = unary(p);

	if (!c)
		return NULL;
	if (*at == '-')
		return node(p, COND_NEG, place(p, at), c, NULL);
	return node(p, *at == '~' && !is_truth(c) ? COND_BITNOT : COND_NOT,
	    place(p, at), c, NULL);
}

static const struct cond *
unary(struct parser *p)
{
	const struct cond *c;
	const char *at;

	if (++p->depth > COND_DEPTH_MAX) {
		err_set(p->err, ERR_LIMIT, place(p, p->s),
		    "the condition is nested more than %d deep",
		    COND_DEPTH_MAX);
		return NULL;
	}
	skip(p);
	at = p->s;
	if ((*at == '!' && at[1] != '=') || *at == '-' || *at == '~') {
		p->s++;
		c = negation(p, at);
	} else if (keyword(p, "not")) {
		c = unary(p);
		if (c)
			c = node(p, COND_NOT, place(p, at), c, NULL);
	} else {
		c = primary(p);
	}
	p->depth--;
	return c;
}

static const struct binary *
binary_find(const char *s)
{
	int i;

	for (i = 0; i < BINARIES; i++)
		if (strncmp(s, binaries[i].spelling,
		    strlen(binaries[i].spelling)) == 0)
			return &binaries[i];
	return NULL;
}

/* Operators of at least that level; all bind to the left. */
static const struct cond *
expression(struct parser *p, int level)
{
	const struct cond *a = unary(p), *b;

	while (a) {
		const struct binary *op;
		const char *at;

		skip(p);
		at = p->s;
		op = binary_find(at);
		if (!op || op->level < level)
			return a;
		p->s += strlen(op->spelling);
		b = expression(p, op->level + 1);
		a = b ? node(p, op->op, place(p, at), a, b) : NULL;
	}
	return NULL;
}

static void
quantifier(struct parser *p, enum quantifier *quant)
{
	const char *at = p->s;
	bool not = *p->s == '~';

	p->s += not;
	skip(p);
	if (keyword(p, "exists"))
		*quant = not ? QUANT_NEVER : QUANT_EXISTS;
	else if (!not && keyword(p, "never"))
		*quant = QUANT_NEVER;
	else if (!not && keyword(p, "forall"))
		*quant = QUANT_FORALL;
	else
		p->s = at;
}

bool
cond_parse(const char *s, struct loc loc, struct program *program,
    struct arena *a, enum quantifier *quant, const struct cond **cond,
    struct err *err)
{
	struct parser p = {s, s, loc, program, a, err, 0};
	enum quantifier q = quant ? *quant : QUANT_EXISTS;
	int nslots = program->nslots;
	const struct cond *c;

	if (strlen(s) > COND_SIZE_MAX)
		return err_set(err, ERR_LIMIT, loc,
		    "a condition of more than %d bytes", COND_SIZE_MAX);
	skip(&p);
	if (quant)
		quantifier(&p, &q);
	c = expression(&p, 1);
	if (c) {
		skip(&p);
		if (*p.s)
			c = fail(&p, p.s, "an operator or the end");
	}
	if (!c) {
		program->nslots = nslots;
		return false;
	}
	if (quant)
		*quant = q;
	*cond = c;
	return true;
}
