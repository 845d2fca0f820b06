/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_place.c - answers to NodeInfo: nodes that keep silent, that are too far away, and
 * numbers that cannot be true.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

static void
test_too_far(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_chain(&f, 63);
	sweep_check_exact(&f);
	fake_chain(&f, 66);
	s = sweep_all(&f);
	assert_int_equal(s->nnodes, 64);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_TOO_FAR);
	assert_int_equal(s->problems[0].hop_count, 63);
	assert_int_equal(s->problems[0].guid, f.t.nodes[63].guid);
	assert_int_equal(s->problems[0].port, 2);
	snapshot_free(s);
	/* a ring: the far end is near from the other side */
	fake_plug(&f, 66, 3, 1, 3);
	s = sweep_all(&f);
	sweep_check(&f, s);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_mute_nodes(void **state)
{
	struct sweep_fault x = { .modifier = FAKE_ANY, .silent = true, .value = -1 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = sweep_named(&f, "host", 5);
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_UNRESPONSIVE);
	assert_int_equal(s->problems[0].guid, f.t.nodes[sweep_named(&f, "leaf", 2)].guid);
	assert_int_equal(s->problems[0].port, 2);
	assert_int_equal(s->problems[0].path[s->problems[0].hop_count], 2);
	assert_string_equal(s->problems[0].reason, "NodeInfo: no answer");
	snapshot_free(s);

	/* four neighbours report it, everything else is there */
	x.node = sweep_named(&f, "agg", 3);
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(s->problems[i].kind, FAB_UNRESPONSIVE);
	snapshot_free(s);

	x.node = f.sm_node;
	assert_null(sweep_faulty(&f, &x));
	x.node = sweep_named(&f, "leaf", 0);
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nnodes, 1);
	assert_int_equal(s->nproblems, 1);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_impossible_node_infos(void **state)
{
	static const struct { unsigned byte; int value; const char *reason; } rows[] = {
		{ 2, 0, "NodeInfo: impossible node type, 0" }, { 2, 4,
			"NodeInfo: impossible node type, 4" },
		{ 3, 0, "NodeInfo: impossible number of ports, 0" }, { 3, 255,
			"NodeInfo: impossible number of ports, 255" },
		{ 36, 0, "NodeInfo: impossible local port number, 0" },
		{ 36, 9, "NodeInfo: impossible local port number, 9" },
	};
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sweep_fault x = { .node = sweep_named(&f, "host", 9),
			.attr_id = NODE_INFO_ID, .byte = rows[i].byte,
			.value = rows[i].value };
		struct snapshot *s = sweep_faulty(&f, &x);

		assert_int_equal(s->nnodes, 35);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
		assert_string_equal(s->problems[0].reason, rows[i].reason);
		snapshot_free(s);
	}
	fake_clear(&f);
}

/* Every answer to every look is a new node of 254 connected ports: the sweep ends all the same. */
static bool
hook_endless(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)status;
	(void)f;
	if (q->attr_id == NODE_INFO_ID && q->node != 0) {
		data[3] = 254;
		wire_put64(data + 12, q->number);
		wire_put64(data + 20, q->number);
		data[36] = 1;
	}
	return true;
}

static void
test_random_guids_end(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_chain(&f, 3);
	f.hook = hook_endless;
	f.lenient = true;
	s = sweep_all(&f);
	assert_true(f.total < 5000);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_same_guid_other_kind(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.t.nodes[sweep_named(&f, "host", 7)].guid = f.t.nodes[sweep_named(&f, "leaf", 0)].guid;
	s = sweep_all(&f);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
	assert_int_equal(sweep_hosts_linked(s), 15);
	snapshot_free(s);
	fake_clear(&f);
}

/* A NodeInfo without a node GUID, or without a port GUID, names nobody. */
static bool
hook_no_guid(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	const unsigned *at = f->arg;

	(void)status;
	if (q->attr_id == NODE_INFO_ID && q->node == sweep_named(f, "host", 9))
		wire_put64(data + *at, 0);
	return true;
}

static void
test_zero_guids(void **state)
{
	static const unsigned rows[] = { 12, 20 };
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.hook = hook_no_guid;
	for (unsigned i = 0; i < 2; i++) {
		struct snapshot *s;

		f.arg = (void *)(uintptr_t)&rows[i];
		s = sweep_all(&f);
		assert_int_equal(s->nnodes, 35);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
		assert_string_equal(s->problems[0].reason, "NodeInfo: a GUID is 0");
		snapshot_free(s);
	}
	fake_clear(&f);
}

/* The port of a leaf before a host, with a state and a physical state of the test's choice. */
struct port_state {
	uint32_t node;
	uint8_t port, state, phys;
};

static bool
hook_state(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	const struct port_state *x = f->arg;
	struct port_info i;

	(void)status;
	if (q->attr_id != PORT_INFO_ID || q->node != x->node || q->modifier != x->port)
		return true;
	i = port_info_decode(data);
	i.state = x->state;
	i.phys_state = x->phys;
	port_info_patch(data, &i);
	return true;
}

/* Only a port that is up, or recovers from an error, has somebody behind it. */
static void
test_where_to_look(void **state)
{
	static const struct { uint8_t state, phys; bool looks, bad; } rows[] = {
		{ PORT_STATE_DOWN, PHYS_STATE_LINK_UP, false, false },
		{ PORT_STATE_INIT, PHYS_STATE_LINK_UP, true, false },
		{ PORT_STATE_ARMED, PHYS_STATE_LINK_UP, true, false },
		{ PORT_STATE_ACTIVE, PHYS_STATE_ERROR_RECOVERY, true, false },
		{ PORT_STATE_ACTIVE, PHYS_STATE_POLLING, false, false },
		{ PORT_STATE_INIT, PHYS_STATE_TRAINING, false, false },
		{ 5, PHYS_STATE_LINK_UP, true, false },
		{ 0, PHYS_STATE_LINK_UP, false, true },
		{ 6, PHYS_STATE_LINK_UP, false, true },
		{ 15, PHYS_STATE_LINK_UP, false, true },
	};
	struct port_state x = { .port = 2 };
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = sweep_named(&f, "leaf", 4);
	f.hook = hook_state;
	f.arg = &x;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot *s;

		x.state = rows[i].state;
		x.phys = rows[i].phys;
		s = sweep_all(&f);
		assert_int_equal(s->nnodes, rows[i].looks ? 36 : 35);
		assert_int_equal(f.asked[NODE_INFO_ID], rows[i].looks ? 49 : 48);
		assert_int_equal(s->nproblems, rows[i].bad);
		if (rows[i].bad) {
			assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
			assert_int_equal(s->problems[0].attr_id, PORT_INFO_ID);
			assert_int_equal(s->problems[0].port, 2);
		}
		snapshot_free(s);
	}
	fake_clear(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_far),
		cmocka_unit_test(test_mute_nodes),
		cmocka_unit_test(test_impossible_node_infos),
		cmocka_unit_test(test_random_guids_end),
		cmocka_unit_test(test_same_guid_other_kind),
		cmocka_unit_test(test_zero_guids),
		cmocka_unit_test(test_where_to_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
