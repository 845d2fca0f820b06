/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_spans.h - the spanning trees that multicast groups are cut from.
 * Room: sm/mcast.  Pure.  docs/routing.md: multicast.
 *
 * A span is a tree over all switches.  A group uses the part of one span between its members, so a
 * join adds the branch to the nearest switch of its tree, a leave removes a branch, and no other
 * member's path moves.  These properties of spans hold for every group, now and after any join:
 *
 *   legal   no turn of any span closes a cycle of channel dependencies with another or with the
 *           unicast tables.  Two constructions do this.  Where the unicast engine has ranks, a span
 *           only leads down from its root, so packets go up and then down, as unicast does.
 *           Elsewhere, the turns of each new edge are added to the order of channels that the
 *           unicast tables leave (mcast_order.h), and an edge that does not fit is not used.  The
 *           same applies to a damaged fabric in which no switch leads down to all hosts.
 *   stable  a span is that of the plan before, without the edges that are lost.  The switches
 *           behind a lost edge are a piece.  A piece is attached again as a whole if possible, and
 *           divided only if not.  A root stays as long as its switch is in the fabric and, by
 *           ranks, leads down to all switches with hosts, if any root does.
 *
 * Where to look next: mcast.h, the groups; fabric/verify/verify_trees.h, which checks the result.
 */
#ifndef HEDDLE_SM_MCAST_MCAST_SPANS_H
#define HEDDLE_SM_MCAST_MCAST_SPANS_H

#include "fabric/snapshot/lanes.h"
#include "fabric/snapshot/swgraph.h"
#include "fabric/verify/verify_graph.h"

#define MCAST_SPANS_MAX 64
#define MCAST_ROOTS_MAX 2

struct mcast_span {
	uint32_t root;                  /* ordinal */
	/* per switch: the switch above it (ordinal), and its port that leads there; FAB_NONE and 0:
	 * the root, or a switch that the span does not reach */
	uint32_t *above;
	uint8_t *port;
	uint64_t (*ports)[4];           /* while it is made: its ports in the span, as bits */
	uint32_t reached, height;
};

/* Of one plan; immutable when made. */
struct mcast_spans {
	const struct snapshot *s;
	struct mcast_span *v;
	uint32_t n;
	uint16_t sls;                   /* SLs that they are legal for, as bits */
	bool by_turns;                  /* legal by the order of channels, not by ranks */
	uint32_t lacking;               /* most switches with hosts that one of them lacks */
	/* of edges that the plan before had: kept; lost; no longer legal, or in a piece that could
	 * not be attached as a whole */
	uint32_t kept, lost, dropped;
	char remark[160];               /* why the operator's root is not the root; or empty */
};

struct mcast_spans_in {
	const struct snapshot *s;
	/* per switch, smaller is higher: unicast goes up, then down.  NULL: 'unicast' counts */
	const uint16_t *rank;
	/* the dependencies of the unicast tables; NULL: not known, and hops from the middle of the
	 * fabric are the ranks */
	const struct chan_graph *unicast;
	const struct lane_plan *lanes;  /* of the tables; NULL: one VL */
	uint16_t sls;                   /* with a lane plan: SLs that groups use, as bits */
	const struct mcast_spans *before;       /* of the plan before; NULL: none */
	uint64_t roots[MCAST_ROOTS_MAX];        /* GUIDs that the operator configured; 0: none */
};

/* Owned by 'a'. */
void mcast_spans_make(const struct mcast_spans_in *in, struct arena *a, struct mcast_spans *out);

#endif
