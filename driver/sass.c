/*
 * Is the machine code still the test?
 *
 * Through the line table each tested instruction finds its machine
 * instructions. The one that does the work (the access, the MEMBAR, the
 * BAR) must be there exactly once, as wide and as strong as written, and
 * after the ones before it. What an acquire or a release adds is looked
 * for by place, since assemblers give it the line of a neighbour: MEMBAR
 * before it, CCTL.IVALL after it, with no other tested access in between.
 */
#include "sass.h"

#include <string.h>

struct check {
	const struct plan *plan;
	const struct sass *sass;
	bool strong; /* something is wrong with more than weak accesses */
	struct arena *arena;
	struct text detail, between;
};

/* Scopes as machine code has them, weakest first. */
enum reach { REACH_NONE, REACH_CTA, REACH_GPU, REACH_SYS };

static enum reach
reach_of_scope(enum scope scope)
{
	static const enum reach reach[] = {
		[SCOPE_NONE] = REACH_NONE, [SCOPE_CTA] = REACH_CTA,
		[SCOPE_CLUSTER] = REACH_GPU, [SCOPE_GPU] = REACH_GPU,
		[SCOPE_SYS] = REACH_SYS,
	};

	return reach[scope];
}

/* Is `part` one of the dotted parts of an opcode? */
static bool
has_part(const char *opcode, const char *part)
{
	size_t n = strlen(part);

	while ((opcode = strchr(opcode, '.'))) {
		opcode++;
		if (strncmp(opcode, part, n) == 0 &&
		    (opcode[n] == '.' || !opcode[n]))
			return true;
	}
	return false;
}

bool
sass_opcode_is(const char *opcode, const char *base)
{
	size_t n = strlen(base);

	return strncmp(opcode, base, n) == 0 &&
	    (opcode[n] == '.' || !opcode[n]);
}

static enum reach
reach_of_opcode(const char *opcode)
{
	if (has_part(opcode, "SYS"))
		return REACH_SYS;
	if (has_part(opcode, "GPU"))
		return REACH_GPU;
	if (has_part(opcode, "SM") || has_part(opcode, "CTA"))
		return REACH_CTA;
	return REACH_NONE;
}

/* What does the work of each class. An atom whose result no one needs may
   become a RED. */
static const char *const works[][8] = {
	[CLASS_LOAD] = {"LD", "LDG", "LDS"},
	[CLASS_STORE] = {"ST", "STG", "STS"},
	[CLASS_RMW] = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG"},
	[CLASS_RED] = {"RED", "REDG", "ATOM", "ATOMG", "ATOMS"},
	[CLASS_FENCE] = {"MEMBAR"},
	[CLASS_PROXY_FENCE] = {"MEMBAR", "FENCE"},
	[CLASS_BARRIER] = {"BAR"},
	[CLASS_CLUSTER_BARRIER] = {"UCGABAR_ARV", "UCGABAR_WAIT"},
	[CLASS_MBARRIER] = {"SYNCS"},
	[CLASS_ASYNC] = {"UBLKCP", "LDGSTS"},
	[CLASS_NONE] = {NULL},
};

bool
sass_does(const char *opcode, enum op_class class)
{
	int i;

	for (i = 0; i < 8 && works[class][i]; i++)
		if (sass_opcode_is(opcode, works[class][i]))
			return true;
	return false;
}

static bool
is_access(const char *opcode)
{
	return sass_does(opcode, CLASS_LOAD) ||
	    sass_does(opcode, CLASS_STORE) || sass_does(opcode, CLASS_RMW);
}

/* Has the instruction machine code of its own that must be there? */
static bool
is_checked(const struct insn *insn)
{
	switch (insn->op->class) {
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_RMW:
	case CLASS_RED:
	case CLASS_PROXY_FENCE:
	case CLASS_BARRIER:
	case CLASS_CLUSTER_BARRIER:
	case CLASS_MBARRIER:
		return true;
	case CLASS_ASYNC: /* of groups and waits there may be nothing */
		return insn_is_copy(insn);
	case CLASS_FENCE: /* an acquire fence is a CCTL, or nothing */
		return insn->sem != SEM_ACQUIRE && !insn->mbarrier_init;
	default:
		return false;
	}
}

static int
line_of(int thread, int index)
{
	return 1000 * (thread + 1) + index;
}

static bool
is_weak_access(const struct insn *insn)
{
	return (insn->op->class == CLASS_LOAD ||
	    insn->op->class == CLASS_STORE) && insn->sem == SEM_WEAK;
}

/* Without anything that orders, weak accesses to one location may merge. */
static bool
is_weak_thread(const struct thread *t)
{
	int i;

	for (i = 0; i < t->ninsns; i++)
		if (is_checked(&t->insns[i]) && !is_weak_access(&t->insns[i]))
			return false;
	return true;
}

static void
complain(struct check *c, int thread, int index, const char *what)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];
	struct text t;

	c->strong |= !is_weak_access(insn);
	text_init(&t, c->arena);
	insn_print(&t, c->plan->program, thread, insn);
	text_printf(&c->detail, "%sP%d: %s: %s", c->detail.size ? "\n" : "",
	    thread, t.s, what);
}

