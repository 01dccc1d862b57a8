/* model, explain, weaken, live, gen and convert from the command line */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "help_external.h"

static char folder[64];
static char out[1 << 18]; /* of the last command, both streams */

/* Runs `fencepost ARGS` in the test's folder; its exit status. */
static int
fencepost(const char *args)
{
	const char *program = getenv("FENCEPOST");
	char command[9000], path[4096];
	size_t n;
	FILE *f;

	if (!program)
		program = "build/fencepost";
	ck_assert_ptr_nonnull(realpath(program, path));
	snprintf(command, sizeof(command), "cd %s && %s %s 2>&1", folder,
	    path, args);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	n = fread(out, 1, sizeof(out) - 1, f);
	out[n] = '\0';
	return WEXITSTATUS(pclose(f));
}

static void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static const char mp[] =
	"name: MP\n"
	"locations: {data: 0, flag: 0}\n"
	"threads:\n"
	"  - cta: 0\n"
	"    code: |\n"
	"      st.weak.global.u32 [data], 1;\n"
	"      {write}.global.u32 [flag], 1;\n"
	"  - cta: 1\n"
	"    code: |\n"
	"      {read}.global.u32 r0, [flag];\n"
	"      ld.weak.global.u32 r1, [data];\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n"
	"variants:\n"
	"  relaxed: {write: st.relaxed.gpu, read: ld.relaxed.gpu,"
	" expect: allowed}\n"
	"  both: {write: st.release.gpu, read: ld.acquire.gpu,"
	" expect: forbidden}\n";

static const char lock[] =
	"PTX lock\n{ l=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
	"LC00: | LC00: ;\n"
	"atom.acquire.gpu.cas r0, l, 0, 1 | atom.acquire.gpu.cas r0, l, 0, 1 "
	";\nbne r0, 0, LC00 | bne r0, 0, LC00 ;\n"
	"st.release.gpu l, 0 | st.release.gpu l, 0 ;\nexists (l == 0)\n";

static void
setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/fencepost-tools-%d",
	    (int)getpid());
	snprintf(out, sizeof(out), "mkdir -p %s", folder);
	ck_assert_int_eq(system(out), 0);
	put("mp.yaml", mp);
	put("lock.litmus", lock);
}

static void
teardown(void)
{
	snprintf(out, sizeof(out), "rm -r %s", folder);
	ck_assert_int_eq(system(out), 0);
}

