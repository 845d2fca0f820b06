/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * again.h - tables after a change, from those before.
 * Room: sm/route/tree.  Pure; private to the room.  docs/routing.md.
 *
 * A full run keeps in the state what its result follows from.  If the next run differs in links,
 * LIDs and which of the known switches are there, costs are repaired from the ends of changed links
 * outwards, and only columns are settled again in which a cost at a switch or at a neighbour has
 * changed, or a LID.
 *
 * Invariant: the tables are byte for byte those of a full run with the same input; where that is
 * not certain, there is a full run.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_AGAIN_H
#define HEDDLE_SM_ROUTE_TREE_AGAIN_H

#include "sm/route/tree/tree.h"

/* Begins a full run: '*state' is emptied, made if there is none.  Makes '*out', whose rows the state
 * holds; they are not written yet. */
void again_begin(struct route_state **state, const struct route_model *m, struct fwd_tables *out);
/* After a full run that succeeded: keeps what is needed.  'whole': the costs of the intended
 * topology; 'rank': the ranks that it went by; 'moved': per switch, as in settle.h. */
void again_keep(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	const struct updown *whole, const uint16_t *rank, uint32_t (*moved)[256],
	const struct route_report *r);
/* False: a full run is needed. */
bool again_run(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
