/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_salvage.c - reading a file that cannot be opened as usual: what is read, what is reported
 * as lost, and that nothing on the disk changes.
 */
#include <config.h>
#include <fcntl.h>
#include "tests/unit/store/rig.h"
#include "sm/store/salvage.h"

static struct table t[TABLES];
static struct salvage_result r;

static int
teardown(void **state)
{
	for (int i = 0; i < TABLES; i++)
		table_clear(&t[i]);
	return rig_teardown(state);
}

static void
salvage(const char *file)
{
	for (int i = 0; i < TABLES; i++)
		table_clear(&t[i]);
	salvage_read(file, t, &r);
}

/* The bytes of a file, malloc'ed. */
static char *
file_bytes(const char *file, size_t *n)
{
	struct stat st;
	FILE *f = fopen(file, "r");
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	bytes = malloc(*n + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

/* A whole file: everything, complete, sorted, and no byte of it changed. */
static void
whole(void **state)
{
	struct rig *g = *state;
	char *before, *after;
	size_t n, m;

	rig_fill(g, 2000);
	before = file_bytes(g->file, &n);
	salvage(g->file);
	after = file_bytes(g->file, &m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
	assert_int_equal(r.schema, DB_SCHEMA);
	assert_int_equal(t[TABLE_LIDS].n, 2000);
	assert_int_equal(t[TABLE_GROUPS].n, 1);
	for (size_t i = 0; i < 2000; i++)
		assert_true(rig_lid(&t[TABLE_LIDS], i)->port_guid == i + 1);
	for (int i = 0; i < TABLES; i++) {
		assert_true(r.readable[i]);
		assert_true(r.complete[i]);
		assert_int_equal(r.bad_rows[i], 0);
	}
}

/* No file, an empty one, and text: nothing, and no schema. */
static void
nothing_there(void **state)
{
	struct rig *g = *state;
	FILE *f;

	for (unsigned i = 0; i < 3; i++) {
		if (i) {
			f = fopen(g->file, "w");
			assert_non_null(f);
			for (unsigned k = 0; i == 2 && k < 1000; k++)
				fputs("no database ", f);
			assert_int_equal(fclose(f), 0);
		}
		salvage(g->file);
		assert_int_equal(r.schema, 0);
		for (int k = 0; k < TABLES; k++) {
			assert_false(r.readable[k]);
			assert_int_equal(t[k].n, 0);
		}
	}
}

/* Of a newer schema nothing is read, as nobody knows what its rows mean. */
static void
newer_schema(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 2);
	rig_sql(g, "PRAGMA user_version = 4");
	salvage(g->file);
	assert_int_equal(r.schema, 4);
	assert_int_equal(t[TABLE_LIDS].n, 0);
	assert_false(r.readable[TABLE_LIDS]);
	assert_false(r.complete[TABLE_LIDS]);
}

/* A table that the file's schema does not have is complete without being readable. */
static void
older_schema(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 2);
	rig_sql(g, "DROP TABLE groups; PRAGMA user_version = 1");
	salvage(g->file);
	assert_int_equal(r.schema, 1);
	assert_int_equal(t[TABLE_LIDS].n, 2);
	assert_true(r.complete[TABLE_GROUPS]);
	assert_false(r.readable[TABLE_GROUPS]);
}

/* A table that is gone is not complete; the other one is read. */
static void
lost_table(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 2);
	rig_sql(g, "DROP TABLE lids");
	salvage(g->file);
	assert_false(r.complete[TABLE_LIDS]);
	assert_false(r.readable[TABLE_LIDS]);
	assert_int_equal(t[TABLE_GROUPS].n, 1);
	assert_true(r.complete[TABLE_GROUPS]);
}

/* Rows that no subnet can have, or that clash with another, are counted and left out. */
static void
bad_rows(void **state)
{
	struct rig *g = *state;

	rig_fill(g, 3);
	rig_sql(g, "INSERT INTO lids VALUES (100, 0, 0), (101, 2, 0), (-1, 70000, 0)");
	rig_sql(g, "INSERT INTO groups VALUES ('text', 49152)");
	salvage(g->file);
	assert_int_equal(t[TABLE_LIDS].n, 3);
	assert_int_equal(r.bad_rows[TABLE_LIDS], 3);
	assert_int_equal(t[TABLE_GROUPS].n, 1);
	assert_int_equal(r.bad_rows[TABLE_GROUPS], 1);
	assert_true(r.complete[TABLE_LIDS]);
}

