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
	"ld.weak.global.u32 r0, [x]",
	"ld.relaxed.gpu.global.u32 r0, [x+4]",
	"ld.relaxed.gpu.global.u32 r0, [x+-4]",
	"ld.acquire.cta.shared.b64 r0, [s]",
	"ld.acquire.cluster.shared::cluster.b32 r0, [r1]",
	"ld.relaxed.sys.u8 r0, [r1+1]",
	"ld.volatile.global.s32 r0, [x]",
	"ld.mmio.relaxed.sys.global.u16 r0, [x]",
	"ld.weak.global.ca.b8 r0, [x]",
	"ld.weak.global.cg.s8 r0, [x]",
	"ld.weak.global.cs.b16 r0, [x]",
	"ld.weak.global.lu.s16 r0, [x]",
	"ld.weak.global.cv.u64 r0, [x]",
	"ld.global.nc.u32 r0, [x]",
	"ld.global.cg.nc.u32 r0, [x]",
	"ld.global.nc.L1::no_allocate.u32 r0, [x]",
	"ld.weak.global.L1::evict_normal.u32 r0, [x]",
	"ld.weak.global.L1::evict_unchanged.u32 r0, [x]",
	"ld.acquire.gpu.global.L1::evict_first.u32 r0, [x]",
	"ld.weak.global.L1::evict_last.u32 r0, [x]",
	"ld.weak.global.v2.u32 {r0, r1}, [x]",
	"ld.relaxed.gpu.global.v4.u32 {r0, r1, r2, r3}, [x]",
	"ld.weak.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [x]",
	"ld.param.u64 r0, [x]",
	"ld.const.u32 r0, [x]",
	"ld.weak.local.u32 r0, [x]",
	"ld.weak.local.u32 r0, [16]",
	"st.weak.global.u32 [x], 1",
	"st.weak.global.u32 [x], -1",
	"st.relaxed.cta.shared.u32 [s], r0",
	"st.release.gpu.global.s64 [x], r0",
	"st.volatile.global.u32 [x], r0",
	"st.mmio.relaxed.sys.global.u32 [x], 1",
	"st.weak.global.wb.u32 [x], 1",
	"st.weak.global.cg.u32 [x], 1",
	"st.weak.global.cs.u32 [x], 1",
	"st.weak.global.wt.u32 [x], 1",
	"st.weak.global.L1::no_allocate.u32 [x], 1",
	"st.weak.global.v2.u64 [x], {r0, r1}",
	"atom.relaxed.gpu.global.add.u32 r0, [x], 1",
	"atom.acquire.cta.global.exch.b32 r0, [x], 1",
	"atom.release.sys.global.cas.b64 r0, [x], r1, 2",
	"atom.acq_rel.cluster.shared.min.s32 r0, [s], 1",
	"atom.relaxed.gpu.global.max.u64 r0, [x], 1",
	"atom.relaxed.gpu.global.and.b32 r0, [x], 1",
	"atom.relaxed.gpu.global.or.b32 r0, [x], 1",
	"atom.relaxed.gpu.global.xor.b32 r0, [x], 1",
	"atom.relaxed.gpu.global.inc.u32 r0, [x], 7",
	"atom.relaxed.gpu.global.dec.u32 r0, [x], 7",
	"atom.relaxed.gpu.global.cas.b16 r0, [x], 0, 7",
	"red.relaxed.gpu.global.add.u32 [x], 1",
	"red.release.gpu.global.min.u32 [x], 1",
	"red.relaxed.gpu.global.max.s64 [x], 1",
	"red.relaxed.gpu.global.and.b32 [x], 1",
	"red.relaxed.gpu.global.or.b32 [x], 1",
	"red.relaxed.gpu.global.xor.b64 [x], 1",
	"red.relaxed.gpu.global.inc.u32 [x], 1",
	"red.relaxed.gpu.global.dec.u32 [x], 1",
	"fence.sc.cta",
	"fence.acq_rel.gpu",
	"fence.acquire.sys",
	"fence.release.cluster",
	"fence.acquire.sync_restrict::shared::cluster.cluster",
	"fence.release.sync_restrict::shared::cta.cluster",
	"fence.mbarrier_init.release.cluster",
	"membar.cta", "membar.gl", "membar.sys",
	"fence.proxy.alias",
	"fence.proxy.async",
	"fence.proxy.async.global",
	"fence.proxy.async.shared::cta",
	"fence.proxy.async.shared::cluster",
	"bar.sync 0",
	"bar.sync r0, 64",
	"bar.cta.sync 0",
	"bar.arrive 1, 64",
	"bar.red.popc.u32 r0, 1, p0",
	"bar.red.and.pred p0, 1, 64, !p1",
	"bar.red.or.pred p0, 1, p1",
	"barrier.sync 0",
	"barrier.sync.aligned 0, 32",
	"barrier.cta.arrive 1, 64",
	"barrier.red.popc.aligned.u32 r0, 1, p0",
	"barrier.cluster.arrive.release",
	"barrier.cluster.arrive.relaxed.aligned",
	"barrier.cluster.wait.acquire",
	"mbarrier.init.shared.b64 [s], 32",
	"mbarrier.arrive.release.cta.shared.b64 r0, [s]",
	"mbarrier.arrive.relaxed.cluster.shared.b64 r0, [s], 2",
	"mbarrier.test_wait.acquire.cta.shared.b64 p0, [s], r0",
	"mbarrier.try_wait.parity.relaxed.cta.shared.b64 p0, [s], 1",
	"mbarrier.try_wait.acquire.cluster.shared.b64 p0, [s], r0, 100",
	"mbarrier.inval.shared.b64 [s]",
	"mbarrier.arrive.release.cta.shared.b64 _, [s]",
	"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [s], 2",
	"mbarrier.arrive.expect_tx.release.cta.shared.b64 r0, [s], 16",
	"mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, "
	    "[s], 16",
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 16",
	"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [s], 16",
	"cp.async.ca.shared.global [s], [x], 4",
	"cp.async.cg.shared.global [s+16], [x+16], 16",
	"cp.async.commit_group",
	"cp.async.wait_group 1",
	"cp.async.wait_all",
	"cp.async.mbarrier.arrive.noinc.shared.b64 [s]",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
	    "[s], [x], 16, [s+32]",
	"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
	    "[s], [x], 16, [s+32]",
	"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
	    "[s], [s+16], 16, [s+32]",
	"cp.async.bulk.global.shared::cta.bulk_group [x], [s], 32",
	"cp.async.bulk.commit_group",
	"cp.async.bulk.wait_group 0",
	"cp.async.bulk.wait_group.read 1",
	"bar.warp.sync -1",
	"vote.sync.all.pred p0, p1, -1",
	"vote.sync.any.pred p0, !p1, -1",
	"vote.sync.uni.pred p0, p1, -1",
	"vote.sync.ballot.b32 r0, p1, -1",
	"shfl.sync.up.b32 r0|p0, r1, 1, 0, -1",
	"shfl.sync.down.b32 r0, r1, 1, 31, -1",
	"shfl.sync.bfly.b32 r0, r1, r2, 31, -1",
	"shfl.sync.idx.b32 r0, 7, 1, 31, -1",
	"match.any.sync.b64 r0, r1, -1",
	"match.all.sync.b32 r0|p0, r1, -1",
	"activemask.b32 r0",
	"mov.u64 r0, x",
	"mov.u32 r0, %tid.x",
	"mov.pred p0, 1",
	"add.s32 r0, r1, -1",
	"sub.u64 r0, r1, r2",
	"mul.lo.u32 r0, r1, r2",
	"mul.hi.s64 r0, r1, r2",
	"mul.wide.u32 r0, r1, 8",
	"mad.lo.s32 r0, r1, r2, r3",
	"div.u32 r0, r1, 3",
	"rem.u64 r0, r1, 3",
	"and.b32 r0, r1, 1",
	"or.pred p0, p1, p2",
	"xor.b64 r0, r1, r2",
	"not.b16 r0, r1",
	"neg.s32 r0, r1",
	"shl.b64 r0, r1, 3",
	"shr.u32 r0, r1, r2",
	"min.u16 r0, r1, r2",
	"max.s16 r0, r1, r2",
	"popc.b32 r0, r1",
	"abs.s32 r0, r1",
	"abs.f32 r0, r1",
	"bfi.b64 r0, r1, r2, 32, 32",
	"cvt.rn.f32.s64 r0, r1",
	"setp.leu.f32 p0, r0, r1",
	"setp.nan.f32 p0, r0, r1",
	"setp.eq.u32 p0, r1, 0",
	"setp.ne.b32 p0, r1, 0",
	"setp.lt.s32 p0, r1, 0",
	"setp.le.u32 p0, r1, 0",
	"setp.gt.u32 p0, r1, 0",
	"setp.ge.s64 p0, r1, 0",
	"setp.lo.u32 p0, r1, 0",
	"setp.ls.u32 p0, r1, 0",
	"setp.hi.u32 p0, r1, 0",
	"setp.hs.u64 p0, r1, 0",
	"selp.b32 r0, 1, 0, p0",
	"cvt.u64.u32 r0, r1",
	"cvt.s8.s32 r0, r1",
	"cvta.global.u64 r0, x",
	"cvta.shared::cluster.u64 r0, r1",
	"cvta.to.global.u64 r0, r1",
	"cvta.to.shared.u64 r0, r1",
	"cvta.const.u64 r0, r1",
	"cvta.to.local.u64 r0, r1",
	"cvta.to.param.u64 r0, r1",
	"mapa.shared::cluster.u32 r0, s, 1",
	"mapa.u64 r0, r1, r2",
	"bra L0",
	"@p0 bra.uni L0",
	"@!p0 bra L0",
	"@p0 st.weak.global.u32 [x], 1",
	"exit", "ret", "trap",
	"nanosleep.u32 100",
	"prefetch.global.L2 [x]",
	"prefetch.L1 [r0]",
	"sust.weak.u32 [x], 1",
	"suld.weak.u32 r0, [x]",
	"tld.weak.u32 r0, [x]",
	"cold.weak.u32 r0, [x]",
	"fence.proxy.texture", "fence.proxy.surface", "fence.proxy.constant",
	"red.acquire.gpu.global.add.u32 [x], 1",
	"red.acq_rel.gpu.global.add.u32 [x], 1",
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
	{"ld.relaxed.gpus.global.u32 r0, [x];", 12,
	    "unknown scope 'gpus' (cta, cluster, gpu, sys)"},
	{"ld.relaxed.global.u32 r0, [x];", 4,
	    "a strong access needs a scope (cta, cluster, gpu, sys)"},
	{"ld.release.gpu.global.u32 r0, [x];", 4,
	    "ld takes no semantics 'release' (weak, relaxed, acquire, "
	    "volatile, mmio.relaxed)"},
	{"st.acquire.gpu.global.u32 [x], 1;", 4,
	    "st takes no semantics 'acquire' (weak, relaxed, release, "
	    "volatile, mmio.relaxed)"},
	{"ld.relaxed.gpu.global.cv.u32 r0, [x];", 23,
	    "a cache operator is allowed on weak accesses only"},
	{"ld.weak.gpu.global.u32 r0, [x];", 9,
	    "a weak access takes no scope (.relaxed, .acquire and "
	    ".release do)"},
	{"ld.gpu.global.u32 r0, [x];", 4,
	    "a weak access takes no scope (.relaxed, .acquire and "
	    ".release do)"},
	{"ld.volatile.sys.global.u32 r0, [x];", 13,
	    "a volatile access takes no scope (it acts as relaxed.sys)"},
	{"ld.shared.nc.u32 r0, [s];", 11,
	    "a non-coherent load is from .global memory (ld.global.nc)"},
	{"ld.weak.global.nc.u32 r0, [x];", 4,
	    "ld.nc takes no .weak, .relaxed, .acquire or .volatile "
	    "(ld.global.nc)"},
	{"ld.global.cv.nc.u32 r0, [x];", 11,
	    "ld.nc takes the cache operators ca, cg, cs"},
	{"ld.weak.global.cg.L1::no_allocate.u32 r0, [x];", 16,
	    "a cache operator cannot stand beside an eviction priority"},
	{"ld.volatile.global.L1::no_allocate.u32 r0, [x];", 20,
	    "volatile and mmio accesses take no eviction priority"},
	{"ld.shared.L1::no_allocate.u32 r0, [s];", 11,
	    "an eviction priority is for .global memory only"},
	{"ld.mmio.relaxed.gpu.global.u32 r0, [x];", 17,
	    "an mmio access is .mmio.relaxed.sys"},
	{"ld.mmio.global.u32 r0, [x];", 4, "unknown qualifier 'mmio' of ld"},
	{"st.mmio.relaxed.sys.shared.u32 [s], 1;", 21,
	    "an mmio access is to .global memory"},
	{"fence.global.gpu;", 7, "fence takes no state space ('.global')"},
	{"fence;", 1, "a fence needs a scope (cta, cluster, gpu, sys)"},
	{"fence.sc;", 1, "a fence needs a scope (cta, cluster, gpu, sys)"},
	{"fence.relaxed.gpu;", 7,
	    "fence takes no semantics 'relaxed' (sc, acq_rel, acquire, "
	    "release)"},
	{"fence.acquire.sync_restrict::shared::cta.cluster;", 15,
	    "a restricted fence is "
	    "fence.release.sync_restrict::shared::cta.cluster or "
	    "fence.acquire.sync_restrict::shared::cluster.cluster"},
	{"fence.proxy;", 1, "fence.proxy needs its proxy (alias, async)"},
	{"fence.proxy.alias.global;", 19,
	    "only fence.proxy.async takes a state space"},
	{"fence.proxy.texture;", 13,
	    "fence.proxy takes no proxy 'texture' (alias, async)"},
	{"membar.gpu;", 8, "membar takes no scope ('.gpu')"},
	{"atom.sc.gpu.global.add.u32 r0, [x], 1;", 6,
	    "atom takes no semantics 'sc' (relaxed, acquire, release, "
	    "acq_rel)"},
	{"atom.relaxed.gpu.global.add.s64 r0, [x], 1;", 29,
	    "add takes u32, s32, u64"},
	{"atom.relaxed.gpu.global.inc.u64 r0, [x], 1;", 29, "inc takes u32"},
	{"atom.relaxed.gpu.global.u32 r0, [x], 1;", 1,
	    "atom needs its operation (add, exch, cas, min, max, and, "
	    "or, xor, inc, dec)"},
	{"atom.relaxed.gpu.global.cas.b32 r0, [x], 1;", 1,
	    "atom.cas takes the operands d, [a], b, b, not 3 operands"},
	{"atom.relaxed.gpu.global.exch.b32 r0, [x], 1, 2;", 1,
	    "atom takes the operands d, [a], b, not 4 operands"},
	{"atom.add.gpu.global.u32 r0, [x], 1;", 10,
	    "'.gpu' must stand before the operation"},
	{"red.acq_rel.gpu.global.add.u32 [x], 1;", 5,
	    "red takes no semantics 'acq_rel' (relaxed, release)"},
	{"red.relaxed.gpu.global.exch.b32 [x], 1;", 24,
	    "red takes no operation 'exch' (add, min, max, and, or, "
	    "xor, inc, dec)"},
	{"ld.weak.global.f32 r0, [x];", 16,
	    "ld takes no type 'f32' (b8, u8, s8, b16, u16, s16, b32, u32, "
	    "s32, b64, u64, s64)"},
	{"ld.weak.weak.global.u32 r0, [x];", 9, "a second semantics ('.weak')"},
	{"ld.global.weak.u32 r0, [x];", 11,
	    "'.weak' must stand before the state space"},
	{"ld.weak.global.u32.u32 r0, [x];", 20, "a second type ('.u32')"},
	{"ld.weak.global.u33 r0, [x];", 16,
	    "unknown type 'u33' (b8, u8, s8, b16, u16, s16, b32, u32, "
	    "s32, b64, u64, s64)"},
	{"ldd.weak.global.u32 r0, [x];", 1,
	    "unknown instruction 'ldd' (did you mean ld?)"},
	{"vote.all.pred p0, p1, -1;", 1, "unknown form of vote (vote.sync)"},
	{"wmma.load r0;", 1, "unknown instruction 'wmma'"},
	{"add r0, r1, 1;", 1,
	    "add needs its type (u16, s16, u32, s32, u64, s64)"},
	{"mul.u32 r0, r1, 2;", 1, "mul needs its half (lo, hi, wide)"},
	{"mul.wide.u64 r0, r1, r2;", 5, ".wide takes 16-bit and 32-bit types"},
	{"setp.u32 p0, r1, 0;", 1,
	    "setp needs its comparison (eq, ne, lt, le, gt, ge, lo, ls, "
	    "hi, hs)"},
	{"setp.lo.s32 p0, r1, 0;", 6, "lo, ls, hi, hs compare unsigned types"},
	{"setp.lt.b32 p0, r1, 0;", 6,
	    "types without a sign compare with eq, ne only"},
	{"vote.sync.ballot.pred p0, p1, -1;", 18, "vote.sync.ballot is .b32"},
	{"bar.red.popc.pred p0, 1, p1;", 14, "a barrier's popc is .u32"},
	{"bar.arrive 1;", 1,
	    "bar.arrive takes the operands b, b, not 1 operand"},
	{"bar.gpu.sync 0;", 1,
	    "unknown form of bar (bar.sync, bar.arrive, bar.red, "
	    "bar.warp.sync)"},
	{"bar.sync;", 1, "bar.sync takes the operands b{, b}, not 0 operands"},
	{"ld.weak.global.u32 r0, x;", 24, "expected an address, [x] or [x+4]"},
	{"ld.weak.global.u32 x, [x];", 20,
	    "'x' is a location, not a register (read it with ld; "
	    "mov.u64 takes its address)"},
	{"ld.weak.global.u32 5, [x];", 20, "expected a destination register"},
	{"ld.weak.global.u32 r0;", 1,
	    "ld takes the operands d, [a], not 1 operand"},
	{"ld.weak.global.u32 r0, [x], 1;", 1,
	    "ld takes the operands d, [a], not 3 operands"},
	{"ld.weak.global.u32 r0, [x+r1];", 27,
	    "expected a constant offset in bytes"},
	{"ld.weak.global.u32 r0, [x+4*2];", 28,
	    "expected ']' after the address"},
	{"ld.weak.global.u32 r0, [x;", 26, "expected ']' after the address"},
	{"ld.weak.global.u32 r0, [;", 25,
	    "expected a location or a register after '['"},
	{"ld.weak.global.v2.u32 r0, [x];", 23,
	    "expected a vector of 2 registers, {r0, ...}"},
	{"ld.weak.global.v2.u32 {r0}, [x];", 23, "expected 2 registers, not 1"},
	{"ld.weak.global.v8.u64 {a,b,c,d,e,f,g,h}, [x];", 16,
	    ".v8 is for 32-bit types"},
	{"ld.weak.global.v2.u32 {r0,r1, [x];", 31, "expected a register"},
	{"st.weak.global.u8 [x], 256;", 24, "256 does not fit in .u8"},
	{"st.weak.global.u32 [x], 99999999999999999999;", 25,
	    "the number does not fit in 64 bits"},
	{"st.weak.global.u32 [x], 1.5;", 25,
	    "bad number (decimal, 0x, 0b and 0 forms are read)"},
	{"st.weak.global.u32 [x], 12ab;", 25,
	    "bad number (decimal, 0x, 0b and 0 forms are read)"},
	{"st.weak.global.u32 [x], y;", 25,
	    "'y' is a location, not a register (read it with ld; "
	    "mov.u64 takes its address)"},
	{"st.weak.global.u32 [x], !p;", 25,
	    "'!' is for source predicates only"},
	{"st.weak.global.u32 [x], 1", 26,
	    "expected ',' or ';' after the operand"},
	{"st.weak.global.u32 [x] 1;", 24,
	    "expected ',' or ';' after the operand"},
	{"@ bra L0;", 7, "unknown instruction 'L0'"},
	{"@5 bra L0;", 2, "expected a predicate register after '@'"},
	{"bra;", 1, "bra takes the operands label, not 0 operands"},
	{"bra 5;", 5, "expected a label"},
	{"mov.u32 r0|p0, 1;", 1, "mov takes the operands d, a, not 3 operands"},
	{"mov.u32 %tid.x, 1;", 9,
	    "'%tid.x' is a special register (mov reads it)"},
	{"ld.param.u64 r0, [x];", 4,
	    "ld takes no state space 'param' (global, shared, "
	    "shared::cta, shared::cluster)"},
	{"ret;", 1, "ret cannot stand in a test"},
	{"sust.weak.u32 [x], 1;", 1, "sust cannot stand in a test"},
	{"ld.weak.global.u32 r0, [x+99999999999];", 27,
	    "the offset does not fit in 32 bits"},
	{"selp.b32 r0, 1, 2, x;", 20,
	    "'x' is a location, not a register (read it with ld; "
	    "mov.u64 takes its address)"},
	{"shfl.sync.b32 r0, r1, 1, 31, -1;", 1,
	    "shfl.sync needs its mode (up, down, bfly, idx)"},
	{"ld.acquire.gpu.global.wt.u32 r0, [x];", 23,
	    "ld takes no cache operator 'wt' (ca, cg, cs, lu, cv)"},
	{"prefetch.global [x];", 1, "prefetch needs its cache level (L1, L2)"},
	{"prefetch.shared.L1 [s];", 10, "prefetch is for .global memory"},
	{"nanosleep.u32 1 2;", 17, "expected ',' or ';' after the operand"},
	{"mbarrier.init.shared::cluster.b64 [s], 1;", 15,
	    "this is for an mbarrier of the own CTA (.shared, .shared::cta)"},
	{"mbarrier.test_wait.parity.shared::cluster.b64 p0, [s], 1;", 27,
	    "this is for an mbarrier of the own CTA (.shared, .shared::cta)"},
	{"mbarrier.arrive.global.b64 _, [x];", 17,
	    "an mbarrier is in .shared::cta or .shared::cluster"},
	{"mbarrier.arrive.release.gpu.shared.b64 _, [s];", 25,
	    "an mbarrier's scope is .cta or .cluster"},
	{"mbarrier.arrive.release.shared.b64 _, [s];", 1,
	    "an mbarrier instruction takes semantics and scope together, or "
	    "neither"},
	{"mbarrier.arrive.cluster.shared.b64 _, [s];", 17,
	    "an mbarrier instruction takes semantics and scope together, or "
	    "neither"},
	{"mbarrier.arrive.acquire.cta.shared.b64 _, [s];", 17,
	    "mbarrier.arrive takes no semantics 'acquire' (release, relaxed)"},
	{"mbarrier.expect_tx.release.cta.shared.b64 [s], 16;", 20,
	    "mbarrier.expect_tx takes no semantics 'release' (relaxed)"},
	{"mbarrier.arrive.shared.u64 _, [s];", 24,
	    "mbarrier.arrive takes no type 'u64' (b64)"},
	{"mbarrier.arrive.shared.b64 5, [s];", 28,
	    "expected a destination register or _"},
	{"ld.weak.shared.u32 _, [];", 24,
	    "expected a location or a register after '['"},
	{"cp.async.shared.global [s], [x], 16;", 1,
	    "cp.async needs its cache operator (ca, cg)"},
	{"cp.async.ca.global.shared [x], [s], 16;", 20,
	    "'.shared' must stand before the source's state space"},
	{"cp.async.cs.shared.global [s], [x], 16;", 10,
	    "cp.async takes no cache operator 'cs' (ca, cg)"},
	{"cp.async.bulk.global.global.bulk_group [x], [x], 16;", 22,
	    "a bulk copy is .shared::cluster.global, .shared::cta.global, "
	    ".shared::cluster.shared::cta or .global.shared::cta"},
	{"cp.async.bulk.shared::cluster.global.bulk_group [s], [x], 16;", 38,
	    "a copy to .global completes by .bulk_group, one to shared memory "
	    "by .mbarrier::complete_tx::bytes"},
	{"cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16, [s];", 1,
	    "cp.async.bulk takes the operands [a], [a], b, not 4 operands"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
	    "[s], [x], 16;", 1,
	    "cp.async.bulk takes the operands [a], [a], b, [a], not 3 "
	    "operands"},
	{"cp.async.bulk.global.shared::cta [x], [s], 16;", 1,
	    "cp.async.bulk needs its completion mechanism "
	    "(mbarrier::complete_tx::bytes, bulk_group)"},
	{"cp.async.wait_group.read 0;", 21,
	    "cp.async.wait_group takes no extent ('.read')"},
	{"cp.async.mbarrier.arrive.shared.b64 [s];", 1,
	    "cp.async.mbarrier.arrive needs its count (noinc)"},
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
