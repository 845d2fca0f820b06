/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * origin.h - which port a datagram came from.
 * Room: sm/ha.  Pure.
 *
 * A sender can write anything into a datagram but its source LID, which its adapter puts there, and
 * the return path of a directed route, which every switch on the way adds to.  Only these two are
 * compared with the snapshot.
 */
#ifndef HEDDLE_SM_HA_ORIGIN_H
#define HEDDLE_SM_HA_ORIGIN_H

#include "sm/subnet/subnet.h"

/*
 * The GUID of the end port that a datagram came from, by source LID or directed route and what is
 * served; 0: unknown.
 */
uint64_t origin_port_guid(const struct served *v, const struct dgram *d);

#endif
