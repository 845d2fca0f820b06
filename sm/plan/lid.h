/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid.h - assigns LIDs to end ports.
 * Room: sm/plan.  Pure.  In: the snapshot, earlier assignments.  Out: a LID range for every end
 * port.
 *
 * Layout: the hosts of a leaf switch get adjacent LIDs, leaves follow swgraph_leaf_order(), and
 * switches come after the hosts; with LMC 0 the LIDs are packed from 1.  LIDs in force are kept
 * (lid.c defines the term), then stored ones, then other LIDs that ports hold.  The result depends
 * on GUIDs and links only, not on the order of discovery.
 */
#ifndef HEDDLE_SM_PLAN_LID_H
#define HEDDLE_SM_PLAN_LID_H

#include "fabric/snapshot/tables.h"

struct lid_id {
	uint64_t port_guid;
	uint16_t base_lid;
	uint8_t lmc;
	/* another port owns it now: the row is kept for the log, in memory only */
	bool lost;
};

/* The assignments kept across restarts: sorted by GUID, one row per port. */
struct lid_ids {
	const struct lid_id *rows;
	uint32_t n;
};

struct lid_conf {
	uint8_t lmc;                    /* 0..7, for hosts */
	bool lmc_esp0;                  /* enhanced port 0 of switches gets 'lmc', too */
	bool reassign;                  /* ignore stored LIDs and the LIDs that ports hold */
	/* Bits by port index: ports that this manager has managed without interruption.  Their
	 * LID in force is the stored one, whatever the port shows.  NULL: none. */
	const uint64_t *led;
};

#define LID_CHANGES_MAX 10
#define LID_LOST_MAX 1024

enum lid_reason {
	LID_REASON_HELD,                /* another port holds 'lid' */
	LID_REASON_UNALIGNED,           /* 'lid' is not a multiple of 2^LMC */
	/* 'lid' is not a unicast LID, or its range ends above the last one */
	LID_REASON_RANGE,
	LID_REASON_ASIDE,               /* 'lid' is stored for a port that is absent */
	/* this manager assigned 'lid', and something else changed it */
	LID_REASON_ALTERED,
	LID_REASON_REASSIGNED,          /* lid_conf.reassign */
};

/* A port that was live, or had a stored LID, and gets another LID. */
struct lid_change {
	uint64_t guid, holder;          /* of the ports; holder 0: none holds 'lid' */
	uint16_t from, to, lid;
	uint8_t lmc;                    /* wanted */
	bool live;                      /* 'from' was in force; otherwise it was stored */
	enum lid_reason reason;
};

struct lid_report {
	uint32_t ports;                 /* end ports with a LID: the sum of the next four */
	uint32_t kept_live, kept_stored, kept_present, fresh;
	uint32_t overrode;              /* part of 'kept_live': the stored LID differed */
	uint32_t renumbered;            /* changes of live ports */
	/* stored rows of absent ports: their ranges stay free as long as possible */
	uint32_t stale;
	uint32_t stale_reused;
	uint32_t lids;                  /* LIDs owned */
	/* with -ENOSPC: the LIDs that all end ports need together at this LMC */
	uint32_t needed;
	uint32_t nchanges;
	/* the first changes: live ports, then others, by GUID */
	struct lid_change changes[LID_CHANGES_MAX];
};

/* Assigns LIDs.  'stored' may be NULL.  '*out' is owned by 'a'.  Returns 0; -EINVAL if an LMC is
 * above 7; -ENOSPC if more LIDs are needed (r->needed) than exist (LID_UCAST_MAX). */
int plan_lids(const struct snapshot *s, const struct lid_ids *stored, const struct lid_conf *c,
	struct arena *a, struct lid_map *out, struct lid_report *r);
/* Explains a change, for example "LID 12 is held by ...".  'holder' names the port that holds
 * it; may be NULL. */
const char *lid_change_text(const struct lid_change *c, const char *holder, char *buf, size_t len);

/* ---- lid_keep.c ---- */

/* The rows to store: one per live port, and the rows of 'stored' for absent ports.  Such a row
 * is marked lost if another port owns one of its LIDs.  Sorted by GUID. */
void plan_lids_to_store(const struct snapshot *s, const struct lid_map *m,
	const struct lid_ids *stored, struct arena *a, struct lid_ids *out);
/* The unicast LIDs of a row: sets '*lo' to the first and returns one past the last. */
uint32_t lid_id_range(const struct lid_id *row, uint32_t *lo);

#endif
