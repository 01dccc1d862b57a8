/*
 * The part of the CUDA driver API that is used, declared anew so that the
 * program builds where there is no cuda.h. Values and layouts are those of
 * CUDA 11.8 to 13; tests/test_cuda.c compares them with cuda.h where there
 * is one, and the names below with the driver library's.
 */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
	CUDA_NOT_READY = 600,
	CUDA_NO_DEVICE = 100,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_ASSERT = 710,
	CUDA_HARDWARE_STACK_ERROR = 714,
	CUDA_LAUNCH_FAILED = 719,
};

enum {
	CUDA_ATTR_THREADS_CTA = 1,
	CUDA_ATTR_SHARED_CTA = 8,
	CUDA_ATTR_CLOCK = 13,
	CUDA_ATTR_PROCESSORS = 16,
	CUDA_ATTR_MEMORY_CLOCK = 36,
	CUDA_ATTR_L2 = 38,
	CUDA_ATTR_THREADS_PROCESSOR = 39,
	CUDA_ATTR_SM_MAJOR = 75,
	CUDA_ATTR_SM_MINOR = 76,
	CUDA_ATTR_CLUSTER = 120,
	CUDA_ATTR_MPS = 133,
};

enum {
	CUDA_JIT_INFO_LOG = 3,
	CUDA_JIT_INFO_LOG_SIZE = 4,
	CUDA_JIT_ERROR_LOG = 5,
	CUDA_JIT_ERROR_LOG_SIZE = 6,
	CUDA_JIT_LINE_INFO = 13,
	CUDA_JIT_INPUT_PTX = 1,
};

enum {
	CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
	CUDA_FUNC_WIDE_CLUSTER = 14,
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_EVENT_DEFAULT = 0,
	CUDA_CAPTURE_THREAD_LOCAL = 1,
	CUDA_LAUNCH_COOPERATIVE = 2,
	CUDA_LAUNCH_CLUSTER = 4,
};

#define CUDA_PARAM_END ((void *)0)
#define CUDA_PARAM_POINTER ((void *)1)
#define CUDA_PARAM_SIZE ((void *)2)

struct cuda_context;
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;
struct cuda_graph;
struct cuda_graph_exec;
struct cuda_link;

struct cuda_uuid {
	unsigned char bytes[16];
};

struct cuda_launch_attribute {
	int id;
	char pad[4];
	union {
		char pad[64];
		int cooperative;
		struct {
			unsigned x, y, z;
		} cluster;
	} value;
};

struct cuda_launch_config {
	unsigned grid_x, grid_y, grid_z;
	unsigned block_x, block_y, block_z;
	unsigned shared;
	struct cuda_stream *stream;
	struct cuda_launch_attribute *attributes;
	unsigned attribute_count;
};

/* F(field, "symbol", (parameters)): every call returns a CUresult. */
#define CUDA_CALLS(F)                                                          \
	F(init, "cuInit", (unsigned flags))                                    \
	F(driver_version, "cuDriverGetVersion", (int *version))                \
	F(error_name, "cuGetErrorName", (int error, const char **s))           \
	F(error_string, "cuGetErrorString", (int error, const char **s))       \
	F(device_count, "cuDeviceGetCount", (int *count))                      \
	F(device_get, "cuDeviceGet", (int *device, int index))                 \
	F(device_name, "cuDeviceGetName", (char *s, int size, int device))     \
	F(device_uuid, "cuDeviceGetUuid", (struct cuda_uuid *, int device))    \
	F(device_uuid_mig, "cuDeviceGetUuid_v2",                               \
	    (struct cuda_uuid *, int device))                                  \
	F(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, int device))   \
	F(device_attribute, "cuDeviceGetAttribute",                            \
	    (int *value, int attribute, int device))                           \
	F(context_retain, "cuDevicePrimaryCtxRetain",                          \
	    (struct cuda_context **, int device))                              \
	F(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))       \
	F(context_use, "cuCtxSetCurrent", (struct cuda_context *))             \
	F(link_create, "cuLinkCreate_v2",                                      \
	    (unsigned count, int *options, void **values,                      \
		struct cuda_link **))                                          \
	F(link_add, "cuLinkAddData_v2",                                        \
	    (struct cuda_link *, int type, void *data, size_t size,            \
		const char *name, unsigned count, int *options,                \
		void **values))                                                \
	F(link_complete, "cuLinkComplete",                                     \
	    (struct cuda_link *, void **cubin, size_t *size))                  \
	F(link_destroy, "cuLinkDestroy", (struct cuda_link *))                 \
	F(module_load, "cuModuleLoadData",                                     \
	    (struct cuda_module **, const void *image))                        \
	F(module_unload, "cuModuleUnload", (struct cuda_module *))             \
	F(module_function, "cuModuleGetFunction",                              \
	    (struct cuda_function **, struct cuda_module *, const char *name)) \
	F(function_set, "cuFuncSetAttribute",                                  \
	    (struct cuda_function *, int attribute, int value))                \
	F(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",            \
	    (int *ctas, struct cuda_function *, int block, size_t shared))     \
	F(alloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))           \
	F(free, "cuMemFree_v2", (uint64_t address))                            \
	F(fill, "cuMemsetD8Async",                                             \
	    (uint64_t address, unsigned char byte, size_t bytes,               \
		struct cuda_stream *))                                         \
	F(write, "cuMemcpyHtoDAsync_v2",                                       \
	    (uint64_t to, const void *from, size_t bytes,                      \
		struct cuda_stream *))                                         \
	F(read, "cuMemcpyDtoHAsync_v2",                                        \
	    (void *to, uint64_t from, size_t bytes, struct cuda_stream *))     \
	F(stream_create, "cuStreamCreate",                                     \
	    (struct cuda_stream **, unsigned flags))                           \
	F(stream_destroy, "cuStreamDestroy_v2", (struct cuda_stream *))        \
	F(stream_sync, "cuStreamSynchronize", (struct cuda_stream *))          \
	F(event_create, "cuEventCreate",                                       \
	    (struct cuda_event **, unsigned flags))                            \
	F(event_destroy, "cuEventDestroy_v2", (struct cuda_event *))           \
	F(event_record, "cuEventRecord",                                       \
	    (struct cuda_event *, struct cuda_stream *))                       \
	F(event_query, "cuEventQuery", (struct cuda_event *))                  \
	F(event_elapsed, "cuEventElapsedTime",                                 \
	    (float *ms, struct cuda_event *, struct cuda_event *))             \
	F(launch, "cuLaunchKernelEx",                                          \
	    (const struct cuda_launch_config *, struct cuda_function *,        \
		void **params, void **extra))                                  \
	F(capture_begin, "cuStreamBeginCapture_v2",                            \
	    (struct cuda_stream *, int mode))                                  \
	F(capture_end, "cuStreamEndCapture",                                   \
	    (struct cuda_stream *, struct cuda_graph **))                      \
	F(graph_instantiate, "cuGraphInstantiateWithFlags",                    \
	    (struct cuda_graph_exec **, struct cuda_graph *,                   \
		unsigned long long flags))                                     \
	F(graph_launch, "cuGraphLaunch",                                       \
	    (struct cuda_graph_exec *, struct cuda_stream *))                  \
	F(graph_destroy, "cuGraphDestroy", (struct cuda_graph *))              \
	F(graph_exec_destroy, "cuGraphExecDestroy",                            \
	    (struct cuda_graph_exec *))

#endif
