/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_seed.c - discovery from an earlier snapshot: it finds what a whole discovery would
 * find, asks little, and says when it cannot go on.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

/* What the nodes of a running subnet say: links are ACTIVE, except 'training'. */
struct running {
	uint32_t mute;                  /* a node that says nothing, FAKE_ANY: none */
	uint32_t training;              /* port 1 of this node is INIT; FAKE_ANY: none */
};

static struct fake f;
static struct running now;
static struct snapshot *seed;

static bool
hook_running(struct fake *x, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)x;
	(void)status;
	if (q->node == now.mute)
		return false;
	if (q->attr_id == PORT_INFO_ID && (data[32] & 15) == PORT_STATE_INIT &&
	    !(q->node == now.training && q->modifier == 1))
		data[32] = (uint8_t)((data[32] & 0xf0) | PORT_STATE_ACTIVE);
	return true;
}

static int
setup(void **state)
{
	(void)state;
	fake_fattree(&f, 4, 3);
	f.hook = hook_running;
	now = (struct running){ FAKE_ANY, FAKE_ANY };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(seed);
	seed = NULL;
	fake_clear(&f);
	return 0;
}

static struct snapshot *
sweep_suspects(const uint64_t *suspects, uint32_t nsuspects)
{
	struct discover_conf c = fake_conf();

	c.seed = seed;
	c.suspects = suspects;
	c.nsuspects = nsuspects;
	return fake_discover(&f, &c);
}

static uint64_t
guid_named(const char *word, unsigned skip)
{
	return f.t.nodes[sweep_named(&f, word, skip)].guid;
}

static void
same_port(const struct snapshot *a, const struct snapshot *b, uint32_t i)
{
	const struct fab_port *x = &a->ports[i], *y = &b->ports[i];

	assert_int_equal(x->peer, y->peer);
	assert_int_equal(x->guid, y->guid);
	assert_int_equal(x->flags, y->flags);
	assert_memory_equal(x->info, y->info, PORT_INFO_BYTES);
}

/* The fabric that a whole sweep would show; frees 's'. */
static void
check_whole(struct snapshot *s)
{
	uint64_t asked = f.total;
	struct snapshot *whole = sweep_all(&f);

	assert_null(f.spoiled);
	assert_non_null(s);
	assert_true(asked < f.total);
	assert_int_equal(s->nnodes, whole->nnodes);
	assert_int_equal(s->nports, whole->nports);
	assert_int_equal(s->nlinks, whole->nlinks);
	assert_int_equal(s->nproblems, whole->nproblems);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *a = &s->nodes[i], *b = &whole->nodes[i];

		assert_int_equal(a->guid, b->guid);
		assert_int_equal(a->hop_count, b->hop_count);
		assert_memory_equal(a->path, b->path, a->hop_count + 1u);
		assert_memory_equal(a->node_info, b->node_info, NODE_INFO_BYTES);
		assert_memory_equal(a->switch_info, b->switch_info, SWITCH_INFO_BYTES);
		assert_memory_equal(a->desc, b->desc, NODE_DESC_BYTES);
	}
	for (uint32_t i = 0; i < s->nports; i++)
		same_port(s, whole, i);
	for (uint32_t i = 0; i < s->nproblems; i++) {
		assert_int_equal(s->problems[i].kind, whole->problems[i].kind);
		assert_int_equal(s->problems[i].guid, whole->problems[i].guid);
		assert_int_equal(s->problems[i].port, whole->problems[i].port);
		assert_string_equal(s->problems[i].reason, whole->problems[i].reason);
	}
	snapshot_free(whole);
	snapshot_free(s);
}

/* One switch is read and nothing else: its ports, itself, and the port before it. */
static void
nothing_has_changed(void **state)
{
	uint64_t suspect = guid_named("leaf", 3);
	struct snapshot *s;

	(void)state;
	seed = sweep_all(&f);
	s = sweep_suspects(NULL, 0);
	assert_int_equal(f.total, 0);
	for (uint32_t i = 0; i < s->nnodes; i++)
		assert_int_equal(s->nodes[i].flags & FAB_NODE_KEPT, FAB_NODE_KEPT);
	check_whole(s);

	s = sweep_suspects(&suspect, 1);
	assert_int_equal(f.asked[NODE_INFO_ID], 0);
	assert_int_equal(f.asked[SWITCH_INFO_ID], 1);
	assert_int_equal(f.asked[NODE_DESC_ID], 1);
	assert_int_equal(f.asked[PKEY_TABLE_ID], 1);
	assert_int_equal(f.asked[PORT_INFO_ID], 1 + 5);
	for (uint32_t i = 0; i < s->nnodes; i++)
		assert_int_equal(!(s->nodes[i].flags & FAB_NODE_KEPT), s->nodes[i].guid == suspect);
	check_whole(s);
}

