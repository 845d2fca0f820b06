/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.c - rate codes and their order.
 * Room: fabric/snapshot.  Pure.  docs/wire.md: path selectors and enumerations.
 */
#include <config.h>
#include "fabric/snapshot/rate.h"

/* In order of the data rate after encoding: 30 Gb/s with 8b/10b is less than 25 Gb/s with
 * 64b/66b. */
const uint8_t fab_rate_by_rank[FAB_RATE_RANK_MAX + 1] = {
	0, 2, 5, 3, 11, 6, 4, 15, 19, 7, 8, 20, 12, 9, 10, 16, 13, 14, 17, 18, 21, 22, 23, 24, 25,
	26,
};

/* The same the other way round. */
const uint8_t fab_rate_by_code[FAB_RATE_CODE_MAX + 1] = {
	[2] = 1, [5] = 2, [3] = 3, [11] = 4, [6] = 5, [4] = 6, [15] = 7, [19] = 8, [7] = 9,
	[8] = 10, [20] = 11, [12] = 12, [9] = 13,
	[10] = 14, [16] = 15, [13] = 16, [14] = 17, [17] = 18, [18] = 19, [21] = 20, [22] = 21,
	[23] = 22, [24] = 23, [25] = 24,
	[26] = 25,
};
