/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * drive.c - moves packets from sender to receiver, and advances time.
 * Room: sim/hw.  Pure.  Neighbours: node.c makes the hardware, sim/phys forwards packets and
 * changes link states, sim/agents answers, fault.c injects faults.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "sim/hw/hw_int.h"
#include "util/xalloc.h"

/* Q_Key and partition of a packet for QP1. */
static bool
keys_check(struct hw *h, const struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now)
{
	struct hw_port *q = hw_agent_port(h, node, port);
	bool bad_pkey = !pkey_match(h, node, q->num, p->pkey), bad_qkey = p->qkey != QKEY_GSI;
	uint64_t pkeys = ATTR_GET(port_info, pkey_violations, q->info), qkeys = ATTR_GET(port_info,
		qkey_violations, q->info);

	if (!bad_pkey && !bad_qkey)
		return true;
	if (bad_pkey)
		ATTR_SET(port_info, pkey_violations, q->info, pkeys < UINT16_MAX ? pkeys + 1 :
			pkeys);
	else
		ATTR_SET(port_info, qkey_violations, q->info, qkeys < UINT16_MAX ? qkeys + 1 :
			qkeys);
	h->stats.dropped_key++;
	trap_bad_key(h, node, port, p, bad_pkey ? TRAP_BAD_PKEY : TRAP_BAD_QKEY, now);
	return false;
}

static enum hw_fate
packet_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	bool sm = (dgram_class(p->mad) & 0x7f) == CLASS_SM_LID;

	if (!h->nodes[node].powered)
		return FATE_GONE;
	if (sm != !p->dst_qp)
		/* subnet management is QP0's, and nothing else is */
		return FATE_GONE;
	if (away_takes(h, p, node))
		return FATE_CLIENT;
	if (sm)
		return sma_receive(h, p, node, port, now);
	if (!keys_check(h, p, node, port, now))
		return FATE_GONE;
	if (dgram_method(p->mad) & METHOD_RESP)
		return FATE_CLIENT;
	switch (dgram_class(p->mad)) {
	case CLASS_PM:
		return pma_receive(h, p, node, port, now);
	case CLASS_CC:
		return cc_receive(h, p, node, port, now);
	case CLASS_VENDOR_A:
		return vendor_receive(h, p, node, port, now);
	default:
		return FATE_CLIENT;
	}
}

/* Fits a client's address: a switch's sits on port 0. */
static void
port_settle(const struct hw *h, uint32_t node, uint8_t *port)
{
	if (h->nodes[node].type == TOPO_SWITCH)
		*port = 0;
}

/* At its end, 'p' is for the client (CLIENT), has become the answer that leaves (ANSWER), or is
 * gone. */
static enum hw_fate
packet_finish(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t *port, struct monotime now)
{
	enum hw_fate f = packet_receive(h, p, node, *port, now);

	if (f == FATE_ANSWER)
		h->stats.answered++;
	if (f == FATE_CLIENT) {
		h->stats.delivered++;
		port_settle(h, node, port);
	}
	return f;
}

static bool packet_run(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port,
	struct monotime now);

static bool
packet_arrive(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port, struct monotime now)
{
	enum hw_fate f = packet_finish(h, p, *node, port, now);

	return f == FATE_ANSWER ? packet_run(h, p, node, port, now) : f == FATE_CLIENT;
}

static bool
packet_depart(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port, struct monotime now)
{
	if (!route_travel(h, p, node, port, now))
		return false;
	if (h->slow && !fault_pass(h, p, *node, *port, false, now))
		return false;
	return packet_arrive(h, p, node, port, now);
}

/* The packet leaves (*node, *port), and so do the answers, until it is gone or waits (false), or
 * '*p' is for the client of (*node, *port) (true). */
static bool
packet_run(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port, struct monotime now)
{
	for (;;) {
		enum hw_fate f;

		h->stats.packets++;
		if (h->slow && !fault_pass(h, p, *node, *port, true, now))
			return false;
		if (!route_travel(h, p, node, port, now))
			return false;
		if (h->slow && !fault_pass(h, p, *node, *port, false, now))
			return false;
		f = packet_finish(h, p, *node, port, now);
		if (f != FATE_ANSWER)
			return f == FATE_CLIENT;
	}
}

