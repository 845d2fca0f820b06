/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm.h - communication management: connections and service resolution, both roles, many at once.
 * Room: libmad/cm (prefix cm_).  Pure: the caller passes 'now' and pulls out MADs to send, events
 * and the next deadline.  States and transitions: docs/cm.md.  Messages: libmad/attr/cm_attr.h.
 *
 * In:  received MADs of class 7 (cm_receive), the consumer's calls (cm_connect, cm_accept, ...),
 *      time (cm_tick).
 * Out: MADs (cm_next_send, sent without the kernel's retries), events (cm_next_event), the deadline
 *      (cm_deadline).
 * Invariants: every connection and resolution ends with exactly one CM_EVENT_RELEASED, whatever the
 *      peer and the consumer do.  Every state has a time limit, except an established connection.
 *      The number of open ones is limited in total and per source.  A communication ID or QPN is
 *      not reused before its TIMEWAIT is over.
 *
 * Messages are matched by communication IDs, never by transaction ID: the kernel overwrites the
 * upper half of the transaction ID of everything that is not a response, and no message of this
 * class is a response.  Replies go to the address that the peer's message came from (its LID, SL
 * and P_Key index, not the path inside its REQ), so a peer cannot direct them to a third party.
 */
#ifndef HEDDLE_LIBMAD_CM_CM_H
#define HEDDLE_LIBMAD_CM_CM_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/cm_attr.h"
#include "libmad/mad/dgram.h"
#include "util/monotime.h"

#define CM_STATES(S) \
	S(IDLE) S(REQ_SENT) S(MRA_REQ_RCVD) S(REP_RCVD) S(MRA_REP_SENT) S(REQ_RCVD) \
	S(MRA_REQ_SENT) S(REP_SENT) \
	S(MRA_REP_RCVD) S(ESTABLISHED) S(DREQ_SENT) S(DREQ_RCVD) S(TIMEWAIT) S(SIDR_REQ_SENT) \
	S(SIDR_REQ_RCVD)
#define CM_STATE_ENUM(name) CM_STATE_##name,
enum cm_state { CM_STATES(CM_STATE_ENUM) CM_STATE_KINDS };

/* Loading an alternate path, while ESTABLISHED.  MRA_SENT, MRA_RCVD: an MRA asked for more time. */
#define CM_LAP_STATES(S) S(NONE) S(SENT) S(MRA_RCVD) S(RCVD) S(MRA_SENT)
#define CM_LAP_ENUM(name) CM_LAP_STATE_##name,
enum cm_lap_state { CM_LAP_STATES(CM_LAP_ENUM) };

#define CM_EVENTS(E) \
	E(REQ)                  /* the peer wants to connect: cm_accept, cm_delay or cm_reject */ \
	E(REP)                  /* the peer accepts: cm_ready, cm_delay or cm_reject */ \
	E(MRA)                  /* the peer asks for time */ \
	E(ESTABLISHED)          /* an RTU or data arrived */ \
	E(REJECTED)             /* a REJ arrived: 'reason' */ \
	E(UNANSWERED)           /* no answer to the last try of REQ or REP */ \
	E(DISCONNECT)           /* a DREQ arrived: cm_disconnected */ \
	E(DISCONNECTED)         /* the DREP arrived */ \
	E(DREQ_UNANSWERED)      /* no DREP arrived; disconnected nevertheless */ \
	E(STALE)                /* the peer's QP starts another connection; disconnecting ours */ \
	E(LAP)                  /* the peer wants an alternate path: cm_answer_path, cm_delay */ \
	E(APR)                  /* the answer to our LAP */ \
	E(LAP_UNANSWERED) \
	E(SIDR_REQ)             /* a resolution: cm_sidr_answer */ \
	E(SIDR_REP)             /* the answer to our SIDR_REQ */ \
	E(SIDR_UNANSWERED) \
	E(OLD)                  /* established for established_max_us: being disconnected */ \
	E(LATE)                 /* the consumer took too long; this room answered the peer */ \
	E(RELEASED)             /* the ID may be used again; nothing follows */
