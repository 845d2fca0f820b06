/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pattern.c - see pattern.h.
 * Room: verbs/meas/run.  Pure.
 */
#include <config.h>
#include "verbs/meas/run/pattern.h"

#define NUMBER_BYTES 8u

static uint64_t
bits_mix(uint64_t v)
{
	v ^= v >> 30;
	v *= UINT64_C(0xbf58476d1ce4e5b9);
	v ^= v >> 27;
	v *= UINT64_C(0x94d049bb133111eb);
	return v ^ v >> 31;
}

static uint8_t
byte_of(uint64_t word, size_t offset)
{
	return (uint8_t)(word >> 8 * (offset & 7));
}

/* Word 'i' (bytes 8i .. 8i + 7) of a message of 'n' bytes. */
static uint64_t
pattern_word(size_t n, size_t i, uint64_t stream, uint64_t number)
{
	if (i == 0 && n >= NUMBER_BYTES)
		return number;
	return bits_mix(stream + number * UINT64_C(0x9e3779b97f4a7c15) + i *
		UINT64_C(0xd1342543de82ef95));
}

uint64_t
meas_pattern_stream(uint64_t seed, uint32_t qp, uint32_t direction)
{
	return bits_mix(seed ^ bits_mix((uint64_t)qp << 32 | direction));
}

void
meas_pattern_fill(uint8_t *b, size_t n, uint64_t stream, uint64_t number)
{
	for (size_t i = 0; i * 8 < n; i++) {
		uint64_t w = pattern_word(n, i, stream, number);

		for (size_t k = 8 * i; k < n && k < 8 * i + 8; k++)
			b[k] = byte_of(w, k);
	}
}

size_t
meas_pattern_check(const uint8_t *b, size_t n, uint64_t stream, uint64_t number)
{
	for (size_t i = 0; i * 8 < n; i++) {
		uint64_t w = pattern_word(n, i, stream, number);

		for (size_t k = 8 * i; k < n && k < 8 * i + 8; k++)
			if (b[k] != byte_of(w, k))
				return k;
	}
	return n;
}

uint8_t
meas_pattern_byte(size_t n, size_t offset, uint64_t stream, uint64_t number)
{
	return byte_of(pattern_word(n, offset / 8, stream, number), offset);
}

uint64_t
meas_pattern_number(const uint8_t *b)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < NUMBER_BYTES; i++)
		v |= (uint64_t)b[i] << 8 * i;
	return v;
}
