/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * swgraph.h - the snapshot as a graph of switches: neighbours, parallel cables, hosts, and an order
 * of the leaves.
 * Room: fabric/snapshot.  Pure.  Switches are named by their ordinal (snapshot.switches[]), so the
 * order of indices is the order of GUIDs.  Used by: LID assignment and the routing engines, which
 * must agree on the order of the leaves.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_SWGRAPH_H
#define HEDDLE_FABRIC_SNAPSHOT_SWGRAPH_H

#include "fabric/snapshot/snapshot.h"

/* All cables from one switch to one neighbour. */
struct swgraph_group {
	uint32_t to;                    /* the neighbour's ordinal */
	uint32_t first_port;            /* index into ports[] */
	uint32_t nports;
};

struct swgraph_host {
	uint32_t port;                  /* index into snapshot.ports[] of the host's port */
	uint8_t via;                    /* the switch port it is cabled to */
};

struct swgraph {
	uint32_t nsw, nleaves;          /* switches; those with hosts */
	uint32_t *group_first;          /* [nsw + 1] into groups[] */
	struct swgraph_group *groups;   /* of one switch: ascending by neighbour */
	uint8_t *ports;                 /* port numbers, ascending within a group */
	uint32_t *host_first;           /* [nsw + 1] into hosts[] */
	struct swgraph_host *hosts;     /* of one switch: ascending by switch port */
};

#define SWGRAPH_FAR UINT16_MAX          /* a distance: not connected */

static inline bool
swgraph_is_leaf(const struct swgraph *g, uint32_t sw)
{
	return g->host_first[sw + 1] > g->host_first[sw];
}

/* Builds the graph; owned by 'a'.  A cable from a switch to itself is left out. */
void swgraph_make(const struct snapshot *s, struct arena *a, struct swgraph *out);
/* Hops from the nearest of 'from[0..nfrom)' into dist[nsw], SWGRAPH_FAR where there is no path.
 * 'queue' is scratch for nsw ordinals; afterwards it holds the switches reached, nearest first.
 * Returns their number. */
uint32_t swgraph_distances(const struct swgraph *g, const uint32_t *from, uint32_t nfrom,
	uint16_t *dist,
	uint32_t *queue);
/* Hops between all switches: per switch a row of 'stride' bytes, by ordinal or, with 'col', by
 * col[ordinal]; SWGRAPH_NO_PATH where there is no path of fewer hops.  Owned by 'a'. */
#define SWGRAPH_NO_PATH 255
uint8_t *swgraph_all_distances(
	const struct swgraph *g, const uint32_t *col, uint32_t stride, struct arena *a);
/* Writes the leaves (nleaves ordinals) into 'order' so that leaves of one subtree are adjacent, in
 * the order in which the switches above are cabled to them: docs/routing.md. */
void swgraph_leaf_order(const struct swgraph *g, struct arena *a, uint32_t *order);

#endif
