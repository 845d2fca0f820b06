/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * layers.h - spreads the paths between switches over VLs, so that none of them can deadlock.
 * Room: sm/route/weights.  Pure; private to the room.
 *
 * A layer is the set of all packets with one SL, and each SL has a VL of its own.  A layer
 * cannot deadlock if the dependencies of its paths have no cycle (chanorder.h).  Replies have
 * the SL of the request, so the unit is a pair of switches: all paths from one to the other, to
 * each of its LIDs, and all paths back.  A unit is put as a whole into the first layer that
 * accepts all its dependencies.
 *
 * Invariants: sl[a][b] equals sl[b][a]; the dependencies of a layer never have a cycle; a unit
 * whose paths are those of the previous tables keeps its previous SL.
 * Use: layers_make(), then layers_plan(), or layers_refuse() unless layers_fit().
 * Where to look next: dfsssp.c, lash.c; fabric/snapshot/lanes.h for the result.
 */
#ifndef HEDDLE_SM_ROUTE_WEIGHTS_LAYERS_H
#define HEDDLE_SM_ROUTE_WEIGHTS_LAYERS_H

#include "sm/route/weights/weights.h"

#define LAYERS_NONE 255                 /* in sl[]: not a unit, or in no layer */

struct layers_dep {
	uint32_t x, y;                  /* channels: y depends on x */
};

struct layers {
	const struct weights *w;
	uint8_t first, limit, n;        /* SLs first .. limit - 1 may be used; below n they are */
	uint8_t longest;                /* hops between the switches farthest apart */
	bool all;                       /* also pairs of switches without hosts */
	/* with a lane plan whose SLs are kept; NULL: there is none */
	const struct fwd_tables *previous;
	struct chanorder order[LANE_SLS];       /* by SL */
	uint64_t units[LANE_SLS];       /* by SL */
	uint8_t *sl;                    /* [nsw][nsw] by ordinal */
	uint32_t left_a, left_b;        /* the first unit that fits nowhere; FAB_NONE: all do */
	/* of the unit in hand */
	struct layers_dep *deps;
	uint32_t ndeps, cap;
	struct arena *a;
};

/* Puts all units into layers, the first of which has SL 'first'; stops at one that fits nowhere.
 * Owned by 'a'. */
void layers_make(struct layers *l, const struct weights *w, const struct route_in *in,
	uint8_t first, bool all, struct arena *a);
/* Whether the VLs suffice. */
static inline bool
layers_fit(const struct layers *l)
{
	return l->left_a == FAB_NONE;
}
/* Moves units from full layers to emptier ones that accept them, unless SLs are kept. */
void layers_even(struct layers *l);
/* Divides the fullest layers among the VLs that are not used, by a fixed hash of the pair,
 * unless SLs are kept. */
void layers_split(struct layers *l);
/* The plan of SLs and VLs; owned by 'a'. */
struct lane_plan *layers_plan(const struct layers *l, struct arena *a);
/* Sets the refusal VLS, with the number of VLs that are needed and that exist. */
enum route_code layers_refuse(const struct layers *l, struct route_report *r);

#endif
