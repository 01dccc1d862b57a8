/*
 * Checks a document against a JSON schema: the part of draft 2020-12 that
 * results.schema.json uses. A keyword that it does not know is an error, so
 * that the schema cannot outgrow it unseen.
 */
#ifndef HELP_SCHEMA_H
#define HELP_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* The first thing wrong, with its path, in why; true: nothing. */
bool schema_check(const json_t *schema, const json_t *value, char *why,
    size_t size);
/* The schema of results documents; FENCEPOST_SCHEMA overrides its place.
   A new reference, or the tests end here. */
json_t *schema_results(void);

#endif
