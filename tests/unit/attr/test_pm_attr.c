/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pm_attr.c - the selects of a request, which are in the same place in all attributes of
 * performance management.  Single rows are judged by tests/oracle.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/pm_attr.h"

static void
selects_are_written(void **state)
{
	static const uint8_t want[PM_PORT_COUNTERS_BYTES] = { 0x5a, 0x24, 0xab, 0xcd, 0x5a };
	uint8_t w[PM_PORT_COUNTERS_BYTES] = { 0x5a, 0xff, 0xff, 0xff, 0x5a };

	(void)state;
	pm_set_port_select(w, 0x24);
	assert_int_equal(pm_port_select(w), 0x24);
	assert_int_equal(w[2], 0xff);
	pm_set_counter_select(w, 0xabcd);
	assert_memory_equal(w, want, sizeof(w));
	assert_int_equal(pm_port_counters_decode(w).port_select, 0x24);
	assert_int_equal(pm_port_counters_ext_decode((uint8_t[PM_PORT_COUNTERS_EXT_BYTES]){
		0, 0, 0xab, 0xcd }).counter_select, 0xabcd);
}

static bool
has_select_elsewhere(const struct attr_desc *d)
{
	return d == &pm_samples_control_desc || d == &pm_ext_speeds_desc ||
		d == &pm_ext_speeds_rsfec_desc;
}

static void
selects_of_all_attributes(void **state)
{
	unsigned ports = 0, counters = 0;

	(void)state;
	for (const struct attr_desc *const *d = pm_attr_all; *d; d++) {
		const struct attr_field *f = attr_field_find(*d, "port_select");

		if (f) {
			ports++;
			assert_int_equal(f->first_bit, pm_port_counters_at_port_select);
			assert_int_equal(f->width, pm_port_counters_bits_port_select);
		}
		f = attr_field_find(*d, "counter_select");
		if (f && !has_select_elsewhere(*d)) {
			counters++;
			assert_int_equal(f->first_bit, pm_port_counters_at_counter_select);
			assert_int_equal(f->width, pm_port_counters_bits_counter_select);
			assert_int_equal(f->count, 1);
		}
	}
	assert_int_equal(ports, 21);
	assert_int_equal(counters, 18);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selects_are_written),
		cmocka_unit_test(selects_of_all_attributes),
	};

	return cmocka_run_group_tests_name("pm_attr", tests, NULL, NULL);
}
