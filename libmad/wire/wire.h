/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wire.h - converts bytes in network order to host integers and back.
 * Room: libmad/wire.  Pure.  In: byte buffers.  Out: host integers, and back.
 *
 * This is the only room that handles byte order.  Code for fixed layouts uses the accessors below,
 * which do not check bounds.  Code for data of variable length uses the cursor, which checks bounds
 * and keeps its first error: read everything, then check once.
 */
#ifndef HEDDLE_LIBMAD_WIRE_WIRE_H
#define HEDDLE_LIBMAD_WIRE_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* memcpy() instead of shifts: compilers turn it into one load or store at any alignment. */
static inline uint16_t
wire_get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t
wire_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t
wire_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void
wire_put16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
wire_put32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
wire_put64(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

/* To or from network order, for structures of other interfaces that hold such integers. */
static inline uint16_t wire_order16(uint16_t v) { return htobe16(v); }
static inline uint32_t wire_order32(uint32_t v) { return htobe32(v); }
static inline uint64_t wire_order64(uint64_t v) { return htobe64(v); }

/*
 * The position of a field is a constant at compile time, so each use becomes one or a few loads or
 * stores.
 */
#define WIRE_INLINE static inline __attribute__((always_inline))

/* Reads 'width' bits (1..64) that begin 'first' bits after the most significant bit of p[0]. */
WIRE_INLINE uint64_t
wire_bits_get(const uint8_t *p, unsigned first, unsigned width)
{
	unsigned byte = first / 8, last = (first + width - 1) / 8;
	/* bits of the last byte after the field */
	unsigned drop = 7 - (first + width - 1) % 8;
	uint64_t v = 0;

	if (byte == last)
		return p[byte] >> drop & ((1u << width) - 1);
	if (first % 8 == 0 && width == 16)
		return wire_get16(p + byte);
	if (first % 8 == 0 && width == 32)
		return wire_get32(p + byte);
	if (first % 8 == 0 && width == 64)
		return wire_get64(p + byte);
	if (last == byte + 1)
		return (unsigned)wire_get16(p + byte) >> drop & ((1u << width) - 1);
	if (last == byte + 2)
		return ((uint32_t)wire_get16(p + byte) << 8 | p[last]) >> drop &
			((1u << width) - 1);
	for (unsigned i = byte; i < last; i++)
		v = v << 8 | p[i];
	/* bits before the field are shifted out or masked below */
	v = v << (8 - drop) | p[last] >> drop;
	return width == 64 ? v : v & (((uint64_t)1 << width) - 1);
}

/* Writes those bits and leaves all others unchanged. */
WIRE_INLINE void
wire_bits_put(uint8_t *p, unsigned first, unsigned width, uint64_t v)
{
	unsigned left = width, bit = first + width;     /* one past the last bit */

	if (first / 8 == (bit - 1) / 8) {
		uint8_t mask = (uint8_t)(((1u << width) - 1) << (7 - (bit - 1) % 8));

		p += first / 8;
		*p = (uint8_t)((*p & ~mask) | ((unsigned)(v << (7 - (bit - 1) % 8)) & mask));
		return;
	}
	if (first % 8 == 0 && width == 16) {
		wire_put16(p + first / 8, (uint16_t)v);
		return;
	}
	if (first % 8 == 0 && width == 32) {
		wire_put32(p + first / 8, (uint32_t)v);
		return;
	}
	if (first % 8 == 0 && width == 64) {
		wire_put64(p + first / 8, v);
		return;
	}
	/* as loads and stores of two and of one */
	if ((bit - 1) / 8 == first / 8 + 1 || (bit - 1) / 8 == first / 8 + 2) {
		unsigned last = (bit - 1) / 8, drop = 7 - (bit - 1) % 8,
			 wide = last - first / 8 == 2;
		uint32_t mask = ((1u << width) - 1) << drop, old;

		p += first / 8;
		old = wide ? (uint32_t)wire_get16(p) << 8 | p[2] : wire_get16(p);
		old = (old & ~mask) | ((uint32_t)(v << drop) & mask);
		wire_put16(p, (uint16_t)(wide ? old >> 8 : old));
		if (wide)
			p[2] = (uint8_t)old;
		return;
	}
	while (left) {
		/* last bit's place in its byte */
		unsigned byte = (bit - 1) / 8, end = (bit - 1) % 8;
		unsigned n = end + 1 < left ? end + 1 : left;           /* bits that go into it */
		unsigned shift = 7 - end;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);

		p[byte] = (uint8_t)((p[byte] & ~mask) | ((unsigned)(v << shift) & mask));
		v >>= n;
		left -= n;
		bit -= n;
	}
}

/* A reader with a sticky error: after the first error, every read yields zeros. */
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

/* The next 'bytes' bytes; NULL, and failed, if there are fewer. */
const uint8_t *wire_take(struct wire_cursor *c, size_t bytes);
uint8_t wire_u8(struct wire_cursor *c);
uint16_t wire_u16(struct wire_cursor *c);
uint32_t wire_u32(struct wire_cursor *c);
uint64_t wire_u64(struct wire_cursor *c);
/* A cursor over the next 'bytes' bytes, which 'c' skips; failed if there are fewer. */
struct wire_cursor wire_sub(struct wire_cursor *c, size_t bytes);

#endif