/* A host goes, comes back, and comes to another switch. */
static void
a_host_moves(void **state)
{
	uint32_t host = sweep_named(&f, "host", 9), leaf = topo_port(&f.t, host, 1)->peer_node,
		other = sweep_named(&f, "leaf", 1);
	uint8_t port = topo_port(&f.t, host, 1)->peer_port;
	uint64_t suspects[] = { f.t.nodes[leaf].guid, f.t.nodes[other].guid };
	struct snapshot *s;

	(void)state;
	seed = sweep_all(&f);
	fake_unplug(&f, host, 1);
	s = sweep_suspects(suspects, 1);
	assert_int_equal(sweep_node(&f, s, host), FAB_NONE);
	check_whole(s);

	snapshot_free(seed);
	seed = sweep_all(&f);
	fake_plug(&f, host, 1, leaf, port);
	s = sweep_suspects(suspects, 1);
	assert_int_not_equal(sweep_node(&f, s, host), FAB_NONE);
	assert_int_equal(f.asked[NODE_INFO_ID], 1);
	check_whole(s);

	snapshot_free(seed);
	seed = sweep_all(&f);
	fake_unplug(&f, host, 1);
	fake_unplug(&f, other, 1);
	fake_plug(&f, host, 1, other, 1);
	now.training = other;                   /* a link that has trained again is not ACTIVE */
	check_whole(sweep_suspects(suspects, 2));
}

/* A spine is switched off: what it carried is reached by other routes; then it is on again. */
static void
a_switch_goes(void **state)
{
	uint32_t agg = sweep_named(&f, "agg", 0);
	uint32_t peers[4];
	uint8_t ports[4];
	uint64_t suspects[4];
	struct snapshot *s;

	(void)state;
	seed = sweep_all(&f);
	for (unsigned i = 0; i < 4; i++) {
		peers[i] = topo_port(&f.t, agg, (uint8_t)(i + 1))->peer_node;
		ports[i] = topo_port(&f.t, agg, (uint8_t)(i + 1))->peer_port;
		suspects[i] = f.t.nodes[peers[i]].guid;
		fake_unplug(&f, agg, (uint8_t)(i + 1));
	}
	s = sweep_suspects(suspects, 4);
	assert_int_equal(sweep_node(&f, s, agg), FAB_NONE);
	assert_int_equal(s->nnodes, 35);
	check_whole(s);

	snapshot_free(seed);
	seed = sweep_all(&f);
	for (unsigned i = 0; i < 4; i++)
		fake_plug(&f, agg, (uint8_t)(i + 1), peers[i], ports[i]);
	s = sweep_suspects(suspects, 4);
	assert_int_equal(s->nnodes, 36);
	check_whole(s);
}

/* Only one end of a lost cable is reported: the switch at the other end is read, too. */
static void
the_other_end_is_read(void **state)
{
	uint32_t leaf = sweep_named(&f, "leaf", 4), agg = topo_port(&f.t, leaf, 3)->peer_node;
	uint64_t suspect = f.t.nodes[leaf].guid;
	struct snapshot *s;

	(void)state;
	seed = sweep_all(&f);
	fake_unplug(&f, leaf, 3);
	s = sweep_suspects(&suspect, 1);
	assert_int_equal(s->nodes[sweep_node(&f, s, agg)].flags & FAB_NODE_KEPT, 0);
	check_whole(s);
}

/* A node that was silent before spoils nothing, and is still told of. */
static void
silence_is_kept(void **state)
{
	uint64_t suspects[] = { guid_named("leaf", 2), guid_named("leaf", 5) };
	struct snapshot *s;

	(void)state;
	now.mute = sweep_named(&f, "host", 5);          /* on the third leaf */
	seed = sweep_all(&f);
	assert_int_equal(seed->nproblems, 1);
	for (unsigned i = 0; i < 2; i++) {
		s = sweep_suspects(&suspects[i], 1);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_UNRESPONSIVE);
		check_whole(s);
	}
}

/* A switch that is cut off takes with it what was told of its ports. */
static void
silence_is_forgotten(void **state)
{
	uint32_t leaf = sweep_named(&f, "leaf", 2);
	uint64_t suspects[2];
	struct snapshot *s;

	(void)state;
	now.mute = sweep_named(&f, "host", 5);
	seed = sweep_all(&f);
	for (unsigned i = 0; i < 2; i++) {
		suspects[i] = f.t.nodes[topo_port(&f.t, leaf, (uint8_t)(3 + i))->peer_node].guid;
		fake_unplug(&f, leaf, (uint8_t)(3 + i));
	}
	s = sweep_suspects(suspects, 2);
	assert_non_null(s);
	assert_int_equal(s->nnodes, 33);
	assert_int_equal(s->nproblems, 0);
	check_whole(s);
}

