/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_states.c - state transitions of queue pairs of every type: with the required attributes,
 * without one of them, with one that is not allowed; values out of range; posting in each state.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

enum { NSTATES = IBV_QPS_ERR + 1 };

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

/* Required and optional attributes of the architecture's tables, for RC, UC, UD; -1: no such
 * transition.  Independent of the code. */
static const struct row {
	enum ibv_qp_state from, to;
	int wanted[3], allowed[3];
} rows[] = {
#define P IBV_QP_PKEY_INDEX
#define O IBV_QP_PORT
#define A IBV_QP_ACCESS_FLAGS
#define K IBV_QP_QKEY
#define C IBV_QP_CUR_STATE
#define L IBV_QP_ALT_PATH
#define M IBV_QP_PATH_MIG_STATE
#define R IBV_QP_MIN_RNR_TIMER
#define X (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define T (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define S IBV_QP_SQ_PSN
#define E IBV_QP_EN_SQD_ASYNC_NOTIFY
	{ IBV_QPS_RESET, IBV_QPS_INIT, { P | O | A, P | O | A, P | O | K }, { 0 } },
	{ IBV_QPS_INIT, IBV_QPS_INIT, { 0 }, { P | O | A, P | O | A, P | O | K } },
	{ IBV_QPS_INIT, IBV_QPS_RTR, { X | IBV_QP_MAX_DEST_RD_ATOMIC | R, X, 0 },
		{ L | A | P, L | A | P, P | K } },
	{ IBV_QPS_RTR, IBV_QPS_RTS, { T | S, S, S }, { C | L | A | R | M, C | L | A | M, C | K } },
	{ IBV_QPS_RTS, IBV_QPS_RTS, { 0 }, { C | L | A | R | M, C | L | A | M, C | K } },
	{ IBV_QPS_RTS, IBV_QPS_SQD, { 0 }, { E, E, E } },
	{ IBV_QPS_SQD, IBV_QPS_RTS, { 0 }, { C | L | A | R | M, C | L | A | M, C | K } },
	{ IBV_QPS_SQD, IBV_QPS_SQD, { 0 },
	  { O | IBV_QP_AV | T | IBV_QP_MAX_DEST_RD_ATOMIC | L | A | P | R | M,
	    IBV_QP_AV | L | A | P | M, P | K } },
	{ IBV_QPS_SQE, IBV_QPS_RTS, { -1, 0, 0 }, { 0, C | A, C | K } },
	{ IBV_QPS_INIT, IBV_QPS_ERR, { 0 }, { 0 } }, { IBV_QPS_RTR, IBV_QPS_ERR, { 0 }, { 0 } },
	{ IBV_QPS_RTS, IBV_QPS_ERR, { 0 }, { 0 } }, { IBV_QPS_SQD, IBV_QPS_ERR, { 0 }, { 0 } },
	{ IBV_QPS_SQE, IBV_QPS_ERR, { -1, 0, 0 }, { 0 } },
		{ IBV_QPS_ERR, IBV_QPS_ERR, { 0 }, { 0 } },
	{ IBV_QPS_RESET, IBV_QPS_RESET, { 0 }, { 0 } },
		{ IBV_QPS_INIT, IBV_QPS_RESET, { 0 }, { 0 } },
	{ IBV_QPS_RTR, IBV_QPS_RESET, { 0 }, { 0 } }, { IBV_QPS_RTS, IBV_QPS_RESET, { 0 }, { 0 } },
	{ IBV_QPS_SQD, IBV_QPS_RESET, { 0 }, { 0 } }, { IBV_QPS_SQE, IBV_QPS_RESET, { -1, 0, 0 },
		{ 0 } },
	{ IBV_QPS_ERR, IBV_QPS_RESET, { 0 }, { 0 } },
};

static const struct row *
row_find(unsigned type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].from == from && rows[i].to == to && rows[i].wanted[type] >= 0)
			return &rows[i];
	return NULL;
}

static struct rig
rig_bare(enum ibv_qp_type type)
{
	struct rig r = rig_open(1);

	r.type = type;
	rig_qp_create(&r, &r.a);
	rig_qp_create(&r, &r.b);
	return r;
}

