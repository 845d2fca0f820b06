/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * salvage.c - reads the readable rows of a file that cannot be opened normally.
 * Room: store.
 *
 * The file is opened read-only. In WAL mode SQLite reads a database that it cannot write only if it
 * is called immutable, since it has no locks and no shared memory there. It then ignores the WAL,
 * which has the newest commits after a crash. So a file with a WAL is opened with the VFS without
 * locks, and with the index of the WAL in memory. There is no checkpoint.
 *
 * A damaged page must affect only its own rows. A gap is a range of rowids about which nothing is
 * known. It is read upwards until the first damage, then downwards from its other end. The rest is
 * halved, and each half is a new gap. Gaps are read in the order of a queue, so the widest come
 * first.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sm/store/salvage.h"
#include "util/xalloc.h"

#define GAPS_MAX 8192                   /* of one table, in total */
/* More rows than a subnet can have; damage can make rows repeat. */
#define ROWS_MAX 100000

struct gap {
	sqlite3_int64 lo, hi;           /* both inclusive */
};

struct salvage {
	sqlite3 *sql;
	enum table_id id;
	struct table *out;
	size_t room;
	struct salvage_result *r;
	struct gap gaps[GAPS_MAX];      /* queue, from 'head' to 'tail' */
	unsigned head, tail;
};

/* Writes "file:PATH?immutable=1", with the special characters of PATH escaped. */
static void
immutable_uri(const char *path, char *uri, size_t len)
{
	size_t n = (size_t)snprintf(uri, len, "file:");

	for (; *path && n + 16 < len; path++)
		n += (size_t)snprintf(uri + n, len - n, strchr("%?#", *path) ? "%%%02x" : "%c",
			(unsigned char)*path);
	snprintf(uri + n, len - n, "?immutable=1");
}

static bool
has_wal(const char *path)
{
	char wal[300];
	struct stat st;

	snprintf(wal, sizeof(wal), "%s-wal", path);
	return stat(wal, &st) == 0 && st.st_size > 0;
}

/* Returns the schema of the file; 0: it cannot be read. */
static int
schema_of(sqlite3 *sql)
{
	sqlite3_stmt *s = NULL;
	int schema = 0;

	if (sqlite3_prepare_v2(sql, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		schema = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	return schema;
}

static sqlite3 *
open_with_wal(const char *path)
{
	sqlite3 *sql = NULL;

	if (sqlite3_open_v2(path, &sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, "unix-none") ==
			SQLITE_OK &&
	    sqlite3_db_config(sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK &&
	    sqlite3_exec(sql, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL) ==
			SQLITE_OK &&
	    schema_of(sql))
		return sql;
	sqlite3_close(sql);
	return NULL;
}

static sqlite3 *
open_immutable(const char *path)
{
	char uri[1024];
	sqlite3 *sql = NULL;

	immutable_uri(path, uri, sizeof(uri));
	if (sqlite3_open_v2(uri, &sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
	    NULL) == SQLITE_OK && schema_of(sql))
		return sql;
	sqlite3_close(sql);
	return NULL;
}

static void
add_gap(struct salvage *v, sqlite3_int64 lo, sqlite3_int64 hi)
{
	if (lo <= hi && v->tail < GAPS_MAX)
		v->gaps[v->tail++] = (struct gap){ lo, hi };
}

static void
take_row(struct salvage *v, sqlite3_stmt *s)
{
	const struct table_kind *k = &table_kinds[v->id];

	if (k->read(s, table_grow(v->id, v->out, &v->room)))
		v->out->n++;
	else
		v->r->bad_rows[v->id]++;
}

/* Reads a gap from one end until the first damage, and reduces it by the rows read. Returns true if
 * the gap is read completely. */
static bool
read_gap(struct salvage *v, struct gap *g, bool up)
{
	char statement[160];
	sqlite3_stmt *s = NULL;
	int rc;

	snprintf(statement, sizeof(statement),
		"SELECT %s, rowid FROM %s WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid %s",
		table_kinds[v->id].columns, table_kinds[v->id].name, up ? "ASC" : "DESC");
	rc = sqlite3_prepare_v2(v->sql, statement, -1, &s, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, g->lo);
		sqlite3_bind_int64(s, 2, g->hi);
		v->r->readable[v->id] = true;
	}
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		sqlite3_int64 rowid = sqlite3_column_int64(s, sqlite3_column_count(s) - 1);

		/* A damaged tree can lead back to rows that were already read. */
		if (rowid < g->lo || rowid > g->hi || v->out->n >= ROWS_MAX)
			break;
		take_row(v, s);
		if (rowid == (up ? g->hi : g->lo)) {
			rc = SQLITE_DONE;
			break;
		}
		*(up ? &g->lo : &g->hi) = up ? rowid + 1 : rowid - 1;
		rc = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}

/* Reads one table. Unreadable rows are in the gaps that remain: those of one rowid, and those that
 * exceed GAPS_MAX. */
static void
read_table(struct salvage *v)
{
	bool all = true;

	add_gap(v, INT64_MIN, INT64_MAX);
	while (v->head < v->tail) {
		struct gap g = v->gaps[v->head++];
		sqlite3_int64 mid;

		if (read_gap(v, &g, true))
			continue;
		all = false;
		if (!v->r->readable[v->id] || read_gap(v, &g, false))
			continue;
		mid = (g.lo & g.hi) + ((g.lo ^ g.hi) >> 1);
		if (g.lo < g.hi) {
			add_gap(v, g.lo, mid);
			add_gap(v, mid + 1, g.hi);
		}
	}
	v->r->complete[v->id] = all;
}

void
salvage_read(const char *path, struct table t[static TABLES], struct salvage_result *r)
{
	struct salvage *v;
	sqlite3 *sql = has_wal(path) ? open_with_wal(path) : NULL;

	*r = (struct salvage_result){ .schema = 0 };
	memset(t, 0, TABLES * sizeof(*t));
	if (!sql && !(sql = open_immutable(path)))
		return;
	r->schema = schema_of(sql);
	sqlite3_exec(sql, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	v = xmalloc(sizeof(*v));
	for (int i = 0; i < TABLES; i++) {
		*v = (struct salvage){ .sql = sql, .id = (enum table_id)i, .out = &t[i], .r = r };
		if (r->schema < table_kinds[i].since)
			r->complete[i] = true;
		else if (r->schema <= DB_SCHEMA)
			read_table(v);
		r->bad_rows[i] += table_settle((enum table_id)i, &t[i]);
	}
	free(v);
	sqlite3_close(sql);
}
