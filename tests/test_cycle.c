/* Tests from cycles: names, texts, verdicts, errors, shapes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "help_cycle.h"

static void
outcomes_of(const struct program *p, struct arena *a, struct outcomes *out)
{
	struct model_opts opts;
	struct err err;

	model_defaults(&opts, MODEL_PTX);
	if (!model_run(p, &opts, a, out, &err))
		ck_abort_msg("%s: %s", p->name, err.message);
	ck_assert_int_eq(out->status, MODEL_OK);
}

/* ---- verdicts --------------------------------------------------------- */

/*
 * What is known of them: the worked table of the model's description, each
 * row as a cycle. A wrong value, location or placement in the test that is
 * made changes one of these.
 */
static const struct {
	const char *edges, *strength, *place, *name;
	enum answer answer;
} known[] = {
	{"PodWW Rfe PodRR Fre", "weak", "same", "MP+pos+weak+same",
	    ANSWER_ALLOWED},
	{"PodWW Rfe PodRR Fre", NULL, NULL, "MP+pos", ANSWER_ALLOWED},
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", "weak", NULL,
	    "MP+po-release.gpu+acquire.gpu-po+weak", ANSWER_FORBIDDEN},
	{"PodWW release.cta Rfe acquire.cta PodRR Fre", "weak", NULL,
	    "MP+po-release.cta+acquire.cta-po+weak", ANSWER_ALLOWED},
	{"PodWW release.cta Rfe acquire.gpu PodRR Fre", "weak", "same",
	    "MP+po-release.cta+acquire.gpu-po+weak+same", ANSWER_FORBIDDEN},
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", "weak", "gpus",
	    "MP+po-release.gpu+acquire.gpu-po+weak+gpus", ANSWER_ALLOWED},
	{"PodWW release.sys Rfe acquire.sys PodRR Fre", "weak", "gpus",
	    "MP+po-release.sys+acquire.sys-po+weak+gpus", ANSWER_FORBIDDEN},
	{"PodWW release.cta Rfe acquire.cta PodRR Fre", "weak", "cluster",
	    "MP+po-release.cta+acquire.cta-po+weak+cluster",
	    ANSWER_ALLOWED},
	{"PodWW release.cluster Rfe acquire.cluster PodRR Fre", "weak",
	    "cluster", "MP+po-release.cluster+acquire.cluster-po+weak+cluster",
	    ANSWER_FORBIDDEN},
	{"fence.acq_rel.gpu.dWW Rfe fence.acq_rel.gpu.dRR Fre", NULL, NULL,
	    "MP+fence.acq_rel.gpu+fence.acq_rel.gpu", ANSWER_FORBIDDEN},
	{"fence.acq_rel.gpu.dWW Rfe fence.acq_rel.gpu.dRR Fre", "weak",
	    NULL, "MP+fence.acq_rel.gpu+fence.acq_rel.gpu+weak",
	    ANSWER_ALLOWED},
	{"fence.sc.gpu.dWW Rfe fence.sc.gpu.dRR Fre", "weak", NULL,
	    "MP+fence.sc.gpu+fence.sc.gpu+weak", ANSWER_FORBIDDEN},
	{"fence.sc.gpu.dWW Rfe fence.sc.cta.dRR Fre", "relaxed.sys", NULL,
	    "MP+fence.sc.gpu+fence.sc.cta+relaxed.sys", ANSWER_ALLOWED},
	{"fence.sc.gpu.dWW Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    "MP+fence.sc.gpu+acquire.gpu-po", ANSWER_FORBIDDEN},
	{"PodWW release.gpu Rfe Rmw Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    "WW+RW+RR+po-release.gpu+rmw+acquire.gpu-po", ANSWER_FORBIDDEN},
	{"PodWR Fre PodWR Fre", "weak", NULL, "SB+pos+weak", ANSWER_ALLOWED},
	{"fence.acq_rel.cta.dWR Fre fence.acq_rel.cta.dWR Fre", NULL, "same",
	    "SB+fence.acq_rel.cta+fence.acq_rel.cta+same", ANSWER_ALLOWED},
	{"fence.sc.gpu.dWR Fre fence.sc.gpu.dWR Fre", "weak", NULL,
	    "SB+fence.sc.gpu+fence.sc.gpu+weak", ANSWER_FORBIDDEN},
	{"fence.sc.cta.dWR Fre fence.sc.cta.dWR Fre", NULL, NULL,
	    "SB+fence.sc.cta+fence.sc.cta", ANSWER_ALLOWED},
	{"membar.gl.dWR Fre membar.sys.dWR Fre", NULL, NULL,
	    "SB+membar.gl+membar.sys", ANSWER_FORBIDDEN},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "weak", "same",
	    "SB+bar.sync+bar.sync+weak+same", ANSWER_FORBIDDEN},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "weak", NULL,
	    "SB+bar.sync+bar.sync+weak", ANSWER_ALLOWED},
	{"PodRW Rfe PodRW Rfe", NULL, NULL, "LB+pos", ANSWER_ALLOWED},
	{"DpDatadW Rfe DpDatadW Rfe", NULL, NULL, "LB+data+data",
	    ANSWER_FORBIDDEN},
	{"DpCtrldW Rfe DpCtrldW Rfe", NULL, NULL, "LB+ctrl+ctrl",
	    ANSWER_FORBIDDEN},
	{"DpDatadW Rfe PodRW Rfe", NULL, NULL, "LB+data+po",
	    ANSWER_ALLOWED},
	{"acquire.gpu PodRW release.gpu Rfe acquire.gpu PodRW release.gpu "
	    "Rfe", NULL, NULL,
	    "LB+acquire.gpu-po-release.gpu+acquire.gpu-po-release.gpu",
	    ANSWER_FORBIDDEN},
	{"Rfe PosRR Fre", "weak", NULL, "CoRR+pos+weak", ANSWER_ALLOWED},
	{"Rfe PosRR Fre", NULL, NULL, "CoRR+pos", ANSWER_FORBIDDEN},
	{"PosWR Fre Coe", NULL, NULL, "CoWR+pos", ANSWER_FORBIDDEN},
	{"PosWR Fre Coe", "weak", NULL, "CoWR+pos+weak", ANSWER_FORBIDDEN},
	{"PosRW Coe Rfe", NULL, NULL, "CoRW2+pos", ANSWER_FORBIDDEN},
	{"PosRW Coe Rfe", "weak", NULL, "CoRW2+pos+weak", ANSWER_ALLOWED},
	{"PodWW Coe PodWW Coe", NULL, NULL, "2+2W+pos", ANSWER_ALLOWED},
	{"fence.sc.gpu.dWW Coe fence.sc.gpu.dWW Coe", "weak", NULL,
	    "2+2W+fence.sc.gpu+fence.sc.gpu+weak", ANSWER_FORBIDDEN},
	{"fence.acq_rel.gpu.dWW Coe fence.acq_rel.gpu.dWR Fre", NULL, NULL,
	    "R+fence.acq_rel.gpu+fence.acq_rel.gpu", ANSWER_ALLOWED},
	{"fence.sc.gpu.dWW Coe fence.sc.gpu.dWR Fre", NULL, NULL,
	    "R+fence.sc.gpu+fence.sc.gpu", ANSWER_FORBIDDEN},
	{"PodWW release.gpu Rfe acquire.gpu PodRW Coe", NULL, NULL,
	    "S+po-release.gpu+acquire.gpu-po", ANSWER_FORBIDDEN},
	{"PodWW release.gpu Rfe PodRW Coe", NULL, NULL, "S+po-release.gpu+po",
	    ANSWER_ALLOWED},
	{"Rfe PodRW release.gpu Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    "WRC+po-release.gpu+acquire.gpu-po", ANSWER_FORBIDDEN},
	{"weak Rfe weak PodRW release.gpu Rfe acquire.gpu PodRR Fre", NULL,
	    NULL, "WRC+weak+weak-po-release.gpu+acquire.gpu-po",
	    ANSWER_ALLOWED},
	{"PodWW release.cta Rfe acquire.cta PodRW release.gpu Rfe "
	    "acquire.gpu PodRR Fre", "weak", "0,0,1",
	    "ISA2+po-release.cta+acquire.cta-po-release.gpu+acquire.gpu-po+"
	    "weak+0-0-1", ANSWER_FORBIDDEN},
	{"PodWW release.gpu Rfe PodRW Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    "ISA2+po-release.gpu+po+acquire.gpu-po", ANSWER_ALLOWED},
	{"release.gpu Rfe acquire.gpu PodRR Fre release.gpu Rfe acquire.gpu "
	    "PodRR Fre", NULL, NULL,
	    "IRIW+release.gpu+acquire.gpu-po+release.gpu+acquire.gpu-po",
	    ANSWER_ALLOWED},
	{"Rfe fence.sc.gpu.dRR Fre Rfe fence.sc.gpu.dRR Fre", NULL, NULL,
	    "IRIW+fence.sc.gpu+fence.sc.gpu", ANSWER_FORBIDDEN},
	{"Rfe fence.sc.gpu.dRR Fre Rfe fence.sc.gpu.dRR Fre", "weak", NULL,
	    "IRIW+fence.sc.gpu+fence.sc.gpu+weak", ANSWER_ALLOWED},
	{"Rfe fence.sc.gpu.dRR Fre fence.sc.gpu.dWR Fre", NULL, NULL,
	    "RWC+fence.sc.gpu+fence.sc.gpu", ANSWER_FORBIDDEN},
};

START_TEST(known_verdicts_hold)
{
	struct arena *a = arena_new();
	const struct program *p;
	struct outcomes out;

	p = help_cycle(known[_i].edges, known[_i].strength, known[_i].place,
	    a);
	outcomes_of(p, a, &out);
	ck_assert_str_eq(p->name, known[_i].name);
	ck_assert_msg(model_answer(p, &out) == known[_i].answer, "%s",
	    p->name);
	arena_free(a);
}
END_TEST

/* ---- text ------------------------------------------------------------- */

START_TEST(a_test_is_written_so)
{
	struct arena *a = arena_new();

	ck_assert_str_eq(help_cycle_text("Rfe DpDatadW Rfe acquire.cta "
	    "DpCtrldW Coe fence.sc.gpu.dWW release.sys", "relaxed.sys",
	    "0:0,1:1,1:1", a),
	    "name: Z6.2+fence.sc.gpu-release.sys+data+acquire.cta-ctrl+rela"
	    "xed.sys+0.0-1.1-1.1\n"
	    "about: Made from the cycle fence.sc.gpu.dWW release.sys Rfe Dp"
	    "DatadW Rfe acquire.cta DpCtrldW Coe.\n"
	    "locations: {x: 0, y: 0, z: 0}\n"
	    "threads:\n"
	    "  - cta: 0\n"
	    "    code: |\n"
	    "      st.relaxed.sys.global.u32 [x], 2;\n"
	    "      fence.sc.gpu;\n"
	    "      st.release.sys.global.u32 [y], 1;\n"
	    "  - cta: 1\n"
	    "    gpu: 1\n"
	    "    code: |\n"
	    "      ld.relaxed.sys.global.u32 r0, [y];\n"
	    "      st.relaxed.sys.global.u32 [z], r0;\n"
	    "  - cta: 1\n"
	    "    gpu: 1\n"
	    "    code: |\n"
	    "      ld.acquire.cta.global.u32 r0, [z];\n"
	    "      setp.ne.u32 p4, r0, 1;\n"
	    "      @p4 bra END;\n"
	    "      st.relaxed.sys.global.u32 [x], 1;\n"
	    "      END:\n"
	    "exists: '1:r0 == 1 && 2:r0 == 1 && [x] == 2'\n");
	arena_free(a);
}
END_TEST

START_TEST(a_cycle_has_no_beginning)
{
	static const char *const turns[] = {
		"PodWW release.gpu Rfe acquire.gpu PodRR Fre",
		"release.gpu Rfe acquire.gpu PodRR Fre PodWW",
		"acquire.gpu PodRR Fre PodWW release.gpu Rfe",
		"Rfe acquire.gpu PodRR Fre PodWW release.gpu",
		"PodRR Fre PodWW release.gpu Rfe acquire.gpu",
		"  Fre,PodWW release.gpu\tRfe acquire.gpu PodRR\n",
	};
	struct arena *a = arena_new();
	const char *first = help_cycle_text(turns[0], NULL, NULL, a);
	size_t i;

	for (i = 1; i < sizeof(turns) / sizeof(*turns); i++)
		ck_assert_str_eq(help_cycle_text(turns[i], NULL, NULL, a),
		    first);
	arena_free(a);
}
END_TEST

/* ---- shapes ----------------------------------------------------------- */

/* "PodWR" becomes "fence.sc.gpu.dWR". */
static const char *
fenced(const char *edges, struct arena *a)
{
	struct text t;

	text_init(&t, a);
	for (; *edges; edges++)
		if (strncmp(edges, "Pod", 3) == 0) {
			text_printf(&t, "fence.sc.gpu.d");
			edges += 2;
		} else {
			text_append(&t, edges, 1);
		}
	return t.s;
}

/*
 * A critical cycle contradicts every interleaving; relaxed accesses allow
 * each, and a fence.sc between the two of each thread forbids each.
 */
START_TEST(every_shape_is_critical)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct outcomes out;
	uint64_t values[SLOTS_MAX];
	const char *const *shapes;
	int count, i;
	uint32_t k;

	shapes = cycle_shapes(4, a, &count);
	for (i = 0; i < count; i++) {
		const struct program *p = help_cycle(shapes[i], NULL, NULL,
		    each);

		outcomes_of(p, each, &out);
		ck_assert_msg(model_answer(p, &out) == ANSWER_ALLOWED, "%s",
		    shapes[i]);
		for (k = 0; k < out.count; k++) {
			outcome_values(p, out.list[k].code, values);
			ck_assert_msg(!out.list[k].sc ||
			    !program_is_target(p, values), "%s", shapes[i]);
		}
		p = help_cycle(fenced(shapes[i], each), NULL, NULL, each);
		outcomes_of(p, each, &out);
		ck_assert_msg(model_answer(p, &out) == ANSWER_FORBIDDEN,
		    "%s", p->name);
		arena_reset(each);
	}
	arena_free(each);
	arena_free(a);
}
END_TEST

