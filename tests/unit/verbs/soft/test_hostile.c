/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_hostile.c - peers that send invalid packets with right checksums: only registered memory
 * changes, every work request completes or is flushed, and nothing leaks.  (Run it under the
 * sanitizers.)
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

enum { WORLDS = 400, STEPS = 30, REGISTERED = 4096 };

static uint32_t
random_below(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

struct liar {
	uint64_t rnd;
	unsigned lies;
};

/* Changes some packets: another opcode, number, length, key, or any byte behind the local route;
 * or cuts the packet and reseals it. */
static enum verbs_verdict
on_packet_lie(void *arg, uint8_t *w, size_t bytes)
{
	struct liar *l = arg;
	uint32_t at;

	if (random_below(&l->rnd, 8))
		return VERBS_PASS;
	l->lies++;
	switch (random_below(&l->rnd, 5)) {
	case 0:
		w[8] = (uint8_t)((w[8] & 0xe0) | random_below(&l->rnd, 0x20));
		break;
	case 1:
		w[19] = (uint8_t)(w[19] + random_below(&l->rnd, 5) - 2);
		break;
	case 2:
		w[9] ^= (uint8_t)(random_below(&l->rnd, 4) << 4);
		break;
	case 3:
		at = 20 + random_below(&l->rnd, 20);
		if (at < bytes - 6)
			w[at] = (uint8_t)random_below(&l->rnd, 256);
		break;
	default:
		at = 8 + random_below(&l->rnd, (uint32_t)bytes - 14);
		w[at] ^= (uint8_t)(1u << random_below(&l->rnd, 8));
		break;
	}
	return VERBS_REWRITTEN;
}

static unsigned
cq_drain(struct rig *r, struct verbs_cq *cq)
{
	struct ibv_wc wc;
	unsigned n = 0;

	while (r->ops->poll(cq, 1, &wc) > 0)
		n++;
	return n;
}

/* Returns the number of changed packets. */
static unsigned
one_world(uint64_t seed, enum ibv_qp_type type)
{
	struct rig r = rig_open(seed);
	struct liar a = { .rnd = seed * 2 }, b = { .rnd = seed * 2 + 1 };
	unsigned sent = 0, done = 0, posted = 0, received = 0;
	struct ibv_send_wr *bad;

	r.type = type;
	r.depth = 64;
	r.scqe = r.rcqe = 128;
	r.srq = seed & 1;
	assert_int_equal(r.ops->dereg_mr(r.b.mr), 0);
	assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, REGISTERED, RIG_ALL, &r.b.mr), 0);
	rig_fill(r.a.buf, 1200, 1);
	rig_connect(&r);
	assert_int_equal(r.ops->hook(r.a.dev, 1, on_packet_lie, &a), 0);
	assert_int_equal(r.ops->hook(r.b.dev, 1, on_packet_lie, &b), 0);
	for (unsigned i = 0; i < STEPS; i++) {
		static const enum ibv_wr_opcode ops[] = {
			IBV_WR_SEND, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE,
			IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD,
		};
		enum ibv_wr_opcode op = ops[random_below(&a.rnd, type == IBV_QPT_RC ? 5 : 3)];
		uint32_t bytes = op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : random_below(&a.rnd, 1200);
		struct ibv_sge sge = rig_sge(&r.a, 0, bytes);
		struct ibv_send_wr wr = { .opcode = op, .send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge, .num_sge = 1 };

		if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			wr.wr.atomic.remote_addr = (uintptr_t)r.b.buf;
			wr.wr.atomic.rkey = r.b.mr->rkey;
		} else {
			wr.wr.rdma.remote_addr = (uintptr_t)r.b.buf;
			wr.wr.rdma.rkey = r.b.mr->rkey;
		}
		if (random_below(&a.rnd, 4)) {
			rig_recv(&r, &r.b, 0, random_below(&a.rnd, 3000), i);
			posted++;
		}
		sent += r.ops->post_send(r.a.qp, &wr, &bad) == 0;
		r.ops->advance(r.world, random_below(&a.rnd, 40));
	}
	r.ops->advance(r.world, 3000000);
	assert_int_equal(rig_to(&r, &r.a, IBV_QPS_ERR), 0);
	assert_int_equal(rig_to(&r, &r.b, IBV_QPS_ERR), 0);
	done = cq_drain(&r, r.a.scq);
	received = cq_drain(&r, r.b.rcq);
	assert_int_equal(done, sent);
	if (r.srq)
		assert_true(received <= posted);        /* the rest stays in the shared queue */
	else
		assert_int_equal(received, posted);
	for (unsigned i = REGISTERED; i < RIG_BYTES; i++)
		assert_int_equal(r.b.buf[i], 0);
	rig_close(&r);
	return a.lies + b.lies;
}

static void
lying_peers(void **state)
{
	unsigned told = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= WORLDS; seed++)
		told += one_world(seed, IBV_QPT_RC) + one_world(seed, IBV_QPT_UC);
	assert_true(told > WORLDS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lying_peers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