static void
expect_spoiled(const uint64_t *suspects, uint32_t n, const char *why)
{
	assert_null(sweep_suspects(suspects, n));
	assert_non_null(f.spoiled);
	assert_string_equal(f.spoiled, why);
}

static void
cannot_go_on(void **state)
{
	uint64_t stranger = 0x1234, leaf = guid_named("leaf", 0), all[20];
	uint32_t nswitches = 0;

	(void)state;
	seed = sweep_all(&f);
	expect_spoiled(&stranger, 1, "a node that is not known was reported");
	assert_int_equal(f.total, 0);

	now.mute = sweep_named(&f, "leaf", 0);
	expect_spoiled(&leaf, 1, "a request was not answered");
	now.mute = FAKE_ANY;

	now.training = sweep_named(&f, "leaf", 0);      /* before our own port */
	assert_int_equal(topo_port(&f.t, now.training, 1)->peer_node, f.sm_node);
	expect_spoiled(&leaf, 1, "the link of our own port has changed");
	now.training = FAKE_ANY;

	for (uint32_t i = 0; i < f.t.nnodes; i++)
		if (f.t.nodes[i].type == TOPO_SWITCH)
			all[nswitches++] = f.t.nodes[i].guid;
	assert_int_equal(nswitches, 20);
	check_whole(sweep_suspects(all, 10));
	expect_spoiled(all, 11, "too many switches have changed");
}

/* A host answers where it was not, and the switch where it was says that it is still there. */
static void
at_two_places(void **state)
{
	uint32_t host = sweep_named(&f, "host", 9), leaf = sweep_named(&f, "leaf", 1), twin;
	uint64_t suspect = f.t.nodes[leaf].guid;

	(void)state;
	twin = topo_port(&f.t, leaf, 2)->peer_node;
	fake_unplug(&f, leaf, 2);
	seed = sweep_all(&f);
	f.t.nodes[twin].guid = f.t.nodes[host].guid;
	topo_port(&f.t, twin, 1)->guid = topo_port(&f.t, host, 1)->guid;
	fake_plug(&f, leaf, 2, twin, 1);
	expect_spoiled(&suspect, 1, "a node is at two places");
}

/* Our adapter has two ports: routes begin at the one that the sweep started from, whatever happens to
 * the other one. */
static void
our_other_port(void **state)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t sw = topo_builder_node(b, TOPO_SWITCH, 4, fake_guid(1), "sw"),
		host = topo_builder_node(b, TOPO_CA, 2, fake_guid(2), "host");
	uint64_t suspect = fake_guid(1);

	(void)state;
	assert_int_equal(topo_builder_cable(b, sw, 1, host, 1), 0);
	assert_int_equal(topo_builder_cable(b, sw, 2, host, 2), 0);
	fake_clear(&f);
	fake_take(&f, b, host);
	f.hook = hook_running;
	fake_unplug(&f, host, 2);
	seed = sweep_all(&f);
	fake_plug(&f, sw, 2, host, 2);
	expect_spoiled(&suspect, 1, "a link of our own node has changed");
}

static uint32_t
next_random(uint64_t *x)
{
	*x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*x >> 33);
}

/* Any cables pulled: both ends are suspects. */
static void
any_cables(void **state)
{
	uint64_t rnd = 5;
	unsigned whole = 0;

	(void)state;
	for (unsigned turn = 0; turn < 150; turn++) {
		uint64_t suspects[6];
		uint32_t n = 0;
		struct snapshot *s;

		snapshot_free(seed);
		seed = sweep_all(&f);
		for (unsigned k = 0; k < 3; k++) {
			uint32_t node = next_random(&rnd) % 20;
			uint8_t port = (uint8_t)(1 + next_random(&rnd) % 4);
			struct topo_port *p = topo_port(&f.t, node, port);

			if (p->peer_node == TOPO_NONE || p->peer_node == f.sm_node)
				continue;
			suspects[n++] = f.t.nodes[node].guid;
			if (f.t.nodes[p->peer_node].type == TOPO_SWITCH)
				suspects[n++] = f.t.nodes[p->peer_node].guid;
			fake_unplug(&f, node, port);
		}
		s = sweep_suspects(suspects, n);
		if (s) {
			whole++;
			check_whole(s);
		} else {
			assert_non_null(f.spoiled);
		}
		teardown(NULL);
		setup(NULL);
	}
	assert_true(whole > 140);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_has_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_host_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(a_switch_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(the_other_end_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(silence_is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(silence_is_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(at_two_places, setup, teardown),
		cmocka_unit_test_setup_teardown(our_other_port, setup, teardown),
		cmocka_unit_test_setup_teardown(any_cables, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
