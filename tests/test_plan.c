/* plan_*.c: places, maps, memory, values, sizes */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "help_shapes.h"
#include "help_table.h"

/* A passing ck_assert() leaves a mark that another process reads: millions of
   them take the time and the memory of the rest many times over. */
#define MUST(what, name, i)                                                    \
	do {                                                                   \
		if (!(what))                                                   \
			ck_abort_msg("%s, instance %llu: not %s", name,        \
			    (unsigned long long)(i), #what);                   \
	} while (0)

/* ---- the map ------------------------------------------------------------ */

/* Where each role of each instance was put. */
struct seat {
	uint32_t cta, tid;
	bool taken;
};

static struct seat *
seats_fill(const struct plan *plan, const uint32_t *draws)
{
	int n = plan->program->nthreads, t;
	struct seat *seats = arena_alloc(arena, plan->instances * (size_t)n *
	    sizeof(*seats));
	uint32_t cta, tid, turn;

	for (turn = 0; turn < (uint32_t)plan->env.repeat; turn++)
	for (cta = 0; cta < plan->test.grid; cta++)
	for (tid = 0; tid < plan->test.block; tid++)
	for (t = 0; t < n; t++) {
		uint64_t i = plan_instance(plan, draws, t, cta, tid, turn);
		struct seat *s;

		if (i == UINT64_MAX)
			continue;
		MUST(i < plan->instances, plan->program->name, i);
		s = &seats[i * (size_t)n + (size_t)t];
		MUST(!s->taken, plan->program->name, i);
		*s = (struct seat){cta, tid, true};
	}
	return seats;
}

/* Same CTA, cluster and warp as the test says, for every instance. */
static void
seats_check(const struct plan *plan, const struct seat *seats)
{
	const struct program *p = plan->program;
	int n = p->nthreads, a, b;
	uint32_t d = plan->env.layout == LAYOUT_ALL ? 1 :
	    (uint32_t)plan->ranks;
	uint64_t i;

	for (i = 0; i < plan->instances; i++)
	for (a = 0; a < n; a++) {
		const struct seat *s = &seats[i * (size_t)n + (size_t)a];

		MUST(s->taken, p->name, i);
		for (b = 0; b < a; b++) {
			const struct seat *o = &seats[i * (size_t)n +
			    (size_t)b];
			const struct thread *x = &p->threads[a],
			    *y = &p->threads[b];
			bool warp = x->cta == y->cta &&
			    plan->place[a].slot == plan->place[b].slot;

			MUST((s->cta == o->cta) == (x->cta == y->cta),
			    p->name, i);
			MUST((s->cta / d == o->cta / d) ==
			    (x->cluster == y->cluster), p->name, i);
			MUST((s->cta == o->cta && s->tid / 32 == o->tid / 32)
			    == warp, p->name, i);
			if (x->cta == y->cta && x->warp >= 0 && y->warp >= 0)
				MUST(warp == (x->warp == y->warp), p->name,
				    i);
			if (warp)
				MUST(s->tid != o->tid, p->name, i);
		}
	}
}

static void
map_check(const struct program *p, const struct env *e,
    const struct caps *caps, uint64_t seed)
{
	struct plan plan = planned(p, e, caps);
	struct draw d = {seed, 7, 0};
	uint32_t draws[DRAW_COUNT] = {0};
	int i;

	for (i = 0; i < DRAW_COUNT; i++)
		draws[i] = i < DRAW_MOVE || i == DRAW_SHUFFLE_TURN;
	plan_draw(&plan.test, &d, draws);
	seats_check(&plan, seats_fill(&plan, draws));
}

static const char *const map_envs[] = {
	"blocks 8", "blocks 12 block 64 interleave halves",
	"blocks 24 block 96 swap yes role_shift 2",
	"blocks 30 block 128 permute yes shuffle yes",
	"blocks 24 block 64 layout all permute yes",
	"blocks 12 block 128 layout all swap yes role_shift 3",
	"blocks 12 block 64 repeat 3 same_warp yes",
	"blocks 24 block 64 stress store stress_blocks 5 shuffle yes",
	"blocks 16 block 192 warp_offset 1 stress load permute yes",
};

#define NMAPS ((int)(sizeof(map_envs) / sizeof(*map_envs)))

START_TEST(maps_are_bijections_and_keep_places)
{
	struct env e = env_of(map_envs[_i]);
	int i;

	for (i = 0; i < shapes.count; i++) {
		map_check(&shapes.programs[i], &e, &plan_h200, 11);
		map_check(&shapes.programs[i], &e, &plan_sim, 12);
	}
}
END_TEST

START_TEST(drawn_environments_map_too)
{
	struct draw d = {2024, (uint64_t)_i, 0};
	const struct program *p = &shapes.programs[_i % shapes.count];
	struct env e;

	env_draw(p, &plan_h200, &d, &e);
	e.block = e.block > 128 ? 128 : e.block;
	e.blocks = 24;
	e.stress_blocks = e.stress_blocks > 7 ? 7 : e.stress_blocks;
	map_check(p, &e, &plan_h200, (uint64_t)_i);
}
END_TEST

/* ---- memory ------------------------------------------------------------- */

/* Bytes of a region that belong to nobody yet. */
static void
claim(unsigned char *owned, size_t size, size_t at, size_t bytes)
{
	size_t i;

	MUST(at + bytes <= size, "a copy", at);
	for (i = 0; i < bytes; i++) {
		MUST(owned[at + i] == 0, "a copy", at + i);
		owned[at + i] = 1;
	}
}

static const char *const memory_envs[] = {
	"blocks 4 block 32", "blocks 4 block 32 stride 32",
	"blocks 4 block 32 together yes", "blocks 4 block 32 skew 100",
	"blocks 4 block 32 together yes stride 256 skew 4096",
};

#define NMEMORIES ((int)(sizeof(memory_envs) / sizeof(*memory_envs)))

START_TEST(copies_do_not_overlap)
{
	struct env e = env_of(memory_envs[_i]);
	int i, v;
	uint64_t n;

	for (i = 0; i < shapes.count; i++) {
		struct plan plan = planned(&shapes.programs[i], &e, &plan_sim);
		unsigned char *owned[VARS_MAX] = {0};

		for (v = 0; v < plan.program->nvars; v++) {
			const struct var *var = &plan.program->vars[v];
			const struct spot *s = &plan.spot[v];
			size_t bytes = (size_t)(var->size * var->count);

			if (s->region < 0)
				continue;
			if (!owned[s->region])
				owned[s->region] = arena_alloc(arena,
				    plan.var_bytes[s->region]);
			for (n = 0; n < plan.instances; n++)
				claim(owned[s->region],
				    plan.var_bytes[s->region],
				    s->offset + n * s->stride, bytes);
			ck_assert_uint_eq((s->offset | s->stride) %
			    (uint32_t)var->align, 0);
		}
	}
}
END_TEST

static const char lines_text[] =
	"name: lines\nabout: Lines.\nlocations:\n"
	"  x: 0\n"
	"  y: {init: 0, same_line: x}\n"
	"  z: {init: 0, other_line: x}\n"
	"  big: {init: 0, count: 40, same_line: x}\n"
	"threads:\n"
	"  - {cta: 0, code: \"st.weak.global.u32 [x], 1;\\n"
	"st.weak.global.u32 [y], 1;\\nst.weak.global.u32 [z], 1;\\n"
	"st.weak.global.u32 [big], 1;\\n\"}\n"
	"exists: \"[x] == 1\"\n";

START_TEST(lines_are_kept_or_refused)
{
	char *text = arena_strdup(arena, lines_text), *big;
	const struct program *p = plan_program(text, NULL, arena);
	struct env e = env_of("together yes");
	struct plan plan;
	struct err err;

	ck_assert(!plan_make(p, &e, &plan_sim, arena, &plan, &err));
	ck_assert_str_eq(err.message, "big cannot lie in one line with x: "
	    "together they are too large");
	ck_assert_int_eq(err.loc.line, 7);
	big = strstr(text, "count: 40");
	memcpy(big, "count: 4 ", 9);
	plan = planned(plan_program(text, NULL, arena), &e, &plan_sim);
	ck_assert_uint_eq(plan.spot[0].offset / 128,
	    plan.spot[1].offset / 128);
	ck_assert_uint_ne(plan.spot[0].offset / 128,
	    plan.spot[2].offset / 128);
	ck_assert_uint_eq(plan.spot[0].stride % 128, 0);
}
END_TEST

/* ---- values, reports ---------------------------------------------------- */

static const struct {
	const char *shape;
	bool epoch, fused;
	int width;
} kinds[] = {
	{"MP+relaxed", true, true, 16}, {"SB+weak", true, false, 16},
	{"2+2W", true, false, 4}, {"atomics", false, false, 4},
	{"spin", false, true, 4}, {"barrier", true, true, 16},
	{"shared", false, false, 16}, {"vector", false, true, 1},
	{"bytes", false, true, 1}, {"branch", false, true, 4},
	{"many", true, false, 1}, {"cluster", false, true, 16},
};

#define NKINDS ((int)(sizeof(kinds) / sizeof(*kinds)))

START_TEST(values_carry_the_launch_where_they_may)
{
	struct env e = env_of("tally fused");
	struct plan plan = planned(shape(kinds[_i].shape), &e, &plan_h200);

	ck_assert_int_eq(plan.env.values, kinds[_i].epoch);
	ck_assert_int_eq(plan.env.tally, kinds[_i].fused);
	e = env_of("tally separate");
	plan = planned(shape(kinds[_i].shape), &e, &plan_h200);
	ck_assert_int_eq(plan.tally_width, kinds[_i].width);
	e = env_of("values plain");
	plan = planned(shape(kinds[_i].shape), &e, &plan_h200);
	ck_assert_int_eq(plan.env.values, VALUES_PLAIN);
}
END_TEST

/* Codes of one thread that must keep its stores plain. */
static const char *const plain_codes[] = {
	"mov.u32 r1, 1;\\nst.weak.global.u32 [x], r1;",
	"ld.weak.global.u32 r1, [y];\\nadd.u32 r1, r1, 1;\\n"
	"st.weak.global.u32 [x], 1;",
	"st.weak.global.u32 [x], 70000;", "st.weak.global.u32 [x], -1;",
	"st.weak.global.u16 [z], 1;",
	"ld.weak.global.u32 r1, [y];\\nsetp.eq.u32 p, r1, 0;\\n"
	"@p st.weak.global.u32 [x], 1;",
	"bra ON;\\nON:\\nst.weak.global.u32 [x], 1;",
	"red.relaxed.gpu.global.add.u32 [x], 1;",
};

#define NPLAINS ((int)(sizeof(plain_codes) / sizeof(*plain_codes)))

START_TEST(values_stay_plain)
{
	struct env e = env_of("values epoch");
	const struct program *p = plan_program(arena_printf(arena,
	    "name: plain\nabout: No epoch.\n"
	    "locations: {x: 0, y: 0, z: {init: 0, type: u16}}\n"
	    "threads:\n  - cta: 0\n    code: \"%s\\n\"\n"
	    "exists: \"[x] == 1\"\n", plain_codes[_i]), NULL, arena);
	struct plan plan = planned(p, &e, &plan_h200);

	ck_assert_int_eq(plan.env.values, VALUES_PLAIN);
}
END_TEST

/* The parts that slots add to the code make up the whole code. */
START_TEST(steps_add_up_to_codes)
{
	struct env e = env_of("");
	uint64_t values[SLOTS_MAX];
	uint32_t code, sum;
	int i, s, v;

	for (i = 0; i < shapes.count; i++) {
		const struct program *p = &shapes.programs[i];
		struct plan plan = planned(p, &e, &plan_h200);

		for (code = 0; code < p->noutcomes; code++) {
			outcome_values(p, code, values);
			sum = 0;
			for (s = 0; s < p->nslots; s++)
				for (v = 0; v < p->slots[s].nvalues; v++)
					if (p->slots[s].values[v] == values[s])
						sum += (uint32_t)v *
						    plan.report[s].step;
			ck_assert_uint_eq(sum, code);
		}
	}
}
END_TEST

/* ---- sizes, refusals ---------------------------------------------------- */

START_TEST(a_launch_fills_an_h200)
{
	struct env e = env_of("");
	struct plan plan = planned(shape("MP+relaxed"), &e, &plan_h200);

	ck_assert_uint_eq(plan.test.grid, 8448);
	ck_assert_uint_eq(plan.test.block, 512);
	ck_assert_uint_eq(plan.instances, 4224 * 512);
	ck_assert_uint_eq(plan.result_bytes[1], plan.instances);
	ck_assert_uint_eq(plan.result_bytes[0], 0);
	plan = planned(shape("barrier"), &e, &plan_h200);
	ck_assert_uint_eq(plan.test.block, 64);
	plan = planned(shape("cluster"), &e, &plan_h200);
	ck_assert_uint_eq(plan.test.cluster, 2);
	plan = planned(shape("MP+relaxed"), &e, &plan_sim);
	ck_assert_uint_le(plan.instances, 256);
}
END_TEST

/* Threads that wait must be resident with those they wait for. */
START_TEST(waiting_threads_stay_close)
{
	struct env e = env_of("interleave halves");
	struct plan plan = planned(shape("spin"), &e, &plan_h200);

	ck_assert_uint_le(plan.test.grid * plan.test.block, 132 * 1024);
	e = env_of("align pair shuffle yes");
	plan = planned(shape("MP+relaxed"), &e, &plan_h200);
	ck_assert_uint_le(plan.test.grid * plan.test.block, 132 * 1024);
	e = env_of("layout all");
	plan = planned(shape("spin"), &e, &plan_h200);
	ck_assert_int_eq(plan.env.layout, LAYOUT_SPLIT);
}
END_TEST

static const struct {
	const char *text, *message;
	int sm;
} refused[] = {
	{"threads:\n"
	 "  - {gpu: 0, cta: 0, code: \"st.weak.global.u32 [x], 1;\\n\"}\n"
	 "  - {gpu: 1, cta: 1, code: \"ld.weak.global.u32 r0, [x];\\n\"}\n"
	 "exists: 1:r0 == 1\n",
	 "threads on several GPUs cannot run on one", 90},
	{"threads:\n"
	 "  - {cta: 0, warp: 0, code: \"bar.sync 0;\\n\"}\n"
	 "  - {cta: 0, warp: 0, code: \"bar.sync 0;\\nld.weak.global.u32 r0, "
	 "[x];\\n\"}\nexists: 1:r0 == 1\n",
	 "bar.sync in threads P0 and P1 of one warp, which do not run together "
	 "(barrier.* without .aligned permits it)", 90},
	{"threads:\n"
	 "  - {cta: 0, code: \"fence.sc.cluster;\\nld.weak.global.u32 r0, [x];"
	 "\\n\"}\nexists: 0:r0 == 1\n",
	 "needs sm_90, the device is sm_80", 80},
	{"  s: {space: shared, cta: 0}\nthreads:\n"
	 "  - {cluster: 0, cta: 0, code: \"ld.weak.global.u32 r0, [x];\"}\n"
	 "  - {cluster: 0, cta: 1, code: \"barrier.cluster.arrive;\\n"
	 "st.weak.shared::cluster.u32 [s], 1;\\nbarrier.cluster.wait;\"}\n"
	 "exists: 0:r0 == 1\n",
	 "P0 and P1 come to barrier.cluster unequally often, and the harness "
	 "needs it at the end", 90},
	{"threads:\n"
	 "  - {cta: 0, code: \"setp.eq.u32 p, 0, 0;\\nbar.red.popc.u32 r0, 0, "
	 "p;\"}\nexists: 0:r0 == 1\n",
	 "bar.red reduces over all threads of a CTA, and those are of many "
	 "instances", 90},
};

#define NREFUSED ((int)(sizeof(refused) / sizeof(*refused)))

START_TEST(what_cannot_run_is_refused)
{
	const struct program *p = plan_program(arena_printf(arena,
	    "name: no\nabout: No.\nlocations:\n  x: 0\n%s", refused[_i].text),
	    NULL, arena);
	struct caps caps = plan_h200;
	struct env e = env_of("");
	struct plan plan;
	struct err err;

	caps.sm = refused[_i].sm;
	ck_assert(!plan_make(p, &e, &caps, arena, &plan, &err));
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, refused[_i].message);
}
END_TEST

