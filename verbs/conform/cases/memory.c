/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * memory.c - areas pd and mr: protection domains, regions, and what keeps them in use.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

/* ---- pd ---- */

static void
run_pd_many(struct kit *k, const struct conform_case *c)
{
	struct verbs_pd *v[16];

	(void)c;
	for (size_t i = 0; i < 16; i++)
		v[i] = kit_pd(k, &k->a);
	for (size_t i = 0; i < 16 && !k->broken; i++)
		kit_must(k, "dealloc_pd", kit_destroy(k, v[i]));
	kit_say(k, "all came and went");
}

enum { BY_MR, BY_QP, BY_AH, BY_SRQ, BY_MW };

/* A domain in use cannot be deallocated; an unused one can. */
static void
run_pd_used(struct kit *k, const struct conform_case *c)
{
	struct verbs_pd *pd = kit_pd(k, &k->a);
	struct kit_end inside = k->a;
	void *user = NULL;

	if (!pd)
		return;
	inside.pd = pd;
	if (c->value[0] == BY_MR) {
		user = kit_mr(k, pd, k->a.buf, 4096, KIT_ACCESS);
	} else if (c->value[0] == BY_QP) {
		struct verbs_qp_init init = { .type = IBV_QPT_RC, .cap = k->pair.cap };

		init.send_cq = init.recv_cq = kit_cq(k, &k->a, 16, NULL);
		user = kit_qp(k, &inside, &init);
	} else if (c->value[0] == BY_AH) {
		user = kit_ah(k, &inside, &k->b);
	} else if (c->value[0] == BY_SRQ) {
		user = kit_srq(k, pd, 16, 1);
	} else {
		user = kit_mw(k, pd, IBV_MW_TYPE_1);
	}
	if (!user)
		return;
	kit_say_result(k, "used", kit_destroy(k, pd));
	kit_say_result(k, "its user", kit_destroy(k, user));
	kit_say_result(k, "then", kit_destroy(k, pd));
}

/* ---- mr ---- */

static void
run_mr_access(struct kit *k, const struct conform_case *c)
{
	struct verbs_mr *mr = NULL;
	int ret = k->ops->reg_mr(k->a.pd, k->a.buf, 4096, (int)c->value[0], &mr);

	if (!ret)
		kit_take(k, KIT_MR, mr);
	kit_say_result(k, "reg_mr", ret);
}

/* Two regions over the same memory are different regions. */
static void
run_mr_keys(struct kit *k, const struct conform_case *c)
{
	struct verbs_mr *v[8];

	(void)c;
	for (size_t i = 0; i < 8; i++) {
		v[i] = kit_mr(k, k->a.pd, k->a.buf, KIT_BUFFER_BYTES, KIT_ACCESS);
		for (size_t j = 0; j < i && !k->broken; j++) {
			if (v[i]->lkey == v[j]->lkey || v[i]->rkey == v[j]->rkey)
				kit_say(k, "regions %zu and %zu have one key", j, i);
		}
	}
	if (!k->broken)
		kit_say(k, "different keys");
}

/* Unaligned or one byte long: a region covers exactly the bytes that were registered. */
static void
run_mr_exact(struct kit *k, const struct conform_case *c)
{
	struct verbs_mr *mr;
	struct ibv_wc wc;
	size_t offset = (size_t)c->value[0], bytes = (size_t)c->value[1];

	if (!kit_pair_connect(k))
		return;
	mr = kit_mr(k, k->b.pd, k->b.buf + offset, bytes, KIT_ACCESS);
	if (!mr)
		return;
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, (uint32_t)bytes,
		(uintptr_t)mr->addr, mr->rkey));
	kit_say_wc(k, "all of it", k->a.scq, &wc);
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 2, (uint32_t)bytes,
		(uintptr_t)mr->addr + 1, mr->rkey));
	kit_say_wc(k, "one byte on", k->a.scq, &wc);
}

/* The key of a deregistered region does not reach later regions. */
static void
run_mr_reused(struct kit *k, const struct conform_case *c)
{
	struct verbs_mr *mr;
	struct ibv_wc wc;
	uint32_t old;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	mr = kit_mr(k, k->b.pd, k->b.buf, 4096, KIT_ACCESS);
	if (!mr)
		return;
	old = mr->rkey;
	kit_must(k, "dereg_mr", kit_destroy(k, mr));
	for (unsigned i = 0; i < 4; i++) {
		mr = kit_mr(k, k->b.pd, k->b.buf, 4096, KIT_ACCESS);
		if (mr && mr->rkey == old)
			kit_say(k, "region %u has the old key", i);
	}
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)k->b.buf,
		old));
	kit_say_wc(k, "write", k->a.scq, &wc);
}

/* A region refers to memory and copies nothing: a later write is what gets sent. */
static void
run_mr_live(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	for (uint64_t seed = 7; seed < 10 && !k->broken; seed++) {
		kit_pattern(k->a.buf, 500, seed);
		kit_recv(k, &k->b, seed, 0, 500);
		kit_send(k, &k->a, seed, 0, 500);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
		kit_check(k, "data", k->b.buf, 500, seed);
	}
	if (!k->broken)
		kit_say(k, "three times");
}

