#include "help_plan.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct caps plan_h200 = {
	.sm = 90, .ptx = 90, .processors = 132, .max_threads = 1024,
	.max_resident_threads = 2048, .shared_cta = 48 * 1024,
	.l2 = (size_t)50 << 20, .memory = (size_t)139 << 30,
	.max_cluster = 8,
};

const struct caps plan_sim = {
	.sm = 90, .ptx = 90, .processors = 4, .max_threads = 1024,
	.max_resident_threads = 2048, .shared_cta = 48 * 1024,
	.l2 = (size_t)1 << 20, .memory = (size_t)1 << 30,
	.max_cluster = 8, .sim = true,
};

const struct program *
plan_program(const char *text, const char *name, struct arena *a)
{
	struct source source = {"test.yaml", text, strlen(text)};
	struct errs errs = {0};
	struct suite suite = {0};
	int i;

	if (!read_yaml(&source, a, &suite, &errs)) {
		errs_print(stderr, &errs, &source);
		ck_abort_msg("the test does not read");
	}
	for (i = 0; i < suite.count; i++)
		if (!name || !strcmp(suite.programs[i].name, name))
			return &suite.programs[i];
	ck_abort_msg("no program %s", name);
	return NULL;
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t c = a % b;

		a = b;
		b = c;
	}
	return a;
}

void
plan_draw(const struct kernel *k, struct draw *d, uint32_t *draws)
{
	int i;

	for (i = 0; i < k->nparams; i++) {
		const struct param *p = &k->params[i];
		uint32_t v;

		if (p->kind != PARAM_DRAW)
			continue;
		do
			v = draw_below(d, p->bound);
		while (p->coprime && gcd(v, p->bound) != 1);
		draws[p->index] = v;
	}
}

/* Every region of a plan, and where it is. */
struct regions {
	uint64_t var[VARS_MAX], result[THREADS_MAX], bins, scratch, epoch;
};

static bool
regions_alloc(struct device *d, const struct plan *plan, struct regions *r,
    struct err *err)
{
	bool ok = true;
	int i;

	for (i = 0; i < plan->program->nvars; i++)
		if (plan->var_bytes[i])
			ok = ok && sim_ops.alloc(d, plan->var_bytes[i],
			    &r->var[i], err);
	for (i = 0; i < plan->program->nthreads; i++)
		if (plan->result_bytes[i])
			ok = ok && sim_ops.alloc(d, plan->result_bytes[i],
			    &r->result[i], err);
	if (plan->scratch_bytes)
		ok = ok && sim_ops.alloc(d, plan->scratch_bytes, &r->scratch,
		    err);
	return ok && sim_ops.alloc(d, EPOCH_BYTES, &r->epoch, err) &&
	    sim_ops.alloc(d, 8 * plan->nbins, &r->bins, err) &&
	    sim_ops.fill(d, r->bins, 0, 8 * plan->nbins, err);
}

static size_t
pack(const struct kernel *k, const struct regions *r, const uint32_t *draws,
    unsigned char *to)
{
	size_t n = 0;
	int i;

	for (i = 0; i < k->nparams; i++) {
		const struct param *p = &k->params[i];
		uint64_t v = p->value;
		size_t size = 8;

		switch (p->kind) {
		case PARAM_VAR:
			v = r->var[p->index];
			break;
		case PARAM_RESULT:
			v = r->result[p->index];
			break;
		case PARAM_BINS:
			v = r->bins;
			break;
		case PARAM_SCRATCH:
			v = r->scratch;
			break;
		case PARAM_EPOCH:
			v = r->epoch;
			break;
		case PARAM_DRAW:
			v = draws[p->index];
			size = 4;
			break;
		case PARAM_U32:
			size = 4;
			break;
		case PARAM_U64:
			break;
		}
		memcpy(to + n, &v, size);
		n += size;
	}
	return n;
}

