/* NVIDIA GPUs, through the driver library, which is looked up at run time. */
#include "cuda_device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* These end a test, not a run: its own instructions did it. */
static bool
is_fault(int result)
{
	return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_ASSERT ||
	    (result >= CUDA_HARDWARE_STACK_ERROR &&
	    result <= CUDA_LAUNCH_FAILED);
}

static enum err_code
code_of(int result)
{
	return is_fault(result) ? ERR_FAULT :
	    result == CUDA_LAUNCH_TIMEOUT ? ERR_HANG : ERR_DEVICE;
}

bool
cuda_ok(const struct cuda_api *api, int result, const char *call,
    struct err *err)
{
	const char *name = NULL, *words = NULL;

	if (result == 0)
		return true;
	api->error_name(result, &name);
	api->error_string(result, &words);
	return err_set(err, code_of(result), (struct loc){0},
	    "%s failed: %s (%d, %s)", call, name ? name : "unknown error",
	    result, words ? words : "no description");
}

static bool
api_open(struct cuda_api *api, struct err *err)
{
	static const struct {
		size_t offset;
		const char *symbol;
	} calls[] = {
#define F(field, symbol, parameters) {offsetof(struct cuda_api, field), symbol},
		CUDA_CALLS(F)
#undef F
	};
	const struct loc none = {0};
	size_t i;

	api->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!api->library)
		return err_set(err, ERR_DEVICE, none,
		    "no CUDA driver: %s", dlerror());
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *function = dlsym(api->library, calls[i].symbol);

		if (!function)
			return err_set(err, ERR_DEVICE, none, "the CUDA "
			    "driver is too old: it has no %s (needed: that "
			    "of CUDA 11.8 or later)", calls[i].symbol);
		memcpy((char *)api + calls[i].offset, &function,
		    sizeof(function));
	}
	return cuda_ok(api, api->init(0), "cuInit", err);
}

/*
 * The PTX version that a driver's compiler takes, by its CUDA version
 * (PTX ISA, release notes): 10 * major + minor of both.
 */
static int
ptx_version(int cuda)
{
	static const struct {
		int cuda, ptx;
	} versions[] = {
		{131, 91}, {130, 90}, {129, 88}, {128, 87}, {127, 86},
		{125, 85}, {124, 84}, {123, 83}, {122, 82}, {121, 81},
		{120, 80}, {118, 78}, {0, 77},
	};
	size_t i = 0;

	while (cuda < versions[i].cuda)
		i++;
	return versions[i].ptx;
}

static void
format_uuid(const struct cuda_uuid *uuid, const char *prefix, char *s,
    size_t size)
{
	const unsigned char *b = uuid->bytes;

	snprintf(s, size, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
	    "%02x%02x%02x%02x%02x%02x", prefix, b[0], b[1], b[2], b[3], b[4],
	    b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
	    b[15]);
}

/* Attributes that an older driver does not know read as 0. */
static int
attribute(const struct cuda_api *api, int handle, int which)
{
	int value = 0;

	return api->device_attribute(&value, which, handle) == 0 ? value : 0;
}

static void
read_caps(const struct cuda_api *api, int handle, int cuda,
    struct caps *caps)
{
	caps->sm = 10 * attribute(api, handle, CUDA_ATTR_SM_MAJOR) +
	    attribute(api, handle, CUDA_ATTR_SM_MINOR);
	caps->ptx = ptx_version(cuda);
	caps->processors = attribute(api, handle, CUDA_ATTR_PROCESSORS);
	caps->max_threads = attribute(api, handle, CUDA_ATTR_THREADS_CTA);
	caps->max_resident_threads =
	    attribute(api, handle, CUDA_ATTR_THREADS_PROCESSOR);
	caps->shared_cta =
	    (size_t)attribute(api, handle, CUDA_ATTR_SHARED_CTA);
	caps->l2 = (size_t)attribute(api, handle, CUDA_ATTR_L2);
	/* the portable size: PTX ISA, cluster of thread arrays */
	caps->max_cluster = attribute(api, handle, CUDA_ATTR_CLUSTER) ? 8 : 0;
}

static bool
read_info(const struct cuda_api *api, int index, int cuda,
    struct device_info *info, int *handle, struct err *err)
{
	struct cuda_uuid whole, part;

	memset(info, 0, sizeof(*info));
	info->kind = cuda_ops.kind;
	info->index = index;
	if (!cuda_ok(api, api->device_get(handle, index), "cuDeviceGet",
	    err) ||
	    !cuda_ok(api, api->device_name(info->name,
	    (int)sizeof(info->name), *handle), "cuDeviceGetName", err) ||
	    !cuda_ok(api, api->device_uuid(&whole, *handle),
	    "cuDeviceGetUuid", err) ||
	    !cuda_ok(api, api->device_uuid_mig(&part, *handle),
	    "cuDeviceGetUuid_v2", err) ||
	    !cuda_ok(api, api->device_memory(&info->caps.memory, *handle),
	    "cuDeviceTotalMem", err))
		return false;
	/* a slice of a GPU has a UUID of its own */
	info->mig = memcmp(&whole, &part, sizeof(whole)) != 0;
	format_uuid(&part, info->mig ? "MIG" : "GPU", info->uuid,
	    sizeof(info->uuid));
	snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d", cuda / 10,
	    cuda % 10);
	read_caps(api, *handle, cuda, &info->caps);
	info->clock_khz = attribute(api, *handle, CUDA_ATTR_CLOCK);
	info->memory_clock_khz =
	    attribute(api, *handle, CUDA_ATTR_MEMORY_CLOCK);
	info->mps = cuda >= 120 ?
	    attribute(api, *handle, CUDA_ATTR_MPS) : -1;
	return true;
}

