/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kinds.c - the table of kinds: names, order, and what reports show of a change.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

/* Names are part of the log and of reports: they and their order stay. */
static void
the_table(void **state)
{
	static const char *const names[] = { "lanes_wide", "lanes", "pkeys", "sm_lid", "lids",
		"switch_info", "arm_back", "activate_back", "lft_sm", "lft", "qos", "mft_cut",
		"mft", "guids", "links", "arm", "activate" };

	(void)state;
	assert_int_equal(sizeof(names) / sizeof(*names), CHANGE_PHASE_COUNT);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++) {
		const struct change_kind *k = change_kinds[p];

		assert_string_equal(k->name, names[p]);
		assert_string_equal(change_phase_text((enum change_phase)p), names[p]);
		assert_true(!k->attribute != !k->attribute_of);
		assert_true(k->payload && k->took_effect);
		assert_true(k->observe != NULL);
		assert_false(k->bars_link && k->needs_link);
	}
	assert_string_equal(change_phase_text(CHANGE_PHASE_COUNT), "done");
}

static void
as_reports_name_them(void **state)
{
	static const struct {
		uint16_t attribute;
		uint32_t modifier;
	} row[CHANGE_PHASE_COUNT] = {
		[CHANGE_PKEYS] = { PKEY_TABLE_ID, 0 },
		[CHANGE_SM_LID] = { PORT_INFO_ID, 7 },
		[CHANGE_LIDS] = { PORT_INFO_ID, 7 },
		[CHANGE_SWITCH_INFO] = { SWITCH_INFO_ID, 0 },
		[CHANGE_ARM_BACK] = { PORT_INFO_ID, 7 },
		[CHANGE_ACTIVATE_BACK] = { PORT_INFO_ID, 7 },
		[CHANGE_LFT_SM] = { LFT_BLOCK_ID, 5 },
		[CHANGE_LFT] = { LFT_BLOCK_ID, 5 },
		[CHANGE_LANES_WIDE] = { SLVL_TABLE_ID, 5 },
		[CHANGE_LANES] = { SLVL_TABLE_ID, 5 },
		[CHANGE_QOS] = { SLVL_TABLE_ID, 5 },
		[CHANGE_MFT_CUT] = { MFT_BLOCK_ID, 0 },
		[CHANGE_MFT] = { MFT_BLOCK_ID, 0 },
		[CHANGE_GUIDS] = { GUID_INFO_ID, 5 },
		[CHANGE_LINKS] = { PORT_INFO_ID, 7 },
		[CHANGE_ARM] = { PORT_INFO_ID, 7 },
		[CHANGE_ACTIVATE] = { PORT_INFO_ID, 7 },
	};
	struct change vlarb = { 1, CHANGE_QOS_VLARB | 0x10003 }, c = { 1, 5 };
	struct change wide = { 1, CHANGE_QOS_ALL_INPUTS | 0x0905 };

	(void)state;
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++) {
		assert_int_equal(change_attribute(change_kinds[p], &c), row[p].attribute);
		assert_int_equal(change_reported(change_kinds[p], &c, 7), row[p].modifier);
	}
	assert_int_equal(change_attribute(change_kinds[CHANGE_QOS], &vlarb), VLARB_TABLE_ID);
	assert_int_equal(change_reported(change_kinds[CHANGE_QOS], &vlarb, 7), 0x10003);
	assert_int_equal(change_reported(change_kinds[CHANGE_LANES_WIDE], &wide, 7), 0x20005);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_table),
		T(as_reports_name_them),
	};

	return cmocka_run_group_tests_name("sm/diff/kinds", tests, NULL, NULL);
}
