/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * owner.h - the owner and the target of a transaction.
 * Room: sm/subnet.
 *
 * The owner is the part of the manager that sent a request and receives its end.  The top byte of
 * the cookie of a transaction names the owner; the owner uses the other bytes as it likes.  The
 * table 'owners' in sm/manager/dispatch.c passes each ended transaction to its owner.
 *
 * A target is a number for the addressee of a request.  For each target, libmad/txn measures
 * response times, limits the outstanding requests and skips unresponsive addressees.  Nodes have
 * the numbers from TARGET_NODES on; they are assigned anew in each sweep.  Requests that can be
 * outstanding while a sweep begins or ends have fixed numbers below TARGET_NODES, so they are never
 * attributed to a node.
 */
#ifndef HEDDLE_SM_SUBNET_OWNER_H
#define HEDDLE_SM_SUBNET_OWNER_H

#include <stdint.h>
#include "sm/sub/reports.h"

#define OWNER_POLLS_MAX 64              /* maximum number of outstanding polls of the master */
#define OWNER_PROBES_MAX 64             /* maximum number of switches probed at one time */

enum owner { OWN_DISCOVER = 1, OWN_APPLY, OWN_SMINFO, OWN_POLL, OWN_LIGHT, OWN_DESC, OWN_HANDOVER,
	OWN_PKEYS, OWN_MFT, OWN_REPORT, OWN_QOS, OWN_GUIDS, OWN_PORT_STATE, OWN_PROBE,
	OWN_LFT };
#define OWNER_COUNT (OWN_LFT + 1)
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
