/*
 * The store: one SQLite file, in write-ahead mode, so that readers and
 * writers do not stop each other and a killed writer leaves nothing half
 * done. A run is added in one transaction. Its document can be had back:
 * texts are kept as they came, beside columns for questions.
 */
#include "store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION_ID 0x66656e63 /* "fenc" */
#define BUSY_MS 60000

bool
sql_fail(struct store *s, const char *doing, struct err *err)
{
	return err_set(err, ERR_IO, (struct loc){s->path, 0, 0}, "%s: %s",
	    doing, sqlite3_errmsg(s->db));
}

/* In the switch to write-ahead mode SQLite does not wait by itself. */
bool
sql_run(struct store *s, const char *sql, const char *doing, struct err *err)
{
	int i, rc;

	for (i = 0; i < BUSY_MS / 10; i++) {
		rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		if (rc != SQLITE_BUSY)
			break;
		usleep(10000);
	}
	return rc == SQLITE_OK || sql_fail(s, doing, err);
}

sqlite3_stmt *
sql_prepare(struct store *s, const char *sql, struct err *err)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) {
		sql_fail(s, "prepare", err);
		return NULL;
	}
	return q;
}

bool
sql_int(struct store *s, const char *sql, int64_t *x, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, sql, err);
	int rc;

	if (!q)
		return false;
	rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*x = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return rc == SQLITE_ROW || sql_fail(s, sql, err);
}

bool
sql_end(struct store *s, bool good, struct err *err)
{
	if (good && sql_run(s, "COMMIT", "commit", err))
		return true;
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

/* ---- versions ---------------------------------------------------------- */

static bool
migrate(struct store *s, int version, struct err *err)
{
	int64_t at = 0, id = 0;
	bool good;

	if (!sql_run(s, "BEGIN IMMEDIATE", "lock", err))
		return false;
	good = sql_int(s, "PRAGMA user_version", &at, err) &&
	    sql_int(s, "PRAGMA application_id", &id, err);
	if (good && at > STORE_VERSION)
		good = err_set(err, ERR_UNSUPPORTED, (struct loc){s->path, 0,
		    0}, "a store of version %" PRId64 "; this program knows "
		    "up to %d", at, STORE_VERSION);
	for (; good && at < version; at++)
		good = sql_run(s, store_tables[at], "migration", err);
	if (good)
		good = sql_run(s, arena_printf(s->arena, "PRAGMA "
		    "user_version = %" PRId64 "; PRAGMA application_id = %d",
		    at, APPLICATION_ID), "version", err);
	return sql_end(s, good, err);
}

/*
 * Some other program's database is left alone. The tables are counted first:
 * another writer may be making the store at this moment, and its tables and
 * its id come in one transaction, so that an id read after tables were seen
 * is the final one.
 */
static bool
is_store(struct store *s, bool create, struct err *err)
{
	int64_t id = 0, tables = 0;

	if (!sql_int(s, "SELECT count(*) FROM sqlite_master", &tables, err) ||
	    !sql_int(s, "PRAGMA application_id", &id, err))
		return false;
	if (id == APPLICATION_ID || (create && id == 0 && tables == 0))
		return true;
	return err_set(err, ERR_INPUT, (struct loc){s->path, 0, 0}, "%s",
	    id == 0 && tables == 0 ? "empty, not a store of results" :
	    "a database, but not a store of results");
}

static bool
set_up(struct store *s, bool create, int version, struct err *err)
{
	int64_t at = 0;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	if (!is_store(s, create, err) ||
	    !sql_run(s, "PRAGMA journal_mode = WAL", "journal", err) ||
	    !sql_run(s, "PRAGMA synchronous = FULL; "
	    "PRAGMA foreign_keys = ON", "set up", err) ||
	    !sql_int(s, "PRAGMA user_version", &at, err))
		return false;
	return at == version || migrate(s, version, err);
}

static bool
open_at(const char *path, bool create, int version, struct store **out,
    struct err *err)
{
	struct arena *a = arena_new();
	struct store *s = arena_alloc(a, sizeof(*s));
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE :
	    0);

	s->arena = a;
	s->path = arena_strdup(a, path);
	if (!create && access(path, F_OK) != 0) {
		arena_free(a);
		return err_set(err, ERR_IO, (struct loc){path, 0, 0},
		    "no such store");
	}
	if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK ||
	    !set_up(s, create, version, err)) {
		if (sqlite3_errcode(s->db) != SQLITE_OK &&
		    sqlite3_errcode(s->db) != SQLITE_DONE &&
		    sqlite3_errcode(s->db) != SQLITE_ROW)
			sql_fail(s, "open", err);
		err->loc.source = path; /* s is about to go */
		store_close(s);
		return false;
	}
	*out = s;
	return true;
}

