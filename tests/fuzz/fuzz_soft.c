/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_soft.c - packets that arrive at software adapters: bytes as they are, with right checksums, or made of fields.
 *
 * The first byte: the transport.  Then steps: how, how many bytes, and the bytes.  However it goes, only registered memory is
 * written, a work request ends once, and nothing is left over.
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "tests/fuzz/fuzz.h"
#include "verbs/soft/wire/packet.h"
#include "verbs/soft/soft.h"

enum { BYTES = 8192, REGISTERED = 4096, DEPTH = 8, PSN = 0xfffffa, QKEY = 0x11, MTU = 256, STEPS = 200 };

struct side {
	struct verbs_dev *dev;
	struct verbs_pd *pd;
	struct verbs_mr *mr;
	struct verbs_cq *cq;
	struct verbs_qp *qp;
	uint16_t lid;
	uint8_t *buf;
	unsigned posted, ended;
};

struct rig {
	struct verbs_world *world;
	const struct verbs_ops *ops;
	enum ibv_qp_type type;
	struct side a, b;
};

static void
side_open(struct rig *r, struct side *s, const char *name)
{
	struct verbs_qp_init i = { .type = r->type, .sq_sig_all = true,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 2, .max_recv_sge = 2 } };
	struct ibv_port_attr p;

	s->buf = calloc(1, BYTES);
	FUZZ_CHECK(s->buf && !r->ops->open(r->world, name, &s->dev) && !r->ops->alloc_pd(s->dev, &s->pd));
	FUZZ_CHECK(!r->ops->reg_mr(s->pd, s->buf, REGISTERED, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		IBV_ACCESS_REMOTE_ATOMIC, &s->mr));
	FUZZ_CHECK(!r->ops->create_cq(s->dev, 4 * DEPTH, NULL, &s->cq));
	i.send_cq = i.recv_cq = s->cq;
	FUZZ_CHECK(!r->ops->create_qp(s->pd, &i, &s->qp) && !r->ops->query_port(s->dev, 1, &p));
	s->lid = p.lid;
}

static void
side_connect(struct rig *r, struct side *s, const struct side *to)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .path_mtu = IBV_MTU_256, .rq_psn = PSN, .sq_psn = PSN,
		.dest_qp_num = to->qp->qp_num, .max_dest_rd_atomic = 4, .max_rd_atomic = 4, .min_rnr_timer = 1, .timeout = 8, .retry_cnt = 2,
		.rnr_retry = 2, .ah_attr = { .dlid = to->lid, .port_num = 1 },
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};
	bool ud = r->type == IBV_QPT_UD, rc = r->type == IBV_QPT_RC;

	FUZZ_CHECK(!r->ops->modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a.qp_state = IBV_QPS_RTR;
	FUZZ_CHECK(!r->ops->modify_qp(s->qp, &a, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) |
		(rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	a.qp_state = IBV_QPS_RTS;
	FUZZ_CHECK(!r->ops->modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN |
		(rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0)));
}

static void
side_poll(struct rig *r, struct side *s)
{
	struct ibv_wc wc;

	while (r->ops->poll(s->cq, 1, &wc) == 1)
		s->ended++;
	FUZZ_CHECK(s->ended <= s->posted);
}

static void
side_close(struct rig *r, struct side *s)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_ERR };
	struct verbs_live l;

	FUZZ_CHECK(!r->ops->modify_qp(s->qp, &a, IBV_QP_STATE));
	side_poll(r, s);
	FUZZ_CHECK(s->ended == s->posted);
	for (unsigned i = REGISTERED; i < BYTES; i++)
		FUZZ_CHECK(!s->buf[i]);
	FUZZ_CHECK(!r->ops->destroy_qp(s->qp) && !r->ops->destroy_cq(s->cq) && !r->ops->dereg_mr(s->mr) && !r->ops->dealloc_pd(s->pd));
	r->ops->live(s->dev, &l);
	FUZZ_CHECK(!(l.pd + l.mr + l.mw + l.chan + l.cq + l.srq + l.xrcd + l.ah + l.qp));
	FUZZ_CHECK(!r->ops->close(s->dev));
	free(s->buf);
}

/* ---- steps ---- */

