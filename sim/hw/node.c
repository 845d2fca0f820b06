/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * node.c - makes the hardware, finds nodes in it; power, reboot, and adding of nodes.
 * Room: sim/hw.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "sim/hw/hw_int.h"
#include "util/xalloc.h"

#define DEFAULT_VL_CAP 4
#define DEFAULT_MTU_CAP 5
#define DEFAULT_LFT_CAP 49152
#define DEFAULT_MFT_CAP 1024
#define DEFAULT_PKEY_CAP 32
#define DEFAULT_TRAIN_US 10000

static void
forget_tables(struct hw *h, uint32_t node)
{
	struct hw_node *n = &h->nodes[node];

	free(n->lft);
	free(n->mft);
	free(n->slvl);
	n->lft = NULL;
	n->mft = NULL;
	n->slvl = NULL;
	n->lft_len = n->lft_top = 0;
	trap_forget(h, node);
	for (unsigned i = 0; i <= n->nports; i++) {
		struct hw_port *p = hw_port(h, node, (uint8_t)i);

		free(p->pkeys);
		free(p->vlarb);
		free(p->guids);
		p->pkeys = NULL;
		p->vlarb = NULL;
		p->guids = NULL;
		count_forget(p);
		congestion_forget(p);
		memset(p->groups, 0, sizeof(p->groups));
		p->lease_until_us = 0;
		p->training = 0;
		p->led = false;
	}
}

static void
reset_images(struct hw *h, uint32_t node)
{
	struct hw_node *n = &h->nodes[node];
	size_t len = strnlen(n->topo->desc, NODE_DESC_BYTES);

	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, n->topo->desc, len);
	sma_reset_node(h, node);
	for (unsigned i = 0; i <= n->nports; i++)
		sma_reset_port(h, node, (uint8_t)i);
}

/* As after power-on; links are not touched. */
static void
node_reset(struct hw *h, uint32_t node)
{
	forget_tables(h, node);
	reset_images(h, node);
}

/* Makes room at the end of the arrays and fills in what a node is; its links come later. */
static uint32_t
append_node(struct hw *h, const struct topo_node *t)
{
	uint32_t node = h->nnodes, first = h->nports, more = t->nports + 1u;
	struct hw_node *n;

	if (node == h->cap_nodes) {
		h->cap_nodes += h->cap_nodes / 2 + 16;
		h->nodes = xreallocarray(h->nodes, h->cap_nodes, sizeof(*h->nodes));
	}
	if (first + more > h->cap_ports) {
		h->cap_ports += h->cap_ports / 2 + 256;
		h->ports = xreallocarray(h->ports, h->cap_ports, sizeof(*h->ports));
		h->links = xreallocarray(h->links, h->cap_ports, sizeof(*h->links));
		h->cables = xreallocarray(h->cables, h->cap_ports, sizeof(*h->cables));
	}
	n = &h->nodes[node];
	*n = (struct hw_node){ .topo = t, .first_port = first, .type = t->type, .nports = t->nports,
		.powered = true,
		.since_us = h->conf.start_us, .extended_speeds = (uint8_t)h->conf.extended_speeds };
	for (uint32_t i = 0; i < more; i++) {
		h->ports[first + i] = (struct hw_port){ .node = node, .num = (uint8_t)i };
		h->links[first + i] = (struct hw_link){ HW_NOWHERE, 0, 0 };
		h->cables[first + i] = HW_NOWHERE;
	}
	h->nnodes++;
	h->nports += more;
	return node;
}

