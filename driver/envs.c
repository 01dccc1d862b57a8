/* The environments that a run tries when it is given none. */
#include "driver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 20)

/* Where a test's threads are, as far as environments go. */
enum where { AT_CTAS, AT_CLUSTER, AT_CTA, AT_WARP, AT_SHARED, AT_COUNT };

/*
 * Field and value by turns, as env_set() reads them; and for each placement
 * the place among those that are tried, the first 1, or 0 for never. The
 * orders are those in which an H200 showed most (reports/recorded), after
 * one or two that differ much from the first: for across CTAs what showed
 * message passing, store buffering and IRIW, and a warm L1, without which a
 * missing acquire is not seen. Inside a CTA nothing showed but with plain
 * values and roles that do not run their instances in the same order.
 */
static const struct {
	const char *name, *fields;
	unsigned char ranks[AT_COUNT];
	unsigned char sim; /* the same on the software machine */
} builtin[] = {
	/*                                 ctas cluster cta warp shared */
	{"plain", "",                        {6, 1, 7, 3, 4}, 1},
	{"every", "layout=all block=256",    {1, 0, 0, 0, 0}, 0},
	{"stale", "warm=yes delay=400",      {2, 4, 0, 0, 0}, 0},
	{"many", "block=256 blocks=33792",   {3, 7, 0, 0, 0}, 0},
	{"lag", "role_shift=2 permute=yes",  {4, 6, 8, 5, 7}, 2},
	{"warm", "warm=yes delay=512 align=pair",
	    {5, 5, 5, 6, 0}, 0},
	{"fused", "tally=fused",             {7, 8, 0, 0, 0}, 0},
	{"reset", "values=plain swap=yes",   {8, 2, 1, 2, 1}, 3},
	{"scatter", "values=plain permute=yes",
	    {9, 3, 3, 4, 2}, 0},
	{"rounds", "values=plain permute=yes warm=yes repeat=8 evict=4 "
	    "delay=200",                     {0, 9, 2, 7, 0}, 0},
	{"one_warp", "same_warp=yes",        {0, 0, 6, 1, 5}, 4},
	{"turned", "values=plain warp_offset=1 align=pair permute=yes",
	    {0, 0, 4, 8, 3}, 0},
	{"apart", "stride=32 permute=yes shuffle=yes",
	    {10, 10, 9, 9, 0}, 0},
	{"record", "together=yes stride=128",
	    {11, 11, 10, 10, 0}, 0},
	{"banks", "bank=31 pre_stress=8 stress_lines=16",
	    {0, 0, 0, 0, 6}, 0},
	/* a launch of the planner's size would take a tenth of a second */
	{"stress", "stress=load_store stress_turns=256 permute=yes "
	    "blocks=1056 stress_blocks=132",
	    {12, 12, 11, 11, 8}, 0},
};

#define NBUILTIN ((int)(sizeof(builtin) / sizeof(*builtin)))

static void
make_env(const char *name, const char *fields, struct arena *a,
    struct env *e)
{
	char *s = arena_strdup(a, fields), *save = NULL, *field;
	struct err err;
	bool ok;

	env_default(e);
	e->name = name;
	for (field = strtok_r(s, " ", &save); field;
	    field = strtok_r(NULL, " ", &save)) {
		char *value = strchr(field, '=');

		*value++ = '\0';
		ok = env_set(e, field, value, &err);
		assert(ok);
		(void)ok;
	}
}

static enum where
where_is(const struct program *p)
{
	static const struct {
		const char *kind;
		enum where where;
	} kinds[] = {
		{"ctas", AT_CTAS}, {"cluster", AT_CLUSTER}, {"cta", AT_CTA},
		{"warp", AT_WARP},
	};
	const char *kind = placement_kind(p);
	int i;

	for (i = 0; i < p->nvars; i++)
		if (p->vars[i].space == SPACE_SHARED &&
		    strcmp(kind, "ctas") != 0)
			return AT_SHARED;
	for (i = 0; strcmp(kinds[i].kind, kind) != 0; i++)
		;
	return kinds[i].where;
}

/* Of a test across CTAs: do some of its threads share one? */
static bool
is_mixed(const struct program *p)
{
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < i; j++)
			if (p->threads[i].cta == p->threads[j].cta)
				return true;
	return false;
}

/* An environment to be tried, with its place among the others. */
struct option {
	const struct env *env;
	double key; /* the smallest first */
};

/* The order of the table, 0: not for this test. Where threads are both
   apart and in one CTA, what is for either is tried by turns. */
static int
rank_of(int index, const struct program *p, const struct caps *caps)
{
	enum where where = where_is(p);
	int rank = builtin[index].ranks[where];
	int inside = builtin[index].ranks[AT_CTA];

	if (caps->sim)
		return builtin[index].sim;
	if (where != AT_CTAS || !is_mixed(p))
		return rank;
	if (!rank || (inside && inside < rank))
		return inside ? 2 * inside : 0;
	return 2 * rank - 1;
}

