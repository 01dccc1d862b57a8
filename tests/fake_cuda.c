/*
 * A CUDA driver without a GPU: memory is the host's, kernels do nothing.
 * It is loaded under the driver's name, to see what driver/cuda*.c ask for
 * and how they take refusals.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver/cuda_abi.h"
#include "fake_cuda.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct fake fake = {.version = 13000, .devices = 2};

static int
called(const char *call, const char *mark)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	size_t n;

	pthread_mutex_lock(&lock); /* threads assemble side by side */
	n = strlen(fake.log);
	snprintf(fake.log + n, sizeof(fake.log) - n, "%s", mark);
	pthread_mutex_unlock(&lock);
	return fake.fail_call && strcmp(fake.fail_call, call) == 0 ?
	    fake.fail_code : 0;
}

#define ANY ((void *)&fake)

int
cuInit(unsigned flags)
{
	return called("cuInit", "");
}

int
cuDriverGetVersion(int *version)
{
	*version = fake.version;
	return called("cuDriverGetVersion", "");
}

int
cuGetErrorName(int error, const char **s)
{
	*s = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
	return 0;
}

int
cuGetErrorString(int error, const char **s)
{
	*s = "as told";
	return 0;
}

int
cuDeviceGetCount(int *count)
{
	*count = fake.devices;
	return called("cuDeviceGetCount", "");
}

int
cuDeviceGet(int *device, int index)
{
	*device = index + 40;
	return called("cuDeviceGet", "");
}

int
cuDeviceGetName(char *s, int size, int device)
{
	snprintf(s, (size_t)size, "Fake GPU %d", device - 40);
	return called("cuDeviceGetName", "");
}

int
cuDeviceGetUuid(struct cuda_uuid *uuid, int device)
{
	memset(uuid, 0xa0 + device - 40, sizeof(*uuid));
	return called("cuDeviceGetUuid", "");
}

int
cuDeviceGetUuid_v2(struct cuda_uuid *uuid, int device)
{
	memset(uuid, (fake.mig ? 0xb0 : 0xa0) + device - 40, sizeof(*uuid));
	return called("cuDeviceGetUuid_v2", "");
}

int
cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	*bytes = (size_t)1 << 30;
	return called("cuDeviceTotalMem_v2", "");
}

int
cuDeviceGetAttribute(int *value, int attribute, int device)
{
	*value = attribute == CUDA_ATTR_SM_MAJOR ? 9 :
	    attribute == CUDA_ATTR_SM_MINOR ? 0 :
	    attribute == CUDA_ATTR_CLUSTER ? 1 :
	    attribute == CUDA_ATTR_MPS ? 0 : 1000 + attribute;
	return called("cuDeviceGetAttribute", "");
}

int
cuDevicePrimaryCtxRetain(struct cuda_context **c, int device)
{
	*c = ANY;
	return called("cuDevicePrimaryCtxRetain", "");
}

int
cuDevicePrimaryCtxRelease_v2(int device)
{
	return called("cuDevicePrimaryCtxRelease_v2", "~ctx ");
}

int
cuCtxSetCurrent(struct cuda_context *c)
{
	return called("cuCtxSetCurrent", "");
}

static char *error_log;

int
cuLinkCreate_v2(unsigned count, int *options, void **values,
    struct cuda_link **link)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (options[i] == CUDA_JIT_ERROR_LOG)
			error_log = values[i];
	*link = ANY;
	return called("cuLinkCreate_v2", "");
}

int
cuLinkAddData_v2(struct cuda_link *link, int type, void *data, size_t size,
    const char *name, unsigned count, int *options, void **values)
{
	if (fake.jit_log && error_log)
		strcpy(error_log, fake.jit_log);
	return called("cuLinkAddData_v2", "");
}

int
cuLinkComplete(struct cuda_link *link, void **cubin, size_t *size)
{
	static char elf[] = "\177ELF fake";

	*cubin = elf;
	*size = sizeof(elf);
	return called("cuLinkComplete", "");
}

int
cuLinkDestroy(struct cuda_link *link)
{
	return called("cuLinkDestroy", "~link ");
}

int
cuModuleLoadData(struct cuda_module **m, const void *image)
{
	*m = ANY;
	return called("cuModuleLoadData", "load ");
}

int
cuModuleUnload(struct cuda_module *m)
{
	return called("cuModuleUnload", "~module ");
}

int
cuModuleGetFunction(struct cuda_function **f, struct cuda_module *m,
    const char *name)
{
	*f = ANY;
	return called("cuModuleGetFunction", "function ");
}