#define CM_EVENT_ENUM(name) CM_EVENT_##name,
enum cm_event_kind { CM_EVENTS(CM_EVENT_ENUM) CM_EVENT_KINDS };

const char *cm_state_text(enum cm_state s);
const char *cm_lap_state_text(enum cm_lap_state s);
const char *cm_event_text(enum cm_event_kind k);

#define CM_GIDS_MAX 32

struct cm_conf {
	uint64_t ca_guid;               /* ours, in REQ, REP and REJ */
	/* our GIDs: a REQ to any other GID is refused; 0: GIDs are not checked */
	unsigned ngids;
	uint8_t gids[CM_GIDS_MAX][16];
	/* maximum number of connections and resolutions, including TIMEWAIT, 1..1048576 */
	unsigned open_max;
	/* maximum number that one LID opened; those we open are not counted */
	unsigned open_per_source;
	/* the first communication ID and the start of QPNs; preferably random */
	uint32_t id_start;
	/* QPNs for consumers without one of their own; count more than open_max, or 0 */
	uint32_t qpn_first, qpn_count;
	/* limits of one wait for the peer, whatever timeout codes the messages contain */
	int64_t wait_min_us, wait_max_us;
	int64_t exchange_max_us;        /* MRAs stretch an exchange to no more than this */
	/* time for the consumer to answer, unless cm_delay() asked the peer for more */
	int64_t consumer_us;
	int64_t timewait_min_us, timewait_max_us;
	int64_t established_max_us;     /* maximum age of a connection; 0: no limit */
	/* maximum number of stateless answers that wait for cm_next_send; more are dropped */
	unsigned queue_max;
};

/* 4096 open, 256 per source; a wait 1 ms to 60 s, an exchange 5 min, the consumer 10 s, TIMEWAIT 1
 * ms to 60 s. */
struct cm_conf cm_conf_default(void);

struct cm_event {
	enum cm_event_kind kind;
	uint32_t id;                    /* our ID of the connection or resolution */
	/* from cm_connect or cm_sidr_ask; the listener's, if the peer began */
	uint64_t cookie;
	/* REJECTED: reason of the REJ.  SIDR_REP, APR: the status */
	uint16_t reason;
	uint8_t about;                  /* REJECTED, MRA: enum cm_about */
	/* how often our last message was sent, answered or not */
	uint8_t tries;
	bool has_message;
	struct dgram message;           /* the peer's message, with the address it came from */
};

struct cm_stats {
	uint64_t received[16], sent[16];        /* by attribute id - 0x10; [15]: others */
	uint64_t resent, duplicates, unmatched, malformed, ignored;
	uint64_t refused_source, refused_total; /* REQ and SIDR_REQ over a limit */
	uint64_t no_listener, stale, dropped;
	uint64_t established, disconnected, unanswered, late;
	unsigned open, open_max_seen, timewait; /* now */
};

struct cm;

/* Aborts if a value is out of range: the caller checks the configuration. */
struct cm *cm_new(const struct cm_conf *conf);
void cm_free(struct cm *c);
/* Changes limits, waits and GIDs ('id_start' and QPNs are ignored). */
void cm_set_conf(struct cm *c, const struct cm_conf *conf);

/* Listens on all service IDs s with (s & mask) == (id & mask).  The most specific
 * listener gets a request.  -EBUSY: the same ID and mask are taken.  -EINVAL: the ID is one that a
 * CM assigns itself (top byte 0x02), or there are too many listeners. */
int cm_listen(struct cm *c, uint64_t service_id, uint64_t mask, uint64_t cookie);
/* Stops listening; open connections stay. */
void cm_unlisten(struct cm *c, uint64_t service_id, uint64_t mask);

/*
 * Processes a received datagram.  False: not class 7, not a Send, or class version not 2; the
 * caller dispatches it elsewhere.
 */
