/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibrouters.c - lists the routers of the fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/tools/iblists.h"

static int
ibrouters_run(struct diag *d, int argc, char **argv)
{
	static const uint8_t types[] = { 3, 0 };

	return iblists_run(d, argc, argv, types);
}

const struct diag_tool diag_tool = {
	.name = "ibrouters", .operands = "[topology-file]",
	.about = "lists the routers of the fabric",
	.masked = "DGKLs", .flags = DIAG_FABRIC, .rows = "nodes", .run = ibrouters_run,
};
