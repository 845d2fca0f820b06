/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_wire.c - integers, bit ranges and the cursor.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/wire/wire.h"

static const uint8_t sample[9] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x55 };

/* Bit by bit, to judge the fast ones by. */
static uint64_t
plain_get(const uint8_t *p, unsigned first, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = first; i < first + width; i++)
		v = v << 1 | ((unsigned)p[i / 8] >> (7 - i % 8) & 1u);
	return v;
}

static void
plain_put(uint8_t *p, unsigned first, unsigned width, uint64_t v)
{
	for (unsigned i = first + width; i-- > first; v >>= 1) {
		uint8_t bit = (uint8_t)(0x80u >> i % 8);

		p[i / 8] = (uint8_t)(v & 1 ? p[i / 8] | bit : p[i / 8] & ~bit);
	}
}

static void
integers(void **state)
{
	uint8_t w[8] = { 0 };

	(void)state;
	assert_int_equal(wire_get16(sample), 0x1234);
	assert_int_equal(wire_get32(sample + 1), 0x3456789a);
	assert_true(wire_get64(sample) == UINT64_C(0x123456789abcdef0));
	wire_put16(w, 0xfedc);
	assert_memory_equal(w, "\xfe\xdc\0", 3);
	wire_put32(w, 0xfedcba98);
	assert_memory_equal(w, "\xfe\xdc\xba\x98\0", 5);
	wire_put64(w, UINT64_C(0xf0debc9a78563412));
	assert_memory_equal(w, "\xf0\xde\xbc\x9a\x78\x56\x34\x12", 8);
}

static void
bits_literal(void **state)
{
	uint8_t w[2] = { 0xff, 0xff };

	(void)state;
	assert_true(wire_bits_get(sample, 0, 4) == 1);
	assert_true(wire_bits_get(sample, 4, 8) == 0x23);
	assert_true(wire_bits_get(sample, 7, 1) == 0);
	assert_true(wire_bits_get(sample, 4, 64) == UINT64_C(0x23456789abcdef05));
	wire_bits_put(w, 6, 5, 0x0a);   /* 111111 01010 11111 */
	assert_int_equal(w[0], 0xfd);
	assert_int_equal(w[1], 0x5f);
}

static void
bits_everywhere(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 64; width++)
		for (unsigned first = 0; first + width <= 72; first++) {
			uint64_t v = plain_get(sample, first, width);
			uint8_t fast[9], slow[9];

			assert_true(wire_bits_get(sample, first, width) == v);
			memset(fast, 0xa6, sizeof(fast));
			memset(slow, 0xa6, sizeof(slow));
			wire_bits_put(fast, first, width, ~v);  /* bits above the width must not leak */
			plain_put(slow, first, width, ~v);
			assert_memory_equal(fast, slow, sizeof(fast));
		}
}

static void
cursor_reads(void **state)
{
	struct wire_cursor c = wire_cursor(sample, sizeof(sample)), sub;

	(void)state;
	assert_int_equal(wire_u8(&c), 0x12);
	assert_int_equal(wire_u16(&c), 0x3456);
	assert_int_equal(wire_left(&c), 6);
	sub = wire_sub(&c, 4);
	assert_int_equal(wire_u32(&sub), 0x789abcde);
	assert_int_equal(wire_left(&sub), 0);
	assert_int_equal(wire_u16(&c), 0xf055);
	assert_false(c.failed || sub.failed);
}

static void
cursor_error_sticks(void **state)
{
	struct wire_cursor c = wire_cursor(sample, 7), sub;

	(void)state;
	assert_true(wire_u64(&c) == 0);         /* one byte short */
	assert_true(c.failed);
	assert_int_equal(wire_u8(&c), 0);       /* would fit, but the error stays */
	assert_null(wire_take(&c, 0));
	sub = wire_sub(&c, 1);
	assert_true(sub.failed);
	assert_int_equal(wire_u8(&sub), 0);

	c = wire_cursor(sample, 4);
	sub = wire_sub(&c, 5);
	assert_true(sub.failed && c.failed);
	c = wire_cursor(sample, 4);
	assert_null(wire_take(&c, SIZE_MAX));   /* no wrap */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(bits_literal),
		cmocka_unit_test(bits_everywhere),
		cmocka_unit_test(cursor_reads),
		cmocka_unit_test(cursor_error_sticks),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
