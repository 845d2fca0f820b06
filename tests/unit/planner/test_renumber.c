/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_renumber.c - which LIDs a manager may restore, and changes of LIDs as they are logged and kept.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/renumber.h"
#include "util/bits.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct renumbered r;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&r, 0, sizeof(r));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* Ports of the sweep before that name our stored LID as their manager's. */
static void
ports_that_we_led_may_be_restored(void **state)
{
	struct lid_id own = { .port_guid = b.net.port.port_guid, .base_lid = b.plan.sm_lid };
	struct lid_ids stored = { &own, 1 }, none = { NULL, 0 };
	struct port_info info = served_info(&b, served_host(&b, 2));
	struct arena a = { 0 };
	uint64_t *led;

	(void)state;
	info.master_sm_lid = (uint16_t)(b.plan.sm_lid + 1);
	served_set_info(&b, served_host(&b, 2), info);
	led = renumber_led(b.s, b.s, &stored, &a);
	assert_true(bits_test(led, served_host(&b, 1)));
	assert_false(bits_test(led, served_host(&b, 2)));       /* another manager's */
	assert_false(bits_test(led, b.s->ports[served_host(&b, 1)].peer));      /* no end port */
	led = renumber_led(b.s, NULL, &stored, &a);
	assert_false(bits_test(led, served_host(&b, 1)));       /* we do not know that it was there */
	led = renumber_led(b.s, b.s, &none, &a);
	assert_false(bits_test(led, served_host(&b, 1)));       /* nor who we were */
	arena_clear(&a);
}

static struct lid_report
one_change(uint16_t from, uint16_t to)
{
	return (struct lid_report){
		.nchanges = 1, .renumbered = 1,
		.changes = { { .guid = b.s->ports[served_host(&b, 1)].guid, .from = from, .to = to, .live = true } },
	};
}

/* A change that could not be made is planned in every sweep, and logged once. */
static void
a_repeated_change_is_logged_once(void **state)
{
	struct lid_report none = { 0 }, first = one_change(5, 9), second = one_change(5, 10);

	(void)state;
	renumber_note(&r, &b.net, b.s, &first, &none);
	assert_int_equal(b.lines, 1);
	assert_non_null(strstr(b.said, "plan: lid change: "));
	assert_non_null(strstr(b.said, ": 5 -> 9: "));
	renumber_note(&r, &b.net, b.s, &first, &first);
	assert_int_equal(b.lines, 1);
	assert_int_equal(r.total, 1);
	renumber_note(&r, &b.net, b.s, &second, &first);
	assert_int_equal(b.lines, 2);
	assert_int_equal(r.total, 2);
}

static void
the_last_ten_are_kept(void **state)
{
	struct lid_report none = { 0 };
	json_t *o;

	(void)state;
	for (uint16_t i = 1; i <= RENUMBERED_MAX + 3; i++) {
		struct lid_report now = one_change(i, (uint16_t)(i + 100));

		renumber_note(&r, &b.net, b.s, &now, &none);
	}
	assert_int_equal(r.n, RENUMBERED_MAX);
	assert_int_equal(r.rows[0].from, 4);
	assert_int_equal(r.rows[RENUMBERED_MAX - 1].from, RENUMBERED_MAX + 3);
	o = renumber_json(&r, b.net.now);
	assert_int_equal(json_integer_value(json_object_get(o, "total")), RENUMBERED_MAX + 3);
	assert_int_equal(json_array_size(json_object_get(o, "last")), RENUMBERED_MAX);
	json_decref(o);
	o = renumber_json(NULL, b.net.now);
	assert_int_equal(json_integer_value(json_object_get(o, "total")), 0);
	json_decref(o);
}

/* More than a report lists are counted. */
static void
further_changes_are_counted(void **state)
{
	struct lid_report none = { 0 }, many = { .nchanges = LID_CHANGES_MAX + 7, .renumbered = 3 };

	(void)state;
	for (unsigned i = 0; i < LID_CHANGES_MAX; i++)
		many.changes[i] = (struct lid_change){ .guid = i + 1, .from = 1, .to = 2 };
	renumber_note(&r, &b.net, b.s, &many, &none);
	assert_int_equal(r.total, LID_CHANGES_MAX + 7);
	assert_non_null(strstr(b.said, "7 more ports (17 ports in all, of them 3 with a LID in force)"));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(ports_that_we_led_may_be_restored),
		T(a_repeated_change_is_logged_once),
		T(the_last_ten_are_kept),
		T(further_changes_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
