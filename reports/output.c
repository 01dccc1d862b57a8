#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that are no regular ones, such as /dev/stdout, cannot be replaced. */
bool
output_replaces(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 ||
	    S_ISREG(st.st_mode));
}

/* To open a pipe would wait for its reader: only what is safe is tried. */
bool
output_check(const char *path, struct err *err)
{
	struct arena *a;
	struct output o;
	struct stat st;
	bool good;

	if (!output_replaces(path))
		return stat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
		    err_set(err, ERR_IO, (struct loc){path, 0, 0},
		    "is a directory");
	a = arena_new();
	good = output_open(&o, path, a, err);
	if (good) {
		fclose(o.f);
		unlink(o.temporary);
	}
	arena_free(a);
	return good;
}

bool
output_open(struct output *o, const char *path, struct arena *a,
    struct err *err)
{
	char *temporary;
	int fd;

	*o = (struct output){.path = path};
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return true;
	}
	if (!output_replaces(path)) {
		o->f = fopen(path, "w");
		return o->f || err_set(err, ERR_IO, (struct loc){path, 0, 0},
		    "%s", strerror(errno));
	}
	temporary = arena_printf(a, "%s.XXXXXX", path);
	fd = mkstemp(temporary);
	if (fd >= 0)
		o->f = fdopen(fd, "w");
	if (!o->f) {
		err_set(err, ERR_IO, (struct loc){path, 0, 0}, "%s",
		    strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(temporary);
		}
		return false;
	}
	o->temporary = temporary;
	return true;
}

static bool
finish(struct output *o)
{
	mode_t mask = umask(0);
	int lost;

	umask(mask);
	if (o->temporary && (fflush(o->f) != 0 ||
	    fchmod(fileno(o->f), 0666 & ~mask) != 0))
		return false;
	lost = ferror(o->f);
	if (o->f == stdout ? fflush(o->f) : fclose(o->f))
		return false;
	if (lost) {
		errno = EIO; /* what it was is long forgotten */
		return false;
	}
	return !o->temporary || rename(o->temporary, o->path) == 0;
}

bool
output_close(struct output *o, struct err *err)
{
	if (finish(o))
		return true;
	err_set(err, ERR_IO, (struct loc){o->path, 0, 0},
	    "cannot be written: %s", strerror(errno));
	if (o->temporary)
		unlink(o->temporary);
	return false;
}
