#include "driver.h"

#define OPTIONS \
	OPTION(number, sm, 0, "N", "90", 70, 200, "compute capability of "     \
	    "the device, 10 * major + minor")                                  \
	OPTION(text, env, 'e', "FILE", NULL, 0, 0, "environments; the first "  \
	    "is used")
#include "options.h"

static const struct usage usage = {
	"ptx", "TEST", 1, 1,
	"Prints the kernels made for a test. TEST is a name in the suite, a "
	"file with one\ntest, or FILE:NAME.\n", option_rows,
};

int
cmd_ptx(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	struct err err;
	struct plan plan;
	int status = options_read(&usage, &options, argc, argv, a, &operands);

	if (status == STATUS_GO_ON) {
		status = STATUS_OK;
		if (plan_typical(operands.list[0], options.env,
		    (int)options.sm, a, &plan, &err)) {
			fputs(emit_ptx(&plan, SABOTAGE_NONE, a), stdout);
		} else {
			err_print(stderr, &err, NULL);
			status = STATUS_NO_VERDICT;
		}
	}
	arena_free(a);
	return status;
}
