/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * send.c - messages that programs write: checks, transaction IDs, sends that wait for an answer,
 * time-outs and retries.
 * Room: sim/kmad.  Pure.
 * In: writes, time.  Out: packets into the hardware, expired sends to their files.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sim/kmad/kmad_int.h"
#include "util/xalloc.h"

#define RMPP_HEAD_BYTES 36              /* a write is at least as long */

/* ---- the table of sends ---- */

static size_t
bucket(const struct kmad *k, uint64_t tid)
{
	return (size_t)((tid * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - k->table_bits));
}

static void
table_grow(struct kmad *k)
{
	struct kmad_send **old = k->table;
	size_t n = (size_t)1 << k->table_bits;

	k->table_bits++;
	k->table = xcalloc(n * 2, sizeof(*k->table));
	for (size_t i = 0; i < n; i++)
		while (old[i]) {
			struct kmad_send *s = old[i];
			size_t b = bucket(k, s->tid);

			old[i] = s->hash_next;
			s->hash_next = k->table[b];
			k->table[b] = s;
		}
	free(old);
}

struct kmad_send *
kmad_send_new(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head,
	const uint8_t *mad, uint64_t tid)
{
	struct kmad_send *s = k->spare_sends;
	size_t b;

	if (s)
		k->spare_sends = s->next;
	else
		s = xmalloc(sizeof(*s));
	if (k->nsends >> k->table_bits)
		table_grow(k);
	b = bucket(k, tid);
	s->hash_next = k->table[b];
	k->table[b] = s;
	s->prev = NULL;
	s->next = a->sends;
	if (s->next)
		s->next->prev = s;
	a->sends = s;
	k->nsends++;
	a->file->nsends++;
	s->agent = a;
	s->tid = tid;
	s->at_us = 0;
	s->rmpp = false;
	s->retries_left = head->retries;
	s->head = *head;
	memcpy(s->mad, mad, MESSAGE_MAD_BYTES);
	dgram_set_tid(s->mad, tid);
	return s;
}

void
kmad_send_free(struct kmad *k, struct kmad_send *s)
{
	struct kmad_send **at = &k->table[bucket(k, s->tid)];

	while (*at != s)
		at = &(*at)->hash_next;
	*at = s->hash_next;
	if (s->prev)
		s->prev->next = s->next;
	else
		s->agent->sends = s->next;
	if (s->next)
		s->next->prev = s->prev;
	wheel_remove(&k->wheel, s);
	if (s->rmpp)
		kmad_transfer_cancel(k, s);
	k->nsends--;
	s->agent->file->nsends--;
	s->next = k->spare_sends;
	k->spare_sends = s;
}

/* Whether an answer from 'from' may belong to the send to 'to': the kernel looks at the path,
 * not at who answers. */
static bool
same_path(const struct message_addr *to, const struct message_addr *from, bool request)
{
	if (!to->grh != !from->grh)
		return false;
	if (request)
		return to->grh || to->path_bits == from->path_bits;
	return to->grh ? !memcmp(to->gid, from->gid, sizeof(to->gid)) : to->lid == from->lid;
}

struct kmad_send *
kmad_send_find(struct kmad *k, struct kmad_agent *a, const uint8_t *mad,
	const struct message_addr *from)
{
	uint64_t tid = dgram_tid(mad);

	for (struct kmad_send *s = k->table[bucket(k, tid)]; s; s = s->hash_next) {
		if (s->tid != tid || s->agent != a || dgram_class(s->mad) != dgram_class(mad))
			continue;
		if (kmad_is_response(s->mad) == kmad_is_response(mad))
			continue;
		if (dgram_class(mad) == CLASS_SM_DR || same_path(&s->head.addr, from,
		    !kmad_is_response(s->mad)))
			return s;
	}
	return NULL;
}

static bool
same_destination(const struct message_addr *a, const struct message_addr *b)
{
	if (!a->grh != !b->grh)
		return false;
	return a->grh ? !memcmp(a->gid, b->gid, sizeof(a->gid)) : a->lid == b->lid;
}

/* A send of the file with the same TID and class: the kernel takes no second one. */
static bool
in_flight(const struct kmad *k, const struct kmad_file *f, const uint8_t *mad, uint64_t tid,
	const struct message_addr *to)
{
	bool response = kmad_is_response(mad);

	for (const struct kmad_send *s = k->table[bucket(k, tid)]; s; s = s->hash_next)
		if (s->tid == tid && s->agent->file == f &&
		    dgram_class(s->mad) == dgram_class(mad) &&
			kmad_is_response(s->mad) == response &&
			(!response || same_destination(&s->head.addr, to)))
			return true;
	return false;
}

/* ---- addresses ---- */

bool
kmad_address(struct kmad *k, const struct kmad_port *port, const struct message_addr *to,
	uint8_t mgmt_class,
	struct hw_packet *p)
{
	bool qp0 = mgmt_class == CLASS_SM_LID || mgmt_class == CLASS_SM_DR;
	struct hw_port_view v;
	unsigned lmc;

