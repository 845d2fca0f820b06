/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * route.c - forwards packets along a directed route, or by LID through the programmed tables.
 * Room: sim/phys.  Pure.  Rules: docs/wire.md, directed routes.
 *
 * A directed route may have a part that is routed by LID before it (DrSLID given) or behind it
 * (DrDLID given).  A leg of the journey ends with ARRIVED, LOST or BY_LID (the next leg goes by LID
 * to packet.dlid, and the directed part goes on, or the journey ends, where that leg arrives).
 * 'port' is where the packet entered the node it is at.
 */
#include <config.h>
#include <errno.h>
#include "sim/phys/phys.h"

#define COPIES_MAX 65536                /* of one multicast packet: tables that loop multiply it */

enum step { LOST, ARRIVED, BY_LID };

struct journey {
	struct hw *h;
	struct hw_packet *p;
	uint32_t node;
	uint8_t port;
	struct monotime now;
	bool mcast;                     /* counted as such */
};

static inline bool
is_return(const uint8_t *m)
{
	return dgram_direction(m);
}

/* Crosses the link at 'out' of the present node; VL15 only asks for a link that is up. */
static inline bool
journey_cross(struct journey *j, unsigned out)
{
	const struct hw_link *l = &j->h->links[j->h->nodes[j->node].first_port + out];

	if (l->node == HW_NOWHERE) {
		j->h->stats.dropped_state++;
		return false;
	}
	j->h->stats.hops++;
	j->node = l->node;
	j->port = l->port;
	return true;
}

static enum step
journey_lost(struct journey *j)
{
	j->h->stats.dropped_route++;
	return LOST;
}

/* A switch hands the packet on by LID; it is the sender of that part. */
static enum step
switch_by_lid(struct journey *j, uint16_t dlid)
{
	if (j->h->nodes[j->node].type != TOPO_SWITCH)
		return journey_lost(j);
	j->p->slid = hw_lid(hw_port(j->h, j->node, 0));
	j->p->dlid = dlid;
	return BY_LID;
}

/* Outbound, from the node the packet has reached.  'by_lid': it came there by LID. */
static enum step
dr_out(struct journey *j, bool by_lid)
{
	uint8_t *m = j->p->mad, *ip = dgram_initial_path(m), *rp = dgram_return_path(m);
	unsigned cnt = dgram_hop_count(m);

	for (;; by_lid = false) {
		const struct hw_node *n = &j->h->nodes[j->node];
		unsigned ptr = dgram_hop_ptr(m), next;

		if (ptr == cnt + 1)
			return ARRIVED;
		if (ptr == cnt && (cnt == 0 || ptr)) {
			if (cnt)
				rp[ptr] = j->port;
			dgram_set_hop_ptr(m, (uint8_t)(cnt + 1));
			return dgram_dr_dlid(m) == LID_PERMISSIVE ? ARRIVED : switch_by_lid(j,
				dgram_dr_dlid(m));
		}
		/* Pointer 0 is the start of the directed part, and only a leading part by LID
		 * brings it here. */
		if (ptr > cnt || n->type != TOPO_SWITCH || (!ptr && !by_lid))
			return journey_lost(j);
		if (ptr)
			rp[ptr] = j->port;
		next = ip[ptr + 1];
		if (!next || next > n->nports)
			return journey_lost(j);
		dgram_set_hop_ptr(m, (uint8_t)(ptr + 1));
		if (!journey_cross(j, next))
			return LOST;
	}
}

enum entry { FORWARDED, RESPONDER, AFTER_LID };

