/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.c - the SQLite file of the store.
 * Room: store. table.c defines the tables.
 */
#include <config.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sm/store/db.h"
#include "sm/store/salvage.h"
#include "util/xalloc.h"

#define BUSY_WAIT_MS 500
#define ASIDE_MAX 1000

struct db {
	sqlite3 *sql;
	char path[300];
	sqlite3_stmt *put[TABLES], *drop[TABLES];
	bool repair[TABLES]; /* the file has invalid rows, which the next write deletes */
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

/* Appends the error of the system call where SQLite reports only a failure, and the owner of the
 * file if access is denied. */
static void
add_system_reason(const struct db *d, char *why)
{
	int number = sqlite3_system_errno(d->sql);
	size_t n = strlen(why);
	struct stat st;

	if (number && n < DB_WHY_BYTES)
		n += (size_t)snprintf(why + n, DB_WHY_BYTES - n, ": %s", strerror(number));
	if ((number == EACCES || number == EPERM) && n < DB_WHY_BYTES && stat(d->path, &st) == 0 &&
	    st.st_uid != geteuid())
		snprintf(why + n, DB_WHY_BYTES - n, " (the file belongs to uid %u)",
			(unsigned)st.st_uid);
}

/* Returns 0, or the errno for 'rc' with SQLite's message in 'why'. */
static int
result_of(const struct db *d, int rc, char *why)
{
	int err = errno_of(rc);

	if (!err)
		return 0;
	snprintf(why, DB_WHY_BYTES, "%s", d->sql ? sqlite3_errmsg(d->sql) : sqlite3_errstr(rc));
	if (d->sql && (err == -ENOENT || err == -EIO || err == -EACCES))
		add_system_reason(d, why);
	else if (err == -EBUSY)
		snprintf(why + strlen(why), DB_WHY_BYTES - strlen(why), " by another program");
	return err;
}

static void
note_found(struct db_found *f, const char *fmt, ...)
{
	size_t n = strlen(f->note);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->note + n, sizeof(f->note) - n, fmt, ap);
	va_end(ap);
}

static int
run_statement(struct db *d, const char *statement, char *why)
{
	return result_of(d, sqlite3_exec(d->sql, statement, NULL, NULL, NULL), why);
}

/* Stores the first column of the first row in '*value', as a number. */
static int
query_number(struct db *d, const char *statement, int *value, char *why)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, statement, -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int(s, 0);
	rc = result_of(d, rc, why);
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

/* Creates every missing table, including those that an older schema did not have. */
static int
make_schema(struct db *d, char *why)
{
	char version[48];
	int err = run_statement(d, "BEGIN IMMEDIATE", why);

	snprintf(version, sizeof(version), "PRAGMA user_version = %d", DB_SCHEMA);
	for (int i = 0; !err && i < TABLES; i++)
		err = run_statement(d, table_kinds[i].create, why);
	if (!err)
		err = run_statement(d, version, why);
	return err ? err : run_statement(d, "COMMIT", why);
}

/* Prepares a statement. A table with unexpected columns counts as damaged (-EILSEQ). */
static int
prepare_statement(struct db *d, const char *statement, sqlite3_stmt **out, char *why)
{
	int rc = sqlite3_prepare_v2(d->sql, statement, -1, out, NULL);
	int err = result_of(d, rc, why);

	return rc == SQLITE_ERROR ? -EILSEQ : err;
}

static int
prepare_statements(struct db *d, char *why)
{
	int err = 0;

	for (int i = 0; !err && i < TABLES; i++) {
		err = prepare_statement(d, table_kinds[i].put, &d->put[i], why);
		if (!err)
			err = prepare_statement(d, table_kinds[i].drop, &d->drop[i], why);
	}
	return err;
}

/* Notes for the log the tables that a file of this schema should have and does not have.
 * make_schema() creates them. */
