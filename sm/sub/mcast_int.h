/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_int.h - what mcast.c (groups, members, MLIDs) and mcast_ask.c (judging requests) share.
 * Room: sm/sub, inside only.  Pure.
 */
#ifndef HEDDLE_SM_SUB_MCAST_INT_H
#define HEDDLE_SM_SUB_MCAST_INT_H

#include "sm/sub/mcast.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

struct group {
	struct mcast_group g;           /* first: what outsiders see */
	struct group *sibling;          /* the next one with this MLID */
	UT_hash_handle hh;              /* by g.rec.mgid */
};

/* What a port holds, for the limits. */
struct holder {
	uint64_t port_guid;
	uint32_t joins, groups;
	UT_hash_handle hh;
};

/* The MLID that solicited-node groups with so much in common share. */
struct shared {
	uint8_t key[8];
	uint16_t mlid;
	UT_hash_handle hh;
};

#define MLID_COUNT (MLID_LAST - MLID_FIRST + 1)

struct mcast {
	struct mcast_conf conf;
	struct group *by_mgid;
	struct holder *holders;
	uint32_t nmembers;              /* of all groups */
	struct group *by_mlid[MLID_COUNT];      /* the first of each */
	struct shared *shared;
	uint32_t free_from;             /* no MLID below this place is free and not reserved */
	uint32_t top;                   /* all places from here on are empty */
	struct mgid_map *known;         /* borrowed; may be NULL */
	uint64_t reserved[(MLID_COUNT + 63) / 64];
	bool spare_known;
	uint64_t changed[(MLID_COUNT + 63) / 64];
	uint32_t nchanged;
	uint32_t next_mgid;             /* of the MGIDs that we make up */
	struct mcast_event *events;     /* a ring */
	uint32_t events_head, nevents, events_cap;
};

/* A new group that shares 'rec'; takes the next MLID.  NULL: there is none. */
struct group *mcast_create(
	struct mcast *m, const struct mcmember_record *rec, uint64_t creator, bool permanent);
/* Adds bits; the member's row. */
const struct mcast_member *mcast_add(
	struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits, bool proxy);
/* Takes bits away.  False: the group is gone with its last owner. */
bool mcast_remove(struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits);
struct group *mcast_group(const struct mcast *m, const uint8_t mgid[static 16]);
const struct holder *mcast_holder(const struct mcast *m, uint64_t port_guid);
void mcast_broadcast_mgid(uint8_t mgid[static 16], uint16_t pkey, uint8_t scope);

#endif
