/* Processes of workers, and the signals that end the run. */
#include "crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static const int stops[STOPS] = {SIGINT, SIGTERM, SIGHUP};

static void
on_signal(int number)
{
	(void)number;
	stop = 1;
}

bool
signals_came(void)
{
	return stop;
}

void
signals_note(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	int i;

	for (i = 0; i < STOPS; i++)
		sigaction(stops[i], &action, NULL);
}

void
signals_catch(struct signals *s)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;
	int i;

	sigemptyset(&set);
	stop = 0;
	for (i = 0; i < STOPS; i++) {
		sigaction(stops[i], &action, &s->old[i]);
		sigaddset(&set, stops[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &s->outside);
	/* a worker that is gone is noticed by the end of its answers */
	sigaction(SIGPIPE, &ignore, &s->old_pipe);
}

void
signals_release(struct signals *s)
{
	int i;

	for (i = 0; i < STOPS; i++)
		sigaction(stops[i], &s->old[i], NULL);
	sigaction(SIGPIPE, &s->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &s->outside, NULL);
}

void
signals_leave(const struct signals *s, pid_t parent)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before we asked */
	for (i = 0; i < STOPS; i++)
		signal(stops[i], SIG_IGN);
	sigprocmask(SIG_SETMASK, &s->outside, NULL);
}

/* ---- hands ------------------------------------------------------------- */

static _Noreturn void
become_worker(struct crew *c, const struct hand *h, int orders, int answers)
{
	int i;

	for (i = 0; i < c->nhands; i++)
		if (c->hands[i].pid && &c->hands[i] != h) {
			close(c->hands[i].orders);
			close(c->hands[i].answers);
		}
	signals_leave(&c->signals, c->parent);
	worker_main(c->work, h->device, h->lane, orders, answers);
}

bool
hand_start(struct crew *c, struct hand *h, struct err *err)
{
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
		become_worker(c, h, orders[0], answers[1]);
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
	h->lines.start = h->lines.size = 0; /* another's */
	h->test = -1;
	h->opened = h->last = false;
	h->ready = true;
	return true;
}

int
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

bool
hands_make(struct crew *c, struct err *err)
{
	int lanes = c->work->lanes ? c->work->lanes : 1;
	int i, n = c->work->ndevices * lanes;

	c->nhands = n;
	c->hands = calloc((size_t)n, sizeof(*c->hands));
	c->pending = calloc((size_t)n, (size_t)c->work->ntests);
	if (!c->hands || !c->pending) {
		free(c->hands);
		free(c->pending);
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "out of memory");
	}
	for (i = 0; i < n; i++) {
		c->hands[i].test = -1;
		c->hands[i].device = i % c->work->ndevices;
		c->hands[i].lane = i / c->work->ndevices;
		c->hands[i].pending = c->pending + i * c->work->ntests;
	}
	return true;
}

void
hands_free(struct crew *c, bool kill_them)
{
	int i;

	for (i = 0; i < c->nhands; i++) {
		hand_end(&c->hands[i], kill_them);
		free(c->hands[i].lines.text);
	}
	free(c->hands);
	free(c->pending);
}
