/* The .litmus reader and writer: golden errors, forms, the external suite,
   and programs that are written and read again. */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "help_cycle.h"
#include "help_external.h"
#include "help_golden.h"

static glob_t bad;

START_TEST(bad_input_is_explained)
{
	const char *path = bad.gl_pathv[_i];
	struct arena *a = arena_new();
	struct suite suite = {0};
	struct errs errs = {0};
	struct source source;
	struct err err;

	ck_assert(source_read(path, (size_t)4 << 20, a, &source, &err));
	source.name = strrchr(path, '/') + 1;
	ck_assert_msg(!read_litmus(&source, a, &suite, &errs),
	    "%s was accepted", path);
	ck_assert_int_gt(errs.count, 0);
	ck_assert_int_eq(suite.count, 0);
	golden(path, ".err", errors_text(&errs, &source, a), a);
	arena_free(a);
}
END_TEST

START_TEST(bad_inputs_are_many)
{
	ck_assert_uint_ge(bad.gl_pathc, 100);
}
END_TEST

/* ---- what is read ----------------------------------------------------- */

static const struct program *
read_text(const char *text, struct arena *a)
{
	struct source s = {"t.litmus", text, strlen(text)};
	struct suite *suite = arena_alloc(a, sizeof(*suite));
	struct errs errs = {0};

	if (!read_litmus(&s, a, suite, &errs))
		ck_abort_msg("%s", errors_text(&errs, &s, a));
	ck_assert_int_eq(suite->count, 1);
	return &suite->programs[0];
}

/* The second thread's code as PTX, instructions after each other. */
static const char *
ptx_of(const struct program *p, int thread, struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < p->threads[thread].ninsns; i++) {
		text_printf(&t, "%s", i ? "; " : "");
		insn_print(&t, p, thread, &p->threads[thread].insns[i]);
	}
	return t.s;
}

static const struct {
	const char *cell, *ptx;
} forms[] = {
	{"ld.weak r0, x", "ld.weak.global.u32 r0, [x]"},
	{"ld.relaxed.cta r0, x", "ld.relaxed.cta.global.u32 r0, [x]"},
	{"ld.acquire.sys r0, x", "ld.acquire.sys.global.u32 r0, [x]"},
	{"ld r0, 1", "mov.u32 r0, 1"},
	{"ld r0, r1", "mov.u32 r0, r1"},
	{"ld.weak r0, 1", "mov.u32 r0, 1"},
	{"ld r0, -1", "mov.u32 r0, -1"},
	{"ld r0, 0xff", "mov.u32 r0, 255"},
	{"tld.weak r0, x", "tld.weak.u32 r0, [x]"},
	{"suld.weak r0, x", "suld.weak.u32 r0, [x]"},
	{"cold.weak r0, x", "cold.weak.u32 r0, [x]"},
	{"st.weak x, 1", "st.weak.global.u32 [x], 1"},
	{"st.weak x, r1", "st.weak.global.u32 [x], r1"},
	{"st.relaxed.gpu x, 1", "st.relaxed.gpu.global.u32 [x], 1"},
	{"st.release.cta x, 1", "st.release.cta.global.u32 [x], 1"},
	{"sust.weak x, 2", "sust.weak.u32 [x], 2"},
	{"atom.relaxed.gpu.add r0, x, 1",
	    "atom.relaxed.gpu.global.add.u32 r0, [x], 1"},
	{"atom.acq_rel.sys.sub r0, x, 1",
	    "atom.acq_rel.sys.global.add.u32 r0, [x], -1"},
	{"atom.acquire.cta.exch r0, x, 1",
	    "atom.acquire.cta.global.exch.b32 r0, [x], 1"},
	{"atom.release.gpu.cas r1, x, 0, 1",
	    "atom.release.gpu.global.cas.b32 r1, [x], 0, 1"},
	{"atom.relaxed.gpu.min r0, x, 1",
	    "atom.relaxed.gpu.global.min.u32 r0, [x], 1"},
	{"red.acq_rel.sys.add x, 1", "red.acq_rel.sys.global.add.u32 [x], 1"},
	{"red.relaxed.cta.or x, 1", "red.relaxed.cta.global.or.b32 [x], 1"},
	{"fence.sc.gpu", "fence.sc.gpu"},
	{"fence.acq_rel.cta", "fence.acq_rel.cta"},
	{"fence.acquire.sys", "fence.acquire.sys"},
	{"fence.proxy.alias", "fence.proxy.alias"},
	{"fence.proxy.texture", "fence.proxy.texture"},
	{"fence.proxy.surface", "fence.proxy.surface"},
	{"fence.proxy.constant", "fence.proxy.constant"},
	{"bar.cta.sync 1", "bar.sync 1"},
	{"bar.cta.sync 1, r2, 3", "bar.sync 1, r2, 3"},
	{"bar.cta.arrive 0", "bar.arrive 0"},
	{"add r2, r2, 1", "add.u32 r2, r2, 1"},
	{"sub r2, r1, r0", "sub.u32 r2, r1, r0"},
	{"mul r2, r2, 3", "mul.lo.u32 r2, r2, 3"},
	{"div r2, r2, 3", "div.s32 r2, r2, 3"},
	{"goto LC00", "bra LC00"},
	{"beq r0, 1, LC00", "setp.eq.u32 p0, r0, 1; @p0 bra LC00"},
	{"bne r0, r1, LC00", "setp.ne.u32 p0, r0, r1; @p0 bra LC00"},
	{"blt r0, 1, LC00", "setp.lt.s32 p0, r0, 1; @p0 bra LC00"},
	{"ble r0, 1, LC00", "setp.le.s32 p0, r0, 1; @p0 bra LC00"},
	{"bgt r0, 1, LC00", "setp.gt.s32 p0, r0, 1; @p0 bra LC00"},
	{"bge r0, 1, LC00", "setp.ge.s32 p0, r0, 1; @p0 bra LC00"},
	{"  ", ""},
	{"(* nothing *)", ""},
};

