/* Explanations: every circle is one, every suggestion forbids, and the words
   and pictures of some. */
#include <check.h>
#include <mxml.h>
#include <stdlib.h>
#include <string.h>

#include "../model/explain.h"
#include "help_cycle.h"

#define BIT(i) ((event_row)1 << (i))

static const char *
explained(const struct program *p, enum explain_format format,
    struct arena *a)
{
	struct model_opts opts;
	struct text t;
	struct err err;

	model_defaults(&opts, MODEL_PTX);
	text_init(&t, a);
	if (!model_explain(&t, p, &opts, help_target(p), format, a, &err))
		ck_abort_msg("%s: %s", p->name, err.message);
	return t.s;
}

/* ---- circles ---------------------------------------------------------- */

static bool
step_holds(const struct execution *x, const struct step *s)
{
	const event_row *const rows[ARROW_COUNT] = {
		[ARROW_PO] = x->po, [ARROW_RF] = x->rf, [ARROW_FR] = x->fr,
		[ARROW_CO] = x->co, [ARROW_SW] = x->sw, [ARROW_SC] = x->sc,
		[ARROW_BARRIER] = x->sw, [ARROW_OBS] = x->obs,
		[ARROW_DEP] = x->dep,
	};

	if (s->kind == ARROW_INIT)
		return x->events[s->from].kind == EVENT_INIT &&
		    x->events[s->from].loc == x->events[s->to].loc;
	return rows[s->kind][s->from] & BIT(s->to);
}

struct circles {
	uint64_t broken, found;
	int axioms[AXIOM_SC_LOCATION + 1];
};

/* Each rejected candidate has a circle; each step of it is in its relation,
   ends where the next begins, and the last where the first did. */
static bool
check_circle(void *user, const struct execution *x, enum axiom axiom)
{
	struct circles *c = user;
	struct reason r;
	int i;

	if (axiom == AXIOM_NONE)
		return true;
	c->broken++;
	c->axioms[axiom]++;
	if (!reason_find(x, axiom, &r))
		return true;
	c->found++;
	for (i = 0; i < r.count; i++) {
		int next = r.steps[(i + 1) % r.count].from;

		/* the halves of an atomic are one */
		ck_assert(r.steps[i].to == next ||
		    x->events[next].rmw == r.steps[i].to);
		ck_assert(step_holds(x, &r.steps[i]));
	}
	return c->broken < 2000;
}

static void
check_program(const struct program *p, uint64_t mutation,
    struct circles *c, struct arena *a)
{
	struct model_opts opts;
	struct err err;
	uint32_t i;

	model_defaults(&opts, MODEL_PTX);
	opts.mutation = mutation;
	for (i = 0; i < p->noutcomes && i < 64; i++)
		if (!model_candidates(p, &opts, i, check_circle, c, a, &err))
			ck_abort_msg("%s: %s", p->name, err.message);
}

static const struct {
	const char *edges, *strength, *place;
	enum axiom axiom; /* that must have been broken */
	uint64_t mutation; /* rules left out, so that another axiom is met */
} broken[] = {
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", "weak", NULL,
	    AXIOM_CAUSALITY, 0},
	{"fence.sc.gpu.dWR Fre fence.sc.gpu.dWR Fre", NULL, NULL,
	    AXIOM_CAUSALITY, 0},
	{"fence.sc.gpu.dWW Coe fence.sc.gpu.dWW Coe", NULL, NULL,
	    AXIOM_COHERENCE, 0},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "weak", "same",
	    AXIOM_CAUSALITY, 0},
	{"PodWW Rfe Rmw Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    AXIOM_ATOMICITY, 0},
	{"Rfe PosRR Fre", NULL, NULL, AXIOM_CAUSALITY, 0},
	{"Rfe PosRR Fre", NULL, NULL, AXIOM_SC_LOCATION,
	    1ull << RULE_CAUSALITY_FR | 1ull << RULE_CAUSALITY_RF},
	{"PosWR Fre Coe", NULL, NULL, AXIOM_CAUSALITY, 0},
	{"DpDatadW Rfe DpDatadW Rfe", NULL, NULL, AXIOM_NONE, 0},
	{"Rfe fence.sc.gpu.dRR Fre Rfe fence.sc.gpu.dRR Fre", NULL, NULL,
	    AXIOM_CAUSALITY, 0},
	{"Rfe PodRW release.gpu Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    AXIOM_CAUSALITY, 0},
};

START_TEST(every_circle_is_closed)
{
	struct arena *a = arena_new();
	struct circles c = {0};

	check_program(help_cycle(broken[_i].edges, broken[_i].strength,
	    broken[_i].place, a), broken[_i].mutation, &c, a);
	ck_assert_uint_eq(c.found, c.broken);
	ck_assert(broken[_i].axiom == AXIOM_NONE ||
	    c.axioms[broken[_i].axiom] > 0);
	arena_free(a);
}
END_TEST

START_TEST(every_shape_has_circles)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct circles c = {0};
	const char *const *shapes;
	int count, i;

	shapes = cycle_shapes(3, a, &count);
	for (i = 0; i < count; i++) {
		check_program(help_cycle(shapes[i], NULL, NULL, each),
		    0, &c, each);
		arena_reset(each);
	}
	ck_assert_uint_gt(c.broken, 50);
	ck_assert_uint_eq(c.found, c.broken);
	arena_free(each);
	arena_free(a);
}
END_TEST

