/* The environments that a run tries when it is given none. */
#include "driver.h"

#include <assert.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 20)

enum suits {
	SUITS_CTAS = 1, /* threads in different CTAs */
	SUITS_CTA = 2, /* some CTA with more than one thread */
	SUITS_SIM = 4, /* worth an interpreter's time */
	SUITS_ALL = SUITS_CTAS | SUITS_CTA,
	SUITS_CTA_BEST = 8, /* on an H200 what shows most inside a CTA */
};

/* Field and value by turns, as env_set() reads them. */
static const struct {
	const char *name, *fields;
	unsigned suits;
} builtin[] = {
	{"plain", "", SUITS_ALL | SUITS_SIM},
	{"fused", "tally=fused", SUITS_CTAS},
	{"many", "block=256 blocks=33792", SUITS_CTAS},
	{"lag", "role_shift=2 permute=yes", SUITS_ALL | SUITS_SIM},
	{"apart", "stride=32 permute=yes shuffle=yes", SUITS_ALL},
	{"record", "together=yes stride=128", SUITS_ALL},
	{"stress", "stress=load_store stress_turns=256 permute=yes",
	    SUITS_ALL},
	{"reset", "values=plain swap=yes",
	    SUITS_ALL | SUITS_SIM | SUITS_CTA_BEST},
	{"warm", "warm=yes delay=512 align=pair", SUITS_ALL},
	{"every", "layout=all block=256", SUITS_CTAS},
	{"one_warp", "same_warp=yes", SUITS_CTA | SUITS_SIM},
	{"turned", "warp_offset=1 align=pair permute=yes", SUITS_CTA},
	{"banks", "bank=31 pre_stress=8", SUITS_CTA},
};

#define NBUILTIN (sizeof(builtin) / sizeof(*builtin))

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

static unsigned
what_suits(const struct program *p)
{
	unsigned suits = 0;
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < i; j++)
			suits |= p->threads[i].cta == p->threads[j].cta ?
			    SUITS_CTA : SUITS_CTAS;
	return suits ? suits : SUITS_CTAS;
}

#define PROFILE_OTHERS 4 /* of other families, where a kind has fewer */
#define BESIDE_PROFILE 2 /* built-in ones, in case the profile is stale */

/* "MP.ctas.1": the best of its kind. */
static bool
ends_with_first(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && strcmp(name + n - 2, ".1") == 0;
}

static int
add_builtin(const struct program *p, const struct caps *caps, int most,
    struct arena *a, const struct env **list)
{
	unsigned suits = what_suits(p);
	bool best_first = suits == SUITS_CTA && !caps->sim;
	size_t k, i;
	int n = 0;

	/* when time is short only the first ones run */
	for (k = 0; k < 2 * NBUILTIN && n < most; k++) {
		bool best = best_first &&
		    builtin[k % NBUILTIN].suits & SUITS_CTA_BEST;
		struct env *e;

		i = k % NBUILTIN;
		if (best != (k < NBUILTIN))
			continue;
		if (!(builtin[i].suits & suits) ||
		    (caps->sim && !(builtin[i].suits & SUITS_SIM)))
			continue;
		e = arena_alloc(a, sizeof(*e));
		make_env(builtin[i].name, builtin[i].fields, a, e);
		list[n++] = e;
	}
	return n;
}

const struct env *const *
envs_builtin(const struct program *p, const struct caps *caps,
    struct arena *a, int *count)
{
	const struct env **list = arena_alloc(a, NBUILTIN * sizeof(*list));

	*count = add_builtin(p, caps, (int)NBUILTIN, a, list);
	return list;
}

/* Those of the test's own kind, or without any, of any family placed so. */
static int
add_profile(const struct program *p, const struct bench *b, struct arena *a,
    const struct env **list)
{
	const char *own = arena_printf(a, "%s.", test_kind_name(p, a));
	const char *placed = strstr(own, arena_printf(a, ".%s.",
	    placement_kind(p)));
	int i, n = 0;

	for (i = 0; i < b->nprofile; i++)
		if (strncmp(b->profile[i]->name, own, strlen(own)) == 0)
			list[n++] = b->profile[i];
	for (i = 0; i < b->nprofile && placed && n < PROFILE_OTHERS; i++)
		if (strstr(b->profile[i]->name, placed) &&
		    strncmp(b->profile[i]->name, own, strlen(own)) != 0 &&
		    ends_with_first(b->profile[i]->name))
			list[n++] = b->profile[i];
	return n;
}

const struct env *const *
envs_for(const struct program *p, const struct bench *b, struct arena *a,
    int *count)
{
	const struct env **list = arena_alloc(a, (NBUILTIN +
	    (size_t)b->nprofile + PROFILE_OTHERS) * sizeof(*list));
	int n = add_profile(p, b, a, list);

	n += add_builtin(p, &b->info.caps, n ? BESIDE_PROFILE :
	    (int)NBUILTIN, a, list + n);
	*count = n;
	return list;
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

/* What tune found for GPUs of this name, kept in profiles/. */
const struct env *const *
envs_profile(const struct device_info *d, struct arena *a, int *count)
{
	char *name = arena_printf(a, "profiles/%s.yaml", d->name), *c;
	const struct env *const *list = NULL;
	const char *path;
	struct err err;

	*count = 0;
	for (c = name + strlen("profiles/"); *c; c++)
		if (*c == ' ' || *c == '/')
			*c = '_';
	path = data_find(name, a);
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
	int n;

	caps.sm = sm;
	caps.max_cluster = sm >= 90 ? 8 : 0;
	if (!p)
		return false;
	envs = env ? envs_read(env, a, &n, err) :
	    envs_builtin(p, &caps, a, &n);
	return envs && plan_make(p, envs[0], &caps, a, plan, err);
}
