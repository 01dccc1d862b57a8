#include "help_sample_made.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char sample_hostile[] = "</script><svg onload=x>&amp;]]>\"'`|"
    "%0A::error::\\$(id)\x01\x1b[31m\xc2\x85\xef\xbf\xbe{{x}}<!--";

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static json_t *
bench(const char *what, double median, int ctas, struct draw *d)
{
	double spread = 0.02 + 0.05 * draw_unit(d);

	return json_pack("{s:s, s:s, s:i, s:i, s:s, s:i, s:f, s:f, s:f, s:f, "
	    "s:f, s:f, s:f}", "what", what, "unit", "ns", "ctas", ctas,
	    "threads", 256, "scope", "gpu", "samples", 100000, "min",
	    median * (1 - 2 * spread), "p1", median * (1 - 1.6 * spread),
	    "p25", median * (1 - spread), "median", median, "p75",
	    median * (1 + spread), "p99", median * (1 + 4 * spread), "max",
	    median * (1 + 20 * spread));
}

static const struct {
	const char *name, *group, *twin_of, *flaw;
	double ns;
} primitives[] = {
	{"grid_cg", "grid barrier", NULL, NULL, 980},
	{"grid_generation", "grid barrier", NULL, NULL, 1310},
	{"grid_monotonic", "grid barrier", NULL, NULL, 830},
	{"grid_monotonic_relaxed", "grid barrier", "grid_monotonic",
	    "no release on arrival", 670},
	{"sentinel_volatile", "one way", NULL, NULL, 290},
	{"flag_acq_rel", "one way", NULL, NULL, 540},
	{"flag_fence", "one way", NULL, NULL, 790},
	{"flag_volatile", "one way", "flag_acq_rel", "volatile alone", 410},
	{"ticket_lock", "lock", NULL, NULL, 1900},
	{"ticket_lock_cta", "lock", "ticket_lock", "scope cta", 1500},
};

static json_t *
make_primitive(const struct sample *s, int index)
{
	int at = index % COUNT(primitives), turn = index / COUNT(primitives);
	bool twin = primitives[at].twin_of;
	struct draw d = {s->seed, 1000000 + (uint64_t)index, 0};
	json_t *p = json_object(), *costs = json_array();
	int ctas;

	json_object_set_new(p, "name", turn ? json_sprintf("%s_%d",
	    primitives[at].name, turn) : sample_text(primitives[at].name));
	json_object_set_new(p, "group", sample_text(s->hostile ? sample_hostile :
	    primitives[at].group));
	json_object_set_new(p, "device", json_integer(0));
	json_object_set_new(p, "verdict", json_string(at == 9 ?
	    "not-caught" : "pass"));
	json_object_set_new(p, "rounds", json_integer(1000000));
	json_object_set_new(p, "seconds", json_real(1.5));
	json_object_set_new(p, "findings", json_array());
	if (twin) {
		json_object_set_new(p, "twin_of", sample_text(
		    primitives[at].twin_of));
		json_object_set_new(p, "flaw", sample_text(primitives[at].flaw));
		json_object_set_new(p, "answer", json_string("allowed"));
	}
	if (twin && at != 9)
		json_array_append_new(json_object_get(p, "findings"),
		    json_pack("{s:s, s:i, s:i, s:s}", "kind", "stale",
		    "count", 4711, "round", 12, "detail",
		    "CTA 7 read 11, expected 12"));
	for (ctas = 33; ctas <= 132; ctas *= 2)
		json_array_append_new(costs, bench(at < 4 ? "latency" :
		    "one way", primitives[at].ns * (0.7 + ctas / 440.0) *
		    exp(0.01 * sample_normal(&d)), ctas, &d));
	json_object_set_new(p, "bench", costs);
	return p;
}

