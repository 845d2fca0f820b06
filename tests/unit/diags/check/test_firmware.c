/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_firmware.c - the versions that devices of a kind tell, from a capture.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/replay.h"
#include "diags/check/check.h"
#include "diags/core/context.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"
#include "tests/unit/diags/fake.h"

#define VENDOR_MELLANOX 0x2c9

static const struct diag_tool tool = { .name = "test" };

struct bench {
	struct diag d;
	struct check_run c;
};

/* The small fabric, whose three adapters are of the vendor that is asked. */
static struct snapshot *
fabric_of_vendor(void)
{
	struct snapshot *s = fake_snapshot();

	for (uint32_t i = 0; i < s->nnodes; i++)
		if (!fab_is_switch(&s->nodes[i]))
			ATTR_SET(node_info, vendor_id, s->nodes[i].node_info, VENDOR_MELLANOX);
	return s;
}

/* Each adapter tells 28.31.1014, but the one with 'other' its own version. */
static void
versions_record(struct capture *c, const struct snapshot *s, uint64_t other,
	const struct vs_general_info *its)
{
	const struct vs_general_info usual = { .device_id = 0x20f, .fw_psid = "MT_0000000224",
		.fw_ext_major = 28, .fw_ext_minor = 31, .fw_ext_sub = 1014 };

	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct capture_key k = { .node = i, .port = 1, .mgmt_class = CLASS_VENDOR_A,
			.attr_id = VS_GENERAL_INFO_ID };
		uint8_t w[VS_GENERAL_INFO_BYTES] = { 0 };

		if (fab_is_switch(&s->nodes[i]))
			continue;
		vs_general_info_encode(w, s->nodes[i].guid == other ? its : &usual);
		capture_add(c, &k, STATUS_OK, w, sizeof(w));
	}
}

static void
check_begin(struct bench *b, uint64_t other, const struct vs_general_info *its)
{
	static const struct check *const checks[] = { &check_firmware };
	struct capture *c = capture_new();

	*b = (struct bench){ .c = { .d = &b->d, .checks = checks, .f.s = fabric_of_vendor() } };
	versions_record(c, b->c.f.s, other, its);
	diag_begin(&b->d, &tool, &diag_asking_ports, "test");
	engine_open(&b->d, replay_open(fabric_of_vendor(), c), NULL);
	check_firmware.run(&b->c);
}

static void
check_end(struct bench *b)
{
	for (size_t i = 0; i < b->c.nfindings; i++) {
		free(b->c.findings[i].object);
		free(b->c.findings[i].text);
		json_decref(b->c.findings[i].detail);
	}
	free(b->c.findings);
	snapshot_free(b->c.f.s);
	diag_clear(&b->d);
}

static void
another_version_is_found(void **state)
{
	const struct vs_general_info its = { .device_id = 0x20f, .fw_psid = "MT_0000000224",
		.fw_ext_major = 28, .fw_ext_minor = 30, .fw_ext_sub = 1000 };
	struct bench b;

	(void)state;
	check_begin(&b, 0x300, &its);
	assert_string_equal(b.c.result[0].looked, "3 devices, of 3 that were asked");
	assert_int_equal(b.c.nfindings, 1);
	assert_string_equal(b.c.findings[0].code, "firmware_differs");
	assert_string_equal(b.c.findings[0].text, "host-1 has firmware 28.30.1000, 2 of 3 of its "
		"kind (MT_0000000224) have 28.31.1014");
	check_end(&b);
}

/* A version in single octets, of a device that has no extended one. */
static void
old_form_of_a_version(void **state)
{
	const struct vs_general_info its = { .device_id = 0x20f, .fw_psid = "MT_0000000224",
		.fw_major = 9, .fw_minor = 4, .fw_sub = 7 };
	struct bench b;

	(void)state;
	check_begin(&b, 0x500, &its);
	assert_int_equal(b.c.nfindings, 1);
	assert_string_equal(json_string_value(json_object_get(b.c.findings[0].detail, "value")),
		"9.4.7");
	check_end(&b);
}

/* Devices of another kind are not compared. */
static void
kinds_are_apart(void **state)
{
	const struct vs_general_info boards = { .device_id = 0x20f, .fw_psid = "MT_0000000225",
		.fw_ext_major = 28 }, chips = { .device_id = 0x20d, .fw_psid = "MT_0000000224",
		.fw_ext_major = 28 };
	struct bench b;

	(void)state;
	check_begin(&b, 0x300, &boards);
	assert_int_equal(b.c.nfindings, 0);
	check_end(&b);
	check_begin(&b, 0x300, &chips);
	assert_int_equal(b.c.nfindings, 0);
	check_end(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_version_is_found),
		cmocka_unit_test(old_form_of_a_version),
		cmocka_unit_test(kinds_are_apart),
	};

	return cmocka_run_group_tests_name("firmware", tests, NULL, NULL);
}
