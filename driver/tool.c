/* Other programs: ptxas and the disassembler of the CUDA toolkit. */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

double
wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *
program_folder(struct arena *a)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));

	while (n > 0 && exe[n - 1] != '/')
		n--;
	return n > 1 ? arena_strndup(a, exe, (size_t)n - 1) : ".";
}

static const char *
in_folder(const char *folder, size_t n, const char *name, struct arena *a)
{
	const char *path = arena_printf(a, "%.*s/%s", (int)n, folder, name);

	return n && access(path, X_OK) == 0 ? path : NULL;
}

const char *
tool_find(const char *name, struct arena *a)
{
	const char *cuda = getenv("CUDA_HOME"), *path = getenv("PATH"), *found;

	while (path && *path) {
		size_t n = strcspn(path, ":");

		found = in_folder(path, n, name, a);
		if (found)
			return found;
		path += n + (path[n] == ':');
	}
	if (!cuda || !*cuda)
		cuda = "/usr/local/cuda";
	cuda = arena_printf(a, "%s/bin", cuda);
	found = in_folder(cuda, strlen(cuda), name, a);
	if (found)
		return found;
	path = arena_printf(a, "%s/tools", program_folder(a));
	return in_folder(path, strlen(path), name, a);
}

static bool
spawn(const char *const *argv, int output, pid_t *pid, struct err *err)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawn_file_actions_adddup2(&actions, output, 2);
	error = posix_spawn(pid, argv[0], &actions, NULL,
	    (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "cannot start %s: %s", argv[0], strerror(error));
	return true;
}

/* Reads until the other end closes, the limit, or the deadline. */
static bool
drain(int fd, size_t limit, double deadline, struct text *out)
{
	char buffer[65536];
	ssize_t n;

	for (;;) {
		struct pollfd p = {fd, POLLIN, 0};
		double left = deadline - wall_clock();

		if (left <= 0 || out->size > limit)
			return false;
		if (poll(&p, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		n = read(fd, buffer, sizeof(buffer));
		if (n == 0 || (n < 0 && errno != EINTR))
			return true;
		if (n > 0)
			text_append(out, buffer, (size_t)n);
	}
}

bool
tool_run(const char *const *argv, double timeout, size_t limit,
    struct text *out, int *status, struct err *err)
{
	int pipes[2];
	pid_t pid;
	bool ended;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return err_set(err, ERR_IO, (struct loc){0}, "pipe: %s",
		    strerror(errno));
	if (!spawn(argv, pipes[1], &pid, err)) {
		close(pipes[0]);
		close(pipes[1]);
		return false;
	}
	close(pipes[1]);
	ended = drain(pipes[0], limit, wall_clock() + timeout, out);
	close(pipes[0]);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "%s did not end within %g s, or wrote more than %zu bytes",
		    argv[0], timeout, limit);
	return true;
}
