/* Runs every suite, or those named on the command line. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *suite_##name(void);
#include "suites.inc"
#undef SUITE

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "suites.inc"
#undef SUITE
};

static bool
wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc < 2;
}

int
main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	size_t i;
	int failed, chosen = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++) {
		if (!wanted(suites[i].name, argc, argv))
			continue;
		srunner_add_suite(runner, suites[i].make());
		chosen++;
	}
	if (!chosen) {
		fprintf(stderr, "check: no suite of that name\n");
		return EXIT_FAILURE;
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
