/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fault.c - areas loss (one faulty packet) and soak (many, at random): messages arrive whole,
 * once and in order.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define RC VERBS_CAP(RC)
#define HOOK (VERBS_CAP(RC) | VERBS_CAP(HOOK) | VERBS_CAP(TWO_DEVICES))
#define AT (HOOK | VERBS_CAP(ATOMIC))
#define SOAK_MESSAGES 300
#define SLOT_BYTES 4096

#define T(op, n, broken_, ...) transfer_run, \
	.transfer = { .type = IBV_QPT_RC, .opcode = IBV_WR_##op, .bytes = n, .broken = broken_, \
	__VA_ARGS__ }
#define ONE "sender SUCCESS"
#define BOTH "sender SUCCESS; receiver SUCCESS"
#define EACH(what, broken_) \
	{ "loss/send-" what, HOOK, BOTH, T(SEND, 64, broken_) }, \
	{ "loss/long-send-" what, HOOK, BOTH, T(SEND, 9000, broken_) }, \
	{ "loss/write-" what, HOOK, ONE, T(RDMA_WRITE, 9000, broken_) }, \
	{ "loss/write-imm-" what, HOOK, BOTH, T(RDMA_WRITE_WITH_IMM, 64, broken_) }, \
	{ "loss/read-" what, HOOK, ONE, T(RDMA_READ, 9000, broken_) }, \
	{ "loss/fetch-add-" what, AT, ONE, T(ATOMIC_FETCH_AND_ADD, 8, broken_) }, \
	{ "loss/compare-swap-" what, AT, ONE, T(ATOMIC_CMP_AND_SWP, 8, broken_) }

static const struct conform_case singles[] = {
	EACH("request-lost", FIRST_LOST),
	EACH("answer-lost", ANSWER_LOST),
	EACH("request-twice", FIRST_TWICE),
	EACH("request-corrupt", FIRST_CORRUPT),
	EACH("request-held-back", FIRST_HELD),
	{ "loss/long-send-middle-lost", HOOK, BOTH, T(SEND, 9000, MIDDLE_LOST) },
	{ "loss/write-middle-lost", HOOK, ONE, T(RDMA_WRITE, 9000, MIDDLE_LOST) },
	{ "loss/16-sends-second-lost", HOOK, "sender SUCCESS x16; receiver SUCCESS x16",
		T(SEND, 700, MIDDLE_LOST, .messages = 16) },
	{ "loss/16-writes-second-lost", HOOK, "sender SUCCESS x16",
		T(RDMA_WRITE, 700, MIDDLE_LOST, .messages = 16) },
	{ "loss/16-reads-second-lost", HOOK, "sender SUCCESS x16",
		T(RDMA_READ, 700, MIDDLE_LOST, .messages = 16) },
	{ "loss/16-additions-second-lost", AT, "sender SUCCESS x16",
		T(ATOMIC_FETCH_AND_ADD, 8, MIDDLE_LOST, .messages = 16) },
	{ "loss/16-reads-answer-lost", HOOK, "sender SUCCESS x16",
		T(RDMA_READ, 2500, ANSWER_LOST, .messages = 16) },
	{ "loss/16-additions-answer-lost", AT, "sender SUCCESS x16",
		T(ATOMIC_FETCH_AND_ADD, 8, ANSWER_LOST, .messages = 16) },
};

/* ---- soak ---- */

enum { LOSS = 1, DUPLICATE = 2, CORRUPT = 4, REORDER = 8 };
/* In value[]: the type, the opcode, the faults, the seed. */
enum { TYPE, OPCODE, FAULTS, SEED };

static void
set_faults(struct kit *k, long what, bool heavy)
{
	const uint32_t ppm = heavy ? 50000 : 20000;
	struct verbs_faults f = { .loss_ppm = what & LOSS ? ppm : 0,
		.duplicate_ppm = what & DUPLICATE ? ppm : 0,
		.corrupt_ppm = what & CORRUPT ? ppm : 0, .reorder_ppm = what & REORDER ? ppm : 0,
		.reorder_us = 30, .delay_us = 2, .jitter_us = 3 };

	kit_must(k, "faults", k->ops->faults(k->a.dev, k->a.dev->port, &f));
	kit_must(k, "faults", k->ops->faults(k->b.dev, k->b.dev->port, &f));
}

