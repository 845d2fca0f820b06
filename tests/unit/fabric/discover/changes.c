/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * changes.c - a random fabric in which things happen.
 */
#include <config.h>
#include "tests/unit/fabric/discover/changes.h"
#include "util/xalloc.h"

#define SWITCH_PORTS 8

uint32_t
changes_random(struct changes *c, uint32_t n)
{
	c->rnd = c->rnd * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(c->rnd >> 33) % n;
}

static bool
is_in(const struct changes *c, const struct cable *k)
{
	return k->in && !c->off[k->a] && !c->off[k->b];
}

/* Links are ACTIVE unless they are new to the node: then one in four is in INIT. */
static bool
hook_alive(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	struct changes *c = f->arg;
	uint32_t about[] = { q->node, q->in_port, q->attr_id, q->modifier };

	(void)status;
	if (q->number == c->when && is_in(c, &c->cables[c->pull]))
		fake_unplug(f, c->cables[c->pull].a, c->cables[c->pull].pa);
	for (unsigned i = 0; i < 4; i++)
		c->asked = (c->asked ^ about[i]) * UINT64_C(0x100000001b3);
	if (c->mute[q->node])
		return false;
	if (q->attr_id == PORT_INFO_ID && (data[32] & 15) == PORT_STATE_INIT &&
		(q->node + q->modifier) % 7)
		data[32] = (uint8_t)((data[32] & 0xf0) | PORT_STATE_ACTIVE);
	return true;
}

/* Makes the topology what 'cables' and 'off' say. */
static void
plug_all(struct changes *c)
{
	for (uint32_t i = 0; i < c->f.t.nports; i++)
		c->f.t.ports[i].peer_node = TOPO_NONE;
	for (uint32_t i = 0; i < c->ncables; i++) {
		struct cable *k = &c->cables[i];

		if (is_in(c, k))
			fake_plug(&c->f, k->a, k->pa, k->b, k->pb);
	}
}

static bool
port_free(const struct changes *c, uint32_t node, uint8_t port)
{
	for (uint32_t i = 0; i < c->ncables; i++) {
		const struct cable *k = &c->cables[i];

		if ((k->a == node && k->pa == port) || (k->b == node && k->pb == port))
			return false;
	}
	return true;
}

static void
add_cable(struct changes *c, uint32_t a, uint8_t pa, uint32_t b, uint8_t pb)
{
	if (a == b || !port_free(c, a, pa) || !port_free(c, b, pb))
		return;
	c->cables = xreallocarray(c->cables, c->ncables + 1, sizeof(*c->cables));
	c->cables[c->ncables++] = (struct cable){ a, b, pa, pb, true };
}

/* Port GUIDs in another order than those of the nodes. */
static void
turn_port_guids(struct changes *c)
{
	for (uint32_t i = 0; i < c->f.t.nports; i++)
		c->f.t.ports[i].guid = UINT64_C(0x01fe1d0000000000) - c->f.t.ports[i].guid;
}

void
changes_begin(struct changes *c, uint64_t seed)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t nsw, nodes;

	memset(c, 0, sizeof(*c));
	c->rnd = seed;
	nsw = 2 + changes_random(c, 12);
	nodes = nsw + 2 + changes_random(c, 3 * nsw);
	for (uint32_t i = 0; i < nodes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s-%u", i < nsw ? "sw" : "host", i);
		topo_builder_node(b, i < nsw ? TOPO_SWITCH : TOPO_CA,
			(uint8_t)(i < nsw ? SWITCH_PORTS : 1 + i % 2),
			fake_guid(1 + (i * 37 + (uint32_t)seed) % 1009), name);
	}
	fake_take(&c->f, b, seed % 5 ? nsw : 0);        /* sometimes we are on a switch */
	c->f.hook = hook_alive;
	c->f.arg = c;
	c->f.lft_top = seed % 3 ? 0 : 100;
	c->f.lenient = true;            /* a route of the seed may lead elsewhere */
	c->off = xcalloc(nodes, sizeof(*c->off));
	c->mute = xcalloc(nodes, sizeof(*c->mute));
	for (uint32_t i = 1; i < nsw; i++)
		add_cable(c, i, 1, changes_random(c, i), (uint8_t)(2 + changes_random(c, 7)));
	for (uint32_t i = nsw; i < nodes; i++)
		for (uint8_t p = 1; p <= 1 + i % 2; p++)
			add_cable(c, i, p, changes_random(c, nsw),
				(uint8_t)(1 + changes_random(c, 8)));
	for (uint32_t i = 0; i < 3 * nsw; i++)
		add_cable(c, changes_random(c, nsw), (uint8_t)(1 + changes_random(c, 8)),
			changes_random(c, nsw), (uint8_t)(1 + changes_random(c, 8)));
	for (uint32_t i = nsw + 1; i < nodes; i++)
		c->off[i] = !changes_random(c, 6);
	plug_all(c);
	if (seed % 2)
		turn_port_guids(c);
}