static void
work(struct rig *r, const uint8_t *d)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD };
	enum ibv_wr_opcode op = ops[d[1] % (r->type == IBV_QPT_RC ? 4 : 2)];
	struct ibv_sge sge = { .addr = (uintptr_t)r->b.buf + 8u * d[2], .lkey = r->b.mr->lkey,
		.length = op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : 4u * d[3] };
	struct ibv_recv_wr rr = { .sg_list = &sge, .num_sge = 1 }, *bad_rr;
	struct ibv_send_wr wr = { .opcode = op, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (d[0] & 1) {
		r->b.posted += !r->ops->post_recv(r->b.qp, &rr, &bad_rr);
	} else if (r->type != IBV_QPT_UD) {
		if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			wr.wr.atomic.remote_addr = (uintptr_t)r->a.buf;
			wr.wr.atomic.rkey = r->a.mr->rkey;
		} else if (op != IBV_WR_SEND) {
			wr.wr.rdma.remote_addr = (uintptr_t)r->a.buf;
			wr.wr.rdma.rkey = r->a.mr->rkey;
		}
		r->b.posted += !r->ops->post_send(r->b.qp, &wr, &bad);
	}
}

/* A packet to b, all whose fields are right unless the input says otherwise. */
static void
made(struct rig *r, const uint8_t *d, size_t n)
{
	static const uint8_t services[] = { [IBV_QPT_RC] = PACKET_RC, [IBV_QPT_UC] = PACKET_UC, [IBV_QPT_UD] = PACKET_UD };
	static uint8_t body[PACKET_MTU_MAX], w[PACKET_MAX_BYTES];
	struct packet p = {
		.dlid = r->b.lid, .slid = r->a.lid, .pkey = 0xffff, .dest_qpn = r->b.qp->qp_num, .src_qpn = r->a.qp->qp_num, .qkey = QKEY,
		.opcode = (uint8_t)(services[r->type] | (d[0] & 31)), .psn = (PSN + d[1] - 4u) & PACKET_PSN_MASK,
		.ack_request = d[2] & 1, .solicited = d[2] & 2, .migrated = !(d[2] & 4), .has_grh = d[2] & 8,
		.rkey = d[2] & 16 ? d[3] : r->b.mr->rkey, .va = (uintptr_t)r->b.buf + (d[2] & 32 ? 16u * d[3] : 0),
		.dma_bytes = d[2] & 64 ? UINT32_MAX - d[4] : 8u * d[4], .aeth_kind = d[5] >> 5, .aeth_value = d[5] & 31, .inv_rkey = d[3],
		.payload = body, .payload_bytes = d[2] & 128 ? (uint32_t)(n * 17 % PACKET_MTU_MAX) : d[6] & 1 ? MTU : d[6],
	};
	size_t bytes = packet_encode(w, &p);

	soft_arrive(r->world, w, bytes);
}

static void
step(struct rig *r, uint8_t how, const uint8_t *d, size_t n)
{
	uint8_t w[300] = { 0 };

	memcpy(w, d, n);
	switch (how % 5) {
	case 0:
		soft_arrive(r->world, d, n);
		break;
	case 1:                                 /* whole to the last checksum, and to b */
		if (n < 32)
			break;
		n = n / 4 * 4 + 2;
		wire_put16(w, 2);
		wire_put16(w + 2, r->b.lid);
		wire_put16(w + 4, (uint16_t)(n / 4));
		wire_put16(w + 6, r->a.lid);
		packet_seal(w, n);
		soft_arrive(r->world, w, n);
		break;
	case 2:
		made(r, w, n);
		break;
	case 3:
		work(r, w);
		break;
	default:
		r->ops->advance(r->world, 1u << (w[0] & 15));
		side_poll(r, &r->a);
		side_poll(r, &r->b);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct rig r = { .world = soft_world_new(NULL), .type = types[size ? data[0] % 3 : 0] };
	size_t at = 1;

	r.ops = r.world->ops;
	side_open(&r, &r.a, "soft0");
	side_open(&r, &r.b, "soft1");
	side_connect(&r, &r.a, &r.b);
	side_connect(&r, &r.b, &r.a);
	for (unsigned i = 0; i < STEPS && at + 2 <= size; i++) {
		size_t n = data[at + 1];

		if (n > size - at - 2)
			n = size - at - 2;
		step(&r, data[at], data + at + 2, n);
		at += 2 + n;
	}
	r.ops->advance(r.world, 100000);
	side_close(&r, &r.a);
	side_close(&r, &r.b);
	r.ops->world_free(r.world);
	return 0;
}
