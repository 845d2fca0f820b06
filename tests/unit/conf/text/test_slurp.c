/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_slurp.c - files that are read whole: of every length, and those that are no such files.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/text/say.h"
#include "sm/conf/text/slurp.h"

#define LIMIT ((off_t)64 << 20)

static char path[64];
static int fd;

static int
slurp_setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/heddle-slurp-XXXXXX");
	fd = mkstemp(path);
	return fd < 0;
}

static int
slurp_teardown(void **state)
{
	(void)state;
	close(fd);
	return unlink(path);
}

/* Every byte arrives, also zeros, whatever the length is beside that of the buffer. */
static void
lengths(void **state)
{
	static const size_t sizes[] = { 1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 100000 };
	static char in[100000];

	(void)state;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (char)(i * 7 + i / 4096);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct conf_error e = CONF_ERROR_INIT;
		char *text = NULL;
		size_t len = 0;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, in, sizes[i], 0), sizes[i]);
		assert_int_equal(conf_slurp(path, &text, &len, &e), 0);
		assert_int_equal(len, sizes[i]);
		assert_memory_equal(text, in, len);
		assert_int_equal(e.nerrors, 0);
		assert_null(e.text);
		free(text);
	}
}

static void
empty(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	char *text = NULL;
	size_t len = 9;

	(void)state;
	assert_int_equal(conf_slurp(path, &text, &len, &e), 0);
	assert_int_equal(len, 0);
	assert_int_equal(e.nerrors, 0);
	free(text);
}

/* Fails with that error; with a sentence that names the file, unless 'quiet'. */
static void
refused(const char *file, int err, bool quiet)
{
	struct conf_error e = CONF_ERROR_INIT;
	char before = 'x', *text = &before, expect[200];
	size_t len = 9;

	assert_int_equal(conf_slurp(file, &text, &len, &e), err);
	assert_null(text);
	assert_int_equal(e.nerrors, !quiet);
	assert_int_equal(e.nwarnings, 0);
	snprintf(expect, sizeof(expect), "%s: error: %s\n", file, strerror(-err));
	if (quiet)
		assert_null(e.text);
	else
		assert_string_equal(e.text, expect);
	conf_error_clear(&e);
}

static void
no_file(void **state)
{
	char below[80];

	(void)state;
	snprintf(below, sizeof(below), "%s/below", path);
	refused("/nonexistent/heddled.conf", -ENOENT, true);
	refused("", -ENOENT, true);
	refused(below, -ENOTDIR, false);
	refused("/", -EISDIR, false);
}

/* 64 MiB are read, one byte more is not, nor what never ends. */
static void
limit(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	char *text = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(ftruncate(fd, LIMIT), 0);
	assert_int_equal(pwrite(fd, "z", 1, LIMIT - 1), 1);
	assert_int_equal(conf_slurp(path, &text, &len, &e), 0);
	assert_true(len == (size_t)LIMIT);
	assert_int_equal(text[0], 0);
	assert_int_equal(text[len - 1], 'z');
	assert_int_equal(e.nerrors, 0);
	free(text);
	assert_int_equal(ftruncate(fd, LIMIT + 1), 0);
	refused(path, -EFBIG, false);
	refused("/dev/zero", -EFBIG, false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lengths, slurp_setup, slurp_teardown),
		cmocka_unit_test_setup_teardown(empty, slurp_setup, slurp_teardown),
		cmocka_unit_test_setup_teardown(no_file, slurp_setup, slurp_teardown),
		cmocka_unit_test_setup_teardown(limit, slurp_setup, slurp_teardown),
	};

	return cmocka_run_group_tests_name("conf/text/slurp", tests, NULL, NULL);
}
