/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.c - messages from A to B over a pair, whole or with one thing wrong; see transfer.h.
 * Room: verbs/conform/kit.
 *
 * A success is reported only for completions with the right wr_id, number, opcode, length,
 * immediate data and payload.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "verbs/conform/kit/transfer.h"

#define PIECES_MAX 32
#define GAP_BYTES 16                    /* between the pieces of a message in memory */
#define GRH_BYTES 40
#define SEND_ID UINT64_C(0x5e4d00000000)
#define RECV_ID UINT64_C(0x7ecb00000000)
#define IMM 0x01020304U
#define NOBODY 0xfffff0U                /* a queue pair number that is not in use */
#define KEY_DAMAGE 0x00ff0000U
#define KEY_BIT 1U                      /* a bit of a key that its owner may choose */
#define SMALL_BYTES 16
#define BTH_READ_RESPONSE_LAST 0x0f
#define BTH_READ_RESPONSE_ONLY 0x10
#define ATOMIC_START UINT64_C(0x1122334455667788)

struct work {
	struct kit *k;
	const struct transfer *t;
	struct kit_end *from, *to;
	unsigned messages;
	uint32_t bytes;                 /* of each message */
	size_t stride;                  /* of messages in memory */
	uint32_t lkey, receive_lkey, rkey;
	uint64_t remote;                /* of the first message */
	bool receives;                  /* the operation consumes a receive at the other end */
	bool posted;                    /* and a receive was posted */
	struct verbs_ah *ah;
	unsigned packets;               /* seen by the packet hook */
	unsigned pieces, receive_pieces;
};

/* ---- words ---- */

static void
flush_run(struct status_words *s)
{
	size_t used = strlen(s->text);
	const char *name = verbs_status_name((enum ibv_wc_status)s->last);

	if (!s->run)
		return;
	if (s->run > 1)
		snprintf(s->text + used, sizeof(s->text) - used, "%s%s x%u", used ? ", " : "", name,
			s->run);
	else
		snprintf(s->text + used, sizeof(s->text) - used, "%s%s", used ? ", " : "", name);
	s->run = 0;
}

void
status_words_add(struct status_words *s, int status)
{
	if (s->run && s->last != status)
		flush_run(s);
	s->last = status;
	s->run++;
}

const char *
status_words_end(struct status_words *s)
{
	flush_run(s);
	return *s->text ? s->text : "none";
}

/* ---- what a row is about ---- */

