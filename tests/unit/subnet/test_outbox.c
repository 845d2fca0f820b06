/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_outbox.c - order across growth and wrapping, the limit, and who frees long answers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/subnet/outbox.h"
#include "util/xalloc.h"

static void
put_number(struct outbox *o, uint32_t number)
{
	struct dgram to = { .addr = { .lid = (uint16_t)number, .qpn = 1 }, .status = 7 };
	uint8_t mad[DGRAM_BYTES] = { 0 };

	wire_put32(mad + 100, number);
	outbox_put(o, &to, mad, NULL, DGRAM_BYTES);
}

static void
assert_next(struct outbox *o, uint32_t number)
{
	struct dgram d;

	assert_true(outbox_next(o, &d));
	assert_int_equal(wire_get32(d.mad + 100), number);
	assert_int_equal(d.addr.lid, (uint16_t)number);
	assert_int_equal(d.addr.qpn, 1);
	assert_int_equal(d.status, 0);
	assert_int_equal(d.bytes, DGRAM_BYTES);
	outbox_settle(o);
}

/* The ring grows while its oldest answer is in the middle: 40 leave before it is full. */
static void
order_survives_growth(void **state)
{
	struct outbox o = { 0 };
	uint32_t put = 0, taken = 0;
	struct dgram none;

	(void)state;
	while (put < 50)
		put_number(&o, put++);
	while (taken < 40)
		assert_next(&o, taken++);
	while (put < 500)
		put_number(&o, put++);
	while (taken < put)
		assert_next(&o, taken++);
	assert_false(outbox_next(&o, &none));
	assert_int_equal(o.sent, 500);
	assert_int_equal(o.dropped, 0);
	outbox_free(&o);
}

static void
a_full_outbox_drops_and_counts(void **state)
{
	struct outbox o = { 0 };
	struct dgram to = { .addr = { .lid = 1 } };
	uint8_t mad[DGRAM_BYTES] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < OUTBOX_MAX; i++)
		put_number(&o, i);
	outbox_put(&o, &to, mad, xcalloc(1, 1024), 1024);       /* freed by the outbox */
	assert_int_equal(o.n, OUTBOX_MAX);
	assert_int_equal(o.dropped, 1);
	assert_next(&o, 0);
	put_number(&o, OUTBOX_MAX);
	assert_int_equal(o.dropped, 1);
	outbox_free(&o);
}

/* A long answer belongs to the outbox until it is settled. */
static void
long_answers_are_kept_until_settled(void **state)
{
	struct outbox o = { 0 };
	struct dgram to = { .addr = { .lid = 1 } }, d;
	uint8_t mad[DGRAM_BYTES] = { 0 }, *more = xcalloc(1, 1024);

	(void)state;
	outbox_put(&o, &to, mad, more, 1024);
	assert_true(outbox_next(&o, &d));
	assert_ptr_equal(d.more, more);
	assert_int_equal(d.bytes, 1024);
	assert_ptr_equal(o.sent_more, more);
	outbox_settle(&o);
	assert_null(o.sent_more);
	outbox_sending(&o, xcalloc(1, 8));
	assert_int_equal(o.sent, 2);
	outbox_free(&o);
	assert_null(o.sent_more);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_survives_growth),
		cmocka_unit_test(a_full_outbox_drops_and_counts),
		cmocka_unit_test(long_answers_are_kept_until_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
