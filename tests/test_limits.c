/* Where the model ends: no verdict, executions that do not end, too large. */
#include <check.h>
#include <string.h>
#include <time.h>

#include "help_cycle.h"
#include "help_table.h"

static void
run(const struct program *p, enum model_version version, struct arena *a,
    struct outcomes *out)
{
	struct model_opts opts;
	struct err err;

	model_defaults(&opts, version);
	ck_assert_msg(model_run(p, &opts, a, out, &err), "%s", err.message);
}

/* ---- no verdict ------------------------------------------------------- */

#define HEAD "name: T\nabout: t\nlocations: {x: 0, y: 0, " \
	"v: {init: [0, 0], count: 2, align: 8}, b: {type: u8}}\nthreads:\n"
#define THREAD(cta, code) "  - cta: " #cta "\n    cluster: 0\n    code: |\n" \
	code
#define LINE(insn) "      " insn "\n"
#define WARP_THREAD(cta, warp, code) "  - cta: " #cta "\n    warp: " #warp \
	"\n    code: |\n" code

static const struct {
	enum model_version version;
	const char *reason, *text;
} uncovered[] = {
	{MODEL_PTX, "different sizes overlap", HEAD
	    THREAD(0, LINE("st.weak.u64 [v], 1;"))
	    THREAD(1, LINE("ld.weak.u32 r0, [v];")) "exists: 1:r0 == 1\n"},
	{MODEL_PTX, "ld.global.nc of a location that the test writes", HEAD
	    THREAD(0, LINE("st.weak.u32 [x], 1;"))
	    THREAD(1, LINE("ld.global.nc.u32 r0, [x];"))
	    "exists: 1:r0 == 1\n"},
	{MODEL_PTX, "lanes of a warp", HEAD
	    WARP_THREAD(0, 0, LINE("ld.weak.u32 r0, [x];")
	    LINE("shfl.sync.idx.b32 r1, r0, 0, 31, 0xffffffff;"))
	    "exists: 0:r1 == 1\n"},
	{MODEL_PTX, "whose warp is not given", HEAD
	    THREAD(0, LINE("st.weak.u32 [x], 1;")
	    LINE("bar.warp.sync 0xffffffff;"))
	    "exists: \"[x] == 1\"\n"},
	{MODEL_PTX, "some lanes only", HEAD
	    WARP_THREAD(0, 0, LINE("st.weak.u32 [x], 1;")
	    LINE("bar.warp.sync 3;")) "exists: \"[x] == 1\"\n"},
	{MODEL_PTX, "reduction", HEAD
	    THREAD(0, LINE("ld.weak.u32 r0, [x];")
	    LINE("setp.eq.u32 p, r0, 0;")
	    LINE("bar.red.popc.u32 r1, 0, p;")) "exists: 0:r1 == 1\n"},
	{MODEL_PTX, "trap", HEAD
	    THREAD(0, LINE("ld.weak.u32 r0, [x];") LINE("trap;"))
	    "exists: 0:r0 == 1\n"},
	{MODEL_PTX, "different counts", HEAD
	    THREAD(0, LINE("bar.sync 1, 64;")) THREAD(0,
	    LINE("bar.sync 1, 32;") LINE("ld.weak.u32 r0, [x];"))
	    "exists: 1:r0 == 1\n"},
	{MODEL_PTX, "twice at a barrier", HEAD
	    THREAD(0, LINE("bar.arrive 1, 64;") LINE("bar.sync 1, 64;"))
	    THREAD(0, LINE("bar.sync 1, 64;") LINE("ld.weak.u32 r0, [x];"))
	    "exists: 1:r0 == 1\n"},
	{MODEL_PTX, "without an arrive", HEAD
	    THREAD(0, LINE("barrier.cluster.wait;")
	    LINE("ld.weak.u32 r0, [x];")) "exists: 0:r0 == 1\n"},
	{MODEL_PTX, "twice without a wait", HEAD
	    THREAD(0, LINE("barrier.cluster.arrive;")
	    LINE("barrier.cluster.arrive;") LINE("ld.weak.u32 r0, [x];"))
	    "exists: 0:r0 == 1\n"},
	{MODEL_PTX75, "clusters came with PTX 7.8", HEAD
	    THREAD(0, LINE("ld.relaxed.cluster.u32 r0, [x];"))
	    "exists: 0:r0 == 1\n"},
	{MODEL_PTX75, "came with PTX 8.6", HEAD
	    THREAD(0, LINE("fence.acquire.gpu;")
	    LINE("ld.weak.u32 r0, [x];")) "exists: 0:r0 == 1\n"},
	{MODEL_PTX60, "proxies came with PTX 7.5", HEAD
	    THREAD(0, LINE("fence.proxy.alias;")
	    LINE("ld.weak.u32 r0, [x];")) "exists: 0:r0 == 1\n"},
	{MODEL_PTX60, "aliases came with PTX 7.5",
	    "name: T\nabout: t\nlocations: {x: 0, w: {alias: x}}\nthreads:\n"
	    THREAD(0, LINE("ld.weak.u32 r0, [x];")) "exists: 0:r0 == 1\n"},
};

