/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover.c - discovery against a fabric in the same process: how much it asks, what it sees, what it survives.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"

static struct snapshot *
sweep(struct fake *f)
{
	struct discover_conf c = fake_conf();

	return fake_discover(f, &c);
}

static uint32_t
node_of(const struct fake *f, const struct snapshot *s, uint32_t topo_node)
{
	return snapshot_node_by_guid(s, f->t.nodes[topo_node].guid);
}

/* The first node of a name ("leaf", "sw", ...). */
static uint32_t
named(const struct fake *f, const char *word, unsigned skip)
{
	for (uint32_t i = 0; i < f->t.nnodes; i++)
		if (!strncmp(f->t.nodes[i].desc, word, strlen(word)) && !skip--)
			return i;
	fail_msg("no %s", word);
	return 0;
}

/* Every cable and node of the topology is in the snapshot, and none else; the paths lead there. */
static void
check_graph(const struct fake *f, const struct snapshot *s)
{
	assert_non_null(s);
	assert_int_equal(s->nnodes, f->t.nnodes);
	assert_int_equal(s->nproblems, 0);
	for (uint32_t i = 0; i < f->t.nnodes; i++) {
		const struct topo_node *tn = &f->t.nodes[i];
		uint32_t at = node_of(f, s, i), root = node_of(f, s, f->sm_node), walk = root;
		const struct fab_node *n;

		assert_int_not_equal(at, FAB_NONE);
		n = &s->nodes[at];
		assert_int_equal(n->type, tn->type);
		assert_int_equal(n->nports, tn->nports);
		assert_string_equal((const char *)n->desc, tn->desc);
		for (unsigned p = 1; p <= tn->nports; p++) {
			const struct topo_port *tp = &f->t.ports[tn->first_port + p];
			const struct fab_port *port = snapshot_port(s, at, (uint8_t)p);

			assert_int_equal(port->node, at);
			assert_int_equal(port->num, p);
			if (tp->peer_node == TOPO_NONE) {
				assert_int_equal(port->peer, FAB_NONE);
				continue;
			}
			assert_int_equal(s->ports[port->peer].num, tp->peer_port);
			assert_int_equal(s->ports[port->peer].node, node_of(f, s, tp->peer_node));
		}
		for (unsigned h = 1; h <= n->hop_count; h++)
			walk = s->ports[snapshot_port(s, walk, n->path[h])->peer].node;
		assert_int_equal(walk, at);
	}
}

static void
check_exact(struct fake *f)
{
	struct snapshot *s = sweep(f);

	check_graph(f, s);
	assert_int_equal(f->total, fake_minimum(f));
	assert_true(f->open_max <= 64);
	snapshot_free(s);
	fake_clear(f);
}

