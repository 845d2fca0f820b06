/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.h - rate codes and their order.
 * Room: fabric/snapshot.  Pure.  docs/wire.md: path selectors and enumerations.
 *
 * Codes are not ordered by speed, so code that compares rates compares ranks: the position of a
 * code in the list from slow to fast.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_RATE_H
#define HEDDLE_FABRIC_SNAPSHOT_RATE_H

#include <stdint.h>

#define FAB_RATE_RANK_MAX 25            /* ranks 1..25, slow to fast */

#define FAB_RATE_CODE_MAX 26

/* Tables of the two functions below. */
extern const uint8_t fab_rate_by_rank[FAB_RATE_RANK_MAX + 1],
	fab_rate_by_code[FAB_RATE_CODE_MAX + 1];

/* The rank of a rate code; 0 for a reserved code. */
static inline uint8_t
fab_rate_rank(uint8_t code)
{
	return code <= FAB_RATE_CODE_MAX ? fab_rate_by_code[code] : 0;
}

/* The code of a rank 1..FAB_RATE_RANK_MAX; 0 for rank 0, the fastest for higher ranks. */
static inline uint8_t
fab_rate_code(uint8_t rank)
{
	return fab_rate_by_rank[rank <= FAB_RATE_RANK_MAX ? rank : FAB_RATE_RANK_MAX];
}

#endif
