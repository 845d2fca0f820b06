/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_link.c - a link as text, and what it could be.
 */
#include <config.h>
#include "diags/fabric/link.h"
#include "tests/unit/diags/world.h"

static int
widths_begin(void **state)
{
	int r = world_begin(state);
	struct world *w = *state;

	WORLD_SET_ALL(w->f.s, width_supported, LINK_WIDTH_1X | LINK_WIDTH_4X);
	WORLD_SET_ALL(w->f.s, width_enabled, LINK_WIDTH_1X | LINK_WIDTH_4X);
	return r;
}

static void
text(void **state)
{
	struct world *w = *state;
	const struct fab_port *p = world_port(w->f.s, 0x100, 1);
	char buf[LINK_TEXT_BYTES];

	assert_string_equal(link_text(&w->d, &w->f, NULL, p, 0, buf),
		"==( 4X        53.125 Gbps Active/  LinkUp)==>       2    1[  ] \"host-0\" ( )");
	assert_non_null(strstr(link_text(&w->d, &w->f, NULL, p, LINK_GUIDS, buf),
		"==>  0x0000000000000201      2    1[  ]"));
	WORLD_SET(world_port(w->f.s, 0x100, 1), hoq_life, 18);
	WORLD_SET(world_port(w->f.s, 0x100, 1), vl_stall_count, 7);
	assert_non_null(strstr(link_text(&w->d, &w->f, NULL, p, LINK_TIMES, buf),
		"LinkUp) (HOQ:18 VL_Stall:7)==>  "));
}

static void
no_peer(void **state)
{
	struct world *w = *state;
	const struct fab_port *p = world_port(w->f.s, 0x100, 1);
	char buf[LINK_TEXT_BYTES];

	assert_non_null(strstr(link_text(&w->d, &w->f, NULL, p, LINK_NO_PEER, buf),
		"==>      \"Port not available\""));
	assert_non_null(
		strstr(link_text(&w->d, &w->f, NULL, p, LINK_NO_PEER | LINK_BLANK_PEER, buf),
			"==>             [  ] \"\" ( )"));
	p = world_port(w->f.s, 0x100, 3);
	assert_string_equal(link_text(&w->d, &w->f, NULL, p, 0, buf),
		"==(                Down/ Polling)==>             [  ] \"\" ( )");
}

/* Codes that have no name, and a name of all the bytes that a description has. */
static void
strange(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 1);
	char buf[LINK_TEXT_BYTES];

	WORLD_SET(p, state, 9);
	WORLD_SET(p, phys_state, 15);
	WORLD_SET(p, width_active, 77);
	WORLD_SET(p, speed_ext_active, 15);
	memset(world_node(w->f.s, 0x200)->desc, '"', NODE_DESC_BYTES);
	link_text(&w->d, &w->f, NULL, p, LINK_GUIDS | LINK_TIMES, buf);
	assert_non_null(strstr(buf, "undefined (77)"));
	assert_non_null(strstr(buf, "undefined (15)"));
	assert_non_null(strstr(buf, "?(9)"));
	assert_non_null(strstr(buf, "?(15)"));
	assert_int_equal(buf[strlen(buf) - 1], ')');
}

static void
hints(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 1), *q = world_port(w->f.s, 0x200, 1);
	struct link_hint h = link_hint(&w->f, p);
	char buf[LINK_TEXT_BYTES];

	assert_string_equal(h.width, "");
	assert_string_equal(h.speed, "");
	assert_null(h.speed_name);
	WORLD_SET(p, width_active, LINK_WIDTH_1X);
	WORLD_SET(p, speed_ext_active, LINK_SPEED_EXT_EDR);
	h = link_hint(&w->f, p);
	assert_string_equal(h.width, "4X");
	assert_string_equal(h.speed, "53.125 Gbps");
	assert_string_equal(h.speed_name, "HDR");
	assert_non_null(strstr(
		link_text(&w->d, &w->f, NULL, p, 0, buf), "(Could be 4X Could be 53.125 Gbps)"));
	/* Only what both ends have enabled; the code for "off" is no mask. */
	WORLD_SET(q, width_enabled, LINK_WIDTH_1X);
	WORLD_SET(q, speed_ext_enabled, LINK_SPEED_EXT_OFF);
	h = link_hint(&w->f, p);
	assert_string_equal(h.width, "");
	assert_string_equal(h.speed, "");
}

static void
no_hints(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 1), *q = world_port(w->f.s, 0x200, 1);

	WORLD_SET(p, width_active, LINK_WIDTH_1X);
	assert_string_equal(link_hint(&w->f, p).width, "4X");
	w->f.drawn = true;
	assert_string_equal(link_hint(&w->f, p).width, "");
	w->f.drawn = false;
	q->flags &= (uint8_t)~FAB_PORT_INFO;
	assert_string_equal(link_hint(&w->f, p).width, "");
	assert_string_equal(link_hint(&w->f, world_port(w->f.s, 0x100, 3)).width, "");
}

static void
json(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x100, 1);
	json_t *o = link_json_hint(&w->f, p);

	assert_true(json_is_null(json_object_get(o, "width")));
	assert_true(json_is_null(json_object_get(o, "speed")));
	json_decref(o);
	WORLD_SET(p, width_active, LINK_WIDTH_1X);
	WORLD_SET(p, speed_ext_active, LINK_SPEED_EXT_EDR);
	o = link_json_hint(&w->f, p);
	assert_string_equal(json_string_value(json_object_get(o, "width")), "4x");
	assert_string_equal(json_string_value(json_object_get(o, "speed")), "HDR");
	json_decref(o);
}

static void
ext_port(void **state)
{
	struct world *w = *state;
	struct chassis_node nodes[5] = { [0] = { .slot = CHASSIS_SLOT_LINE } };
	struct chassis_map m = { .nodes = nodes };
	char buf[12];

	assert_string_equal(link_ext_port(&w->f, NULL, world_port(w->f.s, 0x100, 2), buf), "  ");
	assert_string_equal(link_ext_port(&w->f, &m, world_port(w->f.s, 0x100, 2), buf), "2");
	assert_string_equal(link_ext_port(&w->f, &m, world_port(w->f.s, 0x400, 2), buf), "  ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(no_peer, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(strange, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(hints, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(no_hints, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(json, widths_begin, world_end),
		cmocka_unit_test_setup_teardown(ext_port, widths_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
