/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture_impl.h - internal declarations shared by capture.c and capture_json.c.
 * Room: fabric/snapshot.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_CAPTURE_IMPL_H
#define HEDDLE_FABRIC_SNAPSHOT_CAPTURE_IMPL_H

#include "fabric/snapshot/capture.h"

struct capture {
	struct arena arena;             /* the data */
	struct capture_answer *v;
	size_t n, room;
	bool sorted;
};

/* The position of an answer among those of its attribute; within a run it increases in equal
 * steps. */
static inline uint64_t
capture_place(const struct capture_key *k)
{
	return (uint64_t)k->modifier << 8 | k->select;
}

void capture_sort(struct capture *c);

#endif
