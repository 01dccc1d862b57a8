/* The parent's side: one worker a device, watched, and replaced when lost. */
#include "crew.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 5.0 /* seconds that a worker has to say "hang" itself */
#define OPEN_SECONDS 120.0 /* and to open its device: drivers are slow */
#define SHARE_LEAST 0.001
#define LOOK_SECONDS 0.1
#define LINE_LIMIT ((size_t)64 << 20)

static json_t **
result_of(const struct crew *c, const struct hand *h, int test)
{
	return &c->work->results[test * c->work->ndevices + h->device];
}

/* ---- results ----------------------------------------------------------- */

static int
verdict_exit(const json_t *test)
{
	const char *s = json_string_value(json_object_get(test, "verdict"));
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		if (s && strcmp(verdicts[i].name, s) == 0)
			return verdicts[i].exit;
	return STATUS_NO_VERDICT;
}

static void
take_result(struct crew *c, struct hand *h, int number, json_t *test)
{
	struct work *w = c->work;

	*result_of(c, h, number) = test;
	h->npending -= h->pending[number];
	h->pending[number] = false;
	if (h->test == number)
		h->test = -1;
	if (verdict_exit(test) == STATUS_FOUND)
		c->failed = true;
	w->done(w->user, number, h->device);
}

/* The worker is gone, and its test with it. Those that had run but were not
   written down yet run again. */
static void
lose_test(struct crew *c, struct hand *h, enum verdict verdict,
    const char *message)
{
	struct arena *a = arena_new();
	struct result r;
	int number = h->test;

	if (number < 0)
		for (number = 0; !h->pending[number];)
			number++;
	campaign_lost(c->work->tests[number], c->work->effort.model, verdict,
	    message, a, &r);
	r.device = h->device;
	take_result(c, h, number, results_test(&r, a));
	memset(h->pending, 0, (size_t)c->work->ntests);
	h->npending = 0;
	h->next = 0;
	arena_free(a);
}

static void
lost(struct crew *c, struct hand *h, int status)
{
	char message[160];

	if (h->test < 0 && !h->npending)
		return;
	if (WIFSIGNALED(status))
		snprintf(message, sizeof(message),
		    "it ended its process with signal %d (%s)",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(message, sizeof(message),
		    "its process ended with status %d", WEXITSTATUS(status));
	lose_test(c, h, VERDICT_FAULT, message);
}

bool
work_has_lane(const struct work *w, int lane, int test)
{
	return w->lanes < 2 || test % w->lanes == lane;
}

/* ---- talking ----------------------------------------------------------- */

static bool
has_work(const struct crew *c, struct hand *h)
{
	while (h->next < c->work->ntests &&
	    (!work_has_lane(c->work, h->lane, h->next) ||
	    *result_of(c, h, h->next) || h->pending[h->next]))
		h->next++;
	return h->next < c->work->ntests;
}

#define FORBIDDEN_WEIGHT 3

int
work_weight(const struct work *w, int test)
{
	return w->effort.twins && w->tests[test]->expect == EXPECT_FORBIDDEN ?
	    FORBIDDEN_WEIGHT : 1;
}

/* The weights of the tests that are to run yet. */
static int
weight_left(const struct crew *c, const struct hand *h)
{
	int i, n = 0;

	for (i = h->next; i < c->work->ntests; i++)
		if (work_has_lane(c->work, h->lane, i) &&
		    !*result_of(c, h, i))
			n += work_weight(c->work, i);
	return n;
}

static void
give_order(struct crew *c, struct hand *h)
{
	double left = c->end - wall_clock();
	struct order o = {h->next, left * work_weight(c->work, h->next) /
	    weight_left(c, h)};

	if (o.seconds < SHARE_LEAST)
		o.seconds = SHARE_LEAST;
	h->test = h->next++;
	h->ready = false;
	h->heard = wall_clock();
	h->instances = h->hits = 0;
	/* if it is gone, the end of its answers will tell */
	if (write(h->orders, &o, sizeof(o)) < 0 && errno != EPIPE)
		h->heard = 0;
}

static bool
heard_result(struct crew *c, struct hand *h, char *line)
{
	char *json;
	long number = strtol(line, &json, 10);
	json_t *test = json_loads(json, 0, NULL);

	if (!test || number < 0 || number >= c->work->ntests ||
	    *result_of(c, h, (int)number)) {
		json_decref(test);
		return false;
	}
	take_result(c, h, (int)number, test);
	return true;
}

static bool
heard_line(struct crew *c, struct hand *h, char *line, struct err *err)
{
	h->heard = wall_clock();
	h->opened = true;
	switch (line[0]) {
	case 'P':
		sscanf(line, "P %" SCNu64 " %" SCNu64, &h->instances,
		    &h->hits);
		return true;
	case 'N':
		if (h->test >= 0 && !*result_of(c, h, h->test)) {
			h->pending[h->test] = true;
			h->npending++;
		}
		h->test = -1;
		h->ready = true;
		return true;
	case 'R':
		if (heard_result(c, h, line + 1))
			return true;
		break;
	case 'L':
		h->last = true;
		return true;
	case 'E':
		return err_set(err, ERR_DEVICE, (struct loc){0}, "%s",
		    line + 2);
	}
	return err_set(err, ERR_DEVICE, (struct loc){0},
	    "a worker said what it should not: %.80s", line);
}

/* What there is to read; then every whole line. */
static bool
listen(struct crew *c, struct hand *h, bool *ended, struct err *err)
{
	char *line;

	if (!lines_read(&h->lines, h->answers, LINE_LIMIT, ended, err))
		return false;
	while ((line = lines_next(&h->lines)))
		if (!heard_line(c, h, line, err))
			return false;
	return true;
}

/* A worker that ended before it said anything would do so again. */
static bool
attend(struct crew *c, struct hand *h, struct err *err)
{
	bool ended = false;

	if (!listen(c, h, &ended, err))
		return false;
	if (h->last)
		hand_end(h, true);
	if (!ended || h->last)
		return true;
	if (!h->opened) {
		hand_end(h, true);
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "a worker ended while it opened its device");
	}
	lost(c, h, hand_end(h, true));
	return true;
}

