#include "store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *
column(sqlite3_stmt *q, int i, struct arena *a)
{
	const char *s = (const char *)sqlite3_column_text(q, i);

	return text_clean(a, s ? s : "", s ? strlen(s) : 0);
}

/* ---- documents --------------------------------------------------------- */

/* The texts of one table, as the elements of a list. */
static bool
append_list(struct store *s, struct text *t, const char *table, int64_t run,
    struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, arena_printf(s->arena,
	    "SELECT json FROM %s WHERE run = ? ORDER BY at", table), err);
	int rc, n = 0;

	if (!q)
		return false;
	sqlite3_bind_int64(q, 1, run);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		if (n++)
			text_append(t, ",\n", 2);
		text_append(t, (const char *)sqlite3_column_text(q, 0),
		    (size_t)sqlite3_column_bytes(q, 0));
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || sql_fail(s, table, err);
}

/* The head has a line `"tests": [],` for each list: no string can hold it,
   since strings have no line ends. */
static bool
put_together(struct store *s, const char *head, int64_t run, struct text *t,
    struct err *err)
{
	static const struct { const char *line, *table; } lists[] = {
		{"\n \"devices\": [", "device"}, {"\n \"tests\": [", "test"},
		{"\n \"primitives\": [", "primitive"},
		{"\n \"claims\": [", "claim"},
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const char *at = strstr(head, lists[i].line);

		if (!at)
			return err_set(err, ERR_INPUT, (struct loc){s->path,
			    0, 0}, "run %" PRId64 " is damaged", run);
		at += strlen(lists[i].line);
		text_append(t, head, (size_t)(at - head));
		head = at;
		if (!append_list(s, t, lists[i].table, run, err))
			return false;
	}
	text_append(t, head, strlen(head));
	return true;
}

/* id 0: not even a last one. */
static bool
no_run(struct store *s, int64_t id, struct err *err)
{
	return err_set(err, ERR_USAGE, (struct loc){s->path, 0, 0}, id ?
	    "has no run %" PRId64 : "has no runs", id);
}

static bool
get_run(struct store *s, int64_t id, struct arena *a, struct source *source,
    struct err *err)
{
	sqlite3_stmt *q;
	struct text t;
	bool good;

	if (id == 0 && !sql_int(s, "SELECT coalesce(max(id), 0) FROM run",
	    &id, err))
		return false;
	q = sql_prepare(s, "SELECT head FROM run WHERE id = ?", err);
	if (!q)
		return false;
	sqlite3_bind_int64(q, 1, id);
	if (sqlite3_step(q) != SQLITE_ROW) {
		sqlite3_finalize(q);
		return no_run(s, id, err);
	}
	text_init(&t, a);
	good = put_together(s, (const char *)sqlite3_column_text(q, 0), id,
	    &t, err);
	sqlite3_finalize(q);
	if (good)
		*source = (struct source){arena_printf(a, "%s#%" PRId64,
		    s->path, id), t.s, t.size};
	return good;
}

/* All of a run as of one moment: it may be removed meanwhile. */
bool
store_get(struct store *s, int64_t id, struct arena *a,
    struct source *source, struct err *err)
{
	bool good = sql_run(s, "BEGIN", "read", err);

	if (!good)
		return false;
	good = get_run(s, id, a, source, err);
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	return good;
}

static bool
remove_run(struct store *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, id ? "DELETE FROM run WHERE id = ?" :
	    "DELETE FROM run WHERE id = (SELECT max(id) FROM run)", err);
	int rc;

	if (!q)
		return false;
	if (id)
		sqlite3_bind_int64(q, 1, id);
	rc = sqlite3_step(q);
	sqlite3_finalize(q);
	if (rc != SQLITE_DONE)
		return sql_fail(s, "remove", err);
	return sqlite3_changes(s->db) == 1 || no_run(s, id, err);
}

bool
store_remove(struct store *s, const int64_t *ids, int n, struct err *err)
{
	bool good = sql_run(s, "BEGIN IMMEDIATE", "lock", err);
	int i;

	if (!good)
		return false;
	for (i = 0; good && i < n; i++)
		good = remove_run(s, ids[i], err);
	return sql_end(s, good, err);
}

/* ---- questions --------------------------------------------------------- */

#define RUNS_MAX 1000000

/* Room for one more element in a list that grows in the arena. */
static void *
more(struct arena *a, void *list, int n, size_t size)
{
	if (n & (n - 1))
		return list;
	return arena_grow(a, list, (size_t)n * size,
	    (n ? 2 * (size_t)n : 1) * size);
}

bool
store_list(struct store *s, struct arena *a, struct store_run **list, int *n,
    struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "SELECT id, started, label, "
	    "(SELECT group_concat(name || ', driver ' || driver, '; ') FROM "
	    "device WHERE run = id), model, command, hardware, complete, "
	    "(SELECT count(*) FROM test WHERE run = id), failed, (SELECT "
	    "coalesce(sum(instances), 0) FROM test WHERE run = id) FROM run "
	    "ORDER BY id", err);
	int rc;

	if (!q)
		return false;
	*list = NULL;
	*n = 0;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW && *n < RUNS_MAX) {
		*list = more(a, *list, *n, sizeof(**list));
		(*list)[(*n)++] = (struct store_run){
		    sqlite3_column_int64(q, 0), column(q, 1, a),
		    column(q, 2, a), column(q, 3, a), column(q, 4, a),
		    column(q, 5, a), (uint64_t)sqlite3_column_int64(q, 8),
		    (uint64_t)sqlite3_column_int64(q, 9),
		    (uint64_t)sqlite3_column_int64(q, 10),
		    sqlite3_column_int(q, 6) != 0,
		    sqlite3_column_int(q, 7) != 0};
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || sql_fail(s, "list", err);
}

