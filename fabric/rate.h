/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.h - rate codes and their order.
 * Room: fabric.  Pure.  docs/wire.md: path selectors and enumerations.
 *
 * Codes are not ordered by speed, so everything compares ranks: the place of a code in the list from slow to fast.
 */
#ifndef HEDDLE_FABRIC_RATE_H
#define HEDDLE_FABRIC_RATE_H

#include <stdint.h>

#define FAB_RATE_RANK_MAX 25            /* ranks 1..25, slow to fast */

/* Where a rate code stands among the rates; 0 for a reserved code. */
uint8_t fab_rate_rank(uint8_t code);
/* The code at a rank 1..FAB_RATE_RANK_MAX; 0 for 0, the fastest for what is above. */
uint8_t fab_rate_code(uint8_t rank);

#endif