/* Moves a to 'state' from any state.  False for RC and SQE, which is impossible. */
static bool
state_enter(struct rig *r, enum ibv_qp_state state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_ah_attr path = rig_path(r, &r->b);
	struct verbs_ah *ah;
	struct ibv_wc wc[4];

	assert_int_equal(rig_to(r, &r->a, IBV_QPS_RESET), 0);
	if (state == IBV_QPS_RESET)
		return true;
	assert_int_equal(rig_to_init(r, &r->a), 0);
	if (state == IBV_QPS_ERR)
		assert_int_equal(rig_to(r, &r->a, IBV_QPS_ERR), 0);
	if (state == IBV_QPS_INIT || state == IBV_QPS_ERR)
		return true;
	assert_int_equal(rig_to_rtr(r, &r->a, &r->b), 0);
	if (state == IBV_QPS_RTR)
		return true;
	assert_int_equal(rig_to_rts(r, &r->a), 0);
	if (state == IBV_QPS_SQD)
		assert_int_equal(rig_to(r, &r->a, IBV_QPS_SQD), 0);
	if (state != IBV_QPS_SQE)
		return true;
	if (r->type == IBV_QPT_RC)
		return false;
	assert_int_equal(r->ops->create_ah(r->a.pd, &path, &ah), 0);
	wr.wr.ud.ah = ah->ibv;
	assert_int_equal(rig_post(r, &r->a, wr, (struct ibv_sge){ .addr = 1, .length = 1,
		.lkey = 1 }), 0);
	r->ops->advance(r->world, 10);
	assert_int_equal(r->ops->poll(r->a.scq, 4, wc), 1);
	assert_int_equal(r->ops->destroy_ah(ah), 0);
	assert_int_equal(rig_state(r, &r->a), IBV_QPS_SQE);
	return true;
}

static int
transition_try(struct rig *r, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr a = {
		.qp_state = to, .cur_qp_state = from, .path_mtu = IBV_MTU_1024,
		.path_mig_state = IBV_MIG_MIGRATED, .qkey = 1,
		.rq_psn = 1, .sq_psn = 1, .dest_qp_num = 99, .ah_attr = rig_path(r, &r->b),
		.alt_ah_attr = rig_path(r, &r->b),
		.alt_port_num = 1, .max_rd_atomic = 1, .max_dest_rd_atomic = 1, .port_num = 1,
		.timeout = 1,
	};

	return r->ops->modify_qp(r->a.qp, &a, mask | IBV_QP_STATE);
}

static void
matrix(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned t = 0; t < 3; t++) {
		struct rig r = rig_bare(types[t]);

		for (unsigned k = 0; k < NSTATES * NSTATES; k++) {
			enum ibv_qp_state from = k / NSTATES, to = k % NSTATES;
			const struct row *row = row_find(t, from, to);
			int wanted = row ? row->wanted[t] : 0, ret;

			if (!state_enter(&r, from))
				continue;
			ret = transition_try(&r, from, to, wanted);
			if (ret != (row ? 0 : -EINVAL))
				fail_msg("%s: %s to %s: %d", verbs_qp_type_name(types[t]),
					verbs_qp_state_name(from), verbs_qp_state_name(to), ret);
			assert_int_equal(rig_state(&r, &r.a), row ? to : from);
			tried++;
		}
		rig_close(&r);
	}
	assert_int_equal(tried, 42 + 49 + 49);
}

/* Each attribute alone, missing or additional. */
static void
attributes(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 3; t++) {
		struct rig r = rig_bare(types[t]);

		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const struct row *row = &rows[i];

			for (int bit = 1; row->wanted[t] >= 0 && bit <= 20; bit++) {
				int one = 1 << bit, ret, mask = row->wanted[t] ^ one;
				bool ok = row->allowed[t] & one && !(row->wanted[t] & one);

				if (!state_enter(&r, row->from))
					continue;
				ret = transition_try(&r, row->from, row->to, mask);
				if (ret != (ok ? 0 : -EINVAL))
					fail_msg("%s: %s to %s with mask 0x%x: %d",
						verbs_qp_type_name(types[t]),
						verbs_qp_state_name(row->from),
						verbs_qp_state_name(row->to), (unsigned)mask, ret);
				assert_int_equal(rig_state(&r, &r.a), ok ? row->to : row->from);
			}
		}
		rig_close(&r);
	}
}

