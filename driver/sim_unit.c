/*
 * A unit: CTAs that run side by side under one scheduler. The scheduler
 * picks a ready thread at random for each access to shared memory; CTAs
 * beyond those that fit start as others end, in the order of the grid.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <Random123/philox.h>

#define DEADLINE_TURNS 4096 /* between two looks at the clock */

/* Seven rounds pass every test that ten do (Salmon et al., SC 2011), and
   the scheduler draws a number for every access. */
void
sim_rng_block(struct sim_rng *r)
{
	philox4x32_ctr_t c = {{(uint32_t)r->block, (uint32_t)(r->block >> 32),
	    (uint32_t)r->stream, (uint32_t)(r->stream >> 32)}};
	philox4x32_key_t k = {{(uint32_t)r->seed,
	    (uint32_t)(r->seed >> 32)}};

	c = philox4x32_R(7, c, k);
	memcpy(r->word, c.v, sizeof(r->word));
	r->block++;
	r->left = 4;
}

struct sim_unit *
sim_unit_new(struct device *d)
{
	struct sim_unit *u = sim_must(calloc(1, sizeof(*u)));

	u->device = d;
	u->arena = arena_new();
	return u;
}

/* Those that a launch which failed left behind. */
static void
copies_clear(struct sim_unit *u)
{
	while (u->ncopies > 0)
		free(u->copies[--u->ncopies].data);
}

void
sim_unit_free(struct sim_unit *u)
{
	sim_weak_free(u);
	copies_clear(u);
	free(u->copies);
	arena_free(u->arena);
	free(u);
}

/* ---- the ready list ------------------------------------------------------- */

void
sim_ready(struct sim_unit *u, struct sim_thread *t)
{
	t->state = SIM_READY;
	t->ready = u->nready;
	u->ready[u->nready++] = t->id;
}

void
sim_block(struct sim_unit *u, struct sim_thread *t, enum sim_state state)
{
	uint32_t last;

	if (t->state == SIM_READY) {
		last = u->ready[--u->nready];
		u->ready[t->ready] = last;
		u->threads[last].ready = t->ready;
	}
	t->state = state;
}

/* ---- register files -------------------------------------------------------- */

static uint64_t
param_value(const struct sim_slot *s, const struct launch *launch)
{
	const uint8_t *at = (const uint8_t *)launch->params + s->value;
	uint64_t v = sim_cut_load(at, s->size);

	return s->extend ? sim_extend(v, s->size, s->extend) : v;
}

static uint64_t
special(const struct sim_unit *u, const struct sim_thread *t,
    enum sim_special which)
{
	const struct launch *l = u->launch;
	const struct sim_cta *cta = t->cta;
	uint32_t x = l->block[0], xy = x * l->block[1], size;
	uint64_t gx = l->grid[0], gy = l->grid[1];

	size = cta->cluster->size;
	switch (which) {
	case SPECIAL_TID_X: return t->tid < x ? t->tid : t->tid % x;
	case SPECIAL_TID_Y: return t->tid % xy / x;
	case SPECIAL_TID_Z: return t->tid / xy;
	case SPECIAL_NTID_X: return x;
	case SPECIAL_NTID_Y: return l->block[1];
	case SPECIAL_NTID_Z: return l->block[2];
	case SPECIAL_CTAID_X: return cta->index % gx;
	case SPECIAL_CTAID_Y: return cta->index / gx % gy;
	case SPECIAL_CTAID_Z: return cta->index / (gx * gy);
	case SPECIAL_NCTAID_X: return gx;
	case SPECIAL_NCTAID_Y: return gy;
	case SPECIAL_NCTAID_Z: return l->grid[2];
	case SPECIAL_CLUSTERID_X: return cta->index % gx / size;
	case SPECIAL_CLUSTERID_Y: return cta->index / gx % gy;
	case SPECIAL_CLUSTERID_Z: return cta->index / (gx * gy);
	case SPECIAL_NCLUSTERID_X: return gx / size;
	case SPECIAL_NCLUSTERID_Y: return gy;
	case SPECIAL_NCLUSTERID_Z: return l->grid[2];
	case SPECIAL_CLUSTER_CTAID_X:
	case SPECIAL_CLUSTER_CTARANK: return cta->rank;
	case SPECIAL_CLUSTER_NCTAID_X:
	case SPECIAL_CLUSTER_NCTARANK: return size;
	case SPECIAL_CLUSTER_NCTAID_Y:
	case SPECIAL_CLUSTER_NCTAID_Z: return 1;
	case SPECIAL_IS_EXPLICIT_CLUSTER: return l->cluster != 0;
	case SPECIAL_LANEID: return t->lane;
	case SPECIAL_WARPID: return t->tid / SIM_WARP;
	case SPECIAL_NWARPID: return u->nwarps;
	case SPECIAL_WARP_SIZE: return SIM_WARP;
	case SPECIAL_SMID: return cta->index % SIM_PROCESSORS;
	case SPECIAL_NSMID: return SIM_PROCESSORS;
	case SPECIAL_LANEMASK_EQ: return (uint64_t)1 << t->lane;
	case SPECIAL_LANEMASK_LT: return ((uint64_t)1 << t->lane) - 1;
	case SPECIAL_LANEMASK_LE: return ((uint64_t)2 << t->lane) - 1;
	case SPECIAL_LANEMASK_GE:
		return UINT32_MAX & ~(((uint64_t)1 << t->lane) - 1);
	case SPECIAL_LANEMASK_GT:
		return UINT32_MAX & ~(((uint64_t)2 << t->lane) - 1);
	case SPECIAL_ENVREG1: return u->device->workspace >> 32;
	case SPECIAL_ENVREG2: return (uint32_t)u->device->workspace;
	case SPECIAL_DYNAMIC_SMEM_SIZE: return l->shared;
	case SPECIAL_TOTAL_SMEM_SIZE: return u->shared_bytes;
	default: return 0; /* the y and z of what has one dimension */
	}
}