START_TEST(says_why_not)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml(uncovered[_i].text, a);
	struct outcomes out;

	run(p, uncovered[_i].version, a, &out);
	ck_assert_int_eq(out.status, MODEL_NO_VERDICT);
	ck_assert_msg(strstr(out.reason, uncovered[_i].reason), "'%s' is not "
	    "in '%s'", uncovered[_i].reason, out.reason);
	ck_assert_int_gt(out.reason_loc.line, 0);
	ck_assert_int_eq(model_answer(p, &out), ANSWER_NONE);
	arena_free(a);
}
END_TEST

/* ---- executions that do not end --------------------------------------- */

static const struct {
	const char *threads;
	bool hang, bounded;
} endings[] = {
	{"0.0.0 ld.weak.u32 r0, [x]", false, false},
	/* a barrier that nobody else comes to */
	{"0.0.0 bar.sync 1, 64; ld.weak.u32 r0, [x]", true, false},
	{"0.0.0 bar.sync 0; ld.weak.u32 r0, [x] | 0.0.0 bar.sync 0", false,
	    false},
	/* only in some executions */
	{"0.0.0 ld.relaxed.gpu.u32 r0, [x]; setp.eq.u32 p, r0, 0; @p bra L; "
	    "bar.sync 1, 64; L: | 0.0.0 st.relaxed.gpu.u32 [x], 1", true,
	    false},
	/* a flag that is never set, and one that is */
	{"0.0.0 L: ld.relaxed.gpu.u32 r0, [x]; setp.eq.u32 p, r0, 0; "
	    "@p bra L", true, true},
	{"0.0.0 L: ld.relaxed.gpu.u32 r0, [x]; setp.eq.u32 p, r0, 0; "
	    "@p bra L | 1.1.0 st.relaxed.gpu.u32 [x], 1", false, true},
	/* racing weak stores may both be last (spec 5, XF-Barrier-weak) */
	{"0.0.0 L: ld.relaxed.gpu.u32 r0, [x]; setp.ne.u32 p, r0, 2; "
	    "@p bra L | 1.1.0 st.weak.u32 [x], 2 | 2.2.0 st.weak.u32 [x], 1",
	    true, true},
	/* a spinning thread keeps others at a barrier */
	{"0.0.0 L: ld.relaxed.gpu.u32 r0, [x]; setp.eq.u32 p, r0, 0; "
	    "@p bra L; bar.sync 0 | 0.0.0 bar.sync 0; "
	    "st.relaxed.gpu.u32 [x], 1", true, true},
};