static void
values(void **state)
{
	struct rig r = rig_bare(IBV_QPT_RC);
	const struct ibv_qp_attr good = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = 99,
		.ah_attr = rig_path(&r, &r.b),
		.max_dest_rd_atomic = 16, .min_rnr_timer = 31,
	};
	struct ibv_qp_attr bad[8], a = { .qp_state = IBV_QPS_INIT, .port_num = 3 };
	int mask = IBV_QP_STATE | X | IBV_QP_MAX_DEST_RD_ATOMIC | R;

	(void)state;
	assert_int_equal(r.ops->modify_qp(r.a.qp, &a, IBV_QP_STATE | P | O | A), -EINVAL);
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = 16 };
	assert_int_equal(r.ops->modify_qp(r.a.qp, &a, IBV_QP_STATE | P | O | A), -EINVAL);
	assert_int_equal(rig_to_init(&r, &r.a), 0);
	for (unsigned i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].path_mtu = (enum ibv_mtu)6;
	bad[1].path_mtu = (enum ibv_mtu)0;
	bad[2].dest_qp_num = 0x1000000;
	bad[3].max_dest_rd_atomic = 17;
	bad[4].min_rnr_timer = 32;
	bad[5].ah_attr.dlid = 0;
	bad[6].ah_attr.port_num = 3;
	bad[7].ah_attr.dlid = 0xc000;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(r.ops->modify_qp(r.a.qp, &bad[i], mask), -EINVAL);
	assert_int_equal(r.ops->modify_qp(r.a.qp, &good, mask), 0);
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .rnr_retry = 8 };
	assert_int_equal(r.ops->modify_qp(r.a.qp, &a, IBV_QP_STATE | T | S), -EINVAL);
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 32 };
	assert_int_equal(r.ops->modify_qp(r.a.qp, &a, IBV_QP_STATE | T | S), -EINVAL);
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 31, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 16,
		.sq_psn = 5 };
	assert_int_equal(r.ops->modify_qp(r.a.qp, &a, IBV_QP_STATE | T | S), 0);
	assert_int_equal(r.ops->query_qp(r.a.qp, &a, ~0, NULL), 0);
	assert_int_equal(a.qp_state, IBV_QPS_RTS);
	assert_int_equal(a.timeout, 31);
	assert_int_equal(a.min_rnr_timer, 31);
	assert_int_equal(a.sq_psn, 5);
	assert_int_equal(a.dest_qp_num, 99);
	assert_int_equal(a.cap.max_send_wr, 16);
	rig_close(&r);
}

/* Sends: from RTS on.  Receives: from INIT on. */
static void
posting(void **state)
{
	struct rig r = rig_bare(IBV_QPT_UC);

	(void)state;
	for (unsigned s = 0; s < NSTATES; s++) {
		struct ibv_sge sge = rig_sge(&r.a, 0, 8);
		struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
		struct ibv_send_wr send = { .opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED };
		bool flushed = s == IBV_QPS_SQE || s == IBV_QPS_ERR;

		assert_true(state_enter(&r, s));
		assert_int_equal(rig_post(&r, &r.a, send, sge), s >= IBV_QPS_RTS ? 0 : -EINVAL);
		assert_int_equal(r.ops->post_recv(r.a.qp, &wr, &bad),
			s >= IBV_QPS_INIT ? 0 : -EINVAL);
		if (flushed)
			rig_expect(&r, r.a.scq, 0, IBV_WC_WR_FLUSH_ERR);
		else if (s == IBV_QPS_RTS)
			rig_expect(&r, r.a.scq, 0, IBV_WC_SUCCESS);
		rig_expect_none(&r, r.a.scq, 100);
		if (s == IBV_QPS_ERR)
			rig_expect(&r, r.a.rcq, 0, IBV_WC_WR_FLUSH_ERR);
		rig_expect_none(&r, r.a.rcq, 100);
	}
	rig_close(&r);
}

