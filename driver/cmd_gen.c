#include "driver.h"

#include <string.h>

#define OPTIONS \
	OPTION(text, strength, 's', "STRENGTH", "relaxed.gpu", 0, 0, "of "     \
	    "accesses that have none of their own: weak, release.cta ...")     \
	OPTION(text, place, 'p', "PLACE", "diff", 0, 0, "diff (a CTA a "       \
	    "thread), same, cluster, gpus, or the CTAs of the threads: 0,0,1") \
	OPTION(number, shapes, 0, "N", NULL, 2, 4, "all critical cycles of "   \
	    "2 to N threads, instead of CYCLEs")                               \
	OPTION(flag, list, 'l', NULL, NULL, 0, 0, "names and cycles only")     \
	OPTION(choice, to, 't', "yaml|litmus", "yaml", 0, 0, "the format")     \
	OPTION(text, output, 'o', "FOLDER", NULL, 0, 0, "a file a test there, "\
	    "instead of the standard output")
#include "options.h"

static const struct usage usage = {
	"gen", "[CYCLE...]", 0, -1,
	"Makes tests from cycles of relations, in the notation of diy: each "
	"edge leads from\none access to the next, the last back to the first.\n"
	"  Rfe Fre Coe          to another thread (Rfi Fri Coi: in the same)\n"
	"  PodWR PosRR          program order, different or same location\n"
	"  fence.sc.gpu.dWR     with an instruction in between (or bar.sync)\n"
	"  DpDatadW DpCtrldW    a dependency from a read\n"
	"  Rmw                  read and write are one atomic exchange\n"
	"A word between edges is the strength of the access there:\n"
	"  fencepost gen 'PodWW release.gpu Rfe acquire.gpu PodRR Fre'\n",
	option_rows,
};

static bool
make_test(const char *edges, const struct options *options, bool first,
    struct arena *a, struct err *err)
{
	struct cycle_opts opts = {options->strength, options->place};
	struct source cycle = {"cycle", edges, strlen(edges)}, source;
	struct suite suite = {0};
	struct errs errs = {0};
	struct text t, litmus;

	text_init(&t, a);
	text_init(&litmus, a);
	if (!cycle_yaml(&t, edges, &opts, err)) {
		err_print(stderr, err, &cycle);
		*err = (struct err){0};
		return false;
	}
	source = (struct source){edges, t.s, t.size};
	if (!read_yaml(&source, a, &suite, &errs)) {
		errs_print(stderr, &errs, &source);
		return false;
	}
	if (options->list) {
		printf("%s\t%s\n", suite.programs[0].name, edges);
		return true;
	}
	if (options->to && !write_litmus(&litmus, &suite.programs[0], err))
		return false;
	if (options->output)
		return output_test(&suite.programs[0], options->output,
		    options->to ? "litmus" : "yaml",
		    options->to ? &litmus : &t, err);
	printf("%s%s", first || options->to ? "" : "---\n",
	    options->to ? litmus.s : t.s);
	return true;
}

static int
make_tests(const char *const *cycles, int count,
    const struct options *options)
{
	struct arena *a = arena_new();
	int i, status = STATUS_OK;

	for (i = 0; i < count; i++) {
		struct err err = {0};

		if (!make_test(cycles[i], options, i == 0, a, &err)) {
			if (err.code != ERR_NONE)
				err_print(stderr, &err, NULL);
			status = STATUS_NO_VERDICT;
		}
		arena_reset(a);
	}
	arena_free(a);
	return status;
}

int
cmd_gen(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	const char *const *shapes;
	int count, status = options_read(&usage, &options, argc, argv, a,
	    &operands);

	if (status == STATUS_GO_ON && options.shapes) {
		shapes = cycle_shapes((int)options.shapes, a, &count);
		status = make_tests(shapes, count, &options);
	} else if (status == STATUS_GO_ON && operands.count == 0) {
		options_usage(stderr, &usage);
		status = STATUS_NO_VERDICT;
	} else if (status == STATUS_GO_ON) {
		status = make_tests(operands.list, operands.count, &options);
	}
	arena_free(a);
	return status;
}
