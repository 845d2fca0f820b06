/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.h - runs a tool.
 * Room: diags.
 */
#ifndef HEDDLE_DIAGS_COMMON_TOOL_H
#define HEDDLE_DIAGS_COMMON_TOOL_H

#include "diags/common/diag.h"

/* Does all that 'tool' does for a command line; returns the exit status. */
int diag_main(const struct diag_tool *tool, int argc, char **argv);

#endif