static void
refused_work(void **state)
{
	static const struct { enum ibv_qp_type type; enum ibv_wr_opcode op; } none[] = {
		{ IBV_QPT_UC, IBV_WR_RDMA_READ }, { IBV_QPT_UC, IBV_WR_ATOMIC_CMP_AND_SWP },
			{ IBV_QPT_UC, IBV_WR_SEND_WITH_INV },
		{ IBV_QPT_UD, IBV_WR_RDMA_WRITE }, { IBV_QPT_UD, IBV_WR_RDMA_READ },
			{ IBV_QPT_UD, IBV_WR_LOCAL_INV },
		{ IBV_QPT_RC, IBV_WR_TSO }, { IBV_QPT_RC, (enum ibv_wr_opcode)99 },
	};
	struct ibv_sge list[5];

	(void)state;
	memset(list, 0, sizeof(list));
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct rig r = rig_bare(none[i].type);
		struct ibv_send_wr wr = { .opcode = none[i].op },
			many = { .opcode = IBV_WR_RDMA_WRITE, .sg_list = list, .num_sge = 5 };
		struct ibv_send_wr *bad;

		assert_true(state_enter(&r, IBV_QPS_RTS));
		assert_int_equal(r.ops->post_send(r.a.qp, &wr, &bad), -EINVAL);
		assert_ptr_equal(bad, &wr);
		assert_int_equal(r.ops->post_send(r.a.qp, &many, &bad), -EINVAL);
		rig_close(&r);
	}
}

/* RESET drops posted work and unpolled completions; the queue pair is as new. */
static void
reset_forgets_all(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_wc wc;

	(void)state;
	rig_connect(&r);
	for (unsigned i = 0; i < 16; i++) {
		rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, i);
		rig_recv(&r, &r.a, 0, 8, i);
	}
	r.ops->advance(r.world, 3);
	assert_int_equal(rig_to(&r, &r.a, IBV_QPS_RESET), 0);
	assert_int_equal(r.ops->poll(r.a.scq, 1, &wc), 0);
	assert_int_equal(rig_to(&r, &r.b, IBV_QPS_RESET), 0);
	assert_int_equal(rig_to_init(&r, &r.a) | rig_to_init(&r, &r.b), 0);
	assert_int_equal(rig_to_rtr(&r, &r.a, &r.b) | rig_to_rtr(&r, &r.b, &r.a), 0);
	assert_int_equal(rig_to_rts(&r, &r.a) | rig_to_rts(&r, &r.b), 0);
	for (unsigned i = 0; i < 16; i++) {
		rig_recv(&r, &r.b, 0, 8, i);
		rig_do(&r, IBV_WR_SEND, 0, 8, i);
	}
	for (unsigned i = 0; i < 16; i++)
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
	rig_close(&r);
}

static void
capabilities(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_device_attr d;
	struct verbs_qp *qp;
	struct verbs_cq *cq;
	struct verbs_qp_init i = { .type = IBV_QPT_RC };

	(void)state;
	assert_int_equal(r.ops->query_device(r.a.dev, &d), 0);
	assert_int_equal(r.ops->create_cq(r.a.dev, 0, NULL, &cq), -EINVAL);
	assert_int_equal(r.ops->create_cq(r.a.dev, d.max_cqe + 1, NULL, &cq), -EINVAL);
	assert_int_equal(r.ops->create_cq(r.a.dev, d.max_cqe, NULL, &cq), 0);
	/* no queue for completions */
	assert_int_equal(r.ops->create_qp(r.a.pd, &i, &qp), -EINVAL);
	i.send_cq = i.recv_cq = cq;
	i.cap.max_send_wr = (uint32_t)d.max_qp_wr + 1;
	assert_int_equal(r.ops->create_qp(r.a.pd, &i, &qp), -EINVAL);
	i.cap.max_send_wr = (uint32_t)d.max_qp_wr;
	i.cap.max_send_sge = (uint32_t)d.max_sge + 1;
	assert_int_equal(r.ops->create_qp(r.a.pd, &i, &qp), -EINVAL);
	i.cap.max_send_sge = (uint32_t)d.max_sge;
	assert_int_equal(r.ops->create_qp(r.a.pd, &i, &qp), 0);
	i.type = IBV_QPT_RAW_PACKET;
	assert_int_equal(r.ops->destroy_qp(qp), 0);
	assert_int_equal(r.ops->create_qp(r.a.pd, &i, &qp), -EINVAL);
	assert_int_equal(r.ops->dealloc_pd(r.a.pd), -EBUSY);                    /* the region */
	assert_int_equal(r.ops->close(r.a.dev), -EBUSY);
	assert_int_equal(r.ops->destroy_cq(cq), 0);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrix), cmocka_unit_test(attributes), cmocka_unit_test(values),
		cmocka_unit_test(posting), cmocka_unit_test(refused_work),
		cmocka_unit_test(reset_forgets_all), cmocka_unit_test(capabilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