static void
test_exact_on_trees(void **state)
{
	static const struct { unsigned k, levels; uint64_t asked; } rows[] = {
		{ 4, 2, 0 }, { 4, 3, 0 }, { 8, 2, 0 }, { 8, 3, 1729 }, { 16, 3, 12545 }, { 36, 2, 5401 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake f;

		fake_fattree(&f, rows[i].k, rows[i].levels);
		if (rows[i].asked)
			assert_int_equal(fake_minimum(&f), rows[i].asked);
		check_exact(&f);
	}
}

/* Where rings are odd, both ends of a cable are equally far away: still it is looked at once. */
static void
test_exact_on_tori(void **state)
{
	static const unsigned rows[][4] = {
		{ 4, 4, 4, 2 }, { 6, 6, 6, 4 }, { 3, 3, 3, 1 }, { 5, 5, 5, 1 }, { 5, 5, 1, 2 }, { 9, 1, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot *s;
		struct fake f;

		fake_torus(&f, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
		s = sweep(&f);
		check_graph(&f, s);
		assert_int_equal(f.total, fake_minimum(&f));
		snapshot_free(s);
		f.seed = i + 1;                 /* answers that overtake one another cost a few looks more */
		s = sweep(&f);
		check_graph(&f, s);
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
		assert_int_equal(wire_get16(s->pkey_blocks[p->pkeys] + 2), (uint16_t)(s->nodes[p->node].guid >> 8));
	}
	snapshot_free(s);

	c.want_desc = c.want_pkeys = c.want_ports = false;      /* the graph alone */
	s = fake_discover(&f, &c);
	assert_int_equal(f.total, 49 + 20 * 4 + 1 + 20);
	assert_int_equal(s->nlinks, 48);
	snapshot_free(s);
	fake_clear(&f);
}

static bool
same_arrays(const struct snapshot *a, const struct snapshot *b)
{
	if (a->nnodes != b->nnodes || a->nports != b->nports || a->npkey_blocks != b->npkey_blocks ||
	    a->nproblems != b->nproblems || a->nendports != b->nendports || a->sm_port != b->sm_port ||
	    a->nlinks != b->nlinks || a->nhosts != b->nhosts || a->nswitches != b->nswitches)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++) {
		struct fab_node x = a->nodes[i], y = b->nodes[i];

		if (!x.lft != !y.lft || x.lft_blocks != y.lft_blocks)
			return false;
		if (x.lft && memcmp(x.lft, y.lft, x.lft_blocks * 64u))
			return false;
		x.lft = y.lft = NULL;
		if (memcmp(&x, &y, sizeof(x)))
			return false;
	}
	return !memcmp(a->ports, b->ports, a->nports * sizeof(*a->ports)) &&
		!memcmp(a->pkey_blocks, b->pkey_blocks, a->npkey_blocks * sizeof(*a->pkey_blocks)) &&
		!memcmp(a->problems, b->problems, a->nproblems * sizeof(*a->problems)) &&
		!memcmp(a->switches, b->switches, a->nswitches * sizeof(*a->switches)) &&
		!memcmp(a->endports, b->endports, a->nendports * sizeof(*a->endports));
}

/* One host is unresponsive, one switch refuses its SwitchInfo, one port its PortInfo. */
static bool
hook_some_bad(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)data;
	if (q->node == named(f, "host", 3))
		return false;
	if (q->node == 5 && (q->attr_id == SWITCH_INFO_ID || (q->attr_id == PORT_INFO_ID && q->modifier == 2)))
		*status = STATUS_BAD_VALUE;
	return true;
}

static void
test_order_of_answers_does_not_matter(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < 3; shape++) {
		struct discover_conf c = fake_conf();
		struct snapshot *first, *s;
		struct fake f;

		if (shape == 0)
			fake_fattree(&f, 8, 3);
		else if (shape == 1)
			fake_torus(&f, 3, 4, 5, 2);
		else
			fake_chain(&f, 62);
		f.lft_top = 130;
		f.hook = shape == 1 ? hook_some_bad : NULL;
		first = fake_discover(&f, &c);
		assert_int_equal(first->nproblems, shape == 1 ? 3 : 0);
		for (uint64_t seed = 1; seed <= 12; seed++) {
			f.seed = seed * 7919;
			c.window = seed % 3 ? 16 * (uint32_t)seed : 0;
			s = fake_discover(&f, &c);
			assert_true(same_arrays(first, s));
			snapshot_free(s);
		}
		snapshot_free(first);
		fake_clear(&f);
	}
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
	uint32_t own = put(b, TOPO_CA, 2, "own"), x = put(b, TOPO_SWITCH, 8, "x"), y = put(b, TOPO_SWITCH, 8, "y");
	uint32_t two = put(b, TOPO_CA, 4, "two"), router = put(b, TOPO_ROUTER, 2, "router"), far = put(b, TOPO_CA, 2, "far");
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
	s = sweep(&f);
	check_graph(&f, s);
	assert_int_equal(f.asked[NODE_INFO_ID], 9 + 1);
	assert_int_equal(f.asked[PORT_INFO_ID], 2 * 9 + 7);
	assert_int_equal(f.asked[PKEY_TABLE_ID], 2 + 7);
	assert_int_equal(f.asked[NODE_DESC_ID], 6);
	assert_int_equal(s->nhosts, 7);
	assert_int_equal(s->nlinks, 9);
	assert_int_equal(s->sm_port, snapshot_port(s, node_of(&f, s, own), 1) - s->ports);
	assert_int_equal(snapshot_port(s, node_of(&f, s, far), 1)->guid, 0);
	assert_int_equal(snapshot_port(s, node_of(&f, s, far), 2)->guid, f.t.nodes[far].guid + 2);
	assert_int_equal(snapshot_port(s, node_of(&f, s, own), 2)->flags, FAB_PORT_INFO | FAB_PORT_PKEYS);
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
	s = sweep(&f);
	check_graph(&f, s);
	assert_int_equal(s->nlinks, 1);
	assert_int_equal(f.total, 8);
	snapshot_free(s);
	fake_unplug(&f, own, 1);
	s = sweep(&f);
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
	f.sm_node = named(&f, "agg", 1);
	f.sm_port = 0;
	check_exact(&f);
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
		assert_int_equal(node_of(f, s, walk), i);
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
	static const uint8_t self[] = { 0 }, leaf[] = { 0, 1 }, agg[] = { 0, 1, 3 }, host[] = { 0, 1, 2 }, core[] = { 0, 1, 3, 3 };
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
	s = sweep(&f);
	check_graph(&f, s);
	assert_int_equal(s->nlinks, 2);
	snapshot_free(s);

	fake_plug(&f, x, 7, x, 7);              /* a loopback plug */
	s = sweep(&f);
	assert_int_equal(s->nlinks, 2);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
	assert_int_equal(s->problems[0].port, 7);
	assert_string_equal(s->problems[0].reason, "port cabled to itself");
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_too_far(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_chain(&f, 63);
	check_exact(&f);
	fake_chain(&f, 66);
	s = sweep(&f);
	assert_int_equal(s->nnodes, 64);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_TOO_FAR);
	assert_int_equal(s->problems[0].hop_count, 63);
	assert_int_equal(s->problems[0].guid, f.t.nodes[63].guid);
	assert_int_equal(s->problems[0].port, 2);
	snapshot_free(s);
	fake_plug(&f, 66, 3, 1, 3);             /* a ring: the far end is near from the other side */
	s = sweep(&f);
	check_graph(&f, s);
	snapshot_free(s);
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
	s = sweep(&f);
	check_graph(&f, s);
	assert_int_equal(f.total, fake_minimum(&f) + 2 * 6);
	for (uint32_t i = 0; i < f.t.nnodes; i++) {
		const struct fab_node *n = &s->nodes[node_of(&f, s, i)];

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
	*blocks = guid == f->t.nodes[named(f, "leaf", 0)].guid ? 3 : guid == f->t.nodes[named(f, "leaf", 1)].guid;
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
	check_graph(&f, s);
	assert_int_equal(f.total, fake_minimum(&f) + 2 * 5);    /* one block is not enough for the second leaf */
	memset(memory, 0, sizeof(memory));
	n = &s->nodes[node_of(&f, s, named(&f, "leaf", 0))];
	assert_int_equal(n->lft_blocks, 2);
	assert_int_equal(n->lft[127], 77);
	snapshot_free(s);
	fake_clear(&f);
}

/* ---- nodes that misbehave ---- */

struct fault {
	uint32_t node, modifier;        /* FAKE_ANY */
	uint16_t attr_id;               /* 0: all */
	bool silent;
	uint16_t status;
	unsigned byte;                  /* of the answer */
	int value;                      /* -1: untouched */
};

static bool
hook_fault(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	const struct fault *x = f->arg;

	if (q->node != x->node || (x->attr_id && x->attr_id != q->attr_id) ||
	    (x->modifier != FAKE_ANY && x->modifier != q->modifier))
		return true;
	if (x->silent)
		return false;
	*status = x->status;
	if (x->value >= 0)
		data[x->byte] = (uint8_t)x->value;
	return true;
}

static struct snapshot *
sweep_with(struct fake *f, const struct fault *x)
{
	f->hook = hook_fault;
	f->arg = (void *)(uintptr_t)x;
	return sweep(f);
}

static void
test_mute_nodes(void **state)
{
	struct fault x = { .modifier = FAKE_ANY, .silent = true, .value = -1 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = named(&f, "host", 5);
	s = sweep_with(&f, &x);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_UNRESPONSIVE);
	assert_int_equal(s->problems[0].guid, f.t.nodes[named(&f, "leaf", 2)].guid);
	assert_int_equal(s->problems[0].port, 2);
	assert_int_equal(s->problems[0].path[s->problems[0].hop_count], 2);
	assert_string_equal(s->problems[0].reason, "NodeInfo: no answer");
	snapshot_free(s);

	x.node = named(&f, "agg", 3);           /* four neighbours report it, everything else is there */
	s = sweep_with(&f, &x);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(s->problems[i].kind, FAB_UNRESPONSIVE);
	snapshot_free(s);

	x.node = f.sm_node;
	assert_null(sweep_with(&f, &x));
	x.node = named(&f, "leaf", 0);
	s = sweep_with(&f, &x);
	assert_int_equal(s->nnodes, 1);
	assert_int_equal(s->nproblems, 1);
	snapshot_free(s);
	fake_clear(&f);
}

/* A node that refuses or swallows one attribute is there, marked, named once, and the others are whole. */
static void
test_one_attribute_fails(void **state)
{
	static const uint16_t attrs[] = { NODE_DESC_ID, SWITCH_INFO_ID, PORT_INFO_ID, PKEY_TABLE_ID, LFT_BLOCK_ID };
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.lft_top = 36;
	for (unsigned i = 0; i < 2 * sizeof(attrs) / sizeof(attrs[0]); i++) {
		struct fault x = { .node = named(&f, "agg", 2), .attr_id = attrs[i / 2], .modifier = FAKE_ANY, .value = -1 };
		const struct fab_problem *t;
		struct snapshot *s;

		x.silent = i % 2;
		x.status = STATUS_BAD_METHOD_ATTR;
		s = sweep_with(&f, &x);
		assert_int_equal(s->nnodes, 36);
		assert_int_equal(s->nlinks, 48);
		assert_int_equal(s->nproblems, 1);
		t = s->problems;
		assert_int_equal(t->kind, x.silent ? FAB_UNANSWERED : FAB_BAD_STATUS);
		assert_int_equal(t->guid, f.t.nodes[x.node].guid);
		assert_int_equal(t->attr_id, x.attr_id);
		assert_int_equal(t->status, x.silent ? 0 : x.status);
		assert_int_equal(t->count, x.attr_id == PORT_INFO_ID ? 5 : 1);
		assert_int_equal(s->nodes[node_of(&f, s, x.node)].flags & FAB_NODE_FAILED, FAB_NODE_FAILED);
		if (x.attr_id == LFT_BLOCK_ID)
			assert_null(s->nodes[node_of(&f, s, x.node)].lft);
		snapshot_free(s);
	}
	fake_clear(&f);
}

static void
test_one_port_fails(void **state)
{
	struct fault x = { .attr_id = PORT_INFO_ID, .modifier = 3, .status = STATUS_BAD_VALUE, .value = -1 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = named(&f, "core", 0);
	s = sweep_with(&f, &x);
	assert_int_equal(s->nlinks, 48);        /* its cable was seen from the other end */
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].port, 3);
	assert_int_equal(s->problems[0].modifier, 3);
	assert_string_equal(s->problems[0].reason,
		"PortInfo: status 0x001c, invalid value in attribute or modifier");
	assert_int_equal(snapshot_port(s, node_of(&f, s, x.node), 3)->flags, FAB_PORT_FAILED);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_impossible_node_infos(void **state)
{
	static const struct { unsigned byte; int value; const char *reason; } rows[] = {
		{ 2, 0, "NodeInfo: impossible node type, 0" }, { 2, 4, "NodeInfo: impossible node type, 4" },
		{ 3, 0, "NodeInfo: impossible number of ports, 0" }, { 3, 255, "NodeInfo: impossible number of ports, 255" },
		{ 36, 0, "NodeInfo: impossible local port number, 0" },
		{ 36, 9, "NodeInfo: impossible local port number, 9" },
	};
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fault x = { .node = named(&f, "host", 9), .attr_id = NODE_INFO_ID, .byte = rows[i].byte,
			.value = rows[i].value };
		struct snapshot *s = sweep_with(&f, &x);

		assert_int_equal(s->nnodes, 35);
		assert_int_equal(s->nproblems, 1);
		assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
		assert_string_equal(s->problems[0].reason, rows[i].reason);
		snapshot_free(s);
	}
	fake_clear(&f);
}

