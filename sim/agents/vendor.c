/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vendor.c - the agent of vendor class 0x0a that diagnostics use: node information and a few
 * registers.
 * Room: sim/agents.  Pure.  Layouts: docs/wire.md.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/gen_attr.h"
#include "libmad/attr/vs_attr.h"
#include "sim/agents/agents.h"

#define VENDOR_DATA_BYTES 232
#define RESP_TIME 18
#define IS3_DEVICE_ID 47396
#define IS3_PORTS 24
#define IS3_XMIT_WAIT 0x10013cu         /* + 0x1000 for each port */
#define GROUP0_MASK 0x007u              /* which selects a group of counters takes */
#define GROUP1_MASK 0x106u

struct vendor_call {
	struct hw *h;
	struct hw_node *n;
	uint32_t node;
	uint8_t port;
	bool set;
	uint8_t *d;
	uint32_t modifier;
	struct monotime now;
};

/* Devices that give their firmware version a second time, and the software version behind that. */
static bool
has_extended_version(uint32_t device)
{
	static const uint16_t ranges[][2] = {
		{ 0x0245, 0x0245 }, { 0xc738, 0xc73b }, { 0xcb20, 0xcb20 }, { 0xcf08, 0xcf08 },
		{ 0xd2f0, 0xd2f0 },
		{ 0x01b3, 0x01b3 }, { 0x1003, 0x101b }, { 0xa2d2, 0xa2d2 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (device >= ranges[i][0] && device <= ranges[i][1])
			return true;
	return false;
}

static uint16_t
class_port_info(struct vendor_call *c)
{
	struct class_port_info cpi = { .base_version = MAD_BASE_VERSION,
		.class_version = CLASS_VERSION_VENDOR, .resp_time = RESP_TIME };

	if (c->set)
		return STATUS_OK;
	memset(c->d, 0, VENDOR_DATA_BYTES);
	class_port_info_encode(c->d, &cpi);
	return STATUS_OK;
}

/* Hardware revision 1; firmware and software have the simulator's version. */
static uint16_t
general_info(struct vendor_call *c)
{
	struct vs_general_info g = {
		.hw_revision = 1, .device_id = (uint16_t)c->n->topo->device_id,
			.fw_psid = "HEDDLE_SIM",
		.uptime_s = (uint32_t)((c->now.us - c->n->since_us) / 1000000),
		.fw_major = HW_VERSION_MAJOR,
		.fw_minor = HW_VERSION_MINOR, .fw_sub = HW_VERSION_SUB,
	};

	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	memset(c->d, 0, VENDOR_DATA_BYTES);
	if (has_extended_version(g.device_id)) {
		g.fw_ext_major = g.sw_major = HW_VERSION_MAJOR;
		g.fw_ext_minor = g.sw_minor = HW_VERSION_MINOR;
		g.fw_ext_sub = g.sw_sub = HW_VERSION_SUB;
	}
	/* these have the software version there, in an octet each */
	if (!has_extended_version(g.device_id))
		g.fw_ext_major = HW_VERSION_MAJOR << 16 | HW_VERSION_MINOR << 8 | HW_VERSION_SUB;
	vs_general_info_encode(c->d, &g);
	return STATUS_OK;
}

/* The only registers there are: XmitWait of the 24 ports of one old switch, which begin at port
 * 4. */
static bool
read_register(struct vendor_call *c, uint32_t address, uint32_t *value)
{
	uint32_t i = (address - IS3_XMIT_WAIT) >> 12;
	struct hw_port *p;
	uint64_t v;

	if (c->n->topo->device_id != IS3_DEVICE_ID || address < IS3_XMIT_WAIT ||
	    (address - IS3_XMIT_WAIT) % 0x1000 || !i ||
	    i > IS3_PORTS || c->n->nports < IS3_PORTS)
		return false;
	p = hw_port(c->h, c->node, (uint8_t)((i + 2) % IS3_PORTS + 1));
	count_settle(c->h, p, c->now);
	v = count_get(p, COUNT_XMIT_WAIT, false);
	*value = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
	return true;
}

static uint16_t
config_space(struct vendor_call *c)
{
	struct vs_config_space s = vs_config_space_decode(c->d);
	unsigned records = c->modifier >> 16 & 0x3f;
	uint16_t status = STATUS_OK;

	if (c->set || records > VS_CONFIG_RECORDS)
		return STATUS_BAD_VALUE;                /* none can be written */
	for (unsigned i = 0; i < records; i++)
		if (!read_register(c, s.address[i], &s.data[i]))
			status = STATUS_BAD_VALUE;
	vs_config_space_encode(c->d, &s);
	return status;
}

static uint16_t
counter_group_info(struct vendor_call *c)
{
	struct vs_counter_group_info g = { .groups = 2, .group_mask = { GROUP0_MASK,
		GROUP1_MASK } };

	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	if (c->modifier > c->n->nports)
		return STATUS_BAD_VALUE;
	memset(c->d, 0, VENDOR_DATA_BYTES);
	vs_counter_group_info_encode(c->d, &g);
	return STATUS_OK;
}

static uint16_t
counter_groups(struct vendor_call *c)
{
	struct vs_counter_groups in = vs_counter_groups_decode(c->d), g = { { 0 } };
	struct hw_port *p;

	if (c->modifier > c->n->nports)
		return STATUS_BAD_VALUE;
	p = hw_port(c->h, c->node, (uint8_t)c->modifier);
	if (c->set) {
		if (in.group_select[0] > 31 || in.group_select[1] > 31 ||
		    !(GROUP0_MASK >> in.group_select[0] & 1) ||
		    !(GROUP1_MASK >> in.group_select[1] & 1))
			return STATUS_BAD_VALUE;
		memcpy(p->groups, in.group_select, sizeof(p->groups));
	}
	memcpy(g.group_select, p->groups, sizeof(p->groups));
	memset(c->d, 0, VENDOR_DATA_BYTES);
	vs_counter_groups_encode(c->d, &g);
	return STATUS_OK;
}

static uint16_t
call_handle(struct vendor_call *c, const uint8_t *m)
{
	if (dgram_class_version(m) != CLASS_VERSION_VENDOR)
		return STATUS_BAD_VERSION;
	if (dgram_method(m) != METHOD_GET && dgram_method(m) != METHOD_SET)
		return STATUS_BAD_METHOD;
	switch (dgram_attr_id(m)) {
	case ATTR_CLASS_PORT_INFO:
		return class_port_info(c);
	case VS_GENERAL_INFO_ID:
		return general_info(c);
	case VS_CONFIG_SPACE_ID:
		return config_space(c);
	case VS_COUNTER_GROUP_INFO_ID:
		return counter_group_info(c);
	case VS_COUNTER_GROUPS_ID:
		return counter_groups(c);
	default:
		return STATUS_BAD_METHOD_ATTR;
	}
}

enum hw_fate
vendor_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	struct vendor_call c = { .h = h, .n = &h->nodes[node], .node = node, .port = port,
		.now = now,
		.set = dgram_method(p->mad) == METHOD_SET, .d = dgram_keyed_data(p->mad),
		.modifier = dgram_modifier(p->mad) };

	if (dgram_base_version(p->mad) != MAD_BASE_VERSION)
		return FATE_GONE;
	gmp_answer(h, p, node, port, call_handle(&c, p->mad));
	return FATE_ANSWER;
}
