/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_place.c - directories of servers: names, locks, what is left over, sockets.
 */
#include <config.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/serve/place.h"

static char base[64];

static int
base_begin(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/heddle-place-XXXXXX");
	return mkdtemp(base) && !setenv(PLACE_ENV, base, 1) && !unsetenv("RUNTIME_DIRECTORY") ? 0 :
												-1;
}

static int
base_end(void **state)
{
	(void)state;
	place_remove(base);
	return 0;
}

static void
one_server(void **state)
{
	char dir[PLACE_PATH], other[PLACE_PATH], why[PLACE_WHY], path[200];
	struct stat st;
	int lock, again;

	(void)state;
	assert_int_equal(place_make("lab.1", dir, &lock, why), 0);
	assert_memory_equal(dir, base, strlen(base));
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(place_make("lab.1", other, &again, why), -EEXIST);
	assert_non_null(strstr(why, "'lab.1' runs already"));
	/* What a server left that did not end well is emptied by the next one. */
	assert_int_equal(place_make_node(dir, 0x1234), 0);
	assert_int_equal(place_make_node(dir, 0x1234), 0);
	snprintf(path, sizeof(path), "%s/nodes/0000000000001234/state", dir);
	assert_int_equal(access(path, F_OK), 0);
	close(lock);
	assert_int_equal(place_make("lab.1", dir, &lock, why), 0);
	assert_int_equal(access(path, F_OK), -1);
	close(lock);
	place_remove(dir);
	assert_int_equal(access(dir, F_OK), -1);
}

/* A name is one part of a path and no more. */
static void
names(void **state)
{
	static const char *const bad[] = { "", ".", "..", ".hidden", "a/b", "../x", "a b", "a\n",
		"\xc3\xa4", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddx" };
	char dir[PLACE_PATH], why[PLACE_WHY];
	int lock;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(place_make(bad[i], dir, &lock, why), -EINVAL);
		assert_int_equal(place_find(bad[i], dir, why), -EINVAL);
		assert_non_null(strstr(why, "is not a server name"));
	}
	assert_int_equal(
		place_make("aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd", dir, &lock, why), 0);
	close(lock);
	place_remove(dir);
}

/* A directory that others can write to is not used. */
static void
not_ours(void **state)
{
	char dir[PLACE_PATH], why[PLACE_WHY], path[200];
	int lock = -1;

	(void)state;
	snprintf(path, sizeof(path), "%s/lab", base);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(place_make("lab", dir, &lock, why), -EPERM);
	assert_int_equal(lock, -1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(place_make("lab", dir, &lock, why), -EPERM);
	assert_int_equal(unlink(path), 0);
}

static void
found(void **state)
{
	char dir[PLACE_PATH], there[PLACE_PATH], why[PLACE_WHY];
	int lock, fd, conn;

	(void)state;
	assert_int_equal(place_find("lab", there, why), -ENOENT);
	assert_non_null(strstr(why, "no server named 'lab' runs"));
	assert_int_equal(place_make("lab", dir, &lock, why), 0);
	assert_int_equal(place_find("lab", there, why), -ENOENT); /* nobody listens yet */
	fd = place_listen(dir, "ctl", SOCK_STREAM, 4);
	assert_true(fd >= 0);
	assert_int_equal(place_find("lab", there, why), 0);
	assert_string_equal(there, dir);
	conn = place_connect(dir, "ctl");
	assert_true(conn >= 0);
	close(conn);
	assert_int_equal(place_listen(dir, "ctl", SOCK_STREAM, 4), -EADDRINUSE);
	close(fd);
	assert_int_equal(place_connect(dir, "ctl"), -ECONNREFUSED);
	assert_int_equal(place_connect(dir, "none"), -ENOENT);
	close(lock);
	place_remove(dir);
}

/* A path that a socket's address has no room for is refused, not cut. */
static void
long_path(void **state)
{
	char dir[200];

	(void)state;
	memset(dir, 'x', sizeof(dir) - 1);
	dir[0] = '/';
	dir[sizeof(dir) - 1] = '\0';
	assert_int_equal(place_listen(dir, "ctl", SOCK_STREAM, 4), -ENAMETOOLONG);
	assert_int_equal(place_connect(dir, "ctl"), -ENAMETOOLONG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_server, base_begin, base_end),
		cmocka_unit_test_setup_teardown(names, base_begin, base_end),
		cmocka_unit_test_setup_teardown(not_ours, base_begin, base_end),
		cmocka_unit_test_setup_teardown(found, base_begin, base_end),
		cmocka_unit_test_setup_teardown(long_path, base_begin, base_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
