/* What register instructions and read-modify-writes compute. */
#include <check.h>
#include <string.h>

#include "../gen/gen.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

static int
any_reg(void *user, const char *name, size_t n, struct loc loc)
{
	(void)user, (void)name, (void)n, (void)loc;
	return 0;
}

static int
no_var(void *user, const char *name, size_t n)
{
	(void)user, (void)name, (void)n;
	return -1;
}

static void
parse(const char *s, struct arena *a, struct insn *insn)
{
	struct symbols y = {NULL, any_reg, no_var, NULL,
	    OP_TEST | OP_HARNESS};
	struct loc loc = {"t", 1, 1};
	const char *label, *text = s;
	struct err err;

	ck_assert_msg(ptx_parse(&s, &loc, &y, a, insn, &label, &err),
	    "%s: %s", text, err.message);
}

#define MINUS(n) (0 - (uint64_t)(n))

static const struct {
	const char *insn;
	uint64_t a, b, c, out;
} results[] = {
	{"mov.u32 d, a;", 0x1234567890, 0, 0, 0x34567890},
	{"mov.pred d, a;", 1, 0, 0, 1},
	{"add.u32 d, a, b;", 0xffffffff, 2, 0, 1},
	{"add.u16 d, a, b;", 0xffff, 2, 0, 1},
	{"add.u64 d, a, b;", 0xffffffff, 2, 0, 0x100000001},
	{"sub.s32 d, a, b;", 1, 2, 0, 0xffffffff},
	{"mul.lo.u32 d, a, b;", 0x10000, 0x10001, 0, 0x10000},
	{"mul.hi.u32 d, a, b;", 0x80000000, 4, 0, 2},
	{"mul.hi.s32 d, a, b;", 0xffffffff, 4, 0, 0xffffffff},
	{"mul.hi.u16 d, a, b;", 0x8000, 4, 0, 2},
	{"mul.hi.u64 d, a, b;", MINUS(1), 4, 0, 3},
	{"mul.hi.s64 d, a, b;", MINUS(1), 4, 0, MINUS(1)},
	{"mul.wide.u32 d, a, b;", 0xffffffff, 2, 0, 0x1fffffffe},
	{"mul.wide.s32 d, a, b;", 0xffffffff, 2, 0, MINUS(2)},
	{"mul.wide.s16 d, a, b;", 0xffff, 2, 0, 0xfffffffe},
	{"mad.lo.u32 d, a, b, c;", 3, 4, 5, 17},
	{"mad.hi.u32 d, a, b, c;", 0x80000000, 4, 5, 7},
	{"mad.wide.u32 d, a, b, c;", 0xffffffff, 2, MINUS(1), 0x1fffffffd},
	{"div.u32 d, a, b;", 7, 2, 0, 3},
	{"div.s32 d, a, b;", 0xfffffff9, 2, 0, 0xfffffffd},
	{"div.s32 d, a, b;", 0x80000000, 0xffffffff, 0, 0x80000000},
	{"div.s64 d, a, b;", (uint64_t)1 << 63, MINUS(1), 0,
	    (uint64_t)1 << 63},
	{"rem.u32 d, a, b;", 7, 4, 0, 3},
	{"rem.s32 d, a, b;", 0xfffffff9, 4, 0, 0xfffffffd},
	{"rem.s32 d, a, b;", 7, 0xffffffff, 0, 0},
	{"and.b32 d, a, b;", 12, 10, 0, 8},
	{"or.b32 d, a, b;", 12, 10, 0, 14},
	{"xor.b64 d, a, b;", 12, 10, 0, 6},
	{"xor.pred d, a, b;", 1, 1, 0, 0},
	{"not.b32 d, a;", 0, 0, 0, 0xffffffff},
	{"not.pred d, a;", 1, 0, 0, 0},
	{"neg.s32 d, a;", 1, 0, 0, 0xffffffff},
	{"shl.b32 d, a, b;", 3, 31, 0, 0x80000000},
	{"shl.b32 d, a, b;", 3, 32, 0, 0},
	{"shl.b64 d, a, b;", 3, 64, 0, 0},
	{"shr.u32 d, a, b;", 0x80000000, 31, 0, 1},
	{"shr.u32 d, a, b;", 0x80000000, 32, 0, 0},
	{"shr.s32 d, a, b;", 0x80000000, 40, 0, 0xffffffff},
	{"shr.b16 d, a, b;", 0x8000, 8, 0, 0x80},
	{"min.u32 d, a, b;", 0xffffffff, 1, 0, 1},
	{"min.s32 d, a, b;", 0xffffffff, 1, 0, 0xffffffff},
	{"max.u32 d, a, b;", 0xffffffff, 1, 0, 0xffffffff},
	{"max.s32 d, a, b;", 0xffffffff, 1, 0, 1},
	{"popc.b32 d, a;", 0xff0f, 0, 0, 12},
	{"popc.b64 d, a;", MINUS(1), 0, 0, 64},
	{"setp.eq.u32 d, a, b;", 5, 5, 0, 1},
	{"setp.ne.b32 d, a, b;", 5, 5, 0, 0},
	{"setp.lt.u32 d, a, b;", 0xffffffff, 0, 0, 0},
	{"setp.lt.s32 d, a, b;", 0xffffffff, 0, 0, 1},
	{"setp.le.s32 d, a, b;", 3, 3, 0, 1},
	{"setp.gt.s32 d, a, b;", 0, 0xffffffff, 0, 1},
	{"setp.ge.u32 d, a, b;", 0, 0xffffffff, 0, 0},
	{"setp.lo.u32 d, a, b;", 1, 2, 0, 1},
	{"setp.ls.u32 d, a, b;", 2, 2, 0, 1},
	{"setp.hi.u32 d, a, b;", 2, 2, 0, 0},
	{"setp.hs.u32 d, a, b;", 2, 2, 0, 1},
	{"selp.b32 d, a, b, p;", 1, 2, 1, 1},
	{"selp.b32 d, a, b, p;", 1, 2, 0, 2},
	{"selp.b32 d, a, b, !p;", 1, 2, 1, 2},
	{"cvt.u64.u32 d, a;", 0xffffffff, 0, 0, 0xffffffff},
	{"cvt.u64.s32 d, a;", 0xffffffff, 0, 0, MINUS(1)},
	{"cvt.u8.u32 d, a;", 0x1234, 0, 0, 0x34},
	{"cvt.s32.s8 d, a;", 0x80, 0, 0, 0xffffff80},
	{"abs.s32 d, a;", 0xfffffffe, 0, 0, 2},
	{"abs.s32 d, a;", 0x80000000, 0, 0, 0x80000000},
	/* 1.5, -2, infinity, a NaN */
	{"mov.f32 d, a;", 0x3fc00000, 0, 0, 0x3fc00000},
	{"add.f32 d, a, b;", 0x3fc00000, 0xc0000000, 0, 0xbf000000},
	{"sub.f32 d, a, b;", 0x3fc00000, 0xc0000000, 0, 0x40600000},
	{"abs.f32 d, a;", 0xc0000000, 0, 0, 0x40000000},
	{"setp.lt.f32 d, a, b;", 0xc0000000, 0x3fc00000, 0, 1},
	{"setp.gt.f32 d, a, b;", 0x7f800000, 0x3fc00000, 0, 1},
	{"setp.ne.f32 d, a, b;", 0x7fc00000, 0x7fc00000, 0, 0},
	{"setp.leu.f32 d, a, b;", 0x7fc00000, 0x3fc00000, 0, 1},
	{"setp.nan.f32 d, a, b;", 0x7fc00000, 0x3fc00000, 0, 1},
	{"cvt.rn.f32.s32 d, a;", 0xfffffffe, 0, 0, 0xc0000000},
	{"cvt.rn.f32.u32 d, a;", 2, 0, 0, 0x40000000},
};

