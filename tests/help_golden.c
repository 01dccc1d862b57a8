#include "help_golden.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const char *
slurp(const char *path, struct arena *a)
{
	struct source s;
	struct err err;

	return source_read(path, (size_t)4 << 20, a, &s, &err) ? s.text :
	    NULL;
}

void
golden(const char *path, const char *ending, const char *got,
    struct arena *a)
{
	const char *name = arena_printf(a, "%.*s%s",
	    (int)(strrchr(path, '.') - path), path, ending);
	const char *want;
	FILE *f;

	if (getenv("BLESS") && (f = fopen(name, "w"))) {
		fputs(got, f);
		fclose(f);
	}
	want = slurp(name, a);
	ck_assert_msg(want, "%s is missing (BLESS=1 makes it)", name);
	ck_assert_str_eq(got, want);
}

const char *
errors_text(const struct errs *errs, const struct source *source,
    struct arena *a)
{
	char *out = NULL, *copy;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	ck_assert_ptr_nonnull(f);
	errs_print(f, errs, source);
	fclose(f);
	copy = arena_strdup(a, out);
	free(out);
	return copy;
}
