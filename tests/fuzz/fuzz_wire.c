/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_wire.c - the cursor: each input byte is one reading operation on the input itself.
 */
#include <config.h>
#include "libmad/wire/wire.h"
#include "tests/fuzz/fuzz.h"

static void
one_read(struct wire_cursor *c, uint8_t op)
{
	size_t before = wire_left(c), n = op >> 3;
	bool had_failed = c->failed;
	struct wire_cursor sub;

	switch (op & 7) {
	case 0:
		wire_u8(c);
		break;
	case 1:
		wire_u16(c);
		break;
	case 2:
		wire_u32(c);
		break;
	case 3:
		wire_u64(c);
		break;
	case 4:
		sub = wire_sub(c, n);
		FUZZ_CHECK(sub.failed == c->failed && wire_left(&sub) == (c->failed ? 0 : n));
		while (!sub.failed)
			wire_u8(&sub);
		break;
	case 5:
		wire_take(c, SIZE_MAX - n);
		break;
	default:
		wire_take(c, n);
	}
	FUZZ_CHECK(wire_left(c) <= before);
	FUZZ_CHECK(!had_failed || (c->failed && wire_left(c) == before));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_cursor c = wire_cursor(data, size);

	for (size_t i = 0; i < size; i++)
		one_read(&c, data[i]);
	return 0;
}
