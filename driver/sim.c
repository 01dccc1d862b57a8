/*
 * The software PTX machine as a device.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define ALLOCATION_MAX ((size_t)1 << 31)

void *
sim_must(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "fencepost: out of memory\n");
	abort();
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

static void
free_sim(struct device *d, uint64_t address)
{
	uint64_t number = address >> SIM_ADDRESS_BITS;

	if (number >= d->nallocations || number < SIM_ALLOCATIONS_LOW)
		return;
	free(d->allocations[number].bytes);
	d->allocations[number] = (struct sim_allocation){0};
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

/* ---- modules --------------------------------------------------------------- */

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

static bool
load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **m, struct err *err)
{
	struct module *module = sim_must(calloc(1, sizeof(*module)));

	(void)assembler;
	module->arena = arena_new();
	if (!sim_load(d, ptx, module, err)) {
		size_t n = strlen(err->message);

		/* for those who see the message only */
		snprintf(err->message + n, sizeof(err->message) - n,
		    " (line %d of the PTX)", err->loc.line);
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

static bool
open_sim(int index, const char *options, struct device **d, struct err *err)
{
	struct sim_options o;
	struct device *device;

	if (index != 0)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "sim: there is one software machine, number 0");
	if (!sim_options_read(options, &o, err))
		return false;
	device = sim_must(calloc(1, sizeof(*device)));
	device->options = o;
	device->allocations = sim_must(calloc(SIM_ALLOCATIONS_MAX,
	    sizeof(*device->allocations)));
	device->nallocations = SIM_ALLOCATIONS_LOW;
	if (!alloc(device, SIM_WORKSPACE, &device->workspace, err)) {
		close_sim(device);
		return false;
	}
	*d = device;
	return true;
}

const struct device_ops sim_ops = {
	.kind = "sim",
	.list = list, .open = open_sim, .close = close_sim,
	.load = load, .code = code, .unload = unload,
	.alloc = alloc, .free = free_sim, .fill = fill,
	.write = write_sim, .read = read_sim,
	.run = sim_launch, .resident = sim_launch_resident,
};
