/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_conn.c - the state machine of a connection, both roles: what each message, consumer call and
 * expired timer does in each state.
 * Room: libmad/cm.  Pure.  Description of the tables: docs/cm.md.
 *
 * A message that is not named here for a state is dropped, and the state stays; a consumer call
 * returns -EINVAL.  Three rules go beyond the tables of the IBA specification, so that every wait
 * ends:
 *   - MRAs extend one exchange to at most exchange_max_us;
 *   - if the consumer does not answer a REQ, REP, DREQ or LAP in consumer_us, this file answers;
 *   - a REJ also ends a connection whose REQ waits for the consumer: the peer is gone and would
 *     ignore a REP.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "libmad/cm/cm_impl.h"

int64_t
cm_clamp(int64_t v, int64_t lo, int64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* ---- changes of state ---- */

static void
set_state(struct cm *c, struct cm_conn *n, enum cm_state to)
{
	if (to == CM_STATE_TIMEWAIT)
		c->stats.timewait++;
	if (to == CM_STATE_ESTABLISHED)
		c->stats.established++;
	n->state = to;
}

static void
enter_timewait(struct cm *c, struct cm_conn *n, struct monotime now)
{
	n->lap = CM_LAP_STATE_NONE;
	set_state(c, n, CM_STATE_TIMEWAIT);
	cm_timer_set(c, n, monotime_add_us(now, n->timewait_us));
}

/* Stops the timer, except for the end of the connection's maximum age, if it has one. */
static void
rest_established(struct cm *c, struct cm_conn *n)
{
	n->lap = CM_LAP_STATE_NONE;
	if (n->old.us == INT64_MAX)
		cm_timer_stop(c, n);
	else
		cm_timer_set(c, n, n->old);
}

static void
enter_established(struct cm *c, struct cm_conn *n, struct monotime now)
{
	int64_t max_us = c->conf.established_max_us;

	n->old = max_us ? monotime_add_us(now, max_us) : MONOTIME_NEVER;
	set_state(c, n, CM_STATE_ESTABLISHED);
	rest_established(c, n);
}

/* Waits for the consumer to answer, for a limited time. */
static void
wait_consumer(struct cm *c, struct cm_conn *n, enum cm_state state, struct monotime now)
{
	set_state(c, n, state);
	cm_timer_set(c, n, monotime_add_us(now, c->conf.consumer_us));
}

/* The peer asks for time: nothing is sent again until that time is over. */
static void
timeout_stretch(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	struct cm_mra m = cm_mra_decode(cm_image(d));
	struct monotime at = monotime_add_us(now, cm_code_us(m.service_timeout) + n->life_us);

	cm_timer_set(c, n, monotime_min(at, n->give_up));
	cm_tell(c, n, CM_EVENT_MRA, 0, m.message, d);
}

static void
begin_disconnect(struct cm *c, struct cm_conn *n, struct monotime now)
{
	struct dgram d;
	struct cm_dreq q;

	n->end_tid = n->tid + 1;
	cm_make(n, CM_DREQ_ID, n->end_tid, &d);
	q = cm_dreq_decode(cm_image(&d));
	q.remote_qpn = n->remote_qpn;
	cm_dreq_encode(d.mad + CM_MESSAGE_AT, &q);
	n->lap = CM_LAP_STATE_NONE;
	set_state(c, n, CM_STATE_DREQ_SENT);
	cm_send_repeated(c, n, &d, now);
}

static void
end_disconnect(struct cm *c, struct cm_conn *n, struct monotime now)
{
	cm_send_once(c, n, CM_DREP_ID, n->end_tid);
	c->stats.disconnected++;
	enter_timewait(c, n, now);
}

/* ---- the peer's messages ---- */

static void
on_rej(struct cm *c, struct cm_conn *n, const struct dgram *d, bool timewait, struct monotime now)
{
	struct cm_rej r = cm_rej_decode(cm_image(d));

	cm_tell(c, n, CM_EVENT_REJECTED, r.reason, r.message, d);
	if (timewait || r.reason == CM_REJECT_STALE)
		enter_timewait(c, n, now);
	else
		cm_conn_release(c, n);
}

static void
on_dreq(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	struct cm_dreq q = cm_dreq_decode(cm_image(d));

	if (q.remote_qpn != n->local_qpn) {
		c->stats.ignored++;
		return;
	}
	n->end_tid = dgram_tid(d->mad);
	n->lap = CM_LAP_STATE_NONE;
	wait_consumer(c, n, CM_STATE_DREQ_RCVD, now);
	cm_tell(c, n, CM_EVENT_DISCONNECT, 0, 0, d);
}

static void
on_drep(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	cm_tell(c, n, CM_EVENT_DISCONNECTED, 0, 0, d);
	c->stats.disconnected++;
	enter_timewait(c, n, now);
}

static void
on_rep(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	struct cm_rep r = cm_rep_decode(cm_image(d));

	n->remote_id = r.local_comm_id;
	if (cm_conn_find_qpn(c, r.local_ca_guid, r.local_qpn) ||
	    cm_conn_find_remote(c, CM_KEY_CONN, r.local_ca_guid, r.local_comm_id)) {
		c->stats.stale++;
		cm_tell(c, n, CM_EVENT_REJECTED, CM_REJECT_STALE, CM_ABOUT_REP, d);
		cm_send_rej(c, n, CM_ABOUT_REP, CM_REJECT_STALE, NULL, 0);
		cm_conn_release(c, n);
		return;
	}
	cm_conn_set_remote(c, n, CM_KEY_CONN, r.local_ca_guid, r.local_comm_id);
	cm_conn_set_qpn(c, n, r.local_ca_guid, r.local_qpn);
	wait_consumer(c, n, CM_STATE_REP_RCVD, now);
	cm_tell(c, n, CM_EVENT_REP, 0, 0, d);
}

static void
on_lap(struct cm *c, struct cm_conn *n, const struct dgram *d, struct monotime now)
{
	if (n->lap == CM_LAP_STATE_MRA_SENT) {
		c->stats.duplicates++;
		cm_send_mra(c, n, CM_ABOUT_OTHER);
	} else if (n->lap == CM_LAP_STATE_NONE) {
		n->lap = CM_LAP_STATE_RCVD;
		n->lap_tid = dgram_tid(d->mad);
		cm_timer_set(c, n, monotime_add_us(now, c->conf.consumer_us));
		cm_tell(c, n, CM_EVENT_LAP, 0, 0, d);
	} else {
		c->stats.duplicates++;
	}
}

static bool
lap_under_way(const struct cm_conn *n)
{
	return n->lap == CM_LAP_STATE_SENT || n->lap == CM_LAP_STATE_MRA_RCVD;
}

static void
on_apr(struct cm *c, struct cm_conn *n, const struct dgram *d)
{
	struct cm_apr a = cm_apr_decode(cm_image(d));

	rest_established(c, n);
	cm_tell(c, n, CM_EVENT_APR, a.status, 0, d);
}

static void
in_req_sent(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	if (message == CM_REP_ID) {
		on_rep(c, n, d, now);
	} else if (message == CM_REJ_ID) {
		on_rej(c, n, d, false, now);
	} else if (message == CM_MRA_ID && cm_mra_decode(cm_image(d)).message == CM_ABOUT_REQ) {
		set_state(c, n, CM_STATE_MRA_REQ_RCVD);
		timeout_stretch(c, n, d, now);
	} else {
		c->stats.ignored++;
	}
}

static void
in_rep_rcvd(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	if (message == CM_REJ_ID) {
		on_rej(c, n, d, true, now);
	} else if (message == CM_REP_ID) {
		c->stats.duplicates++;
		if (n->state == CM_STATE_MRA_REP_SENT)
			cm_send_mra(c, n, CM_ABOUT_REP);
	} else {
		c->stats.ignored++;
	}
}

static void
in_rep_sent(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	if (message == CM_RTU_ID) {
		enter_established(c, n, now);
		cm_tell(c, n, CM_EVENT_ESTABLISHED, 0, 0, d);
	} else if (message == CM_REJ_ID) {
		on_rej(c, n, d, false, now);
	} else if (message == CM_DREQ_ID) {
		on_dreq(c, n, d, now);
	} else if (message == CM_MRA_ID && cm_mra_decode(cm_image(d)).message == CM_ABOUT_REP) {
		set_state(c, n, CM_STATE_MRA_REP_RCVD);
		timeout_stretch(c, n, d, now);
	} else {
		c->stats.ignored++;
	}
}

static void
in_established(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	if (message == CM_DREQ_ID) {
		on_dreq(c, n, d, now);
	} else if (message == CM_REJ_ID && (n->lap == CM_LAP_STATE_NONE || lap_under_way(n))) {
		on_rej(c, n, d, true, now);
	} else if (message == CM_REP_ID && n->active) {
		c->stats.duplicates++;
		cm_send_once(c, n, CM_RTU_ID, n->tid);
	} else if (message == CM_RTU_ID && !n->active) {
		c->stats.duplicates++;
	} else if (message == CM_LAP_ID && !n->active) {
		on_lap(c, n, d, now);
	} else if (message == CM_APR_ID && lap_under_way(n)) {
		on_apr(c, n, d);
	} else if (message == CM_MRA_ID && lap_under_way(n) &&
		   cm_mra_decode(cm_image(d)).message == CM_ABOUT_OTHER) {
		n->lap = CM_LAP_STATE_MRA_RCVD;
		timeout_stretch(c, n, d, now);
	} else {
		c->stats.ignored++;
	}
}

static void
in_teardown(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	if (message == CM_DREP_ID && n->state != CM_STATE_TIMEWAIT) {
		on_drep(c, n, d, now);
	} else if (message == CM_DREQ_ID && n->state == CM_STATE_DREQ_SENT) {
		on_dreq(c, n, d, now);
	} else if (message == CM_DREQ_ID && n->state == CM_STATE_TIMEWAIT) {
		c->stats.duplicates++;
		cm_send_once(c, n, CM_DREP_ID, dgram_tid(d->mad));
	} else if (message == CM_REJ_ID && n->state == CM_STATE_DREQ_SENT) {
		on_rej(c, n, d, true, now);
	} else {
		c->stats.ignored++;
	}
}

/* Handles a message of the peer about 'n', which may free 'n'. */
static void
conn_message(struct cm *c, struct cm_conn *n, uint16_t message, const struct dgram *d,
	struct monotime now)
{
	switch (n->state) {
	case CM_STATE_REQ_SENT:
	case CM_STATE_MRA_REQ_RCVD:
		in_req_sent(c, n, message, d, now);
		return;
	case CM_STATE_REP_RCVD:
	case CM_STATE_MRA_REP_SENT:
		in_rep_rcvd(c, n, message, d, now);
		return;
	case CM_STATE_REQ_RCVD:
	case CM_STATE_MRA_REQ_SENT:
		if (message == CM_REJ_ID)
			on_rej(c, n, d, false, now);
		else
			c->stats.ignored++;
		return;
	case CM_STATE_REP_SENT:
	case CM_STATE_MRA_REP_RCVD:
		in_rep_sent(c, n, message, d, now);
		return;
	case CM_STATE_ESTABLISHED:
		in_established(c, n, message, d, now);
		return;
	case CM_STATE_DREQ_SENT:
	case CM_STATE_DREQ_RCVD:
	case CM_STATE_TIMEWAIT:
		in_teardown(c, n, message, d, now);
		return;
	case CM_STATE_IDLE:
	case CM_STATE_SIDR_REQ_SENT:
	case CM_STATE_SIDR_REQ_RCVD:
	case CM_STATE_KINDS:
		c->stats.ignored++;
	}
}

/* ---- REQ ---- */

static void
req_again(struct cm *c, struct cm_conn *n, const struct dgram *d)
{
	c->stats.duplicates++;
	if (n->state == CM_STATE_MRA_REQ_SENT)
		cm_send_mra(c, n, CM_ABOUT_REQ);
	else if (n->state == CM_STATE_TIMEWAIT)
		cm_answer_rej(c, d, CM_REJECT_STALE, NULL, 0);
}

/* Another REQ from a QP that we are connected to: the peer lost that connection, so it ends here
 * too. */
static void
req_stale(struct cm *c, struct cm_conn *old, const struct dgram *d, struct monotime now)
{
	c->stats.stale++;
	cm_answer_rej(c, d, CM_REJECT_STALE, NULL, 0);
	if (old->state != CM_STATE_ESTABLISHED)
		return;
	cm_tell(c, old, CM_EVENT_STALE, 0, 0, d);
	begin_disconnect(c, old, now);
}

static bool
gid_is_ours(const struct cm *c, const uint8_t gid[16])
{
	for (unsigned i = 0; i < c->conf.ngids; i++)
		if (!memcmp(c->conf.gids[i], gid, 16))
			return true;
	return !c->conf.ngids;
}

/* The reason to refuse a REQ without asking the consumer; 0: none. */
static uint16_t
req_fault(const struct cm *c, const struct cm_req *q)
{
	static const struct cm_path none;

	if (q->transport != CM_RC && q->transport != CM_UC)
		return CM_REJECT_TRANSPORT;
	if (!gid_is_ours(c, q->primary.remote_gid))
		return CM_REJECT_PRIMARY_GID;
	if (memcmp(q->alternate.remote_gid, none.remote_gid, 16) &&
	    !gid_is_ours(c, q->alternate.remote_gid))
		return CM_REJECT_ALTERNATE_GID;
	return 0;
}

static void
req_fill(struct cm *c, struct cm_conn *n, const struct cm_req *q)
{
	int64_t ack_us = cm_code_us(q->primary.ack_timeout);

	n->service_id = q->service_id;
	n->retries = q->max_cm_retries;
	n->wait_us =
		cm_clamp(cm_code_us(q->local_cm_timeout), c->conf.wait_min_us, c->conf.wait_max_us);
	n->life_us = ack_us / 2;
	n->timewait_us = cm_clamp(ack_us, c->conf.timewait_min_us, c->conf.timewait_max_us);
}

void
cm_receive_req(struct cm *c, const struct dgram *d, struct monotime now)
{
	struct cm_req q = cm_req_decode(cm_image(d));
	const struct cm_listener *l;
	struct cm_conn *n = cm_conn_find_remote(c, CM_KEY_CONN, q.local_ca_guid, q.local_comm_id);
	uint16_t fault;

	if (n) {
		req_again(c, n, d);
		return;
	}
	n = cm_conn_find_qpn(c, q.local_ca_guid, q.local_qpn);
	if (n) {
		req_stale(c, n, d, now);
		return;
	}
	fault = req_fault(c, &q);
	l = cm_listener_find(c, q.service_id);
	if (!fault && !l) {
		c->stats.no_listener++;
		fault = CM_REJECT_SERVICE_ID;
	}
	if (!fault && !cm_room(c, d->addr.lid))
		fault = CM_REJECT_NO_RESOURCES;
	if (fault) {
		cm_answer_rej(c, d, fault,
			fault == CM_REJECT_PRIMARY_GID || fault == CM_REJECT_ALTERNATE_GID ?
				c->conf.gids[0] :
				NULL,
			16);
		return;
	}
	n = cm_conn_new(c, &d->addr, true);
	n->cookie = l->cookie;
	n->tid = dgram_tid(d->mad);
	req_fill(c, n, &q);
	cm_conn_set_remote(c, n, CM_KEY_CONN, q.local_ca_guid, q.local_comm_id);
	cm_conn_set_qpn(c, n, q.local_ca_guid, q.local_qpn);
	wait_consumer(c, n, CM_STATE_REQ_RCVD, now);
	cm_tell(c, n, CM_EVENT_REQ, 0, 0, d);
}

/* ---- all other messages ---- */

/* The connection of a message: found by the message's remote ID, which is our ID.  If the peer's ID
 * is already known, the message must have the same. */
static struct cm_conn *
find_for(struct cm *c, uint16_t message, const struct dgram *d)
{
	uint32_t theirs = wire_get32(cm_image(d)), ours = wire_get32(cm_image(d) + 4);
	struct cm_conn *n = cm_conn_find(c, ours);

	if (message == CM_REJ_ID) {
		struct cm_rej r = cm_rej_decode(cm_image(d));

		/* A peer that gives up its REQ may not know our ID. */
		if (r.reason == CM_REJECT_TIMEOUT && r.info_length >= 8 &&
		    (!n || n->remote_id != theirs))
			n = cm_conn_find_remote(c, CM_KEY_CONN, wire_get64(r.info), theirs);
		/* A peer that refuses a REQ may have no ID. */
		else if (n && r.message == CM_ABOUT_REQ && !n->by_remote_in)
			return n;
	}
	if (n && n->by_remote_in && n->remote_id != theirs)
		return NULL;
	return n;
}

void
cm_receive_other(struct cm *c, const struct dgram *d, struct monotime now)
{
	uint16_t message = dgram_attr_id(d->mad);
	struct cm_conn *n = find_for(c, message, d);
	struct dgram answer;

	if (n) {
		conn_message(c, n, message, d, now);
		return;
	}
	c->stats.unmatched++;
	if (message != CM_DREQ_ID)
		return;
	/* the connection is gone here: let the peer finish too */
	cm_make_answer(d, CM_DREP_ID, &answer);
	memcpy(answer.mad + CM_MESSAGE_AT, cm_image(d) + 4, 4);
	memcpy(answer.mad + CM_MESSAGE_AT + 4, cm_image(d), 4);
	if (c->nout < c->conf.queue_max)
		cm_queue(c, &answer);
	else
		c->stats.dropped++;
}

/* ---- time ---- */

static void
consumer_late(struct cm *c, struct cm_conn *n, struct monotime now)
{
	c->stats.late++;
	cm_tell(c, n, CM_EVENT_LATE, 0, 0, NULL);
	cm_abort(c, n->id, now);
}

/* No answer to the last try. */
static void
on_unanswered(struct cm *c, struct cm_conn *n, struct monotime now)
{
	bool lap = n->state == CM_STATE_ESTABLISHED;

	c->stats.unanswered++;
	if (lap) {
		rest_established(c, n);
		cm_tell(c, n, CM_EVENT_LAP_UNANSWERED, 0, 0, NULL);
	} else if (n->state == CM_STATE_DREQ_SENT) {
		cm_tell(c, n, CM_EVENT_DREQ_UNANSWERED, 0, 0, NULL);
		c->stats.disconnected++;
		enter_timewait(c, n, now);
	} else {
		bool req = n->state == CM_STATE_REQ_SENT || n->state == CM_STATE_MRA_REQ_RCVD;

		cm_tell(c, n, CM_EVENT_UNANSWERED, 0, req ? CM_ABOUT_REQ : CM_ABOUT_REP, NULL);
		cm_send_rej(c, n, req ? CM_ABOUT_REQ : CM_ABOUT_OTHER,
			req ? CM_REJECT_TIMEOUT : CM_REJECT_CONSUMER, NULL, 0);
		cm_conn_release(c, n);
	}
}

void
cm_conn_timer(struct cm *c, struct cm_conn *n, struct monotime now)
{
	switch (n->state) {
	case CM_STATE_TIMEWAIT:
		cm_conn_release(c, n);
		return;
	case CM_STATE_REP_RCVD:
	case CM_STATE_MRA_REP_SENT:
	case CM_STATE_REQ_RCVD:
	case CM_STATE_MRA_REQ_SENT:
	case CM_STATE_DREQ_RCVD:
		consumer_late(c, n, now);
		return;
	case CM_STATE_ESTABLISHED:
		if (n->lap == CM_LAP_STATE_RCVD || n->lap == CM_LAP_STATE_MRA_SENT) {
			c->stats.late++;
			cm_tell(c, n, CM_EVENT_LATE, 0, 0, NULL);
			cm_answer_path(c, n->id, CM_APR_REJECTED, now);
			return;
		}
		if (n->lap == CM_LAP_STATE_NONE) {
			cm_tell(c, n, CM_EVENT_OLD, 0, 0, NULL);
			begin_disconnect(c, n, now);
			return;
		}
		break;
	case CM_STATE_REQ_SENT:
	case CM_STATE_MRA_REQ_RCVD:
	case CM_STATE_REP_SENT:
	case CM_STATE_MRA_REP_RCVD:
	case CM_STATE_DREQ_SENT:
		break;
	case CM_STATE_IDLE:
	case CM_STATE_SIDR_REQ_SENT:
	case CM_STATE_SIDR_REQ_RCVD:
	case CM_STATE_KINDS:
		bug("cm: a timer in state %s", cm_state_text(n->state));
	}
	if (n->tries <= n->retries && !monotime_reached(now, n->give_up))
		cm_send_again(c, n, now);
	else
		on_unanswered(c, n, now);
}

/* ---- the consumer's calls ---- */

int
cm_connect(struct cm *c, const struct cm_ask *a, struct monotime now, uint32_t *id)
{
	struct cm_req q = a->req;
	struct cm_conn *n = cm_conn_new(c, &a->addr, false);
	int64_t life_us = cm_code_us(a->packet_life);
	struct dgram d;

	if (!n)
		return -ENOSPC;
	if (!cm_conn_take_qpn(c, n, q.local_qpn)) {
		cm_conn_free(c, n);
		return -ENOSPC;
	}
	n->active = true;
	n->cookie = a->cookie;
	n->tid = (uint64_t)n->id;
	req_fill(c, n, &q);
	n->life_us = life_us;
	n->wait_us = cm_clamp(2 * life_us + cm_code_us(q.remote_cm_timeout), c->conf.wait_min_us,
		c->conf.wait_max_us);
	q.local_comm_id = n->id;
	q.local_ca_guid = c->conf.ca_guid;
	q.local_qpn = n->local_qpn;
	cm_make(n, CM_REQ_ID, n->tid, &d);
	cm_req_encode(d.mad + CM_MESSAGE_AT, &q);
	set_state(c, n, CM_STATE_REQ_SENT);
	cm_send_repeated(c, n, &d, now);
	*id = n->id;
	return 0;
}

int
cm_accept(struct cm *c, uint32_t id, const struct cm_rep *rep, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);
	struct cm_rep r = *rep;
	struct dgram d;

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_REQ_RCVD && n->state != CM_STATE_MRA_REQ_SENT)
		return -EINVAL;
	if (!cm_conn_take_qpn(c, n, r.local_qpn))
		return -ENOSPC;
	r.local_comm_id = n->id;
	r.remote_comm_id = n->remote_id;
	r.local_qpn = n->local_qpn;
	r.local_ca_guid = c->conf.ca_guid;
	cm_make(n, CM_REP_ID, n->tid, &d);
	cm_rep_encode(d.mad + CM_MESSAGE_AT, &r);
	set_state(c, n, CM_STATE_REP_SENT);
	cm_send_repeated(c, n, &d, now);
	return 0;
}

