/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_progress.c - the progress line: on a terminal, after a while, not too often, and gone before
 * other output.
 */
#include <config.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include "diags/core/context.h"
#include "diags/core/progress.h"
#include "tests/unit/test.h"

#define HOUR INT64_C(3600000000)
#define ERASE "\r\033[K"

static struct diag d;
static int terminal, saved;

/* Standard error is a terminal from here to the end of the test; false: there are none. */
static bool
open_terminal(void)
{
	const char *name;
	int fd;

	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || !(name = ptsname(terminal)))
		return false;
	fd = open(name, O_RDWR | O_NOCTTY);
	if (fd < 0)
		return false;
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return true;
}

static int
progress_setup(void **state)
{
	(void)state;
	d = (struct diag){ .start_us = diag_now_us() - HOUR };
	terminal = saved = -1;
	return 0;
}

static int
progress_teardown(void **state)
{
	(void)state;
	fflush(stderr);
	if (saved >= 0) {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	if (terminal >= 0)
		close(terminal);
	return 0;
}

/* What the terminal was sent. */
static void
expect(const char *want)
{
	struct pollfd p = { .fd = terminal, .events = POLLIN };
	char text[200] = "";
	size_t n = 0;

	fflush(stderr);
	while (n < strlen(want) && poll(&p, 1, 10000) == 1) {
		ssize_t got = read(terminal, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	assert_string_equal(text, want);
	assert_int_equal(poll(&p, 1, 0), 0);            /* and nothing more */
}

static void
clock_goes_on(void **state)
{
	int64_t before = diag_now_us();

	(void)state;
	assert_true(before > 0);
	assert_true(diag_now_us() >= before);
}

static void
on_a_terminal(void **state)
{
	(void)state;
	if (!open_terminal())
		skip();
	diag_progress(&d, "%u nodes", 7u);
	assert_true(d.progress_shown);
	expect(ERASE "7 nodes");
	d.progress_us -= HOUR;
	diag_progress(&d, "%u nodes", 8u);
	expect(ERASE "8 nodes");
	d.progress_us = diag_now_us() + HOUR;           /* shown a moment ago */
	diag_progress(&d, "%u nodes", 9u);
	expect("");
	diag_progress_clear(&d);
	expect(ERASE);
	assert_false(d.progress_shown);
	diag_progress_clear(&d);
	expect("");
}

static void
not_at_once(void **state)
{
	(void)state;
	if (!open_terminal())
		skip();
	d.start_us = diag_now_us() + HOUR;
	diag_progress(&d, "early");
	expect("");
	d.start_us -= 2 * HOUR;
	d.hushed = true;
	diag_progress(&d, "hushed");
	expect("");
	assert_false(d.progress_shown);
	assert_int_equal(d.progress_us, 0);
}

/* In a file nothing is shown, and nothing is to be erased. */
static void
in_a_file(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	diag_progress(&d, "%u nodes", 7u);
	diag_progress_clear(&d);
	fflush(stderr);
	assert_false(d.progress_shown);
	assert_true(d.progress_us > 0);                 /* asked for again in a while only */
	assert_int_equal(lseek(fileno(f), 0, SEEK_END), 0);
	fclose(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(clock_goes_on, progress_setup, progress_teardown),
		cmocka_unit_test_setup_teardown(on_a_terminal, progress_setup, progress_teardown),
		cmocka_unit_test_setup_teardown(not_at_once, progress_setup, progress_teardown),
		cmocka_unit_test_setup_teardown(in_a_file, progress_setup, progress_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
