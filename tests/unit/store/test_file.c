/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_file.c - a file that is replaced whole: what comes back, damage, and disks that refuse.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/store/file.h"

static char dir[64], path[128];
static _Atomic unsigned released;       /* by the writer, and by store_file_put() for what it replaces */

static int
store_file_setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_file.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/tables", dir);
	released = 0;
	return 0;
}

static int
store_file_teardown(void **state)
{
	(void)state;
	unlink(path);
	assert_int_equal(rmdir(dir), 0);        /* nothing else is left there */
	return 0;
}

static void
on_release(void *arg)
{
	++*(_Atomic unsigned *)arg;
}

static void
texts_put(struct store_file *f, const char *a, const char *b)
{
	store_file_put(f, &(struct store_file_text){ { a, b }, { strlen(a), strlen(b) }, on_release, &released });
}

/* Writes 'a' and 'b'. */
static void
texts_write(const char *a, const char *b)
{
	struct store_file *f = store_file_open(dir, "tables", NULL);

	texts_put(f, a, b);
	store_file_close(f);
}

static void
assert_holds(const char *text)
{
	struct store_file *f = store_file_open(dir, "tables", NULL);
	size_t len;
	uint8_t *bytes = store_file_load(f, &len);

	if (text) {
		assert_non_null(bytes);
		assert_int_equal(len, strlen(text));
		assert_memory_equal(bytes, text, len);
	} else {
		assert_null(bytes);
	}
	free(bytes);
	store_file_close(f);
}

static void
what_was_put_last(void **state)
{
	struct store_file *f = store_file_open(dir, "tables", NULL);
	struct stat st;

	(void)state;
	assert_holds(NULL);
	for (unsigned i = 0; i < 100; i++)
		texts_put(f, "an earlier ", "text");
	texts_put(f, "seven b", "ytes, and some more");
	store_file_close(f);
	assert_int_equal(released, 101);
	assert_holds("seven bytes, and some more");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	texts_write("", "");
	assert_holds("");
	store_file_close(NULL);
}

/* Any byte that changes, and any length but the right one. */
static void
damage(void **state)
{
	char bytes[64], more[65] = { 0 };
	ssize_t n;
	int fd;

	(void)state;
	texts_write("forwarding ", "tables, of a kind");
	fd = open(path, O_RDONLY);
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	assert_int_equal(n, 24 + 28);
	for (ssize_t i = 0; i < 2 * n + 1; i++) {
		size_t len = i < n ? (size_t)n : i < 2 * n ? (size_t)(i - n) : (size_t)n + 1;

		memcpy(more, bytes, (size_t)n);
		if (i < n)
			more[i] ^= 0x10;
		fd = open(path, O_WRONLY | O_TRUNC);
		assert_int_equal(write(fd, more, len), (ssize_t)len);
		close(fd);
		assert_holds(NULL);
	}
	texts_write("good", " again");
	assert_holds("good again");
}

static void
what_cannot_be_written(void **state)
{
	struct store_file *f;

	(void)state;
	texts_write("before", "");
	f = store_file_open(dir, "tables", NULL);
	store_file_put(f, &(struct store_file_text){ { "", "" }, { STORE_FILE_MAX, 1 }, on_release, &released });
	store_file_close(f);
	assert_holds("before");
	assert_int_equal(released, 2);
	f = store_file_open("/nonexistent/directory", "tables", NULL);
	texts_put(f, "a", "b");
	store_file_close(f);
	assert_int_equal(released, 3);
	/* A directory in its place is no file. */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_holds(NULL);
	assert_int_equal(rmdir(path), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, store_file_setup, store_file_teardown)
	const struct CMUnitTest tests[] = { T(what_was_put_last), T(damage), T(what_cannot_be_written) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