/* What a launch puts into every register file; most launches put there what
   the one before did. */
static void
template_fill(struct sim_unit *u)
{
	const struct sim_kernel *k = u->kernel;
	bool same = true;
	int i;

	for (i = 0; i < k->nslots; i++) {
		const struct sim_slot *s = &k->slots[i];
		uint64_t *to = &u->template[k->nregs + i];
		uint64_t v = s->source == SIM_SOURCE_PARAM ?
		    param_value(s, u->launch) : s->value;

		if (s->source >= SIM_SOURCE_SHARED)
			continue;
		same = same && *to == v;
		*to = v;
	}
	if (!same || u->template_number == 0)
		u->template_number++;
}

/* Specials that threads of one CTA differ in. */
static bool
is_of_thread(const struct sim_slot *s)
{
	switch ((enum sim_special)s->value) {
	case SPECIAL_TID_X:
	case SPECIAL_TID_Y:
	case SPECIAL_TID_Z:
	case SPECIAL_LANEID:
	case SPECIAL_WARPID:
	case SPECIAL_LANEMASK_EQ:
	case SPECIAL_LANEMASK_LE:
	case SPECIAL_LANEMASK_LT:
	case SPECIAL_LANEMASK_GE:
	case SPECIAL_LANEMASK_GT:
		return s->source == SIM_SOURCE_SPECIAL;
	default:
		return false;
	}
}

static void
fills_find(struct sim_unit *u)
{
	const struct sim_kernel *k = u->kernel;
	int i, pass, n = 0;

	u->fills = arena_alloc(u->arena,
	    (size_t)k->nslots * sizeof(*u->fills));
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < k->nslots; i++)
			if (k->slots[i].source >= SIM_SOURCE_SHARED &&
			    is_of_thread(&k->slots[i]) == (pass == 1))
				u->fills[n++] = (struct sim_fill){
				    (uint32_t)(k->nregs + i), &k->slots[i]};
		if (pass == 0)
			u->ncta_fills = n;
	}
	u->nfills = n;
}

/* What all threads of the CTA share goes into the template. */
static void
cta_fill(struct sim_unit *u, const struct sim_cta *cta)
{
	uint64_t base = (uint64_t)cta->rank << SIM_RANK_BITS;
	int i;

	for (i = 0; i < u->ncta_fills; i++) {
		const struct sim_slot *s = u->fills[i].from;

		u->template[u->fills[i].slot] =
		    s->source == SIM_SOURCE_SPECIAL ? special(u,
		    &cta->threads[0], (enum sim_special)s->value) :
		    base + (s->source == SIM_SOURCE_SHARED ? s->value :
		    u->shared_dynamic);
	}
}

static void
broadcast(uint64_t *lanes, uint64_t value)
{
	int i;

	for (i = 0; i < SIM_WARP; i++)
		lanes[i] = value;
}

