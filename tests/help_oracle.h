/*
 * A second, deliberately naive decision procedure for the model, written
 * from the axioms (PTX ISA chapter 8, and the formulas of the mixed-proxy
 * paper). It shares no code with model/, nor its data: it has tests of its
 * own kind, drawn by help_random.c.
 *
 * It chooses where each read reads from before it knows any value, tries
 * every partial coherence order, and keeps relations as tables of truth
 * values. Interleavings are all run.
 */
#ifndef HELP_ORACLE_H
#define HELP_ORACLE_H

#include "../gen/gen.h"

enum naive_kind {
	NAIVE_LOAD, NAIVE_STORE, NAIVE_ADD, NAIVE_EXCH, NAIVE_CAS,
	NAIVE_MBARRIER_WAIT, NAIVE_MBARRIER_ARRIVE, NAIVE_RED,
	NAIVE_FENCE, NAIVE_PROXY_FENCE, NAIVE_SYNC, NAIVE_ARRIVE,
	NAIVE_CLUSTER_ARRIVE, NAIVE_CLUSTER_WAIT, NAIVE_WARP, NAIVE_SKIP,
};

#define NAIVE_THREADS 4
#define NAIVE_INSNS 6 /* a thread */
#define NAIVE_REGS 12 /* a thread: two for each instruction */
#define NAIVE_SLOTS 8

/*
 * Locations are 0 x, 1 y, 2 v[0], 3 v[1], and 4 an mbarrier in the shared
 * memory of thread 0's CTA. Views are how they are reached:
 * view i < 4 is location i itself; then w, another address of x; then x
 * through the texture, surface and constant proxies, and w through the
 * surface; and the mbarrier.
 */
#define NAIVE_LOCATIONS 5
#define NAIVE_MBARRIER 4 /* and this one is no number */
enum naive_view {
	VIEW_W = 4, VIEW_TEXTURE, VIEW_SURFACE, VIEW_CONSTANT,
	VIEW_W_SURFACE, VIEW_MBARRIER, NAIVE_VIEWS,
};

struct naive_insn {
	enum naive_kind kind;
	enum sem sem;
	enum scope scope;
	enum proxy proxy; /* of a proxy fence */
	int view;
	bool vector; /* of v[0] and v[1], view 2 */
	int value; /* stored, added; SKIP: compared */
	int compare; /* CAS */
	int plus; /* register added to the value, or -1; SKIP: compared */
	int id, count; /* barriers: number; warps that take part, 0 = all */
	int length; /* SKIP: instructions jumped over if equal */
};

struct naive_thread {
	int gpu, cluster, cta, warp;
	int n;
	struct naive_insn insns[NAIVE_INSNS];
};

/* A register of a thread, or (thread < 0) a location. */
struct naive_slot {
	int thread, index;
};

struct naive_test {
	bool litmus; /* to be written in that dialect */
	bool shared; /* or with x, y and v beside the mbarrier */
	int arrivals; /* that the mbarrier expects: 1 to 3 */
	int nthreads;
	struct naive_thread threads[NAIVE_THREADS];
	int nslots;
	struct naive_slot slots[NAIVE_SLOTS];
};

/* Outcomes: one byte a slot, the first lowest. */
struct naive_set {
	uint64_t *list; /* ascending */
	int count, room;
	bool undefined; /* PTX does not say what such a test does */
};

enum naive_version { NAIVE_60, NAIVE_75, NAIVE_NEWEST };

void naive_add(struct naive_set *set, uint64_t outcome);
bool naive_has(const struct naive_set *set, uint64_t outcome);
void naive_free(struct naive_set *set);
int naive_location(int view); /* the memory behind a view */
/* An mbarrier: the phase times 16, the arrivals that it expects times 4, and
   those that are missing. */
int naive_initial(const struct naive_test *test, int location);
int naive_arrival(int word);
int naive_complete(int word); /* 1: phase 0 is, by parity */

/* All outcomes. False if there would be more than `limit` candidates. */
bool naive_outcomes(const struct naive_test *test, enum naive_version version,
    long limit, struct naive_set *allowed);
/* help_naive_sc.c: those of interleavings */
void naive_interleave(const struct naive_test *test, struct naive_set *sc);

/* help_naive_sc.c: barriers, step by step */
struct naive_barrier {
	bool used;
	enum naive_kind kind; /* SYNC: of a CTA; CLUSTER_ARRIVE; WARP */
	int home, id; /* CTA, cluster or warp; number */
	int count; /* warps that its generation asks for; 0: all */
	int generation;
	unsigned arrived;
};
struct naive_barriers {
	struct naive_barrier list[16];
	int waiting[NAIVE_THREADS]; /* barrier it is blocked on, or -1 */
	int since[NAIVE_THREADS]; /* and its generation */
	int cluster[NAIVE_THREADS]; /* generation arrived in, not waited for,
		or -1 */
	unsigned exited;
	bool twice; /* a thread came twice before the barrier opened */
};
void naive_barriers_start(struct naive_barriers *b);
/* The thread comes to the barrier instruction; returns the generation it
   takes part in. It may be waiting[] then. */
int naive_arrive(const struct naive_test *test, struct naive_barriers *b,
    int thread, const struct naive_insn *insn);
void naive_exit(const struct naive_test *test, struct naive_barriers *b,
    int thread);
/* The barrier an instruction of a thread is about: an index, made if new. */
int naive_barrier_of(const struct naive_test *test, struct naive_barriers *b,
    int thread, const struct naive_insn *insn);

/* help_random.c */
void naive_draw(struct naive_test *test, struct draw *d);
/* help_naive_text.c: the test as a source text for the readers. */
char *naive_text(const struct naive_test *test, const char *name,
    struct arena *a);
/*
 * help_shrink.c: a smaller test that still `differs`: threads, instructions
 * and slots dropped, annotations weakened, as long as anything can go.
 */
void naive_shrink(struct naive_test *test,
    bool (*differs)(void *user, const struct naive_test *test), void *user);

#endif
