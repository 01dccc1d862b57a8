/*
 * Validating a primitive: launches of drawn shapes and disturbances until
 * the time or the rounds are used up, or, for a twin, until it is caught.
 */
#include "primitive.h"

#include <inttypes.h>
#include <string.h>

#define LAUNCH_SECONDS 0.1 /* what a launch should take */
#define FIRST_ROUNDS 512
#define ROUNDS_MAX (1u << 22) /* a launch */
#define SIM_CTAS 6
#define SIM_THREADS 64
#define SIM_ROUNDS 8

static const char *const finding_names[FOUND_COUNT] = {
	[FOUND_STALE] = "stale", [FOUND_TORN] = "torn",
	[FOUND_LOST] = "lost", [FOUND_EARLY] = "early",
	[FOUND_OVERLAP] = "overlap", [FOUND_HANG] = "hang",
};

/* One primitive being validated. */
struct session {
	struct rig *rig;
	const struct primitive *primitive;
	struct module *module;
	const char *kernel;
	uint64_t stream; /* of its draws: a hash of its name */
	struct findings total; /* sums; the first of each finding */
	uint64_t rounds, launches;
	double seconds; /* device time */
	bool faulted;
	const char *replay;
};

/* ---- shapes ------------------------------------------------------------- */

static uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The software machine is given little to do. */
static void
shrink(struct shape *s)
{
	if (s->threads > SIM_THREADS)
		s->threads = SIM_THREADS;
	if (s->ctas > SIM_CTAS)
		s->ctas = SIM_CTAS;
	if (s->group > SIM_CTAS)
		s->group = SIM_CTAS / 2;
	if (s->cluster > SIM_CTAS)
		s->cluster = SIM_CTAS / 2;
}

/*
 * The shape with numbers in it: the user's in place of the entry's, so many
 * an SM counted out. More than can be resident at once is an error where
 * the number was asked for, and cut where it was ours.
 */
static bool
settle_shape(struct rig *r, struct module *m, const char *kernel,
    const struct shape *from, struct shape *s, uint32_t *room,
    struct err *err)
{
	const struct study *study = r->study;
	const struct caps *caps = &study->device->caps;
	bool asked = study->ctas != 0;

	*s = *from;
	if (s->cluster == 0)
		s->cluster = 1;
	if (s->per_sm)
		s->ctas = s->per_sm * (uint32_t)caps->processors;
	if (caps->sim)
		shrink(s);
	if (study->threads)
		s->threads = study->threads;
	if (asked)
		s->ctas = study->ctas;
	if (!rig_resident(r, m, kernel, s->threads, room, err))
		return false;
	if (asked && s->ctas > *room && !study->overcommit)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "%" PRIu32 " CTAs of %" PRIu32 " threads cannot be "
		    "resident at once on this device (at most %" PRIu32
		    "): the others would wait for ever", s->ctas, s->threads,
		    *room);
	if (!study->overcommit)
		s->ctas = least(s->ctas, *room);
	s->ctas -= s->ctas % s->cluster;
	if (s->ctas == 0)
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "no CTA of %" PRIu32 " threads in clusters of %" PRIu32
		    " fits on this device", s->threads, s->cluster);
	return true;
}

bool
rig_shape(struct rig *r, struct module *m, const char *kernel,
    const struct shape *from, struct shape *s, struct err *err)
{
	uint32_t room;

	return settle_shape(r, m, kernel, from, s, &room, err);
}

/* ---- draws -------------------------------------------------------------- */

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* How this launch is disturbed: half of them not at all, since traffic also
   hides things. */
static void
disturb(struct attempt *o, uint32_t room, uint32_t processors, struct draw *d)
{
	uint32_t units;

	o->args.switches = draw_below(d, 2) ? SWITCH_SHARED : 0;
	if (draw_below(d, 4) == 0)
		o->args.switches |= SWITCH_OWNER;
	if (draw_below(d, 2))
		o->args.delay = 1u << (3 + draw_below(d, 9));
	if (draw_below(d, 2)) {
		o->args.stress = 1 + draw_below(d, STRESS_ATOMIC);
		o->args.stress_mask = (1u << draw_below(d, 14)) - 1;
		o->extra = least(1 + draw_below(d, processors),
		    room > o->shape.ctas ? room - o->shape.ctas : 0);
		o->extra -= o->extra % o->shape.cluster;
	}
	units = (o->shape.ctas + o->extra) / o->shape.cluster;
	o->args.offset = draw_below(d, units);
	do
		o->args.stride = 1 + draw_below(d, units);
	while (gcd(o->args.stride, units) != 1);
}

static bool
draw_order(struct session *s, uint32_t rounds, struct attempt *o,
    struct err *err)
{
	const struct primitive *p = s->primitive;
	const struct study *study = s->rig->study;
	struct draw d = {study->seed, s->stream + s->launches, 0};
	const struct shape *from =
	    &p->shapes[s->launches % (uint64_t)p->nshapes];
	uint32_t room;

	memset(o, 0, sizeof(*o));
	o->kernel = s->kernel;
	o->stream = d.stream;
	if (!settle_shape(s->rig, s->module, s->kernel, from, &o->shape,
	    &room, err))
		return false;
	o->args.rounds = rounds;
	o->plain = study->overcommit || p->launches;
	if (p->launches) {
		o->repeat = rounds;
		o->args.stride = 1;
	} else {
		disturb(o, p->alone ? 0 : room,
		    (uint32_t)study->device->caps.processors, &d);
	}
	return true;
}