static bool
is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool
has_imm(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool
is_write(enum ibv_wr_opcode op)
{
	return op == IBV_WR_RDMA_WRITE || op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static int
right_of(enum ibv_wr_opcode op)
{
	return is_atomic(op) ? IBV_ACCESS_REMOTE_ATOMIC : op == IBV_WR_RDMA_READ ?
		IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
}

static enum ibv_wc_opcode
opcode_of(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	default:
		return IBV_WC_SEND;
	}
}

/* ---- the hook on packets ---- */

const uint8_t *
kit_packet_bth(const uint8_t *packet, size_t bytes)
{
	size_t at = (packet[1] & 3) == 3 ? 8 + GRH_BYTES : 8;

	return bytes >= at + 12 ? packet + at : NULL;
}

static enum verbs_verdict
on_packet(void *arg, uint8_t *packet, size_t bytes)
{
	struct work *w = arg;
	unsigned number = w->packets++;
	uint8_t *bth = packet + (kit_packet_bth(packet, bytes) ? kit_packet_bth(packet,
		bytes) - packet : 0);

	switch (w->t->broken) {
	case ALL_REQUESTS_LOST:
	case ALL_ANSWERS_LOST:
		return VERBS_DROP;
	case FIRST_LOST:
	case ANSWER_LOST:
		return number == 0 ? VERBS_DROP : VERBS_PASS;
	case MIDDLE_LOST:
	case MIDDLE_LOST_SRQ:
		return number == 1 ? VERBS_DROP : VERBS_PASS;
	case FIRST_TWICE:
		return number == 0 ? VERBS_DUPLICATE : VERBS_PASS;
	case FIRST_CORRUPT:
		return number == 0 ? VERBS_CORRUPT : VERBS_PASS;
	case FIRST_HELD:
		return number == 0 ? VERBS_HOLD : VERBS_PASS;
	case BAD_RESPONSE:
		if (bth == packet)
			return VERBS_PASS;
		/* A response of the right length but of the wrong kind: a read's only packet for
		 * an acknowledgement or an atomic, a last packet without a first for a read. */
		*bth = *bth == BTH_READ_RESPONSE_ONLY ? BTH_READ_RESPONSE_LAST :
			BTH_READ_RESPONSE_ONLY;
		return VERBS_REWRITTEN;
	default:
		return VERBS_PASS;
	}
}

static void
set_hook(struct work *w)
{
	enum breakage b = w->t->broken;
	struct kit_end *e = b == ALL_ANSWERS_LOST || b == ANSWER_LOST || b == BAD_RESPONSE ? w->to :
		w->from;

	if (!w->k->broken && b >= ALL_REQUESTS_LOST)
		kit_must(w->k, "hook", w->k->ops->hook(e->dev, e->dev->port, on_packet, w));
}

/* ---- memory ---- */

/* Lays out message 'm' in 'buf' as pieces; fills it with the pattern of 'seed' unless that is 0. */
static int
pieces_lay(const struct work *w, uint8_t *buf, unsigned pieces, uint32_t lkey, unsigned m,
	uint64_t seed, struct ibv_sge *sge)
{
	uint8_t *p = buf + m * w->stride;
	uint32_t part, done = 0;
	int n = 0;

	for (unsigned i = 0; i < pieces; i++) {
		part = i + 1 == pieces ? w->bytes - done : w->bytes / pieces;
		for (uint32_t j = 0; seed && j < part; j++)
			p[j] = kit_pattern_byte(seed, done + j);
		sge[n++] = (struct ibv_sge){ (uintptr_t)p, part, lkey };
		p += part + GAP_BYTES;
		done += part;
	}
	return n;
}

/* Compares the memory of 'sge' with the pattern of 'seed'. */
static void
data_compare(struct work *w, const char *what, const struct ibv_sge *sge, int n, uint64_t seed)
{
	uint32_t done = 0;

	for (int i = 0; i < n; i++) {
		const uint8_t *p = (const uint8_t *)(uintptr_t)sge[i].addr;

		for (uint32_t j = 0; j < sge[i].length; j++, done++) {
			if (p[j] != kit_pattern_byte(seed, done)) {
				kit_say(w->k, "%s differs at %u", what, done);
				return;
			}
		}
	}
}

static uint64_t
message_seed(const struct work *w, unsigned m)
{
	return w->k->seed * 1000003 + m + 1;
}

/* ---- what is broken ---- */

static void
break_pair(struct work *w)
{
	struct kit_pair *p = &w->k->pair;
	const struct transfer *t = w->t;

	p->type = t->type;
	p->mtu = t->mtu ? t->mtu : IBV_MTU_1024;
	p->srq_b = t->srq;
	if (w->pieces > 2)
		p->cap.max_send_sge = w->pieces;
	if (w->receive_pieces > 2)
		p->cap.max_recv_sge = w->receive_pieces;
	if (t->flags & IBV_SEND_INLINE)
		p->cap.max_inline_data = w->bytes;
	if (t->retry)
		p->retry = (uint8_t)t->retry;
	p->rnr_retry = (uint8_t)t->rnr_retry;
	if (t->broken == QP_WITHOUT_RIGHT)
		p->access_b = p->access_a = KIT_REMOTE & ~right_of(t->opcode);
	if (t->broken == RESPONDER_DEPTH_0)
		p->dest_rd_atomic = 0;
	if (t->broken == INITIATOR_DEPTH_0)
		p->rd_atomic = 0;
	if (t->broken == PEER_ABSENT)
		p->dest_qpn = NOBODY;
	if (t->broken >= FIRST_LOST)
		p->retry = 7;
}

static void
break_peer(struct work *w)
{
	struct kit *k = w->k;
	enum breakage b = w->t->broken;

	if (b == PEER_RESET || b == PEER_INIT)
		kit_must(k, "RESET", kit_to_state(k, w->to, IBV_QPS_RESET));
	if (b == PEER_INIT && !k->broken)
		kit_must(k, "INIT", kit_modify(k, w->to, IBV_QPS_RESET, IBV_QPS_INIT));
	if (b == PEER_ERR)
		kit_must(k, "ERR", kit_to_state(k, w->to, IBV_QPS_ERR));
}

static void
connect_pair(struct work *w)
{
	struct kit *k = w->k;
	struct verbs_qp_init init;

	if (w->t->broken != PEER_OTHER_TYPE) {
		kit_pair_connect(k);
		break_peer(w);
		return;
	}
	if (!kit_pair_make(k))
		return;
	k->pair.type = w->t->type == IBV_QPT_RC ? IBV_QPT_UC : IBV_QPT_RC;
	init = (struct verbs_qp_init){ .type = k->pair.type, .cap = k->pair.cap,
		.send_cq = k->b.scq, .recv_cq = k->b.rcq };
	k->b.qp = kit_qp(k, &k->b, &init);
	kit_walk(k, &k->b, IBV_QPS_RTS);
	k->pair.type = w->t->type;
	kit_walk(k, &k->a, IBV_QPS_RTS);
}

static uint32_t
key_of_other_pd(struct work *w, struct kit_end *e, bool remote)
{
	struct verbs_pd *pd = kit_pd(w->k, e);
	struct verbs_mr *mr = pd ? kit_mr(w->k, pd, e->buf, KIT_BUFFER_BYTES, KIT_ACCESS) : NULL;

	return !mr ? 0 : remote ? mr->rkey : mr->lkey;
}

static uint32_t
key_of_region(struct work *w, struct kit_end *e, size_t bytes, int access, bool remote)
{
	struct verbs_mr *mr = w->k->broken ? NULL : kit_mr(w->k, e->pd, e->buf, bytes, access);

	return !mr ? 0 : remote ? mr->rkey : mr->lkey;
}

static void
break_local(struct work *w)
{
	struct kit_end *a = w->from, *b = w->to;

	switch (w->t->broken) {
	case BAD_LKEY:
		w->lkey ^= KEY_DAMAGE;
		break;
	case LKEY_BIT:
		w->lkey ^= KEY_BIT;
		break;
	case LKEY_OF_OTHER_PD:
		w->lkey = key_of_other_pd(w, a, false);
		break;
	case PAST_LOCAL_END:
		w->lkey = key_of_region(w, a, w->bytes - 1, KIT_ACCESS, false);
		break;
	case LOCAL_READ_ONLY:
		w->lkey = key_of_region(w, a, KIT_BUFFER_BYTES, 0, false);
		break;
	case RECEIVE_BAD_LKEY:
		w->receive_lkey ^= KEY_DAMAGE;
		break;
	case RECEIVE_LKEY_BIT:
		w->receive_lkey ^= KEY_BIT;
		break;
	case RECEIVE_OTHER_PD:
		w->receive_lkey = key_of_other_pd(w, b, false);
		break;
	case RECEIVE_READ_ONLY:
		w->receive_lkey = key_of_region(w, b, KIT_BUFFER_BYTES, 0, false);
		break;
	case RECEIVE_PAST_END:
		w->receive_lkey = key_of_region(w, b, w->bytes - 1, KIT_ACCESS, false);
		break;
	default:
		break;
	}
}

static void
break_remote(struct work *w)
{
	struct kit_end *b = w->to;
	struct verbs_mr *mr;

	switch (w->t->broken) {
	case BAD_RKEY:
		w->rkey ^= KEY_DAMAGE;
		break;
	case RKEY_BIT:
		w->rkey ^= KEY_BIT;
		break;
	case STALE_RKEY:
		mr = kit_mr(w->k, b->pd, b->buf, KIT_BUFFER_BYTES, KIT_ACCESS);
		w->rkey = mr ? mr->rkey : 0;
		if (mr)
			kit_must(w->k, "dereg_mr", kit_destroy(w->k, mr));
		break;
	case RKEY_OF_OTHER_PD:
		w->rkey = key_of_other_pd(w, b, true);
		break;
	case PAST_REMOTE_END:
		w->remote += KIT_BUFFER_BYTES;
		break;
	case ACROSS_REMOTE_END:
		w->remote += KIT_BUFFER_BYTES - w->bytes + (is_atomic(w->t->opcode) ? w->bytes : 1);
		break;
	case BEFORE_REMOTE_START:
		w->remote -= is_atomic(w->t->opcode) ? 8 : 1;
		break;
	case MR_WITHOUT_RIGHT:
		w->rkey = key_of_region(w, b, KIT_BUFFER_BYTES,
			KIT_ACCESS & ~right_of(w->t->opcode), true);
		break;
	case MISALIGNED:
		w->remote += 4;
		break;
	default:
		break;
	}
}

/* ---- work ---- */

static unsigned
pieces_of(struct kit *k, unsigned wanted)
{
	struct ibv_device_attr attr = { .max_sge = 1 };

	if (wanted != ALL_PIECES)
		return wanted ? wanted : 1;
	kit_must(k, "query_device", k->ops->query_device(k->a.dev, &attr));
	return attr.max_sge < PIECES_MAX ? (unsigned)attr.max_sge : PIECES_MAX;
}

static void
work_begin(struct work *w, struct kit *k, const struct conform_case *c)
{
	const struct transfer *t = &c->transfer;
	unsigned pieces;

	*w = (struct work){ .k = k, .t = t, .from = t->reversed ? &k->b : &k->a,
		.to = t->reversed ? &k->a : &k->b };
	w->pieces = pieces_of(k, t->pieces);
	w->receive_pieces = pieces_of(k, t->receive_pieces);
	pieces = w->pieces > w->receive_pieces ? w->pieces : w->receive_pieces;
	w->messages = t->messages ? t->messages : 1;
	w->bytes = is_atomic(t->opcode) ? 8 : t->bytes;
	w->receives = t->opcode == IBV_WR_SEND || has_imm(t->opcode);
	w->posted = w->receives && t->broken != NO_RECEIVE;
	w->stride = ((size_t)w->bytes + pieces * GAP_BYTES + GRH_BYTES + 63) & ~(size_t)63;
}

static void
over_mtu(struct work *w)
{
	struct ibv_port_attr port = { .active_mtu = IBV_MTU_4096 };

	kit_must(w->k, "query_port", w->k->ops->query_port(w->from->dev, w->from->dev->port,
		&port));
	w->bytes = (128U << port.active_mtu) + 4;
}

static void
post_receives(struct work *w)
{
	struct ibv_sge sge[PIECES_MAX];

	for (unsigned m = 0; m < w->messages && w->posted && !w->k->broken; m++) {
		size_t head = w->t->type == IBV_QPT_UD ? GRH_BYTES : 0;
		int n = pieces_lay(w, w->to->buf + head, w->receive_pieces, w->receive_lkey, m, 0,
			sge);

		if (head) {             /* space for the global route header comes first */
			sge[0].addr -= head;
			sge[0].length += GRH_BYTES;
		}
		if (w->t->broken == RECEIVE_SMALL)
			sge[0].length = SMALL_BYTES;
		if (is_write(w->t->opcode))
			n = 0;
		kit_must(w->k, "post_recv", kit_post_recv_sge(w->k, w->to, RECV_ID + m, sge, n));
	}
}

static void
fill_address(struct work *w, struct ibv_send_wr *wr, unsigned m)
{
	const struct transfer *t = w->t;

	if (t->type == IBV_QPT_UD) {
		wr->wr.ud.ah = w->ah ? w->ah->ibv : NULL;
		wr->wr.ud.remote_qpn = t->broken == BAD_QPN ? NOBODY : w->to->qp->qp_num;
		wr->wr.ud.remote_qkey = t->broken == BAD_QKEY ? KIT_QKEY ^ 0x33333333 :
			t->broken == QKEY_HIGH_BIT ? 0x80000bad : KIT_QKEY;
	} else if (is_atomic(t->opcode)) {
		wr->wr.atomic.remote_addr = w->remote + m * w->stride;
		wr->wr.atomic.rkey = w->rkey;
		wr->wr.atomic.compare_add = t->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? ATOMIC_START :
			1;
		wr->wr.atomic.swap = ~ATOMIC_START;
	} else {
		wr->wr.rdma.remote_addr = w->remote + m * w->stride;
		wr->wr.rdma.rkey = w->rkey;
	}
	if (has_imm(t->opcode))
		wr->imm_data = wire_order32(IMM + m);
}

static bool
is_signalled(const struct work *w, unsigned m)
{
	return !w->t->signal_every || (m + 1) % w->t->signal_every == 0;
}

static void
post_sends(struct work *w)
{
	struct ibv_sge sge[PIECES_MAX];
	bool reads = w->t->opcode == IBV_WR_RDMA_READ || is_atomic(w->t->opcode);

	for (unsigned m = 0; m < w->messages && !w->k->broken; m++) {
		struct ibv_send_wr wr = { .wr_id = SEND_ID + m, .sg_list = sge,
			.opcode = w->t->opcode, .send_flags = w->t->flags };
		int ret;

		wr.num_sge = pieces_lay(w, w->from->buf, w->pieces, w->lkey, m,
			reads ? 0 : message_seed(w, m), sge);
		if (!w->bytes)
			wr.num_sge = 0;
		if (is_signalled(w, m))
			wr.send_flags |= IBV_SEND_SIGNALED;
		fill_address(w, &wr, m);
		ret = kit_post(w->k, w->from, &wr);
		kit_must(w->k, "post_send", ret);
		/* Inline data was copied: the buffer may change at once. */
		if (w->t->flags & IBV_SEND_INLINE)
			memset(w->from->buf + m * w->stride, 0, w->bytes);
	}
}

/* The memory of B before a read or an atomic. */
static void
prepare_remote(struct work *w)
{
	struct ibv_sge sge[PIECES_MAX];

	for (unsigned m = 0; m < w->messages; m++) {
		if (is_atomic(w->t->opcode)) {
			uint64_t start = ATOMIC_START;

			memcpy(w->to->buf + m * w->stride, &start, sizeof(start));
		} else if (w->t->opcode == IBV_WR_RDMA_READ) {
			pieces_lay(w, w->to->buf, 1, 0, m, message_seed(w, m), sge);
		}
	}
}

/* ---- completions ---- */

static void
check_send_wc(struct work *w, const struct ibv_wc *wc, unsigned m)
{
	if (wc->wr_id != SEND_ID + m)
		kit_say(w->k, "sender's wr_id %llx is not of work request %u",
			(unsigned long long)wc->wr_id, m);
	if (wc->qp_num != w->from->qp->qp_num)
		kit_say(w->k, "sender's qp_num is not its own");
	if (wc->status != IBV_WC_SUCCESS)
		return;
	if (wc->opcode != opcode_of(w->t->opcode))
		kit_say(w->k, "sender's opcode %s", verbs_wc_opcode_name(wc->opcode));
	if ((w->t->opcode == IBV_WR_RDMA_READ || is_atomic(w->t->opcode)) &&
		    wc->byte_len != w->bytes)
		kit_say(w->k, "sender's byte_len %u", wc->byte_len);
}

static void
check_receive_wc(struct work *w, const struct ibv_wc *wc, unsigned m)
{
	const struct transfer *t = w->t;
	enum ibv_wc_opcode opcode = is_write(t->opcode) ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	uint32_t bytes = w->bytes + (t->type == IBV_QPT_UD ? GRH_BYTES : 0);

	if (wc->wr_id != RECV_ID + m)
		kit_say(w->k, "receiver's wr_id %llx is not of receive %u",
			(unsigned long long)wc->wr_id, m);
	if (wc->qp_num != w->to->qp->qp_num)
		kit_say(w->k, "receiver's qp_num is not its own");
	if (wc->status != IBV_WC_SUCCESS)
		return;
	if (wc->opcode != opcode)
		kit_say(w->k, "receiver's opcode %s", verbs_wc_opcode_name(wc->opcode));
	if (wc->byte_len != bytes)
		kit_say(w->k, "receiver's byte_len %u", wc->byte_len);
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) == has_imm(t->opcode))
		kit_say(w->k, "WITH_IMM is %s", has_imm(t->opcode) ? "missing" : "set");
	else if (has_imm(t->opcode) && wire_order32(wc->imm_data) != IMM + m)
		kit_say(w->k, "immediate %08x", wire_order32(wc->imm_data));
	if (t->type == IBV_QPT_UD && wc->src_qp != w->from->qp->qp_num)
		kit_say(w->k, "src_qp is not the sender's");
}

