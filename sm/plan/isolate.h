/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * isolate.h - what did not answer is left out, so that the rest of the fabric can be planned.
 * Room: sm/plan.  Pure.
 */
#ifndef HEDDLE_SM_PLAN_ISOLATE_H
#define HEDDLE_SM_PLAN_ISOLATE_H

#include "fabric/snapshot/snapshot.h"

struct plan_end {
	uint64_t guid;                  /* of a node */
	uint8_t port;
};

/*
 * Unplugs, in the snapshot only, the links between switches that these ports are ends of; but not
 * those without which something could no longer be reached from the SM's port.  Before
 * plan_isolate().  Returns how many it has unplugged.
 */
uint32_t plan_leave_out(struct snapshot *s, const struct plan_end *ends, uint32_t n);

/*
 * Unplugs, in the snapshot only, every link an end of which was not read, every switch whose
 * SwitchInfo or port 0 is unknown or that has no forwarding table, and what can then no longer be
 * reached from the SM's port; counts links and hosts again. Returns how many nodes are cut off and
 * their indices in '*out' (malloc'd, ascending; NULL when none).
 */
uint32_t plan_isolate(struct snapshot *s, uint32_t **out);

#endif
