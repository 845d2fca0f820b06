/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * receive.c - a packet has arrived at a port: finds its queue pair and checks its keys.
 * Room: verbs/soft.  Pure.
 *
 * Packets that fail are dropped silently; violations of P_Key and Q_Key are counted.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

/* The same partition, and at least one of the two is a full member. */
static bool
pkeys_match(uint16_t a, uint16_t b)
{
	return (a & 0x7fff) == (b & 0x7fff) && (a & 0x7fff) && (a | b) & 0x8000;
}

static bool
service_fits(const struct soft_qp *q, uint8_t opcode)
{
	switch (opcode & 0xe0) {
	case PACKET_RC:
		return q->pub.type == IBV_QPT_RC;
	case PACKET_UC:
		return q->pub.type == IBV_QPT_UC;
	case PACKET_UD:
		return q->pub.type == IBV_QPT_UD;
	case PACKET_XRC:
		return q->pub.type == IBV_QPT_XRC_SEND || q->pub.type == IBV_QPT_XRC_RECV;
	default:
		return false;
	}
}

static void
qp_receive(struct soft_qp *q, struct soft_port *port, const struct packet *p)
{
	if (q->state < IBV_QPS_RTR || q->state == IBV_QPS_ERR || !service_fits(q, p->opcode))
		return;
	if (!pkeys_match(p->pkey,
		    port->pkeys[q->port == port ? q->attr.pkey_index : q->attr.alt_pkey_index])) {
		port->bad_pkeys++;
		return;
	}
	/* A connected queue pair accepts packets from its peer only. */
	if (q->pub.type == IBV_QPT_UD ? q->port != port : !soft_path_fits(q, port, p))
		return;
	if (q->pub.type == IBV_QPT_UD) {
		soft_ud_receive(q, p);
	} else if (packet_traits(p->opcode) & PACKET_IS_RESPONSE) {
		if (q->pub.type == IBV_QPT_RC || q->pub.type == IBV_QPT_XRC_SEND)
			soft_response_receive(q, p);
	} else {
		if (q->state == IBV_QPS_RTR && !q->res.come) {
			q->res.come = true;
			soft_qp_event(q, IBV_EVENT_COMM_EST);
		}
		if (q->pub.type == IBV_QPT_UC)
			soft_uc_receive(q, p);
		else if (q->pub.type != IBV_QPT_XRC_SEND)
			soft_request_receive(q, p);
	}
}

static void
multicast_receive(struct soft_port *port, const struct packet *p)
{
	struct soft_hca *h = port->hca;

	if (p->dlid < 0xc000 || !p->has_grh || (p->opcode & 0xe0) != PACKET_UD)
		return;
	for (uint32_t i = 0; i < h->nmcast; i++) {
		struct soft_mcast *m = &h->mcast[i];

		if (m->qp->port == port && m->mlid == p->dlid && !memcmp(m->gid.raw, p->dgid, 16))
			qp_receive(m->qp, port, p);
	}
}

void
soft_receive(struct soft_port *port, const struct packet *p)
{
	struct soft_qp *q;

	if (!port->up || port->hca->fatal)
		return;
	if (p->dest_qpn == PACKET_QPN_MULTICAST) {
		multicast_receive(port, p);
		return;
	}
	q = soft_qp_find(port->hca, p->dest_qpn);
	if (q && p->dlid < 0xc000)
		qp_receive(q, port, p);
}