int
cuFuncSetAttribute(struct cuda_function *f, int attribute, int value)
{
	char mark[32];

	snprintf(mark, sizeof(mark), "set%d=%d ", attribute, value);
	return called("cuFuncSetAttribute", mark);
}

int
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas,
    struct cuda_function *f, int block, size_t shared)
{
	*ctas = 3;
	return called("cuOccupancyMaxActiveBlocksPerMultiprocessor", "");
}

int
cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	int result = called("cuMemAlloc_v2", "");

	if (result == 0)
		*address = (uint64_t)(uintptr_t)malloc(bytes);
	return result;
}

int
cuMemFree_v2(uint64_t address)
{
	free((void *)(uintptr_t)address);
	return called("cuMemFree_v2", "");
}

int
cuMemsetD8Async(uint64_t address, unsigned char byte, size_t bytes,
    struct cuda_stream *s)
{
	memset((void *)(uintptr_t)address, byte, bytes);
	return called("cuMemsetD8Async", "");
}

int
cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
    struct cuda_stream *s)
{
	memcpy((void *)(uintptr_t)to, from, bytes);
	return called("cuMemcpyHtoDAsync_v2", "");
}

int
cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
    struct cuda_stream *s)
{
	memcpy(to, (void *)(uintptr_t)from, bytes);
	return called("cuMemcpyDtoHAsync_v2", "");
}

int
cuStreamCreate(struct cuda_stream **s, unsigned flags)
{
	*s = ANY;
	return called("cuStreamCreate", "");
}

int
cuStreamDestroy_v2(struct cuda_stream *s)
{
	return called("cuStreamDestroy_v2", "");
}

int
cuStreamSynchronize(struct cuda_stream *s)
{
	return called("cuStreamSynchronize", "");
}

int
cuEventCreate(struct cuda_event **e, unsigned flags)
{
	*e = ANY;
	return called("cuEventCreate", "");
}

int
cuEventDestroy_v2(struct cuda_event *e)
{
	return called("cuEventDestroy_v2", "");
}

int
cuEventRecord(struct cuda_event *e, struct cuda_stream *s)
{
	return called("cuEventRecord", "event ");
}

int
cuEventQuery(struct cuda_event *e)
{
	if (fake.never_ready)
		return CUDA_NOT_READY;
	return fake.finish_code;
}

int
cuEventElapsedTime(float *ms, struct cuda_event *a, struct cuda_event *b)
{
	*ms = 2500;
	return called("cuEventElapsedTime", "");
}

int
cuLaunchKernelEx(const struct cuda_launch_config *config,
    struct cuda_function *f, void **params, void **extra)
{
	unsigned i;

	fake.grid = config->grid_x;
	fake.block = config->block_x;
	fake.shared = config->shared;
	fake.cluster = 0;
	fake.cooperative = 0;
	for (i = 0; i < config->attribute_count; i++) {
		const struct cuda_launch_attribute *a =
		    &config->attributes[i];

		if (a->id == CUDA_LAUNCH_CLUSTER)
			fake.cluster = a->value.cluster.x *
			    a->value.cluster.y * a->value.cluster.z;
		if (a->id == CUDA_LAUNCH_COOPERATIVE)
			fake.cooperative = a->value.cooperative;
	}
	fake.params_size = 0;
	if (extra) {
		fake.params_size = *(size_t *)extra[3];
		memcpy(fake.params, extra[1], fake.params_size);
	}
	return called("cuLaunchKernelEx", "kernel ");
}

int
cuStreamBeginCapture_v2(struct cuda_stream *s, int mode)
{
	return called("cuStreamBeginCapture_v2", "[");
}

int
cuStreamEndCapture(struct cuda_stream *s, struct cuda_graph **g)
{
	*g = ANY;
	return called("cuStreamEndCapture", "] ");
}

int
cuGraphInstantiateWithFlags(struct cuda_graph_exec **e, struct cuda_graph *g,
    unsigned long long flags)
{
	*e = ANY;
	return called("cuGraphInstantiateWithFlags", "exec ");
}

int
cuGraphLaunch(struct cuda_graph_exec *e, struct cuda_stream *s)
{
	return called("cuGraphLaunch", "graph ");
}

int
cuGraphDestroy(struct cuda_graph *g)
{
	return called("cuGraphDestroy", "~graph ");
}

int
cuGraphExecDestroy(struct cuda_graph_exec *e)
{
	return called("cuGraphExecDestroy", "~exec ");
}
