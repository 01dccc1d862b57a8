#include "help_weak.h"

#include <check.h>
#include <string.h>

static void
say(struct study *s, const struct program *p, const char *what,
    uint32_t code)
{
	uint64_t values[SLOTS_MAX];
	int i;

	outcome_values(p, code, values);
	text_printf(&s->why, "  %s:", what);
	for (i = 0; i < p->nslots; i++)
		text_printf(&s->why, " %s=%llu", p->slots[i].name,
		    (unsigned long long)values[i]);
	text_printf(&s->why, "\n");
}

static void
compare(struct study *s, const struct program *p, const struct outcomes *out,
    const uint64_t *bins)
{
	uint32_t code;

	s->allowed = out->count;
	for (code = 0; code < p->noutcomes; code++) {
		bool allowed = outcomes_find(out, code) != NULL;

		if (bins[code] && allowed)
			s->seen++;
		else if (allowed)
			say(s, p, "not shown", code);
		if (bins[code] && !allowed) {
			s->forbidden++;
			say(s, p, "FORBIDDEN", code);
		}
	}
	s->other = bins[p->noutcomes];
	s->hang = bins[p->noutcomes + 1];
}

void
study_weak(struct study *s, const struct program *p, struct arena *a)
{
	struct model_opts opts;
	struct outcomes out;
	struct plan plan;
	struct env env;
	struct plan_run run = {.plan = &plan, .options = s->options,
	    .seed = s->seed};

	text_init(&s->why, a);
	model_defaults(&opts, MODEL_PTX);
	opts.max_candidates = 2000000;
	if (!model_run(p, &opts, a, &out, &s->err) ||
	    out.status != MODEL_OK)
		return;
	env_default(&env);
	if (!plan_make(p, &env, &plan_sim, a, &plan, &s->err)) {
		ck_assert_msg(s->err.code == ERR_UNSUPPORTED, "%s: %s",
		    p->name, s->err.message);
		return;
	}
	s->hangs = out.hang || p->hangs;
	run.launches = 1 + s->instances / plan.instances;
	run.bins = arena_alloc(a, plan.nbins * sizeof(*run.bins));
	s->judged = plan_run(&run, &s->err);
	if (s->judged)
		compare(s, p, &out, run.bins);
}

/* A program that may hang may also be found to. */
bool
study_sound(const struct study *s)
{
	if (!s->judged)
		return s->err.code == ERR_NONE || s->hangs ||
		    s->err.code == ERR_UNSUPPORTED ||
		    s->err.code == ERR_LIMIT;
	return s->forbidden == 0 && s->other == 0 &&
	    (s->hang == 0 || s->hangs);
}

struct suite
study_read(const char *path, struct arena *a)
{
	struct suite suite = {0};
	struct errs errs = {0};
	struct source source;
	struct err err;

	if (!source_read(path, 1 << 24, a, &source, &err))
		ck_abort_msg("%s", err.message);
	if (!read_any(&source, a, &suite, &errs)) {
		errs_print(stderr, &errs, &source);
		ck_abort_msg("%s does not read", path);
	}
	return suite;
}
