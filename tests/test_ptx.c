/* ptx, operand, rules, ptx_print, alu */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../gen/ptx.h"
#include "help_plan.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

/* A world with the locations x, y and s, and registers as they come. */
struct world {
	char regs[32][64];
	int nregs;
};

static const char *const vars[] = {"x", "y", "s"};
static const char *const specials[] = {"%tid.x", "%laneid", "%clock64"};

static int
index_of(const char *const *names, int count, const char *name, size_t n)
{
	int i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			return i;
	return -1;
}

static int
world_var(void *user, const char *name, size_t n)
{
	(void)user;
	return index_of(vars, COUNT(vars), name, n);
}

static int
world_special(void *user, const char *name, size_t n)
{
	(void)user;
	return index_of(specials, COUNT(specials), name, n);
}

static int
world_reg(void *user, const char *name, size_t n, struct loc loc)
{
	struct world *w = user;
	int i;

	(void)loc;
	for (i = 0; i < w->nregs; i++)
		if (strlen(w->regs[i]) == n &&
		    memcmp(w->regs[i], name, n) == 0)
			return i;
	memcpy(w->regs[w->nregs], name, n);
	w->regs[w->nregs][n] = '\0';
	return w->nregs++;
}

static const char *
spell_reg(void *user, int reg)
{
	return ((struct world *)user)->regs[reg];
}

static const char *
spell_var(void *user, int var)
{
	(void)user;
	return vars[var];
}

static const char *
spell_label(void *user, int insn)
{
	(void)user;
	(void)insn;
	return "L0";
}

static const char *
spell_special(void *user, int special)
{
	(void)user;
	return specials[special];
}

static bool
parse(const char *s, unsigned flags, struct world *w, struct arena *a,
    struct insn *insn, struct err *err)
{
	struct symbols y = {w, world_reg, world_var, world_special, flags};
	struct loc loc = {"t", 1, 1};
	const char *label;

	return ptx_parse(&s, &loc, &y, a, insn, &label, err);
}

static const char *
print(const struct insn *insn, struct world *w, struct arena *a)
{
	struct spelling y = {.user = w, .reg = spell_reg, .var = spell_var,
	    .label = spell_label, .special = spell_special};
	struct text t;

	text_init(&t, a);
	ptx_print(&t, insn, &y);
	return t.s;
}

/* Each prints as it was read. Together they use every row of both tables;
   rows_are_all_used looks. */
static const char *const exact[] = {
#include "ptx_exact.def"
};

#define EVERY (OP_TEST | OP_HARNESS | OP_DIALECT)

static bool
parse_exact(int i, struct world *w, struct arena *a, struct insn *insn,
    struct err *err)
{
	return parse(arena_printf(a, "%s;", exact[i]), EVERY, w, a, insn,
	    err);
}

START_TEST(prints_as_read)
{
	struct arena *a = arena_new();
	struct world w = {0};
	struct insn insn;
	struct err err = {0};
	bool read = parse_exact(_i, &w, a, &insn, &err);

	ck_assert_msg(read, "%s: %s", exact[_i], err.message);
	ck_assert_str_eq(print(&insn, &w, a), exact[_i]);
	arena_free(a);
}
END_TEST

START_TEST(rows_are_all_used)
{
	struct arena *a = arena_new();
	bool ops[OP_COUNT] = {0}, quals[256] = {0};
	enum group_id g;
	size_t q;
	int i;

	ck_assert_uint_lt(quals_count, 256);
	for (i = 0; i < COUNT(exact); i++) {
		struct world w = {0};
		struct insn insn;
		struct err err;

		ck_assert(parse_exact(i, &w, a, &insn, &err));
		ops[insn.op->id] = true;
		for (g = 0; g < GROUP_COUNT; g++)
			if (op_has(insn.op, g) && insn_qual(&insn, g))
				quals[insn_qual(&insn, g) - quals_table] =
				    true;
	}
	for (i = OP_NONE + 1; i < OP_COUNT; i++)
		ck_assert_msg(ops[i], "no test of %s",
		    ops_table[i].mnemonic);
	for (q = 0; q < quals_count; q++)
		ck_assert_msg(quals[q] || strcmp("shared::cta",
		    quals_table[q].spelling) == 0, "no test of %s %s",
		    groups_table[quals_table[q].group].label,
		    quals_table[q].spelling);
	arena_free(a);
}
END_TEST

