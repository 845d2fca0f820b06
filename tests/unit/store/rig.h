/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - what the tests of the store's files share: a directory for a database, and statements on
 * it that do not go through the store.
 */
#ifndef HEDDLE_TESTS_UNIT_STORE_RIG_H
#define HEDDLE_TESTS_UNIT_STORE_RIG_H

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/store/db.h"

struct rig {
	char dir[64], file[96];
	struct db *db;
	struct db_found found;
	bool on_disk;
};

static inline int
rig_setup(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));

	if (!g)
		return -1;
	*state = g;
	snprintf(g->dir, sizeof(g->dir), "/tmp/heddle-db-XXXXXX");
	if (!mkdtemp(g->dir))
		return -1;
	snprintf(g->file, sizeof(g->file), "%s/heddle.db", g->dir);
	return 0;
}

static inline void
rig_close(struct rig *g)
{
	db_close(g->db);
	g->db = NULL;
	for (int i = 0; i < TABLES; i++)
		table_clear(&g->found.t[i]);
}

static inline int
rig_teardown(void **state)
{
	struct rig *g = *state;
	char command[128];

	rig_close(g);
	snprintf(command, sizeof(command), "rm -rf '%s'", g->dir);
	free(g);
	return system(command);
}

static inline int
rig_open(struct rig *g)
{
	rig_close(g);
	return db_open(g->file, &g->db, &g->found, &g->on_disk);
}

/* A statement by SQLite itself, with the store closed. */
static inline void
rig_sql(struct rig *g, const char *statement)
{
	sqlite3 *sql;

	rig_close(g);
	assert_int_equal(sqlite3_open(g->file, &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, statement, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

/* The first column of a query's only row. */
static inline sqlite3_int64
rig_number(struct rig *g, const char *query)
{
	sqlite3_stmt *s;
	sqlite3 *sql;
	sqlite3_int64 n;

	rig_close(g);
	assert_int_equal(sqlite3_open(g->file, &sql), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(sql, query, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
	return n;
}

/* A closed file of this schema with 'n' LIDs (port GUID i + 1, LID i + 1) and one group. */
static inline void
rig_fill(struct rig *g, unsigned n)
{
	struct store_group group = { { 0xff, [15] = 1 }, 0xc000 };
	struct store_lid *rows = calloc(n + 1, sizeof(*rows));
	static const struct table nothing[TABLES];
	char why[DB_WHY_BYTES];
	struct table t[TABLES] = { { 0 } };

	assert_non_null(rows);
	for (unsigned i = 0; i < n; i++)
		rows[i] = (struct store_lid){ i + 1, (uint16_t)(i + 1), 0 };
	t[TABLE_LIDS] = table_of_rows(TABLE_LIDS, rows, n);
	t[TABLE_GROUPS] = table_of_rows(TABLE_GROUPS, &group, 1);
	free(rows);
	assert_int_equal(rig_open(g), 0);
	assert_int_equal(db_write(g->db, nothing, t, why), 0);
	rig_close(g);
	for (int i = 0; i < TABLES; i++)
		table_clear(&t[i]);
}

static inline const struct store_lid *
rig_lid(const struct table *t, size_t i)
{
	assert_true(i < t->n);
	return table_row(TABLE_LIDS, t, i);
}

#endif