static struct hw_delivery *
ring_add(struct hw_ring *r)
{
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct hw_delivery *slots = xreallocarray(NULL, cap, sizeof(*slots));

		for (size_t i = 0; i < r->n; i++)
			slots[i] = r->slots[(r->head + i) % r->cap];
		free(r->slots);
		r->slots = slots;
		r->head = 0;
		r->cap = cap;
	}
	return &r->slots[(r->head + r->n++) % r->cap];
}

static bool
ring_take(struct hw_ring *r, struct hw_delivery *d)
{
	if (!r->n)
		return false;
	*d = r->slots[r->head];
	r->head = (r->head + 1) % r->cap;
	r->n--;
	return true;
}

static void
packet_deliver(struct hw *h, const struct hw_packet *p, uint32_t node, uint8_t port)
{
	struct hw_delivery *d = ring_add(h->nodes[node].away ? &h->out_away : &h->out);

	d->node = node;
	d->port = port;
	d->packet = *p;
}

bool
hw_next_delivery(struct hw *h, struct hw_delivery *d)
{
	return ring_take(&h->out, d);
}

bool
hw_next_away(struct hw *h, struct hw_delivery *d)
{
	return ring_take(&h->out_away, d);
}

int
hw_send_take(struct hw *h, uint32_t node, uint8_t port, struct hw_packet *p, struct monotime now)
{
	uint32_t at = node;
	uint8_t at_port = port;
	int took = 0, e = route_check_send(h, node, port, p);

	if (e)
		return e;
	if (h->nodes[node].powered && packet_run(h, p, &at, &at_port, now)) {
		took = at == node && at_port == port;
		if (!took)
			packet_deliver(h, p, at, at_port);
	}
	if (h->nevents && h->events[0].at_us <= now.us)
		hw_tick(h, now);
	return took;
}

int
hw_send(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p, struct monotime now)
{
	struct hw_packet work = *p;
	int r = hw_send_take(h, node, port, &work, now);

	if (r == 1)
		packet_deliver(h, &work, node, port);
	return r < 0 ? r : 0;
}

static void
packet_due(struct hw *h, struct hw_event *e, struct monotime now)
{
	uint32_t node = e->node;
	uint8_t port = e->port;
	bool here;

	if (e->kind == EVENT_ARRIVAL)
		here = packet_arrive(h, e->packet, &node, &port, now);
	else
		here = packet_depart(h, e->packet, &node, &port, now);
	if (here)
		packet_deliver(h, e->packet, node, port);
	free(e->packet);
}

/* A trap leaves its agent, if it is still to be sent. */
static void
trap_send(struct hw *h, const struct hw_event *e, struct monotime now)
{
	uint32_t node = e->node;
	struct hw_packet p;
	uint8_t port;

	if (trap_due(h, node, e->arg, &p, &port, now) && packet_run(h, &p, &node, &port, now))
		packet_deliver(h, &p, node, port);
}

/* Each event happens at its own time, also when the caller comes late: what it causes is not put
 * off. */
void
hw_tick(struct hw *h, struct monotime until)
{
	struct hw_event e;

	while (queue_take(h, until, &e)) {
		struct monotime now = { e.at_us };

		switch ((enum hw_event_kind)e.kind) {
		case EVENT_PACKET:
		case EVENT_ARRIVAL:
			packet_due(h, &e, now);
			break;
		case EVENT_TRAIN:
			link_trained(h, e.node, e.arg, now);
			break;
		case EVENT_TRAP:
			trap_send(h, &e, now);
			break;
		case EVENT_LEASE:
			mkey_lease_due(h, e.node, e.port, now);
			break;
		case EVENT_POWER:
			node_power_due(h, e.node, e.arg, now);
			break;
		case EVENT_SAMPLE:
			sample_due(h, e.node, e.arg, now);
			break;
		case EVENT_RESET:
			if (h->links[e.node].node != HW_NOWHERE)
				link_reset(h, e.node, e.arg, now);
			break;
		}
	}
}

bool
hw_deadline(const struct hw *h, struct monotime *at)
{
	if (!h->nevents)
		return false;
	at->us = h->events[0].at_us;
	return true;
}

const struct hw_stats *
hw_stats(const struct hw *h)
{
	return &h->stats;
}