/* ---- one instruction --------------------------------------------------- */

/* Index of the machine instruction that does the work, or -1. */
static int
find_work(struct check *c, int thread, int index)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];
	int i, found = -1, n = 0;

	for (i = 0; i < c->sass->ninsns; i++) {
		const struct sass_insn *m = &c->sass->insns[i];

		if (m->line != line_of(thread, index) ||
		    !sass_does(m->opcode, insn->op->class))
			continue;
		if (insn->op->class == CLASS_CLUSTER_BARRIER ||
		    insn->op->class == CLASS_PROXY_FENCE)
			return i;
		/* drivers put a narrower MEMBAR before the fence's own */
		if (insn->op->class == CLASS_FENCE && n > 0) {
			if (reach_of_opcode(m->opcode) >=
			    reach_of_opcode(c->sass->insns[found].opcode))
				found = i;
			continue;
		}
		if (n++ == 0)
			found = i;
	}
	if (n == 0) {
		complain(c, thread, index, "not in the machine code");
		c->strong |= !is_weak_thread(&c->plan->program->threads[
		    thread]);
	}
	if (n > 1)
		complain(c, thread, index, arena_printf(c->arena,
		    "%d times in the machine code", n));
	return n == 1 ? found : -1;
}

static int
width_of(const char *opcode)
{
	static const struct {
		const char *part;
		int bytes;
	} widths[] = {{"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2},
		{"64", 8}, {"128", 16}};
	size_t i;

	for (i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		if (has_part(opcode, widths[i].part))
			return widths[i].bytes;
	return 4;
}

/* Loads and stores may not be torn, nor joined with others. */
static void
check_width(struct check *c, int thread, int index, const char *opcode)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];
	int bytes = type_size(insn->type) * (insn->vec ? insn->vec : 1);

	if (insn->op->class != CLASS_LOAD && insn->op->class != CLASS_STORE)
		return;
	if (width_of(opcode) != bytes)
		complain(c, thread, index, arena_printf(c->arena,
		    "%d bytes, but %s", bytes, opcode));
}

static bool
is_shared(const char *opcode)
{
	return sass_opcode_is(opcode, "LDS") || sass_opcode_is(opcode, "STS") ||
	    sass_opcode_is(opcode, "ATOMS");
}

/* A weak access without a cache hint must be weak in the machine code too:
   otherwise it is not what is tested. Shared memory has one strength. */
static void
check_strength(struct check *c, int thread, int index, const char *opcode)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];
	enum reach want = reach_of_scope(insn->scope);
	bool strong = has_part(opcode, "STRONG");

	if (is_shared(opcode))
		return;
	if (insn->sem == SEM_WEAK) {
		if (strong && insn->cache == CACHE_NONE)
			complain(c, thread, index, arena_printf(c->arena,
			    "weak, but %s", opcode));
		return;
	}
	if (insn->sem == SEM_MMIO) {
		if (!has_part(opcode, "MMIO"))
			complain(c, thread, index, arena_printf(c->arena,
			    "mmio, but %s", opcode));
		return;
	}
	if (insn->sem == SEM_VOLATILE)
		want = REACH_SYS;
	if (!strong || reach_of_opcode(opcode) < want)
		complain(c, thread, index, arena_printf(c->arena,
		    "too weak as %s", opcode));
}

static void
check_fence(struct check *c, int thread, int index, const char *opcode)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];

	if (insn->sem == SEM_SC && !has_part(opcode, "SC"))
		complain(c, thread, index, arena_printf(c->arena,
		    "not sequentially consistent as %s", opcode));
	if (reach_of_opcode(opcode) < reach_of_scope(insn->scope))
		complain(c, thread, index, arena_printf(c->arena,
		    "too narrow as %s", opcode));
}

static bool
is_tested_access(const struct sass_insn *m)
{
	return m->line >= 1000 && is_access(m->opcode);
}

/* A MEMBAR before the instruction at `at`, after the access before it. */
static bool
has_membar(const struct check *c, int at, enum reach reach)
{
	int i;

	for (i = at - 1; i >= 0; i--) {
		const struct sass_insn *m = &c->sass->insns[i];

		if (sass_opcode_is(m->opcode, "MEMBAR"))
			return reach_of_opcode(m->opcode) >= reach;
		if (is_tested_access(m))
			return false;
	}
	return false;
}

/* The L1 dropped after it, before the access after it. */
static bool
has_drop(const struct check *c, int at)
{
	int i;

	for (i = at + 1; i < c->sass->ninsns; i++) {
		const struct sass_insn *m = &c->sass->insns[i];

		if (sass_opcode_is(m->opcode, "CCTL") &&
		    has_part(m->opcode, "IVALL"))
			return true;
		if (is_tested_access(m))
			return false;
	}
	return false;
}

static bool
releases(const struct insn *insn)
{
	return insn->op->class != CLASS_FENCE &&
	    (insn->sem == SEM_RELEASE || insn->sem == SEM_ACQ_REL);
}

static bool
acquires(const struct insn *insn)
{
	if (insn->op->class == CLASS_RED)
		return false;
	return insn->sem == SEM_ACQUIRE || insn->sem == SEM_ACQ_REL ||
	    insn->sem == SEM_SC;
}