START_TEST(each_form_becomes_ptx)
{
	struct arena *a = arena_new();
	const struct program *p = read_text(arena_printf(a,
	    "PTX T\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
	    " st.weak x, 3 | %s ;\n | LC00: ;\nexists (x == 1)\n",
	    forms[_i].cell), a);

	ck_assert_str_eq(ptx_of(p, 1, a), forms[_i].ptx);
	ck_assert_int_eq(p->dialect, DIALECT_LITMUS);
	arena_free(a);
}
END_TEST

START_TEST(the_rest_of_a_file_is_read)
{
	struct arena *a = arena_new();
	const struct program *p = read_text("ptx A+b-c.1  \n\"one\n two\"\n"
	    "(* a comment { } *) \"three\"\n{\n  x = 7; P1:r3 = -1\n;; "
	    "t @ texture aliases x; // more\n u @ generic aliases t }\n"
	    "P0@cta 3,gpu 0|P1@cta 3,gpu 1 | P2@cta 5, gpu 1;\n"
	    "st.weak x, 1 | | tld.weak r1, t;\n"
	    "locations [P2:r1; y;]\nfilter (x != 9)\n"
	    "forall (P1:r3 == 1 \\/ z = 0 /\\ not P2: r1 == 5)", a);

	ck_assert_str_eq(p->name, "A+b-c.1");
	ck_assert_str_eq(p->about, "one\n two\nthree");
	ck_assert_int_eq(p->nvars, 5);
	ck_assert_uint_eq(p->vars[0].init[0], 7);
	ck_assert_int_eq(p->vars[1].alias_of, 0);
	ck_assert_int_eq(p->vars[1].proxy, PROXY_TEXTURE);
	ck_assert_int_eq(p->vars[2].alias_of, 1);
	ck_assert_int_eq(p->vars[2].proxy, PROXY_GENERIC);
	ck_assert_int_eq(p->nthreads, 3);
	/* CTA 3 of GPU 1 is another than CTA 3 of GPU 0 */
	ck_assert_int_eq(p->threads[0].cta, 3);
	ck_assert_int_eq(p->threads[1].cta, 6);
	ck_assert_int_eq(p->threads[2].cta, 5);
	ck_assert_int_eq(p->threads[2].gpu, 1);
	ck_assert_int_ne(p->threads[0].cluster, p->threads[1].cluster);
	ck_assert_int_eq(p->threads[0].warp, WARP_ANY);
	ck_assert_uint_eq(p->threads[1].regs[0].init, 0xffffffff);
	ck_assert_int_eq(p->quant, QUANT_FORALL);
	ck_assert_ptr_nonnull(p->filter);
	/* filter and condition first, then what is listed */
	ck_assert_int_eq(p->nslots, 5);
	ck_assert_str_eq(p->slots[0].name, "[x]");
	ck_assert_str_eq(p->slots[1].name, "1:r3");
	ck_assert_str_eq(p->slots[2].name, "[z]");
	ck_assert_str_eq(p->slots[3].name, "2:r1");
	ck_assert_str_eq(p->slots[4].name, "[y]");
	arena_free(a);
}
END_TEST

