/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.c - checks the subnet from the hardware registers, whichever manager wrote them.
 * Room: sim/hw.  Pure.
 *
 * The check is independent of any manager's planning code: it follows packets through the
 * programmed tables as the hardware would, and counts port states and LIDs.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sim/hw/hw_int.h"
#include "util/xalloc.h"

#define HOPS_MAX 64

static bool
link_up(const struct hw *h, uint32_t p)
{
	return h->links[p].node != HW_NOWHERE && hw_state(&h->ports[p]) > PORT_STATE_DOWN;
}

static bool
is_end(const struct hw *h, uint32_t p)
{
	const struct hw_node *n = &h->nodes[h->ports[p].node];

	return n->powered && (n->type == TOPO_SWITCH ? h->ports[p].num == 0 : h->ports[p].num > 0 &&
		link_up(h, p));
}

/* Whether a packet for 'lid' that has arrived at the switch with index 'sw' reaches a
 * port that owns it. */
static bool
arrives_from(const struct hw *h, uint32_t sw, uint16_t lid)
{
	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		const struct hw_node *n = &h->nodes[sw];
		uint8_t out = lid < n->lft_len ? n->lft[lid] : LFT_DROP_PORT;
		uint32_t p;

		if (out == 0)
			return route_has_lid(h, sw, 0, lid);
		if (out > n->nports)
			return false;
		p = n->first_port + out;
		if (!link_up(h, p) || hw_state(&h->ports[p]) != PORT_STATE_ACTIVE)
			return false;
		if (h->nodes[h->links[p].node].type != TOPO_SWITCH)
			return route_has_lid(h, h->links[p].node, h->links[p].port, lid);
		sw = h->links[p].node;
	}
	return false;
}

static void
count_ports(const struct hw *h, struct hw_verdict *v, uint8_t *used)
{
	for (uint32_t p = 0; p < h->nports; p++) {
		const struct hw_port *port = &h->ports[p];
		const struct hw_port *agent;
		uint32_t lid, last;

		if (port->num > 0 && link_up(h, p)) {
			v->linked++;
			v->active += hw_state(port) == PORT_STATE_ACTIVE;
			v->armed += hw_state(port) == PORT_STATE_ARMED;
			v->init += hw_state(port) == PORT_STATE_INIT;
		}
		if (!is_end(h, p))
			continue;
		v->hosts += port->num > 0;
		agent = hw_agent_port(h, port->node, port->num);
		lid = hw_lid(agent);
		last = lid + (1u << hw_lmc(agent)) - 1;
		v->no_lid += lid == 0;
		for (; lid && lid <= last && lid <= LID_UCAST_MAX; lid++) {
			v->duplicate_lids += used[lid];
			used[lid] = 1;
		}
	}
	used[0] = 0;
}

/* All hosts of one switch share the walk from there; a host's own LIDs need none. */
static void
walk_from(const struct hw *h, uint32_t p, const uint8_t *arrives, const uint8_t *used,
	struct hw_verdict *v)
{
	const struct hw_port *port = &h->ports[p];

	for (uint32_t lid = 1; lid <= LID_UCAST_MAX; lid++) {
		if (!used[lid])
			continue;
		v->walks++;
		if (route_has_lid(h, port->node, port->num, (uint16_t)lid) ||
		    (hw_state(port) == PORT_STATE_ACTIVE && arrives[lid]))
			continue;
		if (!v->lost++) {
			v->lost_node = port->node;
			v->lost_port = port->num;
			v->lost_lid = (uint16_t)lid;
		}
	}
}

static void
walk_switch(const struct hw *h, uint32_t sw, uint8_t *arrives, const uint8_t *used,
	struct hw_verdict *v)
{
	const struct hw_node *n = &h->nodes[sw];
	bool resolved = false;

	for (unsigned i = 1; i <= n->nports; i++) {
		const struct hw_link *l = &h->links[n->first_port + i];
		uint32_t host;

		if (!link_up(h, n->first_port + i) || h->nodes[l->node].type == TOPO_SWITCH)
			continue;
		host = h->nodes[l->node].first_port + l->port;
		for (uint32_t lid = 1; lid <= LID_UCAST_MAX && !resolved; lid++)
			arrives[lid] = used[lid] && arrives_from(h, sw, (uint16_t)lid);
		resolved = true;
		walk_from(h, host, arrives, used, v);
	}
}

/* Adapters cabled to each other reach what is at the other end of the cable. */
static void
walk_back_to_back(const struct hw *h, uint8_t *arrives, const uint8_t *used, struct hw_verdict *v)
{
	for (uint32_t p = 0; p < h->nports; p++) {
		const struct hw_link *l = &h->links[p];

		if (!is_end(h, p) || h->ports[p].num == 0 || h->nodes[l->node].type == TOPO_SWITCH)
			continue;
		for (uint32_t lid = 1; lid <= LID_UCAST_MAX; lid++)
			arrives[lid] = route_has_lid(h, l->node, l->port, (uint16_t)lid);
		walk_from(h, p, arrives, used, v);
	}
}

void
hw_check(const struct hw *h, bool walk, struct hw_verdict *v)
{
	uint8_t *used = xcalloc(65536, 1), *arrives = xcalloc(65536, 1);

	memset(v, 0, sizeof(*v));
	for (uint32_t i = 0; i < h->nnodes; i++) {
		v->nodes += h->nodes[i].powered;
		v->switches += h->nodes[i].powered && h->nodes[i].type == TOPO_SWITCH;
	}
	count_ports(h, v, used);
	if (walk) {
		for (uint32_t i = 0; i < h->nnodes; i++)
			if (h->nodes[i].powered && h->nodes[i].type == TOPO_SWITCH)
				walk_switch(h, i, arrives, used, v);
		walk_back_to_back(h, arrives, used, v);
	}
	free(used);
	free(arrives);
}
