/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * levels.h - the distance of each switch from the hosts.
 * Room: fabric/draw.
 *
 * Hosts have level 0.  Switches with hosts have level 1, except those with far fewer hosts than the
 * median.  Each other switch has one level more than its lowest neighbour.
 */
#ifndef HEDDLE_FABRIC_DRAW_LEVELS_H
#define HEDDLE_FABRIC_DRAW_LEVELS_H

#include "fabric/snapshot/swgraph.h"

struct levels {
	struct arena arena;
	struct swgraph g;
	uint8_t *of;                    /* by switch ordinal, from 1 */
	unsigned top;                   /* highest level; 0: there is no switch */
};

/* Computes the levels. A switch with only a few hosts, such as a management node on a spine, does
 * not become a leaf if others have many. The caller frees '*l' by levels_clear(). */
void levels_make(const struct snapshot *s, struct levels *l);
void levels_clear(struct levels *l);
static inline unsigned
levels_of(const struct levels *l, const struct fab_node *n)
{
	return n->sw == FAB_NONE ? 0 : l->of[n->sw];
}

#endif
