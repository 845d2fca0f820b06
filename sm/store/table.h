/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.h - the kinds of tables in the store: what a row is, how rows are ordered, and their SQL.
 * Room: store, private.
 *
 * A table in memory is an array of rows of one kind, sorted by key, each key once.  Everything else in the room
 * handles every kind alike.
 */
#ifndef HEDDLE_SM_STORE_TABLE_H
#define HEDDLE_SM_STORE_TABLE_H

#include <sqlite3.h>
#include "sm/store/store.h"

enum table_id { TABLE_LIDS, TABLE_GROUPS, TABLES };

struct table {
	void *rows;                     /* malloc'ed; NULL: empty */
	size_t n;
};

struct table_kind {
	const char *name;
	int since;                      /* the first schema that has it */
	size_t row_bytes;
	const char *create, *select, *put, *drop;       /* 'put' binds the key first; 'drop' only the key */
	int (*order)(const void *a, const void *b);     /* by key, for qsort */
	bool (*same)(const void *a, const void *b);     /* key and values */
	void (*bind_key)(sqlite3_stmt *s, const void *row);
	void (*bind_values)(sqlite3_stmt *s, const void *row);
	bool (*read)(sqlite3_stmt *s, void *row);       /* false: no subnet can have such a row */
};

extern const struct table_kind table_kinds[TABLES];

void table_clear(struct table *t);
struct table table_copy(enum table_id id, const struct table *t);
struct table table_of_rows(enum table_id id, const void *rows, size_t n);       /* copied, then sorted */
bool table_same(enum table_id id, const struct table *a, const struct table *b);
const void *table_row(enum table_id id, const struct table *t, size_t i);

#endif
