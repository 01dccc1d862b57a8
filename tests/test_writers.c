/* JUnit, GitHub, Markdown, HTML, quarantine */
#include <check.h>
#include <math.h>
#include <mxml.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../reports/reports.h"
#include "help_page.h"
#include "help_sample.h"

static const struct sample samples[] = {
	{.seed = 1, .tests = 200, .primitives = 20, .forbidden = 3},
	{.seed = 2, .tests = 50, .sim = true},
	{.seed = 3, .tests = 60, .gpus = 3, .primitives = 5},
	{.seed = 4, .tests = 40, .hostile = true, .primitives = 10,
	    .forbidden = 2},
	{.seed = 5, .tests = 0},
	{.seed = 6, .tests = 2500, .primitives = 3},
};

#define NSAMPLES (sizeof(samples) / sizeof(*samples))

/* What a writer writes, in the arena. */
static const char *
written(void (*write)(FILE *f, const struct document *d),
    const struct document *d, struct arena *a)
{
	char *s = NULL, *copy;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	write(f, d);
	ck_assert(!ferror(f));
	fclose(f);
	copy = arena_strndup(a, s, size);
	free(s);
	return copy;
}

/* True, and said aloud, where the program is missing. */
static bool
skip_without(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1",
	    program);
	if (system(command) == 0)
		return false;
	fprintf(stderr, "SKIPPED: %s is not installed\n", program);
	return true;
}

static int
count_of(const char *s, const char *what)
{
	int n = 0;

	while ((s = strstr(s, what)))
		n++, s += strlen(what);
	return n;
}

/* ---- JUnit ------------------------------------------------------------- */

START_TEST(junit_fits_its_schema)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[_i], a);
	const char *s = written(junit_write, &d, a);
	FILE *f;

	if (skip_without("xmllint")) {
		arena_free(a);
		return;
	}
	f = popen("xmllint --noout --schema tests/junit.xsd - 2>&1", "w");
	ck_assert_ptr_nonnull(f);
	fputs(s, f);
	ck_assert_int_eq(pclose(f), 0);
	arena_free(a);
}
END_TEST

static int
attribute(mxml_node_t *node, const char *name)
{
	const char *s = mxmlElementGetAttr(node, name);

	ck_assert_ptr_nonnull(s);
	return atoi(s);
}

START_TEST(junit_tells_failures_from_errors_from_skips)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[0], a);
	mxml_node_t *xml, *root;
	const char *s;

	d.tests[0].verdict = VERDICT_CORRUPT;
	d.tests[1].verdict = VERDICT_NOT_RUN;
	d.tests[2].verdict = VERDICT_HANG;
	s = written(junit_write, &d, a);
	xml = mxmlLoadString(NULL, s, MXML_OPAQUE_CALLBACK);
	root = mxmlFindElement(xml, xml, "testsuites", NULL, NULL,
	    MXML_DESCEND);
	ck_assert_ptr_nonnull(root);
	ck_assert_int_eq(attribute(root, "tests"), 220);
	ck_assert_int_eq(attribute(root, "tests"), count_of(s,
	    "<testcase "));
	/* two twins that were not caught, three forbidden, one hang */
	ck_assert_int_eq(attribute(root, "failures"), 6);
	ck_assert_int_eq(attribute(root, "errors"), 1);
	ck_assert_int_eq(attribute(root, "skipped"), 1);
	ck_assert_int_eq(count_of(s, "<failure "), 6);
	ck_assert_int_eq(count_of(s, "<error "), 1);
	ck_assert_int_eq(count_of(s, "<skipped "), 1);
	mxmlDelete(xml);
	arena_free(a);
}
END_TEST

START_TEST(junit_says_when_no_gpu_was_there)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[1], a);
	const char *s = written(junit_write, &d, a);

	ck_assert_int_ge(count_of(s, "no GPU"), 2);
	arena_free(a);
}
END_TEST

/* ---- GitHub ------------------------------------------------------------ */

