/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_hold.c - when the topology is in doubt, and which absent hosts the tables tell of.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/route.h"
#include "sm/planner/hold.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep_job *j;
static struct arena a;
static struct fwd_tables now;
static struct route_in in;

static int
setup(void **state)
{
	struct route_report r;
	char why[200];

	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->fresh = b.s;
	in = (struct route_in){ .snapshot = b.s, .lids = &b.plan.lids };
	assert_int_equal(route_find("updn", why, sizeof(why))->run(&in, &a, &now, &r), ROUTE_OK);
	in.previous = &now;
	for (uint32_t i = 0; i < b.s->nswitches; i++) {
		uint32_t port = b.s->nodes[b.s->switches[i]].first_port;
		struct port_info info = served_info(&b, port);

		info.master_sm_lid = b.plan.lids.base[b.s->sm_port];
		served_set_info(&b, port, info);
	}
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_clear(&a);
	free(j);
	served_clear(&b);
	return 0;
}

static void
doubts(void **state)
{
	struct intended *t = intended_learn(b.s, NULL);
	uint32_t port = b.s->nodes[b.s->switches[3]].first_port;
	struct port_info info = served_info(&b, port);

	(void)state;
	assert_true(hold_doubts(j, &in)); /* nothing is stored */
	j->in.led = true;
	assert_false(hold_doubts(j, &in));
	j->topology.held = true;
	assert_true(hold_doubts(j, &in));
	j->topology.deed = TOPOLOGY_ADOPTED;
	assert_false(hold_doubts(j, &in));
	j->topology.deed = TOPOLOGY_SAME;
	j->topology.held = j->in.led = false;
	j->topology.t = t;
	assert_false(hold_doubts(j, &in)); /* its own */
	info.master_sm_lid++;
	served_set_info(&b, port, info);
	assert_true(hold_doubts(j, &in)); /* another led */
	j->in.reassign = true;
	assert_false(hold_doubts(j, &in));
	j->in.reassign = false;
	memset(now.port, FAB_LFT_DROP, (size_t)now.nswitches * now.stride);
	assert_false(hold_doubts(j, &in)); /* nobody forwards */
	intended_free(t);
}

/* A host is off, and then so is the last link on the way to it from one switch. */
static void
absent_hosts(void **state)
{
	uint32_t port = served_host(&b, 2), peer = b.s->ports[port].peer;
	uint16_t lid = b.plan.lids.base[port];
	struct route_absent known[] = { { 900, 1, 3 } };

	(void)state;
	b.s->ports[port].peer = b.s->ports[peer].peer = FAB_NONE;
	b.plan.lids.owner[lid] = FAB_NONE;
	in.absent = known;
	in.nabsent = 1;
	hold_find_absent(j, &a, &in);
	assert_int_equal(in.nabsent, 2);
	assert_int_equal(in.absent[0].lid, 900);
	assert_int_equal(in.absent[1].lid, lid);
	assert_int_equal(in.absent[1].sw, b.s->nodes[b.s->ports[peer].node].sw);
	assert_int_equal(in.absent[1].port, b.s->ports[peer].num);
	for (uint32_t sw = 0; sw < now.nswitches; sw++) {
		const struct fab_node *n = &b.s->nodes[b.s->switches[sw]];
		uint32_t out = n->first_port + fwd_row(&now, sw)[lid], to = b.s->ports[out].peer;

		if (to == FAB_NONE)
			continue;
		b.s->ports[out].peer = b.s->ports[to].peer = FAB_NONE;
		break;
	}
	in.nabsent = 0;
	hold_find_absent(j, &a, &in);
	assert_int_equal(in.nabsent, 1);
	assert_int_equal(in.absent[0].port, b.s->ports[peer].num);
	/* nobody knows where it was */
	for (uint32_t sw = 0; sw < now.nswitches; sw++)
		fwd_row(&now, sw)[lid] = (uint8_t)(sw + 1);
	in.nabsent = 0;
	hold_find_absent(j, &a, &in);
	for (uint32_t i = 0; i < in.nabsent; i++)
		assert_int_equal(in.absent[i].lid, lid);
}

static void
tables_in_force(void **state)
{
	struct verify_result v;
	struct fwd_tables copy, other;

	(void)state;
	assert_true(hold_present(j, &in, VERIFY_ALL, &a, &copy, &v));
	assert_true(copy.port != now.port);
	assert_true(hold_tables_agree(&in, &now, &copy));
	fwd_row(&copy, 1)[b.plan.lids.base[served_host(&b, 3)]] ^= 1;
	assert_false(hold_tables_agree(&in, &now, &copy));
	fwd_row(&now, 1)[b.plan.lids.base[served_host(&b, 3)]] = FAB_LFT_DROP;
	assert_false(hold_present(j, &in, VERIFY_ALL, &a, &other, &v));
	assert_true(v.unreachable > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(doubts, setup, teardown),
		cmocka_unit_test_setup_teardown(absent_hosts, setup, teardown),
		cmocka_unit_test_setup_teardown(tables_in_force, setup, teardown),
	};

	return cmocka_run_group_tests_name("sm/planner/hold", tests, NULL, NULL);
}
