/* What weaken.c and weaken_sites.c share. Not for others. */
#ifndef WEAKEN_H
#define WEAKEN_H

#include "edit.h"

#define STATES_MAX 32 /* of a site: 4 scopes, 4 semantics of an atomic, 2 of a
	store, weak; a bit each */
#define SITES_MAX 24
#define MEMBERS_MAX 64 /* instructions of a barrier */

struct state {
	struct insn insn;
	bool removed;
	uint32_t next; /* states one step below */
	uint32_t below; /* states weaker than or equal to this */
};

struct site {
	struct {
		int thread, insn;
	} members[MEMBERS_MAX]; /* all those of a barrier go together */
	int nmembers;
	struct state states[STATES_MAX]; /* [0]: as written */
	int nstates;
	bool unwanted; /* an atomic whose result nobody looks at */
};

#define KNOWN_MAX 1024

/* A state of each site. */
struct point {
	uint8_t at[SITES_MAX];
};

struct weaken {
	const struct program *p;
	struct model_opts opts;
	struct arena *arena, *scratch;
	struct site *sites;
	int nsites;
	uint64_t runs, candidates;
	struct point sound[KNOWN_MAX], unsound[KNOWN_MAX];
	int nsound, nunsound;
};

/* weaken.c */
/* Does the model still forbid it? *known: the budget has sufficed. */
bool weaken_forbids(struct weaken *w, const struct point *x, bool *known);
/* As strong as can be while the outcome stays allowed: every further step
   would forbid it. */
void weaken_climb(struct weaken *w, struct point *x);
int weaken_steps(const struct weaken *w, const struct point *x);
void weaken_report(const struct weaken *w, const struct point *x, int steps,
    struct weakening **list, int *count, int max);

/* weaken_sound.c */
void weaken_sound(struct weaken *w, struct weakenings *out);

/* weaken_sites.c: at most SITES_MAX; what is beyond stays as it is */
int sites_find(const struct program *p, struct site *sites);

#endif
