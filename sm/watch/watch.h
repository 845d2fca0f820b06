/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * watch.h - monitoring of the subnet between heavy sweeps, and tracking of changes from one sweep
 * to the next.
 * Room: sm/watch.  Pure.
 *
 * This room never configures the fabric and never begins a heavy sweep.  It sends a few cheap
 * requests, compares the responses with the result of the last sweep, and requests a sweep
 * (sm/subnet/schedule.h) if something has changed.
 *   light.h         light sweeps
 *   leases.h        renews the leases of M_Keys
 *   own_port.h      monitors the link of our own port
 *   descriptions.h  reads changed node descriptions
 *   probes.h        finds the port of a switch that changed
 *   flaps.h         detects flapping links
 *   missing.h       reports nodes and links that are gone
 *   roster.h        the nodes and links of a sweep, and the differences of two sweeps
 */
#ifndef HEDDLE_SM_WATCH_WATCH_H
#define HEDDLE_SM_WATCH_WATCH_H

#include "sm/watch/descriptions.h"
#include "sm/watch/flaps.h"
#include "sm/watch/light.h"
#include "sm/watch/missing.h"
#include "sm/watch/own_port.h"
#include "sm/watch/probes.h"

struct watch {
	struct light light;
	struct own_port own_port;
	struct descriptions descriptions;
	struct probes *probes;          /* cleared by watch_reset() */
	struct flaps *flaps;            /* cleared by watch_reset() */
	struct missing *missing;        /* cleared by watch_reset() */
};

void watch_init(struct watch *w);
void watch_free(struct watch *w);
/* Another SM is master: clears what is known of links and nodes. */
void watch_reset(struct watch *w);

#endif
