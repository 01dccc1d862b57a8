/*
 * The model against the naive procedure, on tests drawn at random. Draw n of
 * seed s is always the same test. FENCEPOST_ORACLE=N draws N tests (2000
 * otherwise); FENCEPOST_ORACLE_SEED=S, of another seed;
 * FENCEPOST_ORACLE_FIRST=N, from draw N on. FENCEPOST_ORACLE_RULES=20000
 * demands that there are draws about every rule.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../model/model.h"
#include "help_oracle.h"

#define RULE(rule) ((uint64_t)1 << (rule))
#define EACH_RULE(i, rules) \
	for ((i) = 0; (i) < RULE_COUNT; (i)++) \
		if ((rules) & RULE(i))
#define LIMIT 300000 /* candidates of the naive procedure, a test */

struct comparison {
	enum model_version version;
	enum naive_version naive;
	struct arena *arena;
	struct text why; /* the first difference */
	bool skipped;
};

static bool
read_test(const struct naive_test *test, struct comparison *c,
    struct program *program)
{
	struct source source = {.name = "drawn"};
	struct suite suite = {0};
	struct errs errs = {0};
	bool ok;

	source.text = naive_text(test, "drawn", c->arena);
	source.size = strlen(source.text);
	ok = (test->litmus ? read_litmus : read_yaml)(&source, c->arena,
	    &suite, &errs);
	if (ok) {
		*program = suite.programs[0];
		return true;
	}
	/* too many outcomes to count is no difference */
	c->skipped = errs.list[0].code == ERR_LIMIT;
	if (!c->skipped)
		text_printf(&c->why, "unreadable: %s\n",
		    errs.list[0].message);
	return false;
}

static uint64_t
packed(const struct program *p, uint32_t code)
{
	uint64_t values[SLOTS_MAX], outcome = 0;
	int i;

	outcome_values(p, code, values);
	for (i = p->nslots - 1; i >= 0; i--)
		outcome = outcome << 8 | (values[i] & 0xff);
	return outcome;
}

static void
print_outcome(struct text *t, const struct naive_test *test, const char *what,
    uint64_t outcome)
{
	int i;

	text_printf(t, "%s:", what);
	for (i = 0; i < test->nslots; i++)
		text_printf(t, " %d", (int)(outcome >> 8 * i & 0xff));
	text_printf(t, "\n");
}

/* The model's outcomes in `found`, its sc ones in `sc`. */
static bool
run_model(const struct program *p, struct comparison *c, bool undefined,
    struct naive_set *found, struct naive_set *sc)
{
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	uint32_t i;

	model_defaults(&opts, c->version);
	opts.witnesses = true;
	opts.syntactic_deps = true;
	if (!model_run(p, &opts, c->arena, &out, &err)) {
		c->skipped = err.code == ERR_LIMIT;
		if (!c->skipped)
			text_printf(&c->why, "%s\n", err.message);
		return false;
	}
	if ((out.status != MODEL_OK) != undefined)
		text_printf(&c->why, "%s\n", undefined ? "has a verdict" :
		    out.reason);
	if (out.status != MODEL_OK)
		return false;
	for (i = 0; i < out.count; i++) {
		uint64_t outcome = packed(p, out.list[i].code);

		naive_add(found, outcome);
		if (out.list[i].sc)
			naive_add(sc, outcome);
		if (!out.list[i].witness)
			text_printf(&c->why, "an outcome has no witness\n");
	}
	return true;
}

static void
compare(const struct naive_test *test, struct comparison *c,
    const struct naive_set *model, const struct naive_set *naive,
    const char *what)
{
	int i;

	for (i = 0; i < model->count; i++)
		if (!naive_has(naive, model->list[i]))
			print_outcome(&c->why, test, arena_printf(c->arena,
			    "%s only to the model", what), model->list[i]);
	for (i = 0; i < naive->count; i++)
		if (!naive_has(model, naive->list[i]))
			print_outcome(&c->why, test, arena_printf(c->arena,
			    "%s only to the naive procedure", what),
			    naive->list[i]);
}

