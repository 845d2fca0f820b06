/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.h - a part of a snapshot as a snapshot of its own.
 * Room: fabric/snapshot (prefix part_).  Pure.
 *
 * Tools that narrow a fabric to a selection, and those that ask what a failure would change, need
 * the same subnet without some of its nodes and links.  The result is complete, so nothing else
 * needs to know that it is a part.  Nodes keep their order; GUIDs and port numbers say which port
 * of the part is which port of the whole.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_PART_H
#define HEDDLE_FABRIC_SNAPSHOT_PART_H

#include "fabric/snapshot/snapshot.h"

/*
 * Makes a snapshot of the nodes with node[index], of which there is at least one, and of the links
 * with port[index] of both ends.  'port' may be set only where both nodes remain.  Forwarding
 * tables and P_Keys are left out.  The part starts at the port where 's' starts, or at the first
 * node if that is not in it.  The caller frees it.
 */
struct snapshot *part_make(const struct snapshot *s, const bool *node, const bool *port);
/*
 * Clears node[] and port[] of what is not connected with the largest connected set of nodes that
 * remain (by hosts, then switches, then least GUID); links of nodes that do not remain are
 * cleared first.  Returns the number of sets of connected switches.
 */
uint32_t part_connect(const struct snapshot *s, bool *node, bool *port);

#endif