START_TEST(knows_what_ends)
{
	struct arena *a = arena_new();
	const struct program *p = table_program("endings",
	    endings[_i].threads, "exists 0:r0 = 0", a);
	struct outcomes out;

	ck_assert_ptr_nonnull(p);
	run(p, MODEL_PTX, a, &out);
	ck_assert_int_eq(out.status, MODEL_OK);
	ck_assert_int_eq(out.hang, endings[_i].hang);
	ck_assert_int_eq(out.bounded, endings[_i].bounded);
	arena_free(a);
}
END_TEST

/* ---- loops that take many turns --------------------------------------- */

#define COUNT_TO(n) "0.0.0 mov.u32 i, 0; L: atom.add.u32 r0, [x], 1; " \
	"add.u32 i, i, 1; setp.lt.u32 p, i, " n "; @p bra L" \
	" | 1.1.0 ld.u32 r0, [x]"

#define COUNT_POLLS "0.0.0 mov.u32 i, 0; L: add.u32 i, i, 1; " \
	"min.u32 i, i, 6; ld.relaxed.gpu.u32 r0, [x]; " \
	"setp.eq.u32 p, r0, 0; @p bra L | 1.1.0 st.relaxed.gpu.u32 [x], 1"
#define LOCKED(scope) "0.0.0 L: atom.relaxed." scope ".exch.b32 r0, [x], " \
	"1; setp.ne.u32 p, r0, 0; @p bra L; st.weak.u32 [y], 1; " \
	"st.release.gpu.u32 [z], 1 | 1.1.0 st.relaxed.gpu.u32 [x], 1; " \
	"ld.acquire.gpu.u32 r1, [z]; ld.weak.u32 r2, [y]"

static const struct {
	const char *threads, *condition;
	int most; /* turns */
	enum answer answer;
} loops[] = {
	{COUNT_TO("5"), "exists 1:r0 = 5", UNROLL_MAX, ANSWER_ALLOWED},
	{COUNT_TO("5"), "exists 0:r0 = 3", UNROLL_MAX, ANSWER_FORBIDDEN},
	{COUNT_TO("5"), "exists 1:r0 = 5", 3, ANSWER_NONE},
	{COUNT_TO("15"), "exists 0:r0 = 14 /\\ 0:i = 15", UNROLL_MAX,
	    ANSWER_ALLOWED},
	{COUNT_TO("40"), "exists 0:i = 40", UNROLL_MAX, ANSWER_NONE},
	/* turns that change nothing need not be taken, */
	{"0.0.0 L: ld.relaxed.gpu.u32 r0, [x]; setp.ne.u32 p, r0, 3; "
	    "@p bra L; ld.relaxed.gpu.u32 r1, [x] | "
	    "1.1.0 st.relaxed.gpu.u32 [x], 1; "
	    "st.relaxed.gpu.u32 [x], 2; st.relaxed.gpu.u32 [x], 3",
	    "exists 0:r1 = 1", 2, ANSWER_FORBIDDEN},
	/* but for those that count them */
	{COUNT_POLLS, "exists 0:i = 6", 2, ANSWER_NONE},
	{COUNT_POLLS, "exists 0:i = 6", UNROLL_MAX, ANSWER_ALLOWED},
	{COUNT_POLLS, "exists 0:i = 0", UNROLL_MAX, ANSWER_FORBIDDEN},
	/* a lock taken from one who has it stays as it is, */
	{LOCKED("gpu"), "exists 1:r1 = 1 /\\ 1:r2 = 0", UNROLL_MAX,
	    ANSWER_FORBIDDEN},
	/* unless someone's access to it is not morally strong */
	{LOCKED("cta"), "exists 1:r1 = 1 /\\ 1:r2 = 0", UNROLL_MAX,
	    ANSWER_NONE},
};

