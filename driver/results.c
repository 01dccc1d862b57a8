#include "driver.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Names and logs come from outside: they are cleaned here, once. */
static json_t *
string(struct arena *a, const char *s)
{
	return json_string(text_clean(a, s ? s : "", s ? strlen(s) : 0));
}

static json_t *
hex64(uint64_t x)
{
	return json_sprintf("%016" PRIx64, x);
}

static json_t *
integer(uint64_t x)
{
	return json_integer((json_int_t)x);
}

static void
set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* ---- one test ---------------------------------------------------------- */

static json_t *
state_values(const struct program *p, uint32_t code)
{
	uint64_t values[SLOTS_MAX];
	json_t *list = json_array();
	int i;

	outcome_values(p, code, values);
	for (i = 0; i < p->nslots; i++)
		json_array_append_new(list, integer(values[i]));
	return list;
}

static json_t *
states(const struct program *p, const struct state *s, uint32_t n, bool count)
{
	json_t *list = json_array();
	uint32_t i;

	for (i = 0; i < n; i++) {
		json_t *o = json_object();

		set(o, "values", state_values(p, s[i].code));
		if (count)
			set(o, "count", integer(s[i].count));
		set(o, "class", json_string(row_classes[s[i].class]));
		set(o, "target", json_boolean(s[i].target));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
slots(const struct program *p, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < p->nslots; i++)
		json_array_append_new(list, string(a, p->slots[i].name));
	return list;
}

static json_t *
tags(const struct program *p, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < p->ntags; i++)
		json_array_append_new(list, string(a, p->tags[i]));
	return list;
}

static const char *
place(const struct thread *t, struct arena *a)
{
	if (t->warp == WARP_ANY)
		return arena_printf(a, "gpu %d, cluster %d, cta %d", t->gpu,
		    t->cluster, t->cta);
	return arena_printf(a, "gpu %d, cluster %d, cta %d, warp %d", t->gpu,
	    t->cluster, t->cta, t->warp);
}

static const char *
placement(const struct program *p, struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < p->nthreads; i++)
		text_printf(&t, "%s%d: %s", i ? "; " : "", i,
		    place(&p->threads[i], a));
	return t.s;
}

static json_t *
thread_code(const struct program *p, int thread, struct arena *a)
{
	const struct thread *t = &p->threads[thread];
	json_t *list = json_array();
	int i, j;

	for (i = 0; i <= t->ninsns; i++) {
		struct text line;

		for (j = 0; j < t->nlabels; j++)
			if (t->labels[j].insn == i)
				json_array_append_new(list, string(a,
				    arena_printf(a, "%s:", t->labels[j].name)));
		if (i == t->ninsns)
			break;
		text_init(&line, a);
		insn_print(&line, p, thread, &t->insns[i]);
		json_array_append_new(list, string(a, line.s));
	}
	return list;
}

