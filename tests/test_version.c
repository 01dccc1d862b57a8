/* version: of the driver, of the toolkit's programs */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../driver/driver.h"
#include "help_cli.h"

static const struct {
	const char *text, *version; /* NULL: none */
} drivers[] = {
	{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug "
	    "19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0 (Debian "
	    "12.2.0-14)\n", "535.104.05"},
	{"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04"
	    "  Release Build  (dvs-builder@U22-I3-AE18-23-3)  Thu Jan 15 "
	    "02:36:39 UTC 2026\nGCC version:  gcc version 13.3.0\n",
	    "580.159.04"},
	{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54\n", "550.54"},
	{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54", "550.54"},
	{"NVRM version: NVIDIA UNIX\nGCC version:  gcc version 12.2.0\n", NULL},
	{"NVRM version: 580.159.04-custom 7 .5 5. x\n", NULL},
	{"NVRM version:\n", NULL},
	{"NVRM version: 111111111111111111111111111111111111111.1\n", NULL},
	{"580.159.04\n", NULL},
	{"", NULL},
};

START_TEST(the_drivers_version_is_read)
{
	char s[32] = "";

	ck_assert_int_eq(driver_version_read(drivers[_i].text, s, sizeof(s)),
	    drivers[_i].version != NULL);
	ck_assert_str_eq(s, drivers[_i].version ? drivers[_i].version : "");
}
END_TEST

static const struct {
	const char *text, *version;
} tools[] = {
	{"ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright (c) 2005-2025 "
	    "NVIDIA Corporation\nBuilt on Wed_Aug_20_01:55:12_PM_PDT_2025\n"
	    "Cuda compilation tools, release 13.0, V13.0.88\nBuild "
	    "cuda_13.0.r13.0/compiler.36424714_0\n", "13.0.88"},
	{"nvdisasm: NVIDIA (R) CUDA disassembler\nCuda compilation tools, "
	    "release 11.8, V11.8.86\n", "11.8.86"},
	{"Cuda compilation tools, release 13.0\n", NULL},
	{"Cuda compilation tools, release 13.0, Vnext\n", NULL},
	{"usage: a tool, V1.2\n", NULL},
	{"", NULL},
};

START_TEST(a_tools_version_is_read)
{
	char s[32] = "";

	ck_assert_int_eq(tool_version_read(tools[_i].text, s, sizeof(s)),
	    tools[_i].version != NULL);
	ck_assert_str_eq(s, tools[_i].version ? tools[_i].version : "");
}
END_TEST

/* A file that may be run; its path is the arena's. */
static const char *
put_tool(struct arena *a, const char *name, const char *text)
{
	const char *path = arena_printf(a, "%s/%s", folder, name);

	put(name, text);
	ck_assert_int_eq(chmod(path, 0700), 0);
	return path;
}

/* The kernel's file comes first, then NVML, then nothing. */
START_TEST(the_driver_is_asked_in_turn)
{
	struct arena *a = arena_new();
	const char *fake = getenv("FAKE_NVML");
	const char *module = put_tool(a, "version", drivers[0].text);
	const char *other = put_tool(a, "other", "no such line\n");
	char s[32] = "x";

	driver_version_find(module, s, sizeof(s));
	ck_assert_str_eq(s, "535.104.05");
	if (!dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
		driver_version_find(other, s, sizeof(s));
		ck_assert_str_eq(s, "");
	}
	ck_assert_msg(dlopen(fake ? fake : "build/tests/libnvidia-ml.so.1",
	    RTLD_NOW | RTLD_GLOBAL) != NULL, "%s", dlerror());
	driver_version_find(other, s, sizeof(s));
	ck_assert_str_eq(s, "570.12.3");
	driver_version_find("/nowhere/version", s, sizeof(s));
	ck_assert_str_eq(s, "570.12.3");
	driver_version_find(module, s, sizeof(s));
	ck_assert_str_eq(s, "535.104.05");
	arena_free(a);
}
END_TEST

START_TEST(the_toolkit_is_what_takes_part)
{
	struct arena *a = arena_new();
	char s[80];

	setenv("PATH", arena_printf(a, "%s:/usr/bin:/bin", folder), 1);
	setenv("FENCEPOST_NVDISASM", put_tool(a, "disassemble", "#!/bin/sh\n"
	    "echo 'Cuda compilation tools, release 12.9, V12.9.19'\n"), 1);
	put_tool(a, "ptxas", "#!/bin/sh\n[ \"$1\" = --version ] && "
	    "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n");
	toolkit_find(true, true, s, sizeof(s));
	ck_assert_str_eq(s, "ptxas 13.0.88, nvdisasm 12.9.19");
	toolkit_find(true, false, s, sizeof(s));
	ck_assert_str_eq(s, "ptxas 13.0.88");
	toolkit_find(false, true, s, sizeof(s));
	ck_assert_str_eq(s, "nvdisasm 12.9.19");
	toolkit_find(false, false, s, sizeof(s));
	ck_assert_str_eq(s, "");
	put_tool(a, "ptxas", "#!/bin/sh\necho of another kind\n");
	toolkit_find(true, false, s, sizeof(s));
	ck_assert_str_eq(s, "ptxas");
	setenv("FENCEPOST_NVDISASM", "/nowhere/nvdisasm", 1);
	toolkit_find(false, true, s, sizeof(s));
	ck_assert_str_eq(s, "");
	arena_free(a);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(*(table))))

Suite *suite_version(void);

Suite *
suite_version(void)
{
	Suite *s = suite_create("version");
	TCase *c = tcase_create("version");

	tcase_add_checked_fixture(c, make_folder, remove_folder);
	tcase_add_loop_test(c, the_drivers_version_is_read, 0,
	    COUNT(drivers));
	tcase_add_loop_test(c, a_tools_version_is_read, 0, COUNT(tools));
	tcase_add_test(c, the_driver_is_asked_in_turn);
	tcase_add_test(c, the_toolkit_is_what_takes_part);
	suite_add_tcase(s, c);
	return s;
}
