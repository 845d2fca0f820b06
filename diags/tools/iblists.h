/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblists.h - the common part of ibnodes, ibhosts, ibswitches and ibrouters.
 * Room: diags/tools.
 *
 * The four programs differ only in their name and the node types that they list.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBLISTS_H
#define HEDDLE_DIAGS_TOOLS_IBLISTS_H

#include <stdint.h>

struct diag;

/* Lists the nodes of the types in 'types' (NodeInfo values, terminated by 0), type by type. The
 * only operand, if any, is a topology file to be read instead of the fabric. Returns the exit
 * status. */
int iblists_run(struct diag *d, int argc, char **argv, const uint8_t *types);

#endif
