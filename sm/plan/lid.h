/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid.h - who gets which LID.
 * Room: sm/plan.  Pure.  In: the snapshot, what was assigned before.  Out: a LID range for every end port.
 *
 * Hosts of a leaf stand together, leaves in swgraph_leaf_order(), switches behind the hosts; packed from 1 when LMC is 0.
 * A live port that holds or remembers a usable LID keeps it.  The result depends on GUIDs and cables only, not on the
 * order in which things were discovered.
 */
#ifndef HEDDLE_SM_PLAN_LID_H
#define HEDDLE_SM_PLAN_LID_H

#include "fabric/tables.h"

struct lid_id {
	uint64_t port_guid;
	uint16_t base_lid;
	uint8_t lmc;
};

/* What is kept across restarts: sorted by GUID, one row per port. */
struct lid_ids {
	const struct lid_id *rows;
	uint32_t n;
};

struct lid_conf {
	uint8_t lmc;                    /* 0..7, for hosts */
	bool lmc_esp0;                  /* for enhanced port 0 of switches as well */
	bool reassign;                  /* forget what is stored and what the ports hold */
};

#define LID_CONFLICTS_MAX 10

struct lid_conflict {
	uint32_t port;                  /* snapshot index of the port whose LID was taken from it */
	uint32_t winner;                /* who holds it; FAB_NONE: the LID was out of range or not aligned */
	uint16_t lid;
};

struct lid_report {
	uint32_t ports;                 /* end ports that got a LID */
	uint32_t kept_stored, kept_present, fresh;
	uint32_t renumbered;            /* of 'fresh': ports that held another LID, unusable or in conflict */
	uint32_t stale;                 /* stored rows whose port is not there: their range stays free while it can */
	uint32_t stale_reused;
	uint32_t lids;                  /* LIDs owned */
	uint32_t needed;                /* -ENOSPC: LIDs that all end ports need together, at this LMC */
	uint32_t nconflicts;
	struct lid_conflict conflicts[LID_CONFLICTS_MAX];
};

/* Assigns.  'stored' may be NULL.  '*out' is owned by 'a'.
 * 0; -EINVAL: LMC above 7; -ENOSPC: more LIDs are needed (r->needed) than there are (LID_UCAST_MAX). */
int plan_lids(const struct snapshot *s, const struct lid_ids *stored, const struct lid_conf *c, struct arena *a,
	struct lid_map *out, struct lid_report *r);
/* What to store: one row per live port and the stale rows of 'stored' whose range nobody took.  Sorted by GUID. */
void plan_lids_to_store(const struct snapshot *s, const struct lid_map *m, const struct lid_ids *stored,
	struct arena *a, struct lid_ids *out);

#endif
