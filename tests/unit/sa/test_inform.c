/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_inform.c - InformInfo by Set and InformInfoRecord by Get and GetTable, byte by byte.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 0x01, SET = 0x02, GET_TABLE = 0x12, INFORM = 0x03, INFORM_RECORD = 0xf3 };

static int
sa_inform_setup(void **state)
{
	struct small *b;

	small_setup(state);
	b = *state;
	b->w.inform = inform_new();
	small_index(b);
	return 0;
}

static int
sa_inform_teardown(void **state)
{
	struct small *b = *state;

	inform_free(b->w.inform);
	return small_teardown(state);
}

/* Every notice with that trap number, as srp_daemon asks for it. */
static void
ask(struct small *b, uint16_t from, uint16_t trap, uint8_t subscribe)
{
	small_ask(b, from, SET, INFORM);
	b->req.mad[48 + 7] = 0;
	small_where(b, 63, 16, 2, 0xffff);
	small_where(b, 63, 22, 1, 1);
	small_where(b, 63, 23, 1, subscribe);
	small_where(b, 63, 24, 2, 0xffff);
	small_where(b, 63, 26, 2, trap);
	small_where(b, 63, 28, 4, 0x00012313);
	small_where(b, 63, 33, 3, 0x000004);
	b->req.mad[48] = 0;                             /* InformInfo has no components */
	b->req.addr.qpn = 0x123;
}

static void
subscribing(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, 64, 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x81);
	assert_int_equal(small_got(b, 16, 2), 0xffff);
	assert_int_equal(small_got(b, 22, 4), 0x0101ffff);
	assert_int_equal(small_got(b, 26, 2), 64);
	assert_int_equal(small_got(b, 28, 4), 0x00012313);
	assert_int_equal(small_got(b, 33, 3), 4);
	ask(b, LID_ONE, 65, 0);
	assert_int_equal(small_send(b), 0x0200);
	assert_int_equal(b->out[56 + 23], 0);
	ask(b, LID_ONE, 64, 2);
	assert_int_equal(small_send(b), 0x0200);
	ask(b, 999, 64, 1);                             /* nobody we know */
	assert_int_equal(small_send(b), 0x0700);
	small_ask(b, LID_ONE, GET, INFORM);
	assert_int_equal(small_send(b), 0x000c);
	ask(b, LID_ONE, 64, 0);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(inform_count(b->w.inform), 0);
}

static void
records(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, 64, 1);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_ONE, 65, 1);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_TWO, 64, 1);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_TWO, GET_TABLE, INFORM_RECORD);
	assert_int_equal(small_rows(b), 3);
	assert_int_equal(small_at(b, 0, 0, 8), UINT64_C(0xfe80000000000000));
	assert_int_equal(small_at(b, 0, 8, 8), 0x101);
	assert_int_equal(small_at(b, 1, 16, 2), 1);
	assert_int_equal(small_at(b, 1, 24 + 26, 2), 65);
	assert_int_equal(small_at(b, 1, 24 + 28, 3), 0);                /* the QPN */
	for (unsigned i = 0; i < 8; i++)
		b->req.mad[36 + i] = (uint8_t)(SMALL_KEY >> (56 - 8 * i));
	assert_int_equal(small_rows(b), 3);
	assert_int_equal(small_at(b, 1, 24 + 28, 3), 0x123);
	small_ask(b, LID_TWO, GET, INFORM_RECORD);
	small_where(b, 10, 24 + 26, 2, 65);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 8, 8), 0x101);
	small_where(b, 10, 24 + 26, 2, 66);
	assert_int_equal(small_send(b), 0x0300);
	small_pkeys(b, b->one, 0x8001, 0x8002);         /* in another partition now */
	small_ask(b, LID_TWO, GET_TABLE, INFORM_RECORD);
	assert_int_equal(small_rows(b), 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sa_inform_setup, sa_inform_teardown)
	const struct CMUnitTest tests[] = { T(subscribing), T(records) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
