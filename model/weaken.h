/* What weaken.c and weaken_sites.c share. Not for others. */
#ifndef WEAKEN_H
#define WEAKEN_H

#include "edit.h"

#define STATES_MAX 24 /* of a site: 4 scopes, 4 semantics of a fence, none */
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
};

/* weaken_sites.c: at most SITES_MAX; what is beyond stays as it is */
int sites_find(const struct program *p, struct site *sites);

#endif
