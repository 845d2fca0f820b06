/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover.c - discovery against a fabric in the same process: how much it asks, what it sees, what it survives.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/fabric/discover/sweeps.h"

static void
test_exact_on_trees(void **state)
{
	static const struct { unsigned k, levels; uint64_t asked; } rows[] = {
		{ 4, 2, 0 }, { 4, 3, 0 }, { 8, 2, 0 }, { 8, 3, 1729 }, { 16, 3, 12545 }, { 36, 2,
			5401 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake f;

		fake_fattree(&f, rows[i].k, rows[i].levels);
		if (rows[i].asked)
			assert_int_equal(fake_minimum(&f), rows[i].asked);
		sweep_check_exact(&f);
	}
}

/* Where rings are odd, both ends of a cable are equally far away: still it is looked at once. */
static void
test_exact_on_tori(void **state)
{
	static const unsigned rows[][4] = {
		{ 4, 4, 4, 2 }, { 6, 6, 6, 4 }, { 3, 3, 3, 1 }, { 5, 5, 5, 1 }, { 5, 5, 1, 2 },
			{ 9, 1, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot *s;
		struct fake f;

		fake_torus(&f, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
		s = sweep_all(&f);
		sweep_check(&f, s);
		assert_int_equal(f.total, fake_minimum(&f));
		snapshot_free(s);
		/* answers that overtake one another cost a few looks more */
		f.seed = i + 1;
		s = sweep_all(&f);
		sweep_check(&f, s);
		assert_true(f.total * 100 <= fake_minimum(&f) * 102);
		snapshot_free(s);
		fake_clear(&f);
	}
}

static void
test_counts(void **state)
{
	struct discover_conf c = fake_conf();
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	s = fake_discover(&f, &c);
	assert_int_equal(s->nswitches, 20);
	assert_int_equal(s->nhosts, 16);
	assert_int_equal(s->nlinks, 48);
	assert_int_equal(s->nendports, 36);
	assert_int_equal(f.asked[NODE_INFO_ID], 49);
	assert_int_equal(f.asked[PORT_INFO_ID], 20 * 5 + 16);
	assert_int_equal(f.asked[NODE_DESC_ID], 36);
	assert_int_equal(f.asked[SWITCH_INFO_ID], 20);
	assert_int_equal(f.asked[PKEY_TABLE_ID], 36);
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];

		assert_int_equal(snapshot_port_by_guid(s, p->guid), s->endports[i]);
		assert_int_equal(wire_get16(s->pkey_blocks[p->pkeys]), 0xffff);
		assert_int_equal(wire_get16(s->pkey_blocks[p->pkeys] + 2),
			(uint16_t)(s->nodes[p->node].guid >> 8));
	}
	snapshot_free(s);

	c.want_desc = c.want_pkeys = c.want_ports = false;      /* the graph alone */
	s = fake_discover(&f, &c);
	assert_int_equal(f.total, 49 + 20 * 4 + 1 + 20);
	assert_int_equal(s->nlinks, 48);
	snapshot_free(s);
	fake_clear(&f);
}

/* ---- shapes ---- */

static uint32_t
put(struct topo_builder *b, enum topo_node_type type, uint8_t nports, const char *name)
{
	return topo_builder_node(b, type, nports, fake_guid(topo_builder_count(b) + 1), name);
}

/* Two switches with two cables between them, a CA on both, a router, a CA on a second port only. */
static void
test_odd_shapes(void **state)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t own = put(b, TOPO_CA, 2, "own"), x = put(b, TOPO_SWITCH, 8, "x"), y = put(b,
		TOPO_SWITCH, 8, "y");
	uint32_t two = put(b, TOPO_CA, 4, "two"), router = put(b, TOPO_ROUTER, 2, "router"),
		far = put(b, TOPO_CA, 2, "far");
	struct snapshot *s;
	struct fake f;

	(void)state;
	topo_builder_cable(b, own, 1, x, 1);
	topo_builder_cable(b, own, 2, y, 1);
	topo_builder_cable(b, x, 2, y, 2);
	topo_builder_cable(b, x, 3, y, 7);
	topo_builder_cable(b, two, 1, x, 4);
	topo_builder_cable(b, two, 3, y, 4);
	topo_builder_cable(b, router, 1, x, 5);
	topo_builder_cable(b, router, 2, y, 5);
	topo_builder_cable(b, far, 2, y, 6);
	fake_take(&f, b, own);
	s = sweep_all(&f);
	sweep_check(&f, s);
	assert_int_equal(f.asked[NODE_INFO_ID], 9 + 1);
	assert_int_equal(f.asked[PORT_INFO_ID], 2 * 9 + 7);
	assert_int_equal(f.asked[PKEY_TABLE_ID], 2 + 7);
	assert_int_equal(f.asked[NODE_DESC_ID], 6);
	assert_int_equal(s->nhosts, 7);
	assert_int_equal(s->nlinks, 9);
	assert_int_equal(s->sm_port, snapshot_port(s, sweep_node(&f, s, own), 1) - s->ports);
	assert_int_equal(snapshot_port(s, sweep_node(&f, s, far), 1)->guid, 0);
	assert_int_equal(snapshot_port(s, sweep_node(&f, s, far), 2)->guid,
		f.t.nodes[far].guid + 2);
	assert_int_equal(snapshot_port(s, sweep_node(&f, s, own), 2)->flags,
		FAB_PORT_INFO | FAB_PORT_PKEYS);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_back_to_back_and_alone(void **state)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t own = put(b, TOPO_CA, 1, "own"), peer = put(b, TOPO_CA, 1, "peer");
	struct snapshot *s;
	struct fake f;

	(void)state;
	topo_builder_cable(b, own, 1, peer, 1);
	fake_take(&f, b, own);
	s = sweep_all(&f);
	sweep_check(&f, s);
	assert_int_equal(s->nlinks, 1);
	assert_int_equal(f.total, 8);
	snapshot_free(s);
	fake_unplug(&f, own, 1);
	s = sweep_all(&f);
	assert_int_equal(s->nnodes, 1);
	assert_int_equal(s->nhosts, 0);
	assert_int_equal(s->ports[s->sm_port].flags & FAB_PORT_INFO, FAB_PORT_INFO);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_from_a_switch(void **state)
{
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.sm_node = sweep_named(&f, "agg", 1);
	f.sm_port = 0;
	sweep_check_exact(&f);
}

/* The nodes of a part: they are asked and nobody else, and routes begin at our port. */
static void
check_part(struct fake *f, const uint8_t *from, uint8_t hops, unsigned reach, uint32_t nodes)
{
	struct discover_conf c = fake_conf();
	struct snapshot *s;
	uint32_t walk;

	c.want_pkeys = c.want_lft = false;
	c.from_hops = hops;
	memcpy(c.from, from, hops + 1u);
	c.reach = reach;
	s = fake_discover(f, &c);
	assert_non_null(s);
	assert_int_equal(s->nnodes, nodes);
	assert_int_equal(s->nproblems, 0);
	assert_int_equal(f->asked[NODE_DESC_ID], nodes);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i];

		walk = f->sm_node;
		for (unsigned h = 1; h <= n->hop_count; h++)
			walk = f->t.ports[f->t.nodes[walk].first_port + n->path[h]].peer_node;
		assert_int_equal(sweep_node(f, s, walk), i);
		if (i == s->ports[s->sm_port].node) {
			assert_int_equal(n->hop_count, hops);
			assert_memory_equal(n->path, from, hops + 1u);
		}
	}
	snapshot_free(s);
}

