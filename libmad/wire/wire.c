/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wire.c - the cursor: bounds-checked reading with a sticky error.
 * Room: libmad/wire.  Pure.
 */
#include <config.h>
#include "libmad/wire/wire.h"

const uint8_t *
wire_take(struct wire_cursor *c, size_t bytes)
{
	const uint8_t *p = c->p;

	if (c->failed || wire_left(c) < bytes) {
		c->failed = true;
		return NULL;
	}
	c->p += bytes;
	return p;
}

uint8_t
wire_u8(struct wire_cursor *c)
{
	const uint8_t *p = wire_take(c, 1);

	return p ? p[0] : 0;
}

uint16_t
wire_u16(struct wire_cursor *c)
{
	const uint8_t *p = wire_take(c, 2);

	return p ? wire_get16(p) : 0;
}

uint32_t
wire_u32(struct wire_cursor *c)
{
	const uint8_t *p = wire_take(c, 4);

	return p ? wire_get32(p) : 0;
}

uint64_t
wire_u64(struct wire_cursor *c)
{
	const uint8_t *p = wire_take(c, 8);

	return p ? wire_get64(p) : 0;
}

struct wire_cursor
wire_sub(struct wire_cursor *c, size_t bytes)
{
	const uint8_t *p = wire_take(c, bytes);

	if (!p)
		return (struct wire_cursor){ c->end, c->end, true };
	return wire_cursor(p, bytes);
}
