/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.h - wanted against observed: the ordered list of changes, and nothing else is ever sent.
 * Room: sm/diff.  Pure.
 *
 * The room compares the plan with what is known of the hardware.  Each difference becomes a change
 * of some kind (kind.h), listed in the phase of that kind.  A change names its subject only: what
 * it carries is made when it is sent (diff_payload), from the image last received, so that a Set
 * never undoes what an earlier Set of the same run brought.  What several steps write to one
 * attribute of one port travels in one Set, with the last of them.
 *
 * One file a kind: kind_pkeys.c, kind_port_info.c (sm_lid, lids, links, arm, activate),
 * kind_switch_info.c, kind_lft.c, kind_qos.c, kind_mft.c, kind_guids.c.  sm/apply sends what is
 * listed here.
 */
#ifndef HEDDLE_SM_DIFF_DIFF_H
#define HEDDLE_SM_DIFF_DIFF_H

#include "sm/diff/kind.h"
#include "sm/plan/plan.h"

/*
 * All that must be sent so that what is observed becomes 'plan'.  Ports of a link whose other end
 * was not read are left alone.  Owned by the caller (changes_clear).
 */
void diff_make(const struct observed *o, const struct plan *plan, struct changes *out);
/*
 * The same in two steps, as hosts may join and leave groups while the first is computed: the first
 * makes '*out' of all kinds whose wanted state does not depend on what hosts register (plan.mcast,
 * plan.guids and observed.tables are not read), the second adds the others.
 */
void diff_planned(const struct observed *o, const struct plan *plan, struct changes *out);
void diff_registered(const struct observed *o, const struct plan *plan, struct changes *out);

/*
 * The CHANGE_BYTES that a change carries now.  Returns them: 'buf', or bytes of the plan that
 * outlive the change.
 */
const uint8_t *diff_payload(const struct observed *o, const struct plan *plan,
	enum change_phase phase, const struct change *c, uint8_t buf[static CHANGE_BYTES]);

#endif
