/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * deviations.c - what providers are known to do otherwise than the specification asks, and why that is no finding of ours.
 * Room: verbs/conform.
 * A row needs a reason.  One that is no longer met is told by the run, and goes.  docs/verbs.md shows this table.
 */
#include <config.h>
#include "verbs/conform/judge.h"

#define ANY 0, KERNEL_ANY
#define BEFORE_6_12 0, KERNEL(6, 12)
#define SINCE_6_12 KERNEL(6, 12), KERNEL_ANY

static const struct conform_deviation rows[] = {
	/* rxe: seen with Debian's 6.1 and 6.12 kernels */
	{ "error/receive-too-small*", "rxe", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR*",
		"rxe takes a receive that is too small for a malformed one of its own queue" },
	{ "rights/send-with-bad-lkey", "rxe", BEFORE_6_12, "sender LOC_QP_OP_ERR; receiver none",
		"rxe tells every local key that is wrong as an error of the queue pair" },
	{ "rights/send-with-bad-lkey", "rxe", SINCE_6_12, "sender WR_FLUSH_ERR; receiver none",
		"rxe ends the queue pair first and then flushes the request whose key is wrong" },
	{ "rights/receive-with-bad-lkey", "rxe", ANY, "sender REM_OP_ERR; receiver LOC_QP_OP_ERR",
		"rxe tells a receive whose key is wrong as an error of the queue pair" },
	{ "error/*-misaligned", "rxe", ANY, "post_send EINVAL", "rxe refuses a misaligned atomic when it is posted, before the responder can" },
	{ "async/atomic-misaligned", "rxe", ANY, "post_send EINVAL*", "rxe refuses a misaligned atomic when it is posted, before the responder can" },
	{ "mw/type2-bind-to-a-region-that-does-not-let-it", "rxe", SINCE_6_12, "bind WR_FLUSH_ERR",
		"rxe ends the queue pair first and then flushes the bind that failed" },
	{ "mw/type[12]-write-past-the-end", "rxe", ANY, "write SUCCESS", "rxe finds the window and then checks only the range of its region" },
	{ "mw/type2-ended-with-its-queue-pair", "rxe", ANY, NULL, "rxe waits 50 seconds in the kernel for a queue pair with a bound window" },
	{ "cq/overrun", "rxe", ANY, "CQ_ERR; a second CQ_ERR", "rxe tells every completion that is lost" },
	{ "sqd/no-event-unless-asked-for", "rxe", ANY, "A SQ_DRAINED", "rxe does not look at en_sqd_async_notify" },
	{ "srq/error-of-one-user", "rxe", BEFORE_6_12, "receiver none; B no event", "rxe has no last-WQE event before 6.12" },
	{ "post/send-queue-full", "rxe", BEFORE_6_12, "post ok", "rxe sends in the post itself: one process does not fill its queue" },
};

const struct conform_deviation *
conform_deviations(size_t *n)
{
	*n = sizeof(rows) / sizeof(*rows);
	return rows;
}