static struct launch
launch_of(const struct kernel *k, struct module *m, const struct plan_run *r,
    uint64_t stream, const void *params, size_t size)
{
	return (struct launch){
		.module = m, .kernel = k->name, .grid = {k->grid, 1, 1},
		.block = {k->block, 1, 1}, .cluster = k->cluster,
		.shared = k->shared, .together = k->together,
		.harness = k->harness, .seed = r->seed, .stream = stream,
		.params = params, .params_size = size,
	};
}

static bool
one_launch(struct device *d, struct module *m, const struct plan_run *r,
    const struct regions *regions, uint64_t n, struct err *err)
{
	const struct kernel *kernels[] = {&r->plan->init, &r->plan->test,
	    &r->plan->tally};
	unsigned char params[3][8 * PARAMS_MAX];
	struct draw draw = {r->seed, n, 0};
	uint32_t draws[DRAW_COUNT] = {0};
	double seconds;
	int i;

	plan_draw(&r->plan->test, &draw, draws);
	for (i = n == 0 ? 0 : 1; i < 3; i++) {
		size_t size = pack(kernels[i], regions, draws, params[i]);
		struct launch l = launch_of(kernels[i], m, r, 3 * n +
		    (uint64_t)i, params[i], size);

		if (kernels[i]->grid &&
		    !sim_ops.run(d, &l, 1, 1, 30, &seconds, err))
			return false;
	}
	return true;
}

bool
plan_run(const struct plan_run *r, struct err *err)
{
	struct arena *a = arena_new();
	struct regions regions = {0};
	struct device *d;
	struct module *m = NULL;
	uint64_t n;
	bool ok;

	if (!sim_ops.open(0, r->options, &d, err)) {
		arena_free(a);
		return false;
	}
	ok = sim_ops.load(d, emit_ptx(r->plan, r->sabotage, a),
	    ASSEMBLER_DRIVER, &m, err) &&
	    regions_alloc(d, r->plan, &regions, err);
	for (n = 0; ok && n < r->launches; n++)
		ok = one_launch(d, m, r, &regions, n, err);
	ok = ok && sim_ops.read(d, r->bins, regions.bins,
	    8 * r->plan->nbins, err);
	if (m)
		sim_ops.unload(d, m);
	sim_ops.close(d);
	arena_free(a);
	return ok;
}

void
plan_env(const char *text, struct env *e)
{
	struct arena *a = arena_new();
	char *rest = arena_strdup(a, text), *field;
	struct err err;

	while ((field = strtok_r(rest, " ", &rest))) {
		const char *value = strtok_r(rest, " ", &rest);

		if (!value || !env_set(e, field, value, &err))
			ck_abort_msg("%s: %s", text, value ? err.message :
			    "no value");
	}
	arena_free(a);
}

bool
plan_assemble(const char *ptx, int sm, struct arena *a, const char **cubin)
{
	static bool said;
	const char *ptxas = tool_find("ptxas", a), *name;
	char path[] = "/tmp/fencepost-XXXXXX";
	const char *argv[] = {ptxas, "--generate-line-info", "-arch",
	    arena_printf(a, "sm_%d", sm), path, "-o", NULL, NULL};
	struct text out;
	struct err err;
	int fd, status;
	FILE *f;

	if (!ptxas) {
		if (!said)
			fprintf(stderr, "no ptxas here: nothing is "
			    "assembled\n");
		said = true;
		return false;
	}
	fd = mkstemp(path);
	f = fdopen(fd, "w");
	fputs(ptx, f);
	fclose(f);
	name = arena_printf(a, "%s.cubin", path);
	argv[6] = name;
	text_init(&out, a);
	if (!tool_run(argv, 60, 1 << 20, &out, &status, &err))
		ck_abort_msg("%s", err.message);
	unlink(path);
	if (status)
		ck_abort_msg("ptxas for sm_%d: %s\n%s", sm, out.s, ptx);
	*cubin = name;
	return true;
}
