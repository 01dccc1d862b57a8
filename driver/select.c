#include "driver.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)4 << 20)
#define DEPTH_MAX 16
#define FILES_MAX 100000

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

static bool
holds_tests(const char *path)
{
	return ends_with(path, ".yaml") || ends_with(path, ".yml") ||
	    ends_with(path, ".litmus");
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool walk(const char *path, int depth, struct arena *a,
    struct strings *files, struct err *err);

static bool
walk_folder(const char *path, int depth, struct arena *a,
    struct strings *files, struct err *err)
{
	struct strings names = {0};
	struct dirent *entry;
	size_t n = strlen(path);
	DIR *dir = opendir(path);
	int i;

	if (!dir)
		return err_set(err, ERR_IO, (struct loc){path, 0, 0}, "%s",
		    strerror(errno));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			strings_add(&names, a, arena_printf(a, "%s%s%s", path,
			    n && path[n - 1] == '/' ? "" : "/",
			    entry->d_name));
	closedir(dir);
	if (names.count)
		qsort(names.list, (size_t)names.count, sizeof(*names.list),
		    by_name);
	for (i = 0; i < names.count; i++)
		if (!walk(names.list[i], depth + 1, a, files, err))
			return false;
	return true;
}

/* Named on the command line (depth 0), a file may be called anything. */
static bool
walk(const char *path, int depth, struct arena *a, struct strings *files,
    struct err *err)
{
	struct loc loc = {path, 0, 0};
	struct stat st;

	if (stat(path, &st) != 0)
		return depth > 0 || err_set(err, ERR_IO, loc, "%s",
		    strerror(errno));
	if (depth > DEPTH_MAX)
		return err_set(err, ERR_LIMIT, loc,
		    "more than %d folders deep", DEPTH_MAX);
	if (S_ISDIR(st.st_mode))
		return walk_folder(path, depth, a, files, err);
	if (depth > 0 && !(S_ISREG(st.st_mode) && holds_tests(path)))
		return true; /* a pipe, say, would be waited for */
	if (files->count == FILES_MAX)
		return err_set(err, ERR_LIMIT, loc, "more than %d files",
		    FILES_MAX);
	strings_add(files, a, path);
	return true;
}

const char *
data_find(const char *name, struct arena *a)
{
	static const char *const places[] = {
		"", "/../", "/../share/fencepost/",
	};
	const char *folder = program_folder(a);
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *path = arena_printf(a, "%s%s%s", i ? folder : "",
		    places[i], name);

		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

static const char *
default_suite(struct arena *a)
{
	const char *named = getenv("FENCEPOST_SUITE"), *found;

	if (named && *named)
		return named;
	found = data_find("litmus", a);
	return found ? found : "litmus";
}

static void
read_file(const char *path, struct arena *a, struct selection *s)
{
	struct source source;
	struct errs errs = {0};
	struct err err;

	if (!source_read(path, FILE_LIMIT, a, &source, &err)) {
		err_print(stderr, &err, NULL);
		s->bad++;
		return;
	}
	if (!read_any(&source, a, &s->suite, &errs)) {
		errs_print(stderr, &errs, &source);
		s->bad++;
	}
}

/* By name, then place in the suite. */
static int
compare_tests(const void *a, const void *b)
{
	const struct program *p = *(const struct program *const *)a;
	const struct program *q = *(const struct program *const *)b;
	int names = strcmp(p->name, q->name);

	if (names)
		return names;
	return p < q ? -1 : p > q;
}

static const struct program **
sort_tests(const struct program **tests, int count, struct arena *a)
{
	size_t size = (size_t)count * sizeof(*tests);
	const struct program **sorted = arena_grow(a, tests, size, size);

	if (count)
		qsort(sorted, (size_t)count, sizeof(*sorted), compare_tests);
	return sorted;
}

/* As the schema of results documents says of suite_hash. */
static void
selection_changed(struct selection *s, struct arena *a)
{
	const struct program **sorted = sort_tests(s->tests, s->count, a);
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < s->count; i++)
		text_printf(&t, "%s %016llx\n", sorted[i]->name,
		    (unsigned long long)sorted[i]->hash);
	s->total = s->count;
	s->hash = hash64(t.s, t.size, 0);
}

/* "NAME@file", without the folders and the ending. */
static const char *
name_with_file(const struct program *p, struct arena *a)
{
	const char *file = p->loc.source, *slash = strrchr(file, '/'), *dot;

	if (slash)
		file = slash + 1;
	dot = strrchr(file, '.');
	return arena_printf(a, "%s@%.*s", p->name,
	    dot ? (int)(dot - file) : (int)strlen(file), file);
}

static bool
held_before(const struct program *const *first,
    const struct program *const *test)
{
	for (; first < test; first++)
		if ((*first)->hash == (*test)->hash)
			return true;
	return false;
}

/*
 * One test that two files hold, word for word, is one test. Of different
 * tests by one name the later ones are called after their files too.
 */
static void
choose_all(struct selection *s, struct arena *a)
{
	size_t n = (size_t)s->suite.count, i, first = 0;
	const struct program **all = arena_alloc(a, n * sizeof(*all)), **sorted;
	bool *again = arena_alloc(a, n);
	const char **names = arena_alloc(a, n * sizeof(*names));

	for (i = 0; i < n; i++)
		all[i] = &s->suite.programs[i];
	sorted = sort_tests(all, s->suite.count, a);
	for (i = 0; i < n; i++) {
		size_t at = (size_t)(sorted[i] - s->suite.programs);

		if (strcmp(sorted[first]->name, sorted[i]->name) != 0)
			first = i;
		again[at] = held_before(&sorted[first], &sorted[i]);
		names[at] = i == first ? sorted[i]->name :
		    name_with_file(sorted[i], a);
	}
	for (i = 0; i < n; i++) {
		s->suite.programs[i].name = names[i];
		if (!again[i])
			all[s->count++] = all[i];
	}
	s->tests = all;
}

bool
select_read(const struct strings *paths, struct arena *a,
    struct selection *s, struct err *err)
{
	struct strings files = {0};
	int i;

	*s = (struct selection){0};
	for (i = 0; i < paths->count; i++)
		if (!walk(paths->list[i], 0, a, &files, err))
			return false;
	if (paths->count == 0 && !walk(default_suite(a), 0, a, &files, err))
		return false;
	for (i = 0; i < files.count; i++)
		read_file(files.list[i], a, s);
	choose_all(s, a);
	selection_changed(s, a);
	return true;
}

static bool
matches(const char *glob, const struct program *p)
{
	return fnmatch(glob, p->name, 0) == 0 ||
	    fnmatch(glob, p->family, 0) == 0;
}

static bool
wanted(const struct program *p, const struct strings *globs)
{
	bool keep = globs->count == 0 || globs->list[0][0] == '!';
	int i;

	for (i = 0; i < globs->count; i++) {
		const char *glob = globs->list[i];

		if (*glob == '!' && matches(glob + 1, p))
			keep = false;
		else if (*glob != '!' && matches(glob, p))
			keep = true;
	}
	return keep;
}

void
select_filter(struct selection *s, const struct strings *globs,
    struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < s->count; i++)
		if (wanted(s->tests[i], globs))
			s->tests[n++] = s->tests[i];
	s->count = n;
	selection_changed(s, a);
}

