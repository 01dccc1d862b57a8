/*
 * The worker's side: a process of its own, so that a test that hangs or
 * faults takes nothing with it. It reads orders and answers in lines:
 *	P instances hits	alive, so far
 *	R json			the test's result
 *	L json			the same, and it ends: the device is lost
 *	E message		the device could not be opened; it ends
 */
#include "driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIVE_SECONDS 0.1 /* between two signs of life */

struct worker {
	int answers;
	double said;
};

/* Without a parent to read there is nothing left to do. */
static void
answer(struct worker *w, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t wrote = write(w->answers, s, n);

		if (wrote < 0 && errno != EINTR)
			_exit(1);
		if (wrote > 0) {
			s += wrote;
			n -= (size_t)wrote;
		}
	}
}

static void
alive(void *user, uint64_t instances, uint64_t hits)
{
	struct worker *w = user;
	double now = wall_clock();
	char line[64];
	int n;

	if (now - w->said < ALIVE_SECONDS)
		return;
	w->said = now;
	n = snprintf(line, sizeof(line), "P %" PRIu64 " %" PRIu64 "\n",
	    instances, hits);
	answer(w, line, (size_t)n);
}

static void
answer_result(struct worker *w, const struct result *r, bool last,
    struct arena *a)
{
	json_t *test = results_test(r, a);
	char *s = json_dumps(test, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(test);
	if (!s)
		_exit(1);
	answer(w, last ? "L " : "R ", 2);
	answer(w, s, strlen(s));
	answer(w, "\n", 1);
	free(s);
}

static bool
read_order(int fd, struct order *o)
{
	ssize_t n;

	do
		n = read(fd, o, sizeof(*o)); /* written in one piece */
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*o);
}

/* How to run just this again. */
static const char *
replay(const struct work *work, const struct program *p, int device,
    struct arena *a)
{
	const struct device_info *d = &work->devices[device];

	return arena_printf(a, "fencepost run %s --filter '%s' --device %s "
	    "--seed 0x%" PRIx64, p->loc.source, p->name,
	    device_ops_of(d) == &sim_ops ? "sim" : d->uuid,
	    work->effort.seed);
}

static bool
run_order(struct worker *w, const struct work *work, int device,
    struct bench *b, const struct order *o)
{
	const struct program *p = work->tests[o->test];
	struct effort effort = work->effort;
	struct arena *a = arena_new();
	struct result r;
	bool usable;

	effort.seconds = o->seconds;
	effort.alive = alive;
	effort.user = w;
	w->said = 0;
	alive(w, 0, 0);
	usable = campaign_run(b, p, &effort, a, &r);
	r.device = device;
	r.replay = replay(work, p, device, a);
	answer_result(w, &r, !usable, a);
	arena_free(a);
	return usable;
}

void
worker_main(const struct work *work, int device, int orders, int answers)
{
	const struct device_info *d = &work->devices[device];
	struct worker w = {answers, 0};
	struct bench b;
	struct order o;
	struct err err;

	if (!bench_open(device_ops_of(d), d->index, work->options,
	    work->assembler, work->timeout, &b, &err)) {
		answer(&w, "E ", 2);
		answer(&w, err.message, strcspn(err.message, "\n"));
		answer(&w, "\n", 1);
		_exit(2);
	}
	while (read_order(orders, &o))
		if (!run_order(&w, work, device, &b, &o))
			_exit(3); /* closing a hung device would hang too */
	bench_close(&b);
	_exit(0);
}