/* ---- suggestions ------------------------------------------------------ */

static void
check_suggestions(const struct program *p, bool wanted, struct arena *a)
{
	struct strengthening list[STRENGTHENINGS_MAX];
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	int count, i;

	model_defaults(&opts, MODEL_PTX);
	ck_assert_msg(model_strengthen(p, &opts, help_target(p), a, list,
	    &count) == wanted, "%s", p->name);
	ck_assert_int_eq(count > 0, wanted);
	for (i = 0; i < count; i++) {
		ck_assert(model_run(list[i].program, &opts, a, &out, &err));
		ck_assert_ptr_null(outcomes_find(&out, help_target(p)));
		ck_assert(i == 0 || list[i].cost >= list[i - 1].cost);
		ck_assert_int_gt(list[i].changes, 0);
	}
}

/* With suggestions taken the outcome is gone, for every shape that relaxed
   or weak accesses allow. */
START_TEST(suggestions_forbid)
{
	static const char *const strengths[] = {"relaxed.gpu", "weak"};
	struct arena *a = arena_new(), *each = arena_new();
	const char *const *shapes;
	int count, i;

	shapes = cycle_shapes(3, a, &count);
	for (i = 0; i < count; i++) {
		check_suggestions(help_cycle(shapes[i], strengths[_i], NULL,
		    each), true, each);
		arena_reset(each);
	}
	arena_free(each);
	arena_free(a);
}
END_TEST

/* Nothing helps against an interleaving. */
START_TEST(an_interleaving_cannot_be_forbidden)
{
	struct arena *a = arena_new();

	check_suggestions(help_yaml("name: T\nlocations: {x: 0}\nthreads:\n"
	    "  - {cta: 0, code: \"st.relaxed.gpu.u32 [x], 1;\"}\n"
	    "  - {cta: 1, code: \"ld.relaxed.gpu.u32 r0, [x];\"}\n"
	    "exists: \"1:r0 == 1\"\n", a), false, a);
	arena_free(a);
}
END_TEST

/* flashinfer #5251: another thread's data, and no barrier before the flag */
START_TEST(a_missing_barrier_is_found)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml("name: T\n"
	    "locations: {data: 0, flag: 0}\nthreads:\n"
	    "  - cta: 0\n    code: |\n"
	    "      fence.acq_rel.gpu;\n"
	    "      red.relaxed.gpu.add.u32 [flag], 1;\n"
	    "  - cta: 0\n    code: |\n"
	    "      st.weak.u32 [data], 1;\n"
	    "  - cta: 1\n    code: |\n"
	    "      ld.acquire.gpu.u32 r0, [flag];\n"
	    "      ld.weak.u32 r1, [data];\n"
	    "exists: 2:r0 == 1 && 2:r1 == 0\n", a);
	const char *text = explained(p, EXPLAIN_TEXT, a);

	check_suggestions(p, true, a);
	ck_assert_ptr_nonnull(strstr(text, "P0 line 6: bar.sync before "
	    "fence.acq_rel.gpu; P1 line 10: bar.sync after st.weak"));
	arena_free(a);
}
END_TEST

/* ---- words ------------------------------------------------------------ */

