#include "help_primitive.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct arena *prim_arena;
struct primitives prims;
struct device_info prim_sim;

bool
prim_left_out(int i)
{
	return i % 4 != 0 && !getenv("FENCEPOST_ALL");
}

void
prims_read(void)
{
	const struct embedded *e;
	struct errs errs = {0};
	struct err err;

	prim_arena = arena_new();
	memset(&prims, 0, sizeof(prims));
	for (e = embedded_files; e->name; e++) {
		struct source source = {e->name, e->text, e->size};

		if (!strstr(e->name, ".yaml"))
			continue;
		if (!primitive_read(&source, NULL, prim_arena, &prims, &errs))
			errs_print(stderr, &errs, &source);
		ck_assert_int_eq(errs.count, 0);
	}
	ck_assert_int_eq(sim_ops.list(&prim_sim, 1, &err), 1);
}

void
prims_free(void)
{
	arena_free(prim_arena);
}

const struct primitive *
prim_find(const char *name)
{
	int i;

	for (i = 0; i < prims.count; i++)
		if (strcmp(prims.list[i].name, name) == 0)
			return &prims.list[i];
	ck_abort_msg("no primitive %s", name);
	return NULL;
}

bool
prims_compiled(void)
{
	const char *code;
	struct err err;
	bool yes = primitive_code(prim_find("grid_monotonic"), 90, true, true,
	    prim_arena, &code, &err);

	if (!yes)
		fprintf(stderr, "SKIPPED: no nvcc compiled the primitives\n");
	return yes;
}

json_t *
prim_study(const struct primitive *p, struct study *s)
{
	struct err err = {0};
	struct rig rig;
	json_t *entry;

	s->device = &prim_sim;
	s->validate |= !s->bench;
	s->timeout = 30;
	s->seed = 1;
	if (!s->rounds && !s->crossings)
		s->rounds = ROUNDS;
	ck_assert_msg(rig_open(&rig, s, &err), "%s", err.message);
	rig_study(&rig, p, 60, prim_arena, &entry);
	rig_close(&rig);
	return entry;
}

const char *
json_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

const json_t *
prim_finding(const json_t *entry, const char *kind)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(entry, "findings"), i, finding)
		if (strcmp(json_text(finding, "kind"), kind) == 0)
			return finding;
	return NULL;
}

bool
prim_found(const json_t *entry, const char *kind)
{
	return prim_finding(entry, kind) != NULL;
}