static uint32_t
soak_bytes(const struct conform_case *c, unsigned i)
{
	if (c->value[OPCODE] == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return 8;
	return 1 + (i * 977 + (uint32_t)c->value[SEED] * 131) % (c->value[TYPE] == IBV_QPT_UC ?
		3000 : SLOT_BYTES);
}

/* The buffer offset of message i at either end; four are in flight. */
static size_t
slot_offset(unsigned i)
{
	return (size_t)(i % 4) * SLOT_BYTES;
}

static void
soak_post(struct kit *k, const struct conform_case *c, unsigned i)
{
	enum ibv_wr_opcode op = (enum ibv_wr_opcode)c->value[OPCODE];
	size_t remote = op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 32768 : slot_offset(i);
	struct ibv_sge sge = kit_sge(&k->a, slot_offset(i), soak_bytes(c, i));
	struct ibv_send_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED };

	if (op == IBV_WR_RDMA_READ)
		kit_pattern(k->b.buf + slot_offset(i), sge.length, i + 1);
	else
		kit_pattern(k->a.buf + slot_offset(i), sge.length, i + 1);
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)k->b.buf + remote;
		wr.wr.atomic.rkey = k->b.mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf + remote;
		wr.wr.rdma.rkey = k->b.mr->rkey;
	}
	if (op == IBV_WR_SEND)
		kit_recv(k, &k->b, i, slot_offset(i), SLOT_BYTES);
	kit_must(k, "post_send", kit_post(k, &k->a, &wr));
}

static void
soak_check(struct kit *k, const struct conform_case *c, unsigned i)
{
	uint64_t old;

	if (k->broken)
		return;
	if (c->value[OPCODE] != IBV_WR_ATOMIC_FETCH_AND_ADD) {
		kit_check(k, "data", (c->value[OPCODE] == IBV_WR_RDMA_READ ? k->a.buf : k->b.buf) +
			slot_offset(i), soak_bytes(c, i), i + 1);
		return;
	}
	memcpy(&old, k->a.buf + slot_offset(i), 8);
	if (old != i)
		kit_say(k, "addition %u found %llu", i, (unsigned long long)old);
}

/* Each message arrives once, whole and in order, whatever happens to packets. */
static void
run_soak(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;
	unsigned posted = 0, done = 0;

	k->pair.timeout = 8;                    /* 1 ms */
	k->pair.retry = 7;
	k->pair.rnr_retry = 7;
	if (!kit_pair_connect(k))
		return;
	set_faults(k, c->value[FAULTS], false);
	memset(k->b.buf + 32768, 0, 8);
	while (done < SOAK_MESSAGES && !k->broken && strlen(k->said) < 100) {
		while (posted < SOAK_MESSAGES && posted - done < 4)
			soak_post(k, c, posted++);
		kit_must_succeed(k, k->a.scq, &wc);
		if (!k->broken && wc.wr_id != done)
			kit_say(k, "completion %u is of %llu", done, (unsigned long long)wc.wr_id);
		if (c->value[OPCODE] == IBV_WR_SEND) {
			kit_must_succeed(k, k->b.rcq, &wc);
			if (!k->broken && (wc.wr_id != done || wc.byte_len != soak_bytes(c, done)))
				kit_say(k, "receive %u is %llu of %u bytes", done,
					(unsigned long long)wc.wr_id, wc.byte_len);
		}
		soak_check(k, c, done);
		done++;
	}
	if (!k->broken)
		kit_say(k, "%u whole and in order", done);
}

