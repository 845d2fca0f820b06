/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * weights.h - shortest paths to every destination, balanced by the loads of the links.
 * Room: sm/route/weights.  Pure; private to the room.
 *
 * Each destination has a tree: every switch sends to one neighbour that is a hop nearer.  The
 * trees start with the choices of engine minhop, where each switch spreads destinations by itself.
 * Then each tree is chosen again, all others being known: the path of least cost, where the cost of
 * a channel is the square of the number of paths that use it.  The new tree is taken only if the
 * sum of the cubes of all loads falls, so every pass makes the loads more even.  With hop weights a
 * load counts as often as its channel weighs, so heavy links get less of it.
 *
 * Trees are chosen in rounds: those of one round see the same loads, then they are taken or not,
 * one by one.  So the trees of a round can be made side by side.  The size of a round depends on
 * the number of trees only, never on the number of threads.
 *
 * Entries of previous tables that still lead to the destination are kept, even if a shorter path
 * exists now; only switches whose path is broken choose again, and join the kept entries.  So the
 * result is still a tree, and paths that were not broken do not move.
 * Where to look next: sssp.c writes such trees to tables; layers.h spreads their paths over VLs.
 */
#ifndef HEDDLE_SM_ROUTE_WEIGHTS_WEIGHTS_H
#define HEDDLE_SM_ROUTE_WEIGHTS_WEIGHTS_H

#include "sm/route/model/chanorder.h"
#include "sm/route/model/model.h"

#define WEIGHTS_NONE 255                /* no next hop: the destination itself, or no path */

enum weights_unit {
	WEIGHTS_LID,                    /* a tree for each LID of a host */
	WEIGHTS_SWITCH,                 /* a tree for each switch, which its hosts share */
};

/* Which of the shortest paths are preferred, before loads are compared.  Paths with turns of only a
 * few kinds make few cycles of dependencies. */
enum weights_rule {
	WEIGHTS_FREE,                   /* none */
	/* Dimensions in ascending order; the port numbers of a link say which dimension it
	 * belongs to, so this suits tori, meshes and similar fabrics with regular port numbers. */
	WEIGHTS_DIMENSIONS,
	/* Climb before descending, seen from the center; loads grow near it. */
	WEIGHTS_CENTER,
};

struct weights_how {
	enum weights_unit unit;
	enum weights_rule rule;
};

struct weights_tree {
	uint32_t sw;                    /* the destination */
	uint32_t lids;                  /* LIDs of hosts that it leads to */
	uint16_t lid;                   /* one of its LIDs, to look up previous entries; 0: none */
	uint8_t kind;                   /* enum intended_kind; INTENDED_KINDS: of no host */
};

/* What a LID needs in the tables. */
struct weights_dest {
	uint32_t tree;
	uint16_t lid;
	uint8_t via;                    /* port of the tree's switch to the owner; 0: itself */
};

struct weights {
	const struct route_model *m;
	struct chanorder_net net;            /* its channels are the groups of the model's graph */
	uint32_t ntrees, ndests;
	bool absent;                    /* some LIDs belong to absent hosts */
	struct weights_tree *trees;
	struct weights_dest *dests;
	/* trees of one switch: tree_of[tree_first[sw] .. tree_first[sw + 1]) */
	uint32_t *tree_first, *tree_of;
	uint8_t *next;                  /* [ntrees][nsw]: k-th neighbour of the switch */
	uint32_t *sources;              /* per switch: hosts, absent ones included */
	uint32_t *load;                 /* per channel: paths of all hosts to all LIDs of hosts */
	uint8_t *dist;                  /* route_distances() */
	/* per switch, unique: higher nearer to the center; NULL: turns do not matter */
	uint32_t *height;
	uint16_t *dimension;            /* per channel; NULL: they do not matter */
	/* [nsw][256]: the neighbour behind a port; WEIGHTS_NONE: no switch */
	uint8_t *behind;
};

/* Makes all trees.  Owned by 'a'. */
void weights_make(struct weights *w, const struct route_model *m, const struct route_in *in,
	struct weights_how how, struct arena *a);
/* Writes the rows of 'out': for each LID a port to the chosen neighbour. */
void weights_tables(const struct weights *w, const struct route_in *in, struct fwd_tables *out);

static inline const uint8_t *
weights_tree(const struct weights *w, uint32_t tree)
{
	return w->next + (size_t)tree * w->m->g.nsw;
}

/* The channel by which 'sw' sends to the tree's destination; FAB_NONE: none. */
static inline uint32_t
weights_hop(const struct weights *w, const uint8_t *tree, uint32_t sw)
{
	return tree[sw] == WEIGHTS_NONE ? FAB_NONE : w->m->g.group_first[sw] + tree[sw];
}

#endif
