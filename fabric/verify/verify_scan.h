/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_scan.h - one pass over all table entries: collects channel dependencies, and finds entries
 * that are wrong by themselves.
 * Room: fabric/verify.  Pure.
 *
 * An entry of a switch that leads to a neighbour, and the neighbour's entry for the same LID, are a
 * turn: a packet holds the first link while it waits for the second (a dependency of
 * verify_graph.h).  The scan reads each entry once and needs no walks, so its cost does not depend
 * on path lengths.  It finds entries that drop a LID or lead to the wrong port; loops and credit
 * loops are cycles in the graph that it fills, which verify_graph.c finds.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_SCAN_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_SCAN_H

#include "fabric/snapshot/tables.h"
#include "fabric/verify/verify_graph.h"
#include "fabric/snapshot/walk.h"
#include "util/stripes.h"

/* What happens at switch 'sw' (ordinal) to a packet for 'lid' that leaves by 'port', when that
 * port leads to no switch. */
enum walk_end verify_exit(
	const struct snapshot *s, const struct lid_map *l, uint32_t sw, uint32_t lid, uint8_t port);
/* Adds to 'g' the turns of all entries whose LID has an owner.  'bad' (BITS_WORDS(l->top + 1);
 * may be NULL): the LIDs with an entry that drops, leads nowhere or to the wrong port. */
void verify_scan(struct chan_graph *g, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f, const struct stripes *stripes, uint64_t *bad);

#endif
