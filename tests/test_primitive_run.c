/* primitives on the software machine: what validation finds, and when */
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "help_cli.h"
#include "help_primitive.h"

/* Those whose PTX it knows, which is most of them. */
START_TEST(sound_primitives_are_clean)
{
	int i, ran = 0, sound = 0, tried = 0;

	if (!prims_compiled())
		return;
	for (i = 0; i < prims.count; i++) {
		struct study s = {0};
		json_t *entry;

		if (prims.list[i].twin_of || prim_left_out(sound++))
			continue;
		entry = prim_study(&prims.list[i], &s);
		tried++;
		if (strcmp(json_text(entry, "verdict"), "not-run") != 0) {
			ck_assert_msg(strcmp(json_text(entry, "verdict"), "pass")
			    == 0, "%s: %s", prims.list[i].name, json_dumps(
			    json_object_get(entry, "findings"), 0));
			ck_assert_int_ge(json_integer_value(json_object_get(
			    entry, "crossings")), ROUNDS);
			ran++;
		} else {
			ck_assert_str_ne(json_text(entry, "message"), "");
		}
		json_decref(entry);
	}
	ck_assert_int_ge(ran * 10, tried * 6);
}
END_TEST

/* Wrong by interleaving alone, so caught on any machine, each by what it
   does wrong. */
static const struct {
	const char *name, *kind;
} wrong[] = {
	{"grid_monotonic_no_sync_before", "stale"},
	{"grid_monotonic_no_sync_after", "early"},
	{"grid_reset_by_leader", "hang"},
	{"grid_flags_no_sync_after", "stale"},
	{"grid_coop_block_only", "early"},
	{"flag_release_no_sync_recv", "stale"},
	{"sentinel_relaxed_reset_late", "hang"},
	{"sentinel_wide_last", "torn"},
	{"task_event_no_sync_pass", "stale"},
	{"splitk_semaphore_no_sync", "stale"},
	{"lock_cas_check_then_set", "lost"},
	{"lock_cas_cta_check_then_set", "lost"},
	{"lock_ticket_torn_draw", "stale"},
	{"lock_lanes_syncwarp", "hang"},
	{"look_back_packed_halves", "stale"},
	{"last_block_no_sync_draw", "stale"},
	{"atomic_add_split", "lost"},
	{"histogram_shared_no_first_sync", "lost"},
	{"histogram_shared_no_last_sync", "lost"},
	{"count_aggregated_blindly", "lost"},
	{"count_ballot_half", "lost"},
	{"syncthreads_warp_only", "stale"},
	{"syncthreads_count_ballot", "lost"},
	{"cluster_sync_cta_only", "stale"},
};

START_TEST(a_twin_is_caught_by_what_it_does_wrong)
{
	struct study s = {.rounds = 240};
	json_t *entry;

	if (!prims_compiled())
		return;
	entry = prim_study(prim_find(wrong[_i].name), &s);
	ck_assert_msg(strcmp(json_text(entry, "verdict"), "pass") == 0, "%s: %s",
	    wrong[_i].name, json_text(entry, "verdict"));
	ck_assert_msg(prim_found(entry, wrong[_i].kind), "%s: no %s in %s",
	    wrong[_i].name, wrong[_i].kind, json_dumps(
	    json_object_get(entry, "findings"), 0));
	json_decref(entry);
}
END_TEST

/* With its weak memory the software machine catches most of the others. */
START_TEST(most_twins_are_caught)
{
	int i, twins = 0, tried = 0, ran = 0, caught = 0;

	if (!prims_compiled())
		return;
	for (i = 0; i < prims.count; i++) {
		struct study s = {0};
		json_t *entry;

		if (!prims.list[i].twin_of || prim_left_out(twins++))
			continue;
		tried++;
		entry = prim_study(&prims.list[i], &s);
		ran += strcmp(json_text(entry, "verdict"), "not-run") != 0;
		caught += strcmp(json_text(entry, "verdict"), "pass") == 0;
		ck_assert_str_ne(json_text(entry, "verdict"), "not-caught");
		json_decref(entry);
	}
	ck_assert_int_ge(ran * 10, tried * 6);
	ck_assert_msg(caught * 10 >= ran * 8, "%d of %d", caught, ran);
}
END_TEST

START_TEST(more_ctas_than_fit_are_an_error)
{
	struct study s = {.ctas = 60000};
	json_t *entry;

	if (!prims_compiled())
		return;
	entry = prim_study(prim_find("grid_monotonic"), &s);
	ck_assert_str_eq(json_text(entry, "verdict"), "not-run");
	ck_assert(strstr(json_text(entry, "message"),
	    "cannot be resident at once on this device"));
	json_decref(entry);
}
END_TEST

