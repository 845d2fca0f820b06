/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * levels.h - the distance of each switch from the hosts.
 * Room: diags/topo.
 *
 * Hosts have level 0.  Switches with hosts have level 1, except those with far fewer hosts than the
 * median.  Each other switch has one level more than its lowest neighbour.
 */
#ifndef HEDDLE_DIAGS_TOPO_LEVELS_H
#define HEDDLE_DIAGS_TOPO_LEVELS_H

#include "fabric/snapshot/swgraph.h"

struct levels {
	struct arena arena;
	struct swgraph g;
	uint8_t *of;                    /* per switch ordinal; 1.. */
	unsigned top;                   /* the highest level; 0: no switch */
};

/* A switch with only a few hosts (a manager on a spine) is no leaf when the others have many. Free
 * with levels_clear(). */
void levels_make(const struct snapshot *s, struct levels *l);
void levels_clear(struct levels *l);
static inline unsigned
levels_of(const struct levels *l, const struct fab_node *n)
{
	return n->sw == FAB_NONE ? 0 : l->of[n->sw];
}

#endif