static int
compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* 6 of two threads, 17 more of three, 45 more of four, no two alike. */
START_TEST(the_shapes_are_counted)
{
	static const int counts[] = {[2] = 6, [3] = 23, [4] = 68};
	struct arena *a = arena_new();
	const char *names[68];
	const char *const *shapes;
	int count, n, i;

	for (n = 2; n <= 4; n++) {
		shapes = cycle_shapes(n, a, &count);
		ck_assert_int_eq(count, counts[n]);
	}
	for (i = 0; i < count; i++)
		names[i] = help_cycle(shapes[i], NULL, NULL, a)->name;
	qsort(names, (size_t)count, sizeof(*names), compare);
	for (i = 1; i < count; i++)
		ck_assert_str_ne(names[i - 1], names[i]);
	arena_free(a);
}
END_TEST

/* ---- errors ----------------------------------------------------------- */

static const struct {
	const char *edges, *strength, *place;
	int column;
	const char *message;
} wrong[] = {
	{"", NULL, NULL, 1,
	    "a cycle has at least two edges (PodWW Rfe PodRR Fre)"},
	{"Rfe", NULL, NULL, 1,
	    "a cycle has at least two edges (PodWW Rfe PodRR Fre)"},
	{"PodWW Rfe PodWR Fre", NULL, NULL, 11,
	    "'PodWR' starts at a write, but 'Rfe' ends at a read"},
	{"PodWW Rfe PodRR", NULL, NULL, 1,
	    "'PodWW' starts at a write, but 'PodRR' ends at a read"},
	{"PodWW Rfe PodRX Fre", NULL, NULL, 11,
	    "unknown edge 'PodRX' (Rfe, Fre, Coe, Rfi, Fri, Coi, Rmw, PodWR, "
	    "PosRR, DpDatadW, DpCtrldW, fence.sc.gpu.dWR)"},
	{"PodWW Rfe fence.sc.gpus.dRR Fre", NULL, NULL, 11,
	    "unknown scope 'gpus' (cta, cluster, gpu, sys)"},
	{"PodWW Rfe ld.weak.dRR Fre", NULL, NULL, 11,
	    "only fences and bar.sync stand in an edge"},
	{"PodWW acquire.gpu Rfe PodRR Fre", NULL, NULL, 7,
	    "st takes no semantics 'acquire' (weak, relaxed, release, "
	    "volatile, mmio.relaxed)"},
	{"PodWW release Rfe PodRR Fre", NULL, NULL, 7,
	    "a strong access needs a scope (cta, cluster, gpu, sys)"},
	{"PodWW weak weak Rfe PodRR Fre", NULL, NULL, 12,
	    "this access has two strengths"},
	{"weak PodWW Rfe PodRR Fre weak", NULL, NULL, 1,
	    "this access has two strengths"},
	{"PosWW Coi", NULL, NULL, 1, "a cycle leaves a thread and comes "
	    "back: it needs two or more of Rfe, Fre, Coe"},
	{"PodWW Coe", NULL, NULL, 1, "a cycle leaves a thread and comes "
	    "back: it needs two or more of Rfe, Fre, Coe"},
	{"PodWW Rfe PosRR Fre", NULL, NULL, 1,
	    "only one edge changes the location, so the cycle cannot close"},
	{"Rfe Fre", NULL, NULL, 1,
	    "a cycle needs an edge of program order (PodWR, PosRR)"},
	{"PodWW Coe PosWW Coe PodWW Coe", NULL, NULL, 1, "three writes to "
	    "one location: no final state tells their order"},
	{"Rfe PodRW Rfe PodRW Rfe PodRW Rfe PodRW Rfe PodRW Rfe PodRW Rfe "
	    "PodRW Rfe PodRW Rfe PodRW", NULL, NULL, 81,
	    "too many edges (at most 16)"},
	{"PodWW Rfe PodRR Fre", "strong", NULL, 1,
	    "unknown qualifier 'strong' of st"},
	{"PodWW Rfe PodRR Fre", NULL, "near", 1, "placement 'near' does not "
	    "name the CTAs of 2 threads (diff, same, cluster, gpus, or a "
	    "list: 0,0,1 or, with the GPU, 0:0,1:1)"},
	{"PodWW Rfe PodRR Fre", NULL, "0,1,2", 1, "placement '0,1,2' does "
	    "not name the CTAs of 2 threads (diff, same, cluster, gpus, or "
	    "a list: 0,0,1 or, with the GPU, 0:0,1:1)"},
	{"bar.sync.dWR Fre PodWR Fre", NULL, "same", 1, "threads P0 and P1 "
	    "share a CTA but not its barriers: they would wait for ever"},
};

START_TEST(errors_have_their_place)
{
	struct cycle_opts opts = {wrong[_i].strength, wrong[_i].place};
	struct arena *a = arena_new();
	struct text t;
	struct err err;

	text_init(&t, a);
	ck_assert_msg(!cycle_yaml(&t, wrong[_i].edges, &opts, &err),
	    "'%s' was accepted", wrong[_i].edges);
	ck_assert_uint_eq(t.size, 0);
	ck_assert_str_eq(err.message, wrong[_i].message);
	ck_assert_int_eq(err.loc.column, wrong[_i].column);
	arena_free(a);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_cycle(void);

Suite *
suite_cycle(void)
{
	Suite *s = suite_create("cycle");
	TCase *c = tcase_create("cycle");

	tcase_add_loop_test(c, known_verdicts_hold, 0, COUNT(known));
	tcase_add_test(c, a_test_is_written_so);
	tcase_add_test(c, a_cycle_has_no_beginning);
	tcase_add_test(c, every_shape_is_critical);
	tcase_add_test(c, the_shapes_are_counted);
	tcase_add_loop_test(c, errors_have_their_place, 0, COUNT(wrong));
	suite_add_tcase(s, c);
	return s;
}
