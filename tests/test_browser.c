/* pages in a real browser: nothing overflows, nothing complains */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../reports/reports.h"
#include "help_sample.h"

static const char *
browser(void)
{
	static const char *const names[] = {
		"chromium", "chromium-browser", "google-chrome",
		"chromium-headless-shell",
	};
	char command[128];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(command, sizeof(command),
		    "command -v %s >/dev/null 2>&1", names[i]);
		if (system(command) == 0)
			return names[i];
	}
	fprintf(stderr, "SKIPPED: no chromium; pages are checked by their "
	    "structure only\n");
	return NULL;
}

/* What the command prints, all of it. */
static const char *
output_of(const char *command, struct arena *a)
{
	FILE *f = popen(command, "r");
	struct text t;
	char piece[4096];
	size_t n;

	ck_assert_ptr_nonnull(f);
	text_init(&t, a);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		text_append(&t, piece, n);
	pclose(f);
	return t.s;
}

/* Our pages have no script; the probe is the test's own. */
static const char probe[] =
    "<script>const e = document.documentElement;"
    "document.querySelectorAll('details').forEach(d => d.open = true);"
    "parent.postMessage('width ' + e.scrollWidth + ' of ' + e.clientWidth + "
    "' height ' + e.scrollHeight, '*');</script>";

/* A window is never as narrow as a phone; a frame in it is. */
static const char frame[] = "<title>none</title><script>onmessage = e => "
    "document.title = e.data;</script><iframe src=page.html height=900 "
    "width=%d style='border:0'></iframe>";

static void
write_page(const char *path, int kind, struct arena *a)
{
	struct sample s = {.seed = 1, .tests = 120, .primitives = 10,
	    .forbidden = 2, .hostile = kind == 1};
	struct document list[2] = {sample_document(&s, a)};
	struct html_options o = {NULL, HTML_DETAILS};
	struct diff_options options = {0.05, 0.1, 0.05};
	struct diff d;
	struct err err;
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	s.faster = 1e-7;
	s.gpu = "NVIDIA B200";
	list[1] = sample_document(&s, a);
	if (kind < 2) {
		html_write(f, &list[0], &o);
	} else if (kind == 2) {
		compare_html(f, list, 2, &o);
	} else {
		ck_assert(diff_make(&list[0], &list[1], &options, a, &d,
		    &err));
		diff_html(f, &d, &o);
	}
	fputs(probe, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void
check_picture(const char *program, const char *folder, struct arena *a)
{
	struct stat st;

	output_of(arena_printf(a, "cd %s && %s --headless --no-sandbox "
	    "--disable-gpu --user-data-dir=%s/u --window-size=1280,900 "
	    "--screenshot=shot.png file://%s/page.html 2>&1", folder, program,
	    folder, folder), a);
	ck_assert_int_eq(stat(arena_printf(a, "%s/shot.png", folder), &st),
	    0);
	ck_assert_int_gt(st.st_size, 20000); /* not a blank one */
}

static const int widths[] = {390, 1280};

START_TEST(pages_fit_a_phone_and_a_desktop)
{
	struct arena *a = arena_new();
	char folder[] = "/tmp/fencepost-page-XXXXXX";
	const char *program = browser(), *page, *title, *said;
	int width = widths[_i % 2], shown = 0, wide = 0, height = 0;
	FILE *f;

	if (!program) {
		arena_free(a);
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	page = arena_printf(a, "%s/page.html", folder);
	write_page(page, _i / 2, a);
	f = fopen(arena_printf(a, "%s/frame.html", folder), "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, frame, width);
	ck_assert_int_eq(fclose(f), 0);
	said = output_of(arena_printf(a, "cd %s && %s --headless "
	    "--no-sandbox --disable-gpu --user-data-dir=%s/u "
	    "--enable-logging=stderr --virtual-time-budget=3000 "
	    "--window-size=1400,1000 --dump-dom file://%s/frame.html "
	    "2>log; grep CONSOLE log >&2", folder, program, folder, folder),
	    a);
	ck_assert_msg(!strstr(output_of(arena_printf(a, "cat %s/log",
	    folder), a), "CONSOLE"), "the browser complains");
	title = strstr(said, "<title>width ");
	ck_assert_ptr_nonnull(title);
	ck_assert_int_eq(sscanf(title, "<title>width %d of %d height %d",
	    &wide, &shown, &height), 3);
	ck_assert_int_le(shown, width);
	ck_assert_int_ge(shown, width - 20); /* less a scroll bar */
	ck_assert_msg(wide <= shown, "%d wide in %d", wide, shown);
	ck_assert_int_gt(height, 500);
	if (_i == 0)
		check_picture(program, folder, a);
	output_of(arena_printf(a, "rm -rf %s", folder), a);
	arena_free(a);
}
END_TEST

Suite *suite_browser(void);
Suite *
suite_browser(void)
{
	Suite *s = suite_create("browser");
	TCase *t = tcase_create("pages");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, pages_fit_a_phone_and_a_desktop, 0, 8);
	suite_add_tcase(s, t);
	return s;
}
