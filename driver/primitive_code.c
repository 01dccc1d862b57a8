/* The PTX of primitives: built in, or a user's. */
#include "primitive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_MAX ((size_t)64 << 20)
#define COMPILE_SECONDS 300

/* ---- one primitive's part of a module ----------------------------------- */

static const char *
line_end(const char *s)
{
	const char *end = strchr(s, '\n');

	return end ? end + 1 : s + strlen(s);
}

/* The name of the entry point that starts on this line, or NULL. */
static const char *
entry_name(const char *line, size_t *n)
{
	static const char *const starts[] = {
		".visible .entry ", ".entry ", ".weak .entry ",
	};
	size_t i, k;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		k = strlen(starts[i]);
		if (strncmp(line, starts[i], k) == 0) {
			*n = strcspn(line + k, "( \t\n");
			return line + k;
		}
	}
	return NULL;
}

static bool
listed(const char *name, size_t n, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			return true;
	return false;
}

/* A variable in shared memory that several kernels name, so that the
   compiler declared it outside of them. */
struct shared_line {
	const char *line, *name;
	size_t size, name_size;
};

#define SHARED_MAX 64

static bool
shared_line(const char *s, size_t size, struct shared_line *v)
{
	size_t i, end;

	if (strncmp(s, ".shared ", 8) != 0)
		return false;
	end = strcspn(s, "[;=");
	while (end > 0 && s[end - 1] == ' ')
		end--;
	for (i = end; i > 0 && s[i - 1] != ' '; i--)
		continue;
	*v = (struct shared_line){s, s + i, size, end - i};
	return true;
}

static bool
mentions(const char *s, size_t size, const struct shared_line *v)
{
	const char *end = s + size;

	while ((s = memmem(s, (size_t)(end - s), v->name, v->name_size))) {
		s += v->name_size;
		if (*s == ']' || *s == ';' || *s == '+' || *s == ' ')
			return true;
	}
	return false;
}

/* An entry point, with the shared variables it names inside of it: each
   kernel has its own anyway. */
static void
append_entry(struct text *t, const char *s, size_t size,
    const struct shared_line *shared, int nshared)
{
	const char *open = memmem(s, size, "\n{\n", 3);
	size_t head = open ? (size_t)(open + 3 - s) : 0;
	int i;

	text_append(t, s, head);
	for (i = 0; i < nshared; i++)
		if (mentions(s, size, &shared[i])) {
			text_append(t, "\t", 1);
			text_append(t, shared[i].line, shared[i].size);
		}
	text_append(t, s + head, size - head);
}

bool
ptx_extract(struct text *t, const char *ptx, const char *const *names,
    int count)
{
	struct shared_line shared[SHARED_MAX];
	const char *s = ptx, *end, *name;
	bool found = false;
	int nshared = 0;
	size_t n = 0;

	for (; *s; s = end) {
		end = line_end(s);
		name = entry_name(s, &n);
		if (name) {
			end = strstr(s, "\n}");
			end = end ? line_end(end + 1) : s + strlen(s);
			if (!listed(name, n, names, count))
				continue;
			found = true;
			append_entry(t, s, (size_t)(end - s), shared,
			    nshared);
		} else if (nshared < SHARED_MAX && shared_line(s,
		    (size_t)(end - s), &shared[nshared])) {
			nshared++;
		} else {
			text_append(t, s, (size_t)(end - s));
		}
	}
	return found;
}

/* ---- built in ----------------------------------------------------------- */

/* "grid.90.ptx" of the stem "grid": 90; 0: something else. */
static int
target_of(const char *file, const char *stem)
{
	size_t n = strlen(stem);
	char *end;
	long sm;

	if (strncmp(file, stem, n) != 0 || file[n] != '.')
		return 0;
	sm = strtol(file + n + 1, &end, 10);
	return strcmp(end, ".ptx") == 0 ? (int)sm : 0;
}

/* The highest target that the device still takes. */
static const struct embedded *
embedded_ptx(const char *stem, int sm, int *lowest)
{
	const struct embedded *e, *best = NULL;
	int target, best_target = 0;

	*lowest = 0;
	for (e = embedded_files; e->name; e++) {
		target = target_of(e->name, stem);
		if (target == 0)
			continue;
		if (*lowest == 0 || target < *lowest)
			*lowest = target;
		if (target <= sm && target > best_target) {
			best = e;
			best_target = target;
		}
	}
	return best;
}

