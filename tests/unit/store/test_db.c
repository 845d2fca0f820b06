/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_db.c - the file: what opening finds and says, what a write changes, schemas old and new.
 */
#include <config.h>
#include "tests/unit/store/rig.h"

/* A new file holds nothing and says nothing. */
static void
new_file(void **state)
{
	struct rig *g = *state;

	assert_int_equal(rig_open(g), 0);
	assert_non_null(g->db);
	assert_true(g->found.read);
	assert_true(g->on_disk);
	assert_string_equal(g->found.note, "");
	assert_string_equal(g->found.why, "");
	assert_int_equal(g->found.t[TABLE_LIDS].n, 0);
	assert_int_equal(g->found.t[TABLE_GROUPS].n, 0);
	assert_false(db_needs_repair(g->db));
	assert_int_equal(rig_number(g, "PRAGMA user_version"), DB_SCHEMA);
	db_close(NULL);
}

/* GUIDs are unsigned and the rows come back sorted so, also those with the top bit. */
static void
guid_order(void **state)
{
	static const uint64_t guids[] = { 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	static const struct table nothing[TABLES];
	struct store_lid rows[4];
	struct table t[TABLES] = { { 0 } };
	char why[DB_WHY_BYTES];
	struct rig *g = *state;

	for (unsigned i = 0; i < 4; i++)
		rows[i] = (struct store_lid){ guids[3 - i], (uint16_t)(0xbfff - i), 0 };
	t[TABLE_LIDS] = table_of_rows(TABLE_LIDS, rows, 4);
	assert_int_equal(rig_open(g), 0);
	assert_int_equal(db_write(g->db, nothing, t, why), 0);
	table_clear(&t[TABLE_LIDS]);
	assert_int_equal(rig_open(g), 0);
	assert_int_equal(g->found.t[TABLE_LIDS].n, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(rig_lid(&g->found.t[TABLE_LIDS], i)->port_guid == guids[i]);
		assert_int_equal(rig_lid(&g->found.t[TABLE_LIDS], i)->base_lid, 0xbffc + i);
	}
}

/* A write changes what differs: rows that are equal are not touched. */
static void
differences(void **state)
{
	const struct store_lid was[] = { { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 } };
	const struct store_lid now[] = { { 1, 1, 0 }, { 3, 7, 0 }, { 4, 4, 0 } };
	struct table a[TABLES] = { { 0 } }, b[TABLES] = { { 0 } };
	char why[DB_WHY_BYTES];
	struct rig *g = *state;

	rig_fill(g, 3);
	/* behind its back: shows whether the row is written */
	rig_sql(g, "UPDATE lids SET base_lid = 99 WHERE port_guid = 1");
	a[TABLE_LIDS] = table_of_rows(TABLE_LIDS, was, 3);
	b[TABLE_LIDS] = table_of_rows(TABLE_LIDS, now, 3);
	assert_int_equal(rig_open(g), 0);
	assert_int_equal(db_write(g->db, a, b, why), 0);
	table_clear(&a[TABLE_LIDS]);
	table_clear(&b[TABLE_LIDS]);
	assert_int_equal(rig_number(g, "SELECT count(*) FROM lids"), 3);
	assert_int_equal(rig_number(g, "SELECT base_lid FROM lids WHERE port_guid = 1"), 99);
	assert_int_equal(rig_number(g, "SELECT base_lid FROM lids WHERE port_guid = 3"), 7);
	assert_int_equal(rig_number(g, "SELECT base_lid FROM lids WHERE port_guid = 4"), 4);
	assert_int_equal(rig_number(g, "SELECT count(*) FROM lids WHERE port_guid = 2"), 0);
}

/* A write that fails in the middle leaves the file as it was. */
static void
all_or_nothing(void **state)
{
	const struct store_lid now[] = { { 1, 5, 0 }, { 2, 6, 0 } };
	static const struct table nothing[TABLES];
	struct table t[TABLES] = { { 0 } };
	char why[DB_WHY_BYTES] = "";
	struct rig *g = *state;

	rig_fill(g, 1);
	rig_sql(g, "CREATE TRIGGER stop BEFORE INSERT ON lids WHEN NEW.port_guid = 2 "
		"BEGIN SELECT RAISE(ABORT, 'stopped here'); END");
	t[TABLE_LIDS] = table_of_rows(TABLE_LIDS, now, 2);
	assert_int_equal(rig_open(g), 0);
	assert_true(db_write(g->db, nothing, t, why) < 0);
	assert_non_null(strstr(why, "stopped here"));
	/* the connection still works */
	table_clear(&t[TABLE_LIDS]);
	t[TABLE_LIDS] = table_of_rows(TABLE_LIDS, &(struct store_lid){ 3, 9, 0 }, 1);
	assert_int_equal(db_write(g->db, nothing, t, why), 0);
	table_clear(&t[TABLE_LIDS]);
	assert_int_equal(rig_number(g, "SELECT base_lid FROM lids WHERE port_guid = 1"), 1);
	assert_int_equal(rig_number(g, "SELECT base_lid FROM lids WHERE port_guid = 3"), 9);
}

/* A newer schema is refused, read not at all and not touched. */
static void
newer_schema(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 2);
	rig_sql(g, "PRAGMA user_version = 4");
	assert_int_equal(rig_open(g), -EPROTO);
	assert_null(g->db);
	assert_false(g->on_disk);
	assert_non_null(strstr(g->found.why, "newer"));
	assert_int_equal(g->found.t[TABLE_LIDS].n, 0);
	assert_int_equal(rig_number(g, "PRAGMA user_version"), 4);
	assert_int_equal(rig_number(g, "SELECT count(*) FROM lids"), 2);
}

