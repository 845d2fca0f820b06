/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_store.c - what was put is there again, whatever happens to the program, the file or the disk.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/store/store.h"

static char dir[64], file[96], logged[4096];
static struct store *store;

static void
keep_line(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(logged);

	(void)arg;
	snprintf(logged + n, sizeof(logged) - n, "%d %s: %s\n", (int)level, room, line);
}

static const struct log sink = { LOG_TRACE, keep_line, NULL };

static int
setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/heddle-store-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/heddle.db", dir);
	logged[0] = '\0';
	return 0;
}

static int
teardown(void **state)
{
	char command[128];

	(void)state;
	store_close(store);
	store = NULL;
	if (seteuid(getuid()) != 0)
		return -1;
	chmod(dir, 0700);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

/* 'n' rows that follow from 'seed', in no order. */
static struct store_lid *
rows_make(size_t n, unsigned seed)
{
	struct store_lid *r = calloc(n, sizeof(*r));

	for (size_t i = 0; i < n; i++) {
		size_t k = (i * 7919 + seed) % n;       /* 7919 is prime: a permutation */

		r[i] = (struct store_lid){ ((uint64_t)k << 50) + k + 1, (uint16_t)(1 + (k + seed) % 0xbfff),
			(uint8_t)(seed % 8) };
	}
	return r;
}

static int
by_guid(const void *a, const void *b)
{
	const struct store_lid *x = a, *y = b;

	return (x->port_guid > y->port_guid) - (x->port_guid < y->port_guid);
}

/* The store holds rows_make(n, seed), sorted by GUID as an unsigned number. */
static void
expect(size_t n, unsigned seed)
{
	struct store_lid *r = rows_make(n, seed), *got;

	qsort(r, n, sizeof(*r), by_guid);
	assert_int_equal(store_load_lids(store, &got), n);
	for (size_t i = 0; i < n; i++) {
		assert_true(got[i].port_guid == r[i].port_guid);
		assert_int_equal(got[i].base_lid, r[i].base_lid);
		assert_int_equal(got[i].lmc, r[i].lmc);
	}
	free(r);
	free(got);
}

static void
put(size_t n, unsigned seed)
{
	struct store_lid *r = rows_make(n, seed);

	store_put_lids(store, r, n);
	free(r);
}

static void
reopen(void)
{
	store_close(store);
	store = store_open(dir, &sink);
}

static void
test_round_trip(void **state)
{
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	expect(0, 0);
	put(1000, 3);
	assert_int_equal(store_flush(store), 0);
	expect(1000, 3);
	reopen();
	expect(1000, 3);
	put(500, 4);            /* changed, new and removed rows */
	put(700, 5);
	reopen();               /* closing brings it to the disk */
	expect(700, 5);
	put(700, 5);
	store_flush(store);
	store_status(store, &st);
	assert_true(st.ok);
	assert_false(st.pending);
	assert_int_equal(st.commits, 0);        /* nothing changed, nothing written */
	assert_string_equal(st.path, file);
	put(0, 0);
	reopen();
	expect(0, 0);
	assert_string_equal(logged, "");
}

/* What was flushed is there after kill -9, and what was not does no harm. */
static void
test_kill(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed < 6; seed++) {
		int p[2], status;
		char c;
		pid_t pid;

		assert_int_equal(pipe(p), 0);
		pid = fork();
		if (pid == 0) {
			store = store_open(dir, NULL);
			put(300, seed);
			if (store_flush(store) != 0 || write(p[1], "x", 1) != 1)
				_exit(1);
			for (unsigned i = 0; ; i++)
				put(300, seed + 8 * (i % 2));   /* of one LMC */
		}
		close(p[1]);
		assert_int_equal(read(p[0], &c, 1), 1);
		close(p[0]);
		usleep(3000 * seed);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status));
		store = store_open(dir, &sink);
		{
			struct store_lid *got;
			size_t n = store_load_lids(store, &got);

			assert_int_equal(n, 300);
			/* one of the two tables, whole: row 0 tells which */
			assert_true(got[0].base_lid == 1 + seed || got[0].base_lid == 9 + seed);
			expect(300, got[0].base_lid - 1u);
			free(got);
		}
		store_close(store);
		store = NULL;
	}
	assert_string_equal(logged, "");
}

