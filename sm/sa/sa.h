/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa.h - subnet administration: one request in, one answer out.
 * Room: sm/sa.  Pure.  Layouts: docs/wire.md; what queries mean and what is refused: docs/sa.md.
 *
 * Hosts ask the SA of the master SM which paths there are, which groups, services and nodes.  It
 * answers from a view: the snapshot and the plan of the last complete sweep, so a sweep, a routing
 * run or a disk write never delays an answer.  The manager builds a view and an index of it when a
 * sweep has ended, and keeps the one before until then.
 *
 * A request passes: sa_queue_put (one queue for each source port, queue.h), sa_queue_take,
 * sa_limit_answer (the rate limits, limit.h), sa_answer (answer.c), and there a function by
 * attribute: path.c, table_records.c, mcmember.c and others.  Everything they read is const.  A
 * struct sa_writable names all that answering changes: what a Set or Delete registers (multicast
 * groups, services, subscriptions and alias GUIDs, sm/sub), a cache of paths, and counters.
 */
#ifndef HEDDLE_SM_SA_SA_H
#define HEDDLE_SM_SA_SA_H

#include "fabric/snapshot/tables.h"
#include "libmad/mad/dgram.h"
#include "sm/mcast/mcast.h"
#include "sm/plan/qos_groups.h"
#include "sm/plan/qos.h"
#include "sm/sub/alias.h"
#include "sm/sub/inform.h"
#include "sm/sub/mcast.h"
#include "sm/sub/service.h"

/* What the SA answers from: borrowed, and all const. */
struct sa_view {
	const struct snapshot *s;
	const struct lid_map *lids;
	const struct fwd_tables *fwd;
	uint64_t gid_prefix;
	/* a request's SM_Key: 0 is untrusted, this value is trusted, any other gets no answer */
	uint64_t sa_key;
	uint16_t sm_lid;
	uint8_t sm_sl;
	uint8_t path_sl;                /* of paths for which neither routing nor QoS sets one */
	/* of all paths except from a port to itself: 4.096 us * 2^n */
	uint8_t path_life;
	uint8_t resp_time;              /* ClassPortInfo.RespTimeValue */
	/* the subnet managers, by port GUID; copied */
	const struct sm_info *sms;
	uint32_t nsms;
	/* Known contents of the multicast tables of switches; NULL: none. */
	const struct mft_seen *mft;
	/* Which SLs have a VL at each port; NULL: all SLs at all ports. */
	const struct qos_plan *vl_plan;
	/* Known SLtoVL and VLArb tables of ports; NULL: none. */
	const struct qos_tables *qos_tables;
	const struct alias_table *alias;        /* aliases to find ports by; NULL: none */
	uint8_t sm_assigned_guid;       /* byte of the alias GUIDs that this manager assigns */
	/* The P_Key of a port whose table was not read; 0: the default key, full. */
	uint16_t unread_pkey;
	/* partitions' service levels and the policy for paths; NULL: qos is FALSE. */
	const struct qos_groups *qos;
	bool enhanced_trust;            /* untrusted requesters see only their own records */
	/* this SM is master, and the first sweep has ended; otherwise no answer */
	bool ready;
};

/*
 * Counters by reason, for status and metrics.  'looked': records and pairs of LIDs that queries
 * examined.  'busy' includes queue_full (the queue had no place) and unacked (long answers to that
 * port wait for acknowledgement); silent_overload: too many even for a BUSY; silent_too_long:
 * dropped by the device.  'denied' includes unknown_source (no port has that LID) and spoofed_gid
 * (the GID belongs to another port).
 */
#define SA_COUNTERS(C) \
	C(requests) C(answered) C(rows) C(looked) C(busy) C(queue_full) C(silent_not_ready) \
	C(silent_wrong_key) \
	C(silent_malformed) C(silent_overload) C(silent_too_long) C(unacked) C(bad_version) \
	C(bad_method) \
	C(bad_attribute) C(denied) C(unknown_source) C(spoofed_gid) C(invalid) C(invalid_gid) \
	C(components) \
	C(no_records) C(too_many) C(no_resources)
struct sa_stats {
#define C(name) uint64_t name;
	SA_COUNTERS(C)
#undef C
};

/* Derived from a view once and used by many answers: ports by GUID, LID and GID, links. */
struct sa_index;
struct sa_path_cache;
struct sa_index *sa_index_new(const struct sa_view *v);
/* The route cache of an index, which lives as long as the index; NULL: the fabric is too large. */
struct sa_path_cache *sa_index_path_cache(struct sa_index *x);

/* The state that answering changes; borrowed.  A request that needs a NULL member is refused. */
struct sa_writable {
	struct mcast *mcast;            /* multicast groups */
	struct alias_table *alias;      /* alias GUIDs, same as in the view */
	struct inform *inform;          /* subscriptions to notices */
	struct services *services;      /* registered services */
	struct sa_path_cache *cache;    /* that of the index; NULL: every route is walked */
	struct sa_stats *stats;
};
void sa_index_free(struct sa_index *x);
/* A copy of the current index for another thread.  It uses the memory of 'x', which must outlive
 * it.  Free it with free(). */
struct sa_index *sa_index_borrow(const struct sa_index *x);
/* Its size in memory, without the view. */
size_t sa_index_bytes(const struct sa_index *x);
/* Replaces the policy; NULL: none.  The policy must outlive the index, or its replacement. */
void sa_index_set_qos(struct sa_index *x, const struct qos_groups *qos);
/* Whether two ports share a partition; whether a port has a P_Key.  Ports are named by GUID;
 * false for unknown ports. */
bool sa_ports_share(const struct sa_index *x, uint64_t guid_a, uint64_t guid_b);
bool sa_port_holds(const struct sa_index *x, uint64_t guid, uint16_t pkey);
/* The P_Keys of an end port (an index of the view's snapshot) in the order of its table.
 * '*keys' is borrowed; returns their number. */
uint32_t sa_port_pkeys(const struct sa_index *x, uint32_t port, const uint16_t **keys);
/* The P_Key in the table of 'a' with which 'b' accepts its packets; 0: they share no partition. */
uint16_t sa_pkey_between(const struct sa_index *x, uint32_t a, uint32_t b);

/*
 * All paths of a port, by base LIDs: the answers to queries for one reversible path to each port,
 * itself included.  A run covers every base LID from 'first' to 'last'.  A sa_path_export belongs
 * to one index and takes one byte per switch and LID.  Query the ports of one switch consecutively;
 * the first one takes longest.
 */
struct sa_run {
	uint16_t first, last;
	uint8_t sl, mtu, rate;          /* codes as in PathRecord */
};
struct sa_path_export;
struct sa_path_export *sa_path_export_new(const struct sa_index *x);
void sa_path_export_free(struct sa_path_export *w);
/* The number of runs of 'port' (an end port with a LID); '*runs' is valid until the next call. */
uint32_t sa_path_export_runs(struct sa_path_export *w, uint32_t port, const struct sa_run **runs);

/*
 * Answers 'req' (class 3; a reassembled RMPP request is in req->more).  True: 'out' is the answer,
 * addressed to the requester; the caller owns out->more.  A table has the RMPP ACTIVE flag set and
 * all its data contiguous after the 56-byte header, as the kernel's RMPP requires. False: the
 * specification demands no answer; 'out' is empty.
 */
bool sa_answer(const struct sa_index *x, const struct sa_writable *w, const struct dgram *req,
	struct dgram *out);

/* Whether the request would get an answer: it is well-formed, its key is 0 or the right one, and
 * the view is ready. */
bool sa_gets_answer(const struct sa_index *x, const struct dgram *req);

#endif