START_TEST(computes)
{
	struct arena *a = arena_new();
	uint64_t in[] = {results[_i].a, results[_i].b, results[_i].c};
	uint64_t out = 77;
	struct insn insn;

	parse(results[_i].insn, a, &insn);
	ck_assert(alu_apply(&insn, in, &out));
	ck_assert_msg(out == results[_i].out, "%s: %llx", results[_i].insn,
	    (unsigned long long)out);
	arena_free(a);
}
END_TEST

/* The one instruction of four sources: a's low bits into b from c on. */
static const struct {
	const char *insn;
	uint64_t in[4], out;
} inserts[] = {
	{"bfi.b32 d, a, b, c, n;", {0xabc, 0xffffffff, 4, 12}, 0xffffabcf},
	{"bfi.b32 d, a, b, c, n;", {1, 2, 0, 0}, 2},
	{"bfi.b64 d, a, b, c, n;", {1, 0, 63, 1}, (uint64_t)1 << 63},
};

START_TEST(inserts_bits)
{
	struct arena *a = arena_new();
	uint64_t out = 77;
	struct insn insn;

	parse(inserts[_i].insn, a, &insn);
	ck_assert(alu_apply(&insn, inserts[_i].in, &out));
	ck_assert_uint_eq(out, inserts[_i].out);
	arena_free(a);
}
END_TEST

