/* What strengthen.c and strengthen_async.c share. Not for others. */
#ifndef STRENGTHEN_H
#define STRENGTHEN_H

#include "edit.h"

#define CHANGES_MAX 64
#define FORMS_MAX 4
#define BARRIER_THREADS 3 /* of a CTA that get a barrier */
#define ALLOWED_MAX 512

struct change {
	/* from the weakest to the strongest; each may be several edits */
	struct edit forms[FORMS_MAX][BARRIER_THREADS];
	int nforms, nedits;
};

typedef uint64_t change_set;

struct strength_search {
	const struct program *p;
	struct model_opts opts;
	uint32_t code;
	struct arena *arena, *scratch;
	struct change changes[CHANGES_MAX];
	int nchanges;
	enum scope scope; /* includes every thread */
	bool bulk; /* there are bulk copies */
	uint64_t runs, candidates;
	change_set allowed[ALLOWED_MAX]; /* sets that do not forbid */
	int nallowed;
	struct strengthening *list;
	int count;
};

/* strengthen.c; change_new(): NULL if there are too many */
struct change *change_new(struct strength_search *s);
bool insn_is_access(const struct insn *insn);
/* strengthen_async.c: what may be changed at an instruction, or put before
   it */
void strengthen_async(struct strength_search *s, int thread, int index);

#endif