static const struct {
	const char *text;
	enum quantifier quant;
} questions[] = {
	{"exists (x == 1)", QUANT_EXISTS}, {"~exists (x == 1)", QUANT_NEVER},
	{"~ exists (x = 1)", QUANT_NEVER}, {"forall (x == 1)", QUANT_FORALL},
	{"final (x == 1) with tso -> exists;", QUANT_EXISTS},
	{"exists x == 1;", QUANT_EXISTS}, {"exists 0==0", QUANT_EXISTS},
};

START_TEST(each_question_is_read)
{
	struct arena *a = arena_new();
	const struct program *p = read_text(arena_printf(a,
	    "PTX T\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n%s",
	    questions[_i].text), a);

	ck_assert_int_eq(p->quant, questions[_i].quant);
	ck_assert_ptr_nonnull(p->cond);
	arena_free(a);
}
END_TEST

/* ---- what is written -------------------------------------------------- */

static const struct program *
again(const struct program *p, struct arena *a)
{
	struct text t;
	struct err err;

	text_init(&t, a);
	if (!write_litmus(&t, p, &err))
		ck_abort_msg("%s:%d: %s", err.loc.source, err.loc.line,
		    err.message);
	return read_text(t.s, a);
}

static int
each_file(const char *pattern, void (*visit)(const struct program *p,
    struct arena *a))
{
	struct arena *a = arena_new();
	glob_t files;
	size_t i, n;

	if (glob(pattern, 0, NULL, &files) != 0)
		files.gl_pathc = 0;
	n = files.gl_pathc;
	for (i = 0; i < n; i++) {
		const char *text = slurp(files.gl_pathv[i], a);

		ck_assert_ptr_nonnull(text);
		visit(read_text(text, a), a);
		arena_reset(a);
	}
	if (n)
		globfree(&files);
	arena_free(a);
	return (int)n;
}

static void
same_again(const struct program *p, struct arena *a)
{
	const struct program *q = again(p, a);

	ck_assert_str_eq(q->name, p->name);
	ck_assert_msg(q->hash == p->hash, "%s is another test when it is "
	    "read again", p->name);
}

START_TEST(the_external_suite_is_read_and_written)
{
	static const char *const folders[] = {"*", "*/*", "*/*/*"};
	const char *dat3m = external_dat3m();
	char pattern[4200];
	size_t i;
	int n = 0;

	if (!dat3m)
		return;
	for (i = 0; i < 3; i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s.litmus", dat3m,
		    folders[i]);
		n += each_file(pattern, same_again);
	}
	ck_assert_int_ge(n, 453);
}
END_TEST

static void
same_verdict(const struct program *p, const struct program *q,
    struct arena *a)
{
	struct model_opts opts;
	struct outcomes x, y;
	struct err err;
	uint32_t i;

	model_defaults(&opts, MODEL_PTX);
	ck_assert(model_run(p, &opts, a, &x, &err));
	ck_assert(model_run(q, &opts, a, &y, &err));
	ck_assert_int_eq(model_answer(p, &x), model_answer(q, &y));
	ck_assert_uint_eq(x.count, y.count);
	for (i = 0; i < x.count; i++)
		ck_assert_uint_eq(x.list[i].code, y.list[i].code);
}

