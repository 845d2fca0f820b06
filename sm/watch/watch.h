/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * watch.h - what is looked at between heavy sweeps, and what is known of changes from one sweep to
 * the next.
 * Room: sm/watch.  Pure.
 *
 * Nothing in this room configures the fabric or begins a heavy sweep: it asks questions that cost
 * little, compares the answers with what the last sweep left, and asks for a sweep
 * (sm/subnet/schedule.h) where that is not enough.
 *   light.h         light sweeps                      leases.h        leases of M_Keys
 *   own_port.h      the link of our own port          descriptions.h  node descriptions that
 *                   changed
 *   probes.h        which port of a switch changed    flaps.h         links that change too often
 *   missing.h       nodes and links that are gone     roster.h        the nodes and links of a
 *                   sweep
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
	struct probes *probes;          /* forgotten when another manager leads */
	struct flaps *flaps;            /* likewise */
	struct missing *missing;        /* likewise */
};

void watch_init(struct watch *w);
void watch_free(struct watch *w);
/* Another manager leads: what was seen of links and nodes is forgotten. */
void watch_reset(struct watch *w);

#endif