START_TEST(costs_come_back_as_quantiles)
{
	struct study s = {.bench = true};
	const json_t *bench, *b;
	json_t *entry;

	if (!prims_compiled())
		return;
	entry = prim_study(prim_find("flag_release"), &s);
	bench = json_object_get(entry, "bench");
	ck_assert_uint_eq(json_array_size(bench), 4);
	b = json_array_get(bench, 0);
	ck_assert_str_eq(json_text(b, "what"), "one way");
	ck_assert_str_eq(json_text(b, "unit"), "ns");
	ck_assert(json_real_value(json_object_get(b, "p1")) <=
	    json_real_value(json_object_get(b, "median")));
	ck_assert(json_real_value(json_object_get(b, "median")) <=
	    json_real_value(json_object_get(b, "p99")));
	ck_assert(json_real_value(json_object_get(b, "median")) > 0);
	ck_assert_str_eq(json_text(json_array_get(bench, 1), "what"),
	    "throughput, one way");
	json_decref(entry);
}
END_TEST

/* ---- a user's own ------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL(name, body) \
	".visible .entry " name "(.param .align 8 .b8 p[104])\n{\n" body \
	"\tret;\n}\n"

/* Primitives of a file of PTX and its entries. */
static void
read_own(const char *ptx, const char *yaml, struct primitives *own)
{
	struct source source;
	struct errs errs = {0};
	struct err err = {0};
	const char *path;
	int i;

	put("my.ptx", ptx);
	put("my.yaml", yaml);
	path = arena_printf(prim_arena, "%s/my.yaml", folder);
	ck_assert(source_read(path, 1 << 20, prim_arena, &source, &err));
	ck_assert(primitive_read(&source, folder, prim_arena, own, &errs));
	for (i = 0; i < own->count; i++)
		ck_assert(origin_load(own->list[i].origin, 90, prim_arena,
		    &err));
}

static void
collect(void *user, const struct primitive *p, json_t *entry)
{
	(void)p;
	json_array_append_new(user, entry);
}

/* All of these, in processes of their own. */
static enum work_end
run_all(const struct primitives *list, struct study *s, json_t *entries)
{
	struct listener listener = {.done = collect, .user = entries};
	const struct primitive **items = arena_alloc(prim_arena,
	    (size_t)list->count * sizeof(*items));
	enum work_end end;
	struct err err = {0};
	int i;

	for (i = 0; i < list->count; i++)
		items[i] = &list->list[i];
	s->items = items;
	s->nitems = list->count;
	s->device = &prim_sim;
	s->validate = true;
	end = primitives_run(s, &listener, &err);
	ck_assert_msg(end != WORK_FAILED, "%s", err.message);
	return end;
}

/* One of them traps: its neighbours still run, in a process of their own. */
START_TEST(a_fault_is_one_primitives_own)
{
	static const char *const wanted[] = {"pass", "broken", "pass"};
	struct study s = {.rounds = ROUNDS, .timeout = 10};
	struct primitives own = {0};
	json_t *entries = json_array();
	size_t i;

	read_own(HEAD KERNEL("first_validate", "")
	    KERNEL("second_validate", "\ttrap;\n")
	    KERNEL("third_validate", ""), "kernels: my.ptx\ngroup: mine\n"
	    "shapes: [{ctas: 2, threads: 32}]\nprimitives:\n"
	    "  - {name: first, about: nothing}\n"
	    "  - {name: second, about: a trap}\n"
	    "  - {name: third, about: nothing}\n", &own);
	ck_assert_int_eq(run_all(&own, &s, entries), WORK_DONE);
	ck_assert_uint_eq(json_array_size(entries), 3);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(json_text(json_array_get(entries, i),
		    "verdict"), wanted[i]);
	ck_assert(prim_found(json_array_get(entries, 1), "fault"));
	json_decref(entries);
}
END_TEST

/*
 * Counts its rounds in state, which must be what it is told that is behind
 * it ("lost"); says that round 19 of the first shape is stale.
 */
static const char counting[] =
	"\t.reg .u64 %r, %s;\n\t.reg .u32 %f, %n, %v, %w;\n"
	"\t.reg .pred %q;\n"
	"\tld.param.u64 %s, [p];\n\tld.param.u64 %r, [p+24];\n"
	"\tld.param.u32 %f, [p+48];\n\tld.param.u32 %n, [p+52];\n"
	"\tmov.u32 %v, %tid.x;\n\tmov.u32 %w, %ctaid.x;\n"
	"\tadd.u32 %v, %v, %w;\n\tsetp.ne.u32 %q, %v, 0;\n\t@%q ret;\n"
	"\tst.global.u32 [%r+284], 1;\n"
	"\tcvt.u64.u32 %rd, %n;\n\tst.global.u64 [%r+240], %rd;\n"
	"\tld.global.u32 %v, [%s];\n\tsetp.ne.u32 %q, %v, %f;\n"
	"\t@%q st.global.u32 [%r+16], 1;\n"
	"\tadd.u32 %v, %f, %n;\n\tst.global.u32 [%s], %v;\n"
	"\tsetp.lt.u32 %q, %f, 16;\n\t@%q ret;\n"
	"\tst.global.u32 [%r], 1;\n\tadd.u32 %v, %f, 3;\n"
	"\tst.global.u32 [%r+64], %v;\n";