static void
test_parts(void **state)
{
	static const uint8_t self[] = { 0 }, leaf[] = { 0, 1 }, agg[] = { 0, 1, 3 }, host[] = { 0,
		1, 2 }, core[] = { 0, 1, 3, 3 };
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	check_part(&f, self, 0, 1, 2);
	check_part(&f, leaf, 1, 1, 5);
	check_part(&f, agg, 2, 1, 5);
	check_part(&f, host, 2, 1, 1);
	check_part(&f, host, 2, 9, 1);
	check_part(&f, core, 3, 1, 5);
	check_part(&f, leaf, 1, 2, 10);
	check_part(&f, core, 3, 0, f.t.nnodes);
	f.beyond = true;
	check_part(&f, leaf, 1, 1, 6);
	f.beyond = true;
	check_part(&f, self, 0, 1, 3);
	f.beyond = true;
	check_part(&f, host, 2, 1, 1);
	fake_clear(&f);
}

static void
test_tables_are_read(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 2);
	f.lft_top = 64;
	s = sweep_all(&f);
	sweep_check(&f, s);
	assert_int_equal(f.total, fake_minimum(&f) + 2 * 6);
	for (uint32_t i = 0; i < f.t.nnodes; i++) {
		const struct fab_node *n = &s->nodes[sweep_node(&f, s, i)];

		if (!fab_is_switch(n))
			continue;
		assert_int_equal(n->lft_blocks, 2);
		assert_int_equal(n->lft[63], i);
		assert_int_equal(n->lft[64], i + 1);
	}
	snapshot_free(s);
	fake_clear(&f);
}

