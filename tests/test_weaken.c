/* Weakenings, checked by the model and against all of them by force. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "help_cycle.h"

static void
weaken(const struct program *p, struct weakenings *w, struct arena *a)
{
	struct model_opts opts;
	struct err err;

	model_defaults(&opts, MODEL_PTX);
	if (!model_weaken(p, &opts, a, w, &err))
		ck_abort_msg("%s: %s", p->name, err.message);
}

/* ---- what they say ---------------------------------------------------- */

static const struct {
	const char *edges, *strength, *place;
	const char *sound[4], *twins[8];
} known[] = {
	{"PodWW release.gpu Rfe acquire.gpu PodRR Fre", "weak", NULL, {0},
	    {"P0 line 8: st.release.gpu -> st.release.cta",
	    "P0 line 8: st.release.gpu -> st.relaxed.gpu",
	    "P1 line 11: ld.acquire.gpu -> ld.acquire.cta",
	    "P1 line 11: ld.acquire.gpu -> ld.relaxed.gpu"}},
	/* scopes wider than the placement needs */
	{"PodWW release.sys Rfe acquire.sys PodRR Fre", "weak", NULL,
	    {"P0 line 8: st.release.sys -> st.release.gpu; "
	    "P1 line 11: ld.acquire.sys -> ld.acquire.gpu"},
	    {"P0 line 8: st.release.sys -> st.relaxed.sys",
	    "P1 line 11: ld.acquire.sys -> ld.relaxed.sys"}},
	{"PodWW release.sys Rfe acquire.sys PodRR Fre", "weak", "same",
	    {"P0 line 8: st.release.sys -> st.release.cta; "
	    "P1 line 11: ld.acquire.sys -> ld.acquire.cta"},
	    {"P0 line 8: st.release.sys -> st.relaxed.sys",
	    "P1 line 11: ld.acquire.sys -> ld.relaxed.sys"}},
	/* fence.sc is more than MP needs, if the flag is strong */
	{"fence.sc.gpu.dWW Rfe fence.sc.gpu.dRR Fre", NULL, NULL,
	    {"P0 line 7: st.relaxed.gpu -> st.weak; "
	    "P0 line 8: fence.sc.gpu -> fence.acq_rel.gpu; "
	    "P1 line 13: fence.sc.gpu -> fence.acq_rel.gpu; "
	    "P1 line 14: ld.relaxed.gpu -> ld.weak",
	    "P0 line 7: st.relaxed.gpu -> st.weak; "
	    "P0 line 9: st.relaxed.gpu -> st.weak; "
	    "P1 line 12: ld.relaxed.gpu -> ld.weak; "
	    "P1 line 14: ld.relaxed.gpu -> ld.weak"},
	    {"P0 line 8: fence.sc.gpu -> fence.sc.cta",
	    "P1 line 13: fence.sc.gpu -> fence.sc.cta"}},
	/* membar.sys is fence.sc.sys */
	{"membar.sys.dWR Fre membar.sys.dWR Fre", "weak", NULL,
	    {"P0 line 8: membar.sys -> membar.gl; "
	    "P1 line 13: membar.sys -> membar.gl"},
	    {"P0 line 8: membar.sys -> fence.acq_rel.sys",
	    "P1 line 13: membar.sys -> fence.acq_rel.sys"}},
	/* a barrier is there for all its threads or for none */
	{"bar.sync.dWR Fre bar.sync.dWR Fre", "weak", "same", {0},
	    {"P0 line 8: bar.sync -> nothing; P1 line 13: bar.sync -> "
	    "nothing"}},
	/* the shape alone forbids it */
	{"PosWR Fre Coe", "weak", NULL, {0}, {0}},
	/* it is allowed as it is */
	{"PodWW Rfe PodRR Fre", NULL, NULL, {0}, {0}},
};

static void
compare(const struct weakening *list, int count, const char *const *want,
    int max, const char *edges)
{
	int i, n = 0;

	while (n < max && want[n])
		n++;
	for (i = 0; i < count && i < n; i++)
		ck_assert_str_eq(list[i].what, want[i]);
	ck_assert_msg(count == n, "%s: %d, not %d (%s)", edges, count, n,
	    count ? list[count - 1].what : "");
}

