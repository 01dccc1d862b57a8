/* report, diff, merge, store and judge, from the command line */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reports/reports.h"
#include "help_cli.h"
#include "help_sample.h"

static struct arena *arena;

static void
set_up(void)
{
	make_folder();
	arena = arena_new();
}

static void
tear_down(void)
{
	arena_free(arena);
	remove_folder();
}

static const char *
content(const char *name)
{
	struct source source;
	struct err err;

	ck_assert_msg(source_read(arena_printf(arena, "%s/%s", folder, name),
	    (size_t)1 << 28, arena, &source, &err), "%s: %s", name,
	    err.message);
	return source.text;
}

static void
put_sample(const char *name, const struct sample *s)
{
	put(name, sample_source(s, arena).text);
}

static void
said(const char *where, const char *what)
{
	ck_assert_msg(strstr(content(where), what), "%s", content(where));
}

/* ---- report ------------------------------------------------------------ */

START_TEST(report_writes_what_is_asked_for)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 100,
	    .forbidden = 1});
	ck_assert_int_eq(run_there("report a.json"), 0);
	said("out", "Verdict MP+acq_rel.gpu FORBIDDEN");
	ck_assert_int_eq(run_there("report a.json --html h.html --css f.css "
	    "--junit j.xml --markdown m.md"), 0);
	said("h.html", "<link rel=\"stylesheet\" href=\"f.css\">");
	ck_assert_ptr_null(strstr(content("h.html"), "<style>"));
	said("f.css", "--weak:");
	said("j.xml", "<testsuites name=\"fencepost\" tests=\"100\"");
	said("m.md", "# fencepost: 100 tests, **1 failed**");
	ck_assert_int_eq(run_there("report a.json --html -"), 0);
	said("out", "<!doctype html>");
	said("out", "<style>");
}
END_TEST

START_TEST(github_summary_is_added_to)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 100,
	    .forbidden = 1});
	put("summary", "before\n");
	setenv("GITHUB_STEP_SUMMARY", "summary", 1);
	ck_assert_int_eq(run_there("report a.json --github"), 0);
	unsetenv("GITHUB_STEP_SUMMARY");
	said("out", "::error file=litmus/MP/MP.yaml,line=16,");
	said("summary", "before\n# fencepost: 100 tests, **1 failed**");
}
END_TEST

static const struct {
	const char *name;
	struct sample sample;
	const char *args;
	int status;
} gates[] = {
	{"clean", {.seed = 1, .tests = 100}, "", 0},
	{"forbidden", {.seed = 1, .tests = 100, .forbidden = 1}, "", 1},
	{"empty", {.seed = 1}, "", 4},
	{"quarantined", {.seed = 1, .tests = 100, .forbidden = 1},
	    "-q known", 0},
	{"another", {.seed = 1, .tests = 100, .forbidden = 2}, "-q known",
	    1},
	{"expired", {.seed = 1, .tests = 100, .forbidden = 1}, "-q old", 1},
	{"bad list", {.seed = 1, .tests = 100, .forbidden = 1}, "-q a.json",
	    2},
};

START_TEST(the_gate_says_what_the_run_would_have)
{
	put_sample("a.json", &gates[_i].sample);
	put("known", "2026-02-28 MP+acq_rel.gpu seen since driver 580\n");
	put("old", "2025-02-28 MP+acq_rel.gpu seen since driver 570\n");
	ck_assert_int_eq(run_there("report a.json"), 0);
	ck_assert_msg(run_there(arena_printf(arena, "report a.json --gate "
	    "%s", gates[_i].args)) == gates[_i].status, "%s",
	    gates[_i].name);
	if (strcmp(gates[_i].name, "expired") == 0)
		said("err", "was quarantined until 2025-02-28, and still "
		    "fails");
}
END_TEST

