/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * role.h - what this manager is to the subnet: SMInfo's states, with SMInfo's numbers
 * (docs/wire.md).
 * Room: sm/subnet.
 *
 * sm/ha owns the state and is the only room that changes it.  Every other room reads it through
 * struct subnet.
 */
#ifndef HEDDLE_SM_SUBNET_ROLE_H
#define HEDDLE_SM_SUBNET_ROLE_H

enum ha_state { HA_NOTACTIVE = 0, HA_DISCOVERING = 1, HA_STANDBY = 2, HA_MASTER = 3 };

#endif
