/*
 * JUnit XML, in the dialect that Jenkins, GitLab, Buildkite and GitHub's
 * actions read: testsuites > testsuite (a device) > testcase.
 */
#include "reports.h"

#include <inttypes.h>
#include <mxml.h>
#include <stdlib.h>
#include <string.h>

static void
set_count(mxml_node_t *node, const char *name, uint64_t n)
{
	mxmlElementSetAttrf(node, name, "%" PRIu64, n);
}

static void
set_seconds(mxml_node_t *node, double seconds)
{
	mxmlElementSetAttrf(node, "time", "%.3f", seconds > 0 ? seconds : 0);
}

/* What `print` writes, as the text of a new element. */
static void
add_text(mxml_node_t *parent, const char *name,
    void (*print)(FILE *f, const struct doc_test *t),
    const struct doc_test *t)
{
	char *s = NULL;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	if (!f)
		return;
	print(f, t);
	fclose(f);
	mxmlNewOpaque(mxmlNewElement(parent, name), s);
	free(s);
}

static void
add_problem(mxml_node_t *testcase, enum junit kind, const char *type,
    const char *message, const char *details)
{
	static const char *const names[] = {
		[JUNIT_FAILURE] = "failure", [JUNIT_ERROR] = "error",
		[JUNIT_SKIPPED] = "skipped",
	};
	mxml_node_t *node;

	if (kind == JUNIT_PASS)
		return;
	node = mxmlNewElement(testcase, names[kind]);
	mxmlElementSetAttr(node, "message", message);
	if (kind == JUNIT_SKIPPED)
		return;
	mxmlElementSetAttr(node, "type", type);
	if (details)
		mxmlNewOpaque(node, details);
}

static void
print_details(FILE *f, const struct doc_test *t)
{
	if (t->condition)
		fprintf(f, "%s\n", t->condition);
	if (t->note)
		fprintf(f, "Model: %s\n", t->note);
	histogram_print(f, t);
	if (t->replay)
		fprintf(f, "Replay: %s\n", t->replay);
}

static mxml_node_t *
add_case(mxml_node_t *suite, const char *class, const char *name,
    const char *file, uint64_t line, double seconds)
{
	mxml_node_t *testcase = mxmlNewElement(suite, "testcase");

	mxmlElementSetAttr(testcase, "classname", class);
	mxmlElementSetAttr(testcase, "name", name);
	if (file) {
		mxmlElementSetAttr(testcase, "file", file);
		set_count(testcase, "line", line);
	}
	set_seconds(testcase, seconds);
	return testcase;
}

static void
add_test(mxml_node_t *suite, const struct document *d,
    const struct doc_test *t, struct arena *a)
{
	mxml_node_t *node = add_case(suite, t->family, test_label(d, t, a),
	    t->file, t->line, t->seconds);

	add_problem(node, test_kind(t), verdicts[t->verdict].name,
	    t->pardon ? arena_printf(a, "quarantined until %s (%s): %s",
	    t->pardon->until, t->pardon->reason, test_message(t)) :
	    test_message(t), t->explanation);
	if (t->verdict != VERDICT_NOT_RUN)
		add_text(node, "system-out", print_details, t);
}

static const enum junit prim_junit[] = {
	[PRIM_PASS] = JUNIT_PASS,
	[PRIM_BROKEN] = JUNIT_FAILURE,
	[PRIM_NOT_CAUGHT] = JUNIT_FAILURE,
	[PRIM_NOT_CAUGHT_HERE] = JUNIT_SKIPPED,
	[PRIM_MEASURED] = JUNIT_SKIPPED,
	[PRIM_NOT_RUN] = JUNIT_SKIPPED,
};

static void
add_primitive(mxml_node_t *suite, const struct document *d,
    const struct doc_primitive *p, struct arena *a)
{
	const char *name = d->ndevices < 2 ? p->name : arena_printf(a,
	    "%s [%s %" PRId64 "]", p->name, d->devices[p->device].name,
	    d->devices[p->device].index);
	mxml_node_t *node = add_case(suite, arena_printf(a, "primitive.%s",
	    p->group), name, p->file, p->line, p->seconds);
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < p->nfindings; i++)
		text_printf(&t, "%s: %" PRIu64 " time%s, first in round %"
		    PRIu64 "%s%s\n", p->findings[i].kind,
		    p->findings[i].count, plural(p->findings[i].count),
		    p->findings[i].round,
		    p->findings[i].detail ? ": " : "",
		    p->findings[i].detail ? p->findings[i].detail : "");
	add_problem(node, prim_junit[p->verdict], prim_verdicts[p->verdict],
	    p->message ? p->message : prim_verdicts[p->verdict], t.s);
}