/* 10 * major + minor. */
static bool
driver_version(const struct cuda_api *api, int *cuda, struct err *err)
{
	int version = 0;

	if (!cuda_ok(api, api->driver_version(&version),
	    "cuDriverGetVersion", err))
		return false;
	*cuda = version / 1000 * 10 + version % 1000 / 10;
	return true;
}

static int
list(struct device_info *infos, int max, struct err *err)
{
	struct cuda_api api;
	int i, n = 0, cuda, handle;

	if (!api_open(&api, err) || !driver_version(&api, &cuda, err) ||
	    !cuda_ok(&api, api.device_count(&n), "cuDeviceGetCount", err))
		return -1;
	for (i = 0; i < n && i < max; i++)
		if (!read_info(&api, i, cuda, &infos[i], &handle, err))
			return -1;
	return n;
}

static bool
open_context(struct device *d, struct err *err)
{
	const struct cuda_api *api = &d->api;

	return cuda_ok(api, api->context_retain(&d->context, d->handle),
	    "cuDevicePrimaryCtxRetain", err) &&
	    cuda_ok(api, api->context_use(d->context), "cuCtxSetCurrent",
	    err) &&
	    cuda_ok(api, api->stream_create(&d->stream,
	    CUDA_STREAM_NON_BLOCKING), "cuStreamCreate", err) &&
	    cuda_ok(api, api->event_create(&d->begin, CUDA_EVENT_DEFAULT),
	    "cuEventCreate", err) &&
	    cuda_ok(api, api->event_create(&d->end, CUDA_EVENT_DEFAULT),
	    "cuEventCreate", err);
}

static void
close_device(struct device *d)
{
	if (d->end)
		d->api.event_destroy(d->end);
	if (d->begin)
		d->api.event_destroy(d->begin);
	if (d->stream)
		d->api.stream_destroy(d->stream);
	if (d->context)
		d->api.context_release(d->handle);
	arena_free(d->arena);
	free(d);
}

static bool
open_device(int index, const char *options, struct device **out,
    struct err *err)
{
	struct device *d = calloc(1, sizeof(*d));
	int cuda;

	(void)options; /* a GPU has none */
	if (!d)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "out of memory");
	d->arena = arena_new();
	if (!api_open(&d->api, err) || !driver_version(&d->api, &cuda, err) ||
	    !read_info(&d->api, index, cuda, &d->info, &d->handle, err) ||
	    !open_context(d, err)) {
		close_device(d);
		return false;
	}
	*out = d;
	return true;
}

static bool
alloc(struct device *d, size_t bytes, uint64_t *address, struct err *err)
{
	int result = d->api.alloc(address, bytes);

	if (result == CUDA_OUT_OF_MEMORY)
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "cuMemAlloc: the GPU has no %zu bytes left", bytes);
	return cuda_ok(&d->api, result, "cuMemAlloc", err);
}

static void
free_memory(struct device *d, uint64_t address)
{
	d->api.free(address);
}

static bool
wait(struct device *d, struct err *err)
{
	return cuda_ok(&d->api, d->api.stream_sync(d->stream),
	    "cuStreamSynchronize", err);
}

static bool
fill(struct device *d, uint64_t address, uint8_t byte, size_t bytes,
    struct err *err)
{
	return cuda_ok(&d->api, d->api.fill(address, byte, bytes, d->stream),
	    "cuMemsetD8Async", err) && wait(d, err);
}

static bool
write_memory(struct device *d, uint64_t address, const void *from,
    size_t bytes, struct err *err)
{
	return cuda_ok(&d->api, d->api.write(address, from, bytes,
	    d->stream), "cuMemcpyHtoDAsync", err) && wait(d, err);
}

static bool
read_memory(struct device *d, void *to, uint64_t address, size_t bytes,
    struct err *err)
{
	return cuda_ok(&d->api, d->api.read(to, address, bytes, d->stream),
	    "cuMemcpyDtoHAsync", err) && wait(d, err);
}

static bool
resident(struct device *d, struct module *m, const char *kernel,
    uint32_t block, uint32_t shared, uint32_t *ctas, struct err *err)
{
	struct cuda_function *f;
	int n = 0;

	if (!cuda_function(d, m, kernel, shared, 0, &f, err) ||
	    !cuda_ok(&d->api, d->api.occupancy(&n, f, (int)block, shared),
	    "cuOccupancyMaxActiveBlocksPerMultiprocessor", err))
		return false;
	*ctas = (uint32_t)(n * d->info.caps.processors);
	return true;
}

const struct device_ops cuda_ops = {
	.kind = "cuda",
	.list = list,
	.open = open_device,
	.close = close_device,
	.load = cuda_load,
	.code = cuda_code,
	.unload = cuda_unload,
	.alloc = alloc,
	.free = free_memory,
	.fill = fill,
	.write = write_memory,
	.read = read_memory,
	.run = cuda_run,
	.resident = resident,
};
