/* From a cycle to a test: placement, name, text; and the list of shapes. */
#include "cycle.h"

#include <stdlib.h>
#include <string.h>

/* ---- placement -------------------------------------------------------- */

/* "0,0,1": the CTA of each thread, or "0:1": GPU and CTA. */
static bool
place_list(struct cycle *c, const char *place, struct loc loc,
    struct err *err)
{
	const char *s = place;
	char *end;
	int i;

	for (i = 0; i < c->nthreads; i++) {
		long gpu = 0, cta = strtol(s, &end, 10);

		if (end > s && *end == ':') {
			gpu = cta;
			s = end + 1;
			cta = strtol(s, &end, 10);
		}
		if (end == s || (*end && *end != ',') || cta < 0 ||
		    cta > 99 || gpu < 0 || gpu > 9 ||
		    (i + 1 < c->nthreads) != (*end == ','))
			return err_set(err, ERR_USAGE, loc, "placement "
			    "'%.60s' does not name the CTAs of %d threads "
			    "(diff, same, cluster, gpus, or a list: 0,0,1 "
			    "or, with the GPU, 0:0,1:1)", place,
			    c->nthreads);
		c->cta[i] = (int)cta;
		c->gpu[i] = (int)gpu;
		c->cluster[i] = (int)cta;
		s = end + 1;
	}
	return true;
}

/* A barrier meets all threads of its CTA: each must come there as often. */
static bool
check_barriers(const struct cycle *c, struct loc loc, struct err *err)
{
	int count[CYCLE_EDGES_MAX] = {0}, i, j;

	for (i = 0; i < c->n; i++)
		count[c->events[i].thread] += c->edges[i].kind == EDGE_INSN &&
		    strncmp(c->edges[i].text, "bar", 3) == 0;
	for (i = 0; i < c->nthreads; i++)
		for (j = 0; j < i; j++)
			if (c->cta[i] == c->cta[j] && count[i] != count[j])
				return err_set(err, ERR_INPUT, loc,
				    "threads P%d and P%d share a CTA but "
				    "not its barriers: they would wait for "
				    "ever", j, i);
	return true;
}

bool
cycle_place(struct cycle *c, const struct cycle_opts *opts, struct loc loc,
    struct err *err)
{
	const char *place = opts->place ? opts->place : "diff";
	bool same = strcmp(place, "same") == 0;
	bool cluster = strcmp(place, "cluster") == 0;
	bool gpus = strcmp(place, "gpus") == 0;
	int i;

	c->place = place;
	if (!same && !cluster && !gpus && strcmp(place, "diff") != 0) {
		if (!place_list(c, place, loc, err))
			return false;
	} else {
		for (i = 0; i < c->nthreads; i++) {
			c->cta[i] = same ? 0 : i;
			c->cluster[i] = same || cluster ? 0 : i;
			c->gpu[i] = gpus ? i : 0;
		}
	}
	return check_barriers(c, loc, err);
}

/* ---- names ------------------------------------------------------------ */

/* The families' names (Alglave and Maranget's, of the threads' shapes). */
static const struct {
	const char *shape, *name;
} families[] = {
	{"WW+RR", "MP"}, {"WR+WR", "SB"}, {"RW+RW", "LB"}, {"WW+WR", "R"},
	{"WW+RW", "S"}, {"WW+WW", "2+2W"},
	{"W+RW+RR", "WRC"}, {"W+RR+WR", "RWC"}, {"W+RW+RW", "WWC"},
	{"W+RR+WW", "WRR+2W"}, {"W+RW+WR", "WRW+WR"},
	{"W+RW+WW", "WRW+2W"},
	{"WW+RW+RR", "ISA2"}, {"WR+WR+WR", "3.SB"}, {"RW+RW+RW", "3.LB"},
	{"WW+WW+WW", "3.2W"}, {"WW+RR+WR", "W+RWC"},
	{"WW+RW+WR", "Z6.0"}, {"WW+WW+RW", "Z6.1"}, {"WW+RW+RW", "Z6.2"},
	{"WW+WW+RR", "Z6.3"}, {"WW+WR+WR", "Z6.4"}, {"WW+WW+WR", "Z6.5"},
	{"W+RR+W+RR", "IRIW"}, {"W+RW+W+RR", "IRRWIW"},
	{"W+RW+W+RW", "IRWIW"},
	{"WR+WR+WR+WR", "4.SB"}, {"RW+RW+RW+RW", "4.LB"},
	{"WW+WW+WW+WW", "4.2W"},
	{"W+RR", "CoRR"}, {"W+RW", "CoRW2"}, {"W+WW", "CoWW"},
	{"W+WR", "CoWR"},
};

