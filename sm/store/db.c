/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.c - the SQLite file behind the store.
 * Room: store.  One table: lids(port_guid, base_lid, lmc).  GUIDs are kept as SQLite's signed 64 bits, so
 * they are ordered here, never there.
 */
#include <config.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sm/store/db.h"
#include "util/xalloc.h"

#define BUSY_WAIT_MS 500
#define LID_MAX 0xbfff
#define ASIDE_MAX 1000

struct db {
	sqlite3 *sql;
	sqlite3_stmt *put, *drop;
};

static int
errno_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CANTOPEN:
		return -ENOENT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EILSEQ;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	}
	return -EIO;
}

/* 0, or the errno of 'rc' with SQLite's sentence in 'why'. */
static int
told(const struct db *d, int rc, char *why)
{
	int err = errno_of(rc);

	if (err)
		snprintf(why, DB_WHY_BYTES, "%s", d->sql ? sqlite3_errmsg(d->sql) : sqlite3_errstr(rc));
	return err;
}

static int
run(struct db *d, const char *statement, char *why)
{
	return told(d, sqlite3_exec(d->sql, statement, NULL, NULL, NULL), why);
}

/* The first column of the first row, as a number. */
static int
ask(struct db *d, const char *statement, int *value, char *why)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, statement, -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int(s, 0);
	rc = told(d, rc, why);
	sqlite3_finalize(s);
	return rc;
}

void
db_close(struct db *d)
{
	if (!d)
		return;
	sqlite3_finalize(d->put);
	sqlite3_finalize(d->drop);
	sqlite3_close(d->sql);
	free(d);
}

static int
make_schema(struct db *d, char *why)
{
	return run(d, "BEGIN IMMEDIATE;"
		"CREATE TABLE IF NOT EXISTS lids ("
		" port_guid INTEGER PRIMARY KEY, base_lid INTEGER NOT NULL, lmc INTEGER NOT NULL);"
		"PRAGMA user_version = 1;"
		"COMMIT", why);
}

/* A file that can be read and written, of our schema. */
static int
prepare(struct db *d, char *why)
{
	int version = 0, err;

	sqlite3_busy_timeout(d->sql, BUSY_WAIT_MS);
	/* One manager, one file: a second one on the same directory is told so instead of fighting. */
	err = run(d, "PRAGMA locking_mode = EXCLUSIVE", why);
	if (!err)
		err = ask(d, "PRAGMA user_version", &version, why);
	if (!err && version > DB_SCHEMA) {
		snprintf(why, DB_WHY_BYTES, "made by a newer version (schema %d, this one knows %d)", version,
			DB_SCHEMA);
		return -EPROTO;
	}
	if (!err)
		err = run(d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", why);
	/* Also when the schema is there: a store that cannot be written says so now. */
	if (!err)
		err = make_schema(d, why);
	if (!err)
		err = told(d, sqlite3_prepare_v2(d->sql, "INSERT OR REPLACE INTO lids VALUES (?, ?, ?)", -1,
			&d->put, NULL), why);
	if (!err)
		err = told(d, sqlite3_prepare_v2(d->sql, "DELETE FROM lids WHERE port_guid = ?", -1, &d->drop,
			NULL), why);
	return err;
}

/* SQLite finds most damage only where it reads: look at all of it once. */
static int
check(struct db *d, char *why)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, "PRAGMA quick_check(1)", -1, &s, NULL);
	int err;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	err = told(d, rc, why);
	if (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0) {
		snprintf(why, DB_WHY_BYTES, "%s", (const char *)sqlite3_column_text(s, 0));
		err = -EILSEQ;
	}
	sqlite3_finalize(s);
	return err;
}

static int
open_once(const char *path, struct db **out, char *why)
{
	struct db *d = xcalloc(1, sizeof(*d));
	int err;

	err = told(d, sqlite3_open_v2(path, &d->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
		SQLITE_OPEN_NOMUTEX, NULL), why);
	if (!err)
		err = prepare(d, why);
	if (!err)
		err = check(d, why);
	if (err) {
		db_close(d);
		d = NULL;
	}
	*out = d;
	return err;
}

