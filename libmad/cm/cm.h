/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm.h - communication management: connections and service resolution, both roles, many at once.
 * Room: libmad/cm (prefix cm_).  Pure: 'now' comes in; MADs to send, events and the next deadline
 * are pulled out.  The states and what they do: docs/cm.md.  Messages: libmad/attr/cm_attr.h.
 *
 * In:  received MADs of class 7 (cm_receive), the consumer's wishes (cm_connect, cm_accept, ...),
 *      time (cm_tick).
 * Out: MADs (cm_next_send, sent without the kernel's retries), events (cm_next_event), the deadline
 *      (cm_deadline).
 * Promise: every connection and resolution ends with exactly one CM_EVENT_RELEASED, whatever the
 *      peer and the consumer do; no wait but that of an established connection is endless; open
 *      ones are limited in all and per source; a communication ID or QPN that was handed out is not
 *      handed out again before its TIMEWAIT is over.
 *
 * Matching is by communication IDs, never by transaction ID: the kernel overwrites half of that of
 * whatever is no response, and no message of this class is one.  Messages go where the peer's came
 * from (its LID, SL and P_Key index, not the path inside its REQ), so nobody can have them sent to
 * a third.
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

/* Loading an alternate path, while ESTABLISHED.  MRA_SENT, MRA_RCVD: more time was asked for it. */
#define CM_LAP_STATES(S) S(NONE) S(SENT) S(MRA_RCVD) S(RCVD) S(MRA_SENT)
#define CM_LAP_ENUM(name) CM_LAP_STATE_##name,
enum cm_lap_state { CM_LAP_STATES(CM_LAP_ENUM) };

#define CM_EVENTS(E) \
	E(REQ)                  /* a wish to connect: cm_accept, cm_delay or cm_reject */ \
	E(REP)                  /* the peer accepts: cm_ready, cm_delay or cm_reject */ \
	E(MRA)                  /* the peer asks for time */ \
	E(ESTABLISHED)          /* RTU, or data, came */ \
	E(REJECTED)             /* a REJ came: 'reason' */ \
	E(UNANSWERED)           /* no answer to the last try of REQ or REP */ \
	E(DISCONNECT)           /* a DREQ came: cm_disconnected */ \
	E(DISCONNECTED)         /* the DREP came */ \
	E(DREQ_UNANSWERED)      /* no DREP came; disconnected all the same */ \
	E(STALE)                /* the peer's QP begins another connection: ours is being disconnected */ \
	E(LAP)                  /* the peer wants an alternate path: cm_answer_path, cm_delay */ \
	E(APR)                  /* the answer to ours */ \
	E(LAP_UNANSWERED) \
	E(SIDR_REQ)             /* a resolution: cm_sidr_answer */ \
	E(SIDR_REP)             /* the answer to ours */ \
	E(SIDR_UNANSWERED) \
	E(OLD)                  /* established for established_max_us: being disconnected */ \
	E(LATE)                 /* the consumer took too long, and was answered for */ \
	E(RELEASED)             /* the ID may be used again; nothing follows */
#define CM_EVENT_ENUM(name) CM_EVENT_##name,
enum cm_event_kind { CM_EVENTS(CM_EVENT_ENUM) CM_EVENT_KINDS };

const char *cm_state_text(enum cm_state s);
const char *cm_lap_state_text(enum cm_lap_state s);
const char *cm_event_text(enum cm_event_kind k);

#define CM_GIDS_MAX 32

struct cm_conf {
	uint64_t ca_guid;               /* ours, in REQ, REP and REJ */
	/* our GIDs: a REQ to another one is refused; 0: they are not looked at */
	unsigned ngids;
	uint8_t gids[CM_GIDS_MAX][16];
	/* connections and resolutions, TIMEWAIT included, 1..1048576 */
	unsigned open_max;
	/* of them those that began with one LID, our own not counted */
	unsigned open_per_source;
	/* the first communication ID, and where QPNs begin; best a random number */
	uint32_t id_start;
	/* QPNs to hand out to who brings none; more than open_max, or 0 */
	uint32_t qpn_first, qpn_count;
	/* one wait for the peer, whatever the codes on the wire say */
	int64_t wait_min_us, wait_max_us;
	int64_t exchange_max_us;        /* MRAs stretch an exchange to no more than this */
	/* the consumer must have answered, unless it asked the peer for more */
	int64_t consumer_us;
	int64_t timewait_min_us, timewait_max_us;
	int64_t established_max_us;     /* a connection lives no longer; 0: as long as it likes */
	/* answers without state wait for cm_next_send; more are dropped and counted */
	unsigned queue_max;
};

/* 4096 open, 256 per source; a wait 1 ms to 60 s, an exchange 5 min, the consumer 10 s, TIMEWAIT 1
 * ms to 60 s. */
struct cm_conf cm_conf_default(void);

struct cm_event {
	enum cm_event_kind kind;
	uint32_t id;                    /* ours of the connection or resolution */
	/* cm_connect's or cm_sidr_ask's; of the listener for what a peer began */
	uint64_t cookie;
	uint16_t reason;                /* REJECTED: of the REJ.  SIDR_REP, APR: the status */
	uint8_t about;                  /* REJECTED, MRA: enum cm_about */
	/* sends of our last message that is answered by this, or was by nothing */
	uint8_t tries;
	bool has_message;
	struct dgram message;           /* the peer's, with where it came from */
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

/* Values out of range are bugs of the caller's configuration check, and abort. */
struct cm *cm_new(const struct cm_conf *conf);
void cm_free(struct cm *c);
/* Takes limits, waits and GIDs from now on ('id_start' and QPNs are ignored). */
void cm_set_conf(struct cm *c, const struct cm_conf *conf);

/* Listens on all service IDs s with (s & mask) == (id & mask).  The more exact listener is asked.
 * -EBUSY: the same ID and mask are taken.  -EINVAL: the ID is of those that a CM assigns itself
 * (top byte 0x02), or too many. */
int cm_listen(struct cm *c, uint64_t service_id, uint64_t mask, uint64_t cookie);
/* What is open stays. */
void cm_unlisten(struct cm *c, uint64_t service_id, uint64_t mask);

/*
 * Hands in a received datagram.  False: not of class 7 or no Send, or class version not 2: dispatch
 * it elsewhere.
 */
bool cm_receive(struct cm *c, const struct dgram *d, struct monotime now);
void cm_tick(struct cm *c, struct monotime now);
bool cm_next_send(struct cm *c, struct dgram *d);
bool cm_next_event(struct cm *c, struct cm_event *e);
/* When to call cm_tick() at the latest; false: nothing to wait for. */
bool cm_deadline(const struct cm *c, struct monotime *at);

/* What an active side begins with.  In 'req' the IDs and the CA GUID are filled in here; local_qpn
 * 0: one is handed out. */
struct cm_ask {
	struct dgram_addr addr;
	struct cm_req req;
	uint8_t packet_life;            /* code of the path, 0..31 */
	uint64_t cookie;
};
/* Begins; '*id' is ours.  -ENOSPC: over the limit, or no QPN. */
int cm_connect(struct cm *c, const struct cm_ask *a, struct monotime now, uint32_t *id);

/*
 * What the consumer wants of connection 'id'.  All: 0; -ENOENT: no such connection; -EINVAL: not in
 * this state.
 */
/* Passive, after CM_EVENT_REQ.  IDs and GUID are filled in; local_qpn 0: one is handed out
 * (-ENOSPC: there is none). */
int cm_accept(struct cm *c, uint32_t id, const struct cm_rep *rep, struct monotime now);
/* Active, after CM_EVENT_REP: RTU. */
int cm_ready(struct cm *c, uint32_t id, struct monotime now);
/* The answer to REQ, REP or LAP needs time: code 'service_timeout', 0..31. */
int cm_delay(struct cm *c, uint32_t id, uint8_t service_timeout, struct monotime now);
/* No to a REQ or REP; 'info' may be NULL. */
int cm_reject(struct cm *c, uint32_t id, uint16_t reason, const void *info, unsigned info_bytes,
	struct monotime now);
/* Passive: data came on the QP, so the RTU may be lost. */
int cm_data(struct cm *c, uint32_t id, struct monotime now);
int cm_disconnect(struct cm *c, uint32_t id, struct monotime now);
/* After CM_EVENT_DISCONNECT: DREP. */
int cm_disconnected(struct cm *c, uint32_t id, struct monotime now);
/* Active, ESTABLISHED: LAP.  IDs, QPN and timeout are filled in. */
int cm_load_path(struct cm *c, uint32_t id, const struct cm_lap *lap, struct monotime now);
/* After CM_EVENT_LAP: APR. */
int cm_answer_path(struct cm *c, uint32_t id, uint8_t status, struct monotime now);
/* Gives up whatever state it is in: refuses, disconnects, or lets go. */
int cm_abort(struct cm *c, uint32_t id, struct monotime now);

/* Resolution.  '*id' is the request's. */
struct cm_sidr_ask {
	struct dgram_addr addr;
	uint64_t service_id, cookie;
	uint16_t pkey;
	uint8_t packet_life, cm_timeout, retries;
	uint8_t private_data[216];
};
int cm_sidr_ask(struct cm *c, const struct cm_sidr_ask *a, struct monotime now, uint32_t *id);
/* After CM_EVENT_SIDR_REQ; the request ID is filled in. */
int cm_sidr_answer(struct cm *c, uint32_t id, const struct cm_sidr_rep *rep, struct monotime now);

/* CM_STATE_IDLE if there is none. */
enum cm_state cm_state(const struct cm *c, uint32_t id);
enum cm_lap_state cm_lap_state(const struct cm *c, uint32_t id);
/* What the two ends call it and their QPs, as far as known; 0 or -ENOENT. */
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
