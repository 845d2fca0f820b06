/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_cable.c - links, links that move during the sweep, and nodes of one GUID against a
 * fabric in the same process.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

static uint32_t
put(struct topo_builder *b, enum topo_node_type type, uint8_t nports, const char *name)
{
	return topo_builder_node(b, type, nports, fake_guid(topo_builder_count(b) + 1), name);
}

static void
test_cables_into_themselves(void **state)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t own = put(b, TOPO_CA, 1, "own"), x = put(b, TOPO_SWITCH, 8, "x");
	struct snapshot *s;
	struct fake f;

	(void)state;
	topo_builder_cable(b, own, 1, x, 1);
	topo_builder_cable(b, x, 3, x, 5);
	fake_take(&f, b, own);
	s = sweep_all(&f);
	sweep_check(&f, s);
	assert_int_equal(s->nlinks, 2);
	snapshot_free(s);

	fake_plug(&f, x, 7, x, 7);              /* a loopback plug */
	s = sweep_all(&f);
	assert_int_equal(s->nlinks, 2);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
	assert_int_equal(s->problems[0].port, 7);
	assert_string_equal(s->problems[0].reason, "port cabled to itself");
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_two_hosts_of_one_guid(void **state)
{
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	uint32_t first = sweep_named(&f, "host", 1), second = sweep_named(&f, "host", 9);

	f.t.nodes[second].guid = f.t.nodes[first].guid;
	for (unsigned same_port_guid = 0; same_port_guid < 2; same_port_guid++) {
		struct snapshot *s;
		const struct fab_problem *t;

		if (same_port_guid)
			topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		s = sweep_all(&f);
		assert_int_equal(s->nnodes, 35);
		assert_int_equal(sweep_hosts_linked(s), 15);
		assert_int_equal(s->nproblems, 1);
		t = s->problems;
		assert_int_equal(t->kind, FAB_DUPLICATE_GUID);
		assert_int_equal(t->guid, f.t.nodes[first].guid);
		/* both places: the far one, and the one on our leaf */
		assert_int_equal(t->hop_count, 6);
		assert_int_equal(t->other_hop_count, 2);
		assert_int_equal(t->other_path[2], 2);
		assert_string_equal(t->reason,
			"another node has this node GUID; it was first at 0,1,2");
		/* 3 less for the second, 3 proofs */
		assert_int_equal(f.total, fake_minimum(&f) + same_port_guid);
		snapshot_free(s);
	}
	fake_clear(&f);
}

/* A second leaf with the GUID of a first: hosts behind the first all stay, the second's places are reported. */
static void
test_two_switches_of_one_guid(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		uint32_t first, second;
		unsigned reports = 0;
		struct snapshot *s;
		struct fake f;

		fake_fattree(&f, 4, 3);
		first = sweep_named(&f, "leaf", 2);
		second = sweep_named(&f, "leaf", 6);
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		topo_port(&f.t, second, 0)->guid = topo_port(&f.t, first, 0)->guid;
		f.seed = seed;
		s = sweep_all(&f);
		/* its two hosts cannot be told apart from nothing */
		assert_int_equal(s->nnodes, 33);
		assert_int_equal(sweep_hosts_linked(s), 14);
		for (uint32_t i = 0; i < s->nproblems; i++) {
			assert_int_equal(s->problems[i].kind, FAB_DUPLICATE_GUID);
			assert_int_equal(s->problems[i].guid, f.t.nodes[first].guid);
			reports++;
		}
		assert_in_range(reports, 1, 4);
		assert_true(f.total < fake_minimum(&f) + 30);
		snapshot_free(s);
		fake_clear(&f);
	}
}

struct move {
	uint64_t when;
	uint32_t node, to;              /* the cable of node.port goes to to.to_port */
	uint8_t port, to_port;
};

static bool
hook_move(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	const struct move *m = f->arg;

	(void)data;
	(void)status;
	if (q->number == m->when) {
		fake_unplug(f, m->node, m->port);
		fake_plug(f, m->node, m->port, m->to, m->to_port);
	}
	return true;
}

