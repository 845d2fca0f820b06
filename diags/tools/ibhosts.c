/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibhosts.c - lists the hosts of the fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/tools/iblists.h"

static int
ibhosts_run(struct diag *d, int argc, char **argv)
{
	static const uint8_t types[] = { 1, 0 };

	return iblists_run(d, argc, argv, types);
}

const struct diag_tool diag_tool = {
	.name = "ibhosts", .operands = "[topology-file]", .about = "lists the hosts of the fabric",
	.masked = "DGKLs", .flags = DIAG_FABRIC, .rows = "nodes", .run = ibhosts_run,
};
