/* What a primitive costs: quantiles over laps, and crossings a second. */
#include "primitive.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_SECONDS 0.05 /* of the launch that counts, at most */
#define BENCH_OVERHEAD 0.02 /* what comes with it */
#define PROBE_ROUNDS 256
#define ROUNDS_MAX (1u << 20)
#define SIM_ROUNDS 24
#define BOUNDARIES 2000

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
quantile(const double *sorted, uint32_t n, double q)
{
	double at = q * (double)(n - 1);
	uint32_t i = (uint32_t)at;

	return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) :
	    sorted[n - 1];
}

static void
set_number(json_t *o, const char *key, double x)
{
	json_object_set_new(o, key, json_real(x));
}

/* Other CTAs than the entry wants, because the device holds no more or the
   user asked for them: then "8 CTAs" are not 8. */
static json_t *
bench_json(const char *what, const char *unit, const struct shape *s)
{
	json_t *o = json_pack("{s:o, s:s, s:i, s:i}", "what", s->other ?
	    json_sprintf("%s (here %" PRIu32 ")", what, s->ctas) :
	    json_string(what), "unit", unit, "ctas", (int)s->ctas, "threads",
	    (int)s->threads);

	if (s->scope)
		json_object_set_new(o, "scope", json_string(s->scope));
	return o;
}

static json_t *
latency_json(const struct shape *s, double *ns, uint32_t n)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{"min", 0}, {"p1", 0.01}, {"p25", 0.25}, {"median", 0.5},
		{"p75", 0.75}, {"p99", 0.99}, {"max", 1},
	};
	json_t *o = bench_json(s->as, "ns", s);
	size_t i;

	qsort(ns, n, sizeof(*ns), compare);
	json_object_set_new(o, "samples", json_integer(n));
	for (i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		set_number(o, quantiles[i].key,
		    quantile(ns, n, quantiles[i].q));
	return o;
}

/* Clocks of laps into nanoseconds of one crossing. */
static json_t *
laps_json(const struct shape *s, const struct findings *r,
    const uint32_t *samples, uint32_t n, struct arena *a)
{
	double *ns = arena_alloc(a, n * sizeof(*ns)), per_tick;
	json_t *o;
	uint32_t i;

	per_tick = (double)r->ns / (double)r->ticks / (double)r->per_lap;
	for (i = 0; i < n; i++)
		ns[i] = samples[i] > r->overhead ?
		    (double)(samples[i] - r->overhead) * per_tick : 0;
	o = latency_json(s, ns, n);
	set_number(o, "cycles", json_real_value(json_object_get(o, "median")) *
	    (double)r->ticks / (double)r->ns);
	return o;
}

double
bench_seconds(const struct primitive *p)
{
	return p->nbenches * (BENCH_SECONDS + BENCH_OVERHEAD);
}

/* Probe first, so that the launch that counts has the right length. */
static bool
timed(struct rig *r, struct module *m, struct attempt *o, double room,
    struct findings *report, double *seconds, struct err *err)
{
	const struct first *hang = &report->first[FOUND_HANG];
	double rounds;

	o->args.rounds = PROBE_ROUNDS;
	if (r->study->device->caps.sim)
		o->args.rounds = SIM_ROUNDS;
	if (!rig_launch(r, m, o, report, seconds, err))
		return false;
	if (!r->study->device->caps.sim) {
		rounds = fmin(BENCH_SECONDS, room) / fmax(*seconds, 1e-6) *
		    PROBE_ROUNDS;
		o->args.rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX :
		    rounds < PROBE_ROUNDS ? PROBE_ROUNDS :
		    (uint32_t)rounds / 16 * 16;
		if (!rig_launch(r, m, o, report, seconds, err))
			return false;
	}
	if (report->found[FOUND_HANG])
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "hung while being timed (round %" PRIu32 ", CTA %" PRIu32
		    " thread %" PRIu32 "): no cost is given",
		    hang->round, hang->cta, hang->thread);
	if (report->ticks == 0 || report->ns == 0 || report->per_lap == 0)
		return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
		    "the device's clocks did not move");
	return true;
}

/* "latency, 8 CTAs" and "one way" have "throughput, 8 CTAs" and
   "throughput, one way" beside them. */
static const char *
rate_name(const char *as, struct arena *a)
{
	if (strncmp(as, "latency", 7) == 0)
		return arena_printf(a, "throughput%s", as + 7);
	return arena_printf(a, "throughput, %s", as);
}

static bool
bench_shape(struct rig *r, struct module *m, const char *kernel,
    const struct shape *shape, double room, struct arena *a, json_t *list,
    struct err *err)
{
	struct attempt o = {.kernel = kernel};
	struct findings report;
	uint32_t *samples, n;
	double seconds;
	json_t *rate;

	if (!rig_shape(r, m, kernel, shape, &o.shape, err))
		return false;
	if (shape->payload)
		o.args.switches = SWITCH_PAYLOAD;
	if (!timed(r, m, &o, room, &report, &seconds, err))
		return false;
	n = o.args.rounds / report.per_lap;
	n = n > LAPS ? LAPS : n == 0 ? 1 : n;
	samples = arena_alloc(a, n * sizeof(*samples));
	if (!rig_samples(r, samples, n, err))
		return false;
	json_array_append_new(list,
	    laps_json(&o.shape, &report, samples, n, a));
	rate = bench_json(rate_name(shape->as, a), "1/s", &o.shape);
	set_number(rate, "median", (double)report.crossings * 1e9 /
	    (double)report.ns);
	json_array_append_new(list, rate);
	return true;
}

/* Empty launches, one after another, in batches that are the samples. */
static bool
bench_boundary(struct rig *r, struct module *m, const char *kernel,
    const struct shape *shape, json_t *list, struct err *err)
{
	struct attempt o = {.kernel = kernel, .plain = true,
		.repeat = BOUNDARIES};
	struct findings report;
	double ns[16], seconds;
	uint32_t i, n = sizeof(ns) / sizeof(*ns);

	if (!rig_shape(r, m, kernel, shape, &o.shape, err))
		return false;
	if (r->study->device->caps.sim)
		o.repeat = 2;
	for (i = 0; i < n; i++) {
		if (!rig_launch(r, m, &o, &report, &seconds, err))
			return false;
		ns[i] = seconds * 1e9 / (double)o.repeat;
	}
	json_array_append_new(list, latency_json(&o.shape, ns, n));
	return true;
}

bool
rig_bench(struct rig *r, struct module *m, const struct primitive *p,
    double end, struct arena *a, json_t *entry, struct err *err)
{
	const char *kernel = arena_printf(a, "%s_bench", p->name);
	json_t *list = json_array();
	bool ok = true;
	int i;

	for (i = 0; ok && i < p->nbenches; i++) {
		double room = (end - wall_clock()) / (p->nbenches - i);

		if (room <= 0 && i > 0)
			ok = err_set(err, ERR_LIMIT, (struct loc){0}, "timed "
			    "in %d of %d shapes: no time was left", i,
			    p->nbenches);
		else if (p->launches)
			ok = bench_boundary(r, m, kernel, &p->benches[i],
			    list, err);
		else
			ok = bench_shape(r, m, kernel, &p->benches[i], room,
			    a, list, err);
	}
	json_object_set_new(entry, "bench", list);
	return ok;
}
