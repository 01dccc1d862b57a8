/*
 * What the files of model/ share.
 *
 * A thread's code is run over the values that its reads could return, which
 * gives paths: sequences of events. A product of paths, one a thread, with
 * a resolution of its barriers, a reads-from choice, a Fence-SC order and a
 * coherence order is a candidate execution. The axioms keep the consistent
 * ones.
 */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "model.h"

#define LOCATIONS_MAX 48
#define VALUES_MAX 64 /* of one location */
#define CELL_WORDS 8 /* 64 cells each */
#define PATHS_MAX 200000 /* of one thread */
#define BIT(i) ((event_row)1 << (i))

/*
 * How a value can come about: alternatives, each a set of writes (of an
 * instruction in one turn) that must have happened for it. An execution
 * has each write once, so a write cannot depend on a value that needs this
 * very write (PTX ISA 8.10.4). One alternative that needs nothing stands
 * for too many.
 */
#define SUPPORTS_MAX 8
struct support {
	uint64_t needs[SUPPORTS_MAX];
	int count;
};

/* A range of bytes that the program accesses, always as a whole. */
struct location {
	int root; /* the variable that owns the bytes */
	int offset, size;
	struct loc first; /* who accessed it first, for messages */
	uint64_t values[VALUES_MAX]; /* those it may hold; [0] initially */
	struct support *support; /* of each, VALUES_MAX */
	uint16_t writers[VALUES_MAX]; /* threads that may write each */
	int nvalues;
	int visible; /* of these, known when the round began */
	int cell; /* number of (location, values[0]); the others follow */
	bool written, nc; /* by ld.nc: read */
	struct loc nc_loc;
};

/* A set of (location, value) pairs. */
struct cells {
	uint64_t word[CELL_WORDS];
};

/* An event of one path. .rmw and the rows count events of the path. */
struct path_event {
	struct event event;
	event_row data; /* reads on which address, value or guard depend */
	event_row ctrl; /* reads that decided a branch before it */
	event_row free, real; /* deps.c: reads dropped from these, and those
		that were tried and stay */
	event_row covers; /* events of asynchronous operations that are
		complete before it */
	uint64_t args[3]; /* BARRIER: its operands */
	int nargs;
};

struct path {
	struct path_event *events;
	int count;
	uint64_t *finals; /* by slot; those of other threads are unused */
	uint64_t shape; /* equal in paths that differ only in values */
	struct cells needs; /* read and not initial */
	struct cells provides; /* written */
	bool cut; /* a loop ran out of turns */
	bool spins; /* and its last turn changed nothing */
	int spin_from; /* the event where that turn began */
	const char *undefined; /* by PTX: what it does, or NULL */
	struct loc undefined_loc;
};

struct paths {
	struct path *list;
	int count;
	struct cells provides; /* by any of them */
};

enum stop {
	STOP_NOT,
	STOP_NO_VERDICT, /* .reason, .reason_loc */
	STOP_LIMIT, /* .limit says of what */
	STOP_DONE, /* everything is known */
};

struct model {
	const struct program *p;
	const struct model_opts *opts;
	uint64_t rules;
	struct arena *arena; /* for what is handed out */
	struct arena *own; /* this, and what lasts as long */
	struct arena *work; /* paths */
	int phys[VARS_MAX]; /* variable that owns the bytes */
	int virt[VARS_MAX]; /* variable whose address it has */
	bool aliases; /* two variables share memory */
	bool plain; /* one address and proxy a location, and no rule flipped */
	enum scope near[THREADS_MAX][THREADS_MAX]; /* narrowest common scope */
	struct location locs[LOCATIONS_MAX];
	int nlocs;
	int writes[THREADS_MAX][64]; /* which write has each number */
	bool frozen; /* all values are known */
	bool grew; /* a value, or a way to one, was found in this round */
	struct paths paths[THREADS_MAX];
	int unroll; /* backward jumps, for now */
	struct loops {
		const uint64_t *live; /* registers, by instruction */
		const bool *head; /* a backward jump goes there */
	} loops[THREADS_MAX]; /* NULLs: the thread has none */
	bool bounded;
	bool lost; /* and more turns might show something else */
	struct loc lost_loc;
	uint64_t silent; /* unless atomics change nothing: at these locations */
	bool analogy;
	bool async; /* there are asynchronous operations, or mbarriers */
	const char *undefined; /* see struct outcomes */
	struct loc undefined_loc;
	uint64_t work_done, work_max;
	uint64_t candidates;
	enum stop stop;
	const char *reason; /* of a missing verdict, or what is too large */
	struct loc reason_loc;
};

#define HAS(m, rule) ((m)->rules >> RULE_##rule & 1)

/*
 * A candidate under construction: the execution, and what follows from its
 * events alone. Rows as in struct execution.
 */
