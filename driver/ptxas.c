/* PTX to machine code by the toolkit's assembler, without a device. */
#include "driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CUBIN_LIMIT ((size_t)64 << 20)
#define PTXAS_SECONDS 60

const char *
log_summary(const char *log, struct arena *a)
{
	char *s = text_clean(a, log, strnlen(log, 300)), *p;

	for (p = s; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	while (p > s && p[-1] == ' ')
		*--p = '\0';
	return s;
}

static bool
write_all(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t wrote = write(fd, s, n);

		if (wrote < 0 && errno != EINTR)
			return false;
		if (wrote > 0) {
			s += wrote;
			n -= (size_t)wrote;
		}
	}
	return true;
}

/* A new file that holds s; returns its name, or NULL with errno. */
static char *
temporary(const char *s, size_t n, struct arena *a)
{
	const char *folder = getenv("TMPDIR");
	char *name = arena_printf(a, "%s/fencepost-XXXXXX",
	    folder && *folder ? folder : "/tmp");
	int fd = mkstemp(name);
	bool ok;

	if (fd < 0)
		return NULL;
	ok = write_all(fd, s, n);
	close(fd);
	if (!ok)
		unlink(name);
	return ok ? name : NULL;
}

static bool
run_ptxas(const char *ptxas, int sm, const char *from, const char *to,
    struct arena *a, struct source *cubin, struct err *err)
{
	const char *argv[] = {
		ptxas, "--generate-line-info",
		arena_printf(a, "-arch=sm_%d", sm), "-o", to, from, NULL,
	};
	struct text log;
	int status;

	text_init(&log, a);
	if (!tool_run(argv, PTXAS_SECONDS, CUBIN_LIMIT, &log, &status, err))
		return false;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "ptxas failed: %s", log_summary(log.s, a));
	return source_read(to, CUBIN_LIMIT, a, cubin, err);
}

bool
ptxas_run(const char *ptx, int sm, struct arena *a, const void **cubin,
    size_t *size, struct err *err)
{
	const char *ptxas = tool_find("ptxas", a);
	struct source made;
	char *from, *to;
	bool ok;

	if (!ptxas)
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "no ptxas in PATH or CUDA_HOME");
	from = temporary(ptx, strlen(ptx), a);
	to = from ? temporary("", 0, a) : NULL;
	if (!to) {
		err_set(err, ERR_IO, (struct loc){0}, "temporary file: %s",
		    strerror(errno));
		if (from)
			unlink(from);
		return false;
	}
	ok = run_ptxas(ptxas, sm, from, to, a, &made, err);
	unlink(from);
	unlink(to);
	if (!ok)
		return false;
	*cubin = made.text;
	*size = made.size;
	return true;
}
