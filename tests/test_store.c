/* the store: in and out, together, and through kills */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../reports/reports.h"
#include "help_sample.h"

/* A path for a new store, in a folder of its own. */
static const char *
new_path(struct arena *a)
{
	char *folder = arena_strdup(a, "/tmp/fencepost-store-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(folder));
	return arena_printf(a, "%s/results.db", folder);
}

static void
forget(const char *path, struct arena *a)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char *folder = arena_strdup(a, path);
	size_t i;

	for (i = 0; i < 3; i++)
		unlink(arena_printf(a, "%s%s", path, ends[i]));
	*strrchr(folder, '/') = '\0';
	rmdir(folder);
}

static struct store *
open_store(const char *path)
{
	struct store *s;
	struct err err;

	ck_assert_msg(store_open(path, true, &s, &err), "%s", err.message);
	return s;
}

static int64_t
add(struct store *s, const struct sample *sample, struct arena *a)
{
	struct document d = sample_document(sample, a);
	struct err err;
	int64_t id;
	bool again;

	ck_assert_msg(store_add(s, &d, "label", &id, &again, &err), "%s",
	    err.message);
	return id;
}

static json_t *
stored_json(struct store *s, int64_t id, struct arena *a)
{
	struct source source;
	struct document d;
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *json;

	ck_assert_msg(store_get(s, id, a, &source, &err), "%s", err.message);
	ck_assert_msg(document_read(&source, a, &d, &err), "%d:%d: %s",
	    err.loc.line, err.loc.column, err.message);
	document_write(f, &d, true);
	fclose(f);
	json = json_loadb(text, size, 0, NULL);
	free(text);
	return json;
}

static const struct sample samples[] = {
	{.seed = 1, .tests = 120, .primitives = 10, .forbidden = 2},
	{.seed = 2, .tests = 20, .gpus = 3},
	{.seed = 3, .tests = 20, .hostile = true},
	{.seed = 4, .tests = 0},
};

#define NSAMPLES ((int)(sizeof(samples) / sizeof(*samples)))

START_TEST(documents_come_out_as_they_went_in)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s = open_store(path);
	int i;

	for (i = 0; i < NSAMPLES; i++)
		ck_assert_int_eq(add(s, &samples[i], a), i + 1);
	for (i = 0; i < NSAMPLES; i++) {
		json_t *in = sample_json(&samples[i]);
		json_t *out = stored_json(s, i + 1, a);

		ck_assert(json_equal(in, out));
		json_decref(in);
		json_decref(out);
	}
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

START_TEST(a_document_is_added_once)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s = open_store(path);
	struct document d = sample_document(&samples[0], a);
	struct store_run *list;
	struct err err;
	int64_t id, other;
	bool again;
	int n;

	ck_assert(store_add(s, &d, NULL, &id, &again, &err));
	ck_assert(!again);
	ck_assert(store_add(s, &d, NULL, &other, &again, &err));
	ck_assert(again);
	ck_assert_int_eq(id, other);
	ck_assert(store_list(s, a, &list, &n, &err));
	ck_assert_int_eq(n, 1);
	ck_assert_uint_eq(list[0].tests, 120);
	ck_assert_uint_eq(list[0].failed, 2 + 1);
	ck_assert(!store_remove(s, (int64_t[]){id, 77}, 2, &err));
	ck_assert_str_eq(err.message, "has no run 77");
	ck_assert(store_list(s, a, &list, &n, &err));
	ck_assert_int_eq(n, 1); /* all or none */
	ck_assert(store_remove(s, (int64_t[]){0}, 1, &err)); /* the last */
	ck_assert(!store_remove(s, &id, 1, &err));
	ck_assert(store_list(s, a, &list, &n, &err));
	ck_assert_int_eq(n, 0);
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

START_TEST(software_never_joins_hardware)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s = open_store(path);
	struct sample sample = {.seed = 1, .tests = 5, .sim = _i};
	struct document d;
	struct err err;
	int64_t id;
	bool again;

	add(s, &sample, a);
	sample.sim = !sample.sim;
	d = sample_document(&sample, a);
	ck_assert(!store_add(s, &d, NULL, &id, &again, &err));
	ck_assert_int_eq(err.code, ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.message, "they are not mixed"));
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