/* On the way back, at a node that the packet has reached as 'entry' says. */
static enum step
dr_back(struct journey *j, enum entry entry)
{
	uint8_t *m = j->p->mad, *rp = dgram_return_path(m);
	unsigned cnt = dgram_hop_count(m);

	for (;; entry = FORWARDED) {
		const struct hw_node *n = &j->h->nodes[j->node];
		unsigned ptr = dgram_hop_ptr(m);

		if (ptr == 0)
			return ARRIVED;
		if (ptr == 1) {
			dgram_set_hop_ptr(m, 0);
			return dgram_dr_slid(m) == LID_PERMISSIVE ? ARRIVED : switch_by_lid(j,
				dgram_dr_slid(m));
		}
		if (ptr > cnt + 1 || (ptr == cnt + 1) != (entry != FORWARDED))
			return journey_lost(j);
		/* The responder itself may be an adapter; whoever forwards is a switch. */
		if (n->type != TOPO_SWITCH && (entry != RESPONDER || rp[ptr - 1] != j->port))
			return journey_lost(j);
		if (!rp[ptr - 1] || rp[ptr - 1] > n->nports)
			return journey_lost(j);
		dgram_set_hop_ptr(m, (uint8_t)(ptr - 1));
		if (!journey_cross(j, rp[ptr - 1]))
			return LOST;
	}
}

/* The first leg, from the sender. */
static enum step
dr_depart(struct journey *j)
{
	const struct hw_node *n = &j->h->nodes[j->node];
	uint8_t *m = j->p->mad, first = dgram_initial_path(m)[1];

	if (dgram_hop_count(m) > DGRAM_HOPS_MAX)
		return journey_lost(j);
	if (is_return(m)) {
		if (dgram_dr_dlid(m) != LID_PERMISSIVE)
			return BY_LID;
		return dr_back(j, RESPONDER);
	}
	if (dgram_dr_slid(m) != LID_PERMISSIVE)
		return BY_LID;
	if (dgram_hop_ptr(m))
		return journey_lost(j);
	dgram_set_hop_ptr(m, 1);
	if (!dgram_hop_count(m))
		return ARRIVED;                 /* never on the wire */
	if (n->type == TOPO_SWITCH ? !first || first > n->nports : first != j->port)
		return journey_lost(j);
	return journey_cross(j, first) ? dr_out(j, false) : LOST;
}

bool
route_has_lid(const struct hw *h, uint32_t node, uint8_t port, uint16_t lid)
{
	const struct hw_port *p = hw_agent_port(h, node, port);
	unsigned base = hw_lid(p), lmc = hw_lmc(p);

	return base && lid >> lmc == (int)(base >> lmc);
}

/* The words of a packet that the data counters count: LRH, GRH, BTH, DETH, MAD, ICRC; not the
 * VCRC. */
static unsigned
packet_words(const struct hw_packet *p)
{
	return (8 + (p->grh ? 40u : 0) + 12 + 8 + 256 + 4) / 4;
}

unsigned
route_vl(const struct hw *h, const struct hw_node *n, unsigned in, unsigned out, unsigned sl)
{
	const uint8_t *info = h->ports[n->first_port + out].info;
	unsigned count = hw_vl_count((unsigned)ATTR_GET(port_info, operational_vls, info)), vl;
	const uint8_t *table = n->slvl;

	if (!table)
		return sl % count;              /* as after reset */
	if (n->type == TOPO_SWITCH)
		table += (in * (n->nports + 1u) + out) * SLVL_TABLE_BYTES;
	else
		table += out * SLVL_TABLE_BYTES;
	vl = slvl_table_vl(table, sl);
	return vl < count ? vl : VL_MANAGEMENT;
}

static bool
journey_discard(struct journey *j, unsigned out, unsigned c)
{
	count_add(hw_port(j->h, j->node, (uint8_t)out), c, 1);
	j->h->stats.dropped_state++;
	return false;
}

/* Whether a switch passes a packet through port 'port': it needs a P_Key of that port's table if
 * the port enforces partitions.  Counts a discard in 'c' otherwise. */
static bool
partition_allows(struct journey *j, unsigned port, bool inbound, enum hw_counter c)
{
	struct hw_port *p = hw_port(j->h, j->node, (uint8_t)port);

	if (!(inbound ? ATTR_GET(port_info, partition_enforce_in, p->info) : ATTR_GET(port_info,
	    partition_enforce_out, p->info)) ||
	    pkey_match(j->h, j->node, (uint8_t)port, j->p->pkey))
		return true;
	count_add(p, c, 1);
	j->h->stats.dropped_state++;
	trap_bad_pkey_switch(j->h, j->node, (uint8_t)port, j->p, j->now);
	return false;
}

