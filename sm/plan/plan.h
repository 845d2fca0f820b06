/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * plan.h - the wanted state of the whole subnet, beside the observed one.
 * Room: sm/plan.  Pure: equal input gives equal bytes.
 * In: snapshot, configuration, LIDs of earlier runs.  Out: LIDs, forwarding tables, what every port
 * shall show.
 *
 * A plan is const once it is made.  What is learnt of the hardware goes to what is observed
 * (fabric/snapshot/observed.h).  Two parts of what is wanted follow what hosts register, and the
 * plan only leads to them: the multicast trees and the GUID tables.
 */
#ifndef HEDDLE_SM_PLAN_PLAN_H
#define HEDDLE_SM_PLAN_PLAN_H

#include "fabric/snapshot/tables.h"
#include "sm/plan/guid.h"
#include "sm/plan/lid.h"
#include "sm/plan/link.h"
#include "sm/plan/mcast.h"
#include "sm/plan/pkey.h"
#include "sm/plan/qos.h"

struct plan {
	struct arena arena;             /* owns lids and pkeys */
	/* owns fwd and what its engine reported: emptied when its tables are refused */
	struct arena fwd_arena;
	const struct snapshot *snapshot;
	struct lid_map lids;
	struct fwd_tables fwd;
	struct link_conf links;         /* MTU, VLs, timeouts, limits */
	struct pkey_plan pkeys;
	struct qos_plan qos;            /* tables of lanes; .on false: nobody touches them */
	const char *engine;             /* that made the tables; static text */
	uint32_t nlids;                 /* LIDs owned */
	uint16_t sm_lid;
	uint8_t packet_life_time;       /* SwitchInfo.LifeTimeValue */
	uint16_t mft_top;               /* MulticastFDBTop of switches that have it; 0: leave it */
	struct mcast_plan *mcast;       /* multicast trees, they follow joins; NULL: none */
	const struct guid_tables *guids;        /* they follow alias GUIDs; borrowed; NULL: none */
	/* A bit for each port index: a client there is asked to register again; NULL none. */
	const uint64_t *reregister;
};

/* NULL is fine. */
void plan_free(const struct plan *p);

/*
 * What port 'p' (index) of the plan's snapshot shall show, from its present image (sm/plan/link.h),
 * with ClientReregister where it is owed; enforcement as planned, whether or not the table is there
 * yet.  False: nothing may or need be set there.
 */
bool plan_port_wanted(const struct plan *plan, uint32_t p, struct port_info *want);
/* The wanted SwitchInfo of a switch (ordinal): LinearFDBTop, life time; PortStateChange set: clear
 * it. */
struct switch_info plan_switch_wanted(const struct plan *plan, uint32_t sw);

#endif
