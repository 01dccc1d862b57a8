/* cuda: our declarations against cuda.h, and the calls against a fake */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver/cuda_device.h"
#include "help_cuda.h"

#if __has_include(<cuda.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda.h>
#pragma GCC diagnostic pop
#define SAME(ours, theirs) \
	_Static_assert((int)(ours) == (int)(theirs), #ours " is " #theirs)
#define SAME_PLACE(s, m, t, n) \
	SAME(offsetof(struct s, m), offsetof(t, n))

SAME(CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUDA_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUDA_ASSERT, CUDA_ERROR_ASSERT);
SAME(CUDA_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(CUDA_ATTR_THREADS_CTA, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CUDA_ATTR_SHARED_CTA, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(CUDA_ATTR_CLOCK, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(CUDA_ATTR_PROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CUDA_ATTR_MEMORY_CLOCK, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(CUDA_ATTR_L2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(CUDA_ATTR_THREADS_PROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(CUDA_ATTR_SM_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CUDA_ATTR_SM_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CUDA_ATTR_CLUSTER, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
SAME(CUDA_ATTR_MPS, CU_DEVICE_ATTRIBUTE_MPS_ENABLED);
SAME(CUDA_JIT_INFO_LOG, CU_JIT_INFO_LOG_BUFFER);
SAME(CUDA_JIT_INFO_LOG_SIZE, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME(CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(CUDA_JIT_ERROR_LOG_SIZE, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(CUDA_JIT_LINE_INFO, CU_JIT_GENERATE_LINE_INFO);
SAME(CUDA_JIT_INPUT_PTX, CU_JIT_INPUT_PTX);
SAME(CUDA_FUNC_MAX_DYNAMIC_SHARED,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CUDA_FUNC_WIDE_CLUSTER,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(CUDA_EVENT_DEFAULT, CU_EVENT_DEFAULT);
SAME(CUDA_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CUDA_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(CUDA_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(1, CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT);
SAME(2, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);
SAME(sizeof(struct cuda_uuid), sizeof(CUuuid));
SAME(sizeof(uint64_t), sizeof(CUdeviceptr));
SAME(sizeof(int), sizeof(CUdevice));
SAME(sizeof(int), sizeof(CUresult));
SAME(sizeof(struct cuda_launch_attribute), sizeof(CUlaunchAttribute));
SAME_PLACE(cuda_launch_attribute, value, CUlaunchAttribute, value);
SAME_PLACE(cuda_launch_attribute, value.cluster.z, CUlaunchAttribute,
    value.clusterDim.z);
SAME(sizeof(struct cuda_launch_config), sizeof(CUlaunchConfig));
SAME_PLACE(cuda_launch_config, block_x, CUlaunchConfig, blockDimX);
SAME_PLACE(cuda_launch_config, shared, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(cuda_launch_config, stream, CUlaunchConfig, hStream);
SAME_PLACE(cuda_launch_config, attributes, CUlaunchConfig, attrs);
SAME_PLACE(cuda_launch_config, attribute_count, CUlaunchConfig, numAttrs);
#define HAVE_CUDA_H true
#else
#define HAVE_CUDA_H false
#endif

START_TEST(declarations_are_those_of_cuda_h)
{
	/* the comparison is made when this file is compiled */
	if (!HAVE_CUDA_H)
		fprintf(stderr, "SKIPPED: no cuda.h to compare with\n");
}
END_TEST

/* The toolkit's stub has every name that its driver has. */
START_TEST(driver_library_has_every_call)
{
	static const char *const symbols[] = {
#define F(field, symbol, parameters) symbol,
		CUDA_CALLS(F)
#undef F
	};
	const char *home = getenv("CUDA_HOME");
	char path[4096];
	void *stub;
	size_t i;

	snprintf(path, sizeof(path), "%s/lib64/stubs/libcuda.so",
	    home && *home ? home : "/usr/local/cuda");
	stub = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!stub) {
		snprintf(path, sizeof(path), "%s/targets/x86_64-linux/lib/"
		    "stubs/libcuda.so", home && *home ? home :
		    "/usr/local/cuda");
		stub = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	}
	if (!stub) {
		fprintf(stderr, "SKIPPED: no stub of the CUDA driver\n");
		return;
	}
	for (i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		ck_assert_msg(dlsym(stub, symbols[i]) != NULL,
		    "the driver has no %s", symbols[i]);
	dlclose(stub);
}
END_TEST

/* ---- against the fake -------------------------------------------------- */

static struct device *
open_fake(struct fake **fake)
{
	struct device *d;
	struct err err;

	*fake = fake_driver();
	ck_assert_msg(cuda_ops.open(0, NULL, &d, &err), "%s", err.message);
	return d;
}

static struct module *
load_fake(struct device *d)
{
	struct module *m;
	struct err err;

	ck_assert_msg(cuda_ops.load(d, ".version 7.8", ASSEMBLER_DRIVER, &m,
	    &err), "%s", err.message);
	return m;
}

START_TEST(devices_are_described)
{
	struct device_info infos[4];
	struct fake *fake = fake_driver();
	struct err err;

	ck_assert_int_eq(cuda_ops.list(infos, 1, &err), 2);
	ck_assert_int_eq(cuda_ops.list(infos, 4, &err), 2);
	ck_assert_str_eq(infos[1].name, "Fake GPU 1");
	ck_assert_str_eq(infos[1].uuid,
	    "GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1");
	ck_assert_str_eq(infos[1].driver, "CUDA 13.0");
	ck_assert_int_eq(infos[1].caps.sm, 90);
	ck_assert_int_eq(infos[1].caps.ptx, 90);
	ck_assert_int_eq(infos[1].caps.processors, 1016);
	ck_assert_int_eq(infos[1].caps.max_cluster, 8);
	ck_assert_int_eq(infos[1].mig, 0);
	ck_assert_int_eq(infos[1].mps, 0);
	fake->version = 12060;
	fake->mig = 1;
	ck_assert_int_eq(cuda_ops.list(infos, 4, &err), 2);
	ck_assert_int_eq(infos[0].caps.ptx, 85);
	ck_assert_int_eq(infos[0].mig, 1);
	ck_assert_int_eq(strncmp(infos[0].uuid, "MIG-b0", 6), 0);
}
END_TEST

START_TEST(memory_goes_there_and_back)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	unsigned char back[8];
	struct err err;
	uint64_t p;

	ck_assert(cuda_ops.alloc(d, 8, &p, &err));
	ck_assert(cuda_ops.fill(d, p, 7, 8, &err));
	ck_assert(cuda_ops.write(d, p, "ab", 2, &err));
	ck_assert(cuda_ops.read(d, back, p, 8, &err));
	ck_assert_int_eq(memcmp(back, "ab\7\7\7\7\7\7", 8), 0);
	cuda_ops.free(d, p);
	fake->fail_call = "cuMemAlloc_v2";
	fake->fail_code = CUDA_OUT_OF_MEMORY;
	ck_assert(!cuda_ops.alloc(d, 8, &p, &err));
	ck_assert_int_eq(err.code, ERR_LIMIT);
	cuda_ops.close(d);
	ck_assert_str_eq(fake->log, "~ctx ");
}
END_TEST

START_TEST(one_launch_is_plain)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct module *m = load_fake(d);
	const uint32_t params[] = {1, 2, 3};
	struct launch l = {
		.module = m, .kernel = "test", .grid = {7, 1, 1},
		.block = {64, 1, 1}, .cluster = 2, .shared = 50000,
		.cooperative = true, .params = params,
		.params_size = sizeof(params),
	};
	double seconds;
	struct err err;

	*fake->log = '\0';
	ck_assert(cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_str_eq(fake->log,
	    "load function set8=50000 event kernel event ");
	ck_assert(seconds > 2.49 && seconds < 2.51);
	ck_assert_uint_eq(fake->grid, 7);
	ck_assert_uint_eq(fake->block, 64);
	ck_assert_uint_eq(fake->shared, 50000);
	ck_assert_uint_eq(fake->cluster, 2);
	ck_assert_int_eq(fake->cooperative, 1);
	ck_assert_uint_eq(fake->params_size, sizeof(params));
	ck_assert_int_eq(memcmp(fake->params, params, sizeof(params)), 0);
	/* asked for once only */
	*fake->log = '\0';
	l.cluster = 16;
	ck_assert(cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert(cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_str_eq(fake->log, "set14=1 event kernel event "
	    "event kernel event ");
	cuda_ops.unload(d, m);
	cuda_ops.close(d);
}
END_TEST

START_TEST(many_launches_are_a_graph)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct module *m = load_fake(d);
	struct launch l[3] = {
		{.module = m, .kernel = "test", .grid = {1, 1, 1},
		    .block = {32, 1, 1}},
		{.module = m, .kernel = "tally", .grid = {1, 1, 1},
		    .block = {32, 1, 1}},
		{.module = m, .kernel = "test", .grid = {1, 1, 1},
		    .block = {32, 1, 1}},
	};
	double seconds;
	struct err err;

	*fake->log = '\0';
	ck_assert(cuda_ops.run(d, l, 3, 2, 1, &seconds, &err));
	ck_assert_str_eq(fake->log, "load function function [kernel kernel kernel "
	    "] exec ~graph event graph graph event ~exec ");
	ck_assert_uint_eq(fake->params_size, 0);
	/* a capture that fails is ended all the same */
	*fake->log = '\0';
	fake->fail_call = "cuLaunchKernelEx";
	fake->fail_code = 1;
	ck_assert(!cuda_ops.run(d, l, 3, 2, 1, &seconds, &err));
	ck_assert_str_eq(fake->log, "[kernel ] ~graph ");
	ck_assert_int_eq(err.code, ERR_DEVICE);
	ck_assert_str_eq(err.message,
	    "cuLaunchKernelEx failed: CUDA_ERROR_FAKE (1, as told)");
	cuda_ops.unload(d, m);
	cuda_ops.close(d);
}
END_TEST

/* Modules are made in other threads, but put on the GPU in the one that
   runs them, before anything is timed or captured. */
START_TEST(a_module_is_put_on_the_gpu_when_it_runs)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct module *m;
	struct launch l = {.kernel = "test", .grid = {1, 1, 1},
	    .block = {32, 1, 1}};
	double seconds;
	struct err err;

	*fake->log = '\0';
	l.module = m = load_fake(d);
	ck_assert_str_eq(fake->log, "~link ");
	fake->fail_call = "cuModuleLoadData";
	fake->fail_code = 209;
	*fake->log = '\0';
	ck_assert(!cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_str_eq(err.message, "cuModuleLoadData failed: "
	    "CUDA_ERROR_FAKE (209, as told)");
	cuda_ops.unload(d, m);
	ck_assert_str_eq(fake->log, "load ");
	cuda_ops.close(d);
}
END_TEST

START_TEST(hangs_and_faults_are_told_apart)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct module *m = load_fake(d);
	struct launch l = {.module = m, .kernel = "test",
	    .grid = {1, 1, 1}, .block = {32, 1, 1}};
	double seconds, begin = wall_clock();
	struct err err;

	fake->never_ready = 1;
	ck_assert(!cuda_ops.run(d, &l, 1, 1, 0.05, &seconds, &err));
	ck_assert_int_eq(err.code, ERR_HANG);
	ck_assert(wall_clock() - begin >= 0.05);
	ck_assert(wall_clock() - begin < 2);
	fake->never_ready = 0;
	fake->finish_code = CUDA_ILLEGAL_ADDRESS;
	ck_assert(!cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_int_eq(err.code, ERR_FAULT);
	ck_assert_str_eq(err.message, "the kernels failed: "
	    "CUDA_ERROR_ILLEGAL_ADDRESS (700, as told)");
	fake->finish_code = CUDA_LAUNCH_FAILED; /* a trap */
	ck_assert(!cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_int_eq(err.code, ERR_FAULT);
	fake->finish_code = 46; /* devices unavailable */
	ck_assert(!cuda_ops.run(d, &l, 1, 1, 1, &seconds, &err));
	ck_assert_int_eq(err.code, ERR_DEVICE);
	cuda_ops.unload(d, m);
	cuda_ops.close(d);
}
END_TEST

START_TEST(assembler_log_is_shown)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct module *m = NULL;
	struct err err;

	*fake->log = '\0';
	fake->fail_call = "cuLinkAddData_v2";
	fake->fail_code = 218;
	fake->jit_log = "ptxas test.ptx, line 9;\n\033[31mbad\n";
	ck_assert(!cuda_ops.load(d, "x", ASSEMBLER_DRIVER, &m, &err));
	ck_assert_str_eq(err.message, "the driver's assembler failed: "
	    "CUDA_ERROR_FAKE (218, as told): ptxas test.ptx, line 9; "
	    "?[31mbad");
	ck_assert_str_eq(fake->log, "~link ");
	ck_assert_ptr_null(m);
	cuda_ops.close(d);
}
END_TEST

START_TEST(ptxas_makes_the_cubin)
{
	struct fake *fake;
	struct device *d = open_fake(&fake);
	struct arena *a = arena_new();
	struct module *m;
	const void *elf;
	size_t size;
	struct err err;

	if (!tool_find("ptxas", a)) {
		fprintf(stderr, "SKIPPED: no ptxas\n");
		return;
	}
	ck_assert_msg(cuda_ops.load(d, ".version 7.8\n.target sm_90\n"
	    ".address_size 64\n.visible .entry test() { ret; }\n",
	    ASSEMBLER_PTXAS, &m, &err), "%s", err.message);
	ck_assert(cuda_ops.code(d, m, a, &elf, &size, &err));
	ck_assert_uint_gt(size, 64);
	ck_assert_int_eq(memcmp(elf, "\177ELF", 4), 0);
	cuda_ops.unload(d, m);
	ck_assert(!cuda_ops.load(d, ".version 7.8\n.target sm_90\nnonsense\n",
	    ASSEMBLER_PTXAS, &m, &err));
	ck_assert_int_eq(err.code, ERR_DEVICE);
	ck_assert_ptr_nonnull(strstr(err.message, "ptxas failed: "));
	ck_assert_ptr_nonnull(strstr(err.message, "line 3"));
	cuda_ops.close(d);
	arena_free(a);
}
END_TEST

static const char *const refusable[] = {
	"cuInit", "cuDriverGetVersion", "cuDeviceGet", "cuDeviceGetName",
	"cuDeviceGetUuid", "cuDeviceGetUuid_v2", "cuDevicePrimaryCtxRetain",
	"cuCtxSetCurrent", "cuStreamCreate", "cuEventCreate",
};

START_TEST(refused_opening_names_the_call)
{
	struct fake *fake = fake_driver();
	struct device *d = NULL;
	struct err err;

	fake->fail_call = refusable[_i];
	fake->fail_code = 999;
	ck_assert(!cuda_ops.open(0, NULL, &d, &err));
	ck_assert_msg(strncmp(err.message, refusable[_i],
	    strlen(refusable[_i])) == 0, "%s", err.message);
	ck_assert_ptr_nonnull(strstr(err.message, "(999, "));
}
END_TEST

Suite *suite_cuda(void);

Suite *
suite_cuda(void)
{
	Suite *s = suite_create("cuda");
	TCase *c = tcase_create("cuda");

	tcase_add_test(c, declarations_are_those_of_cuda_h);
	tcase_add_test(c, driver_library_has_every_call);
	tcase_add_test(c, devices_are_described);
	tcase_add_test(c, memory_goes_there_and_back);
	tcase_add_test(c, one_launch_is_plain);
	tcase_add_test(c, many_launches_are_a_graph);
	tcase_add_test(c, a_module_is_put_on_the_gpu_when_it_runs);
	tcase_add_test(c, hangs_and_faults_are_told_apart);
	tcase_add_test(c, assembler_log_is_shown);
	tcase_add_test(c, ptxas_makes_the_cubin);
	tcase_add_loop_test(c, refused_opening_names_the_call, 0,
	    (int)(sizeof(refusable) / sizeof(*refusable)));
	suite_add_tcase(s, c);
	return s;
}