#define NAMES_OF(function, last)                                           \
	for (i = 0; i <= (int)(last); i++)                                 \
		for (j = 0, s = function(i); j <= i; j++)                  \
			ck_assert_msg(s && (j == i ||                      \
			    strcmp(s, function(j)) != 0),                  \
			    #function " of %d and %d", i, j)

/* Every row of names.def is there, and no two of an enum are alike. */
START_TEST(names_are_all_different)
{
	const char *s;
	int i, j;

	NAMES_OF(sem_name, SEM_MMIO);
	NAMES_OF(scope_name, SCOPE_SYS);
	NAMES_OF(space_name, SPACE_PARAM);
	NAMES_OF(type_name, TYPE_F64);
	NAMES_OF(proxy_name, PROXY_ASYNC);
	NAMES_OF(rmw_name, RMW_POPC);
	NAMES_OF(cmp_name, CMP_HS);
	NAMES_OF(mode_name, MODE_L2);
	NAMES_OF(cache_name, CACHE_WT);
	NAMES_OF(evict_name, EVICT_NO_ALLOCATE);
	NAMES_OF(expect_name, EXPECT_FORBIDDEN);
	NAMES_OF(quantifier_name, QUANT_FORALL);
}
END_TEST

/* What defaults make of it, and other spellings. */
static const struct {
	const char *in, *out;
} forms[] = {
	{"ld.u32 r0,[x];", "ld.weak.u32 r0, [x]"},
	{"ld r0,[x];", "ld.weak r0, [x]"},
	{"ld.shared::cta.u32 r0,[s];", "ld.weak.shared.u32 r0, [s]"},
	{"st.u32 [x],0x10;", "st.weak.u32 [x], 16"},
	{"st.u32 [ x + 8 ] , 0b11U ;", "st.weak.u32 [x+8], 3"},
	{"st.u32 [x-8], 017;", "st.weak.u32 [x+-8], 15"},
	{"atom.add.u32 r0, [x], 1;", "atom.relaxed.gpu.add.u32 r0, [x], 1"},
	{"red.add.u32 [x], 1;", "red.relaxed.gpu.add.u32 [x], 1"},
	{"fence.gpu;", "fence.acq_rel.gpu"},
	{"barrier.cluster.arrive;", "barrier.cluster.arrive.release"},
	{"barrier.cluster.wait.aligned;",
	    "barrier.cluster.wait.acquire.aligned"},
	{" // a comment\n\t/* and\none */ @ p0\n\tbra\n L0 ;", "@p0 bra L0"},
	{"mov.b64 r0, 0xffffffffffffffff;", "mov.b64 r0, -1"},
	{"exit;", "exit"},
	{"mbarrier.arrive.shared::cta.b64 _, [s];",
	    "mbarrier.arrive.release.cta.shared.b64 _, [s]"},
	{"mbarrier.test_wait.parity.b64 p0, [s], 0;",
	    "mbarrier.test_wait.parity.acquire.cta.b64 p0, [s], 0"},
	{"mbarrier.expect_tx.shared.b64 [s], 16;",
	    "mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 16"},
	{"cp.async.ca.shared::cta.global [s], [x], 16;",
	    "cp.async.ca.shared.global [s], [x], 16"},
};

START_TEST(canonical_form)
{
	struct arena *a = arena_new();
	struct world w = {0};
	struct insn insn;
	struct err err = {0};
	bool read = parse(forms[_i].in, OP_TEST, &w, a, &insn, &err);

	ck_assert_msg(read, "%s: %s", forms[_i].in, err.message);
	ck_assert_str_eq(print(&insn, &w, a), forms[_i].out);
	arena_free(a);
}
END_TEST

static void
reg_declare(struct text *t, const char *name, enum type type)
{
	int bits = 8 * type_size(type);

	if (type == TYPE_PRED)
		text_printf(t, " .reg .pred %s;", name);
	else
		text_printf(t, " .reg .b%d %s;", bits < 16 ? 16 : bits, name);
}

/* The instruction in a scope of its own, with registers as it needs. */
static void
scope_write(struct text *t, const struct insn *insn, struct world *w,
    struct arena *a)
{
	enum type types[32] = {TYPE_NONE};
	int i, j;

	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];
		enum type type = o->kind == OPERAND_ADDR ? TYPE_B64 :
		    operand_type(insn, i);

		if (o->reg >= 0)
			types[o->reg] = type;
		for (j = 0; j < o->nvec; j++)
			types[o->vec[j]] = type;
	}
	if (insn->guard >= 0)
		types[insn->guard] = TYPE_PRED;
	text_printf(t, "{");
	for (i = 0; i < w->nregs; i++)
		reg_declare(t, w->regs[i], types[i]);
	text_printf(t, " L0: %s; }\n", print(insn, w, a));
}