/* An error also ends a run of unsignaled requests: every completion names its request by wr_id. */
static unsigned
collect_sends(struct work *w)
{
	struct status_words words = { .last = -1 };
	unsigned good = 0, m = 0;
	struct ibv_wc wc;
	bool all = false;               /* after an error every request completes */

	for (; m < w->messages && !w->k->broken; m++) {
		if (!all && !is_signalled(w, m))
			continue;
		if (!kit_wait(w->k, w->from->scq, &wc, KIT_WAIT_US))
			break;
		if (wc.status != IBV_WC_SUCCESS && !all) {
			all = true;
			if (wc.wr_id >= SEND_ID && wc.wr_id < SEND_ID + w->messages)
				m = (unsigned)(wc.wr_id - SEND_ID);
		}
		status_words_add(&words, (int)wc.status);
		check_send_wc(w, &wc, m);
		good += wc.status == IBV_WC_SUCCESS;
	}
	if (!w->k->broken)
		kit_say(w->k, "sender %s", status_words_end(&words));
	return good;
}

static unsigned
collect_receives(struct work *w)
{
	struct status_words words = { .last = -1 };
	unsigned good = 0;
	struct ibv_wc wc;
	bool lost = w->t->broken != WHOLE && w->t->broken < FIRST_LOST;

	for (unsigned m = 0; m < w->messages && !w->k->broken; m++) {
		if (!kit_wait(w->k, w->to->rcq, &wc, lost && !kit_virtual(w->k) ? KIT_QUIET_US * 3 :
			    KIT_WAIT_US))
			break;
		status_words_add(&words, (int)wc.status);
		check_receive_wc(w, &wc, m);
		good += wc.status == IBV_WC_SUCCESS;
	}
	if (!w->k->broken)
		kit_say(w->k, "receiver %s", status_words_end(&words));
	return good;
}

