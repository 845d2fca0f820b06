/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sminfo.h - what other subnet managers ask of us: Get and Set of SMInfo.
 * Room: sm/ha.  Pure.
 *
 * Whoever shows the M_Key of our port, or everybody where there is none, is trusted with our
 * SM_Key: other managers compare it. Set(SMInfo) has an effect only with both keys, from a manager
 * that is allowed, and from the port whose GUID it carries (origin.h).
 */
#ifndef HEDDLE_SM_HA_SMINFO_H
#define HEDDLE_SM_HA_SMINFO_H

#include "sm/ha/election.h"

/*
 * Answers a Get or Set of a management datagram of the subnet management classes that is addressed
 * to us.
 */
void sminfo_receive(struct election *e, struct subnet *n, struct dgram *d);

#endif
