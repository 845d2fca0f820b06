/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * window.c - area mw: memory windows of both types: who may bind them, which access they allow,
 * how they end.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

#define AT 8192                         /* the window's offset in B's buffer */
#define BYTES 4096U
#define BIND_ID 0xb1d
#define WIDE (KIT_ACCESS | IBV_ACCESS_MW_BIND)

/* Indices of value[]: the type, what the case does, the region's access, the window's access. */
enum { TYPE, WHAT, REGION, WINDOW };

enum what {
	WRITE, READ, ATOMIC, WRITE_PAST, WRITE_ACROSS, WRITE_BEFORE, BIND_PAST_REGION, BIND_ONLY,
	BIND_OTHER_PD, BIND_MW_OTHER_PD, REBIND, REBIND_OLD, UNBIND, LOCAL_INV, SEND_INV,
	BIND_AGAIN, OTHER_QP, DEALLOC, DEREG, WRONG_WAY, LOCAL_INV_TWICE, UC_WRITE,
	LOCAL_INV_UNKNOWN, SEND_INV_UNKNOWN, INV_TYPE_1, UNBOUND, FOREIGN_KEY, FROM_ZERO,
	OTHER_PD_QP, INV_TAG, INV_OTHER_QP, REREG, QP_GONE,
};

struct window {
	struct kit *k;
	enum ibv_mw_type type;
	struct verbs_mr *mr;
	struct verbs_mw *mw;
	uint32_t rkey;                  /* the key that reaches it */
};

/* The errno of the post; the result is a completion in B's send CQ. */
static int
post_bind(struct window *w, uint64_t addr, uint64_t bytes, unsigned access, uint32_t rkey)
{
	struct ibv_mw_bind_info info = { .mr = w->mr->ibv, .addr = addr, .length = bytes,
		.mw_access_flags = access };
	struct kit *k = w->k;
	int ret;

	if (k->broken)
		return -EINVAL;
	if (w->type == IBV_MW_TYPE_1) {
		struct ibv_mw_bind bind = { .wr_id = BIND_ID, .send_flags = IBV_SEND_SIGNALED,
			.bind_info = info };

		ret = k->ops->bind_mw(k->b.qp, w->mw, &bind);
		w->rkey = w->mw->rkey;
	} else {
		struct ibv_send_wr wr = { .wr_id = BIND_ID, .opcode = IBV_WR_BIND_MW,
			.send_flags = IBV_SEND_SIGNALED };

		wr.bind_mw.mw = w->mw->ibv;
		wr.bind_mw.rkey = rkey;
		wr.bind_mw.bind_info = info;
		ret = kit_post(k, &k->b, &wr);
		w->rkey = rkey;
	}
	return ret;
}

/* A type 2 key: the owner chooses the low eight bits. */
static uint32_t
next_key(uint32_t key)
{
	return (key & ~0xffU) | ((key + 1) & 0xff);
}

/* After the bind: drivers find the window by the key that is stored here. */
static void
window_settle(struct window *w)
{
	if (w->type == IBV_MW_TYPE_2)
		w->mw->ibv->rkey = w->rkey;
}

