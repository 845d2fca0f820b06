/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_files.c - the files of routing keys: each goes to its own place, and the first that cannot
 * be used ends the reading.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/files.h"
#include "sm/conf/routing/groups.h"
#include "sm/conf/routing/lfts.h"
#include "sm/conf/routing/lines.h"

static char paths[16][32];
static unsigned npaths;

/* A file with that text, until teardown. */
static const char *
file_make(const char *text)
{
	char *path = paths[npaths++];
	int fd;

	strcpy(path, "/tmp/heddle-routing-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static int
teardown(void **state)
{
	(void)state;
	while (npaths)
		unlink(paths[--npaths]);
	return 0;
}

static void
each_in_its_place(void **state)
{
	struct routing_paths p = { .roots = file_make("0x30\n0x10\n"),
		.compute = file_make("7\n"),
		.io = file_make("9\n8\n9\n"),
		.torus = file_make("torus 3 4 5m\n"),
		.lfts = file_make("Unicast lids of switch guid 0x5\n0x0001 7\n"),
		.order = file_make("0x5\n"),
		.ids = file_make("0x6 1\n"),
		.weights = file_make("0x7 1 2\n"),
		.ports = file_make("0x8 1 2 3\n"),
		.groups = file_make("group pod updn\n0x9\n") };
	struct arena a = ARENA_INIT;
	struct conf_error e = CONF_ERROR_INIT;
	struct routing_files f;

	(void)state;
	assert_int_equal(routing_files_read(&p, &a, &f, &e), 0);
	assert_true(f.nroots == 2 && f.roots[0] == 0x10 && f.roots[1] == 0x30);
	assert_true(f.ncompute == 1 && f.compute[0] == 7);
	assert_true(f.nio == 2 && f.io[0] == 8 && f.io[1] == 9);
	assert_true(f.torus.ndims == 3 && f.torus.size[2] == 5 && f.torus.mesh[2]);
	assert_int_equal(f.lfts->ntables, 1);
	assert_true(f.order->n == 1 && f.order->line[0].guid == 5);
	assert_true(f.ids->line[0].guid == 6 && f.ids->line[0].n == 1);
	assert_true(f.weights->line[0].guid == 7 && f.weights->line[0].n == 2);
	assert_true(f.ports->line[0].guid == 8 && f.ports->line[0].n == 3);
	assert_true(f.groups->n == 1 && f.groups->group[0].sw[0].guid == 9);
	assert_int_equal(e.nwarnings + e.nerrors, 0);
	conf_error_clear(&e);
	arena_clear(&a);
}

static void
none_is_named(void **state)
{
	struct routing_paths p = { .roots = "", .lfts = "" };
	struct arena a = ARENA_INIT;
	struct conf_error e = CONF_ERROR_INIT;
	struct routing_files f;

	(void)state;
	memset(&f, 0xff, sizeof(f));
	assert_int_equal(routing_files_read(&p, &a, &f, &e), 0);
	assert_int_equal(f.nroots + f.ncompute + f.nio + f.torus.ndims, 0);
	assert_null(f.lfts);
	assert_true(!f.order && !f.ids && !f.weights && !f.ports && !f.groups);
	arena_clear(&a);
}

/* The first file that cannot be used is named, and what comes after it is not read. */
static void
first_fault_ends(void **state)
{
	struct routing_paths p = {
		.roots = file_make("0x10\n"), .compute = "/nonexistent/cn", .io = "/nonexistent/io"
	};
	struct arena a = ARENA_INIT;
	struct conf_error e = CONF_ERROR_INIT;
	struct routing_files f;

	(void)state;
	assert_int_equal(routing_files_read(&p, &a, &f, &e), -ENOENT);
	assert_string_equal(e.text, "/nonexistent/cn: error: No such file or directory\n");
	conf_error_clear(&e);
	p.compute = NULL;
	p.io = NULL;
	p.torus = file_make("torus 3\n");
	p.lfts = "/nonexistent/lfts";
	assert_int_equal(routing_files_read(&p, &a, &f, &e), -EINVAL);
	assert_non_null(strstr(e.text, ":1: error: torus: expected 3 sizes"));
	assert_null(strstr(e.text, "lfts"));
	conf_error_clear(&e);
	arena_clear(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_in_its_place, teardown),
		cmocka_unit_test_teardown(none_is_named, teardown),
		cmocka_unit_test_teardown(first_fault_ends, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