START_TEST(history_and_latest)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s = open_store(path);
	struct sample sample = {.tests = 50, .noise = 0.2};
	struct document d;
	struct store_point *points;
	struct err err;
	int64_t *ids;
	double noise;
	int i, n, from;

	for (i = 1; i <= 6; i++) {
		sample.seed = (uint64_t)i;
		sample.gpu = i % 2 ? NULL : "NVIDIA B200";
		add(s, &sample, a);
	}
	ck_assert(store_history(s, "MP+weak", a, &points, &n, &err));
	ck_assert_int_eq(n, 6);
	ck_assert_str_eq(points[0].device, "NVIDIA B200");
	ck_assert_str_eq(points[0].test, "MP+weak");
	ck_assert_str_eq(points[5].device, "NVIDIA H200");
	ck_assert_uint_gt(points[5].weak, 0);
	ck_assert_uint_eq(points[5].weak, points[5].target);
	ck_assert(store_history(s, "MP+*", a, &points, &n, &err));
	ck_assert_int_eq(n, 30);
	ck_assert(store_latest(s, a, &ids, &n, &err));
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(ids[0], 5);
	ck_assert_int_eq(ids[1], 6);
	d = sample_document(&sample, a);
	ck_assert(store_noise(s, &d.devices[0], &noise, &from, &err));
	ck_assert_int_ge(from, 20);
	/* 0.2 in each run is 0.28 in a ratio */
	ck_assert_msg(noise > 0.2 && noise < 0.4, "%g", noise);
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

/* ---- versions ---------------------------------------------------------- */

static void
execute(const char *path, const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

START_TEST(old_stores_are_brought_up_to_date)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s;
	struct store_run *list;
	struct err err;
	int n;

	ck_assert_msg(store_open_at(path, 1, &s, &err), "%s", err.message);
	store_close(s);
	execute(path, "INSERT INTO run (hash, started, hardware, complete, "
	    "head) VALUES ('x', '2025-01-01T00:00:00Z', 1, 1, '{}')");
	s = open_store(path);
	ck_assert_msg(store_list(s, a, &list, &n, &err), "%s", err.message);
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(list[0].started, "2025-01-01T00:00:00Z");
	ck_assert_str_eq(list[0].label, "");
	ck_assert_int_eq(add(s, &samples[0], a), 2);
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

static void
refused(const char *path, const char *message)
{
	struct store *s;
	struct err err;

	ck_assert(!store_open(path, false, &s, &err));
	ck_assert_msg(strstr(err.message, message), "%s", err.message);
}

START_TEST(strange_files_are_refused)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	FILE *f;

	refused(path, "no such store");
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	refused(path, "empty");
	store_close(open_store(path));
	execute(path, "PRAGMA user_version = 99");
	refused(path, "a store of version 99");
	unlink(path);
	execute(path, "CREATE TABLE other (x)");
	refused(path, "not a store of results");
	f = fopen(path, "w");
	fputs("this is no database, but a text that is long enough to be "
	    "taken for the head of one, if one is careless\n", f);
	fclose(f);
	refused(path, "not a database");
	forget(path, a);
	arena_free(a);
}
END_TEST

/* ---- together ---------------------------------------------------------- */

#define WRITERS 4
#define EACH 8

/* Adds runs, and says each one's id once it is in. */
static void
write_runs(const char *path, int writer, int n, int out)
{
	struct store *s;
	struct err err;
	int i;

	if (!store_open(path, true, &s, &err)) {
		fprintf(stderr, "%s\n", err.message);
		_exit(1);
	}
	for (i = 0; i < n; i++) {
		struct arena *a = arena_new();
		struct document d = sample_document(&(struct sample){
		    .seed = (uint64_t)(writer * 100000 + i), .tests = 20}, a);
		int64_t id;
		bool again;

		if (!store_add(s, &d, NULL, &id, &again, &err) || again) {
			fprintf(stderr, "%s\n", err.message);
			_exit(1);
		}
		if (out >= 0 && write(out, &id, sizeof(id)) != sizeof(id))
			_exit(1);
		arena_free(a);
	}
	store_close(s);
	_exit(0);
}

/* Opens a store when the other end of `gate` is closed. */
static void
open_at_once(const char *path, int gate)
{
	struct store *s;
	struct err err;
	char c;

	if (read(gate, &c, 1) != 0)
		_exit(1);
	if (!store_open(path, true, &s, &err)) {
		fprintf(stderr, "%s\n", err.message);
		_exit(1);
	}
	store_close(s);
	_exit(0);
}

/* Whoever comes while another makes the store takes it for a store. */
START_TEST(a_store_is_made_by_many_at_once)
{
	struct arena *a = arena_new();
	int gate[2], round, i, status;

	for (round = 0; round < 40; round++) {
		const char *path = new_path(a);

		ck_assert_int_eq(pipe(gate), 0);
		for (i = 0; i < WRITERS; i++)
			if (fork() == 0) {
				close(gate[1]);
				open_at_once(path, gate[0]);
			}
		close(gate[0]);
		close(gate[1]);
		for (i = 0; i < WRITERS; i++) {
			ck_assert_int_gt(wait(&status), 0);
			ck_assert_int_eq(status, 0);
		}
		forget(path, a);
	}
	arena_free(a);
}
END_TEST

