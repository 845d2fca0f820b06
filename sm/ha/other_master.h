/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * other_master.h - whether another master has configured ports since the last sweep.
 * Room: sm/ha.  Pure.
 *
 * A master writes its LID into PortInfo.MasterSMLID of every port.  A manager that stood still may
 * have missed that another one led meanwhile and wrote forwarding tables, so tables that are
 * known from earlier sweeps must be read again.
 */
#ifndef HEDDLE_SM_HA_OTHER_MASTER_H
#define HEDDLE_SM_HA_OTHER_MASTER_H

#include "sm/subnet/subnet.h"

/* Whether a port of 'fresh' names a master that is not ours, and did not when 'v' was swept. */
bool other_master_seen(const struct snapshot *fresh, const struct served *v);

#endif