START_TEST(known_weakenings_are_found)
{
	struct arena *a = arena_new();
	struct weakenings w;

	weaken(help_cycle(known[_i].edges, known[_i].strength,
	    known[_i].place, a), &w, a);
	ck_assert(w.complete);
	compare(w.sound, w.nsound, known[_i].sound, 4, known[_i].edges);
	compare(w.twins, w.ntwins, known[_i].twins, 8, known[_i].edges);
	arena_free(a);
}
END_TEST

/* ---- what cycles do not have -------------------------------------------- */

#define BULK "name: T\nlocations: {o: {init: [0, 0, 0, 0]}, y: 0, " \
    "a: {init: [1, 1, 1, 1], space: shared, cta: 0}}\nthreads:\n" \
    "  - cta: 0\n    code: |\n" \
    "      cp.async.bulk.global.shared::cta.bulk_group [o], [a], 16;\n" \
    "      cp.async.bulk.commit_group;\n" \
    "      cp.async.bulk.wait_group 0;\n" \
    "      bar.sync 0;\n" \
    "  - {cta: 0, code: 'bar.sync 0;  ld.weak.u32 r1, [o];'}\n" \
    "exists: 1:r1 == 0\n"
#define MBARRIER "name: T\nlocations: {x: {space: shared, cta: 0}, " \
    "b: {mbarrier: 1, space: shared, cta: 0}}\nthreads:\n" \
    "  - {cta: 0, code: 'st.weak.u32 [x], 1;  " \
    "mbarrier.arrive.expect_tx.b64 _, [b], 0;'}\n" \
    "  - {cta: 0, code: 'mbarrier.try_wait.parity.b64 p, [b], 0;  " \
    "ld.weak.u32 r1, [x];'}\nexists: 1:p == 1 && 1:r1 == 0\n"

static const struct {
	const char *text, *sound[4], *twins[8];
} written[] = {
	/* an atomic whose result nobody wants is a store as well */
	{"name: T\nlocations: {x: 0, y: 0}\nthreads:\n"
	    "  - {cta: 0, code: 'st.weak.u32 [x], 1;  "
	    "atom.release.gpu.exch.b32 r2, [y], 1;'}\n"
	    "  - {cta: 1, code: 'ld.acquire.gpu.u32 r0, [y];  "
	    "ld.weak.u32 r1, [x];'}\nexists: 1:r0 == 1 && 1:r1 == 0\n",
	    {"P0 line 4: atom.release.gpu -> st.release.gpu"},
	    {"P0 line 4: atom.release.gpu -> atom.release.cta",
	    "P0 line 4: atom.release.gpu -> atom.relaxed.gpu",
	    "P1 line 5: ld.acquire.gpu -> ld.acquire.cta",
	    "P1 line 5: ld.acquire.gpu -> ld.relaxed.gpu"}},
	{BULK, {0}, {"P0 line 8: cp.async.bulk.wait_group -> "
	    "cp.async.bulk.wait_group.read",
	    "P0 line 9: bar.sync -> nothing; P1 line 10: bar.sync -> "
	    "nothing"}},
	{MBARRIER, {0}, {"P0 line 4: mbarrier.arrive.expect_tx.release.cta -> "
	    "mbarrier.arrive.expect_tx.relaxed.cta",
	    "P1 line 5: mbarrier.try_wait.acquire.cta -> "
	    "mbarrier.try_wait.relaxed.cta"}},
};

START_TEST(written_weakenings_are_found)
{
	struct arena *a = arena_new();
	struct weakenings w;

	weaken(help_yaml(written[_i].text, a), &w, a);
	compare(w.sound, w.nsound, written[_i].sound, 4, "written");
	compare(w.twins, w.ntwins, written[_i].twins, 8, "written");
	arena_free(a);
}
END_TEST

/* ---- by force --------------------------------------------------------- */

/*
 * Message passing from every combination of strengths, made as text: the
 * weakest that forbid, and the nearest that allow, must be what is found
 * from the strongest. Strengths by site; each row says what is one step
 * weaker.
 */
static const struct strength {
	const char *name;
	int next[2]; /* -1: none */
} strengths[4][6] = {
	{{"relaxed.gpu", {1, -1}}, {"relaxed.cta", {2, -1}},
	    {"weak", {-1, -1}}},
	{{"release.gpu", {1, 2}}, {"release.cta", {3, -1}},
	    {"relaxed.gpu", {3, -1}}, {"relaxed.cta", {4, -1}},
	    {"weak", {-1, -1}}},
	{{"acquire.gpu", {1, 2}}, {"acquire.cta", {3, -1}},
	    {"relaxed.gpu", {3, -1}}, {"relaxed.cta", {4, -1}},
	    {"weak", {-1, -1}}},
	{{"relaxed.gpu", {1, -1}}, {"relaxed.cta", {2, -1}},
	    {"weak", {-1, -1}}},
};

