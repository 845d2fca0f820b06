/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * checks.h - one check of ibcheck at work on a small fabric, and what it found.
 */
#ifndef HEDDLE_TESTS_UNIT_DIAGS_CHECK_CHECKS_H
#define HEDDLE_TESTS_UNIT_DIAGS_CHECK_CHECKS_H

#include "diags/check/check.h"
#include "tests/unit/diags/world.h"

struct checks {
	struct diag d;
	struct check_options opt;
	struct check_run run; /* its fabric is fake_snapshot(), with plain widths */
};

/* Setup and teardown of a test. */
int checks_begin(void **state);
int checks_end(void **state);
/* Another fabric, taken; all its ports support the widths 1x and 4x, as the first one's do. */
void checks_fabric(struct checks *c, struct snapshot *s);
/* Forgets what was found, and runs the check on the fabric as it is now. */
void checks_do(struct checks *c, const struct check *check);
/* What the summary has of the check that ran last. */
const struct check_result *checks_result(const struct checks *c);
/* How many findings have the code; the only one of them (else the test fails). */
unsigned checks_count(const struct checks *c, const char *code);
const struct check_finding *checks_finding(const struct checks *c, const char *code);
/* A member of that finding's detail. */
json_int_t checks_value(const struct checks *c, const char *code, const char *member);

#endif
