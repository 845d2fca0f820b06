/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc.c - the congestion control agent (class 0x21): keys, settings, tables, logs.
 * Room: sim/agents.  Pure.  Layouts: docs/wire.md.  What congests, marks and is logged: traffic.c.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/cc_attr.h"
#include "libmad/attr/gen_attr.h"
#include "sim/agents/agents.h"
#include "util/xalloc.h"

#define CC_RESP_TIME 18
#define SWITCH_SETTING_BYTES 76
#define CA_SETTING_BYTES (CC_CA_ENTRIES_AT + CC_CA_ENTRY_BYTES * CC_CA_ENTRIES)

/* The clock of logs and marks, in units of 1.024 us. */
static uint32_t
cc_time(struct monotime now)
{
	return (uint32_t)((uint64_t)now.us * 125 / 128);
}

/* What a call works on. */
struct cc_call {
	struct hw *h;
	struct hw_node *n;
	uint32_t node;
	struct hw_port *p;              /* the agent's */
	struct hw_cc *cc;
	bool set, trusted;              /* showed the right key */
	uint8_t *mad, *d;
	uint32_t modifier;
	struct monotime now;
};

static uint16_t
class_port_info(struct cc_call *c)
{
	struct class_port_info cpi = { .base_version = MAD_BASE_VERSION,
		.class_version = CLASS_VERSION_CC, .resp_time = CC_RESP_TIME };

	if (c->set)
		return STATUS_OK;               /* no traps, so nothing to set */
	memset(c->d, 0, CC_INFO_BYTES);
	class_port_info_encode(c->d, &cpi);
	return STATUS_OK;
}

static uint16_t
cc_info_get(struct cc_call *c)
{
	struct cc_info i = { .control_table_cap = c->n->type == TOPO_SWITCH ? 0 :
		HW_CC_TABLE_BLOCKS };

	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	memset(c->d, 0, CC_INFO_BYTES);
	cc_info_encode(c->d, &i);
	return STATUS_OK;
}

static uint16_t
key_info(struct cc_call *c)
{
	struct cc_key_info in = cc_key_info_decode(c->d), k = cc_key_info_decode(c->cc->key_info);

	if (c->set) {
		if (in.violations)
			in.violations = k.violations;
		k = in;
		c->cc->lease_until_us = 0;
		cc_key_info_encode(c->cc->key_info, &k);
		c->trusted = true;
	}
	memset(c->d, 0, CC_KEY_INFO_BYTES);
	if (k.protect && !c->trusted)
		k.cc_key = 0;
	cc_key_info_encode(c->d, &k);
	return STATUS_OK;
}

static uint16_t
log_switch(const struct cc_call *c, uint8_t *d)
{
	struct cc_log_switch s = { .time_stamp = cc_time(c->now) };

	for (unsigned i = 1; i <= c->n->nports; i++)
		count_settle(c->h, hw_port(c->h, c->node, (uint8_t)i), c->now);
	s.events = c->cc->events;
	memcpy(s.port_map, c->cc->port_map, sizeof(s.port_map));
	cc_log_switch_encode(d, &s);
	ATTR_SET(cc_log, log_type, d, CC_LOG_TYPE_SWITCH);
	for (unsigned i = 0; i < c->cc->nlog && i < CC_LOG_SWITCH_EVENTS; i++) {
		const struct hw_cc_event *e = &c->cc->log[i];
		struct cc_log_switch_event x = { .slid = e->slid, .dlid = e->dlid, .sl = e->sl,
			.time_stamp = cc_time((struct monotime){ e->at_us }) };

		cc_log_switch_event_encode(cc_log_switch_event_place(d, i), &x);
	}
	return STATUS_OK;
}

static uint16_t
log_ca(const struct cc_call *c, uint8_t *d)
{
	struct cc_log_ca s = { .time_stamp = cc_time(c->now) };

	count_settle(c->h, c->p, c->now);
	s.events = c->cc->events;
	for (unsigned i = 0; i < c->cc->nlog; i++)
		s.event_map |= (uint16_t)(1u << c->cc->log[i].sl);
	cc_log_ca_encode(d, &s);
	ATTR_SET(cc_log, log_type, d, CC_LOG_TYPE_CA);
	for (unsigned i = 0; i < c->cc->nlog && i < CC_LOG_CA_EVENTS; i++) {
		const struct hw_cc_event *e = &c->cc->log[i];
		struct cc_log_ca_event x = { .local_qp = HW_TRAFFIC_QP, .remote_qp = HW_TRAFFIC_QP,
			.sl = e->sl,
			.local_lid = e->slid, .remote_lid = e->dlid,
			.time_stamp = cc_time((struct monotime){ e->at_us }) };

		cc_log_ca_event_encode(cc_log_ca_event_place(d, i), &x);
	}
	return STATUS_OK;
}

