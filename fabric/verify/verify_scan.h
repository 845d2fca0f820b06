/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_scan.h - one pass over all table entries: collects turns, and finds entries that are wrong
 * by themselves.
 * Room: fabric/verify.  Pure.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_SCAN_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_SCAN_H

#include "fabric/snapshot/tables.h"
#include "fabric/verify/verify_graph.h"
#include "fabric/snapshot/walk.h"

/* What happens at switch 'sw' (ordinal) to a packet for 'lid' that leaves by 'port', when that
 * port leads to no switch. */
enum walk_end verify_exit(const struct snapshot *s, const struct lid_map *l, uint32_t sw,
	uint32_t lid, uint8_t port);
/* Adds to 'g' the turns of all entries whose LID has an owner.  'bad' (BITS_WORDS(l->top + 1);
 * may be NULL): the LIDs with an entry that drops, leads nowhere or to the wrong port. */
void verify_scan(struct chan_graph *g, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f,
	uint64_t *bad);

#endif
