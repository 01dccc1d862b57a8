#include "driver.h"

#define OPTIONS \
	OPTION(text, model, 'm', "VERSION", "ptx", 0, 0, "ptx-6.0, ptx-7.5, "  \
	    "or ptx: the newest")                                              \
	OPTION(choice, format, 'f', "text|dot|svg", "text", 0, 0, "words, a "  \
	    "graph for Graphviz, or a drawing")                                \
	OPTION(text, output, 'o', "FILE", NULL, 0, 0, "instead of the "        \
	    "standard output")                                                 \
	OPTION(number, unroll, 0, "N", NULL, 1, 16, "turns of a loop that are " \
	    "followed; without it as many as there must be, up to 16")
#include "options.h"

static const struct usage usage = {
	"explain", "TEST [OUTCOME]", 1, 2,
	"Says why an outcome is allowed, with the fewest changes that would "
	"forbid it, or\nwhat forbids it. TEST is a name in the suite, a file "
	"with one test, or FILE:NAME.\nOUTCOME is a condition, such as '1:r0 "
	"== 1 && 1:r1 == 0'; without it, the outcome\nthat the test is "
	"about.\n",
	option_rows,
};

/* Whether the state is one that is asked for. */
static bool
is_asked(const struct program *p, const struct cond *cond, uint32_t code)
{
	uint64_t values[SLOTS_MAX];

	outcome_values(p, code, values);
	return cond ? cond_eval(cond, values) != 0 :
	    program_is_target(p, values);
}

static bool
visit_any(void *user, const struct execution *x, enum axiom broken)
{
	(void)x;
	(void)broken;
	*(bool *)user = true;
	return false;
}

/* Has any candidate execution, allowed or not, that outcome? */
static bool
is_candidate(const struct program *p, const struct model_opts *opts,
    uint32_t code, struct arena *a)
{
	struct err err;
	bool any = false;

	return model_candidates(p, opts, code, visit_any, &any, a, &err) &&
	    any;
}

/*
 * The outcome to explain: allowed and not by interleaving, else allowed,
 * else one that candidates end in, else any.
 */
static bool
pick(const struct program *p, const struct model_opts *opts,
    const struct cond *cond, uint32_t *code, struct arena *a,
    struct err *err)
{
	struct outcomes out;
	int best = 0;
	uint32_t i;

	if (!model_run(p, opts, a, &out, err))
		return false;
	if (out.status != MODEL_OK)
		return err_set(err, ERR_UNSUPPORTED, out.reason_loc,
		    "the model has no verdict: %s", out.reason);
	for (i = 0; i < p->noutcomes && best < 4; i++) {
		const struct outcome *o;
		int rank;

		if (!is_asked(p, cond, i))
			continue;
		o = outcomes_find(&out, i);
		rank = !o ? 1 + (best < 2 && is_candidate(p, opts, i, a)) :
		    o->sc ? 3 : 4;
		if (rank > best) {
			best = rank;
			*code = i;
		}
	}
	return best || err_set(err, ERR_USAGE, (struct loc){0},
	    "no final state of %s is such", p->name);
}

static bool
read_outcome(const struct program *p, const char *text, struct arena *a,
    const struct cond **cond, struct err *err)
{
	struct program copy = *p;

	copy.slots = arena_grow(a, p->slots,
	    (size_t)p->nslots * sizeof(*p->slots),
	    SLOTS_MAX * sizeof(*p->slots));
	if (!cond_parse(text, (struct loc){"OUTCOME", 1, 1}, &copy, a, NULL,
	    cond, err))
		return false;
	return copy.nslots == p->nslots || err_set(err, ERR_USAGE,
	    (struct loc){"OUTCOME", 1, 1}, "%s does not observe %s",
	    p->name, copy.slots[p->nslots].name);
}

static bool
explain(const struct options *options, const struct strings *operands,
    struct arena *a, struct err *err)
{
	const struct program *p = select_one(operands->list[0], a, err);
	const struct cond *cond = NULL;
	struct model_opts opts;
	struct text t;
	uint32_t code = 0;

	if (!p)
		return false;
	if (!model_options(&opts, options->model, options->unroll)) {
		*err = (struct err){0};
		return false;
	}
	if (operands->count > 1 &&
	    !read_outcome(p, operands->list[1], a, &cond, err))
		return false;
	text_init(&t, a);
	return pick(p, &opts, cond, &code, a, err) &&
	    model_explain(&t, p, &opts, code,
	    (enum explain_format)options->format, a, err) &&
	    output_text(options->output, &t, err);
}

int
cmd_explain(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	struct err err = {0};
	int status = options_read(&usage, &options, argc, argv, a,
	    &operands);

	if (status == STATUS_GO_ON) {
		status = STATUS_OK;
		if (!explain(&options, &operands, a, &err)) {
			status = STATUS_NO_VERDICT;
			if (err.code != ERR_NONE)
				err_print(stderr, &err, NULL);
		}
	}
	arena_free(a);
	return status;
}
