/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.c - a run of a tool and the fabric that it examines, for tests of the rooms of diags.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/replay.h"
#include "diags/fabric/fabric_int.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "tests/unit/diags/world.h"

#define LFT_BYTES 64

static const struct diag_tool tool = { .name = "test" };

int
world_begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	diag_begin(&w->d, &tool, &diag_asking_ports, "test");
	diag_hush(&w->d, true);
	world_fabric(&w->f, fake_snapshot());
	*state = w;
	return 0;
}

int
world_end(void **state)
{
	struct world *w = *state;

	diag_fabric_clear(&w->f);
	diag_clear(&w->d);
	free(w);
	return 0;
}

void
world_fabric(struct diag_fabric *f, struct snapshot *s)
{
	diag_fabric_clear(f);
	*f = (struct diag_fabric){ .s = s, .order = fabric_order(s) };
}

void
world_answer(struct diag *d, struct snapshot *s, struct capture *c)
{
	engine_open(d, replay_open(s, c), NULL);
	engine_answers_set(d, true);
}

void
world_load(struct diag *d)
{
	diag_settings_mut(d)->load = strdup("/nonexistent/fabric.json");
}

struct snapshot *
world_star(unsigned leaves, unsigned hosts)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t spine = topo_builder_node(b, TOPO_SWITCH, (uint8_t)(leaves + 1), 0x100, "spine");
	struct snapshot *s;
	struct topo t;
	char name[32];

	for (unsigned l = 0; l < leaves; l++) {
		uint64_t guid = 0x1000 * (l + 1);
		uint32_t leaf;

		snprintf(name, sizeof(name), "leaf-%u", l);
		leaf = topo_builder_node(b, TOPO_SWITCH, (uint8_t)(hosts + 2), guid, name);
		assert_int_equal(
			topo_builder_cable(b, leaf, (uint8_t)(hosts + 1), spine, (uint8_t)(l + 1)),
			0);
		for (unsigned h = 0; h < hosts; h++) {
			uint32_t host;

			snprintf(name, sizeof(name), "host-%u-%u", l, h);
			host = topo_builder_node(b, TOPO_CA, 1, guid + 0x10 * (h + 1), name);
			assert_int_equal(topo_builder_cable(b, host, 1, leaf, (uint8_t)(h + 1)), 0);
		}
	}
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, PORT_STATE_ACTIVE, &s), 0);
	topo_clear(&t);
	for (uint32_t i = 0; i < s->nnodes; i++)
		WORLD_SET(
			&s->ports[s->nodes[i].first_port + (fab_is_switch(&s->nodes[i]) ? 0u : 1u)],
			lid, i + 1);
	return s;
}

struct fab_node *
world_node(const struct snapshot *s, uint64_t guid)
{
	uint32_t i = snapshot_node_by_guid(s, guid);

	assert_int_not_equal(i, FAB_NONE);
	return &s->nodes[i];
}

struct fab_port *
world_port(const struct snapshot *s, uint64_t guid, uint8_t num)
{
	const struct fab_node *n = world_node(s, guid);

	assert_true(num <= n->nports);
	return &s->ports[n->first_port + num];
}

static void
set_link(struct fab_port *p, uint32_t peer)
{
	p->peer = peer;
	WORLD_SET(p, state, peer == FAB_NONE ? PORT_STATE_DOWN : PORT_STATE_ACTIVE);
	WORLD_SET(p, phys_state, peer == FAB_NONE ? PHYS_STATE_POLLING : PHYS_STATE_LINK_UP);
}

void
world_unplug(struct snapshot *s, uint64_t guid, uint8_t num)
{
	struct fab_port *p = world_port(s, guid, num);

	assert_int_not_equal(p->peer, FAB_NONE);
	set_link(&s->ports[p->peer], FAB_NONE);
	set_link(p, FAB_NONE);
	snapshot_seal(s);
}

void
world_plug(struct snapshot *s, uint64_t a, uint8_t port_a, uint64_t b, uint8_t port_b)
{
	struct fab_port *p = world_port(s, a, port_a), *q = world_port(s, b, port_b);

	assert_int_equal(p->peer, FAB_NONE);
	assert_int_equal(q->peer, FAB_NONE);
	set_link(p, (uint32_t)(q - s->ports));
	set_link(q, (uint32_t)(p - s->ports));
	snapshot_seal(s);
}

void
world_lft(struct snapshot *s, uint64_t guid, const uint8_t *out, unsigned n)
{
	struct fab_node *node = world_node(s, guid);
	uint8_t *lft = arena_array(&s->arena, LFT_BYTES, 1);

	assert_true(n <= LFT_BYTES);
	memset(lft, FAB_LFT_DROP, LFT_BYTES);
	memcpy(lft, out, n);
	node->lft = lft;
	node->lft_blocks = 1;
	node->flags |= FAB_NODE_LFT;
	wire_bits_put(node->switch_info, switch_info_at_lft_top, switch_info_bits_lft_top, n - 1);
}