/* ---- data ---- */

static void
check_atomic(struct work *w, unsigned m)
{
	uint64_t found, old, want = w->t->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? ~ATOMIC_START :
		ATOMIC_START + 1;

	memcpy(&found, w->to->buf + m * w->stride, sizeof(found));
	memcpy(&old, w->from->buf + m * w->stride, sizeof(old));
	if (found != want)
		kit_say(w->k, "memory is %llx", (unsigned long long)found);
	if (old != ATOMIC_START)
		kit_say(w->k, "the original value is %llx", (unsigned long long)old);
}

static void
check_data(struct work *w)
{
	struct ibv_sge sge[PIECES_MAX];
	size_t head = w->t->type == IBV_QPT_UD ? GRH_BYTES : 0;

	for (unsigned m = 0; m < w->messages && !w->k->broken; m++) {
		int n;

		if (is_atomic(w->t->opcode)) {
			check_atomic(w, m);
			continue;
		}
		if (w->t->opcode == IBV_WR_RDMA_READ)
			n = pieces_lay(w, w->from->buf, w->pieces, 0, m, 0, sge);
		else if (is_write(w->t->opcode))
			n = pieces_lay(w, w->to->buf, 1, 0, m, 0, sge);
		else
			n = pieces_lay(w, w->to->buf + head, w->receive_pieces, 0, m, 0, sge);
		data_compare(w, "data", sge, n, message_seed(w, m));
	}
}

