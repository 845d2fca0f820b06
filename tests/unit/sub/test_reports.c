/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_reports.c - reports that wait: one of each port under way, in order, bounded, nobody held up by another.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sub/reports.h"

static struct reports *r;

static int
sub_reports_setup(void **state)
{
	(void)state;
	r = reports_new();
	return 0;
}

static int
sub_reports_teardown(void **state)
{
	(void)state;
	reports_free(r);
	return 0;
}

static bool
report_put(uint64_t guid, uint32_t id, uint8_t what)
{
	struct inform_sub s = { .id = id, .port_guid = guid };
	uint8_t w[SA_NOTICE_BYTES] = { what };
	struct report_image *i = reports_image(w);
	bool ok = reports_put(r, &s, i);

	reports_let_go(i);
	return ok;
}

/* The next: its subscription, and what; 0: none. */
static uint32_t
next(unsigned most, unsigned *slot, uint8_t *what)
{
	const uint8_t *image;
	uint32_t id;

	if (!reports_next(r, most, slot, &id, &image))
		return 0;
	*what = image[0];
	return id;
}

static void
in_order(void **state)
{
	unsigned a, b, c;
	uint8_t what;

	(void)state;
	assert_true(report_put(1, 11, 1) && report_put(1, 12, 2) && report_put(1, 11, 3) &&
		report_put(2, 21, 1));
	assert_int_equal(next(9, &a, &what), 11);
	assert_int_equal(next(9, &b, &what), 21);
	assert_true(a != b);
	assert_int_equal(next(9, &c, &what), 0);        /* the first port has one under way */
	assert_true(report_put(2, 22, 7));
	reports_done(r, b);                             /* the second goes on, whatever the first does */
	assert_int_equal(next(9, &b, &what), 22);
	assert_int_equal(what, 7);
	reports_done(r, b);
	reports_done(r, a);
	assert_int_equal(next(9, &a, &what), 12);
	assert_int_equal(what, 2);
	reports_done(r, a);
	assert_int_equal(next(9, &a, &what), 11);
	assert_int_equal(what, 3);
	reports_done(r, a);
	reports_done(r, a);                             /* nothing is there any more */
	assert_int_equal(next(9, &a, &what), 0);
}

static void
bounded(void **state)
{
	unsigned slot;
	uint8_t what;

	(void)state;
	for (unsigned i = 0; i < REPORTS_LINE_MAX; i++)
		assert_true(report_put(1, i + 1, (uint8_t)i));
	assert_false(report_put(1, 999, 0));
	assert_true(report_put(2, 5, 0));
	assert_int_equal(reports_lost(r), 1);
	for (unsigned i = 0; i < REPORTS_LINE_MAX; i++) {
		assert_int_equal(next(1, &slot, &what), i ? i + 1 : 1);
		if (i == 0) {                           /* of two that are ready the second one waits: one may be under way */
			unsigned other;

			assert_int_equal(next(1, &other, &what), 0);
			reports_done(r, slot);
			assert_int_equal(next(1, &slot, &what), 5);
		}
		reports_done(r, slot);
	}
	assert_int_equal(next(1, &slot, &what), 0);
}

static void
many_ports(void **state)
{
	static unsigned slots[REPORTS_SLOTS];
	unsigned slot, n = 0;
	uint8_t what;

	(void)state;
	for (uint32_t i = 1; i <= 1000; i++)
		assert_true(report_put(i * UINT64_C(2654435761) % 1009, i, 0));
	while (next(1000, &slot, &what))
		slots[n++] = slot;
	assert_int_equal(n, REPORTS_SLOTS);
	for (unsigned i = 0; i < n; i++)
		reports_done(r, slots[i]);
	while (next(1000, &slot, &what)) {
		reports_done(r, slot);
		n++;
	}
	assert_int_equal(n, 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, sub_reports_setup, sub_reports_teardown)
		T(in_order), T(bounded), T(many_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