START_TEST(several_documents_stand_side_by_side)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 30});
	put_sample("b.json", &(struct sample){.seed = 2, .tests = 30,
	    .gpu = "NVIDIA B200"});
	put_sample("s.json", &(struct sample){.seed = 2, .tests = 30,
	    .sim = true});
	ck_assert_int_eq(run_there("report a.json b.json --html c.html "
	    "--markdown c.md"), 0);
	said("c.html", "NVIDIA B200");
	said("c.md", "2 runs side by side");
	ck_assert_int_eq(run_there("report a.json b.json --junit j.xml"), 2);
	said("err", "merge shards first");
	ck_assert_int_eq(run_there("report a.json s.json --html c.html"), 2);
	said("err", "they are not compared");
}
END_TEST

static const struct {
	const char *args, *error;
} misuses[] = {
	{"report", "expected FILE..."},
	{"report none.json", "none.json: error: No such file"},
	{"report bad.json", "bad.json:2:13: error: hardware: expected true "
	    "or false, found 'n'\n  \"hardware\": no}\n              ^\n"},
	{"report a.json --css f.css", "--css goes with --html"},
	{"report a.json --html no/where.html", "no/where.html: error: No "
	    "such file or directory"},
	{"report db#1", "db: error: no such store"},
	{"diff a.json", "expected BEFORE AFTER"},
	{"diff a.json a.json --q 7", "--q: '7' is not a number from 0 to 1"},
	{"diff a.json a.json --history none", "none: error: no such store"},
	{"merge", "expected FILE..."},
	{"merge a.json a.json", "shard 1 is there twice"},
	{"store s.db", "expected DB ACTION"},
	{"store s.db list", "s.db: error: no such store"},
	{"store s.db eat", "no action 'eat'"},
	{"store s.db add", "add: 0 arguments, expected at least 1"},
	{"store s.db add bad.json", "bad.json:2:13: error: hardware"},
	{"judge a.json", "MP+weak: error: "},
	{"judge none.json", "none.json: error: No such file"},
};

START_TEST(misuse_is_told)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 3});
	put("bad.json", "{\"format\": \"x\",\n\"hardware\": no}\n");
	ck_assert_int_eq(run_there(misuses[_i].args), 2);
	said("err", misuses[_i].error);
}
END_TEST

/* A page that was there stays whole if the new one cannot be written. */
START_TEST(a_full_disk_leaves_no_half_page)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 100});
	put("page.html", "the old page");
	if (access("/dev/full", W_OK) != 0)
		return;
	ck_assert_int_eq(run_there("report a.json --html /dev/full"), 2);
	said("err", "/dev/full: error: cannot be written");
	ck_assert_int_eq(run_there("report a.json --html page.html"), 0);
	said("page.html", "<!doctype html>");
}
END_TEST

/* ---- diff, store ------------------------------------------------------- */

START_TEST(diff_and_store_from_the_shell)
{
	put_sample("a.json", &(struct sample){.seed = 1, .tests = 200,
	    .noise = 0.1});
	put_sample("b.json", &(struct sample){.seed = 2, .tests = 200,
	    .noise = 0.1});
	put_sample("c.json", &(struct sample){.seed = 3, .tests = 200,
	    .noise = 0.1, .faster = 50});
	put_sample("d.json", &(struct sample){.seed = 4, .tests = 200,
	    .noise = 0.1, .forbidden = 1});
	ck_assert_int_eq(run_there("diff a.json b.json"), 0);
	ck_assert_int_eq(run_there("diff a.json c.json"), 0);
	ck_assert_int_eq(run_there("diff a.json c.json --fail-on any"), 1);
	ck_assert_int_eq(run_there("diff a.json d.json"), 1);
	ck_assert_int_eq(run_there("diff a.json d.json --fail-on never"), 0);
	ck_assert_int_eq(run_there("diff a.json d.json --json d --html e "
	    "--markdown f"), 1);
	json_decref(document("d"));
	ck_assert_int_eq(run_there("store s.db add a.json b.json d.json"),
	    0);
	said("out", "s.db#3");
	ck_assert_int_eq(run_there("diff s.db#1 s.db#last"), 1);
	ck_assert_int_eq(run_there("diff s.db#1 s.db#2 --history s.db"), 0);
	ck_assert_int_eq(run_there("store s.db list"), 0);
	said("out", "200 tests    1 failed");
	ck_assert_int_eq(run_there("store s.db history 'MP+weak'"), 0);
	said("out", "MP+weak: pass");
	ck_assert_int_eq(run_there("store s.db compare --html c.html"), 0);
	ck_assert_int_eq(run_there("store s.db export 2 -o b2.json"), 0);
	ck_assert_int_eq(run_there("diff b.json b2.json --fail-on any"), 0);
	ck_assert_int_eq(run_there("store s.db remove 2"), 0);
	ck_assert_int_eq(run_there("store s.db export 2"), 2);
}
END_TEST

