/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trap.c - what agents report of their own accord, and how they stop.
 * Room: sim/phys.  Pure.
 *
 * A trap goes by LID from the agent's port to its MasterSMLID, so an agent without either stays silent.  It is sent
 * again every 4.096 us x 2^SubnetTimeOut (at least 1 ms) until a TrapRepress with its transaction id comes, or
 * TRAP_LIMIT times.  One trap of a kind and port is pending at a time: what happens meanwhile renews it under a new
 * transaction id, so that a repress of the old one does not silence the news.
 */
#include <config.h>
#include <stdlib.h>
#include "sim/phys/phys.h"
#include "util/xalloc.h"

#define TRAP_LIMIT 10
#define TRAP_MIN_US 1000
#define TYPE_URGENT 1
#define TYPE_SECURITY 2
#define TYPE_INFO 4

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
	int64_t us = ((int64_t)4096 << (p->info[PI_REREG] & 0x1f)) / 1000;

	return us < TRAP_MIN_US ? TRAP_MIN_US : us;
}

static void
head(const struct hw *h, uint32_t node, uint8_t port, uint8_t type, uint16_t number, uint8_t w[static NOTICE_BYTES])
{
	memset(w, 0, NOTICE_BYTES);
	w[0] = (uint8_t)(0x80 | type);
	w[3] = h->nodes[node].type;     /* the producer types have the numbers of the node types */
	wire_put16(w + 4, number);
	wire_put16(w + 6, wire_get16(hw_agent_port(h, node, port)->info + PI_LID));
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
pending(struct hw_node *n, uint16_t number, uint8_t port, uint8_t about)
{
	struct hw_trap *t;

	for (t = n->traps; t; t = t->next)
		if (t->number == number && t->port == port && t->about == about)
			break;
	return t;
}

/* Takes the notice 'w' on its way. */
static void
post(struct hw *h, uint32_t node, uint8_t port, uint16_t number, uint8_t about, const uint8_t *w, struct monotime now)
{
	struct hw_node *n = &h->nodes[node];
	struct hw_port *p = hw_agent_port(h, node, port);
	struct hw_event e = { .at_us = now.us, .node = node, .kind = EVENT_TRAP };
	struct hw_trap *t;

	if (!n->powered || n->away || !wire_get16(p->info + PI_LID) || !wire_get16(p->info + PI_SMLID))
		return;
	t = pending(n, number, p->num, about);
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
	const uint8_t *info = from->info;

	*p = (struct hw_packet){ .slid = wire_get16(info + PI_LID), .dlid = wire_get16(info + PI_SMLID),
		.sl = info[PI_SMSL] & 0x0f };
	p->mad[0] = p->mad[2] = 1;
	p->mad[1] = CLASS_SM_LID;
	p->mad[3] = METHOD_TRAP;
	wire_put64(p->mad + 8, t->tid);
	wire_put16(p->mad + 16, NOTICE_ID);
	memcpy(dgram_smp_data(p->mad), t->notice, NOTICE_BYTES);
}

static void
drop(struct hw_trap **at)
{
	struct hw_trap *t = *at;

	*at = t->next;
	free(t);
}

bool
trap_due(struct hw *h, uint32_t node, uint32_t id, struct hw_packet *packet, uint8_t *port, struct monotime now)
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
	if (!t->left || !wire_get16(p->info + PI_LID) || !wire_get16(p->info + PI_SMLID)) {
		drop(at);
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
		drop(at);
}

void
trap_forget(struct hw *h, uint32_t node)
{
	while (h->nodes[node].traps)
		drop(&h->nodes[node].traps);
}

/* ---- the kinds ---- */

void
trap_link_change(struct hw *h, uint32_t node, struct monotime now)
{
	uint8_t w[NOTICE_BYTES];

	head(h, node, 0, TYPE_URGENT, 128, w);
	memcpy(w + 10, w + 6, 2);       /* its own LID */
	post(h, node, 0, 128, 0, w, now);
}

void
trap_port_error(struct hw *h, uint32_t node, uint8_t port, uint16_t number, struct monotime now)
{
	uint8_t w[NOTICE_BYTES];

	head(h, node, port, TYPE_URGENT, number, w);
	memcpy(w + 12, w + 6, 2);
	w[14] = port;
	post(h, node, port, number, port, w, now);
}

void
trap_local_change(struct hw *h, uint32_t node, uint8_t port, uint16_t flags, struct monotime now)
{
	const uint8_t *info = hw_agent_port(h, node, port)->info;
	uint8_t w[NOTICE_BYTES];

	head(h, node, port, TYPE_INFO, 144, w);
	memcpy(w + 12, w + 6, 2);
	w[15] = flags ? 1 : 0;          /* OtherLocalChanges: the flags mean something */
	memcpy(w + 16, info + PI_CAPMASK, 4);
	wire_put16(w + 20, flags);
	memcpy(w + 22, info + PI_CAPMASK2, 2);
	post(h, node, port, 144, 0, w, now);
}

void
trap_bad_mkey(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p, struct monotime now)
{
	const uint8_t *m = p->mad;
	bool dr = m[1] == CLASS_SM_DR;
	unsigned hops = m[7] > 30 ? 30 : m[7];
	uint8_t w[NOTICE_BYTES];

	head(h, node, port, TYPE_SECURITY, 256, w);
	wire_put16(w + 12, p->slid);
	memcpy(w + 14, m + 32, dr ? 2 : 0);
	w[16] = m[3];
	memcpy(w + 18, m + 16, 2);
	memcpy(w + 20, m + 20, 4);
	memcpy(w + 24, m + 24, 8);
	if (dr) {
		w[33] = (uint8_t)(0x80 | (m[7] > hops ? 0x40 : 0) | hops);
		memcpy(w + 34, m + 192 + 1, hops);
	}
	post(h, node, port, 256, 0, w, now);
}

static void
put_qp(uint8_t *at, uint32_t qp)
{
	at[0] = (uint8_t)(qp >> 16);
	wire_put16(at + 1, (uint16_t)qp);
}

void
trap_bad_key(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p, uint16_t number, struct monotime now)
{
	uint8_t w[NOTICE_BYTES];

	head(h, node, port, TYPE_SECURITY, number, w);
	wire_put16(w + 12, p->slid);
	wire_put16(w + 14, p->dlid);
	wire_put32(w + 16, number == 257 ? p->pkey : p->qkey);
	w[20] = (uint8_t)(p->sl << 4);
	put_qp(w + 21, p->src_qp);
	put_qp(w + 25, p->dst_qp);
	if (p->grh) {
		memcpy(w + 28, p->sgid, 16);
		memcpy(w + 44, p->dgid, 16);
	}
	post(h, node, port, number, 0, w, now);
}

/* A partition that a port of a switch enforces; DataValid: both LIDs, P_Key, SL, QPs, and the GIDs of a GRH. */
void
trap_bad_pkey_switch(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p, struct monotime now)
{
	uint8_t w[NOTICE_BYTES];

	head(h, node, 0, TYPE_SECURITY, 259, w);
	wire_put16(w + 10, p->grh ? 0xff : 0x3f);
	wire_put16(w + 12, p->slid);
	wire_put16(w + 14, p->dlid);
	wire_put16(w + 16, p->pkey);
	w[18] = (uint8_t)(p->sl << 4);
	put_qp(w + 19, p->src_qp);
	put_qp(w + 23, p->dst_qp);
	if (p->grh) {
		memcpy(w + 26, p->sgid, 16);
		memcpy(w + 42, p->dgid, 16);
	}
	memcpy(w + 58, w + 6, 2);
	w[60] = port;
	post(h, node, 0, 259, port, w, now);
}
