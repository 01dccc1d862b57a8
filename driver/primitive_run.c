/*
 * Validating a primitive: launches of drawn shapes and disturbances until
 * the time or the count is used up, or, for a twin, until it is caught.
 */
#include "primitive.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LAUNCH_SECONDS 0.1 /* what a launch should take */
#define FIRST_ROUNDS 512
#define LEAST_ROUNDS 64
#define ROUNDS_MAX (1u << 22) /* a launch */
#define FIRST_MAX (1u << 30) /* rounds that state may have behind it */
#define SIM_ROUNDS 8
#define ALIVE_SECONDS 0.25 /* between signs of life */

/* ---- how much ----------------------------------------------------------- */

static bool
counted(const struct study *study)
{
	return study->rounds || study->crossings;
}

/* Of what was asked for, by count. */
static double
part_done(const struct session *s)
{
	const struct study *study = s->rig->study;

	return study->rounds ? (double)s->rounds / (double)study->rounds :
	    (double)s->total.crossings / (double)study->crossings;
}

/* The parts that shapes have in a count: of rounds the same, of crossings by
   the CTAs that make them, which comes to the same rounds. */
static void
share_out(struct session *s)
{
	const struct primitive *p = s->primitive;
	struct shape shape;
	struct err err;
	double sum = 0;
	int i;

	for (i = 0; i < p->nshapes; i++) {
		s->tries[i].part = 1;
		if (s->rig->study->crossings && rig_shape(s->rig, s->module,
		    s->kernel, &p->shapes[i], &shape, &err))
			s->tries[i].part = shape.ctas;
		sum += s->tries[i].part;
	}
	for (i = 0; i < p->nshapes; i++)
		s->tries[i].part /= sum;
}

/* By time the shapes take turns; by count they come one after another, each
   for its part, so that state is carried on through all of that. */
static void
choose_shape(struct session *s)
{
	int n = s->primitive->nshapes, i;
	double parts = 0;

	if (!counted(s->rig->study)) {
		s->shape = (int)(s->launches % (uint64_t)n);
		return;
	}
	for (i = 0; i <= s->shape; i++)
		parts += s->tries[i].part;
	if (s->shape < n - 1 && s->tries[s->shape].launches > 0 &&
	    part_done(s) >= parts - 1e-9)
		s->shape++;
}

/* What is left of a count, in rounds. */
static double
rounds_left(const struct session *s)
{
	const struct study *study = s->rig->study;
	const struct try *t = &s->tries[s->shape];
	double left;

	if (study->rounds)
		return (double)study->rounds - (double)s->rounds;
	left = (double)study->crossings - (double)s->total.crossings;
	return t->crossings > 0 ? ceil(left * (double)t->rounds /
	    (double)t->crossings) : FIRST_ROUNDS;
}

/* So many that the launch takes its time, by the slowest of this shape, and
   ends before the time for all does. */
static uint32_t
next_rounds(const struct session *s)
{
	const struct try *t = &s->tries[s->shape];
	double room = fmin(LAUNCH_SECONDS, s->end - wall_clock()), rounds;

	if (s->rig->study->device->caps.sim)
		return SIM_ROUNDS;
	rounds = t->cost > 0 ? fmin(room / t->cost, 16.0 * t->last) :
	    FIRST_ROUNDS;
	rounds = fmin(fmax(rounds, LEAST_ROUNDS), ROUNDS_MAX);
	if (counted(s->rig->study))
		rounds = fmin(rounds, rounds_left(s));
	return rounds < 1 ? 1 : (uint32_t)rounds;
}

static bool
all_tried(const struct session *s)
{
	int i;

	for (i = 0; i < s->primitive->nshapes; i++)
		if (s->tries[i].launches == 0)
			return false;
	return true;
}

static bool
enough(const struct session *s)
{
	const struct study *study = s->rig->study;

	if (s->primitive->fails != FAILS_NOT && findings_any(&s->total))
		return true;
	if (s->launches == 0 || (study->end == 0 && !all_tried(s)))
		return false; /* each shape at least once, if not hurried */
	return (counted(study) && part_done(s) >= 1) ||
	    wall_clock() >= s->end;
}

/* ---- launches ----------------------------------------------------------- */

/* Goes on from the state of the launch before, if its kernels can. */
static void
carry_on(struct session *s, struct attempt *o, const struct attempt *before)
{
	o->carry = s->carries && s->shape == s->carried_shape &&
	    before->args.first < FIRST_MAX;
	o->args.first = o->carry ?
	    before->args.first + before->args.rounds : 0;
	s->carried_shape = s->shape;
}

