/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trap.c - traps of agents: sending, repeating, repressing.
 * Room: sim/phys.  Pure.
 *
 * A trap goes by LID from the agent's port to its MasterSMLID, so an agent without either sends
 * none.  It is sent again every 4.096 us x 2^SubnetTimeOut (at least 1 ms) until a TrapRepress with
 * its transaction id comes, or TRAP_LIMIT times.  One trap of a kind and port is pending at a time:
 * a new event renews it with a new transaction ID, so that a repress of the old one does not stop
 * it.
 */
#include <config.h>
#include <stdlib.h>
#include "sim/phys/phys.h"
#include "util/xalloc.h"

#define TRAP_LIMIT 10
#define TRAP_MIN_US 1000

struct hw_trap {
	struct hw_trap *next;
	uint64_t tid;
	int64_t due_us;
	uint32_t id;
	uint16_t number;
	uint8_t port;                   /* it leaves from here; 0 for a switch */
	uint8_t about;                  /* the port it is about, when its kind names one */
	uint8_t left;                   /* how often it will still be sent */
	uint8_t notice[NOTICE_BYTES];
};

static int64_t
interval_us(const struct hw_port *p)
{
	int64_t us = ((int64_t)4096 << ATTR_GET(port_info, subnet_timeout, p->info)) / 1000;

	return us < TRAP_MIN_US ? TRAP_MIN_US : us;
}

/* The notice 'w' of that type about 'number'; its details are zeros.  Returns the LID of its
 * issuer. */
static uint16_t
notice_begin(const struct hw *h, uint32_t node, uint8_t port, uint8_t type, uint16_t number,
	uint8_t w[static NOTICE_BYTES])
{
	struct notice n = {
		.is_generic = 1, .type = type, .trap_number = number,
			.issuer_lid = hw_lid(hw_agent_port(h, node, port)),
		/* the producer types have the numbers of the node types */
		.producer_type = h->nodes[node].type,
	};

	notice_encode(w, &n);
	return n.issuer_lid;
}

static uint64_t
next_tid(struct hw *h, uint32_t node)
{
	struct hw_node *n = &h->nodes[node];

	if (!++n->tid)
		n->tid = 1;
	return (uint64_t)node << 16 | n->tid;
}

static struct hw_trap *
trap_pending(struct hw_node *n, uint16_t number, uint8_t port, uint8_t about)
{
	struct hw_trap *t;

	for (t = n->traps; t; t = t->next)
		if (t->number == number && t->port == port && t->about == about)
			break;
	return t;
}

/* Takes the notice 'w' on its way. */
static void
trap_post(struct hw *h, uint32_t node, uint8_t port, uint16_t number, uint8_t about,
	const uint8_t *w, struct monotime now)
{
	struct hw_node *n = &h->nodes[node];
	struct hw_port *p = hw_agent_port(h, node, port);
	struct hw_event e = { .at_us = now.us, .node = node, .kind = EVENT_TRAP };
	struct hw_trap *t;

	if (!n->powered || n->away || !hw_lid(p) || !hw_sm_lid(p))
		return;
	t = trap_pending(n, number, p->num, about);
	if (!t) {
		t = xcalloc(1, sizeof(*t));
		t->next = n->traps;
		n->traps = t;
		t->number = number;
		t->port = p->num;
		t->about = about;
		t->due_us = now.us;
		t->id = e.arg = ++h->trap_ids;
		queue_add(h, &e);
	}
	t->left = TRAP_LIMIT;
	t->tid = next_tid(h, node);
	memcpy(t->notice, w, NOTICE_BYTES);
}

/* The packet that carries the notice to the subnet manager. */
static void
fill_packet(struct hw_packet *p, const struct hw_port *from, const struct hw_trap *t)
{
	struct dgram_smp smp = { .method = METHOD_TRAP, .attr_id = NOTICE_ID, .tid = t->tid,
		.data = t->notice };

	*p = (struct hw_packet){ .slid = hw_lid(from), .dlid = hw_sm_lid(from),
		.sl = (uint8_t)ATTR_GET(port_info, master_sm_sl, from->info) };
	dgram_smp_make(p->mad, &smp);
}

static void
trap_drop(struct hw_trap **at)
{
	struct hw_trap *t = *at;

	*at = t->next;
	free(t);
}

bool
trap_due(struct hw *h, uint32_t node, uint32_t id, struct hw_packet *packet, uint8_t *port,
	struct monotime now)
{
	struct hw_node *n = &h->nodes[node];
	struct hw_event e = { .node = node, .arg = id, .kind = EVENT_TRAP };
	struct hw_trap **at = &n->traps, *t;
	struct hw_port *p;

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return false;           /* repressed, or its node was reset */
	p = hw_port(h, node, t->port);
	if (!t->left || !hw_lid(p) || !hw_sm_lid(p)) {
		trap_drop(at);
		return false;
	}
	t->left--;
	t->due_us = monotime_add_us(now, interval_us(p)).us;
	e.at_us = t->due_us;
	queue_add(h, &e);
	fill_packet(packet, p, t);
	*port = t->port;
	h->stats.traps++;
	return true;
}

