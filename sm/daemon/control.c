/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * control.c - the answers of io.heddle.Manager: Status, Snapshot, Trace.
 * Room: sm/daemon.  In: what is served.  Out: JSON as sm/ctl/io.heddle.Manager.varlink says.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "fabric/snapshot/walk.h"
#include "sm/daemon/manager_int.h"

#define TROUBLES_SHOWN 20

static json_t *
guid_json(uint64_t guid)
{
	return json_sprintf("0x%016llx", (unsigned long long)guid);
}

static json_t *
desc_json(const struct fab_node *n)
{
	char text[NODE_DESC_BYTES * 3 + 1];

	return json_string(snapshot_desc_text(n, text, sizeof(text)));
}

static json_t *
path_text_json(const uint8_t *path, uint8_t hops)
{
	char text[DGRAM_PATH_BYTES * 4];

	return json_string(fab_path_text(path, hops, text, sizeof(text)));
}

/* ---- Status ---- */

static const char *
state_word(const struct manager *m)
{
	switch (m->election.ha.state) {
	case HA_NOTACTIVE:
		return "not_active";
	case HA_DISCOVERING:
		return "discovering";
	case HA_STANDBY:
		return "standby";
	case HA_MASTER:
		return "master";
	}
	return "not_active";
}

static const char *
subnet_word(const struct manager *m)
{
	switch (manager_outcome(m)) {
	case MANAGER_UP:
		return "up";
	case MANAGER_PARTIAL:
		return "partial";
	case MANAGER_STANDBY:
		if (m->release == RELEASE_DONE)
			break;
		return m->election.ha.state != HA_DISCOVERING && m->election.ha.unanswered <= 1 ? "up" : "down";
	case MANAGER_RUNNING:
	case MANAGER_REFUSED:
	case MANAGER_NO_FABRIC:
		break;
	}
	return "down";
}

static json_t *
waiting_json(const struct manager *m)
{
	if (m->release == RELEASE_DONE)
		return json_string("heddlectl resume: the subnet was released");
	switch (manager_outcome(m)) {
	case MANAGER_RUNNING:
		return json_string("the first sweep");
	case MANAGER_REFUSED:
		return json_string(m->last.refusal);
	case MANAGER_NO_FABRIC:
		return json_string("a link at our own port");
	case MANAGER_UP:
	case MANAGER_PARTIAL:
	case MANAGER_STANDBY:
		break;
	}
	return json_null();
}

static json_t *
master_json(const struct manager *m)
{
	for (unsigned i = 0; m->election.ha.state == HA_STANDBY && i < m->election.nanswers; i++)
		if (m->election.answers[i].guid == m->election.ha.master_guid)
			return json_pack("{s:o, s:n, s:i, s:s}", "guid", guid_json(m->election.ha.master_guid), "lid",
				"priority", m->election.answers[i].priority, "state", "master");
	return json_null();
}

static json_t *
last_sweep_json(const struct manager *m, struct monotime now)
{
	const struct manager_sweep_result *r = &m->last;

	if (!m->sweeps)
		return json_null();
	return json_pack("{s:i, s:s, s:f, s:f}", "number", m->sweeps, "reason", r->why,
		"took_s", (double)monotime_sub_us(r->ended, r->started) / 1e6,
		"ended_s_ago", (double)monotime_sub_us(now, r->ended) / 1e6);
}

static json_t *
verify_short_json(const struct manager *m)
{
	const struct verify_result *v = &m->last.verify;

	if (!m->last.verified)
		return json_null();
	return json_pack("{s:b, s:s, s:I, s:I, s:I}", "ok", v->ok, "scope", v->scope == VERIFY_ALL ? "all" : "hosts",
		"unreachable", (json_int_t)v->unreachable, "loops", (json_int_t)v->loops,
		"credit_loops", (json_int_t)v->credit_loops);
}

static json_t *
troubles_json(const struct manager *m)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < m->last.nfailed && i < TROUBLES_SHOWN; i++) {
		const struct manager_failed *f = &m->last.failed[i];

		json_array_append_new(a, json_pack("{s:o, s:s, s:o, s:s}",
			"guid", f->guid ? guid_json(f->guid) : json_null(), "description", f->description,
			"path", path_text_json(f->path, f->hop_count), "reason", f->reason));
	}
	return a;
}

static json_t *
mads_short_json(const struct manager *m)
{
	const struct txn_counts *n = &txn_stats(m->net.txn)->all;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "sent", (json_int_t)(n->sent + m->net.outbox.sent),
		"received", (json_int_t)(n->received + m->traps + m->sa_stats.requests),
		"retried", (json_int_t)n->retried, "timed_out", (json_int_t)n->timed_out,
		"dropped", (json_int_t)m->net.outbox.dropped, "unknown", (json_int_t)m->unknown_mads);
}

