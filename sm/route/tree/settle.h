/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settle.h - from intended ports to ports that are legal now.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Each entry of a row is one of these, in this order: the intended port, if it is legal now; the
 * port that the switch has already, if that is legal; of all legal ports the one that has taken the
 * fewest entries of others here ('moved').  So an entry changes only when what it had is no longer
 * legal, or when its intended port is legal again.  Legal is what updown.h names as a candidate.  With route_in.hold the port that the switch
 * has already comes first.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_SETTLE_H
#define HEDDLE_SM_ROUTE_TREE_SETTLE_H

#include "sm/route/tree/frame.h"
#include "sm/route/model/updown.h"

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
	uint32_t *moved;                /* per port: host LIDs that have it, but intend another */
	uint64_t *placed;               /* a bit for each of host_lids[] that got its port by count;
					 * NULL: nobody asks */
};

#define SETTLE_NONE 255

void settle_init(struct settle *t, const struct frame *f, const struct updown *u, struct arena *a);
/* After the LIDs of the frame changed; owned by 'a'. */
void settle_reserve(struct settle *t, struct arena *a);
/* Settles the row of the switch that 'whole' was begun for: 'row' has intended ports, 255 where
 * there are none; 'whole' has the candidates that they were chosen from.  'before': the 'nbefore'
 * entries that the switch has now; NULL: unknown.  Receives 'moved'. */
void settle_row(struct settle *t, const struct fill *whole, uint8_t *row, const uint8_t *before,
	uint32_t nbefore, uint32_t moved[static 256]);

/* The same for single columns: begin, the columns in ascending order, end.  Candidates of each
 * column are in t->now, its intended ports in 'row'; 'moved': without these columns at the beginning,
 * with them at the end. */
void settle_begin(struct settle *t, uint32_t sw, uint32_t moved[static 256]);
void settle_column(
	struct settle *t, uint32_t c, uint8_t *row, const uint8_t *before, uint32_t nbefore);
void settle_end(struct settle *t, uint32_t sw, uint8_t *row);

#endif
