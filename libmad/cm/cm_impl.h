/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_impl.h - internal declarations shared by the files of this room.
 * Room: libmad/cm.
 *
 * One struct cm_conn is a connection or a resolution.  Hash tables find it by our ID, by the peer's
 * ID and by the peer's QP; a heap orders the timers.
 *
 * cm_agent.c  configuration, listeners, input and output
 * cm_conn.c   the state machine of a connection
 * cm_sidr.c   service ID resolution
 * cm_make.c   messages and events
 * cm_table.c  IDs, QPNs, hash tables, timers
 */
#ifndef HEDDLE_LIBMAD_CM_CM_IMPL_H
#define HEDDLE_LIBMAD_CM_CM_IMPL_H

#include <sys/queue.h>
#include "libmad/cm/cm.h"
#include "util/xalloc.h"

/* uthash calls exit() when memory runs out; here it aborts with bug() instead. */
#define uthash_fatal(msg) bug("%s", msg)
#include <uthash.h>

#define CM_LISTENERS_MAX 256

/* The owner of a number, and the number: the peer's ID of a connection or resolution, or the peer's
 * QP. */
struct cm_key {
	uint64_t owner;                 /* CA GUID; SIDR: LID */
	uint32_t number, kind;          /* kind: enum cm_key_kind */
};
enum cm_key_kind { CM_KEY_CONN, CM_KEY_SIDR, CM_KEY_QP };

struct cm_conn {
	uint32_t id, remote_id;
	enum cm_state state;
	enum cm_lap_state lap;
	bool active;                    /* we sent the REQ */
	bool counted;                   /* against its source */
	bool by_remote_in, by_qpn_in, qpn_ours;
	uint8_t tries, retries;         /* of the message in flight: sends made; resends allowed */
	uint32_t local_qpn, remote_qpn;
	uint64_t remote_guid, service_id, cookie;
	uint64_t tid;                   /* of the REQ exchange */
	uint64_t end_tid, lap_tid;      /* of the DREQ, of the LAP */
	uint8_t service_timeout;        /* of our last MRA */
	int64_t wait_us, life_us, timewait_us;
	struct monotime at, give_up;    /* next timer; the limit for extension by MRAs */
	struct monotime old;            /* when it exceeds established_max_us */
	uint32_t heap_at;               /* index in the heap plus 1; 0: no timer */
	struct dgram_addr addr;
	uint8_t last[DGRAM_BYTES];      /* what the timer sends again */
	struct cm_key remote_key, qpn_key;
	UT_hash_handle by_id, by_remote, by_qpn;
};

struct cm_listener {
	uint64_t id, mask, cookie;
};

struct cm_out {
	STAILQ_ENTRY(cm_out) next;
	struct dgram d;
};
struct cm_queued_event {
	STAILQ_ENTRY(cm_queued_event) next;
	struct cm_event e;
};

struct cm {
	struct cm_conf conf;
	struct cm_conn *by_id, *by_remote, *by_qpn;
	struct cm_conn **heap;
	uint32_t heap_n, heap_room;
	uint32_t next_id, next_qpn;
	uint8_t *qpns;                  /* one bit per QPN of the range */
	uint32_t qpns_used;
	unsigned *sources;              /* open, by LID */
	struct cm_listener listeners[CM_LISTENERS_MAX];
	unsigned nlisteners;
	STAILQ_HEAD(, cm_out) out;
	unsigned nout;
	STAILQ_HEAD(, cm_queued_event) events;
	struct cm_stats stats;
};

/* cm_table.c */
/* A new connection with an ID, which is in the table of IDs only.  NULL: over the limit.  'source':
 * counts against the limit of its LID. */
struct cm_conn *cm_conn_new(struct cm *c, const struct dgram_addr *addr, bool source);
/* Emits CM_EVENT_RELEASED and frees. */
void cm_conn_release(struct cm *c, struct cm_conn *n);
/* Frees without an event. */
void cm_conn_free(struct cm *c, struct cm_conn *n);
struct cm_conn *cm_conn_find(const struct cm *c, uint32_t id);
struct cm_conn *cm_conn_find_remote(
	const struct cm *c, enum cm_key_kind kind, uint64_t owner, uint32_t number);
struct cm_conn *cm_conn_find_qpn(const struct cm *c, uint64_t guid, uint32_t qpn);
void cm_conn_set_remote(
	struct cm *c, struct cm_conn *n, enum cm_key_kind kind, uint64_t owner, uint32_t number);
void cm_conn_set_qpn(struct cm *c, struct cm_conn *n, uint64_t guid, uint32_t qpn);
/* Assigns a local QPN: 'qpn', or one of the range if that is 0.  False: none is free. */
bool cm_conn_take_qpn(struct cm *c, struct cm_conn *n, uint32_t qpn);
void cm_timer_set(struct cm *c, struct cm_conn *n, struct monotime at);
void cm_timer_stop(struct cm *c, struct cm_conn *n);

/* cm_make.c */
/* Fills 'd' with header, IDs and address of a message about 'n'; the rest is zero. */
void cm_make(const struct cm_conn *n, uint16_t attr_id, uint64_t tid, struct dgram *d);
/* The answer to a datagram that belongs to no connection. */
void cm_make_answer(const struct dgram *to, uint16_t attr_id, struct dgram *d);
void cm_queue(struct cm *c, const struct dgram *d);
void cm_send_mra(struct cm *c, struct cm_conn *n, enum cm_about about);
void cm_send_rej(struct cm *c, struct cm_conn *n, enum cm_about about, uint16_t reason,
	const void *info, unsigned bytes);
/* Sends an RTU or DREP. */
void cm_send_once(struct cm *c, struct cm_conn *n, uint16_t attr_id, uint64_t tid);
/* Sends a REJ or SIDR_REP to a request for which no state is kept. */
void cm_answer_rej(
	struct cm *c, const struct dgram *to, uint16_t reason, const void *info, unsigned bytes);
void cm_answer_sidr(struct cm *c, const struct dgram *to, uint8_t status);
/* Sends 'd', keeps a copy for resends, and sets the timer for the first try. */
void cm_send_repeated(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now);
/* Sends the kept message again. */
void cm_send_again(struct cm *c, struct cm_conn *n, struct monotime now);
/* Queues an event about 'n'.  Call it before cm_conn_release(), which frees 'n'.  'd' NULL: no
 * message. */
void cm_tell(struct cm *c, const struct cm_conn *n, enum cm_event_kind k, uint16_t reason,
	uint8_t about, const struct dgram *d);

/* cm_conn.c */
int64_t cm_clamp(int64_t v, int64_t lo, int64_t hi);
void cm_conn_timer(struct cm *c, struct cm_conn *n, struct monotime now);
void cm_receive_req(struct cm *c, const struct dgram *d, struct monotime now);
void cm_receive_other(struct cm *c, const struct dgram *d, struct monotime now);

/* cm_sidr.c */
void cm_sidr_timer(struct cm *c, struct cm_conn *n, struct monotime now);
void cm_receive_sidr_req(struct cm *c, const struct dgram *d, struct monotime now);
void cm_receive_sidr_rep(struct cm *c, const struct dgram *d);

/* cm_agent.c */
const struct cm_listener *cm_listener_find(const struct cm *c, uint64_t service_id);
/* True if a new connection from 'lid' is within the limits; otherwise counts the refusal. */
bool cm_room(struct cm *c, uint16_t lid);

static inline const uint8_t *cm_image(const struct dgram *d) { return d->mad + CM_MESSAGE_AT; }

#endif
