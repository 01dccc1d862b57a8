/* A thread's code: PTX instructions and labels out of a block scalar. */
#include "ptx.h"
#include "reader.h"

#include <string.h>

#define REGS_MAX 64
#define LABELS_MAX 64

struct coder {
	const struct expanded *x;
	struct program *program;
	struct thread *thread;
	struct arena *arena;
	struct errs *errs;
	const char *label_names[INSNS_MAX]; /* of each branch */
	const char *why; /* no register could be made of a name */
};

/* ---- names -------------------------------------------------------------- */

/* The instruction keywords of PTX ISA 9.4 that are no mnemonic here, and
   its predefined constants. */
static const char *const keywords[] = {
	"WARP_SZ", "abs", "addc", "alloca", "applypriority", "bfe", "bfi",
	"bfind", "bmsk", "brev", "brkpt", "brx", "call", "clz",
	"clusterlaunchcontrol", "cnot", "copysign", "cos", "cp",
	"createpolicy", "discard", "dp2a", "dp4a", "elect", "ex2", "fma",
	"fns", "getctarank", "griddepcontrol", "isspacep", "istypep",
	"ldmatrix", "ldu", "lg2", "lop3", "mad24", "madc", "mbarrier", "mma",
	"movmatrix", "mul24", "multimem", "pmevent", "prefetchu", "prmt",
	"rcp", "redux", "rsqrt", "sad", "set", "setmaxnreg", "shf", "sin",
	"slct", "sqrt", "st_async", "stackrestore", "stacksave", "stmatrix",
	"subc", "suq", "sured", "szext", "tanh", "tcgen05", "tensormap",
	"testp", "tex", "tld4", "txq", "vabsdiff", "vadd", "video", "vmad",
	"vmax", "vmin", "vset", "vshl", "vshr", "vsub", "wgmma", "wmma",
};

bool
ptx_reserved(const char *name)
{
	size_t n = strlen(name), i;
	enum op_id id;

	for (i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strcmp(keywords[i], name) == 0)
			return true;
	for (id = OP_NONE + 1; id < OP_COUNT; id++)
		if (strcspn(ops_table[id].mnemonic, ".") == n &&
		    memcmp(ops_table[id].mnemonic, name, n) == 0 &&
		    !(ops_table[id].flags == OP_DIALECT))
			return true;
	return false;
}

bool
identifier_check(const char *name, size_t n, const char *what,
    struct loc loc, struct err *err)
{
	char copy[65];

	if (n == 0 || n > 64 || name_length(name) < n || name[0] == '%' ||
	    name[0] == '$')
		return err_set(err, ERR_INPUT, loc, "'%.*s' cannot be the "
		    "name of a %s (letters, digits, _; at most 64)",
		    (int)(n < 40 ? n : 40), name, what);
	memcpy(copy, name, n);
	copy[n] = '\0';
	if (ptx_reserved(copy))
		return err_set(err, ERR_INPUT, loc, "'%s' is a word of PTX "
		    "and cannot be the name of a %s", copy, what);
	return true;
}

static int
coder_var(void *user, const char *name, size_t n)
{
	const struct coder *c = user;
	int i;

	for (i = 0; i < c->program->nvars; i++)
		if (strlen(c->program->vars[i].name) == n &&
		    memcmp(c->program->vars[i].name, name, n) == 0)
			return i;
	return -1;
}

/* Registers are declared by use. */
static int
coder_reg(void *user, const char *name, size_t n, struct loc loc)
{
	struct coder *c = user;
	struct thread *t = c->thread;
	struct err err;
	int i;

	for (i = 0; i < t->nregs; i++)
		if (strlen(t->regs[i].name) == n &&
		    memcmp(t->regs[i].name, name, n) == 0)
			return i;
	if (t->nregs == REGS_MAX)
		c->why = "more than 64 registers in a thread";
	else if (name[0] == '%')
		c->why = "special registers cannot stand in a test, and "
			 "names begin with a letter";
	else if (!identifier_check(name, n, "register", loc, &err))
		c->why = arena_strdup(c->arena, err.message);
	if (c->why)
		return -1;
	t->regs[t->nregs] = (struct reg){
	    .name = arena_strndup(c->arena, name, n), .type = TYPE_NONE,
	    .loc = expanded_base(c->x, expanded_offset(c->x, loc))};
	return t->nregs++;
}

/* ---- reading ------------------------------------------------------------ */

/* Moves an error from the expanded text into the file. */
static bool
report(struct coder *c, const struct err *err)
{
	return errs_say(c->errs, expanded_place(c->x,
	    expanded_offset(c->x, err->loc)), "%s", err->message);
}

static void
insn_place(const struct coder *c, struct insn *insn)
{
	int i;

	insn->loc = expanded_base(c->x, expanded_offset(c->x, insn->loc));
	for (i = 0; i < insn->nops; i++)
		insn->ops[i].loc = expanded_base(c->x, expanded_offset(c->x,
		    insn->ops[i].loc));
}