bool
store_history(struct store *s, const char *test, struct arena *a,
    struct store_point **list, int *n, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "SELECT t.run, r.started, d.name, "
	    "d.driver, t.verdict, t.instances, (SELECT coalesce(sum(count), "
	    "0) FROM outcome o WHERE o.run = t.run AND o.test = t.at AND "
	    "class = 'weak'), (SELECT coalesce(sum(count), 0) FROM outcome o "
	    "WHERE o.run = t.run AND o.test = t.at AND target), (SELECT "
	    "coalesce(sum(count), 0) FROM outcome o WHERE o.run = t.run AND "
	    "o.test = t.at AND class = 'forbidden'), t.name FROM test t JOIN "
	    "run r ON r.id = t.run JOIN device d ON d.run = t.run AND "
	    "d.at = t.device WHERE t.name GLOB ? ORDER BY d.name, t.name, "
	    "t.run", err);
	int rc;

	if (!q)
		return false;
	*list = NULL;
	*n = 0;
	sqlite3_bind_text(q, 1, test, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW && *n < RUNS_MAX) {
		*list = more(a, *list, *n, sizeof(**list));
		(*list)[(*n)++] = (struct store_point){
		    sqlite3_column_int64(q, 0), column(q, 1, a),
		    column(q, 2, a), column(q, 3, a), column(q, 4, a),
		    column(q, 9, a),
		    (uint64_t)sqlite3_column_int64(q, 5),
		    (uint64_t)sqlite3_column_int64(q, 6),
		    (uint64_t)sqlite3_column_int64(q, 7),
		    (uint64_t)sqlite3_column_int64(q, 8)};
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || sql_fail(s, "history", err);
}

bool
store_latest(struct store *s, struct arena *a, int64_t **ids, int *n,
    struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "SELECT max(run) AS latest FROM "
	    "device GROUP BY name, driver ORDER BY latest", err);
	int rc;

	if (!q)
		return false;
	*ids = NULL;
	*n = 0;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW && *n < RUNS_MAX) {
		int64_t id = sqlite3_column_int64(q, 0);

		if (*n && (*ids)[*n - 1] == id)
			continue;
		*ids = more(a, *ids, *n, sizeof(**ids));
		(*ids)[(*n)++] = id;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || sql_fail(s, "latest", err);
}

/* ---- noise ------------------------------------------------------------- */

#define NOISE_OUTCOMES 20
#define NOISE_COUNT 20 /* hits that say more of noise than of chance */

/* Sums over the runs of one outcome of one test. */
struct spread_of {
	double n, sum, squares, counting;
};

/* Adds this outcome's share: the variance of the logarithm of its rate,
   less what counting adds. */
static void
close_outcome(struct spread_of *o, double *squares, double *degrees, int *n)
{
	double mean = o->sum / o->n;
	double variance = (o->squares - o->n * mean * mean) / (o->n - 1) -
	    o->counting / o->n;

	if (o->n >= 2) {
		*squares += fmax(variance, 0) * (o->n - 1);
		*degrees += o->n - 1;
		++*n;
	}
	*o = (struct spread_of){0};
}

bool
store_noise(struct store *s, const struct doc_device *device, double *noise,
    int *from, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "SELECT t.name || t.source_hash || "
	    "o.state, o.count, t.instances FROM outcome o JOIN test t ON "
	    "t.run = o.run AND t.at = o.test JOIN device d ON d.run = t.run "
	    "AND d.at = t.device WHERE d.name = ? AND d.driver = ? AND "
	    "o.count >= ? AND (o.class <> 'sc' OR o.target) ORDER BY 1",
	    err);
	struct arena *a = arena_new();
	struct spread_of outcome = {0};
	double squares = 0, degrees = 0;
	const char *key = "";
	int rc, n = 0;

	if (!q) {
		arena_free(a);
		return false;
	}
	sqlite3_bind_text(q, 1, device->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, driver_label(device, a), -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 3, NOISE_COUNT);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *now = column(q, 0, a);
		double count = sqlite3_column_double(q, 1), x;

		if (strcmp(now, key) != 0)
			close_outcome(&outcome, &squares, &degrees, &n);
		key = now;
		x = log(count / sqlite3_column_double(q, 2));
		outcome.n++;
		outcome.sum += x;
		outcome.squares += x * x;
		outcome.counting += 1 / count;
	}
	close_outcome(&outcome, &squares, &degrees, &n);
	sqlite3_finalize(q);
	arena_free(a);
	if (rc != SQLITE_DONE)
		return sql_fail(s, "noise", err);
	*from = n;
	*noise = n < NOISE_OUTCOMES ? NAN : sqrt(2 * squares / degrees);
	return true;
}
