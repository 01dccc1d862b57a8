/*
 * A journal beside the results document: a line with what a document says
 * of the run as a whole, then a line a finished test. Whenever the run is
 * killed, the tests that were finished can be read back.
 */
#include "driver.h"

#include <errno.h>
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

bool
journal_open(const char *path, const json_t *header, struct journal **out,
    struct err *err)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (!j || !(j->path = strdup(path))) {
		free(j);
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "out of memory");
	}
	j->file = fopen(path, "w");
	if (!j->file || !add_line(j, header)) {
		failed(path, err);
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
	if (j->file)
		fclose(j->file);
	if (remove)
		unlink(j->path);
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

json_t *
journal_read(const char *path, json_t **header, struct err *err)
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
