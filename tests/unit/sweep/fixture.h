/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fixture.h - the bed that tests of sm/sweep begin with: a tree of two levels, not swept yet.
 * For inclusion by test programs only: it defines what it names.
 */
#ifndef HEDDLE_TESTS_UNIT_SWEEP_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SWEEP_FIXTURE_H

#include "tests/unit/test.h"
#include "tests/unit/sweep/swept.h"

static struct swept_bed b;

static int
swept_setup(void **state)
{
	(void)state;
	swept_make(&b, "fattree:k=4,levels=2");
	return 0;
}

static int
swept_teardown(void **state)
{
	(void)state;
	swept_clear(&b);
	return 0;
}

#endif
