/*
 * The worker's side: a process of its own, so that a test that hangs or
 * faults takes nothing with it. It reads orders and answers in lines:
 *	P instances hits	alive, so far
 *	N			ready for the next order; this test's result
 *				follows when its machine code has been read
 *	R test json		a result
 *	L			the device is lost: it ends
 *	E message		the device could not be opened: it ends
 */
#include "driver.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define ALIVE_SECONDS 0.1 /* between two signs of life */
#define PENDING_MAX 16
#define AHEAD_MAX 16 /* tests whose kernels are made while others run */
#define AHEAD_TRIALS 4 /* wanted in the loader, for each of its threads */
#define BACKGROUND 10 /* niceness */

/* A test that has run, while a thread checks and writes it down. */
struct pending {
	struct worker *worker;
	struct arena *arena;
	struct result result;
	int test;
	bool read_code;
	pthread_t thread;
};

/* A test that is to run. */
struct ahead {
	struct arena *arena;
	struct campaign *campaign;
	int test;
};

struct worker {
	const struct work *work;
	struct bench bench;
	int device, lane, answers;
	pthread_mutex_t lock; /* a line is written whole */
	double said;
	struct pending pending[PENDING_MAX]; /* a ring */
	int first, count;
	struct ahead ahead[AHEAD_MAX]; /* in the order of the tests */
	int nahead;
};

static void
put(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t wrote = write(fd, s, n);

		if (wrote < 0 && errno != EINTR)
			_exit(1); /* nobody reads any more */
		if (wrote > 0) {
			s += wrote;
			n -= (size_t)wrote;
		}
	}
}

static void
answer(struct worker *w, const char *head, const char *rest)
{
	pthread_mutex_lock(&w->lock);
	put(w->answers, head, strlen(head));
	put(w->answers, rest, strcspn(rest, "\n"));
	put(w->answers, "\n", 1);
	pthread_mutex_unlock(&w->lock);
}

static void
alive(void *user, uint64_t instances, uint64_t hits)
{
	struct worker *w = user;
	double now = wall_clock();
	char line[64];

	if (now - w->said < ALIVE_SECONDS)
		return;
	w->said = now;
	snprintf(line, sizeof(line), "P %" PRIu64 " %" PRIu64, instances,
	    hits);
	answer(w, line, "");
}

static void *
finish(void *user)
{
	struct pending *p = user;
	char head[32], *s;
	json_t *test;

	/* of this thread, and of the disassembler that it starts: those that
	   assemble come first */
	if (p->read_code && p->result.ncodes)
		setpriority(PRIO_PROCESS, (id_t)gettid(), BACKGROUND);
	if (p->read_code)
		campaign_check(&p->result, p->arena);
	else if (p->result.ncodes)
		p->result.code_detail = p->worker->work->code_check ==
		    CODE_NONE ? "not asked for" :
		    "the disassembler was behind; --code all waits for it";
	test = results_test(&p->result, p->arena);
	s = json_dumps(test, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(test);
	arena_free(p->arena);
	if (!s)
		_exit(1);
	snprintf(head, sizeof(head), "R %d ", p->test);
	answer(p->worker, head, s);
	free(s);
	return NULL;
}

static void
drop_first(struct worker *w)
{
	w->first = (w->first + 1) % PENDING_MAX;
	w->count--;
}

/* The model and the disassembler have limits of their own, and may need more
   than a test that hangs is given: whoever waits for them says he lives. */
static void
wait_for_first(struct worker *w)
{
	struct timespec until;

	do {
		alive(w, 0, 0);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += (long)(ALIVE_SECONDS * 1e9);
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(w->pending[w->first].thread, NULL,
	    &until) == ETIMEDOUT);
	drop_first(w);
}

/* Makes room, and says whether the disassembler keeps up. */
static struct pending *
next_pending(struct worker *w, bool *behind)
{
	while (w->count > 0 && pthread_tryjoin_np(
	    w->pending[w->first].thread, NULL) == 0)
		drop_first(w);
	*behind = w->count >= PENDING_MAX - 1;
	if (w->count == PENDING_MAX)
		wait_for_first(w);
	return &w->pending[(w->first + w->count++) % PENDING_MAX];
}

static bool
read_order(struct worker *w, int fd, struct order *o)
{
	struct pollfd p = {fd, POLLIN, 0};
	ssize_t n;

	while (w->count && poll(&p, 1, (int)(ALIVE_SECONDS * 1e3)) <= 0)
		alive(w, 0, 0);
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
	    "--seed 0x%" PRIx64 "%s%s", p->loc.source, p->name,
	    device_ops_of(d) == &sim_ops ? "sim" : d->uuid,
	    work->effort.seed, work->fault ? " --sim-fault " : "",
	    work->fault ? work->fault : "");
}

