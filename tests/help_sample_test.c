/* One test of a sample: its text, its counts, its evidence. */
#include "help_sample_made.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static const struct {
	const char *family, *threads[4], *condition;
	int slots;
	double rate; /* weak target hits an instance, across CTAs */
} shapes[] = {
	{"MP", {"W x|W y", "R y|R x"}, "1:r0 == 1 && 1:r1 == 0", 2, 3e-2},
	{"SB", {"W x|R y", "W y|R x"}, "0:r0 == 0 && 1:r0 == 0", 2, 6e-2},
	{"LB", {"R x|W y", "R y|W x"}, "0:r0 == 1 && 1:r0 == 1", 2, 2e-2},
	{"S", {"W2 x|W y", "R y|W x"}, "1:r0 == 1 && [x] == 2", 2, 1e-2},
	{"R", {"W x|W y", "W2 y|R x"}, "[y] == 2 && 1:r0 == 0", 2, 2e-2},
	{"2+2W", {"W x|W2 y", "W y|W2 x"}, "[x] == 1 && [y] == 1", 2, 4e-2},
	{"WRC", {"W x", "R x|W y", "R y|R x"},
	    "1:r0 == 1 && 2:r0 == 1 && 2:r1 == 0", 3, 7e-3},
	{"RWC", {"W x", "R x|R y", "W y|R x"},
	    "1:r0 == 1 && 1:r1 == 0 && 2:r0 == 0", 3, 6e-3},
	{"ISA2", {"W x|W y", "R y|W z", "R z|R x"},
	    "1:r0 == 1 && 2:r0 == 1 && 2:r1 == 0", 3, 5e-3},
	{"IRIW", {"W x", "W y", "R x|R y", "R y|R x"},
	    "2:r0 == 1 && 2:r1 == 0 && 3:r0 == 1 && 3:r1 == 0", 4, 1e-3},
};

/* Which shapes an annotation stops is made up, but stays the same. */
static const struct {
	const char *name, *load, *store, *fence;
	int strength; /* 0 none ... 3 all */
} annotations[] = {
	{"weak", "ld.weak", "st.weak", NULL, 0},
	{"volatile", "ld.volatile", "st.volatile", NULL, 0},
	{"relaxed.cta", "ld.relaxed.cta", "st.relaxed.cta", NULL, 0},
	{"relaxed.gpu", "ld.relaxed.gpu", "st.relaxed.gpu", NULL, 0},
	{"relaxed.sys", "ld.relaxed.sys", "st.relaxed.sys", NULL, 0},
	{"acq_rel.cta", "ld.acquire.cta", "st.release.cta", NULL, 0},
	{"acq_rel.gpu", "ld.acquire.gpu", "st.release.gpu", NULL, 2},
	{"acq_rel.sys", "ld.acquire.sys", "st.release.sys", NULL, 2},
	{"fence.acq_rel.cta", "ld.relaxed.gpu", "st.relaxed.gpu",
	    "fence.acq_rel.cta", 0},
	{"fence.acq_rel.gpu", "ld.relaxed.gpu", "st.relaxed.gpu",
	    "fence.acq_rel.gpu", 2},
	{"fence.sc.gpu", "ld.relaxed.gpu", "st.relaxed.gpu", "fence.sc.gpu",
	    3},
	{"fence.sc.sys", "ld.relaxed.gpu", "st.relaxed.gpu", "fence.sc.sys",
	    3},
};

static const char *const placements[] = {"", "+cta", "+warp", "+cluster"};

json_t *
sample_text(const char *s)
{
	struct arena *a = arena_new();
	json_t *j = json_string(text_clean(a, s, strlen(s)));

	arena_free(a);
	return j;
}

static json_t *
whole(double x)
{
	return json_integer((json_int_t)x);
}

/* "W2 x" as an instruction of the annotation. */
static const char *
instruction(const char *access, int annotation, int *reg, struct arena *a)
{
	const char *variable = strchr(access, ' ') + 1;
	int n = (int)strcspn(variable, "|");

	if (*access == 'R')
		return arena_printf(a, "%s.u32 r%d, [%.*s];",
		    annotations[annotation].load, (*reg)++, n, variable);
	return arena_printf(a, "%s.u32 [%.*s], %c;",
	    annotations[annotation].store, n, variable,
	    access[1] == '2' ? '2' : '1');
}