static json_t *
sa_json(const struct sa_stats *s, const struct sa_index *x)
{
	json_t *o = json_object();

#define C(name) json_object_set_new(o, #name, json_integer((json_int_t)s->name));
	SA_COUNTERS(C)
#undef C
	json_object_set_new(o, "index_bytes", json_integer(x ? (json_int_t)sa_index_bytes(x) : 0));
	return o;
}

static json_t *
traps_json(const struct manager *m)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "received", (json_int_t)m->traps, "forged", (json_int_t)m->traps_forged,
		"repeated", (json_int_t)traps_repeated(m->trap_kinds), "reports_lost", (json_int_t)reports_lost(m->reports));
}

json_t *
manager_status(const struct manager *m, struct monotime now)
{
	const struct snapshot *s = m->net.served.s;
	const struct io_port *p = &m->net.port;
	json_t *ports = report_ports_json(&m->last.counts);
	json_t *o = json_pack("{s:s, s:s, s:o, s:s, s:i, s:s, s:i, s:o, s:i, s:i, s:o, s:b, s:o}",
		"state", state_word(m), "subnet", subnet_word(m), "waiting", waiting_json(m), "version", PACKAGE_VERSION,
		"pid", (int)getpid(), "ca", p->ca_name, "port", p->port, "port_guid", guid_json(p->port_guid),
		"lid", m->net.served.plan ? m->net.served.plan->sm_lid : p->lid, "priority", m->election.ha.conf.priority, "master", master_json(m),
		"sweeping", m->state != MAN_IDLE, "last_sweep", last_sweep_json(m, now));
	json_t *rest = json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o}",
		"nodes", s ? s->nnodes : 0, "switches", s ? s->nswitches : 0, "hosts", s ? s->nhosts : 0,
		"links", s ? s->nlinks : 0, "lids", m->net.served.plan ? m->net.served.plan->nlids : 0, "ports", ports,
		"engine", m->net.served.plan ? json_string(m->net.served.plan->engine) : json_null(),
		"verify", verify_short_json(m), "mads", mads_short_json(m), "troubles", troubles_json(m),
		"troubles_total", m->last.nfailed, "missing", missing_json(m->watch.missing, now, time(NULL)),
		"missing_total", (int)missing_count(m->watch.missing), "flapping", flaps_json(m->watch.flaps, now, time(NULL)),
		"flapping_total", (int)flaps_count(m->watch.flaps), "sa", sa_json(&m->sa_stats, m->net.served.sa), "strangers", untrusted_sm_json(&m->election.untrusted),
		"traps", traps_json(m), "cm", connections_json(m), "lid_changes", renumber_json(m, now));

	json_object_update(o, rest);
	json_decref(rest);
	json_object_set_new(o, "standbys", standbys_json(&m->election.standbys, now));
	json_object_set_new(o, "disabled_by", m->election.ha.disabled_by ? guid_json(m->election.ha.disabled_by) : json_null());
	json_object_set_new(o, "keys", release_keys_json(m));
	return o;
}

json_t *
manager_status_none(void)
{
	static const struct sa_stats nothing;
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i, s:n, s:n, s:n, s:n, s:i, s:n, s:b, s:n}",
		"state", "not_active", "subnet", "down", "waiting", "no InfiniBand port", "version", PACKAGE_VERSION,
		"pid", (int)getpid(), "ca", "port", "port_guid", "lid", "priority", 0, "master", "sweeping", 0, "last_sweep");
	json_t *rest = json_pack("{s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}, s:n, s:n, s:{s:i, s:i, s:i, s:i, s:i, s:i}, "
		"s:[], s:i, s:[], s:i, s:[], s:i, s:o, "
		"s:[], s:{s:i, s:i, s:i, s:i}, s:o, s:o}",
		"nodes", 0, "switches", 0, "hosts", 0, "links", 0, "lids", 0, "ports", "active", 0, "armed", 0, "init", 0,
		"down", 0, "unlinked", 0, "engine", "verify", "mads", "sent", 0, "received", 0, "retried", 0, "timed_out", 0,
		"dropped", 0, "unknown", 0,
		"troubles", "troubles_total", 0, "missing", "missing_total", 0, "flapping", "flapping_total", 0,
		"sa", sa_json(&nothing, NULL), "strangers", "traps",
		"received", 0, "forged", 0, "repeated", 0, "reports_lost", 0, "cm", connections_json(NULL),
		"lid_changes", renumber_json(NULL, MONOTIME_NEVER));

	json_object_update(o, rest);
	json_decref(rest);
	json_object_set_new(o, "standbys", json_array());
	json_object_set_new(o, "disabled_by", json_null());
	json_object_set_new(o, "keys", json_null());
	return o;
}