static const char *const open_ended[] = {
	"div.u32 d, a, b;", "rem.s64 d, a, b;", "activemask.b32 d;",
	"cvta.to.global.u64 d, a;", "fence.sc.gpu;",
};

START_TEST(has_no_answer)
{
	struct arena *a = arena_new();
	uint64_t in[] = {5, 0, 0}, out = 77;
	struct insn insn;

	parse(open_ended[_i], a, &insn);
	ck_assert(!alu_apply(&insn, in, &out));
	ck_assert_uint_eq(out, 77);
	arena_free(a);
}
END_TEST

/* Every pure register instruction of the table has a result above. */
START_TEST(all_are_computed)
{
	static const enum op_id exempt[] = {OP_ACTIVEMASK, OP_CVTA,
		OP_CVTA_TO, OP_MAPA, OP_BFI /* inserts_bits */};
	struct arena *a = arena_new();
	bool done[OP_COUNT] = {0};
	struct insn insn;
	int i;

	for (i = 0; i < COUNT(results); i++) {
		parse(results[i].insn, a, &insn);
		done[insn.op->id] = true;
	}
	for (i = 0; i < COUNT(exempt); i++)
		done[exempt[i]] = true;
	for (i = OP_NONE + 1; i < OP_COUNT; i++)
		ck_assert_msg(ops_table[i].class != CLASS_ALU || done[i],
		    "no result of %s", ops_table[i].mnemonic);
	arena_free(a);
}
END_TEST

static const struct {
	enum rmw rmw;
	enum type type;
	uint64_t old, b, c, out;
} updates[] = {
	{RMW_ADD, TYPE_U32, 0xffffffff, 2, 0, 1},
	{RMW_ADD, TYPE_U64, 0xffffffff, 2, 0, 0x100000001},
	{RMW_EXCH, TYPE_B32, 1, 2, 0, 2},
	{RMW_CAS, TYPE_B32, 1, 1, 9, 9},
	{RMW_CAS, TYPE_B32, 1, 2, 9, 1},
	{RMW_CAS, TYPE_B16, 0x1ffff, 0xffff, 9, 9},
	{RMW_MIN, TYPE_U32, 0xffffffff, 1, 0, 1},
	{RMW_MIN, TYPE_S32, 0xffffffff, 1, 0, 0xffffffff},
	{RMW_MAX, TYPE_U32, 0xffffffff, 1, 0, 0xffffffff},
	{RMW_MAX, TYPE_S64, MINUS(1), 1, 0, 1},
	{RMW_AND, TYPE_B32, 12, 10, 0, 8},
	{RMW_OR, TYPE_B32, 12, 10, 0, 14},
	{RMW_XOR, TYPE_B64, 12, 10, 0, 6},
	{RMW_INC, TYPE_U32, 3, 7, 0, 4},
	{RMW_INC, TYPE_U32, 7, 7, 0, 0},
	{RMW_INC, TYPE_U32, 9, 7, 0, 0},
	{RMW_DEC, TYPE_U32, 3, 7, 0, 2},
	{RMW_DEC, TYPE_U32, 0, 7, 0, 7},
	{RMW_DEC, TYPE_U32, 9, 7, 0, 7},
};

