/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dgram_names.c - every number has the words people know it by, and no number has NULL.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"

static void
classes_and_methods(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		assert_non_null(dgram_class_name((uint8_t)i));
		assert_non_null(dgram_method_name((uint8_t)i));
	}
	assert_string_equal(dgram_class_name(CLASS_SA), "SA");
	assert_string_equal(dgram_class_name(CLASS_VENDOR_A), "vendor");
	assert_string_equal(dgram_class_name(0x4f), "vendor");
	assert_string_equal(dgram_class_name(0x50), "unknown");
	assert_string_equal(dgram_method_name(METHOD_GET_RESP), "GetResp");
	assert_string_equal(dgram_method_name(METHOD_TRAP_REPRESS), "TrapRepress");
	assert_string_equal(dgram_method_name(0x7f), "unknown");
}

static void
attributes_depend_on_the_class(void **state)
{
	(void)state;
	assert_string_equal(dgram_attr_name(CLASS_SM_DR, 0x12), "SwitchInfo");
	assert_string_equal(dgram_attr_name(CLASS_SM_LID, 0x12), "SwitchInfo");
	assert_string_equal(dgram_attr_name(CLASS_SA, 0x12), "PortInfoRecord");
	assert_string_equal(dgram_attr_name(CLASS_PM, 0x12), "PortCounters");
	assert_string_equal(dgram_attr_name(CLASS_CM, 0x12), "REJ");
	assert_string_equal(dgram_attr_name(CLASS_CC, 0x12), "CongestionKeyInfo");
	assert_string_equal(dgram_attr_name(CLASS_DEVMGT, 1), "ClassPortInfo");
	assert_null(dgram_attr_name(CLASS_DEVMGT, 0x12));
	assert_null(dgram_attr_name(CLASS_SM_LID, 1));  /* SMPs have no ClassPortInfo */
}

static void
status_words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 65536; i++) {
		assert_non_null(dgram_status_text((uint16_t)i, false));
		assert_non_null(dgram_status_text((uint16_t)i, true));
	}
	assert_string_equal(dgram_status_text(0, true), "ok");
	assert_string_equal(dgram_status_text(STATUS_BUSY, false), "busy");
	assert_string_equal(dgram_status_text(STATUS_REDIRECT, false), "redirected");
	assert_string_equal(dgram_status_text(STATUS_BAD_METHOD, false), "method not supported");
	assert_string_equal(dgram_status_text(STATUS_SA_NO_RECORDS, true), "no records");
	assert_string_equal(dgram_status_text(STATUS_SA_NO_RECORDS, false), "unknown status");
	assert_string_equal(dgram_status_text(STATUS_BAD_METHOD_ATTR, true),
		"method and attribute not supported together");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_and_methods),
		cmocka_unit_test(attributes_depend_on_the_class),
		cmocka_unit_test(status_words),
	};

	return cmocka_run_group_tests_name("dgram_names", tests, NULL, NULL);
}