void
changes_end(struct changes *c)
{
	free(c->cables);
	free(c->off);
	free(c->mute);
	fake_clear(&c->f);
}

static void
suspect(struct changes *c, uint32_t node)
{
	if (c->nsuspects < CHANGES_SUSPECTS && !c->off[node])
		c->suspects[c->nsuspects++] = c->f.t.nodes[node].guid;
}

static void
suspect_switch(struct changes *c, uint32_t node)
{
	if (c->f.t.nodes[node].type == TOPO_SWITCH)
		suspect(c, node);
}

/* Most often both ends report. */
static void
report(struct changes *c, const struct cable *k)
{
	uint32_t who = changes_random(c, 8);

	if (who != 1)
		suspect_switch(c, k->a);
	if (who != 0)
		suspect_switch(c, k->b);
}

static void
move_cable(struct changes *c, struct cable *k)
{
	uint32_t to = changes_random(c, c->f.t.nnodes);
	uint8_t port = (uint8_t)(1 + changes_random(c, c->f.t.nodes[to].nports));

	if (to == k->a || !port_free(c, to, port))
		return;
	report(c, k);
	k->b = to;
	k->pb = port;
	report(c, k);
}

void
changes_switch(struct changes *c, uint32_t node)
{
	if (node == c->f.sm_node)
		return;
	c->off[node] = !c->off[node];
	for (uint32_t i = 0; i < c->ncables; i++)
		if (c->cables[i].a == node || c->cables[i].b == node)
			report(c, &c->cables[i]);
	plug_all(c);
}

void
changes_cable(struct changes *c, uint32_t cable, bool in)
{
	c->cables[cable].in = in;
	report(c, &c->cables[cable]);
	plug_all(c);
}

static void
mute_node(struct changes *c, uint32_t node)
{
	if (node == c->f.sm_node || c->f.t.nodes[node].type == TOPO_SWITCH)
		return;
	c->mute[node] = !c->mute[node];
	changes_switch(c, node);
}

void
changes_happen(struct changes *c)
{
	struct cable *k = &c->cables[changes_random(c, c->ncables)];

	switch (changes_random(c, 8)) {
	case 0:
		move_cable(c, k);
		break;
	case 1:
	case 2:
		changes_switch(c, changes_random(c, c->f.t.nnodes));
		break;
	case 3:
		mute_node(c, changes_random(c, c->f.t.nnodes));
		break;
	case 4:
		suspect(c, changes_random(c, c->f.t.nnodes));
		break;
	case 5:
		c->pull = changes_random(c, c->ncables);
		c->when = 1 + changes_random(c, 60);
		break;
	default:
		changes_cable(c, (uint32_t)(k - c->cables), !k->in);
		break;
	}
	plug_all(c);
}

void
changes_forget(struct changes *c)
{
	c->nsuspects = 0;
	c->when = 0;
}

struct snapshot *
changes_discover(struct changes *c, const struct snapshot *seed, bool whole)
{
	struct discover_conf conf = fake_conf();
	uint64_t known[CHANGES_SUSPECTS];
	struct snapshot s = *seed, *found;

	for (uint32_t i = 0; i < c->nsuspects; i++)
		if (snapshot_node_by_guid(seed, c->suspects[i]) != FAB_NONE)
			known[conf.nsuspects++] = c->suspects[i];
	s.unplugged = whole;
	conf.seed = &s;
	conf.suspects = known;
	c->asked = 0;
	found = fake_discover(&c->f, &conf);
	plug_all(c);
	return found;
}
