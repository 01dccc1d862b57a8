#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* var and result regions of every index, then scratch, bins, epoch */
#define REGIONS_MAX (VARS_MAX + THREADS_MAX + 3)
#define REGION_LEAST ((size_t)4096)

struct pool {
	struct {
		uint64_t address;
		size_t size;
	} regions[REGIONS_MAX];
};

/* Threads that assemble: one a processor, but as many as the software
   machine runs tests side by side have work for all of them as it is. */
static int
loaders(const struct caps *caps)
{
	const char *told = getenv("FENCEPOST_LOADERS");
	uint64_t n = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (caps->sim)
		n = 1;
	if (told && *told && !parse_number(told, &n))
		n = 1;
	return n > LOAD_THREADS ? LOAD_THREADS : (int)n;
}

bool
bench_open(const struct device_ops *ops, int index, const char *options,
    enum assembler assembler, double timeout, struct bench *b,
    struct err *err)
{
	struct device_info infos[DEVICES_MAX];
	int n = ops->list(infos, DEVICES_MAX, err);

	memset(b, 0, sizeof(*b));
	if (n < 0)
		return false;
	if (index >= n)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "no device %d of %d", index, n);
	b->ops = ops;
	b->info = infos[index];
	b->assembler = assembler;
	b->timeout = timeout;
	b->pool = calloc(1, sizeof(*b->pool));
	if (!b->pool)
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "out of memory");
	if (!ops->open(index, options, &b->device, err)) {
		free(b->pool);
		return false;
	}
	b->arena = arena_new();
	b->loader = loader_open(loaders(&b->info.caps), b->arena);
	b->choices = choices_new(b->arena);
	b->profile = envs_profile(&b->info, b->arena, &b->nprofile);
	return true;
}

void
bench_close(struct bench *b)
{
	int i;

	loader_close(b->loader);
	for (i = 0; i < REGIONS_MAX; i++)
		if (b->pool->regions[i].size)
			b->ops->free(b->device, b->pool->regions[i].address);
	b->ops->close(b->device);
	arena_free(b->arena);
	free(b->pool);
}

/* Doubles, so that a suite of growing tests allocates seldom. */
bool
bench_memory(struct bench *b, int which, size_t bytes, uint64_t *address,
    struct err *err)
{
	uint64_t *at = &b->pool->regions[which].address;
	size_t *size = &b->pool->regions[which].size;
	size_t want = REGION_LEAST;

	if (bytes > *size) {
		if (bytes > b->info.caps.memory)
			return err_set(err, ERR_LIMIT, (struct loc){0},
			    "a region of %zu bytes is larger than the "
			    "device's memory", bytes);
		while (want < bytes)
			want *= 2;
		if (*size)
			b->ops->free(b->device, *at);
		*size = 0;
		if (!b->ops->alloc(b->device, want, at, err))
			return false;
		*size = want;
	}
	*address = *at;
	return true;
}

const char *
bench_assembler(const struct bench *b, struct arena *a)
{
	if (strcmp(b->info.kind, "sim") == 0)
		return "sim";
	if (b->assembler == ASSEMBLER_DRIVER)
		return arena_printf(a, "driver%s%s, %s",
		    *b->info.driver_version ? " " : "",
		    b->info.driver_version, b->info.driver);
	/* "ptxas 13.0.88", of all that is in it */
	return arena_printf(a, "%.*s", (int)strcspn(b->info.toolkit, ","),
	    *b->info.toolkit ? b->info.toolkit : "ptxas");
}
