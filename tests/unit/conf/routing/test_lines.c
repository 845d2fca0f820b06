/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lines.c - lines of a GUID and numbers: what each form takes, what is passed over with a
 * sentence that names file and line.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/lines.h"
#include "sm/conf/text/error.h"

static struct arena arena;
static struct conf_error e;
static const struct routing_lines *t;

/* Reads a file of that form. */
static int
read_bytes(enum routing_form form, const char *text, size_t len)
{
	char path[] = "/tmp/heddle-lines-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	t = NULL;
	conf_error_clear(&e);
	err = routing_lines_read(path, form, &arena, &t, &e);
	unlink(path);
	return err;
}

static int
read_text(enum routing_form form, const char *text)
{
	return read_bytes(form, text, strlen(text));
}

static int
teardown(void **state)
{
	(void)state;
	conf_error_clear(&e);
	arena_clear(&arena);
	return 0;
}

/* A warning of line 'number' that ends so. */
static void
check_warning(unsigned number, const char *rest)
{
	char want[200];

	snprintf(want, sizeof(want), ":%u: warning: %s\n", number, rest);
	assert_non_null(e.warnings);
	if (!strstr(e.warnings, want))
		fail_msg("no '%s' in '%s'", want, e.warnings);
}

static void
each_form(void **state)
{
	(void)state;
	assert_int_equal(read_text(ROUTING_ORDER, "# first\n\n0x30\n 16 # sixteen\n0x30\n"), 0);
	assert_int_equal(t->n, 3); /* as they stand */
	assert_true(t->line[0].guid == 0x30 && t->line[1].guid == 16 && t->line[2].guid == 0x30);
	assert_true(t->line[0].number == 3 && t->line[1].number == 4 && t->line[1].n == 0);
	assert_int_equal(read_text(ROUTING_IDS, "0x1 0\n0x2 4294967295#last"), 0);
	assert_true(t->n == 2 && t->line[0].n == 1 && t->line[0].v[0] == 0);
	assert_true(t->line[1].v[0] == UINT32_MAX);
	assert_int_equal(read_text(ROUTING_WEIGHTS, "0x1\t7 3\r\n0x1 254 255\n"), 0);
	assert_true(t->n == 2 && t->line[0].v[0] == 7 && t->line[0].v[1] == 3);
	assert_true(t->line[1].v[0] == 254 && t->line[1].v[1] == 255);
	assert_int_equal(read_text(ROUTING_PORTS, "0x1 4 3 2 1\n0x2 9\n"), 0);
	assert_true(t->n == 2 && t->line[0].n == 4 && t->line[0].v[3] == 1 && t->line[1].n == 1);
	assert_int_equal(e.nwarnings, 0);
}

static void
bad_lines_are_named(void **state)
{
	(void)state;
	assert_int_equal(read_text(ROUTING_ORDER, "0x1 2\nhost-1\n0\n0x5\n"), 0);
	check_warning(1, "expected a GUID, got '0x1 2'; the line is passed over");
	check_warning(2, "expected a GUID, got 'host-1'; the line is passed over");
	check_warning(3, "expected a GUID, got '0'; the line is passed over");
	assert_true(t->n == 1 && t->line[0].guid == 5 && t->line[0].number == 4);
	assert_int_equal(read_text(ROUTING_IDS, "0x1\n0x1 1 2\n0x1 4294967296\n"), 0);
	assert_true(t->n == 0 && e.nwarnings == 3);
	check_warning(1, "expected a GUID and an id, got '0x1'; the line is passed over");
	assert_int_equal(read_text(ROUTING_WEIGHTS,
				 "0x1 0 1\n0x1 1 0\n0x1 255 1\n0x1 1 256\n0x1 1\n0x1 1 -1\n"),
		0);
	assert_true(t->n == 0 && e.nwarnings == 6);
	check_warning(4,
		"expected a GUID, a port from 1 to 254 and a weight from 1 to 255, got '0x1 1 256'; the line is passed over");
	assert_int_equal(read_text(ROUTING_PORTS, "0x1\n0x1 1 0\n0x1 x\n0x1 1,2\n"), 0);
	assert_true(t->n == 0 && e.nwarnings == 4);
	check_warning(2,
		"expected a GUID and ports from 1 to 254, got '0x1 1 0'; the line is passed over");
}

/* Long lines, too many ports, zero bytes, no end of line: nothing is read beyond what was given. */
static void
hostile_files(void **state)
{
	static char text[6000];
	size_t n;

	(void)state;
	memset(text, '1', sizeof(text) - 1);
	assert_int_equal(read_text(ROUTING_PORTS, text), 0);
	check_warning(1,
		"expected a GUID and ports from 1 to 254, got 'a long line'; the line is passed over");
	assert_int_equal(read_bytes(ROUTING_ORDER, "0x1\0junk\n0x2\n", 13), 0);
	assert_true(t->n == 1 && t->line[0].guid == 2 && e.nwarnings == 1);
	n = (size_t)snprintf(text, sizeof(text), "0x1");
	for (unsigned i = 0; i < ROUTING_PORTS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %u", i % 9 + 1);
	assert_int_equal(read_text(ROUTING_PORTS, text), 0);
	assert_true(t->n == 1 && t->line[0].n == ROUTING_PORTS_MAX);
	snprintf(text + n, sizeof(text) - n, " 1");
	assert_int_equal(read_text(ROUTING_PORTS, text), 0);
	assert_true(t->n == 0 && e.nwarnings == 1);
	assert_int_equal(read_text(ROUTING_PORTS, ""), 0);
	assert_true(t->n == 0 && e.nwarnings == 0);
}

static void
no_file(void **state)
{
	(void)state;
	conf_error_clear(&e);
	assert_int_equal(
		routing_lines_read("/nonexistent/order", ROUTING_ORDER, &arena, &t, &e), -ENOENT);
	assert_string_equal(e.text, "/nonexistent/order: error: No such file or directory\n");
	conf_error_clear(&e);
	assert_int_equal(routing_lines_read("/", ROUTING_IDS, &arena, &t, &e), -EISDIR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_form, teardown),
		cmocka_unit_test_teardown(bad_lines_are_named, teardown),
		cmocka_unit_test_teardown(hostile_files, teardown),
		cmocka_unit_test_teardown(no_file, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
