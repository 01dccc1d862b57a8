/* Private to domain.c, explore.c and explore_memory.c. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "ptx.h"

#define SET_MAX 256 /* values of an element */
#define STATES_MAX 65536 /* of a thread */
#define COMBINATIONS_MAX 4096 /* of one access over several elements */
#define WRITES_MAX 70 /* of a thread to one location; then it is a loop */

struct value {
	uint64_t v;
	uint8_t writes[VARS_MAX];
};

struct set {
	struct value *list;
	int count, room;
};

struct state {
	int pc;
	bool queued;
	uint8_t read[VARS_MAX]; /* counts of the values read so far */
	uint8_t own[VARS_MAX]; /* writes so far, the most on any way here */
	uint64_t regs[];
};

struct explorer {
	struct program *p;
	const struct thread *t;
	int thread;
	struct arena *arena; /* scratch */
	struct arena *round; /* scratch of one thread in one round */
	struct set *memory[VARS_MAX]; /* of each element; roots only */
	struct set exchange; /* values that shfl may pass */
	struct set slots[SLOTS_MAX];
	int most[THREADS_MAX][VARS_MAX]; /* writes a thread performs */
	uint64_t *live; /* of the thread: registers, before each insn */
	struct state **states;
	int nstates, *queue, nqueue, queue_room;
	int *table, table_size;
	bool changed;
	bool failed;
	struct err *err;
};

/* Where an access points. */
struct access {
	int root; /* the variable that others alias */
	int first, last; /* its elements */
	int offset; /* bytes into the first */
	int size;
};

/* Called with each value that an access may read. */
typedef void read_fn(struct explorer *x, const struct state *s, uint64_t v,
    const uint8_t *writes, void *user);

/* explore_memory.c */
bool writes_lower(uint8_t *a, const uint8_t *b); /* a = min; changed? */
void writes_raise(uint8_t *a, const uint8_t *b); /* a = max */
void set_add(struct explorer *x, struct set *s, uint64_t v,
    const uint8_t *writes, const char *name, struct loc loc);
int root_of(const struct program *p, int var);
bool access_find(const struct explorer *x, const struct state *s,
    const struct insn *insn, const struct operand *o, int element,
    struct access *a);
/* The element of a copy's target that is `at` bytes from its start, and
   what goes there. */
bool copy_find(const struct explorer *x, const struct state *s,
    const struct insn *insn, int at, struct access *to, struct access *from);
void memory_read(struct explorer *x, const struct state *s,
    const struct access *a, read_fn *each, void *user);
void memory_write(struct explorer *x, const struct access *a, uint64_t v,
    const uint8_t *read);

/* explore.c: all states of a thread; what it stores joins the sets */
void thread_explore(struct explorer *x, int thread);

#endif
