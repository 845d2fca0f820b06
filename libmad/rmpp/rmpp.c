/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rmpp.c - entry points for both ends: creation, dispatch of received MADs, control MADs,
 * deadlines.
 * Room: libmad/rmpp.  Pure.  docs/wire.md: RMPP.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/rmpp/rmpp_impl.h"
#include "util/xalloc.h"

struct rmpp_conf
rmpp_conf_default(void)
{
	return (struct rmpp_conf){
		.window = 64, .bytes_max = 64u << 20, .bytes_total = 256u << 20,
		.send_total = 256u << 20, .send_per_peer = 64u << 20,
		.open_per_peer = 64, .open_total = 4096, .finished_total = 4096,
		.ack_wait_us = 2000000, .total_us = 40000000, .keep_us = 10000000,
	};
}

struct rmpp *
rmpp_new(const struct rmpp_conf *conf)
{
	struct rmpp *r = xcalloc(1, sizeof *r);

	if (conf->window < 1 || conf->window > 65536 || conf->bytes_max < DGRAM_BYTES ||
	    conf->ack_wait_us < 1 || conf->total_us < 1 || conf->keep_us < 0)
		bug("rmpp: configuration out of range");
	r->conf = *conf;
	return r;
}

static void
queue_clear(struct rmpp_queue *q)
{
	for (struct rmpp_out *o = q->first, *next; o; o = next) {
		next = o->next;
		free(o->d.more);
		free(o);
	}
	*q = (struct rmpp_queue){ 0 };
}

