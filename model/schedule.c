/*
 * Which final states does some interleaving give, over all paths at once?
 *
 * The paths of a thread make a tree, in which reads branch by value. Nodes
 * from which everything goes on alike are one, so a value that nobody uses
 * or sees is forgotten. A state is a node for each thread, and memory.
 * States that were seen are known by a hash of 128 bits.
 */
#include "internal.h"

#include <string.h>

/* What a thread can do next. */
struct node {
	const struct event *event; /* NULL: it has ended */
	const struct path *path; /* that got here, the first */
	int children, count; /* a read: one for each value, ascending */
};

struct child {
	int value; /* number */
	int atomic; /* a read: the write of its atomic follows at once */
	int node;
};

struct tree {
	struct node *nodes;
	struct child *children;
	uint64_t *hashes; /* of nodes: what goes on from them */
	int *table; /* hash -> node, open addressing; -1 = free */
	size_t nnodes, nodes_room, nchildren, children_room, table_room;
	int root[THREADS_MAX];
};

struct state {
	int at[THREADS_MAX]; /* nodes */
	uint8_t memory[LOCATIONS_MAX]; /* value numbers */
};

struct key {
	uint64_t a, b;
};

struct scheduler {
	struct search *s;
	struct tree tree;
	struct key *seen; /* hash table, open addressing; a 0 = free */
	size_t room, count;
};

bool
schedule_can(const struct search *s)
{
	const struct program *p = s->m->p;
	int t, i;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];

			if (insn->vec > 1 ||
			    insn->op->class == CLASS_BARRIER ||
			    insn->op->class == CLASS_CLUSTER_BARRIER ||
			    insn->op->class == CLASS_WARP ||
			    insn->op->class == CLASS_MBARRIER ||
			    insn->op->class == CLASS_ASYNC)
				return false;
		}
	return !s->visit;
}

/* ---- the trees -------------------------------------------------------- */

static void *
more(struct arena *a, void *list, size_t count, size_t *room, size_t size)
{
	size_t n = *room ? 2 * *room : 64;

	if (count < *room)
		return list;
	list = arena_grow(a, list, *room * size, n * size);
	*room = n;
	return list;
}

static void
index_nodes(struct scheduler *c)
{
	struct tree *tree = &c->tree;
	size_t i, at;

	tree->table_room = tree->table_room ? 2 * tree->table_room : 256;
	tree->table = arena_alloc(c->s->scratch,
	    tree->table_room * sizeof(*tree->table));
	memset(tree->table, -1, tree->table_room * sizeof(*tree->table));
	for (i = 0; i < tree->nnodes; i++) {
		at = tree->hashes[i] & (tree->table_room - 1);
		while (tree->table[at] >= 0)
			at = (at + 1) & (tree->table_room - 1);
		tree->table[at] = (int)i;
	}
}

/* The node that goes on as the hash says, if there is one. */
static int
find_node(struct scheduler *c, uint64_t hash)
{
	struct tree *tree = &c->tree;
	size_t at;

	if (2 * tree->nnodes >= tree->table_room)
		index_nodes(c);
	at = hash & (tree->table_room - 1);
	while (tree->table[at] >= 0) {
		if (tree->hashes[tree->table[at]] == hash)
			return tree->table[at];
		at = (at + 1) & (tree->table_room - 1);
	}
	tree->table[at] = (int)tree->nnodes;
	return -1;
}

static int
add_node(struct scheduler *c, struct node node, const struct child *children,
    uint64_t hash)
{
	struct tree *tree = &c->tree;
	size_t room = tree->nodes_room, i;
	int found = find_node(c, hash);

	if (found >= 0)
		return found;
	tree->nodes = more(c->s->scratch, tree->nodes, tree->nnodes,
	    &tree->nodes_room, sizeof(*tree->nodes));
	tree->hashes = more(c->s->scratch, tree->hashes, tree->nnodes, &room,
	    sizeof(*tree->hashes));
	node.children = (int)tree->nchildren;
	for (i = 0; i < (size_t)node.count; i++) {
		tree->children = more(c->s->scratch, tree->children,
		    tree->nchildren, &tree->children_room,
		    sizeof(*tree->children));
		tree->children[tree->nchildren++] = children[i];
	}
	tree->hashes[tree->nnodes] = hash;
	tree->nodes[tree->nnodes] = node;
	return (int)tree->nnodes++;
}

static int
add_end(struct scheduler *c, int t, const struct path *path)
{
	const struct program *p = c->s->m->p;
	uint64_t hash = (uint64_t)(2 * t + path->cut);
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == t)
			hash = hash64(&path->finals[i], sizeof(uint64_t),
			    hash);
	return add_node(c, (struct node){.path = path}, NULL, hash);
}

/* Of paths from `first` on, the first that differs at an event. */
static int
end_of(const struct paths *paths, int first, int end, int depth)
{
	const struct path *path = &paths->list[first];
	int i = first + 1;

	while (i < end && paths->list[i].events[depth].event.value ==
	    path->events[depth].event.value)
		i++;
	return i;
}

