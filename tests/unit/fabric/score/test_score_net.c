/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_score_net.c - ports and hosts as they are numbered for scores, and walks of one LID.
 */
#include <config.h>
#include "fabric/score/score_net.h"
#include "tests/unit/fabric/score/rig.h"

/*
 * Switches 0, 1, 2 in a row, with two cables between 0 and 1, and a cable from 2 to itself; hosts 3
 * and 4 at switch 0, 5 at switch 2; host 6 has no cable, and 7 and 8 are cabled to each other.
 */
static const struct small_node nodes[] = {
	{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 5 }, { TOPO_SWITCH, 6 }, { TOPO_CA, 1 }, { TOPO_CA, 2 },
	{ TOPO_CA, 1 }, { TOPO_CA, 1 }, { TOPO_CA, 1 }, { TOPO_CA, 1 },
};
static const struct small_cable cables[] = {
	{ 0, 1, 3, 1 }, { 0, 2, 4, 2 }, { 0, 3, 1, 1 }, { 0, 4, 1, 2 }, { 1, 5, 2, 5 },
	{ 2, 2, 5, 1 }, { 2, 3, 2, 4 }, { 7, 1, 8, 1 },
};

static int
setup(void **state)
{
	static struct rig rig;

	rig_begin(&rig, small_snapshot(nodes, 9, cables, 8));
	*state = &rig;
	return 0;
}

static int
teardown(void **state)
{
	rig_end(*state);
	return 0;
}

/* Ports are numbered through, port 0 of each switch included. */
static void
ports(void **state)
{
	static const uint32_t first[] = { 0, 5, 11, 18 };
	struct rig *r = *state;
	struct score_net n;

	score_net_make(&n, r->s, &r->lids, &r->f, &r->arena);
	assert_int_equal(n.nsw, 3);
	assert_int_equal(n.nports, 18);
	assert_int_equal(n.nlinks, 6); /* a cable to the switch itself leads to no other */
	for (unsigned sw = 0; sw < 4; sw++)
		assert_int_equal(n.first[sw], first[sw]);
	for (uint32_t p = 0; p < n.nports; p++)
		assert_int_equal(n.to[p], p == 3 || p == 4 ? 1 :
			p == 6 || p == 7 ? 0 : p == 10 ? 2 : p == 16 ? 1 : FAB_NONE);
	assert_int_equal(score_port(&n, 0, 0), 0);
	assert_int_equal(score_port(&n, 0, 4), 4);
	assert_int_equal(score_port(&n, 0, 5), FAB_NONE);
	assert_int_equal(score_port(&n, 2, 6), 17);
	assert_int_equal(score_port(&n, 2, 7), FAB_NONE);
	assert_int_equal(score_port(&n, 2, 255), FAB_NONE);
	assert_int_equal(score_entry(&n, 1, r->f.top + 1u), FAB_LFT_DROP);
	assert_int_equal(score_entry(&n, 1, 0), FAB_LFT_DROP);
}

static void
hosts(void **state)
{
	struct rig *r = *state;
	struct score_net n;

	score_net_make(&n, r->s, &r->lids, &r->f, &r->arena);
	score_net_hosts(&n, NULL, 0, &r->arena);
	assert_int_equal(n.nhosts, 3);
	assert_int_equal(n.hosts[0].port, small_port(r->s, 3, 1));
	assert_int_equal(n.hosts[1].port, small_port(r->s, 4, 2));
	assert_int_equal(n.hosts[1].sw, 0);
	assert_int_equal(n.hosts[1].via, 2);
	assert_int_equal(n.hosts[1].lid, r->lids.base[small_port(r->s, 4, 2)]);
	assert_int_equal(n.hosts[2].sw, 2);
	assert_int_equal(n.hosts[2].via, 2);
	assert_int_equal(n.at[0], 2);
	assert_int_equal(n.at[1], 0);
	assert_int_equal(n.at[2], 1);
}

/* The given order is kept; what is no host, or none that can be reached, is left out. */
static void
given_hosts(void **state)
{
	struct rig *r = *state;
	uint32_t list[] = { small_port(r->s, 5, 1), small_port(r->s, 1, 0), UINT32_MAX,
		r->s->nports, small_port(r->s, 6, 1), small_port(r->s, 7, 1),
		small_port(r->s, 0, 3), small_port(r->s, 4, 1), small_port(r->s, 4, 2),
		small_port(r->s, 3, 1) };
	struct score_net n;

	r->lids.base[small_port(r->s, 4, 2)] = 0;
	score_net_make(&n, r->s, &r->lids, &r->f, &r->arena);
	score_net_hosts(&n, list, 10, &r->arena);
	assert_int_equal(n.nhosts, 2);
	assert_int_equal(n.hosts[0].port, list[0]);
	assert_int_equal(n.hosts[1].port, list[9]);
	assert_int_equal(n.at[0], 1);
	assert_int_equal(n.at[2], 1);
	score_net_hosts(&n, list, 0, &r->arena);
}

