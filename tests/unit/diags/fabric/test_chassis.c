/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_chassis.c - nodes that share a box, and the slots that descriptions tell.
 */
#include <config.h>
#include "diags/fabric/chassis.h"
#include "tests/unit/diags/world.h"

#define SLOTTED 0xbd36

/* A switch of the vendor that describes slots, in the box of system GUID 'box'. */
static void
board(struct world *w, uint64_t guid, uint64_t box, const char *desc)
{
	struct fab_node *n = world_node(w->f.s, guid);

	n->sys_guid = box;
	wire_bits_put(n->node_info, node_info_at_vendor_id, node_info_bits_vendor_id, 0x2c9);
	wire_bits_put(n->node_info, node_info_at_device_id, node_info_bits_device_id, SLOTTED);
	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, desc, strnlen(desc, sizeof(n->desc)));
}

static const struct chassis_node *
at(const struct world *w, const struct chassis_map *m, uint64_t guid)
{
	return &m->nodes[world_node(w->f.s, guid) - w->f.s->nodes];
}

static void
alone(void **state)
{
	struct world *w = *state;
	struct chassis_map m;

	chassis_find(&w->f, &m);
	assert_int_equal(m.count, 0);
	assert_int_equal(at(w, &m, 0x100)->chassis, 0);
	chassis_clear(&m);
	chassis_clear(&m);
}

/* Numbers follow the order in which the tools list nodes: 0x500 is the first of five. */
static void
boxes(void **state)
{
	struct world *w = *state;
	struct chassis_map m;

	world_node(w->f.s, 0x100)->sys_guid = world_node(w->f.s, 0x200)->sys_guid = 0x77;
	world_node(w->f.s, 0x400)->sys_guid = world_node(w->f.s, 0x500)->sys_guid = 0x88;
	world_node(w->f.s, 0x300)->sys_guid = 0;
	chassis_find(&w->f, &m);
	assert_int_equal(m.count, 2);
	assert_int_equal(at(w, &m, 0x500)->chassis, 1);
	assert_int_equal(at(w, &m, 0x400)->chassis, 1);
	assert_int_equal(at(w, &m, 0x200)->chassis, 2);
	assert_int_equal(at(w, &m, 0x300)->chassis, 0);
	assert_int_equal(m.guids[0], 0x88);
	assert_int_equal(m.guids[1], 0x77);
	assert_int_equal(m.shown[0] + m.shown[1], 3);
	chassis_clear(&m);
}

/* No GUID is no box, however many have none. */
static void
no_guid(void **state)
{
	struct world *w = *state;
	struct chassis_map m;

	for (uint32_t i = 0; i < w->f.s->nnodes; i++)
		w->f.s->nodes[i].sys_guid = 0;
	chassis_find(&w->f, &m);
	assert_int_equal(m.count, 0);
	chassis_clear(&m);
}

/* Two vendors have the slot in one byte of the GUID. */
static void
slot_in_guid(void **state)
{
	struct world *w = *state;
	struct chassis_map m;

	board(w, 0x100, 0x0005ad0001000001, "a");
	board(w, 0x400, 0x0005ad0002000001, "b");
	chassis_find(&w->f, &m);
	assert_int_equal(m.count, 0);
	chassis_clear(&m);
	for (uint64_t guid = 0x100; guid <= 0x400; guid += 0x300)
		wire_bits_put(world_node(w->f.s, guid)->node_info, node_info_at_vendor_id,
			node_info_bits_vendor_id, 0x5ad);
	chassis_find(&w->f, &m);
	assert_int_equal(m.count, 1);
	chassis_clear(&m);
}

static void
slots(void **state)
{
	struct world *w = *state;
	struct chassis_map m;

	board(w, 0x100, 0x77, "MF0;big-1:CS8500/L03/U2");
	board(w, 0x400, 0x77, "MF0;big-1:CS8500/S12:BOARD/U1");
	chassis_find(&w->f, &m);
	assert_int_equal(at(w, &m, 0x100)->slot, CHASSIS_SLOT_LINE);
	assert_int_equal(at(w, &m, 0x100)->slot_number, 3);
	assert_int_equal(at(w, &m, 0x100)->chip, 2);
	assert_string_equal(at(w, &m, 0x100)->type, "CS8500");
	assert_int_equal(at(w, &m, 0x400)->slot, CHASSIS_SLOT_SPINE);
	assert_int_equal(at(w, &m, 0x400)->slot_number, 12);
	/* Only ports of line boards are outside. */
	assert_int_equal(chassis_ext_port(&w->f, &m, world_port(w->f.s, 0x100, 4)), 4);
	assert_int_equal(chassis_ext_port(&w->f, &m, world_port(w->f.s, 0x100, 0)), 0);
	assert_int_equal(chassis_ext_port(&w->f, &m, world_port(w->f.s, 0x400, 4)), 0);
	chassis_clear(&m);
}

/* A description is what somebody wrote: it may have anything, up to its last byte. */
static void
bad_descriptions(void **state)
{
	static const char *const bad[] = {
		"",
		"MF0;",
		"MF0;a",
		"MF0;a:",
		"MF0;a:T",
		"MF0;a:T/",
		"MF0;a:T/L",
		"MF0;a:T/L01",
		"MF0;a:T/L01/",
		"MF0;a:T/L01/U",
		"MF0;a:T/X01/U1",
		"MF0;a:T/L999/U1",
		"MF0;a:T/S99/U1",
		"MF0;a:T/L-1/U1",
		"mf0;a:T/L01/U1",
		"MF0;a:T/L01:B",
		"MF0;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"MF0;a:TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT/",
	};
	struct world *w = *state;
	struct chassis_map m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		board(w, 0x100, 0x77, bad[i]);
		board(w, 0x400, 0x77, "x");
		chassis_find(&w->f, &m);
		assert_int_equal(m.count, 1);
		assert_int_equal(at(w, &m, 0x100)->slot, CHASSIS_SLOT_NONE);
		chassis_clear(&m);
	}
	board(w, 0x100, 0x77, "MF0;a:TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT/L01/U1");
	chassis_find(&w->f, &m);
	assert_int_equal(strlen(at(w, &m, 0x100)->type), sizeof(m.nodes->type) - 1);
	chassis_clear(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(alone, world_begin, world_end),
		cmocka_unit_test_setup_teardown(boxes, world_begin, world_end),
		cmocka_unit_test_setup_teardown(no_guid, world_begin, world_end),
		cmocka_unit_test_setup_teardown(slot_in_guid, world_begin, world_end),
		cmocka_unit_test_setup_teardown(slots, world_begin, world_end),
		cmocka_unit_test_setup_teardown(bad_descriptions, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
