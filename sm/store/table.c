/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.c - the kinds of tables in the store.
 * Room: store.  lids(port_guid, base_lid, lmc) and groups(mgid, mlid).
 *
 * GUIDs are kept as SQLite's signed 64 bits, so rows are ordered here and not by SQLite.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/store/table.h"
#include "util/xalloc.h"

#define LID_MAX 0xbfff
#define LMC_MAX 7
#define MLID_MIN 0xc000
#define MLID_MAX 0xfffe

/* ---- lids ---- */

static int
lid_order(const void *a, const void *b)
{
	const struct store_lid *x = a, *y = b;

	return (x->port_guid > y->port_guid) - (x->port_guid < y->port_guid);
}

static bool
lid_same(const void *a, const void *b)
{
	const struct store_lid *x = a, *y = b;

	return x->port_guid == y->port_guid && x->base_lid == y->base_lid && x->lmc == y->lmc;
}

static void
lid_bind_key(sqlite3_stmt *s, const void *row)
{
	sqlite3_bind_int64(s, 1, (sqlite3_int64)((const struct store_lid *)row)->port_guid);
}

static void
lid_bind_values(sqlite3_stmt *s, const void *row)
{
	const struct store_lid *r = row;

	sqlite3_bind_int(s, 2, r->base_lid);
	sqlite3_bind_int(s, 3, r->lmc);
}

static bool
lid_read(sqlite3_stmt *s, void *row)
{
	sqlite3_int64 lid = sqlite3_column_int64(s, 1), lmc = sqlite3_column_int64(s, 2);

	if (lid < 1 || lid > LID_MAX || lmc < 0 || lmc > LMC_MAX)
		return false;
	*(struct store_lid *)row = (struct store_lid){ (uint64_t)sqlite3_column_int64(s, 0), (uint16_t)lid,
		(uint8_t)lmc };
	return true;
}

/* ---- groups ---- */

static int
group_order(const void *a, const void *b)
{
	const struct store_group *x = a, *y = b;

	return memcmp(x->mgid, y->mgid, sizeof(x->mgid));
}

static bool
group_same(const void *a, const void *b)
{
	const struct store_group *x = a, *y = b;

	return memcmp(x->mgid, y->mgid, sizeof(x->mgid)) == 0 && x->mlid == y->mlid;
}

static void
group_bind_key(sqlite3_stmt *s, const void *row)
{
	const struct store_group *r = row;

	sqlite3_bind_blob(s, 1, r->mgid, sizeof(r->mgid), SQLITE_TRANSIENT);
}

static void
group_bind_values(sqlite3_stmt *s, const void *row)
{
	sqlite3_bind_int(s, 2, ((const struct store_group *)row)->mlid);
}

static bool
group_read(sqlite3_stmt *s, void *row)
{
	struct store_group *r = row;
	const uint8_t *mgid = sqlite3_column_blob(s, 0);
	sqlite3_int64 mlid = sqlite3_column_int64(s, 1);

	/* A multicast GID begins with 0xff. */
	if (sqlite3_column_type(s, 0) != SQLITE_BLOB || sqlite3_column_bytes(s, 0) != sizeof(r->mgid) ||
	    mgid[0] != 0xff || mlid < MLID_MIN || mlid > MLID_MAX)
		return false;
	memcpy(r->mgid, mgid, sizeof(r->mgid));
	r->mlid = (uint16_t)mlid;
	return true;
}

const struct table_kind table_kinds[TABLES] = {
	[TABLE_LIDS] = {
		"lids", 1, sizeof(struct store_lid),
		"CREATE TABLE IF NOT EXISTS lids ("
		" port_guid INTEGER PRIMARY KEY, base_lid INTEGER NOT NULL, lmc INTEGER NOT NULL)",
		"SELECT port_guid, base_lid, lmc FROM lids",
		"INSERT OR REPLACE INTO lids VALUES (?, ?, ?)",
		"DELETE FROM lids WHERE port_guid = ?",
		lid_order, lid_same, lid_bind_key, lid_bind_values, lid_read,
	},
	[TABLE_GROUPS] = {
		"groups", 2, sizeof(struct store_group),
		"CREATE TABLE IF NOT EXISTS groups (mgid BLOB PRIMARY KEY, mlid INTEGER NOT NULL) WITHOUT ROWID",
		"SELECT mgid, mlid FROM groups",
		"INSERT OR REPLACE INTO groups VALUES (?, ?)",
		"DELETE FROM groups WHERE mgid = ?",
		group_order, group_same, group_bind_key, group_bind_values, group_read,
	},
};

void
table_clear(struct table *t)
{
	free(t->rows);
	*t = (struct table){ NULL, 0 };
}

const void *
table_row(enum table_id id, const struct table *t, size_t i)
{
	return (const uint8_t *)t->rows + i * table_kinds[id].row_bytes;
}

struct table
table_copy(enum table_id id, const struct table *t)
{
	return (struct table){ t->n ? xmemdup(t->rows, t->n * table_kinds[id].row_bytes) : NULL, t->n };
}

struct table
table_of_rows(enum table_id id, const void *rows, size_t n)
{
	struct table t = { n ? xmemdup(rows, n * table_kinds[id].row_bytes) : NULL, n };

	if (n)
		qsort(t.rows, n, table_kinds[id].row_bytes, table_kinds[id].order);
	return t;
}

bool
table_same(enum table_id id, const struct table *a, const struct table *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!table_kinds[id].same(table_row(id, a, i), table_row(id, b, i)))
			return false;
	return true;
}
