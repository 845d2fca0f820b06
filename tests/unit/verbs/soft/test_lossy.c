/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lossy.c - lost, duplicated, overtaken and corrupted packets: data arrives right, in order
 * and once; the same seed gives the same run.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

enum { ROUNDS = 400, SLOT = 4096 };

static const struct verbs_faults rough = {
	.loss_ppm = 30000, .duplicate_ppm = 20000, .corrupt_ppm = 10000, .reorder_ppm = 30000,
	.reorder_us = 15, .jitter_us = 3,
};

static uint32_t
random_below(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

struct soak {
	struct rig r;
	uint64_t rnd, added;
	uint32_t sent, received, hash;
};

/* Runs one random operation, waits for its completion and checks its effect. */
static void
soak_step(struct soak *s, uint32_t n)
{
	struct rig *r = &s->r;
	uint32_t kind = random_below(&s->rnd, 4), bytes = random_below(&s->rnd, SLOT),
		at = 8192 + random_below(&s->rnd, 8) * SLOT;
	uint64_t sum;

	rig_fill(r->a.buf + at, bytes, n);
	switch (kind) {
	case 0:
		rig_recv(r, &r->b, 100000, SLOT, n);
		rig_do(r, IBV_WR_SEND, at, bytes, n);
		rig_expect(r, r->a.scq, n, IBV_WC_SUCCESS);
		rig_expect(r, r->b.rcq, n, IBV_WC_SUCCESS);
		assert_memory_equal(r->a.buf + at, r->b.buf + 100000, bytes);
		break;
	case 1:
		rig_do(r, IBV_WR_RDMA_WRITE, at, bytes, n);
		rig_expect(r, r->a.scq, n, IBV_WC_SUCCESS);
		assert_memory_equal(r->a.buf + at, r->b.buf + at, bytes);
		break;
	case 2:
		rig_fill(r->b.buf + at, bytes, n + 1);
		rig_do(r, IBV_WR_RDMA_READ, at, bytes, n);
		rig_expect(r, r->a.scq, n, IBV_WC_SUCCESS);
		assert_memory_equal(r->a.buf + at, r->b.buf + at, bytes);
		break;
	default:
		rig_do(r, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8, n);
		rig_expect(r, r->a.scq, n, IBV_WC_SUCCESS);
		memcpy(&sum, r->a.buf, 8);
		assert_true(sum == s->added++);         /* each was executed once */
		break;
	}
	s->hash = s->hash * 31 + (uint32_t)r->ops->now_ns(r->world);
}

static uint32_t
soak_run(uint64_t seed)
{
	struct soak s = { .r = rig_open(seed), .rnd = seed };

	s.r.retry = 7;
	s.r.timeout = 4;
	s.r.dest_rd_atomic = s.r.rd_atomic = 1;
	rig_connect(&s.r);
	assert_int_equal(s.r.ops->faults(s.r.a.dev, 1, &rough), 0);
	assert_int_equal(s.r.ops->faults(s.r.b.dev, 1, &rough), 0);
	for (uint32_t n = 0; n < ROUNDS; n++)
		soak_step(&s, n);
	rig_expect_none(&s.r, s.r.b.rcq, 100000);
	rig_close(&s.r);
	return s.hash;
}

static void
one_by_one(void **state)
{
	uint32_t first = soak_run(11);

	(void)state;
	assert_int_equal(soak_run(11), first);
	assert_int_not_equal(soak_run(12), first);
}

/* Many outstanding operations: sends arrive whole and in order, reads return the memory, atomics
 * add once. */
static void
many_at_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct rig r = rig_open(seed);
		uint32_t posted = 0, done = 0, got = 0;
		struct ibv_wc wc;
		uint64_t sum = 0;

		r.retry = 7;
		r.timeout = 5;
		r.depth = 32;
		r.rnr_retry = 7;
		rig_connect(&r);
		assert_int_equal(r.ops->faults(r.a.dev, 1, &rough), 0);
		assert_int_equal(r.ops->faults(r.b.dev, 1, &rough), 0);
		rig_fill(r.b.buf + 65536, 2048, 1);
		while (done < 900) {
			while (posted < 900 && posted - done < 30) {
				uint32_t at = 8192 + posted % 32 * 1500;

				if (posted % 3 == 0) {
					rig_fill(r.a.buf + at, 1500, posted);
					rig_recv(&r, &r.b, at, 1500, posted);
					rig_do(&r, IBV_WR_SEND, at, 1500, posted);
				} else if (posted % 3 == 1) {
					rig_do(&r, IBV_WR_RDMA_READ, 65536, 2048, posted);
				} else {
					rig_do(&r, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8, posted);
				}
				posted++;
			}
			rig_expect(&r, r.a.scq, done++, IBV_WC_SUCCESS);
			while (r.ops->poll(r.b.rcq, 1, &wc)) {
				uint32_t at = 8192 + got % 32 * 1500;
				uint8_t pattern[1500];

				assert_int_equal(wc.status, IBV_WC_SUCCESS);
				assert_int_equal(wc.wr_id, got);
				rig_fill(pattern, 1500, got);
				assert_memory_equal(r.b.buf + at, pattern, 1500);
				got += 3;
			}
		}
		assert_int_equal(got, 900);
		assert_memory_equal(r.a.buf + 65536, r.b.buf + 65536, 2048);
		memcpy(&sum, r.b.buf, 8);
		assert_true(sum == 300);
		rig_close(&r);
	}
}

/* Late receives, from a shared queue or not, over the same wire: RNR NAKs are lost and
 * duplicated as well. */
