/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts.c - prints the forwarding tables of all switches.
 * Room: diags/tools. dump_fts_all.c has the code.
 */
#include <config.h>
#include "diags/tools/dump_fts.h"

DUMP_FTS_TOOL("dump_fts", "shows the forwarding tables of all switches", dump_fts_run);