static json_t *
thread_code(const char *thread, int annotation, struct arena *a)
{
	json_t *list = json_array();
	const char *fence = annotations[annotation].fence, *bar;
	int reg = 0;

	json_array_append_new(list, sample_text(instruction(thread, annotation,
	    &reg, a)));
	bar = strchr(thread, '|');
	if (bar && fence)
		json_array_append_new(list, sample_text(arena_printf(a, "%s;",
		    fence)));
	if (bar)
		json_array_append_new(list, sample_text(instruction(bar + 1,
		    annotation, &reg, a)));
	return list;
}

static json_t *
threads(int shape, int annotation, int placement, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < 4 && shapes[shape].threads[i]; i++)
		json_array_append_new(list, json_pack("{s:o, s:o}", "place",
		    sample_text(arena_printf(a, "gpu 0, cluster 0, cta %d",
		    placement ? 0 : i)), "code", thread_code(
		    shapes[shape].threads[i], annotation, a)));
	return list;
}

static json_t *
values(int n, int code)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_integer(code >> i & 1));
	return list;
}

static json_t *
row(int n, int code, double count, const char *class, bool target)
{
	return json_pack("{s:o, s:o, s:s, s:b}", "values", values(n, code),
	    "count", whole(count), "class", class, "target", (int)target);
}

/* A draw of a normal deviate: Box and Muller. */
double
sample_normal(struct draw *d)
{
	double u = 1 - draw_unit(d), v = draw_unit(d);

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Of a Poisson count with this mean, near enough. */
static double
draw_count(struct draw *d, double mean)
{
	double limit = exp(-mean), product = 1;
	int n = -1;

	if (mean > 50)
		return fmax(0, floor(mean + sqrt(mean) * sample_normal(d) +
		    0.5));
	do {
		product *= draw_unit(d);
		n++;
	} while (product > limit);
	return n;
}

struct made {
	int shape, annotation, placement, index;
	double instances, hits;
	bool forbidden, hit; /* the target is; and yet it showed */
	struct draw draw;
};

static json_t *
histogram(struct made *m)
{
	json_t *list = json_array();
	int n = shapes[m->shape].slots, codes = 1 << n, i;
	double left = m->instances - m->hits;

	for (i = 0; i < codes - 1 && i < 5; i++) {
		double part = i == (codes < 6 ? codes : 6) - 2 ? left :
		    floor(left * (0.2 + 0.6 * draw_unit(&m->draw)));

		json_array_append_new(list, row(n, i, part, "sc", false));
		left -= part;
	}
	if (m->hits > 0)
		json_array_append_new(list, row(n, codes - 1, m->hits,
		    m->forbidden ? "forbidden" : "weak", true));
	return list;
}

static json_t *
environments(struct made *m)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < 3; i++)
		json_array_append_new(list, json_pack("{s:{s:i, s:i, s:i, "
		    "s:i, s:i, s:i}, s:o, s:o, s:f}", "env", "block",
		    32 << draw_below(&m->draw, 5), "blocks", 8448, "shuffle",
		    (int)draw_below(&m->draw, 2), "stride", 4 << i, "stress",
		    i, "delay", (int)draw_below(&m->draw, 1000), "instances",
		    whole(m->instances / 3), "hits", whole(m->hits / 3),
		    "seconds", m->instances / 9e10));
	return list;
}

static json_t *
evidence(struct made *m, double rate, struct arena *a)
{
	json_t *twins = json_array();
	double hits = draw_count(&m->draw, rate * m->instances);
	json_t *bound = m->hits > 0 ? json_null() :
	    json_real(-expm1(log(0.05) / m->instances));

	if (m->forbidden)
		json_array_append_new(twins, json_pack(
		    "{s:o, s:o, s:o, s:o}", "name", sample_text(arena_printf(a,
		    "%s+%s~1", shapes[m->shape].family,
		    annotations[m->annotation].name)), "what",
		    sample_text("P0 line 4: fence.sc.gpu -> fence.acq_rel.gpu"),
		    "hits", whole(hits), "instances", whole(m->instances)));
	return json_pack("{s:o, s:f, s:o, s:f, s:f, s:o, s:s}",
	    "target_hits", whole(m->hits), "rate", m->hits * 9e10 /
	    m->instances, "bound95", bound, "reproducibility",
	    -expm1(-m->hits), "drift", 0.04, "twins", twins, "strength",
	    m->hits > 0 ? "seen" : m->forbidden && hits == 0 ?
	    "no-evidence" : "bounded");
}

