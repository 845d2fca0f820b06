/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_speed.c - link speeds of all generations in one order, and data rates.
 */
#include <config.h>
#include "diags/topo/speed.h"
#include "tests/unit/diags/world.h"

static void
active(void **state)
{
	static const struct {
		struct fab_link l;
		int speed;
	} rows[] = {
		{ { .speed = 1 }, LINK_SDR },
		{ { .speed = 4 }, LINK_QDR },
		{ { .speed = 4, .fdr10 = true }, LINK_FDR10 },
		{ { .speed = 4, .speed_ext = 1 }, LINK_FDR },
		{ { .speed = 4, .speed_ext = 8 }, LINK_NDR },
		{ { .speed_ext = 8, .speed_ext2 = 1 }, LINK_XDR },
		{ { .speed = 0 }, -1 },
		{ { .speed = 8 }, -1 },
		{ { .speed_ext2 = 2 }, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(speed_active(&rows[i].l), rows[i].speed);
	assert_string_equal(speed_word(LINK_FDR10), "FDR10");
	assert_string_equal(speed_word(-1), "???");
	assert_string_equal(speed_word(LINK_SPEEDS), "???");
}

static void
best(void **state)
{
	(void)state;
	assert_int_equal(speed_best(0), -1);
	assert_int_equal(speed_best(1 << LINK_SDR | 1 << LINK_HDR | 1 << LINK_EDR), LINK_HDR);
	assert_int_equal(speed_best(UINT32_MAX), LINK_SPEEDS - 1);
	assert_int_equal(width_best(0), 0);
	/* The code of 2x is the highest bit, but 12x is wider. */
	assert_int_equal(width_best(16 | 2), 2);
	assert_int_equal(width_best(0xff), 8);
	assert_int_equal(width_best(0x20), 0);
}

static void
rates(void **state)
{
	char buf[SPEED_LINK_TEXT_BYTES];

	(void)state;
	assert_true(link_nominal_gbps(2, LINK_HDR) == 200);
	assert_true(link_nominal_gbps(8, LINK_SDR) == 30);
	assert_true(link_nominal_gbps(0, LINK_HDR) == 0);
	assert_true(link_nominal_gbps(2, -1) == 0);
	assert_true(link_nominal_gbps(2, LINK_SPEEDS) == 0);
	assert_string_equal(speed_link_text(&(struct fab_link){ .width = 2, .speed_ext = 4 }, buf),
		"4x HDR (200 Gb/s)");
	assert_string_equal(
		speed_link_text(&(struct fab_link){ .width = 0x80, .speed = 8 }, buf), "?? ???");
}

static void
masks(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 1);
	struct speed_masks m = speed_masks_of(&w->f, p);

	assert_int_equal(speed_best(m.supported), LINK_HDR);
	WORLD_SET(p, speed_ext_enabled, LINK_SPEED_EXT_OFF);
	assert_int_equal(speed_best(speed_masks_of(&w->f, p).enabled), LINK_QDR);
	p->flags |= FAB_PORT_FDR10_ENABLED;
	assert_int_equal(speed_best(speed_masks_of(&w->f, p).enabled), LINK_FDR10);
	WORLD_SET(p, speed_ext_supported2, 1);
	assert_int_equal(speed_best(speed_masks_of(&w->f, p).supported), LINK_XDR);
	/* Without the capability, of a switch that of port 0, extended speeds do not count. */
	WORLD_SET(world_port(w->f.s, 0x100, 0), capability_mask, 0);
	assert_int_equal(speed_best(speed_masks_of(&w->f, p).supported), LINK_QDR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(active, world_begin, world_end),
		cmocka_unit_test_setup_teardown(best, world_begin, world_end),
		cmocka_unit_test_setup_teardown(rates, world_begin, world_end),
		cmocka_unit_test_setup_teardown(masks, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
