/* primitives: entries, code, and what validation finds on the software
   machine. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../driver/primitive.h"

#define ROUNDS 8

/* Of a long list: every fourth, or all with FENCEPOST_ALL set. */
static bool
left_out(int i)
{
	return i % 4 != 0 && !getenv("FENCEPOST_ALL");
}

static struct arena *arena;
static struct primitives all;
static struct device_info sim;

static void
read_all(void)
{
	const struct embedded *e;
	struct errs errs = {0};
	struct err err;

	arena = arena_new();
	memset(&all, 0, sizeof(all));
	for (e = embedded_files; e->name; e++) {
		struct source source = {e->name, e->text, e->size};

		if (!strstr(e->name, ".yaml"))
			continue;
		if (!primitive_read(&source, NULL, arena, &all, &errs))
			errs_print(stderr, &errs, &source);
		ck_assert_int_eq(errs.count, 0);
	}
	ck_assert_int_eq(sim_ops.list(&sim, 1, &err), 1);
}

static void
free_all(void)
{
	arena_free(arena);
}

static const struct primitive *
find(const char *name)
{
	int i;

	for (i = 0; i < all.count; i++)
		if (strcmp(all.list[i].name, name) == 0)
			return &all.list[i];
	ck_abort_msg("no primitive %s", name);
	return NULL;
}

static bool
compiled(void)
{
	const char *code;
	struct err err;

	return primitive_code(find("grid_monotonic"), 90, arena, &code, &err);
}

static json_t *
study_one(const struct primitive *p, struct study *s)
{
	struct err err = {0};
	struct rig rig;
	json_t *entry;

	s->device = &sim;
	s->validate = true;
	s->timeout = 30;
	s->seed = 1;
	if (!s->rounds)
		s->rounds = ROUNDS;
	ck_assert_msg(rig_open(&rig, s, &err), "%s", err.message);
	rig_study(&rig, p, arena, &entry);
	rig_close(&rig);
	return entry;
}

static const char *
text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool
found(const json_t *entry, const char *kind)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(entry, "findings"), i, finding)
		if (strcmp(text(finding, "kind"), kind) == 0)
			return true;
	return false;
}

/* ---- entries ------------------------------------------------------------ */

START_TEST(there_are_enough_and_each_says_what_it_is)
{
	int i, sound = 0, twins = 0;

	for (i = 0; i < all.count; i++) {
		const struct primitive *p = &all.list[i];

		ck_assert_int_gt(p->nshapes, 0);
		if (p->twin_of) {
			ck_assert_ptr_nonnull(p->flaw);
			ck_assert_int_ne(p->fails, FAILS_NOT);
			ck_assert_int_eq(find(p->twin_of)->fails, FAILS_NOT);
			twins++;
		} else {
			ck_assert_ptr_nonnull(p->about);
			ck_assert_int_gt(p->nbenches + p->launches, 0);
			sound++;
		}
	}
	ck_assert_int_ge(sound, 20);
	ck_assert_int_ge(twins, 40);
}
END_TEST

START_TEST(every_entry_has_its_kernels)
{
	const char *code, *want;
	struct err err;
	int i;

	if (!compiled())
		return;
	for (i = 0; i < all.count; i++) {
		const struct primitive *p = &all.list[i];

		ck_assert_msg(primitive_code(p, 90, arena, &code, &err), "%s",
		    err.message);
		want = arena_printf(arena, "entry %s_%s(", p->name,
		    p->nbenches ? "bench" : "validate");
		ck_assert_msg(strstr(code, want) != NULL, "no %s", want);
	}
}
END_TEST

