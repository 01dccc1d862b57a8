/* An open CUDA device, for the files cuda*.c only. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "cuda_abi.h"
#include "driver.h"

struct cuda_api {
	void *library;
#define F(field, symbol, parameters) int (*field) parameters;
	CUDA_CALLS(F)
#undef F
};

#define FUNCTIONS_MAX 8

/* The kernels of a module that have been looked up, by name. */
struct cuda_named {
	const char *name;
	struct cuda_function *function;
	uint32_t shared, cluster; /* what the function was told to permit */
};

struct module {
	struct arena *arena;
	struct cuda_module *module; /* NULL: not on the GPU yet */
	void *cubin;
	size_t cubin_size;
	struct cuda_named functions[FUNCTIONS_MAX];
	int nfunctions;
};

struct device {
	struct cuda_api api;
	struct device_info info;
	int handle;
	struct cuda_context *context;
	struct cuda_stream *stream;
	struct cuda_event *begin, *end;
	struct arena *arena; /* of one call */
};

/* cuda.c */
/* True for 0; else says which call failed, and how. */
bool cuda_ok(const struct cuda_api *api, int result, const char *call,
    struct err *err);

/* cuda_module.c */
bool cuda_load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **m, struct err *err);
bool cuda_code(struct device *d, struct module *m, struct arena *a,
    const void **elf, size_t *size, struct err *err);
void cuda_unload(struct device *d, struct module *m);
/* The kernel, made ready for that much shared memory and that cluster. */
bool cuda_function(struct device *d, struct module *m, const char *kernel,
    uint32_t shared, uint32_t cluster, struct cuda_function **f,
    struct err *err);

/* cuda_run.c */
bool cuda_run(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err);

#endif
