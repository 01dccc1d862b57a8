#include "help_cycle.h"

#include <check.h>
#include <string.h>

const struct program *
help_yaml(const char *text, struct arena *a)
{
	struct source s = {"t.yaml", text, strlen(text)};
	struct suite *suite = arena_alloc(a, sizeof(*suite));
	struct errs errs = {0};

	if (!read_yaml(&s, a, suite, &errs))
		ck_abort_msg("%d:%d: %s\n%s", errs.list[0].loc.line,
		    errs.list[0].loc.column, errs.list[0].message, text);
	return &suite->programs[0];
}

const char *
help_cycle_text(const char *edges, const char *strength, const char *place,
    struct arena *a)
{
	struct cycle_opts opts = {strength, place};
	struct text t;
	struct err err;

	text_init(&t, a);
	if (!cycle_yaml(&t, edges, &opts, &err))
		ck_abort_msg("%s: %s", edges, err.message);
	return t.s;
}

const struct program *
help_cycle(const char *edges, const char *strength, const char *place,
    struct arena *a)
{
	return help_yaml(help_cycle_text(edges, strength, place, a), a);
}

enum answer
help_answer(const struct program *p, struct arena *a)
{
	struct model_opts opts;
	struct outcomes out;
	struct err err;

	model_defaults(&opts, MODEL_PTX);
	if (!model_run(p, &opts, a, &out, &err))
		ck_abort_msg("%s: %s", p->name, err.message);
	return model_answer(p, &out);
}

uint32_t
help_target(const struct program *p)
{
	uint64_t values[SLOTS_MAX];
	uint32_t i;

	for (i = 0; i < p->noutcomes; i++) {
		outcome_values(p, i, values);
		if (program_is_target(p, values))
			return i;
	}
	ck_abort_msg("%s asks about nothing", p->name);
}