static void
warp_fill(struct sim_unit *u, struct sim_warp *w)
{
	uint64_t *regs = w->lanes[0].regs;
	uint32_t i, lane, first = (uint32_t)u->kernel->nregs;
	int j;

	memset(regs, 0, first * SIM_WARP * sizeof(*regs));
	for (j = 0; j < u->ncta_fills; j++) {
		i = u->fills[j].slot;
		broadcast(regs + i * SIM_WARP, u->template[i]);
	}
	if (w->filled == u->template_number)
		return;
	w->filled = u->template_number;
	for (i = first; i < u->nregfile; i++)
		broadcast(regs + i * SIM_WARP, u->template[i]);
	for (j = u->ncta_fills; j < u->nfills; j++)
		for (lane = 0; lane < w->size; lane++)
			w->lanes[lane].regs[u->fills[j].slot * SIM_WARP] =
			    special(u, &w->lanes[lane], (enum sim_special)
			    u->fills[j].from->value);
}

/* ---- CTAs ------------------------------------------------------------------- */

static void
warp_start(struct sim_unit *u, struct sim_warp *w)
{
	uint32_t i;

	w->live = w->count;
	w->waiting = 0;
	w->domain = (struct sim_domain){0};
	warp_fill(u, w);
	for (i = 0; i < w->size; i++) {
		struct sim_thread *t = &w->lanes[i];

		t->pc = 0;
		t->steps = 0;
		t->pending = 0;
		t->groups[0] = t->groups[1] = 0;
		t->arrived = false;
		t->barriers = 0;
		if (u->kernel->local)
			memset(t->local, 0, u->kernel->local);
		t->state = SIM_EXITED;
		sim_ready(u, t);
		u->memory->start(u, t);
	}
	sim_run_warp(u, w);
}

/* What a program reads from shared memory before it writes there. */
#define SHARED_JUNK 0xa5

static void
cta_start(struct sim_unit *u, struct sim_cta *cta, uint64_t index)
{
	uint32_t i;

	cta->index = index;
	cta->live = u->block;
	if (cta->active)
		memset(cta->barriers, 0, sizeof(cta->barriers));
	cta->active = 0;
	cta->domain = cta->sc = (struct sim_domain){0};
	u->memory->recycle(u, cta->shared, u->shared_bytes);
	memset(cta->shared, SHARED_JUNK, u->shared_bytes);
	cta_fill(u, cta);
	for (i = 0; i < u->nwarps; i++)
		warp_start(u, &cta->warps[i]);
}

static void
cluster_start(struct sim_unit *u, struct sim_cluster *cluster)
{
	uint32_t i;

	cluster->live = cluster->size * u->block;
	cluster->arrived = 0;
	cluster->phase = 0;
	cluster->domain = cluster->sc = (struct sim_domain){0};
	u->live += cluster->live;
	for (i = 0; i < cluster->size; i++)
		cta_start(u, &u->ctas[cluster->rank0 + i], u->next_cta++);
}

void
sim_cluster_end(struct sim_unit *u, struct sim_cluster *cluster)
{
	if (u->next_cta < u->end_cta && u->err.code == ERR_NONE)
		cluster_start(u, cluster);
}

/* ---- the shape of a unit ------------------------------------------------------ */

uint32_t
sim_resident(const struct sim_kernel *kernel, uint32_t block,
    uint32_t dynamic)
{
	uint32_t warps = (block + SIM_WARP - 1) / SIM_WARP;
	uint32_t n = SIM_RESIDENT_THREADS / (warps * SIM_WARP);
	uint32_t shared = kernel->shared + dynamic;

	if (shared > 0 && n > SIM_SHARED_MAX / shared)
		n = SIM_SHARED_MAX / shared;
	return (n > 32 ? 32 : n) * SIM_PROCESSORS;
}

static void
shape_warp(struct sim_unit *u, struct sim_cta *cta, uint32_t index)
{
	struct sim_warp *w = &cta->warps[index];
	uint32_t i, first = index * SIM_WARP;
	uint64_t *regs = arena_alloc(u->arena, (size_t)u->nregfile *
	    SIM_WARP * sizeof(*regs));

	w->lanes = &cta->threads[first];
	w->size = u->block - first < SIM_WARP ? u->block - first : SIM_WARP;
	w->count = (uint32_t)(((uint64_t)1 << w->size) - 1);
	for (i = 0; i < w->size; i++) {
		struct sim_thread *t = &w->lanes[i];

		t->id = (uint32_t)(t - u->threads);
		t->tid = first + i;
		t->lane = i;
		t->cta = cta;
		t->warp = w;
		t->regs = regs + i;
		t->local = arena_alloc(u->arena, u->kernel->local);
		t->state = SIM_EXITED;
	}
}

