/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settle.h - from intended ports to ports that are legal now.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Each entry of a row is one of these, in this order: the intended port, if it is legal now; the
 * port that the switch has already, if that is legal; the least loaded of all legal ports.  So an
 * entry changes only when what it had is no longer legal, or when its intended port is legal
 * again.  Legal is what updown.h names as a candidate.  With route_in.hold the port that the switch
 * has already comes first.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_SETTLE_H
#define HEDDLE_SM_ROUTE_TREE_SETTLE_H

#include "sm/route/tree/frame.h"
#include "sm/route/tree/updown.h"

/* What one part of the rows needs; each part has its own. */
struct settle {
	const struct frame *frame;
	const struct updown *u;         /* costs of the present fabric */
	struct fill now;                /* candidates in the present fabric */
	uint8_t group[256];             /* per port: its neighbour in now.order[], SETTLE_NONE */
	uint8_t *suspect;               /* per column: not 0 where an entry may be illegal */
	/* indices into host_lids[] that no earlier rule settled, with their columns */
	uint32_t *open, *open_col, nopen;
	bool hold;                      /* the port in force comes before the intended one */
};

#define SETTLE_NONE 255

void settle_init(struct settle *t, const struct frame *f, const struct updown *u, struct arena *a);
/* Settles the row of the switch that 'whole' was begun for: 'row' has intended ports, 255 where
 * there are none; 'whole' has the candidates that they were chosen from.  'before': the 'nbefore'
 * entries that the switch has now; NULL: unknown. */
void settle_row(struct settle *t, const struct fill *whole, uint8_t *row, const uint8_t *before,
	uint32_t nbefore);

/* The same for single columns: begin, the columns in ascending order, end.  Candidates of each
 * column are in t->now; 'load': host LIDs per port, without those of these columns at the
 * beginning; the caller adds what settle_column() settled, settle_end() what was left. */
void settle_begin(struct settle *t, uint32_t sw);
void settle_column(
	struct settle *t, uint32_t c, uint8_t *row, const uint8_t *before, uint32_t nbefore);
void settle_end(struct settle *t, uint32_t sw, uint8_t *row, uint32_t load[static 256]);

#endif
