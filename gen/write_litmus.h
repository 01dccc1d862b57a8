/* What write_litmus.c and write_cell.c share. Not for others. */
#ifndef WRITE_LITMUS_H
#define WRITE_LITMUS_H

#include "gen.h"

/* Each thread is a column of cells. */
struct column {
	char **cells;
	int count, room, width;
	const char **regs; /* as they are called here */
	const char **labels; /* and these */
};

struct writer {
	const struct program *p;
	struct arena *arena;
	struct err *err;
	struct column columns[THREADS_MAX];
};

/* write_cell.c: the cells of a thread's instructions and labels */
bool litmus_write_thread(struct writer *w, int thread);
void litmus_add(struct writer *w, int thread, char *text);
/* An error at that place: the format cannot say `what`; false. */
bool litmus_no(struct writer *w, struct loc loc, const char *what);

#endif