static const struct {
	const char *text, *message;
} malformed[] = {
	{"group: g\n", "'primitives' is missing"},
	{"primitives: []\n", "'group' is missing"},
	{"group: g\nprimitives: 3\n", "'primitives' must be a list, not a scalar"},
	{"group: g\nprimitives: [{about: x}]\n", "'name' is missing"},
	{"group: g\nprimitives: [{name: a b, about: x}]\n",
	    "a name has letters, digits and '_', at most 100"},
	{"group: g\nprimitives: [{name: a}]\n", "'about' is missing"},
	{"group: g\nprimitives: [{name: a, about: x}, {name: a, about: x}]\n",
	    "there is a primitive 'a' already"},
	{"group: g\nprimitives: [{name: a, about: x, twins: "
	    "[{name: b}]}]\n", "'flaw' is missing"},
	{"group: g\nprimitives: [{name: a, about: x, twins: "
	    "[{name: b, flaw: y, fails: often}]}]\n",
	    "'fails' is 'may' or 'must'"},
	{"group: g\nshapes: [{threads: 32}]\n"
	    "primitives: [{name: a, about: x}]\n", "'ctas' is missing"},
	{"group: g\nshapes: [{ctas: 99x}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'ctas' takes 1x to 32x, so many an SM"},
	{"group: g\nshapes: [{ctas: 1, threads: 33}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'threads' must be a multiple of 32"},
	{"group: g\nshapes: [{ctas: 0}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'ctas' must be a number from 1 to 65536"},
	{"a: b\n---\nc: d\n", "expected one document, not 2"},
};

START_TEST(a_bad_entry_is_an_error_with_a_place)
{
	struct source source = {"my.yaml", malformed[_i].text,
	    strlen(malformed[_i].text)};
	struct primitives list = {0};
	struct errs errs = {0};

	ck_assert(!primitive_read(&source, NULL, arena, &list, &errs));
	ck_assert_int_gt(errs.count, 0);
	ck_assert_str_eq(errs.list[0].message, malformed[_i].message);
	ck_assert_str_eq(errs.list[0].loc.source, "my.yaml");
	ck_assert_int_gt(errs.list[0].loc.line, 0);
}
END_TEST

START_TEST(a_kernel_is_cut_out_with_its_shared_variables)
{
	static const char *const names[] = {"b"};
	const char *ptx = ".version 8.0\n"
	    ".shared .align 4 .b8 mine[8];\n.shared .b32 theirs;\n"
	    ".visible .entry a(\n)\n{\n\tst.shared.u32 [theirs], 1;\n}\n"
	    ".visible .entry b(\n)\n{\n\tst.shared.u32 [mine+4], 1;\n}\n"
	    ".visible .entry bb(\n)\n{\n}\n";
	struct text t;

	text_init(&t, arena);
	ck_assert(ptx_extract(&t, ptx, names, 1));
	ck_assert_str_eq(t.s, ".version 8.0\n.visible .entry b(\n)\n{\n"
	    "\t.shared .align 4 .b8 mine[8];\n"
	    "\tst.shared.u32 [mine+4], 1;\n}\n");
	text_init(&t, arena);
	ck_assert(!ptx_extract(&t, ".version 8.0\n", names, 1));
}
END_TEST

/* ---- distilled ---------------------------------------------------------- */

static struct suite distilled;

static void
read_distilled(void)
{
	static const char *const files[] = {"atomic", "chain", "grid",
	    "local", "lock", "message", "scan"};
	struct source source;
	struct errs errs = {0};
	struct err err = {0};
	size_t i;

	memset(&distilled, 0, sizeof(distilled));
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ck_assert_msg(source_read(arena_printf(arena,
		    "litmus/primitives/%s.yaml", files[i]), 1 << 20, arena,
		    &source, &err), "%s", err.message);
		ck_assert(read_any(&source, arena, &distilled, &errs));
	}
}

static const struct program *
test_named(const char *name)
{
	int i;

	for (i = 0; i < distilled.count; i++)
		if (strcmp(distilled.programs[i].name, name) == 0)
			return &distilled.programs[i];
	return NULL;
}

