/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp_tx.c - the sending end: one whole message goes in, segments go out as the receiver's window
 * allows.
 * Room: libmad/rmpp.  Pure.  docs/wire.md: RMPP.
 *
 * Without an ACK in time, everything after the last acknowledged segment is sent again, at most
 * 'retries' times without progress.  Transfers that may send are in one queue and take turns, one
 * segment each.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "libmad/rmpp/rmpp_impl.h"
#include "util/xalloc.h"

/*
 * An ACK has the R bit inverted.  An ACK of a request may come from another LID of the same node
 * (LMC), and the TID is unique to us: then the key does not include the peer.
 */
static struct rmpp_key
key_of(const uint8_t *w, uint8_t method, const struct dgram_addr *addr)
{
	struct rmpp_key k = rmpp_key_of(w, method, addr);

	if (!(method & METHOD_RESP))
		memset(&k.peer, 0, sizeof k.peer);
	k.class_version = 0;
	return k;
}

static struct rmpp_tx *
transfer_find(struct rmpp *r, const struct dgram *d)
{
	struct rmpp_key k = key_of(d->mad, dgram_method(d->mad) ^ METHOD_RESP, &d->addr);
	struct rmpp_tx *x;

	HASH_FIND(hh, r->txs, &k, sizeof k, x);
	return x;
}

static void
set_ready(struct rmpp *r, struct rmpp_tx *x)
{
	bool may = !x->turned && x->sent < x->segments && x->sent < x->window_end;

	if (may && !x->ready)
		DL_APPEND(r->ready, x);
	if (!may && x->ready)
		DL_DELETE(r->ready, x);
	x->ready = may;
}

/* True if 'bytes' more may be unacknowledged, in total and by that peer. */
static bool
may_send(const struct rmpp *r, const struct rmpp_peer *p, uint32_t bytes)
{
	return r->st.bytes_sending + bytes <= r->conf.send_total &&
		p->sending + bytes <= r->conf.send_per_peer;
}

/* The message is not needed any more. */
static void
drop_message(struct rmpp *r, struct rmpp_tx *x)
{
	if (!x->peer)
		return;
	r->st.bytes_sending -= x->bytes;
	x->peer->sending -= x->bytes;
	rmpp_peer_put(r, x->peer);
	x->peer = NULL;
	free(x->msg);
	x->msg = NULL;
}

void
rmpp_tx_free(struct rmpp *r, struct rmpp_tx *x)
{
	heap_drop(&r->tx_timers, &x->timer);
	if (x->ready)
		DL_DELETE(r->ready, x);
	HASH_DEL(r->txs, x);
	HASH_DELETE(by_cookie, r->cookies, x);
	r->st.sending--;
	drop_message(r, x);
	free(x);
}

static void
transfer_finish(struct rmpp *r, struct rmpp_tx *x, enum rmpp_end_kind kind, uint8_t status)
{
	if (!x->turned)
		rmpp_end_put(r, x->cookie, kind, status);
	rmpp_tx_free(r, x);
}

/* The answer to a double-sided request begins with the window that the requester's turn-around ACK
 * granted. */
static uint32_t
first_window(struct rmpp *r, const struct dgram *d)
{
	uint8_t method = dgram_method(d->mad);
	struct rmpp_key k = rmpp_key_of(d->mad, method & 0x7f, &d->addr);
	const struct rmpp_rx *x = method & METHOD_RESP ? rmpp_rx_finished(r, &k) : NULL;

	return x && x->turn_window ? x->turn_window : 1;
}

int
rmpp_send(struct rmpp *r, struct dgram *d, uint32_t timeout_ms, unsigned retries, uint64_t cookie,
	struct monotime now)
{
	unsigned head = dgram_rmpp_header_bytes(dgram_class(d->mad)), data = DGRAM_BYTES - head;
	int64_t timeout_us = (int64_t)timeout_ms * 1000;
	struct rmpp_key k, to;
	struct rmpp_peer *p;
	struct rmpp_tx *x;