int
cm_ready(struct cm *c, uint32_t id, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_REP_RCVD && n->state != CM_STATE_MRA_REP_SENT)
		return -EINVAL;
	enter_established(c, n, now);
	cm_send_once(c, n, CM_RTU_ID, n->tid);
	return 0;
}

int
cm_delay(struct cm *c, uint32_t id, uint8_t service_timeout, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);
	enum cm_about about;

	if (!n)
		return -ENOENT;
	if (service_timeout > 31)
		return -EINVAL;
	if (n->state == CM_STATE_REQ_RCVD) {
		set_state(c, n, CM_STATE_MRA_REQ_SENT);
		about = CM_ABOUT_REQ;
	} else if (n->state == CM_STATE_REP_RCVD) {
		set_state(c, n, CM_STATE_MRA_REP_SENT);
		about = CM_ABOUT_REP;
	} else if (n->state == CM_STATE_ESTABLISHED && n->lap == CM_LAP_STATE_RCVD) {
		n->lap = CM_LAP_STATE_MRA_SENT;
		about = CM_ABOUT_OTHER;
	} else {
		return -EINVAL;
	}
	n->service_timeout = service_timeout;
	cm_send_mra(c, n, about);
	cm_timer_set(c, n,
		monotime_add_us(now,
			cm_clamp(cm_code_us(service_timeout), c->conf.consumer_us,
				c->conf.exchange_max_us)));
	return 0;
}