/* ---- real runs, of the software machine -------------------------------- */

static const char suite[] =
    "name: MP\n"
    "locations: {x: 0, y: 0}\n"
    "threads:\n"
    "  - cta: 0\n"
    "    code: |\n"
    "      st.weak.u32 [x], 1;\n"
    "      {write} [y], 1;\n"
    "  - cta: 1\n"
    "    code: |\n"
    "      {read} r0, [y];\n"
    "      ld.weak.u32 r1, [x];\n"
    "exists: 1:r0 == 1 && 1:r1 == 0\n"
    "variants:\n"
    "  relaxed: {write: st.relaxed.gpu.u32, read: ld.relaxed.gpu.u32}\n"
    "  volatile: {write: st.volatile.u32, read: ld.volatile.u32}\n"
    "  acq: {write: st.release.gpu.u32, read: ld.acquire.gpu.u32}\n"
    "  cta: {write: st.release.cta.u32, read: ld.acquire.cta.u32}\n"
    "  sys: {write: st.release.sys.u32, read: ld.acquire.sys.u32}\n";

#define RUN "run --device sim -n 1k --seed 7 -q -j 1 mp.yaml "

START_TEST(shards_of_a_run_merge_to_the_run)
{
	int i;

	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o whole.json"), 0);
	for (i = 1; i <= 3; i++)
		ck_assert_int_eq(run_there(arena_printf(arena, RUN
		    "-o %d.json --shard %d/3", i, i)), 0);
	ck_assert_int_eq(run_there("merge 3.json 1.json 2.json -o m.json"),
	    0);
	expect_same("whole.json", "m.json");
	ck_assert_int_eq(run_there("merge 3.json 1.json -o n.json"), 2);
	said("err", "1 of 3 shards missing, the first is shard 2");
	ck_assert_int_eq(access(arena_printf(arena, "%s/n.json", folder),
	    F_OK), -1);
	ck_assert_int_eq(run_there("merge 3.json 1.json --partial -o n.json"),
	    0);
	ck_assert_int_eq(run_there("report n.json --gate"), 2);
}
END_TEST

START_TEST(judging_again_changes_nothing)
{
	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o a.json"), 0);
	ck_assert_int_eq(run_there("judge a.json -o b.json"), 0);
	said("out", "0 of 5 tests are judged otherwise under ptx");
	expect_same("a.json", "b.json");
}
END_TEST

/* Moves a share of one outcome to the one that the test is about. */
static void
forge(json_t *root, const char *name)
{
	size_t i;
	json_t *test;

	json_array_foreach(json_object_get(root, "tests"), i, test) {
		json_t *rows = json_object_get(test, "histogram"), *row;
		json_int_t n;

		if (strcmp(json_string_value(json_object_get(test, "name")),
		    name) != 0)
			continue;
		row = json_array_get(rows, 0);
		n = json_integer_value(json_object_get(row, "count"));
		json_object_set_new(row, "count", json_integer(n - 3));
		json_array_append_new(rows, json_pack(
		    "{s:[i, i], s:i, s:s, s:b}", "values", 1, 0, "count", 3,
		    "class", "sc", "target", 0));
	}
}

