/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traffic.h - starts and stops simulated traffic between hosts.
 * Room: sim/phys.  Pure.
 *
 * Traffic increases the counters of all ports on its path as time passes; no packets are made.  It
 * lets counters, congestion and diagnostics be tested on a large fabric at little cost: between two
 * changes of links or tables each port has a constant rate (rates.h), and its counters are brought
 * up to date when they are read.  A fabric has at most one traffic at a time.
 */
#ifndef HEDDLE_SIM_PHYS_TRAFFIC_H
#define HEDDLE_SIM_PHYS_TRAFFIC_H

#include "sim/phys/types.h"

/* Starts the traffic 't' (copied) at 'now' and replaces any present traffic.  Returns 0, -EINVAL if
 * fewer than two end ports can take part, -ENOENT if the hot port of a hotspot is none of them;
 * after an error the present traffic continues. */
int hw_traffic_start(struct hw *h, const struct hw_traffic *t, struct monotime now);
/* Stops the traffic, if there is any; the counters keep what was counted up to 'now'. */
void hw_traffic_stop(struct hw *h, struct monotime now);
struct hw_traffic_view {
	bool on;
	struct hw_traffic spec;
	uint32_t hosts;                 /* that take part */
	uint64_t offered_mbps, carried_mbps;    /* by all of them together, now */
	uint32_t full;                  /* ports that are offered more than they carry */
};
/* Fills 'v' with the traffic at 'now'. */
void hw_traffic_view(struct hw *h, struct monotime now, struct hw_traffic_view *v);

#endif
