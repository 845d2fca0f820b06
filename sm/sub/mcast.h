/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.h - multicast groups and their members.
 * Room: sm/sub.  Pure.  In: joins and leaves with what is known of the port; ports that have left.
 * Out: the record to answer with, or a status; the MLIDs whose members changed.
 *
 * A group exists while it has a full member (JoinState 1 or 8).  A group that the manager creates
 * is permanent.  An MLID belongs to one group at a time; only solicited-node groups of IPv6 may
 * share one, if the configuration says so.  A new group gets the MLID that its MGID had last if
 * that is free, otherwise the lowest free one.  docs/sa.md: multicast groups.
 * This module holds the registrations.  sm/registry passes changed members to sm/mcast/mcast.h,
 * which computes the trees.
 */
#ifndef HEDDLE_SM_SUB_MCAST_H
#define HEDDLE_SM_SUB_MCAST_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "sm/conf/partitions.h"
#include "sm/sub/mgid_map.h"

/* JoinState bits that keep a group alive, and bits for which the member receives packets (other
 * members send only). */
#define MCAST_OWNS (JOIN_STATE_FULL | JOIN_STATE_SEND_ONLY_FULL)
#define MCAST_HEARS (JOIN_STATE_FULL | JOIN_STATE_NON)

/* A component of MCMemberRecord's mask; and both components of a value with a selector. */
#define MCAST_COMP(row) SA_COMP(mcmember_record, row)
#define MCAST_SELECTED(row) (MCAST_COMP(row##_selector) | MCAST_COMP(row))

struct mcast_member {
	uint64_t port_guid;             /* or an alias GUID */
	uint8_t join_state;             /* never 0 */
	bool proxy;                     /* joined by another port */
};

struct mcast_group {
	/* the fields common to all members; PortGID, JoinState and ProxyJoin are 0, selectors
	 * are 2 */
	struct mcmember_record rec;
	struct mcast_member *members;   /* sorted by GUID */
	uint32_t nmembers, nowners;     /* nowners: members with MCAST_OWNS */
	uint64_t creator;               /* port GUID; 0: this manager */
	bool permanent;
};

struct mcast_conf {
	uint64_t gid_prefix;
	/* number of MLIDs from MLID_FIRST on: as many as every switch supports */
	uint32_t mlids;
	uint32_t groups, members;       /* of all ports, trusted ones included */
	uint32_t joins_per_port;        /* memberships of one untrusted port */
	uint32_t groups_per_port;       /* existing groups that one untrusted port created */
	/* similar new solicited-node groups (ff1s:601b:PKEY::1:ffXX:XXXX) share an MLID */
	bool consolidate_snm;
};

/*
 * Limits that hosts with many addresses do not reach, but hostile ones do.  No untrusted port gets
 * more than 1/MCAST_SHARE of a total.
 */
#define MCAST_SHARE 8
#define MCAST_CONF_DEFAULTS { .gid_prefix = GID_PREFIX_DEFAULT, .mlids = 1024, .groups = 262144, \
	.members = 4194304, .joins_per_port = 4096, .groups_per_port = 1024 }

struct mcast;
struct mcast *mcast_new(const struct mcast_conf *c);
void mcast_free(struct mcast *m);               /* 'm' may be NULL */
/* A group whose MLID is above the new limit keeps it until the group ends. */
void mcast_set_conf(struct mcast *m, const struct mcast_conf *c);

/*
 * From now on, a group gets the MLID that 'known' has for its MGID, and new assignments are stored
 * there.  'known' is borrowed; NULL: none.  When an MLID gets another MGID, its old rows are
 * dropped.  Above MGID_MAP_MAX rows, the oldest rows without a group are dropped.
 */
void mcast_set_known(struct mcast *m, struct mgid_map *known);
/* A reserved MLID is given only to the MGID for which 'known' has it. */
void mcast_reserve(struct mcast *m, uint16_t mlid);
void mcast_unreserve(struct mcast *m, uint16_t mlid);
/* While 'spare' is set, an MLID that 'known' has for another MGID is used only if no other is
 * free. */
void mcast_spare_known(struct mcast *m, bool spare);