	if (!head || d->bytes < head || (d->bytes > DGRAM_BYTES && !d->more))
		return -EINVAL;
	if (d->bytes > r->conf.bytes_max)
		return -EMSGSIZE;
	k = key_of(d->mad, dgram_method(d->mad), &d->addr);
	HASH_FIND(hh, r->txs, &k, sizeof k, x);
	if (x)
		return -EEXIST;
	to = rmpp_key_of(d->mad, dgram_method(d->mad), &d->addr);
	p = rmpp_peer_get(r, &to.peer);
	if (!may_send(r, p, d->bytes)) {
		rmpp_peer_put(r, p);
		return -ENOBUFS;
	}
	p->sending += d->bytes;
	r->st.bytes_sending += d->bytes;
	x = xcalloc(1, sizeof *x);
	x->key = k;
	x->peer = p;
	x->addr = d->addr;
	x->cookie = cookie;
	x->bytes = d->bytes;
	x->msg = d->bytes > DGRAM_BYTES ? d->more : xmemdup(d->mad, d->bytes);
	if (d->bytes > DGRAM_BYTES)
		d->more = NULL;
	x->segments = d->bytes == head ? 1 : (d->bytes - head + data - 1) / data;
	x->window_end = first_window(r, d);
	x->retries = x->retries_left = retries;
	x->wait_us =
		timeout_us && timeout_us < r->conf.ack_wait_us ? timeout_us : r->conf.ack_wait_us;
	x->answer_us = dgram_method(d->mad) & METHOD_RESP ? 0 : timeout_us;
	HASH_ADD(hh, r->txs, key, sizeof x->key, x);
	HASH_ADD(by_cookie, r->cookies, cookie, sizeof x->cookie, x);
	r->st.sending++;
	heap_put(&r->tx_timers, &x->timer, monotime_add_us(now, x->wait_us).us);
	set_ready(r, x);
	return 0;
}

void
rmpp_send_cancel(struct rmpp *r, uint64_t cookie)
{
	struct rmpp_tx *x;

	for (;;) {
		HASH_FIND(by_cookie, r->cookies, &cookie, sizeof cookie, x);
		if (!x)
			break;
		rmpp_tx_free(r, x);
	}
	rmpp_end_forget(r, cookie);
}

static void
make_segment(const struct rmpp_tx *x, uint32_t n, struct dgram *d)
{
	unsigned head = dgram_rmpp_header_bytes(x->key.mgmt_class), data = DGRAM_BYTES - head;
	uint32_t at = head + (n - 1) * data;
	uint32_t here = x->bytes - at < data ? x->bytes - at : data;
	uint32_t pad = x->segments * data - (x->bytes - head);
	struct dgram_rmpp_head h = {
		.version = 1, .type = RMPP_DATA, .resp_time = 0x1f, .flags = RMPP_FLAG_ACTIVE,
		.segment = n,
	};

	if (n == x->segments) {
		h.flags |= RMPP_FLAG_LAST;
		h.length = RMPP_UNIT - pad;
	}
	if (n == 1) {
		h.flags |= RMPP_FLAG_FIRST;
		h.length = x->segments * RMPP_UNIT - pad;
	}
	d->addr = x->addr;
	d->status = 0;
	d->bytes = DGRAM_BYTES;
	d->more = NULL;
	memcpy(d->mad, x->msg, head);
	memcpy(d->mad + head, x->msg + at, here);
	memset(d->mad + head + here, 0, data - here);
	dgram_rmpp_head_encode(d->mad, &h);
}

static void
restart_timer(struct rmpp *r, struct rmpp_tx *x, int64_t us, struct monotime now)
{
	heap_drop(&r->tx_timers, &x->timer);
	heap_put(&r->tx_timers, &x->timer, monotime_add_us(now, us).us);
}

