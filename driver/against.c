/* Lists of expected answers: `file,value` a line. */
#include "driver.h"

#include <string.h>

#define LIST_LIMIT ((size_t)4 << 20)

static bool
bad_line(struct loc loc, struct err *err)
{
	return err_set(err, ERR_INPUT, loc, "expected FILE,0 or FILE,1");
}

/* One line without its end; blank lines and // comments say nothing. */
static bool
read_line(const char *line, size_t n, struct loc loc, const char *folder,
    struct arena *a, struct against *list, struct err *err)
{
	const char *comma;
	size_t old = (size_t)list->count;
	struct expected *e;

	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	if (n == 0 || (n >= 2 && memcmp(line, "//", 2) == 0))
		return true;
	comma = memchr(line, ',', n);
	if (!comma || comma == line || comma + 2 != line + n ||
	    (comma[1] != '0' && comma[1] != '1'))
		return bad_line(loc, err);
	list->list = arena_grow(a, list->list, old * sizeof(*e),
	    (old + 1) * sizeof(*e));
	e = &list->list[list->count++];
	e->name = arena_strndup(a, line, (size_t)(comma - line));
	e->path = *e->name == '/' ? e->name : arena_printf(a, "%s%s", folder,
	    e->name);
	e->value = comma[1] == '1';
	return true;
}

bool
against_read(const char *path, struct arena *a, struct against *list,
    struct err *err)
{
	const char *slash = strrchr(path, '/'), *s, *end;
	struct source source;
	struct loc loc = {path, 1, 1};
	char *folder;

	if (!source_read(path, LIST_LIMIT, a, &source, err))
		return false;
	folder = arena_strndup(a, path, slash ? (size_t)(slash + 1 - path) :
	    0);
	*list = (struct against){0};
	for (s = source.text; s < source.text + source.size; s = end + 1) {
		end = memchr(s, '\n', (size_t)(source.text + source.size -
		    s));
		if (!end)
			end = source.text + source.size;
		if (!read_line(s, (size_t)(end - s), loc, folder, a, list,
		    err))
			return false;
		loc.line++;
	}
	return true;
}

const struct program *
against_program(const struct expected *e, struct arena *a)
{
	struct source source;
	struct suite suite = {0};
	struct errs errs = {0};
	struct err err;

	if (!source_read(e->path, LIST_LIMIT, a, &source, &err)) {
		err_print(stderr, &err, NULL);
		return NULL;
	}
	if (!read_any(&source, a, &suite, &errs)) {
		errs_print(stderr, &errs, &source);
		return NULL;
	}
	if (suite.count == 1)
		return &suite.programs[0];
	err_set(&err, ERR_INPUT, (struct loc){e->path, 0, 0},
	    "holds %d test%s, and the list says one answer", suite.count,
	    plural((uint64_t)suite.count));
	err_print(stderr, &err, NULL);
	return NULL;
}

int
against_compare(const char *path, bool (*agrees)(const struct expected *e,
    const struct program *p, const void *user, struct arena *a),
    const void *user, const char *under)
{
	struct arena *a = arena_new(), *each = arena_new();
	struct against list;
	struct err err;
	int i, differ = 0, status = STATUS_NO_VERDICT;

	if (!against_read(path, a, &list, &err)) {
		err_print(stderr, &err, NULL);
	} else {
		for (i = 0; i < list.count; i++) {
			const struct expected *e = &list.list[i];
			const struct program *p = against_program(e, each);

			differ += !p || !agrees(e, p, user, each);
			arena_reset(each);
		}
		printf("%d agree with %s, %d differ (%s)\n",
		    list.count - differ, path, differ, under);
		status = differ ? STATUS_FOUND : STATUS_OK;
	}
	arena_free(each);
	arena_free(a);
	return status;
}
