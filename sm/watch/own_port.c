/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * own_port.c - monitors the link of our own port: queries its agent every second.
 * Room: sm/watch.  In: ends of transactions, sweeps.  Out: requests; a change of the link.
 */
#include <config.h>
#include "sm/watch/own_port.h"

#define INTERVAL_US 1000000

static bool
has_link(const uint8_t *info)
{
	return port_info_decode(info).state >= PORT_STATE_INIT;
}

static void
ask_later(struct own_port *o, const struct subnet *n)
{
	o->next = monotime_add_us(n->now, INTERVAL_US);
}

void
own_port_swept(struct own_port *o, const struct subnet *n, const struct snapshot *s)
{
	const struct fab_port *p = s ? &s->ports[s->sm_port] : NULL;

	if (p && !p->num) {
		o->next = MONOTIME_NEVER;   /* port 0 of a switch has no link */
		return;
	}
	o->linked = p && p->flags & FAB_PORT_INFO && has_link(p->info);
	if (!o->open)
		ask_later(o, n);
}

void
own_port_pump(struct own_port *o, struct subnet *n)
{
	struct txn_req r = {
		.mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = PORT_INFO_ID,
		.modifier = n->port.port, .mkey = subnet_mkey(n, n->port.port_guid), .urgent = true,
	};

	if (o->open || !monotime_reached(n->now, o->next))
		return;
	txn_target_reset(n->txn, TARGET_OWN);   /* query it even if it did not answer before */
	o->open = true;
	subnet_submit(n, &r, OWN_PORT_STATE);
}

enum own_port_change
own_port_on_end(struct own_port *o, const struct subnet *n, const struct txn_end *e)
{
	bool linked = e->kind == TXN_END_OK && has_link(dgram_smp_image(e->reply->mad));

	o->open = false;
	ask_later(o, n);
	if (e->kind == TXN_END_CANCELLED || e->kind == TXN_END_SKIPPED || e->kind == TXN_END_STATUS)
		return OWN_PORT_SAME;
	if (linked == o->linked)
		return OWN_PORT_SAME;
	o->linked = linked;
	log_line(n->log, linked ? LOG_NOTE : LOG_WARN, "sweep", "link %s: own port %s/%u",
		linked ? "up" : "down", n->port.ca_name, n->port.port);
	return linked ? OWN_PORT_UP : OWN_PORT_DOWN;
}

bool
own_port_deadline(const struct own_port *o, struct monotime *at)
{
	*at = o->next;
	return !o->open && o->next.us != INT64_MAX;
}
