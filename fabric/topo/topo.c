/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo.c - putting a topology together, node by node and cable by cable.
 * Room: fabric/topo.  Pure.
 * In: nodes and cables from a generator or from the reader.  Out: one struct topo in one arena.
 * The tables grow here and are copied once at the end, so that a finished topology holds no slack.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/topo.h"
#include "util/xalloc.h"

#define DESC_BYTES 64

struct topo_builder {
	struct arena arena;             /* strings */
	struct topo_node *nodes;
	struct topo_port *ports;
	uint32_t nnodes, nodes_cap, nports, ports_cap;
};

void
topo_clear(struct topo *t)
{
	arena_clear(&t->arena);
	memset(t, 0, sizeof(*t));
}

struct topo_builder *
topo_builder_new(void)
{
	return xcalloc(1, sizeof(struct topo_builder));
}

void
topo_builder_free(struct topo_builder *b)
{
	if (!b)
		return;
	arena_clear(&b->arena);
	free(b->nodes);
	free(b->ports);
	free(b);
}

static uint32_t
cap_grow(uint32_t cap, uint32_t need)
{
	if (need > UINT32_MAX / 2)
		bug("topo: a table of %" PRIu32 " entries", need);
	cap = cap ? cap : 64;
	while (cap < need)
		cap *= 2;
	return cap;
}

static void
make_room(struct topo_builder *b, uint32_t ports)
{
	if (b->nnodes == b->nodes_cap) {
		b->nodes_cap = cap_grow(b->nodes_cap, b->nnodes + 1);
		b->nodes = xreallocarray(b->nodes, b->nodes_cap, sizeof(*b->nodes));
	}
	if (b->ports_cap - b->nports < ports) {
		b->ports_cap = cap_grow(b->ports_cap, b->nports + ports);
		b->ports = xreallocarray(b->ports, b->ports_cap, sizeof(*b->ports));
	}
}

static const char *
default_id(struct topo_builder *b, enum topo_node_type type, uint64_t guid)
{
	char id[24];

	snprintf(id, sizeof(id), "%c-%016" PRIx64,
		type == TOPO_SWITCH ? 'S' : type == TOPO_ROUTER ? 'R' : 'H', guid);
	return topo_builder_string(b, id);
}

uint32_t
topo_builder_node(struct topo_builder *b, enum topo_node_type type, uint8_t nports, uint64_t guid,
	const char *desc)
{
	uint32_t count = 1u + nports;
	size_t desc_bytes = strnlen(desc, DESC_BYTES);
	struct topo_node *n;
	char *copy;

	if (nports < 1 || nports > 254)
		bug("topo: a node of %u ports", nports);
	make_room(b, count);
	n = &b->nodes[b->nnodes];
	memset(n, 0, sizeof(*n));
	copy = arena_alloc(&b->arena, desc_bytes + 1);
	memcpy(copy, desc, desc_bytes);
	n->desc = copy;
	n->id = default_id(b, type, guid);
	n->guid = guid;
	n->type = (uint8_t)type;
	n->nports = nports;
	n->first_port = b->nports;
	for (uint32_t i = 0; i < count; i++) {
		struct topo_port *p = &b->ports[b->nports + i];

		memset(p, 0, sizeof(*p));
		p->peer_node = TOPO_NONE;
		if ((type == TOPO_SWITCH) == (i == 0))
			p->guid = guid + i;
	}
	b->nports += count;
	return b->nnodes++;
}

struct topo_node *
topo_builder_at(struct topo_builder *b, uint32_t node)
{
	if (node >= b->nnodes)
		bug("topo: node %" PRIu32 " of %" PRIu32, node, b->nnodes);
	return &b->nodes[node];
}

struct topo_port *
topo_builder_port(struct topo_builder *b, uint32_t node, uint8_t port)
{
	struct topo_node *n = topo_builder_at(b, node);

	if (port > n->nports)
		bug("topo: port %u of %u", port, n->nports);
	return &b->ports[n->first_port + port];
}

uint32_t
topo_builder_count(const struct topo_builder *b)
{
	return b->nnodes;
}

const char *
topo_builder_string(struct topo_builder *b, const char *s)
{
	return arena_strdup(&b->arena, s);
}

static void
cable_plug(struct topo_port *p, uint32_t peer_node, uint8_t peer_port)
{
	p->peer_node = peer_node;
	p->peer_port = peer_port;
	p->width = 2;                   /* 4X */
	p->speed = 4;                   /* QDR, below */
	p->speed_ext = 4;               /* HDR */
}