/* An unreliable connection may lose messages; those it delivers are whole and in order. */
static void
run_soak_unreliable(struct kit *k, const struct conform_case *c)
{
	struct verbs_ah *ah = NULL;
	struct ibv_wc wc;
	unsigned got = 0;
	uint32_t last = 0;
	size_t head = c->value[TYPE] == IBV_QPT_UD ? 40 : 0;

	k->pair.type = (enum ibv_qp_type)c->value[TYPE];
	if (!kit_pair_connect(k))
		return;
	if (k->pair.type == IBV_QPT_UD)
		ah = kit_ah(k, &k->a, &k->b);
	set_faults(k, c->value[FAULTS], true);
	kit_recv(k, &k->b, 0, 0, SLOT_BYTES);
	for (uint32_t i = 1; i <= SOAK_MESSAGES && !k->broken && strlen(k->said) < 100; i++) {
		uint32_t bytes = head ? 1 + i * 37 % 1000 : soak_bytes(c, i);
		struct ibv_sge sge = kit_sge(&k->a, 0, bytes);
		struct ibv_send_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1,
			.opcode = IBV_WR_SEND_WITH_IMM,
			.send_flags = IBV_SEND_SIGNALED };

		memcpy(&wr.imm_data, &i, 4);
		if (ah) {
			wr.wr.ud.ah = ah->ibv;
			wr.wr.ud.remote_qpn = k->b.qp->qp_num;
			wr.wr.ud.remote_qkey = KIT_QKEY;
		}
		kit_pattern(k->a.buf, bytes, i);
		kit_must(k, "post_send", kit_post(k, &k->a, &wr));
		kit_must_succeed(k, k->a.scq, &wc);
		/* A duplicated packet is two messages. */
		while (kit_wait(k, k->b.rcq, &wc, 200)) {
			uint32_t number;

			memcpy(&number, &wc.imm_data, 4);
			if (wc.status != IBV_WC_SUCCESS || number < last || number > i)
				kit_say(k, "%s, message %u behind %u", verbs_status_name(wc.status),
					number, last);
			else if (number == i)
				kit_check(k, "data", k->b.buf + head, bytes, i);
			last = number;
			got++;
			kit_recv(k, &k->b, i, 0, SLOT_BYTES);
		}
	}
	if (!k->broken)
		kit_say(k, "%s", got > SOAK_MESSAGES / 2 && got < SOAK_MESSAGES * 11 / 10 ?
			"whole and in order" : "too few or too many");
}

#define SOAK(what, op, how, faults, seed) \
	{ "soak/" what "-" how, RC | VERBS_CAP(FAULTS), "300 whole and in order", run_soak, \
	.value = { IBV_QPT_RC, IBV_WR_##op, faults, seed } }
#define SOAKS(how, faults, seed) \
	SOAK("send", SEND, how, faults, seed), SOAK("write", RDMA_WRITE, how, faults, seed), \
	SOAK("read", RDMA_READ, how, faults, seed), \
	{ "soak/fetch-add-" how, RC | VERBS_CAP(FAULTS) | VERBS_CAP(ATOMIC), \
	"300 whole and in order", run_soak, \
		.value = { IBV_QPT_RC, IBV_WR_ATOMIC_FETCH_AND_ADD, faults, seed } }

static const struct conform_case soaks[] = {
	SOAKS("loss", LOSS, 1),
	SOAKS("duplicates", DUPLICATE, 2),
	SOAKS("corruption", CORRUPT, 3),
	SOAKS("reordering", REORDER, 4),
	SOAKS("all-of-it", LOSS | DUPLICATE | CORRUPT | REORDER, 5),
	{ "soak/uc-loss", VERBS_CAP(UC) | VERBS_CAP(FAULTS), "whole and in order",
		run_soak_unreliable,
		.value = { IBV_QPT_UC, IBV_WR_SEND, LOSS | CORRUPT, 6 } },
	{ "soak/uc-duplicates", VERBS_CAP(UC) | VERBS_CAP(FAULTS), "whole and in order",
		run_soak_unreliable,
		.value = { IBV_QPT_UC, IBV_WR_SEND, LOSS | DUPLICATE, 7 } },
	{ "soak/ud-loss", VERBS_CAP(UD) | VERBS_CAP(FAULTS), "whole and in order",
		run_soak_unreliable,
		.value = { IBV_QPT_UD, IBV_WR_SEND, LOSS | CORRUPT, 8 } },
};

void
cases_fault(struct case_list *l)
{
	CASE_ADD_ALL(l, singles);
	CASE_ADD_ALL(l, soaks);
}
