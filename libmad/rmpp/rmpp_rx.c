/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp_rx.c - the receiving end: segments come in any order, one whole message goes out.
 * Room: libmad/rmpp.  Pure.  docs/wire.md: RMPP.
 *
 * A segment inside the window is copied to its position in the buffer; a ring of flags marks
 * segments that arrived ahead of order.  So a peer can make us allocate at most what it has sent
 * plus one window.  An ACK is sent for the first segment, at the end of the window, for the last
 * segment, and for duplicates.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "libmad/rmpp/rmpp_impl.h"
#include "util/xalloc.h"

static unsigned
data_bytes(const struct rmpp_rx *x)
{
	return DGRAM_BYTES - dgram_rmpp_header_bytes(x->key.mgmt_class);
}

static struct rmpp_rx *
transfer_find(struct rmpp *r, const struct rmpp_key *k)
{
	struct rmpp_rx *x;

	HASH_FIND(hh, r->rxs, k, sizeof *k, x);
	return x;
}

/* Frees what only an unfinished reception needs. */
static void
close_open(struct rmpp *r, struct rmpp_rx *x)
{
	struct rmpp_peer *p = x->peer;

	r->st.open--;
	r->st.bytes_held -= x->room;
	x->room = 0;
	free(x->have);
	x->have = NULL;
	x->peer = NULL;
	p->open--;
	rmpp_peer_put(r, p);
}

void
rmpp_rx_free(struct rmpp *r, struct rmpp_rx *x)
{
	heap_drop(&r->rx_timers, &x->timer);
	HASH_DEL(r->rxs, x);
	if (x->finished) {
		DL_DELETE(r->finished, x);
		r->finished_n--;
	} else {
		close_open(r, x);
	}
	free(x->buf);
	free(x);
}

struct rmpp_rx *
rmpp_rx_finished(struct rmpp *r, const struct rmpp_key *k)
{
	struct rmpp_rx *x = transfer_find(r, k);

	return x && x->finished ? x : NULL;
}

void
rmpp_rx_drop(struct rmpp *r, const struct rmpp_key *k)
{
	struct rmpp_rx *x = transfer_find(r, k);

	if (x && !x->finished)
		rmpp_rx_free(r, x);
}

static void
ack_send(struct rmpp *r, const struct rmpp_rx *x)
{
	rmpp_ack(r, x->head, x->key.method ^ METHOD_RESP, &x->addr, x->last_ack, x->window_end);
}

/* NULL: a limit is reached. */
static struct rmpp_rx *
rx_new(struct rmpp *r, const struct rmpp_key *k, const struct dgram *d, struct monotime now)
{
	struct rmpp_peer *p;
	struct rmpp_rx *x;

	if (r->st.open >= r->conf.open_total || !r->conf.open_per_peer)
		return NULL;
	p = rmpp_peer_get(r, &k->peer);
	if (p->open >= r->conf.open_per_peer) {
		rmpp_peer_put(r, p);
		return NULL;
	}
	p->open++;
	r->st.open++;
	x = xcalloc(1, sizeof *x);
	x->key = *k;
	x->peer = p;
	x->addr = d->addr;
	memcpy(x->head, d->mad, sizeof x->head);
	x->window_end = 1;
	x->have = xcalloc(r->conf.window, 1);
	HASH_ADD(hh, r->rxs, key, sizeof x->key, x);
	heap_put(&r->rx_timers, &x->timer, monotime_add_us(now, r->conf.total_us).us);
	return x;
}

/* Extends the buffer to the end of segment 'n'; false: over a limit. */
static bool
buffer_grow(struct rmpp *r, struct rmpp_rx *x, uint32_t n)
{
	uint64_t need = dgram_rmpp_header_bytes(x->key.mgmt_class) + (uint64_t)n * data_bytes(x);
	uint64_t room = x->room ? x->room : DGRAM_BYTES;

	if (need <= x->room)
		return true;
	while (room < need)
		room *= 2;
	if (room > r->conf.bytes_max)
		room = r->conf.bytes_max;
	if (room < need || r->st.bytes_held - x->room + room > r->conf.bytes_total)
		return false;
	x->buf = xrealloc(x->buf, room);
	r->st.bytes_held += room - x->room;
	x->room = (uint32_t)room;
	return true;
}

static void
segment_store(struct rmpp_rx *x, const struct dgram *d, const struct dgram_rmpp_head *h)
{
	unsigned head = DGRAM_BYTES - data_bytes(x);

	if (h->segment == 1)
		memcpy(x->buf, d->mad, head);
	memcpy(x->buf + head + (size_t)(h->segment - 1) * data_bytes(x), d->mad + head,
		data_bytes(x));
	if (h->flags & RMPP_FLAG_LAST && (!x->last || h->segment < x->last)) {
		x->last = h->segment;
		x->last_length = h->length;
	}
}