static bool
check_clock(struct crew *c, struct hand *h, struct err *err)
{
	double limit = h->opened ? c->work->timeout + GRACE : OPEN_SECONDS;
	char message[96];

	if ((h->test < 0 && !h->npending) ||
	    wall_clock() < h->heard + limit)
		return true;
	hand_end(h, true);
	if (!h->opened)
		return err_set(err, ERR_DEVICE, (struct loc){0},
		    "the device did not open within %g s", limit);
	snprintf(message, sizeof(message),
	    "no sign of life for %g s; its process was ended", limit);
	lose_test(c, h, VERDICT_HANG, message);
	return true;
}

/* ---- the loop ---------------------------------------------------------- */

/* A failure ends the run, once what has run already is written down. */
static bool
stopping(const struct crew *c)
{
	return c->failed && c->work->fail_fast;
}

static bool
results_to_come(const struct crew *c)
{
	int i, n = 0;

	for (i = 0; i < c->nhands; i++)
		n += c->hands[i].npending;
	return n > 0;
}

static bool
put_to_work(struct crew *c, bool *busy, struct err *err)
{
	int i;

	*busy = false;
	for (i = 0; i < c->nhands; i++) {
		struct hand *h = &c->hands[i];

		if (h->test < 0 && !stopping(c) && has_work(c, h)) {
			if (!h->pid && !hand_start(c, h, err))
				return false;
			if (h->ready)
				give_order(c, h);
			*busy = true;
		}
		*busy |= h->test >= 0 || h->npending > 0;
	}
	return true;
}

static bool
wait_and_listen(struct crew *c, struct err *err)
{
	struct pollfd fds[DEVICES_MAX * LANES_MAX];
	const struct timespec pause = {0, (long)(LOOK_SECONDS * 1e9)};
	int i, n = c->nhands;

	for (i = 0; i < n; i++) {
		fds[i].fd = c->hands[i].pid ? c->hands[i].answers : -1;
		fds[i].events = POLLIN;
		fds[i].revents = 0;
	}
	if (ppoll(fds, (nfds_t)n, &pause, &c->signals.outside) < 0)
		return true; /* a signal */
	for (i = 0; i < n; i++) {
		if (fds[i].revents && !attend(c, &c->hands[i], err))
			return false;
		if (!check_clock(c, &c->hands[i], err))
			return false;
	}
	return true;
}

static void
show_progress(struct crew *c)
{
	int i;

	/* of several workers of one device the first shows its */
	for (i = 0; i < c->work->ndevices && c->work->progress; i++)
		c->work->progress(c->work->user, i, c->hands[i].test,
		    c->hands[i].instances, c->hands[i].hits);
}

static enum work_end
loop(struct crew *c, struct err *err)
{
	bool busy;

	for (;;) {
		if (signals_came())
			return WORK_INTERRUPTED;
		if (stopping(c) && !results_to_come(c))
			return WORK_STOPPED;
		if (!put_to_work(c, &busy, err))
			return WORK_FAILED;
		if (!busy)
			return WORK_DONE;
		if (!wait_and_listen(c, err))
			return WORK_FAILED;
		show_progress(c);
	}
}

enum work_end
work_run(struct work *w, struct err *err)
{
	struct crew c = {
		.work = w, .end = wall_clock() + w->seconds,
		.parent = getpid(),
	};
	enum work_end end;

	if (!hands_make(&c, err))
		return WORK_FAILED;
	signals_catch(&c.signals);
	end = loop(&c, err);
	hands_free(&c, end != WORK_DONE);
	signals_release(&c.signals);
	return end;
}
