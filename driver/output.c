/* Where commands that make texts put them. */
#include "driver.h"

#include <errno.h>
#include <string.h>

bool
output_text(const char *path, const struct text *t, struct err *err)
{
	FILE *f = path ? fopen(path, "w") : stdout;
	bool ok = f && fwrite(t->s, 1, t->size, f) == t->size;

	if (f && path)
		ok = fclose(f) == 0 && ok;
	return ok || err_set(err, ERR_IO, (struct loc){path ? path :
	    "standard output", 0, 0}, "%s", strerror(errno));
}

bool
output_test(const struct program *p, const char *folder, const char *ending,
    const struct text *t, struct err *err)
{
	char *name = arena_strdup(t->arena, p->name), *s;

	for (s = name; *s; s++)
		if (strchr("/\\:*?\"<>| ", *s))
			*s = '_';
	return output_text(arena_printf(t->arena, "%s/%s.%s", folder, name,
	    ending), t, err);
}
