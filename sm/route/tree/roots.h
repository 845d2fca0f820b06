/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.h - the ranks that an engine for trees goes by, and how they change when damage leaves
 * switches without a path.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Ranks come from the intended topology (sm/intended/ranks.h finds them), so the roots do not move
 * because a link was lost.  Only if a switch cannot be reached otherwise, ranks change: first it
 * is placed below all others, then a single root is used.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_ROOTS_H
#define HEDDLE_SM_ROUTE_TREE_ROOTS_H

#include "sm/route/model/model.h"

struct roots {
	const char *rule;               /* as in struct route_report */
	uint32_t n;                     /* switches of rank 0 that are there now */
	uint16_t *rank;                 /* per switch: hops from the nearest root */
	uint16_t max_rank;
	uint32_t lowered;               /* switches placed below all others */
	/* per switch: number of its connected part of the fabric, from 1 */
	uint16_t *part;
};

/* Begins with these ranks.  Owned by 'a'. */
void roots_init(struct roots *t, const struct route_model *m, const char *rule,
	const uint16_t *rank, struct arena *a);
/* Takes one root, the most central of the largest part, and ranks by the distance from it; those
 * of a single root of the intended topology may be of a fabric that was whole.  False: that was
 * done before. */
bool roots_single(struct roots *t, const struct route_model *m);
/* Places the switches of columns 'lost' below all others.  Returns false and changes nothing if
 * one of them has hosts. */
bool roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost);

#endif
