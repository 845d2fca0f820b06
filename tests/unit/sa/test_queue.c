/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_queue.c - requests that wait: in turn among sources, in order within one, bounded, the costly ones later.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/sa/queue.h"

static struct sa_queue *q;

static int
sa_queue_setup(void **state)
{
	(void)state;
	q = sa_queue_new();
	return 0;
}

static int
sa_queue_teardown(void **state)
{
	(void)state;
	sa_queue_free(q);
	return 0;
}

static bool
request_put(uint16_t lid, uint32_t number)
{
	struct dgram d = { .addr = { .lid = lid }, .bytes = DGRAM_BYTES };

	wire_put32(d.mad, number);
	return sa_queue_put(q, &d);
}

/* The LID whose turn it is; its number into '*n'.  0: nobody. */
static uint16_t
turn_take(uint32_t *n)
{
	const struct dgram *d = sa_queue_take(q);

	if (!d)
		return 0;
	*n = wire_get32(d->mad);
	return d->addr.lid;
}

static void
in_turn(void **state)
{
	uint32_t n;

	(void)state;
	assert_int_equal(turn_take(&n), 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(request_put(7, i));
	assert_true(request_put(8, 5000) && request_put(9, 6000) && request_put(9, 6001));
	assert_int_equal(sa_queue_count(q), 1003);
	assert_int_equal(turn_take(&n), 7);
	assert_int_equal(turn_take(&n), 8);
	assert_int_equal(n, 5000);
	assert_int_equal(turn_take(&n), 9);
	assert_int_equal(n, 6000);
	assert_true(request_put(8, 5001));              /* stands behind who waits already */
	assert_int_equal(turn_take(&n), 7);
	assert_int_equal(n, 1);
	assert_int_equal(turn_take(&n), 9);
	assert_int_equal(n, 6001);
	assert_int_equal(turn_take(&n), 8);
	for (uint32_t i = 2; i < 1000; i++) {
		assert_int_equal(turn_take(&n), 7);
		assert_int_equal(n, i);         /* in the order in which they came */
	}
	assert_int_equal(turn_take(&n), 0);
	assert_int_equal(sa_queue_count(q), 0);
}

static void
bounded(void **state)
{
	uint32_t n, all = 0, taken = 0;

	(void)state;
	for (uint32_t i = 0; i < SA_QUEUE_SOURCE_MAX; i++)
		assert_true(request_put(1, i));
	assert_false(request_put(1, 0));
	assert_true(request_put(2, 0));                 /* another one's line is another line */
	assert_int_equal(turn_take(&n), 1);
	assert_true(request_put(1, 0));
	assert_false(request_put(1, 0));
	for (uint16_t lid = 2; lid < 2000; lid++)       /* many who send without end */
		for (uint32_t i = 0; i < 5000 && request_put(lid, i); i++)
			all++;
	assert_in_range(sa_queue_count(q), SA_QUEUE_MAX / 2, SA_QUEUE_MAX);
	assert_true(all > 0);
	assert_true(request_put(40000, 1) || sa_queue_count(q) == SA_QUEUE_MAX);
	while (turn_take(&n))
		taken++;
	assert_int_equal(sa_queue_count(q), 0);
	assert_in_range(taken, SA_QUEUE_MAX / 2, SA_QUEUE_MAX + 2);
	assert_true(request_put(3, 1));
	assert_int_equal(turn_take(&n), 3);
}

/* While ten hosts fill all there is, one who comes new has a place. */
static void
a_place_for_newcomers(void **state)
{
	(void)state;
	for (uint16_t lid = 1; lid <= 10; lid++)
		for (uint32_t i = 0; i < 10000; i++)
			request_put(lid, i);
	for (uint16_t lid = 100; lid < 5000; lid++)
		assert_true(request_put(lid, 1));
}

/* Who asks for tables is served less often, while somebody else waits. */
static void
costs(void **state)
{
	unsigned served[2] = { 0 };
	uint32_t n;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(request_put(1, i) && request_put(2, i));
	for (unsigned i = 0; i < 990; i++) {
		uint16_t lid = turn_take(&n);

		assert_in_range(lid, 1, 2);
		served[lid == 2]++;
		sa_queue_charge(q, lid, lid == 1 ? 1 : 1 + 32 * 9);     /* pays nine turns, is served in the tenth */
	}
	assert_in_range(served[0], 898, 902);
	assert_in_range(served[1], 88, 92);
	while (served[0] < 1000)
		if (turn_take(&n) == 1)
			served[0]++;
	for (unsigned i = 0; i < 500; i++) {    /* alone, nobody has to wait */
		if (!sa_queue_count(q))
			break;
		assert_int_equal(turn_take(&n), 2);
		sa_queue_charge(q, 2, 1 << 20);
	}
}

static void
odd_lids(void **state)
{
	uint32_t n;

	(void)state;
	assert_true(request_put(0xffff, 1) && request_put(0xc000, 2) && request_put(0xbfff, 3));
	assert_int_equal(turn_take(&n), 0xffff);     /* nobody's LIDs are one line */
	assert_int_equal(turn_take(&n), 0xbfff);
	assert_int_equal(turn_take(&n), 0xc000);
}

static bool
put_long(uint16_t lid, uint32_t bytes)
{
	struct dgram d = { .addr = { .lid = lid }, .bytes = bytes, .more = malloc(bytes) };
	bool put;

	assert_non_null(d.more);
	put = sa_queue_put(q, &d);
	if (!put)
		free(d.more);
	return put;
}

/* By bytes, too: of one source to the last byte, of all together; those beside are served. */
static void
bounded_in_bytes(void **state)
{
	const struct dgram *d;
	uint32_t n, dropped = 0;

	(void)state;
	assert_true(put_long(1, SA_QUEUE_SOURCE_BYTES - 1000));
	assert_false(put_long(1, 1001));
	assert_true(put_long(1, 1000));
	assert_false(put_long(1, 257));
	assert_true(request_put(1, 7));                 /* a short one needs no bytes */
	assert_true(put_long(2, 65536));
	assert_int_equal(sa_queue_bytes(q), SA_QUEUE_SOURCE_BYTES + 65536);
	for (uint16_t lid = 3; lid < 1000; lid++)       /* abusers without number, with the longest requests there are */
		for (uint32_t i = 0; i < SA_QUEUE_SOURCE_BYTES / 65536 + 1; i++)
			dropped += !put_long(lid, 65536);
	assert_in_range(sa_queue_bytes(q), SA_QUEUE_BYTES / 2, SA_QUEUE_BYTES);
	assert_true(dropped > 30000);
	assert_true(request_put(2000, 8));              /* a host with a request as all have it */
	while ((d = sa_queue_take(q)) != NULL)
		free(d->more);
	assert_int_equal(sa_queue_bytes(q), 0);
	assert_true(put_long(1, SA_QUEUE_SOURCE_BYTES));
	d = sa_queue_take(q);
	assert_int_equal(d->addr.lid, 1);
	free(d->more);
	assert_int_equal(turn_take(&n), 0);
}

/* While eight hosts fill all there is, one who comes new has a place for a long one. */
static void
a_place_for_a_long_newcomer(void **state)
{
	const struct dgram *d;

	(void)state;
	for (uint16_t lid = 1; lid <= 8; lid++)
		while (put_long(lid, 65536))
			;
	assert_true(put_long(100, 8240));
	while ((d = sa_queue_take(q)) != NULL)
		free(d->more);
}

/* What hangs in a request goes with it. */
static void
long_requests(void **state)
{
	struct dgram d = { .addr = { .lid = 5 }, .bytes = 1000, .more = calloc(1, 1000) };
	const struct dgram *e;

	(void)state;
	assert_true(sa_queue_put(q, &d));
	d.more = calloc(1, 1000);
	assert_true(sa_queue_put(q, &d));
	e = sa_queue_take(q);
	assert_non_null(e);
	assert_non_null(e->more);
	free(e->more);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, sa_queue_setup, sa_queue_teardown)
		T(in_turn), T(bounded), T(a_place_for_newcomers), T(costs), T(odd_lids), T(long_requests),
		T(bounded_in_bytes), T(a_place_for_a_long_newcomer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
