/* sass.c: does the machine code still hold the test? */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help_shapes.h"

/* What nvdisasm would write for "LINE OPCODE; LINE OPCODE; ...". */
static const char *
disassembly(const char *code)
{
	char *rest = arena_strdup(arena, code), *insn;
	struct text t;
	int offset = 0;

	text_init(&t, arena);
	text_printf(&t, "\t.headerflags @\"x\"\n"
	    "//--------------------- .text.init     ---------\n"
	    "\t//## File \"t\", line 1\n        /*0000*/    STG.E [R2], R3 ;\n"
	    "//--------------------- .text.test     ---------\n"
	    "\t.section .text.test\ntest:\n");
	while ((insn = strtok_r(rest, ";", &rest))) {
		int line = (int)strtol(insn, &insn, 10);

		text_printf(&t, "\t//## File \"t\", line %d\n"
		    "        /*%04x*/              %s R4, desc[UR4][R2.64] ;"
		    "\n.L_x_%d:\n", line, offset, insn, offset);
		offset += 16;
	}
	text_printf(&t, "//--------------------- .text.tally    ---------\n"
	    "        /*0000*/              LDG.E R0, [R2] ;\n");
	return t.s;
}

/* MP over the given four instructions' spellings. */
static struct plan
message_passing(const char *w0, const char *w1, const char *r0,
    const char *r1)
{
	const struct program *p = plan_program(arena_printf(arena,
	    "name: MP\nabout: MP.\nlocations: {x: 0, y: 0}\nthreads:\n"
	    "  - {cta: 0, code: \"%s\\n%s\\n\"}\n"
	    "  - {cta: 1, code: \"%s\\n%s\\n\"}\n"
	    "exists: \"[x] == 1\"\n", w0, w1, r0, r1), NULL, arena);
	struct env e = env_of("");

	return planned(p, &e, &plan_h200);
}

#define WX "st.weak.global.u32 [x], 1;"
#define WY "st.relaxed.gpu.global.u32 [y], 1;"
#define WYR "st.release.gpu.global.u32 [y], 1;"
#define RY "ld.relaxed.gpu.global.u32 r0, [y];"
#define RYA "ld.acquire.gpu.global.u32 r0, [y];"
#define RX "ld.weak.global.u32 r1, [x];"

/* the reader, as it should be */
#define GOOD "2000 LDG.E.STRONG.GPU; 2001 LDG.E;"
#define GOODW "1000 STG.E; 1001 STG.E.STRONG.GPU;"