static json_t *
threads(const struct program *p, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < p->nthreads; i++) {
		json_t *o = json_object();

		set(o, "place", string(a, place(&p->threads[i], a)));
		set(o, "code", thread_code(p, i, a));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
locations(const struct program *p, struct arena *a)
{
	json_t *list = json_array();
	int i, j;

	for (i = 0; i < p->nvars; i++) {
		const struct var *v = &p->vars[i];
		struct text t;

		text_init(&t, a);
		text_printf(&t, ".%s.%s %s", space_name(v->space),
		    type_name(v->type), v->name);
		if (v->count > 1)
			text_printf(&t, "[%d]", v->count);
		if (v->alias_of >= 0)
			text_printf(&t, " = %s", p->vars[v->alias_of].name);
		for (j = 0; v->alias_of < 0 && j < v->count; j++)
			text_printf(&t, "%s %" PRIu64, j ? "," : " =",
			    v->init[j]);
		json_array_append_new(list, string(a, t.s));
	}
	return list;
}

/* A number, or its spelling: the nth of "none load store". */
static json_t *
env_value(int value, int low, const char *names)
{
	int skip;

	if (!*names)
		return json_integer(value);
	for (skip = value - low; skip > 0; skip--)
		names += strcspn(names, " ") + 1;
	return json_stringn(names, strcspn(names, " "));
}

/* Only what differs from the fallbacks, as an environment file has it. */
static json_t *
env_object(const struct env *e, struct arena *a)
{
	json_t *o = json_object();

	if (e->name)
		set(o, "name", string(a, e->name));
#define ENV(type, field, low, high, fallback, names, help)                     \
	if (e->field != (fallback))                                            \
		set(o, #field, env_value(e->field, low, names));
#include "../gen/env.def"
#undef ENV
	return o;
}

static json_t *
environments(const struct env_tally *envs, int n, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < n; i++) {
		const struct env_tally *e = &envs[i];
		json_t *o = json_object();

		set(o, "env", env_object(e->env, a));
		set(o, "instances", integer(e->instances));
		set(o, "hits", integer(e->hits));
		set(o, "seconds", json_real(e->seconds));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
twins(const struct result *r, struct arena *a)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < r->ntwins; i++) {
		const struct twin_tally *t = &r->twins[i];
		json_t *o = json_object();

		set(o, "name", string(a, t->name));
		set(o, "what", string(a, t->what));
		set(o, "hits", integer(t->hits));
		set(o, "instances", integer(t->instances));
		set(o, "rate", json_real(t->rate));
		if (t->nenvs)
			set(o, "environments", environments(t->envs,
			    t->nenvs, a));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
evidence(const struct result *r, struct arena *a)
{
	const struct judgement *j = r->judgement;
	json_t *o = json_object();
	bool drift = r->tally && r->tally->drift >= 0;
	bool dispersion = r->tally && r->tally->dispersion >= 0;

	set(o, "target_hits", integer(j->target_hits));
	set(o, "rate", json_real(j->rate));
	set(o, "bound95", j->bound95 < 0 ? json_null() :
	    json_real(j->bound95));
	set(o, "reproducibility",
	    json_real(reproducibility(j->target_hits)));
	set(o, "drift", drift ? json_real(r->tally->drift) : json_null());
	set(o, "dispersion", dispersion ?
	    json_real(r->tally->dispersion) : json_null());
	set(o, "twins", twins(r, a));
	set(o, "strength", json_string(strengths[j->strength]));
	return o;
}

static void
describe(json_t *o, const struct program *p, struct arena *a)
{
	struct text yaml;

	set(o, "name", string(a, p->name));
	set(o, "family", string(a, p->family));
	set(o, "variant", string(a, p->variant));
	set(o, "about", string(a, p->about));
	set(o, "file", string(a, p->loc.source));
	set(o, "line", json_integer(p->loc.line));
	set(o, "source_hash", hex64(p->hash));
	set(o, "tags", tags(p, a));
	set(o, "placement", string(a, placement(p, a)));
	set(o, "expect", json_string(expect_name(p->expect)));
	set(o, "quantifier", json_string(quantifier_name(p->quant)));
	set(o, "condition", string(a, p->cond_text));
	set(o, "slots", slots(p, a));
	set(o, "threads", threads(p, a));
	set(o, "locations", locations(p, a));
	text_init(&yaml, a);
	write_yaml(&yaml, p);
	set(o, "source", string(a, yaml.s));
}

static void
describe_tally(json_t *o, const struct result *r)
{
	const struct judgement *j = r->judgement;
	static const struct tally none;
	const struct tally *t = r->tally ? r->tally : &none;

	set(o, "instances", integer(t->instances));
	set(o, "launches", integer(t->launches));
	set(o, "seconds", json_real(t->seconds));
	set(o, "histogram", states(r->program, j->seen, j->nseen, true));
	set(o, "unseen", states(r->program, j->unseen, j->nunseen, false));
	set(o, "other", integer(t->other));
	set(o, "hang", integer(t->hang));
}

json_t *
results_test(const struct result *r, struct arena *a)
{
	const struct judgement *j = r->judgement;
	json_t *o = json_object(), *code = json_object();

	describe(o, r->program, a);
	set(o, "device", json_integer(r->device));
	set(o, "assembler", string(a, r->assembler));
	set(o, "verdict", json_string(verdicts[j->verdict].name));
	if (j->verdict != VERDICT_PASS)
		set(o, "message", string(a, j->message));
	set(o, "answer", json_string(doc_answers[j->answer]));
	if (j->answer == ANSWER_NONE && j->reason)
		set(o, "reason", string(a, j->reason));
	if (j->note)
		set(o, "note", string(a, j->note));
	describe_tally(o, r);
	set(o, "evidence", evidence(r, a));
	set(o, "environments", environments(r->envs, r->nenvs, a));
	set(code, "status", json_string(code_statuses[r->code]));
	if (r->code_detail)
		set(code, "detail", string(a, r->code_detail));
	set(o, "machine_code", code);
	set(o, "replay", string(a, r->replay));
	if (r->explain)
		why_add(o, r->program, r->model, r->explained,
		    r->explain_allowed, a);
	return o;
}

/* ---- the document ------------------------------------------------------ */

static json_t *
yes_no(int x)
{
	return x < 0 ? json_null() : json_boolean(x);
}

static json_t *
device_object(const struct device_info *d, struct arena *a)
{
	json_t *o = json_object();

	set(o, "index", json_integer(d->index));
	set(o, "kind", string(a, d->kind));
	set(o, "name", string(a, d->name));
	set(o, "uuid", string(a, d->uuid));
	set(o, "sm", json_integer(d->caps.sm));
	set(o, "processors", json_integer(d->caps.processors));
	set(o, "memory", integer(d->caps.memory));
	set(o, "driver", string(a, d->driver));
	if (*d->driver_version)
		set(o, "driver_version", string(a, d->driver_version));
	set(o, "toolkit", string(a, d->toolkit));
	set(o, "clock_khz", json_integer(d->clock_khz));
	set(o, "memory_clock_khz", json_integer(d->memory_clock_khz));
	set(o, "mig", yes_no(d->mig));
	set(o, "mps", yes_no(d->mps));
	return o;
}

static json_t *
command(const struct run_info *info, struct arena *a)
{
	json_t *list = json_array();
	int i;

	json_array_append_new(list, json_string("fencepost"));
	for (i = 0; i < info->argc; i++)
		json_array_append_new(list, string(a, info->argv[i]));
	return list;
}

static bool
on_hardware(const struct run_info *info)
{
	int i;

	for (i = 0; i < info->ndevices; i++)
		if (strcmp(info->devices[i].kind, "sim") == 0)
			return false;
	return info->ndevices > 0;
}

static json_t *
shard(const struct run_info *info)
{
	json_t *o = json_object();

	set(o, "index", json_integer(info->shard));
	set(o, "count", json_integer(info->shards));
	set(o, "selected", json_integer(info->selected));
	set(o, "suite_hash", hex64(info->suite_hash));
	return o;
}

const char *
utc_now(struct arena *a)
{
	time_t now = time(NULL);
	struct tm tm;
	char s[32];

	gmtime_r(&now, &tm);
	strftime(s, sizeof(s), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return arena_strdup(a, s);
}

json_t *
results_document(const struct run_info *info, bool complete, double wall,
    json_t *tests)
{
	struct arena *a = arena_new();
	json_t *o = json_object(), *tool = json_object();
	json_t *devices = json_array();
	struct err err;
	bool ok;
	int i;

	set(tool, "name", json_string("fencepost"));
	set(tool, "version", json_string(VERSION));
	for (i = 0; i < info->ndevices; i++)
		json_array_append_new(devices,
		    device_object(&info->devices[i], a));
	set(o, "format", json_string("fencepost-results"));
	set(o, "version", json_integer(1));
	set(o, "tool", tool);
	set(o, "command", command(info, a));
	set(o, "seed", hex64(info->seed));
	set(o, "started", json_string(info->started));
	set(o, "wall_seconds", json_real(wall));
	set(o, "hardware", json_boolean(on_hardware(info)));
	set(o, "complete", json_boolean(complete));
	set(o, "shard", shard(info));
	set(o, "devices", devices);
	set(o, "model", json_string(model_version_name(info->model)));
	if (info->level)
		set(o, "level", json_integer(info->level));
	json_object_set(o, "tests", tests);
	set(o, "primitives", json_array());
	ok = document_summary(o, &err);
	assert(ok);
	arena_free(a);
	return o;
}

/* A reader never sees half a document. */
bool
results_write(const json_t *document, const char *path, struct err *err)
{
	size_t flags = JSON_INDENT(1) | JSON_ENSURE_ASCII;
	struct arena *a = arena_new();
	struct output out;
	bool ok = output_open(&out, path, a, err);

	if (ok) {
		/* what fails stays in the stream's error flag */
		json_dumpf(document, out.f, flags);
		fputc('\n', out.f);
		ok = output_close(&out, err);
	}
	arena_free(a);
	return ok;
}
