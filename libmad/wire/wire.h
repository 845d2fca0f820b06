/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wire.h - bytes <-> integers.  The only room that knows network order.
 * Room: libmad/wire.  Pure.  In: byte buffers.  Out: host integers, and back.
 * Fixed layouts use the accessors below (bounds are the caller's array type); anything of variable
 * length goes through the cursor, whose error is sticky: read all, check once.
 */
#ifndef HEDDLE_LIBMAD_WIRE_WIRE_H
#define HEDDLE_LIBMAD_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
wire_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
wire_get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
wire_get64(const uint8_t *p)
{
	return (uint64_t)wire_get32(p) << 32 | wire_get32(p + 4);
}

static inline void
wire_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void
wire_put32(uint8_t *p, uint32_t v)
{
	wire_put16(p, (uint16_t)(v >> 16));
	wire_put16(p + 2, (uint16_t)v);
}

static inline void
wire_put64(uint8_t *p, uint64_t v)
{
	wire_put32(p, (uint32_t)(v >> 32));
	wire_put32(p + 4, (uint32_t)v);
}

/* 'width' bits (1..64) that begin 'first' bits after the most significant bit of p[0]. */
static inline uint64_t
wire_bits_get(const uint8_t *p, unsigned first, unsigned width)
{
	unsigned byte = first / 8, last = (first + width - 1) / 8;
	unsigned drop = 7 - (first + width - 1) % 8;    /* bits of the last byte that are not ours */
	uint64_t v = 0;

	if (width == 64 && first % 8 == 0)
		return wire_get64(p + byte);
	for (unsigned i = byte; i < last; i++)
		v = v << 8 | p[i];
	v = v << (8 - drop) | p[last] >> drop;          /* bits before the first leave at the top, or below */
	return width == 64 ? v : v & (((uint64_t)1 << width) - 1);
}

/* Writes those bits and keeps all others. */
static inline void
wire_bits_put(uint8_t *p, unsigned first, unsigned width, uint64_t v)
{
	unsigned left = width, bit = first + width;     /* one past the last bit */

	while (left) {
		unsigned byte = (bit - 1) / 8, end = (bit - 1) % 8;     /* last bit's place in its byte */
		unsigned n = end + 1 < left ? end + 1 : left;           /* bits that go into it */
		unsigned shift = 7 - end;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);

		p[byte] = (uint8_t)((p[byte] & ~mask) | ((unsigned)(v << shift) & mask));
		v >>= n;
		left -= n;
		bit -= n;
	}
}

/* A reader that remembers its first error: after it, every read yields zeros. */
struct wire_cursor {
	const uint8_t *p, *end;
	bool failed;
};

static inline struct wire_cursor
wire_cursor(const uint8_t *p, size_t bytes)
{
	return (struct wire_cursor){ p, p + bytes, false };
}

static inline size_t
wire_left(const struct wire_cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next 'bytes' bytes, or NULL (and failed) if there are not so many. */
const uint8_t *wire_take(struct wire_cursor *c, size_t bytes);
uint8_t wire_u8(struct wire_cursor *c);
uint16_t wire_u16(struct wire_cursor *c);
uint32_t wire_u32(struct wire_cursor *c);
uint64_t wire_u64(struct wire_cursor *c);
/* A cursor over the next 'bytes' bytes, which 'c' skips; failed if there are not so many. */
struct wire_cursor wire_sub(struct wire_cursor *c, size_t bytes);

#endif
