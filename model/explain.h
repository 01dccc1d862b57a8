/* What the explain_*.c files share, and with those who draw executions. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "model.h"

/* The relations that people are shown. */
enum arrow {
	ARROW_PO, /* program order */
	ARROW_RF, /* reads-from */
	ARROW_FR, /* from-read */
	ARROW_CO, /* coherence order */
	ARROW_SW, /* synchronizes-with, by patterns */
	ARROW_SC, /* Fence-SC order */
	ARROW_BARRIER, /* synchronizes-with, at a barrier */
	ARROW_OBS, /* observation */
	ARROW_DEP, /* dependency */
	ARROW_INIT, /* the initial write before all others */
	ARROW_ASYNC, /* to a copy, and from its completion */
	ARROW_COUNT,
};

struct arrow_style {
	const char *name; /* on an arrow */
	const char *words; /* in a sentence */
	const char *section; /* of the PTX ISA */
	const char *colour; /* on light and on dark ground */
	bool dashed;
};
extern const struct arrow_style arrow_styles[ARROW_COUNT];

struct step {
	int from, to; /* events */
	enum arrow kind;
};

#define STEPS_MAX 32

/* Steps that lead back to where they began: what an axiom forbids. */
struct reason {
	struct step steps[STEPS_MAX];
	int count;
};

/* explain_cycle.c: false if none is found */
bool reason_find(const struct execution *x, enum axiom axiom,
    struct reason *reason);
/* From one event to another by program order and synchronization. */
bool reason_path(const struct execution *x, int from, int to,
    struct reason *reason);
/* The accesses through which head and tail synchronize (ISA 8.9.4). */
bool sync_accesses(const struct execution *x, int head, int tail, int *write,
    int *read);

/* A box: an event, or both halves of an atomic. */
struct node {
	int event, write; /* its write half, or -1 */
	int thread, row; /* -1: INIT */
	const char *letter, *text, *note; /* "a", "st.weak [x], 1", "" */
};

struct link {
	int from, to; /* nodes */
	enum arrow kind;
	bool marked; /* in the reason */
};

#define LINKS_MAX 256

struct picture {
	const struct program *p;
	const struct execution *x;
	const char *title;
	struct node nodes[EVENTS_MAX];
	int nnodes, node_of[EVENTS_MAX]; /* -1: not shown */
	struct link links[LINKS_MAX];
	int nlinks;
};

/* explain_picture.c; the reason may be NULL */
void picture_make(struct picture *g, const struct program *p,
    const struct execution *x, const struct reason *reason, struct arena *a);
/* "1:r0=1 1:r1=0" */
void outcome_print(struct text *t, const struct program *p, uint32_t code);

/* explain_sync.c: why a read does not synchronize with the write it reads,
   in sentences; false if it does */
bool sync_missing(struct text *t, const struct picture *g, int write,
    int read);
/* The same for pairs of fence.sc whose scopes do not reach. */
bool fences_missing(struct text *t, const struct picture *g);

#define KILLED_MAX 4 /* circles shown */

struct killed {
	struct execution x;
	enum axiom axiom;
	struct reason reason;
	uint64_t count; /* candidates of the same circle */
};

struct kills {
	struct killed list[KILLED_MAX];
	int count;
	uint64_t visits, others;
	bool cut; /* there are more */
};

/* explain_words.c */
void explain_words_allowed(struct text *t, const struct picture *g,
    const struct model_opts *opts, const struct outcome *o);
void explain_words_forbidden(struct text *t, const struct program *p,
    const struct model_opts *opts, const struct kills *kills);

/* explain_dot.c, explain_svg.c */
void picture_dot(struct text *t, const struct picture *g);
void picture_svg(struct text *t, const struct picture *g);

#endif
