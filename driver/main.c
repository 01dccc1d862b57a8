#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
#define COMMAND(name, help) {#name, cmd_##name, help},
#include "commands.def"
#undef COMMAND
};

#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static void
usage(FILE *f)
{
	size_t i;

	fprintf(f, "usage: fencepost COMMAND [...]\n"
	    "Tests the memory model of NVIDIA GPUs at the level of PTX.\n\n");
	for (i = 0; i < NCOMMANDS; i++)
		fprintf(f, "  %-10s %s\n", commands[i].name,
		    commands[i].help);
	fprintf(f, "\nfencepost COMMAND --help says more. Exit status: 0 all "
	    "as expected, 1 found\nsomething, 2 no verdict, 4 nothing "
	    "selected, 130 interrupted.\n");
}

static int
dispatch(const char *name, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(argc, argv);
	fprintf(stderr, "fencepost: error: no command '%s'; fencepost --help "
	    "lists them\n", name);
	return STATUS_NO_VERDICT;
}

/* A stream that was closed must not become the number of a document. What
   is written there fails, as nothing can be written to this. */
static void
fill_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What nobody could read is not as expected. */
static int
finish(int status)
{
	errno = 0;
	if ((fflush(stdout) == 0 && !ferror(stdout)) || status != STATUS_OK)
		return status;
	fprintf(stderr, "fencepost: error: standard output cannot be "
	    "written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
	return STATUS_NO_VERDICT;
}

static int
command(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (argc < 2) {
		usage(stderr);
		return STATUS_NO_VERDICT;
	}
	if (strcmp(name, "--version") == 0) {
		printf("fencepost %s\n", VERSION);
		return STATUS_OK;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    strcmp(name, "help") == 0) {
		usage(stdout);
		return STATUS_OK;
	}
	return dispatch(name, argc - 1, argv + 1);
}

int
main(int argc, char **argv)
{
	fill_streams();
	return finish(command(argc, argv));
}
