/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * plan.h - the wanted state of the whole subnet, beside the observed one.
 * Room: sm/plan.  Pure: equal input gives equal bytes.
 * In: snapshot, configuration, LIDs of earlier runs.  Out: LIDs, forwarding tables, the wanted
 * PortInfo and SwitchInfo.
 *
 * A plan is const once it is made.  What heddled learns about the hardware goes to the observed
 * state (fabric/snapshot/observed.h); sm/diff compares the two and lists the changes.  Two parts of
 * the wanted state follow the registrations of hosts, so the plan only points to them: the
 * multicast trees and the GUID tables.
 * Where to look next: one header per part - lid.h, link.h, pkey.h, qos.h, mcast.h, guid.h.
 */
#ifndef HEDDLE_SM_PLAN_PLAN_H
#define HEDDLE_SM_PLAN_PLAN_H

#include "fabric/snapshot/tables.h"
#include "sm/plan/guid.h"
#include "sm/plan/lid.h"
#include "sm/plan/link.h"
#include "sm/mcast/mcast.h"
#include "sm/plan/pkey.h"
#include "sm/plan/qos.h"

/* 64 entries of a switch (ordinal). */
struct plan_block {
	uint32_t sw, block;
};

/* What is known of the way from other tables to those of the plan. */
struct plan_step {
	/* tables that differ from those of the plan in 'blocks' only, by the same ordinals; held.
	 * NULL: nothing is known */
	struct fwd_rows *from;
	const struct plan_block *blocks;        /* owned by fwd_arena */
	uint32_t nblocks;
	/* the turns of the plan's tables and perhaps of earlier ones (fabric/verify/verify.h);
	 * held; NULL: not known */
	struct fwd_rows *turns;
	/* the dependencies of the plan's tables alone, with their VLs (struct verify_in); held
	 * until the trees are planned; NULL: not known */
	struct fwd_rows *exact;
};

struct plan {
	struct arena arena;             /* owns lids and pkeys */
	/* owns fwd (unless fwd.rows holds it) and the report of its engine; cleared when the tables
	 * are rejected */
	struct arena fwd_arena;
	const struct snapshot *snapshot;
	struct lid_map lids;
	struct fwd_tables fwd;          /* its rows are held, if they can be */
	struct plan_step step;
	struct link_conf links;         /* MTU, VLs, timeouts, limits */
	struct pkey_plan pkeys;
	/* SL-to-VL and VL arbitration tables; .on false: leave them unchanged */
	struct qos_plan qos;
	const char *engine;             /* the engine that made the tables; static text */
	/* the engine promises no deadlock for packets from hosts only (verify.h, scope hosts) */
	bool hosts_only;
	uint32_t nlids;                 /* LIDs owned */
	uint16_t sm_lid;
	uint8_t packet_life_time;       /* SwitchInfo.LifeTimeValue */
	/* MulticastFDBTop of switches that have it; 0: leave it unchanged */
	uint16_t mft_top;
	struct mcast_plan *mcast;       /* multicast trees, follow joins; NULL: none */
	const struct guid_tables *guids;        /* follow alias GUIDs; borrowed; NULL: none */
	/* A bit for each port index: clients on that port must register again; NULL: none. */
	const uint64_t *reregister;
};

/* Drops the tables and what is known of the step to them. */
void plan_drop_tables(struct plan *p);
/* Drops what is known of the step, once the switches hold the tables: those before are then free to
 * be written again. */
void plan_end_step(const struct plan *p);
/* 'p' may be NULL. */
void plan_free(const struct plan *p);

/*
 * The wanted PortInfo of port 'p' (an index of the plan's snapshot), based on its present image
 * (sm/plan/link.h).  MasterSMSL is the SL that the routing requires.  Sets ClientReregister where clients must register again, and enforcement as
 * planned, even if the P_Key table is not written yet.  False: nothing may or need be set there.
 */
bool plan_port_wanted(const struct plan *plan, uint32_t p, struct port_info *want);
/* The same for several ports one after the other; 'last' keeps the M_Key of a switch for its next
 * port. */
bool plan_port_wanted_next(
	const struct plan *plan, struct mkeys_last *last, uint32_t p, struct port_info *want);
/*
 * Whether plan_port_wanted() takes the same from both plans: what it takes for all ports, and for
 * the 'n' ports from 'p' of 'a' and from 'q' of 'b'.  Whoever gives plan_port_wanted() another
 * input adds it to one of these two, or to the images that sm/diff/settled.c compares.
 */
bool plan_rules_alike(const struct plan *a, const struct plan *b);
bool plan_ports_alike(
	const struct plan *a, uint32_t p, const struct plan *b, uint32_t q, uint32_t n);
/*
 * The wanted SwitchInfo of a switch (ordinal): LinearFDBTop, life time, and MulticastFDBTop where
 * the switch has it.  PortStateChange is as it was read: writing 1 clears a change that was seen,
 * and writing 0 leaves one that came later.
 */
struct switch_info plan_switch_wanted(const struct plan *plan, uint32_t sw);

#endif
