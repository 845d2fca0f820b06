/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * leases.c - keeps the leases of M_Keys running between heavy sweeps.
 * Room: sm/daemon.  In: light sweeps.  Out: a PortInfo request with its key to every port of a channel adapter; "sweep".
 *
 * A port counts its lease down from the first request with a wrong key, and stops at the first one with the right key.
 * A heavy sweep sends one to every port, and a light sweep to every switch; adapters would be left out, so about
 * three times in a lease a light sweep asks them too.  What they answer shows whether they still hold the key.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

static int64_t
lease_us(const struct manager *m)
{
	return subnet_protects(&m->net) ? (int64_t)m->net.conf->m_key_lease_period_s * 1000000 : 0;
}

int64_t
leases_interval_us(const struct manager *m)
{
	return lease_us(m) / 3;
}

void
leases_swept(struct manager *m, struct monotime began)
{
	m->leases.renewed = began;
}

void
leases_begin(struct manager *m)
{
	int64_t age_us = monotime_sub_us(m->net.now, m->leases.renewed);
	/* The next light sweep may be one interval away: rather early than late. */
	int64_t interval_us = (int64_t)m->net.conf->sweep_interval_s * 1000000;

	leases_free(m);
	m->leases.next = 0;
	m->leases.began = m->net.now;
	m->leases.on = lease_us(m) && age_us + interval_us > leases_interval_us(m);
}

/* A port that was configured, and whose problems are not known already. */
static bool
holds_lease(const struct manager *m, const struct fab_port *p)
{
	const struct fab_node *n = &m->net.served.s->nodes[p->node];

	return !fab_is_switch(n) && p->peer != FAB_NONE && p->flags & FAB_PORT_INFO &&
		!(p->flags & (FAB_PORT_FAILED | FAB_PORT_UNTOLD)) && !(n->flags & (FAB_NODE_FAILED | FAB_NODE_CUT)) &&
		p != &m->net.served.s->ports[m->net.served.s->sm_port];
}

struct lease_path {
	struct lease_path *next;
	uint8_t path[DGRAM_PATH_BYTES];
};

void
leases_free(struct manager *m)
{
	for (struct lease_path *p = m->leases.paths, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	m->leases.paths = NULL;
}

/* The further ports of an adapter are asked by their own links.  The path lives until the next light sweep. */
static void
take_own_path(struct manager *m, uint32_t port, struct txn_req *r)
{
	struct lease_path *p = xcalloc(1, sizeof(*p));

	p->next = m->leases.paths;
	m->leases.paths = p;
	r->hop_count = snapshot_port_path(m->net.served.s, port, p->path);
	r->path = p->path;
}

bool
leases_next(struct manager *m, struct txn_req *r)
{
	const struct snapshot *s = m->net.served.s;
	const struct fab_port *p;
	uint32_t port;

	while (m->leases.on && m->leases.next < s->nendports && !holds_lease(m, &s->ports[s->endports[m->leases.next]]))
		m->leases.next++;
	if (!m->leases.on || m->leases.next == s->nendports) {
		if (m->leases.on)
			m->leases.renewed = m->leases.began;
		m->leases.on = false;
		return false;
	}
	port = s->endports[m->leases.next++];
	p = &s->ports[port];
	*r = (struct txn_req){
		.target = p->node, .cookie = port, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = PORT_INFO_ID,
		.modifier = p->num, .mkey = subnet_mkey(&m->net, p->guid),
		.path = s->nodes[p->node].path, .hop_count = s->nodes[p->node].hop_count,
	};
	if (p->num != s->nodes[p->node].entry_port)
		take_own_path(m, port, r);
	return true;
}

const char *
leases_end(const struct manager *m, const struct txn_end *e)
{
	const struct fab_port *p = &m->net.served.s->ports[e->cookie];

	if (e->kind == TXN_END_CANCELLED)
		return NULL;
	if (e->kind != TXN_END_OK)
		return "a port does not renew the lease of its M_Key";
	if (port_info_decode(e->reply->mad + 64).mkey != subnet_mkey(&m->net, p->guid))
		return "a port has lost its M_Key";
	return NULL;
}
