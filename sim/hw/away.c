/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * away.c - adapters whose agents and programs are outside the simulator.
 * Room: sim/hw.  Pure.
 *
 * The packets of such a node travel like all others.  Its agent keeps its own registers; those here
 * are a second copy, which the links, VLs and partitions of the fabric need.  Every Set is repeated
 * here to keep the copy equal.
 */
#include <config.h>
#include <errno.h>
#include "sim/hw/hw_int.h"

int
hw_away_set(struct hw *h, uint32_t node)
{
	if (node >= h->nnodes)
		return -ENOENT;
	if (h->nodes[node].type != TOPO_CA)
		return -EINVAL;
	h->nodes[node].away = true;
	return 0;
}

bool
hw_away(const struct hw *h, uint32_t node)
{
	return node < h->nnodes && h->nodes[node].away;
}

bool
away_takes(const struct hw *h, const struct hw_packet *p, uint32_t node)
{
	if (!h->nodes[node].away)
		return false;
	if (!p->dst_qp || dgram_method(p->mad) & METHOD_RESP)
		return true;
	return dgram_class(p->mad) != CLASS_PM && dgram_class(p->mad) != CLASS_CC &&
		dgram_class(p->mad) != CLASS_VENDOR_A;
}

static bool
is_port(const struct hw *h, uint32_t node, uint8_t port)
{
	return node < h->nnodes && port && port <= h->nodes[node].nports;
}

static bool
has_attribute(uint16_t attr_id)
{
	return attr_id == NODE_DESC_ID || attr_id == GUID_INFO_ID || attr_id == PORT_INFO_ID ||
		attr_id == PKEY_TABLE_ID ||
		attr_id == SLVL_TABLE_ID || attr_id == VLARB_TABLE_ID;
}

int
hw_away_reported(struct hw *h, uint32_t node, uint8_t port, uint32_t life, uint16_t attr_id,
	uint32_t modifier, const uint8_t data[64],
	struct monotime now)
{
	uint8_t w[64];
	struct sma_call c = { .h = h, .node = node, .port = port, .set = true, .show_keys = true,
		.data = w, .modifier = modifier, .now = now };

	if (!hw_away(h, node) || !is_port(h, node, port) || !has_attribute(attr_id))
		return -EINVAL;
	c.n = &h->nodes[node];
	if (!c.n->powered)
		return 0;
	memcpy(w, data, sizeof(w));
	if (attr_id == PORT_INFO_ID && life != hw_link_life(h, node, port)) {
		ATTR_SET(port_info, state, w, PORT_STATE_NO_CHANGE);
		ATTR_SET(port_info, phys_state, w, PHYS_STATE_NO_CHANGE);
	}
	sma_handle(&c, attr_id);
	return 0;
}

int
hw_away_caps(struct hw *h, uint32_t node, uint8_t port, uint32_t capability_mask)
{
	struct hw_port *p;

	if (!hw_away(h, node) || !is_port(h, node, port))
		return -EINVAL;
	p = hw_port(h, node, port);
	ATTR_SET(port_info, capability_mask, p->info, capability_mask);
	p->is_sm = capability_mask & PORT_CAP_IS_SM;
	return 0;
}

uint32_t
hw_node_life(const struct hw *h, uint32_t node)
{
	return node < h->nnodes && h->nodes[node].powered ? h->nodes[node].lives + 1 : 0;
}

uint32_t
hw_link_life(const struct hw *h, uint32_t node, uint8_t port)
{
	return is_port(h, node, port) ? hw_port(h, node, port)->life + 1 : 0;
}