static struct ahead
prepare(struct worker *w, int test, double seconds)
{
	struct effort effort = w->work->effort;
	struct ahead x = {.arena = arena_new(), .test = test};

	effort.alive = alive;
	effort.user = w;
	effort.every_code = w->work->code_check == CODE_ALL;
	x.campaign = campaign_prepare(&w->bench, w->work->tests[test],
	    &effort, seconds, x.arena);
	return x;
}

/* Those before `test` were lost, or have run elsewhere. */
static struct ahead
take_ahead(struct worker *w, int test, double seconds)
{
	struct ahead x;

	while (w->nahead > 0) {
		x = w->ahead[0];
		memmove(w->ahead, w->ahead + 1,
		    (size_t)--w->nahead * sizeof(*w->ahead));
		if (x.test == test)
			return x;
		campaign_drop(x.campaign);
		arena_free(x.arena);
	}
	return prepare(w, test, seconds);
}

static int
next_test(const struct worker *w, int test)
{
	const struct work *work = w->work;

	do
		test++;
	while (test < work->ntests &&
	    (!work_has_lane(work, w->lane, test) ||
	    work->results[test * work->ndevices + w->device]));
	return test;
}

/* A loader without threads would only make the tests wait. */
static void
look_ahead(struct worker *w, int test, double seconds)
{
	struct loader *l = w->bench.loader;
	int threads = loader_threads(l);

	if (w->nahead)
		test = w->ahead[w->nahead - 1].test;
	while (w->nahead < AHEAD_MAX &&
	    loader_pending(l) < AHEAD_TRIALS * threads) {
		test = next_test(w, test);
		if (test >= w->work->ntests)
			break;
		w->ahead[w->nahead++] = prepare(w, test, seconds *
		    work_weight(w->work, test));
		alive(w, 0, 0);
	}
}

static void
drop_ahead(struct worker *w)
{
	while (w->nahead > 0) {
		campaign_drop(w->ahead[--w->nahead].campaign);
		arena_free(w->ahead[w->nahead].arena);
	}
}

/* False: the device is of no more use. */
static bool
run_order(struct worker *w, const struct order *o)
{
	const struct program *p = w->work->tests[o->test];
	enum code_check check = w->work->code_check;
	bool usable, behind;
	struct pending *next = next_pending(w, &behind);
	struct ahead x;

	w->said = 0;
	alive(w, 0, 0);
	x = take_ahead(w, o->test, o->seconds);
	look_ahead(w, o->test, o->seconds / work_weight(w->work, o->test));
	next->worker = w;
	next->test = o->test;
	next->read_code = check == CODE_ALL || (check == CODE_SOME && !behind);
	next->arena = x.arena;
	usable = campaign_run(x.campaign, o->seconds, &next->result);
	next->result.device = w->device;
	next->result.replay = replay(w->work, p, w->device, next->arena);
	if (pthread_create(&next->thread, NULL, finish, next) != 0) {
		w->count--;
		finish(next);
	}
	return usable;
}

void
worker_main(const struct work *work, int device, int lane, int orders,
    int answers)
{
	const struct device_info *d = &work->devices[device];
	struct worker w = {.work = work, .device = device, .lane = lane,
		.answers = answers};
	struct order o;
	struct err err;
	bool usable = true;

	json_object_seed(1); /* before there are threads */
	pthread_mutex_init(&w.lock, NULL);
	if (!bench_open(device_ops_of(d), d->index, work->options,
	    work->assembler, work->timeout, &w.bench, &err)) {
		answer(&w, "E ", err.message);
		_exit(2);
	}
	w.bench.info = *d; /* with the versions, which are looked up once */
	while (usable && read_order(&w, orders, &o)) {
		usable = run_order(&w, &o);
		if (usable)
			answer(&w, "N", "");
	}
	while (w.count > 0)
		wait_for_first(&w);
	if (usable) {
		drop_ahead(&w);
		bench_close(&w.bench);
	} else /* a hung device would hang these too */
		answer(&w, "L", "");
	_exit(usable ? 0 : 3);
}