/* One count in many launches: state goes on from one to the next, and
   rounds and the first that failed are of all of them. */
START_TEST(a_count_is_carried_on_from_launch_to_launch)
{
	struct study s = {.rounds = _i ? 0 : 80, .crossings = _i ? 80 : 0};
	struct primitives own = {0};
	const json_t *stale;
	json_t *entry;

	read_own(arena_printf(prim_arena, HEAD ".visible .entry long_validate"
	    "(.param .align 8 .b8 p[104])\n{\n\t.reg .u64 %%rd;\n%s\tret;\n"
	    "}\n", counting), "kernels: my.ptx\ngroup: mine\n"
	    "shapes: [{ctas: 1, threads: 32}, {ctas: 2, threads: 32}]\n"
	    "primitives: [{name: long, about: counts}]\n", &own);
	entry = prim_study(&own.list[0], &s);
	ck_assert_msg(prim_found(entry, "stale"), "%s", json_dumps(entry, 0));
	ck_assert(!prim_found(entry, "lost"));
	stale = prim_finding(entry, "stale");
	ck_assert_int_eq(json_integer_value(json_object_get(stale, "round")),
	    19);
	ck_assert_int_eq(json_integer_value(json_object_get(stale, "count")),
	    6);
	ck_assert_int_eq(json_integer_value(json_object_get(entry, "rounds")),
	    80);
	ck_assert_int_eq(json_integer_value(json_object_get(entry,
	    "launches")), 10);
	ck_assert_int_eq(json_integer_value(json_object_get(entry,
	    "crossings")), 80);
	json_decref(entry);
}
END_TEST

/* The same of a barrier of ours, each shape for its part. */
START_TEST(a_barrier_is_crossed_as_often_as_asked)
{
	struct study s = {.crossings = 2000};
	json_t *entry;
	json_int_t n;

	if (!prims_compiled())
		return;
	entry = prim_study(prim_find("grid_last_fence"), &s);
	n = json_integer_value(json_object_get(entry, "crossings"));
	ck_assert_str_eq(json_text(entry, "verdict"), "pass");
	ck_assert_int_ge(n, 2000);
	ck_assert_int_lt(n, 2500);
	json_decref(entry);
}
END_TEST

static int
count_without_time(const json_t *entries)
{
	const json_t *entry;
	size_t i;
	int n = 0;

	json_array_foreach(entries, i, entry)
		n += strcmp(json_text(entry, "message"), no_time_left) == 0;
	return n;
}

/* There is not time for all; the others are told from those that ran. */
START_TEST(the_time_is_kept)
{
	struct study s = {.end = wall_clock() + 1, .timeout = 10, .seed = 1};
	json_t *entries = json_array();
	double begin = wall_clock();

	if (!prims_compiled())
		return;
	ck_assert_int_eq(run_all(&prims, &s, entries), WORK_DONE);
	ck_assert_double_lt(wall_clock() - begin, 4);
	ck_assert_uint_eq(json_array_size(entries), (size_t)prims.count);
	ck_assert_int_gt(count_without_time(entries), 0);
	ck_assert_int_lt(count_without_time(entries), prims.count);
	json_decref(entries);
}
END_TEST

/* A signal ends the run, and what has finished is there. */
START_TEST(a_signal_ends_it_with_what_there_is)
{
	const struct timespec wait = {0, 400000000};
	struct study s = {.end = wall_clock() + 60, .timeout = 10, .seed = 1};
	json_t *entries = json_array();
	double begin = wall_clock();
	pid_t child;

	if (!prims_compiled())
		return;
	child = fork();
	if (child == 0) {
		nanosleep(&wait, NULL);
		kill(getppid(), _i ? SIGTERM : SIGINT);
		_exit(0);
	}
	ck_assert_int_eq(run_all(&prims, &s, entries), WORK_INTERRUPTED);
	ck_assert_double_lt(wall_clock() - begin, 20);
	ck_assert_uint_lt(json_array_size(entries), (size_t)prims.count);
	waitpid(child, NULL, 0);
	json_decref(entries);
}
END_TEST