int
cm_reject(struct cm *c, uint32_t id, uint16_t reason, const void *info, unsigned info_bytes,
	struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	if (n->state == CM_STATE_REQ_RCVD || n->state == CM_STATE_MRA_REQ_SENT) {
		cm_send_rej(c, n, CM_ABOUT_REQ, reason, info, info_bytes);
		cm_conn_release(c, n);
	} else if (n->state == CM_STATE_REP_RCVD || n->state == CM_STATE_MRA_REP_SENT) {
		cm_send_rej(c, n, CM_ABOUT_REP, reason, info, info_bytes);
		enter_timewait(c, n, now);
	} else {
		return -EINVAL;
	}
	return 0;
}

int
cm_data(struct cm *c, uint32_t id, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_REP_SENT && n->state != CM_STATE_MRA_REP_RCVD)
		return -EINVAL;
	enter_established(c, n, now);
	cm_tell(c, n, CM_EVENT_ESTABLISHED, 0, 0, NULL);
	return 0;
}

int
cm_disconnect(struct cm *c, uint32_t id, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_ESTABLISHED)
		return -EINVAL;
	begin_disconnect(c, n, now);
	return 0;
}

int
cm_disconnected(struct cm *c, uint32_t id, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_DREQ_RCVD)
		return -EINVAL;
	end_disconnect(c, n, now);
	return 0;
}

