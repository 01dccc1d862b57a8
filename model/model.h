/*
 * model: what the PTX memory model allows a program to do.
 * Source of every formula: PTX ISA 9.4, chapter 8; each is cited where it
 * is coded.
 */
#ifndef MODEL_H
#define MODEL_H

#include "../gen/gen.h"

enum model_version { MODEL_PTX60, MODEL_PTX75, MODEL_PTX };

struct model_opts {
	enum model_version version;
	/* readings on which sources differ; model_defaults() sets them */
	bool fence_sc_in_patterns;
	bool red_acquires;
	bool po_in_base;
	bool cas_fail_writes;
	bool syntactic_deps;
	/* backward jumps a thread may take, at least 1; more, up to the
	   second, if outcomes would be lost */
	int unroll, unroll_most;
	uint64_t max_candidates; /* refuse beyond this much work */
	bool witnesses; /* keep one execution an outcome, for the first
		WITNESSES_MAX outcomes */
	uint64_t mutation; /* tests: rules to flip, 1 << RULE_x */
};

#define WITNESSES_MAX 4096
#define UNROLL_MAX 16

/* Each rule of rules.def: RULE_SCOPES, ... */
enum rule {
#define RULE(id, ...) RULE_##id,
#include "rules.def"
#undef RULE
	RULE_COUNT,
};

/* The axioms (PTX ISA 8.10), in the order in which they are tried. */
enum axiom {
	AXIOM_NONE, /* none is broken: a consistent execution */
	AXIOM_THIN_AIR,
	AXIOM_FENCE_SC,
	AXIOM_CAUSALITY,
	AXIOM_COHERENCE,
	AXIOM_ATOMICITY,
	AXIOM_SC_LOCATION,
};

enum event_kind {
	EVENT_INIT, EVENT_READ, EVENT_WRITE, EVENT_FENCE, EVENT_BARRIER,
	EVENT_PROXY_FENCE,
	EVENT_WAIT, /* for asynchronous copies of its thread */
};

/* One event of an execution (PTX ISA 8.1, 8.2). */
struct event {
	enum event_kind kind;
	enum sem sem; /* VOLATILE and MMIO already mapped */
	enum scope scope;
	enum proxy proxy;
	int thread; /* -1: INIT */
	int insn; /* index into the thread's insns, -1: INIT */
	int turn; /* which execution of that instruction */
	int part; /* element of a vector access */
	int var, elem; /* virtual address, -1 if none */
	int loc; /* physical location id: aliases share it */
	int size;
	uint64_t value;
	int rmw; /* the other half of an atom or red, or -1 */
	bool red;
	int barrier, generation; /* BARRIER: id and generation, else -1 */
	bool arrive_only;
	bool async; /* of an asynchronous operation: in no program order */
	bool mbarrier; /* of an mbarrier object; .value is its word */
	bool failed; /* a wait for an mbarrier that found it not complete */
};

/* Ids of the barriers that have none: barrier.cluster, bar.warp.sync. */
#define BARRIER_CLUSTER (-2)
#define BARRIER_WARP (-3)

#define EVENTS_MAX 64
typedef uint64_t event_row; /* bit j: related to event j */

/* A consistent (or, in explanations, a rejected) candidate execution.
   Row i of a relation holds the events that i is related to. */
struct execution {
	struct event events[EVENTS_MAX];
	int count;
	event_row po[EVENTS_MAX], rf[EVENTS_MAX], co[EVENTS_MAX],
	    fr[EVENTS_MAX], ms[EVENTS_MAX], obs[EVENTS_MAX], sc[EVENTS_MAX],
	    sw[EVENTS_MAX], base[EVENTS_MAX], cause[EVENTS_MAX],
	    dep[EVENTS_MAX],
	    async[EVENTS_MAX]; /* to a copy from what its thread did before,
		and from it to what is after its completion */
};

struct outcome {
	uint32_t code; /* outcome_code() of the slots */
	bool sc; /* some interleaving gives it */
	const struct execution *witness; /* or NULL */
};

enum model_status {
	MODEL_OK,
	MODEL_NO_VERDICT, /* the model does not cover it: .reason */
};

struct outcomes {
	enum model_status status;
	const char *reason; /* NO_VERDICT: why, for people */
	struct loc reason_loc;
	struct outcome *list; /* ascending by code */
	uint32_t count;
	bool hang; /* some execution within the bound does not end */
	bool bounded; /* loops were cut where more turns change nothing */
	bool analogy; /* rests on the async-proxy reading, not on the ISA */
	/* an execution (of those examined) does what PTX leaves undefined;
	   it is taken for a race, with values that are old or new */
	const char *undefined; /* what, for people; NULL: none does */
	struct loc undefined_loc;
	uint64_t candidates; /* executions examined */
};

