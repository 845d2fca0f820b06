/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.h - compares wanted with observed state: the ordered list of changes.
 * Room: sm/diff.  Pure.
 *
 * The room compares the plan with what is known of the hardware.  Each difference becomes a change
 * of some kind (kind.h), listed in the phase of that kind.  heddled sends no other Sets of
 * configuration.  A change names its subject only.  diff_payload() makes its content when it is
 * sent, from the image last received, so that a Set never reverts what an earlier Set of the same
 * run wrote.  If several steps write one attribute of one port, one Set carries them all, in the
 * last of these steps.
 *
 * There is one file per kind: kind_pkeys.c, kind_port_info.c (sm_lid, lids, links, arm, activate),
 * kind_switch_info.c, kind_lft.c, kind_qos.c, kind_mft.c, kind_guids.c.  sm/apply sends what is
 * listed here.
 */
#ifndef HEDDLE_SM_DIFF_DIFF_H
#define HEDDLE_SM_DIFF_DIFF_H

#include "sm/diff/kind.h"
#include "sm/diff/settled.h"
#include "sm/plan/plan.h"

/*
 * Lists everything that must be sent so that the observed state becomes 'plan'.  Leaves the ports
 * of a link alone if its other end was not read.  The caller owns the result (changes_clear).
 */
void diff_make(const struct observed *o, const struct plan *plan, struct changes *out);
/*
 * The same in two steps, because hosts may join and leave groups during the first one.  The first
 * step lists all kinds whose wanted state does not depend on registrations of hosts; it does not
 * read plan.mcast, plan.guids and observed.tables.  The second step adds the others.  'before'
 * saves time and changes nothing; NULL: there is none.
 */
void diff_planned(const struct observed *o, const struct plan *plan,
	const struct diff_before *before, struct changes *out);
void diff_registered(const struct observed *o, const struct plan *plan, struct changes *out);

/*
 * After the last write: bits by port index, for observed.settled, of the ports that need no Set of
 * PortInfo now.  The caller frees.
 */
uint64_t *diff_settled(
	const struct observed *o, const struct plan *plan, const struct diff_before *before);

/*
 * The CHANGE_BYTES that a change carries now.  Returns 'buf', or bytes of the plan that outlive the
 * change.
 */
const uint8_t *diff_payload(const struct observed *o, const struct plan *plan,
	enum change_phase phase, const struct change *c, uint8_t buf[static CHANGE_BYTES]);

#endif
