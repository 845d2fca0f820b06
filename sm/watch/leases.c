/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * leases.c - renews M_Key leases between heavy sweeps.
 * Room: sm/watch.  In: light sweeps.  Out: a PortInfo request with its key to every port of a
 * channel adapter; whether a heavy sweep is needed.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/conf/conf.h"
#include "sm/watch/leases.h"
#include "util/xalloc.h"

static int64_t
lease_us(const struct subnet *n)
{
	return subnet_protects(n) ? (int64_t)n->conf->m_key_lease_period_s * 1000000 : 0;
}

int64_t
leases_interval_us(const struct subnet *n)
{
	return lease_us(n) / 3;
}

void
leases_swept(struct leases *l, struct monotime began)
{
	l->renewed = began;
}

void
leases_begin(struct leases *l, const struct subnet *n)
{
	int64_t age_us = monotime_sub_us(n->now, l->renewed);
	/* The next light sweep may be one interval away: renew early rather than late. */
	int64_t interval_us = (int64_t)n->conf->sweep_interval_s * 1000000;

	leases_free(l);
	l->next = 0;
	l->began = n->now;
	l->on = lease_us(n) && age_us + interval_us > leases_interval_us(n);
}

/* Whether an adapter port was configured and has no known problem. */
static bool
holds_lease(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *node = &s->nodes[p->node];

	return !fab_is_switch(node) && p->peer != FAB_NONE && p->flags & FAB_PORT_INFO &&
		!(p->flags & (FAB_PORT_FAILED | FAB_PORT_UNTOLD)) &&
		!(node->flags & (FAB_NODE_FAILED | FAB_NODE_CUT)) && p != &s->ports[s->sm_port];
}

struct lease_path {
	struct lease_path *next;
	uint8_t path[DGRAM_PATH_BYTES];
};

void
leases_free(struct leases *l)
{
	for (struct lease_path *p = l->paths, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	l->paths = NULL;
}

/*
 * A request to a further port of an adapter takes a path over that port's own link.  The path is
 * valid until the next light sweep begins.
 */
static void
add_own_path(struct leases *l, const struct snapshot *s, uint32_t port, struct txn_req *r)
{
	struct lease_path *p = xcalloc(1, sizeof(*p));

	p->next = l->paths;
	l->paths = p;
	r->hop_count = snapshot_port_path(s, port, p->path);
	r->path = p->path;
}

bool
leases_next(struct leases *l, const struct subnet *n, struct txn_req *r)
{
	const struct snapshot *s = n->served.s;
	const struct fab_port *p;
	uint32_t port;

	while (l->on && l->next < s->nendports && !holds_lease(s, &s->ports[s->endports[l->next]]))
		l->next++;
	if (!l->on || l->next == s->nendports) {
		if (l->on)
			l->renewed = l->began;
		l->on = false;
		return false;
	}
	port = s->endports[l->next++];
	p = &s->ports[port];
	*r = (struct txn_req){
		.target = p->node,
		.cookie = port,
		.mgmt_class = CLASS_SM_DR,
		.method = METHOD_GET,
		.attr_id = PORT_INFO_ID,
		.modifier = p->num,
		.mkey = subnet_mkey(n, p->guid),
		.path = s->nodes[p->node].path,
		.hop_count = s->nodes[p->node].hop_count,
	};
	if (p->num != s->nodes[p->node].entry_port)
		add_own_path(l, s, port, r);
	return true;
}

const char *
leases_check_end(const struct subnet *n, const struct txn_end *e)
{
	const struct fab_port *p = &n->served.s->ports[e->cookie];

	if (e->kind == TXN_END_CANCELLED)
		return NULL;
	if (e->kind != TXN_END_OK)
		return "a port does not renew the lease of its M_Key";
	if (port_info_decode(dgram_smp_image(e->reply->mad)).mkey != subnet_mkey(n, p->guid))
		return "a port has lost its M_Key";
	return NULL;
}
