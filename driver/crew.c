/* The parent's side: one worker a device, watched, and replaced when lost. */
#include "driver.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 5.0 /* seconds that a worker has to say "hang" itself */
#define OPEN_SECONDS 120.0 /* and to open its device: drivers are slow */
#define SHARE_LEAST 0.001
#define LOOK_SECONDS 0.1
#define LINE_LIMIT ((size_t)64 << 20)

static volatile sig_atomic_t stop;

struct hand {
	pid_t pid; /* 0: none */
	int orders, answers;
	int test; /* that it runs; -1 */
	int next; /* the first test that it may still have to run */
	double heard; /* when it last said something */
	bool opened; /* it has said something since it was started */
	bool last; /* it runs no more */
	uint64_t instances, hits;
	char *line;
	size_t size, room;
};

struct crew {
	struct work *work;
	struct hand *hands;
	double end; /* of the time for all */
	sigset_t outside; /* signals as they were */
	pid_t parent;
	bool failed; /* a test failed: see fail_fast */
};

static void
on_signal(int number)
{
	(void)number;
	stop = 1;
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

#define NSTOPS (sizeof(stops) / sizeof(*stops))

/* Blocked but for the moment of waiting, so that none is missed. */
static void
catch_signals(struct sigaction *old, sigset_t *outside)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	stop = 0;
	for (i = 0; i < NSTOPS; i++) {
		sigaction(stops[i], &action, &old[i]);
		sigaddset(&set, stops[i]);
	}
	sigprocmask(SIG_BLOCK, &set, outside);
}

static void
release_signals(const struct sigaction *old, const sigset_t *outside)
{
	size_t i;

	for (i = 0; i < NSTOPS; i++)
		sigaction(stops[i], &old[i], NULL);
	sigprocmask(SIG_SETMASK, outside, NULL);
}

/* ---- hands ------------------------------------------------------------- */

static json_t **
result_of(const struct crew *c, const struct hand *h, int test)
{
	size_t device = (size_t)(h - c->hands);

	return &c->work->results[(size_t)test *
	    (size_t)c->work->ndevices + device];
}

static _Noreturn void
become_worker(struct crew *c, int device, int orders, int answers)
{
	size_t s;
	int i;

	for (i = 0; i < c->work->ndevices; i++)
		if (c->hands[i].pid && i != device) {
			close(c->hands[i].orders);
			close(c->hands[i].answers);
		}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != c->parent)
		_exit(1); /* it died before we asked */
	/* a terminal's ^C is for the parent, which then ends us */
	for (s = 0; s < NSTOPS; s++)
		signal(stops[s], SIG_IGN);
	sigprocmask(SIG_SETMASK, &c->outside, NULL);
	worker_main(c->work, device, orders, answers);
}

