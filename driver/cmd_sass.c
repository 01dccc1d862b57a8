#include "driver.h"

#define OPTIONS \
	OPTION(number, sm, 0, "N", "90", 70, 200, "compute capability that "   \
	    "ptxas assembles for")                                             \
	OPTION(text, device, 'd', "WHICH", NULL, 0, 0, "assemble with this "   \
	    "GPU's driver instead")                                            \
	OPTION(text, env, 'e', "FILE", NULL, 0, 0, "environments; the first "  \
	    "is used")
#include "options.h"

static const struct usage usage = {
	"sass", "TEST", 1, 1,
	"Prints the machine code of a test's kernel with the tested "
	"instructions marked, and\nsays whether they are all there, once, in "
	"order, with their strength. TEST is a\nname in the suite, a file "
	"with one test, or FILE:NAME.\n", option_rows,
};

bool
device_assemble(const char *device, const char *ptx, struct arena *a,
    const void **elf, size_t *size, struct err *err)
{
	struct device_info infos[DEVICES_MAX];
	struct module *m;
	struct bench b;
	bool fallback, ok;

	if (devices_choose(device, infos, DEVICES_MAX, &fallback, err) < 1)
		return false;
	if (!bench_open(device_ops_of(&infos[0]), infos[0].index, NULL,
	    ASSEMBLER_DRIVER, 1, &b, err))
		return false;
	ok = b.ops->load(b.device, ptx, b.assembler, &m, err);
	if (ok) {
		ok = b.ops->code(b.device, m, a, elf, size, err);
		if (ok)
			*elf = arena_strndup(a, *elf, *size);
		b.ops->unload(b.device, m);
	}
	bench_close(&b);
	return ok;
}

static int
sass(const struct options *o, const char *test, struct arena *a,
    struct err *err)
{
	struct plan plan;
	struct sass s;
	struct text t;
	const void *elf;
	const char *ptx;
	size_t size;
	bool ok;

	if (!plan_typical(test, o->env, (int)o->sm, a, &plan, err))
		return STATUS_NO_VERDICT;
	ptx = emit_ptx(&plan, SABOTAGE_NONE, a);
	ok = o->device ?
	    device_assemble(o->device, ptx, a, &elf, &size, err) :
	    ptxas_run(ptx, (int)o->sm, a, &elf, &size, err);
	if (!ok)
		return STATUS_NO_VERDICT;
	sass_check(&plan, elf, size, a, &s);
	text_init(&t, a);
	sass_print(&t, &plan, &s);
	fputs(t.s, stdout);
	return s.status == DOC_CODE_CHECKED ? STATUS_OK :
	    s.status == DOC_CODE_CHANGED ? STATUS_FOUND : STATUS_NO_VERDICT;
}

int
cmd_sass(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	struct err err = {0};
	int status = options_read(&usage, &options, argc, argv, a, &operands);

	if (status == STATUS_GO_ON) {
		status = sass(&options, operands.list[0], a, &err);
		if (err.code)
			err_print(stderr, &err, NULL);
	}
	arena_free(a);
	return status;
}