bool
store_open(const char *path, bool create, struct store **s, struct err *err)
{
	return open_at(path, create, STORE_VERSION, s, err);
}

bool
store_open_at(const char *path, int version, struct store **s,
    struct err *err)
{
	return open_at(path, true, version, s, err);
}

void
store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	arena_free(s->arena);
}

/* ---- adding ------------------------------------------------------------ */

/* Binds "i" int64, "t" text, "d" double, "s" struct span, and steps. */
static bool
insert(struct store *s, sqlite3_stmt *q, struct err *err, const char *kinds,
    ...)
{
	struct span span;
	va_list args;
	int i;

	va_start(args, kinds);
	for (i = 0; kinds[i]; i++) {
		if (kinds[i] == 'i')
			sqlite3_bind_int64(q, i + 1, va_arg(args, int64_t));
		else if (kinds[i] == 'd')
			sqlite3_bind_double(q, i + 1, va_arg(args, double));
		else if (kinds[i] == 't')
			sqlite3_bind_text(q, i + 1, va_arg(args,
			    const char *), -1, SQLITE_TRANSIENT);
		else {
			span = va_arg(args, struct span);
			sqlite3_bind_text64(q, i + 1, span.s, span.size,
			    SQLITE_STATIC, SQLITE_UTF8);
		}
	}
	va_end(args);
	i = sqlite3_step(q);
	sqlite3_reset(q);
	return i == SQLITE_DONE || sql_fail(s, "insert", err);
}

static const char *
head_text(const struct document *d, struct arena *a)
{
	char *s = NULL, *copy;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	if (!f)
		return "{}";
	document_write(f, d, false);
	fclose(f);
	copy = arena_strndup(a, s, size);
	free(s);
	return copy;
}

/* Both sorts in one store would be compared some day. */
static bool
check_sort(struct store *s, const struct document *d, struct err *err)
{
	int64_t hardware = 0, runs = 0;

	if (!sql_int(s, "SELECT count(*) FROM run", &runs, err))
		return false;
	if (runs && !sql_int(s, "SELECT hardware FROM run LIMIT 1",
	    &hardware, err))
		return false;
	if (!runs || (hardware != 0) == d->hardware)
		return true;
	return err_set(err, ERR_UNSUPPORTED, (struct loc){s->path, 0, 0},
	    "holds runs %s; %s is %s, and they are not mixed",
	    hardware ? "on hardware" : "of the software PTX machine", d->ref,
	    d->hardware ? "of hardware" : "of the software PTX machine");
}

static bool
add_run(struct store *s, const struct document *d, const char *hash,
    const char *label, int64_t *id, struct arena *a, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "INSERT INTO run (hash, started, seed, "
	    "model, hardware, complete, command, failed, label, head) "
	    "VALUES (?,?,?,?,?,?,?,?,?,?)", err);
	struct summary sum;
	bool good;

	if (!q)
		return false;
	summary_make(&sum, d);
	good = insert(s, q, err, "ttttiititt", hash, d->started,
	    arena_printf(a, "%016" PRIx64, d->seed), doc_models[d->model],
	    (int64_t)d->hardware, (int64_t)d->complete, shell_command(d, a),
	    (int64_t)summary_failed(&sum), label ? label : "",
	    head_text(d, a));
	sqlite3_finalize(q);
	*id = sqlite3_last_insert_rowid(s->db);
	return good;
}

static bool
add_devices(struct store *s, const struct document *d, int64_t run,
    struct arena *a, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "INSERT INTO device VALUES "
	    "(?,?,?,?,?,?,?,?)", err);
	bool good = q != NULL;
	int i;

	for (i = 0; good && i < d->ndevices; i++) {
		const struct doc_device *v = &d->devices[i];

		good = insert(s, q, err, "iittitts", run, (int64_t)i,
		    v->uuid, v->name, v->sm, driver_label(v, a), v->toolkit,
		    v->span);
	}
	sqlite3_finalize(q);
	return good;
}