/* ---- Snapshot ---- */

struct manager_view
control_view(const struct manager *m)
{
	return (struct manager_view){ m->net.served.s, m->net.served.plan, m->net.served.sa, m->net.conf->subnet_prefix, m->sweeps };
}


static const char *
type_word(const struct fab_node *n)
{
	return n->type == 1 ? "ca" : n->type == 2 ? "switch" : "router";
}

static const char *
port_state_word(uint8_t state)
{
	static const char *const word[] = { "no_change", "down", "init", "armed", "active", "active_defer" };

	return state < sizeof(word) / sizeof(word[0]) ? word[state] : "unknown";
}

static json_t *
port_json(const struct manager_view *v, uint32_t p)
{
	const struct snapshot *s = v->s;
	const struct fab_port *port = &s->ports[p];
	bool read = port->flags & FAB_PORT_INFO, end = snapshot_is_endport(s, port);
	struct port_info pi = port_info_decode(port->info);
	json_t *peer = json_null();

	if (port->peer != FAB_NONE) {
		const struct fab_port *q = &s->ports[port->peer];

		peer = json_pack("{s:o, s:i}", "guid", guid_json(s->nodes[q->node].guid), "port", q->num);
	}
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "port", port->num,
		"state", read ? json_string(port_state_word(pi.state)) : json_null(),
		"port_guid", end ? guid_json(port->guid) : json_null(),
		"lid", end && read ? json_integer(pi.lid) : json_null(),
		"lmc", end && read ? json_integer(pi.lmc) : json_null(), "peer", peer);
}

static json_t *
node_json(const struct manager_view *v, uint32_t i)
{
	const struct fab_node *n = &v->s->nodes[i];
	json_t *ports = json_array();

	for (unsigned k = fab_is_switch(n) ? 0 : 1; k <= n->nports; k++)
		json_array_append_new(ports, port_json(v, n->first_port + k));
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "guid", guid_json(n->guid), "type", type_word(n),
		"description", desc_json(n), "path", path_text_json(n->path, n->hop_count), "ports", ports);
}

bool
manager_port_key(const struct manager *m, const char *name, uint64_t *port_guid, uint64_t *key)
{
	struct manager_view v = control_view(m);
	uint16_t lid;
	uint32_t port = v.s ? control_find_end(&v, name, &lid) : FAB_NONE;

	if (port == FAB_NONE)
		return false;
	*port_guid = v.s->ports[mkeys_end_port(v.s, port)].guid;
	*key = subnet_mkey(&m->net, *port_guid);
	return true;
}

json_t *
control_snapshot(const struct manager_view *v)
{
	const struct snapshot *s = v->s;
	json_t *nodes;

	if (!s)
		return NULL;
	nodes = json_array();
	for (uint32_t i = 0; i < s->nnodes; i++)
		json_array_append_new(nodes, node_json(v, i));
	return json_pack("{s:i, s:o, s:i, s:i, s:i, s:o}", "sweep", v->sweeps, "port_guid", guid_json(s->ports[s->sm_port].guid),
		"switches", s->nswitches, "hosts", s->nhosts, "links", s->nlinks, "nodes", nodes);
}

json_t *
manager_snapshot(const struct manager *m)
{
	struct manager_view v = control_view(m);

	return control_snapshot(&v);
}

/* ---- Trace ---- */

static uint32_t
first_endport(const struct snapshot *s, uint32_t node)
{
	const struct fab_node *n = &s->nodes[node];

	for (unsigned k = 0; k <= n->nports; k++)
		if (snapshot_is_endport(s, &s->ports[n->first_port + k]))
			return n->first_port + k;
	return FAB_NONE;
}

static uint32_t
find_by_description(const struct snapshot *s, const char *name)
{
	char text[NODE_DESC_BYTES * 3 + 1];
	uint32_t found = FAB_NONE;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		if (strcmp(snapshot_desc_text(&s->nodes[i], text, sizeof(text)), name))
			continue;
		if (found != FAB_NONE)
			return FAB_NONE;        /* ambiguous */
		found = i;
	}
	return found == FAB_NONE ? FAB_NONE : first_endport(s, found);
}