/*
 * The node of the paths from `first` to `end`, which stand in the order in
 * which their reads chose values and have `depth` events in common. Events
 * without a location do nothing here.
 */
static int
add_paths(struct scheduler *c, int t, int first, int end, int depth)
{
	const struct paths *paths = &c->s->m->paths[t];
	const struct path *path = &paths->list[first];
	struct child children[VALUES_MAX];
	struct node node = {.path = path};
	const struct event *event;
	uint64_t hash;
	int i, next;

	while (depth < path->count && path->events[depth].event.loc < 0)
		depth++;
	if (depth == path->count)
		return add_end(c, t, path);
	node.event = &path->events[depth].event;
	for (i = first; i < end; i = next) {
		struct child *child = &children[node.count++];

		next = node.event->kind == EVENT_READ ?
		    end_of(paths, i, end, depth) : end;
		event = &paths->list[i].events[depth].event;
		child->value = location_value(&c->s->m->locs[event->loc],
		    event->value);
		child->atomic = event->kind == EVENT_READ && event->rmw >= 0;
		child->node = add_paths(c, t, i, next, depth + 1);
	}
	hash = hash64(children, (size_t)node.count * sizeof(*children),
	    (uint64_t)(2 * node.event->loc +
	    (node.event->kind == EVENT_READ)));
	return add_node(c, node, children, hash);
}

/* ---- seen states ------------------------------------------------------ */

static size_t
find_key(const struct scheduler *c, struct key key)
{
	size_t at = key.b & (c->room - 1);

	while (c->seen[at].a && (c->seen[at].a != key.a ||
	    c->seen[at].b != key.b))
		at = (at + 1) & (c->room - 1);
	return at;
}

static void
grow(struct scheduler *c)
{
	struct key *old = c->seen;
	size_t n = c->room, i;

	c->room = n ? 4 * n : 256;
	c->seen = arena_alloc(c->s->scratch, c->room * sizeof(*old));
	for (i = 0; i < n; i++)
		if (old[i].a)
			c->seen[find_key(c, old[i])] = old[i];
}

/* False if it was there. */
static bool
remember(struct scheduler *c, const struct state *state)
{
	size_t n = sizeof(int) * (size_t)c->s->m->p->nthreads, at;
	size_t size = (size_t)c->s->m->nlocs;
	uint64_t hash = hash64(state->memory, size, 1);
	struct key key = {hash64(state->at, n, hash) | 1,
	    hash64(state->at, n, ~hash)};

	if (2 * c->count >= c->room)
		grow(c);
	at = find_key(c, key);
	if (c->seen[at].a)
		return false;
	c->seen[at] = key;
	c->count++;
	return true;
}

/* ---- steps ------------------------------------------------------------ */

/* One access of a thread; an atomic is one. False if no path has it. */
static bool
step(const struct scheduler *c, struct state *state, int t)
{
	const struct tree *tree = &c->tree;
	const struct node *node = &tree->nodes[state->at[t]];
	const struct child *child = &tree->children[node->children];
	const struct event *e = node->event;
	int i;

	if (e->kind == EVENT_READ) {
		for (i = 0; i < node->count && child[i].value !=
		    state->memory[e->loc]; i++)
			;
		if (i == node->count)
			return false;
		state->at[t] = child[i].node;
		if (!child[i].atomic)
			return true;
		child = &tree->children[tree->nodes[state->at[t]].children];
	}
	state->memory[e->loc] = (uint8_t)child->value;
	state->at[t] = child->node;
	return true;
}

static void
finish(const struct scheduler *c, const struct state *state)
{
	int t;

	for (t = 0; t < c->s->m->p->nthreads; t++) {
		const struct path *path = c->tree.nodes[state->at[t]].path;

		if (path->cut)
			return;
		results_registers(c->s, t, path);
	}
	results_mark(c->s, state->memory);
}

static void
explore(struct scheduler *c, const struct state *state)
{
	struct model *m = c->s->m;
	bool over = true;
	int t;

	if (!remember(c, state) || !work_add(m, 1))
		return;
	for (t = 0; t < m->p->nthreads && m->stop == STOP_NOT; t++) {
		struct state next = *state;

		if (!c->tree.nodes[state->at[t]].event)
			continue;
		over = false;
		if (step(c, &next, t))
			explore(c, &next);
	}
	if (over)
		finish(c, state);
}

void
schedule_all(struct search *s)
{
	struct scheduler c = {.s = s};
	struct state start;
	int t;

	arena_reset(s->scratch);
	memset(&start, 0, sizeof(start));
	for (t = 0; t < s->m->p->nthreads; t++) {
		if (!s->m->paths[t].count)
			return;
		start.at[t] = add_paths(&c, t, 0, s->m->paths[t].count, 0);
	}
	explore(&c, &start);
}
