/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn.h - transactions: matches replies to requests, retries, and limits outstanding requests.
 * Room: libmad/txn (prefix txn_).  Pure: the caller passes 'now' and pulls out MADs to send and
 * ended requests.
 *
 * In:  requests (txn_submit), received MADs and sends that came back (txn_receive), refused sends
 *      (txn_send_failed), time (txn_tick).
 * Out: MADs to send (txn_next_send), ends (txn_next_end), the next deadline (txn_deadline).
 * Invariants: every request ends exactly once, whatever the peer sends.  The number of requests on
 *      the wire never exceeds the windows.  A target at its window, or unresponsive, does not delay
 *      others.  With 'window_late', requests that are late do not use up the total window.
 *
 * One turn of the loop:
 *      while (io_recv(io, &d) == 1) {                              (or dispatch elsewhere)
 *              txn_receive(t, &d, now);
 *              free(d.more);
 *      }
 *      txn_tick(t, now);
 *      do {
 *              while (txn_next_end(t, &end)) ...                   (may submit more)
 *              while (txn_next_send(t, &d, &timeout_ms, now))
 *                      if ((r = io_send(io, &d, timeout_ms)) < 0)
 *                              txn_send_failed(t, &d, -r, now);
 *      } while (txn_ends_waiting(t));
 */
#ifndef HEDDLE_LIBMAD_TXN_TXN_H
#define HEDDLE_LIBMAD_TXN_TXN_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/mad/dgram.h"
#include "util/monotime.h"

struct txn;

struct txn_conf {
	unsigned window_total;          /* requests on the wire at once, 1..16384 */
	unsigned window_target;         /* maximum of them to one target */
	unsigned window_late;           /* late requests allowed on the wire in addition */
	/* a request is late after this time, or if it is not the first try */
	int64_t late_us;
	unsigned tries;                 /* sends of one request, 1..255 */
	int64_t timeout_first_us;       /* first try to a target that never answered */
	int64_t timeout_floor_us;       /* never shorter, however fast the target was */
	/* the longest timeout of a try; timeouts double from try to try unless 'steady' */
	int64_t timeout_max_us;
	/* every try of a request waits as long as its first */
	bool steady;
	int64_t backstop_us;            /* margin of our own deadline after the kernel's */
	/* pause after a BUSY answer or a refused send; doubles per try */
	int64_t busy_wait_us;
	/* a target is unresponsive after this many timed-out requests in a row (0: never) */
	unsigned breaker_ends;
	/* after this time one more request may try it (0: only after txn_target_reset) */
	int64_t breaker_rest_us;
	uint32_t tid_start;             /* first TID generation; any value */
};

/*
 * 64 on the wire, 4 per target, 4 tries of 200 ms (floor 100, max 400), unresponsive after 2
 * requests.
 */
struct txn_conf txn_conf_default(void);

/*
 * A request.  txn borrows 'path', and 'payload' if 'payload_borrowed' is set, until the request's
 * end was pulled; txn_submit() copies everything else.
 */
struct txn_req {
	/* the caller's number of the node, dense, < TXN_TARGETS_MAX */
	uint32_t target;
	uint64_t cookie;                /* comes back in the end */
	uint8_t mgmt_class, method;
	uint8_t class_version;          /* 0: the class's usual one (SA, CM, CC 2; else 1) */
	uint16_t attr_id;
	uint32_t modifier;
	uint64_t mkey;                  /* SMPs only */
	uint8_t hop_count;              /* class 0x81 */
	const uint8_t *path;            /* class 0x81: hop_count + 1 entries, path[0] = 0 */
	const struct dgram_addr *addr;  /* all other classes: the destination; copied */
	const uint8_t *payload;         /* NULL: zeros */
	/* 0: 64; SMPs always 64.  SA: 24 or 36 or 56, vendor 40 ... */
	uint8_t payload_offset;
	/* SMPs: 64 whenever there is a payload; offset + bytes <= 256 */
	uint8_t payload_bytes;
	/* the caller keeps the payload until the end, so it is not copied */
	bool payload_borrowed;
	bool urgent;                    /* is sent before other queued requests */
	/* maximum number of sends of this request; 0: txn_conf.tries */
	uint8_t tries;
	/* timeout of each try; 0: from the round trip times of the target */
	uint32_t timeout_us;
};
#define TXN_TARGETS_MAX (1u << 22)

enum txn_end_kind {
	TXN_END_OK,                     /* answered with status 0 */
	/* answered with another status (BUSY only after the last try) */
	TXN_END_STATUS,
	TXN_END_TIMED_OUT,              /* no acceptable answer to any try */
	/* the last try could not be sent, or the answer was too long (EMSGSIZE): 'error' */
	TXN_END_SEND_FAILED,
	TXN_END_SKIPPED,                /* never sent: the target is unresponsive */
	TXN_END_CANCELLED,
};

/* Why a datagram with the TID of a request on the wire was not its answer. */
#define TXN_MISMATCHES(M) \
	M(CLASS, "wrong class") M(METHOD, "wrong method") M(ATTR, "wrong attribute") \
	M(MODIFIER, "wrong modifier") M(DIRECTION, "direction bit missing") M(SHORT, "too short") \
	M(ROUTE, "wrong route")
