/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.h - reads a lane plan (SLs and VLs) from files that other managers write.
 * Room: cli/route.
 *
 * --sl2vl is opensm-sl2vl.dump of OpenSM: for each switch, lines "IN OUT : VL of SL 0 ... 15".
 * Ports that map alike get the same class; a fabric that needs more than LANE_CLASSES_MAX classes
 * is refused.  --path-sl is what `saquery PathRecord` prints, or lines "SLID DLID SL".
 *
 * Without --sl2vl the VL of a packet is its SL.  Without --path-sl every path may use every SL that
 * the tables map: the check is then stricter than needed.
 */
#ifndef HEDDLE_CLI_ROUTE_LANES_H
#define HEDDLE_CLI_ROUTE_LANES_H

#include "cli/route/tool.h"
#include "fabric/snapshot/tables.h"

/* Reads t->sl2vl and t->path_sl into f->lanes, owned by 'a'.  0, or the status of a reported
 * failure. */
int lanes_read(struct tool *t, const struct snapshot *s, const struct lid_map *lids,
	struct arena *a, struct fwd_tables *f);

#endif
