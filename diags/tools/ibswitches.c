/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibswitches.c - lists the switches of the fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/tools/iblists.h"

static int
ibswitches_run(struct diag *d, int argc, char **argv)
{
	static const uint8_t types[] = { 2, 0 };

	return iblists_run(d, argc, argv, types);
}

const struct diag_tool diag_tool = {
	.name = "ibswitches", .operands = "[topology-file]",
	.about = "lists the switches of the fabric",
	.masked = "DGKLs", .flags = DIAG_FABRIC, .rows = "nodes", .run = ibswitches_run,
};
