/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_out.c - every byte of a large file, whatever the pieces; a file that is restarted; a full
 * disk.
 */
#include <config.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "cli/out.h"

enum { TOTAL = 3000000 };

static char path[64];
static struct out out;

static int
cli_out_setup(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/heddle-out-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
cli_out_teardown(void **state)
{
	(void)state;
	out_close(&out);
	return unlink(path);
}

static char
byte_at(size_t i)
{
	return (char)('a' + (i ^ i >> 8 ^ i >> 16) % 26);
}

/* Writes bytes 0 to 'total' of the expected file, in pieces of growing size. */
static void
out_fill(size_t total)
{
	for (size_t i = 0, piece = 1; i < total; piece = piece * 3 % 400009) {
		size_t n = piece < total - i ? piece : total - i;
		char *to = out_room(&out, n + 7);       /* more than needed */

		for (size_t k = 0; k < n; k++)
			to[k] = byte_at(i + k);
		out_took(&out, n);
		i += n;
	}
}

static void
assert_filled(size_t total, const char *end)
{
	FILE *f = fopen(path, "r");
	char text[16];

	assert_non_null(f);
	for (size_t i = 0; i < total; i++)
		if (fgetc(f) != byte_at(i))
			fail_msg("byte %zu is another one", i);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	assert_string_equal(text, end);
	fclose(f);
}

static void
test_pieces(void **state)
{
	(void)state;
	assert_int_equal(out_open(&out, path), 0);
	out_fill(TOTAL);
	out_format(&out, "%d:", 12);
	out_put(&out, "end", 3);
	assert_int_equal(out_close(&out), 0);
	assert_filled(TOTAL, "12:end");
}

static void
test_restart(void **state)
{
	(void)state;
	assert_int_equal(out_open(&out, path), 0);
	out_put(&out, "never written", 13);
	out_restart(&out);
	out_fill(TOTAL);
	out_restart(&out);
	out_fill(1000);
	assert_int_equal(out_close(&out), 0);
	assert_filled(1000, "");
}

static void
test_faults(void **state)
{
	struct rlimit before, small;
	struct stat st;
	int err;

	(void)state;
	assert_int_equal(out_open(&out, "/nowhere/x"), -ENOENT);
	assert_int_equal(out_close(&out), -ENOENT);
	assert_int_equal(out_open(&out, path), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 100000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	out_fill(TOTAL);
	err = out.err;
	out_put(&out, "x", 1);
	out_restart(&out);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(err, -EFBIG);
	assert_true(out.room < TOTAL);          /* dropped text is not kept either */
	assert_int_equal(out_close(&out), -EFBIG);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 100000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, cli_out_setup, cli_out_teardown)
		T(test_pieces), T(test_restart), T(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
