/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_narrow.c - the part of a fabric that --select names, as a fabric of its own.
 */
#include <config.h>
#include "diags/topo/narrow.h"
#include "tests/unit/diags/world.h"

static int
narrow(struct world *w, const char *select, struct diag_fabric *plan)
{
	struct diag_settings *set = diag_settings_mut(&w->d);

	free(set->select);
	set->select = select ? strdup(select) : NULL;
	return topo_narrow(&w->d, &w->f, plan);
}

static void
not_asked(void **state)
{
	struct world *w = *state;
	const struct snapshot *s = w->f.s;

	assert_int_equal(narrow(w, NULL, NULL), 0);
	assert_ptr_equal(w->f.s, s);
}

/* The selected, and the nodes at the other ends of its links, but not their other links. */
static void
part(void **state)
{
	static const uint8_t lft[] = { 255, 0, 1, 2, 4, 4 };
	struct world *w = *state;

	world_lft(w->f.s, 0x100, lft, sizeof(lft));
	assert_int_equal(narrow(w, "node:spine-0", NULL), 0);
	assert_int_equal(w->f.s->nnodes, 3);
	assert_int_equal(w->f.s->nlinks, 2);
	assert_int_equal(snapshot_node_by_guid(w->f.s, 0x200), FAB_NONE);
	assert_int_equal(world_port(w->f.s, 0x100, 1)->peer, FAB_NONE);
	assert_ptr_equal(
		fab_peer_of(&w->f, world_port(w->f.s, 0x100, 4)), world_port(w->f.s, 0x400, 4));
	assert_null(world_node(w->f.s, 0x100)->lft);
	assert_int_equal(world_port(w->f.s, 0x100, 0)->pkeys, FAB_NONE);
	assert_int_equal(w->f.order[0] + w->f.order[1] + w->f.order[2], 3);
}

static void
refused(void **state)
{
	struct world *w = *state;
	const struct snapshot *s = w->f.s;

	assert_int_equal(narrow(w, "node:nobody", NULL), EXIT_FINDINGS);
	assert_ptr_equal(w->f.s, s);
	assert_int_equal(narrow(w, "nonsense", NULL), EXIT_USAGE);
	assert_ptr_equal(w->f.s, s);
	assert_int_equal(s->nnodes, 5);
}

/* A node that only one of them has selected is in both. */
static void
with_plan(void **state)
{
	struct world *w = *state;
	struct diag_fabric plan = { .s = NULL };

	world_fabric(&plan, fake_snapshot());
	world_unplug(w->f.s, 0x200, 1);
	assert_int_equal(narrow(w, "node:host-0", &plan), 0);
	assert_int_equal(plan.s->nnodes, 2); /* with its leaf */
	assert_int_equal(plan.s->nlinks, 1);
	assert_int_equal(w->f.s->nnodes, 2);
	assert_int_equal(w->f.s->nlinks, 0);
	diag_fabric_clear(&plan);
}

/* A plan that has nothing of it stays as it is. */
static void
not_in_plan(void **state)
{
	struct world *w = *state;
	struct diag_fabric plan = { .s = NULL };

	world_fabric(&plan, world_star(1, 1));
	assert_int_equal(narrow(w, "node:spine-0", &plan), 0);
	assert_int_equal(w->f.s->nnodes, 3);
	assert_int_equal(plan.s->nnodes, 1); /* its "spine" has the GUID of the leaf */
	diag_fabric_clear(&plan);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(not_asked, world_begin, world_end),
		cmocka_unit_test_setup_teardown(part, world_begin, world_end),
		cmocka_unit_test_setup_teardown(refused, world_begin, world_end),
		cmocka_unit_test_setup_teardown(with_plan, world_begin, world_end),
		cmocka_unit_test_setup_teardown(not_in_plan, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
