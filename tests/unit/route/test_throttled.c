/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_throttled.c - links that are narrower or slower than both ends support: which they are, which of
 * them are hidden, and that routes avoid them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/topo/snapshot_topo.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "sim/gen/gen.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "sm/route/throttled.h"

static struct snapshot *s;
static struct arena arena;

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* All ports support 4x at speed bit 4 of the extended speeds, and have it. */
static void
make_fabric(const char *spec)
{
	struct topo_error e;
	struct topo topo;

	teardown(NULL);
	assert_int_equal(gen_or_read(spec, &topo, &e), 0);
	assert_int_equal(topo_to_snapshot(&topo, FAB_NONE, PORT_STATE_INIT, &s), 0);
	topo_clear(&topo);
	for (uint32_t i = 0; i < s->nports; i++) {
		struct fab_port *p = &s->ports[i];

		ATTR_SET(port_info, width_supported, p->info, LINK_WIDTH_1X | LINK_WIDTH_4X);
		ATTR_SET(port_info, width_active, p->info, LINK_WIDTH_4X);
		ATTR_SET(port_info, speed_supported, p->info, 7);
		ATTR_SET(port_info, speed_active, p->info, 4);
		ATTR_SET(port_info, speed_ext_supported, p->info, 7);
		ATTR_SET(port_info, speed_ext_active, p->info, 4);
		ATTR_SET(port_info, speed_ext_supported2, p->info, 0);
		ATTR_SET(port_info, speed_ext_active2, p->info, 0);
		p->flags |= FAB_PORT_INFO;
	}
}

/* The n-th port of a switch that leads to another one. */
static uint32_t
link_port(uint32_t sw, unsigned n)
{
	const struct fab_node *node = &s->nodes[s->switches[sw]];

	for (uint32_t p = node->first_port + 1; p <= node->first_port + node->nports; p++)
		if (s->ports[p].peer != FAB_NONE && s->nodes[s->ports[s->ports[p].peer].node].sw != FAB_NONE && n-- == 0)
			return p;
	fail_msg("no such link");
	return 0;
}

static void
narrow(uint32_t port)
{
	ATTR_SET(port_info, width_active, s->ports[port].info, LINK_WIDTH_1X);
	ATTR_SET(port_info, width_active, s->ports[s->ports[port].peer].info, LINK_WIDTH_1X);
}

static void
which_they_are(void **state)
{
	uint32_t p, q;

	(void)state;
	make_fabric("fattree:k=4,levels=2");
	p = link_port(0, 0);
	q = s->ports[p].peer;
	assert_false(throttled_link(s, p));
	narrow(p);
	assert_true(throttled_link(s, p) && throttled_link(s, q));
	/* The other end supports no more. */
	ATTR_SET(port_info, width_supported, s->ports[q].info, LINK_WIDTH_1X);
	assert_false(throttled_link(s, p) || throttled_link(s, q));
	p = link_port(1, 0);
	ATTR_SET(port_info, speed_ext_active, s->ports[p].info, 2);
	assert_true(throttled_link(s, p));
	ATTR_SET(port_info, speed_ext_active, s->ports[p].info, 0);
	assert_true(throttled_link(s, p));
	ATTR_SET(port_info, speed_ext_supported, s->ports[p].info, 0);
	assert_false(throttled_link(s, p));
	ATTR_SET(port_info, width_active, s->ports[p].info, 0);
	assert_false(throttled_link(s, p));     /* nothing is shown */
	narrow(p);
	assert_true(throttled_link(s, p));
	s->ports[p].flags = 0;
	assert_false(throttled_link(s, p));
}

static void
which_are_hidden(void **state)
{
	const struct snapshot *less;
	uint32_t n, p;

	(void)state;
	make_fabric("mesh:4,hosts=1");
	assert_ptr_equal(throttled_hide(s, &arena, &n), s);
	assert_int_equal(n, 0);
	p = link_port(1, 0);
	narrow(p);
	assert_ptr_equal(throttled_hide(s, &arena, &n), s);     /* it alone joins two parts */
	make_fabric("fattree:k=4,levels=2");
	p = link_port(0, 0);
	narrow(p);
	less = throttled_hide(s, &arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(less->nlinks, s->nlinks - 1);
	assert_int_equal(less->ports[p].peer, FAB_NONE);
	assert_int_equal(less->ports[s->ports[p].peer].peer, FAB_NONE);
	assert_int_not_equal(s->ports[p].peer, FAB_NONE);
	/* If all are throttled, enough of them stay to hold the fabric together. */
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE)
			narrow(i);
	less = throttled_hide(s, &arena, &n);
	assert_int_equal(less->nlinks, s->nhosts + s->nswitches - 1);
}

/* No entry leads over a hidden link, and the tables are right for the whole fabric. */
static void
routes_avoid_them(void **state)
{
	static const char *const engines[] = { "ftree", "updn", "nue", "minhop" };
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct lid_map lids;

	(void)state;
	for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct route_in in = { .lids = &lids };
		struct verify_result v;
		struct fwd_tables f;
		struct route_report r;
		const struct route_engine *e;
		uint32_t n, p, used = 0;
		char why[300];

		make_fabric("fattree:k=4,levels=2");
		assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
		p = link_port(0, 0);
		narrow(p);
		in.snapshot = throttled_hide(s, &arena, &n);
		e = route_find(engines[i], why, sizeof(why));
		assert_int_equal(e->run(&in, &arena, &f, &r), ROUTE_OK);
		verify_tables(s, &lids, &f, e->scope, &v);
		assert_true(v.ok);
		for (uint32_t lid = 1; lid <= lids.top; lid++)
			used += fwd_row(&f, 0)[lid] == s->ports[p].num;
		assert_int_equal(used, 0);
		in.snapshot = s;
		assert_int_equal(e->run(&in, &arena, &f, &r), ROUTE_OK);
		for (uint32_t lid = 1; lid <= lids.top; lid++)
			used += fwd_row(&f, 0)[lid] == s->ports[p].num;
		assert_true(used > 0);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(which_they_are, teardown),
		cmocka_unit_test_teardown(which_are_hidden, teardown),
		cmocka_unit_test_teardown(routes_avoid_them, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