static const struct {
	const char *args;
	int status;
	const char *words[4]; /* the first is all of it if the second is "" */
} runs[] = {
	/* model */
	{"model -q mp.yaml", 0,
	    {"MP+relaxed: allowed\nMP+both: forbidden\n", ""}},
	{"model mp.yaml -f '*+both'", 0, {"MP+both: forbidden\n"
	    "  exists (1:r0 == 1 && 1:r1 == 0)\n"
	    "    1:r0=0 1:r1=0  sc\n    1:r0=0 1:r1=1  sc\n"
	    "    1:r0=1 1:r1=1  sc\n    3 of 4 allowed\n", ""}},
	{"model mp.yaml -f '*+relaxed'", 0,
	    {"  * 1:r0=1 1:r1=0  weak\n"}},
	{"model mp.yaml -f none", 4, {"no test is selected"}},
	{"model none.yaml", 2, {"none.yaml: error: No such file"}},
	{"model -m ptx-5.0 mp.yaml", 2, {"--model: 'ptx-5.0' is none of "
	    "ptx-6.0, ptx-7.5, ptx"}},
	{"model -m ptx-6.0 -q mp.yaml", 0, {"MP+both: forbidden"}},
	{"model -q lock.litmus", 0, {"lock: allowed\n", ""}},
	/* explain */
	{"explain mp.yaml:MP+relaxed", 0,
	    {"MP+relaxed: 1:r0=1 1:r1=0 is allowed\n",
	    "nothing releases: b is no release",
	    "P0 line 7: st.relaxed.gpu -> st.release.gpu"}},
	{"explain mp.yaml:MP+both", 0, {"is forbidden\n",
	    "Causality (ISA 8.10.6)",
	    "P1 line 10: ld.acquire.gpu -> ld.relaxed.gpu"}},
	{"explain mp.yaml:MP+both '1:r0 == 0'", 0,
	    {"is allowed (an interleaving gives it)"}},
	{"explain mp.yaml:MP+both '1:r0 == 2'", 2,
	    {"no final state of MP+both is such"}},
	{"explain mp.yaml:MP+both '1:r9 == 2'", 2,
	    {"OUTCOME:1:3: error: thread 1 has no register 'r9' (r0, r1)"}},
	{"explain mp.yaml:MP+both '[data] == 2'", 2,
	    {"MP+both does not observe [data]"}},
	{"explain mp.yaml", 2, {"'mp.yaml' holds 2 tests; say which"}},
	{"explain -f svg mp.yaml:MP+both", 0, {"<svg xmlns"}},
	{"explain -f dot mp.yaml:MP+both", 0, {"digraph \"MP+both\""}},
	{"explain -f dot -o a.dot mp.yaml:MP+both && cat a.dot", 0,
	    {"digraph \"MP+both\""}},
	{"explain -o no/a.svg mp.yaml:MP+both", 2, {"no/a.svg: error:"}},
	{"explain", 2, {"explain: expected TEST [OUTCOME]"}},
	{"explain bulk-store+read", 0, {"cp.async.bulk.wait_group.read -> cp.async.bulk.wait_group\n",
	    "by analogy, as to the async proxy"}},
	{"explain DeepEP-621+found", 0, {"the copy writes 2 to buf",
	    "fence.proxy.async before mbarrier.arrive.release.cta"}},
	{"explain bulk-load+expected", 0, {"is ordered, by issue or "
	    "completion of a copy, before", "synchronizes with"}},
	/* weaken */
	{"weaken mp.yaml:MP+both", 0,
	    {"MP+both: nothing can be weaker: every annotation is needed.\n"
	    "MP+both: nearest forms that allow it, its broken twins:\n"
	    "   1 step   P0 line 7: st.release.gpu -> st.release.cta\n"
	    "   1 step   P0 line 7: st.release.gpu -> st.relaxed.gpu\n"
	    "   1 step   P1 line 10: ld.acquire.gpu -> ld.acquire.cta\n"
	    "   1 step   P1 line 10: ld.acquire.gpu -> ld.relaxed.gpu\n",
	    ""}},
	{"weaken mp.yaml:MP+relaxed", 0, {"nothing to weaken: the outcome is "
	    "allowed as it is"}},
	{"weaken -t -y mp.yaml:MP+both >twins.yaml && "
	    "$FENCEPOST_HERE model -q twins.yaml", 0,
	    {"MP+both+P0.1-st.release.cta: allowed\n"
	    "MP+both+P0.1-st.relaxed.gpu: allowed\n"
	    "MP+both+P1.0-ld.acquire.cta: allowed\n"
	    "MP+both+P1.0-ld.relaxed.gpu: allowed\n", ""}},
	/* live */
	{"live -q mp.yaml lock.litmus", 0,
	    {"MP+relaxed: ends\nMP+both: ends\nlock: ends\n", ""}},
	{"live -p obe lock.litmus", 0, {"lock: every execution ends"}},
	{"live -p hsa lock.litmus", 1, {"P1 may be left out, line 7"}},
	{"live -p lobe -q mp.yaml -f '*+both'", 0, {"MP+both: ends\n", ""}},
	{"live -p unfair lock.litmus", 1,
	    {"lock: an execution need not end (scheduling: unfair)"}},
	{"live -p best lock.litmus", 2, {"--progress"}},
	/* gen */
	{"gen 'PodWW release.gpu Rfe acquire.gpu PodRR Fre' >g.yaml && "
	    "$FENCEPOST_HERE model -q g.yaml", 0,
	    {"MP+po-release.gpu+acquire.gpu-po: forbidden\n", ""}},
	{"gen -s weak -p same -t litmus 'PodWR Fre PodWR Fre'", 0,
	    {"PTX SB+pos+weak+same\n", "P1@cta 0,gpu 0"}},
	{"gen --shapes 2 -l", 0, {"MP+pos\tPodWW Rfe PodRR Fre\n"}},
	{"gen --shapes 4 >all.yaml && $FENCEPOST_HERE model -q all.yaml | "
	    "grep -c allowed", 0, {"68\n", ""}},
	{"gen --shapes 3 -o . && ls *+pos.yaml | wc -l", 0, {"23\n"}},
	{"gen 'PodWW Rfe PodWR Fre'", 2, {"cycle:1:11: error: 'PodWR' starts "
	    "at a write, but 'Rfe' ends at a read\n  PodWW Rfe PodWR Fre\n"
	    "            ^\n"}},
	{"gen", 2, {"usage"}},
	/* convert */
	{"convert mp.yaml -f '*+both'", 0, {"PTX MP+both\n",
	    "st.release.gpu flag, 1"}},
	{"convert mp.yaml -f '*+both' >b.litmus && $FENCEPOST_HERE convert "
	    "b.litmus >b.yaml && $FENCEPOST_HERE model -q b.litmus b.yaml", 0,
	    {"MP+both: forbidden\n", ""}},
	{"convert lock.litmus", 0, {"atom.acquire.gpu.global.cas.b32 r0, "
	    "[l], 0, 1;"}},
	{"convert -t litmus lock.litmus", 0,
	    {"atom.acquire.gpu.cas r0, l, 0, 1"}},
	{"convert mp.yaml -o . 2>&1 && ls MP*.litmus | wc -l", 0,
	    {"fencepost: 2 written to ., 0 not\n2\n"}},
	{"convert bar.litmus", 2, {"bar.litmus:1:1: error: bar would mean "
	    "something else in that format"}},
	{"convert red.litmus", 2, {"red.litmus:4:1: error: YAML cannot say "
	    "this test"}},
	{"convert warm.yaml", 2, {"warm.yaml:4:5: error: the .litmus format "
	    "cannot say this: warm locations"}},
};

