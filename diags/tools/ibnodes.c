/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnodes.c - lists the hosts and switches of the fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/tools/iblists.h"

static int
ibnodes_run(struct diag *d, int argc, char **argv)
{
	static const uint8_t types[] = { 1, 2, 0 };

	return iblists_run(d, argc, argv, types);
}

const struct diag_tool diag_tool = {
	.name = "ibnodes", .operands = "[topology-file]",
	.about = "lists the hosts and switches of the fabric",
	.masked = "DGKLs", .flags = DIAG_FABRIC, .rows = "nodes", .run = ibnodes_run,
};