START_TEST(github_annotates_the_line_of_the_test)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[0], a);
	const char *s = written(github_write, &d, a);

	ck_assert_ptr_nonnull(strstr(s, "::error file=litmus/MP/MP.yaml,"
	    "line=16,title=MP+acq_rel.gpu::the model forbids what 3 "
	    "instances showed%0Areplay: "));
	ck_assert_ptr_nonnull(strstr(s,
	    "::error title=ticket_lock_cta::not-caught"));
	arena_free(a);
}
END_TEST

/* A line that does not start with our command would be one of theirs. */
START_TEST(github_lets_no_name_speak)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[3], a);
	const char *s = written(github_write, &d, a);

	ck_assert_int_gt(count_of(s, "::error "), 0);
	for (; *s; s = strchr(s, '\n') + 1) {
		ck_assert(strncmp(s, "::error ", 8) == 0 ||
		    strncmp(s, "::warning ", 10) == 0);
		ck_assert_ptr_nonnull(strchr(s, '\n'));
	}
	arena_free(a);
}
END_TEST

START_TEST(github_stops_at_ten_of_a_kind)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&(struct sample){.seed = 1,
	    .tests = 900, .forbidden = 40}, a);
	const char *s = written(github_write, &d, a);

	ck_assert_int_eq(count_of(s, "::error file="), 9);
	ck_assert_int_eq(count_of(s,
	    "::error::and 31 more; the summary lists them all"), 1);
	arena_free(a);
}
END_TEST

/* ---- Markdown ---------------------------------------------------------- */

/* Every '<' is one of ours, and no table row gained a column. */
START_TEST(markdown_lets_no_name_speak)
{
	static const char *const ours[] = {
		"<code>", "</code>", "<details>", "</details>", "<summary>",
		"</summary>", NULL,
	};
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[_i], a);
	const char *s = written(markdown_write, &d, a), *at;
	int k;

	for (at = strchr(s, '<'); at; at = strchr(at + 1, '<')) {
		for (k = 0; ours[k]; k++)
			if (strncmp(at, ours[k], strlen(ours[k])) == 0)
				break;
		ck_assert_msg(ours[k], "%.40s", at);
	}
	ck_assert_ptr_null(strstr(s, "::error"));
	ck_assert_ptr_null(strchr(s, '\x1b'));
	arena_free(a);
}
END_TEST

START_TEST(markdown_fits_a_job_summary)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&(struct sample){.seed = 1,
	    .tests = 10000, .forbidden = 500, .primitives = 300}, a);

	ck_assert_uint_lt(strlen(written(markdown_write, &d, a)), 1 << 20);
	arena_free(a);
}
END_TEST

/* ---- HTML -------------------------------------------------------------- */

static void
write_inline(FILE *f, const struct document *d)
{
	html_write(f, d, &(struct html_options){NULL, HTML_DETAILS});
}

static void
write_linked(FILE *f, const struct document *d)
{
	html_write(f, d, &(struct html_options){"fencepost.css", 10});
}

START_TEST(html_is_sound)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[_i], a);
	char why[256];

	ck_assert_msg(page_check(written(write_inline, &d, a), why,
	    sizeof(why)), "%s", why);
	ck_assert_msg(page_check(written(write_linked, &d, a), why,
	    sizeof(why)), "%s", why);
	arena_free(a);
}
END_TEST

/* The checker itself must be able to fail. */
static const struct {
	const char *html, *why;
} unsound[] = {
	{"<p>", "no doctype"},
	{"<!doctype html>\n<script>", "a tag that is not ours"},
	{"<!doctype html>\n<p><b></p></b>", "closes what is not open"},
	{"<!doctype html>\n<p>", "never closed"},
	{"<!doctype html>\n<p style=\"x\"></p>",
	    "an attribute that is not ours"},
	{"<!doctype html>\n<p onclick=\"x\"></p>",
	    "an attribute that is not ours"},
	{"<!doctype html>\n<a href=\"#x\"></a>", "a link to nothing"},
	{"<!doctype html>\n<a href=\"https://x\"></a>",
	    "a link that leads out"},
	{"<!doctype html>\n<p id=\"a\"></p><p id=\"a\"></p>",
	    "an id that is there twice"},
};