/* What instructions of the .litmus dialect mean otherwise than PTX. */
static const struct {
	const char *threads, *message;
} other_dialect[] = {
	{"0.0 sust.weak x, 1; ld.weak r0, x | 0.0 st.weak x, 1",
	 "sust is of the .litmus dialect, not PTX"},
	{"0.0 red.acq_rel.gpu.add x, 1; ld.weak r0, x | 0.0 st.weak x, 1",
	 "red.acq_rel is of the .litmus dialect, not PTX"},
	{"0.0 bar.cta.sync 1, 1; ld.weak r0, x | 0.0 bar.cta.sync 1, 1",
	 "bar.sync with a resource or a count means something else in PTX"},
	{"0.0 bar.cta.arrive 1; ld.weak r0, x | 0.0 bar.cta.sync 1",
	 "bar.arrive without a count is of the .litmus dialect, not PTX"},
	{"0.0 bar.cta.sync 0; ld.weak r0, x | 0.0 bar.cta.sync 1",
	 "bar.sync in P0 and not in P1 of one CTA: in PTX it waits for all "
	 "its threads"},
};

START_TEST(what_is_not_ptx_is_refused)
{
	const struct program *p = table_program("no",
	    other_dialect[_i].threads, "exists 0:r0 = 1", arena);
	struct env e = env_of("");
	struct plan plan;
	struct err err;

	ck_assert_ptr_nonnull(p);
	ck_assert(!plan_make(p, &e, &plan_sim, arena, &plan, &err));
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, other_dialect[_i].message);
}
END_TEST

Suite *suite_plan(void);

Suite *
suite_plan(void)
{
	Suite *s = suite_create("plan");
	TCase *c = tcase_create("plan");

	tcase_add_checked_fixture(c, shapes_setup,
	    shapes_teardown);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, maps_are_bijections_and_keep_places, 0, NMAPS);
	tcase_add_loop_test(c, drawn_environments_map_too, 0, 120);
	tcase_add_loop_test(c, copies_do_not_overlap, 0, NMEMORIES);
	tcase_add_test(c, lines_are_kept_or_refused);
	tcase_add_loop_test(c, values_carry_the_launch_where_they_may, 0,
	    NKINDS);
	tcase_add_loop_test(c, values_stay_plain, 0, NPLAINS);
	tcase_add_test(c, steps_add_up_to_codes);
	tcase_add_test(c, a_launch_fills_an_h200);
	tcase_add_test(c, waiting_threads_stay_close);
	tcase_add_loop_test(c, what_cannot_run_is_refused, 0, NREFUSED);
	tcase_add_loop_test(c, what_is_not_ptx_is_refused, 0,
	    (int)(sizeof(other_dialect) / sizeof(*other_dialect)));
	suite_add_tcase(s, c);
	return s;
}
