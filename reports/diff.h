/* What diff.c and diff_prim.c share. Not for others. */
#ifndef DIFF_H
#define DIFF_H

#include "reports.h"

/* One outcome of a test that both documents have. */
struct pair {
	const struct doc_test *a, *b;
	const struct doc_row *row; /* its values and class */
	double x1, x2;
	double p;
};

struct diff_work {
	const struct document *a, *b;
	const struct diff_options *options;
	struct arena *arena;
	int *device; /* of b, for each of a; -1: none */
	struct pair *pairs;
	size_t npairs, pair_room;
	struct change *changes;
	size_t nchanges, change_room;
	int tests;
};

/* diff.c */
struct change *diff_add(struct diff_work *w, enum change_id id,
    const char *name);

/* diff_prim.c */
void diff_primitives(struct diff_work *w);

#endif
