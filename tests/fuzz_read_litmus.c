/* Any bytes as a .litmus file: read, or refused with a place in it; what is
   read and can be written is read again. */
#include <stdlib.h>

#include "../gen/gen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
again(const struct program *p, struct arena *a)
{
	struct suite suite = {0};
	struct errs errs = {0};
	struct source s = {"written", NULL, 0};
	struct text t;
	struct err err;

	text_init(&t, a);
	if (!write_litmus(&t, p, &err))
		return;
	s.text = t.s;
	s.size = t.size;
	if (!read_litmus(&s, a, &suite, &errs)) {
		errs_print(stderr, &errs, &s);
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct source s = {"f", arena_strndup(a, (const char *)data, size),
	    size};
	struct suite suite = {0};
	struct errs errs = {0};

	if (read_litmus(&s, a, &suite, &errs))
		again(&suite.programs[0], a);
	else if (errs.count == 0 || suite.count)
		abort();
	arena_free(a);
	return 0;
}
