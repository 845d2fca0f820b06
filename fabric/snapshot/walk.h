/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * walk.h - follows one path through the forwarding tables, hop by hop.
 * Room: fabric/snapshot.  Pure.  Every walk is bounded (64 switches).
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_WALK_H
#define HEDDLE_FABRIC_SNAPSHOT_WALK_H

#include "fabric/snapshot/tables.h"

enum walk_end { WALK_ARRIVED, WALK_DROPPED, WALK_DEAD_PORT, WALK_LOOP, WALK_WRONG_PORT,
	WALK_NO_LID };

#define WALK_HOPS_MAX 64

struct walk {
	enum walk_end end;
	unsigned nhops;
	/* port indices the packet leaves by: first the source (unless a switch's port 0) */
	uint32_t out[WALK_HOPS_MAX + 1];
	uint32_t in[WALK_HOPS_MAX + 1];         /* port indices the packet enters by */
};

/* From port 'src' (an end port) to 'lid'. */
void walk_lid(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	uint32_t src,
	uint16_t lid, struct walk *w);
const char *walk_end_text(enum walk_end e);

#endif
