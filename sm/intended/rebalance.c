/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rebalance.c - learns the union of an intended topology and the fabric as it is.
 * Room: sm/intended.  Pure.
 *
 * The union is built as a snapshot: first from the fabric, then from what is missing, if its ports
 * are still free.  So in a contradiction the fabric is used, and what is only missing stays
 * intended.  Each host is a node with one port.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/intended/adopt.h"
#include "sm/intended/compare.h"
#include "util/xalloc.h"

struct merge {
	const struct intended *t;
	const struct snapshot *s;
	struct snapshot *out;
	uint64_t *compute, *io;
	uint32_t ncompute, nio;
};

static void
add_node(struct merge *m, uint8_t type, uint64_t guid, uint64_t sys_guid, uint8_t nports)
{
	m->out->nodes[m->out->nnodes++] = (struct fab_node){
		.guid = guid, .sys_guid = sys_guid, .type = type, .nports = nports
	};
	m->out->nports += nports + 1u;
}

/* Returns true if the port is in use now. */
static bool
is_taken(const struct merge *m, uint32_t sw, uint8_t port)
{
	uint32_t node = snapshot_node_by_guid(m->s, m->t->sw[sw].guid);

	return node != FAB_NONE && port <= m->s->nodes[node].nports &&
		snapshot_port(m->s, node, port)->peer != FAB_NONE;
}

/* Returns true if a missing switch could come back, because one of its links still has a free end.
 * Otherwise another switch has its place. */
static bool
has_place(const struct merge *m, uint32_t sw)
{
	for (uint32_t i = 0; i < m->t->nlinks; i++) {
		const struct intended_link *l = &m->t->links[i];

		if ((l->a == sw && !is_taken(m, l->b, l->bport)) ||
			(l->b == sw && !is_taken(m, l->a, l->aport)))
			return true;
	}
	return m->t->nsw == 1;
}

static void
add_nodes(struct merge *m)
{
	const struct intended *t = m->t;
	const struct snapshot *s = m->s;
	size_t most = (size_t)t->nsw + t->nhosts + s->nswitches + s->nendports;

	m->out->nodes = arena_array(&m->out->arena, most, sizeof(*m->out->nodes));
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];

		if (intended_switch_there(s, i))
			add_node(m, NODE_TYPE_SWITCH, n->guid, n->sys_guid, n->nports);
	}
	for (uint32_t i = 0; i < t->nsw; i++) {
		uint32_t node = snapshot_node_by_guid(s, t->sw[i].guid);

		if ((node == FAB_NONE || s->nodes[node].sw == FAB_NONE ||
			    !intended_switch_there(s, s->nodes[node].sw)) &&
			has_place(m, i))
			add_node(m, NODE_TYPE_SWITCH, t->sw[i].guid, t->sw[i].system_guid,
				t->sw[i].nports);
	}
	for (uint32_t i = 0; i < s->nendports; i++)
		if (intended_place_of(s, s->endports[i]).sw != INTENDED_NONE)
			add_node(m, NODE_TYPE_CA, s->ports[s->endports[i]].guid, 0, 1);
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (intended_place_of(s, snapshot_port_by_guid(s, t->hosts[i].guid)).sw ==
			INTENDED_NONE)
			add_node(m, NODE_TYPE_CA, t->hosts[i].guid, 0, 1);
}

