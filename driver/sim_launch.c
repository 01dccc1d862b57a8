/*
 * Launches: cut into units, which workers take in turn. Nothing that a unit
 * does depends on who runs it, or when.
 */
#include "sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct sim_kernel *
kernel_find(const struct module *m, const char *name)
{
	int i;

	for (i = 0; i < m->nkernels; i++)
		if (strcmp(m->kernels[i].name, name) == 0)
			return &m->kernels[i];
	return NULL;
}

static bool
refuse(struct err *err, const struct launch *l, const char *why)
{
	return err_set(err, ERR_DEVICE, (struct loc){0},
	    "sim: kernel %s cannot be launched: %s", l->kernel, why);
}

static uint64_t
ctas_of(const struct launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static bool
check_cluster(const struct launch *l, const struct sim_kernel *k,
    struct err *err)
{
	uint32_t cluster = l->cluster ? l->cluster : 1;

	if (cluster > SIM_CLUSTER_MAX || l->grid[0] % cluster)
		return refuse(err, l, "a cluster has at most 16 CTAs and "
		    "divides the grid");
	if (k->reqcluster && k->reqcluster != cluster)
		return refuse(err, l, "it wants another cluster size");
	if (l->together && (ctas_of(l) % l->together ||
	    l->together % cluster))
		return refuse(err, l, "CTAs that belong together divide the "
		    "grid and are whole clusters");
	return true;
}

static bool
check(const struct launch *l, const struct sim_kernel *k, struct err *err)
{
	uint64_t block = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (!k)
		return refuse(err, l, "the module has no such kernel");
	if (block == 0 || block > SIM_THREADS_MAX || ctas_of(l) == 0)
		return refuse(err, l, "a CTA has 1 to 1024 threads, a grid at "
		    "least one CTA");
	if (k->reqntid && k->reqntid != block)
		return refuse(err, l, "it wants another block size");
	if (l->params_size < k->params_size)
		return refuse(err, l, "parameters are missing");
	if ((uint64_t)k->shared + l->shared > SIM_SHARED_MAX)
		return refuse(err, l, "too much shared memory");
	if (l->cooperative && ctas_of(l) > sim_resident(k, (uint32_t)block,
	    l->shared))
		return refuse(err, l, "its CTAs cannot all be resident");
	return check_cluster(l, k, err);
}

/* What the workers of one run() share. */
struct job {
	struct device *device;
	const struct launch *launches;
	const struct sim_kernel **kernels;
	int count, workers;
	uint64_t repeat;
	double deadline;
	uint64_t next; /* unit to take */
	bool failed;
	uint64_t failed_at; /* lowest unit that failed, in this launch */
	struct err err;
	pthread_mutex_t lock;
	pthread_barrier_t barrier;
};

struct worker {
	struct job *job;
	int index;
};

/* Everything a unit draws comes from these two. */
static void
stream_of(const struct job *job, const struct launch *l, int index,
    uint64_t turn, uint64_t unit, uint64_t stream[2])
{
	uint64_t parts[] = {job->device->options.seed, l->seed, l->stream,
	    (uint64_t)index, turn, unit};

	stream[0] = hash64(parts, sizeof(parts), 0);
	stream[1] = hash64(parts, sizeof(parts), 1);
}

static bool
take(struct job *job, uint64_t units, uint64_t *unit)
{
	if (__atomic_load_n(&job->failed, __ATOMIC_RELAXED))
		return false;
	*unit = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
	return *unit < units;
}

/* Units are taken in order, so the lowest to fail is always the same. */
static void
fail(struct job *job, uint64_t unit, const struct err *err)
{
	pthread_mutex_lock(&job->lock);
	if (!job->failed || unit < job->failed_at) {
		job->err = *err;
		job->failed_at = unit;
	}
	__atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&job->lock);
}

static void
launch_one(struct worker *w, int index, uint64_t turn)
{
	struct job *job = w->job;
	const struct launch *l = &job->launches[index];
	struct sim_unit *u = job->device->units[w->index * job->count + index];
	uint64_t size = l->together ? l->together : ctas_of(l), unit;
	uint64_t stream[2];

	while (take(job, ctas_of(l) / size, &unit)) {
		stream_of(job, l, index, turn, unit, stream);
		if (!sim_unit_run(u, job->kernels[index], l, unit * size,
		    (unit + 1) * size, stream, job->deadline))
			fail(job, unit, &u->err);
	}
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct job *job = w->job;
	uint64_t turn;
	int i;

	for (turn = 0; turn < job->repeat; turn++)
		for (i = 0; i < job->count; i++) {
			launch_one(w, i, turn);
			if (job->workers > 1)
				pthread_barrier_wait(&job->barrier);
			/* nobody is past the barrier below yet */
			if (job->failed)
				return NULL;
			if (w->index == 0)
				job->next = 0;
			if (job->workers > 1)
				pthread_barrier_wait(&job->barrier);
		}
	return NULL;
}

/* One unit's working memory for each worker and launch. */
static void
units_reserve(struct device *d, int n)
{
	if (n <= d->nunits)
		return;
	d->units = sim_must(realloc(d->units, (size_t)n * sizeof(*d->units)));
	while (d->nunits < n)
		d->units[d->nunits++] = sim_unit_new(d);
}

static void
work_all(struct job *job)
{
	struct worker workers[SIM_JOBS_MAX];
	pthread_t threads[SIM_JOBS_MAX];
	int i, n = job->workers;

	pthread_mutex_init(&job->lock, NULL);
	pthread_barrier_init(&job->barrier, NULL, (unsigned)n);
	for (i = 0; i < n; i++)
		workers[i] = (struct worker){job, i};
	for (i = 1; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, &workers[i])) {
			fprintf(stderr, "fencepost: cannot start a thread\n");
			abort();
		}
	work(&workers[0]);
	for (i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&job->barrier);
	pthread_mutex_destroy(&job->lock);
}

bool
sim_launch(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err)
{
	struct arena *a = arena_new();
	double start = sim_now();
	struct job job = {.device = d, .launches = launches, .count = count,
	    .repeat = repeat, .deadline = start + timeout,
	    .workers = d->options.jobs};
	int i;

	job.kernels = arena_alloc(a, (size_t)count * sizeof(*job.kernels));
	for (i = 0; i < count; i++) {
		job.kernels[i] = kernel_find(launches[i].module,
		    launches[i].kernel);
		if (!check(&launches[i], job.kernels[i], err)) {
			arena_free(a);
			return false;
		}
	}
	units_reserve(d, job.workers * count);
	work_all(&job);
	arena_free(a);
	*seconds = sim_now() - start;
	if (job.failed)
		*err = job.err;
	return !job.failed;
}

bool
sim_launch_resident(struct device *d, struct module *m, const char *kernel,
    uint32_t block, uint32_t shared, uint32_t *ctas, struct err *err)
{
	const struct sim_kernel *k = kernel_find(m, kernel);

	(void)d;
	if (!k || block == 0 || block > SIM_THREADS_MAX ||
	    (uint64_t)k->shared + shared > SIM_SHARED_MAX)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "sim: kernel %s cannot be resident", kernel);
	*ctas = sim_resident(k, block, shared);
	return true;
}