START_TEST(an_allowed_outcome_is_explained_so)
{
	struct arena *a = arena_new();

	ck_assert_str_eq(explained(help_cycle("PodWW release.cta Rfe "
	    "PodRR weak Fre", NULL, NULL, a), EXPLAIN_TEXT, a),
	    "MP+po-release.cta+po-weak: 1:r0=1 1:r1=0 is allowed\n"
	    "\n"
	    "An execution that ends so:\n"
	    "  P0 (cta 0, gpu 0)\n"
	    "    a   st.relaxed.gpu.global.u32 [x], 1\n"
	    "    b   st.release.cta.global.u32 [y], 1\n"
	    "  P1 (cta 1, gpu 0)\n"
	    "    c   ld.relaxed.gpu.global.u32 r0, [y]    reads 1\n"
	    "    d   ld.weak.global.u32 r1, [x]    reads 0 (initial)\n"
	    "\n"
	    "  c reads [y] = 1 from b\n"
	    "  d reads [x] = 0, the initial value; not what a writes\n"
	    "\n"
	    "No interleaving of the threads gives this. Why PTX allow"
	    "s it:\n"
	    "  c reads from b, but that orders nothing else:\n"
	    "    - b (P0) has scope .cta, which does not reach P1 in "
	    "another CTA: .gpu is needed (ISA 8.5, 8.7)\n"
	    "    - nothing acquires: c is no acquire, and P1 has no a"
	    "cquire fence after it (ISA 8.8)\n"
	    "  So no chain of program order and synchronization leads"
	    " from a to d, and d may miss it (ISA 8.9.5, 8.10.6).\n"
	    "\n"
	    "Data races here (ISA 8.7.1: no moral strength and no cau"
	    "sality order between them):\n"
	    "  [x]: P0 line 7 (write) and P1 line 12 (read)\n"
	    "  [y]: P0 line 8 (write) and P1 line 11 (read)\n"
	    "\n"
	    "What would forbid it (one line is enough):\n"
	    "      P0 line 8: st.release.cta -> st.release.gpu; P1 li"
	    "ne 11: ld.relaxed.gpu -> ld.acquire.gpu\n"
	    "  or  P0 line 8: st.release.cta -> st.release.gpu; P1 li"
	    "ne 12: fence.acq_rel.gpu before ld.weak\n"
	    "  or  P0 line 8: fence.sc.gpu before st.release.cta; P1 "
	    "line 12: fence.sc.gpu before ld.weak\n");
	arena_free(a);
}
END_TEST

START_TEST(a_forbidden_outcome_is_explained_so)
{
	struct arena *a = arena_new();

	ck_assert_str_eq(explained(help_cycle("PodWW release.gpu Rfe Rmw "
	    "Rfe fence.acq_rel.gpu.dRR Fre", NULL, NULL, a), EXPLAIN_TEXT,
	    a),
	    "WW+RW+RR+po-release.gpu+rmw+fence.acq_rel.gpu: 1:r0=1 2:"
	    "r0=2 2:r1=0 [y]=2 is forbidden\n"
	    "\n"
	    "1 candidate execution would end so. What forbids it:\n"
	    "\n"
	    "Causality (ISA 8.10.6): a read would miss a write that c"
	    "omes before it in causality order.\n"
	    "    f   ld.relaxed.gpu.global.u32 r1, [x]  (P2, line 16)\n"
	    "          reads a value older than that of a  (fr, ISA 8"
	    ".9.7)\n"
	    "    a   st.relaxed.gpu.global.u32 [x], 1  (P0, line 7)\n"
	    "          comes before, in program order, b  (po, ISA 8."
	    "9.1)\n"
	    "    b   st.release.gpu.global.u32 [y], 1  (P0, line 8)\n"
	    "          synchronizes with e  (sync, ISA 8.9.4)\n"
	    "          because d reads from b, by way of other atomic"
	    "s\n"
	    "    e   fence.acq_rel.gpu  (P2, line 15)\n"
	    "          comes before, in program order, f  (po, ISA 8."
	    "9.1)\n"
	    "    and so back to f: a circle, which the model forbids.\n"
	    "\n"
	    "It hangs on each of these: with any one of them weakened"
	    " the test's outcome is allowed.\n"
	    "    P0 line 8: st.release.gpu -> st.release.cta\n"
	    "    P0 line 8: st.release.gpu -> st.relaxed.gpu\n"
	    "    P1 line 11: atom.relaxed.gpu -> atom.relaxed.cta\n"
	    "    P2 line 14: ld.relaxed.gpu -> ld.relaxed.cta\n"
	    "    P2 line 15: fence.acq_rel.gpu -> fence.acq_rel.cta\n");
	arena_free(a);
}
END_TEST