/* Walks 'lid' from every switch; the marks as digits, in the order of the switches. */
static const char *
marks(struct rig *r, uint16_t lid, uint32_t owner)
{
	static const char names[] = "?olg";
	static char text[8];
	struct score_net n;
	struct score_walk w;
	bool seen[3] = { false };

	score_net_make(&n, r->s, &r->lids, &r->f, &r->arena);
	score_walk_init(&w, &n, &r->arena);
	score_walk_begin(&w, &n);
	for (uint32_t sw = 0; sw < n.nsw; sw++) {
		score_walk_from(&w, &n, sw, lid, owner);
		score_walk_from(&w, &n, sw, lid, owner); /* nothing more to see */
	}
	assert_int_equal(w.norder, n.nsw);
	for (uint32_t i = 0; i < n.nsw; i++) {
		uint32_t sw = w.order[i], p = score_port(&n, sw, score_entry(&n, sw, lid));

		assert_false(seen[sw]);
		seen[sw] = true;
		if (w.mark[sw] == SCORE_GOOD && n.to[p] != FAB_NONE)
			assert_true(seen[n.to[p]]); /* each after its next one */
		text[sw] = names[w.mark[sw]];
	}
	text[n.nsw] = '\0';
	score_walk_begin(&w, &n);
	assert_int_equal(w.norder, 0);
	for (uint32_t sw = 0; sw < n.nsw; sw++)
		assert_int_equal(w.mark[sw], SCORE_UNSEEN);
	return text;
}

static void
walks(void **state)
{
	struct rig *r = *state;
	uint32_t far = small_port(r->s, 5, 1), near = small_port(r->s, 3, 1);
	uint16_t lid = r->lids.base[far];

	assert_string_equal(marks(r, lid, far), "lll");
	rig_entry(r, 0, lid, 4);
	rig_entry(r, 1, lid, 5);
	rig_entry(r, 2, lid, 2);
	assert_string_equal(marks(r, lid, far), "ggg");
	assert_string_equal(marks(r, lid, near), "lll");        /* another owner */
	assert_string_equal(marks(r, lid, FAB_NONE), "lll");
	rig_entry(r, 1, lid, 2);
	assert_string_equal(marks(r, lid, far), "llg");         /* 0 and 1 send to one another */
	rig_entry(r, 1, lid, 6);
	assert_string_equal(marks(r, lid, far), "llg");         /* no such port */
	rig_entry(r, 1, lid, 3);
	assert_string_equal(marks(r, lid, far), "llg");         /* a port without a cable */
	rig_entry(r, 1, lid, 5);
	rig_entry(r, 2, lid, 3);
	assert_string_equal(marks(r, lid, far), "lll");         /* to the switch itself */
	rig_entry(r, 0, lid, 1);
	rig_entry(r, 2, lid, 2);
	assert_string_equal(marks(r, lid, far), "lgg");         /* another host */
}

/* The LID of a switch ends at its port 0, and only there. */
static void
walk_to_switch(void **state)
{
	struct rig *r = *state;
	uint32_t owner = small_port(r->s, 1, 0);
	uint16_t lid = r->lids.base[owner];

	rig_entry(r, 0, lid, 3);
	rig_entry(r, 1, lid, 0);
	rig_entry(r, 2, lid, 0);
	assert_string_equal(marks(r, lid, owner), "ggl");
	assert_string_equal(marks(r, (uint16_t)(r->f.top + 1), owner), "lll");
}

static void
no_switch(void **state)
{
	static const struct small_node two[] = { { TOPO_CA, 1 }, { TOPO_CA, 1 } };
	static const struct small_cable cable[] = { { 0, 1, 1, 1 } };
	struct rig r;
	struct score_net n;

	(void)state;
	rig_begin(&r, small_snapshot(two, 2, cable, 1));
	score_net_make(&n, r.s, &r.lids, &r.f, &r.arena);
	score_net_hosts(&n, NULL, 0, &r.arena);
	assert_int_equal(n.nsw, 0);
	assert_int_equal(n.nports, 0);
	assert_int_equal(n.nhosts, 0);
	rig_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ports, setup, teardown),
		cmocka_unit_test_setup_teardown(hosts, setup, teardown),
		cmocka_unit_test_setup_teardown(given_hosts, setup, teardown),
		cmocka_unit_test_setup_teardown(walks, setup, teardown),
		cmocka_unit_test_setup_teardown(walk_to_switch, setup, teardown),
		cmocka_unit_test(no_switch),
	};

	return cmocka_run_group_tests_name("fabric/score/net", tests, NULL, NULL);
}