enum { REREG_ACCESS, REREG_PD, REREG_RANGE };

static void
run_rereg(struct kit *k, const struct conform_case *c)
{
	static const int flags[] = { IBV_REREG_MR_CHANGE_ACCESS, IBV_REREG_MR_CHANGE_PD,
		IBV_REREG_MR_CHANGE_TRANSLATION };
	struct verbs_mr *mr;
	struct verbs_pd *pd;
	struct ibv_wc wc;

	if (!kit_pair_connect(k))
		return;
	mr = kit_mr(k, k->b.pd, k->b.buf, 8192, c->value[0] == REREG_ACCESS ?
		IBV_ACCESS_LOCAL_WRITE : KIT_ACCESS);
	pd = kit_pd(k, &k->b);
	if (!pd || !mr ||
		    !kit_must(k, "rereg_mr", k->ops->rereg_mr(mr, flags[c->value[0]], pd,
		    k->b.buf + 4096, 4096, KIT_ACCESS)))
		return;
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 64,
		(uintptr_t)k->b.buf + 4096, mr->rkey));
	kit_say_wc(k, "write", k->a.scq, &wc);
	if (c->value[0] == REREG_RANGE) {
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 2, 64,
			(uintptr_t)k->b.buf, mr->rkey));
		kit_say_wc(k, "where it was", k->a.scq, &wc);
	}
	kit_must(k, "dereg_mr", kit_destroy(k, mr));
}

static void
run_zero_based(struct kit *k, const struct conform_case *c)
{
	struct verbs_mr *mr;
	struct ibv_wc wc;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	mr = kit_mr(k, k->b.pd, k->b.buf + 4096, 4096, KIT_ACCESS | IBV_ACCESS_ZERO_BASED);
	if (!mr)
		return;
	kit_pattern(k->a.buf, 64, 5);
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 64, 32, mr->rkey));
	kit_say_wc(k, "write at 32", k->a.scq, &wc);
	kit_check(k, "data", k->b.buf + 4096 + 32, 64, 5);
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 64, 4096, mr->rkey));
	kit_say_wc(k, "past the end", k->a.scq, &wc);
}

/* Twenty connections made, used and destroyed: no resource leaks. */
static void
run_churn(struct kit *k, const struct conform_case *c)
{
	struct verbs_live before, after;
	struct ibv_wc wc;

	(void)c;
	k->ops->live(k->b.dev, &before);
	for (unsigned i = 0; i < 20 && !k->broken; i++) {
		if (!kit_pair_connect(k))
			return;
		kit_recv(k, &k->b, i, 0, 64);
		kit_send(k, &k->a, i, 0, 64);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
		for (size_t e = 0; e < 2; e++) {
			struct kit_end *end = e ? &k->b : &k->a;

			kit_must(k, "destroy_qp", kit_destroy(k, end->qp));
			kit_must(k, "destroy_cq", kit_destroy(k, end->scq));
			kit_must(k, "destroy_cq", kit_destroy(k, end->rcq));
			end->qp = NULL;
		}
	}
	k->ops->live(k->b.dev, &after);
	if (!k->broken)
		kit_say(k, "%s", memcmp(&before, &after, sizeof(before)) ? "something is left" :
			"nothing is left");
}

/* Many connections at once, each with a message in flight. */
static void
run_storm(struct kit *k, const struct conform_case *c)
{
	enum { MOST = 64 };
	struct kit_end a[MOST], b[MOST];
	struct ibv_wc wc;
	unsigned n = (unsigned)c->value[0];

	for (unsigned i = 0; i < n; i++) {
		if (!kit_pair_connect(k))
			return;
		a[i] = k->a;
		b[i] = k->b;
		kit_pattern(k->a.buf + i * 512, 300, i + 1);
	}
	for (unsigned i = 0; i < n; i++) {
		k->a.qp = a[i].qp;
		k->b.qp = b[i].qp;
		kit_recv(k, &k->b, i, i * 512, 512);
		kit_send(k, &k->a, i, i * 512, 300);
	}
	for (unsigned i = 0; i < n && !k->broken; i++) {
		kit_must_succeed(k, a[i].scq, &wc);
		kit_must_succeed(k, b[i].rcq, &wc);
		if (!k->broken && wc.qp_num != b[i].qp->qp_num)
			kit_say(k, "message %u came to another", i);
		kit_check(k, "data", k->b.buf + i * 512, 300, i + 1);
	}
	if (!k->broken)
		kit_say(k, "each has its own");
}

enum { GONE_UNDERWAY, GONE_UNPOLLED, GONE_PEER };

