/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_put.c - what is put is what printf prints.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include "tests/unit/test.h"
#include "util/put.h"

static void
text_check(const char *buf, const char *end, const char *want)
{
	assert_int_equal(end - buf, strlen(want));
	assert_memory_equal(buf, want, strlen(want));
}

static void
numbers(void **state)
{
	char buf[64], want[64];
	uint64_t v = 1;

	(void)state;
	for (unsigned i = 0; i < 2000; i++, v = v * 6364136223846793005u + 1442695040888963407u) {
		uint64_t n = i < 20 ? i : v >> v % 64;
		unsigned digits = put_hex_digits(n);

		snprintf(want, sizeof(want), "%" PRIu64, n);
		text_check(buf, put_dec(buf, n), want);
		snprintf(want, sizeof(want), "%" PRIx64, n);
		assert_int_equal(digits, strlen(want));
		text_check(buf, put_hex(buf, n, digits), want);
		snprintf(want, sizeof(want), "%016" PRIX64, n);
		text_check(buf, put_hex_of(buf, n, 16, true), want);
		snprintf(want, sizeof(want), "%04" PRIx64, n & 0xffff);
		text_check(buf, put_hex(buf, n, 4), want);
	}
	text_check(buf, put_dec(buf, UINT64_MAX), "18446744073709551615");
	text_check(buf, put_hex(buf, 7, 0), "");
}

static void
texts(void **state)
{
	char buf[32];

	(void)state;
	text_check(buf, put_string(put_fill(put_bytes(buf, "abc", 2), '.', 3), "d"), "ab...d");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers), cmocka_unit_test(texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