/* The pattern that an end's buffer begins with. */
static uint64_t
seed_of(const struct work *w, const struct kit_end *e)
{
	return e == &w->k->b ? ~w->k->seed : w->k->seed;
}

/* True when there is data to check.  Without an acknowledgement the sender's success proves
 * nothing. */
static bool
is_delivered(struct work *w, unsigned good, unsigned received)
{
	if (w->posted)
		return good && received == w->messages;
	if (w->t->type == IBV_QPT_RC)
		return good;
	if (w->t->broken != WHOLE)
		return false;
	kit_pass(w->k, KIT_QUIET_US);
	return true;
}

/* True for errors that must leave the responder's memory unchanged. */
static bool
protects_remote(enum breakage b)
{
	return (b >= BAD_RKEY && b <= MISALIGNED) || b == RECEIVE_BAD_LKEY ||
		b == RECEIVE_LKEY_BIT || b == RECEIVE_OTHER_PD || b == RECEIVE_READ_ONLY;
}

/* True for errors that must leave the memory of the requester of a read or atomic unchanged. */
static bool
protects_local(enum breakage b)
{
	return (b >= BAD_RKEY && b <= MISALIGNED) || b == BAD_LKEY || b == LKEY_BIT ||
		b == LKEY_OF_OTHER_PD || b == LOCAL_READ_ONLY;
}