static void
test_impossible_values(void **state)
{
	struct fault x = { .attr_id = PORT_INFO_ID, .modifier = 1, .byte = 32, .value = 6 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	x.node = named(&f, "core", 0);
	s = sweep_with(&f, &x);
	assert_int_equal(s->nlinks, 48);
	assert_int_equal(s->nproblems, 1);
	assert_string_equal(s->problems[0].reason, "PortInfo: impossible port state, 6");
	snapshot_free(s);

	x = (struct fault){ .node = x.node, .attr_id = SWITCH_INFO_ID, .byte = 6, .value = 0xff };
	s = sweep_with(&f, &x);
	assert_int_equal(s->nproblems, 1);
	assert_string_equal(s->problems[0].reason, "SwitchInfo: LinearFDBTop beyond the table, 65280");
	assert_int_equal(f.total, fake_minimum(&f));
	snapshot_free(s);

	x = (struct fault){ .node = x.node, .attr_id = PKEY_TABLE_ID, .silent = true };
	f.mismatched = 1 << TXN_MISMATCH_ATTR | 1 << TXN_MISMATCH_SHORT;
	s = sweep_with(&f, &x);
	assert_int_equal(s->problems[0].kind, FAB_BAD_REPLY);
	assert_string_equal(s->problems[0].reason, "P_KeyTable: only wrong answers (wrong attribute, too short)");
	snapshot_free(s);
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
	s = sweep(&f);
	assert_true(f.total < 5000);
	snapshot_free(s);
	fake_clear(&f);
}

/* ---- nodes of one GUID, moved cables ---- */

/* Every host of 'f' but the named one is found with its cable. */
static unsigned
hosts_linked(const struct snapshot *s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->nnodes; i++)
		if (!fab_is_switch(&s->nodes[i]))
			n += snapshot_port(s, i, 1)->peer != FAB_NONE;
	return n;
}