START_TEST(unsound_html_is_found)
{
	char why[256];

	ck_assert(!page_check(unsound[_i].html, why, sizeof(why)));
	ck_assert_msg(strncmp(why, unsound[_i].why, strlen(unsound[_i].why))
	    == 0, "%s", why);
}
END_TEST

START_TEST(html_tells_the_whole_story)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[0], a);
	const char *s = written(write_inline, &d, a);

	ck_assert_int_eq(count_of(s, "<details class=\"test\""), 200);
	ck_assert_int_eq(count_of(s, "<details class=\"test\" open"), 3);
	ck_assert_int_eq(count_of(s, "aria-label=\"FORBIDDEN, AND IT "
	    "SHOWED\""), 4); /* the legend and three cells */
	ck_assert_int_gt(count_of(s, "aria-label=\"execution graph\""), 50);
	ck_assert_int_eq(count_of(s, "aria-label=\"medians with their "
	    "spread"), 3);
	ck_assert_ptr_nonnull(strstr(s, "<h1>fencepost: 5 of 220 failed"));
	ck_assert_ptr_null(strstr(s, "no GPU was involved"));
	d = sample_document(&samples[1], a);
	s = written(write_inline, &d, a);
	ck_assert_ptr_nonnull(strstr(s, "no GPU was involved"));
	arena_free(a);
}
END_TEST

/* ---- quarantine -------------------------------------------------------- */

static const struct {
	const char *text, *message;
} bad_lists[] = {
	{"soon MP+weak flaky", "q:1:1: 'soon' is not a last day such as "
	    "2026-12-31"},
	{"2026-13-01 MP+weak flaky", "q:1:1: '2026-13-01' is not a last day "
	    "such as 2026-12-31"},
	{"\n  2026-12-31", "q:2:13: expected the name of a test, or a glob"},
	{"2026-12-31 MP+weak", "q:1:19: expected a reason: what is known, "
	    "and where"},
	{"2026-12-31 MP+weak @*H200*", "q:1:27: expected a reason: what is "
	    "known, and where"},
};

START_TEST(bad_quarantine_is_refused)
{
	struct arena *a = arena_new();
	struct source source = {"q", bad_lists[_i].text,
	    strlen(bad_lists[_i].text)};
	struct quarantine q;
	struct errs errs = {0};

	ck_assert(!quarantine_read(&source, a, &q, &errs));
	ck_assert_int_eq(errs.count, 1);
	ck_assert_str_eq(arena_printf(a, "%s:%d:%d: %s",
	    errs.list[0].loc.source, errs.list[0].loc.line,
	    errs.list[0].loc.column, errs.list[0].message),
	    bad_lists[_i].message);
	arena_free(a);
}
END_TEST

static const struct {
	const char *list;
	int pardoned;
} lists[] = {
	{"", 0},
	{"# nothing\n\n", 0},
	{"2026-12-31 MP+acq_rel.gpu known since driver 580\n", 1},
	{"2026-01-31 MP+acq_rel.gpu the last day counts\n", 1},
	{"2026-01-30 MP+acq_rel.gpu the day after does not\n", 0},
	{"2026-12-31 *+acq_rel.* @*H200* a GPU by its name\n", 3},
	{"2026-12-31 *+acq_rel.* @*B200* another GPU\n", 0},
	{"2026-12-31 SB+weak passes anyway\n", 0},
};

START_TEST(quarantine_pardons_for_a_time)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[0], a);
	struct source source = {"q", lists[_i].list, strlen(lists[_i].list)};
	struct quarantine q;
	struct errs errs = {0};
	struct summary s;

	d.nprimitives = 0;
	ck_assert(quarantine_read(&source, a, &q, &errs));
	quarantine_apply(&q, &d);
	summary_make(&s, &d);
	ck_assert_uint_eq(s.pardoned, (uint64_t)lists[_i].pardoned);
	ck_assert_int_eq(s.exit, lists[_i].pardoned < 3);
	ck_assert_int_eq(count_of(written(junit_write, &d, a), "<failure "),
	    3 - lists[_i].pardoned);
	ck_assert_int_eq(count_of(written(github_write, &d, a),
	    "::error file="), 3 - lists[_i].pardoned);
	arena_free(a);
}
END_TEST