/* YAML, .litmus and back: the same hash and the same outcomes. */
static const char *const exported[] = {
	"PodWW Rfe PodRR Fre",
	"weak PodWW release.gpu Rfe acquire.gpu PodRR weak Fre",
	"fence.sc.gpu.dWR Fre fence.acq_rel.sys.dWR Fre",
	"PodWW Rfe Rmw Rfe acquire.cta PodRR Fre",
	"Rfe fence.acquire.gpu.dRR Fre fence.release.gpu.dWW",
	"DpDatadW Rfe DpDatadW Rfe", "Rfe DpDatadW Coe PodWW",
	"Rfe PosRR Fre", "PosWR Fre Coe", "PodWW Coe PodWW Coe",
};

START_TEST(yaml_survives_litmus)
{
	struct arena *a = arena_new();
	const struct program *p = help_cycle(exported[_i], NULL, NULL, a);
	const struct program *q = again(p, a);

	ck_assert_int_eq(p->dialect, DIALECT_PTX);
	ck_assert_msg(p->hash == q->hash, "%s", exported[_i]);
	same_verdict(p, q, a);
	arena_free(a);
}
END_TEST

/* Branches and barriers are said in another way: the same outcomes. */
static const struct {
	const char *edges, *place;
} translated[] = {
	{"PodWW Rfe DpCtrldW Rfe acquire.gpu PodRR Fre", "diff"},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "same"},
	{"bar.sync.dWW Rfe bar.sync.dRR Fre", "same"},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "diff"},
};

START_TEST(barriers_and_branches_keep_their_meaning)
{
	struct arena *a = arena_new();
	const struct program *p = help_cycle(translated[_i].edges, "weak",
	    translated[_i].place, a);

	same_verdict(p, again(p, a), a);
	arena_free(a);
}
END_TEST

START_TEST(a_program_is_written_so)
{
	struct arena *a = arena_new();
	struct text t;
	struct err err;

	text_init(&t, a);
	ck_assert(write_litmus(&t, help_cycle("PodWW Rfe Rmw Rfe "
	    "fence.sc.gpu.dRR weak Fre", NULL, NULL, a), &err));
	ck_assert_str_eq(t.s,
	    "PTX WW+RW+RR+po+rmw+fence.sc.gpu-weak\n"
	    "\"Made from the cycle PodWW Rfe Rmw Rfe fence.sc.gpu.dRR weak "
	    "Fre.\"\n"
	    "{\nx=0;\ny=0;\nP1:r0=0;\nP2:r0=0;\nP2:r1=0;\n}\n"
	    " P0@cta 0,gpu 0      | P1@cta 1,gpu 0                 | "
	    "P2@cta 2,gpu 0       ;\n"
	    " st.relaxed.gpu x, 1 | atom.relaxed.gpu.exch r0, y, 2 | "
	    "ld.relaxed.gpu r0, y ;\n"
	    " st.relaxed.gpu y, 1 |                                | "
	    "fence.sc.gpu         ;\n"
	    "                     |                                | "
	    "ld.weak r1, x        ;\n"
	    "exists\n"
	    "(((P1:r0 == 1 /\\ P2:r0 == 2) /\\ P2:r1 == 0) /\\ y == 2)\n");
	arena_free(a);
}
END_TEST