START_TEST(judging_again_finds_what_was_missed)
{
	json_t *root;
	char *text;

	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o a.json"), 0);
	root = document("a.json");
	forge(root, "MP+acq");
	text = json_dumps(root, 0);
	put("forged.json", text);
	free(text);
	json_decref(root);
	ck_assert_int_eq(run_there("judge forged.json -o b.json"), 1);
	said("out", "MP+acq: the model said forbidden, now forbidden; "
	    "verdict pass, now forbidden");
	ck_assert_int_eq(run_there("report b.json --gate"), 1);
	said("b.json", "\"explanation\"");
	ck_assert_int_eq(run_there("diff a.json b.json"), 1);
}
END_TEST

/* An environment is a record that nobody looks into. */
START_TEST(judging_again_refuses_numbers_too_large)
{
	const char number[] = "1111111111111111111";
	json_t *root, *env;
	char *text, *at;

	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o a.json"), 0);
	root = document("a.json");
	env = json_array_get(json_object_get(json_array_get(json_object_get(
	    root, "tests"), 0), "environments"), 0);
	ck_assert_int_eq(json_object_set_new(json_object_get(env, "env"),
	    "role_shift", json_integer(1111111111111111111)), 0);
	text = json_dumps(root, 0);
	json_decref(root);
	at = strstr(text, number);
	ck_assert_ptr_nonnull(at);
	memset(at, '9', sizeof(number) - 1);
	put("big.json", text);
	free(text);
	ck_assert_int_eq(run_there("judge big.json"), 2);
	said("err", "error: too big integer");
}
END_TEST

START_TEST(judging_again_needs_the_source_that_ran)
{
	json_t *root, *test;
	char *text;

	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o a.json"), 0);
	root = document("a.json");
	test = json_array_get(json_object_get(root, "tests"), 1);
	json_object_set_new(test, "source_hash",
	    json_string("0000000000000000"));
	text = json_dumps(root, 0);
	put("b.json", text);
	free(text);
	ck_assert_int_eq(run_there("judge b.json"), 2);
	said("err", "MP+volatile: error: its source hashes to ");
	json_object_del(json_array_get(json_object_get(root, "tests"), 0),
	    "source");
	text = json_dumps(root, 0);
	put("c.json", text);
	free(text);
	json_decref(root);
	ck_assert_int_eq(run_there("judge c.json"), 2);
	said("err", "--tests says where it is");
	ck_assert_int_eq(run_there("judge c.json --tests mp.yaml"), 2);
	said("err", "MP+volatile");
}
END_TEST

START_TEST(other_versions_judge_otherwise)
{
	put("mp.yaml", suite);
	ck_assert_int_eq(run_there(RUN "-o a.json"), 0);
	ck_assert_int_eq(run_there("judge a.json --model ptx-6.0 -o b.json"),
	    0);
	said("b.json", "\"model\": \"ptx-6.0\"");
	said("b.json", "judged again under ptx-6.0");
}
END_TEST

Suite *suite_commands(void);
Suite *
suite_commands(void)
{
	Suite *s = suite_create("commands");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, report_writes_what_is_asked_for);
	tcase_add_test(t, github_summary_is_added_to);
	tcase_add_loop_test(t, the_gate_says_what_the_run_would_have, 0,
	    sizeof(gates) / sizeof(*gates));
	tcase_add_test(t, several_documents_stand_side_by_side);
	tcase_add_loop_test(t, misuse_is_told, 0,
	    sizeof(misuses) / sizeof(*misuses));
	tcase_add_test(t, a_full_disk_leaves_no_half_page);
	tcase_add_test(t, diff_and_store_from_the_shell);
	tcase_add_test(t, shards_of_a_run_merge_to_the_run);
	tcase_add_test(t, judging_again_changes_nothing);
	tcase_add_test(t, judging_again_finds_what_was_missed);
	tcase_add_test(t, judging_again_needs_the_source_that_ran);
	tcase_add_test(t, judging_again_refuses_numbers_too_large);
	tcase_add_test(t, other_versions_judge_otherwise);
	suite_add_tcase(s, t);
	return s;
}