struct graph {
	const struct model *m;
	struct execution x;
	event_row mem, reads, writes, strong, sc_fences, alias_fences, barriers;
	event_row of_proxy[PROXY_ASYNC + 1]; /* events by proxy */
	event_row of_loc[LOCATIONS_MAX]; /* accesses of a location */
	event_row of_thread[THREADS_MAX];
	event_row async; /* events of asynchronous operations */
	event_row scoped[EVENTS_MAX]; /* ms as far as scopes go, also between
		operations of one mbarrier */
	struct path_event *origin[EVENTS_MAX]; /* NULL: INIT */
	event_row address[EVENTS_MAX]; /* same virtual address */
	event_row po_loc[EVENTS_MAX];
	event_row release[EVENTS_MAX]; /* head -> writes of its pattern */
	event_row acquire[EVENTS_MAX]; /* read -> tails of its pattern */
	event_row own_fences[EVENTS_MAX]; /* access -> fences of its proxy */
	event_row barrier[EVENTS_MAX]; /* synchronizes through a barrier */
	event_row patterns[EVENTS_MAX]; /* and through patterns */
	event_row reach[EVENTS_MAX]; /* (po | sw)+ */
	event_row co_before[EVENTS_MAX]; /* co^-1 */
	int source[EVENTS_MAX]; /* the write that a read reads, or -1 */
	uint64_t shape[THREADS_MAX]; /* of the paths it was built from */
	bool shaped; /* graph_static() holds for these */
	bool given; /* x.async is, since there are no paths */
	bool general; /* some proxy or alias makes ppcb differ from base */
};

/* One way in which the barriers of a product of paths can be passed. */
struct way {
	bool stuck; /* some thread blocks for ever, before .end[thread] */
	int end[THREADS_MAX];
	event_row waits[EVENTS_MAX]; /* arrivals needed to go on */
	event_row exits[EVENTS_MAX]; /* events of threads that must exit */
	event_row after[EVENTS_MAX]; /* arrivals before it may arrive */
	event_row sync[EVENTS_MAX]; /* events it synchronizes with */
	int generation[EVENTS_MAX];
};

struct ways {
	struct way *list;
	int count, room;
};

/* How a slot of memory is read from the final value of a location. */
struct view {
	int loc; /* -1: nobody accesses it, .value is its value */
	int shift;
	uint64_t mask, value;
};

/* Looks for the executions of one program. */
struct search {
	struct model *m;
	struct arena *scratch; /* for one product; reset between them */
	struct graph g;
	const struct path *path[THREADS_MAX];
	int first[THREADS_MAX]; /* the first event of each thread */
	struct cells possible[THREADS_MAX + 1]; /* written by this and later
		threads */
	const struct way *way; /* how the barriers are passed, or NULL */
	/* the outcome */
	struct view views[SLOTS_MAX]; /* of the slots of memory */
	uint64_t values[SLOTS_MAX]; /* of all slots */
	int observed[SLOTS_MAX], nobserved; /* locations seen by a slot */
	event_row finals[LOCATIONS_MAX]; /* value numbers each may end with */
	event_row chosen[LOCATIONS_MAX]; /* of these, in one outcome */
	uint64_t *allowed, *interleaved; /* sets of outcome codes */
	bool scheduled; /* schedule_all() finds the interleaved ones */
	const struct execution **witness; /* by order of discovery */
	uint32_t *witness_code;
	uint32_t nallowed, nwitnesses;
	/* the reads, those with fewest writes to choose from first */
	int reads[EVENTS_MAX], nreads;
	event_row sources[EVENTS_MAX];
	uint64_t tried; /* paths, as a part of a product */
	bool done; /* nothing more to find in this product */
	/* one execution that does not end is looked for, no outcomes */
	bool hanging, hang;
	event_row spinning; /* reads that go on for ever */
	/* every candidate of one outcome is shown, none is pruned */
	bool (*visit)(void *user, const struct execution *x,
	    enum axiom broken);
	void *user;
	uint32_t code;
};

/* access.c: the reads of its path that an event depends on */
event_row path_event_deps(const struct model *m, const struct path_event *e);

/* order.c: asynchronous operations in the relations */
void async_static(struct graph *g); /* from program order: x.async */
void async_mbarriers(struct graph *g); /* moral strength of mbarriers */
void async_base(struct graph *g); /* base causality from the operations */
void async_undefined(struct search *s); /* notes what PTX leaves undefined */

/* deps.c */
bool deps_refine(struct model *m, int t, const struct path *path,
    struct path_event *e, event_row reads);

/* paths.c */
bool paths_make(struct model *m);
bool stop_reason(struct model *m, struct loc loc, const char *reason);
	/* false: no verdict */
bool stop_limit(struct model *m, const char *what); /* false */
bool work_add(struct model *m, uint64_t units); /* false: too much */
bool cells_within(const struct cells *a, const struct cells *b,
    const struct cells *c); /* a in b | c */
void cells_merge(struct cells *a, const struct cells *b); /* a |= b */

/* coverage.c: false if the model does not cover the program */
bool coverage_check(struct model *m);

/* locations.c */
struct location *location_find(struct model *m, struct loc loc, int var,
    int offset, int size); /* NULL: m->stop */
