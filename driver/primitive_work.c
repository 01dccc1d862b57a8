/*
 * A process for the device: a hang or a fault takes that with it, and a new
 * one goes on with the next primitive. Entries come back as lines of JSON.
 */
#include "primitive.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 60 /* seconds beyond what an item should take */

struct worker {
	pid_t pid;
	FILE *from;
};

static bool
put(FILE *to, json_t *entry)
{
	bool ok = json_dumpf(entry, to, JSON_COMPACT) == 0 &&
	    fputc('\n', to) != EOF && fflush(to) == 0;

	json_decref(entry);
	return ok;
}

/* In the worker. What cannot be opened is said once, in place of an entry. */
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
	for (i = first; ok && i < s->nitems; i++) {
		arena_reset(a);
		ok = rig_study(&rig, s->items[i], a, &entry);
		ok = put(to, entry) && ok;
	}
	if (ok)
		rig_close(&rig);
	arena_free(a);
}

static bool
start(const struct study *s, int first, struct worker *w, struct err *err)
{
	int ends[2];

	if (pipe(ends) != 0)
		return err_set(err, ERR_IO, (struct loc){0}, "pipe: %s",
		    strerror(errno));
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0) {
		FILE *to = fdopen(ends[1], "w");

		close(ends[0]);
		if (to)
			work(s, first, to);
		_exit(0); /* whatever the device still does */
	}
	close(ends[1]);
	w->from = w->pid < 0 ? NULL : fdopen(ends[0], "r");
	if (w->from)
		return true;
	close(ends[0]);
	return err_set(err, ERR_IO, (struct loc){0}, "fork: %s",
	    strerror(errno));
}

static void
finish(struct worker *w)
{
	kill(w->pid, SIGKILL);
	fclose(w->from);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* A line, or NULL when there is none in time or the worker is gone. */
static json_t *
next_entry(const struct study *s, struct worker *w, bool *late)
{
	struct pollfd p = {fileno(w->from), POLLIN, 0};
	double wait = s->seconds + 2 * s->timeout + GRACE;

	*late = poll(&p, 1, (int)(wait * 1e3)) == 0;
	return *late ? NULL : json_loadf(w->from, JSON_DISABLE_EOF_CHECK,
	    NULL);
}

/* Of a primitive that took its process with it. */
static json_t *
lost(const struct study *s, const struct primitive *p, bool late)
{
	struct arena *a = arena_new();
	json_t *o = primitive_entry(s, p, a);

	json_object_set_new(o, "verdict", json_string(
	    p->fails == FAILS_NOT ? "broken" : "pass"));
	json_object_set_new(o, "findings", json_pack("[{s:s, s:i, s:s}]",
	    "kind", late ? "hang" : "fault", "count", 1, "detail",
	    late ? "no end, and no answer" : "it took the process with it"));
	arena_free(a);
	return o;
}

static bool
device_error(json_t *entry, struct err *err)
{
	const char *message = json_string_value(json_object_get(entry,
	    "error"));

	if (!message)
		return false;
	err_set(err, ERR_DEVICE, (struct loc){0}, "%s", message);
	json_decref(entry);
	return true;
}

bool
primitives_run(const struct study *s,
    void (*done)(void *user, const struct primitive *p, json_t *entry),
    void *user, struct err *err)
{
	struct worker w;
	json_t *entry;
	int i = 0, first;
	bool late;

	while (i < s->nitems) {
		if (!start(s, i, &w, err))
			return false;
		for (first = i; i < s->nitems; i++) {
			entry = next_entry(s, &w, &late);
			if (!entry)
				break;
			if (device_error(entry, err)) {
				finish(&w);
				return false;
			}
			done(user, s->items[i], entry);
		}
		/* a worker that ended after an entry ended because of it */
		if (i < s->nitems && (i == first || late)) {
			done(user, s->items[i], lost(s, s->items[i], late));
			i++;
		}
		finish(&w);
	}
	return true;
}
