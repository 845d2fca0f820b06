/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump.h - forwarding tables as text: reads the dumps of several programs, writes one of them.
 * Room: cli/route.
 *
 * sm/conf/routing/lfts.h lists the formats.  Port GUIDs in comments of the file name the owner of a
 * LID; if no comment does, the LIDs of the topology are used.  A file is refused if it has a
 * switch, or the owner of a LID, that is not in the topology, or if it lacks a switch: it
 * belongs to another fabric.
 */
#ifndef HEDDLE_CLI_ROUTE_DUMP_H
#define HEDDLE_CLI_ROUTE_DUMP_H

#include "cli/route/tool.h"
#include "fabric/snapshot/tables.h"

/* Reads the tables of a file for 's', a part of 'whole' (or the same); entries for other nodes are
 * ignored.  '*lids' and '*out' are owned by 'a'.  0, or the status of a reported
 * failure. */
int dump_read(struct tool *t, const char *path, const struct snapshot *s,
	const struct snapshot *whole, struct arena *a, struct lid_map *lids,
	struct fwd_tables *out);
/* Writes the tables of all switches as dump_lfts does, by GUID. */
void dump_write(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables);

#endif