static void
write_file(const void *bytes, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static void
test_garbage(void **state)
{
	char garbage[8192], aside[128], back[8192];
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)(i * 31 + 7);
	write_file(garbage, sizeof(garbage));
	store = store_open(dir, &sink);
	assert_non_null(strstr(logged, "3 store: "));
	assert_non_null(strstr(logged, "is damaged: moved to "));
	expect(0, 0);
	put(10, 1);
	assert_int_equal(store_flush(store), 0);
	reopen();
	expect(10, 1);
	snprintf(aside, sizeof(aside), "%s.corrupt-1", file);
	fd = open(aside, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, back, sizeof(back)), sizeof(back));
	assert_memory_equal(back, garbage, sizeof(back));
	close(fd);
}

/* Any page of a good file overwritten: the store opens, with the rows or without, and works. */
static void
test_torn(void **state)
{
	char page[1024];
	struct stat st;
	struct store_status now;

	(void)state;
	memset(page, 0xa5, sizeof(page));
	for (off_t at = 0; at < 20 * 1024; at += 1024) {
		int fd;

		unlink(file);
		store = store_open(dir, &sink);
		put(1000, 2);
		reopen();
		store_close(store);
		store = NULL;
		assert_int_equal(stat(file, &st), 0);
		assert_true(st.st_size > 20 * 1024);
		fd = open(file, O_WRONLY);
		assert_int_equal(pwrite(fd, page, sizeof(page), at), sizeof(page));
		close(fd);
		store = store_open(dir, &sink);
		put(20, 1);
		assert_int_equal(store_flush(store), 0);
		reopen();
		expect(20, 1);
		store_status(store, &now);
		assert_true(now.ok);
		store_close(store);
		store = NULL;
	}
}

static void
test_empty_file(void **state)
{
	(void)state;
	write_file("", 0);
	store = store_open(dir, &sink);
	put(5, 1);
	reopen();
	expect(5, 1);
	assert_string_equal(logged, "");
}

/* No directory to write in: memory serves, the alarm is raised once, nothing ends. */
static void
test_no_place(void **state)
{
	static const char *const places[] = { "/proc/self", "/dev/null/x", "/nonexistent/heddle/deeper" };
	struct store_status st;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		logged[0] = '\0';
		store = store_open(places[i], &sink);
		assert_non_null(strstr(logged, "LIDs are kept in memory only"));
		len = strlen(logged);
		put(30, 1);
		assert_true(store_flush(store) < 0);
		expect(30, 1);
		for (int k = 0; k < 3; k++)
			store_status(store, &st);
		assert_false(st.ok);
		assert_true(st.pending);
		assert_true(st.failures >= 2);
		assert_true(st.why[0] != '\0');
		assert_int_equal(strlen(logged), len);
		store_close(store);
		store = NULL;
	}
}