bool
select_shard(struct selection *s, const char *shard, int *index, int *count,
    struct err *err)
{
	char end;
	int i, n = 0;

	if (sscanf(shard, "%5d/%5d%c", index, count, &end) != 2 ||
	    *index < 1 || *index > *count)
		return err_set(err, ERR_USAGE, (struct loc){0}, "--shard: "
		    "'%s' is not I/N with I from 1 to N", shard);
	for (i = *index - 1; i < s->count; i += *count)
		s->tests[n++] = s->tests[i];
	s->count = n;
	return true;
}

/* "FILE:NAME" cut in two, where FILE exists; else NULL and the whole. */
static const char *
split_place(const char *test, struct arena *a, const char **name)
{
	const char *colon = strrchr(test, ':');
	char *file;

	*name = test;
	if (access(test, F_OK) == 0) {
		*name = NULL;
		return test;
	}
	if (!colon)
		return NULL;
	file = arena_strndup(a, test, (size_t)(colon - test));
	if (access(file, F_OK) != 0)
		return NULL;
	*name = colon + 1;
	return file;
}

/* At most a few names that are in the suite, for the message. */
static void
not_found(const char *test, const struct selection *s, struct err *err)
{
	char names[240] = "";
	size_t used = 0;
	int i, n = 0;

	for (i = 0; i < s->count && n < 6 && used < sizeof(names) - 48; i++)
		if (strncmp(s->tests[i]->name, test, 2) == 0) {
			used += (size_t)snprintf(names + used,
			    sizeof(names) - used, "%s%.40s", n ? ", " : "",
			    s->tests[i]->name);
			n++;
		}
	err_set(err, ERR_USAGE, (struct loc){0}, "no test '%.80s' among "
	    "%d%s%s", test, s->count, n ? "; there are " : "", names);
}

const struct program *
select_one(const char *test, struct arena *a, struct err *err)
{
	const char *name, *file = split_place(test, a, &name);
	struct strings paths = {0};
	struct selection s;
	int i;

	if (file)
		strings_add(&paths, a, file);
	if (!select_read(&paths, a, &s, err))
		return NULL;
	if (s.count == 0 || (s.bad && file)) {
		err_set(err, ERR_INPUT, (struct loc){0},
		    "'%.200s' holds no test that could be read", test);
		return NULL;
	}
	if (!name && s.count == 1)
		return s.tests[0];
	if (!name) {
		err_set(err, ERR_USAGE, (struct loc){0}, "'%.120s' holds %d "
		    "tests; say which, such as %.120s:%.80s", test, s.count,
		    test, s.tests[0]->name);
		return NULL;
	}
	for (i = 0; i < s.count; i++)
		if (strcmp(s.tests[i]->name, name) == 0)
			return s.tests[i];
	not_found(name, &s, err);
	return NULL;
}