static int
note_missing(struct db *d, int schema, struct db_found *f)
{
	int err = 0;

	for (int i = 0; !err && i < TABLES; i++) {
		char statement[96];
		int n = 0;

		if (table_kinds[i].since > schema)
			continue;
		snprintf(statement, sizeof(statement),
			"SELECT count(*) FROM sqlite_master WHERE name = '%s'",
			table_kinds[i].name);
		err = query_number(d, statement, &n, f->why);
		if (!err && !n)
			note_found(f, "%stable %s is missing, begun anew", f->note[0] ? "; " : "",
				table_kinds[i].name);
	}
	return err;
}

/* Reads the whole file once, because SQLite finds most damage only in the pages that it reads. */
static int
check_integrity(struct db *d, char *why)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, "PRAGMA quick_check(1)", -1, &s, NULL);
	int err;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	err = result_of(d, rc, why);
	if (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0) {
		snprintf(why, DB_WHY_BYTES, "%s", (const char *)sqlite3_column_text(s, 0));
		err = -EILSEQ;
	}
	sqlite3_finalize(s);
	return err;
}

/* Prepares a file of this schema for reading and writing. */
static int
open_tables(struct db *d, struct db_found *f)
{
	int schema = 0, err;

	sqlite3_busy_timeout(d->sql, BUSY_WAIT_MS);
	/* One file belongs to one manager: a second one on the same directory fails here, instead
	 * of writing to the same tables. */
	err = run_statement(d, "PRAGMA locking_mode = EXCLUSIVE", f->why);
	if (!err)
		err = query_number(d, "PRAGMA user_version", &schema, f->why);
	if (!err && schema > DB_SCHEMA) {
		snprintf(f->why, sizeof(f->why),
			"made by a newer version (schema %d, this one knows %d)", schema,
			DB_SCHEMA);
		return -EPROTO;
	}
	if (!err)
		err = run_statement(
			d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", f->why);
	/* Before the first write, which could increase the damage. */
	if (!err)
		err = check_integrity(d, f->why);
	if (!err)
		err = note_missing(d, schema, f);
	/* Also if the schema exists, so that a file that cannot be written fails here. */
	if (!err)
		err = make_schema(d, f->why);
	if (!err)
		err = prepare_statements(d, f->why);
	return err;
}

static int
open_once(const char *path, struct db **out, struct db_found *f)
{
	struct db *d = xcalloc(1, sizeof(*d));
	int err;

	f->note[0] = '\0';
	snprintf(d->path, sizeof(d->path), "%s", path);
	err = result_of(d,
		sqlite3_open_v2(path, &d->sql,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL),
		f->why);
	if (!err)
		err = open_tables(d, f);
	if (err) {
		db_close(d);
		d = NULL;
	}
	*out = d;
	return err;
}

/* Renames a damaged file and the files that SQLite keeps beside it. */
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
		rename(from, to);       /* it may not exist */
	}
	return 0;
}

static void
note_bad_rows(struct db_found *f, enum table_id id, size_t n)
{
	if (n)
		note_found(f, "%s%zu impossible row%s left out of table %s", f->note[0] ? "; " : "",
			n, n == 1 ? "" : "s", table_kinds[id].name);
}

static int
read_table(struct db *d, enum table_id id, struct db_found *f)
{
	const struct table_kind *k = &table_kinds[id];
	struct table *t = &f->t[id];
	char statement[96];
	sqlite3_stmt *s = NULL;
	size_t room = 0, bad = 0;
	int rc, err;

	snprintf(statement, sizeof(statement), "SELECT %s FROM %s", k->columns, k->name);
	rc = sqlite3_prepare_v2(d->sql, statement, -1, &s, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		if (k->read(s, table_grow(id, t, &room)))
			t->n++;
		else
			bad++;
	}
	err = result_of(d, rc, f->why);
	sqlite3_finalize(s);
	bad += table_settle(id, t);
	d->repair[id] = bad > 0;
	note_bad_rows(f, id, bad);
	return err;
}

static void
clear_rows(struct db_found *f)
{
	for (int i = 0; i < TABLES; i++)
		table_clear(&f->t[i]);
}

