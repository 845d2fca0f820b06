/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * made.c - snapshots for tests.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

uint32_t
made_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void
cut_cables(struct topo *t, const struct made_how *how)
{
	uint32_t state = how->seed * 7919u + 1;

	for (uint32_t n = 0; n < t->nnodes; n++)
		for (unsigned p = 1; t->nodes[n].type == TOPO_SWITCH && p <= t->nodes[n].nports; p++) {
			struct topo_port *port = topo_port(t, n, (uint8_t)p), *peer;

			if (port->peer_node == TOPO_NONE || port->peer_node < n ||
			    t->nodes[port->peer_node].type != TOPO_SWITCH)
				continue;
			if (made_random(&state) % 100 >= how->cut_percent)
				continue;
			peer = topo_port(t, port->peer_node, port->peer_port);
			peer->peer_node = port->peer_node = TOPO_NONE;
		}
}

struct item {
	uint64_t key;
	uint32_t node;
};

static int
by_key(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* The nodes of 't' in ascending order of some key. */
static struct item *
sorted(const struct topo *t, uint64_t (*key)(const struct topo *, uint32_t, const struct made_how *),
	const struct made_how *how)
{
	struct item *v = xcalloc(t->nnodes, sizeof(*v));

	for (uint32_t i = 0; i < t->nnodes; i++)
		v[i] = (struct item){ key(t, i, how), i };
	qsort(v, t->nnodes, sizeof(*v), by_key);
	return v;
}

static uint64_t
mix(uint32_t seed, uint32_t i)
{
	uint64_t x = ((uint64_t)seed << 32 | i) * 0x9e3779b97f4a7c15u + 0x1234567;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

/* GUID of a node: as generated, or dealt out at random (never equal: the low bits stay). */
static uint64_t
guid_key(const struct topo *t, uint32_t i, const struct made_how *how)
{
	if (!how->scramble)
		return t->nodes[i].guid;
	return ((mix(how->seed, i) & 0xffffffffu) << 24) | (uint64_t)i << 8;
}

static uint64_t
place_key(const struct topo *t, uint32_t i, const struct made_how *how)
{
	(void)t;
	return how->shuffle ? mix(how->shuffle_seed + 77, i) : i;
}

static void
make_images(struct snapshot *s, const struct made_how *how)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &s->nodes[i];
		struct switch_info si = { .lft_cap = how->lft_cap ? how->lft_cap : 0xC000 };
		struct node_info ni = { .base_version = 1, .class_version = 1, .node_type = n->type,
			.num_ports = n->nports, .sys_guid = n->guid, .node_guid = n->guid, .port_guid = n->guid,
			.partition_cap = 32, .local_port = 1 };

		node_info_encode(n->node_info, &ni);
		if (fab_is_switch(n)) {
			switch_info_encode(n->switch_info, &si);
			n->flags |= FAB_NODE_SWITCH_INFO;
		}
		for (unsigned p = fab_is_switch(n) ? 0 : 1; p <= n->nports; p++) {
			struct fab_port *fp = snapshot_port(s, i, (uint8_t)p);
			struct port_info pi = { .state = fp->peer == FAB_NONE ? 1 : 2, .phys_state = 5, .mtu_cap = 5,
				.vl_cap = 4, .operational_vls = 1, .neighbor_mtu = 4, .local_port = (uint8_t)p,
				.width_supported = 2, .width_enabled = 2, .width_active = 2,
				.speed_supported = 7, .speed_enabled = 7, .speed_active = 4 };

			port_info_encode(fp->info, &pi);
			fp->flags |= FAB_PORT_INFO;
		}
	}
}

static void
place_ports(struct snapshot *s, const struct topo *t, const uint32_t *index, const struct item *by_place)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		struct fab_node *n = &s->nodes[index[by_place[i].node]];

		n->first_port = at;
		at += n->nports + 1u;
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		for (unsigned p = 0; p <= t->nodes[i].nports; p++) {
			const struct topo_port *tp = topo_port(t, i, (uint8_t)p);
			struct fab_node *n = &s->nodes[index[i]];
			struct fab_port *fp = &s->ports[n->first_port + p];

			*fp = (struct fab_port){ .node = index[i], .peer = FAB_NONE, .num = (uint8_t)p,
				.pkeys = FAB_NONE, .guid = n->guid + (fab_is_switch(n) ? 0 : p) };
			if (p && tp->peer_node != TOPO_NONE)
				fp->peer = s->nodes[index[tp->peer_node]].first_port + tp->peer_port;
			s->nhosts += fp->peer != FAB_NONE && !fab_is_switch(n);
			s->nlinks += fp->peer != FAB_NONE && fp->peer > n->first_port + p;
		}
}

