#include "help_shapes.h"

#include <check.h>
#include <string.h>

struct arena *arena;
struct suite shapes;

void
shapes_setup(void)
{
	struct source source;
	struct errs errs = {0};
	struct err err;

	arena = arena_new();
	memset(&shapes, 0, sizeof(shapes));
	if (!source_read("tests/plan/shapes.yaml", 1 << 20, arena, &source,
	    &err))
		ck_abort_msg("%s", err.message);
	if (!read_yaml(&source, arena, &shapes, &errs)) {
		errs_print(stderr, &errs, &source);
		ck_abort_msg("shapes.yaml does not read");
	}
}

void
shapes_teardown(void)
{
	arena_free(arena);
}

const struct program *
shape(const char *name)
{
	int i;

	for (i = 0; i < shapes.count; i++)
		if (strcmp(shapes.programs[i].name, name) == 0)
			return &shapes.programs[i];
	ck_abort_msg("no shape %s", name);
	return NULL;
}

struct env
env_of(const char *text)
{
	struct env e;

	env_default(&e);
	plan_env(text, &e);
	return e;
}

struct plan
planned(const struct program *p, const struct env *e, const struct caps *caps)
{
	struct plan plan;
	struct err err;

	if (!plan_make(p, e, caps, arena, &plan, &err))
		ck_abort_msg("%s: %s", p->name, err.message);
	return plan;
}