static const struct {
	const char *w1, *r0, *r1, *code, *detail, *between;
} cases[] = {
	{WY, RY, RX, GOODW GOOD, "", ""},
	/* fences take the line of a neighbour */
	{WYR, RYA, RX, "1000 STG.E; 1 MEMBAR.ALL.GPU; 1 ERRBAR;"
	    "1001 STG.E.STRONG.GPU; 2000 LDG.E.STRONG.GPU; 1 CCTL.IVALL;"
	    "2001 LDG.E;", "", ""},
	{WY, RY, RX, "1001 STG.E.STRONG.GPU;" GOOD, "P0: st.weak.global.u32 "
	    "[x], 1: not in the machine code", ""},
	{WY, RY, RX, GOODW GOOD "2001 LDG.E;", "P1: ld.weak.global.u32 r1, "
	    "[x]: 2 times in the machine code", ""},
	{WY, RY, RX, GOODW "2001 LDG.E; 2000 LDG.E.STRONG.GPU;",
	    "P1: ld.weak.global.u32 r1, [x]: moved before the ones written "
	    "before it", ""},
	{WY, RY, RX, GOODW "2000 LDG.E.STRONG.SM; 2001 LDG.E;",
	    "P1: ld.relaxed.gpu.global.u32 r0, [y]: too weak as "
	    "LDG.E.STRONG.SM", ""},
	{WY, RY, RX, GOODW "2000 LDG.E; 2001 LDG.E;",
	    "P1: ld.relaxed.gpu.global.u32 r0, [y]: too weak as LDG.E", ""},
	{WY, RY, RX, GOODW "2000 LDG.E.STRONG.SYS; 2001 LDG.E.STRONG.GPU;",
	    "P1: ld.weak.global.u32 r1, [x]: weak, but LDG.E.STRONG.GPU", ""},
	{WY, RY, "ld.global.cv.u32 r1, [x];", GOODW
	    "2000 LDG.E.STRONG.GPU; 2001 LDG.E.STRONG.SYS;", "", ""},
	{WY, RY, RX, GOODW "2000 LDG.E.STRONG.GPU; 2001 LDG.E.64;",
	    "P1: ld.weak.global.u32 r1, [x]: 4 bytes, but LDG.E.64", ""},
	{WYR, RY, RX, GOODW GOOD, "P0: st.release.gpu.global.u32 [y], 1: no "
	    "MEMBAR of its scope before it", ""},
	{WYR, RY, RX, "1000 STG.E; 1001 MEMBAR.ALL.CTA;"
	    "1001 STG.E.STRONG.GPU;" GOOD, "P0: st.release.gpu.global.u32 "
	    "[y], 1: no MEMBAR of its scope before it", ""},
	{WY, RYA, RX, GOODW GOOD, "P1: ld.acquire.gpu.global.u32 r0, [y]: no "
	    "CCTL.IVALL after it", ""},
	{WY, "fence.sc.gpu;", RX, GOODW "2000 MEMBAR.ALL.GPU;"
	    "2000 CCTL.IVALL; 2001 LDG.E;", "P1: fence.sc.gpu: not "
	    "sequentially consistent as MEMBAR.ALL.GPU", ""},
	{WY, "fence.sc.gpu;", RX, GOODW "2000 MEMBAR.SC.CTA;"
	    "2000 CCTL.IVALL; 2001 LDG.E;", "P1: fence.sc.gpu: too narrow as "
	    "MEMBAR.SC.CTA", ""},
	{WY, "fence.acq_rel.sys;", RX, GOODW "2000 MEMBAR.ALL.SYS;"
	    "2000 ERRBAR; 1 CCTL.IVALL; 2001 LDG.E;", "", ""},
	/* driver 580 puts a narrower one before the fence's own */
	{WY, "fence.sc.gpu;", RX, GOODW "2000 MEMBAR.ALL.CTA;"
	    "2000 MEMBAR.SC.GPU; 2000 ERRBAR; 2000 CCTL.IVALL; 2001 LDG.E;",
	    "", ""},
	{WY, "fence.sc.gpu;", RX, GOODW "2000 MEMBAR.ALL.CTA;"
	    "2000 MEMBAR.ALL.GPU; 2000 CCTL.IVALL; 2001 LDG.E;",
	    "P1: fence.sc.gpu: not sequentially consistent as "
	    "MEMBAR.ALL.GPU", ""},
	{WY, "fence.acq_rel.sys;", RX, GOODW "2000 MEMBAR.ALL.SYS;"
	    "2000 ERRBAR; 2001 LDG.E;", "P1: fence.acq_rel.sys: no CCTL.IVALL "
	    "after it", ""},
	{WY, RY, RX, GOODW "2000 LDG.E.STRONG.GPU; 1 LDC.64; 1 IADD3;"
	    "2001 LDG.E;", "", "P1: before instruction 2: LDC.64, IADD3"},
	{WY, RY, RX, GOODW "2000 LDG.E.STRONG.GPU; 1 LDG.E; 2001 LDG.E;",
	    "P1: ld.weak.global.u32 r1, [x]: before it an access of the "
	    "harness, LDG.E", "P1: before instruction 2: LDG.E"},
	{WY, "ld.volatile.global.u32 r0, [y];", RX, GOODW
	    "2000 LDG.E.STRONG.GPU; 2001 LDG.E;", "P1: ld.volatile.global.u32 "
	    "r0, [y]: too weak as LDG.E.STRONG.GPU", ""},
	{"atom.relaxed.gpu.global.add.u32 r5, [y], 1;", RY, RX,
	    "1000 STG.E; 1001 REDG.E.ADD.STRONG.GPU;" GOOD, "", ""},
	{"red.relaxed.gpu.global.add.u32 [y], 1;", RY, RX,
	    "1000 STG.E; 1001 REDG.E.ADD.STRONG.GPU;" GOOD, "", ""},
};

#define NCASES ((int)(sizeof(cases) / sizeof(*cases)))

START_TEST(faults_are_found)
{
	struct plan plan = message_passing(WX, cases[_i].w1, cases[_i].r0,
	    cases[_i].r1);
	struct sass s;

	sass_check_text(&plan, disassembly(cases[_i].code), arena, &s);
	ck_assert_str_eq(s.detail, cases[_i].detail);
	ck_assert_str_eq(s.between, cases[_i].between);
	ck_assert_int_eq(s.status, *cases[_i].detail ? DOC_CODE_CHANGED :
	    DOC_CODE_CHECKED);
}
END_TEST

