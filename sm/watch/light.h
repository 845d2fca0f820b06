/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * light.h - light sweeps: the periodic check between heavy sweeps.
 * Room: sm/watch.  Pure.
 *
 * A light sweep reads SwitchInfo of every switch, SMInfo of the other SMs and PortInfo of our own
 * port, and renews M_Key leases (leases.h).  If PortStateChange or LinearFDBTop of a switch differs
 * from the end of the last heavy sweep, or a switch does not answer, it requests a heavy sweep.
 * Problems that the last heavy sweep left behind do not: heavy sweeps retry them, at intervals that
 * double (light_is_not_enough()).
 */
#ifndef HEDDLE_SM_WATCH_LIGHT_H
#define HEDDLE_SM_WATCH_LIGHT_H

#include "sm/ha/election.h"
#include "sm/subnet/subnet.h"
#include "sm/watch/leases.h"

struct flaps;
struct probes;

struct light {
	/* Both borrowed: probes, not sweeps, check switches with a flapping link. */
	struct probes *probes;
	const struct flaps *flaps;
	struct leases leases;           /* renewed by light sweeps */
	/* next: index into switches[] of the served snapshot; open: outstanding requests. */
	uint32_t next, open;
	bool obeys_other;               /* MasterSMLID of our own port is not our LID */
	const char *why;                /* why a heavy sweep is needed; static text; NULL: it is not */
	unsigned since;                 /* light sweeps since the last heavy one */
	unsigned sweeps;                /* since the start */
};

/*
 * Whether a heavy sweep is needed instead of a light one.  'problem_sweeps': number of consecutive
 * heavy sweeps that left something unconfigured.
 */
bool light_is_not_enough(const struct light *l, const struct subnet *n, unsigned problem_sweeps);
void light_begin(struct light *l, struct subnet *n, struct election *e);
/* Sends further requests, as many as may be outstanding.  True: all requests have ended. */
bool light_pump(struct light *l, struct subnet *n, const struct election *e);
/* All requests have ended: requests a heavy sweep if something has changed. */
void light_finish(struct light *l, struct subnet *n, struct election *e);
void light_on_end(struct light *l, struct subnet *n, const struct txn_end *e);

#endif