/* The end ports, by port GUID. */
static void
list_endports(struct snapshot *s)
{
	s->endports = arena_array(&s->arena, s->nports + 1u, sizeof(*s->endports));
	for (uint32_t i = 0; i < s->nports; i++) {
		uint32_t at = s->nendports;

		if (fab_is_switch(&s->nodes[s->ports[i].node]) == (s->ports[i].num > 0))
			continue;
		for (; at > 0 && s->ports[s->endports[at - 1]].guid > s->ports[i].guid; at--)
			s->endports[at] = s->endports[at - 1];
		s->endports[at] = i;
		s->nendports++;
	}
}

static struct snapshot *
snapshot_of(const struct topo *t, const struct made_how *how)
{
	struct snapshot *s = xcalloc(1, sizeof(*s));
	struct item *by_guid = sorted(t, guid_key, how), *by_place = sorted(t, place_key, how);
	uint32_t *index = xcalloc(t->nnodes, sizeof(*index));

	s->nnodes = t->nnodes;
	s->nodes = arena_array(&s->arena, t->nnodes, sizeof(*s->nodes));
	s->switches = arena_array(&s->arena, t->nnodes, sizeof(*s->switches));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *tn = &t->nodes[by_guid[i].node];
		struct fab_node *n = &s->nodes[i];

		index[by_guid[i].node] = i;
		n->guid = n->sys_guid = by_guid[i].key;
		n->type = (uint8_t)tn->type;
		n->nports = tn->nports;
		n->sw = FAB_NONE;
		if (fab_is_switch(n)) {
			n->sw = s->nswitches;
			s->switches[s->nswitches++] = i;
		}
		s->nports += tn->nports + 1u;
	}
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	place_ports(s, t, index, by_place);
	list_endports(s);
	make_images(s, how);
	free(by_guid);
	free(by_place);
	free(index);
	return s;
}

struct snapshot *
made_snapshot(const char *spec, const struct made_how *how)
{
	static const struct made_how plain;
	struct topo_error e = { "" };
	struct topo t;
	struct snapshot *s;

	how = how ? how : &plain;
	if (gen_topology(spec, &t, &e) != 0)
		fail_msg("%s: %s", spec, e.text);
	if (how->cut_percent)
		cut_cables(&t, how);
	s = snapshot_of(&t, how);
	topo_clear(&t);
	return s;
}

void
made_free(struct snapshot *s)
{
	if (!s)
		return;
	arena_clear(&s->arena);
	free(s);
}

void
made_unplug(struct snapshot *s, uint32_t port)
{
	uint32_t peer = s->ports[port].peer;

	if (peer == FAB_NONE)
		return;
	s->ports[peer].peer = FAB_NONE;
	s->ports[port].peer = FAB_NONE;
}

void
made_exchange(struct snapshot *s, uint32_t a, uint32_t b)
{
	uint32_t pa = s->ports[a].peer, pb = s->ports[b].peer;

	s->ports[a].peer = pb;
	s->ports[b].peer = pa;
	if (pa != FAB_NONE)
		s->ports[pa].peer = b;
	if (pb != FAB_NONE)
		s->ports[pb].peer = a;
}

bool
made_connected(const struct snapshot *s)
{
	bool *seen = xcalloc(s->nnodes, sizeof(*seen));
	uint32_t *queue = xcalloc(s->nswitches + 1u, sizeof(*queue)), head = 0, tail = 0;

	queue[tail++] = s->switches[0];
	seen[s->switches[0]] = true;
	while (head < tail) {
		const struct fab_node *n = &s->nodes[queue[head++]];

		for (unsigned p = 1; p <= n->nports; p++) {
			uint32_t peer = s->ports[n->first_port + p].peer;

			if (peer == FAB_NONE || seen[s->ports[peer].node] ||
			    !fab_is_switch(&s->nodes[s->ports[peer].node]))
				continue;
			seen[s->ports[peer].node] = true;
			queue[tail++] = s->ports[peer].node;
		}
	}
	free(seen);
	free(queue);
	return tail == s->nswitches;
}

uint32_t
made_hops(const struct snapshot *s, uint32_t from, uint32_t to)
{
	uint32_t *hops = xcalloc(s->nnodes, sizeof(*hops)), result;
	bool any = from != to;

	memset(hops, 0xff, s->nnodes * sizeof(*hops));
	hops[s->switches[from]] = 0;
	for (uint32_t d = 0; any && hops[s->switches[to]] == UINT32_MAX; d++) {
		any = false;
		for (uint32_t p = 0; p < s->nports; p++) {
			const struct fab_port *port = &s->ports[p];
			uint32_t far;

			if (port->peer == FAB_NONE || hops[port->node] != d)
				continue;
			far = s->ports[port->peer].node;
			if (!fab_is_switch(&s->nodes[far]) || hops[far] != UINT32_MAX)
				continue;
			hops[far] = d + 1;
			any = true;
		}
	}
	result = hops[s->switches[to]];
	free(hops);
	return result;
}
