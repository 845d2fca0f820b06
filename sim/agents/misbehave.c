/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * misbehave.c - agents that answer wrongly, late or never, as configured by ctl or a fault script.
 * Room: sim/agents.  Pure.  Faults of the wire are in sim/hw/fault.c.
 */
#include <config.h>
#include "sim/agents/agents.h"

#define LATE_US 5000000

bool
misbehave_applies(const struct hw_node *n, enum hw_misbehaviour m, uint16_t attr_id)
{
	return n->misbehaviour == m && (!n->mis_attr || n->mis_attr == attr_id);
}

/* Numbers beyond anything an attribute can mean. */
static void
big_counts(uint8_t *m)
{
	uint8_t *d = dgram_smp_data(m);

	switch (dgram_attr_id(m)) {
	case NODE_INFO_ID:
		ATTR_SET(node_info, num_ports, d, UINT8_MAX);
		ATTR_SET(node_info, local_port, d, UINT8_MAX);
		ATTR_SET(node_info, partition_cap, d, UINT16_MAX);
		break;
	case SWITCH_INFO_ID:
		ATTR_SET(switch_info, lft_cap, d, UINT16_MAX);
		ATTR_SET(switch_info, rft_cap, d, UINT16_MAX);
		ATTR_SET(switch_info, mft_cap, d, UINT16_MAX);
		ATTR_SET(switch_info, lft_top, d, UINT16_MAX);
		ATTR_SET(switch_info, lids_per_port, d, UINT16_MAX);
		ATTR_SET(switch_info, partition_enforce_cap, d, UINT16_MAX);
		ATTR_SET(switch_info, mft_top, d, UINT16_MAX);
		break;
	case PORT_INFO_ID:
		ATTR_SET(port_info, lid, d, UINT16_MAX);
		ATTR_SET(port_info, local_port, d, UINT8_MAX);
		ATTR_SET(port_info, lmc, d, 7);
		ATTR_SET(port_info, vl_cap, d, 15);
		ATTR_SET(port_info, vlarb_high_cap, d, UINT8_MAX);
		ATTR_SET(port_info, vlarb_low_cap, d, UINT8_MAX);
		ATTR_SET(port_info, guid_cap, d, UINT8_MAX);
		ATTR_SET(port_info, mtu_cap, d, 15);
		break;
	default:
		memset(d, 0xff, DGRAM_SMP_DATA_BYTES);
	}
}

/* Shows the GUIDs of another node: the one whose GUID is the argument, else the first other one. */
static void
duplicate_guid(const struct hw *h, uint8_t *m, uint32_t node)
{
	uint8_t *d = dgram_smp_data(m), port = (uint8_t)ATTR_GET(node_info, local_port, d);
	uint64_t guid = h->nodes[node].mis_arg;
	uint32_t other = node ? 0 : 1;

	if (dgram_attr_id(m) != NODE_INFO_ID || h->nnodes < 2)
		return;
	for (uint32_t i = 0; guid && i < h->nnodes; i++)
		if (h->nodes[i].topo->guid == guid)
			other = i;
	if (h->nodes[other].type == TOPO_SWITCH)
		port = 0;
	else if (!port || port > h->nodes[other].nports)
		port = 1;
	ATTR_SET(node_info, node_guid, d, h->nodes[other].topo->guid);
	ATTR_SET(node_info, port_guid, d, hw_port(h, other, port)->guid);
}

static uint64_t
arg_or(const struct hw_node *n, uint64_t other)
{
	return n->mis_arg ? n->mis_arg : other;
}

bool
misbehave_reply(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	const struct hw_node *n = &h->nodes[node];
	uint8_t *m = p->mad, *d = dgram_smp_data(m);

	if (!misbehave_applies(n, n->misbehaviour, dgram_attr_id(m)))
		return true;
	switch ((enum hw_misbehaviour)n->misbehaviour) {
	case HW_NONE:
	case HW_NO_SET:                         /* sma.c does not do what it is told */
		return true;
	case HW_MUTE:
		return false;
	case HW_WRONG_MODIFIER:
		dgram_set_modifier(m, (uint32_t)arg_or(n, dgram_modifier(m) + 1u));
		return true;
	case HW_WRONG_ATTRIBUTE:
		dgram_set_attr_id(m, (uint16_t)arg_or(n, dgram_attr_id(m) + 1u));
		return true;
	case HW_WRONG_STATUS:
		dgram_set_status(m, (uint16_t)arg_or(n, STATUS_BAD_VALUE));
		return true;
	case HW_WRONG_METHOD: /* always a response: two such agents must not play ball */
		dgram_set_method(m, (uint8_t)(arg_or(n, METHOD_GET_TABLE_RESP) | METHOD_RESP));
		return true;
	case HW_WRONG_TID:
		dgram_set_tid(m, dgram_tid(m) ^ arg_or(n, 1));
		return true;
	case HW_RANDOM_BYTES:
		for (uint8_t *at = d; at < d + DGRAM_SMP_DATA_BYTES; at += sizeof(uint64_t))
			wire_put64(at, hw_random(h));
		return true;
	case HW_ZERO_PAYLOAD:
		memset(d, 0, DGRAM_SMP_DATA_BYTES);
		return true;
	case HW_BIG_COUNTS:
		big_counts(m);
		return true;
	case HW_DUPLICATE_GUID:
		duplicate_guid(h, m, node);
		return true;
	case HW_LATE:
		queue_packet(h, EVENT_PACKET, p, node, port,
			monotime_add_us(now, (int64_t)(arg_or(n, LATE_US) & INT64_MAX)).us);
		return false;
	}
	return true;
}
