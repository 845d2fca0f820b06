/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_traps.c - traps that repeat: told once, and nothing that changed goes untold.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sub/traps.h"

#define REST 2000000

static struct traps *t;

static int
sub_traps_setup(void **state)
{
	(void)state;
	t = traps_new();
	return 0;
}

static int
sub_traps_teardown(void **state)
{
	(void)state;
	traps_free(t);
	return 0;
}

static bool
come(uint16_t lid, uint16_t number, uint8_t port, uint64_t tid, int64_t us)
{
	struct notice n = { .is_generic = 1, .type = 1, .trap_number = number, .issuer_lid = lid };

	n.details[4] = port;
	n.details[20] = (uint8_t)tid;           /* what it says may differ */
	return traps_take(t, &n, tid, REST, (struct monotime){ us });
}

static void
repeats(void **state)
{
	struct notice n;
	struct monotime at;

	(void)state;
	assert_true(come(5, 128, 0, 77, 0));
	for (int64_t us = 0; us < REST; us += 100000)
		assert_false(come(5, 128, 0, 77, us));          /* the same, again and again */
	assert_false(traps_deadline(t, &at));
	assert_false(traps_due(t, (struct monotime){ REST }, &n));
	assert_true(come(5, 128, 0, 77, REST));                 /* nobody silences it: told from time to time */
	assert_int_equal(traps_repeated(t), 20);
}

static void
others_of_the_kind(void **state)
{
	struct notice n;
	struct monotime at;

	(void)state;
	assert_true(come(5, 144, 0, 1, 0));
	assert_false(come(5, 144, 0, 2, 1000));
	assert_false(come(5, 144, 0, 3, 2000));
	assert_true(traps_deadline(t, &at));
	assert_int_equal(at.us, REST);
	assert_false(traps_due(t, (struct monotime){ REST - 1 }, &n));
	assert_true(traps_due(t, (struct monotime){ REST }, &n));
	assert_int_equal(n.details[20], 3);                     /* the last word */
	assert_false(traps_due(t, (struct monotime){ REST }, &n));
	assert_false(come(5, 144, 0, 4, REST + 1));             /* and the time begins anew */
	assert_true(traps_due(t, (struct monotime){ 2 * REST }, &n));
}

static void
kinds(void **state)
{
	(void)state;
	assert_true(come(5, 129, 1, 1, 0));
	assert_true(come(5, 129, 2, 1, 0));                     /* another port */
	assert_true(come(6, 129, 1, 1, 0));                     /* another device */
	assert_true(come(5, 130, 1, 1, 0));                     /* another thing */
	assert_false(come(5, 129, 1, 2, 0));
	assert_true(come(5, 144, 1, 1, 0));
	assert_false(come(5, 144, 2, 2, 0));                    /* that is no port number there */
}

/* More kinds than there is room for: the oldest are forgotten, and at worst told again. */
static void
many(void **state)
{
	(void)state;
	for (uint16_t lid = 1; lid <= 1000; lid++)
		assert_true(come(lid, 128, 0, 1, lid));
	assert_false(come(1000, 128, 0, 1, 1001));
	assert_true(come(1, 128, 0, 1, 1002));
}

/* A port that sends a thousand sorts of traps: what others sent and was held is reported all the same. */
static void
one_port_keeps_to_its_share(void **state)
{
	struct notice n;
	unsigned held = 0;

	(void)state;
	for (uint16_t lid = 1; lid <= 200; lid++) {
		assert_true(come(lid, 128, 0, 1, 0));
		assert_false(come(lid, 128, 0, 2, 1));
	}
	for (uint16_t number = 1000; number < 2000; number++) {
		come(300, number, 0, 1, 2);
		come(300, number, 0, 2, 3);
	}
	while (traps_due(t, (struct monotime){ REST * 2 }, &n))
		held += n.issuer_lid <= 200;
	assert_int_equal(held, 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, sub_traps_setup, sub_traps_teardown)
		T(repeats), T(others_of_the_kind), T(kinds), T(many), T(one_port_keeps_to_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
