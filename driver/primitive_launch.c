/* Launches of primitives: memory, parameters, the report. */
#include "primitive.h"

#include <string.h>

#define BUDGET_GPU (1u << 21) /* a second or two of polling */
#define BUDGET_SIM 4000u

bool
rig_open(struct rig *r, const struct study *s, struct err *err)
{
	static const struct {
		size_t offset, bytes;
	} regions[] = {
		{offsetof(struct rig, state), STATE_BYTES},
		{offsetof(struct rig, payload), PAYLOAD_BYTES},
		{offsetof(struct rig, scratch), SCRATCH_BYTES},
		{offsetof(struct rig, report), sizeof(struct findings)},
		{offsetof(struct rig, samples), LAPS * sizeof(uint32_t)},
	};
	size_t i;

	memset(r, 0, sizeof(*r));
	r->study = s;
	r->ops = device_ops_of(s->device);
	if (!r->ops->open(s->device->index, s->options, &r->device, err))
		return false;
	for (i = 0; i < sizeof(regions) / sizeof(*regions); i++)
		if (!r->ops->alloc(r->device, regions[i].bytes,
		    (uint64_t *)((char *)r + regions[i].offset), err)) {
			rig_close(r);
			return false;
		}
	return r->ops->fill(r->device, r->scratch, 0, SCRATCH_BYTES, err);
}

void
rig_close(struct rig *r)
{
	r->ops->close(r->device);
	r->device = NULL;
}

bool
rig_resident(struct rig *r, struct module *m, const char *kernel,
    uint32_t threads, uint32_t *ctas, struct err *err)
{
	return r->ops->resident(r->device, m, kernel, threads, 0, ctas, err);
}

static bool
clear(struct rig *r, bool carry, struct err *err)
{
	const struct device_ops *ops = r->ops;

	return (carry || (ops->fill(r->device, r->state, 0, STATE_BYTES,
	    err) && ops->fill(r->device, r->payload, 0xff, PAYLOAD_BYTES,
	    err))) &&
	    ops->fill(r->device, r->report, 0, sizeof(struct findings), err);
}

static struct args
complete(const struct rig *r, const struct attempt *o)
{
	struct args args = o->args;

	args.state = r->state;
	args.payload = r->payload;
	args.scratch = r->scratch;
	args.report = r->report;
	args.samples = r->samples;
	args.seed = r->study->seed ^ o->stream;
	args.budget = r->study->device->caps.sim ? BUDGET_SIM : BUDGET_GPU;
	args.workers = o->shape.ctas;
	args.cluster = o->shape.cluster;
	args.group = o->shape.group;
	args.bins = o->shape.bins;
	if (args.stride == 0)
		args.stride = 1;
	return args;
}

bool
rig_launch(struct rig *r, struct module *m, const struct attempt *o,
    struct findings *report, double *seconds, struct err *err)
{
	struct args args = complete(r, o);
	struct launch launch = {
		.module = m, .kernel = o->kernel,
		.grid = {o->shape.ctas + o->extra, 1, 1},
		.block = {o->shape.threads, 1, 1},
		.cluster = o->shape.cluster > 1 ? o->shape.cluster : 0,
		.cooperative = !o->plain, .seed = r->study->seed,
		.stream = o->stream, .params = &args,
		.params_size = sizeof(args),
	};

	return clear(r, o->carry, err) &&
	    r->ops->run(r->device, &launch, 1, o->repeat ? o->repeat : 1,
	    r->study->timeout, seconds, err) &&
	    r->ops->read(r->device, report, r->report, sizeof(*report), err);
}

bool
rig_samples(struct rig *r, uint32_t *samples, uint32_t count,
    struct err *err)
{
	return r->ops->read(r->device, samples, r->samples,
	    count * sizeof(*samples), err);
}