/* What a reader must find in the text. */
static const struct {
	const char *edges, *strength, *place;
	const char *words[5];
} texts[] = {
	{"PodWW Rfe PodRR Fre", NULL, NULL, {"is allowed\n",
	    "No interleaving of the threads gives this.",
	    "nothing releases: b is no release, and P0 has no release fence "
	    "before it (ISA 8.8)",
	    "nothing acquires: c is no acquire, and P1 has no acquire fence "
	    "after it (ISA 8.8)",
	    "P0 line 8: st.relaxed.gpu -> st.release.gpu; P1 line 11: "
	    "ld.relaxed.gpu -> ld.acquire.gpu"}},
	{"fence.acq_rel.gpu.dWW Rfe fence.acq_rel.gpu.dRR Fre", "weak", NULL,
	    {"c (P0) is weak: whoever reads it learns nothing about what "
	    "came before it (ISA 8.4, 8.7)",
	    "d (P1) is weak: it may read a value without seeing what came "
	    "before it (ISA 8.4, 8.7)", "Data races here"}},
	{"fence.acq_rel.cta.dWW Rfe fence.acq_rel.cta.dRR Fre", NULL, NULL,
	    {"b (P0) has scope .cta, which does not reach P1 in another CTA: "
	    ".gpu is needed (ISA 8.5, 8.7)",
	    "P0 line 8: fence.acq_rel.cta -> fence.acq_rel.gpu"}},
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", NULL, "gpus",
	    {"which does not reach P1 in another GPU: .sys is needed",
	    "st.release.gpu -> st.release.sys"}},
	{"fence.sc.cta.dWR Fre fence.sc.gpu.dWR Fre", NULL, NULL,
	    {"Only a fence.sc in each thread, between its accesses, would "
	    "order them (ISA 8.9.3).",
	    "b (P0) has scope .cta, which does not reach P1 in another CTA",
	    "P0 line 8: fence.sc.cta -> fence.sc.gpu"}},
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", NULL, NULL,
	    {"is forbidden\n", "Causality (ISA 8.10.6): a read would miss a "
	    "write that comes before it in causality order.",
	    "because c reads from b",
	    "a circle, which the model forbids.",
	    "P1 line 11: ld.acquire.gpu -> ld.relaxed.gpu"}},
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "weak", "same",
	    {"meets at the barrier", "(barrier, ISA 8.9.4)",
	    "P0 line 8: bar.sync -> nothing; P1 line 13: bar.sync -> "
	    "nothing"}},
	{"Rfe PosRR Fre", NULL, NULL, {"is observed by b  (obs, ISA "
	    "8.9.2)"}},
	{"fence.sc.gpu.dWW Coe fence.sc.gpu.dWW Coe", NULL, NULL,
	    {"Coherence (ISA 8.10.1): a write would be overwritten by one "
	    "that comes before it in causality order",
	    "comes before, in Fence-SC order,"}},
};

START_TEST(texts_say_what_matters)
{
	struct arena *a = arena_new();
	const char *text = explained(help_cycle(texts[_i].edges,
	    texts[_i].strength, texts[_i].place, a), EXPLAIN_TEXT, a);
	int i;

	for (i = 0; i < 5 && texts[_i].words[i]; i++)
		ck_assert_msg(strstr(text, texts[_i].words[i]) != NULL,
		    "'%s' is not in:\n%s", texts[_i].words[i], text);
	arena_free(a);
}
END_TEST

/* ---- pictures --------------------------------------------------------- */

