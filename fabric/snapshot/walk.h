/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * walk.h - follows one path through the forwarding tables, hop by hop.
 * Room: fabric/snapshot.  Pure.
 *
 * A walk does what a packet does: it leaves the source, and at each switch it follows the entry of
 * the destination LID, even to a port where the packet is lost.  It uses the tables alone, not the
 * plan that made them.  Every walk is bounded: a packet that has crossed 64 switches and reaches
 * another one counts as being in a loop.  fabric/verify checks all walks at once, without following
 * each of them.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_WALK_H
#define HEDDLE_FABRIC_SNAPSHOT_WALK_H

#include "fabric/snapshot/tables.h"

/*
 * How a walk ends.  ARRIVED: at the port that owns the LID.  DROPPED: the entry is 255 or beyond
 * the table.  DEAD_PORT: the output port has no link or does not exist.  LOOP: too many switches.
 * WRONG_PORT: at an end port that does not own the LID.  NO_LID: nobody owns the LID.
 */
enum walk_end { WALK_ARRIVED, WALK_DROPPED, WALK_DEAD_PORT, WALK_LOOP, WALK_WRONG_PORT,
	WALK_NO_LID };

#define WALK_HOPS_MAX 64

struct walk {
	enum walk_end end;
	unsigned nhops;                         /* links crossed: entries of out[] and in[] */
	/* port indices by which the packet leaves a node; out[0] is the source, or, if the source
	 * is port 0 of a switch, the first output port of that switch */
	uint32_t out[WALK_HOPS_MAX + 1];
	uint32_t in[WALK_HOPS_MAX + 1];         /* port indices by which it enters the next node */
};

/* Walks from the end port with index 'src' to 'lid' and fills 'w'.  A walk from the owner of the
 * LID ends at once: ARRIVED, no hops. */
void walk_lid(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	uint32_t src,
	uint16_t lid, struct walk *w);
/* A phrase for messages, static. */
const char *walk_end_text(enum walk_end e);

#endif
