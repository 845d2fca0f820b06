/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_lfts.c - dump_fts under its old name.
 * Room: diags/tools. dump_fts_all.c has the code.
 */
#include <config.h>
#include "diags/tools/dump_fts.h"

static int
dump_lfts_run(struct diag *d, int argc, char **argv)
{
	return dump_fts_run_as(d, "dump_fts", false, argc, argv);
}

DUMP_FTS_TOOL("dump_lfts", "shows the linear forwarding tables of all switches", dump_lfts_run);