static int
occurrences(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

static const struct {
	const char *edges, *place;
	int boxes, marked;
} pictures[] = {
	{"PodWW Rfe PodRR Fre", NULL, 4, 0},
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", NULL, 4, 4},
	{"fence.sc.gpu.dWR Fre fence.sc.gpu.dWR Fre", NULL, 6, 4},
	{"PodWW release.gpu Rfe Rmw Rfe acquire.gpu PodRR Fre", NULL, 5, 4},
	{"Rfe PodRR Fre Rfe PodRR Fre", "gpus", 6, 0},
};

START_TEST(pictures_are_whole)
{
	struct arena *a = arena_new();
	const struct program *p = help_cycle(pictures[_i].edges, NULL,
	    pictures[_i].place, a);
	const char *svg = explained(p, EXPLAIN_SVG, a);
	const char *dot = explained(p, EXPLAIN_DOT, a);
	mxml_node_t *xml = mxmlLoadString(NULL, svg, MXML_OPAQUE_CALLBACK);

	ck_assert_msg(xml != NULL, "%s", svg);
	ck_assert_str_eq(mxmlGetElement(xml), "svg");
	mxmlDelete(xml);
	ck_assert_int_eq(occurrences(svg, "<rect class=\"box"),
	    pictures[_i].boxes);
	ck_assert_int_eq(occurrences(svg, "class=\"arrow marked\""),
	    pictures[_i].marked);
	ck_assert_int_eq(occurrences(svg, "class=\"thread\""), p->nthreads);
	ck_assert_ptr_nonnull(strstr(svg, "prefers-color-scheme: dark"));
	ck_assert_ptr_null(strstr(svg, "<script"));
	ck_assert_int_eq(strncmp(dot, "digraph \"", 9), 0);
	ck_assert_int_eq(occurrences(dot, " [label=\"") -
	    occurrences(dot, " -> "), pictures[_i].boxes);
	ck_assert_int_eq(occurrences(dot, "penwidth=3"),
	    pictures[_i].marked);
	ck_assert_int_eq(occurrences(dot, "subgraph"), p->nthreads);
	arena_free(a);
}
END_TEST

START_TEST(names_are_escaped)
{
	struct arena *a = arena_new();
	struct program p = *help_cycle("PodWW Rfe PodRR Fre", NULL, NULL, a);
	mxml_node_t *xml;
	const char *svg;

	p.name = "a<b>&\"c\\";
	svg = explained(&p, EXPLAIN_SVG, a);
	xml = mxmlLoadString(NULL, svg, MXML_OPAQUE_CALLBACK);
	ck_assert_ptr_nonnull(xml);
	mxmlDelete(xml);
	ck_assert_ptr_nonnull(strstr(svg, "a&lt;b&gt;&amp;&quot;c\\"));
	ck_assert_ptr_nonnull(strstr(explained(&p, EXPLAIN_DOT, a),
	    "digraph \"a<b>&\\\"c\\\\\""));
	arena_free(a);
}
END_TEST

START_TEST(without_a_verdict_there_is_a_reason)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml("name: T\nlocations: {x: 0}\n"
	    "threads:\n"
	    "  - {cta: 0, code: \"st.relaxed.gpu.u32 [x], 1;\"}\n"
	    "  - {cta: 1, code: \"ld.global.nc.u32 r0, [x];\"}\n"
	    "exists: \"1:r0 == 1\"\n", a);
	struct model_opts opts;
	struct text t;
	struct err err;

	model_defaults(&opts, MODEL_PTX);
	text_init(&t, a);
	ck_assert(!model_explain(&t, p, &opts, 0, EXPLAIN_TEXT, a, &err));
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert_int_eq(strncmp(err.message,
	    "the model has no verdict: ", 26), 0);
	ck_assert_int_eq(err.loc.line, 5);
	arena_free(a);
}
END_TEST

/* The search never tries what a read cannot return; its reason is given. */
START_TEST(a_store_that_comes_too_late_is_named)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml("name: T\nlocations: {x: 0}\n"
	    "threads:\n"
	    "  - cta: 0\n"
	    "    code: |\n"
	    "      ld.weak.u32 r0, [x];\n"
	    "      st.weak.u32 [x], 1;\n"
	    "exists: \"0:r0 == 1\"\n", a);
	const char *text = explained(p, EXPLAIN_TEXT, a);

	ck_assert_msg(strstr(text, "1 candidate execution would end so") &&
	    strstr(text, "Causality (ISA 8.10.6)") &&
	    strstr(text, "is read by a  (rf, ISA 8.9)"), "%s", text);
	arena_free(a);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_explain(void);

Suite *
suite_explain(void)
{
	Suite *s = suite_create("explain");
	TCase *c = tcase_create("circles");

	tcase_add_loop_test(c, every_circle_is_closed, 0, COUNT(broken));
	tcase_add_test(c, every_shape_has_circles);
	suite_add_tcase(s, c);
	c = tcase_create("suggestions");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, suggestions_forbid, 0, 2);
	tcase_add_test(c, an_interleaving_cannot_be_forbidden);
	tcase_add_test(c, a_missing_barrier_is_found);
	suite_add_tcase(s, c);
	c = tcase_create("words");
	tcase_add_test(c, an_allowed_outcome_is_explained_so);
	tcase_add_test(c, a_forbidden_outcome_is_explained_so);
	tcase_add_loop_test(c, texts_say_what_matters, 0, COUNT(texts));
	tcase_add_test(c, without_a_verdict_there_is_a_reason);
	tcase_add_test(c, a_store_that_comes_too_late_is_named);
	suite_add_tcase(s, c);
	c = tcase_create("pictures");
	tcase_add_loop_test(c, pictures_are_whole, 0, COUNT(pictures));
	tcase_add_test(c, names_are_escaped);
	suite_add_tcase(s, c);
	return s;
}
