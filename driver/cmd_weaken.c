#include "driver.h"

#include <string.h>

#define OPTIONS \
	OPTION(text, model, 'm', "VERSION", "ptx", 0, 0, "ptx-6.0, ptx-7.5, "  \
	    "or ptx: the newest")                                              \
	OPTION(flag, twins, 't', NULL, NULL, 0, 0, "only the broken twins")    \
	OPTION(flag, yaml, 'y', NULL, NULL, 0, 0, "print the weakened tests "  \
	    "as YAML")                                                         \
	OPTION(number, unroll, 0, "N", NULL, 1, 16, "turns of a loop that are " \
	    "followed; without it as many as there must be, up to 16")
#include "options.h"

static const struct usage usage = {
	"weaken", "TEST", 1, 1,
	"Lists which annotations of a forbidden test can be weaker while the "
	"outcome stays\nforbidden: the weakest sound forms; and the nearest "
	"that allow it, its broken twins.\nTEST is a name in the suite, a file "
	"with one test, or FILE:NAME.\n", option_rows,
};

static void
print_yaml(const struct weakening *list, int count, const char *expect,
    struct arena *a)
{
	int i;

	for (i = 0; i < count; i++) {
		struct text t;

		text_init(&t, a);
		write_yaml(&t, list[i].program);
		printf("---\n# %s\n%sexpect: %s\n", list[i].what, t.s, expect);
	}
}

static void
print_list(const struct weakening *list, int count)
{
	int i;

	for (i = 0; i < count; i++)
		printf("  %2d step%s  %s\n", list[i].steps,
		    list[i].steps == 1 ? " " : "s", list[i].what);
}

static void
print_weakenings(const struct program *p, const struct weakenings *w,
    const struct options *options)
{
	if (!options->twins) {
		printf("%s: %s\n", p->name, w->nsound ?
		    "weakest forms that still forbid the outcome:" :
		    "nothing can be weaker: every annotation is needed.");
		print_list(w->sound, w->nsound);
		if (!w->complete)
			printf("  (there may be more: the search was cut)\n");
	}
	printf("%s: %s\n", p->name, w->ntwins ?
	    "nearest forms that allow it, its broken twins:" :
	    "no weakening allows it: the accesses alone forbid it.");
	print_list(w->twins, w->ntwins);
}

static bool
weaken(const struct options *options, const struct strings *operands,
    struct arena *a, struct err *err)
{
	const struct program *p = select_one(operands->list[0], a, err);
	struct model_opts opts;
	struct outcomes out;
	struct weakenings w;

	if (!p)
		return false;
	if (!model_options(&opts, options->model, options->unroll)) {
		*err = (struct err){0};
		return false;
	}
	if (!model_run(p, &opts, a, &out, err))
		return false;
	if (!(options->twins ? model_twins : model_weaken)(p, &opts, a, &w,
	    err))
		return false;
	if (model_answer(p, &out) == ANSWER_ALLOWED) {
		/* nor are there tests to print */
		fprintf(options->yaml ? stderr : stdout, "%s: there is "
		    "nothing to weaken: the outcome is allowed as it is "
		    "(fencepost explain says what would forbid it).\n",
		    p->name);
	} else if (options->yaml) {
		if (!options->twins)
			print_yaml(w.sound, w.nsound, "forbidden", a);
		print_yaml(w.twins, w.ntwins, "allowed", a);
	} else {
		print_weakenings(p, &w, options);
	}
	return true;
}

int
cmd_weaken(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	struct err err = {0};
	int status = options_read(&usage, &options, argc, argv, a,
	    &operands);

	if (status == STATUS_GO_ON) {
		status = STATUS_OK;
		if (!weaken(&options, &operands, a, &err)) {
			status = STATUS_NO_VERDICT;
			if (err.code != ERR_NONE)
				err_print(stderr, &err, NULL);
		}
	}
	arena_free(a);
	return status;
}
