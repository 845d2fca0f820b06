/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_store.c - what was put is there again, whatever happens to the program, the file or the disk.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
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
store_setup(void **state)
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
store_teardown(void **state)
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

		r[i] = (struct store_lid){ ((uint64_t)k << 50) + k + 1,
			(uint16_t)((1 + (k + seed) % 0x5ffe) << seed % 2), (uint8_t)(seed % 2) };
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
lids_put(size_t n, unsigned seed)
{
	struct store_lid *r = rows_make(n, seed);

	store_put_lids(store, r, n);
	free(r);
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
	lids_put(1000, 3);
	assert_int_equal(store_flush(store), 0);
	expect(1000, 3);
	reopen();
	expect(1000, 3);
	lids_put(500, 4);            /* changed, new and removed rows */
	lids_put(700, 5);
	reopen();               /* closing brings it to the disk */
	expect(700, 5);
	lids_put(700, 5);
	store_flush(store);
	store_status(store, &st);
	assert_true(st.ok);
	assert_false(st.pending);
	assert_int_equal(st.commits, 0);        /* nothing changed, nothing written */
	assert_string_equal(st.path, file);
	lids_put(0, 0);
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
			lids_put(300, seed);
			if (store_flush(store) != 0 || write(p[1], "x", 1) != 1)
				_exit(1);
			for (unsigned i = 0; ; i++)
				lids_put(300, seed + 8 * (i % 2));   /* of one LMC */
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
			unsigned first = n ? (unsigned)got[0].base_lid >> seed % 2 : 0;

			assert_int_equal(n, 300);
			/* one of the two tables, whole: row 0 tells which */
			assert_true(first == 1 + seed || first == 9 + seed);
			expect(300, first - 1);
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
	lids_put(10, 1);
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
		lids_put(1000, 2);
		reopen();
		store_close(store);
		store = NULL;
		assert_int_equal(stat(file, &st), 0);
		assert_true(st.st_size > 20 * 1024);
		fd = open(file, O_WRONLY);
		assert_int_equal(pwrite(fd, page, sizeof(page), at), sizeof(page));
		close(fd);
		store = store_open(dir, &sink);
		lids_put(20, 1);
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
	lids_put(5, 1);
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
		lids_put(30, 1);
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

/* Nothing is read-only for root: be somebody else until teardown. */
static void
drop_root(void)
{
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(dir, 65534, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
}

/* Rows and groups on the disk as a killed program leaves them: all in the WAL, nothing in the file itself. */
static void
fill_and_kill(unsigned n, unsigned seed)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		store = store_open(dir, NULL);
		lids_put(n, seed);
		put_groups(n, seed);
		if (store_flush(store) == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
}

static void
fill(unsigned n, unsigned seed)
{
	store = store_open(dir, &sink);
	lids_put(n, seed);
	put_groups(n, seed);
	store_close(store);
	store = NULL;
}

static off_t
size_of(const char *suffix)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", file, suffix);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* The store was opened: all of it was read, and it says that it cannot write. */
static void
expect_unwritable(unsigned n, unsigned seed)
{
	struct store_status st;

	expect(n, seed);
	expect_groups(n, seed);
	assert_non_null(strstr(logged, " cannot be written: "));
	assert_non_null(strstr(logged, "; what it holds was read, changes are kept in memory only"));
	store_status(store, &st);
	assert_false(st.ok);
	assert_true(st.read);
	assert_true(st.why[0]);
}

/* The disk is writable again: the store is, too, though nothing was put meanwhile. */
static void
expect_recovery(void)
{
	struct store_status st;

	for (int i = 0; i < 500; i++) {
		store_status(store, &st);
		if (st.ok)
			break;
		usleep(10000);
	}
	assert_true(st.ok);
	store_status(store, &st);
	assert_non_null(strstr(logged, "works again"));
}

/* A file that may not be written, in a directory that may not: read all the same, also what is only in the WAL. */
static void
test_read_only(void **state)
{
	(void)state;
	drop_root();
	for (int killed = 0; killed < 2; killed++) {
		off_t wal;

		unlink(file);
		if (killed)
			fill_and_kill(10, 1);
		else
			fill(10, 1);
		wal = size_of("-wal");
		assert_true(killed ? wal > 4096 : wal == -1);
		chmod(file, 0400);
		chmod(dir, 0500);
		logged[0] = '\0';
		store = store_open(dir, &sink);
		expect_unwritable(10, 1);
		lids_put(20, 2);
		assert_true(store_flush(store) < 0);
		expect(20, 2);
		store_close(store);
		assert_int_equal(size_of("-wal"), wal);
		store = store_open(dir, &sink);
		expect(10, 1);
		chmod(dir, 0700);
		chmod(file, 0600);
		expect_recovery();
		lids_put(20, 3);
		reopen();
		expect(20, 3);
		expect_groups(10, 1);
		store_close(store);
		store = NULL;
	}
}

/* A file that may not even be read: the reason says whose it is. */
static void
test_other_owner(void **state)
{
	struct store_status st;

	(void)state;
	if (geteuid() != 0)
		skip();
	fill(10, 1);
	assert_int_equal(chmod(file, 0600), 0);
	drop_root();
	store = store_open(dir, &sink);
	store_status(store, &st);
	assert_false(st.ok);
	assert_false(st.read);
	printf("# %s\n", st.why);
	assert_non_null(strstr(st.why, "Permission denied (the file belongs to uid 0)"));
	expect(0, 0);
}

static void
limit_file_size(rlim_t bytes)
{
	struct rlimit r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
	r.rlim_cur = bytes == RLIM_INFINITY ? r.rlim_max : bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* Not a byte can be written when the store is opened: it is read, and works as soon as there is room. */
static void
test_full_at_open(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (int killed = 0; killed < 2; killed++) {
		if (killed)
			fill_and_kill(100, 1);
		else
			fill(100, 1);
		logged[0] = '\0';
		limit_file_size(0);
		store = store_open(dir, &sink);
		limit_file_size(RLIM_INFINITY);
		expect_unwritable(100, 1);
		expect_recovery();
		lids_put(50, 2);
		reopen();
		expect(50, 2);
		expect_groups(100, 1);
		store_close(store);
		store = NULL;
		unlink(file);
	}
}

/* File systems that are full and read-only, where we may mount some. */
static void
test_real_disks(void **state)
{
	static const char *const options[] = { "size=2m", "size=2m,ro" };
	struct store_status st;
	char path[96];
	int fd;

	(void)state;
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("heddle", dir, "tmpfs", 0, options[0]) != 0)
		skip();
	fill_and_kill(100, 1);
	snprintf(path, sizeof(path), "%s/ballast", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	while (write(fd, path, 1) == 1 || (lseek(fd, 4095, SEEK_CUR), write(fd, path, 1)) == 1)
		;
	close(fd);
	store = store_open(dir, &sink);
	store_status(store, &st);
	expect(100, 1);
	expect_groups(100, 1);
	lids_put(20000, 2);
	assert_true(store_flush(store) < 0);
	store_status(store, &st);
	assert_false(st.ok);
	assert_non_null(strstr(logged, "full"));
	unlink(path);
	expect_recovery();
	reopen();
	expect(20000, 2);
	expect_groups(100, 1);
	store_close(store);

	logged[0] = '\0';
	assert_int_equal(mount("heddle", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
	store = store_open(dir, &sink);
	expect(20000, 2);
	expect_groups(100, 1);
	store_status(store, &st);
	assert_false(st.ok);
	assert_true(st.read);
	assert_int_equal(mount("heddle", dir, "tmpfs", MS_REMOUNT, NULL), 0);
	expect_recovery();
	store_close(store);
	store = NULL;
	umount2(dir, MNT_DETACH);
}

#define PAGE 4096
#define MANY 8000

static void
put_real(void)
{
	struct store_lid *r = calloc(MANY, sizeof(*r));

	for (unsigned i = 0; i < MANY; i++)     /* GUIDs close to each other, as those of one vendor are */
		r[i] = (struct store_lid){ UINT64_C(0x00fe1d0000000001) + 0x100 * i, (uint16_t)(1 + i), 0 };
	store_put_lids(store, r, MANY);
	free(r);
}

/* How many rows were read; each is as it was. */
static size_t
count_real(void)
{
	struct store_lid *got;
	size_t n = store_load_lids(store, &got);

	for (size_t i = 0; i < n; i++) {
		assert_true(got[i].port_guid == UINT64_C(0x00fe1d0000000001) + 0x100 * (uint64_t)(got[i].base_lid - 1));
		assert_in_range(got[i].base_lid, 1, MANY);
	}
	free(got);
	return n;
}

static size_t
count_groups(void)
{
	struct store_group *got;
	size_t n = store_load_groups(store, &got);

	free(got);
	return n;
}

static void
copy_file(const char *to_suffix, const char *from_suffix)
{
	char command[400];

	snprintf(command, sizeof(command), "cp '%s%s' '%s%s'", file, from_suffix, file, to_suffix);
	assert_int_equal(system(command), 0);
}

static void
spoil_page(off_t page)
{
	char bytes[PAGE];
	int fd = open(file, O_WRONLY);

	memset(bytes, 0xa5, sizeof(bytes));
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), page * PAGE), PAGE);
	close(fd);
}

/*
 * Each page spoiled in turn, and then each with a second one: only what was on those pages is lost.  A
 * few pages lead to others: the first, and the roots of the two tables.
 */
static void
test_bad_pages(void **state)
{
	off_t npages, step = 10 / test_share(10);
	unsigned nroots = 0;

	(void)state;
	store = store_open(dir, &sink);
	put_real();
	put_groups(2000, 1);
	reopen();
	store_close(store);
	store = NULL;
	npages = size_of("") / PAGE;
	assert_true(npages > 40);
	copy_file(".good", "");
	for (off_t page = 0; page < npages; page += step)
		for (int two = 0; two < 2; two++) {
			size_t lids, groups, lost;

			copy_file("", ".good");
			spoil_page(page);
			if (two)
				spoil_page((page + npages / 3) % npages);
			logged[0] = '\0';
			store = store_open(dir, &sink);
			assert_non_null(strstr(logged, "is damaged: moved to "));
			lids = count_real();
			groups = count_groups();
			lost = MANY + 2000 - lids - groups;
			if (!two && lost > 500) {
				printf("# page %d of %d leads to others: %zu LIDs, %zu groups are left\n", (int)page + 1,
					(int)npages, lids, groups);
				nroots++;
				assert_true(page == 0 || lids == MANY || groups == 2000);
			}
			if (!two && lost <= 500)
				assert_true(lids == MANY || groups == 2000);
			assert_int_equal(store_flush(store), 0);
			reopen();               /* the new file has what was salvaged */
			assert_int_equal(count_real(), lids);
			assert_int_equal(count_groups(), groups);
			store_close(store);
			store = NULL;
		}
	assert_in_range(nroots, 1, 3);

	/* Two pages of rows far from each other: what is between them is not lost. */
	copy_file("", ".good");
	spoil_page(npages / 4);
	spoil_page(npages / 2);
	store = store_open(dir, &sink);
	printf("# two pages of %d: %zu of %u LIDs are left\n", (int)npages, count_real(), MANY);
	assert_true(count_real() + count_groups() > MANY + 2000 - 1000);
}

/* One table is gone, or is another's: the other keeps its rows. */
static void
test_bad_table(void **state)
{
	(void)state;
	fill(30, 1);
	assert_int_equal(sql("DROP TABLE groups"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(30, 1);
	expect_groups(0, 0);
	assert_non_null(strstr(logged, "table groups is missing, begun anew"));
	put_groups(5, 1);
	reopen();
	expect(30, 1);
	expect_groups(5, 1);
	store_close(store);
	logged[0] = '\0';
	assert_int_equal(sql("DROP TABLE lids; CREATE TABLE lids (x)"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(0, 0);
	expect_groups(5, 1);
	assert_non_null(strstr(logged, "is damaged: moved to "));
	assert_non_null(strstr(logged, "5 multicast groups were read from it"));
	lids_put(30, 1);
	reopen();
	expect(30, 1);
	expect_groups(5, 1);
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
	lids_put(40, 1);
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
	lids_put(100, 1);
	reopen();
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tight = old;
	tight.rlim_cur = 20000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	lids_put(20000, 2);
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
	lids_put(5000, 3);
	assert_true(store_flush(store) < 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(store_flush(store), 0);
	reopen();
	expect(5000, 3);
}

/* A file of a newer version is left as it is. */
static void
test_newer(void **state)
{
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	lids_put(10, 1);
	store_close(store);
	assert_int_equal(sql("PRAGMA user_version = 99"), SQLITE_OK);
	store = store_open(dir, &sink);
	assert_non_null(strstr(logged, "made by a newer version (schema 99, this one knows 3)"));
	lids_put(20, 2);
	assert_true(store_flush(store) < 0);
	store_status(store, &st);
	assert_false(st.ok);
	store_close(store);
	assert_int_equal(sql("PRAGMA user_version = 2"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(10, 1);
}

/* Both tables are kept, each on its own; what changed in both is one commit. */
static void
test_groups(void **state)
{
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	expect_groups(0, 0);
	lids_put(300, 1);
	put_groups(1000, 1);
	assert_int_equal(store_flush(store), 0);
	expect_groups(1000, 1);
	reopen();
	expect(300, 1);
	expect_groups(1000, 1);
	put_groups(1000, 1);
	lids_put(300, 1);
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
	lids_put(200, 3);
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
	lids_put(1, 1);
	store_close(store);
	assert_int_equal(sql("INSERT INTO lids VALUES (77, 0, 0), (78, 49152, 0), (79, 5, 8), (80, -1, 0), "
		"(81, 'x', 0), (82, 4294967301, 0)"), SQLITE_OK);
	assert_int_equal(sql("INSERT INTO groups VALUES (x'ff12', 49152), (x'00124000000000000000000000000001', 49152), "
		"(x'ff124000000000000000000000000001', 49151), (x'ff124000000000000000000000000002', 65535), "
		"('ff12400000000000', 49152), (x'ff124000000000000000000000000003', 114689)"), SQLITE_OK);
	store = store_open(dir, &sink);
	expect(1, 1);
	expect_groups(0, 0);
	assert_non_null(strstr(logged, "6 impossible rows left out of table lids; 6 impossible rows left out of table groups"));
	reopen();                       /* they are deleted from the file */
	logged[0] = '\0';
	reopen();
	expect(1, 1);
	assert_string_equal(logged, "");
}

/* Two ports cannot have the same LID: the second row is left out, and only that one. */
static void
test_clashing_rows(void **state)
{
	struct store_lid *got;

	(void)state;
	fill(1, 1);
	assert_int_equal(sql("DELETE FROM lids; INSERT INTO lids VALUES (10, 8, 2), (11, 9, 0), (12, 12, 0), (-5, 12, 0), "
		"(14, 6, 2), (15, 49151, 0), (16, 49148, 2)"), SQLITE_OK);
	store = store_open(dir, &sink);
	assert_int_equal(store_load_lids(store, &got), 3);
	assert_int_equal(got[0].base_lid, 8);
	assert_int_equal(got[1].base_lid, 12);
	assert_true(got[1].port_guid == 12);
	assert_int_equal(got[2].base_lid, 49151);
	free(got);
	expect_groups(1, 1);
	assert_non_null(strstr(logged, "4 impossible rows left out of table lids"));
}

/* Two managers on one directory: the second runs from memory and says so. */
static void
test_second(void **state)
{
	struct store *other;
	struct store_status st;

	(void)state;
	store = store_open(dir, &sink);
	lids_put(10, 1);
	store_flush(store);
	other = store_open(dir, &sink);
	store_status(other, &st);
	assert_false(st.ok);
	assert_true(st.read);
	assert_non_null(strstr(logged, "database is locked by another program"));
	{
		struct store *first = store;

		store = other;
		expect(10, 1);
		store_put_lids(other, NULL, 0);
		store = first;
	}
	store_close(other);
	reopen();
	expect(10, 1);
}

/* Puts a document of 'len' bytes, and reads it after a restart. */
static void
document(size_t len, unsigned seed)
{
	char *text = malloc(len + 1), *got;
	size_t n;

	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + (i * 31 + seed) % 23);
	store_put_topology(store, text, len);
	assert_int_equal(store_flush(store), 0);
	store_close(store);
	store = store_open(dir, &sink);
	got = store_load_topology(store, &n);
	assert_int_equal(n, len);
	assert_memory_equal(got, text, len);
	free(got);
	free(text);
}

static void
test_topology(void **state)
{
	size_t n;

	(void)state;
	store = store_open(dir, &sink);
	assert_null(store_load_topology(store, &n));
	assert_int_equal(n, 0);
	document(1, 1);
	document(STORE_CHUNK_BYTES, 2);
	document(10 * STORE_CHUNK_BYTES + 7, 3);
	document(2 * STORE_CHUNK_BYTES + 7, 4);         /* shorter than before */
}

/* Without one of its parts, also the last, a document is none. */
static void
test_topology_part_lost(void **state)
{
	static const char *const lost[] = { "DELETE FROM topology WHERE chunk = 1",
		"DELETE FROM topology WHERE chunk = 3",
		"UPDATE topology SET text = zeroblob(9000) WHERE chunk = 0" };
	size_t n;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		store = store_open(dir, &sink);
		document(3 * STORE_CHUNK_BYTES, i);
		store_close(store);
		assert_int_equal(sql(lost[i]), SQLITE_OK);
		logged[0] = '\0';
		store = store_open(dir, &sink);
		assert_null(store_load_topology(store, &n));
		assert_non_null(strstr(logged, "a part of the intended topology is lost"));
		store_close(store);
		store = NULL;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, store_setup, store_teardown)
		T(test_round_trip), T(test_other_owner), T(test_full_at_open), T(test_real_disks), T(test_bad_pages),
		T(test_bad_table), T(test_clashing_rows), T(test_kill), T(test_garbage), T(test_torn), T(test_empty_file), T(test_no_place),
		T(test_read_only), T(test_comes_back), T(test_full), T(test_newer), T(test_impossible_rows),
		T(test_second), T(test_groups), T(test_topology),
		T(test_topology_part_lost), T(test_schema_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
