/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sminfo.h - SMInfo requests of other SMs: Get and Set.
 * Room: sm/ha.  Pure.
 *
 * The response contains our SM_Key, which other SMs compare, only if the request carries the M_Key
 * of our port, or our port has none.  Set(SMInfo) has an effect only with both keys, from an SM in
 * allowed_sm_guids, and if it was sent by the port whose GUID it carries (origin.h).
 */
#ifndef HEDDLE_SM_HA_SMINFO_H
#define HEDDLE_SM_HA_SMINFO_H

#include "sm/ha/election.h"

/*
 * Responds to a Get or Set of the subnet management classes that is addressed to us.
 */
void sminfo_receive(struct election *e, struct subnet *n, struct dgram *d);

#endif
