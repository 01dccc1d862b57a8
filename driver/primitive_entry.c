/* What becomes of a primitive, as results documents have it. */
#include "primitive.h"

#include <inttypes.h>
#include <string.h>

const char no_time_left[] = "no time was left for it";

static const char *const finding_names[FOUND_COUNT] = {
	[FOUND_STALE] = "stale", [FOUND_TORN] = "torn",
	[FOUND_LOST] = "lost", [FOUND_EARLY] = "early",
	[FOUND_OVERLAP] = "overlap", [FOUND_HANG] = "hang",
};

bool
findings_any(const struct findings *r)
{
	int i;

	for (i = 0; i < FOUND_COUNT; i++)
		if (r->found[i])
			return true;
	return false;
}

static json_t *
finding_json(enum finding kind, uint64_t count, uint64_t round,
    const struct first *f)
{
	json_t *o = json_pack("{s:s, s:I, s:I}", "kind", finding_names[kind],
	    "count", (json_int_t)count, "round", (json_int_t)round);

	json_object_set_new(o, "detail", kind == FOUND_HANG ?
	    json_sprintf("CTA %" PRIu32 " thread %" PRIu32
	    " waited for ever", f->cta, f->thread) :
	    json_sprintf("CTA %" PRIu32 " thread %" PRIu32 " got %" PRIu64
	    " and not %" PRIu64, f->cta, f->thread, f->got, f->expected));
	return o;
}

/* What no kernel reported. */
static json_t *
fault_json(bool faulted, const char *detail)
{
	return json_pack("{s:s, s:i, s:s}", "kind", faulted ? "fault" :
	    "hang", "count", 1, "detail", detail);
}

static json_t *
findings_json(const struct session *s, const char *fault)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < FOUND_COUNT; i++)
		if (s->total.found[i])
			json_array_append_new(list, finding_json(
			    (enum finding)i, s->total.found[i],
			    s->round[i], &s->total.first[i]));
	if (fault)
		json_array_append_new(list, fault_json(s->faulted, fault));
	return list;
}

/* ---- the entry ---------------------------------------------------------- */

static void
set_text(json_t *o, const char *key, const char *s, struct arena *a)
{
	if (s)
		json_object_set_new(o, key,
		    json_string(text_clean(a, s, strlen(s))));
}

json_t *
primitive_entry(const struct study *study, const struct primitive *p,
    struct arena *a)
{
	json_t *o = json_pack("{s:i, s:s, s:i, s:[]}", "device",
	    study->device_number, "verdict", "not-run", "rounds", 0,
	    "findings");

	set_text(o, "name", p->name, a);
	set_text(o, "group", p->group, a);
	set_text(o, "about", p->about, a);
	set_text(o, "file", p->loc.source, a);
	json_object_set_new(o, "line", json_integer(p->loc.line));
	set_text(o, "twin_of", p->twin_of, a);
	set_text(o, "flaw", p->flaw, a);
	set_text(o, "litmus", p->litmus, a);
	json_object_set_new(o, "answer", json_string(!p->litmus ? "none" :
	    p->twin_of ? "allowed" : "forbidden"));
	json_object_set_new(o, "replay", json_sprintf("fencepost primitive "
	    "%s --seed 0x%" PRIx64, p->name, study->seed));
	return o;
}

static const char *
verdict_of(const struct primitive *p, bool found)
{
	if (p->fails == FAILS_NOT)
		return found ? "broken" : "pass";
	return found ? "pass" : p->fails == FAILS_MUST ? "not-caught" :
	    "not-caught-here";
}

void
entry_verdict(const struct session *s, json_t *o, const char *fault)
{
	const struct primitive *p = s->primitive;
	bool found = fault || findings_any(&s->total);

	json_object_set_new(o, "verdict", json_string(verdict_of(p, found)));
	json_object_set_new(o, "rounds", json_integer((json_int_t)s->rounds));
	json_object_set_new(o, "crossings",
	    json_integer((json_int_t)s->total.crossings));
	json_object_set_new(o, "launches",
	    json_integer((json_int_t)s->launches));
	json_object_set_new(o, "seconds", json_real(s->seconds));
	json_object_set_new(o, "findings", findings_json(s, fault));
	if (!found && p->fails == FAILS_MAY)
		json_object_set_new(o, "message", json_string(p->litmus ?
		    "the model allows it to fail; it did not on this device" :
		    "nothing promises that it works; it did on this device"));
	if (!found && p->fails == FAILS_MUST)
		json_object_set_new(o, "message",
		    json_string("it cannot work, and was not caught"));
}

void
entry_lost(const struct primitive *p, json_t *o, bool late)
{
	json_object_set_new(o, "verdict", json_string(verdict_of(p, true)));
	json_object_set_new(o, "findings", json_pack("[o]", fault_json(!late,
	    late ? "no end, and no answer" :
	    "it took the process with it")));
}

void
entry_not_run(json_t *o, const char *why, struct arena *a)
{
	json_object_set_new(o, "verdict", json_string("not-run"));
	set_text(o, "message", why, a);
}

void
entry_message(json_t *o, const char *message, struct arena *a)
{
	set_text(o, "message", message, a);
}

/* Of one that was only timed, if there is a figure. */
void
entry_measured(json_t *o)
{
	if (json_array_size(json_object_get(o, "bench")) == 0)
		return;
	json_object_set_new(o, "verdict", json_string("measured"));
	json_object_set_new(o, "message",
	    json_string("measured, not validated"));
}
