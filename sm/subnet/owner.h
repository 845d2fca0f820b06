/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * owner.h - whose transaction it is, and which target it counts for.
 * Room: sm/subnet.
 *
 * The top byte of a transaction's cookie names its owner, the rest belongs to the owner.
 * sm/manager has one table that leads an ended transaction to its owner.  A target is a number
 * under which txn measures response times, limits what is under way and skips who does not answer.
 * Nodes have the numbers from TARGET_NODES on, and these change from sweep to sweep. What may be
 * under way while a sweep begins or ends has a number of its own below, so that it is never taken
 * for a node.
 */
#ifndef HEDDLE_SM_SUBNET_OWNER_H
#define HEDDLE_SM_SUBNET_OWNER_H

#include <stdint.h>
#include "sm/sub/reports.h"

#define OWNER_POLLS_MAX 64              /* polls of the master that are under way at one time */
#define OWNER_PROBES_MAX 64             /* switches whose ports are read between sweeps */

enum owner { OWN_DISCOVER = 1, OWN_APPLY, OWN_SMINFO, OWN_POLL, OWN_LIGHT, OWN_DESC, OWN_HANDOVER,
	OWN_PKEYS, OWN_MFT, OWN_REPORT, OWN_QOS, OWN_GUIDS, OWN_PORT_STATE, OWN_PROBE };
#define OWNER_COUNT (OWN_PROBE + 1)
#define OWN_SHIFT 56
#define OWN_MASK ((UINT64_C(1) << OWN_SHIFT) - 1)

enum target {
	TARGET_POLL,
	TARGET_HANDOVER = TARGET_POLL + OWNER_POLLS_MAX,
	TARGET_DESC,
	TARGET_OWN,
	TARGET_REPORTS,
	TARGET_PROBES = TARGET_REPORTS + REPORTS_SLOTS,
	TARGET_NODES = TARGET_PROBES + OWNER_PROBES_MAX
};

#endif
