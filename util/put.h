/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * put.h - writes text and numbers into a buffer, faster than printf.
 * Room: util.  Pure, header only.
 *
 * For output of millions of lines.  Each function writes at 'to' and returns the position after the
 * last character; none writes a NUL.  The caller provides enough room: PUT_DEC_BYTES for a decimal
 * number, and always PUT_HEX_BYTES for a hexadecimal one, however few digits it has.
 */
#ifndef HEDDLE_UTIL_PUT_H
#define HEDDLE_UTIL_PUT_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PUT_DEC_BYTES 20        /* longest decimal number */
#define PUT_HEX_BYTES 16

static inline char *
put_bytes(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

static inline char *
put_string(char *to, const char *text)
{
	return put_bytes(to, text, strlen(text));
}

static inline char *
put_fill(char *to, char c, size_t n)
{
	memset(to, c, n);
	return to + n;
}

/* The eight hexadecimal digits of 'v' as characters, one per byte, the first digit in the lowest
 * byte.  'gap' is the distance from '9' + 1 to the first letter. */
static inline uint64_t
put_digits(uint32_t v, uint64_t gap)
{
	uint64_t x = v;

	x = (x << 32 | x >> 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x << 16 | x >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 8 | x >> 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return x + UINT64_C(0x3030303030303030) +
		((x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101)) * gap;
}

/* Writes the last 'n' digits of 'v', 'n' at most 16.  The buffer needs room for 16. */
static inline char *
put_hex_of(char *to, uint64_t v, unsigned n, bool capitals)
{
	uint64_t gap = capitals ? 'A' - '9' - 1 : 'a' - '9' - 1, half[2];

	v = n ? v << (64 - 4 * n) : 0;
	half[0] = htole64(put_digits((uint32_t)(v >> 32), gap));
	half[1] = htole64(put_digits((uint32_t)v, gap));
	memcpy(to, half, sizeof(half));
	return to + n;
}

static inline char *
put_hex(char *to, uint64_t v, unsigned n)
{
	return put_hex_of(to, v, n, false);
}

/* Number of hexadecimal digits of a number; 1 for 0. */
static inline unsigned
put_hex_digits(uint64_t v)
{
	return v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
}

static inline char *
put_dec(char *to, uint64_t v)
{
	char text[PUT_DEC_BYTES];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return put_bytes(to, text + at, sizeof(text) - at);
}

#endif