static int
by_guid(const void *va, const void *vb)
{
	const struct fab_node *a = va, *b = vb;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

/* Sorts the nodes, one per GUID, and makes their ports. */
static void
add_ports(struct merge *m)
{
	struct snapshot *o = m->out;
	uint32_t n = 0, at = 0;

	qsort(o->nodes, o->nnodes, sizeof(*o->nodes), by_guid);
	for (uint32_t i = 0; i < o->nnodes; i++)
		if (!n || o->nodes[n - 1].guid != o->nodes[i].guid)
			o->nodes[n++] = o->nodes[i];
	o->nnodes = n;
	o->ports = arena_array(&o->arena, o->nports, sizeof(*o->ports));
	for (uint32_t i = 0; i < n; i++) {
		o->nodes[i].first_port = at;
		for (unsigned p = 0; p <= o->nodes[i].nports; p++)
			o->ports[at++] = (struct fab_port){ .node = i,
				.peer = FAB_NONE,
				.guid = o->nodes[i].guid,
				.pkeys = FAB_NONE,
				.num = (uint8_t)p };
	}
	o->nports = at;
}

/* Connects two ports, unless one is used already or does not exist. */
static void
connect(struct merge *m, uint64_t a, uint8_t aport, uint64_t b, uint8_t bport)
{
	uint32_t na = snapshot_node_by_guid(m->out, a), nb = snapshot_node_by_guid(m->out, b);
	uint32_t pa, pb;

	if (na == FAB_NONE || nb == FAB_NONE || aport > m->out->nodes[na].nports ||
		bport > m->out->nodes[nb].nports)
		return;
	pa = m->out->nodes[na].first_port + aport;
	pb = m->out->nodes[nb].first_port + bport;
	if (pa == pb || m->out->ports[pa].peer != FAB_NONE || m->out->ports[pb].peer != FAB_NONE)
		return;
	m->out->ports[pa].peer = pb;
	m->out->ports[pb].peer = pa;
}

static void
connect_present(struct merge *m)
{
	const struct snapshot *s = m->s;

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		for (unsigned p = 1; intended_switch_there(s, sw) && p <= n->nports; p++) {
			uint32_t peer = s->ports[n->first_port + p].peer;
			const struct fab_port *far = peer == FAB_NONE ? NULL : &s->ports[peer];

			if (far && fab_is_switch(&s->nodes[far->node]))
				connect(m, n->guid, (uint8_t)p, s->nodes[far->node].guid, far->num);
			else if (far)
				connect(m, n->guid, (uint8_t)p, far->guid, 1);
		}
	}
}

static void
connect_missing(struct merge *m)
{
	const struct intended *t = m->t;

	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];

		connect(m, t->sw[l->a].guid, l->aport, t->sw[l->b].guid, l->bport);
	}
	for (uint32_t i = 0; i < t->nhosts; i++)
		connect(m, t->sw[t->hosts[i].sw].guid, t->hosts[i].port, t->hosts[i].guid, 1);
}

/* Known hosts keep their kinds: they are added to the lists of the configuration. */
static struct intended_conf
conf_with_kinds(struct merge *m, const struct intended_conf *c)
{
	struct intended_conf out = c ? *c : (struct intended_conf){ .nroots = 0 };
	const struct intended *t = m->t;
	struct arena *a = &m->out->arena;
	bool all = !out.ncompute && !out.nio;

	for (uint32_t i = 0; i < t->nhosts; i++)
		all &= t->hosts[i].kind == INTENDED_COMPUTE;
	if (all)
		return out;
	m->compute = arena_array(a, (size_t)out.ncompute + t->nhosts + 1, sizeof(*m->compute));
	m->io = arena_array(a, (size_t)out.nio + t->nhosts + 1, sizeof(*m->io));
	for (; m->ncompute < out.ncompute; m->ncompute++)
		m->compute[m->ncompute] = out.compute[m->ncompute];
	for (; m->nio < out.nio; m->nio++)
		m->io[m->nio] = out.io[m->nio];
	for (uint32_t i = 0; i < t->nhosts; i++) {
		if (t->hosts[i].kind == INTENDED_COMPUTE)
			m->compute[m->ncompute++] = t->hosts[i].guid;
		else if (t->hosts[i].kind == INTENDED_IO)
			m->io[m->nio++] = t->hosts[i].guid;
	}
	out.compute = m->compute;
	out.ncompute = m->ncompute;
	out.io = m->io;
	out.nio = m->nio;
	return out;
}

struct intended *
intended_rebalance(
	const struct intended *t, const struct snapshot *s, const struct intended_conf *c)
{
	struct merge m = { .t = t, .s = s, .out = xcalloc(1, sizeof(*m.out)) };
	struct intended *made = NULL;
	struct intended_conf conf;

	add_nodes(&m);
	add_ports(&m);
	connect_present(&m);
	connect_missing(&m);
	if (m.out->nports) {
		snapshot_seal(m.out);
		conf = conf_with_kinds(&m, c);
		made = intended_learn(m.out, &conf);
	}
	snapshot_free(m.out);
	return made;
}