/* What a test may hold, the assembler takes. */
START_TEST(assembler_takes_what_is_read)
{
	struct arena *a = arena_new();
	const char *cubin;
	struct text t;
	int i, count = 0;

	text_init(&t, a);
	text_printf(&t, ".version 8.8\n.target sm_100\n.address_size 64\n"
	    ".global .align 64 .b8 x[64];\n.shared .align 64 .b8 s[64];\n"
	    ".visible .entry k()\n{\n");
	for (i = 0; i < COUNT(exact); i++) {
		struct world w = {0};
		struct insn insn;
		struct err err;

		if (!parse(arena_printf(a, "%s;", exact[i]), OP_TEST, &w, a,
		    &insn, &err))
			continue; /* for the harness, or of the dialect */
		scope_write(&t, &insn, &w, a);
		count++;
	}
	text_printf(&t, "ret;\n}\n");
	ck_assert_int_gt(count, 130);
	if (plan_assemble(t.s, 100, a, &cubin))
		remove(cubin);
	arena_free(a);
}
END_TEST

/* With the version and the target that each is said to need, alone: the
   assembler takes it there, and none that is older. */
START_TEST(assembler_takes_it_where_it_is_said)
{
	struct arena *a = arena_new();
	struct world w = {0};
	const char *cubin;
	struct insn insn;
	struct text t;
	struct err err;
	int ptx, sm;

	if (!parse(arena_printf(a, "%s;", exact[_i]), OP_TEST, &w, a, &insn,
	    &err) || (insn.op->class != CLASS_MBARRIER &&
	    insn.op->class != CLASS_ASYNC)) {
		arena_free(a);
		return;
	}
	insn_needs(&insn, &ptx, &sm);
	text_init(&t, a);
	text_printf(&t, ".version %d.%d\n.target sm_%d\n.address_size 64\n"
	    ".global .align 64 .b8 x[64];\n.shared .align 64 .b8 s[64];\n"
	    ".visible .entry k()\n{\n", ptx / 10, ptx % 10, sm);
	scope_write(&t, &insn, &w, a);
	text_printf(&t, "ret;\n}\n");
	if (plan_assemble(t.s, sm, a, &cubin))
		remove(cubin);
	arena_free(a);
}
END_TEST

static const struct {
	const char *in;
	int column;
	const char *message;
} wrong[] = {
#include "ptx_wrong.def"
};

START_TEST(names_what_is_wrong)
{
	struct arena *a = arena_new();
	struct world w = {0};
	struct insn insn = {.nops = 77};
	struct err err = {0};

	ck_assert(!parse(wrong[_i].in, OP_TEST, &w, a, &insn, &err));
	ck_assert_str_eq(err.message, wrong[_i].message);
	ck_assert_int_eq(err.loc.column, wrong[_i].column);
	ck_assert_int_eq(insn.nops, 77);
	arena_free(a);
}
END_TEST

Suite *suite_ptx(void);

Suite *
suite_ptx(void)
{
	Suite *s = suite_create("ptx");
	TCase *c = tcase_create("ptx");

	tcase_add_loop_test(c, prints_as_read, 0, COUNT(exact));
	tcase_add_test(c, rows_are_all_used);
	tcase_add_test(c, names_are_all_different);
	tcase_add_test(c, assembler_takes_what_is_read);
	tcase_add_loop_test(c, assembler_takes_it_where_it_is_said, 0,
	    COUNT(exact));
	tcase_add_loop_test(c, canonical_form, 0, COUNT(forms));
	tcase_add_loop_test(c, names_what_is_wrong, 0, COUNT(wrong));
	suite_add_tcase(s, c);
	return s;
}
