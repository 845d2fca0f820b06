/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.c - RMPP as the kernel does it for an agent: one instance of libmad/rmpp for each.
 * Room: sim/kmad.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/kmad/kmad_int.h"
#include "util/xalloc.h"

static void
to_dgram_addr(struct dgram_addr *d, const struct message_addr *a)
{
	*d = (struct dgram_addr){
		.lid = a->lid, .pkey_index = a->pkey_index, .qpn = a->qpn, .sl = a->sl,
			.path_bits = a->path_bits,
		.grh = a->grh, .hop_limit = a->hop_limit, .traffic_class = a->traffic_class,
		.gid_index = a->gid_index, .flow_label = a->flow_label,
	};
	memcpy(d->gid, a->gid, sizeof(d->gid));
}

static void
from_dgram_addr(struct message_addr *a, const struct dgram_addr *d)
{
	*a = (struct message_addr){
		.lid = d->lid, .pkey_index = d->pkey_index, .qpn = d->qpn, .sl = d->sl,
			.path_bits = d->path_bits,
		.grh = d->grh, .hop_limit = d->hop_limit, .traffic_class = d->traffic_class,
		.gid_index = d->gid_index, .flow_label = d->flow_label,
	};
	memcpy(a->gid, d->gid, sizeof(a->gid));
}

static void
put_mads(struct kmad *k, struct kmad_agent *a, struct monotime now)
{
	const struct kmad_port *port = a->file->port;
	struct dgram d;

	while (rmpp_next_mad(a->rmpp, &d, now)) {
		struct message_addr to;
		struct hw_packet p;

		from_dgram_addr(&to, &d.addr);
		if (!kmad_address(k, port, &to, dgram_class(d.mad), &p))
			continue;
		memcpy(p.mad, d.mad, sizeof(p.mad));
		hw_send(k->hw, port->node, port->num, &p, now);
	}
}

static void
take_messages(struct kmad *k, struct kmad_agent *a)
{
	struct dgram d;

	while (rmpp_next_message(a->rmpp, &d)) {
		struct message_addr from;
		uint8_t *more = d.more;

		from_dgram_addr(&from, &d.addr);
		if (kmad_is_response(d.mad)) {
			kmad_response(k, a, &from, d.mad, d.bytes, more, false);
		} else {
			struct kmad_head head = { .addr = from };

			kmad_queue(k, a, &head, d.mad, d.bytes, more);
		}
	}
}

static void
take_ends(struct kmad *k, struct kmad_agent *a, struct monotime now)
{
	struct rmpp_end e;

	while (rmpp_next_end(a->rmpp, &e)) {
		/* It lives: kmad_send_free() cancels its transfer, and no end follows that. */
		struct kmad_send *s = (struct kmad_send *)(uintptr_t)e.cookie;

		if (e.kind != RMPP_END_ACKED || !s->head.timeout_ms)
			s->rmpp = false;        /* the transfer is gone */
		switch (e.kind) {
		case RMPP_END_ACKED:
			if (s->head.timeout_ms)
				kmad_send_arm(k, s, now);
			else
				kmad_send_free(k, s);
			break;
		case RMPP_END_TIMED_OUT:
			kmad_send_expire(k, s);
			break;
		case RMPP_END_REFUSED:          /* such a send ends in silence */
			kmad_send_free(k, s);
			break;
		}
	}
}

/* What the agent's messages take until they are acknowledged. */
static void
count_bytes(struct kmad *k, struct kmad_agent *a)
{
	uint64_t bytes = rmpp_stats(a->rmpp)->bytes_sending;

	k->sending_bytes += bytes - a->sending_bytes;
	a->sending_bytes = bytes;
}

void
kmad_transfer_cancel(struct kmad *k, const struct kmad_send *s)
{
	rmpp_send_cancel(s->agent->rmpp, (uintptr_t)s);
	count_bytes(k, s->agent);
}

static void
move_transfers(struct kmad *k, struct kmad_agent *a, struct monotime now)
{
	put_mads(k, a, now);
	take_ends(k, a, now);           /* before a message ends a send whose end waits */
	take_messages(k, a);
	count_bytes(k, a);
}

int
kmad_transfer_start(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head,
	const uint8_t *mad,
	uint32_t bytes, struct monotime now)
{
	struct dgram d = { .bytes = bytes };
	struct kmad_send *s;
	uint64_t tid = dgram_tid(mad);
	int r;

	if (k->sending_bytes + bytes > KMAD_SENDING_TOTAL)
		return -ENOMEM;
	if (!kmad_is_response(mad))
		tid = (uint64_t)a->hi << 32 | (uint32_t)tid;
	to_dgram_addr(&d.addr, &head->addr);
	memcpy(d.mad, mad, bytes < MESSAGE_MAD_BYTES ? bytes : MESSAGE_MAD_BYTES);
	dgram_set_tid(d.mad, tid);
	if (bytes > MESSAGE_MAD_BYTES) {
		d.more = xmemdup(mad, bytes);
		dgram_set_tid(d.more, tid);
	}
	s = kmad_send_new(k, a, head, d.mad, tid);
	r = rmpp_send(a->rmpp, &d, head->timeout_ms, head->retries, (uintptr_t)s, now);
	if (r) {
		free(d.more);
		kmad_send_free(k, s);
		return r == -ENOBUFS ? -ENOMEM : -EINVAL;
	}
	s->rmpp = true;
	move_transfers(k, a, now);
	return 0;
}

bool
kmad_transfer_receive(struct kmad *k, struct kmad_agent *a, const struct message_addr *from,
	const uint8_t *mad,
	struct monotime now)
{
	struct dgram d = { .bytes = DGRAM_BYTES };

	to_dgram_addr(&d.addr, from);
	memcpy(d.mad, mad, DGRAM_BYTES);
	if (!rmpp_receive(a->rmpp, &d, now))
		return false;
	move_transfers(k, a, now);
	return true;
}

void
kmad_transfer_timers(struct kmad *k, struct monotime now)
{
	struct monotime at;

	for (struct kmad_agent *a = k->rmpp_agents; a; a = a->rmpp_next)
		if (rmpp_deadline(a->rmpp, &at) && monotime_reached(now, at)) {
			rmpp_tick(a->rmpp, now);
			move_transfers(k, a, now);
		}
}

bool
kmad_transfer_deadline(const struct kmad *k, struct monotime *at)
{
	struct monotime t;
	bool any = false;

	*at = MONOTIME_NEVER;
	for (const struct kmad_agent *a = k->rmpp_agents; a; a = a->rmpp_next)
		if (rmpp_deadline(a->rmpp, &t)) {
			*at = monotime_min(*at, t);
			any = true;
		}
	return any;
}
