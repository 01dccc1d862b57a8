#include "driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

const struct device_ops *
device_ops_of(const struct device_info *info)
{
	return strcmp(info->kind, sim_ops.kind) == 0 ? &sim_ops : &cuda_ops;
}

/* Both ends are one program: structs travel as they are. */
struct listing {
	int count;
	struct err err;
	struct device_info infos[DEVICES_MAX];
};

static bool
read_all(int fd, void *to, size_t size)
{
	char *at = to;

	while (size > 0) {
		ssize_t n = read(fd, at, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return true;
}

static _Noreturn void
list_and_exit(const struct device_ops *ops, struct listing *l, int fd)
{
	const char *at = (const char *)l;
	size_t left = sizeof(*l);
	char version[sizeof(l->infos[0].driver_version)];
	int i;

	l->count = ops->list(l->infos, DEVICES_MAX, &l->err);
	if (ops == &cuda_ops && l->count > 0) {
		driver_version_find(NULL, version, sizeof(version));
		for (i = 0; i < l->count && i < DEVICES_MAX; i++)
			memcpy(l->infos[i].driver_version, version,
			    sizeof(version));
	}
	while (left > 0) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	_exit(0);
}

static bool
list_in_child(const struct device_ops *ops, struct listing *l,
    struct err *err)
{
	const struct loc none = {0};
	int pipes[2], status;
	pid_t pid;
	bool ok;

	if (pipe(pipes) != 0)
		return err_set(err, ERR_IO, none, "pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		close(pipes[0]);
		close(pipes[1]);
		return err_set(err, ERR_IO, none, "fork: %s", strerror(errno));
	}
	if (pid == 0)
		list_and_exit(ops, l, pipes[1]);
	close(pipes[1]);
	ok = read_all(pipes[0], l, sizeof(*l));
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return ok || err_set(err, ERR_DEVICE, none,
	    "the %s driver ended the process that listed its devices",
	    ops->kind);
}

int
devices_list(const struct device_ops *ops, struct device_info *infos, int max,
    struct err *err)
{
	struct listing *l = calloc(1, sizeof(*l));
	int i, n = -1;

	if (l && list_in_child(ops, l, err)) {
		n = l->count;
		if (n < 0)
			*err = l->err;
		for (i = 0; i < n && i < max; i++) {
			infos[i] = l->infos[i];
			infos[i].kind = ops->kind;
		}
	}
	free(l);
	return n < max ? n : max;
}

static bool
is_number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

static bool
named(const struct device_info *info, const char *which)
{
	size_t n = strlen(which);

	if (is_number(which) && n < 4)
		return atoi(which) == info->index;
	return strncasecmp(info->uuid, which, n) == 0 ||
	    (strncasecmp(info->uuid, "GPU-", 4) == 0 &&
	    strncasecmp(info->uuid + 4, which, n) == 0);
}

static int
keep_named(struct device_info *infos, int n, const char *which,
    struct err *err)
{
	int i, kept = 0;

	for (i = 0; i < n; i++)
		if (named(&infos[i], which))
			infos[kept++] = infos[i];
	if (kept == 1)
		return 1;
	err_set(err, ERR_USAGE, (struct loc){0}, kept ?
	    "--device: '%.60s' begins the UUID of several of the %d GPUs" :
	    "--device: '%.60s' is none of the %d GPUs; fencepost devices "
	    "lists them", which, n);
	return -1;
}

int
devices_choose(const char *which, struct device_info *infos, int max,
    bool *fallback, struct err *err)
{
	int n;

	*fallback = false;
	if (which && strcmp(which, sim_ops.kind) == 0)
		return devices_list(&sim_ops, infos, max, err);
	n = devices_list(&cuda_ops, infos, max, err);
	if (n == 0)
		err_set(err, ERR_DEVICE, (struct loc){0}, "the CUDA driver "
		    "has no GPU");
	if (n <= 0 && which)
		return -1;
	if (n <= 0) {
		*fallback = true;
		return devices_list(&sim_ops, infos, max, err);
	}
	if (!which || strcmp(which, cuda_ops.kind) == 0)
		return 1;
	if (strcmp(which, "all") == 0)
		return n;
	return keep_named(infos, n, which, err);
}
