/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_torus.c - the size of a torus from a file, and files that say it badly.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/text/error.h"
#include "sm/conf/routing/torus.h"

static struct torus_sizes t;
static struct conf_error err = CONF_ERROR_INIT;

static int
read_text(const char *text)
{
	char path[] = "/tmp/heddle-torus-XXXXXX";
	int fd = mkstemp(path), r;
	FILE *f;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	conf_error_clear(&err);
	r = torus_read(path, &t, &err);
	unlink(path);
	return r;
}

static int
teardown(void **state)
{
	(void)state;
	conf_error_clear(&err);
	return 0;
}

static void
good_files(void **state)
{
	(void)state;
	assert_int_equal(read_text("# ours\ntorus 6 4 5m # third open\nxp_link 0x1 0x2\nx_dateline 2\nnext_seed\n"), 0);
	assert_int_equal(t.ndims, 3);
	assert_true(t.size[0] == 6 && t.size[1] == 4 && t.size[2] == 5);
	assert_true(!t.mesh[0] && !t.mesh[1] && t.mesh[2]);
	assert_null(err.warnings);
	assert_int_equal(read_text("  mesh 3 3T 1\n"), 0);
	assert_true(t.mesh[0] && !t.mesh[1] && t.mesh[2] && t.size[2] == 1);
	assert_int_equal(read_text("torus 3 3 3\nspeed 5\n"), 0);
	assert_non_null(strstr(err.warnings, ":2: warning: expected torus, mesh or another word"));
}

static void
bad_files(void **state)
{
	static const char *const row[][2] = {
		{ "", ": error: expected a line 'torus X Y Z' or 'mesh X Y Z'\n" },
		{ "xp_link 1 2\n", ": error: expected a line 'torus X Y Z' or 'mesh X Y Z'\n" },
		{ "\ntorus 6 6\n", ":2: error: torus: expected 3 sizes, as in 'torus 6 6 4', got 2; the size of a "
			"dimension that is not there is 1\n" },
		{ "mesh # none\n", ":1: error: mesh: expected 3 sizes, as in 'mesh 6 6 4', got 0; the size of a "
			"dimension that is not there is 1\n" },
		{ "torus 6 x 6\n", ":1: error: torus: expected a size from 1 to 49151, with m or t behind it or nothing, got 'x'\n" },
		{ "torus 6 0 6\n", "got '0'\n" },
		{ "torus 6 6q 6\n", "got '6q'\n" },
		{ "torus 6 6mm 6\n", "got '6mm'\n" },
		{ "torus 6 99999 6\n", "got '99999'\n" },
		{ "torus 6 6 6\ntorus 6 6 6\n", ":2: error: torus: a second torus or mesh\n" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(read_text(row[i][0]), -EINVAL);
		assert_int_equal(err.nerrors, 1);
		assert_non_null(strstr(err.text, row[i][1]));
	}
	conf_error_clear(&err);
	assert_int_equal(torus_read("/nonexistent", &t, &err), -ENOENT);
	assert_string_equal(err.text, "/nonexistent: error: No such file or directory\n");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(good_files, teardown),
		cmocka_unit_test_teardown(bad_files, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
