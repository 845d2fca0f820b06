/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_make.c - makes messages and events, and queues them.
 * Room: libmad/cm.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/cm/cm_impl.h"

static void
head_make(struct dgram *d, uint16_t attr_id, uint64_t tid)
{
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2,
		.method = METHOD_SEND, .tid = tid,
		.attr_id = attr_id,
	};

	dgram_head_encode(d->mad, &h);
	d->bytes = DGRAM_BYTES;
}

void
cm_make(const struct cm_conn *n, uint16_t attr_id, uint64_t tid, struct dgram *d)
{
	memset(d, 0, sizeof(*d));
	d->addr = n->addr;
	head_make(d, attr_id, tid);
	wire_put32(d->mad + CM_MESSAGE_AT, n->id);
	wire_put32(d->mad + CM_MESSAGE_AT + 4, n->remote_id);
}

void
cm_make_answer(const struct dgram *to, uint16_t attr_id, struct dgram *d)
{
	memset(d, 0, sizeof(*d));
	d->addr = to->addr;
	head_make(d, attr_id, dgram_tid(to->mad));
}

static unsigned
count_at(const uint8_t *mad)
{
	unsigned id = dgram_attr_id(mad);

	return id >= 0x10 && id < 0x1f ? id - 0x10 : 15;
}

void
cm_queue(struct cm *c, const struct dgram *d)
{
	struct cm_out *o = xmalloc(sizeof(*o));

	o->d = *d;
	STAILQ_INSERT_TAIL(&c->out, o, next);
	c->nout++;
	c->stats.sent[count_at(d->mad)]++;
}

/* Queues a stateless answer.  The queue is limited, so that a flood of messages cannot fill
 * memory. */
static void
queue_answer(struct cm *c, const struct dgram *d)
{
	if (c->nout < c->conf.queue_max)
		cm_queue(c, d);
	else
		c->stats.dropped++;
}

void
cm_send_mra(struct cm *c, struct cm_conn *n, enum cm_about about)
{
	struct dgram d;
	struct cm_mra m;

	cm_make(n, CM_MRA_ID, about == CM_ABOUT_OTHER ? n->lap_tid : n->tid, &d);
	m = cm_mra_decode(cm_image(&d));
	m.message = about & 3;
	m.service_timeout = n->service_timeout & 0x1f;
	cm_mra_encode(d.mad + CM_MESSAGE_AT, &m);
	cm_queue(c, &d);
}

static void
rej_fill(struct dgram *d, enum cm_about about, uint16_t reason, const void *info, unsigned bytes)
{
	struct cm_rej r = cm_rej_decode(cm_image(d));

	r.message = about & 3;
	r.reason = reason;
	if (bytes > sizeof(r.info))
		bytes = sizeof(r.info);
	if (info) {
		memcpy(r.info, info, bytes);
		r.info_length = bytes & 0x7f;
	}
	cm_rej_encode(d->mad + CM_MESSAGE_AT, &r);
}

void
cm_send_rej(struct cm *c, struct cm_conn *n, enum cm_about about, uint16_t reason, const void *info,
	unsigned bytes)
{
	uint8_t guid[8];
	struct dgram d;

	if (reason == CM_REJECT_TIMEOUT) {      /* otherwise the peer may not know our ID */
		wire_put64(guid, c->conf.ca_guid);
		info = guid;
		bytes = sizeof(guid);
	}
	cm_make(n, CM_REJ_ID, n->tid, &d);
	rej_fill(&d, about, reason, info, bytes);
	cm_queue(c, &d);
}

void
cm_answer_rej(
	struct cm *c, const struct dgram *to, uint16_t reason, const void *info, unsigned bytes)
{
	struct dgram d;

	cm_make_answer(to, CM_REJ_ID, &d);
	memcpy(d.mad + CM_MESSAGE_AT + 4, cm_image(to), 4);     /* no ID of ours was assigned */
	rej_fill(&d, CM_ABOUT_REQ, reason, info, bytes);
	queue_answer(c, &d);
}

void
cm_answer_sidr(struct cm *c, const struct dgram *to, uint8_t status)
{
	struct cm_sidr_req q = cm_sidr_req_decode(cm_image(to));
	struct cm_sidr_rep r;
	struct dgram d;

	memset(&r, 0, sizeof(r));
	r.request_id = q.request_id;
	r.status = status;
	r.service_id = q.service_id;
	cm_make_answer(to, CM_SIDR_REP_ID, &d);
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &r);
	queue_answer(c, &d);
}

void
cm_send_once(struct cm *c, struct cm_conn *n, uint16_t attr_id, uint64_t tid)
{
	struct dgram d;

	cm_make(n, attr_id, tid, &d);
	cm_queue(c, &d);
}

void
cm_send_repeated(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	memcpy(n->last, d->mad, sizeof(n->last));
	n->tries = 1;
	n->give_up = monotime_add_us(now, c->conf.exchange_max_us);
	cm_queue(c, d);
	cm_timer_set(c, n, monotime_min(monotime_add_us(now, n->wait_us), n->give_up));
}

void
cm_send_again(struct cm *c, struct cm_conn *n, struct monotime now)
{
	struct dgram d;

	memset(&d, 0, sizeof(d));
	d.addr = n->addr;
	d.bytes = DGRAM_BYTES;
	memcpy(d.mad, n->last, sizeof(d.mad));
	n->tries++;
	c->stats.resent++;
	cm_queue(c, &d);
	cm_timer_set(c, n, monotime_min(monotime_add_us(now, n->wait_us), n->give_up));
}

void
cm_tell(struct cm *c, const struct cm_conn *n, enum cm_event_kind k, uint16_t reason, uint8_t about,
	const struct dgram *d)
{
	struct cm_queued_event *t = xcalloc(1, sizeof(*t));

	t->e = (struct cm_event){
		.kind = k, .id = n->id, .cookie = n->cookie, .reason = reason, .about = about,
				  .tries = n->tries };
	if (d) {
		t->e.has_message = true;
		t->e.message = *d;
		t->e.message.more = NULL;
	}
	STAILQ_INSERT_TAIL(&c->events, t, next);
}
