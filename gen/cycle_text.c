/* From a cycle to a test; and the list of shapes. */
#include "cycle.h"

#include <stdlib.h>
#include <string.h>

/* ---- the test --------------------------------------------------------- */

static const char *const locations[CYCLE_LOCS_MAX] = {"x", "y", "z", "a",
	"b", "c", "d", "e"};

struct writer {
	struct text *t;
	const struct cycle *c;
	int reg[CYCLE_EDGES_MAX]; /* of reads */
	int nregs; /* in this thread */
	bool branches; /* to the end of this thread */
	bool clusters; /* of several CTAs */
};

static void
line(struct writer *w, const char *s)
{
	text_printf(w->t, "      %s\n", s);
}

/* atom of a read and the write after it */
static void
write_rmw(struct writer *w, int i)
{
	const struct event_at *r = &w->c->events[i];
	const struct event_at *v = &w->c->events[(i + 1) % w->c->n];
	bool acquire = r->strength.sem == SEM_ACQUIRE;
	bool release = v->strength.sem == SEM_RELEASE;
	enum scope scope = v->plain ? r->strength.scope : v->strength.scope;

	text_printf(w->t, "      atom.%s.%s.global.exch.b32 r%d, [%s], %d;\n",
	    acquire && release ? "acq_rel" : acquire ? "acquire" :
	    release ? "release" : "relaxed",
	    scope == SCOPE_NONE ? "gpu" : scope_name(scope), w->nregs,
	    locations[r->loc], v->value);
	w->reg[i] = w->nregs++;
}

/* The value of a write that depends on the read before it. */
static void
write_data(struct writer *w, int i, char *value, size_t size)
{
	const struct cycle *c = w->c;
	int before = (i + c->n - 1) % c->n, from, to = c->events[i].value;

	if (c->edges[before].kind != EDGE_DATA) {
		snprintf(value, size, "%d", to);
		return;
	}
	from = c->events[before].value;
	if (from == to) {
		snprintf(value, size, "r%d", w->reg[before]);
		return;
	}
	text_printf(w->t, "      %s.u32 r%d, r%d, %d;\n",
	    to > from ? "add" : "sub", w->nregs, w->reg[before],
	    abs(to - from));
	snprintf(value, size, "r%d", w->nregs++);
}

static void
write_access(struct writer *w, int i)
{
	const struct event_at *e = &w->c->events[i];
	char value[16];

	if (e->direction == 'R') {
		text_printf(w->t, "      ld.%.*s.global.u32 r%d, [%s];\n",
		    (int)e->strength.size, e->strength.text, w->nregs,
		    locations[e->loc]);
		w->reg[i] = w->nregs++;
		return;
	}
	write_data(w, i, value, sizeof(value));
	text_printf(w->t, "      st.%.*s.global.u32 [%s], %s;\n",
	    (int)e->strength.size, e->strength.text, locations[e->loc],
	    value);
}

/* What the edge after access i puts in between. */
static void
write_edge(struct writer *w, int i)
{
	const struct edge *e = &w->c->edges[i];

	if (e->kind == EDGE_INSN)
		text_printf(w->t, "      %.*s%s;\n", (int)e->insn_size,
		    e->text, strncmp(e->text, "bar", 3) == 0 ? " 0" : "");
	if (e->kind != EDGE_CTRL)
		return;
	text_printf(w->t, "      setp.ne.u32 p%d, r%d, %d;\n", i, w->reg[i],
	    w->c->events[i].value);
	text_printf(w->t, "      @p%d bra END;\n", i);
	w->branches = true;
}

static void
write_thread(struct writer *w, int thread)
{
	const struct cycle *c = w->c;
	int i;

	text_printf(w->t, "  - cta: %d\n", c->cta[thread]);
	if (w->clusters)
		text_printf(w->t, "    cluster: %d\n", c->cluster[thread]);
	if (c->gpu[thread])
		text_printf(w->t, "    gpu: %d\n", c->gpu[thread]);
	text_printf(w->t, "    code: |\n");
	w->nregs = 0;
	w->branches = false;
	for (i = 0; i < c->n; i++) {
		if (c->events[i].thread != thread)
			continue;
		if (c->edges[i].kind == EDGE_RMW) {
			write_rmw(w, i++);
		} else {
			write_access(w, i);
		}
		if (i < c->n && !c->edges[i].external)
			write_edge(w, i);
	}
	if (w->branches)
		line(w, "END:");
}