static void
say_bind(struct window *w, const char *who, int ret)
{
	struct ibv_wc wc;

	if (w->k->broken)
		return;
	if (ret) {
		kit_say_result(w->k, who, ret);
		return;
	}
	kit_say_wc(w->k, who, w->k->b.scq, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		window_settle(w);
	if (wc.wr_id != BIND_ID || (wc.status == IBV_WC_SUCCESS && wc.opcode != IBV_WC_BIND_MW))
		kit_say(w->k, "bind's wr_id %llx, opcode %s", (unsigned long long)wc.wr_id,
			verbs_wc_opcode_name(wc.opcode));
}

/* A bind that must succeed for the case to go on. */
static void
must_bind(struct window *w, uint64_t addr, unsigned access, uint32_t rkey)
{
	struct ibv_wc wc;

	kit_must(w->k, "bind", post_bind(w, addr, BYTES, access, rkey));
	kit_must_succeed(w->k, w->k->b.scq, &wc);
	if (!w->k->broken)
		window_settle(w);
}

static uint64_t
window_address(const struct window *w)
{
	return (uintptr_t)w->k->b.buf + AT;
}

static void
say_access(struct window *w, const char *who, enum ibv_wr_opcode op, uint64_t remote,
	uint32_t bytes, uint32_t rkey)
{
	struct ibv_wc wc;

	kit_must(w->k, "post_send", kit_rdma(w->k, &w->k->a, op, 1, bytes, remote, rkey));
	kit_say_wc(w->k, who, w->k->a.scq, &wc);
}

static void
local_invalidate(struct window *w, const char *who, uint32_t rkey)
{
	struct ibv_send_wr wr = { .wr_id = 5, .opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = rkey };
	struct ibv_wc wc;
	int ret = kit_post(w->k, &w->k->b, &wr);

	if (w->k->broken)
		return;
	if (ret) {
		kit_say_result(w->k, who, ret);
		return;
	}
	kit_say_wc(w->k, who, w->k->b.scq, &wc);
	if (wc.status == IBV_WC_SUCCESS && wc.opcode != IBV_WC_LOCAL_INV)
		kit_say(w->k, "opcode %s", verbs_wc_opcode_name(wc.opcode));
}

static void
send_invalidate(struct window *w, uint32_t rkey)
{
	struct kit *k = w->k;
	struct ibv_sge sge = kit_sge(&k->a, 0, 16);
	struct ibv_send_wr wr = { .wr_id = 6, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = rkey };
	struct ibv_wc wc;

	kit_recv(k, &k->b, 7, 0, 64);
	kit_must(k, "post_send", kit_post(k, &k->a, &wr));
	kit_say_wc(k, "sender", k->a.scq, &wc);
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
	if (!k->broken && wc.status == IBV_WC_SUCCESS &&
		    (!(wc.wc_flags & IBV_WC_WITH_INV) || wc.invalidated_rkey != rkey))
		kit_say(k, "WITH_INV or its key is missing");
}

/* Through a second queue pair of the same domain. */
static void
say_other_qp(struct window *w)
{
	struct kit *k = w->k;
	uint32_t rkey = w->rkey;

	if (!kit_pair_connect(k))
		return;
	say_access(w, "through another", IBV_WR_RDMA_WRITE, window_address(w), 64, rkey);
}

/* Through a queue pair of another domain. */
static void
say_other_pd(struct window *w)
{
	struct kit *k = w->k;
	struct verbs_pd *own = k->b.pd;

	k->b.pd = kit_pd(k, &k->b);
	if (k->b.pd)
		say_other_qp(w);
	k->b.pd = own;
}

/* Access that a bound window allows. */
static void
run_access(struct window *w, enum what what)
{
	switch (what) {
	case WRITE:
	case UC_WRITE:
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), BYTES, w->rkey);
		break;
	case READ:
		say_access(w, "read", IBV_WR_RDMA_READ, window_address(w), BYTES, w->rkey);
		break;
	case ATOMIC:
		say_access(w, "atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, window_address(w), 8, w->rkey);
		break;
	case FROM_ZERO:
		kit_pattern(w->k->a.buf, 64, 5);
		say_access(w, "write at 32", IBV_WR_RDMA_WRITE, 32, 64, w->rkey);
		kit_check(w->k, "data", w->k->b.buf + AT + 32, 64, 5);
		say_access(w, "past the end", IBV_WR_RDMA_WRITE, BYTES, 64, w->rkey);
		break;
	case WRITE_PAST:
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w) + BYTES, 64, w->rkey);
		break;
	case WRITE_ACROSS:
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w) + BYTES - 1, 2,
			w->rkey);
		break;
	case WRITE_BEFORE:
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w) - 1, 64, w->rkey);
		break;
	default:
		break;
	}
}