static bool
add_outcomes(struct store *s, sqlite3_stmt *q, int64_t run, int at,
    const struct doc_test *t, struct err *err)
{
	char state[1024];
	int i, k;
	bool good = true;

	for (i = 0; good && i < t->nrows; i++) {
		const struct doc_row *r = &t->rows[i];
		size_t n = 0;

		state[0] = '\0';
		for (k = 0; k < r->nvalues && n < sizeof(state) - 24; k++)
			n += (size_t)snprintf(state + n, sizeof(state) - n,
			    "%s%" PRId64, k ? " " : "", r->values[k]);
		good = insert(s, q, err, "iittii", run, (int64_t)at, state,
		    row_classes[r->class], (int64_t)r->count,
		    (int64_t)r->target);
	}
	return good;
}

static bool
add_tests(struct store *s, const struct document *d, int64_t run,
    struct arena *a, struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "INSERT INTO test VALUES "
	    "(?,?,?,?,?,?,?,?,?)", err);
	sqlite3_stmt *o = q ? sql_prepare(s, "INSERT OR REPLACE INTO outcome "
	    "VALUES (?,?,?,?,?,?)", err) : NULL;
	bool good = o != NULL;
	int i;

	for (i = 0; good && i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		good = insert(s, q, err, "iiitttids", run, (int64_t)i,
		    (int64_t)t->device, t->name, arena_printf(a,
		    "%016" PRIx64, t->source_hash),
		    verdicts[t->verdict].name, (int64_t)t->instances,
		    isnan(t->seconds) ? 0 : t->seconds, t->span) &&
		    add_outcomes(s, o, run, i, t, err);
	}
	sqlite3_finalize(o);
	sqlite3_finalize(q);
	return good;
}

static bool
add_rest(struct store *s, const struct document *d, int64_t run,
    struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "INSERT INTO primitive VALUES "
	    "(?,?,?,?,?,?)", err);
	sqlite3_stmt *c = q ? sql_prepare(s, "INSERT INTO claim VALUES (?,?,?)",
	    err) : NULL;
	bool good = c != NULL;
	int i;

	for (i = 0; good && i < d->nprimitives; i++) {
		const struct doc_primitive *p = &d->primitives[i];

		good = insert(s, q, err, "iiitts", run, (int64_t)i,
		    (int64_t)p->device, p->name, prim_verdicts[p->verdict],
		    p->span);
	}
	for (i = 0; good && i < d->nclaims; i++)
		good = insert(s, c, err, "iis", run, (int64_t)i,
		    d->claims[i].span);
	sqlite3_finalize(c);
	sqlite3_finalize(q);
	return good;
}

static bool
find_run(struct store *s, const char *hash, int64_t *id, bool *found,
    struct err *err)
{
	sqlite3_stmt *q = sql_prepare(s, "SELECT id FROM run WHERE hash = ?",
	    err);
	int rc;

	if (!q)
		return false;
	sqlite3_bind_text(q, 1, hash, -1, SQLITE_STATIC);
	rc = sqlite3_step(q);
	*found = rc == SQLITE_ROW;
	if (*found)
		*id = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ||
	    sql_fail(s, "look up", err);
}

bool
store_add(struct store *s, const struct document *d, const char *label,
    int64_t *id, bool *again, struct err *err)
{
	struct arena *a = arena_new();
	const char *hash = arena_printf(a, "%016" PRIx64 "%016" PRIx64,
	    hash64(d->source.text, d->source.size, 0),
	    hash64(d->source.text, d->source.size, 1));
	bool good = sql_run(s, "BEGIN IMMEDIATE", "lock", err);

	*again = false;
	if (!good) {
		arena_free(a);
		return false;
	}
	good = check_sort(s, d, err) && find_run(s, hash, id, again, err);
	if (good && !*again)
		good = add_run(s, d, hash, label, id, a, err) &&
		    add_devices(s, d, *id, a, err) &&
		    add_tests(s, d, *id, a, err) &&
		    add_rest(s, d, *id, err);
	good = sql_end(s, good, err);
	arena_free(a);
	return good;
}
