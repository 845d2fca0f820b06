/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.h - the kinds of tables in the store: what a row is, how rows are ordered, and their SQL.
 * Room: store, private.
 *
 * A table in memory is an array of rows of one kind, sorted by key, each key once.  Everything else
 * in the room handles every kind alike.
 */
#ifndef HEDDLE_SM_STORE_TABLE_H
#define HEDDLE_SM_STORE_TABLE_H

#include <sqlite3.h>
#include "sm/store/store.h"

#define DB_SCHEMA 2             /* PRAGMA user_version; 1 had no groups */

enum table_id { TABLE_LIDS, TABLE_GROUPS, TABLES };

struct table {
	void *rows;                     /* malloc'ed; NULL: empty */
	size_t n;
};

struct table_kind {
	const char *name, *plural;      /* in SQL; in the log */
	int since;                      /* the first schema that has it */
	size_t row_bytes;
	/* Every table has SQLite's rowid.  'columns' is what read() wants, in order; 'put' binds
	 * them; 'drop' only the key. */
	const char *create, *columns, *put, *drop;
	int (*order)(const void *a, const void *b);     /* by key, for qsort */
	bool (*same)(const void *a, const void *b);     /* key and values */
	void (*bind_key)(sqlite3_stmt *s, const void *row);
	void (*bind_values)(sqlite3_stmt *s, const void *row);
	bool (*read)(sqlite3_stmt *s, void *row);       /* false: no subnet can have such a row */
	/* rows that exclude an earlier one; NULL: none do */
	size_t (*drop_clashes)(struct table *t);
};

extern const struct table_kind table_kinds[TABLES];

void table_clear(struct table *t);
struct table table_copy(enum table_id id, const struct table *t);
/* copied, then sorted */
struct table table_of_rows(enum table_id id, const void *rows, size_t n);
bool table_same(enum table_id id, const struct table *a, const struct table *b);
/* Room for one more row, at the end. */
void *table_grow(enum table_id id, struct table *t, size_t *room);
void table_sort(enum table_id id, struct table *t);
/* Sorts rows that were read from a file; of those that exclude each other, only the first stays.
 * How many were dropped. */
size_t table_settle(enum table_id id, struct table *t);
const void *table_row(enum table_id id, const struct table *t, size_t i);

#endif