static void
take_topology(struct hw *h, const struct topo *t)
{
	h->cap_nodes = t->nnodes;
	h->cap_ports = t->nports;
	h->nodes = xcalloc(t->nnodes + 1u, sizeof(*h->nodes));
	h->ports = xcalloc(t->nports + 1u, sizeof(*h->ports));
	h->links = xcalloc(t->nports + 1u, sizeof(*h->links));
	h->cables = xcalloc(t->nports + 1u, sizeof(*h->cables));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		append_node(h, &t->nodes[i]);
		for (unsigned k = 0; k <= t->nodes[i].nports; k++)
			hw_port(h, i, (uint8_t)k)->guid = topo_port(t, i, (uint8_t)k)->guid;
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		for (unsigned k = 1; k <= t->nodes[i].nports; k++) {
			const struct topo_port *p = topo_port(t, i, (uint8_t)k);

			if (p->peer_node != TOPO_NONE)
				h->cables[h->nodes[i].first_port + k] =
					h->nodes[p->peer_node].first_port + p->peer_port;
		}
}

static void
take_conf(struct hw_conf *to, const struct hw_conf *c)
{
	*to = *c;
	if (!to->vl_cap || to->vl_cap > 5)
		to->vl_cap = DEFAULT_VL_CAP;
	if (!to->mtu_cap || to->mtu_cap > 5)
		to->mtu_cap = DEFAULT_MTU_CAP;
	if (!to->lft_cap || to->lft_cap > DEFAULT_LFT_CAP)
		to->lft_cap = DEFAULT_LFT_CAP;
	if (!to->mft_cap || to->mft_cap > 16384)
		to->mft_cap = DEFAULT_MFT_CAP;
	if (!to->pkey_cap || to->pkey_cap > 128)
		to->pkey_cap = DEFAULT_PKEY_CAP;
	to->pkey_cap = (to->pkey_cap + 31) / 32 * 32;
	if (!to->train_us)
		to->train_us = DEFAULT_TRAIN_US;
}

struct hw *
hw_new(const struct topo *t, const struct hw_conf *c)
{
	struct hw *h = xcalloc(1, sizeof(*h));

	take_conf(&h->conf, c);
	h->random = c->seed;
	h->topo = t;
	h->slow = c->latency_us > 0;
	take_topology(h, t);
	for (uint32_t i = 0; i < h->nnodes; i++)
		reset_images(h, i);
	link_up_all(h);
	return h;
}

void
hw_free(struct hw *h)
{
	if (!h)
		return;
	for (uint32_t i = 0; i < h->nnodes; i++)
		forget_tables(h, i);
	for (uint32_t i = 0; i < h->nadded; i++) {
		free((char *)(uintptr_t)h->added[i]->id);
		free((char *)(uintptr_t)h->added[i]->desc);
		free(h->added[i]);
	}
	for (uint32_t i = 0; i < h->nports; i++)
		free(h->ports[i].inject);
	traffic_free(h);
	queue_clear(h);
	free(h->added);
	free(h->out.slots);
	free(h->out_away.slots);
	free(h->nodes);
	free(h->ports);
	free(h->links);
	free(h->cables);
	free(h);
}


/* ---- finding, showing ---- */

static bool
node_is_called(const struct hw_node *n, const char *name, bool is_guid, uint64_t guid)
{
	if (is_guid)
		return n->topo->guid == guid;
	return n->topo->id && !strcmp(n->topo->id, name);
}

int
hw_node_find(const struct hw *h, const char *name, uint32_t *node)
{
	bool is_guid = name[0] == '0' && (name[1] == 'x' || name[1] == 'X');
	char *end = NULL;
	uint64_t guid = is_guid ? strtoull(name, &end, 16) : 0;
	uint32_t found = HW_NOWHERE;

	if (is_guid && (*end || end == name + 2))
		is_guid = false;
	for (uint32_t i = 0; i < h->nnodes; i++)
		if (node_is_called(&h->nodes[i], name, is_guid, guid)) {
			*node = i;
			return 0;
		}
	for (uint32_t i = 0; is_guid && i < h->nports; i++)
		if (h->ports[i].guid == guid && guid) {
			*node = h->ports[i].node;
			return 0;
		}
	for (uint32_t i = 0; i < h->nnodes; i++)
		if (!strcmp(h->nodes[i].topo->desc, name)) {
			if (found != HW_NOWHERE)
				return -ENOTUNIQ;
			found = i;
		}
	if (found == HW_NOWHERE)
		return -ENOENT;
	*node = found;
	return 0;
}

