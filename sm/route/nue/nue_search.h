/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_search.h - searches the paths to one destination in the graph of channel dependencies.
 * Room: sm/route/nue.  Pure; private to the room; a part of engine nue (nue.c).
 *
 * The search starts at the destination's switch, and at all switches whose paths are kept, and
 * proceeds outwards, one hop in each round.  A switch is settled when its next hop is chosen:
 * the cheapest channel to a settled neighbour whose dependency on that neighbour's own next hop
 * is in use already, or can be added without a cycle.  A switch with no such channel waits for
 * later rounds.  When only waiting switches are left, the search backtracks: it gives a settled
 * neighbour another next hop that keeps all paths through it legal.
 *
 * Invariant: the dependencies of all chosen paths are in use in 'order'.
 * Where to look next: nue.c (which destinations, in which order), nue_tree.h (when a search fails).
 */
#ifndef HEDDLE_SM_ROUTE_NUE_NUE_SEARCH_H
#define HEDDLE_SM_ROUTE_NUE_NUE_SEARCH_H

#include "sm/route/model/chanorder.h"

#define NUE_NONE UINT32_MAX             /* next[]: none yet */
#define NUE_HERE (UINT32_MAX - 1)       /* next[]: the destination's switch itself */

/* Cost of a hop.  It exceeds the sum of all weights on a path, so that fewer hops come first. */
#define NUE_HOP ((uint64_t)1 << 40)

#define NUE_TURNS 3                     /* switches on a path that backtracking can turn */

struct nue_change {
	uint32_t sw, next;              /* next[sw] before */
};

struct nue_search {
	const struct chanorder_net *net;
	struct chanorder *order;
	uint64_t *cost;                 /* per channel: NUE_HOP + weight; the caller sets it */
	/* result: per switch the channel to the next hop; the switches settled, in that order */
	uint32_t *next, *settled, nsettled;
	uint32_t turned;                /* settled switches that took another next hop, in all */
	/* settled[] has each switch after its next hop, the destination first.  Whoever writes
	 * next[] clears it. */
	bool ordered;
	/* scratch, per switch; least: the cost of the path by best[] */
	uint64_t *dist, *least;
	uint32_t *round, *best, *waiting, nwaiting;
	struct nue_change changed[NUE_TURNS];
	uint32_t nchanged, tries;
};

void nue_search_init(struct nue_search *s, const struct chanorder_net *net, struct chanorder *o,
	struct arena *a);
/* Begins a column: only 'dest' is settled. */
void nue_search_begin(struct nue_search *s, uint32_t dest);
/* Keeps the path of 'sw' by 'chan', whose far end is settled.  False: the dependency would close a
 * cycle. */
bool nue_search_keep(struct nue_search *s, uint32_t sw, uint32_t chan);
/* Searches until 'size' switches are settled.  False: some could not be; what was added to 'order'
 * is in its journal, for the caller to undo. */
bool nue_search_run(struct nue_search *s, uint32_t size);

#endif
