/* What the files of the store share. */
#ifndef REPORTS_STORE_H
#define REPORTS_STORE_H

#include <sqlite3.h>

#include "reports.h"

struct store {
	sqlite3 *db;
	const char *path;
	struct arena *arena;
};

/* store_tables.c: [v] makes version v + 1 of version v */
#define STORE_VERSION 2
extern const char *const store_tables[STORE_VERSION];

/* store.c */
bool sql_fail(struct store *s, const char *doing, struct err *err);
sqlite3_stmt *sql_prepare(struct store *s, const char *sql,
    struct err *err); /* NULL with *err filled */
bool sql_run(struct store *s, const char *sql, const char *doing,
    struct err *err);
bool sql_int(struct store *s, const char *sql, int64_t *x, struct err *err);
/* Ends a transaction: keeps it if all was good, and says whether it did. */
bool sql_end(struct store *s, bool good, struct err *err);

#endif