static void
add_report(struct session *s, const struct attempt *o,
    const struct findings *r, double seconds)
{
	struct try *t = &s->tries[s->shape];
	int i;

	for (i = 0; i < FOUND_COUNT; i++) {
		if (s->total.found[i] == 0 && r->found[i]) {
			s->total.first[i] = r->first[i];
			s->round[i] = s->rounds + r->first[i].round -
			    o->args.first;
		}
		s->total.found[i] += r->found[i];
	}
	s->total.crossings += r->crossings;
	s->carries = r->carries != 0;
	s->rounds += o->args.rounds;
	s->launches++;
	s->seconds += seconds;
	t->launches++;
	t->rounds += o->args.rounds;
	t->crossings += r->crossings;
	t->last = o->args.rounds;
	t->cost = fmax(t->cost, seconds / (double)o->args.rounds);
}

static void
show_life(struct session *s)
{
	struct rig *r = s->rig;
	double now = wall_clock();

	if (!r->alive || now - s->shown < ALIVE_SECONDS)
		return;
	s->shown = now;
	r->alive(r->user, s->rounds, s->total.crossings);
}

/* False: something other than a finding stopped it. */
static bool
validate(struct session *s, struct err *err)
{
	struct attempt before = {0}, order;
	struct findings report;
	double seconds = 0;

	share_out(s);
	while (!enough(s)) {
		choose_shape(s);
		order = (struct attempt){
			.kernel = s->kernel, .stream = s->stream + s->launches,
			.args.rounds = next_rounds(s),
		};
		carry_on(s, &order, &before);
		if (!rig_draw(s->rig, s->module, s->primitive, s->shape,
		    &order, err) || !rig_launch(s->rig, s->module, &order,
		    &report, &seconds, err))
			return false;
		add_report(s, &order, &report, seconds);
		if (report.found[FOUND_HANG])
			break; /* seconds each; one is enough */
		show_life(s);
		before = order;
	}
	return true;
}

/* ---- a primitive -------------------------------------------------------- */

/* A hang that no budget bounds, or a fault: the finding is the error. */
static bool
stopped(struct session *s, const struct err *err, struct arena *a, json_t *o)
{
	if (err->code != ERR_FAULT && err->code != ERR_HANG) {
		entry_not_run(o, err->message, a);
		return err->code != ERR_DEVICE;
	}
	s->faulted = err->code == ERR_FAULT;
	entry_verdict(s, o, text_clean(a, err->message,
	    strlen(err->message)));
	return false;
}

static bool
study_module(struct session *s, double end, struct arena *a, json_t *o)
{
	const struct primitive *p = s->primitive;
	struct rig *r = s->rig;
	struct err err = {0};
	bool validates = r->study->validate && p->nshapes > 0, ok;

	if (validates && !validate(s, &err))
		return stopped(s, &err, a, o);
	if (validates && p->fails == FAILS_MUST && !all_tried(s) &&
	    !findings_any(&s->total))
		entry_not_run(o, no_time_left, a); /* not in every shape */
	else if (validates)
		entry_verdict(s, o, NULL);
	if (!r->study->bench || p->nbenches == 0)
		return true;
	ok = rig_bench(r, s->module, p, end, a, o, &err);
	if (!validates)
		entry_measured(o);
	if (ok)
		return true;
	entry_message(o, err.message, a);
	return err.code != ERR_FAULT && err.code != ERR_HANG;
}

/* Where there is a time for all, that for one has its code assembled in it,
   which may take as long as the rest, and its benches. */
bool
rig_study(struct rig *r, const struct primitive *p, double seconds,
    struct arena *a, json_t **entry)
{
	const struct study *study = r->study;
	double end = wall_clock() + seconds;
	struct session s = {
		.rig = r, .primitive = p, .end = end - fmin(seconds / 2,
		    study->bench ? bench_seconds(p) : 0),
		.kernel = arena_printf(a, "%s_validate", p->name),
		.stream = hash64(p->name, strlen(p->name), 0),
	};
	struct err err = {0};
	const char *code;
	bool ok;

	*entry = primitive_entry(study, p, a);
	if (!primitive_code(p, study->device->caps.sm, study->validate,
	    study->bench, a, &code, &err) ||
	    !r->ops->load(r->device, code, study->assembler, &s.module,
	    &err)) {
		entry_not_run(*entry, err.message, a);
		return true;
	}
	if (study->end == 0) {
		s.end = wall_clock() + seconds;
		end = INFINITY;
	}
	ok = study_module(&s, end, a, *entry);
	if (ok || r->ops == &sim_ops) /* a hung GPU would hang this too */
		r->ops->unload(r->device, s.module);
	return ok;
}
