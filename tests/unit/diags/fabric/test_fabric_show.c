/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_fabric_show.c - nodes, ports and links as words and as JSON.
 */
#include <config.h>
#include "diags/core/out.h"
#include "tests/unit/diags/world.h"

static void
speeds(void **state)
{
	static const struct {
		struct fab_link l;
		const char *word;
		double lane;
	} rows[] = {
		{ { .speed = 1 }, "SDR", 2.5 },
		{ { .speed = 2 }, "DDR", 5 },
		{ { .speed = 4 }, "QDR", 10 },
		{ { .speed = 4, .fdr10 = true }, "FDR10", 10.3125 },
		{ { .speed = 4, .speed_ext = 1 }, "FDR", 14.0625 },
		{ { .speed = 4, .speed_ext = 2, .fdr10 = true }, "EDR", 25.78125 },
		{ { .speed_ext = 4 }, "HDR", 53.125 },
		{ { .speed_ext = 8 }, "NDR", 106.25 },
		{ { .speed_ext = 8, .speed_ext2 = 1 }, "XDR", 212.5 },
		{ { .speed = 0 }, "???", 0 },
		{ { .speed = 3 }, "???", 0 },
		{ { .speed = 4, .speed_ext = 15 }, "???", 0 },
		{ { .speed_ext2 = 3 }, "???", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(fab_speed_word(&rows[i].l), rows[i].word);
		assert_true(fab_lane_gbps(&rows[i].l) == rows[i].lane);
	}
	assert_string_equal(fab_width_word(2), "4x");
	assert_string_equal(fab_width_word(0x80), "??");
	assert_int_equal(fab_lanes(16), 2);
	assert_int_equal(fab_lanes(3), 0);
	assert_string_equal(fab_type_word(3), "router");
	assert_string_equal(fab_type_word(0), "unknown");
}

/* Extended speeds count only where the capability mask, of a switch that of port 0, has them. */
static void
capabilities(void **state)
{
	struct world *w = *state;
	const struct fab_port *p = world_port(w->f.s, 0x100, 1);

	assert_int_equal(fab_link_of(&w->f, p).speed_ext, 4);
	WORLD_SET(world_port(w->f.s, 0x100, 1), capability_mask, 0);
	assert_int_equal(fab_link_of(&w->f, p).speed_ext, 4);
	WORLD_SET(world_port(w->f.s, 0x100, 0), capability_mask, 0);
	assert_int_equal(fab_link_of(&w->f, p).speed_ext, 0);
	assert_true(fab_has_vendor_port_info(0x2c9, 0xc738));
	assert_true(fab_has_vendor_port_info(0x2c9, 0x101b));
	assert_false(fab_has_vendor_port_info(0x2c9, 0x101c));
	assert_true(fab_has_vendor_port_info(0x119f, 0x1b02));
	assert_false(fab_has_vendor_port_info(0x2c9, 0x1b02));
}

static const char *
text_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void
port(void **state)
{
	struct world *w = *state;
	json_t *o = fab_json_port(&w->d, &w->f, world_port(w->f.s, 0x100, 1));
	const json_t *peer = json_object_get(o, "peer"), *speed = json_object_get(o, "speed");

	assert_string_equal(text_at(o, "status"), "ok");
	assert_string_equal(text_at(o, "state"), "Active");
	assert_string_equal(text_at(peer, "node_guid"), "0x0000000000000200");
	assert_string_equal(text_at(peer, "name"), "host-0");
	assert_int_equal(json_integer_value(json_object_get(peer, "lid")), 2);
	assert_string_equal(text_at(speed, "active"), "HDR");
	assert_int_equal(json_array_size(json_object_get(speed, "supported")), 6);
	json_decref(o);
}

/* Keys never come and go: what is not known is null. */
static void
unknown_port(void **state)
{
	static const char *const keys[] = { "state", "state_raw", "phys_state", "phys_state_raw",
		"lmc", "width", "speed", "peer", "peer_width", "peer_speed" };
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 3);
	json_t *o;

	p->flags = FAB_PORT_FAILED;
	o = fab_json_port(&w->d, &w->f, p);
	assert_string_equal(text_at(o, "status"), "timeout");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_true(json_is_null(json_object_get(o, keys[i])));
	json_decref(o);
	p->flags = 0;
	o = fab_json_port(&w->d, &w->f, p);
	assert_string_equal(text_at(o, "status"), "skipped");
	json_decref(o);
	o = fab_json_end(&w->d, &w->f, NULL);
	assert_true(json_is_null(o));
	json_decref(o);
}

/* What a node says of itself is shown as text that is valid, whatever its bytes are. */
static void
node(void **state)
{
	struct world *w = *state;
	struct fab_node *n = world_node(w->f.s, 0x400);
	json_t *o;
	char *text;

	memset(n->desc, 0xff, sizeof(n->desc));
	n->desc[1] = '\n';
	o = fab_json_node(&w->d, &w->f, n);
	assert_string_equal(text_at(o, "type"), "switch");
	assert_int_equal(json_array_size(json_object_get(o, "path")), 3);
	text = json_dumps(o, 0);
	assert_non_null(text);
	free(text);
	json_decref(o);
	n->hop_count = FAB_NO_PATH;
	n->flags |= FAB_NODE_FAILED;
	o = fab_json_node(&w->d, &w->f, n);
	assert_true(json_is_null(json_object_get(o, "path")));
	assert_string_equal(text_at(o, "status"), "timeout");
	json_decref(o);
}

static void
summary(void **state)
{
	struct world *w = *state;
	const json_t *o;

	world_node(w->f.s, 0x500)->type = NODE_TYPE_ROUTER;
	fab_summary(&w->d, &w->f);
	o = diag_summary(&w->d);
	assert_int_equal(json_integer_value(json_object_get(o, "nodes")), 5);
	assert_int_equal(json_integer_value(json_object_get(o, "switches")), 2);
	assert_int_equal(json_integer_value(json_object_get(o, "cas")), 2);
	assert_int_equal(json_integer_value(json_object_get(o, "routers")), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "ports")), 11);
	assert_int_equal(json_integer_value(json_object_get(o, "links")), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(speeds, world_begin, world_end),
		cmocka_unit_test_setup_teardown(capabilities, world_begin, world_end),
		cmocka_unit_test_setup_teardown(port, world_begin, world_end),
		cmocka_unit_test_setup_teardown(unknown_port, world_begin, world_end),
		cmocka_unit_test_setup_teardown(node, world_begin, world_end),
		cmocka_unit_test_setup_teardown(summary, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
