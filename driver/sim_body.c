/*
 * The body of a kernel: declarations in nested scopes, labels, and
 * instructions, which the one instruction table of gen/ reads.
 */
#include "sim_load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_MAX 32000u
#define CODE_MAX 1000000

/* ---- names --------------------------------------------------------------- */

static bool
family_member(const struct sim_regs *r, const char *name, size_t n,
    uint32_t *index)
{
	char *end;
	unsigned long i;

	if (n < r->length || memcmp(name, r->name, r->length) != 0)
		return false;
	if (r->count == 0) {
		*index = r->first;
		return n == r->length;
	}
	if (n == r->length || !isdigit((unsigned char)name[r->length]))
		return false;
	i = strtoul(name + r->length, &end, 10);
	if (end != name + n || i >= r->count)
		return false;
	*index = r->first + (uint32_t)i;
	return true;
}

/* The innermost declaration wins: the latest. */
static int
find_reg(void *user, const char *name, size_t n, struct loc loc)
{
	struct loader *l = user;
	uint32_t index;
	int i;

	(void)loc;
	for (i = l->nregs - 1; i >= 0; i--)
		if (family_member(&l->regs[i], name, n, &index))
			return (int)index;
	return -1;
}

static uint32_t
place(uint32_t *end, const struct sim_var *var)
{
	uint32_t at = (*end + var->align - 1) & ~(var->align - 1);

	*end = at + (uint32_t)var->size;
	return at;
}

static int
find_var(void *user, const char *name, size_t n)
{
	struct loader *l = user;
	struct sim_var *var;
	int i;

	for (i = l->nvars - 1; i >= 0; i--) {
		var = &l->vars[i];
		if (strlen(var->name) != n || memcmp(var->name, name, n) != 0)
			continue;
		if (var->module && !var->placed) {
			var->value = place(&l->kernel->shared, var);
			var->placed = true;
		}
		return i;
	}
	return -1;
}

static int
find_special(void *user, const char *name, size_t n)
{
	(void)user;
	return sim_special_find(name, n);
}

/* ---- declarations -------------------------------------------------------- */

static bool
add_registers(struct loader *l, enum type type, uint32_t count,
    const struct sim_regs *row)
{
	uint32_t i;

	if (count > REGISTERS_MAX - l->ntypes)
		return load_fail(l, ERR_LIMIT, "more than %u registers",
		    REGISTERS_MAX);
	LOAD_GROW(l->scratch, l->regs, l->nregs);
	l->regs[l->nregs] = *row;
	l->regs[l->nregs++].first = l->ntypes;
	for (i = 0; i < count; i++) {
		LOAD_GROW(l->scratch, l->types, l->ntypes);
		l->types[l->ntypes++] = type;
	}
	l->lower.types = l->types;
	l->lower.nregs = l->ntypes;
	return true;
}

/* .reg .b32 %r<5>; or .reg .pred p, q; */
static bool
registers(struct loader *l)
{
	struct sim_regs row;
	enum type type;
	size_t n = load_word(l);
	uint64_t count;

	for (type = TYPE_PRED; type <= TYPE_F64; type++)
		if (n > 1 && strlen(type_name(type)) == n - 1 &&
		    memcmp(l->s + 1, type_name(type), n - 1) == 0)
			break;
	if (type > TYPE_F64)
		return load_fail(l, ERR_INPUT, "unknown register type '%.*s'",
		    (int)n, l->s);
	load_advance(l, n);
	do {
		n = load_word(l);
		if (n == 0)
			return load_fail(l, ERR_INPUT,
			    "expected a register's name");
		row = (struct sim_regs){.name = l->s, .length = n};
		load_advance(l, n);
		count = 1;
		if (load_is(l, "<")) {
			if (!load_number(l, &count) || !load_expect(l, ">"))
				return false;
			if (count > REGISTERS_MAX)
				count = REGISTERS_MAX + 1;
			row.count = (uint32_t)count;
		}
		if (!add_registers(l, type, (uint32_t)count, &row))
			return false;
	} while (load_is(l, ","));
	return load_expect(l, ";");
}

static bool
variable(struct loader *l, enum space space, bool external)
{
	struct sim_var var;
	uint32_t *end = space == SPACE_LOCAL ? &l->kernel->local :
	    &l->kernel->shared;

	if (!load_variable(l, space, &var))
		return false;
	var.external = external;
	if (!external) {
		if (var.size == 0)
			return load_fail(l, ERR_INPUT, "'%s' has no size",
			    var.name);
		if (var.size + *end > SIM_SHARED_MAX)
			return load_fail(l, ERR_LIMIT,
			    "more than %u bytes of shared or local memory",
			    SIM_SHARED_MAX);
		var.value = place(end, &var);
	}
	return load_add_variable(l, &var) && load_expect(l, ";");
}

/* .loc 1 1 1 is how the emitter marks what is not the test's. */
static bool
location(struct loader *l)
{
	uint64_t file, line, column;

	if (!load_number(l, &file) || !load_number(l, &line) ||
	    !load_number(l, &column))
		return false;
	l->lower.harness = file == 1 && line == 1 && column == 1;
	load_advance(l, strcspn(l->s, "\n"));
	return true;
}

