/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.h - rate codes and their order.
 * Room: fabric/snapshot.  Pure.  docs/wire.md: path selectors and enumerations.
 *
 * Codes are not ordered by speed, so everything compares ranks: the place of a code in the list
 * from slow to fast.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_RATE_H
#define HEDDLE_FABRIC_SNAPSHOT_RATE_H

#include <stdint.h>

#define FAB_RATE_RANK_MAX 25            /* ranks 1..25, slow to fast */

#define FAB_RATE_CODE_MAX 26

/* What the two functions below look up. */
extern const uint8_t fab_rate_by_rank[FAB_RATE_RANK_MAX + 1],
	fab_rate_by_code[FAB_RATE_CODE_MAX + 1];

/* Where a rate code stands among the rates; 0 for a reserved code. */
static inline uint8_t
fab_rate_rank(uint8_t code)
{
	return code <= FAB_RATE_CODE_MAX ? fab_rate_by_code[code] : 0;
}

/* The code at a rank 1..FAB_RATE_RANK_MAX; 0 for 0, the fastest for what is above. */
static inline uint8_t
fab_rate_code(uint8_t rank)
{
	return fab_rate_by_rank[rank <= FAB_RATE_RANK_MAX ? rank : FAB_RATE_RANK_MAX];
}

#endif