START_TEST(commands_do_as_they_say)
{
	char here[4096];
	int status, i;

	ck_assert_ptr_nonnull(realpath(getenv("FENCEPOST") ?
	    getenv("FENCEPOST") : "build/fencepost", here));
	setenv("FENCEPOST_HERE", here, 1);
	put("bar.litmus", "PTX bar\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 "
	    ";\nbar.cta.sync 1 | ld.weak r0, x ;\nst.weak x, 1 | "
	    "bar.cta.sync 2 ;\nexists (P1:r0 == 1)\n");
	put("red.litmus", "PTX red\n{ x=0; }\nP0@cta 0,gpu 0 ;\n"
	    "red.acq_rel.sys.add x, 1 ;\nexists (x == 1)\n");
	put("warm.yaml", "name: W\nlocations: {x: 0}\nthreads:\n"
	    "  - {warm: [x], code: \"ld.u32 r0, [x];\"}\n"
	    "exists: \"0:r0 == 0\"\n");
	status = fencepost(runs[_i].args);
	ck_assert_msg(status == runs[_i].status, "%s: status %d\n%s",
	    runs[_i].args, status, out);
	if (runs[_i].words[1] && !*runs[_i].words[1]) {
		ck_assert_str_eq(out, runs[_i].words[0]);
		return;
	}
	for (i = 0; i < 4 && runs[_i].words[i]; i++)
		ck_assert_msg(strstr(out, runs[_i].words[i]) != NULL,
		    "%s: '%s' is not in\n%s", runs[_i].args,
		    runs[_i].words[i], out);
}
END_TEST

START_TEST(json_says_the_same)
{
	json_t *o, *tests, *both, *outcomes;
	json_error_t error;

	ck_assert_int_eq(fencepost("model --json mp.yaml"), 0);
	o = json_loads(out, 0, &error);
	ck_assert_msg(o != NULL, "%s", error.text);
	ck_assert_str_eq(json_string_value(json_object_get(o, "model")),
	    "ptx");
	tests = json_object_get(o, "tests");
	ck_assert_uint_eq(json_array_size(tests), 2);
	both = json_array_get(tests, 1);
	ck_assert_str_eq(json_string_value(json_object_get(both, "name")),
	    "MP+both");
	ck_assert_str_eq(json_string_value(json_object_get(both, "verdict")),
	    "forbidden");
	ck_assert_str_eq(json_string_value(json_object_get(both, "expect")),
	    "forbidden");
	ck_assert(json_is_false(json_object_get(both, "statement")));
	outcomes = json_object_get(both, "outcomes");
	ck_assert_uint_eq(json_array_size(outcomes), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(
	    json_array_get(outcomes, 2), "state"), "1:r1")), 1);
	json_decref(o);
}
END_TEST

