/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * observed.h - what is known of the hardware beside the images of a snapshot.
 * Room: fabric/snapshot.  Pure.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_OBSERVED_H
#define HEDDLE_FABRIC_SNAPSHOT_OBSERVED_H

#include "fabric/snapshot/snapshot.h"

struct observed {
	struct snapshot *s;             /* borrowed: images of PortInfo, SwitchInfo, P_Keys */
	uint64_t *lft_unknown;          /* by switch ordinal: some block may not be as planned */
};

#endif
