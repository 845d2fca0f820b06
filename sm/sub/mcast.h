/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.h - multicast groups and who is in them.
 * Room: sm/sub.  Pure.  In: joins and leaves with what is known of the port, ports that went away.
 * Out: the record to answer with or a status; which MLIDs have other members than before.
 *
 * A group lives while it has a full member (JoinState 1 or 8), or for ever if it was created here
 * and not by a join. An MLID belongs to one group at a time, but for solicited-node groups of IPv6
 * if those are to be consolidated.  A new group gets the MLID that its MGID had last, if that is
 * free, else the lowest free one.  docs/sa.md: multicast groups.
 */
#ifndef HEDDLE_SM_SUB_MCAST_H
#define HEDDLE_SM_SUB_MCAST_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "sm/conf/partitions.h"
#include "sm/sub/mgid_map.h"

/* JoinState: keeps a group alive; has packets sent to it (others send only). */
#define MCAST_OWNS (JOIN_STATE_FULL | JOIN_STATE_SEND_ONLY_FULL)
#define MCAST_HEARS (JOIN_STATE_FULL | JOIN_STATE_NON)

/* A component of MCMemberRecord's mask; both of a value that a selector qualifies. */
#define MCAST_COMP(row) SA_COMP(mcmember_record, row)
#define MCAST_SELECTED(row) (MCAST_COMP(row##_selector) | MCAST_COMP(row))

struct mcast_member {
	uint64_t port_guid;             /* or an alias GUID */
	uint8_t join_state;             /* never 0 */
	bool proxy;                     /* somebody else joined it */
};

struct mcast_group {
	/* what all members share; PortGID, JoinState, ProxyJoin 0; selectors 2 */
	struct mcmember_record rec;
	struct mcast_member *members;   /* sorted by GUID */
	uint32_t nmembers, nowners;     /* nowners: members with MCAST_OWNS */
	uint64_t creator;               /* port GUID; 0: we */
	bool permanent;
};

struct mcast_conf {
	uint64_t gid_prefix;
	/* how many there are from MLID_FIRST on: what every switch has room for */
	uint32_t mlids;
	uint32_t groups, members;       /* of all ports, trusted ones too */
	uint32_t joins_per_port;        /* memberships of one port, for those who are not trusted */
	uint32_t groups_per_port;       /* groups that one port has created and that still live */
	/* new solicited-node groups (ff1s:601b:PKEY::1:ffXX:XXXX) that are alike share an MLID */
	bool consolidate_snm;
};

/*
 * Limits that a host with many addresses does not reach and a hostile one does.  No port gets more
 * than MCAST_SHARE of what there is.
 */
#define MCAST_SHARE 8
#define MCAST_CONF_DEFAULTS { .gid_prefix = GID_PREFIX_DEFAULT, .mlids = 1024, .groups = 262144, \
	.members = 4194304, .joins_per_port = 4096, .groups_per_port = 1024 }

struct mcast;
struct mcast *mcast_new(const struct mcast_conf *c);
void mcast_free(struct mcast *m);               /* NULL is fine */
/* Groups whose MLID is beyond the new number keep it until they end. */
void mcast_set_conf(struct mcast *m, const struct mcast_conf *c);

/*
 * From now on groups get the MLIDs that 'known' has for their MGIDs, and are noted there; borrowed,
 * NULL: nothing is known.  An MLID that goes to another MGID takes the rows along that it had;
 * beyond MGID_MAP_MAX rows the oldest without a group go.
 */
void mcast_set_known(struct mcast *m, struct mgid_map *known);
/* A reserved MLID goes to no group but the one for whose MGID 'known' has it. */
void mcast_reserve(struct mcast *m, uint16_t mlid);
void mcast_unreserve(struct mcast *m, uint16_t mlid);
/* While 'spare' is set, an MLID that 'known' has for another MGID is taken only when no other is
 * free. */
void mcast_spare_known(struct mcast *m, bool spare);

