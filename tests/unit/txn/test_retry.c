/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_retry.c - the retry policy: what each kind of request gets.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/txn/retry.h"

static const struct retry_conf defaults = { .window = 64, .timeout_ms = 200, .retries = 3 };

/* The longest that a request takes when nobody answers it. */
static int64_t
worst_us(const struct txn_conf *t)
{
	int64_t all = 0, wait = t->timeout_first_us;

	for (unsigned i = 0; i < t->tries; i++) {
		all += wait;
		if (!t->steady)
			wait = wait * 2 < t->timeout_max_us ? wait * 2 : t->timeout_max_us;
	}
	return all;
}

static void
manager_as_configured(void **state)
{
	struct txn_conf t = retry_manager(&defaults, retry_base_tries(&defaults));

	(void)state;
	assert_int_equal(t.window_total, 64);
	assert_int_equal(t.tries, 4);
	assert_int_equal(t.timeout_first_us, 200000);
	assert_false(t.steady);
	assert_int_equal(t.window_late, 0);
}

/* A short configured time-out is the floor, a long one raises the longest. */
static void
manager_bounds_follow(void **state)
{
	struct retry_conf c = defaults;
	struct txn_conf t;

	(void)state;
	c.timeout_ms = 20;
	t = retry_manager(&c, 4);
	assert_int_equal(t.timeout_floor_us, 20000);
	c.timeout_ms = 2000;
	t = retry_manager(&c, 4);
	assert_int_equal(t.timeout_max_us, 4000000);
}

/* More tries for losses take no longer in all than those that are configured. */
static void
more_tries_take_no_longer(void **state)
{
	struct txn_conf few = retry_manager(&defaults, 4);
	unsigned tries = retry_tries_for_loss(&defaults, 100000, 0.1);
	struct txn_conf many = retry_manager(&defaults, tries);

	(void)state;
	assert_int_equal(tries, 28);
	assert_true(many.steady);
	assert_int_equal(many.timeout_first_us, 50000);
	assert_int_equal(many.window_late, 7 * 64);
	assert_true(worst_us(&many) <= worst_us(&few));
}

static void
losses_call_for_tries(void **state)
{
	(void)state;
	assert_int_equal(retry_tries_for_loss(&defaults, 1000, 0), 0);
	assert_int_equal(retry_tries_for_loss(&defaults, 10, 0.05), 0);         /* 10 * 0.05^4 < 0.001 */
	assert_int_equal(retry_tries_for_loss(&defaults, 100000, 0.8), 60);     /* no more than that */
}

static void
standby_asks(void **state)
{
	struct txn_req r = { .tries = 0 };

	(void)state;
	retry_as_poll(&r);
	assert_int_equal(r.tries, 1);
	assert_int_equal(r.timeout_us, 1000000);
	assert_true(r.urgent);
	r = (struct txn_req){ .tries = 0 };
	retry_as_silent_master(&r);
	assert_int_equal(r.tries * r.timeout_us, 300000);
	assert_false(r.urgent);
}

static void
tools(void **state)
{
	struct txn_conf one = retry_tool_conf(RETRY_TOOL_SINGLE, 0, 0, false);
	struct txn_conf sweep = retry_tool_conf(RETRY_TOOL_SWEEP, 0, 0, true);
	struct txn_conf sa = retry_tool_conf(RETRY_TOOL_SA, 8, 0, false);
	struct txn_conf fixed = retry_tool_conf(RETRY_TOOL_SA, 0, 70000, false);

	(void)state;
	assert_int_equal(one.tries, 3);
	assert_int_equal(one.timeout_first_us, 500000);
	assert_int_equal(one.breaker_ends, 0);          /* a tool asks whom it is told to ask */
	assert_int_equal(sweep.timeout_max_us, 400000);
	assert_int_equal(sweep.window_late, 7 * 64);
	assert_int_equal(sa.window_total, 8);
	assert_int_equal(sa.timeout_max_us, 4000000);
	assert_int_equal(fixed.timeout_first_us, 70000);
	assert_int_equal(fixed.timeout_floor_us, 70000);
	assert_int_equal(fixed.timeout_max_us, 70000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(manager_as_configured), cmocka_unit_test(manager_bounds_follow),
		cmocka_unit_test(more_tries_take_no_longer), cmocka_unit_test(losses_call_for_tries),
		cmocka_unit_test(standby_asks), cmocka_unit_test(tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
