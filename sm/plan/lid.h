/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid.h - who gets which LID.
 * Room: sm/plan.  Pure.  In: the snapshot, what was assigned before.  Out: a LID range for every
 * end port.
 *
 * Hosts of a leaf stand together, leaves in swgraph_leaf_order(), switches behind the hosts; packed
 * from 1 when LMC is 0. LIDs in force are kept (lid.c says which those are), then stored ones, then
 * what else ports hold.  The result depends on GUIDs and cables only, not on the order in which
 * things were discovered.
 */
#ifndef HEDDLE_SM_PLAN_LID_H
#define HEDDLE_SM_PLAN_LID_H

#include "fabric/snapshot/tables.h"

struct lid_id {
	uint64_t port_guid;
	uint16_t base_lid;
	uint8_t lmc;
	/* another port has it by now: kept for the log, in memory only */
	bool lost;
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
	/* Bits by port index: ports that this manager has led without a break, so that the LID in
	 * force is the stored one, whatever the port shows.  NULL: none. */
	const uint64_t *led;
};

#define LID_CHANGES_MAX 10
#define LID_LOST_MAX 1024

enum lid_reason {
	LID_REASON_HELD,                /* 'lid' is another port's */
	LID_REASON_UNALIGNED,           /* 'lid' is not a multiple of 2^LMC */
	/* 'lid' is not a unicast LID, or its range ends behind the last one */
	LID_REASON_RANGE,
	LID_REASON_ASIDE,               /* 'lid' is stored for a port that is not there */
	/* 'lid' was assigned by us, and something else altered it */
	LID_REASON_ALTERED,
	LID_REASON_REASSIGNED,          /* lid_conf.reassign */
};

/* A port that was live, or had a stored LID, and gets another LID. */
struct lid_change {
	uint64_t guid, holder;          /* of the ports; 0: nobody holds 'lid' */
	uint16_t from, to, lid;
	uint8_t lmc;                    /* wanted */
	bool live;                      /* 'from' was in force; else it was stored */
	enum lid_reason reason;
};

struct lid_report {
	uint32_t ports;                 /* end ports that got a LID: the sum of the next four */
	uint32_t kept_live, kept_stored, kept_present, fresh;
	uint32_t overrode;              /* of 'kept_live': the stored LID was another one */
	uint32_t renumbered;            /* changes of live ports */
	/* stored rows whose port is not there: their range stays free while it can */
	uint32_t stale;
	uint32_t stale_reused;
	uint32_t lids;                  /* LIDs owned */
	/* -ENOSPC: LIDs that all end ports need together, at this LMC */
	uint32_t needed;
	uint32_t nchanges;
	/* the first of them: live ports, then others, by GUID */
	struct lid_change changes[LID_CHANGES_MAX];
};

/* Assigns.  'stored' may be NULL.  '*out' is owned by 'a'.  0; -EINVAL: LMC above 7; -ENOSPC: more
 * LIDs are needed (r->needed) than there are (LID_UCAST_MAX). */
int plan_lids(const struct snapshot *s, const struct lid_ids *stored, const struct lid_conf *c,
	struct arena *a, struct lid_map *out, struct lid_report *r);
/* "LID 12 is held by", ...: 'holder' names who holds it, or is NULL. */
const char *lid_change_text(const struct lid_change *c, const char *holder, char *buf, size_t len);

/* ---- lid_keep.c ---- */

/* What to keep: one row per live port, and the rows of 'stored' for ports that are not there.
 * Where another port owns a LID of such a row, the row is lost.  Sorted by GUID. */
void plan_lids_to_store(const struct snapshot *s, const struct lid_map *m,
	const struct lid_ids *stored, struct arena *a, struct lid_ids *out);
/* The LIDs of a row that lie within bounds: the first in '*lo', one past the last returned. */
uint32_t lid_id_range(const struct lid_id *row, uint32_t *lo);

#endif
