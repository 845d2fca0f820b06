/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * deviations.c - what providers are known to do differently from the specification.
 * Room: verbs/conform.
 *
 * Every row has a reason.  A run reports rows that did not occur, so that they can be removed.
 * docs/verbs.md explains the table; `ibhcatest conform --deviations` prints it.
 */
#include <config.h>
#include "verbs/conform/verdict.h"

#define ANY 0, KERNEL_ANY
#define BEFORE_6_12 0, KERNEL(6, 12)
#define SINCE_6_12 KERNEL(6, 12), KERNEL_ANY

#define TOO_SMALL "rxe takes a receive that is too small for a malformed one of its own queue"
#define LOCAL_KEY "rxe tells local keys that are wrong as an error of the queue pair"
#define FLUSHED "rxe ends the queue pair first and then flushes the request that failed"
#define WINDOW_RANGE "rxe finds the window and then checks only the range of its region"
#define WINDOW_PD "rxe does not compare the domains of the window, its region and the queue pair " \
	"when it binds"
#define MISALIGNED "rxe refuses a misaligned atomic when it is posted, before the responder can"
#define NO_CHECK "rxe does not look at the value"
#define NO_SQE "rxe ends an unreliable queue pair whose send failed: it does not have the state SQE"
#define NO_EVENT "rxe has no such event"
#define LATE_OPCODE "rxe finds an operation that the type does not have when it is sent, not " \
	"when it is posted"
#define RECEIVE_IN_ERR "rxe keeps a receive that is posted in ERR without a completion"
#define NO_APM "the kernel has no alternate paths on Ethernet, though rxe says that it can migrate"

#define RXE(cases, kernels, got, reason) { cases, "rxe", kernels, got, reason, false }
#define RXE_SOMETIMES(cases, kernels, got, reason) { cases, "rxe", kernels, got, reason, true }

/* Observed with Debian's kernels 6.1 and 6.12: rows for all kernels with both, the other rows
 * with one of them. */
