/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * response.c - responses to a reliable requester: ACKs, NAKs, data of reads and atomics, or a
 * timeout.
 * Room: verbs/soft.  Pure.
 *
 * An acknowledgement of a packet behind a read implies that the read's response was lost: it is
 * requested again, which counts as a retry, but only once for each missing number, because more
 * such acknowledgements are in flight.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

/* Microseconds of the 32 codes of the RNR NAK timer. */
static const uint32_t rnr_wait_us[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840,
	5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680,
	491520,
};

/* The work request that packet or response number 'psn' belongs to; NULL: none. */
static struct soft_swqe *
swqe_of_psn(struct soft_qp *q, uint32_t psn)
{
	for (uint32_t i = q->req.head; i != q->req.tail; i++) {
		struct soft_swqe *e = soft_swqe_at(q, i);
		int32_t k = soft_psn_diff(psn, e->psn);

		if (!e->numbered)
			break;
		if (!soft_swqe_is_local(e) && k >= 0 && k < (int32_t)e->npackets)
			return e;
	}
	return NULL;
}

/* Progress: resets the retry counters and the timer. */
static void
progress_note(struct soft_qp *q, uint32_t una)
{
	struct soft_requester *r = &q->req;

	if (soft_psn_diff(una, r->una) <= 0)
		return;
	r->una = una;
	r->retry_left = q->attr.retry_cnt;
	r->rnr_left = q->attr.rnr_retry;
	r->implied = false;
	soft_requester_timer(q);
}

/* All packets up to 'psn' arrived: completes sends and writes.  False: a read or atomic among
 * them lacks its response. */
static bool
ack_through(struct soft_qp *q, uint32_t psn)
{
	for (uint32_t i = q->req.head; i != q->req.tail; i++) {
		struct soft_swqe *e = soft_swqe_at(q, i);
		uint32_t end = soft_psn_add(e->psn, e->npackets);

		if (!e->numbered)
			break;
		if (soft_swqe_is_local(e) || e->done)
			continue;
		if (soft_psn_diff(e->psn, psn) > 0)
			break;
		if (soft_swqe_is_rd_atomic(e))
			return false;
		if (soft_psn_diff(end, psn) > 1) {
			progress_note(q, soft_psn_add(psn, 1));
			break;
		}
		e->done = true;
		progress_note(q, end);
	}
	return true;
}

/* Returns to the oldest unacknowledged number, or gives up. */
static void
retry_or_fail(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;
	struct soft_swqe *e = swqe_of_psn(q, r->una);

	if (!e)
		return;
	if (!r->retry_left && q->attr.path_mig_state == IBV_MIG_ARMED) {
		soft_migrate(q);
		r->retry_left = (uint8_t)(q->attr.retry_cnt + 1);
	}
	if (!r->retry_left) {
		e->status = IBV_WC_RETRY_EXC_ERR;
		soft_requester_advance(q);
		return;
	}
	r->retry_left--;
	soft_requester_rewind(q, r->una);
	soft_requester_timer(q);
	soft_kick(q);
}

static void
implied_retry(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;

	if (r->implied && r->implied_psn == r->una)
		return;
	r->implied = true;
	r->implied_psn = r->una;
	retry_or_fail(q);
}

void
soft_requester_timeout(struct soft_qp *q)
{
	q->req.implied = false;
	retry_or_fail(q);
}

void
soft_requester_resume(struct soft_qp *q)
{
	soft_kick(q);
}

static void
receiver_not_ready(struct soft_qp *q, struct soft_swqe *e, const struct packet *p)
{
	struct soft_requester *r = &q->req;
	struct soft_world *w = q->hca->world;

	if (q->attr.rnr_retry != 7 && !r->rnr_left) {
		e->status = IBV_WC_RNR_RETRY_EXC_ERR;
		return;
	}
	if (q->attr.rnr_retry != 7)
		r->rnr_left--;
	soft_requester_rewind(q, p->psn);
	soft_timer_stop(w, &r->ack);
	soft_timer_start(w, &r->rnr, w->now_ns + (int64_t)rnr_wait_us[p->aeth_value] * 1000);
}

static enum ibv_wc_status
nak_status(uint8_t code)
{
	switch (code) {
	case PACKET_NAK_INVALID_REQUEST:
		return IBV_WC_REM_INV_REQ_ERR;
	case PACKET_NAK_ACCESS:
		return IBV_WC_REM_ACCESS_ERR;
	case PACKET_NAK_OPERATION:
		return IBV_WC_REM_OP_ERR;
	default:
		/* a code of reliable datagrams, or an unknown one */
		return IBV_WC_BAD_RESP_ERR;
	}
}