/* A host's cable moves from one leaf to another at every moment of the sweep: it is never lost, never doubled. */
static void
test_host_moves(void **state)
{
	uint64_t total = 1;

	(void)state;
	for (uint64_t when = 1; when <= total; when++) {
		struct move m = { .when = when, .port = 1, .to_port = 3 };
		const struct fab_node *n;
		struct snapshot *s;
		struct fake f;

		fake_torus(&f, 4, 1, 1, 2);
		m.node = sweep_named(&f, "host", 2);
		m.to = sweep_named(&f, "sw", 3);
		f.hook = hook_move;
		f.arg = &m;
		s = sweep_all(&f);
		total = f.total;
		for (uint32_t i = 0; i < s->nproblems; i++)
			assert_int_not_equal(s->problems[i].kind, FAB_DUPLICATE_GUID);
		assert_in_range(s->nnodes, 11, 12);
		for (uint32_t i = 0; i < s->nnodes; i++)
			assert_int_not_equal(s->nodes[i].hop_count, FAB_NO_PATH);
		n = snapshot_node_by_guid(s, f.t.nodes[m.node].guid) == FAB_NONE ? NULL :
			&s->nodes[sweep_node(&f, s, m.node)];
		if (!n)                 /* it left before its old place was looked at, and came after its new one was */
			assert_int_equal(s->nnodes, 11);
		else                    /* with all that belongs to it, or a problem says what is missing */
			assert_true(s->nproblems || n->flags == FAB_NODE_DESC);
		snapshot_free(s);
		fake_clear(&f);
	}
}

/* With real time-outs what was asked on the old path is asked again on the new one: the host is whole. */
static void
test_host_moves_and_is_asked_again(void **state)
{
	struct discover_conf c = fake_conf();
	unsigned moved = 0;
	uint64_t total = 1;

	(void)state;
	c.window = 24;
	for (uint64_t when = 1; when <= total; when++) {
		struct move m = { .when = when, .port = 1, .to_port = 3 };
		struct snapshot *s;
		struct fake f;
		uint32_t at;

		fake_torus(&f, 4, 1, 1, 2);
		m.node = sweep_named(&f, "host", 2);
		m.to = sweep_named(&f, "sw", 2);      /* is found later than the host */
		f.hook = hook_move;
		f.arg = &m;
		f.patient = true;
		s = fake_discover(&f, &c);
		total = f.total;
		at = sweep_node(&f, s, m.node);
		for (uint32_t i = 0; i < s->nproblems; i++)
			moved += s->problems[i].kind == FAB_MOVED_CABLE;
		if (at != FAB_NONE && s->ports[snapshot_port(s, at, 1)->peer].num == 3) {
			assert_int_equal(s->nodes[at].flags, FAB_NODE_DESC);
			assert_int_equal(snapshot_port(s, at, 1)->flags,
				FAB_PORT_INFO | FAB_PORT_PKEYS);
		}
		snapshot_free(s);
		fake_clear(&f);
	}
	assert_true(moved > 0);
}

/* The same for a cable between switches, answers in any order: the sweep ends, what it kept hangs together. */
static void
test_switch_moves(void **state)
{
	uint64_t total = 1;

	(void)state;
	for (uint64_t when = 1; when <= total; when++) {
		struct move m = { .when = when, .port = 20, .to_port = 9 };
		struct snapshot *s;
		struct fake f;

		fake_torus(&f, 5, 1, 1, 1);
		f.seed = when * 31;
		f.patient = when % 2;
		m.node = 1;
		m.to = 4;
		f.hook = hook_move;
		f.arg = &m;
		s = sweep_all(&f);
		total = f.total > total ? f.total : total;
		assert_true(f.total < fake_minimum(&f) + 60);
		for (uint32_t i = 0; i < s->nports; i++)
			if (s->ports[i].peer != FAB_NONE)
				assert_int_equal(s->ports[s->ports[i].peer].peer, i);
		assert_true(s->nnodes == 10 || s->nproblems);
		for (uint32_t i = 0; i < s->nproblems; i++)
			assert_int_not_equal(s->problems[i].kind, FAB_DUPLICATE_GUID);
		snapshot_free(s);
		fake_clear(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cables_into_themselves),
		cmocka_unit_test(test_two_hosts_of_one_guid),
		cmocka_unit_test(test_two_switches_of_one_guid),
		cmocka_unit_test(test_host_moves),
		cmocka_unit_test(test_host_moves_and_is_asked_again),
		cmocka_unit_test(test_switch_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