static void
check_untouched(struct work *w)
{
	uint64_t start = ATOMIC_START, found;
	bool fetches = w->t->opcode == IBV_WR_RDMA_READ || is_atomic(w->t->opcode);

	if (w->k->broken || !w->bytes)
		return;
	if (w->t->type != IBV_QPT_RC && protects_remote(w->t->broken))
		/* The sender's success says nothing about packets still in flight. */
		kit_pass(w->k, KIT_QUIET_US);
	if (is_atomic(w->t->opcode) && w->t->broken >= BAD_RKEY && w->t->broken <= MISALIGNED) {
		memcpy(&found, w->to->buf, sizeof(found));
		if (found != start)
			kit_say(w->k, "the peer's memory is %llx", (unsigned long long)found);
	} else if (!fetches && protects_remote(w->t->broken)) {
		kit_check(w->k, "the peer's memory", w->to->buf, KIT_BUFFER_BYTES,
			seed_of(w, w->to));
	}
	if (fetches && protects_local(w->t->broken))
		kit_check(w->k, "the own memory", w->from->buf, KIT_BUFFER_BYTES,
			seed_of(w, w->from));
}

/* ---- what follows ---- */

static void
say_after(struct work *w)
{
	struct kit *k = w->k;
	struct ibv_wc wc;

	if (k->broken || !w->t->after)
		return;
	if (w->t->type == IBV_QPT_UD) {
		struct ibv_sge sge = kit_sge(w->from, 0, 4);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED };

		fill_address(w, &wr, 0);
		kit_must(k, "post_send", kit_post(k, w->from, &wr));
	} else {
		kit_send(k, w->from, 1, 0, 4);
	}
	kit_say_wc(k, "then sender", w->from->scq, &wc);
}

