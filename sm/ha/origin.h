/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * origin.h - the port that sent a datagram.
 * Room: sm/ha.  Pure.
 *
 * A sender can forge every part of a datagram except two: the source LID, which its adapter sets,
 * and the return path of a directed route, to which every switch on the path adds.  Only these two
 * are compared with the snapshot.
 */
#ifndef HEDDLE_SM_HA_ORIGIN_H
#define HEDDLE_SM_HA_ORIGIN_H

#include "sm/subnet/subnet.h"

/*
 * The GUID of the end port that sent a datagram, by source LID or directed route and the served
 * snapshot; 0: unknown.
 */
uint64_t origin_port_guid(const struct served *v, const struct dgram *d);

#endif
