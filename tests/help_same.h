#ifndef HELP_SAME_H
#define HELP_SAME_H

#include <jansson.h>
#include <stdbool.h>

/* Are two results documents the same but for times, and for how they were
   asked for? Takes that out of both. */
bool same_results(json_t *x, json_t *y);

#endif
