/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_groups.c - groups of switches as routing_groups_file lists them: what a bad line is, and
 * where.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/groups.h"
#include "sm/conf/text/error.h"

static char path[32];
static struct arena a;
static struct conf_error e;
static const struct routing_groups *groups;

static int
teardown(void **state)
{
	(void)state;
	unlink(path);
	arena_clear(&a);
	conf_error_clear(&e);
	return 0;
}

/* Reads a file of these bytes. */
static int
read_bytes(const char *text, size_t len)
{
	int fd, err;

	unlink(path);
	arena_clear(&a);
	conf_error_clear(&e);
	groups = NULL;
	strcpy(path, "/tmp/heddle-groups-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	err = routing_groups_read(path, &a, &groups, &e);
	assert_int_equal(e.nwarnings, 0);
	return err;
}

static int
read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* One error, with this line and this sentence. */
static void
refused(const char *text, const char *said)
{
	char expected[256];

	assert_int_equal(read_text(text), -EINVAL);
	snprintf(expected, sizeof(expected), "%s:%s\n", path, said);
	assert_string_equal(e.text, expected);
	assert_null(groups);
}

static void
groups_are_read(void **state)
{
	(void)state;
	assert_int_equal(read_text("# pods\n\ngroup pod-1 ftree\n0x10 # leaf\n\t0x11\r\n"
				   "group cube Torus-2qos\n18\n"),
		0);
	assert_int_equal(groups->n, 2);
	assert_string_equal(groups->file, path);
	assert_string_equal(groups->group[0].name, "pod-1");
	assert_string_equal(groups->group[0].engine, "ftree");
	assert_int_equal(groups->group[0].line, 3);
	assert_int_equal(groups->group[0].n, 2);
	assert_true(groups->group[0].sw[0].guid == 0x10 && groups->group[0].sw[0].line == 4);
	assert_true(groups->group[0].sw[1].guid == 0x11 && groups->group[0].sw[1].line == 5);
	assert_string_equal(groups->group[1].engine, "torus-2QoS");
	assert_true(groups->group[1].n == 1 && groups->group[1].sw[0].guid == 18);
	assert_int_equal(e.nerrors, 0);
}

static void
a_file_may_have_no_group(void **state)
{
	(void)state;
	assert_int_equal(read_text("# none yet\n"), 0);
	assert_int_equal(groups->n, 0);
	assert_int_equal(read_text(""), 0);
	assert_int_equal(groups->n, 0);
}

static void
bad_heads_are_refused(void **state)
{
	(void)state;
	refused("group pod\n0x1\n", "1: error: expected 'group NAME ENGINE', got 'pod'");
	refused("\ngroup pod updn nue\n0x1\n", "2: error: expected 'group NAME ENGINE', got 'nue'");
	refused("group pod opensm\n0x1\n",
		"1: error: expected the name of one routing engine, got 'opensm'");
	refused("group pod auto\n0x1\n",
		"1: error: expected the name of one routing engine, got 'auto'");
	refused("group a updn\n0x1\ngroup a nue\n0x2\n",
		"3: error: expected a name that no other group has, got 'a'");
	refused("group abcdefghijklmnopqrstuvwxyz012345 updn\n0x1\n",
		"1: error: expected a name of at most 31 letters, "
		"got 'abcdefghijklmnopqrstuvwxyz012345'");
}

static void
bad_switches_are_refused(void **state)
{
	static const char both[] = "expected 'group NAME ENGINE' or the GUID of a switch, got";
	char said[160];

	(void)state;
	refused("0x1\n", "1: error: expected 'group NAME ENGINE' before the first GUID, got '0x1'");
	snprintf(said, sizeof(said), "2: error: %s 'leaf-1'", both);
	refused("group a updn\nleaf-1\n", said);
	snprintf(said, sizeof(said), "2: error: %s '0'", both);
	refused("group a updn\n0\n", said);
	snprintf(said, sizeof(said), "2: error: %s '-1'", both);
	refused("group a updn\n-1\n", said);
	snprintf(said, sizeof(said), "2: error: %s '0x12345678901234567'", both);
	refused("group a updn\n0x12345678901234567\n", said);
	refused("group a updn\n0x1 0x2\n", "2: error: expected one GUID, got '0x2'");
	refused("group a updn\n0x1\n0x2\ngroup b nue\n0x3\n2\n",
		"6: error: expected each switch once, 0x0000000000000002 is in line 3 already");
}

static void
a_group_has_a_switch(void **state)
{
	(void)state;
	refused("group a updn\ngroup b nue\n0x1\n",
		"1: error: group a: expected the GUID of at least one switch below this line");
	refused("group a updn\n0x1\ngroup b nue\n# 0x2\n",
		"3: error: group b: expected the GUID of at least one switch below this line");
}

static void
what_is_no_text_is_refused(void **state)
{
	static char line[5000];

	(void)state;
	assert_int_equal(read_bytes("group a updn\n0x1\0\n", 18), -EINVAL);
	assert_non_null(strstr(e.text, ":2: error: expected "));
	memset(line, '1', sizeof(line) - 1);
	assert_int_equal(read_text(line), -EINVAL);
	assert_non_null(strstr(e.text, ":1: error: expected "));
}

static void
groups_have_a_limit(void **state)
{
	char text[65 * 32] = "";

	(void)state;
	for (unsigned i = 1; i <= 65; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "group g%u updn\n%u\n",
			i, i);
		if (i < 65)
			assert_int_equal(read_text(text), 0);
	}
	refused(text, "129: error: expected at most 64 groups, got 'g65'");
}

static void
a_file_must_be_there(void **state)
{
	(void)state;
	assert_int_equal(routing_groups_read("/nonexistent/groups", &a, &groups, &e), -ENOENT);
	assert_string_equal(e.text, "/nonexistent/groups: error: No such file or directory\n");
	conf_error_clear(&e);
	assert_int_equal(routing_groups_read("/", &a, &groups, &e), -EISDIR);
	assert_string_equal(e.text, "/: error: Is a directory\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(groups_are_read, teardown),
		cmocka_unit_test_teardown(a_file_may_have_no_group, teardown),
		cmocka_unit_test_teardown(bad_heads_are_refused, teardown),
		cmocka_unit_test_teardown(bad_switches_are_refused, teardown),
		cmocka_unit_test_teardown(a_group_has_a_switch, teardown),
		cmocka_unit_test_teardown(what_is_no_text_is_refused, teardown),
		cmocka_unit_test_teardown(groups_have_a_limit, teardown),
		cmocka_unit_test_teardown(a_file_must_be_there, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
