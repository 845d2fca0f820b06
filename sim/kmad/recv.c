/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * recv.c - finds the agent of a received packet: answers by transaction ID, requests by class and
 * method.
 * Room: sim/kmad.  Pure.
 * In: packets from the hardware.  Out: messages in files, the automatic answer.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/kmad/kmad_int.h"

/* The address of a received packet as a reader sees it. */
static void
address_from(struct kmad *k, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct message_addr *from)
{
	struct hw_port_view v;

	memset(from, 0, sizeof(*from));
	from->qpn = p->src_qp;
	from->lid = p->slid;
	from->sl = p->sl;
	if (p->grh) {
		from->grh = 1;
		from->hop_limit = p->hop_limit;
		from->traffic_class = p->traffic_class;
		from->flow_label = p->flow_label;
		memcpy(from->gid, p->sgid, sizeof(from->gid));
	}
	if (p->dlid == LID_PERMISSIVE || hw_port_view(k->hw, node, port, &v))
		return;
	from->path_bits = (uint8_t)(p->dlid & ((1u << ATTR_GET(port_info, lmc, v.info)) - 1));
	for (unsigned i = 0; p->dst_qp && i < v.npkeys; i++)
		if (v.pkeys[i] == p->pkey) {
			from->pkey_index = (uint16_t)i;
			break;
		}
}

static struct kmad_agent *
agent_by_tid(const struct kmad *k, const struct kmad_port *p, const uint8_t *mad)
{
	uint32_t hi = (uint32_t)(dgram_tid(mad) >> 32), i = hi & 0xffff;
	struct kmad_agent *a = i < k->nslots ? k->slots[i].agent : NULL;

	return a && a->hi == hi && a->file->port == p ? a : NULL;
}

static struct kmad_agent *
agent_by_method(const struct kmad_port *p, const uint8_t *mad)
{
	uint8_t mgmt_class = dgram_class(mad), method = dgram_method(mad) & 0x7f;
	bool vendor2 = mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST;

	for (struct kmad_agent *a = p->agents; a; a = a->next) {
		if (a->reg.mgmt_class != mgmt_class ||
		    a->reg.class_version != dgram_class_version(mad))
			continue;
		if (vendor2 && (a->reg.oui & 0xffffff) != dgram_oui(mad))
			continue;
		if (a->reg.methods[method / 64] >> (method % 64) & 1)
			return a;
	}
	return NULL;
}

static void
deliver(struct kmad *k, struct kmad_agent *a, const struct message_addr *from, const uint8_t *mad,
	uint32_t bytes,
	uint8_t *more)
{
	struct kmad_head head = { .addr = *from };

	kmad_queue(k, a, &head, mad, bytes, more);
}

void
kmad_response(struct kmad *k, struct kmad_agent *a, const struct message_addr *from,
	const uint8_t *mad, uint32_t bytes,
	uint8_t *more, bool unmatched_too)
{
	struct kmad_send *s = kmad_send_find(k, a, mad, from);

	if (!s && !unmatched_too) {
		k->stats.unmatched++;
		free(more);
		return;
	}
	deliver(k, a, from, mad, bytes, more);
	if (s)
		kmad_send_free(k, s);
}

/* Sends the kernel's answer to a Get or Set that no agent handles. */
static void
answer_unsupported(struct kmad *k, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now)
{
	const struct kmad_port self = { .node = node, .num = port };
	uint8_t method = dgram_method(p->mad);
	struct message_addr to;
	struct hw_packet q;

	k->stats.unclaimed++;
	if (method != METHOD_GET && method != METHOD_SET)
		return;
	address_from(k, node, port, p, &to);
	if (!kmad_address(k, &self, &to, dgram_class(p->mad), &q))
		return;
	memcpy(q.mad, p->mad, sizeof(q.mad));
	dgram_set_method(q.mad, METHOD_GET_RESP);
	if (dgram_class(q.mad) == CLASS_SM_DR)
		dgram_set_direction(q.mad);
	dgram_set_status(q.mad, STATUS_BAD_METHOD_ATTR);
	k->stats.answered++;
	hw_send(k->hw, node, port, &q, now);
}

void
kmad_route(struct kmad *k, uint32_t node, uint8_t port, struct hw_packet *p, struct monotime now)
{
	const struct kmad_port *at = kmad_port_find(k, node, port);
	bool qp0 = dgram_class(p->mad) == CLASS_SM_LID || dgram_class(p->mad) == CLASS_SM_DR;
	bool response = kmad_is_response(p->mad), active;
	struct kmad_agent *a = NULL;
	struct message_addr from;

	if (dgram_base_version(p->mad) != MAD_BASE_VERSION || qp0 != (p->dst_qp == 0))
		return;
	if (at)
		a = response ? agent_by_tid(k, at, p->mad) : agent_by_method(at, p->mad);
	if (!a) {
		if (response)
			k->stats.unmatched++;
		else
			answer_unsupported(k, node, port, p, now);
		return;
	}
	address_from(k, node, port, p, &from);
	if (a->rmpp && kmad_transfer_receive(k, a, &from, p->mad, now))
		return;
	active = dgram_class_has_rmpp(dgram_class(p->mad)) && dgram_rmpp_active(p->mad);
	if (response)
		kmad_response(k, a, &from, p->mad, MESSAGE_MAD_BYTES, NULL, !a->rmpp && active);
	else
		deliver(k, a, &from, p->mad, MESSAGE_MAD_BYTES, NULL);
}

void
kmad_pump(struct kmad *k, struct monotime now)
{
	struct hw_delivery d;

	while (hw_next_delivery(k->hw, &d))
		kmad_route(k, d.node, d.port, &d.packet, now);
}

void
kmad_tick(struct kmad *k, struct monotime now)
{
	hw_tick(k->hw, now);
	kmad_pump(k, now);
	kmad_send_timers(k, now);
	kmad_transfer_timers(k, now);
	kmad_pump(k, now);
}

bool
kmad_deadline(const struct kmad *k, struct monotime *at)
{
	struct monotime t;
	bool any = false;

	*at = MONOTIME_NEVER;
	if (hw_deadline(k->hw, &t)) {
		*at = monotime_min(*at, t);
		any = true;
	}
	if (wheel_deadline(&k->wheel, &t)) {
		*at = monotime_min(*at, t);
		any = true;
	}
	if (kmad_transfer_deadline(k, &t)) {
		*at = monotime_min(*at, t);
		any = true;
	}
	return any;
}
