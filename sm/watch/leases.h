/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * leases.h - keeps the leases of M_Keys running between heavy sweeps.
 * Room: sm/watch.  Pure.
 *
 * A port counts its lease down from the first request with a wrong key, and stops at the first one
 * with the right key. A heavy sweep sends one to every port, and a light sweep to every switch;
 * adapters would be left out, so about three times in a lease a light sweep asks them too.  What
 * they answer shows whether they still hold the key.
 */
#ifndef HEDDLE_SM_WATCH_LEASES_H
#define HEDDLE_SM_WATCH_LEASES_H

#include "sm/subnet/subnet.h"

struct lease_path;

struct leases {
	struct monotime renewed;        /* when the last renewal of all of them began */
	struct monotime began;          /* of the light sweep under way */
	uint32_t next;                  /* into endports[] of the served snapshot */
	bool on;
	struct lease_path *paths;       /* that requests of this light sweep borrow; owned */
};

/*
 * At most so much time between two sweeps, light ones included, if ports are to keep their leases;
 * 0: they have none.
 */
int64_t leases_interval_us(const struct subnet *n);
/* A heavy sweep that began then has spoken to every port. */
void leases_swept(struct leases *l, struct monotime began);
/* A light sweep begins: decides whether it renews leases. */
void leases_begin(struct leases *l, const struct subnet *n);
/* The next request of this light sweep, with its cookie; false: there is none. */
bool leases_next(struct leases *l, const struct subnet *n, struct txn_req *r);
/* Why the whole subnet must be looked at, after the end of a request; NULL: all is well. */
const char *leases_check_end(const struct subnet *n, const struct txn_end *e);
void leases_free(struct leases *l);

#endif