static void
test_two_hosts_of_one_guid(void **state)
{
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	uint32_t first = named(&f, "host", 1), second = named(&f, "host", 9);

	f.t.nodes[second].guid = f.t.nodes[first].guid;
	for (unsigned same_port_guid = 0; same_port_guid < 2; same_port_guid++) {
		struct snapshot *s;
		const struct fab_problem *t;

		if (same_port_guid)
			topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		s = sweep(&f);
		assert_int_equal(s->nnodes, 35);
		assert_int_equal(hosts_linked(s), 15);
		assert_int_equal(s->nproblems, 1);
		t = s->problems;
		assert_int_equal(t->kind, FAB_DUPLICATE_GUID);
		assert_int_equal(t->guid, f.t.nodes[first].guid);
		assert_int_equal(t->hop_count, 6);              /* both places: the far one, and the one on our leaf */
		assert_int_equal(t->other_hop_count, 2);
		assert_int_equal(t->other_path[2], 2);
		assert_string_equal(t->reason, "another node has this node GUID; it was first at 0,1,2");
		assert_int_equal(f.total, fake_minimum(&f) + same_port_guid);     /* 3 less for the second, 3 proofs */
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
		first = named(&f, "leaf", 2);
		second = named(&f, "leaf", 6);
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		topo_port(&f.t, second, 0)->guid = topo_port(&f.t, first, 0)->guid;
		f.seed = seed;
		s = sweep(&f);
		assert_int_equal(s->nnodes, 33);                /* its two hosts cannot be told apart from nothing */
		assert_int_equal(hosts_linked(s), 14);
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

static void
test_same_guid_other_kind(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.t.nodes[named(&f, "host", 7)].guid = f.t.nodes[named(&f, "leaf", 0)].guid;
	s = sweep(&f);
	assert_int_equal(s->nnodes, 35);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
	assert_int_equal(hosts_linked(s), 15);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_one_port_guid_twice(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	topo_port(&f.t, named(&f, "host", 7), 1)->guid = topo_port(&f.t, named(&f, "host", 2), 1)->guid;
	s = sweep(&f);
	assert_int_equal(s->nnodes, 36);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
	assert_string_equal(s->problems[0].reason, "another port has this port GUID");
	snapshot_free(s);
	fake_clear(&f);
}

/* ---- one node for each GUID ---- */

static struct snapshot *
sweep_after(struct fake *f, const struct snapshot *before)
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
		first = named(&f, "host", seed % 2 ? 1 : 9);
		second = named(&f, "host", seed % 2 ? 9 : 1);
		before = sweep_after(&f, NULL);
		assert_int_equal(before->nproblems, 0);
		guid = f.t.nodes[second].guid;
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		if (seed % 3)
			topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		f.seed = seed;
		s = sweep_after(&f, before);
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
		first = named(&f, "leaf", seed % 2 ? 2 : 6);
		second = named(&f, "leaf", seed % 2 ? 6 : 2);
		before = sweep_after(&f, NULL);
		f.t.nodes[second].guid = f.t.nodes[first].guid;
		topo_port(&f.t, second, 0)->guid = topo_port(&f.t, first, 0)->guid;
		f.seed = seed;
		s = sweep_after(&f, before);
		at = snapshot_node_by_guid(s, f.t.nodes[first].guid);
		assert_int_not_equal(at, FAB_NONE);
		for (unsigned p = 1; p <= 4; p++) {
			uint32_t peer = snapshot_port(s, at, (uint8_t)p)->peer;

			assert_int_not_equal(peer, FAB_NONE);
			assert_int_equal(s->nodes[s->ports[peer].node].guid,
				f.t.nodes[topo_port(&f.t, first, (uint8_t)p)->peer_node].guid);
		}
		assert_int_equal(s->nnodes, 33);
		assert_int_equal(hosts_linked(s), 14);
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
		near = named(&f, "host", 5);
		far = named(&f, "host", 9);
		s = sweep_after(&f, NULL);
		total = f.total;
		assert_int_equal(total, fake_minimum(&f));
		again = sweep_after(&f, s);
		assert_int_equal(f.total, total);
		snapshot_free(again);
		snapshot_free(s);
		f.t.nodes[far].guid = f.t.nodes[near].guid;
		f.seed = seed;
		s = sweep_after(&f, NULL);
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
		first = named(&f, "host", i ? 2 : 7);
		second = named(&f, "host", i ? 7 : 2);
		before = sweep_after(&f, NULL);
		topo_port(&f.t, second, 1)->guid = topo_port(&f.t, first, 1)->guid;
		s = sweep_after(&f, before);
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
static bool hook_lies(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status);

static void
test_lies_with_a_past(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint64_t x = seed;
		struct snapshot *before, *s;
		struct fake f;

		fake_torus(&f, 3, 3, 1, 1);
		before = sweep_after(&f, NULL);
		f.seed = seed;
		f.patient = seed % 2;
		f.hook = hook_lies;
		f.arg = &x;
		f.lenient = true;
		f.total = 0;
		s = sweep_after(&f, before);
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
		m.node = named(&f, "host", 2);
		m.to = named(&f, "sw", 3);
		f.hook = hook_move;
		f.arg = &m;
		s = sweep(&f);
		total = f.total;
		for (uint32_t i = 0; i < s->nproblems; i++)
			assert_int_not_equal(s->problems[i].kind, FAB_DUPLICATE_GUID);
		assert_in_range(s->nnodes, 11, 12);
		for (uint32_t i = 0; i < s->nnodes; i++)
			assert_int_not_equal(s->nodes[i].hop_count, FAB_NO_PATH);
		n = snapshot_node_by_guid(s, f.t.nodes[m.node].guid) == FAB_NONE ? NULL :
			&s->nodes[node_of(&f, s, m.node)];
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
		m.node = named(&f, "host", 2);
		m.to = named(&f, "sw", 2);      /* is found later than the host */
		f.hook = hook_move;
		f.arg = &m;
		f.patient = true;
		s = fake_discover(&f, &c);
		total = f.total;
		at = node_of(&f, s, m.node);
		for (uint32_t i = 0; i < s->nproblems; i++)
			moved += s->problems[i].kind == FAB_MOVED_CABLE;
		if (at != FAB_NONE && s->ports[snapshot_port(s, at, 1)->peer].num == 3) {
			assert_int_equal(s->nodes[at].flags, FAB_NODE_DESC);
			assert_int_equal(snapshot_port(s, at, 1)->flags, FAB_PORT_INFO | FAB_PORT_PKEYS);
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
		s = sweep(&f);
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

/* Some answers are lies that could be true: other nodes' GUIDs, other ports, states, sizes; cables move meanwhile. */
static bool
hook_lies(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	uint64_t *x = f->arg, r;

	*x = *x * UINT64_C(6364136223846793005) + 1442695040888963407u;
	r = *x >> 33;
	if (r % 8)
		return true;
	r /= 8;
	switch (r % 6) {
	case 0:
		return false;
	case 1:
		*status = STATUS_BAD_VALUE;
		break;
	case 2:
		if (q->attr_id == NODE_INFO_ID) {
			wire_put64(data + 12, f->t.nodes[r / 6 % f->t.nnodes].guid);
			data[36] = (uint8_t)(1 + r % 37);
		}
		break;
	case 3:
		if (q->attr_id == NODE_INFO_ID)
			data[2 + r % 2] ^= (uint8_t)(1 + r / 6 % 3);
		break;
	case 4:
		if (q->attr_id == PORT_INFO_ID)
			data[32] = (uint8_t)(r / 6);
		break;
	case 5:
		data[r / 6 % 64] = (uint8_t)(r / 384);
		break;
	}
	return true;
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
		f.hook = hook_lies;
		f.arg = &x;
		f.lenient = true;
		s = sweep(&f);
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
	assert_int_equal(kinds, 1u << FAB_UNRESPONSIVE | 1u << FAB_UNANSWERED | 1u << FAB_BAD_STATUS | 1u << FAB_BAD_REPLY |
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
		cmocka_unit_test(test_order_of_answers_does_not_matter),
		cmocka_unit_test(test_odd_shapes),
		cmocka_unit_test(test_back_to_back_and_alone),
		cmocka_unit_test(test_from_a_switch),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_cables_into_themselves),
		cmocka_unit_test(test_too_far),
		cmocka_unit_test(test_tables_are_read),
		cmocka_unit_test(test_tables_are_remembered),
		cmocka_unit_test(test_mute_nodes),
		cmocka_unit_test(test_one_attribute_fails),
		cmocka_unit_test(test_one_port_fails),
		cmocka_unit_test(test_impossible_node_infos),
		cmocka_unit_test(test_impossible_values),
		cmocka_unit_test(test_random_guids_end),
		cmocka_unit_test(test_two_hosts_of_one_guid),
		cmocka_unit_test(test_two_switches_of_one_guid),
		cmocka_unit_test(test_same_guid_other_kind),
		cmocka_unit_test(test_one_port_guid_twice),
		cmocka_unit_test(test_who_was_there_keeps_the_guid),
		cmocka_unit_test(test_a_switch_keeps_its_guid),
		cmocka_unit_test(test_a_first_sweep_chooses),
		cmocka_unit_test(test_a_port_keeps_its_guid),
		cmocka_unit_test(test_lies_with_a_past),
		cmocka_unit_test(test_host_moves),
		cmocka_unit_test(test_host_moves_and_is_asked_again),
		cmocka_unit_test(test_switch_moves),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
