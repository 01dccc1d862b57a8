/* What the parts of the naive procedure share: help_naive_run.c finds
   values, help_oracle.c makes candidates, help_axioms.c judges them. */
#ifndef HELP_NAIVE_H
#define HELP_NAIVE_H

#include "help_oracle.h"

#define N 40 /* events */
#define BARRIERS 16 /* barrier events */
#define WAYS 64
#define WRITES (2 * NAIVE_THREADS * NAIVE_INSNS)

enum event_type { E_INIT, E_READ, E_WRITE, E_FENCE, E_PROXY, E_BARRIER };

struct naive_event {
	enum event_type type;
	int thread; /* -1: initial */
	int insn, element;
	int location; /* memory, or -1 */
	int address; /* view whose address it has, or -1 */
	enum proxy proxy;
	bool strong;
	enum sem sem; /* as far as it concerns this half of an atomic */
	enum scope scope;
	int value;
	int partner; /* the other half of an atomic, or -1 */
	bool red;
	bool failed; /* a wait for the mbarrier, in vain */
	bool arrives_only;
	enum naive_kind kind;
	int barrier, generation;
	uint64_t deps; /* reads it depends on */
};

/* A relation over events. */
struct rel {
	bool has[N][N];
};

struct world {
	const struct naive_test *test;
	enum naive_version version;
	long left; /* candidates that may still be tried */
	struct naive_set *allowed;
	/* the reads of the code, and which write each reads: -1 INIT */
	int nreads, read_of[NAIVE_THREADS][NAIVE_INSNS][2];
	int nsources[32], source[32][20], choice[32];
	bool done[NAIVE_THREADS][NAIVE_INSNS]; /* instructions reached */
	/* the execution */
	int n;
	struct naive_event e[N];
	int init[NAIVE_LOCATIONS]; /* event of the initial write */
	int regs[NAIVE_THREADS][NAIVE_REGS];
	int nbarriers, barrier_event[BARRIERS];
	int nways, ways[WAYS][BARRIERS]; /* generations */
	struct rel po, rf, dep, loc, address, po_address, ms, scoped, obs, sc, sw,
	    base, cause, co, fr;
};

/* What is known of a run, by naive_pack() of the writes. */
struct known {
	bool reg[NAIVE_THREADS][NAIVE_REGS];
	bool wrote[WRITES];
	int written[WRITES];
	bool none[WRITES]; /* a cas that turned out not to write */
};

/* help_naive_run.c */
int naive_pack(int thread, int insn, int element);
int naive_elements(const struct naive_insn *insn);
bool naive_reads(const struct naive_insn *insn);
bool naive_writes(const struct naive_insn *insn);
void naive_list_reads(struct world *w);
int naive_source(const struct world *w, int t, int i, int x);
bool naive_run(struct world *w, struct known *k); /* false: no such run */

/* help_axioms.c */
void naive_start(struct world *w); /* from events, and rf */
void naive_sync(struct world *w); /* sc and barriers: to cause */
bool naive_before_co(struct world *w); /* axioms that need no co */
bool naive_with_co(struct world *w); /* and those that do */
/* Must writes i and j (of one location) be ordered? As `co` may not say. */
bool naive_must_order(const struct world *w, int i, int j);

bool naive_is_write(const struct naive_event *e);
void rel_compose(const struct world *w, const struct rel *a,
    const struct rel *b, struct rel *out);
void rel_join(const struct world *w, struct rel *a, const struct rel *b);
void rel_meet(const struct world *w, struct rel *a, const struct rel *b);
void rel_transitive(const struct world *w, struct rel *a);
bool rel_irreflexive(const struct world *w, const struct rel *a);
bool rel_acyclic(const struct world *w, const struct rel *a);

#endif