enum answer { ANSWER_NONE, ANSWER_ALLOWED, ANSWER_FORBIDDEN };

/* outcomes.c */
void model_defaults(struct model_opts *opts, enum model_version version);
bool model_version_parse(const char *s, enum model_version *version);
const char *model_version_name(enum model_version version);
/* All outcomes. ERR_LIMIT with the estimate if it would take too long. */
bool model_run(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct outcomes *out, struct err *err);
/* What a verdict rests on beside the ISA's axioms, for people: an analogy,
   or what PTX leaves undefined. NULL: nothing. */
const char *outcomes_note(const struct outcomes *out, struct arena *a);
/* Is some state the test is about allowed? NONE without a verdict. */
enum answer model_answer(const struct program *p,
    const struct outcomes *out);
const struct outcome *outcomes_find(const struct outcomes *out,
    uint32_t code); /* NULL: not allowed */
/* The .litmus statement itself: exists reachable, ~exists not reachable,
   forall holds (spec 3.3, 3.4). */
bool model_statement(const struct program *p, const struct outcomes *out);

/*
 * candidates.c: every candidate execution that ends in the outcome, with
 * the first axiom it breaks (NONE: a witness), until `visit` returns false.
 * The execution is valid during the call only. ERR_LIMIT as model_run().
 */
bool model_candidates(const struct program *p, const struct model_opts *opts,
    uint32_t code, bool (*visit)(void *user, const struct execution *x,
    enum axiom broken), void *user, struct arena *a, struct err *err);
/*
 * execution.c: derives every relation of *x that follows from its events
 * with their locations, and from rf, dep, sc, co and (of barriers) sw;
 * returns the first axiom broken.
 */
enum axiom model_judge(const struct program *p,
    const struct model_opts *opts, struct execution *x);
/* axioms.c */
const char *axiom_name(enum axiom axiom); /* "Coherence" */
const char *axiom_section(enum axiom axiom); /* "8.10.1" */
const char *rule_name(enum rule rule); /* "RELEASE_2" */

/* explain.c */
enum explain_format { EXPLAIN_TEXT, EXPLAIN_DOT, EXPLAIN_SVG };
bool model_explain(struct text *t, const struct program *p,
    const struct model_opts *opts, uint32_t code, enum explain_format format,
    struct arena *a, struct err *err);
void model_races(struct text *t, const struct program *p,
    const struct execution *x);

/* strengthen.c */
#define STRENGTHENINGS_MAX 6
struct strengthening {
	const struct program *program; /* with the changes made */
	const char *what; /* "P0 line 4: st.relaxed.gpu -> st.release.gpu" */
	int changes;
	int cost; /* rough: they are in this order */
};
/* The fewest changes that forbid the outcome, at most STRENGTHENINGS_MAX;
   false if there are none, or none was found in time. */
bool model_strengthen(const struct program *p, const struct model_opts *opts,
    uint32_t code, struct arena *a, struct strengthening *list, int *count);

/* weaken.c */
struct weakening {
	const struct program *program; /* complete, with a name of its own */
	const char *what; /* "P0 line 4: fence.sc.gpu -> fence.acq_rel.gpu" */
	int steps; /* from the original */
};
struct weakenings {
	struct weakening *sound; /* minimal ones that still forbid */
	int nsound;
	struct weakening *twins; /* nearest ones that allow it */
	int ntwins;
	bool complete; /* every minimal sound one is listed */
	uint64_t runs; /* of the model */
};
/* Both lists are empty if the outcome is allowed as it is; twins also if
   no weakening allows it. ERR_UNSUPPORTED without a verdict. */
bool model_weaken(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct weakenings *w, struct err *err);
/* Only the twins: quick. */
bool model_twins(const struct program *p, const struct model_opts *opts,
    struct arena *a, struct weakenings *w, struct err *err);

/* live.c: does every execution fair under the progress model end? */
enum progress {
	PROGRESS_FAIR, PROGRESS_HSA, PROGRESS_OBE, PROGRESS_HSA_OBE,
	PROGRESS_LOBE, PROGRESS_UNFAIR,
};
const char *progress_name(enum progress progress);
bool progress_parse(const char *s, enum progress *progress);
/* *why (may be NULL) gets some lines for people. ERR_LIMIT beyond 400,000
   states, ERR_UNSUPPORTED for what the machine has no rule for. */
bool model_live(const struct program *p, enum progress progress,
    struct arena *a, bool *terminates, struct text *why, struct err *err);

#endif
