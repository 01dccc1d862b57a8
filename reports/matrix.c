#include "reports.h"

#include <stdlib.h>
#include <string.h>

const struct cell_row cell_rows[CELL_COUNT] = {
	[CELL_NONE] = {"none", " ", "no such test"},
	[CELL_SEEN] = {"seen", "W", "allowed, and it showed"},
	[CELL_UNSEEN] = {"unseen", "-", "allowed, but it did not show"},
	[CELL_SILENT] = {"silent", "+", "forbidden, and it did not show"},
	[CELL_MUTE] = {"mute", "~",
	    "forbidden and not seen, but nor were its broken twins"},
	[CELL_BROKEN] = {"broken", "X", "FORBIDDEN, AND IT SHOWED"},
	[CELL_UNJUDGED] = {"unjudged", "?", "the model has no verdict"},
	[CELL_NOT_RUN] = {"notrun", ".", "not run"},
	[CELL_FAILED] = {"failed", "E",
	    "no result: hang, fault, corrupt value or changed code"},
};

static bool
target_seen(const struct doc_test *t)
{
	int i;

	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].target && t->rows[i].count)
			return true;
	return false;
}

enum cell
test_cell(const struct doc_test *t)
{
	if (t->verdict == VERDICT_NOT_RUN)
		return CELL_NOT_RUN;
	if (t->verdict == VERDICT_FORBIDDEN)
		return CELL_BROKEN;
	if (t->verdict != VERDICT_PASS && t->verdict != VERDICT_EXPECTATION)
		return CELL_FAILED;
	if (t->answer == DOC_NONE)
		return CELL_UNJUDGED;
	if (t->answer == DOC_ALLOWED)
		return target_seen(t) ? CELL_SEEN : CELL_UNSEEN;
	return t->evidence &&
	    t->evidence->strength == DOC_STRENGTH_NO_EVIDENCE ? CELL_MUTE :
	    CELL_SILENT;
}

/* ---- placements -------------------------------------------------------- */

/* The number after the last `key` before the end of this thread's place. */
static long
part(const char *s, size_t n, const char *key)
{
	size_t k = strlen(key), i;

	for (i = 0; i + k <= n; i++)
		if (strncmp(s + i, key, k) == 0 && (i == 0 ||
		    s[i - 1] == ' ' || s[i - 1] == ','))
			return strtol(s + i + k, NULL, 10);
	return -1;
}

const char *const placement_names[PLACEMENTS] = {
	"across GPUs", "across CTAs", "across the CTAs of one cluster",
	"inside one CTA", "inside one warp", "",
};

/*
 * The widest distance between threads. `placement` lists the threads as
 * "0: gpu 0, cluster 0, cta 0; 1: gpu 0, cluster 0, cta 1, warp 2".
 */
int
placement_class(const struct doc_test *t)
{
	static const char *const keys[] = {"gpu ", "cluster ", "cta "};
	long first[3] = {0}, warp = -1;
	const char *s = t->placement;
	int class = 4, i, threads = 0;

	for (; s && *s; threads++) {
		size_t n = strcspn(s, ";");

		for (i = 0; i < 3; i++) {
			long x = part(s, n, keys[i]);

			if (threads == 0)
				first[i] = x;
			else if (x != first[i] && class > i)
				class = i;
		}
		if (threads == 0)
			warp = part(s, n, "warp ");
		else if (class == 4 && (warp < 0 ||
		    part(s, n, "warp ") != warp))
			class = 3;
		s += n + (s[n] == ';');
	}
	return threads < 2 ? 5 : class;
}

/* ---- tables ------------------------------------------------------------ */

#define NAMES_MAX 300 /* rows, and columns; beyond it nobody looks */
#define GROUPS_MAX 32
#define DENSE 3 /* cells that a row or a column must have */

/* Tests that stand in one table: placed alike, with the same "@suffix". */
struct group {
	int class;
	const char *suffix;
};

struct grid {
	const char *rows[NAMES_MAX], *columns[NAMES_MAX];
	int nrows, ncolumns;
	const struct doc_test *cells[NAMES_MAX][NAMES_MAX];
	bool row_out[NAMES_MAX], column_out[NAMES_MAX];
};

static const char *
suffix_of(const struct doc_test *t)
{
	const char *at = t->variant ? strchr(t->variant, '@') : NULL;

	return at ? at : "";
}

/* The variant without its suffix. */
static const char *
column_name(const struct doc_test *t, struct arena *a)
{
	const char *at = suffix_of(t);

	if (!t->variant || !*t->variant || at == t->variant)
		return "(base)";
	return *at ? arena_strndup(a, t->variant,
	    (size_t)(at - t->variant)) : t->variant;
}

/* The index of the name, which is added if it is new; -1: no room. */
static int
name_index(const char **list, int *count, const char *name)
{
	int i;

	for (i = *count - 1; i >= 0; i--)
		if (strcmp(list[i], name) == 0)
			return i;
	if (*count == NAMES_MAX)
		return -1;
	list[(*count)++] = name;
	return *count - 1;
}

