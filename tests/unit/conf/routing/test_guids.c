/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guids.c - files of GUIDs: what is read, what is passed over with a warning.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/guids.h"

/* Reads a file with that text. */
static int
read_text(const char *text, struct arena *a, const uint64_t **guids, size_t *n, struct conf_error *e)
{
	char path[] = "/tmp/heddle-guids-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = conf_guids_read(path, a, guids, n, e);
	unlink(path);
	return err;
}

static void
sorted_and_once(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf_error e = { 0 };
	const uint64_t *guids = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(read_text("# roots\n\n0x30\n  0x10 spine 1\n0x20#spine 2\n0x10\n48\n", &a,
				   &guids, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_true(guids[0] == 0x10 && guids[1] == 0x20 && guids[2] == 0x30);
	assert_int_equal(e.nwarnings, 0);
	conf_error_clear(&e);
	arena_clear(&a);
}

static void
bad_lines(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf_error e = { 0 };
	const uint64_t *guids = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(read_text("0x1\nspine\n0\n-1\n0x2x\n0x123456789abcdef01\n0x3\n", &a,
				   &guids, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_true(guids[0] == 1 && guids[1] == 3);
	assert_int_equal(e.nwarnings, 5);
	assert_non_null(strstr(e.warnings, ":2: warning: expected a GUID, got 'spine'"));
	assert_non_null(strstr(e.warnings, ":6: warning"));
	conf_error_clear(&e);
	arena_clear(&a);
}

static void
no_file(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf_error e = { 0 };
	const uint64_t *guids = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(conf_guids_read("/nonexistent/guids", &a, &guids, &n, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/nonexistent/guids"));
	assert_int_equal(read_text("", &a, &guids, &n, &e), 0);
	assert_int_equal(n, 0);
	conf_error_clear(&e);
	arena_clear(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_and_once),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests_name("guids", tests, NULL, NULL);
}