/* What an assembler may do to weak accesses is told from what it may not. */
START_TEST(weak_accesses_may_merge)
{
	static const struct {
		const char *r0, *r1, *code;
		bool weak_only;
	} rows[] = {
		{"ld.weak.global.u32 r0, [x];", RX, GOODW "2000 LDG.E;",
		    true},
		{RX, "ld.weak.global.u32 r0, [y];",
		    GOODW "2001 LDG.E; 2000 LDG.E;", true},
		{RY, RX, GOODW "2001 LDG.E; 2000 LDG.E.STRONG.GPU;", false},
		{RY, RX, GOODW "2000 LDG.E.STRONG.GPU;", false},
		{RY, RX, GOODW "2001 LDG.E;", false},
		{RY, RX, GOODW GOOD, true},
	};
	struct plan plan;
	struct sass s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		plan = message_passing(WX, WY, rows[i].r0, rows[i].r1);
		sass_check_text(&plan, disassembly(rows[i].code), arena, &s);
		ck_assert_int_eq(s.weak_only, rows[i].weak_only);
	}
}
END_TEST

START_TEST(no_kernel_is_unchecked)
{
	struct plan plan = message_passing(WX, WY, RY, RX);
	struct sass s;

	sass_check_text(&plan, "nvdisasm fatal : none\n", arena, &s);
	ck_assert_int_eq(s.status, DOC_CODE_UNCHECKED);
	ck_assert_str_eq(s.detail, "nvdisasm shows no test kernel");
}
END_TEST

START_TEST(no_tool_is_unchecked)
{
	struct plan plan = message_passing(WX, WY, RY, RX);
	struct sass s;

	setenv("FENCEPOST_NVDISASM", "/nowhere/nvdisasm", 1);
	sass_check(&plan, "x", 1, arena, &s);
	ck_assert_int_eq(s.status, DOC_CODE_UNCHECKED);
	ck_assert_str_eq(s.detail, "there is no nvdisasm here; make tools "
	    "fetches one, or set FENCEPOST_NVDISASM");
}
END_TEST

START_TEST(listing_marks_the_test)
{
	struct plan plan = message_passing(WX, WY, RY, RX);
	struct sass s;
	struct text t;

	sass_check_text(&plan, disassembly("1 S2R;" GOODW "1 EXIT;" GOOD),
	    arena, &s);
	text_init(&t, arena);
	sass_print(&t, &plan, &s);
	ck_assert_str_eq(t.s,
	    "     /*0000*/ S2R R4, desc[UR4][R2.64];\n"
	    "P0: st.weak.global.u32 [x], 1;\n"
	    "  >> /*0010*/ STG.E R4, desc[UR4][R2.64];\n"
	    "P0: st.relaxed.gpu.global.u32 [y], 1;\n"
	    "  >> /*0020*/ STG.E.STRONG.GPU R4, desc[UR4][R2.64];\n"
	    "     /*0030*/ EXIT R4, desc[UR4][R2.64];\n"
	    "P1: ld.relaxed.gpu.global.u32 r0, [y];\n"
	    "  >> /*0040*/ LDG.E.STRONG.GPU R4, desc[UR4][R2.64];\n"
	    "P1: ld.weak.global.u32 r1, [x];\n"
	    "  >> /*0050*/ LDG.E R4, desc[UR4][R2.64];\n"
	    "checked: the tested instructions are there, once, in order, with "
	    "their strength\n");
	/* and what is not so is said last */
	sass_check_text(&plan, disassembly(GOODW "2000 LDG.E; 2001 LDG.E;"),
	    arena, &s);
	text_init(&t, arena);
	sass_print(&t, &plan, &s);
	ck_assert_ptr_nonnull(strstr(t.s, "\nCHANGED: what would run is not "
	    "the test\nP1: ld.relaxed.gpu.global.u32 r0, [y]: too weak as "
	    "LDG.E\n"));
	setenv("FENCEPOST_NVDISASM", "/nowhere/nvdisasm", 1);
	sass_check(&plan, "x", 1, arena, &s);
	text_init(&t, arena);
	sass_print(&t, &plan, &s);
	ck_assert_str_eq(t.s, "unchecked: there is no nvdisasm here; make "
	    "tools fetches one, or set FENCEPOST_NVDISASM\n");
}
END_TEST

/* ---- with the real assembler and disassembler --------------------------- */

static void
real_check(const struct program *p, const char *env_text)
{
	struct source elf;
	struct plan plan;
	struct sass s;
	struct env e = env_of(env_text);
	struct err err;
	const char *cubin;

	plan = planned(p, &e, &plan_h200);
	if (!plan_assemble(emit_ptx(&plan, SABOTAGE_NONE, arena), 90, arena,
	    &cubin))
		return;
	if (!source_read(cubin, (size_t)16 << 20, arena, &elf, &err))
		ck_abort_msg("%s", err.message);
	unlink(cubin);
	sass_check(&plan, elf.text, elf.size, arena, &s);
	if (s.status == DOC_CODE_UNCHECKED) {
		static bool said;

		if (!said)
			fprintf(stderr, "machine code is not checked: %s\n",
			    s.detail);
		said = true;
		return;
	}
	/* of stores to one place that nobody need see, the last stays */
	if (strcmp(p->name, "many") == 0)
		ck_assert_ptr_nonnull(strstr(s.detail, "P0: st.relaxed.gpu."
		    "global.u32 [x], 1: not in the machine code"));
	else
		ck_assert_msg(s.status == DOC_CODE_CHECKED, "%s %s: %s",
		    p->name, env_text, s.detail);
	/* a barrier of a whole warp brings its own, and so does a bulk copy,
	   which goes lane by lane */
	if (strcmp(p->name, "barrier") != 0 && strcmp(p->name, "async") != 0 &&
	    strcmp(p->name, "groups") != 0)
		ck_assert_msg(!*s.between, "%s %s: between: %s", p->name,
		    env_text, s.between);
}

