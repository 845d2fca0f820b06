/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.c - the tables of the store: lids, groups and topology.
 * Room: store.  lids(port_guid, base_lid, lmc), groups(mgid, mlid) and topology(chunk, text).
 *
 * GUIDs are kept as SQLite's signed 64 bits, so rows are ordered here and not by SQLite.
 *
 * A row that cannot be right in
 * any subnet is left out when it is read. Of rows that conflict, such as two ports with overlapping
 * LIDs, only the first is kept.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/codes.h"
#include "libmad/wire/gid.h"
#include "sm/store/table.h"
#include "util/bits.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define LMC_MAX 7

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

	if (lid < 1 || lid > LID_UCAST_MAX || lmc < 0 || lmc > LMC_MAX)
		return false;
	if (lid & ((1 << lmc) - 1) || lid + (1 << lmc) - 1 > LID_UCAST_MAX)
		return false;
	*(struct store_lid *)row = (struct store_lid){
		(uint64_t)sqlite3_column_int64(s, 0), (uint16_t)lid,
		(uint8_t)lmc };
	return true;
}

/* Drops rows whose LIDs an earlier row has, because a LID belongs to one port. */
static size_t
lid_drop_clashes(struct table *t)
{
	uint64_t used[BITS_WORDS(LID_UCAST_MAX + 1)] = { 0 };
	struct store_lid *rows = t->rows;
	size_t n = 0, was = t->n;

	for (size_t i = 0; i < was; i++) {
		uint32_t end = rows[i].base_lid + (1u << rows[i].lmc);

		if (bits_next(used, end, rows[i].base_lid) < end)
			continue;
		for (uint32_t lid = rows[i].base_lid; lid < end; lid++)
			bits_set(used, lid);
		rows[n++] = rows[i];
	}
	t->n = n;
	return was - n;
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

	/* The MGID of a group begins with 0xff. */
	if (sqlite3_column_type(s, 0) != SQLITE_BLOB ||
	    sqlite3_column_bytes(s, 0) != sizeof(r->mgid) || !gid_is_multicast(mgid) ||
	    mlid < MLID_FIRST || mlid > MLID_LAST)
		return false;
	memcpy(r->mgid, mgid, sizeof(r->mgid));
	r->mlid = (uint16_t)mlid;
	return true;
}

/* ---- topology ---- */

static int
chunk_order(const void *a, const void *b)
{
	const struct store_chunk *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

static bool
chunk_same(const void *a, const void *b)
{
	const struct store_chunk *x = a, *y = b;

	return x->n == y->n && x->len == y->len && !memcmp(x->bytes, y->bytes, x->len);
}

static void
chunk_bind_key(sqlite3_stmt *s, const void *row)
{
	sqlite3_bind_int64(s, 1, ((const struct store_chunk *)row)->n);
}

static void
chunk_bind_values(sqlite3_stmt *s, const void *row)
{
	const struct store_chunk *r = row;

	sqlite3_bind_blob(s, 2, r->bytes, (int)r->len, SQLITE_TRANSIENT);
}

static bool
chunk_read(sqlite3_stmt *s, void *row)
{
	sqlite3_int64 n = sqlite3_column_int64(s, 0);
	const void *bytes = sqlite3_column_blob(s, 1);
	int len = sqlite3_column_bytes(s, 1);
	struct store_chunk *r = row;

	if (sqlite3_column_type(s, 1) != SQLITE_BLOB || n < 0 ||
	    n > STORE_TOPOLOGY_MAX / STORE_CHUNK_BYTES || len < 0 || len > STORE_CHUNK_BYTES)
		return false;
	*r = (struct store_chunk){ .n = (uint32_t)n, .len = (uint32_t)len };
	if (len)
		memcpy(r->bytes, bytes, (size_t)len);
	return true;
}

const struct table_kind table_kinds[TABLES] = {
	[TABLE_LIDS] = {
		"lids", "LIDs", 1, sizeof(struct store_lid),
		"CREATE TABLE IF NOT EXISTS lids ("
		" port_guid INTEGER PRIMARY KEY, base_lid INTEGER NOT NULL, lmc INTEGER NOT NULL)",
		"port_guid, base_lid, lmc",
		"INSERT OR REPLACE INTO lids VALUES (?, ?, ?)",
		"DELETE FROM lids WHERE port_guid = ?",
		lid_order, lid_same, lid_bind_key, lid_bind_values, lid_read, lid_drop_clashes,
	},
	[TABLE_GROUPS] = {
		"groups", "multicast groups", 2, sizeof(struct store_group),
		"CREATE TABLE IF NOT EXISTS groups (mgid BLOB NOT NULL UNIQUE, mlid INTEGER NOT NULL)",
		"mgid, mlid",
		"INSERT OR REPLACE INTO groups VALUES (?, ?)",
		"DELETE FROM groups WHERE mgid = ?",
		group_order, group_same, group_bind_key, group_bind_values, group_read, NULL,
	},
	[TABLE_TOPOLOGY] = {
		"topology", "parts of the topology", 3, sizeof(struct store_chunk),
		"CREATE TABLE IF NOT EXISTS topology ("
		" chunk INTEGER PRIMARY KEY, text BLOB NOT NULL)",
		"chunk, text",
		"INSERT OR REPLACE INTO topology VALUES (?, ?)",
		"DELETE FROM topology WHERE chunk = ?",
		chunk_order, chunk_same, chunk_bind_key, chunk_bind_values, chunk_read, NULL,
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
	return (struct table){ t->n ? xmemdup(t->rows, t->n * table_kinds[id].row_bytes) : NULL,
		t->n };
}

struct table
table_of_rows(enum table_id id, const void *rows, size_t n)
{
	struct table t = { n ? xmemdup(rows, n * table_kinds[id].row_bytes) : NULL, n };

	table_sort(id, &t);
	return t;
}

void
table_sort(enum table_id id, struct table *t)
{
	if (t->n)
		qsort(t->rows, t->n, table_kinds[id].row_bytes, table_kinds[id].order);
}

size_t
table_settle(enum table_id id, struct table *t)
{
	const struct table_kind *k = &table_kinds[id];
	size_t was = t->n, dropped;
	uint8_t *rows = t->rows;

	table_sort(id, t);
	t->n = 0;
	for (size_t i = 0; i < was; i++) {
		const uint8_t *row = rows + i * k->row_bytes;

		if (t->n && k->order(rows + (t->n - 1) * k->row_bytes, row) == 0)
			continue;
		memmove(rows + t->n++ * k->row_bytes, row, k->row_bytes);
	}
	dropped = was - t->n;
	return dropped + (k->drop_clashes ? k->drop_clashes(t) : 0);
}

void *
table_grow(enum table_id id, struct table *t, size_t *room)
{
	if (t->n >= *room) {
		*room = grow_capacity(*room, t->n + 1, 256, SIZE_MAX);
		t->rows = xreallocarray(t->rows, *room, table_kinds[id].row_bytes);
	}
	return (uint8_t *)t->rows + t->n * table_kinds[id].row_bytes;
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