static json_t *
devices(const struct sample *s)
{
	json_t *list = json_array();
	const char *name = s->sim ? "software PTX machine (no GPU)" :
	    s->gpu ? s->gpu : "NVIDIA H200";
	int i;

	for (i = 0; i < (s->gpus ? s->gpus : 1); i++) {
		json_t *d = json_pack("{s:i, s:s, s:s, s:o, s:i, s:i, s:s, "
		    "s:s, s:i, s:n}", "index", i, "kind", s->sim ? "sim" :
		    "cuda", "name", name, "uuid", s->sim ?
		    json_sprintf("sim-%d", i) : json_sprintf(
		    "GPU-%016" PRIx64 "-%d", hash64(name, strlen(name), 0),
		    i), "sm", 90, "processors", 132, "driver", s->sim ? "" :
		    "CUDA 13.0", "toolkit",
		    s->sim ? "" : "nvdisasm 13.0.85",
		    "clock_khz", 1980000, "mps");

		json_object_set_new(d, "mig", json_false());
		if (!s->sim)
			json_object_set_new(d, "driver_version",
			    json_string("580.65.06"));
		json_array_append_new(list, d);
	}
	return list;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As the schema says: of the whole selection, before sharding. */
static uint64_t
hash_lines(const char **lines, int n, struct arena *a)
{
	struct text t;
	int i;

	qsort(lines, (size_t)n, sizeof(*lines), by_text);
	text_init(&t, a);
	for (i = 0; i < n; i++)
		text_printf(&t, "%s\n", lines[i]);
	return hash64(t.s, t.size, 0);
}

static bool
selected(const struct sample *s, int index)
{
	return !s->shards || index % s->shards == s->shard - 1;
}

json_t *
sample_json(const struct sample *s)
{
	struct arena *a = arena_new(), *kept = arena_new();
	json_t *root, *tests = json_array(), *prims = json_array();
	const char **lines = arena_alloc(kept, ((size_t)s->tests + 1) *
	    sizeof(*lines));
	int i, k, hits = s->forbidden, n = 0;
	struct err err;

	for (i = 0; i < s->tests; i++) {
		json_t *test;

		for (k = 0; k < (s->gpus ? s->gpus : 1); k++) {
			test = sample_test(s, i, k, &hits, a);
			lines[i] = arena_printf(kept, "%s %s",
			    json_string_value(json_object_get(test, "name")),
			    json_string_value(json_object_get(test,
			    "source_hash")));
			if (selected(s, i))
				json_array_append_new(tests, test);
			else
				json_decref(test);
		}
		n += selected(s, i);
		arena_reset(a);
	}
	for (i = 0; i < s->primitives; i++)
		if (selected(s, i))
			json_array_append_new(prims, make_primitive(s, i));
	root = json_pack("{s:s, s:i, s:{s:s, s:s}, s:[s, s, s], s:o, s:s, "
	    "s:f, s:b, s:b, s:{s:i, s:i, s:i, s:o}, s:o, s:s, s:o, s:o}",
	    "format", "fencepost-results", "version", 1, "tool", "name",
	    "fencepost", "version", "0.1.0", "command", "fencepost", "run",
	    "litmus/", "seed", json_sprintf("%016" PRIx64, s->seed),
	    "started", "2026-01-31T12:00:00Z", "wall_seconds", 61.5,
	    "hardware", !s->sim, "complete", 1, "shard", "index",
	    s->shards ? s->shard : 1, "count", s->shards ? s->shards : 1,
	    "selected", n, "suite_hash", json_sprintf("%016" PRIx64,
	    hash_lines(lines, s->tests, kept)), "devices", devices(s), "model", "ptx",
	    "tests", tests, "primitives", prims);
	ck_assert_ptr_nonnull(root);
	ck_assert_msg(document_summary(root, &err), "%s", err.message);
	arena_free(a);
	arena_free(kept);
	return root;
}

struct source
sample_source(const struct sample *s, struct arena *a)
{
	json_t *root = sample_json(s);
	char *json = json_dumps(root, JSON_INDENT(1));
	struct source source = {"sample.json", arena_strdup(a, json),
	    strlen(json)};

	free(json);
	json_decref(root);
	return source;
}

struct document
sample_document(const struct sample *s, struct arena *a)
{
	struct source source = sample_source(s, a);
	struct document d;
	struct err err;

	ck_assert_msg(document_read(&source, a, &d, &err), "%s", err.message);
	return d;
}
