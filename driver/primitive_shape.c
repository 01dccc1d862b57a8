/* Shapes of launches, with numbers for a device, and how they are disturbed. */
#include "primitive.h"

#include <inttypes.h>
#include <string.h>

#define SIM_CTAS 6
#define SIM_THREADS 64

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
	s->other = from->ctas && s->ctas != from->ctas;
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

bool
rig_draw(struct rig *r, struct module *m, const struct primitive *p,
    int shape, struct attempt *o, struct err *err)
{
	const struct study *study = r->study;
	struct draw d = {study->seed, o->stream, 0};
	uint32_t room;

	if (!settle_shape(r, m, o->kernel, &p->shapes[shape], &o->shape,
	    &room, err))
		return false;
	o->plain = study->overcommit || p->launches;
	if (p->launches) {
		o->repeat = o->args.rounds;
		o->args.stride = 1;
	} else {
		disturb(o, p->alone ? 0 : room,
		    (uint32_t)study->device->caps.processors, &d);
	}
	return true;
}