static enum answer
answer_of(const struct program *p)
{
	struct arena *a = arena_new();
	struct model_opts opts;
	struct outcomes outcomes = {0};
	struct err err = {0};
	enum answer answer;

	model_defaults(&opts, MODEL_PTX);
	ck_assert_msg(model_run(p, &opts, a, &outcomes, &err), "%s: %s",
	    p->name, err.message);
	answer = model_answer(p, &outcomes);
	arena_free(a);
	return answer;
}

/* Proved in the small what is stressed in the large. */
START_TEST(the_model_says_what_entries_say)
{
	int i, judged = 0;

	read_distilled();
	for (i = 0; i < all.count; i++) {
		const struct primitive *p = &all.list[i];
		const struct program *test;

		if (!p->litmus)
			continue;
		test = test_named(p->litmus);
		ck_assert_msg(test != NULL, "%s: no test %s", p->name,
		    p->litmus);
		ck_assert_msg(answer_of(test) == (p->twin_of ?
		    ANSWER_ALLOWED : ANSWER_FORBIDDEN), "%s: %s", p->name,
		    p->litmus);
		judged++;
	}
	ck_assert_int_ge(judged, 100);
}
END_TEST

/* The length of a name like Flag+relaxed-set, or 0. */
static size_t
test_name(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
	    "uvwxyz0123456789");
	size_t k;

	if (*s < 'A' || *s > 'Z' || s[n] != '+')
		return 0;
	k = strspn(s + n + 1, "abcdefghijklmnopqrstuvwxyz0123456789-");
	return k ? n + 1 + k : 0;
}

/* A fence comment names a test that exists and that the model allows. */
START_TEST(fence_comments_name_tests_that_fail)
{
	static const char *const files[] = {"chain", "cluster", "cta", "flag",
	    "grid", "lock", "scan", "atomic"};
	struct source source;
	struct err err;
	int found = 0;
	size_t i, n;
	const char *s;

	read_distilled();
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ck_assert(source_read(arena_printf(arena, "kernels/%s.cu",
		    files[i]), 1 << 20, arena, &source, &err));
		for (s = source.text; *s; s += n ? n : 1) {
			const char *name;

			n = test_name(s);
			if (n == 0)
				continue;
			name = arena_strndup(arena, s, n);
			ck_assert_msg(test_named(name) != NULL,
			    "kernels/%s.cu: no test %s", files[i], name);
			ck_assert_msg(answer_of(test_named(name)) ==
			    ANSWER_ALLOWED, "%s", name);
			found++;
		}
	}
	ck_assert_int_ge(found, 30);
}
END_TEST

/* ---- on the software machine -------------------------------------------- */