/* Reads the readable rows of a file that could not be opened normally. For a damaged file it notes
 * which rows are lost. */
static void
salvage_file(const char *path, bool damaged, struct db_found *f)
{
	struct salvage_result r;

	clear_rows(f);
	salvage_read(path, f->t, &r);
	for (int i = 0; i < TABLES; i++) {
		f->read |= r.readable[i];
		if (damaged && r.complete[i] && r.schema >= table_kinds[i].since)
			note_found(
				f, "; %zu %s were read from it", f->t[i].n, table_kinds[i].plural);
		else if (damaged && !r.complete[i])
			note_found(f, "; %zu %s were read from it, others are lost", f->t[i].n,
				table_kinds[i].plural);
	}
	for (int i = 0; i < TABLES; i++)
		note_bad_rows(f, (enum table_id)i, r.bad_rows[i]);
}

static int
begin_anew(const char *path, struct db **out, struct db_found *f)
{
	char moved[300], damage[DB_WHY_BYTES];
	struct db_found fresh = { .read = false };
	int err;

	memcpy(damage, f->why, sizeof(damage));
	f->note[0] = '\0';
	err = move_aside(path, moved);
	if (err) {
		note_found(f, "is damaged: %s", damage);
		salvage_file(path, true, f);
		return err;
	}
	note_found(f, "is damaged: moved to %s, begun anew (%s)", moved, damage);
	salvage_file(moved, true, f);
	err = open_once(path, out, &fresh);
	memcpy(f->why, fresh.why, sizeof(f->why));
	return err;
}

int
db_open(const char *path, struct db **out, struct db_found *f, bool *on_disk)
{
	int err;

	*f = (struct db_found){ .read = false };
	err = open_once(path, out, f);
	for (int i = 0; !err && i < TABLES; i++)
		err = read_table(*out, (enum table_id)i, f);
	*on_disk = f->read = !err;
	if (!err)
		return 0;
	db_close(*out);
	*out = NULL;
	if (err == -EILSEQ)
		return begin_anew(path, out, f);
	f->note[0] = '\0';
	if (err != -EPROTO)
		salvage_file(path, false, f);
	return err;
}

bool
db_needs_repair(const struct db *d)
{
	for (int i = 0; i < TABLES; i++)
		if (d->repair[i])
			return true;
	return false;
}

static int
put_row(struct db *d, enum table_id id, const void *row, char *why)
{
	table_kinds[id].bind_key(d->put[id], row);
	table_kinds[id].bind_values(d->put[id], row);
	sqlite3_step(d->put[id]);
	return result_of(d, sqlite3_reset(d->put[id]), why);
}

static int
drop_row(struct db *d, enum table_id id, const void *row, char *why)
{
	table_kinds[id].bind_key(d->drop[id], row);
	sqlite3_step(d->drop[id]);
	return result_of(d, sqlite3_reset(d->drop[id]), why);
}

static int
write_changes(
	struct db *d, enum table_id id, const struct table *was, const struct table *now, char *why)
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

static int
write_table(
	struct db *d, enum table_id id, const struct table *was, const struct table *now, char *why)
{
	static const struct table nothing;
	char statement[64];
	int err;

	if (!d->repair[id])
		return write_changes(d, id, was, now, why);
	snprintf(statement, sizeof(statement), "DELETE FROM %s", table_kinds[id].name);
	err = run_statement(d, statement, why);
	return err ? err : write_changes(d, id, &nothing, now, why);
}

int
db_write(struct db *d, const struct table was[static TABLES], const struct table now[static TABLES],
	char why[static DB_WHY_BYTES])
{
	int err = run_statement(d, "BEGIN IMMEDIATE", why);

	if (err)
		return err;
	for (int i = 0; !err && i < TABLES; i++)
		err = write_table(d, (enum table_id)i, &was[i], &now[i], why);
	if (!err)
		err = run_statement(d, "COMMIT", why);
	if (err)
		sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
	else
		memset(d->repair, 0, sizeof(d->repair));
	return err;
}