static bool
builtin_code(const struct primitive *p, int sm, const char **ptx,
    struct err *err)
{
	const struct embedded *e;
	int lowest;

	e = embedded_ptx(p->origin->stem, sm, &lowest);
	if (e) {
		*ptx = e->text;
		return true;
	}
	if (lowest == 0)
		return err_set(err, ERR_UNSUPPORTED, p->loc,
		    "not built in: there was no nvcc to compile kernels/%s.cu",
		    p->origin->stem);
	return err_set(err, ERR_UNSUPPORTED, p->loc,
	    "needs sm_%d; the device is sm_%d", lowest, sm);
}

bool
primitive_code(const struct primitive *p, int sm, bool validate, bool bench,
    struct arena *a, const char **code, struct err *err)
{
	const char *names[2], *ptx = p->origin->code;
	struct text t;
	int n = 0;

	if (validate)
		names[n++] = arena_printf(a, "%s_validate", p->name);
	if (bench)
		names[n++] = arena_printf(a, "%s_bench", p->name);

	if (!ptx && !builtin_code(p, sm, &ptx, err))
		return false;
	if (p->origin->cubin) {
		*code = ptx;
		return true;
	}
	text_init(&t, a);
	if (!ptx_extract(&t, ptx, names, n))
		return err_set(err, ERR_INPUT, p->loc,
		    "the code has no kernel %s", names[0]);
	*code = t.s;
	return true;
}

/* ---- a user's ----------------------------------------------------------- */

static bool
has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && strcmp(s + n - k, suffix) == 0;
}

static bool
write_file(const char *path, const char *text, size_t size, struct err *err)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(text, 1, size, f) == size;

	if (f && fclose(f) != 0)
		ok = false;
	return ok || err_set(err, ERR_IO, (struct loc){0}, "%s: %s", path,
	    strerror(errno));
}

/* The harness's headers, as they were built in, for the user's #include. */
static bool
write_headers(const char *directory, struct arena *a, struct err *err)
{
	const struct embedded *e;

	for (e = embedded_files; e->name; e++)
		if ((has_suffix(e->name, ".cuh") ||
		    has_suffix(e->name, ".h")) &&
		    !write_file(arena_printf(a, "%s/%s", directory, e->name),
		    e->text, e->size, err))
			return false;
	return true;
}

static void
remove_files(const char *directory, struct arena *a)
{
	const struct embedded *e;

	for (e = embedded_files; e->name; e++)
		unlink(arena_printf(a, "%s/%s", directory, e->name));
	unlink(arena_printf(a, "%s/out.ptx", directory));
	rmdir(directory);
}

static bool
read_code(struct origin *o, const char *path, struct arena *a,
    struct err *err)
{
	struct source source;

	if (!source_read(path, CODE_MAX, a, &source, err))
		return false;
	o->code = source.text;
	o->size = source.size;
	return true;
}

static bool
compile_in(struct origin *o, int sm, const char *directory, struct arena *a,
    struct err *err)
{
	const char *nvcc = tool_find("nvcc", a);
	const char *out = arena_printf(a, "%s/out.ptx", directory);
	const char *argv[] = {
		nvcc, "-std=c++17", "-O3",
		arena_printf(a, "-arch=compute_%d", sm), "-I", directory,
		"-ptx", "-o", out, o->path, NULL,
	};
	struct text log;
	int status = 0;

	if (!nvcc)
		return err_set(err, ERR_UNSUPPORTED, o->loc,
		    "%s: no nvcc here to compile it; give a .ptx or .cubin",
		    o->path);
	text_init(&log, a);
	if (!write_headers(directory, a, err) ||
	    !tool_run(argv, COMPILE_SECONDS, 1 << 20, &log, &status, err))
		return false;
	if (status != 0)
		return err_set(err, ERR_INPUT, o->loc, "nvcc: %s",
		    text_clean(a, log.s, log.size));
	return read_code(o, out, a, err);
}

bool
origin_load(struct origin *o, int sm, struct arena *a, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *directory;
	bool ok;

	if (!o->path || o->code)
		return true;
	o->cubin = has_suffix(o->path, ".cubin");
	if (!has_suffix(o->path, ".cu"))
		return read_code(o, o->path, a, err);
	directory = arena_printf(a, "%s/fencepost-XXXXXX",
	    tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(directory))
		return err_set(err, ERR_IO, o->loc, "%s: %s", directory,
		    strerror(errno));
	ok = compile_in(o, sm, directory, a, err);
	remove_files(directory, a);
	return ok;
}