int
cm_load_path(struct cm *c, uint32_t id, const struct cm_lap *lap, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);
	struct cm_lap l = *lap;
	struct dgram d;

	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_ESTABLISHED || !n->active || n->lap != CM_LAP_STATE_NONE)
		return -EINVAL;
	n->lap_tid = n->lap_tid ? n->lap_tid + 1 : n->tid + 2;
	l.local_comm_id = n->id;
	l.remote_comm_id = n->remote_id;
	l.remote_qpn = n->remote_qpn;
	cm_make(n, CM_LAP_ID, n->lap_tid, &d);
	cm_lap_encode(d.mad + CM_MESSAGE_AT, &l);
	n->lap = CM_LAP_STATE_SENT;
	cm_send_repeated(c, n, &d, now);
	return 0;
}

int
cm_answer_path(struct cm *c, uint32_t id, uint8_t status, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);
	struct cm_apr a;
	struct dgram d;

	(void)now;
	if (!n)
		return -ENOENT;
	if (n->state != CM_STATE_ESTABLISHED ||
	    (n->lap != CM_LAP_STATE_RCVD && n->lap != CM_LAP_STATE_MRA_SENT))
		return -EINVAL;
	cm_make(n, CM_APR_ID, n->lap_tid, &d);
	a = cm_apr_decode(cm_image(&d));
	a.status = status;
	cm_apr_encode(d.mad + CM_MESSAGE_AT, &a);
	cm_queue(c, &d);
	rest_established(c, n);
	return 0;
}

