/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * weighted.h - paths of least cost where links have weights (hop_weights_file).
 * Room: sm/route (prefix weighted_).  Pure.
 *
 * A path costs the sum of the weights of the ports by which it leaves switches.  Weights are at
 * least 1, so the cost falls at every hop towards the destination, and tables that follow such
 * paths have no loop.  A weight belongs to one direction of a link.
 */
#ifndef HEDDLE_SM_ROUTE_WEIGHTED_H
#define HEDDLE_SM_ROUTE_WEIGHTED_H

#include "sm/route/model/fill.h"

struct weighted {
	const struct route_model *m; /* with weights: prefs_weigh() */
	/* [nsw][ncols]: least cost from a switch to a column; WEIGHTED_FAR: no path */
	uint32_t *cost;
};

#define WEIGHTED_FAR UINT32_MAX

/* Computes all costs; owned by 'a'. */
void weighted_make(struct weighted *w, const struct route_model *m, struct arena *a);
/* Makes the neighbours on paths of least cost candidates of the switch that 'f' was begun for. */
void weighted_candidates(const struct weighted *w, struct fill *f);

#endif
