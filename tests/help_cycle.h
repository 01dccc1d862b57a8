/* Programs for tests, from YAML and from cycles; a failure ends the test. */
#ifndef HELP_CYCLE_H
#define HELP_CYCLE_H

#include "../model/model.h"

const struct program *help_yaml(const char *text, struct arena *a);
/* strength and place may be NULL. */
const char *help_cycle_text(const char *edges, const char *strength,
    const char *place, struct arena *a);
const struct program *help_cycle(const char *edges, const char *strength,
    const char *place, struct arena *a);
enum answer help_answer(const struct program *p, struct arena *a);
/* The first state that the test is about. */
uint32_t help_target(const struct program *p);

#endif
