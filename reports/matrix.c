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

static const char *const placement_names[] = {
	"across GPUs", "across CTAs", "across the CTAs of one cluster",
	"inside one CTA", "inside one warp", "",
};

/*
 * The widest distance between threads. `placement` lists the threads as
 * "0: gpu 0, cluster 0, cta 0; 1: gpu 0, cluster 0, cta 1, warp 2".
 */
static int
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

#define MATRIX_MAX 1000 /* rows, and columns; beyond it nobody looks */

/* The index of the name, which is added if it is new; -1: no room. */
static int
name_index(const char **list, int *count, const char *name)
{
	int i;

	for (i = *count - 1; i >= 0; i--)
		if (strcmp(list[i], name) == 0)
			return i;
	if (*count == MATRIX_MAX)
		return -1;
	list[(*count)++] = name;
	return *count - 1;
}

static bool
wanted(const struct doc_test *t, int device, int class)
{
	return t->device == (uint64_t)device && placement_class(t) == class;
}

static const char *
column_name(const struct doc_test *t)
{
	return t->variant && *t->variant ? t->variant : "(base)";
}

/* The names of rows and columns; false: none, or too many. */
static bool
name_all(struct matrix *m, const struct document *d, int device, int class,
    struct arena *a)
{
	int i;

	m->placement = placement_names[class];
	m->nrows = m->ncolumns = 0;
	m->rows = arena_alloc(a, MATRIX_MAX * sizeof(*m->rows));
	m->columns = arena_alloc(a, MATRIX_MAX * sizeof(*m->columns));
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (wanted(t, device, class) && (
		    name_index(m->rows, &m->nrows, t->family) < 0 ||
		    name_index(m->columns, &m->ncolumns,
		    column_name(t)) < 0))
			return false;
	}
	return m->nrows > 0;
}

static void
fill(struct matrix *m, const struct document *d, int device, int class,
    struct arena *a)
{
	int i;

	m->cells = arena_alloc(a, (size_t)m->nrows * (size_t)m->ncolumns *
	    sizeof(*m->cells));
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		if (wanted(t, device, class))
			m->cells[name_index(m->rows, &m->nrows, t->family) *
			    m->ncolumns + name_index(m->columns,
			    &m->ncolumns, column_name(t))] = t;
	}
}

int
matrix_make(const struct document *d, int device, struct arena *a,
    struct matrix **list)
{
	int class, n = 0;

	*list = arena_alloc(a, 6 * sizeof(**list));
	for (class = 0; class < 6; class++)
		if (name_all(&(*list)[n], d, device, class, a))
			fill(&(*list)[n++], d, device, class, a);
	return n;
}
