/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * echo.c - what the echo service answers, and its limits.
 * Room: sm/echo.  Pure.  In: datagrams of class 7.  Out: answers; service records for our own
 * subnet administration.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/conf/conf.h"
#include "sm/echo/echo.h"
#include "sm/sub/service.h"

#define ECHO_QPN_FIRST 0x800000u
#define ECHO_QPNS 0x400000u
#define ECHO_NAME "heddle echo"
#define SECOND_US INT64_C(1000000)

static struct cm_conf
cm_conf_of(const struct subnet *net)
{
	struct cm_conf f = cm_conf_default();

	f.ca_guid = net->port.node_guid;
	f.open_max = net->conf->cm_open_max;
	f.open_per_source = net->conf->cm_open_per_source;
	f.established_max_us = net->conf->cm_connection_s * SECOND_US;
	f.qpn_first = ECHO_QPN_FIRST;
	f.qpn_count = ECHO_QPNS;
	return f;
}

/* A restarted manager must not reuse communication IDs that its peers may still have. */
static uint32_t
choose_id_start(const struct subnet *net)
{
	uint64_t v = net->port.port_guid;

	if (net->clock)
		v += (uint64_t)net->clock(net->clock_arg).us;
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(v >> 32);
}

void
echo_begin(struct echo *e, const struct subnet *net, bool class_registered, const char *why)
{
	const struct conf *conf = net->conf;
	struct cm_conf f = cm_conf_of(net);

	*e = (struct echo){ .cm = NULL };
	if (conf->cm && why)
		snprintf(e->why, sizeof(e->why), "%s", why);
	if (!class_registered || !conf->cm)
		return;
	f.id_start = choose_id_start(net);
	e->cm = cm_new(&f);
	for (unsigned i = 0; i < conf->cm_service_ids.n; i++)
		if (cm_listen(e->cm, conf->cm_service_ids.guid[i], UINT64_MAX, i) < 0)
			log_line(net->log, LOG_WARN, "cm",
				"cm_service_ids: 0x%016llx is listed twice, "
				"or not a consumer's to take",
				(unsigned long long)conf->cm_service_ids.guid[i]);
}

void
echo_free(struct echo *e)
{
	cm_free(e->cm);
	e->cm = NULL;
}

void
echo_set_conf(struct echo *e, const struct subnet *net)
{
	struct cm_conf f = cm_conf_of(net);

	if (e->cm)
		cm_set_conf(e->cm, &f);
}

bool
echo_receive(struct echo *e, const struct subnet *net, const struct dgram *d)
{
	return e->cm && cm_receive(e->cm, d, net->now);
}

static void
accept_connection(struct echo *e, const struct cm_event *event, struct monotime now)
{
	struct cm_req q = cm_req_decode(dgram_cm_image(event->message.mad));
	struct cm_rep r;

	memset(&r, 0, sizeof(r));
	r.start_psn = q.start_psn;
	r.resp_resources = q.initiator_depth;
	r.initiator_depth = q.resp_resources;
	r.failover = 1;                 /* not supported: there is no queue pair to move */
	r.flow_control = q.flow_control;
	r.rnr_retry = q.rnr_retry;
	memcpy(r.private_data, q.private_data, sizeof(q.private_data));
	if (cm_accept(e->cm, event->id, &r, now) < 0)
		cm_reject(e->cm, event->id, CM_REJECT_NO_QP, NULL, 0, now);
}

static void
resolve_service(struct echo *e, const struct cm_event *event, struct monotime now)
{
	struct cm_sidr_rep r;

	memset(&r, 0, sizeof(r));
	r.qpn = 1;
	r.qkey = QKEY_GSI;
	e->resolved++;
	cm_sidr_answer(e->cm, event->id, &r, now);
}

static void
on_event(struct echo *e, const struct cm_event *event, struct monotime now)
{
	switch (event->kind) {
	case CM_EVENT_REQ:
		accept_connection(e, event, now);
		break;
	case CM_EVENT_DISCONNECT:
		cm_disconnected(e->cm, event->id, now);
		break;
	case CM_EVENT_LAP:
		cm_answer_path(e->cm, event->id, CM_APR_UNSUPPORTED, now);
		break;
	case CM_EVENT_SIDR_REQ:
		resolve_service(e, event, now);
		break;
	default:                        /* the state machine handles the other messages */
		break;
	}
}

void
echo_pump(struct echo *e, const struct subnet *net)
{
	struct cm_event event;

	if (!e->cm)
		return;
	cm_tick(e->cm, net->now);
	while (cm_next_event(e->cm, &event))
		on_event(e, &event, net->now);
}

bool
echo_next_send(struct echo *e, struct dgram *d)
{
	return e->cm && cm_next_send(e->cm, d);
}

bool
echo_deadline(const struct echo *e, struct monotime *at)
{
	return e->cm && cm_deadline(e->cm, at);
}

void
echo_register(const struct echo *e, const struct subnet *net, struct services *services)
{
	struct service_record r;

	if (!e->cm)
		return;
	for (unsigned i = 0; i < net->conf->cm_service_ids.n; i++) {
		memset(&r, 0, sizeof(r));
		r.id = net->conf->cm_service_ids.guid[i];
		gid_set(r.gid, net->conf->subnet_prefix, net->port.port_guid);
		r.pkey = 0xffff;
		r.lease_s = SERVICE_LEASE_FOREVER;
		snprintf((char *)r.name, sizeof(r.name), "%s", ECHO_NAME);
		services_set(services, &r, net->port.port_guid, true);
	}
}

static json_t *
service_ids_json(const struct conf *conf)
{
	json_t *a = json_array();
	char id[24];

	for (unsigned i = 0; i < conf->cm_service_ids.n; i++) {
		snprintf(id, sizeof(id), "0x%016llx",
			(unsigned long long)conf->cm_service_ids.guid[i]);
		json_array_append_new(a, json_string(id));
	}
	return a;
}

static const char *
state_word(const struct echo *e)
{
	if (e && e->cm)
		return "on";
	return e && e->why[0] ? "refused" : "off";
}

json_t *
echo_json(const struct echo *e, const struct subnet *net)
{
	static const struct cm_stats none;
	bool on = e && e->cm;
	const struct cm_stats *st = on ? cm_stats(e->cm) : &none;
	json_t *reason = e && e->why[0] ? json_string(e->why) : json_null();
	json_t *services = on ? service_ids_json(net->conf) : json_array();

	return json_pack("{s:s, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I}",
		"state", state_word(e), "reason", reason, "services", services,
		"open", (int)st->open, "established", (json_int_t)st->established,
		"disconnected", (json_int_t)st->disconnected,
		"resolved", (json_int_t)(e ? e->resolved : 0),
		"refused_requests", (json_int_t)(st->refused_source + st->refused_total),
		"unanswered", (json_int_t)st->unanswered);
}