/* "name:" at the cursor; ok is false after an error. */
static bool
label_parse(struct coder *c, struct cursor *at, bool *ok)
{
	struct thread *t = c->thread;
	struct cursor after = *at;
	size_t n = name_length(at->s);
	struct err err;
	int i;

	if (n == 0)
		return false;
	cursor_advance(&after, n);
	cursor_skip(&after);
	if (after.s[0] != ':' || after.s[1] == ':')
		return false;
	if (!identifier_check(at->s, n, "label", at->loc, &err)) {
		*ok = report(c, &err);
		return true;
	}
	for (i = 0; i < t->nlabels; i++)
		if (strlen(t->labels[i].name) == n &&
		    memcmp(t->labels[i].name, at->s, n) == 0) {
			err_set(&err, ERR_INPUT, at->loc,
			    "label '%s' is already on line %d",
			    t->labels[i].name, t->labels[i].loc.line);
			*ok = report(c, &err);
			return true;
		}
	if (t->nlabels == LABELS_MAX) {
		err_set(&err, ERR_LIMIT, at->loc,
		    "more than %d labels in a thread", LABELS_MAX);
		*ok = report(c, &err);
		return true;
	}
	t->labels[t->nlabels++] = (struct label){
	    arena_strndup(c->arena, at->s, n),
	    expanded_base(c->x, expanded_offset(c->x, at->loc)),
	    t->ninsns};
	cursor_advance(&after, 1);
	*at = after;
	return true;
}

/* After an error: on behind the next ';' or the end of the line. */
static void
resume(struct cursor *at)
{
	size_t n = strcspn(at->s, ";\n");

	cursor_advance(at, n + 1);
}

static bool
insn_read(struct coder *c, struct cursor *at, const struct symbols *symbols)
{
	struct thread *t = c->thread;
	struct insn insn;
	const char *label = NULL;
	struct err err;

	if (t->ninsns == INSNS_MAX) {
		err_set(&err, ERR_LIMIT, at->loc,
		    "more than %d instructions in a thread", INSNS_MAX);
		cursor_advance(at, strlen(at->s));
		return report(c, &err);
	}
	if (!ptx_parse(&at->s, &at->loc, symbols, c->arena, &insn, &label,
	    &err)) {
		if (c->why)
			err_set(&err, err.code, err.loc, "%s", c->why);
		c->why = NULL;
		resume(at);
		return report(c, &err);
	}
	insn_place(c, &insn);
	c->label_names[t->ninsns] = label;
	t->insns[t->ninsns++] = insn;
	return true;
}

static bool
branches_resolve(struct coder *c)
{
	struct thread *t = c->thread;
	bool ok = true;
	int i, j, k;

	for (i = 0; i < t->ninsns; i++) {
		struct insn *insn = &t->insns[i];

		if (!c->label_names[i])
			continue;
		for (k = 0; k < t->nlabels; k++)
			if (strcmp(t->labels[k].name, c->label_names[i]) == 0)
				break;
		for (j = 0; j < insn->nops; j++) {
			if (insn->ops[j].kind != OPERAND_LABEL)
				continue;
			if (k < t->nlabels)
				insn->ops[j].imm = t->labels[k].insn;
			else
				ok = errs_say(c->errs, insn->ops[j].loc,
				    "no label '%s' in this thread",
				    c->label_names[i]);
		}
	}
	return ok;
}

/* A register that is read must get its value somewhere: most often it is
   a misspelt one, or a location's name. */
static bool
registers_written(const struct coder *c, int declared)
{
	const struct thread *t = c->thread;
	bool written[REGS_MAX] = {0}, address[REGS_MAX] = {0}, ok = true;
	int i, j, k;

	for (i = 0; i < t->ninsns; i++)
		for (j = 0; j < t->insns[i].nops; j++) {
			const struct operand *o = &t->insns[i].ops[j];

			if (o->kind == OPERAND_ADDR && o->reg >= 0)
				address[o->reg] = true;
			if (operand_role(&t->insns[i], j) != ROLE_WRITE)
				continue;
			if (o->kind == OPERAND_REG)
				written[o->reg] = true;
			for (k = 0; k < o->nvec; k++)
				written[o->vec[k]] = true;
		}
	for (i = declared; i < t->nregs; i++)
		if (!written[i])
			ok = errs_say(c->errs, t->regs[i].loc, address[i] ?
			    "'%s' is no location, nor a register that was "
			    "given an address (mov.u64 r, x)" :
			    "register '%s' is read and never written (regs "
			    "declares one with a value)", t->regs[i].name);
	return ok;
}

static size_t
bounded_count(const char *s, char ch, size_t most)
{
	size_t n = 1;

	for (; *s && n < most; s++)
		n += *s == ch;
	return n;
}

bool
code_read(const struct expanded *x, struct program *p, int thread,
    struct arena *a, struct errs *errs)
{
	struct coder c = {.x = x, .program = p, .arena = a, .errs = errs,
	    .thread = &p->threads[thread]};
	struct symbols symbols = {&c, coder_reg, coder_var, NULL, OP_TEST};
	struct cursor at = {x->text, {x->node->loc.source, 1, 1}};
	struct reg *regs = arena_alloc(a, REGS_MAX * sizeof(*regs));
	int declared = c.thread->nregs;
	bool ok = true;

	if (x->size > CODE_MAX)
		return errs_say(errs, x->node->loc,
		    "more than %zu KiB of code", CODE_MAX >> 10);
	if (c.thread->nregs)
		memcpy(regs, c.thread->regs,
		    (size_t)c.thread->nregs * sizeof(*regs));
	c.thread->regs = regs;
	c.thread->insns = arena_alloc(a, sizeof(struct insn) *
	    bounded_count(x->text, ';', INSNS_MAX));
	c.thread->labels = arena_alloc(a, sizeof(struct label) *
	    bounded_count(x->text, ':', LABELS_MAX));
	for (;;) {
		bool good = true;

		cursor_skip(&at);
		if (!*at.s)
			break;
		if (!label_parse(&c, &at, &good))
			good = insn_read(&c, &at, &symbols);
		else if (!good)
			resume(&at);
		ok = ok && good;
	}
	ok = branches_resolve(&c) && ok;
	return ok && registers_written(&c, declared);
}
