/*
 * The software PTX machine as a device.
 */
#include "sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 256
#define STEPS_DEFAULT 20000000
#define ALLOCATION_MAX ((size_t)1 << 31)

void *
sim_must(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "fencepost: out of memory\n");
	abort();
}

/* ---- opening ------------------------------------------------------------- */

static int
list(struct device_info *infos, int max, struct err *err)
{
	(void)err;
	if (max < 1)
		return 1;
	infos[0] = (struct device_info){.kind = "sim",
	    .name = "software PTX machine (no GPU)", .uuid = "sim",
	    .caps = {.sm = SIM_SM, .ptx = SIM_PTX,
		.processors = SIM_PROCESSORS,
		.max_threads = SIM_THREADS_MAX,
		.max_resident_threads = SIM_RESIDENT_THREADS,
		.shared_cta = 48u << 10, .l2 = 1u << 20,
		.memory = (size_t)1 << 30,
		.max_cluster = SIM_CLUSTER_MAX, .sim = true}};
	return 1;
}

static const char *const fault_names[SIM_FAULT_COUNT] = {
	[SIM_FAULT_NONE] = "none",
#define FAULT(id, name, about) [SIM_FAULT_##id] = name,
#include "sim_fault.def"
#undef FAULT
};

static bool
option_fault(const char *s, enum sim_fault *fault, struct err *err)
{
	struct loc nowhere = {0};
	char list_text[300];
	size_t n = 0;
	int i;

	for (i = 0; i < SIM_FAULT_COUNT; i++)
		if (strcmp(s, fault_names[i]) == 0) {
			*fault = (enum sim_fault)i;
			return true;
		}
	for (i = 0; i < SIM_FAULT_COUNT && n < sizeof(list_text); i++)
		n += (size_t)snprintf(list_text + n, sizeof(list_text) - n,
		    "%s%s", i ? ", " : "", fault_names[i]);
	return err_set(err, ERR_USAGE, nowhere,
	    "sim: unknown fault '%s' (%s)", s, list_text);
}

/* One "name=value" of the options. */
static bool
option(char *s, struct sim_options *o, struct err *err)
{
	struct loc nowhere = {0};
	char *value = strchr(s, '='), *end = NULL;
	uint64_t number;

	if (!value)
		return err_set(err, ERR_USAGE, nowhere,
		    "sim: expected NAME=VALUE, found '%s'", s);
	*value++ = '\0';
	if (strcmp(s, "fault") == 0)
		return option_fault(value, &o->fault, err);
	if (strcmp(s, "memory") == 0) {
		if (strcmp(value, "weak") != 0 && strcmp(value, "sc") != 0)
			return err_set(err, ERR_USAGE, nowhere,
			    "sim: unknown memory '%s' (weak, sc)", value);
		o->memory = value[0] == 'w' ? SIM_MEMORY_WEAK :
		    SIM_MEMORY_SC;
		return true;
	}
	number = strtoull(value, &end, 0);
	if (!*value || *end)
		return err_set(err, ERR_USAGE, nowhere,
		    "sim: %s is a number, not '%s'", s, value);
	if (strcmp(s, "jobs") == 0 && number >= 1 && number <= JOBS_MAX)
		o->jobs = (int)number;
	else if (strcmp(s, "seed") == 0)
		o->seed = number;
	else if (strcmp(s, "steps") == 0 && number > 0)
		o->steps = number;
	else
		return err_set(err, ERR_USAGE, nowhere, "sim: bad option "
		    "%s=%s (jobs=1..%d, seed, steps, memory, fault)", s,
		    value, JOBS_MAX);
	return true;
}

static bool
options_read_all(const char *text, struct sim_options *o, struct err *err)
{
	char *copy = sim_must(strdup(text ? text : "")), *rest = copy, *word;
	bool ok = true;

	while (ok && (word = strtok_r(rest, ",", &rest)))
		ok = option(word, o, err);
	free(copy);
	return ok;
}

static bool
open_sim(int index, const char *options, struct device **d, struct err *err)
{
	struct sim_options o = {.jobs = 1, .memory = SIM_MEMORY_WEAK,
	    .steps = STEPS_DEFAULT};
	struct device *device;

	if (index != 0)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "sim: there is one software machine, number 0");
	if (!options_read_all(options, &o, err))
		return false;
	if (o.fault != SIM_FAULT_NONE && o.memory == SIM_MEMORY_SC)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "sim: faults are planted in memory=weak only");
	device = sim_must(calloc(1, sizeof(*device)));
	device->options = o;
	device->allocations = sim_must(calloc(SIM_ALLOCATIONS_MAX,
	    sizeof(*device->allocations)));
	device->nallocations = SIM_ALLOCATIONS_LOW;
	*d = device;
	return true;
}

