/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_topo.h - a snapshot made from a topology, and a topology made from a snapshot.
 * Room: fabric/topo.  Pure.
 *
 * A topology has nodes, ports and cables, as in a file.  A snapshot is what discovery observed,
 * with the image of every attribute.  Tools and tests that work without a fabric convert between
 * the two here; discovery does not use this file.
 */
#ifndef HEDDLE_FABRIC_TOPO_SNAPSHOT_TOPO_H
#define HEDDLE_FABRIC_TOPO_SNAPSHOT_TOPO_H

#include "fabric/snapshot/snapshot.h"
#include "fabric/topo/topo.h"

/*
 * Makes a snapshot from a topology: every cabled port in INIT (or in 'state'), with plausible
 * images. 'sm_node' (index in 't') FAB_NONE: the first host; if there is none, the first switch.
 * The caller frees '*out'. 0, or -ENODEV when 't' has no node at all.
 */
int topo_to_snapshot(const struct topo *t, uint32_t sm_node, uint8_t state, struct snapshot **out);
/*
 * The topology that topo_write() prints: nodes by GUID, cables, names, LIDs, widths and speeds.
 * The caller clears '*t'.  0, or the error of the topology builder.
 */
int topo_from_snapshot(const struct snapshot *s, struct topo *t);

#endif