/* Crosses a link with data: ACTIVE at both ends, a VL for its SL, partitions as enforced;
 * counted at both ends. */
static bool
cross_data(struct journey *j, unsigned in, unsigned out)
{
	struct hw *h = j->h;
	const struct hw_node *n = &h->nodes[j->node];
	uint32_t from = n->first_port + out;
	const struct hw_link l = h->links[from];
	unsigned words = packet_words(j->p), sl = j->p->sl & 0x0f, vl = route_vl(h, n, in, out, sl);
	struct hw_port *q;

	if (l.node == HW_NOWHERE || l.state != PORT_STATE_ACTIVE)
		return journey_discard(j, out, COUNT_INACTIVE);
	if (vl == VL_MANAGEMENT)
		return journey_discard(j, out, COUNT_XMIT_DISCARDS);
	if (n->type == TOPO_SWITCH && !partition_allows(j, out, false, COUNT_XMIT_CONSTRAINT))
		return false;
	count_add(&h->ports[from], COUNT_XMIT_DATA, words);
	count_add(&h->ports[from], COUNT_XMIT_PKTS, 1);
	count_add(&h->ports[from], j->mcast ? COUNT_MC_XMIT_PKTS : COUNT_UC_XMIT_PKTS, 1);
	count_sl(&h->ports[from], true, sl, words);
	j->node = l.node;
	j->port = l.port;
	h->stats.hops++;
	q = hw_port(h, l.node, l.port);
	if (hw_state(q) != PORT_STATE_ACTIVE)
		return journey_discard(j, l.port, COUNT_RCV_ERRORS);
	if (h->nodes[l.node].type == TOPO_SWITCH && !partition_allows(j, l.port, true,
	    COUNT_RCV_CONSTRAINT))
		return false;
	count_add(q, COUNT_RCV_DATA, words);
	count_add(q, COUNT_RCV_PKTS, 1);
	count_add(q, j->mcast ? COUNT_MC_RCV_PKTS : COUNT_UC_RCV_PKTS, 1);
	count_sl(q, false, sl, words);
	count_op(q, OP_UD_SEND, vl, 1, words);
	return true;
}

/* Whether port 0 has a VL for the packet: an enhanced port 0 has SL-to-VL tables, as a host has.
 * Counts a discard otherwise. */
static bool
port0_accepts(struct journey *j, const struct hw_node *n)
{
	if (!n->slvl || !switch_info_decode(n->switch_info).enhanced_port0)
		return true;
	return route_vl(j->h, n, j->port, 0, j->p->sl & 0x0f) != VL_MANAGEMENT || journey_discard(j,
		0, COUNT_XMIT_DISCARDS);
}

static bool
journey_misrouted(struct journey *j, bool data)
{
	if (data && j->port)
		count_add(hw_port(j->h, j->node, j->port), COUNT_DLID_MAPPING, 1);
	j->h->stats.dropped_route++;
	return false;
}

/* Whether the switch sends a copy of what goes to 'mlid' out of that port. */
static bool
mft_bit(const struct hw *h, const struct hw_node *n, uint16_t mlid, unsigned port)
{
	unsigned cap = h->conf.mft_cap, i = mlid - MLID_FIRST;
	uint16_t top = switch_info_decode(n->switch_info).mft_top;
	size_t row = ((size_t)cap + 31) / 32 * 32;

	if (!n->mft || i >= cap || (top && mlid > top))
		return false;
	return n->mft[port / 16 * row + i] >> port % 16 & 1;
}

/* Copies of a multicast packet, from the present node to all ends that the tables lead to.  An
 * end takes it in later. */