/* Moves a damaged file, and what SQLite keeps beside it, out of the way. */
static int
move_aside(const char *path, char moved[static 300])
{
	static const char *const parts[] = { "-wal", "-shm" };
	char from[300], to[320];
	int n = 0;

	do
		snprintf(moved, 300, "%s.corrupt-%d", path, ++n);
	while (n < ASIDE_MAX && access(moved, F_OK) == 0);
	if (n == ASIDE_MAX || rename(path, moved) != 0) {
		moved[0] = '\0';
		return -EIO;
	}
	for (size_t i = 0; i < 2; i++) {
		snprintf(from, sizeof(from), "%s%s", path, parts[i]);
		snprintf(to, sizeof(to), "%s%s", moved, parts[i]);
		rename(from, to);       /* it need not be there */
	}
	return 0;
}

int
db_open(const char *path, struct db **out, char moved[static 300], char why[static DB_WHY_BYTES])
{
	int err;

	moved[0] = '\0';
	err = open_once(path, out, why);
	if (err != -EILSEQ || move_aside(path, moved) != 0)
		return err;
	return open_once(path, out, why);
}

static int
by_guid(const void *a, const void *b)
{
	const struct store_lid *x = a, *y = b;

	return (x->port_guid > y->port_guid) - (x->port_guid < y->port_guid);
}

int
db_read_lids(struct db *d, struct store_lid **out, size_t *n, char why[static DB_WHY_BYTES])
{
	sqlite3_stmt *s = NULL;
	size_t room = 0;
	int rc, err;

	*out = NULL;
	*n = 0;
	rc = sqlite3_prepare_v2(d->sql, "SELECT port_guid, base_lid, lmc FROM lids", -1, &s, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		int lid = sqlite3_column_int(s, 1), lmc = sqlite3_column_int(s, 2);

		rc = SQLITE_OK;
		if (lid < 1 || lid > LID_MAX || lmc < 0 || lmc > 7)
			continue;
		if (*n == room) {
			room = room ? 2 * room : 256;
			*out = xreallocarray(*out, room, sizeof(**out));
		}
		(*out)[(*n)++] = (struct store_lid){ (uint64_t)sqlite3_column_int64(s, 0), (uint16_t)lid,
			(uint8_t)lmc };
	}
	err = told(d, rc, why);
	sqlite3_finalize(s);
	if (*n)
		qsort(*out, *n, sizeof(**out), by_guid);
	return err;
}

static int
put_row(struct db *d, const struct store_lid *r, char *why)
{
	sqlite3_bind_int64(d->put, 1, (sqlite3_int64)r->port_guid);
	sqlite3_bind_int(d->put, 2, r->base_lid);
	sqlite3_bind_int(d->put, 3, r->lmc);
	sqlite3_step(d->put);
	return told(d, sqlite3_reset(d->put), why);
}

static int
drop_row(struct db *d, const struct store_lid *r, char *why)
{
	sqlite3_bind_int64(d->drop, 1, (sqlite3_int64)r->port_guid);
	sqlite3_step(d->drop);
	return told(d, sqlite3_reset(d->drop), why);
}

static int
write_changes(struct db *d, const struct store_lid *was, size_t nwas, const struct store_lid *now, size_t nnow,
	char *why)
{
	size_t i = 0, j = 0;
	int err = 0;

	while (!err && (i < nwas || j < nnow)) {
		if (j == nnow || (i < nwas && was[i].port_guid < now[j].port_guid)) {
			err = drop_row(d, &was[i++], why);
		} else if (i == nwas || now[j].port_guid < was[i].port_guid) {
			err = put_row(d, &now[j++], why);
		} else {
			if (was[i].base_lid != now[j].base_lid || was[i].lmc != now[j].lmc)
				err = put_row(d, &now[j], why);
			i++, j++;
		}
	}
	return err;
}

int
db_write_lids(struct db *d, const struct store_lid *was, size_t nwas, const struct store_lid *now, size_t nnow,
	char why[static DB_WHY_BYTES])
{
	int err = run(d, "BEGIN IMMEDIATE", why);

	if (err)
		return err;
	err = write_changes(d, was, nwas, now, nnow, why);
	if (!err)
		err = run(d, "COMMIT", why);
	if (err)
		sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
	return err;
}
