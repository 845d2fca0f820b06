/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes_dump.h - writes SLtoVL tables and SLs of paths as text.
 * Room: cli/route.
 *
 * lanes.h reads both formats, so that tables with several VLs can be planned, stored in files and
 * verified again, by heddle-route or other programs.
 */
#ifndef HEDDLE_CLI_ROUTE_LANES_DUMP_H
#define HEDDLE_CLI_ROUTE_LANES_DUMP_H

#include <stdio.h>
#include "fabric/snapshot/tables.h"

/* Writes a line for each pair of linked ports of each switch, in the form of opensm-sl2vl.dump.
 * SLs that the routing does not use have VL 15, which drops packets. */
void lanes_dump_tables(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables);
/* Writes a line "SLID DLID SL" for each port with a LID and each LID of another one.  Where several
 * SLs are legal it is the lowest. */
void lanes_dump_paths(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables);

#endif
