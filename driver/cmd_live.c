#include "driver.h"

#include <string.h>

#define OPTIONS \
	OPTION(choice, progress, 'p', "fair|hsa|obe|hsa_obe|lobe|unfair",      \
	    "fair", 0, 0, "which threads are scheduled again and again: all "  \
	    "(fair), the lowest that lives (hsa), those that have started "    \
	    "(obe), both, those up to a started one (lobe), none")             \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only tests of that "    \
	    "name or family; !GLOB takes away")                                \
	OPTION(text, against, 'a', "FILE", NULL, 0, 0, "compare with a list "  \
	    "of file,value: does every execution end?")                        \
	OPTION(flag, quiet, 'q', NULL, NULL, 0, 0, "one line a test")
#include "options.h"

static const struct usage usage = {
	"live", "[TEST...]", 0, -1,
	"Says whether every execution that is fair under the scheduling ends, "
	"or how a\nloop or a barrier may hang. Threads of one CTA or cluster "
	"are scheduled fairly, as\nis all of a cooperative launch; other CTAs "
	"need not start (obe).\nExit status 1: a test may hang.\n" TESTS_HELP,
	option_rows,
};

struct lives {
	int hang, unknown;
};

static void
live_one(const struct program *p, enum progress progress, bool quiet,
    struct arena *a, struct lives *lives)
{
	struct text why;
	struct err err;
	bool ends;

	text_init(&why, a);
	if (!model_live(p, progress, a, &ends, &why, &err)) {
		printf("%s: no answer (%s)\n", p->name, err.message);
		lives->unknown++;
		return;
	}
	lives->hang += !ends;
	if (quiet)
		printf("%s: %s\n", p->name, ends ? "ends" : "may hang");
	else
		printf("%s", why.s);
}

static int
live_tests(const struct strings *tests, const struct options *options,
    struct arena *a)
{
	struct selection s;
	struct lives lives = {0};
	struct arena *each;
	int i, status = select_tests(tests, &options->filter, a, &s);

	if (status != STATUS_GO_ON)
		return status;
	each = arena_new();
	for (i = 0; i < s.count; i++) {
		live_one(s.tests[i], (enum progress)options->progress,
		    options->quiet, each, &lives);
		arena_reset(each);
	}
	arena_free(each);
	return lives.hang ? STATUS_FOUND : s.bad || lives.unknown ?
	    STATUS_NO_VERDICT : STATUS_OK;
}

static bool
agrees(const struct expected *e, const struct program *p, const void *user,
    struct arena *a)
{
	const struct options *options = user;
	struct err err;
	bool ends;

	if (!model_live(p, (enum progress)options->progress, a, &ends, NULL,
	    &err)) {
		printf("%s: no answer (%s)\n", e->name, err.message);
		return false;
	}
	if (ends == e->value)
		return true;
	printf("%s: %s, the list says it %s\n", e->name,
	    ends ? "ends" : "may hang", e->value ? "ends" : "may hang");
	return false;
}

static int
live(const struct strings *tests, const struct options *options,
    struct arena *a)
{
	if (options->against)
		return against_compare(options->against, agrees, options,
		    arena_printf(a, "scheduling: %s",
		    progress_name((enum progress)options->progress)));
	return live_tests(tests, options, a);
}

int
cmd_live(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings tests = {0};
	int status = options_read(&usage, &options, argc, argv, a, &tests);

	if (status == STATUS_GO_ON)
		status = live(&tests, &options, a);
	arena_free(a);
	return status;
}
