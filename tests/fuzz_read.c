/* Any bytes as a YAML file: read, or refused with a place in it; what is
   read can be written and read again as the same. */
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

	text_init(&t, a);
	write_yaml(&t, p);
	s.text = t.s;
	s.size = t.size;
	if (!read_yaml(&s, a, &suite, &errs)) {
		errs_print(stderr, &errs, &s);
		abort();
	}
	if (suite.count != 1 || suite.programs[0].hash != p->hash)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct source s = {"f", arena_strndup(a, (const char *)data, size),
	    size};
	struct suite suite = {0};
	struct errs errs = {0};
	int i;

	if (read_yaml(&s, a, &suite, &errs)) {
		for (i = 0; i < suite.count && i < 4; i++)
			again(&suite.programs[i], a);
	} else if (errs.count == 0 || suite.count) {
		abort();
	}
	arena_free(a);
	return 0;
}
