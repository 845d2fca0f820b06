/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_loss.c - how many tries a request gets for how much loss.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sweep/loss.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct loss l;

static int
sweep_loss_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&l, 0, sizeof(l));
	return 0;
}

static int
sweep_loss_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* 'n' requests were answered, each after so many tries. */
static void
count_answers(unsigned n, uint8_t tries)
{
	struct txn_end e = { .kind = TXN_END_OK, .tries = tries };

	while (n--)
		loss_count_end(&l, &e);
}

static void
only_answers_count(void **state)
{
	struct txn_end e = { .kind = TXN_END_TIMED_OUT, .tries = 4 };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		loss_count_end(&l, &e);                 /* an unresponsive node loses nothing */
	assert_int_equal(l.answered, 0);
	assert_false(loss_is_measured(&l));
	e.kind = TXN_END_STATUS;
	loss_count_end(&l, &e);
	assert_int_equal(l.answered, 1);
	assert_int_equal(l.tries_answered, 4);
}

/* With 10 % in vain requests get more tries, closer together, and as many seconds as before. */
static void
losses_bring_more_tries(void **state)
{
	struct txn_conf calm = loss_txn_conf(&l, b.conf), lossy;
	unsigned base = b.conf->transaction_retries + 1;

	(void)state;
	assert_int_equal(calm.tries, base);
	assert_false(calm.steady);
	assert_int_equal(calm.window_late, 0);
	count_answers(900, 1);
	count_answers(100, 2);
	loss_adapt(&l, &b.net, false);
	lossy = loss_txn_conf(&l, b.conf);
	assert_int_equal(lossy.tries, 4 * (1 + 2 * (base - 1)));
	assert_true(lossy.steady);
	assert_int_equal(lossy.timeout_first_us, calm.timeout_first_us / 4);
	assert_int_equal(lossy.window_late, 7 * lossy.window_total);
	assert_non_null(strstr(b.said, "1000 requests needed 1100 tries"));
}

static void
few_answers_tell_nothing(void **state)
{
	(void)state;
	count_answers(49, 2);
	loss_adapt(&l, &b.net, false);
	assert_int_equal(l.tries, 0);
	count_answers(1, 1);
	loss_adapt(&l, &b.net, false);
	assert_true(l.tries > 0);
}

/* Fewer tries again only when a whole sweep has shown that nothing is lost. */
static void
calm_is_believed_at_the_end(void **state)
{
	(void)state;
	count_answers(900, 1);
	count_answers(100, 2);
	loss_adapt(&l, &b.net, false);
	loss_begin(&l);
	assert_int_equal(l.answered_before, 1000);
	loss_adapt(&l, &b.net, true);                   /* no answers at all: not known */
	assert_true(l.tries > 0);
	count_answers(1000, 1);
	loss_adapt(&l, &b.net, false);
	assert_true(l.tries > 0);
	loss_adapt(&l, &b.net, true);
	assert_int_equal(l.tries, 0);
	assert_int_equal(loss_tries(&l, b.conf), b.conf->transaction_retries + 1);
}

/* More than 5 of 1000, and at least three. */
static void
a_little_is_no_loss(void **state)
{
	(void)state;
	count_answers(10, 1);
	count_answers(2, 2);
	assert_false(loss_is_measured(&l));
	count_answers(1, 2);
	assert_true(loss_is_measured(&l));
	count_answers(600, 1);
	assert_false(loss_is_measured(&l));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_loss_setup, sweep_loss_teardown)
	const struct CMUnitTest tests[] = {
		T(only_answers_count),
		T(losses_bring_more_tries),
		T(few_answers_tell_nothing),
		T(calm_is_believed_at_the_end),
		T(a_little_is_no_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
