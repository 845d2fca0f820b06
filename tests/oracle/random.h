/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * random.h - random bytes with a seed that is printed: HEDDLE_SEED repeats a run.
 */
#ifndef HEDDLE_TESTS_ORACLE_RANDOM_H
#define HEDDLE_TESTS_ORACLE_RANDOM_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* splitmix64 */
static inline uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline void
random_bytes(uint64_t *state, uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)(random_next(state) >> 32);
}

static inline uint64_t
random_seed(void)
{
	const char *s = getenv("HEDDLE_SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL);

	printf("# HEDDLE_SEED=%" PRIu64 "\n", seed);
	return seed;
}

#endif
