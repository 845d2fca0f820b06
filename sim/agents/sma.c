/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sma.c - the subnet management agent of every node: checks a datagram, finds its handler, answers
 * in place.
 * Room: sim/agents.  Pure.  Layouts and rules: docs/wire.md; what is enforced: docs/simulator.md.
 * Neighbours: sma_port.c PortInfo, sma_table.c the tables, mkey.c protection, fault.c agents that
 * misbehave.
 */
#include <config.h>
#include "sim/agents/agents.h"

#define VENDOR_ID 0x00fe1d
#define ATTR_FIRST NODE_DESC_ID
#define ATTR_LAST LED_INFO_ID
#define MFT_TOP_NONE (MLID_FIRST - 1)

void
sma_reset_node(struct hw *h, uint32_t node)
{
	struct hw_node *n = &h->nodes[node];
	const struct topo_node *t = n->topo;
	struct node_info ni = {
		.base_version = MAD_BASE_VERSION, .class_version = CLASS_VERSION_SM,
			.node_type = n->type, .num_ports = n->nports,
		.sys_guid = t->sys_guid ? t->sys_guid : t->guid, .node_guid = t->guid,
		.partition_cap = (uint16_t)h->conf.pkey_cap, .device_id = (uint16_t)t->device_id,
		.revision = 1,
		.vendor_id = t->vendor_id ? t->vendor_id : VENDOR_ID,
	};
	struct switch_info si = {
		.lft_cap = (uint16_t)h->conf.lft_cap, .mft_cap = (uint16_t)h->conf.mft_cap,
			.optimized_slvl = 1,
		.partition_enforce_cap = (uint16_t)h->conf.pkey_cap, .inbound_enforce_cap = 1,
		.outbound_enforce_cap = 1, .filter_raw_inbound_cap = 1, .filter_raw_outbound_cap =
		1,
		.enhanced_port0 = t->enhanced_port0 ? 1 : 0,
	};

	memset(n->node_info, 0, sizeof(n->node_info));
	node_info_encode(n->node_info, &ni);
	memset(n->switch_info, 0, sizeof(n->switch_info));
	if (n->type == TOPO_SWITCH)
		switch_info_encode(n->switch_info, &si);
}

void
sma_node_image(const struct hw *h, uint32_t node, uint8_t port, uint8_t w[static NODE_INFO_BYTES])
{
	memcpy(w, h->nodes[node].node_info, NODE_INFO_BYTES);
	ATTR_SET(node_info, port_guid, w, hw_agent_port(h, node, port)->guid);
	ATTR_SET(node_info, local_port, w, port);
}

static uint16_t
get_node_info(struct sma_call *c)
{
	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	if (c->modifier)
		return STATUS_BAD_VALUE;
	memset(c->data, 0, DGRAM_SMP_DATA_BYTES);
	sma_node_image(c->h, c->node, c->port, c->data);
	return STATUS_OK;
}

static uint16_t
node_desc(struct sma_call *c)
{
	bool changed;

	if (c->modifier)
		return STATUS_BAD_VALUE;
	if (c->set) {
		changed = memcmp(c->n->desc, c->data, NODE_DESC_BYTES) != 0;
		memcpy(c->n->desc, c->data, NODE_DESC_BYTES);
		if (changed)
			trap_local_change(c->h, c->node, c->port, TRAP144_NODE_DESC, c->now);
	}
	memcpy(c->data, c->n->desc, NODE_DESC_BYTES);
	return STATUS_OK;
}

static uint16_t
set_switch_info(struct sma_call *c)
{
	struct switch_info in = switch_info_decode(c->data),
		si = switch_info_decode(c->n->switch_info);
	uint16_t status = STATUS_OK;

	if (in.lft_top < si.lft_cap)
		si.lft_top = in.lft_top;
	else
		status = STATUS_BAD_VALUE;
	if (!in.mft_top || (in.mft_top >= MFT_TOP_NONE && in.mft_top < MLID_FIRST + si.mft_cap))
		si.mft_top = in.mft_top;
	else
		status = STATUS_BAD_VALUE;
	si.default_port = in.default_port;
	si.default_mcast_primary = in.default_mcast_primary;
	si.default_mcast_not_primary = in.default_mcast_not_primary;
	si.life_time = in.life_time;
	if (in.port_state_change)
		si.port_state_change = 0;
	traffic_touch(c->h, c->now);
	switch_info_encode(c->n->switch_info, &si);
	c->n->lft_top = si.lft_top;
	return status;
}

static uint16_t
switch_info(struct sma_call *c)
{
	uint16_t status = c->modifier ? STATUS_BAD_VALUE : STATUS_OK;

	if (c->n->type != TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->set && !status)
		status = set_switch_info(c);
	memset(c->data, 0, DGRAM_SMP_DATA_BYTES);
	memcpy(c->data, c->n->switch_info, SWITCH_INFO_BYTES);
	return status;
}

static uint16_t
port_info(struct sma_call *c)
{
	return c->set ? sma_set_port_info(c) : sma_get_port_info(c);
}