/* An older schema gets the table it lacks, silently; a missing one of its own is noted. */
static void
older_schema(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 2);
	rig_sql(g, "DROP TABLE groups; PRAGMA user_version = 1");
	assert_int_equal(rig_open(g), 0);
	assert_string_equal(g->found.note, "");
	assert_int_equal(g->found.t[TABLE_LIDS].n, 2);
	assert_int_equal(rig_number(g, "PRAGMA user_version"), DB_SCHEMA);
	assert_int_equal(rig_number(g, "SELECT count(*) FROM groups"), 0);
	rig_sql(g, "DROP TABLE groups");
	assert_int_equal(rig_open(g), 0);
	assert_non_null(strstr(g->found.note, "table groups is missing"));
}

/* Rows that no subnet can have are left out, said, and gone after the next write. */
static void
impossible_rows(void **state)
{
	struct table t[TABLES] = { { 0 } };
	char why[DB_WHY_BYTES];
	struct rig *g = *state;

	rig_fill(g, 3);
	rig_sql(g, "INSERT INTO lids VALUES (100, 0, 0), (101, 49152, 0), (102, 9, 1), (103, 8, 8),"
		" (104, 2, 0)");
	rig_sql(g,
		"INSERT INTO groups VALUES (x'ff00', 49152), (x'fe000000000000000000000000000001',"
		" 49153), (x'ff0000000000000000000000000000ff', 100)");
	assert_int_equal(rig_open(g), 0);
	assert_true(db_needs_repair(g->db));
	assert_int_equal(g->found.t[TABLE_LIDS].n, 3);
	assert_int_equal(g->found.t[TABLE_GROUPS].n, 1);
	assert_non_null(strstr(g->found.note, "5 impossible rows left out of table lids"));
	assert_non_null(strstr(g->found.note, "3 impossible rows left out of table groups"));
	memcpy(t, g->found.t, sizeof(t));
	assert_int_equal(db_write(g->db, t, t, why), 0);        /* equal tables, yet a write */
	assert_false(db_needs_repair(g->db));
	assert_int_equal(rig_number(g, "SELECT count(*) FROM lids"), 3);
	assert_int_equal(rig_number(g, "SELECT count(*) FROM groups"), 1);
}

/* What is no database is moved aside whole, and a new file is begun; each time under a new name. */
static void
no_database(void **state)
{
	char moved[120];
	struct stat st;
	struct rig *g = *state;

	for (unsigned i = 1; i <= 2; i++) {
		FILE *f = fopen(g->file, "w");

		assert_non_null(f);
		for (unsigned k = 0; k < 1000; k++)
			fputs("no database ", f);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(rig_open(g), 0);
		assert_non_null(g->db);
		assert_false(g->on_disk && g->found.t[TABLE_LIDS].n);
		snprintf(moved, sizeof(moved), "%s.corrupt-%u", g->file, i);
		assert_non_null(strstr(g->found.note, moved));
		assert_int_equal(stat(moved, &st), 0);
		assert_int_equal(st.st_size, 12000);
		rig_close(g);
	}
}

/* A path that cannot be opened: an error with a sentence, no database, empty tables. */
static void
no_directory(void **state)
{
	struct db_found f;
	struct db *d;
	bool on_disk = true;
	char path[120];
	struct rig *g = *state;

	snprintf(path, sizeof(path), "%s/nowhere/heddle.db", g->dir);
	assert_int_equal(db_open(path, &d, &f, &on_disk), -ENOENT);
	assert_null(d);
	assert_false(on_disk);
	assert_false(f.read);
	assert_true(strlen(f.why) > 0);
	for (int i = 0; i < TABLES; i++) {
		assert_int_equal(f.t[i].n, 0);
		table_clear(&f.t[i]);
	}
}

/* A second program on the same file is told so, and still reads everything. */
static void
locked(void **state)
{
	struct db_found f;
	struct db *d;
	bool on_disk;
	struct rig *g = *state;

	rig_fill(g, 5);
	assert_int_equal(rig_open(g), 0);
	assert_int_equal(db_open(g->file, &d, &f, &on_disk), -EBUSY);
	assert_null(d);
	assert_false(on_disk);
	assert_true(f.read);
	assert_non_null(strstr(f.why, "by another program"));
	assert_int_equal(f.t[TABLE_LIDS].n, 5);
	assert_int_equal(f.t[TABLE_GROUPS].n, 1);
	for (int i = 0; i < TABLES; i++)
		table_clear(&f.t[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(new_file, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(guid_order, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(differences, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(all_or_nothing, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(newer_schema, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(older_schema, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(impossible_rows, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(no_database, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(no_directory, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(locked, rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
