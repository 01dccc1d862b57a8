/*
 * A journal beside the results document: a line with what a document says
 * of the run as a whole, then a line a finished test. Whenever the run is
 * killed, the tests that were finished can be taken up by another.
 */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
	FILE *file;
	char *path;
};

static bool
failed(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, (struct loc){path, 0, 0}, "%s",
	    strerror(errno));
}

/* A line is out of this process before the next test's begins. */
static bool
add_line(struct journal *j, const json_t *o)
{
	return json_dumpf(o, j->file, JSON_COMPACT | JSON_ENSURE_ASCII) == 0 &&
	    fputc('\n', j->file) != EOF && fflush(j->file) == 0;
}

static bool
add_all(struct journal *j, const json_t *header, json_t *const *results,
    int count)
{
	int i;

	if (!add_line(j, header))
		return false;
	for (i = 0; i < count; i++)
		if (results[i] && !add_line(j, results[i]))
			return false;
	return true;
}

/* A lock of the process: it ends when the process is killed, even where a
   worker of it lives on. Where there are no locks, there is no protection. */
static bool
claim(FILE *f)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fileno(f), F_SETLK, &whole) == 0 ||
	    (errno != EAGAIN && errno != EACCES);
}

static bool
claimed_by_another(const char *path)
{
	FILE *f = fopen(path, "r+");
	bool other = f && !claim(f);

	if (f)
		fclose(f);
	return other;
}

/* The lock goes with the file when that is renamed. */
static bool
begin(struct journal *j, const char *path, const char *temporary,
    struct err *err)
{
	j->file = fopen(temporary, "a");
	if (!j->file)
		return failed(path, err);
	if (claim(j->file)) {
		if (!claimed_by_another(path))
			return ftruncate(fileno(j->file), 0) == 0 ||
			    failed(path, err);
		unlink(temporary);
	}
	return err_set(err, ERR_IO, (struct loc){path, 0, 0},
	    "another run is writing there");
}

/* An earlier journal of this name gives way only when the new one holds
   all that it held. */
bool
journal_open(const char *path, const json_t *header, json_t *const *results,
    int count, struct journal **out, struct err *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	char temporary[4096];
	bool ok;

	if (!j || !(j->path = strdup(path))) {
		free(j);
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "out of memory");
	}
	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.tmp",
	    path) >= sizeof(temporary))
		ok = err_set(err, ERR_LIMIT, (struct loc){path, 0, 0},
		    "name too long");
	else
		ok = begin(j, path, temporary, err) && ((add_all(j, header,
		    results, count) && rename(temporary, path) == 0) ||
		    failed(path, err));
	if (!ok) {
		journal_close(j, false);
		return false;
	}
	*out = j;
	return true;
}

bool
journal_add(struct journal *j, const json_t *test, struct err *err)
{
	return !j || add_line(j, test) || failed(j->path, err);
}

void
journal_close(struct journal *j, bool remove)
{
	if (!j)
		return;
	if (remove) /* before another run can claim it */
		unlink(j->path);
	if (j->file)
		fclose(j->file);
	free(j->path);
	free(j);
}

/* The last line may be torn: the run was killed while it was written. */
static json_t *
read_lines(FILE *f, json_t **header)
{
	json_t *tests = json_array();
	char *line = NULL;
	size_t room = 0;

	*header = NULL;
	while (getline(&line, &room, f) > 0) {
		json_t *o = json_loads(line, 0, NULL);

		if (!o)
			break;
		if (!*header)
			*header = o;
		else
			json_array_append_new(tests, o);
	}
	free(line);
	return tests;
}

static json_t *
read_back(const char *path, json_t **header, struct err *err)
{
	FILE *f = fopen(path, "r");
	json_t *tests, *whole;

	if (!f) {
		failed(path, err);
		return NULL;
	}
	whole = json_loadf(f, 0, NULL);
	if (whole) {
		tests = json_incref(json_object_get(whole, "tests"));
		*header = whole;
	} else {
		rewind(f);
		tests = read_lines(f, header);
	}
	fclose(f);
	if (!*header || !tests || strcmp("fencepost-results", json_is_string(
	    json_object_get(*header, "format")) ? json_string_value(
	    json_object_get(*header, "format")) : "") != 0) {
		err_set(err, ERR_INPUT, (struct loc){path, 0, 0},
		    "neither a results document nor its journal");
		json_decref(tests);
		json_decref(*header);
		return NULL;
	}
	return tests;
}

/* ---- taking up an earlier run ------------------------------------------ */

static bool
same_run(const char *path, const json_t *earlier, const json_t *header,
    struct err *err)
{
	static const char *const keys[] = {
		"seed", "model", "shard", "devices", "hardware",
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!json_equal(json_object_get(earlier, keys[i]),
		    json_object_get(header, keys[i])))
			return err_set(err, ERR_USAGE, (struct loc){0},
			    "--resume: %s was of another %s", path, keys[i]);
	return true;
}

/* Where an earlier result belongs, or NULL. */
static json_t **
place_of(const struct work *w, const json_t *test)
{
	const char *name = json_string_value(json_object_get(test, "name"));
	const char *hash = json_string_value(json_object_get(test,
	    "source_hash"));
	int device = (int)json_integer_value(json_object_get(test, "device"));
	char own[17];
	int i;

	if (!name || !hash || device < 0 || device >= w->ndevices)
		return NULL;
	for (i = 0; i < w->ntests; i++) {
		const struct program *p = w->tests[i];

		snprintf(own, sizeof(own), "%016" PRIx64, p->hash);
		if (strcmp(p->name, name) == 0 && strcmp(own, hash) == 0)
			return &w->results[i * w->ndevices + device];
	}
	return NULL;
}

bool
journal_take_up(const char *path, const json_t *header, struct work *w,
    struct arena *a, struct err *err)
{
	const char *journal = arena_printf(a, "%s.journal", path);
	json_t *earlier = NULL, *tests, *test, **place;
	size_t i;
	bool ok;

	/* the run was killed before there was a document */
	if (access(journal, R_OK) == 0)
		path = journal;
	tests = read_back(path, &earlier, err);
	if (!tests)
		return false;
	ok = same_run(path, earlier, header, err);
	json_array_foreach(tests, i, test) {
		place = ok ? place_of(w, test) : NULL;
		if (place && !*place)
			*place = json_incref(test);
	}
	json_decref(tests);
	json_decref(earlier);
	return ok;
}
