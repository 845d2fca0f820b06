/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * error.c - areas error (every completion error, on both ends), rights (keys, ranges,
 * permissions), uc-drop.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define RC VERBS_CAP(RC)
#define UC VERBS_CAP(UC)
#define UD VERBS_CAP(UD)
#define AT (VERBS_CAP(RC) | VERBS_CAP(ATOMIC))
#define HOOK (VERBS_CAP(HOOK) | VERBS_CAP(TWO_DEVICES))
#define T(type_, op, n, broken_, ...) transfer_run, \
	.transfer = { .type = IBV_QPT_##type_, .opcode = IBV_WR_##op, .bytes = n, \
	.broken = broken_, __VA_ARGS__ }

#define ACCESS "sender REM_ACCESS_ERR"
#define REQUEST "sender REM_INV_REQ_ERR"
#define NONE "; receiver none"
#define RIGHT(what, broken_, expected) \
	{ "rights/write-" what, RC, expected, T(RC, RDMA_WRITE, 64, broken_) }, \
	{ "rights/long-write-" what, RC, expected, T(RC, RDMA_WRITE, 5000, broken_) }, \
	{ "rights/read-" what, RC, expected, T(RC, RDMA_READ, 64, broken_) }, \
	{ "rights/long-read-" what, RC, expected, T(RC, RDMA_READ, 5000, broken_) }, \
	{ "rights/compare-swap-" what, AT, expected, T(RC, ATOMIC_CMP_AND_SWP, 8, broken_) }, \
	{ "rights/fetch-add-" what, AT, expected, T(RC, ATOMIC_FETCH_AND_ADD, 8, broken_) }

