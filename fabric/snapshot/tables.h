/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tables.h - LIDs and forwarding tables as data, whether planned, observed or read from a file.
 * Room: fabric/snapshot.  Pure.
 *
 * A packet needs two facts to be followed: which port owns a LID, and by which port a switch sends
 * that LID on.  struct lid_map has the first, struct fwd_tables the second.  Routing engines
 * (sm/route) write them for a plan, lid_map_observed() and fwd_tables_observed() read them from a
 * snapshot; fabric/verify, walk.h and the tools work on both alike.
 *
 * Arrays are indexed by the port indices and the switch ordinals of one snapshot, and are valid
 * only together with it.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_TABLES_H
#define HEDDLE_FABRIC_SNAPSHOT_TABLES_H

#include <stdint.h>
#include "fabric/snapshot/lanes.h"
#include "fabric/snapshot/rows.h"
#include "fabric/snapshot/snapshot.h"

/* The owner of each LID. */
struct lid_map {
	uint32_t nports;                /* = snapshot's */
	uint16_t *base;                 /* per port index: base LID, 0 none */
	uint8_t *lmc;                   /* per port index */
	uint16_t top;                   /* highest LID in use */
	uint32_t *owner;                /* [top + 1]: port index that owns the LID, FAB_NONE */
};

/* Forwarding tables of all switches: rows by switch ordinal, 'stride' bytes each (a multiple of
 * 64). */
struct fwd_tables {
	uint32_t nswitches, stride;
	uint16_t top;                   /* highest LID with an entry */
	uint8_t *port;                  /* [nswitches][stride], 255 drops */
	uint8_t vls;                    /* data VLs that the routing uses (1: no SL matters) */
	/* how SLs and VLs are used; owned by the arena of the tables; NULL: one VL, any SL */
	const struct lane_plan *lanes;
	const uint8_t *undeclared;      /* reserved, NULL */
	/* who else holds 'port' (rows.h); NULL: it belongs to an arena.  A copy of this struct does
	 * not hold it: whoever keeps the tables does by fwd_rows_hold(). */
	struct fwd_rows *rows;
};

/* The table of the switch with ordinal 'sw': 'stride' output ports, indexed by LID. */
static inline uint8_t *
fwd_row(const struct fwd_tables *f, uint32_t sw)
{
	return f->port + (size_t)sw * f->stride;
}

/*
 * Fills 'out' from the LIDs and LMCs in the PortInfo of the snapshot.  If several ports have the
 * same LID, the port with the lowest index owns it.  The arrays belong to the arena 'a'.  Returns
 * 0.
 */
int lid_map_observed(const struct snapshot *s, struct arena *a, struct lid_map *out);
/*
 * Fills 'out' from the LFTs that were read, up to LinearFDBTop of each switch; all other entries
 * are 255.  Rows cover lids->top and every valid entry.  'vls' is 1, because a snapshot does not
 * show which VLs the routing uses.  The rows belong to the arena 'a'.  Returns 0.
 */
int fwd_tables_observed(const struct snapshot *s, const struct lid_map *lids, struct arena *a,
	struct fwd_tables *out);

#endif