/* What the subnet administration knows of one request before it comes here. */
struct mcast_request {
	struct mcmember_record want;
	uint64_t mask;
	/* who shall be a member: the GUID of PortGID, a port's or an alias; 0: it is nobody's */
	uint64_t port_guid;
	uint8_t port_mtu;               /* its link's MTU code */
	uint8_t port_rate;              /* its link's rate code */
	/* mcast_held() of the other GUIDs of the port that asks */
	uint32_t other_joins, other_groups;
	bool self;                      /* the requester is that port */
	bool trusted;
	/* that port has the key of mcast_pkey() in its table, full or limited */
	bool in_partition;
};

/* What lives under that GUID: memberships; groups that it created. */
void mcast_held(const struct mcast *m, uint64_t guid, uint32_t *joins, uint32_t *groups);
/* The P_Key that a request is about: of the group if there is one, else the one it names. */
uint16_t mcast_pkey(const struct mcast *m, const struct mcmember_record *want);
/* Joins, and creates the group before that if need be.  STATUS_OK: '*got' is the answer; else
 * nothing happened. */
uint16_t mcast_set(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got);
/* Leaves with the named bits of JoinState; '*got' shows those that remain. */
uint16_t mcast_delete(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got);
/* Whether a row with these common fields is what the components of a query name (all but PortGID,
 * MLID's owner, JoinState and ProxyJoin, which are a member's). */
bool mcast_matches(
	const struct mcmember_record *rec, const struct mcmember_record *want, uint64_t mask);

/*
 * Makes the IPoIB broadcast group of a partition, for ever.  'pkey' with or without the membership
 * bit.  False: no MLID is free, or it is there already.
 */
bool mcast_add_broadcast(
	struct mcast *m, uint16_t pkey, uint8_t mtu, uint8_t rate, uint8_t sl, uint8_t scope);
/* The same with a group that a partition brings along. */
bool mcast_add_group(struct mcast *m, uint16_t pkey, const struct part_group *g);
/* A group that was made by one of those two ends, whoever is in it; or is one like others, which
 * lives while it has a full member. */
void mcast_end_group(struct mcast *m, const uint8_t mgid[static 16]);
void mcast_release_group(struct mcast *m, const uint8_t mgid[static 16]);
/* Takes back what a join has just brought: bits of a member.  Nothing when they are not there. */
void mcast_undo(struct mcast *m, const uint8_t mgid[static 16], uint64_t port_guid, uint8_t bits);
/* That port has gone: its memberships end.  Looks at all groups; those that went together are
 * dropped together, sorted. */
void mcast_drop_port(struct mcast *m, uint64_t port_guid);
void mcast_drop_ports(struct mcast *m, const uint64_t *port_guids, uint32_t n);
/* Calls nobody back: the ports that are members, each once, sorted; returns their number, '*guids'
 * is the caller's. */
uint32_t mcast_ports(const struct mcast *m, uint64_t **guids);

const struct mcast_group *mcast_find(const struct mcast *m, const uint8_t mgid[static 16]);
/* The first group with that MLID, NULL; the others are its siblings. */
const struct mcast_group *mcast_by_mlid(const struct mcast *m, uint16_t mlid);
const struct mcast_group *mcast_sibling(const struct mcast_group *g);
/* Groups in the order of their MLIDs: the first with an MLID >= 'mlid', NULL; the one after 'g'. */
const struct mcast_group *mcast_next(const struct mcast *m, uint16_t mlid);
const struct mcast_group *mcast_after(const struct mcast *m, const struct mcast_group *g);
uint32_t mcast_count(const struct mcast *m);
const struct mcast_member *mcast_member(const struct mcast_group *g, uint64_t port_guid);

/* From now on the members with that MLID are others than when they were last taken. */
void mcast_look_again(struct mcast *m, uint16_t mlid);
/* An MLID whose members are others than when it was last taken; 0: none. */
uint16_t mcast_take_changed(struct mcast *m);
bool mcast_has_changed(const struct mcast *m);
/* Whether it is one of those. */
bool mcast_is_changed(const struct mcast *m, uint16_t mlid);

/* What happened to groups, for notices. */
struct mcast_event {
	uint8_t mgid[16];
	uint16_t pkey;
	bool created;                   /* else deleted */
};
/* Takes the oldest. */
bool mcast_next_event(struct mcast *m, struct mcast_event *e);
bool mcast_has_event(const struct mcast *m);

#endif
