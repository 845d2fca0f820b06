/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.c - rate codes and their order.
 * Room: fabric.  Pure.  docs/wire.md: path selectors and enumerations.
 */
#include <config.h>
#include "fabric/rate.h"

/* In the order of what is left for data: 30 Gb/s in ten bits for eight is less than 25 in 66 for 64. */
static const uint8_t by_rank[FAB_RATE_RANK_MAX + 1] = {
	0, 2, 5, 3, 11, 6, 4, 15, 19, 7, 8, 20, 12, 9, 10, 16, 13, 14, 17, 18, 21, 22, 23, 24, 25, 26,
};

uint8_t
fab_rate_rank(uint8_t code)
{
	for (uint8_t r = 1; code && r <= FAB_RATE_RANK_MAX; r++)
		if (by_rank[r] == code)
			return r;
	return 0;
}

uint8_t
fab_rate_code(uint8_t rank)
{
	return by_rank[rank <= FAB_RATE_RANK_MAX ? rank : FAB_RATE_RANK_MAX];
}
