#include "driver.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)4 << 20)
#define DEPTH_MAX 16
#define FILES_MAX 100000
#define LIKELY 6 /* names that a message shows */

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

/* The same, should that be taken: with the whole place. */
static const char *
name_with_place(const struct program *p, struct arena *a)
{
	return arena_printf(a, "%s@%s:%d", p->name, p->loc.source,
	    p->loc.line);
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
	size_t n = (size_t)s->suite.count, i, j, first = 0;
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
		for (j = first; j < i; j++)
			if (strcmp(names[sorted[j] - s->suite.programs],
			    names[at]) == 0)
				names[at] = name_with_place(sorted[i], a);
	}
	for (i = 0; i < n; i++) {
		s->suite.programs[i].name = names[i];
		if (!again[i])
			all[s->count++] = all[i];
	}
	s->tests = all;
}

/* ---- operands ----------------------------------------------------------- */

/* "FILE:NAME" cut in two, where FILE exists; NULL: a name of the suite. */
static const char *
split_place(const char *test, struct arena *a, const char **name)
{
	const char *colon = strrchr(test, ':');
	char *file;

	*name = NULL;
	if (access(test, F_OK) == 0)
		return test;
	if (colon) {
		file = arena_strndup(a, test, (size_t)(colon - test));
		*name = colon + 1;
		if (access(file, F_OK) == 0)
			return file;
	}
	*name = test;
	return strchr(test, '/') || holds_tests(test) ? test : NULL;
}

struct likeness {
	const char *name;
	int distance;
};

/* Puts a name among the LIKELY nearest, the nearest first; how many. */
static int
put_near(struct likeness *list, int n, const char *name, int distance)
{
	int i = n < LIKELY ? n++ : LIKELY;

	for (; i > 0 && list[i - 1].distance > distance; i--)
		if (i < LIKELY)
			list[i] = list[i - 1];
	if (i < LIKELY)
		list[i] = (struct likeness){name, distance};
	return n;
}

/* At most a few names that are there and begin alike, for the message. */
static bool
not_found(const char *test, const struct program *programs, int n,
    struct err *err)
{
	struct likeness near[LIKELY];
	char names[LIKELY * 48] = "";
	size_t used = 0;
	int i, shown = 0;

	for (i = 0; i < n; i++)
		if (strncasecmp(programs[i].name, test, 2) == 0)
			shown = put_near(near, shown, programs[i].name,
			    edit_distance(test, strlen(test),
			    programs[i].name, strlen(programs[i].name)));
	for (i = 0; i < shown; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
		    "%s%.40s", i ? ", " : "", near[i].name);
	return err_set(err, ERR_USAGE, (struct loc){0}, "no test '%.80s' "
	    "among %d%s%s", test, n, shown ? "; there are " : "", names);
}

/* Is this test called so, alone or with its family? One of several by its
   name may be called after its file, and keeps that name. */
static bool
is_called(struct program *p, const char *name, struct arena *a)
{
	if (strcmp(p->name, name) == 0 || strcmp(p->family, name) == 0)
		return true;
	if (strcmp(name_with_file(p, a), name) != 0)
		return false;
	p->name = name;
	return true;
}

/* Leaves of the programs from `first` on those that are called so. */
static bool
keep_called(struct suite *suite, int first, const struct strings *names,
    struct arena *a, struct err *err)
{
	struct program *programs = suite->programs + first;
	int i, j, n = 0, count = suite->count - first;
	bool *keep = arena_alloc(a, (size_t)count);

	for (j = 0; j < names->count; j++) {
		bool found = false;

		for (i = 0; i < count; i++)
			if (is_called(&programs[i], names->list[j], a))
				keep[i] = found = true;
		if (!found)
			return not_found(names->list[j], programs, count, err);
	}
	for (i = 0; i < count; i++)
		if (keep[i])
			programs[n++] = programs[i];
	suite->count = first + n;
	return true;
}

/* All of a file or folder, or (unless there are none) what is called so. */
static bool
read_place(struct selection *s, const char *path, const struct strings *names,
    struct arena *a, struct err *err)
{
	struct strings files = {0};
	int i, first = s->suite.count;

	if (!walk(path, 0, a, &files, err))
		return false;
	for (i = 0; i < files.count; i++)
		read_file(files.list[i], a, s);
	return names->count == 0 ||
	    keep_called(&s->suite, first, names, a, err);
}

bool
select_read(const struct strings *tests, struct arena *a,
    struct selection *s, struct err *err)
{
	struct strings of_suite = {0};
	int i;

	*s = (struct selection){0};
	for (i = 0; i < tests->count; i++) {
		struct strings names = {0};
		const char *name, *file;

		file = split_place(tests->list[i], a, &name);
		if (!file)
			strings_add(&of_suite, a, name);
		else if (name && file != name)
			strings_add(&names, a, name);
		if (file && !read_place(s, file, &names, a, err))
			return false;
	}
	if ((of_suite.count || tests->count == 0) &&
	    !read_place(s, default_suite(a), &of_suite, a, err))
		return false;
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

int
select_tests(const struct strings *tests, const struct strings *globs,
    struct arena *a, struct selection *s)
{
	struct err err;

	if (!select_read(tests, a, s, &err)) {
		err_print(stderr, &err, NULL);
		return STATUS_NO_VERDICT;
	}
	select_filter(s, globs, a);
	if (s->count)
		return STATUS_GO_ON;
	if (!s->bad)
		fprintf(stderr, "fencepost: no test is selected\n");
	return s->bad ? STATUS_NO_VERDICT : STATUS_NOTHING;
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

const struct program *
select_one(const char *test, struct arena *a, struct err *err)
{
	const char *name, *file = split_place(test, a, &name);
	struct strings tests = {0};
	struct selection s;
	int i;

	strings_add(&tests, a, test);
	if (!select_read(&tests, a, &s, err))
		return NULL;
	if (s.count == 0 || (s.bad && file)) {
		err_set(err, ERR_INPUT, (struct loc){0},
		    "'%.200s' holds no test that could be read", test);
		return NULL;
	}
	for (i = 0; i < s.count; i++)
		if (s.count == 1 || (name && strcmp(s.tests[i]->name, name) ==
		    0))
			return s.tests[i];
	err_set(err, ERR_USAGE, (struct loc){0}, "'%.120s' holds %d tests; "
	    "say which, such as %.120s%s%.80s", test, s.count,
	    file ? file : "", file ? ":" : "", s.tests[0]->name);
	return NULL;
}
