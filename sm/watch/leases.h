/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * leases.h - renews M_Key leases between heavy sweeps.
 * Room: sm/watch.  Pure.
 *
 * A port starts its lease timer at the first request with a wrong M_Key, and stops it at the next
 * request with the right one.  If the timer expires, the port is no longer protected.  A heavy
 * sweep sends a request with the right key to every port, a light sweep only to every switch.  So
 * about three times in a lease period a light sweep queries the ports of adapters too.  Their
 * responses show whether they still have the key.
 */
#ifndef HEDDLE_SM_WATCH_LEASES_H
#define HEDDLE_SM_WATCH_LEASES_H

#include "sm/subnet/subnet.h"

struct lease_path;

struct leases {
	struct monotime renewed;        /* when the last renewal of all leases began */
	struct monotime began;          /* start of the light sweep in progress */
	uint32_t next;                  /* into endports[] of the served snapshot */
	bool on;
	struct lease_path *paths;       /* borrowed by requests of this light sweep; owned */
};

/*
 * Maximum time between two sweeps, light ones included, so that no lease expires; 0: ports have no
 * leases.
 */
int64_t leases_interval_us(const struct subnet *n);
/* A heavy sweep that began at 'began' has sent a request to every port. */
void leases_swept(struct leases *l, struct monotime began);
/* A light sweep begins: decides whether it renews leases. */
void leases_begin(struct leases *l, const struct subnet *n);
/* Makes the next request of this light sweep, with its cookie; false: there is none. */
bool leases_next(struct leases *l, const struct subnet *n, struct txn_req *r);
/* After the end of a request: the reason why a heavy sweep is needed; NULL: none is needed. */
const char *leases_check_end(const struct subnet *n, const struct txn_end *e);
void leases_free(struct leases *l);

#endif