static void
shape_cta(struct sim_unit *u, uint32_t index)
{
	struct sim_cta *cta = &u->ctas[index];
	uint32_t i;

	cta->threads = u->threads + (size_t)index * u->block;
	cta->warps = arena_alloc(u->arena, u->nwarps * sizeof(*cta->warps));
	cta->shared = arena_alloc(u->arena, u->shared_bytes);
	cta->shared_bytes = u->shared_bytes;
	cta->rank = index % u->ncluster;
	cta->cluster = &u->clusters[index / u->ncluster];
	cta->cluster->size = u->ncluster;
	cta->cluster->rank0 = index - cta->rank;
	for (i = 0; i < u->nwarps; i++)
		shape_warp(u, cta, i);
}

static void
shape_units(struct sim_unit *u)
{
	size_t n = (size_t)u->nctas * u->block;
	uint32_t i;

	u->threads = arena_alloc(u->arena, n * sizeof(*u->threads));
	u->ready = arena_alloc(u->arena, n * sizeof(*u->ready));
	u->ctas = arena_alloc(u->arena, u->nctas * sizeof(*u->ctas));
	u->clusters = arena_alloc(u->arena,
	    u->nclusters * sizeof(*u->clusters));
	for (i = 0; i < u->nctas; i++)
		shape_cta(u, i);
}

/* Memory is set out anew only when the kernel or its shape changes. */
static void
shape(struct sim_unit *u, const struct sim_kernel *kernel,
    const struct launch *launch, uint64_t ctas)
{
	uint32_t block = launch->block[0] * launch->block[1] *
	    launch->block[2];
	uint32_t cluster = launch->cluster ? launch->cluster : 1;
	uint32_t dynamic = (kernel->shared + 15) & ~15u;
	uint32_t shared = launch->shared ? dynamic + launch->shared :
	    kernel->shared;
	uint32_t most = sim_resident(kernel, block, launch->shared);

	most = most < cluster ? 1 : most / cluster;
	if (ctas / cluster < most)
		most = (uint32_t)(ctas / cluster);
	u->launch = launch;
	if (u->kernel == kernel && u->block == block &&
	    u->ncluster == cluster && u->shared_bytes == shared &&
	    u->nclusters == most)
		return;
	arena_reset(u->arena);
	u->template_number = 0;
	u->kernel = kernel;
	u->block = block;
	u->nwarps = (block + SIM_WARP - 1) / SIM_WARP;
	u->ncluster = cluster;
	u->nclusters = most;
	u->nctas = most * cluster;
	u->shared_bytes = shared;
	u->shared_dynamic = dynamic;
	u->nregfile = (uint32_t)(kernel->nregs + kernel->nslots);
	u->template = arena_alloc(u->arena,
	    u->nregfile * sizeof(*u->template));
	fills_find(u);
	shape_units(u);
}

/* ---- running -------------------------------------------------------------------- */

double
sim_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
schedule(struct sim_unit *u, double deadline)
{
	while (u->nready > 0 && u->err.code == ERR_NONE) {
		uint64_t drawn = (uint64_t)sim_rng_u32(&u->rng) * u->nready;
		struct sim_thread *t = &u->threads[u->ready[drawn >> 32]];

		/* what is left of the draw is as good as another */
		u->luck = (uint32_t)drawn;
		sim_run(u, t);
		sim_async_turn(u);
		if (++u->clock % DEADLINE_TURNS == 0 && sim_now() > deadline)
			sim_fail(u, t, &u->kernel->code[t->pc], ERR_HANG,
			    "no end within the time given");
	}
	if (u->live > 0 && u->err.code == ERR_NONE)
		sim_deadlock(u);
}

bool
sim_unit_run(struct sim_unit *u, const struct sim_kernel *kernel,
    const struct launch *launch, uint64_t first, uint64_t end,
    const uint64_t stream[2], double deadline)
{
	const struct sim_options *o = &u->device->options;
	uint32_t i;

	shape(u, kernel, launch, end - first);
	u->rng = (struct sim_rng){.seed = stream[0], .stream = stream[1]};
	u->memory = o->memory == SIM_MEMORY_SC || launch->harness ? &sim_sc :
	    &sim_weak;
	u->fault = launch->harness ? SIM_FAULT_NONE : o->fault;
	u->err = (struct err){0};
	u->next_cta = first;
	u->end_cta = end;
	u->live = u->nready = 0;
	copies_clear(u);
	u->clock = 0;
	if (launch->cooperative)
		memset(sim_address(u->device, u->device->workspace,
		    SIM_WORKSPACE), 0, SIM_WORKSPACE);
	template_fill(u);
	u->memory->begin(u);
	for (i = 0; i < u->nclusters; i++)
		cluster_start(u, &u->clusters[i]);
	schedule(u, deadline);
	u->memory->end(u);
	return u->err.code == ERR_NONE;
}