const struct topo_node *
hw_node_topo(const struct hw *h, uint32_t node)
{
	return node < h->nnodes ? h->nodes[node].topo : NULL;
}

uint32_t
hw_nodes(const struct hw *h)
{
	return h->nnodes;
}

/* ---- lives ---- */

static void
power_off(struct hw *h, uint32_t node, struct monotime now)
{
	struct hw_node *n = &h->nodes[node];

	traffic_change(h, now);
	n->powered = false;
	for (unsigned i = 1; i <= n->nports; i++)
		link_down(h, hw_port(h, node, (uint8_t)i), false, now);
	traffic_settle(h, now);         /* what it sent until now is not forgotten by others */
	node_reset(h, node);
}

static void
power_on(struct hw *h, uint32_t node, struct monotime now)
{
	struct hw_node *n = &h->nodes[node];

	n->powered = true;
	n->since_us = now.us;
	n->lives++;
	for (unsigned i = 1; i <= n->nports; i++)
		link_try(h, hw_port(h, node, (uint8_t)i), now);
}

int
hw_node_power(struct hw *h, uint32_t node, bool on, struct monotime now)
{
	if (node >= h->nnodes)
		return -ENOENT;
	if (h->nodes[node].powered == on)
		return 0;
	if (on)
		power_on(h, node, now);
	else
		power_off(h, node, now);
	return 0;
}

/* A reboot's end; 'life' is the one it began in, so that an operator's switch in between wins. */
void
node_power_due(struct hw *h, uint32_t node, uint32_t life, struct monotime now)
{
	if (!h->nodes[node].powered && h->nodes[node].lives == life)
		power_on(h, node, now);
}

int
hw_node_reboot(struct hw *h, uint32_t node, int64_t down_us, struct monotime now)
{
	struct hw_event e = { .kind = EVENT_POWER, .node = node };

	if (node >= h->nnodes)
		return -ENOENT;
	if (down_us < 0)
		return -EINVAL;
	power_off(h, node, now);
	e.arg = h->nodes[node].lives;
	e.at_us = monotime_add_us(now, down_us).us;
	queue_add(h, &e);
	return 0;
}

/* Nodes that are added get an id as the file format has it. */
static struct topo_node *
new_topo_node(uint8_t type, uint8_t nports, uint64_t guid, const char *desc)
{
	struct topo_node *t = xcalloc(1, sizeof(*t));

	t->id = xasprintf("%c-%016llx", type == TOPO_SWITCH ? 'S' : type == TOPO_CA ? 'H' : 'R',
		(unsigned long long)guid);
	t->desc = xstrdup(desc);
	t->guid = t->sys_guid = guid;
	t->type = type;
	t->nports = nports;
	return t;
}

int
hw_node_add(struct hw *h, uint8_t type, uint8_t nports, uint64_t guid, const char *desc,
	uint32_t *node)
{
	struct topo_node *t;

	if (type < TOPO_CA || type > TOPO_ROUTER || !nports || nports == 255 || !guid ||
	    strlen(desc) > NODE_DESC_BYTES)
		return -EINVAL;
	for (uint32_t i = 0; i < h->nports; i++)
		if (h->ports[i].guid == guid || h->nodes[h->ports[i].node].topo->guid == guid)
			return -EEXIST;
	t = new_topo_node(type, nports, guid, desc);
	h->added = xreallocarray(h->added, h->nadded + 1u, sizeof(struct topo_node *));
	h->added[h->nadded++] = t;
	*node = append_node(h, t);
	for (unsigned i = 0; i <= nports; i++)
		hw_port(h, *node, (uint8_t)i)->guid = type == TOPO_SWITCH ? (i ? 0 : guid) :
			(i ? guid + i : 0);
	reset_images(h, *node);
	return 0;
}
