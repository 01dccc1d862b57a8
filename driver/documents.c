#include "driver.h"

bool
documents_load(const struct strings *refs, struct arena *a,
    struct document **list)
{
	struct source source;
	struct err err;
	int i;

	*list = arena_alloc(a, ((size_t)refs->count + 1) * sizeof(**list));
	for (i = 0; i < refs->count; i++) {
		struct document *d = &(*list)[i];

		if (!document_load(refs->list[i], a, d, &source, &err)) {
			err_print(stderr, &err, source.text ? &source :
			    NULL);
			return false;
		}
		d->ref = refs->list[i];
	}
	return true;
}