static uint16_t
congestion_log(struct cc_call *c)
{
	uint8_t *d = cc_log_data(c->mad);

	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	memset(d, 0, CC_LOG_BYTES);
	return c->n->type == TOPO_SWITCH ? log_switch(c, d) : log_ca(c, d);
}

/* ControlMap says what a Set means: the bits of its mask. */
enum { SETTING_VICTIM = 1, SETTING_CREDIT = 2, SETTING_THRESHOLD = 4, SETTING_STARVATION = 8,
	SETTING_MARKING = 16 };

static void
set_switch(uint8_t *to, const struct cc_switch_setting *in)
{
	struct cc_switch_setting s = cc_switch_setting_decode(to);

	s.control_map = in->control_map;
	if (in->control_map & SETTING_VICTIM)
		memcpy(s.victim_mask, in->victim_mask, sizeof(s.victim_mask));
	if (in->control_map & SETTING_CREDIT)
		memcpy(s.credit_mask, in->credit_mask, sizeof(s.credit_mask));
	if (in->control_map & SETTING_THRESHOLD) {
		s.threshold = in->threshold;
		s.packet_size = in->packet_size;
	}
	if (in->control_map & SETTING_STARVATION) {
		s.cs_threshold = in->cs_threshold;
		s.cs_return_delay = in->cs_return_delay;
	}
	if (in->control_map & SETTING_MARKING)
		s.marking_rate = in->marking_rate;
	cc_switch_setting_encode(to, &s);
}

static uint16_t
switch_setting(struct cc_call *c)
{
	struct cc_switch_setting in = cc_switch_setting_decode(c->d);

	if (c->n->type != TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->set) {
		set_switch(c->cc->setting, &in);
		traffic_touch(c->h, c->now);
	}
	memset(c->d, 0, CC_SWITCH_SETTING_BYTES);
	memcpy(c->d, c->cc->setting, SWITCH_SETTING_BYTES);
	return STATUS_OK;
}

static uint16_t
switch_ports(struct cc_call *c)
{
	unsigned first = c->modifier * CC_SWITCH_PORTS_BLOCK, all = c->n->nports + 1u, n;

	if (c->n->type != TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->modifier >= 8 || first >= all)
		return STATUS_BAD_VALUE;
	n = all - first < CC_SWITCH_PORTS_BLOCK ? all - first : CC_SWITCH_PORTS_BLOCK;
	if (!c->cc->ports)
		c->cc->ports = xcalloc(all, CC_SWITCH_PORT_BYTES);
	if (c->set) {
		memcpy(cc_switch_port_place(c->cc->ports, first), c->d, n * CC_SWITCH_PORT_BYTES);
		traffic_touch(c->h, c->now);
	}
	memset(c->d, 0, 192);
	memcpy(c->d, cc_switch_port_place(c->cc->ports, first), n * CC_SWITCH_PORT_BYTES);
	return STATUS_OK;
}

/* ControlMap: the SLs that a Set means. */
static uint16_t
ca_setting(struct cc_call *c)
{
	uint8_t *to = c->cc->setting;
	uint16_t map = (uint16_t)ATTR_GET(cc_ca_setting, control_map, c->d);

	if (c->n->type == TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->set) {
		memcpy(to, c->d, CC_CA_ENTRIES_AT);
		for (unsigned sl = 0; sl < CC_CA_ENTRIES; sl++)
			if (map >> sl & 1)
				memcpy(cc_ca_entry_place(to, sl), cc_ca_entry_place(c->d, sl),
					CC_CA_ENTRY_BYTES);
	}
	memset(c->d, 0, CC_CA_SETTING_BYTES);
	memcpy(c->d, to, CA_SETTING_BYTES);
	return STATUS_OK;
}