static void
journey_flood(struct journey *j, unsigned hops, unsigned *copies)
{
	struct hw *h = j->h;
	const struct hw_node *n = &h->nodes[j->node];
	bool any = false;

	if (n->type != TOPO_SWITCH) {
		queue_packet(h, EVENT_ARRIVAL, j->p, j->node, j->port, j->now.us);
		return;
	}
	if (hops > HW_SWITCHES_MAX || ++*copies > COPIES_MAX) {
		h->stats.dropped_hops++;
		return;
	}
	for (unsigned k = 0; k <= n->nports; k++) {
		struct journey branch = *j;

		if (k == j->port || !mft_bit(h, n, j->p->dlid, k))
			continue;
		any = true;
		if (!k)
			queue_packet(h, EVENT_ARRIVAL, j->p, j->node, 0, j->now.us);
		else if (cross_data(&branch, j->port, k))
			journey_flood(&branch, hops + 1, copies);
	}
	if (!any)
		journey_misrouted(j, true);
}

static void
mcast_travel(struct journey *j)
{
	unsigned copies = 0;

	j->mcast = true;
	if (j->h->nodes[j->node].type == TOPO_SWITCH || cross_data(j, 0, j->port))
		journey_flood(j, 0, &copies);
}

/* By LID from the present node to wherever the tables lead. */
static bool
lid_travel(struct journey *j)
{
	struct hw *h = j->h;
	uint16_t dlid = j->p->dlid;
	bool data = j->p->dst_qp != 0;
	unsigned out = j->port;

	if (route_has_lid(h, j->node, j->port, dlid))
		return true;                    /* looped back by the adapter */
	if (dlid == LID_PERMISSIVE)
		return h->nodes[j->node].type == TOPO_SWITCH || data ? journey_misrouted(j, data) :
			journey_cross(j, out);
	for (unsigned hops = 0; hops <= HW_SWITCHES_MAX + 1; hops++) {
		const struct hw_node *n = &h->nodes[j->node];

		if (n->type == TOPO_SWITCH) {
			out = dlid <= n->lft_top && dlid < n->lft_len ? n->lft[dlid] :
				LFT_DROP_PORT;
			if (!out && route_has_lid(h, j->node, 0, dlid))
				return !data || port0_accepts(j, n);
			if (!out || out > n->nports)
				return journey_misrouted(j, data);
		} else if (hops) {
			return route_has_lid(h, j->node, j->port, dlid) || journey_misrouted(j,
				data);
		}
		if (data ? !cross_data(j, hops ? j->port : 0, out) : !journey_cross(j, out))
			return false;
	}
	h->stats.dropped_hops++;
	return false;
}

/* What the kernel refuses to send: -EINVAL. */
int
route_check_send(const struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p)
{
	const uint8_t *m = p->mad;
	const struct hw_node *n;
	uint8_t first;

	if (node >= h->nnodes)
		return -EINVAL;
	n = &h->nodes[node];
	if (n->type == TOPO_SWITCH ? port != 0 : !port || port > n->nports)
		return -EINVAL;
	if (dgram_class(m) != CLASS_SM_DR)
		return 0;
	if (dgram_hop_count(m) > DGRAM_HOPS_MAX)
		return -EINVAL;
	if (is_return(m) || !dgram_hop_count(m) || dgram_dr_slid(m) != LID_PERMISSIVE)
		return 0;
	first = dgram_initial_hops(m)[1];
	if (dgram_hop_ptr(m) || !first || first > n->nports)
		return -EINVAL;
	return n->type == TOPO_SWITCH || first == port ? 0 : -EINVAL;
}

/* From (*node, *port), where the packet leaves, to where it arrives; false: lost on the way. */
bool
route_travel(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port, struct monotime now)
{
	struct journey j = { h, p, *node, *port, now, false };
	enum step s = BY_LID;

	if (p->dst_qp && p->dlid >= MLID_FIRST && p->dlid != LID_PERMISSIVE) {
		mcast_travel(&j);
		return false;           /* the ends are several, or none */
	}
	if (dgram_class(p->mad) == CLASS_SM_DR)
		s = dr_depart(&j);
	for (unsigned legs = 0; s == BY_LID; legs++) {
		if (legs == 3 || !lid_travel(&j))
			return false;
		if (dgram_class(p->mad) != CLASS_SM_DR)
			s = ARRIVED;
		else
			s = is_return(p->mad) ? dr_back(&j, AFTER_LID) : dr_out(&j, true);
	}
	*node = j.node;
	*port = j.port;
	return s == ARRIVED;
}
