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

#endif