static bool
differs(void *user, const struct naive_test *test)
{
	struct comparison *c = user;
	struct naive_set naive = {0}, sc = {0}, found = {0}, marked = {0};
	struct program program;

	arena_reset(c->arena);
	text_init(&c->why, c->arena);
	c->skipped = !naive_outcomes(test, c->naive, LIMIT, &naive);
	if (!c->skipped && read_test(test, c, &program) &&
	    run_model(&program, c, naive.undefined, &found, &marked)) {
		compare(test, c, &found, &naive, "allowed");
		naive_interleave(test, &sc);
		compare(test, c, &marked, &sc, "sc");
	}
	naive_free(&naive);
	naive_free(&sc);
	naive_free(&found);
	naive_free(&marked);
	return c->why.size > 0;
}

/* Did the version know this instruction? */
static bool
knows(enum model_version version, const struct naive_insn *insn)
{
	if (insn->scope == SCOPE_CLUSTER ||
	    insn->kind == NAIVE_CLUSTER_ARRIVE ||
	    insn->kind == NAIVE_MBARRIER_WAIT ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE ||
	    (insn->kind == NAIVE_FENCE && (insn->sem == SEM_ACQUIRE ||
	    insn->sem == SEM_RELEASE)))
		return false;
	return version != MODEL_PTX60 || (insn->view < VIEW_W &&
	    insn->kind != NAIVE_PROXY_FENCE);
}

static bool
suits(const struct naive_test *test, enum model_version version)
{
	int t, i;

	for (t = 0; version != MODEL_PTX && t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++)
			if (!knows(version, &test->threads[t].insns[i]))
				return false;
	return version != MODEL_PTX60 || !test->litmus;
}

static long
setting(const char *name, long fallback)
{
	const char *s = getenv(name);

	return s ? strtol(s, NULL, 0) : fallback;
}

static void
report(struct comparison *c, struct naive_test *test, uint64_t seed, long n)
{
	naive_shrink(test, differs, c);
	differs(c, test);
	ck_abort_msg("seed %llu, draw %ld, model %s, shrunk:\n%s%s",
	    (unsigned long long)seed, n, model_version_name(c->version),
	    naive_text(test, "drawn", arena_new()), c->why.s);
}

START_TEST(agrees)
{
	static const struct {
		enum model_version version;
		enum naive_version naive;
	} versions[] = {{MODEL_PTX, NAIVE_NEWEST}, {MODEL_PTX75, NAIVE_75},
	    {MODEL_PTX60, NAIVE_60}};
	struct comparison c = {.arena = arena_new()};
	uint64_t seed = (uint64_t)setting("FENCEPOST_ORACLE_SEED", 1);
	long tests = setting("FENCEPOST_ORACLE", 2000), run = 0;
	long n = setting("FENCEPOST_ORACLE_FIRST", 0);
	size_t v;

	for (; run < tests; n++) {
		struct draw d = {seed, (uint64_t)n, 0};
		struct naive_test test;
		bool whole = true;

		naive_draw(&test, &d);
		for (v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
			c.version = versions[v].version;
			c.naive = versions[v].naive;
			if (!suits(&test, c.version))
				continue;
			if (differs(&c, &test))
				report(&c, &test, seed, n);
			whole &= !c.skipped;
		}
		run += whole;
	}
	printf("oracle: %ld tests of seed %llu agree (%ld drawn, the rest "
	    "too large)\n", run, (unsigned long long)seed, n);
	arena_free(c.arena);
}
END_TEST

/* ---- what the draws can tell ------------------------------------------ */

/* The model's answer: the outcomes, or that there are none. */
static bool
answer(const struct program *p, struct comparison *c, uint64_t mutation,
    struct naive_set *found)
{
	struct model_opts opts;
	struct outcomes out;
	struct err err;
	uint32_t i;

	model_defaults(&opts, c->version);
	opts.max_candidates = 20000;
	opts.syntactic_deps = true;
	opts.mutation = mutation;
	if (!model_run(p, &opts, c->arena, &out, &err))
		return false;
	found->undefined = out.status != MODEL_OK;
	for (i = 0; i < out.count; i++)
		naive_add(found, packed(p, out.list[i].code));
	return true;
}

static bool
same(const struct naive_set *a, const struct naive_set *b)
{
	return a->undefined == b->undefined && a->count == b->count &&
	    (!a->count || memcmp(a->list, b->list, (size_t)a->count *
	    sizeof(*a->list)) == 0);
}