int
topo_builder_cable(struct topo_builder *b, uint32_t node_a, uint8_t port_a, uint32_t node_b,
	uint8_t port_b)
{
	struct topo_port *pa, *pb;

	if (node_a >= b->nnodes || node_b >= b->nnodes || !port_a || !port_b ||
	    port_a > b->nodes[node_a].nports || port_b > b->nodes[node_b].nports)
		return -EINVAL;
	if (node_a == node_b && port_a == port_b)
		return -EINVAL;
	pa = topo_builder_port(b, node_a, port_a);
	pb = topo_builder_port(b, node_b, port_b);
	if (pa->peer_node != TOPO_NONE || pb->peer_node != TOPO_NONE)
		return -EEXIST;
	cable_plug(pa, node_b, port_b);
	cable_plug(pb, node_a, port_a);
	return 0;
}

/* ---- checks ---- */

struct named {
	const char *id;
	uint32_t node;
};

struct numbered {
	uint64_t guid;
	uint32_t node;
};

static int
by_node(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int
named_compare(const void *va, const void *vb)
{
	const struct named *a = va, *b = vb;
	int order = strcmp(a->id, b->id);

	return order ? order : by_node(a->node, b->node);
}

static int
numbered_compare(const void *va, const void *vb)
{
	const struct numbered *a = va, *b = vb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return by_node(a->node, b->node);
}

static bool
ids_clash(const struct topo_builder *b, uint32_t *first, uint32_t *second)
{
	struct named *v = xmalloc((b->nnodes + 1) * sizeof(*v));
	bool found = false;

	for (uint32_t i = 0; i < b->nnodes; i++)
		v[i] = (struct named){ b->nodes[i].id, i };
	qsort(v, b->nnodes, sizeof(*v), named_compare);
	for (uint32_t i = 1; i < b->nnodes && !found; i++)
		if (!strcmp(v[i - 1].id, v[i].id)) {
			*first = v[i - 1].node;
			*second = v[i].node;
			found = true;
		}
	free(v);
	return found;
}

/* Sorts 'v' and searches it for two entries with one GUID. */
static bool
guids_clash(struct numbered *v, uint32_t count, uint32_t *first, uint32_t *second)
{
	qsort(v, count, sizeof(*v), numbered_compare);
	for (uint32_t i = 1; i < count; i++)
		if (v[i - 1].guid == v[i].guid) {
			*first = v[i - 1].node;
			*second = v[i].node;
			return true;
		}
	return false;
}

static bool
node_guids_clash(const struct topo_builder *b, uint32_t *first, uint32_t *second)
{
	struct numbered *v = xmalloc((b->nnodes + 1) * sizeof(*v));
	bool found;

	for (uint32_t i = 0; i < b->nnodes; i++)
		v[i] = (struct numbered){ b->nodes[i].guid, i };
	found = guids_clash(v, b->nnodes, first, second);
	free(v);
	return found;
}

/* Only ports that a manager can meet: port 0 of switches, and the plugged ports of the rest. */
static bool
port_guids_clash(const struct topo_builder *b, uint32_t *first, uint32_t *second)
{
	struct numbered *v = xmalloc(((size_t)b->nports + 1) * sizeof(*v));
	uint32_t count = 0;
	bool found;

	for (uint32_t i = 0; i < b->nnodes; i++) {
		const struct topo_node *n = &b->nodes[i];
		const struct topo_port *p = &b->ports[n->first_port];

		if (n->type == TOPO_SWITCH)
			v[count++] = (struct numbered){ p->guid, i };
		for (uint32_t k = 1; k <= n->nports && n->type != TOPO_SWITCH; k++)
			if (p[k].peer_node != TOPO_NONE)
				v[count++] = (struct numbered){ p[k].guid, i };
	}
	found = guids_clash(v, count, first, second);
	free(v);
	return found;
}

enum topo_clash
topo_builder_clash(const struct topo_builder *b, uint32_t *first, uint32_t *second)
{
	if (ids_clash(b, first, second))
		return TOPO_CLASH_ID;
	if (node_guids_clash(b, first, second))
		return TOPO_CLASH_GUID;
	if (port_guids_clash(b, first, second))
		return TOPO_CLASH_PORT_GUID;
	return TOPO_CLASH_NONE;
}

int
topo_builder_take(struct topo_builder *b, struct topo *t)
{
	uint32_t first, second;
	bool clash = topo_builder_clash(b, &first, &second) != TOPO_CLASH_NONE;

	memset(t, 0, sizeof(*t));
	if (!clash) {
		t->arena = b->arena;
		b->arena = (struct arena)ARENA_INIT;
		t->nnodes = b->nnodes;
		t->nports = b->nports;
		t->nodes = arena_array(&t->arena, t->nnodes, sizeof(*t->nodes));
		t->ports = arena_array(&t->arena, t->nports, sizeof(*t->ports));
		if (t->nnodes) {
			memcpy(t->nodes, b->nodes, t->nnodes * sizeof(*t->nodes));
			memcpy(t->ports, b->ports, t->nports * sizeof(*t->ports));
		}
	}
	topo_builder_free(b);
	return clash ? -EEXIST : 0;
}
