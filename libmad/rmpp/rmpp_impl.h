/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp_impl.h - internal declarations shared by the files of this room.
 * Room: libmad/rmpp.
 *
 * A struct rmpp_rx is a reception, a struct rmpp_tx a transmission; both are found by struct
 * rmpp_key and have one timer in a heap.  A struct rmpp_peer counts what is open with one peer.
 * rmpp.c has the entry points and control MADs, rmpp_rx.c the receiver, rmpp_tx.c the sender.
 */
#ifndef HEDDLE_LIBMAD_RMPP_RMPP_IMPL_H
#define HEDDLE_LIBMAD_RMPP_RMPP_IMPL_H

#include "libmad/rmpp/rmpp.h"
#include "util/heap.h"
/* uthash calls exit() when memory runs out; here it aborts with bug() instead. */
#define uthash_fatal(msg) bug("%s", msg)
#include <uthash.h>

#define RMPP_UNIT 220           /* class header and data of a segment */
#define RMPP_CONTROL_MAX 4096   /* ACKs, STOPs and ABORTs not yet pulled */

/* Identity of the other end.  Compared as bytes, so padding must be zero. */
struct rmpp_peer_key {
	uint8_t gid[16];
	uint32_t qpn;
	uint16_t lid;
	uint8_t grh, zero;
};

struct rmpp_key {
	uint64_t tid;
	struct rmpp_peer_key peer;
	uint8_t mgmt_class, class_version, method, zero[5];
};

struct rmpp_peer {
	struct rmpp_peer_key key;
	unsigned open;          /* unfinished receptions from it */
	uint64_t sending;       /* bytes of messages to it that are not acknowledged */
	UT_hash_handle hh;
};

struct rmpp_rx {
	/* must be first.  Unfinished: the total time limit; finished: when it is dropped */
	struct heap_node timer;
	bool finished;          /* kept only to repeat its last ACK */
	struct rmpp_key key;
	struct rmpp_peer *peer;
	struct dgram_addr addr;
	uint8_t head[64];       /* MAD and class header of the first segment */
	uint32_t last_ack;      /* all segments up to it are here */
	uint32_t window_end;    /* the last segment the sender may send */
	uint32_t last;          /* number of the LAST segment, 0 while unknown */
	uint32_t last_length;   /* its PayloadLength */
	uint32_t turn_window;   /* window the peer granted for our answer; 0: none */
	uint8_t *buf;           /* headers once, then the data */
	uint32_t room;
	uint8_t *have;          /* window flags: segment n is here ahead of order, at n % window */
	struct rmpp_rx *prev, *next;    /* finished ones, oldest first */
	UT_hash_handle hh;
};

struct rmpp_tx {
	/* must be first.  Waiting for an ACK or, when all is acknowledged, for the answer */
	struct heap_node timer;
	struct rmpp_key key;
	struct rmpp_peer *peer; /* NULL: all is acknowledged */
	struct dgram_addr addr;
	uint64_t cookie;
	uint8_t *msg;
	uint32_t bytes, segments;
	uint32_t sent, sent_max;        /* last segment sent in this round, ever */
	uint32_t acked, window_end;
	unsigned retries, retries_left;
	int64_t wait_us, answer_us;     /* answer_us 0: no answer is expected */
	/* all acknowledged; kept to repeat the turn-around ACK */
	bool turned;
	bool ready;
	struct rmpp_tx *prev, *next;    /* ready list */
	UT_hash_handle hh, by_cookie;
};

struct rmpp_out {
	struct rmpp_out *next;
	struct dgram d;
};

struct rmpp_queue {
	struct rmpp_out *first, *last;
	unsigned n;
};

struct rmpp_ended {
	struct rmpp_ended *next;
	struct rmpp_end e;
};

struct rmpp {
	struct rmpp_conf conf;
	struct rmpp_stats st;
	struct heap rx_timers, tx_timers;
	struct rmpp_rx *rxs;            /* by key */
	struct rmpp_rx *finished;       /* oldest first */
	unsigned finished_n;
	struct rmpp_peer *peers;
	struct rmpp_tx *txs;            /* by key */
	struct rmpp_tx *cookies;        /* the same, by cookie */
	struct rmpp_tx *ready;
	struct rmpp_queue control, messages;
	struct rmpp_ended *ends, *ends_last;
};

/* rmpp.c */
/* The key of the transfer in which the peer at 'addr' and we exchange 'w', whose data travel with
 * 'method'. */
struct rmpp_key rmpp_key_of(const uint8_t *w, uint8_t method, const struct dgram_addr *addr);
/* rmpp_peer_get() finds or makes the peer; rmpp_peer_put() frees it if nothing is open with it. */
struct rmpp_peer *rmpp_peer_get(struct rmpp *r, const struct rmpp_peer_key *k);
void rmpp_peer_put(struct rmpp *r, struct rmpp_peer *p);
void rmpp_queue_put(struct rmpp_queue *q, const struct dgram *d);
/* Queues an ACK, STOP or ABORT with the headers of 'mad' (method already turned) to 'addr'. */
void rmpp_control(struct rmpp *r, const uint8_t *mad, uint8_t method, const struct dgram_addr *addr,
	struct dgram_rmpp_head h);
void rmpp_ack(struct rmpp *r, const uint8_t *mad, uint8_t method, const struct dgram_addr *addr,
	uint32_t segment, uint32_t window_end);
/* STOP for RESOURCES, ABORT for every other status; answers the received 'd'. */
void rmpp_refuse(struct rmpp *r, const struct dgram *d, enum rmpp_status status);
/* Removes an end that was not pulled yet. */
void rmpp_end_forget(struct rmpp *r, uint64_t cookie);
void rmpp_end_put(struct rmpp *r, uint64_t cookie, enum rmpp_end_kind kind, uint8_t status);

/* rmpp_rx.c */
void rmpp_rx_data(struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h,
	struct monotime now);
/* The finished reception of a request with 'k', which we answer or whose sender turns around; NULL:
 * none. */
struct rmpp_rx *rmpp_rx_finished(struct rmpp *r, const struct rmpp_key *k);
/* Drops a reception whose sender gave up. */
void rmpp_rx_drop(struct rmpp *r, const struct rmpp_key *k);
void rmpp_rx_free(struct rmpp *r, struct rmpp_rx *x);
void rmpp_rx_tick(struct rmpp *r, struct monotime now);

/* rmpp_tx.c */
void rmpp_tx_ack(struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h,
	struct monotime now);
/* The peer refused with STOP or ABORT. */
void rmpp_tx_refused(struct rmpp *r, const struct dgram *d, uint8_t status);
bool rmpp_tx_next(struct rmpp *r, struct dgram *d, struct monotime now);
void rmpp_tx_free(struct rmpp *r, struct rmpp_tx *x);
void rmpp_tx_tick(struct rmpp *r, struct monotime now);

#endif
