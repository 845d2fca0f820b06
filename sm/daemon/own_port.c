/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * own_port.c - whether the port we run on has a link: asked of its agent every second, over no link.
 * Room: sm/daemon.  In: ends of transactions, sweeps.  Out: requests; "a whole sweep".
 * No trap reaches us when the own link goes down, and requests that wait for the fabric would wait for each of their tries.
 */
#include <config.h>
#include "sm/daemon/manager_int.h"

#define INTERVAL_US 1000000
#define STATE_INIT 2

static bool
has_link(const uint8_t *info)
{
	return port_info_decode(info).state >= STATE_INIT;
}

static void
ask_later(struct manager *m)
{
	m->next_own = monotime_add_us(m->net.now, INTERVAL_US);
}

/* What the sweep that ends has seen; 's' NULL: nothing, the port did not answer. */
void
own_port_swept(struct manager *m, const struct snapshot *s)
{
	const struct fab_port *p = s ? &s->ports[s->sm_port] : NULL;

	if (p && !p->num) {
		m->next_own = MONOTIME_NEVER;   /* port 0 of a switch has no link */
		return;
	}
	m->own_linked = p && p->flags & FAB_PORT_INFO && has_link(p->info);
	if (!m->own_open)
		ask_later(m);
}

static void
changed(struct manager *m, bool linked)
{
	m->own_linked = linked;
	log_line(m->net.log, linked ? LOG_NOTE : LOG_WARN, "sweep", "link %s: own port %s/%u", linked ? "up" : "down",
		m->net.port.ca_name, m->net.port.port);
	if (!linked)
		manager_start_over(m);
	schedule_want(&m->net, linked ? "our own port has a link" : "our own port has no link");
}

void
own_port_pump(struct manager *m)
{
	struct txn_req r = {
		.mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = PORT_INFO_ID,
		.modifier = m->net.port.port, .mkey = subnet_mkey(&m->net, m->net.port.port_guid), .urgent = true,
	};

	if (m->own_open || !monotime_reached(m->net.now, m->next_own))
		return;
	txn_target_reset(m->net.txn, TARGET_OWN);   /* it is always asked */
	m->own_open = true;
	subnet_submit(&m->net, &r, OWN_PORT_STATE);
}

void
own_port_end(struct manager *m, const struct txn_end *e)
{
	bool linked = e->kind == TXN_END_OK && has_link(e->reply->mad + 64);

	m->own_open = false;
	ask_later(m);
	if (e->kind == TXN_END_CANCELLED || e->kind == TXN_END_SKIPPED || e->kind == TXN_END_STATUS)
		return;
	if (linked != m->own_linked)
		changed(m, linked);
}

bool
own_port_deadline(const struct manager *m, struct monotime *at)
{
	*at = m->next_own;
	return !m->own_open && m->next_own.us != INT64_MAX;
}