bool location_add_value(struct model *m, struct location *l, uint64_t value,
    int writer, const struct support *support); /* false: too many */
/* Both this and that: false if `own`, a set, would always be needed. */
bool support_join(struct support *a, const struct support *b, uint64_t own);
bool support_widen(struct support *a, uint64_t needs); /* or that: true if
	it is new */
int location_value(const struct location *l, uint64_t value); /* or -1 */
static inline void
cells_add(struct cells *c, int cell)
{
	c->word[cell / 64] |= (uint64_t)1 << cell % 64;
}

/* relations.c: bit matrices of n rows */
void rows_invert(const event_row *r, event_row *inverse, int n);
void rows_close(event_row *r, int n); /* transitive closure */
void rows_reach(event_row *r, int n, int from, int to); /* adds an edge to a
	closed relation */
bool rows_acyclic(const event_row *r, event_row nodes);
event_row rows_cyclic(const event_row *r, event_row nodes); /* those on a
	cycle, or between two */
static inline int
row_first(event_row r)
{
	return __builtin_ctzll(r);
}
#define EACH(i, row) \
	for (event_row i##_ = (row); \
	    i##_ && ((i) = row_first(i##_), 1); i##_ &= i##_ - 1)

/* graph.c: what follows from the events, then from rf, then from sc */
uint64_t rules_of(const struct model_opts *opts);
void model_places(struct model *m); /* fills near, phys, virt */
void graph_static(struct graph *g);
void graph_sync(struct graph *g); /* obs, sw but for sc, reach */
void graph_order_fences(struct graph *g, int from, int to); /* one sc edge */
void graph_cause(struct graph *g); /* base, cause */
/* A fence of that kind, as .acq_rel is both, and .sc in patterns (8.4). */
bool graph_fence_is(const struct graph *g, const struct event *e,
    enum sem sem);

/* proxy.c */
event_row proxy_fences(const struct graph *g, int access);
event_row proxy_preserved(const struct graph *g, int i); /* an access's row
	of proxy-preserved base causality order */

/* axioms.c: the first axiom that is broken, over all that is there yet: each
   only breaks more as rf, sc and co grow */
enum axiom axioms_values(const struct graph *g); /* rf, dep */
event_row axioms_thin_air(const struct graph *g); /* events of the cycle */
enum axiom axioms_cause(const struct graph *g); /* sc, cause */
enum axiom axioms_location(const struct graph *g, int loc); /* co */
/* The least coherence order that the axioms ask for. */
enum axiom coherence_least(struct graph *g);
bool coherence_add(struct graph *g, int from, int to); /* false: a cycle */
event_row coherence_pairs(const struct graph *g, int write); /* writes that
	must be ordered with it, one way or the other */
void graph_fr(struct graph *g);

enum axiom axioms_fence_sc(const struct graph *g);

/* barrier.c: the ways in which the barriers of s->g can be passed */
bool barriers_resolve(struct search *s, struct ways *ways);
/* dialect.c: the same for barriers of the .litmus dialect */
bool dialect_resolve(struct search *s, struct ways *ways);
struct way *way_add(struct search *s, struct ways *ways);

/* products.c: each combination of paths */
void products_search(struct search *s);
/* Drops dependencies between these events that are not real; false: all
   are. */
bool products_refine(struct search *s, event_row events);

/* candidates.c: each execution of a combination of paths */
bool work_graph(struct search *s, uint64_t units); /* on relations, which
	take the longer the more events there are */
void candidates_search(struct search *s);
void candidate_show(struct search *s, enum axiom broken); /* to visit */

/* fences.c */
void fences_choose(struct search *s); /* every order, from rf */
enum axiom fences_try(struct search *s); /* what rf and sc as far as they
	go already break */

/* coherence.c */
void coherence_choose(struct search *s); /* every order, from rf and sc */
/* Orders the pairs of writes that have only one direction left; *more if
   that says something new. */
enum axiom coherence_infer(struct search *s, bool *more);
/* Leaves in the graph a coherence order that ends with s->finals, of one
   value a location. */
bool coherence_witness(struct search *s);

/* interleave.c: marks the outcomes of s->g that an interleaving gives */
void interleave(struct search *s);
/* schedule.c: those of the whole program, at once; not if it has barriers
   or vectors */
bool schedule_can(const struct search *s);
void schedule_all(struct search *s);

/* results.c: the outcomes of the product in s->g */
bool results_start(struct search *s);
bool results_pending(struct search *s); /* of s->path some may be new */
bool results_unmarked(struct search *s); /* or may want an interleaving */
void results_record(struct search *s); /* all of s->finals */
void results_mark(struct search *s, const uint8_t *memory); /* value numbers
	by location, of an interleaving; registers are in s->values */
void results_registers(struct search *s, int t, const struct path *path);
event_row results_wanted(const struct search *s, int loc); /* visit: value
	numbers of a location that s->code asks for */
bool results_match(const struct search *s, int t); /* visit: the registers
	of the thread are as s->code asks */

#endif
