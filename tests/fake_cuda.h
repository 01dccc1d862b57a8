/* How a test tells the fake CUDA driver what to do, and what it saw. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#define FAKE_LOG 8192

struct fake {
	char log[FAKE_LOG]; /* the calls that matter, a letter or more each */
	const char *fail_call; /* fails ... */
	int fail_code; /* ... with this */
	const char *jit_log;
	int never_ready; /* the kernels do not end */
	int finish_code; /* what the kernels end with */
	int version, devices, mig;
	/* of the last launch */
	unsigned grid, block, shared, cluster;
	int cooperative;
	unsigned long params_size;
	unsigned char params[64];
};

#endif