START_TEST(writers_wait_for_each_other)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s;
	struct store_run *list;
	struct err err;
	int i, n, status;

	for (i = 0; i < WRITERS; i++)
		if (fork() == 0)
			write_runs(path, i, EACH, -1);
	for (i = 0; i < WRITERS; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	s = open_store(path);
	ck_assert(store_list(s, a, &list, &n, &err));
	ck_assert_int_eq(n, WRITERS * EACH);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(list[i].tests, 20);
	store_close(s);
	forget(path, a);
	arena_free(a);
}
END_TEST

static void
check_integrity(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *q;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1,
	    &q, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(q), SQLITE_ROW);
	ck_assert_str_eq((const char *)sqlite3_column_text(q, 0), "ok");
	sqlite3_finalize(q);
	sqlite3_close(db);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 15 /* times */
#else
#define SLOW 1
#endif

/* Kills a writer after a while; every run that it spoke of must be there,
   whole, and no other but whole ones. */
static void
kill_one(const char *path, int round, int64_t *known, int *nknown,
    struct arena *a)
{
	struct draw draw = {11, (uint64_t)round, 0};
	struct timespec wait = {0, SLOW * (3000000L +
	    draw_below(&draw, 60000000))};
	struct store *s;
	struct store_run *list;
	struct err err;
	int fds[2], i, k, n;
	pid_t pid;
	int64_t id;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0)
		write_runs(path, 1000 + round, 1000, fds[1]);
	close(fds[1]);
	nanosleep(&wait, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(fds[0], &id, sizeof(id)) == sizeof(id))
		known[(*nknown)++] = id;
	close(fds[0]);
	check_integrity(path);
	s = open_store(path);
	ck_assert(store_list(s, a, &list, &n, &err));
	for (i = 0; i < *nknown; i++) {
		for (k = 0; k < n && list[k].id != known[i]; k++)
			;
		ck_assert_msg(k < n, "run %lld is lost", (long long)known[i]);
	}
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(list[i].tests, 20);
	store_close(s);
}

START_TEST(a_killed_writer_loses_nothing_it_committed)
{
	const char *more = getenv("FENCEPOST_KILLS");
	int rounds = more ? atoi(more) : 20, i, nknown = 0;
	struct arena *a = arena_new();
	const char *path = new_path(a);
	int64_t *known = arena_alloc(a, (size_t)rounds * 1000 *
	    sizeof(*known));

	store_close(open_store(path));
	for (i = 0; i < rounds; i++)
		kill_one(path, i, known, &nknown, a);
	ck_assert_int_gt(nknown, 0);
	forget(path, a);
	arena_free(a);
}
END_TEST

START_TEST(runs_of_a_store_are_documents_by_name)
{
	struct arena *a = arena_new();
	const char *path = new_path(a);
	struct store *s = open_store(path);
	struct source source;
	struct document d;
	struct err err;

	add(s, &samples[0], a);
	add(s, &samples[1], a);
	store_close(s);
	ck_assert(document_load(arena_printf(a, "%s#1", path), a, &d,
	    &source, &err));
	ck_assert_int_eq(d.ntests, 120);
	ck_assert(document_load(arena_printf(a, "%s#last", path), a, &d,
	    &source, &err));
	ck_assert_int_eq(d.ntests, 60);
	ck_assert(!document_load(arena_printf(a, "%s#3", path), a, &d,
	    &source, &err));
	ck_assert_str_eq(err.message, "has no run 3");
	ck_assert(!document_load(arena_printf(a, "%s#x", path), a, &d,
	    &source, &err));
	forget(path, a);
	arena_free(a);
}
END_TEST

Suite *suite_store(void);
Suite *
suite_store(void)
{
	Suite *s = suite_create("store");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, documents_come_out_as_they_went_in);
	tcase_add_test(t, a_document_is_added_once);
	tcase_add_loop_test(t, software_never_joins_hardware, 0, 2);
	tcase_add_test(t, history_and_latest);
	tcase_add_test(t, old_stores_are_brought_up_to_date);
	tcase_add_test(t, strange_files_are_refused);
	tcase_add_test(t, a_store_is_made_by_many_at_once);
	tcase_add_test(t, writers_wait_for_each_other);
	tcase_add_test(t, a_killed_writer_loses_nothing_it_committed);
	tcase_add_test(t, runs_of_a_store_are_documents_by_name);
	suite_add_tcase(s, t);
	return s;
}
