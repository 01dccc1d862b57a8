/*
 * The tables of the store, one script a version. Scripts that were released
 * are never changed: a new version is a new script at the end.
 */
#include "store.h"

const char *const store_tables[STORE_VERSION] = {
	/* 1 */
	"CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" hash TEXT NOT NULL UNIQUE, started TEXT NOT NULL, seed TEXT,"
	" model TEXT, hardware INTEGER NOT NULL, complete INTEGER NOT NULL,"
	" command TEXT, failed INTEGER, head TEXT NOT NULL);"
	"CREATE TABLE device (run INTEGER NOT NULL REFERENCES run(id)"
	" ON DELETE CASCADE, at INTEGER NOT NULL, uuid TEXT, name TEXT,"
	" sm INTEGER, driver TEXT, toolkit TEXT, json TEXT NOT NULL,"
	" PRIMARY KEY (run, at)) WITHOUT ROWID;"
	"CREATE TABLE test (run INTEGER NOT NULL REFERENCES run(id)"
	" ON DELETE CASCADE, at INTEGER NOT NULL, device INTEGER NOT NULL,"
	" name TEXT NOT NULL, source_hash TEXT NOT NULL,"
	" verdict TEXT NOT NULL, instances INTEGER NOT NULL, seconds REAL,"
	" json TEXT NOT NULL, PRIMARY KEY (run, at));"
	"CREATE TABLE outcome (run INTEGER NOT NULL REFERENCES run(id)"
	" ON DELETE CASCADE, test INTEGER NOT NULL, state TEXT NOT NULL,"
	" class TEXT NOT NULL, count INTEGER NOT NULL,"
	" target INTEGER NOT NULL, PRIMARY KEY (run, test, state))"
	" WITHOUT ROWID;"
	"CREATE TABLE primitive (run INTEGER NOT NULL REFERENCES run(id)"
	" ON DELETE CASCADE, at INTEGER NOT NULL, device INTEGER NOT NULL,"
	" name TEXT NOT NULL, verdict TEXT NOT NULL, json TEXT NOT NULL,"
	" PRIMARY KEY (run, at));"
	"CREATE TABLE claim (run INTEGER NOT NULL REFERENCES run(id)"
	" ON DELETE CASCADE, at INTEGER NOT NULL, json TEXT NOT NULL,"
	" PRIMARY KEY (run, at)) WITHOUT ROWID;",
	/* 2: names for runs, and history without reading every test */
	"ALTER TABLE run ADD COLUMN label TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX test_name ON test (name, run);",
};