START_TEST(updates_memory)
{
	ck_assert_uint_eq(rmw_apply(updates[_i].rmw, updates[_i].type,
	    updates[_i].old, updates[_i].b, updates[_i].c), updates[_i].out);
}
END_TEST

/* Roles and types of operands, one letter each: w written, r read, - none;
   the type is what PTX gives each. */
static const struct {
	const char *insn, *roles;
	enum type types[6];
} operands[] = {
	{"ld.u8 d, [a];", "w-", {TYPE_U8, TYPE_NONE}},
	{"st.v2.u32 [a], {b, c};", "-r", {TYPE_NONE, TYPE_U32}},
	{"atom.cas.b32 d, [a], b, c;", "w-rr",
	    {TYPE_B32, TYPE_NONE, TYPE_B32, TYPE_B32}},
	{"setp.eq.s64 p, a, b;", "wrr", {TYPE_PRED, TYPE_S64, TYPE_S64}},
	{"selp.b16 d, a, b, p;", "wrrr",
	    {TYPE_B16, TYPE_B16, TYPE_B16, TYPE_PRED}},
	{"shl.b64 d, a, b;", "wrr", {TYPE_B64, TYPE_B64, TYPE_U32}},
	{"mul.wide.s32 d, a, b;", "wrr", {TYPE_S64, TYPE_S32, TYPE_S32}},
	{"mad.wide.u16 d, a, b, c;", "wrrr",
	    {TYPE_U32, TYPE_U16, TYPE_U16, TYPE_U32}},
	{"cvt.u64.s8 d, a;", "wr", {TYPE_U64, TYPE_S8}},
	{"popc.b64 d, a;", "wr", {TYPE_U32, TYPE_B64}},
	{"bar.red.and.pred p, 0, 64, q;", "wrrr",
	    {TYPE_PRED, TYPE_U32, TYPE_U32, TYPE_PRED}},
	{"bar.sync a, b;", "rr", {TYPE_U32, TYPE_U32}},
	{"shfl.sync.up.b32 d|p, a, b, 0, -1;", "wwrrrr",
	    {TYPE_B32, TYPE_PRED, TYPE_B32, TYPE_B32, TYPE_B32, TYPE_B32}},
	{"vote.sync.any.pred p, q, -1;", "wrr",
	    {TYPE_PRED, TYPE_PRED, TYPE_B32}},
	{"match.any.sync.b64 d, a, -1;", "wrr",
	    {TYPE_B32, TYPE_B64, TYPE_B32}},
	{"mapa.u64 d, a, b;", "wrr", {TYPE_U64, TYPE_U64, TYPE_U32}},
	{"bar.warp.sync -1;", "r", {TYPE_U32}},
};

START_TEST(operands_have_roles_and_types)
{
	static const char letters[] = {[ROLE_NONE] = '-', [ROLE_WRITE] = 'w',
		[ROLE_READ] = 'r'};
	struct arena *a = arena_new();
	struct insn insn;
	int i;

	parse(operands[_i].insn, a, &insn);
	ck_assert_int_eq(insn.nops, (int)strlen(operands[_i].roles));
	for (i = 0; i < insn.nops; i++) {
		ck_assert_int_eq(letters[operand_role(&insn, i)],
		    operands[_i].roles[i]);
		ck_assert_str_eq(type_name(operand_type(&insn, i)),
		    type_name(operands[_i].types[i]));
	}
	arena_free(a);
}
END_TEST

Suite *suite_alu(void);

Suite *
suite_alu(void)
{
	Suite *s = suite_create("alu");
	TCase *c = tcase_create("alu");

	tcase_add_loop_test(c, computes, 0, COUNT(results));
	tcase_add_loop_test(c, inserts_bits, 0, COUNT(inserts));
	tcase_add_loop_test(c, has_no_answer, 0, COUNT(open_ended));
	tcase_add_test(c, all_are_computed);
	tcase_add_loop_test(c, updates_memory, 0, COUNT(updates));
	tcase_add_loop_test(c, operands_have_roles_and_types, 0,
	    COUNT(operands));
	suite_add_tcase(s, c);
	return s;
}
