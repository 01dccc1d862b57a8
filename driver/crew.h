/* The parent's side of the workers: for those who start some. */
#ifndef CREW_H
#define CREW_H

#include <signal.h>
#include <sys/types.h>

#include "driver.h"

#define STOPS 3 /* signals that ask for an end */

/* What came of a worker's lines and is not taken yet: text[start..size). */
struct lines {
	char *text;
	size_t start, size, room;
};

struct hand {
	pid_t pid; /* 0: none */
	int orders, answers;
	int device, lane; /* see struct work */
	int test; /* that it runs; -1 */
	int next; /* the first test that it may still have to run */
	bool *pending; /* by test: has run, its result is to come */
	int npending;
	double heard; /* when it last said something */
	bool opened; /* it has said something since it was started */
	bool ready; /* for an order */
	bool last; /* it runs no more */
	uint64_t instances, hits;
	struct lines lines;
};

/* Those that ask for an end, as they were before. */
struct signals {
	sigset_t outside;
	struct sigaction old[STOPS], old_pipe;
};

struct crew {
	struct work *work;
	struct hand *hands;
	int nhands; /* the first ones have lane 0, by device */
	bool *pending; /* theirs */
	double end; /* of the time for all */
	struct signals signals;
	pid_t parent;
	bool failed; /* a test failed: see fail_fast */
};

/* lines.c */
/* Waits for more of them. *ended: there is none. False: a line is longer than
   `limit`. */
bool lines_read(struct lines *l, int from, size_t limit, bool *ended,
    struct err *err);
/* The next whole line, which stands until more is read; or NULL. */
char *lines_next(struct lines *l);

/* hand.c */
/* From here on signals are noted, and let in only while the parent waits
   (ppoll with ->outside). */
void signals_catch(struct signals *s);
void signals_release(struct signals *s);
/* In a worker, just forked: it dies with the parent, and a terminal's ^C is
   for the parent, which then ends us. */
void signals_leave(const struct signals *s, pid_t parent);
bool hands_make(struct crew *c, struct err *err);
void hands_free(struct crew *c, bool kill_them);
bool hand_start(struct crew *c, struct hand *h, struct err *err);
/* Returns the status of its process. */
int hand_end(struct hand *h, bool kill_it);

#endif