/* Of these rules, those without which the model, or with which it answers
   otherwise. */
static uint64_t
noticed(const struct naive_test *test, struct comparison *c, uint64_t rules)
{
	struct naive_set with = {0}, without = {0};
	struct program program;
	uint64_t found = 0;
	int i;

	arena_reset(c->arena);
	text_init(&c->why, c->arena);
	if (!read_test(test, c, &program) || !answer(&program, c, 0, &with))
		rules = 0;
	EACH_RULE(i, rules) {
		if (answer(&program, c, RULE(i), &without) &&
		    !same(&with, &without))
			found |= RULE(i);
		naive_free(&without);
		without = (struct naive_set){0};
	}
	naive_free(&with);
	return found;
}

/* Is there an arrival that a fence could make synchronize? */
static bool
arrives_relaxed(const struct naive_test *test)
{
	int t, i;

	for (t = 0; t < test->nthreads; t++)
		for (i = 1; i < test->threads[t].n; i++)
			if (test->threads[t].insns[i].kind ==
			    NAIVE_CLUSTER_ARRIVE &&
			    test->threads[t].insns[i].sem == SEM_RELAXED)
				return true;
	return false;
}

/* Those that the draws notice; the ones of relaxed arrivals are looked for
   in `most` draws, the others in the first `all` of them. */
static uint64_t
search_rules(uint64_t rules, long all, long most)
{
	const uint64_t relaxed = RULE(RULE_CLUSTER_RELAXED) |
	    RULE(RULE_CLUSTER_FENCE);
	struct comparison c = {.arena = arena_new()};
	uint64_t seed = (uint64_t)setting("FENCEPOST_ORACLE_SEED", 1);
	uint64_t left = rules, ask;
	struct naive_test test;
	long n;

	for (n = 0; n < most && left; n++) {
		struct draw d = {seed, (uint64_t)n, 0};

		naive_draw(&test, &d);
		for (c.version = MODEL_PTX60; c.version <= MODEL_PTX;
		    c.version++) {
			ask = n < all ? left : left & relaxed;
			if (!arrives_relaxed(&test))
				ask &= ~relaxed;
			if (ask && suits(&test, c.version))
				left &= ~noticed(&test, &c, ask);
		}
	}
	arena_free(c.arena);
	return rules & ~left;
}

/*
 * A rule that no draw is about could be wrong in both procedures, or in one,
 * and they would agree. No copies are drawn, no space is named, and fences
 * are redundant for outcomes.
 */
START_TEST(draws_are_about_the_rules)
{
	static const enum rule beyond[] = {
		RULE_FENCE_SC, RULE_PROXY_SPACE, RULE_ASYNC_AFTER,
		RULE_ASYNC_LOOSE, RULE_ASYNC_OWN, RULE_ASYNC_WAIT,
		RULE_ASYNC_READ, RULE_ASYNC_TX, RULE_ASYNC_FENCE,
	};
	long all = setting("FENCEPOST_ORACLE_RULES", 400);
	uint64_t rules = ((uint64_t)1 << RULE_COUNT) - 1, seen;
	size_t i;
	int rule, missing = 0;

	for (i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
		rules &= ~RULE(beyond[i]);
	seen = search_rules(rules, all, all > 3000 ? all : 3000);
	EACH_RULE(rule, rules & ~seen) {
		missing++;
		if (all >= 10000)
			printf("oracle: no draw is about %s\n",
			    rule_name((enum rule)rule));
	}
	ck_assert(seen & RULE(RULE_CLUSTER_FENCE));
	ck_assert(seen & RULE(RULE_CLUSTER_RELAXED));
	ck_assert_int_le(missing, all >= 10000 ? 0 : 15);
}
END_TEST

Suite *suite_oracle(void);

Suite *
suite_oracle(void)
{
	Suite *s = suite_create("oracle");
	TCase *t = tcase_create("agreement");

	tcase_set_timeout(t, 3600);
	tcase_add_test(t, agrees);
	tcase_add_test(t, draws_are_about_the_rules);
	suite_add_tcase(s, t);
	return s;
}