/* ---- findings ----------------------------------------------------------- */

static bool
found_any(const struct findings *r)
{
	int i;

	for (i = 0; i < FOUND_COUNT; i++)
		if (r->found[i])
			return true;
	return false;
}

static void
add_report(struct session *s, const struct findings *r)
{
	int i;

	for (i = 0; i < FOUND_COUNT; i++) {
		if (s->total.found[i] == 0)
			s->total.first[i] = r->first[i];
		s->total.found[i] += r->found[i];
	}
	s->total.crossings += r->crossings;
}

static json_t *
finding_json(enum finding kind, uint64_t count, const struct first *f)
{
	json_t *o = json_pack("{s:s, s:I, s:I}", "kind", finding_names[kind],
	    "count", (json_int_t)count, "round", (json_int_t)f->round);

	json_object_set_new(o, "detail", kind == FOUND_HANG ?
	    json_sprintf("CTA %" PRIu32 " thread %" PRIu32
	    " waited for ever", f->cta, f->thread) :
	    json_sprintf("CTA %" PRIu32 " thread %" PRIu32 " got %" PRIu64
	    " and not %" PRIu64, f->cta, f->thread, f->got, f->expected));
	return o;
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
			    &s->total.first[i]));
	if (fault)
		json_array_append_new(list, json_pack("{s:s, s:i, s:s}",
		    "kind", s->faulted ? "fault" : "hang", "count", 1,
		    "detail", fault));
	return list;
}

/* ---- the loop ----------------------------------------------------------- */

static uint32_t
next_rounds(const struct session *s, uint32_t rounds, double seconds)
{
	const struct study *study = s->rig->study;
	double more = seconds > 0 ? LAUNCH_SECONDS / seconds : 16;

	if (study->device->caps.sim)
		return SIM_ROUNDS;
	if (more > 16)
		more = 16;
	more *= (double)rounds;
	if (more < 64)
		return 64;
	return more > ROUNDS_MAX ? ROUNDS_MAX : (uint32_t)more;
}

static bool
enough(const struct session *s, double start)
{
	const struct study *study = s->rig->study;

	if (s->primitive->fails != FAILS_NOT && found_any(&s->total))
		return true;
	if (s->launches < (uint64_t)s->primitive->nshapes)
		return false; /* each shape at least once */
	if (study->rounds)
		return s->rounds >= study->rounds;
	return wall_clock() - start >= study->seconds;
}

/* False: something other than a finding stopped it. */
static bool
validate(struct session *s, struct err *err)
{
	uint32_t rounds = s->rig->study->device->caps.sim ? SIM_ROUNDS :
	    FIRST_ROUNDS;
	double start = wall_clock(), seconds = 0;
	struct findings report;
	struct attempt order;

	while (!enough(s, start)) {
		if (!draw_order(s, rounds, &order, err) ||
		    !rig_launch(s->rig, s->module, &order, &report, &seconds,
		    err))
			return false;
		add_report(s, &report);
		s->rounds += rounds;
		s->launches++;
		s->seconds += seconds;
		if (report.found[FOUND_HANG])
			break; /* seconds each; one is enough */
		rounds = next_rounds(s, rounds, seconds);
	}
	return true;
}

/* ---- the entry of the document ------------------------------------------ */

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

static void
set_verdict(const struct session *s, json_t *o, const char *fault)
{
	const struct primitive *p = s->primitive;
	bool found = fault || found_any(&s->total);

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

static void
not_run(json_t *o, const struct err *err, struct arena *a)
{
	json_object_set_new(o, "verdict", json_string("not-run"));
	set_text(o, "message", err->message, a);
}

/* A hang that no budget bounds, or a fault: the finding is the error. */
static bool
study_module(struct rig *r, struct session *s, struct arena *a, json_t *o)
{
	const struct primitive *p = s->primitive;
	struct err err = {0};

	if (r->study->validate && p->nshapes > 0 && !validate(s, &err)) {
		if (err.code != ERR_FAULT && err.code != ERR_HANG) {
			not_run(o, &err, a);
			return err.code != ERR_DEVICE;
		}
		s->faulted = err.code == ERR_FAULT;
		set_verdict(s, o, text_clean(a, err.message,
		    strlen(err.message)));
		return false;
	}
	if (r->study->validate && p->nshapes > 0)
		set_verdict(s, o, NULL);
	else if (p->nbenches > 0)
		json_object_set_new(o, "verdict", json_string("pass"));
	if (!r->study->bench || p->nbenches == 0 ||
	    rig_bench(r, s->module, p, a, o, &err))
		return true;
	set_text(o, "message", err.message, a);
	return err.code != ERR_FAULT && err.code != ERR_HANG;
}

bool
rig_study(struct rig *r, const struct primitive *p, struct arena *a,
    json_t **entry)
{
	struct session s = {
		.rig = r, .primitive = p,
		.kernel = arena_printf(a, "%s_validate", p->name),
		.stream = hash64(p->name, strlen(p->name), 0),
	};
	const struct study *study = r->study;
	struct err err = {0};
	const char *code;
	bool ok;

	*entry = primitive_entry(study, p, a);
	if (!primitive_code(p, study->device->caps.sm, a, &code, &err) ||
	    !r->ops->load(r->device, code, study->assembler, &s.module,
	    &err)) {
		not_run(*entry, &err, a);
		return true;
	}
	ok = study_module(r, &s, a, *entry);
	if (ok || r->ops == &sim_ops) /* a hung GPU would hang this too */
		r->ops->unload(r->device, s.module);
	return ok;
}