static const struct conform_deviation rows[] = {
	/* memory and windows */
	RXE("mr/zero-based", BEFORE_6_12, "write at 32 REM_ACCESS_ERR*",
		"rxe takes the flag for a region and then ignores it"),
	RXE("mw/type[12]-write-past-the-end", ANY, "write SUCCESS", WINDOW_RANGE),
	RXE("mw/type[12]-write-across-the-end", ANY, "write SUCCESS", WINDOW_RANGE),
	RXE("mw/type[12]-write-before-the-start", ANY, "write SUCCESS", WINDOW_RANGE),
	RXE("mw/type2-from-zero", BEFORE_6_12, "write at 32 SUCCESS; past the end SUCCESS",
	WINDOW_RANGE), RXE("mw/type1-bound-elsewhere", ANY, "new place SUCCESS; old place SUCCESS",
	WINDOW_RANGE), RXE("mw/type[12]-bind-to-a-region-of-another-pd", BEFORE_6_12,
	"bind SUCCESS", WINDOW_PD), RXE("mw/type1-bind-of-a-window-of-another-pd", BEFORE_6_12,
	"bind SUCCESS", WINDOW_PD), RXE("mw/type1-bound-by-the-other-type's-verb", ANY, "bind ok",
	"rxe binds windows of both types by a work request"),
	RXE("mw/type[12]-bind-*", SINCE_6_12, "bind WR_FLUSH_ERR", FLUSHED),
	RXE("mw/type2-bound-twice", SINCE_6_12, "second bind WR_FLUSH_ERR", FLUSHED),
	RXE("mw/type2-invalidate-with-another-tag", SINCE_6_12, "invalidate WR_FLUSH_ERR", FLUSHED),
	RXE("mw/type2-invalidate-of-no-key", SINCE_6_12, "invalidate WR_FLUSH_ERR", FLUSHED),
	RXE("mw/type1-invalidate-of-type-1", SINCE_6_12, "invalidate WR_FLUSH_ERR", FLUSHED),
	RXE("mw/type2-bound-under-a-foreign-key", ANY, "bind SUCCESS",
	"rxe takes the last eight bits of the new key and ignores the others"),
	RXE("mw/type2-invalidated-by-the-peer", ANY, "sender SUCCESS; receiver SUCCESS; WITH_INV "
	"or its key is missing; write REM_ACCESS_ERR",
		"rxe hands the kernel's number of the flag to user space, where it means something "
		"else"),
	RXE("mw/type2-invalidate-by-another-queue-pair", ANY, "invalidate SUCCESS",
	"rxe does not look who invalidates a window"), RXE("mw/type2-ended-with-its-queue-pair",
	ANY, NULL, "rxe waits 50 seconds in the kernel for a queue pair with a bound window"),
	/* queues */
	RXE("cq/overrun", ANY, "CQ_ERR; a second CQ_ERR",
		"rxe tells every completion that is lost"),
	RXE("cq/solicited-only-and-an-error", SINCE_6_12, "receiver none",
	"rxe tells a queue that is armed for solicited completions nothing of a flush"),
	RXE("srq/receive-too-small", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR", TOO_SMALL),
	RXE("srq/receive-with-bad-lkey", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR",
	LOCAL_KEY), RXE("srq/error-of-one-user", BEFORE_6_12, "receiver none; B no event",
	NO_EVENT), RXE("post/send-queue-full", BEFORE_6_12, "post ok",
	"rxe sends in the post itself: one process does not fill its queue"),
	RXE("post/u[cd]-*", ANY, "post ok", LATE_OPCODE),
	RXE("post/rc-no-such-opcode", ANY, "post ok", LATE_OPCODE),
	RXE("flush/[ru][cd]-receives-posted-in-err", ANY, "receives none", RECEIVE_IN_ERR),
	RXE("ud/peer-in-err", BEFORE_6_12, "sender SUCCESS; receiver none", RECEIVE_IN_ERR),
	/* states of queue pairs */
	RXE("qp-state/[ru]c-*-with-alt-path", ANY, "modify EINVAL; *", NO_APM),
	RXE("qp-state/u[cd]-sqe-to-*", ANY, "SQE EINVAL", NO_SQE),
	RXE("sqd/uc-in-sqe", ANY, "SQE EINVAL", NO_SQE),
	RXE("sqd/u[cd]-goes-on-after-sqe", ANY, "SQE EINVAL", NO_SQE),
	RXE("qp-state/uc-sqd-to-sqd-with-av", ANY, "modify EINVAL; SQD",
	"the kernel refuses an unreliable connection another address in SQD"),
	RXE("qp-state/rc-pkey-index-past-the-table", ANY, "modify ok; INIT", NO_CHECK),
	RXE("qp-state/rc-access-flags-unknown", BEFORE_6_12, "modify ok; INIT", NO_CHECK),
	RXE("qp-state/rc-path-mtu-0", ANY, "modify ok; RTR", NO_CHECK),
	RXE("qp-state/rc-rnr-timer-32", ANY, "modify ok; RTR", NO_CHECK),
	RXE("qp-state/rc-responder-depth-past-the-limit", ANY, "modify ok; RTR", NO_CHECK),
	RXE("qp-state/rc-retry-count-8", ANY, "modify ok; RTS", NO_CHECK),
	RXE("qp-state/rc-rnr-retry-8", ANY, "modify ok; RTS", NO_CHECK),
	RXE("sqd/holds-what-is-posted", ANY, "in SQD none; in RTS none",
	"rxe does not look at its send queue when it comes back from SQD"),
	RXE("sqd/no-event-unless-asked-for", ANY, "A SQ_DRAINED",
	"rxe does not look at en_sqd_async_notify"),
	/* errors */
	RXE("error/receive-too-small*", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR*",
		TOO_SMALL),
	RXE("ud/receive-too-small", BEFORE_6_12,
	"sender SUCCESS; receiver LOC_QP_OP_ERR; A RTS; B ERR", TOO_SMALL),
	RXE("rights/send-with-*lkey*", BEFORE_6_12, "sender LOC_QP_OP_ERR; receiver none",
	LOCAL_KEY), RXE("rights/send-with-*lkey*", SINCE_6_12, "sender WR_FLUSH_ERR; receiver none",
	FLUSHED), RXE("rights/send-past-the-end-of-its-region", SINCE_6_12,
	"sender WR_FLUSH_ERR; receiver none", FLUSHED), RXE("rights/write-with-*lkey*", SINCE_6_12,
	"sender WR_FLUSH_ERR", FLUSHED), RXE("rights/write-past-the-end-of-its-region", SINCE_6_12,
	"sender WR_FLUSH_ERR", FLUSHED), RXE("error/local-key-ends-only-the-sender", SINCE_6_12,
	"sender WR_FLUSH_ERR; receiver none; A ERR; B RTS", FLUSHED),
	RXE("error/datagram-with-bad-lkey", SINCE_6_12,
	"sender WR_FLUSH_ERR; receiver none; A ERR; B RTS", NO_SQE),
	RXE("error/uc-send-with-bad-lkey", SINCE_6_12,
	"sender WR_FLUSH_ERR; receiver none; A ERR; B RTS", NO_SQE),
	RXE("error/uc-write-with-bad-lkey", SINCE_6_12, "sender WR_FLUSH_ERR; A ERR; B RTS",
	NO_SQE), RXE("ud/address-of-another-pd", SINCE_6_12, "sender WR_FLUSH_ERR", FLUSHED),
	RXE("rights/write-with-*lkey*", BEFORE_6_12, "sender LOC_QP_OP_ERR", LOCAL_KEY),
	RXE("rights/receive-with-bad-lkey", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR",
	LOCAL_KEY), RXE("rights/receive-with-one-bit-of-the-lkey-wrong", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR", LOCAL_KEY),
	RXE("rights/receive-with-lkey-of-another-pd", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR", LOCAL_KEY),
	RXE("rights/receive-past-the-end-of-its-region", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR", LOCAL_KEY),
	RXE("rights/receive-into-a-region-without-local-write", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR", LOCAL_KEY),
	RXE("error/local-key-ends-only-the-sender", BEFORE_6_12,
	"sender LOC_QP_OP_ERR; receiver none; A ERR; B RTS", LOCAL_KEY),
	RXE("error/receive-key-ends-both", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR; A ERR; B ERR", LOCAL_KEY),
	RXE("uc-drop/receive-with-bad-lkey", ANY,
	"sender SUCCESS; receiver LOC_QP_OP_ERR; A RTS; B ERR", LOCAL_KEY),
	RXE("ud/goes-on-after-bad-receive-key", ANY,
	"sender SUCCESS; receiver LOC_QP_OP_ERR; A RTS; B ERR", LOCAL_KEY),
	RXE("error/datagram-with-bad-lkey", BEFORE_6_12,
	"sender LOC_QP_OP_ERR; receiver none; A ERR; B RTS", NO_SQE),
	RXE("error/uc-send-with-bad-lkey", BEFORE_6_12,
	"sender LOC_QP_OP_ERR; receiver none; A ERR; B RTS", NO_SQE),
	RXE("error/uc-write-with-bad-lkey", BEFORE_6_12, "sender LOC_QP_OP_ERR; A ERR; B RTS",
	NO_SQE), RXE("error/all-behind-an-error-of-u[cd]-is-flushed", BEFORE_6_12,
	"sender LOC_QP_OP_ERR, WR_FLUSH_ERR x7; receiver none", LOCAL_KEY),
	RXE("error/all-behind-an-error-of-u[cd]-is-flushed", SINCE_6_12,
	"sender WR_FLUSH_ERR x8; receiver none", FLUSHED),
	RXE("error/*-misaligned", ANY, "post_send EINVAL", MISALIGNED),
	RXE("error/read-with-initiator-depth-0", ANY, "sender none",
	"rxe waits for ever for a depth that is 0"), RXE("rights/write-imm-with-bad-rkey", ANY,
	"sender REM_ACCESS_ERR; receiver REM_ACCESS_ERR",
		"rxe ends the responder's receive with the requester's status"),
	RXE("timing/ack-seven-retries", ANY, "no completion; in time",
	"rxe takes 7 retries for any number of them, as of receivers that are not ready"),
	RXE_SOMETIMES("timing/*", ANY, "*_EXC_ERR; early: *",
	"rxe counts whole ticks of the kernel, and the first one may be over at once"),
	RXE("keys/qkey-of-the-queue-pair-itself", ANY, "sender SUCCESS; receiver none",
	"rxe sends the high bit of a Q_Key instead of its own key"),
	/* events */
	RXE("async/[ru]c-comm-est", ANY,
		"receiver SUCCESS; B no event; receiver SUCCESS; B no event", NO_EVENT),
	RXE("async/*-with-bad-rkey", ANY, "sender REM_ACCESS_ERR; B no event", NO_EVENT),
	RXE("async/write-without-the-right", ANY, "sender REM_INV_REQ_ERR; B no event", NO_EVENT),
	RXE("async/read-without-depth", ANY, "sender REM_INV_REQ_ERR; B no event", NO_EVENT),
	RXE("async/atomic-misaligned", ANY, "post_send EINVAL*", MISALIGNED),
	RXE("async/receive-too-small-has-a-completion-instead", ANY,
	"sender REM_OP_ERR; receiver LOC_QP_OP_ERR; B no event", TOO_SMALL),
};

const struct conform_deviation *
conform_deviations(size_t *n)
{
	*n = sizeof(rows) / sizeof(*rows);
	return rows;
}