static void
say_rest(struct work *w)
{
	if (w->t->states && !w->k->broken)
		kit_say(w->k, "A %s; B %s", verbs_qp_state_name(kit_state(w->k, w->from)),
			verbs_qp_state_name(kit_state(w->k, w->to)));
	if (w->t->events)
		kit_say_events(w->k, "B", w->to);
	say_after(w);
}

void
transfer_run(struct kit *k, const struct conform_case *c)
{
	struct work w;
	unsigned good, received = 0;

	work_begin(&w, k, c);
	break_pair(&w);
	if (c->transfer.broken == OVER_MTU)
		over_mtu(&w);
	connect_pair(&w);
	if (k->broken)
		return;
	w.lkey = w.from->mr->lkey;
	w.receive_lkey = w.to->mr->lkey;
	w.rkey = w.to->mr->rkey;
	w.remote = (uintptr_t)w.to->buf;
	break_local(&w);
	break_remote(&w);
	if (c->transfer.type == IBV_QPT_UD)
		w.ah = kit_ah(k, w.from, w.to);
	prepare_remote(&w);
	set_hook(&w);
	post_receives(&w);
	post_sends(&w);
	good = collect_sends(&w);
	if (w.posted)
		received = collect_receives(&w);
	if (is_delivered(&w, good, received))
		check_data(&w);
	check_untouched(&w);
	say_rest(&w);
}
