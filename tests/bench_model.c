/*
 * How fast the model is, on one core: the external suite, the suite of
 * litmus/, and how it grows. bench_model [FOLDER of tests]...
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../driver/driver.h"
#include "help_external.h"

#define TURNS 5 /* the fastest of so many counts */

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the fastest turn; *outcomes as the model says, *fits false if it is too
   large. */
static double
time_program(const struct program *p, int turns, struct outcomes *out,
    bool *fits, struct err *err)
{
	double best = -1;
	int i;

	for (i = 0; i < turns; i++) {
		struct arena *a = arena_new();
		struct model_opts opts;
		double start = seconds(), took;

		model_defaults(&opts, MODEL_PTX);
		*fits = model_run(p, &opts, a, out, err);
		took = seconds() - start;
		arena_free(a);
		if (!*fits)
			return took;
		if (best < 0 || took < best)
			best = took;
	}
	return best;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
print_times(const char *what, double *times, int n)
{
	double sum = 0;
	int i;

	qsort(times, (size_t)n, sizeof(*times), by_size);
	for (i = 0; i < n; i++)
		sum += times[i];
	if (n)
		printf("%-24s %5d tests %9.3f ms in all, median %7.4f ms, "
		    "longest %8.3f ms\n", what, n, 1e3 * sum,
		    1e3 * times[n / 2], 1e3 * times[n - 1]);
}

static void
bench_external(struct arena *a)
{
	const char *folder = external_dat3m();
	struct against list;
	struct err err;
	double *times;
	int i;

	if (!folder || !against_read(arena_printf(a,
	    "%s/expected-v7.5.csv", folder), a, &list, &err))
		return;
	times = arena_alloc(a, (size_t)list.count * sizeof(*times));
	for (i = 0; i < list.count; i++) {
		const struct program *p = against_program(&list.list[i], a);
		struct outcomes out;
		bool fits;

		times[i] = p ? time_program(p, TURNS, &out, &fits, &err) : 0;
	}
	print_times("external, v7.5", times, list.count);
}

/* ---- tests of files --------------------------------------------------- */

static void
add_file(const char *path, struct arena *a, struct suite *suite)
{
	struct source source;
	struct errs errs = {0};
	struct err err;

	if (source_read(path, 1 << 20, a, &source, &err))
		read_any(&source, a, suite, &errs);
}

static void
add_folder(const char *path, struct arena *a, struct suite *suite)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *ending = strrchr(e->d_name, '.');
		const char *inner = arena_printf(a, "%s/%s", path,
		    e->d_name);

		if (ending && strcmp(ending, ".yaml") == 0)
			add_file(inner, a, suite);
		else if (*e->d_name != '.')
			add_folder(inner, a, suite);
	}
	if (d)
		closedir(d);
}

static void
bench_folder(const char *path, struct arena *a)
{
	struct suite suite = {0};
	double *times;
	int i, n = 0;

	add_folder(path, a, &suite);
	times = arena_alloc(a, (size_t)suite.count * sizeof(*times));
	for (i = 0; i < suite.count; i++) {
		struct outcomes out;
		struct err err;
		bool fits;

		times[n] = time_program(&suite.programs[i], TURNS, &out,
		    &fits, &err);
		n += fits;
	}
	print_times(path, times, n);
}

/* ---- growth ----------------------------------------------------------- */

static const struct {
	int threads, accesses, locations;
	const char *fence;
} sizes[] = {
	{2, 2, 2, "fence.sc.gpu"}, {2, 4, 4, "fence.sc.gpu"},
	{2, 6, 4, "fence.sc.gpu"}, {2, 8, 4, "fence.sc.gpu"},
	{3, 2, 3, "fence.sc.gpu"}, {3, 4, 3, "fence.sc.gpu"},
	{4, 2, 4, "fence.sc.gpu"}, {4, 3, 4, "fence.sc.gpu"},
	{4, 4, 4, "fence.acq_rel.gpu"}, {4, 4, 4, "fence.sc.gpu"},
	{4, 4, 3, "fence.sc.gpu"}, {4, 4, 2, "fence.sc.gpu"},
	{4, 4, 1, "fence.sc.gpu"}, {5, 4, 4, "fence.sc.gpu"},
	{6, 2, 6, "fence.sc.gpu"}, {6, 4, 6, "fence.sc.gpu"},
};

/* Stores and loads in turn, all relaxed, a fence between any two; each
   thread starts at another location, and its first load is observed. */
static const char *
sized_text(size_t k, struct arena *a)
{
	struct text t;
	int i, j, n = sizes[k].accesses;

	text_init(&t, a);
	text_printf(&t, "name: sized\nabout: t\nlocations: {l0: 0, l1: 0, "
	    "l2: 0, l3: 0, l4: 0, l5: 0}\nthreads:\n");
	for (i = 0; i < sizes[k].threads; i++) {
		text_printf(&t, "  - cta: %d\n    code: |\n", i);
		for (j = 0; j < n; j++) {
			int l = (i + j) % sizes[k].locations;

			if (j)
				text_printf(&t, "      %s;\n",
				    sizes[k].fence);
			if (j % 2)
				text_printf(&t, "      ld.relaxed.gpu.u32 "
				    "r%d, [l%d];\n", j, l);
			else
				text_printf(&t, "      st.relaxed.gpu.u32 "
				    "[l%d], %d;\n", l, i * n + j + 1);
		}
	}
	text_printf(&t, "exists: '");
	for (i = 0; i < sizes[k].threads; i++)
		text_printf(&t, "%s%d:r1 == 0", i ? " && " : "", i);
	text_printf(&t, "'\n");
	return t.s;
}

static void
bench_size(size_t k)
{
	struct arena *a = arena_new();
	const char *text = sized_text(k, a);
	struct source source = {"sized.yaml", text, strlen(text)};
	struct suite suite = {0};
	struct errs errs = {0};
	struct outcomes out = {0};
	struct err err;
	double took;
	bool fits;

	printf("%d threads, %d accesses, %d locations, %-17s ",
	    sizes[k].threads, sizes[k].accesses, sizes[k].locations,
	    sizes[k].fence);
	if (!read_yaml(&source, a, &suite, &errs)) {
		printf("%s\n", errs.list[0].message);
	} else {
		took = time_program(&suite.programs[0], 1, &out, &fits, &err);
		if (!fits)
			printf("%10.3f ms, %s\n", 1e3 * took, err.message);
		else
			printf("%10.3f ms, %u outcomes, %llu candidates\n",
			    1e3 * took, out.count,
			    (unsigned long long)out.candidates);
	}
	arena_free(a);
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_new();
	size_t k;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	bench_external(a);
	for (i = 1; i < argc; i++)
		bench_folder(argv[i], a);
	for (k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		bench_size(k);
	arena_free(a);
	return 0;
}