/* What invalidates the window, and what does not. */
static void
run_bound(struct window *w, enum what what)
{
	struct kit *k = w->k;
	uint32_t old = w->rkey;

	switch (what) {
	case REBIND:
		must_bind(w, window_address(w) + BYTES, IBV_ACCESS_REMOTE_WRITE, 0);
		say_access(w, "new place", IBV_WR_RDMA_WRITE, window_address(w) + BYTES, 64,
			w->rkey);
		say_access(w, "old place", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case REBIND_OLD:
		must_bind(w, window_address(w), IBV_ACCESS_REMOTE_WRITE, 0);
		say_access(w, "new key", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		say_access(w, "old key", IBV_WR_RDMA_WRITE, window_address(w), 64, old);
		break;
	case UNBIND:
		say_bind(w, "bind of nothing", post_bind(w, window_address(w), 0, 0, 0));
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, old);
		break;
	case LOCAL_INV:
		local_invalidate(w, "invalidate", w->rkey);
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case LOCAL_INV_TWICE:
		local_invalidate(w, "invalidate", w->rkey);
		say_bind(w, "bind", post_bind(w, window_address(w), BYTES, IBV_ACCESS_REMOTE_WRITE,
			next_key(old)));
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case SEND_INV:
		send_invalidate(w, w->rkey);
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case BIND_AGAIN:
		say_bind(w, "second bind",
			post_bind(w, window_address(w), BYTES, IBV_ACCESS_REMOTE_WRITE,
			next_key(old)));
		break;
	case OTHER_QP:
		say_other_qp(w);
		break;
	case OTHER_PD_QP:
		say_other_pd(w);
		break;
	case REREG:
		kit_say(k, "rereg_mr %s", k->ops->rereg_mr(w->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
			NULL, 0, KIT_ACCESS) ? "refused" : "ok");
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case QP_GONE:
		kit_must(k, "destroy_qp", kit_destroy(k, k->b.qp));
		kit_say_result(k, "dereg_mr", kit_destroy(k, w->mr));
		break;
	case INV_TAG:
		local_invalidate(w, "invalidate", next_key(w->rkey));
		break;
	case INV_OTHER_QP:
		if (kit_pair_connect(k))
			local_invalidate(w, "invalidate", old);
		break;
	case DEALLOC:
		kit_say_result(k, "dealloc_mw", kit_destroy(k, w->mw));
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	case DEREG:
		kit_say(k, "dereg_mr %s", kit_destroy(k, w->mr) ? "refused" : "ok");
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->rkey);
		break;
	default:
		run_access(w, what);
		break;
	}
}

static void
run_unbound(struct window *w, enum what what, unsigned access)
{
	struct kit *k = w->k;
	uint32_t key = w->mw ? next_key(w->mw->rkey) : 0;

	if (k->broken)
		return;
	switch (what) {
	case BIND_ONLY:
	case BIND_OTHER_PD:
	case BIND_MW_OTHER_PD:
		say_bind(w, "bind", post_bind(w, window_address(w), BYTES, access, key));
		break;
	case BIND_PAST_REGION:
		say_bind(w, "bind", post_bind(w, (uintptr_t)k->b.buf + KIT_BUFFER_BYTES - BYTES + 1,
			BYTES, access, key));
		break;
	case WRONG_WAY:
		w->type = w->type == IBV_MW_TYPE_1 ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1;
		kit_say_result(k, "bind", post_bind(w, window_address(w), BYTES, access, key));
		break;
	case LOCAL_INV_UNKNOWN:
		local_invalidate(w, "invalidate", 0x00123456);
		break;
	case SEND_INV_UNKNOWN:
		send_invalidate(w, 0x00123456);
		break;
	case INV_TYPE_1:
		must_bind(w, window_address(w), access, 0);
		local_invalidate(w, "invalidate", w->rkey);
		break;
	case FOREIGN_KEY:               /* only the low eight bits are the owner's to choose */
		say_bind(w, "bind", post_bind(w, window_address(w), BYTES, access,
			key ^ 0x00f00000));
		break;
	case UNBOUND:
		say_access(w, "write", IBV_WR_RDMA_WRITE, window_address(w), 64, w->mw->rkey);
		break;
	default:
		break;
	}
}

