/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.c - the SQLite file behind the store.
 * Room: store.  The tables are those of table.c.
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
#define ASIDE_MAX 1000

struct db {
	sqlite3 *sql;
	sqlite3_stmt *put[TABLES], *drop[TABLES];
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
	for (int i = 0; i < TABLES; i++) {
		sqlite3_finalize(d->put[i]);
		sqlite3_finalize(d->drop[i]);
	}
	sqlite3_close(d->sql);
	free(d);
}

/* Every table that is missing, also those that an older schema did not have. */
static int
make_schema(struct db *d, char *why)
{
	char version[48];
	int err = run(d, "BEGIN IMMEDIATE", why);

	snprintf(version, sizeof(version), "PRAGMA user_version = %d", DB_SCHEMA);
	for (int i = 0; !err && i < TABLES; i++)
		err = run(d, table_kinds[i].create, why);
	if (!err)
		err = run(d, version, why);
	return err ? err : run(d, "COMMIT", why);
}

static int
prepare_statements(struct db *d, char *why)
{
	int err = 0;

	for (int i = 0; !err && i < TABLES; i++) {
		err = told(d, sqlite3_prepare_v2(d->sql, table_kinds[i].put, -1, &d->put[i], NULL), why);
		if (!err)
			err = told(d, sqlite3_prepare_v2(d->sql, table_kinds[i].drop, -1, &d->drop[i], NULL), why);
	}
	return err;
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
		err = prepare_statements(d, why);
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

int
db_read(struct db *d, enum table_id id, struct table *out, char why[static DB_WHY_BYTES])
{
	const struct table_kind *k = &table_kinds[id];
	sqlite3_stmt *s = NULL;
	size_t room = 0;
	int rc, err;

	*out = (struct table){ NULL, 0 };
	rc = sqlite3_prepare_v2(d->sql, k->select, -1, &s, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		if (out->n == room) {
			room = room ? 2 * room : 256;
			out->rows = xreallocarray(out->rows, room, k->row_bytes);
		}
		out->n += k->read(s, (uint8_t *)out->rows + out->n * k->row_bytes);
	}
	err = told(d, rc, why);
	sqlite3_finalize(s);
	if (out->n)
		qsort(out->rows, out->n, k->row_bytes, k->order);
	return err;
}

static int
put_row(struct db *d, enum table_id id, const void *row, char *why)
{
	table_kinds[id].bind_key(d->put[id], row);
	table_kinds[id].bind_values(d->put[id], row);
	sqlite3_step(d->put[id]);
	return told(d, sqlite3_reset(d->put[id]), why);
}

static int
drop_row(struct db *d, enum table_id id, const void *row, char *why)
{
	table_kinds[id].bind_key(d->drop[id], row);
	sqlite3_step(d->drop[id]);
	return told(d, sqlite3_reset(d->drop[id]), why);
}

static int
write_changes(struct db *d, enum table_id id, const struct table *was, const struct table *now, char *why)
{
	const struct table_kind *k = &table_kinds[id];
	size_t i = 0, j = 0;
	int err = 0;

	while (!err && (i < was->n || j < now->n)) {
		const void *old = i < was->n ? table_row(id, was, i) : NULL;
		const void *new = j < now->n ? table_row(id, now, j) : NULL;
		int order = !new ? -1 : !old ? 1 : k->order(old, new);

		if (order < 0)
			err = drop_row(d, id, old, why);
		else if (order > 0 || !k->same(old, new))
			err = put_row(d, id, new, why);
		i += order <= 0;
		j += order >= 0;
	}
	return err;
}

int
db_write(struct db *d, const struct table was[static TABLES], const struct table now[static TABLES],
	char why[static DB_WHY_BYTES])
{
	int err = run(d, "BEGIN IMMEDIATE", why);

	if (err)
		return err;
	for (int i = 0; !err && i < TABLES; i++)
		err = write_changes(d, (enum table_id)i, &was[i], &now[i], why);
	if (!err)
		err = run(d, "COMMIT", why);
	if (err)
		sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
	return err;
}
