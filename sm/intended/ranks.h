/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ranks.h - finds the switches at the top of a fabric, and the distance of all others from them.
 * Room: sm/intended (prefix intended_).  Pure.
 *
 * The roots decide which direction of a link is "up", so they decide which paths up/down allows.
 * The configuration names them, or the rules in ranks.c find them.  learn.c uses this file, and
 * so do routing engines that must choose other roots in a fabric that is too damaged for the
 * intended ones.
 */
#ifndef HEDDLE_SM_INTENDED_RANKS_H
#define HEDDLE_SM_INTENDED_RANKS_H

#include "fabric/snapshot/swgraph.h"

struct intended_ranks {
	const char *rule;               /* "given", "histogram", "tree", "center" */
	uint32_t *sw;                   /* roots: ordinals, ascending; room for all switches */
	uint32_t n;
	uint16_t *rank;                 /* per switch: hops from the nearest root */
	uint16_t max_rank;
	uint32_t *sum;                  /* per switch: sum of its distances to all others */
	uint8_t *reach;                 /* per switch: its greatest distance to any other */
};

/* Takes the 'ngiven' roots, GUIDs of the switches of 's' (others are ignored), or finds roots by
 * rule, and ranks all switches.  False: none of the given roots is in the fabric.  There is at
 * least one switch.  Owned by 'a'. */
bool intended_ranks_find(struct intended_ranks *t, const struct snapshot *s,
	const struct swgraph *g, const uint64_t *given, uint32_t ngiven, struct arena *a);
/* Sets t->sum and t->reach.  Owned by 'a'. */
void intended_ranks_measure(struct intended_ranks *t, const struct swgraph *g, struct arena *a);
/* Ranks all switches anew, from the roots in t->sw. */
void intended_ranks_renew(struct intended_ranks *t, const struct swgraph *g, struct arena *a);
/* The most central of 'n' switches: least greatest distance, least sum, least GUID. */
uint32_t intended_ranks_center(const struct intended_ranks *t, const uint32_t *sw, uint32_t n);

#endif