void
rmpp_free(struct rmpp *r)
{
	struct rmpp_rx *x, *xn;
	struct rmpp_tx *y, *yn;

	if (!r)
		return;
	HASH_ITER(hh, r->rxs, x, xn)
		rmpp_rx_free(r, x);
	HASH_ITER(hh, r->txs, y, yn)
		rmpp_tx_free(r, y);
	queue_clear(&r->control);
	queue_clear(&r->messages);
	for (struct rmpp_ended *e = r->ends, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	heap_clear(&r->rx_timers);
	heap_clear(&r->tx_timers);
	free(r);
}

struct rmpp_key
rmpp_key_of(const uint8_t *w, uint8_t method, const struct dgram_addr *addr)
{
	struct rmpp_key k;

	memset(&k, 0, sizeof k);                /* compared as bytes */
	k.tid = dgram_tid(w);
	k.mgmt_class = dgram_class(w);
	k.class_version = w[2];
	k.method = method;
	k.peer.qpn = addr->qpn;
	k.peer.grh = addr->grh;
	if (addr->grh)
		memcpy(k.peer.gid, addr->gid, sizeof k.peer.gid);
	else
		k.peer.lid = addr->lid;
	return k;
}

struct rmpp_peer *
rmpp_peer_get(struct rmpp *r, const struct rmpp_peer_key *k)
{
	struct rmpp_peer *p;

	HASH_FIND(hh, r->peers, k, sizeof *k, p);
	if (p)
		return p;
	p = xcalloc(1, sizeof *p);
	p->key = *k;
	HASH_ADD(hh, r->peers, key, sizeof p->key, p);
	return p;
}

void
rmpp_peer_put(struct rmpp *r, struct rmpp_peer *p)
{
	if (p->open || p->sending)
		return;
	HASH_DEL(r->peers, p);
	free(p);
}

void
rmpp_queue_put(struct rmpp_queue *q, const struct dgram *d)
{
	struct rmpp_out *o = xmalloc(sizeof *o);

	o->next = NULL;
	o->d = *d;
	if (q->last)
		q->last->next = o;
	else
		q->first = o;
	q->last = o;
	q->n++;
}

static bool
queue_take(struct rmpp_queue *q, struct dgram *d)
{
	struct rmpp_out *o = q->first;

	if (!o)
		return false;
	*d = o->d;
	q->first = o->next;
	if (!q->first)
		q->last = NULL;
	q->n--;
	free(o);
	return true;
}

void
rmpp_control(struct rmpp *r, const uint8_t *mad, uint8_t method, const struct dgram_addr *addr,
	struct dgram_rmpp_head h)
{
	struct dgram d = { .addr = *addr, .bytes = DGRAM_BYTES };

	if (r->control.n >= RMPP_CONTROL_MAX) {
		r->st.dropped++;
		return;
	}
	memcpy(d.mad, mad, dgram_rmpp_header_bytes(dgram_class(mad)));
	d.mad[3] = method;
	h.version = 1;
	h.resp_time = 0x1f;
	h.flags = RMPP_FLAG_ACTIVE;
	dgram_rmpp_head_encode(d.mad, &h);
	rmpp_queue_put(&r->control, &d);
}

void
rmpp_ack(struct rmpp *r, const uint8_t *mad, uint8_t method, const struct dgram_addr *addr,
	uint32_t segment, uint32_t window_end)
{
	r->st.acks_sent++;
	rmpp_control(r, mad, method, addr, (struct dgram_rmpp_head){
		.type = RMPP_ACK, .segment = segment, .length = window_end,
	});
}

void
rmpp_refuse(struct rmpp *r, const struct dgram *d, enum rmpp_status status)
{
	bool stop = status == RMPP_STATUS_RESOURCES;

	if (stop)
		r->st.stops_sent++;
	else
		r->st.aborts_sent++;
	rmpp_control(r, d->mad, dgram_method(d->mad) ^ METHOD_RESP, &d->addr,
		(struct dgram_rmpp_head){
			.type = stop ? RMPP_STOP : RMPP_ABORT,
			.status = (uint8_t)status,
		});
}

void
rmpp_end_put(struct rmpp *r, uint64_t cookie, enum rmpp_end_kind kind, uint8_t status)
{
	struct rmpp_ended *e = xmalloc(sizeof *e);

	*e = (struct rmpp_ended){ .e = { .cookie = cookie, .kind = kind, .status = status } };
	if (r->ends)
		r->ends_last->next = e;
	else
		r->ends = e;
	r->ends_last = e;
}

void
rmpp_end_forget(struct rmpp *r, uint64_t cookie)
{
	struct rmpp_ended *before = NULL, *next;

	for (struct rmpp_ended *e = r->ends; e; e = next) {
		next = e->next;
		if (e->e.cookie != cookie) {
			before = e;
			continue;
		}
		if (before)
			before->next = next;
		else
			r->ends = next;
		free(e);
	}
	r->ends_last = before;
}

/* STOP has one status, ABORT those of its range; anything else is illegal itself. */
static void
peer_refused(struct rmpp *r, const struct dgram *d, const struct dgram_rmpp_head *h)
{
	bool stop = h->type == RMPP_STOP;
	bool legal = stop ? h->status == RMPP_STATUS_RESOURCES :
		h->status >= RMPP_STATUS_TOO_LONG && h->status <= RMPP_STATUS_UNSPECIFIED;
	struct rmpp_key k = rmpp_key_of(d->mad, dgram_method(d->mad), &d->addr);

	if (stop)
		r->st.stops_received++;
	else
		r->st.aborts_received++;
	rmpp_tx_refused(r, d, legal ? h->status : RMPP_STATUS_ILLEGAL);
	if (!legal) {
		rmpp_refuse(r, d, RMPP_STATUS_ILLEGAL);
		return;
	}
	rmpp_rx_drop(r, &k);
}

bool
rmpp_receive(struct rmpp *r, const struct dgram *d, struct monotime now)
{
	struct dgram_rmpp_head h;

	if (d->status || !dgram_rmpp_header_bytes(dgram_class(d->mad)))
		return false;
	h = dgram_rmpp_head_decode(d->mad);
	if (!(h.flags & RMPP_FLAG_ACTIVE))
		return false;
	if (h.version != 1) {
		rmpp_refuse(r, d, RMPP_STATUS_VERSION);
		return true;
	}
	switch (h.type) {
	case RMPP_DATA:
		rmpp_rx_data(r, d, &h, now);
		break;
	case RMPP_ACK:
		rmpp_tx_ack(r, d, &h, now);
		break;
	case RMPP_STOP:
	case RMPP_ABORT:
		peer_refused(r, d, &h);
		break;
	default:
		rmpp_refuse(r, d, RMPP_STATUS_BAD_TYPE);
	}
	return true;
}

void
rmpp_tick(struct rmpp *r, struct monotime now)
{
	rmpp_rx_tick(r, now);
	rmpp_tx_tick(r, now);
}

bool
rmpp_next_mad(struct rmpp *r, struct dgram *d, struct monotime now)
{
	return queue_take(&r->control, d) || rmpp_tx_next(r, d, now);
}

bool
rmpp_next_message(struct rmpp *r, struct dgram *d)
{
	return queue_take(&r->messages, d);
}

bool
rmpp_next_end(struct rmpp *r, struct rmpp_end *e)
{
	struct rmpp_ended *n = r->ends;

	if (!n)
		return false;
	*e = n->e;
	r->ends = n->next;
	free(n);
	return true;
}

bool
rmpp_deadline(const struct rmpp *r, struct monotime *at)
{
	int64_t a = INT64_MAX, b = INT64_MAX;
	bool some = heap_top(&r->rx_timers, &a) != NULL;

	some |= heap_top(&r->tx_timers, &b) != NULL;
	at->us = a < b ? a : b;
	return some;
}

const struct rmpp_stats *
rmpp_stats(const struct rmpp *r)
{
	return &r->st;
}

const char *
rmpp_status_text(uint8_t status)
{
	switch (status) {
	case RMPP_STATUS_OK:
		return "normal";
	case RMPP_STATUS_RESOURCES:
		return "resources exhausted";
	case RMPP_STATUS_TOO_LONG:
		return "total time too long";
	case RMPP_STATUS_LAST_LENGTH:
		return "inconsistent last segment and payload length";
	case RMPP_STATUS_FIRST_SEGMENT:
		return "inconsistent first flag and segment number";
	case RMPP_STATUS_BAD_TYPE:
		return "bad RMPP type";
	case RMPP_STATUS_WINDOW_SMALL:
		return "new window too small";
	case RMPP_STATUS_SEGMENT_RANGE:
		return "segment number out of range";
	case RMPP_STATUS_ILLEGAL:
		return "illegal status";
	case RMPP_STATUS_VERSION:
		return "unsupported version";
	case RMPP_STATUS_RETRIES:
		return "too many retries";
	case RMPP_STATUS_UNSPECIFIED:
		return "unspecified";
	}
	return "unknown status";
}
