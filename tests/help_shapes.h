/* tests/plan/shapes.yaml, and plans of its tests, for a test's time. */
#ifndef HELP_SHAPES_H
#define HELP_SHAPES_H

#include "help_plan.h"

/* The test's own; shapes_setup() and shapes_teardown() are its fixture. */
extern struct arena *arena;
extern struct suite shapes;

void shapes_setup(void);
void shapes_teardown(void);
const struct program *shape(const char *name);
/* An environment from "field value field value ...". */
struct env env_of(const char *text);
struct plan planned(const struct program *p, const struct env *e,
    const struct caps *caps);

#endif
