/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * answer.c - sends what a reliable responder owes, in order: ACKs and NAKs, data of reads,
 * results of atomics.
 * Room: verbs/soft.  Pure.
 *
 * Consecutive ACKs are coalesced.  Data of a read is fetched packet by packet when it is sent.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

static struct soft_response *
response_at(const struct soft_responder *r, uint32_t index)
{
	return &r->v[index % r->room];
}

static struct soft_response *
response_append(struct soft_qp *q)
{
	struct soft_responder *r = &q->res;
	struct soft_response *e;

	if (r->tail - r->head == r->room) {
		uint32_t room = r->room ? r->room * 2 : 8;
		struct soft_response *v = xcalloc(room, sizeof(*v));

		for (uint32_t i = r->head; i != r->tail; i++)
			v[i % room] = *response_at(r, i);
		free(r->v);
		r->v = v;
		r->room = room;
	}
	e = response_at(r, r->tail++);
	*e = (struct soft_response){ .msn = r->msn };
	soft_kick(q);
	return e;
}

void
soft_answer_ack(struct soft_qp *q, uint32_t psn, uint8_t kind, uint8_t value)
{
	struct soft_responder *r = &q->res;
	struct soft_response *e = r->head != r->tail ? response_at(r, r->tail - 1) : NULL;

	if (!e || e->kind != SOFT_RESPONSE_ACK || e->aeth_kind != PACKET_AETH_ACK)
		e = response_append(q);
	*e = (struct soft_response){ .kind = SOFT_RESPONSE_ACK, .aeth_kind = kind,
		.aeth_value = value, .psn = psn, .msn = r->msn };
	soft_kick(q);
}

void
soft_answer_read(struct soft_qp *q, const struct packet *p, bool again)
{
	struct soft_response *e = response_append(q);

	e->kind = SOFT_RESPONSE_READ;
	e->again = again;
	e->psn = p->psn;
	e->va = p->va;
	e->rkey = p->rkey;
	e->left_bytes = p->dma_bytes;
}

void
soft_answer_atomic(struct soft_qp *q, uint32_t psn, uint64_t original, bool again)
{
	struct soft_response *e = response_append(q);

	e->kind = SOFT_RESPONSE_ATOMIC;
	e->again = again;
	e->psn = psn;
	e->original = original;
}

uint32_t
soft_answers_owed(const struct soft_qp *q, bool again)
{
	uint32_t n = 0;

	for (uint32_t i = q->res.head; i != q->res.tail; i++)
		n += response_at(&q->res, i)->kind != SOFT_RESPONSE_ACK &&
			response_at(&q->res, i)->again == again;
	return n;
}

static enum packet_op
read_op(bool first, bool last)
{
	if (last)
		return first ? PACKET_READ_ONLY : PACKET_READ_LAST;
	return first ? PACKET_READ_FIRST : PACKET_READ_MIDDLE;
}

/* Fills 'p' with the next packet of 'e'.  True: it is the last one. */
static bool
next_packet(struct soft_qp *q, const struct soft_response *e, struct packet *p)
{
	uint32_t mtu = soft_mtu_bytes(q);
	bool last = true;

	*p = (struct packet){
		.psn = e->psn, .msn = e->msn, .dest_qpn = q->attr.dest_qp_num,
		.aeth_kind = e->aeth_kind,
		.aeth_value = e->aeth_kind == PACKET_AETH_ACK ? PACKET_NO_CREDITS : e->aeth_value,
		.migrated = q->attr.path_mig_state == IBV_MIG_MIGRATED,
	};
	switch (e->kind) {
	case SOFT_RESPONSE_ACK:
		p->opcode = PACKET_ACK;
		break;
	case SOFT_RESPONSE_ATOMIC:
		p->opcode = PACKET_ATOMIC_ACK;
		p->original = e->original;
		break;
	case SOFT_RESPONSE_READ:
		last = e->left_bytes <= mtu;
		p->opcode = (uint8_t)read_op(!e->begun, last);
		p->payload_bytes = last ? e->left_bytes : mtu;
		break;
	}
	if (q->pub.type == IBV_QPT_XRC_RECV)
		p->opcode |= PACKET_XRC;
	return last;
}

/* The memory of a read was deregistered meanwhile: a NAK replaces the data and ends the
 * connection. */
static void
read_failed(struct soft_qp *q, struct soft_response *e)
{
	q->res.tail = q->res.head + 1;
	q->res.dying = true;
	q->res.last_status = IBV_WC_WR_FLUSH_ERR;
	q->res.last_event = IBV_EVENT_QP_ACCESS_ERR;
	*e = (struct soft_response){
		.kind = SOFT_RESPONSE_ACK, .aeth_kind = PACKET_AETH_NAK,
		.aeth_value = PACKET_NAK_OPERATION, .psn = e->psn,
		.msn = e->msn,
	};
}

bool
soft_answer_turn(struct soft_qp *q)
{
	struct soft_responder *r = &q->res;
	uint8_t w[PACKET_MAX_BYTES];
	struct soft_response *e;
	struct packet p;
	bool last;

	if (r->head == r->tail || q->state < IBV_QPS_RTR || q->state == IBV_QPS_ERR)
		return false;
	e = response_at(r, r->head);
	if (e->kind == SOFT_RESPONSE_READ && e->left_bytes) {
		const uint8_t *from = soft_remote(q, e->rkey, e->va, e->left_bytes,
			IBV_ACCESS_REMOTE_READ);

		if (from) {
			last = next_packet(q, e, &p);
			p.payload = from;
		} else {
			read_failed(q, e);
			last = next_packet(q, e, &p);
		}
	} else {
		last = next_packet(q, e, &p);
	}
	soft_route(q->port, &p, &q->attr.ah_attr, q->port->pkeys[q->attr.pkey_index]);
	soft_port_send(q->port, w, &p);
	e->psn = soft_psn_add(e->psn, 1);
	e->va += p.payload_bytes;
	e->left_bytes -= p.payload_bytes;
	e->begun = true;
	r->head += last;
	if (r->head == r->tail && r->dying)
		soft_responder_die(q);
	return true;
}
