/*
 * reports: results documents to people, and to other machines. Reads the
 * documents only (results.schema.json), never what made them.
 */
#ifndef REPORTS_H
#define REPORTS_H

#include <jansson.h>

#include "../gen/gen.h"

/* What JUnit calls a test that ended so. */
enum junit { JUNIT_PASS, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED };

/* One enumerator a row of verdict.def: VERDICT_PASS, ... */
enum verdict {
#define VERDICT(id, ...) VERDICT_##id,
#include "verdict.def"
#undef VERDICT
	VERDICT_COUNT,
};

struct verdict_row {
	const char *name; /* "not-run", as in documents */
	const char *symbol; /* "not run", for tables */
	enum junit junit;
	int exit;
	const char *words;
};

/* verdict.c */
extern const struct verdict_row verdicts[VERDICT_COUNT];

#endif
