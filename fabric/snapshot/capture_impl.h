/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture_impl.h - internal declarations shared by capture.c and capture_json.c.
 * Room: fabric/snapshot.
 *
 * A capture is an array of answers that is appended to and sorted by key before the first search.
 * capture.c adds, sorts and searches; capture_json.c stores answers whose modifiers increase in
 * equal steps as one run.  capture.h has the public functions.
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

/* Sorts the answers by key and keeps one of each key; does nothing if they are sorted. */
void capture_sort(struct capture *c);

#endif
