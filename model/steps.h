/* One run of one thread's code, for steps.c and paths.c. */
#ifndef MODEL_STEPS_H
#define MODEL_STEPS_H

#include "internal.h"

#define VISITS_MAX 64 /* beyond these, turns count as changing something */

struct runner {
	struct model *m;
	const struct thread *thread;
	int t;
	int pc, jumps, turn[INSNS_MAX];
	uint64_t *value; /* of each register */
	event_row *taint; /* reads that it depends on */
	event_row ctrl; /* reads that decided a branch */
	struct path_event events[EVENTS_MAX];
	struct support support[EVENTS_MAX]; /* of each read and write */
	int count;
	int last_write[LOCATIONS_MAX]; /* event, or -1 */
	/* which value each read returns, in order, and of how many */
	int choice[EVENTS_MAX], choices[EVENTS_MAX], nreads, depth;
	/* deps.c: reads of `path` that are not `free` return what they did */
	const struct path *path;
	event_row free;
	bool cut, spins, lost;
	/* the state whenever the head of a loop was reached, to know turns
	   that change nothing which matters */
	struct visit {
		int head, from; /* instruction, event */
		int commits[2]; /* of copies */
		uint64_t *value; /* registers; 0 where dead */
	} visits[VISITS_MAX];
	int nvisits;
	bool watch; /* note them */
	/* asynchronous copies: by cp.async, and in bulk */
	struct {
		event_row open; /* in no group yet */
		int commits;
		int ngroups; /* that are not empty */
		struct {
			event_row events;
			int number; /* of commits, with its own */
		} groups[EVENTS_MAX];
	} copies[2];
	const char *undefined; /* see struct path */
	struct loc undefined_loc;
	/* the state at the last backward jump, to know a spin loop */
	int spin_pc, spin_from;
	uint64_t *spin_value;
};

/* steps.c: to the end of the code, or of its turns; false: m->stop */
bool steps_run(struct runner *r);
/* What an operand holds; *taint gains the reads that it depends on. */
uint64_t runner_value(const struct runner *r, const struct operand *o,
    event_row *taint);
void runner_set(struct runner *r, int reg, uint64_t value, event_row taint);
event_row runner_guard(const struct runner *r, const struct insn *insn);
struct path_event *runner_event(struct runner *r, enum event_kind kind,
    const struct insn *insn); /* NULL: m->stop */
/* access.c */
bool access_load(struct runner *r, const struct insn *insn);
bool access_store(struct runner *r, const struct insn *insn);
bool access_rmw(struct runner *r, const struct insn *insn);
/* An access of `size` bytes to element i of what an operand points at; a
   write that is half of an atomic names the read, else -1. NULL: m->stop */
struct access {
	const struct insn *insn;
	int operand, size, element;
	int part; /* of the instruction, if not the element: else 0 */
};
struct path_event *access_read(struct runner *r, const struct access *a);
struct path_event *access_write(struct runner *r, const struct access *a,
    event_row taint, int read, uint64_t value);
/* async.c */
bool async_run(struct runner *r, const struct insn *insn);
bool mbarrier_run(struct runner *r, const struct insn *insn);
/* paths.c */
void runner_start(struct runner *r, int t); /* for a thread */
bool runner_next(struct runner *r); /* the next combination of choices */

#endif