START_TEST(a_wrong_expectation_is_found)
{
	put("wrong.yaml", "name: T\nlocations: {x: 0}\nthreads:\n"
	    "  - {code: \"st.u32 [x], 1;\"}\nexists: \"[x] == 1\"\n"
	    "expect: forbidden\n");
	ck_assert_int_eq(fencepost("model -q wrong.yaml"), 1);
	ck_assert_str_eq(out,
	    "T: allowed, but line 6 expects forbidden\n");
}
END_TEST

START_TEST(lists_are_compared)
{
	put("a.csv", "// a comment\n\nlock.litmus,1\n");
	ck_assert_int_eq(fencepost("model -a a.csv"), 0);
	ck_assert_str_eq(out, "lock.litmus: true\n"
	    "1 agree with a.csv, 0 differ (model ptx)\n");
	ck_assert_int_eq(fencepost("live -a a.csv"), 0);
	ck_assert_int_eq(fencepost("live -p unfair -a a.csv"), 1);
	ck_assert_str_eq(out, "lock.litmus: may hang, the list says it ends\n"
	    "0 agree with a.csv, 1 differ (scheduling: unfair)\n");
	put("b.csv", "lock.litmus,0\nnone.litmus,1\n");
	ck_assert_int_eq(fencepost("model -q -a b.csv"), 1);
	ck_assert_ptr_nonnull(strstr(out, "lock.litmus: the statement is "
	    "true, the list says false\n"));
	ck_assert_ptr_nonnull(strstr(out, "none.litmus: error: "));
	ck_assert_ptr_nonnull(strstr(out, "0 agree with b.csv, 2 differ"));
	put("c.csv", "lock.litmus\n");
	ck_assert_int_eq(fencepost("model -a c.csv"), 2);
	ck_assert_ptr_nonnull(strstr(out,
	    "c.csv:1:1: error: expected FILE,0 or FILE,1"));
	put("d.csv", "lock.litmus,1\nlock.litmus,2\n");
	ck_assert_int_eq(fencepost("live -a d.csv"), 2);
	ck_assert_ptr_nonnull(strstr(out, "d.csv:2:1: error: expected"));
	ck_assert_int_eq(fencepost("model -a none.csv"), 2);
}
END_TEST

/* The measures of the external suite, by the commands that people use. */
START_TEST(the_external_lists_agree)
{
	static const char *const lists[] = {
		"model -q -m ptx-6.0 -a %s/expected-v6.0.csv",
		"model -q -m ptx -a %s/expected-v6.0.csv",
		"model -q -m ptx-7.5 -a %s/expected-v7.5.csv",
		"model -q -m ptx -a %s/expected-v7.5.csv",
		"live -q -a %s/expected-liveness.csv",
	};
	static const char *const sums[] = {"73 agree", "73 agree",
		"152 agree", "152 agree", "59 agree"};
	const char *dat3m = external_dat3m();
	char path[4096], args[4400];
	size_t i;

	if (!dat3m)
		return;
	ck_assert_ptr_nonnull(realpath(dat3m, path));
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		snprintf(args, sizeof(args), "%.*s%s%s",
		    (int)(strstr(lists[i], "%s") - lists[i]), lists[i], path,
		    strstr(lists[i], "%s") + 2);
		ck_assert_msg(fencepost(args) == 0, "%s\n%s", args, out);
		ck_assert_msg(strncmp(out, sums[i], strlen(sums[i])) == 0,
		    "%s", out);
		ck_assert_ptr_nonnull(strstr(out, ", 0 differ"));
	}
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_tools(void);

Suite *
suite_tools(void)
{
	Suite *s = suite_create("tools");
	TCase *c = tcase_create("tools");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, commands_do_as_they_say, 0, COUNT(runs));
	tcase_add_test(c, json_says_the_same);
	tcase_add_test(c, a_wrong_expectation_is_found);
	tcase_add_test(c, lists_are_compared);
	tcase_add_test(c, the_external_lists_agree);
	suite_add_tcase(s, c);
	return s;
}
