/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_agent.c - the entry points: configuration, listeners, received MADs, MADs to send, events,
 * deadlines.
 * Room: libmad/cm.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/cm/cm_impl.h"

#define SEC INT64_C(1000000)

const char *
cm_state_text(enum cm_state s)
{
#define S(name) #name,
	static const char *const names[] = { CM_STATES(S) };
#undef S

	return s < CM_STATE_KINDS ? names[s] : "?";
}

const char *
cm_lap_state_text(enum cm_lap_state s)
{
#define S(name) #name,
	static const char *const names[] = { CM_LAP_STATES(S) };
#undef S

	return s < sizeof(names) / sizeof(names[0]) ? names[s] : "?";
}

const char *
cm_event_text(enum cm_event_kind k)
{
#define E(name) #name,
	static const char *const names[] = { CM_EVENTS(E) };
#undef E

	return k < CM_EVENT_KINDS ? names[k] : "?";
}

int64_t
cm_code_us(uint8_t code)
{
	return INT64_C(4096) * (INT64_C(1) << (code & 31)) / 1000;
}

struct cm_conf
cm_conf_default(void)
{
	return (struct cm_conf){
		.open_max = 4096, .open_per_source = 256, .id_start = 1, .wait_min_us = 1000,
		.wait_max_us = 60 * SEC,
		.exchange_max_us = 300 * SEC, .consumer_us = 10 * SEC, .timewait_min_us = 1000,
		.timewait_max_us = 60 * SEC, .queue_max = 4096,
	};
}

static void
check_conf(const struct cm_conf *f)
{
	if (!f->open_max || f->open_max > 1048576 || !f->open_per_source ||
	    f->ngids > CM_GIDS_MAX || f->wait_min_us <= 0 || f->wait_max_us < f->wait_min_us ||
	    f->exchange_max_us <= 0 || f->consumer_us <= 0 || f->timewait_min_us <= 0 ||
	    f->timewait_max_us < f->timewait_min_us || f->established_max_us < 0 ||
	    !f->queue_max || (uint64_t)f->qpn_first + f->qpn_count > 0x1000000)
		bug("cm: configuration out of range");
}

struct cm *
cm_new(const struct cm_conf *conf)
{
	struct cm *c = xcalloc(1, sizeof(*c));

	check_conf(conf);
	c->conf = *conf;
	c->next_id = conf->id_start;
	/* so peers do not mistake a restarted program for the previous one */
	c->next_qpn = conf->id_start;
	c->qpns = xcalloc(1, conf->qpn_count / 8 + 1);
	c->sources = xcalloc(65536, sizeof(*c->sources));
	STAILQ_INIT(&c->out);
	STAILQ_INIT(&c->events);
	return c;
}

void
cm_free(struct cm *c)
{
	struct cm_conn *n, *next;
	struct cm_event e;
	struct dgram d;

	if (!c)
		return;
	HASH_ITER(by_id, c->by_id, n, next)
		cm_conn_free(c, n);
	while (cm_next_event(c, &e))
		continue;
	while (cm_next_send(c, &d))
		continue;
	free(c->heap);
	free(c->qpns);
	free(c->sources);
	free(c);
}

void
cm_set_conf(struct cm *c, const struct cm_conf *conf)
{
	struct cm_conf f = *conf;

	f.id_start = c->conf.id_start;
	f.qpn_first = c->conf.qpn_first;
	f.qpn_count = c->conf.qpn_count;
	check_conf(&f);
	c->conf = f;
}

int
cm_listen(struct cm *c, uint64_t service_id, uint64_t mask, uint64_t cookie)
{
	unsigned i = 0;

	if (service_id >> 56 == 0x02 || c->nlisteners == CM_LISTENERS_MAX)
		return -EINVAL;
	for (unsigned k = 0; k < c->nlisteners; k++)
		if (c->listeners[k].mask == mask && c->listeners[k].id == (service_id & mask))
			return -EBUSY;
	/* More specific ones first. */
	while (i < c->nlisteners &&
	       __builtin_popcountll(c->listeners[i].mask) >= __builtin_popcountll(mask))
		i++;
	memmove(&c->listeners[i + 1], &c->listeners[i],
		(c->nlisteners - i) * sizeof(c->listeners[0]));
	c->listeners[i] = (struct cm_listener){ service_id & mask, mask, cookie };
	c->nlisteners++;
	return 0;
}

