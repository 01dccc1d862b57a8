/* Changing programs: what weaken.c and strengthen.c share. Not for others. */
#ifndef EDIT_H
#define EDIT_H

#include "model.h"

enum edit_kind {
	EDIT_REPLACE,
	EDIT_REMOVE,
	EDIT_INSERT, /* before the instruction; at the end: ninsns */
};

struct edit {
	enum edit_kind kind;
	int thread, insn;
	struct insn to; /* REPLACE, INSERT */
};

/* The narrowest scope that includes both threads. */
enum scope scope_between(const struct program *p, int a, int b);
/* A copy of p with the edits made; its name is p's and a suffix that says
   which. Each place is edited at most once. */
struct program *edit_program(const struct program *p,
    const struct edit *edits, int count, struct arena *a);
/* The same for good: also checked, which fills what depends on the
   instructions (targets, hash). False if PTX does not allow it. */
bool edit_finish(struct program *p, struct arena *a);
/* "P0 line 4: fence.sc.gpu -> fence.acq_rel.gpu; ..." */
const char *edit_describe(const struct program *p, const struct edit *edits,
    int count, struct arena *a);
/* The opcode as far as the model sees it: "ld.acquire.gpu". */
void edit_opcode(struct text *t, const struct insn *insn);

#endif