/* A join or leave, with what the SA knows about the port. */
struct mcast_request {
	struct mcmember_record want;
	uint64_t mask;
	/* the member: the GUID in PortGID, of a port or an alias; 0: no port has it */
	uint64_t port_guid;
	uint8_t port_mtu;               /* its link's MTU code */
	uint8_t port_rate;              /* its link's rate code */
	/* mcast_held() of the other GUIDs of the requesting port */
	uint32_t other_joins, other_groups;
	bool self;                      /* the requester is that port */
	bool trusted;
	/* the port's table holds the key of mcast_pkey(), full or limited */
	bool in_partition;
};

/* Number of memberships of that GUID, and of groups that it created. */
void mcast_held(const struct mcast *m, uint64_t guid, uint32_t *joins, uint32_t *groups);
/* The P_Key that a request concerns: that of the group if it exists, otherwise the one in the
 * record. */
uint16_t mcast_pkey(const struct mcast *m, const struct mcmember_record *want);
/* Joins; creates the group first if necessary.  STATUS_OK: '*got' is the answer.  Any other
 * status: nothing changed. */
uint16_t mcast_set(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got);
/* Removes the named JoinState bits of a member; '*got' shows those that remain. */
uint16_t mcast_delete(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got);
/* Whether the common fields of a group match the components of a query (except PortGID, the
 * owner of MLID, JoinState and ProxyJoin, which belong to members). */
bool mcast_matches(
	const struct mcmember_record *rec, const struct mcmember_record *want, uint64_t mask);

/*
 * Creates the permanent IPoIB broadcast group of a partition.  'pkey' may have the membership bit
 * set or not.  False: no MLID is free, or the group exists.
 */
bool mcast_add_broadcast(
	struct mcast *m, uint16_t pkey, uint8_t mtu, uint8_t rate, uint8_t sl, uint8_t scope);
/* Creates a permanent group that partitions.conf defines. */
bool mcast_add_group(struct mcast *m, uint16_t pkey, const struct part_group *g);
/* For permanent groups: mcast_end_group() ends the group with all its members;
 * mcast_release_group() makes it an ordinary group, which exists while it has a full member. */
void mcast_end_group(struct mcast *m, const uint8_t mgid[static 16]);
void mcast_release_group(struct mcast *m, const uint8_t mgid[static 16]);
/* Reverts a join: removes bits of a member, if it has them. */
void mcast_undo(struct mcast *m, const uint8_t mgid[static 16], uint64_t port_guid, uint8_t bits);
/* Ends the memberships of ports that have left.  Scans all groups, so pass ports that left
 * together in one call, sorted. */
void mcast_drop_port(struct mcast *m, uint64_t port_guid);
void mcast_drop_ports(struct mcast *m, const uint64_t *port_guids, uint32_t n);
/* The ports that are members, sorted, each once.  Returns their number; the caller frees
 * '*guids'. */
uint32_t mcast_ports(const struct mcast *m, uint64_t **guids);

const struct mcast_group *mcast_find(const struct mcast *m, const uint8_t mgid[static 16]);
/* The first group with that MLID; NULL: none.  The others are its siblings. */
const struct mcast_group *mcast_by_mlid(const struct mcast *m, uint16_t mlid);
const struct mcast_group *mcast_sibling(const struct mcast_group *g);
/* Groups in the order of their MLIDs: the first with an MLID >= 'mlid', or NULL; the one after
 * 'g'. */
const struct mcast_group *mcast_next(const struct mcast *m, uint16_t mlid);
const struct mcast_group *mcast_after(const struct mcast *m, const struct mcast_group *g);
uint32_t mcast_count(const struct mcast *m);
const struct mcast_member *mcast_member(const struct mcast_group *g, uint64_t port_guid);

/* Marks the members with that MLID as changed. */
void mcast_look_again(struct mcast *m, uint16_t mlid);
/* An MLID whose members changed since it was last taken; 0: none. */
uint16_t mcast_take_changed(struct mcast *m);
bool mcast_has_changed(const struct mcast *m);
/* Whether the MLID is marked as changed. */
bool mcast_is_changed(const struct mcast *m, uint16_t mlid);

/* A group was created or deleted; source of notices. */
struct mcast_event {
	uint8_t mgid[16];
	uint16_t pkey;
	bool created;                   /* otherwise deleted */
};
/* Takes the oldest event. */
bool mcast_next_event(struct mcast *m, struct mcast_event *e);
bool mcast_has_event(const struct mcast *m);

#endif
