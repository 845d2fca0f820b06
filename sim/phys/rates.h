/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.h - computes the rate of traffic at each port from senders, receivers and tables (rates.c,
 * for traffic.c).
 * Room: sim/phys (private to it).  Pure.  All rates are words of 4 bytes a second.
 *
 * Traffic is not simulated packet by packet.  rates_find() follows the forwarding tables once and
 * computes a constant rate for each port; traffic.c multiplies the rates by the time that has
 * passed to get counters, and calls rates_find() again after a change of links or tables.  The
 * comment at the top of rates.c describes the computation.
 */
#ifndef HEDDLE_SIM_PHYS_RATES_H
#define HEDDLE_SIM_PHYS_RATES_H

#include "sim/phys/phys.h"

/* An end port that takes part. */
struct rates_host {
	uint32_t port;                  /* index */
	uint32_t from;                  /* permutation: the host that sends to it */
	uint64_t guid;
	double rate;                    /* that it offers; 0 while its link is not ACTIVE */
	uint16_t lid;                   /* where others send to; the last one it had */
};

/* The traffic: senders and receivers. */
struct rates_ask {
	const struct hw_traffic *spec;
	const struct rates_host *hosts;
	uint32_t nhosts, hot;
	struct monotime now;            /* for the logs */
};

struct rates_port {
	double capacity;
	/* leaving the port: with unlimited links; actually */
	double offered, carried;
	double inactive;                /* lost here because the link is not up */
	double unrouted;                /* arrived here, without a forwarding entry */
	double looping;                 /* caught in a loop of the tables here */
	double marked;                  /* marked as congested here */
	/* marked packets, and notifications, that reach this end port */
	double fecn, becn;
};

/* Returns the capacity of a link in words a second, from the active width and speed of its end
 * 'p'. */
uint64_t rates_capacity(const struct hw_port *p);
/* Computes the rates of all ports.  'out' has an entry for each port of the fabric; on entry,
 * everything in it but the capacity is zero.  Also writes the congestion logs of ports that mark
 * packets or are notified. */
void rates_find(struct hw *h, const struct rates_ask *a, struct rates_port *out);

#endif
