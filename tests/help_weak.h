/* What the software machine shows of a program, against the model. */
#ifndef HELP_WEAK_H
#define HELP_WEAK_H

#include "help_plan.h"

struct study {
	const char *options; /* of the device */
	uint64_t instances, seed;
	/* found: */
	bool judged; /* the model has a verdict, and the program ran */
	uint32_t allowed, seen; /* outcomes */
	uint32_t forbidden; /* shown, but not allowed */
	uint64_t other, hang; /* instances */
	bool hangs; /* allowed to */
	struct err err; /* of the run */
	struct text why; /* forbidden outcomes, missing outcomes */
};

/* Dies if the plan cannot be made; not judged where it may not be. */
void study_weak(struct study *s, const struct program *p, struct arena *a);
bool study_sound(const struct study *s);
/* Reads all programs of a file; dies if it does not read. */
struct suite study_read(const char *path, struct arena *a);

#endif