static bool
declaration(struct loader *l)
{
	bool external = load_is(l, ".extern");

	if (load_is(l, ".reg"))
		return registers(l);
	if (load_is(l, ".shared"))
		return variable(l, SPACE_SHARED, external);
	if (load_is(l, ".local"))
		return variable(l, SPACE_LOCAL, false);
	if (load_is(l, ".pragma"))
		return load_to(l, ";");
	if (load_is(l, ".loc"))
		return location(l);
	if (load_is(l, ".file")) {
		load_advance(l, strcspn(l->s, "\n"));
		return true;
	}
	return load_fail(l, ERR_UNSUPPORTED, "unknown directive '%.*s'",
	    (int)load_word(l), l->s);
}

/* ---- labels -------------------------------------------------------------- */

struct nest {
	int regs, vars, labels, uses;
};

static bool
add_label(struct loader *l, const char *name, struct loc loc)
{
	LOAD_GROW(l->scratch, l->labels, l->nlabels);
	l->labels[l->nlabels++] = (struct sim_label){name,
	    l->kernel->ncode, loc};
	return true;
}

/* At the end of a scope its labels bind the branches inside it; branches
   that remain belong to the scope around it. */
static void
close_scope(struct loader *l, const struct nest *scope)
{
	int i, j, kept = scope->uses;

	for (i = scope->uses; i < l->nuses; i++) {
		for (j = l->nlabels - 1; j >= scope->labels; j--)
			if (strcmp(l->labels[j].name, l->uses[i].name) == 0)
				break;
		if (j < scope->labels)
			l->uses[kept++] = l->uses[i];
		else
			l->kernel->code[l->uses[i].code].target =
			    l->labels[j].code;
	}
	l->nuses = kept;
	l->nregs = scope->regs;
	l->nvars = scope->vars;
	l->nlabels = scope->labels;
}

static bool
label(struct loader *l, size_t n)
{
	const char *name = arena_strndup(l->scratch, l->s, n);
	struct loc loc = l->loc;

	load_advance(l, n);
	return load_expect(l, ":") && add_label(l, name, loc);
}

/* ---- instructions -------------------------------------------------------- */

static bool
instruction(struct loader *l)
{
	struct symbols symbols = {l, find_reg, find_var, find_special,
	    OP_HARNESS};
	struct insn *insn = arena_alloc(l->arena, sizeof(*insn));
	const char *target = NULL;

	if (!ptx_parse(&l->s, &l->loc, &symbols, l->arena, insn, &target,
	    l->err) || !sim_lower(&l->lower, insn, l->err))
		return false;
	if (l->kernel->ncode > CODE_MAX)
		return load_fail(l, ERR_LIMIT, "more than %d instructions",
		    CODE_MAX);
	if (insn->op->class == CLASS_BRANCH) {
		LOAD_GROW(l->scratch, l->uses, l->nuses);
		l->uses[l->nuses++] = (struct sim_label){target,
		    l->kernel->ncode - 1, insn->loc};
	}
	return true;
}

static bool
is_label(struct loader *l, size_t *n)
{
	const char *s;

	*n = load_word(l);
	if (*n == 0 || *l->s == '.')
		return false;
	for (s = l->s + *n; isspace((unsigned char)*s); s++)
		continue;
	return s[0] == ':' && s[1] != ':';
}

#define DEPTH_MAX 64

bool
load_body(struct loader *l)
{
	struct nest scopes[DEPTH_MAX];
	int depth = 0;
	size_t n;

	scopes[0] = (struct nest){l->nregs, l->nvars, 0, 0};
	while (depth >= 0) {
		bool ok = true;

		load_skip(l);
		if (load_is(l, "}")) {
			close_scope(l, &scopes[depth--]);
		} else if (load_is(l, "{")) {
			if (++depth == DEPTH_MAX)
				return load_fail(l, ERR_LIMIT,
				    "scopes more than %d deep", DEPTH_MAX);
			scopes[depth] = (struct nest){l->nregs, l->nvars,
			    l->nlabels, l->nuses};
		} else if (load_is(l, ";")) {
			continue;
		} else if (*l->s == '.') {
			ok = declaration(l);
		} else if (is_label(l, &n)) {
			ok = label(l, n);
		} else if (!*l->s) {
			ok = load_fail(l, ERR_INPUT,
			    "expected '}', found the end");
		} else {
			ok = instruction(l);
		}
		if (!ok)
			return false;
	}
	if (l->nuses > 0) {
		l->loc = l->uses[0].loc;
		return load_fail(l, ERR_INPUT, "no label '%s'",
		    l->uses[0].name);
	}
	if (l->kernel->shared > SIM_SHARED_MAX)
		return load_fail(l, ERR_LIMIT,
		    "more than %u bytes of shared memory", SIM_SHARED_MAX);
	sim_lower_end(&l->lower);
	return true;
}
