/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tables.h - LIDs and forwarding tables as data, whether planned, observed or read from a file.
 * Room: fabric/snapshot. Pure.
 *
 * Engines write these structures; verify, walk and the tools read them.  Arrays are indexed by the
 * snapshot's port indices and switch ordinals. */
#ifndef HEDDLE_FABRIC_SNAPSHOT_TABLES_H
#define HEDDLE_FABRIC_SNAPSHOT_TABLES_H

#include <stdint.h>
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
	const uint8_t *undeclared;      /* reserved, NULL */
};

static inline uint8_t *
fwd_row(const struct fwd_tables *f, uint32_t sw)
{
	return f->port + (size_t)sw * f->stride;
}

/* The LIDs and tables that the snapshot's images show (PortInfo LIDs; LFTs that were read).
 * Arena-owned. */
int lid_map_observed(const struct snapshot *s, struct arena *a, struct lid_map *out);
int fwd_tables_observed(const struct snapshot *s, const struct lid_map *lids, struct arena *a,
	struct fwd_tables *out);

#endif
