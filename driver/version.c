/*
 * Versions of what took part in a run: the driver's own, beside the one of
 * its API, and those of the toolkit's programs.
 */
#include "driver.h"

#include <dlfcn.h>
#include <string.h>

#define KERNEL_MODULE "/proc/driver/nvidia/version"
#define NVML "libnvidia-ml.so.1"
#define TEXT_MAX ((size_t)65536)
#define TOOL_SECONDS 10

/* Numbers with points between them: how many characters, 0: none. */
static size_t
numbers(const char *s)
{
	size_t n = strspn(s, "0123456789."), digits;

	digits = strspn(s, "0123456789");
	return digits && digits < n && s[n - 1] != '.' ? n : 0;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed ...": the
   first word of that line that is a version. */
bool
driver_version_read(const char *text, char *s, size_t size)
{
	const char *at = strstr(text, "NVRM version:");
	const char *end = at ? at + strcspn(at, "\n") : NULL;

	while (at && at < end) {
		size_t word = strcspn(at, " \t\n"), n = numbers(at);

		if (n && n == word && n < size) {
			snprintf(s, size, "%.*s", (int)n, at);
			return true;
		}
		at += word + 1;
	}
	return false;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" */
bool
tool_version_read(const char *text, char *s, size_t size)
{
	const char *at = strstr(text, ", release ");
	size_t n;

	at = at ? strstr(at, ", V") : NULL;
	n = at ? numbers(at + 3) : 0;
	if (!n || n >= size)
		return false;
	snprintf(s, size, "%.*s", (int)n, at + 3);
	return true;
}

/* The driver's management library, where no module of the kernel shows. */
static bool
ask_nvml(char *s, size_t size)
{
	void *library = dlopen(NVML, RTLD_NOW | RTLD_LOCAL);
	int (*init)(void), (*version)(char *, unsigned), (*shutdown)(void);
	bool ok = false;

	if (!library)
		return false;
	*(void **)&init = dlsym(library, "nvmlInit_v2");
	*(void **)&version = dlsym(library, "nvmlSystemGetDriverVersion");
	*(void **)&shutdown = dlsym(library, "nvmlShutdown");
	if (init && version && shutdown && init() == 0) {
		ok = version(s, (unsigned)size) == 0 &&
		    numbers(s) == strlen(s) && *s;
		shutdown();
	}
	dlclose(library);
	return ok;
}

void
driver_version_find(const char *module, char *s, size_t size)
{
	struct arena *a = arena_new();
	struct source source;
	struct err err;

	if (!source_read(module ? module : KERNEL_MODULE, TEXT_MAX, a,
	    &source, &err) || !driver_version_read(source.text, s, size))
		if (!ask_nvml(s, size))
			*s = '\0';
	arena_free(a);
}

static void
add_tool(struct text *t, const char *name, const char *path, struct arena *a)
{
	const char *argv[] = {path, "--version", NULL};
	struct text out;
	struct err err;
	char version[32] = "";
	int status;

	if (!path)
		return;
	text_init(&out, a);
	if (tool_run(argv, TOOL_SECONDS, TEXT_MAX, &out, &status, &err))
		tool_version_read(out.s, version, sizeof(version));
	text_printf(t, "%s%s%s%s", t->size ? ", " : "", name,
	    *version ? " " : "", version);
}

void
toolkit_find(bool assembles, bool reads, char *s, size_t size)
{
	struct arena *a = arena_new();
	struct text t;

	text_init(&t, a);
	if (assembles)
		add_tool(&t, "ptxas", tool_find("ptxas", a), a);
	if (reads)
		add_tool(&t, "nvdisasm", nvdisasm_find(a), a);
	snprintf(s, size, "%s", t.s);
	arena_free(a);
}
