/* Where the threads of a cycle are placed, and what its test is called. */
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
const char *
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
