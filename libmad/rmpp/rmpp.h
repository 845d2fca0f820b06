/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp.h - the reliable multi-packet protocol (RMPP), both ends, many transfers at once.
 * Room: libmad/rmpp (prefix rmpp_).  Pure: the caller passes 'now' and pulls out MADs, whole
 * messages, ends and the deadline.
 *
 * One instance serves one agent (one sender and receiver of a class).  It behaves like the Linux
 * kernel, against which other implementations have been tested.  Network input is hostile: bytes
 * and open transfers are limited, per peer and in total, and transfers over a limit get a STOP
 * (resources exhausted).  Sent bytes are limited too, because a peer that never acknowledges makes
 * the sender keep them.
 */
#ifndef HEDDLE_LIBMAD_RMPP_RMPP_H
#define HEDDLE_LIBMAD_RMPP_RMPP_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/mad/dgram.h"
#include "util/monotime.h"

enum rmpp_status {
	RMPP_STATUS_OK = 0, RMPP_STATUS_RESOURCES = 1,
	RMPP_STATUS_TOO_LONG = 118, RMPP_STATUS_LAST_LENGTH = 119, RMPP_STATUS_FIRST_SEGMENT = 120,
	RMPP_STATUS_BAD_TYPE = 121, RMPP_STATUS_WINDOW_SMALL = 122, RMPP_STATUS_SEGMENT_RANGE = 123,
	RMPP_STATUS_ILLEGAL = 124, RMPP_STATUS_VERSION = 125, RMPP_STATUS_RETRIES = 126,
	RMPP_STATUS_UNSPECIFIED = 127,
};

struct rmpp;

struct rmpp_conf {
	/* window that a receiver grants, in segments (kernel: 64) */
	uint32_t window;
	uint32_t bytes_max;             /* longest message accepted */
	uint64_t bytes_total;           /* memory of all unfinished receptions together */
	unsigned open_per_peer, open_total;     /* unfinished receptions */
	/* limits of unacknowledged bytes, in total and to one peer */
	uint64_t send_total, send_per_peer;
	/* finished receptions kept to repeat their last ACK */
	unsigned finished_total;
	/* how long a sender waits for an ACK before it resends (2 s) */
	int64_t ack_wait_us;
	int64_t total_us;               /* maximum duration of a reception (40 s) */
	int64_t keep_us;                /* how long a finished reception is kept (10 s) */
};

/*
 * The kernel's values for window and times; messages up to 64 MiB, 256 MiB in total each way, 64
 * MiB to one peer, 64 open per peer, 4096 in total.
 */
struct rmpp_conf rmpp_conf_default(void);

enum rmpp_end_kind {
	RMPP_END_ACKED,                 /* the peer has acknowledged everything */
	RMPP_END_TIMED_OUT,             /* no ACK after the last retry */
	/* the peer sent STOP or ABORT, or its ACKs made no sense: 'status' */
	RMPP_END_REFUSED,
};

struct rmpp_end {
	uint64_t cookie;
	enum rmpp_end_kind kind;
	uint8_t status;                 /* enum rmpp_status, for REFUSED */
};

struct rmpp_stats {
	uint64_t segments_sent, segments_resent, segments_received, duplicates;
	uint64_t messages_sent, messages_received;
	uint64_t acks_sent, acks_received, aborts_sent, aborts_received, stops_sent, stops_received;
	uint64_t out_of_window, unmatched, refused, expired, dropped;
	uint64_t bytes_held;            /* now, of unfinished receptions */
	uint64_t bytes_sending;         /* now, of messages that are not acknowledged */
	unsigned open, sending;         /* now */
};

struct rmpp *rmpp_new(const struct rmpp_conf *conf);
void rmpp_free(struct rmpp *r);

/*
 * Starts to send the message 'd' (d->bytes long: MAD header and class header once, then the data;
 * d->addr says where to).  Takes d->more unless it fails.  Writes the RMPP header.
 *
 * 'timeout_ms' and 'retries' are as in a send to the kernel.  timeout_ms 0: no answer is expected.
 * Otherwise it limits the wait for an ACK; after the last ACK the turn-around ACK of a double-sided
 * transfer is sent, and repeated until timeout_ms have passed or the caller, which waits for the
 * answer, calls rmpp_send_cancel().  One end with 'cookie' follows.
 *
 * -EINVAL: not a class with RMPP, or shorter than its header.  -EMSGSIZE: too long.  -EEXIST: a
 * transfer with the same key is in flight.  -ENOBUFS: over the limit of unacknowledged bytes, in
 * total or to that peer.
 */
int rmpp_send(struct rmpp *r, struct dgram *d, uint32_t timeout_ms, unsigned retries,
	uint64_t cookie, struct monotime now);
/* Cancels the transfer without telling the peer.  No end follows; one not yet pulled is removed. */
void rmpp_send_cancel(struct rmpp *r, uint64_t cookie);

/*
 * Processes a received MAD.  True: it was a segment, ACK, STOP or ABORT, and needs nothing more.
 * False: a MAD without the ACTIVE flag, or of a class without RMPP; the caller handles it.
 */
bool rmpp_receive(struct rmpp *r, const struct dgram *d, struct monotime now);
void rmpp_tick(struct rmpp *r, struct monotime now);

/* The next single MAD to put on the wire. */
bool rmpp_next_mad(struct rmpp *r, struct dgram *d, struct monotime now);
/* The next whole message; the caller frees d->more.  d->addr is the peer's. */
bool rmpp_next_message(struct rmpp *r, struct dgram *d);
bool rmpp_next_end(struct rmpp *r, struct rmpp_end *e);
bool rmpp_deadline(const struct rmpp *r, struct monotime *at);

const struct rmpp_stats *rmpp_stats(const struct rmpp *r);
const char *rmpp_status_text(uint8_t status);

#endif
