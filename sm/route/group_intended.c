/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_intended.c - learns a part of the intended topology as a fabric of its own.
 * Room: sm/route.  Pure.  In: the intended topology, a group.  Out: the group's.
 *
 * The part becomes a snapshot, which intended_learn() reads as if it had been swept.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/part.h"
#include "libmad/attr/codes.h"
#include "sm/route/group_intended.h"
#include "util/xalloc.h"

/* A node to be: a switch of the topology, or a host. */
struct member {
	uint64_t guid;
	uint32_t sw, host; /* indices of the topology; one is INTENDED_NONE */
};

struct making {
	const struct intended *t;
	struct arena arena;
	struct member *member; /* by GUID */
	uint32_t n;
	uint32_t *node; /* per switch of the topology: its node; FAB_NONE */
	uint64_t *kind[INTENDED_KINDS]; /* GUIDs of hosts of each kind */
	uint32_t nkind[INTENDED_KINDS];
	struct snapshot *s;
};

static int
by_guid(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

static void
find_members(struct making *m, const struct routing_group *g)
{
	const struct intended *t = m->t;

	m->member = arena_array(&m->arena, (size_t)t->nsw + t->nhosts + 1, sizeof(*m->member));
	m->node = arena_array(&m->arena, t->nsw + 1u, sizeof(*m->node));
	memset(m->node, 0xff, t->nsw * sizeof(*m->node));
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t sw = intended_switch_find(t, g->sw[i].guid);

		if (sw == INTENDED_NONE)
			continue;
		m->node[sw] = 0; /* until nodes are in order */
		m->member[m->n++] = (struct member){ g->sw[i].guid, sw, INTENDED_NONE };
	}
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (m->node[t->hosts[i].sw] != FAB_NONE)
			m->member[m->n++] = (struct member){ t->hosts[i].guid, INTENDED_NONE, i };
	qsort(m->member, m->n, sizeof(*m->member), by_guid);
}

/* A host has one port here, whatever its adapter has. */
static void
make_nodes(struct making *m)
{
	struct snapshot *s = m->s;

	s->nodes = arena_array(&s->arena, m->n, sizeof(*s->nodes));
	for (uint32_t i = 0; i < m->n; i++) {
		const struct member *k = &m->member[i];
		const struct intended_switch *sw = k->sw == INTENDED_NONE ? NULL : &m->t->sw[k->sw];

		if (sw)
			m->node[k->sw] = i;
		s->nodes[i] = (struct fab_node){ .guid = k->guid,
			.sys_guid = sw ? sw->system_guid : k->guid,
			.first_port = s->nports,
			.type = sw ? NODE_TYPE_SWITCH : NODE_TYPE_CA,
			.nports = sw ? sw->nports : 1 };
		s->nports += s->nodes[i].nports + 1u;
	}
	s->nnodes = m->n;
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	for (uint32_t i = 0; i < m->n; i++)
		for (unsigned p = 0; p <= s->nodes[i].nports; p++)
			s->ports[s->nodes[i].first_port + p] = (struct fab_port){ .node = i,
				.peer = FAB_NONE,
				.pkeys = FAB_NONE,
				.num = (uint8_t)p,
				.guid = s->nodes[i].guid };
}

static void
join_ports(struct snapshot *s, uint32_t a, uint8_t aport, uint32_t b, uint8_t bport)
{
	uint32_t p = s->nodes[a].first_port + aport, q = s->nodes[b].first_port + bport;

	s->ports[p].peer = q;
	s->ports[q].peer = p;
}

static void
make_links(struct making *m)
{
	const struct intended *t = m->t;
	const struct intended_host *h;

	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];

		if (m->node[l->a] != FAB_NONE && m->node[l->b] != FAB_NONE)
			join_ports(m->s, m->node[l->a], l->aport, m->node[l->b], l->bport);
	}
	for (uint32_t k = 0; k < INTENDED_KINDS; k++)
		m->kind[k] = arena_array(&m->arena, m->n, sizeof(*m->kind[k]));
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->member[i].host == INTENDED_NONE)
			continue;
		h = &t->hosts[m->member[i].host];
		join_ports(m->s, m->node[h->sw], h->port, i, 1);
		m->kind[h->kind][m->nkind[h->kind]++] = h->guid;
	}
}

/* Whether the switches are intended to be one fabric. */
static bool
is_connected(struct making *m)
{
	bool *node = arena_array(&m->arena, m->s->nnodes, sizeof(*node));
	bool *port = arena_array(&m->arena, m->s->nports, sizeof(*port));

	memset(node, true, m->s->nnodes * sizeof(*node));
	memset(port, true, m->s->nports * sizeof(*port));
	return part_connect(m->s, node, port) == 1;
}

struct intended *
group_intended_make(
	const struct intended *t, const struct routing_group *g, const struct route_conf *c)
{
	struct making m = { .t = t };
	struct intended_conf how = { .roots = c->roots, .nroots = c->nroots };
	struct intended *result = NULL;

	find_members(&m, g);
	if (m.n) {
		m.s = xcalloc(1, sizeof(*m.s));
		make_nodes(&m);
		make_links(&m);
		m.s->sm_port = fab_is_switch(&m.s->nodes[0]) ? 0 : 1;
		snapshot_seal(m.s);
		how.compute = m.kind[INTENDED_COMPUTE];
		how.ncompute = m.nkind[INTENDED_COMPUTE];
		how.io = m.kind[INTENDED_IO];
		how.nio = m.nkind[INTENDED_IO];
		if (is_connected(&m))
			result = intended_learn(m.s, &how);
		snapshot_free(m.s);
	}
	arena_clear(&m.arena);
	return result;
}