/* Each page destroyed in turn costs its own rows and no others; the reader always ends. */
static void
bad_pages(void **state)
{
	enum { ROWS = 3000, PAGE = 4096 };
	struct rig *g = *state;
	size_t n, least = ROWS;
	char *bytes;

	rig_fill(g, ROWS);
	bytes = file_bytes(g->file, &n);
	assert_true(n > 8 * PAGE);
	for (size_t page = PAGE; page < n; page += PAGE) {
		FILE *f = fopen(g->file, "w");

		assert_non_null(f);
		assert_int_equal(fwrite(bytes, 1, page, f), page);
		for (size_t i = 0; i < PAGE; i++)
			fputc(0xa5, f);
		assert_int_equal(fwrite(bytes + page + PAGE, 1, n - page - PAGE, f),
			n - page - PAGE);
		assert_int_equal(fclose(f), 0);
		salvage(g->file);
		if (t[TABLE_LIDS].n < ROWS)
			assert_false(r.complete[TABLE_LIDS]);
		for (size_t i = 0; i < t[TABLE_LIDS].n; i++)    /* no invented row */
			assert_int_equal(rig_lid(&t[TABLE_LIDS], i)->port_guid,
				rig_lid(&t[TABLE_LIDS], i)->base_lid);
		if (t[TABLE_LIDS].n && t[TABLE_LIDS].n < least)
			least = t[TABLE_LIDS].n;
	}
	free(bytes);
	assert_in_range(least, ROWS - 500, ROWS - 1);
}

/* Between two bad pages everything is read, too. */
static void
two_bad_pages(void **state)
{
	enum { ROWS = 3000, PAGE = 4096 };
	struct rig *g = *state;
	unsigned gaps = 0;
	struct stat st;
	int fd;

	rig_fill(g, ROWS);
	fd = open(g->file, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_size > 10 * PAGE);
	for (unsigned i = 2; i <= 6; i += 4) {          /* from the end: both hold rows of LIDs */
		off_t at = st.st_size - (off_t)i * PAGE;

		for (unsigned k = 0; k < PAGE; k++)
			assert_int_equal(pwrite(fd, "\xa5", 1, at + k), 1);
	}
	assert_int_equal(close(fd), 0);
	salvage(g->file);
	assert_false(r.complete[TABLE_LIDS]);
	assert_in_range(t[TABLE_LIDS].n, ROWS - 1000, ROWS - 2);
	for (size_t i = 1; i < t[TABLE_LIDS].n; i++) {
		uint64_t lost = rig_lid(&t[TABLE_LIDS], i)->port_guid -
			rig_lid(&t[TABLE_LIDS], i - 1)->port_guid - 1;

		assert_in_range(lost, 0, 500);          /* the rows of one page */
		gaps += lost > 0;
	}
	assert_int_equal(gaps, 2);
}

/* A path with the letters that mean something in a URI. */
static void
odd_path(void **state)
{
	struct rig *g = *state;
	char odd[160];

	rig_fill(g, 4);
	snprintf(odd, sizeof(odd), "%s/a%%20b?c=1#d.db", g->dir);
	assert_int_equal(rename(g->file, odd), 0);
	salvage(odd);
	assert_int_equal(t[TABLE_LIDS].n, 4);
}

/* Rows that are still in the WAL, as after a crash, are read, and the WAL stays. */
static void
with_wal(void **state)
{
	struct rig *g = *state;
	char wal[120], copy[160], command[640];
	struct table now[TABLES] = { { 0 } };
	static const struct table nothing[TABLES];
	char why[DB_WHY_BYTES];
	struct stat before, after;

	rig_fill(g, 2);
	assert_int_equal(rig_open(g), 0);
	now[TABLE_LIDS] = table_of_rows(TABLE_LIDS, &(struct store_lid){ 77, 77, 0 }, 1);
	assert_int_equal(db_write(g->db, nothing, now, why), 0);
	table_clear(&now[TABLE_LIDS]);
	/* the files as a crash would leave them now */
	snprintf(copy, sizeof(copy), "%s/crash.db", g->dir);
	snprintf(command, sizeof(command), "cp '%s' '%s' && cp '%s-wal' '%s-wal'", g->file, copy,
		g->file, copy);
	assert_int_equal(system(command), 0);
	snprintf(wal, sizeof(wal), "%s/crash.db-wal", g->dir);
	assert_int_equal(stat(wal, &before), 0);
	assert_true(before.st_size > 0);
	salvage(copy);
	assert_int_equal(t[TABLE_LIDS].n, 3);
	assert_true(rig_lid(&t[TABLE_LIDS], 2)->port_guid == 77);
	assert_int_equal(stat(wal, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_there, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(newer_schema, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(older_schema, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(lost_table, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(bad_rows, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(bad_pages, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(two_bad_pages, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(odd_path, rig_setup, teardown),
		cmocka_unit_test_setup_teardown(with_wal, rig_setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