	memset(p, 0, offsetof(struct hw_packet, mad));
	p->dlid = to->lid;
	p->sl = to->sl & 0x0f;
	p->src_qp = qp0 ? 0 : 1;
	p->dst_qp = to->qpn;
	p->qkey = qp0 ? 0 : QKEY_GSI;
	if (mgmt_class == CLASS_SM_DR && to->lid == LID_PERMISSIVE) {
		p->slid = LID_PERMISSIVE;
		return true;
	}
	if (hw_port_view(k->hw, port->node, port->num, &v))
		return false;
	lmc = (unsigned)ATTR_GET(port_info, lmc, v.info);
	p->slid = (uint16_t)(ATTR_GET(port_info, lid, v.info) |
		(to->path_bits & ((1u << lmc) - 1)));
	if (!qp0) {
		if (to->pkey_index >= v.npkeys ||
		    to->pkey_index >= sizeof(v.pkeys) / sizeof(v.pkeys[0]))
			return false;
		p->pkey = v.pkeys[to->pkey_index];
	}
	if (to->grh) {
		p->grh = true;
		p->hop_limit = to->hop_limit;
		p->traffic_class = to->traffic_class;
		p->flow_label = to->flow_label & 0xfffff;
		memcpy(p->dgid, to->gid, sizeof(p->dgid));
		gid_set(p->sgid, ATTR_GET(port_info, gid_prefix, v.info), v.guid);
	}
	return true;
}

/* ---- writes ---- */

static bool
wire_send(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head, const uint8_t *mad,
	struct monotime now)
{
	const struct kmad_port *port = a->file->port;
	struct hw_packet p;

	if (!kmad_address(k, port, &head->addr, dgram_class(mad), &p))
		return false;
	memcpy(p.mad, mad, MESSAGE_MAD_BYTES);
	return !hw_send(k->hw, port->node, port->num, &p, now);
}

/* One MAD.  The answer that is there at once (the usual case) needs no table and no timer. */
static int
write_single(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head, const uint8_t *mad,
	uint64_t tid,
	struct monotime now)
{
	const struct kmad_port *port = a->file->port;
	struct kmad_send *s = NULL;
	struct hw_packet p;
	int r;

	if (!kmad_address(k, port, &head->addr, dgram_class(mad), &p))
		return -EINVAL;
	memcpy(p.mad, mad, MESSAGE_MAD_BYTES);
	dgram_set_tid(p.mad, tid);
	if (head->timeout_ms) {
		s = kmad_send_new(k, a, head, mad, tid);
		kmad_send_arm(k, s, now);
	}
	r = hw_send_take(k->hw, port->node, port->num, &p, now);
	if (r < 0 && s)
		kmad_send_free(k, s);
	if (r > 0)
		kmad_route(k, port->node, port->num, &p, now);
	return r < 0 ? r : 0;
}

int
kmad_write(struct kmad *k, struct kmad_file *f, const struct kmad_head *head, const uint8_t *mad,
	uint32_t bytes,
	struct monotime now)
{
	struct kmad_agent *a = head->agent < MESSAGE_AGENTS ? f->agents[head->agent] : NULL;
	uint8_t padded[MESSAGE_MAD_BYTES];
	bool active;
	uint64_t tid;
	int r = -EINVAL;

	if (!a || bytes < RMPP_HEAD_BYTES || bytes > MESSAGE_BYTES_MAX)
		goto out;
	active = dgram_class_has_rmpp(dgram_class(mad)) && dgram_rmpp_active(mad);
	if (bytes > MESSAGE_MAD_BYTES && !(active && a->rmpp))
		goto out;
	if (bytes < MESSAGE_MAD_BYTES && !(active && a->rmpp)) {
		memcpy(padded, mad, bytes);
		memset(padded + bytes, 0, MESSAGE_MAD_BYTES - bytes);
		mad = padded;
	}
	tid = dgram_tid(mad);
	if (!kmad_is_response(mad))
		tid = (uint64_t)a->hi << 32 | (uint32_t)tid;
	if ((!active || a->rmpp) && in_flight(k, f, mad, tid, &head->addr))
		goto out;
	if (f->nsends >= KMAD_SENDS_MAX || k->nsends >= KMAD_SENDS_TOTAL) {
		r = -ENOMEM;
		goto out;
	}
	if (active && a->rmpp)
		r = kmad_transfer_start(k, a, head, mad, bytes, now);
	else
		r = write_single(k, a, head, mad, tid, now);
out:
	k->stats.over_limit += r == -ENOMEM;
	if (r)
		k->stats.refused++;
	else
		k->stats.sent++;
	return r;
}

/* ---- time ---- */

void
kmad_send_arm(struct kmad *k, struct kmad_send *s, struct monotime now)
{
	wheel_remove(&k->wheel, s);
	wheel_add(&k->wheel, s, monotime_add_us(now, (int64_t)s->head.timeout_ms * 1000).us);
}

void
kmad_send_expire(struct kmad *k, struct kmad_send *s)
{
	s->head.status = ETIMEDOUT;
	k->stats.expired++;
	kmad_queue(k, s->agent, &s->head, s->mad, KMAD_EXPIRED_BYTES, NULL);
	kmad_send_free(k, s);
}

void
kmad_send_timers(struct kmad *k, struct monotime now)
{
	struct kmad_send *s;

	while ((s = wheel_expired(&k->wheel, now))) {
		if (!s->retries_left) {
			kmad_send_expire(k, s);
			continue;
		}
		s->retries_left--;
		k->stats.resent++;
		kmad_send_arm(k, s, now);
		/* a transfer that was acknowledged only waits longer */
		if (!s->rmpp)
			wire_send(k, s->agent, &s->head, s->mad, now);
	}
}
