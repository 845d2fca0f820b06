/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblists.h - ibnodes, ibhosts, ibswitches, ibrouters.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBLISTS_H
#define HEDDLE_DIAGS_TOOLS_IBLISTS_H

#include <stdint.h>

struct diag;

/* Lists the nodes of these types (as in NodeInfo, a 0 at the end), type by type; an operand is a
 * topology file. */
int iblists_run(struct diag *d, int argc, char **argv, const uint8_t *types);

#endif