static uint8_t memory[3 * 64];

static const uint8_t *
remember(void *arg, uint64_t guid, uint16_t top, uint32_t *blocks)
{
	struct fake *f = arg;

	(void)top;
	*blocks = guid == f->t.nodes[sweep_named(f, "leaf", 0)].guid ? 3 : guid == f->t.nodes[sweep_named(f, "leaf", 1)].guid;
	return *blocks ? memory : NULL;
}

static void
test_tables_are_remembered(void **state)
{
	struct discover_conf c = fake_conf();
	const struct fab_node *n;
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 2);
	f.lft_top = 64;
	c.cached_lft = remember;
	c.arg = &f;
	memset(memory, 77, sizeof(memory));
	s = fake_discover(&f, &c);
	sweep_check(&f, s);
	/* one block is not enough for the second leaf */
	assert_int_equal(f.total, fake_minimum(&f) + 2 * 5);
	memset(memory, 0, sizeof(memory));
	n = &s->nodes[sweep_node(&f, s, sweep_named(&f, "leaf", 0))];
	assert_int_equal(n->lft_blocks, 2);
	assert_int_equal(n->lft[127], 77);
	snapshot_free(s);
	fake_clear(&f);
}

/* ---- nodes that misbehave ---- */

/* A node that refuses or swallows one attribute is there, marked, named once, and the others are whole. */
static void
test_one_attribute_fails(void **state)
{
	static const uint16_t attrs[] = { NODE_DESC_ID, SWITCH_INFO_ID, PORT_INFO_ID,
		PKEY_TABLE_ID, LFT_BLOCK_ID };
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.lft_top = 36;
	for (unsigned i = 0; i < 2 * sizeof(attrs) / sizeof(attrs[0]); i++) {
		struct sweep_fault x = { .node = sweep_named(&f, "agg", 2),
			.attr_id = attrs[i / 2], .modifier = FAKE_ANY, .value = -1 };
		const struct fab_problem *t;
		struct snapshot *s;

		x.silent = i % 2;
		x.status = STATUS_BAD_METHOD_ATTR;
		s = sweep_faulty(&f, &x);
		assert_int_equal(s->nnodes, 36);
		assert_int_equal(s->nlinks, 48);
		assert_int_equal(s->nproblems, 1);
		t = s->problems;
		assert_int_equal(t->kind, x.silent ? FAB_UNANSWERED : FAB_BAD_STATUS);
		assert_int_equal(t->guid, f.t.nodes[x.node].guid);
		assert_int_equal(t->attr_id, x.attr_id);
		assert_int_equal(t->status, x.silent ? 0 : x.status);
		assert_int_equal(t->count, x.attr_id == PORT_INFO_ID ? 5 : 1);
		assert_int_equal(s->nodes[sweep_node(&f, s, x.node)].flags & FAB_NODE_FAILED,
			FAB_NODE_FAILED);
		if (x.attr_id == LFT_BLOCK_ID)
			assert_null(s->nodes[sweep_node(&f, s, x.node)].lft);
		snapshot_free(s);
	}
	fake_clear(&f);
}

