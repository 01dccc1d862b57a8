/*
 * A process for the device: a hang or a fault takes that with it, and a new
 * one goes on with the next primitive. What it says are lines of JSON: an
 * entry, {"alive": [rounds, crossings]}, or {"error": "..."}.
 */
#include "primitive.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"

#define GRACE 60 /* seconds without a sign of life, beyond a launch's own */
#define LOOK_SECONDS 0.25 /* between looks at the clock */
#define LINE_LIMIT ((size_t)16 << 20)

struct worker {
	pid_t pid;
	int from;
	struct lines lines;
};

/* ---- in the worker ------------------------------------------------------ */

static bool
put(FILE *to, json_t *line)
{
	bool ok = json_dumpf(line, to, JSON_COMPACT) == 0 &&
	    fputc('\n', to) != EOF && fflush(to) == 0;

	json_decref(line);
	return ok;
}

static void
alive(void *user, uint64_t rounds, uint64_t crossings)
{
	put(user, json_pack("{s:[I, I]}", "alive", (json_int_t)rounds,
	    (json_int_t)crossings));
}

/* Each has its part of what is left; with a count and no time, all of it. */
static bool
study_next(struct rig *r, int i, struct arena *a, json_t **entry)
{
	const struct study *s = r->study;
	double seconds = s->seconds;

	if (s->end != 0)
		seconds = (s->end - wall_clock()) / (s->nitems - i);
	else if (s->rounds || s->crossings)
		seconds = INFINITY;
	if (seconds > 0)
		return rig_study(r, s->items[i], seconds, a, entry);
	*entry = primitive_entry(s, s->items[i], a);
	entry_not_run(*entry, no_time_left, a);
	return true;
}

/* What cannot be opened is said once, in place of an entry. */
static void
work(const struct study *s, int first, FILE *to)
{
	struct arena *a = arena_new();
	struct rig rig;
	struct err err = {0};
	json_t *entry;
	bool ok = true;
	int i;

	if (!rig_open(&rig, s, &err)) {
		put(to, json_pack("{s:s}", "error", err.message));
		return;
	}
	rig.alive = alive;
	rig.user = to;
	for (i = first; ok && i < s->nitems; i++) {
		arena_reset(a);
		ok = study_next(&rig, i, a, &entry);
		ok = put(to, entry) && ok;
	}
	if (ok)
		rig_close(&rig);
	arena_free(a);
}

/* ---- in the parent ------------------------------------------------------ */

static bool
start(const struct study *s, int first, const struct signals *signals,
    struct worker *w, struct err *err)
{
	pid_t parent = getpid();
	int ends[2];

	*w = (struct worker){0};
	if (pipe(ends) != 0)
		return err_set(err, ERR_IO, (struct loc){0}, "pipe: %s",
		    strerror(errno));
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0) {
		FILE *to = fdopen(ends[1], "w");

		close(ends[0]);
		signals_leave(signals, parent);
		if (to)
			work(s, first, to);
		_exit(0); /* whatever the device still does */
	}
	close(ends[1]);
	w->from = ends[0];
	if (w->pid > 0)
		return true;
	close(ends[0]);
	return err_set(err, ERR_IO, (struct loc){0}, "fork: %s",
	    strerror(errno));
}

static void
finish(struct worker *w)
{
	kill(w->pid, SIGKILL);
	close(w->from);
	free(w->lines.text);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* A line that is there whole; NULL: none. */
static json_t *
take_line(struct worker *w)
{
	const char *line = lines_next(&w->lines);
	json_t *json = line ? json_loads(line, 0, NULL) : NULL;

	return json || !line ? json : json_object();
}

enum heard { HEARD_LINE, HEARD_NOTHING, HEARD_END, HEARD_SIGNAL };

/* The next line, unless there is none within `wait` seconds. */
static enum heard
listen_to(struct worker *w, const struct signals *signals, double wait,
    json_t **line)
{
	const struct timespec look = {0, (long)(LOOK_SECONDS * 1e9)};
	struct pollfd p = {w->from, POLLIN, 0};
	double until = wall_clock() + wait;
	bool ended = false;
	struct err unsaid; /* that it writes without end */

	while (!(*line = take_line(w))) {
		if (signals_came())
			return HEARD_SIGNAL;
		if (wall_clock() > until)
			return HEARD_NOTHING;
		if (ppoll(&p, 1, &look, &signals->outside) > 0 &&
		    (!lines_read(&w->lines, w->from, LINE_LIMIT, &ended,
		    &unsaid) || ended))
			return HEARD_END;
	}
	return signals_came() ? HEARD_SIGNAL : HEARD_LINE;
}

/* Of a primitive that took its process with it. */
static json_t *
lost(const struct study *s, const struct primitive *p, bool late)
{
	struct arena *a = arena_new();
	json_t *o = primitive_entry(s, p, a);

	entry_lost(p, o, late);
	arena_free(a);
	return o;
}

/* What is known of the work so far. */
struct course {
	const struct study *study;
	const struct listener *listener;
	const struct signals *signals;
	int item; /* the next that an entry is wanted of */
};

/* A line that is no entry; false: the device cannot be used. */
static bool
attend(struct course *p, const json_t *line, bool *entry, struct err *err)
{
	const json_t *life = json_object_get(line, "alive");
	const char *error = json_string_value(json_object_get(line, "error"));

	*entry = !life && !error;
	if (life && p->listener->progress)
		p->listener->progress(p->listener->user,
		    p->study->items[p->item], p->item, (uint64_t)
		    json_integer_value(json_array_get(life, 0)), (uint64_t)
		    json_integer_value(json_array_get(life, 1)));
	return !error || err_set(err, ERR_DEVICE, (struct loc){0}, "%s",
	    error);
}

/* One process, to its end. */
static enum work_end
run_worker(struct course *p, struct worker *w, struct err *err)
{
	const struct study *s = p->study;
	double wait = 2 * s->timeout + GRACE;
	int first = p->item;
	enum heard heard = HEARD_LINE;
	json_t *line;
	bool entry;

	while (p->item < s->nitems) {
		heard = listen_to(w, p->signals, wait, &line);
		if (heard == HEARD_SIGNAL) {
			json_decref(line);
			return WORK_INTERRUPTED;
		}
		if (heard != HEARD_LINE)
			break;
		if (!attend(p, line, &entry, err)) {
			json_decref(line);
			return WORK_FAILED;
		}
		if (entry)
			p->listener->done(p->listener->user,
			    s->items[p->item++], line);
		else
			json_decref(line);
	}
	/* a worker that ended after an entry ended because of it */
	if (p->item < s->nitems && (p->item == first ||
	    heard == HEARD_NOTHING)) {
		p->listener->done(p->listener->user, s->items[p->item],
		    lost(s, s->items[p->item], heard == HEARD_NOTHING));
		p->item++;
	}
	return WORK_DONE;
}

enum work_end
primitives_run(const struct study *s, const struct listener *listener,
    struct err *err)
{
	struct signals signals;
	struct course p = {s, listener, &signals, 0};
	enum work_end end = WORK_DONE;
	struct worker w;

	signals_catch(&signals);
	while (end == WORK_DONE && p.item < s->nitems) {
		if (signals_came()) {
			end = WORK_INTERRUPTED;
		} else if (start(s, p.item, &signals, &w, err)) {
			end = run_worker(&p, &w, err);
			finish(&w);
		} else {
			end = WORK_FAILED;
		}
	}
	signals_release(&signals);
	return end;
}
