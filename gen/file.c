#include "gen.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool
source_read(const char *path, size_t limit, struct arena *a,
    struct source *source, struct err *err)
{
	struct loc loc = {path, 0, 0};
	struct stat st = {0};
	FILE *f = fopen(path, "rb");
	char *s;
	size_t n, room = 65536;

	if (!f)
		return err_set(err, ERR_IO, loc, "%s", strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(f);
		return err_set(err, ERR_IO, loc, "is a directory");
	}
	if (S_ISREG(st.st_mode) && (size_t)st.st_size <= limit)
		room = (size_t)st.st_size + 1; /* in one piece */
	s = arena_alloc(a, room + 1);
	n = 0;
	for (;;) {
		size_t got = fread(s + n, 1, room - n, f);

		n += got;
		if (n > limit || got == 0)
			break;
		if (n == room) {
			s = arena_grow(a, s, n, 2 * room + 1);
			room *= 2;
		}
	}
	if (ferror(f)) {
		fclose(f);
		return err_set(err, ERR_IO, loc, "%s", strerror(errno));
	}
	fclose(f);
	if (n > limit)
		return err_set(err, ERR_LIMIT, loc,
		    "larger than %zu bytes", limit);
	s[n] = '\0';
	source->name = arena_strdup(a, path);
	source->text = s;
	source->size = n;
	return true;
}