/* Costs alone are no validation. */
START_TEST(what_is_only_measured_says_so)
{
	struct study s = {.bench = true};
	json_t *entry;

	if (!prims_compiled())
		return;
	entry = prim_study(prim_find("syncthreads"), &s);
	ck_assert_str_eq(json_text(entry, "verdict"), "measured");
	ck_assert_str_eq(json_text(entry, "message"),
	    "measured, not validated");
	ck_assert_ptr_null(json_object_get(entry, "crossings"));
	json_decref(entry);
}
END_TEST

/* Nor is anything made of costs on the software machine, here or in what is
   made of the document. */
START_TEST(reports_do_not_judge_what_was_only_measured)
{
	static const char *const forms[] = {"--html", "--markdown"};
	size_t i;

	if (!prims_compiled())
		return;
	ck_assert_msg(fencepost("primitive --device sim --bench syncthreads "
	    "--json %F/d") == 0, "%s", errors);
	ck_assert(strstr(out, "1 measured, not validated (software"));
	ck_assert(strstr(out, "  not judged: software machine\n"));
	ck_assert(strstr(out, "not judged         __syncthreads takes"));
	ck_assert(!strstr(out, "holds") && !strstr(out, "clean"));
	ck_assert_str_eq(errors, "");
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(fencepost(arena_printf(prim_arena,
		    "report %%F/d %s -", forms[i])), 0);
		ck_assert_msg(strstr(out, "measured, not validated"), "%s",
		    out);
		ck_assert_msg(strstr(out, "not judged: software machine"),
		    "%s", out);
	}
}
END_TEST

/* Its machine code with marks, or why there is none. */
START_TEST(machine_code_is_shown_with_its_fences)
{
	if (!prims_compiled())
		return;
	if (fencepost("primitive --sass grid_pause --twins without") == 0) {
		ck_assert_ptr_nonnull(strstr(out, ".text.grid_pause_bench"));
		ck_assert_ptr_nonnull(strstr(out, "REDG.E.ADD.STRONG.GPU"));
		ck_assert_ptr_nonnull(strstr(out, "MEMBAR.ALL.GPU ;"));
		ck_assert_ptr_nonnull(strstr(out, "// <--"));
	} else {
		ck_assert_msg(strstr(errors, "nvdisasm") || strstr(errors,
		    "no ptxas in PATH"), "%s", errors);
	}
}
END_TEST

/* The README's example, from source to verdict, where there is nvcc. */
START_TEST(an_own_primitive_is_compiled_and_judged)
{
	const char *path = "contrib/own-primitive/mailbox.yaml";
	struct primitives own = {0};
	struct source source;
	struct errs errs = {0};
	struct err err = {0};
	int i;

	if (!tool_find("nvcc", prim_arena))
		return;
	ck_assert(source_read(path, 1 << 20, prim_arena, &source, &err));
	ck_assert(primitive_read(&source, "contrib/own-primitive", prim_arena,
	    &own, &errs));
	ck_assert_int_eq(own.count, 3);
	for (i = 0; i < own.count; i++) {
		struct study s = {0};
		json_t *entry;

		ck_assert_msg(origin_load(own.list[i].origin, 90, prim_arena,
		    &err), "%s", err.message);
		entry = prim_study(&own.list[i], &s);
		ck_assert_str_eq(json_text(entry, "verdict"), "pass");
		ck_assert_int_eq(prim_found(entry, "stale"), i > 0);
		json_decref(entry);
	}
}
END_TEST

Suite *suite_primitive_run(void);

Suite *
suite_primitive_run(void)
{
	Suite *s = suite_create("primitive_run");
	TCase *t = tcase_create("primitive_run");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, prims_read, prims_free);
	tcase_add_checked_fixture(t, make_folder, remove_folder);
	tcase_add_test(t, sound_primitives_are_clean);
	tcase_add_loop_test(t, a_twin_is_caught_by_what_it_does_wrong, 0,
	    (int)(sizeof(wrong) / sizeof(*wrong)));
	tcase_add_test(t, most_twins_are_caught);
	tcase_add_test(t, more_ctas_than_fit_are_an_error);
	tcase_add_test(t, costs_come_back_as_quantiles);
	tcase_add_test(t, a_fault_is_one_primitives_own);
	tcase_add_loop_test(t, a_count_is_carried_on_from_launch_to_launch, 0,
	    2);
	tcase_add_test(t, a_barrier_is_crossed_as_often_as_asked);
	tcase_add_test(t, the_time_is_kept);
	tcase_add_loop_test(t, a_signal_ends_it_with_what_there_is, 0, 2);
	tcase_add_test(t, what_is_only_measured_says_so);
	tcase_add_test(t, reports_do_not_judge_what_was_only_measured);
	tcase_add_test(t, machine_code_is_shown_with_its_fences);
	tcase_add_test(t, an_own_primitive_is_compiled_and_judged);
	suite_add_tcase(s, t);
	return s;
}