static void
check_order(struct check *c, int thread, int index, int at)
{
	const struct insn *insn =
	    &c->plan->program->threads[thread].insns[index];

	if (insn->op->class == CLASS_CLUSTER_BARRIER ||
	    insn->op->class == CLASS_MBARRIER)
		return;
	if (releases(insn) &&
	    !has_membar(c, at, reach_of_scope(insn->scope)))
		complain(c, thread, index, "no MEMBAR of its scope before it");
	/* the L1 belongs to the CTA's SM */
	if (acquires(insn) && insn->scope > SCOPE_CTA && !has_drop(c, at))
		complain(c, thread, index, "no CCTL.IVALL after it");
}

/* ---- a thread ---------------------------------------------------------- */

/* Parts of fences, and what does nothing. */
static bool
is_part(const char *opcode)
{
	static const char *const parts[] = {"MEMBAR", "ERRBAR", "CGAERRBAR",
		"CCTL", "NOP", "DEPBAR"};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (sass_opcode_is(opcode, parts[i]))
			return true;
	return false;
}

/* Is the machine instruction made for a register instruction of the test? */
static bool
is_tested_alu(const struct check *c, const struct sass_insn *m)
{
	int thread = m->line / 1000 - 1, index = m->line % 1000;
	const struct program *p = c->plan->program;

	return thread >= 0 && thread < p->nthreads &&
	    index < p->threads[thread].ninsns &&
	    !is_checked(&p->threads[thread].insns[index]);
}

/* Says what stands between two tested instructions; an access of the
   harness must not. */
static void
list_between(struct check *c, int thread, int index, int from, int to)
{
	struct text t;
	int i;

	text_init(&t, c->arena);
	for (i = from + 1; i < to; i++) {
		const struct sass_insn *m = &c->sass->insns[i];

		if (is_part(m->opcode) || is_tested_alu(c, m))
			continue;
		if (is_access(m->opcode) && m->line < 1000)
			complain(c, thread, index, arena_printf(c->arena,
			    "before it an access of the harness, %s",
			    m->opcode));
		text_printf(&t, "%s%s", t.size ? ", " : "", m->opcode);
	}
	if (t.size)
		text_printf(&c->between, "%sP%d: before instruction %d: %s",
		    c->between.size ? "\n" : "", thread, index + 1, t.s);
}

static bool
is_label(const struct thread *t, int index)
{
	int i;

	for (i = 0; i < t->nlabels; i++)
		if (t->labels[i].insn == index)
			return true;
	return false;
}

static void
check_thread(struct check *c, int thread)
{
	const struct thread *t = &c->plan->program->threads[thread];
	const struct insn *before = NULL; /* at last */
	int i, at, last = -1;

	for (i = 0; i < t->ninsns; i++) {
		const struct insn *insn = &t->insns[i];
		const char *opcode;

		/* blocks may be laid out in another order */
		if (is_label(t, i) || insn->op->class == CLASS_BRANCH ||
		    insn->op->class == CLASS_EXIT)
			last = -1;
		if (!is_checked(insn))
			continue;
		at = find_work(c, thread, i);
		if (at < 0) {
			last = -1;
			continue;
		}
		opcode = c->sass->insns[at].opcode;
		if (is_access(opcode)) {
			check_width(c, thread, i, opcode);
			check_strength(c, thread, i, opcode);
		}
		if (insn->op->class == CLASS_FENCE)
			check_fence(c, thread, i, opcode);
		check_order(c, thread, i, at);
		if (last > at) {
			complain(c, thread, i, "moved before the ones "
			    "written before it");
			c->strong |= !is_weak_access(before);
		} else if (last >= 0)
			list_between(c, thread, i, last, at);
		last = at;
		before = insn;
	}
}

void
sass_check_text(const struct plan *plan, const char *text, struct arena *a,
    struct sass *s)
{
	struct check c = {.plan = plan, .sass = s, .arena = a};
	int i;

	memset(s, 0, sizeof(*s));
	s->status = DOC_CODE_UNCHECKED;
	s->between = "";
	s->detail = "nvdisasm shows no test kernel";
	if (!sass_read(text, plan->test.name, a, s))
		return;
	text_init(&c.detail, a);
	text_init(&c.between, a);
	for (i = 0; i < plan->program->nthreads; i++)
		check_thread(&c, i);
	c.strong |= !sass_check_stress(plan, s, &c.detail);
	s->detail = c.detail.s;
	s->between = c.between.s;
	s->weak_only = !c.strong;
	s->status = c.detail.size ? DOC_CODE_CHANGED : DOC_CODE_CHECKED;
}

void
sass_check(const struct plan *plan, const void *elf, size_t size,
    struct arena *a, struct sass *s)
{
	const char *text, *why;

	if (sass_disassemble(elf, size, a, &text, &why)) {
		sass_check_text(plan, text, a, s);
		return;
	}
	memset(s, 0, sizeof(*s));
	s->status = DOC_CODE_UNCHECKED;
	s->between = "";
	s->detail = why;
}
