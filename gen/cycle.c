/*
 * Tests from cycles of relations, in the notation of diy (Alglave and
 * Maranget): each edge leads from one access to the next, and the last
 * back to the first.
 *
 *   Rfe Fre Coe   read-from, from-read, coherence, to another thread
 *   Rfi Fri Coi   the same inside a thread (Wse, Wsi: as Coe, Coi)
 *   PodWR PosRR   program order, to a different or the same location
 *   DpDatadW DpCtrldW   and a true dependency from the read
 *   fence.sc.gpu.dWR    and an instruction in between (or bar.sync.dWR)
 *   Rmw           read and write are one atom.exch
 * A word between two edges is the strength of the access there, which is
 * that of the options otherwise: relaxed.gpu, release.cta, weak, volatile.
 *
 * The outcome asked about is the one that the cycle describes. If every
 * edge were an order that all threads agree on there would be none such.
 */
#include "cycle.h"

#include <stdlib.h>
#include <string.h>

/* ---- edges ------------------------------------------------------------ */

struct word {
	const char *s;
	size_t n;
};

static bool
is(struct word w, const char *text)
{
	return w.n == strlen(text) && memcmp(w.s, text, w.n) == 0;
}

static const struct {
	const char *name;
	struct edge edge;
} communications[] = {
	{"Rfe", {.kind = EDGE_RF, .external = true, .from = 'W', .to = 'R'}},
	{"Fre", {.kind = EDGE_FR, .external = true, .from = 'R', .to = 'W'}},
	{"Coe", {.kind = EDGE_CO, .external = true, .from = 'W', .to = 'W'}},
	{"Wse", {.kind = EDGE_CO, .external = true, .from = 'W', .to = 'W'}},
	{"Rfi", {.kind = EDGE_RF, .from = 'W', .to = 'R'}},
	{"Fri", {.kind = EDGE_FR, .from = 'R', .to = 'W'}},
	{"Coi", {.kind = EDGE_CO, .from = 'W', .to = 'W'}},
	{"Wsi", {.kind = EDGE_CO, .from = 'W', .to = 'W'}},
	{"Rmw", {.kind = EDGE_RMW, .from = 'R', .to = 'W'}},
};

/* "dWR": different or same location, and the directions. */
static bool
order_tail(const char *s, size_t n, struct edge *e)
{
	if (n != 3 || !strchr("ds", s[0]) || !strchr("RW", s[1]) ||
	    !strchr("RW", s[2]))
		return false;
	e->different = s[0] == 'd';
	e->from = s[1];
	e->to = s[2];
	return true;
}

static bool
dependency(struct word w, struct edge *e)
{
	if (w.n != 8 || memcmp(w.s, "Dp", 2) != 0 || w.s[7] != 'W' ||
	    !strchr("ds", w.s[6]))
		return false;
	if (memcmp(w.s + 2, "Data", 4) == 0)
		e->kind = EDGE_DATA;
	else if (memcmp(w.s + 2, "Ctrl", 4) == 0)
		e->kind = EDGE_CTRL;
	else
		return false;
	e->different = w.s[6] == 'd';
	e->from = 'R';
	e->to = 'W';
	return true;
}

static bool
edge_parse(struct word w, struct edge *e)
{
	size_t i;

	*e = (struct edge){.text = w.s, .size = w.n};
	for (i = 0; i < sizeof(communications) / sizeof(*communications); i++)
		if (is(w, communications[i].name)) {
			*e = communications[i].edge;
			e->text = w.s;
			e->size = w.n;
			return true;
		}
	if (dependency(w, e))
		return true;
	e->kind = EDGE_PO;
	if (w.n == 5 && memcmp(w.s, "Po", 2) == 0)
		return order_tail(w.s + 2, 3, e);
	if (w.n > 4 && w.s[w.n - 4] == '.' &&
	    order_tail(w.s + w.n - 3, 3, e)) {
		e->kind = EDGE_INSN;
		e->insn_size = w.n - 4;
		return true;
	}
	return false;
}

