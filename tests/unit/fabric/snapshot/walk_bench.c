/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * walk_bench.c - a small fabric with LIDs and tables, for tests.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/fabric/snapshot/walk_bench.h"

static uint32_t
port_index(const struct bench *b, uint32_t topo_node, uint8_t num)
{
	return b->s->nodes[snapshot_node_by_guid(b->s,
		b->f.t.nodes[topo_node].guid)].first_port + num;
}

int
walk_bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct topo_builder *t = topo_builder_new();
	uint32_t own = topo_builder_node(t, TOPO_CA, 1, fake_guid(9), "own");
	uint32_t x = topo_builder_node(t, TOPO_SWITCH, 5, fake_guid(2), "x");
	uint32_t y = topo_builder_node(t, TOPO_SWITCH, 5, fake_guid(1), "y");
	uint32_t far = topo_builder_node(t, TOPO_CA, 2, fake_guid(5), "far");

	topo_builder_cable(t, own, 1, x, 1);
	topo_builder_cable(t, x, 2, y, 2);
	topo_builder_cable(t, x, 3, y, 3);
	topo_builder_cable(t, y, 1, far, 2);
	fake_take(&b->f, t, own);
	topo_port(&b->f.t, own, 1)->lid = 1;
	topo_port(&b->f.t, x, 0)->lid = 2;
	topo_port(&b->f.t, y, 0)->lid = 3;
	/* a device may say so; it compares without the low bits */
	topo_port(&b->f.t, far, 2)->lid = 9;
	topo_port(&b->f.t, far, 2)->lmc = 2;
	topo_port(&b->f.t, y, 0)->lmc = 1;              /* means nothing on a base port 0 */
	assert_int_equal(topo_to_snapshot(&b->f.t, own, 4, &b->s), 0);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &b->lids), 0);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &b->fwd), 0);
	b->own = port_index(b, own, 1);
	b->far = port_index(b, far, 2);
	b->x = port_index(b, x, 0);
	b->y = port_index(b, y, 0);
	b->row_x = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->x].node].sw);
	b->row_y = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->y].node].sw);
	b->fwd.top = 11;
	b->row_x[1] = 1;
	b->row_x[2] = 0;
	b->row_x[3] = 2;
	memset(b->row_x + 8, 2, 4);
	b->row_y[1] = b->row_y[2] = 3;
	b->row_y[3] = 0;
	memset(b->row_y + 8, 1, 4);
	*state = b;
	return 0;
}

int
walk_bench_teardown(void **state)
{
	struct bench *b = *state;

	snapshot_free(b->s);
	arena_clear(&b->arena);
	fake_clear(&b->f);
	free(b);
	return 0;
}