#define POINTS (3 * 5 * 5 * 3)

static int
point_of(const int *at)
{
	return ((at[0] * 5 + at[1]) * 5 + at[2]) * 3 + at[3];
}

static void
point_split(int point, int *at)
{
	at[3] = point % 3;
	at[2] = point / 3 % 5;
	at[1] = point / 15 % 5;
	at[0] = point / 75;
}

static const struct program *
program_at(const int *at, const char *place, struct arena *a)
{
	return help_cycle(arena_printf(a, "%s PodWW %s Rfe %s PodRR %s Fre",
	    strengths[0][at[0]].name, strengths[1][at[1]].name,
	    strengths[2][at[2]].name, strengths[3][at[3]].name), NULL, place,
	    a);
}

struct force {
	bool forbids[POINTS];
	int steps[POINTS]; /* from the strongest */
};

static void
force_fill(struct force *f, const char *place, struct arena *a)
{
	int queue[POINTS], head = 0, tail = 0, i, at[4], s, k;

	for (i = 0; i < POINTS; i++) {
		point_split(i, at);
		f->forbids[i] = help_answer(program_at(at, place, a), a) ==
		    ANSWER_FORBIDDEN;
		f->steps[i] = i ? -1 : 0;
		arena_reset(a);
	}
	queue[tail++] = 0;
	while (head < tail) {
		int point = queue[head++];

		for (s = 0; s < 4; s++)
			for (k = 0; k < 2; k++) {
				int next;

				point_split(point, at);
				at[s] = strengths[s][at[s]].next[k];
				if (at[s] < 0)
					continue;
				next = point_of(at);
				if (f->steps[next] >= 0)
					continue;
				f->steps[next] = f->steps[point] + 1;
				queue[tail++] = next;
			}
	}
}

static bool
is_minimal(const struct force *f, int point)
{
	int at[4], s, k;

	for (s = 0; s < 4; s++)
		for (k = 0; k < 2; k++) {
			point_split(point, at);
			at[s] = strengths[s][at[s]].next[k];
			if (at[s] >= 0 && f->forbids[point_of(at)])
				return false;
		}
	return f->forbids[point];
}

/* What is weaker never forbids more: the search rests on it. */
static void
check_monotone(const struct force *f)
{
	int i, at[4], s, k;

	for (i = 0; i < POINTS; i++)
		for (s = 0; s < 4; s++)
			for (k = 0; k < 2; k++) {
				point_split(i, at);
				at[s] = strengths[s][at[s]].next[k];
				ck_assert(at[s] < 0 || f->forbids[i] ||
				    !f->forbids[point_of(at)]);
			}
}

static bool
holds(const struct weakening *list, int count, const struct program *p)
{
	int i;

	for (i = 0; i < count; i++)
		if (list[i].program->hash == p->hash)
			return true;
	return false;
}

static const char *const places[] = {"diff", "same", "gpus"};

START_TEST(force_finds_the_same)
{
	struct arena *a = arena_new();
	struct force *f = calloc(1, sizeof(*f));
	struct weakenings w;
	int i, at[4], nearest = -1, minimal = 0, twins = 0;

	force_fill(f, places[_i], a);
	check_monotone(f);
	weaken(program_at((int[4]){0}, places[_i], a), &w, a);
	for (i = 0; i < POINTS; i++)
		if (!f->forbids[i] && (nearest < 0 ||
		    f->steps[i] < nearest))
			nearest = f->steps[i];
	for (i = 0; f->forbids[0] && i < POINTS; i++) {
		const struct program *p;

		point_split(i, at);
		p = program_at(at, places[_i], a);
		if (i && is_minimal(f, i)) {
			minimal++;
			ck_assert_msg(holds(w.sound, w.nsound, p),
			    "%s is not found", p->name);
		}
		if (!f->forbids[i] && f->steps[i] == nearest) {
			twins++;
			ck_assert_msg(holds(w.twins, w.ntwins, p),
			    "%s is not found", p->name);
		}
	}
	ck_assert(w.complete);
	ck_assert_int_eq(w.nsound, minimal);
	ck_assert_int_eq(w.ntwins, twins);
	if (twins)
		ck_assert_int_eq(w.twins[0].steps, nearest);
	/* on another GPU .gpu is too narrow: it is allowed as it is */
	ck_assert_int_eq(f->forbids[0], _i != 2);
	free(f);
	arena_free(a);
}
END_TEST