/* ---- reading the cycle ------------------------------------------------ */

struct parser {
	struct arena *arena;
	struct err *err;
	struct loc loc;
	struct cycle *c;
};

static bool
wrong(const struct parser *p, struct word w, const char *text,
    const char *what)
{
	struct loc loc = p->loc;

	loc.column += (int)(w.s - text);
	return err_set(p->err, ERR_INPUT, loc, "%s",
	    text_clean(p->arena, what, strlen(what)));
}

/* An opcode is checked by the one who reads PTX; errors point at the word. */
static bool
opcode_check(const struct parser *p, const char *opcode, struct word w,
    const char *text, struct insn *insn)
{
	struct loc loc = p->loc;
	struct err err;

	loc.column = 1;
	if (ptx_opcode(&opcode, &loc, OP_TEST, insn, &err))
		return true;
	return wrong(p, w, text, err.message);
}

static bool
strength_parse(const struct parser *p, struct word w, const char *text,
    char direction, struct strength *s)
{
	struct insn insn;

	if (!opcode_check(p, arena_printf(p->arena, "%s.%.*s.global.u32 ",
	    direction == 'R' ? "ld" : "st", (int)w.n, w.s), w, text, &insn))
		return false;
	*s = (struct strength){w.s, w.n, insn.sem, insn.scope};
	return true;
}

/* What an edge puts in between: a fence or a barrier. */
static bool
insn_check(const struct parser *p, const struct edge *e, const char *text)
{
	struct word w = {e->text, e->insn_size};
	struct insn insn;

	if (!opcode_check(p, arena_printf(p->arena, "%.*s ", (int)w.n, w.s),
	    w, text, &insn))
		return false;
	if (insn.op->class == CLASS_FENCE ||
	    insn.op->class == CLASS_PROXY_FENCE ||
	    insn.op->id == OP_BAR_SYNC || insn.op->id == OP_BARRIER_SYNC)
		return true;
	return wrong(p, w, text, "only fences and bar.sync stand in an edge");
}

static bool
note(const struct parser *p, struct word w, const char *text,
    struct word *place)
{
	if (w.s[0] >= 'A' && w.s[0] <= 'Z')
		return wrong(p, w, text, arena_printf(p->arena,
		    "unknown edge '%.*s' (Rfe, Fre, Coe, Rfi, Fri, Coi, Rmw, "
		    "PodWR, PosRR, DpDatadW, DpCtrldW, fence.sc.gpu.dWR)",
		    (int)w.n, w.s));
	if (place->n)
		return wrong(p, w, text, "this access has two strengths");
	*place = w;
	return true;
}

static struct word
next_word(const char **s)
{
	struct word w;

	*s += strspn(*s, " \t\n,");
	w.s = *s;
	w.n = strcspn(*s, " \t\n,");
	*s += w.n;
	return w;
}

static bool
read_edges(const struct parser *p, const char *text, struct word *notes)
{
	struct cycle *c = p->c;
	struct edge e;
	const char *s = text;
	struct word w;

	while (w = next_word(&s), w.n) {
		/* before the first edge: of the access where the last ends */
		if (!edge_parse(w, &e)) {
			if (!note(p, w, text, &notes[c->n ? c->n :
			    CYCLE_EDGES_MAX]))
				return false;
			continue;
		}
		if (c->n == CYCLE_EDGES_MAX)
			return wrong(p, w, text,
			    "too many edges (at most 16)");
		if (e.kind == EDGE_INSN && !insn_check(p, &e, text))
			return false;
		c->edges[c->n++] = e;
	}
	if (c->n < 2)
		return err_set(p->err, ERR_INPUT, p->loc,
		    "a cycle has at least two edges (PodWW Rfe PodRR Fre)");
	if (notes[CYCLE_EDGES_MAX].n)
		return note(p, notes[CYCLE_EDGES_MAX], text,
		    c->n < CYCLE_EDGES_MAX ? &notes[c->n] : &(struct word){0});
	return true;
}

