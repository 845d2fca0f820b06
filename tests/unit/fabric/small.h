/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * small.h - snapshots of a few nodes for tests, from lists of nodes and cables.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_SMALL_H
#define HEDDLE_TESTS_UNIT_FABRIC_SMALL_H

#include "tests/unit/test.h"
#include "fabric/topo/snapshot_topo.h"

/* Node 'i' of the list; GUIDs ascend with it, so the ordinals of the switches do, too. */
struct small_node {
	enum topo_node_type type;
	uint8_t nports;
};

struct small_cable {
	uint32_t a;
	uint8_t port_a;
	uint32_t b;
	uint8_t port_b;
};

static inline struct snapshot *
small_snapshot(const struct small_node *nodes, unsigned nnodes, const struct small_cable *cables,
	unsigned ncables)
{
	struct topo_builder *b = topo_builder_new();
	struct snapshot *s = NULL;
	struct topo t;

	for (unsigned i = 0; i < nnodes; i++)
		assert_int_equal(topo_builder_node(b, nodes[i].type, nodes[i].nports,
			0x1000u * (i + 1), "small"), i);
	for (unsigned i = 0; i < ncables; i++)
		assert_int_equal(topo_builder_cable(b, cables[i].a, cables[i].port_a, cables[i].b,
			cables[i].port_b), 0);
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, 2, &s), 0);
	topo_clear(&t);
	return s;
}

/* Port 'num' of node 'i' of the list, as an index into ports[]. */
static inline uint32_t
small_port(const struct snapshot *s, unsigned i, uint8_t num)
{
	uint32_t node = snapshot_node_by_guid(s, 0x1000u * (i + 1));

	assert_int_not_equal(node, FAB_NONE);
	return s->nodes[node].first_port + num;
}

#endif
