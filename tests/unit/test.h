/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test.h - what cmocka wants included before itself, in its order.
 */
#ifndef HEDDLE_TESTS_UNIT_TEST_H
#define HEDDLE_TESTS_UNIT_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* How often a property test of 'n' cases is repeated: HEDDLE_TEST_SHARE set to 10 leaves a tenth,
 * for tools under which programs take many times as long (build-aux/check-all). */
static inline unsigned
test_share(unsigned n)
{
	const char *text = getenv("HEDDLE_TEST_SHARE");
	unsigned long share = text ? strtoul(text, NULL, 10) : 1;

	return share > 1 ? (unsigned)((n + share - 1) / share) : n;
}

#endif