static void
late_receives(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct rig r = rig_open(seed);
		uint32_t posted = 0, given = 0, got = 0;
		uint64_t rnd = seed, end;
		struct ibv_wc wc;

		r.retry = 7;
		r.timeout = 5;
		r.rnr_retry = 7;
		r.rnr_timer = 3;
		r.srq = seed & 1;
		rig_connect(&r);
		assert_int_equal(r.ops->faults(r.a.dev, 1, &rough), 0);
		assert_int_equal(r.ops->faults(r.b.dev, 1, &rough), 0);
		end = r.ops->now_ns(r.world) + UINT64_C(10000000000);
		while (got < 300 && r.ops->now_ns(r.world) < end) {
			for (; posted < 300 && posted - got < 10; posted++) {
				rig_fill(r.a.buf + posted % 16 * 1000, 1000, posted);
				rig_do(&r, IBV_WR_SEND, posted % 16 * 1000, 1000, posted);
			}
			if (given < 300 && given - got < 10 && random_below(&rnd, 2)) {
				rig_recv(&r, &r.b, given % 16 * 1000, 1000, given);
				given++;
			}
			r.ops->advance(r.world, random_below(&rnd, 60));
			while (r.ops->poll(r.a.scq, 1, &wc) > 0)
				assert_int_equal(wc.status, IBV_WC_SUCCESS);
			while (r.ops->poll(r.b.rcq, 1, &wc) > 0) {
				uint8_t pattern[1000];

				assert_int_equal(wc.status, IBV_WC_SUCCESS);
				assert_int_equal(wc.wr_id, got);
				rig_fill(pattern, 1000, got);
				assert_memory_equal(r.b.buf + got % 16 * 1000, pattern, 1000);
				got++;
			}
		}
		assert_int_equal(got, 300);
		rig_close(&r);
	}
}

static enum verbs_verdict
drop_all_of(void *arg, uint8_t *w, size_t bytes)
{
	(void)bytes;
	return w[8] == *(uint8_t *)arg ? VERBS_DROP : VERBS_PASS;
}

/* ACKs lost: the responder has executed what the requester gives up. */
static void
lost_answers(void **state)
{
	static uint8_t ack = 0x11, request = 0x04;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rig r = rig_open(1);

		rig_connect(&r);
		assert_int_equal(r.ops->hook(i ? r.a.dev : r.b.dev, 1, drop_all_of,
			i ? &request : &ack), 0);
		rig_recv(&r, &r.b, 0, 8, 5);
		rig_do(&r, IBV_WR_SEND, 0, 8, 1);
		rig_expect(&r, r.a.scq, 1, IBV_WC_RETRY_EXC_ERR);
		if (!i)
			rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
		rig_expect_none(&r, r.b.rcq, 100);
		rig_close(&r);
	}
}

struct script {
	/* one letter per packet: . d(rop) 2 c(orrupt) h(old); later packets pass */
	const char *verdicts;
};

static enum verbs_verdict
on_packet_play(void *arg, uint8_t *w, size_t bytes)
{
	struct script *s = arg;
	char c = *s->verdicts;

	(void)w;
	(void)bytes;
	if (!c)
		return VERBS_PASS;
	s->verdicts++;
	return c == 'd' ? VERBS_DROP : c == '2' ? VERBS_DUPLICATE : c == 'c' ? VERBS_CORRUPT :
		c == 'h' ? VERBS_HOLD : VERBS_PASS;
}

/* Each single fault at each packet of a read of four responses and of a send of four packets. */
static void
single_faults(void **state)
{
	static const char kinds[] = "d2ch";

	(void)state;
	for (unsigned k = 0; k < 4; k++)
		for (unsigned at = 0; at < 5; at++)
			for (int side = 0; side < 2; side++)
				for (int read = 0; read < 2; read++) {
					struct rig r = rig_open(1);
					char verdicts[8] = "....";
					struct script s = { verdicts };

					verdicts[at] = kinds[k];
					rig_connect(&r);
					rig_fill(r.a.buf, 1000, 1);
					rig_fill(r.b.buf + 2000, 1000, 2);
					assert_int_equal(r.ops->hook(side ? r.a.dev : r.b.dev, 1,
						on_packet_play, &s), 0);
					rig_recv(&r, &r.b, 0, 1000, 5);
					if (read)
						rig_do(&r, IBV_WR_RDMA_READ, 2000, 1000, 1);
					rig_do(&r, IBV_WR_SEND, 0, 1000, 2);
					if (read)
						rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
					rig_expect(&r, r.a.scq, 2, IBV_WC_SUCCESS);
					rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
					assert_memory_equal(r.a.buf, r.b.buf, 1000);
					if (read)
						assert_memory_equal(r.a.buf + 2000, r.b.buf + 2000,
							1000);
					rig_expect_none(&r, r.b.rcq, 10000);
					rig_close(&r);
				}
}

static void
knobs_in_range(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	assert_int_equal(r.ops->faults(r.a.dev, 3, &rough), -EINVAL);
	assert_int_equal(r.ops->faults(r.a.dev, 1, &(struct verbs_faults){ .loss_ppm = 1000001 }),
		-EINVAL);
	assert_int_equal(r.ops->faults(r.a.dev, 1, NULL), 0);
	assert_int_equal(r.ops->hook(r.a.dev, 0, NULL, NULL), -EINVAL);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one), cmocka_unit_test(many_at_once),
		cmocka_unit_test(late_receives), cmocka_unit_test(lost_answers),
		cmocka_unit_test(single_faults), cmocka_unit_test(knobs_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