static void
test_one_port_fails(void **state)
{
	struct sweep_fault x = { .attr_id = PORT_INFO_ID, .modifier = 3,
		.status = STATUS_BAD_VALUE, .value = -1 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = sweep_named(&f, "core", 0);
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nlinks, 48);        /* its cable was seen from the other end */
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].port, 3);
	assert_int_equal(s->problems[0].modifier, 3);
	assert_string_equal(s->problems[0].reason,
		"PortInfo: status 0x001c, invalid value in attribute or modifier");
	assert_int_equal(snapshot_port(s, sweep_node(&f, s, x.node), 3)->flags, FAB_PORT_FAILED);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_impossible_values(void **state)
{
	struct sweep_fault x = { .attr_id = PORT_INFO_ID, .modifier = 1, .byte = 32, .value = 6 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = sweep_named(&f, "core", 0);
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nlinks, 48);
	assert_int_equal(s->nproblems, 1);
	assert_string_equal(s->problems[0].reason, "PortInfo: impossible port state, 6");
	snapshot_free(s);

	x = (struct sweep_fault){ .node = x.node, .attr_id = SWITCH_INFO_ID, .byte = 6,
		.value = 0xff };
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->nproblems, 1);
	assert_string_equal(s->problems[0].reason,
		"SwitchInfo: LinearFDBTop beyond the table, 65280");
	assert_int_equal(f.total, fake_minimum(&f));
	snapshot_free(s);

	x = (struct sweep_fault){ .node = x.node, .attr_id = PKEY_TABLE_ID, .silent = true };
	f.mismatched = 1 << TXN_MISMATCH_ATTR | 1 << TXN_MISMATCH_SHORT;
	s = sweep_faulty(&f, &x);
	assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
	assert_string_equal(s->problems[0].reason,
		"P_KeyTable: only wrong answers (wrong attribute, too short)");
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_lies(void **state)
{
	unsigned kinds = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint64_t x = seed;
		struct snapshot *s;
		struct fake f;

		fake_torus(&f, 3, 3, 1, 1);
		f.lft_top = 100;
		f.seed = seed;
		f.patient = seed % 2;
		f.hook = sweep_hook_lies;
		f.arg = &x;
		f.lenient = true;
		s = sweep_all(&f);
		assert_true(f.total < 30000);
		for (uint32_t i = 0; s && i < s->nports; i++)
			if (s->ports[i].peer != FAB_NONE)
				assert_int_equal(s->ports[s->ports[i].peer].peer, i);
		for (uint32_t i = 0; s && i < s->nnodes; i++) {
			assert_true(s->nodes[i].hop_count <= DGRAM_HOPS_MAX);
			assert_true(!i || s->nodes[i - 1].guid < s->nodes[i].guid);
		}
		for (uint32_t i = 0; s && i < s->nproblems; i++)
			kinds |= 1u << s->problems[i].kind;
		snapshot_free(s);
		fake_clear(&f);
	}
	assert_int_equal(kinds,
		1u << FAB_UNRESPONSIVE | 1u << FAB_UNANSWERED | 1u << FAB_BAD_STATUS | 1u << FAB_BAD_REPLY |
		1u << FAB_DUPLICATE_GUID | 1u << FAB_MOVED_CABLE);
}

/* ---- tables of a request ---- */

/* A target number stands for one node only, as long as it has requests open. */
static void
test_targets(void **state)
{
	struct discover_conf c = fake_conf();
	struct discover *d;
	struct txn_req r;
	struct txn_end e = { .kind = TXN_END_SKIPPED, .attr_id = NODE_INFO_ID };
	struct snapshot *s;

	(void)state;
	c.target_base = 1000;
	d = discover_new(&c, NULL);
	assert_true(discover_next(d, &r));
	assert_int_equal(r.target, 1000);
	assert_int_equal(r.hop_count, 0);
	assert_int_equal(r.attr_id, NODE_INFO_ID);
	assert_false(discover_next(d, &r));
	assert_false(discover_done(d));
	e.cookie = r.cookie | UINT64_C(0xab) << 56;     /* the caller's mark */
	discover_end(d, &e);
	assert_true(discover_done(d));
	assert_int_equal(discover_take(d, &s), -ENODEV);
	discover_free(d);
	discover_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_on_trees),
		cmocka_unit_test(test_exact_on_tori),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_odd_shapes),
		cmocka_unit_test(test_back_to_back_and_alone),
		cmocka_unit_test(test_from_a_switch),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_tables_are_read),
		cmocka_unit_test(test_tables_are_remembered),
		cmocka_unit_test(test_one_attribute_fails),
		cmocka_unit_test(test_one_port_fails),
		cmocka_unit_test(test_impossible_values),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