/* Access rights.  The peer's memory must not change. */
static const struct conform_case rights[] = {
	RIGHT("with-bad-rkey", BAD_RKEY, ACCESS),
	RIGHT("with-one-bit-of-the-rkey-wrong", RKEY_BIT, ACCESS),
	RIGHT("with-rkey-of-a-region-that-is-gone", STALE_RKEY, ACCESS),
	RIGHT("with-rkey-of-another-pd", RKEY_OF_OTHER_PD, ACCESS),
	RIGHT("past-the-end", PAST_REMOTE_END, ACCESS),
	RIGHT("across-the-end", ACROSS_REMOTE_END, ACCESS),
	RIGHT("before-the-start", BEFORE_REMOTE_START, ACCESS),
	RIGHT("of-a-region-without-the-right", MR_WITHOUT_RIGHT, ACCESS),
	RIGHT("of-a-queue-pair-without-the-right", QP_WITHOUT_RIGHT, REQUEST),
	{ "rights/write-imm-with-bad-rkey", RC, ACCESS "; receiver LOC_ACCESS_ERR|" ACCESS
		"; receiver WR_FLUSH_ERR",
		T(RC, RDMA_WRITE_WITH_IMM, 64, BAD_RKEY) },
	{ "rights/empty-write-with-bad-rkey", RC, "sender SUCCESS",
		T(RC, RDMA_WRITE, 0, BAD_RKEY) },
	{ "rights/empty-read-with-bad-rkey", RC, "sender SUCCESS", T(RC, RDMA_READ, 0, BAD_RKEY) },
	{ "rights/empty-write-past-the-end", RC, "sender SUCCESS",
		T(RC, RDMA_WRITE, 0, PAST_REMOTE_END) },
	{ "rights/send-with-bad-lkey", RC, "sender LOC_PROT_ERR" NONE, T(RC, SEND, 256, BAD_LKEY) },
	{ "rights/send-with-one-bit-of-the-lkey-wrong", RC, "sender LOC_PROT_ERR" NONE,
		T(RC, SEND, 256, LKEY_BIT) },
	{ "rights/read-with-one-bit-of-the-lkey-wrong", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_READ, 256, LKEY_BIT) },
	{ "rights/receive-with-one-bit-of-the-lkey-wrong", RC,
		"sender REM_OP_ERR; receiver LOC_PROT_ERR", T(RC, SEND, 256, RECEIVE_LKEY_BIT) },
	{ "rights/send-with-lkey-of-another-pd", RC, "sender LOC_PROT_ERR" NONE,
		T(RC, SEND, 256, LKEY_OF_OTHER_PD) },
	{ "rights/send-past-the-end-of-its-region", RC, "sender LOC_PROT_ERR" NONE,
		T(RC, SEND, 256, PAST_LOCAL_END) },
	{ "rights/write-with-bad-lkey", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_WRITE, 256, BAD_LKEY) },
	{ "rights/write-with-lkey-of-another-pd", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_WRITE, 256, LKEY_OF_OTHER_PD) },
	{ "rights/write-past-the-end-of-its-region", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_WRITE, 256, PAST_LOCAL_END) },
	{ "rights/read-with-bad-lkey", RC, "sender LOC_PROT_ERR", T(RC, RDMA_READ, 256, BAD_LKEY) },
	{ "rights/read-with-lkey-of-another-pd", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_READ, 256, LKEY_OF_OTHER_PD) },
	{ "rights/read-past-the-end-of-its-region", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_READ, 256, PAST_LOCAL_END) },
	{ "rights/read-into-a-region-without-local-write", RC, "sender LOC_PROT_ERR",
		T(RC, RDMA_READ, 256, LOCAL_READ_ONLY) },
	{ "rights/fetch-add-into-a-region-without-local-write", AT, "sender LOC_PROT_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, LOCAL_READ_ONLY) },
	{ "rights/fetch-add-with-bad-lkey", AT, "sender LOC_PROT_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, BAD_LKEY) },
	{ "rights/send-from-a-region-without-local-write", RC, "sender SUCCESS; receiver SUCCESS",
		T(RC, SEND, 256, LOCAL_READ_ONLY) },
	{ "rights/receive-with-bad-lkey", RC, "sender REM_OP_ERR; receiver LOC_PROT_ERR",
		T(RC, SEND, 256, RECEIVE_BAD_LKEY) },
	{ "rights/receive-with-lkey-of-another-pd", RC, "sender REM_OP_ERR; receiver LOC_PROT_ERR",
		T(RC, SEND, 256, RECEIVE_OTHER_PD) },
	{ "rights/receive-past-the-end-of-its-region", RC,
		"sender REM_OP_ERR; receiver LOC_PROT_ERR", T(RC, SEND, 256, RECEIVE_PAST_END) },
	{ "rights/receive-into-a-region-without-local-write", RC,
		"sender REM_OP_ERR; receiver LOC_PROT_ERR", T(RC, SEND, 256, RECEIVE_READ_ONLY) },
};

/* Errors at the requester, at the responder and on the wire.  With states: which queue pairs go
 * to ERR. */
static const struct conform_case errors[] = {
	{ "error/local-key-ends-only-the-sender", RC, "sender LOC_PROT_ERR" NONE "; A ERR; B RTS",
		T(RC, SEND, 256, BAD_LKEY, .states = true) },
	{ "error/remote-key-ends-both", RC, ACCESS "; A ERR; B ERR",
		T(RC, RDMA_WRITE, 64, BAD_RKEY, .states = true) },
	{ "error/missing-right-ends-both", RC, REQUEST "; A ERR; B ERR",
		T(RC, RDMA_WRITE, 64, QP_WITHOUT_RIGHT, .states = true) },
	{ "error/receive-key-ends-both", RC,
		"sender REM_OP_ERR; receiver LOC_PROT_ERR; A ERR; B ERR",
		T(RC, SEND, 256, RECEIVE_BAD_LKEY, .states = true) },
	{ "error/receive-too-small", RC, REQUEST "; receiver LOC_LEN_ERR",
		T(RC, SEND, 256, RECEIVE_SMALL) },
	{ "error/receive-too-small-for-several-packets", RC, REQUEST "; receiver LOC_LEN_ERR",
		T(RC, SEND, 5000, RECEIVE_SMALL) },
	{ "error/receive-too-small-ends-both", RC, REQUEST "; receiver LOC_LEN_ERR; A ERR; B ERR",
		T(RC, SEND, 256, RECEIVE_SMALL, .states = true) },
	{ "error/no-receive", RC, "sender RNR_RETRY_EXC_ERR", T(RC, SEND, 64, NO_RECEIVE) },
	{ "error/no-receive-for-an-immediate", RC, "sender RNR_RETRY_EXC_ERR",
		T(RC, RDMA_WRITE_WITH_IMM, 64, NO_RECEIVE) },
	{ "error/no-receive-ends-only-the-sender", RC, "sender RNR_RETRY_EXC_ERR; A ERR; B RTS",
		T(RC, SEND, 64, NO_RECEIVE, .states = true) },
	{ "error/no-receive-in-the-shared-queue", RC | VERBS_CAP(SRQ), "sender RNR_RETRY_EXC_ERR",
		T(RC, SEND, 64, NO_RECEIVE, .srq = true) },
	{ "error/peer-absent", RC, "sender RETRY_EXC_ERR", T(RC, RDMA_WRITE, 64, PEER_ABSENT) },
	{ "error/peer-in-reset", RC, "sender RETRY_EXC_ERR", T(RC, RDMA_WRITE, 64, PEER_RESET) },
	{ "error/peer-in-init", RC, "sender RETRY_EXC_ERR", T(RC, RDMA_WRITE, 64, PEER_INIT) },
	{ "error/peer-in-err", RC, "sender RETRY_EXC_ERR", T(RC, RDMA_WRITE, 64, PEER_ERR) },
	{ "error/peer-is-unreliable", RC | UC, "sender RETRY_EXC_ERR",
		T(RC, RDMA_WRITE, 64, PEER_OTHER_TYPE) },
	{ "error/read-from-peer-absent", RC, "sender RETRY_EXC_ERR",
		T(RC, RDMA_READ, 64, PEER_ABSENT) },
	{ "error/atomic-on-peer-absent", AT, "sender RETRY_EXC_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, PEER_ABSENT) },
	{ "error/retries-end-only-the-sender", RC, "sender RETRY_EXC_ERR; A ERR; B INIT",
		T(RC, RDMA_WRITE, 64, PEER_INIT, .states = true) },
	{ "error/read-with-responder-depth-0", RC, REQUEST,
		T(RC, RDMA_READ, 64, RESPONDER_DEPTH_0) },
	{ "error/atomic-with-responder-depth-0", AT, REQUEST,
		T(RC, ATOMIC_FETCH_AND_ADD, 8, RESPONDER_DEPTH_0) },
	{ "error/read-with-initiator-depth-0", RC, "sender LOC_QP_OP_ERR|post_send EINVAL",
		T(RC, RDMA_READ, 64, INITIATOR_DEPTH_0) },
	{ "error/compare-swap-misaligned", AT, REQUEST, T(RC, ATOMIC_CMP_AND_SWP, 8, MISALIGNED) },
	{ "error/fetch-add-misaligned", AT, REQUEST, T(RC, ATOMIC_FETCH_AND_ADD, 8, MISALIGNED) },
	{ "error/all-requests-lost", RC | HOOK, "sender RETRY_EXC_ERR" NONE,
		T(RC, SEND, 64, ALL_REQUESTS_LOST) },
	{ "error/all-answers-lost", RC | HOOK, "sender RETRY_EXC_ERR; receiver SUCCESS",
		T(RC, SEND, 64, ALL_ANSWERS_LOST) },
	{ "error/bad-answer-to-a-send", RC | HOOK, "sender BAD_RESP_ERR; receiver SUCCESS",
		T(RC, SEND, 64, BAD_RESPONSE) },
	{ "error/bad-answer-to-a-read", RC | HOOK, "sender BAD_RESP_ERR",
		T(RC, RDMA_READ, 64, BAD_RESPONSE) },
	{ "error/bad-answer-to-an-atomic", AT | HOOK, "sender BAD_RESP_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, BAD_RESPONSE) },
	{ "error/datagram-longer-than-the-mtu", UD, "sender SUCCESS" NONE
		"|sender LOC_LEN_ERR" NONE, T(UD, SEND, 64, OVER_MTU) },
	{ "error/datagram-with-bad-lkey", UD, "sender LOC_PROT_ERR" NONE "; A SQE; B RTS",
		T(UD, SEND, 64, BAD_LKEY, .states = true) },
	{ "error/uc-send-with-bad-lkey", UC, "sender LOC_PROT_ERR" NONE "; A SQE; B RTS",
		T(UC, SEND, 64, BAD_LKEY, .states = true) },
	{ "error/uc-write-with-bad-lkey", UC, "sender LOC_PROT_ERR; A SQE; B RTS",
		T(UC, RDMA_WRITE, 64, BAD_LKEY, .states = true) },
	{ "error/after-an-error-all-is-flushed", RC, ACCESS "; then sender WR_FLUSH_ERR",
		T(RC, RDMA_WRITE, 64, BAD_RKEY, .after = true) },
	{ "error/all-behind-an-error-is-flushed", RC, ACCESS ", WR_FLUSH_ERR x7",
		T(RC, RDMA_WRITE, 64, BAD_RKEY, .messages = 8) },
	{ "error/all-behind-an-error-of-a-read-is-flushed", RC, ACCESS ", WR_FLUSH_ERR x7",
		T(RC, RDMA_READ, 64, BAD_RKEY, .messages = 8) },
	{ "error/unsignalled-ones-tell-their-errors", RC, ACCESS ", WR_FLUSH_ERR x7",
		T(RC, RDMA_WRITE, 64, BAD_RKEY, .messages = 8, .signal_every = 8) },
	{ "error/all-behind-an-error-of-uc-is-flushed", UC,
		"sender LOC_PROT_ERR, WR_FLUSH_ERR x7" NONE,
		T(UC, SEND, 64, BAD_LKEY, .messages = 8) },
	{ "error/all-behind-an-error-of-ud-is-flushed", UD,
		"sender LOC_PROT_ERR, WR_FLUSH_ERR x7" NONE,
		T(UD, SEND, 64, BAD_LKEY, .messages = 8) },
	{ "error/a-wrong-peer-flushes-all", RC, "sender RETRY_EXC_ERR, WR_FLUSH_ERR x7",
		T(RC, RDMA_WRITE, 64, PEER_ABSENT, .messages = 8) },
	{ "error/no-receive-flushes-all", RC, "sender RNR_RETRY_EXC_ERR, WR_FLUSH_ERR x7",
		T(RC, SEND, 64, NO_RECEIVE, .messages = 8) },
};

/* An unreliable connection reports nothing: the sender succeeds, the receiver drops. */
static const struct conform_case drops[] = {
	{ "uc-drop/write-with-bad-rkey", UC, "sender SUCCESS", T(UC, RDMA_WRITE, 64, BAD_RKEY) },
	{ "uc-drop/write-with-rkey-of-another-pd", UC, "sender SUCCESS",
		T(UC, RDMA_WRITE, 64, RKEY_OF_OTHER_PD) },
	{ "uc-drop/write-past-the-end", UC, "sender SUCCESS",
		T(UC, RDMA_WRITE, 64, PAST_REMOTE_END) },
	{ "uc-drop/write-across-the-end", UC, "sender SUCCESS",
		T(UC, RDMA_WRITE, 64, ACROSS_REMOTE_END) },
	{ "uc-drop/write-of-a-region-without-the-right", UC, "sender SUCCESS",
		T(UC, RDMA_WRITE, 64, MR_WITHOUT_RIGHT) },
	{ "uc-drop/write-of-a-queue-pair-without-the-right", UC, "sender SUCCESS",
		T(UC, RDMA_WRITE, 64, QP_WITHOUT_RIGHT) },
	{ "uc-drop/write-imm-with-bad-rkey", UC, "sender SUCCESS" NONE,
		T(UC, RDMA_WRITE_WITH_IMM, 64, BAD_RKEY) },
	{ "uc-drop/write-leaves-the-peer-in-rts", UC, "sender SUCCESS; A RTS; B RTS",
		T(UC, RDMA_WRITE, 64, BAD_RKEY, .states = true) },
	{ "uc-drop/send-without-receive", UC, "sender SUCCESS; A RTS; B RTS",
		T(UC, SEND, 64, NO_RECEIVE, .states = true) },
	{ "uc-drop/send-to-peer-absent", UC, "sender SUCCESS" NONE, T(UC, SEND, 64, PEER_ABSENT) },
	{ "uc-drop/write-to-peer-in-init", UC, "sender SUCCESS", T(UC, RDMA_WRITE, 64, PEER_INIT) },
	{ "uc-drop/receive-with-bad-lkey", UC,
		"sender SUCCESS; receiver LOC_PROT_ERR; A RTS; B ERR",
		T(UC, SEND, 64, RECEIVE_BAD_LKEY, .states = true) },
	{ "uc-drop/all-requests-lost", UC | HOOK, "sender SUCCESS" NONE,
		T(UC, SEND, 64, ALL_REQUESTS_LOST) },
	{ "uc-drop/middle-of-a-message-lost", UC | HOOK, "sender SUCCESS" NONE "; A RTS; B RTS",
		T(UC, SEND, 5000, MIDDLE_LOST, .states = true) },
	{ "uc-drop/middle-lost-into-a-shared-queue", UC | HOOK | VERBS_CAP(SRQ),
		"sender SUCCESS; receiver REM_ABORT_ERR",
		T(UC, SEND, 5000, MIDDLE_LOST_SRQ, .srq = true) },
	{ "uc-drop/first-corrupt", UC | HOOK, "sender SUCCESS" NONE,
		T(UC, SEND, 64, FIRST_CORRUPT) },
};

void
cases_error(struct case_list *l)
{
	CASE_ADD_ALL(l, rights);
	CASE_ADD_ALL(l, errors);
	CASE_ADD_ALL(l, drops);
}
