/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rates.c - what counters moved by: unknown is never 0.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/perf/pma.h"
#include "diags/perf/rates.h"
#include "tests/unit/test.h"

const struct diag_tool diag_tool = { .name = "test" };

static struct pma_value
value(uint64_t v, uint8_t width)
{
	return (struct pma_value){ .value = v, .width = width, .attr_id = 0x12, .supported = width,
		.saturated = width && v == UINT64_MAX >> (64 - width) };
}

static void
moves(uint64_t before, uint64_t now, uint8_t width, enum rates_why why, uint64_t delta)
{
	struct pma_value a = value(before, width), b = value(now, width);
	struct rates_delta d = rates_delta(&a, &b);

	assert_int_equal(d.why, why);
	assert_int_equal(d.delta, delta);
}

static void
deltas(void **state)
{
	struct pma_value a = value(5, 32), b = value(9, 64);

	(void)state;
	moves(5, 9, 32, RATES_OK, 4);
	moves(5, 5, 8, RATES_OK, 0);
	moves(0, UINT64_MAX, 64, RATES_OK, UINT64_MAX);
	moves(9, 5, 64, RATES_RESET, 0);
	moves(UINT32_MAX, 3, 32, RATES_RESET, 0);
	/* At its maximum it may have moved by anything. */
	moves(5, UINT32_MAX, 32, RATES_SATURATED, 0);
	moves(UINT32_MAX, UINT32_MAX, 32, RATES_SATURATED, 0);
	moves(3, 15, 4, RATES_SATURATED, 0);
	moves(0, 0, 0, RATES_NONE, 0);
	assert_int_equal(rates_delta(&a, &b).why, RATES_NONE);
	b = value(9, 32);
	b.attr_id = 0x1d;               /* read from elsewhere, which may have another zero */
	assert_int_equal(rates_delta(&a, &b).why, RATES_NONE);
}

static void
readings(void **state)
{
	struct rates_reading r = { .ok = true };

	(void)state;
	r.width[PMA_RCV_ERRORS] = 16;
	r.value[PMA_RCV_ERRORS] = 65535;
	assert_true(rates_value(&r, PMA_RCV_ERRORS).saturated);
	r.value[PMA_RCV_ERRORS] = 65534;
	assert_false(rates_value(&r, PMA_RCV_ERRORS).saturated);
	assert_false(rates_value(&r, PMA_XMIT_DATA).supported);
}

static void
capacity(uint8_t width, uint8_t speed, uint8_t ext, uint8_t ext2, bool fdr10, double gbps)
{
	struct fab_link l = { .width = width, .speed = speed, .speed_ext = ext, .speed_ext2 = ext2, .fdr10 = fdr10 };
	double c = rates_capacity(&l) / 1e9;

	assert_true(c > gbps - 0.01 && c < gbps + 0.01);
}

static void
capacities(void **state)
{
	(void)state;
	capacity(2, 1, 0, 0, false, 8);
	capacity(2, 4, 0, 0, false, 32);
	capacity(2, 4, 0, 0, true, 40);
	capacity(2, 4, 1, 0, false, 54.545);
	capacity(2, 4, 2, 0, false, 100);
	capacity(2, 4, 4, 0, false, 200);
	capacity(2, 4, 8, 0, false, 400);
	capacity(2, 4, 8, 1, false, 800);
	capacity(16, 4, 4, 0, false, 100);
	assert_true(rates_capacity(&(struct fab_link){ 0 }) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(deltas), cmocka_unit_test(readings), cmocka_unit_test(capacities) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
