/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_mfts.c - dump_fts -M under its old name.
 * Room: diags/tools. dump_fts_all.c has the code.
 */
#include <config.h>
#include "diags/tools/dump_fts.h"

static int
dump_mfts_run(struct diag *d, int argc, char **argv)
{
	return dump_fts_run_as(d, "dump_fts -M", true, argc, argv);
}

DUMP_FTS_TOOL("dump_mfts", "shows the multicast forwarding tables of all switches", dump_mfts_run);
