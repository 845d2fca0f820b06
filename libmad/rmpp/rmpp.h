/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp.h - the reliable multi-packet protocol, both ends, many transfers at once.
 * Room: libmad/rmpp (prefix rmpp_).  Pure: 'now' comes in; MADs, whole messages, ends and the
 * deadline are pulled out.
 *
 * One instance serves one agent (one sender/receiver of a class).  Behaves as the Linux kernel
 * does, which is what every peer of the field has been tested against.  Network input is hostile:
 * bytes, open transfers per peer and in total are capped; what is over a cap is answered with STOP
 * (resources exhausted).  What is sent is capped too, since a peer that acknowledges nothing makes
 * the sender hold it.
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
	/* segments by which a receiver opens the window at a time (kernel: 64) */
	uint32_t window;
	uint32_t bytes_max;             /* longest message accepted */
	uint64_t bytes_total;           /* held by all unfinished receptions together */
	unsigned open_per_peer, open_total;     /* unfinished receptions */
	/* bytes that are not acknowledged, of all and to one peer */
	uint64_t send_total, send_per_peer;
	/* finished receptions remembered to repeat their last ACK */
	unsigned kept_total;
	int64_t ack_wait_us;            /* a sender waits so long for an ACK, then resends (2 s) */
	int64_t total_us;               /* a reception takes no longer (40 s) */
	int64_t keep_us;                /* a finished reception is remembered so long (10 s) */
};

/*
 * The kernel's figures; messages up to 64 MiB, 256 MiB together each way, 64 MiB to one peer, 64
 * open per peer, 4096 in total.
 */
struct rmpp_conf rmpp_conf_default(void);

enum rmpp_end_kind {
	RMPP_END_ACKED,                 /* the peer has it all */
	RMPP_END_TIMED_OUT,             /* no ACK to the last retry */
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
 * d->addr says where to).  Takes d->more unless it fails.  The RMPP header is written here.
 * 'timeout_ms' and 'retries' as in a send to the kernel: timeout_ms 0 = no answer expected, else an
 * ACK is waited for no longer than it, and after the last ACK the turn-around ACK of a double-sided
 * transfer is sent, and repeated until timeout_ms have passed or rmpp_send_cancel() tells that the
 * answer came; waiting for that answer is the caller's.  One end with 'cookie' follows.  -EINVAL:
 * not a class with RMPP, or shorter than its header; -EMSGSIZE: too long; -EEXIST: same key in
 * flight; -ENOBUFS: with it more bytes would wait to be acknowledged, in all or by that peer, than
 * the configuration allows.
 */
int rmpp_send(struct rmpp *r, struct dgram *d, uint32_t timeout_ms, unsigned retries,
	uint64_t cookie, struct monotime now);
/* Gives the transfer up without a word to the peer; no end follows, not even one that waits to be
 * pulled. */
void rmpp_send_cancel(struct rmpp *r, uint64_t cookie);

/*
 * Hands in a received MAD.  True: it was RMPP's (a segment, ACK, STOP, ABORT) and is done with.
 * False: a MAD without the ACTIVE flag, or of a class without RMPP; it passes as it is.
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
