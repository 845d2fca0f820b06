/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * light.h - light sweeps: what is asked between heavy sweeps.
 * Room: sm/watch.  Pure.
 *
 * A light sweep asks every switch for SwitchInfo, the other managers for SMInfo, our own port for
 * PortInfo, and renews leases. A PortStateChange or a table that was not there when the last heavy
 * sweep ended asks for another heavy sweep.  What stays as that one left it does not: it is looked
 * at ever more rarely.
 */
#ifndef HEDDLE_SM_WATCH_LIGHT_H
#define HEDDLE_SM_WATCH_LIGHT_H

#include "sm/ha/election.h"
#include "sm/subnet/subnet.h"
#include "sm/watch/leases.h"

struct flaps;
struct probes;

struct light {
	/* Borrowed, as are flaps: switches with a flapping link are looked at otherwise. */
	struct probes *probes;
	const struct flaps *flaps;
	struct leases leases;           /* that light sweeps renew */
	/* Next: into switches[] of the served snapshot; open: requests under way. */
	uint32_t next, open;
	bool obeys_other;               /* our own port names another manager's LID */
	const char *why;                /* a heavy sweep is needed; static text; NULL: not */
	unsigned since;                 /* light sweeps since the last heavy one */
	unsigned sweeps;                /* ever */
};

/*
 * Whether a heavy sweep is due instead; 'problem_sweeps': heavy sweeps in a row that left something
 * unconfigured.
 */
bool light_is_not_enough(const struct light *l, const struct subnet *n, unsigned problem_sweeps);
void light_begin(struct light *l, struct subnet *n, struct election *e);
/* Sends what may be sent now.  True: all has ended. */
bool light_pump(struct light *l, struct subnet *n, const struct election *e);
/* All has ended: asks for a heavy sweep if something has changed. */
void light_finish(struct light *l, struct subnet *n, struct election *e);
void light_on_end(struct light *l, struct subnet *n, const struct txn_end *e);

#endif
