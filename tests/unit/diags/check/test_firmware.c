/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_firmware.c - devices whose firmware differs from that of their kind.
 */
#include <config.h>
#include "fabric/snapshot/capture.h"
#include "libmad/attr/vs_attr.h"
#include "tests/unit/diags/check/checks.h"

#define VENDOR 0x2c9
#define HOSTS 4u

/* What host 'h' (from 0) of world_star(1, HOSTS) answers. */
static void
device(struct capture *v, const struct snapshot *s, unsigned h, const struct vs_general_info *g)
{
	struct capture_key k = {
		.port = 1, .mgmt_class = CLASS_VENDOR_A, .attr_id = VS_GENERAL_INFO_ID
	};
	uint8_t data[VS_GENERAL_INFO_BYTES] = { 0 };

	k.node = (uint32_t)(world_node(s, 0x1010 + 0x10 * h) - s->nodes);
	vs_general_info_encode(data, g);
	capture_add(v, &k, STATUS_OK, data, sizeof(data));
}

static struct capture *
begin_fabric(struct checks *c)
{
	checks_fabric(c, world_star(1, HOSTS));
	for (unsigned h = 0; h < HOSTS; h++)
		ATTR_SET(node_info, vendor_id,
			world_node(c->run.f.s, 0x1010 + 0x10 * h)->node_info, VENDOR);
	return capture_new();
}

static void
ask(struct checks *c, struct capture *v)
{
	world_answer(&c->d, world_star(1, HOSTS), v);
	checks_do(c, &check_firmware);
}

static void
alike(void **state)
{
	struct checks *c = *state;
	struct capture *v = begin_fabric(c);

	for (unsigned h = 0; h < HOSTS; h++)
		device(v, c->run.f.s, h,
			&(struct vs_general_info){ .device_id = 1, .fw_major = 20 });
	ask(c, v);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "4 of 4 queried devices answered");
}

static void
differs(void **state)
{
	struct checks *c = *state;
	struct capture *v = begin_fabric(c);

	for (unsigned h = 0; h < HOSTS; h++)
		device(v, c->run.f.s, h,
			&(struct vs_general_info){ .device_id = 1,
				.fw_ext_major = 20,
				.fw_ext_minor = 40,
				.fw_ext_sub = h == 2 ? 1000 : 2000,
				.fw_psid = "MT_0001" });
	ask(c, v);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "firmware_differs")->severity, CHECK_INFO);
	assert_string_equal(checks_finding(c, "firmware_differs")->text,
		"host-0-2 has firmware 20.40.1000; "
		"3 of 4 devices of its type (MT_0001) have 20.40.2000");
}

/* Another device or another PSID is another kind; two of a kind say nothing. */
static void
other_kinds(void **state)
{
	struct checks *c = *state;
	struct capture *v = begin_fabric(c);

	device(v, c->run.f.s, 0, &(struct vs_general_info){ .device_id = 1, .fw_major = 1 });
	device(v, c->run.f.s, 1, &(struct vs_general_info){ .device_id = 1, .fw_major = 1 });
	device(v, c->run.f.s, 2, &(struct vs_general_info){ .device_id = 2, .fw_major = 2 });
	device(v, c->run.f.s, 3,
		&(struct vs_general_info){ .device_id = 1, .fw_major = 3, .fw_psid = "OTHER" });
	ask(c, v);
	assert_int_equal(c->run.nfindings, 0);
}

/* Half of them is not "most of its kind". */
static void
undecided(void **state)
{
	struct checks *c = *state;
	struct capture *v = begin_fabric(c);

	for (unsigned h = 0; h < HOSTS; h++)
		device(v, c->run.f.s, h,
			&(struct vs_general_info){ .device_id = 1, .fw_major = (uint8_t)(h / 2) });
	ask(c, v);
	assert_int_equal(c->run.nfindings, 0);
}

/* What a device answers is not trusted: a PSID is shown as far as it is text. */
static void
hostile_psid(void **state)
{
	struct checks *c = *state;
	struct capture *v = begin_fabric(c);

	for (unsigned h = 0; h < HOSTS; h++) {
		struct vs_general_info g = { .device_id = 1, .fw_major = (uint8_t)!h };

		memset(g.fw_psid, 'x', sizeof(g.fw_psid));
		g.fw_psid[3] = '\033';
		device(v, c->run.f.s, h, &g);
	}
	ask(c, v);
	assert_non_null(strstr(checks_finding(c, "firmware_differs")->text, "(xxx)"));
}

static void
nobody(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_firmware);
	assert_string_equal(
		checks_result(c)->looked, "no devices of the vendor that can be queried");
	ask(c, begin_fabric(c));
	assert_string_equal(checks_result(c)->looked, "0 of 4 queried devices answered");
	assert_int_equal(c->run.nfindings, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(alike, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(differs, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(other_kinds, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(undecided, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(hostile_psid, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(nobody, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
