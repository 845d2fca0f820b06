/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_result.c - problems one by one, and ports and nodes in numbers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/result.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep_result r;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&r, 0, sizeof(r));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	sweep_result_clear(&r);
	served_clear(&b);
	return 0;
}

static void
problems_stay_as_the_list_grows(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct sweep_problem *f = sweep_result_add(&r);

		assert_int_equal(f->modifier, 0);
		assert_int_equal(f->reason[0], 0);
		f->modifier = i + 1;
		memset(f->reason, 'x', sizeof(f->reason) - 1);
	}
	assert_int_equal(r.nproblems, 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(r.problems[i].modifier, i + 1);
	sweep_result_clear(&r);
	assert_int_equal(r.nproblems, 0);
	assert_null(r.problems);
}

static void
set_state(unsigned host, uint8_t port_state)
{
	struct port_info info = served_info(&b, served_host(&b, host));

	info.state = port_state;
	served_set_info(&b, served_host(&b, host), info);
}

/* Port 0 of a switch has no link and is not counted; a port without a peer is unlinked, whatever it shows. */
static void
ports_are_counted_by_state(void **state)
{
	struct subnet_counts *c = &r.counts;

	(void)state;
	set_state(1, PORT_STATE_DOWN);
	set_state(2, PORT_STATE_NO_CHANGE);
	set_state(3, PORT_STATE_INIT);
	set_state(4, PORT_STATE_ARMED);
	sweep_result_count(b.s, &r);
	assert_int_equal(c->linked, b.s->nlinks * 2);
	assert_int_equal(c->down, 2);
	assert_int_equal(c->init, 1);
	assert_int_equal(c->armed, 1);
	assert_int_equal(c->active, c->linked - 4);
	assert_int_equal(c->linked + c->unlinked + b.s->nnodes, b.s->nports);
	b.s->ports[served_host(&b, 5)].peer = FAB_NONE;
	sweep_result_count(b.s, &r);
	assert_int_equal(c->active, c->linked - 4);
	assert_int_equal(c->linked, b.s->nlinks * 2 - 1);
}

static void
nodes_are_counted_by_type(void **state)
{
	(void)state;
	b.s->nodes[b.s->ports[served_host(&b, 1)].node].type = NODE_TYPE_ROUTER;
	sweep_result_count(b.s, &r);
	assert_int_equal(r.counts.nodes, b.s->nnodes);
	assert_int_equal(r.counts.switches, b.s->nswitches);
	assert_int_equal(r.counts.routers, 1);
	assert_int_equal(r.counts.cas, b.s->nnodes - b.s->nswitches - 1);
	assert_null(r.verify_doc);                      /* nothing was verified */
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(problems_stay_as_the_list_grows),
		T(ports_are_counted_by_state),
		T(nodes_are_counted_by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
