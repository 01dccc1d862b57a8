/*
 * PTX to machine code, by the driver's compiler or by ptxas. Both ways end
 * in a cubin held here, and that cubin is what is loaded: the machine code
 * that is checked is the machine code that runs.
 */
#include "cuda_device.h"

#include <string.h>

#define LOG_SIZE ((size_t)8192)
#define CUBIN_LIMIT ((size_t)64 << 20)

static bool
keep_cubin(struct module *m, const void *cubin, size_t size, struct err *err)
{
	if (size == 0 || size > CUBIN_LIMIT)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "the assembler made %zu bytes of machine code", size);
	m->cubin = arena_alloc(m->arena, size);
	memcpy(m->cubin, cubin, size);
	m->cubin_size = size;
	return true;
}

static bool
link_ptx(struct device *d, struct cuda_link *link, const char *ptx,
    const char *log, struct module *m, struct err *err)
{
	const struct cuda_api *api = &d->api;
	void *cubin = NULL;
	size_t size = 0;
	int result;

	result = api->link_add(link, CUDA_JIT_INPUT_PTX,
	    (void *)(uintptr_t)ptx, strlen(ptx) + 1, "test.ptx", 0, NULL,
	    NULL);
	if (result == 0)
		result = api->link_complete(link, &cubin, &size);
	if (!cuda_ok(api, result, "the driver's assembler", err)) {
		size_t n = strlen(err->message);

		if (*log)
			snprintf(err->message + n, sizeof(err->message) - n,
			    ": %s", log_summary(log, m->arena));
		return false;
	}
	return keep_cubin(m, cubin, size, err);
}

static bool
assemble_driver(struct device *d, const char *ptx, struct module *m,
    struct err *err)
{
	const struct cuda_api *api = &d->api;
	char *log = arena_alloc(m->arena, LOG_SIZE);
	int options[] = {
		CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_SIZE,
		CUDA_JIT_LINE_INFO,
	};
	void *values[] = {log, (void *)LOG_SIZE, (void *)1};
	struct cuda_link *link;
	bool ok;

	if (!cuda_ok(api, api->link_create(3, options, values, &link),
	    "cuLinkCreate", err))
		return false;
	ok = link_ptx(d, link, ptx, log, m, err);
	api->link_destroy(link);
	return ok;
}

static bool
assemble_ptxas(struct device *d, const char *ptx, struct module *m,
    struct err *err)
{
	const void *cubin;
	size_t size;

	return ptxas_run(ptx, d->info.caps.sm, m->arena, &cubin, &size,
	    err) && keep_cubin(m, cubin, size, err);
}

/* Several threads may be here at once, each of which has to be told the
   context, while another runs kernels. So nothing is put on the GPU here:
   that waits until a kernel of the module is asked for. */
bool
cuda_load(struct device *d, const char *ptx, enum assembler assembler,
    struct module **out, struct err *err)
{
	struct arena *a = arena_new();
	struct module *m = arena_alloc(a, sizeof(*m));
	bool ok;

	m->arena = a;
	ok = cuda_ok(&d->api, d->api.context_use(d->context),
	    "cuCtxSetCurrent", err) && (assembler == ASSEMBLER_PTXAS ?
	    assemble_ptxas(d, ptx, m, err) :
	    assemble_driver(d, ptx, m, err));
	if (ok)
		*out = m;
	else
		arena_free(a);
	return ok;
}

bool
cuda_code(struct device *d, struct module *m, struct arena *a,
    const void **elf, size_t *size, struct err *err)
{
	(void)d;
	(void)a;
	(void)err;
	*elf = m->cubin;
	*size = m->cubin_size;
	return true;
}

void
cuda_unload(struct device *d, struct module *m)
{
	if (!m)
		return;
	if (m->module)
		d->api.module_unload(m->module);
	arena_free(m->arena);
}

/* More dynamic shared memory than 48 KiB, and clusters beyond 8, must be
   asked for (CUDA driver API, cuFuncSetAttribute). */
#define SHARED_FREE 49152u
#define CLUSTER_FREE 8u

static bool
permit(struct device *d, struct cuda_named *f, uint32_t shared,
    uint32_t cluster, struct err *err)
{
	const struct cuda_api *api = &d->api;

	if (shared > SHARED_FREE && shared > f->shared) {
		if (!cuda_ok(api, api->function_set(f->function,
		    CUDA_FUNC_MAX_DYNAMIC_SHARED, (int)shared),
		    "cuFuncSetAttribute", err))
			return false;
		f->shared = shared;
	}
	if (cluster > CLUSTER_FREE && cluster > f->cluster) {
		if (!cuda_ok(api, api->function_set(f->function,
		    CUDA_FUNC_WIDE_CLUSTER, 1), "cuFuncSetAttribute", err))
			return false;
		f->cluster = cluster;
	}
	return true;
}

bool
cuda_function(struct device *d, struct module *m, const char *kernel,
    uint32_t shared, uint32_t cluster, struct cuda_function **out,
    struct err *err)
{
	struct cuda_named *f;
	int i;

	if (!m->module && !cuda_ok(&d->api, d->api.module_load(&m->module,
	    m->cubin), "cuModuleLoadData", err)) {
		m->module = NULL;
		return false;
	}
	for (i = 0; i < m->nfunctions; i++)
		if (strcmp(m->functions[i].name, kernel) == 0)
			break;
	f = &m->functions[i];
	if (i == m->nfunctions) {
		if (i == FUNCTIONS_MAX)
			return err_set(err, ERR_LIMIT, (struct loc){0},
			    "more than %d kernels in a module",
			    FUNCTIONS_MAX);
		if (!cuda_ok(&d->api, d->api.module_function(&f->function,
		    m->module, kernel), "cuModuleGetFunction", err))
			return false;
		f->name = arena_strdup(m->arena, kernel);
		m->nfunctions++;
	}
	*out = f->function;
	return permit(d, f, shared, cluster, err);
}