void
cm_unlisten(struct cm *c, uint64_t service_id, uint64_t mask)
{
	for (unsigned i = 0; i < c->nlisteners; i++)
		if (c->listeners[i].mask == mask && c->listeners[i].id == (service_id & mask)) {
			memmove(&c->listeners[i], &c->listeners[i + 1],
				(--c->nlisteners - i) * sizeof(c->listeners[0]));
			return;
		}
}

const struct cm_listener *
cm_listener_find(const struct cm *c, uint64_t service_id)
{
	for (unsigned i = 0; i < c->nlisteners; i++)
		if (c->listeners[i].id == (service_id & c->listeners[i].mask))
			return &c->listeners[i];
	return NULL;
}

bool
cm_room(struct cm *c, uint16_t lid)
{
	if (c->sources[lid] >= c->conf.open_per_source)
		c->stats.refused_source++;
	else if (c->stats.open >= c->conf.open_max)
		c->stats.refused_total++;
	else
		return true;
	return false;
}

bool
cm_receive(struct cm *c, const struct dgram *d, struct monotime now)
{
	uint16_t message = dgram_attr_id(d->mad);

	if (d->mad[0] != MAD_BASE_VERSION || dgram_class(d->mad) != CLASS_CM ||
	    d->mad[2] != CLASS_VERSION_CM || dgram_method(d->mad) != METHOD_SEND)
		return false;
	if (d->status)
		return true; /* a send of ours that came back: our own timers handle it */
	if (d->bytes < DGRAM_BYTES) {
		c->stats.malformed++;
		return true;
	}
	c->stats.received[message >= 0x10 && message < 0x1f ? message - 0x10 : 15]++;
	switch (message) {
	case CM_REQ_ID:
		cm_receive_req(c, d, now);
		break;
	case CM_SIDR_REQ_ID:
		cm_receive_sidr_req(c, d, now);
		break;
	case CM_SIDR_REP_ID:
		cm_receive_sidr_rep(c, d);
		break;
	case CM_MRA_ID:
	case CM_REJ_ID:
	case CM_REP_ID:
	case CM_RTU_ID:
	case CM_DREQ_ID:
	case CM_DREP_ID:
	case CM_LAP_ID: case CM_APR_ID:
		cm_receive_other(c, d, now);
		break;
	default:
		c->stats.ignored++;
	}
	return true;
}

void
cm_tick(struct cm *c, struct monotime now)
{
	while (c->heap_n && monotime_reached(now, c->heap[0]->at)) {
		struct cm_conn *n = c->heap[0];

		if (n->state == CM_STATE_SIDR_REQ_SENT || n->state == CM_STATE_SIDR_REQ_RCVD)
			cm_sidr_timer(c, n, now);
		else
			cm_conn_timer(c, n, now);
	}
}

bool
cm_deadline(const struct cm *c, struct monotime *at)
{
	if (!c->heap_n)
		return false;
	*at = c->heap[0]->at;
	return true;
}

bool
cm_next_send(struct cm *c, struct dgram *d)
{
	struct cm_out *o = STAILQ_FIRST(&c->out);

	if (!o)
		return false;
	*d = o->d;
	STAILQ_REMOVE_HEAD(&c->out, next);
	c->nout--;
	free(o);
	return true;
}

bool
cm_next_event(struct cm *c, struct cm_event *e)
{
	struct cm_queued_event *t = STAILQ_FIRST(&c->events);

	if (!t)
		return false;
	*e = t->e;
	STAILQ_REMOVE_HEAD(&c->events, next);
	free(t);
	return true;
}

enum cm_state
cm_state(const struct cm *c, uint32_t id)
{
	const struct cm_conn *n = cm_conn_find(c, id);

	return n ? n->state : CM_STATE_IDLE;
}

enum cm_lap_state
cm_lap_state(const struct cm *c, uint32_t id)
{
	const struct cm_conn *n = cm_conn_find(c, id);

	return n ? n->lap : CM_LAP_STATE_NONE;
}

int
cm_ends(const struct cm *c, uint32_t id, struct cm_ends *e)
{
	const struct cm_conn *n = cm_conn_find(c, id);

	if (!n)
		return -ENOENT;
	*e = (struct cm_ends){ n->id, n->remote_id, n->local_qpn, n->remote_qpn, n->remote_guid, n->service_id, n->addr,
			       n->active };
	return 0;
}

const struct cm_stats *
cm_stats(const struct cm *c)
{
	return &c->stats;
}