static uint16_t
led_info(struct sma_call *c)
{
	uint32_t port = c->modifier & 0xff;
	struct hw_port *p;

	if (port > c->n->nports)
		return STATUS_BAD_VALUE;
	if (c->n->type != TOPO_SWITCH)
		port = c->port;
	p = hw_port(c->h, c->node, (uint8_t)port);
	if (c->set)
		p->led = ATTR_GET(led_info, led_mask, c->data);
	memset(c->data, 0, DGRAM_SMP_DATA_BYTES);
	ATTR_SET(led_info, led_mask, c->data, p->led);
	return STATUS_OK;
}

typedef uint16_t sma_handler(struct sma_call *c);

static sma_handler *const handlers[ATTR_LAST - ATTR_FIRST + 1] = {
	[NODE_DESC_ID - ATTR_FIRST] = node_desc,
	[NODE_INFO_ID - ATTR_FIRST] = get_node_info,
	[SWITCH_INFO_ID - ATTR_FIRST] = switch_info,
	[GUID_INFO_ID - ATTR_FIRST] = sma_guid_info,
	[PORT_INFO_ID - ATTR_FIRST] = port_info,
	[PKEY_TABLE_ID - ATTR_FIRST] = sma_pkey_table,
	[SLVL_TABLE_ID - ATTR_FIRST] = sma_slvl,
	[VLARB_TABLE_ID - ATTR_FIRST] = sma_vlarb,
	[LFT_BLOCK_ID - ATTR_FIRST] = sma_lft,
	[MFT_BLOCK_ID - ATTR_FIRST] = sma_mft,
	[LED_INFO_ID - ATTR_FIRST] = led_info,
};

uint16_t
sma_handle(struct sma_call *c, uint16_t attr_id)
{
	sma_handler *f;

	if (attr_id == PORT_INFO_EXT_ID)
		return sma_port_info_ext(c);
	if (attr_id == MLNX_EXT_PORT_INFO_ID && sma_has_vendor_port_info(c->n))
		return sma_vendor_port_info(c);
	if (attr_id < ATTR_FIRST || attr_id > ATTR_LAST)
		return STATUS_BAD_METHOD_ATTR;
	f = handlers[attr_id - ATTR_FIRST];
	if (!f)
		return STATUS_BAD_METHOD_ATTR;
	if (c->set && misbehave_applies(c->n, HW_NO_SET, attr_id))
		c->set = false;
	return f(c);
}

/* Turns the request into its answer: response bit, direction, status, addresses. */
static enum hw_fate
sma_answer(struct sma_call *c, struct hw_packet *p, uint16_t status)
{
	uint8_t *m = p->mad, method = dgram_method(m);
	uint16_t to = p->slid;

	dgram_set_method(m, method == METHOD_SET ? METHOD_GET_RESP : method | METHOD_RESP);
	if (dgram_class(m) == CLASS_SM_DR)
		dgram_set_direction(m);
	dgram_set_status(m, status);
	if (p->dlid == LID_PERMISSIVE && to != LID_PERMISSIVE)
		p->slid = hw_lid(hw_agent_port(c->h, c->node, c->port));
	else
		p->slid = p->dlid;
	p->dlid = to;
	p->src_qp = p->dst_qp = 0;
	if (c->n->misbehaviour && !misbehave_reply(c->h, p, c->node, c->port, c->now))
		return FATE_GONE;
	return FATE_ANSWER;
}

enum hw_fate
sma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	uint8_t *m = p->mad, method = dgram_method(m);
	uint16_t attr_id = dgram_attr_id(m);
	struct sma_call c = { .h = h, .n = &h->nodes[node], .node = node, .port = port,
		.set = method == METHOD_SET,
		.data = dgram_smp_data(m), .modifier = dgram_modifier(m), .packet = p, .now = now };

	if (dgram_base_version(m) != MAD_BASE_VERSION)
		return FATE_GONE;               /* an unknown base version: nobody can answer it */
	if (method & METHOD_RESP || method == METHOD_TRAP ||
	    (dgram_class(m) == CLASS_SM_DR && dgram_direction(m) && method != METHOD_TRAP_REPRESS))
		return FATE_CLIENT;
	if (dgram_class_version(m) != CLASS_VERSION_SM)
		return sma_answer(&c, p, STATUS_BAD_VERSION);
	if (method != METHOD_GET && method != METHOD_SET && method != METHOD_TRAP_REPRESS)
		return sma_answer(&c, p, STATUS_BAD_METHOD);
	if (!mkey_check(&c, m))
		return FATE_GONE;
	if (method == METHOD_TRAP_REPRESS) {
		trap_repress(h, node, m);
		return FATE_GONE;
	}
	if (misbehave_applies(c.n, HW_MUTE, attr_id))
		return FATE_GONE;
	if (attr_id == SM_INFO_ID)
		return FATE_CLIENT;
	return sma_answer(&c, p, sma_handle(&c, attr_id));
}
