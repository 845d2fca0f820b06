/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fixture.h - the bed that each test of sm/diff begins with, and the changes that it looks at.
 * For inclusion by test programs only: it defines what it names.
 */
#ifndef HEDDLE_TESTS_UNIT_DIFF_FIXTURE_H
#define HEDDLE_TESTS_UNIT_DIFF_FIXTURE_H

#include <string.h>
#include "tests/unit/diff/bed.h"

static struct bed b;
static struct changes found;

static int
setup(void **state)
{
	(void)state;
	bed_make(&b);
	memset(&found, 0, sizeof(found));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	changes_clear(&found);
	bed_clear(&b);
	return 0;
}

#endif