static uint16_t
control_table(struct cc_call *c)
{
	uint8_t *to;

	if (c->n->type == TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->modifier >= HW_CC_TABLE_BLOCKS)
		return STATUS_BAD_VALUE;
	to = c->cc->table + c->modifier * CC_TABLE_BLOCK * CC_TABLE_ENTRY_BYTES;
	if (c->set) {
		if (ATTR_GET(cc_table, ccti_limit, c->d) >= HW_CC_TABLE_BLOCKS * CC_TABLE_BLOCK)
			return STATUS_BAD_VALUE;
		c->cc->limit = (uint16_t)ATTR_GET(cc_table, ccti_limit, c->d);
		memcpy(to, cc_table_entries(c->d), CC_TABLE_BLOCK * CC_TABLE_ENTRY_BYTES);
	}
	memset(c->d, 0, CC_TABLE_BYTES);
	ATTR_SET(cc_table, ccti_limit, c->d, c->cc->limit);
	memcpy(cc_table_entries(c->d), to, CC_TABLE_BLOCK * CC_TABLE_ENTRY_BYTES);
	return STATUS_OK;
}

static uint16_t
time_stamp(struct cc_call *c)
{
	if (c->set)
		return STATUS_BAD_METHOD_ATTR;
	memset(c->d, 0, CC_TIME_STAMP_BYTES);
	ATTR_SET(cc_time_stamp, time_stamp, c->d, cc_time(c->now));
	return STATUS_OK;
}

static const struct {
	uint16_t id;
	bool has_modifier;
	uint16_t (*handle)(struct cc_call *c);
} attributes[] = {
	{ ATTR_CLASS_PORT_INFO, false, class_port_info }, { CC_INFO_ID, false, cc_info_get },
	{ CC_KEY_INFO_ID, false, key_info }, { CC_LOG_ID, false, congestion_log },
	{ CC_SWITCH_SETTING_ID, false, switch_setting }, { CC_SWITCH_PORT_ID, true, switch_ports },
	{ CC_CA_SETTING_ID, false, ca_setting }, { CC_TABLE_ID, true, control_table },
	{ CC_TIME_STAMP_ID, false, time_stamp },
};

/* The CC_Key protects what is written, if the ProtectBit is set: false, no answer.  Without a
 * keyed MAD for the lease period after a violation the protection ends. */
static bool
key_check(struct cc_call *c)
{
	struct cc_key_info k = cc_key_info_decode(c->cc->key_info);

	c->trusted = !k.cc_key || k.cc_key == dgram_class_key(c->mad);
	if (k.protect && c->cc->lease_until_us && c->now.us >= c->cc->lease_until_us) {
		k.protect = 0;
		c->cc->lease_until_us = 0;
	}
	if (c->trusted) {
		c->cc->lease_until_us = 0;
	} else if (c->set && k.protect) {
		if (k.violations < UINT16_MAX)
			k.violations++;
		if (k.lease_period_s && !c->cc->lease_until_us)
			c->cc->lease_until_us = monotime_add_us(c->now,
				k.lease_period_s * INT64_C(1000000)).us;
	}
	cc_key_info_encode(c->cc->key_info, &k);
	return c->trusted || !c->set || !k.protect;
}

static uint16_t
call_handle(struct cc_call *c)
{
	if (dgram_class_version(c->mad) != CLASS_VERSION_CC)
		return STATUS_BAD_VERSION;
	if (dgram_method(c->mad) != METHOD_GET && dgram_method(c->mad) != METHOD_SET)
		return STATUS_BAD_METHOD;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].id == dgram_attr_id(c->mad))
			return c->modifier && !attributes[i].has_modifier ? STATUS_BAD_VALUE :
				attributes[i].handle(c);
	return STATUS_BAD_METHOD_ATTR;
}

enum hw_fate
cc_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	struct cc_call c = {
		.h = h, .n = &h->nodes[node], .node = node, .p = hw_agent_port(h, node, port),
			.now = now,
		.mad = p->mad, .d = dgram_gmp_data(p->mad),
		.set = dgram_method(p->mad) == METHOD_SET,
		.modifier = dgram_modifier(p->mad),
	};

	if (dgram_base_version(p->mad) != MAD_BASE_VERSION)
		return FATE_GONE;
	traffic_settle(h, now);
	c.cc = congestion_of(c.p);
	if (!key_check(&c))
		return FATE_GONE;
	gmp_answer(h, p, node, port, call_handle(&c));
	if (!c.trusted)
		dgram_set_class_key(p->mad, 0);
	return FATE_ANSWER;
}