static json_t *
slots(int shape, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < shapes[shape].slots; i++)
		json_array_append_new(list, sample_text(arena_printf(a, "%d:r%d",
		    i / 2 + 1, i % 2)));
	return list;
}

static json_t *
execution(struct made *m)
{
	json_t *events = json_array(), *edges = json_array();
	int i, n = 0, first[4];
	const char *bar;

	for (i = 0; i < 4 && shapes[m->shape].threads[i]; i++) {
		const char *thread = shapes[m->shape].threads[i];

		first[i] = n;
		json_array_append_new(events, json_pack("{s:i, s:s%, s:i}",
		    "thread", i, "text", thread, strcspn(thread, "|"),
		    "line", 0));
		n++;
		bar = strchr(thread, '|');
		if (!bar)
			continue;
		json_array_append_new(events, json_pack("{s:i, s:s, s:i}",
		    "thread", i, "text", bar + 1, "line", 1));
		json_array_append_new(edges, json_pack("{s:i, s:i, s:s}",
		    "from", n - 1, "to", n, "relation", "po"));
		n++;
	}
	for (i = 1; i < 4 && shapes[m->shape].threads[i]; i++)
		json_array_append_new(edges, json_pack("{s:i, s:i, s:s}",
		    "from", first[i] - 1, "to", first[i], "relation", "rf"));
	json_array_append_new(edges, json_pack("{s:i, s:i, s:s}", "from",
	    n - 1, "to", 0, "relation", "fr"));
	return json_pack("{s:o, s:o, s:o}", "values",
	    values(shapes[m->shape].slots, (1 << shapes[m->shape].slots) - 1),
	    "events", events, "edges", edges);
}

static const char *
source_text(struct made *m, struct arena *a)
{
	return arena_printf(a, "name: %s\nlocations: {x: 0, y: 0}\n"
	    "threads:\n  - cta: 0\n    code: |\n      %s.u32 [x], 1;\n"
	    "      %s.u32 [y], 1;\n  - cta: 1\n    code: |\n"
	    "      %s.u32 r0, [y];\n      %s.u32 r1, [x];\n"
	    "exists: %s\nexpect: %s\n", shapes[m->shape].family,
	    annotations[m->annotation].store,
	    annotations[m->annotation].store,
	    annotations[m->annotation].load, annotations[m->annotation].load,
	    shapes[m->shape].condition,
	    m->forbidden ? "forbidden" : "allowed");
}

static void
describe(json_t *t, const struct sample *s, struct made *m, struct arena *a)
{
	const char *family = shapes[m->shape].family;
	int turn = m->index / (COUNT(shapes) * COUNT(annotations) *
	    COUNT(placements));
	const char *variant = arena_printf(a, "%s%s",
	    annotations[m->annotation].name, placements[m->placement]);

	if (turn)
		variant = arena_printf(a, "%s+n%d", variant, turn);
	if (s->hostile)
		variant = arena_printf(a, "%s%s", variant, sample_hostile);
	json_object_set_new(t, "name", sample_text(arena_printf(a, "%s+%s", family,
	    variant)));
	json_object_set_new(t, "family", sample_text(s->hostile ? sample_hostile :
	    family));
	json_object_set_new(t, "variant", sample_text(variant));
	json_object_set_new(t, "about", sample_text(s->hostile ? sample_hostile :
	    "Can the reader see the flag and miss the data?"));
	json_object_set_new(t, "file", sample_text(s->hostile ? sample_hostile :
	    arena_printf(a, "litmus/%s/%s.yaml", family, family)));
	json_object_set_new(t, "line", json_integer(10 + m->annotation));
	json_object_set_new(t, "source_hash", json_sprintf("%016" PRIx64,
	    (uint64_t)m->index * 0x9e3779b97f4a7c15u));
	json_object_set_new(t, "tags", json_pack("[s, s]", "core",
	    m->placement ? "intra" : "inter"));
	json_object_set_new(t, "placement", sample_text(m->placement ?
	    "0: gpu 0, cluster 0, cta 0; 1: gpu 0, cluster 0, cta 0" :
	    "0: gpu 0, cluster 0, cta 0; 1: gpu 0, cluster 0, cta 1"));
	json_object_set_new(t, "condition", sample_text(s->hostile ?
	    sample_hostile : shapes[m->shape].condition));
	json_object_set_new(t, "quantifier", json_string("exists"));
	json_object_set_new(t, "slots", slots(m->shape, a));
	json_object_set_new(t, "threads", threads(m->shape, m->annotation,
	    m->placement, a));
	json_object_set_new(t, "locations", json_pack("[s, s]",
	    ".global.u32 x = 0", ".global.u32 y = 0"));
	json_object_set_new(t, "source", sample_text(source_text(m, a)));
}