static bool
hand_start(struct crew *c, int device, struct err *err)
{
	struct hand *h = &c->hands[device];
	int orders[2], answers[2];

	if (pipe(orders) != 0)
		return err_set(err, ERR_IO, (struct loc){0}, "pipe: %s",
		    strerror(errno));
	if (pipe(answers) != 0) {
		close(orders[0]);
		close(orders[1]);
		return err_set(err, ERR_IO, (struct loc){0}, "pipe: %s",
		    strerror(errno));
	}
	fflush(NULL);
	h->pid = fork();
	if (h->pid == 0) {
		close(orders[1]);
		close(answers[0]);
		become_worker(c, device, orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	h->orders = orders[1];
	h->answers = answers[0];
	if (h->pid < 0) {
		h->pid = 0;
		close(h->orders);
		close(h->answers);
		return err_set(err, ERR_IO, (struct loc){0}, "fork: %s",
		    strerror(errno));
	}
	h->size = 0;
	h->test = -1;
	h->opened = h->last = false;
	return true;
}

static int
hand_end(struct hand *h, bool kill_it)
{
	int status = 0;

	if (!h->pid)
		return 0;
	if (kill_it)
		kill(h->pid, SIGKILL);
	close(h->orders);
	close(h->answers);
	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
	return status;
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
take_result(struct crew *c, struct hand *h, json_t *test)
{
	struct work *w = c->work;
	int number = h->test;

	*result_of(c, h, number) = test;
	h->test = -1;
	if (verdict_exit(test) == STATUS_FOUND)
		c->failed = true;
	w->done(w->user, number, (int)(h - c->hands));
}

/* The worker is gone, and its test with it. */
static void
lose_test(struct crew *c, struct hand *h, enum verdict verdict,
    const char *message)
{
	struct arena *a = arena_new();
	struct result r;

	campaign_lost(c->work->tests[h->test], c->work->effort.model, verdict,
	    message, a, &r);
	r.device = (int)(h - c->hands);
	take_result(c, h, results_test(&r, a));
	arena_free(a);
}

static void
lost(struct crew *c, struct hand *h, int status)
{
	char message[160];

	if (h->test < 0)
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

/* ---- talking ----------------------------------------------------------- */

static bool
has_work(const struct crew *c, struct hand *h)
{
	while (h->next < c->work->ntests && *result_of(c, h, h->next))
		h->next++;
	return h->next < c->work->ntests;
}

static int
tests_left(const struct crew *c, const struct hand *h)
{
	int i, n = 0;

	for (i = h->next; i < c->work->ntests; i++)
		n += *result_of(c, h, i) == NULL;
	return n;
}

static void
give_order(struct crew *c, struct hand *h)
{
	double left = c->end - wall_clock();
	struct order o = {h->next, left / tests_left(c, h)};

	if (o.seconds < SHARE_LEAST)
		o.seconds = SHARE_LEAST;
	h->test = h->next++;
	h->heard = wall_clock();
	h->instances = h->hits = 0;
	/* if it is gone, the end of its answers will tell */
	if (write(h->orders, &o, sizeof(o)) < 0 && errno != EPIPE)
		h->heard = 0;
}

static bool
heard_line(struct crew *c, struct hand *h, char *line, struct err *err)
{
	json_t *test;

	h->heard = wall_clock();
	h->opened = true;
	switch (line[0]) {
	case 'P':
		sscanf(line, "P %" SCNu64 " %" SCNu64, &h->instances,
		    &h->hits);
		return true;
	case 'R':
	case 'L':
		test = json_loads(line + 2, 0, NULL);
		if (!test || h->test < 0)
			break;
		take_result(c, h, test);
		h->last = line[0] == 'L';
		return true;
	case 'E':
		return err_set(err, ERR_DEVICE, (struct loc){0}, "%s",
		    line + 2);
	}
	return err_set(err, ERR_DEVICE, (struct loc){0},
	    "a worker said what it should not: %.80s", line);
}

static bool
grow_line(struct hand *h, struct err *err)
{
	size_t room = h->room ? 2 * h->room : 65536;
	char *line;

	if (h->size + 1 < h->room)
		return true;
	line = room <= LINE_LIMIT ? realloc(h->line, room) : NULL;
	if (!line)
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "a result of more than %zu bytes", h->size);
	h->line = line;
	h->room = room;
	return true;
}

/* What there is to read; then every whole line. */
static bool
listen(struct crew *c, struct hand *h, bool *ended, struct err *err)
{
	char *start, *end;
	ssize_t n;

	if (!grow_line(h, err))
		return false;
	n = read(h->answers, h->line + h->size, h->room - h->size - 1);
	if (n < 0 && errno == EINTR)
		return true;
	*ended = n <= 0;
	if (n > 0)
		h->size += (size_t)n;
	h->line[h->size] = '\0';
	start = h->line;
	while ((end = memchr(start, '\n',
	    h->size - (size_t)(start - h->line)))) {
		*end = '\0';
		if (!heard_line(c, h, start, err))
			return false;
		start = end + 1;
	}
	h->size -= (size_t)(start - h->line);
	memmove(h->line, start, h->size);
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

	if (h->test < 0 || wall_clock() < h->heard + limit)
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

static bool
put_to_work(struct crew *c, bool *busy, struct err *err)
{
	int i;

	*busy = false;
	for (i = 0; i < c->work->ndevices; i++) {
		struct hand *h = &c->hands[i];

		if (h->test < 0 && has_work(c, h)) {
			if (!h->pid && !hand_start(c, i, err))
				return false;
			give_order(c, h);
		}
		*busy |= h->test >= 0;
	}
	return true;
}

static bool
wait_and_listen(struct crew *c, struct err *err)
{
	struct pollfd fds[DEVICES_MAX];
	const struct timespec pause = {0, (long)(LOOK_SECONDS * 1e9)};
	int i, n = c->work->ndevices;

	for (i = 0; i < n; i++) {
		fds[i].fd = c->hands[i].pid ? c->hands[i].answers : -1;
		fds[i].events = POLLIN;
		fds[i].revents = 0;
	}
	if (ppoll(fds, (nfds_t)n, &pause, &c->outside) < 0)
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

	for (i = 0; i < c->work->ndevices && c->work->progress; i++)
		c->work->progress(c->work->user, i, c->hands[i].test,
		    c->hands[i].instances, c->hands[i].hits);
}

static enum work_end
loop(struct crew *c, struct err *err)
{
	bool busy;

	for (;;) {
		if (stop)
			return WORK_INTERRUPTED;
		if (c->failed && c->work->fail_fast)
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
	struct sigaction old[NSTOPS], pipe_old;
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	enum work_end end;
	int i;

	c.hands = calloc((size_t)w->ndevices, sizeof(*c.hands));
	if (!c.hands) {
		err_set(err, ERR_LIMIT, (struct loc){0}, "out of memory");
		return WORK_FAILED;
	}
	for (i = 0; i < w->ndevices; i++)
		c.hands[i].test = -1;
	sigaction(SIGPIPE, &ignore, &pipe_old);
	catch_signals(old, &c.outside);
	end = loop(&c, err);
	for (i = 0; i < w->ndevices; i++) {
		hand_end(&c.hands[i], end != WORK_DONE);
		free(c.hands[i].line);
	}
	free(c.hands);
	release_signals(old, &c.outside);
	sigaction(SIGPIPE, &pipe_old, NULL);
	return end;
}
