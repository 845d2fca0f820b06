/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_clock.c - the server's time is CLOCK_MONOTONIC in microseconds, and never goes back.
 */
#include <config.h>
#include <time.h>
#include "tests/unit/test.h"
#include "sim/serve/server.h"

static int64_t
clock_us(void)
{
	struct timespec t;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void
monotonic(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		int64_t before = clock_us(), now = server_now().us, after = clock_us();

		assert_true(before <= now && now <= after);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(monotonic) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