int
cm_abort(struct cm *c, uint32_t id, struct monotime now)
{
	struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	switch (n->state) {
	case CM_STATE_REQ_SENT:
	case CM_STATE_MRA_REQ_RCVD:
		cm_send_rej(c, n, CM_ABOUT_REQ, CM_REJECT_TIMEOUT, NULL, 0);
		cm_conn_release(c, n);
		return 0;
	case CM_STATE_REP_RCVD:
	case CM_STATE_MRA_REP_SENT:
	case CM_STATE_REQ_RCVD:
	case CM_STATE_MRA_REQ_SENT:
		return cm_reject(c, id, CM_REJECT_CONSUMER, NULL, 0, now);
	case CM_STATE_REP_SENT:
	case CM_STATE_MRA_REP_RCVD:
		cm_send_rej(c, n, CM_ABOUT_OTHER, CM_REJECT_CONSUMER, NULL, 0);
		cm_conn_release(c, n);
		return 0;
	case CM_STATE_ESTABLISHED:
		begin_disconnect(c, n, now);
		return 0;
	case CM_STATE_DREQ_RCVD:
		end_disconnect(c, n, now);
		return 0;
	case CM_STATE_DREQ_SENT:
	case CM_STATE_TIMEWAIT:
		return 0;                       /* already sent */
	case CM_STATE_SIDR_REQ_RCVD:
		return cm_sidr_answer(
			c, id, &(struct cm_sidr_rep){ .status = CM_SIDR_REJECTED }, now);
	case CM_STATE_SIDR_REQ_SENT:
		cm_conn_release(c, n);
		return 0;
	case CM_STATE_IDLE:
	case CM_STATE_KINDS:
		break;
	}
	return -EINVAL;
}