static void
window_run(struct kit *k, const struct conform_case *c)
{
	enum what what = (enum what)c->value[WHAT];
	struct window w = { .k = k, .type = (enum ibv_mw_type)c->value[TYPE] };
	unsigned access = (unsigned)c->value[WINDOW];
	struct verbs_pd *other = NULL;

	if (what == UC_WRITE)
		k->pair.type = IBV_QPT_UC;
	k->pair.retry = 7;
	if (!kit_pair_connect(k))
		return;
	if (what == BIND_OTHER_PD || what == BIND_MW_OTHER_PD)
		other = kit_pd(k, &k->b);
	w.mr = kit_mr(k, what == BIND_OTHER_PD ? other : k->b.pd, k->b.buf, KIT_BUFFER_BYTES,
		(int)c->value[REGION]);
	w.mw = kit_mw(k, what == BIND_MW_OTHER_PD ? other : k->b.pd, w.type);
	if (k->broken)
		return;
	switch (what) {
	case BIND_ONLY:
	case BIND_OTHER_PD:
	case BIND_MW_OTHER_PD:
	case BIND_PAST_REGION:
	case WRONG_WAY:
	case LOCAL_INV_UNKNOWN:
	case SEND_INV_UNKNOWN:
	case INV_TYPE_1:
	case UNBOUND:
	case FOREIGN_KEY:
		run_unbound(&w, what, access);
		return;
	default:
		break;
	}
	must_bind(&w, window_address(&w), access, next_key(w.mw->rkey));
	run_bound(&w, what);
}

