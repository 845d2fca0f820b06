/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * isolate.h - removes unresponsive parts from a snapshot, so that the rest of the fabric can be
 * planned.
 * Room: sm/plan.  Pure.
 *
 * Both functions change the snapshot only; they disable no link in the fabric.  plan_leave_out()
 * goes first: it removes named links.  plan_isolate() then removes what was not read, and
 * everything that can no longer be reached from the SM's port.
 */
#ifndef HEDDLE_SM_PLAN_ISOLATE_H
#define HEDDLE_SM_PLAN_ISOLATE_H

#include "fabric/snapshot/snapshot.h"

struct plan_end {
	uint64_t guid;                  /* of a node */
	uint8_t port;
};

/*
 * Unplugs, in the snapshot only, the links between switches that end at these ports, except those
 * whose loss would cut something off from the SM's port.  Call it before plan_isolate().  Returns
 * the number of links unplugged.
 */
uint32_t plan_leave_out(struct snapshot *s, const struct plan_end *ends, uint32_t n);

/*
 * Unplugs, in the snapshot only: every link with an end that was not read; every switch whose
 * SwitchInfo or port 0 is unknown, or that has no forwarding table; and everything that is then
 * unreachable from the SM's port.  Counts links and hosts again.  Returns the number of nodes that
 * are cut off, and their indices in '*out' (malloc'ed, ascending; NULL when there are none).
 */
uint32_t plan_isolate(struct snapshot *s, uint32_t **out);

#endif
