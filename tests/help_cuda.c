#include "help_cuda.h"

#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>

struct fake *
fake_driver(void)
{
	const char *path = getenv("FAKE_CUDA");
	void *library = dlopen(path ? path : "build/tests/libcuda.so.1",
	    RTLD_NOW | RTLD_GLOBAL);
	struct fake *fake;

	ck_assert_msg(library != NULL, "%s", dlerror());
	fake = dlsym(library, "fake");
	ck_assert_ptr_nonnull(fake);
	return fake;
}
