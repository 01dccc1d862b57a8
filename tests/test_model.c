/* The model: tests with known answers, mutants, refusals, hangs. */
#include <check.h>
#include <string.h>

#include "../model/model.h"
#include "help_table.h"

static const struct row {
	const char *name, *verdicts, *threads, *condition;
} rows[] = {
#define ROW(...) {__VA_ARGS__},
#include "table.def"
#undef ROW
};

#define NROWS (int)(sizeof(rows) / sizeof(*rows))

static char
verdict(const struct program *p, enum model_version version,
    uint64_t mutation, struct arena *a)
{
	struct model_opts opts;
	struct outcomes out;
	struct err err;

	model_defaults(&opts, version);
	opts.mutation = mutation;
	ck_assert_msg(model_run(p, &opts, a, &out, &err), "%s", err.message);
	return "-AF"[model_answer(p, &out)];
}

START_TEST(rows_are_as_known)
{
	const struct row *row = &rows[_i];
	struct arena *a = arena_new();
	const struct program *p = table_program(row->name, row->threads,
	    row->condition, a);
	int v;

	ck_assert_ptr_nonnull(p);
	for (v = 0; v < 3; v++)
		ck_assert_msg(verdict(p, (enum model_version)v, 0, a) ==
		    row->verdicts[v], "%s under %s: %c, not %c", row->name,
		    model_version_name((enum model_version)v), verdict(p,
		    (enum model_version)v, 0, a), row->verdicts[v]);
	arena_free(a);
}
END_TEST

/* ---- mutants ---------------------------------------------------------- */

static const struct mutant {
	enum rule rule;
	enum model_version version;
	const char *row;
} mutants[] = {
#define MUTANT(rule, version, row) {RULE_##rule, version, row},
#include "mutants.def"
#undef MUTANT
};

#define NMUTANTS (int)(sizeof(mutants) / sizeof(*mutants))