/* A LID, a node or port GUID, or a description: the end port and the LID meant. */
uint32_t
control_find_end(const struct manager_view *v, const char *name, uint16_t *lid)
{
	const struct snapshot *s = v->s;
	const struct lid_map *l = &v->plan->lids;
	char *rest;
	unsigned long long number;
	uint32_t p, n;

	errno = 0;
	number = strtoull(name, &rest, 0);
	if (*name && !*rest && !errno) {
		if (number <= l->top && number > 0) {
			*lid = (uint16_t)number;
			return l->owner[number];
		}
		p = snapshot_port_by_guid(s, number);
		if (p == FAB_NONE && (n = snapshot_node_by_guid(s, number)) != FAB_NONE)
			p = first_endport(s, n);
	} else {
		p = find_by_description(s, name);
	}
	if (p != FAB_NONE)
		*lid = l->base[p];
	return p;
}

json_t *
control_end_json(const struct manager_view *v, uint32_t p, uint16_t lid)
{
	const struct fab_port *port = &v->s->ports[p];
	const struct fab_node *n = &v->s->nodes[port->node];

	return json_pack("{s:o, s:i, s:o, s:i, s:o}", "guid", guid_json(n->guid), "port", port->num,
		"port_guid", guid_json(port->guid), "lid", lid, "description", desc_json(n));
}

static json_t *
hop_json(const struct manager_view *v, uint32_t node, uint8_t in, uint8_t out)
{
	const struct fab_node *n = &v->s->nodes[node];

	return json_pack("{s:o, s:o, s:i, s:i}", "guid", guid_json(n->guid), "description", desc_json(n), "in_port", in,
		"out_port", out);
}

static json_t *
hops_json(const struct manager_view *v, uint32_t src, const struct walk *w)
{
	const struct snapshot *s = v->s;
	json_t *a = json_array();
	uint32_t node = s->ports[src].node;
	uint8_t in = 0;

	for (unsigned i = 0; i < w->nhops; i++) {
		json_array_append_new(a, hop_json(v, node, in, s->ports[w->out[i]].num));
		node = s->ports[w->in[i]].node;
		in = s->ports[w->in[i]].num;
	}
	json_array_append_new(a, hop_json(v, node, in, 0));
	return a;
}

static json_t *
pkeys_json(const uint16_t *keys, uint32_t n)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(a, json_sprintf("0x%04x", keys[i]));
	return a;
}

/* A partition of both, in which both are limited members: its P_Key, 0 when there is none. */
static uint16_t
limited_pkey(const uint16_t *a, uint32_t na, const uint16_t *b, uint32_t nb)
{
	for (uint32_t i = 0; i < na; i++)
		for (uint32_t k = 0; k < nb; k++)
			if (a[i] == b[k] && !(a[i] & PARTITION_FULL))
				return a[i];
	return 0;
}

/* What the partitions say of packets between two ends; null where this manager answers for none. */
static json_t *
partition_json(const struct manager_view *v, uint32_t src, uint32_t dst)
{
	const uint16_t *from, *to;
	uint32_t nfrom, nto;
	uint16_t key, limited;
	json_t *why = NULL;

	if (!v->sa)
		return json_null();
	nfrom = sa_port_pkeys(v->sa, src, &from);
	nto = sa_port_pkeys(v->sa, dst, &to);
	key = sa_pkey_between(v->sa, src, dst);
	limited = limited_pkey(from, nfrom, to, nto);
	if (!key && limited)
		why = json_sprintf("both are limited members of partition 0x%04x", limited);
	else if (!key)
		why = json_string("they have no partition in common");
	return json_pack("{s:b, s:o, s:o, s:o, s:o}", "allowed", key != 0, "pkey", key ? json_sprintf("0x%04x", key) : json_null(),
		"why", why ? why : json_null(), "source_pkeys", pkeys_json(from, nfrom), "destination_pkeys", pkeys_json(to, nto));
}

int
manager_trace(const struct manager *m, const char *from, const char *to, json_t **out)
{
	uint16_t from_lid = 0, to_lid = 0;
	uint32_t src, dst;
	struct manager_view v = control_view(m);
	struct walk w;

	if (!m->net.served.s || !m->net.served.plan) {
		*out = json_pack("{s:s}", "reason", "nothing has been routed by this manager yet");
		return -EAGAIN;
	}
	src = control_find_end(&v, from, &from_lid);
	dst = control_find_end(&v, to, &to_lid);
	if (src == FAB_NONE || dst == FAB_NONE) {
		*out = json_pack("{s:s}", "what", src == FAB_NONE ? from : to);
		return -ENOENT;
	}
	walk_lid(m->net.served.s, &m->net.served.plan->lids, &m->net.served.plan->fwd, src, to_lid, &w);
	*out = json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}", "source", control_end_json(&v, src, from_lid), "destination",
		control_end_json(&v, dst, to_lid), "hops", hops_json(&v, src, &w), "reached", w.end == WALK_ARRIVED,
		"why", w.end == WALK_ARRIVED ? json_null() : json_string(walk_end_text(w.end)), "partition", partition_json(&v, src, dst));
	return 0;
}
