/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_capture.c - answers are found again.
 */
#include <config.h>
#include "tests/unit/fabric/snapshot/answers.h"

static void
finds(void **state)
{
	struct capture *c = capture_new();
	struct capture_key none = answers_key(0, 0, 0, 0, 0);

	(void)state;
	assert_null(capture_find(c, &none));
	answers_fill(c);
	answers_check(c);
	/* The first answer stays. */
	answers_add(c, answers_key(3, 1, 0x20, 0, 0), 77, 5);
	answers_check(c);
	capture_free(c);
	capture_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
