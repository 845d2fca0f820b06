/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_attr_json.c - whole objects, compared as text with sorted keys.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/attr.h"
#include "libmad/attr/sm_attr.h"

/* Compares member 'key' of 'o' with JSON text. */
static void
expect(json_t *o, const char *key, const char *want)
{
	json_t *v = json_object_get(o, key);
	char *got;

	if (!v) {
		fail_msg("no key %s", key);
		return;
	}
	got = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	assert_string_equal(got, want);
	free(got);
}

static void
node_info_whole(void **state)
{
	struct node_info n = {
		.base_version = 1, .class_version = 1, .node_type = 2, .num_ports = 36,
		.sys_guid = 0xa1b2000300f0e003, .node_guid = 0xa1b2000300f0e000, .port_guid = 0xa1b2000300f0e000,
		.partition_cap = 8, .device_id = 0xd2f0, .revision = 0xa0, .local_port = 7, .vendor_id = 0x2c9,
	};
	json_t *o = attr_to_json(&node_info_desc, &n, false);
	char *got = json_dumps(o, JSON_COMPACT);

	(void)state;
	assert_string_equal(got,
		"{\"base_version\":1,\"class_version\":1,\"node_type\":\"Switch\",\"node_type_raw\":2,"
		"\"num_ports\":36,\"sys_guid\":\"0xa1b2000300f0e003\",\"node_guid\":\"0xa1b2000300f0e000\","
		"\"port_guid\":\"0xa1b2000300f0e000\",\"partition_cap\":8,\"device_id\":\"0xd2f0\","
		"\"revision\":\"0x000000a0\",\"local_port\":7,\"vendor_id\":\"0x0002c9\"}");
	free(got);
	json_decref(o);
}

static void
port_info_kinds(void **state)
{
	struct port_info p = {
		.mkey = 0x1122334455667788, .gid_prefix = 0xfe80000000000000, .lid = 41, .state = 4, .phys_state = 9,
		.capability_mask = 0x4002, .width_active = 2, .width_supported = 3, .neighbor_mtu = 4,
		.speed_ext_active = 8, .speed_ext_supported = 15, .client_reregister = 1,
	};
	json_t *o = attr_to_json(&port_info_desc, &p, false);

	(void)state;
	expect(o, "mkey", "null");
	expect(o, "gid_prefix", "\"0xfe80000000000000\"");
	expect(o, "lid", "41");
	expect(o, "state", "\"Active\"");
	expect(o, "state_raw", "4");
	expect(o, "phys_state", "null");
	expect(o, "phys_state_raw", "9");
	expect(o, "capability_mask", "\"0x00004002\"");
	expect(o, "capability_mask_bits", "[\"IsSM\",\"IsExtendedSpeedsSupported\"]");
	expect(o, "width_active", "\"4x\"");
	expect(o, "width_supported", "[\"1x\",\"4x\"]");
	expect(o, "width_supported_raw", "3");
	expect(o, "neighbor_mtu", "2048");
	expect(o, "neighbor_mtu_raw", "4");
	expect(o, "speed_ext_active", "\"NDR\"");
	expect(o, "speed_ext_supported", "[\"FDR\",\"EDR\",\"HDR\",\"NDR\"]");
	expect(o, "client_reregister", "true");
	json_decref(o);

	o = attr_to_json(&port_info_desc, &p, true);
	expect(o, "mkey", "\"0x1122334455667788\"");
	json_decref(o);
}

static void
arrays(void **state)
{
	struct pkey_table k = { .pkey = { 0xffff, 0x8001 } };
	struct lft_block l = { .port = { 255, 1, 2 } };
	json_t *o = attr_to_json(&pkey_table_desc, &k, false);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(o, "pkey")), 32);
	assert_string_equal(json_string_value(json_array_get(json_object_get(o, "pkey"), 1)), "0x8001");
	json_decref(o);
	o = attr_to_json(&lft_block_desc, &l, false);
	assert_int_equal(json_array_size(json_object_get(o, "port")), 64);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "port"), 0)), 255);
	json_decref(o);
}

static void
description_bytes(void **state)
{
	struct node_desc d = { .text = "node\xff 1" };
	json_t *o = json_object();

	(void)state;
	attr_json_set_text(o, "node_desc", d.text, sizeof(d.text));
	expect(o, "node_desc", "\"node\xef\xbf\xbd 1\"");
	assert_int_equal(strlen(json_string_value(json_object_get(o, "node_desc_hex"))), 2 + 128);
	assert_memory_equal(json_string_value(json_object_get(o, "node_desc_hex")), "0x6e6f6465ff2031", 16);
	json_decref(o);

	o = json_object();
	attr_json_set_text(o, "node_desc", (const uint8_t *)"leaf-07", 8);
	expect(o, "node_desc", "\"leaf-07\"");
	assert_null(json_object_get(o, "node_desc_hex"));
	json_decref(o);
}

static void
every_key_once(void **state)
{
	struct port_info p = { 0 };
	json_t *o = attr_to_json(&port_info_desc, &p, true);
	char *text = json_dumps(o, 0);
	json_error_t e;
	json_t *again = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	(void)state;
	assert_non_null(again);
	assert_true(json_equal(o, again));
	json_decref(o);
	json_decref(again);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_info_whole),
		cmocka_unit_test(port_info_kinds),
		cmocka_unit_test(arrays),
		cmocka_unit_test(description_bytes),
		cmocka_unit_test(every_key_once),
	};

	return cmocka_run_group_tests_name("attr_json", tests, NULL, NULL);
}