/* The access between two edges: its direction and strength. */
static bool
read_events(const struct parser *p, const char *text,
    const struct word *notes, const char *strength)
{
	struct cycle *c = p->c;
	int i;

	for (i = 0; i < c->n; i++) {
		/* event i stands before edge i; note n before edge 0 */
		const struct edge *before = &c->edges[(i + c->n - 1) % c->n];
		const struct edge *after = &c->edges[i];
		struct word at = {after->text, after->size}, w =
		    notes[i ? i : c->n];
		struct event_at *e = &c->events[i];

		if (before->to != after->from)
			return wrong(p, at, text, arena_printf(p->arena,
			    "'%.*s' starts at a %s, but '%.*s' ends at a %s",
			    (int)at.n, at.s, after->from == 'R' ? "read" :
			    "write", (int)before->size, before->text,
			    before->to == 'R' ? "read" : "write"));
		e->direction = after->from;
		e->plain = !w.n;
		if (!w.n && !strength_parse(p, (struct word){strength,
		    strlen(strength)}, strength, e->direction, &e->strength))
			return false;
		if (w.n && !strength_parse(p, w, text, e->direction,
		    &e->strength))
			return false;
	}
	return true;
}

/* ---- placing ---------------------------------------------------------- */

/* Turns the cycle so that event `start` is the first. */
static void
rotate(struct cycle *c, int start)
{
	struct cycle old = *c;
	int i;

	for (i = 0; i < c->n; i++) {
		c->edges[i] = old.edges[(i + start) % c->n];
		c->events[i] = old.events[(i + start) % c->n];
	}
}

/* The threads' directions from event `start` on: "WW+RR". */
static void
signature(const struct cycle *c, int start, char *s)
{
	int i;

	for (i = 0; i < c->n; i++) {
		int at = (start + i) % c->n;

		*s++ = c->events[at].direction;
		if (c->edges[at].external && i + 1 < c->n)
			*s++ = '+';
	}
	*s = '\0';
}

/* + before W before R, so that MP starts with its writer, WRC with its W */
static int
signature_compare(const char *a, const char *b)
{
	static const char order[] = "+WR";

	for (; *a && *a == *b; a++, b++)
		;
	if (!*a || !*b)
		return (*a != '\0') - (*b != '\0');
	return strchr(order, *a) < strchr(order, *b) ? -1 : 1;
}

static int
edges_compare(const struct cycle *c, int a, int b)
{
	int i;

	for (i = 0; i < c->n; i++) {
		const struct edge *x = &c->edges[(a + i) % c->n];
		const struct edge *y = &c->edges[(b + i) % c->n];
		const struct event_at *u = &c->events[(a + i) % c->n];
		const struct event_at *v = &c->events[(b + i) % c->n];
		size_t n = x->size < y->size ? x->size : y->size;
		int d = memcmp(x->text, y->text, n);

		if (d || x->size != y->size)
			return d ? d : x->size < y->size ? -1 : 1;
		if (u->strength.sem != v->strength.sem)
			return u->strength.sem < v->strength.sem ? -1 : 1;
		if (u->strength.scope != v->strength.scope)
			return u->strength.scope < v->strength.scope ? -1 : 1;
	}
	return 0;
}

/* One cycle, one test, wherever it was begun. */
static bool
canonical(struct cycle *c, struct err *err, struct loc loc)
{
	char best[2 * CYCLE_EDGES_MAX], s[2 * CYCLE_EDGES_MAX];
	int i, start = -1, externals = 0;

	for (i = 0; i < c->n; i++) {
		externals += c->edges[(i + c->n - 1) % c->n].external;
		if (!c->edges[(i + c->n - 1) % c->n].external)
			continue;
		signature(c, i, s);
		if (start < 0 || signature_compare(s, best) < 0 ||
		    (strcmp(s, best) == 0 &&
		    edges_compare(c, i, start) < 0)) {
			start = i;
			strcpy(best, s);
		}
	}
	if (externals < 2)
		return err_set(err, ERR_INPUT, loc, "a cycle leaves a thread "
		    "and comes back: it needs two or more of Rfe, Fre, Coe");
	rotate(c, start);
	return true;
}