/* Bytes of the whole message: what the last segment's payload length leaves out is padding. */
static uint32_t
total_bytes(const struct rmpp_rx *x)
{
	uint32_t pad = x->last_length <= RMPP_UNIT ? RMPP_UNIT - x->last_length : 0;

	if (pad > data_bytes(x))
		pad = data_bytes(x);
	return DGRAM_BYTES - data_bytes(x) + x->last * data_bytes(x) - pad;
}

static void
transfer_keep(struct rmpp *r, struct rmpp_rx *x, struct monotime now)
{
	close_open(r, x);
	heap_drop(&r->rx_timers, &x->timer);
	x->finished = true;
	DL_APPEND(r->finished, x);
	if (++r->finished_n > r->conf.finished_total) {
		rmpp_rx_free(r, r->finished);       /* the oldest; with a cap of 0 this one */
		return;
	}
	heap_put(&r->rx_timers, &x->timer, monotime_add_us(now, r->conf.keep_us).us);
}

static void
transfer_complete(struct rmpp *r, struct rmpp_rx *x, struct monotime now)
{
	struct dgram m = { .addr = x->addr, .bytes = total_bytes(x) };

	ack_send(r, x);
	memcpy(m.mad, x->buf, m.bytes < DGRAM_BYTES ? m.bytes : DGRAM_BYTES);
	if (m.bytes > DGRAM_BYTES)
		m.more = x->buf;
	else
		free(x->buf);
	x->buf = NULL;
	r->st.messages_received++;
	rmpp_queue_put(&r->messages, &m);
	transfer_keep(r, x, now);
}

/* Advances last_ack over all segments received in order; true: the message is complete. */
static bool
window_advance(const struct rmpp *r, struct rmpp_rx *x)
{
	uint32_t w = r->conf.window;

	while (!x->last || x->last_ack < x->last) {
		uint8_t *have = &x->have[(x->last_ack + 1) % w];

		if (!*have)
			return false;
		*have = 0;
		x->last_ack++;
	}
	return true;
}

static void
on_segment(struct rmpp *r, struct rmpp_rx *x, const struct dgram *d,
	const struct dgram_rmpp_head *h, struct monotime now)
{
	uint8_t *have = &x->have[h->segment % r->conf.window];

	if (*have) {                    /* a duplicate that arrived ahead of order */
		r->st.duplicates++;
		ack_send(r, x);
		return;
	}
	if (!buffer_grow(r, x, h->segment)) {
		r->st.refused++;
		rmpp_refuse(r, d, RMPP_STATUS_RESOURCES);
		rmpp_rx_free(r, x);
		return;
	}
	segment_store(x, d, h);
	*have = 1;
	if (window_advance(r, x)) {
		transfer_complete(r, x, now);
	} else if (x->last_ack >= x->window_end) {
		x->window_end = x->last_ack > UINT32_MAX - r->conf.window ?
			UINT32_MAX :
			x->last_ack + r->conf.window;
		ack_send(r, x);
	}
}

void
rmpp_rx_data(
	struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h, struct monotime now)
{
	struct rmpp_key k = rmpp_key_of(d->mad, dgram_method(d->mad), &d->addr);
	struct rmpp_rx *x;

	r->st.segments_received++;
	if (h->status || !h->segment || (h->segment == 1) != !!(h->flags & RMPP_FLAG_FIRST)) {
		rmpp_refuse(r, d, h->status ? RMPP_STATUS_ILLEGAL : RMPP_STATUS_FIRST_SEGMENT);
		rmpp_rx_drop(r, &k);    /* the sender gives it up */
		return;
	}
	x = transfer_find(r, &k);
	if (!x && h->segment != 1) {
		/* the rest of a dropped transfer, or its first segment is late */
		r->st.unmatched++;
		return;
	}
	if (!x && !(x = rx_new(r, &k, d, now))) {
		r->st.refused++;
		rmpp_refuse(r, d, RMPP_STATUS_RESOURCES);
		return;
	}
	if (x->finished || h->segment <= x->last_ack) {
		r->st.duplicates++;
		ack_send(r, x);
		return;
	}
	if (h->segment > x->window_end || (x->last && h->segment > x->last)) {
		r->st.out_of_window++;
		return;
	}
	on_segment(r, x, d, h, now);
}

void
rmpp_rx_tick(struct rmpp *r, struct monotime now)
{
	struct heap_node *n;
	int64_t at;

	while ((n = heap_top(&r->rx_timers, &at)) && at <= now.us) {
		struct rmpp_rx *x = (struct rmpp_rx *)n;        /* its first member */

		if (!x->finished) {
			struct dgram d = { .addr = x->addr };

			r->st.expired++;
			memcpy(d.mad, x->head, sizeof x->head);
			rmpp_refuse(r, &d, RMPP_STATUS_TOO_LONG);
		}
		rmpp_rx_free(r, x);
	}
}
