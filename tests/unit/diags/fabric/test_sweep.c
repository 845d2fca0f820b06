/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sweep.c - a sweep by directed routes over a port that answers from a saved fabric.
 */
#include <config.h>
#include "diags/fabric/fabric_int.h"
#include "tests/unit/diags/world.h"

static void
whole(void **state)
{
	struct world *w = *state;
	struct snapshot *s;

	world_answer(&w->d, fake_snapshot(), NULL);
	assert_int_equal(fabric_sweep(&w->d, 0, NULL, &s), 0);
	assert_int_equal(s->nnodes, 5);
	assert_int_equal(s->nlinks, 4);
	assert_int_equal(s->ports[s->sm_port].guid, 0x201);
	assert_int_equal(s->nproblems, 0);
	assert_null(world_node(s, 0x100)->lft);
	assert_int_equal(port_info_decode(world_port(s, 0x400, 0)->info).lid, 4);
	assert_int_equal(port_info_decode(world_port(s, 0x400, 3)->info).state, PORT_STATE_DOWN);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
	snapshot_free(s);
}

static void
with_tables(void **state)
{
	static const uint8_t lft[] = { 255, 0, 1, 2, 4, 4 };
	struct world *w = *state;
	struct snapshot *twin = fake_snapshot(), *s;

	world_lft(twin, 0x100, lft, sizeof(lft));
	world_lft(twin, 0x400, lft, sizeof(lft));
	world_answer(&w->d, twin, NULL);
	assert_int_equal(fabric_sweep(&w->d, DIAG_WANT_LFT, NULL, &s), 0);
	assert_non_null(world_node(s, 0x100)->lft);
	assert_int_equal(world_node(s, 0x100)->lft[5], 4);
	snapshot_free(s);
}

/* A part: the end of the route and its neighbours, seen from there. */
static void
part(void **state)
{
	struct world *w = *state;
	struct diag_addr leaf = diag_addr_path((const uint8_t[]){ 0, 1 }, 1);
	struct diag_addr spine = diag_addr_path((const uint8_t[]){ 0, 1, 4 }, 2);
	struct diag_fabric f;

	world_answer(&w->d, fake_snapshot(), NULL);
	assert_int_equal(diag_fabric_around(&w->d, &spine, 1, false, &f), 0);
	assert_int_equal(f.s->nnodes, 3);
	assert_int_equal(fab_node_of(&f, &f.s->ports[f.s->sm_port])->guid, 0x400);
	diag_fabric_clear(&f);
	assert_int_equal(diag_fabric_around(&w->d, &leaf, 1, false, &f), 0);
	assert_int_equal(f.s->nnodes, 4);
	assert_true(f.mads > 0);
	diag_fabric_clear(&f);
}

static void
nothing_there(void **state)
{
	struct world *w = *state;
	struct diag_addr air = diag_addr_path((const uint8_t[]){ 0, 1, 3 }, 2);
	struct diag_fabric f;

	world_answer(&w->d, fake_snapshot(), NULL);
	assert_int_equal(diag_fabric_around(&w->d, &air, 1, false, &f), EXIT_PARTIAL);
	assert_null(f.s);
	assert_int_equal(json_array_size(w->d.errors), 1);
}

/* The vendor's attribute on FDR10 is asked for only where the configuration says so. */
static void
after_it_more(void **state)
{
	struct world *w = *state;
	struct snapshot *twin = fake_snapshot(), *s;

	wire_bits_put(world_node(twin, 0x100)->node_info, node_info_at_device_id,
		node_info_bits_device_id, 0xc738);
	WORLD_SET(world_port(twin, 0x100, 1), speed_active, LINK_SPEED_QDR);
	WORLD_SET(world_port(twin, 0x100, 1), speed_ext_active, 0);
	diag_settings_mut(&w->d)->mlx_epi = true;
	world_answer(&w->d, twin, NULL);
	assert_int_equal(fabric_sweep(&w->d, 0, NULL, &s), 0);
	/* No answer is no failure. */
	assert_int_equal(world_port(s, 0x100, 1)->flags & FAB_PORT_FDR10, 0);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
	snapshot_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole, world_begin, world_end),
		cmocka_unit_test_setup_teardown(with_tables, world_begin, world_end),
		cmocka_unit_test_setup_teardown(part, world_begin, world_end),
		cmocka_unit_test_setup_teardown(nothing_there, world_begin, world_end),
		cmocka_unit_test_setup_teardown(after_it_more, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
