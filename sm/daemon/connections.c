/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * connections.c - heddled's part in communication management: an echo service, and who may have how much of it.
 * Room: sm/daemon.  In: datagrams of class 7.  Out: answers; a service record in our own subnet administration.
 *
 * The echo service accepts every RC or UC connection, gives the private data of the REQ back in the REP, and answers a
 * DREQ.  There is no queue pair behind it: QPNs are of a range that adapters use last, and a connection ends
 * after cm_connection_s.  Resolution of its service IDs names QP 1, where this service is.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "libmad/cm/cm.h"
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

#define ECHO_QPN_FIRST 0x800000u
#define ECHO_QPNS 0x400000u
#define ECHO_NAME "heddle echo"
#define SEC INT64_C(1000000)

struct connections {
	struct cm *cm;                  /* NULL: off */
	char why[IO_WHY_BYTES];         /* why it is off although it is wanted; "" */
	uint64_t resolved;
};

static void
put_gid(uint8_t gid[16], uint64_t prefix, uint64_t guid)
{
	wire_put64(gid, prefix);
	wire_put64(gid + 8, guid);
}

static struct cm_conf
cm_conf_of(const struct manager *m)
{
	struct cm_conf f = cm_conf_default();

	f.ca_guid = m->net.port.node_guid;
	f.open_max = m->net.conf->cm_open_max;
	f.open_per_source = m->net.conf->cm_open_per_source;
	f.established_max_us = m->net.conf->cm_connection_s * SEC;
	f.qpn_first = ECHO_QPN_FIRST;
	f.qpn_count = ECHO_QPNS;
	return f;
}

/* A restarted manager must not use the IDs that its peers may still hold. */
static uint32_t
id_start(const struct manager *m)
{
	uint64_t v = m->net.port.port_guid;

	if (m->net.clock)
		v += (uint64_t)m->net.clock(m->net.clock_arg).us;
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(v >> 32);
}

void
connections_begin(struct manager *m, const struct manager_conf *c)
{
	struct connections *k = xcalloc(1, sizeof(*k));
	struct cm_conf f = cm_conf_of(m);

	m->connections = k;
	if (m->net.conf->cm && c->cm_why)
		snprintf(k->why, sizeof(k->why), "%s", c->cm_why);
	if (!c->cm || !m->net.conf->cm)
		return;
	f.id_start = id_start(m);
	k->cm = cm_new(&f);
	for (unsigned i = 0; i < m->net.conf->cm_service_ids.n; i++)
		if (cm_listen(k->cm, m->net.conf->cm_service_ids.guid[i], UINT64_MAX, i) < 0)
			log_line(m->net.log, LOG_WARN, "cm", "cm_service_ids: 0x%016llx is listed twice, or not a consumer's to take",
				(unsigned long long)m->net.conf->cm_service_ids.guid[i]);
}

void
connections_free(struct manager *m)
{
	if (!m->connections)
		return;
	cm_free(m->connections->cm);
	free(m->connections);
	m->connections = NULL;
}

void
connections_set_conf(struct manager *m)
{
	struct cm_conf f = cm_conf_of(m);

	if (m->connections->cm)
		cm_set_conf(m->connections->cm, &f);
}

bool
connections_receive(struct manager *m, struct dgram *d)
{
	return m->connections->cm && cm_receive(m->connections->cm, d, m->net.now);
}

static void
accept_echo(struct manager *m, const struct cm_event *e)
{
	struct cm *c = m->connections->cm;
	struct cm_req q = cm_req_decode(e->message.mad + CM_MESSAGE_AT);
	struct cm_rep r;

	memset(&r, 0, sizeof(r));
	r.start_psn = q.start_psn;
	r.resp_resources = q.initiator_depth;
	r.initiator_depth = q.resp_resources;
	r.failover = 1;                 /* not supported: there is no queue pair to move */
	r.flow_control = q.flow_control;
	r.rnr_retry = q.rnr_retry;
	memcpy(r.private_data, q.private_data, sizeof(q.private_data));
	if (cm_accept(c, e->id, &r, m->net.now) < 0)
		cm_reject(c, e->id, CM_REJECT_NO_QP, NULL, 0, m->net.now);
}

static void
resolve(struct manager *m, const struct cm_event *e)
{
	struct cm_sidr_rep r;

	memset(&r, 0, sizeof(r));
	r.qpn = 1;
	r.qkey = QKEY_GSI;
	m->connections->resolved++;
	cm_sidr_answer(m->connections->cm, e->id, &r, m->net.now);
}

void
connections_pump(struct manager *m)
{
	struct cm *c = m->connections->cm;
	struct cm_event e;

	if (!c)
		return;
	cm_tick(c, m->net.now);
	while (cm_next_event(c, &e))
		if (e.kind == CM_EVENT_REQ)
			accept_echo(m, &e);
		else if (e.kind == CM_EVENT_DISCONNECT)
			cm_disconnected(c, e.id, m->net.now);
		else if (e.kind == CM_EVENT_LAP)
			cm_answer_path(c, e.id, CM_APR_UNSUPPORTED, m->net.now);
		else if (e.kind == CM_EVENT_SIDR_REQ)
			resolve(m, &e);
}

bool
connections_next_send(struct manager *m, struct dgram *d)
{
	return m->connections->cm && cm_next_send(m->connections->cm, d);
}

bool
connections_deadline(const struct manager *m, struct monotime *at)
{
	return m->connections->cm && cm_deadline(m->connections->cm, at);
}

void
connections_register(struct manager *m)
{
	struct service_record r;

	if (!m->connections->cm)
		return;
	for (unsigned i = 0; i < m->net.conf->cm_service_ids.n; i++) {
		memset(&r, 0, sizeof(r));
		r.id = m->net.conf->cm_service_ids.guid[i];
		put_gid(r.gid, m->net.conf->subnet_prefix, m->net.port.port_guid);
		r.pkey = 0xffff;
		r.lease_s = SERVICE_LEASE_FOREVER;
		snprintf((char *)r.name, sizeof(r.name), "%s", ECHO_NAME);
		services_set(m->services, &r, m->net.port.port_guid, true);
	}
}

json_t *
connections_json(const struct manager *m)
{
	static const struct cm_stats none;
	const struct connections *k = m ? m->connections : NULL;
	const struct cm_stats *st = k && k->cm ? cm_stats(k->cm) : &none;
	json_t *services = json_array();
	char id[24];

	for (unsigned i = 0; k && k->cm && i < m->net.conf->cm_service_ids.n; i++) {
		snprintf(id, sizeof(id), "0x%016llx", (unsigned long long)m->net.conf->cm_service_ids.guid[i]);
		json_array_append_new(services, json_string(id));
	}
	return json_pack("{s:s, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I}",
		"state", k && k->cm ? "on" : k && k->why[0] ? "refused" : "off",
		"reason", k && k->why[0] ? json_string(k->why) : json_null(), "services", services, "open", (int)st->open,
		"established", (json_int_t)st->established, "disconnected", (json_int_t)st->disconnected,
		"resolved", (json_int_t)(k ? k->resolved : 0),
		"refused_requests", (json_int_t)(st->refused_source + st->refused_total),
		"unanswered", (json_int_t)st->unanswered);
}