void
trap_repress(struct hw *h, uint32_t node, const uint8_t *mad)
{
	struct hw_trap **at = &h->nodes[node].traps;

	if (dgram_attr_id(mad) != NOTICE_ID)
		return;
	while (*at && (*at)->tid != dgram_tid(mad))
		at = &(*at)->next;
	if (*at)
		trap_drop(at);
}

void
trap_forget(struct hw *h, uint32_t node)
{
	while (h->nodes[node].traps)
		trap_drop(&h->nodes[node].traps);
}

/* ---- the kinds ---- */

void
trap_link_change(struct hw *h, uint32_t node, struct monotime now)
{
	uint8_t w[NOTICE_BYTES] = { 0 };
	struct trap_link_change d = {
		.lid = notice_begin(h, node, 0, NOTICE_TYPE_URGENT, TRAP_LINK_STATE, w),
	};

	trap_link_change_encode(w, &d);
	trap_post(h, node, 0, TRAP_LINK_STATE, 0, w, now);
}

void
trap_port_error(struct hw *h, uint32_t node, uint8_t port, uint16_t number, struct monotime now)
{
	uint8_t w[NOTICE_BYTES] = { 0 };
	struct trap_threshold d = {
		.lid = notice_begin(h, node, port, NOTICE_TYPE_URGENT, number, w), .port = port,
	};

	trap_threshold_encode(w, &d);
	trap_post(h, node, port, number, port, w, now);
}

void
trap_local_change(struct hw *h, uint32_t node, uint8_t port, uint16_t flags, struct monotime now)
{
	const uint8_t *info = hw_agent_port(h, node, port)->info;
	uint8_t w[NOTICE_BYTES] = { 0 };
	struct trap_local_change d = {
		.lid = notice_begin(h, node, port, NOTICE_TYPE_INFO, TRAP_LOCAL_CHANGE, w),
		.other_local_changes = flags ? 1 : 0,   /* the flags mean something */
		.capability_mask = (uint32_t)ATTR_GET(port_info, capability_mask, info),
		.change_flags = flags,
		.capability_mask2 = (uint16_t)ATTR_GET(port_info, capability_mask2, info),
	};

	trap_local_change_encode(w, &d);
	trap_post(h, node, port, TRAP_LOCAL_CHANGE, 0, w, now);
}

void
trap_bad_mkey(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now)
{
	struct dgram_head head = dgram_head_decode(p->mad);
	struct trap_bad_mkey d = {
		.lid = p->slid, .method = head.method, .attr_id = head.attr_id,
			.modifier = head.modifier,
		.mkey = dgram_mkey(p->mad),
	};
	unsigned hops = head.hop_count > sizeof(d.return_path) ? sizeof(d.return_path) :
		head.hop_count;
	uint8_t w[NOTICE_BYTES] = { 0 };

	if (head.mgmt_class == CLASS_SM_DR) {
		d.dr_slid = dgram_dr_slid(p->mad);
		d.dr_notice = 1;
		d.dr_truncated = head.hop_count > hops;
		d.dr_hop_count = (uint8_t)hops;
		memcpy(d.return_path, dgram_return_hops(p->mad) + 1, hops);
	}
	notice_begin(h, node, port, NOTICE_TYPE_SECURITY, TRAP_BAD_MKEY, w);
	trap_bad_mkey_encode(w, &d);
	trap_post(h, node, port, TRAP_BAD_MKEY, 0, w, now);
}

void
trap_bad_key(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p, uint16_t number,
	struct monotime now)
{
	struct trap_bad_key d = {
		.lid1 = p->slid, .lid2 = p->dlid, .key = number == TRAP_BAD_PKEY ? p->pkey :
			p->qkey, .sl = p->sl,
		.qp1 = p->src_qp, .qp2 = p->dst_qp,
	};
	uint8_t w[NOTICE_BYTES] = { 0 };

	if (p->grh) {
		memcpy(d.gid1, p->sgid, sizeof(d.gid1));
		memcpy(d.gid2, p->dgid, sizeof(d.gid2));
	}
	notice_begin(h, node, port, NOTICE_TYPE_SECURITY, number, w);
	trap_bad_key_encode(w, &d);
	trap_post(h, node, port, number, 0, w, now);
}

/* A partition that a port of a switch enforces; DataValid: both LIDs, P_Key, SL, QPs, and the
 * GIDs of a GRH. */
void
trap_bad_pkey_switch(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now)
{
	uint8_t w[NOTICE_BYTES] = { 0 };
	struct trap_switch_pkey d = {
		.switch_lid = notice_begin(h, node, 0, NOTICE_TYPE_SECURITY, TRAP_SWITCH_BAD_PKEY,
			w),
		.data_valid = p->grh ? 0xff : 0x3f, .lid1 = p->slid, .lid2 = p->dlid,
		.pkey = p->pkey, .sl = p->sl,
		.qp1 = p->src_qp, .qp2 = p->dst_qp, .port = port,
	};

	if (p->grh) {
		memcpy(d.gid1, p->sgid, sizeof(d.gid1));
		memcpy(d.gid2, p->dgid, sizeof(d.gid2));
	}
	trap_switch_pkey_encode(w, &d);
	trap_post(h, node, 0, TRAP_SWITCH_BAD_PKEY, port, w, now);
}
