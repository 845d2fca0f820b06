/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tools.h - tools for tests of the command line.
 */
#ifndef HEDDLE_TESTS_UNIT_DIAGS_CORE_TOOLS_H
#define HEDDLE_TESTS_UNIT_DIAGS_CORE_TOOLS_H

#include "tests/unit/diags/fake.h"

/* Prints "CA port addressing timeout SM-LID verbose P_Key-index show-keys M_Key | operands". */
extern const struct diag_tool tools_plain;
/* The same, with an option -s of its own and without the common -D. */
extern const struct diag_tool tools_masking;

/* Runs the tool, which must end with this status after printing 'out'. */
void tools_expect(const struct diag_tool *t, const char *args, int status, const char *out);

#endif