/* What the run saw: made up from the shape's rate and the annotation. */
static double
fate(const struct sample *s, struct made *m)
{
	int strength = annotations[m->annotation].strength;
	bool fenced = strength == 3 || (strength == 2 && m->shape % 3 != 1);
	double rate = shapes[m->shape].rate *
	    (m->placement ? m->placement == 2 ? 0 : 1e-7 : 1) *
	    (s->faster > 0 ? s->faster : 1) *
	    exp(s->noise * sample_normal(&m->draw));

	m->forbidden = fenced;
	m->instances = 3e6 * floor(100 + 50 * draw_unit(&m->draw));
	m->hits = fenced ? 0 : draw_count(&m->draw, rate * m->instances);
	if (m->hits > m->instances)
		m->hits = m->instances;
	return rate;
}

json_t *
sample_test(const struct sample *s, int index, int device, int *hits,
    struct arena *a)
{
	int n = COUNT(shapes), k = COUNT(annotations);
	struct made m = {.shape = index % n, .annotation = index / n % k,
	    .placement = index / n / k % COUNT(placements), .index = index,
	    .draw = {s->seed, (uint64_t)index * 16 + (uint64_t)device, 0}};
	double rate = fate(s, &m);
	json_t *t = json_object();
	bool absent = m.placement == 3 && m.shape == 9; /* cannot run */
	const char *verdict;

	if (m.forbidden && *hits > 0) {
		m.hit = true;
		m.hits = 3;
		(*hits)--;
	}
	if (absent)
		m.instances = m.hits = 0;
	verdict = absent ? "not-run" : m.hit ? "forbidden" : "pass";
	describe(t, s, &m, a);
	json_object_set_new(t, "device", json_integer(device));
	json_object_set_new(t, "assembler", json_string(s->sim ? "sim" :
	    "driver JIT 13.0"));
	json_object_set_new(t, "verdict", json_string(verdict));
	if (m.hit || absent)
		json_object_set_new(t, "message", sample_text(s->hostile ?
		    sample_hostile : absent ?
		    "needs clusters of 4, the device has 1" :
		    "the model forbids what 3 instances showed"));
	json_object_set_new(t, "expect", json_string(m.forbidden ?
	    "forbidden" : "allowed"));
	json_object_set_new(t, "answer", json_string(m.forbidden ?
	    "forbidden" : "allowed"));
	json_object_set_new(t, "instances", whole(m.instances));
	json_object_set_new(t, "launches", json_integer(absent ? 0 : 300));
	json_object_set_new(t, "seconds", json_real(m.instances / 9e10));
	json_object_set_new(t, "histogram", absent ? json_array() :
	    histogram(&m));
	json_object_set_new(t, "unseen", json_array());
	if (!m.forbidden && m.hits == 0)
		json_array_append_new(json_object_get(t, "unseen"), json_pack(
		    "{s:o, s:s, s:b}", "values", values(shapes[m.shape].slots,
		    (1 << shapes[m.shape].slots) - 1), "class", "weak",
		    "target", 1));
	json_object_set_new(t, "other", json_integer(0));
	json_object_set_new(t, "hang", json_integer(0));
	if (!absent)
		json_object_set_new(t, "evidence", evidence(&m, rate, a));
	json_object_set_new(t, "environments", environments(&m));
	json_object_set_new(t, "machine_code", json_pack("{s:s, s:s}",
	    "status", "checked", "detail", s->hostile ? "&<>" :
	    "4 of 4 instructions, in order"));
	if (m.hits > 0)
		json_object_set_new(t, "execution", execution(&m));
	json_object_set_new(t, "replay", sample_text(arena_printf(a,
	    "fencepost run --seed %" PRIu64 " --filter '%s' litmus/",
	    s->seed, json_string_value(json_object_get(t, "name")))));
	return t;
}