#define TXN_MISMATCH_ENUM(name, text) TXN_MISMATCH_##name,
enum txn_mismatch { TXN_MISMATCHES(TXN_MISMATCH_ENUM) TXN_MISMATCH_KINDS };
const char *txn_mismatch_text(enum txn_mismatch m);
const char *txn_end_kind_text(enum txn_end_kind k);

struct txn_end {
	uint64_t cookie;
	uint32_t target, modifier;
	uint16_t attr_id;
	uint8_t mgmt_class, method;     /* of the request */
	enum txn_end_kind kind;
	uint16_t status;                /* TXN_END_STATUS: without the D bit */
	int error;                      /* TXN_END_SEND_FAILED: positive errno */
	uint8_t tries;                  /* sends made */
	/* bits 1 << enum txn_mismatch: kinds of wrong answers that were ignored */
	uint8_t mismatched;
	/* The answer, for OK and STATUS, else NULL.  Valid until the next txn_next_end() or
	 * txn_free(). */
	const struct dgram *reply;
};

struct txn_counts {
	uint64_t sent;                  /* every send, retries included */
	uint64_t received;              /* answers that ended a request, and BUSY answers */
	uint64_t retried;               /* sends beyond a request's first */
	uint64_t timed_out;             /* requests that ended with TXN_END_TIMED_OUT */
	uint64_t bad_status;            /* requests that ended with TXN_END_STATUS */
};

struct txn_stats {
	struct txn_counts all;
	uint64_t tries_expired;         /* tries without an answer */
	/* answers to, or returned sends of, requests that have ended; duplicates */
	uint64_t late;
	uint64_t busy;
	uint64_t mismatched[TXN_MISMATCH_KINDS];
	uint64_t send_failed;           /* refused sends */
	uint64_t skipped, cancelled;
	uint64_t submitted, ended;
	uint32_t queued, in_flight;     /* now: waiting to be sent or sent again; on the wire */
	uint32_t late_in_flight;        /* late ones of them */
	uint32_t in_flight_max;
};

struct txn_attr_stats {
	uint8_t mgmt_class;             /* 0x81 counts both SM classes */
	uint16_t attr_id;
	struct txn_counts n;
};

/* Aborts if a value is out of range: the caller checks the configuration. */
struct txn *txn_new(const struct txn_conf *conf);
void txn_free(struct txn *t);
/* Changes windows, tries and timeouts of later sends ('tid_start' is ignored). */
void txn_set_conf(struct txn *t, const struct txn_conf *conf);

void txn_submit(struct txn *t, const struct txn_req *r, struct monotime now);

/*
 * Processes a received datagram: an answer, or a send that came back (d->status).  True: it belongs
 * to a present or past request of ours and needs nothing more, even if it was late or wrong.
 * False: neither; the caller dispatches it elsewhere.  Takes d->more (sets it to NULL) if the
 * answer is accepted; otherwise the caller frees it.  All requests of one io must go through one
 * txn, because an answer with an unknown TID counts as late.
 */
bool txn_receive(struct txn *t, struct dgram *d, struct monotime now);
/* The datagram of the last txn_next_send() was refused with 'error' (positive errno). */
void txn_send_failed(struct txn *t, const struct dgram *d, int error, struct monotime now);
void txn_tick(struct txn *t, struct monotime now);

/* The next MAD to send, whole, with its address and the timeout for the kernel.  False: nothing may
 * be sent now. */
bool txn_next_send(struct txn *t, struct dgram *d, int *timeout_ms, struct monotime now);
bool txn_next_end(struct txn *t, struct txn_end *e);
/* Passes the long answer (reply->more) of the last pulled end to the caller, which frees it.  NULL:
 * there is none. */
uint8_t *txn_take_more(struct txn *t);
bool txn_ends_waiting(const struct txn *t);
/* When to call txn_tick() at the latest; false: nothing to wait for. */
bool txn_deadline(const struct txn *t, struct monotime *at);

/* Number of requests whose end was not pulled yet; 0: all are done. */
uint32_t txn_pending(const struct txn *t);
/* When the oldest request on the wire was first sent; false: none. */
bool txn_oldest(const struct txn *t, struct monotime *first_sent);
/* All requests that have not ended yet end as cancelled. */
void txn_cancel_all(struct txn *t);
/* The same for requests to one target. */
void txn_cancel_target(struct txn *t, uint32_t target);
/* The same for requests with (cookie & mask) == value. */
void txn_cancel_cookies(struct txn *t, uint64_t mask, uint64_t value);
/*
 * Resets the state of 'target', unresponsiveness and round trip times, so that its number can be
 * reused for another node.
 */
void txn_target_reset(struct txn *t, uint32_t target);
void txn_targets_reset(struct txn *t);
bool txn_target_unresponsive(const struct txn *t, uint32_t target, struct monotime now);

const struct txn_stats *txn_stats(const struct txn *t);
/* Rows in order of first use; valid until the next txn_submit(). */
const struct txn_attr_stats *txn_attr_stats(const struct txn *t, unsigned *n);

#endif