static void
add_properties(mxml_node_t *suite, const struct document *d,
    const struct doc_device *device, struct arena *a)
{
	const struct { const char *name, *value; } list[] = {
		{"device", device->name}, {"uuid", device->uuid},
		{"sm", arena_printf(a, "%" PRId64, device->sm)},
		{"driver", driver_label(device, a)},
		{"toolkit", device->toolkit},
		{"hardware", d->hardware ? "yes" : sim_notice},
		{"seed", arena_printf(a, "%016" PRIx64, d->seed)},
		{"model", doc_models[d->model]},
		{"complete", d->complete ? "yes" : "no"},
		{"command", shell_command(d, a)},
	};
	mxml_node_t *all = mxmlNewElement(suite, "properties");
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(*list); i++) {
		mxml_node_t *one = mxmlNewElement(all, "property");

		mxmlElementSetAttr(one, "name", list[i].name);
		mxmlElementSetAttr(one, "value", list[i].value);
	}
}

struct totals {
	uint64_t tests, by_kind[4];
	double seconds;
};

static void
set_totals(mxml_node_t *node, const struct totals *t)
{
	set_count(node, "tests", t->tests);
	set_count(node, "failures", t->by_kind[JUNIT_FAILURE]);
	set_count(node, "errors", t->by_kind[JUNIT_ERROR]);
	set_count(node, "skipped", t->by_kind[JUNIT_SKIPPED]);
	set_seconds(node, t->seconds);
}

static void
count_case(struct totals *t, enum junit kind, double seconds)
{
	t->tests++;
	t->by_kind[kind]++;
	t->seconds += seconds > 0 ? seconds : 0;
}

static void
add_suite(mxml_node_t *root, const struct document *d, int device,
    struct totals *all, struct arena *a)
{
	const struct doc_device *info = &d->devices[device];
	mxml_node_t *suite = mxmlNewElement(root, "testsuite");
	struct totals sum = {0};
	int i;

	mxmlElementSetAttr(suite, "name", device_label(info, a));
	mxmlElementSetAttrf(suite, "timestamp", "%.19s", d->started);
	mxmlElementSetAttr(suite, "hostname", info->host ? info->host :
	    "localhost");
	add_properties(suite, d, info, a);
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (t->device != (uint64_t)device)
			continue;
		count_case(&sum, test_kind(t), t->seconds);
		add_test(suite, d, t, a);
	}
	for (i = 0; i < d->nprimitives; i++) {
		const struct doc_primitive *p = &d->primitives[i];

		if (p->device != (uint64_t)device)
			continue;
		count_case(&sum, prim_junit[p->verdict], p->seconds);
		add_primitive(suite, d, p, a);
	}
	set_totals(suite, &sum);
	for (i = 0; i < 4; i++)
		all->by_kind[i] += sum.by_kind[i];
	all->tests += sum.tests;
	all->seconds += sum.seconds;
}

/* A line an element, but nothing added where text is. */
static const char *
space(mxml_node_t *node, int where)
{
	bool leaf = !mxmlGetFirstChild(node) ||
	    mxmlGetType(mxmlGetFirstChild(node)) == MXML_OPAQUE;

	if (where == MXML_WS_AFTER_OPEN && !leaf)
		return "\n";
	return where == MXML_WS_AFTER_CLOSE ||
	    (where == MXML_WS_AFTER_OPEN && !mxmlGetFirstChild(node)) ?
	    "\n" : NULL;
}

void
junit_write(FILE *f, const struct document *d)
{
	struct arena *a = arena_new();
	mxml_node_t *xml = mxmlNewXML("1.0");
	mxml_node_t *root = mxmlNewElement(xml, "testsuites");
	struct totals all = {0};
	int i;

	mxmlElementSetAttr(root, "name", d->hardware ? "fencepost" :
	    "fencepost (software PTX machine, no GPU)");
	for (i = 0; i < d->ndevices; i++)
		add_suite(root, d, i, &all, a);
	set_totals(root, &all);
	mxmlSetWrapMargin(0);
	mxmlSaveFile(xml, f, space);
	mxmlDelete(xml);
	arena_free(a);
}