/* Those whose PTX it knows, which is most of them. */
START_TEST(sound_primitives_are_clean)
{
	int i, ran = 0, sound = 0, tried = 0;

	if (!compiled())
		return;
	for (i = 0; i < all.count; i++) {
		struct study s = {0};
		json_t *entry;

		if (all.list[i].twin_of || left_out(sound++))
			continue;
		entry = study_one(&all.list[i], &s);
		tried++;
		if (strcmp(text(entry, "verdict"), "not-run") != 0) {
			ck_assert_msg(strcmp(text(entry, "verdict"), "pass")
			    == 0, "%s: %s", all.list[i].name, json_dumps(
			    json_object_get(entry, "findings"), 0));
			ck_assert_int_ge(json_integer_value(json_object_get(
			    entry, "crossings")), ROUNDS);
			ran++;
		} else {
			ck_assert_str_ne(text(entry, "message"), "");
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

	if (!compiled())
		return;
	entry = study_one(find(wrong[_i].name), &s);
	ck_assert_msg(strcmp(text(entry, "verdict"), "pass") == 0, "%s: %s",
	    wrong[_i].name, text(entry, "verdict"));
	ck_assert_msg(found(entry, wrong[_i].kind), "%s: no %s in %s",
	    wrong[_i].name, wrong[_i].kind, json_dumps(
	    json_object_get(entry, "findings"), 0));
	json_decref(entry);
}
END_TEST

/* With its weak memory the software machine catches most of the others. */
START_TEST(most_twins_are_caught)
{
	int i, twins = 0, tried = 0, ran = 0, caught = 0;

	if (!compiled())
		return;
	for (i = 0; i < all.count; i++) {
		struct study s = {0};
		json_t *entry;

		if (!all.list[i].twin_of || left_out(twins++))
			continue;
		tried++;
		entry = study_one(&all.list[i], &s);
		ran += strcmp(text(entry, "verdict"), "not-run") != 0;
		caught += strcmp(text(entry, "verdict"), "pass") == 0;
		ck_assert_str_ne(text(entry, "verdict"), "not-caught");
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

	if (!compiled())
		return;
	entry = study_one(find("grid_monotonic"), &s);
	ck_assert_str_eq(text(entry, "verdict"), "not-run");
	ck_assert(strstr(text(entry, "message"),
	    "cannot be resident at once on this device"));
	json_decref(entry);
}
END_TEST

START_TEST(costs_come_back_as_quantiles)
{
	struct study s = {.bench = true};
	const json_t *bench, *b;
	json_t *entry;

	if (!compiled())
		return;
	entry = study_one(find("flag_release"), &s);
	bench = json_object_get(entry, "bench");
	ck_assert_uint_eq(json_array_size(bench), 4);
	b = json_array_get(bench, 0);
	ck_assert_str_eq(text(b, "what"), "one way");
	ck_assert_str_eq(text(b, "unit"), "ns");
	ck_assert(json_real_value(json_object_get(b, "p1")) <=
	    json_real_value(json_object_get(b, "median")));
	ck_assert(json_real_value(json_object_get(b, "median")) <=
	    json_real_value(json_object_get(b, "p99")));
	ck_assert(json_real_value(json_object_get(b, "median")) > 0);
	ck_assert_str_eq(text(json_array_get(bench, 1), "what"),
	    "throughput, one way");
	json_decref(entry);
}
END_TEST

/* ---- a user's own ------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL(name, body) \
	".visible .entry " name "(.param .align 8 .b8 p[104])\n{\n" body \
	"\tret;\n}\n"

static const char *directory;

static void
write_own(const char *name, const char *content)
{
	FILE *f = fopen(arena_printf(arena, "%s/%s", directory, name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(content, f);
	fclose(f);
}

static void
collect(void *user, const struct primitive *p, json_t *entry)
{
	(void)p;
	json_array_append_new(user, entry);
}

/* One of them traps: its neighbours still run, in a process of their own. */
START_TEST(a_fault_is_one_primitives_own)
{
	char folder[] = "/tmp/fencepost-test-XXXXXX";
	const struct primitive *items[3];
	struct study s = {.items = items, .nitems = 3, .device = &sim,
	    .validate = true, .rounds = ROUNDS, .timeout = 10};
	struct primitives own = {0};
	struct source source;
	struct errs errs = {0};
	struct err err = {0};
	json_t *entries = json_array();
	const char *path;
	int i;

	directory = mkdtemp(folder);
	write_own("my.ptx", HEAD KERNEL("first_validate", "")
	    KERNEL("second_validate", "\ttrap;\n")
	    KERNEL("third_validate", ""));
	write_own("my.yaml", "kernels: my.ptx\ngroup: mine\n"
	    "shapes: [{ctas: 2, threads: 32}]\nprimitives:\n"
	    "  - {name: first, about: nothing}\n"
	    "  - {name: second, about: a trap}\n"
	    "  - {name: third, about: nothing}\n");
	path = arena_printf(arena, "%s/my.yaml", directory);
	ck_assert(source_read(path, 1 << 20, arena, &source, &err));
	ck_assert(primitive_read(&source, directory, arena, &own, &errs));
	for (i = 0; i < 3; i++) {
		items[i] = &own.list[i];
		ck_assert(origin_load(own.list[i].origin, 90, arena, &err));
	}
	ck_assert_msg(primitives_run(&s, collect, entries, &err), "%s",
	    err.message);
	ck_assert_uint_eq(json_array_size(entries), 3);
	ck_assert_str_eq(text(json_array_get(entries, 0), "verdict"), "pass");
	ck_assert_str_eq(text(json_array_get(entries, 1), "verdict"),
	    "broken");
	ck_assert(found(json_array_get(entries, 1), "fault"));
	ck_assert_str_eq(text(json_array_get(entries, 2), "verdict"), "pass");
	json_decref(entries);
	unlink(path);
	unlink(arena_printf(arena, "%s/my.ptx", directory));
	rmdir(directory);
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

	if (!tool_find("nvcc", arena))
		return;
	ck_assert(source_read(path, 1 << 20, arena, &source, &err));
	ck_assert(primitive_read(&source, "contrib/own-primitive", arena,
	    &own, &errs));
	ck_assert_int_eq(own.count, 3);
	for (i = 0; i < own.count; i++) {
		struct study s = {0};
		json_t *entry;

		ck_assert_msg(origin_load(own.list[i].origin, 90, arena,
		    &err), "%s", err.message);
		entry = study_one(&own.list[i], &s);
		ck_assert_str_eq(text(entry, "verdict"), "pass");
		ck_assert_int_eq(found(entry, "stale"), i > 0);
		json_decref(entry);
	}
}
END_TEST

/* ---- claims ------------------------------------------------------------- */

static const struct {
	double cycles;
	bool holds;
} costs[] = {{25, true}, {90, false}};

START_TEST(a_claim_holds_within_its_bounds)
{
	json_t *entries = json_pack("[{s:s, s:[{s:s, s:f, s:f}]}]", "name",
	    "syncthreads", "bench", "what", "latency", "median", 1.0,
	    "cycles", costs[_i].cycles);
	json_t *claims = primitive_claims(entries, 0);

	ck_assert_uint_eq(json_array_size(claims), 1);
	ck_assert(json_is_true(json_object_get(json_array_get(claims, 0),
	    "holds")) == costs[_i].holds);
	json_decref(claims);
	json_decref(entries);
}
END_TEST

Suite *suite_primitive(void);

Suite *
suite_primitive(void)
{
	Suite *s = suite_create("primitive");
	TCase *t = tcase_create("primitive");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, read_all, free_all);
	tcase_add_test(t, there_are_enough_and_each_says_what_it_is);
	tcase_add_test(t, every_entry_has_its_kernels);
	tcase_add_loop_test(t, a_bad_entry_is_an_error_with_a_place, 0,
	    (int)(sizeof(malformed) / sizeof(*malformed)));
	tcase_add_test(t, a_kernel_is_cut_out_with_its_shared_variables);
	tcase_add_test(t, the_model_says_what_entries_say);
	tcase_add_test(t, fence_comments_name_tests_that_fail);
	tcase_add_test(t, sound_primitives_are_clean);
	tcase_add_loop_test(t, a_twin_is_caught_by_what_it_does_wrong, 0,
	    (int)(sizeof(wrong) / sizeof(*wrong)));
	tcase_add_test(t, most_twins_are_caught);
	tcase_add_test(t, more_ctas_than_fit_are_an_error);
	tcase_add_test(t, costs_come_back_as_quantiles);
	tcase_add_test(t, a_fault_is_one_primitives_own);
	tcase_add_test(t, an_own_primitive_is_compiled_and_judged);
	tcase_add_loop_test(t, a_claim_holds_within_its_bounds, 0,
	    (int)(sizeof(costs) / sizeof(*costs)));
	suite_add_tcase(s, t);
	return s;
}