/* ---- size -------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 20 /* times */
#else
#define SLOW 1
#endif

/* Runs the program; CPU seconds and peak bytes. */
static void
measure(char *const *argv, double *seconds, double *bytes)
{
	struct rusage use;
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	ck_assert_int_eq(wait4(pid, &status, 0, &use), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_lt(WEXITSTATUS(status), 2);
	*seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	    1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
	*bytes = 1024.0 * (double)use.ru_maxrss;
}

/* In a process of its own: a child counts its parent's peak memory. */
static void
make_sample(const struct sample *s, const char *path)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		json_t *root = sample_json(s);

		_exit(json_dump_file(root, path, JSON_INDENT(1)) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(ten_thousand_tests_in_time)
{
	const char *program = getenv("FENCEPOST");
	struct arena *a = arena_new();
	struct sample s = {.seed = 1, .tests = 10000, .primitives = 40,
	    .noise = 0.2};
	const char *before = arena_printf(a, "/tmp/fencepost-%d-a", getpid());
	const char *after = arena_printf(a, "/tmp/fencepost-%d-b", getpid());
	char *path = arena_strdup(a, program ? program : "build/fencepost");
	char *report[] = {path, arena_strdup(a, "report"),
	    arena_strdup(a, before), arena_strdup(a, "--html=/dev/null"),
	    arena_strdup(a, "--junit=/dev/null"),
	    arena_strdup(a, "--markdown=/dev/null"), NULL};
	char *diff[] = {path, arena_strdup(a, "diff"),
	    arena_strdup(a, before), arena_strdup(a, after),
	    arena_strdup(a, "--json=/dev/null"), NULL};
	double seconds, bytes, diff_seconds, diff_bytes;

	make_sample(&s, before);
	s.seed = 2;
	make_sample(&s, after);
	measure(report, &seconds, &bytes);
	ck_assert_msg(seconds < 2 * SLOW, "report took %.2f s", seconds);
	ck_assert_msg(bytes < 200e6 * SLOW, "report took %.0f MB",
	    bytes / 1e6);
	measure(diff, &diff_seconds, &diff_bytes);
	printf("a document of %d tests: report %.2f s, %.0f MB; diff of two "
	    "%.2f s, %.0f MB\n", s.tests, seconds, bytes / 1e6,
	    diff_seconds, diff_bytes / 1e6);
	ck_assert_msg(diff_seconds < 1 * SLOW, "diff took %.2f s",
	    diff_seconds);
	unlink(before);
	unlink(after);
	arena_free(a);
}
END_TEST

Suite *suite_writers(void);
Suite *
suite_writers(void)
{
	Suite *s = suite_create("writers");
	TCase *t = tcase_create("formats");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, junit_fits_its_schema, 0, NSAMPLES);
	tcase_add_test(t, junit_tells_failures_from_errors_from_skips);
	tcase_add_test(t, junit_says_when_no_gpu_was_there);
	tcase_add_test(t, github_annotates_the_line_of_the_test);
	tcase_add_test(t, github_lets_no_name_speak);
	tcase_add_test(t, github_stops_at_ten_of_a_kind);
	tcase_add_loop_test(t, markdown_lets_no_name_speak, 0, NSAMPLES);
	tcase_add_test(t, markdown_fits_a_job_summary);
	tcase_add_loop_test(t, html_is_sound, 0, NSAMPLES);
	tcase_add_loop_test(t, unsound_html_is_found, 0,
	    sizeof(unsound) / sizeof(*unsound));
	tcase_add_test(t, html_tells_the_whole_story);
	tcase_add_loop_test(t, bad_quarantine_is_refused, 0,
	    sizeof(bad_lists) / sizeof(*bad_lists));
	tcase_add_loop_test(t, quarantine_pardons_for_a_time, 0,
	    sizeof(lists) / sizeof(*lists));
	tcase_add_test(t, ten_thousand_tests_in_time);
	suite_add_tcase(s, t);
	return s;
}
