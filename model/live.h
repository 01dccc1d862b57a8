/*
 * What live.c and its machine (live_step.c, live_race.c) share. Not for
 * others.
 *
 * A state is a row of 64-bit words:
 *   started threads, one bit each
 *   for each thread: its program counter and how it waits; its registers
 *   for each location: its newest write (or, with racing writes, those that
 *       no other write supersedes)
 *   for each barrier: what has arrived there
 *   with racing writes: what each thread knows of the others' writes
 */
#ifndef LIVE_H
#define LIVE_H

#include "model.h"

struct live_loc {
	int var, elem; /* of a variable that is no alias */
};

struct live_barrier {
	int cta, id; /* CTA barriers of PTX */
	int cluster; /* barrier.cluster; else -1 */
	int thread, insn; /* the dialect: each instruction its own; else -1 */
};

#define LIVE_LOCS_MAX 64
#define LIVE_BARRIERS_MAX 64

struct live {
	const struct program *p;
	struct arena *arena;
	struct err *err;
	struct live_loc locs[LIVE_LOCS_MAX];
	struct live_barrier barriers[LIVE_BARRIERS_MAX];
	int nlocs, nbarriers;
	int loc_of[VARS_MAX]; /* of element 0 */
	int threads_at[THREADS_MAX]; /* word of the program counter */
	int locs_at, barriers_at, known_at;
	int nwords;
	/* two writes to one location that no rule orders (live_race.c) */
	bool racing;
	int nwriters; /* 1, or with racing writes 1 + threads; 0: INIT */
	int writer_words, loc_words; /* of a location's entry */
};

/* A thread's first word. */
#define LIVE_PC(w) ((int)((w) & 0xffff))
#define LIVE_WAITS ((uint64_t)1 << 16) /* has arrived at this barrier */
#define LIVE_FREE ((uint64_t)1 << 17) /* and may go on */
#define LIVE_CLUSTER_FREE ((uint64_t)1 << 18) /* the same, barrier.cluster */

#define LIVE_CHOICES_MAX 64

/* Successors of one step: several where a read has a choice. */
struct live_next {
	uint64_t *states; /* rows; room for LIVE_CHOICES_MAX */
	int count;
	uint64_t stale; /* those that a thread cannot reach again and again */
	bool waited; /* the thread is blocked: it stays as it is */
};

/* A step being made: next->states[0] is to become the state after it. */
struct live_at {
	const struct live *l;
	struct live_next *next;
	int thread, pc;
	const struct insn *insn;
};

/* live_step.c */
bool live_setup(struct live *l);
void live_initial(const struct live *l, uint64_t *state);
bool live_step(struct live *l, const uint64_t *state, int thread,
    struct live_next *next);
bool live_ended(const struct live *l, const uint64_t *state, int thread);
bool live_refuse(const struct live *l, struct loc loc, const char *what);
	/* false */
void live_go_to(const struct live_at *s, uint64_t *state, int pc);
bool live_value(const struct live_at *s, uint64_t *state,
    const struct operand *o, int elem, uint64_t *v);

/* live_barrier.c */
bool live_setup_barrier(struct live *l, int thread, int index);
bool live_barrier(const struct live_at *s);
/* Frees those who wait at a barrier of PTX if it is complete. */
void live_complete(const struct live *l, uint64_t *state, int barrier);

/* live_race.c */
bool live_races(const struct program *p); /* do such writes count? */
int live_race_words(const struct live *l); /* of the "knows" part */
bool live_race_fits(const struct live *l);
uint64_t *live_writer(const struct live *l, uint64_t *state, int loc,
    int writer);
/* Writers that no other write supersedes: bit set. */
uint64_t live_newest(const struct live *l, const uint64_t *state, int loc);
/* Those that a read may take, again and again. */
uint64_t live_readable(const struct live *l, uint64_t *state, int thread,
    int index, int loc);
/* Is it a load in a loop that is weak, or whose scope leaves out a thread
   that writes there? */
bool live_polls(const struct program *p, int thread, int index);
/* Which older ones an atomic may take too, but not for ever. */
uint64_t live_lost(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, int loc);
void live_race_read(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, int loc, int writer);
/* from: the writer that a read-modify-write took its value from, or -1 */
void live_race_write(const struct live *l, uint64_t *state, int thread,
    int insn, int loc, int from, uint64_t value);
void live_race_fence(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn);
/* Every thread of `to` learns what those of `from` know. */
void live_race_meet(const struct live *l, uint64_t *state, unsigned from,
    unsigned to);

#endif