static void
close_sim(struct device *d)
{
	uint32_t i;
	int j;

	for (i = 0; i < d->nallocations; i++)
		free(d->allocations[i].bytes);
	for (j = 0; j < d->nunits; j++)
		sim_unit_free(d->units[j]);
	free(d->units);
	free(d->allocations);
	free(d);
}

/* ---- modules --------------------------------------------------------------- */

static void unload(struct device *d, struct module *m);

static bool
load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **m, struct err *err)
{
	struct module *module = sim_must(calloc(1, sizeof(*module)));

	(void)assembler;
	module->arena = arena_new();
	if (!sim_load(d, ptx, module, err)) {
		unload(d, module);
		return false;
	}
	*m = module;
	return true;
}

static bool
code(struct device *d, struct module *m, struct arena *a, const void **elf,
    size_t *size, struct err *err)
{
	(void)d;
	(void)m;
	(void)a;
	(void)elf;
	(void)size;
	return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
	    "the software machine has no machine code");
}

static void
free_sim(struct device *d, uint64_t address)
{
	uint64_t number = address >> SIM_ADDRESS_BITS;

	if (number >= d->nallocations || number < SIM_ALLOCATIONS_LOW)
		return;
	free(d->allocations[number].bytes);
	d->allocations[number] = (struct sim_allocation){0};
}

static void
unload(struct device *d, struct module *m)
{
	int i;

	for (i = 0; i < m->nglobals; i++)
		free_sim(d, m->globals[i].address);
	/* units keep what they laid out for a kernel of this module */
	for (i = 0; i < d->nunits; i++)
		d->units[i]->kernel = NULL;
	arena_free(m->arena);
	free(m);
}

/* ---- memory ------------------------------------------------------------------ */

/* Uninitialised memory is recognisable, and the same each time. */
#define JUNK 0xa5

static bool
alloc(struct device *d, size_t bytes, uint64_t *address, struct err *err)
{
	struct sim_allocation *a;
	uint32_t i;

	for (i = SIM_ALLOCATIONS_LOW; i < d->nallocations; i++)
		if (!d->allocations[i].bytes)
			break;
	if (i == SIM_ALLOCATIONS_MAX || bytes > ALLOCATION_MAX)
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "sim: no memory for %zu bytes more", bytes);
	a = &d->allocations[i];
	a->size = bytes;
	a->bytes = sim_must(aligned_alloc(256, (bytes + 256) & ~(size_t)255));
	memset(a->bytes, JUNK, bytes);
	if (i == d->nallocations)
		d->nallocations++;
	*address = (uint64_t)i << SIM_ADDRESS_BITS;
	return true;
}

static uint8_t *
bytes_at(struct device *d, uint64_t address, size_t bytes, struct err *err)
{
	uint8_t *at = sim_address(d, address, bytes);

	if (!at)
		err_set(err, ERR_DEVICE, (struct loc){0},
		    "sim: %zu bytes at 0x%llx are not allocated", bytes,
		    (unsigned long long)address);
	return at;
}

static bool
fill(struct device *d, uint64_t address, uint8_t byte, size_t bytes,
    struct err *err)
{
	uint8_t *at = bytes_at(d, address, bytes, err);

	if (at)
		memset(at, byte, bytes);
	return at != NULL;
}

static bool
write_sim(struct device *d, uint64_t address, const void *from, size_t bytes,
    struct err *err)
{
	uint8_t *at = bytes_at(d, address, bytes, err);

	if (at)
		memcpy(at, from, bytes);
	return at != NULL;
}

static bool
read_sim(struct device *d, void *to, uint64_t address, size_t bytes,
    struct err *err)
{
	const uint8_t *at = bytes_at(d, address, bytes, err);

	if (at)
		memcpy(to, at, bytes);
	return at != NULL;
}

/* ---- launches ------------------------------------------------------------------ */

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
	struct worker workers[JOBS_MAX];
	pthread_t threads[JOBS_MAX];
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

static bool
run(struct device *d, const struct launch *launches, int count,
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

static bool
resident(struct device *d, struct module *m, const char *kernel,
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

const struct device_ops sim_ops = {
	.kind = "sim",
	.list = list, .open = open_sim, .close = close_sim,
	.load = load, .code = code, .unload = unload,
	.alloc = alloc, .free = free_sim, .fill = fill,
	.write = write_sim, .read = read_sim,
	.run = run, .resident = resident,
};