static bool
in_group(const struct doc_test *t, int device, const struct group *g)
{
	return t->device == (uint64_t)device &&
	    strcmp(suffix_of(t), g->suffix) == 0 &&
	    placement_class(t) == g->class;
}

/* Every kind of placement on the device, the widest first. */
static int
find_groups(const struct document *d, int device, struct group *groups)
{
	int class, i, k, n = 0;

	for (class = 0; class < 6; class++)
		for (i = 0; i < d->ntests; i++) {
			const struct doc_test *t = &d->tests[i];
			struct group g = {class, suffix_of(t)};

			for (k = 0; k < n; k++)
				if (in_group(t, device, &groups[k]))
					break;
			if (k == n && n < GROUPS_MAX &&
			    in_group(t, device, &g))
				groups[n++] = g;
		}
	return n;
}

static void
fill_grid(struct grid *g, const struct document *d, int device,
    const struct group *group, struct arena *a)
{
	int i, row, column;

	memset(g, 0, sizeof(*g));
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (!in_group(t, device, group))
			continue;
		row = name_index(g->rows, &g->nrows, t->family);
		column = name_index(g->columns, &g->ncolumns,
		    column_name(t, a));
		if (row >= 0 && column >= 0)
			g->cells[row][column] = t;
	}
}

static int
count_row(const struct grid *g, int row)
{
	int i, n = 0;

	for (i = 0; i < g->ncolumns; i++)
		n += !g->column_out[i] && g->cells[row][i];
	return n;
}

static int
count_column(const struct grid *g, int column)
{
	int i, n = 0;

	for (i = 0; i < g->nrows; i++)
		n += !g->row_out[i] && g->cells[i][column];
	return n;
}

/* Takes out rows and columns that are nearly empty, until none is. */
static void
thin_out(struct grid *g)
{
	bool again = true;
	int i;

	while (again) {
		again = false;
		for (i = 0; i < g->nrows; i++)
			if (!g->row_out[i] && count_row(g, i) < DENSE)
				again = g->row_out[i] = true;
		for (i = 0; i < g->ncolumns; i++)
			if (!g->column_out[i] && count_column(g, i) < DENSE)
				again = g->column_out[i] = true;
	}
}

/* What is left of the grid; its tests are marked as taken. */
static bool
keep_grid(const struct grid *g, const struct document *d,
    const struct group *group, struct matrix *m, bool *taken,
    struct arena *a)
{
	int i, k;

	*m = (struct matrix){.placement = placement_names[group->class],
	    .suffix = group->suffix};
	m->rows = arena_alloc(a, NAMES_MAX * sizeof(*m->rows));
	m->columns = arena_alloc(a, NAMES_MAX * sizeof(*m->columns));
	for (k = 0; k < g->ncolumns; k++)
		if (!g->column_out[k])
			m->columns[m->ncolumns++] = g->columns[k];
	m->cells = arena_alloc(a, (size_t)g->nrows * (size_t)m->ncolumns *
	    sizeof(*m->cells));
	for (i = 0; i < g->nrows; i++) {
		int column = 0;

		if (g->row_out[i])
			continue;
		for (k = 0; k < g->ncolumns; k++) {
			const struct doc_test *t = g->cells[i][k];

			if (g->column_out[k])
				continue;
			m->cells[m->nrows * m->ncolumns + column++] = t;
			if (t)
				taken[t - d->tests] = true;
		}
		m->rows[m->nrows++] = g->rows[i];
	}
	return m->nrows > 0;
}

static int
by_family(const void *a, const void *b)
{
	const struct doc_test *s = *(const struct doc_test *const *)a;
	const struct doc_test *t = *(const struct doc_test *const *)b;
	int order = strcmp(s->family, t->family);

	return order ? order : s < t ? -1 : s > t;
}

void
matrices_make(const struct document *d, int device, struct arena *a,
    struct matrices *m)
{
	struct grid *g = arena_alloc(a, sizeof(*g));
	bool *taken = arena_alloc(a, (size_t)d->ntests + 1);
	struct group groups[GROUPS_MAX];
	int i, n = find_groups(d, device, groups);

	*m = (struct matrices){0};
	m->list = arena_alloc(a, GROUPS_MAX * sizeof(*m->list));
	for (i = 0; i < n; i++) {
		fill_grid(g, d, device, &groups[i], a);
		thin_out(g);
		m->count += keep_grid(g, d, &groups[i], &m->list[m->count],
		    taken, a);
	}
	m->rest = arena_alloc(a, ((size_t)d->ntests + 1) *
	    sizeof(*m->rest));
	for (i = 0; i < d->ntests; i++)
		if (!taken[i] && d->tests[i].device == (uint64_t)device)
			m->rest[m->nrest++] = &d->tests[i];
	qsort(m->rest, (size_t)m->nrest, sizeof(*m->rest), by_family);
}
