/* Launches, alone or many as one graph, and waiting for them. */
#include "cuda_device.h"

#include <time.h>

#define POLL_FIRST 20e-6 /* seconds between looks, growing to the last */
#define POLL_LAST 1e-3

static bool
launch(struct device *d, const struct launch *l, struct err *err)
{
	struct cuda_launch_attribute attributes[2] = {0};
	struct cuda_launch_config config = {
		.grid_x = l->grid[0], .grid_y = l->grid[1],
		.grid_z = l->grid[2], .block_x = l->block[0],
		.block_y = l->block[1], .block_z = l->block[2],
		.shared = l->shared, .stream = d->stream,
		.attributes = attributes,
	};
	size_t size = l->params_size;
	void *extra[] = {
		CUDA_PARAM_POINTER, (void *)(uintptr_t)l->params,
		CUDA_PARAM_SIZE, &size, CUDA_PARAM_END,
	};
	struct cuda_launch_attribute *next = attributes;
	struct cuda_function *f;

	if (!cuda_function(d, l->module, l->kernel, l->shared, l->cluster, &f,
	    err))
		return false;
	if (l->cluster > 0) {
		next->id = CUDA_LAUNCH_CLUSTER;
		next->value.cluster.x = l->cluster;
		next->value.cluster.y = next->value.cluster.z = 1;
		next++;
	}
	if (l->cooperative) {
		next->id = CUDA_LAUNCH_COOPERATIVE;
		next->value.cooperative = 1;
		next++;
	}
	config.attribute_count = (unsigned)(next - attributes);
	return cuda_ok(&d->api, d->api.launch(&config, f, NULL,
	    size ? extra : NULL), "cuLaunchKernelEx", err);
}

static bool
launch_all(struct device *d, const struct launch *launches, int count,
    struct err *err)
{
	int i;

	for (i = 0; i < count; i++)
		if (!launch(d, &launches[i], err))
			return false;
	return true;
}

/* A kernel looked up for the first time may have to be loaded, which must
   not happen while a stream is captured, nor while time is taken. */
static bool
look_up(struct device *d, const struct launch *launches, int count,
    struct err *err)
{
	struct cuda_function *f;
	int i;

	for (i = 0; i < count; i++)
		if (!cuda_function(d, launches[i].module, launches[i].kernel,
		    launches[i].shared, launches[i].cluster, &f, err))
			return false;
	return true;
}

/* The launches as one graph. The capture is ended whatever happens, or the
   stream would stay unusable. */
static bool
capture(struct device *d, const struct launch *launches, int count,
    struct cuda_graph_exec **exec, struct err *err)
{
	const struct cuda_api *api = &d->api;
	struct cuda_graph *graph = NULL;
	struct err ended;
	bool ok;

	if (!cuda_ok(api, api->capture_begin(d->stream,
	    CUDA_CAPTURE_THREAD_LOCAL), "cuStreamBeginCapture", err))
		return false;
	ok = launch_all(d, launches, count, err);
	if (!cuda_ok(api, api->capture_end(d->stream, &graph),
	    "cuStreamEndCapture", &ended) && ok) {
		*err = ended;
		ok = false;
	}
	if (ok)
		ok = cuda_ok(api, api->graph_instantiate(exec, graph, 0),
		    "cuGraphInstantiateWithFlags", err);
	if (graph)
		api->graph_destroy(graph);
	return ok;
}

static bool
queue_graph(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, struct cuda_graph_exec **exec, struct err *err)
{
	const struct cuda_api *api = &d->api;
	uint64_t i;

	if (!capture(d, launches, count, exec, err) ||
	    !cuda_ok(api, api->event_record(d->begin, d->stream),
	    "cuEventRecord", err))
		return false;
	for (i = 0; i < repeat; i++)
		if (!cuda_ok(api, api->graph_launch(*exec, d->stream),
		    "cuGraphLaunch", err))
			return false;
	return true;
}

static bool
queue_plain(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, struct err *err)
{
	uint64_t i;

	if (!cuda_ok(&d->api, d->api.event_record(d->begin, d->stream),
	    "cuEventRecord", err))
		return false;
	for (i = 0; i < repeat; i++)
		if (!launch_all(d, launches, count, err))
			return false;
	return true;
}

static void
pause_for(double seconds)
{
	struct timespec t = {0, (long)(seconds * 1e9)};

	nanosleep(&t, NULL);
}

/* A kernel that never ends cannot be waited for: the event is looked at. */
static bool
wait_event(struct device *d, double timeout, struct err *err)
{
	double deadline = wall_clock() + timeout, pause = POLL_FIRST;
	int result;

	while ((result = d->api.event_query(d->end)) == CUDA_NOT_READY) {
		if (wall_clock() > deadline)
			return err_set(err, ERR_HANG, (struct loc){0},
			    "the kernels did not end within %g s", timeout);
		pause_for(pause);
		if (pause < POLL_LAST)
			pause *= 1.5;
	}
	return cuda_ok(&d->api, result, "the kernels", err);
}

static bool
finish(struct device *d, double timeout, double *seconds, struct err *err)
{
	const struct cuda_api *api = &d->api;
	float ms = 0;

	if (!cuda_ok(api, api->event_record(d->end, d->stream),
	    "cuEventRecord", err) || !wait_event(d, timeout, err) ||
	    !cuda_ok(api, api->event_elapsed(&ms, d->begin, d->end),
	    "cuEventElapsedTime", err))
		return false;
	*seconds = 1e-3 * (double)ms;
	return true;
}

static bool
any_cooperative(const struct launch *launches, int count)
{
	while (count > 0)
		if (launches[--count].cooperative)
			return true;
	return false;
}

bool
cuda_run(struct device *d, const struct launch *launches, int count,
    uint64_t repeat, double timeout, double *seconds, struct err *err)
{
	struct cuda_graph_exec *exec = NULL;
	bool plain = (uint64_t)count * repeat <= 2 ||
	    any_cooperative(launches, count);
	bool ok;

	ok = look_up(d, launches, count, err) && (plain ?
	    queue_plain(d, launches, count, repeat, err) :
	    queue_graph(d, launches, count, repeat, &exec, err)) &&
	    finish(d, timeout, seconds, err);
	if (exec && (ok || err->code != ERR_HANG))
		d->api.graph_exec_destroy(exec);
	return ok;
}
