/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * role.h - the SM state of this manager, with the values that SMInfo carries (docs/wire.md).
 * Room: sm/subnet.
 *
 * sm/ha owns the state and is the only room that changes it.  The other rooms read it by
 * 'role' of struct subnet, most of them with subnet_is_master() (subnet.h).
 */
#ifndef HEDDLE_SM_SUBNET_ROLE_H
#define HEDDLE_SM_SUBNET_ROLE_H

enum ha_state { HA_NOTACTIVE = 0, HA_DISCOVERING = 1, HA_STANDBY = 2, HA_MASTER = 3 };

#endif
