/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_show.c - the cycle shown as evidence is real: each of its packets can make its turn.
 */
#include <config.h>
#include "tests/unit/fabric/verify/routed.h"

static struct verify_result v;

/* Each edge of the cycle shown must be real: its LID comes in by one channel and leaves by the next. */
static void
check_cycle(bool whole)
{
	assert_in_range(v.ncycle, 2, VERIFY_CYCLE_MAX);
	for (unsigned i = 0; i < v.ncycle; i++) {
		const struct fab_port *in = &rt.s->ports[v.cycle[i]];
		const struct fab_port *from = &rt.s->ports[in->peer];
		uint16_t lid = v.cycle_lid[i];
		uint8_t out;

		assert_int_not_equal(lid, 0);
		assert_int_equal(fwd_row(&rt.f, rt.s->nodes[from->node].sw)[lid], from->num);
		out = fwd_row(&rt.f, rt.s->nodes[in->node].sw)[lid];
		if (i + 1 < v.ncycle || whole)
			assert_int_equal(rt.s->ports[rt.s->nodes[in->node].first_port + out].peer,
				v.cycle[(i + 1) % v.ncycle]);
	}
}

static void
cycles_are_real(void **state)
{
	(void)state;
	routed_make("torus:8,hosts=1");
	routed_run("minhop", &rt.f);
	for (int all = 0; all < 2; all++) {
		verify_tables(rt.s, &rt.lids, &rt.f, all ? VERIFY_ALL : VERIFY_HOSTS, &v);
		assert_int_equal(v.credit_loops, 2);
		assert_int_equal(v.ncycle, 8);
		check_cycle(true);
	}
	routed_make("torus:4x4x4,hosts=1");
	routed_run("minhop", &rt.f);
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
	check_cycle(true);
	routed_make("torus:150,hosts=1");
	routed_run("minhop", &rt.f);    /* longer than there is room for */
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
	assert_int_equal(v.ncycle, VERIFY_CYCLE_MAX);
	check_cycle(false);
}

/* A ring in which SL 1 goes round on VL 1: the channels shown are of that VL, and the SL is. */
static void
cycles_of_a_lane(void **state)
{
	struct lane_plan *p;
	uint32_t n;

	(void)state;
	routed_make("torus:7,hosts=1,radix=4");
	routed_run("minhop", &rt.f);
	n = rt.s->nswitches;
	p = arena_alloc(&rt.arena, sizeof(*p));
	*p = (struct lane_plan){ .nvls = 2, .sls = 3, .nswitches = n, .nclasses = 1 };
	p->vl[0][0][1] = 1;
	p->sl = arena_array(&rt.arena, n, n);
	memset(p->sl, 1, (size_t)n * n);
	rt.f.lanes = p;
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_ALL, &v);
	assert_int_equal(v.credit_loops, 2);
	assert_int_equal(v.ncycle, 7);
	for (unsigned i = 0; i < v.ncycle; i++) {
		assert_int_equal(v.cycle_vl[i], 1);
		assert_int_equal(v.cycle_sl[i], 1);
	}
	check_cycle(true);
}

/* The switch behind a port; FAB_NONE. */
static uint32_t
behind(uint32_t sw, uint8_t port)
{
	const struct fab_node *n = &rt.s->nodes[rt.s->switches[sw]];
	uint32_t peer = port &&
		port <= n->nports ? rt.s->ports[n->first_port + port].peer : FAB_NONE;

	return peer == FAB_NONE ? FAB_NONE : rt.s->nodes[rt.s->ports[peer].node].sw;
}

/* Hosts only at every second switch. */
static void
unplug_hosts(void)
{
	for (uint32_t i = 0; i < rt.s->nports; i++) {
		struct fab_port *p = &rt.s->ports[i];

		if (p->peer == FAB_NONE || rt.s->nodes[p->node].sw % 2 == 0 ||
		    rt.s->nodes[p->node].sw == FAB_NONE ||
		    fab_is_switch(&rt.s->nodes[rt.s->ports[p->peer].node]))
			continue;
		rt.s->ports[p->peer].peer = FAB_NONE;
		p->peer = FAB_NONE;
	}
}

/* Whether packets of hosts to 'lid' may come to 'at', by the entries of any of the tables. */
static bool
may_come(uint16_t lid, uint32_t at, const struct fwd_tables *const *t, unsigned n)
{
	bool there[64] = { false };

	assert_true(rt.s->nswitches <= 64);
	for (uint32_t sw = 0; sw < rt.s->nswitches; sw++)
		there[sw] = sw % 2 == 0;
	for (uint32_t round = 0; round < rt.s->nswitches; round++)
		for (uint32_t sw = 0; sw < rt.s->nswitches; sw++)
			for (unsigned k = 0; there[sw] && k < n; k++) {
				uint32_t next = behind(sw, fwd_row(t[k], sw)[lid]);

				if (next != FAB_NONE)
					there[next] = true;
			}
	return there[at];
}

/* Scope hosts: each LID shown is of packets that come from a host and make the turn, by the entries
 * of the tables, or of a change by the old or the new ones. */
static void
packets_of_hosts(void **state)
{
	const struct fwd_tables *both[] = { &rt.f, &rt.old };
	unsigned shown[2] = { 0, 0 };

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		char spec[80];
		unsigned n = 1 + i % 2;

		snprintf(spec, sizeof(spec), "torus:%u,hosts=1,radix=4", 5 + i % 9);
		if (i % 4 > 1)
			snprintf(spec, sizeof(spec),
				"random:switches=12,cables=20,hosts=1,seed=%u", i);
		routed_make(spec);
		unplug_hosts();
		routed_run("updn", &rt.old);
		routed_run("minhop", &rt.f);
		v = routed_verified(n > 1 ? &rt.old : NULL, VERIFY_HOSTS);
		assert_int_equal(v.ncycle > 0, v.credit_loops > 0);
		for (unsigned k = 0; k < v.ncycle; k++, shown[n - 1]++) {
			uint32_t from = rt.s->ports[v.cycle[k]].peer;
			uint32_t out = rt.s->ports[v.cycle[(k + 1) % v.ncycle]].peer;
			uint32_t sw[2] = { rt.s->nodes[rt.s->ports[from].node].sw,
				rt.s->nodes[rt.s->ports[out].node].sw };
			uint8_t by[2] = { rt.s->ports[from].num, rt.s->ports[out].num };

			assert_in_range(v.cycle_lid[k], 1, rt.lids.top);
			assert_true(may_come(v.cycle_lid[k], sw[0], both, n));
			for (unsigned j = 0; j < 2; j++)
				assert_true(fwd_row(&rt.f, sw[j])[v.cycle_lid[k]] == by[j] ||
					(n > 1 && fwd_row(&rt.old,
						sw[j])[v.cycle_lid[k]] == by[j]));
		}
	}
	assert_true(shown[0] > 50 && shown[1] > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cycles_are_real, routed_teardown),
		cmocka_unit_test_teardown(cycles_of_a_lane, routed_teardown),
		cmocka_unit_test_teardown(packets_of_hosts, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify show", tests, routed_setup,
		routed_group_teardown);
}
