/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts.c - the forwarding tables of all switches.
 * Room: diags/tools.  All of it is in dump_fts_all.c.
 */
#include <config.h>
#include "diags/tools/dump_fts.h"

DUMP_FTS_TOOL("dump_fts", "shows the forwarding tables of all switches", dump_fts_run);
