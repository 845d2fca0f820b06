/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.c - explains error completions to operators.
 * Room: verbs/meas/run.
 */
#include <config.h>
#include "verbs/meas/run/flow.h"

const char *
meas_status_hint(enum ibv_wc_status s)
{
	switch (s) {
	case IBV_WC_RETRY_EXC_ERR:
		return "the other end acknowledges nothing: wrong GID index, MTU, P_Key or "
			"routing, a link that is down, or the other process is gone";
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return "the other end has no receive posted: it is too slow, or gone";
	case IBV_WC_WR_FLUSH_ERR:
		return "the queue pair was in the error state already: see what failed first, here "
			"or at the other end";
	case IBV_WC_REM_ACCESS_ERR:
		return "the other end's memory may not be used so: its key, range or rights are "
			"wrong, or it was given back";
	case IBV_WC_REM_INV_REQ_ERR:
		return "the other end does not take such a request: operation not allowed, or a "
			"message longer than its receive";
	case IBV_WC_REM_OP_ERR:
		return "the other end could not do it: see its own error";
	case IBV_WC_LOC_LEN_ERR:
		return "a message was longer than the receive for it";
	case IBV_WC_LOC_PROT_ERR:
		return "the memory of the request is not registered for this";
	case IBV_WC_LOC_QP_OP_ERR:
		return "the device refused the request: its own limits, a queue pair in a wrong "
			"state, or a port that is down";
	case IBV_WC_REM_ABORT_ERR:
		return "the other end gave up the operation";
	case IBV_WC_RESP_TIMEOUT_ERR:
		return "no response in time";
	case IBV_WC_FATAL_ERR:
		return "the device failed: see the kernel's log";
	default:
		return "see the kernel's log";
	}
}
