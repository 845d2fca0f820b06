/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.h - the kinds of tables in the store: row layout, order, and SQL.
 * Room: store, private.
 *
 * A table in memory is an array of rows of one kind, sorted by key, each key once.  Only table.c
 * knows the fields of a row; the rest of the room handles every kind alike.
 */
#ifndef HEDDLE_SM_STORE_TABLE_H
#define HEDDLE_SM_STORE_TABLE_H

#include <sqlite3.h>
#include "sm/store/store.h"

/* PRAGMA user_version; 1 had no groups, 2 no topology */
#define DB_SCHEMA 3

enum table_id { TABLE_LIDS, TABLE_GROUPS, TABLE_TOPOLOGY, TABLES };

/* A part of the document of the intended topology.  All but the last are full, and the last one is
 * not, so a document whose end is lost is noticed. */
struct store_chunk {
	uint32_t n, len;
	uint8_t bytes[STORE_CHUNK_BYTES];
};

struct table {
	void *rows;                     /* allocated; NULL: empty */
	size_t n;
};

struct table_kind {
	const char *name, *plural;      /* name in SQL; name in the log */
	int since;                      /* first schema version that has the table */
	size_t row_bytes;
	/* Every table has SQLite's rowid.  'columns' lists what read() expects, in order; 'put'
	 * binds the same columns; 'drop' binds only the key. */
	const char *create, *columns, *put, *drop;
	int (*order)(const void *a, const void *b);     /* by key, for qsort */
	bool (*same)(const void *a, const void *b);     /* key and values */
	void (*bind_key)(sqlite3_stmt *s, const void *row);
	void (*bind_values)(sqlite3_stmt *s, const void *row);
	/* false: the row is invalid in any subnet */
	bool (*read)(sqlite3_stmt *s, void *row);
	/* drops rows that conflict with an earlier one; NULL: rows never conflict */
	size_t (*drop_clashes)(struct table *t);
};

extern const struct table_kind table_kinds[TABLES];

/* Frees the rows and empties the table. */
void table_clear(struct table *t);
/* Returns a copy, which the caller frees by table_clear(). */
struct table table_copy(enum table_id id, const struct table *t);
/* Returns a table with a sorted copy of 'n' rows; the caller frees it by table_clear(). */
struct table table_of_rows(enum table_id id, const void *rows, size_t n);
/* Reports whether both sorted tables have equal rows. */
bool table_same(enum table_id id, const struct table *a, const struct table *b);
/* Makes room for one more row and returns it, uninitialized; the caller increments t->n if the row
 * is used. '*room' is the allocated number of rows. */
void *table_grow(enum table_id id, struct table *t, size_t *room);
void table_sort(enum table_id id, struct table *t);
/* Sorts rows that were read from a file and keeps only the first of conflicting rows. Returns the
 * number of rows dropped. */
size_t table_settle(enum table_id id, struct table *t);
/* Returns row 'i', which belongs to the table. */
const void *table_row(enum table_id id, const struct table *t, size_t i);

#endif
