/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * end_key.h - how the end ports of a snapshot are sorted.
 * Room: fabric/snapshot.  Pure.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_END_KEY_H
#define HEDDLE_FABRIC_SNAPSHOT_END_KEY_H

#include <stdint.h>

struct end_key {
	uint64_t guid;
	uint32_t port;                  /* index; decides between ports with the same GUID */
};

/* For qsort(). */
static inline int
end_key_cmp(const void *a, const void *b)
{
	const struct end_key *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

#endif