#define M1 (VERBS_CAP(RC) | VERBS_CAP(MW1))
#define M2 (VERBS_CAP(RC) | VERBS_CAP(MW2))
#define RW IBV_ACCESS_REMOTE_WRITE
#define INVALID "invalidate MW_BIND_ERR|invalidate LOC_PROT_ERR|invalidate LOC_QP_OP_ERR"
#define ROW(n, name, needs, expected, what, region, window) \
	{ "mw/type" #n "-" name, M##n | (needs), expected, window_run, \
	.value = { IBV_MW_TYPE_##n, what, region, window } }
#define BOTH(name, needs, expected, what, region, window) \
	ROW(1, name, needs, expected, what, region, window), \
	ROW(2, name, needs, expected, what, region, window)

static const struct conform_case rows[] = {
	BOTH("write", 0, "write SUCCESS", WRITE, WIDE, RW),
	BOTH("read", 0, "read SUCCESS", READ, WIDE, IBV_ACCESS_REMOTE_READ),
	BOTH("atomic", VERBS_CAP(ATOMIC), "atomic SUCCESS", ATOMIC, WIDE, IBV_ACCESS_REMOTE_ATOMIC),
	BOTH("uc-write", VERBS_CAP(UC), "write SUCCESS", UC_WRITE, WIDE, RW),
	BOTH("gives-more-than-its-region", 0, "write SUCCESS", WRITE,
	IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, RW), BOTH("unbound", 0, "write REM_ACCESS_ERR",
	UNBOUND, WIDE, RW), BOTH("write-past-the-end", 0, "write REM_ACCESS_ERR", WRITE_PAST, WIDE,
	RW), BOTH("write-across-the-end", 0, "write REM_ACCESS_ERR", WRITE_ACROSS, WIDE, RW),
	BOTH("write-before-the-start", 0, "write REM_ACCESS_ERR", WRITE_BEFORE, WIDE, RW),
	BOTH("write-of-a-reading-window", 0, "write REM_ACCESS_ERR", WRITE, WIDE,
	IBV_ACCESS_REMOTE_READ), BOTH("read-of-a-writing-window", 0, "read REM_ACCESS_ERR", READ,
	WIDE, RW), BOTH("atomic-of-a-writing-window", VERBS_CAP(ATOMIC), "atomic REM_ACCESS_ERR",
	ATOMIC, WIDE, RW), BOTH("bind-to-a-region-that-does-not-let-it", 0, "bind MW_BIND_ERR",
	BIND_ONLY, KIT_ACCESS, RW), BOTH("bind-past-its-region", 0, "bind MW_BIND_ERR",
	BIND_PAST_REGION, WIDE, RW), BOTH("bind-to-a-region-of-another-pd", 0,
	"bind MW_BIND_ERR|bind EINVAL", BIND_OTHER_PD, WIDE, RW),
	BOTH("bind-of-a-window-of-another-pd", 0, "bind MW_BIND_ERR|bind EINVAL|bind EPERM",
	BIND_MW_OTHER_PD, WIDE, RW), BOTH("bind-for-writing-without-local-write", 0,
	"bind MW_BIND_ERR|bind EINVAL", BIND_ONLY, IBV_ACCESS_MW_BIND, RW),
	BOTH("bound-by-the-other-type's-verb", 0, "bind EINVAL", WRONG_WAY, WIDE, RW),
	BOTH("deallocated-while-bound", 0, "dealloc_mw ok; write REM_ACCESS_ERR", DEALLOC, WIDE,
	RW), BOTH("region-deregistered-while-bound", 0, "dereg_mr refused; write SUCCESS", DEREG,
	WIDE, RW), ROW(2, "from-zero", VERBS_CAP(ZERO_BASED),
	"write at 32 SUCCESS; past the end REM_ACCESS_ERR", FROM_ZERO, WIDE,
	RW | IBV_ACCESS_ZERO_BASED),
	ROW(1, "bound-elsewhere", 0, "new place SUCCESS; old place REM_ACCESS_ERR", REBIND, WIDE,
	RW), ROW(1, "bound-again", 0, "new key SUCCESS; old key REM_ACCESS_ERR", REBIND_OLD, WIDE,
	RW), ROW(1, "bound-to-nothing", 0, "bind of nothing SUCCESS; write REM_ACCESS_ERR", UNBIND,
	WIDE, RW), ROW(1, "through-another-queue-pair", 0, "through another SUCCESS", OTHER_QP,
	WIDE, RW), ROW(1, "through-a-queue-pair-of-another-pd", 0, "through another REM_ACCESS_ERR",
	OTHER_PD_QP, WIDE, RW), ROW(1, "region-reregistered-while-bound", VERBS_CAP(REREG),
	"rereg_mr refused; write SUCCESS", REREG, WIDE, RW),
	ROW(2, "ended-with-its-queue-pair", 0, "dereg_mr ok", QP_GONE, WIDE, RW),
	ROW(2, "through-another-queue-pair", 0, "through another REM_ACCESS_ERR", OTHER_QP, WIDE,
	RW), ROW(2, "bound-twice", 0, "second bind MW_BIND_ERR", BIND_AGAIN, WIDE, RW),
	ROW(2, "invalidated", VERBS_CAP(LOCAL_INV), "invalidate SUCCESS; write REM_ACCESS_ERR",
	LOCAL_INV, WIDE, RW), ROW(2, "invalidated-and-bound-again", VERBS_CAP(LOCAL_INV),
	"invalidate SUCCESS; bind SUCCESS; write SUCCESS", LOCAL_INV_TWICE, WIDE, RW),
	ROW(2, "invalidated-by-the-peer", VERBS_CAP(SEND_INV),
	"sender SUCCESS; receiver SUCCESS; write REM_ACCESS_ERR", SEND_INV, WIDE, RW),
	ROW(2, "bound-under-a-foreign-key", 0, "bind MW_BIND_ERR|bind EINVAL", FOREIGN_KEY, WIDE,
	RW), ROW(2, "invalidate-with-another-tag", VERBS_CAP(LOCAL_INV), INVALID, INV_TAG, WIDE,
	RW), ROW(2, "invalidate-by-another-queue-pair", VERBS_CAP(LOCAL_INV), INVALID, INV_OTHER_QP,
	WIDE, RW), ROW(2, "invalidate-of-no-key", VERBS_CAP(LOCAL_INV), INVALID,
		LOCAL_INV_UNKNOWN, WIDE, RW),
	ROW(2, "invalidate-of-no-key-by-the-peer", VERBS_CAP(SEND_INV),
	"sender SUCCESS; receiver REM_INV_REQ_ERR", SEND_INV_UNKNOWN, WIDE, RW),
	ROW(1, "invalidate-of-type-1", VERBS_CAP(LOCAL_INV), INVALID, INV_TYPE_1, WIDE, RW),
};

void
cases_window(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
