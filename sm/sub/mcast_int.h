/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_int.h - shared by mcast.c (groups, members, MLIDs) and mcast_request.c (checks requests).
 * Room: sm/sub, inside only.  Pure.
 *
 * mcast_request.c decides whether a request is allowed, and calls mcast.c to carry it out.  mcast.c
 * checks nothing.
 */
#ifndef HEDDLE_SM_SUB_MCAST_INT_H
#define HEDDLE_SM_SUB_MCAST_INT_H

#include "sm/sub/mcast.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

struct group {
	struct mcast_group g;           /* first: the public part */
	struct group *sibling;          /* the next one with this MLID */
	UT_hash_handle hh;              /* by g.rec.mgid */
};

/* What a port holds, for the limits. */
struct holder {
	uint64_t port_guid;
	uint32_t joins, groups;
	UT_hash_handle hh;
};

/* The MLID shared by solicited-node groups with equal 'key'. */
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
	uint32_t free_from;             /* every MLID below this index is used or reserved */
	uint32_t top;                   /* every MLID from this index on is unused */
	struct mgid_map *known;         /* borrowed; may be NULL */
	uint64_t reserved[(MLID_COUNT + 63) / 64];
	bool spare_known;
	uint64_t changed[(MLID_COUNT + 63) / 64];
	uint32_t nchanged;
	uint32_t next_mgid;             /* number for the next MGID made here */
	struct mcast_event *events;     /* a ring buffer */
	uint32_t events_head, nevents, events_cap;
};

/* Creates a group with the fields of 'rec' and the next MLID.  NULL: no MLID is free. */
struct group *mcast_create(
	struct mcast *m, const struct mcmember_record *rec, uint64_t creator, bool permanent);
/* Adds JoinState bits; returns the member. */
const struct mcast_member *mcast_add(
	struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits, bool proxy);
/* Removes bits.  False: the group ended with its last full member. */
bool mcast_remove(struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits);
struct group *mcast_group(const struct mcast *m, const uint8_t mgid[static 16]);
const struct holder *mcast_holder(const struct mcast *m, uint64_t port_guid);

#endif
