/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * anchor.h - the pivot that damage does not move.
 * Room: sm/route/tree.  Pure; private to the room.  docs/routing.md.
 *
 * The anchor is the first leaf, in the order of columns, that is there.  All switches know their
 * distance from it in the intended topology, and an entry without an up/down path leads to the
 * first neighbour, by plane, that is one hop nearer and still connected.  So such an entry changes
 * only when its link does.  A switch that has lost all of these counts as farther away.
 *
 * Invariant: before it is used, the channel dependencies of all paths that go by this rule,
 * whichever links are lost, are searched for cycles together with all that up/down allows.  So
 * what remains after losses has none either.  Where a switch is stranded and that search finds a
 * cycle, the paths of the present fabric are searched, and the next loss needs another search.  If
 * these have a cycle, too, stranded switches are left to other pivots, and all others stay here.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_ANCHOR_H
#define HEDDLE_SM_ROUTE_TREE_ANCHOR_H

#include "sm/route/tree/frame.h"
#include "sm/route/model/updown.h"

struct anchor {
	const struct frame *f;
	const struct updown *u;
	const struct swgraph *g;        /* where distances are counted */
	uint32_t moved;                 /* switches that lost all neighbours nearer to it */
	bool exact;                     /* 'g' is the present graph, searched for what it has now */
	bool sound;                     /* there is an anchor, and no dependencies are cyclic */
	uint32_t root;
	uint16_t *dist;                 /* per switch: hops from it; SWGRAPH_FAR */
	uint32_t *queue, nqueue;        /* switches connected to it, nearest first */
};

/* Finds the anchor; owned by 'a'.  'today': it may be one that is sound only over present links. */
void anchor_find(struct anchor *t, const struct frame *f, const struct updown *u, bool today,
	struct arena *a);
/* The group of links by which 'sw' sends what has no up/down path; NULL: none is left. */
const struct swgraph_group *anchor_parent(const struct anchor *t, uint32_t sw);
/* The link of group 'g' that column 'c' takes: that of the intended topology if it is there. */
uint8_t anchor_port(const struct anchor *t, uint32_t sw, uint32_t c, const struct swgraph_group *g);
/* After links were lost or came back: whether what was found still holds. */
bool anchor_covers(const struct anchor *t);
#endif