static void
write_condition(struct writer *w)
{
	const struct cycle *c = w->c;
	const char *and = "exists: '"; /* quotes: it may begin with a [ */
	int i;

	for (i = 0; i < c->n; i++) {
		if (c->events[i].direction != 'R')
			continue;
		text_printf(w->t, "%s%d:r%d == %d", and, c->events[i].thread,
		    w->reg[i], c->events[i].value);
		and = " && ";
	}
	for (i = 0; i < c->nlocs; i++) {
		if (c->writes[i] < 2)
			continue;
		text_printf(w->t, "%s[%s] == %d", and, locations[i],
		    c->writes[i]);
		and = " && ";
	}
	text_printf(w->t, "'\n");
}

static void
write_cycle(struct text *t, const struct cycle *c, struct arena *a)
{
	struct writer w = {.t = t, .c = c};
	int i;

	text_printf(t, "name: %s\nabout: Made from the cycle",
	    cycle_name(c, a));
	for (i = 0; i < c->n; i++) {
		if (!c->events[i].plain)
			text_printf(t, " %.*s",
			    (int)c->events[i].strength.size,
			    c->events[i].strength.text);
		text_printf(t, " %.*s", (int)c->edges[i].size,
		    c->edges[i].text);
	}
	text_printf(t, ".\nlocations: {");
	for (i = 0; i < c->nlocs; i++)
		text_printf(t, "%s%s: 0", i ? ", " : "", locations[i]);
	text_printf(t, "}\nthreads:\n");
	for (i = 0; i < c->nthreads; i++)
		w.clusters = w.clusters || c->cluster[i] != c->cta[i];
	for (i = 0; i < c->nthreads; i++)
		write_thread(&w, i);
	write_condition(&w);
}

bool
cycle_yaml(struct text *t, const char *edges, const struct cycle_opts *opts,
    struct err *err)
{
	struct cycle c;

	if (!cycle_read(edges, opts, (struct loc){"cycle", 1, 1}, t->arena,
	    &c, err))
		return false;
	write_cycle(t, &c, t->arena);
	return true;
}

/* ---- shapes ----------------------------------------------------------- */

/*
 * A critical cycle: threads of two accesses to different locations, and
 * between them one communication, which may pass a write that is a thread
 * of its own.
 */
static const struct {
	char from, to;
	const char *edges;
	int threads; /* more than the two it joins */
} joins[] = {
	{'W', 'R', "Rfe", 0}, {'R', 'W', "Fre", 0}, {'W', 'W', "Coe", 0},
	{'R', 'R', "Fre Rfe", 1}, {'W', 'R', "Coe Rfe", 1},
};
static const char *const orders[] = {"WW", "WR", "RW", "RR"};

struct shapes {
	struct arena *arena;
	const char **list;
	int count, room, threads;
};

static void
shape_add(struct shapes *s, const char *text)
{
	struct cycle_opts opts = {0};
	struct cycle c;
	struct err err;
	struct text t;
	int i;

	if (!cycle_read(text, &opts, (struct loc){0}, s->arena, &c, &err) ||
	    c.nthreads != s->threads)
		return;
	text_init(&t, s->arena);
	for (i = 0; i < c.n; i++)
		text_printf(&t, "%s%.*s", i ? " " : "",
		    (int)c.edges[i].size, c.edges[i].text);
	for (i = 0; i < s->count; i++)
		if (strcmp(s->list[i], t.s) == 0)
			return;
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->list = arena_grow(s->arena, s->list,
		    (size_t)s->count * sizeof(*s->list),
		    (size_t)s->room * sizeof(*s->list));
	}
	s->list[s->count++] = t.s;
}

/* The cycle so far begins at `first` and ends at `last`. */
static void
shape_extend(struct shapes *s, const char *text, char first, char last,
    int threads)
{
	size_t i, j;

	for (i = 0; i < sizeof(joins) / sizeof(*joins); i++) {
		if (joins[i].from != last)
			continue;
		if (joins[i].to == first &&
		    threads + joins[i].threads == s->threads)
			shape_add(s, arena_printf(s->arena, "%s %s", text,
			    joins[i].edges));
		if (threads + joins[i].threads >= s->threads)
			continue;
		for (j = 0; j < 4; j++)
			if (orders[j][0] == joins[i].to)
				shape_extend(s, arena_printf(s->arena,
				    "%s %s Pod%s", text, joins[i].edges,
				    orders[j]), first, orders[j][1],
				    threads + joins[i].threads + 1);
	}
}

const char *const *
cycle_shapes(int threads, struct arena *a, int *count)
{
	struct shapes s = {.arena = a};
	size_t j;

	for (s.threads = 2; s.threads <= threads; s.threads++)
		for (j = 0; j < 4; j++)
			shape_extend(&s, arena_printf(a, "Pod%s", orders[j]),
			    orders[j][0], orders[j][1], 1);
	*count = s.count;
	return s.list;
}
