/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traffic.h - starts and stops simulated traffic between hosts.
 * Room: sim/phys.  Pure.
 *
 * Traffic increases the counters of all ports on its path as time passes; no packets are made.
 */
#ifndef HEDDLE_SIM_PHYS_TRAFFIC_H
#define HEDDLE_SIM_PHYS_TRAFFIC_H

#include "sim/phys/types.h"

/* Replaces any present traffic.  -EINVAL: fewer than two such ports; -ENOENT: no such hot
 * port. */
int hw_traffic_start(struct hw *h, const struct hw_traffic *t, struct monotime now);
void hw_traffic_stop(struct hw *h, struct monotime now);
struct hw_traffic_view {
	bool on;
	struct hw_traffic spec;
	uint32_t hosts;                 /* that take part */
	uint64_t offered_mbps, carried_mbps;    /* by all of them together, now */
	uint32_t full;                  /* ports that are offered more than they carry */
};
void hw_traffic_view(struct hw *h, struct monotime now, struct hw_traffic_view *v);

#endif
