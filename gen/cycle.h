/* What cycle.c (cycles), cycle_name.c and cycle_text.c (tests) share. Not for
   others. */
#ifndef CYCLE_H
#define CYCLE_H

#include "gen.h"

#define CYCLE_EDGES_MAX 16
#define CYCLE_LOCS_MAX 8

enum edge_kind {
	EDGE_RF, EDGE_FR, EDGE_CO, /* between or inside threads */
	EDGE_PO, /* nothing in between */
	EDGE_INSN, /* an instruction in between */
	EDGE_DATA, EDGE_CTRL, /* dependencies */
	EDGE_RMW,
};

struct edge {
	enum edge_kind kind;
	bool external, different; /* another thread, another location */
	char from, to; /* R, W */
	const char *text; /* as written, `size` characters */
	size_t size, insn_size; /* of the instruction at its start */
};

struct strength {
	const char *text;
	size_t size;
	enum sem sem;
	enum scope scope;
};

/* The access before edge i. */
struct event_at {
	char direction;
	bool plain; /* has the strength of the options */
	struct strength strength;
	int thread, loc, value;
};

struct cycle {
	int n;
	struct edge edges[CYCLE_EDGES_MAX];
	struct event_at events[CYCLE_EDGES_MAX];
	int nthreads, nlocs;
	int first; /* event at which a location's part begins */
	int writes[CYCLE_LOCS_MAX]; /* = the last value */
	int cta[CYCLE_EDGES_MAX], cluster[CYCLE_EDGES_MAX],
	    gpu[CYCLE_EDGES_MAX]; /* of the threads */
	const char *strength, *place;
};

/* cycle.c */
bool cycle_read(const char *text, const struct cycle_opts *opts,
    struct loc loc, struct arena *a, struct cycle *c, struct err *err);

/* cycle_name.c */
const char *cycle_name(const struct cycle *c, struct arena *a);
bool cycle_place(struct cycle *c, const struct cycle_opts *opts,
    struct loc loc, struct err *err);

#endif