bool cm_receive(struct cm *c, const struct dgram *d, struct monotime now);
void cm_tick(struct cm *c, struct monotime now);
bool cm_next_send(struct cm *c, struct dgram *d);
bool cm_next_event(struct cm *c, struct cm_event *e);
/* When to call cm_tick() at the latest; false: nothing to wait for. */
bool cm_deadline(const struct cm *c, struct monotime *at);

/* Parameters of an active connection.  cm_connect() fills in the IDs and the CA GUID of 'req', and
 * a QPN if local_qpn is 0. */
struct cm_ask {
	struct dgram_addr addr;
	struct cm_req req;
	uint8_t packet_life;            /* code of the path, 0..31 */
	uint64_t cookie;
};
/* Starts a connection; '*id' is our ID.  -ENOSPC: over the limit, or no QPN is free. */
int cm_connect(struct cm *c, const struct cm_ask *a, struct monotime now, uint32_t *id);

/*
 * Calls of the consumer for connection 'id'.  All return 0; -ENOENT: no such connection; -EINVAL:
 * not possible in its state.
 */
/* Passive, after CM_EVENT_REQ: REP.  Fills in IDs and GUID, and a QPN if local_qpn is 0 (-ENOSPC:
 * no QPN is free). */
int cm_accept(struct cm *c, uint32_t id, const struct cm_rep *rep, struct monotime now);
/* Active, after CM_EVENT_REP: RTU. */
int cm_ready(struct cm *c, uint32_t id, struct monotime now);
/* The answer to REQ, REP or LAP takes longer: MRA with code 'service_timeout', 0..31. */
int cm_delay(struct cm *c, uint32_t id, uint8_t service_timeout, struct monotime now);
/* Refuses a REQ or REP: REJ.  'info' may be NULL. */
int cm_reject(struct cm *c, uint32_t id, uint16_t reason, const void *info, unsigned info_bytes,
	struct monotime now);
/* Passive: data arrived on the QP, so the connection is established even if the RTU was lost. */
int cm_data(struct cm *c, uint32_t id, struct monotime now);
int cm_disconnect(struct cm *c, uint32_t id, struct monotime now);
/* After CM_EVENT_DISCONNECT: DREP. */
int cm_disconnected(struct cm *c, uint32_t id, struct monotime now);
/* Active, ESTABLISHED: LAP.  Fills in IDs, QPN and timeout. */
int cm_load_path(struct cm *c, uint32_t id, const struct cm_lap *lap, struct monotime now);
/* After CM_EVENT_LAP: APR. */
int cm_answer_path(struct cm *c, uint32_t id, uint8_t status, struct monotime now);
/* Ends the connection in any state: refuses, disconnects, or releases it. */
int cm_abort(struct cm *c, uint32_t id, struct monotime now);

/* Service ID resolution.  '*id' is the ID of the request. */
struct cm_sidr_ask {
	struct dgram_addr addr;
	uint64_t service_id, cookie;
	uint16_t pkey;
	uint8_t packet_life, cm_timeout, retries;
	uint8_t private_data[216];
};
int cm_sidr_ask(struct cm *c, const struct cm_sidr_ask *a, struct monotime now, uint32_t *id);
/* After CM_EVENT_SIDR_REQ: SIDR_REP.  Fills in the request ID. */
int cm_sidr_answer(struct cm *c, uint32_t id, const struct cm_sidr_rep *rep, struct monotime now);

/* CM_STATE_IDLE if there is no such connection. */
enum cm_state cm_state(const struct cm *c, uint32_t id);
enum cm_lap_state cm_lap_state(const struct cm *c, uint32_t id);
/* IDs and QPs of both ends, as far as known; 0 or -ENOENT. */
struct cm_ends {
	uint32_t local_id, remote_id, local_qpn, remote_qpn;
	uint64_t remote_ca_guid, service_id;
	struct dgram_addr addr;
	bool active;
};
int cm_ends(const struct cm *c, uint32_t id, struct cm_ends *e);
const struct cm_stats *cm_stats(const struct cm *c);
/* 4.096 us x 2^code. */
int64_t cm_code_us(uint8_t code);

#endif
