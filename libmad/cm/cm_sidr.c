/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_sidr.c - service ID resolution, both sides.
 * Room: libmad/cm.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "libmad/cm/cm_impl.h"

int
cm_sidr_ask(struct cm *c, const struct cm_sidr_ask *a, struct monotime now, uint32_t *id)
{
	struct cm_conn *n = cm_conn_new(c, &a->addr, false);
	struct cm_sidr_req q = { .pkey = a->pkey, .service_id = a->service_id };
	struct dgram d;

	if (!n)
		return -ENOSPC;
	n->active = true;
	n->cookie = a->cookie;
	n->tid = n->id;
	n->service_id = a->service_id;
	n->retries = a->retries;
	n->wait_us = cm_clamp(2 * cm_code_us(a->packet_life) + cm_code_us(a->cm_timeout),
		c->conf.wait_min_us, c->conf.wait_max_us);
	n->state = CM_STATE_SIDR_REQ_SENT;
	q.request_id = n->id;
	memcpy(q.private_data, a->private_data, sizeof(q.private_data));
	cm_make(n, CM_SIDR_REQ_ID, n->tid, &d);
	cm_sidr_req_encode(d.mad + CM_MESSAGE_AT, &q);
	cm_send_repeated(c, n, &d, now);
	*id = n->id;
	return 0;
}

void
cm_receive_sidr_req(struct cm *c, const struct dgram *d, struct monotime now)
{
	struct cm_sidr_req q = cm_sidr_req_decode(cm_image(d));
	const struct cm_listener *l = cm_listener_find(c, q.service_id);
	struct cm_conn *n;

	if (cm_conn_find_remote(c, CM_KEY_SIDR, d->addr.lid, q.request_id)) {
		c->stats.duplicates++;
		return;
	}
	if (!l) {
		c->stats.no_listener++;
		cm_answer_sidr(c, d, CM_SIDR_UNSUPPORTED);
		return;
	}
	if (!cm_room(c, d->addr.lid)) {
		cm_answer_sidr(c, d, CM_SIDR_REJECTED);
		return;
	}
	n = cm_conn_new(c, &d->addr, true);
	n->cookie = l->cookie;
	n->tid = dgram_tid(d->mad);
	n->service_id = q.service_id;
	n->state = CM_STATE_SIDR_REQ_RCVD;
	cm_conn_set_remote(c, n, CM_KEY_SIDR, d->addr.lid, q.request_id);
	cm_timer_set(c, n, monotime_add_us(now, c->conf.consumer_us));
	cm_tell(c, n, CM_EVENT_SIDR_REQ, 0, 0, d);
}

int
cm_sidr_answer(struct cm *c, uint32_t id, const struct cm_sidr_rep *rep, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);
	struct cm_sidr_rep r = *rep;
	struct dgram d;

	(void)now;
	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_SIDR_REQ_RCVD)
		return -EINVAL;
	r.request_id = n->remote_id;
	r.service_id = n->service_id;
	cm_make(n, CM_SIDR_REP_ID, n->tid, &d);
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &r);
	cm_queue(c, &d);
	cm_conn_release(c, n);
	return 0;
}

void
cm_receive_sidr_rep(struct cm *c, const struct dgram *d)
{
	struct cm_sidr_rep r = cm_sidr_rep_decode(cm_image(d));
	struct cm_conn *n = cm_conn_find(c, r.request_id);

	if (!n || n->state != CM_STATE_SIDR_REQ_SENT) {
		c->stats.unmatched++;
		return;
	}
	cm_tell(c, n, CM_EVENT_SIDR_REP, r.status, 0, d);
	cm_conn_release(c, n);
}

void
cm_sidr_timer(struct cm *c, struct cm_conn *n, struct monotime now)
{
	if (n->state == CM_STATE_SIDR_REQ_RCVD) {
		c->stats.late++;
		cm_tell(c, n, CM_EVENT_LATE, 0, 0, NULL);
		cm_sidr_answer(c, n->id, &(struct cm_sidr_rep){ .status = CM_SIDR_REJECTED }, now);
	} else if (n->tries <= n->retries && !monotime_reached(now, n->give_up)) {
		cm_send_again(c, n, now);
	} else {
		c->stats.unanswered++;
		cm_tell(c, n, CM_EVENT_SIDR_UNANSWERED, 0, 0, NULL);
		cm_conn_release(c, n);
	}
}