static const struct row *
find_row(const char *name)
{
	int i;

	for (i = 0; i < NROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	ck_abort_msg("no row '%s'", name);
	return NULL;
}

START_TEST(mutants_die)
{
	const struct mutant *m = &mutants[_i];
	const struct row *row = find_row(m->row);
	struct arena *a = arena_new();
	const struct program *p = table_program(row->name, row->threads,
	    row->condition, a);

	ck_assert_ptr_nonnull(p);
	ck_assert_int_ne(verdict(p, m->version, 0, a), '-');
	ck_assert_msg(verdict(p, m->version, (uint64_t)1 << m->rule, a) !=
	    verdict(p, m->version, 0, a), "flipping %s changes nothing in "
	    "'%s'", rule_name(m->rule), row->name);
	arena_free(a);
}
END_TEST

/* Every rule has its mutant, and the table in model/README.md its line. */
START_TEST(mutants_are_complete)
{
	struct arena *a = arena_new();
	struct source readme;
	struct err err;
	int rule, i;

	ck_assert(source_read("model/README.md", 1 << 20, a, &readme, &err));
	for (rule = 0; rule < RULE_COUNT; rule++) {
		const char *name = rule_name((enum rule)rule);
		const char *killer = NULL;

		for (i = 0; i < NMUTANTS; i++)
			if (mutants[i].rule == (enum rule)rule)
				killer = mutants[i].row;
		if (rule == RULE_FENCE_SC)
			killer = "fence_sc_is_an_axiom";
		ck_assert_msg(killer, "no mutant of %s", name);
		ck_assert_msg(strstr(readme.text, arena_printf(a,
		    "| %s |", name)), "no line of %s in model/README.md",
		    name);
		ck_assert_msg(strstr(readme.text, killer),
		    "'%s' is not in model/README.md", killer);
	}
	arena_free(a);
}
END_TEST

/* ---- executions ------------------------------------------------------- */

struct found {
	int count[AXIOM_SC_LOCATION + 1];
	struct execution last[AXIOM_SC_LOCATION + 1];
};

static bool
note(void *user, const struct execution *x, enum axiom broken)
{
	struct found *found = user;

	found->count[broken]++;
	found->last[broken] = *x;
	return true;
}

static const struct program *
row_program(const char *name, struct arena *a)
{
	const struct row *row = find_row(name);

	return table_program(row->name, row->threads, row->condition, a);
}

static uint32_t
target_code(const struct program *p)
{
	uint64_t values[SLOTS_MAX];
	uint32_t code;

	for (code = 0; code < p->noutcomes; code++) {
		outcome_values(p, code, values);
		if (program_is_target(p, values))
			return code;
	}
	ck_abort_msg("no outcome is the target");
	return 0;
}

static void
find_candidates(const struct program *p, uint64_t mutation,
    struct found *found, struct arena *a)
{
	struct model_opts opts;
	struct err err;

	memset(found, 0, sizeof(*found));
	model_defaults(&opts, MODEL_PTX);
	opts.mutation = mutation;
	ck_assert_msg(model_candidates(p, &opts, target_code(p), note, found,
	    a, &err), "%s", err.message);
}

/* An execution whose Fence-SC order goes against causality is forbidden,
   by nothing but that axiom. */
START_TEST(fence_sc_is_an_axiom)
{
	struct arena *a = arena_new();
	const struct program *p = table_program("fences",
	    "0.0 fence.sc.cta; bar.cta.sync 0; st.weak x, 1 | "
	    "0.0 bar.cta.sync 0; fence.sc.cta", "exists x = 1", a);
	struct found *found = arena_alloc(a, sizeof(*found));
	struct model_opts opts;

	find_candidates(p, 0, found, a);
	ck_assert_int_eq(found->count[AXIOM_NONE], 1);
	ck_assert_int_eq(found->count[AXIOM_FENCE_SC], 1);
	model_defaults(&opts, MODEL_PTX);
	ck_assert_int_eq(model_judge(p, &opts,
	    &found->last[AXIOM_FENCE_SC]), AXIOM_FENCE_SC);
	ck_assert_int_eq(model_judge(p, &opts, &found->last[AXIOM_NONE]),
	    AXIOM_NONE);
	find_candidates(p, (uint64_t)1 << RULE_FENCE_SC, found, a);
	ck_assert_int_eq(found->count[AXIOM_NONE], 2);
	arena_free(a);
}
END_TEST

/* Which axiom kills the one candidate of a test. */
static const struct {
	const char *row;
	enum axiom axiom;
} killed[] = {
	{"3 MP+rel.acq.gpu", AXIOM_CAUSALITY},
	{"27 LB+rel.acq.gpu", AXIOM_CAUSALITY},
	{"37 S+rel.acq", AXIOM_COHERENCE},
	{"46 atom.add+mutual", AXIOM_ATOMICITY},
	{"LB+exch+cta", AXIOM_THIN_AIR},
	{"33 CoRW2+rlx", AXIOM_COHERENCE},
};

START_TEST(candidates_name_the_axiom)
{
	struct arena *a = arena_new();
	struct found *found = arena_alloc(a, sizeof(*found));

	find_candidates(row_program(killed[_i].row, a), 0, found, a);
	ck_assert_int_eq(found->count[AXIOM_NONE], 0);
	ck_assert_int_gt(found->count[killed[_i].axiom], 0);
	arena_free(a);
}
END_TEST

/* Every witness is a consistent execution by itself. */
START_TEST(witnesses_hold)
{
	const struct row *row = &rows[_i];
	struct arena *a = arena_new();
	const struct program *p = table_program(row->name, row->threads,
	    row->condition, a);
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	uint32_t i;

	model_defaults(&opts, MODEL_PTX);
	opts.witnesses = true;
	ck_assert(model_run(p, &opts, a, &out, &err));
	for (i = 0; i < out.count; i++) {
		struct execution x;

		ck_assert_ptr_nonnull(out.list[i].witness);
		x = *out.list[i].witness;
		ck_assert_int_eq(model_judge(p, &opts, &x), AXIOM_NONE);
		ck_assert_mem_eq(&x, out.list[i].witness, sizeof(x));
	}
	arena_free(a);
}
END_TEST

Suite *suite_model(void);

Suite *
suite_model(void)
{
	Suite *s = suite_create("model");
	TCase *t = tcase_create("answers");

	tcase_add_loop_test(t, rows_are_as_known, 0, NROWS);
	suite_add_tcase(s, t);
	t = tcase_create("mutants");
	tcase_add_loop_test(t, mutants_die, 0, NMUTANTS);
	tcase_add_test(t, mutants_are_complete);
	suite_add_tcase(s, t);
	t = tcase_create("executions");
	tcase_add_test(t, fence_sc_is_an_axiom);
	tcase_add_loop_test(t, candidates_name_the_axiom, 0,
	    (int)(sizeof(killed) / sizeof(*killed)));
	tcase_add_loop_test(t, witnesses_hold, 0, NROWS);
	suite_add_tcase(s, t);
	return s;
}
