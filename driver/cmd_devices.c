#include "driver.h"

#include <string.h>

#define OPTIONS \
	OPTION(flag, quiet, 'q', NULL, NULL, 0, 0, "only the UUIDs of the GPUs")
#include "options.h"

static const struct usage usage = {
	"devices", "", 0, 0,
	"Lists the GPUs of this machine, and what the tests need to know of "
	"them.\n", option_rows,
};

static void
print_toolkit(void)
{
	char toolkit[80];

	toolkit_find(true, true, toolkit, sizeof(toolkit));
	if (!strstr(toolkit, "ptxas"))
		printf("no ptxas: the driver alone can assemble\n");
	if (!strstr(toolkit, "nvdisasm"))
		printf("no nvdisasm: machine code is not checked\n");
	if (*toolkit)
		printf("toolkit: %s\n", toolkit);
}

static void
print_gpu(const struct device_info *d)
{
	const struct caps *c = &d->caps;

	printf("%d  %s\n   %s%s\n", d->index, d->name, d->uuid,
	    d->mig > 0 ? " (a MIG slice)" : "");
	printf("   sm_%d, %d processor%s, %.1f GiB, L2 %.1f MiB\n", c->sm,
	    c->processors, plural((uint64_t)c->processors),
	    (double)c->memory / (1 << 30), (double)c->l2 / (1 << 20));
	printf("   driver %s%s%s, PTX up to %d.%d\n", d->driver_version,
	    *d->driver_version ? ", " : "", d->driver, c->ptx / 10,
	    c->ptx % 10);
	if (d->clock_khz)
		printf("   at most %d MHz, memory %d MHz\n",
		    d->clock_khz / 1000, d->memory_clock_khz / 1000);
}

int
cmd_devices(int argc, char **argv)
{
	struct device_info infos[DEVICES_MAX];
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	struct err err = {0};
	int i, n, status;

	status = options_read(&usage, &options, argc, argv, a, &operands);
	arena_free(a);
	if (status != STATUS_GO_ON)
		return status;
	n = devices_list(&cuda_ops, infos, DEVICES_MAX, &err);
	for (i = 0; i < n; i++)
		if (options.quiet)
			printf("%s\n", infos[i].uuid);
		else
			print_gpu(&infos[i]);
	if (n <= 0)
		fprintf(stderr, "fencepost: no GPU: %s\n", n < 0 ?
		    err.message : "the CUDA driver has none");
	if (!options.quiet) {
		printf("sim  the software PTX machine: no GPU takes part\n");
		print_toolkit();
	}
	return STATUS_OK;
}
