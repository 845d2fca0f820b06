/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_tree.h - the connected parts of a fabric, and in each a tree that reaches every switch.
 * Room: sm/route/nue.  Pure; private to the room; a part of engine nue (nue.c).
 *
 * A search can fail: each channel to a switch may be blocked by dependencies of earlier paths.  The
 * dependencies between the channels of a spanning tree have no cycle, because a packet on a tree
 * never comes back to a channel.  While all of them are in use ("reserved"), every destination can
 * be reached over the tree, whatever else was added.
 *
 * The root is a switch with hosts, if there is one, that has the least sum of distances.  In a
 * fat tree the paths of the tree then turn upwards again at the root only, and the up/down paths
 * of all others stay legal.
 */
#ifndef HEDDLE_SM_ROUTE_NUE_NUE_TREE_H
#define HEDDLE_SM_ROUTE_NUE_NUE_TREE_H

#include "sm/route/model/chanorder.h"
#include "sm/route/model/model.h"

struct nue_tree {
	const struct chanorder_net *net;
	uint32_t nparts;
	uint32_t *part;                 /* per switch */
	uint32_t *size, *root;          /* per part: switches; the best root for its tree */
	bool *reserved;                 /* per part: the tree's dependencies are in use */
	uint32_t *parent;               /* per switch: the channel towards the root */
	uint32_t *queue;                /* scratch */
};

/* Finds parts and roots; owned by 'a'. */
void nue_tree_make(struct nue_tree *t, const struct route_model *m, const struct chanorder_net *net,
	struct arena *a);
/* Makes and reserves the tree of a part: breadth first, over links whose dependencies close no
 * cycle with those in use.  If it does not reach all, other roots are tried.  False: none is
 * possible; never when 'o' is empty.  The journal of 'o' must be empty. */
bool nue_tree_reserve(struct nue_tree *t, uint32_t part, struct chanorder *o);
/* The column of 'dest' by the tree, into next[]; other parts are left out. */
void nue_tree_column(const struct nue_tree *t, uint32_t dest, uint32_t *next);

#endif
