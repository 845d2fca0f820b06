/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * misbehave.c - agents that answer wrongly, late or never, as a fault script wants them to.
 * Room: sim/agents.  Pure.  Faults of the wire are in sim/hw/fault.c.
 */
#include <config.h>
#include "sim/agents/agents.h"

#define LATE_US 5000000

bool
fault_applies(const struct hw_node *n, enum hw_misbehaviour m, uint16_t attr_id)
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
		d[3] = d[36] = 255;             /* NumPorts, LocalPortNum */
		wire_put16(d + 28, 0xffff);     /* PartitionCap */
		break;
	case SWITCH_INFO_ID:
		memset(d, 0xff, 8);             /* capacities, LinearFDBTop */
		memset(d + 12, 0xff, 4);        /* LIDsPerPort, PartitionEnforcementCap */
		wire_put16(d + 18, 0xffff);     /* MulticastFDBTop */
		break;
	case PORT_INFO_ID:
		wire_put16(d + PI_LID, 0xffff);
		d[PI_LOCAL_PORT] = 255;
		d[PI_LMC] |= 7;
		d[37] |= 0xf0;                  /* VLCap */
		d[39] = d[40] = d[50] = 255;    /* arbitration capacities, GUIDCap */
		d[41] |= 0x0f;                  /* MTUCap */
		break;
	default:
		memset(d, 0xff, 64);
	}
}

/* Shows the GUIDs of another node: the one whose GUID is the argument, else the first other one. */
static void
duplicate_guid(const struct hw *h, uint8_t *m, uint32_t node)
{
	uint8_t *d = dgram_smp_data(m), port = d[36];
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
	wire_put64(d + 12, h->nodes[other].topo->guid);
	wire_put64(d + 20, hw_port(h, other, port)->guid);
}

static uint64_t
arg_or(const struct hw_node *n, uint64_t other)
{
	return n->mis_arg ? n->mis_arg : other;
}

bool
fault_reply(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	const struct hw_node *n = &h->nodes[node];
	uint8_t *m = p->mad, *d = dgram_smp_data(m);

	if (!fault_applies(n, n->misbehaviour, dgram_attr_id(m)))
		return true;
	switch ((enum hw_misbehaviour)n->misbehaviour) {
	case HW_NONE:
	case HW_NO_SET:                         /* sma.c does not do what it is told */
		return true;
	case HW_MUTE:
		return false;
	case HW_WRONG_MODIFIER:
		wire_put32(m + 20, (uint32_t)arg_or(n, dgram_modifier(m) + 1u));
		return true;
	case HW_WRONG_ATTRIBUTE:
		wire_put16(m + 16, (uint16_t)arg_or(n, dgram_attr_id(m) + 1u));
		return true;
	case HW_WRONG_STATUS:
		dgram_set_status(m, (uint16_t)arg_or(n, STATUS_BAD_VALUE));
		return true;
	case HW_WRONG_METHOD:                   /* always a response: two such agents must not play ball */
		m[3] = (uint8_t)(arg_or(n, METHOD_GET_TABLE_RESP) | METHOD_RESP);
		return true;
	case HW_WRONG_TID:
		wire_put64(m + 8, dgram_tid(m) ^ arg_or(n, 1));
		return true;
	case HW_RANDOM_BYTES:
		for (unsigned i = 0; i < 64; i += 8)
			wire_put64(d + i, hw_random(h));
		return true;
	case HW_ZERO_PAYLOAD:
		memset(d, 0, 64);
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
