/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * timing.c - area timing: how long a requester waits for a responder that is not ready, and for
 * an acknowledgement that does not come.
 * Room: verbs/conform/cases.
 *
 * A timer must never expire early.  The upper bound is checked only on a virtual clock: a real
 * machine may always be busy.
 */
#include <config.h>
#include <stdlib.h>
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

#define NOBODY 0xfffff0U
#define SLACK_US 100                    /* for the wire and the other end */

/* The specification's table, in units of 10 us. */
static const uint32_t rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static void
say_time(struct kit *k, uint64_t took_us, uint64_t least_us, uint64_t most_us)
{
	if (took_us < least_us)
		kit_say(k, "early: %llu of %llu us", (unsigned long long)took_us,
			(unsigned long long)least_us);
	else if (took_us > most_us && kit_virtual(k))
		kit_say(k, "late: %llu of %llu us", (unsigned long long)took_us,
			(unsigned long long)most_us);
	else
		kit_say(k, "in time");
}

/* Measures the wait before the one retry. */
static void
run_rnr(struct kit *k, const struct conform_case *c)
{
	uint64_t wait_us = (uint64_t)rnr_10us[c->value[0]] * 10, n = (uint64_t)c->value[1], start;
	struct ibv_wc wc;

	k->pair.rnr_timer = (uint8_t)c->value[0];
	k->pair.rnr_retry = (uint8_t)n;
	/* Longer than all waits, so that the ACK timer does not expire first. */
	k->pair.timeout = 20;
	k->pair.retry = 7;
	if (!kit_pair_connect(k))
		return;
	start = kit_now_us(k);
	kit_send(k, &k->a, 1, 0, 16);
	if (!kit_wait(k, k->a.scq, &wc, n * wait_us * 4 + KIT_WAIT_US))
		kit_say(k, "no completion");
	else
		kit_say(k, "%s", verbs_status_name(wc.status));
	say_time(k, kit_now_us(k) - start, n * wait_us, n * wait_us * 2 + SLACK_US * (n + 1));
}

/* Infinite retries: the receive is posted late, and the message arrives. */
static void
run_rnr_for_ever(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.rnr_retry = 7;
	k->pair.rnr_timer = 12;                 /* 0.64 ms */
	k->pair.timeout = 18;
	if (!kit_pair_connect(k))
		return;
	kit_send(k, &k->a, 1, 0, 16);
	if (kit_wait(k, k->a.scq, &wc, (uint64_t)c->value[0]))
		kit_say(k, "%s before there was a receive", verbs_status_name(wc.status));
	kit_recv(k, &k->b, 2, 0, 64);
	kit_say_wc(k, "sender", k->a.scq, &wc);
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
}

/* No acknowledgement: (retries + 1) waits, each between one and four times 4.096 us << code. */
static void
run_ack(struct kit *k, const struct conform_case *c)
{
	uint64_t waits = (uint64_t)c->value[1] + 1, least = (UINT64_C(4096) << c->value[0]) / 1000,
		start;
	struct ibv_wc wc;

	k->pair.dest_qpn = NOBODY;
	k->pair.timeout = (uint8_t)c->value[0];
	k->pair.retry = (uint8_t)c->value[1];
	if (!kit_pair_connect(k))
		return;
	start = kit_now_us(k);
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 16, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
	if (!kit_wait(k, k->a.scq, &wc, waits * least * 4 + KIT_WAIT_US))
		kit_say(k, "no completion");
	else
		kit_say(k, "%s", verbs_status_name(wc.status));
	say_time(k, kit_now_us(k) - start, waits * least, waits * least * 4 + SLACK_US);
}

/* Code 0: no timeout; the request stays until the queue pair leaves RTS. */
static void
run_ack_never(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	k->pair.dest_qpn = NOBODY;
	k->pair.timeout = 0;
	if (!kit_pair_connect(k))
		return;
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 16, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
	kit_say_quiet(k, "sender", k->a.scq);
	kit_must(k, "ERR", kit_to_state(k, &k->a, IBV_QPS_ERR));
	kit_say_wc(k, "in ERR", k->a.scq, &wc);
}

/* Retries are counted per message: many messages that each need one succeed with a limit of one. */
static void
run_rnr_refill(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	k->pair.rnr_retry = 1;
	k->pair.rnr_timer = 16;                 /* 2.56 ms */
	k->pair.timeout = 18;
	k->pair.retry = 7;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 5 && !k->broken; i++) {
		kit_send(k, &k->a, i, 0, 16);
		kit_pass(k, 1000);
		kit_recv(k, &k->b, i, 0, 64);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
	}
	if (!k->broken)
		kit_say(k, "five passed");
}

static const struct conform_case rows[] = {
	{ "timing/rnr-three-retries", VERBS_CAP(RC), "RNR_RETRY_EXC_ERR; in time", run_rnr,
		.value = { 14, 3 } },
	{ "timing/rnr-six-retries", VERBS_CAP(RC), "RNR_RETRY_EXC_ERR; in time", run_rnr,
		.value = { 12, 6 } },
	{ "timing/rnr-no-retry", VERBS_CAP(RC), "RNR_RETRY_EXC_ERR; in time", run_rnr,
		.value = { 14, 0 } },
	{ "timing/rnr-for-ever", VERBS_CAP(RC), "sender SUCCESS; receiver SUCCESS",
		run_rnr_for_ever, .value = { 50000 } },
	{ "timing/rnr-count-starts-anew", VERBS_CAP(RC) | VERBS_CAP(VIRTUAL_TIME), "five passed",
		run_rnr_refill, .value = { 0 } },
	{ "timing/ack-code-8", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 8, 1 } },
	{ "timing/ack-code-10", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 10, 1 } },
	{ "timing/ack-code-12", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 12, 1 } },
	{ "timing/ack-code-14", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 14, 1 } },
	{ "timing/ack-code-16", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 16, 0 } },
	{ "timing/ack-code-20", VERBS_CAP(RC) | VERBS_CAP(VIRTUAL_TIME), "RETRY_EXC_ERR; in time",
		run_ack, .value = { 20, 2 } },
	{ "timing/ack-code-31", VERBS_CAP(RC) | VERBS_CAP(VIRTUAL_TIME), "RETRY_EXC_ERR; in time",
		run_ack, .value = { 31, 0 } },
	{ "timing/ack-no-retry", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 12, 0 } },
	{ "timing/ack-three-retries", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 10, 3 } },
	{ "timing/ack-seven-retries", VERBS_CAP(RC), "RETRY_EXC_ERR; in time", run_ack,
		.value = { 10, 7 } },
	{ "timing/ack-never", VERBS_CAP(RC), "sender none; in ERR WR_FLUSH_ERR", run_ack_never,
		.value = { 0 } },
};

void
cases_timing(struct case_list *l)
{
	for (long code = 0; code < 32; code++) {
		struct conform_case c = { .needs = VERBS_CAP(RC),
		.expected = "RNR_RETRY_EXC_ERR; in time", .run = run_rnr,
			.value = { code, 1 } };

		c.name = case_list_keep(l, xasprintf("timing/rnr-code-%ld", code));
		case_list_add(l, &c);
	}
	CASE_ADD_ALL(l, rows);
}