bool
rmpp_tx_next(struct rmpp *r, struct dgram *d, struct monotime now)
{
	struct rmpp_tx *x = r->ready;

	if (!x)
		return false;
	x->sent++;
	make_segment(x, x->sent, d);
	r->st.segments_sent++;
	if (x->sent <= x->sent_max)
		r->st.segments_resent++;
	else
		x->sent_max = x->sent;
	restart_timer(r, x, x->wait_us, now);
	DL_DELETE(r->ready, x);         /* to the end of the line */
	x->ready = false;
	set_ready(r, x);
	return true;
}

/* An ACK for segment 0 turns the direction: it grants a window to our answer. */
static void
unmatched_ack(struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h)
{
	struct rmpp_key k = rmpp_key_of(d->mad, dgram_method(d->mad), &d->addr);
	struct rmpp_rx *x = h->segment ? NULL : rmpp_rx_finished(r, &k);

	if (x)
		x->turn_window = h->length;
	else
		r->st.unmatched++;
}

static void
turn_around(struct rmpp *r, const struct dgram *d)
{
	rmpp_ack(r, d->mad, dgram_method(d->mad) ^ METHOD_RESP, &d->addr, 0, 1);
}

static void
all_acked(struct rmpp *r, struct rmpp_tx *x, const struct dgram *d, struct monotime now)
{
	r->st.messages_sent++;
	if (!x->answer_us) {
		transfer_finish(r, x, RMPP_END_ACKED, 0);
		return;
	}
	rmpp_end_put(r, x->cookie, RMPP_END_ACKED, 0);
	x->turned = true;
	drop_message(r, x);
	set_ready(r, x);
	restart_timer(r, x, x->answer_us, now);
	turn_around(r, d);
}

static void
break_off(struct rmpp *r, struct rmpp_tx *x, const struct dgram *d, enum rmpp_status status)
{
	if (x)
		transfer_finish(r, x, RMPP_END_REFUSED, (uint8_t)status);
	rmpp_refuse(r, d, status);
}

void
rmpp_tx_ack(
	struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h, struct monotime now)
{
	struct rmpp_tx *x = transfer_find(r, d);

	r->st.acks_received++;
	if (h->status) {
		break_off(r, x, d, RMPP_STATUS_ILLEGAL);
		return;
	}
	if (h->length < h->segment) {
		break_off(r, x, d, RMPP_STATUS_WINDOW_SMALL);
		return;
	}
	if (!x) {
		unmatched_ack(r, d, h);
		return;
	}
	if (x->turned) {
		turn_around(r, d);      /* ours was lost */
		return;
	}
	if (h->segment > x->sent_max || h->segment > x->window_end) {
		break_off(r, x, d, RMPP_STATUS_SEGMENT_RANGE);
		return;
	}
	if (h->length < x->window_end || h->segment < x->acked)
		return;                 /* an old ACK */
	if (h->segment > x->acked) {
		x->acked = h->segment;
		x->retries_left = x->retries;
		if (x->sent < x->acked)
			x->sent = x->acked;
		restart_timer(r, x, x->wait_us, now);
	}
	x->window_end = h->length;
	if (x->acked == x->segments)
		all_acked(r, x, d, now);
	else
		set_ready(r, x);
}

void
rmpp_tx_refused(struct rmpp *r, const struct dgram *d, uint8_t status)
{
	struct rmpp_tx *x = transfer_find(r, d);

	if (!x) {
		r->st.unmatched++;
		return;
	}
	if (!x->turned)
		transfer_finish(r, x, RMPP_END_REFUSED, status);
}

void
rmpp_tx_tick(struct rmpp *r, struct monotime now)
{
	struct heap_node *n;
	int64_t at;

	while ((n = heap_top(&r->tx_timers, &at)) && at <= now.us) {
		struct rmpp_tx *x = (struct rmpp_tx *)n;        /* its first member */

		if (x->turned || !x->retries_left) {
			transfer_finish(r, x, RMPP_END_TIMED_OUT, 0);
			continue;
		}
		x->retries_left--;
		x->sent = x->acked;
		restart_timer(r, x, x->wait_us, now);
		set_ready(r, x);
	}
}