START_TEST(follows_loops_to_their_end)
{
	struct arena *a = arena_new();
	const struct program *p = table_program("loops", loops[_i].threads,
	    loops[_i].condition, a);
	struct model_opts opts;
	struct outcomes out;
	struct err err;

	ck_assert_ptr_nonnull(p);
	model_defaults(&opts, MODEL_PTX);
	opts.unroll_most = loops[_i].most;
	if (!model_run(p, &opts, a, &out, &err))
		ck_abort_msg("%s", err.message);
	ck_assert_int_eq(model_answer(p, &out), loops[_i].answer);
	ck_assert(out.status == MODEL_OK || strstr(out.reason,
	    "a loop takes more turns than are followed"));
	ck_assert(out.status == MODEL_OK || out.reason_loc.line > 0);
	arena_free(a);
}
END_TEST

/* ---- too large -------------------------------------------------------- */

/* Threads of one location each way, as large as asked. */
static const struct program *
large(int threads, int accesses, const char *fence, struct arena *a)
{
	struct text t;
	int i, j;

	text_init(&t, a);
	text_printf(&t, "name: large\nabout: t\nlocations: {x: 0, y: 0}\n"
	    "threads:\n");
	for (i = 0; i < threads; i++) {
		text_printf(&t, "  - cta: %d\n    code: |\n", i);
		for (j = 0; j < accesses; j++) {
			char location = (i + j) % 2 ? 'x' : 'y';

			text_printf(&t, "      %s\n", j ? fence : "");
			if (j % 2)
				text_printf(&t, "      ld.relaxed.gpu.u32 "
				    "r%d, [%c];\n", j, location);
			else
				text_printf(&t, "      st.relaxed.gpu.u32 "
				    "[%c], %d;\n", location,
				    i * accesses + j + 1);
		}
	}
	text_printf(&t, "exists: 0:r1 == 0\n");
	return help_yaml(t.s, a);
}

static const struct {
	int threads, accesses;
	const char *fence;
} sizes[] = {
	{8, 6, ""}, {6, 4, "fence.sc.gpu;"}, {3, 8, "fence.sc.gpu;"},
	{8, 3, "fence.sc.gpu;"}, {8, 4, "fence.acq_rel.gpu;"},
};

START_TEST(refuses_soon)
{
	struct arena *a = arena_new();
	const struct program *p = large(sizes[_i].threads,
	    sizes[_i].accesses, sizes[_i].fence, a);
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	clock_t start = clock();

	model_defaults(&opts, MODEL_PTX);
	ck_assert(!model_run(p, &opts, a, &out, &err));
	ck_assert_int_eq(err.code, ERR_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.message, "too large"));
	/* half a second on a machine that is not busy */
	ck_assert_msg(clock() - start < 2 * CLOCKS_PER_SEC, "%d threads of "
	    "%d: %.2f s", sizes[_i].threads, sizes[_i].accesses,
	    (double)(clock() - start) / (double)CLOCKS_PER_SEC);
	arena_free(a);
}
END_TEST

START_TEST(versions_have_names)
{
	enum model_version v, found;

	for (v = MODEL_PTX60; v <= MODEL_PTX; v++) {
		ck_assert(model_version_parse(model_version_name(v),
		    &found));
		ck_assert_int_eq(found, v);
	}
	ck_assert(!model_version_parse("ptx-5.0", &found));
}
END_TEST

Suite *suite_limits(void);

Suite *
suite_limits(void)
{
	Suite *s = suite_create("limits");
	TCase *t = tcase_create("limits");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, says_why_not, 0,
	    (int)(sizeof(uncovered) / sizeof(*uncovered)));
	tcase_add_loop_test(t, follows_loops_to_their_end, 0,
	    (int)(sizeof(loops) / sizeof(*loops)));
	tcase_add_loop_test(t, knows_what_ends, 0,
	    (int)(sizeof(endings) / sizeof(*endings)));
	tcase_add_loop_test(t, refuses_soon, 0,
	    (int)(sizeof(sizes) / sizeof(*sizes)));
	tcase_add_test(t, versions_have_names);
	suite_add_tcase(s, t);
	return s;
}
