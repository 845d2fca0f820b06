/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.h - the same fabric with parts of it lost, as another sweep would find it.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_PART_H
#define HEDDLE_TESTS_UNIT_ROUTE_PART_H

#include "fabric/snapshot/tables.h"

/* A copy without nodes that are gone and links of ports that are dead (either end; both by index
 * in 's').  'into': per node, the node that its ports are appended to, or itself; NULL: all stay. */
struct snapshot *part_copy(const struct snapshot *s, const bool *gone, const bool *dead, const uint32_t *into);
/* The LIDs of 'l', which belong to 's', for the copy 'c'. */
void part_lids(const struct snapshot *s, const struct lid_map *l, const struct snapshot *c, struct arena *a,
	struct lid_map *out);
/* Fuses pairs of top switches (at most 256) that have the same neighbours, so that links become parallel.
 * Frees 's'. */
struct snapshot *part_fuse_tops(struct snapshot *s);

#endif