/* Destroys a queue pair with pending work: everything else continues. */
static void
run_gone(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.retry = 2;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 4; i++) {
		kit_recv(k, &k->b, i, 0, 64);
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, i, 20000,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	}
	if (c->value[0] == GONE_UNPOLLED)
		kit_pass(k, KIT_QUIET_US);
	kit_must(k, "destroy_qp", kit_destroy(k, c->value[0] == GONE_PEER ? k->b.qp : k->a.qp));
	if (c->value[0] == GONE_PEER) {         /* earlier ones may have completed */
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 7, 64,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
		do
			wc.status = IBV_WC_GENERAL_ERR;
		while (kit_wait(k, k->a.scq, &wc, KIT_WAIT_US) && wc.status == IBV_WC_SUCCESS);
		kit_say(k, "sender %s", verbs_status_name(wc.status));
	}
	if (!kit_pair_connect(k))
		return;
	kit_recv(k, &k->b, 9, 0, 64);
	kit_send(k, &k->a, 8, 0, 64);
	kit_say_wc(k, "the next one", k->a.scq, &wc);
}

#define USED "used EBUSY; its user ok; then ok"
#define LW IBV_ACCESS_LOCAL_WRITE

static const struct conform_case rows[] = {
	{ "pd/many", 0, "all came and went", run_pd_many, .value = { 0 } },
	{ "pd/used-by-a-region", 0, USED, run_pd_used, .value = { BY_MR } },
	{ "pd/used-by-a-queue-pair", VERBS_CAP(RC), USED, run_pd_used, .value = { BY_QP } },
	{ "pd/used-by-an-address", VERBS_CAP(UD), USED, run_pd_used, .value = { BY_AH } },
	{ "pd/used-by-a-shared-queue", VERBS_CAP(SRQ), USED, run_pd_used, .value = { BY_SRQ } },
	{ "pd/used-by-a-window", VERBS_CAP(MW1), USED, run_pd_used, .value = { BY_MW } },
	{ "mr/no-right", 0, "reg_mr ok", run_mr_access, .value = { 0 } },
	{ "mr/local-write", 0, "reg_mr ok", run_mr_access, .value = { LW } },
	{ "mr/remote-read", 0, "reg_mr ok", run_mr_access, .value = { IBV_ACCESS_REMOTE_READ } },
	{ "mr/remote-write", 0, "reg_mr ok", run_mr_access,
		.value = { LW | IBV_ACCESS_REMOTE_WRITE } },
	{ "mr/remote-atomic", VERBS_CAP(ATOMIC), "reg_mr ok", run_mr_access,
		.value = { LW | IBV_ACCESS_REMOTE_ATOMIC } },
	{ "mr/remote-write-without-local-write", 0, "reg_mr EINVAL", run_mr_access,
		.value = { IBV_ACCESS_REMOTE_WRITE } },
	{ "mr/remote-atomic-without-local-write", 0, "reg_mr EINVAL", run_mr_access,
		.value = { IBV_ACCESS_REMOTE_ATOMIC } },
	{ "mr/keys", 0, "different keys", run_mr_keys, .value = { 0 } },
	{ "mr/new-one-has-a-new-key", VERBS_CAP(RC), "write REM_ACCESS_ERR", run_mr_reused,
		.value = { 0 } },
	{ "mr/one-byte", VERBS_CAP(RC), "all of it SUCCESS; one byte on REM_ACCESS_ERR",
		run_mr_exact, .value = { 1235, 1 } },
	{ "mr/unaligned", VERBS_CAP(RC), "all of it SUCCESS; one byte on REM_ACCESS_ERR",
		run_mr_exact, .value = { 4097, 4099 } },
	{ "mr/page", VERBS_CAP(RC), "all of it SUCCESS; one byte on REM_ACCESS_ERR", run_mr_exact,
		.value = { 4096, 4096 } },
	{ "mr/no-copy", VERBS_CAP(RC), "three times", run_mr_live, .value = { 0 } },
	{ "mr/reregister-access", VERBS_CAP(RC) | VERBS_CAP(REREG), "write SUCCESS", run_rereg,
		.value = { REREG_ACCESS } },
	{ "mr/reregister-pd", VERBS_CAP(RC) | VERBS_CAP(REREG), "write REM_ACCESS_ERR", run_rereg,
		.value = { REREG_PD } },
	{ "mr/reregister-range", VERBS_CAP(RC) | VERBS_CAP(REREG),
		"write SUCCESS; where it was REM_ACCESS_ERR", run_rereg, .value = { REREG_RANGE } },
	{ "mr/zero-based", VERBS_CAP(RC) | VERBS_CAP(ZERO_BASED),
		"write at 32 SUCCESS; past the end REM_ACCESS_ERR", run_zero_based,
		.value = { 0 } },
	{ "leak/64-connections-at-once", VERBS_CAP(RC), "each has its own", run_storm,
		.value = { 64 } },
	{ "leak/gone-with-work-under-way", VERBS_CAP(RC), "the next one SUCCESS", run_gone,
		.value = { GONE_UNDERWAY } },
	{ "leak/gone-with-completions-not-polled", VERBS_CAP(RC), "the next one SUCCESS", run_gone,
		.value = { GONE_UNPOLLED } },
	{ "leak/peer-gone-with-work-under-way", VERBS_CAP(RC),
		"sender RETRY_EXC_ERR; the next one SUCCESS", run_gone, .value = { GONE_PEER } },
	{ "leak/twenty-connections", VERBS_CAP(RC), "nothing is left", run_churn, .value = { 0 } },
};

void
cases_memory(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