/* ---- stress ------------------------------------------------------------ */

#define LOOP "1 MOV;2 LDG.E.STRONG.GPU; 2 STG.E.STRONG.GPU; 1 ISETP;"
#define BACK "1 BRA `(.L_x_0);" /* to after the first instruction */
#define AHEAD "1 BRA `(.L_x_96);"

static const struct {
	const char *env, *stress, *detail;
} stresses[] = {
	{"stress load_store", LOOP BACK, ""},
	{"stress load_store", LOOP, "the loads of the stress are not in a "
	    "loop\nthe stores of the stress are not in a loop"},
	{"stress load_store", LOOP AHEAD, "the loads of the stress are not "
	    "in a loop\nthe stores of the stress are not in a loop"},
	{"stress load_store", "1 MOV; 2 LDG.E.STRONG.GPU;" BACK,
	    "the stores of the stress are not in the machine code"},
	{"stress load", "1 MOV;" BACK, "the loads of the stress are not in "
	    "the machine code"},
	{"stress load", "1 MOV; 2 LDG.E.STRONG.GPU;" BACK, ""},
	{"stress store", "1 MOV; 2 STG.E.STRONG.GPU;" BACK, ""},
	{"stress atomic", "1 MOV; 2 REDG.E.ADD.STRONG.GPU;" BACK, ""},
	{"stress atomic", "1 MOV; 2 REDG.E.ADD.STRONG.GPU;",
	    "the atomics of the stress are not in a loop"},
	{"pre_stress 4", LOOP BACK, ""},
	{"pre_stress 4", "1 MOV;" BACK, "the loads of the stress are not in "
	    "the machine code\nthe stores of the stress are not in the "
	    "machine code"},
	/* a loop before the test and one beside it */
	{"stress load pre_stress 2", "1 MOV; 2 LDG.E.STRONG.GPU;" BACK,
	    "the loads of the stress are not in a loop"},
};

#define NSTRESSES ((int)(sizeof(stresses) / sizeof(*stresses)))

/* A stress that the assembler folded is none. */
START_TEST(folded_stress_is_found)
{
	struct plan plan = message_passing(WX, WY, RY, RX);
	struct sass s;

	plan_env(stresses[_i].env, &plan.env);
	sass_check_text(&plan, disassembly(arena_printf(arena, "%s" GOODW
	    GOOD, stresses[_i].stress)), arena, &s);
	ck_assert_str_eq(s.detail, stresses[_i].detail);
	ck_assert_int_eq(s.status, *s.detail ? DOC_CODE_CHANGED :
	    DOC_CODE_CHECKED);
	ck_assert(!*s.detail || !s.weak_only);
}
END_TEST

static const char *const real_envs[] = {
	"", "layout all repeat 2 permute yes", "tally fused align pair warm yes",
	"together yes stride 32 stress load_store pre_stress 2",
	"values plain same_warp yes swap yes",
};

#define NREALS ((int)(sizeof(real_envs) / sizeof(*real_envs)))

START_TEST(ptxas_leaves_the_test_alone)
{
	int i, step = getenv("FENCEPOST_SASS") ? 1 : NREALS;

	/* nvdisasm takes its time: without FENCEPOST_SASS one environment each */
	for (i = step > 1 ? _i : 0; i < shapes.count; i += step)
		real_check(&shapes.programs[i], real_envs[_i]);
}
END_TEST

Suite *suite_sass(void);

Suite *
suite_sass(void)
{
	Suite *s = suite_create("sass");
	TCase *c = tcase_create("sass");

	tcase_add_checked_fixture(c, shapes_setup, shapes_teardown);
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, faults_are_found, 0, NCASES);
	tcase_add_test(c, weak_accesses_may_merge);
	tcase_add_test(c, no_kernel_is_unchecked);
	tcase_add_test(c, no_tool_is_unchecked);
	tcase_add_test(c, listing_marks_the_test);
	tcase_add_loop_test(c, folded_stress_is_found, 0, NSTRESSES);
	tcase_add_loop_test(c, ptxas_leaves_the_test_alone, 0, NREALS);
	suite_add_tcase(s, c);
	return s;
}