/* ---- every shape ------------------------------------------------------ */

static const char *
fenced(const char *edges, const char *fence, struct arena *a)
{
	struct text t;

	text_init(&t, a);
	for (; *edges; edges++)
		if (strncmp(edges, "Pod", 3) == 0) {
			text_printf(&t, "%s.d", fence);
			edges += 2;
		} else {
			text_append(&t, edges, 1);
		}
	return t.s;
}

static void
check_list(const struct program *p, const struct weakening *list, int count,
    enum answer answer, struct arena *a)
{
	int i, j;

	for (i = 0; i < count; i++) {
		ck_assert_msg(help_answer(list[i].program, a) == answer,
		    "%s", list[i].program->name);
		ck_assert_int_gt(list[i].steps, 0);
		ck_assert_uint_ne(list[i].program->hash, p->hash);
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(list[i].program->hash,
			    list[j].program->hash);
		/* such a name and text are read again */
		if (i == 0) {
			struct text t;

			text_init(&t, a);
			write_yaml(&t, list[i].program);
			ck_assert_uint_eq(help_yaml(t.s, a)->hash,
			    list[i].program->hash);
		}
	}
}

START_TEST(every_shape_has_sound_forms_and_twins)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct weakenings w;
	const char *const *shapes;
	int count, i, whole = 0;

	shapes = cycle_shapes(4, a, &count);
	for (i = 0; i < count; i++) {
		const struct program *p = help_cycle(fenced(shapes[i],
		    "fence.sc.sys", each), "relaxed.sys", NULL, each);

		weaken(p, &w, each);
		whole += w.complete;
		ck_assert_msg(w.ntwins > 0, "%s", p->name);
		ck_assert_msg(w.nsound > 0, "%s", p->name);
		ck_assert_int_le(w.twins[0].steps, 2);
		check_list(p, w.twins, w.ntwins, ANSWER_ALLOWED, each);
		check_list(p, w.sound, w.nsound, ANSWER_FORBIDDEN, each);
		arena_reset(each);
	}
	printf("weaken: %d of %d shapes searched wholly\n", whole, count);
	ck_assert_int_eq(whole, count);
	arena_free(each);
	arena_free(a);
}
END_TEST

/* Removing an instruction moves the labels behind it. */
START_TEST(removal_keeps_branches)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml("name: T\n"
	    "locations: {x: 0, y: 0}\nthreads:\n"
	    "  - cta: 0\n    code: |\n"
	    "      st.weak.global.u32 [x], 1;\n"
	    "      fence.acq_rel.gpu;\n"
	    "      st.relaxed.gpu.global.u32 [y], 1;\n"
	    "  - cta: 1\n    code: |\n"
	    "      again:\n"
	    "      ld.relaxed.gpu.global.u32 r0, [y];\n"
	    "      fence.acq_rel.cta;\n"
	    "      fence.acq_rel.gpu;\n"
	    "      setp.eq.u32 p, r0, 0;\n"
	    "      @p bra again;\n"
	    "      ld.weak.global.u32 r1, [x];\n"
	    "exists: 1:r0 == 1 && 1:r1 == 0\n", a);
	const struct thread *t;
	struct weakenings w;

	weaken(p, &w, a);
	ck_assert_int_eq(w.nsound, 1);
	ck_assert_str_eq(w.sound[0].what,
	    "P1 line 13: fence.acq_rel.cta -> nothing");
	t = &w.sound[0].program->threads[1];
	ck_assert_int_eq(t->ninsns, 5);
	ck_assert_int_eq(t->insns[3].op->id, OP_BRA);
	ck_assert_int_eq(t->insns[3].ops[0].imm, 0);
	arena_free(a);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_weaken(void);

Suite *
suite_weaken(void)
{
	Suite *s = suite_create("weaken");
	TCase *c = tcase_create("weaken");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, known_weakenings_are_found, 0, COUNT(known));
	tcase_add_loop_test(c, written_weakenings_are_found, 0,
	    COUNT(written));
	tcase_add_loop_test(c, force_finds_the_same, 0, COUNT(places));
	tcase_add_test(c, every_shape_has_sound_forms_and_twins);
	tcase_add_test(c, removal_keeps_branches);
	suite_add_tcase(s, c);
	return s;
}