static bool
in_order(const struct edge *e)
{
	return e->kind >= EDGE_PO && e->kind != EDGE_RMW;
}

static bool
place_locations(struct cycle *c, struct err *err, struct loc loc)
{
	int i, differ = 0, ordered = 0, start = 0, at = 0;

	for (i = 0; i < c->n; i++) {
		differ += c->edges[i].different;
		ordered += in_order(&c->edges[i]);
	}
	if (!ordered)
		return err_set(err, ERR_INPUT, loc,
		    "a cycle needs an edge of program order (PodWR, PosRR)");
	if (differ == 1)
		return err_set(err, ERR_INPUT, loc, "only one edge changes "
		    "the location, so the cycle cannot close");
	if (differ > CYCLE_LOCS_MAX)
		return err_set(err, ERR_LIMIT, loc,
		    "too many locations (at most %d)", CYCLE_LOCS_MAX);
	c->nlocs = differ ? differ : 1;
	/* a location's accesses stand together: start where one begins; if
	   there is but one, where program order contradicts the rest */
	for (i = 0; i < c->n; i++)
		if (differ ? c->edges[i].different : in_order(&c->edges[i]))
			start = (i + 1) % c->n;
	for (i = 0; i < c->n; i++) {
		c->events[(start + i) % c->n].loc = at % c->nlocs;
		at += c->edges[(start + i) % c->n].different;
	}
	/* thread 0 works on x first */
	at = c->events[0].loc;
	for (i = 0; i < c->n; i++)
		c->events[i].loc = (c->events[i].loc - at + c->nlocs) %
		    c->nlocs;
	c->first = start;
	return true;
}

/*
 * The values, in coherence order: a write's is one more than what stands
 * before it in its location's part of the cycle, a read takes that.
 */
static bool
place_values(struct cycle *c, struct err *err, struct loc loc)
{
	int i, value = 0, loose = 0;

	for (i = 0; i < c->n; i++) {
		int at = (c->first + i) % c->n;
		struct event_at *e = &c->events[at];
		const struct edge *before =
		    &c->edges[(at + c->n - 1) % c->n];

		if (before->different || i == 0)
			value = loose = 0;
		if (e->direction == 'W') {
			/* the final value tells the last two apart, and an
			   atomic its own two */
			if (value && before->kind != EDGE_RMW && loose++)
				return err_set(err, ERR_UNSUPPORTED, loc,
				    "three writes to one location: no final "
				    "state tells their order");
			value++;
			c->writes[e->loc] = value;
		}
		e->value = value;
	}
	return true;
}

static void
place_threads(struct cycle *c)
{
	int i, thread = 0;

	for (i = 0; i < c->n; i++) {
		c->events[i].thread = thread;
		thread += c->edges[i].external;
	}
	c->nthreads = thread;
}

bool
cycle_read(const char *text, const struct cycle_opts *opts, struct loc loc,
    struct arena *a, struct cycle *c, struct err *err)
{
	struct word notes[CYCLE_EDGES_MAX + 1];
	struct parser p = {a, err, loc, c};

	memset(notes, 0, sizeof(notes));
	memset(c, 0, sizeof(*c));
	c->strength = opts->strength ? opts->strength : "relaxed.gpu";
	if (!read_edges(&p, text, notes) ||
	    !read_events(&p, text, notes, c->strength) ||
	    !canonical(c, err, loc) || !place_locations(c, err, loc) ||
	    !place_values(c, err, loc))
		return false;
	place_threads(c);
	return cycle_place(c, opts, loc, err);
}