/* What the format cannot say: threads and locations, then code. */
static const struct {
	const char *locations, *thread, *code, *cond;
	int line, column;
	const char *message;
} unsayable[] = {
	{"{init: 0, space: shared}", "", "st.weak.shared.u32 [x], 1;",
	    "[x] == 1", 2, 13, "shared memory"},
	{"[0, 0]", "", "st.weak.global.u32 [x], 1;", "[x] == 1", 2, 13,
	    "arrays"},
	{"{init: 0, type: u64}", "", "st.weak.global.u64 [x], 1;",
	    "[x] == 1", 2, 13, "locations that are not 32 bits wide"},
	{"0", "warm: [x], ", "st.weak.global.u32 [x], 1;", "[x] == 1", 4, 5,
	    "warm locations"},
	{"0", "warp: 1, ", "st.weak.global.u32 [x], 1;", "[x] == 1", 4, 5,
	    "warps"},
	{"0", "", "st.volatile.global.u32 [x], 1;", "[x] == 1", 4, 22,
	    ".volatile (to the model it is .relaxed.sys)"},
	{"0", "", "st.relaxed.cluster.global.u32 [x], 1;", "[x] == 1", 4, 22,
	    "cluster scope"},
	{"0", "", "ld.global.cv.u32 r0, [x];", "0:r0 == 1", 4, 22,
	    "cache operators"},
	{"0", "", "membar.gl; st.weak.global.u32 [x], 1;", "[x] == 1", 4, 22,
	    "membar (to the model it is fence.sc)"},
	{"0", "", "atom.inc.u32 r0, [x], 3;", "0:r0 == 1", 4, 22,
	    ".inc, .dec"},
	{"0", "", "mov.u64 r0, x; ld.u32 r1, [r0];", "0:r1 == 1", 4, 22,
	    "arithmetic that is not 32 bits wide"},
	{"0", "", "and.b32 r0, 3, 1;", "0:r0 == 1", 4, 22,
	    "arithmetic but add, sub, mul.lo, div.s32"},
	{"0", "", "setp.eq.u32 p, 0, 1; @p st.weak.u32 [x], 1;",
	    "[x] == 1", 4, 22,
	    "a setp that is not for the branch right behind it"},
	{"0", "", "bar.sync 0, 32; st.weak.u32 [x], 1;", "[x] == 1", 4, 22,
	    "bar.sync with a thread count or in a register"},
	{"0", "", "bar.warp.sync 1; st.weak.u32 [x], 1;", "[x] == 1", 4, 22,
	    "bar.warp.sync"},
	{"0", "", "fence.proxy.async; st.weak.u32 [x], 1;", "[x] == 1", 4,
	    22, "the async proxy"},
	{"0", "", "st.weak.u32 [x], 1;", "[x] + 1 == 2", 1, 7,
	    "arithmetic in a condition"},
};

START_TEST(what_cannot_be_said_has_a_place)
{
	struct arena *a = arena_new();
	const char *text = arena_printf(a, "name: T\nlocations: {x: %s}\n"
	    "threads:\n  - {%scode: \"%s\"}\nexists: \"%s\"\n",
	    unsayable[_i].locations, unsayable[_i].thread,
	    unsayable[_i].code, unsayable[_i].cond);
	struct text t;
	struct err err;

	text_init(&t, a);
	ck_assert(!write_litmus(&t, help_yaml(text, a), &err));
	ck_assert_uint_eq(t.size, 0);
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, arena_printf(a, "the .litmus format "
	    "cannot say this: %s", unsayable[_i].message));
	ck_assert_str_eq(err.loc.source, "t.yaml");
	ck_assert_int_eq(err.loc.line, unsayable[_i].line);
	if (unsayable[_i].column < 20)
		ck_assert_int_eq(err.loc.column, unsayable[_i].column);
	arena_free(a);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_litmus(void);

Suite *
suite_litmus(void)
{
	Suite *s = suite_create("litmus");
	TCase *c = tcase_create("read");

	glob("tests/bad_litmus/*.litmus", 0, NULL, &bad);
	tcase_add_loop_test(c, bad_input_is_explained, 0, (int)bad.gl_pathc);
	tcase_add_test(c, bad_inputs_are_many);
	tcase_add_loop_test(c, each_form_becomes_ptx, 0, COUNT(forms));
	tcase_add_test(c, the_rest_of_a_file_is_read);
	tcase_add_loop_test(c, each_question_is_read, 0, COUNT(questions));
	suite_add_tcase(s, c);
	c = tcase_create("write");
	tcase_add_test(c, the_external_suite_is_read_and_written);
	tcase_add_loop_test(c, yaml_survives_litmus, 0, COUNT(exported));
	tcase_add_loop_test(c, barriers_and_branches_keep_their_meaning, 0,
	    COUNT(translated));
	tcase_add_test(c, a_program_is_written_so);
	tcase_add_loop_test(c, what_cannot_be_said_has_a_place, 0,
	    COUNT(unsayable));
	suite_add_tcase(s, c);
	return s;
}