static void
ack_receive(struct soft_qp *q, const struct packet *p)
{
	uint32_t before = soft_psn_add(p->psn, PACKET_PSN_MASK);        /* one less */
	struct soft_swqe *e;

	if (p->aeth_kind == PACKET_AETH_ACK) {
		if (!ack_through(q, p->psn))
			implied_retry(q);
		return;
	}
	if (!ack_through(q, before) && p->psn != q->req.una) {
		implied_retry(q);
		return;
	}
	e = swqe_of_psn(q, p->psn);
	if (!e)
		return;
	if (p->aeth_kind == PACKET_AETH_RNR)
		receiver_not_ready(q, e, p);
	else if (p->aeth_kind == PACKET_AETH_NAK && p->aeth_value == PACKET_NAK_SEQUENCE)
		retry_or_fail(q);
	else
		e->status = p->aeth_kind == PACKET_AETH_NAK ? nak_status(p->aeth_value) :
			IBV_WC_BAD_RESP_ERR;
}

/* Handles one more response of 'e'; 'psn' is its last number. */
static void
response_taken(struct soft_qp *q, struct soft_swqe *e, uint32_t psn)
{
	if (soft_psn_add(psn, 1) == soft_psn_add(e->psn, e->npackets)) {
		e->done = true;
		q->req.rd_atomic--;
	}
	progress_note(q, soft_psn_add(psn, 1));
}

static enum ibv_wc_status
read_take(struct soft_qp *q, const struct soft_swqe *e, const struct packet *p, unsigned traits)
{
	uint32_t k = (uint32_t)soft_psn_diff(p->psn, e->psn), mtu = soft_mtu_bytes(q);
	uint64_t offset = (uint64_t)k * mtu, left = e->length_bytes - offset;
	bool first = traits & PACKET_IS_FIRST, last = traits & PACKET_IS_LAST;

	if (e->opcode != IBV_WR_RDMA_READ || last != (k + 1 == e->npackets) ||
	    (first ? k != 0 && k != e->asked_at : k == 0))
		return IBV_WC_BAD_RESP_ERR;
	if (p->payload_bytes != (left < mtu ? left : mtu))
		return IBV_WC_LOC_LEN_ERR;
	if (p->payload_bytes && soft_scatter(q->pd, e->sge, e->nsge, offset, p->payload,
		    p->payload_bytes) < 0)
		return IBV_WC_LOC_PROT_ERR;
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status
atomic_take(struct soft_qp *q, const struct soft_swqe *e, const struct packet *p)
{
	uint8_t original[8];

	if (!soft_swqe_is_atomic(e))
		return IBV_WC_BAD_RESP_ERR;
	memcpy(original, &p->original, 8);
	return soft_scatter(q->pd, e->sge, e->nsge, 0, original, 8) < 0 ? IBV_WC_LOC_PROT_ERR :
		IBV_WC_SUCCESS;
}

static void
data_receive(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_swqe *e;

	if (!ack_through(q, soft_psn_add(p->psn, PACKET_PSN_MASK)) && p->psn != q->req.una) {
		implied_retry(q);
		return;
	}
	e = swqe_of_psn(q, p->psn);
	if (!e || e->done)
		return;
	if (!soft_swqe_is_rd_atomic(e)) {
		e->status = IBV_WC_BAD_RESP_ERR;
		return;
	}
	e->status = traits & PACKET_IS_READ_RESPONSE ? read_take(q, e, p, traits) : atomic_take(q,
		e, p);
	if (e->status == IBV_WC_SUCCESS)
		response_taken(q, e, p->psn);
}

void
soft_response_receive(struct soft_qp *q, const struct packet *p)
{
	struct soft_requester *r = &q->req;
	unsigned traits = packet_traits(p->opcode);

	if (q->state != IBV_QPS_RTS && q->state != IBV_QPS_SQD)
		return;
	/* Ignores duplicates, and responses to what was never sent. */
	if (soft_psn_diff(p->psn, r->una) < 0 || soft_psn_diff(p->psn, r->psn_next) >= 0)
		return;
	if ((p->opcode & 0x1f) == PACKET_ACK)
		ack_receive(q, p);
	else
		data_receive(q, p, traits);
	soft_requester_advance(q);
	soft_kick(q);
}