/* The families' threads have one or two accesses, to different locations
   (Co...: to the same). */
static bool
has_family(const struct cycle *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (!c->edges[i].external &&
		    c->edges[i].different == (c->nlocs == 1))
			return false;
	return true;
}

static const char *
family(const struct cycle *c, char *shape)
{
	char *s = shape;
	size_t i;
	int e;

	for (e = 0; e < c->n; e++) {
		*s++ = c->events[e].direction;
		if (c->edges[e].external && e + 1 < c->n)
			*s++ = '+';
	}
	*s = '\0';
	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strcmp(families[i].shape, shape) == 0 && has_family(c) &&
		    (strncmp(families[i].name, "Co", 2) == 0) ==
		    (c->nlocs == 1))
			return families[i].name;
	return shape;
}

static void
dash(struct text *t, size_t from)
{
	if (t->size > from)
		text_printf(t, "-");
}

/* What lies between two accesses of a thread, in a name. */
static void
edge_label(struct text *t, const struct cycle *c, const struct edge *e)
{
	static const char *const names[] = {
		[EDGE_RF] = "rfi", [EDGE_FR] = "fri", [EDGE_CO] = "coi",
		[EDGE_PO] = "po", [EDGE_DATA] = "data", [EDGE_CTRL] = "ctrl",
		[EDGE_RMW] = "rmw",
	};

	if (e->kind == EDGE_INSN)
		text_printf(t, "%.*s", (int)e->insn_size, e->text);
	else
		text_printf(t, "%s", names[e->kind]);
	if (c->nlocs > 1 && !e->different &&
	    (e->kind == EDGE_PO || e->kind == EDGE_INSN))
		text_printf(t, ".s");
}

/* "release.gpu-po", or nothing for a lone plain access. */
static void
thread_label(struct text *t, const struct cycle *c, int thread)
{
	size_t from = t->size;
	int i;

	for (i = 0; i < c->n; i++) {
		const struct event_at *e = &c->events[i];

		if (e->thread != thread)
			continue;
		if (!e->plain) {
			dash(t, from);
			text_printf(t, "%.*s", (int)e->strength.size,
			    e->strength.text);
		}
		if (!c->edges[i].external) {
			dash(t, from);
			edge_label(t, c, &c->edges[i]);
		}
	}
}

/*
 * MP+release.gpu+acquire.gpu: the family and the threads' labels, "pos" if
 * nothing stands in any, and what is not the default of strength and place.
 */
static const char *
cycle_name(const struct cycle *c, struct arena *a)
{
	char shape[2 * CYCLE_EDGES_MAX];
	struct text t, all;
	bool plain = true;
	int i;

	text_init(&t, a);
	text_init(&all, a);
	text_printf(&t, "%s", family(c, shape));
	for (i = 0; i < c->nthreads; i++) {
		struct text label;

		text_init(&label, a);
		thread_label(&label, c, i);
		if (!label.size)
			continue;
		text_printf(&all, "+%s", label.s);
		plain = plain && strcmp(label.s, "po") == 0;
	}
	text_printf(&t, "%s", plain ? "+pos" : all.s);
	if (strcmp(c->strength, "relaxed.gpu") != 0)
		text_printf(&t, "+%s", c->strength);
	if (strcmp(c->place, "diff") != 0)
		text_printf(&t, "+%s", c->place);
	for (i = 0; t.s[i]; i++)
		if (t.s[i] == ',' || t.s[i] == ':')
			t.s[i] = t.s[i] == ',' ? '-' : '.';
	return t.s;
}

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
