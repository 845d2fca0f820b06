/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_daemon.c - the path of heddled's control socket.
 */
#include <config.h>
#include <stdlib.h>
#include "diags/ask/daemon.h"
#include "tests/unit/test.h"

static void
expect(const char *runtime, const char *path)
{
	char text[200];

	if (runtime)
		setenv("RUNTIME_DIRECTORY", runtime, 1);
	else
		unsetenv("RUNTIME_DIRECTORY");
	diag_daemon_socket(text, sizeof(text));
	assert_string_equal(text, path);
}

static void
paths(void **state)
{
	(void)state;
	expect("/run/elsewhere", "/run/elsewhere/heddled.sock");
	expect(NULL, HEDDLE_RUNDIR "/heddled.sock");
	expect("", HEDDLE_RUNDIR "/heddled.sock"); /* set, but empty */
}

static void
too_long(void **state)
{
	char text[12] = "unchanged!!";

	(void)state;
	setenv("RUNTIME_DIRECTORY", "/run/elsewhere", 1);
	diag_daemon_socket(text, 8);
	assert_string_equal(text, "/run/el"); /* cut, terminated, nothing behind it */
	assert_int_equal(text[8], 'd');
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(paths), cmocka_unit_test(too_long) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