static void
test_read_only(void **state)
{
	struct store_status st;

	(void)state;
	if (geteuid() == 0) {   /* nothing is read-only for root: be somebody else until teardown */
		assert_int_equal(chown(dir, 65534, 65534), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	store = store_open(dir, &sink);
	put(10, 1);
	store_close(store);
	chmod(file, 0400);
	chmod(dir, 0500);
	store = store_open(dir, &sink);
	store_status(store, &st);
	assert_false(st.ok);
	put(20, 2);
	expect(20, 2);
}

/* A place that appears later is used as soon as it is there. */
static void
test_comes_back(void **state)
{
	char sub[96], good[96];
	struct store_status st;

	(void)state;
	snprintf(sub, sizeof(sub), "%s/not/yet", dir);
	snprintf(good, sizeof(good), "%s/not", dir);
	store = store_open(sub, &sink);
	put(40, 1);
	assert_true(store_flush(store) < 0);
	assert_int_equal(mkdir(good, 0700), 0);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(store_flush(store), 0);
	assert_non_null(strstr(logged, "works again"));
	store_status(store, &st);
	assert_true(st.ok);
	store_close(store);
	store = store_open(sub, &sink);
	expect(40, 1);
}

/* The disk is full: the old table stays whole on it, the new one is written when there is room. */
static void
test_full(void **state)
{
	struct rlimit old, tight;
	struct store_status st;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	store = store_open(dir, &sink);
	put(100, 1);
	reopen();
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tight = old;
	tight.rlim_cur = 20000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	put(20000, 2);
	assert_true(store_flush(store) < 0);
	expect(20000, 2);
	store_status(store, &st);
	assert_false(st.ok);
	store_close(store);
	store = NULL;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	store = store_open(dir, &sink);
	expect(100, 1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	put(5000, 3);
	assert_true(store_flush(store) < 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(store_flush(store), 0);
	reopen();
	expect(5000, 3);
}

static int
sql(const char *statement)
{
	sqlite3 *d = NULL;
	int rc = sqlite3_open(file, &d);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(d, statement, NULL, NULL, NULL);
	sqlite3_close(d);
	return rc;
}

/* A file of a newer version is left as it is. */
static void
test_newer(void **state)
{
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	put(10, 1);
	store_close(store);
	assert_int_equal(sql("PRAGMA user_version = 99"), SQLITE_OK);
	store = store_open(dir, &sink);
	assert_non_null(strstr(logged, "made by a newer version (schema 99, this one knows 2)"));
	put(20, 2);
	assert_true(store_flush(store) < 0);
	store_status(store, &st);
	assert_false(st.ok);
	store_close(store);
	assert_int_equal(sql("PRAGMA user_version = 2"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(10, 1);
}

/* Group 'i' of the tests: MGIDs descend as 'i' grows, so that sorting is seen. */
static struct store_group
group_make(unsigned i, unsigned seed)
{
	struct store_group g = { { 0xff, 0x12, 0x40, 0x1b }, (uint16_t)(0xc000 + (i + seed) % 0x3fff) };

	g.mgid[4] = (uint8_t)(~i >> 8);
	g.mgid[15] = (uint8_t)~i;
	return g;
}

static void
put_groups(unsigned n, unsigned seed)
{
	struct store_group *g = calloc(n + 1, sizeof(*g));

	for (unsigned i = 0; i < n; i++)
		g[i] = group_make(i, seed);
	store_put_groups(store, g, n);
	free(g);
}

static void
expect_groups(unsigned n, unsigned seed)
{
	struct store_group *got;

	assert_int_equal(store_load_groups(store, &got), n);
	for (unsigned i = 0; i < n; i++) {
		struct store_group want = group_make(n - 1 - i, seed);

		assert_memory_equal(got[i].mgid, want.mgid, 16);
		assert_int_equal(got[i].mlid, want.mlid);
	}
	free(got);
}

/* Both tables are kept, each on its own; what changed in both is one commit. */
static void
test_groups(void **state)
{
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	expect_groups(0, 0);
	put(300, 1);
	put_groups(1000, 1);
	assert_int_equal(store_flush(store), 0);
	expect_groups(1000, 1);
	reopen();
	expect(300, 1);
	expect_groups(1000, 1);
	put_groups(1000, 1);
	put(300, 1);
	store_flush(store);
	store_status(store, &st);
	assert_int_equal(st.commits, 0);
	put_groups(400, 2);             /* changed and removed rows */
	reopen();
	expect(300, 1);
	expect_groups(400, 2);
	put_groups(0, 0);
	reopen();
	expect(300, 1);
	expect_groups(0, 0);
	assert_string_equal(logged, "");
}

/* A file of schema 1, which had LIDs only, keeps them and gets the table of groups. */
static void
test_schema_1(void **state)
{
	(void)state;
	store = store_open(dir, &sink);
	put(200, 3);
	store_close(store);
	assert_int_equal(sql("DROP TABLE groups; PRAGMA user_version = 1"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(200, 3);
	expect_groups(0, 0);
	put_groups(50, 3);
	reopen();
	expect(200, 3);
	expect_groups(50, 3);
	assert_string_equal(logged, "");
}

/* Rows that no subnet can have are not handed out. */
static void
test_impossible_rows(void **state)
{
	(void)state;
	store = store_open(dir, &sink);
	put(1, 1);
	store_close(store);
	assert_int_equal(sql("INSERT INTO lids VALUES (77, 0, 0), (78, 49152, 0), (79, 5, 8), (80, -1, 0), "
		"(81, 'x', 0), (82, 4294967301, 0)"), SQLITE_OK);
	assert_int_equal(sql("INSERT INTO groups VALUES (x'ff12', 49152), (x'00124000000000000000000000000001', 49152), "
		"(x'ff124000000000000000000000000001', 49151), (x'ff124000000000000000000000000002', 65535), "
		"('ff12400000000000', 49152), (x'ff124000000000000000000000000003', 114689)"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(1, 1);
	expect_groups(0, 0);
}

/* Two managers on one directory: the second runs from memory and says so. */
static void
test_second(void **state)
{
	struct store *other;
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	put(10, 1);
	store_flush(store);
	other = store_open(dir, &sink);
	store_status(other, &st);
	assert_false(st.ok);
	assert_non_null(strstr(logged, "locked"));
	store_close(other);
	reopen();
	expect(10, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_round_trip), T(test_kill), T(test_garbage), T(test_torn), T(test_empty_file), T(test_no_place),
		T(test_read_only), T(test_comes_back), T(test_full), T(test_newer), T(test_impossible_rows),
		T(test_second), T(test_groups), T(test_schema_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
