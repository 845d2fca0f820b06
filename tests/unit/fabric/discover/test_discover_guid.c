/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_guid.c - which of several nodes and ports with one GUID is kept, whatever the order
 * of the answers.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

static struct snapshot *
sweep_since(struct fake *f, const struct snapshot *before)
{
	struct discover_conf c = fake_conf();

	c.one_per_guid = true;
	c.before = before;
	return fake_discover(f, &c);
}

/* The port before host 'i' is up to the second one only: whoever was in place before keeps the GUID, in any order of answers. */
static void
test_who_was_there_keeps_the_guid(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct snapshot *before, *s;
		uint32_t first, second, at;
		uint64_t guid;
		struct fake f;

		fake_fattree(&f, 4, 3);
		first = sweep_named(&f, "host", seed % 2 ? 1 : 9);
		second = sweep_named(&f, "host", seed % 2 ? 9 : 1);
		before = sweep_since(&f, NULL);
		assert_int_equal(before->nproblems, 0);
		guid = f.t.nodes[second].guid;
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		if (seed % 3)
			topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		f.seed = seed;
		s = sweep_since(&f, before);
		at = snapshot_node_by_guid(s, f.t.nodes[first].guid);
		assert_int_equal(snapshot_node_by_guid(s, guid), FAB_NONE);
		assert_int_not_equal(at, FAB_NONE);
		assert_int_equal(s->nodes[s->ports[snapshot_port(s, at, 1)->peer].node].guid,
			f.t.nodes[topo_port(&f.t, first, 1)->peer_node].guid);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

/* A second leaf with the GUID of a first one: the first stays with its hosts, whichever is nearer, and so do its spines. */
static void
test_a_switch_keeps_its_guid(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct snapshot *before, *s;
		uint32_t first, second, at;
		struct fake f;

		fake_fattree(&f, 4, 3);
		first = sweep_named(&f, "leaf", seed % 2 ? 2 : 6);
		second = sweep_named(&f, "leaf", seed % 2 ? 6 : 2);
		before = sweep_since(&f, NULL);
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		topo_port(&f.t, second, 0)->guid = topo_port(&f.t, first, 0)->guid;
		f.seed = seed;
		s = sweep_since(&f, before);
		at = snapshot_node_by_guid(s, f.t.nodes[first].guid);
		assert_int_not_equal(at, FAB_NONE);
		for (unsigned p = 1; p <= 4; p++) {
			uint32_t peer = snapshot_port(s, at, (uint8_t)p)->peer;

			assert_int_not_equal(peer, FAB_NONE);
			assert_int_equal(s->nodes[s->ports[peer].node].guid,
				f.t.nodes[topo_port(&f.t, first, (uint8_t)p)->peer_node].guid);
		}
		assert_int_equal(s->nnodes, 33);
		assert_int_equal(sweep_hosts_linked(s), 14);
		for (uint32_t i = 0; i < s->nproblems; i++)
			assert_int_equal(s->problems[i].kind, FAB_DUPLICATE_GUID);
		assert_in_range(s->nproblems, 1, 4);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

/* Of two that nobody knows, one is chosen by where they are; and everything that a sweep has seen before costs nothing more. */
static void
test_a_first_sweep_chooses(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		uint32_t near, far, at;
		struct snapshot *s, *again;
		uint64_t total;
		struct fake f;

		fake_fattree(&f, 4, 3);
		near = sweep_named(&f, "host", 5);
		far = sweep_named(&f, "host", 9);
		s = sweep_since(&f, NULL);
		total = f.total;
		assert_int_equal(total, fake_minimum(&f));
		again = sweep_since(&f, s);
		assert_int_equal(f.total, total);
		snapshot_free(again);
		snapshot_free(s);
		f.t.nodes[far].guid = f.t.nodes[near].guid;
		f.seed = seed;
		s = sweep_since(&f, NULL);
		at = snapshot_node_by_guid(s, f.t.nodes[near].guid);
		assert_int_not_equal(at, FAB_NONE);
		assert_int_equal(s->nodes[s->ports[snapshot_port(s, at, 1)->peer].node].guid,
			f.t.nodes[topo_port(&f.t, near, 1)->peer_node].guid);
		assert_int_equal(s->nproblems, 1);
		snapshot_free(s);
		fake_clear(&f);
	}
}

static void
test_a_port_keeps_its_guid(void **state)
{
	struct snapshot *before, *s;
	struct fake f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t first, second;

		fake_fattree(&f, 4, 3);
		first = sweep_named(&f, "host", i ? 2 : 7);
		second = sweep_named(&f, "host", i ? 7 : 2);
		before = sweep_since(&f, NULL);
		topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		s = sweep_since(&f, before);
		assert_int_equal(s->nnodes, 35);
		assert_int_not_equal(snapshot_node_by_guid(s, f.t.nodes[first].guid), FAB_NONE);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
		assert_int_equal(s->problems[0].guid, topo_port(&f.t, first, 1)->guid);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

/* Lies again, with a picture of before: the sweep ends, and no GUID is there twice. */
static void
test_lies_with_a_past(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint64_t x = seed;
		struct snapshot *before, *s;
		struct fake f;

		fake_torus(&f, 3, 3, 1, 1);
		before = sweep_since(&f, NULL);
		f.seed = seed;
		f.patient = seed % 2;
		f.hook = sweep_hook_lies;
		f.arg = &x;
		f.lenient = true;
		f.total = 0;
		s = sweep_since(&f, before);
		assert_true(f.total < 90000);
		for (uint32_t i = 0; s && i < s->nports; i++)
			if (s->ports[i].peer != FAB_NONE)
				assert_int_equal(s->ports[s->ports[i].peer].peer, i);
		for (uint32_t i = 1; s && i < s->nendports; i++)
			assert_true(s->ports[s->endports[i - 1]].guid < s->ports[s->endports[i]].guid);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

/* The host that is known by a GUID keeps silent on a link that is up: another one with this GUID
 * is reported, and does not take its place.  Once the link is down, it does. */
static void
test_a_silent_host_keeps_its_guid(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct sweep_fault x = { .modifier = FAKE_ANY, .silent = true, .value = -1 };
		struct snapshot *before, *s;
		uint32_t twin;
		uint64_t guid;
		struct fake f;

		fake_fattree(&f, 4, 3);
		before = sweep_since(&f, NULL);
		x.node = sweep_named(&f, "host", seed % 2 ? 3 : 9);
		twin = sweep_named(&f, "host", seed % 2 ? 9 : 3);
		guid = f.t.nodes[twin].guid = f.t.nodes[x.node].guid;
		topo_port(&f.t, twin, 1)->guid = topo_port(&f.t, x.node, 1)->guid;
		f.hook = sweep_hook_fault;
		f.arg = &x;
		f.seed = seed;
		s = sweep_since(&f, before);
		assert_int_equal(snapshot_node_by_guid(s, guid), FAB_NONE);
		assert_int_equal(s->nnodes, 34);
		assert_int_equal(s->nproblems, 2);
		for (uint32_t i = 0; i < 2; i++) {
			const struct fab_problem *p = &s->problems[i];

			if (p->kind == FAB_UNRESPONSIVE)
				continue;
			assert_int_equal(p->kind, FAB_DUPLICATE_GUID);
			assert_int_equal(p->guid, guid);
			assert_non_null(strstr(p->reason,
				"another node is served under this node GUID; it was first at 0,1,"));
		}
		assert_int_not_equal(s->problems[0].kind, s->problems[1].kind);
		snapshot_free(s);

		fake_unplug(&f, x.node, 1);
		s = sweep_since(&f, before);
		assert_int_equal(s->nproblems, 0);
		assert_int_not_equal(snapshot_node_by_guid(s, guid), FAB_NONE);
		assert_int_equal(s->nnodes, 35);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

/* What the caller knows of a GUID counts more than the snapshot before. */
static void
test_the_caller_knows(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct discover_conf c = fake_conf();
		struct discover_place known;
		struct snapshot *before, *s;
		uint32_t first, second, at;
		const struct topo_port *p;
		struct fake f;

		fake_fattree(&f, 4, 3);
		first = sweep_named(&f, "host", 3);
		second = sweep_named(&f, "host", 9);
		before = sweep_since(&f, NULL);
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		p = topo_port(&f.t, second, 1);
		known = (struct discover_place){ f.t.nodes[first].guid,
			f.t.nodes[p->peer_node].guid, p->peer_port };
		c.one_per_guid = true;
		c.before = before;
		c.known = &known;
		c.nknown = 1;
		f.seed = seed;
		s = fake_discover(&f, &c);
		at = snapshot_node_by_guid(s, known.guid);
		assert_int_not_equal(at, FAB_NONE);
		assert_int_equal(s->nodes[s->ports[snapshot_port(s, at, 1)->peer].node].guid,
			known.at_guid);
		assert_int_equal(s->nproblems, 1);
		snapshot_free(s);
		snapshot_free(before);
		fake_clear(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_was_there_keeps_the_guid),
		cmocka_unit_test(test_a_switch_keeps_its_guid),
		cmocka_unit_test(test_a_first_sweep_chooses),
		cmocka_unit_test(test_a_port_keeps_its_guid),
		cmocka_unit_test(test_lies_with_a_past),
		cmocka_unit_test(test_a_silent_host_keeps_its_guid),
		cmocka_unit_test(test_the_caller_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