static int
by_key(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* In the order of the table; their number is at most NBUILTIN. */
static int
add_builtin(const struct program *p, const struct caps *caps,
    struct arena *a, struct option *list)
{
	int i, n = 0;

	for (i = 0; i < NBUILTIN; i++) {
		int rank = rank_of(i, p, caps);
		struct env *e;

		if (!rank)
			continue;
		e = arena_alloc(a, sizeof(*e));
		make_env(builtin[i].name, builtin[i].fields, a, e);
		list[n++] = (struct option){e, rank};
	}
	qsort(list, (size_t)n, sizeof(*list), by_key);
	return n;
}

static const struct env *const *
environments(const struct option *list, int n, struct arena *a)
{
	const struct env **envs = arena_alloc(a, (size_t)n * sizeof(*envs));
	int i;

	for (i = 0; i < n; i++)
		envs[i] = list[i].env;
	return envs;
}

const struct env *const *
envs_builtin(const struct program *p, const struct caps *caps,
    struct arena *a, int *count)
{
	struct option list[NBUILTIN];

	*count = add_builtin(p, caps, a, list);
	return environments(list, *count, a);
}

#define PROFILE_OTHERS 4 /* of other families, where a kind has fewer */

/* "MP.ctas.1": the best of its kind. */
static bool
ends_with_first(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && strcmp(name + n - 2, ".1") == 0;
}

/* Those of the test's own kind, or without any, of any family placed so. */
static int
add_profile(const struct program *p, const struct bench *b, struct arena *a,
    struct option *list)
{
	const char *own = arena_printf(a, "%s.", test_kind_name(p, a));
	const char *placed = strstr(own, arena_printf(a, ".%s.",
	    placement_kind(p)));
	int i, n = 0;

	for (i = 0; i < b->nprofile; i++)
		if (strncmp(b->profile[i]->name, own, strlen(own)) == 0)
			list[n++].env = b->profile[i];
	for (i = 0; i < b->nprofile && placed && n < PROFILE_OTHERS; i++)
		if (strstr(b->profile[i]->name, placed) &&
		    strncmp(b->profile[i]->name, own, strlen(own)) != 0 &&
		    ends_with_first(b->profile[i]->name))
			list[n++].env = b->profile[i];
	return n;
}

const struct env *const *
envs_for(const struct program *p, const struct bench *b, struct arena *a,
    int *count)
{
	struct option *list = arena_alloc(a, (size_t)(NBUILTIN +
	    b->nprofile + PROFILE_OTHERS) * sizeof(*list));
	int tuned = add_profile(p, b, a, list);
	int n = add_builtin(p, &b->info.caps, a, list + tuned), i;

	for (i = 0; i < n; i++)
		list[tuned + i].key = -choices_score(b->choices, p,
		    list[tuned + i].env, i);
	qsort(list + tuned, (size_t)n, sizeof(*list), by_key);
	*count = tuned + n;
	return environments(list, *count, a);
}

bool
envs_equal(const struct env *a, const struct env *b)
{
#define ENV(type, field, low, high, fallback, names, help) \
	if (a->field != b->field) \
		return false;
#include "../gen/env.def"
#undef ENV
	return true;
}

const struct env *const *
envs_read(const char *path, struct arena *a, int *count, struct err *err)
{
	const struct env **list;
	struct source source;
	struct errs errs = {0};
	struct env *envs;
	int i;

	if (!source_read(path, FILE_LIMIT, a, &source, err))
		return NULL;
	if (!env_read(&source, a, &envs, count, &errs)) {
		errs_print(stderr, &errs, &source);
		err_set(err, ERR_INPUT, (struct loc){0},
		    "no environment of '%.200s' is used", path);
		return NULL;
	}
	list = arena_alloc(a, (size_t)*count * sizeof(*list));
	for (i = 0; i < *count; i++)
		list[i] = &envs[i];
	return list;
}

char *
envs_profile_name(const struct device_info *d, struct arena *a)
{
	char *name = arena_printf(a, "profiles/%s.yaml", d->name), *c;

	for (c = name + strlen("profiles/"); *c; c++)
		if (*c == ' ' || *c == '/')
			*c = '_';
	return name;
}

/* What tune found for GPUs of this name, kept in profiles/. */
const struct env *const *
envs_profile(const struct device_info *d, struct arena *a, int *count)
{
	const char *path = data_find(envs_profile_name(d, a), a);
	const struct env *const *list = NULL;
	struct err err;

	*count = 0;
	if (path)
		list = envs_read(path, a, count, &err);
	if (!list)
		*count = 0;
	return list;
}

/* An H200, but for its compute capability. */
static const struct caps typical = {
	.ptx = 90, .processors = 132, .max_threads = 1024,
	.max_resident_threads = 2048, .shared_cta = 49152,
	.l2 = (size_t)50 << 20, .memory = (size_t)64 << 30,
};

bool
plan_typical(const char *test, const char *env, int sm, struct arena *a,
    struct plan *plan, struct err *err)
{
	const struct program *p = select_one(test, a, err);
	const struct env *const *envs;
	struct caps caps = typical;
	struct env plain;
	int n;

	caps.sm = sm;
	caps.max_cluster = sm >= 90 ? 8 : 0;
	if (!p)
		return false;
	env_default(&plain);
	plain.name = "plain";
	if (!env)
		return plan_make(p, &plain, &caps, a, plan, err);
	envs = envs_read(env, a, &n, err);
	return envs && plan_make(p, envs[0], &caps, a, plan, err);
}
