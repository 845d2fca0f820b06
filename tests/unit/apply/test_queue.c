/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_queue.c - what may be sent when, in a phase with an order.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/snapshot.h"
#include "sm/apply/queue.h"

static struct order_write w[8];
static uint32_t preds[16], npreds;
static struct order o;
static struct apply_queue *q;
static struct monotime now;

static int
setup(void **state)
{
	(void)state;
	memset(w, 0, sizeof(w));
	npreds = 0;
	o = (struct order){ .writes = w, .preds = preds };
	now = (struct monotime){ 5 };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	apply_queue_free(q);
	q = NULL;
	return 0;
}

/* A write that waits for 'a' and 'b', encoded as ORDER_PRED(); -1: nobody. */
static struct order_write *
add(int64_t a, int64_t b)
{
	struct order_write *x = &w[o.nwrites++];

	x->pred_first = npreds;
	if (a >= 0)
		preds[npreds++] = (uint32_t)a;
	if (b >= 0)
		preds[npreds++] = (uint32_t)b;
	x->npreds = npreds - x->pred_first;
	return x;
}

static void
sends(uint32_t i)
{
	assert_int_equal(apply_queue_next(q, now), i);
}

static void
confirmed(uint32_t i)
{
	apply_queue_confirmed(q, i, now);
}

static void
predecessors(void **state)
{
	(void)state;
	add(-1, -1);
	add(-1, -1);
	add(ORDER_PRED(0, false), ORDER_PRED(1, false));
	add(ORDER_PRED(1, false), -1);
	q = apply_queue_new(&o);
	sends(0);
	sends(1);
	sends(FAB_NONE);
	confirmed(1);
	sends(3);
	sends(FAB_NONE);
	assert_true(apply_queue_is_held(q, 2));
	confirmed(0);
	assert_false(apply_queue_is_held(q, 2));
	sends(2);
	assert_true(apply_queue_is_empty(q));
}

/* The time counts from the confirmation after which it is due, not from the last one. */
static void
drain_time(void **state)
{
	struct monotime at;

	(void)state;
	add(-1, -1);
	add(-1, -1);
	add(ORDER_PRED(0, true), ORDER_PRED(1, false));
	q = apply_queue_new(&o);
	sends(0);
	sends(1);
	confirmed(0);
	now.us += 12000;
	confirmed(1);
	sends(FAB_NONE);
	assert_false(apply_queue_is_empty(q));
	assert_true(apply_queue_deadline(q, &at));
	assert_int_equal(at.us, 20005);
	now = at;
	sends(2);
	assert_false(apply_queue_deadline(q, &at));
}

static void
drained_meanwhile(void **state)
{
	(void)state;
	add(-1, -1);
	add(-1, -1);
	add(ORDER_PRED(0, true), ORDER_PRED(1, false));
	q = apply_queue_new(&o);
	sends(0);
	sends(1);
	confirmed(0);
	now.us += 30000;
	confirmed(1);
	sends(2);
}

/* The last ones wait for others that are under way, not for those that are held back or drain. */
static void
last_ones(void **state)
{
	(void)state;
	add(-1, -1);
	add(-1, -1);
	add(ORDER_PRED(0, true), -1);
	add(ORDER_PRED(4, false), -1);
	add(-1, -1)->last = true;
	add(-1, -1)->last = true;
	q = apply_queue_new(&o);
	sends(0);
	sends(1);
	sends(FAB_NONE);
	confirmed(0);
	sends(FAB_NONE);
	apply_queue_ended(q, 1);
	sends(4);
	now.us += 20000;
	sends(2);
	sends(FAB_NONE);
	confirmed(4);
	sends(3);
	apply_queue_ended(q, 3);
	sends(FAB_NONE);
	confirmed(2);
	sends(5);
}

static void
late_ones(void **state)
{
	(void)state;
	add(-1, -1);
	add(-1, -1);
	add(ORDER_PRED(1, false), -1);
	add(ORDER_PRED(0, false), -1)->late = true;
	q = apply_queue_new(&o);
	sends(0);
	sends(1);
	confirmed(0);
	confirmed(1);
	sends(2);
	now.us += 100000;
	sends(FAB_NONE);
	confirmed(2);
	sends(FAB_NONE);
	now.us += 20000;
	sends(3);
}

/* Without confirmation nothing that waits is sent, however often it is tried. */
static void
tried_again(void **state)
{
	(void)state;
	add(-1, -1);
	add(ORDER_PRED(0, false), -1);
	q = apply_queue_new(&o);
	sends(0);
	apply_queue_ended(q, 0);
	sends(FAB_NONE);
	assert_true(apply_queue_is_empty(q));
	apply_queue_again(q, 0);
	sends(0);
	apply_queue_ended(q, 0);
	assert_true(apply_queue_is_held(q, 1));
	apply_queue_again(q, 0);
	sends(0);
	confirmed(0);
	sends(1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(predecessors, setup, teardown),
		cmocka_unit_test_setup_teardown(drain_time, setup, teardown),
		cmocka_unit_test_setup_teardown(drained_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(last_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(late_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(tried_again, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
